"""The verdict on tables: by hand, against the definitions, and what leaves it open."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.decision import policy
from duckrisk.decision.assessment.results import Assessment
from duckrisk.decision.assessment.verdict import judge_assessment
from tests.command import command, table
from tests.tables import LIGHT

#: Sex and region of so many people each: 11 in each of four classes, all 44 of them in twos and fours.
EVEN = [(sex, region) for sex in "fm" for region in "ns"] * 11

#: The same with a text that is different everywhere.
REMARKED = [
    (*row, f"{i} words that nobody wrote like this: {i * i}, long ones") for i, row in enumerate(EVEN)
]
#: What a verdict needs.
PARTS = ("attribute_risk", "uniqueness", "direct_identifiers")


def assessed(rows: list[tuple[Any, ...]], names: str = "sex region", **asked: Any) -> Assessment:
    """An assessment of these records, each of them a person unless it is said otherwise."""
    columns = dict(zip(names.split(), map(list, zip(*rows, strict=True)), strict=True))
    return duckrisk.assess(
        pandas.DataFrame(columns), **{"user": "", "samples": 0, "detailed": 0, "only": PARTS, **asked}
    )


def found(report: Assessment) -> dict[str, float | None]:
    return {one.name: one.value for one in report.verdict.findings}


def test_a_table_at_every_limit_passes_and_one_record_less_fails() -> None:
    """Two values of 22 people each: one fact names somebody with 2 of 44. Four classes of 11. Nobody is
    alone with two facts, which are all there are."""
    report = assessed(EVEN)
    expected = {"identifying_columns": 0, "unique_people": 0, "smallest_class": 11, "one_fact": 2 / 44}
    assert found(report) == pytest.approx({**expected, "three_facts": 0})
    assert (report.verdict.outcome, report.verdict.undecided_because) == ("pass_if", ())
    assert [one.key for one in report.verdict.assumptions] == ["policy.assume.no_user"]
    less = assessed(EVEN[1:])
    assert found(less)["smallest_class"] == 10
    assert [one.name for one in less.verdict.exceeded] == ["smallest_class"]
    assert less.verdict.outcome == "fail"
    assert assessed(EVEN[1:], policy="shared").verdict.outcome == "pass_if"
    assert assessed(EVEN[1:], policy={"name": "public", "smallest_class": 10}).verdict.outcome == "pass_if"


def test_each_figure_is_that_of_its_definition() -> None:
    """A random table, against brute force: classes by all columns, one fact by each."""
    draw = random.Random(8)
    rows = [(draw.choice("ab"), draw.randrange(9), draw.randrange(25)) for _ in range(90)]
    told = found(assessed(rows, "sex age code"))
    classes = Counter(rows)
    assert told["smallest_class"] == min(classes.values())
    assert told["unique_people"] == pytest.approx(sum(n for n in classes.values() if n == 1) / 90)
    assert told["three_facts"] == told["unique_people"]
    assert told["one_fact"] == pytest.approx(max(len(set(column)) for column in zip(*rows, strict=True)) / 90)


def _alone(rows: list[tuple[Any, ...]], places: tuple[int, ...]) -> int:
    """The people whom the cells of these places single out, where none is missing."""
    holders: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    for row in rows:
        cells = tuple(row[place] for place in places)
        if None not in cells:
            holders[cells].add(row[0])
    return len({next(iter(whose)) for whose in holders.values() if len(whose) == 1})


def test_three_facts_tell_what_two_of_them_tell() -> None:
    """Where most cells are missing few records have three: the limit looked kept that two facts exceed."""
    draw = random.Random(3)
    rows = [[draw.randrange(60) if draw.random() < 0.35 else None for _ in range(4)] for _ in range(1500)]
    report = assessed(rows, "a b c d")
    one, two, three, _ = (known.typical for known in report.uniqueness.facts)
    assert one < three < 0.05 < two
    assert found(report)["three_facts"] == two
    (finding,) = (row for row in report.verdict.findings if row.name == "three_facts")
    assert finding.met is False
    worst = report.uniqueness.facts[1].worst
    assert " ".join(f'"{name}"' for name in worst.attributes).replace(" ", ", ") in report.to_text()


def _frozen(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A record as the person and one value of all its cells."""
    who, *cells = row
    return who, tuple(cells)


CELLS = st.sampled_from(["a", "b", "β", "札幌", " b", None])


