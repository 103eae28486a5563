"""Class sizes and what an attacker finds by them: examples, brute force in rationals, peers' figures."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import duckrisk
from duckrisk import roles
from duckrisk.base.errors import UsageError
from duckrisk.base.options.disclosure import MISSING, Options
from duckrisk.base.results import in_english
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, render
from duckrisk.measures.disclosure import class_sizes
from duckrisk.measures.disclosure.classes import Classes, People
from duckrisk.report.blocks import Figure
from duckrisk.report.words import Words
from duckrisk.source import VIEW, Request, open_sources
from tests import sections
from tests.command import command
from tests.declared import values_unsearched
from tests.disclosure_oracle import agree, cell, fits, written
from tests.hostile import NAMES
from tests.sections import Section
from tests.shared_data import shared
from tests.tables import EXAMPLES, LIGHTER, Drawn, close, connect, drawn_tables, make, row, run, thinned


@contextmanager
def opened(
    table: Path, user: str | None = "", population: Path | None = None, **chosen: Any
) -> Iterator[tuple[Session, Section, list[str]]]:
    """What is measured of a file, with the session it was measured in."""
    with values_unsearched(user is not None and "quasi_identifiers" in chosen), Session() as session:
        requests = [(VIEW, Request(str(table)))]
        if population is not None:
            requests.append((class_sizes.POPULATION, Request(str(population))))
        source, *others = open_sources(session, requests)
        found = roles.infer(session, source, roles.RoleOverrides(user=user))
        options = Options(population=str(population) if population is not None else None, **chosen)
        options.check()
        section, notes = class_sizes.measure(
            session, source, found, options, population=others[0] if others else None
        )
        whole = sections.as_json(section)
        assert "k is" in sections.told(whole)
        yield session, whole, list(map(in_english, notes))


def measured(table: Path, **chosen: Any) -> Section:
    with opened(table, **chosen) as (_, section, _):
        return section


def rule_of(section: Section, missing: str) -> Section:
    (entry,) = [entry for entry in section["rules"] if entry["missing"] == missing]
    return entry


# --- brute force ---------------------------------------------------------------------------------


def sizes_of(records: list[tuple[Any, ...]], missing: str) -> list[int]:
    """How many agree with each record."""
    return [sum(agree(one, other, missing) for other in records) for one in records]


def check_sizes(entry: Section, sizes: list[int], classes: int) -> None:
    n = len(sizes)
    assert (entry["records"], entry["classes"]) == (n, classes)
    assert (entry["smallest_class"], entry["largest_class"]) == (min(sizes), max(sizes))
    assert entry["alone"] == sizes.count(1)
    assert close(entry["share_alone"], Fraction(sizes.count(1), n))
    assert close(entry["average_risk"], sum((Fraction(1, size) for size in sizes), Fraction(0)) / n)
    assert close(entry["highest_risk"], Fraction(1, min(sizes)))
    for below in (*entry["below"], *entry["lost"]):
        fewer = sum(size < below["class_size"] for size in sizes)
        assert below["records"] == fewer
        assert close(below["share"], Fraction(fewer, n))
    assert sum(band["records"] for band in entry["distribution"]) == n
    for band in entry["distribution"]:
        assert band["records"] == sum(band["least"] <= size <= band["most"] for size in sizes)


@LIGHTER
@given(drawn_tables(width=3, users=("integer",), most_rows=12))
def test_every_rule_against_brute_force(drawn: Drawn) -> None:
    if not drawn.rows:
        return
    records = [tuple(cell(value) for value in cells[1:]) for cells in drawn.rows]
    with tempfile.TemporaryDirectory() as folder:
        table = written(Path(folder), drawn.columns, drawn.rows)
        section = measured(table, quasi_identifiers=("a", "b", "c"))
    for missing in MISSING:
        check_sizes(rule_of(section, missing), sizes_of(records, missing), len(set(records)))
    assert section["missing_cells"] == sum(value is None for one in records for value in one)
    assert section["incomplete_records"] == sum(None in one for one in records)


@LIGHTER
@given(drawn_tables(width=2, users=("integer",), values=("text", "integer", "double"), most_rows=14))
def test_profiles_of_users_against_brute_force(drawn: Drawn) -> None:
    profiles: dict[Any, Counter[Any]] = {}
    for user, *values in drawn.rows:
        if user is not None:
            profiles.setdefault(user, Counter())[tuple(cell(value) for value in values)] += 1
    if len(profiles) in (0, sum(sum(counts.values()) for counts in profiles.values())):
        return
    with tempfile.TemporaryDirectory() as folder:
        table = written(Path(folder), drawn.columns, drawn.rows)
        section = measured(table, user="u", quasi_identifiers=("a", "b"))
    every = list(profiles.values())
    for entry in section["users"]:
        sizes = [sum(fits(one, other, entry["missing"]) for other in every) for one in every]
        check_sizes(entry, sizes, len({frozenset(one.items()) for one in every}))
    assert [entry["missing"] for entry in section["users"]] == list(MISSING)


def test_classes_of_users_are_histories_where_one_misses_a_cell(tmp_path: Path) -> None:
    """Six users have one of two histories, and one is known by half: three histories, not seven."""
    rows = [(user, "x" if user % 2 else "y", day) for user in range(6) for day in (1, 2)]
    columns = {"u": "INTEGER", "a": "VARCHAR", "b": "INTEGER"}
    table = written(tmp_path, columns, [*rows, (6, "x", 1), (6, None, 2)])
    section = measured(table, user="u", quasi_identifiers=("a", "b"))
    found = {entry["missing"]: (entry["classes"], entry["average_class"]) for entry in section["users"]}
    assert found == {"value": (3, 7 / 3), "wildcard": (3, 11 / 3), "none": (3, 10 / 3)}


def test_the_statement_for_users_by_hand() -> None:
    """Order is nothing, how often a record is there is something, and a missing cell is a value."""
    held = {1: "xy", 2: "yx", 3: "xyy", 4: "x ", 5: " x", 6: "x", None: "x"}
    rows = [(user, None if one == " " else one, 1) for user, every in held.items() for one in every]
    with connect() as connection:
        make(connection, {"u": "INTEGER", "q": "VARCHAR", "n": "INTEGER"}, rows)
        found = run(connection, "class_sizes_users", source="t", user="u", columns=["q", "n"])
        assert [tuple(one.values()) for one in found] == [(1, 2, 2, 0, 0), (2, 2, 4, 2, 2 / 6)]
        statement = render("class_sizes_users", source="t", user="u", columns=["q", "n"])
        connection.execute(f"CREATE TABLE s AS {statement}")
        risk = row(connection, "reidentification_risk", sizes="s")
    assert (risk["records"], risk["classes"], risk["average_risk"]) == (6, 4, 4 / 6)


@settings(LIGHTER, max_examples=min(EXAMPLES, 8))
@given(drawn_tables(width=3, users=("integer",), values=("text", "integer"), most_rows=12), st.integers(1, 4))
def test_parts_of_whole_classes_give_the_same(drawn: Drawn, grouped: int) -> None:
    if not drawn.rows:
        return
    with tempfile.TemporaryDirectory() as folder, Session() as session:
        table = Request(str(written(Path(folder), drawn.columns, drawn.rows)))
        source, _ = open_sources(session, [(VIEW, table), (class_sizes.POPULATION, table)])
        found = roles.infer(session, source, roles.RoleOverrides(user=""))
        chosen = class_sizes.list_quasi_identifiers(source, found, Options(quasi_identifiers=("a", "b", "c")))
        people = People(class_sizes.POPULATION, tuple(one.column.binding for one in chosen))
        told, pairs = [], []
        for keep, most in ((True, 10**9), (True, grouped), (False, grouped)):
            classes = Classes(session, chosen, None, people, grouped=most, kept_most=10**9 if keep else 0)
            classes.count(found.records, keep=keep)
            assert classes.parts == 1 or most == grouped
            relation = render("class_frequencies_of", missing="value", unit="record")
            told.append(session.run("class_bands", sizes=relation, bounds=[1, 2, 3, 4]))
            if keep:
                relation = render("class_pairs", missing="value", size="people")
                pairs.append(session.fetch_row("journalist_risk", sizes=relation))
            else:
                incomplete = sum(None in map(cell, cells[1:]) for cells in drawn.rows)
                assert classes.cells["incomplete"] == incomplete
        assert pairs[0] == pairs[1]
        assert told[0] == told[1] == told[2]


# --- order, size, names --------------------------------------------------------------------------


def test_order_and_doubling(tmp_path: Path) -> None:
    rows = [("x", 1), ("x", 1), ("x", None), (None, 2), ("y", 2), ("?", 2), ("z", 3)]
    kinds = {"a": "VARCHAR", "b": "INTEGER"}
    plain = measured(written(tmp_path, kinds, rows), quasi_identifiers=("a", "b"))
    assert (
        measured(written(tmp_path, kinds, rows[::-1]), quasi_identifiers=("b", "a"))["rules"]
        == plain["rules"]
    )
    double = measured(written(tmp_path, kinds, rows * 2), quasi_identifiers=("a", "b"))
    for once, twice in zip(plain["rules"], double["rules"], strict=True):
        assert twice["smallest_class"] == 2 * once["smallest_class"]
        assert twice["classes"] == once["classes"]
        assert twice["average_risk"] == pytest.approx(once["average_risk"] / 2)
    # By hand: the classes of "value" are x1 (2), x? (1), ?2 (2), y2 (1), z3 (1).
    assert [rule_of(plain, rule)["alone"] for rule in MISSING] == [3, 1, 2]
    assert plain["missing_cells"] == 3


def test_tokens_are_missing_cells(tmp_path: Path) -> None:
    """Tokens that a person names, texts or numbers, count as NULL does by each rule; others do not."""
    kinds = {"a": "VARCHAR", "b": "INTEGER"}
    tokens = [("x", 1), ("x", -1), ("-", 2), ("no", 2), (None, 2), ("?", 2), ("x", -1)]
    nulls = [tuple(None if value in ("-", "no", -1) else value for value in cells) for cells in tokens]
    chosen: Section = {"quasi_identifiers": ("a", "b"), "missing_tokens": ("-", " no", "no", "-1")}
    found = measured(written(tmp_path, kinds, tokens), **chosen)
    assert found == measured(written(tmp_path, kinds, nulls, "n"), **chosen)
    assert (found["missing_cells"], found["incomplete_records"]) == (5, 5)
    # By hand, "?" being a value: the classes are x1, x missing (2), missing 2 (3), ?2.
    assert [rule_of(found, rule)["alone"] for rule in MISSING] == [2, 0, 2]


@pytest.mark.parametrize("place", range(0, len(NAMES), 6))
def test_hostile_names(place: int) -> None:
    names = [NAMES[(place + shift) % len(NAMES)] for shift in range(3)]
    with connect() as connection:
        make(
            connection,
            {names[1]: "VARCHAR", names[2]: "INTEGER"},
            [("x", 1), ("x", 1), ("y", None)],
            names[0],
        )
        found = run(connection, "class_sizes", source=names[0], columns=names[1:])
        assert [(one["class_size"], one["classes"], one["records_below"]) for one in found] == [
            (1, 1, 0),
            (2, 1, 1),
        ]
        pairs = run(connection, "population_sizes", source=names[0], population=names[0], columns=names[1:])
        assert [(one["class_size"], one["population_size"]) for one in pairs] == [(1, 1.0), (2, 2.0)]
        weighted = run(connection, "weighted_sizes", source=names[0], columns=names[1:2], weight=names[2])
        assert [(one["class_size"], one["population_size"]) for one in weighted] == [(1, 1.0), (2, 2.0)]


def test_no_rows() -> None:
    with connect() as connection:
        make(connection, {"a": "INTEGER", "class_size": "BIGINT"}, [], "t")
        assert run(connection, "class_sizes", source="t", columns=["a"]) == []
        connection.execute("CREATE TABLE s AS " + render("class_sizes", source="t", columns=["a"]))
        empty = row(connection, "reidentification_risk", sizes="s")
        assert (empty["records"], empty["classes"], empty["highest_risk"]) == (0, 0, None)
        nothing = row(connection, "population_uniqueness", sizes="s", fraction=0.5)
        assert (nothing["records"], nothing["zayatz"], nothing["dankar_model"]) == (0, None, None)


def test_named_columns_that_do_not_fit(tmp_path: Path) -> None:
    table = written(tmp_path, {"a": "VARCHAR", "b": "INTEGER"}, [("x", 1), ("y", 2)])
    with pytest.raises(UsageError, match='weight names the column "a", which holds no numbers'):
        measured(table, weight="a")
    other = written(tmp_path, {"a": "INTEGER", "b": "INTEGER"}, [(1, 1)], "p")
    with pytest.raises(UsageError, match='"a" is VARCHAR in the table and INTEGER in the population'):
        measured(table, quasi_identifiers=("a",), population=other)
    chosen: Section = {
        "quasi_identifiers": ("a",),
        "population": written(tmp_path, {"aa": "VARCHAR"}, [("x",)], "q"),
    }
    with pytest.raises(UsageError, match=r'The population "q\.parquet" has no column "a"; did you mean "aa"'):
        measured(table, **chosen)
    chosen["population"] = written(tmp_path, {"a": "VARCHAR", "n": "INTEGER"}, [("x", 1)], "q")
    with pytest.raises(UsageError, match=r'The population "q\.parquet" has no column "m"'):
        measured(table, population_count="m", **chosen)
    for wrong in ("weight", "household"):
        with pytest.raises(UsageError, match=r'"t\.parquet" has no column "m"; there are "'):
            measured(table, **{wrong: "m"})
    with pytest.raises(UsageError, match="No column can be a quasi-identifier"):
        measured(written(tmp_path, {"a": "INTEGER"}, [(1,), (1,)], "c"))


def test_reasons_are_given_and_figures_aside_are_no_quasi_identifiers(tmp_path: Path) -> None:
    rows = [(f"p{i}@x.org", i % 3, "same", i % 7, i % 5 + 0.5) for i in range(60)]
    kinds = {"mail": "VARCHAR", "region": "INTEGER", "c": "VARCHAR", "house": "INTEGER", "weight": "DOUBLE"}
    section = measured(written(tmp_path, kinds, rows), weight="weight", household="house")
    assert [(one["column"], bool(one["reason"])) for one in section["quasi_identifiers"]] == [
        ("region", True)
    ]
    assert section["household"]["households"] == 7


# --- prosecutor, journalist, marketer ------------------------------------------------------------


def test_the_worked_example_of_el_emam() -> None:
    f, people = (1, 2, 5, 12), (4, 10, 20, 50)
    with connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT unnest([1, 2, 5, 12]) AS j")
        connection.execute("CREATE TABLE records AS SELECT j FROM t, range(j)")
        connection.execute(
            "CREATE TABLE people AS SELECT unnest([1, 2, 5, 12]) AS j, unnest([4, 10, 20, 50]) AS n"
        )
        connection.execute("CREATE TABLE s AS " + render("class_sizes", source="records", columns=["j"]))
        risk = row(connection, "reidentification_risk", sizes="s")
        assert (risk["highest_risk"], risk["average_risk"], risk["records"]) == (1, 0.2, 20)
        below = run(connection, "class_thresholds", sizes="s", column="class_size", thresholds=[5, 11])
        assert [one["share"] for one in below] == [0.15, 0.4]
        for count in ("n", None):
            if count is None:
                connection.execute("CREATE OR REPLACE TABLE people AS SELECT j FROM people, range(n)")
            connection.execute(
                "CREATE OR REPLACE TABLE p AS "
                + render(
                    "population_sizes", source="records", population="people", columns=["j"], quantity=count
                )
            )
            found = row(connection, "journalist_risk", sizes="p")
            assert found["highest_risk"] == 0.25
            assert found["average_risk"] == pytest.approx(4 / 84, rel=1e-12)
            assert found["marketer_risk"] == pytest.approx(0.047, rel=1e-12)
            assert (found["k_map"], found["people"], found["records_beyond"]) == (4, 84, 0)
            assert (found["delta_max"], found["delta_min"]) == (0.25, 0.2)
    exact = sum(Fraction(a, b) for a, b in zip(f, people, strict=True)) / 20
    assert exact == Fraction(47, 1000)


def test_the_average_is_one_of_persons() -> None:
    """Classes of 1 and 9: a mean over the classes, as pycanon has it, says 0.556."""
    with connect() as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT CASE WHEN i = 0 THEN 'a' ELSE 'b' END AS q FROM range(10) n (i)"
        )
        connection.execute("CREATE TABLE s AS " + render("class_sizes", source="t", columns=["q"]))
        risk = row(connection, "reidentification_risk", sizes="s")
    assert risk["average_risk"] == 0.2
    assert risk["class_average_risk"] == pytest.approx(5 / 9)


def test_a_missing_quasi_identifier_does_not_vanish() -> None:
    """q = a, a, NULL: pycanon says k = 2; the third record is unique."""
    with connect() as connection:
        make(connection, {"q": "VARCHAR"}, [("a",), ("a",), (None,)])
        assert run(connection, "class_sizes", source="t", columns=["q"])[0]["class_size"] == 1


def test_uniqueness_and_correctness_of_five_people() -> None:
    """CorrectMatch's example: uniqueness 0.6, correctness 0.8, the latter being classes / records."""
    rows = [(25, "M", "NYC"), (25, "M", "NYC"), (30, "F", "LA"), (35, "X", "NYC"), (30, "M", "SF")]
    with connect() as connection:
        make(connection, {"age": "INTEGER", "sex": "VARCHAR", "city": "VARCHAR"}, rows)
        connection.execute(
            "CREATE TABLE s AS " + render("class_sizes", source="t", columns=["age", "sex", "city"])
        )
        risk = row(connection, "reidentification_risk", sizes="s")
        make(connection, {"a": "INTEGER", "b": "INTEGER"}, [(1, 0), (1, 0), (0, 1)])
        connection.execute(
            "CREATE OR REPLACE TABLE s AS " + render("class_sizes", source="t", columns=["a", "b"])
        )
        smaller = row(connection, "reidentification_risk", sizes="s")
    assert (risk["share_alone"], risk["average_risk"]) == (0.6, 0.8)
    assert (smaller["share_alone"], smaller["average_risk"]) == (1 / 3, 2 / 3)


