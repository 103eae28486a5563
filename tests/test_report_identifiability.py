"""Who can be singled out, in every form of the report, and the checklist of rules."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import duckdb
import pandas
import pytest
from rich.cells import cell_len

import duckrisk
from duckrisk.report import Report, sentences, svg, tables, text
from duckrisk.report.checklist import checklist
from duckrisk.report.html import notebook_fragment, to_html
from duckrisk.report.identifiability import figures, words
from duckrisk.report.identifiability import sentences as singled_out
from duckrisk.report.identifiability.tables import checklists
from duckrisk.report.markdown import to_markdown
from tests.singled_out import ONLY, attribute, section, shown, singled, units
from tests.test_report_files import cells, check
from tests.test_report_html import ALLOWED, Outline
from tests.test_report_text import HOSTILE, Stream, build, printed, squares, squeezed

pytestmark = pytest.mark.slow

NAMES = ["age", "occupation", "income"]
LIMITED = {
    "unknown": 120,
    "unknown_ease_at_most": 0.949077,
    "complete": False,
    "limit": "time_limit",
    "other_missing_mode": None,
    "coarser": [],
}


def said(report: Report) -> list[str]:
    """Each form as one line of words."""
    page = re.sub(r"</?bdi>", "", to_html(report))
    plain = page.replace("&#34;", '"').replace("&#39;", "'").replace("&gt;", ">")
    marked = to_markdown(report).replace("&#8288;", "").replace("\\", "")
    return [squeezed(part) for part in (printed(report), plain, marked)]


def everywhere(report: Report, sentence: str) -> bool:
    return all(sentence in form for form in said(report))


def nowhere(report: Report, sentence: str) -> bool:
    return not any(sentence in form for form in said(report))


# --- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "shown_as"),
    [(0, "0"), (15000.0, "15,000"), (146983150.6, "146,983,151"), (99.6, "100"), (3.5, "3.50"), (None, "-")],
)
def test_amounts(value: Any, shown_as: str) -> None:
    assert singled_out.amount(value) == shown_as


@pytest.mark.parametrize(
    ("value", "shown_as"),
    [
        (0.0, "0"),
        (999_000.0, "999,000"),
        (999_400.0, "999,400"),
        (999_600.0, "1.00 million"),
        (146_983_150.6, "147 million"),
        (366_315_000, "366 million"),
        (12_345_678, "12.3 million"),
        (2.5e9, "2.50 billion"),
        (7e15, "7,000 trillion"),
    ],
)
def test_short_amounts(value: float, shown_as: str) -> None:
    assert singled_out.short_amount(value) == shown_as


@pytest.mark.parametrize(
    ("value", "shown_as"),
    [(2.0, "2.0"), (1.62, "1.62"), (0.949077545639, "0.949"), (0.0, "0"), (1e-5, "< 0.001"), (6.0, "6.0")],
)
def test_eases(value: float, shown_as: str) -> None:
    assert singled_out.ease(value) == shown_as


@pytest.mark.parametrize(
    ("value", "shown_as"), [(-0.58455, "-58.5%"), (0.0, "0%"), (0.05, "+5.0%"), (-1.0, "-100%"), (None, "-")]
)
def test_changes(value: Any, shown_as: str) -> None:
    assert singled_out.change(value) == shown_as


# --- what each form says -------------------------------------------------------------------------


def test_the_main_numbers_and_a_scenario_in_words() -> None:
    report = singled(NAMES)
    headline = "600 of 1,000 records can be singled out by what somebody may know of a person; what a leak "
    assert everywhere(report, headline + "would tell is worth 1,000,000 yen (7,500,000 yen by the JO model).")
    scenario = (
        "Record 24,028 is the only one with age = ‹…› and occupation = ‹…›. Who knows that learns income."
    )
    assert everywhere(report, f"{scenario} Value: 15,000 yen.")
    assert everywhere(report, "stands for a value of the record; --show-values shows it.")
    generalised = 'Published in bands of 10 and nowhere finer, "age" would leave 415,000 yen of 1,000,000 yen'
    assert everywhere(report, f"{generalised} (-58.5%), and 200 records could be singled out.")
    assert everywhere(report, 'Left out altogether, "age" would leave 500,000 yen of 1,000,000 yen (-50.0%).')
    assert everywhere(
        report, "6 of 7 attribute sets were examined; not examined: 1 when everybody was settled."
    )
    assert everywhere(report, "The result is exact.")
    assert everywhere(
        report, "30 cells are missing; a missing cell tells nothing here. If missing were a value"
    )
    assert everywhere(report, "like any other, 610 records could be singled out, worth 1,100,000 yen.")
    levels = "The sensitivity levels of age, occupation, income are proposals that nobody has confirmed: "
    assert everywhere(report, f"{levels}[levels] in duckrisk.toml decides")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"singled_out": 1000, "not_singled_out": 0}, "Every one of the 1,000 records can be singled out"),
        (
            {"singled_out": 0, "not_singled_out": 1000, "total_value": 0.0, "scenarios": [], "sets": []},
            "No record can be singled out, even by all attributes together",
        ),
        (LIMITED, "At least 600 of 1,000 records can be singled out"),
        (LIMITED, "worth 1,000,000 yen or more"),
        (
            LIMITED,
            "The limit of time (time_limit) ended the search: 120 records may still be singled out, with "
            "an ease of at most 0.949. What was found is exact.",
        ),
        (
            {**LIMITED, "limit": "max_size", "unknown_ease_at_most": None},
            "The limit of attributes in a set (max_size) ended the search: 120 records may still be "
            "singled out.",
        ),
        (
            {**LIMITED, "ties_complete": False},
            "The limit ended the search among equally easy sets: a record of the lowest ease may have others "
            "that single it out as easily.",
        ),
        (
            {**LIMITED, "limit": "built_in"},
            "The built-in limit ended the search (--thorough lifts it): 120 records may still be singled",
        ),
        (
            {**LIMITED, "limit": "too_many_sets"},
            "Too many equally easy sets ended the search (--attribute chooses fewer attributes): 120 records",
        ),
        (
            {**LIMITED, "limit": "max_sets", "unknown": 0},
            "The limit of sets (max_sets) ended the search, but nobody was left open by it.",
        ),
        (
            {
                "sets_possible": 7,
                "sets_examined": 7,
                "sets_not_examined": dict.fromkeys(
                    ("adds_nothing", "settles_nobody", "all_settled", "limit"), 0
                ),
            },
            "All 7 attribute sets were examined.",
        ),
        (
            {"sets_possible": 1, "sets_examined": 1, "sets_not_examined": {"limit": 0}},
            "The only attribute set was examined.",
        ),
        (
            {
                "sets_possible": 15,
                "sets_examined": 5,
                "sets_not_examined": {"adds_nothing": 4, "settles_nobody": 3, "all_settled": 0, "limit": 3},
            },
            "5 of 15 attribute sets were examined; not examined: 4 that add nothing to a smaller set, "
            "3 that could "
            "settle nobody who was left, 3 because of the limit.",
        ),
        (
            {
                "missing_mode": "value",
                "other_missing_mode": {
                    "missing_mode": "none",
                    "singled_out": 590,
                    "total_ease": 1.0,
                    "total_value": 990_000.0,
                },
            },
            "30 cells are missing; missing is a value like any other here. If a missing cell told "
            "nothing, 590 "
            "records could be singled out, worth 990,000 yen.",
        ),
        (
            {"currency": "EUR", "total_value": 3.5, "jo_total_value": 99},
            "is worth 3.50 EUR (99 EUR by the JO model)",
        ),
        (
            {"users": units()},
            "With the user as the unit, 80 of 90 users can be singled out: some combination of "
            "theirs is held by nobody else. That is worth 60,000 yen (675,000 yen by the JO model).",
        ),
        (
            {"users": units(singled_out=0, not_singled_out=90)},
            "With the user as the unit, nobody can be singled",
        ),
        (
            {"users": units(unknown=3, limit="max_sets", complete=False, unknown_ease_at_most=0.5)},
            "at least 80 of 90 users",
        ),
        (
            {"users": units(unknown=3, limit="max_sets", complete=False, unknown_ease_at_most=0.5)},
            "3 users may still be singled out, with an ease of at most 0.5.",
        ),
        (
            {"unleveled": [{"column": "foo", "nearest": ["hobby", "post"], "line": '"foo" = "hobby"'}]},
            '"foo" has no sensitivity level and was left out. The nearest types are hobby, post; to '
            "take it in, add "
            'under [levels] in duckrisk.toml: "foo" = "hobby"',
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
            "With social responsibility 2 and response 2, the compensation would be 30,000,000 yen.",
        ),
        (
            {"distribution": [{"ease": 6.0, "records": 600, "value": 1e6}]},
            "3 with a name, or with an address and a phone number, 6 with a name and an address.",
        ),
    ],
)
def test_each_case_is_said_in_each_form(changes: dict[str, Any], sentence: str) -> None:
    report = singled(NAMES, **changes)
    forms = said(report)
    if changes.get("jo"):  # the terminal keeps to the headline
        forms = forms[1:]
    assert all(sentence in form for form in forms), sentence


@pytest.mark.parametrize(
    ("changes", "words_of"),
    [
        ({"missing_cells": 0, "other_missing_mode": None}, "cells are missing"),
        ({"attributes": [attribute(n, i, provisional=False) for i, n in enumerate(NAMES)]}, "proposals that"),
        ({"users": None}, "With the user as the unit"),
        (LIMITED, "The result is exact"),
        ({"coarser": []}, 'and nowhere finer, "age" would leave'),
    ],
)
def test_what_is_not_so_is_not_said(changes: dict[str, Any], words_of: str) -> None:
    assert nowhere(singled(NAMES, **changes), words_of)


def test_why_there_is_nothing_on_what_would_help() -> None:
    without = [attribute(n, i, total_value_without=None, change_without=None) for i, n in enumerate(NAMES)]
    assert everywhere(
        singled(NAMES, attributes=without, coarser=[]), "was not computed, since the search took"
    )
    limited = singled(NAMES, **{**LIMITED, "attributes": without})
    assert everywhere(limited, "computed only where the search comes to its end")
    assert nowhere(limited, "Value without it")
    assert "without it" not in figures.parts(limited.data).description.plain()  # type: ignore[union-attr]


def scenario(**changes: Any) -> dict[str, Any]:
    found = {
        "record": 7,
        "attributes": ["age"],
        "learns": ["income"],
        "ease": 2.0,
        "value": 15_000.0,
        "also": [],
        "cells": None,
    }
    return {**found, **changes}


@pytest.mark.parametrize(
    ("scenarios", "sentence"),
    [
        (
            [scenario(learns=[])],
            "Record 7 is the only one with age = ‹…›. Nothing else is told of it. Value:",
        ),
        ([scenario(also=[["income"]])], "Value: 15,000 yen. One other set singles it out as easily."),
        ([scenario(also=[["a"], ["b"]])], "2 other sets single it out as easily."),
        ([scenario(ease=3.0)], "Record 7 says who it is: age = ‹…›. Who knows that learns income."),
        ([scenario(attributes=NAMES)], "with age = ‹…›, occupation = ‹…› and income = ‹…›."),
        ([scenario(), scenario(record=1234)], "The same holds of record 1,234."),
        (
            [scenario(), *(scenario(record=10 + i) for i in range(8))],
            "The same holds of records 10, 11, 12, 13, 14 and 3 more.",
        ),
        ([scenario(learns=[f"c{i}" for i in range(40)])], "more. Value: 15,000 yen."),
    ],
)
def test_scenarios(scenarios: list[dict[str, Any]], sentence: str) -> None:
    assert everywhere(singled(NAMES, scenarios=scenarios), sentence)


def test_values_only_where_asked_for() -> None:
    report = shown(singled(NAMES), "CANARY")
    assert all("age = ‹CANARY›" in form and "contains values of people" in form for form in said(report))
    assert nowhere(report, "--show-values shows it")
    assert "CANARY" not in tables.to_csv(report)
    report.data["settings"]["show_values"] = False  # the switch decides, whatever the data hold
    assert nowhere(report, "CANARY")
    assert nowhere(report, "contains values of people")
    assert everywhere(shown(singled(NAMES), None), "age = ‹missing›")
    assert "CANARY" not in json.dumps(checklist(report.data))


def test_shown_records_are_not_lumped_together() -> None:
    report = singled(NAMES, scenarios=[scenario(), scenario(record=8)])
    assert everywhere(shown(report, "x"), "Record 8 is the only one with age = ‹x›.")


# --- what was not measured vanishes --------------------------------------------------------------


def test_only_who_can_be_singled_out() -> None:
    report = singled(NAMES, ONLY)
    for key in (
        "of_risk",
        "of_known",
        "of_below",
        "of_coarser",
        "of_models",
        "of_sampling",
        "no_attributes",
        "method.exact",
        "method.null",
        "highest_risk",
    ):
        assert nowhere(report, text.word(key)), key
    assert [str(line) for line in sentences.headlines(report.data)] == [
        str(singled_out.headline(report.data))
    ]
    assert everywhere(report, "duckrisk 0.1.0, DuckDB 2.0.0")
    assert nowhere(report, "seed 0, exact")
    assert repr(report).endswith(", 3 attributes>")
    assert '<a href="#identifiability">Who can be singled out</a>' in to_html(report)
    assert "Every one" not in notebook_fragment(report)
    assert "50.0%" in notebook_fragment(report) or "Change" in notebook_fragment(report)
    check(report)


def test_only_the_risk_of_attributes() -> None:
    report = build(NAMES)
    report.data["settings"]["only"] = ["attribute_risk"]
    for key in words.ENGLISH:
        if key.startswith("of_") and "{" not in text.word(key):
            assert nowhere(report, f">{text.word(key)}<"), key
    assert nowhere(report, text.word("of_identifiability"))
    assert singled_out.headline(report.data) is None
    assert tables.flat_columns(report.data) is tables.FLAT
    check(report)


def test_both_are_said_at_the_top() -> None:
    report = singled(NAMES)
    first, second = sentences.headlines(report.data)
    page = to_html(report)
    assert page.index(str(first.__html__())) < page.index(str(second.__html__())) < page.index("<figure>")
    for fact in ("Highest risk of one known value", "Singled out", "Value of a leak"):
        assert f"<dt>{fact}</dt>" in page
    assert "<b>1.00 million</b> <span><bdi>yen</bdi>; 7.50 million by the JO model</span>" in page


def test_flat_rows_are_the_attributes_of_what_was_measured(tmp_path: Any) -> None:
    both, alone = singled(NAMES), singled(["=1+1", "b", "column"], ONLY)
    assert [row["mean_risk"] for row in tables.flat_rows(both.data)] == [0.5, 0.25, 0.125]
    rows = list(csv.DictReader(io.StringIO(tables.to_csv(alone), newline="")))
    assert list(rows[0]) == list(tables.FLAT_SINGLED_OUT)
    assert [row["attribute"] for row in rows] == ["'=1+1", "b", "column"]
    assert rows[0]["provisional"] == "true"
    assert float(rows[0]["change_without"]) == -0.5
    path = tmp_path / "flat.parquet"
    tables.write_parquet(alone, path)
    with duckdb.connect() as connection:
        found = connection.execute("FROM read_parquet(?)", [str(path)])
        names = [column[0] for column in found.description]
        assert [dict(zip(names, row, strict=True)) for row in found.fetchall()] == tables.flat_rows(
            alone.data
        )
        kinds = connection.execute("DESCRIBE FROM read_parquet(?)", [str(path)]).fetchall()
    assert {row[0]: row[1] for row in kinds} == tables.FLAT_SINGLED_OUT
    assert list(alone.to_frame().columns) == list(tables.FLAT_SINGLED_OUT)


# --- hostile names and narrow screens ------------------------------------------------------------


def hostile(*names: str) -> Report:
    return singled(
        [*names, "other"],
        currency=names[0],
        users=units(),
        unleveled=[{"column": name, "nearest": ["hobby"], "line": f'"{name}" = "hobby"'} for name in names],
    )


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("width", [80, 40, 120])
def test_no_line_is_wider_than_asked(name: str, width: int) -> None:
    lines = printed(shown(hostile(name), name), width=width).splitlines()
    assert all(cell_len(line) <= width and squares(line) <= width for line in lines)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "".join(lines))


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_only_ever_text(name: str) -> None:
    page = to_html(shown(hostile(name), name))
    outline = Outline(page)
    assert {tag for tag, _ in outline.tags} <= ALLOWED
    assert name in outline.names
    for _, attributes in outline.tags:
        assert not [key for key in attributes if key.startswith("on") or key in ("src", "srcset", "action")]
        assert attributes.get("href", "#").startswith("#")
    ids = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {tag for tag, _ in Outline(notebook_fragment(hostile(name))).tags} <= ALLOWED


@pytest.mark.parametrize("name", HOSTILE)
def test_tables_keep_their_shape(name: str) -> None:
    width = None
    for line in to_markdown(shown(hostile(name), name)).splitlines():
        if not line.startswith("|"):
            width = None
            continue
        width = width or len(cells(line))
        assert len(cells(line)) == width


@pytest.mark.parametrize("encoding", ["ascii", "cp932", "cp1252", "utf-16"])
def test_no_encoding_raises(encoding: str) -> None:
    for some in range(0, len(HOSTILE), 6):
        report = hostile(*HOSTILE[some : some + 6])
        made = printed(report, Stream(encoding))
        assert ("‹…›" if encoding in ("cp1252", "utf-16") else "<") in made
    plain = printed(singled(NAMES, users=units()), Stream(encoding))
    assert "?" not in plain.replace("Is a sample enough?", "")
    assert ("<...>" in plain) == (encoding == "ascii")
    assert ("<…>" in plain) == (encoding == "cp932")


# --- figures -------------------------------------------------------------------------------------


def test_every_figure_has_title_sentence_and_table() -> None:
    page = to_html(singled(NAMES))
    found = re.findall(r"<h3>([^<]+)</h3>\s*<figure>(.*?)</figure>", page, re.S)
    assert [title for title, _ in found] == [text.word(f"of_{key}") for key in ("ease", "sets", "parts")]
    for title, figure in found:
        caption = re.search(r"<figcaption>(.*?)</figcaption>", figure, re.S)
        assert caption is not None
        assert "." in re.sub(r"<[^>]+>", "", caption[1])
        assert re.search(rf"<title id=[^>]+>{title}</title>\s*<desc id=[^>]+>[^<]+</desc>", figure)
        assert re.search(r"<details class=\"data\">.*<table>.*<td", figure, re.S)


@pytest.mark.parametrize(
    "report",
    [
        singled(NAMES),
        singled(["age"]),
        singled(["顧客の購入日時と商品番号" * 12, "n" * 300]),
        singled(
            [f"c{i}" for i in range(60)],
            sets=[
                {
                    "attributes": [f"c{j}" for j in range(i, 60, 2)],
                    "ease": 0.5,
                    "records": 3,
                    "value": 1e15 / (i + 1),
                }
                for i in range(50)
            ],
        ),
        singled(
            NAMES,
            distribution=[
                {"ease": 6.0, "records": 1, "value": 1.0},
                {"ease": 3.0, "records": 10_000_000, "value": 1.0},
            ],
        ),
        singled(
            NAMES,
            distribution=[
                {"ease": 1 - i / 200, "records": 1 + 7 ** (i % 9), "value": 1.0} for i in range(150)
            ],
        ),
        singled(NAMES, distribution=[{"ease": 0.0, "records": 1, "value": 0.0}], sets=[], total_value=0.0),
    ],
)
def test_figures_stay_inside_their_frame(report: Report) -> None:
    drawn = figures.figures(report.data)
    assert drawn
    for drawing in drawn.values():
        for mark in drawing.marks:
            made = mark.attributes
            if "transform" in made:  # a slanted name rises by three quarters of its width
                x, y = map(float, re.findall(r"[\d.]+", made["transform"])[:2])
                assert x + 0.65 * svg.width_of(mark.text) <= svg.WIDTH
                assert y - 0.77 * svg.width_of(mark.text) >= 0
                continue
            right = float(made.get("x", 0)) + float(made.get("width", 0))
            if mark.tag == "text":
                right = float(made["x"]) + {"end": 0.0, "middle": 0.5}.get(made["text-anchor"], 1.0) * (
                    svg.width_of(mark.text)
                )
                assert right - svg.width_of(mark.text) >= -2
            assert right <= svg.WIDTH + 4
            for key in ("y", "cy", "y1", "y2"):
                assert 0 <= float(made.get(key, 0)) <= drawing.height


def test_labels_of_the_distribution_are_apart() -> None:
    entries = [{"ease": 1 - i / 200, "records": 1 + 7 ** (i % 9), "value": 1.0} for i in range(150)]
    drawing = figures.distribution(singled(NAMES, distribution=entries).data)
    assert drawing is not None
    counts = [mark for mark in drawing.marks if mark.tag == "text" and "halo" in mark.attributes["class"]]
    places = [(float(m.attributes["x"]), float(m.attributes["y"]), svg.width_of(m.text) / 2) for m in counts]
    assert len(places) > 3
    for i, (x, y, half) in enumerate(places):
        for other, high, wide in places[:i]:
            assert abs(x - other) >= half + wide or abs(y - high) >= 14


def test_sizes() -> None:
    assert len(to_html(singled([f"column {i}" for i in range(20)])).encode()) < 300_000
    alone = singled([f"a column with a rather long name {i}" for i in range(60)], ONLY)
    assert len(to_html(alone).encode()) < 300_000


# --- checklist -----------------------------------------------------------------------------------


def judged(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {entry["item"]: entry for entry in checklist(data)}


def clean(**changes: Any) -> dict[str, Any]:
    """The data of a run that found nobody, in columns all of which were looked at."""
    data = singled(
        NAMES,
        singled_out=0,
        not_singled_out=1000,
        total_value=0.0,
        scenarios=[],
        sets=[],
        distribution=[{"ease": 0.0, "records": 1000, "value": 0.0}],
    ).data
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


def test_what_disclosure_shows_is_evidence() -> None:
    rule = {"missing": "value", "unit": "record", "alone": 3, "smallest_class": 1}
    other = {**rule, "missing": "none", "alone": 77}
    told = {"attribute": "illness", "homogeneous_records": 12}
    mail = {"column": "note", "kind": "e-mail address", "likely": True}
    number = {"column": "n", "kind": "My Number", "likely": True}
    day = {"column": "born", "kind": "full date", "likely": True}
    chance = {"column": "order", "kind": "payment card number", "likely": False}
    data = clean()
    data["class_sizes"] = {"missing": "value", "rules": [rule, other], "users": None}
    data["attribute_disclosure"] = {"attributes": [told, {"attribute": "b", "homogeneous_records": 0}]}
    data["direct_identifiers"]["found"] = [mail, number, day, chance]
    found = judged(data)
    for item in ("1", "2", "5", "singling out", "inference", "(b)(2)(i)"):
        assert found[item]["status"] == "against", item
    assert '"note"' in found["1"]["evidence"]
    assert '"n"' in found["2"]["evidence"]
    assert '"note"' not in found["2"]["evidence"]
    assert not any(name in found[item]["evidence"] for item in found for name in ('"order"', "77"))
    assert "3 records agree with no other one" in found["singling out"]["evidence"]
    assert "12 records" in found["inference"]["evidence"]
    data["attribute_disclosure"] = {"attributes": [{**told, "homogeneous_records": 0}]}
    assert "No class tells" in judged(data)["inference"]["evidence"]


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
    found = judged(singled(NAMES, users=units()).data)
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
        (role(clean(), "age", "date_time"), {"(b)(2)(i)": "not_shown", "5": "supports"}, '"age"'),
        (
            clean(attributes=typed("age", "passport_number")),
            {"2": "against", "(b)(2)(i)": "against"},
            '"age"',
        ),
        (clean(attributes=typed("age", "email_address")), {"2": "supports", "(b)(2)(i)": "against"}, '"age"'),
        (
            clean(attributes=typed("age", "date_of_birth")),
            {"2": "supports", "(b)(2)(i)": "not_shown"},
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
    found = judged(build(NAMES).data)
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
    catalogue = " ".join(words.ENGLISH.values()).casefold()
    assert "compl" not in catalogue.replace("completely", "").replace("complete", "")
    assert text.word("status.supports") == "supports the assessment"
    for entry in checklist(singled(NAMES).data):
        if entry["framework"].startswith("HIPAA"):
            numbers = re.findall(r"\d[\d,.]*", entry["requirement"])
            assert set(numbers) <= {"45", "164.514"}, "the rule has no number to cross"
            assert "fewer than" not in entry["evidence"]


def test_the_checklist_is_in_each_form_and_the_same_from_run_to_run() -> None:
    report = singled(NAMES)
    assert checklist(report.data) == checklist(json.loads(report.to_json()))
    assert [len(table.rows) for table in checklists(report.data).values()] == [5, 3, 3]
    for entry in report.data["checklist"]:
        assert everywhere(report, entry["framework"])
        assert everywhere(report, entry["requirement"])
        assert all(squeezed(entry["evidence"]) in form for form in said(report)[1:])
    report.data["checklist"] = []
    assert nowhere(report, text.word("of_checklist"))


# --- real reports --------------------------------------------------------------------------------


def test_built_sections_fit_the_schema() -> None:
    check(singled(NAMES))
    check(singled(NAMES, users=units(), **LIMITED))
    check(shown(singled(NAMES), "x"))
    assert set(section(NAMES)) == set(duckrisk_section())


def duckrisk_section() -> dict[str, Any]:
    frame = pandas.DataFrame({"age": [20, 30, 30, 40], "city": ["a", "b", "b", None], "income": [1, 2, 2, 2]})
    report = duckrisk.assess(frame, only=("identifiability",), show_values=True)
    check(report)
    return report.data["identifiability"]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"only": ("identifiability",)},
        {"only": ("attribute_risk",)},
        {"only": ("identifiability",), "max_sets": 1},
        {"only": ("identifiability",), "missing": "value", "what_if": True, "show_values": True},
        {
            "only": ("identifiability",),
            "user": "person",
            "levels": {"income": (2, 2)},
            "currency": "EUR",
            "base": 1.5,
        },
        {"only": ("identifiability",), "levels": {"age": "name", "city": "address"}},
    ],
    ids=str,
)
def test_real_reports_fit_the_schema_and_every_form(options: dict[str, Any], tmp_path: Any) -> None:
    frame = pandas.DataFrame(
        {
            "person": [i // 2 for i in range(40)],
            "age": [20 + i % 7 for i in range(40)],
            "city": [None if i % 9 == 0 else f"c{i % 4}" for i in range(40)],
            "income": [100 * (i % 5) for i in range(40)],
        }
    )
    report = duckrisk.assess(frame, **{"user": "", **options})
    check(report)
    assert all(said(report))
    assert tables.to_csv(report)
    tables.write_parquet(report, tmp_path / "out.parquet")
    assert max(map(cell_len, printed(report).splitlines())) <= 80
    assert len(report.data["checklist"]) == len(ITEMS)
