"""Checks the SQL that a person adds (--query, --where): one SELECT, one condition, nothing else.

The engine's own parser decides; its parse tree also names the files that a query reads, so that the
lock can let exactly these through.
"""

from __future__ import annotations

import json
from typing import Any

from duckrisk.errors import DuckriskError, UsageError
from duckrisk.session import Session
from duckrisk.templates import Sql


def check_query(session: Session, query: str) -> dict[str, Any]:
    """The parse tree of a query; raises UsageError unless it is one SELECT."""
    try:
        tree = json.loads(session.row("parse_query", query=text_of(query))["tree"])
    except DuckriskError:
        tree = {"error": True}
    if tree.get("error") or len(tree.get("statements", [])) != 1:
        raise UsageError("--query takes one SELECT statement, and this is not one.")
    return tree


def check_condition(session: Session, condition: str) -> Sql:
    """A condition on the records as SQL; raises UsageError unless it is one expression."""
    try:
        tree = check_query(session, f"SELECT 1 FROM records WHERE ({condition}\n)")
        plain = check_query(session, "SELECT 1 FROM records WHERE (TRUE\n)")
    except UsageError:
        raise UsageError("--where takes one SQL condition such as \"Quantity > 0\", and this is not one.") from None
    node, model = tree["statements"][0]["node"], plain["statements"][0]["node"]
    same = {key: value for key, value in node.items() if key not in ("where_clause", "from_table", "select_list")}
    if same != {key: value for key, value in model.items() if key in same} or node.get("where_clause") is None:
        raise UsageError("--where takes one SQL condition such as \"Quantity > 0\", and this is more than that.")
    return Sql(condition)


def text_of(query: str) -> str:
    """A query without the semicolon that people end it with."""
    return query.strip().rstrip(";").rstrip()


def as_relation(query: str) -> Sql:
    """A checked query as a relation."""
    return Sql(f"({text_of(query)}\n)")


def named_files(tree: Any) -> list[str]:
    """Names that a query reads from: tables that may be files, and texts given to its functions."""
    found: list[str] = []

    def walk(node: Any, in_function: bool) -> None:
        if isinstance(node, dict):
            if node.get("type") == "BASE_TABLE" and node.get("table_name"):
                found.append(node["table_name"])
            inside = in_function or node.get("type") == "TABLE_FUNCTION"
            if inside and node.get("class") == "CONSTANT":
                literal = node.get("literal") or node.get("value") or {}
                text = literal.get("text", literal.get("value"))
                if isinstance(text, str):
                    found.append(text)
            for child in node.values():
                walk(child, inside)
        elif isinstance(node, list):
            for child in node:
                walk(child, in_function)

    walk(tree, False)
    return found
