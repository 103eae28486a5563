"""Makes small tables in an engine and runs the templates on them; strategies for hostile tables."""

from __future__ import annotations

import datetime as dt
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from duckrisk.engine.templates import Attribute, Part, metrics, render, template_of

DATASETS = Path(__file__).resolve().parent.parent / "datasets"

#: Few examples, because the engine takes most of the time; still fewer in a second run with other versions.
EXAMPLES = int(os.environ.get("DUCKRISK_EXAMPLES", "3"))
LIGHT = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
#: Examples from which on every command that a document prints is typed, as .ci/run does.
COMMANDS_FROM = 8
#: Still fewer, for the costly templates.
LIGHTER = settings(LIGHT, max_examples=min(EXAMPLES, max(2, EXAMPLES // 2), 10))


def thinned(cases: Iterable[Any], every: int = 2, *, all_from: int = 20) -> list[Any]:
    """All cases from 20 examples (or so many) on, and every second or so before: of what takes long."""
    return list(cases)[:: 1 if all_from <= EXAMPLES else every]


def connect(threads: int = 2) -> duckdb.DuckDBPyConnection:
    """An engine with the settings that decide results in a session."""
    connection = duckdb.connect(config={"threads": threads, "preserve_insertion_order": False})
    connection.execute("SET TimeZone = 'UTC'")
    return connection


@cache
def engine() -> duckdb.DuckDBPyConnection:
    """An engine that writes and reads the files of tests: to open one costs more than a small file does."""
    return duckdb.connect(config={"enable_external_file_cache": False})


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def make(
    connection: duckdb.DuckDBPyConnection,
    columns: Mapping[str, str],
    rows: Iterable[Sequence[Any]],
    name: str = "t",
) -> str:
    """Make a table of named and typed columns, and return its name."""
    described = ", ".join(f"{quoted(column)} {kind}" for column, kind in columns.items())
    connection.execute(f"CREATE OR REPLACE TABLE {quoted(name)} ({described})")
    rows = list(rows)
    for start in range(0, len(rows), 500):
        some = rows[start : start + 500]
        places = ", ".join(["(" + ", ".join("?" * len(columns)) + ")"] * len(some))
        cells = [cell for row in some for cell in row]
        connection.execute(f"INSERT INTO {quoted(name)} VALUES {places}", cells)
    return name


def put(connection: duckdb.DuckDBPyConnection, name: str, columns: str, *rows: Sequence[Any]) -> None:
    """A table in the place of one that a step made; its columns in one text, whole numbers unless typed:
    ``"id value:DOUBLE"``."""
    connection.execute(f"DROP TABLE IF EXISTS {quoted(name)}")
    kinds = (column.partition(":") for column in columns.split())
    make(connection, {column: kind or "BIGINT" for column, _, kind in kinds}, rows, name)


def tell(connection: duckdb.DuckDBPyConnection, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query."""
    return connection.execute(query).fetchall()


def attribute(*columns: str | Part) -> Attribute:
    """An attribute of these columns, each exactly known unless given as a part."""
    parts = tuple(Part(column) if isinstance(column, str) else column for column in columns)
    return Attribute("+".join(part.column for part in parts), parts)


def run(connection: duckdb.DuckDBPyConnection, template: str, **arguments: Any) -> list[dict[str, Any]]:
    """The rows of a rendered template; of one that takes several attributes, those of one."""
    takes = {parameter.name for parameter in template_of(template).parameters}
    if "attribute" in arguments and "attributes" in takes:
        arguments["attributes"] = [arguments.pop("attribute")]
    cursor = connection.execute(render(template, **arguments))
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def row(connection: duckdb.DuckDBPyConnection, template: str, **arguments: Any) -> dict[str, Any]:
    """The only row of a rendered template."""
    (only,) = run(connection, template, **arguments)
    return only


#: Every template of sql/attribute that reads a table, with what it takes besides source, user and attribute:
#: arguments that fit small tables.
METRICS: dict[str, dict[str, Any]] = {name: {} for name, t in metrics().items() if t.topic == "attribute"} | {
    "attribute_risk": {"k": 3},
    "attribute_risk_approximate": {"k": 3},
    "attribute_values": {"most": None},
    "attribute_sample": {"samples": 2, "confidence": 0.90, "seed": 7},
    "attribute_sample_paper": {"samples": 3, "seed": 7},
    "known_records": {"known": 3, "draws": 60, "confidence": 0.95, "seed": 7},
    "single_values": {"most": 5, "seed": 7},
}


def close(actual: float | int | None, expected: Fraction | int | float | None) -> bool:
    """Whether a result is the exact number up to the rounding of a double; counts must be equal."""
    if actual is None or expected is None:
        return actual is None and expected is None
    if isinstance(actual, int):
        return actual == expected
    return math.isclose(actual, float(expected), rel_tol=1e-12, abs_tol=1e-15)


# --- strategies ----------------------------------------------------------------------------------

#: Texts that a careless comparison, a trim, a concatenation or a quote would mix up.
TEXTS = (
    "", " ", "a", "a ", " a", "A", "a\t", "a\n", "é", "e\u0301", "が", "か\u3099", "ア", "ｱ", "1", "１", "01",
    "1.0", "NULL", "nan", "a,b", "a, b", "b", "(a, b)", "a'b", 'a"b', "a\\", "--", "/*", "{{ x }}", "%s",
    "\u200b", "a\u200b", "\u202ea", "\U0001f469\u200d\U0001f4bb", "\U0001f469", "ß", "ss", "İ", "x" * 300,
)  # fmt: skip
_TEXT = st.sampled_from(TEXTS) | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4)
_MICROSECOND = dt.timedelta(microseconds=1)


@dataclass(frozen=True)
class Kind:
    """A type of column: its name in SQL, its cells, and how an attacker knows it."""

    sql: str
    cells: st.SearchStrategy[Any] = field(repr=False)
    knowledge: str = "exact"


KINDS: dict[str, Kind] = {
    "text": Kind("VARCHAR", _TEXT),
    "integer": Kind("BIGINT", st.integers(-3, 3) | st.sampled_from([-(2**63), 2**63 - 1])),
    "double": Kind(
        "DOUBLE",
        st.sampled_from([0.0, -0.0, math.nan, math.inf, -math.inf, 0.1, 0.1 + 2**-56, 5e-324, 1e308, 1.0])
        | st.floats(),
        "number",
    ),
    "decimal": Kind(
        "DECIMAL(18, 3)", st.sampled_from(["0", "-0.000", "1.5", "1.50", "1.505", "-1.5"]).map(Decimal)
    ),
    "date": Kind("DATE", st.dates(dt.date(1, 1, 1), dt.date(1, 1, 3)) | st.dates()),
    "timestamp": Kind(
        "TIMESTAMP",
        st.integers(-2, 2).map(lambda n: dt.datetime(1970, 1, 1) + n * _MICROSECOND) | st.datetimes(),
    ),
    "boolean": Kind("BOOLEAN", st.booleans()),
}


@dataclass(frozen=True)
class Drawn:
    """A drawn table of users ``u`` and values ``a``, ``b``, ...: names of kinds, and rows."""

    user: str
    values: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    @property
    def columns(self) -> dict[str, str]:
        return {
            name: KINDS[kind].sql for name, kind in zip("uabcdef", (self.user, *self.values), strict=False)
        }

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(
            Part(name, KINDS[kind].knowledge) for name, kind in zip("abcdef", self.values, strict=False)
        )

    def pairs(self, *places: int) -> list[tuple[Any, Any]]:
        """User and value of each row; several places make a composite value."""
        places = places or tuple(range(len(self.values)))
        if len(places) == 1:
            return [(cells[0], cells[1 + places[0]]) for cells in self.rows]
        return [(cells[0], tuple(cells[1 + place] for place in places)) for cells in self.rows]


@st.composite
def drawn_tables(
    draw: st.DrawFn,
    width: int = 1,
    users: Sequence[str] = ("text", "integer", "double"),
    values: Sequence[str] = tuple(KINDS),
    most_rows: int = 24,
    missing: bool = True,
) -> Drawn:
    """Tables with missing cells and many repeated ones, of all shapes from no row to all distinct."""
    kinds = [draw(st.sampled_from(users)), *(draw(st.sampled_from(values)) for _ in range(width))]
    pools = []
    for kind in kinds:
        most = draw(st.sampled_from([1, 3, 8]))
        pool: list[Any] = draw(st.lists(KINDS[kind].cells, min_size=1, max_size=most))
        pools.append(st.sampled_from([*pool, None] if missing and draw(st.booleans()) else pool))
    rows = draw(st.lists(st.tuples(*pools), max_size=most_rows))
    return Drawn(kinds[0], tuple(kinds[1:]), rows)
