"""Draw the figures of a report as lists of marks; `templates/blocks.html.j2` writes them as SVG.

This module computes geometry only. Colours are classes of the page's style sheet, so that a figure follows
light, dark and print. Each series also differs by its marker or dash, never by colour alone.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from duckrisk.base.numbers import format_share
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.report.safe import escape_unprintable
from duckrisk.report.words import Words

#: Units; width of every figure (a choice: about that of a page, so text of size 12 is 12 pixels high).
FIGURE_WIDTH = 760
#: Rows of a figure with one for each entry (a choice: as high as a screen; its table lists all entries).
FIGURE_ROWS = 40
#: Units; where the plot of such a figure begins (a choice: labels of about 27 characters fit before it).
PLOT_LEFT = 210
#: Units; where it ends (a choice: two numbers fit behind it).
PLOT_RIGHT = 640
#: Units; a longer name from the data is shortened in a legend (a choice: three names fit a row).
_MAX_LEGEND_WIDTH = 150
#: Units between two rows (a choice: the height of text and a gap as high).
ROW_HEIGHT = 24
#: The colours and dashes of curves in one figure; no two curves have both in common.
CURVE_STYLES = tuple((colour, dash) for dash in ("solid", "dash") for colour in ("blue", "orange", "grey"))


@dataclass
class Mark:
    """One SVG element: its tag, its attributes, its text and its tooltip."""

    tag: str
    attributes: dict[str, Any]
    text: str = ""
    tip: str = ""


@dataclass
class Drawing:
    """A figure in one language.

    `description` says what the figure shows, for readers who cannot see it. `height` is in units.
    `entries_left_out` counts the entries that did not fit.
    """

    words: Words
    description: Text = ""
    height: float = 0
    entries_left_out: int = 0
    marks: list[Mark] = field(default_factory=list)

    def add_mark(self, tag: str, style: str, text: str = "", tip: str = "", **attributes: Any) -> None:
        """Add an SVG element.

        Args:
            tag: The name of the element.
            style: Its classes in the style sheet.
            text: Its text.
            tip: Its tooltip.
            attributes: Its other attributes, with underscores for hyphens; floats keep one decimal.
        """
        values = {"class": style}
        for name, value in attributes.items():
            values[name.replace("_", "-")] = (
                f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value
            )
        self.marks.append(Mark(tag, values, text, tip))

    def add_line(self, style: str, x1: float, y1: float, x2: float, y2: float) -> None:
        """Add a line between two points."""
        self.add_mark("line", style, x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2))

    def add_label(
        self, text: Text, x: float, y: float, style: str = "t", anchor: str = "start", max_width: float = 0
    ) -> None:
        """Add text at a point.

        Args:
            text: The text.
            x: The position of its anchor.
            y: The height of its base line.
            style: Its classes in the style sheet.
            anchor: The part of the text that stands at `x`: "start", "middle" or "end".
            max_width: Shorten the text to this width and give it a tooltip; 0 keeps all of it.
        """
        whole = self.words.format(text, escape_unprintable)
        cut = shorten(whole, max_width) if max_width else whole
        self.add_mark(
            "text",
            style,
            text=cut,
            tip="" if cut == whole else whole,
            x=float(x),
            y=float(y),
            text_anchor=None if anchor == "start" else anchor,
        )

    def add_slanted_label(self, text: Text, x: float, y: float, max_width: float) -> None:
        """Add the head of a narrow column: text that rises to the right."""
        whole = self.words.format(text, escape_unprintable)
        cut = shorten(whole, max_width)
        turned = f"translate({x:.1f} {y:.1f}) rotate(-50)"
        self.add_mark("text", "t", text=cut, tip="" if cut == whole else whole, transform=turned)

    def add_marker(self, shape: str, style: str, x: float, y: float, size: float = 5, tip: Text = "") -> None:
        """Add a marker with the shape "dot", "square" or "diamond"."""
        tip = self.words.format(tip, escape_unprintable)
        if shape == "dot":
            self.add_mark("circle", style, tip=tip, cx=float(x), cy=float(y), r=float(size))
        elif shape == "square":
            self.add_mark(
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
            self.add_mark(
                "path", style, tip=tip, d="M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in points) + "Z"
            )

    def add_legend(self, items: Sequence[tuple[str, str, Text]], x: float, y: float) -> None:
        """Add a row of markers with their names.

        Args:
            items: The shape, the classes and the name of each marker. The shapes are those of `add_marker`,
                and "whisker", "dash" and "solid" for lines.
            x: The middle of the first marker.
            y: The base line of the names.
        """
        for shape, style, name in items:
            if shape in ("whisker", "dash", "solid"):
                self.add_line(style, x - 8, y - 4, x + 8, y - 4)
                if shape == "whisker":
                    self.add_line(style, x - 8, y - 8, x - 8, y)
                    self.add_line(style, x + 8, y - 8, x + 8, y)
            else:
                self.add_marker(shape, style, x, y - 4)
            text = self.words.format(name, escape_unprintable)
            text = shorten(text, _MAX_LEGEND_WIDTH) if isinstance(name, Data) else text
            self.add_label(text, x + 13, y)
            x += 13 + measure_width(text) + 26


# --- text and scales -----------------------------------------------------------------------------


#: Units; width of a character of size 12 (a choice: above the mean of common fonts, so that texts fit).
_NARROW_WIDTH = 7.1


def measure_width(text: str) -> float:
    """Estimate the width of text of size 12 in units.

    Full-width characters count as squares.
    """
    return sum(12.0 if unicodedata.east_asian_width(c) in "WF" else _NARROW_WIDTH for c in text)


def shorten(text: str, max_width: float) -> str:
    """Shorten text in its middle to a width.

    Similar names differ at their beginning or end most often.
    """
    text = escape_unprintable(text)
    if measure_width(text) <= max_width:
        return text
    max_width -= 12  # of the ellipsis
    tail = ""
    while measure_width(text[-len(tail) - 1 :]) <= max_width / 3:
        tail = text[-len(tail) - 1 :]
    head = text[: int(max_width / _NARROW_WIDTH) + 1]  # no more can fit
    while head and measure_width(head + tail) > max_width:
        head = head[:-1]
    return f"{head}…{tail}"


@dataclass(frozen=True)
class Scale:
    """A map from values between 0 and `high` to positions from `start` to `end`.

    It is linear from 0, or logarithmic from `low`.
    """

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool

    def __call__(self, value: float) -> float:
        """Return the position of a value, or of the nearest end."""
        if self.logarithmic:
            value = max(value, self.low)
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = value / self.high
        return self.start + (self.end - self.start) * min(1.0, max(0.0, part))

    def ticks(self) -> list[float]:
        """Return the values with a grid line: powers of ten, or the quarters."""
        if self.logarithmic:
            first, last = round(math.log10(self.low)), round(math.log10(self.high))
            return [10.0**power for power in range(first, last + 1)]
        return [self.high * part / 4 for part in range(5)]


def choose_scale(values: Iterable[float], start: float, end: float) -> Scale:
    """Choose a scale for values: linear, or logarithmic if they vary much.

    It is logarithmic if the largest value is 50 times the smallest positive one or more.
    """
    positive = [value for value in values if value > 0] or [1.0]
    low, high = min(positive), max(positive)
    if high / low >= 50:
        top = 10.0 ** math.ceil(math.log10(high))
        # Reports print probabilities below a millionth alike, so the scale ends there.
        bottom = 10.0 ** math.floor(math.log10(max(low, min(1e-6, top / 100))))
        return Scale(bottom, top, start, end, True)
    return Scale(0.0, round_up(high), start, end, False)


def round_up(value: float) -> float:
    """Round a positive number up to 1, 2, 4, 6 or 8 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if step * power >= value * 0.9999)


