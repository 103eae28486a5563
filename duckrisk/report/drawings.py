"""The four drawings of all reports: a ladder of bars, points, lines, and arrows.

A ladder compares shares row by row, points set two figures of each thing against each other, lines follow a
figure along another, and arrows show what a change did. Bars begin at 0, and their length is linear.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from duckrisk.base.sentences import Text
from duckrisk.report.charts import (
    FIGURE_ROWS,
    ROW_HEIGHT,
    SMALL_WIDTH,
    Drawing,
    LegendItem,
    format_percent,
    measure_width,
)
from duckrisk.report.safe import escape_unprintable
from duckrisk.report.words import Words

_Box = tuple[float, float, float, float]
#: Part of a figure's width; longer names before a row are shortened (a choice: half is left for the bars).
_MAX_NAMES = 0.42
#: Left, top, right and bottom of a plot of points or lines, in units.
_PLOT: _Box = (120.0, 56.0, 730.0, 350.0)
#: Points with a visible name; the others have tooltips (a choice: more names find no free place).
MAX_NAMES = 20
#: Units; a longer name is shortened (a choice: a third of the plot).
_MAX_NAME_WIDTH = 210.0
#: Panels of lines in a row, and at most (a choice: three rows are as high as a screen).
_PANELS_IN_ROW, _MAX_PANELS = 3, 9
#: Units: the width and the height of a panel with its labels (derived: three fit the width of a figure).
_PANEL_WIDTH, _PANEL_HEIGHT = 253.0, 176.0
#: The two lines of a panel.
_PANEL_STYLES = (("blue", "solid"), ("orange", "dash"))
#: The colours and dashes of lines in one figure; no two lines have both in common.
LINE_STYLES = tuple((colour, dash) for dash in ("solid", "dash") for colour in ("blue", "orange", "grey"))
#: Share; a figure of shares that are all smaller shows nothing (a choice: a bar of 1 % is four pixels long).
MIN_SHOWN = 0.01


@dataclass(frozen=True)
class Axis:
    """An axis from `least` to `greatest`.

    `format_number` writes the numbers at the grid lines. By default the lines are the ends and the quarters.
    """

    name: Text
    least: float = 0.0
    greatest: float = 1.0
    format_number: Callable[[float], Text] = format_percent
    lines: tuple[float, ...] = ()

    @property
    def grid(self) -> tuple[float, ...]:
        """The values with a grid line."""
        quarter = (self.greatest - self.least) / 4
        return self.lines or tuple(self.least + quarter * part for part in range(5))

    def locate(self, value: float) -> float:
        """Return the position of a value between the ends of the axis, from 0 to 1."""
        return min(1.0, max(0.0, (value - self.least) / ((self.greatest - self.least) or 1.0)))


# --- a ladder --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rung:
    """A row of a ladder: its name, one or two bars, and a label behind them.

    `bars` have a value and a colour each, `markers` a value, a shape and a colour. `interval` is the range of
    an estimate.
    """

    name: Text
    bars: tuple[tuple[float, str], ...]
    label: Text = ""
    markers: tuple[tuple[float, str, str], ...] = ()
    interval: tuple[float, float] | None = None
    tip: Text = ""


def has_visible_bar(rungs: Sequence[Rung]) -> bool:
    """Check whether a ladder from 0 to 1 shows anything."""
    values = [bar[0] for rung in rungs for bar in rung.bars]
    values += [marker[0] for rung in rungs for marker in rung.markers]
    return max(values, default=0.0) >= MIN_SHOWN


def draw_ladder(
    words: Words,
    rungs: Sequence[Rung],
    axis: Axis,
    *,
    legend: Sequence[LegendItem] = (),
    limit: float | None = None,
    description: Text = "",
    small: bool = False,
) -> Drawing:
    """Draw bars from 0, one row below the other.

    Args:
        words: The language.
        rungs: The rows.
        axis: The horizontal axis.
        legend: The entries of the legend, as in :meth:`Drawing.add_legend`.
        limit: The value with a dashed line.
        description: The description of the figure, for readers who cannot see it.
        small: Whether the drawing fits half a page and a phone.
    """
    drawn = rungs[:FIGURE_ROWS]
    drawing = Drawing(words, description, entries_left_out=max(0, len(rungs) - FIGURE_ROWS))
    if small:
        drawing.width = SMALL_WIDTH
    box = _draw_rows(drawing, [(rung.name, rung.label) for rung in drawn], axis, legend)
    left, top, right, bottom = box

    def locate(value: float) -> float:
        return left + (right - left) * axis.locate(value)

    if limit is not None:
        drawing.add_line("limit", locate(limit), top - 4, locate(limit), bottom)
    for line, rung in enumerate(drawn):
        middle = top + ROW_HEIGHT * (line + 0.5)
        height = 14.0 / len(rung.bars)
        tip = words.format(rung.tip, escape_unprintable)
        for place, (value, style) in enumerate(rung.bars):
            y, width = middle - 7 + height * place, locate(value) - left
            drawing.add_mark("rect", style, tip=tip, x=left, y=y, width=width, height=height - 0.5)
        if rung.interval is not None:
            low, high = map(locate, rung.interval)
            drawing.add_whisker(low, high, middle)
        for value, shape, style in rung.markers:
            drawing.add_marker(shape, f"{style} inner", locate(value), middle, 5)
    return drawing


def _draw_rows(
    drawing: Drawing, rows: Sequence[tuple[Text, Text]], axis: Axis, legend: Sequence[LegendItem]
) -> _Box:
    """Draw the names, labels, axis and legend of rows.

    Returns:
        The box that is left for the marks.
    """

    def measure(texts: Sequence[Text]) -> float:
        formatted = (drawing.words.format(text, escape_unprintable) for text in texts)
        return max(map(measure_width, formatted), default=0.0)

    width = drawing.width
    left = min(measure([name for name, _ in rows]), _MAX_NAMES * width) + 18.0
    right = width - measure([label for _, label in rows]) - 16.0
    top = 30.0 if legend else 8.0
    bottom = top + ROW_HEIGHT * len(rows)
    numbers = [axis.format_number(value) for value in axis.grid]
    room = (right - left) / max(1, len(numbers) - 1)
    every = 1 if measure(numbers) + 8 < room else 2  # numbers must not touch
    for place, (value, number) in enumerate(zip(axis.grid, numbers, strict=True)):
        x = left + (right - left) * axis.locate(value)
        drawing.add_line("grid", x, top, x, bottom)
        if place % every == 0:
            drawing.add_label(number, x, bottom + 16, "t m", "middle")
    drawing.add_label(axis.name, right, bottom + 33, "t m", "end")
    drawing.add_legend(legend, 12, 16)
    last = None
    for line, (name, label) in enumerate(rows):
        y = top + ROW_HEIGHT * (line + 0.5) + 4
        if name != last:
            drawing.add_label(name, left - 10, y, anchor="end", max_width=left - 12)
        last = name
        drawing.add_label(label, right + 10, y)
    drawing.height = bottom + 40
    return left, top, right, bottom


# --- arrows ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Arrow:
    """A row of arrows: its name, its figure before and after a change, and a label behind it."""

    name: Text
    before: float
    after: float
    label: Text


def draw_arrows(
    words: Words,
    arrows: Sequence[Arrow],
    axis: Axis,
    *,
    legend: Sequence[LegendItem],
    description: Text = "",
    small: bool = False,
) -> Drawing:
    """Draw arrows from figures before a change to those after it.

    The arguments are those of :func:`draw_ladder`.
    """
    drawn = arrows[:FIGURE_ROWS]
    drawing = Drawing(words, description, entries_left_out=max(0, len(arrows) - FIGURE_ROWS))
    if small:
        drawing.width = SMALL_WIDTH
    left, top, right, _ = _draw_rows(drawing, [(arrow.name, arrow.label) for arrow in drawn], axis, legend)
    for line, arrow in enumerate(drawn):
        y = top + ROW_HEIGHT * (line + 0.5)
        before, after = (left + (right - left) * axis.locate(v) for v in (arrow.before, arrow.after))
        drawing.add_line("arrow", before, y, after, y)
        drawing.add_marker("dot", "blue inner", before, y)
        drawing.add_marker("diamond", "orange inner", after, y, 5)
    return drawing


# --- points ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    """A named point.

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
    """A line between two points, in values of the axes."""

    start: tuple[float, float]
    end: tuple[float, float]
    kind: str = "grid strong"


