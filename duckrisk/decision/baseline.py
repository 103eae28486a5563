"""Compare a report with an earlier one, and apply its gates."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from duckrisk.base.errors import UsageError
from duckrisk.base.files import read_text
from duckrisk.base.options import check_list
from duckrisk.base.options.policy import LIMITS, LimitName
from duckrisk.base.results import Baseline, Change, Result
from duckrisk.base.shapes import keys_of
from duckrisk.decision.gates import (
    POLICY,
    Gate,
    find_numbers,
    is_about_policy,
    judge,
    pair_numbers,
    parse_all,
)

_Report = TypeVar("_Report", bound=Result)
#: Settings whose notices count records.
_RECORD_SETTINGS = ("source.where", "source.query")


@dataclass(frozen=True)
class EarlierReport:
    """The data of an earlier report, and the name of its file."""

    name: str
    data: Mapping[str, Any]


def read_earlier_report(path: Path, kind: type[Result]) -> EarlierReport:
    """Read an earlier report from its JSON file.

    Args:
        path: The JSON file.
        kind: The class of the report that it is compared with.

    Raises:
        UsageError: The file cannot be read, or holds no report of this kind.
    """
    try:
        data = json.loads(read_text(path), parse_constant=_refuse_number)
    except OSError:
        raise UsageError("baseline.not_readable", name=path.name) from None
    except (ValueError, RecursionError):
        data = None
    needed = {name for name, field in keys_of(kind).items() if field.required and field.shape is kind}
    if not isinstance(data, dict) or not needed <= set(data):
        raise UsageError("baseline.not_a_report", name=path.name)
    return EarlierReport(path.name, data)


def _refuse_number(text: str) -> float:
    """Refuse NaN and infinities, which are not JSON."""
    raise ValueError(text)


def run_and_judge(
    work: Callable[[], _Report],
    fail_on: Iterable[str],
    kind: type[_Report],
    baseline: str | Path | None = None,
    unmeasured: Set[str] = frozenset(),
) -> _Report:
    """Run a job and apply gates to its report.

    The gates and the baseline are read before the job runs, so that a mistake in them costs no time.

    Args:
        work: Makes the report.
        fail_on: Expressions of gates, such as `tables.risk.people.singled_out > 0`.
        kind: The class of the report.
        baseline: Path of the JSON file of an earlier report; None for none.
        unmeasured: Keys of the report, and POLICY, that this run leaves empty.

    Returns:
        The report with its gates and its comparison with the baseline.

    Raises:
        UsageError: A gate or the baseline cannot be used.
    """
    judge = make_judge(fail_on, kind, baseline, unmeasured)
    return judge(work())


def make_judge(
    fail_on: Iterable[str], kind: type[_Report], baseline: Any, unmeasured: Set[str] = frozenset()
) -> Callable[[_Report], _Report]:
    """Read gates and a baseline now, and return a function that applies them.

    Args:
        fail_on: Expressions of gates.
        kind: The class of the report.
        baseline: Path of the JSON file of an earlier report; None for none.
        unmeasured: Keys of the report, and POLICY, that this run leaves empty: a gate on one is refused.

    Returns:
        A function that adds the gates, and the comparison with the baseline, to a report.

    Raises:
        UsageError: A gate or the baseline cannot be used.
    """
    gates = parse_all(check_list("fail_on", fail_on) or (), kind)
    for gate in gates:
        if is_about_policy(gate) and POLICY in unmeasured:
            raise UsageError("gates.run_without_policy", expression=gate.expression)
        for part in [step.name for step in gate.steps[:2] if step.name in unmeasured]:
            raise UsageError("gates.part_not_measured", expression=gate.expression, part=part)
    earlier = read_earlier_report(Path(baseline), kind) if baseline is not None else None
    check_baseline(gates, earlier)
    return lambda report: apply_gates(report, gates, earlier)


def check_baseline(gates: Sequence[Gate], earlier: EarlierReport | None) -> None:
    """Check that a baseline is given if a gate compares with one.

    Raises:
        UsageError: A gate needs a baseline and there is none.
    """
    for gate in gates:
        if gate.is_against_baseline and earlier is None:
            raise UsageError("baseline.baseline_missing", expression=gate.expression)


def apply_gates(report: _Report, gates: Sequence[Gate], earlier: EarlierReport | None = None) -> _Report:
    """Add the results of gates, and the changes since an earlier report, to a report.

    Args:
        report: The report.
        gates: The gates, read for this kind of report.
        earlier: The earlier report; None for none.

    Raises:
        UsageError: The number of a gate was not measured, or the reports cannot be compared.
    """
    if not gates and earlier is None:
        return report  # building its data may be costly
    kind, data = type(report), report.data
    changes: dict[str, Any] = {}
    if earlier is not None:
        try:
            changes["baseline"] = _compare(earlier, gates, kind, data)
        except (LookupError, TypeError, AttributeError):  # the file has keys of a report, not its values
            raise UsageError("baseline.not_a_report", name=earlier.name) from None
    before = earlier.data if earlier is not None else None
    results = tuple(judge(gate, data, kind, before) for gate in gates)
    if results:
        changes["gates"] = results
    return dataclasses.replace(report, **changes)  # type: ignore[type-var]


def _compare(
    earlier: EarlierReport, gates: Sequence[Gate], kind: type[Result], data: Mapping[str, Any]
) -> Baseline:
    """Compare limits of the policy and figures of gates with an earlier report."""
    _check_comparable(earlier, kind, data)
    changes = [*_compare_limits(kind, earlier.data, data)]
    for gate in gates:
        changes += _compare_gate(gate, kind, earlier.data, data)
    if not changes:
        raise UsageError("baseline.nothing_to_compare", name=earlier.name)
    figures = tuple(sorted(changes, key=lambda change: not change.worse))
    worse = sum(change.worse for change in figures)
    return Baseline(earlier.name, worse, figures, _list_changed_settings(earlier.data, data) or None)


def _list_changed_settings(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    """List the settings that affect the two verdicts in different ways."""
    old, new = (_list_settings(report) for report in (before, now))
    return tuple(name for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name))


def _list_settings(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return what notices say by setting, without the numbers of records.

    These numbers change with the table, not with the settings.
    """
    notices = report.get("notices", ())
    return {
        notice["setting"]: notice["origin"]
        if notice["setting"] in _RECORD_SETTINGS
        else (notice["value"], notice["text"])
        for notice in notices
    }


