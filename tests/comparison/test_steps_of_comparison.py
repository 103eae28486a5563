"""The steps of comparisons, each on a table of a few rows, by hand."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from tests.tables import connect, put, row, run, tell


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


# --- what cells cover ----------------------------------------------------------------------------


def test_cells_of_numbers(connection: duckdb.DuckDBPyConnection) -> None:
    """Each form of a cell over the values 10, 15, 20, 30, 40 and a missing one, numbered 1 to 6."""
    put(connection, "o", "v", (30,), (10,), (15,), (20,), (40,), (10,), (None,))
    run(
        connection,
        "original_leaves",
        source="o",
        column="v",
        order_kind="number",
        hierarchy=None,
        table="leaves",
    )
    leaves = [(10, 10.0, 2, 1), (15, 15.0, 1, 2), (20, 20.0, 1, 3), (30, 30.0, 1, 4), (40, 40.0, 1, 5)]
    told = tell(connection, "SELECT value, place, records, code FROM leaves ORDER BY code")
    assert told == [*leaves, (None, None, 1, 6)]
    assert run(connection, "original_values", table="leaves") == [{"leaves": 6}]
    covered = {
        "20": ("value", 1, 3, 3), "20.0": ("value", 1, 3, 3), None: ("value", 1, 6, 6), "*": ("all", 6, 1, 6),
        "[10, 30]": ("interval 20.0", 4, 1, 4), "(10, 30]": ("interval 20.0 open", 3, 2, 4),
        "[10, 30)": ("interval 20.0 half-open", 3, 1, 3), "]10, 30[": ("interval 20.0 without ends", 2, 2, 3),
        "10-20": ("interval 10.0", 3, 1, 3), "10 .. 20": ("interval 10.0", 3, 1, 3),
        ">=30": ("interval inf", 2, 4, 5), "30+": ("interval inf", 2, 4, 5),
        "≤ 20": ("interval inf", 3, 1, 3),
        ">30": ("interval inf open", 1, 5, 5), "<20": ("interval inf half-open", 2, 1, 2),
        "1*": ("prefix 1", 2, 1, 2), "{10, 40}": ("set", 2, 1, 5), "{10; 99}": ("set", 1, 1, 1),
        "[12, 14]": ("false", 0, 0, -1), "99": ("false", 0, 0, -1), "]40, 50]": ("false", 0, 0, -1),
    }  # fmt: skip
    put(connection, "r", "v:VARCHAR", *[(cell,) for cell in covered], ("1*",))
    run(
        connection,
        "release_values",
        source="r",
        column="v",
        order_kind="number",
        kind="BIGINT",
        written=None,
        listed=False,
        table="cells",
    )
    given = {"leaves": "leaves", "cells": "cells", "hierarchy": None, "height": None}
    run(connection, "leaf_names", **given, order_kind="number", table="names")
    tables = {"leaves": "leaves", "cells": "cells", "names": "names", "table": "kept"}
    run(connection, "release_cells", **tables, has_ends=True)
    found = {
        value: tuple(rest)
        for value, *rest in tell(connection, "SELECT value, layer, size, first, last FROM kept")
    }
    assert found == covered
    assert tell(connection, "SELECT records FROM kept WHERE value = '1*'") == [(2,)]
    layers = {one["layer"]: tuple(one.values())[1:] for one in run(connection, "cell_layers", table="kept")}
    # 20 and 20.0 are one value, and the intervals from 10 to 20 begin where others are not over.
    assert layers["value"] == (3, 3, 1, 1.0, True, False)
    assert layers["prefix 1"] == (1, 2, 2, 2.0, False, False)
    assert layers["interval 10.0"] == (2, 2, 3, 3.0, True, True)
    assert layers["interval 20.0"] == (1, 1, 4, 4.0, False, True)
    # Where the original misses nothing, a missing cell is everything.
    connection.execute("DELETE FROM leaves WHERE value IS NULL")
    run(connection, "release_cells", **tables, has_ends=True)
    assert tell(connection, "SELECT layer, size, first, last FROM kept WHERE name IS NULL") == [
        ("all", 5, 1, 5)
    ]


def test_what_values_are_called(connection: duckdb.DuckDBPyConnection) -> None:
    put(
        connection,
        "leaves",
        "code name:VARCHAR place:DOUBLE",
        (1, "a", None),
        (2, "ab", None),
        (3, "abc", None),
        (4, "abd", None),
    )
    put(
        connection,
        "cells",
        "name:VARCHAR place:DOUBLE",
        ("ab*", None),
        ("a*", None),
        ("*", None),
        ("b", None),
    )
    put(
        connection,
        "path",
        "level0:VARCHAR level1:VARCHAR level2:VARCHAR",
        ("a", "short", "any"),
        ("abd", "long", "any"),
    )
    given = {"leaves": "leaves", "cells": "cells", "table": "names"}
    names = "SELECT layer, priority, code, name FROM names WHERE layer <> 'value' ORDER BY ALL"
    run(connection, "leaf_names", **given, order_kind="text", hierarchy="path", height=2)
    by_prefix = [("prefix 1", 4, 2, "a*"), ("prefix 1", 4, 3, "a*"), ("prefix 1", 4, 4, "a*")]
    by_prefix += [("prefix 2", 4, 3, "ab*"), ("prefix 2", 4, 4, "ab*")]
    by_level = [
        ("level 1", 6, 1, "short"),
        ("level 1", 6, 4, "long"),
        ("level 2", 7, 1, "any"),
        ("level 2", 7, 4, "any"),
    ]
    assert tell(connection, names) == by_level + by_prefix
    assert tell(connection, "SELECT priority, code, name FROM names WHERE layer = 'value' ORDER BY code") == [
        (0, 1, "a"), (0, 2, "ab"), (0, 3, "abc"), (0, 4, "abd")
    ]  # fmt: skip
    moment = "EPOCH_US(TIMESTAMP '2021-01-03 10:00:00')"
    put(
        connection,
        "leaves",
        "code name:VARCHAR place:DOUBLE",
        (1, "2021-01-03 10:00:00", None),
        (2, "never", None),
    )
    connection.execute(f"UPDATE leaves SET place = {moment} WHERE code = 1")
    put(connection, "cells", "name:VARCHAR place:DOUBLE", ("2021-01-03T10:00", None), ("2021-01", None))
    connection.execute(f"UPDATE cells SET place = {moment} WHERE LENGTH(name) > 10")
    run(connection, "leaf_names", **given, order_kind="moment", hierarchy=None, height=None)
    units = {
        "day": "2021-01-03",
        "week": "2020-W53",
        "month": "2021-01",
        "quarter": "2021-Q1",
        "year": "2021",
    }
    assert tell(connection, names) == sorted((unit, 5, 1, name) for unit, name in units.items())
    assert tell(connection, "SELECT code, name FROM names WHERE priority = 1") == [(1, "2021-01-03T10:00")]


@pytest.mark.parametrize(
    ("leaves", "told"),
    [
        ([(1, "a", "a"), (2, "b", "b"), (3, None, None)], (True, 3, 2)),
        ([(1, "a", "a"), (2, "b", "b")], (False, 3, 2)),  # a missing cell covers everything then
        ([(1, "a", "a"), (3, None, None)], (False, 3, 2)),
        ([(1, "a", "a"), (2, "b", "b"), (3, None, None), (4, "B", "b")], (False, 4, 2)),
    ],
)
def test_whether_cells_are_values_as_they_were(
    connection: duckdb.DuckDBPyConnection,
    leaves: list[tuple[Any, ...]],
    told: tuple[bool, int, int],
) -> None:
    put(connection, "leaves", "code value:VARCHAR name:VARCHAR", *leaves)
    put(connection, "r", "x:VARCHAR", ("a",), ("b",), ("a",), (None,), (None,))
    given = {"source": "r", "column": "x", "leaves": "leaves", "listed": False}
    run(connection, "plain_cells", **given, table="cells")
    column = row(connection, "plain_column", table="cells", records=5)
    assert (column["plain"], column["cells"], column["missing"]) == told
    if told[0]:
        lost = ("ncp", "unchanged", "suppressed", "generalised", "false_cells")
        assert [column[name] for name in lost] == [0, 5, 0, 0, 0]
        cells = tell(connection, "SELECT value, records, cell, code, layer, size, first, last FROM cells")
        assert sorted(cells, key=str) == sorted(
            [(name, 1 if name == "b" else 2, n, n, "value", 1, n, n) for n, name, _ in leaves], key=str
        )


@pytest.mark.parametrize(
    ("pairs", "all_cells", "disjoint"),
    [([1, 2, 3], 0, True), ([1, 2, 2], 0, False), ([1, 2], 1, False), ([], 1, True), ([], 0, True)],
)
def test_whether_each_value_falls_into_one_cell(
    connection: duckdb.DuckDBPyConnection, pairs: list[int], all_cells: int, disjoint: bool
) -> None:
    put(connection, "reach", "code", *[(code,) for code in pairs])
    put(connection, "cells", "layer:VARCHAR", ("value",), *[("all",)] * all_cells)
    assert run(connection, "leaf_reach", table="reach", cells="cells") == [{"disjoint": disjoint}]


def test_a_column_of_one_number_loses_nothing(connection: duckdb.DuckDBPyConnection) -> None:
    """Two spellings of 10 and a missing value: a set of two of the three has no width."""
    put(connection, "leaves", "code place:DOUBLE", (1, 10), (2, 10), (3, None))
    cells = [(4, "{10, 10.0}", "set", 2, 1, 2, None, None), (3, "*", "all", 3, 1, 3, None, None)]
    put(connection, "cells", "records name:VARCHAR layer:VARCHAR size first last low high", *cells)
    found = row(connection, "release_cell_losses", leaves="leaves", cells="cells", ranged=True, moments=False)
    assert (found["ncp"], found["generalised"], found["suppressed"]) == (3, 4, 3)
    both = row(connection, "total_penalty", penalties=["3.0", "1.5"], records=7, before=9)
    assert list(both.values()) == pytest.approx([4.5, (4.5 + 2 * 2) / 18, 1 - (4.5 + 2 * 2) / 18])
    more = row(connection, "total_penalty", penalties=["3.0", "1.5"], records=9, before=7)
    assert list(more.values()) == pytest.approx([4.5, 4.5 / 18, 1 - 4.5 / 18])


# --- distances -----------------------------------------------------------------------------------


def own_cells(connection: duckdb.DuckDBPyConnection, *cells: int, records: int = 4) -> dict[str, Any]:
    """The bound for four records with the values 1, 1, 3 and 4 of four, by the cells of the released records.

    Cell 1 is the value 1, cell 2 the interval from 1 to 2, cell 3 the set of 3 and 4, cell 4 covers all
    values and cell 5 none. The numbers of the values begin at the second bit of their word.
    """
    put(connection, "original_rows", "record w0", *[(n, v << 1) for n, v in enumerate((1, 1, 3, 4))])
    put(connection, "originals", "w0 records", (2, 2), (6, 1), (8, 1))
    put(connection, "release_rows", "record cell0", *enumerate(cells))
    sizes = {1: 1, 2: 2, 3: 2, 4: 4, 5: 0}
    classes = [(cell, sizes[cell], int(cell == 5), cells.count(cell)) for cell in {*cells}]
    put(connection, "classes", "cell0 s0 false_cells records", *classes)
    kinds = [(1, "value", 1, 1), (2, "interval 1.0", 1, 2), (3, "set", 3, 4), (4, "all", 1, 4)]
    put(connection, "cells", "cell layer:VARCHAR first last", *kinds, (5, "false", 0, -1))
    put(connection, "reach", "layer:VARCHAR code cell", ("value", 1, 1), ("set", 3, 3), ("set", 4, 3))
    given = {
        "words": [0],
        "attributes": [0],
        "leaves": [4],
        "there": [0],
        "cells": ["cells"],
        "reach": ["reach"],
    }
    given |= {"leaf_words": [0], "leaf_shifts": [1], "leaf_masks": [7]}
    return row(connection, "own_cells", **given, records=records, released=len(cells))


def test_what_own_cells_leave(connection: duckdb.DuckDBPyConnection) -> None:
    found = own_cells(connection, 2, 1, 3, 3)
    # The mass on 1 is 1/2 + 1 of four; 3 and 4 have the mass 1 each.
    kl = math.log2((1 / 2) / (3 / 8)) / 2
    assert found == pytest.approx({"records": 4, "kl": kl, "information": 1 - kl / (1 / 2)})
    # The record that is missing lies on all values alike.
    found = own_cells(connection, 2, 1, 3)
    masses = {1: 3 / 2 + 1 / 4, 3: 1 / 2 + 1 / 4, 4: 1 / 4}
    kl = sum(share * math.log2(share / (masses[v] / 4)) for v, share in ((1, 1 / 2), (3, 1 / 4), (4, 1 / 4)))
    assert found == pytest.approx({"records": 3, "kl": kl, "information": 1 - kl / (1 / 2)})
    # A cell that does not cover its record counts for nothing, nor does a false one.
    assert own_cells(connection, 2, 3, 3, 5) == {"records": 2, "kl": None, "information": None}
    # Two records lie evenly on four values: 1/2 on each, and 1 on 3 and 4 by their own cells.
    kl = math.log2((1 / 2) / (1 / 8)) / 2
    assert own_cells(connection, 4, 4, 3, 3)["kl"] == pytest.approx(kl)


PAIRS = ("words", "releases", "part_word", "part_bits", "part")


def distances(connection: duckdb.DuckDBPyConnection, **given: Any) -> list[dict[str, Any]]:
    """The distances over the masses that are found."""
    names = ("sets", "leaves", "records", "released")
    return run(connection, "release_distance", **{name: given[name] for name in names})


def one_way(connection: duckdb.DuckDBPyConnection, **given: Any) -> list[dict[str, Any]]:
    asked = {name: value for name, value in given.items() if name not in ("leaves", "records", "released")}
    run(connection, "one_way_masses", **asked, first_set=0, replace=True)
    return distances(connection, **given)


@pytest.mark.parametrize("released", [4, 3])
def test_distances_where_each_attribute_has_one_way(
    connection: duckdb.DuckDBPyConnection, released: int
) -> None:
    """Values 1 to 3 in the lowest bits, in cells of 1 and 2 or of 3 above, and two values of a second
    attribute, of which a false cell covers none."""
    lows, wide = {1: 1, 2: 1, 3: 2}, {1: 2, 2: 1}
    original = [((1, 1), 2), ((2, 2), 1), ((3, 2), 1)]
    keys = [(low | lows[low] << 2 | high << 4, records) for (low, high), records in original]
    put(connection, "originals", "w0 records", *keys)
    cells = [(1, 1, 0), (2, 2, 0), (1, 0, 2), (1, 2, 0)][:released]
    columns = "f0 s0 s1 false_cells repeated records"
    rows = [(low << 2 | high << 4, wide[low], int(high > 0), false, 0, 1) for low, high, false in cells]
    put(connection, "releases", columns, *rows)
    given = {"words": [0], "leaves": [3, 2], "records": 4, "released": released}
    masks = {"false_masks": [1, 2, 3], "once_masks": [2, 1, 0]}
    sets = {"sets": [[0], [1], [0, 1]], "fields": [[15, 48, 63]], "compared": [[12, 48, 60]], "sizes": [0, 1]}
    found = one_way(connection, **given, **masks, **sets, single_values=False)
    for one, (few, places) in zip(found, [(3, [0]), (2, [1]), (6, [0, 1])], strict=True):
        shares: dict[tuple[int, ...], float] = {}
        for values, records in original:
            key = tuple(values[place] for place in places)
            shares[key] = shares.get(key, 0) + records / 4
        mass = dict.fromkeys(shares, 0.0)
        for low, high, false in cells:
            for key in mass:
                fits = [
                    lows[key[i]] == low if place == 0 else key[i] == high for i, place in enumerate(places)
                ]
                if all(fits) and not any(false >> place & 1 for place in places):
                    mass[key] += 1 / wide[low] if 0 in places else 1
        kl = math.fsum(
            p * math.log2(p / ((mass[key] + (4 - released) / few) / 4)) for key, p in shares.items()
        )
        nothing = math.fsum(p * math.log2(p * few) for p in shares.values())
        apart = [p - mass[key] / released for key, p in shares.items()]
        assert one == pytest.approx(
            {
                "combinations": len(shares),
                "kl": kl,
                "kl_of_nothing": nothing,
                "information": 1 - kl / nothing if nothing > 1e-12 else (1.0 if kl < 1e-12 else None),
                "total_variation": sum(max(0, part) for part in apart),
                "largest_difference": max(map(abs, apart)),
                "uncovered": 0,
            }
        )
    # As values the second attribute alone gives the same, whatever stands in the other.
    only = {name: [per[0][1:2]] if name in ("fields", "compared") else per for name, per in sets.items()}
    only |= {"sets": [[1]], "sizes": [0], "false_masks": [2], "once_masks": [1]}
    assert one_way(connection, **given, **only, single_values=True) == [found[1]]


def test_what_lies_outside_of_a_release_as_values(connection: duckdb.DuckDBPyConnection) -> None:
    """Of the values 1, 1 and 2 a release of two records has 1 and 3, which no record of the original has."""
    put(connection, "originals", "w0 records", (1, 2), (2, 1))
    put(connection, "releases", "f0 false_cells repeated records", (1, 0, 0, 1), (3, 0, 0, 1))
    sets = {"sets": [[0]], "fields": [[3]], "compared": [[3]], "sizes": [], "leaves": [2]}
    masks = {"words": [0], "false_masks": [1], "once_masks": [0]}
    (found,) = one_way(connection, **sets, **masks, single_values=True, records=2, released=2)
    assert (found["combinations"], found["uncovered"]) == (2, 1)
    assert found["kl"] is None
    assert found["information"] is None
    assert found["total_variation"] == pytest.approx(2 / 2 - 1 / 2 + 1 / 2)


def test_parts_of_a_distance_are_the_whole(connection: duckdb.DuckDBPyConnection) -> None:
    """Values 1 to 4 in the lowest bits and two of a second attribute, with * in some cells of the release;
    each record of both tables is in the part of the lowest bit of its first value."""
    original = [(n % 4 + 1 | (n % 3 % 2 + 1) << 3, n % 5 + 1) for n in range(8)]
    put(connection, "originals", "w0 records", *original)
    lows = [n % 4 + 1 for n in range(9)]
    cells = [(low, 7, 2) if low % 2 else (low | 1 << 3, 31, 1) for low in lows]
    columns = "f0 m0 s1 s0 records false_cells repeated again"
    put(connection, "releases", columns, *[(*cell, 1, 1, 0, 0, 0) for cell in cells])
    whole = {"words": [0], "sets": [[0, 1]], "fields": [[31]], "compared": [[31]], "sizes": [1]}
    whole |= {"originals": "originals", "releases": "releases", "listed": False, "bits": 60, "ranges": []}
    whole |= {"range_words": [], "range_shifts": [], "range_masks": [], "false_masks": [3], "once_masks": [0]}
    whole |= {"again_mask": 0, "halvings": None, "first_set": 0, "replace": True}
    whole |= {"part_word": 0, "part_bits": 0, "part": 0}
    run(connection, "release_masses", **whole)
    pairs = [row(connection, "release_pairs", **{k: whole[k] for k in PAIRS})["pairs"]]
    for part in (0, 1):
        asked = whole | {"first_set": 1, "replace": False, "part_bits": 1, "part": part}
        run(connection, "release_masses", **asked)
        pairs.append(row(connection, "release_pairs", **{k: asked[k] for k in PAIRS})["pairs"])
    told = {"sets": [[0, 1], [0, 1]], "leaves": [4, 2], "records": 22, "released": 9}
    first, parts = distances(connection, **told)
    assert first == parts
    assert first["combinations"] > 4
    assert 0 < first["total_variation"] < 1
    assert pairs[0] == pairs[1] + pairs[2] > 0


def test_correlations_of_alike_records(connection: duckdb.DuckDBPyConnection) -> None:
    """Each record counts; what spreads less than a millionth of the whole has no correlation."""
    rows = [(0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]
    put(connection, "o", "a:DOUBLE b:DOUBLE", *rows)
    given = {"original": "o", "release": "r", "first": "a", "second": "b"}
    for spread, correlation in ((4e-6, 1.0), (1e-6, None)):
        put(connection, "r", "a:DOUBLE b:DOUBLE", (0.5, 0.25), (0.5 + spread, 0.75))
        for ends in (given, given | {"first": "b", "second": "a"}):
            found = row(connection, "correlation_change", **ends)
            assert found["original_correlation"] == pytest.approx(
                statistics.correlation(*zip(*rows, strict=True))
            )
            assert found["correlation"] == (correlation and pytest.approx(correlation, abs=1e-3))


def test_a_record_that_is_there_twice_has_no_counterpart(connection: duckdb.DuckDBPyConnection) -> None:
    put(connection, "o", "k a", (1, 5), (2, 6), (3, 7))
    put(connection, "r", "k a", (1, 5), (2, 6), (3, 7), (3, 7))
    given = {"original": "o", "release": "r", "key": "k", "columns": ["a"], "most": 9, "seed": 0}
    assert row(connection, "record_linkage", **given, permutations=3)["records"] == 2


@pytest.mark.parametrize(("turned", "rate", "p_value"), [(False, 1.0, 1 / 41), (True, 0.0, 1.0)])
def test_how_likely_a_blind_link_is(
    connection: duckdb.DuckDBPyConnection, turned: bool, rate: float, p_value: float
) -> None:
    """Of eight records all are linked, which no shuffled release comes to; or none, as in any other one."""
    numbers = range(8)
    put(connection, "o", "number r0 r1", *[(n, n, 7 - n) for n in numbers])
    released = [(n, (n + 4) % 8, 7 - (n + 4) % 8) if turned else (n, n, 7 - n) for n in numbers]
    put(connection, "r", "number r0 r1", *released)
    found = row(connection, "linkage", original="o", release="r", attributes=2, permutations=40, seed=1)
    assert (found["records"], found["rate"], found["p_value"]) == (8, rate, p_value)
    assert 0 < found["blind_rate"] < 0.5


# --- means ---------------------------------------------------------------------------------------


def test_means_of_cells(connection: duckdb.DuckDBPyConnection) -> None:
    """The values 0, 10, 30 and 40 lie at 0, 1/4, 3/4 and 1."""
    put(connection, "leaves", "code place:DOUBLE", (1, 0), (2, 10), (3, 30), (4, 40), (5, None))
    cells = [("10", 2, "value", 1, 2, 2), ("[0, 30]", 1, "interval 30.0", 3, 1, 3), ("*", 3, "all", 5, 1, 5)]
    cells += [("{0, 40}", 4, "set", 2, 1, 4), ("9", 5, "false", 0, 0, -1), ("none", 6, "false", 0, 0, -1)]
    cells += [(None, 7, "value", 1, 5, 5)]
    columns = "value:VARCHAR cell layer:VARCHAR size first last sort_value:DOUBLE"
    put(connection, "cells", columns, *[(*cell, 9 if cell[0] == "9" else None) for cell in cells])
    put(connection, "reach", "cell code", (2, 2), (4, 1), (4, 4))
    tables = {"leaves": "leaves", "cells": "cells", "reach": "reach"}
    run(connection, "cell_means", **tables, single_values=False, table="means")
    assert dict(tell(connection, "SELECT value, part FROM means"))["[0, 30]"] == pytest.approx(1 / 3)
    told = {
        value: (float(mean), float(square)) for _, value, mean, square, _ in tell(connection, "FROM means")
    }
    means = {
        "10": (1 / 4, 1 / 16),
        "[0, 30]": (1 / 3, 10 / 48),
        "*": (1 / 2, 26 / 64),
        "{0, 40}": (1 / 2, 1 / 2),
        "9": (9 / 40, 81 / 1600),
    }
    assert told.keys() == means.keys()
    assert all(told[value] == pytest.approx(means[value], abs=1e-15) for value in means)
    rows = [
        ("10", "10", "*"), ("10", "*", None), ("[0, 30]", "{0, 40}", "10"), ("*", "*", "{0, 40}"),
        ("10", "10", "[0, 30]"), ("9", "10", "10"), (None, "*", "*"),
        ("none", "*", "10"),
    ]  # fmt: skip
    put(connection, "r", "a:VARCHAR b:VARCHAR c:VARCHAR", *rows)
    pairs = [(0, 1), (0, 2), (1, 2), (2, 2)]
    tables = {"columns": ["a", "b", "c"], "tables": ["cells"] * 3, "numbers": [0, 1, 2], "leaves": [5] * 3}
    run(connection, "release_classes", source="r", **tables)
    given = {"numbers": [0, 1, 2], "means": ["means"] * 3, "pairs": pairs}
    before = ["0.25", None, "-0.5", None]
    found = run(connection, "cell_correlation", **given, before=before)
    for (first, second), was, one in zip(pairs, before, found, strict=True):
        known = [
            (means[row[first]], means[row[second]]) for row in rows if {row[first], row[second]} <= {*means}
        ]
        expected = _correlation(known)
        assert one["correlation"] == pytest.approx(expected)
        assert one["change"] == (pytest.approx(expected - float(was)) if was is not None else None)


def _correlation(known: list[tuple[tuple[float, float], tuple[float, float]]]) -> float:
    """Pearson's, of pairs of a mean and a mean square each."""
    x, y = ([one[side][0] for one in known] for side in (0, 1))
    wide = [
        statistics.mean(one[side][1] for one in known) - statistics.mean((x, y)[side]) ** 2 for side in (0, 1)
    ]
    products = statistics.mean(a * b for a, b in zip(x, y, strict=True))
    return (products - statistics.mean(x) * statistics.mean(y)) / math.sqrt(wide[0] * wide[1])


