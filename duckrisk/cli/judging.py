"""The gates of a report, as a command applies them: written as JUnit, and told in the last line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from duckrisk.cli.output import printable, say, write_text
from duckrisk.cli.signature import Given, some
from duckrisk.options.output import Judgement, Output

if TYPE_CHECKING:
    from duckrisk.baseline import Earlier
    from duckrisk.results import Result

_Report = TypeVar("_Report", bound="Result")
#: The options of a command whose report is judged.
JUDGED = some(
    Judgement,
    *("fail_on", "junit", "baseline"),
    fail_on={"help": "Exit with 1 if this holds of a number of the JSON report, such as 'path.to.it > 0.2'."},
)


def judged(work: Callable[[Any], _Report], given: Given, result: type[Result]) -> Callable[[Any], _Report]:
    """The work on a report, with the gates that were given judged in it; they are read before anything is
    measured."""
    from duckrisk.baseline import judging
    from duckrisk.files import check_target

    asked = given.made(Judgement)
    if asked.junit is not None:
        check_target(asked.junit)
    judge: Any = judging(asked.fail_on, result, asked.baseline)
    return lambda progress: judge(work(progress))


def earlier(given: Given, result: type[Result]) -> Earlier | None:
    """The report that was given as the baseline."""
    from duckrisk.baseline import read

    path = given.made(Judgement).baseline
    return read(path, result) if path is not None else None


def finish(report: Result, given: Given, name: str, language: str, private: bool = False) -> None:
    """Write the JUnit file of a report that was given out, about the source of that ``name``, and end: the
    last line says the outcome, and a gate that fails is the exit code 1."""
    junit = given.made(Judgement).junit
    if junit is not None:
        from duckrisk.files import write_file
        from duckrisk.report.render.junit import to_junit

        text = to_junit(report, name, language)
        write_file(junit, lambda path: write_text(path, text), private=private)
    if report.gates:
        from duckrisk.report.sections.gates import outcome
        from duckrisk.report.words import Words

        _tell(printable(Words(language).plain(outcome(report.gates))), given)
    if report.passed is False:
        raise typer.Exit(1)


def _tell(line: str, given: Given) -> None:
    """Below a report for people, whose terminal form ends with it; on standard error where another reads
    it."""
    out: Any = given.made(Output)
    if out.output is not None or out.format not in (None, "table", "markdown"):
        print(line, file=sys.stderr)
    elif out.format == "markdown":
        say(line + "\n")
