"""Finds, checks and renders the SQL templates under ``sql/``; nothing else makes SQL text.

A template is a SQL statement that opens with a header of ``--`` comments: its name, one sentence,
facts (definition, source, missing, read, instead, runs), its parameters and its result columns. It has a
file to itself, or it is one of the statements of an algorithm, each of which begins with ``-- name:``, below
the file's own header: the idea, the tables that the statements read and make, what their headers share.
User-made text can only enter through the typed filters of this module: anything unfiltered raises.
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
from duckrisk.engine.lists import COUNTERS, pieces

#: So many characters of a long text stand before its digest.
_KEPT = 64

_PACKAGE = Path(__file__).resolve().parents[1]
#: An installed package carries ``sql/`` inside; a checkout has it beside the package.
SQL_FOLDER = _PACKAGE / "sql" if (_PACKAGE / "sql").is_dir() else _PACKAGE.parent / "sql"

#: The folder of the pieces that several statements include.
PIECES = "shared"
FACTS = ("definition", "source", "missing", "read", "instead", "runs")
#: Facts of a file's own header.
FILE_FACTS = ("idea", "reads", "makes")
PARAMETER_TYPES = (
    "relation",
    "user",
    "column",
    "columns",
    "attribute",
    "attributes",
    "integer",
    "integers",
    "number",
    "numbers",
    "flag",
    "text",
    "texts",
    "options",
    "expression",
    "expressions",
)


class Sql(str):
    """Text that is known to be safe SQL: only filters and templates make it."""

    #: The template that this was rendered from and its arguments: another dialect renders it anew.
    origin: tuple[str, Mapping[str, Any]] | None = None


@dataclass(frozen=True)
class Part:
    """One column as an attacker knows it.

    ``column`` is the name of the column in the relation, ``knowledge`` the template under
    ``sql/knowledge`` that maps it to what is known, ``argument`` that template's number, and
    ``moment`` says that a text column is read as a timestamp first, ``tokens`` which values count as missing,
    by their text or, in a column of numbers, as numbers of its type ``number``; ``table`` is that of the
    hierarchy whose labels are known. ``long`` says that the column holds long texts, which digests stand for:
    whatever joins, sorts or keeps values would hold several copies of all of them. ``fine`` says that the
    column holds nanoseconds, which an engine would round.
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
    """What an attacker may know about: one part, or several for a composite attribute."""

    name: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Parameter:
    name: str
    type: str
    optional: bool
    text: str

    @property
    def made_by(self) -> str | None:
        """The metric whose result this relation is, "as METRIC gives it"; None for any other parameter."""
        made = re.search(r"\bas (\w+) gives\b", self.text)
        return made[1] if self.type == "relation" and made else None


@dataclass(frozen=True)
class ResultColumn:
    name: str
    type: str
    unit: str
    text: str


@dataclass(frozen=True)
class Template:
    """One statement or expression: its header, and its text from the first line of that on."""

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
        """The parameters that take True or False alone, by name; True if it may be None."""
        return {
            parameter.name: parameter.optional for parameter in self.parameters if parameter.type == "flag"
        }

    @property
    def is_metric(self) -> bool:
        """Whether a person may run it by name: it has a result and reads a source."""
        return bool(self.columns) and any(p.type == "relation" for p in self.parameters)

    @property
    def from_records(self) -> tuple[Parameter, ...]:
        """The parameters, those of the metric that makes a relation in the place of that."""
        every: list[Parameter] = []
        for parameter in self.parameters:
            made_by = parameter.made_by
            every += [parameter] if made_by is None else template_of(made_by).from_records
        return tuple(every)


