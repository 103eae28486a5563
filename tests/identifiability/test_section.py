"""Identifiability: worked examples, brute force, what changes must leave alone, published numbers, limits."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import numpy
import pandas
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import duckrisk
from duckrisk.engine.session import Session
from duckrisk.measures.sets import costs, easiest, encoding
from tests.command import refused, table
from tests.declared import values_unsearched
from tests.hostile import NAMES
from tests.identifiability_oracle import (
    TOKENS,
    Found,
    Level,
    Table,
    all_sets,
    ease,
    find,
    sensitivity,
    totals,
)
from tests.shared_data import shared
from tests.tables import EXAMPLES, LIGHT, LIGHTER, TEXTS, Drawn, drawn_tables, make, thinned

PLAIN, GRAVE, INCOME, ILL = Level(1, 1), Level(1, 3), Level(2, 2), Level(1, 2)


@dataclass(frozen=True)
class Record:
    """One line of the table of records."""

    record: int
    singled_out: bool | None
    ease: float | None
    value: float | None
    jo_value: float
    attributes: tuple[str, ...]
    also: tuple[tuple[str, ...], ...]

    @property
    def sets(self) -> tuple[tuple[str, ...], ...]:
        return ((self.attributes, *self.also)) if self.attributes else ()


@dataclass(frozen=True)
class Answer:
    """The section of the report, and the table of records."""

    data: dict[str, Any]
    records: list[Record]

    @property
    def users(self) -> dict[str, Any]:
        return self.data["users"]


def levels_of(made: Table) -> dict[str, Any]:
    """Levels as a person gives them: those of an identity by the type of the chart."""
    return {
        name: level.identity or (level.economic, level.psychological)
        for name, level in zip(made.names, made.levels, strict=True)
    }


def frame_of(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> pandas.DataFrame:
    """A frame of Python objects, without any guess at types."""
    columns = [pandas.Series([row[place] for row in rows], dtype=object) for place in range(len(names))]
    made = pandas.concat(columns, axis=1)
    made.columns = list(names)
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("identifiability")


_numbers = itertools.count()


@cache
def reader() -> duckdb.DuckDBPyConnection:
    """An engine that reads every table of records."""
    return duckdb.connect()


def assess(folder: Path, source: Any, levels: dict[str, Any], **options: Any) -> Answer:
    """Assess a source in which every column is an attribute, and read the table of records.

    What each attribute adds is computed where it is asked for.
    """
    path = folder / f"records{next(_numbers)}.parquet"
    given = {"user": "", "roles": dict.fromkeys(levels, "attribute"), "what_if": False} | options
    with values_unsearched("roles" not in options):
        report = duckrisk.assess(source, only=("identifiability",), levels=levels, records=path, **given)
    data = json.loads(report.to_json())["identifiability"]
    columns = "record, singled_out, ease, value, jo_value, attributes, also"
    written = reader().execute(f"SELECT {columns} FROM '{path}' ORDER BY record")
    assert [str(column[1]) for column in written.description or ()] == [
        "BIGINT", "BOOLEAN", "DOUBLE", "DOUBLE", "DOUBLE", "VARCHAR[]", "VARCHAR[][]",
    ]  # fmt: skip
    lines = written.fetchall()
    path.unlink()
    records = [
        Record(*line[:5], tuple(line[5] or ()), tuple(tuple(names) for names in line[6] or ()))
        for line in lines
    ]
    assert [record.record for record in records] == list(range(1, len(records) + 1))
    return Answer(data, records)


def answer(folder: Path, made: Table, users: Sequence[Any] | None = None, **options: Any) -> Answer:
    """Assess a small table, with a user's column behind the others where users are given."""
    names, rows = made.names, made.rows
    if users is not None:
        person = free_name(names)
        names = (*names, person)
        rows = tuple((*row, user) for row, user in zip(rows, users, strict=True))
        options["user"] = person
    given = {"missing": made.missing, "missing_tokens": made.tokens, "what_if": None} | options
    return assess(folder, frame_of(names, rows), levels_of(made), **given)


def free_name(names: Sequence[str]) -> str:
    taken = {name.casefold() for name in names}
    return next(name for name in ("person", "person 2", *NAMES) if name.casefold() not in taken)


def near(actual: float | None, expected: float) -> bool:
    return actual is not None and math.isclose(actual, expected, rel_tol=1e-9, abs_tol=1e-9)


# --- comparison with the oracle ------------------------------------------------------------------


def assert_record(record: Record, expected: Found) -> None:
    said = (record, expected)
    assert record.singled_out is expected.singled_out, said
    assert near(record.ease, expected.ease), said
    assert near(record.value, expected.value), said
    assert near(record.jo_value, expected.jo_value), said
    if expected.sets:
        assert record.attributes == expected.sets[0], said
    assert sorted(record.sets) == sorted(expected.sets), said
    assert len(set(record.sets)) == len(record.sets), said


def assert_totals(data: dict[str, Any], expected: Sequence[Found], unit: str = "records") -> None:
    """Totals and distribution of records or users."""
    total = totals(expected)
    assert data[unit] == len(expected)
    assert (data["singled_out"], data["not_singled_out"]) == (total.singled_out, total.not_singled_out)
    assert (data["unknown"], data["unknown_ease_at_most"]) == (0, None)
    assert (data["complete"], data["limit"]) == (True, None)
    assert near(data["total_ease"], total.total_ease)
    assert near(data["total_value"], total.total_value)
    assert near(data["jo_total_value"], total.jo_total_value)
    assert [line[unit] for line in data["distribution"]] == [count for _, count, _ in total.distribution]
    for line, (height, _, value) in zip(data["distribution"], total.distribution, strict=True):
        assert near(line["ease"], height)
        assert near(line["value"], value)


def assert_sets_counted(data: dict[str, Any]) -> None:
    left_out = data["sets_not_examined"]
    assert set(left_out) == {"adds_nothing", "settles_nobody", "all_settled", "limit"}
    assert min(left_out.values()) >= 0
    assert sum(left_out.values()) == data["sets_possible"] - data["sets_examined"]
    if data["complete"]:
        assert left_out["limit"] == 0


def assert_attributes(data: dict[str, Any], made: Table, expected: Sequence[Found]) -> None:
    """The part of each attribute, and the total without it."""
    total = totals(expected)
    entries = {entry["attribute"]: entry for entry in data["attributes"]}
    assert set(total.takes_part) <= set(entries)
    for name, entry in entries.items():
        place = made.names.index(name)
        level = made.levels[place]
        assert (entry["economic"], entry["psychological"]) == (level.economic, level.psychological)
        assert entry["level_source"] == "given"
        part = total.takes_part.get(name, 0)
        assert entry["records_singled_out_with"] == part
        assert near(entry["share_of_singled_out"] or 0.0, part / max(total.singled_out, 1))
        without = totals(find(made.without(place))).total_value
        assert near(entry["total_value_without"], without), name
        if total.total_value:
            assert near(entry["change_without"], without / total.total_value - 1)


def assert_lists(data: dict[str, Any], made: Table, expected: Sequence[Found]) -> None:
    """Scenarios, the most valuable first, and what they come to by set."""
    total = totals(expected)
    scenarios = data["scenarios"]
    assert len(scenarios) == min(50, total.singled_out)
    worth = sorted((one.value for one in expected if one.singled_out), reverse=True)
    for scenario, value in zip(scenarios, worth, strict=False):
        one = expected[scenario["record"] - 1]
        assert near(scenario["value"], value)
        assert near(scenario["value"], one.value)
        assert near(scenario["ease"], one.ease)
        assert tuple(scenario["attributes"]) == one.sets[0]
        assert sorted(map(tuple, scenario["other_sets"])) == sorted(one.sets[1:])
        row = made.rows[scenario["record"] - 1]
        assert scenario["learns"] == [
            name
            for name, cell in zip(made.names, row, strict=True)
            if name not in scenario["attributes"] and not made.is_missing(cell)
        ]
        assert scenario["cells"] is None
    by_set: dict[tuple[tuple[str, ...], float], list[Found]] = {}
    for one in expected:
        if one.sets:
            by_set.setdefault((one.sets[0], round(one.ease, 9)), []).append(one)
    assert len(data["sets"]) == min(50, len(by_set))
    worth = sorted((math.fsum(one.value for one in group) for group in by_set.values()), reverse=True)
    for line, value in zip(data["sets"], worth, strict=False):
        group = by_set[tuple(line["attributes"]), round(line["ease"], 9)]
        assert near(line["value"], value)
        assert near(math.fsum(one.value for one in group), value)
        assert all(near(line["ease"], one.ease) for one in group)
        assert line["records"] == len(group)


def assert_jo(data: dict[str, Any], expected: Sequence[Found]) -> None:
    jo = data["jo"]
    assert jo["identifiability"] == max(one.jo for one in expected)
    assert near(jo["value_per_record"], max(one.jo_value for one in expected))
    factor = jo["social_responsibility"] * jo["post_response"]
    assert near(jo["total_compensation"], data["jo_total_value"] * factor)


def assert_other_mode(data: dict[str, Any], made: Table, limited: bool) -> None:
    assert data["missing_mode"] == made.missing
    assert data["missing_cells"] == made.missing_cells
    other = data["other_missing_mode"]
    if not made.missing_cells or (limited and other is None):
        assert other is None
        return
    mode = "value" if made.missing == "none" else "none"
    total = totals(find(replace(made, missing=mode)))
    assert (other["missing_mode"], other["singled_out"]) == (mode, total.singled_out)
    assert near(other["total_ease"], total.total_ease)
    assert near(other["total_value"], total.total_value)


def assert_answer(
    found: Answer, made: Table, users: Sequence[Any] | None = None, limited: bool = False
) -> None:
    """Everything that follows from the definitions, of every record."""
    expected = find(made)
    assert len(found.records) == len(expected)
    for record, one in zip(found.records, expected, strict=True):
        assert_record(record, one)
    data = found.data
    assert data["ties_complete"] is True
    assert_totals(data, expected)
    assert_sets_counted(data)
    assert_lists(data, made, expected)
    assert_jo(data, expected)
    assert_other_mode(data, made, limited)
    if any(entry["total_value_without"] is not None for entry in data["attributes"]):
        assert_attributes(data, made, expected)
    given = [user for user in users or () if user is not None]
    if len(set(given)) < len(given) or data["users"] is not None:
        assert_totals(data["users"], find(made, users), "users")


# --- worked by hand ------------------------------------------------------------------------------

#: Table 1 of the paper: e-mail, age, occupation, registered domicile, customer of B.
PAPER = Table(
    ("email", "age", "occupation", "domicile", "customer"),
    (
        ("hanako@...", 12, "ピアニスト", "大字", "T"),
        ("haruko@...", 18, "会社員", "本町 1", "T"),
        ("natsuko@...", 18, "公務員", "本町 1", "T"),
        ("taro@...", 43, "会社員", "本町 1", "T"),
        ("jiro@...", 43, "会社員", "大字", "T"),
        ("saburo@...", 43, "公務員", "本町 1", "T"),
    ),
    (PLAIN, PLAIN, PLAIN, GRAVE, INCOME),
)


