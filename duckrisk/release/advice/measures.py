"""Measures treatments of a source that is encoded once: what they leave, and who is singled out then.

The different values of each column are numbered, and a generalization is a table that says what becomes of
each; so a treatment is measured on the different combinations of numbers, and the records are read once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Attribute, Part, identifier, render
from duckrisk.engine.types import has_date
from duckrisk.measures import identifiability
from duckrisk.measures.identifiability import LevelledColumn
from duckrisk.measures.identifiability.results import Totals
from duckrisk.measures.sets.encoding import WORD_BITS, Layout
from duckrisk.measures.sets.masks import make_mask
from duckrisk.release.advice.generalizations import Column, columns_of
from duckrisk.release.advice.treated import TreatedAttributes, start_period
from duckrisk.release.advice.treatments import Deletion, Names, Treatment
from duckrisk.roles import Roles, known_columns
from duckrisk.source.hierarchies import Hierarchy, truncate_to_microseconds

#: Deletions are tried where no more pairs of a set of columns and a combination are grouped for them.
_MOST_KEYS = 20_000_000


@dataclass(frozen=True)
class _Generalized:
    """The table of a generalization, and of how many values nothing is known. ``attributes`` says for each
    attribute its place among those that are left, and how many different things are known by it."""

    table: str
    leaves: int
    missing: int
    attributes: dict[int, tuple[int, int]]


@dataclass(frozen=True)
class Remains:
    """What a treatment leaves: the information, the records, the users or pseudonyms (None without any), and
    the share of the links between records of the same user."""

    information: float
    records: int
    users: int | None
    links: float


class Source:
    """An encoded source: ``levelled`` attributes, of which the first ``searched`` make sets.

    ``user`` says that records have users, whose pseudonyms can live shorter where ``time`` is a column too.
    """

    def __init__(
        self,
        session: Session,
        roles: Roles,
        levels: identifiability.Options,
        levelled: Sequence[LevelledColumn],
        searched: int,
        hierarchies: Mapping[int, Hierarchy],
    ) -> None:
        self.session, self.roles, self.levels = session, roles, levels
        self.all, self.searched = list(levelled), searched
        drop_tokens = TreatedAttributes(self, None, levels).run.drop_tokens
        columns = columns_of(levelled, searched, hierarchies, drop_tokens, levels.missing_tokens)
        user = roles.user if roles.users < roles.records else None
        if user is not None:  # to leave the user out is no step
            columns = [column for column in columns if column.binding != user.binding]
        self.several = user is not None
        self.encoded = [column for column in columns if column.encoded]
        self.flags: list[int] = [
            index for column in columns if not column.encoded for index in column.generalizations[0].kept
        ]
        decisions = {decision.column.binding: decision for decision in known_columns(roles)}
        #: The encoded columns that are information, by their numbers, and the others that are.
        self.informative = [index for index, column in enumerate(self.encoded) if column.binding in decisions]
        encoded = {column.binding for column in self.encoded}
        self.rest = [decision for binding, decision in decisions.items() if binding not in encoded]
        if not decisions:  # only identifiers are there
            self.informative = list(range(len(self.encoded)))
        self.names: Names = Names(columns, None if user is None else user.name, self._time())
        self.tables: dict[tuple[int, int], _Generalized] = {}
        self.links: dict[str | None, dict[str, Any]] = {}
        #: The treatment from which steps go on, and the levels whose cells are published.
        self.standing = Treatment((0,) * len(columns))
        self.levels_published: tuple[int, ...] | None = None
        #: The tables with what the leaks of records and of users tell that were measured, and their number.
        self._records: dict[tuple[tuple[int, ...], Deletion | None], str] = {}
        self._users: dict[Treatment, str] = {}
        self._kept = 0
        self._encode(drop_tokens)

    def _time(self) -> str | None:
        """The column of times that tells the period of pseudonyms."""
        user = self.roles.user
        if user is None or self.roles.users >= self.roles.records:
            return None
        for decision in self.roles.decisions:
            moment = has_date(decision.column.type)
            if moment and decision.column.binding != user.binding:
                return decision.column.name
        return None

    def _encode(self, drop_tokens: Callable[[LevelledColumn], Attribute]) -> None:
        session, user = self.session, self.roles.user
        whole = [Attribute(c.name, (Part(c.binding, _storable(c.type)),)) for c in self.encoded]
        if self.rest:  # no treatment changes them: their values are one
            cells = [
                Attribute(d.column.name, (Part(d.column.binding, _storable(d.column.type)),))
                for d in self.rest
            ]
            whole.append(Attribute("", (Part(render("rest_value", attributes=cells)),)))
        tables = [f"advice_values_{index}" for index in range(len(whole))]
        for table, attribute in zip(tables, whole, strict=True):
            session.run("advice_values", source=ASSESSED, attribute=attribute, table=table)
        person = day = None
        if self.several and user is not None:
            person = Attribute(user.name, (Part(user.binding),))
            session.run("advice_values", source=ASSESSED, attribute=person, table="advice_users")
            times = [d.column for d in self.roles.decisions if d.column.name == self.names.time]
            if times:
                at = truncate_to_microseconds(identifier(times[0].binding), times[0].type)
                day = render("period_start", column=at, unit="day")
        session.run(
            "advice_records",
            source=ASSESSED,
            attributes=whole,
            tables=tables,
            presence_attributes=[drop_tokens(self.all[index]) for index in self.flags],
            user=person,
            users="advice_users",
            day=day,
        )
        session.run("advice_tuples", columns=len(whole))
        session.run("advice_disclosed", columns=[*self.informative, *range(len(self.encoded), len(whole))])
        self.tuples: int = session.fetch_row("row_counts", tables=["advice_tuples"])["records"]
        self.whole_links = 0
        if self.several:
            session.run("advice_people", columns=len(whole))
            self.whole_links = session.fetch_row("count_links")["links"]
        self.counts = [self.generalized(column, 0).leaves for column in self.encoded]
        self.leaves = [self.counts[number] for number in self.informative]
        if self.rest:
            number = len(self.encoded)
            table = f"advice_form_{number}_0"
            session.run("advice_form", values=tables[-1], cell=None, known_attributes=[], table=table)
            self.tables[number, 0] = _Generalized(table, self._rows(tables[-1]), 0, {})
            self.counts.append(self.tables[number, 0].leaves)
            row = session.fetch_row("rest_counts", values=identifier(tables[-1]), columns=len(self.rest))
            self.leaves += row["counts"]
        self.numbers = range(len(self.counts))
        self.informative += self.numbers[len(self.encoded) :]
        self.layout = Layout.for_counts(self.counts)
        self.masks = self.layout.list_fields(self.informative)

    def _rows(self, table: str) -> int:
        return int(self.session.fetch_row("row_counts", tables=[table])["records"])

    def generalized(self, column: Column, number: int) -> _Generalized:
        """The table of a column's generalization, made when it is first asked for."""
        index = self.encoded.index(column)
        if (index, number) not in self.tables:
            generalization, table = column.generalizations[number], f"advice_form_{index}_{number}"
            cell, attributes = generalization.cell, list(generalization.kept.values())
            values = f"advice_values_{index}"
            self.session.run(
                "advice_form", values=values, cell=cell, known_attributes=attributes, table=table
            )
            row = self.session.fetch_row("advice_form_counts", table=table, known_attributes=len(attributes))
            numbered = {position: (i, row[f"k{i}"]) for i, position in enumerate(generalization.kept)}
            missing = sum(row[f"m{i}"] for i in range(len(attributes)))
            self.tables[index, number] = _Generalized(table, row["leaves"], missing, numbered)
        return self.tables[index, number]

    def published(self, treatment: Treatment) -> list[tuple[int, _Generalized]]:
        """The numbered columns that a treatment publishes, by their numbers, with their generalizations."""
        rest = [(number, self.tables[number, 0]) for number in self.numbers[len(self.encoded) :]]
        return [
            (self.encoded.index(column), self.generalized(column, treatment.levels[index]))
            for index in self.names.published(treatment)
            for column in [self.names.columns[index]]
        ] + rest

    # --- what is left ------------------------------------------------------------------------

    def stand(self, treatment: Treatment) -> None:
        """Let a treatment be the one from which :meth:`step` goes on, and forget the outcomes of those to
        which no step leads any more."""
        self.standing, self.levels_published = treatment, None
        self._forget()
        published, layout = self.published(treatment), self.layout
        numbers = [number for number, _ in published]
        self.session.run(
            "treated_cells",
            columns=len(self.numbers),
            kept=numbers,
            told=[number for number in numbers if number in self.informative],
            forms=[generalized.table for _, generalized in published],
            words=[layout.words[number] for number in numbers],
            shifts=[layout.shifts[number] for number in numbers],
            count=layout.count,
            lost=[self.counts[number] for number in self.informative if number not in numbers],
            table="advice_cells",
        )

    def step(self, treatment: Treatment) -> bool:
        """Publish the cells of a treatment one step away and find whose records it deletes; what comes next
        is of it. False where that would take long."""
        if treatment.levels != self.levels_published:
            self._change(treatment)
            self.levels_published = treatment.levels
        return self._delete(treatment)

    def _change(self, treatment: Treatment) -> None:
        """Make the cells from those of the treatment that stands."""
        before, after = dict(self.published(self.standing)), dict(self.published(treatment))
        differ = [number for number in before if before[number] != after.get(number)]
        assert len(differ) <= 1, "more than a step away"
        column = differ[0] if differ else None
        number = column or 0
        word, mask = self.layout.words[number], self.layout.masks[number]
        generalized = after.get(number)
        self.session.run(
            "changed_cells",
            source="advice_cells",
            columns=len(self.numbers),
            count=self.layout.count,
            informative=column in self.informative,
            column=column,
            before=before[number].table if column is not None else "advice_cells",
            after=generalized.table if generalized is not None else None,
            leaves=self.counts[number],
            word=word,
            shift=self.layout.shifts[number],
            others=((1 << WORD_BITS) - 1) & ~mask,
        )

    def _delete(self, treatment: Treatment) -> bool:
        deletion = self.names.deletion(treatment)
        if deletion is None:
            return True
        places, together = deletion
        chosen = [self.encoded.index(self.names.columns[index]) for index in places]
        sets = [self.layout.list_fields(columns) for columns in combinations(chosen, together)]
        if len(sets) * self.tuples > _MOST_KEYS:
            return False
        parameters = {"words": self.layout.count, "sets": sets}
        self.session.run("treated_deletions", **parameters, replace=True)
        before, deleted = 0, self._rows("treated_deletions")
        # Without them others can be alone, with one set nobody can.
        while before < deleted and len(sets) > 1:
            self.session.run("treated_deletions", **parameters, replace=False)
            before, deleted = deleted, self._rows("treated_deletions")
        return True

    def remains(self, treatment: Treatment) -> Remains:
        """What the treatment that was applied leaves."""
        deleted = self.names.deletion(treatment) is not None
        row = self.session.fetch_row(
            "treated_information",
            words=self.layout.count,
            masks=self.masks,
            leaves=self.leaves,
            deletes_records=deleted,
        )
        if not self.several:
            return Remains(row["information"], row["records"], None, 1.0)
        key = treatment.period
        if deleted or key not in self.links:
            self._list_persons(treatment)
            links = self.session.fetch_row("links_left", whole=self.whole_links)
            if deleted:
                return Remains(row["information"], row["records"], links["users"], links["links"])
            self.links[key] = links
        links = self.links[key]
        return Remains(row["information"], row["records"], links["users"], links["links"])

    def _list_persons(self, treatment: Treatment) -> None:
        deleted = self.names.deletion(treatment) is not None
        self.session.run("treated_persons", period=start_period(treatment), deletes_records=deleted)

    def keep_values(self, name: str, table: str) -> None:
        """Make a table of the values of a column among the records that are not deleted."""
        number = next(number for number, column in enumerate(self.encoded) if column.name == name)
        values = f"advice_values_{number}"
        self.session.run("treated_kept", column=number, values=values, table=table)

    # --- who is singled out ------------------------------------------------------------------

    def risk(self, treatment: Treatment, *, users: bool, seconds: float | None = None) -> Totals | None:
        """The totals of the treatment that was published, of records or of users; None where a limit, such as
        so many ``seconds``, ended the search."""
        if users:
            self._list_persons(treatment)
        levels = dataclasses.replace(self.levels, time_limit=seconds)
        totals = TreatedAttributes(self, treatment, levels).measure(users)
        if totals is not None:
            self._kept += 1
            table = f"advice_outcomes_{self._kept}"
            self.session.run("keep_user_outcomes" if users else "keep_outcomes", table=table)
            if users:
                self._users[treatment] = table
            else:
                self._records[treatment.levels, treatment.deletion] = table
        return totals

    def _forget(self) -> None:
        """Remove the outcomes of treatments to which no step leads any more."""
        standing = self.standing

        def is_past(levels: tuple[int, ...], deletion: Deletion | None) -> bool:
            finer = any(now > then for now, then in zip(standing.levels, levels, strict=True))
            return finer or (standing.deletion is not None and deletion is None)

        past = [key for key in self._records if is_past(*key)]
        ended = [key for key in self._users if is_past(key.levels, key.deletion)]
        for table in [*map(self._records.pop, past), *map(self._users.pop, ended)]:
            self.session.run("drop_table", table=table)

    def column_floors(self, users: int | None) -> dict[int, tuple[float, float]]:
        """What the leaks of the records tell at least, or of one of so many users, where a column is left out
        of the treatment that stands, and where it becomes coarser and nothing new is missing."""
        now = self.standing
        measured = TreatedAttributes(self, now, self.levels)
        masks = {
            index: make_mask([measured.kept.index(position) for position in kept])
            for index, (column, number) in enumerate(zip(self.names.columns, now.levels, strict=True))
            if (kept := column.generalizations[number].kept)
        }
        rows = self.session.run(
            "column_floors",
            outcomes=self._records[now.levels, now.deletion],
            users=None if users is None else self._users[now],
            period=start_period(now),
            masks=list(masks.values()),
            economic=[fact.level.economic for fact in measured.run.all],
            psychological=[fact.level.psychological for fact in measured.run.all],
            base=self.levels.base,
            divisor=users or 1,
        )
        places = list(masks)
        return {places[row["place"]]: (row["without"], row["coarser"]) for row in rows}

    def kept_value(self) -> float:
        """What the leaks of those tell, of the treatment that stands, whom the published one keeps."""
        outcomes = self._records[self.standing.levels, self.standing.deletion]
        return float(self.session.fetch_row("kept_value", outcomes=outcomes, base=self.levels.base)["value"])

    def unchanged_value(self, attribute: int | None) -> float:
        """What the leaks of those tell, of the treatment that stands, of whom the published one makes no cell
        coarser, or who are singled out as easily without the one ``attribute`` that it changes, if so."""
        now, mask = self.standing, 0
        if attribute is not None:
            mask = 1 << TreatedAttributes(self, now, self.levels).kept.index(attribute)
        outcomes = self._records[now.levels, now.deletion]
        row = self.session.fetch_row("unchanged_value", outcomes=outcomes, base=self.levels.base, mask=mask)
        return float(row["value"])

    def each_floor(self, treatment: Treatment) -> float:
        """What the leak of one pseudonym tells at least, on the average, of the treatment that was published:
        one with shorter lives of pseudonyms, or deletions, than the one that stands."""
        now = self.standing
        row = self.session.fetch_row(
            "pseudonyms_floor",
            outcomes=self._records[now.levels, now.deletion],
            users=self._users[now] if treatment.period == now.period else None,
            period=start_period(treatment),
            deletes_records=self.names.deletion(treatment) is not None,
            base=self.levels.base,
        )
        return float(row["value_each"])

    def more_missing(self, before: Treatment, after: Treatment) -> bool:
        """Whether nothing is known of some value of a column that something was known of before."""
        old, new = dict(self.published(before)), dict(self.published(after))
        return any(new[number].missing > old[number].missing for number in new)

    def value_each(self, value: float, users: int) -> float:
        """The value of a leak of one user."""
        return float(self.session.fetch_row("value_each", value=value, users=users)["value_each"])


def _storable(type_name: str) -> str:
    """How a column is known as it is: not every engine keeps a struct without names in a table."""
    return "as_text" if "STRUCT" in type_name else "exact"
