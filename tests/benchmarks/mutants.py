"""Whether the tests hold the SQL: single changes of its statements, each tried with the tests that render it.

    DUCKRISK_RECORD=MAP pytest tests/attribute tests/disclosure ...
    python tests/benchmarks/mutants.py MAP [--draw 300] [--seed N] [--only WORD ...] [--names NAME ...]
        [--tests 1000] [--seconds 60] [--wait 240] [--jobs 2] [--minutes 60] [--least SHARE]

MAP is a folder outside of the project. A run of the tests with DUCKRISK_RECORD (tests/conftest.py) writes
into it which statements each test renders and how long it takes. Then changes (tests/benchmarks/changes.py)
are drawn over all statements, and those are tried whose topic, file or statement is one of --only: each in a
forked process with the tests that render its statement, first those of its file and its room, the quickest
first, until one fails, or until so many tests or CPU seconds are spent. If time is left, the properties among
them run again with ten times the examples. A failed test counts only if it passes on the unchanged text.

Printed are the changes that survived, the seed, and how many were killed (a test failed), late (a test used
too much CPU time), slow (the machine gave it too little of that in --wait seconds), broken (the template or
the engine cannot read it; another one is drawn), and untested (no recorded test renders it). Killed and late
are noticed. Without --seed the draw is another one whenever the SQL changes, and only then. With --least it
also fails where less than half of --draw were tried in --minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import random
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import jinja2
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings

from duckrisk.engine import session, templates
from tests import tables
from tests.benchmarks.changes import Change, changes
from tests.conftest import CORES

ROOT = Path(__file__).resolve().parents[2]
#: Tests that compare the text with itself elsewhere, or look at time, memory, signals, packages.
LEFT_OUT = (
    "test_shell.py", "test_sql_files.py", "test_sql_log.py", "test_contributing.py", "test_house.py",
    "test_packaging.py", "test_memory.py", "test_costs.py", "test_killed.py", "test_loop.py",
    "test_notebook.py", "test_time_limit.py", "test_progress.py", "test_render_html.py",
)  # fmt: skip
#: What the engine says of a statement that it cannot read.
UNREADABLE = (
    duckdb.ParserException,
    duckdb.SyntaxException,
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.NotImplementedException,
)
#: How many times the examples a property draws in the second round.
MORE_EXAMPLES = 10
#: Statements; what renders more of them than a step and its expressions is a test of a whole part.
FEW_STATEMENTS = 6
MEMORY_BYTES = 8_000_000_000
FILE_BYTES = 2_000_000_000


@dataclass(frozen=True)
class Known:
    """What the map says of a test."""

    seconds: float
    statements: frozenset[str]


def read_map(folder: Path) -> dict[str, Known]:
    """Read what all processes that ran tests recorded, a newer file over an older one."""
    files = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    if not files:
        raise SystemExit(f"{folder} holds no recorded tests: run DUCKRISK_RECORD={folder} pytest first")
    return {
        test: Known(seconds, frozenset(statements))
        for path in files
        for test, (seconds, statements) in json.loads(path.read_text(encoding="utf-8")).items()
        if Path(test.split("::")[0]).name not in LEFT_OUT
    }


def write_map(folder: Path, tests: dict[str, Known]) -> None:
    entries = {test: [round(known.seconds, 3), sorted(known.statements)] for test, known in tests.items()}
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')}-{os.getpid()}.json"
    (folder / name).write_text(json.dumps(entries), encoding="utf-8")


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of those it waited for."""
    return sum(os.times()[:4])


# --- recording ---------------------------------------------------------------------------------


