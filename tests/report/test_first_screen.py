"""The first screen: at most 40 lines for any table, the verdict first, commands that run."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import re
import shlex
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

import duckrisk
from duckrisk.base.sentences import Data, Sentence
from duckrisk.decision.assessment import DEFAULT_PARTS
from duckrisk.decision.assessment.results import Assessment, Invocation
from duckrisk.engine.session import Session
from duckrisk.measures import attribute, identifiability, uniqueness
from duckrisk.report.blocks import Document, Paragraph
from duckrisk.report.forms import print_report
from duckrisk.report.render.terminal import print_document, print_screen
from duckrisk.report.sections import first_screen, gates, verdict
from duckrisk.report.words import LANGUAGES, Words
from duckrisk.roles.model import PSEUDONYM
from tests import readme
from tests.assessments import Stream, assessed, column, data_of, printed, squeezed
from tests.cases import Cases
from tests.command import HISTORY, command, measured_once, table
from tests.hostile import HOSTILE
from tests.singled_out import section
from tests.tables import EXAMPLES, thinned

MOST_LINES, WIDTHS = 40, (60, 80)
JAPANESE = ["購入日時", "商品番号", "市区町村", "年齢階級"]
LONG = ["an attribute with a name of more than forty letters " * 6, "購入した商品の区分と番号" * 20, "c"]


def known(names: list[str], share: float = 0.5, people: int = 90, smallest: int = 1) -> dict[str, Any]:
    """The section on uniqueness: a share of the people is singled out by whatever is known."""
    alone = {"people": round(share * people), "share": share, "share_of_records": share}
    return {
        "unit": "user", "people": people, "records": 1000, "people_examined": people, "attributes": names,
        "not_assessed": [], "missing": "none", "missing_cells": 0, "chance_of_error": 0.0,
        "facts": [
            {
                "facts": size, "sets_possible": 10, "sets_drawn": 10, "sets_examined": 10, "complete": True,
                "typical": share, "typical_lower": share, "typical_upper": share, "typical_of_records": share,
                "worst": {"attributes": names[:size], **alone},
            }
            for size in range(1, min(4, len(names)) + 1)
        ],
        "known_records": [],
        "all_attributes": {
            **alone, "records": round(share * 1000), "smallest_class": smallest,
            "sizes": [{"least": 1, "most": 1, "classes": 9, "people": 45, "share": share}],
        },
        "all_columns": None,
        "histories": {"unique_people": alone["people"], "share": share, "smallest_class": smallest},
        "whole_records": {
            "records": 3, "examined": people, "unique_people": alone["people"], "share": share,
            "share_lower": share, "share_upper": share,
        },
    }  # fmt: skip


def report(
    names: list[str], change: Callable[[dict[str, Any]], None] | None = None, **more: Any
) -> Assessment:
    """An assessment with all that a first screen tells."""
    data = data_of(names, uniqueness=known(names), identifiability=section(names[:40]), **more)
    data["source"]["user_confidence"] = "likely"
    data["settings"]["only"] = list(DEFAULT_PARTS)
    if change is not None:
        change(data)
    return assessed(
        data, invocation=Invocation(("a b.csv",), ("a b.csv",), ("--user", "the user", "a b.csv"))
    )


def alone(data: dict[str, Any]) -> None:
    """Each record is a person."""
    data["source"].update(
        user=None, users=1000, most_records_of_a_user=1, records_without_user=0, records_of_token_users=0
    )


def safe(data: dict[str, Any]) -> None:
    """Nobody is singled out by anything."""
    names = [entry["attribute"] for entry in data["attribute_risk"]]
    data["uniqueness"] = known(names, 0.0, 900, 40)
    data["source"].update(users=900)
    data["settings"].update(ignore=[])
    data["direct_identifiers"] = {"found": [], "not_examined": [], "hipaa": [], "columns_examined": 2}
    for entry in data["attribute_risk"]:
        entry["mean_risk"] = 0.01


def pseudonyms(data: dict[str, Any]) -> None:
    """Nobody is singled out, and a recipe says that the names of the people are new."""
    safe(data)
    data["source"]["columns"][0]["kind"] = PSEUDONYM
    data["source"].update(records_without_user=0, records_of_token_users=0)


def narrowed(data: dict[str, Any]) -> None:
    """Nobody is singled out by the attributes that were asked for."""
    safe(data)
    data["uniqueness"]["not_assessed"] = [{"column": "income", "role": "attribute", "reason": ""}]


def ignoring(data: dict[str, Any]) -> None:
    """Nobody is singled out by the columns that were not ignored."""
    safe(data)
    data["source"]["columns"][-1]["role"] = "ignored"


def guessed(data: dict[str, Any]) -> None:
    """All that can be a guess is one."""
    safe(data)
    data["source"]["user_confidence"] = "guess"
    for one in data["source"]["columns"]:
        one["confidence"] = "guess"


def whose_codes(data: dict[str, Any]) -> None:
    """Nobody is singled out, and nobody said whether the numbers of the people are new; all else is open."""
    safe(data)
    data["source"]["columns"][0]["kind"] = None
    data["source"].update(
        user_confidence="sure", undated=[one["name"] for one in data["source"]["columns"][1:9]]
    )
    for one in data["source"]["columns"][1:]:
        one["confidence"] = "guess"


def identifying(data: dict[str, Any]) -> None:
    """Every column names people."""
    data["source"]["columns"] = [column(f"mail {i}", "direct_identifier", "holds e-mails") for i in range(40)]


def set_aside(data: dict[str, Any]) -> None:
    """Nothing is left to be assessed."""
    for key in ("attribute_risk", "known_records", "coarser_knowledge", "model_errors"):
        data[key] = []
    left = [{"column": c["name"], "role": "free_text", "reason": ""} for c in data["source"]["columns"][1:]]
    data["uniqueness"] = {**known([]), "all_attributes": None, "not_assessed": left}
    data["identifiability"] = None
    for one in data["source"]["columns"][1:]:
        one["role"] = "free_text"


def few(data: dict[str, Any]) -> None:
    """Three records of three people."""
    alone(data)
    data["source"].update(records=3, users=3)


def sampled(data: dict[str, Any]) -> None:
    """Only a few values of each attribute were looked at."""
    data["settings"]["method"] = "sample"
    for entry in data["attribute_risk"]:
        entry.update(mean_risk=None, mean_model_risk=None, share_below_k=None)


#: What the report of each kind is made of.
KINDS: dict[str, tuple[Any, ...]] = {
    "history": (["When", "What", "How much"],),
    "people": (["age", "city", "income"], alone),
    "many columns": ([f"column {i}" for i in range(300)],),
    "long names": (LONG,),
    "japanese": (JAPANESE,),
    "hostile": (HOSTILE[:30],),
    "one column": (["age"], alone),
    "nobody": (["age", "city", "income"], safe),
    "pseudonyms": (["age", "city", "income"], pseudonyms),
    "narrowed": (["age", "city", "income"], narrowed),
    "ignoring": (["age", "city", "income"], ignoring),
    "guesses": ([f"q{i}" for i in range(9)], guessed),
    "codes": ([f"column {i}" for i in range(300)], whose_codes),
    "codes of long names": (LONG, whose_codes),
    "identifiers": (["age", "city"], identifying),
    "set aside": ([f"text {i}" for i in range(30)], set_aside),
    "three records": (["name", "age", "city"], few),
    "sampled": (["When", "What", "How much"], sampled),
    "no levels": (["a", "b", "c"], lambda data: data.update(identifiability=None)),
}


@cache
def kind_of(kind: str) -> Assessment:
    """Return the report of a kind."""
    return report(*KINDS[kind])


@cache
def screen(kind: str, language: str = "en", width: int = 80) -> str:
    """Return the first screen of a kind, which several tests look at."""
    return kind_of(kind).to_text(language=language, width=width)


def kinds_languages_and_widths() -> list[tuple[str, str, int]]:
    """Return each kind in each language, at both widths from 20 examples on, else at one of them."""
    if EXAMPLES >= 20:
        return list(product(KINDS, LANGUAGES, WIDTHS))
    return [
        (kind, language, WIDTHS[(place + other) % 2])
        for place, kind in enumerate(KINDS)
        for other, language in enumerate(LANGUAGES)
    ]


@pytest.mark.slow
def test_it_fits_and_opens_with_the_verdict() -> None:
    with Cases() as case:
        for kind, language, width in kinds_languages_and_widths():
            with case(f"{kind}, {language}, {width}"):
                for wide in {width, 80}:
                    _fits(kind, language, wide)
                _opens_with_the_verdict(kind, language)
                _counts_every_column_in_a_role(kind, language)


def _fits(kind: str, language: str, width: int) -> None:
    lines = screen(kind, language, width).splitlines()
    assert len(lines) <= MOST_LINES, width
    whole_words = kind in ("long names", "codes of long names", "hostile") and width < 80
    assert whole_words or [line for line in lines if cell_len(line) > width] == []


def _opens_with_the_verdict(kind: str, language: str) -> None:
    shown = screen(kind, language)
    lines = shown.splitlines()
    sign = {"pass": "✓", "pass_if": "✓", "fail": "✗", "undecided": "?"}[kind_of(kind).verdict.outcome]
    opening = lines[lines.index("") + 1]
    assert opening.startswith(f"{sign} ")
    assert "public" in opening
    assert Words(language).look_up("screen.no_promise") in shown
    heads = [lines.index(Words(language).look_up(f"screen.{head}")) for head in ("before", "next")]
    assert 2 < heads[0] < heads[1] < len(lines) - 1


def _counts_every_column_in_a_role(kind: str, language: str) -> None:
    shown = screen(kind, language)
    head = Words(language).format(Sentence("screen.columns", groups=""))
    block = shown[shown.index(head) :].partition("\n  ")[0]
    counts = re.findall(r"[(（]([\d,]+)列?[)）]", block)
    assert sum(map(int, counts)) == len(kind_of(kind).source.columns)


def test_a_guess_or_what_was_not_looked_at_leaves_the_verdict_open() -> None:
    outcomes = {kind: kind_of(kind).verdict.outcome for kind in KINDS}
    assert [kind for kind, outcome in outcomes.items() if outcome == "pass"] == ["pseudonyms"]
    assert [kind for kind, outcome in outcomes.items() if outcome == "pass_if"] == ["nobody"]
    open_kinds = {kind for kind, outcome in outcomes.items() if outcome == "undecided"}
    assert open_kinds == {"guesses", "narrowed", "ignoring", "codes", "codes of long names"}
    for kind in ("narrowed", "ignoring"):
        shown = squeezed(screen(kind))
        assert 'left out, in file (1) "income"' in shown
        assert 'quasi-identifiers (2) "age"' in shown


def test_an_estimate_reads_as_one() -> None:
    """Of values that were sampled the interval stands beside each risk, and what the sample cost below."""
    shown, exact = kind_of("sampled").to_text(width=110), kind_of("history").to_text(width=110)
    assert re.search(r"one fact +about 45\.0% \(40\.0%-60\.0%\)", shown)
    assert [re.search(rf"^  {name} .* {ends}", shown, re.MULTILINE) is not None for name, ends in (
        ("When", "40.0%-60.0%"), ("What", "20.0%-30.0%"), ("How much", "10.0%-15.0%"),
    )] == [True] * 3  # fmt: skip
    assert "By the sample of 50 values" in shown
    assert "By the sample" not in exact
    assert "40.0%" not in exact


def test_a_safe_table_says_that_there_is_nothing_to_do() -> None:
    """A verdict under assumptions asks to confirm these instead."""
    shown = screen("nobody")
    assert "All limits are kept if that holds. Confirm it before you sign." in shown
    assert "duckrisk advise" not in shown
    assert "For this policy there is nothing to change." in report(["age", "city"], pseudonyms).to_text()
    assert "nothing to change" not in screen("guesses")


def test_what_identifies_stands_before_everything() -> None:
    lines = screen("identifiers").splitlines()
    headline = '✗ Do not publish (policy "public"): "mail 0", "mail 1", "mail 2" and 37 more identify people'
    assert squeezed(" ".join(lines[2:4])).startswith(f"{headline} directly")
    heads = next(place for place, line in enumerate(lines) if line.endswith(" limit"))
    assert re.match(r'  ✗  direct identifiers +"mail 0", "mail 1", "mail 2" and 37 more', lines[heads + 1])


def test_what_identifies_is_treated_also_where_it_stands_for_the_person() -> None:
    """To leave the others out alone leaves it as it was."""

    def of_calls(data: dict[str, Any]) -> None:
        data["source"]["columns"] = [
            column("the user", "user", "holds telephone numbers") | {"kind": "telephone"},
            column("mail", "direct_identifier", "holds e-mails"),
        ]

    def alone_of_calls(data: dict[str, Any]) -> None:
        of_calls(data)
        del data["source"]["columns"][1]

    shown = squeezed(report(["age", "city"], of_calls).to_text())
    assert "--drop mail \\ --pseudonymize 'the user'" in shown or "--drop mail --pseudonymize" in shown
    assert "leave out, new numbers" in shown
    shown = squeezed(report(["age", "city"], alone_of_calls).to_text())
    assert "--drop" not in shown
    assert "give people new numbers" in shown


def test_bars_run_from_nothing_to_certainty() -> None:
    """A risk of one half is half a bar, whatever the others are."""
    table = screen("people").split("What gives people away")[1].partition("Coarser values")[0]
    rows = {line.split()[0]: line for line in table.splitlines() if line.startswith("  a")}
    assert rows["age"].count("█") == 5
    assert "50.0%" in rows["age"]
    assert "0.500" not in screen("people")


def test_the_number_of_an_event_stands_apart() -> None:
    """Nothing advises to publish it coarser, and it is no quasi-identifier."""

    def numbered(data: dict[str, Any]) -> None:
        data["source"]["columns"][1]["role"] = "event_key"
        left = [{"column": "When", "role": "event_key", "reason": ""}]
        data["uniqueness"].update(attributes=["What"], not_assessed=left)

    names = ["When", "What"]
    _, helps = report(names, alone).to_text().split("Coarser values")
    assert re.search(r"^  When ", helps, re.MULTILINE)
    shown = report(names, lambda data: (alone(data), numbered(data))).to_text()
    apart, _, after = shown.partition("Coarser values")
    assert 'Apart: "When" is a technical number' in apart
    assert not re.search(r"^  When ", after, re.MULTILINE)
    assert 'quasi-identifiers (1) "What"; technical numbers (1) "When"' in squeezed(shown)
    assert "left out, in file" not in shown


def test_it_is_smaller_where_there_is_less_room_and_says_what_it_left_out() -> None:
    assert re.search(r"^  … 29[5-9] more: --full$", screen("many columns"), re.MULTILINE)
    assert len(kind_of("many columns").to_text(full=True).splitlines()) > 100


@pytest.mark.parametrize("kind", ["history", "people", "guesses", "nobody"])
def test_the_next_commands_are_words_of_a_shell(kind: str) -> None:
    shown = screen(kind).split("\nNext\n")[1].replace("\\\n      ", "")
    typed = [shlex.split(line.partition("   ")[0]) for line in shown.splitlines() if "  duckrisk " in line]
    assert typed
    assert all("a b.csv" in words for words in typed)
    assert ["duckrisk", "assess", "--user", "the user", "a b.csv", "--full"] in [w[:6] for w in typed]


def test_an_ascii_stream_gets_ascii() -> None:
    shown = printed(kind_of("history"), Stream("ascii"), full=False)
    assert shown.isascii()
    assert "\nx Do not publish" in shown
    assert "#####" in shown


def test_the_items_of_hipaa_are_named_by_number(tmp_path: Path) -> None:
    """ZIP codes of five digits are item 2, ages above 89 item 3, numbers of patients item 8."""
    table(
        tmp_path / "t.parquet",
        "SELECT 7000 + 13 * i AS patient_id, 85 + i % 9 AS age, 10000 + i % 3 AS zip FROM range(90) t(i)",
    )
    asked = ("assess", tmp_path / "t.parquet", "--lang")
    with measured_once():
        assert "HIPAA (b)(2)(i) items 2, 3, 8" in squeezed(command(*asked, "en").out)
        assert "HIPAA (b)(2)(i)（項目 2、3、8）" in squeezed(command(*asked, "ja").out)


#: Headings, and what stands in a cell of a row: what identifies, what describes, and what does neither.
COLUMNS: dict[str, Callable[[int], Any]] = {
    "mail": lambda i: f"a{i}.b@example.org", "hotline": lambda i: f"0120-333-44{i % 2}",
    "id": lambda i: i + 1,
    "serial": lambda i: f"SN{7919 * i % 99991:05}", "nurse_name": lambda i: f"{'ABC'[i % 3]}nna Smith",
    "product": lambda i: f"item {i % 7}", "price": lambda i: 5 * i % 90, "carrier": lambda i: "XYZ"[i % 3],
    "sex": lambda i: "MF"[i % 2], "patients": lambda i: i % 40, "row": lambda i: f"{i + 1}",
    "customer": lambda i: f"C{i % 12}", "uuid": lambda i: f"{i:08x}-0000-4000-8000-{7 * i:012x}",
}  # fmt: skip


@pytest.mark.slow
@settings(max_examples=3 * EXAMPLES, deadline=None)
@given(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=2, max_size=4, unique=True))
def test_who_is_named_directly_is_never_also_nobody(names: list[str]) -> None:
    """The decision, the line of the limit, the groups of columns and what a row is taken for agree."""
    frame = pd.DataFrame({name: [COLUMNS[name](row) for row in range(60)] for name in names})
    result = duckrisk.assess(frame, only=DEFAULT_PARTS, samples=0, known_records=0)
    shown, words = squeezed(result.to_text(width=500)), Words("en")
    nobody = [
        Sentence("verdict.none_found"),
        *(Sentence(key) for key in ("policy.unsettled.no_persons", "screen.row.may_lack_persons")),
    ]
    said = [words.format(text) for text in nobody if squeezed(words.format(text)) in shown]
    named = re.search("identif(y|ies) people directly|; identifiers \\([0-9]+\\)|Columns: identifiers", shown)
    assert not (named and said), (names, named, said, shown)


@pytest.mark.slow
def test_what_was_typed_is_typed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of a screen runs as it is printed, with the table and the options that were given."""
    monkeypatch.chdir(tmp_path)
    table(
        tmp_path / "t.parquet", "SELECT i % 60 AS u, hash(i) % 400 AS age, i % 3 AS city FROM range(600) t(i)"
    )
    (tmp_path / "t.parquet").rename(tmp_path / "it's a table.parquet")
    source = "it's a table.parquet"
    given = ["assess", source, "--user", "u", "--policy", "shared", "--ignore", "city"]
    with measured_once():
        shown, full = command(*given).out, command(*given, "--full").out
    after = shown.split("\nNext\n")[1].replace("\\\n      ", "").splitlines()
    typed = [shlex.split(line.partition("   ")[0])[1:] for line in after if line.startswith("  duckrisk ")]
    assert [words[0] for words in typed] == ["advise", "assess", "assess"]
    advised = command(*typed[0])
    assert advised.code == 0, advised.err
    assert 'the policy "shared"' in advised.out
    assert "--policy public" not in advised.out
    with measured_once():
        assert command(*typed[1]).code == 0
        again = command(*typed[2])
    assert again.code == 0
    assert 'policy "shared"' in (tmp_path / "report.html").read_text(encoding="utf-8").replace("&#34;", '"')
    assert again.out.splitlines()[:40] == full.splitlines()[:40]
    hidden = command(*given, "--where", "city = 1 OR age > 1").out
    assert "age > 1" not in hidden
    assert "duckrisk advise" not in hidden
    assert "--full" in hidden.split("\nNext\n")[1]