class Algorithm:
    """One file under ``sql/``: what its statements do together, and these in the order in which they run."""

    def __init__(self, topic: str, name: str, text: str) -> None:
        self.topic = topic
        self.name = name
        #: The header of the file, or all of it where it is one statement.
        self._opening, *named = _with_pieces(text).split("\n-- name: ")
        #: The statements by name, with their texts from the name on; none where the file is one statement.
        self._named = {text[: text.index("\n")]: text for text in named}
        if len(self._named) < len(named):
            raise ValueError(f"{topic}/{name}.sql has two statements of one name")

    @property
    def names(self) -> Collection[str]:
        """The names of its statements, in the order in which they run."""
        return self._named.keys() or (self.name,)

    @property
    def path(self) -> Path:
        """The file."""
        return SQL_FOLDER / self.topic / f"{self.name}.sql"

    @cached_property
    def header(self) -> Template:
        """What the file says of itself: where it is one statement, what that does."""
        header = parse(self.topic, self._opening)
        if header.name != self.name:
            raise ValueError(f"{self.name}.sql calls itself {header.name}")
        return header

    @property
    def statements(self) -> list[Template]:
        """Its statements, in the order in which they run."""
        return [template_of(name) for name in self.names]

    @property
    def is_metric(self) -> bool:
        """Whether one of its statements may be run by the file's name."""
        return self.name in self.names and template_of(self.name).is_metric

    def tables(self, fact: str) -> list[str]:
        """The tables that the header ``reads`` or ``makes``."""
        return [name.strip() for name in self.header.facts.get(fact, "").split(",") if name.strip()]

    def template(self, name: str) -> Template:
        """One of its statements, with what the header of the file says for it."""
        if not self._named:
            return self.header
        return parse(self.topic, f"-- {self._named[name].rstrip()}\n", self.header)


_INCLUDE = re.compile(r"^-- include: (\w+)(?:, (\w+): (.+))?\n", re.MULTILINE)


def _with_pieces(text: str) -> str:
    """Replace each line ``-- include: NAME`` by the piece of that name under ``sql/shared``.

    ``-- include: NAME, KEY: TEXT`` writes TEXT where the piece has ``<KEY>``.
    """
    if "-- include: " not in text:
        return text
    return _INCLUDE.sub(lambda line: _piece(line[1]).replace(f"<{line[2]}>", line[3] or ""), text)


@cache
def _piece(name: str) -> str:
    """The text of a piece below its header, which ends with an empty line."""
    with open(SQL_FOLDER / PIECES / f"{name}.sql", encoding="utf-8") as file:
        return file.read().partition("\n\n")[2]


_ITEM = re.compile(r"(parameter|column) (\w+): (.*)", re.DOTALL)


def parse(topic: str, text: str, shared: Template | None = None) -> Template:
    """Read a header: of a template, whose file's header may be ``shared``, or of a file.

    Raises ValueError where it breaks the rules of a header.
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
            parameters += _taken(name, rest, shared)
        elif colon and fact in (FACTS if shared is not None else (*FACTS, *FILE_FACTS)):
            facts[fact] = rest
        else:
            raise ValueError(f"{name}: the header line {entry!r} is neither a fact nor an item")
    return Template(name, topic, summary, facts, tuple(parameters), tuple(columns), text)


def _entries(text: str) -> tuple[str, str, list[str]]:
    """The name, the sentence and the entries of a header, each entry on one line."""
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


def _taken(name: str, names: str, shared: Template) -> list[Parameter]:
    """The parameters of the file's header that a statement of it has."""
    of_file = {parameter.name: parameter for parameter in shared.parameters}
    taken = [taken.strip() for taken in names.split(",")]
    if unknown := [parameter for parameter in taken if parameter not in of_file]:
        raise ValueError(f"{name} takes {unknown}, of which the header of the file says nothing")
    return [of_file[parameter] for parameter in taken]


@cache
def algorithms() -> dict[str, Algorithm]:
    """The files by name, in the order of topic and name; their headers are read when they are asked for."""
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
    """The file of each statement, by the name of the statement."""
    homes: dict[str, Algorithm] = {}
    for algorithm in algorithms().values():
        for name in algorithm.names:
            if homes.setdefault(name, algorithm) is not algorithm:
                raise ValueError(f"two templates are named {name}")
    return homes


