"""How identifiability is measured: the settings and what they may be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from duckrisk.errors import UsageError
from duckrisk.identifiability.levels import DEFAULT_PROFILE, chart

#: Texts that mean a missing cell, besides NULL.
TOKENS = ("", "?", "*", "NULL", "N/A")


@dataclass(frozen=True)
class Options:
    """How identifiability is measured.

    ``levels`` are pairs of a column and its type of the chart or its [economic, psychological] level; they
    win over ``settled_levels``, those of a settings file, column by column. ``profile`` is the chart.
    ``missing`` "none": a missing cell carries no information, "value": it is a value; texts in
    ``missing_tokens`` are missing cells too; ``compare_missing``: search by the other rule as well, where
    cells are missing. ``max_sets``, ``max_size`` and ``time_limit`` (seconds) end
    the search early; without ``max_sets`` it ends where its work gets long, unless it is to be ``thorough``.
    ``what_if``: compute what would help (None: where it is cheap). ``base``
    is the value of the least sensitive record in ``currency``; ``social_responsibility`` and
    ``post_response`` are JO's factors, 1 or 2.
    """

    levels: tuple[tuple[str, Any], ...] = ()
    settled_levels: tuple[tuple[str, Any], ...] = ()
    profile: str = DEFAULT_PROFILE
    missing: str = "none"
    missing_tokens: tuple[str, ...] = TOKENS
    compare_missing: bool = True
    max_sets: int | None = None
    max_size: int | None = None
    time_limit: float | None = None
    thorough: bool = False
    what_if: bool | None = None
    currency: str = "yen"
    base: float = 500
    social_responsibility: int = 1
    post_response: int = 1

    def check(self) -> None:
        """Raise UsageError with one sentence where a setting makes no sense."""
        if not isinstance(self.profile, str):
            raise UsageError("profile takes the name of a chart, such as jo2003.")
        if not all(isinstance(name, str) for name, _ in self.levels):
            raise UsageError("levels takes names of columns, as texts.")
        chart(self.profile)
        if self.missing not in ("none", "value"):
            raise UsageError(
                f'missing is "none" (a cell without a value tells nothing) or "value", not "{self.missing}".'
            )
        if not isinstance(self.missing_tokens, tuple) or not all(
            isinstance(token, str) for token in self.missing_tokens
        ):
            raise UsageError("missing_tokens takes a list of texts.")
        for name, least in (("max_sets", 1), ("max_size", 1)):
            limit = getattr(self, name)
            if limit is not None and (type(limit) is not int or limit < least):
                raise UsageError(f"{name} has to be a whole number of {least} or more.")
        for name, limit in (("time_limit", self.time_limit), ("base", self.base)):
            if limit is not None and (
                type(limit) not in (int, float) or not math.isfinite(limit) or limit <= 0
            ):
                raise UsageError(f"{name} has to be a number above 0.")
        if self.base > 1e12:
            raise UsageError("base has to be at most 1e12.")
        for name in ("compare_missing", "thorough"):
            if getattr(self, name) not in (True, False):
                raise UsageError(f"{name} has to be true or false.")
        if self.what_if not in (None, True, False):
            raise UsageError("what_if has to be true or false.")
        if not isinstance(self.currency, str) or not self.currency.strip():
            raise UsageError("currency has to be a text, such as yen.")
        for name in ("social_responsibility", "post_response"):
            if type(getattr(self, name)) is not int or getattr(self, name) not in (1, 2):
                raise UsageError(f"{name} is a factor of the JO model: 1 or 2.")
