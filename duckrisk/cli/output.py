"""Where results go: formats, files, standard output, progress."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.base.options.output import ALL_FORMATS, FINDINGS, FORMATS, Output

if TYPE_CHECKING:
    from duckrisk.base.results import Result
    from duckrisk.cli.signature import CommandLine
    from duckrisk.source import Request

#: The suffixes of files that say a format.
SUFFIXES = {
    "table": (".txt",),
    "json": (".json",),
    "markdown": (".md", ".markdown"),
    "html": (".html", ".htm"),
    "csv": (".csv",),
    "parquet": (".parquet",),
    "sarif": (".sarif",),
}
#: Those of reports that are not drawn.
TEXT_FORMATS = (*FORMATS[:3], *FINDINGS)


_EVERY = (*ALL_FORMATS, *FINDINGS)


def chosen_format(name: str | None, output: Path | None, forms: Sequence[str] = _EVERY) -> str:
    """The format that was asked for by name or by the file's suffix; raises UsageError for what is none, with
    those that the report has."""
    if name is not None:
        if name not in _EVERY:
            raise UsageError("cli.unknown_format", name=name, suggestion=suggest_names(name, list(forms)))
    elif output is not None:
        name = next((n for n, endings in SUFFIXES.items() if output.suffix.lower() in endings), None)
        if name is None:
            formats = ", ".join(forms)
            raise UsageError("cli.unknown_suffix", output=output.name, formats=formats)
    if name == "parquet" and output is None:
        raise UsageError("cli.parquet_without_file")
    return name or "table"


def form_of(
    format: str | None,
    output: Path | None,
    subject: str,
    forms: Sequence[str] = FORMATS,
) -> str:
    """The form of a report; raises UsageError for one it has not; ``subject`` begins that: "A score is"."""
    form = chosen_format(format, output, forms)
    if form not in forms:
        raise UsageError("cli.format_not_offered", what=subject, forms=", ".join(forms), form=form)
    return form


#: Every option that names a file to write; a state is written where the search goes on from as well.
OUTPUTS = (
    *("-o", "--junit", "--records-out", "--sql-log"),
    *("--keys", "--scores-out", "--guess-out", "--state", "--resume"),
)
#: Options of one file that is read and written again.
_KEPT_ON = {"--state", "--resume"}


def check_outputs(
    args: CommandLine,
    sources: Iterable[Request | None],
    *,
    folder: bool = False,
    output: Path | None = None,
) -> None:
    """Check every file that a command is to write, before anything is read.

    Args:
        args: what was given.
        sources: what the command reads.
        folder: whether the output is a folder, which an engine writes.
        output: the settings file that the command writes, with --output or without it.

    Raises:
        UsageError: for a file that is read (a source, or what another option or a file of settings names),
            that two options name, or for a log in the place of a file that nobody allows to replace.
        OutputError: for a file that cannot be written.
    """
    from duckrisk.base.files import check_target, refuse_overwriting
    from duckrisk.source import refuse_overwriting_source

    requests = [request for request in sources if request is not None]
    named: dict[Path, str] = {}
    for option in OUTPUTS:
        text = output if output is not None and option == "-o" else args.given(option)
        if text is None:
            continue
        target = Path(text)
        if not (folder and target.is_dir()):
            check_target(target)
        for request in requests:
            refuse_overwriting_source(target, request)
        other = named.setdefault(target.resolve(), option)
        if other != option and {other, option} != _KEPT_ON:
            raise UsageError("cli.same_file_twice", other=other, option=option)
        read = _named(args, settings=output is None) if target.exists() else ()
        if any(file.is_file() and file.samefile(target) for file in read):
            raise UsageError("cli.output_is_input", option=option, target=target)
        if option == "--sql-log" and args.has("--overwrite"):
            refuse_overwriting(target, args.options(Output).overwrite)


def _named(args: CommandLine, settings: bool = True) -> Iterator[Path]:
    """What options name beside these outputs, where there is such a file: a recipe, an earlier report, the
    settings unless the command writes them; and the files of hierarchies that stand in them."""
    from duckrisk.api.config import NAME
    from duckrisk.source import hierarchies

    for text in (*args.texts(*OUTPUTS), *((NAME,) if settings else ())):
        file = Path(text)
        if not os.path.isfile(file):
            continue
        yield file
        with contextlib.suppress(UsageError):  # which is said where it is read
            if file.suffix == ".toml":
                specs = hierarchies.read_specs(file, required=False).values()
                yield from (file.parent / spec for spec in specs if isinstance(spec, str))


def write_or_print(text: str, output: Path | None, private: bool = False) -> None:
    """Write a report to a file, or print it; one that is private shows values of records."""
    from duckrisk.base.files import write_file

    if output is not None:
        write_file(output, lambda path: write_text(path, text), private=private)
    else:
        print_result(text)


def in_form(
    report: Result, form: str, language: str = "en", full: bool = False, sources: Sequence[str] = ()
) -> str:
    """The text of a report in one of its forms; findings are those in ``sources``, what it is about first."""
    if form in FINDINGS:
        from duckrisk.report.render import annotations

        findings: str = getattr(annotations, f"to_{form}")(report, sources, language)
        return findings
    if form == "table":
        return report.to_text(language=language, full=full)
    spoken = {"language": language} if form != "json" else {}
    text: str = getattr(report, f"to_{form}")(**spoken)
    return text


def remark_written(out: Output) -> None:
    """Print on a terminal where the report is."""
    if out.output is not None and not out.quiet and sys.stderr.isatty():
        print(printable(f"Wrote {out.output}."), file=sys.stderr)


def watched(work: Any, quiet: bool, language: str, command: str | None = None) -> Any:
    """Do the work of a command, with progress on standard error."""
    from duckrisk.cli.progress import Progress

    if quiet:
        return work(None)
    progress = Progress(language, note=print_notice, command=command)
    try:
        return work(progress)
    finally:
        progress.close()


def deliver(
    report: Result, form: str, out: Output, names: Sequence[str], language: str, private: bool
) -> None:
    """Write or print a report.

    Args:
        report: The report.
        form: One of its forms.
        out: Where it goes.
        names: The tables that findings are in, the one that the report is about first.
        language: The language of the report.
        private: Whether it shows values of records.
    """
    from duckrisk.base.files import write_file

    output = out.output
    if form in ("csv", "parquet"):  # forms that hold a list alone
        from duckrisk.report.sections.notices import list_texts
        from duckrisk.report.words import Words

        for text in list_texts(report):
            print_notice(Words(language).format(text))
    if form == "parquet":
        from duckrisk.report.render.rows import write_parquet

        assert output is not None
        write_file(output, lambda path: write_parquet(report, path), private=private)
    elif form == "csv":
        from duckrisk.report.render.rows import to_csv

        write_or_print(to_csv(report), output, private)
    elif form == "table" and output is None:
        from duckrisk.report.forms import print_report

        _piped(lambda: print_report(report, sys.stdout, language=language, full=out.full))
    else:
        write_or_print(in_form(report, form, language, out.full, names), output, private)


def write_text(path: Path, text: str) -> None:
    """Write a file."""
    path.write_bytes(_bytes(text))


def _bytes(text: str) -> bytes:
    """UTF-8; what has no place in it (a file's name that is not text) as the escape of JSON."""
    return text.encode("utf-8", errors="backslashreplace")


class _Closed(io.TextIOBase):
    """Standard output where whoever started the command closed it."""

    def write(self, text: str, /) -> int:
        raise UsageError("cli.standard_output_closed")


def stand_in() -> None:
    """Open what is closed of the standard streams: a file that is opened must not take their place."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:  # the lowest that is free
        pass
    os.close(number)
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BytesIO())
    sys.stdout = sys.stdout or _Closed()
    sys.stderr = sys.stderr or io.TextIOWrapper(io.BytesIO())


def print_status(text: str) -> None:
    """Print what was done, unless standard output is closed."""
    if not isinstance(sys.stdout, _Closed):
        print_result(text)


def print_notice(sentence: str) -> None:
    """Print a sentence beside the result, on standard error."""
    from duckrisk.report.safe import escape_commands

    print(f"duckrisk: {escape_commands(printable(sentence))}", file=sys.stderr)


def print_result(text: str) -> None:
    """Print a result with nothing that steers a terminal or a workflow, as UTF-8 into a file or a pipe."""
    from duckrisk.report.safe import escape_for_pipe

    def show() -> None:
        if sys.stdout.isatty() or isinstance(sys.stdout, _Closed):
            sys.stdout.write(_steady(text))
        else:
            sys.stdout.buffer.write(_bytes(escape_for_pipe(text)))

    _piped(show)


def _piped(show: Callable[[], None]) -> None:
    """Write to standard output; whoever closed the pipe has seen enough."""
    try:
        show()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        from duckrisk.base.files import name_output

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is left in the buffer
        with name_output(Path("standard output")):
            raise error from None


def _steady(text: str) -> str:
    """A text of several lines that a terminal does not act on: JSON stays JSON."""
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(line if line.isprintable() else "".join(map(_shown, line)) for line in lines)


def _shown(character: str) -> str:
    harmless = character.isprintable() or character == "\t" or unicodedata.category(character) == "Zs"
    if harmless:
        return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def printable(text: str) -> str:
    """Names from a file can hold control characters; a terminal must not act on them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
