"""The plot of a score: who is found against what is lost."""

from __future__ import annotations

from typing import Any

from duckrisk.report.comparison.tables import decimals
from duckrisk.report.pwscup import score_sentences as sentences
from duckrisk.report.pwscup import score_tables as tables
from duckrisk.report.pwscup.score import submissions
from duckrisk.report.svg import Drawing, tick
from duckrisk.report.text import say, visible, word

_LEFT, _RIGHT, _TOP, _BOTTOM = 70.0, 730.0, 40.0, 400.0
#: So many submissions have their names beside their points; the others show it under a pointer.
MOST_NAMES = 20


def plot(data: dict[str, Any]) -> Drawing:
    """Each submission at its UTL (left is better) and its SEC (low is better)."""
    entries = submissions(data)
    drawing = Drawing(
        "score_plot", [say("read.score.plot")], tables.plotted(data), description=sentences.headlines(data)[0]
    )

    def x_of(utl: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * min(1.0, max(0.0, utl))

    def y_of(sec: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * min(1.0, max(0.0, sec))

    for part in range(5):
        share = part / 4
        drawing.line("grid", _LEFT, y_of(share), _RIGHT, y_of(share))
        drawing.label(tick(share), _LEFT - 8, y_of(share) + 4, "t m", "end")
        drawing.line("grid", x_of(share), _TOP, x_of(share), _BOTTOM)
        drawing.label(tick(share), x_of(share), _BOTTOM + 17, "t m", "middle")
    for score in (0.25, 0.5, 0.75):  # where UTL + SEC is twice the score
        low, high = max(0.0, 2 * score - 1), min(1.0, 2 * score)
        drawing.line("grid strong", x_of(low), y_of(high), x_of(high), y_of(low))
    drawing.label(word("axis.score.utl"), _RIGHT, _BOTTOM + 36, "t m", "end")
    drawing.label(word("axis.score.sec"), 4, _TOP - 18, "t m")
    taken = [(x_of(entry["utl"]), y_of(entry["sec"]) + 4, 12.0) for entry in entries]
    for entry in entries:
        tip = f"{visible(entry['name'])}: {word('score.avg')} {decimals(entry['avg'])}"
        drawing.marker("dot", "blue", x_of(entry["utl"]), y_of(entry["sec"]), 5, tip)
    for entry in entries[:MOST_NAMES]:
        x, y = x_of(entry["utl"]), y_of(entry["sec"])
        drawing.name(entry["name"], x, y, taken, (_LEFT, _TOP, _RIGHT, _BOTTOM))
    drawing.height = _BOTTOM + 44
    return drawing
