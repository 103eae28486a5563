"""Writes ``sql/duckrisk.sql``: every metric as a macro for a DuckDB shell without Python.

A template is compiled, not rendered: its text becomes one SQL expression that builds the statement from the
macro's parameters, and DuckDB's ``query()`` runs the statement. ``||`` joins the pieces without substitution,
so the text of one parameter cannot replace another. As in Python, text enters only through typed filters,
which are macros here.
"""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.engine import templates
from duckrisk.engine.macro_compiler import (
    ELEMENTS,
    SOURCE,
    Compiler,
    Scope,
    UnsupportedTemplateError,
    Variable,
)
from duckrisk.engine.templates import Parameter, Sql, Template, literal, template_of

FILE = templates.SQL_FOLDER / "duckrisk.sql"

#: By parameter, the name in a macro where the parameter is a reserved word of SQL.
NAMES = {"user": "user_column", "column": "column_name", "attributes": "attribute"}
#: The defaults of macro parameters; optional parameters default to NULL.
DEFAULTS = {
    "among": "NULL",
    "k": "5",
    "samples": "50",
    "confidence": "0.90",
    "seed": "0",
    "known": "4",
    "draws": "1000",
    "most": "100",
    "texts": "[]",
    "nested": "[]",
    "numbers": "[]",
    "dates": "[]",
    "day": "NULL",
    "amount": "NULL",
    "days": "14",
    "band": "0.1",
    "targets": "400",
    "work": "20_000_000",
    "integers": "[]",
    "bytes": "[]",
    "missing_tokens": "['', '?', '*', 'NULL', 'N/A']",
    "missing_is_value": "false",
    "base": "500",
    "permutations": "200",
    "weight": "NULL",
    "counted": "NULL",
    "ordered": "NULL",
    "attempt": "NULL",
    "least_support": "0.01",
    "least_confidence": "0.3",
    "quantity": "NULL",
    "least": "2",
    "max_size": "3",
    "sampling_fraction": "0.01",
    "share": "0.05",
    "controls": "'low'",
    "motives": "'high'",
    "acquaintances": "150",
    "breach": "0.27",
    "prevalence": "1",
    "people": "10_000",
    "candidates": "10_000_000",
}
#: The last parameters of a macro with an attribute: how the attacker knows it.
ATTRIBUTE_PARAMETERS = (
    ("knowledge", "'exact'", "how the attribute is known: {names}"),
    ("argument", "NULL", "how many characters of a prefix, how wide a band"),
    ("also", "[]", "further columns that are known together with it"),
)
#: The types of the first parameters of a macro, in this order.
_FIRST = ("relation", "user", "column", "columns", "attribute", "attributes")
_EXAMPLES = {
    "relation": "'retail.parquet'",
    "user": "'CustomerID'",
    "column": "'StockCode'",
    "columns": "['UnitPrice', 'Quantity']",
    "attribute": "'StockCode'",
    "attributes": "'StockCode'",
    "integer": "5",
    "flag": "true",
    "number": "0.5",
    "text": "''",
    "texts": "['2,1', '2,1']",
    "basket": "['InvoiceDate']",
    "weight": "'Quantity'",
    "household": "'CustomerID'",
    "risk": "'Quantity'",
}

_HEAD = """\
-- Re-identification risk in a DuckDB shell: every metric of duckrisk as a table macro.
--
--     .read sql/duckrisk.sql
--     FROM attribute_risk('retail.parquet', 'CustomerID', 'InvoiceDate', knowledge := 'date');
--     FROM attribute_risk('retail.parquet', 'CustomerID', 'StockCode', also := ['UnitPrice', 'Quantity']);
--
-- The macros are temporary: nothing is written into a database.
--
-- source: a file that ends in .parquet, .csv, .tsv, .json, .jsonl or .ndjson (the texts also in .gz or .zst;
--   with * ? or [ it is a pattern, in which [*] [?] and [[] are the characters themselves), or a table or
--   view, alone or as schema.table or catalog.schema.table. In these a part that is more than letters,
--   digits, _ and $ is put in double quotes: 'main."my table"'.
-- user_column: the column of the person behind a record; NULL takes each record as a person.
-- Names of columns are given as they are, without double quotes.
--
-- Written by python -m duckrisk.engine.macros from the templates in this folder: change those.
"""

