"""Search the attribute sets that single out each person most easily; the work is done in SQL.

This is Yamaoka and Itoh's optimum for every record, walked from the easiest sets on. All sets of one size and
one sensitivity have the same ease and are a *tier*. A person that a tier singles out is settled, and the walk
ends when all are settled that any set can single out. Python orders, prunes and stops.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from duckrisk.measures.sets import costs
from duckrisk.measures.sets.agreements import Agreements
from duckrisk.measures.sets.classes import Batch, Classes
from duckrisk.measures.sets.combinations import Combinations
from duckrisk.measures.sets.limits import Limits
from duckrisk.measures.sets.masks import list_bits, make_mask, split_range
from duckrisk.measures.sets.order import choose_order
from duckrisk.measures.sets.owners import Owners
from duckrisk.measures.sets.tiers import Tier, Tiers, count_possible

#: Attributes (derived: an attribute set is a BIGINT).
MOST_ATTRIBUTES = 60


@dataclass
class Walk:
    """How a walk went.

    Attributes:
        examined: Sets that were examined.
        adds_nothing: Sets that hold what is redundant.
        settles_nobody: Sets that no open person can be singled out by.
        left: Sets that were not reached.
        pairs: Pairs of a set and a combination that were examined.
        limit: The limit that left out sets, if one did.
        stopped_at: The first tier with sets left out by a limit.
        cut_at: The first tier in which a person may have equally easy sets that were not examined.
        first: The number of the first tier that singled somebody out.
    """

    examined: int = 0
    adds_nothing: int = 0
    settles_nobody: int = 0
    left: int = 0
    pairs: int = 0
    limit: str | None = None
    stopped_at: Tier | None = None
    cut_at: Tier | None = None
    first: int | None = None


class EasiestSets:
    """The walk over the attribute sets of some combinations.

    Fills the tables `settled` and `found`, and the view `best`; `left_persons` holds the persons that a limit
    leaves unknown.

    Args:
        combinations: The combinations.
        ignore_missing: Whether a missing value reveals nothing, else it is a value.
        limits: Where the walk ends early.
        is_only_missing: Whether only persons with a missing value count.
        is_patient: Whether comparing waits until many sets were tried; not if the pairs examined decide what
            is shown.
        owners: The users, found as well where records are the persons, and recalled where they are.
    """

    def __init__(
        self,
        combinations: Combinations,
        *,
        ignore_missing: bool,
        limits: Limits,
        is_only_missing: bool = False,
        is_patient: bool = False,
        owners: Owners | None = None,
    ) -> None:
        self.combinations, self.session, self.limits = combinations, combinations.session, limits
        self.ignore_missing = ignore_missing
        self._is_only_missing, self._is_patient = is_only_missing, is_patient
        self.classes = Classes(combinations)
        self.agreements = Agreements(self.classes)
        self.walk = Walk()
        self._owners = owners
        #: Combinations that are still open.
        self.open = 0
        self._left_levels: set[tuple[int, int]] = set()
        self._is_required_known = False
        #: Attributes that are not low: with them, a projection has nearly as many combinations as all.
        self._useless: list[int] = []
        #: Sets that came up since it could be known what open persons require, and those tried since then.
        self._came_up = self._waited = 0

    def run(self) -> Walk:
        """Settle every person that some set singles out, from the easiest tier on."""
        made = self.combinations
        pairs = count_possible(len(made.searched)) * made.count
        if not made.order.separations and not self._is_patient and pairs > costs.ORDERED_PAIRS:
            made.order = choose_order(made)
        made.list_attributes(made.searched)
        self._open_persons()
        self.tiers = Tiers(made)
        self.tiers.list_sets(made.searched, made.dependencies.redundant)
        tiers = self.tiers.tiers
        position = 0
        while position < len(tiers):
            step = self._take_step(tiers[position:])
            position += len(step)
            self._settle_step(step)
        if self._owners is not None and not self._owners.is_over:
            self._owners.finish()
        if not made.is_large and self.walk.first is not None:
            self._book_persons("combinations")
        return self.walk

    @property
    def affordable_pairs(self) -> int:
        """Return how many more pairs of a set and a combination a limit allows."""
        assert self.limits.max_pairs is not None
        return max(0, self.limits.max_pairs - self.walk.pairs - self.classes.pairs_of_closures)

    # --- open persons ----------------------------------------------------------------------------

    def _open_persons(self) -> None:
        """Make the tables of the walk, with the persons that any set can single out."""
        made, session = self.combinations, self.session
        twins = made.dependencies.twins
        made.empty_table("settled", ["id"], ["tier", "first_mask", "any_mask", "every_mask", "missing"])
        made.empty_table("found", ["id"], ["tier", "mask"])
        session.run(
            "best_sets", kept=[1 << kept for kept in twins.values()], twins=[1 << twin for twin in twins]
        )
        made.empty_table("left_persons", ["id"], ["missing"])
        # Where nearly all are open, their values take as much memory as the combinations.
        self.classes.has_values = not made.is_large or made.user is not None
        self.open = made.fill(
            "open_persons",
            table="combinations",
            words=made.layout.count,
            set_bits=made.set_bits,
            with_values=self.classes.has_values,
            only_missing=self._is_only_missing,
        )
        self.classes.everybody = None if self._is_only_missing else self.open
        self._is_by_pattern = self.classes.is_by_pattern(self.ignore_missing)
        if self._is_by_pattern or len(made.all_levels) > len(made.levels):
            with session.limit_time(self.limits.until):
                self._close([make_mask(made.searched)])
                self.open = made.fill("keep_closed")

    def _close(self, unions: Sequence[int]) -> int:
        """Find the open persons that large sets single out; return how often one was."""
        return self.classes.close(unions, self._is_by_pattern, self.open)

    # --- tiers -----------------------------------------------------------------------------------

    def _take_step(self, tiers: Sequence[Tier]) -> Sequence[Tier]:
        """Return the tiers that come next: several if they are small."""
        by_tier = self.tiers.by_tier
        if by_tier is None or self.limits.max_size is not None or self.combinations.is_large or not self.open:
            return tiers[:1]
        most = costs.BATCH_PAIRS // self.combinations.count
        if self.agreements.count:
            most = min(costs.PROBED_PAIRS // self.agreements.count, costs.OPEN_PAIRS // self.open)
        most = min(most, self._count_affordable(0))
        sets = itertools.accumulate(by_tier.get(tier.number, 0) for tier in tiers)
        return tiers[: max(1, sum(count <= most for count in sets))]

    def _settle_step(self, step: Sequence[Tier]) -> None:
        """Settle the persons that the sets of some tiers single out."""
        tier, walk = step[0], self.walk
        full = sum(self.tiers.count_sets(tier) for tier in step)
        if self.open and self.tiers.is_too_large(tier):
            self._leave("too_many_sets", tier)
        if self.open and self.limits.is_time_over():
            self._leave("time_limit", tier)
        if not self.open:
            walk.left += full
            return
        if self.limits.max_size is not None and tier.size > self.limits.max_size:
            self._leave_large(tier)
            walk.left += full
            return
        first, listed = self.tiers.begin(step)
        walk.adds_nothing += full - listed
        self._find_required(listed)
        if self._is_required_known:
            first = 0
            count, wanted = self.tiers.list_useful(step, self.classes.has_questions)
        else:
            count, wanted = listed, self.open
        walk.settles_nobody += listed - count
        if not count:
            return
        self._compare(count)
        if self._affords(count):
            self._settle(step, first, count, wanted)
        elif self._is_patient:  # it asks for every easiest set
            walk.left += count
            self._leave(self.limits.on_sets, tier)
        else:
            self._settle_by_first(step, first, count, wanted)
        if self._owners is not None and not self._owners.is_over:
            self._owners.close()

    def _settle(self, step: Sequence[Tier], first: int, count: int, wanted: int) -> None:
        """Settle each person by all sets of some tiers, as far as the limits allow."""
        walk, several = self.walk, len(step) > 1
        examined, singled_out, limit = self._examine(first, count, wanted, has_several_tiers=several)
        walk.examined += examined
        if singled_out:
            self._book(step)
        if examined < count:
            walk.left += count - examined
            self._leave(limit or self.limits.on_sets, step[0])

    def _affords(self, sets: int) -> bool:
        """Return whether a limit allows to examine some sets for all open persons."""
        if self.limits.max_pairs is None:
            return True
        return sets * (self.agreements.count or self.combinations.count) <= self.affordable_pairs

    def _settle_by_first(self, step: Sequence[Tier], first: int, count: int, wanted: int) -> None:
        """Settle each person by the first sets of some tiers that single them out.

        To examine all for everybody would take too long. The best come first, and the more persons they
        settle, the fewer others are useful. A person may have more sets that are as easy.
        """
        walk, listed_for = self.walk, self.open
        if walk.cut_at is None:
            walk.cut_at = step[0]
        tried, tried_for = walk.pairs, self.open
        while count and self.open:
            if walk.pairs - tried >= costs.TRIED_PAIRS:
                if tried_for - self.open < costs.FEW_SETTLED * tried_for:
                    self._leave(self.limits.on_sets, step[0])
                    break
                tried, tried_for = walk.pairs, self.open
            sets = min(count, self.agreements.count_at_once() or self.classes.count_at_once(wanted))
            left = walk.left
            self._settle(step, first, sets, wanted)
            first, count = first + sets, count - sets
            if walk.left > left:
                break
            if count and self.open < costs.ANSWERED_SHARE * listed_for:
                listed_for = self.open
                first, count, wanted = self._list_again(step, first, count, wanted)
        walk.left += count

    def _list_again(self, step: Sequence[Tier], first: int, count: int, wanted: int) -> tuple[int, int, int]:
        """List which of the sets that are left are useful to the open persons.

        Returns the number of the first, their number, and for how many open combinations each is examined.
        """
        among = "useful" if self._is_required_known else "sets"
        self._find_required(count)
        if not self._is_required_known:
            return first, count, min(wanted, self.open)
        useful, wanted = self.tiers.list_useful(
            step, self.classes.has_questions, after=first - 1, among=among
        )
        self.walk.settles_nobody += count - useful
        self._compare(useful)
        return 0, useful, wanted

    def _examine(
        self, begin: int, count: int, wanted: int, *, has_several_tiers: bool
    ) -> tuple[int, int, str | None]:
        """Examine sets; return their number, the number of hits, and what ended it.

        Tiers that are examined together are booked by their order.
        """
        table = "useful" if self._is_required_known else "sets"
        agreements = self.agreements
        examined, singled_out = 0, 0
        for batch in self._list_batches(table, begin, count, wanted, has_several_tiers):
            sets = min(batch.sets, self._count_affordable(examined))
            if not sets:
                return examined, singled_out, self.limits.on_sets
            if sets < batch.sets:
                batch = batch._replace(sets=sets, last=batch.first + sets - 1)
            with self.session.limit_time(self.limits.until) as time:
                singled_out += self._examine_batch(table, batch, wanted, has_several_tiers)
            if time.is_over:
                return examined, singled_out, "time_limit"
            if not batch.is_known:
                self.walk.pairs += batch.sets * (agreements.count or self.classes.rows)
            examined += batch.sets
        return examined, singled_out, None

    def _list_batches(
        self, table: str, begin: int, count: int, wanted: int, has_several_tiers: bool
    ) -> Iterator[Batch]:
        """List the sets of each statement; those with known users come first."""
        if self.agreements.count:
            most = count if has_several_tiers else self.agreements.count_at_once()
            for first, last in split_range(count, most):
                yield Batch(last + 1 - first, begin + first, begin + last, 0)
            return
        if self._owners is not None and self.combinations.user is not None:
            known = self._owners.count_known(table, begin, count)
            if known:
                yield Batch(known, begin, begin + known - 1, 0, is_known=True)
            begin, count = begin + known, count - known
        last = begin + count
        if self.combinations.order.low and not has_several_tiers:  # these share a statement
            has_owners = self._owners is not None and self.combinations.user is None
            for run in self._list_runs(table, begin, count):
                yield from self._list_direct(table, begin, run.first - begin, wanted)
                with self.classes.projected(run.used, with_owners=has_owners):
                    self.walk.pairs += self.combinations.count
                    if self.classes.rows > costs.PROJECTED_SHARE * self.combinations.count:
                        self._useless.append(run.used & ~self.combinations.order.low)
                    yield from self._list_direct(table, run.first, run.sets, wanted)
                begin = run.last + 1
        yield from self._list_direct(table, begin, last - begin, wanted)

    def _list_direct(self, table: str, begin: int, count: int, wanted: int) -> Iterator[Batch]:
        """List the sets of each statement among the combinations at hand."""
        return self.classes.list_batches(table, begin, count, wanted, self.limits.until is not None)

    def _list_runs(self, table: str, begin: int, count: int) -> Iterator[Batch]:
        """List the runs of sets that few combinations serve: alike but for low attributes.

        Those that one statement examines are not worth it.
        """
        low, least = self.combinations.order.low, self.classes.count_at_once(self.combinations.count) + 1
        runs = self.session.run(
            "runs_of_sets", sets=table, first=begin, last=begin + count - 1, low=low, least=least
        )
        for run in runs:
            if not any(useless & ~run["used"] == 0 for useless in self._useless):
                yield Batch(**run)

    def _examine_batch(self, table: str, batch: Batch, wanted: int, has_several_tiers: bool) -> int:
        """Return how often the sets of a batch single out an open person."""
        ignores, owners = self.ignore_missing, self._owners
        if self.agreements.count:
            return self.agreements.examine(
                table, batch.first, batch.last, ignores, has_several_tiers=has_several_tiers
            )
        if owners is not None and batch.is_known:
            return owners.recall(table, batch, has_several_tiers=has_several_tiers)
        finds_owners = owners is not None and not owners.is_over and self._can_find_owners(wanted)
        hits = self.classes.examine(
            ignores,
            wanted,
            batch,
            sets=table,
            has_several_tiers=has_several_tiers,
            found="singled" if finds_owners else "found",
            is_first=finds_owners,
            with_owners=finds_owners,
        )
        if owners is not None and finds_owners:
            return owners.keep(batch, has_several_tiers=has_several_tiers)
        return hits

    def _can_find_owners(self, wanted: int) -> bool:
        """Return whether users can be found as well; else end that."""
        assert self._owners is not None
        if self._is_required_known or not self._owners.open or self.classes.has_witnesses(wanted):
            self._owners.finish()
        return not self._owners.is_over

    def _count_affordable(self, examined: int) -> int:
        """Count the sets that the limits still allow, after some that are not booked yet."""
        sets, limits = count_possible(len(self.combinations.levels)), self.limits
        if limits.max_sets is not None:
            sets = min(sets, limits.max_sets - self.walk.examined - examined)
        if limits.max_pairs is not None:
            sets = min(sets, self.affordable_pairs // (self.agreements.count or self.classes.rows))
        return max(0, sets)

    def _leave_large(self, tier: Tier) -> None:
        """Leave out a tier by size, with the persons that its attributes single out."""
        made, levels = self.combinations, (tier.economic, tier.psychological)
        inside = make_mask(place for place in made.searched if tier.covers(made.levels[place]))
        if levels not in self._left_levels and self._close([inside]):
            before = self.open
            self._leave_persons(closed_only=True)
            if self.open < before:
                self._book_limit("max_size", tier)
        self._left_levels.add(levels)

    def _leave(self, limit: str, tier: Tier) -> None:
        """Leave out a tier by a limit; what it could single out stays unknown."""
        self._book_limit(limit, tier)
        if self.walk.cut_at is None:
            self.walk.cut_at = tier
        self._leave_persons(closed_only=False)

    def _book_limit(self, limit: str, tier: Tier) -> None:
        """Book the first limit that left out sets."""
        if self.walk.limit is None:
            self.walk.limit, self.walk.stopped_at = limit, tier

    def _leave_persons(self, closed_only: bool) -> None:
        """Leave unknown the open persons, or those that large sets single out."""
        self.session.run("leave_unknown", closed_only=closed_only)
        self.open = self.combinations.fill("keep_known")

    # --- what prunes -----------------------------------------------------------------------------

    def _find_required(self, listed: int) -> None:
        """Find the attributes that open persons require, if it is little of the work."""
        made = self.combinations
        if self._is_required_known or self.open >= costs.REQUIRED_SHARE * made.count:
            return
        self._came_up += listed
        if self._came_up < costs.REQUIRED_SETS * len(made.searched):
            return
        sets = self.classes.count_closures(len(made.searched), self._is_by_pattern)
        if self._came_up < costs.REQUIRED_SETS * sets:
            return
        if (
            self.limits.max_pairs is not None
            and sets * made.count > costs.REQUIRED_WORK * self.affordable_pairs
        ):
            return
        with self.session.limit_time(self.limits.until):
            whole = make_mask(made.searched)
            self._close([whole & ~bit for bit in list_bits(whole)])
            self.session.run(
                "require",
                searched=whole,
                set_bits=made.set_bits,
                table="combinations",
                words=made.layout.count,
                with_values=self.classes.has_values,
            )
            self.classes.has_values = self._is_required_known = True

    def _compare(self, count: int) -> None:
        """Compare the open combinations, if that costs less than the sets left."""
        if not self._is_required_known or not self.agreements.is_due(self.open):
            return
        walk, made = self.walk, self.combinations
        with self.session.limit_time(self.limits.until):
            sets = count_possible(len(made.levels)) - walk.examined - walk.adds_nothing - walk.settles_nobody
            most = self._count_affordable(0)
            unbound = self.agreements.count_unbound()
            if self._is_patient and sets <= most:
                self._waited += count
                if self._waited < costs.UNBOUND_SETS * unbound:
                    return
            self.agreements.compare(self.open, unbound, min(sets, most) * made.count, made.searched)

    # --- booking ---------------------------------------------------------------------------------

    def _book(self, step: Sequence[Tier]) -> None:
        """Close the persons that these tiers singled out."""
        tier = step[0].number
        self.walk.first = tier if self.walk.first is None else self.walk.first
        # On a large table, those of earlier tiers are found again if most persons are open.
        is_large = self.combinations.is_large
        if is_large:
            self._book_persons("open_persons", tier)
        self.open = self.combinations.fill(
            "close_settled", booked="settled" if is_large else "found", tier=tier, last=step[-1].number
        )

    def _book_persons(self, persons: str, tier: int | None = None) -> None:
        """Book the persons that a tier, or all of them, singled out."""
        by_user = self.combinations.user is not None
        self.session.run("settle", tier=tier, by_user=by_user, persons=persons)
