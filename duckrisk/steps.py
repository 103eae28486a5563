"""The parts of a job in their order, and how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from duckrisk.sentences import Text, say

#: Who watches a job: is told what is done, as the name of a statement or as a sentence, and the share of it
#: that is done, from 0 to 1 or None where nobody can tell.
Told = Callable[[Text, float | None], None]
_Item = TypeVar("_Item")
#: So much of a part its running statement can be, as others may follow.
_STATEMENT = 0.9


class Steps:
    """Tells whoever watches which part of a job runs, and the share of the whole job that is done, which
    never goes back; without a plan, what it is told itself.

    A session tells it of the running statement as it would tell whoever watches. So a job can be a part of
    another: the steps of that one watch those of this one.
    """

    def __init__(self, told: Told | None = None) -> None:
        self._told = told
        self._names: tuple[str, ...] = ()
        self._number = 0
        self._low, self._high = 0.0, 1.0
        self._share = 0.0

    def plan(self, *names: str) -> None:
        """The parts of the job, which are words of the catalogue under ``progress``; the first one begins."""
        self._names = names

    def begin(self, name: str) -> None:
        """A part begins; of a job that is a part of another, nothing is said here."""
        if name in self._names:
            self._number = self._names.index(name)
            self._low, self._high = 0.0, 1.0

    def each(self, items: Sequence[_Item], to: float = 1.0) -> Iterator[_Item]:
        """Items that are taken one after the other: after the last one the part, or the item that they are
        about, is done, or so much of what was left of it."""
        low, high = self._low, self._high
        width = (high - low) * to
        for number, item in enumerate(items):
            self._low = low + width * number / len(items)
            self._high = low + width * (number + 1) / len(items)
            yield item
        self._low, self._high = low + width, high

    def __call__(self, text: Text, share: float | None) -> None:
        if self._told is None:
            return
        if not self._names:
            self._told(text, share)
            return
        within = self._low + (self._high - self._low) * _STATEMENT * (share or 0.0)
        self._share = max(self._share, (self._number + within) / len(self._names))
        what = say(f"progress.{self._names[self._number]}")
        step = say("progress.step", number=f"{self._number + 1}", count=f"{len(self._names)}", what=what)
        self._told(step, self._share)
