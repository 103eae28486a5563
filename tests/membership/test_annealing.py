"""The search for a release that passes: sums kept up to date, the same again, going on, interrupts."""

from __future__ import annotations

import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from duckrisk.base.errors import UsageError
from duckrisk.base.sentences import Text
from duckrisk.contests.membership.records import Records, load
from duckrisk.contests.membership.synthesis import exchange, generator
from duckrisk.contests.membership.synthesis.annealing import Annealed, Annealing, anneal
from duckrisk.contests.membership.synthesis.indices import (
    compare_histograms,
    compare_matrices,
    make_covariances,
)
from duckrisk.contests.membership.synthesis.search import CURRENT, FRESH, MOVES, ORIGINAL, Callbacks
from duckrisk.contests.membership.synthesis.swapping import Swapping
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.templates import Sql
from duckrisk.release.anonymization import Target
from duckrisk.report.words import Words
from duckrisk.source import Request
from tests.command import command, ended, environment, refused
from tests.tables import thinned

pytestmark = pytest.mark.slow


def people(records: int = 240, seed: int = 1, whole: bool = False) -> pd.DataFrame:
    """Columns that depend on each other; a name is hostile, numbers are not whole but where asked."""
    draw = np.random.default_rng(seed)
    age = draw.integers(18, 40, records)
    job = np.where(draw.random(records) < age / 60, "boss", "clerk")
    home = np.where(draw.random(records) < 0.5, job, draw.choice(["a'b", "Zürich", "x"], records))
    hours = np.round(20 + 10 * (job == "boss") + draw.integers(0, 8, records) / 4, 2)
    if whole:
        hours = hours.astype(int)
    return pd.DataFrame({"age": age, 'jo"b': job, "home": home, "hours": hours})


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "people.parquet"
    people().to_parquet(path)
    return path


def found(source: Path, name: str, options: Annealing, **more: Any) -> Annealed:
    """A search into a file beside the source."""
    target = Target(source.with_name(name), overwrite=True)
    return anneal(Request(str(source)), target, options, resources=Resources(threads=1), **more)


@contextmanager
def searching(table: Any, most: int, **options: Any) -> Any:
    """A search that has begun."""
    with Session(Resources(threads=2)) as session:
        encoding = load(session, {ORIGINAL: Request(table)})
        model = generator.learn(session, encoding, ORIGINAL)
        settings = Annealing(seed=3, **options).settings()
        search = Swapping(session, encoding, model, settings, most, Callbacks(), [])
        search.begin(False)
        yield search


def by_templates(search: Swapping, table: str) -> dict[str, float]:
    """The indices of a table as `duckrisk membership utility` measures them."""
    known = search.encoding.tables[ORIGINAL]
    search.encoding.tables[table] = Records(table, "", search.records, known.source, known.view, ())
    session, encoding = search.session, search.encoding
    covariance, correlation = compare_matrices(
        session,
        encoding,
        make_covariances(session, encoding, ORIGINAL),
        make_covariances(session, encoding, table),
    )
    first = compare_histograms(session, encoding, ORIGINAL, table).value
    return {
        "histogram": first,
        "covariance": covariance.value,
        "correlation": correlation.value,
    }


@pytest.mark.parametrize(
    ("guided", "round", "whole"),
    thinned([(False, "final", True), (False, "preliminary", True), (True, "final", False)]),
)
def test_indices_from_the_swaps_are_those_of_the_table(guided: bool, round: str, whole: bool) -> None:
    options = {"guided": guided, "round": round, "swap": 7, "temperature": 1e-3, "cooling": 0.99}
    with searching(people(whole=whole), 200, **options) as search:
        start = search.measure_cost()
        search.run()
        assert search.state.kept > 10
        again = exchange.sum_cells(search.session, search.layout, CURRENT)
        assert (again == search.cells).all()
        told = search.calculator.compute(again)
        wanted = by_templates(search, CURRENT)
        near = 1e-12 if whole else 1e-9  # other numbers are counted in units
        for name, value in told.values.items():
            assert value == pytest.approx(wanted[name], abs=near, rel=near)
        assert search.state.best < start


