"""Special uniques (SUDA): scores of records by the smallest attribute sets on which they are unique."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Literal

from duckrisk.base.options.disclosure import Options, Rule, Scores
from duckrisk.base.results import Truncation
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.measures.disclosure.known_sets import KnownSets
from duckrisk.measures.disclosure.set_results import (
    RiskCount,
    Suda,
    SudaByRule,
    UniqueRecord,
    UniquesOfAttribute,
    UniquesOfSet,
    UniquesOfSize,
    UniquesOfValue,
)
from duckrisk.measures.sets.lattice import Lattice
from duckrisk.measures.sets.special_uniques import SpecialUniques
from duckrisk.roles import Roles
from duckrisk.source import Source
from duckrisk.source.long_values import show_in_full

#: Share of the population that a sample is, unless it is given (sdcMicro's default).
FRACTION = 0.01
#: Sets and records that a report lists (a choice: a page or two).
MOST_LISTED = 50
#: Sets of a record and values of an attribute that a report lists (a choice: a line or two).
MOST_SETS = 10


def measure(
    session: Session, source: Source, roles: Roles, options: Options, *, show_values: bool = False
) -> tuple[Suda, list[Sentence]]:
    """Find and score special uniques.

    Args:
        session: The session, with the source as the assessed view.
        source: The source.
        roles: The roles of its columns.
        options: The options of all parts.
        show_values: Whether the result may show values of records.

    Returns:
        The scores, and notes.

    Raises:
        UsageError: There is nothing to search, or it takes too long.
    """
    known = KnownSets(session, source, roles, options, "suda")
    search = SpecialUniques(known.lattice)
    search.run()
    section = _make_section(known, search, show_values)
    others = known.compare_rules(
        search.size, search.limit, lambda other, rule: _search(known, other, rule), SudaByRule
    )
    return dataclasses.replace(section, other_rules=others), known.notes


def _search(known: KnownSets, lattice: Lattice, rule: Rule) -> SudaByRule:
    """Find the special uniques by another rule for missing values."""
    search = SpecialUniques(lattice)
    search.run()
    totals = _sum_scores(known, search)
    return SudaByRule(
        missing=rule,
        scored=totals["scored"],
        scored_share=totals["scored_share"],
        minimal_uniques=totals["minimal_uniques"],
        max_size=search.size,
        complete=search.limit is None,
        limit=search.limit,
    )


def _weigh_sizes(scores: Scores, count: int, most: int) -> tuple[list[int], int]:
    """Return the score of a minimal unique by its size from 1 on, and a divisor."""
    sizes = range(1, count + 1)
    if scores == "ihsn":
        alike = [math.comb(count, size) for size in sizes]
        divisor = math.lcm(*alike)
        larger = [2 ** (count - size) - 1 for size in sizes]
        return [subsets * divisor // sets for subsets, sets in zip(larger, alike, strict=True)], divisor
    most = min(most, count - 1)
    return [math.prod(count - number for number in range(size, most + 1)) for size in sizes], 1


def _sum_scores(known: KnownSets, search: SpecialUniques, fraction: float | None = None) -> dict[str, Any]:
    """Score the minimal uniques and sum the scores; no fraction means no DIS."""
    lattice, session = search.lattice, search.session
    weights, divisor = _weigh_sizes(known.options.suda_scores, lattice.count, search.size)
    session.run(
        "suda_scores",
        weights=weights,
        bits=[1 << position for position in range(lattice.count)],
        columns=sorted({column for column, _, _ in lattice.locate_fields()}),
    )
    wildcard = search.compare_all()
    session.run(
        "suda_persons", fraction=fraction, attributes=lattice.count, divisor=divisor, wildcard=wildcard
    )
    persons = known.describe().persons
    totals = session.fetch_row("suda_totals", persons=persons, divisor=divisor, wildcard=wildcard)
    return {**totals, "divisor": divisor}


def _explain_missing_dis(search: SpecialUniques) -> Literal["users", "missing", "time_limit"] | None:
    """Return why there is no risk by data intrusion simulation; None if there is."""
    if search.lattice.has_users:
        return "users"
    if search.lattice.is_missing_ignored:
        return "missing"
    return None if search.is_agreement_known else "time_limit"


def _make_section(known: KnownSets, search: SpecialUniques, show_values: bool) -> Suda:
    """Make the section of the search by the first rule."""
    session, has_users = search.session, search.lattice.has_users
    no_dis_reason = _explain_missing_dis(search)
    given = known.options.fraction
    fraction = None if no_dis_reason else FRACTION if given is None else given
    totals = _sum_scores(known, search, fraction)
    divisor = totals.pop("divisor")
    if not search.is_agreement_known:
        totals["unique_on_all"] = None
    if has_users or not search.is_agreement_known:
        totals["in_pairs"] = None
    sets = session.run("suda_sets", max_sets=MOST_LISTED)
    highest: list[dict[str, Any]] = []
    if not has_users:  # no user is named
        highest = session.run("suda_records", max_sets=MOST_LISTED, sets=MOST_SETS, divisor=divisor)
    return Suda(
        **vars(known.describe()),
        max_size=search.size,
        complete=search.limit is None,
        limit=search.limit,
        **totals,
        scores=known.options.suda_scores,
        fraction=fraction,
        fraction_given=given is not None,
        dis_at_least=()
        if no_dis_reason
        else tuple(RiskCount(**row) for row in session.run("suda_thresholds")),
        no_dis_reason=no_dis_reason,
        sizes=tuple(UniquesOfSize(**row) for row in session.run("suda_sizes")),
        contributions=_list_contributions(known, show_values),
        sets_listed=Truncation.pop_from(sets),
        sets=tuple(UniquesOfSet(known.list_names(row.pop("mask")), **row) for row in sets),
        highest_listed=None if has_users else Truncation.pop_from(highest),
        highest=_list_highest(known, highest, show_values),
        other_rules=(),
    )


def _list_contributions(known: KnownSets, show_values: bool) -> tuple[UniquesOfAttribute, ...]:
    """List the part of each attribute in the scores."""
    lattice = known.lattice
    fields = lattice.locate_fields()
    rows = lattice.session.run(
        "suda_attributes",
        columns=[column for column, _, _ in fields],
        fields=[field for _, field, _ in fields],
        by_user=lattice.has_users,
    )
    attributes = []
    for row in rows:
        position = row.pop("position")
        values = _list_values(lattice, position) if show_values else {"values": None}
        attributes.append(UniquesOfAttribute(known.names[position], **row, **values))
    return tuple(attributes)


def _list_values(lattice: Lattice, position: int) -> dict[str, Any]:
    """List the values of an attribute that contribute most, and count all."""
    column, field, shift = lattice.locate_field(position)
    rows = lattice.session.run(
        "suda_values",
        position=position,
        column=column,
        field=field,
        shift=shift,
        codes=lattice.combinations.encoding.tables[position],
        max_sets=MOST_SETS,
        by_user=lattice.has_users,
    )
    return {
        "values_listed": Truncation.pop_from(rows),
        "values": tuple(UniquesOfValue(**row) for row in rows),
    }


def _list_highest(
    known: KnownSets, rows: Sequence[dict[str, Any]], show_values: bool
) -> tuple[UniqueRecord, ...]:
    """List the records with the highest scores, with values if these may be shown."""
    cells: dict[int, list[str | None]] = {}
    if show_values and rows:
        records = [row["record"] for row in rows]
        attributes = [show_in_full(attribute) for attribute in known.attributes]
        listed = known.lattice.session.run("cells", source=ASSESSED, attributes=attributes, records=records)
        cells = {row["record"]: row["cells"] for row in listed}
    return tuple(
        UniqueRecord(
            record=row["record"],
            score=row["score"],
            dis=row["dis"],
            minimal_uniques=row["minimal_uniques"],
            sets=tuple(known.list_names(mask) for mask in row["masks"]),
            sets_listed=Truncation(row["minimal_uniques"], row["equal_to_last"]),
            cells=dict(zip(known.names, cells[row["record"]], strict=True)) if show_values else None,
        )
        for row in rows
    )
