"""l-diversity, t-closeness and their kin: by hand, against the definitions in exact numbers, on Adult."""

from __future__ import annotations

import math
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from duckrisk import roles
from duckrisk.base.options.disclosure import MISSING, Options
from duckrisk.base.results import in_english
from duckrisk.engine.session import Session
from duckrisk.engine.templates import template_of
from duckrisk.measures.disclosure import attribute_disclosure
from duckrisk.source import Request, open_source
from tests import sections
from tests.declared import values_unsearched
from tests.disclosure_oracle import agree, fits, written
from tests.shared_data import shared
from tests.students import STUDENTS
from tests.tables import LIGHTER, make, row

#: What is measured of an attribute.
FIGURES = [column.name for column in template_of("attribute_disclosure").columns]
KINDS = {"q one": "VARCHAR", "class": "INTEGER", "value": "INTEGER"}
CELLS = st.tuples(
    st.sampled_from(["a", "A", "é", "'", None]),
    st.sampled_from([0, 1, None]),
    st.sampled_from([1, 2, 5, 9, None]),
)


def crowded(seed: int, firsts: list[Any], seconds: list[Any], count: int = 30) -> list[tuple[Any, Any, Any]]:
    """Rows of few classes, so that each has several records and values."""
    chance = random.Random(seed)
    values = [1, 1, 1, 2, 2, 5, 9, None]
    return [(chance.choice(firsts), chance.choice(seconds), chance.choice(values)) for _ in range(count)]


def oracle(rows: list[tuple[Any, Any, Any]], least: int | None = None) -> dict[str, Any]:
    """Every measure from its definition: shares are exact, absent values are spelt out."""
    classes: dict[tuple[Any, Any], Counter[Any]] = defaultdict(Counter)
    for first, second, value in rows:
        classes[first, second][value] += 1
    whole = Counter(value for _, _, value in rows)
    domain = sorted(whole, key=lambda value: (value is None, value or 0))
    n = len(rows)
    shares = {value: Fraction(whole[value], n) for value in domain}
    least = least or min(map(len, classes.values()))
    found: dict[str, list[Any]] = defaultdict(list)
    for held in classes.values():
        size = sum(held.values())
        own = {value: Fraction(held[value], size) for value in domain}
        counts = sorted(held.values(), reverse=True)
        found["alpha"].append(max(own.values()))
        found["l"].append(len(held))
        found["entropy"].append(math.exp(-math.fsum(p * math.log(p) for p in own.values() if p)))
        found["c"].append(Fraction(counts[0], sum(counts[least - 1 :])) if len(counts) >= least else None)
        found["equal"].append(sum(abs(own[v] - shares[v]) for v in domain) / 2)
        moved = [abs(sum(own[v] - shares[v] for v in domain[: end + 1])) for end in range(len(domain) - 1)]
        found["ordered"].append(sum(moved, Fraction(0)) / max(len(domain) - 1, 1))
        found["gain"] += [(own[v] - shares[v]) / shares[v] for v in held]
        found["beyond"] += [float(own[v] / shares[v] - 1) > -math.log(shares[v]) + 1e-9 for v in held]
        found["delta"] += [abs(math.log(own[v] / shares[v])) for v in held]
    alike = [sum(held.values()) for held in classes.values() if len(held) == 1]
    basic = max(found["gain"])
    return {
        "records": n,
        "classes": len(classes),
        "distinct_values": len(domain),
        "k": min(sum(held.values()) for held in classes.values()),
        "alpha": float(max(found["alpha"])),
        "distinct_l": min(found["l"]),
        "entropy_l": pytest.approx(min(found["entropy"]), rel=1e-12),
        "recursive_l": least,
        "recursive_c": None if None in found["c"] else float(max(found["c"])),
        "equal_t": pytest.approx(float(max(found["equal"])), abs=1e-15),
        "ordered_t": pytest.approx(float(max(found["ordered"])), abs=1e-15),
        "basic_beta": pytest.approx(float(basic), abs=1e-14),
        "enhanced_beta": pytest.approx(min(float(basic), -math.log(min(shares.values()))), abs=1e-14),
        "beyond_enhanced": sum(found["beyond"]),
        "delta": pytest.approx(max(found["delta"]), abs=1e-14),
        "homogeneous_classes": len(alike),
        "homogeneous_records": sum(alike),
        "share_homogeneous": sum(alike) / n,
    }


