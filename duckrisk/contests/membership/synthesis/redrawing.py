"""Draws whole tables of the generator and keeps the best, to compare with the searches.

Chance alone decides, so the result shows what a search is worth. Trees count as for the genetic search: they
are measured for a table that reaches the other indices; until then, each table counts the trees of the first.
"""

from __future__ import annotations

from duckrisk.contests.membership.synthesis import exchange
from duckrisk.contests.membership.synthesis.exchange import Indices
from duckrisk.contests.membership.synthesis.search import BEST, CURRENT, Search


class Redrawing(Search):
    """A search that draws tables; an iteration is a table after the first."""

    #: The tables of a saved state.
    tables: tuple[str, ...] = (BEST,)

    def begin(self, restored: bool) -> None:
        """Draw the first table, or continue after those that were drawn."""
        if restored:
            return
        indices = self._draw()
        if self.judge is not None:
            self.state.trees = self.measure_trees(CURRENT)
        shortfall = indices.shortfall(self.thresholds)
        self.state.start = self.state.best = shortfall + self.tree_shortfall(self.state.trees)
        self.copy_table(BEST, CURRENT)

    def _draw(self) -> Indices:
        """Draw the table of this iteration."""
        self.draw_start(CURRENT, self.state.iteration)
        return self.calculator.compute(exchange.sum_cells(self.session, self.layout, CURRENT))

    def advance(self) -> None:
        """Draw one more table."""
        state = self.state
        state.iteration += 1
        indices = self._draw()
        shortfall, trees = indices.shortfall(self.thresholds), state.trees
        if self.judge is not None and shortfall <= 0:
            trees = self.measure_trees(CURRENT)
        cost = shortfall + self.tree_shortfall(trees)
        if cost < state.best:
            state.best = cost
            state.kept += 1
            self.copy_table(BEST, CURRENT)
        self.show(cost, indices, state.kept / state.iteration)
