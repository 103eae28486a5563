"""The report on an assessment: what it says, in which case, and its figures."""

from __future__ import annotations

import dataclasses
import html
import itertools
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

import duckrisk
from duckrisk.base.results import Result
from duckrisk.decision.assessment import PARTS
from duckrisk.decision.assessment.results import Assessment
from duckrisk.engine.sql_log import Statement
from duckrisk.report import charts, forms
from duckrisk.report.blocks import Figure, Heading, Paragraph
from duckrisk.report.charts import Drawing
from duckrisk.report.sections import assess, attribute_risk
from duckrisk.report.words import LANGUAGES, Words
from tests.assessments import assessed, build, data_of, printed, squeezed, with_values
from tests.command import HISTORY, table
from tests.report.test_first_screen import KINDS, kind_of
from tests.singled_out import NAMES, ONLY, singled
from tests.tables import EXAMPLES, thinned

pytestmark = pytest.mark.slow


def heads(report: Assessment) -> list[str]:
    """The sections of a report."""
    blocks = assess.make_document(report).blocks
    return [Words().format(b.text) for b in blocks if isinstance(b, Heading) and b.level == 2]


def count_headlines(report: Assessment) -> int:
    """The number of sections that begin with a headline."""
    blocks = assess.make_document(report).blocks
    return sum(isinstance(block, Paragraph) and block.role == "headline" for block in blocks)


def figures(report: Assessment) -> dict[str, Drawing]:
    """The figures by the sections in which they are."""
    found, place = {}, ""
    for block in assess.make_document(report).blocks:
        if isinstance(block, Heading):
            place = Words().format(block.text)
        elif isinstance(block, Figure):
            found[place + Words().format(block.title)] = block.draw(Words())
    return found


def test_sections_stand_in_their_order() -> None:
    assert heads(build(["When", "What"])) == [
        "Column roles",
        "Notes",
        "Risk of each attribute",
        "An attacker who knows several records",
        "What would help: coarser knowledge",
        "Cost and error of the three models",
        "Is a sample enough?",
        "What this run shows under the rules",
        "Gates",
        "Method and provenance",
    ]


def test_the_top_number_is_said_in_plain_words() -> None:
    report = build(["When", "What"])
    shown = squeezed(printed(report))
    headline = (
        'An attacker who knows "When" of one random record identifies its user with a probability of 50.0%.'
    )
    assert headline in shown
    assert f"**{headline}**" in report.to_markdown()
    verdict = '✗ Do not publish: 1 of 7 limits of the policy "public" is exceeded'
    assert repr(report) == f"<duckrisk Assessment: {verdict}>"
    assert report.to_markdown().index(verdict) < report.to_markdown().index(headline)
    assert 'If "When" were published only in bands of 5, the risk would drop from 50.0% to 6.2%.' in shown
    assert 'The user is the column "the user": its name says so.' in shown
    assert "3 records name no user and were left out." in shown
    assert "1 of 2 gates FAILED." in shown
    assert "duckrisk 0.1.0, DuckDB 2.0.0, seed 0, exact" in shown
    assert "| When | 200 | 0.500 | 0.400-0.600 | 50.0% |" in report.to_markdown()


def with_coarser(attribute: str, risks: dict[str, float]) -> list[dict[str, Any]]:
    """Coarser forms of an attribute, each with its risk."""
    same = {"attribute": attribute, "distinct_values": 9, "share_below_k": 0.0}
    return [same | {"coarser": f"{attribute}.{form}", "mean_risk": risk} for form, risk in risks.items()]


def test_what_would_help_most_is_said() -> None:
    rows = with_coarser("When", {"band(5)": 0.25, "band(20)": 0.125, "band(50)": 0.125})
    shown = squeezed(printed(build(["When"], coarser_knowledge=rows)))
    assert "published only in bands of 20, the risk would drop from 50.0% to 12.5%" in shown


