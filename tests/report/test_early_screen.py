"""On a terminal the verdict and its limits stand before the rest is measured; nothing stands there twice."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path

import pytest

import duckrisk
from duckrisk.decision import assessment
from duckrisk.decision.assessment import Settings
from duckrisk.decision.assessment.results import Assessment
from duckrisk.engine.session import Resources
from duckrisk.measures.identifiability.results import LevelledAttribute
from duckrisk.report.forms import EarlyScreen
from duckrisk.report.render.terminal import MAX_SCREEN_LINES
from duckrisk.source import Request
from tests.command import command, measured_once, on_terminal, table
from tests.report.test_first_screen import KINDS, kind_of, kinds_languages_and_widths
from tests.tables import DATASETS

HISTORY = DATASETS / "retail.parquet"


def print_in_pieces(early: Assessment, whole: Assessment, language: str, width: int) -> tuple[str, str]:
    """Print the head of the first screen and what follows it."""
    file = io.StringIO()
    screen = EarlyScreen(file, language, width)
    screen.print_head(early)
    head = file.getvalue()
    screen.print_rest(whole)
    return head, file.getvalue().removeprefix(head)


def make_early(whole: Assessment) -> Assessment:
    """Return what is known of an assessment when its verdict is."""
    known = whole.uniqueness
    facts = tuple(fact for fact in known.facts if fact.facts < 4) if known is not None else ()
    return dataclasses.replace(
        whole,
        identifiability=None,
        coarser_knowledge=(),
        model_errors=(),
        checklist=(),
        uniqueness=dataclasses.replace(known, facts=facts) if known is not None else None,
    )


@pytest.mark.slow
def test_both_pieces_fit_on_a_screen_and_are_that_of_one_piece() -> None:
    equal = set()
    for kind, language, width in kinds_languages_and_widths():
        whole = kind_of(kind)
        head, rest = print_in_pieces(make_early(whole), whole, language, width)
        lines = (head + rest).splitlines()
        assert len(lines) <= MAX_SCREEN_LINES, (kind, language, width, len(lines))
        if head + rest == whole.to_text(language=language, width=width):
            equal.add(kind)
    assert len(equal) >= len(KINDS) // 3, equal


def test_a_leak_stands_below_the_limits() -> None:
    """It is known last, where its levels are confirmed."""
    whole = kind_of("history")
    section = whole.identifiability
    assert section is not None
    confirmed: list[LevelledAttribute] = [
        dataclasses.replace(entry, provisional=False, level_source="given") for entry in section.attributes
    ]
    whole = dataclasses.replace(
        whole, identifiability=dataclasses.replace(section, attributes=tuple(confirmed))
    )
    text = whole.to_text()
    head, rest = print_in_pieces(make_early(whole), whole, "en", 80)
    (leak,) = (line.split() for line in text.splitlines() if line.strip().startswith("a leak"))
    assert leak in [line.split() for line in rest.splitlines()]
    assert leak not in [line.split() for line in head.splitlines()]


@pytest.mark.slow
def test_what_no_limit_is_about_is_measured_after_the_verdict() -> None:
    early: list[Assessment] = []
    whole = assessment.run(
        Request(str(HISTORY)), Settings(show_values=True), Resources(), None, None, early.append
    )
    (first,) = early
    assert first.verdict == whole.verdict
    assert whole.statements[: len(first.statements)] == first.statements
    ran = {statement.name for statement in first.statements}
    assert not ran & {"examine_sets", "attribute_sample", "single_values", "model_errors", "attribute_values"}
    quick = duckrisk.assess(str(HISTORY), quick=True, show_values=True)
    assert [one.name for one in quick.statements] == [one.name for one in first.statements]


@pytest.mark.slow
def test_a_terminal_shows_each_line_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    table(tmp_path / "few.parquet", f"SELECT * FROM '{HISTORY}' WHERE CustomerID % 10 = 0")
    asked = ("assess", "few.parquet", "--lang", "en", "--fail-on", "policy")
    with measured_once():  # the forms of one assessment; what a terminal shows is measured anew
        screen = command(*asked).out
        full = command(*asked, "--full").out
        (tmp_path / "earlier.json").write_text(command(*asked, "--format", "json").out)
    piped, shown = (
        [line for text in said.splitlines() if (line := " ".join(text.split()))]
        for said in (screen, on_terminal(*asked))
    )
    lines = [line for line in shown if not line.startswith("duckrisk ")]
    assert len(set(lines)) == len(lines)
    # The pieces choose their sizes one by one: a remark can stand in one of both and not in the other.
    assert [line[:15] for line in piped if line[0] in "✓✗?"] == [
        line[:15] for line in shown if line[0] in "✓✗?"
    ]
    assert piped[:4] == shown[:4]
    assert piped[-8:] == shown[-8:]
    # The whole report ends with times.
    assert on_terminal(*asked, "--full").splitlines()[:40] == full.splitlines()[:40]
    assert on_terminal(*asked, "--only", "uniqueness") == command(*asked, "--only", "uniqueness").out
    assert on_terminal(*asked, "--quick") == command(*asked, "--quick").out
    again = (*asked, "--baseline", "earlier.json")
    assert on_terminal(*again) == command(*again).out


def test_the_verdict_stands_where_the_rest_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    from duckrisk.base.errors import EngineError
    from duckrisk.decision.assessment.measuring import Measurement

    def fail(*_: object, **__: object) -> None:
        raise EngineError("session.interrupted")

    monkeypatch.setattr(Measurement, "measure_rest", fail)
    shown = on_terminal("assess", HISTORY, "--lang", "en")
    assert "Do not publish" in shown
    assert shown.count("\nduckrisk: ") == 1
