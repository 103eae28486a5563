"""Lists that are cut say how many there are, and whether the cut falls among equals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import duckdb
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.results import Truncation, in_english
from duckrisk.measures.disclosure import minimal_keys, suda
from duckrisk.measures.identifiability import section
from duckrisk.measures.identifiability.attributes import select_most_distinct
from duckrisk.report.blocks import Column, Document, Listing
from duckrisk.report.render.markdown import to_markdown
from duckrisk.report.render.terminal import to_text
from tests import lattice_oracle
from tests.tables import LIGHT, connect, make, run


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        yield made


def counted(ranks: Sequence[Any], shown: int) -> dict[str, int]:
    """How many there are, and how many after the first are equal to the last of these: one by one."""
    equals = 0
    for rank in ranks[shown:]:
        if rank != ranks[shown - 1]:
            break
        equals += 1
    return {"total": len(ranks), "equal_to_last": equals}


@LIGHT
@given(ranks=st.lists(st.integers(0, 3)).map(sorted), shown=st.integers(1, 9), most=st.integers(1, 9))
def test_a_listing_is_cut_where_it_was_cut_before(ranks: list[int], shown: int, most: int) -> None:
    """Of all, the first ones are in the result, of these the first ones in a form."""
    rows = tuple((str(rank),) for rank in ranks)[:shown]
    listed = Truncation(**counted(ranks, shown))
    listing = Listing((Column("rank"),), rows, ranks=tuple(ranks[:shown]), listed=listed).truncate(most)
    assert listing.rows == rows[:most]
    told = listing.listed
    assert told is not None
    assert {**vars(told)} == counted(ranks, min(most, shown))


@pytest.mark.parametrize(
    ("total", "equals", "shown", "terminal", "other"),
    [
        (9, 0, 9, None, None),
        (9, 0, 5, "... and 4 more in the JSON report; one of these ranks the same as the last one shown",
         "... and 4 more; one of these ranks the same as the last one shown"),
        (70, 0, 5,
         "... and 65 more, 4 of them in the JSON report; one of these ranks the same as the last one shown",
         "... and 65 more; one of these ranks the same as the last one shown"),
        (70, 7, 9, "... and 61 more; 7 of these rank the same as the last one shown",
         "... and 61 more; 7 of these rank the same as the last one shown"),
        (70, 0, 6, "... and 64 more, 3 of them in the JSON report", "... and 64 more"),
    ],
)  # fmt: skip
def test_what_a_form_says(
    total: int, equals: int, shown: int, terminal: str | None, other: str | None
) -> None:
    """Nine rows in the result, the fifth and the sixth equal."""
    rows = tuple((str(place),) for place in range(9))
    ranks = (1, 2, 3, 4, 5, 5, 6, 7, 8)
    listing = Listing((Column("row"),), rows, shown, ranks=ranks, listed=Truncation(total, equals))
    for text, expected in (
        (to_text(Document("", (listing,)), 120), terminal),
        (to_markdown(Document("", (listing,))), other),
    ):
        assert [line.strip() for line in text.splitlines() if "more" in line] == [expected] * (
            expected is not None
        )
    assert "more" not in to_markdown(Document("", (replace(listing, listed=None, max_rows=None),)))


def test_by_hand() -> None:
    """Of 70 records 3 are alone in both columns, 52 in the first alone, 15 in none: the 50 with the highest
    scores are these 3 and 47 of the 52, so 5 as high are left out. All 55 are worth the same."""
    first = [*range(55), *[99] * 15]
    second = [1001, 1002, 1003, *[7] * 67]
    frame = pandas.DataFrame({"a": [f"v{one}" for one in first], "b": [f"w{one}" for one in second]})
    report = duckrisk.assess(
        frame,
        user="",
        roles={"a": "attribute", "b": "attribute"},
        levels={"a": "occupation", "b": "occupation"},
        only=["attribute_risk", "suda", "identifiability"],
        quasi_identifiers=["a", "b"],
        show_values=True,
    )
    data = report.to_dict()
    assert data["suda"]["highest_listed"] == {"total": 55, "equal_to_last": 5}
    assert [len(one["sets"]) for one in data["suda"]["highest"]] == [2] * 3 + [1] * 47
    assert data["suda"]["sets_listed"] == {"total": 2, "equal_to_last": 0}
    values = data["suda"]["contributions"][0]
    assert (values["attribute"], len(values["values"])) == ("a", 10)
    assert values["values_listed"] == {"total": 55, "equal_to_last": 45}
    assert data["identifiability"]["scenarios_listed"] == {"total": 55, "equal_to_last": 5}
    assert len(data["identifiability"]["scenarios"]) == 50
    dangerous = data["attribute_risk"][0]
    assert (dangerous["attribute"], len(dangerous["values"])) == ("a", 10)
    assert dangerous["values_listed"] == {"total": 56, "equal_to_last": 45}
    text = " ".join(report.to_text(200).split())
    assert "... and 45 more, 40 of them in the JSON report; 45 of these rank the same as the last one" in text
    assert "Shown are 6 of 55 records that can be singled out" in text
    assert "The damages of 49 of the others are as high as those of the last one shown." in text


def test_special_uniques_by_brute_force(tmp_path: Path) -> None:
    """Of small lists, cut after two, by the definition: most of what follows is equal."""
    columns, rows = ["a", "b", "c", "d"], lattice_oracle.drawn(5, 4, 14, 4, 0.1)
    uniques = lattice_oracle.minimal_uniques(rows, range(len(rows)), "none")
    with mock.patch.multiple(suda, MOST_LISTED=2, MOST_SETS=1):
        found = lattice_oracle.measured(suda.measure, tmp_path, columns, rows, missing="none")
    with_set = Counter(inside for sets in uniques.values() for inside in sets)
    ranks = sorted((-count, len(inside)) for inside, count in with_set.items())
    assert found["sets_listed"] == counted(ranks, 2)
    assert [(-one["minimal_uniques"], one["size"]) for one in found["sets"]] == ranks[:2]
    # Of 4 attributes a set of 1 scores 3 * 2 * 1, one of 2 scores 2 * 1, others 1 (Elliot).
    scores = {number: sum((6, 2, 1, 1)[len(one) - 1] for one in sets) for number, sets in uniques.items()}
    assert found["highest_listed"] == counted(sorted(filter(None, scores.values()), reverse=True), 2)
    for one in found["highest"]:
        sizes = sorted(map(len, uniques[one["record"] - 1]))
        assert (one["score"], one["sets_listed"]) == (scores[one["record"] - 1], counted(sizes, 1))
        assert [len(names) for names in one["sets"]] == sizes[:1]


@LIGHT
@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.none() | st.integers(1, 2)), max_size=15),
    most=st.integers(1, 6),
)
def test_sets_by_brute_force(connection: duckdb.DuckDBPyConnection, rows: list[Any], most: int) -> None:
    """Attribute sets with any number singled out, and with any classes or, where these overlap, with none."""
    names = ["distinction", "separation", "share_singled_out", "lower", "upper", "smallest_class"]
    figures = [(mask, mask.bit_count(), *row, *[None] * len(names)) for mask, row in enumerate(rows, 1)]
    kinds = dict.fromkeys(["mask", "size", "singled_out", "classes", *names], "BIGINT")
    make(connection, kinds, figures, "set_figures")

    # Where the greatest come first, what is not there is the last.
    ranked = sorted(figures, key=lambda row: (row[1], -row[2], row[3] is None, -(row[3] or 0), row[0]))
    ranks = [row[1:4] for row in ranked]
    found = run(connection, "set_listed", most=most, best_only=False)
    assert [one["mask"] for one in found] == [row[0] for row in ranked[:most]]
    assert vars(Truncation.pop_from(found)) == counted(ranks, most)
    best = run(connection, "set_listed", most=4, best_only=True)
    first = {size: next(one for one in ranks if one[0] == size) for size, _, _ in ranks}
    assert [(one["size"], Truncation.pop_from([one]).equal_to_last) for one in best] == [
        (size, ranks.count(one) - 1) for size, one in first.items()
    ]


@LIGHT
@given(
    rows=st.lists(
        st.tuples(st.integers(1, 9), st.sampled_from([None, 0, 0.5, 2]), st.integers(1, 3), st.integers(1, 2))
    ),
    most=st.integers(1, 6),
)
def test_values_of_sets_by_brute_force(
    connection: duckdb.DuckDBPyConnection, rows: list[Any], most: int
) -> None:
    kinds = {"first_mask": "BIGINT", "ease": "DOUBLE", "records": "BIGINT", "sensitivity": "INTEGER"}
    make(connection, kinds, rows, "outcomes")
    worth: dict[tuple[int, float], float] = {}
    for mask, ease, records, sensitivity in rows:
        if ease:
            worth[mask, ease] = worth.get((mask, ease), 0) + 500 * ease * records * sensitivity
    ranked = sorted((-value, -ease, mask) for (mask, ease), value in worth.items())
    found = run(connection, "set_values", base=500.0, max_rows=most)
    assert [(-one["value"], -one["ease"], one["mask"]) for one in found] == ranked[:most]
    assert vars(Truncation.pop_from(found)) == counted([one[:2] for one in ranked], most)


def test_keys_by_hand(tmp_path: Path) -> None:
    """Three columns that tell all of four records apart and one that does so with none: of three keys of one
    attribute one is listed. Each singles out all, and leaves a class of one."""
    rows = [(f"a{place}", f"b{place}", f"c{place}", "d") for place in range(4)]
    with mock.patch.object(minimal_keys, "MOST_LISTED", 1):
        found = lattice_oracle.measured(minimal_keys.measure, tmp_path, ["a", "b", "c", "d"], rows)
    for kind in ("keys", "singling_out", "below_k"):
        assert len(found[kind]) == 1
        assert (found[f"{kind}_found"], found[f"{kind}_listed"]) == (3, {"total": 3, "equal_to_last": 2})


def test_scenarios_of_who_is_named(tmp_path: Path) -> None:
    """Four records hold a name, 3 by the JO model; with the sensitive attribute two of them are worth
    3 * (5^2 + 10^2) * 500, without it the others 3 * (5^0 + 10^0) * 500; in between is who is alone,
    with 2 / (log8(125 - 1) + 1) * 125 * 500."""
    frame = pandas.DataFrame(
        {"n": [*["n1"] * 4, None, None], "b": ["x", "x", None, None, "x", "y"]}, dtype=object
    )
    given: dict[str, Any] = {"levels": {"n": "name", "b": (3, 3)}, "roles": dict.fromkeys("nb", "attribute")}
    for most, equals in ((2, 0), (4, 1)):
        with mock.patch.object(section, "MAX_LISTED", most):
            report = duckrisk.assess(frame, user="", only=["identifiability"], what_if=False, **given)
        data = report.to_dict()["identifiability"]
        assert [one["record"] for one in data["scenarios"]] == [1, 2, 6, 3][:most]
        assert data["scenarios_listed"] == {"total": 5, "equal_to_last": equals}


def test_attributes_with_as_many_values() -> None:
    """Of values 3, 2, 2, 2, 1 the first two are taken; two of the others have 2."""
    found: list[Any] = [
        SimpleNamespace(decision=SimpleNamespace(distinct=values, column=SimpleNamespace(name=f"c{values}")))
        for values in (2, 1, 2, 3, 2)
    ]
    kept, (note,) = select_most_distinct(found, 2, "suda")
    assert [one.decision.distinct for one in kept] == [2, 3]
    assert in_english(note).endswith(" 2 of those left out have as many values as the last one taken.")
    _, (note,) = select_most_distinct(found, 4, "suda")
    assert "as many values" not in in_english(note)
