"""Gates on any report: conditions on the numbers of its JSON form, by the path that leads to them.

``tables.risk.people.singled_out > 0`` looks at every table, ``tables[r.csv]`` in it at the one of that name,
and ``policy`` asks that every release keeps its policy. Those of an assessment are in
:mod:`duckrisk.assessment.gates`.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from duckrisk.assessment.results import GateResult
from duckrisk.errors import UsageError, suggestion

_OPERATORS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
_FORM = re.compile(r"\s*(?P<path>\w.*?)\s*(?P<sign>>=|<=|>|<)\s*(?P<limit>[^\s<>]+)\s*", re.DOTALL)
_STEP = re.compile(r"(\w+)(?:\[(.+?)\])?(?:\.|$)", re.DOTALL)
#: What an entry of a list is called by.
_NAMES = ("name", "attribute", "attack", "guess", "submission", "attacker")
#: The gate that asks that the policy is kept.
POLICY = "policy"


@dataclass(frozen=True)
class Condition:
    """A condition that must not hold: a number by its path, a sign and a limit."""

    expression: str
    steps: tuple[tuple[str, str | None], ...]
    sign: str
    limit: float


def parse(text: str) -> Condition:
    """Read a condition; raises UsageError for what is none."""
    if text.strip() == POLICY:
        return Condition(POLICY, (), ">", 0)
    form = _FORM.fullmatch(text)
    steps = _STEP.findall(form["path"]) if form is not None else []
    if (
        form is None
        or "".join(name + (f"[{one}]" if one else "") + "." for name, one in steps) != form["path"] + "."
    ):
        raise UsageError("gates.not_condition", text=text)
    try:
        limit = float(form["limit"])
    except ValueError:
        limit = math.nan
    if not math.isfinite(limit):
        raise UsageError("gates.limit_not_number_share_not", text=text)
    return Condition(text.strip(), tuple((name, one or None) for name, one in steps), form["sign"], limit)


def judge(condition: Condition, data: Mapping[str, Any]) -> GateResult:
    """Whether the JSON form of a report passes, by the number that is furthest beyond the limit. Raises
    UsageError for a path that leads to no number."""
    found = list(_policies(data) if condition.expression == POLICY else _numbers(condition, data))
    if not found:
        raise UsageError("gates.gate_cannot_judged_run_did", expression=condition.expression)
    worst, where = (max if condition.sign in (">", ">=") else min)(found, key=lambda pair: pair[0])
    passed = not _OPERATORS[condition.sign](worst, condition.limit)
    return GateResult(condition.expression, passed, worst, where)


def _numbers(condition: Condition, data: Mapping[str, Any]) -> Iterator[tuple[float, str | None]]:
    places: list[tuple[Any, str | None]] = [(data, None)]
    for name, one in condition.steps:
        objects = [(place, where) for place, where in places if isinstance(place, Mapping)]
        known = list(dict.fromkeys(key for place, _ in objects for key in place))
        if objects and name not in known:
            raise UsageError(
                "gates.no_number_there",
                expression=condition.expression,
                name=name,
                suggestion=suggestion(name, known),
            )
        places = [each for place, where in objects if name in place for each in _entries(place[name], where)]
        if one is not None:
            names = [where for _, where in places if where is not None]
            places = [(place, where) for place, where in places if where == one]
            if not places:
                raise UsageError(
                    "gates.nothing_called",
                    expression=condition.expression,
                    name=one,
                    suggestion=suggestion(one, names),
                )
    for place, where in places:
        if isinstance(place, (int, float)) and not isinstance(place, bool):
            yield float(place), where


def _entries(value: Any, where: str | None) -> Iterator[tuple[Any, str | None]]:
    """What a key holds: the entries of a list, each with its name."""
    if not isinstance(value, list):
        yield value, where
        return
    for entry in value:
        names = [entry[key] for key in _NAMES if entry.get(key)] if isinstance(entry, Mapping) else []
        yield entry, str(names[0]) if names else where


def _policies(data: Mapping[str, Any]) -> Iterator[tuple[float, str | None]]:
    """For each release how many limits of its policy stand between it and a pass."""
    for table in data.get("tables", ()):
        people = (table.get("risk") or {}).get("people")
        if people is not None and not table.get("original"):
            findings = people["verdict"]["findings"]
            yield float(sum(one["met"] is False for one in findings)), table["name"]
