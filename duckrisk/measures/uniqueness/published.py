"""Measure who is singled out if columns are published in other forms, without a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Attribute, Part, Sql
from duckrisk.measures import identifiability
from duckrisk.measures.identifiability.tokens import drop_tokens_of_parts
from duckrisk.measures.sets.facts import NumberedFacts, list_written_forms
from duckrisk.measures.uniqueness.mapped import MappedAttributes, ValueMaps
from duckrisk.measures.uniqueness.results import BAND_STARTS, Together, read_classes
from duckrisk.roles import Roles, attributes_at_full_precision
from duckrisk.source.model import Column

#: Records from which an estimate comes before the exact classes (tests/benchmarks/page_steps.py: the classes
#: of a million records with users take 1.4 s on a busy machine, and an estimate a quarter of it).
SAMPLED_FROM = 500_000
#: People or classes of a sample, about (a choice: 5,000 of them found make an interval of 2.8 % each way).
_DRAWN = 10_000


@dataclass(frozen=True)
class SampledTogether:
    """What all quasi-identifiers together single out, estimated from a sample.

    Attributes:
        smallest_class_at_most: An upper bound of k, which is certain; None if the sample is empty.
        people: Estimate of the people singled out.
        share: Their share of all people.
        share_lower: Lower end of the 95% interval of the share.
        share_upper: Upper end of it.
    """

    smallest_class_at_most: int | None
    people: int
    share: float
    share_lower: float
    share_upper: float


@dataclass(frozen=True)
class PublishedColumn(Column):
    """A column in the form in which it is published.

    Attributes:
        cell: SQL of the published value, on the assessed view.
    """

    cell: Sql = field(kw_only=True)

    @property
    def binding(self) -> str:
        """SQL of the published value, which stands where the column's name does."""
        return self.cell


def publish_columns(roles: Roles, cells: Mapping[int, Sql | None], tokens: tuple[str, ...]) -> Roles:
    """Return the roles of a table whose columns are published in other forms.

    Args:
        roles: The roles of the table as it is.
        cells: By position of a column, SQL of the published value; None leaves the column out.
        tokens: Texts that mean a missing value.
    """
    decisions, attributes = [], []
    own = {
        decision.column.position: [
            attribute
            for attribute in roles.attributes
            if any(part.column == decision.column.binding for part in attribute.parts)
        ]
        for decision in roles.decisions
    }
    for decision in roles.decisions:
        column, known = decision.column, own[decision.column.position]
        cell = cells.get(column.position)
        if cell is not None and known:
            published = PublishedColumn(column.position, column.name, "VARCHAR", cell=cell)
            decision = replace(decision, column=published)
            known = [Attribute(column.name, (Part(cell, tokens=tokens),))]
        decisions.append(decision)
        attributes += known if column.position not in cells or cell is not None else []
    return replace(roles, decisions=decisions, attributes=list(dict.fromkeys(attributes)))


