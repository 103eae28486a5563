"""What a long run says that it is doing."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.base.sentences import Sentence
from duckrisk.cli.output import print_notice
from duckrisk.cli.progress import Progress, TimeLeft, describe_statement, format_time_left
from duckrisk.engine import templates
from duckrisk.engine.steps import Steps
from duckrisk.report.words import Words
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
    """With the share of the whole job and, once it can be known, the time that is left."""
    moments = iter([0.0, 0.0, *(float(second) for second in range(1, 60))])
    monkeypatch.setattr(time, "monotonic", lambda: next(moments))
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
        monkeypatch.setattr(progress, "_started", -20.0)
        monkeypatch.setattr(progress._left, "after", lambda *_: 42.0)
        steps.begin("roles")
        steps("profile", None)
        progress.close()
        shown = stream.text()
        for words in ("手順2/2：列の役割を判定中", "33%", "残り約45秒"):
            assert (words in shown) == terminal


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("lasts", [50, 59, 61, 300])
def test_a_long_run_says_once_how_long_it_takes(
    terminal: bool, lasts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where its first part ends after a fifth of the time, whoever watches; a short one says nothing."""
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
        if second < 5:
            assert "will take" not in stream.text()
    progress.close()
    said = f"duckrisk: This will take about {math.ceil(lasts / 60)} min in all. Shorter: --only PART measures"
    assert stream.text().count(said) == (lasts >= 60)
    assert stream.text().count("will take") == (lasts >= 60)


@pytest.mark.parametrize("ends", [11.0, 13.0, 30.0])
def test_where_a_part_ends_its_share_tells_how_long_a_run_takes(
    ends: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If that is more than two minutes, for the first part may be the longest one."""
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    stream = Stream(terminal=False)
    monkeypatch.setattr("sys.stderr", stream)
    progress = Progress("ja", note=print_notice, command="advise")
    progress(Sentence("progress.roles"), 0.0)
    now = ends
    progress(Sentence("progress.advice"), 0.1)
    progress.close()
    said = f"duckrisk: 全体で約{math.ceil(ends / 6)}分かかる見込みです。 短くするには：--attribute"
    assert stream.text().startswith(said) == (ends > 12)
    assert len(stream.text().splitlines()) == (ends > 12)


@pytest.mark.parametrize(("share", "stands", "after"), [(0.2, 8, None), (0.2, 30, 14), (0.5, 20, None)])
def test_a_statement_that_tells_nothing_is_no_slower_run(
    share: float, stands: int, after: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After four seconds of even work one stands still: for ten of them nothing new is said of the run, then
    what the whole of it tells, which is a minute where a fifth took twelve seconds."""
    now, heard = 0.0, []
    monkeypatch.setattr(time, "monotonic", lambda: now)
    progress = Progress(note=lambda text: heard.append((now, text)))
    for tenth in range(40 + 10 * stands):
        now = tenth / 10
        progress(Sentence("progress.risk"), share * min(1.0, now / 4))
    assert [math.floor(when) for when, _ in heard] == ([] if after is None else [after])


def left(points: list[tuple[float, float]], part: object = "a") -> list[float | None]:
    """What is said after each moment and share."""
    clock = TimeLeft()
    return [clock.after(passed, share, part) for passed, share in points]


def test_the_time_left_of_an_even_run() -> None:
    """A hundred seconds: nothing before the sixth, then what is left, counted down."""
    said = left([(second / 10, second / 1000) for second in range(1000)])
    assert said[:50] == [None] * 50
    for tenth, seconds in enumerate(said[50:], 50):
        assert seconds == pytest.approx(100 - tenth / 10, rel=0.02)


def test_no_time_is_left_to_say_where_nothing_goes_on() -> None:
    points = [(second, min(second, 20) / 100) for second in range(60)]
    said = left([(float(second), share) for second, share in points])
    assert said[20] == pytest.approx(80, rel=0.02)
    assert said[31:] == [None] * 29
    assert left([(float(second), 0.01) for second in range(60)]) == [None] * 60
    crept = left([(float(second), 0.5 + second / 1e6) for second in range(60)])
    assert crept == [None] * 60, "so slow that days would be left"
    assert TimeLeft().after(50.0, None) is None


def test_quick_steps_do_not_promise_a_quick_end() -> None:
    """Six of seven steps in a second, and the last one takes a minute."""
    clock = TimeLeft()
    for step in range(6):
        assert clock.after(step / 6, step / 7, step) is None
    for tenth in range(10, 610):
        passed = tenth / 10
        said = clock.after(passed, (6 + (passed - 1) / 60) / 7, 6)
        if passed >= 5:
            assert said == pytest.approx(61 - passed, rel=0.05, abs=0.5)


@given(st.lists(st.tuples(st.floats(0.01, 5), st.floats(0, 0.1), st.booleans()), max_size=60))
def test_a_time_that_is_left_is_never_nonsense(steps: list[tuple[float, float, bool]]) -> None:
    clock, passed, share, part = TimeLeft(), 0.0, 0.0, 0
    for wait, more, other in steps:
        passed, share, part = passed + wait, min(1.0, share + more), part + other
        said = clock.after(passed, share, part)
        assert said is None or (0 <= said < math.inf and passed >= 5 and share >= 0.02)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "about 5 s left"),
        (41, "about 45 s left"),
        (60, "about 1 min left"),
        (61, "about 2 min left"),
        (7200, "about 120 min left"),
    ],
)
def test_a_time_in_words(seconds: float, words: str) -> None:
    assert Words().format(format_time_left(seconds)) == words
