"""The gates of a report, as a command applies them: judged, written as JUnit, and told in the last line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer

from duckrisk.cli.output import printable, say, write_text
from duckrisk.cli.signature import Given, some
from duckrisk.options.output import Judgement, Output

if TYPE_CHECKING:
    from duckrisk.gates import Condition
    from duckrisk.results import Result

#: The options of a command whose report is judged.
JUDGED = some(
    Judgement,
    *("fail_on", "junit"),
    fail_on={"help": "Exit with 1 if this holds of a number of the JSON report, such as 'path.to.it > 0.2'."},
)


def conditions(given: Given) -> list[Condition]:
    """The conditions that were given, read before anything is measured."""
    from duckrisk.files import check_target
    from duckrisk.gates import parse

    judged = given.made(Judgement)
    if judged.junit is not None:
        check_target(judged.junit)
    return [parse(text) for text in judged.fail_on]


def judge(result: Result, asked: list[Condition], given: Given, name: str, language: str) -> None:
    """Judge a report that was given out; the last line says the outcome, and a gate that fails is the exit
    code 1."""
    from duckrisk.files import write_file
    from duckrisk.gates import judge as judged
    from duckrisk.report.render.junit import to_junit
    from duckrisk.report.sections.assess import all_gates
    from duckrisk.report.words import Words

    gates = tuple(judged(one, result.data) for one in asked)
    junit = given.made(Judgement).junit
    if junit is not None:
        text = to_junit(gates, name, language)
        write_file(junit, lambda path: write_text(path, text), private=False)
    if not gates:
        return
    failed = [gate.expression for gate in gates if not gate.passed]
    line = " ".join([Words(language).plain(all_gates(gates)), *(f"{one};" for one in failed)]).rstrip(";")
    _tell(line, given)
    if failed:
        raise typer.Exit(1)


def _tell(line: str, given: Given) -> None:
    """Beside a report for people; on standard error where another reads it."""
    out: Any = given.made(Output)
    if out.output is None and out.format in (None, "table", "markdown"):
        say(printable(line) + "\n")
    else:
        print(printable(line), file=sys.stderr)
