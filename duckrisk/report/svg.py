"""Draws the figures of a report as lists of marks; ``templates/drawing.svg.j2`` writes them as SVG.

Only geometry is made here. Colours are classes of the page's style sheet, so that a figure follows
light, dark and print; each series also differs by its marker or dash, never by colour alone.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from duckrisk.report import sentences, tables
from duckrisk.report.text import (
    Data,
    Sentence,
    knowledge,
    number,
    probability,
    publication,
    say,
    share,
    visible,
    word,
)

#: Width of every figure in its own units; text is 12 of them high.
WIDTH = 760
ROWS = 40
PANELS = 9
ARROWS = 24
LEFT = 210  # where the plot of a figure with labelled rows begins
RIGHT = 640
_MOST_OF_LEGEND = 150  # of a name from the data
_ARROWS_LEFT = 342  # the same where a row has two labels
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
    """A figure: a key for its title, sentences on how to read it, marks, and its numbers."""

    key: str
    sentences: Sequence[Sentence | str]
    table: tables.Table
    height: float = 0
    left_out: int = 0
    description: Sentence | None = None
    marks: list[Mark] = field(default_factory=list)

    def add(self, tag: str, kind: str, text: str = "", tip: str = "", **attributes: Any) -> None:
        """Add a mark; underscores in names of attributes stand for hyphens, numbers are shortened."""
        made = {"class": kind}
        for name, value in attributes.items():
            made[name.replace("_", "-")] = (
                f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value
            )
        self.marks.append(Mark(tag, made, text, tip))

    def line(self, kind: str, x1: float, y1: float, x2: float, y2: float) -> None:
        self.add("line", kind, x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2))

    def label(
        self, text: str, x: float, y: float, kind: str = "t", anchor: str = "start", room: float = 0
    ) -> None:
        """Text, cut to ``room`` where that is given; the whole text is the tip then."""
        shown = fitted(text, room) if room else text
        self.add(
            "text",
            kind,
            text=shown,
            tip="" if shown == text else visible(text),
            x=float(x),
            y=float(y),
            text_anchor=None if anchor == "start" else anchor,
        )

    def slanted(self, text: str, x: float, y: float, room: float) -> None:
        """The head of a narrow column: text that rises to the right, cut to ``room``."""
        shown = fitted(text, room)
        turned = f"translate({x:.1f} {y:.1f}) rotate(-50)"
        self.add("text", "t", text=shown, tip="" if shown == text else visible(text), transform=turned)

    def marker(self, shape: str, kind: str, x: float, y: float, size: float = 5, tip: str = "") -> None:
        """A dot, a square or a diamond."""
        if shape == "dot":
            self.add("circle", kind, tip=tip, cx=float(x), cy=float(y), r=float(size))
        elif shape == "square":
            self.add(
                "rect",
                kind,
                tip=tip,
                x=float(x - size),
                y=float(y - size),
                width=float(2 * size),
                height=float(2 * size),
            )
        else:
            points = [(x, y - size - 1), (x + size + 1, y), (x, y + size + 1), (x - size - 1, y)]
            self.add("path", kind, tip=tip, d="M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in points) + "Z")

    def name(
        self,
        name: str,
        x: float,
        y: float,
        taken: list[tuple[float, float, float]],
        field: tuple[float, float, float, float],
    ) -> None:
        """The name of a point, above or below it, where nothing of what is ``taken`` is (middle, line and
        width); ``field`` is the left, top, right and bottom of the plot."""
        left, top, right, bottom = field
        wide = min(width_of(visible(name)), 170.0)
        at = min(max(x, left + wide / 2), right - wide / 2)
        for shift in (-12, 20, -28, 36, -44, 52):
            line = y + shift
            free = all(
                abs(line - row) > 13 or abs(at - middle) > (wide + other) / 2 for middle, row, other in taken
            )
            if free and top - 12 < line < bottom:
                break
        taken.append((at, line, wide))
        self.label(name, at, line, "t b halo", "middle", 170)

    def legend(self, items: Sequence[tuple[str, str, str | Sentence]], x: float, y: float) -> None:
        """Markers with their names in a row: (shape, class, key or sentence of the catalogue, or data)."""
        for shape, kind, key in items:
            if shape in ("whisker", "dash", "solid"):
                self.line(kind, x - 8, y - 4, x + 8, y - 4)
                if shape == "whisker":
                    self.line(kind, x - 8, y - 8, x - 8, y)
                    self.line(kind, x + 8, y - 8, x + 8, y)
            else:
                self.marker(shape, kind, x, y - 4)
            if isinstance(key, Data):
                text = fitted(key, _MOST_OF_LEGEND)
            else:
                text = word(key) if isinstance(key, str) else key.plain()
            self.label(text, x + 13, y)
            x += 13 + width_of(text) + 26


# --- text and scales -----------------------------------------------------------------------------


def width_of(text: str) -> float:
    """About how wide text of size 12 is; wide characters count as a full square."""
    return sum(12.0 if unicodedata.east_asian_width(c) in "WF" else 7.1 for c in text)


def fitted(text: str, room: float) -> str:
    """Text cut in the middle to fit: the beginning and the end tell names apart best."""
    text = visible(text)
    if width_of(text) <= room:
        return text
    room -= 12
    tail = ""
    while width_of(text[-len(tail) - 1 :]) <= room / 3:
        tail = text[-len(tail) - 1 :]
    head = text
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


def _axis(drawing: Drawing, scale: Scale, top: float, bottom: float, name: str) -> None:
    taken = 0.0
    for mark in scale.ticks():
        x, half = scale(mark), width_of(tick(mark)) / 2
        drawing.line("grid", x, top, x, bottom)
        if x - half > taken:  # a label that would run into the one before is left out
            taken = x + half + 4
            drawing.label(tick(mark), x, bottom + 16, "t m", "middle")
    drawing.label(name, scale.end, bottom + 33, "t m", "end")


def _scale_sentence(scale: Scale) -> Sentence:
    return say("read.log" if scale.logarithmic else "read.linear")


# --- the figures ---------------------------------------------------------------------------------


def figures(data: dict[str, Any]) -> dict[str, Drawing]:
    """All figures that the data allow, by their keys."""
    made = (ladder(data), known(data), below(data), arrows(data), cost_and_error(data))
    return {drawing.key: drawing for drawing in made if drawing is not None}


def ladder(data: dict[str, Any]) -> Drawing | None:
    """The risk of each attribute, the sampled interval and the minimum-cost model."""
    entries = [entry for entry in data["attribute_risk"] if tables.shown_risk(entry) is not None]
    if not entries:
        return None
    drawn, sampled = entries[:ROWS], tables.was_sampled(data)
    counted = data["settings"]["method"] != "sample"
    minimum = any(e["minimum_cost_risk"] not in (None, e["mean_risk"]) for e in drawn)
    spread = [tables.shown_risk(entry) or 0.0 for entry in drawn]
    if minimum:
        spread += [entry["minimum_cost_risk"] or 0.0 for entry in drawn]
    if sampled:
        spread += [
            e["sampled"][end]
            for e in drawn
            if e["sampled"]
            for end in ("lower", "upper")
            if e["sampled"][end] is not None
        ]
    scale = scale_for(spread, LEFT, RIGHT)
    reading = [*sentences.risk_sentences(data)[:1], say("read.ladder"), _scale_sentence(scale)]
    if sampled and (found := sentences.interval_sentence(data)) is not None:
        reading.append(found)
    drawing = Drawing("risk", reading, tables.risk(data), description=sentences.headline(data))
    top, bottom = 30.0, 30.0 + ROW * len(drawn)
    _axis(drawing, scale, top, bottom, word("axis.risk"))
    exact = {"exact": "exact", "approximate": "approximate", "sample": "estimate"}[data["settings"]["method"]]
    items = [("dot" if counted else "square", "blue", f"legend.{exact}")]
    items += [("whisker", "whisker", "legend.interval")] if sampled else []
    items += [("diamond", "orange", "legend.minimum")] if minimum else []
    drawing.legend(items, LEFT, 16)
    for place, entry in enumerate(drawn):
        y = top + ROW * (place + 0.5)
        risk = tables.shown_risk(entry) or 0.0
        drawing.label(entry["attribute"], LEFT - 12, y + 4, anchor="end", room=LEFT - 20)
        drawing.add("rect", "bar", x=float(LEFT), y=float(y - 7), width=scale(risk) - LEFT, height=14.0)
        drawn_from = entry["sampled"]
        if sampled and drawn_from and drawn_from["lower"] is not None and drawn_from["upper"] is not None:
            low, high = scale(drawn_from["lower"]), scale(drawn_from["upper"])
            drawing.line("whisker", low, y, high, y)
            drawing.line("whisker", low, y - 5, low, y + 5)
            drawing.line("whisker", high, y - 5, high, y + 5)
        if minimum and entry["minimum_cost_risk"] is not None:
            drawing.marker("diamond", "orange", scale(entry["minimum_cost_risk"]), y, 4)
        drawing.marker("dot" if counted else "square", "blue", scale(risk), y, 5 if counted else 4)
        drawing.label(probability(risk), RIGHT + 14, y + 4)
    drawing.height, drawing.left_out = bottom + 40, max(0, len(entries) - ROWS)
    return drawing


def known(data: dict[str, Any]) -> Drawing | None:
    """Risk and unicity by the number of known records: one small panel an attribute."""
    panels: dict[str, list[dict[str, Any]]] = {}
    for row in tables.several_known(data):
        panels.setdefault(row["attribute"], []).append(row)
    panels = {name: rows for name, rows in panels.items() if len(rows) > 1}
    if not panels:
        return None
    reading = [
        say("read.known", confidence=sentences.confidence(data), draws=number(data["settings"]["draws"]))
    ]
    if data["settings"]["method"] == "exact":
        reading.append(say("read.known_exact"))
    drawing = Drawing("known", reading, tables.known_records(data), description=say("of_known"))
    drawing.legend([("dot", "blue", "risk"), ("square", "orange", "unicity")], 40, 16)
    across, wide, high = 3, WIDTH / 3, 176.0
    for place, (name, rows) in enumerate(list(panels.items())[:PANELS]):
        left = 36 + wide * (place % across)
        top = 52 + high * (place // across)
        _panel(drawing, name, rows, left, top, wide - 112, high - 66)
    drawing.left_out = max(0, len(panels) - PANELS)
    drawing.height = 36 + high * math.ceil(min(len(panels), PANELS) / across)
    return drawing


def _panel(
    drawing: Drawing, name: str, rows: list[dict[str, Any]], left: float, top: float, wide: float, high: float
) -> None:
    most = max(row["known_records"] for row in rows)
    step = wide / max(1, most - 1)
    drawing.label(name, left - 4, top - 8, "t b", room=wide + 92)
    for part in (0, 0.5, 1):
        y = top + high * (1 - part)
        drawing.line("grid", left, y, left + wide, y)
        drawing.label(tick(part), left - 6, y + 4, "t m", "end")
    for p in sorted({1, most, *(range(2, most) if most <= 8 else (most // 2,))}):
        drawing.label(str(p), left + step * (p - 1), top + high + 15, "t m", "middle")
    drawing.label(word("axis.known"), left + wide / 2, top + high + 30, "t m", "middle")
    ends = []
    for field_name, shape, kind, dash in (
        ("unicity", "square", "orange", "dash"),
        ("risk", "dot", "blue", "solid"),
    ):
        points = [(left + step * (r["known_records"] - 1), top + high * (1 - r[field_name])) for r in rows]
        drawing.add("polyline", f"{kind}-line {dash}", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points))
        for (x, y), row in zip(points, rows, strict=True):
            if row["draws"] is not None:
                ends_of = (row[f"{field_name}_lower"], row[f"{field_name}_upper"])
                drawing.line(
                    f"{kind}-line", x, top + high * (1 - ends_of[0]), x, top + high * (1 - ends_of[1])
                )
            drawing.marker(shape, kind, x, y, 3.5)
        ends.append((points[-1][1], rows[-1][field_name], points[-1][0]))
    (uy, unicity, x), (ry, risk, _) = ends
    if abs(uy - ry) < 13:  # the two numbers would overlap
        middle = min(max((uy + ry) / 2, top + 4), top + high - 8)
        ry, uy = middle - 6.5, middle + 6.5
    drawing.label(probability(risk), x + 9, ry + 4, "t")
    drawing.label(share(unicity), x + 9, uy + 4, "t m")


def below(data: dict[str, Any]) -> Drawing | None:
    """The share of records whose value fits fewer than k users."""
    entries = [entry for entry in data["attribute_risk"] if entry["share_below_k"] is not None]
    if not any(entry["share_below_k"] for entry in entries):
        return None
    drawn = entries[:ROWS]
    scale = Scale(0, 1, LEFT, RIGHT, False)
    k = data["settings"]["k"]
    drawing = Drawing(
        "below", [say("read.below", k=k)], tables.below_k(data), description=say("share_below", k=k)
    )
    top, bottom = 30.0, 30.0 + ROW * len(drawn)
    drawing.legend(
        [("square", "orange", say("legend.below", k=k)), ("square", "blue", "legend.alone")], LEFT, 16
    )
    for part in range(5):
        x = scale(part / 4)
        drawing.line("grid", x, top, x, bottom)
        drawing.label(f"{25 * part}%", x, bottom + 16, "t m", "middle")
    drawing.label(word("axis.share"), RIGHT, bottom + 33, "t m", "end")
    for place, entry in enumerate(drawn):
        y = top + ROW * (place + 0.5)
        drawing.label(entry["attribute"], LEFT - 12, y + 4, anchor="end", room=LEFT - 20)
        width = scale(entry["share_below_k"]) - LEFT
        drawing.add("rect", "orange", x=float(LEFT), y=float(y - 8), width=width, height=16.0)
        alone = scale(entry["share_singled_out"] or 0.0) - LEFT
        drawing.add("rect", "blue inner", x=float(LEFT), y=float(y - 3), width=alone, height=6.0)
        drawing.label(share(entry["share_below_k"]), RIGHT + 14, y + 4)
    drawing.height, drawing.left_out = bottom + 40, max(0, len(entries) - ROWS)
    return drawing


def arrows(data: dict[str, Any]) -> Drawing | None:
    """From the risk of an attribute to the risk of its coarser forms."""
    rows = tables.changes(data)
    if not rows:
        return None
    now = {entry["attribute"]: entry["mean_risk"] for entry in data["attribute_risk"]}
    drawn, names = rows[:ARROWS], tables.column_names(data)
    scale = scale_for(
        [row["mean_risk"] for row in drawn] + [now[row["attribute"]] for row in drawn], _ARROWS_LEFT, 580
    )
    drawing = Drawing(
        "coarser",
        [say("read.coarser"), _scale_sentence(scale)],
        tables.coarser(data),
        description=sentences.best_help(data) or say("of_coarser"),
    )
    top, bottom = 30.0, 30.0 + ROW * len(drawn)
    _axis(drawing, scale, top, bottom, word("axis.risk"))
    drawing.legend([("dot", "blue", "legend.now"), ("diamond", "orange", "legend.then")], _ARROWS_LEFT, 16)
    last = None
    for place, row in enumerate(drawn):
        y = top + ROW * (place + 0.5)
        before, after = now[row["attribute"]], row["mean_risk"]
        if row["attribute"] != last:
            last = row["attribute"]
            drawing.label(last, 146, y + 4, anchor="end", room=142)
        published = publication(row["coarser"], names).plain(visible)
        drawing.label(published, _ARROWS_LEFT - 12, y + 4, "t m", "end", room=_ARROWS_LEFT - 164)
        drawing.line("arrow", scale(before), y, scale(after), y)
        drawing.marker("dot", "blue", scale(before), y)
        drawing.marker("diamond", "orange", scale(after), y, 4)
        drawing.label(f"{probability(before)} → {probability(after)}", 592, y + 4)
    drawing.height, drawing.left_out = bottom + 40, max(0, len(rows) - ARROWS)
    return drawing


def cost_and_error(data: dict[str, Any]) -> Drawing | None:
    """Records read against the error of the risk: the models of one attribute and single values."""
    single = data["single_values"]
    if single is None or tables.models_agree(data):
        return None
    models = [row for row in data["model_errors"] if row["attribute"] == single["attribute"]]
    if not models:
        return None
    what = knowledge(single["attribute"], tables.column_names(data))
    drawing = Drawing(
        "models", [say("read.models", what=what)], tables.models(data), description=say("of_models")
    )
    left, right, top, bottom = 70.0, 720.0, 34.0, 300.0
    points = [row for row in single["points"] if row["error"] is not None and row["cost"] is not None]
    most = max([row["cost"] for row in models + points] + [1])
    tallest = round_up(max([row["error"] for row in models + points if row["error"]], default=1.0))
    first = left + 70  # zero has no place on a logarithmic scale: it gets one of its own

    def x_of(cost: int) -> float:
        part = math.log(max(cost, 1)) / math.log(max(most, 10))
        return left + 24 if cost == 0 else first + (right - first) * part

    def y_of(error: float) -> float:
        return bottom - (bottom - top) * error / tallest

    for part in range(5):
        y = y_of(tallest * part / 4)
        drawing.line("grid", left, y, right, y)
        drawing.label(tick(tallest * part / 4), left - 8, y + 4, "t m", "end")
    drawing.label("0", x_of(0), bottom + 16, "t m", "middle")
    drawing.line("grid strong", left + 48, top, left + 48, bottom)
    for power in range(int(math.log10(most)) + 1):
        x = x_of(10**power)
        drawing.line("grid", x, top, x, bottom)
        drawing.label(number(10**power), x, bottom + 16, "t m", "middle")
    drawing.label(word("axis.records"), right, bottom + 34, "t m", "end")
    drawing.label(word("axis.error"), left - 8, 14, "t m")
    drawing.legend([("dot", "single", "legend.single")], right - 130, 14)
    for x, y in sorted({(round(x_of(row["cost"])), round(y_of(row["error"]))) for row in points}):
        drawing.marker("dot", "single", x, y, 3)
    shapes = {"exact": ("square", "blue"), "sampling": ("dot", "blue"), "minimum cost": ("diamond", "orange")}
    for row in models:
        x, y = x_of(row["cost"]), y_of(row["error"] or 0.0)
        shape, kind = shapes.get(row["model"], ("dot", "blue"))
        drawing.marker(shape, kind, x, y, 6)
        anchor = "start" if x < left + 120 else "end" if x > right - 90 else "middle"
        near = -12 if anchor == "start" else 8 if anchor == "end" else 0
        drawing.label(word(row["model"]), x + near, y - 13, "t b halo", anchor)
    drawing.height = bottom + 42
    return drawing
