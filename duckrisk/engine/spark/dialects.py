"""The dialect of Spark SQL, the tables that a statement reads and writes, and the types of Spark."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from duckrisk.base.errors import SourceError
from duckrisk.engine.templates import Dialect, Part, Sql, identifier, literal

#: The view of the assessed records, by its name on every engine and by its full name in DuckDB.
ASSESSED = "assessed"
_LOCAL = "temp.main.assessed"


class Spark(Dialect):
    """Spark SQL, from version 3.5.

    Args:
        times: The columns of the assessed view that hold times of day, as text.
    """

    name = "spark"
    struct = "STRUCT"
    text = "STRING"
    record = Sql("MONOTONICALLY_INCREASING_ID()")

    def __init__(self, times: Collection[str] = ()) -> None:
        self.times = frozenset(times)

    def identifier(self, name: str) -> Sql:
        """Quote an identifier with backticks."""
        identifier(name)  # refuses names that no engine can quote
        return Sql("`" + name.replace("`", "``") + "`")

    def literal(self, value: Any) -> Sql:
        """Render a text, number, truth value, None, or a list of these as a literal."""
        if isinstance(value, str):
            literal(value)
            return Sql("'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'")
        if isinstance(value, (list, tuple)):
            return Sql("ARRAY(" + ", ".join(self.literal(item) for item in value) + ")")
        if isinstance(value, dict):
            raise TypeError("Spark has no such literal")
        if isinstance(value, float):
            return Sql(f"CAST({literal(value)} AS DOUBLE)")
        return literal(value)

    def relation(self, source: str) -> Sql:
        """Render a relation to follow FROM."""
        if source == _LOCAL:
            return self.identifier(ASSESSED)
        return self.expression(source) if isinstance(source, Sql) else self.identifier(source)

    def expression(self, text: str) -> Sql:
        """Translate checked SQL of DuckDB.

        An expression that a template rendered is rendered again in this dialect. A user's condition comes
        with its translation. In anything else types and quoted names are translated.
        """
        if not isinstance(text, Sql):
            raise TypeError("an expression has to be checked first")
        if isinstance(text, Translated):
            return text.translation
        if text in _TYPE_NAMES:
            return Sql(_TYPE_NAMES[text])
        if text.origin is not None:
            return self.render(text.origin[0], text.origin[1])
        return Sql(_QUOTED.sub(lambda match: self.identifier(match[1].replace('""', '"')), text))

    def _known_value(self, part: Part) -> Sql:
        """Write what an attacker knows of a column, and times of day as moments."""
        if part.column in self.times and part.knowledge in ("hour", "time") and not part.tokens:
            moment = f"CAST(CONCAT('1970-01-01 ', {self.relation(part.column)}) AS TIMESTAMP)"
            return self.render(part.knowledge, {"column": Sql(moment)})
        return super()._known_value(part)

    def render(self, name: str, arguments: Mapping[str, Any]) -> Sql:
        """Render a template and replace what Spark spells differently.

        Values are hashed by XXHASH64, and a missing value becomes the seed of that function.
        """
        return Sql(_DIFFERENT.sub(_as_spark, super().render(name, arguments)))


SPARK = Spark()


class Translated(Sql):
    """A user's condition in the SQL of DuckDB, with its ``translation`` for a distributed engine."""

    translation: Sql


#: What Spark spells differently; comments, texts and quoted names match first and stay.
_DIFFERENT = re.compile(
    r"--[^\n]*|'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`"
    r"|\bhash\(NULL\)|\bhash\(|\bSEMI JOIN\b|\bAS (?:VARCHAR|UBIGINT)\)",
    re.IGNORECASE,
)
_REPLACEMENTS = {
    "HASH(NULL)": "CAST(42 AS BIGINT)",
    "HASH(": "XXHASH64(",
    "SEMI JOIN": "LEFT SEMI JOIN",
    "AS VARCHAR)": "AS STRING)",
    "AS UBIGINT)": "AS DECIMAL(20,0))",
}
#: DuckDB's types in statements, by their name in Spark.
_TYPE_NAMES = {"HUGEINT": "DECIMAL(38,0)", "VARCHAR": "STRING"}


