"""Tables whose rows are not one person each: counts of people, things, and sums of other rows."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.errors import NotReachedError, SourceError, UsageError
from duckrisk.base.results import in_english
from tests.tables import EXAMPLES, thinned

_CELL = st.tuples(
    st.sampled_from(["a", "b", None]),
    st.sampled_from(["x", "y", "z"]),
    st.sampled_from(["ill", "well", None]),
    st.integers(0, 12),
)
#: What a table of counts and the table of its people say alike.
_SAME = ("attribute_risk", "uniqueness", "sensitive", "class_sizes")


def _measured(frame: pd.DataFrame, **options: Any) -> dict[str, Any]:
    known = {"quasi_identifiers": ["g", "h"], "sensitive": ["s"], "samples": 0, "known_records": 0}
    only = ["attribute_risk", "uniqueness", "class_sizes"]
    data: dict[str, Any] = json.loads(duckrisk.assess(frame, only=only, **known, **options).to_json())
    data["uniqueness"].pop("not_assessed")  # the counts
    verdict = [(finding["name"], finding["value"]) for finding in data["verdict"]["findings"]]
    return {**{name: data[name] for name in _SAME}, "verdict": verdict, "users": data["source"]["users"]}


@pytest.mark.slow
@settings(max_examples=EXAMPLES, deadline=None)
@given(
    st.lists(_CELL, min_size=2, max_size=25), st.booleans(), st.sampled_from(["value", "none", "wildcard"])
)
def test_counts_are_the_people_that_they_stand_for(cells: list[Any], as_text: bool, missing: str) -> None:
    """The oracle writes each row as often as its count says, and assesses that."""
    cells = [*cells, ("a", "x", "ill", 3), ("b", "y", "well", 1)]
    names = ["g", "h", "s", "n"]
    people = [cell[:3] for cell in cells for _ in range(cell[3])]
    counts = pd.DataFrame(cells, columns=names)
    counts = counts.astype({"n": str}) if as_text else counts
    found = _measured(counts, count="n", missing=missing)
    expected = _measured(pd.DataFrame(people, columns=names[:3]), user="", missing=missing)
    assert found == expected


def test_bands_of_counts_hold_the_people() -> None:
    """Of ages 0 to 99 in a cell each, nearly all people are from 40 to 51: bands are narrow."""
    ages = pd.DataFrame(
        {"age": range(100), "sex": "F", "n": [1000 if 40 <= age < 52 else 1 for age in range(100)]}
    )
    people = ages.loc[ages.index.repeat(ages["n"]), ["age", "sex"]]
    asked: dict[str, Any] = {
        "only": ["attribute_risk"],
        "quasi_identifiers": ["age"],
        "samples": 0,
        "known_records": 0,
    }
    counted = duckrisk.assess(ages, count="n", **asked).coarser_knowledge
    assert counted == duckrisk.assess(people, user="", **asked).coarser_knowledge
    assert [form.coarser for form in counted] == ["age.band(2)"]


def _assess(text: str, path: Path, **options: Any) -> Any:
    path.write_text(text, encoding="utf-8")
    return duckrisk.assess(str(path), only=["uniqueness", "direct_identifiers"], **options)


def _cells(rows: str) -> str:
    return "region,sex,patients\n" + rows


def test_rows_that_stand_for_nobody_or_for_others_are_left_out(tmp_path: Path) -> None:
    """20 + 12 + 30 people; 0 is nobody, <11 is hidden, and the rows of totals are no people."""
    rows = "A,M,20\nA,F,12\nB,M,0\nB,F,<11\nC,M,30\nTotal,M,50\n合計,,62\n,,62\n"
    result = _assess(_cells(rows), tmp_path / "a.csv", count="patients")
    assert dataclasses.astuple(result.source.counted) == ("patients", 3, 62, 1, 1, 3)
    assert (result.source.users, result.uniqueness.all_attributes.smallest_class) == (62, 12)
    keys = [text.key for text in result.verdict.undecided_because]
    assert result.verdict.outcome == "undecided"
    assert keys[:2] == ["policy.unsettled.hidden_counts", "policy.unsettled.total_rows"]
    whole = _assess(_cells("A,M,20\nA,F,12\nC,M,30\n"), tmp_path / "b.csv", count="patients")
    assert [text.key for text in whole.verdict.undecided_because] == ["policy.open.one_fact"]


@pytest.mark.parametrize(
    ("rows", "options", "error", "key"),
    [
        ("A,M,-1\n", {"count": "patients"}, SourceError, "no integers of 0 or more"),
        ("A,M,1.5\n", {"count": "patients"}, SourceError, "no integers of 0 or more"),
        ("A,M,many\n", {"count": "patients"}, SourceError, "no integers of 0 or more"),
        ("A,M,0\n", {"count": "patients"}, SourceError, "above 0"),
        ("A,M,4\n", {"count": "patients", "user": "region"}, UsageError, "identifies the person"),
        ("A,M,4\n", {"count": "patients", "no_persons": True}, UsageError, "without persons"),
        ("A,M,4\n", {"count": "patients", "weight": "patients"}, UsageError, "--weight"),
        ("A,M,4\n", {"count": "patients", "attribute_disclosure": True}, UsageError, "keyword"),
        ("A,M,4\n", {"count": "patients", "method": "sample"}, UsageError, "--sample"),
    ],
)
def test_refused_counts(
    rows: str, options: dict[str, Any], error: type[Exception], key: str, tmp_path: Path
) -> None:
    if key == "keyword":
        options, key = (
            {"count": "patients", "fail_on": ["identifiability.total_value > 5"]},
            "identifiability",
        )
    with pytest.raises(error, match=key):
        _assess(_cells(rows), tmp_path / "a.csv", **options)


@pytest.mark.slow
def test_other_commands_refuse_counts(tmp_path: Path) -> None:
    """What a refusal says to type agrees with assess; hidden counts and sums leave people open."""
    path = _written(tmp_path / "a.csv", _cells("A,M,20\nA,F,12\nB,F,3\n"))
    release = str(tmp_path / "r.csv")
    with pytest.raises(UsageError, match="assess --no-persons"):
        duckrisk.compare(str(path), str(path), no_persons=True)
    for refused in (
        lambda: duckrisk.advise(str(path), count="patients"),
        lambda: duckrisk.compare(str(path), str(path), count="patients"),
        lambda: duckrisk.anonymize(str(path), release, to_policy="public", count="patients", overwrite=True),
    ):
        with pytest.raises(UsageError, match="assess --count") as refusal:
            refused()
        query = shlex.split(str(refusal.value).partition("--query ")[2])[0].rstrip(";")
        people = duckrisk.anonymize(
            str(path), release, steps=[{"method": "delete", "where": "FALSE"}], query=query, overwrite=True
        )
        assert people.records == 35
    counted = duckrisk.assess(str(path), count="patients").verdict
    advised = duckrisk.advise(str(path), user="", query=query).lines[0].people.verdict
    assert [finding.name for finding in advised.exceeded] == [finding.name for finding in counted.exceeded]
    for rows in ("A,M,20\nA,F,<5\n", "A,M,20\nTotal,M,20\n"):
        with pytest.raises(UsageError, match="hidden counts and"):
            duckrisk.advise(str(_written(path, _cells(rows))), count="patients")


_GRID = [(a, b) for a in "ABCD" for b in ("0-19", "20-39", "40-59", "60+")]
#: Headers and rows, and what they are taken to hold.
_TABLES = {
    "region,age_group,patients": ([f"{a},{b},{3 + 7 * i}" for i, (a, b) in enumerate(_GRID)], "counts"),
    "地域,年齢階級,人数": ([f"{a},{b},{3 + 7 * i}" for i, (a, b) in enumerate(_GRID)], "counts"),
    "region,age_band,deaths": (
        [f"{a},{b},{3 + 7 * i if i % 4 else '<11'}" for i, (a, b) in enumerate(_GRID)],
        "counts",
    ),
    "area,band,n": ([f"{a},{b},{3 + 7 * i}" for i, (a, b) in enumerate(_GRID)], "counts"),
    "area,band,cells_in": ([f"{a},{b},{3 + 7 * (i % 7)}" for i, (a, b) in enumerate(_GRID)], "counts"),
    "prefecture,population": ([f"P{i},{5000 + 37 * i}" for i in range(47)], "counts"),
    "product_code,category,price": ([f"X{i % 9},{'AB'[i % 2]},{i * 3 % 50}" for i in range(60)], "things"),
    "carrier,origin,dest,air_time": (
        [f"{['UA', 'DL'][i % 2]},A{i % 5},B{i % 7},{i % 30}" for i in range(80)],
        "things",
    ),
    "age,sex,city": ([f"{20 + i % 40},{'MF'[i % 2]},C{i % 4}" for i in range(90)], "persons"),
    "orders,city,order_day": ([f"{i % 4},C{i % 4},2024-01-{1 + i % 28:02}" for i in range(90)], "persons"),
    "f01,f02,f03": ([f"{i % 9},C{i % 4},{i % 5}" for i in range(90)], "persons"),
}


def test_what_rows_stand_for_is_a_guess(tmp_path: Path) -> None:
    """A guess is undecided; --user '' settles it."""
    wrong = []
    path = _written(tmp_path / "a.csv", _cells("".join(f"{a},{b},{i}\n" for i, (a, b) in enumerate(_GRID))))
    assert not duckrisk.assess(str(path), only=["direct_identifiers"], user="").source.holdings.is_doubtful
    for number, (header, (rows, holds)) in thinned(enumerate(_TABLES.items())):
        text = "\n".join([header, *rows]) + "\n"
        path = _written(tmp_path / f"{number}.csv", text)
        result = duckrisk.assess(str(path), only=["direct_identifiers"])
        held = result.source.holdings
        found = "counts" if held.like_counts else "things" if held.may_lack_persons else "persons"
        if found != holds or (holds != "persons" and result.verdict.outcome != "undecided"):
            wrong.append((header, found, result.verdict.outcome))
    assert not wrong


@pytest.mark.slow
def test_commands_about_one_table_say_the_same_of_its_rows(tmp_path: Path) -> None:
    """Why assess is undecided is why a comparison and a treatment up to a policy are."""
    tables = {
        "region,age_group,patients": [
            f"{a},{b}-{b + 9},{a * b}" for a in range(1, 5) for b in range(0, 120, 10)
        ],
        "product_code,category,price": [f"X{i % 12},{'ABC'[i % 3]},{i % 7}" for i in range(60)],
    }
    for header, rows in thinned(tables.items()):
        path = str(_written(tmp_path / "a.csv", "\n".join([header, *rows]) + "\n"))
        said = in_english(duckrisk.assess(path, only=["direct_identifiers"]).verdict.undecided_because[0])
        compared = duckrisk.compare(path, path, only=["risk"]).tables[1].risk.people.verdict.undecided_because
        assert said in map(in_english, compared), header
        with pytest.raises(NotReachedError, match=re.escape(said)):
            duckrisk.anonymize(path, str(tmp_path / "r.csv"), to_policy="public")


def test_no_persons_makes_no_claim_on_people(tmp_path: Path) -> None:
    rows = "".join(f"{i},Item {i % 7},{i % 50},a{i}@example.org\n" for i in range(1, 90))
    things = "product_id,product,price\n" + "".join(
        line.rpartition(",")[0] + "\n" for line in rows.splitlines()
    )
    result = duckrisk.assess(str(_written(tmp_path / "a.csv", things)), no_persons=True)
    assert (result.verdict.outcome, result.verdict.accepted) == ("pass_if", True)
    assert [finding.name for finding in result.verdict.findings] == ["identifying_columns"]
    assert (result.uniqueness, result.checklist) == (None, ())
    mails = duckrisk.assess(
        str(_written(tmp_path / "b.csv", "product_id,product,price,contact\n" + rows)), no_persons=True
    )
    assert mails.verdict.outcome == "fail"
    assert mails.source.holdings.persons == ("contact",)


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_line_of_totals_is_no_person(tmp_path: Path) -> None:
    """480 people alike in groups of 80, and a last or first line of their sum."""
    people = [f"{i + 1},{'MF'[i % 2]},{('20-39', '40-59', '60+')[i % 3]}" for i in range(480)]
    for place, line in ((480, 482), (0, 2)):
        rows = [*people[:place], "Total,,480", *people[place:]]
        path = _written(tmp_path / "a.csv", "\n".join(["member_id,sex,age_group", *rows]) + "\n")
        result = duckrisk.assess(str(path), only=["direct_identifiers"])
        first, *_ = result.verdict.undecided_because
        assert (first.key, first.values["number"]) == ("policy.unsettled.totals_line", str(line))
    without = _assess("\n".join(["member_id,sex,age_group", *people]) + "\n", tmp_path / "a.csv")
    assert without.source.holdings.totals is None
    assert without.uniqueness.all_attributes.smallest_class == 80


def test_settings_declare_counts(tmp_path: Path) -> None:
    from tests.command import command

    path = _written(tmp_path / "a.csv", _cells("A,M,20\nA,F,12\nC,M,30\n"))
    config = _written(tmp_path / "duckrisk.toml", '[columns]\npatients = "count"\n')
    told = command("assess", path, "--config", config, "--only", "uniqueness", "--format", "json")
    assert json.loads(told.out)["source"]["counted"]["people"] == 62
