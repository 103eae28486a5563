"""The plot of advice: the risk of each line against the information that is left."""

from __future__ import annotations

from typing import Any

from duckrisk.gates import parse_gate
from duckrisk.report.advice import sentences, tables
from duckrisk.report.identifiability.sentences import short_amount
from duckrisk.report.svg import Drawing, round_up, tick, width_of
from duckrisk.report.text import Data, number, say, share, visible, word

_Box = tuple[float, float, float, float]
_LEFT, _RIGHT, _TOP, _BOTTOM = 120.0, 730.0, 56.0, 350.0
#: Points have names where they are no more than these, else their numbers alone.
_NAMED = 8
#: A name is no wider than this.
_ROOM = 220.0
_OF_USERS = "identifiability.users."


def plot(data: dict[str, Any]) -> Drawing | None:
    """The lines from the table as it is on: right is better, and low is better. The risk is the number that
    the target is about, the value of a leak where there is none."""
    lines = data["lines"]
    if len(lines) < 2:
        return None
    drawing = Drawing(
        "advice_plot",
        [say("read.advice.plot")],
        tables.steps(data),
        description=sentences.headline(data),
    )
    field, users, limit = _figure(data)
    values = [float((line["users"] if users else line)[field]) for line in lines]
    highest = 1.0 if field == "singled_out_share" else round_up(max(values) or 1.0)
    least: float = min(0.0, *(line["information"] for line in lines))

    def x_of(information: float) -> float:
        return _LEFT + 20 + (_RIGHT - _LEFT - 40) * float((information - least) / (1 - least))

    def y_of(value: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * value / highest

    def shown(value: float) -> str:
        if field == "singled_out_share":
            return share(value)
        return short_amount(value) if field == "total_value" else number(round(value))

    for part in range(5):
        y = y_of(highest * part / 4)
        drawing.line("grid", _LEFT, y, _RIGHT, y)
        drawing.label(shown(highest * part / 4), _LEFT - 8, y + 4, "t m", "end")
        drawing.line("grid", x_of(part / 4), _TOP, x_of(part / 4), _BOTTOM)
        drawing.label(tick(part / 4), x_of(part / 4), _BOTTOM + 17, "t m", "middle")
    drawing.label(word("axis.advice.information"), _RIGHT, _BOTTOM + 36, "t m", "end")
    axis = f"axis.advice.{'users.' if users else ''}{field}"
    currency = {"currency": Data(data["currency"])} if field == "total_value" else {}
    drawing.label(say(axis, **currency).plain(visible), 4, _TOP - 16, "t m")
    if limit is not None and limit <= highest:
        drawing.line("orange-line dash", _LEFT, y_of(limit), _RIGHT, y_of(limit))
        drawing.legend([("dash", "orange-line dash", "legend.advice.target")], 600, 18)
    places = [(x_of(line["information"]), y_of(value)) for line, value in zip(lines, values, strict=True)]
    drawing.add("polyline", "blue-line solid", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in places))
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in places]
    for place, ((x, y), line, value) in enumerate(zip(places, lines, values, strict=True)):
        told = f"{place} {sentences.what(line).plain(visible)}"
        drawing.marker("dot", "blue", x, y, 5, f"{told}: {shown(value)}")
        _name(drawing, [told, str(place)] if len(lines) <= _NAMED else [str(place)], x, y, taken)
    drawing.height = _BOTTOM + 44
    return drawing


def _name(drawing: Drawing, names: list[str], x: float, y: float, taken: list[_Box]) -> None:
    """The first of the names of a point that has room beside it, off the line from right to left; none where
    all would cover something."""
    for name in names:
        wide = min(width_of(name), _ROOM)
        for shift, line, anchor in ((-10, y - 6, "end"), (10, y + 14, "start"), (-10, y + 6, "end")):
            start = x + shift - (wide if anchor == "end" else 0)
            box = start, line - 10, start + wide, line + 2
            inside = box[0] > _LEFT and box[2] < _RIGHT and box[1] > _TOP - 16 and box[3] < _BOTTOM
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                drawing.label(name, x + shift, line, "t b halo", anchor, _ROOM)
                return


def _overlap(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _figure(data: dict[str, Any]) -> tuple[str, bool, float | None]:
    """The number that is drawn, whether it is that of users, and the limit that the target sets it."""
    if data["target"] is None:
        return "total_value", False, None
    users = data["target"].strip().startswith(_OF_USERS)
    gate = parse_gate(data["target"].replace(_OF_USERS, "identifiability.", 1))
    return gate.field, users, gate.limit