def test_gates_are_the_last_line() -> None:
    assert screen("history").splitlines()[-1].startswith("1 of 2 gates FAILED. attribute_risk")


#: Options that ask for parts beside the usual ones, and words of what each has measured.
ASKING: dict[str, tuple[str, ...]] = {
    "--quasi-identifier item": ("k is ",),
    "--sensitive city": ("city",),
    "--share 0.1": ("smallest attribute set is a key",),
    "--suda-scores ihsn": ("have a minimal unique",),
    "--controls low": ("k is ", "1 more: --full"),
    "--fraction 0.1": ("k is ",),
    "--household city": ("k is ",),
    "--fail-on 'information_gain.record.mean_gain < 0'": ("bits",),
    "--fail-on 'attribute_sets.records < 0'": ("attribute sets",),
    "--show-values": ("Values of records",),
}
#: Options on how the usual parts are measured, which name columns.
NAMING = ("--attribute item --models-of item --level item=1,1", "--ignore item")


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    few = f"SELECT * EXCLUDE (quantity) FROM ({HISTORY}) WHERE hash(customer_id) % 2 = 0"
    return table(tmp_path_factory.mktemp("screen") / "h.parquet", few)


def kept(function: Callable[..., Any]) -> Callable[..., Any]:
    """What a part measures in one session is told in others that are asked for the same."""
    made: dict[str, Any] = {}

    def measure(session: Session, *given: Any, **named: Any) -> Any:
        asked = repr((given, named)).replace(repr(session), "").replace(str(session.folder), "")
        if asked not in made:
            made[asked] = function(session, *given, **named)
        return made[asked]

    return measure


