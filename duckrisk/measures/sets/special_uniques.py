"""Special uniques (SUDA): the smallest attribute sets on which a record is unique; see the template `suda`.

Sets of high attributes are examined by size. A record that is unique on a smaller set need not be examined on
a larger one and shares no class there, so fewer and fewer records take part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from duckrisk.measures.sets import costs
from duckrisk.measures.sets.lattice import Lattice, Limit
from duckrisk.measures.sets.masks import split_range


class SpecialUniques:
    """The search for all minimal uniques, which fills the table `suda_uniques`.

    Args:
        lattice: The attribute sets.

    Attributes:
        size: Attributes of a set at most.
        limit: What ended the search, or limits the size; None if nothing does.
    """

    def __init__(self, lattice: Lattice) -> None:
        self.lattice, self.session = lattice, lattice.session
        if lattice.wildcard is None:
            lattice.combinations.find_dependencies(lattice.is_missing_ignored, lattice.limits)
            lattice.split()
        self.size = lattice.size
        self.limit: Limit | None = lattice.limit
        while lattice.limits.max_size is None and self.size > 1 and self._is_long():
            self.size -= 1
            self.limit = "built_in"

    def _is_long(self) -> bool:
        """Return whether the sets up to the size take too long without a limit."""
        lattice = self.lattice
        if lattice.wildcard is not None:
            return lattice.wildcard.estimate_seconds(lattice.count_sets(self.size)) > costs.UNIQUES_SECONDS
        high = len(lattice.high)
        sets = sum(math.comb(high, size) for size in range(min(high, self.size) + 1))
        pairs = max(costs.LEAST_SET_PAIRS, lattice.combinations.count)
        return sets * pairs > costs.MOST_UNIQUES_PAIRS

    def run(self) -> None:
        """Examine the sets until none is left or the time is over."""
        lattice = self.lattice
        self.session.run("suda_begin")
        with self.session.limit_time(lattice.limits.until) as time:
            if lattice.wildcard is None:
                self.group()
            else:
                for size in range(1, self.size + 1):
                    lattice.wildcard.compare(lattice.list_sets(size), "agreeing_uniques")
        if time.is_over:
            self.limit = "time_limit"
        if lattice.wildcard is None:
            for twin, other in lattice.combinations.dependencies.twins.items():
                self.session.run("suda_twins", twin=1 << twin, other=1 << other)

    def group(self) -> None:
        """Examine the sets of high attributes by size, with sets of low ones."""
        lattice, session = self.lattice, self.session
        session.run("suda_tables", table="suda_unique0")
        redundant = lattice.redundant
        for size in range(min(len(lattice.high), self.size) + 1):
            before, after = f"suda_unique{size % 2}", f"suda_unique{(size + 1) % 2}"
            session.run("suda_tables", table=after)
            for highs in lattice.split_portions(lattice.list_highs(size, redundant)):
                self._examine(highs, self.size - size, redundant, before, after)

    def _examine(
        self, highs: Sequence[int], most: int, redundant: Sequence[int], before: str, after: str
    ) -> None:
        """Find the uniques on sets of high attributes with up to ``most`` low ones."""
        lattice, session, low = self.lattice, self.session, self.lattice.low
        by_user, ignore_missing = lattice.has_users, lattice.is_missing_ignored
        lattice.begin_portion(highs, [lattice.close_low(high, most, redundant) for high in highs])
        bits = [1 << position for position in lattice.high]
        session.run("suda_known", bits=bits, before=before, high_only=most == 0)
        if most == 0:
            words = lattice.high_layout.count
            session.run("suda_last", words=words, by_user=by_user, ignore_missing=ignore_missing)
            return
        numbers = low.list_open(low.list_larger(most))
        lattice.list_groups(
            numbers,
            small=int(costs.COMPARED_GROUPS * len(numbers)),
            uniques="suda_known",
            low_only=highs[0] == 0,
        )
        session.run(
            "suda_small",
            fields=[field.mask for field in low.fields],
            holding=low.holding,
            by_user=by_user,
            ignore_missing=ignore_missing,
        )
        groups = session.fetch_row("suda_count")["large"] if low.sets > 1 else 0
        for first, last in split_range(len(numbers), costs.LATTICE_PAIRS // groups) if groups else ():
            session.run(
                "suda_large",
                low=numbers[first : last + 1],
                low_bits=low.bits,
                sets=low.sets,
                shift=low.bits + len(low.positions),
                by_user=by_user,
            )
        session.run("suda_new", by_user=by_user)
        session.run("suda_minimal", lacking=low.lacking)
        session.run("suda_next", after=after, lacking=low.lacking)

    @property
    def is_agreement_known(self) -> bool:
        """Return whether the time sufficed for who agrees on all attributes."""
        return self.lattice.wildcard is None or self.limit != "time_limit"

    def compare_all(self) -> bool:
        """List who agrees on all attributes, in time, if a missing value equals all.

        Returns:
            Whether the table `agreeing_sizes` lists them.
        """
        wildcard = self.lattice.wildcard
        if wildcard is None or not self.is_agreement_known:
            return False
        with self.session.limit_time(self.lattice.limits.until) as time:
            wildcard.compare([(1 << self.lattice.count) - 1])
        if time.is_over:
            self.limit = "time_limit"
        return not time.is_over
