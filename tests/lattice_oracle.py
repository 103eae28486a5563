"""Attribute sets by brute force over all of them, and a way to measure a small table."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb

from duckrisk import roles
from duckrisk.disclosure.options import Options
from duckrisk.session import Session
from duckrisk.source import Request, open_source
from duckrisk.templates import render
from tests import tables

Row = tuple[Any, ...]


def measured(
    measure: Callable[..., tuple[dict[str, Any], list[str]]],
    folder: Path,
    columns: Sequence[str],
    rows: Sequence[Row],
    *,
    user: str = "",
    show_values: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """A section for a table of texts, the user's column first where there is one."""
    path = folder / "records.parquet"
    with duckdb.connect() as connection:
        tables.make(connection, dict.fromkeys(columns, "VARCHAR"), rows)
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")
    return of_file(measure, path, [c for c in columns if c != user], user, show_values=show_values, **options)


def of_file(
    measure: Callable[..., tuple[dict[str, Any], list[str]]],
    path: Path,
    columns: Sequence[str],
    user: str = "",
    *,
    show_values: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """A section for a file."""
    with Session() as session:
        source = open_source(session, Request(str(path)))
        found = roles.infer(session, source, roles.Wishes(user=user))
        settings = Options(quasi_identifiers=tuple(columns), **options)
        section, _ = measure(session, source, found, settings, show_values=show_values)
    return section


def sets(count: int) -> Iterator[tuple[int, ...]]:
    """All sets of attributes but the empty one, the smallest first."""
    for size in range(1, count + 1):
        yield from combinations(range(count), size)


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
    rows: Sequence[Row], users: Sequence[Any], missing: str
) -> dict[int, list[tuple[int, ...]]]:
    """The minimal sets that single each record out."""
    found: dict[int, list[tuple[int, ...]]] = {number: [] for number in range(len(rows))}
    for inside in sets(len(rows[0])):
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


def of_statement(name: str, path: Path, columns: Sequence[str], **arguments: Any) -> list[dict[str, Any]]:
    """What the one statement for a shell says of a file."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(render(name, source=str(path), columns=list(columns), **arguments))
        names = [column[0] for column in connection.description or []]
        return [dict(zip(names, row, strict=True)) for row in connection.fetchall()]