class Recorder:
    """Record which statements each test renders, itself or by its fixtures and by cached functions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tests: dict[str, Known] = {}
        self._rendered: list[set[str]] = [set()]
        self._fixtures: dict[Any, tuple[set[str], float]] = {}
        self._passed = True

    def watch(self) -> None:
        """From now on, and before the tests are imported."""
        real, recorder = jinja2.Environment.get_template, self

        def get_template(self: jinja2.Environment, name: Any, *given: Any, **named: Any) -> jinja2.Template:
            recorder._rendered[-1].add(str(name))
            return real(self, name, *given, **named)

        jinja2.Environment.get_template = get_template  # type: ignore[method-assign]
        functools.cache = self._cache  # type: ignore[assignment]

    def _cache(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that keeps its results, and what was rendered for them."""
        kept: dict[Any, tuple[Any, set[str]]] = {}

        @functools.wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            key = (given, tuple(sorted(named.items())))
            if key not in kept:
                self._rendered.append(set())
                try:
                    result = function(*given, **named)
                finally:
                    rendered = self._rendered.pop()
                kept[key] = (result, rendered)
            result, rendered = kept[key]
            self._rendered[-1] |= rendered
            return result

        return call

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        self._rendered.append(set())
        started = cpu_seconds()
        try:
            return (yield)
        finally:
            rendered = self._rendered.pop()
            self._fixtures[fixturedef] = (rendered, cpu_seconds() - started)
            self._rendered[-1] |= rendered

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        self._rendered, self._passed = [set()], True
        before = set(self._fixtures)
        started = cpu_seconds()
        result = yield
        seconds, rendered = cpu_seconds() - started, set(self._rendered[0])
        for definitions in item._fixtureinfo.name2fixturedefs.values():
            for definition in definitions:
                names, took = self._fixtures.get(definition, (set(), 0.0))
                rendered |= names
                seconds += took if definition in before and definition.scope != "function" else 0.0
        if self._passed and rendered:
            self.tests[item.nodeid] = Known(seconds, frozenset(rendered))
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._passed &= report.passed

    def pytest_sessionfinish(self) -> None:
        if self.tests:
            write_map(self.folder, self.tests)


