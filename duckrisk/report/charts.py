"""Draws the figures of a report as lists of marks; ``templates/blocks.html.j2`` writes them as SVG.

Only geometry is made here. Colours are classes of the page's style sheet, so that a figure follows
light, dark and print; each series also differs by its marker or dash, never by colour alone.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from duckrisk.base.numbers import format_share
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.report.safe import visible
from duckrisk.report.words import Words

#: Width of every figure in its own units; text is 12 of them high.
WIDTH = 760
#: A figure with a row for each entry has so many.
ROWS = 40
LEFT = 210  # where the plot of a figure with labelled rows begins
RIGHT = 640
_MOST_OF_LEGEND = 150  # of a name from the data
ROW = 24


@dataclass
class Mark:
    """One SVG element: its name, its attributes, its text, and what a pointer over it shows."""

    tag: str
    attributes: dict[str, Any]
    text: str = ""
    tip: str = ""


@dataclass
class Drawing:
    """A figure in the words of a language: its marks, how high it is, how many entries it has no room for,
    and what it shows for those who cannot see it."""

    words: Words
    description: Text = ""
    height: float = 0
    left_out: int = 0
    marks: list[Mark] = field(default_factory=list)

    def add(self, tag: str, style: str, text: str = "", tip: str = "", **attributes: Any) -> None:
        """Add a mark; underscores in names of attributes stand for hyphens, numbers are shortened."""
        values = {"class": style}
        for name, value in attributes.items():
            values[name.replace("_", "-")] = (
                f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value
            )
        self.marks.append(Mark(tag, values, text, tip))

    def line(self, style: str, x1: float, y1: float, x2: float, y2: float) -> None:
        self.add("line", style, x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2))

    def label(
        self, text: Text, x: float, y: float, style: str = "t", anchor: str = "start", room: float = 0
    ) -> None:
        """Text, cut to ``room`` where that is given; the whole text is the tip then."""
        whole = self.words.plain(text, visible)
        cut = fitted(whole, room) if room else whole
        self.add(
            "text",
            style,
            text=cut,
            tip="" if cut == whole else whole,
            x=float(x),
            y=float(y),
            text_anchor=None if anchor == "start" else anchor,
        )

    def slanted(self, text: Text, x: float, y: float, room: float) -> None:
        """The head of a narrow column: text that rises to the right, cut to ``room``."""
        whole = self.words.plain(text, visible)
        cut = fitted(whole, room)
        turned = f"translate({x:.1f} {y:.1f}) rotate(-50)"
        self.add("text", "t", text=cut, tip="" if cut == whole else whole, transform=turned)

    def marker(self, shape: str, style: str, x: float, y: float, size: float = 5, tip: Text = "") -> None:
        """A dot, a square or a diamond."""
        tip = self.words.plain(tip, visible)
        if shape == "dot":
            self.add("circle", style, tip=tip, cx=float(x), cy=float(y), r=float(size))
        elif shape == "square":
            self.add(
                "rect",
                style,
                tip=tip,
                x=float(x - size),
                y=float(y - size),
                width=float(2 * size),
                height=float(2 * size),
            )
        else:
            points = [(x, y - size - 1), (x + size + 1, y), (x, y + size + 1), (x - size - 1, y)]
            self.add("path", style, tip=tip, d="M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in points) + "Z")

    def legend(self, items: Sequence[tuple[str, str, Text]], x: float, y: float) -> None:
        """Markers with their names in a row: (shape, class, name)."""
        for shape, style, name in items:
            if shape in ("whisker", "dash", "solid"):
                self.line(style, x - 8, y - 4, x + 8, y - 4)
                if shape == "whisker":
                    self.line(style, x - 8, y - 8, x - 8, y)
                    self.line(style, x + 8, y - 8, x + 8, y)
            else:
                self.marker(shape, style, x, y - 4)
            text = self.words.plain(name, visible)
            text = fitted(text, _MOST_OF_LEGEND) if isinstance(name, Data) else text
            self.label(text, x + 13, y)
            x += 13 + width_of(text) + 26


# --- text and scales -----------------------------------------------------------------------------


#: The width of a character of size 12 that is no full square.
_NARROW = 7.1


def width_of(text: str) -> float:
    """About how wide text of size 12 is; wide characters count as a full square."""
    return sum(12.0 if unicodedata.east_asian_width(c) in "WF" else _NARROW for c in text)


def fitted(text: str, room: float) -> str:
    """Text cut in the middle to fit: the beginning and the end tell names apart best."""
    text = visible(text)
    if width_of(text) <= room:
        return text
    room -= 12
    tail = ""
    while width_of(text[-len(tail) - 1 :]) <= room / 3:
        tail = text[-len(tail) - 1 :]
    head = text[: int(room / _NARROW) + 1]  # no more can fit
    while head and width_of(head + tail) > room:
        head = head[:-1]
    return f"{head}…{tail}"


@dataclass(frozen=True)
class Scale:
    """Maps a probability to a place: linear from 0, or logarithmic where the spread is large."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool

    def __call__(self, value: float) -> float:
        if self.logarithmic:
            value = max(value, self.low)
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = value / self.high
        return self.start + (self.end - self.start) * min(1.0, max(0.0, part))

    def ticks(self) -> list[float]:
        if self.logarithmic:
            first, last = round(math.log10(self.low)), round(math.log10(self.high))
            return [10.0**power for power in range(first, last + 1)]
        return [self.high * part / 4 for part in range(5)]