def format_tick(value: float) -> str:
    """Format the number of a grid line without trailing zeros."""
    return f"{value:.12f}".rstrip("0").rstrip(".") if value > 1e-9 else "0"


def draw_axis(drawing: Drawing, scale: Scale, top: float, bottom: float, name: Text) -> None:
    """Draw the vertical grid lines of a scale, their numbers and the axis name."""
    last_end = 0.0
    for mark in scale.ticks():
        x, half = scale(mark), measure_width(format_tick(mark)) / 2
        drawing.add_line("grid", x, top, x, bottom)
        if x - half > last_end:  # omit a number that would overlap the one before
            last_end = x + half + 4
            drawing.add_label(format_tick(mark), x, bottom + 16, "t m", "middle")
    drawing.add_label(name, scale.end, bottom + 33, "t m", "end")


def describe_scale(scale: Scale) -> Sentence:
    """Say whether the scale of a figure is linear or logarithmic."""
    return Sentence("read.log" if scale.logarithmic else "read.linear")


# --- shares as bars ----------------------------------------------------------------------------------

#: Left, right, top and bottom of a plot of shares, in units.
SHARE_PLOT = (64.0, 730.0, 48.0, 250.0)


@dataclass(frozen=True)
class Bar:
    """A bar: its name, its share of the whole, and its tooltip."""

    name: Text
    share: float
    tip: Text


