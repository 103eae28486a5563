"""Steps of advice beyond coarser columns: deletions and the life of pseudonyms; each line is what its command
makes, the best of all that are one step away, and the same whatever is not searched."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import math
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

import duckrisk
from duckrisk import roles
from duckrisk.base.errors import UsageError
from duckrisk.base.numbers import format_share
from duckrisk.base.results import as_data, in_english
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.templates import Attribute, Part
from duckrisk.measures import identifiability
from duckrisk.measures.sets import encoding
from duckrisk.release import advice, anonymization
from duckrisk.release.advice import frontier
from duckrisk.release.advice.generalizations import Column, Generalization
from duckrisk.release.advice.results import Line
from duckrisk.release.advice.treatments import Deletion, Treatment, TreatmentSpace, list_next_treatments
from duckrisk.report.words import LANGUAGES, Words
from duckrisk.source import Request
from tests.command import command
from tests.tables import EXAMPLES, LIGHTER, thinned

pytestmark = pytest.mark.slow

FEW = settings(LIGHTER, max_examples=min(EXAMPLES, 4))
RISKS = ("singled_out", "total_ease", "total_value", "jo_total_value")
LEVELS = {"city": (1, 2), "age": (1, 1), "bought": (2, 1)}


def history(path: Path, users: int = 12, records: int = 90) -> Path:
    """Purchases of some users over two years; a few without a user, a city or a day."""
    rows = [
        (
            None if n % 37 == 5 else f"u{n * n % users:02}",
            None if n % 19 == 3 else "NESW"[n * 7 % 4] + str(n * 5 % 9),
            20 + n * 13 % 31,
            None if n % 29 == 7 else dt.date(2011, 1, 1) + dt.timedelta(days=n * 47 % 700 // 30 * 30),
        )
        for n in range(records)
    ]
    connection = duckdb.connect()
    connection.execute("CREATE TABLE made (customer_id VARCHAR, city VARCHAR, age INTEGER, bought DATE)")
    connection.executemany("INSERT INTO made VALUES (?, ?, ?, ?)", rows)
    connection.execute(f"COPY made TO '{path}'")
    return path


def advise(
    source: Any, user: str = "customer_id", levels: dict[str, Any] = LEVELS, **options: Any
) -> advice.Advice:
    tree = {letter: [letter + str(n) for n in range(9)] for letter in "NESW"}
    return advice.run(
        Request(source),
        roles.RoleOverrides(
            user=user,
            ignore=("customer_id",) if user == "" and levels else (),
            roles=tuple((name, "attribute") for name in levels),
        ),
        identifiability.Options(levels=tuple(levels.items())),
        advice.Options(objective="value", **options),
        Resources(),
        treatment=anonymization.Treatment(hierarchies={"city": {"tree": tree}} if "city" in levels else {}),
    )


def assessed(source: Path, user: str = "customer_id") -> dict[str, Any]:
    """What an assessment says of a release, whose columns may be fewer."""
    there = {row[0] for row in duckdb.execute(f"DESCRIBE FROM '{source}'").fetchall()}
    levels = {name: level for name, level in LEVELS.items() if name in there}
    found = duckrisk.assess(
        source,
        user=user,
        only=["identifiability"],
        levels=levels,
        ignore=["customer_id"] if user == "" else [],
        roles=dict.fromkeys(levels, "attribute"),
        what_if=False,
    )
    return {**found.data["identifiability"], "of_source": found.data["source"]}


def released(source: Path, line: dict[str, Any], folder: Path) -> Path:
    """What the command of a line writes."""
    coarse = folder / "coarse.toml"
    coarse.write_text(
        "[hierarchies.city.tree]\n"
        + "".join(f"{letter} = {json.dumps([letter + str(n) for n in range(9)])}\n" for letter in "NESW")
    )
    release = folder / "release.parquet"
    options = [*line["options"], "--hierarchies", str(coarse)]
    done = command("anonymize", source, "-o", release, "-q", "--overwrite", *options)
    assert done.code == 0, done.err
    return release


def told(lines: Iterable[Line]) -> list[dict[str, Any]]:
    """The lines as the JSON form has them."""
    return [as_data(line, in_english) for line in lines]


def check(source: Path, lines: Iterable[Line], folder: Path, compared: bool = False) -> None:
    """Every figure of every line is, to the last bit, what an assessment of the release says; ``compared``,
    what is left is what a comparison says and a count of links."""
    for line in told(lines):
        release = released(source, line, folder) if line["options"] else source
        found = assessed(release, "customer_id" if line["users"] is not None else "")
        assert [line[name] for name in RISKS] == [found[name] for name in RISKS], line["options"]
        assert line["singled_out_share"] == found["singled_out_share"]
        assert line["records"] == found["records"]
        if line["users"] is not None:
            of_users = found["users"]
            assert [line["users"][name] for name in RISKS] == [of_users[name] for name in RISKS]
            assert line["users"]["users"] == found["of_source"]["users"] == of_users["users"]
            assert line["users"]["value_per_user"] == of_users["total_value"] / of_users["users"]
        if compared:
            left = duckrisk.compare(
                source,
                release,
                user="customer_id",
                roles=dict.fromkeys(LEVELS, "attribute"),
                only=["information"],
            ).data["tables"][1]["information"]["information"]
            assert line["information"] == pytest.approx(left, abs=1e-9), line["options"]
            assert line["links"] == links(release) / links(source)


def test_information_is_that_of_a_comparison(tmp_path: Path) -> None:
    """Of columns without a level too, which no step changes, and of no identifiers, which have a level."""
    source = tmp_path / "people.parquet"
    duckdb.execute(
        "COPY (SELECT 'p' || i || '@example.org' AS mail, 20 + i * 7 % 23 AS age, "
        "CASE WHEN i % 6 > 0 THEN i * 11 % 9 % 4 END AS zorp, i * 13 % 3 AS quux "
        f"FROM range(30) AS t(i)) TO '{source}'"
    )
    lines = advise(source, "", {}, steps=2).data["lines"][1:]
    releases = []
    for number, line in enumerate(lines):
        releases.append(tmp_path / f"{number}.parquet")
        made = command("anonymize", source, "-o", releases[-1], "-q", *line["options"])
        assert made.code == 0, made.err
    found = duckrisk.compare(source, *releases, user="", only=["information"]).data
    assert found["attributes"] == ["age", "zorp", "quux"]
    left = [table["information"]["information"] for table in found["tables"][1:]]
    assert [line["information"] for line in lines] == pytest.approx(left, abs=1e-9)
    assert left[-1] < 1


# --- by hand -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def climbed(tmp_path_factory: Any) -> tuple[Path, Sequence[Line]]:
    """A history and all lines of its advice."""
    source = history(tmp_path_factory.mktemp("history") / "history.parquet")
    return source, advise(source).lines


def make_space(*kinds: int) -> TreatmentSpace:
    """Columns of so many forms each."""
    known = {0: Attribute("a", (Part("value"),))}
    columns = [
        Column(
            f"c{place}",
            "VARCHAR",
            f"c{place}",
            True,
            (
                *(Generalization(f"level{n}" if n else None, None, known) for n in range(forms)),
                Generalization(None, None, {0: None}),
            ),
        )
        for place, forms in enumerate(kinds)
    ]
    return TreatmentSpace(columns, "u", "day")


def test_steps_from_a_treatment_by_hand() -> None:
    """Two columns, one of which has a coarser form; years are already lived."""
    found = list(list_next_treatments(make_space(2, 1), Treatment((0, 0), "month")))
    assert found == [
        Treatment((1, 0), "month"),
        Treatment((2, 0), "month"),
        Treatment((0, 1), "month"),
        Treatment((0, 0), "week"),
        Treatment((0, 0), "day"),
        *(
            Treatment((0, 0), "month", deletion)
            for deletion in (Deletion((0,), 1), Deletion((1,), 1), Deletion(None, 1), Deletion(None, None))
        ),
    ]
    last = Treatment((2, 0), "day", Deletion(None, 1))
    assert (
        list(list_next_treatments(make_space(2, 1), last)) == []
    )  # the last column stays, and all is deleted
    assert make_space(2, 1).list_options(last) == [
        "--pseudonymize", "u=day", "--date", "day", "--drop", "c0",
        "--delete-classes-below", "2", "--quasi-identifier", "c1",
    ]  # fmt: skip
    some = Treatment((1, 0, 0), None, Deletion(None, 2))
    assert make_space(2, 1, 1).list_options(some)[-2:] == ["--together", "2"]


def test_deletion_and_its_information_by_hand(tmp_path: Path) -> None:
    """T = a a b c in one column: b and c are alone. Deleted, they count as suppressed."""
    path = tmp_path / "letters.parquet"
    duckdb.execute(f"COPY (SELECT unnest(['a', 'a', 'b', 'c']) AS letter) TO '{path}'")
    found = advice.run(
        Request(path),
        roles.RoleOverrides(user="", roles=(("letter", "attribute"),)),
        identifiability.Options(levels=(("letter", (1, 1)),)),
        advice.Options(objective="value"),
        Resources(),
    )
    before, after = found.data["lines"]
    assert (before["singled_out"], before["information"]) == (2, 1.0)
    assert (after["method"], after["among"], after["records"], after["singled_out"]) == (
        "delete-classes", ["letter"], 2, 0,
    )  # fmt: skip
    # p = 1/2 1/4 1/4; of 4 records 2 are spread over all 3 letters: q = (2 + 2/3)/4, (2/3)/4, (2/3)/4.
    kl = 0.5 * math.log2(0.5 / (2 / 3)) + 2 * 0.25 * math.log2(0.25 / (1 / 6))
    kl0 = math.log2(3) - 1.5
    assert after["information"] == pytest.approx(1 - kl / kl0, abs=1e-9)
    assert found.stop_reason == "no_risk"


# --- the command of every line -------------------------------------------------------------------


@pytest.mark.slow
def test_every_line_of_a_history_is_what_its_command_makes(
    climbed: tuple[Path, Sequence[Line]], tmp_path: Path
) -> None:
    source, lines = climbed
    assert {"pseudonymize", "drop"} <= {line.step.method for line in lines}
    check(source, thinned(lines[1:], 3), tmp_path)


@pytest.mark.slow
def test_any_treatment_is_what_its_command_makes(tmp_path: Path) -> None:
    """Risk, information and links of treatments that nobody would choose, deletions among them."""
    source = history(tmp_path / "history.parquet")
    lines: list[Line] = []
    chosen = thinned(
        [
            Treatment((1, 2, 1), "quarter", Deletion(None, 2)),
            Treatment((2, 0, 2), "week", Deletion((1, 2), 1)),
            Treatment((0, 1, 0), None, Deletion((1,), 1)),
            Treatment((1, 3, 0), "year", Deletion(None, None)),
        ]
    )

    def climb(self: frontier.Frontier, *_: Any) -> tuple[list[Line], str]:
        points = []
        for treatment in [Treatment((0, 0, 0)), *chosen]:
            self.source.set_current(treatment)
            points.append(self._measure_point(treatment))
        start, *points = points
        assert start is not None
        lines.extend(self._make_line(start, point) for point in points if point is not None)
        return lines, "steps"

    with mock.patch.object(frontier.Frontier, "climb", climb):
        advise(source)
    assert len(lines) == len(chosen)
    check(source, lines, tmp_path, compared=True)
    assert min(line.records for line in lines) < 90


def links(source: Path) -> int:
    """Records with a user less the different users."""
    count = f"SELECT COUNT(customer_id) - COUNT(DISTINCT customer_id) FROM '{source}'"
    return int(duckdb.execute(count).fetchall()[0][0])


# --- the choice ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("user", thinned(["", "customer_id"]))
def test_nothing_that_is_not_searched_would_have_been_better(tmp_path: Path, user: str) -> None:
    """Without any bound all treatments one step away are measured, and the lines are the same."""
    source = history(tmp_path / "history.parquet", records=30)
    found = advise(source, user, steps=1)
    floors = mock.patch.multiple(frontier._Bounds, bound_applied=_no_floor, bound_early=_no_floor)
    unbounded = mock.patch.object(frontier._Candidate, "rank_gain", _unbounded)
    with floors, unbounded, mock.patch.object(frontier.Frontier, "_measure_point", _measured):
        everything = advise(source, user, steps=1)
    assert everything.skipped == 0 < found.skipped
    assert everything.measured > found.measured
    assert everything.lines == found.lines


@pytest.mark.slow
@pytest.mark.parametrize(("user", "moment"), thinned([("", "TIMESTAMP"), ("customer_id", "DATE")]))
def test_no_figure_falls_below_its_floor(tmp_path: Path, user: str, moment: str) -> None:
    """Of any treatment one step away from those of some lines, known before its cells are and after."""
    source = history(tmp_path / "history.parquet", records=40)
    made = tmp_path / "made.parquet"
    hours = "INTERVAL (age % 3) HOUR" if moment == "TIMESTAMP" else "INTERVAL 0 HOUR"
    duckdb.execute(
        f"COPY (SELECT * REPLACE (CAST(bought + {hours} AS {moment}) AS bought) FROM '{source}') TO '{made}'"
    )
    looked_at: list[Treatment] = []
    telling: list[float] = []

    def best(self: frontier.Frontier, now: Any) -> Any:
        self.source.set_current(now.treatment)
        bounds = frontier._Bounds(self.source, now)
        for treatment in list_next_treatments(self.source.space, now.treatment):
            assert self.source.apply_step(treatment)
            known = [bounds.bound_early(treatment), bounds.bound_applied(treatment)]
            remainder = self.source.measure_remainder(treatment)
            if not remainder.records or remainder.users == 0:
                continue
            point = self._measure_point(treatment)
            assert point is not None
            for value, value_per_user in known:
                assert value <= point.records.total_value * (1 + 1e-9)
                assert value_per_user <= point.value_per_user * (1 + 1e-9)
                telling.append(value + value_per_user)
            looked_at.append(treatment)
        return _best(self, now)

    with mock.patch.object(frontier.Frontier, "_find_best_step", best):
        advise(made, user, steps=4 if EXAMPLES >= 20 else 2)
    assert len(looked_at) > 15
    assert sum(value > 0 for value in telling) > 15


_best = frontier.Frontier._find_best_step
_rank, _point = frontier._Candidate.rank_gain, frontier.Frontier._measure_point


def _measured(self: Any, treatment: Treatment, remainder: Any = None, _: Any = None) -> Any:
    """Measure a treatment whatever it promises."""
    return _point(self, treatment, remainder)


def _no_floor(*_: Any) -> tuple[float, float]:
    return 0.0, 0.0


def _unbounded(self: Any, gain: float) -> tuple[bool, float, float]:
    """The rank of a gain; the largest possible gain has no bound."""
    return (True, math.inf, math.inf) if gain == self.max_gain else _rank(self, gain)


@FEW
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("NESW"), st.integers(0, 4), st.sampled_from([20, 21, 24, 26, 33, 47, 50])),
        min_size=5,
        max_size=30,
    ),
    word=st.sampled_from([5, 60]),  # both columns in one word or not
)
def test_the_first_step_is_the_best_of_all_by_brute_force(
    tmp_path_factory: Any, rows: list[Any], word: int
) -> None:
    """Every treatment one step away in plain Python: nobody else's cells are those of a record on a set of n
    columns, which has the ease 2 * 0.9^(n - 1); and the information by its definition."""
    table = [(f"{letter}{number}", age) for letter, number, age in rows]
    path = tmp_path_factory.mktemp("brute") / "people.parquet"
    connection = duckdb.connect()
    connection.execute("CREATE TABLE made (customer_id VARCHAR, city VARCHAR, age INTEGER)")
    connection.executemany("INSERT INTO made VALUES ('u', ?, ?)", table)
    connection.execute(f"COPY made TO '{path}'")
    with mock.patch.object(encoding, "WORD_BITS", word):
        found = advise(path, "", {"city": (1, 1), "age": (1, 1)}, steps=1).data["lines"]
    before = ease(table)
    assert found[0]["total_ease"] == pytest.approx(before)
    worths = []
    # Too few ages are there for intervals.
    forms = [
        (["--drop", "city"], [("*", age) for _, age in table]),
        (["--drop", "age"], [(city, "*") for city, _ in table]),
        (["--generalize", "city=level1"], [(city[0], age) for city, age in table]),
    ]
    for options, published in forms:
        worths.append((options, before - ease(published), loss(table, published, [])))
    quasi = {"city": ["--quasi-identifier", "city"], "age": ["--quasi-identifier", "age"]}
    for name, sets in (("city", [(0,)]), ("age", [(1,)]), (None, [(0,), (1,)]), ("both", [(0, 1)])):
        below = ["--delete-classes-below", "2"]
        listed = quasi[name] if name in quasi else [*quasi["city"], *quasi["age"]]
        options = [*below, *listed, *(["--together", "1"] if name is None else [])]
        gone = small_classes(table, sets, 2)
        if 0 < len(gone) < len(table):
            kept = [row for n, row in enumerate(table) if n not in gone]
            worths.append((options, before - ease(kept), loss(table, table, gone)))
    good = [
        (
            gain / before >= frontier.MIN_GAIN,
            gain / before / lost if lost > 1e-9 else math.inf,
            gain,
            options,
        )
        for options, gain, lost in worths
        if gain > 1e-9
    ]
    if not good or before == 0:
        assert len(found) == 1
        return
    best = max(one[:3] for one in good)
    nearly = [one[3] for one in good if one[0] == best[0] and one[1] >= best[1] * (1 - 1e-9)]
    assert found[1]["options"] in nearly


def small_classes(rows: Sequence[tuple[Any, ...]], sets: Iterable[tuple[int, ...]], below: int) -> set[int]:
    """The numbers of the rows that are gone once no class of any set is small."""
    every, left, before = list(sets), set(range(len(rows))), -1
    while len(left) != before:
        before = len(left)
        for some in every:
            classes = Counter(tuple(rows[n][place] for place in some) for n in left)
            left = {n for n in left if classes[tuple(rows[n][place] for place in some)] >= below}
    return set(range(len(rows))) - left


def ease(table: list[tuple[Any, ...]]) -> float:
    """The ease of all records: of the smallest set that singles each out, "*" being missing."""
    total = 0.0
    singles = [Counter(row[place] for row in table) for place in (0, 1)]
    pairs = Counter(table)
    for row in table:
        if any(row[place] != "*" and singles[place][row[place]] == 1 for place in (0, 1)):
            total += 2.0
        elif "*" not in row and pairs[row] == 1:
            total += 1.8
    return total


def loss(table: list[tuple[Any, ...]], published: list[tuple[Any, ...]], gone: Collection[int]) -> float:
    """KL / KL0, records that are gone being spread over everything."""
    domains = [len({row[place] for row in table}) for place in (0, 1)]
    covers = [Counter() for _ in (0, 1)]  # type: list[Counter[Any]]
    for place in (0, 1):
        seen = {(row[place], cells[place]) for row, cells in zip(table, published, strict=True)}
        covers[place] = Counter(cell for _, cell in seen)
    kept = Counter(cells for n, cells in enumerate(published) if n not in gone)
    kl = kl0 = 0.0
    n = len(table)
    cell_of = dict(zip(table, published, strict=True))
    for row, count in Counter(table).items():
        cells = cell_of[row]
        mass = kept[cells] / (covers[0][cells[0]] * covers[1][cells[1]])
        mass += len(gone) / (domains[0] * domains[1])
        kl += count / n * math.log2(count / mass)
        kl0 += count / n * math.log2(count / n * domains[0] * domains[1])
    return kl / kl0 if kl0 > 1e-9 else 0.0


# --- what does not matter, and where steps end ---------------------------------------------------


@pytest.mark.slow
@settings(FEW, max_examples=1)
@given(data=st.data())
def test_lines_hold_for_any_table_in_any_order(tmp_path_factory: Any, data: st.DataObject) -> None:
    """Missing cells, duplicates and users without records; the order of rows does not matter."""
    folder = tmp_path_factory.mktemp("any")
    cell = st.tuples(
        st.sampled_from(["a", "b", "c", "d", None]),
        st.sampled_from(["N1", "N2", "E1", "S5", "*", "?", None]),
        st.sampled_from([20, 21, 25, 40, 41, None]),
        st.sampled_from([dt.date(2011, 1, 1), dt.date(2011, 2, 1), dt.date(2012, 7, 9), None]),
    )
    rows = data.draw(st.lists(cell, min_size=6, max_size=16))
    rows += [("a", "N1", 20, dt.date(2011, 1, 1)), ("a", "E1", 21, dt.date(2012, 7, 9))]
    shuffled = data.draw(st.permutations(rows))
    paths = [folder / "first.parquet", folder / "second.parquet"]
    for path, some in zip(paths, (rows, shuffled), strict=True):
        connection = duckdb.connect()
        connection.execute("CREATE TABLE made (customer_id VARCHAR, city VARCHAR, age INTEGER, bought DATE)")
        connection.executemany("INSERT INTO made VALUES (?, ?, ?, ?)", some)
        connection.execute(f"COPY made TO '{path}'")
    first = advise(paths[0], steps=1)
    with mock.patch.object(encoding, "WORD_BITS", 5):  # nor does it in which words columns are
        second = advise(paths[1], steps=1)
    assert first.lines == second.lines
    check(paths[0], first.lines[-1:], folder)


@pytest.mark.parametrize(
    ("field", "users"), [("singled_out_share", False), ("total_value", False), ("singled_out_share", True)]
)
def test_a_target_ends_the_steps_at_the_first_line_that_meets_it(
    climbed: tuple[Path, Sequence[Line]], field: str, users: bool
) -> None:
    """Figures of lines that are climbed already: nothing is measured again."""
    _, lines = climbed

    def figure(line: Line) -> float:
        return float(getattr(line.users.risk if users and line.users else line.risk, field))

    limit = figure(lines[len(lines) // 2])
    unit = "users." if users else ""
    target = advice.parse_target(advice.Options(target=f" identifiability.{unit}{field} <= {limit!r}"))
    assert target is not None
    points = iter([mock.MagicMock(line=line) for line in lines])
    source = mock.MagicMock()
    source.session.limit_time = Session.limit_time.__get__(mock.MagicMock(_deadline=None))
    found = frontier.Frontier(source, None, mock.MagicMock())
    with (
        mock.patch.object(found, "_measure_point", side_effect=lambda _: next(points)),
        mock.patch.object(found, "_find_best_step", side_effect=lambda _: next(points, None)),
        mock.patch.object(found, "_compute_risk", return_value=1.0),
        mock.patch.object(found, "_make_line", side_effect=lambda _, point: point.line),
    ):
        climbed_to, ended = found.climb(target, 20)
    assert ended == "target"
    assert climbed_to == list(lines[: len(climbed_to)])
    assert figure(climbed_to[-1]) <= limit
    assert all(figure(line) > limit for line in climbed_to[:-1])


@pytest.mark.slow
def test_time_ends_the_steps_at_the_best_so_far(climbed: tuple[Path, Sequence[Line]], tmp_path: Path) -> None:
    source, lines = climbed
    moments = itertools.count(0.0, 0.001)
    with mock.patch.object(frontier.time, "monotonic", side_effect=moments):
        found = advise(source, time_limit=1.0)
    assert found.stop_reason == "time_limit"
    assert 1 < len(found.lines) < len(lines)
    assert found.lines[:-1] == lines[: len(found.lines) - 1]
    check(source, found.lines[-1:], tmp_path)
    assert any("before the time was over" in note for note in found.data["notes"])


def test_users_of_a_table_without_users_are_no_target(tmp_path: Path) -> None:
    source = history(tmp_path / "history.parquet")
    with pytest.raises(UsageError, match="each record is its own person"):
        advise(source, "", target="identifiability.users.singled_out < 1")


# --- the method of anonymize ---------------------------------------------------------------------

CELLS = st.sampled_from(["a", "b", "", " ", "é", None])


@FEW
@given(
    rows=st.lists(st.tuples(CELLS, CELLS, st.sampled_from([0.0, -0.0, math.nan, 1.5, None])), max_size=30),
    below=st.integers(2, 4),
    together=st.sampled_from([None, 1, 2, 3]),
)
def test_small_classes_are_deleted(
    tmp_path_factory: Any, rows: list[tuple[Any, ...]], below: int, together: int | None
) -> None:
    folder = tmp_path_factory.mktemp("classes")
    connection = duckdb.connect()
    connection.execute('CREATE TABLE made (x VARCHAR, "a ""b" VARCHAR, size DOUBLE, n INTEGER)')
    if rows:
        connection.executemany(
            "INSERT INTO made VALUES (?, ?, ?, ?)", [(*row, n) for n, row in enumerate(rows)]
        )
    connection.execute(f"COPY made TO '{folder / 'made.parquet'}'")
    step = {"method": "delete-classes", "below": below, "quasi_identifiers": ["x", 'a "b', "size"]}
    release = duckrisk.anonymize(
        folder / "made.parquet",
        folder / "out.parquet",
        steps=[step if together is None else {**step, "together": together}],
    )
    cells = [(a, b, "nan" if c is not None and math.isnan(c) else c) for a, b, c in rows]
    small = small_classes(cells, itertools.combinations(range(3), together or 3), below)
    kept = [n for n in range(len(rows)) if n not in small]
    written = duckdb.execute(f"SELECT n FROM '{folder / 'out.parquet'}'").fetchall()
    assert [row[0] for row in written] == kept
    assert release.data["steps"] == [
        {"step": 1, "method": "delete-classes", "deleted": len(small), "records": len(kept)}
    ]


def test_to_delete_for_one_column_can_thin_another(tmp_path: Path) -> None:
    """Both ends of a chain are alone with b; without them their neighbours are with a and c, and so on."""
    rows = [(1, 1, 1), (1, 1, 1), *((n // 2, (n + 1) // 2, n // 2) for n in range(4, 12))]
    path, out = tmp_path / "chain.parquet", tmp_path / "out.parquet"
    connection = duckdb.connect()
    connection.execute("CREATE TABLE made (a INTEGER, b INTEGER, c INTEGER)")
    connection.executemany("INSERT INTO made VALUES (?, ?, ?)", rows)
    connection.execute(f"COPY made TO '{path}'")
    quasi = [word for name in "abc" for word in ("--quasi-identifier", name)]
    done = command(
        "anonymize", path, "-o", out, "--delete-classes-below", "2", *quasi, "--together", "1", "-q"
    )
    assert (done.code, done.err) == (0, "")
    written = duckdb.execute(f"SELECT a, b, c FROM '{out}'").fetchall()
    assert written == [(1, 1, 1), (1, 1, 1)]


PEOPLE = "SELECT i % 7 AS a, i % 11 % 4 AS b, i % 13 % 5 AS c, i AS n FROM range(200) AS t(i)"


@pytest.mark.parametrize(
    "steps",
    thinned(
        [
            [
                {"method": "k-anonymize", "k": 3, "quasi_identifiers": ["a", "b"], "algorithm": "local"},
                {"method": "sample", "share": 0.3},
            ],
            [
                {"method": "delete-classes", "below": 2, "quasi_identifiers": ["A", "b", "c"], "together": 2},
                {"method": "perturb", "column": "c", "share": 0.9},
            ],
            [
                {"method": "delete-classes", "below": 5, "quasi_identifiers": ["a", "b"]},
                {"method": "delete", "where": "n % 3 > 0 AND a = 1"},
            ],
        ]
    ),
)
def test_what_thins_classes_again_is_refused(tmp_path: Path, steps: list[dict[str, Any]]) -> None:
    path, out = tmp_path / "people.parquet", tmp_path / "out.parquet"
    duckdb.execute(f"COPY ({PEOPLE}) TO '{path}'")
    with pytest.raises(UsageError, match=f"Step 1 .* after {steps[1]['method']} the smallest has"):
        duckrisk.anonymize(path, out, steps=steps, seed=1)
    assert list(tmp_path.iterdir()) == [path]
    release = duckrisk.anonymize(path, out, steps=[*steps, {**steps[0]}], seed=1)
    assert release.released > 0
    # A column that goes, and cells that become coarser, leave records in their classes.
    coarser = [{"method": "suppress", "column": "b", "drop": True}, {"method": "shuffle"}]
    if steps[0]["method"] == "delete-classes":
        duckrisk.anonymize(path, out, steps=[steps[0], *coarser], overwrite=True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--delete-classes-below", "1", "--quasi-identifier", "age"], "2 or more"),
        (["--delete-classes-below", "2"], "at least one quasi-identifier"),
        (["--delete-classes-below", "2", "--quasi-identifier", "age", "--together", "2"], "1 are named"),
        (["--delete-classes-below", "2", "--quasi-identifier", "agee"], "did you mean"),
        (["--delete-classes-below", "2", "--quasi-identifier", "age", "--quasi-identifier", "AGE"], "twice"),
        (["--together", "2"], "needs --delete-classes-below"),
    ],
)
def test_deletions_that_make_no_sense(tmp_path: Path, options: list[str], said: str) -> None:
    source = history(tmp_path / "history.parquet")
    done = command("anonymize", source, "-o", tmp_path / "out.parquet", *options)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert len(done.err.splitlines()) == 1


# --- what people read ----------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_forms_of_advice(climbed: tuple[Path, Sequence[Line]], language: str) -> None:
    _, lines = climbed
    made = advice.Advice(
        version=1,
        duckrisk="0.1.0",
        source="a `b` <i> %.parquet",
        source_options=(("--where", "a < 'x'"), ("--no-header",)),
        records=90,
        currency="yen",
        target="identifiability.total_value < 1",
        reached=False,
        stop_reason="no_step",
        measured=9,
        skipped=3,
        objective="value",
        policy=None,
        lines=tuple(lines),
        notes=(Sentence("source.no_header"),),
    )
    shown = made.to_text(80, language)
    assert max(map(cell_len, shown.splitlines())) <= 80
    assert "u01" not in shown
    assert Words(language).look_up("source.no_header")[:12] in shown
    assert format_share(made.lines[-1].detail.detail_left) in shown
    assert "'a `b` <i> %.parquet' --where 'a < '\"'\"'x'\"'\"'' --no-header" in " ".join(
        shown.split()
    ).replace("\\ ", "")
    markdown, page = made.to_markdown(language), made.to_html(language)
    assert f"{made.lines[-1].information:.3f}" in markdown
    for place in range(1, len(lines)):
        assert f"\n{place}. " in markdown
    assert "<i>" not in page
    assert page.count('<circle class="blue"') == len(lines)
    assert "polyline" in page
    assert 'class="orange-line dash"' in page
    assert len(made.to_frame()) == len(lines)
    none = replace(made, lines=made.lines[:1])
    assert "<svg" not in none.to_html(language)
    assert "duckrisk anonymize" not in none.to_markdown(language)
    if language == "en":
        assert "No step was taken" in none.to_markdown()
        assert repr(none).startswith("<duckrisk Advice: No step was taken")


@pytest.mark.slow
def test_commands_read_the_same_records(tmp_path: Path) -> None:
    """What says which records are read is part of every command, and the command runs as it is printed."""
    source = history(tmp_path / "history.parquet")
    levels = [word for name, (e, p) in LEVELS.items() for word in ("--level", f"{name}={e},{p}")]
    done = command(
        "advise",
        source,
        "--where",
        "age > 22",
        "--objective",
        "value",
        "--steps",
        "1",
        "-q",
        "--user",
        "customer_id",
        *levels,
    )
    assert done.code == 0, done.err
    _, commands = done.out.split("The commands\n")
    words = shlex.split(commands.partition("\n")[2].replace("\\\n", " "))[1:]
    assert words[:1] == ["anonymize"]
    place = words.index("-o") + 1
    release = tmp_path / words[place]
    words[place] = str(release)
    made = command(*words)
    assert made.code == 0, made.err
    kept = f"SELECT COUNT(*) FROM '{source}' WHERE age > 22"
    assert "age > 22" in words
    most = duckdb.execute(kept).fetchall()[0][0]
    assert 0 < duckdb.execute(f"SELECT COUNT(*) FROM '{release}'").fetchall()[0][0] <= most
