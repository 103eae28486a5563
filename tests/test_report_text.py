"""The words of a report and the report on a terminal; ``build`` makes reports out of thin air."""

from __future__ import annotations

import io
import re
import string
import unicodedata
from typing import Any

import duckdb
import pytest
from rich.cells import cell_len

import duckrisk
from duckrisk import disclosure, templates
from duckrisk.progress import Progress, doing
from duckrisk.report import Report, sentences, tables, text
from duckrisk.report.terminal import print_report
from duckrisk.report.text import Data, chance, probability, say, share, visible
from duckrisk.session import Statement
from tests.command import HISTORY
from tests.hostile import NAMES

pytestmark = pytest.mark.slow

#: What must stay text in every form.
HOSTILE = [
    *NAMES,
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "\x1b[31mred\x1b[0m \x1b]0;owned\x07",
    "right\u202eto left",
    "]]>",
    "=HYPERLINK(\"http://example.com\")",
    "+1", "-2", "@x", "\ttab", "\rreturn", "two\nlines",
    "n" * 300,
    "顧客の購入日時と商品番号" * 12,
    "é₂•—≤ 😀",
    "| a | `b` | **c** _d_ [e](f) &amp; \\",
    "https://example.com @someone #12 www.example.com $x$ ~~y~~",
    "{{ 7 * 7 }}{% raw %}",
]  # fmt: skip


def column(name: str, role: str, reason: str, missing: int = 0) -> dict[str, Any]:
    return {"name": name, "type": "VARCHAR", "role": role, "reason": reason, "missing": missing}


def build(names: list[str], **changes: Any) -> Report:
    """A report on columns of these names, each risk half the one before."""
    entries, known, coarser, models = [], [], [], []
    for place, name in enumerate(names):
        risk = 0.5 ** (place % 40 + 1)
        sampled = {
            "estimate": risk * 0.9, "lower": risk * 0.8, "upper": risk * 1.2, "sampled_values": 50,
            "records_read": 700, "confidence": 0.9, "interval": "confidence", "most_dangerous": place == 0,
        }  # fmt: skip
        entries.append({
            "attribute": name, "records": 1000, "distinct_values": 200, "mean_risk": risk, 
            "mean_model_risk": risk,
            "minimum_cost_risk": risk / 3, "max_value_risk": 1.0, "mean_records_per_user": 2.5,
            "share_below_k": risk, "records_below_k": 100, "singled_out_records": 10,
            "share_singled_out": risk / 2, "singled_out_values": 7, "sampled": sampled, "rank": place + 1,
            "most_dangerous": place == 0,
        })  # fmt: skip
        if place < 10:
            for p in (1, 2, 3, 4):
                grown = min(1.0, risk * p)
                known.append({
                    "attribute": name, "known_records": p, "draws": None if p == 1 else 1000, "risk": grown,
                    "risk_lower": grown * 0.9, "risk_upper": grown, "unicity": grown / 2,
                    "unicity_lower": grown / 3, "unicity_upper": grown,
                })  # fmt: skip
            coarser.append({
                "attribute": name, "coarser": f"{name}.band(5)", "distinct_values": 9, "mean_risk": risk / 8,
                "share_below_k": 0.0,
            })  # fmt: skip
        for model, cost, error in (("exact", 1000, 0.0), ("sampling", 700, 0.01), ("minimum cost", 0, 0.2)):
            models.append({"attribute": name, "model": model, "cost": cost, "risk": risk, "error": error})
    data = {
        "version": 1,
        "source": {
            "name": names[0], "kind": "parquet", "records": 1000, "users": 90, "user": "the user",
            "records_without_user": 3, "most_records_of_a_user": 40,
            "columns": [
                column("the user", "user", "its name says so", 3),
                *(column(name, "attribute", f'determined by "{name}"') for name in names),
            ],
            "encoding": None, "digest": {"kind": "sha256", "value": "ab" * 32, "files": 1, "bytes": 5000},
            "where": names[-1], "query": None, "notes": [f'"{names[0]}" was looked at.'],
        },
        "attribute_risk": entries, "known_records": known, "coarser_knowledge": coarser,
        "model_errors": models,
        "single_values": {
            "attribute": names[0],
            "points": [{"cost": 1 + i * i, "risk": 0.1, "error": i / 300} for i in range(200)],
        },
        "identifiability": None, **dict.fromkeys(disclosure.PARTS), "checklist": [],
        "settings": {
            "method": "exact", "k": 5, "samples": 50, "confidence": 0.9, "interval": "confidence",
            "known_records": 4, "draws": 1000, "detailed": 10, "user": None, "attributes": [],
            "ignore": names[:1], "show_values": False, "roles": {}, "table": None, "attached": None,
            "encoding": None, "header": None, "config": None, "only": ["attribute_risk", "identifiability"],
            "levels": {}, "profile": "jo2003", "missing": "none", "missing_tokens": ["?"],
            "compare_missing": True, "max_sets": None, "max_size": None, "time_limit": None,
            "thorough": False, "what_if": None, "currency": "yen", "base": 500, "social_responsibility": 1,
            "post_response": 1, "disclosure": None,
        },
        "environment": {"duckrisk": "0.1.0", "duckdb": "2.0.0", "seed": 0},
        "gates": [
            {"expression": f"attribute_risk[{names[0]}].mean_risk > 0.2", "passed": False, "value": 0.5,
             "where": names[0]},
            {"expression": "source.users < 10", "passed": True, "value": 90, "where": None},
        ],
    }  # fmt: skip
    return Report({**data, **changes}, statements=(Statement("attribute_risk", "SELECT '<b>'", 0.5),))


