"""The figures on who can be singled out: how easily, by which attribute sets, by which attributes."""

from __future__ import annotations

import math
from typing import Any

from duckrisk.report.identifiability import sentences, tables
from duckrisk.report.identifiability.sentences import amount, change, ease, money
from duckrisk.report.svg import LEFT, RIGHT, ROW, ROWS, WIDTH, Drawing, Scale, round_up, tick, width_of
from duckrisk.report.tables import section
from duckrisk.report.text import Data, Joined, Sentence, number, say, share, visible, word

SETS = 16
#: Attribute sets of more attributes than these have their names written out instead of dots.
_COLUMNS = 24
#: The room of a slanted name.
_SLANTED = 124.0
#: The highest ease of somebody whom attributes single out, and of somebody whose record holds a name.
_ENDS = (2.0, 6.0)


def figures(data: dict[str, Any]) -> dict[str, Drawing]:
    """All figures that the data allow, by their keys."""
    made = (distribution(data), sets(data), parts(data))
    return {drawing.key: drawing for drawing in made if drawing is not None}


def _description(data: dict[str, Any]) -> Sentence:
    return sentences.headline(data) or say("of_identifiability")


def distribution(data: dict[str, Any]) -> Drawing | None:
    """How many records have which ease."""
    found = section(data)
    if found is None or not found["distribution"]:
        return None
    entries = found["distribution"]
    counts = [entry["records"] for entry in entries]
    logarithmic = max(counts) / min(counts) >= 50
    nobody = any(entry["ease"] == 0 for entry in entries)
    reading = [*sentences.about_ease(found), say("read.ease")]
    reading += [say("read.ease_log")] if logarithmic else []
    reading += [say("read.ease_grey")] if nobody else []
    reading += [sentences.limit(found)] if found["unknown"] else []
    drawing = Drawing("ease", reading, tables.distribution(data), description=_description(data))
    right, top, bottom = 730.0, 40.0, 270.0
    most = 10.0 ** math.ceil(math.log10(max(counts) + 1)) if logarithmic else round_up(max(counts))
    left = max(76.0, 12 + width_of(number(round(most))))
    last = next(end for end in _ENDS if entries[0]["ease"] <= end)

    def x_of(value: float) -> float:
        return left + 14 + (right - left - 24) * value / last

    def y_of(count: float) -> float:
        part = (math.log10(count) + 0.4) / (math.log10(most) + 0.4) if logarithmic else count / most
        return bottom - (bottom - top) * part

    lines = (
        [10.0**power for power in range(round(math.log10(most)) + 1)]
        if logarithmic
        else sorted({math.ceil(most * part / 4) for part in range(5)})
    )
    for count in lines:
        drawing.line("grid", left, y_of(count), right, y_of(count))
        drawing.label(number(round(count)), left - 8, y_of(count) + 4, "t m", "end")
    drawing.line("grid", left, bottom, right, bottom)
    steps = 8 if last == _ENDS[0] else 6
    for step in range(steps + 1):
        value = last * step / steps
        drawing.label(tick(value), x_of(value), bottom + 17, "t m", "middle")
    drawing.label(word("axis.ease"), right, bottom + 34, "t m", "end")
    drawing.label(word("axis.people"), left - 8, 16, "t m")
    items: list[tuple[str, str, str | Sentence]] = [("dot", "blue", "legend.singled_out")]
    items += [("square", "grey", "legend.not_singled_out")] if nobody else []
    drawing.legend(items, right - (360 if nobody else 170), 16)
    named = _labelled([(x_of(entry["ease"]), y_of(entry["records"]), entry["records"]) for entry in entries])
    for entry in entries:
        x, y, somebody = x_of(entry["ease"]), y_of(entry["records"]), entry["ease"] > 0
        told = say(
            "tip.ease",
            ease=ease(entry["ease"]),
            records=number(entry["records"]),
            value=money(entry["value"], found),
        )
        drawing.line("blue-line" if somebody else "grey-line", x, bottom, x, y)
        shape, kind = ("dot", "blue") if somebody else ("square", "grey")
        drawing.marker(shape, kind, x, y, 4, told.plain(visible))
        if x in named:
            drawing.label(number(entry["records"]), x, y - 9, "t halo", "middle")
    drawing.height = bottom + 42
    return drawing


def _labelled(points: list[tuple[float, float, int]]) -> set[float]:
    """The places of the points that get their number: the easiest, then those of most people, none in the way
    of another label or of a higher line."""
    boxes: dict[float, tuple[float, float, float]] = {}
    for x, y, count in [points[0], *sorted(points[1:], key=lambda point: -point[2])]:
        half = width_of(number(count)) / 2 + 3
        crossed = any(abs(other - x) < half and high < y - 2 for other, high, _ in points if other != x)
        taken = any(abs(at - x) < half + wide and abs(high - y) < 14 for at, high, wide in boxes.values())
        if not crossed and not taken:
            boxes[x] = (x, y, half)
    return set(boxes)


