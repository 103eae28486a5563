"""Writes results: formats, files, standard output, progress."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
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
    from duckrisk.report.forms import EarlyScreen
    from duckrisk.source import Request

#: By format, the suffixes of its files.
SUFFIXES = {
    "table": (".txt",),
    "json": (".json",),
    "markdown": (".md", ".markdown"),
    "html": (".html", ".htm"),
    "csv": (".csv",),
    "parquet": (".parquet",),
    "sarif": (".sarif",),
}
#: The formats of reports without charts.
TEXT_FORMATS = (*FORMATS[:3], *FINDINGS)


_FORMS = (*ALL_FORMATS, *FINDINGS)


def resolve_format(name: str | None, output: Path | None, forms: Sequence[str] = _FORMS) -> str:
    """Return the format that a name or the suffix of the output selects.

    Args:
        name: The given format.
        output: The given file.
        forms: The formats that an error suggests.

    Returns:
        The format; "table" without a name and an output.

    Raises:
        UsageError: The name or the suffix means no format, or Parquet has no file.
    """
    if name is not None:
        if name not in _FORMS:
            raise UsageError("cli.unknown_format", name=name, suggestion=suggest_names(name, list(forms)))
    elif output is not None:
        name = next((n for n, endings in SUFFIXES.items() if output.suffix.lower() in endings), None)
        if name is None:
            formats = ", ".join(forms)
            raise UsageError("cli.unknown_suffix", output=output.name, formats=formats)
    if name == "parquet" and output is None:
        raise UsageError("cli.parquet_without_file")
    return name or "table"


def resolve_offered_format(
    format: str | None,
    output: Path | None,
    subject: str,
    forms: Sequence[str] = FORMATS,
) -> str:
    """Return the format of a report, as :func:`resolve_format`.

    Args:
        format: The given format.
        output: The given file.
        subject: The beginning of the error, such as "A score is".
        forms: The formats of the report.

    Raises:
        UsageError: The report does not have the format.
    """
    form = resolve_format(format, output, forms)
    if form not in forms:
        raise UsageError("cli.format_not_offered", what=subject, forms=", ".join(forms), form=form)
    return form


#: Every option that names a file to write; a resumed search also writes to its state.
OUTPUTS = (
    *("-o", "--junit", "--records-out", "--sql-log"),
    *("--keys", "--scores-out", "--guess-out", "--state", "--resume"),
)
#: Options of a file that a search reads and writes again.
_STATES = {"--state", "--resume"}


def check_outputs(
    args: CommandLine,
    sources: Iterable[Request | None],
    *,
    folder: bool = False,
    output: Path | None = None,
) -> None:
    """Check every file that a command will write, before it reads anything.

    Args:
        args: The command line.
        sources: The tables that the command reads.
        folder: Whether an engine writes the output as a folder.
        output: The settings file that the command writes; None for other commands.

    Raises:
        UsageError: A file is also read (as a source, or by another option or the settings), two options name
            it, or a log would replace it without --overwrite.
        OutputError: A file cannot be written.
    """
    from duckrisk.base.files import check_target, refuse_overwriting
    from duckrisk.source import refuse_overwriting_source

    requests = [request for request in sources if request is not None]
    named: dict[Path, str] = {}
    for option in OUTPUTS:
        text = output if output is not None and option == "-o" else args.value_of(option)
        if text is None:
            continue
        target = Path(text)
        if not (folder and target.is_dir()):
            check_target(target)
        for request in requests:
            refuse_overwriting_source(target, request)
        other = named.setdefault(target.resolve(), option)
        if other != option and {other, option} != _STATES:
            raise UsageError("cli.same_file_twice", other=other, option=option)
        read = input_files(args, settings=output is None) if target.exists() else ()
        if any(file.is_file() and file.samefile(target) for file in read):
            raise UsageError("cli.output_is_input", option=option, target=target)
        if option == "--sql-log" and args.has_flag("--overwrite"):
            refuse_overwriting(target, args.options(Output).overwrite)


def input_files(args: CommandLine, settings: bool = True) -> Iterator[Path]:
    """Yield the existing files that a command reads besides its sources.

    They are a recipe, an earlier report, the settings (unless the command writes them), and the files of
    hierarchies that these name.
    """
    from duckrisk.api.config import NAME
    from duckrisk.source import hierarchies

    for text in (*args.iter_texts(*OUTPUTS), *((NAME,) if settings else ())):
        file = Path(text)
        if not os.path.isfile(file):
            continue
        yield file
        with contextlib.suppress(UsageError):  # the reader of the file raises it again
            if file.suffix == ".toml":
                specs = hierarchies.read_specs(file, required=False).values()
                yield from (file.parent / spec for spec in specs if isinstance(spec, str))


def write_or_print(text: str, output: Path | None, private: bool = False) -> None:
    """Write a report to a file, or print it.

    Args:
        text: The report.
        output: The file; None prints.
        private: Whether the report shows values of records, so that only the owner may read the file.
    """
    from duckrisk.base.files import write_file

    if output is not None:
        write_file(output, lambda path: write_text(path, text), private=private)
    else:
        print_result(text)


def render_form(
    report: Result,
    form: str,
    language: str = "en",
    full: bool = False,
    sources: Sequence[str] = (),
    width: int = 80,
) -> str:
    """Render a report as text.

    Args:
        report: The report.
        form: The format.
        language: The language of the text.
        full: Whether a table includes what follows the first screen.
        sources: For findings, the names of the tables, that of the report first.
        width: Characters of a line of a table.
    """
    if form in FINDINGS:
        from duckrisk.report.render import annotations

        findings: str = getattr(annotations, f"to_{form}")(report, sources, language)
        return findings
    if form == "table":
        return report.to_text(width, language, full)
    options = {"language": language} if form != "json" else {}
    text: str = getattr(report, f"to_{form}")(**options)
    return text


def print_target(out: Output, language: str) -> None:
    """Print on a terminal which file holds the report."""
    if out.output is not None and not out.quiet and sys.stderr.isatty():
        from duckrisk.base.sentences import Data, Sentence
        from duckrisk.report.words import Words

        written = Words(language).format(Sentence("init.written.file", file=Data(out.output)))
        print(escape_controls(written), file=sys.stderr)


def run_with_progress(work: Any, quiet: bool, language: str, command: str | None = None) -> Any:
    """Run the work of a command, with progress on standard error."""
    from duckrisk.cli.progress import Progress

    if quiet:
        return work(None)
    progress = Progress(language, note=print_notice, command=command)
    try:
        return work(progress)
    finally:
        progress.close()


def open_early_screen(form: str, out: Output, language: str) -> EarlyScreen | None:
    """Return the screen that shows a verdict early; None without a terminal."""
    if form != "table" or out.output is not None or out.full or not sys.stdout.isatty():
        return None
    from duckrisk.report.forms import EarlyScreen

    return EarlyScreen(sys.stdout, language)


def write_report(
    report: Result,
    form: str,
    out: Output,
    names: Sequence[str],
    language: str,
    private: bool,
    screen: EarlyScreen | None = None,
) -> None:
    """Write or print a report.

    Args:
        report: The report.
        form: One of its forms.
        out: The file and the format.
        names: For findings, the names of the tables, that of the report first.
        language: The language of the report.
        private: Whether it shows values of records.
        screen: The screen that showed its head already; None for none.
    """
    from duckrisk.base.files import write_file

    output = out.output
    if form in ("csv", "parquet"):  # these hold a list without notices
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
    elif screen is not None:
        _write_to_stdout(lambda: screen.print_rest(report))
    elif form == "table" and output is None:
        from duckrisk.report.forms import print_report

        _write_to_stdout(lambda: print_report(report, sys.stdout, language=language, full=out.full))
    else:
        write_or_print(render_form(report, form, language, out.full, names), output, private)


def write_text(path: Path, text: str) -> None:
    """Write a file."""
    path.write_bytes(_encode(text))


def _encode(text: str) -> bytes:
    """Encode as UTF-8, with escapes for names of files that are no text."""
    return text.encode("utf-8", errors="backslashreplace")


class _Closed(io.TextIOBase):
    """Standard output after the caller of the command closed it."""

    def write(self, text: str, /) -> int:
        """Refuse to write."""
        raise UsageError("cli.standard_output_closed")


def open_closed_streams() -> None:
    """Open the closed standard streams, so that no file gets their numbers."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:  # the lowest that is free
        pass
    os.close(number)
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BytesIO())
    sys.stdout = sys.stdout or _Closed()
    sys.stderr = sys.stderr or io.TextIOWrapper(io.BytesIO())


