"""The checklist of rules: what a run shows under each item."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.results import as_data, in_english
from duckrisk.base.sentences import Sentence
from duckrisk.report.words import LANGUAGES, Words, load_catalogue
from tests.assessments import assessed, data_of
from tests.singled_out import NAMES, attribute, singled, singled_data, units
from tests.tables import LIGHTER


def judged(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What the checklist says of these data, by item, in English."""
    return {entry.item: as_data(entry, in_english) for entry in assessed(data).checklist}


def clean(**changes: Any) -> dict[str, Any]:
    """The data of a run that found nobody, in columns all of which were looked at."""
    data = singled_data(
        NAMES,
        singled_out=0,
        not_singled_out=1000,
        total_value=0.0,
        scenarios=[],
        sets=[],
        distribution=[{"ease": 0.0, "records": 1000, "value": 0.0}],
    )
    data["source"].update(user=None, most_records_of_a_user=1)
    data["source"]["columns"] = data["source"]["columns"][1:]
    for entry in data["attribute_risk"]:
        entry.update(singled_out_values=0, singled_out_records=0, share_below_k=0.0)
    data["identifiability"].update(changes)
    data["direct_identifiers"] = {"found": [], "not_examined": []}
    return data


ITEMS = [
    "1",
    "2",
    "3",
    "4",
    "5",
    "singling out",
    "linkability",
    "inference",
    "(b)(1)",
    "(b)(2)(i)",
    "(b)(2)(ii)",
]


@pytest.mark.parametrize("item", ["4", "5", "singling out"])
def test_a_few_people_or_no_columns_speak_for_nothing(item: str) -> None:
    """That nobody was singled out of them is no evidence."""
    data = clean()
    assert judged(data)[item]["status"] == "supports"
    data["source"]["users"] = 20
    assert judged(data)[item]["status"] == "supports"
    data["source"]["users"] = 19
    few = judged(data)[item]
    assert few["status"] == "not_shown"
    assert "19 people are too few to hide among." in few["evidence"]
    empty = clean()
    empty["attribute_risk"] = []
    empty["uniqueness"] = {
        **{"unit": "record", "people": 1000, "records": 1000, "people_examined": 0, "attributes": []},
        **{"not_assessed": [], "missing": "none", "missing_cells": 0, "chance_of_error": 0.0},
        **{"facts": [], "known_records": [], "all_attributes": None, "all_columns": None},
        **{"histories": None, "whole_records": None},
    }
    found = judged(empty)[item]
    assert found["status"] == "not_shown"
    assert "nothing was assessed" in found["evidence"]


def test_what_disclosure_shows_is_evidence() -> None:
    rule = {"missing": "value", "unit": "record", "alone": 3, "smallest_class": 1}
    other = {**rule, "missing": "none", "alone": 77}
    told = {"attribute": "illness", "homogeneous_records": 12}
    mail = {"column": "note", "kind": "e-mail address", "likely": True}
    number = {"column": "n", "kind": "My Number", "likely": True}
    day = {"column": "born", "kind": "full date", "likely": True}
    chance = {"column": "order", "kind": "payment card number", "likely": False}
    data = clean()
    sizes = {"missing": "value", "rules": [rule, other], "users": None, "population_uniqueness": None}
    data["class_sizes"] = sizes
    data["attribute_disclosure"] = {"attributes": [told, {"attribute": "b", "homogeneous_records": 0}]}
    data["direct_identifiers"]["found"] = [mail, number, day, chance]
    found = judged(data)
    for item in ("1", "2", "5", "singling out", "inference", "(b)(2)(i)"):
        assert found[item]["status"] == "against", item
    assert '"note"' in found["1"]["evidence"]
    assert '"n"' in found["2"]["evidence"]
    assert 'whether they hold such codes is not shown: "note"' in found["2"]["evidence"]
    assert not any(name in found[item]["evidence"] for item in found for name in ('"order"', "77"))
    assert "3 records agree with no other one" in found["singling out"]["evidence"]
    assert "12 records" in found["inference"]["evidence"]
    data["attribute_disclosure"] = {"attributes": [{**told, "homogeneous_records": 0}]}
    assert "No class tells" in judged(data)["inference"]["evidence"]


@pytest.mark.parametrize("kind", ["full date", "postal code"])
def test_what_a_rule_lists_and_cells_spell_is_against_it(kind: str) -> None:
    """A day of admission is listed by itself, though it leads to nobody alone."""
    data = clean()
    data["direct_identifiers"]["found"] = [{"column": "age", "kind": kind, "likely": True}]
    found = judged(data)
    assert {found[item]["status"] for item in ("1", "2")} == {"supports"}
    assert found["(b)(2)(i)"]["status"] == "against"
    assert 'Taken for listed identifiers: "age".' in found["(b)(2)(i)"]["evidence"]
    assert "No column" not in found["(b)(2)(i)"]["evidence"]


