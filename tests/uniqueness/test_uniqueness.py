"""Whom few facts single out: by hand, against the definition, and where sets and people are drawn."""

from __future__ import annotations

import itertools
import math
import random
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import duckrisk
from duckrisk import roles
from duckrisk.engine.session import Resources, Session
from duckrisk.measures import attribute, identifiability, uniqueness
from duckrisk.measures.sets import costs
from duckrisk.measures.sets.draws import draw_sets
from duckrisk.measures.uniqueness.results import Uniqueness
from duckrisk.source import Request, open_source
from tests import hostile, sections
from tests.disclosure_oracle import cell, written
from tests.oracle import key
from tests.tables import EXAMPLES, LIGHT, LIGHTER, Drawn, connect, drawn_tables, make, row, run, thinned

Row = tuple[Any, ...]
NO_HISTORIES = attribute.Options(known_records=0)


def measured(
    table: Path,
    names: Sequence[str] = (),
    user: str | None = "",
    missing: str = "none",
    options: attribute.Options = NO_HISTORIES,
    threads: int = 2,
) -> Uniqueness:
    """The part, of these attributes."""
    with Session(Resources(threads=threads)) as session:
        source = open_source(session, Request(str(table)))
        found = roles.infer(session, source, roles.RoleOverrides(user=user, attributes=tuple(names)))
        options_of_sets = identifiability.Options(missing=missing)
        return uniqueness.measure(session, found, options_of_sets, options).result


@pytest.mark.parametrize(
    ("kind", "first"),
    thinned(
        [("TIME", "12:00:00"), ("TIMESTAMP", "2020-01-01 12:00:00"), ("TIMESTAMP_NS", "2020-01-01 12:00:00")]
    ),
)
def test_seconds_tell_people_apart(tmp_path: Path, kind: str, first: str) -> None:
    """An attacker knows the minute, and a published table tells the second: it is not safe."""
    table = tmp_path / "times.parquet"
    with connect() as connection:
        seconds = f"CAST(TIMESTAMP '{first}' + TO_SECONDS(i % 59) AS {kind})"
        if kind == "TIME":
            seconds = f"CAST('{first}' AS TIME) + TO_SECONDS(i % 59)"
        connection.execute(f"COPY (SELECT {seconds} AS at, i % 2 AS g FROM RANGE(118) AS r(i)) TO '{table}'")
    found = measured(table)
    assert found.all_attributes is not None
    assert (found.all_attributes.people, found.all_attributes.smallest_class) == (118, 1)
    assert max(size.worst.people for size in found.facts) == 0
    assert duckrisk.assess(table, user="", only=["uniqueness"]).verdict.outcome == "fail"
    asked = {"user": "", "only": ["class_sizes"], "quasi_identifiers": ["at"]}
    sizes = duckrisk.assess(table, **asked).class_sizes
    assert sizes is not None
    assert {(rule.classes, rule.smallest_class) for rule in sizes.rules} == {(59, 2)}
    if kind != "TIME":  # who asks for the minute gets the minute
        named = measured(table, ["at.time", "g"]).all_attributes
        assert named is not None
        assert (named.people, named.smallest_class) == (0, 59)


def alone(rows: Sequence[Row], places: Sequence[int], missing: str) -> tuple[set[Any], int]:
    """The people whom a set singles out, and the records that do it; the person is the first cell."""
    holders: dict[Row, set[Any]] = defaultdict(set)
    told = [(one[0], tuple(one[1 + place] for place in places)) for one in rows]
    for person, values in told:
        holders[values].add(person)
    good = [
        (person, values)
        for person, values in told
        if len(holders[values]) == 1 and (missing == "value" or None not in values)
    ]
    return {person for person, _ in good}, len(good)


def smallest(rows: Sequence[Row]) -> Counter[int]:
    """How many people there are by the size of the smallest class of theirs."""
    holders: dict[Row, set[Any]] = defaultdict(set)
    for one in rows:
        holders[one[1:]].add(one[0])
    sizes: dict[Any, int] = {}
    for one in rows:
        sizes[one[0]] = min(len(holders[one[1:]]), sizes.get(one[0], len(rows)))
    return Counter(sizes.values())


