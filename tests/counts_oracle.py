"""What totals reveal of hidden counts, by trying all counts of 0 or more that fit, and by linear algebra."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from fractions import Fraction

Place = tuple[int, ...]


def with_totals(inner: Mapping[Place, int]) -> dict[Place, int]:
    """Add all totals to the cells of a table; 0 in a place is the total of that dimension."""
    whole: dict[Place, int] = {}
    for place, count in inner.items():
        for margin in itertools.product((False, True), repeat=len(place)):
            total = tuple(0 if is_total else n for n, is_total in zip(place, margin, strict=True))
            whole[total] = whole.get(total, 0) + count
    return whole


def every_fill(whole: Mapping[Place, int], hidden: set[Place]) -> Iterator[dict[Place, int]]:
    """Try all inner counts that give the totals which are shown; the total of all must be."""
    inner = sorted(place for place in hidden if all(place))
    fixed = {place: count for place, count in whole.items() if all(place) and place not in hidden}
    shown = {place: count for place, count in whole.items() if not all(place) and place not in hidden}

    def covers(total: Place, place: Place) -> bool:
        return all(t in (0, n) for t, n in zip(total, place, strict=True))

    room = {
        total: count - sum(n for place, n in fixed.items() if covers(total, place))
        for total, count in shown.items()
    }

    def fill(number: int, chosen: dict[Place, int]) -> Iterator[dict[Place, int]]:
        if number == len(inner):
            if not any(room.values()):
                yield with_totals({**fixed, **chosen})
            return
        place = inner[number]
        covering = [total for total in room if covers(total, place)]
        for count in range(min(room[total] for total in covering) + 1):
            for total in covering:
                room[total] -= count
            yield from fill(number + 1, {**chosen, place: count})
            for total in covering:
                room[total] += count

    yield from fill(0, {})


def bounds_of(whole: Mapping[Place, int], hidden: set[Place]) -> dict[Place, tuple[int, int]]:
    """Return the least and the largest count of each hidden cell among all that fit."""
    fills = list(every_fill(whole, hidden))
    return {place: (min(f[place] for f in fills), max(f[place] for f in fills)) for place in hidden}


def by_subtraction(whole: Mapping[Place, int], hidden: set[Place]) -> set[Place]:
    """Return the hidden cells that the lines determine even where counts can be negative."""
    places = sorted(hidden)
    rows = []
    for total in whole:
        for dimension in (number for number, n in enumerate(total) if n == 0):
            line = {
                place: 1
                for place in whole
                if place[dimension] and (*place[:dimension], 0, *place[dimension + 1 :]) == total
            } | {total: -1}
            rows.append([Fraction(line.get(place, 0)) for place in places])
    reduced: list[list[Fraction]] = []
    for column in range(len(places)):
        pivot = next((row for row in rows if row[column]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        pivot = [entry / pivot[column] for entry in pivot]
        rows = [[a - row[column] * b for a, b in zip(row, pivot, strict=True)] for row in rows]
        reduced = [[a - row[column] * b for a, b in zip(row, pivot, strict=True)] for row in reduced]
        reduced.append(pivot)
    alone = [row for row in reduced if sum(map(bool, row)) == 1]
    return {places[next(n for n, entry in enumerate(row) if entry)] for row in alone}
