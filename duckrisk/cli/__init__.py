"""The command line: parses, calls, prints, and is the only place that exits.

Each command has a module of its own. It imports what it needs when it runs, because help has to be quick.
"""

from __future__ import annotations

import gc
import importlib
import os
import re
import signal
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from duckrisk.base.errors import DuckriskError, format_message
from duckrisk.cli.output import open_closed_streams, print_notice, print_result
from duckrisk.cli.signature import GroupedCommand, SpokenGroup

#: By purpose, the commands and their help in the order of the work. The function of a command has its name,
#: as has the module; a group is the ``app`` of its module.
_COMMANDS_BY_PURPOSE = {
    "1. May this table be released": {
        "assess": "Who can be singled out, by what, and at what cost.",
        "init": "Write duckrisk.toml: what each column is, to correct.",
        "open": "A local page in the browser to decide in.",
        "tables": "Tables of counts: what totals reveal of hidden cells.",
        "verify": "Repeat an assessment from its evidence: what differs.",
    },
    "2. Make a release that may": {
        "advise": "What to change first, for the least loss.",
        "anonymize": "Treat the table and write the release.",
    },
    "3. Try the release": {
        "compare": "The risk that is left, and what was lost for it.",
        "sequence": "Releases one after another: who is alone in all together.",
        "attack": "Link known records, or few wrong facts, to people.",
        "membership": "Synthetic releases: who was in the original.",
        "pwscup": "Purchase histories, as the contests of 2017 and 2018 did.",
    },
    "Behind the numbers": {
        "explain": "A metric, a policy, or the options, in words.",
        "sql": "The statement behind a number, to run yourself.",
        "mcp": "Agents ask about the tables of a folder, and only read.",
    },
}
_COMMANDS = {name: text for several in _COMMANDS_BY_PURPOSE.values() for name, text in several.items()}
_GROUPS = ("membership", "pwscup", "sql")


class _CommandList(SpokenGroup):
    """A group that lists its commands by purpose, in the order of their use."""

    purposes = _COMMANDS_BY_PURPOSE

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands by purpose, and examples."""
        for purpose, several in _COMMANDS_BY_PURPOSE.items():
            with formatter.section(purpose):
                formatter.write_dl(list(several.items()))
        with formatter.section("Examples"):
            formatter.write("  duckrisk assess customers.parquet\n  duckrisk assess --help\n")


def app_of(word: str | None) -> typer.Typer:
    """Make the command line for a first word.

    Reading the options of all commands takes longer than many a command runs. So only a command that is named
    gets its options; the others are only listed.

    Args:
        word: The first word of the command line; None makes all commands with their options.
    """
    app = typer.Typer(
        cls=_CommandList,
        help="How easily someone in a table can be re-identified, measured inside DuckDB.",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_root)
    for name in [word] if word in _COMMANDS else _COMMANDS:
        if word is not None and word != name:
            app.command(name, help=_COMMANDS[name])(_do_nothing)
            continue
        module = importlib.import_module(f"duckrisk.cli.{name}")
        if name in _GROUPS:
            app.add_typer(module.app, name=name, cls=SpokenGroup)
        else:
            app.command(name, cls=GroupedCommand)(getattr(module, name))
    return app


def _do_nothing() -> None:
    """Stand in for a command that is only listed."""


def _root(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        import duckrisk

        print_result(f"duckrisk {duckrisk.__version__}\n")
        raise typer.Exit


class _Stopped(BaseException):
    """A signal ended the run. It is no Exception, so that no handler of errors catches it."""

    def __init__(self, number: int) -> None:
        self.exit_code = 128 + number


#: The signals that came, because native code can replace the exception that they raise by its own.
_arrived: list[int] = []


def _stop(number: int, _frame: object) -> None:
    _arrived.append(number)
    raise _Stopped(number)


def main() -> None:
    """Run the ``duckrisk`` command.

    Exit codes: 0 success, 1 a gate failed, 2 usage, 3 source, engine or output, 130 interrupted,
    143 terminated.
    """
    # Nearly all objects live until the end, and collecting them at Python's default rate takes a tenth of
    # the time of a small table.
    gc.set_threshold(50_000)
    open_closed_streams()
    _arrived.clear()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, _stop)
    try:
        code = app_of(_first_word())(standalone_mode=False)
    except DuckriskError as error:
        _fail(error, error.exit_code)
    except (_Stopped, KeyboardInterrupt, typer.Abort) as error:
        _end_stopped_run(getattr(error, "exit_code", 130))
    except Exception as error:
        if _arrived:
            _end_stopped_run(128 + _arrived[0])
        if isinstance(error, OSError):
            _fail(f"A file could not be used: {error.strerror or type(error).__name__}.", 3)
        _fail(*_describe_error(error))
    sys.exit(code if isinstance(code, int) else 0)


def _first_word() -> str:
    """Return the first word of the command line that runs or is completed."""
    words = sys.argv
    if "_DUCKRISK_COMPLETE" in os.environ:
        words = (os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS") or "").split()
    while words[1:2] == ["--lang"]:
        words = words[2:]
    return next((word for word in words[1:] if not word.startswith("--lang=")), "")


def _end_stopped_run(code: int) -> NoReturn:
    """Exit after a signal."""
    how = "interrupted" if code == 130 else "terminated"
    print(f"duckrisk: {_in_spoken_language(f'The run was {how}.')}", file=sys.stderr, flush=True)
    if "duckrisk.base.folders" in sys.modules:
        sys.modules["duckrisk.base.folders"].remove_all_folders()
    os._exit(code)  # does not wait for the threads of the engine


#: The parser's message on a text that is no number, in all its versions.
_NO_NUMBER = re.compile(r"Invalid value for '([^']+)'.* valid (integer|number|float)")


def _describe_error(error: Exception) -> tuple[str, int]:
    """Return the sentence and exit code of an error of the parser or of duckrisk.

    The text of the latter is left out, because it can quote a value.
    """
    import traceback

    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()  # type: ignore[attr-defined]
        sys.exit(2)
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "duckrisk"
        if getattr(error, "option_name", None) in ("--engine", "--scratch"):
            return format_message("engines.command_not_offered"), error.exit_code
        sentence = " ".join(error.format_message().split()).rstrip(".")
        if (number := _NO_NUMBER.search(sentence)) is not None:
            expected = "a whole number" if number[2] == "integer" else "a number"
            sentence = format_message("options.wrong_type", name=number[1], what=expected, given="")
            sentence = sentence.rstrip(".")
        return f"{sentence}; see `{command} --help`.", error.exit_code
    at = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(at.filename).name} line {at.lineno}"
    return f"duckrisk failed ({type(error).__name__} in {where}); please report how you called it.", 3


def _fail(error: DuckriskError | str, code: int) -> NoReturn:
    print_notice(_in_spoken_language(error))
    sys.exit(code)


def _in_spoken_language(error: DuckriskError | str) -> str:
    """Return the sentence of an error in the language that the command line asks for."""
    from duckrisk.cli.language import spoken_language

    if spoken_language() == "en":
        return str(error)
    from duckrisk.cli import japanese

    try:
        if isinstance(error, DuckriskError):
            return japanese.describe_error(error)
        return japanese.translate_sentence(error)
    except Exception:  # a translation must never hide the error itself
        return str(error)
