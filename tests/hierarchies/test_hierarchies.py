"""Hierarchies: cells by hand, tables against plain Python, and what is refused."""

from __future__ import annotations

import datetime
import math
import re
import tomllib
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from duckrisk.api import config
from duckrisk.base.errors import UsageError
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Sql
from duckrisk.source import Request, hierarchies, open_source
from duckrisk.source.hierarchies import render_interval, render_period, render_prefix
from tests.releases import made

DATASETS = Path(__file__).resolve().parents[2] / "datasets"
HERE = Path(".")


def cell(expression: Sql, value: str) -> Any:
    ((made,),) = duckdb.execute(f"SELECT {expression} FROM (SELECT {value} AS c)").fetchall()
    return made


@pytest.mark.parametrize(
    ("kind", "value", "width", "expected"),
    [
        ("INTEGER", "35", 10, "[30, 40["),
        ("INTEGER", "40", 10, "[40, 50["),
        ("INTEGER", "0", 10, "[0, 10["),
        ("INTEGER", "-1", 10, "[-10, 0["),
        ("INTEGER", "-10", 10, "[-10, 0["),
        ("INTEGER", "NULL", 10, None),
        ("TINYINT", "127", 10, "[120, 130["),
        ("UTINYINT", "255", 100, "[200, 300["),
        ("BIGINT", "9223372036854775807", 10, "[9223372036854775800, 9223372036854775810["),
        ("BIGINT", "-9223372036854775808", 10, "[-9223372036854775810, -9223372036854775800["),
        ("INTEGER", "35", 10**12, "[0, 1000000000000["),
        ("DECIMAL(8,2)", "7.25", 2.5, "[5.00, 7.50["),
        ("DECIMAL(8,2)", "-0.01", 2.5, "[-2.50, 0.00["),
        ("DECIMAL(8,2)", "5", 1, "[5.00, 6.00["),
        ("DOUBLE", "35", 10, "[30.0, 40.0["),
        ("DOUBLE", "0.3", 0.1, "[0.3, 0.4["),
        ("DOUBLE", "0.7", 0.1, "[0.7, 0.8["),
        ("DOUBLE", "-0.05", 0.1, "[-0.1, 0.0["),
        ("DOUBLE", "-0.0", 1, "[0.0, 1.0["),
        ("DOUBLE", "'inf'", 1, "inf"),
        ("DOUBLE", "'nan'", 1, "nan"),
        ("FLOAT", "2.5", 1, "[2.0, 3.0["),
        # Twelve places of these numbers are more than a double has, and a FLOAT has no such ends.
        ("DOUBLE", "99999990", 2, "[99999990.0, 99999992.0["),
        ("FLOAT", "123456784", 2, "[123456784.0, 123456786.0["),
        ("FLOAT", "999900123", 1000, "[999900000.0, 999901000.0["),
        ("DOUBLE", "1e15", 0.5, "[1000000000000000.0, 1000000000000000.5["),
        ("DOUBLE", "3e-14", 2e-14, "[2e-14, 4e-14["),
        # The numbers beside these are further away than a width.
        ("DOUBLE", "1e17", 2, "1e+17"),
        ("DOUBLE", "-1e308", 0.1, "-1e+308"),
    ],
)
def test_intervals_by_hand(kind: str, value: str, width: float, expected: str | None) -> None:
    assert cell(render_interval(Sql("c"), kind, width, "c"), f"CAST({value} AS {kind})") == expected


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    st.floats(allow_nan=False, allow_infinity=False)
    | st.floats(-1e9, 1e9)
    | st.integers(-1000, 1000).map(lambda i: i / 10),
    st.sampled_from([0.1, 0.25, 0.3, 1.0, 7.0, 10.0, 1e-9, 1e20]),
    st.sampled_from(["DOUBLE", "FLOAT"]),
)
def test_every_interval_holds_its_number_and_is_a_multiple_of_the_width(
    number: float, width: float, kind: str
) -> None:
    if kind == "FLOAT":
        number = numpy.float32(number).item()
        assume(math.isfinite(number))
        ((written,),) = duckdb.execute(f"SELECT CAST(CAST('{number!r}' AS FLOAT) AS VARCHAR)").fetchall()
        number = float(written)  # what its interval holds, whatever it is in 32 bits
    exact, step = Fraction(number), Fraction(str(width))
    text = cell(render_interval(Sql("c"), kind, width, "c"), f"CAST('{number!r}' AS {kind})")
    ends = re.fullmatch(r"\[(.*), (.*)\[", text)
    if ends is None:
        assert float(text) == pytest.approx(number, rel=1e-6)  # as few digits as tell a FLOAT from others
        assert abs(exact) / step > 2**51
        return
    low, high = map(float, ends.groups())
    assert low <= number < high
    multiple = round(Fraction(low) / step)
    rounding = max(abs(exact), step) / 2**51
    assert abs(multiple * step - Fraction(low)) <= rounding
    assert abs((multiple + 1) * step - Fraction(high)) <= rounding


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        ("TIMESTAMP '2011-03-05 08:26:59'", "day", "2011-03-05"),
        ("DATE '2011-03-05'", "week", "2011-W09"),
        ("DATE '2011-01-02'", "week", "2010-W52"),
        ("DATE '2011-03-05'", "month", "2011-03"),
        ("DATE '2011-03-31'", "quarter", "2011-Q1"),
        ("DATE '2011-04-01'", "quarter", "2011-Q2"),
        ("TIMESTAMPTZ '2011-12-31 23:59:59+00'", "year", "2011"),
        ("'2011-12-31'", "year", "2011"),
        ("CAST(NULL AS DATE)", "quarter", None),
        ("DATE 'infinity'", "quarter", "infinity"),
    ],
)
def test_moments_by_hand(value: str, unit: str, expected: str | None) -> None:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        expression = render_period(Sql("c"), "TIMESTAMP", unit, "c")
        assert connection.execute(f"SELECT {expression} FROM (SELECT {value} AS c)").fetchone() == (expected,)


