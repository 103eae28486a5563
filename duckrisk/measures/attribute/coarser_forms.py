"""List coarser forms that an attribute could be published in."""

from __future__ import annotations

import math

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Part
from duckrisk.engine.types import is_float, is_number
from duckrisk.roles import Decision
from duckrisk.source import Column

#: Bands over the span of a column's numbers without outliers.
_BAND_COUNTS = (20, 8)
#: Span of numbers that have bands (a choice: of other columns bands would hardly be published).
_MIN_SPAN, _MAX_SPAN = 1e-3, 1e15


def list_coarser_forms(
    session: Session,
    attribute: Attribute,
    decision: Decision,
    distinct_values: int,
    counted: Column | None = None,
) -> list[Attribute]:
    """List coarser forms of an attribute that are still useful.

    Args:
        session: The session, with the source as the assessed view.
        attribute: An attribute of one column.
        decision: The decision on this column.
        distinct_values: Number of distinct values of the attribute.
        counted: The column with the number of people of each record; None for one person each.

    Returns:
        The forms, such as the month of a date; none if the attribute has few values.
    """
    (part,) = attribute.parts
    name, kind = decision.column.name, decision.column.type
    forms: list[tuple[str, float | None]] = []
    if part.knowledge == "date" or (part.knowledge == "exact" and kind == "DATE"):
        forms = [("week", None), ("month", None), ("year", None)]
    elif part.knowledge == "time":
        forms = [("hour", None)]
    elif kind == "VARCHAR" and part.knowledge == "exact" and not decision.is_moment and distinct_values > 20:
        forms = [("prefix", 3), ("prefix", 2)]
    elif part.knowledge in ("exact", "number") and is_number(kind) and distinct_values > 10:
        span = _measure_span(session, decision, counted)
        least = 0 if is_float(kind) else 2
        widths = {max(least, _round_up(span / bands)): None for bands in _BAND_COUNTS if span is not None}
        forms = [("band", width) for width in widths]
    return [
        Attribute(
            f"{name}.{knowledge}" + (f"({argument})" if argument is not None else ""),
            (
                Part(
                    part.column,
                    knowledge,
                    argument,
                    part.moment,
                    part.tokens,
                    number=part.number,
                    fine=part.fine,
                ),
            ),
        )
        for knowledge, argument in forms
    ]


def _measure_span(session: Session, decision: Decision, counted: Column | None) -> float | None:
    """Measure the span of a column's numbers without outliers.

    None if bands would be useless.
    """
    column = decision.column.binding
    people = {"counted": counted.binding} if counted is not None else {}
    source = session.views.select_columns(column, *people.values())
    row = session.fetch_row("value_span", source=source, column=column, **people)
    if row["span_lower"] is None or row["span_upper"] is None:
        return None
    span = float(row["span_upper"] - row["span_lower"])
    return span if math.isfinite(span) and _MIN_SPAN < span < _MAX_SPAN else None


def _round_up(number: float) -> float:
    """Round a number up to 1, 2 or 5 times a power of ten."""
    power = math.floor(math.log10(number) + 1e-9)
    width = next(step for step in (1, 2, 5, 10) if step >= number / 10.0**power * (1 - 1e-9))
    return width * 10**power if power >= 0 else 1 if (width, power) == (10, -1) else float(f"{width}e{power}")