def with_values(report: Report, cell: str) -> Report:
    """The same report with a value of a record in each entry."""
    report.data["settings"] = {**report.data["settings"], "show_values": True}
    for entry in report.data["attribute_risk"]:
        entry["values"] = [{
            "value": cell, "records": 2, "users": 1, "records_per_user": 2.0, "probability": 0.002,
            "identification_given_value": 1.0, "identification": 0.002,
        }]  # fmt: skip
    return report


class Stream(io.TextIOWrapper):
    """A strict stream with an encoding, a terminal or not."""

    def __init__(self, encoding: str = "utf-8", terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, errors="strict", newline="\n")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)  # type: ignore[attr-defined]


def printed(report: Report, stream: Stream | None = None, width: int | None = None) -> str:
    stream = stream or Stream()
    print_report(report, stream, width)
    return stream.text()


def squares(line: str) -> int:
    """The cells of a line as Unicode counts them, apart from rich's own tables."""
    marks = ("Mn", "Me")
    return sum(
        1 + (unicodedata.east_asian_width(c) in "WF") for c in line if unicodedata.category(c) not in marks
    )


def squeezed(shown: str) -> str:
    return " ".join(shown.split())


# --- words and numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "shown", "said"),
    [
        (0.0, "0", "no chance"),
        (1.0, "1", "certainty"),
        (0.324240811, "0.324", "a chance of 32 in 100"),
        (0.5, "0.500", "a chance of 50 in 100"),
        (0.05, "0.0500", "a chance of 1 in 20"),
        (0.00015, "0.000150", "a chance of 1 in 6,700"),
        (6.14e-5, "0.0000614", "a chance of 1 in 16,000"),
        (2e-9, "< 0.000001", "a chance of 1 in 500,000,000"),
        (0.99999, "> 0.999", "a chance of 99 in 100"),
    ],
)
def test_probabilities(value, shown, said):
    assert probability(value) == shown
    assert str(chance(value)) == said


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0%"), (1, "100%"), (0.594, "59.4%"), (0.0999999, "10.0%"), (0.0512, "5.1%"), (0.00031, "0.031%"),
     (1e-9, "< 0.001%"), (0.99999, "> 99.9%"), (None, "-"), (1.0004, "100.0%"), (2.5, "250.0%"),
     (9.99, "999.0%"), (12.345, "1,234%"), (45e4, "45,000,000%"), (-0.25, "-25.0%"), (-1, "-100%"),
     (-3, "-300.0%")],
)  # fmt: skip
def test_shares(value, shown):
    assert share(value) == shown


def test_knowledge_is_said_in_words_unless_a_column_has_that_very_name():
    assert str(text.knowledge("When.time", ["When"])) == 'the time of day in "When"'
    assert str(text.knowledge("When.time", ["When", "When.time"])) == '"When.time"'
    assert str(text.knowledge("A.prefix(3)", ["A"])) == 'the first 3 characters of "A"'
    assert str(text.knowledge("A.prefix", ["A"])) == '"A.prefix"'
    assert str(text.publication("A.band(5)", ["A"])) == "in bands of 5"


def test_every_catalogue_has_the_same_keys_and_placeholders():
    def fields(sentence: str) -> set[str | None]:
        return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}

    for catalogue in text.CATALOGUES.values():
        assert catalogue.keys() == text.ENGLISH.keys()
        assert all(fields(catalogue[key]) == fields(text.ENGLISH[key]) for key in catalogue)


def test_visible_text_steers_nothing():
    for name in HOSTILE:
        assert not any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs") for c in visible(name))
        visible(name, "cp932").encode("cp932")
    assert visible("a\x1b\u202e\n") == "a\\x1b\\u202e\\n"