_CELL = """\
-- A cell as records are compared. Cells are equal where they are written alike: for the engine an INTERVAL of
-- a month equals 30 days, COLLATE makes different texts equal, and equal values of a VARIANT differ.
CREATE OR REPLACE TEMP MACRO duckrisk_cell
    (cell INTERVAL) AS CAST(cell AS VARCHAR),
    (cell VARIANT) AS CASE WHEN cell IS NOT NULL THEN CAST(CAST(cell AS JSON) AS VARCHAR) END,
    (cell VARCHAR) AS decode(encode(cell)),
    (cell) AS cell;
"""

_HELPERS = f"""\
-- A name as an identifier.
CREATE OR REPLACE TEMP MACRO duckrisk_identifier(name) AS
    '"' || replace(CAST(coalesce(name, error('A name is missing.')) AS VARCHAR), '"', '""') || '"';

-- A column of the records.
CREATE OR REPLACE TEMP MACRO duckrisk_column(name) AS
    'duckrisk_cell({SOURCE}.' || duckrisk_identifier(name) || ')';

-- The person behind a record.
CREATE OR REPLACE TEMP MACRO duckrisk_person(name) AS
    CASE WHEN name IS NULL THEN 'ROW_NUMBER() OVER ()' ELSE duckrisk_column(name) END;

-- A flag, a text, a whole number and a number as literals.
CREATE OR REPLACE TEMP MACRO duckrisk_flag(value) AS
    CASE WHEN CAST(coalesce(value, error('A flag is missing.')) AS BOOLEAN) THEN 'TRUE' ELSE 'FALSE' END;

CREATE OR REPLACE TEMP MACRO duckrisk_text(value) AS
    '''' || replace(CAST(coalesce(value, error('A text is missing.')) AS VARCHAR), '''', '''''') || '''';

CREATE OR REPLACE TEMP MACRO duckrisk_integer(value) AS
    CAST(CAST(coalesce(value, error('A number is missing.')) AS BIGINT) AS VARCHAR);

CREATE OR REPLACE TEMP MACRO duckrisk_number(value) AS
    CASE WHEN isfinite(CAST(value AS DOUBLE)) THEN CAST(CAST(value AS DOUBLE) AS VARCHAR)
         ELSE error('A number is missing or not finite.') END;

-- What follows FROM. A path is one identifier, which DuckDB opens as a file; a name of up to three
-- parts has each part quoted; everything else is the name of a table.
CREATE OR REPLACE TEMP MACRO duckrisk_relation(source) AS
    CASE
        WHEN source IS NULL THEN error('The source is missing.')
        WHEN regexp_full_match(source, '(?is).*\\.(parquet|(csv|tsv|json|jsonl|ndjson)(\\.(gz|zst))?)')
            THEN duckrisk_identifier(source)
        WHEN regexp_full_match(source, '("([^"]|"")+"|[\\pL\\pN_$]+)(\\.("([^"]|"")+"|[\\pL\\pN_$]+)){{0,2}}')
            THEN array_to_string(list_transform(
                regexp_extract_all(source, '"(?:[^"]|"")+"|[\\pL\\pN_$]+'),
                lambda part: CASE WHEN starts_with(part, '"') THEN part ELSE duckrisk_identifier(part) END
            ), '.')
        ELSE duckrisk_identifier(source)
    END;
"""

