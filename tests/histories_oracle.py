"""Histories of people as multisets of whole records, in plain Python; tables of histories to draw."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from hypothesis import strategies as st

from tests.oracle import key
from tests.tables import KINDS, TEXTS, Drawn

Record = tuple[Any, ...]
#: Each person's records, each with the number of times it occurs.
Histories = dict[Hashable, Counter[Record]]


def histories_of(rows: Iterable[Sequence[Any]], *, by_user: bool = True) -> Histories:
    """Return the multiset of records of each person, who is the first cell of a row, or else the row.

    A missing value is a value of its own (None); a row without a person is left out.
    """
    people: defaultdict[Hashable, Counter[Record]] = defaultdict(Counter)
    for number, (user, *values) in enumerate(rows):
        person = key(user) if by_user else number
        if person is not None:
            people[person][tuple(map(key, values))] += 1
    return dict(people)


def class_of(histories: Histories) -> Counter[frozenset[tuple[Record, int]]]:
    """Return the number of people of each history."""
    return Counter(frozenset(history.items()) for history in histories.values())


def has_records(history: Counter[Record], known: Counter[Record]) -> bool:
    """Whether a history holds each known record at least as often as it is known."""
    return all(history[record] >= times for record, times in known.items())


def is_unique(histories: Histories, person: Hashable, known: Iterable[Record]) -> bool:
    """Whether nobody but the person has the known records."""
    drawn = Counter(known)
    others = (history for other, history in histories.items() if other != person)
    return not any(has_records(history, drawn) for history in others)


def chance_unique(histories: Histories, person: Hashable, known: int) -> Fraction:
    """Return the share of all draws of min(known, own) records of a person that nobody else has.

    Each occurrence of a record can be drawn, so a record that occurs twice is drawn twice as easily.
    """
    own = list(histories[person].elements())
    draws = list(combinations(own, min(known, len(own))))
    alone = {draw: is_unique(histories, person, draw) for draw in set(draws)}
    return Fraction(sum(alone[draw] for draw in draws), len(draws))


def record(columns: int, kinds: Sequence[str], pools: Sequence[list[Any]]) -> st.SearchStrategy[Record]:
    """Records of as many columns, those of one kind with the same pool: values are equal or swapped."""
    return st.tuples(*(st.sampled_from(pools[place % len(kinds)]) for place in range(columns)))


@st.composite
def drawn_histories(draw: st.DrawFn, most_rows: int = 30, most_people: int = 6) -> Drawn:
    """Draw histories with missing values, repeated records, and values that stand in several columns."""
    kinds = draw(st.lists(st.sampled_from(tuple(KINDS)), min_size=1, max_size=2))
    columns = draw(st.integers(len(kinds), 4))
    pools: list[list[Any]] = []
    for kind in kinds:
        pool = draw(st.lists(KINDS[kind].cells, min_size=1, max_size=3))
        if kind == "text" and draw(st.booleans()):
            pool += ["y" * 5_000, "y" * 4_999 + "z"]
        pools.append([*pool, *([None] if draw(st.booleans()) else [])])
    user = draw(st.sampled_from(["text", "integer"]))
    people: list[Any] = [*(TEXTS if user == "text" else range(-2, 40))][: draw(st.integers(1, most_people))]
    if draw(st.booleans()):
        people.append(None)
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from(people), record(columns, kinds, pools)).map(
                lambda row: (row[0], *row[1])
            ),
            max_size=most_rows,
        )
    )
    return Drawn(user, tuple(kinds[place % len(kinds)] for place in range(columns)), rows)
