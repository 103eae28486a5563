"""Measure treatments of a source that is encoded once: the information left, and who is singled out.

The distinct values of each column are numbered, and each form of a column is a table that maps numbers to
published values. A treatment is measured on the distinct combinations of numbers, so the records are read
once.
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
from duckrisk.release.advice.generalizations import Column, list_columns
from duckrisk.release.advice.treated import TreatedAttributes, start_period
from duckrisk.release.advice.treatments import Deletion, Treatment, TreatmentSpace
from duckrisk.roles import Roles, known_columns
from duckrisk.source.hierarchies import Hierarchy, truncate_to_microseconds

#: Pairs of a column set and a combination; a deletion that groups more of them is not tried (a choice: each
#: pair is a row of a grouping, see `treated_deletions`).
_MAX_KEYS = 20_000_000


@dataclass(frozen=True)
class _Form:
    """The table of a column's form.

    Attributes:
        table: Its name.
        leaves: Number of distinct values of the column.
        missing: Number of values without a known value, summed over the attributes.
        attributes: For each attribute by position, its index among those that remain and its number of
            distinct known values.
    """

    table: str
    leaves: int
    missing: int
    attributes: dict[int, tuple[int, int]]


@dataclass(frozen=True)
class Remainder:
    """The part of a table that a treatment leaves.

    Attributes:
        information: The information U: 1 for the unchanged table.
        records: Number of records.
        users: Number of users or pseudonyms; None without users.
        links: Share of the links between records of the same user.
    """

    information: float
    records: int
    users: int | None
    links: float


class EncodedSource:
    """A source with numbered values.

    Attributes:
        attributes: The attributes.
        searched: Number of attributes, from the first, that form sets.
        has_users: Whether somebody has several records, so users are measured besides records.
        encoded_columns: The columns whose values are numbered.
        presence_positions: Positions of the attributes that count only by their presence.
        space: The columns that treatments can change.
        tuple_count: Number of distinct combinations of values.
        layout: The fields of the columns in the words of a combination.
        informative: Numbers of the columns that count as information.
        informative_masks: The bits of these columns in each word.
        informative_counts: Number of distinct values of each of these; fixed columns count one by one.
        current: The treatment from which steps go on.
    """

    def __init__(
        self,
        session: Session,
        roles: Roles,
        levels: identifiability.Options,
        attributes: Sequence[LevelledColumn],
        searched: int,
        hierarchies: Mapping[int, Hierarchy],
    ) -> None:
        """Encode the source.

        Args:
            session: Runs the statements.
            roles: The roles of the source.
            levels: The levels of attributes, and the limits of a search.
            attributes: The attributes.
            searched: Number of attributes, from the first, that form sets.
            hierarchies: The hierarchies of columns, by position of the column.
        """
        self.session, self.roles, self.levels = session, roles, levels
        self.attributes, self.searched = list(attributes), searched
        drop_tokens = TreatedAttributes(self, None, levels).run.drop_tokens
        columns = list_columns(attributes, searched, hierarchies, drop_tokens, levels.missing_tokens)
        user = roles.user if roles.users < roles.records else None
        if user is not None:  # no step removes the user
            columns = [column for column in columns if column.binding != user.binding]
        self.has_users = user is not None
        self.encoded_columns = [column for column in columns if column.is_encoded]
        self.presence_positions: list[int] = [
            position
            for column in columns
            if not column.is_encoded
            for position in column.generalizations[0].kept_attributes
        ]
        decisions = {decision.column.binding: decision for decision in known_columns(roles)}
        self.informative = [
            number for number, column in enumerate(self.encoded_columns) if column.binding in decisions
        ]
        encoded = {column.binding for column in self.encoded_columns}
        #: The columns that count as information and that no treatment changes.
        self._fixed = [decision for binding, decision in decisions.items() if binding not in encoded]
        if not decisions:  # the source has only identifiers
            self.informative = list(range(len(self.encoded_columns)))
        user_name = None if user is None else user.name
        self.space: TreatmentSpace = TreatmentSpace(columns, user_name, self._find_time_column())
        self._forms: dict[tuple[int, int], _Form] = {}
        self._links: dict[str | None, dict[str, Any]] = {}
        self.current = Treatment((0,) * len(columns))
        #: The levels whose values are published.
        self._published_levels: tuple[int, ...] | None = None
        #: The tables with the value of each leak of a record or user under measured treatments.
        self._record_outcomes: dict[tuple[tuple[int, ...], Deletion | None], str] = {}
        self._user_outcomes: dict[Treatment, str] = {}
        self._outcome_tables = 0
        tables = self._encode_records(drop_tokens)
        self._count_values(tables)

    def _find_time_column(self) -> str | None:
        """Return the name of the column that gives the period of a pseudonym."""
        user = self.roles.user
        if user is None or self.roles.users >= self.roles.records:
            return None
        for decision in self.roles.decisions:
            is_moment = has_date(decision.column.type)
            if is_moment and decision.column.binding != user.binding:
                return decision.column.name
        return None

    def _encode_records(self, drop_tokens: Callable[[LevelledColumn], Attribute]) -> list[str]:
        """Number the values and combine them; return the tables of the columns' values."""
        session, user = self.session, self.roles.user
        unchanged = [
            Attribute(column.name, (Part(column.binding, _choose_knowledge(column.type)),))
            for column in self.encoded_columns
        ]
        if self._fixed:  # no treatment changes them, so they are one column
            cells = [
                Attribute(d.column.name, (Part(d.column.binding, _choose_knowledge(d.column.type)),))
                for d in self._fixed
            ]
            unchanged.append(Attribute("", (Part(render("rest_value", attributes=cells)),)))
        tables = [f"advice_values_{number}" for number in range(len(unchanged))]
        for table, attribute in zip(tables, unchanged, strict=True):
            session.run("advice_values", source=ASSESSED, attribute=attribute, table=table)
        person = day = None
        if self.has_users and user is not None:
            person = Attribute(user.name, (Part(user.binding),))
            session.run("advice_values", source=ASSESSED, attribute=person, table="advice_users")
            times = [d.column for d in self.roles.decisions if d.column.name == self.space.time]
            if times:
                at = truncate_to_microseconds(identifier(times[0].binding), times[0].type)
                day = render("period_start", column=at, unit="day")
        session.run(
            "advice_records",
            source=ASSESSED,
            attributes=unchanged,
            tables=tables,
            presence_attributes=[drop_tokens(self.attributes[index]) for index in self.presence_positions],
            user=person,
            users="advice_users",
            day=day,
        )
        session.run("advice_tuples", columns=len(unchanged))
        informative = [*self.informative, *range(len(self.encoded_columns), len(unchanged))]
        session.run("advice_disclosed", columns=informative)
        self.tuple_count: int = session.fetch_row("row_counts", tables=["advice_tuples"])["records"]
        self._original_links = 0
        if self.has_users:
            session.run("advice_people", columns=len(unchanged))
            self._original_links = session.fetch_row("count_links")["links"]
        return tables

    def _count_values(self, tables: Sequence[str]) -> None:
        """Count the values of each column, and lay out their fields."""
        session = self.session
        self._value_counts = [self._find_form(column, 0).leaves for column in self.encoded_columns]
        self.informative_counts = [self._value_counts[number] for number in self.informative]
        if self._fixed:
            number = len(self.encoded_columns)
            table = f"advice_form_{number}_0"
            session.run("advice_form", values=tables[-1], cell=None, known_attributes=[], table=table)
            self._forms[number, 0] = _Form(table, self._count_rows(tables[-1]), 0, {})
            self._value_counts.append(self._forms[number, 0].leaves)
            row = session.fetch_row("rest_counts", values=identifier(tables[-1]), columns=len(self._fixed))
            self.informative_counts += row["counts"]
        self._numbers = range(len(self._value_counts))
        self.informative += self._numbers[len(self.encoded_columns) :]
        self.layout = Layout.for_counts(self._value_counts)
        self.informative_masks = self.layout.list_fields(self.informative)

    def _count_rows(self, table: str) -> int:
        return int(self.session.fetch_row("row_counts", tables=[table])["records"])

    def _find_form(self, column: Column, level: int) -> _Form:
        """Return the table of a column's form; create it on first use."""
        number = self.encoded_columns.index(column)
        if (number, level) not in self._forms:
            generalization, table = column.generalizations[level], f"advice_form_{number}_{level}"
            kept = generalization.kept_attributes
            cell, attributes = generalization.cell, list(kept.values())
            values = f"advice_values_{number}"
            self.session.run(
                "advice_form", values=values, cell=cell, known_attributes=attributes, table=table
            )
            row = self.session.fetch_row("advice_form_counts", table=table, known_attributes=len(attributes))
            numbered = {position: (i, row[f"k{i}"]) for i, position in enumerate(kept)}
            missing = sum(row[f"m{i}"] for i in range(len(attributes)))
            self._forms[number, level] = _Form(table, row["leaves"], missing, numbered)
        return self._forms[number, level]

    def list_published(self, treatment: Treatment) -> list[tuple[int, _Form]]:
        """List the numbered columns that a treatment publishes, with their forms.

        Args:
            treatment: The treatment.

        Returns:
            The numbers of the columns, each with its form.
        """
        fixed = [(number, self._forms[number, 0]) for number in self._numbers[len(self.encoded_columns) :]]
        return [
            (self.encoded_columns.index(column), self._find_form(column, treatment.levels[index]))
            for index in self.space.list_published(treatment)
            for column in [self.space.columns[index]]
        ] + fixed

    # --- what a treatment leaves -------------------------------------------------------------

    def set_current(self, treatment: Treatment) -> None:
        """Set the treatment from which :meth:`apply_step` goes on, and publish its values.

        Args:
            treatment: The treatment.
        """
        self.current, self._published_levels = treatment, None
        self._drop_unreachable()
        published, layout = self.list_published(treatment), self.layout
        numbers = [number for number, _ in published]
        self.session.run(
            "treated_cells",
            columns=len(self._numbers),
            kept=numbers,
            informative=[number for number in numbers if number in self.informative],
            forms=[form.table for _, form in published],
            words=[layout.words[number] for number in numbers],
            shifts=[layout.shifts[number] for number in numbers],
            count=layout.count,
            lost=[self._value_counts[number] for number in self.informative if number not in numbers],
            table="advice_cells",
        )

    def apply_step(self, treatment: Treatment) -> bool:
        """Publish the values of a treatment one step away, and find its deletions.

        Later measurements are about this treatment.

        Args:
            treatment: The treatment.

        Returns:
            Whether it was applied; False if its deletion would take too long.
        """
        if treatment.levels != self._published_levels:
            self._publish_values(treatment)
            self._published_levels = treatment.levels
        return self._find_deletions(treatment)

    def _publish_values(self, treatment: Treatment) -> None:
        """Derive the published values from those of the current treatment."""
        before, after = dict(self.list_published(self.current)), dict(self.list_published(treatment))
        changed = [number for number in before if before[number] != after.get(number)]
        assert len(changed) <= 1, "more than a step away"
        column = changed[0] if changed else None
        number = column or 0
        word, mask = self.layout.words[number], self.layout.masks[number]
        form = after.get(number)
        self.session.run(
            "changed_cells",
            source="advice_cells",
            columns=len(self._numbers),
            count=self.layout.count,
            informative=column in self.informative,
            column=column,
            before=before[number].table if column is not None else "advice_cells",
            after=form.table if form is not None else None,
            leaves=self._value_counts[number],
            word=word,
            shift=self.layout.shifts[number],
            others=((1 << WORD_BITS) - 1) & ~mask,
        )

    def _find_deletions(self, treatment: Treatment) -> bool:
        """Find the deleted combinations; return False if that would take too long."""
        deletion = self.space.resolve_deletion(treatment)
        if deletion is None:
            return True
        indexes, together = deletion
        numbers = [self.encoded_columns.index(self.space.columns[index]) for index in indexes]
        sets = [self.layout.list_fields(columns) for columns in combinations(numbers, together)]
        if len(sets) * self.tuple_count > _MAX_KEYS:
            return False
        parameters = {"words": self.layout.count, "sets": sets}
        self.session.run("treated_deletions", **parameters, replace=True)
        before, deleted = 0, self._count_rows("treated_deletions")
        # A deletion can make other records unique, but not if there is only one set.
        while before < deleted and len(sets) > 1:
            self.session.run("treated_deletions", **parameters, replace=False)
            before, deleted = deleted, self._count_rows("treated_deletions")
        return True

    def measure_remainder(self, treatment: Treatment) -> Remainder:
        """Measure what the applied treatment leaves.

        Args:
            treatment: The treatment that was applied last.
        """
        deletes_records = self.space.resolve_deletion(treatment) is not None
        row = self.session.fetch_row(
            "treated_information",
            words=self.layout.count,
            masks=self.informative_masks,
            leaves=self.informative_counts,
            deletes_records=deletes_records,
        )
        if not self.has_users:
            return Remainder(row["information"], row["records"], None, 1.0)
        period = treatment.period
        if deletes_records or period not in self._links:
            self._list_persons(treatment)
            links = self.session.fetch_row("links_left", whole=self._original_links)
            if deletes_records:
                return Remainder(row["information"], row["records"], links["users"], links["links"])
            self._links[period] = links
        links = self._links[period]
        return Remainder(row["information"], row["records"], links["users"], links["links"])

    def _list_persons(self, treatment: Treatment) -> None:
        """Create the table of the pseudonyms of a treatment."""
        deletes_records = self.space.resolve_deletion(treatment) is not None
        self.session.run("treated_persons", period=start_period(treatment), deletes_records=deletes_records)

    def keep_values(self, name: str, table: str) -> None:
        """Create a table of a column's values among the records that are not deleted.

        Args:
            name: The column.
            table: The table to create.
        """
        number = next(number for number, column in enumerate(self.encoded_columns) if column.name == name)
        values = f"advice_values_{number}"
        self.session.run("treated_kept", column=number, values=values, table=table)

    # --- who is singled out ------------------------------------------------------------------

    def measure_risk(
        self, treatment: Treatment, *, by_user: bool, seconds: float | None = None
    ) -> Totals | None:
        """Measure the risk of the applied treatment.

        Args:
            treatment: The treatment that was applied last.
            by_user: Whether to measure users, else records.
            seconds: Time limit of the search, in seconds; None for no limit.

        Returns:
            The totals; None if a limit ended the search.
        """
        if by_user:
            self._list_persons(treatment)
        levels = dataclasses.replace(self.levels, time_limit=seconds)
        totals = TreatedAttributes(self, treatment, levels).measure(by_user)
        if totals is not None:
            self._outcome_tables += 1
            table = f"advice_outcomes_{self._outcome_tables}"
            self.session.run("keep_user_outcomes" if by_user else "keep_outcomes", table=table)
            if by_user:
                self._user_outcomes[treatment] = table
            else:
                self._record_outcomes[treatment.levels, treatment.deletion] = table
        return totals

    def _drop_unreachable(self) -> None:
        """Drop the outcomes of treatments that no further step can reach."""
        current = self.current

        def is_past(levels: tuple[int, ...], deletion: Deletion | None) -> bool:
            is_finer = any(now > then for now, then in zip(current.levels, levels, strict=True))
            return is_finer or (current.deletion is not None and deletion is None)

        records = [key for key in self._record_outcomes if is_past(*key)]
        users = [key for key in self._user_outcomes if is_past(key.levels, key.deletion)]
        tables = [*map(self._record_outcomes.pop, records), *map(self._user_outcomes.pop, users)]
        for table in tables:
            self.session.run("drop_table", table=table)

    def bound_columns(self, users: int | None) -> dict[int, tuple[float, float]]:
        """Bound the value of leaks from below for a change of each column.

        Args:
            users: Number of users, to bound the mean value of a leak of one of them; None to bound the total
                value of the records.

        Returns:
            Two lower bounds by index of the column of the current treatment: if it is removed, and if it
            becomes coarser without new missing values.
        """
        current = self.current
        measured = TreatedAttributes(self, current, self.levels)
        masks = {
            index: make_mask([measured.kept.index(position) for position in kept])
            for index, (column, level) in enumerate(zip(self.space.columns, current.levels, strict=True))
            if (kept := column.generalizations[level].kept_attributes)
        }
        rows = self.session.run(
            "column_floors",
            outcomes=self._record_outcomes[current.levels, current.deletion],
            users=None if users is None else self._user_outcomes[current],
            period=start_period(current),
            masks=list(masks.values()),
            economic=[fact.level.economic for fact in measured.run.all],
            psychological=[fact.level.psychological for fact in measured.run.all],
            base=self.levels.base,
            divisor=users or 1,
        )
        indexes = list(masks)
        return {indexes[row["place"]]: (row["without"], row["coarser"]) for row in rows}

    def bound_kept_records(self) -> float:
        """Bound the total value from below if the applied treatment deletes more records."""
        outcomes = self._record_outcomes[self.current.levels, self.current.deletion]
        return float(self.session.fetch_row("kept_value", outcomes=outcomes, base=self.levels.base)["value"])

    def bound_unchanged_records(self, position: int | None) -> float:
        """Bound the total value from below by the records that stay singled out as easily.

        Args:
            position: Position of the only attribute that the applied treatment changes; None if it changes
                several.
        """
        current, mask = self.current, 0
        if position is not None:
            mask = 1 << TreatedAttributes(self, current, self.levels).kept.index(position)
        outcomes = self._record_outcomes[current.levels, current.deletion]
        row = self.session.fetch_row("unchanged_value", outcomes=outcomes, base=self.levels.base, mask=mask)
        return float(row["value"])

    def bound_pseudonyms(self, treatment: Treatment) -> float:
        """Bound the mean value of a leak of one pseudonym from below.

        Args:
            treatment: The treatment that was applied last, with shorter periods or more deletions than the
                current one.
        """
        current = self.current
        row = self.session.fetch_row(
            "pseudonyms_floor",
            outcomes=self._record_outcomes[current.levels, current.deletion],
            users=self._user_outcomes[current] if treatment.period == current.period else None,
            period=start_period(treatment),
            deletes_records=self.space.resolve_deletion(treatment) is not None,
            base=self.levels.base,
        )
        return float(row["value_each"])

    def has_new_missing(self, before: Treatment, after: Treatment) -> bool:
        """Return whether a step makes more values of a published column missing.

        Args:
            before: The treatment before the step.
            after: The treatment after the step.
        """
        old, new = dict(self.list_published(before)), dict(self.list_published(after))
        return any(new[number].missing > old[number].missing for number in new)

    def compute_value_per_user(self, value: float, users: int) -> float:
        """Compute the mean value of a leak of one user.

        Args:
            value: The total value of the users.
            users: Number of users.
        """
        return float(self.session.fetch_row("value_each", value=value, users=users)["value_each"])


def _choose_knowledge(type_name: str) -> str:
    """Choose how to store an unchanged column; some engines store no unnamed struct."""
    return "as_text" if "STRUCT" in type_name else "exact"