def check(found: Uniqueness, rows: Sequence[Row], written: Sequence[Row], missing: str) -> None:
    """All figures against the definition, where all sets were looked at; ``written`` are the rows with the
    marks of missing cells, which tell people apart for whoever reads all columns."""
    people = len({one[0] for one in rows})
    width = len(rows[0]) - 1
    assert (found.people, found.records) == (people, len(rows))
    assert found.missing_cells == sum(value is None for one in rows for value in one[1:])
    assert [one.facts for one in found.facts] == list(range(1, min(4, width) + 1))
    for one in found.facts:
        sets = list(itertools.combinations(range(width), one.facts))
        singled = [alone(rows, places, missing) for places in sets]
        assert one.complete
        assert one.sets_drawn == one.sets_possible == len(sets)
        mean = Fraction(sum(len(who) for who, _ in singled), len(sets) * people)
        assert one.typical == pytest.approx(float(mean), abs=1e-12)
        mean = Fraction(sum(records for _, records in singled), len(sets) * len(rows))
        assert one.typical_of_records == pytest.approx(float(mean), abs=1e-12)
        most = max(len(who) for who, _ in singled)
        assert one.worst.share == pytest.approx(most / people, abs=1e-12)
        named = next(places for places in sets if tuple("abcdef"[p] for p in places) == one.worst.attributes)
        assert singled[sets.index(named)][1] / len(rows) == pytest.approx(one.worst.share_of_records)
    together = found.all_attributes
    assert together is not None
    who, records = alone(written, range(width), "value")
    assert (together.people, together.records) == (len(who), records)
    sizes = smallest(written)
    assert together.smallest_class == min(sizes)
    for band in together.sizes:
        inside = sum(n for size, n in sizes.items() if band.least <= size <= (band.most or len(rows)))
        assert band.people == inside
        assert band.share == pytest.approx(inside / people)
    assert sum(band.people for band in together.sizes) == people
    assert sum(band.classes for band in together.sizes) == len({one[1:] for one in written})


def test_by_hand(tmp_path: Path) -> None:
    """Ann is alone with (x, 1), Bob with his y's; x alone is Cleo's too, and she has (x, 2) with Ann."""
    rows = [("ann", "x", 1), ("ann", "x", 2), ("bob", "y", 2), ("bob", "y", None), ("cleo", "x", 2)]
    table = written(tmp_path, {"u": "VARCHAR", "a": "VARCHAR", "b": "INTEGER"}, rows)
    found = measured(table, ["a", "b"], "u")
    one, two = found.facts
    # a singles out bob (y), b ann (1); together ann (x, 1), bob (y, 2), and the missing cell tells nothing.
    assert (one.typical, one.worst.share, one.typical_of_records) == (
        pytest.approx(1 / 3),
        pytest.approx(1 / 3),
        pytest.approx((2 + 1) / 10),
    )
    assert (two.typical, two.typical_of_records) == (pytest.approx(2 / 3), pytest.approx(2 / 5))
    assert found.all_attributes is not None
    assert (
        found.all_attributes.people,
        found.all_attributes.records,
        found.all_attributes.smallest_class,
    ) == (2, 3, 1)
    assert [(b.least, b.classes, b.people) for b in found.all_attributes.sizes] == [(1, 3, 2), (2, 1, 1)]
    by_value = measured(table, ["a", "b"], "u", "value")
    assert by_value.facts[1].typical_of_records == pytest.approx(3 / 5)