def test_what_hardly_helps_is_passed_over() -> None:
    """Half the risk has to go: of the most dangerous attribute no form takes that much."""
    rows = with_coarser("When", {"band(5)": 0.49}) + with_coarser("What", {"band(5)": 0.01})
    shown = squeezed(printed(build(["When", "What"], coarser_knowledge=rows)))
    assert 'If "What" were published only in bands of 5, the risk would drop from' in shown
    rows = with_coarser("When", {"band(5)": 0.26})
    assert "the risk would drop" not in squeezed(printed(build(["When"], coarser_knowledge=rows)))


def test_without_a_user_each_record_is_a_person_and_nobody_knows_several() -> None:
    data = data_of(["When", "What"])
    data["source"].update(
        user=None, users=1000, most_records_of_a_user=1, records_without_user=0, records_of_token_users=0
    )
    shown = squeezed(printed(assessed(data)))
    assert "each record is treated as one person" in shown
    assert "several records" not in shown
    assert "identifies its person" in shown


def test_empty_sections_vanish() -> None:
    lists = ("known_records", "coarser_knowledge", "model_errors", "gates")
    data = data_of(["a", "b"], single_values=None, **{key: [] for key in lists})
    data["source"]["notes"] = []
    assert heads(assessed(data)) == [
        "Column roles",
        "Risk of each attribute",
        "Is a sample enough?",
        "What this run shows under the rules",
        "Method and provenance",
    ]
    nothing = assessed({**data, "attribute_risk": []})
    assert "<figure>" not in nothing.to_html()
    assert "There was no attribute to assess" in nothing.to_html()


def test_models_that_agree_and_values_that_many_share() -> None:
    data = data_of(["a", "b"])
    for row in data["model_errors"]:
        row["error"] = 0.0
    for entry in data["attribute_risk"]:
        entry["share_below_k"] = 0.0
    page = assessed(data).to_html()
    assert "All models give the same risk here" in page
    assert "No attribute has a value that fewer than 5 users share." in page
    assert "Is a sample enough?" not in page


def test_only_who_can_be_singled_out() -> None:
    report = singled(NAMES, ONLY)
    assert heads(report) == [
        "Column roles",
        "Notes",
        "Who can be singled out",
        "What this run shows under the rules",
        "Method and provenance",
    ]
    assert count_headlines(report) == 1
    assert "duckrisk 0.1.0, DuckDB 2.0.0" in printed(report)
    assert "seed 0" not in printed(report)
    assert count_headlines(singled(NAMES)) == 2


def test_many_columns_are_cut_and_the_user_comes_first() -> None:
    shown = printed(build([f"column {i}" for i in range(300)]))
    roles = shown[shown.index("Column roles") :].splitlines()
    assert next(line for line in roles if "(likely)" in line).split()[:2] == ["the", "user"]
    assert "more in the JSON report" in shown
    assert len(shown.splitlines()) <= 205


def test_values_are_shown_only_where_asked_for_and_under_a_warning() -> None:
    asked, not_asked = with_values(["a", "b"], "CANARY"), with_values(["a", "b"], "CANARY", show=False)
    for language in LANGUAGES:
        forms_of = [
            lambda report, language=language: report.to_text(80, language, full=True),
            lambda report, language=language: report.to_markdown(language),
            lambda report, language=language: report.to_html(language),
        ]
        warning = Words(language).look_up("assess.with_values").replace("'", "&#39;")
        for made in forms_of:
            assert made(asked).count("CANARY") == 2
            assert warning[:20] in squeezed(made(asked)).replace("'", "&#39;")
            assert "CANARY" not in made(not_asked)
            assert warning[:20] not in squeezed(made(not_asked)).replace("'", "&#39;")
    assert "contains values of people" in forms.to_notebook(asked)
    assert "CANARY" not in forms.to_notebook(not_asked)


def test_statements_that_name_files_stay_out() -> None:
    secret = Statement("read_parquet", "FROM '/home/someone/secret.parquet'", 0.1)
    report = build(["a"])
    page = dataclasses.replace(report, statements=(*report.statements, secret)).to_html()
    assert "someone" not in page
    assert "SELECT &#39;…&#39;" in page


