"""Means by group, as a reader of the release computes them: by hand, and from the definition in fractions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.release.comparison import means_by_group
from tests.compare_oracle import covers
from tests.hostile import NAMES
from tests.shared_data import shared
from tests.tables import LIGHTER

pytestmark = pytest.mark.slow

Rows = Sequence[tuple[Any, ...]]
#: A constant is no attribute: these two records make none of the columns one.
FIXED = [("x", 10), ("y", 100)]


def compared(original: Rows, release: Rows, names: Sequence[str] = ("g", "n")) -> Any:
    """The figures of a release, of a column of groups and columns of numbers."""
    before = pandas.DataFrame(original, columns=names)
    for name in names[1:]:
        before[name] = before[name].astype("Int64")
    after = pandas.DataFrame(release, columns=names, dtype="string")
    roles = dict.fromkeys(names, "attribute")
    data = duckrisk.compare(before, after, user="", roles=roles, only=["utility"]).to_dict()
    kept = data["tables"][0]["utility"]["group_means"]
    assert kept is None or (kept["median"], kept["within"]) == (0, 0)
    return data["tables"][1]["utility"]["group_means"]


def test_by_hand() -> None:
    """* is the mean of 15, 30, 40 and 150, so 58.75. Of x there are 15, 30 and half of 40 in 2.5 records, a
    mean of 26 instead of 25; of y half of 40, 58.75 and 150, 91.5 instead of 150. A record of x is gone."""
    original = [("x", 10), ("x", 20), ("x", 30), ("x", 40), ("y", 100), ("y", 200)]
    release = [("x", "[10, 20]"), ("x", "30"), ("{x, y}", "40"), ("y", "*"), ("y", "[100, 200]")]
    found = compared(original, release)
    (number,) = found.pop("numbers")
    assert number == pytest.approx({"number": "n", "median": 0.04, "within": 0.39})
    assert found == pytest.approx(
        {"median": 0.04, "within": 0.39, "groups": 2, "categories": 1, "left_out": 0}
    )


def test_groups_that_are_gone_and_means_of_zero() -> None:
    """Nobody may be in y any more; in x, where all were 0, one is not."""
    original = [("x", 0), ("x", 0), ("y", -4), ("y", 4), ("z", -4), ("z", 4)]
    found = compared(original, [("x", "0"), ("x", "4"), ("z", "-4"), ("z", "0")])
    # The mean of z is -2 instead of 0, half of how far from 0 its numbers are.
    assert (found["median"], found["within"], found["groups"]) == (1, 1, 3)
    found = compared(original, [("x", "0"), ("y", "0"), ("z", "-4"), ("z", "0")])
    assert (found["median"], found["within"]) == (0, 0.5)


def test_nothing_to_compare() -> None:
    numbers = [(1, 10), (2, 20), (1, 30)]
    assert compared(numbers, numbers, ("m", "n")) is None
    frame = pandas.DataFrame({"g": ["x", "y", "x"], "n": [1, 2, 2]})
    given = {"user": "", "roles": dict.fromkeys(["g", "n"], "attribute"), "only": ["utility"]}
    data = duckrisk.compare(frame, frame[["g"]], **given).to_dict()
    assert data["tables"][1]["utility"]["group_means"] is None


def test_more_columns_than_are_compared() -> None:
    rows = [("x", 1, 5), ("y", 2, 6), ("x", 3, 6)]
    with mock.patch.object(means_by_group, "MAX_COLUMNS", 1):
        found = compared(rows, rows, ("g", NAMES[0], NAMES[1]))
    assert [entry["number"] for entry in found["numbers"]] == [NAMES[0]]
    assert found["left_out"] == 1


def read_number(cell: Any, domain: list[Any], others: list[Fraction]) -> Fraction | None:
    """The number that stands for a cell."""
    if cell is None:
        return None
    if cell == "*":
        return Fraction(sum(others), len(others)) if others else None
    covered = [Fraction(value) for value in covers(cell, domain)]
    if not covered:  # the number itself, or the middle of the interval
        ends = [Fraction(end) for end in cell.strip("[]").split(", ")] if cell[0] != "{" else []
        return sum(ends) / len(ends) if ends else None
    if cell.startswith("["):
        return (min(covered) + max(covered)) / 2
    return Fraction(sum(covered), len(covered))


def expected(original: Rows, release: Rows) -> tuple[Fraction, Fraction] | None:
    """Median and 95 % of the changes, from the definition."""
    groups, numbers = ({row[place] for row in original} for place in (0, 1))
    domain = sorted(numbers, key=repr)
    stars = [
        read for _, cell in release if cell != "*" and (read := read_number(cell, domain, [])) is not None
    ]
    sums: dict[Any, list[Fraction]] = defaultdict(lambda: [Fraction(0), Fraction(0)])
    for group, cell in release:
        members, number = covers(group, list(groups)), read_number(cell, domain, stars)
        for member in members if number is not None else ():
            sums[member][0] += number / len(members)
            sums[member][1] += Fraction(1, len(members))
    if not any(weight for group, (_, weight) in sums.items() if group is not None):
        return None
    changes: list[Fraction] = []
    for group in groups - {None}:
        values = [Fraction(n) for g, n in original if g == group and n is not None]
        if not values:
            continue
        size = sum(map(abs, values)) / len(values)
        change = Fraction(1)
        if group in sums:
            far = abs(sums[group][0] / sums[group][1] - sum(values) / len(values))
            change = min(Fraction(1), far / size) if size else Fraction(far != 0)
        changes += [change] * len(values)
    changes.sort()
    if not changes:
        return None
    return changes[-(-len(changes) // 2) - 1], changes[-(-19 * len(changes) // 20) - 1]


GROUPS = st.sampled_from(["x", "y", "é", "a b"])
ORIGINAL = st.tuples(GROUPS | st.none(), st.none() | st.integers(-3, 9))
RELEASE = st.tuples(
    st.none() | GROUPS | st.sampled_from(["*", "{x, y}", "{x, é, y}"]),
    st.none() | st.sampled_from(["*", "[-3, 4]", "[1, 9]", "{0, 7}", "5", "-2", "77", "[50, 60]"]),
)


@LIGHTER
@given(st.lists(ORIGINAL, max_size=9), st.lists(RELEASE, min_size=1, max_size=9))
def test_oracle(original: list[Any], release: list[Any]) -> None:
    original = [*FIXED, *original]
    wanted, found = expected(original, release), compared(original, release)
    if wanted is None:
        assert found is None
        return
    assert (found["median"], found["within"]) == pytest.approx(tuple(map(float, wanted)), abs=1e-9)


def test_a_real_table_in_pandas(tmp_path: Path) -> None:
    """Ages in tens and pairs of sexes, by pandas: the middle of an interval is that of the ages in it."""
    adult = pandas.read_parquet(shared("adult.parquet"))[["age", "sex", "race", "hours-per-week"]]
    release = adult.iloc[::3].copy()
    tens = release["age"] // 10
    release["age"] = [f"[{ten * 10}, {ten * 10 + 9}]" for ten in tens]
    release["sex"] = [
        "{Female, Male}" if i % 4 == 0 else sex for i, sex in enumerate(release["sex"].astype(str))
    ]
    roles = dict.fromkeys(adult.columns, "attribute")
    data = duckrisk.compare(adult, release, user="", roles=roles, only=["utility"]).to_dict()
    ends = adult["age"].groupby(adult["age"] // 10).agg(["min", "max"]).mean(axis=1)
    ages = tens.map(ends)
    spread = [["Female", "Male"] if sex.startswith("{") else [sex] for sex in release["sex"]]
    changes = []
    for name in ("sex", "race"):
        members = pandas.Series(
            spread if name == "sex" else [[race] for race in release[name]], release.index
        )
        for number, read in (("age", ages), ("hours-per-week", release["hours-per-week"])):
            table = pandas.DataFrame({"g": members, "w": 1 / members.str.len(), "x": read}).explode("g")
            after = (table["w"] * table["x"]).groupby(table["g"]).sum() / table["w"].groupby(table["g"]).sum()
            before = adult.groupby(name, observed=True)[number].agg(["mean", "size"])
            part = pandas.DataFrame(
                {"change": (after / before["mean"] - 1).abs(), "records": before["size"], "number": number}
            )
            changes.append(part)
    every = pandas.concat(changes)
    found = data["tables"][1]["utility"]["group_means"]
    for name in (None, "age", "hours-per-week"):
        some = (every if name is None else every[every["number"] == name]).sort_values("change")
        below = some["records"].cumsum()
        wanted = [
            some["change"][(below >= share * some["records"].sum()).to_numpy()].iloc[0]
            for share in (0.5, 0.95)
        ]
        entry = found if name is None else next(e for e in found["numbers"] if e["number"] == name)
        assert [entry["median"], entry["within"]] == pytest.approx(wanted, abs=1e-9)
