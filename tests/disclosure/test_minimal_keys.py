"""The smallest sets that identify: keys and sets that nearly are, against brute force over all sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.measures.disclosure import minimal_keys
from duckrisk.measures.sets import costs
from duckrisk.measures.sets.minimal_keys import list_hitting_sets
from tests import sections
from tests.lattice_oracle import (
    RULES,
    Drawn,
    Row,
    agreeing,
    drawn,
    drawn_tables,
    measured,
    of_file,
    of_statement,
    same_by_other_rules,
    sets,
    singled,
    tables_of_words,
    wide,
)
from tests.shared_data import shared
from tests.tables import LIGHT, LIGHTER, thinned

pytestmark = pytest.mark.slow
ADULT = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country",
    "income",
)  # fmt: skip


def smallest(
    count: int, reached: Callable[[tuple[int, ...]], bool], most: int | None = None
) -> list[set[int]]:
    """The minimal sets, of so many attributes at most, of which something holds."""
    found: list[set[int]] = []
    for inside in sets(count, most):
        if not any(one <= set(inside) for one in found) and reached(inside):
            found.append(set(inside))
    return found


def places(names: list[list[str]]) -> list[set[int]]:
    return [{int(name[1:]) for name in one} for one in names]


def same(found: list[set[int]], expected: list[set[int]]) -> bool:
    return sorted(map(sorted, found)) == sorted(map(sorted, expected))


def test_a_small_table(tmp_path: Path) -> None:
    table = [("1", "x", "m"), ("2", "x", "m"), ("3", "x", "n"), ("3", "y", "n"), ("3", "y", "m")]
    section = measured(minimal_keys.measure, tmp_path, ("a", "b", "c"), table, share=0.4, class_sizes=(2,))
    assert section["keys"] == [["a", "b", "c"]]
    assert [entry["attributes"] for entry in section["singling_out"]] == [["a"], ["b", "c"]]
    assert [entry["attributes"] for entry in section["below_k"]] == [["a"], ["b", "c"]]
    assert "1 smallest attribute set is a key: it tells every two records apart." in sections.told(section)
    assert sections.rows(section)[0] == ("a + b + c",)


def test_duplicates_leave_no_key(tmp_path: Path) -> None:
    rows = [("1", "x"), ("1", "x"), ("2", "y"), ("2", "y"), ("2", "y"), ("3", "y")]
    section = measured(minimal_keys.measure, tmp_path, ("a", "b"), rows)
    assert (section["keys"], section["duplicate_records"], section["duplicate_combinations"]) == ([], 5, 2)
    assert "5 records equal another record on all attributes" in sections.told(section)


def test_one_record_has_every_attribute_as_a_key(tmp_path: Path) -> None:
    section = measured(minimal_keys.measure, tmp_path, ("a", "b"), [("x", "x")])
    assert section["keys"] == [["a"], ["b"]]


def test_a_missing_cell_that_agrees_with_all(tmp_path: Path) -> None:
    rows = [("1", "x", "m"), ("2", None, "m"), ("2", "y", "n"), ("1", "y", "m")]
    section = measured(minimal_keys.measure, tmp_path, ("a", "b", "c"), rows, missing="wildcard")
    # The second and the third differ in c alone, the first and the fourth in b, the second and both in a.
    assert (section["keys"], section["duplicate_records"]) == ([["a", "b", "c"]], 0)
    rows[2] = ("2", "y", None)
    section = measured(minimal_keys.measure, tmp_path, ("a", "b", "c"), rows, missing="wildcard")
    assert (section["keys"], section["duplicate_records"], section["duplicate_combinations"]) == ([], 2, 2)


@pytest.mark.parametrize("missing", ["value", "wildcard"])
def test_time_ends_the_search(missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "ALL_COMPARED", 0)
    rows = [("1", "x"), ("2", "y"), ("3", None)]
    section = measured(minimal_keys.measure, tmp_path, ("a", "b"), rows, missing=missing, time_limit=1e-9)
    assert (section["keys_complete"], section["keys_limit"], section["keys"]) == (False, "time_limit", [])
    assert (section["complete"], section["limit"], section["sets_examined"]) == (False, "time_limit", 0)
    assert "No attribute set was found that is a key." in sections.told(section)
    assert "Time ended the search: there may be more." in sections.told(section)


@given(st.sets(st.integers(1, 2**7 - 1), max_size=12))
@LIGHT
def test_hitting_sets(masks: set[int]) -> None:
    expected: list[int] = []
    for one in sorted(range(2**7), key=int.bit_count):
        if all(one & mask for mask in masks) and not any(small & one == small for small in expected):
            expected.append(one)
    found, complete = list_hitting_sets(masks, 10_000)
    assert (sorted(found), complete) == (sorted(expected), True)
    for most in (1, 3):
        few, complete = list_hitting_sets(masks, most)
        assert len(few) <= most
        assert complete == (set(few) == set(expected))
        size = max(map(int.bit_count, few), default=0)
        assert {one for one in expected if one.bit_count() < size} <= set(few) <= set(expected)


def brute_force(table: Drawn, missing: str, share: Fraction) -> dict[str, Any]:
    """The smallest sets of each kind, and the records that agree with somebody else's on all attributes."""
    rows, users, count = table.whole, table.users, table.count

    def identified(inside: tuple[int, ...]) -> bool:
        return len(singled(rows, users, inside, missing)) == len(rows)

    def single_out(inside: tuple[int, ...]) -> bool:
        found = {users[number] for number in singled(rows, users, inside, missing)}
        return Fraction(len(found), table.persons) >= share

    def alone(inside: tuple[int, ...]) -> bool:
        return 1 in map(len, agreeing(rows, inside, missing).values())

    everything = tuple(range(count))
    alike = "value" if missing == "none" else missing
    return {
        "duplicates": len(rows) - len(singled(rows, users, everything, alike)),
        "keys": smallest(count, identified),
        "singling_out": smallest(count, single_out),
        "below_k": smallest(count, alone),
    }


