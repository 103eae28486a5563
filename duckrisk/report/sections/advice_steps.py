"""Describe a step of advice in words, and write the command that makes it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence, join_texts
from duckrisk.report.safe import escape_unprintable

if TYPE_CHECKING:
    from duckrisk.release.advice.results import Advice, Line

#: Characters of a line of a printed command (a choice: with its indent it fits 80 characters).
_MAX_WIDTH = 76
#: Names of columns in a sentence (a choice: it then fits a cell of the table of steps).
_MAX_NAMED = 3
#: The file of a release in printed commands, and the file of one that still fails or is undecided.
RELEASE, DRAFT = "release.parquet", "draft.parquet"


def describe_step(line: Line) -> Sentence:
    """Describe the step that leads to a line."""
    step = line.step
    if step.method is None:
        return Sentence("advice.whole")
    if step.method in ("local", "uniform", "columns", "summary"):
        method = Sentence(f"advice.method.{step.method}")
        return Sentence("advice.made_by", method=method, k=format_number(step.below))
    if step.method == "drop" and step.attribute is None:
        names = join_texts(map(Data, step.among[:_MAX_NAMED]))
        more = len(step.among) - _MAX_NAMED
        shortened = Sentence("list", names=names, more=format_number(more)) if more > 0 else names
        return Sentence("advice.drop", name=shortened)
    if step.method != "delete-classes":
        return _describe_change(step.method, Data(step.attribute or ""), step.form or "")
    count = format_number(len(step.among))
    if len(step.among) == 1:
        return Sentence("advice.delete_one", name=Data(step.among[0]))
    if step.together == len(step.among):
        return Sentence("advice.delete_all", count=count)
    if step.together == 1:
        return Sentence("advice.delete_any", count=count)
    return Sentence("advice.delete_some", together=format_number(step.together), count=count)


def _describe_change(method: str, name: Data, form: str) -> Sentence:
    """Describe the change of one column."""
    from duckrisk.release.advice.treatments import PERIODS

    if method == "drop":
        return Sentence("advice.drop", name=name)
    if form in PERIODS:
        key = "advice.pseudonymize" if method == "pseudonymize" else "advice.generalize_period"
        return Sentence(key, name=name, period=Sentence(f"advice.period.{form}"))
    layout = next((layout for layout in ("prefix", "level") if form.startswith(layout)), "width")
    return Sentence(f"advice.generalize_{layout}", name=name, count=form.removeprefix(layout))


def write_command(result: Advice, *options: tuple[str, ...]) -> str:
    """Write the command that makes a release.

    Args:
        result: The advice.
        options: The options with their values; the lines of the command never part the two.
    """
    opening = [("duckrisk",), ("anonymize",), (result.source,), *result.source_options]
    spoken = [result.language_option] if result.language_option else []
    words = [*opening, ("-o", RELEASE), *options, *spoken]
    lines = [""]
    for word in (escape_unprintable(shlex.join(option)) for option in words):
        if lines[-1] and len(lines[-1]) + len(word) + 3 > _MAX_WIDTH:
            lines[-1] += " \\"
            lines.append(f"    {word}")
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


def write_line_command(result: Advice, line: Line) -> str:
    """Write the command that makes a line of advice."""
    return write_command(result, *zip(line.options[::2], line.options[1::2], strict=True))
