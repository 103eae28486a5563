"""The search for the attribute sets that single people out most easily; the work is done in SQL.

Yamaoka and Itoh's optimum for every record, walked from the easiest sets on: all sets of one size and
one sensitivity have the same ease and are a *tier*. Whoever a tier singles out is settled, and the walk
ends when all are settled whom any set can single out. Python orders, prunes and stops.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from duckrisk.measures.identifiability.combinations import Limits, mask_of, ones, spans
from duckrisk.measures.identifiability.examining import BATCH_PAIRS, PROBED_PAIRS, Batch
from duckrisk.measures.identifiability.tiers import Tier, Tiers, within

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
#: Where comparing the open combinations made too many pairs it is tried again at such a share of these.
COMPARED_AGAIN = 0.7
#: Who requires nothing is compared with everybody, which is as dear as so many sets: that waits until as many
#: were tried, which settle most of these.
UNBOUND_SETS = 2
#: Small tiers share a statement where they have no more pairs of a set and an open combination than these.
OPEN_PAIRS = 3_000_000


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
        self._look_at("combinations")
        return walk

    def _begin(self, ignore_missing: bool, only_missing: bool, limits: Limits) -> int:
        """Make the tables of a walk; returns how many combinations are open."""
        session = self.session
        self.closure_pairs, self.questions = 0, False
        self._look_at("combinations")
        self._empty("settled", ["id"], ["tier", "first_mask", "any_mask", "every_mask", "missing"])
        self._empty("found", ["id"], ["tier", "mask"])
        session.run(
            "best_sets",
            kept=[1 << kept for kept in self.twins.values()],
            twins=[1 << twin for twin in self.twins],
        )
        self._empty("left_persons", ["id"], ["missing"])
        self._list_attributes(self.searched)
        # Where nearly all are open they take as much memory as the combinations.
        self.with_values = not self.large or self.user is not None
        left = self._made(
            "open_persons",
            table="combinations",
            words=self.layout.count,
            set_bits=self.set_bits,
            with_values=self.with_values,
            sharing=self.sharing,
            only_missing=only_missing,
        )
        self.everybody = None if only_missing else left
        self.patterns = self._patterns(ignore_missing)
        if self.patterns or len(self.all_levels) > len(self.levels):
            with session.limit_time(limits.until):
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
                with self.session.limit_time(limits.until):
                    self._require(self.patterns, left)
                    self.required = True
        if self.required:
            first = 0
            count, here = self._useful(step, class_bit)
        else:
            here = self._count_open(class_bit, left)
            count *= here > 0
        walk.settles_nobody += listed_sets - count
        if count == 0:
            return left
        if self.required and not self.shared and left <= COMPARED_AGAIN * self.compared:
            with self.session.limit_time(limits.until):
                sets = self.sets_possible - walk.examined - walk.adds_nothing - walk.settles_nobody
                most = self._affordable(limits, walk, 0)
                unbound = self._unbound()
                if not self.patient or sets > most or not self._waits(count, unbound):
                    affordable = min(sets, most) * self.combinations
                    self.shared = self._compare_open(left, unbound, affordable, self.searched)
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
        timed = limits.until is not None
        # Several tiers are looked at together: what is booked goes by their order.
        if self.shared:
            batches = self._read_off(first, count, count if several else PROBED_PAIRS // self.shared)
        else:
            batches = self._batches(table, first, count, here, timed)
        examined, singled = 0, 0
        for batch in batches:
            sets = min(batch.sets, self._affordable(limits, walk, examined))
            if not sets:
                return examined, singled, limits.on_sets
            if sets < batch.sets:
                batch = batch._replace(sets=sets, last=batch.first + sets - 1)
            with self.session.limit_time(limits.until) as time:
                if self.shared:
                    singled += self._made(
                        "examine_agreements",
                        sets=table,
                        first=batch.first,
                        last=batch.last,
                        several_tiers=several,
                        ignore_missing=ignore_missing and self.missing_cells > 0,
                        questions=False,
                        found="found",
                        replace=False,
                        **{"class": class_bit},
                    )
                else:
                    singled += self._examine(
                        ignore_missing,
                        here,
                        batch,
                        class_bit=class_bit,
                        sets=table,
                        several_tiers=several,
                    )
            if time.is_over:
                return examined, singled, "time_limit"
            walk.pairs += batch.sets * (self.shared or self.combinations)
            examined += batch.sets
        return examined, singled, None

    def _read_off(self, begin: int, count: int, most: int) -> Iterator[Batch]:
        """The batches of ``most`` of so many sets from number ``begin`` on that are read off agreements."""
        for first, last in spans(count, most):
            yield Batch(last + 1 - first, begin + first, begin + last, 0, (), "agreements", self.shared)

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
        most = BATCH_PAIRS // self.combinations
        if self.shared:
            most = min(PROBED_PAIRS // self.shared, OPEN_PAIRS // left)
        most = min(most, self._affordable(limits, walk, 0))
        sets = itertools.accumulate(listed.get(tier.number, 0) for tier in tiers)
        return tiers[: max(1, sum(count <= most for count in sets))]

    def _waits(self, count: int, unbound: int) -> bool:
        """Whether to try so many sets of the next tiers before the open combinations are compared."""
        self.waited += count
        return self.waited < UNBOUND_SETS * unbound

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
        return int(self.session.fetch_row("count_open", **{"class": class_bit})["combinations"])

    def _may_require(self, limits: Limits, walk: Walk) -> bool:
        """Whether finding the attributes that open persons require is a small part of the work: of the sets
        that came up, and of what a limit leaves."""
        if self.came_up < REQUIRED_SETS * len(self.searched):
            return False
        sets = self._closures(len(self.searched), self.patterns)
        if self.came_up < REQUIRED_SETS * sets:
            return False
        pairs = sets * self.combinations
        return limits.max_pairs is None or pairs <= REQUIRED_WORK * self.pairs_left(limits, walk)

    def pairs_left(self, limits: Limits, walk: Walk) -> int:
        """How many more pairs of a set and a combination a limit allows."""
        assert limits.max_pairs is not None
        return max(0, limits.max_pairs - walk.pairs - self.closure_pairs)

    def _require(self, patterns: bool, left: int) -> None:
        """Find the attributes that every set that singles an open person out must contain."""
        whole = mask_of(self.searched)
        self._close([whole & ~bit for bit in ones(whole)], patterns, left)
        self._list_required(whole)
        self.with_values = True

    def _list_required(self, whole: int) -> None:
        """List what each open person requires of these attributes, by whom large sets single out."""
        self.session.run(
            "require",
            searched=whole,
            set_bits=self.set_bits,
            table="combinations",
            words=self.layout.count,
            with_values=self.with_values,
        )

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
                append=part > 0,
                **within,
            )
        if len(parts) > 1:
            self.session.run("reopen")
        return still_open

    def _settle(self, persons: str, tier: int | None = None, **within: int) -> None:
        """Book the persons whom a tier, or all of them, singled out."""
        self.session.run("settle", tier=tier, by_user=self.user is not None, persons=persons, **within)