# --- did sampling pay? ------------------------------------------------------------------------------


def timed(data: dict[str, Any], **seconds: float) -> Assessment:
    """A report with statements on its attributes: each of these templates took so long in total; those on a
    coarser form took an hour."""
    names = [entry["attribute"] for entry in data["attribute_risk"]]
    made = [
        Statement(name, "", total / len(names), about) for about in names for name, total in seconds.items()
    ]
    made += [Statement(name, "", 3600.0, about) for name in seconds for about in ("a.week", names[0], None)]
    return assessed(data, statements=tuple(made))


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (
            {"attribute_sample": 24, "attribute_risk": 66.4},
            "For all attributes together, sampling took 24 s and read the users of 1,400 of 2,000 records; "
            "counting all took 66 s, 2.8 times as long.",
        ),
        (
            {"attribute_sample_paper": 0.8, "attribute_risk": 0.7},
            "For all attributes together, sampling took 0.80 s and read the users of 1,400 of 2,000 records; "
            "counting all took 0.70 s: sampling was slower here.",
        ),
        (
            {"attribute_sample": 0.004, "attribute_risk": 0.0041},
            "less than 0.01 s: sampling was slower here.",
        ),
        ({"attribute_sample": 2, "attribute_risk": 1900}, "counting all took 1,900 s, 950 times as long."),
        (
            {"attribute_sample": 2, "attribute_risk_approximate": 1},
            "sampling took 2.0 s and read the users of 1,400 of 2,000 records; estimating all took 1.0 s.",
        ),
        ({"attribute_sample": 2}, "sampling took 2.0 s and read the users of 1,400 records."),
    ],
)
def test_the_report_says_whether_sampling_paid(seconds: dict[str, float], said: str) -> None:
    report = timed(data_of(["a", "b"]), **seconds)
    assert squeezed(printed(report)).count(said) == 1
    assert report.to_json() == build(["a", "b"]).to_json()


def test_nothing_is_said_of_a_sample_that_was_not_drawn_or_not_timed() -> None:
    data = data_of(["a", "b"])
    for entry in data["attribute_risk"]:
        entry["sampled"] = None
    for report in (
        timed(data_of(["a", "b"]), attribute_risk=3),
        timed(data, attribute_risk=3, attribute_sample=1),
        build(["a", "b"]),
    ):
        assert "sampling took" not in squeezed(printed(report))


def test_statements_know_their_attribute() -> None:
    names = ["bought.date", "bought.week"]  # the second is a coarser form of the first as well
    with duckdb.connect() as made:
        report = duckrisk.assess(made.execute(HISTORY).df(), attributes=names)
    about = [s.attribute for s in report.statements if s.name == "attribute_risk"]
    assert about[:2] == names
    assert any("bought.week" in str(attribute) for attribute in about[2:])
    assert [s.attribute for s in report.statements if s.name == "attribute_sample"] == names
    assert {s.attribute for s in report.statements if s.name == "profile"} == {None}
    assert "; counting all took " in squeezed(printed(report))


# --- figures -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [["When", "What"], ["顧客の購入日時と商品番号" * 12, "n" * 300], [f"c{i}" for i in range(60)]],
    ids=["two", "long", "many"],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_figures_stay_inside_their_frame(names: list[str], language: str) -> None:
    blocks = attribute_risk.make_blocks(build(names))
    drawings = [block.draw(Words(language)) for block in blocks if isinstance(block, Figure)]
    assert len(drawings) == 5
    for drawing in drawings:
        for mark in drawing.marks:
            made = mark.attributes
            right = float(made.get("x", 0)) + float(made.get("width", 0))
            if mark.tag == "text":
                anchor = {"end": 0.0, "middle": 0.5}.get(made["text-anchor"], 1.0)
                right = float(made["x"]) + anchor * charts.measure_width(mark.text)
                assert right - charts.measure_width(mark.text) >= -2
            assert right <= charts.FIGURE_WIDTH + 4
            assert 0 <= float(made.get("y", 0)) <= drawing.height


