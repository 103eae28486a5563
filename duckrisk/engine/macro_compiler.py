"""Compiles a template into a SQL expression that builds its statement, for macros of a DuckDB shell.

``||`` joins the pieces without substitution, so the text of one parameter cannot replace another. As in
Python, text enters only through typed filters, which are macros here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from jinja2 import nodes

from duckrisk.engine import templates
from duckrisk.engine.lists import parse_pattern
from duckrisk.engine.templates import Template, literal

#: The alias of the records. Qualified by it, a missing column is an error even if the statement gives
#: another column the same name.
SOURCE = "duckrisk_source"


class UnsupportedTemplateError(ValueError):
    """A template uses something that has no counterpart in a macro yet."""


@dataclass(frozen=True)
class Variable:
    """A variable of a template: the SQL of its value, and its type."""

    sql: str
    type: str
    optional: bool = False


#: The variables of a template by name.
Scope = dict[str, Variable]
#: The types of lists, and the type of their elements.
ELEMENTS = {"columns": "column", "texts": "text", "places": "place", "attributes": "attribute"}
_ARITHMETIC: dict[type[nodes.Expr], str] = {nodes.Add: "+", nodes.Sub: "-", nodes.Mul: "*"}
_COMPARISONS = {"eq": "=", "ne": "<>", "lt": "<", "lteq": "<=", "gt": ">", "gteq": ">="}


class Compiler:
    """Compiles a template into the SQL expression that builds its statement."""

    def __init__(self, template: Template, *, qualified: bool = True) -> None:
        self.template = template
        # With two relations, a column could belong to either. An optional relation only lists people.
        relations = sum(p.type == "relation" and not p.optional for p in template.parameters)
        self.qualified = qualified and relations == 1

    def expression(self, scope: Scope) -> str:
        """Return the expression of the whole text."""
        return self._join_pieces(templates.environment().parse(self.template.body).body, scope)

    def _unsupported(self, node: nodes.Node) -> UnsupportedTemplateError:
        return UnsupportedTemplateError(
            f"{self.template.name}: {type(node).__name__} in line {node.lineno} of the body"
        )

    def _join_pieces(self, body: Sequence[nodes.Node], scope: Scope) -> str:
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

    def _pieces(self, body: Sequence[nodes.Node], scope: Scope) -> Iterator[tuple[bool, str]]:
        for node in body:
            if isinstance(node, nodes.Output):
                for part in node.nodes:
                    if isinstance(part, nodes.TemplateData):
                        yield True, part.data
                    elif isinstance(part, nodes.Filter) and part.name != "length":
                        yield False, self._filtered(part, scope)
                        if part.name == "relation" and self.qualified:
                            yield True, f" AS {SOURCE}"
                    else:
                        yield False, self._number(part, scope)
            elif isinstance(node, nodes.If):
                yield False, self._choice(node, scope)
            elif isinstance(node, nodes.For):
                yield False, self._loop(node, scope)
            else:
                raise self._unsupported(node)

    def _choice(self, node: nodes.If, scope: Scope) -> str:
        branches = [node, *node.elif_]
        cases = " ".join(
            f"WHEN {self._condition(branch.test, scope)} THEN {self._join_pieces(branch.body, scope)}"
            for branch in branches
        )
        return f"CASE {cases} ELSE {self._join_pieces(node.else_, scope)} END"

    def _loop(self, node: nodes.For, scope: Scope) -> str:
        if not isinstance(node.target, nodes.Name) or node.test or node.recursive:
            raise self._unsupported(node)
        items = self._items(node.iter, scope)
        item = f"each_{node.target.name}"
        number = f"{item}_number"
        inner = scope | {
            node.target.name: Variable(item, ELEMENTS[items.type]),
            "loop": Variable(number, "loop"),
            "loop.length": Variable(f"len({items.sql})", "place"),
        }
        body = self._join_pieces(node.body, inner)
        written = f"array_to_string(list_transform({items.sql}, lambda {item}, {number}: {body}), '')"
        if not node.else_:
            return written
        other = self._join_pieces(node.else_, scope)
        return f"CASE WHEN len({items.sql}) > 0 THEN {written} ELSE {other} END"

    def _items(self, node: nodes.Node, scope: Scope) -> Variable:
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == "range":
            return Variable(f"range({', '.join(self._number(n, scope) for n in node.args)})", "places")
        if isinstance(node, nodes.Name) and scope[node.name].type in ELEMENTS:
            return scope[node.name]
        raise self._unsupported(node)

    def _number(self, node: nodes.Node, scope: Scope) -> str:
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

    def _condition(self, node: nodes.Node, scope: Scope) -> str:
        if isinstance(node, nodes.Not):
            return f"NOT ({self._condition(node.node, scope)})"
        if isinstance(node, (nodes.And, nodes.Or)):
            word = "AND" if isinstance(node, nodes.And) else "OR"
            return f"({self._condition(node.left, scope)} {word} {self._condition(node.right, scope)})"
        if isinstance(node, nodes.Test) and node.name == "none" and isinstance(node.node, nodes.Name):
            return f"{scope[node.node.name].sql} IS NULL"
        if isinstance(node, nodes.Name):
            variable = scope[node.name]
            if variable.type in ELEMENTS:
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

    def _column_name(self, node: nodes.Node, scope: Scope) -> str:
        """Compile the name of a column: a text, or texts and numbers concatenated."""
        parts = node.nodes if isinstance(node, nodes.Concat) else [node]
        return " || ".join(
            literal(part.value)
            if isinstance(part, nodes.Const) and isinstance(part.value, str)
            else f"CAST({self._number(part, scope)} AS VARCHAR)"
            for part in parts
        )

    def _filtered(self, node: nodes.Filter, scope: Scope) -> str:
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

    def _filtered_list(self, node: nodes.Filter, scope: Scope) -> str:
        """Compile a filter that writes a piece for each item of a list."""
        if node.node is None or len(node.args) > 1:
            raise self._unsupported(node)
        items = self._items(node.node, scope)
        patterns = {"identifiers": "{x.identifier}", "literals": "{x.literal}"}
        pattern = patterns.get(node.name) or self._constant_text(node.args, 0, "", node)
        separator = self._constant_text([keyword.value for keyword in node.kwargs], 0, ", ", node)
        item = Variable("each_item", ELEMENTS[items.type])
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

    def _wrap(self, filter_name: str, variable: Variable, node: nodes.Node) -> str:
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
            ("literal", "made"): "{0}",
            ("expression", "expression"): "{0}",
        }
        if (filter_name, variable.type) not in wrap:
            raise self._unsupported(node)
        return wrap[filter_name, variable.type].format(variable.sql)