def measured(rows: list[tuple[Any, Any, Any]], least: int | None = None) -> dict[str, Any]:
    with duckdb.connect() as connection:
        make(connection, KINDS, rows)
        return row(
            connection,
            "attribute_disclosure",
            source="t",
            columns=["q one", "class"],
            column="value",
            l=least,
        )


def test_by_hand() -> None:
    rows = [("a", 0, 1)] * 5 + [("a", 0, 2)] * 3 + [("a", 0, 5)] * 2 + [("é", 1, 1)] * 2 + [("é", 1, 5)] * 2
    found = measured(rows, 3)
    assert (found["k"], found["distinct_l"], found["alpha"]) == (4, 2, 0.5)
    assert found["recursive_c"] is None  # one class has two values only
    assert measured(rows[:10], 2)["recursive_c"] == 1  # 5 / (3 + 2)
    assert measured(rows[:10], 3)["recursive_c"] == 2.5  # 5 / 2
    assert measured(rows[:10])["recursive_l"] == 3
    # The table has 7, 3 and 4 of 14; the second class lacks the middle value: 3 / 14.
    assert found["equal_t"] == pytest.approx(3 / 14)
    assert found["ordered_t"] == pytest.approx((0 + 3 / 14) / 2)


def test_nothing() -> None:
    found = measured([])
    assert (found["records"], found["classes"], found["k"], found["equal_t"]) == (0, 0, None, None)
    with duckdb.connect() as connection:
        make(connection, KINDS, [("a", None, 1)])
        of_users = {"source": "t", "user": "class", "columns": ["q one"], "column": "value"}
        found = row(connection, "attribute_disclosure_users", **of_users)
    assert (found["records"], found["classes"], found["k"], found["equal_t"]) == (0, 0, None, None)


@LIGHTER
@given(rows=st.lists(CELLS, min_size=1, max_size=30), least=st.sampled_from([None, 1, 2, 3]))
@example(rows=crowded(1, ["a", "é"], [0, 1]), least=None)
@example(rows=crowded(2, ["a", None], [0]), least=3)
def test_against_the_definitions(rows: list[tuple[Any, Any, Any]], least: int | None) -> None:
    found = measured(rows, least)
    assert found == oracle(rows, least)
    doubled = measured([*rows, *reversed(rows)], least)
    assert doubled == found | {name: found[name] * 2 for name in ("records", "k", "homogeneous_records")} | {
        name: pytest.approx(found[name], abs=1e-12) for name in ("entropy_l", "equal_t", "ordered_t")
    }


def test_adult() -> None:
    """Published figures of other tools on the same table."""
    known = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW adult AS FROM '{shared('adult.parquet')}'")
        found = row(
            connection, "attribute_disclosure", source="adult", columns=known, column="income", l=None
        )
    assert (found["k"], found["classes"], found["distinct_l"], found["alpha"]) == (1, 27_118, 1, 1)
    assert found["equal_t"] == 0.7607182343065395
    assert found["basic_beta"] == 3.1791734405749983
    assert found["delta"] == 2.8175502065227245
    assert found["recursive_l"] == found["recursive_c"] == 1


# --- the section: rules for missing cells, users -------------------------------------------------


def section(
    table: Path, user: str = "", known: tuple[str, ...] = ("q one", "class"), **chosen: Any
) -> tuple[list[dict[str, Any]], list[str]]:
    """The entries of the report's section, with its notes."""
    with values_unsearched(), Session() as session:
        source = open_source(session, Request(str(table)))
        found = roles.infer(session, source, roles.RoleOverrides(user=user))
        options = Options(quasi_identifiers=known, **({"sensitive": ("value",)} | chosen))
        options.check()
        made, notes = attribute_disclosure.measure(session, source, found, options)
    whole = sections.as_json(made)
    assert "Entropy l" in sections.told(whole)
    return whole["attributes"], list(map(in_english, notes))


