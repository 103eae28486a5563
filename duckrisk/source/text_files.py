"""Opens text files: CSV and JSON, of any encoding, one or many that belong together."""

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
    widen,
)
from duckrisk.source.encoding import is_gzip, sniff_encoding, transcode, without_lines
from duckrisk.source.files import engine_path, is_hive, readable_paths
from duckrisk.source.formats import File, Inputs, short
from duckrisk.source.layout import refuse_other_parts, title_lines
from duckrisk.source.model import Opened, Place, Request
from duckrisk.source.names import alike, look_like_names, unique
from duckrisk.source.recipes import find_recipe

#: What sentences call the number of a line, or of the lines above the names.
_LINE_NUMBERS = ("line", "lines", "number")
_ALIKE = "name the files that belong together with a glob pattern, or assess them one by one"
#: Encodings that DuckDB decodes by itself when a person runs printed SQL; the byte order mark is no matter.
_SHOWN_ENCODINGS = {"utf-16": "utf-16", "utf-16-le": "utf-16", "utf-16-be": "utf-16"}


def open_csv(session: Session, place: Place, inputs: Inputs, request: Request) -> Opened:
    """Open CSV files with one dialect and the same columns.

    Raises SourceError, which names the file where there are several.
    """
    name, files, notes = inputs.name, inputs.files, inputs.notes
    hive = is_hive(files, name)
    files, readable, encoding, dialects = _as_written(session, place, name, files, request, notes)
    common = _common(dialects)
    printed = readable_paths(session, name, files, notes)

    def describe(opened: Opened, dialect: Dialect) -> None:
        arguments = read_csv_options(dialect) | {"hive_partitioning": hive}
        assert opened.printed_names is not None
        types = dialect.read_types
        printable = arguments | {
            "columns": dict(zip(opened.printed_names, types, strict=True)),
            "encoding": _SHOWN_ENCODINGS.get(encoding, "utf-8"),
            "skip": request.skip_lines or 0,
            "compression": "gzip" if is_gzip(files[0].path) else dialect.compression,
        }
        opened.relation = render("read_csv", paths=[engine_path(p) for p in readable], arguments=arguments)
        opened.printed_relation = render("read_csv", paths=printed, arguments=printable)

    def again(opened: Opened) -> None:
        nonlocal common
        widened = []
        for file, path in zip(files, readable, strict=True):
            try:
                widened.append(widen(session, path, common))
            except SourceError as error:
                raise _about(file, error, len(files) > 1, request.skip_lines or 0) from None
        common = _common(widened)
        describe(opened, common)

    def describe_as_text(opened: Opened, positions: Sequence[int]) -> None:
        columns = [
            (column, "VARCHAR" if position in positions else type_name)
            for position, (column, type_name) in enumerate(common.columns)
        ]
        describe(opened, replace(common, columns=tuple(columns)))

    opened = Opened(
        short(name),
        "csv",
        None,
        printed_names=unique(common.names),
        names=common.names,
        paths=[str(path) for path in readable],
        files=[file.path for file in files],
        encoding=encoding,
        notes=notes,
        copied=True,
        again=again,
        describe_as_text=describe_as_text,
        header_lines=int(common.header) + (request.skip_lines or 0) if len(files) == 1 else 0,
    )
    describe(opened, common)
    return opened


def _as_written(
    session: Session, place: Place, name: str, files: list[File], request: Request, notes: list[Sentence]
) -> tuple[list[File], list[Path], str, list[Dialect]]:
    """The CSV files that hold records, where each is read, their encoding, and how they are written."""
    files = _with_content(files, notes)
    readable, encoding = _decoded(place, files, request, notes, marked=True)
    # A release is written with column names, whatever they look like.
    header = True if request.header is None and find_recipe(request) is not None else request.header
    sniffed = [
        _sniffed(session, file, path, header, len(files) > 1, request.skip_lines or 0)
        for file, path in zip(files, readable, strict=True)
    ]
    files, readable, dialects = _with_records(files, readable, sniffed, notes)
    _same_shape(name, files, dialects)
    if header is None and dialects[0].header:
        _refuse_doubtful_header(name, dialects[0])
    if not dialects[0].header:
        notes.append(Sentence("source.no_header"))
    return files, readable, encoding, dialects


def _with_content(files: list[File], notes: list[Sentence]) -> list[File]:
    """The files that are not empty; parts without any record are common in what clusters write."""
    full = [file for file in files if file.path.stat().st_size > 0]
    if not full:
        raise SourceError("source.empty_file", short=short(files[0].shown))
    if len(full) < len(files):
        notes.append(Sentence("source.empty_files", count=format_number(len(files) - len(full))))
    return full