@pytest.mark.slow
def test_options_leave_it_a_screen(history: Path) -> None:
    """What an option asks for has its headline there, or the way to it."""
    everything = [asked for asked in ASKING if "--fail-on" not in asked]
    measure_first = uniqueness.measure

    def measure_all(*given: Any, **named: Any) -> uniqueness.Measured:
        return uniqueness.Measured(measure_first(*given, **named).add_larger_sets())

    with contextlib.ExitStack() as stack:
        for part in (attribute, identifiability):  # most options ask for other parts
            stack.enter_context(mock.patch.object(part, "measure", kept(part.measure)))
        stack.enter_context(mock.patch.object(uniqueness, "measure", kept(measure_all)))
        for place, asked in enumerate((*thinned((*ASKING, *NAMING), 4), " ".join(everything))):
            with measured_once() as measured:
                for language in LANGUAGES if EXAMPLES >= 20 or place % 2 else LANGUAGES[:1]:
                    _is_a_screen(history, asked, language)
                assert len(measured) <= 2, asked
        full = command("assess", history, *shlex.split(asked), "--full").out
    assert len(full.splitlines()) > MOST_LINES


def _is_a_screen(history: Path, asked: str, language: str) -> None:
    shown = command("assess", history, "--lang", language, *shlex.split(asked))
    assert shown.code == 0, (asked, shown.err)
    lines = shown.out.splitlines()
    assert len(lines) <= MOST_LINES, (asked, len(lines))
    if asked in NAMING:
        assert Words(language).look_up("screen.asked") not in lines, asked
        return
    after = lines[lines.index(Words(language).look_up("screen.asked")) + 1 :]
    asked_for = " ".join(after[: after.index("")])
    if language == "en":
        words = ASKING.get(asked, ())
        shown_whole = words and all(word.casefold() in asked_for.casefold() for word in words)
        no_room = "--fail-on" in asked or not words  # a gate takes lines as well
        assert shown_whole or (no_room and "more: --full" in asked_for), (asked, asked_for)


