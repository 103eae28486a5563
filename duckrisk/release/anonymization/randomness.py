"""The source of randomness: the system, or a seed that a person gave."""

from __future__ import annotations

import hashlib
import secrets

from duckrisk.engine.templates import Sql, render

#: Numbers that a draw can be (derived: UBIGINT of DuckDB).
_DRAWS = 2**64


class Chance:
    """What the steps of a treatment draw with.

    Without a seed it begins with 256 bits of the system's randomness, which are never written down.

    Attributes:
        order: Seed of what needs no secret, such as the start of a search; 0 without a given seed.
    """

    def __init__(self, seed: int | None) -> None:
        self.order = seed or 0
        self._root = secrets.token_hex(32) if seed is None else f"duckrisk {seed}"

    def derive_secret(self, *purpose: object) -> str:
        """Derive a secret text for a purpose, which takes the root to derive again.

        Args:
            purpose: What the text is for; each purpose has another one.
        """
        return hashlib.sha256(" ".join([self._root, *map(str, purpose)]).encode()).hexdigest()

    def render_draw(self, *purpose: object) -> Sql:
        """Render a whole number below 2 ** 64, drawn for each record and purpose.

        Args:
            purpose: What the number is for.
        """
        digits = self.derive_secret(*purpose)
        return render("drawn_number", first=str(int(digits[:16], 16)), second=str(int(digits[16:32], 16)))

    def render_share(self, share: float, *purpose: object) -> Sql:
        """Render a condition that a share of the records meets, each by its own draw.

        Args:
            share: The share, from 0 to 1.
            purpose: What the records are drawn for.
        """
        limit = max(0, min(_DRAWS, round(share * _DRAWS)) - 1)
        return render("is_drawn", drawn=self.render_draw(*purpose), limit=str(limit))
