"""Every type of the engine: the report, the macros and a count of the texts that the engine writes agree."""

from __future__ import annotations

import collections
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import duckrisk
from tests.tables import EXAMPLES, LIGHT, thinned

MACROS = (Path(__file__).resolve().parents[1] / "sql" / "duckrisk.sql").read_text(encoding="utf-8")
#: Values of each type, some of which the engine takes for equal though they are written differently.
KINDS = {
    "BOOLEAN": ["true", "false"],
    "TINYINT": ["1", "2", "-3"],
    "UBIGINT": ["1", "18446744073709551615", "18446744073709551614"],
    "HUGEINT": ["1", "170141183460469231731687303715884105727", "170141183460469231731687303715884105726"],
    "UHUGEINT": ["1", "340282366920938463463374607431768211455", "340282366920938463463374607431768211454"],
    "BIGNUM": ["1", "1" + 59 * "0", "1" + 58 * "0" + "1"],
    "DECIMAL(38,10)": ["1.1", "1.10", "2.5", "1.1000000001"],
    "DOUBLE": ["1.5", "'NaN'", "'Infinity'", "1e300"],
    "FLOAT": ["0.1", "0.2", "'NaN'"],
    "VARCHAR": ["'a'", "'A'", "'ä'", "'a '"],
    "VARCHAR COLLATE NOCASE": ["'a'", "'A'", "'b'", "'ä'"],
    "VARCHAR COLLATE NOACCENT": ["'a'", "'ä'", "'A'", "'o'"],
    "VARCHAR COLLATE NOCASE.NOACCENT": ["'a'", "'ä'", "'A'", "'o'"],
    "ENUM('x','y','Z')": ["'x'", "'y'", "'Z'"],
    "UUID": [f"'00000000-0000-0000-0000-00000000000{n}'" for n in range(4)],
    "BLOB": ["'a'::BLOB", "'A'::BLOB", "'\\x00a'::BLOB", "'\\xFF'::BLOB"],
    "BIT": ["'101'", "'0101'", "'1'", "'00101'"],
    "DATE": ["'2020-01-01'", "'2020-01-02'", "'2020-02-01'"],
    "TIME": ["'12:00:00'", "'12:00:30'", "'12:01:00'", "'13:00:00.5'"],
    "TIME_NS": ["'12:00:00.000000001'", "'12:00:00'", "'12:01:00'"],
    "TIMETZ": ["'12:00:00+01'", "'11:00:00+00'", "'12:00:00+02'", "'12:00:30+01'", "'23:59:00-05:30'"],
    "TIMESTAMP": ["'2020-01-01 12:00:00.001'", "'2020-01-01 12:00:00.002'", "'2020-02-01 12:01:01'"],
    "TIMESTAMP_S": ["'2020-01-01 12:00:00'", "'2020-01-01 12:00:01'", "'2020-02-01 12:01:01'"],
    "TIMESTAMP_MS": ["'2020-01-01 12:00:00.001'", "'2020-01-01 12:00:00.002'", "'2020-02-01 12:01:01'"],
    "TIMESTAMP_NS": ["'2020-01-01 12:00:00.000000001'", "'2020-01-01 12:00:00'", "'2021-01-01 12:01:00'"],
    "TIMESTAMPTZ": ["'2020-01-01 12:00:00+01'", "'2020-01-01 11:00:00+00'", "'2020-01-02 11:07:00+00'"],
    "INTERVAL": ["'1 month'", "'30 days'", "'720 hours'", "'1 day'", "'24 hours'"],
    "INTEGER[]": ["[1, 2]", "[2, 1]", "[1, NULL]", "[]"],
    "INTEGER[2]": ["[1, 2]", "[2, 1]", "[1, 1]"],
    "STRUCT(a INTEGER, b VARCHAR)": ["{'a': 1, 'b': 'x'}", "{'a': 1, 'b': NULL}", "{'a': 2, 'b': 'x'}"],
    "MAP(VARCHAR, INTEGER)": ["MAP{'a': 1, 'b': 2}", "MAP{'b': 2, 'a': 1}", "MAP{'a': 1}"],
    "UNION(n INTEGER, s VARCHAR)": ["union_value(n := 1)", "union_value(s := '1')", "union_value(n := 2)"],
    "VARIANT": ["1::VARIANT", "'1'::VARIANT", "2::VARIANT", "[1]::VARIANT"],
}
if duckdb.__version__ < "2":  # its database files hold a VARIANT only in a storage of their own
    del KINDS["VARIANT"]
#: How the cells are compared: as they are written, and of what is written alike by its type as well.
WRITTEN = {
    "UNION(n INTEGER, s VARCHAR)": "union_tag(a) || a::VARCHAR",
    "VARIANT": "CAST(CAST(a AS JSON) AS VARCHAR)",
}


def minute(text: str) -> str:
    """The minute of a time of day, with its zone where it has one."""
    return text[:5] + text[8:].lstrip(".0123456789")


#: What an attacker knows of a cell, from its text: the minute with its zone, the day and the minute.
FACTS: dict[str, list[Callable[[str], str]]] = {
    **{kind: [minute] for kind in ("TIME", "TIME_NS", "TIMETZ")},
    **{kind: [lambda text: text[:10], lambda text: text[11:16]] for kind in KINDS if "TIMESTAMP" in kind},
}