def _decoded(
    place: Place, files: list[File], request: Request, notes: list[Sentence], marked: bool
) -> tuple[list[Path], str]:
    """The files as UTF-8, decoded into the private folder where they are not, and what they were;
    ``marked`` says that the reader knows a byte order mark."""
    readable: list[Path] = []
    direct = ("utf-8", "utf-8-sig") if marked else ("utf-8",)
    encodings: dict[str, None] = {}
    for turn, file in enumerate(files):
        try:
            encoding = request.encoding or sniff_encoding(file.path)
            encodings[encoding] = None
            decoded_already = encoding in direct and request.encoding is None
            if decoded_already and not (marked and request.skip_lines):
                readable.append(file.path)
                continue
            target = place.folder / f"decoded-{turn}"
            transcode(file.path, encoding, target)
            if marked and request.skip_lines:
                target = without_lines(target, request.skip_lines)
        except SourceError as error:
            raise _about(file, error, len(files) > 1) from None
        readable.append(target)
    decoded = [encoding for encoding in encodings if encoding not in ("utf-8", "utf-8-sig")]
    if decoded:
        notes.append(Sentence("source.decoded", encodings=join_texts(sorted(decoded))))
    if any(encoding not in _SHOWN_ENCODINGS for encoding in decoded):
        notes.append(Sentence("source.printed_utf8"))
    return readable, next(iter(encodings))


def _sniffed(
    session: Session, file: File, path: Path, header: bool | None, several: bool, skipped: int
) -> Dialect | NoRecordsError:
    try:
        return _sniffed_as_laid_out(session, path, header)
    except NoRecordsError as error:
        if several:
            return error
        raise
    except SourceError as error:
        raise _about(file, error, several, skipped) from None


def _sniffed_as_laid_out(session: Session, path: Path, header: bool | None) -> Dialect:
    """Find the dialect of a file, or say what stands above its names or parts its fields."""
    try:
        dialect = sniff_dialect(session, path, header)
    except NoRecordsError:
        raise
    except SourceError:
        _refuse_title(path, header)
        refuse_other_parts(path, DELIMITERS)
        raise
    _refuse_title(path, header)
    if len(dialect.columns) == 1 or dialect.delimiter not in DELIMITERS:
        refuse_other_parts(path, DELIMITERS)
    return dialect


def _refuse_title(path: Path, header: bool | None) -> None:
    """Raise SourceError where lines seem to stand above the names and nobody said whether there are some."""
    if header is None and (lines := title_lines(path, DELIMITERS)):
        raise SourceError("source.title_above_header", lines=lines)


def _about(file: File, error: SourceError, several: bool, skipped: int = 0) -> SourceError:
    """The error with the name of the file, where it says which of several, and with the numbers of lines in
    the file, of which some were ``skipped``."""
    lines = {name: error.values[name] for name in _LINE_NUMBERS if name in error.values}
    if skipped and lines:
        moved = {name: line + skipped for name, line in lines.items() if isinstance(line, int)}
        error = SourceError(error.key, **{**error.values, **moved})
    return (
        SourceError("source.error_in_database_file", short=short(file.shown), error=error)
        if several
        else error
    )


def _with_records(
    files: list[File], readable: list[Path], dialects: list[Any], notes: list[Sentence]
) -> tuple[list[File], list[Path], list[Dialect]]:
    """Without the parts that hold a header and nothing else; that header has to be the others'."""
    kept = [i for i, dialect in enumerate(dialects) if isinstance(dialect, Dialect)]
    if not kept:
        raise SourceError(str(dialects[0]))
    first = dialects[kept[0]]
    for i, dialect in enumerate(dialects):
        if isinstance(dialect, NoRecordsError) and (not first.header or dialect.names != first.names):
            raise SourceError("source.single_line_not_header", short=short(files[i].shown))
    if len(kept) < len(dialects):
        notes.append(Sentence("source.headers_alone", count=format_number(len(dialects) - len(kept))))
    return [files[i] for i in kept], [readable[i] for i in kept], [dialects[i] for i in kept]


def _same_shape(name: str, files: list[File], dialects: list[Dialect]) -> None:
    """Raise SourceError, naming the first file that is written in another way than the first one."""
    first = dialects[0]
    for file, dialect in zip(files, dialects, strict=True):
        how = None
        if dialect.compression != first.compression:
            how = "is not compressed in the same way as"
        elif dialect.delimiter != first.delimiter:
            how = "has another delimiter than"
        elif dialect.header != first.header:
            how = "differs in whether it opens with a header line (give --header or --no-header) from"
        elif len(dialect.columns) != len(first.columns) or (first.header and dialect.names != first.names):
            moved = sorted(dialect.names) == sorted(first.names)
            how = "has the same columns in another order than" if moved else "has other columns than"
        elif (dialect.quote, dialect.escape) != (first.quote, first.escape):
            how = "quotes values in another way than"
        if how is not None:
            raise SourceError(
                "source.files_differ",
                name=name,
                short=short(file.shown),
                how=how,
                short_2=short(files[0].shown),
                alike=_ALIKE,
            )


def _common(dialects: list[Dialect]) -> Dialect:
    """One dialect for all files: a column whose type, or whose way to write a date, differs is text."""
    dates = len({d.date_format for d in dialects}) > 1
    stamps = len({d.timestamp_format for d in dialects}) > 1

    def kind(position: int) -> str:
        kinds = {dialect.columns[position][1] for dialect in dialects}
        differs = len(kinds) > 1 or (kinds == {"DATE"} and dates)
        return "VARCHAR" if differs or (stamps and is_timestamp(min(kinds))) else min(kinds)

    return replace(dialects[0], columns=tuple((name, kind(i)) for i, name in enumerate(dialects[0].names)))