@LIGHTER
@given(drawn_tables(width=3), st.booleans(), st.sampled_from(["none", "value"]))
def test_against_the_definition(
    tmp_path_factory: pytest.TempPathFactory, drawn: Drawn, by_user: bool, missing: str
) -> None:
    kept = [one for one in drawn.rows if one[0] is not None]
    assume(kept if by_user else drawn.rows)
    folder = tmp_path_factory.mktemp("drawn")
    rows = [
        (key(one[0]) if by_user else number, *map(cell, one[1:]))
        for number, one in enumerate(kept if by_user else drawn.rows)
    ]
    as_written = [
        (row[0], *map(key, one[1:])) for row, one in zip(rows, kept if by_user else drawn.rows, strict=True)
    ]
    table = written(folder, drawn.columns, drawn.rows)
    who = "u" if by_user else ""
    found = measured(table, "abc", who, missing)
    check(found, rows, as_written, missing)
    with pytest.MonkeyPatch.context() as patched:  # a sample that is everybody, and nothing held in memory
        patched.setattr(costs, "HELD_VALUES", 0)
        assert measured(table, "abc", who, missing) == found
        patched.setattr(uniqueness, "MIN_RECORDS_TO_SAMPLE", 0)
        patched.setattr(uniqueness, "MAX_WORK", 0)
        patched.setattr(uniqueness, "MIN_DRAWN_SETS", 20)
        again = measured(table, "abc", who, missing, threads=1)
    assert found.all_attributes is not None
    assert again.people_examined == (found.all_attributes.people or found.people)
    for one, other in zip(found.facts, again.facts, strict=True):
        shares = [(x.typical, x.typical_of_records, x.worst.share) for x in (one, other)]
        assert shares[0] == pytest.approx(shares[1], abs=1e-12)
        places = ["abc".index(name) for name in other.worst.attributes]
        assert len(alone(rows, places, missing)[0]) == one.worst.people  # of equal ones either
    # The one statement says the same of each set, whole columns and users as they are.
    with connect() as connection:
        make(connection, drawn.columns, drawn.rows)
        lines = run(
            connection,
            "uniqueness",
            source="t",
            user="u" if by_user else None,
            columns=list("abc"),
            max_size=3,
            missing_tokens=list(identifiability.Options().missing_tokens),
            missing_is_value=missing == "value",
        )
    for line in lines:
        persons, records = alone(rows, ["abc".index(name) for name in line["attributes"]], missing)
        assert (line["people"], line["records"]) == (len(persons), records)


def test_every_type_and_hostile_names(tmp_path: Path) -> None:
    """A missing cell is one in every type, and a name can be anything."""
    types = {
        "BOOLEAN": "true", "TINYINT": "1", "UHUGEINT": "1", "DECIMAL(9, 2)": "1", "FLOAT": "1", "BLOB": "'a'",
        "DATE": "'2020-01-01'", "TIMETZ": "'10:00:00+00'", "TIMESTAMP_NS": "'2020-01-01'", "BIT": "'101'",
        "INTERVAL": "'1 day'", "UUID": "'6ccd780c-baba-1026-9564-5b8c656024db'", "JSON": "'{}'",
        "VARCHAR[]": "['x']", "INTEGER[2]": "[1, 2]", "STRUCT(a INTEGER)": "{'a': 1}",
        "MAP(VARCHAR, INTEGER)": "MAP {'a': 1}", "ENUM('a', 'b')": "'a'",
        "UNION(a INTEGER, b VARCHAR)": "1",
    }  # fmt: skip
    with connect() as connection:
        names = hostile.NAMES[: len(types)]
        quoted = ['"' + name.replace('"', '""') + '"' for name in names]
        cells = ", ".join(
            f"CAST({value} AS {kind}) AS {name}"
            for name, (kind, value) in zip(quoted, types.items(), strict=True)
        )
        path = tmp_path / "types.duckdb"
        connection.execute(f"ATTACH '{path}' AS d; CREATE TABLE d.t AS SELECT {cells} FROM range(2)")
        connection.execute("INSERT INTO d.t DEFAULT VALUES")
    named = measured(path, [name for name in names if "." not in name and "+" not in name])
    assert named.missing_cells == len(named.attributes) > 10
    assert all(one.typical == 0 and one.worst.share == 0 for one in named.facts)
    assert named.all_attributes is not None
    assert named.all_attributes.people == 1


