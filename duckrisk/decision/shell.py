"""Makes ``duckrisk.duckdb``: the macros as a database that any DuckDB shell attaches.

Its macros are those of ``sql/duckrisk.sql``, and two more. ``limits`` compares a table with the limits of a
policy; ``identifying_columns`` says where values name people. The figures come from the statements of the
metrics, the numbers of the limits from :mod:`duckrisk.base.options.policy`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from jinja2 import nodes

from duckrisk.base.options.identifiability import TOKENS
from duckrisk.base.options.policy import LIMITS, PRESETS
from duckrisk.engine import macros, templates
from duckrisk.engine.macro_compiler import Compiler, Scope, Variable
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, Template, literal, render, template_of
from duckrisk.engine.types import NESTED
from duckrisk.measures.uniqueness.histories import CANDIDATES, EXAMINED_PEOPLE, KNOWN_WHOLE_RECORDS
from duckrisk.roles.model import LONG, SEARCHED
from duckrisk.roles.results import FEW_VALUES, SHARED, TOGETHER

#: The name under which the database is attached, by which its macros call each other.
NAME = "duckrisk"
#: The oldest DuckDB that reads the file (derived: the lower bound of the package).
STORAGE_VERSION = "v1.5.0"
#: The metrics that compare whole records: for them all columns are as good as one value.
TAKE_ALL = (
    *("attribute_disclosure", "attribute_disclosure_users", "class_sizes", "class_sizes_users"),
    *("disclosed_people", "equivalence_classes", "individual_risk", "known_whole_records"),
    *("plausible_attacks", "population_uniqueness", "reidentification_risk", "weighted_sizes"),
    "whole_histories",
)
#: Facts whose sets the limits look at (a choice: 1,350 sets, as many as `uniqueness` examines).
MOST_FACTS = 20

_LIMITS_EXAMPLE = f"FROM {NAME}.limits('retail.parquet', user := 'CustomerID', policy := 'public')"
_LIMITS_SUMMARY = "The limits of a policy, the figures of the table, and which of them it keeps."
_IDENTIFYING_EXAMPLE = f"FROM {NAME}.identifying_columns('retail.parquet', ['StockCode'])"
_IDENTIFYING_SUMMARY = "The columns, and the kinds of direct identifiers that their values are."
_HELP_SUMMARY = "The macros, one line each."

#: The macros that look for columns, and that let all columns stand where none are named.
_HELPERS = """\
-- The records, if they have these columns; else an error that names the one that is missing.
CREATE OR REPLACE TEMP MACRO duckrisk_checked(source, names) AS
    '(SELECT * FROM ' || duckrisk_relation(source) || ' AS records WHERE TRUE' || array_to_string(
        list_transform(list_filter(names, lambda name: name IS NOT NULL),
            lambda name: ' OR records.' || duckrisk_identifier(name) || ' IS NULL'), '') || ')';

-- The columns of a list, else all but some, as a star.
CREATE OR REPLACE TEMP MACRO duckrisk_star(columns, others) AS
    CASE
        WHEN columns IS NULL THEN 'COLUMNS(LAMBDA name: NOT list_contains(CAST([' || array_to_string(
            list_transform(list_filter(others, lambda other: other IS NOT NULL),
                lambda other: duckrisk_text(lower(other))), ', ') || '] AS VARCHAR[]), lower(name)))'
        WHEN len(columns) = 0 THEN error('Name at least one column; NULL stands for all.')
        ELSE 'COLUMNS([' || array_to_string(
            list_transform(CAST(columns AS VARCHAR[]), lambda each: duckrisk_text(each)), ', ') || '])'
    END;

-- The name of all columns together, where none are named.
CREATE OR REPLACE TEMP MACRO duckrisk_columns(columns) AS
    coalesce(CAST(columns AS VARCHAR[]), ['duckrisk all columns']);

