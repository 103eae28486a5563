"""The section on who can be singled out: what it says, in which case, and its figures."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from rich.cells import cell_len

from duckrisk.base.numbers import format_ease
from duckrisk.measures.identifiability.results import Identifiability
from duckrisk.report.blocks import Document, Figure, Paragraph
from duckrisk.report.charts import FIGURE_ROWS, FIGURE_WIDTH, Drawing
from duckrisk.report.render.html import to_html
from duckrisk.report.render.markdown import to_markdown
from duckrisk.report.render.terminal import to_text
from duckrisk.report.schema import _make_object
from duckrisk.report.sections.identifiability import make_blocks, write_headline
from duckrisk.report.words import LANGUAGES, Words
from tests.assessments import squares
from tests.hostile import NAMES as HOSTILE
from tests.shapes import lines
from tests.singled_out import LIMITED, NAMES, attribute, scenario, section, units
from tests.tables import thinned
from tests.typed import typed


def found(names: list[str] = NAMES, **changes: Any) -> Identifiability:
    return typed(Identifiability, section(names, **changes))


def document(about: Identifiability) -> Document:
    columns = [entry.column for entry in about.attributes]
    told = make_blocks(about, columns)
    return Document("title", (Paragraph(write_headline(about), "headline"), *told))


def told(about: Identifiability) -> str:
    """All that is said on a terminal, in a line."""
    return " ".join(to_text(document(about), 100).split())


def figure(about: Identifiability, place: int) -> Drawing:
    figures = [block for block in make_blocks(about, NAMES) if isinstance(block, Figure)]
    return figures[place].draw(Words())


@pytest.mark.parametrize(
    ("value", "shown_as"),
    [(2.0, "2.0"), (1.62, "1.62"), (0.949077545639, "0.949"), (0.0, "0"), (1e-5, "< 0.001"), (None, "-")],
)
def test_eases(value: float | None, shown_as: str) -> None:
    assert format_ease(value) == shown_as


def test_the_main_numbers_and_a_scenario_in_words() -> None:
    said = told(found())
    for sentence in (
        "600 of 1,000 records (60.0%) can be singled out by what an attacker may know of a person. Estimated "
        "damages of a leak: about 1.00 million yen (7.50 million yen by the JO model alone).",
        "Record 24,028 is the only one with age = ‹…› and occupation = ‹…›. An attacker who knows that "
        "learns income. Damages: 15,000 yen.",
        "stands for a value of the record; --show-values shows it.",
        'If "age" were published only in bands of 10, the damages would drop from 1,000,000 yen to 415,000 '
        "yen (-58.5%), and 200 records could be singled out.",
        'If "age" were left out altogether, the damages would drop from 1,000,000 yen to 500,000 yen '
        "(-50.0%).",
        "6 of 7 attribute sets were examined; the other 1 could not change the result (1 when all records "
        "were settled). The result is exact.",
        "30 cells are missing; a missing cell tells nothing here. If missing were a value like any other, "
        "610 records could be singled out, with damages of 1,100,000 yen.",
        "The sensitivity levels of age, occupation, income are proposals that nobody has confirmed",
        "of 600 records that can be singled out, those with the highest damages first.",
    ):
        assert sentence in said, sentence


CASES: list[tuple[dict[str, Any], str]] = [
    ({"singled_out": 1000, "not_singled_out": 0}, "Each of the 1,000 records can be singled out"),
    (
        {"singled_out": 0, "not_singled_out": 1000, "total_value": 0.0, "scenarios": [], "sets": []},
        "No record can be singled out, even by all attributes together",
    ),
    (LIMITED, "At least 600 of 1,000 records (60.0%) can be singled out"),
    (LIMITED, "at least 1.00 million yen"),
    (
        LIMITED,
        "The time limit (time_limit) ended the search: 120 records may still be singled out, with an ease of "
        "at most 0.949. What was found is exact.",
    ),
    (
        {**LIMITED, "limit": "max_size", "unknown_ease_at_most": None},
        "The limit of attributes in a set (max_size) ended the search: 120 records may still be singled out.",
    ),
    ({**LIMITED, "ties_complete": False}, "Of some equally easy sets, which are very many, not all were"),
    ({**LIMITED, "limit": "built_in"}, "The built-in limit ended the search (--thorough lifts it): 120"),
    ({**LIMITED, "limit": "too_many_sets"}, "Too many equally easy sets ended the search (--attribute"),
    ({**LIMITED, "limit": "max_sets", "unknown": 0}, "(max_sets) ended the search, but left nothing open."),
    (
        {
            "sets_possible": 7,
            "sets_examined": 7,
            "sets_not_examined": dict.fromkeys(("adds_nothing", "settles_nobody", "all_settled", "limit"), 0),
        },
        "All 7 attribute sets were examined.",
    ),
    (
        {
            "sets_possible": 1,
            "sets_examined": 1,
            "sets_not_examined": dict.fromkeys(("adds_nothing", "settles_nobody", "all_settled", "limit"), 0),
        },
        "The only attribute set was examined.",
    ),
    (
        {
            "sets_possible": 15,
            "sets_examined": 5,
            "sets_not_examined": {"adds_nothing": 4, "settles_nobody": 3, "all_settled": 0, "limit": 3},
        },
        "5 of 15 attribute sets were examined; not examined: 4 add nothing to a smaller set, 3 could settle "
        "no record that was left, 3 because of the limit.",
    ),
    ({"missing_mode": "value"}, "30 cells are missing; missing is a value like any other here."),
    ({"missing_cells": 1}, "One cell is missing; a missing cell tells nothing here."),
    ({"other_missing_mode": None}, "was not searched; --thorough asks for it."),
    ({"currency": "EUR", "total_value": 3.5, "jo_total_value": 99}, "about 3.50 EUR (99 EUR by the JO model"),
    (
        {"users": units()},
        "80 of 90 users can be singled out: some combination of theirs is held by no other user. Estimated "
        "damages of a leak: 60,000 yen (675,000 yen by the JO model alone).",
    ),
    ({"users": units(singled_out=0, not_singled_out=90)}, "No user can be singled out"),
    ({"users": units(unknown=3, limit="max_sets", complete=False)}, "At least 80 of 90 users"),
    (
        {"users": units(unknown=3, limit="max_sets", complete=False, unknown_ease_at_most=0.5)},
        "3 users may still be singled out, with an ease of at most 0.5.",
    ),
    (
        {"unleveled": [{"column": "foo", "nearest": ["hobby", "post"], "line": '"foo" = "hobby"'}]},
        '"foo" has no sensitivity level and was left out. The nearest types are hobby, post; to take it in, '
        'add under [levels] in duckrisk.toml: "foo" = "hobby"',
    ),
    (
        {"unleveled": [{"column": f"c{i}", "nearest": ["hobby"], "line": "x"} for i in range(7)]},
        "2 more columns have no sensitivity level and were left out: c5, c6.",
    ),
    (
        {
            "jo": {
                "identifiability": 6,
                "value_per_record": 45_000,
                "social_responsibility": 2,
                "post_response": 2,
                "total_compensation": 30_000_000,
            }
        },
        "With social responsibility 2 and post-incident response 2, the compensation would be 30,000,000 "
        "yen.",
    ),
    (
        {"distribution": [{"ease": 6.0, "records": 600, "value": 1e6}]},
        "3 with a name, or with an address and a phone number, 6 with a name and an address.",
    ),
    (
        {
            "attributes": [attribute(n, i, total_value_without=None, change_without=None) for i, n in
                           enumerate(NAMES)],
            "coarser": [],
        },
        "was not computed, since the search took long",
    ),
    ({"scenarios": [scenario(learns=[])]}, "Record 7 is the only one with age = ‹…›. There is nothing"),
    ({"scenarios": [scenario(other_sets=[["income"]])]}, "One other attribute set singles it out as easily."),
    ({"scenarios": [scenario(other_sets=[["a"], ["b"]])]}, "2 other attribute sets single it out as easily."),
    ({"scenarios": [scenario(ease=3.0)]}, "Record 7 says who it is: age = ‹…›. An attacker who knows that"),
    ({"scenarios": [scenario(attributes=NAMES)]}, "with age = ‹…›, occupation = ‹…› and income = ‹…›."),
    ({"scenarios": [scenario(), scenario(record=1234)]}, "The same holds for record 1,234."),
    (
        {"scenarios": [scenario(), *(scenario(record=10 + i) for i in range(8))]},
        "The same holds for records 10, 11, 12, 13, 14 and 3 more.",
    ),
    ({"scenarios": [scenario(cells={"age": "CANARY"})]}, "with age = ‹CANARY›"),
    ({"scenarios": [scenario(cells={"age": None})]}, "with age = ‹missing›"),
    (
        {"scenarios": [scenario(cells={"age": "x"}), scenario(record=8, cells={"age": "x"})]},
        "Record 8 is the only one with age = ‹x›.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "sentence"), CASES)
def test_each_case_is_said(changes: dict[str, Any], sentence: str) -> None:
    assert sentence in told(found(**changes))


@pytest.mark.parametrize(
    ("changes", "words_of"),
    [
        ({"missing_cells": 0, "other_missing_mode": None}, "cells are missing"),
        ({"attributes": [attribute(n, i, provisional=False) for i, n in enumerate(NAMES)]}, "proposals that"),
        ({"users": None}, "With the user as the unit"),
        (LIMITED, "The result is exact"),
        ({"coarser": []}, "in bands of 10"),
        ({"scenarios": [scenario(cells={"age": "x"})]}, "--show-values shows it"),
    ],
)
def test_what_is_not_so_is_not_said(changes: dict[str, Any], words_of: str) -> None:
    assert words_of not in told(found(**changes))


def test_what_helps_is_not_told_of_a_search_that_did_not_end() -> None:
    without = [attribute(n, i, total_value_without=None, change_without=None) for i, n in enumerate(NAMES)]
    said = told(found(**{**LIMITED, "attributes": without}))
    assert "computed only where the search looks at all easiest sets" in said
    assert "Damages without it" not in said
    complete = told(found(attributes=without, coarser=[], coarser_listed=None, ties_complete=False))
    assert "computed only where the search looks at all easiest sets" in complete


@pytest.mark.parametrize(
    ("changes", "language"),
    thinned(itertools.product([changes for changes, _ in CASES], LANGUAGES), 3),
)
def test_every_form_has_a_word_for_everything(changes: dict[str, Any], language: str) -> None:
    about = document(found(**changes))
    shown = to_text(about, 80, language)
    for text in (shown, to_markdown(about, language), to_html(about, language)):
        assert "Sentence(" not in text
        if language == "ja":
            assert "singled out" not in text
            assert "attribute set" not in text
    assert all(cell_len(line) <= 80 for line in shown.splitlines())


@pytest.mark.parametrize("name", thinned(HOSTILE, 4))
def test_names_are_only_ever_text(name: str) -> None:
    about = document(found([name, "other"], currency=name, scenarios=[scenario(attributes=[name])]))
    shown = to_text(about, 40)
    assert [line for line in shown.splitlines() if max(cell_len(line), squares(line)) > 40] == []
    assert "<script" not in to_html(about) + to_markdown(about)
    assert "\x1b" not in shown


def test_figures_stay_inside_their_frame() -> None:
    for language in LANGUAGES:
        for about in (found(), found([f"a long name of a column {i}" for i in range(40)])):
            for block in make_blocks(about, NAMES):
                if isinstance(block, Figure):
                    drawing = block.draw(Words(language))
                    for mark in drawing.marks:
                        x = float(mark.attributes.get("x", mark.attributes.get("cx", 0)))
                        y = float(mark.attributes.get("y", mark.attributes.get("cy", 0)))
                        assert 0 <= x <= FIGURE_WIDTH
                        assert 0 <= y <= drawing.height


def test_the_distribution_has_a_row_for_each_ease_up_to_its_maximum() -> None:
    entries = [
        {"ease": 2.0 - place / 50, "records": 10 + place * 7 % 31, "value": 1.0} for place in range(100)
    ]
    drawing = figure(found(distribution=entries), 0)
    assert sum(mark.tag == "rect" for mark in drawing.marks) == FIGURE_ROWS + 1  # one is in the legend
    assert drawing.entries_left_out == 100 - FIGURE_ROWS


def test_long_lists_are_drawn_in_part() -> None:
    about = found([f"column {place}" for place in range(60)])
    assert figure(about, 1).entries_left_out == 50 - 16
    assert figure(about, 2).entries_left_out == 60 - 40
    assert "... and 42 more in the JSON report" in told(about)


def test_fields_are_the_keys_of_the_json_form() -> None:
    shapes: dict[type, dict[str, Any]] = {}
    shape = _make_object(Identifiability, shapes)
    shape["$defs"] = {kind.__name__: inside for kind, inside in shapes.items()}
    keys = {line.split(":")[0].split(".")[1].rstrip("[]") for line in lines(shape)}
    assert keys - {""} == set(section(NAMES))


def test_what_was_searched_in_a_part_is_said_of_the_part() -> None:
    """Three columns have a level and one has none."""
    left = [{"column": "note", "nearest": [], "line": "note = []"}]
    for changes in ({}, {"singled_out": 0, "singled_out_share": 0.0}):
        part = found(unleveled=left, limit=None, **changes)
        assert (
            Words()
            .format(write_headline(part))
            .startswith("In 3 of 4 columns (75.0%), those with a sensitivity")
        )
        assert "The result is exact for 3 of 4 columns (75.0%)" in told(part)
        assert "The result is exact." not in told(part)
    assert "of 3 columns" not in told(found(unleveled=[]))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_leak_is_worth_something_where_half_of_the_columns_have_levels(language: str) -> None:
    """Of 3 columns with levels and 3 without it is a lower bound, with 4 without it is not estimated."""
    about, least = (" about ", " at least ") if language == "en" else ("約", "少なくとも")
    yen = " yen" if language == "en" else "円"

    def said(unlevelled: int, **more: Any) -> str:
        names = [{"column": f"c{i}", "nearest": [], "line": "x"} for i in range(unlevelled)]
        words, made = Words(language), found(unleveled=names, users=units(), **more)
        parts = [
            write_headline(made),
            *(b.text for b in make_blocks(made, NAMES) if isinstance(b, Paragraph)),
        ]
        return " ".join(" ".join(map(words.format, parts)).split())

    assert about in said(0)
    assert least not in said(0)
    for part in (said(1), said(3), said(0, unknown=5, limit="max_sets")):
        assert least in part
        assert about not in part
    if language == "en":  # of what would help, of the other rule for missing values, and by the JO model
        for part in (said(1), said(3)):
            assert not re.search(f"(drop from|damages of|the table) [0-9,.]+{yen}", part)
            assert re.search(f"the table at least [0-9,.]+{yen}", part)
    few = said(4)
    assert yen not in few
    assert {"3", "7"} <= set(re.findall("[0-9]+", few))
    names = [{"column": f"c{i}", "nearest": [], "line": "x"} for i in range(4)]
    whole = document(found(unleveled=names, users=units()))
    for form in (to_text(whole, 100, language), to_html(whole, language), to_markdown(whole, language)):
        assert not re.search(rf"[0-9] ?{yen.strip()}", form)
        assert Words(language).look_up("identifiability.set") not in form
