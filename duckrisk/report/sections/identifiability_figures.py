"""The figures on who can be singled out: how easily, by which attribute sets, by which attributes."""

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
from duckrisk.report.blocks import Column, Figure, Listing, column, numbers
from duckrisk.report.charts import (
    LEFT,
    RIGHT,
    ROW,
    ROWS,
    WIDTH,
    Drawing,
    Scale,
    round_up,
    tick,
    width_of,
)
from duckrisk.report.safe import visible
from duckrisk.report.words import Words

#: Above this ease the record itself names its person.
NAMED = 2
SETS = 16
#: Attribute sets of more attributes than these have their names written out instead of dots.
_COLUMNS = 24
#: The room of a slanted name.
_SLANTED = 124.0
#: The highest ease of somebody whom attributes single out, and of somebody whose record holds a name.
_ENDS = (2.0, 6.0)


def _say(key: str, **values: Text) -> Sentence:
    return Sentence(f"identifiability.{key}", **values)


def _value(result: Identifiability, cell: Text, key: str = "value_in") -> Column:
    head, short = (_say(name, currency=format_currency(result.currency)) for name in (key, f"{key}.short"))
    return Column(head, numeric=True, short=short, cell=cell)


def _worth(result: Identifiability, value: float | None) -> Text:
    """Return a sum, if enough columns have a level for one."""
    return Amount(value) if value is not None and result.has_leak else "-"


# --- how easily ----------------------------------------------------------------------------------


def eases(result: Identifiability, description: Text) -> Figure:
    """How many records have which ease."""
    most = max(entry.records for entry in result.distribution)
    reading = [_say("read.ease")]
    if _is_wide(result.distribution):
        reading.append(_say("read.ease_log"))
    if result.distribution[-1].ease == 0:
        reading.append(_say("read.ease_grey"))
    return Figure(
        _say("eases"),
        lambda words: _draw_eases(words, result, description),
        Listing.of(
            result.distribution,
            lambda entry: (
                numbers("identifiability.ease", format_ease(entry.ease)),
                numbers("identifiability.records", format_number(entry.records)),
                Column("", bar=True, cell=entry.records / most),
                _value(result, _worth(result, entry.value)),
            ),
            brief=10,
            sql=("distribution", "outcomes", "tier_ease"),
        ).without_empty(),
        tuple(reading),
    )


def _is_wide(entries: Sequence[RecordsOfEase]) -> bool:
    """Whether the numbers of records differ so much that only a logarithmic scale shows all."""
    counts = [entry.records for entry in entries]
    return max(counts) / min(counts) >= 50


def _draw_eases(words: Words, result: Identifiability, description: Text) -> Drawing:
    entries = result.distribution
    drawing = Drawing(words, description)
    logarithmic, largest = _is_wide(entries), max(entry.records for entry in entries)
    right, top, bottom = 730.0, 40.0, 270.0
    most = 10.0 ** math.ceil(math.log10(largest + 1)) if logarithmic else round_up(largest)
    left = max(76.0, 12 + width_of(format_number(round(most))))
    last = next(end for end in _ENDS if entries[0].ease <= end)

    def x_of(value: float) -> float:
        return left + 14 + (right - left - 24) * value / last

    def y_of(count: float) -> float:
        part = (math.log10(count) + 0.4) / (math.log10(most) + 0.4) if logarithmic else count / most
        return bottom - (bottom - top) * part

    powers = [10.0**power for power in range(round(math.log10(most)) + 1)] if logarithmic else []
    for count in powers or sorted({math.ceil(most * part / 4) for part in range(5)}):
        drawing.line("grid", left, y_of(count), right, y_of(count))
        drawing.label(format_number(round(count)), left - 8, y_of(count) + 4, "t m", "end")
    drawing.line("grid", left, bottom, right, bottom)
    steps = 8 if last == _ENDS[0] else 6
    for step in range(steps + 1):
        drawing.label(tick(last * step / steps), x_of(last * step / steps), bottom + 17, "t m", "middle")
    drawing.label(_say("axis.ease"), right, bottom + 34, "t m", "end")
    drawing.label(_say("axis.records"), left - 8, 16, "t m")
    _legend_of_eases(drawing, right, nobody=entries[-1].ease == 0)
    named = _labelled([(x_of(entry.ease), y_of(entry.records), entry.records) for entry in entries])
    for entry in entries:
        x, y, somebody = x_of(entry.ease), y_of(entry.records), entry.ease > 0
        told = {"ease": format_ease(entry.ease), "records": format_number(entry.records)}
        value = format_money(entry.value, result.currency)
        tip = _say("tip.ease", **told, value=value) if result.has_leak else _say("tip.ease_alone", **told)
        drawing.line("blue-line" if somebody else "grey-line", x, bottom, x, y)
        shape, style = ("dot", "blue") if somebody else ("square", "grey")
        drawing.marker(shape, style, x, y, 4, tip)
        if x in named:
            drawing.label(format_number(entry.records), x, y - 9, "t halo", "middle")
    drawing.height = bottom + 42
    return drawing


