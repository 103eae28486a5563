"""Special uniques (SUDA): the smallest attribute sets on which a record is the only one of its kind.

Sets of high attributes are gone through by their size. Who is unique on a smaller set neither can be looked
for on a larger one nor shares a class with anybody there, so fewer and fewer records take part.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal

from duckrisk.base.options.disclosure import Options
from duckrisk.base.results import Truncation
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.measures.disclosure.agreement import Agreement
from duckrisk.measures.disclosure.lattice import PORTION, Lattice
from duckrisk.measures.disclosure.set_results import (
    Limit,
    RiskCount,
    Suda,
    SudaByRule,
    UniqueRecord,
    UniquesOfAttribute,
    UniquesOfSet,
    UniquesOfSize,
    UniquesOfValue,
)
from duckrisk.measures.sets.masks import split_range
from duckrisk.roles import Roles
from duckrisk.source import Source
from duckrisk.source.long_values import show_in_full

#: sdcMicro's share of the population that a sample is, where nobody gives one.
FRACTION = 0.01
#: In classes of so many groups every two groups are compared.
SMALL = 192
#: A search without a limit looks at no more pairs of a combination and a set of high attributes: minutes.
PAIRS = 200_000_000
#: Nor one that compares records set by set at what takes more seconds, by a rough estimate.
SECONDS = 60.0
#: A set of high attributes costs at least as much as so many pairs.
SET_PAIRS = 1_000
#: Sets, records, sets of a record and values of an attribute that a report lists.
MOST_LISTED = 50
MOST_SETS = 10


def measure(
    session: Session, source: Source, roles: Roles, options: Options, *, show_values: bool = False
) -> tuple[Suda, list[Sentence]]:
    """Special uniques, and notes.

    Raises UsageError for what cannot be searched.
    """
    lattice = Lattice(session, source, roles, options, "suda")
    search = Search(lattice)
    search.run()
    section = _section(lattice, search, roles, show_values)
    others = lattice.compared(search.size, search.limit, lambda other: _in_short(other, roles), SudaByRule)
    return dataclasses.replace(section, other_rules=others), lattice.notes


def _in_short(lattice: Lattice, roles: Roles) -> SudaByRule:
    """What is found by another rule for missing cells."""
    search = Search(lattice)
    search.run()
    totals = _totals(lattice, search, lattice.searched(roles).persons)
    return SudaByRule(
        missing=lattice.options.missing,
        scored=totals["scored"],
        scored_share=totals["scored_share"],
        minimal_uniques=totals["minimal_uniques"],
        max_size=search.size,
        complete=search.limit is None,
        limit=search.limit,
    )


class Search:
    """The search for all minimal uniques; it fills the table ``suda_uniques``."""

    def __init__(self, lattice: Lattice) -> None:
        self.lattice, self.session = lattice, lattice.session
        if lattice.agreement is None:
            lattice.rows.find_dependencies(lattice.ignored, lattice.limits)
            lattice.split()
        self.size = lattice.size
        self.limit: Limit | None = lattice.limit
        while lattice.options.max_size is None and self.size > 1 and self._long():
            self.size -= 1
            self.limit = "built_in"

    def _long(self) -> bool:
        """Whether all sets up to the size take too long to be looked at unasked."""
        agreement = self.lattice.agreement
        if agreement is not None:
            return agreement.seconds(self.lattice.sets_up_to(self.size)) > SECONDS
        high = len(self.lattice.high)
        sets = sum(math.comb(high, size) for size in range(min(high, self.size) + 1))
        return sets * max(SET_PAIRS, self.lattice.rows.count) > PAIRS

    def run(self) -> None:
        """Go through the sets until none is left or time is up."""
        self.session.run("suda_begin")
        with self.session.limit_time(self.lattice.limits.until) as time:
            if self.lattice.agreement is not None:
                self._compare(self.lattice.agreement)
            else:
                self._group()
        if time.is_over:
            self.limit = "time_limit"
        if self.lattice.agreement is None:
            for twin, other in self.lattice.rows.dependencies.twins.items():
                self.session.run("suda_twins", twin=1 << twin, other=1 << other)

    def _group(self) -> None:
        """Go through the sets of high attributes by their size: classes tell who is unique."""
        lattice, session = self.lattice, self.session
        session.run("suda_tables", table="suda_unique0")
        redundant = lattice.redundant
        for size in range(min(len(lattice.high), self.size) + 1):
            before, after = f"suda_unique{size % 2}", f"suda_unique{(size + 1) % 2}"
            session.run("suda_tables", table=after)
            for highs in lattice.portions(lattice.highs(size, redundant)):
                self._look_at(highs, self.size - size, before, after)

    def _compare(self, agreement: Agreement) -> None:
        """Look at who agrees with nobody, set by set, the small sets first."""
        for size in range(1, self.size + 1):
            for masks in agreement.portions(self.lattice.masks(size)):
                agreement.look_at(masks)
                self.session.run("agreeing_uniques")

    def _look_at(self, highs: list[int], most: int, before: str, after: str) -> None:
        """Find what is unique on these sets of high attributes with up to ``most`` low ones."""
        lattice, session, low = self.lattice, self.session, self.lattice.low
        several, missing = lattice.several, lattice.ignored
        closed = [lattice.closed(high, most, lattice.redundant) for high in highs]
        lattice.begin_portion(highs, closed)
        bits = [1 << position for position in lattice.high]
        session.run("suda_known", bits=bits, before=before, high_only=most == 0)
        if most == 0:
            session.run("suda_last", words=lattice.high_layout.count, by_user=several, ignore_missing=missing)
            return
        shared = {"words": lattice.high_layout.count, "low_bits": low.bits, "by_user": several}
        session.run(
            "suda_groups",
            **shared,
            with_low=low.sets > 1,
            ignore_missing=missing,
            without=[low.holding(pattern) for pattern in range(low.sets)],
        )
        session.run("suda_classes", **shared)
        opened = low.opened(low.larger(most))
        session.run(
            "suda_places",
            **shared,
            only_low=highs == [0],
            small=min(SMALL, 3 * len(opened)),
        )
        session.run(
            "suda_small",
            fields=low.fields,
            holding=[low.holding(1 << j) for j in range(len(low.positions))],
            by_user=several,
            ignore_missing=missing,
        )
        groups = session.fetch_row("suda_count")["large"] if low.sets > 1 else 0
        for first, last in split_range(len(opened), PORTION // groups) if groups else ():
            some = opened[first : last + 1]
            session.run(
                "suda_large",
                low=some,
                low_bits=low.bits,
                sets=low.sets,
                shift=low.bits + len(low.positions),
                by_user=several,
            )
        session.run("suda_new", by_user=several)
        session.run("suda_minimal", lacking=low.lacking(), positions=low.positions)
        session.run("suda_next", after=after, lacking=low.lacking())

    def weights(self) -> tuple[list[int], int]:
        """The score of a minimal unique by its size, from 1 on, and what these numbers are divided by."""
        count = self.lattice.count
        sizes = range(1, count + 1)
        if self.lattice.options.suda_scores == "ihsn":
            alike = [math.comb(count, size) for size in sizes]
            divisor = math.lcm(*alike)
            larger = [2 ** (count - size) - 1 for size in sizes]
            return [subsets * divisor // sets for subsets, sets in zip(larger, alike, strict=True)], divisor
        most = min(self.size, count - 1)
        return [math.prod(count - number for number in range(size, most + 1)) for size in sizes], 1

    def no_dis_reason(self) -> Literal["users", "missing", "time_limit"] | None:
        """Why the risk by data intrusion simulation has no meaning or is not known; None where it is."""
        if self.lattice.several:
            return "users"
        if self.lattice.ignored:
            return "missing"
        return "time_limit" if self.agreement_unknown else None

    @property
    def agreement_unknown(self) -> bool:
        """Whether time did not suffice to look at who agrees with whom on all attributes."""
        return self.lattice.agreement is not None and self.limit == "time_limit"


def _totals(lattice: Lattice, search: Search, persons: int, fraction: float | None = None) -> dict[str, Any]:
    """Score what was found, and add it up: a row of ``suda_totals``; without a fraction there is no DIS."""
    session = lattice.session
    weights, divisor = search.weights()
    session.run(
        "suda_scores",
        weights=weights,
        bits=[1 << position for position in range(lattice.count)],
        columns=sorted({lattice.place(position)[0] for position in range(lattice.count)}),
    )
    if lattice.agreement is not None and not search.agreement_unknown:
        with session.limit_time(lattice.limits.until) as time:
            lattice.agreement.look_at([(1 << lattice.count) - 1])
        if time.is_over:
            search.limit = "time_limit"
    wildcard = lattice.agreement is not None and not search.agreement_unknown
    session.run(
        "suda_persons",
        fraction=fraction,
        attributes=lattice.count,
        divisor=divisor,
        wildcard=wildcard,
    )
    return session.fetch_row("suda_totals", persons=persons, divisor=divisor, wildcard=wildcard)


def _section(lattice: Lattice, search: Search, roles: Roles, show_values: bool) -> Suda:
    session, whose = lattice.session, lattice.searched(roles)
    no_dis_reason = search.no_dis_reason()
    fraction = lattice.options.fraction if lattice.options.fraction is not None else FRACTION
    totals = _totals(lattice, search, whose.persons, fraction if no_dis_reason is None else None)
    if search.agreement_unknown:
        totals["unique_on_all"] = None
    if search.agreement_unknown or lattice.several:
        totals["in_pairs"] = None
    sets = session.run("suda_sets", max_sets=MOST_LISTED)
    highest: list[dict[str, Any]] = []
    if not lattice.several:  # nobody is named where users are counted
        highest = session.run(
            "suda_records", max_sets=MOST_LISTED, sets=MOST_SETS, divisor=search.weights()[1]
        )
    return Suda(
        **vars(whose),
        max_size=search.size,
        complete=search.limit is None,
        limit=search.limit,
        **totals,
        scores=lattice.options.suda_scores,
        fraction=fraction if no_dis_reason is None else None,
        fraction_given=lattice.options.fraction is not None,
        dis_at_least=tuple(RiskCount(**row) for row in session.run("suda_thresholds"))
        if no_dis_reason is None
        else (),
        no_dis_reason=no_dis_reason,
        sizes=tuple(UniquesOfSize(**row) for row in session.run("suda_sizes")),
        contributions=_contributions(lattice, show_values),
        sets_listed=Truncation.pop_from(sets),
        sets=tuple(UniquesOfSet(lattice.attributes(row.pop("mask")), **row) for row in sets),
        highest_listed=None if lattice.several else Truncation.pop_from(highest),
        highest=_highest(lattice, highest, show_values),
        other_rules=(),
    )


def _contributions(lattice: Lattice, show_values: bool) -> tuple[UniquesOfAttribute, ...]:
    places = [lattice.place(position) for position in range(lattice.count)]
    rows = lattice.session.run(
        "suda_attributes",
        columns=[column for column, _, _ in places],
        fields=[field for _, field, _ in places],
        by_user=lattice.several,
    )
    attributes = []
    for row in rows:
        position = row.pop("position")
        values = _values(lattice, position) if show_values else {"values": None}
        attributes.append(UniquesOfAttribute(lattice.names[position], **row, **values))
    return tuple(attributes)


def _values(lattice: Lattice, position: int) -> dict[str, Any]:
    """The values that contribute most, and how many there are."""
    column, field, shift = lattice.place(position)
    rows = lattice.session.run(
        "suda_values",
        position=position,
        column=column,
        field=field,
        shift=shift,
        codes=lattice.rows.encoding.tables[position],
        max_sets=MOST_SETS,
        by_user=lattice.several,
    )
    return {
        "values_listed": Truncation.pop_from(rows),
        "values": tuple(UniquesOfValue(**row) for row in rows),
    }


def _highest(lattice: Lattice, listed: list[dict[str, Any]], show_values: bool) -> tuple[UniqueRecord, ...]:
    """The records with the highest scores."""
    session = lattice.session
    cells: dict[int, list[str | None]] = {}
    if show_values and listed:
        records = [row["record"] for row in listed]
        attributes = [show_in_full(attribute) for attribute in lattice.attributes_known]
        rows = session.run("cells", source=ASSESSED, attributes=attributes, records=records)
        cells = {row["record"]: row["cells"] for row in rows}
    return tuple(
        UniqueRecord(
            record=row["record"],
            score=row["score"],
            dis=row["dis"],
            minimal_uniques=row["minimal_uniques"],
            sets=tuple(lattice.attributes(mask) for mask in row["masks"]),
            sets_listed=Truncation(row["minimal_uniques"], row["equal_to_last"]),
            cells=dict(zip(lattice.names, cells[row["record"]], strict=True)) if show_values else None,
        )
        for row in listed
    )
