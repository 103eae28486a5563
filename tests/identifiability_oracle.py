"""What the identifiability of a table must be, in plain Python, written from the definitions alone.

The definitions are those of Yamaoka and Itoh (equations 1 to 4) and of the JO model (table 2 there). Every
set of attributes is tried for everybody: nothing is skipped, nothing is ordered, so small tables only.
A cell is missing where it is None or, trimmed of blanks, one of the tokens.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from tests.oracle import key

TOKENS = ("", "?", "*", "NULL", "N/A")
BASE = 500


@dataclass(frozen=True)
class Level:
    """The levels of an attribute; ``identity`` is name, address or phone_number where it says that."""

    economic: int
    psychological: int
    identity: str | None = None


def sensitivity(levels: Sequence[Level]) -> int:
    """s(I) (equation 2); nothing known about nobody is worth nothing."""
    if not levels:
        return 0
    most = max(level.economic for level in levels), max(level.psychological for level in levels)
    return 5 ** (most[0] - 1) + 10 ** (most[1] - 1)


def ease(levels: Sequence[Level]) -> float:
    """2 i(I) (equations 3 and 4) of a set that singles out."""
    return 2 * 0.9 ** (len(levels) - 1) / (math.log(sensitivity(levels) - 1, 8) + 1)


def jo_identifiability(identities: set[str | None]) -> int:
    """Table 2: what the JO model says of someone of whom this is present."""
    if {"name", "address"} <= identities:
        return 6
    if "name" in identities or {"address", "phone_number"} <= identities:
        return 3
    return 1


@dataclass(frozen=True)
class Table:
    """Records, the attributes they have, and how a missing cell counts.

    ``places`` of the attributes that can be known; the others count in the sensitivity only. ``by_value`` has
    the levels of values that differ from that of their column, by its name and their text.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    levels: tuple[Level, ...]
    missing: str = "none"
    tokens: tuple[str, ...] = TOKENS
    known: tuple[int, ...] | None = None
    by_value: tuple[tuple[str, str, Level], ...] = ()

    def level_of(self, place: int, cell: Any) -> Level:
        """The level of a cell: that of its value, else that of its column."""
        named = (self.names[place], str(cell).strip(" "))
        return next((level for *value, level in self.by_value if tuple(value) == named), self.levels[place])

    @property
    def places(self) -> tuple[int, ...]:
        return tuple(range(len(self.names))) if self.known is None else self.known

    def is_missing(self, cell: Any) -> bool:
        return cell is None or (str(cell).strip(" ") in self.tokens)

    @property
    def missing_cells(self) -> int:
        return sum(self.is_missing(row[place]) for row in self.rows for place in self.places)

    def without(self, place: int) -> Table:
        """The table without an attribute: not known, not learnt."""

        def cut(items: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(items[:place]) + tuple(items[place + 1 :])

        known = tuple(other - (other > place) for other in self.places if other != place)
        return replace(
            self,
            names=cut(self.names),
            levels=cut(self.levels),
            rows=tuple(map(cut, self.rows)),
            known=known,
        )

    def coarser(self, place: int, publish: Callable[[Any], Any]) -> Table:
        """The table with every present cell of an attribute published as less."""

        def changed(row: tuple[Any, ...]) -> tuple[Any, ...]:
            cell = row[place]
            return (*row[:place], cell if self.is_missing(cell) else publish(cell), *row[place + 1 :])

        return replace(self, rows=tuple(map(changed, self.rows)))


@dataclass(frozen=True)
class Found:
    """What is true of one record, or of one user: ``sets`` are all the best sets, by their binary number."""

    ease: float
    sets: tuple[tuple[str, ...], ...]
    sensitivity: int
    jo: int

    @property
    def singled_out(self) -> bool:
        return self.ease > 0

    @property
    def value(self) -> float:
        return BASE * self.sensitivity * self.ease

    @property
    def jo_value(self) -> float:
        return BASE * self.sensitivity * self.jo


def all_sets(places: Sequence[int]) -> list[tuple[int, ...]]:
    """Every set of places but the empty one, by the binary number of its positions in ``places``."""
    return [
        tuple(place for position, place in enumerate(places) if number >> position & 1)
        for number in range(1, 2 ** len(places))
    ]


def find(table: Table, users: Sequence[Any] | None = None) -> list[Found]:
    """What is true of every record, or of every user in the order of the first record of each.

    ``users`` names the user of each record; records of nobody (None) are left out.
    """
    persons = range(len(table.rows)) if users is None else [key(user) for user in users]
    rows = [
        tuple(None if table.is_missing(cell) else (key(cell),) for cell in row) for row in table.rows
    ]  # a value that is there is wrapped, so that nothing equals None
    columns = list(zip(*rows, strict=True)) or [()] * len(table.names)
    levels = [tuple(table.level_of(place, cell) for place, cell in enumerate(row)) for row in table.rows]
    everybody = list(dict.fromkeys(person for person in persons if person is not None))
    unique: dict[Any, list[tuple[tuple[int, ...], tuple[Level, ...]]]] = {person: [] for person in everybody}
    for chosen in all_sets(table.places):
        holders: dict[tuple[Any, ...], set[Any]] = defaultdict(set)
        of_combination: dict[tuple[Any, ...], tuple[Level, ...]] = {}
        found = zip(*(columns[place] for place in chosen), strict=True)
        for person, combination, own in zip(persons, found, levels, strict=True):
            if person is not None and (table.missing == "value" or None not in combination):
                holders[combination].add(person)
                of_combination[combination] = tuple(own[place] for place in chosen)
        singled = [(one, values) for values, held in holders.items() if len(held) == 1 for one in held]
        for person, own in {(one, of_combination[values]) for one, values in singled}:
            unique[person].append((chosen, own))
    present: dict[Any, set[tuple[int, Level]]] = {person: set() for person in everybody}
    for person, row, own in zip(persons, rows, levels, strict=True):
        if person is not None:
            present[person] |= {(place, own[place]) for place, cell in enumerate(row) if cell is not None}
    return [_found(table, unique[person], present[person]) for person in everybody]


def _found(
    table: Table, unique: list[tuple[tuple[int, ...], tuple[Level, ...]]], present: set[tuple[int, Level]]
) -> Found:
    worth = sensitivity([level for _, level in present])
    jo = jo_identifiability({level.identity for _, level in present})
    if jo > 1:
        return Found(float(jo), _telling(table, {place for place, _ in present}, jo), worth, jo)
    if not unique:
        return Found(0.0, (), worth, jo)
    # Exactly equal i(I) are those of equal size and equal s(I); floats only choose among these.
    groups: dict[tuple[int, int], list[tuple[tuple[int, ...], tuple[Level, ...]]]] = defaultdict(list)
    for chosen, own in unique:
        groups[len(chosen), sensitivity(own)].append((chosen, own))
    best = max(groups.values(), key=lambda group: ease(group[0][1]))
    named = tuple(tuple(table.names[place] for place in chosen) for chosen, _ in best)
    return Found(ease(best[0][1]), named, worth, jo)


def _telling(table: Table, present: set[int], jo: int) -> tuple[tuple[str, ...], ...]:
    """The smallest sets of present attributes for which the JO model says this."""
    candidates = [place for place in sorted(present) if table.levels[place].identity]
    for size in range(1, 3):
        sets = [
            chosen
            for chosen in combinations(candidates, size)
            if jo_identifiability({table.levels[place].identity for place in chosen}) == jo
        ]
        if sets:
            sets.sort(key=lambda chosen: sum(2**place for place in chosen))
            return tuple(tuple(table.names[place] for place in chosen) for chosen in sets)
    raise AssertionError


@dataclass(frozen=True)
class Totals:
    """What all records, or all users, come to; ``distribution`` is (ease, how many, value), ease falling."""

    singled_out: int
    not_singled_out: int
    total_ease: float
    total_value: float
    jo_total_value: float
    distribution: list[tuple[float, int, float]]
    takes_part: dict[str, int]


def totals(found: Sequence[Found]) -> Totals:
    groups: dict[float, list[Found]] = defaultdict(list)
    for one in found:
        groups[one.ease].append(one)
    takes_part: Counter[str] = Counter()
    for one in found:
        takes_part.update({name for chosen in one.sets for name in chosen})
    return Totals(
        sum(one.singled_out for one in found),
        sum(not one.singled_out for one in found),
        math.fsum(one.ease for one in found),
        math.fsum(one.value for one in found),
        math.fsum(one.jo_value for one in found),
        [
            (height, len(groups[height]), math.fsum(one.value for one in groups[height]))
            for height in sorted(groups, reverse=True)
        ],
        dict(takes_part),
    )
