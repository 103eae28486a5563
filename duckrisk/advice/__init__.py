"""What to change first: single steps that lower the risk most for the least loss, one after the other.

A *treatment* says in which form each attribute is published: as it is, coarser, or not at all. From the
table as it is, the step that lowers the value of a leak most for each part of the information that it costs
is taken, and again from there: a frontier of treatments that a person can read.
"""

from __future__ import annotations

import dataclasses
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import duckrisk
from duckrisk import identifiability, roles
from duckrisk.advice import steps
from duckrisk.advice.steps import Treatment, columns
from duckrisk.errors import UsageError, nearest
from duckrisk.gates import Gate, parse_gate
from duckrisk.hierarchies import Definition, Hierarchy
from duckrisk.identifiability import Levelled, Run
from duckrisk.session import ASSESSED, Resources, Session
from duckrisk.source import Request, open_source
from duckrisk.templates import Attribute

__all__ = ["Advice", "Options", "run"]

#: The numbers of an assessment that a target can be about: the lower the better. Steps are chosen by the
#: first: the others stay where they are as long as somebody can be singled out somehow.
RISKS = ("total_value", "singled_out_share", "singled_out", "total_ease")


@dataclass(frozen=True)
class Options:
    """``target`` ends the steps once it holds, such as ``identifiability.singled_out_share < 0.01``.
    ``steps`` are the most that are taken, ``time_limit`` the seconds after which nothing more is tried."""

    target: str | None = None
    steps: int = 20
    time_limit: float | None = None

    def check(self) -> Gate | None:
        """The target; raises UsageError for what cannot be reached for."""
        if self.steps < 1:
            raise UsageError(f"--steps {self.steps} takes no step; write 1 or more.")
        if self.time_limit is not None and not self.time_limit > 0:
            raise UsageError(f"--time-limit {self.time_limit:g} is no time; write seconds above 0.")
        if self.target is None:
            return None
        target = parse_gate(self.target)
        if target.section != "identifiability" or target.field not in RISKS:
            raise UsageError(
                f'"{self.target}" is not a target; advice can lower identifiability.'
                f"{nearest(target.field, list(RISKS))} (of {', '.join(RISKS)})."
            )
        if target.sign not in ("<", "<="):
            raise UsageError(f'The target "{self.target}" asks for more risk; write < or <=.')
        return target


@dataclass
class Advice:
    """The frontier: ``lines``, the table as it is first, each with the step that leads to it; whether the
    target was reached (None without one), and why the steps ended."""

    source: str
    records: int
    currency: str
    target: str | None
    reached: bool | None
    ended: str
    lines: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {"version": 1, "duckrisk": duckrisk.__version__, **dataclasses.asdict(self)}


def run(
    request: Request,
    wishes: roles.Wishes,
    levels: identifiability.Options,
    options: Options,
    resources: Resources,
    watch: Callable[[str, float | None], None] | None = None,
    hierarchies: Mapping[str, Definition] = MappingProxyType({}),
) -> Advice:
    """Advise on a source, whose columns become coarser by their ``hierarchies`` where they have one.
    Raises the errors of :mod:`duckrisk.errors`."""
    target = options.check()
    levels.check()
    started = time.monotonic()
    with Session(resources, watch) as session:
        source = open_source(session, request)
        found = roles.infer(session, source, wishes)
        chosen = identifiability.choose(source, found, levels)
        if chosen.problem is not None:
            raise UsageError(chosen.problem)
        tables = {
            column.position: definition.build(
                session, ASSESSED, column.binding, f"hierarchy_{column.position}", column.type, column.name
            )
            for name, definition in hierarchies.items()
            for column in [source.column(name)]
            if any(one.decision.column.position == column.position for one in chosen.searched)
        }
        search = _Frontier(session, found, levels, chosen.searched, chosen.others, tables)
        lines, ended = search.climb(target, options, started)
        given = isinstance(request.source, (str, os.PathLike))
        return Advice(
            source=os.fspath(request.source) if given else source.name,
            records=found.records,
            currency=levels.currency,
            target=options.target,
            reached=None if target is None else _holds(target, lines[-1]),
            ended=ended,
            lines=lines,
            notes=[*found.notes, *chosen.notes],
        )