@pytest.mark.parametrize(
    ("kind", "cells"),
    thinned(
        [
            ("INTEGER[]", ["[]", "[NULL]", "[NULL, NULL]", "[1]", "[1, NULL]"]),
            ("INTEGER[][]", ["[]", "[[]]", "[NULL]", "[[NULL]]", "[[1], [2]]", "[[1, 2]]", "[[1, 2], []]"]),
            ("STRUCT(a INTEGER, b VARCHAR)", ["{'a': NULL, 'b': NULL}", "{'a': 1, 'b': NULL}"]),
            ("MAP(VARCHAR, INTEGER)", ["MAP {}", "MAP {'a': NULL}"]),
            ("UNION(n INTEGER, s VARCHAR)", ["union_value(n := 1)", "union_value(s := '1')"]),
            (
                "STRUCT(u UNION(n INTEGER, s VARCHAR))",
                ["{'u': union_value(n := 1)}", "{'u': union_value(s := '1')}"],
            ),
            ("HUGEINT", ["1", str(2**64), "-1", str(2**64 + 1)]),
            ("UHUGEINT", ["0", str(2**64 + 1), f"'{2**128 - 1}'"]),
            ("DECIMAL(38, 0)", ["1", str(2**64)]),
        ]
    ),
)
def test_different_values_are_told_apart(tmp_path: Path, kind: str, cells: list[str]) -> None:
    """The engine has the same hash for many of these, and that of a missing cell for some."""
    path = tmp_path / "told.duckdb"
    with connect() as connection:
        connection.execute(f"ATTACH '{path}' AS d; CREATE TABLE d.t (a {kind}, b INTEGER, u INTEGER)")
        for number, cell in enumerate([*cells, "NULL", "NULL"]):
            connection.execute(f"INSERT INTO d.t VALUES ({cell}, {number % 2}, {number})")
    ways = [("none", "u"), ("value", "u"), ("none", "")]
    place = len(kind) % 3  # of a type one of them where examples are few
    for missing, user in ways if EXAMPLES >= 20 else ways[place : place + 1]:
        found = measured(path, ["a", "b"], user, missing=missing)
        assert found.missing_cells == 2
        assert found.facts[0].worst.people == len(cells)
        assert found.facts[0].worst.attributes == ("a",)
        assert found.all_attributes is not None
        assert found.all_attributes.people == len(cells) + 2  # the missing cells have another b each
        known = measured(path, ["a+b"], user, missing=missing)
        assert known.all_attributes is not None
        assert known.all_attributes.people == len(cells)
        people = measured(path, ["u"], "a", missing=missing)
        assert people.all_attributes is not None
        assert (people.people, people.all_attributes.people) == (len(cells), len(cells))


def test_many_columns_of_few_values(tmp_path: Path) -> None:
    """A table that looks safe column by column: nobody has a value alone, nearly everybody three of them."""
    path = tmp_path / "coded.parquet"
    columns = ", ".join(f"hash(120 * i + {n}) % {(3, 5, 8, 40)[n % 4]} AS code_{n}" for n in range(120))
    duckdb.execute(f"COPY (SELECT {columns} FROM range(2000) AS r (i)) TO '{path}'")
    names = [f"code_{n}" for n in range(120)]
    found = measured(path, names)
    cells = duckdb.execute(f"FROM '{path}'").fetchall()
    assert found.facts[0].worst.share == 0
    for one in found.facts[1:]:
        places = [names.index(name) for name in one.worst.attributes]
        counts = Counter(tuple(record[place] for place in places) for record in cells)
        assert one.worst.people == sum(count == 1 for count in counts.values())
        assert not one.complete
        assert one.sets_examined <= 200
        assert one.typical_lower <= one.typical <= one.typical_upper
        drawn = random.Random(one.facts).sample(range(120), one.facts)
        counts = Counter(tuple(record[place] for place in drawn) for record in cells)
        assert sum(count == 1 for count in counts.values()) <= one.worst.people
    assert found.facts[2].worst.share > 0.9
    assert found.facts[3].worst.share > 0.99
    assert found.all_attributes is not None
    assert found.all_attributes.share == 1
    told = sections.told(sections.as_json(found))
    assert "the worst choice that was found" in told
    assert "≥" in told