@pytest.mark.parametrize("missing", ["none", "value"])
@pytest.mark.parametrize("roles", [None, {}])
def test_table_1_of_the_paper(folder, missing, roles):
    """With or without the constant column among the attributes that can be known."""
    forced = {} if roles is None else {"roles": roles}
    kept = PAPER.without(0)
    levels = levels_of(kept) | {"occupation": "occupation", "age": "date_of_birth"}
    found = assess(folder, frame_of(kept.names, kept.rows), levels, missing=missing, **forced)
    eases = [record.ease for record in found.records]
    assert eases == pytest.approx([2.0, 1.8, 1.8, 0.504, 0.560, 1.8], abs=5e-4)
    assert found.data["total_ease"] == pytest.approx(8.4639, abs=5e-5)
    assert found.data["total_value"] == pytest.approx(444_354, abs=1)
    assert found.data["jo_total_value"] == 315_000
    assert found.data["sensitivity"] == 105
    assert found.data["jo"]["value_per_record"] == 52_500
    assert [record.sets for record in found.records] == [
        (("age",), ("occupation",)),
        (("age", "occupation"),),
        (("age", "occupation"),),
        (("age", "occupation", "domicile"),),
        (("age", "domicile"), ("occupation", "domicile")),
        (("age", "occupation"),),
    ]


def test_table_1_of_the_paper_with_addresses(folder):
    found = answer(folder, PAPER)
    assert_answer(found, PAPER)
    assert [record.ease for record in found.records] == [2.0] * 6
    assert found.records[1].sets == (("email",),)
    assert found.records[0].sets == (("email",), ("age",), ("occupation",))
    assert (found.data["total_value"], found.data["jo_total_value"]) == (630_000, 315_000)


def test_settings_of_money(folder):
    money = {"base": 1000, "currency": "euro", "social_responsibility": 2, "post_response": 2}
    found = answer(folder, PAPER, what_if=False, **money)
    assert (found.data["total_value"], found.data["jo_total_value"]) == (1_260_000, 630_000)
    assert (found.data["base"], found.data["currency"]) == (1000, "euro")
    assert found.data["jo"]["total_compensation"] == 4 * 630_000
    assert found.data["jo"]["social_responsibility"] == found.data["jo"]["post_response"] == 2


def test_ties_are_all_told(folder):
    """Two sets of one size and sensitivity; a third as small but graver never stands beside them."""
    made = Table(("a", "b", "c"), (("x", "1", "n"), ("x", "2", "m"), ("y", "2", "m")), (PLAIN, PLAIN, GRAVE))
    found = answer(folder, made)
    assert_answer(found, made)
    assert [record.sets for record in found.records] == [(("b",),), (("a", "b"),), (("a",),)]
    tied = replace(made, levels=(PLAIN, PLAIN, PLAIN))
    found = answer(folder, tied)
    assert_answer(found, tied)
    assert [record.sets for record in found.records] == [
        (("b",), ("c",)),
        (("a", "b"), ("a", "c")),
        (("a",),),
    ]


def test_a_larger_set_of_lighter_attributes_comes_first(folder):
    """Three plain attributes (1.62) are easier to know than one grave one (0.62)."""
    bits = list(itertools.product("01", repeat=3))
    rows = tuple((*three, str(number)) for number, three in enumerate(bits))
    made = Table(("a", "b", "c", "id"), rows, (PLAIN, PLAIN, PLAIN, GRAVE))
    found = answer(folder, made)
    assert_answer(found, made)
    assert {record.sets for record in found.records} == {(("a", "b", "c"),)}
    assert found.records[0].ease == pytest.approx(1.62)


def test_missing_cells(folder):
    """A missing cell tells nothing, or is a value like any other; a record of none of them is worth 0."""
    rows = ((None, "x"), ("1", "x"), ("1", "y"), ("2", "y"), ("?", " N/A "), ("", None))
    made = Table(("a", "b"), rows, (PLAIN, INCOME))
    found = answer(folder, made)
    assert_answer(found, made)
    pair = 2 * 0.9 / (math.log(14, 8) + 1)
    assert [record.ease for record in found.records] == pytest.approx([0, pair, pair, 2, 0, 0])
    assert [record.value for record in found.records] == pytest.approx(
        [0, 7500 * pair, 7500 * pair, 15_000, 0, 0]
    )
    assert [record.jo_value for record in found.records] == [7500, 7500, 7500, 7500, 0, 0]
    assert found.data["missing_cells"] == 5
    parity = replace(made, missing="value")
    found = answer(folder, parity)
    assert_answer(found, parity)
    assert [record.ease for record in found.records] == pytest.approx([pair, pair, pair, 2, 0, 0])
    assert found.records[0].value == pytest.approx(7500 * pair)  # without the missing a, b stays


def test_a_missing_cell_in_another_record_differs_from_every_value(folder):
    made = Table(("a", "b"), (("1", "x"), ("1", None), (None, "x")), (PLAIN, PLAIN))
    found = answer(folder, made)
    assert_answer(found, made)
    assert [record.sets for record in found.records] == [(("a", "b"),), (), ()]


@pytest.mark.slow
def test_tokens_are_what_they_are_told_to_be(folder):
    rows = (("?", "NULL"), (" - ", "null"), ("-", ""), (None, "-"))
    default = Table(("a", "b"), rows, (PLAIN, PLAIN), "value")
    assert default.missing_cells == 4
    sets = (TOKENS, ("-",), (), ("null",), ("?", "-", "NULL", "null", ""))
    for tokens, missing in zip(sets, itertools.cycle(["value", "none"])):
        made = replace(default, tokens=tokens, missing=missing)
        assert_answer(answer(folder, made), made)  # and the totals by the other rule


def test_tokens_of_numbers(folder):
    made = Table(("a", "b"), ((-1, 1), (-1, 2), (3, 2), (None, 1)), (PLAIN, PLAIN), tokens=("-1", "NULL"))
    found = answer(folder, made)
    assert found.data["missing_cells"] == 3
    assert_answer(found, made)


@pytest.mark.parametrize(
    ("kind", "cells", "tokens", "missing"),
    thinned(
        [
            ("FLOAT", "0.1, 0.25, 1e-7, 3", ("0.1", "1e-7"), 2),  # as DOUBLE, no cell would be 0.1
            (
                "FLOAT",
                "'0.1', '0.25', 'inf', 'nan'",
                ("1e300", "3.4028235677973367e38", "nan", "inf", "0.1"),
                3,
            ),
            ("FLOAT", "3.4028235e38, 1e-45, 0, 'inf'", ("3.4028235e+38", "1e-45", "1e-60", "1e39"), 2),
            ("DOUBLE", "1.7976931348623157e308, 0, 'inf'", ("1.7976931348623157e308", "1e-400", "1e400"), 1),
            ("DOUBLE", "0.1, 0.25, 1e-7, 3", ("0.1", "3"), 2),
            ("DECIMAL(4,3)", "0.125, 0.25, 0.130", ("0.13", "0.1251", "1e-99999999", "1e30"), 1),
            (
                "DECIMAL(38,2)",
                "12345678901234567890.01, 12345678901234567890.02",
                ("12345678901234567890.010",),
                1,
            ),
            ("BIGINT", "9007199254740993, 9007199254740992", ("9007199254740993", "1" + 40 * "0"), 1),
            ("UTINYINT", "9, 255", ("-1", "255", "9.0", "9.5"), 2),
            ("FLOAT", "0.1, 0.25", ("none",), 0),
        ]
    ),
)
def test_tokens_are_compared_in_the_type_of_the_column(folder, kind, cells, tokens, missing):
    select = f"SELECT CAST(unnest([{cells}]) AS {kind}) AS a, 'x' AS b"
    path = table(folder / "numbers.parquet", select)
    found = assess(folder, path, {"a": (1, 1), "b": (1, 1)}, missing_tokens=tokens)
    assert found.data["missing_cells"] == missing
    assert found.data["singled_out"] == found.data["records"] - missing


IDENTITIES = Table(
    ("name", "address", "phone", "income"),
    (
        ("Ann", "1 Hill", "11", "a"),
        ("Ann", "1 Hill", "11", "a"),
        ("Bob", None, "12", "a"),
        ("Eve", "?", None, None),
        (None, "2 Hill", "13", "a"),
        (None, None, "13", "b"),
        (None, "3 Hill", "", "a"),
        ("", "4 Hill", "14", ""),
    ),
    (Level(1, 1, "name"), Level(1, 1, "address"), Level(1, 1, "phone_number"), INCOME),
)


@pytest.mark.parametrize("missing", ["none", "value"])
def test_names_addresses_and_phones(folder, missing):
    """6 with name and address, 3 with a name or address and phone, else what singles out (2 at most)."""
    made = replace(IDENTITIES, missing=missing)
    found = answer(folder, made)
    assert_answer(found, made)
    eases = [record.ease for record in found.records]
    assert eases[:5] == [6, 6, 3, 3, 3]
    assert eases[6:] == [2, 3]
    assert [record.attributes for record in found.records][:5] == [
        ("name", "address"),
        ("name", "address"),
        ("name",),
        ("name",),
        ("address", "phone"),
    ]
    assert found.records[0].value == found.records[0].jo_value == 45_000
    assert found.records[3].value == found.records[3].jo_value == 500 * 2 * 3
    assert found.data["jo"]["identifiability"] == 6


def test_a_set_has_a_line_for_each_ease(folder):
    """A missing name can single out as a value does; that is another ease than that of a name."""
    rows = (("Ann", "a"), ("Bob", "a"), (None, "a"))
    made = Table(("name", "income"), rows, (Level(1, 1, "name"), INCOME), "value")
    found = answer(folder, made)
    assert_answer(found, made)
    assert [(line["attributes"], line["ease"], line["records"]) for line in found.data["sets"]] == [
        (["name"], 3, 2),
        (["name"], 2, 1),
    ]
    assert sum(line["value"] for line in found.data["sets"]) == found.data["total_value"]


def test_users_as_persons(folder):
    """A user stands out by a value that nobody else has, however often they have it."""
    rows = (("x", "1"), ("x", "1"), ("y", "2"), ("z", "2"), ("x", "3"), ("z", "3"), ("w", "4"))
    users = ("u", "u", "u", "v", "v", "w", None)
    made = Table(("a", "b"), rows, (PLAIN, GRAVE))
    found = answer(folder, made, users)
    assert_answer(found, made, users)
    # u alone has y; v shares x and 2 with u, z and 3 with w, but alone has (x, 3) and (z, 2), and w (z, 3)
    pair = 2 * 0.9 / (math.log(100, 8) + 1)
    assert found.users["users"] == found.users["singled_out"] == 3
    assert found.users["total_ease"] == pytest.approx(2 + 2 * pair)
    assert found.users["total_value"] == pytest.approx(500 * 101 * (2 + 2 * pair))
    assert found.users["jo_total_value"] == 500 * 101 * 3


