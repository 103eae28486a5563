"""The search for the attribute sets that single people out most easily; the work is done in SQL.

Yamaoka and Itoh's optimum for every record, walked from the easiest sets on: all sets of one size and
one sensitivity have the same ease and are a *tier*. Whoever a tier singles out is settled, and the walk
ends when all are settled whom any set can single out. Python orders, prunes and stops.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from duckrisk.identifiability.combinations import Limits, mask_of, spans
from duckrisk.identifiability.examining import BATCH_PAIRS, PROBED_PAIRS
from duckrisk.identifiability.tiers import Tier, Tiers, within
from duckrisk.templates import Attribute

#: Attributes have a bit each in a whole number of the engine.
MOST_ATTRIBUTES = 60
#: A statement books no more persons than about so many, a small hash table being fast, in no more parts than
#: so many, each of which looks at all that was found.
PERSONS = 2_500_000
MOST_PARTS = 8
#: Below this share of open combinations the attributes are found that each of these requires.
REQUIRED_SHARE = 0.5
#: That is worth so much of the work that is left, and pays when so many times its own sets came up.
REQUIRED_WORK = 0.25
REQUIRED_SETS = 8
#: Open combinations are compared with those that agree with them in so many attributes they require, where
#: that makes no more pairs than these, each as dear as so many combinations looked at for one set; pairs are
#: counted in about so many combinations, in one of so many at least.
ANCHOR = 3
AGREEMENT_PAIRS = 50_000_000
AGREEMENT_COST = 8
#: Where it made more, it is tried again at such a share of the open ones. More agreements than so many times
#: the combinations take longer than these: it is tried again much later.
COMPARED_AGAIN = 0.7
MOST_AGREEMENTS = 2
DISCARDED_SHARE = 0.25
SAMPLED = 2_000
SPARSEST = 1_000
#: Who requires nothing is compared with everybody, which is as dear as so many sets: that waits until as many
#: were tried, which settle most of these.
UNBOUND_SETS = 2
#: Small tiers share a statement where they have no more pairs of a set and an open combination than these.
OPEN_PAIRS = 3_000_000


class _Batch(TypedDict):
    """The sets that are examined at once: their table, and their numbers there."""

    sets: str
    first: int
    last: int
    several_tiers: int


@dataclass
class Walk:
    """How a walk went: sets examined, why others were not, and whether it ended.

    ``stopped_at`` is the first tier of which a limit left out sets; ``cut_at`` the first of which it left
    out some by where the walk stood, not by their size."""

    examined: int = 0
    adds_nothing: int = 0
    settles_nobody: int = 0
    left: int = 0
    pairs: int = 0
    limit: str | None = None
    stopped_at: Tier | None = None
    cut_at: Tier | None = None
    first: int | None = None


class Search(Tiers):
    """The walks over a source's attribute sets."""

    #: Whether comparing waits for UNBOUND_SETS: not where the pairs looked at decide what is shown.
    patient = False

    def walk(self, *, ignore_missing: bool, only_missing: bool = False, limits: Limits) -> Walk:
        """Settle every person whom some set singles out, from the easiest tier on.

        ``ignore_missing``: a missing value tells nothing, else it is a value. ``only_missing``: only
        persons with a missing value. Fills the tables ``settled`` and ``found``, and the view ``best``;
        who is left is in ``open_persons``.
        """
        walk = Walk()
        left = self._begin(ignore_missing, only_missing, limits)
        self.tiers = tiers = self._tiers()
        listed = self._list_sets(tiers, self.searched)
        position = 0
        while position < len(tiers):
            step = self._step(tiers[position:], listed, limits, walk, left)
            position += len(step)
            left = self._take(step, listed, limits, walk, left, ignore_missing)
        if not self.large and walk.first is not None:
            self._settle("combinations")
        return walk

    def _begin(self, ignore_missing: bool, only_missing: bool, limits: Limits) -> int:
        """Make the tables of a walk; returns how many combinations are open."""
        session = self.session
        self.closure_pairs = 0
        self._empty("settled", ["id"], ["tier", "first_mask", "any_mask", "every_mask", "missing"])
        self._empty("found", ["id"], ["tier", "mask"])
        session.run(
            "best_sets",
            kept=[1 << kept for kept in self.twins.values()],
            twins=[1 << twin for twin in self.twins],
        )
        self._empty("left_persons", ["id"], ["missing"])
        self.searched = [position for position in self.varying if position not in self.twins]
        self._list_attributes(self.searched)
        # Where nearly all are open they take as much memory as the combinations.
        self.with_values = not self.large or self.user is not None
        left = self._made(
            "open_persons",
            table="combinations",
            words=self.layout.count,
            set_bits=self.set_bits,
            with_values=int(self.with_values),
            sharing=int(self.sharing),
            only_missing=int(only_missing),
        )
        #: How many were open at first, where those were all whom anything singles out.
        self.everybody = None if only_missing else left
        self.patterns = self._patterns(ignore_missing)
        if self.patterns or len(self.all_levels) > len(self.levels):
            with session.until(limits.until):
                self._close([mask_of(self.searched)], self.patterns, left)
                left = self._made("keep_closed")
        #: The bits of classes of attributes; whether it is known what open persons require; sets that came up
        #: since it could be; how many were open when last compared; how many agreements are listed; sets that
        #: were tried instead.
        self.classes: dict[tuple[int, int], int] = {}
        self.required, self.came_up = False, 0
        self.compared, self.shared, self.waited = self.combinations, 0, 0
        return left

    def _take(
        self,
        step: Sequence[Tier],
        listed: dict[int, int] | None,
        limits: Limits,
        walk: Walk,
        left: int,
        ignore_missing: bool,
    ) -> int:
        """Settle whom these tiers single out; returns how many of ``left`` combinations are still open."""
        tier, last_tier = step[0], step[-1]
        full = sum(self._sets_of(tier.size, tier.economic, tier.psychological) for tier in step)
        if left and self._too_many(tier, self.searched):
            left = self._leave("too_many_sets", tier, walk)
        if left and limits.late():
            left = self._leave("time_limit", tier, walk)
        if left == 0:
            walk.left += full
            return left
        class_bit = self._class(tier, left) if tier is last_tier else 0
        if limits.max_size is not None and tier.size > limits.max_size:
            if self._count_open(class_bit, left):
                left = self._leave("max_size", tier, walk, class_bit)
            walk.left += full
            return left
        first, count = self._make_tiers(step, listed)
        walk.adds_nothing += full - count
        listed_sets = count
        if not self.required and left < REQUIRED_SHARE * self.combinations:
            self.came_up += count
            if self._may_require(limits, walk):
                with self.session.until(limits.until):
                    self._require(self.searched, self.patterns, left)
                    self.required = True
        if self.required:
            first = 0
            count, here = self._useful(step, "class" if class_bit else "all", class_bit)
        else:
            here = self._count_open(class_bit, left)
            count *= here > 0
        walk.settles_nobody += listed_sets - count
        if count == 0:
            return left
        if self.required and not self.shared and left <= COMPARED_AGAIN * self.compared:
            with self.session.until(limits.until):
                sets = self.sets_possible - walk.examined - walk.adds_nothing - walk.settles_nobody
                most = self._affordable(limits, walk, 0)
                if not self.patient or sets > most or not self._waits(count):
                    self.shared = self._compare_open(left, min(sets, most) * self.combinations, self.searched)
        span = range(first, first + count)
        several = tier is not last_tier
        examined, singled, limit = self._examine_sets(
            span, here, class_bit, limits, walk, several=several, ignore_missing=ignore_missing
        )
        walk.examined += examined
        walk.left += count - examined
        if singled:
            left = self._book(step, singled, left, walk)
        if examined < count:
            left = self._leave(limit or limits.on_sets, tier, walk)
        return left

    def _examine_sets(
        self,
        numbers: range,
        here: int,
        class_bit: int,
        limits: Limits,
        walk: Walk,
        *,
        several: bool,
        ignore_missing: bool,
    ) -> tuple[int, int, str | None]:
        """Examine sets by their numbers, of one tier or of several; returns how many were, how often they
        singled somebody out, and the limit that ended it, if one did."""
        table = "useful" if self.required else "sets"
        first, count = numbers.start, len(numbers)
        batches: Iterator[tuple[int, int, int]]
        if self.shared:
            batches = ((low, high, 0) for low, high in spans(count, PROBED_PAIRS // self.shared))
        else:
            timed = limits.until is not None
            batches = self._batches(table, first, count, here, timed=timed)
        examined, singled = 0, 0
        for low, high, used in batches:
            high = min(high, low + self._affordable(limits, walk, examined) - 1)
            if high < low:
                return examined, singled, limits.on_sets
            batch = _Batch(sets=table, first=first + low, last=first + high, several_tiers=int(several))
            with self.session.until(limits.until) as time:
                if self.shared:
                    singled += self._made(
                        "examine_agreements",
                        ignored=int(ignore_missing and self.missing_cells > 0),
                        of=[],
                        forms=[],
                        needed=0,
                        begin=0,
                        **batch | {"class": class_bit},
                    )
                else:
                    singled += self._examine(ignore_missing, here, used=used, class_bit=class_bit, **batch)
            if time.over:
                return examined, singled, "time_limit"
            walk.pairs += (high + 1 - examined) * (self.shared or self.combinations)
            examined = high + 1
        return examined, singled, None

    def _step(
        self,
        tiers: Sequence[Tier],
        listed: dict[int, int] | None,
        limits: Limits,
        walk: Walk,
        left: int,
    ) -> Sequence[Tier]:
        """The tiers that come next: several at once where they are small and no limit ends within them."""
        if listed is None or limits.max_size is not None or self.large or left == 0:
            return tiers[:1]
        by_agreements = min(PROBED_PAIRS // self.shared, OPEN_PAIRS // left) if self.shared else 0
        most = by_agreements or BATCH_PAIRS // self.combinations
        most = min(most, self._affordable(limits, walk, 0))
        sets = itertools.accumulate(listed.get(tier.number, 0) for tier in tiers)
        return tiers[: max(1, sum(count <= most for count in sets))]

    def _waits(self, count: int) -> bool:
        """Whether to try so many sets of the next tiers before the open combinations are compared."""
        unbound = self.session.row("count_unbound")["combinations"]
        self.waited += count
        return bool(self.waited < UNBOUND_SETS * unbound)

    def _compare_open(
        self,
        left: int,
        affordable: int,
        positions: Sequence[int],
        of: Sequence[int] = (),
        forms: Sequence[int] = (),
    ) -> int:
        """Compare the open combinations, on the attributes at these positions, with all that agree with them
        in what they require, where that costs less than the affordable pairs of a set and a combination;
        returns the number of agreements, 0 for none."""
        self.compared = left
        unbound = self.session.row("count_unbound")["combinations"]
        if AGREEMENT_COST * unbound * self.combinations > affordable:
            return 0
        words = self.layout.count
        values = [*self.values, *self.counts[len(self.values) :]]
        by_values = sorted(range(len(values)), key=lambda position: -values[position])
        ranks = [by_values.index(position) for position in range(len(values))]
        self.session.run("anchors", words=words, ranks=ranks, size=ANCHOR, of=of, forms=forms)
        share = max(1, min(self.combinations // SAMPLED, SPARSEST))
        row = self.session.row("count_anchors", table="combinations", words=words, share=share)
        pairs = row["pairs"] * share
        cost = row["anchors"] * self.combinations + AGREEMENT_COST * pairs
        if pairs > AGREEMENT_PAIRS or cost > affordable:
            return 0
        fields = self.layout.fields(positions)
        tops = dict.fromkeys(fields, 0)
        for position in positions:
            tops[self.layout.words[position]] |= 1 << self.layout.masks[position].bit_length() - 1
        agreements = self._made(
            "agreements",
            table="combinations",
            positions=positions,
            words=self.layout.words,
            masks=self.layout.masks,
            used=list(fields),
            tops=list(tops.values()),
            lows=[fields[word] & ~tops[word] for word in fields],
            of=of,
            forms=forms,
        )
        if agreements > MOST_AGREEMENTS * self.combinations:
            self.compared = int(DISCARDED_SHARE * left)
            return 0
        return max(1, agreements)

    def _affordable(self, limits: Limits, walk: Walk, examined: int) -> int:
        """How many more sets the limits allow."""
        sets = self.sets_possible
        if limits.max_sets is not None:
            sets = min(sets, limits.max_sets - walk.examined - examined)
        if limits.max_pairs is not None:
            sets = min(sets, self.pairs_left(limits, walk) // (self.shared or self.combinations))
        return max(0, sets)

    def _leave(self, limit: str, tier: Tier, walk: Walk, class_bit: int = 0) -> int:
        """A limit leaves this tier out: whom its sets could single out stays unknown."""
        if walk.limit is None:
            walk.limit, walk.stopped_at = limit, tier
        if walk.cut_at is None and limit != "max_size":
            walk.cut_at = tier
        self.session.run("leave_unknown", **{"class": class_bit})
        return self._made("keep_known")

    def walk_without(
        self,
        walk: Walk,
        *,
        ignore_missing: bool,
        most_pairs: int,
        coarser: Mapping[int, Attribute] | None = None,
    ) -> bool:
        """After a complete walk: find how easily everybody is singled out without each attribute, and with a
        coarser form in its stead for those at the positions of ``coarser``.

        Only those matter in all of whose easiest sets an attribute is, and tiers from the first on that
        settled somebody. Fills the table ``without_attribute``; returns False where that would take more
        than ``most_pairs`` pairs of a set and a combination.
        """
        if coarser:
            self.widen(coarser)
        session = self.session
        self._empty("without_attribute", ["position", "tier", "records"], ["missing"])
        searched = [*self.varying, *self.coarser.values()]
        self._list_attributes(searched)
        of = [1 << position for position in self.coarser]
        forms = [1 << form for form in self.coarser.values()]
        self.redundant += [sum(pair) for pair in zip(of, forms, strict=True)]
        self.redundant += [sum(pair) for pair in itertools.combinations(forms, 2)]
        self.with_values = True
        left = self._made("needs", words=self.layout.count, set_bits=self.set_bits, of=of, forms=forms)
        patterns = self._patterns(ignore_missing)
        pairs = self._closures(searched, patterns) * self.combinations
        if pairs > most_pairs:
            return False
        self._require(self.varying, patterns, left, self.coarser)
        session.run("unreachable", required=1)
        here = self._made("keep_needed", forms=forms)
        listed = self._list_sets(self.tiers, searched)
        self.compared, self.shared = self.combinations, 0
        for place, tier in enumerate(self.tiers):
            if here == 0:
                break
            if self._too_many(tier, self.varying):
                return False
            self._make_tiers([tier], listed)
            if walk.first is None or tier.number < walk.first:
                continue
            count, wanted = self._useful([tier], "needed", of=of, forms=forms)
            pairs += count * self.combinations
            if pairs > most_pairs:
                return False
            if count and not self.shared and here <= COMPARED_AGAIN * self.compared:
                sets = sum(
                    self._sets_of(after.size, after.economic, after.psychological, self.varying)
                    for after in self.tiers[place:]
                )
                affordable = min(sets * self.combinations, most_pairs - pairs)
                self.shared = self._compare_open(here, affordable, searched, of, forms)
            if self._examine_needed(count, wanted, ignore_missing, of, forms):
                session.run("release", tier=tier.number)
                here = self._made("close_needed")
        session.run("unreachable", required=0)
        self._list_attributes(self.varying)
        return True

    def _examine_needed(
        self, count: int, wanted: int, ignore_missing: bool, of: Sequence[int], forms: Sequence[int]
    ) -> int:
        """Put whom so many useful sets, each tried for so many open combinations, single out without what
        they need into the table ``hits``; returns how often one did."""
        if not self.shared:
            return sum(
                self._examine(
                    ignore_missing,
                    wanted,
                    first=first,
                    last=last,
                    used=used,
                    open_if="needed",
                    found="hits",
                )
                for first, last, used in self._batches("useful", 0, count, wanted, "needed")
            )
        return sum(
            self._made(
                "examine_agreements",
                sets="useful",
                first=first,
                last=last,
                several_tiers=0,
                ignored=int(ignore_missing and self.missing_cells > 0),
                of=of,
                forms=forms,
                needed=1,
                begin=int(first == 0),
                **{"class": 0},
            )
            for first, last in spans(count, PROBED_PAIRS // self.shared)
        )

    def _class(self, tier: Tier, left: int) -> int:
        """The bit of the open persons that the tier's class of attributes can single out at all; 0 for all.
        All of them together are tried once."""
        levels = (tier.economic, tier.psychological)
        inside = [p for p in self.searched if within(self.levels[p], *levels)]
        if len(inside) == len(self.searched):
            return 0
        if levels not in self.classes:
            singled = self._close([mask_of(inside)], self.patterns, left)
            # On a large table those who are not open are found too.
            if singled == left and (left == self.everybody or not self.large):
                self.classes[levels] = 0
            else:
                self.classes[levels] = 1 << len(self.classes)
                self.session.run("mark_class", **{"class": self.classes[levels]})
        return self.classes[levels]

    def _count_open(self, class_bit: int, left: int) -> int:
        """How many of the ``left`` open combinations are of the class."""
        if not class_bit:
            return left
        return int(self.session.row("count_open", **{"class": class_bit})["combinations"])

    def _may_require(self, limits: Limits, walk: Walk) -> bool:
        """Whether finding the attributes that open persons require is a small part of the work: of the sets
        that came up, and of what a limit leaves."""
        if self.came_up < REQUIRED_SETS * len(self.searched):
            return False
        sets = self._closures(self.searched, self.patterns)
        if self.came_up < REQUIRED_SETS * sets:
            return False
        pairs = sets * self.combinations
        return limits.max_pairs is None or pairs <= REQUIRED_WORK * self.pairs_left(limits, walk)

    def pairs_left(self, limits: Limits, walk: Walk) -> int:
        """How many more pairs of a set and a combination a limit allows."""
        assert limits.max_pairs is not None
        return max(0, limits.max_pairs - walk.pairs - self.closure_pairs)

    def _require(
        self, positions: Sequence[int], patterns: bool, left: int, coarser: Mapping[int, int] | None = None
    ) -> None:
        """Find the attributes that every set that singles an open person out must contain, and the coarser
        forms by which nothing does."""
        whole, forms = mask_of(positions), dict(coarser or {})
        unions = [whole & ~(1 << position) for position in positions]
        unions += [whole & ~(1 << position) | 1 << form for position, form in forms.items()]
        self._close(unions, patterns, left)
        self.session.run(
            "require",
            searched=whole,
            forms=mask_of(list(forms.values())),
            set_bits=self.set_bits,
            table="combinations",
            words=self.layout.count,
            with_values=int(self.with_values),
            patterns=int(patterns),
        )
        self.with_values = True

    def _book(self, step: Sequence[Tier], singled: int, left: int, walk: Walk) -> int:
        """Close whom these tiers singled out; returns how many of ``left`` combinations are still open."""
        tier = step[0]
        walk.first = tier.number if walk.first is None else walk.first
        if not self.large:
            return self._made(
                "close_settled", booked="found", tier=tier.number, last=step[-1].number, into="open_persons"
            )
        # Those of earlier tiers are found again where most are open; parts of the persons stay in the cache.
        numbers = 1 << self.id_bits
        count = min(min(singled, left) // PERSONS + 1, MOST_PARTS)
        parts = list(spans(numbers, numbers // count + 1))
        still_open = 0
        for part, (low, high) in enumerate(parts):
            within = {"low": low, "high": high} if len(parts) > 1 else {}
            self._settle("open_persons", tier.number, **within)
            still_open += self._made(
                "close_settled",
                booked="settled",
                tier=tier.number,
                last=tier.number,
                into="still_open" if within else "open_persons",
                begin=int(part == 0),
                **within,
            )
        if len(parts) > 1:
            self.session.run("reopen")
        return still_open

    def _settle(self, persons: str, tier: int | None = None, **within: int) -> None:
        """Book the persons whom a tier, or all of them, singled out."""
        self.session.run("settle", tier=tier, several=int(self.user is not None), persons=persons, **within)