def refuse_endless(
    session: Session, opened: Opened, records: Sql, called: Sequence[str], columns: Sequence[tuple[str, str]]
) -> None:
    """Raise SourceError where the engine read infinity, or the epoch, by a format: all are one day then.

    ``records`` is what was read, its columns ``called`` so; ``columns`` are their names for people and types.
    Opened again, they are as they are written.
    """
    moments = {
        f"c{place}": (name, column)
        for place, ((name, kind), column) in enumerate(zip(columns, called, strict=True))
        if kind == "DATE" or (is_timestamp(kind) and not kind.endswith("ZONE"))
    }
    if opened.written is None or not moments:
        return
    found = session.fetch_row(
        "days_of_formats", source=records, columns=[column for _, column in moments.values()]
    )
    if not any(found.values()):
        return
    texts = render("renamed", source=opened.written[0], names=[f"c{place}" for place in range(len(columns))])
    cells = session.fetch_row("endless_days", source=texts, columns=list(moments))
    for binding, (name, _) in moments.items():
        if cells[binding]:
            if opened.kind == "json":  # the types of a text file are found anew, in all of its records
                opened.relation, opened.printed_relation = opened.written
                opened.written, opened.again = None, lambda opened: None
            raise SourceError("source.infinite_date", name=name, opened=opened.name)


# --- JSON ----------------------------------------------------------------------------------------


_KEYS_NUMBERED = Sentence("source.keys_numbered")
_NO_DAY = "no day %Y"
#: How the engine ends a name that it gives because there is one like it.
_NUMBERED = re.compile(r"_\d+$")
_MISSING = frozenset(("na", "n/a", "nan", "null", "none", "-", "?", "*"))


def _refuse_doubtful_header(name: str, dialect: Dialect) -> None:
    """A person's record must never be taken for column names, which every report shows."""
    only_text = all(type_name == "VARCHAR" for name, type_name in dialect.columns if name.strip())
    if only_text and not look_like_names(dialect.names):
        raise SourceError("source.header_unclear", short=short(name))
    if any(cell.strip().casefold() in _MISSING for cell in dialect.names):
        raise SourceError("source.missing_value_in_header", short=short(name))


def open_json(session: Session, place: Place, inputs: Inputs, request: Request) -> Opened:
    """Open JSON files: lines, an array, or one object after the other; keys become columns."""
    name, files, notes = inputs.name, inputs.files, inputs.notes
    hive = is_hive(files, name)
    files = _with_content(files, notes)
    readable, encoding = _decoded(place, files, request, notes, marked=False)
    packed = [is_gzip(path) for path in readable]
    if len(set(packed)) > 1:
        raise SourceError("source.compressed_and_plain", name=name, alike=_ALIKE)

    printed = readable_paths(session, name, files, notes)

    def relation(paths: list[str], sample: int, written: bool = False) -> Sql:
        arguments: dict[str, str | int] = {
            "hive_partitioning": hive,
            "union_by_name": True,
            "sample_size": sample,
            "compression": "gzip" if packed[0] else "uncompressed",
        }
        if written:  # a format that no text has leaves all of them texts
            arguments |= {"dateformat": _NO_DAY, "timestampformat": _NO_DAY}
        return render("read_json", paths=paths, arguments=arguments)

    def describe(opened: Opened, sample: int) -> None:
        opened.relation = relation([engine_path(path) for path in readable], sample)
        opened.printed_relation = relation(printed, sample)
        every = ([engine_path(path) for path in readable], printed)
        opened.written = relation(every[0], sample, True), relation(every[1], sample, True)

    def true_names(called: list[str]) -> list[str]:
        bases = [_NUMBERED.sub("", name) for name in called]
        numbered = {name for name, base in zip(called, bases, strict=True) if name != base}
        if not numbered or not alike(bases):
            return called
        arguments = {"format": "auto", "compression": "gzip" if packed[0] else "uncompressed"}
        rows = session.run("json_keys", paths=[engine_path(path) for path in readable], arguments=arguments)
        keys = {row["key"] for row in rows}
        if keys & numbered and not keys.issuperset(called):
            if _KEYS_NUMBERED not in notes:
                notes.append(_KEYS_NUMBERED)
            return called  # a key looks like what the engine calls another one
        return [
            base if name not in keys and base in keys else name
            for name, base in zip(called, bases, strict=True)
        ]

    opened = Opened(
        short(name),
        "json",
        None,
        paths=[str(path) for path in readable],
        files=[file.path for file in files],
        encoding=encoding,
        notes=notes,
        copied=True,
        true_names=true_names,
        again=lambda opened: describe(opened, -1),
        unreadable=f'"{short(name)}" cannot be read as JSON: it is damaged or cut off, or an object holds a '
        "key twice; repair it, one JSON object a line.",
    )
    describe(opened, SAMPLE_RECORDS)
    return opened