@cache
def template_of(name: str) -> Template:
    """The template of that name; only the headers of what is used are read."""
    return _homes()[name].template(name)


def algorithm_of(name: str) -> Algorithm | None:
    """The file of a template; None for what is none."""
    return _homes().get(name)


def topic_of(name: str) -> str | None:
    """The topic of a template; None for what is none."""
    algorithm = algorithm_of(name)
    return algorithm.topic if algorithm is not None else None


def catalogue() -> dict[str, Template]:
    """All templates by name, in the order of topic, file and statement."""
    return {name: template_of(name) for name in _homes()}


def metrics() -> dict[str, Template]:
    """The templates that a person can run by name."""
    return {name: template for name, template in catalogue().items() if template.is_metric}


def knowledges() -> dict[str, Template]:
    """The expressions that say what an attacker knows of a column."""
    return {name: template_of(name) for name, home in _homes().items() if home.topic == "knowledge"}


def find(name: str) -> Template:
    """The metric of that name; raises UsageError with the nearest names."""
    known = metrics()
    if name not in known:
        raise UsageError("templates.unknown_metric", name=name, suggestion=suggest_names(name, list(known)))
    return known[name]


# --- typed filters ---------------------------------------------------------------------------


def identifier(name: str) -> Sql:
    """A quoted identifier. NUL cannot be quoted in every engine and raises UsageError."""
    if not isinstance(name, str):
        raise TypeError(f"{type(name).__name__} is no identifier")
    if not name or "\0" in name:
        raise UsageError("templates.invalid_name")
    return Sql('"' + name.replace('"', '""') + '"')


def literal(value: Any) -> Sql:
    """A literal of a text, a number, a truth value, None, or a list or tuple of these."""
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
    """What follows FROM: SQL of a rendered source template as it is, a plain name quoted."""
    return source if isinstance(source, Sql) else identifier(source)


def integer_type(bits: int) -> Sql:
    """The smallest signed type of whole numbers that holds so many bits: large tables stay small."""
    return Sql("SMALLINT" if bits <= 15 else "INTEGER" if bits <= 31 else "BIGINT")


def expression(text: str) -> Sql:
    """SQL text of the person who runs duckrisk (a condition, a query), checked where it is taken."""
    if not isinstance(text, Sql):
        raise TypeError("an expression has to be checked first")
    return text


def _number_type(kind: str) -> Sql:
    """A type of numbers, as the engine calls it."""
    if not re.fullmatch(r"[A-Z]+(\(\d+,\d+\))?", kind):
        raise TypeError("this is no type of numbers")
    return Sql(kind)


def options(arguments: Mapping[str, Any]) -> Sql:
    """Named arguments of a table function, each with a leading comma."""
    return Sql("".join(f", {identifier(key)} = {literal(item)}" for key, item in arguments.items()))