def test_cells_by_hand() -> None:
    """Three records, (1, a), (3, b), (3, a): the dummies are the number, a and b."""
    table = pd.DataFrame({"n": [1, 3, 3], "c": ["a", "b", "a"]})
    with searching(table, 0) as search:
        layout, cells = search.layout, search.original
        unit = layout.units[0]
        assert (cells[4], cells[8]) == (2, 1)  # a and b with themselves
        assert (cells[1] * unit, cells[2] * unit) == (2, 2)  # with what the numbers are above 1
        assert cells[9] * unit == 4
        squares = (int(cells[10]) << 31) + int(cells[11])
        assert squares * unit**2 == 8
        assert list(cells[12:]) == [1, 2, 0]  # the numbers 1 and 3, and none that are others


def test_weights_are_the_derivative() -> None:
    """A table a thousand times as large changes by one record as the weights say."""
    with searching(people(), 0, guided=True) as search:
        times = 1000
        calculator = exchange.IndexCalculator(
            search.layout, search.original * times, 240 * times, 240 * times, ("histogram", "correlation")
        )
        cells = search.cells * times
        search.thresholds = {"histogram": -1.0, "correlation": 0.999}  # counts alone make no slope
        search.draw_fresh(0)
        nothing = {"histogram": 0.0, "correlation": 0.0}
        weights = calculator.weigh(cells, search.thresholds, nothing)
        deltas = search.list_deltas(CURRENT, FRESH, MOVES, search._propose(0))
        search.calculator = calculator
        before = search.measure_swap_cost(calculator.compute(cells))
        for places, delta in deltas:
            changed = cells.copy()
            changed[places] += delta
            gain = before - search.measure_swap_cost(calculator.compute(changed))
            assert gain == pytest.approx(float((weights[places] * delta).sum()), rel=0.05, abs=1e-7)


def test_weights_of_what_no_record_has() -> None:
    """Four of 2,000 records are rare, all of them bosses; in a release without them one becomes it. Its
    four correlations with others, 0.0447 too small or large, get halfway: all of a boss, two of a clerk."""
    job, home = ["boss"] * 1000 + ["clerk"] * 1000, ["rare"] * 4 + ["x", "y"] * 998
    with searching(pd.DataFrame({"job": job, "home": home}), 0, guided=True) as search:
        cells = []
        for rare in (0, 1, 1001):  # nobody, a boss, a clerk
            home = "CASE WHEN record < 4 OR record = 1001 THEN 'x' ELSE c2 END"
            one = f"CASE WHEN {rare} > 0 AND record = {rare} THEN 'rare' ELSE {home} END"
            source = Sql(f"(SELECT * REPLACE ({one} AS c2) FROM {ORIGINAL})")
            search.session.run("kept_table", name="lacking", source=source)
            exchange.encode(search.session, search.layout, "lacking", "lacking_codes", 0)
            cells.append(exchange.sum_cells(search.session, search.layout, "lacking_codes"))
        search.thresholds = {"histogram": -1.0, "correlation": 0.99}
        weights = search.calculator.weigh(cells[0], search.thresholds, {"histogram": 0.0, "correlation": 0.0})
        costs = [search.measure_swap_cost(search.calculator.compute(each)) for each in cells]
        gains = [float((weights * (each - cells[0])).sum()) for each in cells[1:]]
        assert gains == pytest.approx([costs[0] - cost for cost in costs[1:]], abs=0.001)
        assert gains == pytest.approx([0.0894, 0.0], abs=0.001)


def test_same_seed_same_bytes(source: Path) -> None:
    options = Annealing(swap=5, iterations=120, seed=5)
    first = found(source, "a.csv", options)
    found(source, "b.csv", options)
    found(source, "c.csv", Annealing(swap=5, iterations=120, seed=6))
    made = [source.with_name(name).read_bytes() for name in ("a.csv", "b.csv", "c.csv")]
    assert made[0] == made[1] != made[2]
    assert first.iterations == 120
    assert first.cost < first.start


class Stopping:
    """One who watches and interrupts."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, name: str, share: float | None) -> None:
        pass

    def line(self, text: Text, share: float | None) -> None:
        line = r"iteration [\d,]+: cost [\d.]+, histogram .*, correlation .*% kept"
        assert re.fullmatch(line, Words().format(text))
        assert re.fullmatch(
            r"反復[\d,]+回：コスト[\d.]+、ヒストグラム指標.*、採用率\d+%", Words("ja").format(text)
        )
        self.left -= 1
        if self.left == 0:
            signal.raise_signal(signal.SIGINT)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """A run in the background of a script ignores interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.usefixtures("interruptible")