def _legend_of_eases(drawing: Drawing, right: float, *, nobody: bool) -> None:
    items: list[tuple[str, str, Text]] = [("dot", "blue", _say("legend.singled_out"))]
    items += [("square", "grey", _say("legend.not_singled_out"))] if nobody else []
    drawing.legend(items, right - (360 if nobody else 170), 16)


def _labelled(points: list[tuple[float, float, int]]) -> set[float]:
    """The places of the points that get their number: the easiest, then those of most people, none in the way
    of another label or of a higher line."""
    boxes: dict[float, tuple[float, float, float]] = {}
    for x, y, count in [points[0], *sorted(points[1:], key=lambda point: -point[2])]:
        half = width_of(format_number(count)) / 2 + 3
        crossed = any(abs(other - x) < half and high < y - 2 for other, high, _ in points if other != x)
        taken = any(abs(at - x) < half + wide and abs(high - y) < 14 for at, high, wide in boxes.values())
        if not crossed and not taken:
            boxes[x] = (x, y, half)
    return set(boxes)


# --- by which sets -------------------------------------------------------------------------------


def sets(result: Identifiability, description: Text) -> Figure:
    """The damages of those whom an attribute set singles out, set by set."""
    ranks = tuple((entry.value, entry.ease) for entry in result.sets)
    reading = _say("read.sets" if len(_columns(result)) <= _COLUMNS else "read.sets_bars")
    return Figure(
        _say("sets"),
        lambda words: _draw_sets(words, result, description),
        Listing.of(
            result.sets,
            lambda entry: (
                column("identifiability.set", JoinedTexts(tuple(map(Data, entry.attributes)))),
                numbers("identifiability.records", format_number(entry.records)),
                numbers("identifiability.ease", format_ease(entry.ease)),
                _value(result, Amount(entry.value)),
            ),
            brief=8,
            ranks=ranks,
            listed=result.sets_listed,
            sql=("set_values", "outcomes", "examine_sets"),
        ),
        (reading,),
    )


def _columns(result: Identifiability) -> list[str]:
    """The attributes of the sets that are drawn."""
    inside = {name for entry in result.sets[:SETS] for name in entry.attributes}
    return [entry.attribute for entry in result.attributes if entry.attribute in inside]


def _draw_sets(words: Words, result: Identifiability, description: Text) -> Drawing:
    drawn, columns = result.sets[:SETS], _columns(result)
    dots = len(columns) <= _COLUMNS
    drawing = Drawing(words, description, left_out=max(0, len(result.sets) - SETS))
    step = min(26.0, 330.0 / max(1, len(columns)))
    slanted = max(min(width_of(name), _SLANTED) for name in columns)
    top = 22 + 0.77 * slanted if dots else 34.0
    start = 24.0 + step * len(columns) + 14 if dots else 330.0
    scale = Scale(0.0, round_up(max(entry.value for entry in drawn) or 1.0), start, 560.0, False)
    drawing.height = top + ROW * len(drawn) + 8
    drawing.line("grid", start, top, start, drawing.height - 8)
    drawing.label(
        _say("axis.value", currency=format_currency(result.currency)), 672, top - 10, "t m", "end", 170
    )
    drawing.label(_say("axis.records"), 748, top - 10, "t m", "end")
    if dots:
        for position, name in enumerate(columns):
            drawing.slanted(Data(name), 24 + step * (position + 0.5) + 3, top - 6, _SLANTED)
    for row, entry in enumerate(drawn):
        y = top + ROW * (row + 0.5)
        names = JoinedTexts(tuple(map(Data, entry.attributes)))
        if dots:
            _row_of_dots(drawing, [name in entry.attributes for name in columns], step, y)
        else:
            drawing.label(names, start - 12, y + 4, anchor="end", room=start - 20)
        value = format_money(entry.value, result.currency)
        tip = words.plain(
            _say("tip.set", names=names, records=format_number(entry.records), value=value), visible
        )
        width = max(1.0, scale(entry.value) - start)
        drawing.add("rect", "blue", tip=tip, x=start, y=float(y - 7), width=width, height=14.0)
        drawing.label(Amount(entry.value), 672, y + 4, "t", "end")
        drawing.label(format_number(entry.records), 748, y + 4, "t m", "end")
    return drawing


