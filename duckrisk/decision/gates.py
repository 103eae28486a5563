"""Parses and judges gates, the conditions on numbers of a report that make a pipeline fail.

A gate is the path of a number in the JSON form, a sign and a limit: ``tables.risk.people.singled_out > 0``. A
list in the path means all of its entries, with a name in brackets those of that name:
``attribute_risk[age].mean_risk > 0.2``. The gate ``policy`` asks for an accepted verdict.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.base.results import GateResult, Result
from duckrisk.base.shapes import ShapeField, keys_of
from duckrisk.engine.meanings import is_share

_OPERATORS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
_FORM = re.compile(r"\s*(?P<path>\w.*?)\s*(?P<sign>>=|<=|>|<)\s*(?P<limit>[^\s<>]+)\s*", re.DOTALL)
_WORD = re.compile(r"\w+")
#: The keys that name an entry of a list.
_NAMES = ("name", "attribute", "attack", "guess", "submission", "attacker", "facts", "method")
#: The gate that asks for an accepted verdict: a pass, or a pass under assumptions with every role declared.
POLICY = "policy"
#: The limit that means the number of an earlier report.
BASELINE = "baseline"


@dataclass(frozen=True)
class Step:
    """A key of the path to a number.

    Attributes:
        name: The key.
        entry: The name in brackets; None without one.
        is_keyed: Whether entries are named by the keys of an object.
    """

    name: str
    entry: str | None = None
    is_keyed: bool = False


@dataclass(frozen=True)
class Gate:
    """A condition that must not hold.

    Attributes:
        expression: The text of the gate.
        steps: The path of the number; () for the gate ``policy``.
        sign: The comparison.
        limit: The limit; NaN for that of a baseline.
        is_share: Whether the number is between 0 and 1.
        path: The text of the path.
    """

    expression: str
    steps: tuple[Step, ...]
    sign: str
    limit: float
    is_share: bool = False
    path: str = ""

    @property
    def is_against_baseline(self) -> bool:
        """Whether its limit is the number of an earlier report."""
        return math.isnan(self.limit)

    @property
    def section(self) -> str:
        """The first key of its path."""
        return self.steps[0].name if self.steps else "verdict"

    @property
    def field(self) -> str:
        """The other keys of its path, without names."""
        return ".".join(step.name for step in self.steps[1:])

    @property
    def named(self) -> str | None:
        """The first name in brackets."""
        return next((step.entry for step in self.steps if step.entry is not None), None)


# --- reading -------------------------------------------------------------------------------------


def parse(text: str, kind: type[Result]) -> Gate:
    """Parse a gate on the reports of a kind.

    Raises:
        UsageError: The text is no condition, or its path leads to no number; with the nearest names.
    """
    if text.strip() == POLICY:
        if not kind.judges_policy:
            raise UsageError("gates.report_without_policy")
        return Gate(POLICY, (), ">", 0)
    form = _FORM.fullmatch(text)
    if form is None:
        raise UsageError("gates.not_a_condition", text=text)
    steps, share = _PathReader(text).read(form["path"], kind)
    if form["limit"] == BASELINE:
        return Gate(text.strip(), steps, form["sign"], math.nan, share, form["path"])
    try:
        limit = float(form["limit"])
    except ValueError:
        limit = math.nan
    if not math.isfinite(limit):
        raise UsageError("gates.invalid_limit", text=text)
    if limit > 1 and share:
        raise UsageError("gates.limit_out_of_range", text=text, field=steps[-1].name)
    return Gate(text.strip(), steps, form["sign"], limit, share, form["path"])


def parse_all(texts: Iterable[str], kind: type[Result]) -> tuple[Gate, ...]:
    """Parse gates on the reports of a kind; raises as :func:`parse`."""
    return tuple(parse(text, kind) for text in texts)


@dataclass(frozen=True)
class _PathReader:
    """Reads the path of a gate along the shapes of a report."""

    text: str

    def read(self, path: str, kind: type[Result]) -> tuple[tuple[Step, ...], bool]:
        """Return the steps of a path, and whether it leads to a share."""
        known = dict(keys_of(kind))
        for name, section in kind.sections.items():
            rest = path[len(name) :]
            field = _WORD.match(rest.rpartition("].")[2] if rest.startswith("[") else rest[1:])
            is_key = name in known and not (field and field[0] in keys_of(section.kind))
            if not is_key:
                known[name] = ShapeField(name, kind, declared=tuple[section.kind, ...])  # type: ignore[name-defined]
        return self._read(path, known)

    def _read(self, path: str, known: Mapping[str, ShapeField]) -> tuple[tuple[Step, ...], bool]:
        word = _WORD.match(path)
        if word is None:
            raise UsageError("gates.not_a_condition", text=self.text)
        name, rest = word[0], path[word.end() :]
        if name not in known:
            hint = suggest_names(name, list(known))
            raise UsageError(
                "gates.number_not_found", expression=self.text.strip(), name=name, suggestion=hint
            )
        field = known[name]
        is_keyed = field.is_mapping
        if not rest.startswith("["):
            return self._continue(Step(name, None, is_keyed), rest, field)
        if not field.is_several:
            raise UsageError("gates.unexpected_brackets", section=name)
        refused = UsageError("gates.not_a_condition", text=self.text)
        for end in (at for at, sign in enumerate(rest) if sign == "]" and at > 1):  # a name can hold brackets
            try:
                return self._continue(Step(name, rest[1:end], is_keyed), rest[end + 1 :], field)
            except UsageError as error:
                refused = error
        raise refused

    def _continue(self, step: Step, rest: str, field: ShapeField) -> tuple[tuple[Step, ...], bool]:
        """Return a step and those after it, and whether they lead to a share."""
        word = _WORD.match(rest[1:])
        if rest and (word is None or not rest.startswith(".")):
            raise UsageError("gates.not_a_condition", text=self.text)
        if word is not None:
            known = {name: key for shape in field.shapes for name, key in keys_of(shape).items()}
            steps, share = self._read(rest[1:], known)
            return (step, *steps), share
        if not {int, float} & set(field.types):
            raise UsageError("gates.not_a_number", expression=self.text.strip(), name=step.name)
        return (step,), is_share(field)


def is_about_policy(gate: Gate) -> bool:
    """Return whether a gate is about the verdict on a policy, which not every run has."""
    return gate.section in ("verdict", POLICY)


# --- judging -------------------------------------------------------------------------------------


def judge(
    gate: Gate, data: Mapping[str, Any], kind: type[Result], before: Mapping[str, Any] | None = None
) -> GateResult:
    """Judge the data of a report by a gate.

    Args:
        gate: The gate.
        data: The JSON form of the report.
        kind: The type of the report.
        before: The JSON form of the baseline.

    Returns:
        The result for the number that is furthest beyond its limit.

    Raises:
        UsageError: A name does not occur, or the number was not measured.
    """
    compare, is_maximum = _OPERATORS[gate.sign], gate.sign in (">", ">=")
    is_policy = gate.expression == POLICY
    numbers = _count_open_points(kind.verdicts(data)) if is_policy else find_numbers(gate, data, kind)
    found = list(numbers)
    limits = [(value, where, gate.limit) for value, where in found]
    if gate.is_against_baseline and before is not None:
        pairs = pair_numbers(find_numbers(gate, before, kind), found)
        limits = [(value, where, then) for where, then, value in pairs]
    if not limits:
        raise UsageError("gates.number_not_measured", expression=gate.expression)
    # Each number of a baseline is a limit of its own, so the number that changed most decides.
    distances = [value - then if gate.is_against_baseline else value for value, _, then in limits]
    worst, where, limit = limits[distances.index((max if is_maximum else min)(distances))]
    return GateResult(gate.expression, not compare(worst, limit), worst, where)


def pair_numbers(
    before: Iterable[tuple[float, str | None]], now: Iterable[tuple[float, str | None]]
) -> list[tuple[str | None, float, float]]:
    """Pair the numbers of two reports by the names of their entries.

    Several numbers of one name are paired in order.

    Returns:
        The name, the earlier and the current number.
    """
    earlier: dict[str | None, list[float]] = {}
    for value, where in before:
        earlier.setdefault(where, []).append(value)
    pairs = []
    for value, where in now:
        if earlier.get(where):
            pairs.append((where, earlier[where].pop(0), value))
    return pairs


def _count_open_points(
    verdicts: Iterable[tuple[Mapping[str, Any], str | None]],
) -> Iterator[tuple[float, str | None]]:
    """Yield for each verdict the number of points that keep it from acceptance.

    They are exceeded limits, open questions, and assumptions if a column lacks a declared role.
    """
    for verdict, where in verdicts:
        exceeded = sum(finding["met"] is False for finding in verdict["findings"])
        assumed = 0 if verdict["accepted"] else len(verdict["assumptions"])
        yield exceeded + len(verdict["undecided_because"]) + assumed, where


def find_numbers(
    gate: Gate, data: Mapping[str, Any], kind: type[Result]
) -> Iterator[tuple[float, str | None]]:
    """Yield the numbers of a gate, each with the name of its entry (None without one)."""
    values: list[tuple[Any, str | None]] = [(data, None)]
    for at, step in enumerate(gate.steps):
        section = kind.sections.get(step.name) if at == 0 else None
        following = gate.steps[1].name if len(gate.steps) > 1 else ""
        if section is not None and following in keys_of(section.kind):
            values = [*_named_entries(section.entries(data), None)]
        else:
            values = [
                entry
                for value, where in values
                if isinstance(value, Mapping)
                for entry in _named_entries(value.get(step.name), where, step.is_keyed)
            ]
        if (wanted := step.entry) is not None:
            names = [where for _, where in values if where is not None]
            values = [(value, where) for value, where in values if where == wanted]
            if not values and names:
                hint = suggest_names(wanted, list(dict.fromkeys(names)))
                raise UsageError(
                    "gates.name_not_found", expression=gate.expression, name=wanted, suggestion=hint
                )
    for value, where in values:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            yield value, where


def _named_entries(value: Any, where: str | None, is_keyed: bool = False) -> Iterator[tuple[Any, str | None]]:
    """Yield the entries of a list or of an object with free keys, each with its name."""
    if is_keyed and isinstance(value, Mapping):
        yield from ((entry, str(key)) for key, entry in value.items())
        return
    if not isinstance(value, Sequence) or isinstance(value, str):
        yield value, where
        return
    for entry in value:
        names = [entry[key] for key in _NAMES if entry.get(key)] if isinstance(entry, Mapping) else []
        yield entry, str(names[0]) if names else where
