"""The jobs of the package, asked for by keywords: the functions beside ``duckrisk.assess`` and the like."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from duckrisk import (
    advice,
    assessment,
    attribute,
    comparison,
    disclosure,
    identifiability,
    plausible_attacks,
    policy,
)
from duckrisk.assessment.gates import parse_gate
from duckrisk.assessment.results import Assessment
from duckrisk.baseline import judged
from duckrisk.baseline import read as read_baseline
from duckrisk.comparison.results import Comparison
from duckrisk.errors import UsageError
from duckrisk.files import check_target
from duckrisk.hierarchies import load, parse_all
from duckrisk.options import OptionSet, options_of, texts
from duckrisk.roles import RoleOverrides
from duckrisk.session import Resources
from duckrisk.source import Request

_Set = TypeVar("_Set", bound=OptionSet)


def made(kind: type[_Set], given: Mapping[str, Any]) -> _Set:
    """The options of a set that are given; None stands for the default."""
    return kind(
        **{
            name: _value(name, given[name], one.many)
            for name, one in options_of(kind).items()
            if given.get(name) is not None
        }
    )


def _value(name: str, value: Any, many: bool) -> Any:
    if not many:
        return os.fspath(value) if isinstance(value, os.PathLike) and name != "source" else value
    if name in ("levels", "roles") and not isinstance(value, str):
        if not isinstance(value, Mapping):
            example = "date_of_birth" if name == "levels" else "attribute"
            raise UsageError("keywords.takes_dictionary_columns", name=name, example=example)
        return tuple(value.items())
    return texts(name, value) if isinstance(value, Iterable) else value


def assess(given: Mapping[str, Any]) -> Assessment:
    """The job of :func:`duckrisk.assess`."""
    baseline = given["baseline"]
    records, gates = given["records"], _value("fail_on", given["fail_on"], True)
    if records is not None and not isinstance(records, (str, os.PathLike)):
        raise UsageError("keywords.records_takes_path_parquet_file")
    # A rule for missing cells that disclosure alone knows is for disclosure alone.
    identifying = {**given, "missing": None} if given["missing"] == "wildcard" else given
    settings = assessment.Settings(
        overrides=made(RoleOverrides, given),
        measures=made(attribute.Options, given),
        identifiability=made(identifiability.Options, identifying),
        disclosure=made(disclosure.Options, given),
        context=made(plausible_attacks.Options, given),
        policy=_policy(given["policy"]),
        only=_value("only", given["only"], True) if given["only"] is not None else None,
        gates=tuple(parse_gate(text) for text in gates),
        baseline=read_baseline(Path(baseline), Assessment) if baseline is not None else None,
        show_values=given["show_values"],
    )
    target = Path(records) if records is not None else None
    if target is not None:
        check_target(target)
    return assessment.run(made(Request, given), settings, made(Resources, given), records=target)


def _policy(given: Any) -> policy.Options:
    """A policy by its name, or a table of its name and of limits in place of its own."""
    if isinstance(given, str):
        return policy.Options(name=given)
    known = options_of(policy.Options)
    if not isinstance(given, Mapping) or not all(name in known for name in given):
        raise UsageError("keywords.policy_name_or_limits", names=", ".join(known))
    return made(policy.Options, given)


def advise(given: Mapping[str, Any]) -> advice.Advice:
    """The job of :func:`duckrisk.advise`."""
    hierarchies = given["hierarchies"]
    work = partial(
        advice.run,
        made(Request, given),
        made(RoleOverrides, given),
        made(identifiability.Options, {**given, "time_limit": None}),
        made(advice.Options, given),
        made(Resources, given),
        hierarchies=load(Path(hierarchies))
        if isinstance(hierarchies, (str, os.PathLike))
        else parse_all(hierarchies or {}, Path(), "hierarchies"),
        against=_policy(given["policy"]),
    )
    return judged(work, given["fail_on"], advice.Advice, given["baseline"])


def compare(given: Mapping[str, Any]) -> Comparison:
    """The job of :func:`duckrisk.compare`."""
    options = made(comparison.Options, given)
    settings = assessment.Settings(
        overrides=made(RoleOverrides, given),
        measures=attribute.Options(k=options.k, seed=options.seed),
        identifiability=made(identifiability.Options, given),
        policy=_policy(given["policy"]),
    )
    first, *others = (
        comparison.request_of(table, given["attach"]) for table in (given["original"], *given["releases"])
    )
    resources = made(Resources, given)
    work = partial(comparison.run, first, others, settings, options, resources)
    return judged(work, given["fail_on"], Comparison, given["baseline"])
