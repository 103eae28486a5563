"""What a search for uniform forms returns: one form per quasi-identifier."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

#: Digits of a mean in a release; more are written only to keep it inside of its band (a choice: a mean of
#: 11 values is not known better).
_DIGITS = 6
#: Factors of nice numbers, times a power of ten.
_NICE = (5, 2, 1)
#: Digits of a nice number (derived: a double has 17).
_MAX_DIGITS = 18
#: Powers of ten between a number and the width of its band, above which the number is not rounded (derived: a
#: double has 15 digits).
_MAX_ROUNDED = 12

Kind = Literal["whole", "bands", "groups", "moment", "prefix", "level", "left_out"]
Number = int | float | str


@dataclass(frozen=True)
class Band:
    """The released values of a band of numbers.

    Attributes:
        least: Least value of a remaining record.
        most: Greatest value of a remaining record.
        mean: Mean of the remaining records, with as few digits as needed.
    """

    least: Number
    most: Number
    mean: float


@dataclass(frozen=True)
class Form:
    """How a column is released.

    Attributes:
        column: Name of the column.
        kind: "whole" as it is, "bands" of numbers, "groups" of values, the period of a "moment", a
            "prefix", a "level" of its hierarchy, or "left_out".
        edges: Starts of the bands, ascending, and the end of the last one, which it includes.
        bands: The bands.
        groups: Lists of values as texts. A group of too many values is written as `*`.
        option: The period, the length of the prefix or the level; None for other kinds.
        hopeless: Whether the column was left out before the search, because most values are unique.
    """

    column: str
    kind: Kind
    edges: tuple[Number, ...] = ()
    bands: tuple[Band, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    option: str | int | None = None
    hopeless: bool = False


@dataclass(frozen=True)
class Forms:
    """One form per quasi-identifier, and what they leave.

    Attributes:
        forms: The forms, in the order of the quasi-identifiers.
        records: Number of records before.
        deleted: Number of records in classes that are too small.
        classes: Number of equivalence classes.
        smallest: Number of records of the smallest class, or of people; None without records.
        gcp: Global certainty penalty, 0 to 1; a deleted record counts 1, as does a column that is left out.
    """

    forms: tuple[Form, ...]
    records: int
    deleted: int
    classes: int
    smallest: int | None
    gcp: float


def find_nice_number(above: Any, most: Any) -> Any:
    """Find the roundest number between two numbers.

    It is a multiple of the largest power of ten, or of 2 or 5 times one.

    Args:
        above: A number below it.
        most: The number itself, or one above it.

    Returns:
        The nice number, of the type of `most`.
    """
    return _find_multiple(above, most)[0]


def measure_step(above: Any, most: Any) -> float:
    """Return the largest nice step that has a multiple between two numbers.

    Nice steps are powers of ten, and 2 and 5 times these.

    Args:
        above: A number below the multiple.
        most: The multiple itself, or a number above it.
    """
    return _find_multiple(above, most)[1]


def _find_multiple(above: Any, most: Any) -> tuple[Any, float]:
    low, high = _as_decimal(above), _as_decimal(most)
    if low < 0 <= high:
        return type(most)(0), math.inf
    top = max(abs(low), abs(high)).adjusted()
    for power in range(top + 1, top - _MAX_DIGITS, -1):
        for factor in _NICE:
            step = Decimal(factor).scaleb(power)
            multiple = (high / step).to_integral_value("ROUND_FLOOR") * step
            if low < multiple <= high and above < (number := type(most)(multiple)) <= most:
                return number, float(step)
    return most, 0.0


def round_outward(number: Any, width: Any, beyond: Any = None, *, up: bool = False) -> Any:
    """Round the end of a band outward, so that it is no exact value of a record.

    Args:
        number: The end.
        width: Width of the band; 0 leaves the number as it is.
        beyond: The next number outside, which the rounded end must not reach; None if there is none.
        up: Whether it is the upper end.
    """
    exact, power = _as_decimal(number), _as_decimal(width)
    if not power or exact.adjusted() - power.adjusted() > _MAX_ROUNDED:
        return number
    for places in range(power.adjusted(), power.adjusted() - _DIGITS, -1):
        step = Decimal(1).scaleb(places)
        direction = "ROUND_CEILING" if up else "ROUND_FLOOR"
        rounded = type(number)((exact / step).to_integral_value(direction) * step)
        is_outside = rounded >= number if up else rounded <= number
        if is_outside and (beyond is None or (rounded < beyond if up else rounded > beyond)):
            return rounded
    return number


def shorten_mean(mean: float, least: Any, most: Any) -> float:
    """Round a mean to few digits, inside of its band.

    Args:
        mean: The mean.
        least: Least value of the band.
        most: Greatest value of the band.
    """
    low, high = float(least), float(most)
    bounded = min(max(mean, low), high)
    short = (float(f"{bounded:.{digits}g}") for digits in range(_DIGITS, 18))
    return next((number for number in short if low <= number <= high), bounded)


def write_number(number: Any) -> Number:
    """Return a number as a recipe writes it, as a text if no TOML number holds it.

    Args:
        number: An int, float or Decimal.
    """
    if isinstance(number, float):
        return number
    exact = Decimal(number)
    if exact == exact.to_integral_value():
        return int(exact) if abs(exact) < 2**63 else f"{exact:f}"
    return float(exact) if Decimal(repr(float(exact))) == exact else f"{exact:f}"


def _as_decimal(number: Any) -> Decimal:
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)


def mean_of_places(rows: Mapping[str, Any], least: Any, most: Any) -> float:
    """Return the mean of numbers, whose places are shares of the range.

    Args:
        rows: A row with the mean of the places.
        least: Least number of the range.
        most: Greatest number of the range.
    """
    place = float(rows["mean"])
    low, high = float(least), float(most)
    mean = low + place * (high - low)
    return mean if math.isfinite(mean) else low * (1 - place) + high * place
