"""Checks the SQL of ``--query`` and ``--where``: one SELECT, one condition, nothing else.

The engine's own parser decides. Its parse tree also names the files that a query reads, so that the lock
allows only these.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from duckrisk.base.errors import DuckriskError, UsageError, quote_names
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, render
from duckrisk.source import names
from duckrisk.source.files import escape_glob, match_files
from duckrisk.source.model import OpenedInput

_CONDITION = '--where takes one SQL condition such as "Quantity > 0"'
#: Functions with another result each time: each statement would see other records.
_NON_DETERMINISTIC = {"random", "uuid", "gen_random_uuid", "uuidv4", "uuidv7", "nextval", "setseed"}


def check_query(session: Session, query: str) -> dict[str, Any]:
    """Return the parse tree of a query.

    Raises:
        UsageError: The query is not one SELECT, or nests too deeply.
    """
    try:
        row = session.fetch_row("parse_query", query=strip_semicolon(query))
        tree: dict[str, Any] = json.loads(row["tree"])
    except DuckriskError:
        tree = {"error": True}
    except RecursionError:
        raise UsageError("source.query_too_deep") from None
    if tree.get("error") or len(tree.get("statements", [])) != 1:
        raise UsageError("source.query_not_select")
    return tree


def print_query(session: Session, typed: str) -> str:
    """Return a query as the engine prints it, without comments.

    A query stays as it was typed if the printed one has another meaning, or none.

    Raises:
        UsageError: The query is not one SELECT.
    """
    tree = check_query(session, typed)
    try:
        printed: str = session.fetch_row("condition_in_full", query=typed)["text"]
        same = _strip_locations(check_query(session, printed)) == _strip_locations(tree)
    except DuckriskError:
        return typed
    except RecursionError:
        raise UsageError("source.query_too_deep") from None
    return printed if same else typed


def check_condition(session: Session, condition: str) -> Sql:
    """Return a condition on the records as safe SQL.

    Raises:
        UsageError: The condition is not one expression, has a SELECT, or is not deterministic.
    """
    sql = Sql(condition)
    trees = []
    try:
        for where in (sql, Sql("TRUE")):
            trees.append(check_query(session, render("renamed", source="records", names=None, where=where)))
    except UsageError:
        raise UsageError("source.not_a_condition", condition=_CONDITION) from None
    select, model = ({**tree["statements"][0]["node"]} for tree in trees)
    where = select.pop("where_clause", None)
    model.pop("where_clause")
    if where is None or _strip_locations(select) != _strip_locations(model):
        raise UsageError("source.more_than_condition", condition=_CONDITION)
    nodes = list(_walk(where))
    if any(node.get("class") == "SUBQUERY" for node in nodes):
        raise UsageError("source.select_in_condition", condition=_CONDITION)
    if changing := sorted(_NON_DETERMINISTIC & {str(node.get("function_name")).lower() for node in nodes}):
        raise UsageError("source.condition_not_deterministic", changing=changing[0])
    try:
        printed = print_query(session, bare := render("bare_condition", where=sql))
    except UsageError:  # a parenthesis in it closes the one around it
        return sql
    return sql if printed == bare else Sql(printed.removeprefix("SELECT ").removesuffix(" AS met"))


def refuse_ambiguous_names(session: Session, text: str, true: list[str], called: list[str]) -> None:
    """Refuse SQL that names a column whose name differs from another one only in case.

    SQL takes both names for one, so the unique names must be written.

    Args:
        session: The session, which parses the SQL.
        text: A query.
        true: The true names of the columns; they can repeat.
        called: Their unique names, in the same order.

    Raises:
        UsageError: A name is ambiguous.
    """
    variants = names.list_case_variants(list(dict.fromkeys(true)))
    if not variants:
        return
    ambiguous = set(map(names.fold_case, variants))
    for node in _walk(check_query(session, text)):
        parts = node.get("column_names") or []
        if len(parts) > 1 and names.fold_case(parts[0]) == "source":  # the relation
            parts = parts[1:]
        for part in parts:
            folded = names.fold_case(part)
            if folded in ambiguous and part not in called:
                positions = [
                    position for position, name in enumerate(true) if names.fold_case(name) == folded
                ]
                raise UsageError(
                    "source.columns_equal_in_sql",
                    part=part,
                    some=quote_names([called[position] for position in positions]),
                    some_2=quote_names([true[position] for position in positions]),
                )


def _strip_locations(node: Any) -> Any:
    """Return a parse tree without the locations in the text."""
    if isinstance(node, dict):
        kept = {key: child for key, child in node.items() if not key.startswith("query_location")}
        return {key: _strip_locations(child) for key, child in kept.items()}
    return [_strip_locations(child) for child in node] if isinstance(node, list) else node


def _walk(tree: Any) -> list[dict[str, Any]]:
    """Return all nodes of a parse tree in order, without recursion: trees can be deep."""
    nodes, pending = [], [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            nodes.append(node)
        if isinstance(node, (dict, list)):
            pending += reversed(list(node.values() if isinstance(node, dict) else node))
    return nodes


def strip_semicolon(query: str) -> str:
    """Return a query without a semicolon at its end."""
    return query.strip().rstrip(";").rstrip()


def render_query(query: str, sources: Mapping[str, Sql]) -> Sql:
    """Return a checked query as a relation that reads sources by their names."""
    sql = Sql(strip_semicolon(query))
    return render("queried", query=sql, names=list(sources), sources=list(sources.values()))


def allow_named_files(tree: Any, opened: OpenedInput) -> None:
    """Allow the files that a query names as tables or in table functions."""
    for name in list_relations(tree):
        files = match_files(name)
        opened.files += [file.path for file in files]
        # The engine checks the pattern, too, before each file that it matches.
        opened.paths += [str(file.path) for file in files] + ([name, escape_glob(name)] if files else [])


def list_functions(tree: Any) -> set[str]:
    """Return the functions that a query calls, in lower case."""
    return {str(node["function_name"]).lower() for node in _walk(tree) if node.get("function_name")}


def list_relations(tree: Any) -> list[str]:
    """Return what may be a table or a file: table names, texts in table functions."""
    mentioned: dict[str, None] = {}
    for node in _walk(tree):
        if node.get("type") == "BASE_TABLE" and node.get("table_name"):
            mentioned[node["table_name"]] = None
        if node.get("type") == "TABLE_FUNCTION":
            for inside in _walk(node):
                constant = inside.get("literal") or inside.get("value")  # DuckDB 2.0; DuckDB 1.5
                if inside.get("class") == "CONSTANT" and isinstance(constant, dict):
                    text = constant.get("text", constant.get("value"))
                    mentioned |= {text: None} if isinstance(text, str) else {}
    return [name for name in mentioned if "\0" not in name]
