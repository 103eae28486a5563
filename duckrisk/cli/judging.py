"""Applies the gates of a command: judges, writes the JUnit file, prints the outcome."""

from __future__ import annotations

import sys
from collections.abc import Callable, Set
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from duckrisk.base.errors import NotReachedError, UsageError
from duckrisk.base.options import select_options
from duckrisk.base.options.output import Judgement, Output
from duckrisk.cli.output import escape_controls, print_notice, print_result, write_text
from duckrisk.cli.settings import find_settings_file, report_language
from duckrisk.cli.signature import CommandLine

if TYPE_CHECKING:
    from duckrisk.base.results import Result
    from duckrisk.decision.baseline import EarlierReport

_Report = TypeVar("_Report", bound="Result")
#: The options of a command that judges its report.
JUDGED = select_options(
    Judgement,
    *("fail_on", "junit", "baseline"),
    fail_on={"help": "Exit with 1 if this holds of a number of the report: KEY.KEY > LIMIT."},
)


def attach_gates(
    work: Callable[[Any], _Report],
    args: CommandLine,
    result: type[Result],
    unmeasured: Set[str] = frozenset(),
) -> Callable[[Any], _Report]:
    """Return work that also judges its report.

    The gates are read before anything is measured.

    Args:
        work: Makes the report.
        args: The command line.
        result: The type of the report.
        unmeasured: Parts of the report, or "policy", that this run does not measure.
    """
    from duckrisk.decision.baseline import make_judge

    gates = collect_gates(args, result, "policy" not in unmeasured)
    judge: Any = make_judge(gates, result, args.options(Judgement).baseline, unmeasured)
    return lambda progress: judge(work(progress))


def collect_gates(args: CommandLine, result: type[Result], policy: bool = True) -> tuple[str, ...]:
    """Return the gates of a report, from the settings file and the command line.

    Gates of the file whose number the report lacks are skipped, with a notice.

    Args:
        args: The command line.
        result: The type of the report.
        policy: Whether this run judges a policy.
    """
    from duckrisk.api import config

    path = find_settings_file(args)
    in_file = config.read_gates(path) if path is not None else ()
    applicable = tuple(text for text in in_file if _has_number(result, text, policy))
    skipped = [text for text in in_file if text not in applicable]
    if path is not None and skipped and not args.options(Output).quiet:
        from duckrisk.base import sentences
        from duckrisk.report.words import Words

        gates, file = sentences.join_texts(map(sentences.Data, skipped)), sentences.Data(path.name)
        sentence = sentences.Sentence("assess.gates_elsewhere", gates=gates, file=file)
        print_notice(Words(report_language(args)).format(sentence))
    return (*applicable, *args.options(Judgement).fail_on)


def _has_number(result: type[Result], text: str, policy: bool) -> bool:
    """Return whether a report has the number of a gate."""
    from duckrisk.decision.gates import is_about_policy, parse

    try:
        gate = parse(text, result)
    except UsageError:
        return False
    return policy or not is_about_policy(gate)


def read_baseline(args: CommandLine, result: type[Result]) -> EarlierReport | None:
    """Return the report that ``--baseline`` names; None without one."""
    from duckrisk.decision.baseline import read_earlier_report

    path = args.options(Judgement).baseline
    return read_earlier_report(path, result) if path is not None else None


def finish_report(
    report: Result,
    args: CommandLine,
    name: str,
    language: str,
    private: bool = False,
    out: Output | None = None,
) -> None:
    """Write the JUnit file, print the outcome of the gates, and exit.

    Args:
        report: The report.
        args: The command line.
        name: The name of the source.
        language: The language of the outcome.
        private: Whether the report shows values of records.
        out: The destination of the report; None for that of the command line.

    Raises:
        typer.Exit: A gate failed; the exit code is 1.
    """
    write_junit(report, args, name, language, private)
    if report.gates:
        _print_outcome(report, out or args.options(Output), language)
    if report.passed is False:
        raise typer.Exit(1)


def write_junit(
    report: Result | NotReachedError, args: CommandLine, name: str, language: str, private: bool = False
) -> None:
    """Write the file of ``--junit``, if there is one."""
    junit = args.options(Judgement).junit
    if junit is not None:
        from duckrisk.base.files import write_file
        from duckrisk.report.render.junit import to_junit

        text = to_junit(report, name, language)
        write_file(junit, lambda path: write_text(path, text), private=private)


def _print_outcome(report: Result, out: Output, language: str) -> None:
    """Print the outcome of the gates.

    It goes below a Markdown report, and to standard error if another program reads the report. The table of a
    terminal already ends with it.
    """
    from duckrisk.report.render.markdown import to_line
    from duckrisk.report.sections.gates import describe_outcome
    from duckrisk.report.sections.notices import add_to_sentence
    from duckrisk.report.words import Words

    sentence = add_to_sentence(describe_outcome(report.gates), report)
    if out.output is not None or out.format not in (None, "table", "markdown"):
        print(escape_controls(Words(language).format(sentence)), file=sys.stderr)
    elif out.format == "markdown":
        print_result(f"\n{to_line(sentence, language)}\n")
