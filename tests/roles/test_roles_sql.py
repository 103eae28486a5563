"""The templates that look at columns: profile, users, distinct values and dependencies."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
from hypothesis import given

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, render
from duckrisk.engine.types import is_integer
from duckrisk.roles import RoleOverrides, infer
from duckrisk.roles.profiling import profile_columns, with_shapes
from duckrisk.source import Request, open_source
from tests import oracle
from tests.hostile import NAMES
from tests.tables import DATASETS, LIGHT, Drawn, connect, drawn_tables, make, row, run, thinned


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        made.execute("CREATE TABLE example AS FROM read_csv(?)", [str(DATASETS / "ito_example.csv")])
        made.execute("CREATE TABLE retail AS FROM read_parquet(?)", [str(DATASETS / "retail.parquet")])
        yield made


def profile(
    connection: duckdb.DuckDBPyConnection, columns: list[str], texts: list[str], source: str = "t"
) -> list[dict[str, Any]]:
    found = run(
        connection,
        "profile",
        source=source,
        columns=columns,
        texts=texts,
        nested=[],
        bytes=[],
        numbers=[],
        integers=[],
    )
    assert [one["position"] for one in found] == list(range(len(columns)))
    return found


def column_of(table: Drawn, place: int) -> list[Any]:
    return [cells[place] for cells in table.rows]


@LIGHT
@given(drawn_tables())
def test_exact_values_of_several_columns(connection: duckdb.DuckDBPyConnection, drawn: Drawn) -> None:
    """Each column has as many values, and different ones, as plain Python counts."""
    make(connection, drawn.columns, drawn.rows)
    for kind in set(drawn.columns.values()):
        places = [place for place, other in enumerate(drawn.columns.values()) if other == kind]
        columns = [list(drawn.columns)[place] for place in places]
        found = run(connection, "exact_values", source="t", columns=columns)
        cells = [[cell for cell in column_of(drawn, place) if cell is not None] for place in places]
        assert [(one["present"], one["distinct_values"]) for one in found] == [
            (len(values), len(set(values))) for values in cells if drawn.rows
        ]


# --- profile -------------------------------------------------------------------------------------


def test_profile_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    texts = ["a@b.org", "a@b", "one two three four", "2020-01-01 10:00", "two, words", None]
    rows = [
        (text, number, b"xyz"[: n % 4])
        for n, (text, number) in enumerate(zip(texts, [1.5, 2, -3, 0, 1.5, None], strict=True))
    ]
    make(connection, {"a": "VARCHAR", "b": "DOUBLE", "c": "BLOB"}, rows)
    found = run(
        connection,
        "profile",
        source="t",
        columns=["a", "b", "c"],
        texts=["a"],
        nested=[],
        bytes=["c"],
        numbers=["b"],
        integers=[],
    )
    empty = dict.fromkeys(("with_blanks", "moments", "with_at", "with_fields", "fractions"), 0)
    nothing = dict.fromkeys(("mean_length", "longest", "lowest", "highest"))
    told = [{key: one[key] for key in (*empty, *nothing, "present", "missing", "constant")} for one in found]
    there = {"present": 5, "missing": 1, "constant": False}
    lengths = [len(text) for text in texts if text]
    assert told == [
        empty | nothing | there | {"mean_length": sum(lengths) / 5, "longest": max(lengths)}
        | {"with_blanks": 1, "moments": 1, "with_at": 1},
        empty | nothing | there | {"lowest": -3, "highest": 2, "fractions": 2},
        empty | nothing | there | {"longest": 3, "present": 6, "missing": 0},
    ]  # fmt: skip


def test_profile_of_the_example(connection):
    columns = ["user", "date", "goods", "price"]
    found = profile(connection, columns, ["goods"], "example")
    assert [one["records"] for one in found] == [10] * 4
    assert [one["present"] for one in found] == [10] * 4
    assert [one["constant"] for one in found] == [False] * 4
    assert [one["distinct_values"] for one in found] == pytest.approx([3, 3, 4, 4], abs=1)
    assert found[2]["mean_length"] == pytest.approx((3 * 5 + 2 * 4 + 3 * 3 + 2 * 5) / 10)
    assert [one["mean_length"] for one in found if one["position"] != 2] == [None] * 3


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["a", "a", None], {"present": 2, "constant": True, "mean_length": 1}),
        (["a", "a "], {"present": 2, "constant": False, "mean_length": 1.5}),
        ([None, None], {"present": 0, "constant": True, "mean_length": None}),
        ([""], {"present": 1, "constant": True, "mean_length": 0}),
        (["あいう", "𠮷"], {"mean_length": 2}),
        (["one two three four", "one two three", "one"], {"with_blanks": 1}),
        (["2020-01-02 03:04:05", "2020-01-02 03:04", "2020-01-02T03:04:05.678"], {"moments": 3}),
        (["2020/1/2 3:04", "2020-13-01 00:00:00", "2020-02-30 10:00", "10:00", "noon", ""], {"moments": 0}),
        (["2020-01-02", "20200102", "2020"], {"moments": 0}),
        (["a@example.com", "a@", "@b", "at", "first.last+tag@mail.example.org"], {"with_at": 2}),
        (['{"a": 1}', '[{"a": 1}, {}]', "{'a': 'b'}", '{"a": {\n"b": []}}'], {"with_fields": 4}),
        (["{a, b}", "{10:00, 11:00}", "[1, 2]", "a: {1}", "{}", '{"a"}', '["a:b"]'], {"with_fields": 0}),
    ],
)
def test_profile_of_texts(connection, cells, expected):
    make(connection, {"a": "VARCHAR"}, [(cell,) for cell in cells])
    (found,) = profile(connection, ["a"], ["a"])
    assert found["records"] == len(cells)
    assert {name: found[name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("kind", "cells", "constant"),
    [
        ("DOUBLE", ["nan", "nan"], True),
        ("DOUBLE", ["0.0", "-0.0"], True),
        ("DOUBLE", ["nan", "inf"], False),
        ("DECIMAL(9, 2)", ["1.5", "1.50"], True),
        ("INTEGER[]", ["[1, 2]", "[1, 2]"], True),
        ("INTEGER[]", ["[1, 2]", "[2, 1]"], False),
        ("STRUCT(x INTEGER)", ["{'x': 1}", "{'x': 2}"], False),
        ("BLOB", ["a", "b"], False),
        ("BOOLEAN", ["true", "false"], False),
        ("INTERVAL", ["1 day", "2 days"], False),
        ("JSON", ['{"a":1}', '{"a":2}'], False),
        ("UUID", ["00000000-0000-0000-0000-000000000001"], True),
    ],
)
def test_profile_of_types(connection, kind, cells, constant):
    """Any type can be profiled; the column beside it is not disturbed."""
    make(connection, {"a": "VARCHAR", "n": "INTEGER"}, [(cell, 1) for cell in [*cells, None]], "texts")
    connection.execute(f"CREATE OR REPLACE TABLE t AS SELECT CAST(a AS {kind}) AS a, n FROM texts")
    found = profile(connection, ["a", "n"], [])
    assert found[0]["constant"] is constant
    assert (found[0]["records"], found[0]["present"]) == (len(cells) + 1, len(cells))
    assert (found[1]["constant"], found[1]["present"]) == (True, len(cells) + 1)


@LIGHT
@given(table=drawn_tables(width=3))
def test_profile_against_the_oracle(connection, table: Drawn):
    make(connection, table.columns, table.rows)
    columns = list(table.columns)
    texts = [name for name in columns if table.columns[name] == "VARCHAR"]
    for place, found in enumerate(profile(connection, columns, texts)):
        cells = [oracle.key(cell) for cell in column_of(table, place) if cell is not None]
        assert found["records"] == len(table.rows)
        assert found["present"] == len(cells)
        assert found["constant"] == (len(set(cells)) <= 1)
        assert abs(found["distinct_values"] - len(set(cells))) <= max(1, 0.25 * len(set(cells)))
        if columns[place] in texts and cells:
            assert found["mean_length"] == pytest.approx(sum(map(len, cells)) / len(cells))
        else:
            assert found["mean_length"] is None


def test_profile_of_many_columns(connection):
    """32 columns in one statement, positions as given."""
    columns = {f"n{place}": "INTEGER" for place in range(32)}
    make(connection, columns, [tuple(range(32)), tuple(2 * n for n in range(32))])
    found = profile(connection, list(reversed(columns)), [])
    assert [one["constant"] for one in found] == [False] * 31 + [True]


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("INTEGER", [3, -4, None], (-4.0, 3.0, 0)),
        ("DOUBLE", [1.0, 2.5, 2.5, None], (1.0, 2.5, 2)),
        ("DECIMAL(5, 2)", [1, 2.25], (1.0, 2.25, 1)),
        ("HUGEINT", [2**100], (float(2**100), float(2**100), 0)),
        ("INTEGER", [None], (None, None, 0)),
    ],
)
def test_profile_of_numbers(connection, kind, values, expected):
    """Numbers that are whole by their type are not looked at for fractions, which changes nothing."""
    make(connection, {"a": kind}, [(value,) for value in values])
    parameters = {"source": "t", "columns": ["a"], "texts": [], "nested": [], "bytes": [], "numbers": ["a"]}
    for integers in ([], ["a"]) if is_integer(kind) else ([],):
        (found,) = run(connection, "profile", **parameters, integers=integers)
        assert (found["lowest"], found["highest"], found["fractions"]) == expected


def test_first_cells_are_the_first_whichever_thread_reads_them(tmp_path: Path) -> None:
    path = tmp_path / "parts.parquet"
    text = "CASE WHEN i < 500 THEN 'no ' || i ELSE 'none' END AS cell"
    duckdb.execute(f"COPY (SELECT {text} FROM range(200000) t(i)) TO '{path}' (ROW_GROUP_SIZE 2048)")
    engine = duckdb.connect(config={"threads": 4, "preserve_insertion_order": False})
    for _ in range(30):
        (found,) = run(
            engine,
            "cell_shapes",
            source=Sql(f"'{path}'"),
            columns=["cell"],
            sample_size=500,
            first_records=900,
        )
        assert (found["cells"], found["digits"]) == (500, 500)


def test_what_the_first_cells_look_like(connection):
    cells = ["12", " 1,234.5 ", "2020-01-02", "1/2/1999", "2020年1月2日", "K12", "a b", "", None, "later"]
    make(connection, {"a": "VARCHAR", "b": "VARCHAR"}, [(cell, None) for cell in cells])
    found = run(connection, "cell_shapes", source="t", columns=["b", "a"], sample_size=8, first_records=None)
    others = {"measures": 0, "full_names": 0, "unparted_names": 0, "coarse": 0}
    nothing = {"position": 0, "cells": 0, "digits": 0, "numbers": 0, "days": 0, "blanks": 0, **others}
    shapes = {"position": 1, "cells": 8, "digits": 6, "numbers": 2, "days": 3, "blanks": 1}
    assert found == [nothing, {**shapes, **others, "measures": 2}]


def test_coarse_cells_are_sets_and_intervals(connection):
    cells = ["[1, 5]", "{a, b}", "[2020-01-01, 2021-01-01]", "[a]", "a, b", "{a}", "12"]
    make(connection, {"a": "VARCHAR"}, [(cell,) for cell in cells])
    (found,) = run(connection, "cell_shapes", source="t", columns=["a"], sample_size=8, first_records=None)
    assert (found["cells"], found["coarse"]) == (7, 3)


def test_missing_cells_among_the_first_records() -> None:
    """The first cells are looked for in more records where the first records lack them."""
    cells = [None] * 4_000 + ["K1", "K2", "K3", *("no" for _ in range(3_000))]
    rows = [(f"word{n % 40} {n}", cell) for n, cell in enumerate(cells)]
    with Session() as session:
        table = pandas.DataFrame(rows, columns=["a", "email"])
        source = open_source(session, Request(table))
        profiles = with_shapes(session, profile_columns(session, source))
        shares = [profile.digits for profile in profiles if profile.is_sampled]
        statements = [statement for statement in session.log if statement.name == "cell_shapes"]
    assert shares == [1.0, 3 / 1_000]
    assert [statement.sql.count(" LIMIT 2000") for statement in statements] == [1, 0]


@pytest.mark.parametrize("name", ["cell_shapes", "exact_values"])
def test_many_columns_cost_one_look_each(name: str) -> None:
    """The source is named once, each pattern is read once, and one count of different values is made."""
    columns = [f"c{n}" for n in range(32)]
    more = {"sample_size": 1_000, "first_records": 2_000} if name == "cell_shapes" else {}
    one, many = (
        render(name, source=Sql("records"), columns=columns[:count], **more) for count in (1, len(columns))
    )
    for counted in ("FROM records", "REGEXP_FULL_MATCH", "COUNT(DISTINCT", "TRY_CAST"):
        assert many.count(counted) == one.count(counted), counted
    assert many.count("FROM records") == 1


# --- distinct values -----------------------------------------------------------------------------


@LIGHT
@given(table=drawn_tables())
def test_distinct_values_against_the_oracle(connection, table: Drawn):
    make(connection, table.columns, table.rows)
    for place, column in enumerate(table.columns):
        cells = [oracle.key(cell) for cell in column_of(table, place) if cell is not None]
        found = row(connection, "distinct_values", source="t", column=column)
        assert found == {"present": len(cells), "distinct_values": len(set(cells))}


def test_distinct_values_of_retail(connection):
    found = row(connection, "distinct_values", source="retail", column="StockCode")
    assert found == {"present": 38_137, "distinct_values": 2773}


# --- users ---------------------------------------------------------------------------------------


def test_users_of_the_example(connection):
    """User 2 has one record; the dates and goods of the others change."""
    found = run(connection, "users", source="example", user="user", columns=["date", "goods"])
    totals = {"records": 10, "without_user": 0, "records_of_token_users": 0, "users": 3, "most_records": 5}
    assert found == [
        {"position": position, **totals, "changing_users": changing}
        for position, changing in ((-1, 0), (0, 2), (1, 2))
    ]


@LIGHT
@given(table=drawn_tables(width=3))
def test_users_against_the_oracle(connection, table: Drawn):
    make(connection, table.columns, table.rows)
    users = [oracle.key(user) for user in column_of(table, 0)]
    named = [user for user in users if user is not None]
    for columns in (["a", "b", "c"], ["c"], []):
        found = run(connection, "users", source="t", user="u", columns=columns)
        assert [one["position"] for one in found] == [-1, *range(len(columns))]
        assert found[0]["changing_users"] == 0
        for one in found:
            assert one["records"] == len(named)
            assert one["without_user"] == len(users) - len(named)
            assert one["users"] == len(set(named))
            assert one["most_records"] == max((named.count(user) for user in set(named)), default=0)
        for one, column in zip(found[1:], columns, strict=True):
            cells = column_of(table, 1 + "abc".index(column))
            assert one["changing_users"] == oracle.changing(users, cells)


def test_users_whose_name_is_a_mark_of_a_missing_cell(connection):
    """Each mark stays one user, and its records are counted."""
    names = ["ann", "?", "?", "", None, "it's", "n/a", "N/A", "NULL "]
    make(connection, {"u": "VARCHAR"}, [(name,) for name in names])
    told = {"source": "t", "user": "u", "columns": []}
    for tokens, records in ((["?", "", "N/A", "NULL"], 5), (["it's"], 1), ([], 0), (None, 0)):
        (found,) = run(connection, "users", **told, missing_tokens=tokens)
        assert found["records_of_token_users"] == records
        assert (found["records"], found["users"], found["without_user"]) == (8, 7, 1)


@pytest.mark.parametrize(
    ("kind", "cells", "changes"),
    [
        ("DOUBLE", ["nan", "nan"], 0),
        ("DOUBLE", ["0.0", "-0.0"], 0),
        ("VARCHAR", ["a", "a "], 1),
        ("VARCHAR", ["é", "e\u0301"], 1),
        ("VARCHAR", ["", None], 1),
        ("VARCHAR", [None, None], 0),
        ("INTEGER[]", ["[1]", "[1]"], 0),
        ("INTEGER[]", ["[1]", "[1, NULL]"], 1),
        ("STRUCT(x INTEGER)", ["{'x': 1}", "{'x': NULL}"], 1),
        ("BLOB", ["a", "b"], 1),
        ("BOOLEAN", ["true", "false"], 1),
        ("JSON", ['{"a":1}', '{"a":2}'], 1),
        ("INTERVAL", ["1 day", "2 days"], 1),
    ],
)
def test_changes_by_type(connection, kind, cells, changes):
    rows = [(1, cell) for cell in cells] + [(2, cells[0])]
    make(connection, {"u": "INTEGER", "a": "VARCHAR"}, rows, "texts")
    connection.execute(f"CREATE OR REPLACE TABLE t AS SELECT u, CAST(a AS {kind}) AS a FROM texts")
    found = run(connection, "users", source="t", user="u", columns=["a"])
    assert found[1]["changing_users"] == changes
    (found,) = run(connection, "determined_by", source="t", column="u", columns=["a"])
    assert found["exceptions"] == changes


# --- dependencies --------------------------------------------------------------------------------


def test_dependencies_of_the_example(connection):
    """Juice alone has two prices; all goods but bread were bought at different numbers."""
    others = ["price", "goods", "number"]
    found = run(connection, "determined_by", source="example", column="goods", columns=others)
    assert found == [
        {"position": 0, "exceptions": 1},
        {"position": 1, "exceptions": 0},
        {"position": 2, "exceptions": 3},
    ]
    found = run(connection, "determined_by", source="example", column="time", columns=["user", "date"])
    assert [one["exceptions"] for one in found] == [0, 0]


@LIGHT
@given(table=drawn_tables(width=3))
def test_dependencies_against_the_oracle(connection, table: Drawn):
    make(connection, table.columns, table.rows)
    names = list(table.columns)
    for place, name in enumerate(names):
        found = run(connection, "determined_by", source="t", column=name, columns=names)
        assert [one["position"] for one in found] == list(range(len(names)))
        for other, one in enumerate(found):
            expected = oracle.changing(column_of(table, place), column_of(table, other))
            assert one["exceptions"] == expected, (name, names[other])
        assert found[place]["exceptions"] == 0
    assert possible(connection, names) == {
        (one, other)
        for one, other in itertools.permutations(range(len(names)), 2)
        if oracle.changing(column_of(table, one), column_of(table, other)) == 0
    }


def possible(connection, columns, records=1_000, source="t"):
    """The pairs of places that "possible_dependencies" lists, each once."""
    rows = run(connection, "possible_dependencies", source=source, columns=columns, records=records)
    pairs = [(row["determinant"], row["dependent"]) for row in rows]
    assert pairs == sorted(set(pairs))
    return set(pairs)


def test_possible_dependencies_of_the_example(connection):
    """The time tells the user and the date, whose goods and numbers differ."""
    assert possible(connection, ["time", "user", "date"], source="example") >= {(0, 1), (0, 2)}
    assert possible(connection, ["goods", "price", "number"], source="example") == set()


@pytest.mark.parametrize("columns", [62, 63, 124])
def test_possible_dependencies_of_many_columns(connection, columns):
    """More columns than a machine word has bits, some of them copies of others or coarser than these."""
    drawn = random.Random(columns)
    base = [[drawn.randrange(4) for _ in range(12)] for _ in range(columns // 3)]
    values = [base[place % len(base)] for place in range(columns)]
    values = [[v // 2 if place % 2 else v for v in column] for place, column in enumerate(values)]
    values[-1] = [None if number == 3 else value for number, value in enumerate(values[-1])]
    names = [f"c{place}" for place in range(columns)]
    make(connection, dict.fromkeys(names, "INTEGER"), list(zip(*values, strict=True)))
    found = possible(connection, names)
    assert found == {
        (one, other)
        for one, other in itertools.permutations(range(columns), 2)
        if oracle.changing(values[one], values[other]) == 0
    }
    assert any(max(pair) == columns - 1 for pair in found)
    every = set(itertools.permutations(range(columns), 2))
    assert possible(connection, names, records=1) == every  # one record refutes nothing, none neither
    assert possible(connection, names, records=0) == every


def test_varied_records_show_every_value(connection):
    """For each value and for the missing one of the columns a record that has it."""
    rows = [
        (number, "no" if number != 90 else "rare", None if number == 95 else number % 3)
        for number in range(100)
    ]
    names = ["id", 'a "b"', "c"]
    make(connection, dict(zip(names, ("INTEGER", "VARCHAR", "INTEGER"), strict=True)), rows)
    limits = {"source": Sql("t"), "most": 98}
    varied = render("varied_records", columns=names[1:], **limits)
    found = connection.execute(f"SELECT * FROM {varied} AS varied").fetchall()
    assert [name for name, *_ in connection.description] == names
    assert set(found) <= set(rows)
    assert len(found) == 2 + 4
    assert {row[1] for row in found} == {"no", "rare"}
    assert {row[2] for row in found} == {0, 1, 2, None}
    fewer = render("varied_records", columns=names[1:2], **limits | {"most": 90})
    assert len(connection.execute(f"SELECT * FROM {fewer} AS varied").fetchall()) == 1


# --- names ---------------------------------------------------------------------------------------


def told_of(connection, columns):
    """What every template says of a table with these names of columns."""
    rows = [(1, "x", None), (1, "y", 1.0), (2, "x", math.nan), (None, "x", 0.0)]
    u, a, b = columns
    make(connection, dict(zip(columns, ("INTEGER", "VARCHAR", "DOUBLE"), strict=True)), rows, "hostile")
    return [
        profile(connection, [u, a, b], [a], "hostile"),
        run(connection, "users", source="hostile", user=u, columns=[a, b]),
        run(connection, "determined_by", source="hostile", column=a, columns=[b, u]),
        run(connection, "possible_dependencies", source="hostile", columns=[a, b, u], records=3),
        *(run(connection, "distinct_values", source="hostile", column=column) for column in columns),
    ]


@pytest.fixture(scope="module")
def told_of_plain(connection):
    return told_of(connection, ("u", "a", "b"))


@pytest.mark.parametrize("place", thinned(range(len(NAMES)), 4), ids=lambda place: ascii(NAMES[place])[:30])
def test_hostile_names(connection, told_of_plain, place):
    """Every template works with each name in every place."""
    assert told_of(connection, [NAMES[place - shift] for shift in range(3)]) == told_of_plain


def test_columns_that_change_for_some_users(connection):
    """Records of 1 and 2 differ in a and b; 3 is behind the two users that are looked at, and 4 has one."""
    rows = [
        (1, 1, 1, 7),
        (1, 2, 1, 7),
        (2, 5, 1, None),
        (2, 5, 2, 8),
        (3, 1, 1, 1),
        (3, 1, 1, 2),
        (4, 9, 9, 9),
    ]
    rows.append((None, 3, 4, 5))
    make(connection, {"u": "INTEGER", "a": "INTEGER", "b": "INTEGER", "c": "INTEGER"}, rows, "changing")
    for most, expected in ((1, [True, False, False]), (2, [True, True, False]), (16, [True, True, True])):
        found = run(
            connection,
            "changing_columns",
            source="changing",
            user="u",
            columns=["a", "b", "c"],
            sample_size=most,
        )
        assert [entry["changing"] for entry in found] == expected


def test_many_columns_are_fixed_for_users_as_few_are():
    """Of 70 columns those that never change for a user are found, as by looking at all records."""
    rng = random.Random(7)
    fixed = {number for number in range(70) if number % 9 == 0}
    rows = []
    for user in range(40):
        own = [rng.randint(0, 9) for _ in range(70)]
        for _ in range(5):
            rows.append(
                {"user_id": user}
                | {
                    f"v{n}": own[n] if n in fixed or rng.random() < 0.9 else rng.randint(0, 9)
                    for n in range(70)
                }
            )
    frame = pandas.DataFrame(rows)
    frame.loc[3, "v0"] = None  # changes: it is missing in one record of a user
    changing = [n for n in range(70) if (frame.groupby("user_id")[f"v{n}"].nunique(dropna=False) > 1).any()]
    with Session() as session:
        source = open_source(session, Request(frame))
        roles = infer(session, source, RoleOverrides(user="user_id"))
    never = {d.column.name for d in roles.decisions if d.column.binding in roles.fixed}
    assert never == {f"v{n}" for n in range(70) if n not in changing}