@pytest.mark.slow
def test_it_fits_whatever_is_asked_for() -> None:
    """The largest report of each sort, with many headlines that are several lines long; at 60 cells their
    heading, their count and the line of gates can be too many for what asks whose codes they are."""
    sentences = [Data("what was asked for and takes more than a line of a terminal " * 3)] * 9
    with Cases() as case:
        for kind, language, width in kinds_languages_and_widths():

            def of_size(size: int, made: Assessment = kind_of(kind)) -> Document:
                shown = first_screen.make_screen(made, size, sentences)
                return dataclasses.replace(shown, blocks=(*shown.blocks, *gates.make_outcome_blocks(made)))

            with case(f"{kind}, {language}, {width}"):
                file = io.StringIO()
                print_screen(of_size, first_screen.SIZES, file, width, language)
                lines = file.getvalue().splitlines()
                assert len(lines) <= MOST_LINES + (3 if width < 80 and kind.startswith("codes") else 0)
                assert Words(language).look_up("screen.asked") in lines
                assert Words(language).look_up("screen.no_promise") in file.getvalue()


def test_who_asks_for_a_part_gets_all_of_it() -> None:
    whole = kind_of("people")
    part = dataclasses.replace(whole, settings=dataclasses.replace(whole.settings, only=("attribute_risk",)))
    assert part.to_text() == part.to_text(full=True) != whole.to_text()