def test_people_are_sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shares of a sample are near those of all; whom nothing singles out is known without looking."""
    path = tmp_path / "histories.parquet"
    select = "hash(i) % 600 AS customer_id, hash(i, 1) % 90 AS a, hash(i, 2) % 50 AS b, hash(i, 3) % 40 AS c"
    duckdb.execute(f"COPY (SELECT {select} FROM range(3000) AS r (i)) TO '{path}'")
    exact = measured(path, "abc", "customer_id")
    monkeypatch.setattr(uniqueness, "MIN_RECORDS_TO_SAMPLE", 0)
    monkeypatch.setattr(uniqueness, "MAX_WORK", 0)
    for name in ("SAMPLED_RECORDS", "SAMPLED_PEOPLE"):
        monkeypatch.setattr(uniqueness, name, 200)
    some = measured(path, "abc", "customer_id")
    assert 120 < some.people_examined < 290
    assert some.all_attributes == exact.all_attributes
    for one, other in zip(exact.facts, some.facts, strict=True):
        assert other.typical_lower <= one.typical <= other.typical_upper
        assert other.typical_of_records == pytest.approx(one.typical_of_records, abs=0.1)
    assert "random sample" in sections.told(sections.as_json(some))


@pytest.mark.slow
def test_a_sample_grows_only_while_a_limit_lies_inside_the_interval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people.parquet"
    select = ", ".join(f"hash(i, {place}) % {10 + place} AS {name}" for place, name in enumerate("abcde"))
    duckdb.execute(f"COPY (SELECT {select} FROM range(6000) AS r (i)) TO '{path}'")
    monkeypatch.setattr(uniqueness, "MIN_RECORDS_TO_SAMPLE", 0)
    monkeypatch.setattr(uniqueness, "MAX_WORK", 0)
    monkeypatch.setattr(uniqueness, "SAMPLED_PEOPLE", 1)

    def sample(small: int, grown: int, limit: float | None) -> Uniqueness:
        monkeypatch.setattr(uniqueness, "SAMPLED_RECORDS", small)
        monkeypatch.setattr(uniqueness, "GROWN_RECORDS", grown)
        with Session(Resources(threads=2)) as session:
            source = open_source(session, Request(str(path)))
            found = roles.infer(session, source, roles.RoleOverrides(user="", attributes=tuple("abcde")))
            measure = uniqueness.measure
            return measure(session, found, identifiability.Options(), NO_HISTORIES, limit=limit).result

    small = sample(200, 2_000, None)
    typical = small.facts[-1].typical
    assert 0 < typical < 1
    assert sample(200, 2_000, typical) == sample(2_000, 2_000, None)
    assert sample(200, 2_000, 0.0) == sample(200, 2_000, 1.0) == small
    assert sample(200, 200, typical) == small


def test_unicity_of_a_made_history(tmp_path: Path) -> None:
    """De Montjoye's unicity: how often p records of a person fit nobody else, by enumeration."""
    chance = random.Random(5)
    people = {person: chance.sample("abcdefghijklmn", 6) for person in range(14)}
    rows = [(person, place) for person, places in people.items() for place in places]
    table = written(tmp_path, {"customer_id": "INTEGER", "place": "VARCHAR"}, rows)
    found = measured(table, ["place"], "customer_id", options=attribute.Options(draws=5000))
    for one in found.known_records:
        subsets = [
            set(some) for places in people.values() for some in itertools.combinations(places, one.records)
        ]
        fits = [sum(some <= set(places) for places in people.values()) for some in subsets]
        assert one.typical == pytest.approx(fits.count(1) / len(fits), abs=0.03)
        assert (one.worst, one.worst_attribute, one.attributes) == (one.typical, "place", 1)
    assert [one.records for one in found.known_records] == [1, 2, 3, 4]
    assert "As many records" in sections.told(sections.as_json(found))


@LIGHTER
@given(drawn_tables(width=4), st.booleans(), st.sampled_from(["none", "value"]), st.sets(st.integers(0, 9)))
def test_no_set_is_taken_for_more_than_it_singles_out(
    tmp_path_factory: pytest.TempPathFactory, drawn: Drawn, by_user: bool, missing: str, looked_at: set[int]
) -> None:
    """As many as a part of it that was looked at, unless a missing cell of the others singles nobody out."""
    kept = [one for one in drawn.rows if one[0] is not None or not by_user]
    assume(kept)
    rows = [(key(one[0]) if by_user else n, *map(cell, one[1:])) for n, one in enumerate(kept)]
    table = written(tmp_path_factory.mktemp("drawn"), drawn.columns, drawn.rows)
    with Session() as session:
        source = open_source(session, Request(str(table)))
        asked = roles.RoleOverrides(user="u" if by_user else "", attributes=tuple("abcd"))
        found = roles.infer(session, source, asked)
        options = identifiability.Options(missing=missing)
        search = uniqueness._FactSearch(session, found, options, random.Random(0))
        search.count_sets((place,) for place in range(4))
        every = [some for size in (2, 3) for some in itertools.combinations(range(4), size)]
        for size in (2, 3):
            search.count_sets(every[n] for n in looked_at if len(every[n]) == size)
        for size in (1, 2, 3, 4):
            sets = list(itertools.combinations(range(4), size))
            truth = [len(alone(rows, places, missing)[0]) for places in sets]
            least = search._bound_share(size) * search.examined
            assert least <= statistics.fmean(truth) + 1e-9
            if size == 4 and missing == "value":
                assert least >= max(len(alone(rows, (place,), missing)[0]) for place in range(4)) - 1e-9


