"""Finds, checks and renders the SQL templates under ``sql/``; no other module makes SQL text.

A template is a SQL statement below a header of ``--`` comments: its name, one sentence, facts, parameters and
result columns. It is a whole file, or one statement of an algorithm. The file of an algorithm has a header of
its own, and each of its statements begins with ``-- name:`` (see ``sql/README.md``).

Text of users enters a template only through the typed filters of this module; unfiltered values raise.
"""

from __future__ import annotations

import dataclasses
import glob
import math
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta
from jinja2.runtime import LoopContext

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.engine.bytecode import CompiledTemplates
from duckrisk.engine.includes import expand_includes
from duckrisk.engine.lists import COUNTERS, parse_pattern

#: Characters of a long text before its digest (a choice: enough to recognise a text in a report).
_DIGEST_PREFIX = 64

_PACKAGE = Path(__file__).resolve().parents[1]
#: An installed package contains ``sql/``; a checkout has it next to the package.
SQL_FOLDER = _PACKAGE / "sql" if (_PACKAGE / "sql").is_dir() else _PACKAGE.parent / "sql"

#: The folder of pieces that several statements include.
PIECES = "shared"
#: Facts of the header of a statement.
FACTS = ("definition", "source", "missing", "read", "instead", "runs")
#: Further facts of the header of a file.
FILE_FACTS = ("idea", "reads", "makes")
#: The types of parameters; each allows certain filters.
PARAMETER_TYPES = (
    *("relation", "user", "column", "columns", "attribute", "attributes", "integer", "integers"),
    *("number", "numbers", "flag", "text", "texts", "options", "expression", "expressions"),
)


class Sql(str):
    """Text that is safe SQL, because a filter or a template made it.

    Attributes:
        origin: The name and the arguments of the template, so that another dialect can render it again.
    """

    origin: tuple[str, Mapping[str, Any]] | None = None


@dataclass(frozen=True)
class Part:
    """One column as an attacker knows it.

    Attributes:
        column: The column of the relation.
        knowledge: The template under ``sql/knowledge`` that coarsens its values.
        argument: The number that this template takes, such as the length of a prefix.
        moment: Whether its texts are read as timestamps.
        tokens: The values that count as missing.
        number: The numeric type to which tokens are cast; None compares texts.
        table: The table of the hierarchy whose labels the attacker knows.
        long: Whether digests replace its texts, which joins and sorts would copy.
        fine: Whether the column holds nanoseconds, which a distributed engine would round.
    """

    column: str
    knowledge: str = "exact"
    argument: int | float | None = None
    moment: bool = False
    tokens: tuple[str, ...] = ()
    number: str | None = None
    table: str | None = None
    long: bool = False
    fine: bool = False


