"""The smallest attribute sets that identify: keys, sets that single out a share, sets with a small class.

A set is a key if it holds, for every two records, an attribute in which they differ. So keys are found from
differences: the smallest sets that hit all known differences are tried, and records that one of them does not
distinguish are a further difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from duckrisk.measures.sets import costs
from duckrisk.measures.sets.lattice import Lattice, Limit
from duckrisk.measures.sets.masks import list_bits, list_positions, make_mask
from duckrisk.measures.sets.surveys import count_classes


class Keys:
    """The search for all minimal keys.

    Args:
        lattice: The attribute sets.

    Attributes:
        found: The minimal keys, the smallest first.
        limit: What ended the search; None if nothing did.
        checked: How many sets were tried on all records.
    """

    def __init__(self, lattice: Lattice) -> None:
        self.lattice, self.session = lattice, lattice.session
        self.found: list[int] = []
        self.limit: Literal["too_many_sets", "time_limit"] | None = None
        self.checked = 0
        self._keys: set[int] = set()

    def run(self) -> None:
        """Try the smallest sets that hit all known differences until all of them are keys."""
        lattice, made = self.lattice, self.lattice.combinations
        usable = [
            position
            for position in range(lattice.count)
            # A missing value that reveals nothing singles out nobody.
            if not (lattice.is_missing_ignored and made.values[position] > made.counts[position])
        ]
        with self.session.limit_time(lattice.limits.until) as time:
            self._search(usable)
        if time.is_over:
            self.limit = "time_limit"
        # One person alone needs no attribute: each is a key.
        is_alone = self._keys == {0}
        self.found = [1 << position for position in usable] if is_alone else sort_sets(self._keys)

    def _search(self, usable: Sequence[int]) -> None:
        """Find keys of these attributes until all of them are found."""
        whole, keys = make_mask(usable), self._keys
        if self.lattice.combinations.count <= costs.ALL_COMPARED:
            differences = self._compare()
            if all(mask & whole for mask in differences):
                keys.update(self._list_candidates(differences, whole))
            return
        differences = self._check(whole)
        if differences:  # only if attributes with missing values are left out
            return
        for position in usable:
            differences |= self._check(whole & ~(1 << position))
        while True:
            candidates = self._list_candidates(differences, whole)
            for mask in candidates:
                if mask in keys:
                    continue
                if self._is_long():
                    return
                alike = self._check(mask)
                if alike:
                    differences |= alike
                else:
                    keys.add(mask)
            if self.limit is not None or keys.issuperset(candidates):
                return

    def _list_candidates(self, differences: Iterable[int], whole: int) -> list[int]:
        """List the minimal sets that hit all differences."""
        masks = {mask & whole for mask in differences}
        sets, is_complete = list_hitting_sets(masks, costs.MOST_CANDIDATES, self.session.check_time)
        if not is_complete:
            self.limit = "too_many_sets"
        return sets

    def _is_long(self) -> bool:
        """Return whether no further set is tried, since without a limit it took long."""
        each = self.lattice.combinations.count * costs.CHECK_COST + costs.CHECK_SET_COST
        if self.lattice.limits.until is None and self.checked * each / 1e9 > costs.CHECK_SECONDS:
            self.limit = "too_many_sets"
        return self.limit is not None

    def _compare(self) -> set[int]:
        """List in which attributes every two combinations of different people differ."""
        layout = self.lattice.combinations.layout
        wildcard = self.lattice.wildcard is not None
        rows = self.session.run("key_differences", words=layout.words, fields=layout.masks, wildcard=wildcard)
        return {row["mask"] for row in rows}

    def _check(self, mask: int) -> set[int]:
        """List where records differ that a set does not distinguish; empty for a key."""
        self.checked += 1
        if self.lattice.wildcard is not None:
            return self.lattice.wildcard.list_differences(mask)
        layout = self.lattice.combinations.layout
        fields = layout.join_fields(list_positions(mask))
        rows = self.session.run(
            "key_check",
            words=list(fields),
            fields=list(fields.values()),
            all_words=layout.words,
            all_fields=layout.masks,
            by_user=self.lattice.has_users,
            most=costs.DIFFERING_PAIRS,
        )
        return {row["mask"] for row in rows}


def list_hitting_sets(
    masks: set[int], most: int, check: Callable[[], None] = lambda: None
) -> tuple[list[int], bool]:
    """List the minimal sets that share an attribute with each mask.

    Args:
        masks: The masks.
        most: Sets to follow at most; of more the larger ones are left out.
        check: Called time and again; it may end the search by an exception.

    Returns:
        The sets, the smallest first, and whether these are all.
    """
    hits = [0]
    size = max((mask.bit_length() for mask in masks), default=0)
    is_complete = True
    for mask in _list_minimal(masks):
        hitting = [hit for hit in hits if hit & mask]
        others = [hit for hit in hits if not hit & mask and hit.bit_count() < size]
        new = []
        for hit in {hit | bit for hit in others for bit in list_bits(mask)}:
            check()
            if not is_holding_any(hit, hitting):
                new.append(hit)
        hits = hitting + new
        while len(hits) > most:
            is_complete = False
            size = max(map(int.bit_count, hits)) - 1
            hits = [hit for hit in hits if hit.bit_count() <= size]
    return sort_sets(hits), is_complete


def sort_sets(masks: Iterable[int]) -> list[int]:
    """Sort sets, the smallest first."""
    return sorted(masks, key=lambda mask: (mask.bit_count(), mask))


def _list_minimal(masks: Iterable[int]) -> list[int]:
    """List the masks that hold no other one."""
    minimal: list[int] = []
    for mask in sort_sets(masks):
        if not is_holding_any(mask, minimal):
            minimal.append(mask)
    return minimal


def is_holding_any(mask: int, sets: Iterable[int]) -> bool:
    """Return whether a set holds all attributes of another one."""
    return any(other & mask == other for other in sets)


class Levels:
    """The minimal sets that single out a share of the people, and those with a class below k.

    Sets are counted by size, without those that hold a found set of either kind.

    Args:
        lattice: The attribute sets.
        persons: The number of persons that shares refer to.
        share: The share of these that a set singles out at least.
        k: Records; a smaller class is too small.

    Attributes:
        size: The largest size with all sets counted.
        examined: How many sets were counted.
        limit: What ended the search; None if nothing did.
        singling_out: The figures of the minimal sets that single out the share.
        below_k: The figures of the minimal sets with a class below k.
    """

    def __init__(self, lattice: Lattice, persons: int, share: float, k: int) -> None:
        self.lattice, self.session = lattice, lattice.session
        self.persons, self.share, self.k = persons, share, k
        self.size = self.examined = 0
        self.limit: Limit | None = None
        self.singling_out: list[dict[str, Any]] = []
        self.below_k: list[dict[str, Any]] = []

    def run(self) -> None:
        """Count the sets by size until none is left, or a limit ends it."""
        lattice = self.lattice
        if lattice.wildcard is None:
            lattice.split()
        with self.session.limit_time(lattice.limits.until) as time:
            self._search()
        if time.is_over:
            self.limit = "time_limit"

    def _search(self) -> None:
        """Count the sets of one size after the other."""
        lattice = self.lattice
        seconds = 0.0
        masks = [0]
        for size in range(1, lattice.count + 1):
            if lattice.is_unbounded and len(masks) * lattice.count > costs.MOST_EXTENDED:
                self.limit = "built_in"
                return
            masks = self._extend(masks)
            if not masks:
                return
            seconds += self._estimate_seconds(len(masks))
            if size > lattice.size:
                self.limit = lattice.limit
                return
            if lattice.is_unbounded and seconds > costs.LEVELS_SECONDS and size > 1:
                self.limit = "built_in"
                return
            self._count(masks)
            self._book(size)
            self.size = size
            self.examined += len(masks)

    def _estimate_seconds(self, sets: int) -> float:
        """Estimate the seconds that counting some sets takes, roughly."""
        if self.lattice.wildcard is not None:
            return self.lattice.wildcard.estimate_seconds(sets)
        each = self.lattice.combinations.count * costs.LEVELS_COST + costs.SURVEY_SET_COST
        return sets * each / 1e9

    def _extend(self, smaller: Sequence[int]) -> list[int]:
        """List the sets with one attribute more that may be minimal ones of a kind."""
        found = [[row["mask"] for row in rows] for rows in (self.singling_out, self.below_k)]
        masks = []
        for mask in smaller:
            self.session.check_time()
            for position in range(mask.bit_length(), self.lattice.count):
                larger = mask | 1 << position
                if not all(is_holding_any(larger, sets) for sets in found):
                    masks.append(larger)
        return masks

    def _count(self, masks: Sequence[int]) -> None:
        """Count the classes of sets."""
        lattice = self.lattice
        self.session.run("set_begin")
        if lattice.wildcard is not None:
            lattice.wildcard.compare(masks, "agreeing_counted")
            return
        every = (1 << lattice.low.sets) - 1
        low = make_mask(lattice.low.positions)
        closed: dict[int, int] = {}
        for mask in masks:
            high = mask & ~low
            closed[high] = closed.get(high, every) & ~(1 << lattice.low.find_number(mask))
        for highs in lattice.split_portions(sorted(closed)):
            count_classes(lattice, highs, [closed[high] for high in highs])

    def _book(self, size: int) -> None:
        """Add the counted sets of a size that reach a level and hold no found set of it."""
        session = self.session
        session.run("set_figures", persons=self.persons, one_in=1)
        reached = session.run("key_reached", size=size, share=self.share, k=self.k)
        for flag, rows in (("singles_out", self.singling_out), ("below_k", self.below_k)):
            masks = [row["mask"] for row in rows]
            rows += [row for row in reached if row[flag] and not is_holding_any(row["mask"], masks)]
