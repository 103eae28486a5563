"""The figures of membership inference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from duckrisk.report.svg import Drawing, tick
from duckrisk.report.tables import Table
from duckrisk.report.text import Data, number

_LEFT, _RIGHT, _TOP, _BOTTOM = 80.0, 620.0, 84.0, 500.0
#: Each curve differs from the others by its colour or its dashes.
_CURVES = tuple((colour, dash) for dash in ("solid", "dash") for colour in ("blue", "orange", "grey"))
#: The scales end here at the latest.
_LEAST = 1e-5


def curves(named: Sequence[tuple[str, dict[str, Any]]]) -> Drawing | None:
    """The ROC curves of attacks by their names, with both rates on logarithmic scales."""
    shown = [(name, entry) for name, entry in named if entry["curve"]]
    if not shown:
        return None
    drawn = shown[: len(_CURVES)]
    most = max(max(entry["members"], entry["others"]) for _, entry in drawn)
    low = min(0.1, max(_LEAST, 10.0 ** math.floor(math.log10(1 / most) + 1e-9)))
    reading = [
        "How many members an attack finds (TPR) against how many others it takes for members (FPR). Both "
        f"scales are logarithmic and begin at {tick(low)}, where what is less stands too; "
        "the broken line is chance. "
        "An attack is the stronger the higher its curve is at the left."
    ]
    rows = tuple(
        (
            Data(name),
            number(point["false_positives"]),
            number(point["true_positives"]),
            f"{point['fpr']:.5f}",
            f"{point['tpr']:.5f}",
        )
        for name, entry in shown
        for point in entry["curve"]
    )
    heads = ("Attacker", "Others taken", "Members found", "FPR", "TPR")
    drawing = Drawing("", reading, Table(heads, rows, (1, 2, 3, 4)), left_out=len(shown) - len(drawn))

    def part(rate: float) -> float:
        return 1 - math.log(max(rate, low)) / math.log(low)

    def x_of(rate: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * part(rate)

    def y_of(rate: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * part(rate)

    for power in range(round(math.log10(low)), 1):
        rate = 10.0**power
        drawing.line("grid", _LEFT, y_of(rate), _RIGHT, y_of(rate))
        drawing.label(tick(rate), _LEFT - 8, y_of(rate) + 4, "t m", "end")
        drawing.line("grid", x_of(rate), _TOP, x_of(rate), _BOTTOM)
        drawing.label(tick(rate), x_of(rate), _BOTTOM + 17, "t m", "middle")
    drawing.label("FPR: share of the others taken for members", _RIGHT, _BOTTOM + 36, "t m", "end")
    drawing.label("TPR: share of the members found", 4, _TOP - 14, "t m")
    drawing.line("grid strong", _LEFT, _BOTTOM, _RIGHT, _TOP)
    for place, ((name, entry), (colour, dash)) in enumerate(zip(drawn, _CURVES, strict=False)):
        points = " ".join(f"{x_of(p['fpr']):.1f},{y_of(p['tpr']):.1f}" for p in entry["curve"])
        drawing.add("polyline", f"{colour}-line {dash}", points=points)
        x, y = 16.0 + 220 * (place % 3), 18.0 + 22 * (place // 3)
        drawing.legend([(dash, f"{colour}-line {dash}", Data(name))], x, y)
    drawing.height = _BOTTOM + 44
    return drawing