def by_rule(entry: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The figures by each rule for missing cells."""
    return {one["missing"]: {name: one[name] for name in FIGURES} for one in (entry, *entry["other_rules"])}


def told(groups: list[tuple[int, list[int]]], values: list[frozenset[Any]]) -> dict[str, Any]:
    """The measures of overlapping groups, each with the number of those who see it and its members, from the
    definitions: members hold sets of values."""
    everybody = [held for held in values if held]
    n = len(everybody)
    held_by = {v: sum(v in held for held in everybody) for v in frozenset().union(*everybody)}
    sets = Counter(everybody)
    found: dict[str, list[Any]] = defaultdict(list)
    for own, members in groups:
        there = [values[member] for member in members if values[member]]
        if not there:
            continue
        own_sets = Counter(there)
        shares = {v: Fraction(sum(v in held for held in there), len(there)) for v in held_by}
        alike = max(shares.values()) == 1
        found["alpha"].append(max(shares.values()))
        found["l"].append(1 if alike else len(own_sets))
        terms = [count / len(there) * math.log(count / len(there)) for count in own_sets.values()]
        found["entropy"].append(1 if alike else math.exp(-math.fsum(terms)))
        found["counts"].append([len(there)] if alike else sorted(own_sets.values(), reverse=True))
        found["t"].append(
            sum(abs(Fraction(own_sets[s], len(there)) - Fraction(sets[s], n)) for s in sets) / 2
        )
        found["ratio"] += [p / Fraction(held_by[v], n) for v, p in shares.items() if p]
        found["beyond"] += [
            float(p * n / held_by[v] - 1) > -math.log(held_by[v] / n) + 1e-9 for v, p in shares.items() if p
        ]
        found["homogeneous"] += [own] if alike else []
    least = min(found["l"])
    basic = max(found["ratio"]) - 1
    return {
        "records": sum(own for own, _ in groups),
        "classes": len(groups),
        "distinct_values": len(held_by),
        "k": min(len(members) for _, members in groups),
        "alpha": pytest.approx(float(max(found["alpha"])), abs=1e-15),
        "distinct_l": least,
        "entropy_l": pytest.approx(min(found["entropy"]), rel=1e-12),
        "recursive_l": least,
        "recursive_c": pytest.approx(
            float(max(Fraction(c[0], sum(c[least - 1 :])) for c in found["counts"]))
        ),
        "equal_t": pytest.approx(float(max(found["t"])), abs=1e-14),
        "basic_beta": pytest.approx(float(basic), abs=1e-13),
        "enhanced_beta": pytest.approx(min(float(basic), math.log(n / min(held_by.values()))), abs=1e-13),
        "beyond_enhanced": sum(found["beyond"]),
        "delta": pytest.approx(max(abs(math.log(one)) for one in found["ratio"]), abs=1e-13),
        "homogeneous_classes": len(found["homogeneous"]),
        "homogeneous_records": sum(found["homogeneous"]),
        "share_homogeneous": pytest.approx(
            sum(found["homogeneous"]) / sum(own for own, _ in groups), abs=1e-15
        ),
    }


def groups_of(
    units: list[Any], alike: Callable[[Any, Any], bool], incomplete: Callable[[Any], bool] | None = None
) -> list[tuple[int, list[int]]]:
    """The groups that units see: units that equal another share one, unless they count for themselves."""
    counted = Counter(
        (repr(unit), place if incomplete is not None and incomplete(unit) else -1)
        for place, unit in enumerate(units)
    )
    first = {(repr(u), p if incomplete is not None and incomplete(u) else -1): u for p, u in enumerate(units)}
    return [
        (own, [place for place, other in enumerate(units) if alike(first[key], other)])
        for key, own in counted.items()
    ]


@LIGHTER
@given(rows=st.lists(CELLS, min_size=1, max_size=12), asked=st.sampled_from(MISSING))
@example(rows=crowded(3, ["a", "é", None], [0, 0, 1, None]), asked="wildcard")
def test_rules_for_missing_cells_against_brute_force(rows: list[tuple[Any, ...]], asked: str) -> None:
    rows = [*rows, ("a", 0, 1), ("b", None, 2)]
    with tempfile.TemporaryDirectory() as folder:
        (entry,), notes = section(written(Path(folder), KINDS, rows), missing=asked)
    assert (entry["unit"], entry["missing"], notes) == ("record", asked, [])
    assert entry["missing_cells"] == sum(cells.count(None) for cells in rows)
    known = [cells[:2] for cells in rows]
    for missing, row_found in by_rule(entry).items():
        keeps = missing == "value"
        values = [frozenset([cells[2]]) if keeps or cells[2] is not None else frozenset() for cells in rows]
        groups = groups_of(known, lambda mine, theirs, rule=missing: agree(mine, theirs, rule))
        expected = told(groups, values)
        shares = Counter(cells[2] for cells in rows if keeps or cells[2] is not None)
        domain = sorted(shares, key=lambda value: (value is None, value or 0))
        moved = [Fraction(0)]
        for _, members in groups:
            own = Counter(rows[member][2] for member in members if values[member])
            if own:
                gaps = (
                    abs(
                        Fraction(sum(own[v] for v in domain[:end]), sum(own.values()))
                        - Fraction(sum(shares[v] for v in domain[:end]), sum(shares.values()))
                    )
                    for end in range(1, len(domain))
                )
                moved.append(sum(gaps, Fraction(0)) / max(len(domain) - 1, 1))
        expected["ordered_t"] = pytest.approx(float(max(moved)), abs=1e-14)
        assert row_found == expected, missing


def test_tokens_are_missing_cells(tmp_path: Path) -> None:
    rows = [("?", 1, "-"), ("a", 1, "flu"), ("a", -9, "flu"), ("a", 1, "cold"), ("-", -9, "flu")]
    nulls = [tuple(None if value in ("-", -9) else value for value in cells) for cells in rows]
    kinds = KINDS | {"value": "VARCHAR"}
    chosen: dict[str, Any] = {"missing_tokens": ("-", "-9"), "missing": "wildcard"}
    found, _ = section(written(tmp_path, kinds, rows), **chosen)
    assert found == section(written(tmp_path, kinds, nulls, "n"), **chosen)[0]
    (entry,) = found
    assert entry["missing_cells"] == 4
    # By hand: who is at a, -9 is a wildcard beside a, 1: two flu and a cold, and with "-", -9 another flu.
    assert (entry["k"], entry["classes"], entry["alpha"]) == (2, 4, 1)
    assert [one["missing"] for one in entry["other_rules"]] == ["value", "none"]


@pytest.mark.parametrize("user", ["", "u"])
def test_nothing_is_told_where_every_sensitive_value_is_missing(tmp_path: Path, user: str) -> None:
    rows = [(1, "a", None), (2, "b", "?"), (1, "a", ""), (3, "a", None)]
    table = written(tmp_path, {"u": "INTEGER", "q": "VARCHAR", "s": "VARCHAR"}, rows)
    (entry,), _ = section(table, user, known=("q",), sensitive=("s",), missing="none")
    assert (entry["missing"], entry["k"], entry["classes"]) == ("none", 1, 3 if user else 2)
    assert (entry["alpha"], entry["distinct_l"], entry["homogeneous_records"]) == (None, None, 0)


def test_users_by_hand(tmp_path: Path) -> None:
    """u1 and u2 have the profile x, x and both hold A; u3 and u4 have y. All hold A but u4."""
    held = {"u1": "AB", "u2": "AC", "u3": "A", "u4": "B"}
    rows = [(user, "x" if len(every) > 1 else "y", one) for user, every in held.items() for one in every]
    table = written(tmp_path, {"u": "VARCHAR", "q": "VARCHAR", "ill": "VARCHAR"}, [*rows, (None, "y", "D")])
    (entry,), _ = section(table, user="u", known=("q",), sensitive=("ill",))
    assert (entry["unit"], entry["records"], entry["users_with_several"]) == ("user", 4, 2)
    assert (entry["classes"], entry["k"], entry["distinct_values"]) == (2, 2, 3)
    assert (entry["alpha"], entry["distinct_l"], entry["entropy_l"]) == (1, 1, 1)
    assert (entry["homogeneous_classes"], entry["homogeneous_records"]) == (1, 2)
    assert entry["basic_beta"] == entry["enhanced_beta"] == 1  # C: a half of u1 and u2, a quarter of all
    assert entry["delta"] == pytest.approx(math.log(2))
    assert entry["equal_t"] == 0.5  # two of the four sets have a half each
    assert entry["ordered_t"] is None


USERS = st.lists(
    st.tuples(
        st.sampled_from([1, 2, 3, 4, 5, None]),
        st.sampled_from(["a", "é", None]),
        st.sampled_from([1, 2, 5, None]),
    ),
    min_size=1,
    max_size=16,
)


@LIGHTER
@given(rows=USERS, asked=st.sampled_from(MISSING), single=st.booleans())
@example(
    rows=[(n // 2, *one[1:]) for n, one in enumerate(crowded(5, [0], ["a", "é"], 24))],
    asked="value",
    single=False,
)
def test_users_against_brute_force(rows: list[tuple[Any, ...]], asked: str, single: bool) -> None:
    rows = [*rows, (7, "a", 1), (7, "a", 1), (8, "é", 2)]
    if single:
        rows = [(user, known, user % 3 if user else None) for user, known, _ in rows]
    kinds = {"u": "INTEGER", "q": "VARCHAR", "value": "INTEGER"}
    with tempfile.TemporaryDirectory() as folder:
        (entry,), _ = section(written(Path(folder), kinds, rows), user="u", known=("q",), missing=asked)
    assert entry["unit"] == "user"
    with duckdb.connect() as connection:  # the statement for a shell
        make(connection, kinds, rows)
        stated = row(
            connection, "attribute_disclosure_users", source="t", user="u", columns=["q"], column="value"
        )
    assert stated == by_rule(entry)["value"]
    profiles: dict[int, Counter[Any]] = defaultdict(Counter)
    sets: dict[int, set[Any]] = defaultdict(set)
    for user, known, value in rows:
        if user is not None:
            profiles[user][known,] += 1
            sets[user].add(value)
    people = list(profiles)
    assert entry["users_with_several"] == sum(len(held) > 1 for held in sets.values())
    for missing, row_found in by_rule(entry).items():
        values = [frozenset(sets[u] - (set() if missing == "value" else {None})) for u in people]
        one_each = all(len(held) <= 1 for held in values)
        groups = groups_of(
            [sorted(profiles[u].items(), key=repr) for u in people],
            lambda mine, theirs, rule=missing: fits(Counter(dict(mine)), Counter(dict(theirs)), rule),
            lambda unit, rule=missing: rule != "value" and any(None in part for part, _ in unit),
        )
        assert (row_found.pop("ordered_t") is None) == (not one_each)
        assert row_found == told(groups, values), missing


#: A published run of pyCANON on pupils and their scores: all, and those in classes of five or more.
PUPILS = {
    1: {
        "records": 216, "k": 1, "distinct_l": 1, "alpha": 1, "basic_beta": 71.0, "delta": 4.276666119016055,
        "enhanced_beta": 5.375278407684164, "ordered_t": 0.4165919952210274, "entropy_l": 1,
    },
    5: {
        "records": 154, "k": 5, "distinct_l": 4, "alpha": 0.5, "basic_beta": 29.8, "delta": 3.427514689979529,
        "enhanced_beta": 5.0369526024136295, "ordered_t": 0.31023287057769827, "entropy_l": 3.464101615137754,
    },
}  # fmt: skip


@pytest.mark.parametrize("least", PUPILS)
def test_pupils(least: int) -> None:
    sizes = Counter(pupil[:4] for pupil in STUDENTS)
    kinds = dict.fromkeys(("teacher", "gender", "origin", "lunch"), "VARCHAR")
    with duckdb.connect() as connection:
        make(connection, kinds | {"score": "INTEGER"}, [one for one in STUDENTS if sizes[one[:4]] >= least])
        found = row(
            connection, "attribute_disclosure", source="t", columns=list(kinds), column="score", l=None
        )
    for name, expected in PUPILS[least].items():
        assert found[name] == pytest.approx(expected, rel=1e-14), name


# --- values in a hierarchy -----------------------------------------------------------------------

TREE = {1: ("low", "*"), 2: ("low", "*"), 5: ("high", "*"), 9: ("high", "*"), None: (None, "*")}


def distant(first: Any, second: Any) -> Fraction:
    if first == second:
        return Fraction(0)
    return Fraction(1, 2) if TREE[first][0] is not None and TREE[first][0] == TREE[second][0] else Fraction(1)


def cheapest(own: dict[Any, Fraction], whole: dict[Any, Fraction]) -> Fraction:
    """The earth mover's distance where near values are those below one label: moved there first, which is
    the cheapest as the distances of a hierarchy are an ultrametric."""
    over = {value: own[value] - whole[value] for value in whole}
    cost = Fraction(0)
    for price in (Fraction(1, 2), Fraction(1)):
        for giver in over:
            for taker in over:
                if over[giver] > 0 > over[taker] and distant(giver, taker) == price:
                    moved = min(over[giver], -over[taker])
                    over[giver] -= moved
                    over[taker] += moved
                    cost += price * moved
    assert not any(over.values())
    return cost


def closeness(rows: list[tuple[Any, Any, Any]], labels: list[tuple[str, ...]]) -> dict[str, Any]:
    with duckdb.connect() as connection:
        make(connection, KINDS, rows)
        make(connection, {f"level{i}": "VARCHAR" for i in range(len(labels[0]))}, labels, "tree")
        return row(
            connection,
            "hierarchical_closeness",
            source="t",
            columns=["q one", "class"],
            column="value",
            hierarchy="tree",
            labels=[f"level{i}" for i in range(len(labels[0]) - 1)],
        )


@LIGHTER
@given(rows=st.lists(CELLS, min_size=1, max_size=30))
@example(rows=crowded(4, ["a", "é"], [0, 1], 20))
def test_hierarchical_closeness_against_the_cheapest_move(rows: list[tuple[Any, Any, Any]]) -> None:
    classes: dict[tuple[Any, Any], Counter[Any]] = defaultdict(Counter)
    for first, second, value in rows:
        classes[first, second][value] += 1
    whole = Counter(value for _, _, value in rows)
    shares = {value: Fraction(count, len(rows)) for value, count in whole.items()}
    costs = [
        cheapest({value: Fraction(held[value], sum(held.values())) for value in whole}, shares)
        for held in classes.values()
    ]
    labels = [(str(value), *above) for value, above in TREE.items() if value is not None]
    found = closeness(rows, labels)
    assert (found["records"], found["classes"]) == (len(rows), len(classes))
    assert found["hierarchical_t"] == pytest.approx(float(max(costs)), abs=1e-15)
    flat = [(str(value), "*") for value in TREE if value is not None]
    assert closeness(rows, flat)["hierarchical_t"] == pytest.approx(measured(rows)["equal_t"], abs=1e-15)


def test_a_label_that_repeats_what_it_stands_for() -> None:
    """A tree in which nothing is generalised below its root is as flat as one level is."""
    rows = crowded(6, ["a", "é"], [0, 1], 20)
    deep = [(str(value), str(value), str(value), "*") for value in TREE if value is not None]
    assert closeness(rows, deep)["hierarchical_t"] == pytest.approx(measured(rows)["equal_t"], abs=1e-15)


def test_hierarchical_closeness_of_nothing() -> None:
    assert closeness([], [("1", "*")])["hierarchical_t"] is None


def test_a_hierarchy_is_for_records_and_rules_that_do_not_overlap(tmp_path: Path) -> None:
    table = written(tmp_path, KINDS, [("a", 1, 1), ("a", 1, 2), ("b", None, 9)])
    (tmp_path / "h.toml").write_text("[hierarchies]\nvalue = { widths = [5] }\n", encoding="utf-8")
    chosen = {"hierarchies": str(tmp_path / "h.toml")}
    (entry,), notes = section(table, **chosen)
    assert entry["hierarchical_t"] is not None
    assert notes == []
    (entry,), (note,) = section(table, **chosen, missing="none")
    assert entry["hierarchical_t"] is None
    assert "no t by its hierarchy" in note
