"""The gates of a report, as a command applies them: written as JUnit, and told in the last line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Set
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from duckrisk.base.errors import NotReachedError, UsageError
from duckrisk.base.options import select_options
from duckrisk.base.options.output import Judgement, Output
from duckrisk.cli.output import print_notice, print_result, printable, write_text
from duckrisk.cli.settings import language, settings_path
from duckrisk.cli.signature import CommandLine

if TYPE_CHECKING:
    from duckrisk.base.results import Result
    from duckrisk.decision.baseline import EarlierReport

_Report = TypeVar("_Report", bound="Result")
#: The options of a command whose report is judged.
JUDGED = select_options(
    Judgement,
    *("fail_on", "junit", "baseline"),
    fail_on={
        "help": "Exit with 1 if this holds of a number of the JSON report: KEY.KEY > LIMIT. "
        "Those of the settings file are judged too, where the report has the number."
    },
)


def judged(
    work: Callable[[Any], _Report],
    args: CommandLine,
    result: type[Result],
    unmeasured: Set[str] = frozenset(),
) -> Callable[[Any], _Report]:
    """The work on a report, with its gates judged in it; they are read before anything is measured.
    ``unmeasured`` are parts of the report, or "policy", that this run does not measure."""
    from duckrisk.decision.baseline import make_judge

    gates = gates_of(args, result, "policy" not in unmeasured)
    judge: Any = make_judge(gates, result, args.options(Judgement).baseline, unmeasured)
    return lambda progress: judge(work(progress))


def gates_of(args: CommandLine, result: type[Result], policy: bool = True) -> tuple[str, ...]:
    """The gates of a report: those of the settings file that it has the numbers for, and those that were
    given. Of others in the file it is said that they are not judged here; ``policy`` says whether this run
    judges one."""
    from duckrisk.api import config

    path = settings_path(args)
    settled = config.read_gates(path) if path is not None else ()
    own = tuple(text for text in settled if _judges(result, text, policy))
    others = [text for text in settled if text not in own]
    if path is not None and others and not args.options(Output).quiet:
        from duckrisk.base import sentences
        from duckrisk.report.words import Words

        gates, file = sentences.join_texts(map(sentences.Data, others)), sentences.Data(path.name)
        print_notice(
            Words(language(args)).format(sentences.Sentence("assess.gates_elsewhere", gates=gates, file=file))
        )
    return (*own, *args.options(Judgement).fail_on)


def _judges(result: type[Result], text: str, policy: bool) -> bool:
    """Whether a report has the number that a gate looks at."""
    from duckrisk.decision.gates import about_policy, parse

    try:
        gate = parse(text, result)
    except UsageError:
        return False
    return policy or not about_policy(gate)


def earlier(args: CommandLine, result: type[Result]) -> EarlierReport | None:
    """The report that was given as the baseline."""
    from duckrisk.decision.baseline import read_earlier_report

    path = args.options(Judgement).baseline
    return read_earlier_report(path, result) if path is not None else None


def finish(
    report: Result,
    args: CommandLine,
    name: str,
    language: str,
    private: bool = False,
    out: Output | None = None,
) -> None:
    """Write the JUnit file of a report that was given out, about the source of that ``name``, and end: the
    last line says the outcome, and a gate that fails is the exit code 1. ``out`` is where the report went, if
    not where all output does."""
    write_junit(report, args, name, language, private)
    if report.gates:
        _print_outcome(report, out or args.options(Output), language)
    if report.passed is False:
        raise typer.Exit(1)


def write_junit(
    report: Result | NotReachedError, args: CommandLine, name: str, language: str, private: bool = False
) -> None:
    """Write the JUnit file, where one was asked for."""
    junit = args.options(Judgement).junit
    if junit is not None:
        from duckrisk.base.files import write_file
        from duckrisk.report.render.junit import to_junit

        text = to_junit(report, name, language)
        write_file(junit, lambda path: write_text(path, text), private=private)


def _print_outcome(report: Result, out: Output, language: str) -> None:
    """Print the outcome of the gates: below a Markdown report, on standard error where another program reads
    it. The terminal form of a report ends with it."""
    from duckrisk.report.render.markdown import to_line
    from duckrisk.report.sections.gates import describe_outcome
    from duckrisk.report.sections.notices import add_to_sentence
    from duckrisk.report.words import Words

    sentence = add_to_sentence(describe_outcome(report.gates), report)
    if out.output is not None or out.format not in (None, "table", "markdown"):
        print(printable(Words(language).format(sentence)), file=sys.stderr)
    elif out.format == "markdown":
        print_result(f"\n{to_line(sentence, language)}\n")
