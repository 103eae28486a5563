"""ROC curves and the rates of scores, which the reports on attacks share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from duckrisk.base.numbers import format_decimals, format_number
from duckrisk.base.sentences import Sentence, Text
from duckrisk.contests.membership.attacks.results import Rate, Receiver
from duckrisk.report.blocks import Column, Figure, Listing, column, numbers
from duckrisk.report.charts import Drawing, tick
from duckrisk.report.words import Words

_LEFT, _RIGHT, _TOP, _BOTTOM = 80.0, 620.0, 84.0, 500.0
#: Each curve differs from the others by its colour or its dashes.
_CURVES = tuple((colour, dash) for dash in ("solid", "dash") for colour in ("blue", "orange", "grey"))
#: The scales end here at the latest.
_LEAST = 1e-5

Scored = Sequence[tuple[Text, Receiver]]


def probability_value(value: float | None) -> str:
    """A probability of chance, however small it is."""
    if value is None:
        return "-"
    return "< 1e-300" if value < 1e-300 else f"{value:.2g}"


def interval(confidence: float) -> Sentence:
    """The head of a column of intervals."""
    return Sentence("membership.interval", percent=f"{100 * confidence:g}")


def areas(scored: Scored) -> Listing:
    """How well each of the scores tells members from others."""
    return Listing.of(
        scored,
        lambda told: (
            column("membership.attack", told[0]),
            numbers("membership.auc", format_decimals(told[1].auc)),
            numbers("membership.balanced_accuracy", format_decimals(told[1].balanced_accuracy)),
        ),
        sql=("roc_summary", "member_scores"),
    )


def rates(scored: Scored, confidence: float = 0.95) -> Listing:
    """The members that are found at each rate of false alarms."""
    return Listing.of(
        [(name, rate) for name, scores in scored for rate in scores.rates],
        lambda told: (column("membership.attack", told[0]), *_rate(told[1], confidence)),
        sql=("tpr_at_fpr", "wilson_interval"),
    )


def _rate(rate: Rate, confidence: float) -> tuple[Column, ...]:
    ends = Sentence("to", lower=f"{rate.intervals.lower:.4f}", upper=f"{rate.intervals.upper:.4f}")
    found = Sentence("share_of", part=format_number(rate.true_positives), whole=format_number(rate.members))
    return (
        numbers("membership.fpr", f"{rate.fpr:g}"),
        numbers("membership.tpr", format_decimals(rate.tpr)),
        column(interval(confidence), ends),
        numbers("membership.members_found", found),
    )


def curves(scored: Scored) -> Figure:
    """The ROC curves of attacks by their names, with both rates on logarithmic scales."""
    drawn = scored[: len(_CURVES)]
    most = max(max(entry.members, entry.others) for _, entry in drawn)
    least = min(0.1, max(_LEAST, 10.0 ** math.floor(math.log10(1 / most) + 1e-9)))
    listing = Listing.of(
        [(name, point) for name, entry in scored for point in entry.curve],
        lambda told: (
            column("membership.curve.attacker", told[0]),
            numbers("membership.curve.others", format_number(told[1].false_positives)),
            numbers("membership.curve.members", format_number(told[1].true_positives)),
            numbers("membership.fpr", f"{told[1].fpr:.5f}"),
            numbers("membership.tpr", f"{told[1].tpr:.5f}"),
        ),
        sql=("roc_points", "roc_curve"),
    )
    return Figure(
        Sentence("membership.curves"),
        lambda words: _drawing(words, drawn, least, len(scored) - len(drawn)),
        listing,
        (Sentence("membership.read.curves", least=tick(least)),),
        only_drawn=True,
    )


def _drawing(words: Words, drawn: Scored, least: float, left_out: int) -> Drawing:
    drawing = Drawing(words, left_out=left_out)

    def part(rate: float) -> float:
        return 1 - math.log(max(rate, least)) / math.log(least)

    def x_of(rate: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * part(rate)

    def y_of(rate: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * part(rate)

    for power in range(round(math.log10(least)), 1):
        rate = 10.0**power
        drawing.line("grid", _LEFT, y_of(rate), _RIGHT, y_of(rate))
        drawing.label(tick(rate), _LEFT - 8, y_of(rate) + 4, "t m", "end")
        drawing.line("grid", x_of(rate), _TOP, x_of(rate), _BOTTOM)
        drawing.label(tick(rate), x_of(rate), _BOTTOM + 17, "t m", "middle")
    drawing.label(Sentence("membership.axis.fpr"), _RIGHT, _BOTTOM + 36, "t m", "end")
    drawing.label(Sentence("membership.axis.tpr"), 4, _TOP - 14, "t m")
    drawing.line("grid strong", _LEFT, _BOTTOM, _RIGHT, _TOP)
    for position, ((name, entry), (colour, dash)) in enumerate(zip(drawn, _CURVES, strict=False)):
        points = " ".join(f"{x_of(point.fpr):.1f},{y_of(point.tpr):.1f}" for point in entry.curve)
        drawing.add("polyline", f"{colour}-line {dash}", points=points)
        x, y = 16.0 + 220 * (position % 3), 18.0 + 22 * (position // 3)
        drawing.legend([(dash, f"{colour}-line {dash}", name)], x, y)
    drawing.height = _BOTTOM + 44
    return drawing