@LIGHT
@given(st.lists(st.tuples(st.integers(1, 9), CELLS, CELLS), min_size=1, max_size=30))
def test_figures_and_outcome_are_those_of_any_table(rows: list[tuple[Any, ...]]) -> None:
    """Histories with missing cells, equal records and few people, against brute force; the outcome against
    the definition of a verdict."""
    report = assessed(rows, "who sex city", user="who", attributes=["sex", "city"])
    people = {who for who, *_ in rows}
    holders: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    for who, *cells in rows:
        holders[tuple(cells)].add(who)
    smallest = {who: min(len(h) for h in holders.values() if who in h) for who in people}
    risks = []
    for place in (1, 2):  # a constant tells nothing of anybody, a mark that some have tells of these
        users: dict[str, list[int]] = defaultdict(list)
        for row in rows:
            if row[place] is not None:
                users[row[place]].append(row[0])
        records = sum(map(len, users.values()))
        if len(users) > 1 or 0 < records < len(rows):
            risks.append(sum(len(whose) / len(set(whose)) for whose in users.values()) / records)
    alone = [_alone(rows, places) for places in ((1,), (2,), (1, 2))]
    # Whoever knows both knows each: with missing cells that can tell more.
    three = max((alone[0] + alone[1]) / 2, alone[2])
    histories = {who: Counter(cells for other, cells in map(_frozen, rows) if other == who) for who in people}
    alike = {who: sum(own == other for other in histories.values()) for who, own in histories.items()}
    linked = len(rows) > len(people)
    of_histories = {
        "unique_histories": sum(size == 1 for size in alike.values()) / len(people),
        "smallest_history": min(alike.values()),
    }
    expected = {
        "identifying_columns": 0,
        "unique_people": sum(size == 1 for size in smallest.values()) / len(people),
        "smallest_class": min(smallest.values()),
        **(of_histories if linked else {}),
        "one_fact": max(risks, default=None),
        "three_facts": three / len(people),
    }
    assert found(report) == {
        name: value if value is None else pytest.approx(value) for name, value in expected.items()
    }
    exceeded = [row for row in report.verdict.findings if row.met is False]
    assert {row.name for row in exceeded} == {
        limit.name
        for limit in policy.list_limits(policy.Options())
        if (value := expected.get(limit.name)) is not None and not limit.is_kept_by(value)
    }
    # Fewer than 20 people are never called safe.
    assert report.verdict.outcome == ("fail" if exceeded else "undecided")


def test_people_count_not_records() -> None:
    """Two people of three share all they did: the third is alone, with one record of six."""
    rows = [(1, "x"), (1, "y"), (2, "x"), (2, "y"), (3, "x"), (3, "z")]
    report = assessed(rows, "who item", user="who")
    assert found(report)["unique_people"] == pytest.approx(1 / 3)
    assert found(report)["smallest_class"] == 1


@pytest.mark.parametrize(
    ("rows", "names", "asked", "because"),
    [
        (EVEN[:12], "sex region", {"policy": "internal"}, "few"),
        (REMARKED, "sex region remark", {"roles": {"remark": "free_text"}, "policy": "internal"}, "left_out"),
        (EVEN, "sex region", {"attributes": ["sex"]}, "left_out"),
    ],
)
def test_what_was_not_looked_at_leaves_it_open(rows: Any, names: str, asked: Any, because: str) -> None:
    told = assessed(rows, names, **asked).verdict
    assert told.outcome == "undecided"
    assert [one.key for one in told.undecided_because] == [f"policy.unsettled.{because}"]


def test_parts_that_were_not_asked_for_leave_it_open() -> None:
    told = assessed(EVEN, only=["attribute_risk"]).verdict
    assert told.outcome == "undecided"
    assert {"policy.open.unique_people", "policy.open.identifying_columns"} <= {
        one.key for one in told.undecided_because
    }
    # What was not asked for was not set aside.
    others = assessed(EVEN, only=["suda"]).verdict.undecided_because
    assert {one.key.partition(".open.")[0] for one in others} == {"policy"}


