"""What attackers get from a release by k-anonymity: by its cells, by the algorithm, by what is deleted.

Each attacker knows more than most could: the true values of everybody else, or all people with their
quasi-identifiers. The figures bound what others get, and are printed.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.command import command
from tests.release_oracle import (
    CLASS_SHARE,
    TIMES_ALL,
    Table,
    match_by_tag,
    read_columns,
    read_intervals,
    write_intervals,
)
from tests.release_oracle import covers as covers_value
from tests.releases import made
from tests.tables import EXAMPLES

pytestmark = pytest.mark.slow

KINDS = {"tag": "INTEGER", "age": "INTEGER", "city": "VARCHAR", "job": "VARCHAR", "illness": "VARCHAR"}
KNOWN = ("age", "city", "job")
K = 3
METHODS = ["local", "uniform"]
Rows = list[tuple[Any, ...]]
covers = cache(covers_value)


def draw_people(count: int, seed: int = 0) -> Rows:
    """Draw people of whom few are old, and whose illness depends on their age."""
    chosen = random.Random(seed)
    rows: Rows = []
    for tag in range(count):
        age = 20 + int(chosen.expovariate(0.08))
        city = "ABCDEFG"[min(6, int(chosen.expovariate(0.5)))]
        job = chosen.choice(["clerk", "clerk", "cook", "nurse", "smith"])
        ill = "gout" if age > 40 and chosen.random() < 0.8 else chosen.choice(["flu", "cold", "none"])
        rows.append((tag, age, city, job, ill))
    return rows


def release(folder: Path, rows: Rows, method: str) -> list[tuple[Any, ...]]:
    """Release the people by the command, and return the records as written."""
    folder.mkdir(exist_ok=True)
    source = made(folder / "source.parquet", KINDS, rows)
    target = folder / "release.parquet"
    options = [f"--k={K}", *(f"--quasi-identifier={name}" for name in KNOWN), f"--method={method}"]
    result = command("anonymize", source, "-o", target, "--overwrite", "--quiet", *options)
    assert result.code == 0, result.err
    written = read_columns(target)
    recipe = target.with_name("release.parquet.recipe.toml").read_text(encoding="utf-8")
    rows = write_intervals(written, read_intervals(recipe, written))
    return [tuple(row[written.names.index(n)] if n in written.names else "*" for n in KINDS) for row in rows]


# --- the algorithm ---------------------------------------------------------------------------------


class Excluded(NamedTuple):
    """Values that the cells of some targets cover; those that an attacker excludes by cells and in all."""

    covered: int
    by_cells: int
    by_algorithm: int


def box(rows: Sequence[Sequence[Any]]) -> list[frozenset[Any] | tuple[Any, Any]]:
    """Return what the cells of a class cover if they are no larger than its values."""
    columns = list(zip(*rows, strict=True))
    return [
        (min(values), max(values)) if isinstance(values[0], int) else frozenset(values) for values in columns
    ]


def exclude_values(folder: Path, rows: Rows, method: str, targets: Sequence[int], every: int = 1) -> Excluded:
    """Count the values that an attacker excludes who knows everything but one cell of the target.

    By the cells: with the value the class would have other cells, for these are no larger than its values.
    By the algorithm: the release of the table with the value is another one, as the command shows.
    """
    released = release(folder, rows, method)
    by_tag = {cells[0]: cells for cells in released}
    found = Counter[str]()
    for target in targets:
        cells = by_tag.get(target)
        if cells is None:
            continue
        members = [rows[other[0]] for other in released if other[1:4] == cells[1:4]]
        for place in range(1, 1 + len(KNOWN)):
            domain = sorted({row[place] for row in rows})
            for value in domain[::every]:
                if value == rows[target][place] or not covers(cells[place], value):
                    continue
                found["covered"] += 1
                guess = [*rows[target]]
                guess[place] = value
                changed = [tuple(guess) if row[0] == target else row for row in members]
                if method == "local" and box([row[1:4] for row in changed]) != box(
                    [row[1:4] for row in members]
                ):
                    found["by_cells"] += 1
                    continue
                table = [tuple(guess) if row[0] == target else row for row in rows]
                found["by_algorithm"] += release(folder, table, method) != released
    return Excluded(found["covered"], found["by_cells"], found["by_cells"] + found["by_algorithm"])


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_minimality_attack(tmp_path: Path, method: str) -> None:
    """Who knows the algorithm and everybody else excludes at most half of what the cells leave open."""
    rows = draw_people(48)
    few = [6, 30] if method == "local" else range(0, 48, 12)
    targets = range(0, 48, 6) if EXAMPLES >= 20 else few
    every = 8 if EXAMPLES < 20 and method == "uniform" else 1
    found = exclude_values(tmp_path / method, rows, method, targets, every)
    open_before, closed = found.covered - found.by_cells, found.by_algorithm - found.by_cells
    print(f"{method}: {found}, of {open_before} open values the algorithm excludes {closed}")
    assert open_before > 0
    assert closed <= open_before / 2


# --- homogeneity -----------------------------------------------------------------------------------


def disclose_column(rows: Rows, released: Sequence[tuple[Any, ...]], column: str) -> Fraction:
    """Return the share of people of whom an attacker learns a value of a column.

    The attacker knows their other quasi-identifiers and looks at all released records that these fit: at
    least 0.9 of them have the same single value, 1.5 times its share in the release.
    """
    place = list(KINDS).index(column)
    known = [list(KINDS).index(name) for name in KNOWN if name != column]
    of_all = Counter(cells[place] for cells in released)
    disclosed = 0
    for cells in released:
        person = rows[cells[0]]
        fitting = [other[place] for other in released if all(covers(other[at], person[at]) for at in known)]
        value, times = Counter(fitting).most_common(1)[0]
        share = Fraction(times, len(fitting))
        plain = str(value) == str(person[place])
        if plain and share >= CLASS_SHARE and share >= TIMES_ALL * Fraction(of_all[value], len(released)):
            disclosed += 1
    return Fraction(disclosed, len(released))


@pytest.mark.parametrize("method", METHODS)
def test_homogeneity_of_every_column(tmp_path: Path, method: str) -> None:
    """k-anonymity hides who a record is of, no value that the class shares: few people are disclosed one."""
    rows = draw_people(240)
    released = release(tmp_path / method, rows, method)
    shares = {column: float(disclose_column(rows, released, column)) for column in [*KNOWN, "illness"]}
    before = {column: float(disclose_column(rows, rows, column)) for column in [*KNOWN, "illness"]}
    print(
        f"{method}: "
        + ", ".join(f"{column} {share:.1%} (before {before[column]:.1%})" for column, share in shares.items())
    )
    for column, share in shares.items():
        assert share <= before[column], column


# --- deleted records -------------------------------------------------------------------------------


def name_deleted(population: Rows, released: Sequence[tuple[Any, ...]]) -> set[Hashable]:
    """Return the people whose quasi-identifiers fit no released record: if they are in the table, deleted."""
    return {
        person[0]
        for person in population
        if not any(all(covers(cells[at], person[at]) for at in (1, 2, 3)) for cells in released)
    }


def test_deleted_outliers(tmp_path: Path) -> None:
    """Who knows all people of the table by their quasi-identifiers names those who were deleted.

    That follows from any recoding with deleted classes, so only 5 % may be deleted. Among twice as many
    people, of whom half are in the table, those that fit no record were mostly not in it.
    """
    everybody = draw_people(480)
    chosen = set(random.Random(5).sample(range(480), 240))
    rows = [(number, *person[1:]) for number, person in enumerate(p for p in everybody if p[0] in chosen)]
    released = release(tmp_path / "uniform", rows, "uniform")
    matched = match_by_tag(Table(tuple(KINDS), rows), Table(tuple(KINDS), released), "tag")
    deleted = set(range(len(rows))) - set(matched)
    named = name_deleted(rows, released)
    wider = name_deleted([(-1 - p[0], *p[1:]) for p in everybody if p[0] not in chosen] + rows, released)
    right = len(wider & deleted) / max(1, len(wider))
    print(
        f"{len(deleted)} deleted, {len(named)} named; among twice as many people {right:.0%} of {len(wider)}"
    )
    assert named <= deleted
    assert len(deleted) <= len(rows) // 20
