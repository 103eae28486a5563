"""Where a search among attribute sets ends early."""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Where a search ends early; None for no limit.

    Attributes:
        max_sets: Sets to examine.
        max_pairs: Pairs of a set and a combination to examine.
        max_size: Attributes of a set.
        until: The moment of `time.monotonic()` at which statements stop.
    """

    max_sets: int | None = None
    max_pairs: int | None = None
    max_size: int | None = None
    until: float | None = None

    @property
    def on_sets(self) -> str:
        """Return the name of the limit on the number of sets."""
        return "built_in" if self.max_sets is None else "max_sets"

    def is_time_over(self) -> bool:
        """Return whether the time is over."""
        return self.until is not None and time.monotonic() > self.until