def draw_points(
    words: Words,
    points: Sequence[Point],
    across: Axis,
    up: Axis,
    *,
    legend: Sequence[LegendItem] = (),
    strokes: Sequence[Stroke] = (),
    cloud: Sequence[tuple[float, float]] = (),
    joined: bool = False,
    description: Text = "",
) -> Drawing:
    """Draw two figures of each thing against each other.

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
    locate = _draw_frame(drawing, _PLOT, across, up, margin=20)
    drawing.add_legend(legend, 330, 18)
    for stroke in strokes:
        drawing.add_line(stroke.kind, *locate(*stroke.start), *locate(*stroke.end))
    places = ((round(x), round(y)) for x, y in (locate(*point) for point in cloud))
    for place in sorted(set(places)):
        drawing.add_marker("dot", "single", *place, 3)
    positions = [locate(point.x, point.y) for point in points]
    if joined:
        drawing.add_polyline("blue-line solid", positions)
    for point, (x, y) in zip(points, positions, strict=True):
        for shape, style, height, tip in point.others:
            drawing.add_marker(shape, style, x, locate(point.x, height)[1], 5, tip)
        drawing.add_marker(point.shape, point.kind, x, y, 5, point.tip)
    occupied: list[_Box] = [(x - 6, y - 6, x + 6, y + 6) for x, y in positions]
    for point, (x, y) in list(zip(points, positions, strict=True))[:MAX_NAMES]:
        _draw_name(drawing, point.name, x, y, occupied)
    drawing.height = _PLOT[3] + 44
    return drawing


def _draw_frame(
    drawing: Drawing, box: _Box, across: Axis, up: Axis, margin: float = 0.0
) -> Callable[[float, float], tuple[float, float]]:
    """Draw the grid, the numbers and the names of two axes.

    Returns:
        The map from values to positions.
    """
    left, top, right, bottom = box

    def locate(x: float, y: float) -> tuple[float, float]:
        start, end = left + margin, right - margin
        return start + (end - start) * across.locate(x), bottom - (bottom - top) * up.locate(y)

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
    return locate


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


# --- lines -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Curve:
    """A line through points, in values of the axes.

    `shape` marks its points. `intervals` are ranges at some of them: `x` and both ends. `label` stands behind
    its last point.
    """

    name: Text
    points: tuple[tuple[float, float], ...]
    shape: str = ""
    intervals: tuple[tuple[float, float, float], ...] = ()
    label: Text = ""


def draw_lines(
    words: Words,
    curves: Sequence[Curve],
    across: Axis,
    up: Axis,
    *,
    strokes: Sequence[Stroke] = (),
    description: Text = "",
    entries_left_out: int = 0,
) -> Drawing:
    """Draw curves in one plot, with a legend if there are several.

    The arguments are those of :func:`draw_points`.
    """
    drawing = Drawing(words, description, entries_left_out=entries_left_out)
    rows = math.ceil(len(curves) / 3) if len(curves) > 1 else 0
    left, top, right, bottom = _PLOT
    shift = 22.0 * max(0, rows - 1)
    locate = _draw_frame(drawing, (left, top + shift, right, bottom + shift), across, up)
    for stroke in strokes:
        drawing.add_line(stroke.kind, *locate(*stroke.start), *locate(*stroke.end))
    for place, (curve, (colour, dash)) in enumerate(zip(curves, LINE_STYLES, strict=False)):
        style = f"{colour}-line {dash}"
        drawing.add_polyline(style, [locate(*point) for point in curve.points])
        if rows:
            x, y = 16.0 + 240 * (place % 3), 18.0 + 22 * (place // 3)
            drawing.add_legend([(dash, style, curve.name)], x, y)
    drawing.height = bottom + shift + 44
    return drawing


def draw_panels(
    words: Words, panels: Sequence[tuple[Text, Sequence[Curve]]], name: Text, *, description: Text = ""
) -> Drawing:
    """Draw curves of shares from 0 to 1 in small plots, one for each named group.

    Args:
        words: The language.
        panels: The names of the groups with their curves; `x` counts from 1.
        name: The name of the horizontal axis.
        description: The description of the figure, for readers who cannot see it.
    """
    drawing = Drawing(words, description, entries_left_out=max(0, len(panels) - _MAX_PANELS))
    first = panels[0][1]
    legend = [(curve.shape, style[0], curve.name) for curve, style in zip(first, _PANEL_STYLES, strict=False)]
    drawing.add_legend(legend, 40, 16)
    for place, (title, curves) in enumerate(panels[:_MAX_PANELS]):
        left = 44 + _PANEL_WIDTH * (place % _PANELS_IN_ROW)
        top = 52 + _PANEL_HEIGHT * (place // _PANELS_IN_ROW)
        _draw_panel(drawing, title, curves, name, (left, top, left + 133.0, top + 110.0))
    drawing.height = 36 + _PANEL_HEIGHT * math.ceil(min(len(panels), _MAX_PANELS) / _PANELS_IN_ROW)
    return drawing


def _draw_panel(drawing: Drawing, title: Text, curves: Sequence[Curve], name: Text, box: _Box) -> None:
    left, top, right, bottom = box
    largest = round(max(x for curve in curves for x, _ in curve.points))
    step = (right - left) / max(1, largest - 1)
    drawing.add_label(title, left - 4, top - 8, "t b", max_width=right - left + 92)
    for part in (0.0, 0.5, 1.0):
        y = bottom - (bottom - top) * part
        drawing.add_line("grid", left, y, right, y)
        drawing.add_label(format_percent(part), left - 6, y + 4, "t m", "end")
    for count in sorted({1, largest, *(range(2, largest) if largest <= 8 else (largest // 2,))}):
        drawing.add_label(str(count), left + step * (count - 1), bottom + 15, "t m", "middle")
    drawing.add_label(name, (left + right) / 2, bottom + 30, "t m", "middle")

    def locate(x: float, y: float) -> tuple[float, float]:
        return left + step * (x - 1), bottom - (bottom - top) * y

    for curve, (colour, dash) in zip(curves, _PANEL_STYLES, strict=False):
        positions = [locate(*point) for point in curve.points]
        drawing.add_polyline(f"{colour}-line {dash}", positions)
        for x, low, high in curve.intervals:
            drawing.add_line(f"{colour}-line", *locate(x, low), *locate(x, high))
        for x, y in positions:
            drawing.add_marker(curve.shape, colour, x, y, 3.5)
    heights = _spread([locate(*curve.points[-1])[1] for curve in curves], top, bottom)
    for place, (curve, height) in enumerate(zip(curves, heights, strict=True)):
        drawing.add_label(curve.label, right + 9, height + 4, "t m" if place else "t")


def _spread(heights: Sequence[float], top: float, bottom: float) -> Sequence[float]:
    """Move the heights of two labels apart if they would overlap."""
    if len(heights) != 2 or abs(heights[0] - heights[1]) >= 13:
        return heights
    middle = min(max(sum(heights) / 2, top + 4), bottom - 8)
    shift = 6.5 if heights[0] >= heights[1] else -6.5
    return middle + shift, middle - shift
