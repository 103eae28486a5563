"""Draw the figures on records singled out: by ease, by attribute sets and by attributes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from duckrisk.base.numbers import (
    format_change,
    format_currency,
    format_ease,
    format_money,
    format_number,
    format_share,
)
from duckrisk.base.sentences import Amount, Data, JoinedTexts, Sentence, Text
from duckrisk.measures.identifiability.results import Identifiability, LevelledAttribute, RecordsOfEase
from duckrisk.report.blocks import Column, Figure, Listing, number_column, text_column
from duckrisk.report.charts import (
    FIGURE_ROWS,
    FIGURE_WIDTH,
    PLOT_LEFT,
    PLOT_RIGHT,
    ROW_HEIGHT,
    Drawing,
    Scale,
    format_tick,
    measure_width,
    round_up,
)
from duckrisk.report.safe import escape_unprintable
from duckrisk.report.words import Words

#: Ease; a record with more holds the name of its person (derived: attributes give 2 i(I), where i(I) is at
#: most 1; sql/identifiability/identifiability.sql).
NAMED_EASE = 2
#: Attribute sets in the figure (a choice: its table lists all of them).
MAX_SETS = 16
#: Attributes with a column of dots; with more, sets have names instead (a choice: the dots then take half the
#: width of the figure).
_MAX_DOT_COLUMNS = 24
#: Units; a longer slanted name is shortened (a choice: the head of the figure is then less than 120 high).
_MAX_SLANTED_WIDTH = 124.0
#: The ends of the scale: the highest ease by attributes alone, and that of a record with a name.
_EASE_ENDS = (2.0, 6.0)


def _sentence(key: str, **values: Text) -> Sentence:
    return Sentence(f"identifiability.{key}", **values)


def _make_value_column(result: Identifiability, cell: Text, key: str = "value_in") -> Column:
    head, short = (
        _sentence(name, currency=format_currency(result.currency)) for name in (key, f"{key}.short")
    )
    return Column(head, numeric=True, short=short, cell=cell)


def _format_value(result: Identifiability, value: float | None) -> Text:
    """Format damages; "-" if too few columns have a level."""
    return Amount(value) if value is not None and result.has_leak else "-"


# --- how easily ----------------------------------------------------------------------------------


def plot_eases(result: Identifiability, description: Text) -> Figure:
    """Plot the number of records by ease."""
    largest = max(entry.records for entry in result.distribution)
    reading = [_sentence("read.ease")]
    if _is_logarithmic(result.distribution):
        reading.append(_sentence("read.ease_log"))
    if result.distribution[-1].ease == 0:
        reading.append(_sentence("read.ease_grey"))
    return Figure(
        _sentence("eases"),
        lambda words: _draw_eases(words, result, description),
        Listing.of(
            result.distribution,
            lambda entry: (
                number_column("identifiability.ease", format_ease(entry.ease)),
                number_column("identifiability.records", format_number(entry.records)),
                Column("", bar=True, cell=entry.records / largest),
                _make_value_column(result, _format_value(result, entry.value)),
            ),
            terminal_rows=10,
            sql=("distribution", "outcomes", "tier_ease"),
        ).drop_empty_columns(),
        tuple(reading),
    )


def _is_logarithmic(entries: Sequence[RecordsOfEase]) -> bool:
    """Check whether the numbers of records need a logarithmic scale."""
    counts = [entry.records for entry in entries]
    return max(counts) / min(counts) >= 50


def _draw_eases(words: Words, result: Identifiability, description: Text) -> Drawing:
    entries = result.distribution
    drawing = Drawing(words, description)
    logarithmic, largest = _is_logarithmic(entries), max(entry.records for entry in entries)
    right, top, bottom = 730.0, 40.0, 270.0
    top_count = 10.0 ** math.ceil(math.log10(largest + 1)) if logarithmic else round_up(largest)
    left = max(76.0, 12 + measure_width(format_number(round(top_count))))
    highest_ease = next(end for end in _EASE_ENDS if entries[0].ease <= end)

    def scale_x(value: float) -> float:
        return left + 14 + (right - left - 24) * value / highest_ease

    def scale_y(count: float) -> float:
        part = (math.log10(count) + 0.4) / (math.log10(top_count) + 0.4) if logarithmic else count / top_count
        return bottom - (bottom - top) * part

    powers = [10.0**power for power in range(round(math.log10(top_count)) + 1)] if logarithmic else []
    for count in powers or sorted({math.ceil(top_count * part / 4) for part in range(5)}):
        drawing.add_line("grid", left, scale_y(count), right, scale_y(count))
        drawing.add_label(format_number(round(count)), left - 8, scale_y(count) + 4, "t m", "end")
    drawing.add_line("grid", left, bottom, right, bottom)
    steps = 8 if highest_ease == _EASE_ENDS[0] else 6
    for step in range(steps + 1):
        drawing.add_label(
            format_tick(highest_ease * step / steps),
            scale_x(highest_ease * step / steps),
            bottom + 17,
            "t m",
            "middle",
        )
    drawing.add_label(_sentence("axis.ease"), right, bottom + 34, "t m", "end")
    drawing.add_label(_sentence("axis.records"), left - 8, 16, "t m")
    _draw_ease_legend(drawing, right, nobody=entries[-1].ease == 0)
    labelled = _choose_labels(
        [(scale_x(entry.ease), scale_y(entry.records), entry.records) for entry in entries]
    )
    for entry in entries:
        x, y, is_singled_out = scale_x(entry.ease), scale_y(entry.records), entry.ease > 0
        counts = {"ease": format_ease(entry.ease), "records": format_number(entry.records)}
        value = format_money(entry.value, result.currency)
        tip = (
            _sentence("tip.ease", **counts, value=value)
            if result.has_leak
            else _sentence("tip.ease_alone", **counts)
        )
        drawing.add_line("blue-line" if is_singled_out else "grey-line", x, bottom, x, y)
        shape, style = ("dot", "blue") if is_singled_out else ("square", "grey")
        drawing.add_marker(shape, style, x, y, 4, tip)
        if x in labelled:
            drawing.add_label(format_number(entry.records), x, y - 9, "t halo", "middle")
    drawing.height = bottom + 42
    return drawing


def _draw_ease_legend(drawing: Drawing, right: float, *, nobody: bool) -> None:
    items: list[tuple[str, str, Text]] = [("dot", "blue", _sentence("legend.singled_out"))]
    items += [("square", "grey", _sentence("legend.not_singled_out"))] if nobody else []
    drawing.add_legend(items, right - (360 if nobody else 170), 16)


def _choose_labels(points: list[tuple[float, float, int]]) -> set[float]:
    """Choose the points that get a label, by their `x`.

    The first is the point of the highest ease, then those of most records. A label must not cover another
    label, nor a line that rises above its point.
    """
    boxes: dict[float, tuple[float, float, float]] = {}
    for x, y, count in [points[0], *sorted(points[1:], key=lambda point: -point[2])]:
        half = measure_width(format_number(count)) / 2 + 3
        crossed = any(abs(other - x) < half and other_y < y - 2 for other, other_y, _ in points if other != x)
        covered = any(
            abs(at - x) < half + other_half and abs(other_y - y) < 14
            for at, other_y, other_half in boxes.values()
        )
        if not crossed and not covered:
            boxes[x] = (x, y, half)
    return set(boxes)


# --- by which sets -------------------------------------------------------------------------------


def plot_sets(result: Identifiability, description: Text) -> Figure:
    """Plot the damages of a leak for the records that each attribute set singles out."""
    ranks = tuple((entry.value, entry.ease) for entry in result.sets)
    reading = _sentence(
        "read.sets" if len(_list_drawn_attributes(result)) <= _MAX_DOT_COLUMNS else "read.sets_bars"
    )
    return Figure(
        _sentence("sets"),
        lambda words: _draw_sets(words, result, description),
        Listing.of(
            result.sets,
            lambda entry: (
                text_column("identifiability.set", JoinedTexts(tuple(map(Data, entry.attributes)))),
                number_column("identifiability.records", format_number(entry.records)),
                number_column("identifiability.ease", format_ease(entry.ease)),
                _make_value_column(result, Amount(entry.value)),
            ),
            terminal_rows=8,
            ranks=ranks,
            listed=result.sets_listed,
            sql=("set_values", "outcomes", "examine_sets"),
        ),
        (reading,),
    )


def _list_drawn_attributes(result: Identifiability) -> list[str]:
    """List the attributes of the sets that are drawn."""
    inside = {name for entry in result.sets[:MAX_SETS] for name in entry.attributes}
    return [entry.attribute for entry in result.attributes if entry.attribute in inside]


def _draw_sets(words: Words, result: Identifiability, description: Text) -> Drawing:
    drawn, columns = result.sets[:MAX_SETS], _list_drawn_attributes(result)
    dots = len(columns) <= _MAX_DOT_COLUMNS
    drawing = Drawing(words, description, entries_left_out=max(0, len(result.sets) - MAX_SETS))
    step = min(26.0, 330.0 / max(1, len(columns)))
    slanted = max(min(measure_width(name), _MAX_SLANTED_WIDTH) for name in columns)
    top = 22 + 0.77 * slanted if dots else 34.0
    start = 24.0 + step * len(columns) + 14 if dots else 330.0
    scale = Scale(0.0, round_up(max(entry.value for entry in drawn) or 1.0), start, 560.0, False)
    drawing.height = top + ROW_HEIGHT * len(drawn) + 8
    drawing.add_line("grid", start, top, start, drawing.height - 8)
    drawing.add_label(
        _sentence("axis.value", currency=format_currency(result.currency)), 672, top - 10, "t m", "end", 170
    )
    drawing.add_label(_sentence("axis.records"), 748, top - 10, "t m", "end")
    if dots:
        for position, name in enumerate(columns):
            drawing.add_slanted_label(
                Data(name), 24 + step * (position + 0.5) + 3, top - 6, _MAX_SLANTED_WIDTH
            )
    for row, entry in enumerate(drawn):
        y = top + ROW_HEIGHT * (row + 0.5)
        names = JoinedTexts(tuple(map(Data, entry.attributes)))
        if dots:
            _draw_dots(drawing, [name in entry.attributes for name in columns], step, y)
        else:
            drawing.add_label(names, start - 12, y + 4, anchor="end", max_width=start - 20)
        value = format_money(entry.value, result.currency)
        tip = words.format(
            _sentence("tip.set", names=names, records=format_number(entry.records), value=value),
            escape_unprintable,
        )
        width = max(1.0, scale(entry.value) - start)
        drawing.add_mark("rect", "blue", tip=tip, x=start, y=float(y - 7), width=width, height=14.0)
        drawing.add_label(Amount(entry.value), 672, y + 4, "t", "end")
        drawing.add_label(format_number(entry.records), 748, y + 4, "t m", "end")
    return drawing


def _draw_dots(drawing: Drawing, members: list[bool], step: float, y: float) -> None:
    positions = [24 + step * (position + 0.5) for position in range(len(members))]
    filled = [x for x, is_member in zip(positions, members, strict=True) if is_member]
    drawing.add_line("blue-line", filled[0], y, filled[-1], y)
    for x, is_member in zip(positions, members, strict=True):
        drawing.add_marker("dot", "blue" if is_member else "faint", x, y, 5 if is_member else 2.5)


# --- by which attributes -------------------------------------------------------------------------


def plot_parts(result: Identifiability, description: Text) -> Figure:
    """Plot the share of records singled out with each attribute.

    If it was measured, the fall of the damages without the attribute is drawn too.
    """
    entries = sorted(result.attributes, key=lambda entry: -entry.records_singled_out_with)
    if not result.has_leak:
        entries = [replace(entry, total_value_without=None, change_without=None) for entry in entries]
    reading = [_sentence("read.parts")]
    if any(entry.change_without is not None for entry in entries):
        reading.append(_sentence("read.parts_fall"))
    return Figure(
        _sentence("parts"),
        lambda words: _draw_parts(words, entries, description),
        Listing.of(
            entries,
            lambda entry: (
                text_column("identifiability.attribute", Data(entry.attribute)),
                number_column("identifiability.part", format_share(entry.share_of_singled_out)),
                Column("", bar=True, cell=entry.share_of_singled_out or 0.0),
                number_column(
                    "identifiability.records_with",
                    format_number(entry.records_singled_out_with),
                    short="identifiability.records_with.short",
                    priority=1,
                ),
                _make_value_column(result, _format_value(result, entry.total_value_without), "value_without"),
                number_column("identifiability.change", format_change(entry.change_without)),
            ),
            ranks=tuple(row.records_singled_out_with for row in entries),
            sql=("attribute_parts", "totals_without"),
        ).drop_empty_columns(),
        tuple(reading),
    )


def _draw_parts(words: Words, entries: Sequence[LevelledAttribute], description: Text) -> Drawing:
    drawn = entries[:FIGURE_ROWS]
    falls = any(entry.change_without is not None for entry in drawn)
    drawing = Drawing(words, description, entries_left_out=max(0, len(entries) - FIGURE_ROWS))
    scale = Scale(0, 1, PLOT_LEFT, PLOT_RIGHT - 30, False)
    top, bottom = 30.0, 30.0 + ROW_HEIGHT * len(drawn)
    items: list[tuple[str, str, Text]] = [("square", "blue", _sentence("legend.part"))]
    items += [("diamond", "orange", _sentence("legend.fall"))] if falls else []
    drawing.add_legend(items, PLOT_LEFT - 80, 16)
    drawing.add_label(_sentence("axis.part"), PLOT_RIGHT - 18, 16, "t m")
    if falls:
        drawing.add_label(_sentence("axis.without"), FIGURE_WIDTH - 12, 16, "t m", "end")
    for part in range(5):
        x = scale(part / 4)
        drawing.add_line("grid", x, top, x, bottom)
        drawing.add_label(f"{25 * part}%", x, bottom + 16, "t m", "middle")
    for line, entry in enumerate(drawn):
        y = top + ROW_HEIGHT * (line + 0.5)
        drawing.add_label(
            Data(entry.attribute), PLOT_LEFT - 12, y + 4, anchor="end", max_width=PLOT_LEFT - 20
        )
        width = scale(entry.share_of_singled_out or 0.0) - PLOT_LEFT
        drawing.add_mark("rect", "bar", x=float(PLOT_LEFT), y=float(y - 8), width=width, height=16.0)
        drawing.add_line("blue-line", PLOT_LEFT + width, y - 8, PLOT_LEFT + width, y + 8)
        drawing.add_label(format_share(entry.share_of_singled_out), PLOT_RIGHT - 18, y + 4)
        if entry.change_without is not None:
            drawing.add_marker("diamond", "orange", scale(-entry.change_without), y, 4)
            drawing.add_label(format_change(entry.change_without), FIGURE_WIDTH - 12, y + 4, "t m", "end")
    drawing.height = bottom + 24
    return drawing
