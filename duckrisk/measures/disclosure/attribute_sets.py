"""How well each set of attributes tells records apart: distinction, separation, and whom it singles out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from itertools import combinations as subsets
from operator import and_
from typing import Literal

from duckrisk.base.options.disclosure import Options
from duckrisk.base.results import Truncation
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import Session
from duckrisk.measures.disclosure.agreement import Agreement
from duckrisk.measures.disclosure.lattice import Lattice
from duckrisk.measures.disclosure.set_results import AttributeSets, BestSet, SetFigures, SetsByRule
from duckrisk.measures.sets.masks import make_mask, split_range
from duckrisk.roles import Roles
from duckrisk.source import Source

#: Nanoseconds that one set takes for one combination, all of its classes counted or a sample of them.
EXACT, SAMPLED = 40, 12
#: And what it takes whatever their number: a row of a table, or a statement.
EXACT_SET, SAMPLED_SET = 30_000, 5_000_000
#: Seconds that a search without a limit may take by this estimate.
SECONDS = 30.0
#: One class of so many is counted in a sample.
ONE_IN = 64
#: Combinations below which a sample has too few classes to say much.
FEWEST = 200_000
#: A statement counts so many pairs of a group and a set of low attributes: its table stays in the cache.
COUNTED = 500_000
#: In classes of so many groups every two groups are compared.
SMALL = 96
#: Sets that a report lists.
MOST_LISTED = 1_000


def measure(
    session: Session, source: Source, roles: Roles, options: Options, *, show_values: bool = False
) -> tuple[AttributeSets, list[Sentence]]:
    """The figures of attribute sets, which hold no values, and notes.

    Raises UsageError for what cannot be searched.
    """
    lattice = Lattice(session, source, roles, options, "attribute_sets")
    whose = lattice.searched(roles)
    survey = Survey(lattice)
    survey.run(whose.persons)
    best, sets = _best(lattice), lattice.session.run("set_listed", most=MOST_LISTED, best_only=False)
    section = AttributeSets(
        **vars(whose),
        combinations=lattice.rows.count,
        method=survey.method,
        one_in=survey.one_in,
        estimated_seconds=survey.seconds,
        estimated_seconds_exact=survey.cost(None, sampled=False),
        max_size=survey.size,
        complete=survey.limit is None,
        limit=survey.limit,
        sets_possible=lattice.sets_up_to(None),
        sets_examined=survey.examined(),
        best=best,
        sets_listed=Truncation.pop_from(sets),
        sets=tuple(SetFigures(lattice.attributes(row.pop("mask")), **row) for row in sets),
        other_rules=(),
    )
    others = lattice.compared(
        survey.size, survey.limit, lambda other: _in_short(other, whose.persons), SetsByRule
    )
    return replace(section, other_rules=others), lattice.notes


def _in_short(lattice: Lattice, persons: int) -> SetsByRule:
    """What is found by another rule for missing cells."""
    survey = Survey(lattice)
    survey.run(persons)
    best = _best(lattice)
    return SetsByRule(
        missing=lattice.options.missing,
        method=survey.method,
        max_size=survey.size,
        sets_examined=survey.examined(),
        complete=survey.limit is None,
        limit=survey.limit,
        best=best,
    )


def _best(lattice: Lattice) -> tuple[BestSet, ...]:
    """The best set of each size."""
    rows = lattice.session.run("set_listed", most=lattice.count, best_only=True)
    equals = [Truncation.pop_from([row]).equal_to_last for row in rows]
    return tuple(
        BestSet(lattice.attributes(row.pop("mask")), **row, equals=others)
        for row, others in zip(rows, equals, strict=True)
    )


class Survey:
    """Counts the classes of all sets up to a size; fills the table ``set_parts``."""

    def __init__(self, lattice: Lattice) -> None:
        self.lattice, self.session = lattice, lattice.session
        self.size, self.limit = lattice.size, lattice.limit
        self.one_in = 1
        #: The sets of high attributes of which some sets may be counted in part.
        self.begun: list[int] = []
        allowed = lattice.options.time_limit or SECONDS
        if self.seconds > allowed and self._can_be_sampled():
            self.one_in = ONE_IN
        if lattice.options.time_limit is None and lattice.options.max_size is None:
            while self.size > 1 and self.seconds > SECONDS:
                self.size, self.limit = self.size - 1, "built_in"
        #: Whether sets that hold an attribute and what it determines need not be counted. Who lacks one of
        #: the two alone takes part in fewer sets.
        self.implied = lattice.agreement is None and self.one_in == 1 and not lattice.ignored
        if self.implied:
            lattice.rows.find_dependencies(False, lattice.limits)

    @property
    def seconds(self) -> float:
        """What the sets that are looked at take, by a rough estimate."""
        return self.cost(self.size, self.one_in > 1)

    def cost(self, size: int | None, sampled: bool) -> float:
        """Seconds that all sets up to a size take, by a rough estimate."""
        if self.lattice.agreement is not None:
            return self.lattice.agreement.seconds(self.lattice.sets_up_to(size))
        each, whole = (SAMPLED, SAMPLED_SET) if sampled else (EXACT, EXACT_SET)
        nanoseconds = self.lattice.rows.count * each + whole
        return round(self.lattice.sets_up_to(size) * nanoseconds / 1e9, 3)

    def _can_be_sampled(self) -> bool:
        lattice = self.lattice
        whole = lattice.several or lattice.ignored or lattice.agreement is not None
        return not whole and lattice.rows.count >= FEWEST

    @property
    def method(self) -> Literal["exact", "sample"]:
        """Whether all classes are counted or a sample of them."""
        return "exact" if self.one_in == 1 else "sample"

    def examined(self) -> int:
        """How many sets were looked at: one of which nobody has all attributes has no class."""
        if self.limit != "time_limit":
            return self.lattice.sets_up_to(self.size)
        counted: int = self.session.fetch_row("set_counted")["sets"]
        return counted

    def run(self, persons: int) -> None:
        """Count until all sets are counted or time is up; ``persons`` are those that shares are of."""
        lattice = self.lattice
        self.session.run("set_begin")
        with self.session.limit_time(lattice.limits.until) as time:
            self._count()
        if time.is_over:
            self.limit = "time_limit"
            if self.begun:
                self.session.run("set_forget", high=make_mask(lattice.high), sets=self.begun)
        self.session.run("set_figures", persons=persons, one_in=self.one_in)
        if self.implied and lattice.rows.dependencies.determined:
            self.session.run(
                "set_implied",
                attributes=lattice.count,
                size=self.size,
                pairs=lattice.rows.dependencies.determined,
                twins=list(lattice.rows.dependencies.twins.items()),
            )

    def _count(self) -> None:
        if self.one_in > 1:
            self._sample()
            return
        lattice = self.lattice
        if lattice.agreement is not None:
            for size in range(1, self.size + 1):
                count_agreeing(lattice, lattice.agreement, lattice.masks(size))
            return
        lattice.split()
        redundant = lattice.redundant if self.implied else []
        for size in range(min(len(lattice.high), self.size) + 1):
            for highs in lattice.portions(lattice.highs(size, redundant)):
                most = self.size - size
                closed = [lattice.closed(high, most, redundant) for high in highs]
                self.begun = highs
                count_sets(lattice, highs, closed)
                self.begun = []

    def _sample(self) -> None:
        """Count the classes that a hash picks, set by set, the small sets first."""
        lattice, layout = self.lattice, self.lattice.rows.layout
        self.session.run(
            "set_hashes",
            tables=lattice.rows.encoding.tables,
            words=layout.words,
            shifts=layout.shifts,
            masks=layout.masks,
        )
        for size in range(1, self.size + 1):
            for some in subsets(range(lattice.count), size):
                fields = layout.join_fields(some)
                self.session.run(
                    "set_sampled",
                    mask=make_mask(some),
                    positions=list(some),
                    words=list(fields),
                    fields=list(fields.values()),
                    one_in=self.one_in,
                )


def count_agreeing(lattice: Lattice, agreement: Agreement, masks: Iterable[int]) -> None:
    """Count who agrees on these sets; fills the table ``set_parts``."""
    for some in agreement.portions(masks):
        agreement.look_at(some)
        lattice.session.run("agreeing_counted")


def count_sets(lattice: Lattice, highs: list[int], closed: list[int]) -> None:
    """Count the classes of these sets of high attributes, with the sets of low ones that are not closed to
    each; fills the table ``set_parts``."""
    session, low = lattice.session, lattice.low
    several, missing = lattice.several, lattice.ignored
    shift = low.bits + len(low.positions)
    opened = low.opened(reduce(and_, closed))
    lattice.begin_portion(highs, closed)
    shared = {"words": lattice.high_layout.count, "low_bits": low.bits}
    session.run(
        "set_groups",
        **shared,
        with_low=opened != [0],
        by_user=several,
        ignore_missing=missing,
        without=[low.holding(pattern) for pattern in range(low.sets)],
    )
    session.run("set_classes", **shared)
    session.run(
        "set_places",
        **shared,
        by_user=several,
        small=0 if several else min(SMALL, 3 * len(opened) // 2),
    )
    session.run(
        "set_small",
        fields=low.fields,
        holding=[low.holding(1 << j) for j in range(len(low.positions))],
        ignore_missing=missing,
    )
    session.run("set_counted_small", positions=low.positions)
    session.run("set_open", sets=low.sets, by_user=several, shift=shift, class_bits=lattice.class_bits)
    groups = session.fetch_row("set_left")["groups"]
    for first, last in split_range(len(opened), COUNTED // groups) if groups else ():
        session.run(
            "set_large",
            low=opened[first : last + 1],
            low_bits=low.bits,
            sets=low.sets,
            above=shift + lattice.class_bits,
            positions=low.positions,
            by_user=several,
        )
