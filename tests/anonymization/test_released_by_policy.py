"""Releases of hostile tables, judged by brute force: every limit of the policy, every cell, every record.

Each original record has a number of its own in a column that is declared insensitive, so that the record
behind a released one is known, whatever was deleted.
"""

from __future__ import annotations

import csv
import datetime as dt
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from duckrisk.engine.templates import literal
from tests.cases import Cases
from tests.command import command, everything, without_notice
from tests.hostile import NAMES
from tests.release_oracle import (
    Roles,
    Table,
    find_disclosed,
    group_people,
    list_changed,
    list_leaked,
    list_outside,
    list_uncovered,
    match_by_tag,
    measure,
    read_columns,
    read_intervals,
)
from tests.releases import made, treat
from tests.tables import EXAMPLES, engine

pytestmark = pytest.mark.slow

TAG = "tag"
POLICIES = ("public", "shared", "internal")
METHODS = ("auto", "local", "uniform")
#: Tables with each policy by one method in turn; all 30 from 20 examples on.
TABLES = 30 if EXAMPLES >= 20 else 2 * EXAMPLES
#: Texts that a set, an interval, a prefix or a template could be mistaken for.
HOSTILE = ["a, b", "{x", "{a, b}", "[1, 2]", "x*", "*", "é", "e\u0301", "東京", "", " a", "a'b", 'a"b', "b"]
MORE = [
    "NULL",
    "?",
    "{{ 7 * 7 }}",
    "{%",
    "a\nb",
    "-- a",
    "1",
    "1.0",
    "}",
    "{",
    ", ",
    "\u202eb",
    "Zürich-7781",
]


@dataclass(frozen=True)
class Drawn:
    """A drawn table: types by column, records, and what its columns are."""

    kinds: dict[str, str]
    rows: list[tuple[Any, ...]]
    roles: Roles

    @property
    def original(self) -> Table:
        """The table, with the person behind each record."""
        names = tuple(self.kinds)
        user = names.index(self.roles.user) if self.roles.user is not None else None
        people = [i if user is None else row[user] for i, row in enumerate(self.rows)]
        return Table(names, self.rows, people)

    def list_options(self) -> list[str]:
        """Return the options that declare the roles."""
        options = [f"--user={self.roles.user or ''}"]
        for name in ("sensitive", "insensitive", "keep"):
            options += [f"--{name}={column}" for column in getattr(self.roles, name)]
        return options


def draw_pool(chosen: random.Random, kind: str) -> list[Any]:
    """Draw the values of a column, the frequent ones first."""
    if kind == "VARCHAR":
        return chosen.sample(HOSTILE + MORE, chosen.choice([2, 4, 12]))
    if kind == "BOOLEAN":
        return [True, False]
    if kind == "DATE":
        first = dt.date(chosen.choice([1899, 1970, 2024]), 12, 30)
        return [first + dt.timedelta(chosen.randrange(400)) for _ in range(chosen.choice([3, 30]))]
    if kind == "DOUBLE":
        extremes = [math.inf, -math.inf, math.nan, -0.0, 1e300]
        return [round(chosen.gauss(0, 9), 2) for _ in range(9)] + chosen.sample(extremes, 2)
    if kind == "DECIMAL(9, 2)":
        return [Decimal(chosen.randrange(-500, 99_000)) / 100 for _ in range(chosen.choice([3, 25]))]
    first = chosen.choice([-2, 0, 1_000_000])
    return [first + step for step in range(chosen.choice([3, 7, 40]))]


