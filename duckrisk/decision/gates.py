"""Gates: conditions on the numbers of a report that let a pipeline fail, written alike for every report.

``tables.risk.people.singled_out > 0`` is the path of a number in the JSON form, a sign and a limit. A list on
the way stands for all of its entries, with a name in brackets for those of that name:
``attribute_risk[age].mean_risk > 0.2``. ``policy`` asks for a verdict that is accepted.
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
#: What an entry of a list is called by.
_NAMES = ("name", "attribute", "attack", "guess", "submission", "attacker", "facts", "method")
#: The gate that asks for an accepted verdict: a pass, or a pass under assumptions with every role declared.
POLICY = "policy"
#: The limit that stands for what the number was in an earlier report.
BASELINE = "baseline"


@dataclass(frozen=True)
class Step:
    """A key on the way to a number, the name in brackets, and whether that is itself a key."""

    name: str
    one: str | None = None
    keyed: bool = False


@dataclass(frozen=True)
class Gate:
    """A condition that must not hold: a number by its path, a sign and a limit, which is no number where the
    baseline has it. ``share`` says that the number is between 0 and 1."""

    expression: str
    steps: tuple[Step, ...]
    sign: str
    limit: float
    share: bool = False
    path: str = ""

    @property
    def against_baseline(self) -> bool:
        """Whether its limit is what the number was in an earlier report."""
        return math.isnan(self.limit)

    @property
    def section(self) -> str:
        """Where its path begins."""
        return self.steps[0].name if self.steps else "verdict"

    @property
    def field(self) -> str:
        """The rest of it, without names."""
        return ".".join(step.name for step in self.steps[1:])

    @property
    def named(self) -> str | None:
        """The first name in brackets."""
        return next((step.one for step in self.steps if step.one is not None), None)


# --- reading -------------------------------------------------------------------------------------


def parse(text: str, kind: type[Result]) -> Gate:
    """Read a gate on the reports of a kind; raises UsageError with the nearest names."""
    if text.strip() == POLICY:
        if not kind.judges_policy:
            raise UsageError("gates.report_without_policy")
        return Gate(POLICY, (), ">", 0)
    form = _FORM.fullmatch(text)
    if form is None:
        raise UsageError("gates.not_a_condition", text=text)
    steps, share = _Reader(text).report(form["path"], kind)
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
    """Read gates on the reports of a kind."""
    return tuple(parse(text, kind) for text in texts)


@dataclass(frozen=True)
class _Reader:
    """Reads the path of a gate along the shapes of a report."""

    text: str

    def report(self, path: str, kind: type[Result]) -> tuple[tuple[Step, ...], bool]:
        """The steps of a path, and whether it leads to a share."""
        known = dict(keys_of(kind))
        for name, section in kind.sections.items():
            rest = path[len(name) :]
            field = _WORD.match(rest.rpartition("].")[2] if rest.startswith("[") else rest[1:])
            own = name in known and not (field and field[0] in keys_of(section.kind))
            if not own:
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
        keyed = field.is_mapping
        if not rest.startswith("["):
            return self._on(Step(name, None, keyed), rest, field)
        if not field.is_several:
            raise UsageError("gates.unexpected_brackets", section=name)
        refused = UsageError("gates.not_a_condition", text=self.text)
        for end in (at for at, sign in enumerate(rest) if sign == "]" and at > 1):  # a name can hold brackets
            try:
                return self._on(Step(name, rest[1:end], keyed), rest[end + 1 :], field)
            except UsageError as error:
                refused = error
        raise refused

    def _on(self, step: Step, rest: str, field: ShapeField) -> tuple[tuple[Step, ...], bool]:
        """A step, and those after it."""
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


def about_policy(gate: Gate) -> bool:
    """Whether a gate looks at what a policy says, which not every run asks."""
    return gate.section in ("verdict", POLICY)


# --- judging -------------------------------------------------------------------------------------


def judge(
    gate: Gate, data: Mapping[str, Any], kind: type[Result], before: Mapping[str, Any] | None = None
) -> GateResult:
    """Whether the data of a report pass, by the number that is furthest beyond the limit, or beyond what it
    was ``before``. Raises UsageError for a name that is not there, and where the number was not measured."""
    compare, most = _OPERATORS[gate.sign], gate.sign in (">", ">=")
    found = [*_open(kind.verdicts(data))] if gate.expression == POLICY else [*numbers(gate, data, kind)]
    limits = [(value, where, gate.limit) for value, where in found]
    if gate.against_baseline and before is not None:
        pairs = beyond(numbers(gate, before, kind), found)
        limits = [(value, where, then) for where, then, value in pairs]
    if not limits:
        raise UsageError("gates.number_not_measured", expression=gate.expression)
    # Against a baseline each number has a limit of its own: the furthest beyond is what changed most.
    away = [value - then if gate.against_baseline else value for value, _, then in limits]
    worst, where, limit = limits[away.index((max if most else min)(away))]
    return GateResult(gate.expression, not compare(worst, limit), worst, where)


def beyond(
    before: Iterable[tuple[float, str | None]], now: Iterable[tuple[float, str | None]]
) -> list[tuple[str | None, float, float]]:
    """Numbers of two reports side by side: those of the same entry, of several of a name by their order."""
    earlier: dict[str | None, list[float]] = {}
    for value, where in before:
        earlier.setdefault(where, []).append(value)
    pairs = []
    for value, where in now:
        if earlier.get(where):
            pairs.append((where, earlier[where].pop(0), value))
    return pairs


def _open(verdicts: Iterable[tuple[Mapping[str, Any], str | None]]) -> Iterator[tuple[float, str | None]]:
    """Yield how much stands between each verdict and its acceptance: exceeded limits, open questions, and
    assumptions where a column has no declared role."""
    for verdict, where in verdicts:
        exceeded = sum(one["met"] is False for one in verdict["findings"])
        assumed = 0 if verdict["accepted"] else len(verdict["assumptions"])
        yield exceeded + len(verdict["undecided_because"]) + assumed, where


def numbers(gate: Gate, data: Mapping[str, Any], kind: type[Result]) -> Iterator[tuple[float, str | None]]:
    """The numbers that a gate looks at, each with what it is of."""
    places: list[tuple[Any, str | None]] = [(data, None)]
    for at, step in enumerate(gate.steps):
        section = kind.sections.get(step.name) if at == 0 else None
        following = gate.steps[1].name if len(gate.steps) > 1 else ""
        if section is not None and following in keys_of(section.kind):
            places = [*_entries(section.entries(data), None)]
        else:
            objects = [(place, where) for place, where in places if isinstance(place, Mapping)]
            places = [
                each for place, where in objects for each in _entries(place.get(step.name), where, step.keyed)
            ]
        if (one := step.one) is not None:
            names = [where for _, where in places if where is not None]
            places = [(place, where) for place, where in places if where == one]
            if not places and names:
                hint = suggest_names(one, list(dict.fromkeys(names)))
                raise UsageError(
                    "gates.name_not_found", expression=gate.expression, name=one, suggestion=hint
                )
    for place, where in places:
        if isinstance(place, (int, float)) and not isinstance(place, bool):
            yield place, where


def _entries(value: Any, where: str | None, keyed: bool = False) -> Iterator[tuple[Any, str | None]]:
    """What a key holds: the entries of a list or of an object with any keys, each with its name."""
    if keyed and isinstance(value, Mapping):
        yield from ((entry, str(key)) for key, entry in value.items())
        return
    if not isinstance(value, Sequence) or isinstance(value, str):
        yield value, where
        return
    for entry in value:
        names = [entry[key] for key in _NAMES if entry.get(key)] if isinstance(entry, Mapping) else []
        yield entry, str(names[0]) if names else where
