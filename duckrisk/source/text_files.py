"""Opens CSV and JSON files of any encoding, one or several that belong together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from duckrisk.base.errors import SourceError
from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Sentence, join_texts
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, render
from duckrisk.engine.types import is_timestamp
from duckrisk.source.dialect import (
    DELIMITERS,
    SAMPLE_RECORDS,
    Dialect,
    NoRecordsError,
    read_csv_options,
    sniff_dialect,
    widen_types,
)
from duckrisk.source.encoding import drop_lines, is_gzip, sniff_encoding, transcode
from duckrisk.source.files import escape_glob, is_hive_partitioned, list_printed_paths
from duckrisk.source.formats import File, Inputs, short_name
from duckrisk.source.layout import count_title_lines, refuse_other_delimiters
from duckrisk.source.model import OpenedInput, Request, Workspace
from duckrisk.source.names import are_column_names, list_case_variants, make_unique
from duckrisk.source.recipes import find_recipe

#: Placeholders of messages for the number of a line, or of lines above the header.
_LINE_NUMBERS = ("line", "lines", "number")
_NAME_TOGETHER = "name the files that belong together with a glob pattern, or assess them one by one"
#: Encodings that DuckDB can decode in printed SQL, with or without byte order mark.
_PRINTED_ENCODINGS = {"utf-16": "utf-16", "utf-16-le": "utf-16", "utf-16-be": "utf-16"}


def open_csv(session: Session, workspace: Workspace, inputs: Inputs, request: Request) -> OpenedInput:
    """Open CSV files with one dialect and the same columns.

    Raises:
        SourceError: A file cannot be read, or differs from the others; the message names it.
    """
    name, files, notes = inputs.name, inputs.files, inputs.notes
    hive = is_hive_partitioned(files, name)
    files, readable, encoding, dialects = _sniff_files(session, workspace, name, files, request, notes)
    common = _combine(dialects)
    printed = list_printed_paths(session, name, files, notes)

    def describe(opened: OpenedInput, dialect: Dialect) -> None:
        arguments = read_csv_options(dialect) | {"hive_partitioning": hive}
        assert opened.printed_names is not None
        types = dialect.read_types
        printable = arguments | {
            "columns": dict(zip(opened.printed_names, types, strict=True)),
            "encoding": _PRINTED_ENCODINGS.get(encoding, "utf-8"),
            "skip": request.skip_lines or 0,
            "compression": "gzip" if is_gzip(files[0].path) else dialect.compression,
        }
        opened.relation = render("read_csv", paths=[escape_glob(p) for p in readable], arguments=arguments)
        opened.printed_relation = render("read_csv", paths=printed, arguments=printable)

    def describe_fully(opened: OpenedInput) -> None:
        nonlocal common
        widened = []
        for file, path in zip(files, readable, strict=True):
            try:
                widened.append(widen_types(session, path, common))
            except SourceError as error:
                raise _name_file(file, error, len(files) > 1, request.skip_lines or 0) from None
        common = _combine(widened)
        describe(opened, common)

    def describe_as_text(opened: OpenedInput, positions: Sequence[int]) -> None:
        columns = [
            (column, "VARCHAR" if position in positions else type_name)
            for position, (column, type_name) in enumerate(common.columns)
        ]
        describe(opened, replace(common, columns=tuple(columns)))

    opened = OpenedInput(
        short_name(name),
        "csv",
        None,
        printed_names=make_unique(common.names),
        true_names=common.names,
        paths=[str(path) for path in readable],
        files=[file.path for file in files],
        encoding=encoding,
        notes=notes,
        is_copied=True,
        describe_fully=describe_fully,
        describe_as_text=describe_as_text,
        header_lines=int(common.has_header) + (request.skip_lines or 0) if len(files) == 1 else 0,
    )
    describe(opened, common)
    return opened


def _sniff_files(
    session: Session,
    workspace: Workspace,
    name: str,
    files: list[File],
    request: Request,
    notes: list[Sentence],
) -> tuple[list[File], list[Path], str, list[Dialect]]:
    """Return the CSV files with records, where to read them, and their dialects."""
    files = _drop_empty(files, notes)
    readable, encoding = _decode(workspace, files, request, notes, marked=True)
    # A release has a header, whatever its names look like.
    header = True if request.header is None and find_recipe(request) is not None else request.header
    sniffed = [
        _sniff_one(session, file, path, header, len(files) > 1, request.skip_lines or 0)
        for file, path in zip(files, readable, strict=True)
    ]
    files, readable, dialects = _drop_headers_alone(files, readable, sniffed, notes)
    _require_same_dialect(name, files, dialects)
    if header is None and dialects[0].has_header:
        _refuse_doubtful_header(name, dialects[0])
    if not dialects[0].has_header:
        notes.append(Sentence("source.no_header"))
    return files, readable, encoding, dialects


def _drop_empty(files: list[File], notes: list[Sentence]) -> list[File]:
    """Drop empty files, which clusters often write for parts without records."""
    full = [file for file in files if file.path.stat().st_size > 0]
    if not full:
        raise SourceError("source.empty_file", short=short_name(files[0].shown))
    if len(full) < len(files):
        notes.append(Sentence("source.empty_files", count=format_number(len(files) - len(full))))
    return full


def _decode(
    workspace: Workspace, files: list[File], request: Request, notes: list[Sentence], marked: bool
) -> tuple[list[Path], str]:
    """Return the paths of the files as UTF-8, and the encoding of the first one.

    Other encodings are decoded into private copies. ``marked`` says that the reader accepts a byte order
    mark.
    """
    readable: list[Path] = []
    direct = ("utf-8", "utf-8-sig") if marked else ("utf-8",)
    encodings: dict[str, None] = {}
    for index, file in enumerate(files):
        try:
            encoding = request.encoding or sniff_encoding(file.path)
            encodings[encoding] = None
            decoded_already = encoding in direct and request.encoding is None
            if decoded_already and not (marked and request.skip_lines):
                readable.append(file.path)
                continue
            target = workspace.folder / f"decoded-{index}"
            transcode(file.path, encoding, target)
            if marked and request.skip_lines:
                target = drop_lines(target, request.skip_lines)
        except SourceError as error:
            raise _name_file(file, error, len(files) > 1) from None
        readable.append(target)
    decoded = [encoding for encoding in encodings if encoding not in ("utf-8", "utf-8-sig")]
    if decoded:
        notes.append(Sentence("source.decoded", encodings=join_texts(sorted(decoded))))
    if any(encoding not in _PRINTED_ENCODINGS for encoding in decoded):
        notes.append(Sentence("source.printed_utf8"))
    return readable, next(iter(encodings))


def _sniff_one(
    session: Session, file: File, path: Path, header: bool | None, several: bool, skipped: int
) -> Dialect | NoRecordsError:
    try:
        return _sniff_layout(session, path, header)
    except NoRecordsError as error:
        if several:
            return error
        raise
    except SourceError as error:
        raise _name_file(file, error, several, skipped) from None


def _sniff_layout(session: Session, path: Path, header: bool | None) -> Dialect:
    """Detect the dialect of a file; refuse a title and unknown delimiters."""
    try:
        dialect = sniff_dialect(session, path, header)
    except NoRecordsError:
        raise
    except SourceError:
        _refuse_title(path, header)
        refuse_other_delimiters(path, DELIMITERS)
        raise
    _refuse_title(path, header)
    if len(dialect.columns) == 1 or dialect.delimiter not in DELIMITERS:
        refuse_other_delimiters(path, DELIMITERS)
    return dialect


def _refuse_title(path: Path, header: bool | None) -> None:
    """Refuse a file that seems to have a title, unless the header is given."""
    if header is None and (lines := count_title_lines(path, DELIMITERS)):
        raise SourceError("source.title_above_header", lines=lines)


def _name_file(file: File, error: SourceError, several: bool, skipped: int = 0) -> SourceError:
    """Add the name of one of several files to an error, and correct its lines.

    ``skipped`` is the number of lines that were skipped at the top of the file.
    """
    lines = {name: error.values[name] for name in _LINE_NUMBERS if name in error.values}
    if skipped and lines:
        moved = {name: line + skipped for name, line in lines.items() if isinstance(line, int)}
        error = SourceError(error.key, **{**error.values, **moved})
    return (
        SourceError("source.error_in_one_file", short=short_name(file.shown), error=error)
        if several
        else error
    )


def _drop_headers_alone(
    files: list[File], readable: list[Path], dialects: list[Any], notes: list[Sentence]
) -> tuple[list[File], list[Path], list[Dialect]]:
    """Drop files with nothing but the header of the others."""
    kept = [i for i, dialect in enumerate(dialects) if isinstance(dialect, Dialect)]
    if not kept:
        raise SourceError(str(dialects[0]))
    first = dialects[kept[0]]
    for i, dialect in enumerate(dialects):
        if isinstance(dialect, NoRecordsError) and (not first.has_header or dialect.names != first.names):
            raise SourceError("source.single_line_not_header", short=short_name(files[i].shown))
    if len(kept) < len(dialects):
        notes.append(Sentence("source.headers_alone", count=format_number(len(dialects) - len(kept))))
    return [files[i] for i in kept], [readable[i] for i in kept], [dialects[i] for i in kept]


def _require_same_dialect(name: str, files: list[File], dialects: list[Dialect]) -> None:
    """Raise SourceError for the first file with another dialect than the first one."""
    first = dialects[0]
    for file, dialect in zip(files, dialects, strict=True):
        how = None
        if dialect.compression != first.compression:
            how = "is not compressed in the same way as"
        elif dialect.delimiter != first.delimiter:
            how = "has another delimiter than"
        elif dialect.has_header != first.has_header:
            how = "differs in whether it opens with a header line (give --header or --no-header) from"
        elif len(dialect.columns) != len(first.columns) or (
            first.has_header and dialect.names != first.names
        ):
            moved = sorted(dialect.names) == sorted(first.names)
            how = "has the same columns in another order than" if moved else "has other columns than"
        elif (dialect.quote, dialect.escape) != (first.quote, first.escape):
            how = "quotes values in another way than"
        if how is not None:
            raise SourceError(
                "source.files_differ",
                name=name,
                short=short_name(file.shown),
                how=how,
                short_2=short_name(files[0].shown),
                alike=_NAME_TOGETHER,
            )


def _combine(dialects: list[Dialect]) -> Dialect:
    """Return a dialect for all files; columns that differ in type or format are texts."""
    dates = len({d.date_format for d in dialects}) > 1
    stamps = len({d.timestamp_format for d in dialects}) > 1

    def kind(position: int) -> str:
        kinds = {dialect.columns[position][1] for dialect in dialects}
        differs = len(kinds) > 1 or (kinds == {"DATE"} and dates)
        return "VARCHAR" if differs or (stamps and is_timestamp(min(kinds))) else min(kinds)

    return replace(dialects[0], columns=tuple((name, kind(i)) for i, name in enumerate(dialects[0].names)))


def refuse_infinite_days(
    session: Session,
    opened: OpenedInput,
    records: Sql,
    called: Sequence[str],
    columns: Sequence[tuple[str, str]],
) -> None:
    """Refuse infinity and the epoch among days that are read by a format.

    The engine reads them as 1900-01-01. Opened again, the columns are texts.

    Args:
        session: The session.
        opened: The files; nothing is checked unless days are read by a format.
        records: The records that were read.
        called: The names of their columns.
        columns: The name for people and the type of each column.

    Raises:
        SourceError: A column has such values.
    """
    moments = {
        f"c{position}": (name, column)
        for position, ((name, kind), column) in enumerate(zip(columns, called, strict=True))
        if kind == "DATE" or (is_timestamp(kind) and not kind.endswith("ZONE"))
    }
    if opened.text_relations is None or not moments:
        return
    counts = session.fetch_row(
        "epoch_days", source=records, columns=[column for _, column in moments.values()]
    )
    if not any(counts.values()):
        return
    texts = render(
        "renamed", source=opened.text_relations[0], names=[f"c{position}" for position in range(len(columns))]
    )
    cells = session.fetch_row("infinite_texts", source=texts, columns=list(moments))
    for binding, (name, _) in moments.items():
        if cells[binding]:
            if opened.kind == "json":  # those of CSV files are detected again from all records
                opened.relation, opened.printed_relation = opened.text_relations
                opened.text_relations, opened.describe_fully = None, lambda opened: None
            raise SourceError("source.infinite_date", name=name, opened=opened.name)


# --- JSON ----------------------------------------------------------------------------------------


_KEYS_NUMBERED = Sentence("source.keys_numbered")
_NO_DAY = "no day %Y"
#: Suffix that the engine gives to names that differ from another one only in case.
_NUMBERED = re.compile(r"_\d+$")
_MISSING = frozenset(("na", "n/a", "nan", "null", "none", "-", "?", "*"))


def _refuse_doubtful_header(name: str, dialect: Dialect) -> None:
    """Refuse a header that may be a record: every report shows column names."""
    only_text = all(type_name == "VARCHAR" for name, type_name in dialect.columns if name.strip())
    if only_text and not are_column_names(dialect.names):
        raise SourceError("source.header_unclear", short=short_name(name))
    if any(cell.strip().casefold() in _MISSING for cell in dialect.names):
        raise SourceError("source.missing_value_in_header", short=short_name(name))


def open_json(session: Session, workspace: Workspace, inputs: Inputs, request: Request) -> OpenedInput:
    """Open JSON files with lines, an array, or one object after the other.

    Keys become columns.

    Raises:
        SourceError: A file cannot be read, or only some of them are compressed.
    """
    name, files, notes = inputs.name, inputs.files, inputs.notes
    hive = is_hive_partitioned(files, name)
    files = _drop_empty(files, notes)
    readable, encoding = _decode(workspace, files, request, notes, marked=False)
    packed = [is_gzip(path) for path in readable]
    if len(set(packed)) > 1:
        raise SourceError("source.compressed_and_plain", name=name, alike=_NAME_TOGETHER)

    printed = list_printed_paths(session, name, files, notes)

    def relation(paths: list[str], sample: int, written: bool = False) -> Sql:
        arguments: dict[str, str | int] = {
            "hive_partitioning": hive,
            "union_by_name": True,
            "sample_size": sample,
            "compression": "gzip" if packed[0] else "uncompressed",
        }
        if written:  # with a format that fits no text, all stay texts
            arguments |= {"dateformat": _NO_DAY, "timestampformat": _NO_DAY}
        return render("read_json", paths=paths, arguments=arguments)

    def describe(opened: OpenedInput, sample: int) -> None:
        opened.relation = relation([escape_glob(path) for path in readable], sample)
        opened.printed_relation = relation(printed, sample)
        read = [escape_glob(path) for path in readable]
        opened.text_relations = relation(read, sample, True), relation(printed, sample, True)

    def restore_names(called: list[str]) -> list[str]:
        bases = [_NUMBERED.sub("", name) for name in called]
        numbered = {name for name, base in zip(called, bases, strict=True) if name != base}
        if not numbered or not list_case_variants(bases):
            return called
        arguments = {"format": "auto", "compression": "gzip" if packed[0] else "uncompressed"}
        rows = session.run("json_keys", paths=[escape_glob(path) for path in readable], arguments=arguments)
        keys = {row["key"] for row in rows}
        if keys & numbered and not keys.issuperset(called):
            if _KEYS_NUMBERED not in notes:
                notes.append(_KEYS_NUMBERED)
            return called  # a key looks like the name that the engine gives to another one
        return [
            base if name not in keys and base in keys else name
            for name, base in zip(called, bases, strict=True)
        ]

    opened = OpenedInput(
        short_name(name),
        "json",
        None,
        paths=[str(path) for path in readable],
        files=[file.path for file in files],
        encoding=encoding,
        notes=notes,
        is_copied=True,
        restore_names=restore_names,
        describe_fully=lambda opened: describe(opened, -1),
        reading_error=SourceError("source.invalid_json", short=short_name(name)),
    )
    describe(opened, SAMPLE_RECORDS)
    return opened