def test_python_is_told_of_python() -> None:
    told = dataclasses.replace(kind_of("people"), invocation=None).to_text()
    assert "to_text(full=True)" in told


@pytest.mark.slow
def test_the_screen_of_the_readme_is_what_the_command_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(readme.ROOT / "datasets")
    printed = command("assess", "retail.parquet").out
    (screen,) = re.findall(r"```text\n(.*?)```", readme.text(), re.DOTALL)
    begin = 0
    for part in screen.split("  …\n"):
        begin = printed.index(part, begin) + len(part)


def test_codes_of_which_nobody_said_whose_they_are_stand_open_everywhere(tmp_path: Path) -> None:
    """They are neither found to identify nor found to be safe: in the limits, the columns and the rules."""
    path = tmp_path / "t.parquet"
    rows = [(f"K{(number * 7919) % 100_003:06d}", "ab"[number % 2]) for number in range(400)]
    pd.DataFrame(rows, columns=["code", "sex"]).to_parquet(path)
    found = {}
    for said in ({}, {"pseudonym": "code"}, {"identifiers": ("code",)}, {"policy": "internal"}):
        result = duckrisk.assess(path, **said)
        text = result.to_text()
        line = next(line.split() for line in text.splitlines() if "direct identifiers  " in line)
        groups = re.findall(r"([a-z -]+) \(1\) \"code\"", text)
        (item,) = [one for one in result.checklist if str(one.item) == "1"]
        found[str(said)] = (line[0], groups, item.status)
    assert list(found.values()) == [
        ("?", [" open codes"], "not_shown"),
        ("✓", [" person"], "not_shown"),
        ("✗", [" identifiers"], "against"),
        ("✓", [" open codes"], "not_shown"),
    ], found