def draw_table(seed: int) -> Drawn:
    """Draw a table of 20 to 150 records, of which some are copies, with people of several records or not."""
    chosen = random.Random(seed)
    kinds = ["VARCHAR", "INTEGER", "DOUBLE", "DECIMAL(9, 2)", "DATE", "BOOLEAN"]
    columns = chosen.choices(kinds, k=chosen.randrange(2, 7))
    hostile = chosen.sample(NAMES, len(columns) + 2)
    names = hostile if seed % 2 else [f"c{i}" for i in range(len(columns))]
    pools = [draw_pool(chosen, kind) for kind in columns]
    missing = [chosen.choice([0, 0, 0.02, 0.3]) for _ in columns]
    count = chosen.choice([20, 60, 150])
    people = count // 2 if seed % 3 == 1 else None
    rows: list[tuple[Any, ...]] = []
    for _ in range(count):
        cells = tuple(
            None if chosen.random() < share else pool[int(len(pool) * chosen.random() ** 2.5)]
            for pool, share in zip(pools, missing, strict=True)
        )
        rows.append(cells if chosen.random() < 0.8 or not rows else chosen.choice(rows))
    table = dict(zip(names, columns, strict=False)) | {"constant": "VARCHAR"}
    full = [(*cells, "same") for cells in rows]
    if people is not None:
        table = {"who": "VARCHAR"} | table
        full = [(f"p{int(people * chosen.random() ** 2)}", *cells) for cells in full]
    table = {TAG: "DOUBLE"} | table
    full = [(number + 0.25, *cells) for number, cells in enumerate(full)]
    sensitive = (names[len(columns) - 1],) if chosen.random() < 0.5 and len(columns) > 2 else ()
    keep = (names[0],) if chosen.random() < 0.3 else ()
    return Drawn(table, full, Roles("who" if people is not None else None, sensitive, (TAG,), keep))


def read_release(path: Path) -> Table:
    """Read a release as it was written; a CSV file as texts."""
    if path.suffix != ".csv":
        return read_columns(path)
    with path.open(encoding="utf-8", newline="") as file:
        names = next(csv.reader(file))  # the engine would trim them
    options = "all_varchar = true, header = true, delim = ',', quote = '\"', allow_quoted_nulls = false"
    rows = engine().execute(f"FROM read_csv({literal(str(path))}, {options})").fetchall()
    return Table(tuple(names), rows)


def judge(drawn: Drawn, release: Table, recipe: str, policy: str | None) -> tuple[list[Any], list[int]]:
    """List what is wrong with a release, and say which records it has."""
    original = drawn.original
    if release.names and isinstance(release.rows[0][release.names.index(TAG)], str):
        place = release.names.index(TAG)
        rows = [(*row[:place], float(row[place]), *row[place + 1 :]) for row in release.rows]
        release = Table(release.names, rows)
    matched = match_by_tag(original, release, TAG)
    user = drawn.roles.user
    shown = [name for name in release.names if name != user]
    hidden = Table(tuple(shown), [_select(release, row, shown) for row in release.rows])
    intervals = read_intervals(recipe, hidden)
    wrong: list[Any] = list_uncovered(original, hidden, matched, intervals)
    wrong += list_outside(original, hidden, matched, intervals)
    unchanged = [TAG, *(name for name in drawn.roles.sensitive)]
    wrong += list_changed(original, hidden, matched, unchanged)
    wrong += [name for name in drawn.roles.keep if name not in release.names]
    wrong += [name for name in release.names if name not in original.names]
    without_tag = Table(original.names[1:], [row[1:] for row in original.rows])
    if user is not None:
        without_tag = Table(original.names[2:], [row[2:] for row in original.rows])
    wrong += list_leaked(without_tag, hidden, matched, recipe)
    judged = Table(release.names, release.rows, [original.people[place] for place in matched])
    if policy is not None:
        wrong += measure(judged, drawn.roles).list_exceeded(policy)
        if user in release.names:
            wrong += list_bad_pseudonyms(judged, str(user), policy)
    return wrong, matched


def _select(table: Table, row: tuple[Any, ...], names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row[table.names.index(name)] for name in names)