def test_going_on_after_an_interrupt_is_as_without(source: Path) -> None:
    options = Annealing(swap=3, iterations=120, seed=2, guided=True, match_marginals=True)
    before = signal.getsignal(signal.SIGINT)
    whole = found(source, "whole.parquet", options)
    state = source.with_name("state")
    stopped = found(source, "part.parquet", options, state=state, progress=Stopping(1))
    assert stopped.interrupted == signal.SIGINT
    assert stopped.iterations < 120
    assert "Interrupted after " in stopped.to_text()
    assert f"--resume {state}" in stopped.to_text(1000)
    assert len(pd.read_parquet(source.with_name("part.parquet"))) == 240
    assert state.stat().st_mode & 0o777 == 0o600
    third = found(source, "third.parquet", Annealing(iterations=80), resume=state)
    assert (third.interrupted, third.iterations) == (None, 80)
    last = found(source, "last.parquet", Annealing(iterations=120), resume=state)
    assert (last.iterations, last.kept, last.cost) == (whole.iterations, whole.kept, whole.cost)
    made = [source.with_name(name).read_bytes() for name in ("whole.parquet", "last.parquet")]
    assert made[0] == made[1]
    assert signal.getsignal(signal.SIGINT) is before


#: The options that the command line calls otherwise.
FLAGS = {"population": "genetic-tables"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "more"),
    thinned([(signal.SIGTERM, 143, {"method": "genetic", "population": 2}), (signal.SIGINT, 130, {})]),
)
def test_a_command_that_is_interrupted_goes_on(
    source: Path, number: signal.Signals, code: int, more: dict[str, Any]
) -> None:
    """A process with a terminal, interrupted as soon as it shows a line; no swap is refused: none ends it."""
    ours, theirs = pty.openpty()
    with open(ours, "rb", buffering=0) as screen, open(theirs, "wb") as terminal:
        running = subprocess.Popen(
            [
                *(
                    sys.executable,
                    "-m",
                    "duckrisk",
                    "membership",
                    "anneal",
                    source.name,
                    "-o",
                    "part.parquet",
                ),
                *("--state", "state", "--threads", "1", "--temperature", "10", "--cooling", "1"),
                *(
                    "--swap-records",
                    "40",
                    "--seed",
                    "7",
                    *(f"--{FLAGS.get(name, name)}={value}" for name, value in more.items()),
                ),
            ],
            cwd=source.parent,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=terminal,
        )
        with ended(running):
            shown = b""
            while b"iteration" not in shown:
                shown += screen.read(1000)
                assert b"duckrisk: " not in shown, shown.decode()
            running.send_signal(number)
            out = running.communicate(timeout=300)[0].decode()
    assert running.returncode == code
    stopped = re.search(r"Interrupted after ([\d,]+) iterations: this is the best table so far.", out)
    assert stopped, out
    assert out.startswith("Wrote part.parquet: 240 records\n")
    assert "Go on with --resume state\n" in out
    assert sorted(path.name for path in source.parent.iterdir()) == [
        *("part.parquet", "people.parquet", "state"),
    ]
    done = int(stopped[1].replace(",", ""))
    part = pd.read_parquet(source.with_name("part.parquet"))
    most = done + 20
    last = found(source, "last.parquet", Annealing(iterations=most), resume=source.with_name("state"))
    options = Annealing(temperature=10, cooling=1, swap=40, seed=7, iterations=most, **more)
    whole = found(source, "whole.parquet", options)
    assert (last.iterations, last.kept, last.cost) == (whole.iterations, whole.kept, whole.cost)
    made = [source.with_name(name).read_bytes() for name in ("whole.parquet", "last.parquet")]
    assert made[0] == made[1]
    assert len(part) == 240


def test_the_best_table_is_written(source: Path) -> None:
    """With heat that keeps everything the last table is not the best one."""
    made = found(source, "hot.csv", Annealing(swap=40, iterations=90, seed=1, temperature=10.0, cooling=1.0))
    short = sum(max(0.0, c.threshold - c.value) for c in made.checks if c.value is not None)
    assert made.kept == 90
    assert short == pytest.approx(made.cost, abs=1e-8)
    assert made.cost <= made.start


