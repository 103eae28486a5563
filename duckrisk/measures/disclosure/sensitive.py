"""Measure the people with a sensitive value that their quasi-identifiers disclose."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Attribute, Part
from duckrisk.measures.attribute.coarser_forms import list_coarser_forms
from duckrisk.measures.disclosure.choice import special_categories
from duckrisk.measures.disclosure.results import SensitiveColumn
from duckrisk.measures.identifiability.tokens import drop_tokens_of_parts
from duckrisk.roles import Decision, Roles, default_attributes, whole_attribute
from duckrisk.source import Column, Source

#: Pairs of a class and a person's value (a choice: about 2 CPU seconds and 500 MB).
MAX_PAIRS = 20_000_000


def measure_declared(session: Session, roles: Roles, tokens: Sequence[str]) -> tuple[SensitiveColumn, ...]:
    """Measure each column that is declared sensitive.

    Args:
        session: The session, with the source as the assessed view.
        roles: The roles of its columns.
        tokens: Texts that mean a missing value.

    Returns:
        An entry for each column, in the order of the columns.
    """
    chosen = [decision for decision in roles.decisions if decision.declared == "sensitive"]
    return tuple(_measure(session, roles, decision, tokens, proposed=False) for decision in chosen)


def measure_proposed(
    session: Session, source: Source, roles: Roles, tokens: Sequence[str]
) -> tuple[SensitiveColumn, ...]:
    """Measure special categories without a declared role, each over all other columns.

    Args:
        session: The session, with the source as the assessed view.
        source: The source.
        roles: The roles of its columns.
        tokens: Texts that mean a missing value.

    Returns:
        An entry for each column, in the order of the columns.
    """
    chosen = [decision for decision, _ in special_categories(source, roles) if decision.declared is None]
    return tuple(_measure(session, roles, decision, tokens, proposed=True) for decision in chosen)


def _measure(
    session: Session, roles: Roles, decision: Decision, tokens: Sequence[str], *, proposed: bool
) -> SensitiveColumn:
    known = {part.column for attribute in roles.plausible for part in attribute.parts}
    columns = [
        other.column.binding
        for other in roles.decisions
        if other.column.binding in known and other is not decision
    ]
    forms = list_judged_forms(session, decision, tokens, roles.count)
    counted = {"counted": roles.count.binding} if roles.count is not None else {}
    session.run(
        "sensitive_records",
        source=ASSESSED,
        user=roles.user.binding if roles.user is not None else None,
        columns=columns,
        forms=forms,
        **counted,
    )
    row = session.fetch_row(
        "disclosed_people",
        source="sensitive_records",
        user="person",
        columns=["class"],
        forms=[Attribute(f"s{place}", (Part(f"s{place}"),)) for place in range(len(forms))],
        pairs=MAX_PAIRS,
        counted="people" if counted else None,
    )
    session.run("drop_table", table="sensitive_records")
    del row["people"]
    return SensitiveColumn(column=decision.column.name, proposed=proposed, **row)


def list_judged_forms(
    session: Session, decision: Decision, tokens: Sequence[str], counted: Column | None = None
) -> list[Attribute]:
    """List a sensitive column as it is and in its coarsest useful form.

    Args:
        session: The session, with the source as the assessed view.
        decision: The decision on the column, with its number of distinct values.
        tokens: Texts that mean a missing value.
        counted: The column with the number of people of each record; None for one person each.

    Returns:
        The column, and its bands, its months or its prefixes if it has many values.
    """
    # A constant column has no default attribute.
    whole = (default_attributes(decision) or [whole_attribute(decision)])[0]
    forms = list_coarser_forms(session, whole, decision, decision.distinct, counted)
    types = {decision.column.binding: decision.column.type}
    months = [form for form in forms if form.parts[0].knowledge == "month"]
    chosen = [whole, *(months or forms[-1:])]
    return [drop_tokens_of_parts(form, types, tokens) for form in chosen]
