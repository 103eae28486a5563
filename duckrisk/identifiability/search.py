"""The search for the attribute sets that single people out most easily; the work is done in SQL.

Yamaoka and Itoh's optimum for every record, walked from the easiest sets on: all sets of one size and
one sensitivity have the same ease and are a *tier*. Whoever a tier singles out is settled, and the walk
ends when all are settled whom any set can single out. Python orders, prunes and stops.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from duckrisk.identifiability.levels import Level, ease, sensitivity
from duckrisk.session import ASSESSED, Session
from duckrisk.templates import Attribute, Part

#: Bits of a word; the sign is left alone.
WORD = 60
#: Attributes have a bit each in a whole number of the engine.
MOST_ATTRIBUTES = 60
#: A batch groups about so many combinations of a record and a set: its hash table stays in the cache.
BATCH_PAIRS = 1_000_000
#: A batch looks at no more than so many, that a limit is noticed in time.
PROBED_PAIRS = 60_000_000
#: Below this share of open combinations only those that share a combination with them are grouped.
WITNESS_SHARE = 0.15
#: Dependencies are looked for in so many combinations first.
SAMPLE = 20_000
#: A tier with more sets than these is not begun.
MOST_SETS_OF_A_TIER = 5_000_000
#: Open combinations are compared with all others where that makes no more pairs than these, and where more
#: sets are left than so many times the open combinations.
AGREEMENT_PAIRS = 20_000_000
AGREEMENT_COST = 6
#: A closure for each pattern of missing values pays for no more patterns than these.
MOST_PATTERNS = 200


@dataclass(frozen=True)
class Limits:
    """Where a search ends early: sets examined, pairs of a set and a combination looked at, attributes in a
    set, seconds. None: not at all."""

    max_sets: int | None = None
    max_pairs: int | None = None
    max_size: int | None = None
    time_limit: float | None = None


@dataclass(frozen=True)
class Tier:
    """All sets of ``size`` attributes whose highest levels are these: all have one ease."""

    number: int
    size: int
    economic: int
    psychological: int

    @property
    def ease(self) -> float:
        return ease(self.size, sensitivity([Level(None, self.economic, self.psychological)]))


@dataclass
class Walk:
    """How a walk went: sets examined and why others were not, and whether it came to its end."""

    examined: int = 0
    adds_nothing: int = 0
    settles_nobody: int = 0
    left: int = 0
    pairs: int = 0
    limit: str | None = None
    stopped_at: Tier | None = None
    first: int | None = None


@dataclass
class Layout:
    """Where each attribute's field lies in the words of a combination."""

    words: list[int] = field(default_factory=list)
    shifts: list[int] = field(default_factory=list)
    masks: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, counts: Sequence[int]) -> Layout:
        made = cls()
        word = used = 0
        for count in counts:
            bits = max(1, count.bit_length())
            if used + bits > WORD:
                word, used = word + 1, 0
            made.words.append(word)
            made.shifts.append(used)
            made.masks.append(((1 << bits) - 1) << used)
            used += bits
        return made

    @property
    def count(self) -> int:
        return max(self.words) + 1

    @property
    def bits(self) -> int:
        """Bits of a combination that fits one word."""
        return max(mask.bit_length() for mask in self.masks)


