"""The smallest attribute sets that identify: keys, sets that single out many, sets that leave a small class.

A set is a key if it holds, for every two records, an attribute in which they differ. So keys are found from
differences: the smallest sets that meet all differences known are tried, and what one does not tell apart
is a difference more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

from duckrisk.base.options.disclosure import Options
from duckrisk.base.results import Truncation
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import Session
from duckrisk.measures.disclosure.attribute_sets import count_agreeing, count_sets
from duckrisk.measures.disclosure.lattice import Lattice
from duckrisk.measures.disclosure.set_results import KeysByRule, Limit, MinimalKeys, SetFound
from duckrisk.measures.sets.masks import list_bits, list_positions, make_mask
from duckrisk.roles import Roles
from duckrisk.source import Source

#: Pairs of records alike on a set that are looked at for their differences.
PAIRS = 2_000
#: Up to so many combinations every two are compared, and nothing has to be tried.
COMPARED = 1_000
#: Nanoseconds that trying a set takes for one combination, and whatever their number.
CHECKING, CHECKING_SET = 50, 10_000_000
#: Seconds that a search without a limit may take for keys, by a rough estimate.
CHECKING_SECONDS = 30.0
#: More candidates than these are not followed.
MOST_CANDIDATES = 5_000
#: Nanoseconds that counting one set takes for one combination, and whatever their number.
COUNTING, COUNTING_SET = 100, 30_000
#: A search without a limit gathers no more sets of a size from those of the size before.
MOST_OPEN = 1_000_000
#: Seconds that a search without a limit may take for sets that single out many, by a rough estimate.
SECONDS = 3.0
#: Sets that a report lists of each kind.
MOST_LISTED = 200


def measure(
    session: Session, source: Source, roles: Roles, options: Options, *, show_values: bool = False
) -> tuple[MinimalKeys, list[Sentence]]:
    """The smallest sets that identify, which hold no values, and notes.

    Raises UsageError for what cannot be searched.
    """
    lattice = Lattice(session, source, roles, options, "minimal_keys")
    section = _searched(lattice, roles)
    others = lattice.compared(
        section.max_size if section.limit in ("max_size", "built_in") else lattice.size,
        section.limit or lattice.limit,
        lambda other: _searched(other, roles).in_short(),
        KeysByRule,
    )
    return replace(section, other_rules=others), lattice.notes


def _searched(lattice: Lattice, roles: Roles) -> MinimalKeys:
    """Search by the rule for missing cells of the lattice."""
    whose = lattice.searched(roles)
    session, options = lattice.session, lattice.options
    keys = Keys(lattice)
    duplicates: dict[str, Any] = {"records": None, "combinations": None}
    with session.limit_time(lattice.limits.until) as time:
        if lattice.agreement is not None:
            lattice.agreement.look_at([(1 << lattice.count) - 1])
            duplicates = session.fetch_row("agreeing_duplicates")
        else:
            duplicates = session.fetch_row("key_duplicates", by_user=lattice.several)
    if time.is_over or not duplicates["records"]:
        keys.run()
    k = min(options.class_sizes)
    levels = Levels(lattice, whose.persons, options.share, k)
    levels.run()
    return MinimalKeys(
        **vars(whose),
        duplicate_records=duplicates["records"],
        duplicate_combinations=duplicates["combinations"],
        keys_found=len(keys.found),
        keys=tuple(lattice.attributes(mask) for mask in keys.found[:MOST_LISTED]),
        keys_listed=Truncation.after(MOST_LISTED, [mask.bit_count() for mask in keys.found]),
        keys_complete=keys.limit is None,
        keys_limit=keys.limit,
        keys_checked=keys.checked,
        share=options.share,
        k=k,
        max_size=levels.size,
        sets_examined=levels.examined,
        complete=levels.limit is None,
        limit=levels.limit,
        singling_out_found=len(levels.singling_out),
        singling_out=levels.listed(levels.singling_out),
        singling_out_listed=Truncation.after(MOST_LISTED, [*map(_rank, levels.singling_out)]),
        below_k_found=len(levels.below_k),
        below_k=levels.listed(levels.below_k),
        below_k_listed=Truncation.after(MOST_LISTED, [*map(_rank, levels.below_k)]),
    )


class Keys:
    """The search for all minimal keys."""

    def __init__(self, lattice: Lattice) -> None:
        self.lattice, self.session = lattice, lattice.session
        self.found: list[int] = []
        self.limit: Literal["too_many_sets", "time_limit"] | None = None
        self.checked = 0
        self._keys: set[int] = set()

    def run(self) -> None:
        """Try the smallest sets that meet all differences known until all of them are keys."""
        lattice, rows = self.lattice, self.lattice.rows
        usable = [
            position
            for position in range(lattice.count)
            # What a missing cell tells nothing of singles out nobody.
            if not (lattice.ignored and rows.values[position] > rows.counts[position])
        ]
        with self.session.limit_time(lattice.limits.until) as time:
            self._search(usable)
        if time.is_over:
            self.limit = "time_limit"
        # Where there is one person alone not even an attribute is needed: each is a key.
        alone = self._keys == {0}
        self.found = [1 << position for position in usable] if alone else sorted(self._keys, key=_by_size)

    def _search(self, usable: list[int]) -> None:
        """Find keys of these attributes until all of them are found."""
        rows, whole, keys = self.lattice.rows, make_mask(usable), self._keys
        if rows.count <= COMPARED:
            differences = self._compare()
            if all(mask & whole for mask in differences):
                keys.update(self._candidates(differences, whole))
            return
        differences = self._check(whole)
        if differences:  # only where attributes with missing cells are left out
            return
        for position in usable:
            differences |= self._check(whole & ~(1 << position))
        while True:
            candidates = self._candidates(differences, whole)
            new = [mask for mask in candidates if mask not in keys]
            for mask in new:
                if self._too_many():
                    return
                alike = self._check(mask)
                if alike:
                    differences |= alike
                else:
                    keys.add(mask)
            if self.limit is not None or keys.issuperset(candidates):
                return

    def _candidates(self, differences: set[int], whole: int) -> list[int]:
        masks = {mask & whole for mask in differences}
        keys, complete = hitting_sets(masks, MOST_CANDIDATES, self.session.check_time)
        if not complete:
            self.limit = "too_many_sets"
        return keys

    def _too_many(self) -> bool:
        """Whether nothing more is tried, since without a limit it has taken long."""
        each = self.lattice.rows.count * CHECKING + CHECKING_SET
        if self.lattice.options.time_limit is None and self.checked * each / 1e9 > CHECKING_SECONDS:
            self.limit = "too_many_sets"
        return self.limit is not None

    def _compare(self) -> set[int]:
        """In which attributes every two records of different people differ."""
        layout = self.lattice.rows.layout
        wildcard = self.lattice.agreement is not None
        rows = self.session.run("key_differences", words=layout.words, fields=layout.masks, wildcard=wildcard)
        return {row["mask"] for row in rows}

    def _check(self, mask: int) -> set[int]:
        """In which attributes records differ that the set does not tell apart; nothing for a key."""
        self.checked += 1
        if self.lattice.agreement is not None:
            return self.lattice.agreement.differences(mask, PAIRS)
        layout = self.lattice.rows.layout
        fields = layout.join_fields(list_positions(mask))
        alike = self.session.run(
            "key_check",
            words=list(fields),
            fields=list(fields.values()),
            all_words=layout.words,
            all_fields=layout.masks,
            by_user=self.lattice.several,
            most=PAIRS,
        )
        return {row["mask"] for row in alike}


def hitting_sets(
    masks: set[int], most: int, each: Callable[[], None] = lambda: None
) -> tuple[list[int], bool]:
    """The minimal sets that share an attribute with each mask, the smallest first, and whether these are all:
    where there are more than ``most``, larger ones are left out. ``each`` is called time and again."""
    hits = [0]
    size = max((mask.bit_length() for mask in masks), default=0)
    complete = True
    for mask in minimal(masks):
        met = [hit for hit in hits if hit & mask]
        others = [hit for hit in hits if not hit & mask and hit.bit_count() < size]
        bits = list_bits(mask)
        extended = {hit | bit for hit in others for bit in bits}
        new = []
        for hit in extended:
            each()
            if not any(small & hit == small for small in met):
                new.append(hit)
        hits = met + new
        while len(hits) > most:
            complete = False
            size = max(map(int.bit_count, hits)) - 1
            hits = [hit for hit in hits if hit.bit_count() <= size]
    return sorted(hits, key=_by_size), complete


def _by_size(mask: int) -> tuple[int, int]:
    return mask.bit_count(), mask


def _rank(row: dict[str, Any]) -> tuple[int, int]:
    """What sets that were counted are ordered by."""
    return row["mask"].bit_count(), row["singled_out"]


def minimal(masks: set[int]) -> list[int]:
    """The masks that hold no other one."""
    kept: list[int] = []
    for mask in sorted(masks, key=_by_size):
        if not any(small & mask == small for small in kept):
            kept.append(mask)
    return kept


class Levels:
    """The minimal sets that single out a share of the people, and those that leave a class below k.

    Sets are counted by their size; no set is that holds a found one of both kinds."""

    def __init__(self, lattice: Lattice, persons: int, share: float, k: int) -> None:
        self.lattice, self.session = lattice, lattice.session
        self.persons, self.share, self.k = persons, share, k
        self.size = 0
        self.examined = 0
        self.limit: Limit | None = None
        self.singling_out: list[dict[str, Any]] = []
        self.below_k: list[dict[str, Any]] = []

    def run(self) -> None:
        """Count the sets of one size after the other until none is left, or a limit ends it."""
        lattice = self.lattice
        if lattice.agreement is None:
            lattice.split()
        with self.session.limit_time(lattice.limits.until) as time:
            self._search()
        if time.is_over:
            self.limit = "time_limit"

    def _search(self) -> None:
        lattice, options = self.lattice, self.lattice.options
        unbounded = options.time_limit is None and options.max_size is None
        spent = 0.0
        masks = [0]
        for size in range(1, lattice.count + 1):
            if unbounded and len(masks) * lattice.count > MOST_OPEN:
                self.limit = "built_in"
                break
            masks = self._open(masks)
            if not masks:
                break
            spent += self._seconds(len(masks))
            if size > lattice.size:
                self.limit = lattice.limit
            elif unbounded and spent > SECONDS and size > 1:
                self.limit = "built_in"
            if self.limit is not None:
                break
            self._count(masks)
            self._book(size)
            self.size = size
            self.examined += len(masks)

    def _seconds(self, sets: int) -> float:
        """Seconds that counting so many sets takes, by a rough estimate."""
        if self.lattice.agreement is not None:
            return self.lattice.agreement.seconds(sets)
        return sets * (self.lattice.rows.count * COUNTING + COUNTING_SET) / 1e9

    def _open(self, smaller: list[int]) -> list[int]:
        """The sets with one attribute more that may be minimal ones of either kind: what holds found ones of
        both is not, nor is any set that holds it."""
        singling = [row["mask"] for row in self.singling_out]
        below = [row["mask"] for row in self.below_k]
        masks = []
        for mask in smaller:
            self.session.check_time()
            for position in range(mask.bit_length(), self.lattice.count):
                larger = mask | 1 << position
                if any(not any(small & larger == small for small in sets) for sets in (singling, below)):
                    masks.append(larger)
        return masks

    def _count(self, masks: list[int]) -> None:
        """Count the classes of these sets."""
        lattice = self.lattice
        self.session.run("set_begin")
        if lattice.agreement is not None:
            count_agreeing(lattice, lattice.agreement, masks)
            return
        every = (1 << lattice.low.sets) - 1
        low = make_mask(lattice.low.positions)
        closed: dict[int, int] = {}
        for mask in masks:
            high = mask & ~low
            closed[high] = closed.get(high, every) & ~(1 << lattice.in_low(mask))
        for highs in lattice.portions(sorted(closed)):
            shut = [closed[high] for high in highs]
            count_sets(lattice, highs, shut)

    def _book(self, size: int) -> None:
        session = self.session
        session.run("set_figures", persons=self.persons, one_in=1)
        reached = session.run("key_reached", size=size, share=self.share, k=self.k)
        for flag, rows in (("singles_out", self.singling_out), ("below_k", self.below_k)):
            masks = [row["mask"] for row in rows]
            rows += [
                row for row in reached if row[flag] and not any(mask & row["mask"] == mask for mask in masks)
            ]

    def listed(self, rows: list[dict[str, Any]]) -> tuple[SetFound, ...]:
        """Sets as in the report."""
        return tuple(
            SetFound(
                attributes=self.lattice.attributes(row["mask"]),
                singled_out=row["singled_out"],
                share_singled_out=row["share_singled_out"],
                smallest_class=row["smallest_class"],
            )
            for row in rows[:MOST_LISTED]
        )