@settings(LIGHTER, max_examples=min(EXAMPLES, 8))
@given(
    drawn_tables(width=2, users=("integer",), values=("text", "integer"), most_rows=8),
    st.lists(st.integers(0, 9), max_size=8),
    st.sampled_from(MISSING),
    st.booleans(),
)
def test_a_population_against_brute_force(
    drawn: Drawn, picked: list[int], missing: str, counted: bool
) -> None:
    if not drawn.rows:
        return
    rows = [cells[1:] for cells in drawn.rows]
    others = [rows[place % len(rows)] for place in picked] + [(None, None)]
    people = [(*values, place % 3 if counted else 1) for place, values in enumerate([*rows, *others])]
    kinds = dict(list(drawn.columns.items())[1:])
    with tempfile.TemporaryDirectory() as folder:
        table = written(Path(folder), kinds, rows)
        population = written(Path(folder), {**kinds, "n": "INTEGER"}, people, "p")
        found = measured(
            table,
            quasi_identifiers=("a", "b"),
            missing=missing,
            population=population,
            population_count="n" if counted else None,
        )["journalist"]
    records = [tuple(cell(value) for value in values) for values in rows]
    theirs = [(tuple(cell(value) for value in values), number) for *values, number in people]
    f = sizes_of(records, missing)
    known = [sum(n for other, n in theirs if agree(one, other, missing)) for one in records]
    largest = [max(pair) for pair in zip(f, known, strict=True)]
    marketer = sum((Fraction(1, size) for size in largest), Fraction(0)) / len(records)
    assert close(found["marketer_risk"], marketer)
    assert found["k_map"] == min(largest)
    assert found["people"] == sum(number for _, number in theirs)
    assert close(found["highest_risk"], Fraction(1, min(largest)))
    classes = set(records)
    total = sum(largest[records.index(one)] for one in classes)
    assert close(found["average_risk"], max(marketer, Fraction(len(classes), total)))
    deltas = []
    for one in classes | {other for other, _ in theirs}:
        there = sum(agree(one, other, missing) for other in records)
        whole = max(there, sum(n for other, n in theirs if agree(one, other, missing)))
        deltas += [Fraction(there, whole)] if whole else []
    assert close(found["delta_min"], min(deltas))
    assert close(found["delta_max"], max(deltas))
    for below in found["below"]:
        fewer = sum(max(a, b) < below["class_size"] for a, b in zip(known, known, strict=True))
        assert below["records"] == fewer


