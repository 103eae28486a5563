"""A genetic search for a release that passes: the other metaheuristic that the report of 2020 names.

A population of tables of the generator. Each child has a parent's records but for a quarter, which come from
the same places of another parent, and a few fresh ones; both parents are the better of two drawn. A child
that is better than the worst table takes its place. The children of a generation are told by one statement
from the records alone that they have not of their parent. Trees count as for the annealing: measured for a
child once it reaches the other indices; before, all tables count as if their trees were those of the first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from duckrisk.contests.membership.synthesis import exchange
from duckrisk.contests.membership.synthesis.search import BEST, FRESH, MOVES, Search
from duckrisk.engine.templates import identifier

if TYPE_CHECKING:
    from duckrisk.contests.membership.synthesis.exchange import Cells, Indices

#: Children of a generation.
_CHILDREN = 20
#: A child has one of so many records from the other parent.
_CROSSED = 4
#: A draw of fresh records serves so many generations.
_SERVES = 200
_CHILD = "child"


class Genetic(Search):
    """The evolution of a population."""

    @property
    def members(self) -> list[str]:
        """The tables of the population."""
        return [f"member_{index}" for index in range(self.settings.population)]

    @property
    def tables(self) -> tuple[str, ...]:
        """Those of a state: the best and the population."""
        return (BEST, *self.members)

    def begin(self, restored: bool) -> None:
        """Draw the population, or take up one that was restored."""
        if not restored:
            for index, name in enumerate(self.members):
                self.start(name, index)
        self.cells = [exchange.totals(self.session, self.layout, name) for name in self.members]
        self.indices = [self.measure.of(cells) for cells in self.cells]
        state = self.state
        if restored:
            return
        if self.judge is not None:
            state.trees = self.trees_of(self.members[0])
        state.start = self._cost(self.indices[0])
        state.costs = [self._cost(*pair) for pair in zip(self.indices, self.members, strict=True)]
        state.best = min(state.costs)
        self.keep(BEST, self.members[state.costs.index(state.best)])

    def _cost(self, indices: Indices, name: str | None = None) -> float:
        """The cost of a table. Its trees are those of the first one, until the other indices allow to measure
        those of the table ``name``."""
        trees, short = self.state.trees, indices.short(self.thresholds)
        if self.judge is not None and name is not None and short <= 0:
            trees = self.trees_of(name)
        return short + self.short_trees(trees)

    def turn(self) -> None:
        """A generation; its children are the iterations."""
        import numpy as np

        state, number = self.state, self.state.batch
        if state.iteration + _CHILDREN > self.most:
            self.ended = replace(state)
            return
        self.fresh(number // _SERVES)
        draw = np.random.default_rng([self.settings.seed, number])
        costs = np.array(state.costs)
        pairs = draw.integers(0, len(costs), (_CHILDREN, 2, 2))
        parents = [[int(min(pair, key=lambda each: costs[each])) for pair in child] for child in pairs]
        crossed = min(self.records // _CROSSED, self.records - self.swap)
        names = [(self.members[first], self.members[second]) for first, second in parents]
        self.session.run(
            "genetic_moves",
            name=MOVES,
            parents=[parent for parent, _ in names],
            others=[other for _, other in names],
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
            cells=self.layout.cells(),
            values=self.layout.added(),
        )
        candidates = []
        for child, delta in enumerate(self.split(rows, _CHILDREN)):
            cells = self.changed(self.cells[parents[child][0]], delta)
            indices = self.measure.of(cells)
            candidates.append((self._cost(indices), child, cells, indices))
        # The best children first; what replaces a member waits until all are judged: others descend from it.
        children = []
        for cost, child, cells, indices in sorted(candidates, key=lambda each: each[:2]):
            if cost >= max(state.costs) and indices.short(self.thresholds) > 0:
                break
            table = f"{_CHILD}_{child}"
            self._child(table, names[child][0], child)
            children.append((self._cost(indices, table), table, cells, indices))
        for judged in children:
            self._replace_worst(*judged)
        state.iteration += _CHILDREN
        state.batch += 1
        best = state.costs.index(min(state.costs))
        self.tell(state.costs[best], self.indices[best], state.kept / state.iteration)

    def _replace_worst(self, cost: float, table: str, cells: Cells, indices: Indices) -> None:
        """Put a child in the place of the worst table, where it is better."""
        state = self.state
        worst = state.costs.index(max(state.costs))
        if cost >= state.costs[worst]:
            return
        self.keep(self.members[worst], table)
        state.costs[worst], self.cells[worst], self.indices[worst] = cost, cells, indices
        state.kept += 1
        if cost < state.best:
            state.best = cost
            self.keep(BEST, table)

    def _child(self, table: str, parent: str, child: int) -> None:
        self.session.run(
            "genetic_child",
            name=table,
            parent=identifier(parent),
            moves=identifier(MOVES),
            child=child,
            columns=self.moved,
        )