def test_labels_of_our_own_are_whole_and_apart() -> None:
    data = data_of(["When", "What"])
    for row, form in zip(data["coarser_knowledge"], ("prefix(3)", "band(1000000)"), strict=True):
        row["coarser"] = f"{row['attribute']}.{form}"
        row["mean_risk"] = 2e-6
    drawing = figures(assessed(data))["What would help: coarser knowledge"]
    texts = [mark.text for mark in drawing.marks if mark.tag == "text"]
    assert {"When by its first 3 characters", "What in bands of 1000000"} <= set(texts)
    ticks = [
        (float(mark.attributes["x"]), charts.measure_width(mark.text) / 2)
        for mark in drawing.marks
        if mark.attributes.get("text-anchor") == "middle"
    ]
    assert len(ticks) > 3
    for (x, half), (later, other) in itertools.pairwise(ticks):
        assert x + half < later - other


# --- no share is said twice ------------------------------------------------------------------------

#: A share, and before another one the same in brackets: `100% 400 of 400 people (100%)`.
_TWICE = re.compile(r"(?<![\d.,(（])(\d[\d.,]*%)(?![)）])[^%;.|(（]*[(（]\1[)）]")


def _words_of(report: Result, form: str, language: str) -> str:
    """What a form shows, without its markup and in one line."""
    more = {"full": True} if form == "text" and isinstance(report, Assessment) else {}
    text = str(getattr(report, f"to_{form}")(language=language, **more))
    text = html.unescape(re.sub(r"<style.*?</style>|<svg.*?</svg>|<[^>]+>", "", text, flags=re.DOTALL))
    return re.sub(r"[*\s]+", " ", text)


@pytest.mark.parametrize(
    ("language", "form"), thinned(itertools.product(LANGUAGES, ["text", "markdown", "html"]))
)
def test_no_share_stands_beside_itself(form: str, language: str) -> None:
    """In no form of any assessment; of few examples half of them in one language, half in the other."""
    for kind in [*KINDS] if EXAMPLES >= 20 else [*KINDS][LANGUAGES.index(language) :: 2]:
        report = kind_of(kind)
        if report.uniqueness is not None and report.uniqueness.all_attributes is not None:
            apart = dataclasses.replace(
                report.uniqueness.all_attributes, share_of_records=0.321
            )  # another figure
            report = dataclasses.replace(
                report, uniqueness=dataclasses.replace(report.uniqueness, all_attributes=apart)
            )
        found = _TWICE.search(_words_of(report, form, language))
        assert found is None, (kind, found and found[0])


@pytest.mark.slow
def test_no_share_stands_beside_itself_in_other_reports(tmp_path: Path) -> None:
    whole, part = tmp_path / "whole.parquet", tmp_path / "part.parquet"
    table(whole, "SELECT i AS id, 20 + i % 7 AS age, 'c' || i % 5 AS city, i % 4 AS shoe FROM range(60) t(i)")
    table(part, "SELECT i AS id, 20 + i % 7 AS age, 'c' || i % 5 AS city, i % 4 AS shoe FROM range(50) t(i)")
    reports = [
        duckrisk.assess(whole, only=[*PARTS], sensitive=["city"]),
        duckrisk.advise(whole),
        duckrisk.compare(whole, part, key="id"),
        duckrisk.anonymize(
            whole, tmp_path / "o.csv", steps=[{"method": "suppress", "column": "id", "drop": True}]
        ),
    ]
    for report in reports:
        for form in ("text", "markdown", "html"):
            found = _TWICE.search(_words_of(report, form, "en"))
            assert found is None, (type(report), form, found and found[0])


def test_the_card_of_the_people_has_their_share_once() -> None:
    """400 of 400 people: the share is the figure, and the counts stand beside it."""
    assert "singled out: 50.0%; 45 of 90 people; " in kind_of("history").to_text(full=True)
    assert "45 of 90 people (50.0%)" in kind_of("history").to_text()
