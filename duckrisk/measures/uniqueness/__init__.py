"""Measure who is singled out by one to four facts, and by all attributes together.

The work is bounded for any number of attributes. Sets are drawn if there are many, the worst set is searched
for from the attributes with most values, and in large tables a sample of people is compared with all others.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Sql
from duckrisk.measures import attribute, identifiability
from duckrisk.measures.attribute.results import KnownRecords
from duckrisk.measures.identifiability.tokens import drop_tokens_of_parts
from duckrisk.measures.sets import costs
from duckrisk.measures.sets.draws import Drawn, Places, draw_sets
from duckrisk.measures.sets.facts import NumberedFacts, list_written_forms
from duckrisk.measures.uniqueness.histories import (
    RELINKED,
    measure_histories,
    relink_records,
    summarize_known_records,
)
from duckrisk.measures.uniqueness.results import (
    BAND_STARTS,
    MAX_FACTS,
    KnownFacts,
    KnownWholeRecords,
    NotAssessed,
    Relinked,
    Together,
    Uniqueness,
    WholeHistories,
    WorstSet,
    can_more_people_decide,
    read_classes,
)
from duckrisk.roles import Roles, attributes_at_full_precision, known_columns
from duckrisk.roles.dependencies import split_batches

__all__ = ["MAX_FACTS", "Measured", "Uniqueness", "measure", "measure_histories"]

#: Sets of a size that are drawn: the target, and the minimum if the work does not allow it
#: (tests/benchmarks/uniqueness.py: coverage of their interval).
DRAWN_SETS, MIN_DRAWN_SETS = 64, 8
#: Attributes among which the worst set is searched for (a choice: those with most values).
WORST_CANDIDATES = 24
#: Values that all sets of two and more attributes may compare, and the fixed cost of a set in values
#: (tests/benchmarks/uniqueness.py: CPU seconds of the part).
MAX_WORK, WORK_PER_SET = 60_000_000, 100_000
#: Records; larger tables are tried on a sample of people if the work is too much (a choice: smaller ones are
#: cheap to group as a whole).
MIN_RECORDS_TO_SAMPLE = 200_000
#: Size of the sample: records and people it aims at, and the maximum of values. Of 4 million records with 20
#: attributes `assess --quick` takes 4.9 CPU seconds, and 7.3 with 25,000 records for a like interval.
SAMPLED_RECORDS, SAMPLED_PEOPLE, SAMPLED_VALUES = 2_000, 500, 20_000_000
#: Records of the sample if a limit lies inside the interval of the small one (a choice: 0.3 of its error).
GROWN_RECORDS = 25_000
#: Sets of one statement, and rows that it groups.
SETS_PER_STATEMENT, ROWS_PER_STATEMENT = 32, 2_000_000
#: Sets; a statement on more of them first stores the numbers that it reads, if not all are held (2 sets of
#: 4 of 100 columns, 1 million records: 54 ms without, 95 with; 20 of 2,000, 100,000 records: 299 and 166 ms).
UNSTORED_SETS = 8
#: Attributes with several known records, if nobody measured these yet (a choice: each draws attackers anew).
KNOWN_RECORDS_ATTRIBUTES = 4


@dataclass
class Measured:
    """Who is singled out by sets of up to a number of attributes, and how to go on."""

    result: Uniqueness
    search: _FactSearch | None = None

    def add_larger_sets(self) -> Uniqueness:
        """Measure the sets of more attributes, and drop the tables of a large search."""
        if self.search is None:
            return self.result
        search, facts = self.search, self.result.facts
        sizes = range(len(facts) + 1, min(MAX_FACTS, len(search.names)) + 1)
        more = [search.measure_facts(size, with_worst=True) for size in search.session.steps.track(sizes)]
        search.drop_tables()
        return replace(self.result, facts=(*facts, *more))


def measure(
    session: Session,
    roles: Roles,
    options: identifiability.Options,
    attacker: attribute.Options,
    known: Sequence[KnownRecords] | None = None,
    most: int = MAX_FACTS,
    with_worst: bool = True,
    limit: float | None = None,
) -> Measured:
    """Measure who is singled out by sets of attributes.

    The sets of three attributes do not depend on whether those of four are measured after them.

    Args:
        session: The session, with the source as the assessed view.
        roles: The roles of its columns.
        options: The rule for missing values, and the texts that mean one.
        attacker: Known records, and the seed of what is drawn.
        known: Attackers with several known records, if these are measured already.
        most: Maximum number of known facts.
        with_worst: Whether to search for the worst set of the largest size; otherwise it is the worst of the
            drawn sets.
        limit: Limit of the share of people singled out; a sample grows if the interval of the share holds it.
    """
    withheld = roles.withheld
    knows_nothing = roles.is_nothing_known
    roles = replace(roles, attributes=roles.plausible)
    people, records = roles.users, roles.records - roles.without_user
    if known is None and roles.is_linked:
        known = attribute.measure_known_records(session, roles, attacker, KNOWN_RECORDS_ATTRIBUTES)
    result = Uniqueness(
        unit="record" if roles.user is None else "user",
        people=people,
        records=records,
        people_examined=0,
        attributes=tuple(attribute.name for attribute in roles.attributes),
        not_assessed=_list_not_assessed(roles),
        missing="value" if options.missing == "value" else "none",
        missing_cells=0,
        facts=(),
        known_records=summarize_known_records(session, known or ())
        if roles.most_records > 1 and roles.is_linked
        else (),
        all_attributes=None,
        all_columns=None,
        histories=None,
        whole_records=None,
        chance_of_error=0.0,
    )
    if not roles.attributes and not knows_nothing:
        return Measured(result)
    generator = random.Random(attacker.seed)  # noqa: S311 (sets, no secrets)
    search = _FactSearch(session, roles, options, generator, withheld)
    together = search.measure_together(search.published)
    if withheld:
        result = replace(result, all_columns=search.measure_together(search.numbered))
    if roles.user is not None and roles.most_records > 1:
        relinked = None if roles.is_linked else relink_records(session, roles)
        result = replace(result, relinked=relinked)
        if relinked is None or relinked.people:
            histories, whole_records = search.measure_histories(attacker.seed, relinked)
            result = replace(result, histories=histories, whole_records=whole_records)
    sizes = range(1, min(most, len(roles.attributes)) + 1)
    facts: tuple[KnownFacts, ...] = ()
    if roles.attributes:
        search.choose_people(together, SAMPLED_RECORDS)
        facts = search.measure_sizes(sizes, with_worst)
        if limit is not None and search.sampled and can_more_people_decide(facts, limit, search.examined):
            search.source = random.Random(attacker.seed)  # noqa: S311 (sets, no secrets)
            if search.choose_people(together, GROWN_RECORDS):
                facts = search.measure_sizes(sizes, with_worst)
    result = replace(
        result,
        people_examined=search.examined,
        missing_cells=search.missing_cells,
        facts=facts,
        all_attributes=together,
        chance_of_error=search.chance_of_error,
    )
    return Measured(result, search)


def _list_not_assessed(roles: Roles) -> tuple[NotAssessed, ...]:
    known = {decision.column.position for decision in known_columns(roles)}
    return tuple(
        NotAssessed(decision.column.name, decision.role, decision.reason or "")
        for decision in roles.decisions
        if decision.column.position not in known and decision.column is not roles.user
    )


class _Counted(NamedTuple):
    """People and records that a set singles out."""

    people: int
    records: int


class _FactSearch:
    """The examined attribute sets of one table."""

    def __init__(
        self,
        session: Session,
        roles: Roles,
        options: identifiability.Options,
        source: random.Random,
        others: Sequence[Attribute] = (),
    ) -> None:
        self.session, self.source = session, source
        self.names = [attribute.name for attribute in roles.attributes]
        #: 1 if each record is a person, 2 if a column has the number of people of each record, else 0.
        weighted = roles.count is not None
        self.by_record = weighted or roles.user is None
        #: The flags of statements that count persons.
        self._persons = {"by_record": self.by_record, "weighted": weighted}
        self._counted = roles.count.binding if roles.count is not None else None
        self._rows = roles.rows if roles.count is not None else roles.records - roles.without_user
        self.people, self.records = roles.users, roles.records - roles.without_user
        self.examined = self.people
        #: Records of the examined people, and the shares of all people and records that can be singled out.
        self.examined_records = self.records
        self.share_of_people = self.share_of_records = 1.0
        self.unseen = 0.0
        self.sampled = False
        #: One person in this many is sampled; None without a sample.
        self._one_in: int | None = None
        self.counted: dict[Places, _Counted] = {}
        #: Whether all attributes together single nobody out; then no set of them does.
        self._is_nobody_alone = False
        self.values: list[int] = []
        self.chance_of_error = 0.0
        self._worst: Places = ()
        self._work_left = MAX_WORK
        kinds = {decision.column.binding: decision.column.type for decision in roles.decisions}
        self._others = others
        attributes = [
            drop_tokens_of_parts(attribute, kinds, options.missing_tokens)
            for attribute in (*roles.attributes, *attributes_at_full_precision(roles))
        ]
        self._user = roles.user.binding if roles.user is not None else None
        self._set_attributes(attributes, kinds)
        self.missing_cells = 0
        # Where each record has one person, the columns' values are counted already.
        present = {decision.column.binding: decision.present for decision in roles.decisions}
        missing = self._count_missing(options, {} if weighted or roles.without_user else present)
        #: Attributes whose missing values single nobody out.
        self.missing = [place for place, count in enumerate(missing) if count and options.missing != "value"]
        # If no more values are missing than the column lacks, no text marks a missing value.
        marked = [
            attribute
            for attribute, count in zip(attributes, missing, strict=False)
            if roles.without_user or count + present[attribute.parts[0].column] > roles.records
        ]
        if written := list_written_forms(self.session, marked):
            self._set_attributes([*attributes, *written], kinds)

    def _set_attributes(self, attributes: Sequence[Attribute], kinds: Mapping[str, str]) -> None:
        """Set the attributes to number: published, more precise, and withheld ones."""
        self.published = len(attributes)
        self.attributes = [*attributes, *self._others]
        self.numbered = len(self.attributes)
        self._facts = NumberedFacts(
            self.session, self._user, self._rows, self.attributes, kinds, self._counted
        )

    def _count_missing(self, options: identifiability.Options, present: Mapping[str, int]) -> list[int]:
        """Count the missing values of each attribute; with lists, also who it singles out."""
        count = len(self.names)
        if not count:
            return []
        if not self._facts.elements:
            cells, self.missing_cells = self._facts.count_missing(count, present)
            return cells
        rows = self.session.run(
            "facts_of_lists",
            attributes=count,
            attribute_indexes=list(self._facts.elements),
            by_record=self.by_record,
            missing_is_value=options.missing == "value",
        )
        self.missing_cells = rows[0]["missing_cells"]
        self.values = [row["classes"] for row in rows]
        self.counted = {(row["place"],): _Counted(row["people"], row["records"]) for row in rows}
        return [row["missing"] for row in rows]

    def _get_known_relation(self) -> Sql:
        """Return the relation with the numbers of all published attributes."""
        return self._facts.relation(range(self.published))

    def measure_histories(
        self, seed: int, relinked: Relinked | None
    ) -> tuple[WholeHistories, KnownWholeRecords]:
        """Measure attackers who know whole histories, and those who know whole records.

        Args:
            seed: Seed of the draw of people and of their records.
            relinked: The people whose records can be linked again; None if a user column links records.
        """
        self.session.run("person_records", known=self._get_known_relation(), attributes=self.published)
        among = RELINKED if relinked is not None else None
        found = measure_histories(self.session, "person_records", "record", seed, among)
        self.session.run("drop_table", table="person_records")
        return found

    def measure_together(self, attributes: int) -> Together:
        """Measure the equivalence classes of the first attributes.

        Args:
            attributes: Number of attributes: the published quasi-identifiers, or all columns.
        """
        rows = self.session.run(
            "facts_together",
            known=self._facts.relation(range(attributes)),
            attributes=attributes,
            **self._persons,
            bounds=list(BAND_STARTS),
            all_people=self.people,
            all_records=self.records,
        )
        self.chance_of_error = rows[0]["chance_of_error"]
        return read_classes(rows)

    def choose_people(self, together: Together, sampled_records: int) -> bool:
        """Choose the people that sets are tried on: all, or a sample.

        What was counted of other people is forgotten.

        Args:
            together: The classes of all attributes together; people in larger classes cannot be singled out.
            sampled_records: Records that a sample aims at.

        Returns:
            Whether the people are others than before.
        """
        # Each class of a set is made of whole classes of all attributes, a missing value being a value.
        self._is_nobody_alone = together.smallest_class > 1
        sets = {size: min(DRAWN_SETS, math.comb(len(self.names), size)) for size in range(2, MAX_FACTS + 1)}
        work = sum(many * self._estimate_cost(size) for size, many in sets.items())
        if work <= MAX_WORK or self._rows <= MIN_RECORDS_TO_SAMPLE or not together.people:
            return False
        each = together.records / together.people
        wanted = max(sampled_records / each, SAMPLED_PEOPLE)
        wanted = max(1.0, min(wanted, SAMPLED_VALUES / (each * len(self.names))))
        one_in = math.ceil(together.people / wanted)
        if one_in == self._one_in:
            return False
        shared = {
            "attributes": self.published,
            **self._persons,
            "known": self._get_known_relation(),
        }
        self.session.run("fact_sample", **shared, one_in=one_in)
        sample = self.session.fetch_row("sampled_people", by_record=self.by_record)
        if sample["people"]:
            self.sampled, self._one_in = True, one_in
            self.counted, self.values, self._worst, self._work_left = {}, [], (), MAX_WORK
            self.examined, self.examined_records = sample["people"], sample["records"]
            self.share_of_people, self.share_of_records = together.share, together.share_of_records
            self.unseen = 1 - self.examined / together.people
        return self.sampled

    def _estimate_cost(self, size: int) -> int:
        """Estimate the work of a set in values.

        Sets of several records per person compare more than a count. People outside the sample are skipped.
        """
        return WORK_PER_SET + self._rows * (3 if self.sampled else size if self.by_record else 2 * size)

    def count_sets(self, sets: Iterable[Places]) -> None:
        """Count who is singled out by sets of one size, without those counted before.

        Args:
            sets: The sets, as positions of attributes.
        """
        new = [places for places in dict.fromkeys(sets) if places not in self.counted]
        if new and len(new[0]) > 1:
            self._work_left -= self._estimate_cost(len(new[0])) * len(new)
            if self._is_nobody_alone:
                self.counted |= dict.fromkeys(new, _Counted(0, 0))
                return
        possible = self._examine_sample(new) if self.sampled else new
        batch = max(1, min(SETS_PER_STATEMENT, ROWS_PER_STATEMENT // self._rows))
        for of_batch in split_batches(possible, batch):
            named = [place for places in of_batch for place in places]
            rows = self.session.run(
                "facts_known",
                known=self._facts.relation(sorted(set(named)), stored=len(of_batch) > UNSTORED_SETS),
                places=named,
                size=len(of_batch[0]),
                **self._persons,
                sampled=self.sampled,
                missing=self.missing,
            )
            for places, row in zip(of_batch, rows, strict=True):
                self.counted[places] = _Counted(row["people"], row["records"])
            if len(of_batch[0]) == 1 and not self.sampled:
                self.values += [row["classes"] for row in rows]

    def _examine_sample(self, sets: list[Places]) -> list[Places]:
        """Return the sets that may single out somebody of the sample; count the others."""
        possible = []
        for of_batch in split_batches(sets):
            rows = self.session.run(
                "sampled_classes",
                places=[place for places in of_batch for place in places],
                size=len(of_batch[0]),
                by_record=self.by_record,
                missing=self.missing,
            )
            possible += [places for places, row in zip(of_batch, rows, strict=True) if row["alone"]]
            self.counted |= dict.fromkeys(of_batch, _Counted(0, 0))
            if len(of_batch[0]) == 1:
                self.values += [row["classes"] for row in rows]
        return possible

    def measure_sizes(self, sizes: range, with_worst: bool) -> tuple[KnownFacts, ...]:
        """Measure the sets of all sizes, from one attribute on.

        Args:
            sizes: The sizes in their order.
            with_worst: Whether to search for the worst set of the last size. Those of the others are always
                searched for: the search of a size begins with the worst set of the size below.
        """
        return tuple(
            self.measure_facts(size, with_worst or size < sizes[-1])
            for size in self.session.steps.track(sizes)
        )

    def measure_facts(self, size: int, with_worst: bool) -> KnownFacts:
        """Measure the sets of one size; smaller sizes have to be measured before.

        Args:
            size: Number of attributes of a set.
            with_worst: Whether to search for the worst set beyond the drawn ones.
        """
        if size == 1:
            every = tuple((place,) for place in range(len(self.names)))
            drawn = Drawn(every, tuple(range(len(every))), (1,) * len(every), len(every), len(every))
            most = 0
        else:
            most = max(0, self._work_left) // ((MAX_FACTS + 1 - size) * self._estimate_cost(size))
            allowed = math.comb(len(self.names), size)
            if allowed > most:
                allowed = max(MIN_DRAWN_SETS, min(DRAWN_SETS, 2 * most // 3))
            drawn = draw_sets(self.values, size, allowed, self.records, self.source)
        self.count_sets(drawn.sets)
        if with_worst and not drawn.complete:
            self._search_worst(size, max(MIN_DRAWN_SETS, most - len(drawn.sets)))
        looked_at = [places for places in self.counted if len(places) == size]
        self._worst = max(looked_at, key=self._rank)
        shares = self.session.fetch_row(
            "typical_share",
            strata=list(drawn.strata),
            sizes=list(drawn.sizes),
            people=[self.counted[places].people for places in drawn.sets],
            records=[self.counted[places].records for places in drawn.sets],
            worst_people=self.counted[self._worst].people,
            worst_records=self.counted[self._worst].records,
            all_people=self.examined,
            all_records=self.examined_records,
            share_of_people=self.share_of_people,
            share_of_records=self.share_of_records,
            undrawn=1 - drawn.listed / drawn.possible,
            unseen=self.unseen,
            least=0.0 if drawn.complete else self._bound_share(size),
        )
        return KnownFacts(
            facts=size,
            sets_possible=drawn.possible,
            sets_drawn=len(drawn.sets),
            sets_examined=len(looked_at),
            complete=drawn.complete,
            worst=WorstSet(
                tuple(self.names[place] for place in self._worst),
                self.counted[self._worst].people,
                shares.pop("worst"),
                shares.pop("worst_of_records"),
            ),
            **shares,
        )

    def drop_tables(self) -> None:
        """Drop the tables of a large search, whose memory later steps need."""
        if self._rows <= identifiability.MAX_RECORDS_HELD or self.session.engine is not None:
            return
        self._facts.drop_table()
        if self.sampled:
            self.session.run("drop_table", table="fact_sample")

    def _bound_share(self, size: int) -> float:
        """Return a lower bound of the mean share of examined people that sets single out."""
        if math.comb(len(self.names), size) > costs.LISTED_SETS or not self.examined:
            return 0.0
        counted = [places for places in self.counted if len(places) <= size]
        row = self.session.fetch_row(
            "sure_share",
            attributes=len(self.names),
            size=size,
            sets=counted,
            people=[self.counted[places].people for places in counted],
            missing=self.missing,
            all_people=self.examined,
        )
        least: float = row["least"]
        return least

    def _search_worst(self, size: int, most: int) -> None:
        """Search for the worst set, from the worst set of one attribute less.

        Add each of the attributes that single out most, then exchange attributes, with about ``most`` sets.
        """
        ranked = sorted(range(len(self.names)), key=lambda place: self._rank((place,)), reverse=True)
        candidates = ranked[: min(WORST_CANDIDATES, most)]
        extended = [_sort_places((*self._worst, place)) for place in candidates if place not in self._worst]
        self.count_sets(extended)
        best = max((places for places in self.counted if len(places) == size), key=self._rank)
        exchanged = [
            _sort_places((*(inside for inside in best if inside != out), place))
            for place in candidates
            for out in best
            if place not in best
        ]
        self.count_sets(exchanged[: max(0, most - len(candidates))])

    def _rank(self, places: Places) -> tuple[_Counted, float, list[int]]:
        """Return the sort key of a set: people, then values, then the first one."""
        bits = math.fsum(math.log2(max(1, self.values[place])) for place in places)
        return self.counted[places], bits, [-place for place in places]


def _sort_places(places: Iterable[int]) -> Places:
    return tuple(sorted(places))