@pytest.mark.parametrize("outcome", ["fail", "undecided"])
def test_commands_that_no_engine_runs_are_not_the_next(outcome: str) -> None:
    told = report(["a", "b"])
    told = dataclasses.replace(told, verdict=dataclasses.replace(told.verdict, outcome=outcome))
    there = dataclasses.replace(told, environment=dataclasses.replace(told.environment, engine="Spark 4.1"))

    def following(screen: Assessment) -> list[str]:
        return re.findall(r"^ +duckrisk (\w+)", screen.to_text(), re.MULTILINE)

    assert following(told)[-3:] == ["advise", "assess", "assess"]
    assert {"advise", "init"}.isdisjoint(following(there))
    assert following(there)[-2:] == ["assess", "assess"]


def test_a_column_stands_in_the_group_of_its_declared_role() -> None:
    def declared(data: dict[str, Any]) -> None:
        roles = zip(data["source"]["columns"][1:], ("quasi_identifier", "sensitive", None), strict=True)
        for one, role in roles:
            one["declared"] = role
        data["source"]["columns"].append(column("left", "ignored", ""))

    shown = squeezed(report(["age", "illness", "city"], declared).to_text())
    assert 'quasi-identifiers (2) "age"' in shown
    assert 'sensitive (1) "illness"; left out, in file (1) "left"' in shown
    assert '"city": without a declared role, so it counts as known to outsiders.' in shown


