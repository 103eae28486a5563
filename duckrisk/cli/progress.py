"""Shows the progress of runs on a terminal, and announces how long a run takes."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

from duckrisk.base.sentences import Sentence, Text


class Progress:
    """A progress bar that a session updates ten times a second.

    A run of more than a minute is announced with its estimated time once, on a terminal or not. The note
    also says what shortens the ``command``.
    """

    #: Seconds; a longer run is announced. The second limit holds where the estimate rests on finished parts
    #: alone, for the parts of two tables take unlike shares of the time.
    _LONG, _LONG_BY_PARTS = 60.0, 120.0
    #: Seconds; an estimate from less than these describes only how a part begins.
    _BEGINNING = 8.0

    def __init__(
        self,
        language: str = "en",
        after: float = 1.0,
        note: Callable[[str], None] | None = None,
        command: str | None = None,
    ) -> None:
        self._language = language
        self._note = note
        self._command = command
        self._announced = False
        self._part: Text | None = None
        self._started = time.monotonic()
        self._after = after
        self._bar: Any = None
        self._task: Any = None
        self._line: Text | None = None
        self._left = TimeLeft()
        self._enabled = sys.stderr.isatty()

    def __call__(self, text: Text, share: float | None) -> None:
        """Show a step and the share of it that is done."""
        if self._line is None:  # a line says more than the steps
            self._show(text, share)

    def line(self, text: Text, share: float | None) -> None:
        """Show a line of text in place of the steps from now on."""
        self._line = text
        self._show(text, share)

    def _show(self, text: Text, share: float | None) -> None:
        passed = time.monotonic() - self._started
        # The share of a statement does not describe the run, and a changing line is not a part of it.
        of_run = share if not isinstance(text, str) else None
        left = self._left.after(passed, of_run, text if self._line is None else None)
        self._announce(text, passed, of_run, left)
        if not self._enabled or passed < self._after:
            return
        from duckrisk.report.safe import escape_unprintable
        from duckrisk.report.words import Words

        words = Words(self._language)
        line = (
            describe_statement(text, self._language)
            if isinstance(text, str)
            else words.format(text, escape_unprintable)
        )
        if self._bar is None:
            self._start()
        self._bar.update(
            self._task,
            description=line,
            completed=share or 0.0,
            left=words.format(format_time_left(left)) if left is not None else "",
        )

    def _announce(self, text: Text, passed: float, share: float | None, left: float | None) -> None:
        """Announce once how long the run takes.

        The estimate is that of the bar, or where a part ends or stands still that of the whole run.
        """
        begins, self._part = text != self._part, text
        if self._note is None or self._announced or self._line is not None or share is None:
            return
        least = self._LONG
        if left is None and (begins or self._left.is_stalled) and share >= TimeLeft.MIN_SHARE:
            left = passed / share * (1 - share)
            least = self._LONG_BY_PARTS if begins else self._LONG
        if left is None or passed + left < least or (least == self._LONG and passed < self._BEGINNING):
            return
        self._announced = True
        from duckrisk.report.words import Words, has_sentence

        words, key = Words(self._language), f"progress.shorter.{self._command}"
        minutes = math.ceil((passed + left) / 60)
        sentences = [words.format(Sentence("progress.takes", count=f"{minutes:,}"))]
        sentences += [words.look_up(key)] if has_sentence(key) else []
        self.close()  # the bar is drawn again below the note
        self._note(" ".join(sentences))

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        columns = (
            *(TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn()),
            *(TimeElapsedColumn(), TextColumn("{task.fields[left]}", markup=False)),
        )
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=1.0, left="")
        self._bar.start()

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def describe_statement(name: str, language: str = "en") -> str:
    """Describe what a statement does, by the words of its template, else of its topic."""
    from duckrisk.engine.templates import topic_of
    from duckrisk.report.words import Words, has_sentence

    topic = topic_of(name) or "source"  # statements without a template open one
    keys = (f"progress.{name}", f"progress.{topic}", "progress.other")
    return Words(language).look_up(next(key for key in keys if has_sentence(key)))


class TimeLeft:
    """An estimate of the seconds that a run still takes.

    The parts of a run have unlike speeds. The estimate takes the recent speed of the current part, or that of
    the whole run where this is slower, and counts down between two updates. A run that has just begun or that
    stands still has none.

    The estimate of ``rich`` averages the last 30 seconds over all parts: after six quick parts of a run of
    seven it is up to 30 times too low, and it stays for half a minute where a run stands still.
    """

    #: Seconds: before the first estimate, of a part before its speed counts, of the recent speed, and until a
    #: new estimate has replaced the old one.
    _FIRST_AFTER, _MIN_PART, _WINDOW, _SMOOTHING = 5.0, 3.0, 10.0, 5.0
    #: Shares: of the run before the first estimate, and of recent progress; with less, the run is stalled.
    MIN_SHARE, _MIN_GAIN = 0.02, 0.001

    def __init__(self) -> None:
        self._part: object = None
        self._seen: list[tuple[float, float]] = []
        self._passed = 0.0
        self._left: float | None = None
        #: Whether nothing moves, so that only the time of the whole run gives an estimate.
        self.is_stalled = False

    def after(self, passed: float, share: float | None, part: object = None) -> float | None:
        """Update the estimate.

        Args:
            passed: Seconds since the run began.
            share: The share of the run that is done, from 0 to 1; None where that is unknown.
            part: The part that runs.

        Returns:
            The seconds that are left, or None where they cannot be estimated.
        """
        if share is None:
            return None
        if part != self._part:
            self._part, self._seen = part, []
        # A statement that reports no progress of its own does not slow the run down.
        moved = not self._seen or share > self._seen[-1][1]
        self._seen.append((passed, share))
        while self._seen[1:] and self._seen[1][0] <= passed - self._WINDOW:
            del self._seen[0]
        since, self._passed = self._passed, passed
        if self._left is not None:
            self._left = self._left - (passed - since) if self._left > passed - since else None
        lasted, gained = passed - self._seen[0][0], share - self._seen[0][1]
        self.is_stalled = gained < self._MIN_GAIN and lasted >= self._WINDOW
        if self.is_stalled:
            self._left = None
        elif (
            moved
            and gained >= self._MIN_GAIN
            and lasted >= self._MIN_PART
            and passed >= self._FIRST_AFTER
            and share >= self.MIN_SHARE
        ):
            left = max(passed / share, lasted / gained) * (1 - share)
            weight = 1 - math.exp((since - passed) / self._SMOOTHING) if self._left is not None else 1.0
            self._left = left * weight + (self._left or 0.0) * (1 - weight)
        return self._left


def format_time_left(seconds: float) -> Sentence:
    """Describe the time that is left, in steps of 5 seconds or a minute."""
    if seconds < 60:
        return Sentence("progress.seconds_left", count=f"{max(5, math.ceil(seconds / 5) * 5)}")
    return Sentence("progress.minutes_left", count=f"{math.ceil(seconds / 60):,}")