def test_sensitivity_of_a_user_is_that_of_all_their_records(folder):
    rows = (("x", None), ("x", "ill"), ("x", None), ("y", None), ("y", None))
    users = ("u", "u", "v", "v", "w")
    made = Table(("a", "b"), rows, (PLAIN, GRAVE), known=(0, 1))
    found = answer(folder, made, users)
    assert_answer(found, made, users)
    assert found.users["jo_total_value"] == 500 * (101 + 2 + 2)
    alone = 2 / (math.log(100, 8) + 1)
    assert [line["users"] for line in found.users["distribution"]] == [1, 2]
    assert found.users["total_value"] == pytest.approx(500 * 101 * alone)


def test_users_by_their_names(folder):
    made = replace(IDENTITIES, missing="none")
    users = ("u", "u", "v", "w", "x", "x", "y", "y")
    found = answer(folder, made, users)
    assert_answer(found, made, users)
    assert [line["ease"] for line in found.users["distribution"]] == [6, 3]


def test_the_user_counts_in_the_sensitivity_where_it_has_a_level(folder):
    rows = [("u", "x"), ("u", "y"), ("v", "y"), ("v", "y")]
    options = {"user": "who", "roles": {"item": "attribute"}}
    plain = assess(folder, frame_of(("who", "item"), rows), {"item": (1, 1)}, **options)
    given = assess(folder, frame_of(("who", "item"), rows), {"item": (1, 1), "who": (1, 3)}, **options)
    assert [record.ease for record in plain.records] == [record.ease for record in given.records]
    assert (plain.data["sensitivity"], given.data["sensitivity"]) == (2, 101)
    assert given.data["total_value"] == pytest.approx(plain.data["total_value"] * 101 / 2)
    assert plain.data["sets_possible"] == given.data["sets_possible"] == 1


