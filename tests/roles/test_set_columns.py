"""Columns of sets, intervals and lists have the roles of their values."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk import roles
from duckrisk.engine.session import Session
from duckrisk.roles.overrides import RoleOverrides
from duckrisk.source import Request, open_sources
from tests.tables import LIGHT

FIRST = (
    "Ann",
    "Bob",
    "Cara",
    "Dan",
    "Eve",
    "Finn",
    "Gail",
    "Hugh",
    "Ida",
    "Jon",
    "Kim",
    "Lea",
    "Max",
    "Nina",
)
LAST = ("Lee", "Ray", "Smith", "Jones", "Brown", "Stone", "Berg", "Holm", "Meyer", "Novak", "Rossi", "Costa")
LABELS = ("Married with a spouse who lives here", "Separated for some time now", "Never married so far")
Draw = Callable[[random.Random], str]


def _draw_code(chance: random.Random) -> str:
    return f"{chance.randrange(10_000, 90_000)}{chance.choice(['', '', 'A', 'B'])}"


def _draw_moment(chance: random.Random) -> str:
    return f"2011-{chance.randint(1, 12):02}-{chance.randint(1, 28):02} {chance.randint(8, 18):02}:26:00"


VALUES: dict[str, tuple[Draw, bool]] = {
    "code": (_draw_code, False),
    "label": (lambda chance: chance.choice(LABELS), False),
    "inch": (lambda chance: f'{chance.randrange(99)}" pipe of grey steel', False),
    "place": (lambda chance: chance.choice(["São Paulo", "東京", "El Salvador", "*", "{x}"]), False),
    "number": (lambda chance: f"{chance.random() * 100:.2f}", True),
    "day": (lambda chance: _draw_moment(chance)[:10], True),
    "moment": (_draw_moment, True),
}
WORDS = ("StockCode", "InvoiceDate", "description", "native-country", "price", "zip")


def find_roles(columns: dict[str, list[Any]]) -> dict[str, str]:
    with Session() as session:
        (source,) = open_sources(session, [("assessed", Request(pa.table(columns)))])
        found = roles.infer(session, source, RoleOverrides())
    return {decision.column.name: decision.role for decision in found.decisions}


def draw_cells(draw: Draw, chance: random.Random, most: int, *, interval: bool) -> list[str | None]:
    """Draw sets or intervals, among them single values, * and missing ones."""
    cells: list[str | None] = []
    for _ in range(120):
        values = sorted({draw(chance) for _ in range(2 if interval else chance.randint(1, most))})
        several = f"[{', '.join(values)}]" if interval else f"{{{', '.join(values)}}}"
        cells.append(
            chance.choice([several, several, several, values[0] if len(values) < 2 else several, "*"])
        )
    return [None, *cells]


@LIGHT
@given(st.integers(0, 2**32), st.integers(2, 16), st.sampled_from(WORDS), st.sampled_from(sorted(VALUES)))
def test_sets_and_intervals_are_values(seed: int, most: int, heading: str, kind: str) -> None:
    """Neither texts of sets and intervals nor lists are prose or identify anybody."""
    chance = random.Random(seed)
    draw, interval = VALUES[kind]
    sets = draw_cells(draw, chance, most, interval=False)
    columns: dict[str, list[Any]] = {"age": [chance.randrange(9) for _ in sets], heading: sets}
    columns["list"] = [cell if cell is None else cell.strip("{}").split(", ") for cell in sets]
    if interval:
        columns["span"] = draw_cells(draw, chance, most, interval=True)
    found = find_roles(columns)
    assert {found[name] for name in columns}.isdisjoint({"free_text", "direct_identifier"}), (heading, kind)


@pytest.mark.parametrize("heading", ["customer name", "Name", "full_name", "email", "contact", "phone"])
@pytest.mark.parametrize("form", ["text", "list"])
def test_sets_of_identifiers_identify(heading: str, form: str) -> None:
    chance = random.Random(heading)

    def draw() -> str:
        first, last = chance.choice(FIRST), chance.choice(LAST)
        if heading in ("email", "contact"):
            return f"{first}.{last}{chance.randrange(999)}@mail.example.com".lower()
        return f"+4479{chance.randrange(10**8)}" if heading == "phone" else f"{first} {last}"

    lists = [[draw() for _ in range(chance.randint(2, 5))] for _ in range(300)]
    cells = lists if form == "list" else [f"{{{', '.join(values)}}}" for values in lists]
    found = find_roles({"birth date": [f"19{n % 90 + 10}-01-01" for n in range(300)], heading: cells})
    assert found[heading] == "direct_identifier"


def test_prose_in_brackets_stays_prose(tmp_path: Path) -> None:
    words = ["called", "answered", "nobody", "was", "there", "again", "today", "with", "complaints"]
    chance = random.Random(7)
    texts = [
        f"[{' '.join(chance.choices(words, k=9))}, {' '.join(chance.choices(words, k=9))}]" for _ in range(99)
    ]
    assert find_roles({"age": [n % 9 for n in range(99)], "remarks": texts})["remarks"] == "free_text"