# --- individual and household risk ---------------------------------------------------------------

A = (2, 3, 2, 2, 3, 3, 1, 2)
B = (3, 3, 3, 3, 3, 3, 4, 3)
C = (1, 3, 1, 2, 1, 1, 1, 1)
WEIGHTS = (18, 45.5, 39, 17, 92, 8, 123.5, 51)
RISKS = (0.01369863, 0.08579129, 0.01369863, 0.17707583, 0.01877883, 0.01877883, 0.03931625, 0.01369863)
EXACT = (0.01355297, *RISKS[1:2], 0.01355297, *RISKS[3:7], 0.01355297)
KINDS_OF_EXAMPLE = {"A": "INTEGER", "B": "INTEGER", "C": "INTEGER", "w": "DOUBLE", "h": "INTEGER"}


def example(c: tuple[int | None, ...] = C) -> list[tuple[Any, ...]]:
    houses = (1, 1, 2, 2, 3, 3, None, 4)
    return list(zip(A, B, c, WEIGHTS, houses, strict=True))


def test_individual_risk_of_the_published_example(tmp_path: Path) -> None:
    table = written(tmp_path, KINDS_OF_EXAMPLE, example())
    with opened(table, quasi_identifiers=("A", "B", "C"), weight="w", household="h") as (session, section, _):
        pairs = render("class_pairs", missing="value", size="weight")
        found = session.run("individual_risk", sizes=pairs)
        sizes = [
            (one["class_size"], float(one["population_size"])) for one in found for _ in range(one["records"])
        ]
    fk = (3, 1, 3, 1, 2, 2, 1, 3)
    weights = (108, 45.5, 108, 17, 100, 100, 123.5, 108)
    assert sorted(sizes) == sorted(zip(fk, weights, strict=True))
    risk = {
        (one["class_size"], float(one["population_size"])): (one["risk"], one["exact_risk"]) for one in found
    }
    for size, weight, approximate, exact in zip(fk, weights, RISKS, EXACT, strict=True):
        assert risk[size, weight] == pytest.approx((approximate, exact), abs=5e-9)
    every = [risk[pair][0] for pair in zip(fk, weights, strict=True)]
    individual = section["individual"]
    assert individual["highest_risk"] == max(every)
    assert individual["expected_found"] == pytest.approx(sum(every), rel=1e-12)
    houses: dict[Any, list[float]] = {}
    for place, (*_, house) in enumerate(example()):
        houses.setdefault(house if house is not None else f"alone {place}", []).append(every[place])
    hit = {house: 1 - math.prod(1 - one for one in risks) for house, risks in houses.items()}
    expected = sum(hit[house] * len(risks) for house, risks in houses.items())
    assert section["household"]["expected_found"] == pytest.approx(expected, rel=1e-12)
    assert section["household"]["highest_risk"] == pytest.approx(max(hit.values()), rel=1e-12)
    assert section["household"]["households"] == 5


