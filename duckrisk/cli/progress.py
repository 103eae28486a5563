"""Progress on standard error for runs over a second where somebody watches, and how long a long run takes."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

from duckrisk.base.sentences import Sentence, Text


class Progress:
    """Called by a session ten times a second with what is done and how far it is.

    Of a run of more than a minute it notes as soon as that is seen how long it will take, whether somebody
    watches or not, and with the name of the ``command`` what makes that one shorter.
    """

    #: Seconds from which on a run is long, and such an estimate where it goes by the parts that ended alone:
    #: which part takes how long is not the same for all tables.
    _LONG, _LONG_BY_PARTS = 60.0, 120.0
    #: In its first seconds the speed of a part is that of its beginning.
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
        if self._line is None:  # else the line says more than the steps do
            self._show(text, share)

    def line(self, text: Text, share: float | None) -> None:
        """Show a line of text, from now on in place of the steps."""
        self._line = text
        self._show(text, share)

    def _show(self, text: Text, share: float | None) -> None:
        passed = time.monotonic() - self._started
        # How far a statement is says nothing of the run, and a line that changes is no part of it.
        told = share if not isinstance(text, str) else None
        left = self._left.after(passed, told, text if self._line is None else None)
        self._announce(text, passed, told, left)
        if not self._enabled or passed < self._after:
            return
        from duckrisk.report.safe import visible
        from duckrisk.report.words import Words

        words = Words(self._language)
        shown = doing(text, self._language) if isinstance(text, str) else words.plain(text, visible)
        if self._bar is None:
            self._start()
        self._bar.update(
            self._task,
            description=shown,
            completed=share or 0.0,
            left=words.plain(in_words(left)) if left is not None else "",
        )

    def _announce(self, text: Text, passed: float, share: float | None, left: float | None) -> None:
        """Note once how long the run takes: from the speed of a part; from the share that is done where one
        ends or stands still."""
        begins, self._part = text != self._part, text
        if self._note is None or self._announced or self._line is not None or share is None:
            return
        least = self._LONG
        if left is None and (begins or self._left.stands) and share >= TimeLeft.SOME:
            left = passed / share * (1 - share)
            least = self._LONG_BY_PARTS if begins else self._LONG
        if left is None or passed + left < least or (least == self._LONG and passed < self._BEGINNING):
            return
        self._announced = True
        from duckrisk.report.words import Words, has

        words, key = Words(self._language), f"progress.shorter.{self._command}"
        minutes = math.ceil((passed + left) / 60)
        said = [words.plain(Sentence("progress.takes", count=f"{minutes:,}"))]
        said += [words.word(key)] if has(key) else []
        self.close()  # it is drawn again below what is said
        self._note(" ".join(said))

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


def doing(name: str, language: str = "en") -> str:
    """What a statement does, in words: those of its template, else of its topic."""
    from duckrisk.engine.templates import topic_of
    from duckrisk.report.words import Words, has

    topic = topic_of(name) or "source"  # what is no template opens one
    keys = (f"progress.{name}", f"progress.{topic}", "progress.other")
    return Words(language).word(next(key for key in keys if has(key)))


class TimeLeft:
    """How many seconds a run takes on, from the shares that were done after how many seconds.

    The parts of a run take unlike times, so its speed is that of the part that runs, of late, or that of the
    whole run where it was slower. Between two estimates the time is counted down; nothing is said of a run
    that only began or that stands still.
    """

    #: Seconds before anything is said, those of a part that tell its speed, those of late, and those in which
    #: a new estimate takes over.
    _BEFORE, _ENOUGH, _LATE, _OVER = 5.0, 3.0, 10.0, 5.0
    #: The share that has to be done by then, and that of late: with less a run stands still.
    SOME, _GAIN = 0.02, 0.001

    def __init__(self) -> None:
        self._part: object = None
        self._seen: list[tuple[float, float]] = []
        self._passed = 0.0
        self._left: float | None = None
        #: Whether nothing moves, so that only the time of the whole run tells anything.
        self.stands = False

    def after(self, passed: float, share: float | None, part: object = None) -> float | None:
        """The seconds that are left where a part runs, or None where that cannot be said."""
        if share is None:
            return None
        if part != self._part:
            self._part, self._seen = part, []
        # While nothing moves, a statement that tells nothing of itself is no slower run.
        moved = not self._seen or share > self._seen[-1][1]
        self._seen.append((passed, share))
        while self._seen[1:] and self._seen[1][0] <= passed - self._LATE:
            del self._seen[0]
        since, self._passed = self._passed, passed
        if self._left is not None:
            self._left = self._left - (passed - since) if self._left > passed - since else None
        lasted, gained = passed - self._seen[0][0], share - self._seen[0][1]
        self.stands = gained < self._GAIN and lasted >= self._LATE
        if self.stands:
            self._left = None
        elif (
            moved
            and gained >= self._GAIN
            and lasted >= self._ENOUGH
            and passed >= self._BEFORE
            and share >= self.SOME
        ):
            left = max(passed / share, lasted / gained) * (1 - share)
            weight = 1 - math.exp((since - passed) / self._OVER) if self._left is not None else 1.0
            self._left = left * weight + (self._left or 0.0) * (1 - weight)
        return self._left


def in_words(seconds: float) -> Sentence:
    """A time that is left, no finer than it can be known."""
    if seconds < 60:
        return Sentence("progress.seconds_left", count=f"{max(5, math.ceil(seconds / 5) * 5)}")
    return Sentence("progress.minutes_left", count=f"{math.ceil(seconds / 60):,}")