def shown_limits(report: Assessment, width: int, language: str) -> Counter[str]:
    """Count the characters of the limits that a screen of this width shows, signs and limits among them."""
    file = io.StringIO()
    print_report(report, file, width, language)
    head = Words(language).look_up("verdict.limit")
    _, after = re.split(rf"^ +{head}\n", file.getvalue(), flags=re.MULTILINE)
    return Counter("".join(after[: after.index("\n\n")].split()))


def said_of_limits(report: Assessment, size: int, language: str) -> Counter[str]:
    """Count the characters of all that a screen says of the limits, as large as ``size`` says."""
    cells = (
        text
        for line in verdict.list_lines(report, confirmed=True)
        for text in (
            line.sign if line.limit else "",
            *(line.name, first_screen._choose_figure(line, size), line.limit),
        )
    )
    words = Words(language)
    return Counter("".join("".join(words.format(text).split()) for text in cells))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_limit_vanishes_on_a_narrow_screen(language: str) -> None:
    """Each limit stands there with its sign, all of its words and figures, and the limit itself; of names of
    columns that are longer than a line the ends."""
    long = ("long names", "codes of long names")
    kinds = sorted({*KINDS} - {*long})
    with Cases() as case:
        for width in range(40 if language == "en" else 44, 121, 1 if EXAMPLES >= 20 else 8):
            kind = kinds[width * 5 % len(kinds)]
            wanted = [said_of_limits(kind_of(kind), size, language) for size in (0, 2, 3)]
            with case(f"{kind} in {width}"):
                assert shown_limits(kind_of(kind), width, language) in wanted
        for named, width in thinned(product(long, (40, 63, 80, 101, 120))):
            with case(f"{named} in {width}"):
                shown = shown_limits(kind_of(named), width, language)
                assert not said_of_limits(kind_of(named), 0, language) - shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_card_shows_a_few_words_large(language: str) -> None:
    """Names of columns and reasons, of any length, stand below."""
    words, estimated = Words(language), {"sampled"}
    for kind in KINDS.keys() - estimated:
        figures = [words.format(fact.figure) for fact in verdict.make_cards(kind_of(kind))]
        assert [figure for figure in figures if len(figure) > 25] == [], kind


