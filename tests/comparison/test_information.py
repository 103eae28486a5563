"""What is left of the information: by exact containment, against the definition value by value."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql
from duckrisk.measures.detail import ComparedColumn
from duckrisk.measures.sets import encoding
from duckrisk.release.comparison import class_masses, distances, grid_masses, utility
from duckrisk.release.comparison.coverage import Coverage, Leaves
from duckrisk.release.comparison.distances import Distances
from duckrisk.release.comparison.results import AttributeLoss
from duckrisk.source import Request, open_sources
from tests.compare_oracle import distance, own_distance
from tests.shared_data import shared
from tests.tables import EXAMPLES, LIGHT, thinned

pytestmark = pytest.mark.slow

NINE = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country",
    "income",
)  # fmt: skip
Row = tuple[Any, ...]


def measured(
    original: Any, release: Any, columns: Sequence[tuple[str, str]], *subsets: list[int]
) -> list[dict[str, Any]]:
    """The distance over all columns, given with what their order is by, and what bounds it where records
    correspond by their order; and the distance over each subset of the columns."""
    with Session() as session:
        views = ("original", "release_1")
        requests = [Request(original), Request(release)]
        first, second = open_sources(session, list(zip(views, requests, strict=True)))
        relations = [Sql(f"temp.main.{view}") for view in views]
        records = [session.fetch_row("count_records", source=view)["records"] for view in relations]
        attributes = [
            ComparedColumn(number, name, first.column(name).binding, place)
            for number, (name, place) in enumerate(columns)
        ]
        there = [column.name for column in second.columns]
        bindings = {a.number: second.column(a.name).binding for a in attributes if a.name in there}
        leaves = Leaves(session, relations[0], attributes, records[0])
        cover = Coverage(leaves, relations[1], bindings, records[1])
        apart = Distances(cover)
        assert not apart.plan.too_much
        found = [asdict(apart.measure_distance()), *map(asdict, apart.measure_distances(subsets))]
        return [
            found[0] | {"bound": asdict(cover.measure_bound((None, None))), "words": len(cover.words)},
            *found[1:],
        ]


def frame(rows: Sequence[Row], kinds: Sequence[str]) -> Any:
    """A DataFrame of rows, its columns a, b, ... of these types."""
    import pyarrow as pa

    types = {"number": pa.int64(), "text": pa.string()}
    return pa.table(
        {"abcdef"[i]: pa.array([row[i] for row in rows], types[kind]) for i, kind in enumerate(kinds)}
    )


def of_texts(original: Sequence[str], release: Sequence[str | None]) -> dict[str, Any]:
    tables = [frame([(value,) for value in values], ["text"]) for values in (original, release)]
    return measured(*tables, [("a", "text")])[0]


def test_example_of_one_attribute() -> None:
    """The domain is {a, b, c, d}, of which d does not occur."""
    with Session() as session, duckdb.connect() as made:
        original = made.sql("SELECT unnest(['a', 'a', 'b', 'c']) AS x")
        release = made.sql("SELECT unnest(['{a, b}', '{a, b}', '{a, b}', '{c, d}']) AS x")
        path = made.sql(
            "SELECT level0, CASE WHEN level0 < 'c' THEN '{a, b}' ELSE '{c, d}' END AS level1, '*' AS level2 "
            "FROM (SELECT unnest(['a', 'b', 'c', 'd']) AS level0)"
        )
        views = ("original", "release_1", "path")
        open_sources(session, list(zip(views, map(Request, (original, release, path)), strict=True)))
        columns = ["level0", "level1", "level2"]
        session.run("open_view", name="levels", source=Sql("temp.main.path"), names=columns)
        attribute = ComparedColumn(0, "x", "c0", "text", Sql("temp.main.levels"), 2)
        leaves = Leaves(session, Sql("temp.main.original"), [attribute], 4)
        found = Distances(Coverage(leaves, Sql("temp.main.release_1"), {0: "c0"}, 4)).measure_distance()
    assert found.kl == pytest.approx(0.311278, abs=5e-7)
    assert found.kl_of_nothing == 0.5
    assert found.information == pytest.approx(0.377444, abs=5e-7)


@pytest.mark.slow
def test_adult_with_ages_in_decades(tmp_path: Path) -> None:
    adult = shared("adult.parquet")
    made = tmp_path / "decades.parquet"
    duckdb.execute(
        f"COPY (SELECT * REPLACE ('[' || age // 10 * 10 || ', ' || (age // 10 + 1) * 10 || '[' AS age) "
        f"FROM '{adult}') TO '{made}'"
    )
    columns = [(name, "number" if name == "age" else "text") for name in NINE]
    whole, age, sex = measured(str(adult), str(made), columns, [0], [6])
    assert whole["kl"] == pytest.approx(1.429673, abs=5e-7)
    assert whole["kl_of_nothing"] == pytest.approx(15.559888, abs=5e-7)
    assert whole["information"] == pytest.approx(0.908118, abs=5e-7)
    assert age["kl"] == pytest.approx(0.017336, abs=5e-7)
    assert age["kl_of_nothing"] == pytest.approx(0.519045, abs=5e-7)
    assert age["information"] == pytest.approx(0.966600, abs=5e-7)
    assert (sex["information"], sex["total_variation"]) == (1.0, 0.0)
    suppressed = tmp_path / "suppressed.parquet"
    stars = ", ".join(f"""'*' AS "{name}\"""" for name in NINE)
    duckdb.execute(f"COPY (SELECT {stars} FROM '{adult}') TO '{suppressed}'")
    assert measured(str(adult), str(suppressed), columns)[0]["information"] == 0
    itself = measured(str(adult), str(adult), columns)[0]
    assert (itself["information"], itself["kl"], itself["total_variation"]) == (1, 0, 0)


