"""The metrics of comparisons, those that a person runs on two tables of their own among them, by hand."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from tests.command import command, refused
from tests.compare_oracle import distance
from tests.hostile import NAMES
from tests.opening import parquet
from tests.tables import LIGHTER, connect, make, put, row, run

pytestmark = pytest.mark.slow

Rows = list[tuple[Any, ...]]
COLUMNS = ["side", "a1"]  # names that the templates use themselves
CELLS = st.tuples(st.sampled_from(["a", "b", "é", ""]), st.sampled_from(["1", "2", "01"]))


def both(original: Rows, release: Rows, kind: str = "VARCHAR") -> duckdb.DuckDBPyConnection:
    """An engine with both tables."""
    connection = connect()
    make(connection, dict.fromkeys(COLUMNS, kind), original, "o")
    make(connection, dict.fromkeys(COLUMNS, kind), release, "r")
    return connection


def test_examples_by_hand() -> None:
    shares = [("x", "u")] * 4 + [("x", "v")] + [("y", "u")] * 3 + [("y", "v")] * 2
    changed = [("x", "u")] * 3 + [("x", "v")] * 2 + [("y", "u")] * 3 + [("y", "v")] * 2
    with both(shares, changed) as connection:
        found = row(connection, "total_variation", original="o", release="r", columns=COLUMNS)
        assert found["combinations"] == 4
        assert found["total_variation"] == pytest.approx(0.1)
        assert found["largest_difference"] == pytest.approx(0.1)
        same = {"original": "o", "release": "o", "columns": COLUMNS}
        assert row(connection, "total_variation", **same)["total_variation"] == 0
        assert row(connection, "information_of_release", **same)["information"] == 1
        classes = row(connection, "equivalence_classes", source="o", columns=COLUMNS, k=3)
    assert classes == {
        "classes": 4, "smallest_class": 1, "records_below_k": 3, "unique_records": 1,
        "average_class_size": 2.5, "discernibility": 16 + 1 + 9 + 4,
    }  # fmt: skip


@LIGHTER
@given(st.lists(CELLS, max_size=8), st.lists(CELLS, max_size=8), st.sets(st.integers(0, 15)))
def test_shares_and_information(original: Rows, release: Rows, stars: set[int]) -> None:
    release = [
        tuple("*" if 2 * i + j in stars else cell for j, cell in enumerate(cells))
        for i, cells in enumerate(release)
    ]
    given = {"original": "o", "release": "r", "columns": COLUMNS}
    with both(original, release) as connection:
        shares = row(connection, "total_variation", **given)
        left = row(connection, "information_of_release", **given)
    before, after = Counter(original), Counter(release)
    if not original or not release:
        assert shares["total_variation"] is None
        return
    gaps = [
        abs(Fraction(before[c], len(original)) - Fraction(after[c], len(release))) for c in {*before, *after}
    ]
    assert shares["combinations"] == len(gaps)
    assert shares["total_variation"] == pytest.approx(float(sum(gaps) / 2), abs=1e-15)
    assert shares["largest_difference"] == pytest.approx(float(max(gaps)), abs=1e-15)
    expected = distance(original, release)
    for key in ("kl", "kl_of_nothing", "information", "uncovered"):
        wanted = expected[key]
        assert left[key] == (wanted if wanted is None else pytest.approx(wanted, abs=1e-12)), key


NUMBERS = st.tuples(
    *[
        st.one_of(
            st.none(), st.integers(-2, 3), st.just(math.inf), st.floats(-9, 9).map(lambda x: round(x, 6))
        )
    ]
    * 2
)


@LIGHTER
@given(st.lists(NUMBERS, max_size=9), st.lists(NUMBERS, max_size=9))
def test_correlations(original: Rows, release: Rows) -> None:
    with both(original, release, "DOUBLE") as connection:
        found = row(connection, "correlation_change", original="o", release="r", first="side", second="a1")
    for key, table in (("original_correlation", original), ("correlation", release)):
        full = [(a, b) for a, b in table if None not in (a, b) and math.isfinite(a) and math.isfinite(b)]
        # A spread that is tiny beside that of the other table is none.
        if found[key] is not None:
            wanted = statistics.correlation(*zip(*full, strict=True))
            assert found[key] == pytest.approx(wanted, abs=1e-3)
        elif len(full) > 1:
            assert min(max(column) - min(column) for column in zip(*full, strict=True)) < 1e-3
    if None not in found.values():
        assert found["change"] == pytest.approx(found["correlation"] - found["original_correlation"])


def test_a_constant_column_has_no_correlation() -> None:
    changing, constant = [(1, 1), (2, 4), (3, 3)], [(1, 5), (2, 5), (3, 5)]
    with both(changing, constant, "DOUBLE") as connection:
        for first, second in (("side", "a1"), ("a1", "side")):
            given = {"original": "o", "release": "r", "first": first, "second": second}
            found = row(connection, "correlation_change", **given)
            assert found["original_correlation"] == pytest.approx(2 / math.sqrt(28 / 3))
            assert (found["correlation"], found["change"]) == (None, None)


def test_linkage_rate_by_hand() -> None:
    rows = [("1", 1, 5), ("2", 2, 5), ("3", 3, 9), ("4", 4, 1), ("5", 9, 2), ("6", 0, 0), (None, 7, 7)]
    release = [("5", 9, 2), ("4", 4, 1), ("3", 2, 9), ("2", 3, 5), ("1", 1, 5), ("7", 0, 0), ("7", 1, 1)]
    release += [("8", place, 9 - place) for place in range(5)]  # ranks are compared as parts of their table
    columns = {"k": "VARCHAR", "a": "INTEGER", "b": "INTEGER"}
    with connect() as connection:
        make(connection, columns, rows, "o")
        make(connection, columns, release, "r")
        given = {"original": "o", "release": "r", "key": "k", "columns": ["a", "b"], "seed": 0}
        found = row(connection, "record_linkage", **given, most=100, permutations=50)
        again = row(connection, "record_linkage", **given, most=100, permutations=50)
        few = row(connection, "record_linkage", **given, most=2, permutations=50)

    def ranks(table: Rows) -> dict[Any, tuple[float, ...]]:
        columns = list(zip(*(cells[1:] for cells in table), strict=True))
        return {
            cells[0]: tuple(
                (sum(x < v for x in column) + Fraction(sum(x == v for x in column) + 1, 2)) / len(table)
                for v, column in zip(cells[1:], columns, strict=True)
            )
            for cells in table
        }

    x, y = ranks(rows), ranks(release)
    right = 0.0
    for one in "12345":
        far = {o: max(abs(a - b) for a, b in zip(x[one], y[o], strict=True)) for o in "12345"}
        right += (far[one] == min(far.values())) / list(far.values()).count(min(far.values()))
    assert found["records"] == 5
    assert found["rate"] == pytest.approx(right / 5)
    assert 0 < found["p_value"] <= 1
    assert found == again
    assert few["records"] == 2


def test_a_blind_link_by_hand() -> None:
    """Of four shuffled records each is linked rightly one time in four, and all of them one time in 24."""
    with connect() as connection:
        make(connection, {"k": "INTEGER", "a": "INTEGER"}, [(n, n) for n in range(4)])
        found = row(connection, "record_linkage", original="t", release="t", key="k", columns=["a"], seed=0,
                    most=9, permutations=800)  # fmt: skip
    assert (found["records"], found["rate"]) == (4, 1)
    assert found["blind_rate"] == pytest.approx(1 / 4, abs=0.04)
    assert found["p_value"] == pytest.approx(1 / 24, abs=0.03)


@pytest.mark.parametrize("name", NAMES[::7])
def test_hostile_names(name: str) -> None:
    with connect() as connection:
        make(connection, {name: "INTEGER", "n": "INTEGER"}, [(1, 1), (2, 2), (4, 3)], name)
        given = {"original": name, "release": name}
        assert row(connection, "total_variation", **given, columns=[name])["total_variation"] == 0
        assert row(connection, "information_of_release", **given, columns=[name])["information"] == 1
        assert row(connection, "correlation_change", **given, first=name, second=name)["correlation"] == 1
        found = row(
            connection, "record_linkage", **given, key="n", columns=[name], most=9, permutations=9, seed=0
        )
        assert found["rate"] == 1


@pytest.mark.slow
def test_the_statements_for_two_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    people = (
        "SELECT i AS number, i * 7 % 41 AS age, i * i % 97 AS pay, 'j' || i % 5 AS job FROM range(90) AS t(i)"
    )
    parquet(tmp_path / "people.parquet", people)
    parquet(tmp_path / "r.parquet", f"SELECT age + 1 AS age, pay, number, job FROM ({people})")
    for metric in ("total_variation", "information_of_release", "correlation_change", "record_linkage"):
        shown = command("sql", "show", metric, "people.parquet", "--user", "", "--release", "r.parquet")
        assert shown.code == 0, shown.err
        assert len(duckdb.sql(shown.out.rstrip().rstrip(";")).fetchall()) == 1
        alone = command("sql", "show", metric, "people.parquet", "--user", "")
        assert "write its name or its file in its place" in alone.out
        assert command("explain", metric).code == 0
    shown = command("sql", "show", "equivalence_classes", "people.parquet", "--user", "")
    assert duckdb.sql(shown.out.rstrip().rstrip(";")).fetchall()[0][0] > 5
    for arguments, words in (
        (["equivalence_classes", "people.parquet", "--release", "r.parquet"], ["leave out --release"]),
        (["correlation_change", "people.parquet", "--attribute", "age"], ["two columns of numbers"]),
        (["total_variation", "people.parquet", "--release", "no.parquet"], ["no.parquet"]),
    ):
        refused(
            3 if "no.parquet" in arguments else 2,
            *words,
            arguments=["sql", "show", *arguments, "--user", ""],
        )


def test_sets_of_numbers_stand_for_all_that_they_hold(tmp_path: Path) -> None:
    """Numbers of a set are not neighbours; a cell that covers nothing is left out, and told."""
    covered = {1: (1, 9), 9: (1, 9), 2: (2,), 5: (5, 14), 14: (5, 14)}
    rows = [([1, 2, 5, 9, 14][i * 7 % 5], i * 5 % 13, "abc"[i // 7 % 3]) for i in range(60)]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE o (x INTEGER, y INTEGER, g VARCHAR)")
        connection.executemany("INSERT INTO o VALUES (?, ?, ?)", rows)
        connection.execute(f"COPY o TO '{tmp_path / 'o.parquet'}'")
        connection.execute("CREATE TABLE r (x VARCHAR, y INTEGER, g VARCHAR)")
        made_of = [("{" + ";".join(map(str, covered[x])) + "}", y, g) for x, y, g in rows]
        connection.executemany("INSERT INTO r VALUES (?, ?, ?)", [*made_of, ("{3;4}", 5, "a")])
        connection.execute(f"COPY r TO '{tmp_path / 'r.parquet'}'")
    report = duckrisk.compare(
        tmp_path / "o.parquet", tmp_path / "r.parquet", attributes=["x", "y", "g"], user="", only=["utility"]
    )
    utility = report.data["tables"][1]["utility"]
    means = [statistics.mean(covered[x]) for x, _, _ in rows]
    inside = [statistics.pvariance(covered[x]) for x, _, _ in rows]
    ys = [y for _, y, _ in rows]
    spread = (statistics.pvariance(means) + statistics.mean(inside)) * statistics.pvariance(ys)
    both = statistics.covariance(means, ys) * (len(rows) - 1) / len(rows)
    assert utility["correlations"][0]["correlation"] == pytest.approx(both / math.sqrt(spread), abs=1e-9)
    losses = []
    for group in "abc":
        before = statistics.mean(x for x, _, g in rows if g == group)
        after = statistics.mean(m for m, (_, _, g) in zip(means, rows, strict=True) if g == group)
        losses.append(abs(before - after) / max(before, after))
    loss = next(e["loss"] for e in utility["subsets"] if (e["category"], e["number"]) == ("g", "x"))
    assert loss == pytest.approx(statistics.mean(losses), abs=1e-9)
    assert "One cell of x in r.parquet covers no value of the original" in " ".join(report.to_text().split())


def test_groups_of_more_numbers_than_are_paired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Correlations are those of the first numbers alone, the means of groups those of all."""
    monkeypatch.setattr("duckrisk.release.comparison.utility.MAX_PAIRED", 5)
    groups = ["ab"[i // 3 % 2] for i in range(30)]
    columns = [[(i * i + 7 * n) % (5 + n) for i in range(30)] for n in range(7)]
    moved = [column[1:] + column[:1] for column in columns]
    for name, numbers in (("o", columns), ("r", moved)):
        lines = ["g," + ",".join(f"n{n}" for n in range(7))]
        lines += [",".join(map(str, line)) for line in zip(groups, *numbers, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    attributes = ["g", *(f"n{n}" for n in range(7))]
    found = duckrisk.compare(
        tmp_path / "o.csv", tmp_path / "r.csv", attributes=attributes, user="", only=["utility"]
    )
    utility = found.data["tables"][1]["utility"]
    assert len(utility["correlations"]) == 5 * 4 / 2

    def mean(column: list[int], group: str) -> float:
        return statistics.mean(x for x, g in zip(column, groups, strict=True) if g == group)

    losses = {e["number"]: e["loss"] for e in utility["subsets"] if e["category"] == "g"}
    assert set(losses) == {f"n{n}" for n in range(7)}
    for n, (before, after) in enumerate(zip(columns, moved, strict=True)):
        ends = [(mean(before, group), mean(after, group)) for group in "ab"]
        expected = statistics.mean(abs(x - y) / max(x, y) for x, y in ends)
        assert losses[f"n{n}"] == pytest.approx(expected, abs=1e-9), n


def test_groups_of_dates_in_intervals_that_overlap(tmp_path: Path) -> None:
    """A record counts in each day that its interval covers, by the share of that."""
    rows = [(i * 7 % 10, i * i % 17) for i in range(100)]
    cells = [(max(0, day - i % 3), min(9, day + i % 2)) for i, (day, _) in enumerate(rows)]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE o (d DATE, y INTEGER)")
        dates = [(f"2020-01-{day + 1:02}", y) for day, y in rows]
        connection.executemany("INSERT INTO o VALUES (?, ?)", dates)
        connection.execute(f"COPY o TO '{tmp_path / 'o.parquet'}'")
        connection.execute("CREATE TABLE r (d VARCHAR, y INTEGER)")
        wide = [
            (f"[2020-01-{a + 1:02}, 2020-01-{b + 1:02}]", y)
            for (a, b), (_, y) in zip(cells, rows, strict=True)
        ]
        connection.executemany("INSERT INTO r VALUES (?, ?)", wide)
        connection.execute(f"COPY r TO '{tmp_path / 'r.parquet'}'")
    found = duckrisk.compare(
        tmp_path / "o.parquet", tmp_path / "r.parquet", attributes=["d", "y"], user="", only=["utility"]
    )
    losses = []
    for day in range(10):
        before = statistics.mean(y for known, y in rows if known == day)
        shares = [(1 / (b - a + 1), y) for (a, b), (_, y) in zip(cells, rows, strict=True) if a <= day <= b]
        after = math.fsum(share * y for share, y in shares) / math.fsum(share for share, _ in shares)
        losses.append(abs(before - after) / max(before, after))
    (subset,) = found.data["tables"][1]["utility"]["subsets"]
    assert subset["loss"] == pytest.approx(statistics.mean(losses), abs=1e-9)


def test_cells_that_values_fall_into_by_hand() -> None:
    """Of the values 0 to 3 the interval w2 covers 1 and 2, and a set those named x and z."""
    kinds = {"cell": "INTEGER", "layer": "VARCHAR", "name": "VARCHAR", "first": "INTEGER", "last": "INTEGER"}
    cells = [
        (0, "value", None, 3, 3, None), (1, "value", "y", None, None, None), (2, "w2", None, 1, 2, None),
        (3, "set", None, None, None, ["x", "z", "x"]), (4, "label", "x", None, None, None),
        (5, "all", None, 0, 3, None),
    ]  # fmt: skip
    with connect() as connection:
        make(connection, kinds | {"members": "VARCHAR[]"}, cells, "cells")
        make(connection, {"code": "INTEGER", "name": "VARCHAR"}, enumerate("xyzv"), "leaves")
        names = [(0, "x", "label"), (1, "y", "value"), (0, "x", "value")]
        make(connection, {"code": "INTEGER", "name": "VARCHAR", "layer": "VARCHAR"}, names, "names")
        tables = {"leaves": "leaves", "names": "names", "cells": "cells", "table": "reach"}
        run(connection, "leaf_cells", **tables, intervals=["w2"], layers=["value", "label"])
        found = connection.execute("SELECT layer, code, cell FROM reach ORDER BY ALL").fetchall()
    assert found == [
        ("label", 0, 4), ("set", 0, 3), ("set", 2, 3), ("value", 1, 1), ("value", 3, 0),
        ("w2", 1, 2), ("w2", 2, 2),
    ]  # fmt: skip


def test_the_work_of_looking_combinations_up_by_hand() -> None:
    """Of two ways in the release, 3 and 1, one is left where the second bit is written out; a false record is
    no work, and of a cell that is compared by ranges one row is written."""
    kinds = dict.fromkeys(("m0", "again", "s0", "s1", "false_cells"), "INTEGER")
    released = [(3, 0, 2, 5, 0), (3, 1, 4, 7, 0), (1, 0, 1, 3, 0), (2, 0, 9, 9, 1)]
    choices = {"choices": [[], [0], [0, 1]], "kept_bits": [[3], [1], [0]], "again_masks": [0, 0, 1]}
    with connect() as connection:
        make(connection, kinds, released, "releases")
        make(connection, {"n": "INTEGER"}, [(1,), (2,), (3,)], "originals")
        found = run(connection, "release_work", words=[0], **choices)
    wanted = [(0, 3 * 2, 1 + 1 + 1), (1, 3 * 1, 2 + 4 + 1), (2, 3 * 1, 2 * 5 + 1 * 3)]
    assert sorted(tuple(one.values()) for one in found) == wanted


def test_mean_losses_by_hand() -> None:
    given = {"attributes": ["0.1", "0.3"], "cross_tables": [], "changes": ["-0.5", None], "subsets": ["0.4"]}
    with connect() as connection:
        found = row(connection, "mean_losses", **given)
    assert list(found.values()) == pytest.approx([0.2, None, 0.75, 0.4])


@pytest.mark.parametrize(
    ("numeric", "penalty"), [(True, 2 * 20 / 40 + 4 * 20 / 40), (False, 2 * 3 / 5 + 4 * 2 / 5)]
)
def test_what_cells_lose_by_hand(numeric: bool, penalty: float) -> None:
    """Of five values from 10 to 50 the interval covers three, of which 10 to 30 counts, and the set two."""
    columns = {"records": "INTEGER", "name": "VARCHAR", "layer": "VARCHAR"}
    columns |= dict.fromkeys(("size", "first", "last", "low", "high"), "INTEGER")
    cells = [
        (3, "20", "value", 1, 2, 2, None, None), (2, "[5, 30]", "interval 25", 3, 1, 3, 5, 30),
        (4, "{30, 50}", "set", 2, 3, 5, None, None), (1, "*", "all", 5, 1, 5, None, None),
        (1, None, "all", 5, 1, 5, None, None), (2, "zz9", "false", 0, 0, -1, None, None),
        (5, "90-ab", "false", 0, 0, -1, None, None),
    ]  # fmt: skip
    with connect() as connection:
        make(connection, columns, cells, "cells")
        make(connection, {"code": "INTEGER", "place": "DOUBLE"}, [(n, 10 * n) for n in range(1, 6)], "leaves")
        found = row(
            connection, "release_cell_losses", leaves="leaves", cells="cells", ranged=numeric, moments=False
        )
    wanted = {"unchanged": 3, "suppressed": 2, "generalised": 6, "false_cells": 7, "missing": 1}
    assert found == {"ncp": pytest.approx(penalty + 2 + 7), **wanted, "false_form": "9-a"}


@pytest.mark.parametrize(
    "places", [(-math.inf, 1.0, 2.0, math.inf), (0, 1, 2, math.nan), (-1.7e308, 0, 1, 1.7e308)]
)
def test_cells_of_numbers_without_a_width(places: tuple[float, ...]) -> None:
    """Where the width of the column is not finite, a cell loses the share of the values that it covers."""
    columns = {
        "records": "BIGINT", "name": "VARCHAR", "layer": "VARCHAR", "size": "INTEGER",
        "first": "INTEGER", "last": "INTEGER", "low": "DOUBLE", "high": "DOUBLE",
    }  # fmt: skip
    cells = [
        (4, "[0, 5[", "interval 5", 2, 2, 3, 0, 5), (1, "x", "value", 1, 1, 1, None, None),
        (2, "{1, 2, 3}", "set", 3, 1, 3, None, None),
    ]  # fmt: skip
    with connect() as connection:
        make(connection, columns, cells, "cells")
        make(connection, {"code": "INTEGER", "place": "DOUBLE"}, list(enumerate(places, 1)), "leaves")
        found = row(
            connection, "release_cell_losses", leaves="leaves", cells="cells", ranged=True, moments=False
        )
    assert found["ncp"] == pytest.approx(4 * 2 / 4 + 2 * 3 / 4)


def test_keys_that_are_not_there_once_are_linked_to_nobody() -> None:
    """Twice in one table, three times in the other, in one alone, or missing: two of eight keys are left."""
    original = [("a", 1), ("b", 2), ("c", 3), ("c", 4), ("d", 5), ("e", 6), ("g", 7), (None, 8)]
    release = [("a", 1), ("b", 2), ("e", 6), ("e", 6), ("e", 6), ("f", 6), ("h", 7), ("h", 7), (None, 8)]
    with connect() as connection:
        for name, rows in (("o", original), ("r", release)):
            put(connection, name, "k:VARCHAR a", *rows)
        found = row(
            connection, "record_linkage", original="o", release="r", key="k", columns=["a"], seed=0, most=9,
            permutations=1,
        )  # fmt: skip
    assert (found["records"], found["rate"]) == (2, 1)