@dataclass(frozen=True)
class Attribute:
    """What an attacker may know: one part, or several parts of a composite attribute."""

    name: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a template: its type, whether it may be None, and its description."""

    name: str
    type: str
    optional: bool
    text: str

    @property
    def made_by(self) -> str | None:
        """The metric that makes this relation, from "as METRIC gives it"; None otherwise."""
        metric = re.search(r"\bas (\w+) gives\b", self.text)
        return metric[1] if self.type == "relation" and metric else None


@dataclass(frozen=True)
class ResultColumn:
    """A column of the result of a statement."""

    name: str
    type: str
    unit: str
    text: str


@dataclass(frozen=True)
class Template:
    """One statement or expression: its parsed header, and its whole text."""

    name: str
    topic: str
    summary: str
    facts: dict[str, str]
    parameters: tuple[Parameter, ...]
    columns: tuple[ResultColumn, ...]
    text: str = field(repr=False)

    @property
    def body(self) -> str:
        """The text after the header."""
        lines = self.text.splitlines(keepends=True)
        start = next(i for i, line in enumerate(lines) if not line.startswith("--"))
        return "".join(lines[start:]).strip()

    @cached_property
    def flags(self) -> dict[str, bool]:
        """The parameters of type flag, and whether they may be None."""
        return {
            parameter.name: parameter.optional for parameter in self.parameters if parameter.type == "flag"
        }

    @property
    def is_metric(self) -> bool:
        """Whether a person can run it by name: it has a result and reads a source."""
        return bool(self.columns) and any(p.type == "relation" for p in self.parameters)

    @property
    def from_records(self) -> tuple[Parameter, ...]:
        """The parameters, with those of a metric instead of the relation that it makes."""
        parameters: list[Parameter] = []
        for parameter in self.parameters:
            made_by = parameter.made_by
            parameters += [parameter] if made_by is None else template_of(made_by).from_records
        return tuple(parameters)


class Algorithm:
    """One file under ``sql/``: its header, and its statements in the order in which they run."""

    def __init__(self, topic: str, name: str, text: str) -> None:
        self.topic = topic
        self.name = name
        self._opening, *named = expand_includes(text, SQL_FOLDER / PIECES).split("\n-- name: ")
        #: By name, the text of each statement from its name on; empty if the file is one statement.
        self._named = {text[: text.index("\n")]: text for text in named}
        if len(self._named) < len(named):
            raise ValueError(f"{topic}/{name}.sql has two statements of one name")

    @property
    def names(self) -> Collection[str]:
        """The names of its statements, in the order of the run."""
        return self._named.keys() or (self.name,)

    @property
    def path(self) -> Path:
        """The path of the file."""
        return SQL_FOLDER / self.topic / f"{self.name}.sql"

    @cached_property
    def header(self) -> Template:
        """The header of the file, which is that of its statement if it has only one."""
        header = parse(self.topic, self._opening)
        if header.name != self.name:
            raise ValueError(f"{self.name}.sql calls itself {header.name}")
        return header

    @property
    def statements(self) -> list[Template]:
        """Its statements, in the order of the run."""
        return [template_of(name) for name in self.names]

    @property
    def is_metric(self) -> bool:
        """Whether a person can run one of its statements by the name of the file."""
        return self.name in self.names and template_of(self.name).is_metric

    def tables(self, fact: str) -> list[str]:
        """Return the tables that the header lists under ``reads`` or ``makes``."""
        return [name.strip() for name in self.header.facts.get(fact, "").split(",") if name.strip()]

    def template(self, name: str) -> Template:
        """Return one of its statements, completed from the header of the file."""
        if not self._named:
            return self.header
        return parse(self.topic, f"-- {self._named[name].rstrip()}\n", self.header)


_ITEM = re.compile(r"(parameter|column) (\w+): (.*)", re.DOTALL)


def parse(topic: str, text: str, shared: Template | None = None) -> Template:
    """Parse the header of a statement or of a file.

    Args:
        topic: The folder of the file.
        text: The text, with its header first.
        shared: The header of the file, for a statement of an algorithm.

    Returns:
        The template.

    Raises:
        ValueError: The header breaks a rule.
    """
    name, summary, entries = _entries(text)
    facts: dict[str, str] = {}
    parameters: list[Parameter] = []
    columns: list[ResultColumn] = []
    if shared is not None and "runs" in shared.facts:
        facts["runs"] = shared.facts["runs"]
    for entry in entries:
        if item := _ITEM.fullmatch(entry):
            kind, item_name, rest = item.groups()
            words = [word.strip() for word in rest.split(",", 1 if kind == "parameter" else 2)]
            if kind == "parameter":
                type_name, _, none = words[0].partition(" or ")
                if type_name not in PARAMETER_TYPES or none not in ("", "none"):
                    raise ValueError(f"{name}: parameter {item_name} has an unknown type")
                parameters.append(Parameter(item_name, type_name, bool(none), words[1]))
            else:
                columns.append(ResultColumn(item_name, *words))
            continue
        fact, colon, rest = entry.partition(": ")
        if fact == "takes" and shared is not None:
            parameters += _shared_parameters(name, rest, shared)
        elif colon and fact in (FACTS if shared is not None else (*FACTS, *FILE_FACTS)):
            facts[fact] = rest
        else:
            raise ValueError(f"{name}: the header line {entry!r} is neither a fact nor an item")
    return Template(name, topic, summary, facts, tuple(parameters), tuple(columns), text)


def _entries(text: str) -> tuple[str, str, list[str]]:
    """Return the name, the sentence and the entries of a header, one line per entry."""
    header: list[str] = []
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        header.append(line[2:].rstrip())
    if len(header) < 2:
        raise ValueError("a template opens with its name and a sentence")
    entries: list[str] = []
    for line in header[2:]:
        if line.startswith("   "):
            entries[-1] += " " + line.strip()
        elif line.strip():
            entries.append(line.strip())
    return header[0].strip(), header[1].strip(), entries


def _shared_parameters(statement: str, listed: str, shared: Template) -> list[Parameter]:
    """Return the parameters that a statement takes from the header of its file."""
    of_file = {parameter.name: parameter for parameter in shared.parameters}
    names = [name.strip() for name in listed.split(",")]
    if unknown := [name for name in names if name not in of_file]:
        raise ValueError(f"{statement} takes {unknown}, which the header of the file lacks")
    return [of_file[name] for name in names]


@cache
def algorithms() -> dict[str, Algorithm]:
    """Return the files by name, sorted by topic and name, with unparsed headers."""
    files: dict[str, Algorithm] = {}
    for path in sorted(glob.glob("*/*.sql", root_dir=SQL_FOLDER)):
        if path.startswith(PIECES):
            continue
        with open(f"{SQL_FOLDER}/{path}", encoding="utf-8") as file:
            algorithm = Algorithm(*os.path.split(path.removesuffix(".sql")), file.read())
        if algorithm.name in files:
            raise ValueError(f"two files are named {algorithm.name}")
        files[algorithm.name] = algorithm
    return files


@cache
def _homes() -> dict[str, Algorithm]:
    """Return the file of each statement, by the name of the statement."""
    homes: dict[str, Algorithm] = {}
    for algorithm in algorithms().values():
        for name in algorithm.names:
            if homes.setdefault(name, algorithm) is not algorithm:
                raise ValueError(f"two templates are named {name}")
    return homes


@cache
def template_of(name: str) -> Template:
    """Return a template by name; only the headers of used templates are parsed."""
    return _homes()[name].template(name)


def algorithm_of(name: str) -> Algorithm | None:
    """Return the file of a template; None for an unknown name."""
    return _homes().get(name)


def topic_of(name: str) -> str | None:
    """Return the topic of a template; None for an unknown name."""
    algorithm = algorithm_of(name)
    return algorithm.topic if algorithm is not None else None


def catalogue() -> dict[str, Template]:
    """Return all templates by name, in the order of topic, file and statement."""
    return {name: template_of(name) for name in _homes()}


def metrics() -> dict[str, Template]:
    """Return the templates that a person can run by name."""
    return {name: template for name, template in catalogue().items() if template.is_metric}


def knowledges() -> dict[str, Template]:
    """Return the expressions that map a value to what an attacker knows of it."""
    return {name: template_of(name) for name, home in _homes().items() if home.topic == "knowledge"}


def find_metric(name: str) -> Template:
    """Return a metric by name.

    Raises:
        UsageError: There is none; the message suggests the nearest names.
    """
    by_name = metrics()
    if name not in by_name:
        raise UsageError("templates.unknown_metric", name=name, suggestion=suggest_names(name, list(by_name)))
    return by_name[name]


# --- typed filters ---------------------------------------------------------------------------


def identifier(name: str) -> Sql:
    """Quote an identifier.

    Raises:
        UsageError: The name is empty or holds NUL, which some engines cannot quote.
    """
    if not isinstance(name, str):
        raise TypeError(f"{type(name).__name__} is no identifier")
    if not name or "\0" in name:
        raise UsageError("templates.invalid_name")
    return Sql('"' + name.replace('"', '""') + '"')


def literal(value: Any) -> Sql:
    """Write a scalar, a list or a dictionary as a literal.

    Raises:
        UsageError: A number is not finite, or a text holds NUL.
    """
    if value is None:
        return Sql("NULL")
    if isinstance(value, bool):
        return Sql("TRUE" if value else "FALSE")
    if isinstance(value, int):
        return Sql(str(value))
    if isinstance(value, float):
        if not math.isfinite(value):
            raise UsageError("templates.number_not_finite")
        return Sql(repr(value))
    if isinstance(value, str):
        if "\0" in value:
            raise UsageError("templates.nul_in_text")
        return Sql("'" + value.replace("'", "''") + "'")
    if isinstance(value, (list, tuple)):
        return Sql("[" + ", ".join(literal(item) for item in value) + "]")
    if isinstance(value, dict):
        return Sql("{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}")
    raise TypeError(f"{type(value).__name__} has no literal")


def relation(source: str) -> Sql:
    """Write what follows FROM: rendered SQL as it is, a name quoted."""
    return source if isinstance(source, Sql) else identifier(source)


def integer_type(bits: int) -> Sql:
    """Return the smallest signed integer type with at least this number of bits."""
    return Sql("SMALLINT" if bits <= 15 else "INTEGER" if bits <= 31 else "BIGINT")


def expression(text: str) -> Sql:
    """Pass SQL of the user that the caller has checked."""
    if not isinstance(text, Sql):
        raise TypeError("an expression has to be checked first")
    return text


def _number_type(kind: str) -> Sql:
    """Pass the name of a numeric type of the engine."""
    if not re.fullmatch(r"[A-Z]+(\(\d+,\d+\))?", kind):
        raise TypeError("this is no type of numbers")
    return Sql(kind)


def options(arguments: Mapping[str, Any]) -> Sql:
    """Write named arguments of a table function, each with a leading comma."""
    return Sql("".join(f", {identifier(key)} = {literal(item)}" for key, item in arguments.items()))


class Dialect:
    """The filters of an engine's SQL; this class writes that of DuckDB.

    A statement that another dialect writes differently has a variant named DIALECT__STATEMENT.
    """

    name = "duckdb"
    struct = "ROW"
    text = "VARCHAR"
    record = Sql("ROW_NUMBER() OVER ()")

    def identifier(self, name: str) -> Sql:
        """Quote an identifier; SQL of a value that stands for a column stays as it is."""
        return name if isinstance(name, Sql) else identifier(name)

    def literal(self, value: Any) -> Sql:
        """Write a literal."""
        return literal(value)

    def relation(self, source: str) -> Sql:
        """Write what follows FROM."""
        return relation(source)

    def expression(self, text: str) -> Sql:
        """Pass checked SQL of the user."""
        return expression(text)

    def person(self, user: str | None) -> Sql:
        """Write the user of a record, or the record itself without one."""
        return self.record if user is None else self.relation(user)

    def value(self, attribute: Attribute) -> Sql:
        """Write what the attacker learns as one expression; NULL if any part is missing."""
        parts = [self._known_value(part) for part in attribute.parts]
        if len(parts) == 1:
            return parts[0]
        present = " AND ".join(f"{part} IS NOT NULL" for part in parts)
        return Sql(f"CASE WHEN {present} THEN {self.struct}({', '.join(parts)}) END")

    def number(self, item: Attribute | str) -> Sql:
        """Write the 64-bit number of an attribute or a column, which replaces its value."""
        cell = self.value(item) if isinstance(item, Attribute) else self.relation(item)
        return self.render("cell_number", {"cell": cell})

    def write_each(
        self, items: Iterable[Any], pattern: str, *others: Sequence[Any], between: str = ", "
    ) -> Sql:
        """Write a piece of SQL for each item, by a pattern of ``duckrisk.engine.lists``."""
        text, slots = parse_pattern(pattern)
        written = []
        for index, item in enumerate(items):
            values = []
            for name, by in slots:
                if name in COUNTERS:
                    values.append(COUNTERS[name](index))
                else:
                    value = item if name == "x" else others["yz".index(name)][index]
                    values.append(_finalize(value) if by is None else getattr(self, by)(value))
            written.append(text % tuple(values))
        return Sql(between.join(written))

    def identifiers(self, names: Iterable[str]) -> Sql:
        """Write names with commas between them."""
        return Sql(", ".join(map(self.identifier, names)))

    def literals(self, values: Iterable[Any]) -> Sql:
        """Write literals with commas between them."""
        return Sql(", ".join(map(self.literal, values)))

    def _known_value(self, part: Part) -> Sql:
        """Write what an attacker knows of a column."""
        if part.tokens:
            value_sql = self._known_value(dataclasses.replace(part, tokens=()))
            column = self.relation(part.column)
            tokens = [self.literal(token) for token in part.tokens]
            if part.number is None:
                column = Sql(f"TRIM(CAST({column} AS {self.text}))")
            else:  # a token that the type cannot hold is NULL, which equals no value
                kind = _number_type(part.number)
                tokens = [Sql(f"TRY_CAST({token} AS {kind})") for token in tokens]
            # With IN, the engine takes time quadratic in the columns of the statement.
            missing = " ".join(f"WHEN {token} THEN NULL" for token in tokens)
            return Sql(f"CASE {column} {missing} ELSE {value_sql} END")
        column = self.relation(part.column)
        if part.moment:
            column = Sql(f"CAST({column} AS TIMESTAMP)")
        if part.fine:
            column = self.render("in_microseconds", {"column": column})
        if part.knowledge == "exact":
            return (
                self.render("digest", {"column": column, "argument": _DIGEST_PREFIX}) if part.long else column
            )
        arguments: dict[str, Any] = {"column": column}
        if part.argument is not None:
            arguments["argument"] = part.argument
        if part.table is not None:
            arguments["table"] = part.table
        return self.render(part.knowledge, arguments)

    def render(self, name: str, arguments: Mapping[str, Any]) -> Sql:
        """Render a template, or its variant for this dialect; raises as :func:`render`."""
        filled = _complete_arguments(template_of(name), arguments)
        variant = f"{self.name}__{name}"
        if variant in _homes():
            declared = {parameter.name for parameter in template_of(variant).parameters}
            name, filled = variant, {key: filled[key] for key in declared}
        return Sql(environment(self).get_template(name).render(**filled))


DUCKDB = Dialect()
person, value = DUCKDB.person, DUCKDB.value


def between(loop: LoopContext, text: str = ",") -> Sql:
    """Write a text after each turn of a loop but the last."""
    return Sql("" if loop.last else text)


def _finalize(piece: Any) -> Any:
    if isinstance(piece, (Sql, jinja2.Undefined)) or type(piece) is int:
        return piece
    raise TypeError("a template printed a value without a filter")


def _load(name: str) -> tuple[str, str, None]:
    """Return the text of a template and its file, for Jinja."""
    template = template_of(name)
    return template.text if template.is_metric else template.body, str(_homes()[name].path), None


@cache
def environment(dialect: Dialect = DUCKDB) -> jinja2.Environment:
    """Return the Jinja environment of a dialect, which raises on unfiltered values."""
    strict = jinja2.Environment(
        loader=jinja2.FunctionLoader(_load),
        # Jinja folds constants with the filters, so compiled templates depend on this file.
        bytecode_cache=CompiledTemplates(__file__) if dialect is DUCKDB else None,
        auto_reload=False,
        cache_size=-1,
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,  # noqa: S701 - SQL, not HTML: the typed filters quote
    )
    strict.filters = {
        "identifier": dialect.identifier,
        "literal": dialect.literal,
        "relation": dialect.relation,
        "person": dialect.person,
        "value": dialect.value,
        "number": dialect.number,
        "each": dialect.write_each,
        "identifiers": dialect.identifiers,
        "literals": dialect.literals,
        "between": between,
        "options": options,
        "expression": dialect.expression,
        "integer_type": integer_type,
        "length": len,
        "max": max,
        "min": min,
        "sum": sum,
    }
    return strict


def find_variables(template: Template) -> set[str]:
    """Return the variables that the text of a template uses."""
    return jinja2.meta.find_undeclared_variables(environment().parse(template.text))


def render_from_records(name: str, arguments: Mapping[str, Any]) -> Sql:
    """Render a metric, with the metrics that make its relations as subqueries.

    Args:
        name: The metric.
        arguments: Arguments of any of these metrics. A relation that is given needs no subquery; arguments
            of other templates are ignored.
    """
    template, filled = template_of(name), {}
    for parameter in template.parameters:
        if parameter.name in arguments:
            filled[parameter.name] = arguments[parameter.name]
        elif parameter.made_by is not None:
            lines = render_from_records(parameter.made_by, arguments).splitlines(keepends=True)
            filled[parameter.name] = Sql(f"({''.join(line for line in lines if not line.startswith('--'))})")
    return render(name, **filled)


def render(name: str, /, **arguments: Any) -> Sql:
    """Render a template for DuckDB.

    Raises:
        TypeError: The arguments are not exactly the declared ones.
    """
    sql = DUCKDB.render(name, arguments)
    sql.origin = name, arguments
    return sql


def _complete_arguments(template: Template, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return all arguments, missing optional ones as None; raises as ``render``."""
    declared = {parameter.name: parameter for parameter in template.parameters}
    filled = dict(arguments)
    for missing in declared.keys() - arguments.keys():
        if not declared[missing].optional:
            raise TypeError(f"{template.name} needs {missing}")
        filled[missing] = None
    if extra := arguments.keys() - declared.keys():
        raise TypeError(f"{template.name} has no parameter {sorted(extra)}")
    for flag, optional in template.flags.items():
        if not isinstance(filled[flag], bool) and not (optional and filled[flag] is None):
            raise TypeError(f"{template.name}: {flag} is a flag and takes True or False")
    return filled