def run_pytest(paths: list[str], plugin: object) -> None:
    """Tests with one process, examples drawn the same each time and never shrunk."""
    settings.register_profile(
        "mutants", database=None, derandomize=True, phases=(Phase.explicit, Phase.generate), print_blob=False
    )
    settings.load_profile("mutants")
    os.environ.setdefault(CORES, "1")  # as where the tests were recorded: changes tried together share them
    options = ["-n", "0", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
    with mock.patch.object(tables, "thinned", lambda cases, every=1: list(cases)):  # the map may have all
        pytest.main([*options, *paths], plugins=[plugin])


# --- trying ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mutant:
    """One change of a statement."""

    statement: str
    change: Change

    @property
    def name(self) -> str:
        return f"{self.statement}:{self.change.start}:{self.change.after}"

    @property
    def words(self) -> tuple[str, str, str]:
        """The topic, the file and the statement."""
        home = templates.algorithm_of(self.statement)
        assert home is not None
        return home.topic, home.name, self.statement

    def texts(self) -> tuple[str, str]:
        """The statement before and after."""
        before = templates.template_of(self.statement).text
        return before, self.change.apply(before)

    def show(self) -> str:
        """The lines that differ."""
        before, after = self.texts()
        start = before.rfind("\n", 0, self.change.start) + 1
        old, new = before[start:], after[start:]
        while old and new and old[-1] == new[-1]:
            old, new = old[:-1], new[:-1]
        tail = before[start + len(old) :].split("\n")[0]
        home = templates.algorithm_of(self.statement)
        assert home is not None
        lines = [f"  {home.topic}/{home.name}: {self.name}"]
        lines += [f"    - {line.strip()}" for line in (old + tail).split("\n")]
        lines += [f"    + {line.strip()}" for line in (new + tail).split("\n")]
        return "\n".join(lines)


def draw(seed: int, only: list[str]) -> Iterator[Mutant]:
    """Draw all places that can be changed, each with one of its changes; of these those asked for."""
    chance = random.Random(seed)
    places = [(name, place) for name, one in templates.catalogue().items() for place in changes(one.text)]
    chance.shuffle(places)
    equal = read_equal_changes()
    for name, place in places:
        mutant = Mutant(name, chance.choice(place))
        if mutant.name not in equal and (not only or set(mutant.words) & set(only)):
            yield mutant


def read_equal_changes() -> set[str]:
    """Return the names of the changes that are known to change no result."""
    lines = Path(__file__).with_name("equal_changes.txt").read_text(encoding="utf-8").splitlines()
    return {line.split(" | ")[0] for line in lines if line and not line.startswith("#")}


def seed_of_sql() -> int:
    """Return a seed that changes with the SQL, and with nothing else."""
    texts = "\0".join(f"{name}\0{one.text}" for name, one in sorted(templates.catalogue().items()))
    return zlib.crc32(texts.encode())


@dataclass(frozen=True)
class Outcome:
    """How a mutant fared: killed, survived, broken, late, slow or untested; the test that said so."""

    word: str
    test: str = ""
    examples: int = 1
    tests: int = 0
    seconds: float = 0.0


class Trials:
    """Tries mutants in processes forked from this one, which has all tests imported."""

    def __init__(self, known: dict[str, Known], mutants: list[Mutant], given: argparse.Namespace) -> None:
        self.known, self.mutants, self.given = known, mutants, given
        self.outcomes: list[tuple[Mutant, Outcome]] = []
        self._sound: dict[tuple[str, int], bool] = {}
        self._killers: defaultdict[str, set[str]] = defaultdict(set)
        self._scratch = Path(tempfile.mkdtemp(prefix="mutants-"))

    def pytest_runtestloop(self, session: Any) -> bool:
        # A browser cannot be kept within the memory that a change has.
        items = {item.nodeid: item for item in session.items if "browser" not in item.fixturenames}
        workers = []
        sys.stdout.flush()
        for worker in range(self.given.jobs):
            reading, writing = os.pipe()
            child = os.fork()
            if not child:
                os.close(reading)
                self._work(worker, items, writing)
            os.close(writing)
            workers.append((child, reading))
        try:
            self._collect({reading for _, reading in workers})
        finally:
            codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child, _ in workers]
            shutil.rmtree(self._scratch, ignore_errors=True)
        if any(codes):
            raise SystemExit(f"a worker ended early: {codes}")
        return True

    def _work(self, worker: int, items: dict[str, Any], writing: int) -> None:
        """Try every jobs-th mutant until this worker's part of the draw is done, then exit."""
        code = 1
        try:
            self._scratch /= str(worker)
            wanted = len(range(worker, self.given.draw, self.given.jobs))
            for number in range(worker, len(self.mutants), self.given.jobs):
                if not wanted or time.time() > self.given.until:
                    break
                outcome = self._attempt(self.mutants[number], items)
                wanted -= outcome.word != "broken"
                os.write(writing, json.dumps([number, vars(outcome)]).encode() + b"\n")
            code = 0
        finally:
            sys.stdout.flush()
            os._exit(code)

    def _collect(self, readings: set[int]) -> None:
        """Keep and print what the workers write, each line when it comes."""
        files = {reading: os.fdopen(reading) for reading in readings}
        while files:
            for reading in select.select(list(files), [], [])[0]:
                line = files[reading].readline()
                if not line:
                    files.pop(reading).close()
                    continue
                number, said = json.loads(line)
                mutant, outcome = self.mutants[number], Outcome(**said)
                self.outcomes.append((mutant, outcome))
                print(f"{outcome.word:9} {outcome.tests:4} {outcome.seconds:6.1f}  {mutant.name!r}", end="")
                print(f"  {outcome.test}", flush=True)

    def _attempt(self, mutant: Mutant, items: dict[str, Any]) -> Outcome:
        plan = [items[test] for test in self._plan(mutant) if test in items]
        runs = [*((item, 1) for item in plan), *((item, MORE_EXAMPLES) for item in plan if is_property(item))]
        runs = [(item, times) for item, times in runs if self._sound.get((item.nodeid, times), True)]
        if not runs:
            return Outcome("untested")
        tests, seconds = 0, 0.0
        while True:
            outcome = self._forked(mutant, runs, tests, seconds)
            if outcome.word != "killed":
                return outcome
            if self._is_sound((outcome.test, outcome.examples), items):
                self._killers[mutant.statement].add(outcome.test)
                return outcome
            tests, seconds = outcome.tests, outcome.seconds  # go on behind it

    def _plan(self, mutant: Mutant) -> list[str]:
        """The tests that render the statement: what failed for a change of it before, then those of its file
        and those of its room that render few others, of its room, and others; of each the quickest first,
        unless many of its function came already."""
        tests = [test for test, known in self.known.items() if mutant.statement in known.statements]
        of_function: Counter[str] = Counter()
        weighed = {}
        for test in sorted(tests, key=lambda test: self.known[test].seconds):
            function = test.split("[")[0]
            weighed[test] = self.known[test].seconds * (4 + of_function[function])
            of_function[function] += 1
        topic, *names = mutant.words

        def order(test: str) -> tuple[bool, int, float]:
            is_direct = topic in test and len(self.known[test].statements) <= FEW_STATEMENTS
            far = 0 if is_direct or any(name in test for name in names) else 1 if topic in test else 2
            return test not in self._killers[mutant.statement], far, weighed[test]

        return sorted(tests, key=order)

    def _is_sound(self, run: tuple[str, int], items: dict[str, Any]) -> bool:
        """Whether a test passes on the unchanged text, with so many times its examples."""
        if run not in self._sound:
            test, times = run
            self._sound[run] = self._forked(None, [(items[test], times)]).word == "survived"
            if not self._sound[run]:
                print(f"          fails unchanged: {test}, {times} times the examples")
        return self._sound[run]

    def _forked(
        self, mutant: Mutant | None, runs: list[tuple[Any, int]], first: int = 0, spent: float = 0.0
    ) -> Outcome:
        """Run tests in another process from the first on, where these CPU seconds were spent before it."""
        reading, writing = os.pipe()
        folder = self._scratch / "one"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        sys.stdout.flush()
        child = os.fork()
        if not child:
            os.close(reading)
            self._in_child(mutant, runs, (first, spent), folder, writing)
        os.close(writing)
        said, ended = _read(reading, child, self.given.wait)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        if not said:  # no test began: the template of the changed text cannot be parsed
            return Outcome("broken" if ended else "slow")
        last = json.loads(said.splitlines()[-1])
        return Outcome(**last) if "word" in last else Outcome("late" if ended else "slow", **last)

    def _in_child(
        self,
        mutant: Mutant | None,
        runs: list[tuple[Any, int]],
        done: tuple[int, float],
        folder: Path,
        writing: int,
    ) -> None:
        try:
            os.setpgid(0, 0)
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
            runs[0][0].config._tmp_path_factory._basetemp = folder
            sys.dont_write_bytecode = True
            limit = int(2 * self.given.seconds) + 20
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
            resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
            if mutant is not None:
                put_in(mutant)
            self._run(runs, done, lambda said: os.write(writing, json.dumps(said).encode() + b"\n"))
        finally:
            os._exit(0)

    def _run(
        self,
        runs: list[tuple[Any, int]],
        done: tuple[int, float],
        tell: Callable[[dict[str, Any]], object],
    ) -> None:
        """Run tests until one fails, naming each before it begins; done are some, in these seconds."""
        unreadable: list[BaseException] = []
        watch_engine(unreadable)
        first, before = done
        started = cpu_seconds() - before
        took: dict[str, float] = {}
        for number, (item, examples) in enumerate(runs[: self.given.tests]):
            if number < first:
                continue
            spent = round(cpu_seconds() - started, 1)
            if spent > self.given.seconds:
                return tell({"word": "survived", "tests": number, "seconds": spent})
            if examples > 1 and spent + examples * took.get(item.nodeid, 0) > self.given.seconds:
                continue
            told = {"test": item.nodeid, "examples": examples, "tests": number + 1}
            tell({**told, "seconds": spent})
            unreadable.clear()
            following, again = runs[number + 1] if number + 1 < len(runs) else (None, 1)
            if again > 1:  # it may be this test again, or be passed over: nothing stays set up for it
                following = None
            watcher = _Failure()
            item.config.pluginmanager.register(watcher)
            with drawing(item, examples):
                reports = runtestprotocol(item, log=False, nextitem=following)
            item.config.pluginmanager.unregister(watcher)
            took[item.nodeid] = cpu_seconds() - started - spent
            if any(report.failed for report in reports):
                spent = round(cpu_seconds() - started, 1)
                word = "broken" if unreadable or watcher.unreadable else "killed"
                return tell({**told, "word": word, "seconds": spent})
        spent = round(cpu_seconds() - started, 1)
        return tell({"word": "survived", "tests": min(len(runs), self.given.tests), "seconds": spent})


