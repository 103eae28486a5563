"""Progress of a job: its steps in order, and the share of the work that is done."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from duckrisk.base.sentences import Sentence, Text

#: Receives what runs, a statement's name or a sentence, and the share done: 0 to 1, None if unknown.
ProgressCallback = Callable[[Text, float | None], None]
_Item = TypeVar("_Item")
#: Relative duration of steps, rounded, as measured on tables of people and of purchases.
_WEIGHTS = {
    "source": 1,
    "roles": 2,
    "disclosure": 1,
    "identifiers": 1,
    "attribute": 4,
    "uniqueness": 3,
    "details": 2,
    "writing": 2,
    "judged": 2,
    "risk": 16,
}
#: Relative duration of any other step (a choice: between the measured ones in ``_WEIGHTS``).
_DEFAULT_WEIGHT = 8
#: Share of an item that its running statement can reach (a choice: below 1, as other statements may follow).
_STATEMENT_SHARE = 0.9


class Steps:
    """Reports the running step of a job and the share of the whole job that is done.

    The share never falls. Without a plan every call is passed on unchanged.

    A job can be nested in another: pass the outer job's ``Steps`` as the callback of the inner one.

    Args:
        report: Receives the progress; None reports nothing.
    """

    def __init__(self, report: ProgressCallback | None = None) -> None:
        self._report = report
        self._names: tuple[str, ...] = ()
        self._weights: tuple[int, ...] = ()
        self._index = 0
        #: The range of the current step that the current item covers.
        self._low, self._high = 0.0, 1.0
        self._in_item = False
        self._share = 0.0

    def plan(self, *names: str) -> None:
        """Set the steps of the job and start the first one.

        Args:
            names: The steps in order, as keys of the catalogue's table ``progress``.
        """
        self._names = names
        self._weights = tuple(_WEIGHTS.get(name, _DEFAULT_WEIGHT) for name in names)

    def begin(self, name: str) -> None:
        """Start a step. Ignored for steps of a nested job.

        Args:
            name: One of the planned steps.
        """
        if name in self._names:
            self._index = self._names.index(name)
            self._low, self._high, self._in_item = 0.0, 1.0, False

    def track(
        self, items: Sequence[_Item], to: float = 1.0, weights: Sequence[float] | None = None
    ) -> Iterator[_Item]:
        """Yield items, and advance the step or the item around this loop after each.

        Args:
            items: What the caller processes one by one.
            to: Share of the remaining step that is done after the last item, 0 to 1.
            weights: Relative duration of each item; None if they take equally long.
        """
        low, high, in_item = self._low, self._high, self._in_item
        width = (high - low) * to
        ends = list(itertools.accumulate(weights or [1.0] * len(items)))
        for item, begin, end in zip(items, [0.0, *ends], ends, strict=False):
            self._low, self._high = low + width * begin / ends[-1], low + width * end / ends[-1]
            self._in_item = True
            yield item
        self._low, self._high, self._in_item = low + width, high, in_item

    def __call__(self, text: Text, share: float | None) -> None:
        """Report what runs, as :data:`ProgressCallback`."""
        if self._report is None:
            return
        if not self._names:
            self._report(text, share)
            return
        if isinstance(text, str):  # a statement; outside of items the number of statements is unknown
            share = _STATEMENT_SHARE * (share or 0.0) if self._in_item else 0.0
        within = self._low + (self._high - self._low) * (share or 0.0)
        done, weight = sum(self._weights[: self._index]), self._weights[self._index]
        self._share = max(self._share, (done + weight * within) / sum(self._weights))
        name = Sentence(f"progress.{self._names[self._index]}")
        step = Sentence("progress.step", number=f"{self._index + 1}", count=f"{len(self._names)}", what=name)
        self._report(step, self._share)