def _row_of_dots(drawing: Drawing, inside: list[bool], step: float, y: float) -> None:
    places = [24 + step * (position + 0.5) for position in range(len(inside))]
    held = [x for x, is_in in zip(places, inside, strict=True) if is_in]
    drawing.line("blue-line", held[0], y, held[-1], y)
    for x, is_in in zip(places, inside, strict=True):
        drawing.marker("dot", "blue" if is_in else "faint", x, y, 5 if is_in else 2.5)


# --- by which attributes -------------------------------------------------------------------------


def parts(result: Identifiability, description: Text) -> Figure:
    """In how many of the easiest sets each attribute is, and what the damages would be without it."""
    entries = sorted(result.attributes, key=lambda entry: -entry.records_singled_out_with)
    if not result.has_leak:
        entries = [replace(entry, total_value_without=None, change_without=None) for entry in entries]
    reading = [_say("read.parts")]
    if any(entry.change_without is not None for entry in entries):
        reading.append(_say("read.parts_fall"))
    return Figure(
        _say("parts"),
        lambda words: _draw_parts(words, entries, description),
        Listing.of(
            entries,
            lambda entry: (
                column("identifiability.attribute", Data(entry.attribute)),
                numbers("identifiability.part", format_share(entry.share_of_singled_out)),
                Column("", bar=True, cell=entry.share_of_singled_out or 0.0),
                numbers(
                    "identifiability.records_with",
                    format_number(entry.records_singled_out_with),
                    short="identifiability.records_with.short",
                    priority=1,
                ),
                _value(result, _worth(result, entry.total_value_without), "value_without"),
                numbers("identifiability.change", format_change(entry.change_without)),
            ),
            ranks=tuple(row.records_singled_out_with for row in entries),
            sql=("attribute_parts", "totals_without"),
        ).without_empty(),
        tuple(reading),
    )


def _draw_parts(words: Words, entries: Sequence[LevelledAttribute], description: Text) -> Drawing:
    drawn = entries[:ROWS]
    falls = any(entry.change_without is not None for entry in drawn)
    drawing = Drawing(words, description, left_out=max(0, len(entries) - ROWS))
    scale = Scale(0, 1, LEFT, RIGHT - 30, False)
    top, bottom = 30.0, 30.0 + ROW * len(drawn)
    items: list[tuple[str, str, Text]] = [("square", "blue", _say("legend.part"))]
    items += [("diamond", "orange", _say("legend.fall"))] if falls else []
    drawing.legend(items, LEFT - 80, 16)
    drawing.label(_say("axis.part"), RIGHT - 18, 16, "t m")
    if falls:
        drawing.label(_say("axis.without"), WIDTH - 12, 16, "t m", "end")
    for part in range(5):
        x = scale(part / 4)
        drawing.line("grid", x, top, x, bottom)
        drawing.label(f"{25 * part}%", x, bottom + 16, "t m", "middle")
    for line, entry in enumerate(drawn):
        y = top + ROW * (line + 0.5)
        drawing.label(Data(entry.attribute), LEFT - 12, y + 4, anchor="end", room=LEFT - 20)
        width = scale(entry.share_of_singled_out or 0.0) - LEFT
        drawing.add("rect", "bar", x=float(LEFT), y=float(y - 8), width=width, height=16.0)
        drawing.line("blue-line", LEFT + width, y - 8, LEFT + width, y + 8)
        drawing.label(format_share(entry.share_of_singled_out), RIGHT - 18, y + 4)
        if entry.change_without is not None:
            drawing.marker("diamond", "orange", scale(-entry.change_without), y, 4)
            drawing.label(format_change(entry.change_without), WIDTH - 12, y + 4, "t m", "end")
    drawing.height = bottom + 24
    return drawing
