"""What a long run says that it is doing."""

from __future__ import annotations

import time

import pytest

from duckrisk.base.sentences import Sentence
from duckrisk.cli.output import print_notice
from duckrisk.cli.progress import Progress, describe_statement
from duckrisk.engine import templates
from duckrisk.engine.steps import Steps
from tests.assessments import Stream


def test_progress_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, template in templates.catalogue().items():
        assert name not in describe_statement(name).split()
        assert "_" not in describe_statement(name)
        if template.topic == "attribute" and name != "model_errors":  # which reads nothing
            assert describe_statement(name) != "measuring", name
    assert describe_statement("copy_records") == describe_statement("relation") == "reading the source"
    stream = Stream(terminal=True)
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    progress = Progress(after=0.0)
    progress("attribute_risk", 0.5)
    progress.close()
    assert "counting the users of each value" in stream.text()
    assert "attribute_risk" not in stream.text()


def test_steps_are_shown_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the share of the whole job and the time that passed."""
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    for terminal in (True, False):
        stream = Stream(terminal=terminal)
        monkeypatch.setattr("sys.stderr", stream)
        progress = Progress("ja")
        steps = Steps(progress)
        steps.plan("source", "roles")
        steps("copy_records", 0.5)
        assert stream.text() == "", "nothing is shown in the first second"
        monkeypatch.setattr(progress, "_started", -95.0)
        steps.begin("roles")
        steps("profile", None)
        progress.close()
        shown = stream.text()
        for words in ("手順2/2：列の役割を判定中", "33%", "1:35"):
            assert (words in shown) == terminal


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("lasts", [50, 60, 62, 300])
def test_a_long_run_says_once_what_shortens_it(
    terminal: bool, lasts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a minute, whoever watches; it never guesses how long the run takes."""
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "400")
    stream = Stream(terminal=terminal)
    monkeypatch.setattr("sys.stderr", stream)
    progress = Progress(note=print_notice, command="assess")
    for second in range(lasts):
        now = float(second)
        progress(Sentence("progress.roles" if second < lasts // 5 else "progress.risk"), second / lasts)
    progress.close()
    said = "duckrisk: This takes longer than a minute. Shorter: --quick measures what the verdict needs"
    assert stream.text().count(said) == stream.text().count("minute") == (lasts > 60)
    assert "left" not in stream.text()
    assert "about" not in stream.text()


def test_the_bar_below_a_note_goes_on_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    stream = Stream(terminal=True)
    monkeypatch.setattr("sys.stderr", stream)
    progress = Progress()
    for moment in (5.0, 50.0):
        now = moment
        progress(Sentence("progress.risk"), 0.5)
        progress.close()
    assert "0:05" in stream.text()
    assert "0:50" in stream.text()