def test_means_of_cells_as_parts_of_the_largest(connection: duckdb.DuckDBPyConnection) -> None:
    """Numbers from -10 to 20, of which 20 is the largest; the infinite ones count for nothing."""
    put(connection, "leaves", "code place:DOUBLE", (1, -10), (2, 5), (3, 20), (4, math.inf), (5, None))
    cells = [("a", 1, "value", 1, 1, 1), ("b", 2, "interval 15.0", 2, 1, 2), ("*", 3, "all", 5, 1, 5)]
    cells += [(name, 4 + place, "false", 0, 0, -1) for place, name in enumerate(("8", "1e30", "inf", "x"))]
    besides = {"8": 8, "1e30": 1e30, "inf": math.inf}
    columns = "value:VARCHAR cell layer:VARCHAR size first last sort_value:DOUBLE"
    put(connection, "cells", columns, *[(*cell, besides.get(cell[0])) for cell in cells])
    put(connection, "reach", "cell code")
    tables = {"leaves": "leaves", "cells": "cells", "reach": "reach"}
    run(connection, "cell_means", **tables, single_values=False, table="means")
    parts = dict(tell(connection, "SELECT value, part FROM means"))
    assert parts == pytest.approx({"a": -1 / 2, "b": -1 / 8, "*": 1 / 4, "8": 8 / 20, "1e30": None})