@pytest.mark.parametrize(
    ("release", "uncovered"),
    [
        (["a", "a", "b", "z"], 1),  # a value that was not there
        (["a", "a", "b", "b"], 1),  # one that is gone, though nothing is false
        (["?", "?", "?", "?"], 4),
    ],
)
def test_false_values_make_the_distance_infinite(release: list[str], uncovered: int) -> None:
    found = of_texts(["a", "a", "b", "c"], release)
    assert (found["kl"], found["information"], found["uncovered"]) == (None, None, uncovered)


def test_a_missing_cell_is_a_value_where_the_original_has_one() -> None:
    tables = [frame([("a",), (None,), ("b",)], ["text"]), frame([("a",), (None,), ("b",)], ["text"])]
    assert measured(*tables, [("a", "text")])[0]["information"] == 1
    assert (
        of_texts(["a", "b"], [None, None])["information"] == of_texts(["a", "b"], ["*", "*"])["information"]
    )


def test_records_that_are_left_out_count_as_suppressed() -> None:
    rows = [("a",), ("a",), ("b",), ("c",)]
    found = measured(frame(rows, ["text"]), frame(rows[:3], ["text"]), [("a", "text")])[0]
    assert found["kl"] == pytest.approx(distance(rows, rows[:3])["kl"])
    assert found["uncovered"] == 0


@pytest.mark.parametrize(
    ("select", "cells"),
    thinned([
        ("2011-03-05", 2), ("2011-W09", 2), ("2011-W10", 1), ("2011-03", 3), ("2011-Q1", 4), ("2011", 5),
        ("2011-03-05 08:00:00", 1), ("*", 6), ("[2011-03-05, 2011-04-01]", 3), ("2012", 1), ("2013", 0),
    ]),
)  # fmt: skip
def test_moments(select: str, cells: int) -> None:
    """The share of the mass that is on each covered moment tells how many are covered."""
    moments = [
        "2011-03-05 08:00:00", "2011-03-05 09:30:00", "2011-03-07 00:00:00", "2011-01-31 10:00:00",
        "2011-12-01 10:00:00", "2012-01-01 00:00:00",
    ]  # fmt: skip
    union = " UNION ALL ".join(f"SELECT TIMESTAMP '{text}' AS a" for text in moments)
    with duckdb.connect() as made:
        original, release = made.sql(union), made.sql(f"SELECT '{select}' AS a FROM range(6)")
        found = measured(original, release, [("a", "moment")])[0]
    assert found["uncovered"] == 6 - cells
    assert found["total_variation"] == pytest.approx(1 - cells / 6 if cells else 1)


