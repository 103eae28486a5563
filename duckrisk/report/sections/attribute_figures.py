"""Draw the figures on the risk of attributes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from duckrisk.base.numbers import format_number, format_probability, format_share
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.measures.attribute.results import AttributeRisk, KnownRecords, ModelError, SingleValues
from duckrisk.report.charts import Drawing, LegendItem, format_tick, round_up
from duckrisk.report.drawings import (
    Arrow,
    Axis,
    Curve,
    Point,
    Rung,
    Stroke,
    draw_arrows,
    draw_ladder,
    draw_panels,
    draw_points,
)
from duckrisk.report.words import Words

#: Position of 0 records on a scale of powers of ten (a choice: left of 1 record with a gap between).
_ZERO_POWER = -0.6
#: The shape and the classes of the marker of each model.
_MODELS = {"exact": ("square", "blue"), "sampling": ("dot", "blue"), "minimum cost": ("diamond", "orange")}
#: A number of known records, the risk with it, and the ends of its interval.
_Estimate = tuple[int, float, float | None, float | None]
_RISK_AXIS = Axis(Sentence("attribute.axis.risk"), format_number=format_tick)


def _has_minimum_cost(entries: Sequence[AttributeRisk]) -> bool:
    """Check whether the risk of the minimum-cost model differs for any attribute."""
    return any(entry.minimum_cost_risk not in (None, entry.mean_risk) for entry in entries)


def make_risk_rungs(entries: Sequence[AttributeRisk], with_intervals: bool) -> list[Rung]:
    """Make a rung for the risk of each attribute.

    Args:
        entries: The attributes, the most dangerous first.
        with_intervals: Whether to add the intervals of sampled risks.
    """
    has_minimum = _has_minimum_cost(entries)
    rungs = []
    for entry in entries:
        sampled = entry.sampled if with_intervals else None
        ends = (sampled.lower, sampled.upper) if sampled is not None else (None, None)
        minimum = entry.minimum_cost_risk if has_minimum else None
        rungs.append(
            Rung(
                Data(entry.attribute),
                ((entry.risk or 0.0, "blue"),),
                format_probability(entry.risk or 0.0),
                ((minimum, "diamond", "orange"),) if minimum is not None else (),
                (ends[0], ends[1]) if ends[0] is not None and ends[1] is not None else None,
            )
        )
    return rungs


def draw_risks(words: Words, entries: Sequence[AttributeRisk], with_intervals: bool, method: str) -> Drawing:
    """Draw the risk of each attribute, its interval and the minimum-cost model.

    Args:
        words: The language.
        entries: The attributes, the most dangerous first.
        with_intervals: Whether to draw the intervals of sampled risks.
        method: How the risks were measured, for the legend: "exact", "approximate" or "sample".
    """
    legend: list[LegendItem] = [("square", "blue", Sentence(f"attribute.legend.{method}"))]
    if _has_minimum_cost(entries):
        legend.append(("diamond", "orange", Sentence("attribute.legend.minimum")))
    if with_intervals:
        legend.append(("whisker", "whisker", Sentence("attribute.legend.interval")))
    rungs = make_risk_rungs(entries, with_intervals)
    return draw_ladder(words, rungs, _RISK_AXIS, legend=legend, description=Sentence("attribute.risk"))


def draw_known_records(words: Words, panels: Mapping[str, Sequence[KnownRecords]]) -> Drawing:
    """Draw risk and unicity by known records, in a panel for each attribute."""
    drawn = [(Data(name), _make_curves(entries)) for name, entries in panels.items()]
    axis, description = Sentence("attribute.axis.known"), Sentence("attribute.known")
    return draw_panels(words, drawn, axis, description=description)


def _make_curves(entries: Sequence[KnownRecords]) -> tuple[Curve, Curve]:
    risk = [(entry.known_records, entry.risk or 0.0, entry.risk_lower, entry.risk_upper) for entry in entries]
    unicity = [(e.known_records, e.unicity or 0.0, e.unicity_lower, e.unicity_upper) for e in entries]

    def make_curve(name: str, shape: str, points: Sequence[_Estimate], label: str) -> Curve:
        drawn = [p for p, entry in zip(points, entries, strict=True) if entry.draws is not None]
        intervals = tuple((x, low, high) for x, _, low, high in drawn if low is not None and high is not None)
        places = tuple((x, y) for x, y, _, _ in points)
        return Curve(Sentence(f"attribute.{name}"), places, shape, intervals, label)

    return (
        make_curve("mean_risk", "dot", risk, format_probability(risk[-1][1])),
        make_curve("unicity", "square", unicity, format_share(unicity[-1][1])),
    )


def make_rare_rungs(entries: Sequence[AttributeRisk]) -> list[Rung]:
    """Make a rung for the rare values of each attribute that has some."""
    return [
        Rung(
            Data(entry.attribute),
            ((entry.share_below_k or 0.0, "orange"), (entry.share_singled_out or 0.0, "blue")),
            format_share(entry.share_below_k),
        )
        for entry in entries
        if entry.share_below_k
    ]


def draw_rare_values(words: Words, entries: Sequence[AttributeRisk], k: str) -> Drawing:
    """Draw the shares of records whose value one user has, or fewer than k."""
    legend = [
        ("square", "orange", Sentence("attribute.legend.rare", k=k)),
        ("square", "blue", Sentence("attribute.legend.alone")),
    ]
    axis, description = Axis(Sentence("attribute.axis.share")), Sentence("attribute.rare", k=k)
    return draw_ladder(words, make_rare_rungs(entries), axis, legend=legend, description=description)


def draw_coarser_forms(words: Words, arrows: Sequence[Arrow], description: Text | None) -> Drawing:
    """Draw arrows from the risks of attributes to the risks of their coarser forms."""
    now, then = (Sentence(f"attribute.legend.{when}") for when in ("now", "then"))
    legend = [("dot", "blue", now), ("diamond", "orange", then)]
    description = description or Sentence("attribute.coarser")
    return draw_arrows(words, arrows, _RISK_AXIS, legend=legend, description=description)


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
    return draw_points(
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