-- The records; where no columns are named, all but some are one value more.
CREATE OR REPLACE TEMP MACRO duckrisk_records(source, columns, others) AS
    CASE WHEN columns IS NULL THEN
        '(SELECT *, ROW(*COLUMNS(''^duckrisk cell '')) AS "duckrisk all columns" FROM (SELECT *, '
        || 'duckrisk_cell(' || duckrisk_star(NULL, others) || ') AS ''duckrisk cell \\0'' FROM '
        || duckrisk_checked(source, others) || '))'
    ELSE duckrisk_checked(source, CAST(columns AS VARCHAR[]) || others) END;

-- The columns of a macro that needs their names.
CREATE OR REPLACE TEMP MACRO duckrisk_named(columns) AS
    CAST(coalesce(columns, error('Name the columns, as in [''zip'', ''sex''].')) AS VARCHAR[]);

-- The name of a policy.
CREATE OR REPLACE TEMP MACRO duckrisk_policy(policy) AS
    CASE WHEN policy IN ({names}) THEN policy
         ELSE error('There is no policy "' || coalesce(policy, 'NULL') || '": {listed}.') END;
"""


class _LimitsCompiler(Compiler):
    """Compiles the statement of the limits, whose sensitive columns are known as they are."""

    def _wrap(self, filter_name: str, variable: Variable, node: nodes.Node) -> str:
        if (filter_name, variable.type) == ("value", "attribute"):
            return f"duckrisk_column({variable.sql})"
        return super()._wrap(filter_name, variable, node)


def write_database(path: Path) -> None:
    """Write the database of the macros.

    Args:
        path: The file; what is there goes.
    """
    path.unlink(missing_ok=True)  # the engine takes no empty file for a database
    with Session() as session:
        session.run("create_shell_database", path=str(path), name=NAME, version=STORAGE_VERSION)
        session.run("create_macros", statements=Sql(generate_macros()))
        session.run("finish_shell_database", name=NAME)


def generate_macros() -> str:
    """Return the statements that create the macros in the attached database."""
    names = {
        "names": ", ".join(map(literal, PRESETS)),
        "listed": f"{', '.join(PRESETS[:-1])} or {PRESETS[-1]}",
    }
    helpers = _HELPERS
    for key, text in names.items():
        helpers = helpers.replace("{" + key + "}", text)
    metrics = [
        macros.compile_metric(template, is_checked=True, takes_all=name in TAKE_ALL)
        for name, template in templates.metrics().items()
    ]
    added = [_compile_identifying_columns(), _compile_limits(), _list(metrics)]
    text = "\n".join([macros.compile_helpers(), helpers, _compile_cells(), *metrics, *added])
    text = text.replace("CREATE OR REPLACE TEMP MACRO ", f"CREATE MACRO {NAME}.main.")
    # A macro calls others by the database they are in: the shell looks elsewhere for a bare name.
    return re.sub(r"(?<![\w.])(duckrisk_\w+)(?=\()", rf"{NAME}.main.\1", text)


def _compile_cells() -> str:
    """Return the macros of a cell: its number, facts, token and time."""
    cell = Sql("cell")
    moment, time = render("cell_moment", cell=cell), render("cell_time_of_day", cell=cell)
    number = render("cell_number", cell=cell)
    token = render("cell_token", cell=cell, tokens=list(TOKENS))
    bodies = {
        "number": number,
        "facts": render(
            "cell_facts",
            cell=cell,
            number=number,
            day=render("date", column=moment),
            minute=render("time", column=moment),
            minute_of_time=render("time", column=time),
        ),
        "token": token,
        "draw": render("cell_draw", cell=cell, token=token, longest=LONG),
        "time": render("cell_time", cell=cell),
    }
    return "\n".join(
        f"CREATE OR REPLACE TEMP MACRO duckrisk_{name}_of(cell) AS\n{body};\n"
        for name, body in bodies.items()
    )


def _compile(name: str, scope: Scope, *, qualified: bool = True) -> str:
    return _LimitsCompiler(template_of(name), qualified=qualified).expression(scope)


def _make(name: str, **scope: Variable) -> Variable:
    """Return a statement as a relation or a value of another."""
    return Variable(_compile(name, scope, qualified=False), "made")


def _write_text(sql: str) -> Variable:
    return Variable(literal(sql), "made")


def _number(number: int) -> Variable:
    return Variable(str(number), "integer")


def _nest(sql: str) -> Variable:
    return Variable(f"'(' || {sql} || ')'", "made")


def _list_texts(texts: Sequence[str], *, optional: bool = False) -> Variable:
    return Variable(f"[{', '.join(map(literal, texts))}]", "texts", optional)


def _compile_identifying_columns() -> str:
    """Return the macro ``identifying_columns``."""
    columns = Variable("duckrisk_named(columns)", "columns")
    types = f"VARCHAR|ENUM.*|{SEARCHED.pattern}"
    cells: Scope = {
        "source": Variable(f"duckrisk_checked(source, {columns.sql})", "made"),
        "cells": Variable(f"duckrisk_star({columns.sql}, [])", "expression"),
        "types": Variable(literal(types), "text"),
        "nested": Variable(literal(f"(?s)VARIANT|{NESTED.pattern}"), "text"),
    }
    found: Scope = {
        "source": _nest(_compile("searched_cells", cells)),
        "columns": columns,
        "missing_tokens": _list_texts(TOKENS, optional=True),
        "named": Variable("CAST(NULL AS VARCHAR[])", "texts", True),
    }
    judged: Scope = {
        "found": _nest(_compile("direct_identifiers", found)),
        "columns": columns,
        "together": _list_texts(TOGETHER),
        "few": _number(FEW_VALUES),
        "share": Variable(str(SHARED), "number"),
    }
    body = _compile("identifying_columns", judged, qualified=False)
    return (
        "CREATE OR REPLACE TEMP MACRO identifying_columns(source, columns) AS TABLE\n"
        f"SELECT * FROM query({body});\n"
    )


def _compile_limits() -> str:
    """Return the macro ``limits``."""
    others = "CAST([user] AS VARCHAR[]) || CAST(sensitive AS VARCHAR[])"
    chosen = f"duckrisk_star(quasi_identifiers, {others})"
    source = Variable(f"duckrisk_checked(source, {others})", "made")

    def star(name: str) -> Variable:
        return Variable(f"'duckrisk_{name}_of(duckrisk_cell(' || {chosen} || '))'", "expression")

    table = _write_text("shell_records")
    records: Scope = {
        "source": table,
        "user": Variable("'person'", "user"),
        "columns": Variable("['record']", "columns"),
        "among": Variable("NULL", "relation", True),
    }
    whole_records = records | {
        "known": _number(KNOWN_WHOLE_RECORDS),
        "people": _number(EXAMINED_PEOPLE),
        "candidates": _number(CANDIDATES),
        "seed": _number(0),
    }
    people, rows = _make("all_people", records=table), _make("all_records", records=table)
    together: Scope = {
        "attributes": _number(1),
        "by_record": Variable("user IS NULL", "flag"),
        "weighted": Variable("false", "flag", True),
        "known": _make("record_facts", records=table),
        "bounds": _write_text("[1, 2]"),
        "all_people": people,
        "all_records": rows,
    }
    scope: Scope = {
        "source": source,
        "user": Variable("user", "user"),
        "sensitive": Variable("CAST(sensitive AS VARCHAR[])", "columns"),
        "policy": Variable("duckrisk_policy(policy)", "text"),
        "policies": _write_text(_render_policies()),
        "numbers": star("number"),
        "facts": star("facts"),
        "tokens": star("token"),
        # An interval is no moment, but its text looks like one.
        "times": Variable(f"'duckrisk_time_of(' || {chosen} || ')'", "expression"),
        "draws": Variable(f"'duckrisk_draw_of(' || {chosen} || ')'", "expression"),
        "k": _number(int(macros.DEFAULTS["k"])),
        "most": _number(MOST_FACTS),
        "together": _nest(_compile("facts_together", together, qualified=False)),
        "histories": _nest(_compile("whole_histories", records)),
        "whole_records": _nest(_compile("known_whole_records", whole_records)),
        **{f"typical_{size}": _compile_typical_share(size, people, rows) for size in (1, 2, 3)},
        **_compile_disclosed(source, star("number")),
    }
    body = _compile("limits", scope)
    named = "source, user := NULL, quasi_identifiers := NULL, sensitive := [], policy := 'public'"
    return f"CREATE OR REPLACE TEMP MACRO limits({named}) AS TABLE\nSELECT * FROM query({body});\n"


def _compile_typical_share(size: int, people: Variable, records: Variable) -> Variable:
    """Return the typical share of all sets of a size."""
    of_size = {"counted": _write_text("shell_counted"), "size": _number(size)}
    singled_out = _make("people_of_sets", **of_size)
    one, nothing = _write_text("1"), _write_text("0")
    scope: Scope = {
        "strata": _make("numbers_of_sets", **of_size),
        "sizes": _make("sizes_of_strata", **of_size),
        "people": singled_out,
        "records": singled_out,
        "worst_people": nothing,
        "worst_records": nothing,
        "all_people": people,
        "all_records": records,
        "share_of_people": one,
        "share_of_records": one,
        "undrawn": nothing,
        "unseen": nothing,
        "least": nothing,
    }
    return _nest(_compile("typical_share", scope))


def _compile_disclosed(source: Variable, numbers: Variable) -> Scope:
    """Return what is disclosed of a sensitive column, which a loop names."""
    value = "duckrisk_column(each_column)"

    def written(name: str) -> str:
        return f"'duckrisk_{name}_of(' || {value} || ')'"

    cells = _compile(
        "sensitive_cells",
        {
            "source": source,
            "user": Variable("user", "user"),
            "numbers": numbers,
            "value": Variable(value, "expression"),
            "number": Variable(
                f"'CASE WHEN ' || {value} || ' IS NOT NULL AND NOT ' || {written('token')} "
                f"|| ' THEN ' || {written('number')} || ' END'",
                "expression",
            ),
            "time": Variable(written("time"), "expression"),
        },
        qualified=False,
    )
    disclosed: Scope = {
        "source": _nest(cells),
        "user": Variable("'person'", "user"),
        "columns": Variable("['class']", "columns"),
        "forms": Variable("['value']", "attributes"),
        "counted": Variable("NULL", "column", True),
        "pairs": Variable("NULL", "integer", True),
    }
    extent: Scope = {"cells": _nest(cells)}
    return {
        "disclosed": _nest(_compile("disclosed_people", disclosed)),
        "extent": _nest(_compile("sensitive_extent", extent, qualified=False)),
    }


def _render_policies() -> Sql:
    """Write the limits of all policies as a relation."""
    limits = [
        (policy, name, bound, rule.is_minimum)
        for place, policy in enumerate(PRESETS)
        for name, rule in LIMITS.items()
        if (bound := rule.published[place]) is not None
    ]
    return render(
        "limits_of_policies",
        policies=[policy for policy, _, _, _ in limits],
        names=[name for _, name, _, _ in limits],
        bounds=[float(bound) for _, _, bound, _ in limits],
        minima=[int(is_minimum) for _, _, _, is_minimum in limits],
    )


def _list(metrics: list[str]) -> str:
    """Return the macro ``help``."""
    examples = [re.findall(r"^--   (FROM .*);$", text, re.MULTILINE)[0] for text in metrics]
    listed: list[Template] = [*templates.metrics().values()]
    rows = [
        ("limits", _LIMITS_EXAMPLE, _LIMITS_SUMMARY),
        ("identifying_columns", _IDENTIFYING_EXAMPLE, _IDENTIFYING_SUMMARY),
        ("help", f"FROM {NAME}.help()", _HELP_SUMMARY),
        *(
            (template.name, example.replace("FROM ", f"FROM {NAME}."), template.summary)
            for template, example in zip(listed, examples, strict=True)
        ),
    ]
    body = render(
        "list_macros",
        names=[name for name, _, _ in rows],
        calls=[call for _, call, _ in rows],
        summaries=[summary for _, _, summary in rows],
    )
    return f"CREATE OR REPLACE TEMP MACRO help() AS TABLE\n{body};\n"