def is_property(item: Any) -> bool:
    return getattr(item.obj, "is_hypothesis_test", False)


@contextlib.contextmanager
def drawing(item: Any, times: int) -> Iterator[None]:
    """Let a property draw this many times its examples."""
    if times == 1 or not is_property(item):
        yield
        return
    name = "_hypothesis_internal_use_settings"
    before = getattr(item.obj, name)
    setattr(item.obj, name, settings(before, max_examples=times * before.max_examples))
    try:
        yield
    finally:
        setattr(item.obj, name, before)


class _Failure:
    """Whether a test failed because the engine could not read a statement."""

    unreadable = False

    def pytest_runtest_makereport(self, call: Any) -> None:
        error = call.excinfo.value if call.excinfo is not None else None
        while error is not None:
            self.unreadable |= isinstance(error, UNREADABLE)
            error = error.__cause__ or error.__context__


def watch_engine(unreadable: list[BaseException]) -> None:
    """Keep what a session could not read before it becomes a sentence."""
    real = session.translate_error

    def translate(error: BaseException, *given: Any) -> Any:
        if isinstance(error, UNREADABLE):
            unreadable.append(error)
        return real(error, *given)

    session.translate_error = translate  # type: ignore[assignment]


def put_in(mutant: Mutant) -> None:
    """Let this process render the changed text."""
    before, after = mutant.texts()
    home = templates.algorithm_of(mutant.statement)
    assert home is not None
    templates.environment().parse(after)  # what cannot be parsed is no change to try
    changed = templates.parse(home.topic, after, home.header if home._named else None)
    real, texts = templates.template_of, {mutant.statement: changed}
    templates.template_of = lambda name: texts.get(name) or real(name)  # type: ignore[assignment]
    templates.environment.cache_clear()  # what the import of tests rendered is compiled there
    assert before != after