def test_data_in_a_sentence_is_escaped_and_isolated():
    assert say("knows", name=Data("<b>")).__html__() == "&#34;<bdi>&lt;b&gt;</bdi>&#34;"


# --- did sampling pay? ------------------------------------------------------------------------------


def timed(report: Report, **seconds: float) -> Report:
    """The same report with statements on its attributes: each of these templates took so long in total; those
    on a coarser form took an hour."""
    names = [entry["attribute"] for entry in report.data["attribute_risk"]]
    made = [
        Statement(name, "", total / len(names), about) for about in names for name, total in seconds.items()
    ]
    made += [Statement(name, "", 3600.0, about) for name in seconds for about in ("a.week", names[0], None)]
    return Report(report.data, tuple(made))


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
            "counting all took 0.70 s: here it did not pay.",
        ),
        ({"attribute_sample": 0.004, "attribute_risk": 0.0041}, "less than 0.01 s: here it did not pay."),
        ({"attribute_sample": 2, "attribute_risk": 1900}, "counting all took 1,900 s, 950 times as long."),
        (
            {"attribute_sample": 2, "attribute_risk_approximate": 1},
            "sampling took 2.0 s and read the users of 1,400 of 2,000 records; estimating all took 1.0 s.",
        ),
        ({"attribute_sample": 2}, "sampling took 2.0 s and read the users of 1,400 records."),
    ],
)
def test_the_report_says_whether_sampling_paid(seconds: dict[str, float], said: str) -> None:
    report = timed(build(["a", "b"]), **seconds)
    assert str(sentences.sampling_cost(report)).endswith(said)
    assert said in squeezed(printed(report))
    for form in (report.to_html(), report.to_markdown()):
        assert said in form
    without = build(["a", "b"])
    assert report.to_json() == without.to_json()
    assert tables.to_csv(report) == tables.to_csv(without)


def test_nothing_is_said_of_a_sample_that_was_not_drawn_or_not_timed() -> None:
    report = timed(build(["a", "b"]), attribute_risk=3)
    assert sentences.sampling_cost(report) is None
    unsampled = timed(build(["a", "b"]), attribute_risk=3, attribute_sample=1)
    for entry in unsampled.data["attribute_risk"]:
        entry["sampled"] = None
    assert sentences.sampling_cost(unsampled) is None
    for form in (printed(report), report.to_html(), report.to_markdown(), printed(build(["a", "b"]))):
        assert "sampling took" not in squeezed(form)


def test_statements_know_their_attribute() -> None:
    names = ["bought.date", "bought.week"]  # the second is a coarser form of the first as well
    with duckdb.connect() as made:
        report = duckrisk.assess(made.execute(HISTORY).df(), attributes=names)
    about = [s.attribute for s in report.statements if s.name == "attribute_risk"]
    assert about[:2] == names
    assert "bought.week" in about[2:]
    assert [s.attribute for s in report.statements if s.name == "attribute_sample"] == names
    assert {s.attribute for s in report.statements if s.name == "profile"} == {None}
    assert "; counting all took " in str(sentences.sampling_cost(report))


def test_a_report_shown_in_a_shell_is_short() -> None:
    report = build(["sales\x1b.csv", "b"])
    assert repr(report) == "<duckrisk Report: sales\\x1b.csv, 1,000 records of 90 users, 2 attributes>"
    assert repr(build(["a"])).endswith(", 1 attribute>")


# --- while it runs ----------------------------------------------------------------------------------


def test_progress_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, template in templates.catalogue().items():
        assert name not in doing(name).split()
        assert "_" not in doing(name)
        if template.topic == "attribute" and name != "model_errors":  # which reads nothing
            assert doing(name) != text.word("doing"), name
    assert doing("copy_records") == doing("relation") == "reading the source"
    stream = Stream(terminal=True)
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    progress = Progress(after=0.0)
    progress("attribute_risk", 0.5)
    progress.close()
    assert "counting the users of each value" in stream.text()
    assert "attribute_risk" not in stream.text()


# --- terminal ----------------------------------------------------------------------------------------


def test_the_first_lines_say_who_is_who():
    lines = printed(build(["When", "What"])).splitlines()
    assert lines[0] == "When: 1,000 records of 90 users"
    assert lines[1] == 'The user is the column "the user": its name says so.'
    assert "3 records name no user and were left out." in lines


def test_the_top_number_is_said_in_plain_words():
    shown = squeezed(printed(build(["When", "What"])))
    assert 'Whoever learns "When" of one random record names its user with a chance of 50 in 100.' in shown
    assert 'Published in bands of 5 and nowhere finer, "When" would name the user with 0.0625' in shown
    assert "1 of 2 gates FAILED." in shown
    assert "duckrisk 0.1.0, DuckDB 2.0.0, seed 0, exact" in shown