def test_marks_of_missing_cells_tell_people_apart(tmp_path: Path) -> None:
    """Who reads the table sees "*" in three records and "?" in eight; a mark alone is a missing cell."""
    rows = [("a",)] * 20 + [("?",)] * 8 + [("*",)] * 3
    found = measured(written(tmp_path, {"city": "VARCHAR"}, rows))
    assert found.missing_cells == 11
    assert found.all_attributes is not None
    assert [(one.least, one.classes, one.people) for one in found.all_attributes.sizes] == [
        (3, 1, 3),
        (5, 1, 8),
        (20, 1, 20),
    ]
    same = measured(written(tmp_path, {"city": "VARCHAR"}, [*rows[:20], *[("*",)] * 11]))
    assert same.all_attributes is not None
    assert same.all_attributes.smallest_class == 11


def test_nothing_to_assess(tmp_path: Path) -> None:
    table = written(
        tmp_path, {"mail": "VARCHAR", "same": "INTEGER"}, [("a@b.example", 1), ("c@d.example", 1)]
    )
    found = measured(table, [])
    assert (found.facts, found.all_attributes, found.attributes) == ((), None, ())
    assert [one.column for one in found.not_assessed] == ["mail", "same"]
    assert "No column was assessed as an attribute" in sections.told(sections.as_json(found))


# --- the drawing of sets --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        yield made


def typical(
    connection: duckdb.DuckDBPyConnection, strata: list[tuple[int, list[int]]], **changes: Any
) -> dict[str, Any]:
    """The estimate from strata of so many sets, with whom their drawn sets single out of 100."""
    drawn = [(number, size, people) for number, (size, counts) in enumerate(strata) for people in counts]
    told = {
        "strata": [one[0] for one in drawn],
        "sizes": [one[1] for one in drawn],
        "people": [one[2] for one in drawn],
        "records": [one[2] for one in drawn],
        "worst_people": 0,
        "worst_records": 0,
        "all_people": 100,
        "all_records": 200,
        "share_of_people": 1.0,
        "share_of_records": 1.0,
        "undrawn": 0.0,
        "unseen": 0.0,
        "least": 0.0,
    }
    return row(connection, "typical_share", **told | changes)


def test_share_that_is_sure_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    """Of three attributes and 10 people: (0, 1) has 4, (0, 2) at least 2, (1, 2) at least 5: 11 / 3 / 10."""
    counted = {(0,): 2, (1,): 5, (2,): 1, (0, 1): 4}
    told = {"attributes": 3, "sets": list(counted), "people": list(counted.values()), "all_people": 10}
    assert row(connection, "sure_share", **told, size=2, missing=[]) == {"least": 11 / 3 / 10}
    # A missing value of 2 singles nobody out: (0, 2) may have fewer than (0,), but no fewer than (2,).
    assert row(connection, "sure_share", **told, size=2, missing=[2]) == {"least": (4 + 1 + 1) / 3 / 10}
    assert row(connection, "sure_share", **told, size=3, missing=[]) == {"least": 5 / 10}


@LIGHTER
@given(
    st.integers(1, 5),
    st.dictionaries(st.sets(st.integers(0, 4), min_size=1).map(frozenset), st.integers(0, 50), max_size=12),
    st.sets(st.integers(0, 4)),
    st.integers(1, 4),
)
def test_share_that_is_sure_is_that_of_its_definition(
    connection: duckdb.DuckDBPyConnection,
    attributes: int,
    counted: dict[frozenset[int], int],
    missing: set[int],
    size: int,
) -> None:
    assume(size <= attributes)
    held = {places: people for places, people in counted.items() if max(places) < attributes}

    def least(places: frozenset[int]) -> int:
        parts = [least(places - {out}) for out in places - missing]
        return held.get(places, max(parts, default=0))

    every = [least(frozenset(places)) for places in itertools.combinations(range(attributes), size)]
    found = row(
        connection, "sure_share", attributes=attributes, size=size, sets=[sorted(one) for one in held],
        people=list(held.values()), missing=sorted(missing), all_people=50,
    )  # fmt: skip
    assert found["least"] == pytest.approx(statistics.fmean(every) / 50, abs=1e-12)


