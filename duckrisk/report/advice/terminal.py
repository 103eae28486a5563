"""Advice for people: the frontier as a table of at most 80 columns, and the commands that make it."""

from __future__ import annotations

import textwrap
from typing import Any

from duckrisk.report.advice import sentences
from duckrisk.report.advice.tables import amount
from duckrisk.report.text import number, share, visible, word

WIDTH = 80
#: A step is told in so many characters, and in fewer on a history.
_NAME, _SHORT = 34, 26


def to_text(data: dict[str, Any], encoding: str = "utf-8") -> str:
    """The text of an advice, given as its dictionary."""

    def show(text: str) -> str:
        return visible(text, encoding)

    def said(given: list[Any]) -> list[str]:
        return [line for sentence in given for line in _wrapped(sentence.plain(show))]

    lines = [
        *_wrapped(f"{show(data['source'])}: {number(data['records'])} {word('advice.of_records')}"),
        *said([sentences.about(data)]),
        "",
        *(_history(data, show) if sentences.is_history(data) else _records(data, show)),
        "",
        *said(sentences.reading(data)),
        *_wrapped(" ".join(sentence.plain(show) for sentence in sentences.ended(data))),
    ]
    if len(data["lines"]) > 1:
        lines += ["", f"{word('of_advice_commands')}:"]
    for place, words in enumerate(sentences.commands(data), start=1):
        lines += command_lines([show(one) for one in words], f"{place:>4}  ")
    if data["notes"]:
        lines += ["", *(line for note in data["notes"] for line in _wrapped(show(note), "- "))]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _records(data: dict[str, Any], show: Any) -> list[str]:
    head = f"leak in {show(data['currency'])}"[:15]
    made = [f"step  {'what':<{_NAME}} {head:>15}  singled out    left"]
    for place, line in enumerate(data["lines"]):
        what, value = _fitted(sentences.what(line).plain(show), _NAME), amount(line["total_value"])
        singled = share(line["singled_out_share"])
        made.append(f"{place:>4}  {what:<{_NAME}} {value:>15}  {singled:>11}  {line['information']:>6.3f}")
    return made


def _history(data: dict[str, Any], show: Any) -> list[str]:
    head = f"leak in {show(data['currency'])}"[:15]
    made = [f"step  {'what':<{_SHORT}} {head:>15}  records    users   left  links"]
    for place, line in enumerate(data["lines"]):
        what, value = _fitted(sentences.what(line).plain(show), _SHORT), amount(line["total_value"])
        records, users = share(line["singled_out_share"]), share(line["users"]["singled_out_share"])
        left = f"{line['information']:>5.3f}  {line['links']:>5.3f}"
        made.append(f"{place:>4}  {what:<{_SHORT}} {value:>15}  {records:>7}  {users:>7}  {left}")
    return made


def command_lines(words: list[str], mark: str = "") -> list[str]:
    """A command on lines that a shell takes as one."""
    lines = [mark + words[0]]
    for one in words[1:]:
        if len(lines[-1]) + len(one) + 3 > WIDTH:
            lines[-1] += " \\"
            lines.append(" " * (len(mark) + 4) + one)
        else:
            lines[-1] += f" {one}"
    return lines


def _fitted(text: str, room: int) -> str:
    """A text with its middle left out where it is too long: its end says what was done."""
    if len(text) <= room:
        return text
    end = text[-(room // 2) :]
    return f"{text[: room - len(end) - 3]}...{end}"


def _wrapped(text: str, mark: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=mark, subsequent_indent=" " * len(mark))
