"""Where chance comes from: the system's randomness, or the seed that a person gave."""

from __future__ import annotations

import hashlib
import secrets

from duckrisk.engine.templates import Sql, render

_DRAWS = 2**64


class Chance:
    """What the steps of one treatment draw with.

    Without a seed it begins with 256 bits of the system's randomness that are never written down. ``order``
    is the seed for what needs no secret, such as where a search begins: 0 unless one was given.
    """

    def __init__(self, seed: int | None) -> None:
        self.order = seed or 0
        self._root = secrets.token_hex(32) if seed is None else f"duckrisk {seed}"

    def secret(self, *purpose: object) -> str:
        """A text that only who knows the root can find again, another one for every purpose."""
        return hashlib.sha256(" ".join([self._root, *map(str, purpose)]).encode()).hexdigest()

    def drawn(self, *purpose: object) -> Sql:
        """SQL of a whole number below 2 ** 64, drawn for each record and for this purpose."""
        digits = self.secret(*purpose)
        return render("drawn_number", first=str(int(digits[:16], 16)), second=str(int(digits[16:32], 16)))

    def share(self, share: float, *purpose: object) -> Sql:
        """SQL that holds for this share of the records, each on its own."""
        limit = max(0, min(_DRAWS, round(share * _DRAWS)) - 1)
        return render("is_drawn", drawn=self.drawn(*purpose), limit=str(limit))
