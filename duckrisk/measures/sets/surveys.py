"""The figures of all attribute sets: classes, and who is singled out; see the template `attribute_sets`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import combinations as subsets
from operator import and_
from typing import Literal

from duckrisk.measures.sets import costs
from duckrisk.measures.sets.lattice import Lattice, Limit
from duckrisk.measures.sets.masks import make_mask, split_range


class Survey:
    """Counts the classes of all sets up to a size; fills the table `set_figures`.

    Args:
        lattice: The attribute sets.
        seconds: CPU seconds that counting may take before a sample is counted; None for the built-in ones.

    Attributes:
        size: Attributes of a set at most.
        limit: What ended the search, or limits the size; None if nothing does.
        one_in: One class of this number is counted; 1 counts all.
    """

    def __init__(self, lattice: Lattice, seconds: float | None = None) -> None:
        self.lattice, self.session = lattice, lattice.session
        self.size = lattice.size
        self.limit: Limit | None = lattice.limit
        self.one_in = 1
        # Sets of high attributes whose sets may be counted in part.
        self._begun: list[int] = []
        if self.seconds > (seconds or costs.SURVEY_SECONDS) and self._can_be_sampled():
            self.one_in = costs.SAMPLED_CLASSES
        while lattice.is_unbounded and self.size > 1 and self.seconds > costs.SURVEY_SECONDS:
            self.size, self.limit = self.size - 1, "built_in"
        # Sets with an attribute and another that it determines need not be counted, unless a value can be
        # missing: who lacks one of the two takes part in fewer sets.
        self._is_implied = lattice.wildcard is None and self.one_in == 1 and not lattice.is_missing_ignored
        if self._is_implied:
            lattice.combinations.find_dependencies(False, lattice.limits)

    @property
    def seconds(self) -> float:
        """Return the estimated CPU seconds of the sets to examine."""
        return self.estimate_seconds(self.size, is_sampled=self.one_in > 1)

    def estimate_seconds(self, size: int | None, *, is_sampled: bool) -> float:
        """Estimate the CPU seconds of all sets up to a size, roughly.

        Args:
            size: Attributes of a set at most; None for all.
            is_sampled: Whether a sample of the classes is counted.
        """
        sets = self.lattice.count_sets(size)
        if self.lattice.wildcard is not None:
            return self.lattice.wildcard.estimate_seconds(sets)
        each, whole = costs.SURVEY_COST, costs.SURVEY_SET_COST
        if is_sampled:
            each, whole = costs.SAMPLED_COST, costs.SAMPLED_SET_COST
        return round(sets * (self.lattice.combinations.count * each + whole) / 1e9, 3)

    def _can_be_sampled(self) -> bool:
        """Return whether a sample of the classes says enough."""
        lattice = self.lattice
        is_exact = lattice.has_users or lattice.is_missing_ignored or lattice.wildcard is not None
        return not is_exact and lattice.combinations.count >= costs.FEWEST_SAMPLED

    @property
    def method(self) -> Literal["exact", "sample"]:
        """Return whether all classes are counted or a sample of them."""
        return "exact" if self.one_in == 1 else "sample"

    def count_examined(self) -> int:
        """Count the examined sets; one that nobody has all attributes of has no class."""
        if self.limit != "time_limit":
            return self.lattice.count_sets(self.size)
        return self.lattice.combinations.count_rows("set_figures")

    def run(self, persons: int) -> None:
        """Count until all sets are counted or the time is over.

        Args:
            persons: The number of persons that shares refer to.
        """
        lattice, dependencies = self.lattice, self.lattice.combinations.dependencies
        self.session.run("set_begin")
        with self.session.limit_time(lattice.limits.until) as time:
            self._count()
        if time.is_over:
            self.limit = "time_limit"
            if self._begun:
                self.session.run("set_forget", high=make_mask(lattice.high), sets=self._begun)
        self.session.run("set_figures", persons=persons, one_in=self.one_in)
        if self._is_implied and dependencies.determined:
            self.session.run(
                "set_implied",
                attributes=lattice.count,
                size=self.size,
                pairs=dependencies.determined,
                twins=list(dependencies.twins.items()),
            )

    def _count(self) -> None:
        """Count the sets by size: of all attributes, or of the high ones."""
        lattice = self.lattice
        if self.one_in > 1:
            self._sample()
            return
        if lattice.wildcard is not None:
            for size in range(1, self.size + 1):
                lattice.wildcard.compare(lattice.list_sets(size), "agreeing_counted")
            return
        lattice.split()
        redundant = lattice.redundant if self._is_implied else []
        for size in range(min(len(lattice.high), self.size) + 1):
            for highs in lattice.split_portions(lattice.list_highs(size, redundant)):
                closed = [lattice.close_low(high, self.size - size, redundant) for high in highs]
                self._begun = highs
                count_classes(lattice, highs, closed)
                self._begun = []

    def _sample(self) -> None:
        """Count the classes that a hash picks, set by set, the small sets first."""
        made, layout = self.lattice.combinations, self.lattice.combinations.layout
        self.session.run(
            "set_hashes",
            tables=made.encoding.tables,
            words=layout.words,
            shifts=layout.shifts,
            masks=layout.masks,
        )
        for size in range(1, self.size + 1):
            for positions in subsets(range(self.lattice.count), size):
                fields = layout.join_fields(positions)
                self.session.run(
                    "set_sampled",
                    mask=make_mask(positions),
                    positions=list(positions),
                    words=list(fields),
                    fields=list(fields.values()),
                    one_in=self.one_in,
                )


def count_classes(lattice: Lattice, highs: Sequence[int], closed: Sequence[int]) -> None:
    """Count the classes of sets of high and low attributes; add to `set_parts`.

    Args:
        lattice: The attribute sets.
        highs: The sets of high attributes.
        closed: For each the sets of low attributes that are not added, as bits.
    """
    session, low = lattice.session, lattice.low
    by_user, ignore_missing = lattice.has_users, lattice.is_missing_ignored
    shift = low.bits + len(low.positions)
    numbers = low.list_open(reduce(and_, closed))
    lattice.begin_portion(highs, closed)
    lattice.list_groups(numbers, small=0 if by_user else int(costs.COMPARED_GROUPS * len(numbers)))
    session.run(
        "set_small",
        fields=[field.mask for field in low.fields],
        holding=low.holding,
        ignore_missing=ignore_missing,
    )
    session.run("set_counted_small")
    session.run("set_open", sets=low.sets, by_user=by_user, shift=shift, class_bits=lattice.class_bits)
    groups = lattice.combinations.count_rows("set_open")
    for first, last in split_range(len(numbers), costs.LATTICE_PAIRS // groups) if groups else ():
        session.run(
            "set_large",
            low=numbers[first : last + 1],
            low_bits=low.bits,
            sets=low.sets,
            above=shift + lattice.class_bits,
            by_user=by_user,
        )