def _read(reading: int, child: int, seconds: float) -> tuple[str, bool]:
    """Return what a process writes until its end, and whether it ended by itself; else it is stopped."""
    stopped: list[int] = []

    def stop(*_: object) -> None:
        stopped.append(child)
        os.killpg(child, signal.SIGKILL)

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(int(seconds))
    pieces = []
    while piece := os.read(reading, 65536):
        pieces.append(piece)
    signal.alarm(0)
    os.close(reading)
    return b"".join(pieces).decode(), not stopped


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("map", type=Path)
    parser.add_argument("--draw", type=int, default=300, help="readable changes to try")
    parser.add_argument("--seed", type=int, help="of the draw; without it the SQL decides")
    parser.add_argument("--least", type=float, help="fail where a smaller share than this is killed")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--names", nargs="+", default=[], help="mutants by the names that a draw printed")
    parser.add_argument("--tests", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60, help="CPU seconds for each change")
    parser.add_argument("--wait", type=float, default=240, help="seconds that a change may take")
    parser.add_argument("--jobs", type=int, default=2, help="changes tried at the same time")
    parser.add_argument("--minutes", type=float, default=1e6, help="draw no more after so many")
    given = parser.parse_args()
    given.until = time.time() + 60 * given.minutes
    known = read_map(given.map)
    os.chdir(ROOT)
    seed = seed_of_sql() if given.seed is None else given.seed
    every = every_mutant() if given.names else {}
    mutants = [every[name] for name in given.names] or list(draw(seed, given.only))
    trials = Trials(known, mutants, given)
    run_pytest(sorted({test.split("::")[0] for test in known}), trials)
    counts = Counter(outcome.word for _, outcome in trials.outcomes)
    for word in ("survived", "untested"):
        shown = [mutant.show() for mutant, outcome in trials.outcomes if outcome.word == word]
        print("\n".join([f"\n{word}:", *shown]) if shown else "")
    judged = counts.total() - counts["broken"]
    share = (counts["killed"] + counts["late"]) / judged if judged else 0.0
    print(", ".join(f"{count} {word}" for word, count in counts.most_common()))
    print(
        f"{share:.1%} of {judged} readable changes were noticed; drawn with --seed {seed} --draw {given.draw}"
    )
    if given.least is not None and share < given.least:
        raise SystemExit(f"less than {given.least:.0%} were noticed")
    if given.least is not None and 2 * judged < given.draw:
        raise SystemExit(f"too few were tried in {given.minutes:g} minutes: {judged} of {given.draw}")


def every_mutant() -> dict[str, Mutant]:
    """Return each change of the SQL by its name."""
    return {
        mutant.name: mutant
        for name, template in templates.catalogue().items()
        for place in changes(template.text)
        for mutant in (Mutant(name, change) for change in place)
    }


if __name__ == "__main__":
    main()
