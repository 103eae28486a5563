"""Information gain of cells: by hand, against its definition, and a published run on Adult."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from duckrisk import roles
from duckrisk.base.options.disclosure import MISSING, Options
from duckrisk.base.results import in_english
from duckrisk.engine.session import Session
from duckrisk.measures.disclosure import information_gain
from duckrisk.source import Request, open_source
from tests import sections
from tests.declared import values_unsearched
from tests.disclosure_oracle import agree, written
from tests.sections import Section
from tests.shared_data import shared
from tests.tables import EXAMPLES, LIGHTER, make, run

KINDS = {"q one": "VARCHAR", "records": "INTEGER", "a1": "BOOLEAN"}
CELLS = st.tuples(
    st.sampled_from(["a", "A", "é", "'", None]), st.sampled_from([0, 1, None]), st.booleans() | st.none()
)
Row = tuple[Any, ...]


def measured(rows: list[Row], width: int = 3) -> list[dict[str, Any]]:
    with duckdb.connect() as connection:
        make(connection, dict(list(KINDS.items())[:width]), rows)
        return run(connection, "information_gain", source="t", columns=list(KINDS)[:width])


def gains(rows: list[Row], missing: str = "value") -> list[list[float]]:
    """The gain of every cell, record by record, from exact shares."""
    told = []
    for record in rows:
        cells = []
        for own, cell in enumerate(record):
            if missing != "value" and cell is None:
                cells.append(0.0)
                continue
            holders = [other for other in rows if missing == "value" or other[own] is not None]
            rest = [(other[:own] + other[own + 1 :], other[own]) for other in holders]
            mine = record[:own] + record[own + 1 :]
            alike = Counter(value for others, value in rest if agree(mine, others, missing))
            whole = Counter(value for _, value in rest)
            terms = []
            for value, count in alike.items():
                share = Fraction(count, sum(alike.values()))
                terms.append(float(share) * math.log2(share / Fraction(whole[value], len(rest))))
            cells.append(math.fsum(terms))
        told.append(cells)
    return told


def check(line: dict[str, Any], expected: list[float]) -> None:
    """The figures of a line against the gains of the records."""
    expected = sorted(expected)
    assert line["mean_gain"] == pytest.approx(math.fsum(expected) / len(expected), abs=1e-12)
    for name, part in (("median_gain", 50), ("high_gain", 95), ("highest_gain", 100)):
        assert line[name] == pytest.approx(expected[-(-len(expected) * part // 100) - 1], abs=1e-12)


def entropy(cells: list[Any], records: int) -> float:
    counts = Counter(cells).values()
    return -math.fsum(n / records * math.log2(n / len(cells)) for n in counts)


def test_by_hand() -> None:
    # Whoever knows the number knows the letter: one bit. The letter tells nothing of numbers it has both of.
    whole, letter, number = measured([("a", 0), ("a", 1), ("b", 2), ("b", 3)], 2)
    assert (letter["mean_gain"], letter["entropy"]) == (1, 1)
    assert (number["mean_gain"], number["entropy"]) == (1, 2)
    assert (whole["mean_gain"], whole["median_gain"], whole["highest_gain"]) == (2, 2, 2)
    assert whole["entropy"] is None
    assert measured([]) == []
    assert [line["mean_gain"] for line in measured([("a",), ("b",), ("b",)], 1)] == [0, 0]


def test_by_hand_with_columns_of_one_type() -> None:
    """DuckDB 1.5.0 confuses windows that differ in the field of a struct alone, where types are the same."""
    rows = [(5, 0, 1), (5, 1, 1), (6, 0, 1), (6, 0, 2), (5, 1, 2)]
    with duckdb.connect() as connection:
        make(connection, dict.fromkeys("xyz", "INTEGER"), rows)
        _, *lines = run(connection, "information_gain", source="t", columns=["x", "y", "z"])
    # Of x and y three of five share a value: even chances of both, or one of them for certain.
    even, common, rare = math.log2(25 / 24) / 2, math.log2(5 / 3), math.log2(5 / 2)
    # x: 0, 1 leave both, 0, 2 leave 6, and 1, 1 and 1, 2 leave 5; y alike; z: 5, 0 leave 1, all others both.
    wanted = [2 * even + rare + 2 * common, 2 * even + 2 * common + rare, common + 4 * even]
    assert [line["mean_gain"] for line in lines] == pytest.approx([gain / 5 for gain in wanted])


#: One record in twenty tells more: the 95th percentile is what all others tell.
NINETEEN = [("a", 0, True)] * 19
OTHER = ("A", 1, False)


@LIGHTER
@given(rows=st.lists(CELLS, min_size=1, max_size=25))
@example(rows=[*NINETEEN, OTHER])
def test_against_the_definition(rows: list[Row]) -> None:
    told = gains(rows)
    lines = measured(rows)
    assert [line["place"] for line in lines] == [0, 1, 2, 3]
    for line in lines:
        place = line["place"]
        assert line["records"] == len(rows)
        check(line, [sum(cells) if place == 0 else cells[place - 1] for cells in told])
        if place:
            cells = [record[place - 1] for record in rows]
            assert line["entropy"] == pytest.approx(entropy(cells, len(rows)), abs=1e-12)
    assert measured([*reversed(rows), *rows]) == [
        line
        | {"records": 2 * len(rows)}
        | {name: pytest.approx(line[name], abs=1e-12) for name in ("entropy", "mean_gain")}
        for line in lines
    ]


# --- the section: rules for missing cells --------------------------------------------------------


def section(table: Path, **chosen: Any) -> tuple[Section, list[str]]:
    """The section of a report, with its notes."""
    with values_unsearched("quasi_identifiers" in chosen), Session() as session:
        source = open_source(session, Request(str(table)))
        found = roles.infer(session, source, roles.RoleOverrides(user=""))
        made, notes = information_gain.measure(session, source, found, Options(**chosen))
    whole = sections.as_json(made)
    assert "bits on average" in sections.told(whole)
    return whole, list(map(in_english, notes))


def by_rule(made: dict[str, Any]) -> dict[str, tuple[dict[str, Any], dict[str, dict[str, Any]]]]:
    """The figures by each rule: of records, and of attributes by their names."""
    return {
        one["missing"]: (one["record"], {entry["attribute"]: entry for entry in one["attributes"]})
        for one in (made, *made["other_rules"])
    }


def test_rules_for_missing_cells_by_hand(tmp_path: Path) -> None:
    """Of three letters two are a, of three numbers two are 1."""
    rows = [("a", 0), ("a", 1), ("b", None), (None, 1)]
    table = written(tmp_path, {"letter": "VARCHAR", "number": "INTEGER"}, rows)
    made, notes = section(table, quasi_identifiers=("letter", "number"))
    assert (made["missing"], made["missing_cells"], made["records"], notes) == ("value", 2, 4, [])
    found = {
        rule: (whole["mean_gain"], {name: (one["mean_gain"], one["entropy"]) for name, one in lines.items()})
        for rule, (whole, lines) in by_rule(made).items()
    }
    # A letter tells log2(3/2) or log2(3) bits by itself, and the cell without one nothing.
    alone = (2 * math.log2(1.5) + math.log2(3)) / 4
    # An even chance of what the table has twice and once.
    even = math.log2(0.75) / 2 + math.log2(1.5) / 2
    # none: who knows 0, or 1, knows a; who knows a has an even chance of 0 and 1; the others know nothing.
    letter, number = 2 * math.log2(1.5) / 4, 2 * even / 4
    assert found["none"][1]["letter"] == pytest.approx((letter, alone))
    assert found["none"][1]["number"] == pytest.approx((number, alone))
    assert found["none"][0] == pytest.approx(letter + number)
    # wildcard: whoever has 0, or 1, may be b too; a may have 0, 1 and 1, as all have.
    assert found["wildcard"][1]["letter"] == pytest.approx((2 * even / 4, alone))
    assert found["wildcard"][1]["number"] == pytest.approx((0, alone))
    assert found["value"][1]["number"][1] == 1.5


@settings(LIGHTER, max_examples=min(EXAMPLES, 6))
@given(rows=st.lists(CELLS, min_size=1, max_size=20), asked=st.sampled_from(MISSING))
@example(rows=[*NINETEEN[1:], *NINETEEN, ("A", 1, None)], asked="none")
def test_rules_for_missing_cells_against_brute_force(rows: list[Row], asked: str) -> None:
    rows = [*rows, NINETEEN[0], OTHER]
    with tempfile.TemporaryDirectory() as folder:
        made, notes = section(
            written(Path(folder), KINDS, rows), quasi_identifiers=tuple(KINDS), missing=asked
        )
    missing = sum(cells.count(None) for cells in rows)
    assert (made["records"], made["missing"], made["missing_cells"], notes) == (len(rows), asked, missing, [])
    rules = by_rule(made)
    assert sorted(rules) == (sorted(MISSING) if missing else [asked])
    for rule, (whole, lines) in rules.items():
        told = gains(rows, rule)
        check(whole, [sum(cells) for cells in told])
        for place, name in enumerate(KINDS):
            check(lines[name], [cells[place] for cells in told])
            cells = [record[place] for record in rows if rule == "value" or record[place] is not None]
            assert lines[name]["entropy"] == pytest.approx(entropy(cells, len(rows)), abs=1e-12)


def test_what_would_take_too_long_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = written(tmp_path, {"q": "VARCHAR", "n": "INTEGER"}, [("a", 1), ("b", None), (None, 2), ("a", 2)])
    chosen: dict[str, Any] = {"quasi_identifiers": ("q", "n")}
    wanted, _ = section(table, **chosen)
    with monkeypatch.context() as patched:  # one way in which cells are missing at a time
        patched.setattr(information_gain, "PAIRS", 1)
        assert section(table, **chosen)[0] == wanted
    for limit, value, left in (
        ("MAX_AGREEING_VALUES", 6, ["none"]),  # by the wildcard rule more come into question
        ("MAX_AGREEING_VALUES", 1, []),
        ("MAX_PAIRS", 5, []),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(information_gain, limit, value)
            made, (note,) = section(table, **chosen, missing="wildcard")
        assert made["missing"] == "value"
        assert [one["missing"] for one in made["other_rules"]] == left
        assert "too many records come into question" in note
    monkeypatch.setattr(information_gain, "MAX_PAIRS_UNASKED", 5)
    made, notes = section(table, **chosen)
    assert (made["other_rules"], notes) == ([], [])
    assert "--missing wildcard and none show" in sections.told(made)
    asked, _ = section(table, **chosen, compare_missing=True)
    assert [one["missing"] for one in asked["other_rules"]] == ["wildcard", "none"]


def test_tokens_are_missing_cells(tmp_path: Path) -> None:
    rows = [("a", 1), ("-", 2), ("a", -9), ("?", 2), ("b", -9), ("-", 1)]
    kinds = {"q": "VARCHAR", "n": "INTEGER"}
    nulls = [tuple(None if cell in ("-", -9) else cell for cell in cells) for cells in rows]
    chosen: dict[str, Any] = {
        "quasi_identifiers": ("q", "n"),
        "missing_tokens": ("-", "-9"),
        "missing": "none",
    }
    made, notes = section(written(tmp_path, kinds, rows), **chosen)
    assert made == section(written(tmp_path, kinds, nulls, "n"), **chosen)[0]
    assert (made["missing"], made["missing_cells"], notes) == ("none", 4, [])
    assert made["record"]["mean_gain"] == pytest.approx(
        math.fsum(sum(cells) for cells in gains(nulls, "none")) / len(rows)
    )


def test_adult() -> None:
    """A published run of piflib on the same nine attributes."""
    published = {
        "age": 2.431, "occupation": 2.143, "education": 1.783, "marital-status": 1.363, "workclass": 1.229,
        "native-country": 0.809, "sex": 0.655, "race": 0.598, "income": 0.585,
    }  # fmt: skip
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW adult AS FROM '{shared('adult.parquet')}'")
        whole, *lines = run(connection, "information_gain", source="adult", columns=list(published))
    assert [round(line["mean_gain"], 3) for line in lines] == list(published.values())
    assert round(whole["high_gain"], 3) == 27.048
