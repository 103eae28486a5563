"""The bounds of hidden cells in a table of one or two ways, by flows.

Each line of the table is a node, and each hidden cell an edge between the two lines that it is in. Lines
without a total are one node, whose balance nobody knows. The counts of the hidden cells are a flow through
this network, so the bounds of a cell are the least and the largest flow of its edge. A cell follows from the
totals alone where its edge is a bridge (Gusfield, SIAM J. Comput. 17(3), 1988).
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from functools import cached_property

from duckrisk.release.counts.cells import Cells, Place

Node = tuple[int, Place] | None
#: A capacity that no table reaches: the upper bound of a cell that no total limits (derived: 64 bits hold the
#: counts of a source).
UNLIMITED = 2**70


class Network:
    """The hidden cells of a table as edges, with one flow that fits the totals.

    Attributes:
        flow: The count of each cell in that flow; None if no counts of 0 or more fit the totals.
    """

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.ends: dict[Place, tuple[Node, Node]] = {}
        #: The edges at each node, as pairs of an edge and whether it leaves the node.
        self.edges: defaultdict[Node, list[tuple[Place, bool]]] = defaultdict(list)
        self.flow: dict[Place, int] = {}
        #: Whether the maker of the table knows all counts: then they are the flow.
        knows_all = all(cells.counts.get(place) is not None for place in cells.unknown)
        for place in sorted(cells.unknown):
            self.add(place, cells.count_at(place) if knows_all else 0)
        self.contradictory: set[Place] = set() if knows_all else self._find_flow()

    def add(self, place: Place, count: int) -> None:
        """Add the edge of a hidden cell, with its count in the flow."""
        tail, head = self.ends[place] = self.ends_of(place)
        self.edges[tail].append((place, True))
        self.edges[head].append((place, False))
        self.flow[place] = count

    def ends_of(self, place: Place) -> tuple[Node, Node]:
        """Return the lines that the count of a cell leaves and enters."""
        ends: dict[bool, Node] = {False: None, True: None}
        for line in self.cells.lines_of(place):
            ends[self._sign(place, line) > 0] = line
        return ends[False], ends[True]

    @staticmethod
    def _sign(place: Place, line: tuple[int, Place]) -> int:
        """Return the sign of a cell in a line, so that it has both signs in its two lines."""
        dimension, total = line
        sign = -1 if place == total else 1
        if len(total) == 1:
            return sign
        return sign * (1 if dimension else -1) * (-1 if total[1 - dimension] == 0 else 1)

    def room(self, place: Place, forward: bool) -> int:
        """Return how much the flow of an edge can grow, or fall if not ``forward``."""
        flow = self.flow[place]
        return self.cells.most.get(place, UNLIMITED) - flow if forward else flow

    # --- flows -----------------------------------------------------------------------------------

    def _find_flow(self) -> set[Place]:
        """Find counts that fit the totals; return the cells for which there are none."""
        needs = self._balance()
        contradictory: set[Place] = set()
        for nodes in self._components():
            if None in nodes:
                needs[None] = -sum(needs[node] for node in nodes if node is not None)
            lacking = [node for node in nodes if needs[node] < 0]
            for node in lacking:
                while needs[node] < 0:
                    path = self._find_path(node, lambda end: needs[end] > 0)
                    if path is None:
                        break
                    place, leaves = path[-1]
                    end = self.ends[place][leaves]
                    amount = min(-needs[node], needs[end], *(self.room(*step) for step in path))
                    self._push(path, amount)
                    needs[node] += amount
                    needs[end] -= amount
            if any(needs[node] for node in nodes):
                contradictory |= {place for node in nodes for place, _ in self.edges[node]}
        return contradictory

    def _balance(self) -> defaultdict[Node, int]:
        """Return what hidden cells must bring to each line, in excess of what they take."""
        needs: defaultdict[Node, int] = defaultdict(int)
        for line, parts in self.cells.lines():
            if line in self.edges:
                for place in (*parts, line[1]):
                    if place not in self.ends:
                        needs[line] -= self._sign(place, line) * self.cells.count_at(place)
        return needs

    def _components(self) -> list[list[Node]]:
        components, seen = [], set()
        for start in list(self.edges):
            if start not in seen:
                reached = self.reach(start)
                seen |= reached
                components.append(sorted(reached, key=_order))
        return components

    def reach(self, start: Node, removed: Place | None = None) -> set[Node]:
        """Return the lines that hidden cells connect, but for a removed one."""
        reached, waiting = {start}, [start]
        while waiting:
            node = waiting.pop()
            for place, leaves in self.edges[node]:
                other = self.ends[place][leaves]
                if place != removed and other not in reached:
                    reached.add(other)
                    waiting.append(other)
        return reached

    def _find_path(
        self, start: Node, is_end: Callable[[Node], bool], removed: Place | None = None
    ) -> list[tuple[Place, bool]] | None:
        """Return the shortest path with room to a node, as edges with their direction."""
        before: dict[Node, tuple[Node, Place, bool] | None] = {start: None}
        waiting = deque([start])
        while waiting:
            node = waiting.popleft()
            if node != start and is_end(node):
                return _trace(before, node)
            for place, leaves in self.edges[node]:
                other = self.ends[place][leaves]
                if other not in before and place != removed and self.room(place, leaves) > 0:
                    before[other] = (node, place, leaves)
                    waiting.append(other)
        return None

    def _push(self, path: Iterable[tuple[Place, bool]], amount: int) -> None:
        for place, forward in path:
            self.flow[place] += amount if forward else -amount

    # --- bounds ----------------------------------------------------------------------------------

    def reach_of(self, place: Place, upward: bool, limit: int = UNLIMITED) -> int:
        """Return how far the count of a cell can rise, or fall, from that of the flow.

        Args:
            place: The cell.
            upward: Whether it rises.
            limit: Where to stop looking.
        """
        tail, head = self.ends[place]
        start, end = (head, tail) if upward else (tail, head)
        limit, total, before = min(limit, self.room(place, upward)), 0, dict(self.flow)
        if start == end:
            return limit
        while total < limit:
            path = self._find_path(start, lambda node: node == end, place)
            if path is None:
                break
            amount = min(limit - total, *(self.room(*step) for step in path))
            self._push(path, amount)
            total += amount
        self.flow = before
        return total

    def find_bounds(self, place: Place) -> tuple[int, int | None]:
        """Return the least and the largest count of a cell; None without a limit."""
        flow, more = self.flow[place], self.reach_of(place, True)
        upper = flow + more if more < UNLIMITED // 2 else None
        return flow - self.reach_of(place, False), upper

    def is_by_subtraction(self, place: Place) -> bool:
        """Return whether the edge of a cell is a bridge, so that totals give its count."""
        tail, head = self.ends[place]
        return head not in self.reach(tail, place)

    def find_cheapest(self, place: Place, upward: bool, amount: int) -> tuple[int, list[Place]] | None:
        """Find the cheapest cells to hide so that a count can change by an amount.

        Args:
            place: The hidden cell.
            upward: Whether its count rises.
            amount: How much it changes.

        Returns:
            The sum of the counts that are hidden more, and their places; None if no cells do.
        """
        tail, head = self.ends[place]
        start, end = (head, tail) if upward else (tail, head)
        if self.room(place, upward) < amount:
            return None
        best: dict[Node, tuple[int, int]] = {start: (0, 0)}
        before: dict[Node, tuple[Node, Place, bool] | None] = {start: None}
        waiting: list[tuple[tuple[int, int], tuple[int, Place], Node]] = [((0, 0), _order(start), start)]
        while waiting:
            cost, _, node = heapq.heappop(waiting)
            if node == end:
                added = [step for step, _ in _trace(before, node) if step not in self.ends]
                return cost[0], added
            if cost > best[node]:
                continue
            for step, leaves in (*self.edges[node], *self._candidates[node]):
                is_hidden = step in self.ends
                room = (
                    self.room(step, leaves)
                    if is_hidden
                    else UNLIMITED
                    if leaves
                    else self.cells.count_at(step)
                )
                if step == place or room < amount:
                    continue
                other = (self.ends[step] if is_hidden else self.ends_of(step))[leaves]
                price = (cost[0] + (0 if is_hidden else self.cells.count_at(step)), cost[1] + 1)
                if other not in best or price < best[other]:
                    best[other], before[other] = price, (node, step, leaves)
                    heapq.heappush(waiting, (price, _order(other), other))
        return None

    @cached_property
    def _candidates(self) -> defaultdict[Node, list[tuple[Place, bool]]]:
        """The cells that could be hidden at first: no empty ones, not the total of all."""
        shown: defaultdict[Node, list[tuple[Place, bool]]] = defaultdict(list)
        for place in sorted(self.cells.counts):
            if place not in self.ends and self.cells.count_at(place) and any(place):
                tail, head = self.ends_of(place)
                shown[tail].append((place, True))
                shown[head].append((place, False))
        return shown


def _order(node: Node) -> tuple[int, Place]:
    return node if node is not None else (-1, ())


def _trace(before: dict[Node, tuple[Node, Place, bool] | None], node: Node) -> list[tuple[Place, bool]]:
    path: list[tuple[Place, bool]] = []
    while (step := before[node]) is not None:
        node, place, leaves = step
        path.append((place, leaves))
    return path[::-1]
