"""The parts of a job in their order, and how far it is."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from duckrisk.base.sentences import Sentence, Text

#: Who watches a job: is told what is done, as the name of a statement or as a sentence, and the share of it
#: that is done, from 0 to 1 or None where nobody can tell.
Told = Callable[[Text, float | None], None]
_Item = TypeVar("_Item")
#: How long parts take beside each other, roughly, as was measured on tables of people and of purchases.
_WEIGHTS = {
    "source": 1,
    "roles": 2,
    "disclosure": 1,
    "attribute": 4,
    "uniqueness": 3,
    "writing": 2,
    "judged": 2,
    "risk": 16,
}
_USUAL = 8
#: So much of an item its running statement can be, as others may follow.
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
        self._weights: tuple[int, ...] = ()
        self._number = 0
        self._low, self._high = 0.0, 1.0
        self._in_item = False
        self._share = 0.0

    def plan(self, *names: str) -> None:
        """The parts of the job, which are words of the catalogue under ``progress``; the first one begins."""
        self._names = names
        self._weights = tuple(_WEIGHTS.get(name, _USUAL) for name in names)

    def begin(self, name: str) -> None:
        """A part begins; of a job that is a part of another, nothing is said here."""
        if name in self._names:
            self._number = self._names.index(name)
            self._low, self._high, self._in_item = 0.0, 1.0, False

    def each(
        self, items: Sequence[_Item], to: float = 1.0, weights: Sequence[float] | None = None
    ) -> Iterator[_Item]:
        """Items that are taken one after the other: after the last one the part, or the item that they are
        about, is done, or so much of what was left of it. ``weights`` are how long each takes beside the
        others, where that is not the same."""
        low, high, in_item = self._low, self._high, self._in_item
        width = (high - low) * to
        ends = list(itertools.accumulate(weights or [1.0] * len(items)))
        for item, begin, end in zip(items, [0.0, *ends], ends, strict=False):
            self._low, self._high = low + width * begin / ends[-1], low + width * end / ends[-1]
            self._in_item = True
            yield item
        self._low, self._high, self._in_item = low + width, high, in_item

    def __call__(self, text: Text, share: float | None) -> None:
        if self._told is None:
            return
        if not self._names:
            self._told(text, share)
            return
        if isinstance(text, str):  # a statement; how many others a part runs is known of its items alone
            share = _STATEMENT * (share or 0.0) if self._in_item else 0.0
        within = self._low + (self._high - self._low) * (share or 0.0)
        before, own = sum(self._weights[: self._number]), self._weights[self._number]
        self._share = max(self._share, (before + own * within) / sum(self._weights))
        what = Sentence(f"progress.{self._names[self._number]}")
        step = Sentence("progress.step", number=f"{self._number + 1}", count=f"{len(self._names)}", what=what)
        self._told(step, self._share)