_VALUE = """\
-- What the attacker learns; NULL where any part is missing.
CREATE OR REPLACE TEMP MACRO duckrisk_value(name, knowledge, argument, also) AS
    list_transform(
        [list_prepend(
            duckrisk_known(duckrisk_column(name), knowledge, argument),
            list_transform(CAST(also AS VARCHAR[]), lambda other: duckrisk_column(other)))],
        lambda parts: CASE WHEN len(parts) = 1 THEN parts[1] ELSE
            'CASE WHEN ' || array_to_string(parts, ' IS NOT NULL AND ') || ' IS NOT NULL'
            || ' THEN ROW(' || array_to_string(parts, ', ') || ') END' END
    )[1];
"""


def _cell_number_macro() -> str:
    """Return the macro that writes the 64-bit number of a value."""
    cell = "duckrisk_cell"
    text = literal(templates.render("cell_number", cell=Sql(cell)))
    return (
        "-- The 64-bit number that replaces a value.\n"
        f"CREATE OR REPLACE TEMP MACRO duckrisk_cell_number(cell) AS\n    replace({text}, '{cell}', cell);\n"
    )


def name_parameter(parameter: Parameter) -> str:
    """Name a parameter in a macro."""
    return NAMES.get(parameter.name, parameter.name)


def make_variable(parameter: Parameter) -> Variable:
    """Return a parameter of a macro as a variable of the template."""
    name = name_parameter(parameter)
    sql = f"CAST({name} AS VARCHAR[])" if parameter.type in ELEMENTS else name
    if parameter.type == "attributes":  # a macro measures one
        sql = f"[{name}]"
    return Variable(sql, parameter.type, parameter.optional)


def order_parameters(template: Template) -> list[tuple[Parameter, str | None]]:
    """Return the parameters of a macro and their defaults, those with a default last."""

    def order(item: tuple[Parameter, str | None]) -> tuple[bool, int]:
        parameter, default = item
        first = _FIRST.index(parameter.type) if parameter.type in _FIRST else len(_FIRST)
        return default is not None, first if default is None else 0

    def default(parameter: Parameter) -> str | None:
        if parameter.type in _FIRST and parameter.name not in DEFAULTS:
            return None
        default_of = "NULL" if parameter.optional else DEFAULTS.get(parameter.name)
        return default_of if parameter.optional or default_of != "NULL" else None

    return sorted(((p, default(p)) for p in template.from_records), key=order)


def _knowledge_macro() -> str:
    """Return the macro that writes a column as an attacker knows it."""
    branches = ["WHEN 'exact' THEN known"]
    for name, template in templates.knowledges().items():
        scope = {
            p.name: Variable("argument" if p.name == "argument" else "known", p.type)
            for p in template.parameters
        }
        branches.append(f"WHEN {literal(name)} THEN {Compiler(template).expression(scope)}")
    message = literal(f"The knowledge is one of {', '.join(['exact', *templates.knowledges()])}.")
    lines = "\n        ".join([*branches, f"ELSE error({message})"])
    # DuckDB copies a parameter of a macro to each use of it, but not that of a lambda.
    return (
        "-- A column, written as an identifier, as an attacker knows it.\n"
        "CREATE OR REPLACE TEMP MACRO duckrisk_known(written, knowledge, argument) AS\n"
        f"    list_transform([written], lambda known: CASE knowledge\n        {lines}\n    END)[1];\n"
    )


def add_made_relations(template: Template, scope: Scope) -> Scope:
    """Return the variables of a template, with the relations that other metrics make."""
    makers = {p.name: template_of(p.made_by) for p in template.parameters if p.made_by is not None}
    inner = {
        name: Compiler(maker).expression(add_made_relations(maker, scope)) for name, maker in makers.items()
    }
    return scope | {name: Variable(f"'(' || {sql} || ')'", "made") for name, sql in inner.items()}


