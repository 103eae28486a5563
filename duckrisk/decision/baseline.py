"""An earlier report as a baseline: what got worse since then; and the gates of a report, judged."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from duckrisk.base.errors import UsageError
from duckrisk.base.files import read_text
from duckrisk.base.options import texts
from duckrisk.base.options.policy import MINIMA
from duckrisk.base.results import Baseline, Change, Result
from duckrisk.base.shapes import keys_of
from duckrisk.decision.gates import POLICY, Gate, about_policy, beyond, judge, numbers, parse_all

_Report = TypeVar("_Report", bound=Result)
#: Settings whose notices count records.
_OF_RECORDS = ("source.where", "source.query")


@dataclass(frozen=True)
class Earlier:
    """The data of an earlier report, and what its file is called."""

    name: str
    data: Mapping[str, Any]


def read(path: Path, kind: type[Result]) -> Earlier:
    """An earlier report from its JSON file. Raises UsageError for what is none of this kind."""
    try:
        data = json.loads(read_text(path), parse_constant=_no_number)
    except OSError:
        raise UsageError("baseline.not_readable", name=path.name) from None
    except (ValueError, RecursionError):
        data = None
    needed = {name for name, field in keys_of(kind).items() if field.required and field.shape is kind}
    if not isinstance(data, dict) or not needed <= set(data):
        raise UsageError("baseline.not_a_report", name=path.name)
    return Earlier(path.name, data)


def _no_number(text: str) -> float:
    """NaN and infinities are not JSON."""
    raise ValueError(text)


def judged(
    work: Callable[[], _Report],
    fail_on: Iterable[str],
    kind: type[_Report],
    baseline: Any = None,
    unmeasured: Set[str] = frozenset(),
) -> _Report:
    """The report that some work makes, with its gates, which are read before as the baseline is."""
    judge = judging(fail_on, kind, baseline, unmeasured)
    return judge(work())


def judging(
    fail_on: Iterable[str], kind: type[_Report], baseline: Any, unmeasured: Set[str] = frozenset()
) -> Callable[[_Report], _Report]:
    """What judges a report by gates, read now, and by the file of an earlier report, if there is one.

    ``unmeasured`` are keys of the report, and POLICY, that this run leaves empty: a gate on one is refused.
    """
    gates = parse_all(texts("fail_on", fail_on) or (), kind)
    for gate in gates:
        if about_policy(gate) and POLICY in unmeasured:
            raise UsageError("gates.run_without_policy", expression=gate.expression)
        for part in [step.name for step in gate.steps[:2] if step.name in unmeasured]:
            raise UsageError("gates.part_not_measured", expression=gate.expression, part=part)
    earlier = read(Path(baseline), kind) if baseline is not None else None
    check(gates, earlier)
    return lambda report: gated(report, gates, earlier)


def check(gates: Sequence[Gate], earlier: Earlier | None) -> None:
    """Raise UsageError for a gate against a baseline that there is none."""
    for gate in gates:
        if gate.against_baseline and earlier is None:
            raise UsageError("baseline.baseline_missing", expression=gate.expression)


def gated(report: _Report, gates: Sequence[Gate], earlier: Earlier | None = None) -> _Report:
    """A report with its gates, judged, and with what changed since an ``earlier`` one. Raises UsageError for
    a gate that cannot be judged, and for a report that cannot be compared."""
    if not gates and earlier is None:
        return report  # whose data may never be asked for
    kind, data = type(report), report.data
    changes: dict[str, Any] = {}
    if earlier is not None:
        try:
            changes["baseline"] = _compared(earlier, gates, kind, data)
        except (LookupError, TypeError, AttributeError):  # not as any report has it
            raise UsageError("baseline.not_a_report", name=earlier.name) from None
    before = earlier.data if earlier is not None else None
    results = tuple(judge(gate, data, kind, before) for gate in gates)
    if results:
        changes["gates"] = results
    return dataclasses.replace(report, **changes)  # type: ignore[type-var]


def _compared(
    earlier: Earlier, gates: Sequence[Gate], kind: type[Result], data: Mapping[str, Any]
) -> Baseline:
    """The limits of the policy and what gates look at, beside what they were."""
    _comparable(earlier, kind, data)
    found = [*_of_limits(kind, earlier.data, data)]
    for gate in gates:
        found += _of_gate(gate, kind, earlier.data, data)
    if not found:
        raise UsageError("baseline.nothing_to_compare", name=earlier.name)
    figures = tuple(sorted(found, key=lambda change: not change.worse))
    worse = sum(change.worse for change in figures)
    return Baseline(earlier.name, worse, figures, _settings_unlike(earlier.data, data) or None)


def _settings_unlike(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the settings that changed the verdict of one of two reports, and not alike that of the other."""
    then, here = (_settings_of(report) for report in (before, now))
    return tuple(name for name in dict.fromkeys((*then, *here)) if then.get(name) != here.get(name))


def _settings_of(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return what notices say by their setting; numbers of records change with the table."""
    notices = report.get("notices", ())
    return {
        one["setting"]: one["origin"] if one["setting"] in _OF_RECORDS else (one["value"], one["text"])
        for one in notices
    }


def _comparable(earlier: Earlier, kind: type[Result], data: Mapping[str, Any]) -> None:
    """Raise UsageError for a report of another sort, version or shape of the source."""
    if earlier.data.get("kind") != data.get("kind"):
        raise UsageError("baseline.not_a_report", name=earlier.name)
    if earlier.data.get("version") != data.get("version"):
        raise UsageError("baseline.version_differs", name=earlier.name)
    if kind.shape(earlier.data) != kind.shape(data):
        raise UsageError("baseline.columns_differ", name=earlier.name)


def _of_limits(kind: type[Result], before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    """The figures that a policy limits."""

    def figures(data: Mapping[str, Any]) -> dict[tuple[str | None, str], float | None]:
        return {
            (where, finding["name"]): finding["value"]
            for verdict, where in kind.verdicts(data)
            for finding in verdict["findings"]
        }

    earlier = figures(before)
    for (where, name), value in figures(now).items():
        then = earlier.get((where, name))
        if value is not None and then is not None:
            worse = value < then if name in MINIMA else value > then
            yield Change(name, where, then, value, worse)


def _of_gate(
    gate: Gate, kind: type[Result], before: Mapping[str, Any], now: Mapping[str, Any]
) -> Iterator[Change]:
    """The figures that a gate looks at: what its sign says is worse."""
    if gate.expression == POLICY:
        return
    for where, then, value in beyond(numbers(gate, before, kind), numbers(gate, now, kind)):
        yield Change(gate.path, where, then, value, value > then if gate.sign[0] == ">" else value < then)