class PublishedClasses:
    """Measures the equivalence classes of one table again and again, its columns published in other forms.

    One statement reads the records each time, and keeps nothing of them: of a million records with eight
    attributes it takes 0.25 to 0.6 CPU seconds, half of what it takes to store their numbers first.

    Args:
        session: The session, with the source as the assessed view.
        options: The rule for missing values, and the texts that mean one.
    """

    def __init__(self, session: Session, options: identifiability.Options) -> None:
        self._session, self._tokens = session, options.missing_tokens
        #: By attribute, its form as it is written, if its missing values are written in several ways.
        self._written: dict[Attribute, tuple[Attribute, ...]] = {}
        #: The user column and the share of people of the sample that is stored; None without one.
        self._drawn: tuple[str, int] | None = None
        self._maps = ValueMaps(session)

    def estimate(self, original: Roles, published: Roles) -> SampledTogether | None:
        """Estimate from a sample what all quasi-identifiers single out.

        Args:
            original: The roles of the table as it is.
            published: These roles, as :func:`publish_columns` returns them.

        Returns:
            The estimate; None if the table is small enough to be measured, or nothing can be known of it.
        """
        weighted = published.count is not None
        records = published.rows if weighted else published.records
        if records < SAMPLED_FROM or not published.plausible:
            return None
        facts, places, mapped = self._number(original, published)
        by_record = weighted or published.user is None
        one_in = max(1, (records if weighted else published.users) // _DRAWN)
        row = self._session.fetch_row(
            "sampled_together",
            known=facts.columns(places, mapped.read(ASSESSED)),
            drawn=None
            if by_record
            else facts.columns(places, mapped.read(self._draw_records(published, one_in))),
            attributes=len(places),
            by_record=by_record,
            weighted=weighted,
            one_in=one_in,
            all_people=published.users,
        )
        return SampledTogether(**row)

    def measure(self, original: Roles, published: Roles) -> Together:
        """Measure the classes of all quasi-identifiers together.

        Args:
            original: The roles of the table as it is.
            published: These roles, as :func:`publish_columns` returns them.
        """
        facts, places, mapped = self._number(original, published)
        weighted = published.count is not None
        source = mapped.read(ASSESSED) if mapped.tables else None
        rows = self._session.run(
            "facts_together",
            known=facts.relation(places) if facts.elements else facts.columns(places, source),
            attributes=len(places),
            by_record=weighted or published.user is None,
            weighted=weighted,
            bounds=list(BAND_STARTS),
            all_people=published.users,
            all_records=published.records - published.without_user,
        )
        return read_classes(rows)

    def _draw_records(self, roles: Roles, one_in: int) -> Sql:
        """Store the records of a sample of people once, and return their table."""
        assert roles.user is not None
        if self._drawn != (roles.user.binding, one_in):
            user = roles.user.binding
            self._session.run("sampled_records", source=ASSESSED, user=user, one_in=one_in)
            self._drawn = user, one_in
        return Sql("sampled_records")

    def _number(self, original: Roles, published: Roles) -> tuple[NumberedFacts, range, MappedAttributes]:
        """Number the published values; return the indices of the attributes, too."""
        as_found = {self._find_column(original, one): one for one in self._list_attributes(original)}
        attributes = self._list_attributes(published)
        written = [
            form
            for attribute in attributes
            # A published value is missing only if the value was, so that one way of writing stays one.
            if self._find_written(as_found.get(self._find_column(published, attribute), attribute))
            for form in self._find_written(attribute)
        ]
        every = [*attributes, *written]
        user, count = published.user, published.count
        records = published.rows if count is not None else published.records - published.without_user
        mapped = self._map(original, published, every, records)
        facts = NumberedFacts(
            self._session,
            user.binding if user is not None else None,
            records,
            mapped.attributes,
            {decision.column.binding: decision.column.type for decision in published.decisions}
            | mapped.kinds,
            count.binding if count is not None else None,
        )
        return facts, range(len(every)), mapped

    def _map(
        self, original: Roles, published: Roles, attributes: list[Attribute], records: int
    ) -> MappedAttributes:
        """Look published values of a large table up, where that is worth it."""
        if records < SAMPLED_FROM:
            return MappedAttributes(tuple(attributes), (), ())
        as_is = {decision.column.position: decision for decision in original.decisions}
        positions = [self._find_column(published, attribute) for attribute in attributes]
        decisions = [as_is[place] if place is not None else None for place in positions]
        return self._maps.map_attributes(attributes, decisions, records)

    def _list_attributes(self, roles: Roles) -> list[Attribute]:
        """List the quasi-identifiers, and again in full those known by the minute."""
        known = replace(roles, attributes=roles.plausible)
        kinds = {decision.column.binding: decision.column.type for decision in roles.decisions}
        return [
            drop_tokens_of_parts(attribute, kinds, self._tokens)
            for attribute in (*known.attributes, *attributes_at_full_precision(known))
        ]

    def _find_column(self, roles: Roles, attribute: Attribute) -> int | None:
        """Return the position of the column of an attribute; None for several columns."""
        positions = {
            decision.column.position
            for decision in roles.decisions
            if any(part.column == decision.column.binding for part in attribute.parts)
        }
        return positions.pop() if len(positions) == 1 else None

    def _find_written(self, attribute: Attribute) -> tuple[Attribute, ...]:
        if attribute not in self._written:
            self._written[attribute] = tuple(list_written_forms(self._session, [attribute]))
        return self._written[attribute]