def test_a_run_that_finds_nobody_supports_what_it_can_show() -> None:
    found = judged(clean())
    assert list(found) == ITEMS
    assert [found[item]["status"] for item in ITEMS] == (
        ["supports"] * 6 + ["not_shown"] * 3 + ["supports", "not_shown"]
    )
    assert "No column was taken for a direct identifier." in found["1"]["evidence"]
    assert "0 of 1,000 records" in found["singling out"]["evidence"]


def test_what_nobody_looked_at_is_not_shown() -> None:
    for left in (None, {"found": [], "not_examined": [{"column": "age", "reason": "type"}]}):
        found = judged({**clean(), "direct_identifiers": left})
        for item in ("1", "2", "3", "(b)(2)(i)"):
            assert found[item]["status"] == "not_shown", item
            assert "not looked at" in found[item]["evidence"]


def test_a_run_that_finds_somebody_speaks_against_it() -> None:
    found = judged(singled_data(NAMES, users=units()))
    for item in ("4", "5", "singling out", "linkability", "inference"):
        assert found[item]["status"] == "against", item
    assert "600 of 1,000 records" in found["5"]["evidence"]
    assert "80 of 90 users" in found["singling out"]["evidence"]
    assert "fewer than 5 users" in found["5"]["evidence"]
    assert '"the user" links up to 40 records' in found["linkability"]["evidence"]
    assert "proposals that nobody has confirmed" in found["2"]["evidence"]


def role(data: dict[str, Any], name: str, changed: str) -> dict[str, Any]:
    (column,) = (c for c in data["source"]["columns"] if c["name"] == name)
    column["role"] = changed
    return data


def typed(name: str, kind: str | None) -> list[dict[str, Any]]:
    return [attribute(n, i, type=kind if n == name else "occupation") for i, n in enumerate(NAMES)]


@pytest.mark.parametrize(
    ("data", "statuses", "words_of"),
    [
        (
            role(clean(), "age", "direct_identifier"),
            {"1": "against", "3": "not_shown", "linkability": "against", "(b)(2)(i)": "against"},
            '"age"',
        ),
        (role(clean(), "age", "date_time"), {"(b)(2)(i)": "against", "5": "supports"}, '"age"'),
        (
            clean(attributes=typed("age", "passport_number")),
            {"2": "against", "(b)(2)(i)": "against"},
            '"age"',
        ),
        (clean(attributes=typed("age", "email_address")), {"2": "supports", "(b)(2)(i)": "against"}, '"age"'),
        (
            clean(attributes=typed("age", "date_of_birth")),
            {"2": "supports", "(b)(2)(i)": "against"},
            '"age"',
        ),
        (
            clean(attributes=typed("age", None)),
            {"2": "not_shown", "(b)(2)(i)": "not_shown", "5": "supports"},
            '"age"',
        ),
        (clean(unknown=5), {"5": "not_shown", "singling out": "not_shown"}, "5 records were left open"),
        (
            clean(users=units(singled_out=0, unknown=2)),
            {"5": "not_shown", "singling out": "not_shown"},
            "0 of 90",
        ),
        (clean(users=units()), {"5": "against", "singling out": "against"}, "80 of 90 users"),
        (
            clean(attributes=typed("age", "address")[:2]),
            {"2": "not_shown", "4": "not_shown", "5": "not_shown", "singling out": "not_shown"},
            '"income"',
        ),
    ],
)
def test_each_finding_counts(data: dict[str, Any], statuses: dict[str, str], words_of: str) -> None:
    found = judged(data)
    assert {item: found[item]["status"] for item in statuses} == statuses
    assert words_of in " ".join(found[item]["evidence"] for item in statuses)


@pytest.mark.parametrize("unread", ["free_text", "ignored"])
def test_what_was_not_read_supports_nothing(unread: str) -> None:
    data = role(clean(), "age", unread)
    data["identifiability"]["attributes"] = data["identifiability"]["attributes"][1:]
    found = judged(data)
    assert {found[item]["status"] for item in ITEMS} == {"not_shown"}


def test_a_name_in_the_record() -> None:
    data = clean(attributes=typed("age", "name"))
    data["identifiability"]["jo"]["identifiability"] = 3
    found = judged(data)["1"]
    assert found["status"] == "against"
    assert 'By their types, "age" name people (JO identifiability 3).' in found["evidence"]


def test_the_user_column_leaves_questions_open() -> None:
    data = clean()
    data["source"].update(user="age")
    found = judged(role(data, "age", "user"))
    assert [found[item]["status"] for item in ("1", "2", "3", "(b)(2)(i)")] == ["not_shown"] * 4
    assert '"age" gives each user a code.' in found["3"]["evidence"]
    assert found["linkability"]["status"] == "not_shown"


