"""Simulated annealing of a release by swapping records for fresh ones.

As in the report of 2020: records of the table are replaced by those of a fresh draw of the generator; what
lowers the cost is kept, other swaps with probability exp(-increase / temperature). Other than there, and all
of it to be quick: swaps are proposed in batches of which no two meet in a record, so that one statement tells
what each of them would change, and records in use are not drawn again; fresh draws are larger than the table,
and each serves many batches; and trees count as they were measured last until the other indices are reached,
from when on they are measured for every swap that keeps these, and it begins to cool anew.

A guided search also departs from it in what it proposes and in what it minimises on the way: of several times
as many candidates it takes those that gain most by the derivative of what it minimises; the excess of all
pairs of dummies is summed where the report's cost has that of the worst; and in place of the trees, which
jump, it has how far the leaves of the original's trees are from having as many records of either label as in
the original. The trees themselves are measured before each batch once the other indices are reached, from
when on it cools anew after a batch of which nothing was kept; it ends, as the other, where the report's cost
is 0.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from duckrisk.membership import exchange
from duckrisk.membership.search import BEST, CURRENT, FRESH, MOVES, SLACK, Search
from duckrisk.templates import Sql, identifier

#: Proposals of a batch; guided ones; and guided ones while trees are measured.
_BATCH, _GUIDED, _TREES = 200, 250, 100
#: Guided: so many candidates for each record that leaves, and for each that comes.
_LEAVING, _COMING = 4, 16
#: A draw of fresh records serves so many batches, a guided search no more once nothing of it helps.
_SERVES = 50


class Swapping(Search):
    """The annealing of one table."""

    tables = (BEST, CURRENT)

    def begin(self, restored: bool) -> None:
        """Start with a fresh table, or take up those that were restored."""
        if not restored:
            self.start(CURRENT)
        self.cells = exchange.totals(self.session, self.layout, CURRENT)
        self.found = self.measure.of(self.cells)
        self.partial = self.driving(self.found)
        if restored:
            return
        if self.judge is not None:
            self.standing.trees = self.trees_of(CURRENT)
        self.keep(BEST, CURRENT)
        self.standing.best = self.standing.start = self.cost()

    def cost(self) -> float:
        """The cost of the report."""
        return self.found.short(self.thresholds) + self.short_trees(self.standing.trees)

    def turn(self) -> None:
        """A batch of proposals."""
        standing, number = self.standing, self.standing.batch
        self.fresh(standing.draw)
        before = self._remember()
        if self._opening():
            self._measured()
        if self.done():
            return
        proposals = self._propose(number)
        deltas = self.deltas(CURRENT, FRESH, MOVES, proposals)
        if standing.opened and not self.plan.guided:
            self.hold_moves()
        draws = self._draws(number, proposals)
        kept: list[int] = []
        best: int | None = None
        for proposal in range(proposals):
            if standing.best <= 0:
                break
            if self.done() or self.ways.stopped():
                self._keep_best(kept, best)
                self.ended = replace(standing)
                self._recall(before)
                return
            if self._step(deltas[proposal], proposal, draws[proposal]):
                kept.append(proposal)
                if self._opening() and not standing.opened:
                    break  # trees are measured before anything else
                cost = self.cost()
                told = not standing.opened or (self.partial <= 0 and not self.plan.guided)
                if cost < standing.best and told:
                    standing.best, best = cost, len(kept)
            if proposal % 10 == 0 or standing.opened:
                self.tell(self.cost(), self.found, len(kept) / (proposal + 1))
        self._keep_best(kept, best)
        if kept:
            self._apply(CURRENT, kept)
        standing.batch, standing.served = number + 1, standing.served + 1
        if standing.served >= _SERVES or (self.plan.guided and not kept):
            standing.draw, standing.served = standing.draw + 1, 0
            if standing.opened and not kept:
                standing.heated = standing.iteration

    def _opening(self) -> bool:
        """Whether trees count as they are: the other indices are reached, or have been."""
        return self.judge is not None and (self.standing.opened or self.found.short(self.thresholds) <= 0)

    def _measured(self) -> None:
        """Measure the trees of the table."""
        standing = self.standing
        standing.trees = self.trees_of(CURRENT)
        short = self.found.short(self.thresholds)
        if short <= 0 and (not standing.opened or self.cost() < standing.best):
            standing.best = self.cost()  # what was the best before counted trees of another table
            self.keep(BEST, CURRENT)
        if not standing.opened:
            standing.opened, standing.heated = True, standing.iteration

    def _propose(self, number: int) -> int:
        """Make the proposals of a batch; how many there are."""
        size, records = self.swap, self.records
        most, leaving, coming = _BATCH, 1, 1
        gain: Sql | None = None
        weights: str | None = None
        if self.plan.guided:
            most, leaving, coming = (_TREES if self.standing.opened else _GUIDED), _LEAVING, _COMING
            gain = self.layout.gain()
            found = self.measure.weights(self.cells, self.thresholds, SLACK)
            weights = str(found.tolist())
        proposals = max(1, min(most, records // (leaving * size)))
        self.session.run(
            "swap_moves",
            name=MOVES,
            current=identifier(CURRENT),
            fresh=identifier(FRESH),
            draw=int(self.draw or 0),
            drawn=[self.chance.drawn(way, number) for way in ("goes", "place", "comes", "partner")],
            gain=gain,
            weights=weights,
            leaving=leaving * proposals * size,
            coming=coming * proposals * size,
            records=proposals * size,
            size=size,
        )
        return proposals

    def _draws(self, number: int, proposals: int) -> Any:
        import numpy as np

        return np.random.default_rng([self.plan.seed, number]).random(proposals)

    def _step(self, delta: tuple[Any, Any], proposal: int, drawn: float) -> bool:
        """Keep a proposal or not."""
        standing, judge = self.standing, self.judge
        temperature = self.plan.temperature * self.plan.cooling ** (standing.iteration - standing.heated)
        standing.iteration += 1
        # The least that the draw would keep: exp(-(new - old) / temperature) = drawn.
        short = 0.0 if self.plan.guided else self.short_trees(standing.trees)
        limit = self.partial + short - temperature * math.log(max(drawn, 1e-300))
        cells = self.changed(self.cells, delta)
        found = self.measure.of(cells)
        partial = self.driving(found)
        if partial > limit:
            return False  # whatever the trees
        trees = standing.trees
        where = slice(proposal * self.swap, (proposal + 1) * self.swap)
        if judge is not None and self.plan.guided:
            judge = None  # the leaves stand for the trees
        if judge is not None and standing.opened and partial <= 0:
            trees = judge.values(where)
            standing.measured += 1
        if not self.plan.guided and partial + self.short_trees(trees) > limit:
            return False
        if judge is not None and standing.opened:
            judge.keep(where)
        self.cells, self.found, self.partial, standing.trees = cells, found, partial, trees
        standing.kept += 1
        return True

    def _apply(self, name: str, kept: list[int]) -> None:
        """Make a table of the current one and the proposals that were kept."""
        self.session.run(
            "swapped_records",
            name=name,
            current=identifier(CURRENT),
            fresh=identifier(FRESH),
            moves=identifier(MOVES),
            kept=kept,
            columns=self.moved,
        )

    def _keep_best(self, kept: list[int], best: int | None) -> None:
        if best is not None:
            self._apply(BEST, kept[:best])

    def _remember(self) -> tuple[Any, ...]:
        standing = self.standing
        return (
            (self.cells, self.found, self.partial),
            (standing.iteration, standing.kept, standing.measured, standing.trees),
            (standing.opened, standing.heated),
        )

    def _recall(self, before: tuple[Any, ...]) -> None:
        """As it was before the batch: what goes on from there does the same again."""
        standing = self.standing
        (self.cells, self.found, self.partial), counts, opened = before
        standing.iteration, standing.kept, standing.measured, standing.trees = counts
        standing.opened, standing.heated = opened
