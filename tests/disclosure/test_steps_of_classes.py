"""Classes of records by each rule for missing cells, and what groups tell, against brute force."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import pytest

from duckrisk.engine.templates import Part, Sql
from tests.disclosure.test_attribute_disclosure import told
from tests.disclosure_oracle import agree
from tests.tables import attribute, connect, make, put, row, run, tell


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


def draw_cells(chance: random.Random, count: int) -> list[tuple[Any, Any]]:
    return [(chance.choice(["x", "y", "-", None]), chance.choice([1, 2, None])) for _ in range(count)]


def plain(one: tuple[Any, ...]) -> str:
    """Return a row that can be sorted; no number here has more than one decimal."""
    return repr([float(value) if isinstance(value, int | float | Decimal) else value for value in one])


@pytest.mark.parametrize("passes", [1, 3])
def test_who_agrees_with_each_class(connection: duckdb.DuckDBPyConnection, passes: int) -> None:
    """The records, their weight, and the people of a second table who agree with a class, by each rule."""
    chance = random.Random(passes)
    known = [attribute(Part("a", tokens=("-",))), attribute("b")]
    for counts_people in (False, True):
        weights = [2.5, 1.0, 0.0, None, 4.0, 1e25]
        rows = [(*cells, chance.choice(weights)) for cells in draw_cells(chance, 14)]
        people = [(*cells, chance.choice([1, 2, None])) for cells in draw_cells(chance, 9)]
        make(connection, {"a": "VARCHAR", "b": "INTEGER", "w": "DOUBLE"}, rows, "t")
        make(connection, {"p": "VARCHAR", "q": "INTEGER", "n": "INTEGER"}, people, "p")
        for part in range(passes):
            run(
                connection, "known_classes", source=Sql("t"), columns=["a", "b"], attributes=known,
                weight="w",
                population=Sql("p"), theirs=["p", "q"], count="n" if counts_people else None, counted=None,
                passes=passes, part=part,
            )  # fmt: skip
        run(connection, "class_matches")
        for place in (0, 1):
            run(
                connection, "value_codes", source=Sql("known_classes"), attribute=attribute(f"v{place}"),
                table=f"values_{place}",
            )  # fmt: skip
        run(connection, "class_codes", tables=["values_0", "values_1"])
        run(connection, "class_patterns", attributes=2)
        patterns = tell(connection, "SELECT count(*), max(place) FROM class_patterns")[0]
        for wildcard, rule in ((False, "none"), (True, "wildcard")):
            run(connection, "class_matches_complete", attributes=2, wildcard=wildcard)
            for first in range(0, patterns[0], 2):
                run(connection, f"class_matches_{rule}", attributes=2, first=first, last=first + 1)

        def cell(value: Any) -> Any:
            return None if value == "-" else value

        held = [
            ((cell(a), b), 1 if w is None or not 0 < w < 1e25 else w, not (w and w < 1e25))
            for a, b, w in rows
        ]
        there = [((cell(a), b), (n or 0) if counts_people else 1) for a, b, n in people]
        classes = {cells for cells, *_ in held} | {cells for cells, _ in there}
        found = tell(
            connection,
            "SELECT missing, v0, v1, m.records, class_size, m.weight, m.people, missing_cells, unweighted "
            "FROM class_matches AS m JOIN known_classes AS k ON k.rowid = m.class",
        )
        expected = []
        for rule in ("value", "none", "wildcard"):
            for mine in classes:
                alike = [(weight, theirs) for theirs, weight, _ in held if agree(mine, theirs, rule)]
                seen = sum(n for theirs, n in there if agree(mine, theirs, rule))
                own = [unweighted for theirs, _, unweighted in held if theirs == mine]
                told = (
                    len(own),
                    len(alike),
                    sum(weight for weight, _ in alike),
                    seen,
                    mine.count(None),
                    sum(own),
                )
                expected.append((rule, *mine, *told))
        assert sorted(map(plain, found)) == sorted(map(plain, expected))
        for wildcard, rule in ((False, "none"), (True, "wildcard")):
            run(
                connection,
                "class_agreeing",
                attributes=2,
                wildcard=wildcard,
                most=10**6,
                incomplete_only=False,
            )
            pairs = tell(
                connection,
                "SELECT ROW(m.v0, m.v1), ROW(t.v0, t.v1) FROM class_agreeing AS a "
                "JOIN known_classes AS m ON m.rowid = a.mine JOIN known_classes AS t ON t.rowid = a.theirs",
            )
            wanted = [(m, t) for m in classes for t in classes if agree(m, t, rule)]
            assert sorted(pairs, key=repr) == sorted(wanted, key=repr)


@pytest.mark.parametrize("seed", range(6))
def test_what_groups_tell(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    """Groups overlap; some members stand for several, have several values, or none."""
    chance = random.Random(seed)
    several = seed % 2 == 1
    members = list(range(9))
    own = [1 if several else chance.choice([1, 2, 3]) for _ in members]
    domain = [5, 7, 8] if seed < 4 else [5, 5, 5, 7]
    values = [
        frozenset(
            chance.choice(domain)
            for _ in range(chance.choice([0, 1, 1, 2]) if several else chance.choice([0, 1, 1, 1]))
        )
        for _ in members
    ]
    classes = [chance.randrange(4) for _ in members]
    groups = {
        c: sorted({m for m in members if classes[m] == c or chance.random() < 0.3}) for c in set(classes)
    }
    put(connection, "sensitive_members", "member n class", *zip(members, own, classes, strict=True))
    put(
        connection,
        "sensitive_values",
        "member value n",
        *[(m, v, own[m]) for m in members for v in sorted(values[m])],
    )
    put(connection, "pairs", "mine theirs", *[(c, m) for c, of in groups.items() for m in of])
    # A member who stands for three is three members.
    places = [m for m in members for _ in range(own[m])]
    expected = told(
        [
            (sum(own[m] for m in members if classes[m] == c), [n for n, m in enumerate(places) if m in of])
            for c, of in groups.items()
        ],
        [values[m] for m in places],
    )
    ordered = not several
    moved = [Fraction(0)]
    whole = Counter(v for m in places for v in values[m])
    for of in groups.values():
        inside = Counter(v for m in places if m in of for v in values[m])
        if inside:
            gaps = (
                abs(
                    Fraction(sum(n for v, n in inside.items() if v <= end), inside.total())
                    - Fraction(sum(n for v, n in whole.items() if v <= end), whole.total())
                )
                for end in sorted(whole)
            )
            moved.append(sum(gaps, Fraction(0)) / max(len(whole) - 1, 1))
    expected["ordered_t"] = pytest.approx(float(max(moved)), abs=1e-14) if ordered else None
    found = row(connection, "group_disclosure", pairs=Sql("pairs"), several_values=several, ordered=ordered)
    assert found == expected
    holders = Counter(m for m in members for _ in values[m])
    assert row(connection, "users_with_several_values")["users"] == sum(n > 1 for n in holders.values())
    assert row(connection, "group_value_pairs")["places"] == len(groups) * len(whole)


def test_what_a_group_of_one_tells(connection: duckdb.DuckDBPyConnection) -> None:
    """Its one member has the one value there is, or none."""
    put(connection, "pairs", "mine theirs", (1, 1))
    put(connection, "sensitive_members", "member n class", (1, 1, 1))
    put(connection, "sensitive_values", "member value n", (1, 5, 1))
    found = row(connection, "group_disclosure", pairs=Sql("pairs"), several_values=False, ordered=True)
    assert found == told([(1, [0])], [frozenset([5])]) | {"ordered_t": 0}
    put(connection, "sensitive_values", "member value n")
    found = row(connection, "group_disclosure", pairs=Sql("pairs"), several_values=False, ordered=False)
    assert (found["records"], found["classes"], found["distinct_values"], found["k"]) == (1, 1, 0, 1)
    assert (found["beyond_enhanced"], found["homogeneous_records"], found["share_homogeneous"]) == (0, 0, 0)
    assert {found[name] for name in ("alpha", "distinct_l", "entropy_l", "basic_beta", "delta")} == {None}


def test_who_is_in_which_group(connection: duckdb.DuckDBPyConnection) -> None:
    """1 and 2 are alike, 3 is alone, 4 and 5 are alike and miss something: 4 fits 1, 2 and itself, 5 as
    well."""
    put(
        connection,
        "class_profiles",
        "person class class_size",
        (1, 1, 2),
        (2, 1, 2),
        (3, 3, 1),
        (4, 4, 2),
        (5, 4, 2),
    )
    histories = [(1, False), (2, False), (3, False), (4, True), (5, True)]
    put(connection, "class_histories", "person incomplete:BOOLEAN", *histories)
    fitting = [(mine, theirs) for mine in (4, 5) for theirs in (1, 2, 4, 5)]
    put(connection, "class_fitting", "mine theirs", *fitting)
    run(connection, "sensitive_users", fitted=False)
    assert sorted(tell(connection, "FROM sensitive_members")) == [
        (1, 1, 1),
        (2, 1, 1),
        (3, 1, 3),
        (4, 1, 4),
        (5, 1, 4),
    ]
    run(connection, "group_pairs", fitted=False, wildcard=False)
    alike = [(1, 1), (1, 2), (3, 3)]
    assert sorted(tell(connection, "FROM group_pairs")) == [*alike, (4, 4), (4, 5)]
    run(connection, "sensitive_users", fitted=True)
    assert sorted(tell(connection, "FROM sensitive_members")) == [
        (1, 1, 1),
        (2, 1, 1),
        (3, 1, 3),
        (4, 1, 4),
        (5, 1, 5),
    ]
    run(connection, "group_pairs", fitted=True, wildcard=False)
    assert sorted(tell(connection, "FROM group_pairs")) == sorted([*alike, *fitting])
    run(connection, "group_pairs", fitted=True, wildcard=True)
    assert sorted(tell(connection, "FROM group_pairs")) == sorted([*alike, *fitting, (1, 4), (1, 5)])
    put(connection, "t", "u v", (1, 5), (1, 5), (1, None), (2, 6), (None, 7), (3, None))
    for ignored, expected in (
        (False, [(1, 5, 1), (1, None, 1), (2, 6, 1), (3, None, 1)]),
        (True, [(1, 5, 1), (2, 6, 1)]),
    ):
        run(
            connection, "user_sensitive_values", source=Sql("t"), user="u", column="v", ignore_missing=ignored
        )
        assert sorted(tell(connection, "FROM sensitive_values"), key=repr) == sorted(expected, key=repr)
