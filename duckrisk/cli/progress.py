"""Shows the progress of runs on a terminal, and announces long ones."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from duckrisk.base.sentences import Text


class Progress:
    """A progress bar that a session updates ten times a second.

    It shows the step, the share of the work that is done, and the time that passed. It says nothing of the
    time that is left: the parts of a run have unlike speeds, and estimates were up to four times too high.

    A run of more than a minute is announced once, on a terminal or not, with what shortens the ``command``.
    """

    #: Seconds; a longer run is announced (a choice: until then hardly anybody stops a run).
    _LONG = 60.0

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
        self._started = time.monotonic()
        self._after = after
        self._bar: Any = None
        self._task: Any = None
        self._line: Text | None = None
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
        if passed >= self._LONG:
            self._announce()
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
        minutes, seconds = divmod(int(passed), 60)
        self._bar.update(
            self._task,
            description=line,
            completed=share or 0.0,
            passed=f"{minutes}:{seconds:02}",
        )

    def _announce(self) -> None:
        """Say once that the run takes long, and what shortens it."""
        if self._note is None or self._announced or self._line is not None:
            return
        self._announced = True
        from duckrisk.report.words import Words, has_sentence

        words, key = Words(self._language), f"progress.shorter.{self._command}"
        sentences = [words.look_up("progress.long")]
        sentences += [words.look_up(key)] if has_sentence(key) else []
        self.close()  # the bar is drawn again below the note
        self._note(" ".join(sentences))

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn
        from rich.progress import Progress as Bar

        columns = (
            *(TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn()),
            # Of the whole run: a bar begins anew below a note.
            TextColumn("{task.fields[passed]}", markup=False),
        )
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=1.0, passed="")
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