def test_a_guess_leaves_open_what_hangs_on_it() -> None:
    report, unsafe = assessed(EVEN), assessed(EVEN[1:])
    for one, source in ((report, report.source), (unsafe, unsafe.source)):
        guessed = dataclasses.replace(one, source=dataclasses.replace(source, user_confidence="guess"))
        assert judge_assessment(guessed, policy.Options()).outcome == "undecided"
        columns = tuple(dataclasses.replace(c, confidence="guess") for c in source.columns)
        by_role = dataclasses.replace(one, source=dataclasses.replace(source, columns=columns))
        # More columns, or others, can only single out more: a class that is too small stays so.
        assert judge_assessment(by_role, policy.Options()).outcome == (
            "undecided" if one is report else "fail"
        )


def test_an_identifier_by_its_content_fails_whatever_the_column_is_called() -> None:
    rows = [(*row, f"p{place}@example.org") for place, row in enumerate(EVEN)]
    for asked in ({}, {"roles": {"contact": "attribute"}}):
        told = assessed(rows, "sex region contact", **asked).verdict
        assert told.outcome == "fail"
        assert told.findings[0].value == 1
    ignored = assessed(rows, "sex region contact", ignore=["contact"])
    assert ignored.verdict.outcome == "undecided"
    assert [one.key for one in ignored.verdict.undecided_because] == ["policy.unsettled.ignored"]
    assert '"contact" was left out of the check but is still in the file' in ignored.to_text()


def test_free_text_counts_as_an_identifier_outside() -> None:
    asked = {"roles": {"remark": "free_text"}}
    for preset in ("public", "shared"):
        told = assessed(REMARKED, "sex region remark", policy=preset, **asked)
        assert (told.verdict.outcome, told.verdict.findings[0].value) == ("fail", 1)
        assert '"remark" holds free text' in told.to_text()


def test_a_pass_says_what_it_assumes() -> None:
    line = '✓ Meets the policy "public", if each record is one person'
    assert assessed(EVEN, user=None).to_text().splitlines()[2] == line
    assert assessed(EVEN).to_text().splitlines()[2] == line


def test_a_wide_table_on_which_everybody_is_unique_fails() -> None:
    """Each of 20 columns alone tells nothing: 31 values of 2,000 people."""
    draw = random.Random(3)
    rows = [tuple(draw.choices(range(31), k=20)) for _ in range(2_000)]
    report = assessed(rows, " ".join(f"q{place}" for place in range(20)))
    kept = {one.name for one in report.verdict.findings if one.met}
    assert kept == {"identifying_columns", "one_fact"}
    items = {one.item: one for one in report.checklist}
    assert [items[name].status for name in ("singling out", "5")] == ["against", "against"]
    assert items["singling out"].evidence.key == "checklist.found.unique"
    assert (found(report)["three_facts"] or 0) > 0.9


def test_the_verdict_is_a_gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "even.parquet", "SELECT i % 2 AS sex, i // 2 % 2 AS region FROM range(400) t(i)")
    asked = ["assess", "even.parquet", "--fail-on", "policy", "--format", "json"]
    passed = command(*asked)
    assert (passed.code, passed.json["verdict"]["outcome"]) == (1, "pass_if")
    assert passed.json["gates"] == [{"expression": "policy", "passed": False, "value": 1, "where": None}]
    asked += ["--quasi-identifier", "sex", "--quasi-identifier", "region"]
    passed = command(*asked)
    assert (passed.code, passed.json["verdict"]["outcome"]) == (0, "pass_if")
    assert passed.json["gates"] == [{"expression": "policy", "passed": True, "value": 0, "where": None}]
    assert command(*asked, "--only", "attribute_risk").code == 1  # undecided
    Path("duckrisk.toml").write_text('[policy]\nname = "internal"\nsmallest_class = 101\n', encoding="utf-8")
    failed = command(*asked)
    assert (failed.code, failed.json["verdict"]["outcome"]) == (1, "fail")
    finding = failed.json["verdict"]["findings"][2]
    assert (finding["value"], finding["limit"], finding["met"]) == (100, 101, False)
    assert finding["source"] == "duckrisk.toml, [policy]"
    assert command(*asked, "--policy", "public").json["verdict"]["policy"] == "public"
    for wrong in ('name = "secret"', "smallest_class = 0", "one_fact = 2", "fact = 1"):
        Path("duckrisk.toml").write_text(f"[policy]\n{wrong}\n", encoding="utf-8")
        assert command(*asked).code == 2
    Path("duckrisk.toml").unlink()
    assert "--policy must be public, shared or internal" in command(*asked, "--policy", "x").err
    with pytest.raises(duckrisk.UsageError, match="policy must be a name"):
        duckrisk.assess("even.parquet", policy={"limit": 3})