def test_numbers_in_another_spelling(tmp_path: Path) -> None:
    with duckdb.connect() as made:
        original = made.sql("SELECT unnest([1.0, 2.0, 2.5])::DOUBLE AS a")
        release = made.sql("SELECT unnest(['1', '2.00', '[2.5, 9]']) AS a")
        assert measured(original, release, [("a", "number")])[0]["information"] == 1
        whole = made.sql("SELECT unnest([1, 2, 3]) AS a")
        wrong = made.sql("SELECT unnest([1, 2, 2.6]) AS a")
        assert measured(whole, wrong, [("a", "number")])[0]["uncovered"] == 1


# --- against the definition -----------------------------------------------------------------------


@pytest.mark.parametrize(("narrow", "points"), [(1, 0), (3, 0), (5, 0), (3, 10**6), (5, 10**6)])
def test_intervals_that_overlap(narrow: int, points: int) -> None:
    """Most intervals are narrow, and begin anywhere: one or two ranges of high bits each.

    More than 120 classes fill two words, in a batch of their own each where points are looked up.
    """
    rows = [(i % 50, "ab"[i % 3 % 2]) for i in range(150)]
    release = [
        (f"[{max(0, a - i % narrow)}, {a + (i * i) % narrow}]" if i % 11 else "*", b if i % 7 else "*")
        for i, (a, b) in enumerate(rows)
    ]
    tables = [frame(rows, ["number", "text"]), frame(release, ["text", "text"])]
    width = mock.patch.object(class_masses, "_MAX_WORDS", 60 if points else 1)
    with width, mock.patch.object(grid_masses, "MAX_POINTS", points):
        found = measured(*tables, [("a", "number"), ("b", "text")], [0], [1], [0, 1])
    for numbers, one in zip(([0, 1], [0], [1], [0, 1]), found, strict=True):
        expected = distance(
            [tuple(row[i] for i in numbers) for row in rows],
            [tuple(row[i] for i in numbers) for row in release],
        )
        for key, value in expected.items():
            assert one[key] == pytest.approx(value, abs=1e-12), (numbers, key)


@pytest.mark.parametrize(
    ("count", "writing", "summed"), thinned(itertools.product([1, 2, 3], [5, 10**9], [2, 0]), 5)
)
def test_intervals_that_overlap_in_several_columns(count: int, writing: int, summed: int) -> None:
    """Rectangles of any size over up to 40 values, some of a record that has another's first or last value,
    beside a column of which some cells are suppressed."""
    chance = random.Random(count)
    rows = [(*(chance.randrange(40) for _ in range(count)), "ab"[i % 3 % 2]) for i in range(120)]
    release = []
    for *values, text in rows:
        low = [chance.choice([value, chance.randrange(value + 1)]) for value in values]
        high = [chance.choice([value, chance.randrange(value, 40)]) for value in values]
        cells = [f"[{a}, {b}]" if chance.random() < 0.9 else "*" for a, b in zip(low, high, strict=True)]
        release.append((*cells, text if chance.random() < 0.8 else "*"))
    kinds = ["number"] * count + ["text"]
    columns = list(zip("abcd", kinds, strict=False))
    subsets = [[*numbers] for size in (1, 2) for numbers in combinations(range(count + 1), size)]
    ways = {"_MAX_SUMMED": summed, "_COST_OF_SORTING": 0, "_COST_OF_WRITING": writing, "_CHEAP_PAIRS": 0}
    ways |= {"_MAX_CLASS_WORDS": 0}
    looked_up = mock.patch.object(grid_masses, "MAX_POINTS", 0)
    with looked_up, mock.patch.multiple(distances, **ways):
        found = measured(frame(rows, kinds), frame(release, ["text"] * len(kinds)), columns, *subsets)
    for numbers, one in zip([list(range(count + 1)), *subsets], found, strict=True):
        expected = distance(*([tuple(row[i] for i in numbers) for row in some] for some in (rows, release)))
        for key, value in expected.items():
            assert one[key] == pytest.approx(value, abs=1e-12), (numbers, key)


