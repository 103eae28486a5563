"""The figures of class sizes: what a demanded k costs, and how large the classes are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from duckrisk.report.svg import Drawing, round_up, tick
from duckrisk.report.tables import Table
from duckrisk.report.text import Data, number, share

_LEFT, _RIGHT, _TOP, _BOTTOM = 64.0, 730.0, 48.0, 250.0
_NO_TABLE = Table((), ())
#: Each curve differs from the others by its colour or its dashes.
_CURVES = tuple((colour, dash) for dash in ("solid", "dash") for colour in ("blue", "orange", "grey"))


def lost(curves: Sequence[tuple[str, Sequence[dict[str, Any]]]]) -> Drawing:
    """The share of the table that is lost if a k is demanded, a curve for each way of counting: its name and
    the entries ``lost`` of the report."""
    reading = [
        "The share that would have to go if every class had to hold k at least: records in smaller classes. "
        "The scale of k is logarithmic."
    ]
    drawing = Drawing("", reading, _NO_TABLE)
    most = max(row["class_size"] for _, rows in curves for row in rows)
    top = round_up(max([0.04, *(row["share"] for _, rows in curves for row in rows)]))

    def x_of(size: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * math.log(size) / math.log(most)

    def y_of(part: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * part / top

    _shares(drawing, top)
    for size in _sizes(most):
        drawing.line("grid", x_of(size), _TOP, x_of(size), _BOTTOM)
        drawing.label(number(size), x_of(size), _BOTTOM + 17, "t m", "middle")
    drawing.label("k demanded", _RIGHT, _BOTTOM + 36, "t m", "end")
    x = _LEFT
    for (name, rows), (colour, dash) in zip(curves, _CURVES, strict=False):
        points = [(1, 0.0), *((row["class_size"], row["share"]) for row in rows)]
        drawn = " ".join(f"{x_of(size):.1f},{y_of(part):.1f}" for size, part in points)
        drawing.add("polyline", f"{colour}-line {dash}", points=drawn)
        if len(curves) > 1:
            drawing.legend([(dash, f"{colour}-line {dash}", Data(name))], x + 8, 18)
            x += 220
    drawing.height = _BOTTOM + 44
    return drawing


def _sizes(most: int) -> list[int]:
    """Sizes with a line of the grid: 1, 2, 5, 10 and so on, and the largest."""
    found = [lead * 10**power for power in range(len(str(most))) for lead in (1, 2, 5)]
    return [*(size for size in found if size <= most / 1.3), most]


def _shares(drawing: Drawing, top: float) -> None:
    for part in range(5):
        y = _BOTTOM - (_BOTTOM - _TOP) * part / 4
        drawing.line("grid", _LEFT, y, _RIGHT, y)
        drawing.label(f"{tick(round(100 * top * part / 4, 6))}%", _LEFT - 8, y + 4, "t m", "end")


def sizes(bands: Sequence[dict[str, Any]], unit: str) -> Drawing:
    """What share of the records, or users, is in classes of which size; ``bands`` are the entries
    ``distribution`` of the report."""
    reading = [
        f"The share of the {unit} in classes of each size: the further left, the easier to find. A bar is a "
        "band of sizes and has the smallest of them below it."
    ]
    drawing = Drawing("", reading, _NO_TABLE)
    top = round_up(max(band["share"] for band in bands))
    _shares(drawing, top)
    step = (_RIGHT - _LEFT) / len(bands)
    wide = min(56.0, step * 0.7)
    for place, band in enumerate(bands):
        x, high = _LEFT + step * (place + 0.5), (_BOTTOM - _TOP) * band["share"] / top
        drawing.add(
            "rect",
            "blue",
            tip=f"{number(band['records'])} {unit} in {number(band['classes'])} classes of {named(band)}",
            x=x - wide / 2,
            y=_BOTTOM - high,
            width=wide,
            height=high,
        )
        drawing.label(share(band["share"]), x, _BOTTOM - high - 6, "t halo", "middle")
        drawing.label(_short(band["least"]), x, _BOTTOM + 17, "t m", "middle")
    drawing.label(f"{unit} in a class, at least", _RIGHT, _BOTTOM + 36, "t m", "end")
    drawing.height = _BOTTOM + 44
    return drawing


def named(band: dict[str, Any]) -> str:
    """The sizes of a band."""
    least, most = number(band["least"]), number(band["most"])
    return least if least == most else f"{least} to {most}"


def _short(count: int) -> str:
    """A round number as it fits below a bar."""
    if count >= 1_000_000:
        return f"{count // 1_000_000}M"
    return f"{count // 1_000}k" if count >= 10_000 else number(count)
