"""Statements for people: a metric rendered for a source with the source's own names."""

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

#: One statement examines all sets, so it takes no more attributes than these.
MOST_ATTRIBUTES = 10

#: A metric that takes one of these is shown for each attribute.
_OF_ATTRIBUTES = ("attribute", "attributes")

#: Stands for a number that no source says, such as how many periods there are.
MANY = 12


def statement(
    name: str,
    request: Request,
    overrides: RoleOverrides,
    options: Options,
    identifying: identifiability.Options | None = None,
    release: Request | None = None,
    resources: Resources | None = None,
) -> str:
    """The SQL of a metric on a source, one statement an attribute, each ready for a DuckDB shell; ``release``
    is the second table of a metric that compares, and ``resources`` say how texts and moments are read.

    What the shell needs before (to attach a database) comes first, notes on the source as comments.

    Raises UsageError for an unknown metric and the errors of opening a source.
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
    choices = _choices(source, others, roles, options)
    notes = [in_english(note) for opened in (source, *others) for note in opened.notes]
    parameters = metric.from_records
    learnt = {"column", "columns"} <= {parameter.name for parameter in parameters}
    if metric.topic == "disclosure" and learnt and len(choices["columns"]) > 1:  # not among what is known
        choices |= {"columns": choices["columns"][:-1], "column": choices["columns"][-1]}
    if metric.topic == "comparison":
        choices |= _compared(name, source, others, roles)
    if compares and not others:
        notes.append('"release" stands for the released table: write its name or its file in its place.')
    if name in ("identifiability", "uniqueness"):
        of_attributes = _levels if name == "identifiability" else _facts
        chosen, left_out = of_attributes(source, roles, identifying)
        choices |= chosen
        notes += left_out
    # What is of the type "user" takes each record as a person where there is none.
    if roles.user is None and any(
        p.name == "user" and p.type == "column" for p in parameters if not p.optional
    ):
        raise UsageError("listing.metric_needs_user", name=name)
    for parameter in parameters:
        given = parameter.type in ("user", *_OF_ATTRIBUTES) or choices.get(parameter.name) is not None
        if not given and not parameter.optional:
            stand_ins = {"integer": MANY, "flag": False}
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
    """Notes as comments, and what the shell needs before the statement."""
    comments = ["\n".join("-- " + " ".join(note.split()) for note in notes)] if notes else []
    setup = dict.fromkeys(line for opened in tables for line in opened.setup)
    return [*comments, *(f"{statement}\n;" for statement in setup)]


def _choices(source: Source, others: Sequence[Source], roles: Roles, options: Options) -> dict[str, Any]:
    """What stands for the parameters of metrics on this source, by their names."""
    user = _readable(source, roles.user.binding) if roles.user is not None else None
    columns = [c for c in source.columns if c is not roles.user][:COLUMNS_PER_STATEMENT]
    return {
        "source": source.printed_relation,
        "user": user,
        "columns": [_readable(source, c.binding) for c in columns],
        **{
            what: [_readable(source, name) for name in names]
            for what, names in group_bindings(columns).items()
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
        "item": _readable(source, _item(roles) or columns[0].binding) if columns else None,
        "category": _readable(source, columns[-1].binding) if columns else None,
        "weight": None,
        "least_support": 0.01,
        "least_confidence": 0.3,
        "quantity": None,
        "least": 2,
    }


def _compared(name: str, source: Source, others: list[Source], roles: Roles) -> dict[str, Any]:
    """What a metric of comparisons is about: the attributes that all tables have."""
    parts = {part.column for attribute in roles.attributes for part in attribute.parts}
    named = [{readable.casefold() for readable in other.printed_names} for other in others]

    def shared(column: Column) -> bool:
        return all(_readable(source, column.binding).casefold() in there for there in named)

    columns = [column for column in source.columns if column.binding in parts and shared(column)]
    numbers = [_readable(source, column.binding) for column in columns if is_number(column.type)]
    least = {"correlation_change": 2, "record_linkage": 1}.get(name, 0)
    if not columns or len(numbers) < least:
        wanted = ("a column that is", "a column of numbers that is", "two columns of numbers, each")[least]
        raise UsageError("listing.metric_needs_attribute", name=name, wanted=wanted)
    key = roles.user if roles.user is not None and shared(roles.user) else source.columns[0]
    return {
        "columns": numbers if least else [_readable(source, column.binding) for column in columns],
        "first": numbers[0] if numbers else None,
        "second": numbers[1] if len(numbers) > 1 else None,
        "key": _readable(source, key.binding),
        "permutations": 200,
    }


def _levels(
    source: Source, roles: Roles, options: identifiability.Options
) -> tuple[dict[str, Any], list[str]]:
    """The columns that have a sensitivity level, with it, and notes on what the statement leaves out."""
    levelled, unlevelled = identifiability.level_attributes(
        source, roles, options, identifiability.read_given_levels(source, options)
    )
    searched, _ = identifiability.split_searched(levelled, roles)
    every = [entry for entry in searched if entry.attribute.name == entry.decision.column.name]
    whole, more = every[:MOST_ATTRIBUTES], every[MOST_ATTRIBUTES:]
    forms = [entry for entry in searched if entry not in every]
    if not whole:
        raise UsageError("listing.no_levels")
    notes = []
    if more:
        names = _listed([entry.attribute.name for entry in more])
        notes.append(
            f"This statement is about the first {len(whole)} of {len(every)} columns with a sensitivity "
            f"level; left out: {names}. Choose others with --attribute, once for each column."
        )
    if forms:
        names = _listed([entry.attribute.name for entry in forms])
        notes.append(
            f"This statement is about whole columns; left out: {names}. Take in the column itself with "
            "--attribute, beside the others."
        )
    if unlevelled:
        names = _listed([entry.column for entry in unlevelled])
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


def _facts(
    source: Source, roles: Roles, options: identifiability.Options
) -> tuple[dict[str, Any], list[str]]:
    """The columns that facts are known of, and notes on what the statement leaves out."""
    columns = known_columns(roles)
    if not columns:
        raise UsageError("listing.no_attributes")
    notes = []
    if len(columns) > MOST_ATTRIBUTES:
        notes.append(
            f"This statement is about the first {MOST_ATTRIBUTES} of {len(columns)} columns that are known "
            "of; duckrisk assess is about all. Choose others with --attribute, once for each column."
        )
    whole = {decision.column.name for decision in columns}
    forms = [attribute.name for attribute in roles.attributes if attribute.name not in whole]
    if forms:
        notes.append(f"This statement is about whole columns, not {_listed(forms)}.")
    choices = {
        "columns": [_readable(source, decision.column.binding) for decision in columns[:MOST_ATTRIBUTES]],
        "max_size": 3,
        "missing_tokens": list(options.missing_tokens),
        "missing_is_value": options.missing == "value",
    }
    return choices, notes


def _item(roles: Roles) -> str | None:
    """The column of the first attribute, of those that were chosen, that is no moment."""
    moments = {decision.column.binding for decision in roles.decisions if decision.moment}
    columns = [part.column for attribute in roles.attributes for part in attribute.parts]
    return next((column for column in columns if column not in moments), None)


def _listed(names: list[str]) -> str:
    quoted = ", ".join(f'"{name}"' for name in names[:MOST_ATTRIBUTES])
    more = len(names) - MOST_ATTRIBUTES
    return f"{quoted} and {more} more" if more > 0 else quoted


def _readable(source: Source, binding: str) -> str:
    return source.printed_names[int(binding[1:])]
