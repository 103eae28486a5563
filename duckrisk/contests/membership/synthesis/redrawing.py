"""Draws whole tables of the generator again until one passes: the best of so many, beside the searches.

Chance alone decides, so it tells what a search is worth. Trees count as for the genetic search: measured for
a table that reaches the other indices; before, each counts as if its trees were those of the first.
"""

from __future__ import annotations

from duckrisk.contests.membership.synthesis import exchange
from duckrisk.contests.membership.synthesis.exchange import Indices
from duckrisk.contests.membership.synthesis.search import BEST, CURRENT, Search


class Redrawing(Search):
    """One table after the other; an iteration is a table beside the first."""

    #: Those of a state.
    tables: tuple[str, ...] = (BEST,)

    def begin(self, restored: bool) -> None:
        """Draw the first table, or go on after the ones that were drawn."""
        if restored:
            return
        indices = self._draw()
        if self.judge is not None:
            self.state.trees = self.trees_of(CURRENT)
        short = indices.short(self.thresholds)
        self.state.start = self.state.best = short + self.short_trees(self.state.trees)
        self.keep(BEST, CURRENT)

    def _draw(self) -> Indices:
        """The table of this iteration."""
        self.start(CURRENT, self.state.iteration)
        return self.measure.of(exchange.totals(self.session, self.layout, CURRENT))

    def turn(self) -> None:
        """One more table."""
        state = self.state
        state.iteration += 1
        indices = self._draw()
        short, trees = indices.short(self.thresholds), state.trees
        if self.judge is not None and short <= 0:
            trees = self.trees_of(CURRENT)
        cost = short + self.short_trees(trees)
        if cost < state.best:
            state.best = cost
            state.kept += 1
            self.keep(BEST, CURRENT)
        self.tell(cost, indices, state.kept / state.iteration)