@pytest.mark.parametrize(("count", "words"), thinned([(4, 2), (6, 3)]))
def test_columns_that_fill_several_words(count: int, words: int) -> None:
    """Each generalised in ways of its own: fields of values and of their cells lie in every word."""
    chance = random.Random(count)
    rows = [tuple(chance.randrange(1_000) for _ in range(count)) for _ in range(60)]
    rows += chance.sample(rows, 10)
    release = [
        tuple(
            str(value) if width == 1 else f"[{value - value % width}, {value - value % width + width - 1}]"
            for value, width in ((value, chance.choice([1, 15, 40, 100])) for value in row)
        )
        for row in rows
    ]
    columns = [("abcdef"[place], "number") for place in range(count)]
    pairs = [[place, (place + 1) % count] for place in range(count)]
    found = measured(frame(rows, ["number"] * count), frame(release, ["text"] * count), columns, *pairs)
    assert found[0]["words"] == words
    for numbers, one in zip([list(range(count)), *pairs], found, strict=True):
        expected = distance(*([tuple(row[i] for i in numbers) for row in some] for some in (rows, release)))
        for key, value in expected.items():
            assert one[key] == pytest.approx(value, abs=1e-12), (numbers, key)


_WORDS = ("aa", "ab", "ba", "日本", "日立", "é", "*", "a, b", "{é}", "a;b")
VALUES = {
    "number": st.one_of(st.none(), st.integers(0, 6)),
    "text": st.one_of(st.none(), st.sampled_from(_WORDS)),
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[Row], list[Row]]:
    """An original, and a release of it: recoded in one way, globally or locally, with cells that overlap, or
    swapped, now and then with false cells, fewer or more records."""
    kinds = draw(st.lists(st.sampled_from(["number", "text"]), min_size=1, max_size=3))
    rows = draw(st.lists(st.tuples(*(VALUES[kind] for kind in kinds)), min_size=1, max_size=8))
    release = [tuple(map(_text, row)) for row in rows]
    for number, kind in enumerate(kinds):
        way = draw(st.sampled_from(["same", "swapped", "one", "global", "local"]))
        swapped = draw(st.permutations([row[number] for row in rows]))
        width = draw(st.integers(1, 4))
        memory: dict[Any, Any] = {}
        for place, row in enumerate(rows):
            value = row[number]
            if way == "global" and value in memory:
                cell = memory[value]
            elif way == "one":
                cell = _in_one_way(value, width)
            elif way in ("same", "swapped"):
                cell = _text(value if way == "same" else swapped[place])
            else:
                cell = draw(_cells(kind, value))
            memory[value] = cell
            release[place] = (*release[place][:number], cell, *release[place][number + 1 :])
    if draw(st.booleans()):
        release = release[: draw(st.integers(1, len(release)))]
    elif draw(st.booleans()):
        release += release[: draw(st.integers(0, 3))]
    return kinds, rows, release


def _text(value: Any) -> Any:
    return None if value is None else str(value)


def _in_one_way(value: Any, width: int) -> str:
    """The cell of a value where all of a column are intervals of a width, prefixes, or of width 1 nothing."""
    if value is None or width == 1:
        return "*"
    if isinstance(value, int):
        return f"[{value - value % width}, {value - value % width + width - 1}]"
    return f"{value[:1]}*" if len(value) > 1 else str(value)