def test_an_interval_begins_no_lower_than_what_is_sure(connection: duckdb.DuckDBPyConnection) -> None:
    """Of 50 sets two were drawn, and 10 % of the people at least are singled out by each set in the mean."""
    vague = typical(connection, [(50, [10, 90])])
    assert (vague["typical"], vague["typical_lower"], vague["typical_upper"]) == (0.5, 0, 1)
    surer = typical(connection, [(50, [10, 90])], least=0.1)
    assert (surer["typical"], surer["typical_lower"], surer["typical_upper"]) == (0.5, 0.1, 1)
    above = typical(connection, [(50, [10, 12])], least=0.4)
    assert (above["typical"], above["typical_lower"], above["typical_upper"]) == (0.4, 0.4, 0.4)
    sampled = typical(connection, [(50, [10, 90])], least=6 / 56, unseen=12 / 13)
    error = math.sqrt(12 / 13 * 6 / 56 * 50 / 56 / 100)
    assert sampled["typical_lower"] == pytest.approx(6 / 56 - 1.98 * error)


#: Student's t at 95 %, by degrees of freedom.
STUDENT = {
    1: 12.7062, 2: 4.3027, 3: 3.1824, 4: 2.7764, 5: 2.5706, 6: 2.4469, 8: 2.3060, 10: 2.2281, 15: 2.1314,
    20: 2.0860, 30: 2.0423, 60: 2.0003, 120: 1.9799,
}  # fmt: skip


@pytest.mark.parametrize("freedom", sorted({*STUDENT, *(df - 1 for df in STUDENT if df > 1)}))
def test_quantile_of_so_many_strata(connection: duckdb.DuckDBPyConnection, freedom: int) -> None:
    """Of alike strata there are as many degrees of freedom: the quantile is that of the next ones below."""
    found = typical(connection, [(4, [30, 40])] * freedom, share_of_people=1.0)
    quantile = STUDENT[max(df for df in STUDENT if df <= freedom)]
    error = math.sqrt((1 - 2 / 4) * statistics.variance([0.3, 0.4]) / 2 / freedom)
    assert found["typical_upper"] - found["typical"] == pytest.approx(min(quantile * error, 0.65), rel=1e-3)


