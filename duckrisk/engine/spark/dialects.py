"""How Spark SQL writes what the filters of templates make, and which tables a statement reads and makes."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from duckrisk.base.errors import SourceError
from duckrisk.engine.templates import Dialect, Sql, identifier, literal

#: The view of the assessed records: as DuckDB calls it, and as every dialect does.
ASSESSED = "assessed"
_LOCAL = "temp.main.assessed"


class Spark(Dialect):
    """Spark SQL, of version 3.5 on."""

    name = "spark"
    struct = "STRUCT"
    text = "STRING"
    record = Sql("MONOTONICALLY_INCREASING_ID()")

    def identifier(self, name: str) -> Sql:
        identifier(name)  # raises what it raises
        return Sql("`" + name.replace("`", "``") + "`")

    def literal(self, value: Any) -> Sql:
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
        if source == _LOCAL:
            return self.identifier(ASSESSED)
        return self.expression(source) if isinstance(source, Sql) else self.identifier(source)

    def expression(self, text: str) -> Sql:
        """What a template of ours rendered, rendered anew; a condition as it was translated; a type, or a
        column in quotes, as it is called here."""
        if not isinstance(text, Sql):
            raise TypeError("an expression has to be checked first")
        if isinstance(text, Translated):
            return text.there
        if text in _KINDS:
            return Sql(_KINDS[text])
        if text.origin is not None:
            return self.render(text.origin[0], text.origin[1])
        return Sql(_QUOTED.sub(lambda match: self.identifier(match[1].replace('""', '"')), text))

    def render(self, name: str, arguments: Mapping[str, Any]) -> Sql:
        """Numbers of 64 bits for values are those of another function; a missing value has its seed."""
        return Sql(_OTHERWISE.sub(_as_spark, super().render(name, arguments)))


SPARK = Spark()


class Translated(Sql):
    """A condition of a person, which DuckDB reads as it stands, and as it is written ``there``."""

    there: Sql


#: What Spark calls otherwise; comments, texts and names are skipped.
_OTHERWISE = re.compile(
    r"--[^\n]*|'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`"
    r"|\bhash\(NULL\)|\bhash\(|\bSEMI JOIN\b|\bAS (?:VARCHAR|UBIGINT)\)",
    re.IGNORECASE,
)
_SPARKS = {
    "HASH(NULL)": "CAST(42 AS BIGINT)",
    "HASH(": "XXHASH64(",
    "SEMI JOIN": "LEFT SEMI JOIN",
    "AS VARCHAR)": "AS STRING)",
    "AS UBIGINT)": "AS DECIMAL(20,0))",
}
#: Types of DuckDB that Spark calls otherwise, where statements name them.
_KINDS = {"HUGEINT": "DECIMAL(38,0)", "VARCHAR": "STRING"}


def _as_spark(match: re.Match[str]) -> str:
    return _SPARKS.get(match[0].upper(), match[0])


_QUOTED = re.compile(r'"((?:[^"]|"")+)"')
#: Names of a statement of DuckDB, with its texts and comments that hold none.
_NAMES = re.compile(r"""'(?:[^']|'')*'|--[^\n]*|"((?:[^"]|"")+)"|([A-Za-z_]\w*)""")
#: What makes a table or fills one, in any dialect.
_MAKING = re.compile(
    r"\s*(CREATE\s+OR\s+REPLACE\s+TEMP\s+(?:TABLE|VIEW)|INSERT\s+INTO)\s+([`\"]?)(\w+)\2(?:\s+AS)?\s",
    re.IGNORECASE,
)
_READ = re.compile(
    r"""('(?:[^'\\]|\\.)*'|--[^\n]*)|\b(FROM|JOIN)(\s+)(`?)(\w+)\4(?!\w|\s*\()(\s+AS\b)?""", re.IGNORECASE
)


def names(sql: str) -> set[str]:
    """Every name that a statement of DuckDB holds: of tables, of columns, and its words."""
    return {match[1] or match[2] for match in _NAMES.finditer(sql)} - {None}


@dataclass(frozen=True)
class Making:
    """What a statement does beside giving rows: the ``table`` that it makes, or adds rows to, and the
    ``query`` of these. A view does not ``last``: what reads it runs its query."""

    table: str
    adds: bool
    query: str
    lasts: bool


def making(sql: str) -> Making | None:
    """The table that a statement makes or fills; None where it gives rows."""
    match = _MAKING.match(sql)
    if match is None:
        return None
    how = match[1].upper()
    return Making(match[3], how.startswith("INSERT"), sql[match.end() :], not how.endswith("VIEW"))


def qualified(sql: str, tables: Collection[str], prefix: str) -> str:
    """A statement of Spark with the tables of a run under the names that they have in its catalog."""

    def renamed(match: re.Match[str]) -> str:
        text, word, space, _, name, alias = match.groups()
        if text is not None or name not in tables:
            return match[0]
        return f"{word}{space}`{prefix}{name}`{alias or f' AS {name}'}"

    return _READ.sub(renamed, sql)


# --- types ---------------------------------------------------------------------------------------

#: Types of Spark as DuckDB calls them.
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
#: Those that are read as they are written.
_WRITTEN = re.compile(r"(array|map|struct)<|interval|void|time\(|time$|variant")


def type_of(kind: str) -> str | None:
    """A type as DuckDB calls it; None for one that is read as text. Raises SourceError for an unknown one."""
    if kind in _TYPES:
        return _TYPES[kind]
    if parts := _DECIMAL.fullmatch(kind):
        return f"DECIMAL({parts[1]},{parts[2]})"
    if _TEXT.fullmatch(kind):
        return "VARCHAR"
    if _WRITTEN.match(kind):
        return None
    raise SourceError("engines.unknown_type", kind=re.sub(r"\W.*", "", kind))
