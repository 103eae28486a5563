"""Treatments: steps of a method and its options, checked before anything is read."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.base.options.identifiability import TOKENS
from duckrisk.base.options.source import Request
from duckrisk.release.anonymization.recoding_options import (
    CATEGORIES,
    NUMBERS,
    check_recoding,
    is_number_or_text,
)
from duckrisk.roles.overrides import RoleOverrides, merge_overrides
from duckrisk.source import Source
from duckrisk.source.hierarchies import PERIOD_UNITS
from duckrisk.source.model import find_column

#: Methods that draw records or values at random.
DRAWING_METHODS = ("perturb", "swap", "sample", "truncate", "shuffle")
PERIODS = ("none", "day", "week", "month", "quarter", "year")

_TEXT, _WHOLE, _NUMBER, _TRUTH, _TEXTS = (
    "a text",
    "a whole number",
    "a number",
    "true or false",
    "a list of texts",
)
_NUMBERS, _CELLS, _GROUPS, _WEIGHTS = (
    "a list of numbers",
    "a list of lists of numbers",
    "a list of lists of texts",
    "a table of numbers above 0",
)
_COLUMN = {"column": _TEXT}
#: The lists of columns of a summary: the figures of each column, and what is added to its name.
SUMMARIES = {
    "same": (("same", ""),),
    "sum": (("sum", "_sum"),),
    "first_and_last": (("first", "_first"), ("last", "_last")),
    "most_frequent": (("most_frequent", "_most_frequent"),),
    "distinct": (("distinct", "_distinct"),),
}

#: The methods, with their required and their possible options.
METHODS: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "generalize": (
        _COLUMN,
        {
            "level": _WHOLE,
            "width": _NUMBER,
            "prefix": _WHOLE,
            "moment": _TEXT,
            "first_day": _TRUTH,
            "bands": _NUMBERS,
            "numbers": _TEXT,
            "cells": _CELLS,
            "groups": _GROUPS,
            "categories": _TEXT,
        },
    ),
    "suppress": (_COLUMN, {"drop": _TRUTH}),
    "suppress-cells": ({"column": _TEXT, "where": _TEXT}, {"missing": _TRUTH}),
    "delete": ({"where": _TEXT}, {}),
    "delete-rare": (_COLUMN, {"user": _TEXT, "users": _WHOLE}),
    "delete-outliers": (_COLUMN, {"deviations": _NUMBER}),
    "delete-classes": (
        {"below": _WHOLE, "quasi_identifiers": _TEXTS},
        {"together": _WHOLE, "user": _TEXT, "sensitive": _TEXTS},
    ),
    "top": ({"column": _TEXT, "at": _NUMBER}, {}),
    "bottom": ({"column": _TEXT, "at": _NUMBER}, {}),
    "microaggregate": ({"columns": _TEXTS, "k": _WHOLE}, {}),
    "perturb": ({"column": _TEXT, "share": _NUMBER}, {"by": _TEXT}),
    "swap": ({"column": _TEXT, "share": _NUMBER}, {"period": _TEXT, "time": _TEXT}),
    "k-anonymize": (
        {"k": _WHOLE, "quasi_identifiers": _TEXTS},
        {
            "algorithm": _TEXT,
            "user": _TEXT,
            "sensitive": _TEXTS,
            "keep": _TEXTS,
            "importance": _WEIGHTS,
            "delete_at_most": _NUMBER,
            "numbers": _TEXT,
            "categories": _TEXT,
        },
    ),
    "pseudonymize": (_COLUMN, {"period": _TEXT, "time": _TEXT, "life": _WHOLE, "keys": _TEXT}),
    "sample": ({}, {"share": _NUMBER, "records": _WHOLE}),
    "truncate": ({"user": _TEXT, "records": _WHOLE}, {}),
    "summarize": ({"user": _TEXT}, dict.fromkeys(SUMMARIES, _TEXTS)),
    "shuffle": ({}, {}),
    "sort": ({}, {}),
}
_ONE_OF = {
    "generalize": ("level", "width", "prefix", "moment", "bands", "groups"),
    "sample": ("share", "records"),
}
#: The algorithms of `k-anonymize`, with their options.
_ALGORITHMS = {
    "local": ("user", "sensitive", "importance", "numbers", "categories"),
    "uniform": ("user", "sensitive", "importance", "numbers", "categories", "keep", "delete_at_most"),
    "columns": ("user", "sensitive", "keep", "delete_at_most"),
}


@dataclass(frozen=True)
class Step:
    """One step: a method and its options.

    Raises:
        UsageError: The method is unknown, or an option is wrong.
    """

    method: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_step(self.method, self.options)
        object.__setattr__(self, "options", MappingProxyType(dict(self.options)))

    def get(self, name: str, default: Any = None) -> Any:
        """Return an option, else its default.

        Args:
            name: Name of the option.
            default: Its value if it is not given.
        """
        return self.options.get(name, default)


@dataclass(frozen=True)
class Treatment:
    """The steps of a treatment, and what they need.

    Attributes:
        steps: The steps, in their order.
        seed: Seed of what is drawn; without one, no run can be repeated.
        hierarchies: How values of columns become coarser, as in a settings file.
        folder: Folder of the CSV files of hierarchies.
        source: How the recipe chooses records, if the run does not.
        timezone: Time zone of the days of moments.
        read: How columns are read.
        missing_tokens: Texts that mean a missing value.
        fold_keys: The user column whose keys are unified before all steps; None for none.
    """

    steps: Sequence[Step] = ()
    seed: int | None = None
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    folder: Path = Path(".")
    source: Request = field(default_factory=Request)
    timezone: str | None = None
    read: tuple[str, ...] = ()
    missing_tokens: tuple[str, ...] = TOKENS
    fold_keys: str | None = None

    def check(self) -> None:
        """Check that there are steps, and that the seed is a number.

        Raises:
            UsageError: One of them is wrong.
        """
        if not self.steps:
            raise UsageError("anonymization.no_methods")
        if self.seed is not None and (type(self.seed) is not int or not 0 <= self.seed < 2**63):
            raise UsageError("anonymization.seed_out_of_range")
        if sum(step.method in ("shuffle", "sort") for step in self.steps) > 1:
            raise UsageError("anonymization.repeated_shuffle")


def check_kept_columns(source: Source, steps: Sequence[Step], overrides: RoleOverrides) -> None:
    """Check that no step removes a column to keep.

    Args:
        source: The source.
        steps: The steps.
        overrides: Roles that a person gave, with the columns to keep.

    Raises:
        UsageError: Roles contradict each other, or a step removes such a column.
    """
    # Other roles may be of columns that only a step makes.
    decided = merge_overrides(source, replace(overrides, quasi_identifiers=(), sensitive=()))
    names = [*decided.keep, *(name for name, role in decided.roles if role == "keep")]
    kept = {source.column(name).position for name in names}
    for step in steps:
        if step.method == "suppress":
            column = find_column(source.columns, step.get("column"))
            if column is not None and column.position in kept:
                method = "drop" if step.get("drop") else "suppress"
                raise UsageError("anonymization.kept_column_removed", column=column.name, method=method)


def parse_coarser(written: str) -> dict[str, str | int | float]:
    """Parse a coarser form into an option of generalize.

    Args:
        written: The form, such as `5`, `prefix3`, `level1` or `month`.

    Returns:
        The option `width`, `prefix`, `level` or `moment`, and its value.
    """
    for word in ("level", "prefix"):
        if written.startswith(word) and written.removeprefix(word).isdecimal():
            return {word: int(written.removeprefix(word))}
    for number in (int, float):
        with contextlib.suppress(ValueError):
            return {"width": number(written)}
    return {"moment": written}


def _check_step(method: Any, options: Mapping[str, Any]) -> None:
    if not isinstance(method, str):
        raise UsageError("anonymization.method_not_text")
    if method not in METHODS:
        raise UsageError(
            "anonymization.unknown_method", method=method, suggestion=suggest_names(method, list(METHODS))
        )
    needed, possible = METHODS[method]
    allowed = {**needed, **possible}
    for name, value in options.items():
        if name not in allowed:
            hint = suggest_names(name, list(allowed))
            raise UsageError("anonymization.unknown_method_option", method=method, name=name, hint=hint)
        if not _has_type(value, allowed[name]):
            raise UsageError("anonymization.wrong_option_type", name=name, method=method, known=allowed[name])
    for name in needed:
        if name not in options:
            raise UsageError(
                "anonymization.method_option_missing", method=method, name=name, needed=needed[name]
            )
    if method in _ONE_OF and len([name for name in _ONE_OF[method] if name in options]) != 1:
        raise UsageError(
            "anonymization.alternatives_missing", method=method, one_of=", ".join(_ONE_OF[method])
        )
    _check_ranges(method, options, allowed)


def _check_ranges(method: str, options: Mapping[str, Any], kinds: Mapping[str, str]) -> None:
    least = {
        "level": 0,
        "prefix": 1,
        "records": 1,
        "users": 1,
        "life": 1,
        "k": 2 if method == "microaggregate" else 1,
    }
    least |= {"below": 2, "together": 1}
    for name, limit in least.items():
        if name in options and options[name] < limit:
            raise UsageError("anonymization.option_below_minimum", name=name, method=method, limit=limit)
    for name, value in options.items():
        if type(value) is int and value >= 2**63 and kinds[name] == _WHOLE:
            raise UsageError("anonymization.option_above_maximum", name=name, method=method)
    if "share" in options and not 0 < options["share"] <= 1:
        raise UsageError("anonymization.share_out_of_range", method=method)
    if "deviations" in options and options["deviations"] <= 0:
        raise UsageError("anonymization.deviations_not_positive")
    if "users" in options and "user" not in options:
        raise UsageError("anonymization.delete_rare_without_user")
    if "width" in options and not 0 < options["width"] < 1e18:
        raise UsageError("anonymization.width_not_positive")
    words = {
        "moment": PERIOD_UNITS,
        "period": PERIODS,
        "by": ("domain", "empirical"),
        "numbers": NUMBERS,
        "categories": CATEGORIES,
    }
    for name, allowed in words.items():
        if name in options and options[name] not in allowed:
            raise UsageError(
                "anonymization.unknown_option_value",
                name=name,
                method=method,
                allowed=", ".join(allowed),
                options=options[name],
            )
    if "delete_at_most" in options and not 0 <= options["delete_at_most"] < 1:
        raise UsageError("anonymization.deleted_share_out_of_range")
    if method == "k-anonymize":
        _check_algorithm(options)
    if method == "generalize":
        check_recoding(options)
    if method == "delete-classes" and not options["quasi_identifiers"]:
        raise UsageError("anonymization.classes_without_quasi_identifiers")
    if method == "microaggregate" and not options["columns"]:
        raise UsageError("anonymization.microaggregation_without_columns")
    for name in ("quasi_identifiers", "columns", "keep", "sensitive", *SUMMARIES):
        columns = options.get(name, ())
        if len(set(columns)) < len(columns):
            raise UsageError("anonymization.duplicate_column_in_option", name=name, method=method)


def _check_algorithm(options: Mapping[str, Any]) -> None:
    algorithm = options.get("algorithm", "local")
    if algorithm not in _ALGORITHMS:
        hint = suggest_names(algorithm, list(_ALGORITHMS))
        raise UsageError("k_anonymity.unknown_algorithm", algorithm=algorithm, suggestion=hint)
    for name in options:
        if name not in ("k", "quasi_identifiers", "algorithm", *_ALGORITHMS[algorithm]):
            raise UsageError("anonymization.option_of_other_algorithm", name=name, algorithm=algorithm)
    if not options["quasi_identifiers"]:
        raise UsageError("anonymization.k_without_quasi_identifiers")


def _has_type(value: Any, expected: str) -> bool:
    if expected == _TEXT:
        return isinstance(value, str) and value != "" and "\0" not in value
    if expected == _WHOLE:
        return type(value) is int
    if expected == _NUMBER:
        return type(value) in (int, float) and math.isfinite(value) and abs(value) < 1e300
    if expected == _TRUTH:
        return isinstance(value, bool)
    if expected == _WEIGHTS:
        return isinstance(value, Mapping) and all(
            _has_type(item, _NUMBER) and item > 0 for item in value.values()
        )
    if not isinstance(value, (list, tuple)):
        return False
    if expected == _NUMBERS:
        return all(map(is_number_or_text, value))
    if expected == _CELLS:
        return all(_has_type(item, _NUMBERS) for item in value)
    if expected == _GROUPS:
        return all(isinstance(group, (list, tuple)) and all(map(_is_plain_text, group)) for group in value)
    return all(_has_type(item, _TEXT) for item in value)


def _is_plain_text(value: Any) -> bool:
    """Return whether a value is a text, which may be empty."""
    return isinstance(value, str) and "\0" not in value