def test_the_published_example_with_missing_cells(tmp_path: Path) -> None:
    missing = (*C[:2], None, *C[3:6], None, C[7])
    table = written(tmp_path, KINDS_OF_EXAMPLE, example(missing))
    with opened(table, quasi_identifiers=("A", "B", "C"), weight="w", missing="wildcard") as (session, _, _):
        found = session.run("individual_risk", sizes=render("class_pairs", missing="wildcard", size="weight"))
    sizes = [
        (one["class_size"], float(one["population_size"])) for one in found for _ in range(one["records"])
    ]
    expected = zip((3, 1, 4, 2, 2, 2, 1, 3), (108, 45.5, 125, 56, 100, 100, 123.5, 108), strict=True)
    assert sorted(sizes) == sorted(expected)


def mean_of_one_over(f: int, p: Fraction) -> float:
    """The mean of 1 / F, F negative binomial with f and p, by its series in exact rationals."""
    total, weight, people = Fraction(0), p**f, f
    while people < 2 * f / p or weight > Fraction(1, 10**18):
        total += weight / people
        weight = Fraction(round(weight * people / (people - f + 1) * (1 - p) * 10**200), 10**200)
        people += 1
    return float(total)


def test_exact_individual_risk_against_its_series() -> None:
    cases = [
        (f, Fraction(share, 100)) for f in (1, 2, 3, 4, 7, 49, 51, 200) for share in (20, 26, 50, 51, 90, 100)
    ]
    with connect() as connection:
        make(
            connection,
            {"class_size": "BIGINT", "population_size": "DOUBLE", "classes": "BIGINT", "records": "BIGINT"},
            [(f, float(f / p), 1, f) for f, p in cases],
            "s",
        )
        found = run(connection, "individual_risk", sizes="s")
    risk = {(one["class_size"], one["population_size"]): one["exact_risk"] for one in found}
    for f, p in cases:
        wanted = mean_of_one_over(f, p) if p < 1 else 1 / f
        assert risk[f, float(f / p)] == pytest.approx(wanted, rel=1e-10), (f, p)


