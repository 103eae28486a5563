"""The command line: parses, calls, prints, and is the only place that exits.

Each command has a module of its own, which imports what it needs when it runs: help has to be quick.
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
from typer.core import TyperGroup

from duckrisk.base.errors import DuckriskError, format_message
from duckrisk.cli.output import print_notice, print_result, stand_in
from duckrisk.cli.signature import GroupedCommand, QuickToBegin

#: Every command with what the list of them says, by what it is for, in the order of the work. A command is
#: the function of its name in the module of its name, and a group the ``app`` there.
_MAP = {
    "1. May this table be released": {
        "assess": "Who can be singled out, by what, and at what cost.",
        "init": "Write duckrisk.toml: what each column is, to correct.",
    },
    "2. Make a release that may": {
        "advise": "What to change first, for the least loss.",
        "anonymize": "Treat the table and write the release.",
    },
    "3. Try the release": {
        "compare": "The risk that is left, and what was lost for it.",
        "attack": "Link known records to a release's pseudonyms.",
        "membership": "Synthetic releases: who was in the original.",
        "pwscup": "Purchase histories, as the contests of 2017 and 2018 did.",
    },
    "Behind the numbers": {
        "explain": "A metric, a policy, or the options, in words.",
        "sql": "The statement behind a number, to run yourself.",
    },
}
_COMMANDS = {name: text for several in _MAP.values() for name, text in several.items()}
_GROUPS = ("membership", "pwscup", "sql")


class _Map(QuickToBegin, TyperGroup):
    """A list of commands that shows what for and in which order they are used."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for purpose, several in _MAP.items():
            with formatter.section(purpose):
                formatter.write_dl(list(several.items()))
        with formatter.section("Examples"):
            formatter.write("  duckrisk assess customers.parquet\n  duckrisk assess --help\n")


def app_of(word: str | None) -> typer.Typer:
    """The command line. Where its first word is a command, it has this one alone, and where it is none (but
    None) nothing of them but what the list of commands says: to read the options of all takes longer than
    many a command runs."""
    app = typer.Typer(
        cls=_Map,
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
            app.command(name, help=_COMMANDS[name])(_listed)
            continue
        module = importlib.import_module(f"duckrisk.cli.{name}")
        if name in _GROUPS:
            app.add_typer(module.app, name=name)
        else:
            app.command(name, cls=GroupedCommand)(getattr(module, name))
    return app


def _listed() -> None:
    """What stands for a command where it is only listed."""


def _root(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        import duckrisk

        print_result(f"duckrisk {duckrisk.__version__}\n")
        raise typer.Exit


class _Stopped(BaseException):
    """A signal came; nothing that handles errors may take it for one."""

    def __init__(self, number: int) -> None:
        self.exit_code = 128 + number


#: The signals that came: what runs in another language can make an error of its own of what they raise.
_arrived: list[int] = []


def _stop(number: int, _frame: object) -> None:
    _arrived.append(number)
    raise _Stopped(number)


def main() -> None:
    """The ``duckrisk`` command. Exit codes: 0 fine, 1 a gate failed, 2 usage, 3 source, engine or
    output, 130 interrupted, 143 terminated."""
    # What the command reads and makes is kept nearly all: to look for garbage as often as Python does is a
    # tenth of a small table's time.
    gc.set_threshold(50_000)
    stand_in()
    _arrived.clear()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, _stop)
    try:
        code = app_of(_word())(standalone_mode=False)
    except DuckriskError as error:
        _fail(str(error), error.exit_code)
    except (_Stopped, KeyboardInterrupt, typer.Abort) as error:
        _stopped(getattr(error, "exit_code", 130))
    except Exception as error:
        if _arrived:
            _stopped(128 + _arrived[0])
        if isinstance(error, OSError):
            _fail(f"A file could not be used: {error.strerror or type(error).__name__}.", 3)
        _fail(*_unforeseen(error))
    sys.exit(code if isinstance(code, int) else 0)


def _word() -> str:
    """The first word of the command line; where a shell asks what completes it, of that."""
    words = sys.argv
    if "_DUCKRISK_COMPLETE" in os.environ:
        words = (os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS") or "").split()
    return next(iter(words[1:]), "")


def _stopped(code: int) -> NoReturn:
    """End a run that a signal stopped."""
    how = "interrupted" if code == 130 else "terminated"
    print(f"duckrisk: The run was {how}.", file=sys.stderr, flush=True)
    if "duckrisk.base.folders" in sys.modules:
        sys.modules["duckrisk.base.folders"].remove_all_folders()
    os._exit(code)  # whatever the engine's threads are still doing


#: What the parser says of a text that is no number, in its words of any version.
_NO_NUMBER = re.compile(r"Invalid value for '([^']+)'.* valid (integer|number|float)")


def _unforeseen(error: Exception) -> tuple[str, int]:
    """The sentence and exit code for the parser's errors, and for faults of our own without their text,
    which can quote a value."""
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
            what = "a whole number" if number[2] == "integer" else "a number"
            sentence = format_message("options.wrong_type", name=number[1], what=what, given="").rstrip(".")
        return f"{sentence}; see `{command} --help`.", error.exit_code
    at = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(at.filename).name} line {at.lineno}"
    return f"duckrisk failed ({type(error).__name__} in {where}); please report how you called it.", 3


def _fail(sentence: str, code: int) -> NoReturn:
    print_notice(sentence)
    sys.exit(code)
