"""Searches a release that passes by a genetic algorithm, the other search of the report of 2020.

The population holds tables of the generator. A child has the records of a parent, except for a quarter from
the same rows of another parent and a few fresh ones. Each parent is the better of two that are drawn. A child
replaces the worst table if it is better. One statement measures the children of a generation, from the
records alone in which they differ from their parent. Trees are measured for a child that reaches the other
indices; until then, all tables count the trees of the first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from duckrisk.contests.membership.synthesis import exchange
from duckrisk.contests.membership.synthesis.search import BEST, FRESH, MOVES, Search
from duckrisk.engine.templates import identifier

if TYPE_CHECKING:
    from duckrisk.contests.membership.synthesis.exchange import Cells, Indices

#: Children of a generation (a choice: one statement measures them).
_CHILDREN = 20
#: A child has one of this many records from the other parent (a choice: children stay like their parent).
_CROSSED = 4
#: Generations; a draw of fresh records serves this many (a choice: drawing takes as long as many of them).
_SERVES = 200
_CHILD = "child"


class Genetic(Search):
    """A search by evolution of a population."""

    @property
    def members(self) -> list[str]:
        """The tables of the population."""
        return [f"member_{index}" for index in range(self.settings.population)]

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables of a saved state: the best and the population."""
        return (BEST, *self.members)

    def begin(self, restored: bool) -> None:
        """Draw the population, or continue with one that was restored."""
        if not restored:
            for index, name in enumerate(self.members):
                self.draw_start(name, index)
        self.cells = [exchange.sum_cells(self.session, self.layout, name) for name in self.members]
        self.indices = [self.calculator.compute(cells) for cells in self.cells]
        state = self.state
        if restored:
            return
        if self.judge is not None:
            state.trees = self.measure_trees(self.members[0])
        state.start = self._cost(self.indices[0])
        state.costs = [self._cost(*pair) for pair in zip(self.indices, self.members, strict=True)]
        state.best = min(state.costs)
        self.copy_table(BEST, self.members[state.costs.index(state.best)])

    def _cost(self, indices: Indices, name: str | None = None) -> float:
        """Return the cost of a table, with its own trees if it reaches the other indices."""
        trees, shortfall = self.state.trees, indices.shortfall(self.thresholds)
        if self.judge is not None and name is not None and shortfall <= 0:
            trees = self.measure_trees(name)
        return shortfall + self.tree_shortfall(trees)

    def advance(self) -> None:
        """Make a generation; each child is an iteration."""
        import numpy as np

        state, number = self.state, self.state.batch
        if state.iteration + _CHILDREN > self.most:
            self.ended = replace(state)
            return
        self.draw_fresh(number // _SERVES)
        draw = np.random.default_rng([self.settings.seed, number])
        costs = np.array(state.costs)
        pairs = draw.integers(0, len(costs), (_CHILDREN, 2, 2))
        parents = [[int(min(pair, key=lambda member: costs[member])) for pair in child] for child in pairs]
        crossed = min(self.records // _CROSSED, self.records - self.swap)
        names = [(self.members[first], self.members[second]) for first, second in parents]
        self.session.run(
            "genetic_moves",
            name=MOVES,
            parents=[parent for parent, _ in names],
            other_parent=[other for _, other in names],
            fresh=identifier(FRESH),
            drawn=[self.chance.render_draw("child", number, child) for child in range(_CHILDREN + 1)],
            crossed=crossed,
            swapped=self.swap,
            moved=self.moved,
        )
        rows = self.session.fetch_arrays(
            "genetic_deltas",
            moves=identifier(MOVES),
            parents=[parent for parent, _ in names],
            codes=self.layout.codes,
            cells=self.layout.render_cells(),
            values=self.layout.render_values(),
        )
        candidates = []
        for child, delta in enumerate(self.split_deltas(rows, _CHILDREN)):
            cells = self.apply_delta(self.cells[parents[child][0]], delta)
            indices = self.calculator.compute(cells)
            candidates.append((self._cost(indices), child, cells, indices))
        # The best children first; what replaces a member waits until all are judged: others descend from it.
        children = []
        for cost, child, cells, indices in sorted(candidates, key=lambda candidate: candidate[:2]):
            if cost >= max(state.costs) and indices.shortfall(self.thresholds) > 0:
                break
            table = f"{_CHILD}_{child}"
            self._make_child(table, names[child][0], child)
            children.append((self._cost(indices, table), table, cells, indices))
        for member in children:
            self._replace_worst(*member)
        state.iteration += _CHILDREN
        state.batch += 1
        best = state.costs.index(min(state.costs))
        self.show(state.costs[best], self.indices[best], state.kept / state.iteration)

    def _replace_worst(self, cost: float, table: str, cells: Cells, indices: Indices) -> None:
        """Replace the worst table by a child that is better."""
        state = self.state
        worst = state.costs.index(max(state.costs))
        if cost >= state.costs[worst]:
            return
        self.copy_table(self.members[worst], table)
        state.costs[worst], self.cells[worst], self.indices[worst] = cost, cells, indices
        state.kept += 1
        if cost < state.best:
            state.best = cost
            self.copy_table(BEST, table)

    def _make_child(self, table: str, parent: str, child: int) -> None:
        self.session.run(
            "genetic_child",
            name=table,
            parent=identifier(parent),
            moves=identifier(MOVES),
            child=child,
            columns=self.moved,
        )