def summary_width() -> int:
    """Return the width of a summary: that of the terminal, 80 without one."""
    from duckrisk.report.render.terminal import MAX_WIDTH

    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else 80
    return max(40, min(columns, MAX_WIDTH))


def print_status(text: str) -> None:
    """Print a summary, unless standard output is closed."""
    if not isinstance(sys.stdout, _Closed):
        print_result(text)


def print_notice(sentence: str) -> None:
    """Print a sentence on standard error."""
    from duckrisk.report.safe import escape_commands

    print(f"duckrisk: {escape_commands(escape_controls(sentence))}", file=sys.stderr)


def print_result(text: str) -> None:
    """Print a result, escaped for a terminal, as UTF-8 into a file or a pipe."""
    from duckrisk.report.safe import escape_for_pipe

    def show() -> None:
        if sys.stdout.isatty() or isinstance(sys.stdout, _Closed):
            sys.stdout.write(_escape_lines(text))
        else:
            sys.stdout.buffer.write(_encode(escape_for_pipe(text)))

    _write_to_stdout(show)


def _write_to_stdout(show: Callable[[], None]) -> None:
    """Write to standard output; a reader may close the pipe early."""
    try:
        show()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        from duckrisk.base.files import name_output

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # takes the rest of the buffer
        with name_output(Path("standard output")):
            raise error from None


def _escape_lines(text: str) -> str:
    """Escape control characters as JSON does, line by line, so that JSON stays JSON."""
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(line if line.isprintable() else "".join(map(_escape_character, line)) for line in lines)


def _escape_character(character: str) -> str:
    is_harmless = character.isprintable() or character == "\t" or unicodedata.category(character) == "Zs"
    if is_harmless:
        return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def escape_controls(text: str) -> str:
    """Escape control characters, which names from a file can hold, for a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
