"""Exact nearest records: a case by hand, and all pairs in Python for ties, duplicates and few records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.contests.membership import neighbours
from duckrisk.contests.membership.neighbours import Shape, nearest_records
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.templates import render
from tests.tables import LIGHT, TEXTS, connect, make

Record = tuple[tuple[float, ...], tuple[str, ...]]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(Resources(threads=2)) as opened:
        yield opened


def put(session: Session, name: str, numbers: int, categories: int, rows: Sequence[Record]) -> None:
    """An encoded table of these records."""
    kinds = [f"n{i + 1} DOUBLE" for i in range(numbers)] + [f"c{i + 1} VARCHAR" for i in range(categories)]
    places = ", ".join("?" * (1 + len(kinds)))
    cells = [[record, *numeric, *texts] for record, (numeric, texts) in enumerate(rows)]

    def make() -> None:
        connection = session._connection
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} (record BIGINT, {', '.join(kinds)})")
        if cells:
            connection.executemany(f"INSERT INTO {name} VALUES ({places})", cells)

    session.run_in_worker(make, "put")


def found(session: Session) -> list[tuple[int, int, float]]:
    """What nearest_records made."""
    return session.run_in_worker(
        lambda: session._connection.execute("FROM nearest ORDER BY record").fetchall(), "found"
    )


def nearest(
    asked: Sequence[Record], candidates: Sequence[Record], weight: float
) -> list[tuple[int, int, float]]:
    """All pairs."""
    made = []
    for place, (numbers, texts) in enumerate(asked):
        pairs = []
        for other, (their_numbers, their_texts) in enumerate(candidates):
            distance = 0.0
            for a, b in zip(numbers, their_numbers, strict=True):
                distance += (a - b) * (a - b)
            distance += weight * sum(a != b for a, b in zip(texts, their_texts, strict=True))
            pairs.append((distance, other))
        if pairs:
            made.append((place, min(pairs)[1], min(pairs)[0]))
    return made


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, int, list[Record], list[Record]]:
    numbers = draw(st.sampled_from([0, 1, 2, 3, 7]))
    categories = draw(st.integers(1 if numbers == 0 else 0, 4))
    cells = draw(
        st.sampled_from(
            [
                st.integers(-2, 2).map(float),
                st.sampled_from([0.0, -0.0, 1e-200, 1e150, -1e150, 0.1, 0.30000000000000004, 5e-324]),
                st.floats(-1e6, 1e6),
            ]
        )
    )
    values = draw(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=5, unique=True))
    record = st.tuples(st.tuples(*[cells] * numbers), st.tuples(*[st.sampled_from(values)] * categories))
    return (numbers, categories, draw(st.lists(record, max_size=12)), draw(st.lists(record, max_size=40)))


@LIGHT
@given(
    tables(),
    st.sampled_from([2.0, 1.0, 0.0, 0.3]),
    st.integers(1, 3),
    st.sampled_from([None, 1, 2, 7]),
    st.sampled_from([4, 5, 8, 62]),
)
def test_nearest_records_are_those_of_all_pairs(
    session: Session,
    drawn: tuple[int, int, list[Record], list[Record]],
    weight: float,
    levels: int,
    size: int | None,
    word: int,
) -> None:
    numbers, categories, asked, candidates = drawn
    put(session, "asked", numbers, categories, asked)
    put(session, "candidates", numbers, categories, candidates)
    shape = Shape(tuple(f"n{i + 1}" for i in range(numbers)), tuple(f"c{i + 1}" for i in range(categories)))
    with mock.patch.object(neighbours, "_WORD", word):  # words may end after every category
        nearest_records(session, "asked", "candidates", shape, "nearest", weight, levels, size)
    assert found(session) == nearest(asked, candidates, weight)


def test_both_weights_by_hand(session: Session) -> None:
    put(session, "asked", 1, 2, [((37.0,), ("Male", "<=50K"))])
    put(session, "candidates", 1, 2, [((44.0,), ("Female", ">50K"))])
    shape = Shape(("n1",), ("c1", "c2"))
    for weight, distance in ((1.0, 7.14), (2.0, 7.28)):
        nearest_records(session, "asked", "candidates", shape, "nearest", weight)
        ((record, neighbour, squared),) = found(session)
        assert (record, neighbour) == (0, 0)
        assert squared**0.5 == pytest.approx(distance, abs=0.005)


def test_many_categories_take_several_words(session: Session) -> None:
    rows: list[Record] = [((), tuple(f"{(i * 7 + j * i) % 9}" for j in range(30))) for i in range(60)]
    put(session, "asked", 0, 30, rows[:20])
    put(session, "candidates", 0, 30, rows[20:])
    shape = Shape((), tuple(f"c{i + 1}" for i in range(30)))
    nearest_records(session, "asked", "candidates", shape, "nearest")
    assert found(session) == nearest(rows[:20], rows[20:], 2.0)


def test_pairs_are_not_stored(tmp_path: Path) -> None:
    """36,000,000 pairs of records that are all different would take 0.5 GB."""
    with Session(Resources(memory="100MB", threads=2)) as session:
        rows: list[Record] = []
        put(session, "asked", 2, 1, rows)
        put(session, "candidates", 2, 1, rows)

        def fill() -> None:
            for name, shift in (("asked", 0), ("candidates", 1)):
                session._connection.execute(
                    f"INSERT INTO {name} SELECT i, i * 7919 % 6007, i * 104729 % 5003 + {shift}, i % 5 "
                    "FROM range(6000) AS r(i)"
                )

        session.run_in_worker(fill, "fill")
        nearest_records(session, "asked", "candidates", Shape(("n1", "n2"), ("c1",)), "nearest")
        assert len(found(session)) == 6000


def test_what_attributes_add_to_a_distance_by_hand() -> None:
    """Of 0, 2 and 4 two differ by 16/3 in the mean of their squares; of x, x and y in 4 of 9 cases."""
    with connect() as engine:
        make(engine, {"n": "DOUBLE", "c": "VARCHAR"}, [(0, "x"), (2, "x"), (4, "y")])
        told = engine.execute(
            render("attribute_spread", source="t", numeric=["n"], categories=["c"], weight=0.5)
        ).fetchall()
    assert told == [(0, pytest.approx(16 / 3), 3), (1, pytest.approx(0.5 * 4 / 9), 3)]