def list_bad_pseudonyms(table: Table, user: str, policy: str) -> list[str]:
    """List what is wrong with pseudonyms: shared by people, or the original numbers."""
    given = [cells[0] for cells in table.select(user)]
    holders = group_people(table.people, [(name,) for name in given])
    wrong = [f"a pseudonym of {len(whose)} people" for whose in holders.values() if len(whose) > 1]
    if policy != "internal" and set(given) & set(table.people):
        wrong.append("original numbers of people")
    return wrong


def anonymize(drawn: Drawn, folder: Path, suffix: str, *options: str) -> tuple[Table, str] | None:
    """Release a table; None where that is refused by one sentence and no file is left."""
    folder.mkdir()
    source = made(folder / "source.parquet", drawn.kinds, drawn.rows)
    before = everything(folder)
    target = folder / f"release{suffix}"
    result = command("anonymize", source, "-o", target, *options, "--quiet")
    if result.code != 0:
        assert result.code in (1, 2), (result.code, result.err)
        said = without_notice(result.err).splitlines()
        assert len(said) == 1, result.err
        assert said[0].startswith("duckrisk: "), result.err
        assert result.out == ""
        assert everything(folder) == before, "something was left behind"
        return None
    recipe = folder / f"release{suffix}.recipe.toml"
    assert sorted(everything(folder)) == sorted([*before, target.name, recipe.name])
    return read_release(target), recipe.read_text(encoding="utf-8")


