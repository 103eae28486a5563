"""The statement that a person runs against the definition, and the totals of a report by hand."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.identifiability_oracle import BASE, TOKENS, Level, Table, find
from tests.tables import LIGHT, Drawn, connect, drawn_tables, make, run

NAMES = ("a", "b", "c")
LEVELS = st.builds(Level, st.integers(1, 3), st.integers(1, 3))


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        yield made


@LIGHT
@given(
    drawn_tables(width=3, users=("integer",), values=("text", "integer")),
    st.tuples(LEVELS, LEVELS, LEVELS),
    st.sampled_from(["none", "value"]),
)
@example(
    Drawn("integer", ("text", "text", "integer"), [(1, None, "?", None), (2, "x", "y", 1), (3, "x", "y", 1)]),
    (Level(1, 1), Level(1, 2), Level(1, 1)),
    "value",
)
@example(
    Drawn("integer", ("text", "text", "integer"), [(1, "x", " ? ", 1), (2, "x", "y", 1), (3, None, "y", 2)]),
    (Level(1, 1), Level(1, 2), Level(1, 1)),
    "none",
)
def test_identifiability_of_records(
    connection: duckdb.DuckDBPyConnection, drawn: Drawn, levels: tuple[Level, ...], missing: str
) -> None:
    make(connection, drawn.columns, drawn.rows)
    rows = run(
        connection,
        "identifiability",
        source="t",
        columns=list(NAMES),
        levels=[f"{level.economic},{level.psychological}" for level in levels],
        missing_tokens=list(TOKENS),
        missing_is_value=missing == "value",
        base=BASE,
    )
    expected = find(Table(NAMES, tuple(cells[1:] for cells in drawn.rows), levels, missing))
    singled_out = {number: one for number, one in enumerate(expected, 1) if one.singled_out}
    assert sorted(one["record"] for one in rows) == sorted(singled_out)
    for one in rows:
        wanted = singled_out[one["record"]]
        assert one["ease"] == pytest.approx(wanted.ease, abs=1e-9)
        assert one["value"] == pytest.approx(wanted.value, rel=1e-9)
        assert (tuple(one["attributes"]), one["equal_sets"]) == (wanted.sets[0], len(wanted.sets))
    assert rows == sorted(rows, key=lambda one: (-one["value"], one["record"]))


#: What came out for how many: tier, sets, missing, sensitivity, JO's identifiability, ease and records.
OUTCOMES = [
    (0, 1, 3, 1, 0, 2, 1, 2.0, 3),
    (1, 2, 2, 2, 0, 11, 1, 1.5, 2),
    (5, 4, 4, 4, 0, 101, 6, 6.0, 1),  # by the JO model, not by a tier
    (None, 0, 0, 0, 0, 2, 1, 0.0, 4),
    (None, 0, 0, 0, 1, 2, 1, None, 5),
    (None, 0, 0, 0, 2, 11, 1, None, 6),
]


def test_totals_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    kinds: dict[str, str] = dict.fromkeys(
        ("tier", "first_mask", "any_mask", "every_mask", "missing", "sensitivity", "jo_identifiability"),
        "BIGINT",
    )
    make(connection, kinds | {"ease": "DOUBLE", "records": "BIGINT"}, OUTCOMES, "outcomes")
    make(connection, {"tier": "INTEGER", "ease": "DOUBLE"}, [(0, 2.0), (1, 1.5), (2, 1.2)], "tier_ease")
    given = {"base": BASE, "social_responsibility": 2, "post_response": 3}
    (found,) = run(connection, "jo_model", **given, stopped_at=2)
    value, by_jo = 3 * 2 * 2 + 2 * 11 * 1.5 + 101 * 6, 3 * 2 + 2 * 11 + 101 * 6 + 4 * 2 + 5 * 2 + 6 * 11
    assert found == pytest.approx(
        {
            "singled_out": 6, "singled_out_share": 6 / 21, "not_singled_out": 4, "unknown": 11,
            "last_tier": 1, "unknown_ease_at_most": 1.2, "total_ease": 3 * 2 + 2 * 1.5 + 6,
            "total_value": BASE * value, "jo_total_value": BASE * by_jo,
            "total_compensation": BASE * by_jo * 6, "sensitivity": 101, "jo_identifiability": 6,
            "jo_value_per_record": BASE * 101 * 6,
        }
    )  # fmt: skip
    told = [tuple(one.values()) for one in run(connection, "distribution", base=BASE)]
    values = [(6, 1, BASE * 606), (2, 3, BASE * 12), (1.5, 2, BASE * 33), (0, 4, 0), (None, 11, None)]
    assert told == values
    sets = [tuple(one.values()) for one in run(connection, "set_values", base=BASE, max_rows=2)]
    assert sets == [(4, 6, 1, BASE * 606, 3, 1), (2, 1.5, 2, BASE * 33, 3, 2)]
    make(connection, {"position": "BIGINT", "bit": "BIGINT"}, [(0, 1), (1, 2), (2, 4)], "searched_attributes")
    parts = [tuple(one.values()) for one in run(connection, "attribute_parts")]
    assert parts == [(0, 3, 3 / 6), (1, 3 + 2, 5 / 6), (2, 1, 1 / 6)]
    make(connection, kinds | {"ease": "DOUBLE", "records": "BIGINT"}, OUTCOMES[:4], "outcomes")
    (known,) = run(connection, "jo_model", **given, stopped_at=2)
    assert (known["unknown"], known["unknown_ease_at_most"]) == (0, None)


def test_totals_of_coarser_forms_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    """The form at position 3 stands for the attribute of bit 2, that at 4 for the one of bit 1."""
    make(connection, {"missing": "BIGINT", "sensitivity": "INTEGER", "jo_identifiability": "INTEGER"},
         [(0, 2, 1), (2, 11, 1), (4, 101, 6)], "patterns")  # fmt: skip
    make(connection, {"tier": "INTEGER", "ease": "DOUBLE"}, [(0, 2.0), (1, 1.5), (2, 1.2)], "tier_ease")
    outcomes = [(0, 1, 0, 3), (1, 2, 0, 2), (1, 3, 0, 1), (None, 0, 0, 4), (0, 4, 2, 5), (0, 2, 4, 6)]
    columns = dict.fromkeys(("tier", "every_mask", "missing", "records"), "BIGINT")
    make(connection, columns, outcomes, "outcomes")
    columns = dict.fromkeys(("position", "tier", "missing", "records"), "BIGINT")
    others = [
        (3, 2, 0, 2),
        (3, None, 0, 1),
        (3, None, 4, 6),
        (4, 1, 0, 3),
        (4, 2, 0, 1),
        (0, 2, 0, 9),
        (1, 2, 0, 9),
    ]
    make(connection, columns, others, "without_attribute")
    first, second = run(connection, "totals_coarser", base=BASE, forms=[3, 4], form_bits=[2, 1], before="650")
    # Bit 2 is needed by 2, 1 and 6 records; bit 1 by 3 and 1. JO's six are told by their names.
    kept, moved = 3 * 2 * 2 + 5 * 11 * 2, 2 * 2 * 1.2 + 6 * 101 * 6
    value = BASE * (kept + moved)
    assert first == pytest.approx(
        {"position": 3, "singled_out": 3 + 5 + 2 + 6, "total_value": value, "change": value / 650 - 1}
    )
    value = BASE * (2 * 2 * 1.5 + 5 * 11 * 2 + 6 * 101 * 6 + 3 * 2 * 1.5 + 1 * 2 * 1.2)
    assert second == pytest.approx(
        {"position": 4, "singled_out": 2 + 5 + 6 + 3 + 1, "total_value": value, "change": value / 650 - 1}
    )
