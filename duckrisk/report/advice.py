"""Advice for people: the frontier as a table of at most 80 columns, and the commands that make it."""

from __future__ import annotations

import shlex
import textwrap
from typing import Any

from duckrisk.report.text import number, share, visible

WIDTH = 80
#: A name is shown with so many characters.
_NAME = 30
_ENDED = {
    "target": "The target is reached.",
    "no_risk": "Nobody can be singled out any more.",
    "steps": "More steps were not asked for; --steps allows more.",
    "no_step": "No further step lowers the risk.",
    "time_limit": "The time limit ended the steps; --time-limit allows more.",
}


def to_text(data: dict[str, Any], encoding: str = "utf-8") -> str:
    """The text of an advice, given as its dictionary."""

    def show(text: str) -> str:
        return visible(text, encoding)

    value = f"leak in {data['currency']}"
    lines = [
        f"{show(data['source'])}: {number(data['records'])} records",
        *_wrapped(
            "Each step adds to those before it: it lowers the value of a leak most for the information that "
            "it costs."
        ),
        "",
        f"{'step':>4}  {'what':<{_NAME}} {value:>17}  {'singled out':>11}  {'left':>6}",
    ]
    for place, line in enumerate(data["lines"]):
        what = _what(line, show)
        value, singled = number(round(line["total_value"])), share(line["singled_out_share"])
        lines.append(f"{place:>4}  {what:<{_NAME}} {value:>17}  {singled:>11}  {line['information']:>6.3f}")
    lines += [
        "",
        *_wrapped("left: the information that is left, from 1 (the table as it is) to 0 (nothing)."),
    ]
    ended = _ENDED[data["ended"]]
    if data["target"] is not None and not data["reached"]:
        ended = f"The target {data['target']} is not reached. {ended}"
    lines += _wrapped(ended)
    if len(data["lines"]) > 1:
        lines += ["", "The commands:"]
    for place, line in enumerate(data["lines"][1:], start=1):
        options = list(zip(line["options"][::2], line["options"][1::2], strict=True))
        words = [("duckrisk",), ("anonymize",), (data["source"],), ("-o", "release.parquet"), *options]
        lines += _command([show(shlex.join(word)) for word in words], f"{place:>4}  ")
    if data["notes"]:
        lines += ["", *(line for note in data["notes"] for line in _wrapped(show(note), "- "))]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _command(words: list[str], mark: str) -> list[str]:
    """A command on lines that a shell takes as one."""
    lines = [mark + words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) + 3 > WIDTH:
            lines[-1] += " \\"
            lines.append(" " * (len(mark) + 4) + word)
        else:
            lines[-1] += f" {word}"
    return lines


def _what(line: dict[str, Any], show: Any) -> str:
    if line["attribute"] is None:
        return "the table as it is"
    end = f" by {line['form']}" if line["form"] is not None else " left out"
    name = show(line["attribute"])
    room = _NAME - len(end)
    return (name if len(name) <= room else name[: room - 3] + "...") + end


def _wrapped(text: str, mark: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=mark, subsequent_indent=" " * len(mark))