@pytest.mark.parametrize(
    ("value", "characters", "expected"),
    [
        ("'1234'", 3, "123*"),
        ("'123'", 3, "123"),
        ("''", 3, ""),
        ("NULL", 3, None),
        ("'東京都'", 2, "東京*"),
        ("1234", 1, "1*"),
    ],
)
def test_prefixes_by_hand(value: str, characters: int, expected: str | None) -> None:
    assert cell(render_prefix(Sql("c"), characters), value) == expected


def test_columns_without_numbers_or_dates_are_refused() -> None:
    with pytest.raises(UsageError, match="no numbers"):
        render_interval(Sql("c"), "VARCHAR", 10, "name")
    with pytest.raises(UsageError, match="no dates"):
        render_period(Sql("c"), "INTEGER", "day", "name")
    with pytest.raises(UsageError, match="finer"):
        render_interval(Sql("c"), "INTEGER", 0.5, "name")
    with pytest.raises(UsageError, match="finer"):
        render_interval(Sql("c"), "DECIMAL(8,2)", 0.125, "name")


# --- tables --------------------------------------------------------------------------------------


def built(
    tmp_path: Path, spec: Any, kind: str, values: list[Any]
) -> tuple[hierarchies.Hierarchy, list[tuple[Any, ...]]]:
    source = made(tmp_path / "values.parquet", {"a": kind}, [[value] for value in values])
    with Session() as session:
        open_source(session, Request(str(source)))
        definition = hierarchies.parse_hierarchy(spec, tmp_path, "a")
        made_of = definition.build(session, ASSESSED, "c0", "levels", kind, "a")
        rows = session.run("select_all", source=Sql("levels ORDER BY level0"))
    return made_of, [tuple(row.values()) for row in rows]


def test_table_of_widths(tmp_path: Path) -> None:
    found, rows = built(tmp_path, {"widths": [5, 10, 20]}, "INTEGER", [17, 25, 17, None, 3])
    assert found == hierarchies.Hierarchy("levels", 4, 3, is_computed=True)
    assert rows == [
        ("17", "[15, 20[", "[10, 20[", "[0, 20[", "*"),
        ("25", "[25, 30[", "[20, 30[", "[20, 40[", "*"),
        ("3", "[0, 5[", "[0, 10[", "[0, 20[", "*"),
    ]


