"""The command line: parses, calls, prints, and is the only place that exits."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duckrisk.errors import DuckriskError, UsageError, nearest

if TYPE_CHECKING:
    from duckrisk.assessment import Settings
    from duckrisk.report import Report
    from duckrisk.source import Request

app = typer.Typer(
    help="How easily someone in a table can be re-identified, measured inside DuckDB.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
sql_app = typer.Typer(help="The SQL behind every number.", no_args_is_help=True)
app.add_typer(sql_app, name="sql")

FORMATS = {
    "table": (".txt",),
    "json": (".json",),
    "markdown": (".md", ".markdown"),
    "html": (".html", ".htm"),
    "csv": (".csv",),
    "parquet": (".parquet",),
}

SourceArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[SOURCE]",
        help="A Parquet, CSV or JSON file, a folder, a glob pattern, a .duckdb file, or - for CSV on "
        "standard input.",
    ),
]
TableOption = Annotated[str | None, typer.Option("--table", help="The table of a database, as schema.name.")]
AttachOption = Annotated[
    str | None,
    typer.Option(
        "--attach",
        help="A database: a .duckdb file, or the name of a DuckDB extension and an address, such as "
        "postgres:…, mysql:…, sqlite:…, ducklake:…; always read-only.",
    ),
]
QueryOption = Annotated[
    str | None,
    typer.Option("--query", help="A SELECT to assess; it can read SOURCE under the name source."),
]
WhereOption = Annotated[str | None, typer.Option("--where", help="An SQL condition that records must meet.")]
EncodingOption = Annotated[
    str | None,
    typer.Option("--encoding", help="The encoding of a CSV file, where the guess is wrong."),
]
HeaderOption = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether a CSV file opens with column names."),
]
UserOption = Annotated[
    str | None,
    typer.Option(
        "--user", help="The column of the person behind a record; '' takes each record as a person."
    ),
]
AttributeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--attribute", help="Assess this attribute; repeatable. A+B is known together, A.week coarser."
    ),
]
IgnoreOption = Annotated[
    list[str] | None, typer.Option("--ignore", help="Leave this column out; repeatable.")
]
ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", help="A settings file instead of duckrisk.toml in the current folder."),
]
MemoryOption = Annotated[str | None, typer.Option("--memory", help="The engine's memory limit, such as 4GB.")]
ThreadsOption = Annotated[int | None, typer.Option("--threads", help="How many threads the engine uses.")]
TempOption = Annotated[
    str | None,
    typer.Option("--temp", help="The folder for what does not fit into memory."),
]


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        import duckrisk

        _say(f"duckrisk {duckrisk.__version__}\n")
        raise typer.Exit


@app.command()
def assess(
    source: SourceArgument = None,
    table: TableOption = None,
    attach: AttachOption = None,
    query: QueryOption = None,
    where: WhereOption = None,
    encoding: EncodingOption = None,
    header: HeaderOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    user: UserOption = None,
    attribute: AttributeOption = None,
    ignore: IgnoreOption = None,
    config: ConfigOption = None,
    approximate: Annotated[
        bool,
        typer.Option("--approximate", help="Estimate users instead of counting them: a third of the time."),
    ] = False,
    sample_only: Annotated[
        bool, typer.Option("--sample-only", help="Only sample values, with intervals; no exact risk.")
    ] = False,
    k: Annotated[int | None, typer.Option("--k", help="A value shared by fewer users is rare. [5]")] = None,
    samples: Annotated[
        int | None, typer.Option("--samples", help="Values the sampling model draws; 0: none. [50]")
    ] = None,
    confidence: Annotated[
        float | None, typer.Option("--confidence", help="Of intervals: 0.8, 0.9, 0.95, 0.99. [0.9]")
    ] = None,
    paper_interval: Annotated[
        bool,
        typer.Option(
            "--paper-interval", help="The paper's mean ± deviation instead of a confidence interval."
        ),
    ] = False,
    known_records: Annotated[
        int | None,
        typer.Option("--known-records", help="An attacker knows up to so many records; 0: skip. [4]"),
    ] = None,
    draws: Annotated[
        int | None, typer.Option("--draws", help="Attackers drawn to measure that. [1000]")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Of everything that is drawn. [0]")] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="Measure this alone, attribute_risk or identifiability; repeatable."),
    ] = None,
    level: Annotated[
        list[str] | None,
        typer.Option(
            "--level", help="How sensitive a column is: age=date_of_birth, or income=2,2 (E,P); repeatable."
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option("--profile", help="The chart of levels: jo2003, jo_late or a CSV file. [jo2003]"),
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option("--missing", help="A missing cell tells nothing (none) or is a value (value). [none]"),
    ] = None,
    missing_token: Annotated[
        list[str] | None,
        typer.Option("--missing-token", help="A text that means a missing cell, instead of ? and the like."),
    ] = None,
    max_sets: Annotated[
        int | None, typer.Option("--max-sets", help="Examine so many attribute sets at most; 0: all.")
    ] = None,
    max_size: Annotated[
        int | None, typer.Option("--max-size", help="Examine sets of so many attributes at most.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", help="Examine sets for so many seconds at most.")
    ] = None,
    what_if: Annotated[
        bool | None,
        typer.Option("--what-if/--no-what-if", help="Compute what would help. [where it is cheap]"),
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option("--records", help="Write each record's ease, value and sets to a Parquet file."),
    ] = None,
    format: Annotated[  # named as the option
        str | None, typer.Option("--format", help="table, json, markdown, html, csv or parquet.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write to a file; its suffix says the format.")
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option("--fail-on", help="Exit with 1 if this holds, e.g. 'attribute_risk.mean_risk > 0.2'."),
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write the gates as a JUnit file.")] = None,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="Show values of people's records in the report.")
    ] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No progress.")] = False,
) -> None:
    """Assess a source: who is who in it, and how dangerous each attribute is."""
    from duckrisk import assessment
    from duckrisk.gates import parse_gate
    from duckrisk.report.write import check_target
    from duckrisk.session import Resources
    from duckrisk.source import Request

    chosen = _format(format, output)
    settings = _settings(config, user, attribute, ignore)
    request = Request(source, table, attach, query, where, encoding, header).or_else(settings.source)
    targets = {"-o": output, "--junit": junit, "--records": records}
    named: dict[Path, str] = {}
    for option, target in targets.items():
        if target is None:
            continue
        check_target(target)
        _spare_source(target, request)
        if (other := named.setdefault(target.resolve(), option)) != option:
            raise UsageError(f"{other} and {option} name the same file; give them different ones.")
    if approximate and sample_only:
        raise UsageError("Give either --approximate or --sample-only, not both.")
    changes: dict[str, Any] = {
        "k": k,
        "samples": samples,
        "confidence": confidence,
        "known_records": known_records,
        "draws": draws,
        "seed": seed,
        "method": "approximate" if approximate else "sample" if sample_only else None,
        "interval": "paper" if paper_interval else None,
    }
    identifying: dict[str, Any] = {
        "levels": _levels(level),
        "profile": profile,
        "missing": missing,
        "missing_tokens": tuple(missing_token) if missing_token else None,
        "max_sets": max_sets,
        "max_size": max_size,
        "time_limit": time_limit,
        "what_if": what_if,
    }
    settings = dataclasses.replace(
        settings,
        measures=_changed(settings.measures, changes),
        identifiability=_changed(settings.identifiability, identifying),
        only=tuple(only) if only else settings.only,
        gates=settings.gates + tuple(parse_gate(text) for text in fail_on or ()),
        show_values=show_values,
    )
    resources = Resources(memory, threads, temp)
    with _settings_named(settings):
        report = _watched(lambda watch: assessment.run(request, settings, resources, watch, records), quiet)
    _deliver(report, chosen, output, junit)
    if output is not None and not quiet and sys.stderr.isatty():
        print(_printable(f"Wrote {output}."), file=sys.stderr)
    if not report.passed:
        raise typer.Exit(1)


@app.command()
def init(
    source: SourceArgument = None,
    table: TableOption = None,
    attach: AttachOption = None,
    query: QueryOption = None,
    where: WhereOption = None,
    encoding: EncodingOption = None,
    header: HeaderOption = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    user: UserOption = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")] = Path(
        "duckrisk.toml"
    ),
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
) -> None:
    """Write duckrisk.toml: who is who in a source, with the reasons, ready to correct."""
    from duckrisk import config as settings_file
    from duckrisk import roles
    from duckrisk.report.write import check_target, write
    from duckrisk.session import Resources, Session
    from duckrisk.source import Request, open_source

    request = Request(source, table, attach, query, where, encoding, header)
    check_target(output)
    _spare_source(output, request)
    if output.exists() and not force:
        raise UsageError(f'"{output}" is there already; add --force to replace it.')

    def propose(watch: Any) -> str:
        with Session(Resources(memory, threads, temp), watch) as session:
            opened = open_source(session, request)
            found = roles.infer(session, opened, roles.Wishes(user=user))
            return settings_file.propose(opened, found, request)

    text = _watched(propose, quiet=False)
    settings_file.check_written(text)
    write(output, lambda path: _put(path, text), private=False)
    config = "" if output == Path(settings_file.NAME) else f" --config {output}"
    print(
        _printable(f"Wrote {output}; correct it and run `duckrisk assess{config}` with the same source."),
        file=sys.stderr,
    )


@app.command()
def explain(
    name: Annotated[str | None, typer.Argument(help="A metric, such as attribute_risk.")] = None,
) -> None:
    """Explain a metric: what it means, its formula, its source, how to read it."""
    from duckrisk import templates

    known = {t.name: t for t in templates.catalogue().values() if t.is_metric or t.topic == "knowledge"}
    known["model_errors"] = templates.catalogue()["model_errors"]
    metrics = sorted(templates.metrics().values(), key=lambda t: t.topic != "attribute")
    columns = {c.name: (t, c) for t in reversed(metrics) for c in t.columns}
    if name in _SECTIONS:
        name = _SECTIONS[name]
    elif name in columns and name not in known:
        template, column = columns[name]
        _say(f"{name}: {column.text} ({column.unit}), a column of {template.name}:\n\n")
        name = template.name
    if name is None:
        _say("".join(f"{template.name:28} {template.summary}\n" for template in known.values()))
        return
    if name not in known:
        hint = nearest(name, [*known, *columns])
        raise UsageError(f'There is nothing to explain under "{name}"; did you mean {hint}?')
    _say(_explanation(known[name]) + "\n")


#: Sections of the report that are called otherwise than the metric they hold.
_SECTIONS = {"sampled": "attribute_sample", "coarser_knowledge": "attribute_risk"}


def _explanation(template: Any) -> str:
    import textwrap

    lines = [template.name, "", *textwrap.wrap(template.summary, 78), ""]
    for fact in ("definition", "source", "missing", "read"):
        if fact in template.facts:
            label = {"missing": "missing values", "read": "how to read it"}.get(fact, fact)
            lines += textwrap.wrap(f"{label}: {template.facts[fact]}", 78, subsequent_indent="  ")
    for title, items in (("parameters", template.parameters), ("columns", template.columns)):
        if items:
            lines += ["", f"{title}:"]
        for item in items:
            unit = f" ({item.unit})" if hasattr(item, "unit") else ""
            lines += textwrap.wrap(f"  {item.name}: {item.text}{unit}", 78, subsequent_indent="    ")
    if template.is_metric:
        lines += ["", f"SQL: duckrisk sql show {template.name} SOURCE"]
    return "\n".join(lines)


@sql_app.command("list")
def sql_list() -> None:
    """List the metrics: one SQL file each."""
    from duckrisk import templates

    _say("".join(f"{t.name:28} {t.summary}\n" for t in templates.metrics().values()))


@sql_app.command("show")
def sql_show(
    name: Annotated[str, typer.Argument(help="A metric, such as attribute_risk.")],
    source: SourceArgument = None,
    table: TableOption = None,
    attach: AttachOption = None,
    query: QueryOption = None,
    where: WhereOption = None,
    encoding: EncodingOption = None,
    header: HeaderOption = None,
    user: UserOption = None,
    attribute: AttributeOption = None,
    config: ConfigOption = None,
) -> None:
    """Print a metric's statement for a source, ready for any DuckDB shell."""
    from duckrisk import listing
    from duckrisk.source import Request

    settings = _settings(config, user, attribute, None)
    request = Request(source, table, attach, query, where, encoding, header).or_else(settings.source)
    with _settings_named(settings):
        shown = listing.statement(name, request, settings.wishes, settings.measures, settings.identifiability)
    _say(shown + "\n")


