"""Measure attackers who know several records of a person by one attribute."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from duckrisk.base.options.attribute import Options
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Attribute
from duckrisk.measures.attribute.results import AttributeRisk, KnownRecords
from duckrisk.roles import Roles

#: Candidate users of the attacker with several records (a choice: about a gigabyte and some seconds).
_MAX_CANDIDATES = 50_000_000


def list_known_records(
    session: Session, risks: Sequence[tuple[Attribute, AttributeRisk]], roles: Roles, options: Options
) -> list[KnownRecords]:
    """Measure attackers who know one record and several of a person.

    Args:
        session: The session, with the source as the assessed view.
        risks: The attributes with the risks of one record.
        roles: The roles of its columns.
        options: The method, the number of known records and of drawn attackers, and the seed.

    Returns:
        An entry for each attribute and number of known records; one record is the exact risk.
    """
    if not options.known_records:
        return []
    known = options.known_records if roles.most_records > 1 else 1
    is_exact = options.method == "exact"
    attributes = [attribute for attribute, _ in risks]
    if is_exact and known == 1:
        return [_describe_one_record(entry) for _, entry in risks]
    found: list[KnownRecords] = []
    drawn = _draw_attackers(session, attributes, known, roles, options)
    for (_, entry), entries in zip(session.steps.track(risks), drawn, strict=True):
        found += [_describe_one_record(entry), *entries[1:]] if is_exact else entries
    return found


def measure_known_records(session: Session, roles: Roles, options: Options, most: int) -> list[KnownRecords]:
    """Measure attackers who know several records of a person.

    Args:
        session: The session, with the source as the assessed view.
        roles: The roles of its columns.
        options: Number of known records and of drawn attackers, and the seed.
        most: Maximum number of attributes; those with most distinct values are taken.

    Returns:
        An entry for each attribute and number of known records; none if nobody has several records.
    """
    if roles.most_records <= 1 or not options.known_records:
        return []
    distinct = {decision.column.binding: decision.distinct for decision in roles.decisions}
    by_values = sorted(
        roles.attributes, key=lambda attribute: -math.prod(distinct[part.column] for part in attribute.parts)
    )
    drawn = _draw_attackers(session, by_values[:most], options.known_records, roles, options)
    return [entry for entries in drawn for entry in entries]


def find_complete(roles: Roles, attributes: Iterable[Attribute]) -> set[Attribute]:
    """Find the attributes that no record lacks."""
    present = {decision.column.binding: decision.present for decision in roles.decisions}
    return {
        attribute
        for attribute in attributes
        if all(present[part.column] == roles.records and not part.tokens for part in attribute.parts)
    }


def _describe_one_record(entry: AttributeRisk) -> KnownRecords:
    risk, unicity = entry.mean_risk, entry.share_singled_out
    return KnownRecords(entry.attribute, 1, None, risk, risk, risk, unicity, unicity, unicity)


def _draw_attackers(
    session: Session, attributes: Sequence[Attribute], known: int, roles: Roles, options: Options
) -> Iterator[list[KnownRecords]]:
    """Yield the entries of each attribute, by drawn attackers."""
    if session.engine is not None:
        for attribute in attributes:
            yield _draw_on_engine(session, attribute, known, roles, options)
        return
    user = roles.user.binding if roles.user is not None else None
    complete = find_complete(roles, attributes)
    ordered = "ordered_people" if user is not None and len(complete) > 1 else None
    if ordered is not None:
        source = session.views.select_columns(user)
        session.run("ordered_people", source=source, user=user, seed=options.seed)
    for attribute in attributes:
        rows = session.run(
            "known_records",
            source=session.views.select_columns(user, attribute),
            user=user,
            attribute=attribute,
            known=known,
            draws=options.draws,
            candidates=_MAX_CANDIDATES,
            confidence=options.confidence,
            seed=options.seed,
            ordered=ordered if attribute in complete else None,
        )
        yield [KnownRecords(attribute.name, **row) for row in rows]
    if ordered is not None:
        session.run("drop_table", table=ordered)


def _draw_on_engine(
    session: Session, attribute: Attribute, known: int, roles: Roles, options: Options
) -> list[KnownRecords]:
    """Draw the attackers on a distributed engine; none if each record is a person."""
    if roles.user is None:
        return []
    shared = {"source": ASSESSED, "user": roles.user.binding, "attribute": attribute}
    session.run("drawn_users", **shared, draws=options.draws, seed=options.seed)
    session.run("picked_values", **shared, known=known, seed=options.seed)
    session.run("attackers_left", **shared, known=known)
    rows = session.run("known_records_left", known=known, confidence=options.confidence)
    return [KnownRecords(attribute.name, **row) for row in rows]
