"""Who is singled out by how many facts: typical and worst sets of one to four attributes, and all together.

Any number of attributes is looked at with bounded work: sets are drawn where there are many, the worst is
looked for from the most telling attributes on, and of large tables a sample of people is compared with all.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Sql
from duckrisk.measures import attribute, identifiability
from duckrisk.measures.attribute.results import KnownRecords
from duckrisk.measures.identifiability.section import known_without_tokens
from duckrisk.measures.uniqueness.facts import NumberedFacts
from duckrisk.measures.uniqueness.results import (
    MOST_FACTS,
    KnownFacts,
    KnownHistory,
    KnownWholeRecords,
    NotAssessed,
    Relinked,
    SizeBand,
    Together,
    Uniqueness,
    WholeHistories,
    WorstSet,
)
from duckrisk.measures.uniqueness.sets import LISTED, Drawn, Places, draw
from duckrisk.roles import Roles, known_columns, told_whole
from duckrisk.roles.dependencies import batches

__all__ = ["MOST_FACTS", "Uniqueness", "histories", "measure"]

#: Sets of a size that are drawn where there are more and the work allows it, and at least.
DRAWN, LEAST_DRAWN = 64, 8
#: The worst set is looked for among so many of the most telling attributes.
TELLING = 24
#: The work of the sets of two and more attributes, all in all: they compare about so many cells, and each
#: takes as long as so many.
WORK, ONE_SET = 60_000_000, 100_000
#: Of more records than these sets are tried on a sample of people, where there is too much work for all:
#: about so many records and people, and at most so many cells.
SAMPLED_FROM = 200_000
SAMPLED_RECORDS, SAMPLED_PEOPLE, SAMPLED_CELLS = 25_000, 500, 20_000_000
#: Sets of one statement, and records that it groups.
BATCH, GROUPED = 32, 2_000_000
#: Several known records are measured for so many attributes where nobody has measured them yet.
HISTORIES = 4
#: Whole records that an attacker knows of a person: those of the limit of a policy.
WHOLE_RECORDS = 3
#: People who are examined, and other people they are compared with: a 95 % interval of at most 1 point on
#: each side, in at most a second of CPU (tests/benchmarks/uniqueness.py).
EXAMINED_PEOPLE, CANDIDATES = 10_000, 10_000_000
#: The table of the people whose records can be linked again.
_RELINKED = Sql("relinked_people")
#: The least sizes of the bands of classes.
BANDS = (1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000)


def measure(
    session: Session,
    roles: Roles,
    options: identifiability.Options,
    attacker: attribute.Options,
    known: Sequence[KnownRecords] | None = None,
    most: int = MOST_FACTS,
    with_worst: bool = True,
) -> Uniqueness:
    """Whom sets of up to ``most`` of a table's attributes single out. ``known`` is what several known records
    tell, where that was measured already. The seed of ``attacker`` chooses what is drawn. Without
    ``with_worst`` the worst of the largest sets is that of those that their typical share is the mean of."""
    others = roles.withheld
    knows_nothing = roles.knows_nothing
    roles = replace(roles, attributes=roles.plausible)
    people, records = roles.users, roles.records - roles.without_user
    if known is None and roles.is_linked:
        known = attribute.known_records(session, roles, attacker, HISTORIES)
    result = Uniqueness(
        unit="record" if roles.user is None else "user",
        people=people,
        records=records,
        people_examined=0,
        attributes=tuple(attribute.name for attribute in roles.attributes),
        not_assessed=_not_assessed(roles),
        missing="value" if options.missing == "value" else "none",
        missing_cells=0,
        facts=(),
        known_records=_histories(session, known or ()) if roles.most_records > 1 and roles.is_linked else (),
        together=None,
        all_columns=None,
        histories=None,
        whole_records=None,
        chance_of_error=0.0,
    )
    if not roles.attributes and not knows_nothing:
        return result
    source = random.Random(attacker.seed)  # noqa: S311 (sets, no secrets)
    search = _Search(session, roles, options, source, others)
    together = search.together(search.published)
    if others:
        result = replace(result, all_columns=search.together(search.numbered))
    if roles.user is not None and roles.most_records > 1:
        relinked = None if roles.is_linked else _relink(session, roles)
        result = replace(result, relinked=relinked)
        if relinked is None or relinked.people:
            histories, whole_records = search.histories(attacker.seed, relinked)
            result = replace(result, histories=histories, whole_records=whole_records)
    if roles.attributes:
        search.examine(together)
    count = len(roles.attributes)
    sizes = range(1, min(most, count) + 1)
    return replace(
        result,
        people_examined=search.examined,
        missing_cells=search.missing_cells,
        # The worst of a size is where the search for that of the next one begins.
        facts=tuple(search.facts(s, with_worst or s < most) for s in session.steps.track(sizes)),
        together=together,
        chance_of_error=search.chance_of_error,
    )


def _relink(session: Session, roles: Roles) -> Relinked:
    """Link records without a user column again, by the columns that are constant for each person."""
    assert roles.user is not None
    columns = [decision.column for decision in roles.decisions if decision.column.binding in roles.fixed]
    bindings = [column.binding for column in columns]
    source = session.views.select_columns(roles.user.binding, *bindings)
    session.run("relinked_people", source=source, user=roles.user.binding, columns=bindings)
    people = session.fetch_row("table_size", source=_RELINKED)["found"]
    return Relinked(tuple(column.name for column in columns), people)


def histories(
    session: Session, source: str, record: str, seed: int, among: Sql | None = None
) -> tuple[WholeHistories, KnownWholeRecords]:
    """Measure attackers who know whole histories, and those who know a few whole records.

    Args:
        session: The session that has the table.
        source: A table with a row for each record and the column "person".
        record: The column of ``source`` with a number for the values of the record.
        seed: Chooses the people who are examined, and their records.
        among: The people who count, where not all do; each is compared with all others.
    """
    known: dict[str, Any] = {"source": source, "user": "person", "columns": [record], "among": among}
    whole = session.fetch_row("whole_histories", **known)
    row = session.fetch_row(
        "known_whole_records",
        **known,
        known=WHOLE_RECORDS,
        people=EXAMINED_PEOPLE,
        candidates=CANDIDATES,
        seed=seed,
    )
    del whole["people"], row["people"]
    return WholeHistories(**whole), KnownWholeRecords(WHOLE_RECORDS, **row)


def _not_assessed(roles: Roles) -> tuple[NotAssessed, ...]:
    known = {decision.column.position for decision in known_columns(roles)}
    return tuple(
        NotAssessed(decision.column.name, decision.role, decision.reason or "")
        for decision in roles.decisions
        if decision.column.position not in known and decision.column is not roles.user
    )


def _histories(session: Session, known: Sequence[KnownRecords]) -> tuple[KnownHistory, ...]:
    """Unicity by the number of known records: its mean over the attributes, and the attribute with most."""
    if not known:
        return ()
    rows = session.run(
        "facts_of_histories",
        known=[case.known_records for case in known],
        attributes=[case.attribute for case in known],
        unicity=[case.unicity for case in known],
    )
    return tuple(KnownHistory(**row) for row in rows)


_OF_TOGETHER = ("people", "share", "records", "share_of_records")


class _Counted(NamedTuple):
    """Whom a set singles out: the people and the records that do it."""

    people: int
    records: int


class _Search:
    """The sets of one table that were looked at."""

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
        weighted = roles.count is not None
        self.by_record = weighted or roles.user is None
        #: The flags of statements that count persons.
        self._persons = {"by_record": self.by_record, "weighted": weighted}
        self._counted = roles.count.binding if roles.count is not None else None
        self._rows = roles.rows if roles.count is not None else roles.records - roles.without_user
        self.people, self.records = roles.users, roles.records - roles.without_user
        self.examined = self.people
        #: The records by which examined people can be singled out, and the shares of those who can be of all.
        self.examined_records = self.records
        self.share_of_people = self.share_of_records = 1.0
        self.unseen = 0.0
        self.sampled = False
        self.counted: dict[Places, _Counted] = {}
        self.values: list[int] = []
        self.chance_of_error = 0.0
        self._worst: Places = ()
        self._left = WORK
        kinds = {decision.column.binding: decision.column.type for decision in roles.decisions}
        self._others = others
        attributes = [
            known_without_tokens(attribute, kinds, options.missing_tokens)
            for attribute in (*roles.attributes, *told_whole(roles))
        ]
        self._user = roles.user.binding if roles.user is not None else None
        self._set_attributes(attributes, kinds)
        self.missing_cells = 0
        missing = self._count_missing(options)
        #: The attributes of which a missing cell singles nobody out.
        self.missing = [place for place, count in enumerate(missing) if count and options.missing != "value"]
        # Where no more cells are missing than the column has none of, none of them has a mark.
        present = {decision.column.binding: decision.present for decision in roles.decisions}
        marked = [
            attribute
            for attribute, count in zip(attributes, missing, strict=False)
            if roles.without_user or count + present[attribute.parts[0].column] > roles.records
        ]
        if written := self._written_apart(marked):
            self._set_attributes([*attributes, *written], kinds)

    def _set_attributes(self, attributes: Sequence[Attribute], kinds: Mapping[str, str]) -> None:
        """Set the attributes to number, those that show more than is known, and those not known outside."""
        self.published = len(attributes)
        self.attributes = [*attributes, *self._others]
        self.numbered = len(self.attributes)
        self._facts = NumberedFacts(
            self.session, self._user, self._rows, self.attributes, kinds, self._counted
        )

    def _count_missing(self, options: identifiability.Options) -> list[int]:
        """Count the missing values of each attribute; with lists, also the people singled out by each."""
        count = len(self.names)
        if not count:
            return []
        if not self._facts.elements:
            row = self.session.fetch_row(
                "missing_facts",
                attributes=count,
                known=self._known_of_all(),
                weighted=self._persons["weighted"],
            )
            self.missing_cells = row["missing_cells"]
            cells: list[int] = row["cells"]
            return cells
        rows = self.session.run(
            "facts_of_lists",
            attributes=count,
            places=list(self._facts.elements),
            by_record=self.by_record,
            missing_is_value=options.missing == "value",
        )
        self.missing_cells = rows[0]["missing_cells"]
        self.values = [row["classes"] for row in rows]
        self.counted = {(row["place"],): _Counted(row["people"], row["records"]) for row in rows}
        return [row["missing"] for row in rows]

    def _known_of_all(self) -> Sql:
        """Return the relation with the numbers of all attributes."""
        return self._facts.relation(range(self.published))

    def _written_apart(self, attributes: Sequence[Attribute]) -> list[Attribute]:
        """The columns of attributes with missing cells that are written in several ways, as they are."""
        whole = [
            attribute
            for attribute in attributes
            if len(attribute.parts) == 1
            and attribute.parts[0].tokens
            and attribute.parts[0].knowledge in ("exact", "number")
        ]
        forms: list[int] = []
        for some in batches(whole):
            columns = [attribute.parts[0].column for attribute in some]
            rows = self.session.run(
                "missing_forms",
                source=self.session.views.select_columns(*columns),
                attributes=some,
                columns=columns,
            )
            forms += [row["forms"] for row in rows]
        return [
            Attribute(attribute.name, (replace(attribute.parts[0], tokens=()),))
            for attribute, several in zip(whole, forms, strict=True)
            if several > 1
        ]

    def histories(self, seed: int, relinked: Relinked | None) -> tuple[WholeHistories, KnownWholeRecords]:
        """Measure attackers who know whole histories, and those who know a few whole records.

        Without a user column those are counted who are ``relinked``.
        """
        self.session.run("person_records", known=self._known_of_all(), attributes=self.published)
        among = _RELINKED if relinked is not None else None
        found = histories(self.session, "person_records", "record", seed, among)
        self.session.run("drop_table", table="person_records")
        return found

    def together(self, attributes: int) -> Together:
        """Count who is alike on the first ``attributes`` numbers of a record: all that is published of the
        quasi-identifiers, or of all columns."""
        rows = self.session.run(
            "facts_together",
            known=self._facts.relation(range(attributes)),
            attributes=attributes,
            **self._persons,
            bounds=list(BANDS),
            all_people=self.people,
            all_records=self.records,
        )
        self.chance_of_error = rows[0]["chance_of_error"]
        alone = next((row for row in rows if row["most"] == 1), dict.fromkeys(_OF_TOGETHER, 0))
        return Together(
            **{name: alone[name] for name in _OF_TOGETHER},
            smallest_class=rows[0]["smallest_class"],
            sizes=tuple(
                SizeBand(row["least"], row["most"], row["classes"], row["people"], row["share"])
                for row in rows
            ),
        )

    def examine(self, together: Together) -> None:
        """Choose whom sets are tried on: all, or where that is too much work a sample of those who can be
        singled out."""
        sets = {size: min(DRAWN, math.comb(len(self.names), size)) for size in range(2, MOST_FACTS + 1)}
        work = sum(many * self._cost(size) for size, many in sets.items())
        if work <= WORK or self._rows <= SAMPLED_FROM or not together.people:
            return
        each = together.records / together.people
        wanted = max(SAMPLED_RECORDS / each, SAMPLED_PEOPLE)
        wanted = max(1.0, min(wanted, SAMPLED_CELLS / (each * len(self.names))))
        one_in = math.ceil(together.people / wanted)
        shared = {"attributes": self.published, "known": self._known_of_all(), **self._persons}
        self.session.run("fact_sample", **shared, one_in=one_in)
        sample = self.session.fetch_row("sampled_people", by_record=self.by_record)
        if sample["people"]:
            self.sampled = True
            self.examined, self.examined_records = sample["people"], sample["records"]
            self.share_of_people, self.share_of_records = together.share, together.share_of_records
            self.unseen = 1 - self.examined / together.people

    def _cost(self, size: int) -> int:
        """The work of a set of so many attributes: who has several records is told from others by more than a
        count, and who is in no sample is passed over."""
        return ONE_SET + self._rows * (3 if self.sampled else size if self.by_record else 2 * size)

    def count(self, sets: Iterable[Places]) -> None:
        """Look at sets of one size, those that are new."""
        new = [places for places in dict.fromkeys(sets) if places not in self.counted]
        batch = max(1, min(BATCH, GROUPED // self._rows))
        for start in range(0, len(new), batch):
            some = new[start : start + batch]
            size = len(some[0])
            named = [place for places in some for place in places]
            rows = self.session.run(
                "facts_known",
                known=self._facts.relation(sorted(set(named)), reused=len(some) > 1),
                places=named,
                size=size,
                **self._persons,
                sampled=self.sampled,
                missing=self.missing,
            )
            for places, row in zip(some, rows, strict=True):
                self.counted[places] = _Counted(row["people"], row["records"])
            if size == 1:
                self.values += [row["classes"] for row in rows]
            else:
                self._left -= self._cost(size) * len(some)

    def facts(self, size: int, with_worst: bool) -> KnownFacts:
        """What sets of so many attributes tell, those of fewer being known; ``with_worst`` looks for the
        worst beyond those that are drawn."""
        if size == 1:
            every = tuple((place,) for place in range(len(self.names)))
            drawn = Drawn(every, tuple(range(len(every))), (1,) * len(every), len(every), len(every))
            most = 0
        else:
            most = max(0, self._left) // ((MOST_FACTS + 1 - size) * self._cost(size))
            allowed = math.comb(len(self.names), size)
            if allowed > most:
                allowed = max(LEAST_DRAWN, min(DRAWN, 2 * most // 3))
            drawn = draw(self.values, size, allowed, self.records, self.source)
        self.count(drawn.sets)
        if with_worst and not drawn.complete:
            self._look_for_worst(size, max(LEAST_DRAWN, most - len(drawn.sets)))
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
            least=0.0 if drawn.complete else self._at_least(size),
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

    def _at_least(self, size: int) -> float:
        """Return the share of examined people that sets of a size single out at least, on average."""
        if math.comb(len(self.names), size) > LISTED or not self.examined:
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

    def _look_for_worst(self, size: int, most: int) -> None:
        """From the worst set of one attribute less: add each of the most telling ones, then exchange, with
        about ``most`` sets."""
        every = sorted(range(len(self.names)), key=lambda place: self._rank((place,)), reverse=True)
        telling = every[: min(TELLING, most)]
        self.count(_sorted((*self._worst, place)) for place in telling if place not in self._worst)
        best = max((places for places in self.counted if len(places) == size), key=self._rank)
        exchanged = [
            _sorted((*(inside for inside in best if inside != out), place))
            for place in telling
            for out in best
            if place not in best
        ]
        self.count(exchanged[: max(0, most - len(telling))])

    def _rank(self, places: Places) -> tuple[_Counted, float, list[int]]:
        """The more people a set singles out the worse; of equal ones that with more values, the first."""
        bits = math.fsum(math.log2(max(1, self.values[place])) for place in places)
        return self.counted[places], bits, [-place for place in places]


def _sorted(places: Iterable[int]) -> Places:
    return tuple(sorted(places))