class Search:
    """The collapsed records of a source and the walks over them.

    ``levels`` are those of ``attributes``, of which the first ``searched`` make the sets; the others only
    count in the sensitivity. ``user`` is the column of the users where they are the units.
    """

    def __init__(
        self,
        session: Session,
        attributes: Sequence[Attribute],
        levels: Sequence[Level],
        searched: int,
        user: str | None = None,
    ) -> None:
        self.session = session
        self.attributes = list(attributes)
        self.all_levels = list(levels)
        self.levels = self.all_levels[:searched]
        self.user = user
        tables = [f"values_{position}" for position in range(searched)]
        for table, attribute in zip(tables, self.attributes, strict=False):
            session.run(
                "value_codes",
                source=ASSESSED,
                attribute=attribute,
                table=table,
            )
        if user is not None:
            person = Attribute("user", (Part(user),))
            session.run("value_codes", source=ASSESSED, attribute=person, table="persons")
        #: The different values of each attribute.
        self.counts = counts = [row["records"] for row in session.run("row_counts", tables=tables)]
        self.set_bits = len(self.attributes)
        self.id_bits = session.row("count_records", source=ASSESSED)["records"].bit_length()
        self.layout = Layout.of([*counts, *[1] * (len(self.attributes) - searched)])
        session.run(
            "combinations",
            source=ASSESSED,
            attributes=self.attributes,
            tables=tables,
            words=self.layout.words,
            shifts=self.layout.shifts,
            masks=self.layout.masks,
            user=user,
            persons="persons",
            id_bits=self.id_bits,
            set_bits=self.set_bits,
            table="combinations",
        )
        totals = session.row("combination_totals")
        self.combinations: int = totals["combinations"]
        self.records: int = totals["records"]
        self.missing_cells: int = totals["missing_cells"]
        constant = [
            position
            for position, count in enumerate(counts)
            if count + (totals["ever_missing"] >> position & 1) < 2
        ]
        persons = self.records if user is None else self._rows("persons")
        #: A constant singles out nobody but somebody who is alone.
        self.varying = [p for p in range(searched) if p not in constant or persons == 1]
        #: Pairs of attributes of which one adds nothing, as bits; and attributes, by position, whose values
        #: stand one to one for those of another, which is searched in their stead.
        self.redundant: list[int] = []
        self.twins: dict[int, int] = {}

    # --- what adds nothing ---------------------------------------------------------------------------

    def find_dependencies(self, ignore_missing: bool) -> None:
        """Look for attributes that another one determines.

        Some combinations refute most pairs, the others are counted on all. An attribute of nearly as many
        values as there are combinations is passed over: it settles nearly everybody by itself.
        """
        self.redundant, self.twins = [], {}
        self._list_attributes(self.varying)
        some = self._pair_classes(SAMPLE, [])
        likely = [
            mask
            for mask in some
            if mask.bit_count() == 2
            and any(
                some[mask][0] == some[one][0] and 2 * self.counts[one.bit_length() - 1] < self.combinations
                for one in _ones(mask)
            )
        ]
        if not likely:
            return
        wanted = sorted({one for mask in likely for one in _ones(mask)} | set(likely))
        whole = some if self.combinations <= SAMPLE else self._pair_classes(None, wanted)
        for mask in likely:
            classes, partly = whole[mask]
            first, second = _ones(mask)
            if classes not in (whole[first][0], whole[second][0]):
                continue
            self.redundant.append(mask)
            one_to_one = classes == whole[first][0] == whole[second][0]
            a, b = first.bit_length() - 1, second.bit_length() - 1
            one, other = self.levels[a], self.levels[b]
            alike = (one.economic, one.psychological) == (other.economic, other.psychological)
            if one_to_one and alike and not (partly and ignore_missing) and not {a, b} & self.twins.keys():
                self.twins[b] = a

    def _pair_classes(self, most: int | None, masks: list[int]) -> dict[int, tuple[int, bool]]:
        rows = self.session.run(
            "pair_classes", table="combinations", words=self.layout.count, most=most, masks=masks
        )
        return {row["mask"]: (row["classes"], row["partly_missing"]) for row in rows}

    def _list_attributes(self, searched: Sequence[int]) -> None:
        self.session.run(
            "searched_attributes",
            economic=[level.economic for level in self.all_levels],
            psychological=[level.psychological for level in self.all_levels],
            words=self.layout.words,
            masks=self.layout.masks,
            set_bits=self.set_bits,
            searched=list(searched),
        )

    # --- the walk ------------------------------------------------------------------------------------

    def tiers(self) -> list[Tier]:
        """All tiers that have sets, the easiest first."""
        found = [
            Tier(0, size, economic, psychological)
            for economic in (1, 2, 3)
            for psychological in (1, 2, 3)
            for size in range(1, len(self.levels) + 1)
            if self._sets_of(size, economic, psychological)
        ]
        found.sort(key=lambda tier: -tier.ease)
        return [dataclasses.replace(tier, number=number) for number, tier in enumerate(found)]

    def _sets_of(
        self, size: int, economic: int, psychological: int, positions: Sequence[int] | None = None
    ) -> int:
        """How many sets, of these attributes or of all, have exactly this size and these highest levels."""
        levels = self.levels if positions is None else [self.levels[position] for position in positions]

        def up_to(e: int, p: int) -> int:
            return math.comb(sum(_within(level, e, p) for level in levels), size)

        e, p = economic, psychological
        return up_to(e, p) - up_to(e - 1, p) - up_to(e, p - 1) + up_to(e - 1, p - 1)

    @property
    def sets_possible(self) -> int:
        return int(2 ** len(self.levels) - 1)

    def walk(
        self, *, ignore_missing: bool, only_missing: bool = False, limits: Limits, started: float
    ) -> Walk:
        """Settle every person whom some set singles out, from the easiest tier on.

        ``ignore_missing``: a missing value tells nothing, else it is a value. ``only_missing``: only
        persons with a missing value. Fills the tables ``settled`` and ``ties``; who is left is in
        ``open_persons``.
        """
        session, walk = self.session, Walk()
        self._empty("settled", ["id", "tier"], ["first_mask", "any_mask", "every_mask", "missing"])
        self._empty("ties", ["id"], ["mask"])
        self._empty("left_persons", ["id"], ["missing"])
        self.searched = [position for position in self.varying if position not in self.twins]
        self._list_attributes(self.searched)
        left = self._made(
            "open_persons", table="combinations", words=self.layout.count, only_missing=int(only_missing)
        )
        self.patterns = self._patterns(ignore_missing)
        if self.patterns or len(self.all_levels) > len(self.levels):
            self._close([_mask(self.searched)], self.patterns)
            left = self._made("keep_closed")
        classes: dict[tuple[int, int], int] = {}
        shared, tried = 0, False
        for tier in self.tiers():
            full = self._sets_of(tier.size, tier.economic, tier.psychological)
            if left and self._too_many(tier, self.searched):
                left = self._leave("max_sets", tier, walk)
            if left == 0:
                walk.left += full
                continue
            class_bit, here = self._class(classes, tier, left)
            if limits.max_size is not None and tier.size > limits.max_size:
                if here:
                    left = self._leave("max_size", tier, walk, class_bit)
                walk.left += full
                continue
            made = self._make_tier(tier, begin=tier.number == 0)
            walk.adds_nothing += full - made
            if here == 0:
                walk.settles_nobody += made
                continue
            if not tried and self._few_are_left(left, walk, limits):
                tried = True
                session.run("number_open")
                shared = max(1, self._agreements())
                if shared > self.combinations:  # looking at all combinations is cheaper
                    shared = 0
            examined, found, limit = 0, 0, None
            batches = _spans(made, PROBED_PAIRS // shared) if shared else self._batches(made, here)
            for first, last in batches:
                last = min(last, first + self._affordable(limits, walk, examined, shared) - 1)
                late = limits.time_limit is not None and time.monotonic() - started > limits.time_limit
                if late or last < first:
                    limit = "time_limit" if late else "max_sets"
                    break
                if shared:
                    found += self._made(
                        "examine_agreements",
                        first=first,
                        last=last,
                        ignored=int(ignore_missing and self.missing_cells > 0),
                        begin=int(first == 0),
                        **{"class": class_bit},
                    )
                else:
                    found += self._examine(first, last, ignore_missing, here, class_bit=class_bit)
                walk.pairs += (last + 1 - examined) * (shared or self.combinations)
                examined = last + 1
            walk.examined += examined
            walk.left += made - examined
            if found:
                left = self._book(tier, walk)
            if examined < made:
                left = self._leave(limit or "max_sets", tier, walk)
        return walk

    def _too_many(self, tier: Tier, positions: Sequence[int]) -> bool:
        sets = self._sets_of(tier.size, tier.economic, tier.psychological, positions)
        return sets > MOST_SETS_OF_A_TIER

    def _patterns(self, ignore_missing: bool) -> bool:
        """Whether the patterns of missing values among the open persons are looked at one by one."""
        if not ignore_missing or not self.missing_cells:
            return False
        return bool(self.session.row("count_patterns")["patterns"] <= MOST_PATTERNS)

    def _few_are_left(self, left: int, walk: Walk, limits: Limits) -> bool:
        """Whether it is cheaper to compare the open combinations with all others once than to look at all
        combinations for each set that is left."""
        if not walk.examined or left >= WITNESS_SHARE * self.combinations:
            return False
        sets = self.sets_possible - walk.examined - walk.adds_nothing - walk.settles_nobody
        sets = min(sets, self._affordable(limits, walk, 0, 0))
        return left * self.combinations <= AGREEMENT_PAIRS and sets > AGREEMENT_COST * left

    def _agreements(self) -> int:
        return self._made(
            "agreements",
            table="combinations",
            positions=self.searched,
            words=self.layout.words,
            masks=self.layout.masks,
        )

    def _affordable(self, limits: Limits, walk: Walk, examined: int, shared: int) -> int:
        """How many more sets the limits allow."""
        sets = self.sets_possible
        if limits.max_sets is not None:
            sets = min(sets, limits.max_sets - walk.examined - examined)
        if limits.max_pairs is not None:
            sets = min(sets, (limits.max_pairs - walk.pairs) // (shared or self.combinations))
        return max(0, sets)

    def _leave(self, limit: str, tier: Tier, walk: Walk, class_bit: int = 0) -> int:
        """A limit leaves this tier out: whom its sets could single out stays unknown."""
        if walk.limit is None:
            walk.limit, walk.stopped_at = limit, tier
        self.session.run("leave_unknown", **{"class": class_bit})
        return self._made("keep_known")

    def walk_without(self, walk: Walk, *, ignore_missing: bool, most_pairs: int) -> bool:
        """After a complete walk: find how easily everybody is singled out without each attribute.

        Only those matter in all of whose easiest sets an attribute is, and tiers from the first on that
        settled somebody. Fills the table ``without_attribute``; returns False where that would take more
        than ``most_pairs`` pairs of a set and a combination.
        """
        session = self.session
        self._empty("without_attribute", ["position", "tier", "records"], ["missing"])
        self._list_attributes(self.varying)
        session.run("needs", words=self.layout.count)
        whole = _mask(self.varying)
        patterns = self._patterns(ignore_missing)
        tries = len(self.varying) * (session.row("count_patterns")["patterns"] if patterns else 1)
        pairs = tries * self.combinations
        if pairs > most_pairs:
            return False
        self._close([whole & ~(1 << position) for position in self.varying], patterns)
        session.run("reachable", searched=whole, patterns=int(patterns))
        session.run("unreachable")
        here = self._made("keep_needed")
        for tier in self.tiers():
            if here == 0:
                break
            if self._too_many(tier, self.varying):
                return False
            made = self._make_tier(tier, begin=tier.number == 0)
            if walk.first is None or tier.number < walk.first:
                continue
            pairs += made * self.combinations
            if pairs > most_pairs:
                return False
            found = 0
            for start, last in self._batches(made, here):
                found += self._examine(start, last, ignore_missing, here, needed=True)
            if found:
                session.run("release", tier=tier.number)
                here = self._made("close_needed")
        session.run("give_up")
        return True

    def _empty(self, table: str, numbers: list[str], sets: list[str]) -> None:
        self.session.run(
            "empty_table",
            table=table,
            numbers=numbers,
            number_bits=self.id_bits,
            sets=sets,
            set_bits=self.set_bits,
        )

    def _made(self, name: str, **arguments: Any) -> int:
        """Run a statement that fills a table; returns the number of rows it put there."""
        return int(self.session.row(name, **arguments)["Count"])

    def _rows(self, table: str) -> int:
        return self.session.row("row_counts", tables=[table])["records"]

    def _make_tier(self, tier: Tier, begin: bool) -> int:
        made = self._made(
            "tier_sets",
            size=tier.size,
            economic=tier.economic,
            psychological=tier.psychological,
            words=self.layout.count,
            redundant=self.redundant,
        )
        self.session.run("keep_sets", begin=int(begin))
        return made

    def _class(self, classes: dict[tuple[int, int], int], tier: Tier, left: int) -> tuple[int, int]:
        """The bit of the open persons that the tier's class of attributes can single out at all, and how
        many combinations of theirs are open. All of them together are tried once."""
        levels = (tier.economic, tier.psychological)
        inside = [p for p in self.searched if _within(self.levels[p], *levels)]
        if len(inside) == len(self.searched):
            return 0, left
        if levels not in classes:
            classes[levels] = 1 << len(classes)
            self._close([_mask(inside)], self.patterns)
            self.session.run("mark_class", **{"class": classes[levels]})
        return classes[levels], self.session.row("count_open", **{"class": classes[levels]})["combinations"]

    def _close(self, unions: list[int], patterns: bool) -> None:
        """Find the open persons whom these large sets single out, on each pattern of missing values."""
        count = self._made(
            "closure_sets",
            unions=unions,
            words=self.layout.count,
            patterns=int(patterns),
        )
        for first, last in self._batches(count, self.combinations):
            self._examine(first, last, patterns, self.combinations, pattern=patterns)
        if not count:
            self._empty("found", ["id"], ["mask"])

    def _batches(self, sets: int, here: int) -> Iterator[tuple[int, int]]:
        """The first and last sets of each statement."""
        witnesses = here < WITNESS_SHARE * self.combinations
        grouped = here if witnesses else self.combinations
        return _spans(sets, min(BATCH_PAIRS // max(1, grouped), PROBED_PAIRS // max(1, self.combinations)))

    def _examine(
        self,
        first: int,
        last: int,
        ignore_missing: bool,
        here: int,
        *,
        class_bit: int = 0,
        pattern: bool = False,
        needed: bool = False,
    ) -> int:
        witnesses = here < WITNESS_SHARE * self.combinations
        ignored = int(ignore_missing and self.missing_cells > 0)
        several = int(self.user is not None)
        if first == last and not pattern and not needed and self.combinations > BATCH_PAIRS // 2:
            row = self.session.row("tier_set", number=first)
            fields = [row[f"f{word}"] for word in range(self.layout.count)]
            used = [word for word, field in enumerate(fields) if field]
            return self._made(
                "examine_set",
                table="combinations",
                mask=row["mask"],
                set_bits=self.set_bits,
                words=used,
                fields=[fields[word] for word in used],
                several=several,
                ignored=ignored,
                begin=int(first == 0),
                # Once a tier is cheaper than once a set where most are open.
                filtered=int(several or 2 * here < self.combinations),
                witnesses=int(witnesses),
                **{"class": class_bit},
            )
        return self._made(
            "examine_sets",
            table="combinations",
            words=self.layout.count,
            bits=self.layout.bits,
            first=first,
            last=last,
            several=several,
            ignored=ignored,
            open_if="needed" if needed else "pattern" if pattern else "class" if class_bit else "all",
            begin=int(first == 0),
            witnesses=int(witnesses),
            **{"class": class_bit},
        )

    def _book(self, tier: Tier, walk: Walk) -> int:
        """Settle whom the tier singled out; returns how many combinations are still open."""
        session = self.session
        best = "found"
        if self.twins:
            best = "best"
            session.run(
                "best_sets",
                kept=[1 << kept for kept in self.twins.values()],
                twins=[1 << twin for twin in self.twins],
            )
        session.run("settle", best=best, tier=tier.number, several=int(self.user is not None))
        session.run("ties", best=best, tier=tier.number)
        walk.first = tier.number if walk.first is None else walk.first
        return self._made("close_settled")


def _within(level: Level, economic: int, psychological: int) -> bool:
    return level.economic <= economic and level.psychological <= psychological


def _spans(sets: int, most: int) -> Iterator[tuple[int, int]]:
    """The first and last of every ``most`` sets, one at a time at least."""
    step = max(1, most)
    for first in range(0, sets, step):
        yield first, min(first + step, sets) - 1


def _mask(positions: Sequence[int]) -> int:
    return sum(1 << position for position in positions)


def _ones(mask: int) -> list[int]:
    """The single bits of a mask."""
    return [1 << position for position in range(mask.bit_length()) if mask >> position & 1]