class _Frontier:
    """Measures treatments of one source, and climbs from one to the next."""

    def __init__(
        self,
        session: Session,
        found: roles.Roles,
        levels: identifiability.Options,
        searched: list[Levelled],
        others: list[Levelled],
        hierarchies: Mapping[int, Hierarchy],
    ) -> None:
        self.session, self.roles, self.levels = session, found, levels
        self.all, self.count = [*searched, *others], len(searched)
        self.columns = columns(self.all, self.count, hierarchies)
        self.measured: dict[Treatment, dict[str, Any] | None] = {}
        bindings = [one.attribute.parts[0].column for one in searched]
        session.run("known_tuples", source=ASSESSED, columns=list(dict.fromkeys(bindings)))

    def climb(
        self, target: Gate | None, options: Options, started: float
    ) -> tuple[list[dict[str, Any]], str]:
        """The lines from the table as it is on, and why they end."""

        def late() -> bool:
            return options.time_limit is not None and time.monotonic() - started > options.time_limit

        treatment: Treatment = (0,) * len(self.columns)
        now = self.measure(treatment)
        if now is None:
            raise UsageError(
                "The attribute sets are too many to be searched in full; choose fewer attributes with "
                "--attribute, or lift the limit with --max-sets 0."
            )
        lines = [{"attribute": None, "form": None, "options": [], **now}]
        while True:
            if target is not None and _holds(target, now):
                return lines, "target"
            if now["total_value"] == 0:
                return lines, "no_risk"
            if len(lines) > options.steps:
                return lines, "steps"
            best: tuple[float, float, Treatment] | None = None
            for coarser in self.next_treatments(treatment):
                for other in coarser:
                    if late():
                        return lines, "time_limit"
                    after = self.measure(other)
                    if after is None or after["total_value"] >= now["total_value"]:
                        continue
                    gain = 1 - after["total_value"] / now["total_value"]
                    loss = now["information"] - after["information"]
                    worth = gain / loss if loss > 0 else math.inf
                    if best is None or (worth, gain) > best[:2]:
                        best = worth, gain, other
                    break
            if best is None:
                return lines, "no_step"
            before, treatment = treatment, best[2]
            (place,) = (p for p in range(len(before)) if before[p] != treatment[p])
            now = self.measured[treatment] or {}
            lines.append(
                {
                    "attribute": self.columns[place].name,
                    "form": self.columns[place].forms[treatment[place]].written,
                    "options": steps.options(self.columns, treatment),
                    **now,
                }
            )

    def next_treatments(self, treatment: Treatment) -> Iterator[list[Treatment]]:
        """One column coarser, or left out: what follows in a list is tried where what stands before does not
        lower the risk. Some column of those that sets are made of is always there."""
        for place, (column, number) in enumerate(zip(self.columns, treatment, strict=True)):
            last = len(column.forms) - 1
            for coarser in (range(number + 1, last), [last] if number < last else []):
                others = [(*treatment[:place], form, *treatment[place + 1 :]) for form in coarser]
                yield [other for other in others if self.searched(other)]

    def forms(self, treatment: Treatment) -> list[Attribute | None]:
        """What becomes of each attribute."""
        found: dict[int, Attribute | None] = {}
        for column, number in zip(self.columns, treatment, strict=True):
            found |= column.forms[number].attributes
        return [found[position] for position in range(len(self.all))]

    def searched(self, treatment: Treatment) -> bool:
        return any(form is not None for form in self.forms(treatment)[: self.count])

    def measure(self, treatment: Treatment) -> dict[str, Any] | None:
        """The risk of a treatment and the information that it leaves; None where a limit ended the search."""
        if treatment in self.measured:
            return self.measured[treatment]
        forms = self.forms(treatment)
        changed = [
            None if form is None else dataclasses.replace(one, attribute=form)
            for one, form in zip(self.all, forms, strict=True)
        ]
        kept = [one for one in changed[: self.count] if one is not None]
        others = [one for one in changed[self.count :] if one is not None]
        totals = Run(self.session, self.roles, self.levels, kept, others).totals()
        whole = [one.attribute for one in self.all[: self.count]]
        left = self.session.row(
            "information_of_forms",
            attributes=whole,
            forms=[form or one for form, one in zip(forms, whole, strict=False)],
            dropped=[position for position, form in enumerate(forms[: self.count]) if form is None],
        )
        self.measured[treatment] = (
            None
            if totals is None
            else {
                **{name: totals[name] for name in RISKS},
                "jo_total_value": totals["jo_total_value"],
                "information": left["information"],
            }
        )
        return self.measured[treatment]


def _holds(target: Gate, line: dict[str, Any]) -> bool:
    value = line[target.field]
    return bool(value < target.limit or (target.sign == "<=" and value == target.limit))