@sql_app.command("macros")
def sql_macros() -> None:
    """Print the file of macros for the DuckDB shell: one for every metric."""
    from duckrisk.templates import SQL_FOLDER

    _say((SQL_FOLDER / "duckrisk.sql").read_text(encoding="utf-8"))


# --- helpers -------------------------------------------------------------------------------------


def _changed(options: Any, changes: dict[str, Any]) -> Any:
    return dataclasses.replace(options, **{key: value for key, value in changes.items() if value is not None})


def _levels(given: list[str] | None) -> tuple[tuple[str, Any], ...]:
    """Levels written as NAME=TYPE or NAME=E,P."""
    levels: dict[str, Any] = {}
    for text in given or ():
        name, sign, level = text.rpartition("=")
        if not sign or not name or not level:
            raise UsageError(
                f'The level "{text}" is not written as a column and its level, as in age=date_of_birth or '
                "income=2,2 (economic, psychological)."
            )
        if name in levels:
            raise UsageError(f'The column "{name}" is given two levels; leave one.')
        levels[name] = level
    return tuple(levels.items())


def _settings(
    config: Path | None, user: str | None, attributes: list[str] | None, ignore: list[str] | None
) -> Settings:
    """Options win over the settings file, and that over the defaults."""
    from duckrisk import config as settings_file
    from duckrisk.assessment import Settings

    path = config or (Path(settings_file.NAME) if Path(settings_file.NAME).is_file() else None)
    settings = settings_file.load(path) if path is not None else Settings()
    wishes = settings.wishes
    if user is not None:
        kept = tuple((name, role) for name, role in wishes.roles if role != "user")
        wishes = dataclasses.replace(wishes, user=user, roles=kept)
    if attributes:
        wishes = dataclasses.replace(wishes, attributes=tuple(attributes))
    if ignore:
        wishes = dataclasses.replace(wishes, ignore=wishes.ignore + tuple(ignore))
    return dataclasses.replace(settings, wishes=wishes, config=path.name if path is not None else None)