def list_runs() -> list[tuple[int, str, str]]:
    """Pair each drawn table with a policy and a method in turn."""
    return [(seed, POLICIES[seed % 3], METHODS[(seed + seed // 3) % len(METHODS)]) for seed in range(TABLES)]


@pytest.mark.slow
def test_releases_keep_the_policy_or_are_refused(tmp_path: Path) -> None:
    """The oracle accepts every release that is written."""
    written: Counter[bool] = Counter()
    with Cases() as case:
        for seed, policy, method in list_runs():
            drawn = draw_table(seed)
            suffix = ".csv" if seed % 5 == 4 else ".parquet"
            with case(f"table {seed}, {policy}, {method}"):
                options = [*drawn.list_options(), "--to-policy", policy, f"--method={method}"]
                options += ["--least-detail=0%"] if seed % 4 else []
                release = anonymize(drawn, tmp_path / f"{seed}-{policy}", suffix, *options)
                written[release is not None] += 1
                if release is not None:
                    wrong, _ = judge(drawn, *release, policy)
                    assert not wrong, wrong[:5]
    print(f"{written[True]} releases written, {written[False]} refused")
    assert written[True] >= written.total() / 2


@pytest.mark.slow
def test_neither_threads_nor_the_order_change_a_release_for_a_policy(tmp_path: Path) -> None:
    """One thread and four write the same bytes; records in another order get the same cells."""
    with Cases() as case:
        for seed in (8, 17, 5, 24, 26)[: 5 if EXAMPLES >= 20 else 1]:
            drawn, method = draw_table(seed), METHODS[seed % len(METHODS)]
            options = [*drawn.list_options(), "--to-policy=shared", f"--method={method}"]
            with case(f"table {seed}, {method}"):
                check_order(drawn, tmp_path / str(seed), options, options)


def check_order(
    drawn: Drawn, folder: Path, options: Sequence[str], again: Sequence[str]
) -> tuple[Table, str] | None:
    """Release a table, once more with other threads, and in another order; return the first release."""
    folder.mkdir()
    first = anonymize(drawn, folder / "1", ".parquet", *options, "--threads=1")
    other = anonymize(drawn, folder / "4", ".parquet", *again, "--threads=4")
    assert (first is None) == (other is None)
    if first is not None:
        written = [(folder / threads / "release.parquet").read_bytes() for threads in "14"]
        assert written[0] == written[1], "the number of threads changes the release"
        shuffled = anonymize(shuffle(drawn), folder / "shuffled", ".parquet", *options)
        assert shuffled is not None
        assert count_records(shuffled[0]) == count_records(first[0]), "the order changes the release"
    return first


def shuffle(drawn: Drawn) -> Drawn:
    """Return the table with its records in another order, each with its tag."""
    return Drawn(drawn.kinds, random.Random(3).sample(drawn.rows, len(drawn.rows)), drawn.roles)


def count_records(table: Table) -> Counter[tuple[Any, ...]]:
    """Count the records of a release, whatever their order."""
    return Counter(table.select(*table.names))


# --- k-anonymity -----------------------------------------------------------------------------------


def list_small_classes(release: Table, names: Sequence[str], k: int) -> list[str]:
    """List the classes of fewer than k people of a release."""
    there = [name for name in names if name in release.names]
    classes = group_people(release.people, release.select(*there))
    return [f"{cells}: {len(members)}" for cells, members in classes.items() if len(members) < k]


@pytest.mark.slow
def test_classes_have_k_records(tmp_path: Path) -> None:
    """The classes of the cells as written have k records; local keeps all records, uniform 95 % of them.

    The recipe of a release makes it again; neither threads nor the order of the records change it.
    """
    with Cases() as case:
        for seed in range(0, TABLES, 2):
            method = METHODS[1:][seed // 2 % len(METHODS[1:])]
            drawn, k = draw_table(seed), (2, 3, 5)[seed % 3]
            names = drawn.roles.list_quasi_identifiers(drawn.kinds)
            with case(f"table {seed}, k {k}, {method}"):
                options = [f"--k={k}", *(f"--quasi-identifier={name}" for name in names)]
                recipe = tmp_path / str(seed) / "1" / "release.parquet.recipe.toml"
                first = check_order(
                    drawn, tmp_path / str(seed), [*options, f"--method={method}"], [f"--recipe={recipe}"]
                )
                if first is not None:
                    wrong, matched = judge(drawn, *first, None)
                    assert not wrong, wrong[:5]
                    records = Table(first[0].names, first[0].rows, list(range(len(matched))))
                    assert not list_small_classes(records, names, k)
                    lost = len(drawn.rows) - len(matched)
                    assert lost <= (len(drawn.rows) // 20 if method == "uniform" else 0)


# --- people and sensitive values -------------------------------------------------------------------

#: p2 and p4 are half of the people, all of those with b, and the only ones with x.
OF_PEOPLE = [("p1", "a", "z"), ("p2", "b", "x"), ("p2", "c", "x"), ("p4", "b", "x"), ("p5", "c", "y")]


def draw_of_people(seed: int) -> list[tuple[Any, ...]]:
    """Draw records of few people, of whom each has several, and whose values follow from the first column."""
    chosen = random.Random(seed)
    people = chosen.randint(4, 12)
    rows: list[tuple[Any, ...]] = []
    for _ in range(chosen.randint(people, 4 * people)):
        known = chosen.choice("aabbcde")
        value = chosen.choice([{"a": "x", "b": "y"}.get(known, "z"), "x", "y", None])
        rows.append((f"p{chosen.randrange(people)}", known, value))
    return rows


def test_classes_have_k_people_and_disclose_nothing() -> None:
    """Local recoding counts people, and makes no class that discloses a sensitive value of theirs."""
    tables = [OF_PEOPLE, *map(draw_of_people, range(EXAMPLES))]
    kinds = {"who": "VARCHAR", "a": "VARCHAR", "s": "VARCHAR"}
    step = {"method": "k-anonymize", "k": 2, "algorithm": "local", "quasi_identifiers": ["a"]}
    with Cases() as case:
        for number, rows in enumerate(tables):
            with case(f"table {number}"):
                people = [row[0] for row in rows]
                written, _ = treat(kinds, rows, {**step, "user": "who", "sensitive": ["s"]})
                release = Table(tuple(kinds), written, people)
                assert not list_small_classes(release, ["a"], 2)
                disclosed = find_disclosed(people, release.select("a"), [row[2] for row in rows])
                assert not disclosed, f"{len(disclosed)} of {len(set(people))} people"