def sets(data: dict[str, Any]) -> Drawing | None:
    """The value of what a leak would tell of those whom an attribute set singles out, set by set."""
    found = section(data)
    if found is None or not found["sets"]:
        return None
    drawn = found["sets"][:SETS]
    inside = {name for entry in drawn for name in entry["attributes"]}
    columns = [e["attribute"] for e in found["attributes"] if e["attribute"] in inside]
    dots = len(columns) <= _COLUMNS
    reading = [say("read.sets" if dots else "read.sets_bars"), say("read.sets_short")]
    drawing = Drawing("sets", reading, tables.sets(data), description=_description(data))
    step = min(26.0, 330.0 / max(1, len(columns)))
    slanted = max(min(width_of(name), _SLANTED) for name in columns)
    top = 22 + 0.77 * slanted if dots else 34.0
    start = 24.0 + step * len(columns) + 14 if dots else 330.0
    scale = Scale(0.0, round_up(max(entry["value"] for entry in drawn) or 1.0), start, 560.0, False)
    bottom = top + ROW * len(drawn)
    drawing.line("grid", start, top, start, bottom)
    drawing.label(
        say("axis.value", currency=Data(found["currency"])).plain(visible), 672, top - 10, "t m", "end", 170
    )
    drawing.label(word("axis.people"), 748, top - 10, "t m", "end")
    if dots:
        for place, name in enumerate(columns):
            drawing.slanted(name, 24 + step * (place + 0.5) + 3, top - 6, _SLANTED)
    for row, entry in enumerate(drawn):
        y = top + ROW * (row + 0.5)
        names = Joined(tuple(map(Data, entry["attributes"]))).plain(visible)
        if dots:
            _row_of_dots(drawing, [name in entry["attributes"] for name in columns], step, y)
        else:
            drawing.label(names, start - 12, y + 4, anchor="end", room=start - 20)
        value = money(entry["value"], found)
        told = say("tip.set", names=names, records=number(entry["records"]), value=value).plain(visible)
        width = max(1.0, scale(entry["value"]) - start)
        drawing.add("rect", "blue", tip=told, x=start, y=float(y - 7), width=width, height=14.0)
        drawing.label(amount(entry["value"]), 672, y + 4, "t", "end")
        drawing.label(number(entry["records"]), 748, y + 4, "t m", "end")
    drawing.height, drawing.left_out = bottom + 8, max(0, len(found["sets"]) - SETS)
    return drawing


def _row_of_dots(drawing: Drawing, inside: list[bool], step: float, y: float) -> None:
    places = [24 + step * (place + 0.5) for place in range(len(inside))]
    held = [x for x, is_in in zip(places, inside, strict=True) if is_in]
    drawing.line("blue-line", held[0], y, held[-1], y)
    for x, is_in in zip(places, inside, strict=True):
        drawing.marker("dot", "blue" if is_in else "faint", x, y, 5 if is_in else 2.5)


def parts(data: dict[str, Any]) -> Drawing | None:
    """In how many of the easiest sets each attribute is, and what a leak would be worth without it."""
    entries = [entry for entry in tables.ranked(data) if entry["share_of_singled_out"] is not None]
    if not entries:
        return None
    drawn = entries[:ROWS]
    falls = any(entry["change_without"] is not None for entry in drawn)
    reading = [say("read.parts"), *([say("read.parts_fall")] if falls else [])]
    drawing = Drawing("parts", reading, tables.parts(data), description=_description(data))
    scale = Scale(0, 1, LEFT, RIGHT - 30, False)
    top, bottom = 30.0, 30.0 + ROW * len(drawn)
    items: list[tuple[str, str, str | Sentence]] = [("square", "blue", "legend.part")]
    items += [("diamond", "orange", "legend.fall")] if falls else []
    drawing.legend(items, LEFT - 80, 16)
    drawing.label(word("axis.part"), RIGHT - 18, 16, "t m")
    if falls:
        drawing.label(word("axis.without"), WIDTH - 12, 16, "t m", "end")
    for part in range(5):
        x = scale(part / 4)
        drawing.line("grid", x, top, x, bottom)
        drawing.label(f"{25 * part}%", x, bottom + 16, "t m", "middle")
    for place, entry in enumerate(drawn):
        y = top + ROW * (place + 0.5)
        drawing.label(entry["attribute"], LEFT - 12, y + 4, anchor="end", room=LEFT - 20)
        width = scale(entry["share_of_singled_out"]) - LEFT
        drawing.add("rect", "bar", x=float(LEFT), y=float(y - 8), width=width, height=16.0)
        drawing.line("blue-line", LEFT + width, y - 8, LEFT + width, y + 8)
        drawing.label(share(entry["share_of_singled_out"]), RIGHT - 18, y + 4)
        if entry["change_without"] is not None:
            drawing.marker("diamond", "orange", scale(-entry["change_without"]), y, 4)
            drawing.label(change(entry["change_without"]), WIDTH - 12, y + 4, "t m", "end")
    drawing.height, drawing.left_out = bottom + 24, max(0, len(entries) - ROWS)
    return drawing
