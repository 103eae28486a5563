"""Draw the figures of a report as lists of marks; `templates/blocks.html.j2` writes them as SVG.

This module computes geometry only. Colours are classes of the page's style sheet, so that a figure follows
light, dark and print. Each series also differs by its marker or dash, never by colour alone.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from duckrisk.base.sentences import Data, Text
from duckrisk.report.safe import escape_unprintable
from duckrisk.report.words import Words

#: Units; width of most figures (a choice: about that of a page, so text of size 12 is 12 pixels high).
FIGURE_WIDTH = 760
#: Units; width of a small figure (a choice: half a page, and its text is still 10 pixels high on a phone).
SMALL_WIDTH = 440
#: Rows of a figure with one for each entry (a choice: as high as a screen; its table lists all entries).
FIGURE_ROWS = 40
#: Units; a longer name from the data is shortened in a legend (a choice: three names fit a row).
_MAX_LEGEND_WIDTH = 150
#: Units between two rows (a choice: the height of text and a gap as high).
ROW_HEIGHT = 24
#: An entry of a legend: the shape, the classes and the name of its marker.
LegendItem = tuple[str, str, Text]


@dataclass
class Mark:
    """One SVG element: its tag, its attributes, its text and its tooltip."""

    tag: str
    attributes: dict[str, Any]
    text: str = ""
    tip: str = ""


@dataclass
class Drawing:
    """A drawing in one language; `title` names it if a figure has several.

    `description` says what the figure shows, for readers who cannot see it. `height` and `width` are
    in units. `entries_left_out` counts the entries that did not fit.
    """

    words: Words
    description: Text = ""
    height: float = 0
    width: int = FIGURE_WIDTH
    title: Text = ""
    entries_left_out: int = 0
    marks: list[Mark] = field(default_factory=list)

    @property
    def is_small(self) -> bool:
        """Whether it fits half a page and a phone."""
        return self.width == SMALL_WIDTH

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

    def add_polyline(self, style: str, positions: Iterable[tuple[float, float]]) -> None:
        """Add a line through several points."""
        self.add_mark("polyline", style, points=" ".join(f"{x:.1f},{y:.1f}" for x, y in positions))

    def add_whisker(self, low: float, high: float, y: float) -> None:
        """Add a horizontal interval with a stroke at each end."""
        self.add_line("whisker", low, y, high, y)
        for end in (low, high):
            self.add_line("whisker", end, y - 4, end, y + 4)

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

    def add_legend(self, items: Sequence[LegendItem], x: float, y: float) -> None:
        """Add a row of markers with their names.

        Args:
            items: The shape, the classes and the name of each marker. The shapes are those of `add_marker`,
                and "whisker", "dash" and "solid" for lines.
            x: The middle of the first marker.
            y: The base line of the names.
        """
        for shape, style, name in items:
            if shape == "whisker":
                self.add_whisker(x - 8, x + 8, y - 4)
            elif shape in ("dash", "solid"):
                self.add_line(style, x - 8, y - 4, x + 8, y - 4)
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


def round_up(value: float) -> float:
    """Round a positive number up to 1, 2, 4, 6 or 8 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if step * power >= value * 0.9999)


def format_tick(value: float) -> str:
    """Format the number of a grid line without trailing zeros."""
    return f"{value:.12f}".rstrip("0").rstrip(".") if value > 1e-9 else "0"


def format_percent(value: float) -> str:
    """Format a share at a grid line without trailing zeros."""
    return f"{format_tick(round(100 * value, 9))}%"
