"""Distributions before and after: by hand, from the definition, and what a report shows of them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.measures.detail import Detail
from duckrisk.release.comparison.results import Comparison
from duckrisk.release.comparison.summary import summarize_utility
from duckrisk.release.comparison.utility_results import MeanOfGroups, MeansByGroup, Prediction
from duckrisk.report.words import Words
from tests.compare_oracle import covers
from tests.fitting import fit
from tests.hostile import NAMES
from tests.tables import LIGHTER, thinned

pytestmark = pytest.mark.slow

#: Two records that make a constant of no column.
FIXED = [("x", 1), ("y", 20)]


def compared(
    before: Sequence[Any], after: Sequence[Any], names: Sequence[str] = ("g", "n"), **given: Any
) -> Any:
    """A comparison of two tables with a category and a number."""
    original = pandas.DataFrame(before, columns=names)
    original[names[1]] = original[names[1]].astype("Int64")
    release = pandas.DataFrame(after, columns=names, dtype="string")
    roles = dict.fromkeys(names, "attribute")
    found = duckrisk.compare(original, release, user="", roles=roles, only=["utility"], **given)
    fit(found.to_dict(), Comparison)
    return found


def parts_of(found: Any, place: int) -> dict[tuple[str, int], dict[str, Any]]:
    parts = found.data["tables"][1]["utility"]["distributions"][place]["parts"]
    return {(part.pop("kind"), part.pop("part")): part for part in parts}


def test_by_hand() -> None:
    """1, 2, 2 and 3 of four known numbers are in the middle of 1/8, 4/8 and 7/8 of the records; two of three
    values of a category are its most frequent ones, each of a release a half of {x, y}."""
    before = [("x", 1), ("x", 2), ("y", 2), ("y", 3), ("x", None)]
    found = compared(before, [("{x, y}", "[1, 2]"), ("x", "*"), ("*", "3"), (None, "7")], show_values=True)
    shared = {"share_below": None, "values": 1}
    assert parts_of(found, 0) == {
        ("value", 1): {**shared, "before": 0.6, "after": 0.625, "first_value": "x", "last_value": "x"},
        ("value", 2): {**shared, "before": 0.4, "after": 0.375, "first_value": "y", "last_value": "y"},
    }
    numbers = parts_of(found, 1)
    # Of the four known cells [1, 2] is half 1, * a quarter each of 1, 2, 3 and missing; 7 is above all.
    assert {key: (part["before"], part["after"]) for key, part in numbers.items()} == {
        ("band", 2): (0.2, pytest.approx((1 / 2 + 1 / 4) / 4)),
        ("band", 6): (0.4, pytest.approx((1 / 2 + 1 / 4) / 4)),
        ("band", 9): (0.2, pytest.approx((1 / 4 + 1 + 1) / 4)),
        ("missing", 0): (0.2, pytest.approx(1 / 4 / 4)),
    }
    assert [part["share_below"] for part in numbers.values()] == [0.25, 0.75, 1, None]
    assert [part.get("first_value") for part in numbers.values()] == ["1", "2", "3", None]


@pytest.mark.slow
def test_values_are_shown_only_if_asked_for() -> None:
    """As labels of a page, in the JSON report, and nowhere else."""
    before = [(f"secret {i % 11 if i % 3 else 0}", 7000 + i) for i in range(60)]
    for show in (False, True):
        found = compared(before, before, show_values=show)
        texts = [found.to_html(), found.to_json()]
        assert ["secret" in text for text in texts] == [show] * 2
        assert ["7059" in text for text in texts] == [show] * 2
        text = found.to_text(200)
        assert "secret" not in text
        assert "Distributions before and after" in text
        assert found.data["settings"]["show_values"] is show
    assert "0–10%" in compared(before, before).to_html()
    assert "no. 1" in compared(before, before).to_html()


def test_forms_of_the_section() -> None:
    """The line begins it in every form; a page draws what a terminal has as marks."""
    before = [("x", 1), ("x", 2), ("y", 5), ("y", 9)] * 3
    original = pandas.DataFrame(before, columns=["g", "n"])
    release = original.assign(n=["[1, 2]" if n < 3 else str(n) for n in original["n"]])
    options: Any = {"user": "", "roles": dict.fromkeys("gn", "attribute"), "only": ["utility", "information"]}
    found = duckrisk.compare(original, release, **options)
    line = "2 of 2 columns, 100% of the records and 96.9% of the detail; means by group as before."
    for text in (found.to_text(200), found.to_markdown(), found.to_html()):
        assert text.index("What the data is still good for") < text.index(line)
    assert "<rect" in found.to_html()
    rows = [line.split() for line in found.to_text(200).splitlines()]
    assert ["n", "0%", "0%"] in rows
    assert ["n", "████", "████"] in rows


def expected(before: Sequence[Any], after: Sequence[Any], ordered: bool) -> dict[tuple[str, int], Any]:
    """The shares of the parts of a column."""
    counts = Counter(before)
    domain = sorted(counts, key=repr)
    known = sorted(value for value in domain if value is not None)
    part: dict[Any, tuple[str, int]] = {None: ("missing", 0)}
    total = sum(counts[value] for value in known)
    by_rank = sorted(known, key=lambda value: (-counts[value], value))
    for value in known:
        below = sum(counts[other] for other in known if other < value)
        band = 1 + min(9, math.floor(10 * (below + Fraction(counts[value], 2)) / total))
        rank = by_rank.index(value) + 1
        part[value] = ("band", band) if ordered else ("value", rank) if rank <= 8 else ("others", 0)
    shares: dict[tuple[str, int], Any] = defaultdict(lambda: [Fraction(0), Fraction(0)])
    for value in before:
        shares[part[value]][0] += Fraction(1, len(before))
    for cell in after:
        covered = covers(cell, domain)
        for value in covered:
            shares[part[value]][1] += Fraction(1, len(covered) * len(after))
        if not covered and ordered and not cell.startswith("{"):
            ends = [Fraction(end) for end in cell.strip("[]").split(", ")]
            number = sum(ends) / len(ends)
            lower = [value for value in known if value <= number] or known[:1]
            shares[part[lower[-1]]][1] += Fraction(1, len(after))
    return {key: pair for key, pair in shares.items() if any(pair)}


CATEGORY = st.sampled_from(["x", "y", "é", "a b", *"bcdefg"])
NUMBER = st.integers(-5, 30)
RELEASED = st.tuples(
    CATEGORY | st.sampled_from(["*", "{x, y}", "{x, é, b}", "q"]) | st.none(),
    NUMBER.map(str)
    | st.sampled_from(["*", "[1, 9]", "[-5, 20]", "{1, 20}", "99", "-40", "[40, 50]"])
    | st.none(),
)


@LIGHTER
@given(
    st.lists(st.tuples(CATEGORY | st.none(), NUMBER | st.none()), max_size=25),
    st.lists(RELEASED, min_size=1, max_size=9),
)
def test_oracle(before: list[Any], after: list[Any]) -> None:
    before = [*FIXED, *before]
    found = compared(before, after, NAMES[:2])
    for place in (0, 1):
        columns = [[row[place] for row in rows] for rows in (before, after)]
        wanted = expected(*columns, ordered=place == 1)
        parts = parts_of(found, place)
        assert parts.keys() == wanted.keys()
        for key, part in parts.items():
            assert (part["before"], part["after"]) == pytest.approx(tuple(map(float, wanted[key])), abs=1e-12)


# --- the line ------------------------------------------------------------------------------------


def means(*changes: float) -> MeansByGroup:
    numbers = tuple(MeanOfGroups(f"n{i}", change / 2, change) for i, change in enumerate(changes))
    return MeansByGroup(max(changes) / 2, max(changes), 9, 2, numbers, 0)


def predicted(after: float | None, before: float | None = 0.93, measure: Any = "auc") -> Prediction:
    reason: Any = "too_few" if after is None else None
    return Prediction("income", measure, 2, before, after, (), 70, 70, 30, True, reason)


LINES = [
    ((means(0.03), predicted(0.9)),
     "means by group within 3.0%; a model predicts income with AUC 0.90 (0.93 before)",
     "グループ別平均の誤差は3.0%以内。モデルによるincomeの予測はAUC 0.90（加工前0.93）"),
    ((means(0.03, 0.5), predicted(0.5, 0.71, "r2")),
     "means by group within 3.0% for 1 of 2 numeric columns; "
     "a model predicts income with R² 0.50 (0.71 before)",
     "グループ別平均の誤差は数値2列中1列で3.0%以内。モデルによるincomeの予測はR² 0.50（加工前0.71）"),
    ((means(0.0), predicted(None)), "means by group as before; no model can learn income (AUC 0.93 before)",
     "グループ別平均は加工前と同じ。モデルはincomeを学習できません（加工前のAUCは0.93）"),
    ((means(0.4), predicted(None, None)), "means by group off by more than 20%",
     "グループ別平均の誤差は20%超"),
    ((None, None), "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("measured", "english", "japanese"), thinned(LINES))
def test_one_line(measured: Any, english: str, japanese: str) -> None:
    line = summarize_utility(Detail(9, 13, 0.714), 98, 100, *measured)
    assert line is not None
    first = {"en": "9 of 13 columns, 98.0% of the records and 71.4% of the detail"}
    first["ja"] = "13列中9列、レコードの98.0%、詳しさの71.4%"
    assert Words("en").format(line) == "; ".join(filter(None, [first["en"], english]))
    assert Words("ja").format(line) == "。".join(filter(None, [first["ja"], japanese]))
    assert summarize_utility(None, 1, 1) is None