def test_table_of_moments_prefixes_and_nothing(tmp_path: Path) -> None:
    _, rows = built(tmp_path, {"moments": ["month", "year"]}, "DATE", [datetime.date(2011, 3, 5)])
    assert rows == [("2011-03-05", "2011-03", "2011", "*")]
    _, rows = built(tmp_path, {"prefixes": [2, 1]}, "VARCHAR", ["abc", "a"])
    assert rows == [("a", "a", "a", "*"), ("abc", "ab*", "a*", "*")]
    empty, rows = built(tmp_path, {"prefixes": [2, 1]}, "VARCHAR", [None])
    assert (empty.leaves, rows) == (0, [])


def test_table_of_a_tree_lifts_labels_to_their_level(tmp_path: Path) -> None:
    spec = {"tree": {"west": {"France": ["Paris", "Lyon"]}, "east": ["Kyiv"]}}
    found, rows = built(tmp_path, spec, "VARCHAR", ["Paris", "Kyiv", "Kyiv", "Oslo"])
    assert found.height == 3
    assert rows == [
        ("Kyiv", "Kyiv", "east", "*"),
        ("Oslo", "Oslo", "Oslo", "*"),
        ("Paris", "France", "west", "*"),
    ]


@pytest.mark.parametrize(
    "text", ["a;x;*\nb;x;*\nc;y;*\n", "a,x\nb,x\nc,y", "\ufeffa;x;Any\r\nb;x;Any\r\nc;y;Any\r\n"]
)
def test_table_of_a_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "h.csv").write_text(text, encoding="utf-8", newline="")
    found, rows = built(tmp_path, "h.csv", "VARCHAR", ["a", "c", "a"])
    assert found == hierarchies.Hierarchy("levels", 2, 2)
    assert rows == [("a", "x", "*"), ("c", "y", "*")]


def test_file_of_many_lines_and_hostile_labels(tmp_path: Path) -> None:
    lines = [(f"v'{i}", f'l"{i // 10}; --', "{{ 7 }}") for i in range(4500)]
    text = "\n".join(",".join('"' + c.replace('"', '""') + '"' for c in line) for line in lines)
    (tmp_path / "h.csv").write_text(text, encoding="utf-8")
    found, rows = built(tmp_path, "h.csv", "VARCHAR", [line[0] for line in lines])
    assert found.leaves == 4500
    assert {row[:2] for row in rows} == {line[:2] for line in lines}


def test_numbers_and_dates_have_labels_by_their_text(tmp_path: Path) -> None:
    _, rows = built(tmp_path, {"tree": {"few": [1, 2], "many": [30]}}, "INTEGER", [2, 30, 5])
    assert rows == [("2", "few", "*"), ("30", "many", "*"), ("5", "5", "*")]
    spec = {"tree": {"spring": [datetime.date(2011, 3, 5)]}}
    assert built(tmp_path, spec, "DATE", [datetime.date(2011, 3, 5)])[1] == [("2011-03-05", "spring", "*")]


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.data())
def test_tree_against_plain_python(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    values = data.draw(
        st.lists(
            st.text(max_size=3).filter(lambda t: "\0" not in t and t != "*"),
            min_size=1,
            max_size=8,
            unique=True,
        )
    )
    groups = {f"label {i}": values[i::3] for i in range(min(3, len(values)))}
    if any(value in groups for value in values):
        return
    _, rows = built(tmp_path_factory.mktemp("tree"), {"tree": groups}, "VARCHAR", [*values, "another"])
    above = {value: label for label, members in groups.items() for value in members}
    assert {row[0]: row[1:] for row in rows} == {
        value: (above.get(value, value), "*") for value in {*values, "another"}
    }


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a;x;*\nb;y\n", ["line 2", "has 2 cells"]),
        ("a;x;*\na;y;*\n", ["two labels", '"a"']),
        ("a;x;p;*\nb;x;q;*\n", ["two labels", '"x"']),
        ("a;b;*\nb;a;*\n", ["circle"]),
        ("a;x;y;x;*\n", ["circular"]),
        ("a;b;*\nb;b;*\nc;x;*\n", ["value"]),
        ("", ["is empty"]),
        ('"a;x', ["line 1", "not CSV"]),
        ("a;x;\0\n", ["NUL"]),
    ],
)
def test_files_that_are_no_hierarchy(tmp_path: Path, text: str, words: list[str]) -> None:
    (tmp_path / "h.csv").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        hierarchies.parse_hierarchy("h.csv", tmp_path, "city")
    for word in [*words, "h.csv" if words != ["not CSV"] else ""]:
        assert word in str(refused.value)