def test_the_risk_of_attributes_alone() -> None:
    found = judged(data_of(NAMES))
    assert {item: found[item]["status"] for item in ("2", "4", "5", "singling out", "inference")} == {
        "2": "not_shown",
        "4": "against",
        "5": "against",
        "singling out": "against",
        "inference": "not_shown",
    }
    data = clean()
    data["identifiability"] = None
    found = judged(data)
    assert [found[item]["status"] for item in ("2", "4", "5", "singling out", "(b)(2)(i)")] == [
        "not_shown"
    ] * 5
    data["attribute_risk"] = []
    assert list(judged(data)) == ITEMS


def test_the_wording_promises_nothing() -> None:
    told = " ".join(str(text) for key, text in load_catalogue("en").items() if key.startswith("checklist."))
    assert "compl" not in told.casefold().replace("completely", "").replace("complete", "")
    for entry in judged(singled_data(NAMES)).values():
        if entry["framework"].startswith("HIPAA"):
            numbers = re.findall(r"\d[\d,.]*", entry["requirement"])
            assert set(numbers) <= {"45", "164.514"}, "the rule has no number to cross"
            assert "fewer than" not in entry["evidence"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_checklist_is_in_each_form(language: str) -> None:
    report = singled(NAMES)
    page, marked, shown = (
        report.to_html(language),
        report.to_markdown(language),
        report.to_text(80, language, full=True),
    )
    words = Words(language)
    for entry in report.checklist:
        assert words.format(entry.framework) in page.replace("&#39;", "'")
        assert words.format(entry.framework) in marked
        assert words.format(entry.framework) in shown
    told = words.look_up("checklist.evidence")
    assert page.count(f">{told}</th>") == 3
    assert shown.count(told) == words.look_up("checklist.title").count(told)


def test_no_value_of_a_record_is_evidence() -> None:
    data = singled_data(NAMES)
    data["settings"]["show_values"] = True
    for one in data["identifiability"]["scenarios"]:
        one["cells"] = dict.fromkeys(one["attributes"], "CANARY")
    assert "CANARY" not in str(judged(data))


#: Figures and names in the evidence that speak against a table, by the sentence that has them.
AGAINST = {
    "singled_out": "singled_out",
    "singled_out_users": "singled_out",
    "unique": "people",
    "alone_records": "alone",
    "alone_users": "alone",
    "rare_values": "records",
    "one_attribute": "count",
    "below_k": "share",
    "told": "records",
    "learns": "singled_out",
    "identifiers": "count",
    "by_content": "count",
    "named": "count",
    "codes": "count",
    "code_held": "count",
    "listed": "count",
    "spelled": "count",
    "links": "most",
    "identifiers_link": "count",
}


def test_what_attributes_without_a_level_single_out_is_evidence() -> None:
    """The search finds 0 of 300 by the one attribute that has a level; all three single out 20."""
    pets = [n if n < 20 else n % 7 + 50 for n in range(300)]
    frame = pandas.DataFrame({"town": ["a", "b"] * 150, "shoe": [n // 100 for n in range(300)], "pets": pets})
    found = duckrisk.assess(frame, user="", levels={"town": [1, 2]}, samples=0, known_records=0)
    items = {item.item: item for item in found.checklist}
    for name in ("5", "singling out"):
        assert items[name].status == "against"
        first = "All attributes together single out 20 of 300 people."
        assert in_english(items[name].evidence).startswith(first)


def sentences(text: Any) -> Iterator[Sentence]:
    """The sentences of some evidence, one by one."""
    if text.key == "two":
        yield from sentences(text.values["first"])
        yield from sentences(text.values["second"])
    else:
        yield text


def speaks_against(sentence: Sentence) -> bool:
    """Whether a sentence has a figure above 0 that speaks against a table."""
    name = sentence.key.removeprefix("checklist.found.")
    return name in AGAINST and bool(re.search("[1-9]", str(sentence.values[AGAINST[name]])))


@LIGHTER
@given(
    st.lists(
        st.tuples(
            st.integers(1, 12),
            st.sampled_from(["a", "b", None]),
            st.integers(0, 3),
            st.one_of(st.integers(0, 1), st.integers(0, 40)),
        ),
        min_size=20,
        max_size=50,
    ),
    st.booleans(),
    st.sets(st.sampled_from(["town", "shoe", "pets"])),
    st.booleans(),
)
def test_no_figure_of_the_evidence_contradicts_the_status(
    rows: list[tuple[Any, ...]], users: bool, levelled: set[str], disclosure: bool
) -> None:
    """Some attributes have levels, others none: what speaks against a table is named, and only that does."""
    frame = pandas.DataFrame(rows, columns=["member_id", "town", "shoe", "pets"])
    found = duckrisk.assess(
        frame,
        user="member_id" if users else "",
        ignore=[] if users else ["member_id"],
        levels={name: [1, 2] for name in levelled},
        quasi_identifiers=["town", "shoe"] if disclosure else [],
        sensitive=["pets"] if disclosure else [],
        samples=0,
        known_records=0,
    )
    for item in found.checklist:
        told = [*sentences(item.evidence)]
        against = [sentence.key for sentence in told if speaks_against(sentence)]
        if item.status == "supports":
            assert not against, item
        if item.status == "against":
            assert against, item
