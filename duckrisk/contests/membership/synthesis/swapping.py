"""Searches a release by simulated annealing: swaps records for fresh ones.

As in the report of 2020, records of the table are replaced by those of a fresh draw of the generator. A swap
that lowers the cost is kept, others with probability exp(-increase / temperature). To be fast, this search
differs from the report:

- Swaps are proposed in batches without a common record, so that one statement measures all of them.
- Records in use are not drawn again; a fresh draw is larger than the table and serves many batches.
- Trees count as they were measured last until the other indices are reached. From then on they are measured
  for every swap that keeps these, and the temperature starts anew.

A guided search also proposes and minimizes differently:

- From several times as many candidates it takes those that gain most by the derivative of the cost.
- It sums the excess of all pairs of dummies, where the report's cost has the worst pair.
- It replaces the trees, which jump, by the error of the counts in the leaves of the original's trees.
- Once the other indices are reached, it measures the trees before each batch, and the temperature starts anew
  after a batch without a kept swap. It ends, as the other search, when the report's cost is 0.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from duckrisk.contests.membership.synthesis import exchange
from duckrisk.contests.membership.synthesis.search import BEST, CURRENT, FRESH, MOVES, SLACK, Search
from duckrisk.engine.templates import Sql, identifier

#: Proposals of a batch; of a guided one; and of a guided one while trees are measured (a choice: a batch
#: amortizes its statement, but later swaps of it were proposed for an older table).
_BATCH, _GUIDED_BATCH, _TREE_BATCH = 200, 250, 100
#: Candidates of a guided search for each record that leaves, and for each that comes (a choice: fresh records
#: are many, those of the table few).
_LEAVING, _COMING = 4, 16
#: Batches; a draw of fresh records serves this many, in a guided search until a batch is without effect
#: (a choice: drawing takes as long as many batches).
_SERVES = 50


class Swapping(Search):
    """A search by swaps of one table."""

    tables = (BEST, CURRENT)

    def begin(self, restored: bool) -> None:
        """Draw a table, or continue with those that were restored."""
        if not restored:
            self.draw_start(CURRENT)
        self.cells = exchange.sum_cells(self.session, self.layout, CURRENT)
        self.indices = self.calculator.compute(self.cells)
        self.swap_cost = self.measure_swap_cost(self.indices)
        if restored:
            return
        if self.judge is not None:
            self.state.trees = self.measure_trees(CURRENT)
        self.copy_table(BEST, CURRENT)
        self.state.best = self.state.start = self.measure_cost()

    def measure_cost(self) -> float:
        """Return the cost of the report."""
        return self.indices.shortfall(self.thresholds) + self.tree_shortfall(self.state.trees)

    def advance(self) -> None:
        """Run a batch of proposals."""
        state, number = self.state, self.state.batch
        self.draw_fresh(state.draw)
        before, figures = replace(state), (self.cells, self.indices, self.swap_cost)
        if self._counts_trees():
            self._measure_current_trees()
        if self.is_done():
            return
        proposals = self._propose(number)
        deltas = self.list_deltas(CURRENT, FRESH, MOVES, proposals)
        if state.opened and not self.settings.guided:
            self.load_moves()
        draws = self._draw_chances(number, proposals)
        kept: list[int] = []
        best: int | None = None
        for proposal in range(proposals):
            if state.best <= 0:
                break
            if self.is_done() or self.callbacks.stopped():
                self._keep_best(kept, best)
                self.ended = replace(state)
                # The next run repeats the batch from where it began, with the best table of this one.
                self.state = replace(before, best=state.best, start=state.start)
                self.cells, self.indices, self.swap_cost = figures
                return
            if self._step(deltas[proposal], proposal, draws[proposal]):
                kept.append(proposal)
                if self._counts_trees() and not state.opened:
                    break  # trees are measured before anything else
                cost = self.measure_cost()
                complete = not state.opened or (self.swap_cost <= 0 and not self.settings.guided)
                if cost < state.best and complete:
                    state.best, best = cost, len(kept)
            if proposal % 10 == 0 or state.opened:
                self.show(self.measure_cost(), self.indices, len(kept) / (proposal + 1))
        self._keep_best(kept, best)
        if kept:
            self._apply(CURRENT, kept)
        state.batch, state.served = number + 1, state.served + 1
        if state.served >= _SERVES or (self.settings.guided and not kept):
            state.draw, state.served = state.draw + 1, 0
            if state.opened and not kept:
                state.heated = state.iteration

    def _counts_trees(self) -> bool:
        """Return whether trees are measured: the other indices are reached, or have been."""
        return self.judge is not None and (self.state.opened or self.indices.shortfall(self.thresholds) <= 0)

    def _measure_current_trees(self) -> None:
        """Measure the trees of the table."""
        state = self.state
        state.trees = self.measure_trees(CURRENT)
        shortfall = self.indices.shortfall(self.thresholds)
        if shortfall <= 0 and (not state.opened or self.measure_cost() < state.best):
            state.best = self.measure_cost()  # what was the best before counted trees of another table
            self.copy_table(BEST, CURRENT)
        if not state.opened:
            state.opened, state.heated = True, state.iteration

    def _propose(self, number: int) -> int:
        """Make the proposals of a batch; return how many."""
        size, records = self.swap, self.records
        most, leaving, coming = _BATCH, 1, 1
        gain: Sql | None = None
        weights: str | None = None
        if self.settings.guided:
            most, leaving, coming = (_TREE_BATCH if self.state.opened else _GUIDED_BATCH), _LEAVING, _COMING
            gain = self.layout.render_gain()
            weights = str(self.calculator.weigh(self.cells, self.thresholds, SLACK).tolist())
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

    def _draw_chances(self, number: int, proposals: int) -> Any:
        import numpy as np

        return np.random.default_rng([self.settings.seed, number]).random(proposals)

    def _step(self, delta: tuple[Any, Any], proposal: int, drawn: float) -> bool:
        """Decide on a proposal; return whether it is kept."""
        state, judge = self.state, self.judge
        temperature = self.settings.temperature * self.settings.cooling ** (state.iteration - state.heated)
        state.iteration += 1
        # The highest cost that the draw keeps: exp(-(new - old) / temperature) = drawn.
        shortfall = 0.0 if self.settings.guided else self.tree_shortfall(state.trees)
        limit = self.swap_cost + shortfall - temperature * math.log(max(drawn, 1e-300))
        cells = self.apply_delta(self.cells, delta)
        indices = self.calculator.compute(cells)
        swap_cost = self.measure_swap_cost(indices)
        if swap_cost > limit:
            return False  # whatever the trees
        trees = state.trees
        where = slice(proposal * self.swap, (proposal + 1) * self.swap)
        if judge is not None and self.settings.guided:
            judge = None  # the leaves replace the trees
        if judge is not None and state.opened and swap_cost <= 0:
            trees = judge.measure(where)
            state.measured += 1
        if not self.settings.guided and swap_cost + self.tree_shortfall(trees) > limit:
            return False
        if judge is not None and state.opened:
            judge.apply_moves(where)
        self.cells, self.indices, self.swap_cost, state.trees = cells, indices, swap_cost, trees
        state.kept += 1
        return True

    def _apply(self, name: str, kept: list[int]) -> None:
        """Make a table of the current one with the proposals that were kept."""
        self.session.run(
            "swapped_records",
            name=name,
            current=identifier(CURRENT),
            fresh=identifier(FRESH),
            moves=identifier(MOVES),
            kept_proposals=kept,
            columns=self.moved,
        )

    def _keep_best(self, kept: list[int], best: int | None) -> None:
        if best is not None:
            self._apply(BEST, kept[:best])