def _cells(kind: str, value: Any) -> st.SearchStrategy[Any]:
    whole = st.just("*")
    if value is None:
        return st.one_of(whole, st.none())
    false = st.sampled_from(
        ["zz", "99", "q*", "[90, 95]", "{zz}", "80-90", "9+", "{", "[a, b]", "5-", "(8; 9)"]
    )
    if kind == "number":
        closed = st.builds("[{}, {}]".format, st.integers(-1, value), st.integers(value, 8))
        half = st.builds("[{}, {}[".format, st.integers(-1, value), st.integers(value + 1, 8))
        low, high = st.integers(-1, value), st.integers(value, 8)
        forms = ["{}-{}", "{}..{}", "[{};{}]", "{} - {}"]
        others = st.builds(lambda form, *ends: form.format(*ends), st.sampled_from(forms), low, high)
        within = st.builds("({}, {}]".format, st.integers(-2, value - 1), high)
        ends = st.sampled_from([f"{value}+", f">={value}", f"> {value - 1}", f"<={value}", f"<{value + 1}"])
        several = st.sets(st.integers(0, 6)).map(
            lambda s: "{" + ", ".join(map(str, sorted({*s, value}))) + "}"
        )
        cells = [closed, closed, half, others, within, ends, several]
        return st.one_of(st.just(str(value)), whole, *cells, false)
    cut = [value[:1] + "*"] if len(value) > 1 else []
    several = st.sets(st.sampled_from(_WORDS)).map(lambda s: "{" + "; ".join(sorted({*s, value})) + "}")
    return st.one_of(st.sampled_from([value, *cut, "*"]), several, false)


@pytest.mark.parametrize("second", ["[1, 5]", "{1, 5}"])
def test_own_cells_that_do_not_cover(second: str) -> None:
    """The first record's own cell does not cover it, so nothing bounds the distance; another's does."""
    cells = [("[5, 6]",), (second,), ("[1, 6]",)]
    tables = [frame([(1,), (5,), (6,)], ["number"]), frame(cells, ["text"])]
    found = measured(*tables, [("a", "number")])[0]
    assert found["kl"] is not None
    assert (found["bound"]["kl"], found["bound"]["records"]) == (None, 2)


@settings(LIGHT, max_examples=max(6, 2 * EXAMPLES))
@given(
    tables(),
    st.sampled_from([0, 5, 10**9]),
    st.sampled_from([-1, 10**9]),
    st.booleans(),
    st.integers(4, 12),
    st.booleans(),
    st.sampled_from([0, 2]),
)
def test_against_the_definition(
    made: tuple[list[str], list[Row], list[Row]],
    writing: int,
    cheap: int,
    whole: bool,
    word: int,
    in_parts: bool,
    summed: int,
) -> None:
    """Whatever is written out, whether masses fit into whole numbers or not, wherever words end, in parts or
    not, and whether ranges are summed up or compared one by one."""
    ways = {"_COST_OF_WRITING": writing, "_CHEAP_PAIRS": cheap, "_MIN_PRECISION": 50 if whole else 10**9}
    ways |= {"_MAX_SUMMED": summed, "_COST_OF_SORTING": 0}
    ways |= {"_COMBINATIONS_PER_PART": 1, "_PAIRS_PER_STATEMENT": 1} if in_parts else {}
    ways |= {"_MAX_CLASS_WORDS": 0}
    with (
        mock.patch.multiple(distances, **ways),
        mock.patch.object(encoding, "WORD_BITS", word),
        mock.patch.object(grid_masses, "MAX_POINTS", 0),
    ):
        _against_the_definition(made)


