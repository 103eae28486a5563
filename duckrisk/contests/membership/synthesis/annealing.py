"""Searches a synthetic release that reaches the thresholds of PWS Cup 2020.

The searches are :mod:`swapping`, :mod:`genetic` and :mod:`redrawing` in this folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.files import atomic_write, check_target
from duckrisk.base.folders import create_staging_folder, remove_folder
from duckrisk.contests.common import run_facts
from duckrisk.contests.membership.options import DRAWS, ITERATIONS, SearchOptions
from duckrisk.contests.membership.records import load
from duckrisk.contests.membership.synthesis import generator, noise, trees
from duckrisk.contests.membership.synthesis.indices import (
    compare_histograms,
    compare_matrices,
    judge_indices,
    make_covariances,
)
from duckrisk.contests.membership.synthesis.methods import write_encoded
from duckrisk.contests.membership.synthesis.results import Annealed
from duckrisk.contests.membership.synthesis.search import (
    BEST,
    ORIGINAL,
    TEST,
    Callbacks,
    SearchSettings,
    SearchState,
)
from duckrisk.contests.membership.synthesis.swapping import Swapping
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.release.anonymization import Target as Output
from duckrisk.release.anonymization import output
from duckrisk.source import Request, refuse_overwriting_source

#: Version of the report; it rises when a key changes its meaning or goes (tests/report/shapes).
SCHEMA_VERSION = 1
#: Version of a saved state; it rises when the format changes (tests/membership/test_annealing.py).
STATE_VERSION = 1
#: Seconds between two saved states (a choice: little is lost, and writing takes a fraction of it).
_SAVE_INTERVAL = 10.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True)
class Annealing(SearchOptions):
    """How a release is searched for.

    Attributes:
        targets: The targets of the trees, as for the utility indices.
    """

    targets: tuple[trees.Target, ...] = ()

    def settings(self) -> SearchSettings:
        """Return the settings with all defaults."""
        guided = bool(self.guided)
        heat = 0.0005 if guided else 0.01
        return SearchSettings(
            method=self.method or "annealing",
            round="preliminary" if self.round == "preliminary" else "final",
            guided=guided,
            swap=self.swap if self.swap is not None else 10 if guided else 50,
            temperature=heat if self.temperature is None else self.temperature,
            cooling=0.9995 if self.cooling is None else self.cooling,
            seed=secrets.randbits(63) if self.seed is None else self.seed,
            bandwidth=1.0 if self.bandwidth is None else self.bandwidth,
            population=8 if self.population is None else self.population,
            attributes=self.attributes,
            targets=self.targets,
            match_marginals=bool(self.match_marginals),
        )


def anneal(
    original: Request,
    target: Output,
    options: Annealing | None = None,
    test: Request | None = None,
    state: Path | None = None,
    resume: Path | None = None,
    resources: Resources | None = None,
    progress: ProgressCallback | None = None,
    candidates: Request | None = None,
) -> Annealed:
    """Search for a release of a table that reaches all thresholds of a round.

    An interrupt ends the search with the best table so far, a second one ends it at once.

    Args:
        original: The table.
        target: The file that is written.
        options: How the release is searched for.
        test: Records that trees predict; without them or scikit-learn, trees do not count.
        state: The file that the search is saved to.
        resume: A saved state, from which the search continues with its own settings.
        resources: The limits of the engine.
        progress: Receives the progress.
        candidates: Records in which an attacker looks for those of the table, for the method noise.

    Returns:
        The cost and the indices of the release, and how the search went.

    Raises:
        UsageError: The options or files do not go together.
        SourceError: A table or the state cannot be used.
        OutputError: A file cannot be written.
    """
    options = options or Annealing()
    options.check()
    output.check_output(target, original)
    sources = [original, *([test] if test is not None else [])]
    if test is not None:
        refuse_overwriting_source(target.path, test)
    if options.method == "noise":
        if state is not None or resume is not None:
            raise UsageError(
                "membership.searches_with_noise", flag="--resume" if state is None else "--state"
            )
        tables = noise.NoiseTables(original, test, candidates)
        return noise.search(tables, target, options, options.targets, resources, progress)
    if candidates is not None:
        raise UsageError("membership.noise_without_noise", flag="--candidates")
    state = state or resume
    _check_files(target.path, state, resume, sources)
    if resume is not None and replace(options, iterations=None) != Annealing():
        raise UsageError("membership.options_with_resume")
    with ExitStack() as stack:
        file = stack.enter_context(atomic_write(target.path, private=False)).absolute()
        saved = stack.enter_context(_open_state(state)) if state is not None else None
        session = stack.enter_context(Session(resources, progress))
        stopped = stack.enter_context(_catch_signals())
        run = _Run(session, original, test, file, state, saved, resume, options)
        run.callbacks.stopped = lambda: bool(stopped)
        run.callbacks.line = getattr(progress, "line", None)
        run.search.run()
        return run.finish(target.path, file, stopped[0] if stopped else None)


def _check_files(path: Path, state: Path | None, resume: Path | None, sources: Sequence[Request]) -> None:
    if resume is not None and not resume.is_file():
        raise UsageError("membership.state_not_found", resume=resume)
    if state is None:
        return
    check_target(state)
    if state.absolute() == path.absolute():
        raise UsageError("membership.state_is_release")
    for source in sources:
        refuse_overwriting_source(state, source)
    if state != resume and state.exists():
        raise UsageError("membership.state_exists", state=state)


@contextmanager
def _open_state(state: Path) -> Iterator[Path]:
    """Open the file that is written before each renaming to the state."""
    folder = create_staging_folder(state)
    try:
        yield folder / "made"
    finally:
        remove_folder(folder)


@contextmanager
def _catch_signals() -> Iterator[list[int]]:
    """Collect the signals that arrive; the second one has its usual effect."""
    arrived: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield arrived
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def handle(number: int, frame: Any) -> None:
        arrived.append(number)
        handler = before[signal.Signals(number)]
        if len(arrived) > 1 and callable(handler):
            handler(number, frame)

    caught = [number for number, handler in before.items() if callable(handler)]
    try:
        for number in caught:
            signal.signal(number, handle)
        yield arrived
    finally:
        for number in caught:
            signal.signal(number, before[number])


class _Run:
    """One search with its session, from the sources to the release."""

    def __init__(
        self,
        session: Session,
        original: Request,
        test: Request | None,
        file: Path,
        state: Path | None,
        saved: Path | None,
        resume: Path | None,
        options: Annealing,
    ) -> None:
        self.session, self.state_file, self._saved, self._last = session, state, saved, time.monotonic()
        self.callbacks = Callbacks(save=self._save_often if state is not None else None)
        requests = {ORIGINAL: original, **({TEST: test} if test is not None else {})}
        files = [file, *([saved] if saved is not None else []), *([resume.absolute()] if resume else [])]
        facts = None
        settings = options.settings()
        if resume is not None:
            facts = _read_state(resume)
            settings = SearchSettings.from_facts(facts["plan"])
        session.steps.plan("source", "search")
        self.encoding = load(session, requests, files, settings.attributes, [ORIGINAL])
        session.steps.begin("search")
        self.model = generator.learn(session, self.encoding, ORIGINAL)
        if not self.model.components:
            raise SourceError("membership.columns_constant")
        targets = [
            target
            for target in trees.check_targets(session, self.encoding, settings.targets, ORIGINAL)
            if target.judged
        ]
        self.reason = trees.explain_absence(test is not None, targets)
        if test is not None and not self.encoding.tables[TEST].records:
            raise UsageError("membership.no_test_records", name=self.encoding.tables[TEST].name)
        usual = DRAWS if settings.method == "redraw" else ITERATIONS
        most = usual if options.iterations is None else options.iterations
        search = _find_search(settings)
        self.targets = targets if self.reason is None else []
        self.search = search(session, self.encoding, self.model, settings, most, self.callbacks, self.targets)
        self.mark = self._fingerprint()
        if facts is not None and resume is not None:
            self._restore(facts, resume)
        self.search.begin(facts is not None)

    def _fingerprint(self) -> str:
        """Return what a state must fit: the sums of the original and the trees."""
        text = [
            self.search.original.tobytes().hex(),
            *(attribute.name for attribute in self.encoding.attributes),
        ]
        text += [str(asdict(target)) for target in self.targets]
        if self.targets:
            text.append(str(self.encoding.tables[TEST].records))
        return hashlib.sha256("\n".join(text).encode()).hexdigest()

    # --- the state -----------------------------------------------------------------------------

    def _restore(self, facts: dict[str, Any], resume: Path) -> None:
        """Continue with the tables of a saved state; refuse that of another table."""
        if facts["mark"] != self.mark:
            raise UsageError("membership.state_of_other_search", resume=resume)
        for index, name in enumerate(self.search.tables):
            restored = f"{name}_found"
            self.session.run(
                "state_records",
                name=restored,
                table_index=index,
                columns=self.search.columns,
                path=str(resume.absolute()),
            )
            self.search.restore(name, restored)
        self.search.state = SearchState(**facts["standing"])

    def _save_often(self) -> None:
        if time.monotonic() - self._last >= _SAVE_INTERVAL:
            self.save()

    def save(self) -> None:
        """Write the state to a file of its own and rename it."""
        if self.state_file is None or self._saved is None:
            return
        facts = {
            "version": STATE_VERSION,
            "plan": self.search.settings.facts(),
            "standing": asdict(self.search.state),
            "mark": self.mark,
        }
        os.close(os.open(self._saved, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
        with output.name_output_in_errors(self.session, self.state_file):
            self.session.run(
                "write_state",
                tables=list(self.search.tables),
                columns=self.search.columns,
                facts=json.dumps(facts),
                path=str(self._saved),
                group_bytes=self.session.group_bytes,
            )
        self._saved.chmod(0o600)
        self._saved.replace(self.state_file)
        self._last = time.monotonic()

    # --- the end -------------------------------------------------------------------------------

    def finish(self, path: Path, file: Path, interrupted: int | None) -> Annealed:
        """Measure the best table from its records, and write it.

        Args:
            path: The file that the user named.
            file: The file that is written.
            interrupted: The signal that ended the search; None for none.
        """
        session, state = self.session, self.search.ended or self.search.state
        self.save()
        original = self.encoding.tables[ORIGINAL]
        released = replace(original, table=BEST, name=path.name, records=self.model.records)
        encoding = replace(self.encoding, tables={**self.encoding.tables, BEST: released})
        measured = trees.Trees(session, encoding, self.targets, ORIGINAL, TEST) if self.targets else None
        expected, measured_matrix = (make_covariances(session, encoding, t) for t in (ORIGINAL, BEST))
        covariance, correlation = compare_matrices(session, encoding, expected, measured_matrix)
        figures = judge_indices(
            compare_histograms(session, encoding, ORIGINAL, BEST),
            covariance,
            correlation,
            measured.measure(BEST) if measured is not None else None,
            self.reason,
        )
        write_encoded(session, encoding, self.model, BEST, path, file)
        settings = self.search.settings
        return Annealed(
            release=str(path),
            records=self.model.records,
            method=settings.method,
            round=settings.round,
            start=state.start,
            cost=state.best,
            iterations=state.iteration,
            kept=state.kept,
            measured=state.measured,
            indices=figures,
            interrupted=interrupted,
            state=None if self.state_file is None else str(self.state_file),
            notes=() if encoding.contest else (*original.source.notes, *original.source.timezone_notes),
            **run_facts(session),
            seconds=state.seconds,
        )


def _find_search(settings: SearchSettings) -> Any:
    """Return the class of the search."""
    if settings.method == "genetic":
        from duckrisk.contests.membership.synthesis.genetic import Genetic

        return Genetic
    if settings.method == "redraw":
        from duckrisk.contests.membership.synthesis.redrawing import Redrawing

        return Redrawing
    return Swapping


def _read_state(resume: Path) -> dict[str, Any]:
    """Return the facts of a saved state; refuse any other file."""
    with Session() as session:
        session.lock([str(resume.absolute())])
        rows = session.run("state_facts", path=str(resume.absolute()))
    try:
        facts = json.loads(rows[0]["facts"]) if len(rows) == 1 else None
        if facts is None or facts["version"] != STATE_VERSION:
            raise ValueError
        SearchSettings.from_facts(facts["plan"])
        SearchState(**facts["standing"])
    except (ValueError, KeyError, TypeError):
        raise SourceError("membership.not_a_state", resume=resume) from None
    return dict(facts)
