"""Check the options of bands of numbers and groups of values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from duckrisk.base.errors import UsageError

NUMBERS = ("mean", "interval", "bounds")
CATEGORIES = ("text", "list")


def check_recoding(options: Mapping[str, Any]) -> None:
    """Check the bands or the groups of a step.

    Args:
        options: The options of the step `generalize`.

    Raises:
        UsageError: They do not fit together.
    """
    if "bands" in options:
        _check_bands(options)
    elif "cells" in options or "numbers" in options:
        raise UsageError("anonymization.option_alone", name="cells", other="bands")
    if "groups" in options:
        values = [value for group in options["groups"] for value in group]
        if not values or not all(options["groups"]):
            raise UsageError("anonymization.empty_group")
        if len(set(values)) < len(values):
            raise UsageError("anonymization.value_in_two_groups")
    elif "categories" in options:
        raise UsageError("anonymization.option_alone", name="categories", other="groups")


def _check_bands(options: Mapping[str, Any]) -> None:
    try:
        edges = [Decimal(str(edge)) for edge in options["bands"]]
    except InvalidOperation:
        raise UsageError("anonymization.bands_not_ascending") from None
    starts = edges[:-1]
    if len(edges) < 2 or starts != sorted(set(starts)) or edges[-1] < edges[-2]:
        raise UsageError("anonymization.bands_not_ascending")
    size = 3 if options.get("numbers", "mean") == "mean" else 2
    cells = options.get("cells", ())
    fits = all(isinstance(cell, (list, tuple)) and len(cell) == size for cell in cells)
    if len(cells) != len(starts) or not fits:
        raise UsageError("anonymization.cells_do_not_fit_bands", count=len(starts))


def is_number_or_text(value: Any) -> bool:
    """Return whether a value of a recipe is a number, or the text of one.

    Args:
        value: The value.
    """
    if isinstance(value, str):
        try:
            return Decimal(value).is_finite()
        except InvalidOperation:
            return False
    return type(value) in (int, float) and math.isfinite(value)