def test_command(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.csv"
    told = command(
        *("membership", "anneal", source, "-o", out, "--swap-records", 5, "--iterations", 60, "--seed", 1),
        *("--state", tmp_path / "state"),
    )
    assert told.code == 0
    for words in ("The cost fell from ", "FAILED (histogram", "trees were not measured"):
        assert words in told.out
    assert out.read_text().startswith('age,"jo""b",home,hours')
    base = ["membership", "anneal", source, "-o", out, "--overwrite"]
    people(100, 2).to_parquet(tmp_path / "other.parquet")
    state = tmp_path / "state"
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")  # where nothing else writes
    for words, more in (
        (("-o",), base[:3]),
        (("exists already",), base[:5]),
        (("method", "genetic"), [*base, "--method", "geneti"]),
        (("--genetic-tables",), [*base, "--genetic-tables", 4]),
        (("--swap-records",), [*base, "--swap-records", 0]),
        (("--cooling",), [*base, "--cooling", 2]),
        (("--guided",), [*base, "--guided", "--round", "preliminary"]),
        (("no state",), [*base, "--resume", tmp_path / "none"]),
        (("--resume",), [*base, "--resume", state, "--seed", 1]),
        (("state", "already"), [*base, "--state", state]),
        (
            ("another table",),
            ["membership", "anneal", tmp_path / "other.parquet", *base[3:], "--resume", state],
        ),
        (("name the same file",), [*base, "--state", out]),
    ):
        refused(2, *words, arguments=more)
    (tmp_path / "other.parquet").rename(tmp_path / "none.parquet")
    refused(3, "not the state", arguments=[*base, "--resume", tmp_path / "none.parquet"])
    (tmp_path / "one.csv").write_text("a,b\n1,x\n1,x\n")
    refused(3, "same value", arguments=["membership", "anneal", tmp_path / "one.csv", *base[3:]])


def test_few_records(tmp_path: Path) -> None:
    people().iloc[:3].to_parquet(tmp_path / "few.parquet")
    assert found(tmp_path / "few.parquet", "out.csv", Annealing(iterations=5, seed=1)).records == 3


def test_trees_take_part(source: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed (duckrisk[ml])")
    from duckrisk.contests.membership.synthesis.trees import Target as Tree

    people(400, 9).to_parquet(source.with_name("test.parquet"))
    test = Request(str(source.with_name("test.parquet")))
    options = Annealing(swap=4, iterations=300, seed=2, guided=True, targets=(Tree("home", "boss", 3),))
    made = found(source, "out.csv", options, test=test, state=source.with_name("state"))
    tree = (made.indices.trees or ())[0].value
    assert made.measured >= 1
    assert made.passed is (made.cost == 0)
    assert 0 <= tree <= 1
    again = found(source, "again.csv", options, test=test)
    assert source.with_name("out.csv").read_bytes() == source.with_name("again.csv").read_bytes()
    assert again.cost == made.cost


@pytest.mark.slow
def test_drawn_again(source: Path) -> None:
    """Of so many tables the one of the lowest cost, the same however many are drawn after it."""
    made = [
        found(source, f"{count}.csv", Annealing(method="redraw", iterations=count, seed=5))
        for count in range(5)
    ]
    costs = [one.cost for one in made]
    assert costs == sorted(costs, reverse=True)
    assert len(set(costs)) > 1
    assert made[0].start == made[0].cost == made[4].start
    best = costs.index(costs[4])
    assert source.with_name(f"{best}.csv").read_bytes() == source.with_name("4.csv").read_bytes()
    assert [one.iterations for one in made] == list(range(5))
    short = sum(max(0.0, c.threshold - c.value) for c in made[4].checks if c.value is not None)
    assert short == pytest.approx(made[4].cost, abs=1e-8)


def test_drawn_again_from_a_state(source: Path) -> None:
    state = source.with_name("state")
    found(source, "half.csv", Annealing(method="redraw", iterations=2, seed=5), state=state)
    found(source, "gone_on.csv", Annealing(iterations=4), resume=state)
    found(source, "whole.csv", Annealing(method="redraw", iterations=4, seed=5))
    assert source.with_name("gone_on.csv").read_bytes() == source.with_name("whole.csv").read_bytes()
    for option, value in {"swap": 3, "temperature": 0.1, "cooling": 0.9, "guided": True}.items():
        with pytest.raises(UsageError, match="whole tables"):
            Annealing(**{"method": "redraw", option: value}).check()


def test_genetic(source: Path) -> None:
    """Sums that are those of the tables; better than to begin with."""
    options = Annealing(method="genetic", population=3, swap=4, iterations=80, seed=4)
    made = found(source, "whole.parquet", options)
    assert made.cost < made.start
    assert made.iterations == 80
    short = sum(max(0.0, c.threshold - c.value) for c in made.checks if c.value is not None)
    assert short == pytest.approx(made.cost, abs=1e-8)