@settings(LIGHT, max_examples=max(6, 2 * EXAMPLES))
@given(tables(), st.booleans(), st.integers(4, 12), st.sampled_from([1, 60]))
def test_classes_and_grids_against_the_definition(
    made: tuple[list[str], list[Row], list[Row]], whole: bool, word: int, width: int
) -> None:
    """The same by bits of classes and grids of values, with or without masses that are whole numbers."""
    with (
        mock.patch.object(distances, "_MIN_PRECISION", 50 if whole else 10**9),
        mock.patch.object(encoding, "WORD_BITS", word),
        mock.patch.object(class_masses, "_MAX_WORDS", width),
        mock.patch.object(grid_masses, "_POINTS_PER_STATEMENT", 20 if width == 1 else 10**6),
    ):
        _against_the_definition(made)


_TWO = [("aa", "ab"), ("ba", "é")]


@pytest.mark.slow
@settings(LIGHT, max_examples=max(6, EXAMPLES))
@given(tables())
@example((["text", "text"], _TWO, [("aa", "é"), ("ba", "ab")]))
@example((["text", "text"], [*_TWO, *_TWO, ("aa", "é")] * 2, [*_TWO, *_TWO, ("aa", "é")]))
@example((["text", "text", "text"], [(*row, "日本") for row in _TWO], [(*row, "*") for row in _TWO]))
def test_what_each_attribute_and_each_pair_loses(made: tuple[list[str], list[Row], list[Row]]) -> None:
    """Attributes that stand together as they were lose nothing; one that was swapped loses in pairs alone."""
    kinds, rows, release = made
    with Session() as session:
        given = {"original": (rows, kinds), "release_1": (release, ["text"] * len(kinds))}
        requests = [(view, Request(frame(*table))) for view, table in given.items()]
        open_sources(session, requests)
        attributes = [
            ComparedColumn(number, "abcdef"[number], f"c{number}", kind) for number, kind in enumerate(kinds)
        ]
        leaves = Leaves(session, Sql("temp.main.original"), attributes, len(rows))
        found = None
        for table, (view, (cells, _)) in enumerate(given.items()):
            bindings = {number: f"c{number}" for number in range(len(kinds))}
            cover = Coverage(leaves, Sql(f"temp.main.{view}"), bindings, len(cells))
            found = utility.measure(Distances(cover), table, found)
    assert found is not None
    alone = [((number,), loss) for number, loss in enumerate(found.attributes)]
    pairs = zip(combinations(range(len(kinds)), 2), found.cross_tables, strict=True)
    for numbers, loss in [*alone, *pairs]:
        expected = distance(*([tuple(row[i] for i in numbers) for row in table] for table in (rows, release)))
        assert loss.total_variation == pytest.approx(expected["total_variation"], abs=1e-12), numbers
        if isinstance(loss, AttributeLoss):
            (place,) = numbers
            several = len({row[place] for row in rows}) > 1
            gone = several and loss.cells.suppressed == len(release)
            left = 0 if gone else expected["information"]
            assert loss.information == pytest.approx(left, abs=1e-12), numbers


def _against_the_definition(made: tuple[list[str], list[Row], list[Row]]) -> None:
    kinds, rows, release = made
    columns = list(zip("abcdef", kinds, strict=False))
    subsets = [[*numbers] for size in (1, 2) for numbers in combinations(range(len(kinds)), size)]
    found = measured(frame(rows, kinds), frame(release, ["text"] * len(kinds)), columns, *subsets)
    for numbers, one in zip([list(range(len(kinds))), *subsets], found, strict=True):
        expected = distance(
            [tuple(row[i] for i in numbers) for row in rows],
            [tuple(row[i] for i in numbers) for row in release],
        )
        for key, value in expected.items():
            if value is None:
                assert one[key] is None, key
            else:
                assert one[key] == pytest.approx(value, abs=1e-12), key
    least, most = distance(rows, release), own_distance(rows, release)
    bound = found[0]["bound"]
    assert bound["records"] <= min(len(rows), len(release))
    assert (least["kl"] is None) <= (bound["kl"] is None) <= (most is None)
    if bound["kl"] is not None:
        assert least["kl"] - 1e-12 <= bound["kl"]
    if most is not None:
        assert bound["kl"] <= most + 1e-12