def draw_share_grid(drawing: Drawing, top: float) -> None:
    """Draw the horizontal grid lines of a plot of shares from 0 to `top`."""
    left, right, above, below = SHARE_PLOT
    for part in range(5):
        y = below - (below - above) * part / 4
        drawing.add_line("grid", left, y, right, y)
        drawing.add_label(f"{format_tick(round(100 * top * part / 4, 6))}%", left - 8, y + 4, "t m", "end")


def draw_histogram(words: Words, bars: Sequence[Bar], axis_name: Text) -> Drawing:
    """Draw upright bars from 0, each with its share above and its name below."""
    drawing = Drawing(words)
    left, right, above, below = SHARE_PLOT
    top = round_up(max((bar.share for bar in bars), default=1.0) or 1.0)
    draw_share_grid(drawing, top)
    step = (right - left) / max(1, len(bars))
    width = min(56.0, step * 0.7)
    for position, bar in enumerate(bars):
        x, height = left + step * (position + 0.5), (below - above) * bar.share / top
        tip = words.format(bar.tip)
        drawing.add_mark(
            "rect", "blue", tip=tip, x=x - width / 2, y=below - height, width=width, height=height
        )
        drawing.add_label(format_share(bar.share), x, below - height - 6, "t halo", "middle")
        drawing.add_label(bar.name, x, below + 17, "t m", "middle")
    drawing.add_label(axis_name, right, below + 36, "t m", "end")
    drawing.height = below + 44
    return drawing


# --- two figures of each thing against each other --------------------------------------------------

_Box = tuple[float, float, float, float]
#: Left, top, right and bottom of a scatter plot, in units.
_PLOT: _Box = (120.0, 56.0, 730.0, 350.0)
#: Points with a visible name; the others have tooltips (a choice: more names find no free place).
MAX_NAMES = 20
#: Units; a longer name is shortened (a choice: a quarter of the plot).
_MAX_NAME_WIDTH = 170.0


@dataclass(frozen=True)
class Axis:
    """An axis of a scatter plot from `least` to `greatest`.

    `format_number` writes the numbers at the grid lines. By default the lines are the ends and the quarters.
    """

    name: Text
    least: float
    greatest: float
    format_number: Callable[[float], Text]
    lines: tuple[float, ...] = ()

    @property
    def grid(self) -> tuple[float, ...]:
        """The values with a grid line."""
        quarter = (self.greatest - self.least) / 4
        return self.lines or tuple(self.least + quarter * part for part in range(5))

    def locate(self, value: float) -> float:
        """Return the position of a value between the ends of the axis, from 0 to 1."""
        return min(1.0, max(0.0, (value - self.least) / ((self.greatest - self.least) or 1.0)))


