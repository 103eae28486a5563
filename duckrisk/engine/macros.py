"""Writes ``sql/duckrisk.sql``: every metric as a macro for a DuckDB shell without Python.

A template is compiled, not rendered: its text becomes one SQL expression that builds the statement from the
macro's parameters, and DuckDB's ``query()`` runs the statement. ``||`` joins the pieces without substitution,
so the text of one parameter cannot replace another. As in Python, text enters only through typed filters,
which are macros here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from jinja2 import nodes

from duckrisk.engine import templates
from duckrisk.engine.lists import parse_pattern
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
#: The alias of the records. Qualified by it, a missing column is an error even if the statement gives
#: another column the same name.
_SOURCE = "duckrisk_source"

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
    'duckrisk_cell({_SOURCE}.' || duckrisk_identifier(name) || ')';

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


class UnsupportedTemplateError(ValueError):
    """A template uses something that has no counterpart in a macro yet."""


@dataclass(frozen=True)
class _Variable:
    """A variable of a template: the SQL of its value, and its type."""

    sql: str
    type: str
    optional: bool = False


_Scope = dict[str, _Variable]
_ELEMENTS = {"columns": "column", "texts": "text", "places": "place", "attributes": "attribute"}
_ARITHMETIC: dict[type[nodes.Expr], str] = {nodes.Add: "+", nodes.Sub: "-", nodes.Mul: "*"}
_COMPARISONS = {"eq": "=", "ne": "<>", "lt": "<", "lteq": "<=", "gt": ">", "gteq": ">="}


class _Compiler:
    """Compiles a template into the SQL expression that builds its statement."""

    def __init__(self, template: Template) -> None:
        self.template = template
        # With two relations, a column could belong to either. An optional relation only lists people.
        self.qualified = sum(p.type == "relation" and not p.optional for p in template.parameters) == 1

    def expression(self, scope: _Scope) -> str:
        """Return the expression of the whole text."""
        return self._join_pieces(templates.environment().parse(self.template.body).body, scope)

    def _unsupported(self, node: nodes.Node) -> UnsupportedTemplateError:
        return UnsupportedTemplateError(
            f"{self.template.name}: {type(node).__name__} in line {node.lineno} of the body"
        )

    def _join_pieces(self, body: Sequence[nodes.Node], scope: _Scope) -> str:
        """Join the pieces of a body, with adjacent text merged."""
        joined: list[str] = []
        text = ""
        for is_text, piece in self._pieces(body, scope):
            if is_text:
                text += piece
                continue
            if text:
                joined.append(literal(text))
                text = ""
            joined.append(piece)
        if text or not joined:
            joined.append(literal(text))
        return " || ".join(joined)

    def _pieces(self, body: Sequence[nodes.Node], scope: _Scope) -> Iterator[tuple[bool, str]]:
        for node in body:
            if isinstance(node, nodes.Output):
                for part in node.nodes:
                    if isinstance(part, nodes.TemplateData):
                        yield True, part.data
                    elif isinstance(part, nodes.Filter) and part.name != "length":
                        yield False, self._filtered(part, scope)
                        if part.name == "relation" and self.qualified:
                            yield True, f" AS {_SOURCE}"
                    else:
                        yield False, self._number(part, scope)
            elif isinstance(node, nodes.If):
                yield False, self._choice(node, scope)
            elif isinstance(node, nodes.For):
                yield False, self._loop(node, scope)
            else:
                raise self._unsupported(node)

    def _choice(self, node: nodes.If, scope: _Scope) -> str:
        branches = [node, *node.elif_]
        cases = " ".join(
            f"WHEN {self._condition(branch.test, scope)} THEN {self._join_pieces(branch.body, scope)}"
            for branch in branches
        )
        return f"CASE {cases} ELSE {self._join_pieces(node.else_, scope)} END"

    def _loop(self, node: nodes.For, scope: _Scope) -> str:
        if not isinstance(node.target, nodes.Name) or node.else_ or node.test or node.recursive:
            raise self._unsupported(node)
        items = self._items(node.iter, scope)
        item = f"each_{node.target.name}"
        number = f"{item}_number"
        inner = scope | {
            node.target.name: _Variable(item, _ELEMENTS[items.type]),
            "loop": _Variable(number, "loop"),
            "loop.length": _Variable(f"len({items.sql})", "place"),
        }
        body = self._join_pieces(node.body, inner)
        return f"array_to_string(list_transform({items.sql}, lambda {item}, {number}: {body}), '')"

    def _items(self, node: nodes.Node, scope: _Scope) -> _Variable:
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == "range":
            return _Variable(f"range({', '.join(self._number(n, scope) for n in node.args)})", "places")
        if isinstance(node, nodes.Name) and scope[node.name].type in _ELEMENTS:
            return scope[node.name]
        raise self._unsupported(node)

    def _number(self, node: nodes.Node, scope: _Scope) -> str:
        """Compile integer arithmetic, which needs no filter in a template."""
        if isinstance(node, nodes.Const) and type(node.value) is int:
            return str(node.value)
        if isinstance(node, nodes.Name):
            variable = scope[node.name]
            if variable.type == "place":
                return variable.sql
            if variable.type == "integer":
                return f"CAST({variable.sql} AS BIGINT)"
        if isinstance(node, nodes.Filter) and node.name == "length" and node.node is not None:
            return f"len({self._items(node.node, scope).sql})"
        if isinstance(node, nodes.BinExpr) and type(node) in _ARITHMETIC:
            sign = _ARITHMETIC[type(node)]
            return f"({self._number(node.left, scope)} {sign} {self._number(node.right, scope)})"
        if isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name) and node.node.name == "loop":
            number, length = scope["loop"].sql, scope["loop.length"].sql
            attributes = {"index": number, "index0": f"({number} - 1)", "length": length}
            if node.attr in attributes:
                return attributes[node.attr]
        raise self._unsupported(node)

    def _condition(self, node: nodes.Node, scope: _Scope) -> str:
        if isinstance(node, nodes.Not):
            return f"NOT ({self._condition(node.node, scope)})"
        if isinstance(node, (nodes.And, nodes.Or)):
            word = "AND" if isinstance(node, nodes.And) else "OR"
            return f"({self._condition(node.left, scope)} {word} {self._condition(node.right, scope)})"
        if isinstance(node, nodes.Test) and node.name == "none" and isinstance(node.node, nodes.Name):
            return f"{scope[node.node.name].sql} IS NULL"
        if isinstance(node, nodes.Name):
            variable = scope[node.name]
            if variable.type in _ELEMENTS:
                return f"len({variable.sql}) > 0"
            if variable.type == "flag":
                return f"coalesce(CAST({variable.sql} AS BOOLEAN), false)"
            if variable.type == "user" or variable.optional:
                return f"{variable.sql} IS NOT NULL"
        if isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name) and node.node.name == "loop":
            number, length = scope["loop"].sql, scope["loop.length"].sql
            attributes = {"first": f"{number} = 1", "last": f"{number} = {length}"}
            if node.attr in attributes:
                return attributes[node.attr]
        if isinstance(node, nodes.Compare) and len(node.ops) == 1:
            sign, right = node.ops[0].op, node.ops[0].expr
            if sign in ("in", "notin") and isinstance(node.expr, nodes.Name):
                inside = f"list_contains({self._items(right, scope).sql}, {scope[node.expr.name].sql})"
                return inside if sign == "in" else f"NOT {inside}"
            if sign in _COMPARISONS:
                return f"{self._number(node.expr, scope)} {_COMPARISONS[sign]} {self._number(right, scope)}"
        raise self._unsupported(node)

    def _column_name(self, node: nodes.Node, scope: _Scope) -> str:
        """Compile the name of a column: a text, or texts and numbers concatenated."""
        parts = node.nodes if isinstance(node, nodes.Concat) else [node]
        return " || ".join(
            literal(part.value)
            if isinstance(part, nodes.Const) and isinstance(part.value, str)
            else f"CAST({self._number(part, scope)} AS VARCHAR)"
            for part in parts
        )

    def _filtered(self, node: nodes.Filter, scope: _Scope) -> str:
        if node.name == "number" and isinstance(node.node, (nodes.Const, nodes.Concat)):
            return f"duckrisk_cell_number(duckrisk_identifier({self._column_name(node.node, scope)}))"
        if node.name in ("each", "identifiers", "literals"):
            return self._filtered_list(node, scope)
        if node.name == "between":
            loop, text = scope["loop"].sql, self._constant_text(node.args, 0, ",", node)
            return f"CASE WHEN {loop} < {scope['loop.length'].sql} THEN {literal(text)} ELSE '' END"
        if not isinstance(node.node, nodes.Name) or node.args or node.kwargs:
            raise self._unsupported(node)
        return self._wrap(node.name or "", scope[node.node.name], node)

    def _constant_text(
        self, arguments: Sequence[nodes.Expr], index: int, default: str, node: nodes.Node
    ) -> str:
        """Return a text argument of a filter, else the default."""
        if index >= len(arguments):
            return default
        text = arguments[index]
        if not isinstance(text, nodes.Const) or not isinstance(text.value, str):
            raise self._unsupported(node)
        return text.value

    def _filtered_list(self, node: nodes.Filter, scope: _Scope) -> str:
        """Compile a filter that writes a piece for each item of a list."""
        if node.node is None or len(node.args) > 1:
            raise self._unsupported(node)
        items = self._items(node.node, scope)
        patterns = {"identifiers": "{x.identifier}", "literals": "{x.literal}"}
        pattern = patterns.get(node.name) or self._constant_text(node.args, 0, "", node)
        separator = self._constant_text([keyword.value for keyword in node.kwargs], 0, ", ", node)
        item = _Variable("each_item", _ELEMENTS[items.type])
        counters = {"i": "(each_number - 1)", "n": "each_number", "bit": "(1 << (each_number - 1))"}
        text, slots = parse_pattern(pattern)
        written: list[str] = []
        for fixed, slot in zip_longest(text.replace("%%", "%").split("%s"), slots):
            written += [literal(fixed)] if fixed else []
            if slot is not None:
                name, filter_name = slot
                plain = item.sql if name == "x" and item.type == "place" else counters.get(name)
                if plain is None and filter_name is None:
                    raise self._unsupported(node)
                written.append(plain or self._wrap(filter_name or "", item, node))
        piece = " || ".join(written)
        listed = f"list_transform({items.sql}, lambda each_item, each_number: {piece})"
        return f"array_to_string({listed}, {literal(separator)})"

    def _wrap(self, filter_name: str, variable: _Variable, node: nodes.Node) -> str:
        """Compile a variable with a filter."""
        column = "duckrisk_column" if self.qualified else "duckrisk_identifier"
        wrap = {
            ("relation", "relation"): "duckrisk_relation({0})",
            ("relation", "made"): "{0}",
            ("person", "user"): "duckrisk_person({0})",
            ("identifier", "user"): f"{column}({{0}})",
            ("identifier", "column"): f"{column}({{0}})",
            ("value", "attribute"): "duckrisk_value({0}, knowledge, argument, also)",
            ("literal", "integer"): "duckrisk_integer({0})",
            ("literal", "flag"): "duckrisk_flag({0})",
            ("literal", "number"): "duckrisk_number({0})",
            ("literal", "text"): "duckrisk_text({0})",
            ("literal", "column"): "duckrisk_text({0})",
            ("expression", "expression"): "{0}",
        }
        if (filter_name, variable.type) not in wrap:
            raise self._unsupported(node)
        return wrap[filter_name, variable.type].format(variable.sql)


def _cell_number_macro() -> str:
    """Return the macro that writes the 64-bit number of a value."""
    cell = "duckrisk_cell"
    text = literal(templates.render("cell_number", cell=Sql(cell)))
    return (
        "-- The 64-bit number that replaces a value.\n"
        f"CREATE OR REPLACE TEMP MACRO duckrisk_cell_number(cell) AS\n    replace({text}, '{cell}', cell);\n"
    )


def _name(parameter: Parameter) -> str:
    return NAMES.get(parameter.name, parameter.name)


def _variable(parameter: Parameter) -> _Variable:
    """Return a parameter of a macro as a variable of the template."""
    name = _name(parameter)
    sql = f"CAST({name} AS VARCHAR[])" if parameter.type in _ELEMENTS else name
    if parameter.type == "attributes":  # a macro measures one
        sql = f"[{name}]"
    return _Variable(sql, parameter.type, parameter.optional)


def _order_parameters(template: Template) -> list[tuple[Parameter, str | None]]:
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
            p.name: _Variable("argument" if p.name == "argument" else "known", p.type)
            for p in template.parameters
        }
        branches.append(f"WHEN {literal(name)} THEN {_Compiler(template).expression(scope)}")
    message = literal(f"The knowledge is one of {', '.join(['exact', *templates.knowledges()])}.")
    lines = "\n        ".join([*branches, f"ELSE error({message})"])
    # DuckDB copies a parameter of a macro to each use of it, but not that of a lambda.
    return (
        "-- A column, written as an identifier, as an attacker knows it.\n"
        "CREATE OR REPLACE TEMP MACRO duckrisk_known(written, knowledge, argument) AS\n"
        f"    list_transform([written], lambda known: CASE knowledge\n        {lines}\n    END)[1];\n"
    )


def _scope(template: Template, scope: _Scope) -> _Scope:
    """Return the variables of a template, with the relations that other metrics make."""
    makers = {p.name: template_of(p.made_by) for p in template.parameters if p.made_by is not None}
    inner = {name: _Compiler(maker).expression(_scope(maker, scope)) for name, maker in makers.items()}
    return scope | {name: _Variable(f"'(' || {sql} || ')'", "made") for name, sql in inner.items()}


def compile_metric(template: Template) -> str:
    """Compile a metric into a table macro with a comment.

    Raises:
        UnsupportedTemplateError: The template uses something that a macro cannot express.
    """
    parameters = _order_parameters(template)
    scope = _scope(template, {p.name: _variable(p) for p, _ in parameters})
    signature = [_name(p) if default is None else f"{_name(p)} := {default}" for p, default in parameters]
    lines = [f"{_name(p)}: {p.text.replace('none ', 'NULL ')}" for p, _ in parameters]
    attributes = sum(p.type in ("attribute", "attributes") for p, _ in parameters)
    if attributes > 1:
        raise UnsupportedTemplateError(f"{template.name}: two attributes")
    if attributes:
        names = ", ".join(["exact", *templates.knowledges()])
        signature += [f"{name} := {default}" for name, default, _ in ATTRIBUTE_PARAMETERS]
        lines += [f"{name}: {text.format(names=names)}" for name, _, text in ATTRIBUTE_PARAMETERS]
    example = ", ".join(
        _EXAMPLES.get(p.name, _EXAMPLES[p.type]) for p, default in parameters if default is None
    )
    comment = "\n".join(
        [f"-- {template.name}", f"-- {template.summary}", "--", *(f"--   {line}" for line in lines), "--"]
    )
    return (
        f"{comment}\n--   FROM {template.name}({example});\n"
        f"CREATE OR REPLACE TEMP MACRO {template.name}({', '.join(signature)}) AS TABLE\n"
        f"SELECT * FROM query({_Compiler(template).expression(scope)});\n"
    )


def generate() -> str:
    """Return the text of ``sql/duckrisk.sql``.

    Raises:
        UnsupportedTemplateError: A template cannot become a macro.
    """
    return "\n".join(
        [
            _HEAD,
            _CELL,
            _HELPERS,
            _knowledge_macro(),
            _VALUE,
            _cell_number_macro(),
            *map(compile_metric, templates.metrics().values()),
        ]
    )


def main() -> None:
    """Write ``sql/duckrisk.sql``."""
    FILE.write_text(generate(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