def _check_comparable(earlier: EarlierReport, kind: type[Result], data: Mapping[str, Any]) -> None:
    """Check that two reports have the same kind, version and shape of the source.

    Raises:
        UsageError: They differ in one of these.
    """
    if earlier.data.get("kind") != data.get("kind"):
        raise UsageError("baseline.not_a_report", name=earlier.name)
    if earlier.data.get("version") != data.get("version"):
        raise UsageError("baseline.version_differs", name=earlier.name)
    if kind.comparable_part(earlier.data) != kind.comparable_part(data):
        raise UsageError("baseline.columns_differ", name=earlier.name)


def _compare_limits(
    kind: type[Result], before: Mapping[str, Any], now: Mapping[str, Any]
) -> Iterator[Change]:
    """Yield the changes of the figures that a policy limits."""

    def figures(data: Mapping[str, Any]) -> dict[tuple[str | None, LimitName], float | None]:
        return {
            (where, finding["name"]): finding["value"]
            for verdict, where in kind.verdicts(data)
            for finding in verdict["findings"]
        }

    earlier = figures(before)
    for (where, name), value in figures(now).items():
        then = earlier.get((where, name))
        if value is not None and then is not None:
            worse = not LIMITS[name].is_kept_by(value, then)
            yield Change(name, where, then, value, worse)


def _compare_gate(
    gate: Gate, kind: type[Result], before: Mapping[str, Any], now: Mapping[str, Any]
) -> Iterator[Change]:
    """Yield the changes of the figures of a gate; its sign decides what is worse."""
    if gate.expression == POLICY:
        return
    for where, then, value in pair_numbers(find_numbers(gate, before, kind), find_numbers(gate, now, kind)):
        yield Change(gate.path, where, then, value, value > then if gate.sign[0] == ">" else value < then)
