"""Attribute sets by brute force over all of them, and a way to measure a small table."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations as subsets
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
from hypothesis import strategies as st

from duckrisk import roles
from duckrisk.base.options.disclosure import Options
from duckrisk.engine.session import Session
from duckrisk.engine.templates import render
from duckrisk.measures.sets import costs, encoding
from duckrisk.source import Request, open_source
from tests import tables
from tests.declared import values_unsearched
from tests.sections import Section, as_json

Row = tuple[Any, ...]
#: The rules for missing cells.
RULES = ("value", "wildcard", "none")
#: A text that is a missing cell, and texts that are not but look like others.
TOKEN = "n/k"
TEXTS = ("a", "A", "é", "e\u0301", "\u200b", "N/K", " ", "🦆")


def measured(
    measure: Callable[..., tuple[Any, Any]],
    folder: Path,
    columns: Sequence[str],
    rows: Sequence[Row],
    *,
    user: str = "",
    show_values: bool = False,
    **options: Any,
) -> Section:
    """A section for a table of texts, the user's column first where there is one."""
    path = folder / "records.parquet"
    tables.make(tables.engine(), dict.fromkeys(columns, "VARCHAR"), rows, "records")
    tables.engine().execute(f"COPY records TO '{path}' (FORMAT parquet)")
    return of_file(measure, path, [c for c in columns if c != user], user, show_values=show_values, **options)


def of_file(
    measure: Callable[..., tuple[Any, Any]],
    path: Path,
    columns: Sequence[str],
    user: str = "",
    *,
    show_values: bool = False,
    **options: Any,
) -> Section:
    """A section for a file."""
    with values_unsearched(), Session() as session:
        source = open_source(session, Request(str(path)))
        found = roles.infer(session, source, roles.RoleOverrides(user=user))
        settings = Options(quasi_identifiers=tuple(columns), **options)
        section, _ = measure(session, source, found, settings, show_values=show_values)
    return as_json(section)


