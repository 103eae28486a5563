"""A genetic search for a release that passes: the other metaheuristic that the report of 2020 names.

A population of tables of the generator. Each child has a parent's records but for a quarter, which come from
the same places of another parent, and a few fresh ones; both parents are the better of two drawn. A child
that is better than the worst table takes its place. The children of a generation are told by one statement
from the records alone that they have not of their parent. Trees count as for the annealing: measured for a
child once it reaches the other indices; before, all tables count as if their trees were those of the first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from duckrisk.membership import exchange
from duckrisk.membership.search import BEST, FRESH, MOVES, Search
from duckrisk.templates import identifier

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
        return [f"member_{place}" for place in range(self.plan.population)]

    @property
    def tables(self) -> tuple[str, ...]:
        """Those of a state: the best and the population."""
        return (BEST, *self.members)

    def begin(self, restored: bool) -> None:
        """Draw the population, or take up one that was restored."""
        if not restored:
            for place, name in enumerate(self.members):
                self.start(name, place)
        self.cells = [exchange.totals(self.session, self.layout, name) for name in self.members]
        self.found = [self.measure.of(cells) for cells in self.cells]
        standing = self.standing
        if restored:
            return
        first, values = None, {}
        if self.judge is not None:
            first = self._trees(self.members[0])
            values = first
        standing.trees = values
        standing.costs = [
            self._cost(found, first if place == 0 else None) for place, found in enumerate(self.found)
        ]
        standing.start = standing.costs[0]
        if self.judge is not None:
            standing.costs = [
                self._cost(found, self._trees(name) if found.short(self.thresholds) <= 0 else None)
                for name, found in zip(self.members, self.found, strict=True)
            ]
        standing.best = min(standing.costs)
        self.keep(BEST, self.members[standing.costs.index(standing.best)])

    def _trees(self, name: str) -> dict[str, float]:
        assert self.judge is not None
        self.judge.hold(name)
        self.standing.measured += 1
        return self.judge.values()[0]

    def _cost(self, found: Any, trees: dict[str, float] | None) -> float:
        """The cost of a table, whose trees are those of the first table until they are measured; without
        measured ones it is never 0."""
        values = self.standing.trees if trees is None else trees
        short: float = found.short(self.thresholds)
        return short + self.short_trees(values)

    def done(self) -> bool:
        return self.standing.best <= 0 or self.standing.iteration >= self.most

    def run(self) -> None:
        """Go on until the cost is 0, the iterations (children) are used up, or it is told to stop."""
        import time

        mark = len(self.session.log)
        while self.ended is None and not self.done() and not self.ways.stopped():
            started = time.perf_counter()
            self._generation()
            seconds = time.perf_counter() - started
            for standing in (self.standing, *([self.ended] if self.ended else [])):
                standing.seconds += seconds
            del self.session.log[mark + 40 :]
            if self.ways.save is not None:
                self.ways.save()

    def _generation(self) -> None:
        import numpy as np

        standing, number = self.standing, self.standing.batch
        if standing.iteration + _CHILDREN > self.most:
            self.ended = replace(standing)
            return
        self.fresh(number // _SERVES)
        draw = np.random.default_rng([self.plan.seed, number])
        costs = np.array(standing.costs)
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
            drawn=[self.chance.drawn("child", number, child) for child in range(_CHILDREN + 1)],
            crossed=crossed,
            swapped=self.swap,
            moved=self.moved,
        )
        rows = self.session.arrays(
            "genetic_deltas",
            moves=identifier(MOVES),
            parents=[parent for parent, _ in names],
            codes=self.layout.codes,
            cells=self.layout.cells(),
            values=self.layout.added(),
        )
        made = []
        for child, delta in enumerate(self.split(rows, _CHILDREN)):
            cells = self.changed(self.cells[parents[child][0]], delta)
            found = self.measure.of(cells)
            made.append((self._cost(found, None), child, cells, found))
        # The best children first; what replaces a member waits until all are judged: others descend from it.
        children = []
        for cost, child, cells, found in sorted(made, key=lambda each: each[:2]):
            if cost >= max(standing.costs) and found.short(self.thresholds) > 0:
                break
            table = f"{_CHILD}_{child}"
            self._child(table, names[child][0], child)
            if self.judge is not None and found.short(self.thresholds) <= 0:
                cost = self._cost(found, self._trees(table))
            children.append((cost, table, cells, found))
        for cost, table, cells, found in children:
            worst = standing.costs.index(max(standing.costs))
            if cost >= standing.costs[worst]:
                continue
            self.keep(self.members[worst], table)
            standing.costs[worst], self.cells[worst], self.found[worst] = cost, cells, found
            standing.kept += 1
            if cost < standing.best:
                standing.best = cost
                self.keep(BEST, table)
        standing.iteration += _CHILDREN
        standing.batch += 1
        best = standing.costs.index(min(standing.costs))
        self.tell(standing.costs[best], self.found[best], standing.kept / standing.iteration)

    def _child(self, table: str, parent: str, child: int) -> None:
        self.session.run(
            "genetic_child",
            name=table,
            parent=identifier(parent),
            moves=identifier(MOVES),
            child=child,
            columns=self.moved,
        )