@pytest.mark.parametrize("seed", thinned(range(60), 4))
def test_estimate_is_that_of_its_definition(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    """Of strata with up to 200 drawn sets, so that there are few degrees of freedom and many."""
    chance = random.Random(seed)
    strata = []
    for _ in range(chance.randrange(1, 6)):
        drawn = chance.choice([2, 3, 4, 5, 7, 10, 20, 40, 200])
        spread = chance.choice([2, 40])
        counts = [chance.randrange(30, 30 + spread) for _ in range(drawn)]
        strata.append((drawn + chance.randrange(3) * drawn, counts))
    undrawn, unseen = chance.choice([0.0, 0.3]), chance.choice([0.0, 0.6])
    found = typical(
        connection, strata, undrawn=undrawn, unseen=unseen, worst_people=70, worst_records=90,
        share_of_people=0.5, share_of_records=0.25,
    )  # fmt: skip
    every = sum(size for size, _ in strata)
    shares = [[count / 100 for count in counts] for _, counts in strata]
    weights = [size / every for size, _ in strata]
    mean = sum(w * statistics.fmean(some) for w, some in zip(weights, shares, strict=True))
    parts = [
        w**2 * (1 - len(some) / size) * statistics.variance(some) / len(some)
        for w, some, (size, _) in zip(weights, shares, strata, strict=True)
    ]
    squares = sum(w * statistics.fmean(x * x for x in some) for w, some in zip(weights, shares, strict=True))
    variance = sum(parts) + undrawn * (squares - mean**2) / every + unseen * mean * (1 - mean) / 100
    freedom = sum(parts) ** 2 / sum(part**2 for part in parts) if any(parts) else 1000
    nearest = max((df for df in STUDENT if df <= freedom + 1e-9), default=1)
    half = STUDENT[nearest] * math.sqrt(variance)
    assert found["typical"] == pytest.approx(mean / 2, rel=1e-9)
    assert found["typical_of_records"] == pytest.approx(mean / 2 / 4, rel=1e-9)
    assert (found["worst"], found["worst_of_records"]) == (pytest.approx(0.35), pytest.approx(0.1125))
    assert found["typical_lower"] == pytest.approx(max(0, mean - half) / 2, rel=1e-4)
    assert found["typical_upper"] == pytest.approx(min(1, mean + half) / 2, rel=1e-4)
    if half < mean < 1 - half:
        assert found["typical_upper"] - found["typical_lower"] == pytest.approx(half, rel=1e-4)


def test_estimate_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    """Strata of 2 sets, drawn whole, and of 6: mean (2 * 0.5 + 6 * 0.2) / 8; the second has variance 0.02, so
    (6 / 8)^2 (1 - 2 / 6) 0.02 / 2 with one degree of freedom."""
    found = typical(connection, [(2, [40, 60]), (6, [10, 30])])
    half = 12.7063 * math.sqrt(0.75**2 * (2 / 3) * 0.02 / 2)
    assert found["typical"] == pytest.approx(0.275)
    assert found["typical_of_records"] == pytest.approx(0.1375)
    assert (found["typical_lower"], found["typical_upper"]) == (0, pytest.approx(min(1, 0.275 + half)))
    whole = typical(connection, [(1, [40]), (1, [60])])
    assert whole["typical_lower"] == whole["typical"] == whole["typical_upper"] == 0.5


@LIGHT
@given(
    st.lists(st.integers(0, 10**6), min_size=2, max_size=30),
    st.integers(1, 4),
    st.integers(4, 70),
    st.integers(1, 10**7),
    st.integers(0, 5),
)
def test_drawn_sets(values: list[int], size: int, most: int, records: int, seed: int) -> None:
    assume(size <= len(values))
    drawn = draw_sets(values, size, most, records, random.Random(seed))
    possible = math.comb(len(values), size)
    assert drawn.possible == possible
    assert drawn.listed == min(possible, 10_000)
    assert len(set(drawn.sets)) == len(drawn.sets) <= max(most, min(possible, most))
    assert all(len(set(one)) == size and list(one) == sorted(one) for one in drawn.sets)
    assert drawn.complete == (possible <= most)
    sizes = dict(zip(drawn.strata, drawn.sizes, strict=True))
    assert sum(sizes.values()) == drawn.listed
    held = Counter(drawn.strata)
    assert all(held[number] == min(sizes[number], 1 if drawn.complete else 2) for number in sizes)
    assert draw_sets(values, size, most, records, random.Random(seed)) == drawn


def test_texts_of_one_pattern_are_not_taken_for_each_other(tmp_path: Path) -> None:
    """The engine's own hash of these texts has the same number for 20 pairs of them."""
    texts = [
        f'{{"page": "/p/{page}", "ref": "mail", "v": {view}}}'
        for page in range(100, 300)
        for view in (1, 2, 3)
    ]
    table = tmp_path / "views.parquet"
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE views AS SELECT UNNEST(?) AS view, 1 AS site", [texts])
        connection.execute(f"COPY views TO '{table}'")
        ((numbers,),) = connection.execute("SELECT COUNT(DISTINCT hash(view)) FROM views").fetchall()
    assert numbers < len(texts), "the engine's hash tells them apart: choose other texts"
    found = measured(table, ("view", "site"))
    assert found.all_attributes is not None
    assert (found.all_attributes.people, found.facts[0].worst.people) == (len(texts), len(texts))


@pytest.mark.parametrize("missing", ["none", "value"])
def test_sets_single_nobody_out_where_nobody_is_alone(missing: str) -> None:
    """Each record twice, with missing cells: no statement counts a set of several facts.

    With one more record somebody is alone, and such sets are counted.
    """
    columns = {"a": [1, 2, 3, None], "b": ["x", "x", "y", "?"], "c": [5, None, 5, 7]}
    rows = list(zip(*columns.values(), strict=True))
    for records, alone in ((rows * 2, 0), ([*rows * 2, (9, "z", 5)], 1)):
        with duckdb.connect() as made:
            make(made, {"a": "INTEGER", "b": "VARCHAR", "c": "INTEGER"}, records)
            report = duckrisk.assess(made.execute("FROM t").df(), user="", missing=missing)
        assert report.uniqueness is not None
        assert report.uniqueness.all_attributes.people == alone
        assert len(report.uniqueness.facts) == 3
        for known in report.uniqueness.facts:
            assert known.worst.people == alone
            assert (known.typical > 0) == (alone > 0)
        counted = [statement for statement in report.statements if statement.name == "facts_known"]
        assert len(counted) == (3 if alone else 1)