@pytest.mark.parametrize("missing", ["none", "value"])
@pytest.mark.parametrize("cells", thinned([("ill", *[None] * 9), ("ill", *["?"] * 9), (None, *["ill"] * 9)]))
def test_a_column_that_few_have_a_value_in_is_not_constant(folder, missing, cells):
    """Without being told: who alone has an entry stands out by it, who alone has none may."""
    rows = tuple((str(number // 2), cell) for number, cell in enumerate(cells))
    made = Table(("group", "illness"), rows, (PLAIN, GRAVE), missing)
    assert_answer(answer(folder, made, roles={}), made)


def test_moments_are_dates_and_times(folder):
    moments = ["2024-01-01 10:00:00", "2024-01-01 11:00:00", "2024-01-02 10:00:00", "2024-01-02 10:00:00"]
    made = pandas.DataFrame({"seen": pandas.to_datetime(moments), "what": list("aabb")})
    found = assess(folder, made, {"seen": (1, 2), "what": (1, 1)}, roles={"what": "attribute"})
    assert found.data["sets_possible"] == 7
    assert [record.sets for record in found.records] == [
        (("seen.date", "seen.time"), ("seen.time", "what")) if place == 0 else (("seen.time",),)
        for place in (0, 1)
    ] + [(), ()]  # fmt: skip


def test_scenarios_tell_what_is_learnt_and_values_only_when_asked(folder):
    kept = PAPER.without(0)
    options = {"user": "", "only": ("identifiability",), "levels": levels_of(kept), "what_if": False}
    for shown in (False, True):
        report = duckrisk.assess(frame_of(kept.names, kept.rows), show_values=shown, **options)
        first = report.data["identifiability"]["scenarios"][0]
        assert (first["record"], first["attributes"]) == (1, ["age"])
        assert first["learns"] == ["occupation", "domicile", "customer"]
        assert first["cells"] == ({"age": "12"} if shown else None)


def test_which_columns_are_searched(folder):
    """Direct identifiers are, composites and the user are not; a composite is told of."""
    numbers = range(60)
    made = pandas.DataFrame(
        {
            "member_id": [f"m{number % 20}" for number in numbers],
            "email": [f"u{number}@example.org" for number in numbers],
            "city": [f"c{number % 7}" for number in numbers],
        }
    )
    levels = {"email": (1, 1), "city": (1, 2)}
    options = {"only": ("identifiability",), "levels": levels, "what_if": False}
    data = duckrisk.assess(made, **options).data["identifiability"]
    assert [entry["attribute"] for entry in data["attributes"]] == ["email", "city"]
    assert (data["sets_possible"], data["singled_out"], data["users"]["singled_out"]) == (3, 60, 20)
    report = duckrisk.assess(made, attributes=["city", "city+email"], **options)
    assert report.data["identifiability"]["sets_possible"] == 1
    assert "city+email" in report.to_json()
    assert report.data["identifiability"]["singled_out"] == 0


def test_constant_columns_count_in_the_sensitivity_only(folder):
    rows = [("a", "T"), ("b", "T"), ("b", "T")]
    found = assess(folder, frame_of(("x", "club"), rows), {"x": (1, 1), "club": (3, 3)}, roles={})
    assert found.data["sensitivity"] == 125
    assert found.data["sets_possible"] == 1
    assert [record.value for record in found.records] == [125_000, 0, 0]


# --- any table -----------------------------------------------------------------------------------

_TOKEN_SETS = st.sampled_from([TOKENS, TOKENS, (), ("a",), ("?", "b", "é"), ("NULL",)])
_LEVELS = st.builds(Level, st.integers(1, 3), st.integers(1, 3)) | st.just(PLAIN)
_IDENTIFYING = st.sampled_from([Level(1, 1, kind) for kind in ("name", "address", "phone_number")])
_CELLS = st.sampled_from([*TEXTS, *TOKENS, " ? ", "ア", "null"]) | st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), max_size=3
)


def plain_blanks(cell: Any) -> bool:
    """Whether a text is trimmed the same by blanks alone as by all that Unicode takes for a space."""
    return not isinstance(cell, str) or cell.strip() == cell.strip(" ")


@st.composite
def tables(draw: st.DrawFn, width: int = 8, most_rows: int = 30, identities: bool = False) -> Table:
    """Tables of all shapes: constant columns, copies, keys, missing cells and tokens, hostile names."""
    count = draw(st.integers(1, width))
    pools = []
    for _ in range(count):
        cells = draw(st.sampled_from([_CELLS.filter(plain_blanks), st.integers(-3, 3)]))
        pool: list[Any] = draw(st.lists(cells, min_size=1, max_size=draw(st.sampled_from([1, 2, 3, 8]))))
        pools.append(st.sampled_from([*pool, None] if draw(st.booleans()) else pool))
    rows = draw(st.lists(st.tuples(*pools), min_size=1, max_size=most_rows))
    if count > 1 and draw(st.booleans()):  # one column is a function of another
        source, target = draw(st.permutations(range(count)))[:2]
        rows = [(*row[:target], row[source], *row[target + 1 :]) for row in rows]
    hostile = st.permutations(NAMES).map(lambda names: tuple(names[:count]))
    names = draw(st.just(tuple("abcdefgh"[:count])) | hostile)
    one = st.one_of(_LEVELS, _IDENTIFYING) if identities else _LEVELS
    levels = tuple(draw(st.lists(one, min_size=count, max_size=count)))
    return Table(names, tuple(rows), levels, draw(st.sampled_from(["none", "value"])), draw(_TOKEN_SETS))


def users_of(draw: st.DrawFn, made: Table) -> list[Any]:
    users = draw(st.lists(st.sampled_from(["u", "v", "w", "x", "y", None]), min_size=len(made.rows),
                          max_size=len(made.rows)))  # fmt: skip
    assume(any(user is not None for user in users))
    return users


@LIGHT
@given(made=tables())
def test_oracle(folder, made):
    assert_answer(answer(folder, made), made)


@LIGHTER
@given(made=tables(width=5, identities=True))
def test_oracle_with_names_and_addresses(folder, made):
    kinds = [level.identity for level in made.levels if level.identity]
    assume(len(kinds) == len(set(kinds)))
    assert_answer(answer(folder, made), made)


@pytest.mark.slow
@LIGHTER
@given(made=tables(width=5, most_rows=16))
def test_oracle_with_what_if(folder, made):
    found = answer(folder, made, what_if=True)
    assert_answer(found, made)
    assert all(entry["total_value_without"] is not None for entry in found.data["attributes"])


@LIGHTER
@given(data=st.data(), made=tables(width=6, most_rows=24))
def test_oracle_of_users(folder, data, made):
    users = users_of(data.draw, made)
    assert_answer(answer(folder, made, users), made, users)


def test_values_that_only_records_without_a_user_have(folder):
    """Of the users' records b is 1 and d two values, of all records both are two: b does not stand for d."""
    rows = ((1, "x", "3"), (1, "x", "3"), (1, None, "3"), (2, "x", "3"), (1, "x", None))
    users = ["u", "u", "v", None, "u"]
    made = Table(("b", "d", "e"), rows, (PLAIN, PLAIN, PLAIN), "value")
    found = answer(folder, made, users)
    assert found.data["users"]["singled_out"] == 2  # v alone lacks d, u alone lacks e
    assert_answer(found, made, users)


@LIGHTER
@given(data=st.data(), made=tables(width=4, most_rows=12, identities=True))
def test_oracle_of_users_with_names_and_addresses(folder, data, made):
    kinds = [level.identity for level in made.levels if level.identity]
    assume(len(kinds) == len(set(kinds)))
    users = users_of(data.draw, made)
    assert_answer(answer(folder, made, users), made, users)


@LIGHTER
@given(data=st.data(), made=tables(width=6, most_rows=16))
def test_oracle_of_columns_that_nobody_can_know(folder, data, made):
    """Free text that is given a level counts in the sensitivity alone."""
    roles = data.draw(st.lists(st.sampled_from(["attribute", "free_text"]),
                               min_size=len(made.names), max_size=len(made.names)))  # fmt: skip
    known = tuple(place for place, role in enumerate(roles) if role == "attribute")
    assume(known)
    made = replace(made, known=known)
    found = answer(folder, made, roles=dict(zip(made.names, roles, strict=True)), what_if=False)
    for record, one in zip(found.records, find(made), strict=True):
        assert_record(record, one)
    assert_totals(found.data, find(made))


@LIGHTER
@given(drawn=drawn_tables(width=3), missing=st.sampled_from(["none", "value"]))
def test_oracle_of_all_types(folder, drawn: Drawn, missing):
    assume(drawn.rows)
    assume(all(plain_blanks(cell) for row in drawn.rows for cell in row))
    names = tuple(drawn.columns)
    made = Table(names, tuple(drawn.rows), (PLAIN, ILL, GRAVE, PLAIN)[: len(names)], missing)
    with duckdb.connect() as connection:
        make(connection, drawn.columns, drawn.rows)
        options = {"missing": missing, "table": "t", "what_if": None}
        found = assess(folder, connection, levels_of(made), **options)
    assert_answer(found, made)


@LIGHTER
@given(data=st.data(), made=tables(width=5, most_rows=16))
def test_attributes_that_are_named(folder, data, made):
    """Only the attributes named are known or learnt."""
    chosen = sorted(data.draw(st.sets(st.integers(0, len(made.names) - 1), min_size=1)))
    kept = made
    for place in reversed(range(len(made.names))):
        if place not in chosen:
            kept = kept.without(place)
    # what looks like a coarser attribute or several at once has to be a column as it stands
    assert len(set(kept.names)) == len(chosen)
    found = assess(
        folder, frame_of(made.names, made.rows), levels_of(kept), attributes=kept.names, roles={},
        missing=made.missing, missing_tokens=made.tokens,
    )  # fmt: skip
    assert [record.sets for record in found.records] == [one.sets for one in find(kept)]
    assert near(found.data["total_ease"], totals(find(kept)).total_ease)


def test_an_event_key_that_is_named(folder):
    """Who names a column asks about it, whatever its name suggests."""
    made = Table(("order", "city"), (("", "x"),), (PLAIN, PLAIN), "none")
    named = {"attributes": ("order",), "roles": {}, "missing": made.missing, "missing_tokens": made.tokens}
    found = assess(folder, frame_of(made.names, made.rows), levels_of(made.without(1)), **named)
    assert [record.sets for record in found.records] == [one.sets for one in find(made.without(1))]


@pytest.mark.slow
def test_all_hostile_names_at_once_by_twos(folder):
    """Every name is an attribute beside another, and stands in the answer as it is."""
    for start in range(0, len(NAMES), 8):
        names = tuple(NAMES[start : start + 8])
        rows = tuple(
            tuple(str((number >> place) & 1 if place % 2 else number) for place in range(len(names)))
            for number in range(5)
        )
        made = Table(names, rows, tuple([PLAIN, INCOME] * 4)[: len(names)])
        what_if = EXAMPLES >= 20 or start == 8  # which takes a search for each name
        assert_answer(answer(folder, made, what_if=what_if), made)


# --- what changes must leave alone ---------------------------------------------------------------

SOME = Table(
    ("age", "city", "job", "income"),
    tuple(
        (
            str(20 + number * 7 % 11),
            "?" if number % 13 == 0 else "c" + str(number * 5 % 4),
            ("cook", "clerk", None, "smith")[number * 3 % 4],
            "low" if number % 3 else "high",
        )
        for number in range(40)
    ),
    (PLAIN, PLAIN, PLAIN, INCOME),
)
#: A report has the totals by the other rule as well: below 20 examples one of the two is asked for.
MODES = pytest.mark.parametrize("missing", thinned(["none", "value"]))
OTHER_MODES = pytest.mark.parametrize("missing", thinned(["value", "none"]))


@cache
def some(folder: Path, missing: str) -> Answer:
    """What is true of that table, which changes to it are compared with."""
    return answer(folder, replace(SOME, missing=missing), what_if=True)


def outline(found: Answer) -> Counter[tuple[Any, ...]]:
    """The records without their numbers."""
    return Counter((r.ease, r.value, r.jo_value, r.attributes, r.also) for r in found.records)


def heights(found: Answer) -> Counter[tuple[Any, ...]]:
    return Counter((round(r.ease or 0, 9), round(r.value or 0, 6)) for r in found.records)


@MODES
def test_some_table(folder, missing):
    made = replace(SOME, missing=missing)
    found = some(folder, missing)
    assert_answer(found, made)
    users = [f"u{number % 9}" for number in range(40)]
    assert_answer(answer(folder, made, users), made, users)


@OTHER_MODES
def test_order_of_rows(folder, missing):
    made = replace(SOME, missing=missing)
    rows = list(made.rows)
    random.Random(1).shuffle(rows)
    found = answer(folder, replace(made, rows=tuple(rows)), what_if=False)
    assert outline(found) == outline(some(folder, missing))


@MODES
def test_order_and_names_of_columns(folder, missing):
    made = replace(SOME, missing=missing)
    before = some(folder, missing)
    for order in ((3, 2, 1, 0), (1, 3, 0, 2)):
        turned = replace(
            made,
            names=tuple(f"column {place}" for place in order),
            levels=tuple(made.levels[place] for place in order),
            rows=tuple(tuple(row[place] for place in order) for row in made.rows),
        )
        found = answer(folder, turned)
        assert heights(found) == heights(before)
        assert_answer(found, turned)


@OTHER_MODES
def test_values_by_other_names(folder, missing):
    made = replace(SOME, missing=missing)
    rows = tuple(tuple(cell if made.is_missing(cell) else f"«{cell}»" for cell in row) for row in made.rows)
    found = answer(folder, replace(made, rows=rows), what_if=False)
    assert outline(found) == outline(some(folder, missing))


def test_what_nobody_can_know_is_learnt_where_it_is_there(folder):
    """A record without a text is worth no more by it; an empty column is worth nothing to anybody."""
    rows = (("x", "?", None), ("y", "u", None), ("z", None, None))
    made = Table(("a", "text", "empty"), rows, (PLAIN, GRAVE, Level(3, 1)), known=(0,))
    found = answer(folder, made, roles={"a": "attribute", "text": "free_text"}, what_if=False)
    for record, one in zip(found.records, find(made), strict=True):
        assert_record(record, one)
    assert [record.value for record in found.records] == [2000, 101_000, 2000]


def test_a_name_in_free_text_is_a_name(folder):
    """What the JO model says of a record does not ask for which columns are searched."""
    rows = (("x", "Ann", "Hill 1"), ("x", None, "Hill 2"), ("x", "Bob", ""))
    levels = (PLAIN, Level(1, 1, "name"), Level(1, 1, "address"))
    made = Table(("a", "name", "address"), rows, levels, known=(0,))
    roles = {"a": "attribute", "name": "free_text", "address": "free_text"}
    found = answer(folder, made, roles=roles, what_if=False)
    for record, one in zip(found.records, find(made), strict=True):
        assert_record(record, one)
    assert [record.ease for record in found.records] == [6, 0, 3]


@MODES
def test_every_row_twice(folder, missing):
    made = replace(SOME, missing=missing, rows=SOME.rows * 2)
    found = answer(folder, made, what_if=True)
    assert_answer(found, made)
    assert found.data["singled_out"] == found.data["total_value"] == 0
    assert found.data["not_singled_out"] == 80
    assert [line["ease"] for line in found.data["distribution"]] == [0]
    assert found.data["scenarios"] == found.data["sets"] == []
    assert {entry["change_without"] for entry in found.data["attributes"]} == {None}
    once = some(folder, missing).data
    assert found.data["jo_total_value"] == 2 * once["jo_total_value"]


@OTHER_MODES
def test_every_row_twice_by_one_user_each(folder, missing):
    """Who has a record twice stands out as one who has it once."""
    made = replace(SOME, missing=missing, rows=SOME.rows * 2)
    users = [str(number) for number in range(40)] * 2
    found = answer(folder, made, users)
    assert_answer(found, made, users)
    once = totals(find(replace(SOME, missing=missing)))
    assert near(found.users["total_value"], once.total_value)


@MODES
def test_a_constant_attribute_more(folder, missing):
    made = replace(SOME, missing=missing)
    more = replace(
        made,
        names=(*made.names, "club"),
        rows=tuple((*row, "T") for row in made.rows),
        levels=(*made.levels, PLAIN),
    )
    found = answer(folder, more)
    assert_answer(found, more)
    assert outline(found) == outline(some(folder, missing))


@OTHER_MODES
def test_a_copy_of_an_attribute(folder, missing):
    """Every best set with the original is one with the copy, too; never both."""
    made = replace(SOME, missing=missing)
    more = replace(
        made,
        names=(*made.names, "years"),
        rows=tuple((*row, row[0]) for row in made.rows),
        levels=(*made.levels, made.levels[0]),
    )
    found, before = answer(folder, more), some(folder, missing)
    assert_answer(found, more)
    assert heights(found) == heights(before)
    for record, old in zip(found.records, before.records, strict=True):
        copies = {tuple(name for name in (*chosen, "years") if name != "age")
                  for chosen in old.sets if "age" in chosen}  # fmt: skip
        assert set(record.sets) == set(old.sets) | copies


@OTHER_MODES
def test_one_record(folder, missing):
    """Alone it stands out by everything that is there."""
    made = Table(("a", "b", "c"), (("x", None, "z"),), (ILL, PLAIN, ILL), missing)
    found = answer(folder, made)
    assert_answer(found, made)
    expected = (("b",),) if missing == "value" else (("a",), ("c",))
    assert found.records[0].sets == expected
    nothing = Table(("a", "b"), ((None, "?"),), (ILL, PLAIN), missing)
    assert_answer(answer(folder, nothing), nothing)


@OTHER_MODES
@pytest.mark.parametrize("row", [("x", "1"), ("x", None), (None, "?")])
def test_all_records_equal(folder, missing, row):
    made = Table(("a", "b"), (row,) * 7, (ILL, PLAIN), missing)
    found = answer(folder, made)
    assert_answer(found, made)
    assert found.data["singled_out"] == 0


@MODES
def test_all_unique_on_one_attribute(folder, missing):
    rows = tuple((str(number), str(number % 2), "x") for number in range(60))
    made = Table(("id", "half", "x"), rows, (PLAIN, PLAIN, GRAVE), missing)
    found = answer(folder, made, what_if=True)
    assert_answer(found, made)
    assert {record.sets for record in found.records} == {(("id",),)}
    assert found.data["total_ease"] == 120
    assert found.data["sets_examined"] <= 4


def test_the_key_is_the_gravest_attribute(folder):
    rows = tuple((str(number), str(number % 2), str(number // 20)) for number in range(60))
    made = Table(("id", "half", "third"), rows, (Level(3, 3), PLAIN, PLAIN))
    found = answer(folder, made)
    assert_answer(found, made)
    assert {record.sets for record in found.records} == {(("id",),)}


# --- coarser knowledge ---------------------------------------------------------------------------


def publish(name: str, cell: Any) -> Any:
    """A cell as a coarser attribute says it."""
    kind, _, argument = name.rpartition(".")[2].rstrip(")").partition("(")
    if kind == "band":
        return float(cell) // float(argument) * float(argument)
    if kind == "prefix":
        return str(cell)[: int(argument)]
    if kind in ("year", "month"):
        return str(cell)[: {"year": 4, "month": 7}[kind]]
    pytest.fail(f"no such coarser knowledge: {name}")


@OTHER_MODES
def test_what_a_coarser_attribute_leaves(folder, missing):
    rows = tuple(
        (
            None if number % 19 == 0 else 18 + number * 17 % 71,
            f"AB{number * 7 % 23:03}",
            number * 13 % 29 * 500,
            "fm"[number % 2],
        )
        for number in range(90)
    )
    made = Table(("age", "code", "income", "sex"), rows, (PLAIN, PLAIN, INCOME, PLAIN), missing)
    found = answer(folder, made, what_if=True)
    assert_answer(found, made)
    assert {"age"} <= {entry["attribute"] for entry in found.data["coarser"]}
    assert_coarser(found, made)


def assert_coarser(found: Answer, made: Table) -> None:
    """What is told of coarser forms is what a search of the table with them finds."""
    before = totals(find(made)).total_value
    for entry in found.data["coarser"]:
        place = made.names.index(entry["attribute"])
        assert entry["coarser"].startswith(entry["attribute"] + ".")
        after = totals(find(made.coarser(place, lambda cell, n=entry["coarser"]: publish(n, cell))))
        assert entry["singled_out"] == after.singled_out, entry
        assert near(entry["total_value"], after.total_value), entry
        assert near(entry["change"], after.total_value / before - 1), entry


@MODES
@settings(LIGHTER, max_examples=max(2, EXAMPLES // 2))
@given(data=st.data())
def test_coarser_forms_of_several_attributes_at_once(folder, data, missing):
    """Attributes that tell each other, missing cells, attributes outside of the sets, and words that break
    anywhere."""
    cells = st.tuples(
        st.none() | st.integers(0, 90),
        st.none() | st.sampled_from([f"{a}{b:02}" for a in ("AB", "Ab", "あ") for b in range(12)]),
        st.integers(0, 40),
        st.sampled_from("fm"),
    )
    drawn = data.draw(st.lists(cells, min_size=24, max_size=36))
    rows = tuple(
        (age, code, income * 500, sex, None if age is None else f"{age // 30} decades", "one")
        for age, code, income, sex in [(n, f"AB{n:02}", n, "f") for n in range(22)] + drawn
    )
    made = Table(
        ("age", "code", "income", "sex", "third", "country"),
        rows, (PLAIN, Level(2, 1), INCOME, PLAIN, PLAIN, ILL), missing,
    )  # fmt: skip
    with contextlib.ExitStack() as patched:
        take_ways(patched, {"WORD_BITS": data.draw(st.sampled_from([6, 7, 9, 60]))})
        take_ways(patched, data.draw(st.sampled_from([{}, {"LISTED_ATTRIBUTES": 0}, {"SEPARATE": 0}])))
        found = answer(folder, made, what_if=True)
    assert_answer(found, made)
    assert [entry["attribute"] for entry in found.data["coarser"]]
    assert_coarser(found, made)


#: The search takes other ways where tables are large, attributes many, or few records left.
WAYS = [
    {"BATCH_PAIRS": 1, "SEPARATE": 0},
    {"BATCH_PAIRS": 40, "SEPARATE": 20},
    {
        "BATCH_PAIRS": 1,
        "SEPARATE": 0,
        "WITNESS_SHARE_OF_LARGE": 2.0,
        "REQUIRED_SHARE": 0.0,
        "NEAR_SHARE": 2.0,
    },
    {"BATCH_PAIRS": 1, "SEPARATE": 0, "REQUIRED_SHARE": 2.0},
    {"BATCH_PAIRS": 1, "SEPARATE": 0, "SETS_AT_ONCE": 2, "WITNESS_SHARE_OF_LARGE": 2.0},
    {
        "BATCH_PAIRS": 1,
        "SEPARATE": 0,
        "WITNESS_SHARE_OF_LARGE": 0,
        "NEAR_SHARE": 2.0,
        "NEAR_CLASSES": 0,
    },
    {"LISTED_ATTRIBUTES": 0, "REQUIRED_SHARE": 2.0, "AGREEMENT_PAIRS": 0},
    {"LISTED_ATTRIBUTES": 0, "REQUIRED_SHARE": 0.0},
    {"REQUIRED_SHARE": 2.0, "REQUIRED_SETS": 1, "COMPARED_AGAIN": 2.0},
    {"REQUIRED_SHARE": 2.0, "AGREEMENT_COST": 0, "MOST_AGREEMENTS": 0.3, "DISCARDED_SHARE": 2.0},
    {"BATCH_PAIRS": 40, "SEPARATE": 20, "WITNESS_SHARE": 2.0, "AGREEMENT_PAIRS": 0},
    {"BATCH_PAIRS": 40, "SEPARATE": 20, "WITNESS_SHARE": 0.0, "REQUIRED_SHARE": 2.0, "AGREEMENT_PAIRS": 0},
    {"BATCH_PAIRS": 40, "SEPARATE": 20, "REQUIRED_SHARE": 2.0, "AGREEMENT_COST": 0},
    {
        "BATCH_PAIRS": 40,
        "SEPARATE": 20,
        "REQUIRED_SHARE": 2.0,
        "AGREEMENT_COST": 0,
        "ANCHOR": 1,
        "OPEN_PAIRS": 1,
    },
    {"LISTED_ATTRIBUTES": 0, "REQUIRED_SHARE": 2.0, "AGREEMENT_COST": 0, "ANCHOR": 0},
    {"BATCH_PAIRS": 1, "SEPARATE": 0, "AGREEMENT_PAIRS": 0},
    {"KEY_BITS": 0, "AGREEMENT_PAIRS": 0},
    {"KEY_BITS": 0, "WITNESS_SHARE": 2.0, "AGREEMENT_PAIRS": 0},
    {"MOST_PATTERNS": 0},
    {"REQUIRED_WORK": 0, "AGREEMENT_PAIRS": 0},
    {"REQUIRED_WORK": 0, "AGREEMENT_COST": 0},
    {"BATCH_PAIRS": 40, "REQUIRED_SHARE": 2.0, "WITNESS_SHARE": 2.0},
    {"ANSWERED_SHARE": 0.0, "BATCH_PAIRS": 40, "AGREEMENT_PAIRS": 0},
    {
        "ANSWERED_SHARE": 0.0,
        "PROBED_PAIRS": 30,
        "BATCH_PAIRS": 30,
        "REQUIRED_SHARE": 2.0,
        "AGREEMENT_COST": 0,
    },
    {"SAMPLED_FOR_DEPENDENCIES": 2},
    {"ORDERED_PAIRS": 0, "LOW_SHARE": 2.0, "BATCH_PAIRS": 1},
    {"ORDERED_PAIRS": 0, "LOW_SHARE": 0.6, "BATCH_PAIRS": 40, "PROJECTED_SHARE": 2.0, "KEY_BITS": 0},
    {"ORDERED_PAIRS": 0, "LOW_SHARE": 0.6, "BATCH_PAIRS": 1, "REQUIRED_SHARE": 2.0, "WITNESS_SHARE": 2.0},
    {"ORDERED_PAIRS": 0, "SAMPLED_FOR_ORDER": 3, "BATCH_PAIRS": 1, "SEPARATE": 0},
]


def take_ways(patched: contextlib.ExitStack, constants: dict[str, Any]) -> None:
    """Let the search take other ways, by its constants."""
    for name, value in constants.items():
        module = encoding if name == "WORD_BITS" else costs
        patched.enter_context(mock.patch.object(module, name, value))


@pytest.mark.slow
@pytest.mark.parametrize("way", thinned(WAYS, 3), ids=str)
@settings(LIGHTER, max_examples=max(1, EXAMPLES // 4))
@given(data=st.data(), made=tables(width=5, most_rows=14))
def test_every_way_of_the_search(folder, way, data, made):
    assume(len(made.names) > 1 and len(set(made.rows)) > 2)  # the first that is drawn is the smallest
    # Words may end after every attribute.
    way = (
        {"REQUIRED_SETS": 0, "MOST_AGREEMENTS": 1_000_000}
        | way
        | {"WORD_BITS": data.draw(st.sampled_from([4, 5, 6, 9, 60]))}
    )
    users = data.draw(
        st.none() | st.lists(st.sampled_from("uvw"), min_size=len(made.rows), max_size=len(made.rows))
    )
    with contextlib.ExitStack() as patched:
        take_ways(patched, way)
        assert_answer(answer(folder, made, users, what_if=users is None), made, users)


def test_columns_that_fill_two_words(folder):
    pick = random.Random(3)
    rows = [tuple(pick.choice([None, *range(values)]) for values in (260, 340) * 4) for _ in range(200)]
    users = [f"u{number // 2}" for number in range(len(rows))]
    made = Table(tuple("abcdefgh"), tuple(rows), (PLAIN, PLAIN, ILL, Level(2, 1)) * 2, "none")
    counts = [len({row[place] for row in rows} - {None}) for place in range(8)]
    assert encoding.Layout.for_counts(counts).count == 2
    assert_answer(answer(folder, made, users, what_if=False), made, users)


#: What is done with large tables, made to happen on a small one, and templates that show that it did.
LARGE = [
    ({"WITNESS_SHARE_OF_LARGE": 2.0, "NEAR_SHARE": 2.0}, ["near", "drop_table"]),
    ({"WITNESS_SHARE_OF_LARGE": 2.0, "NEAR_SHARE": 2.0, "REQUIRED_SHARE": 2.0}, ["near", "require"]),
    ({"WITNESS_SHARE_OF_LARGE": 0.0, "NEAR_SHARE": 0.9, "NEAR_CLASSES": 0.001}, ["near"]),
    ({"WITNESS_SHARE_OF_LARGE": 0.0, "NEAR_SHARE": 0.0}, ["examine_set", "settle"]),
]


@pytest.mark.parametrize(
    ("way", "done", "missing"),
    thinned(
        [
            (*way, missing)
            for way, missing in zip(LARGE, itertools.cycle(["value", "value", "none"]), strict=False)
        ],
        3,
    ),
    ids=str,
)
def test_ways_of_large_tables(folder, way, done, missing):
    """By one rule for missing cells; the report has the totals by the other too, by the same ways."""
    pick = random.Random(7)
    rows = [tuple(pick.choice([None, *range(values)]) for values in (16, 10, 8, 5, 3)) for _ in range(100)]
    rows += pick.sample(rows, 14)
    levels = (PLAIN, ILL, Level(2, 1), PLAIN, ILL)
    made = Table(tuple("abcde"), tuple(rows), levels, missing)
    large = {"BATCH_PAIRS": 1, "SEPARATE": 0, "REQUIRED_SETS": 0, "MOST_AGREEMENTS": 1_000_000} | way
    ran = set()
    run = Session.run

    def watched(session: Session, name: str, /, **arguments: Any) -> Any:
        ran.add(name)
        return run(session, name, **arguments)

    with contextlib.ExitStack() as patched:
        patched.enter_context(mock.patch.object(Session, "run", watched))
        take_ways(patched, large)
        # What would help takes a search more, and most with cells that are missing.
        helps = missing == "value" and (EXAMPLES >= 20 or way == LARGE[0][0])
        assert_answer(answer(folder, made, what_if=helps), made)
    assert ran.issuperset(done)


# --- limits --------------------------------------------------------------------------------------


def assert_limited(found: Answer, made: Table, users: Sequence[Any] | None = None) -> None:
    """What is said is exact, and what is not said is at most the bound."""
    data, expected = found.data, find(made)
    assert_sets_counted(data)
    if data["complete"] and data["ties_complete"]:
        assert_answer(found, made, users, limited=True)
        return
    bound = data["unknown_ease_at_most"]
    if data["complete"]:
        assert (data["limit"], bound) == (None, None)
    else:
        assert data["limit"] in ("max_sets", "max_size", "time_limit", "built_in")
        assert data["other_missing_mode"] is None
    assert all(entry["total_value_without"] is None for entry in data["attributes"])
    unknown = 0
    for record, one in zip(found.records, expected, strict=True):
        if record.singled_out is None:
            unknown += 1
            assert record.ease is record.value is None
            assert record.sets == ()
            assert one.ease <= bound * (1 + 1e-9)
            assert near(record.jo_value, one.jo_value)
        elif record.singled_out and not data["ties_complete"]:  # exact ease, some of the easiest sets
            assert record.sets
            assert near(record.ease, one.ease)
            assert near(record.value, one.value)
            assert set(record.sets) <= set(one.sets)
        else:
            assert_record(record, one)
    known = [record for record in found.records if record.singled_out is not None]
    assert data["unknown"] == unknown
    assert (bound is None) == (unknown == 0)
    assert data["singled_out"] == sum(record.singled_out for record in known)
    assert data["not_singled_out"] == len(known) - data["singled_out"]
    assert near(data["total_ease"], math.fsum(record.ease for record in known))
    assert near(data["total_value"], math.fsum(record.value for record in known))
    assert sum(line["records"] for line in data["distribution"]) == len(known)


@pytest.mark.slow
@LIGHTER
@given(made=tables(width=6, most_rows=20), most=st.integers(1, 12))
def test_most_sets(folder, made, most):
    found = answer(folder, made, max_sets=most)
    assert found.data["sets_examined"] <= most
    assert_limited(found, made)


@pytest.mark.slow
@LIGHTER
@given(made=tables(width=6, most_rows=20), most=st.integers(1, 4))
def test_most_attributes_in_a_set(folder, made, most):
    found = answer(folder, made, max_size=most)
    assert all(len(chosen) <= most for record in found.records for chosen in record.sets)
    assert_limited(found, made)


@pytest.mark.slow
@LIGHTER
@given(made=tables(width=5, most_rows=16, identities=True), sets=st.integers(1, 6), size=st.integers(1, 3))
def test_both_limits(folder, made, sets, size):
    kinds = [level.identity for level in made.levels if level.identity]
    assume(len(kinds) == len(set(kinds)))
    assert_limited(answer(folder, made, max_sets=sets, max_size=size), made)


def test_a_limit_among_equally_easy_sets_is_told(folder):
    """Each of the three columns singles the first record out; a limit can leave some of them unseen."""
    rows = (("x", "1", "n"), ("y", "2", "m"), ("y", "2", "m"), ("z", "2", "m"), ("z", "2", "m"))
    made = Table(("a", "b", "c"), rows, (PLAIN, PLAIN, PLAIN))
    told = {}
    for most in range(1, 8) if EXAMPLES >= 20 else (1, 2, 7):
        found = answer(folder, made, max_sets=most)
        assert_limited(found, made)
        told[most] = found.data["ties_complete"], len(found.records[0].sets)
    assert (told[1], told[2], told[7]) == ((False, 1), (False, 2), (True, 3))
    assert all(complete is (sets == 3) for complete, sets in told.values())
    # A limit on attributes ends the search between tiers.
    found = answer(folder, SOME, max_size=1)
    assert (found.data["complete"], found.data["ties_complete"]) == (False, True)
    assert_limited(found, SOME)
    found = answer(folder, made, max_size=1, max_sets=2)
    assert found.data["ties_complete"] is False


@pytest.mark.slow
def test_a_limit_that_nobody_set_has_a_name_of_its_own(folder):
    users = [f"u{number % 9}" for number in range(40)]

    def limits(**options: Any) -> tuple[str | None, str | None]:
        found = answer(folder, SOME, users, what_if=False, **options)
        return found.data["limit"], found.users["limit"]

    with (
        mock.patch("duckrisk.measures.identifiability.section.SearchRun.max_pairs", 1),
        mock.patch("duckrisk.measures.identifiability.section._MIN_SETS", 3),
    ):
        assert limits() == ("built_in", "built_in")
        assert limits(max_sets=2) == ("max_sets", "max_sets")
        assert limits(thorough=True) == (None, None)
    # However the work of a set was reckoned when it ended.
    with mock.patch.object(easiest.EasiestSets, "_count_affordable", return_value=2):
        assert limits() == ("built_in", "built_in")
        assert limits(max_sets=2) == ("max_sets", "max_sets")
    with mock.patch.object(costs, "MOST_SETS_OF_A_TIER", 2):
        for most in (None, 9):
            assert limits(max_sets=most) == ("too_many_sets", "too_many_sets")


def test_a_bound_of_work_ends_the_search_and_what_is_said_is_exact(folder):
    """Whatever the bound: on missing cells, whose patterns are closed by large sets of their own."""
    rows = tuple(
        tuple(None if (i * place) % 5 == 1 else f"v{(i * (place + 2)) % (place + 3)}" for place in range(5))
        for i in range(30)
    )
    made = Table(tuple("abcde"), rows, (PLAIN, PLAIN, GRAVE, PLAIN, PLAIN))
    users = [f"u{number % 11}" for number in range(30)]
    examined = []
    with mock.patch("duckrisk.measures.identifiability.section._MIN_SETS", 0):
        for pairs in thinned((1, 40, 150, 400, 700, 900, 10**6), 3):
            with mock.patch("duckrisk.measures.identifiability.section.SearchRun.max_pairs", pairs):
                found = answer(folder, made, users, what_if=False)
            assert_limited(found, made, users)
            assert found.data["complete"] is (found.data["limit"] is None)
            assert found.data["sets_examined"] <= pairs // len(set(rows))
            examined.append(found.data["sets_examined"])
    assert (examined[0], found.data["complete"], found.data["ties_complete"]) == (0, True, True)


#: Ways of a search that cannot afford all sets of a tier: it goes to the end, or ends where few are settled.
FIRST = [
    {"FEW_SETTLED": 0.0},
    {"FEW_SETTLED": 0.0, "ANSWERED_SHARE": 2.0, "REQUIRED_SHARE": 2.0},
    {"FEW_SETTLED": 0.0, "ANSWERED_SHARE": 2.0, "REQUIRED_SHARE": 2.0, "AGREEMENT_COST": 0},
    {"FEW_SETTLED": 0.0, "SEPARATE": 0, "SETS_AT_ONCE": 2, "REQUIRED_SHARE": 2.0, "ANSWERED_SHARE": 2.0},
    {"FEW_SETTLED": 0.0, "LOW_SHARE": 0.6, "BATCH_PAIRS": 1, "WITNESS_SHARE": 2.0},
    {"FEW_SETTLED": 0.5, "TRIED_PAIRS": 1},
]


@pytest.mark.slow
@pytest.mark.parametrize("way", thinned(FIRST, 2), ids=str)
@settings(LIGHTER, max_examples=max(1, EXAMPLES // 4))
@given(data=st.data(), made=tables(width=5, most_rows=14))
def test_persons_settled_by_the_first_sets_that_single_them_out(folder, way, data, made):
    """Every ease is exact; of equally easy sets some may be unseen."""
    assume(len(made.names) > 1 and len(set(made.rows)) > 2)
    users = data.draw(
        st.none() | st.lists(st.sampled_from("uvw"), min_size=len(made.rows), max_size=len(made.rows))
    )
    with contextlib.ExitStack() as patched:
        take_ways(patched, {"REQUIRED_SETS": 0, "ORDERED_PAIRS": 0, "BATCH_PAIRS": 40} | way)
        patched.enter_context(mock.patch.object(easiest.EasiestSets, "_affords", return_value=False))
        found = answer(folder, made, users)
    assert_limited(found, made, users)
    if way["FEW_SETTLED"] == 0:
        assert (found.data["complete"], found.data["unknown"]) == (True, 0)
        if found.data["users"] is not None:
            assert_totals(found.data["users"], find(made, users), "users")
    elif found.data["users"] is not None:
        assert_limited_users(found.users, find(made, users))


def test_what_takes_a_search_more_is_asked_for(folder):
    rows = tuple((f"x{i % 4}", f"y{i % 3}", None if i % 6 == 0 else f"z{i % 5}") for i in range(40))
    made = Table(("a", "b", "c"), rows, (PLAIN, PLAIN, PLAIN))
    with mock.patch("duckrisk.measures.identifiability.section._CHEAP_PAIRS", 0):
        found = answer(folder, made)
        assert all(entry["total_value_without"] is None for entry in found.data["attributes"])
        asked = answer(folder, made, what_if=True)
        assert any(entry["total_value_without"] is not None for entry in asked.data["attributes"])
    assert_answer(answer(folder, made), made)  # with the other rule for missing cells
    with (
        mock.patch("duckrisk.measures.identifiability.section.SearchRun.max_pairs", 8 * 40),
        mock.patch("duckrisk.measures.identifiability.section._MIN_SETS", 0),
    ):
        found = answer(folder, made, what_if=False)
        assert (found.data["complete"], found.data["other_missing_mode"]) == (True, None)
        assert answer(folder, made, what_if=False, thorough=True).data["other_missing_mode"] is not None


def test_no_limit_is_reached_where_nothing_is_left_out(folder):
    found = answer(folder, SOME, max_sets=15, max_size=4, time_limit=600)
    assert (found.data["complete"], found.data["limit"]) == (True, None)
    assert_answer(found, SOME)


def test_a_small_set_may_not_settle_whom_a_larger_and_lighter_one_would(folder):
    """Sets of one attribute only: the grave id singles out everybody, at less than three plain ones do."""
    bits = list(itertools.product("01", repeat=3))
    rows = tuple((*three, str(number)) for number, three in enumerate(bits))
    made = Table(("a", "b", "c", "id"), rows, (PLAIN, PLAIN, PLAIN, GRAVE))
    found = answer(folder, made, max_size=1)
    assert_limited(found, made)
    assert found.data["unknown"] == 8
    assert found.data["unknown_ease_at_most"] >= 1.62 - 1e-9


WIDE = (
    "SELECT "
    + ", ".join(f"'v' || hash(i * 31 + {place}) % {place % 5 + 2} AS c{place}" for place in range(14))
    + " FROM range(3000) t(i)"
)


@pytest.mark.parametrize("seconds", [0.0001, 0.5])
def test_time_is_up(folder, seconds):
    """Whatever was found in the time is so, and the rest is at most what is said."""
    path = table(folder / "wide.parquet", WIDE)
    levels = {f"c{place}": (1, place % 3 + 1) for place in range(14)}
    found = assess(folder, path, levels, time_limit=seconds)
    data = found.data
    assert_sets_counted(data)
    assert data["singled_out"] + data["not_singled_out"] + data["unknown"] == 3000
    if seconds == 0.0001:
        assert (data["complete"], data["limit"]) == (False, "time_limit")
        assert data["unknown"] > 0
    if not data["complete"]:
        bound = data["unknown_ease_at_most"]
        assert 0 < bound <= 2
        assert all(line["ease"] >= bound or line["ease"] == 0 for line in data["distribution"])


def assert_limited_users(found: dict[str, Any], expected: Sequence[Found]) -> None:
    """Every ease above the bound, and how many users it is true of."""
    assert found["users"] == len(expected)
    assert found["singled_out"] + found["not_singled_out"] + found["unknown"] == len(expected)
    bound = found["unknown_ease_at_most"]
    assert (bound is None) == (found["unknown"] == 0)
    told = {line["ease"]: line["users"] for line in found["distribution"]}
    true = {height: count for height, count, _ in totals(expected).distribution}
    assert sum(told.values()) == len(expected) - found["unknown"]
    for height, count in told.items():
        (most,) = [users for exact, users in true.items() if near(height, exact)]
        assert count <= most
        if bound is None or height > bound * (1 + 1e-9):
            assert count == most
    if bound is not None:
        assert sum(height > bound * (1 + 1e-9) for height in told) == sum(
            height > bound * (1 + 1e-9) for height in true
        )


@pytest.mark.parametrize(
    ("missing", "most", "size"), [("none", (1, 3, 8), (1, 3)), ("value", (2, 5), (2,))], ids=str
)
def test_users_under_a_limit(folder, missing, most, size):
    users = [f"u{number % 9}" for number in range(40)]
    made = replace(SOME, missing=missing)
    expected = find(made, users)
    for limit in thinned([{"max_sets": one} for one in most] + [{"max_size": one} for one in size]):
        found = answer(folder, made, users, what_if=False, **limit)
        assert_limited_users(found.users, expected)


# --- the same input gives the same answer --------------------------------------------------------


@pytest.mark.slow
def test_threads_and_order_change_nothing(folder):
    frame = frame_of(SOME.names, SOME.rows)
    options: dict[str, Any] = {
        "user": "", "only": ("identifiability",), "levels": levels_of(SOME), "what_if": True,
        "roles": dict.fromkeys(SOME.names, "attribute"),
    }  # fmt: skip
    expected = duckrisk.assess(frame, threads=1, **options).to_json()
    assert duckrisk.assess(frame, threads=2, **options).to_json() == expected
    assert duckrisk.assess(frame, threads=2, **options).to_json() == expected
    one = anonymous(expected)
    for seed in thinned((1, 2, 3), 3):
        mixed = frame.sample(frac=1, random_state=seed)
        assert anonymous(duckrisk.assess(mixed, threads=2, **options).to_json()) == one


def anonymous(text: str) -> dict[str, Any]:
    """A report without the numbers of records, and without their order where values are equal."""
    found = json.loads(text)
    for scenario in found["identifiability"]["scenarios"]:
        del scenario["record"]
    found["identifiability"]["scenarios"].sort(key=json.dumps)
    return found


def test_threads_of_a_larger_table(folder):
    path = table(folder / "wide.parquet", WIDE)
    levels = {f"c{place}": (1, place % 3 + 1) for place in range(8)}
    options: dict[str, Any] = {"attributes": tuple(levels), "user": "", "levels": levels}
    texts = {
        duckrisk.assess(path, only=("identifiability",), threads=threads, **options).to_json()
        for threads in thinned((1, 2, 8))
    }
    assert len(texts) == 1


# --- published numbers ---------------------------------------------------------------------------

#: Table 4 of the paper.
ADULT = {
    "age": (1, 1), "workclass": (1, 1), "education": (1, 2), "marital-status": (1, 1), "occupation": (1, 1),
    "race": (1, 2), "sex": (1, 1), "native-country": (1, 2), "income": (2, 2),
}  # fmt: skip
#: Table 5: some of the records at the highest risk, counted from 1.
TABLE_5 = {
    24028: ("age",),
    15534: ("age", "workclass"),
    2697: ("age", "marital-status"),
    1301: ("age", "occupation"),
    44169: ("workclass", "marital-status"),
    20074: ("workclass", "occupation"),
    23502: ("marital-status", "occupation"),
}


class Adult:
    """Every set of attributes of Adult, tried for every record."""

    def __init__(self, coarse: bool = False) -> None:
        columns = ", ".join(f'"{name}"' for name in ADULT)
        with duckdb.connect() as connection:
            frame = connection.execute(f"SELECT {columns} FROM '{shared('adult.parquet')}'").df()
        if coarse:
            frame["age"] = frame["age"] // 10
        self.names = tuple(ADULT)
        self.levels = [Level(*ADULT[name]) for name in self.names]
        self.missing = numpy.column_stack([(frame[name] == "?").to_numpy() for name in self.names])
        codes = [pandas.factorize(frame[name], use_na_sentinel=False)[0] for name in self.names]
        self.sets = all_sets(range(len(self.names)))
        self.unique = {}
        classes = {(): numpy.zeros(len(frame), dtype=numpy.int64)}  # of each set, numbered from 0
        for chosen in sorted(self.sets, key=len):
            last = codes[chosen[-1]]
            packed = classes[chosen[:-1]] * (int(last.max()) + 1) + last
            classes[chosen] = pandas.factorize(packed)[0]
            self.unique[chosen] = numpy.bincount(classes[chosen])[classes[chosen]] == 1

    def worth(self, without: int | None = None) -> numpy.ndarray:
        """The sensitivity of every record."""
        economic, psychological = (numpy.zeros(len(self.missing), dtype=int) for _ in range(2))
        for place, level in enumerate(self.levels):
            if place != without:
                there = ~self.missing[:, place]
                economic = numpy.maximum(economic, there * level.economic)
                psychological = numpy.maximum(psychological, there * level.psychological)
        assert economic.min() > 0
        return 5 ** (economic - 1) + 10 ** (psychological - 1)

    @cache  # noqa: B019 - there are two of them, for as long as the tests run
    def best(
        self, mode: str, without: int | None = None
    ) -> tuple[numpy.ndarray, list[list[tuple[int, ...]]]]:
        """The ease of every record, and its best sets unless they are those without an attribute."""
        eases = numpy.zeros(len(self.missing))
        sets: list[list[tuple[int, ...]]] = [[] for _ in range(len(eases) if without is None else 0)]
        tiers: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        for chosen in self.sets:
            if without not in chosen:
                tier = len(chosen), sensitivity([self.levels[place] for place in chosen])
                tiers.setdefault(tier, []).append(chosen)

        def height(chosen: tuple[int, ...]) -> float:
            return ease([self.levels[place] for place in chosen])

        for tier in sorted(tiers.values(), key=lambda found: -height(found[0])):
            open_still = eases == 0
            for chosen in tier:
                alone = self.unique[chosen] & open_still
                if mode == "none":
                    alone &= ~self.missing[:, list(chosen)].any(axis=1)
                eases[alone] = height(chosen)
                for record in numpy.flatnonzero(alone) if sets else ():
                    sets[record].append(chosen)
        return eases, sets


@pytest.fixture(scope="module")
def adult() -> Adult:
    return Adult()


@pytest.fixture(scope="module")
def adult_in_decades() -> Adult:
    return Adult(coarse=True)


def assess_adult(folder: Path, mode: str, first: str = "age", **options: Any) -> Answer:
    names = (first, *tuple(ADULT)[1:])
    return assess(folder, shared("adult.parquet"), ADULT, attributes=names, roles={}, missing=mode, **options)


def counts(found: Answer) -> dict[float, int]:
    return {round(line["ease"], 4): line["records"] for line in found.data["distribution"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "top", "total", "value", "left"),
    thinned(
        [
            ("value", [1, 133, 1728, 2247, 635], 19_597.753414, 146_983_150.608, 25_918),
            ("none", [1, 132, 1648, 2154, 635], 18_695.108507, 140_213_313.803, 26_985),
        ]
    ),
)
def test_adult(folder, adult, adult_in_decades, mode, top, total, value, left):
    helps = mode == "value" and EXAMPLES >= 20  # a search for each attribute
    found = assess_adult(folder, mode, what_if=helps)
    data = found.data
    assert data["total_ease"] == pytest.approx(total, abs=1e-6)
    assert data["total_value"] == pytest.approx(value, abs=1e-3)
    assert data["jo_total_value"] == 366_315_000
    assert (data["records"], data["not_singled_out"], data["singled_out"]) == (48_842, left, 48_842 - left)
    assert [counts(found)[height] for height in (2.0, 1.8, 1.62, 1.458, 1.3122)] == top
    assert (data["missing_cells"], data["sets_possible"], data["sensitivity"]) == (6465, 511, 15)
    assert_sets_counted(data)
    for record, chosen in TABLE_5.items():
        assert found.records[record - 1].attributes == chosen
        assert found.records[record - 1].ease == pytest.approx(1.8 if len(chosen) > 1 else 2.0)
    other = data["other_missing_mode"]
    expected = (21_857, 18_695.108507) if mode == "value" else (22_924, 19_597.753414)
    assert other["singled_out"] == expected[0]
    assert other["total_ease"] == pytest.approx(expected[1], abs=1e-6)
    assert_every_record_of_adult(found, adult, mode)
    if helps:
        assert_what_helps_adult(found, adult, adult_in_decades, mode)


@pytest.mark.slow
def test_adult_in_decades(folder):
    found = assess_adult(folder, "value", "age.band(10)")
    assert found.data["total_ease"] == pytest.approx(8_141.849, abs=1e-3)
    assert found.data["total_value"] == pytest.approx(61_063_867, abs=1)
    assert found.data["not_singled_out"] == 37_619
    assert counts(found)[1.8] == 25


def assert_every_record_of_adult(found: Answer, adult: Adult, mode: str) -> None:
    eases, sets = adult.best(mode)
    values = 500 * adult.worth() * eases
    told = numpy.array([(record.ease, record.value) for record in found.records], dtype=float)
    assert numpy.allclose(told, numpy.column_stack([eases, values]), rtol=1e-9, atol=1e-9)
    for record, best in zip(found.records, sets, strict=True):
        named = [tuple(adult.names[place] for place in chosen) for chosen in best]
        assert record.attributes == (named[0] if named else ())
        assert sorted(record.sets) == sorted(named)
    entries = {entry["attribute"]: entry for entry in found.data["attributes"]}
    parts = Counter(place for best in sets for place in set().union(*best))
    for place, name in enumerate(adult.names):
        assert entries[name]["records_singled_out_with"] == parts[place]


def assert_what_helps_adult(found: Answer, adult: Adult, in_decades: Adult, mode: str) -> None:
    entries = {entry["attribute"]: entry for entry in found.data["attributes"]}
    for place, name in enumerate(adult.names):
        fewer, _ = adult.best(mode, without=place)
        total = float((500 * adult.worth(place) * fewer).sum())
        assert near(entries[name]["total_value_without"], total)
    decades = [entry for entry in found.data["coarser"] if entry["coarser"] == "age.band(10)"]
    for entry in decades:
        eases, _ = in_decades.best(mode)
        assert entry["singled_out"] == numpy.count_nonzero(eases)
        assert near(entry["total_value"], float((500 * adult.worth() * eases).sum()))
    assert decades


@pytest.mark.slow
@pytest.mark.parametrize("limit", thinned([{"max_sets": 20}, {"max_size": 3}]), ids=str)
def test_adult_under_a_limit(folder, adult, limit):
    found = assess_adult(folder, "value", **limit)
    eases, _ = adult.best("value")
    if found.data["complete"]:
        return
    bound = found.data["unknown_ease_at_most"]
    unknown = numpy.array([record.singled_out is None for record in found.records])
    assert (eases[unknown] <= bound * (1 + 1e-9)).all()
    told = numpy.array([record.ease for record in found.records], dtype=float)
    assert numpy.allclose(told[~unknown], eases[~unknown], rtol=1e-9, atol=1e-9)


# --- bad input -----------------------------------------------------------------------------------

ROWS = "SELECT 20 + i % 7 AS age, 'c' || i % 5 AS city, i % 3 AS income FROM range(60) t(i)"
FINE = ["--only", "identifiability", "--level", "city=address", "--level", "income=2,2"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a small table, and one for temporary files that has to be empty afterwards."""
    work, temp = tmp_path / "work", tmp_path / "temp"
    work.mkdir()
    temp.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("DUCKRISK_TEMP", str(temp))
    table(work / "people.parquet", ROWS)
    yield work
    assert list(temp.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--level", "income=0,2"], ["income", "1", "3"]),
        (["--level", "income=2,4"], ["income", "1", "3"]),
        (["--level", "income=-1,2"], ["income"]),
        (["--level", "income=2.5,1"], ["income"]),
        (["--level", "income=2"], ["income"]),
        (["--level", "income=1,2,3"], ["income"]),
        (["--level", "income="], ["income"]),
        (["--level", "=2,2"], ["level"]),
        (["--level", "age=date_of_brith"], ["date_of_brith", '"date_of_birth"']),
        (["--level", "agee=date_of_birth"], ["agee", '"age"']),
        (["--level", "age"], ["age"]),
        (["--profile", "jo2004"], ["jo2004", "jo2003"]),
        (["--missing", "values"], ["values", "value"]),
        (["--attribute", "age", "--attribute", "age"], ["age", "twice"]),
        (["--attribute", "age", "--attribute", "AGE"], ["twice"]),
        (["--max-sets", "-1"], ["sets"]),
        (["--max-size", "-1"], ["size"]),
        (["--max-size", "0"], ["size"]),
        (["--time-limit", "-0.5"], ["time"]),
        (["--time-limit", "0"], ["time"]),
        (["--time-limit", "nan"], ["time"]),
        (["--only", "identifyability"], ["identifyability", "identifiability"]),
        (["--records-out", "people.parquet"], ["source"]),
    ],
    ids=str,
)
def test_wrong_options(here, options, words):
    base = [] if "--only" in options else ["--only", "identifiability"]
    refused(2, *words, arguments=["assess", "people.parquet", *base, *options])


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"levels": {"income": (0, 1)}}, "income"),
        ({"levels": {"income": (1, 4)}}, "income"),
        ({"levels": {"income": (1.5, 2)}}, "income"),
        ({"levels": {"income": (1,)}}, "income"),
        ({"levels": {"income": (True, True)}}, "income"),
        ({"levels": {"income": None}}, "income"),
        ({"levels": {"income": "incme"}}, "incme"),
        ({"levels": {"incme": (2, 2)}}, "incme"),
        ({"levels": "income"}, "levels"),
        ({"levels": [("income", (2, 2))]}, "levels"),
        ({"records": 5}, "records"),
        ({"attributes": ["age+city"]}, "age+city"),
        ({"profile": "jo"}, "jo"),
        ({"missing": "nothing"}, "nothing"),
        ({"missing_tokens": "?"}, "missing_tokens"),
        ({"attributes": ["age", "age"]}, "twice"),
        ({"max_sets": -1}, "max_sets"),
        ({"max_sets": 1.5}, "max_sets"),
        ({"max_sets": "many"}, "max_sets"),
        ({"max_size": -3}, "max_size"),
        ({"time_limit": -1}, "time_limit"),
        ({"time_limit": math.nan}, "time_limit"),
        ({"time_limit": "1 s"}, "time_limit"),
        ({"base": -1}, "base"),
        ({"base": math.nan}, "base"),
        ({"social_responsibility": -2}, "social_responsibility"),
        ({"post_response": 0}, "post_response"),
        ({"only": ("identifyability",)}, "identifyability"),
        ({"only": ()}, "attribute_risk"),
        ({"only": "identifiability"}, "only"),
    ],
    ids=str,
)
def test_wrong_arguments(here, options, word):
    given = {"only": ("identifiability",)} | options
    with pytest.raises(duckrisk.UsageError) as refusal:
        duckrisk.assess("people.parquet", **given)
    text = str(refusal.value)
    assert word in text
    assert "\n" not in text
    assert text.endswith((".", "?"))


@pytest.mark.parametrize("place", ["missing/records.parquet", "people.parquet/records.parquet", "folder"])
def test_records_go_nowhere(here, place):
    (here / "folder").mkdir()
    code = refused_code(["assess", "people.parquet", *FINE, "--records-out", place])
    assert code in (2, 3)


def refused_code(arguments: list[str]) -> int:
    from tests.command import command

    result = command(*arguments)
    assert result.code != 0
    assert len(result.err.splitlines()) == 1, result.err
    assert "Traceback" not in result.err
    assert "please report" not in result.err
    return result.code


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_records_in_a_folder_that_is_read_only(here):
    Path("fixed").mkdir(mode=0o500)
    refused(3, "fixed", arguments=["assess", "people.parquet", *FINE, "--records-out", "fixed/r.parquet"])


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no folder that nobody may write to")
def test_records_in_a_folder_that_nobody_may_write_to(here):
    options = ["assess", "people.parquet", *FINE, "--level", "age=date_of_birth"]
    refused(3, "/proc", arguments=[*options, "--records-out", "/proc/r.parquet"])
    with pytest.raises(duckrisk.OutputError):
        duckrisk.assess("people.parquet", only=("identifiability",), records="/proc/r.parquet",
                        levels={"age": (1, 1), "city": (1, 1), "income": (2, 2)})  # fmt: skip


@pytest.mark.slow
def test_more_attributes_than_can_be_searched(here):
    """Of too many those with most values are searched, and the report names the others; many are searched to
    a limit."""
    columns = ", ".join(f"hash(i + {place}) % 3 AS c{place}" for place in range(70))
    table(here / "many.parquet", f"SELECT {columns} FROM range(500) t(i)")
    levels = {f"c{place}": (1, 1) for place in range(70)}
    telling = [f"hash(i + {place}) % {2 if place % 7 == 0 else 3} AS c{place}" for place in range(70)]
    table(here / "most.parquet", f"SELECT {', '.join(telling)} FROM range(500) t(i)")
    found = duckrisk.assess("most.parquet", user="", only=("identifiability",), levels=levels, max_size=1)
    searched = [entry["attribute"] for entry in found.data["identifiability"]["attributes"]]
    assert searched == [f"c{place}" for place in range(70) if place % 7]
    (note,) = [note for note in found.data["source"]["notes"] if "of 70 it took" in note]
    assert "left out c0, c7, " in note
    assert "--attribute" in note
    assert "as many values" not in note
    some = {name: levels[name] for name in list(levels)[:40]}
    found = duckrisk.assess(
        "many.parquet", user="", only=("identifiability",), levels=some, attributes=list(some), max_size=2
    )
    data = found.data["identifiability"]
    assert data["sets_possible"] == 2**40 - 1
    assert (data["limit"], data["unknown"]) == ("max_size", 500)
    assert data["unknown_ease_at_most"] == pytest.approx(1.62)
    assert_sets_counted(data)


def test_a_column_without_a_level_is_named(here):
    """It is left out and told, with a line to add; the rest is computed."""
    table(here / "odd.parquet", "SELECT i % 7 AS age, i % 11 AS zzqx FROM range(30) t(i)")
    found = duckrisk.assess("odd.parquet", user="", only=("identifiability",), levels={"age": (1, 1)})
    data = found.data["identifiability"]
    assert [entry["column"] for entry in data["unleveled"]] == ["zzqx"]
    assert "zzqx" in data["unleveled"][0]["line"]
    assert [entry["attribute"] for entry in data["attributes"]] == ["age"]


def test_a_large_table_is_searched_only_where_it_was_asked_for(monkeypatch):
    monkeypatch.setattr("duckrisk.measures.identifiability.MAX_RECORDS_UNASKED", 3)
    frame = pandas.DataFrame({"age": [1, 2, 3, 4], "sex": list("abab")})
    unasked = duckrisk.assess(frame, user="")
    assert unasked.data["identifiability"] is None
    assert any("--only identifiability" in note for note in unasked.data["source"]["notes"])
    assert re.search(r"a leak +not measured: ask with --only identifiability", unasked.to_text())
    asked = duckrisk.assess(frame, user="", only=["identifiability"])
    assert asked.data["identifiability"]["singled_out"] == 4


def test_sets_are_grouped_once_for_records_and_users():
    """What the walk over records found of users is recalled: no set is grouped after it."""
    rows = [(f"u{n % 20}", n % 7, n % 5, n % 3, n % 11 if n % 4 else None) for n in range(60)]
    frame = pandas.DataFrame(rows, columns=["who", "a", "b", "c", "d"])
    levels = {name: (1, 1 + place % 3) for place, name in enumerate("abcd")}
    roles = dict.fromkeys("abcd", "attribute")
    found = duckrisk.assess(
        frame, user="who", levels=levels, roles=roles, only=("identifiability",), what_if=False
    )
    names = [entry.name for entry in found.statements]
    start = names.index("rename_column")
    assert "examine_sets" in names[:start]
    assert names[:start].count("combinations") == 1
    assert {"combinations", "pair_classes"}.isdisjoint(names[start:])
    groups = [entry.sql for entry in found.statements[start:] if entry.name == "examine_sets"]
    assert all('"closed"' in sql for sql in groups)  # large sets that decide who can be singled out
    assert found.data["identifiability"]["users"]["singled_out"] == 20


def test_nobody_is_singled_out_by_many_attributes():
    """Of 15 attributes sets are listed by tier: here no tier is begun, for records and for users."""
    frame = pandas.DataFrame([("u" if n < 4 else "v", *[n % 2] * 15) for n in range(8)])
    frame.columns = ["who", *(f"c{n}" for n in range(15))]
    attributes = list(frame.columns[1:])
    levels, roles = dict.fromkeys(attributes, (1, 1)), dict.fromkeys(attributes, "attribute")
    found = duckrisk.assess(frame, user="who", levels=levels, roles=roles, only=("identifiability",)).data
    assert found["identifiability"]["singled_out"] == 0
    assert found["identifiability"]["users"]["singled_out"] == 0


def test_the_tables_of_a_large_search_are_dropped(monkeypatch):
    """Later statements do not read them: the report stays the same."""
    frame = pandas.DataFrame(
        {"person": [1, 1, 2, 2, 3, 4], "age": [1, 2, 3, 4, 4, 4], "sex": list("ababbb"), "price": range(6)}
    )
    settled = {"user": "person", "known_records": 0, "levels": {"age": (1, 1), "price": (2, 1)}}
    before = duckrisk.assess(frame, **settled)
    monkeypatch.setattr("duckrisk.measures.identifiability.MAX_RECORDS_HELD", 0)
    after = duckrisk.assess(frame, **settled)
    assert after.data == before.data
    dropped = {
        part for entry in after.statements for part in re.findall(r'^DROP TABLE IF EXISTS "?(\w+)', entry.sql)
    }
    assert dropped >= {"combinations", "found", "settled", "open_persons", "values_0", "persons"}
