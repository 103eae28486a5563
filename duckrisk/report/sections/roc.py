"""Build ROC curves and rates of scores, which the reports on attacks share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from duckrisk.base.numbers import format_decimals, format_number
from duckrisk.base.sentences import Sentence, Text
from duckrisk.contests.membership.attacks.results import Rate, Receiver
from duckrisk.report.blocks import Column, Figure, Listing, number_column, text_column
from duckrisk.report.charts import CURVE_STYLES, Drawing, format_tick
from duckrisk.report.words import Words

_LEFT, _RIGHT, _TOP, _BOTTOM = 80.0, 620.0, 84.0, 500.0
#: Rate; no scale goes below it (a choice: a table of fewer than 100,000 records has no lower rate).
_MIN_RATE = 1e-5

Scored = Sequence[tuple[Text, Receiver]]


def format_p_value(value: float | None) -> str:
    """Format a p-value, however small it is."""
    if value is None:
        return "-"
    return "< 1e-300" if value < 1e-300 else f"{value:.2g}"


def describe_interval(confidence: float) -> Sentence:
    """Name a column of intervals by their confidence."""
    return Sentence("membership.interval", percent=f"{100 * confidence:g}")


def list_areas(scored: Scored) -> Listing:
    """List how well each score separates members from others."""
    return Listing.of(
        scored,
        lambda row: (
            text_column("membership.attack", row[0]),
            number_column("membership.auc", format_decimals(row[1].auc)),
            number_column("membership.balanced_accuracy", format_decimals(row[1].balanced_accuracy)),
        ),
        sql=("roc_summary", "member_scores"),
    )


def list_rates(scored: Scored, confidence: float = 0.95) -> Listing:
    """List the members found at each rate of false alarms."""
    return Listing.of(
        [(name, rate) for name, scores in scored for rate in scores.rates],
        lambda row: (text_column("membership.attack", row[0]), *_make_rate_columns(row[1], confidence)),
        sql=("tpr_at_fpr", "wilson_interval"),
    )


def _make_rate_columns(rate: Rate, confidence: float) -> tuple[Column, ...]:
    ends = Sentence("to", lower=f"{rate.intervals.lower:.4f}", upper=f"{rate.intervals.upper:.4f}")
    hits = Sentence("share_of", part=format_number(rate.true_positives), whole=format_number(rate.members))
    return (
        number_column("membership.fpr", f"{rate.fpr:g}"),
        number_column("membership.tpr", format_decimals(rate.tpr)),
        text_column(describe_interval(confidence), ends),
        number_column("membership.members_found", hits),
    )


def plot_curves(scored: Scored) -> Figure:
    """Plot the ROC curves of attacks, with both rates on logarithmic scales."""
    drawn = scored[: len(CURVE_STYLES)]
    largest = max(max(entry.members, entry.others) for _, entry in drawn)
    min_rate = min(0.1, max(_MIN_RATE, 10.0 ** math.floor(math.log10(1 / largest) + 1e-9)))
    listing = Listing.of(
        [(name, point) for name, entry in scored for point in entry.curve],
        lambda row: (
            text_column("membership.curve.attacker", row[0]),
            number_column("membership.curve.others", format_number(row[1].false_positives)),
            number_column("membership.curve.members", format_number(row[1].true_positives)),
            number_column("membership.fpr", f"{row[1].fpr:.5f}"),
            number_column("membership.tpr", f"{row[1].tpr:.5f}"),
        ),
        sql=("roc_points", "roc_curve"),
    )
    return Figure(
        Sentence("membership.curves"),
        lambda words: _draw_curves(words, drawn, min_rate, len(scored) - len(drawn)),
        listing,
        (Sentence("membership.read.curves", least=format_tick(min_rate)),),
        only_drawn=True,
    )


def _draw_curves(words: Words, drawn: Scored, min_rate: float, left_out: int) -> Drawing:
    drawing = Drawing(words, entries_left_out=left_out)

    def locate(rate: float) -> float:
        return 1 - math.log(max(rate, min_rate)) / math.log(min_rate)

    def scale_x(rate: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * locate(rate)

    def scale_y(rate: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * locate(rate)

    for power in range(round(math.log10(min_rate)), 1):
        rate = 10.0**power
        drawing.add_line("grid", _LEFT, scale_y(rate), _RIGHT, scale_y(rate))
        drawing.add_label(format_tick(rate), _LEFT - 8, scale_y(rate) + 4, "t m", "end")
        drawing.add_line("grid", scale_x(rate), _TOP, scale_x(rate), _BOTTOM)
        drawing.add_label(format_tick(rate), scale_x(rate), _BOTTOM + 17, "t m", "middle")
    drawing.add_label(Sentence("membership.axis.fpr"), _RIGHT, _BOTTOM + 36, "t m", "end")
    drawing.add_label(Sentence("membership.axis.tpr"), 4, _TOP - 14, "t m")
    drawing.add_line("grid strong", _LEFT, _BOTTOM, _RIGHT, _TOP)
    for position, ((name, entry), (colour, dash)) in enumerate(zip(drawn, CURVE_STYLES, strict=False)):
        points = " ".join(f"{scale_x(point.fpr):.1f},{scale_y(point.tpr):.1f}" for point in entry.curve)
        drawing.add_mark("polyline", f"{colour}-line {dash}", points=points)
        x, y = 16.0 + 220 * (position % 3), 18.0 + 22 * (position // 3)
        drawing.add_legend([(dash, f"{colour}-line {dash}", name)], x, y)
    drawing.height = _BOTTOM + 44
    return drawing