def test_who_has_no_weight_stands_for_themselves(tmp_path: Path) -> None:
    weights = (5.0, None, 0.0, -3.0, math.nan, math.inf, 7.0)
    rows = [("x" if place < 6 else "y", weight) for place, weight in enumerate(weights)]
    section = measured(
        written(tmp_path, {"q": "VARCHAR", "w": "DOUBLE"}, rows), quasi_identifiers=("q",), weight="w"
    )
    assert section["individual"]["unweighted_records"] == 5
    # Of x there are 6 records and 5 + 5 people.
    six, p = 0.6 / (6 - 0.4), 1 / 7
    one = p / (1 - p) * math.log(1 / p)
    assert section["individual"]["expected_found"] == pytest.approx(6 * six + one, rel=1e-12)


def test_without_weights_the_risk_of_a_household_is_made_of_one_over_the_size(tmp_path: Path) -> None:
    rows = [("x", 1), ("x", 2), ("y", 1), ("y", 1), ("y", 3), ("z", 3)]
    section = measured(
        written(tmp_path, {"q": "VARCHAR", "h": "INTEGER"}, rows), quasi_identifiers=("q",), household="h"
    )
    one, two, three = 1 - Fraction(1, 2) * Fraction(2, 3) ** 2, Fraction(1, 2), Fraction(1)
    assert section["household"]["average_risk"] == pytest.approx(
        float((3 * one + two + 2 * three) / 6), rel=1e-12
    )
    assert section["individual"] is None


# --- the population's uniqueness -----------------------------------------------------------------

#: ARX on its Adult file: Zayatz and Pitman by the sampling fraction.
ARX = {
    0.01: (0.2717127199363312, 0.1446083531167384),
    0.1: (0.3207402393466189, 0.27684993883653597),
    0.2: (0.3577099234829125, 0.33662801701732237),
    1.0: (0.5142895033485844, 0.5300239369431139),
}
ADULT_NINE = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "income",
)


@pytest.fixture(scope="module")
def adult_sizes() -> Iterator[duckdb.DuckDBPyConnection]:
    """The class sizes of ARX's Adult file: the complete records of the training part, nine columns."""
    path = shared("adult_train.parquet")
    with connect() as connection:
        connection.execute(
            f"CREATE VIEW adult AS FROM '{path}' WHERE workclass <> '?' AND occupation <> '?' "
            "AND \"native-country\" <> '?'"
        )
        connection.execute(
            "CREATE TABLE sizes AS " + render("class_sizes", source="adult", columns=list(ADULT_NINE))
        )
        yield connection


def test_class_sizes_of_arx_on_adult(adult_sizes: duckdb.DuckDBPyConnection) -> None:
    risk = row(adult_sizes, "reidentification_risk", sizes="sizes")
    assert (risk["records"], risk["classes"], risk["alone"]) == (30162, 19502, 15512)
    assert risk["average_risk"] == 0.6465751607983555
    assert risk["share_alone"] == 0.5142895033485844
    assert (risk["highest_risk"], risk["lowest_risk"]) == (1, 1 / 45)


#: Of ARX's hierarchies what its 2-anonymous Adult keeps: of each label the values below it.
ARX_LABELS: dict[str, dict[str, list[str]]] = {
    "education": {
        "Undergraduate": ["Bachelors", "Some-college"],
        "High School": ["7th-8th", "9th", "10th", "11th", "12th", "HS-grad"],
        "Professional Education": ["Prof-school", "Assoc-acdm", "Assoc-voc"],
        "Graduate": ["Masters", "Doctorate"],
        "Primary School": ["Preschool", "1st-4th", "5th-6th"],
    },
    "occupation": {
        "Technical": ["Tech-support", "Craft-repair", "Prof-specialty", "Machine-op-inspct"],
        "Nontechnical": ["Sales", "Exec-managerial", "Handlers-cleaners"],
        "Other": ["Other-service", "Adm-clerical", "Farming-fishing", "Transport-moving", "Priv-house-serv",
                  "Protective-serv", "Armed-Forces"],
    },
}  # fmt: skip


def test_the_release_of_arx_on_adult(tmp_path: Path) -> None:
    """ARX makes Adult 2-anonymous by its Loss metric, losses compared by rank: sex and income stay,
    education and occupation go up by one, all else is suppressed. Of the 12,960 releases by its hierarchies
    133 are 2-anonymous, and this one alone has 58 classes; by those of datasets/adult.toml none has."""
    labels = {name: {"tree": tree} for name, tree in ARX_LABELS.items()}
    duckrisk.anonymize(
        shared("adult_train.parquet"),
        tmp_path / "release.parquet",
        where="workclass <> '?' AND occupation <> '?' AND \"native-country\" <> '?'",
        hierarchies=labels,
        steps=[
            *({"method": "generalize", "column": name, "level": 1} for name in labels),
            *(
                {"method": "suppress", "column": name}
                for name in ADULT_NINE
                if name not in ("sex", "income", *labels)
            ),
        ],
    )
    with connect() as connection:
        statement = render("class_sizes", source=str(tmp_path / "release.parquet"), columns=list(ADULT_NINE))
        connection.execute(f"CREATE TABLE s AS {statement}")
        risk = row(connection, "reidentification_risk", sizes="s")
    assert (risk["records"], risk["classes"], risk["smallest_class"]) == (30162, 58, 2)
    assert risk["average_risk"] == 0.001922949406538028


