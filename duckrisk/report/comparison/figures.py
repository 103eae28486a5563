"""The plot of a comparison: the value of a leak against the information that is left."""

from __future__ import annotations

from typing import Any

from duckrisk.report.comparison import sentences, tables
from duckrisk.report.comparison.sentences import leak
from duckrisk.report.identifiability.sentences import short_amount
from duckrisk.report.svg import Drawing, round_up, tick
from duckrisk.report.text import Data, say, visible, word

_LEFT, _RIGHT, _TOP, _BOTTOM = 120.0, 730.0, 56.0, 330.0


def plot(data: dict[str, Any]) -> Drawing | None:
    """Each table at its information (right is better) and its leak value (low is better), by both models."""
    drawn = [entry for entry in data["tables"] if tables.drawable(entry)]
    if len(drawn) < 2:
        return None
    reading = [say("read.compare.plot")]
    if len(drawn) < len(data["tables"]):
        reading.append(say("read.compare.plot_missing"))
    drawing = Drawing("compare_plot", reading, tables.plotted(data), description=sentences.headline(data))
    currency = Data(drawn[0]["risk"]["identifiability"]["currency"])
    values = [leak(e, key) or 0.0 for e in drawn for key in ("total_value", "jo_total_value")]
    highest = round_up(max(values) or 1.0)
    least: float = min(0.0, *(entry["information"]["information"] for entry in drawn))

    def x_of(information: float) -> float:
        place: float = (information - least) / (1 - least)
        return _LEFT + 20 + (_RIGHT - _LEFT - 40) * place

    def y_of(value: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * value / highest

    for part in range(5):
        y = y_of(highest * part / 4)
        drawing.line("grid", _LEFT, y, _RIGHT, y)
        drawing.label(short_amount(highest * part / 4), _LEFT - 8, y + 4, "t m", "end")
        drawing.line("grid", x_of(part / 4), _TOP, x_of(part / 4), _BOTTOM)
        drawing.label(tick(part / 4), x_of(part / 4), _BOTTOM + 17, "t m", "middle")
    drawing.label(word("axis.compare.information"), _RIGHT, _BOTTOM + 36, "t m", "end")
    drawing.label(say("axis.compare.value", currency=currency).plain(visible), 4, _TOP - 16, "t m")
    items = [("dot", "blue", "legend.compare.ours"), ("diamond", "orange", "legend.compare.jo")]
    drawing.legend(items, 330, 18)
    # Names keep clear of the points of others.
    taken = [(x_of(e["information"]["information"]), y_of(leak(e) or 0.0) + 4, 12.0) for e in drawn]
    for entry in drawn:
        x = x_of(entry["information"]["information"])
        for key, shape, kind in (("jo_total_value", "diamond", "orange"), ("total_value", "dot", "blue")):
            value = leak(entry, key) or 0.0
            tip = f"{visible(entry['name'])}: {short_amount(value)}"
            drawing.marker(shape, kind, x, y_of(value), 5, tip)
        name = word("compare.original") if entry["original"] else entry["name"]
        drawing.name(name, x, y_of(leak(entry) or 0.0), taken, (_LEFT, _TOP, _RIGHT, _BOTTOM))
    drawing.height = _BOTTOM + 44
    return drawing
