"""Build ROC curves and rates of scores, which the reports on attacks share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from duckrisk.base.numbers import format_decimals, format_number
from duckrisk.base.sentences import Sentence, Text
from duckrisk.contests.membership.attacks.results import Rate, Receiver
from duckrisk.report.blocks import Column, Figure, Listing, number_column, text_column
from duckrisk.report.charts import Drawing, format_tick
from duckrisk.report.drawings import LINE_STYLES, Axis, Curve, Rung, Stroke, draw_ladder, draw_lines
from duckrisk.report.words import Words

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
            number_column("membership.epsilon", f"{row[1].epsilon.epsilon:.2f}" if row[1].epsilon else "-"),
        ),
        sql=("roc_summary", "epsilon_rates", "epsilon_bound", "member_scores"),
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
        number_column("membership.interpolated", format_decimals(rate.interpolated), priority=2),
        number_column("membership.members_found", hits),
    )


def plot_hits(attacks: Sequence[tuple[Text, int, int, float]], sql: tuple[str, ...]) -> Figure:
    """Plot the hits of attacks next to those that random guesses would have.

    Args:
        attacks: Of each attack its name, its hits, its guesses and the hits expected by chance.
        sql: The statements behind them.
    """
    rungs = [
        Rung(
            name,
            ((hits / guesses, "blue"), (expected / guesses, "grey")),
            Sentence("membership.hits_label", hits=format_number(hits), expected=f"{expected:.1f}"),
        )
        for name, hits, guesses, expected in attacks
        if guesses
    ]

    def draw(words: Words) -> Drawing:
        legend = [
            ("square", "blue", Sentence("membership.hits")),
            ("square", "grey", Sentence("membership.by_chance")),
        ]
        axis, title = Axis(Sentence("membership.axis.hits")), Sentence("membership.hits_plot")
        return draw_ladder(words, rungs, axis, legend=legend, description=title, small=True)

    return Figure(Sentence("membership.hits_plot"), draw, only_drawn=True, sql=sql)


def plot_curves(scored: Scored) -> Figure:
    """Plot the ROC curves of attacks, with both rates on logarithmic scales."""
    drawn = scored[: len(LINE_STYLES)]
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
    least = math.log10(min_rate)

    def to_power(rate: float) -> float:
        return math.log10(max(rate, min_rate))

    curves = [
        Curve(name, tuple((to_power(point.fpr), to_power(point.tpr)) for point in entry.curve))
        for name, entry in drawn
    ]
    powers = tuple(float(power) for power in range(round(least), 1))
    names = (Sentence(f"membership.axis.{name}") for name in ("fpr", "tpr"))
    across, up = (Axis(name, least, 0.0, _format_power, powers) for name in names)
    return draw_lines(
        words,
        curves,
        across,
        up,
        strokes=[Stroke((least, least), (0.0, 0.0))],
        description=Sentence("membership.curves"),
        entries_left_out=left_out,
    )


def _format_power(power: float) -> str:
    return format_tick(10.0**power)