@pytest.mark.parametrize("fraction", ARX)
def test_population_uniqueness_of_arx_on_adult(
    adult_sizes: duckdb.DuckDBPyConnection, fraction: float
) -> None:
    found = row(adult_sizes, "population_uniqueness", sizes="sizes", fraction=fraction)
    zayatz, pitman = ARX[fraction]
    assert found["zayatz"] == pytest.approx(zayatz, rel=1e-13)
    assert found["pitman"] == pytest.approx(pitman, rel=2e-11)  # ARX ends where it is 1e-6 off its equations
    assert found["dankar_model"] == ("pitman" if fraction <= 0.1 else "snb" if fraction == 0.2 else "zayatz")
    assert found["dankar"] == found[found["dankar_model"]]
    if fraction == 1:  # elsewhere ARX finds nothing
        assert found["snb"] == pytest.approx(0.5142895033714224, rel=1e-10)


@pytest.mark.parametrize(
    ("fraction", "wanted"), [(0.01, 0.204679015), (0.1, 0.249976938), (0.2, 0.319459375)]
)
def test_snb_solves_its_equations_where_arx_finds_nothing(
    adult_sizes: duckdb.DuckDBPyConnection, fraction: float, wanted: float
) -> None:
    """ARX says 0 there: it multiplies by (1 - d)^(a + 2) in the expected number of pairs, where the second
    derivative of the generating function divides, and takes 1 off a sum in Shlosser's estimator for each size
    where each class has its own factor (1 + f)^i - 1. Both put right, its equations have a solution."""
    found = row(adult_sizes, "population_uniqueness", sizes="sizes", fraction=fraction)
    assert found["snb"] == pytest.approx(wanted, abs=1e-9)
    sizes = adult_sizes.execute("SELECT class_size, classes FROM sizes ORDER BY class_size").fetchall()
    solves_snb(found, dict(sizes), fraction)


def solves_snb(found: dict[str, Any], sizes: dict[int, int], q: float) -> None:
    """Whether the classes of the population are as many as Shlosser estimates, and some a and b make so many
    of the sample alone, and in pairs."""
    alone, twos = sizes[1], sizes[2]
    one = sum(i * q**2 * (1 - q**2) ** (i - 1) * c for i, c in sizes.items())
    two = sum(((1 - q**2) ** i - (1 - q) ** i) * c for i, c in sizes.items())
    three = sum((1 - q) ** i * c for i, c in sizes.items())
    four = sum(i * q * (1 - q) ** (i - 1) * c for i, c in sizes.items())
    classes = sum(sizes.values()) + alone * one / two * (three / four) ** 2
    unique = found["snb"] * found["people"] / classes  # b^a

    def expected(b: float) -> tuple[float, float]:
        """Of the classes in the sample, those of one and of two, by the generating function's derivatives."""
        a, d = math.log(unique) / math.log(b), (1 - q) * (1 - b)
        pairs = classes * q**2 / 2 * a * (1 - b) * b**a * (1 - d) ** (-a - 2) * (2 - (1 - a) * d)
        return classes * q * (b / (1 - d)) ** a * (1 + a * d / (1 - d)), pairs

    def off(b: float) -> float:
        ones, pairs = expected(b)
        return abs(ones / alone - 1) + abs(pairs / twos - 1)

    near = min(_GRID, key=off)
    assert min(off(near + place / 10_000_000) for place in range(-499, 500)) < 1e-4


@pytest.mark.parametrize("fraction", thinned([0.05, 0.3, 0.8]))
@pytest.mark.parametrize("sizes", [{1: 434, 2: 117, 3: 41, 7: 26}, {1: 60, 2: 30, 3: 12, 5: 4}])
def test_snb_solves_its_equations(sizes: dict[int, int], fraction: float) -> None:
    solves_snb(uniqueness(sizes, fraction), sizes, fraction)


_GRID = [place / 20_000 for place in range(1, 20_000)]


def sizes_of_text(text: str) -> dict[int, int]:
    return {int(size): int(classes) for size, classes in (pair.split(":") for pair in text.split())}


def uniqueness(sizes: dict[int, int], fraction: float) -> dict[str, Any]:
    with connect() as connection:
        make(connection, {"class_size": "BIGINT", "classes": "BIGINT"}, sizes.items(), "s")
        return row(connection, "population_uniqueness", sizes="s", fraction=fraction)


@pytest.mark.parametrize(
    ("sizes", "fraction", "theta", "alpha", "wanted"),
    [
        (
            "1:47 2:25 3:10 4:12 5:7 6:7 7:2 8:2 9:4 10:4 11:2 12:2 13:3 14:3 16:1 17:1 18:3 23:1 24:1 25:1 "
            "29:2 34:1 35:1 36:1 38:1 49:1 51:1 55:1",
            0.05, 42.1468, 0.0494742, 0.0028601,
        ),
        ("1:434 2:117 3:41 4:26 5:14 6:2 7:1 8:2", 0.01, 728.335, 0.0267210, 0.0083073),
        ("1:434 2:117 3:41 4:26 5:14 6:2 7:1 8:2", 0.1, 728.335, 0.0267210, 0.0781157),
        (  # the likelihood rises to the edge: Ewens' case
            "1:31 2:23 3:18 4:5 5:14 6:12 7:8 8:5 9:4 10:4 11:3 12:2 13:2 14:1 15:1 16:1 19:1 23:2 24:3 25:1 "
            "26:2 30:2 31:2 35:1 36:1",
            0.05, 48.2427, 0, 0.00241214,
        ),
    ],
)  # fmt: skip
def test_pitman_is_the_maximum_of_the_likelihood(
    sizes: str, fraction: float, theta: float, alpha: float, wanted: float
) -> None:
    found = uniqueness(sizes_of_text(sizes), fraction)
    assert found["pitman_theta"] == pytest.approx(theta, rel=2e-6)
    assert found["pitman_alpha"] == pytest.approx(alpha, rel=2e-6)
    assert found["pitman"] == pytest.approx(wanted, rel=1e-5)
    assert (found["dankar_model"], found["dankar"]) == ("pitman", found["pitman"])