def test_file_that_misses_a_value_says_what_to_add_and_not_the_value(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("a;x;*\n", encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        built(tmp_path, "h.csv", "VARCHAR", ["a", "secret", "other", "secret"])
    assert '2 of the 3 values of the column "a"' in str(refused.value)
    assert '"VALUE;LABEL;*"' in str(refused.value)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        (5, "one of"),
        ({}, "one of"),
        ({"widths": [1], "prefixes": [1]}, "one of"),
        ({"width": [1]}, "widths"),
        ({"widths": []}, "at least one"),
        ({"widths": 5}, "list"),
        ({"widths": [5, 12]}, "multiple"),
        ({"widths": [10, 5]}, "multiple"),
        ({"widths": [0]}, "above 0"),
        ({"widths": [True]}, "above 0"),
        ({"widths": [math.inf]}, "above 0"),
        ({"prefixes": [2, 3]}, "shorter"),
        ({"prefixes": [1.5]}, "above 0"),
        ({"moments": ["day", "hour"]}, "not a unit"),
        ({"moments": ["month", "day"]}, "coarser"),
        ({"moments": ["week", "month"]}, "week"),
        ({"tree": {}}, "tree"),
        ({"tree": {"x": []}}, "list of values"),
        ({"tree": {"x": "a"}}, "list of values"),
        ({"tree": {"x": ["a"], "y": ["a"]}}, "two labels"),
        ({"tree": {"a": {"b": ["a"]}}}, "circular"),
        ({"tree": {"x": [["a"]]}}, "texts, numbers or dates"),
        ("nowhere.csv", "no file"),
    ],
)
def test_specs_that_are_no_hierarchy(tmp_path: Path, spec: Any, word: str) -> None:
    with pytest.raises(UsageError, match=re.escape(word)):
        hierarchies.parse_hierarchy(spec, tmp_path, "city")


def test_deep_trees_are_refused_not_followed(tmp_path: Path) -> None:
    tree: Any = {"x": ["a"]}
    for level in range(500):
        tree = {f"l{level}": tree}
    with pytest.raises(UsageError, match="deeper"):
        hierarchies.parse_hierarchy({"tree": tree}, tmp_path)


def test_level_that_is_not_there() -> None:
    definition = hierarchies.parse_hierarchy({"widths": [5]}, HERE, "age")
    with pytest.raises(UsageError, match="0 to 2"):
        definition.check_level(3)


# --- those that ship -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["adult", "online_retail", "retail"])
def test_hierarchies_that_ship_can_be_read(name: str) -> None:
    path = DATASETS / f"{name}.toml"
    assert hierarchies.load_hierarchies(path)
    config.load(path)


def test_adult_has_the_heights_of_the_paper() -> None:
    found = hierarchies.load_hierarchies(DATASETS / "adult.toml")
    assert {name: one.height for name, one in found.items()} == {
        "age": 4,
        "workclass": 2,
        "marital-status": 2,
    }
    with (DATASETS / "adult.toml").open("rb") as file:
        assert set(found) <= set(tomllib.load(file)["attributes"])


def test_exact_widths_keep_decimals() -> None:
    assert cell(
        render_interval(Sql("c"), "DECIMAL(38,2)", 10, "c"), f"CAST({Decimal('1e30')} AS DECIMAL(38,2))"
    ).startswith("[1000")
