"""Checks the SQL that a person adds (--query, --where): one SELECT, one condition, nothing else.

The engine's own parser decides; its parse tree also names the files that a query reads, so that the
lock can let exactly these through.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from duckrisk.base.errors import DuckriskError, UsageError, quote_names
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, render
from duckrisk.source import names
from duckrisk.source.files import engine_path, existing
from duckrisk.source.model import Opened

_CONDITION = '--where takes one SQL condition such as "Quantity > 0"'
#: Functions that answer differently each time: the measures would see different records.
_CHANGING = {"random", "uuid", "gen_random_uuid", "uuidv4", "uuidv7", "nextval", "setseed"}


def check_query(session: Session, query: str) -> dict[str, Any]:
    """The parse tree of a query; raises UsageError unless it is one SELECT."""
    try:
        tree: dict[str, Any] = json.loads(session.fetch_row("parse_query", query=text_of(query))["tree"])
    except DuckriskError:
        tree = {"error": True}
    except RecursionError:
        raise UsageError("source.query_too_deep") from None
    if tree.get("error") or len(tree.get("statements", [])) != 1:
        raise UsageError("source.query_not_select")
    return tree


def as_printed(session: Session, typed: str) -> str:
    """Return a query as the engine prints it: in one way of quoting, without comments.

    As it was typed where what is printed means something else, or nothing. Raises UsageError unless it is one
    SELECT.
    """
    tree = check_query(session, typed)
    try:
        printed: str = session.fetch_row("condition_in_full", query=typed)["text"]
        same = _plain(check_query(session, printed)) == _plain(tree)
    except DuckriskError:
        return typed
    except RecursionError:
        raise UsageError("source.query_too_deep") from None
    return printed if same else typed


def check_condition(session: Session, condition: str) -> Sql:
    """A condition on the records as SQL; raises UsageError unless it is one expression on them."""
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
    if where is None or _plain(select) != _plain(model):
        raise UsageError("source.more_than_condition", condition=_CONDITION)
    nodes = list(_nodes(where))
    if any(node.get("class") == "SUBQUERY" for node in nodes):
        raise UsageError("source.select_in_condition", condition=_CONDITION)
    if changing := sorted(_CHANGING & {str(node.get("function_name")).lower() for node in nodes}):
        raise UsageError("source.condition_not_deterministic", changing=changing[0])
    try:
        printed = as_printed(session, bare := render("bare_condition", where=sql))
    except UsageError:  # its parentheses close those round it
        return sql
    return sql if printed == bare else Sql(printed.removeprefix("SELECT ").removesuffix(" AS met"))


def refuse_mistaken(session: Session, text: str, true: list[str], called: list[str]) -> None:
    """Raise UsageError where a query names a column in a way that SQL takes for another one: of the ``true``
    names, those that differ in case alone have to be written as they are ``called`` there."""
    alike = names.alike(list(dict.fromkeys(true)))
    if not alike:
        return
    taken = set(map(names.folded, alike))
    for node in _nodes(check_query(session, text)):
        parts = node.get("column_names") or []
        if len(parts) > 1 and names.folded(parts[0]) == "source":  # the relation
            parts = parts[1:]
        for part in parts:
            if names.folded(part) in taken and part not in called:
                positions = [at for at, name in enumerate(true) if names.folded(name) == names.folded(part)]
                raise UsageError(
                    "source.columns_equal_in_sql",
                    part=part,
                    some=quote_names([called[at] for at in positions]),
                    some_2=quote_names([true[at] for at in positions]),
                )


def _plain(node: Any) -> Any:
    """A parse tree without the places in the text."""
    if isinstance(node, dict):
        return {key: _plain(value) for key, value in node.items() if not key.startswith("query_location")}
    return [_plain(child) for child in node] if isinstance(node, list) else node


def _nodes(tree: Any) -> list[dict[str, Any]]:
    """All nodes of a parse tree, which can be deep, in their order."""
    nodes, pending = [], [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            nodes.append(node)
        if isinstance(node, (dict, list)):
            pending += reversed(list(node.values() if isinstance(node, dict) else node))
    return nodes


def text_of(query: str) -> str:
    """A query without the semicolon that people end it with."""
    return query.strip().rstrip(";").rstrip()


def over(query: str, sources: Mapping[str, Sql]) -> Sql:
    """A checked query as a relation; it can read these sources under their names."""
    return render("queried", query=Sql(text_of(query)), names=list(sources), sources=list(sources.values()))


def named_files(tree: Any, opened: Opened) -> None:
    """Let the files through that a query names: tables that may be files, texts given to functions."""
    for name in tables(tree):
        files = existing(name)
        opened.files += [file.path for file in files]
        # The engine asks for the pattern as well, and then for each file that it finds.
        opened.paths += [str(file.path) for file in files] + ([name, engine_path(name)] if files else [])


def functions(tree: Any) -> set[str]:
    """The functions that a query calls, in lower case."""
    return {str(node["function_name"]).lower() for node in _nodes(tree) if node.get("function_name")}


def tables(tree: Any) -> list[str]:
    """What a query may mean as a table or a file: names of tables, texts given to table functions."""
    mentioned: dict[str, None] = {}
    for node in _nodes(tree):
        if node.get("type") == "BASE_TABLE" and node.get("table_name"):
            mentioned[node["table_name"]] = None
        if node.get("type") == "TABLE_FUNCTION":
            for inside in _nodes(node):
                constant = inside.get("literal") or inside.get("value")  # 2.0 and 1.5 write it differently
                if inside.get("class") == "CONSTANT" and isinstance(constant, dict):
                    text = constant.get("text", constant.get("value"))
                    mentioned |= {text: None} if isinstance(text, str) else {}
    return [name for name in mentioned if "\0" not in name]