def _check_columns(parameters: Sequence[Parameter], *, takes_all: bool) -> Scope:
    """Return the variables of records whose columns are looked for first.

    So an error names the column that is missing.

    Args:
        parameters: The parameters of the metric.
        takes_all: Whether all columns but those of other parameters count as one value where none are named.
    """
    single = [
        name_parameter(p) for p in parameters if p.type in ("user", "column", "attribute", "attributes")
    ]
    also = ["also"] if any(p.type in ("attribute", "attributes") for p in parameters) else []
    lists = [p.name for p in parameters if p.type == "columns" and p.name != "columns"]
    names = " || ".join(f"CAST({name} AS VARCHAR[])" for name in [f"[{', '.join(single)}]", *lists, *also])
    if takes_all:
        return {
            "source": Variable(f"duckrisk_records(source, columns, {names})", "made"),
            "columns": Variable("duckrisk_columns(columns)", "columns"),
        }
    if all(p.name != "columns" for p in parameters):
        return {"source": Variable(f"duckrisk_checked(source, {names})", "made")}
    named = "duckrisk_named(columns)"
    return {
        "source": Variable(f"duckrisk_checked(source, {named} || {names})", "made"),
        "columns": Variable(named, "columns"),
    }


def compile_metric(template: Template, *, is_checked: bool = False, takes_all: bool = False) -> str:
    """Compile a metric into a table macro with a comment.

    Args:
        template: The metric.
        is_checked: Whether it looks for its columns first (:mod:`duckrisk.decision.shell` has the macros).
        takes_all: Whether it takes all columns of the records where none are named, as one value.

    Raises:
        UnsupportedTemplateError: The template uses something that a macro cannot express.
    """
    parameters = order_parameters(template)
    variables = {p.name: make_variable(p) for p, _ in parameters}
    if is_checked and sum(p.type == "relation" and not p.optional for p, _ in parameters) == 1:
        variables |= _check_columns([parameter for parameter, _ in parameters], takes_all=takes_all)
        required = [parameter.name for parameter, default in parameters if default is None]
        parameters = [
            (p, "NULL" if p.name == "columns" == required[-1] else default) for p, default in parameters
        ]
    scope = add_made_relations(template, variables)
    signature = [
        name_parameter(p) if default is None else f"{name_parameter(p)} := {default}"
        for p, default in parameters
    ]
    lines = [f"{name_parameter(p)}: {p.text.replace('none ', 'NULL ')}" for p, _ in parameters]
    attributes = sum(p.type in ("attribute", "attributes") for p, _ in parameters)
    if attributes > 1:
        raise UnsupportedTemplateError(f"{template.name}: two attributes")
    if attributes:
        names = ", ".join(["exact", *templates.knowledges()])
        signature += [f"{name} := {default}" for name, default, _ in ATTRIBUTE_PARAMETERS]
        lines += [f"{name}: {text.format(names=names)}" for name, _, text in ATTRIBUTE_PARAMETERS]
    example = ", ".join(
        _EXAMPLES.get(p.name, _EXAMPLES[p.type])
        for p, default in parameters
        if default is None or p.name == "columns"
    )
    comment = "\n".join(
        [f"-- {template.name}", f"-- {template.summary}", "--", *(f"--   {line}" for line in lines), "--"]
    )
    return (
        f"{comment}\n--   FROM {template.name}({example});\n"
        f"CREATE OR REPLACE TEMP MACRO {template.name}({', '.join(signature)}) AS TABLE\n"
        f"SELECT * FROM query({Compiler(template).expression(scope)});\n"
    )


def compile_helpers() -> str:
    """Return the macros that all others call."""
    return "\n".join([_CELL, _HELPERS, _knowledge_macro(), _VALUE, _cell_number_macro()])


def generate() -> str:
    """Return the text of ``sql/duckrisk.sql``.

    Raises:
        UnsupportedTemplateError: A template cannot become a macro.
    """
    return "\n".join([_HEAD, compile_helpers(), *map(compile_metric, templates.metrics().values())])


def main() -> None:
    """Write ``sql/duckrisk.sql``."""
    FILE.write_text(generate(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