def test_the_table_and_the_sentence_on_what_would_help_speak_of_the_same_form() -> None:
    forms = [("band(5)", 0.25), ("band(20)", 0.125), ("band(50)", 0.125)]
    rows = [
        {
            "attribute": "When",
            "coarser": f"When.{form}",
            "distinct_values": 9,
            "mean_risk": risk,
            "share_below_k": 0,
        }
        for form, risk in forms
    ]
    shown = squeezed(printed(build(["When"], coarser_knowledge=rows)))
    assert "When in bands of 20 0.500 0.125" in shown
    assert 'Published in bands of 20 and nowhere finer, "When" would name the user with 0.125' in shown
    assert "in bands of 5 " not in shown


def test_without_a_user_each_record_is_a_person_and_nobody_knows_several():
    report = build(["When", "What"])
    report.data["source"].update(user=None, users=1000, most_records_of_a_user=1, records_without_user=0)
    shown = squeezed(printed(report))
    assert "each record counts as its own person" in shown
    assert text.word("of_known") not in shown
    assert "picks out its person" in shown


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("width", [None, 40, 120])  # none asked for: 80
def test_no_line_is_wider_than_asked(name, width):
    other = "another attribute with a name of more than forty letters"
    shown = printed(with_values(build([name, other]), name), width=width)
    assert all(cell_len(line) <= (width or 80) for line in shown.splitlines())
    assert all(squares(line) <= (width or 80) for line in shown.splitlines())


@pytest.mark.parametrize("name", HOSTILE)
def test_data_is_never_markup_nor_control(name):
    shown = printed(with_values(build([name, "x"]), name), width=400)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert squeezed(visible(name)) in squeezed(shown)


def test_colour_only_on_a_terminal_that_wants_it(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_COLOR", "1")
    report = build(["a", "b"])
    assert "\x1b" not in printed(report)
    assert "\x1b[" in printed(report, Stream(terminal=True), width=80)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in printed(report, Stream(terminal=True), width=80)


@pytest.mark.parametrize("encoding", ["ascii", "cp932", "cp1252", "utf-16", "latin-1"])
def test_no_encoding_raises(encoding):
    for some in range(0, len(HOSTILE), 8):
        names = HOSTILE[some : some + 8]
        report = with_values(build([*names, "x"]), "x")
        for name, entry in zip(names, report.data["attribute_risk"], strict=False):
            entry["values"][0]["value"] = name
        shown = printed(report, Stream(encoding))
        if encoding in ("ascii", "cp932"):
            assert "█" not in shown
            assert "#" in shown
            assert max(map(cell_len, shown.splitlines())) <= 80


def test_long_names_are_folded_where_their_parts_join():
    name = "InvoiceDate.date+InvoiceDate.hour"
    shown = printed(build([name, "another name of several words that is longer than its column"]))
    lines = [line.strip() for line in shown[shown.index(text.word("of_risk")) :].splitlines()]
    assert "InvoiceDate.date+" in [line.split()[0] for line in lines if line]
    assert "InvoiceDate.hour" in lines
    assert "that is longer than its column" in lines
    assert "…" not in shown[: shown.index(text.word("of_coarser"))]
    assert "…" in printed(build(["n" * 300, "+".join("abcdefgh" * 9), "b"]))


def test_empty_sections_vanish():
    lists = ("known_records", "coarser_knowledge", "model_errors", "gates")
    nothing_measured = {"single_values": None, **{key: [] for key in lists}}
    empty = build(["a", "b"], **nothing_measured)
    empty.data["source"]["notes"] = []
    shown = printed(empty)
    for key in ("of_known", "of_coarser", "of_models", "of_gates", "of_notes", "of_values"):
        assert text.word(key) not in shown.splitlines()
    nothing = build(["a"], attribute_risk=[], **nothing_measured)
    assert text.word("no_attributes") in printed(nothing)


def test_many_columns_are_cut_and_the_user_comes_first():
    shown = printed(build([f"column {i}" for i in range(300)]))
    roles = shown[shown.index(text.word("of_roles")) :].splitlines()
    assert roles[2].split()[:2] == ["the", "user"]
    assert "more in the JSON report" in shown
    assert len(shown.splitlines()) < 125


def test_values_are_shown_only_where_asked_for_and_under_a_warning():
    report = with_values(build(["a", "b"]), "CANARY")
    assert "CANARY" in printed(report)
    assert printed(report).startswith("This report contains values of people's records.")
    report.data["settings"]["show_values"] = False
    assert "CANARY" not in printed(report)
    assert tables.flat_rows(report.data)[0].keys() == tables.FLAT.keys()