Table = list[tuple[int, str | None, int]]


def risk(table: Table, fact: Callable[[str], str]) -> tuple[int, float]:
    """The different facts, and the mean over records of one by the people who have the fact."""
    people: dict[str, set[int]] = collections.defaultdict(set)
    told = [(person, fact(text)) for person, text, _ in table if text is not None]
    for person, known in told:
        people[known].add(person)
    return len(people), sum(1 / len(people[known]) for _, known in told) / len(told)


def alone(table: Table) -> int:
    """The people whom the text and the group of a record single out."""
    people: dict[tuple[str | None, int], set[int]] = collections.defaultdict(set)
    for person, text, group in table:
        people[text, group].add(person)
    return len({next(iter(several)) for several in people.values() if len(several) == 1})


def smallest(table: Table) -> int:
    """The records of the smallest class by text and group."""
    return min(collections.Counter((text, group) for _, text, group in table).values())


def wrong(connection: duckdb.DuckDBPyConnection, folder: Path, kind: str, picks: list[int]) -> list[str]:
    """What does not agree for values of a type, picked by these numbers; -1 is a missing one."""
    path, values = folder / "kinds.duckdb", KINDS[kind]
    path.unlink(missing_ok=True)
    cells = [values[pick % len(values)] if pick >= 0 else "NULL" for pick in (0, 1, *picks)]
    connection.execute(f"ATTACH '{path}' AS made")
    connection.execute(f"CREATE TABLE made.t (u INTEGER, a {kind}, g INTEGER)")
    for number, cell in enumerate(cells):
        row = f"{number // 2 + 100}, {cell}, {number % 3}"
        connection.execute(f"INSERT INTO made.t VALUES ({row})")
    written = WRITTEN.get(kind, "CAST(a AS VARCHAR)")
    table: Table = connection.execute(f"SELECT u, {written}, g FROM made.t").fetchall()
    found: dict[str, Any] = {}
    one = "SELECT distinct_values, mean_risk FROM attribute_risk('made.t', 'u', 'a')"
    all_of_them = (
        "SELECT people FROM uniqueness('made.t', 'u', ['a', 'g'], missing_is_value := 1) "
        "WHERE attributes = ['a', 'g']"
    )
    classes = "SELECT MIN(class_size) FROM class_sizes('made.t', ['a', 'g'])"
    macro = connection.execute(one).fetchone()
    found["attribute_risk"] = macro == pytest.approx(risk(table, str))
    found["uniqueness"] = connection.execute(all_of_them).fetchone() == (alone(table),)
    found["class_sizes"] = connection.execute(classes).fetchone() == (smallest(table),)
    connection.execute("DETACH made")
    report = duckrisk.assess(
        path,
        table="t",
        user="u",
        roles={"a": "date_time" if "TIMESTAMP" in kind else "attribute", "g": "attribute"},
        only=["attribute_risk", "uniqueness", "class_sizes"],
        quasi_identifiers=["a", "g"],
        missing="value",
        samples=0,
        known_records=0,
    )
    told = {
        (entry.distinct_values, entry.mean_risk)
        for entry in report.attribute_risk
        if entry.attribute[0] == "a"
    }
    expected = {risk(table, fact) for fact in FACTS.get(kind, [str])}
    constants = {entry for entry in expected if entry[0] == 1}
    found["report attribute_risk"] = sorted(told | constants) == [
        pytest.approx(entry) for entry in sorted(expected)
    ]
    assert report.uniqueness is not None
    assert report.uniqueness.all_attributes is not None
    found["report uniqueness"] = report.uniqueness.all_attributes.people == alone(table)
    assert report.class_sizes is not None
    found["report class_sizes"] = [
        rule.smallest_class for rule in report.class_sizes.rules if rule.missing == "value"
    ] == [smallest(table)]
    return [f"{kind}: {name}" for name, agrees in found.items() if not agrees]


@pytest.mark.slow
@settings(LIGHT, max_examples=max(1, EXAMPLES // 20))
@given(st.lists(st.integers(-1, 6), min_size=14, max_size=30))
def test_figures_are_those_of_what_is_written(
    tmp_path_factory: pytest.TempPathFactory, picks: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("kinds")
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(MACROS)
    assert [what for kind in thinned(KINDS, 4) for what in wrong(connection, folder, kind, picks)] == []


def test_arrays_are_counted_in_histories(tmp_path: Path) -> None:
    """An ARRAY inside a STRUCT inside a list: DuckDB 2.0.0 ends with an internal error."""
    path = tmp_path / "arrays.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t (u INTEGER, a INTEGER[2], g INTEGER)")
        for n in range(24):
            cell = ["[1, 2]", "[2, 1]", "[1, 1]"][n * n % 3] if n % 11 else "NULL"
            connection.execute(f"INSERT INTO t VALUES ({n // 2 + 100}, {cell}, {n % 3})")
        table = connection.execute("SELECT u, CAST(a AS VARCHAR), g FROM t").fetchall()
    report = duckrisk.assess(path, table="t", user="u", only=["class_sizes"], missing="value")
    assert report.class_sizes is not None
    found = [rule.smallest_class for rule in report.class_sizes.rules if rule.missing == "value"]
    assert found == [smallest(table)]