@given(
    table=drawn_tables() | tables_of_words(),
    rule=st.sampled_from(RULES),
    share=st.sampled_from(["0.25", "0.5", "1"]),
    compared=st.sampled_from([0, 1_000]),
    pairs=st.sampled_from([1, 2_000]),
)
@LIGHTER
def test_all_smallest_sets_by_every_rule(
    table: Drawn, rule: str, share: str, compared: int, pairs: int, tmp_path: Path
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(costs, "ALL_COMPARED", compared)
        patched.setattr(costs, "DIFFERING_PAIRS", pairs)
        section = table.measured(
            minimal_keys.measure, tmp_path, missing=rule, share=float(share), class_sizes=(2,)
        )
    known = {one: brute_force(table, one, Fraction(share)) for one in RULES}
    expected = known[rule]
    assert section["duplicate_records"] == expected["duplicates"]
    assert same(places(section["keys"]), expected["keys"])
    for kind in ("singling_out", "below_k"):
        assert same(places([entry["attributes"] for entry in section[kind]]), expected[kind])
    for entry in section["singling_out"]:
        inside = tuple(int(name[1:]) for name in entry["attributes"])
        found = {table.users[number] for number in singled(table.whole, table.users, inside, rule)}
        assert entry["share_singled_out"] == float(Fraction(len(found), table.persons))

    def told(other: str) -> dict[str, Any]:
        return {
            "duplicate_records": known[other]["duplicates"],
            "keys_found": len(known[other]["keys"]),
            "keys_complete": True,
            "keys_limit": None,
            "singling_out_found": len(known[other]["singling_out"]),
            "complete": True,
            "limit": None,
        }

    same_by_other_rules(table, section, rule, told)
    for entry in section["other_rules"]:
        for key, kind in (("smallest_key", "keys"), ("smallest_singling_out", "singling_out")):
            one, of_kind = entry[key], known[entry["missing"]][kind]
            names = one["attributes"] if isinstance(one, dict) else one
            assert (names is None) == (not of_kind)
            if names is not None:
                assert len(names) == min(map(len, of_kind))
                assert set(map(int, (name[1:] for name in names))) in of_kind
    assert "key" in sections.told(section)


@pytest.mark.parametrize("seed", [2, 11, 13])
def test_random_tables(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "DIFFERING_PAIRS", (1, 2_000)[seed % 2])
    monkeypatch.setattr(costs, "ALL_COMPARED", (0, 1_000)[seed // 2 % 2])
    monkeypatch.setattr(costs, "LATTICE_PAIRS", (60, 1_500_000)[seed % 2])
    monkeypatch.setattr(costs, "WILDCARD_PAIRS", 50 if seed == 14 else 2_000_000)
    count = 2 + seed % 7
    missing = "wildcard" if seed > 10 else "none" if seed % 4 == 3 else "value"
    rows: list[Row] = drawn(seed, count, 14, 6, missing=0.1 if seed % 2 or seed > 10 else 0.0)
    several = seed in (2, 5, 7, 17)
    if not several:
        rows = list(dict.fromkeys(rows))
    users: list[Any] = [f"u{number // 3 if several else number}" for number in range(len(rows))]
    section = measured(
        minimal_keys.measure,
        tmp_path,
        ["who", *(f"a{place}" for place in range(count))],
        [(user, *row) for user, row in zip(users, rows, strict=True)],
        user="who",
        missing=missing,
        share=0.4,
        class_sizes=(2,),
    )
    persons = len(set(users))

    def share(inside: tuple[int, ...]) -> float:
        return len({users[number] for number in singled(rows, users, inside, missing)}) / persons

    def smallest_class(inside: tuple[int, ...]) -> int:
        return min((len(members) for members in agreeing(rows, inside, missing).values()), default=9)

    keys = smallest(count, lambda inside: len(singled(rows, users, inside, missing)) == len(rows))
    if missing != "none" or not section["duplicate_records"]:
        assert same(places(section["keys"]), keys)
    assert section["complete"]
    assert section["keys_complete"]
    found = [entry["attributes"] for entry in section["singling_out"]]
    assert same(places(found), smallest(count, lambda inside: share(inside) >= 0.4))
    found = [entry["attributes"] for entry in section["below_k"]]
    assert same(places(found), smallest(count, lambda inside: smallest_class(inside) < 2))


@pytest.mark.parametrize("words", [2, 3])
def test_columns_that_fill_several_words(words: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "MOST_CANDIDATES", 1)  # keys are not found from these words
    columns, rows = wide(words)
    users = list(range(len(rows)))
    section = measured(minimal_keys.measure, tmp_path, columns, rows, max_size=2, share=0.5, class_sizes=(2,))

    def share(inside: tuple[int, ...]) -> float:
        return len(singled(rows, users, inside)) / len(rows)

    for kind, least in (("singling_out", 0.5), ("below_k", 1e-9)):
        expected = smallest(len(columns), lambda inside, least=least: share(inside) >= least, 2)
        assert section[f"{kind}_found"] == len(expected)
        assert same(places([entry["attributes"] for entry in section[kind]]), expected[:200])


def same_as_the_statement(section: dict[str, Any], path: Path, columns: Sequence[str], most: int) -> None:
    rows = of_statement("minimal_keys", path, columns, max_size=most, share=section["share"], k=section["k"])
    keys = [row["attributes"] for row in rows if row["kind"] == "key"]
    assert sorted(keys) == sorted(key for key in section["keys"] if len(key) <= most)
    for kind, entries in (("singles_out", section["singling_out"]), ("below_k", section["below_k"])):
        found = [{key: row[key] for key in row if key != "kind"} for row in rows if row["kind"] == kind]
        assert sorted(found, key=str) == sorted(entries, key=str)


@pytest.mark.slow
def test_adult_has_the_keys_of_desbordante(tmp_path: Path) -> None:
    raw = of_file(minimal_keys.measure, shared("adult.parquet"), ADULT, max_size=1)
    assert (raw["keys"], raw["duplicate_records"], raw["duplicate_combinations"]) == ([], 101, 49)
    # Of 48,842 records 14,956 are alone where a missing cell agrees with all, as the class sizes say too.
    known = (*ADULT[:2], "education", "marital-status", "occupation", "race", "sex", "native-country")
    alike = of_file(minimal_keys.measure, shared("adult.parquet"), known, missing="wildcard", max_size=1)
    assert (alike["keys"], alike["duplicate_records"]) == ([], 48_842 - 14_956)
    two = of_file(minimal_keys.measure, shared("adult.parquet"), ADULT[:6], max_size=2)
    same_as_the_statement(two, shared("adult.parquet"), ADULT[:6], 2)
    path = tmp_path / "adult.parquet"
    for columns, left in thinned(((ADULT, {"race", "sex"}), (ADULT[:9], set()))):
        names = ", ".join(f'"{name}"' for name in columns)
        query = f"SELECT DISTINCT {names} FROM '{shared('adult.parquet')}'"
        duckdb.execute(f"COPY ({query}) TO '{path}'").fetchall()
        section = of_file(minimal_keys.measure, path, columns, max_size=1)
        both = {"education", "education-num"}
        assert len(section["keys"]) == 2
        for key in section["keys"]:
            assert len(both & set(key)) == 1
            if left:
                assert set(columns) - set(key) - both == left


def test_one_person_with_many_records_has_every_attribute_as_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [("u", "x", "m"), ("u", "y", "m")]
    for most in (0, 1_000):
        monkeypatch.setattr(costs, "ALL_COMPARED", most)
        section = measured(minimal_keys.measure, tmp_path, ("who", "a", "b"), rows, user="who")
        assert (section["unit"], section["keys"]) == ("user", [["a"], ["b"]])


def test_a_few_records_with_many_attributes_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "MOST_CANDIDATES", 60)
    rows = drawn(3, 16, 12, 4)
    section = measured(minimal_keys.measure, tmp_path, [f"a{place}" for place in range(16)], rows, max_size=1)
    assert (section["keys_complete"], section["keys_limit"]) == (False, "too_many_sets")
    assert 0 < section["keys_found"] <= 60
    assert "too many sets could be keys, and larger ones are not listed" in sections.told(section)
