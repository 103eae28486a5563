"""Renders the SQL of a metric for a source, with the names of the source."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.results import in_english
from duckrisk.engine import templates
from duckrisk.engine.session import COLUMNS_PER_STATEMENT, Resources, Session
from duckrisk.engine.types import is_number
from duckrisk.measures import identifiability
from duckrisk.measures.attribute import Options
from duckrisk.roles import RoleOverrides, Roles, infer, known_columns
from duckrisk.source import VIEW, Column, Request, Source, open_sources
from duckrisk.source.long_values import group_bindings

#: Attributes of a statement that examines all their sets (a choice: 10 have 1,023 sets).
MAX_ATTRIBUTES = 10

#: Types of parameters; a metric with one of them is rendered for each attribute.
_OF_ATTRIBUTES = ("attribute", "attributes")

#: A placeholder for an integer that no source has, such as a number of periods (a choice: months of a year).
PLACEHOLDER = 12


def render_metric(
    name: str,
    request: Request,
    overrides: RoleOverrides,
    options: Options,
    identifying: identifiability.Options | None = None,
    release: Request | None = None,
    resources: Resources | None = None,
) -> str:
    """Render a metric for a source, ready for a DuckDB shell.

    Args:
        name: The metric.
        request: The source.
        overrides: The decisions about its columns.
        options: Settings that are parameters of metrics.
        identifying: Levels and rules for missing cells; None for the defaults.
        release: The second table of a metric that compares.
        resources: How texts and moments are read.

    Returns:
        Notes as comments, the statements that attach databases, and one statement per attribute.

    Raises:
        UsageError: There is no such metric, or it does not apply to the source.
        SourceError: The source cannot be opened.
    """
    metric = templates.find_metric(name)
    identifying = identifying or identifiability.Options()
    options.check()
    identifiability.check_options(identifying)
    compares = any(parameter.name == "release" for parameter in metric.parameters)
    if release is not None and not compares:
        raise UsageError("listing.metric_without_release", name=name)
    with Session(resources) as session:
        requests = [(VIEW, request), *([("released", release)] if release is not None else [])]
        source, *others = open_sources(session, requests, with_digest=False)
        roles = infer(session, source, overrides, tokens=identifying.missing_tokens)
    choices = _parameter_values(source, others, roles, options)
    notes = [in_english(note) for opened in (source, *others) for note in opened.notes]
    parameters = metric.from_records
    has_learnt_column = {"column", "columns"} <= {parameter.name for parameter in parameters}
    if (
        metric.topic == "disclosure" and has_learnt_column and len(choices["columns"]) > 1
    ):  # the learnt column is not known
        choices |= {"columns": choices["columns"][:-1], "column": choices["columns"][-1]}
    if metric.topic == "comparison":
        choices |= _comparison_values(name, source, others, roles)
    if compares and not others:
        notes.append('"release" stands for the released table: write its name or its file in its place.')
    if name in ("identifiability", "uniqueness"):
        values_of = _level_values if name == "identifiability" else _fact_values
        chosen, omissions = values_of(source, roles, identifying)
        choices |= chosen
        notes += omissions
    # A parameter of type "user" may be missing: each record is then a person.
    if roles.user is None and any(
        p.name == "user" and p.type == "column" for p in parameters if not p.optional
    ):
        raise UsageError("listing.metric_needs_user", name=name)
    for parameter in parameters:
        is_given = parameter.type in ("user", *_OF_ATTRIBUTES) or choices.get(parameter.name) is not None
        if not is_given and not parameter.optional:
            stand_ins = {"integer": PLACEHOLDER, "flag": False}
            choices[parameter.name] = stand_ins.get(parameter.type, parameter.name)
            stand_in = choices[parameter.name]
            notes.append(f'"{stand_in}" stands for {parameter.text}: write your own in its place.')
    names = [parameter.name for parameter in parameters if parameter.name in choices]
    values = {key: choices[key] for key in names}
    pieces = _setup(notes, (source, *others))
    about = next((parameter for parameter in parameters if parameter.type in _OF_ATTRIBUTES), None)
    for attribute in roles.attributes if about is not None else [None]:
        title = ""
        if about is not None and attribute is not None:
            parts = tuple(dataclasses.replace(p, column=_readable(source, p.column)) for p in attribute.parts)
            readable = templates.Attribute(attribute.name, parts)
            values[about.name] = readable if about.type == "attribute" else [readable]
            title = f"-- {name} of {' '.join(attribute.name.split())}\n"
        pieces.append(title + templates.render_from_records(name, values) + "\n;")
    return "\n\n".join(pieces)


def _setup(notes: list[str], tables: Sequence[Source]) -> list[str]:
    """Return the notes as comments, and the statements that a shell needs first."""
    comments = ["\n".join("-- " + " ".join(note.split()) for note in notes)] if notes else []
    setup = dict.fromkeys(line for opened in tables for line in opened.setup)
    return [*comments, *(f"{statement}\n;" for statement in setup)]


def _parameter_values(
    source: Source, others: Sequence[Source], roles: Roles, options: Options
) -> dict[str, Any]:
    """Return the arguments of metrics on this source, by parameter."""
    user = _readable(source, roles.user.binding) if roles.user is not None else None
    columns = [c for c in source.columns if c is not roles.user][:COLUMNS_PER_STATEMENT]
    return {
        "source": source.printed_relation,
        "user": user,
        "columns": [_readable(source, c.binding) for c in columns],
        **{
            key: [_readable(source, name) for name in names] for key, names in group_bindings(columns).items()
        },
        "column": _readable(source, columns[0].binding) if columns else None,
        "k": options.k,
        "samples": options.samples,
        "confidence": options.confidence,
        "seed": options.seed,
        "known": options.known_records or 1,
        "draws": options.draws,
        "most": 100,
        "candidates": None,
        "users": None,
        "original": source.printed_relation,
        "release": others[0].printed_relation if others else "release",
        "pseudonym": user,
        "basket": [_readable(source, d.column.binding) for d in roles.decisions if d.role == "date_time"],
        "item": _readable(source, _first_item(roles) or columns[0].binding) if columns else None,
        "category": _readable(source, columns[-1].binding) if columns else None,
        "weight": None,
        "least_support": 0.01,
        "least_confidence": 0.3,
        "quantity": None,
        "least": 2,
    }


def _comparison_values(name: str, source: Source, others: list[Source], roles: Roles) -> dict[str, Any]:
    """Return the arguments of a comparison: attributes that all tables have."""
    parts = {part.column for attribute in roles.attributes for part in attribute.parts}
    named = [{readable.casefold() for readable in other.printed_names} for other in others]

    def shared(column: Column) -> bool:
        return all(_readable(source, column.binding).casefold() in there for there in named)

    columns = [column for column in source.columns if column.binding in parts and shared(column)]
    numbers = [_readable(source, column.binding) for column in columns if is_number(column.type)]
    least = {"correlation_change": 2, "record_linkage": 1}.get(name, 0)
    if not columns or len(numbers) < least:
        needs = ("a column that is", "a column of numbers that is", "two columns of numbers, each")
        raise UsageError("listing.metric_needs_attribute", name=name, wanted=needs[least])
    key = roles.user if roles.user is not None and shared(roles.user) else source.columns[0]
    return {
        "columns": numbers if least else [_readable(source, column.binding) for column in columns],
        "first": numbers[0] if numbers else None,
        "second": numbers[1] if len(numbers) > 1 else None,
        "key": _readable(source, key.binding),
        "permutations": 200,
    }


def _level_values(
    source: Source, roles: Roles, options: identifiability.Options
) -> tuple[dict[str, Any], list[str]]:
    """Return the columns with their sensitivity levels, and notes on omitted columns."""
    levelled, unlevelled = identifiability.level_attributes(
        source, roles, options, identifiability.read_given_levels(source, options)
    )
    searched, _ = identifiability.split_searched(levelled, roles)
    on_columns = [entry for entry in searched if entry.attribute.name == entry.decision.column.name]
    whole, more = on_columns[:MAX_ATTRIBUTES], on_columns[MAX_ATTRIBUTES:]
    forms = [entry for entry in searched if entry not in on_columns]
    if not whole:
        raise UsageError("listing.no_levels")
    notes = []
    if by_value := [entry.attribute.name for entry in whole if entry.level.listed]:
        notes.append(f"This statement has the default level for all values of {_quote_names(by_value)}.")
    if more:
        names = _quote_names([entry.attribute.name for entry in more])
        notes.append(
            f"This statement is about the first {len(whole)} of {len(on_columns)} columns with a sensitivity "
            f"level; left out: {names}. Choose others with --attribute, once for each column."
        )
    if forms:
        names = _quote_names([entry.attribute.name for entry in forms])
        notes.append(
            f"This statement is about whole columns; left out: {names}. Take in the column itself with "
            "--attribute, in addition to the others."
        )
    if unlevelled:
        names = _quote_names([entry.column for entry in unlevelled])
        notes.append(
            f"Left out without a sensitivity level: {names}. Give one under [levels] in duckrisk.toml."
        )
    choices = {
        "columns": [_readable(source, entry.decision.column.binding) for entry in whole],
        "levels": [f"{entry.level.economic},{entry.level.psychological}" for entry in whole],
        "missing_tokens": list(options.missing_tokens),
        "missing_is_value": options.missing == "value",
        "base": options.base,
    }
    return choices, notes


def _fact_values(
    source: Source, roles: Roles, options: identifiability.Options
) -> tuple[dict[str, Any], list[str]]:
    """Return the columns of known facts, and notes on omitted columns."""
    columns = known_columns(roles)
    if not columns:
        raise UsageError("listing.no_attributes")
    notes = []
    if len(columns) > MAX_ATTRIBUTES:
        notes.append(
            f"This statement is about the first {MAX_ATTRIBUTES} of {len(columns)} columns that are known "
            "of; duckrisk assess is about all. Choose others with --attribute, once for each column."
        )
    whole = {decision.column.name for decision in columns}
    forms = [attribute.name for attribute in roles.attributes if attribute.name not in whole]
    if forms:
        notes.append(f"This statement is about whole columns, not {_quote_names(forms)}.")
    choices = {
        "columns": [_readable(source, decision.column.binding) for decision in columns[:MAX_ATTRIBUTES]],
        "max_size": 3,
        "missing_tokens": list(options.missing_tokens),
        "missing_is_value": options.missing == "value",
    }
    return choices, notes


def _first_item(roles: Roles) -> str | None:
    """Return the column of the first chosen attribute that is no moment."""
    moments = {decision.column.binding for decision in roles.decisions if decision.is_moment}
    columns = [part.column for attribute in roles.attributes for part in attribute.parts]
    return next((column for column in columns if column not in moments), None)


def _quote_names(names: list[str]) -> str:
    quoted = ", ".join(f'"{name}"' for name in names[:MAX_ATTRIBUTES])
    more = len(names) - MAX_ATTRIBUTES
    return f"{quoted} and {more} more" if more > 0 else quoted


def _readable(source: Source, binding: str) -> str:
    return source.printed_names[int(binding[1:])]