def test_means_of_groups(connection: duckdb.DuckDBPyConnection) -> None:
    """Categories x, y and a missing one; numbers from -10 to 20, of which 20 is the largest."""
    put(connection, "leaves", "code value:VARCHAR", (1, "x"), (2, "y"), (3, None))
    cells = [("x", 1, "value", 1, 1, 1), ("*", 2, "all", 3, 1, 3), ("x to y", 3, "interval 1.0", 2, 1, 2)]
    cells += [("first", 5, "interval 2.0", 1, 1, 2), (None, 4, "value", 1, 3, 3)]
    put(connection, "cells", "value:VARCHAR cell layer:VARCHAR size first last", *cells)
    put(connection, "reach", "cell code", (1, 1), (4, 3), (5, 1))
    put(connection, "means", "cell value:VARCHAR part:DOUBLE", (1, "5", 0.25), (2, "20", 1.0), (3, None, 1.0))
    put(connection, "others", "cell value:VARCHAR part:DOUBLE", (1, "2", -0.5))
    # In columns 4 and 7 the records are (x, 5) twice, (*, 20), (x to y, 5), (first, 20), (none, 5),
    # and (x, none). The columns 6 and 9 are "2" where the first is x, and "?" elsewhere.
    classes = [(1, 1, 1, 1, 1, 1, 2), (2, 3, None, None, 2, 2, 1), (3, 2, None, None, 1, 2, 1)]
    classes += [(5, 1, None, None, 2, 2, 1), (4, 1, None, None, 1, 2, 1), (1, 1, 1, 1, 3, 1, 1)]
    put(connection, "classes", "cell4 s4 cell6 s6 cell7 cell9 records", *classes)
    # The column of "?" has one category, which no record of a missing number is in.
    put(connection, "other_leaves", "code value:VARCHAR", (1, "2"), (3, "?"))
    columns = "value:VARCHAR cell layer:VARCHAR size first last"
    put(connection, "other_cells", columns, ("2", 1, "value", 1, 1, 1))
    put(connection, "other_reach", "cell code", (1, 1), (3, 1))  # cell 3 is one of the first column alone
    given = {"categories": [4, 6], "leaves": ["leaves", "other_leaves"]}
    given |= {"cells": ["cells", "other_cells"], "reach": ["reach", "other_reach"]}
    numbers = {"columns": [7, 9], "numbers": [7, 9], "means": ["means", "others"]}
    run(connection, "group_means", **given, **numbers, single_values=False, table="groups")
    one = {name: values[1:] for name, values in given.items()}
    run(connection, "group_means", **one, **numbers, single_values=True, table="single")
    single = tell(connection, "FROM single ORDER BY ALL")
    assert single == tell(connection, "FROM groups WHERE category = 6 ORDER BY ALL")
    other = "FROM groups WHERE category = 6"
    told = tell(connection, f"SELECT number, code, weight, total {other} ORDER BY ALL")
    assert told == [(7, 1, 2, 0.5), (9, 1, 3, -1.5)]
    connection.execute(f"DELETE {other}")
    assert tell(connection, "SELECT code, weight, total FROM groups WHERE number = 9") == [(1, 3, -1.5)]
    told = tell(connection, "SELECT code, weight, total FROM groups WHERE number = 7 ORDER BY code")
    assert [one[0] for one in told] == [1, 2]
    assert told[0][1:] == pytest.approx((2 + 1 / 3 + 1 / 2 + 1, 2 / 4 + 1 / 3 + 1 / 8 + 1))
    assert told[1][1:] == pytest.approx((1 / 3 + 1 / 2, 1 / 3 + 1 / 8))
    put(
        connection,
        "before",
        "category number code weight:DOUBLE total:DOUBLE",
        (4, 7, 1, 2, 4),
        (4, 7, 2, 1, -3),
        (4, 7, 3, 1, 0),
        (4, 7, 4, 5, 5),
        (4, 7, 5, 1, 9),
        (4, 9, 1, 1, 1),
        (6, 7, 1, 1, 2),
    )
    put(
        connection,
        "after",
        "category number code weight:DOUBLE total:DOUBLE",
        (4, 7, 1, 2, 3),
        (4, 7, 2, 1, -4),
        (4, 7, 3, 1, 0),
        (4, 7, 5, 3, 27),
        (4, 7, 6, 1, 1),
        (6, 7, 1, 1, 1),
    )
    asked = {"categories": [4, 6], "numbers": [7, 8, 9]}
    found = run(connection, "subset_loss", original="before", release="after", **asked)
    losses = [(1 / 4 + 1 / 4 + 0 + 1 + 0) / 5, None, 1, 1 / 2, None, None]
    pairs = [(category, number) for category in (4, 6) for number in (7, 8, 9)]
    counts = (5, 0, 1, 1, 0, 0)
    for told_of, (pair, *expected) in zip(found, zip(pairs, counts, losses, strict=True), strict=True):
        expected = [*pair, *expected]
        assert list(told_of.values()) == pytest.approx(list(expected))