def confirm(data: dict[str, Any]) -> None:
    """A person confirmed all levels, and named the user."""
    for entry in data["identifiability"]["attributes"]:
        entry["provisional"] = False


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_leak_stands_there_where_its_levels_are_confirmed(language: str) -> None:
    """Where some is unknown it is "at least", never "about"; with fewer than half of the levels no sum."""
    about, least = (" about ", " at least ") if language == "en" else ("約", "少なくとも")
    leak, yen = Words(language).look_up("verdict.leak"), "yen" if language == "en" else "円"

    def leak_of(provisional: bool, unlevelled: int) -> str:
        def change(data: dict[str, Any]) -> None:
            names = [f"b{i}" for i in range(unlevelled)]
            found = data["identifiability"]
            found["attributes"] = [{**entry, "provisional": provisional} for entry in found["attributes"]]
            found["unleveled"] = [{"column": name, "nearest": [], "line": name} for name in names]
            data["source"]["columns"] += [column(name, "attribute", "") for name in names]

        shown = squeezed(report(["a", "b", "c"], change).to_text(language=language))
        return shown.partition(f" {leak} ")[2][:60]

    assert leak_of(provisional=True, unlevelled=0) == ""
    sure = leak_of(provisional=False, unlevelled=0)
    assert about in f" {sure}"
    assert yen in sure
    part = leak_of(provisional=False, unlevelled=2)
    assert least in f" {part}"
    assert about not in f" {part}"
    for provisional in (True, False):
        few = leak_of(provisional, unlevelled=8)
        assert yen not in few
        assert {"3", "11"} <= set(re.findall(r"[0-9]+", few))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_share_is_above_the_whole(language: str) -> None:
    """An estimate can be more than the whole, and so can its interval; no form shows that as a share."""

    def above(data: dict[str, Any]) -> None:
        sampled(data)
        for entry in data["attribute_risk"]:
            entry["sampled"] = {**entry["sampled"], "estimate": 1.2, "lower": 1.1, "upper": 1.3}

    made = report(["age", "city"], above)
    forms = (
        made.to_text(language=language),
        made.to_text(110, language, full=True),
        made.to_markdown(language),
        re.sub(r"<(style|svg).*?</\1>", "", made.to_html(language), flags=re.DOTALL),
    )
    for form in forms:
        shares = re.findall(r"(?<![+\d.,-])(\d[\d,]*(?:\.\d+)?)%", form)
        assert "100" in shares
        assert [one for one in shares if float(one.replace(",", "")) > 100] == []


def test_signs_are_red_and_green_where_colour_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")

    def coloured(kind: str, terminal: bool = True) -> set[tuple[str, str]]:
        shown = printed(kind_of(kind), Stream(terminal=terminal), width=80, full=False)
        return set(re.findall(r"\x1b\[(?:1;)?(3\d)m([✓✗?])", shown))

    assert coloured("history") == {("31", "✗")}
    assert coloured("nobody") == {("32", "✓")}
    assert "\x1b" not in printed(kind_of("history"), Stream(), width=80, full=False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in printed(kind_of("history"), Stream(terminal=True), width=80, full=False)
    monkeypatch.delenv("NO_COLOR")
    named = Document("", (Paragraph(Data("✗ a name")), Paragraph(Sentence("verdict.sign.exceeded"))))
    file = Stream(terminal=True)
    print_document(named, file, 80)
    assert re.findall(r"\x1b\[31m✗([^\n]*)", file.text()) == ["\x1b[0m"]