@contextlib.contextmanager
def _settings_named(settings: Settings) -> Iterator[None]:
    """Let what is refused say that a settings file took part."""
    try:
        yield
    except UsageError as error:
        if settings.config is None:
            raise
        raise UsageError(f'{error} Settings were read from "{settings.config}".') from None


def _spare_source(target: Path, request: Request) -> None:
    """Raise UsageError where a file would be written over the source."""
    from duckrisk.source import databases, files

    if not target.exists():
        return
    read = databases.local_files(request.attach) if request.attach else []
    if request.source not in (None, "-"):
        read += [file.path for file in files.find(request.source)[0]]
    same = any(path.is_file() and path.samefile(target) for path in read)
    if same or target.name in (request.query or ""):
        raise UsageError(f'The output "{target}" is part of the source; name another file.')


def _format(name: str | None, output: Path | None) -> str:
    if name is not None:
        if name not in FORMATS:
            raise UsageError(f'There is no format "{name}"; did you mean {nearest(name, list(FORMATS))}?')
    elif output is not None:
        name = next((n for n, endings in FORMATS.items() if output.suffix.lower() in endings), None)
        if name is None:
            raise UsageError(
                f'The suffix of "{output.name}" names no format; add --format, one of {", ".join(FORMATS)}.'
            )
    if name == "parquet" and output is None:
        raise UsageError("A Parquet report needs a file; give it with -o.")
    return name or "table"