def sets(count: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """All sets of attributes but the empty one, of so many at most, the smallest first."""
    for size in range(1, (most or count) + 1):
        yield from subsets(range(count), size)


def classes(rows: Sequence[Row], inside: tuple[int, ...], missing: str) -> dict[Row, list[int]]:
    """The records of each class; with "none" only of those that have all attributes."""
    found: dict[Row, list[int]] = {}
    for number, row in enumerate(rows):
        key = tuple(row[position] for position in inside)
        if missing == "value" or None not in key:
            found.setdefault(key, []).append(number)
    return found


def agreeing(rows: Sequence[Row], inside: tuple[int, ...], missing: str) -> dict[int, list[int]]:
    """Who agrees with each record on a set; with "none" only of those that have all attributes."""
    if missing != "wildcard":
        found = classes(rows, inside, missing).values()
        return {number: members for members in found for number in members}
    return {
        number: [
            other
            for other, theirs in enumerate(rows)
            if all(None in (row[place], theirs[place]) or row[place] == theirs[place] for place in inside)
        ]
        for number, row in enumerate(rows)
    }


def singled(
    rows: Sequence[Row], users: Sequence[Any], inside: tuple[int, ...], missing: str = "value"
) -> set[int]:
    """The records that agree with one person's alone."""
    return {
        number
        for number, members in agreeing(rows, inside, missing).items()
        if len({users[member] for member in members}) == 1
    }


def minimal_uniques(
    rows: Sequence[Row], users: Sequence[Any], missing: str, most: int | None = None
) -> dict[int, list[tuple[int, ...]]]:
    """The minimal sets, of so many attributes at most, that single each record out."""
    found: dict[int, list[tuple[int, ...]]] = {number: [] for number in range(len(rows))}
    for inside in sets(len(rows[0]), most):
        for number in singled(rows, users, inside, missing):
            if not any(set(smaller) < set(inside) for smaller in found[number]):
                found[number].append(inside)
    return found


def drawn(seed: int, count: int, rows: int, values: int, missing: float = 0.0) -> list[Row]:
    """A random table whose attributes have different numbers of values."""
    chance = random.Random(seed)
    return [
        tuple(
            None if chance.random() < missing else f"v{chance.randrange(1 + (position * 7 + seed) % values)}"
            for position in range(count)
        )
        for _ in range(rows)
    ]


def wide(words: int) -> tuple[list[str], list[Row]]:
    """Columns and rows that take so many words of 60 bits, beside what is looked at together."""
    count = {2: 15, 3: 22}[words]
    chance = random.Random(words)
    rows = [
        tuple(f"v{chance.randrange((900, 300, 40)[place % 3])}" for place in range(count)) for _ in range(100)
    ]
    return [f"a{place}" for place in range(count)], rows


def of_statement(name: str, path: Path, columns: Sequence[str], **arguments: Any) -> list[dict[str, Any]]:
    """What the one statement for a shell says of a file."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(render(name, source=str(path), columns=list(columns), **arguments))
        names = [column[0] for column in connection.description or []]
        return [dict(zip(names, row, strict=True)) for row in connection.fetchall()]


@dataclass(frozen=True)
class Drawn:
    """A table of texts with missing cells, some of them tokens. ``users`` has a user for each row; it is
    measured with words of ``word`` bits, and at most ``low`` attributes apart from these."""

    rows: list[Row]
    users: list[str]
    several: bool
    word: int = encoding.WORD_BITS
    low: int = costs.LOW_ATTRIBUTES

    @property
    def count(self) -> int:
        return len(self.rows[0])

    @property
    def whole(self) -> list[Row]:
        """The rows with their missing cells."""
        return [tuple(None if cell == TOKEN else cell for cell in row) for row in self.rows]

    @property
    def persons(self) -> int:
        return len(set(self.users))

    def measured(self, measure: Callable[..., tuple[Any, Any]], folder: Path, **options: Any) -> Section:
        """A section by every rule for missing cells."""
        columns = [f"a{place}" for place in range(self.count)]
        rows = self.rows
        if self.several:
            columns = ["who", *columns]
            rows = [(user, *row) for user, row in zip(self.users, rows, strict=True)]
        user = "who" if self.several else ""
        tokens = {"missing_tokens": (TOKEN,), "compare_missing": True}
        word, low = (
            mock.patch.object(encoding, "WORD_BITS", self.word),
            mock.patch.object(costs, "LOW_ATTRIBUTES", self.low),
        )
        with word, low:
            return measured(measure, folder, columns, rows, user=user, **tokens, **options)


@st.composite
def drawn_tables(draw: st.DrawFn) -> Drawn:
    """Tables of a few rows, some alike, of records or of users with several."""
    count = draw(st.integers(1, 4))
    texts = draw(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3))
    cells = st.sampled_from([*texts, None, TOKEN])
    rows = draw(st.lists(st.tuples(*[cells] * count), min_size=1, max_size=8))
    several = draw(st.booleans())
    named = st.sampled_from(["u", "ü", "user 3"])
    users = (
        draw(st.lists(named, min_size=len(rows), max_size=len(rows)))
        if several
        else map(str, range(len(rows)))
    )
    return Drawn(rows, list(users), several, low=draw(st.sampled_from([1, costs.LOW_ATTRIBUTES])))


@st.composite
def tables_of_words(draw: st.DrawFn) -> Drawn:
    """Tables whose attributes take several words, any of which may be the last one of its word."""
    values = draw(st.lists(st.integers(1, 12), min_size=3, max_size=5))
    chance = random.Random(draw(st.integers(0, 999)))
    missing = draw(st.sampled_from([0.0, 0.1]))
    rows: list[Row] = [
        tuple(None if chance.random() < missing else f"v{chance.randrange(count)}" for count in values)
        for _ in range(20)
    ]
    several = draw(st.booleans())
    users = [f"u{number // 3 if several else number}" for number in range(len(rows))]
    return Drawn(rows, users, several, draw(st.integers(4, 9)), draw(st.sampled_from([0, 1])))


def same_by_other_rules(
    drawn_table: Drawn, section: dict[str, Any], rule: str, told: Callable[[str], dict[str, Any]]
) -> None:
    """Raise where what is told of the other rules for missing cells is not what brute force says."""
    missing = any(None in row for row in drawn_table.whole)
    found = {
        entry["missing"]: {key: entry[key] for key in told(entry["missing"])}
        for entry in section["other_rules"]
    }
    assert found == {other: told(other) for other in RULES if other != rule and missing}