class Dialect:
    """How an engine writes what the filters make; this is DuckDB's way. A statement that has to be written
    otherwise for another dialect has a variant, NAME__STATEMENT."""

    name = "duckdb"
    struct = "ROW"
    text = "VARCHAR"
    record = Sql("ROW_NUMBER() OVER ()")

    def identifier(self, name: str) -> Sql:
        return identifier(name)

    def literal(self, value: Any) -> Sql:
        return literal(value)

    def relation(self, source: str) -> Sql:
        return relation(source)

    def expression(self, text: str) -> Sql:
        return expression(text)

    def person(self, user: str | None) -> Sql:
        """The user of a record: their column, or the record itself where there is none."""
        return self.record if user is None else self.relation(user)

    def value(self, attribute: Attribute) -> Sql:
        """What the attacker learns as one SQL expression; NULL where any part is missing."""
        parts = [self._known(part) for part in attribute.parts]
        if len(parts) == 1:
            return parts[0]
        present = " AND ".join(f"{part} IS NOT NULL" for part in parts)
        return Sql(f"CASE WHEN {present} THEN {self.struct}({', '.join(parts)}) END")

    def number(self, known: Attribute | str) -> Sql:
        """The number of 64 bits that stands for what the attacker learns, or for what a column holds."""
        cell = self.value(known) if isinstance(known, Attribute) else self.relation(known)
        return self.render("cell_number", {"cell": cell})

    def each(self, items: Iterable[Any], pattern: str, *others: Sequence[Any], between: str = ", ") -> Sql:
        """Write one piece of SQL for each item, by a pattern of :mod:`duckrisk.engine.lists`."""
        text, slots = pieces(pattern)
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

    def _known(self, part: Part) -> Sql:
        if part.tokens:
            known = self._known(dataclasses.replace(part, tokens=()))
            column = self.relation(part.column)
            tokens = [self.literal(token) for token in part.tokens]
            if part.number is None:
                column = Sql(f"TRIM(CAST({column} AS {self.text}))")
            else:  # a number that the type cannot hold is none of its values
                kind = _number_type(part.number)
                tokens = [Sql(f"TRY_CAST({token} AS {kind})") for token in tokens]
            # An IN takes the engine a time that grows with the square of the columns of a statement.
            missing = " ".join(f"WHEN {token} THEN NULL" for token in tokens)
            return Sql(f"CASE {column} {missing} ELSE {known} END")
        column = self.relation(part.column)
        if part.moment:
            column = Sql(f"CAST({column} AS TIMESTAMP)")
        if part.fine:
            column = self.render("in_microseconds", {"column": column})
        if part.knowledge == "exact":
            return self.render("digest", {"column": column, "argument": _KEPT}) if part.long else column
        arguments: dict[str, Any] = {"column": column}
        if part.argument is not None:
            arguments["argument"] = part.argument
        if part.table is not None:
            arguments["table"] = part.table
        return self.render(part.knowledge, arguments)

    def render(self, name: str, arguments: Mapping[str, Any]) -> Sql:
        """A template in this dialect, by its variant where it has one. Raises TypeError as :func:`render`."""
        filled = _filled(template_of(name), arguments)
        variant = f"{self.name}__{name}"
        if variant in _homes():
            own = {parameter.name for parameter in template_of(variant).parameters}
            name, filled = variant, {key: filled[key] for key in own}
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


def _text(name: str) -> tuple[str, str, None]:
    """The text of a template for Jinja, and where it stands."""
    template = template_of(name)
    return template.text if template.is_metric else template.body, str(_homes()[name].path), None


@cache
def environment(dialect: Dialect = DUCKDB) -> jinja2.Environment:
    """The one Jinja environment of a dialect: undefined names and unfiltered values raise."""
    strict = jinja2.Environment(
        loader=jinja2.FunctionLoader(_text),
        # What Jinja computes beforehand depends on the filters.
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
        "each": dialect.each,
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


def undeclared(template: Template) -> set[str]:
    """The variables that a template's text uses."""
    return jinja2.meta.find_undeclared_variables(environment().parse(template.text))


def render_from_records(name: str, arguments: Mapping[str, Any]) -> Sql:
    """Render a metric with those that make its relations inside it, where these are not given; of the
    arguments it takes its own."""
    template, own = template_of(name), {}
    for parameter in template.parameters:
        if parameter.name in arguments:
            own[parameter.name] = arguments[parameter.name]
        elif parameter.made_by is not None:
            lines = render_from_records(parameter.made_by, arguments).splitlines(keepends=True)
            own[parameter.name] = Sql(f"({''.join(line for line in lines if not line.startswith('--'))})")
    return render(name, **own)


def render(name: str, /, **arguments: Any) -> Sql:
    """Render a template. Raises TypeError when the arguments are not exactly the declared ones."""
    sql = DUCKDB.render(name, arguments)
    sql.origin = name, arguments
    return sql


def _filled(template: Template, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, None for what may be left out. Raises TypeError for others than the declared ones."""
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