def slopes(sizes: dict[int, int], theta: float, alpha: float) -> tuple[float, float]:
    """The derivatives of the logarithm of Pitman's likelihood, every term added up exactly, in parts of the
    positive ones."""
    n, u = sum(i * c for i, c in sizes.items()), sum(sizes.values())
    known = [theta + i * alpha for i in range(1, u)]
    by_theta = math.fsum(1 / x for x in known), math.fsum(1 / (theta + j) for j in range(1, n))
    by_alpha = (
        math.fsum(i / x for i, x in enumerate(known, 1)),
        math.fsum(c / (j - alpha) for i, c in sizes.items() for j in range(1, i)),
    )
    return by_theta[0] / by_theta[1] - 1, by_alpha[0] / by_alpha[1] - 1


def likelihood(sizes: dict[int, int], theta: float, alpha: float) -> float:
    """The logarithm of Pitman's likelihood, without what neither number changes."""
    n, u = sum(i * c for i, c in sizes.items()), sum(sizes.values())
    return math.fsum(
        [
            *(math.log(theta + i * alpha) for i in range(1, u)),
            *(-math.log(theta + j) for j in range(1, n)),
            *(c * math.log(j - alpha) for i, c in sizes.items() for j in range(1, i)),
        ]
    )


@LIGHTER
@given(
    st.dictionaries(st.integers(2, 60), st.integers(1, 12), min_size=1, max_size=6),
    st.integers(1, 300),
)
def test_pitman_against_exact_sums(larger: dict[int, int], ones: int) -> None:
    """Where the sums of the derivatives are nothing, no other pair of numbers being likelier."""
    sizes = {1: ones, **larger}
    found = uniqueness(sizes, 0.02)
    theta, alpha = found["pitman_theta"], found["pitman_alpha"]
    by_theta, by_alpha = slopes(sizes, theta, alpha)
    assert by_theta == pytest.approx(0, abs=1e-9)
    assert by_alpha == pytest.approx(0, abs=1e-9) if alpha else by_alpha < 1e-9
    best = likelihood(sizes, theta, alpha)
    for other in (0, 0.01, 0.1, 0.3, 0.5, 0.8, 0.95, 0.999):
        for factor in (0.02, 0.3, 0.9, 1, 1.1, 4, 50):
            assert likelihood(sizes, (theta + alpha) * factor - other, other) <= best + 1e-9 * abs(best)
    people = math.floor(Fraction(sum(i * c for i, c in sizes.items())) * 50)
    share = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha) + (alpha - 1) * math.log(people))
    assert found["pitman"] == pytest.approx(share, rel=1e-9)


@pytest.mark.parametrize("ones", [10_053, 10_055])
def test_pitman_where_alpha_is_nearly_nothing(ones: int) -> None:
    """There the sums are a series, for the terms that the derivative is made of cancel out."""
    sizes = {1: ones, 2: 2500, 3: 833, 4: 312, 5: 125, 6: 52, 7: 22, 8: 10, 9: 4, 10: 2, 11: 1}
    found = uniqueness(sizes, 0.02)
    assert 0 < found["pitman_alpha"] * sum(sizes.values()) < 3e-4 * found["pitman_theta"]
    assert slopes(sizes, found["pitman_theta"], found["pitman_alpha"]) == pytest.approx((0, 0), abs=1e-12)


def test_dankars_rule_takes_zayatz_where_pitman_has_no_solution() -> None:
    """Where all are alone no theta is the likeliest; above a tenth it is the smaller of the other two."""
    alone = uniqueness({1: 7}, 0.1)
    assert (alone["pitman"], alone["dankar_model"], alone["dankar"]) == (None, "zayatz", alone["zayatz"])
    for fraction in (0.1, 0.11):
        found = uniqueness({1: 434, 2: 117, 3: 41, 4: 26, 5: 14, 6: 2, 7: 1, 8: 2}, fraction)
        smaller = min(found["zayatz"], found["snb"])
        assert found["dankar"] == (found["pitman"] if fraction <= 0.1 else smaller)


@pytest.mark.parametrize(
    ("sizes", "fraction"),
    thinned(
        [
            (sizes, fraction)
            for sizes in (
                {1: 7},
                {1: 5, 2: 1},
                {3: 4},
                {1: 1, 5000: 3},
                {1: 90, 2: 40, 3: 20, 1_000_000: 2},
                {1: 1},
            )
            for fraction in (0.003, 0.4, 1.0)
        ]
    ),
)
def test_population_uniqueness_of_odd_sizes(sizes: dict[int, int], fraction: float) -> None:
    found = uniqueness(sizes, fraction)
    n, ones = sum(i * c for i, c in sizes.items()), sizes.get(1, 0)
    people = math.floor(Fraction(n) / Fraction(str(fraction)))
    assert (found["records"], found["people"]) == (n, people)
    for model in ("zayatz", "pitman", "snb"):
        assert found[model] is None or 0 <= found[model] <= 1
    if not ones:
        assert (found["zayatz"], found["pitman"], found["snb"], found["dankar"]) == (0, 0, 0, 0)
        return
    if fraction == 1:
        assert found["zayatz"] == found["snb"] == ones / n
        return

    def chance(i: int) -> float:  # that one of i of all people is among n, in logarithms
        if people - n < i - 1:
            return 0.0
        return math.exp(
            math.log(i)
            + math.log(n / people)
            + sum(math.log((people - n - j) / (people - 1 - j)) for j in range(i - 1))
        )

    if max(sizes) > 10_000:
        return
    total = sum(c * chance(i) for i, c in sizes.items())
    assert found["zayatz"] == pytest.approx(ones / n * ones * (n / people) / total, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "edge"), [({1: 9, 2: 8, 3: 6, 5: 3}, True), ({1: 60, 2: 9, 40: 2}, False)])
def test_the_report_says_that_pitman_is_ewens(tmp_path: Path, sizes: dict[int, int], edge: bool) -> None:
    rows = [(f"{size} {number}",) for size in sizes for number in range(sizes[size]) for _ in range(size)]
    section = measured(written(tmp_path, {"q": "VARCHAR"}, rows), quasi_identifiers=("q",), fraction=0.05)
    found = section["population_uniqueness"]
    assert (found["pitman_alpha"] == 0) == edge
    if edge:
        assert found["pitman"] == pytest.approx(found["pitman_theta"] / found["people"], rel=1e-12)
    assert ("Ewens" in sections.told(section)) == edge