def scale_for(values: Iterable[float], start: float, end: float) -> Scale:
    """A scale that holds all values: logarithmic where the largest is 50 times the smallest or more."""
    positive = [value for value in values if value > 0] or [1.0]
    low, high = min(positive), max(positive)
    if high / low >= 50:
        top = 10.0 ** math.ceil(math.log10(high))
        # Below a millionth numbers are not told apart in print, so the scale need not go there.
        bottom = 10.0 ** math.floor(math.log10(max(low, min(1e-6, top / 100))))
        return Scale(bottom, top, start, end, True)
    return Scale(0.0, round_up(high), start, end, False)


def round_up(value: float) -> float:
    """The next round number."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if step * power >= value * 0.9999)


def tick(value: float) -> str:
    """The number at a line of the grid."""
    return f"{value:.12f}".rstrip("0").rstrip(".") if value > 1e-9 else "0"


def axis(drawing: Drawing, scale: Scale, top: float, bottom: float, name: Text) -> None:
    """The lines of a grid across, their numbers, and what these are."""
    taken = 0.0
    for mark in scale.ticks():
        x, half = scale(mark), width_of(tick(mark)) / 2
        drawing.line("grid", x, top, x, bottom)
        if x - half > taken:  # a label that would run into the one before is left out
            taken = x + half + 4
            drawing.label(tick(mark), x, bottom + 16, "t m", "middle")
    drawing.label(name, scale.end, bottom + 33, "t m", "end")


def scale_sentence(scale: Scale) -> Sentence:
    """How the scale of a figure is to be read."""
    return Sentence("read.log" if scale.logarithmic else "read.linear")


# --- shares as bars ----------------------------------------------------------------------------------

#: Left, right, top and bottom of a plot of shares.
BARS = (64.0, 730.0, 48.0, 250.0)


@dataclass(frozen=True)
class Bar:
    """A share of the whole, what stands below it, and what a pointer over it shows."""

    name: Text
    share: float
    tip: Text


def shares(drawing: Drawing, top: float) -> None:
    """The lines of a grid for shares up to ``top``."""
    left, right, above, below = BARS
    for part in range(5):
        y = below - (below - above) * part / 4
        drawing.line("grid", left, y, right, y)
        drawing.label(f"{tick(round(100 * top * part / 4, 6))}%", left - 8, y + 4, "t m", "end")


def histogram(words: Words, bars: Sequence[Bar], axis_name: Text) -> Drawing:
    """Upright bars that begin at nothing, each with its share above and its name below."""
    drawing = Drawing(words)
    left, right, above, below = BARS
    top = round_up(max((bar.share for bar in bars), default=1.0) or 1.0)
    shares(drawing, top)
    step = (right - left) / max(1, len(bars))
    wide = min(56.0, step * 0.7)
    for position, bar in enumerate(bars):
        x, high = left + step * (position + 0.5), (below - above) * bar.share / top
        tip = words.plain(bar.tip)
        drawing.add("rect", "blue", tip=tip, x=x - wide / 2, y=below - high, width=wide, height=high)
        drawing.label(format_share(bar.share), x, below - high - 6, "t halo", "middle")
        drawing.label(bar.name, x, below + 17, "t m", "middle")
    drawing.label(axis_name, right, below + 36, "t m", "end")
    drawing.height = below + 44
    return drawing


# --- two figures of each thing against each other --------------------------------------------------

_Box = tuple[float, float, float, float]
_PLOT: _Box = (120.0, 56.0, 730.0, 350.0)
#: So many points have their names beside them; the others show them under a pointer.
MOST_NAMES = 20
_ROOM_OF_NAME = 170.0


@dataclass(frozen=True)
class Axis:
    """What a direction of a plot shows: from ``least`` to ``greatest``, numbers written by ``shown`` at the
    ``lines`` of the grid, the quarters where none are given."""

    name: Text
    least: float
    greatest: float
    shown: Callable[[float], Text]
    lines: tuple[float, ...] = ()

    @property
    def grid(self) -> tuple[float, ...]:
        """Where its lines are."""
        quarter = (self.greatest - self.least) / 4
        return self.lines or tuple(self.least + quarter * part for part in range(5))

    def part(self, value: float) -> float:
        """The place of a value between the ends of the axis, 0 to 1."""
        return min(1.0, max(0.0, (value - self.least) / ((self.greatest - self.least) or 1.0)))


@dataclass(frozen=True)
class Point:
    """A thing with its two figures, how it looks, and other heights of it (``also``), each as (shape, class,
    height, tip)."""

    name: Text
    x: float
    y: float
    tip: Text = ""
    also: tuple[tuple[str, str, float, Text], ...] = ()
    shape: str = "dot"
    kind: str = "blue"


@dataclass(frozen=True)
class Stroke:
    """A line of the plot from one place to another, in the figures of its axes."""

    start: tuple[float, float]
    end: tuple[float, float]
    kind: str = "grid strong"


def scatter(
    words: Words,
    points: Sequence[Point],
    across: Axis,
    up: Axis,
    *,
    legend: Sequence[tuple[str, str, Text]] = (),
    strokes: Sequence[Stroke] = (),
    cloud: Sequence[tuple[float, float]] = (),
    joined: bool = False,
    description: Text = "",
) -> Drawing:
    """Points with their names, on a grid and before a ``cloud`` of others; ``joined`` ones have a line from
    each to the next."""
    drawing = Drawing(words, description)
    left, top, right, bottom = _PLOT

    def place(x: float, y: float) -> tuple[float, float]:
        return left + 20 + (right - left - 40) * across.part(x), bottom - (bottom - top) * up.part(y)

    for height in up.grid:
        _, y = place(across.least, height)
        drawing.line("grid", left, y, right, y)
        drawing.label(up.shown(height), left - 8, y + 4, "t m", "end")
    for width in across.grid:
        x, _ = place(width, up.least)
        drawing.line("grid", x, top, x, bottom)
        drawing.label(across.shown(width), x, bottom + 17, "t m", "middle")
    drawing.label(across.name, right, bottom + 36, "t m", "end")
    drawing.label(up.name, 4, top - 16, "t m")
    drawing.legend(legend, 330, 18)
    for stroke in strokes:
        drawing.line(stroke.kind, *place(*stroke.start), *place(*stroke.end))
    for x, y in sorted({(round(x), round(y)) for x, y in (place(*point) for point in cloud)}):
        drawing.marker("dot", "single", x, y, 3)
    places = [place(point.x, point.y) for point in points]
    if joined:
        drawing.add("polyline", "blue-line solid", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in places))
    for point, (x, y) in zip(points, places, strict=True):
        for shape, style, height, tip in point.also:
            drawing.marker(shape, style, x, place(point.x, height)[1], 5, tip)
        drawing.marker(point.shape, point.kind, x, y, 5, point.tip)
    taken: list[_Box] = [(x - 6, y - 6, x + 6, y + 6) for x, y in places]
    for point, (x, y) in list(zip(points, places, strict=True))[:MOST_NAMES]:
        _name(drawing, point.name, x, y, taken)
    drawing.height = bottom + 44
    return drawing


def _name(drawing: Drawing, name: Text, x: float, y: float, taken: list[_Box]) -> None:
    """The name of a point near it, where it covers nothing; left out where there is no such place."""
    left, top, right, bottom = _PLOT
    wide = min(width_of(drawing.words.plain(name, visible)), _ROOM_OF_NAME)
    at = min(max(x, left + wide / 2), right - wide / 2)
    beside = [(x + 10, y + 4, "start"), (x - 10, y + 4, "end")]
    for start, line, anchor in [(at, y + shift, "middle") for shift in (-12, 20, -28, 36)] + beside:
        first = start - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
        box = first, line - 10, first + wide, line + 2
        inside = box[0] >= left and box[2] <= right and box[1] > top - 16 and box[3] < bottom
        if inside and not any(_overlap(box, other) for other in taken):
            taken.append(box)
            drawing.label(name, start, line, "t b halo", anchor, _ROOM_OF_NAME)
            return


def _overlap(box: _Box, other: _Box) -> bool:
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
