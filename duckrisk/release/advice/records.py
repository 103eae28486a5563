"""The records of a source as numbers of 64 bits: who is alone with what is published in what form.

The records are read once. A form is a table of the different values of a column; what is published of a
record together is one number, the exclusive or of those of its values, so that a change of one column is one
join. A number keeps its column and its value apart. Two records that differ have the same one with a
probability of 2^-64.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Attribute, Sql, render
from duckrisk.measures.identifiability.section import drop_tokens
from duckrisk.measures.uniqueness import measure_histories
from duckrisk.measures.uniqueness.results import KnownWholeRecords, WholeHistories
from duckrisk.release.advice.generalizations import Column, columns_of, widths_of
from duckrisk.roles import Decision, Roles, known_columns, published_attribute, whole_attribute
from duckrisk.source.hierarchies import Hierarchy

_T = TypeVar("_T")

#: The forms of so many columns are looked at in one statement.
_AT_ONCE = 50
#: Of so many people it is looked at whether some of their records single them out.
_TRIED = 120


@dataclass(frozen=True)
class Fact:
    """An attribute of a column, as an attacker knows it."""

    attribute: Attribute
    decision: Decision


@dataclass(frozen=True)
class Classes:
    """Who is alone and who is among few by all that is published together; ``small`` are the records of
    classes that are too small, ``bits`` the sum over records of log2 of the people in their class."""

    classes: int
    records: int
    smallest: int
    small: int
    alone: int
    bits: float

    @property
    def mean_bits(self) -> float:
        """How much a record of theirs still tells two people apart: log2 of its class, in the mean."""
        return self.bits / self.records if self.records else 0.0


class Records:
    """An encoded source and the forms of its columns, but those that are ``without``; ``least`` people make a
    class that is no small one."""

    def __init__(
        self,
        session: Session,
        roles: Roles,
        hierarchies: Mapping[int, Hierarchy],
        tokens: tuple[str, ...],
        least: int,
        without: Collection[str] = (),
    ) -> None:
        self.session, self.least = session, least
        self.user = roles.user.binding if roles.user is not None and roles.users < roles.records else None
        self.several = self.user is not None
        decisions = [d for d in known_columns(roles) if d.column is not roles.user and d.is_known]
        decisions = [decision for decision in decisions if decision.column.name not in without]
        self.keys = {decision.column.position for decision in decisions if decision.role == "event_key"}
        facts = [Fact(attribute, decision) for decision in decisions for attribute in _told(roles, decision)]
        self._tokens = {decision.column.binding: decision.column.type for decision in decisions}, tokens
        self.decisions = decisions
        # Who reads what is published tells the marks of missing cells apart.
        self.attributes = [
            drop_tokens(published_attribute(decision), decision.column.type, ()) for decision in decisions
        ]
        session.run("people_records", source=ASSESSED, user=self.user, attributes=self.attributes)
        for index, decision in enumerate(decisions):
            session.run(
                "people_values",
                source=ASSESSED,
                attribute=self.attributes[index],
                cell=decision.column.binding,
                place=index,
                table=_values(index),
            )
        widths = widths_of(session, ASSESSED, decisions)
        self.columns: list[Column] = columns_of(
            facts, len(facts), hierarchies, lambda fact: self._known(fact.attribute), tokens, widths
        )
        #: Those forms that have a table, by column and number.
        self._tables: set[tuple[int, int]] = set()
        self._bits: dict[tuple[int, int], float] = {}
        self._risks: dict[tuple[int, int], float] = {}
        counted = self._counted([(_values(index), "h") for index in range(len(decisions))])
        self.leaves = [math.log2(max(cells, 1)) for cells, _ in counted]
        for index, (_, bits) in enumerate(counted):
            self._bits[index, 0] = bits
            self._bits[index, self.last(index)] = 0.0
        self.spread = sum(self.leaves)

    def _known(self, attribute: Attribute) -> Attribute:
        types, tokens = self._tokens
        return drop_tokens(attribute, types[attribute.parts[0].column], tokens)

    def is_key(self, index: int) -> bool:
        """Whether a column numbers events, households or a survey's people, which hardly anybody knows."""
        return self.decisions[index].column.position in self.keys

    def last(self, index: int) -> int:
        """The number of the form in which a column is left out."""
        return len(self.columns[index].generalizations) - 1

    def _counted(self, tables: Sequence[tuple[str, str]]) -> list[tuple[int, float]]:
        counts: list[tuple[int, float]] = []
        for some in _batches(tables):
            names, cells = [name for name, _ in some], [cell for _, cell in some]
            rows = self.session.run("people_form_entropy", tables=names, columns=cells)
            counts += [(row["cells"], row["bits"] or 0.0) for row in rows]
        return counts

    # --- forms -------------------------------------------------------------------------------

    def _table(self, index: int, form: int) -> str | None:
        """The table of a form, made when it is first asked for; None where values are published as they are
        and known so, or not at all."""
        column = self.columns[index]
        attributes = list(column.generalizations[form].kept.values())
        if form == self.last(index) or (form == 0 and len(attributes) == 1):
            return None
        table = f"people_form_{index}_{form}"
        if (index, form) not in self._tables:
            self.session.run(
                "people_form",
                values=_values(index),
                place=index,
                cell=column.generalizations[form].cell,
                known=attributes,
                table=table,
            )
            self._tables.add((index, form))
        return table

    def worth(self, index: int, form: int) -> float:
        """What a form keeps of what its column tells: the entropy of its cells, as a part of that of its
        values."""
        if (index, form) not in self._bits:
            table = self._table(index, form)
            assert table is not None
            ((_, self._bits[index, form]),) = self._counted([(table, "published")])
        whole = self._bits[index, 0]
        return self._bits[index, form] / whole if whole > 0 else 0.0

    def facts(self, table: str, forms: Mapping[int, int], *, again: bool = False) -> dict[int, float]:
        """With which probability one fact of each column identifies, in these forms; ``again`` measures what
        is known already, of other records."""
        wanted = [
            (index, form)
            for index, form in forms.items()
            if not self.is_key(index) and form != self.last(index)
        ]
        cached = {} if again else self._risks
        asked = [
            (index, form, number)
            for index, form in wanted
            if (index, form) not in cached
            for number in range(len(self.columns[index].generalizations[form].kept))
        ]
        worst: dict[tuple[int, int], float] = {}
        for some in _batches(asked):
            rows = self.session.run(
                "people_facts",
                source=table,
                by_user=self.several,
                places=[index for index, _, _ in some],
                forms=[self._table(index, form) or "" for index, form, _ in some],
                known=[number for _, _, number in some],
            )
            risks = {row["number"]: row["risk"] for row in rows}
            for number, (index, form, _) in enumerate(some):
                worst[index, form] = max(worst.get((index, form), 0.0), risks.get(number) or 0.0)
        if not again:
            self._risks |= worst
            worst = self._risks
        return {index: worst[index, form] for index, form in wanted}

    def unicity(self, table: str, index: int, form: int, records: int) -> float:
        """The share of people whom so many of their records single out, of which this column is known."""
        kept = self.columns[index].generalizations[form].kept
        shares = [
            self.session.fetch_row(
                "people_three",
                source=table,
                place=index,
                form=self._table(index, form),
                known=number,
                records=records,
                people=_TRIED,
            )["share"]
            for number in range(len(kept))
        ]
        return max((share or 0.0 for share in shares), default=0.0)

    # --- what is published -------------------------------------------------------------------

    def start(self, table: str, *, whole: bool) -> None:
        """Begin with every column as it is, or with none."""
        self.session.run(
            "people_start", columns=len(self.columns), unchanged=whole, spread=self.spread, table=table
        )

    def changed(self, table: str, index: int, before: int, after: int) -> Sql:
        """The records of a table with a column in another form."""
        return render(
            "people_changed",
            source=table,
            columns=len(self.columns),
            place=index,
            before=self._table(index, before),
            after=self._table(index, after),
            unchanged_before=before == 0,
            unchanged_after=after == 0,
            leaves=self.leaves[index],
        )

    def keep(self, source: str | Sql, table: str, *, least: int = 0) -> None:
        """Let a table hold the records as they are published now."""
        self.session.run("people_keep", source=source, by_user=self.several, least=least, table=table)

    def keep_values(self, index: int, source: str, table: str) -> None:
        """Make a table of the values of a column among the records of another, with their numbers."""
        self.session.run("people_kept", source=source, column=index, values=_values(index), table=table)

    def classes(self, source: str | Sql) -> Classes:
        """Who is alone in what is published."""
        return Classes(
            **self.session.fetch_row("people_classes", source=source, by_user=self.several, least=self.least)
        )

    def histories(self, source: str) -> tuple[WholeHistories, KnownWholeRecords]:
        """Measure whole histories, and a few whole records of each person, in what is published."""
        return measure_histories(self.session, source, "class", seed=0)

    def information(self, source: str | Sql, before: float | None, *, least: int = 0) -> tuple[float, float]:
        """What the records tell, and which part is left of what they told ``before``, as they were."""
        row = self.session.fetch_row(
            "people_information",
            source=source,
            by_user=self.several,
            least=least,
            spread=self.spread,
            told=before,
        )
        share = row["information"]
        return row["told"] or 0.0, 1.0 if share is None else share


def _told(roles: Roles, decision: Decision) -> list[Attribute]:
    """The attributes that an attacker knows of a column alone; the column as it is where there is none."""
    single = [attribute for attribute in roles.attributes if len(attribute.parts) == 1]
    alone = [attribute for attribute in single if attribute.parts[0].column == decision.column.binding]
    return alone or [whole_attribute(decision)]


def _batches(every: Sequence[_T]) -> Iterator[Sequence[_T]]:
    for start in range(0, len(every), _AT_ONCE):
        yield every[start : start + _AT_ONCE]


def _values(index: int) -> str:
    return f"people_values_{index}"