def test_who_looks_among_a_population_by_hand() -> None:
    """Of a class of four the population has one: three records are beyond it, and four people stand for it.
    Two classes of the population have no record."""
    sizes = [(2, 10.0, 3, 6), (4, 1.0, 1, 4), (5, 20.0, 2, 10), (0, 7.0, 2, 0)]
    with connect() as connection:
        kinds = {
            "class_size": "BIGINT",
            "population_size": "DOUBLE",
            "classes": "BIGINT",
            "records": "BIGINT",
        }
        make(connection, kinds, sizes)
        found = row(connection, "journalist_risk", sizes="t")
    assert found == pytest.approx(
        {
            "records": 20, "classes": 6, "people": 30 + 1 + 40 + 14, "k_map": 4, "highest_risk": 1 / 4,
            "average_risk": (6 / 10 + 4 / 4 + 10 / 20) / 20, "marketer_risk": (6 / 10 + 4 / 4 + 10 / 20) / 20,
            "delta_min": 0, "delta_max": 1, "records_beyond": 3,
        }
    )  # fmt: skip


def test_households_by_hand() -> None:
    """Of two at 0.5 somebody is found in 3 of 4 cases, beside one at 1 always; two have no household."""
    rows = [("a", 0.5), ("a", 0.5), ("b", 1), ("b", 0.2), ("c", 0.1), (None, 0.3), (None, 0.3), ("c", None)]
    with connect() as connection:
        make(connection, {"home": "VARCHAR", "r": "DOUBLE"}, rows)
        found = row(connection, "household_risk", source="t", household="home", risk="r")
        nobody = row(connection, "household_risk", source=Sql("(FROM t LIMIT 0)"), household="home", risk="r")
    expected = 2 * 0.75 + 2 * 1 + 0.1 + 2 * 0.3
    assert found == pytest.approx(
        {
            "records": 7,
            "households": 5,
            "highest_risk": 1,
            "average_risk": expected / 7,
            "expected_found": expected,
        }
    )
    assert found["highest_risk"] == 1
    assert list(nobody.values()) == [0, 0, None, None, None]


# --- public tables -------------------------------------------------------------------------------


@pytest.mark.slow
def test_adult_as_others_have_it() -> None:
    """k, classes, uniques and mean risk of sdcMicro and ARX on eight columns of all 48,842 records."""
    names = (
        "age",
        "workclass",
        "education",
        "marital-status",
        "occupation",
        "race",
        "sex",
        "native-country",
    )
    with opened(shared("adult.parquet"), quasi_identifiers=names, fraction=0.1) as (_, section, notes):
        value = rule_of(section, "value")
        assert (value["smallest_class"], value["classes"], value["alone"]) == (1, 27118, 20593)
        assert value["lost"][1]["records"] - value["lost"][0]["records"] == 6346
        assert value["average_risk"] == 0.5552188690061832
        # Fewer are alone where a missing cell agrees with more.
        alone = [rule_of(section, rule)["alone"] for rule in ("value", "none", "wildcard")]
        assert alone == sorted(alone, reverse=True)
        assert section["journalist"]["marketer_risk"] == pytest.approx(value["average_risk"] / 10)
        assert notes == []
    # A chance above 0.09 is a class below 12, one above 0.05 a class below 20.
    three = measured(shared("adult.parquet"), quasi_identifiers=("age", "sex", "race"), class_sizes=(12, 20))
    value = rule_of(three, "value")
    assert (value["classes"], value["alone"], value["largest_class"]) == (575, 59, 849)
    assert (value["highest_risk"], round(value["average_risk"], 7)) == (1, 0.0117727)
    assert [round(one["share"], 7) for one in value["below"]] == [0.0255313, 0.0419311]


def test_the_figures_show_what_the_tables_say(tmp_path: Path) -> None:
    """The curve is read off its points by the labels of its axes, and each bar by its length."""
    made = "SELECT CASE WHEN i = 0 THEN NULL ELSE i // 6 END AS a, i % 3 AS b FROM range(40) AS t(i)"
    table = tmp_path / "people.parquet"
    duckdb.execute(f"COPY ({made}) TO '{table}'").fetchall()
    section = measured(table)
    lost, sizes = [block.draw(Words()) for block in sections.blocks(section) if isinstance(block, Figure)]
    by_text = {mark.text: mark.attributes for mark in lost.marks if mark.tag == "text"}
    left, right = by_text["1"]["x"], by_text["1,000"]["x"]
    none, whole = (float(by_text[text]["y"]) - 4 for text in ("0%", "100%"))
    curves = [mark.attributes["points"] for mark in lost.marks if mark.tag == "polyline"]
    assert len(curves) == 3
    for points, rule in zip(curves, section["rules"], strict=True):
        (_, start), *drawn = [tuple(map(float, point.split(","))) for point in points.split()]
        assert start == none
        for (x, y), asked in zip(drawn, rule["lost"], strict=True):
            assert x == pytest.approx(left_of(float(left), float(right), asked["class_size"]), abs=0.06)
            assert (none - y) / (none - whole) == pytest.approx(asked["share"], abs=0.001)
    bars = [float(mark.attributes["width"]) for mark in sizes.marks if mark.tag == "rect"]
    shares = [band["share"] for band in section["rules"][0]["distribution"]]
    assert [bar / max(bars) for bar in bars] == pytest.approx(
        [one / max(shares) for one in shares], abs=0.002
    )


def left_of(left: float, right: float, size: int) -> float:
    return left + (right - left) * math.log(size) / math.log(1000)


def test_explain_says_where_pitman_is_no_share() -> None:
    """Five alone and a pair, half of 14 people: Ewens' share t / N is 16.8 / 14, which is above 1."""
    found = uniqueness({1: 5, 2: 1}, 0.5)
    assert found["pitman_alpha"] == 0
    assert found["pitman_theta"] / found["people"] > 1
    assert found["pitman"] is None
    said = " ".join(command("explain", "population_uniqueness").out.split())
    assert "NULL without a solution and where the formula gives more than 1" in said