def _watched(work: Any, quiet: bool) -> Any:
    from duckrisk.progress import Progress

    if quiet:
        return work(None)
    progress = Progress()
    try:
        return work(progress)
    finally:
        progress.close()


def _deliver(report: Report, form: str, output: Path | None, junit: Path | None) -> None:
    from duckrisk.report.write import write

    private = bool(report.data["settings"]["show_values"])
    if junit is not None:
        from duckrisk.report.junit import to_junit

        write(junit, lambda path: _put(path, to_junit(report)), private=private)
    if form == "parquet":
        from duckrisk.report.tables import write_parquet

        assert output is not None
        write(output, lambda path: write_parquet(report, path), private=private)
        return
    if form == "table" and output is None:
        from duckrisk.report.terminal import print_report

        _piped(lambda: print_report(report, sys.stdout))
        return
    text = _text(report, form)
    if output is not None:
        write(output, lambda path: _put(path, text), private=private)
    else:
        _say(text)


def _text(report: Report, form: str) -> str:
    if form == "json":
        return report.to_json()
    if form == "markdown":
        return report.to_markdown()
    if form == "html":
        return report.to_html()
    if form == "csv":
        from duckrisk.report.tables import to_csv

        return to_csv(report)
    import io

    from duckrisk.report.terminal import print_report

    file = io.StringIO()
    print_report(report, file, width=80)
    return file.getvalue()


