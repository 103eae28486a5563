"""The attributes of a treated source: who is singled out by which of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.measures import identifiability
from duckrisk.measures.identifiability import SearchRun
from duckrisk.measures.identifiability.results import Totals
from duckrisk.measures.identifiability.section import list_levels
from duckrisk.measures.sets.combinations import Combinations
from duckrisk.measures.sets.easiest import EasiestSets
from duckrisk.measures.sets.encoding import Layout
from duckrisk.release.advice.treatments import Treatment

if TYPE_CHECKING:
    from duckrisk.release.advice.measures import EncodedSource

#: Pairs of a set and a combination; what every attribute adds is measured up to here (a choice: minutes).
_MOST_PAIRS = 5_000_000_000


class TreatedAttributes:
    """The attributes that a treatment leaves.

    Args:
        source: The encoded source.
        treatment: The treatment; None for the source as it is.
        options: The levels of attributes, and the limits of a search.

    Attributes:
        kept: The attributes that are left, by their positions in the source.
        run: The search among them.
    """

    def __init__(
        self, source: EncodedSource, treatment: Treatment | None, options: identifiability.Options
    ) -> None:
        self.source, self.treatment = source, treatment
        self.kept = list(range(len(source.attributes)))
        if treatment is not None:
            kept: set[int] = set()
            for column, number in zip(source.space.columns, treatment.levels, strict=True):
                kept |= set(column.generalizations[number].kept_attributes)
            self.kept = sorted(kept)
        searched = [source.attributes[index] for index in self.kept if index < source.searched]
        others = [source.attributes[index] for index in self.kept if index >= source.searched]
        self.run = SearchRun(source.session, source.roles, options, searched, others)
        self.run.max_pairs = _MOST_PAIRS

    def measure(self, users: bool) -> Totals | None:
        """Measure who is singled out; return None if a limit ended the search.

        Args:
            users: Whether to measure users, else records.
        """
        assert self.treatment is not None
        run, searched = self.run, len(self.run.searched)
        encoding = TreatedEncoding(self, self.treatment, searched, users)
        combinations = Combinations(
            run.session, encoding, len(run.all), searched, "person" if users else None, list_levels(run.all)
        )
        limits = run.make_limits(combinations)
        combinations.find_dependencies(run.ignore_missing, limits)
        search = EasiestSets(combinations, ignore_missing=run.ignore_missing, limits=limits, is_patient=True)
        walk = search.run()
        return run.count_outcomes(combinations, walk) if walk.limit is None else None


class TreatedEncoding:
    """The combinations of a treated source; see :class:`duckrisk.measures.sets.combinations.Encoding`.

    Args:
        attributes: The attributes that the treatment leaves.
        treatment: The treatment.
        searched: How many of the first attributes make sets.
        users: Whether users are the persons, else records.
    """

    def __init__(
        self, attributes: TreatedAttributes, treatment: Treatment, searched: int, users: bool
    ) -> None:
        source = attributes.source
        self.session: Session = source.session
        published = [(number, form) for number, form in source.list_published(treatment) if form.attributes]
        fields, counts = [], []
        for index in attributes.kept:
            if index in source.presence_positions:
                fields.append([-1, 1 << source.presence_positions.index(index)])
                continue
            at = next(i for i, (_, form) in enumerate(published) if index in form.attributes)
            number, count = published[at][1].attributes[index]
            fields.append([at, number])
            counts.append(count)
        self.tables: list[str] = []
        self.counts = counts[:searched]
        self.layout = Layout.for_counts([*self.counts, *[1] * (len(fields) - searched)])
        self.session.run(
            "treated_records",
            forms=[form.table for _, form in published],
            columns=[number for number, _ in published],
            fields=fields,
            searched=searched,
            words=self.layout.words,
            shifts=self.layout.shifts,
            masks=self.layout.masks,
            deletes_records=source.space.resolve_deletion(treatment) is not None,
            by_pseudonym=users,
            period=start_period(treatment),
            set_bits=len(fields),
        )
        persons = source.tuple_count
        if users:
            persons = self.session.fetch_row("row_counts", tables=["persons"])["records"]
        self.id_bits = persons.bit_length()
        self.session.run(
            "treated_combinations", words=self.layout.count, by_pseudonym=users, id_bits=self.id_bits
        )

    def list_missing(self) -> None:
        """List the users with the attributes that none of their records has."""
        self.session.run("treated_users_missing")


def start_period(treatment: Treatment) -> Sql | None:
    """Return the first day of a pseudonym's period; None without one.

    Args:
        treatment: The treatment.
    """
    if treatment.period is None:
        return None
    return render("period_start", column=identifier("day"), unit=treatment.period)