@dataclass(frozen=True)
class Point:
    """A named point of a scatter plot.

    `others` are more markers at the same `x`, each with its shape, its classes, its height and its tooltip.
    """

    name: Text
    x: float
    y: float
    tip: Text = ""
    others: tuple[tuple[str, str, float, Text], ...] = ()
    shape: str = "dot"
    kind: str = "blue"


@dataclass(frozen=True)
class Stroke:
    """A line of a scatter plot between two points, in values of the axes."""

    start: tuple[float, float]
    end: tuple[float, float]
    kind: str = "grid strong"


def draw_scatter(
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
    """Draw a scatter plot.

    Args:
        words: The language.
        points: The points; names of the first ones are visible where they find a free place.
        across: The horizontal axis.
        up: The vertical axis.
        legend: The entries of the legend, as in :meth:`Drawing.add_legend`.
        strokes: Lines behind the points.
        cloud: Points without names behind the others, in values of the axes.
        joined: Whether to draw a line from each point to the next.
        description: The description of the figure, for readers who cannot see it.

    Returns:
        The drawing.
    """
    drawing = Drawing(words, description)
    left, top, right, bottom = _PLOT

    def locate(x: float, y: float) -> tuple[float, float]:
        return left + 20 + (right - left - 40) * across.locate(x), bottom - (bottom - top) * up.locate(y)

    for value in up.grid:
        _, y = locate(across.least, value)
        drawing.add_line("grid", left, y, right, y)
        drawing.add_label(up.format_number(value), left - 8, y + 4, "t m", "end")
    for value in across.grid:
        x, _ = locate(value, up.least)
        drawing.add_line("grid", x, top, x, bottom)
        drawing.add_label(across.format_number(value), x, bottom + 17, "t m", "middle")
    drawing.add_label(across.name, right, bottom + 36, "t m", "end")
    drawing.add_label(up.name, 4, top - 16, "t m")
    drawing.add_legend(legend, 330, 18)
    for stroke in strokes:
        drawing.add_line(stroke.kind, *locate(*stroke.start), *locate(*stroke.end))
    for x, y in sorted({(round(x), round(y)) for x, y in (locate(*point) for point in cloud)}):
        drawing.add_marker("dot", "single", x, y, 3)
    positions = [locate(point.x, point.y) for point in points]
    if joined:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in positions)
        drawing.add_mark("polyline", "blue-line solid", points=path)
    for point, (x, y) in zip(points, positions, strict=True):
        for shape, style, height, tip in point.others:
            drawing.add_marker(shape, style, x, locate(point.x, height)[1], 5, tip)
        drawing.add_marker(point.shape, point.kind, x, y, 5, point.tip)
    occupied: list[_Box] = [(x - 6, y - 6, x + 6, y + 6) for x, y in positions]
    for point, (x, y) in list(zip(points, positions, strict=True))[:MAX_NAMES]:
        _draw_name(drawing, point.name, x, y, occupied)
    drawing.height = bottom + 44
    return drawing


def _draw_name(drawing: Drawing, name: Text, x: float, y: float, occupied: list[_Box]) -> None:
    """Draw the name of a point near it where it covers nothing.

    Its box is added to `occupied`. Without such a place the name is omitted.
    """
    left, top, right, bottom = _PLOT
    width = min(measure_width(drawing.words.format(name, escape_unprintable)), _MAX_NAME_WIDTH)
    middle = min(max(x, left + width / 2), right - width / 2)
    above_or_below = [(middle, y + shift, "middle") for shift in (-12, 20, -28, 36)]
    for start, line, anchor in [*above_or_below, (x + 10, y + 4, "start"), (x - 10, y + 4, "end")]:
        first = start - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        box = first, line - 10, first + width, line + 2
        inside = box[0] >= left and box[2] <= right and box[1] > top - 16 and box[3] < bottom
        if inside and not any(_is_overlapping(box, other) for other in occupied):
            occupied.append(box)
            drawing.add_label(name, start, line, "t b halo", anchor, _MAX_NAME_WIDTH)
            return


def _is_overlapping(box: _Box, other: _Box) -> bool:
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
