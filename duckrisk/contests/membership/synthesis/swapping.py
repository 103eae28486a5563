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

from duckrisk.contests.membership.synthesis import exchange
from duckrisk.contests.membership.synthesis.search import BEST, CURRENT, FRESH, MOVES, SLACK, Search
from duckrisk.engine.templates import Sql, identifier

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
        self.indices = self.measure.of(self.cells)
        self.partial = self.driving(self.indices)
        if restored:
            return
        if self.judge is not None:
            self.state.trees = self.trees_of(CURRENT)
        self.keep(BEST, CURRENT)
        self.state.best = self.state.start = self.cost()

    def cost(self) -> float:
        """The cost of the report."""
        return self.indices.short(self.thresholds) + self.short_trees(self.state.trees)

    def turn(self) -> None:
        """A batch of proposals."""
        state, number = self.state, self.state.batch
        self.fresh(state.draw)
        before = self._remember()
        if self._opening():
            self._measured()
        if self.done():
            return
        proposals = self._propose(number)
        deltas = self.deltas(CURRENT, FRESH, MOVES, proposals)
        if state.opened and not self.settings.guided:
            self.hold_moves()
        draws = self._draws(number, proposals)
        kept: list[int] = []
        best: int | None = None
        for proposal in range(proposals):
            if state.best <= 0:
                break
            if self.done() or self.callbacks.stopped():
                self._keep_best(kept, best)
                self.ended = replace(state)
                self._recall(before)
                return
            if self._step(deltas[proposal], proposal, draws[proposal]):
                kept.append(proposal)
                if self._opening() and not state.opened:
                    break  # trees are measured before anything else
                cost = self.cost()
                complete = not state.opened or (self.partial <= 0 and not self.settings.guided)
                if cost < state.best and complete:
                    state.best, best = cost, len(kept)
            if proposal % 10 == 0 or state.opened:
                self.tell(self.cost(), self.indices, len(kept) / (proposal + 1))
        self._keep_best(kept, best)
        if kept:
            self._apply(CURRENT, kept)
        state.batch, state.served = number + 1, state.served + 1
        if state.served >= _SERVES or (self.settings.guided and not kept):
            state.draw, state.served = state.draw + 1, 0
            if state.opened and not kept:
                state.heated = state.iteration

    def _opening(self) -> bool:
        """Whether trees count as they are: the other indices are reached, or have been."""
        return self.judge is not None and (self.state.opened or self.indices.short(self.thresholds) <= 0)

    def _measured(self) -> None:
        """Measure the trees of the table."""
        state = self.state
        state.trees = self.trees_of(CURRENT)
        short = self.indices.short(self.thresholds)
        if short <= 0 and (not state.opened or self.cost() < state.best):
            state.best = self.cost()  # what was the best before counted trees of another table
            self.keep(BEST, CURRENT)
        if not state.opened:
            state.opened, state.heated = True, state.iteration

    def _propose(self, number: int) -> int:
        """Make the proposals of a batch; how many there are."""
        size, records = self.swap, self.records
        most, leaving, coming = _BATCH, 1, 1
        gain: Sql | None = None
        weights: str | None = None
        if self.settings.guided:
            most, leaving, coming = (_TREES if self.state.opened else _GUIDED), _LEAVING, _COMING
            gain = self.layout.gain()
            weights = str(self.measure.weights(self.cells, self.thresholds, SLACK).tolist())
        proposals = max(1, min(most, records // (leaving * size)))
        self.session.run(
            "swap_moves",
            name=MOVES,
            current=identifier(CURRENT),
            fresh=identifier(FRESH),
            draw=int(self.draw or 0),
            drawn=[self.chance.render_draw(way, number) for way in ("goes", "place", "comes", "partner")],
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

        return np.random.default_rng([self.settings.seed, number]).random(proposals)

    def _step(self, delta: tuple[Any, Any], proposal: int, drawn: float) -> bool:
        """Keep a proposal or not."""
        state, judge = self.state, self.judge
        temperature = self.settings.temperature * self.settings.cooling ** (state.iteration - state.heated)
        state.iteration += 1
        # The least that the draw would keep: exp(-(new - old) / temperature) = drawn.
        short = 0.0 if self.settings.guided else self.short_trees(state.trees)
        limit = self.partial + short - temperature * math.log(max(drawn, 1e-300))
        cells = self.changed(self.cells, delta)
        indices = self.measure.of(cells)
        partial = self.driving(indices)
        if partial > limit:
            return False  # whatever the trees
        trees = state.trees
        where = slice(proposal * self.swap, (proposal + 1) * self.swap)
        if judge is not None and self.settings.guided:
            judge = None  # the leaves stand for the trees
        if judge is not None and state.opened and partial <= 0:
            trees = judge.values(where)
            state.measured += 1
        if not self.settings.guided and partial + self.short_trees(trees) > limit:
            return False
        if judge is not None and state.opened:
            judge.keep(where)
        self.cells, self.indices, self.partial, state.trees = cells, indices, partial, trees
        state.kept += 1
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
        state = self.state
        return (
            (self.cells, self.indices, self.partial),
            (state.iteration, state.kept, state.measured, state.trees),
            (state.opened, state.heated),
        )

    def _recall(self, before: tuple[Any, ...]) -> None:
        """As it was before the batch: what goes on from there does the same again."""
        state = self.state
        (self.cells, self.indices, self.partial), counts, opened = before
        state.iteration, state.kept, state.measured, state.trees = counts
        state.opened, state.heated = opened
