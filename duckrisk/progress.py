"""Progress on standard error for runs over a second; nothing where nobody watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from duckrisk.sentences import Text


class Progress:
    """Called by a session ten times a second with the running statement and how far it is."""

    def __init__(self, language: str = "en", after: float = 1.0) -> None:
        self._language = language
        self._started = time.monotonic()
        self._after = after
        self._bar: Any = None
        self._task: Any = None
        self._line: Text | None = None
        self._enabled = sys.stderr.isatty()

    def __call__(self, name: str, share: float | None) -> None:
        if self._line is None:  # else the line says more than the statements do
            self._show(lambda: doing(name, self._language), share)

    def line(self, text: Text, share: float | None) -> None:
        """Show a line of text, from now on in place of what statements do."""
        from duckrisk.report.safe import visible
        from duckrisk.report.words import Words

        self._line = text
        self._show(lambda: Words(self._language).plain(text, visible), share)

    def _show(self, words: Callable[[], str], share: float | None) -> None:
        if not self._enabled or time.monotonic() - self._started < self._after:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                TaskProgressColumn,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )
            from rich.progress import Progress as Bar

            columns = (
                *(TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn()),
                *(TimeElapsedColumn(), TimeRemainingColumn()),
            )
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(words(), total=1.0)
            self._bar.start()
        self._bar.update(self._task, description=words(), completed=share or 0.0)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def doing(name: str, language: str = "en") -> str:
    """What a statement does, in words: those of its template, else of its topic."""
    from duckrisk.report.words import Words, has
    from duckrisk.templates import topic_of

    topic = topic_of(name) or "source"  # what is no template opens one
    keys = (f"progress.{name}", f"progress.{topic}", "progress.other")
    return Words(language).word(next(key for key in keys if has(key)))