def _as_spark(match: re.Match[str]) -> str:
    return _REPLACEMENTS.get(match[0].upper(), match[0])


_QUOTED = re.compile(r'"((?:[^"]|"")+)"')
#: Names in a statement of DuckDB; its texts and comments match first and hold none.
_NAMES = re.compile(r"""'(?:[^']|'')*'|--[^\n]*|"((?:[^"]|"")+)"|([A-Za-z_]\w*)""")
#: The beginning of a statement that creates or fills a table, in any dialect.
_TABLE_STATEMENT = re.compile(
    r"\s*(CREATE\s+OR\s+REPLACE\s+TEMP\s+(?:TABLE|VIEW)|INSERT\s+INTO)\s+([`\"]?)(\w+)\2(?:\s+AS)?\s",
    re.IGNORECASE,
)
#: A table that a statement of Spark reads; texts and comments match first.
_READ = re.compile(
    r"""('(?:[^'\\]|\\.)*'|--[^\n]*)|\b(FROM|JOIN)(\s+)(`?)(\w+)\4(?!\w|\s*\()(\s+AS\b)?""", re.IGNORECASE
)


def extract_names(sql: str) -> set[str]:
    """Return every word of a DuckDB statement that can name a table or column."""
    return {match[1] or match[2] for match in _NAMES.finditer(sql)} - {None}


@dataclass(frozen=True)
class TableStatement:
    """A statement that creates a table or view, or inserts rows.

    Attributes:
        table: The table or view.
        is_insert: Whether it adds rows to an existing table.
        query: The query of the rows.
        is_table: Whether the rows are stored; a view runs its query each time it is read.
    """

    table: str
    is_insert: bool
    query: str
    is_table: bool


def parse_table_statement(sql: str) -> TableStatement | None:
    """Parse a statement that creates or fills a table; None for one that returns rows."""
    match = _TABLE_STATEMENT.match(sql)
    if match is None:
        return None
    command = match[1].upper()
    return TableStatement(
        match[3], command.startswith("INSERT"), sql[match.end() :], not command.endswith("VIEW")
    )


def qualify_tables(sql: str, tables: Collection[str], prefix: str) -> str:
    """Replace plain names of tables in a Spark statement by those in its catalog.

    Args:
        sql: The statement, with plain names of tables.
        tables: The tables of the run.
        prefix: What their names in the catalog begin with.

    Returns:
        The statement, in which each table keeps its plain name as an alias.
    """

    def qualify(match: re.Match[str]) -> str:
        text, word, space, _, name, alias = match.groups()
        if text is not None or name not in tables:
            return match[0]
        return f"{word}{space}`{prefix}{name}`{alias or f' AS {name}'}"

    return _READ.sub(qualify, sql)


# --- types ---------------------------------------------------------------------------------------

#: Types of Spark, by their name in DuckDB.
_TYPES = {
    "boolean": "BOOLEAN",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "binary": "BLOB",
    "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
}
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_TEXT = re.compile(r"(var)?char\(\d+\)|string collate \w+")
_TIME = re.compile(r"time(\([0-6]\))?")
#: Types whose values are read as text.
_AS_TEXT = re.compile(r"(array|map|struct)<|interval|void|variant")


def duckdb_type(column: str, kind: str) -> str | None:
    """Return the type of DuckDB for a type of Spark.

    Args:
        column: The name of the column.
        kind: The simple string of a Spark type, such as "decimal(10,2)".

    Returns:
        The name in DuckDB; None for a type that DuckDB lacks, whose values are read as text.

    Raises:
        SourceError: The type is unknown.
    """
    if kind in _TYPES:
        return _TYPES[kind]
    if parts := _DECIMAL.fullmatch(kind):
        return f"DECIMAL({parts[1]},{parts[2]})"
    if _TEXT.fullmatch(kind):
        return "VARCHAR"
    if _TIME.fullmatch(kind):
        return "TIME"
    if _AS_TEXT.match(kind):
        return None
    raise SourceError("engines.unsupported_type", column=column, kind=re.sub(r"\W.*", "", kind))