def _put(path: Path, text: str) -> None:
    path.write_bytes(_bytes(text))


def _bytes(text: str) -> bytes:
    """UTF-8; what has no place in it (a file's name that is not text) as the escape of JSON."""
    return text.encode("utf-8", errors="backslashreplace")


def _say(text: str) -> None:
    """Print a result: as the terminal can show it, and as UTF-8 into a file or a pipe."""

    def put() -> None:
        if sys.stdout.isatty():
            sys.stdout.write(text)
        else:
            sys.stdout.buffer.write(_bytes(text))

    _piped(put)


def _piped(put: Callable[[], None]) -> None:
    """Write to standard output; whoever closed the pipe has seen enough."""
    try:
        put()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Stopped(BaseException):
    """A signal came; nothing that handles errors may take it for one."""

    def __init__(self, number: int) -> None:
        self.exit_code = 128 + number


def _stop(number: int, _frame: object) -> None:
    raise _Stopped(number)


def main() -> None:
    """The ``duckrisk`` command. Exit codes: 0 fine, 1 a gate failed, 2 usage, 3 source, engine or
    output, 130 interrupted, 143 terminated."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, _stop)
    try:
        code = app(standalone_mode=False)
    except DuckriskError as error:
        _fail(str(error), error.exit_code)
    except (_Stopped, KeyboardInterrupt, typer.Abort) as error:
        code = getattr(error, "exit_code", 130)
        how = "interrupted" if code == 130 else "terminated"
        print(f"duckrisk: The run was {how}.", file=sys.stderr, flush=True)
        if "duckrisk.session" in sys.modules:
            sys.modules["duckrisk.session"].remove_folders()
        os._exit(code)  # whatever the engine's threads are still doing
    except OSError as error:
        _fail(f"A file could not be used: {error.strerror or type(error).__name__}.", 3)
    except Exception as error:
        _fail(*_unforeseen(error))
    sys.exit(code if isinstance(code, int) else 0)


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
        sentence = " ".join(error.format_message().split()).rstrip(".")
        return f"{sentence}; see `{command} --help`.", error.exit_code
    at = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(at.filename).name} line {at.lineno}"
    return f"duckrisk failed ({type(error).__name__} in {place}); please report how you called it.", 3


def _fail(sentence: str, code: int) -> None:
    print(f"duckrisk: {_printable(sentence)}", file=sys.stderr)
    sys.exit(code)


def _printable(text: str) -> str:
    """Names from a file can hold control characters; a terminal must not act on them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
