"""The steps that look for disclosed values while classes are made, on drawn groups, by the definition."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import duckdb
import pytest

from duckrisk.engine.templates import render
from tests.tables import attribute, connect, put, run, tell

#: People with a value, and all people: three values of one form, and two of another.
RARE = {100: (3, 5), 101: (4, 6), 102: (1, 50), 200: (5, 8), 201: (1, 9)}
SEEDS = range(3)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


class Row(NamedTuple):
    """Records of a group that are alike."""

    group: int
    unit: int
    n: int
    person: int | None
    values: tuple[int | None, int | None]


def draw_rows(seed: int, people: bool) -> list[Row]:
    """Draw groups in which all have a value, all but one, or all but two; units are 0 to 4."""
    chance = random.Random(seed)
    rows, person = [], 0
    for group in range(18):
        size = chance.choice([1, 2, 3, 4, 9, 10, 10, 20])
        holders = max(0, size - chance.choice([0, 0, 1, 1, 2]))
        value = chance.choice([*RARE, 999])
        units = chance.choice([[chance.randrange(5)], [0, 1, 1, 2, 3, 4, 4]])
        often = chance.choice([0, 0.5])
        for member in range(size):
            values: list[int | None] = [chance.choice([None, 100, 102]), chance.choice([None, 200, 201])]
            form = int(200 <= value < 300)
            values[form] = value if member < holders else None
            n = 1 if people or chance.random() < 0.8 else chance.choice([1, 2])
            unit = chance.choice(units)
            rows.append(Row(group, unit, n, person if people else None, (values[0], values[1])))
            if people and member < holders and chance.random() < often:
                rows.append(Row(group, chance.choice(units), 2, person, (values[0], values[1])))
            person += 1
        if people and chance.random() < 0.5:
            rows.append(Row(group, chance.choice(units), 1, None, (value, None)))
    return rows


def put_values(connection: duckdb.DuckDBPyConnection, rows: Iterable[Row]) -> None:
    owned = {(row.person, value) for row in rows if row.person is not None for value in row.values if value}
    put(connection, "quasi_owned", "person value", *sorted(owned))
    put(connection, "quasi_rare", "value people total", *((value, *of) for value, of in RARE.items()))


def count(rows: Iterable[Row], people: bool) -> int:
    """Count the people or the records of rows."""
    if people:
        return len({row.person for row in rows} - {None})
    return sum(row.n for row in rows)


def is_disclosing(rows: list[Row], people: bool, margin: float = 0) -> bool:
    """Return whether nine of ten have a value, and half as many again as in the table."""
    size = count(rows, people)
    for value, (rare, total) in RARE.items():
        had = count([row for row in rows if value in row.values], people)
        enough = had + margin * math.sqrt(size)
        if had and 10 * enough >= 9 * size and 2 * enough * total >= 3 * rare * size:
            return True
    return False


def gather(rows: Iterable[Row], key: Callable[[Row], Any]) -> dict[Any, list[Row]]:
    groups: defaultdict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def list_columns(rows: Iterable[Row]) -> list[tuple[Any, ...]]:
    return [(row.group, row.unit, row.n, row.person, *row.values) for row in rows]


# --- the groups of local recoding ------------------------------------------------------------------


@pytest.mark.parametrize("people", [False, True])
def test_sides_and_grown_classes_that_disclose(connection: duckdb.DuckDBPyConnection, people: bool) -> None:
    both = set()
    for seed in SEEDS:
        rows = draw_rows(seed, people)
        put_values(connection, rows)
        columns = "group a0 n person s0 s1"
        put(connection, "local_sided", columns.replace("group", "part"), *list_columns(rows))
        run(connection, "local_disclosed", people=people, count=2)
        groups = gather(rows, lambda row: row.group)
        expected = [group for group, of in groups.items() if is_disclosing(of, people)]
        assert sorted(tell(connection, "FROM local_disclosing")) == [(group,) for group in sorted(expected)]
        members = [(group // 3, group % 3, *others) for group, *others in list_columns(rows)]
        put(connection, "growing_members", columns.replace("group", "part class"), *members)
        run(connection, "growing_disclosed", people=people, count=2)
        assert sorted(tell(connection, "FROM local_disclosing")) == sorted(
            (group // 3, group % 3) for group in expected
        )
        both |= {group in expected for group in groups}
    assert both == {False, True}


@pytest.mark.parametrize("people", [False, True])
def test_cuts_with_a_side_that_discloses(connection: duckdb.DuckDBPyConnection, people: bool) -> None:
    """Every cut of a range and of a set; groups of more than 16 tuples are measured on a sample."""
    margins = set()
    for seed in range(5):
        rows = draw_rows(seed, people)
        put_values(connection, rows)
        work = [(group // 2, *others, unit) for group, unit, *others in list_columns(rows)]
        put(connection, "work", "part n person s0 s1 a0", *work)
        connection.execute("ALTER TABLE work ADD COLUMN a1 BIGINT")
        connection.execute("UPDATE work SET a1 = 4 - a0")
        parts = gather(rows, lambda row: row.group // 2)
        cuts = [(0, cut, 0, set(range(cut + 1))) for cut in range(5)]
        cuts += [(1, 0, 9, {4, 1}), (1, 0, 2, {3}), (1, 0, 28, {2, 1, 0})]
        best = [(part, *cut[:3], number) for part in parts for number, cut in enumerate(cuts)]
        put(connection, "local_best", "part attribute cut bits number", *best)
        put(connection, "local_parts", "part tuples", *((part, len(of)) for part, of in parts.items()))
        asked = {"sets": [0, 1], "sample": 16, "people": people, "count": 2}
        run(connection, "local_disclosing", source="work", **asked)
        expected = set()
        for part, of in parts.items():
            margin = 1.2 if len(of) > 16 else 0
            for number, (*_, low) in enumerate(cuts):
                sides = [[row for row in of if (row.unit in low) == is_low] for is_low in (True, False)]
                if any(is_disclosing(side, people, margin) for side in sides):
                    expected.add((part, number))
                    margins.add(margin)
        assert sorted(tell(connection, "FROM local_disclosing")) == sorted(expected)
    assert margins == {0, 1.2}


# --- the classes of uniform forms ------------------------------------------------------------------

OPEN = "class a0 n person s0 s1"


def put_open(connection: duckdb.DuckDBPyConnection, rows: list[Row], people: bool) -> None:
    """Make the classes that are cut; of people their records of a unit, without their values."""
    put(connection, "uniform_open", OPEN, *list_columns(rows))
    if people:
        connection.execute("ALTER TABLE uniform_open DROP COLUMN s0")
        connection.execute("ALTER TABLE uniform_open DROP COLUMN s1")


def list_lost(
    rows: Iterable[Row], side: Callable[[Row], Any], people: bool, k: int, sensitive: bool
) -> list[Row]:
    """List the rows of the sides of classes that are too small or disclose a value."""
    sides = gather(rows, lambda row: (row.group, side(row)))
    return [
        row
        for of in sides.values()
        if count(of, people) < k or (sensitive and is_disclosing(of, people))
        for row in of
    ]


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("sensitive", [False, True])
def test_what_cuts_of_a_column_delete(
    connection: duckdb.DuckDBPyConnection, people: bool, missing: bool, sensitive: bool
) -> None:
    """Each cut by itself, as a figure and as made: missing values are unit 0 and can be a side."""
    for seed in SEEDS:
        rows = [row for row in draw_rows(10 + seed, people) if missing or row.unit]
        put_values(connection, rows)
        asked = {"attribute": 0, "missing": missing, "people": people, "k": 2, "count": 2 * sensitive}
        put_open(connection, rows, people)
        changes = run(connection, "uniform_changes", **asked)
        assert [one["rank"] for one in changes] == [*range(int(not missing), 5)]
        for rank in range(1, 5):

            def side(row: Row, rank: int = rank) -> int:
                return 2 if missing and row.unit == 0 else int(row.unit > rank)

            lost = list_lost(rows, side, people, 2, sensitive)
            told = sum(one["uncut"] for one in changes)
            told += sum(one["change"] for one in changes if one["rank"] <= rank)
            assert told == sum(row.n for row in lost)
            assert changes[rank - 5]["n"] == sum(row.n for row in rows if row.unit == rank)
            put_open(connection, rows, people)
            run(connection, "uniform_cut", **asked, above=rank + 1, last=4)
            found = gather(
                tell(connection, "SELECT class, a0, n, person FROM uniform_open"), lambda row: row[0]
            )
            kept = gather((row for row in rows if row not in lost), lambda row: (row.group, side(row)))
            assert sorted(str(sorted((one[1:] for one in of), key=str)) for of in found.values()) == sorted(
                str(sorted((tuple(row[1:4]) for row in of), key=str)) for of in kept.values()
            )


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize("sensitive", [False, True])
def test_what_rungs_delete(connection: duckdb.DuckDBPyConnection, people: bool, sensitive: bool) -> None:
    """Units 1 and 2 are a period, 3 and 4 another; and so the refined classes and those made anew."""
    rungs: list[dict[int, int]] = [{0: 0, 1: 1, 2: 1, 3: 3, 4: 3}, {0: 0, 1: 1, 2: 1, 3: 1, 4: 1}]
    for seed in SEEDS:
        rows = draw_rows(20 + seed, people)
        put_values(connection, rows)
        units = [(unit, *(rung[unit] for rung in rungs)) for unit in range(5)]
        put(connection, "units", "rank u0 u1", *units)
        put_open(connection, rows, people)
        common = {"people": people, "k": 3, "count": 2 * sensitive}
        asked = {"attribute": 0, "units": "units", **common}
        told = run(connection, "uniform_rung_deletions", rungs=[0, 1], **asked)
        losses = [list_lost(rows, lambda row, of=rung: of[row.unit], people, 3, sensitive) for rung in rungs]
        assert [one["deleted"] for one in told] == [sum(row.n for row in lost) for lost in losses]
        run(connection, "uniform_refine", rung=0, **asked)
        left = gather(
            (row for row in rows if row not in losses[0]), lambda row: (row.group, rungs[0][row.unit])
        )
        query = "SELECT SUM(n) FROM uniform_open GROUP BY class ORDER BY 1"
        assert tell(connection, query) == sorted((sum(row.n for row in of),) for of in left.values())
        put(connection, "uniform_rows", "a1 " + OPEN.removeprefix("class "), *list_columns(rows))
        parts = [
            render("uniform_part", attribute=1, coded=False, last=[*range(18)], parts=[*range(18)]),
            render("uniform_rung", attribute=0, rung=1),
        ]
        run(connection, "uniform_classes", ladders=[0], tables=["units"], parts=parts, large=True, **common)
        left = gather(
            (row for row in rows if row not in losses[1]), lambda row: (row.group, rungs[1][row.unit])
        )
        assert tell(connection, query) == sorted((sum(row.n for row in of),) for of in left.values())


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize("sensitive", [False, True])
def test_the_records_that_are_kept(
    connection: duckdb.DuckDBPyConnection, people: bool, sensitive: bool
) -> None:
    """Classes of codes 0 and 1 to 2 and 3 to 4 within a group."""
    for seed in SEEDS:
        rows = [row._replace(n=1) for row in draw_rows(30 + seed, people)]
        put_values(connection, rows)
        records = [(n, row.person, row.group, row.unit) for n, row in enumerate(rows)]
        put(connection, "quasi_records", "record person a1 a0", *records)
        put(connection, "quasi_sensitive", "record s0 s1", *((n, *row.values) for n, row in enumerate(rows)))
        put(connection, "u_groups", "code rank", *((code, code) for code in range(18)))
        put(connection, "u_units", "code rank", (0, 0), (1, 1), (2, 2), (3, 3), (4, 4))
        parts = [
            render("uniform_part", attribute=0, coded=True, last=[2, 4], parts=[0, 1]),
            render("uniform_part", attribute=1, coded=True, last=[*range(18)], parts=[*range(18)]),
        ]
        run(
            connection, "uniform_kept", indices=[0, 1], tables=["u_units", "u_groups"], parts=parts,
            people=people, k=3, count=2 * sensitive,
        )  # fmt: skip
        lost = list_lost(rows, lambda row: (row.unit > 0) + (row.unit > 2), people, 3, sensitive)
        found = tell(connection, "SELECT record, a0, a1 FROM uniform_kept ORDER BY record")
        assert found == [(n, row.unit, row.group) for n, row in enumerate(rows) if row not in lost]
        classes = tell(connection, "SELECT COUNT(DISTINCT class) FROM uniform_kept")
        kept = {(row.group, (row.unit > 0) + (row.unit > 2)) for row in rows if row not in lost}
        assert classes == [(len(kept),)]
        if sensitive and not people:
            names = tell(connection, "SELECT record, s0, s1 FROM uniform_kept ORDER BY record")
            assert names == [(n, *row.values) for n, row in enumerate(rows) if row not in lost]


# --- sensitive values ------------------------------------------------------------------------------


def test_values_of_records_and_of_their_people(connection: duckdb.DuckDBPyConnection) -> None:
    """Six records of four people and nobody: as often as two of three have a value it can be disclosed."""
    records = [
        (1, "ann", "x", 5),
        (2, "ann", "x", None),
        (3, "bob", "x", 5),
        (4, "cat", "y", 7),
        (5, None, "y", 7),
    ]
    records += [(6, "dan", None, 5)]
    put(connection, "t", "record u:VARCHAR a:VARCHAR b", *records)
    put(connection, "quasi_people", "person user_key:VARCHAR", (1, "ann"), (2, "bob"), (3, "cat"), (4, "dan"))
    forms = [attribute("a"), attribute("b")]
    run(connection, "sensitive_values", source="t", user="u", forms=forms)
    told = tell(connection, "SELECT record, person, s0, s1 FROM quasi_sensitive ORDER BY record")
    assert [one[:2] for one in told] == [(1, 1), (2, 1), (3, 2), (4, 3), (5, None), (6, 4)]
    values = dict(zip("xy", (told[0][2], told[3][2]), strict=True)) | {5: told[0][3], 7: told[3][3]}
    assert len({*values.values()} - {None}) == 4
    for record, (_, _, a, b) in zip(told, records, strict=True):
        assert record[2:] == (values.get(a), values.get(b))
    run(connection, "owned_values", people=True, count=2)
    owned = {(person, name) for person, value in tell(connection, "FROM quasi_owned") for name in values
             if values[name] == value}  # fmt: skip
    assert owned == {(1, "x"), (1, 5), (2, "x"), (2, 5), (3, "y"), (3, 7), (4, 5)}
    assert tell(connection, "SELECT COUNT(*) FROM quasi_owned") == [(7,)]
    run(connection, "rare_sensitive_values", people=True)
    expected = {values["x"]: (2, 4), values["y"]: (1, 4), values[7]: (1, 4)}
    assert {value: rest for value, *rest in tell(connection, "FROM quasi_rare")} == {
        value: [*of] for value, of in expected.items()
    }
    run(connection, "sensitive_values", source="t", user=None, forms=forms)
    run(connection, "owned_values", people=False, count=2)
    assert tell(connection, "SELECT person, COUNT(*) FROM quasi_owned GROUP BY person ORDER BY person") == [
        (1, 2), (2, 1), (3, 2), (4, 2), (5, 2), (6, 1),
    ]  # fmt: skip
    run(connection, "rare_sensitive_values", people=False)
    expected = {values["x"]: (3, 6), values["y"]: (2, 6), values[5]: (3, 6), values[7]: (2, 6)}
    found = {value: (people, total) for value, people, total in tell(connection, "FROM quasi_rare")}
    assert found == expected
    connection.execute("INSERT INTO quasi_owned SELECT 9, value FROM quasi_rare WHERE people = 3")
    run(connection, "rare_sensitive_values", people=False)
    assert tell(connection, "SELECT people FROM quasi_rare ORDER BY people") == [(2,), (2,), (4,), (4,)]
    connection.execute("INSERT INTO quasi_owned SELECT 10, value FROM quasi_rare WHERE people = 4")
    run(connection, "rare_sensitive_values", people=False)
    assert tell(connection, "SELECT people FROM quasi_rare ORDER BY people") == [(2,), (2,)]
    run(connection, "leave_owned")
    left = "SELECT DISTINCT value FROM quasi_owned ORDER BY value"
    assert tell(connection, left) == tell(connection, "SELECT value FROM quasi_rare ORDER BY value")
    put(connection, "kept", "record", (2,), (5,))
    run(connection, "leave_sensitive", kept="kept")
    assert tell(connection, "SELECT record FROM quasi_sensitive ORDER BY record") == [(2,), (5,)]
