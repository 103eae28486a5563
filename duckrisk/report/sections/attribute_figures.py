"""Draw the figures on the risk of attributes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from duckrisk.base.numbers import format_number, format_probability, format_share
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.measures.attribute.results import AttributeRisk, KnownRecords, ModelError, SingleValues
from duckrisk.report.charts import (
    FIGURE_ROWS,
    FIGURE_WIDTH,
    PLOT_LEFT,
    PLOT_RIGHT,
    ROW_HEIGHT,
    Axis,
    Drawing,
    Point,
    Scale,
    Stroke,
    choose_scale,
    draw_axis,
    draw_scatter,
    format_tick,
    round_up,
)
from duckrisk.report.words import Words

#: Panels, three in a row (a choice: three rows are as high as a screen).
_MAX_PANELS = 9
#: Rows of arrows (a choice: more do not fit a printed page with the text around them).
_MAX_ARROWS = 24
#: Units; where the plot begins if a row has two labels (a choice: each has room for about 20 characters).
_ARROWS_LEFT = 342
#: Position of 0 records on a scale of powers of ten (a choice: left of 1 record with a gap between).
_ZERO_POWER = -0.6
#: The shape and the classes of the marker of each model.
_MODELS = {"exact": ("square", "blue"), "sampling": ("dot", "blue"), "minimum cost": ("diamond", "orange")}
#: An attribute, its coarser form in words, and the risks of both.
Arrow = tuple[str, Text, float, float]


def choose_risk_scale(entries: Sequence[AttributeRisk], sampled: bool) -> Scale:
    """Choose the scale for risks, their intervals and the minimum-cost model."""
    spread = [entry.risk or 0.0 for entry in entries]
    if _has_minimum_cost(entries):
        spread += [entry.minimum_cost_risk or 0.0 for entry in entries]
    if sampled:
        spread += [
            end or 0.0
            for entry in entries
            if entry.sampled is not None
            for end in (entry.sampled.lower, entry.sampled.upper)
        ]
    return choose_scale(spread, PLOT_LEFT, PLOT_RIGHT)


def _has_minimum_cost(entries: Sequence[AttributeRisk]) -> bool:
    """Check whether the risk of the minimum-cost model differs for any attribute."""
    return any(entry.minimum_cost_risk not in (None, entry.mean_risk) for entry in entries)


def draw_risks(words: Words, entries: Sequence[AttributeRisk], with_intervals: bool, method: str) -> Drawing:
    """Draw the risk of each attribute, its interval and the minimum-cost model.

    Args:
        words: The language.
        entries: The attributes, the most dangerous first.
        with_intervals: Whether to draw the intervals of sampled risks.
        method: How the risks were measured, for the legend: "exact", "approximate" or "sample".
    """
    drawn = entries[:FIGURE_ROWS]
    is_counted, has_minimum = method != "sample", _has_minimum_cost(drawn)
    scale = choose_risk_scale(drawn, with_intervals)
    drawing = Drawing(words, Sentence("attribute.risk"))
    top, bottom = 30.0, 30.0 + ROW_HEIGHT * len(drawn)
    draw_axis(drawing, scale, top, bottom, Sentence("attribute.axis.risk"))
    legend: list[tuple[str, str, Text]] = [
        ("dot" if is_counted else "square", "blue", Sentence(f"attribute.legend.{method}"))
    ]
    legend += [("diamond", "orange", Sentence("attribute.legend.minimum"))] if has_minimum else []
    legend += [("whisker", "whisker", Sentence("attribute.legend.interval"))] if with_intervals else []
    drawing.add_legend(legend, PLOT_LEFT, 16)
    for line, entry in enumerate(drawn):
        y = top + ROW_HEIGHT * (line + 0.5)
        risk = entry.risk or 0.0
        drawing.add_label(
            Data(entry.attribute), PLOT_LEFT - 12, y + 4, anchor="end", max_width=PLOT_LEFT - 20
        )
        drawing.add_mark(
            "rect", "bar", x=float(PLOT_LEFT), y=float(y - 7), width=scale(risk) - PLOT_LEFT, height=14.0
        )
        ends = (
            (entry.sampled.lower, entry.sampled.upper) if with_intervals and entry.sampled else (None, None)
        )
        if ends[0] is not None and ends[1] is not None:
            low, high = scale(ends[0]), scale(ends[1])
            drawing.add_line("whisker", low, y, high, y)
            drawing.add_line("whisker", low, y - 5, low, y + 5)
            drawing.add_line("whisker", high, y - 5, high, y + 5)
        if has_minimum and entry.minimum_cost_risk is not None:
            drawing.add_marker("diamond", "orange", scale(entry.minimum_cost_risk), y, 4)
        drawing.add_marker("dot" if is_counted else "square", "blue", scale(risk), y, 5 if is_counted else 4)
        drawing.add_label(format_probability(risk), PLOT_RIGHT + 14, y + 4)
    drawing.height, drawing.entries_left_out = bottom + 40, max(0, len(entries) - FIGURE_ROWS)
    return drawing


def draw_known_records(words: Words, panels: Mapping[str, Sequence[KnownRecords]]) -> Drawing:
    """Draw risk and unicity by known records, in a panel for each attribute."""
    drawing = Drawing(words, Sentence("attribute.known"))
    names = {"mean_risk": ("dot", "blue"), "unicity": ("square", "orange")}
    drawing.add_legend([(*mark, Sentence(f"attribute.{name}")) for name, mark in names.items()], 40, 16)
    per_row, panel_width, panel_height = 3, FIGURE_WIDTH / 3, 176.0
    for position, (name, entries) in enumerate(list(panels.items())[:_MAX_PANELS]):
        left = 36 + panel_width * (position % per_row)
        top = 52 + panel_height * (position // per_row)
        _draw_panel(drawing, name, entries, left, top, panel_width - 112, panel_height - 66)
    drawing.entries_left_out = max(0, len(panels) - _MAX_PANELS)
    drawing.height = 36 + panel_height * math.ceil(min(len(panels), _MAX_PANELS) / per_row)
    return drawing


def _draw_panel(
    drawing: Drawing,
    name: str,
    entries: Sequence[KnownRecords],
    left: float,
    top: float,
    width: float,
    height: float,
) -> None:
    largest = max(entry.known_records for entry in entries)
    step = width / max(1, largest - 1)
    drawing.add_label(Data(name), left - 4, top - 8, "t b", max_width=width + 92)
    for part in (0, 0.5, 1):
        y = top + height * (1 - part)
        drawing.add_line("grid", left, y, left + width, y)
        drawing.add_label(format_tick(part), left - 6, y + 4, "t m", "end")
    for p in sorted({1, largest, *(range(2, largest) if largest <= 8 else (largest // 2,))}):
        drawing.add_label(str(p), left + step * (p - 1), top + height + 15, "t m", "middle")
    drawing.add_label(Sentence("attribute.axis.known"), left + width / 2, top + height + 30, "t m", "middle")
    unicity = [(e.known_records, e.unicity or 0.0, e.unicity_lower, e.unicity_upper) for e in entries]
    risk = [(e.known_records, e.risk or 0.0, e.risk_lower, e.risk_upper) for e in entries]
    for points, shape, style, dash in (
        (unicity, "square", "orange", "dash"),
        (risk, "dot", "blue", "solid"),
    ):
        places = [(left + step * (p - 1), top + height * (1 - value)) for p, value, _, _ in points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        drawing.add_mark("polyline", f"{style}-line {dash}", points=line)
        for (x, y), (_, _, lower, upper), entry in zip(places, points, entries, strict=True):
            if entry.draws is not None and lower is not None and upper is not None:
                drawing.add_line(
                    f"{style}-line", x, top + height * (1 - lower), x, top + height * (1 - upper)
                )
            drawing.add_marker(shape, style, x, y, 3.5)
    last = left + step * (largest - 1)
    unicity_y, risk_y = (top + height * (1 - points[-1][1]) for points in (unicity, risk))
    if abs(unicity_y - risk_y) < 13:  # the two numbers would overlap
        middle = min(max((unicity_y + risk_y) / 2, top + 4), top + height - 8)
        risk_y, unicity_y = middle - 6.5, middle + 6.5
    drawing.add_label(format_probability(risk[-1][1]), last + 9, risk_y + 4, "t")
    drawing.add_label(format_share(unicity[-1][1]), last + 9, unicity_y + 4, "t m")


def draw_rare_values(words: Words, entries: Sequence[AttributeRisk], k: str) -> Drawing:
    """Draw the shares of records whose value one user has, or fewer than k."""
    drawn = entries[:FIGURE_ROWS]
    scale = Scale(0, 1, PLOT_LEFT, PLOT_RIGHT, False)
    drawing = Drawing(words, Sentence("attribute.rare", k=k))
    top, bottom = 30.0, 30.0 + ROW_HEIGHT * len(drawn)
    legend = [("square", "orange", Sentence("attribute.legend.rare", k=k))]
    drawing.add_legend([*legend, ("square", "blue", Sentence("attribute.legend.alone"))], PLOT_LEFT, 16)
    for part in range(5):
        x = scale(part / 4)
        drawing.add_line("grid", x, top, x, bottom)
        drawing.add_label(f"{25 * part}%", x, bottom + 16, "t m", "middle")
    drawing.add_label(Sentence("attribute.axis.share"), PLOT_RIGHT, bottom + 33, "t m", "end")
    for line, entry in enumerate(drawn):
        y = top + ROW_HEIGHT * (line + 0.5)
        drawing.add_label(
            Data(entry.attribute), PLOT_LEFT - 12, y + 4, anchor="end", max_width=PLOT_LEFT - 20
        )
        width = scale(entry.share_below_k or 0.0) - PLOT_LEFT
        drawing.add_mark("rect", "orange", x=float(PLOT_LEFT), y=float(y - 8), width=width, height=16.0)
        alone = scale(entry.share_singled_out or 0.0) - PLOT_LEFT
        drawing.add_mark("rect", "blue inner", x=float(PLOT_LEFT), y=float(y - 3), width=alone, height=6.0)
        drawing.add_label(format_share(entry.share_below_k), PLOT_RIGHT + 14, y + 4)
    drawing.height, drawing.entries_left_out = bottom + 40, max(0, len(entries) - FIGURE_ROWS)
    return drawing


def choose_arrow_scale(arrows: Sequence[Arrow]) -> Scale:
    """Choose the scale for the risks of attributes and of their coarser forms."""
    return choose_scale([risk for arrow in arrows for risk in arrow[2:]], _ARROWS_LEFT, 580)


def draw_arrows(words: Words, arrows: Sequence[Arrow], description: Text | None) -> Drawing:
    """Draw arrows from the risks of attributes to the risks of their coarser forms."""
    drawn = arrows[:_MAX_ARROWS]
    scale = choose_arrow_scale(drawn)
    drawing = Drawing(words, description or Sentence("attribute.coarser"))
    top, bottom = 30.0, 30.0 + ROW_HEIGHT * len(drawn)
    draw_axis(drawing, scale, top, bottom, Sentence("attribute.axis.risk"))
    now, then = (Sentence(f"attribute.legend.{when}") for when in ("now", "then"))
    drawing.add_legend([("dot", "blue", now), ("diamond", "orange", then)], _ARROWS_LEFT, 16)
    last = None
    for line, (name, published, before, after) in enumerate(drawn):
        y = top + ROW_HEIGHT * (line + 0.5)
        if name != last:
            last = name
            drawing.add_label(Data(name), 146, y + 4, anchor="end", max_width=142)
        drawing.add_label(published, _ARROWS_LEFT - 12, y + 4, "t m", "end", max_width=_ARROWS_LEFT - 164)
        drawing.add_line("arrow", scale(before), y, scale(after), y)
        drawing.add_marker("dot", "blue", scale(before), y)
        drawing.add_marker("diamond", "orange", scale(after), y, 4)
        drawing.add_label(f"{format_probability(before)} → {format_probability(after)}", 592, y + 4)
    drawing.height, drawing.entries_left_out = bottom + 40, max(0, len(arrows) - _MAX_ARROWS)
    return drawing


def draw_models(words: Words, models: Sequence[ModelError], single: SingleValues) -> Drawing:
    """Draw the error of models of one attribute against the records they read.

    Its single values and their centroid are drawn too. 0 records have a position of their own, left of the
    logarithmic scale.
    """
    cloud = [(_to_power(point.cost), point.error or 0.0) for point in single.points]
    points = [
        Point(
            Sentence(f"attribute.model.{model.model}"),
            _to_power(model.cost),
            model.error or 0.0,
            "",
            (),
            *_MODELS[model.model],
        )
        for model in models
    ]
    if single.mean_error is not None:
        name = Sentence("attribute.model.centroid")
        points.append(Point(name, _to_power(single.mean_cost), single.mean_error, "", (), "dot", "orange"))
    highest = max([height for _, height in cloud] + [point.y for point in points])
    most = max(1, math.ceil(max(point.x for point in points)))
    across = Axis(
        Sentence("attribute.axis.records"),
        _ZERO_POWER,
        most,
        _format_records,
        (_ZERO_POWER, *map(float, range(most + 1))),
    )
    up = Axis(Sentence("attribute.axis.error"), 0.0, round_up(highest or 1.0), format_tick)
    legend = [
        ("dot", "single", Sentence("attribute.legend.single")),
        ("dot", "orange", Sentence("attribute.legend.mean")),
    ]
    strokes = [Stroke((_ZERO_POWER / 2, up.least), (_ZERO_POWER / 2, up.greatest))]
    return draw_scatter(
        words,
        points,
        across,
        up,
        legend=legend,
        strokes=strokes,
        cloud=cloud,
        description=Sentence("attribute.models"),
    )


def _to_power(cost: float | None) -> float:
    """Return the power of ten of a number of records."""
    return math.log10(cost) if cost else _ZERO_POWER


def _format_records(power: float) -> str:
    return format_number(round(10**power)) if power >= 0 else "0"
