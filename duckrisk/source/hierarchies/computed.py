"""Renders values of computed hierarchies: intervals, prefixes and periods, which need no table."""

from __future__ import annotations

from decimal import Decimal

from duckrisk.base.errors import UsageError
from duckrisk.engine.templates import Sql, render
from duckrisk.engine.types import (
    decimal_digits,
    has_date,
    is_float,
    is_float32,
    is_integer,
    is_nanosecond_timestamp,
    is_small_integer,
)

#: Units of periods from fine to coarse, each with its format; a quarter has none.
_FORMATS = {"day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m", "quarter": None, "year": "%Y"}
#: Periods of several years, with their number.
_YEARS = {"5years": 5, "10years": 10}
PERIOD_UNITS = (*_FORMATS, *_YEARS)


def render_interval(column: Sql, type_name: str, width: float, name: str) -> Sql:
    """Render the interval of a number, such as ``[30, 40[``.

    Args:
        column: The number.
        type_name: Its type.
        width: Width of the intervals, above 0; one of them begins at 0.
        name: Name of the column, for messages.

    Raises:
        UsageError: The column has no numbers, or numbers with fewer decimals than the width.
    """
    exact = Decimal(str(width))
    places = max(0, -int(exact.normalize().as_tuple().exponent))
    if is_float(type_name):
        column = render("as_double", column=column) if is_float32(type_name) else column
        numerator, denominator = exact.as_integer_ratio()
        fraction = {"numerator": float(numerator), "denominator": float(denominator)}
        multiple = render("multiple_below", column=column, **fraction)
        return render("interval_real", column=column, multiple=multiple, **fraction)
    if (parts := decimal_digits(type_name)) is not None:
        digits, scale = parts
        room = max(digits - scale, exact.adjusted() + 1) + scale + 2
        wide = f"DECIMAL({18 if room <= 18 else 38},{scale})"
    elif is_integer(type_name):
        signed = "BIGINT" if is_small_integer(type_name) and width < 1e9 else "HUGEINT"
        scale, wide = 0, type_name if type_name == "UHUGEINT" else signed
    else:
        raise UsageError("hierarchies.column_not_numeric", name=name)
    if places > scale:
        raise UsageError("hierarchies.width_finer_than_column", name=name, scale=scale, exact=exact)
    return render("interval_exact", column=column, width=f"{exact:f}", kind=Sql(wide))


def render_prefix(column: Sql, characters: int) -> Sql:
    """Render the first characters of a text, with ``*`` if more follow."""
    return render("prefix_cell", column=column, argument=characters)


def render_period(column: Sql, type_name: str, unit: str, name: str) -> Sql:
    """Render the period of a moment.

    Args:
        column: A date, a timestamp, or a text of one.
        type_name: Its type.
        unit: One of :data:`PERIOD_UNITS`.
        name: Name of the column, for messages.

    Raises:
        UsageError: The column has neither moments nor texts.
    """
    if not (has_date(type_name) or type_name == "VARCHAR"):
        raise UsageError("hierarchies.column_not_a_date", name=name, unit=unit)
    exact = truncate_to_microseconds(column, type_name)
    if (years := _YEARS.get(unit)) is not None:
        return render("years_cell", column=exact, first_day=_render_first_day(exact, unit), years=years)
    return render("moment_cell", column=exact, format=_FORMATS[unit])


def render_period_start(column: Sql, type_name: str, unit: str, name: str) -> Sql:
    """Render the first day of the period of a moment, as a date.

    Args:
        column: A date, or a timestamp.
        type_name: Its type.
        unit: One of :data:`PERIOD_UNITS`.
        name: Name of the column, for messages.

    Raises:
        UsageError: The column has no moments.
    """
    if not has_date(type_name):
        raise UsageError("hierarchies.column_not_a_date", name=name, unit=unit)
    return _render_first_day(truncate_to_microseconds(column, type_name), unit)


def _render_first_day(column: Sql, unit: str) -> Sql:
    if unit in _YEARS:
        return render("years_start", column=column, years=_YEARS[unit])
    return render("period_start", column=column, unit=unit)


def truncate_to_microseconds(column: Sql, type_name: str) -> Sql:
    """Render a moment without nanoseconds, which the engine would round up."""
    return render("in_microseconds", column=column) if is_nanosecond_timestamp(type_name) else column


def render_root(column: Sql) -> Sql:
    """Render the root, ``*`` for every value."""
    return render("covered", column=column)
