"""The state of the page with its history, and the jobs that show it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from duckrisk.base.errors import DuckriskError, UsageError
from duckrisk.base.folders import remove_all_folders
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.engine.session import Resources
from duckrisk.engine.steps import ProgressCallback
from duckrisk.page.bench import Bench, Figures, Found
from duckrisk.page.desk import Desk, Failed, Job
from duckrisk.page.export import Exported, export
from duckrisk.page.levels import ColumnLevels
from duckrisk.page.settings import Given
from duckrisk.page.state import OFFERED_ROLES, History, Policy, State, Way, describe_form, describe_k
from duckrisk.release.advice.results import Advice
from duckrisk.source.choices import TableChoice

#: Names of the policies that the page offers.
POLICIES: tuple[Policy, ...] = ("public", "shared", "internal")
#: Classes of fewer people that the page offers to delete.
BELOW = (0, 3, 5, 11)
#: Sizes of classes that the page offers to make; 0 makes none (a choice: those that policies ask for).
KS = (0, 2, 3, 5, 11, 20)
#: Figures come in stages (derived: a sample of a large table, the classes, the detail, the facts).
STAGES = 4
#: Seconds that a move waits for its figures, so that most answers hold them (a choice: no wait until then).
_WAIT = 0.8


class Board:
    """One source, its decisions, and what is known of them. All methods may be called from any thread.

    Args:
        given: What the page was opened with.
        resources: Memory, threads and files of the sessions.
    """

    def __init__(self, given: Given, resources: Resources) -> None:
        self.bench = Bench(given, resources)
        self.desk = Desk(self._list_jobs)
        self.bench.progress = self.desk.report
        self.history = History.begin(State())
        #: Counts the moves; a form of an older count was not made for the present state.
        self.count = 0
        #: The tables of a source with several, and the one that was chosen.
        self.tables: tuple[TableChoice, ...] = ()
        self.chosen: TableChoice | None = None
        self._wants_advice: set[Any] = set()
        self._wants_export: set[State] = set()
        #: Who holds it sees one state, and moves nothing that another one moved meanwhile. The worker of the
        #: desk takes it never: jobs are listed with the lock of the desk.
        self.lock = threading.RLock()

    @property
    def opening(self) -> Given:
        """What the page was opened with, and the table that was chosen."""
        return self.bench.given

    @property
    def state(self) -> State:
        """The present state."""
        return self.history.state

    def open_source(self, progress: ProgressCallback | None) -> None:
        """Open the source, before anybody is served.

        Args:
            progress: Called with the steps of the job; None for none.

        Raises:
            DuckriskError: The source cannot be opened, and has no tables to choose from.
        """
        if progress is not None:
            self.bench.progress = progress
        try:
            self.bench.open_source()
        except DuckriskError:
            content = self.opening.content.get("source", {})
            if self.opening.table is not None or "query" in content:
                raise
            self.tables = self.bench.list_tables()
            if len(self.tables) < 2:
                raise
        self.bench.progress = self.desk.report

    def close(self) -> None:
        """End all jobs, and leave nothing."""
        is_ended = self.desk.close()
        self.bench.close()
        if not is_ended:  # what runs has folders of its own
            remove_all_folders()

    # --- jobs ------------------------------------------------------------------------------------

    def _list_jobs(self) -> Sequence[Job]:
        """List what the present state needs, the most urgent first."""
        state, bench = self.state, self.bench
        if self.is_choosing:
            return []
        found = Job("found", "found", bench.find)
        if not isinstance(self.desk.find("found"), Found):
            return [found]
        jobs = [found]
        if state.way is None:
            previous: Figures | None = None
            for stage in range(STAGES):
                key = _figures_key(state, stage)
                jobs.append(Job(key, "figures", partial(bench.measure, state, previous)))
                result = self.desk.find(key)
                if not isinstance(result, Figures) or result.is_complete:
                    break
                previous = result
        judge = bench.judge_release if state.is_treated else bench.assess
        jobs.append(
            Job(_verdict_key(state), "release" if state.is_treated else "verdict", partial(judge, state))
        )
        if state.is_treated:
            before = _without_treatment(state)
            jobs.append(Job(_verdict_key(before), "verdict", partial(bench.assess, before)))
        if _advice_key(state) in self._wants_advice:
            jobs.append(Job(_advice_key(state), "advice", partial(bench.advise, state)))
        if state in self._wants_export:
            jobs.append(Job(_export_key(state), "export", partial(export, bench, state)))
        return jobs

    @property
    def is_choosing(self) -> bool:
        """Whether a person has to choose one of several tables."""
        return bool(self.tables) and (self.chosen is None or isinstance(self.desk.find("found"), Failed))

    @property
    def content(self) -> Found | Failed | None:
        """What the source holds."""
        result: Found | Failed | None = self.desk.find("found")
        return result

    @property
    def columns(self) -> tuple[ColumnLevels, ...]:
        """The columns with their levels; () before the source is open."""
        return self._list_levels(self.state)

    def _list_levels(self, state: State) -> tuple[ColumnLevels, ...]:
        """List the levels of the columns under the roles of a state."""
        found = self.content
        if not isinstance(found, Found):
            return ()
        user = self._find_user(state)
        columns = []
        for decision, column in zip(found.roles.decisions, found.levels, strict=True):
            declared = state.find_role(column.column)
            if column.column == user:
                column = column.reduce_to_user()
            elif declared == "identifier" or (not declared and decision.role == "direct_identifier"):
                column = column.add_pseudonyms()
            columns.append(column)
        return tuple(columns)

    def _find_user(self, state: State) -> str | None:
        user = self.content.roles.user if isinstance(self.content, Found) else None
        return state.find_user(user.name if user is not None else None)

    @property
    def verdict(self) -> Any:
        """The verdict on the present state, or why there is none."""
        return self.desk.find(_verdict_key(self.state))

    @property
    def verdict_before(self) -> Any:
        """The verdict on the table as it is, under the roles and the policy of the state."""
        return self.desk.find(_verdict_key(_without_treatment(self.state)))

    @property
    def figures(self) -> Figures | Failed | None:
        """The figures of the present state up to now, or why one was not measured."""
        results = [self.desk.find(_figures_key(self.state, stage)) for stage in range(STAGES)]
        known: list[Figures | Failed] = [result for result in results if result is not None]
        return known[-1] if known else None

    @property
    def advice(self) -> Advice | Failed | None:
        """The releases that keep the policy."""
        result: Advice | Failed | None = self.desk.find(_advice_key(self.state))
        return result

    @property
    def is_advice_wanted(self) -> bool:
        """Whether somebody asked for the releases, and they can still come."""
        return _advice_key(self.state) in self._wants_advice and not isinstance(self.advice, Failed)

    @property
    def exported(self) -> Exported | Failed | None:
        """The files of the present state."""
        result: Exported | Failed | None = self.desk.find(_export_key(self.state))
        return result

    @property
    def is_export_wanted(self) -> bool:
        """Whether somebody asked for the files, and they can still come."""
        return self.state in self._wants_export and not isinstance(self.exported, Failed)

    def find_file(self, name: str) -> Path | None:
        """Return a file of the export by its name; None if there is none of it."""
        exported = self.exported
        return exported.files.get(name) if isinstance(exported, Exported) else None

    def choose_table(self, index: int) -> None:
        """Choose one of the tables; it is opened."""
        if not (self.is_choosing and 0 <= index < len(self.tables)):
            raise UsageError("page.unknown_choice")
        with self.lock:
            choice = self.chosen = self.tables[index]
            self.bench.choose(replace(self.opening, source=choice.source, table=choice.table))
            self.desk.forget("found")
            self.count += 1

    # --- moves -----------------------------------------------------------------------------------

    def declare(self, position: int, role: str) -> None:
        """Declare the role of a column."""
        column = self._column(position)
        if role not in OFFERED_ROLES:
            raise UsageError("page.unknown_choice")
        name = Sentence(f"page.role.{role or 'found'}")

        def change(state: State) -> State:
            declared = state.declare(column.column, role)
            return declared.restrict_forms({one.column: one.forms for one in self._list_levels(declared)})

        self._move(
            change,
            Sentence("page.move.role", column=Data(column.column), role=name),
        )

    def choose_policy(self, name: str) -> None:
        """Choose who gets the table."""
        policy = next((policy for policy in POLICIES if policy == name), None)
        if policy is None:
            raise UsageError("page.unknown_choice")
        self._move(
            lambda state: replace(state, policy=policy, way=None),
            Sentence("page.move.policy", policy=Sentence(f"policy.name.{policy}")),
        )

    def publish(self, position: int, index: int) -> None:
        """Publish a column in the form of an index of its levels."""
        column = self._column(position)
        if not 0 <= index < len(column.forms):
            raise UsageError("page.unknown_choice")
        form = column.forms[index]
        self._move(lambda state: state.publish(column.column, form), describe_form(column.column, form))

    def delete_below(self, below: int) -> None:
        """Delete classes of fewer people."""
        if below not in BELOW:
            raise UsageError("page.unknown_choice")
        text = Sentence("page.move.below", people=f"{below}") if below else Sentence("page.move.below.none")
        self._move(lambda state: replace(state, below=below, way=None), text)

    def make_classes(self, k: int) -> None:
        """Make classes of at least k people."""
        if k not in KS:
            raise UsageError("page.unknown_choice")
        self._move(lambda state: replace(state, k=k, way=None), describe_k(k))

    def take_way(self, index: int) -> None:
        """Take a release that advice found."""
        advice = self.advice
        if not isinstance(advice, Advice) or not 0 < index < len(advice.lines):
            raise UsageError("page.unknown_choice")
        step = advice.lines[index].step
        way = Way(str(step.method), int(step.below or 0))
        method = Sentence(f"advice.method.{step.method}")
        self._move(lambda state: state.take(way), Sentence("page.move.way", method=method, k=f"{way.k}"))

    def undo(self) -> None:
        """Take the last move back."""
        with self.lock:
            self.history = self.history.undo()
            self.count += 1

    def want_advice(self) -> None:
        """Ask for the releases that keep the policy."""
        self._wants_advice.add(_advice_key(self.state))
        self._forget_failed(_advice_key(self.state))

    def want_export(self) -> None:
        """Ask for the files of the present state."""
        self._wants_export.add(self.state)
        self._forget_failed(_export_key(self.state))

    def resume(self) -> None:
        """Do again what was cancelled or failed."""
        state = self.state
        self._forget_failed(
            "found",
            *(_figures_key(state, stage) for stage in range(STAGES)),
            *(_verdict_key(state), _verdict_key(_without_treatment(state))),
            *(_advice_key(state), _export_key(state)),
        )

    def _forget_failed(self, *keys: Any) -> None:
        for key in keys:
            if isinstance(self.desk.find(key), Failed):
                self.desk.forget(key)

    def _column(self, position: int) -> ColumnLevels:
        columns = self.columns
        if not 0 <= position < len(columns):
            raise UsageError("page.unknown_choice")
        return columns[position]

    def _move(self, change: Any, text: Text) -> None:
        with self.lock:
            self.history = self.history.move(change(self.state), text)
            self.count += 1

    def update(self) -> None:
        """Do what the state needs after a move, and wait a moment for the first figures."""
        state = self.state
        self.desk.update()
        self.desk.wait(_figures_key(state, 0) if state.way is None else _verdict_key(state), _WAIT)


def _without_treatment(state: State) -> State:
    return State(state.roles, state.policy)


def _figures_key(state: State, stage: int) -> Any:
    return "figures", stage, state.roles, state.policy, state.forms


def _verdict_key(state: State) -> Any:
    return "verdict", state


def _advice_key(state: State) -> Any:
    return "advice", state.roles, state.policy


def _export_key(state: State) -> Any:
    return "export", state
