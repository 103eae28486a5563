"""Detects the dialect of CSV files with DuckDB, and corrects it where data would be lost.

DuckDB's detection is compared with Python's csv module on a sample. A file whose lines would be skipped,
padded or read as one column is refused, with the line. :func:`read_csv_options` states every choice, so that
nothing is detected again later. No message holds a value of the data, and none names the file: it may be a
private copy, and the caller knows its name for people.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from duckrisk.base.errors import SourceError, format_message
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, render
from duckrisk.engine.types import is_timestamp
from duckrisk.source.encoding import LineCounter, is_gzip, open_bytes, read_chunks
from duckrisk.source.files import escape_glob

#: Records from which the dialect is detected (derived: the default of DuckDB).
SAMPLE_RECORDS = 20_480
#: Characters of the longest line that is accepted (derived: DuckDB allows 2,000,000 bytes).
MAX_LINE_CHARACTERS = 2_000_000

#: Format of dates that the engine reads without a format.
_ISO = "%Y-%m-%d"
DELIMITERS = (",", ";", "\t", "|")
#: Named arguments of DuckDB's reader: texts, numbers, truth values, and column types by name.
CsvOptions = dict[str, str | int | dict[str, str]]


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is read.

    Attributes:
        delimiter: Character between fields.
        quote: Character around fields; "" if quotes have no meaning in the file.
        escape: Character before a quote in a field; equals ``quote`` if a quote is doubled.
        has_header: Whether the first record holds the names.
        columns: Name and DuckDB type of each column, in order. Names are those of the header, with blanks,
            repetitions and empty ones; without header they are c0, c1, ...
        date_format: strptime pattern; None for DuckDB's own format.
        timestamp_format: The same for timestamps.
        compression: ``gzip`` or ``none``.
    """

    delimiter: str
    quote: str
    escape: str
    has_header: bool
    columns: tuple[tuple[str, str], ...]
    date_format: str | None = None
    timestamp_format: str | None = None
    compression: str = "none"

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [name for name, _ in self.columns]

    @property
    def read_types(self) -> list[str]:
        """The types that columns are opened with.

        Days with a format are texts at first: the engine has one format for all columns, and takes the
        century of two digits from the clock.
        """
        return ["VARCHAR" if self.is_formatted(kind) else kind for _, kind in self.columns]

    def is_formatted(self, kind: str) -> bool:
        """Return whether columns of a type are read by a format."""
        days = kind == "DATE" and self.date_format not in (None, _ISO)
        return days or (is_timestamp(kind) and self.timestamp_format is not None)


class NoRecordsError(SourceError):
    """The file has a header but no records.

    Args:
        names: The names in the header.
    """

    def __init__(self, names: list[str]) -> None:
        super().__init__(format_message("source.header_without_records"))
        self.names = names


def sniff_dialect(session: Session, path: Path, header: bool | None = None) -> Dialect:
    """Detect the dialect of a CSV file and its columns.

    Lines are never skipped or padded. Differences after the first SAMPLE_RECORDS records appear when the file
    is read: see :func:`widen_types`.

    Args:
        session: The session that reads the file.
        path: A UTF-8 file, or one in gzip.
        header: Whether the first record holds the names. If None, DuckDB decides: it does if one of its
            values does not fit the type of the column below it, and if all columns are texts. So a table of
            texts without header loses its first record unless the caller gives False.

    Raises:
        SourceError: The file is empty, has NUL bytes or only a header, has lines with other numbers of fields
            or other ends, or seems to begin with a title. The message names the line, from 1, if possible.
    """
    _refuse_empty_or_nul(path)
    options: CsvOptions = {"sample_size": SAMPLE_RECORDS}
    if header is not None:
        options["header"] = header
    try:
        sniffed = _sniff(session, path, options)
    except SourceError:
        raise _structure_error(path, _guess_delimiter(path), '"', '"', None) from None
    quote = sniffed.quote or '"'
    escape = sniffed.escape or quote
    if sniffed.skipped > 0:
        raise _structure_error(path, sniffed.delimiter, quote, escape, None)
    width = len(sniffed.types)
    if width == 1:
        _refuse_hidden_columns(path, quote, escape)
    dialect = Dialect(
        delimiter=sniffed.delimiter,
        quote=quote,
        escape=escape,
        has_header=sniffed.has_header,
        columns=tuple((f"c{position}", type_name) for position, type_name in enumerate(sniffed.types)),
        date_format=sniffed.date_format,
        timestamp_format=sniffed.timestamp_format,
        compression="gzip" if is_gzip(path) else "none",
    )
    # DuckDB would take a blank line on top for the header, and the header for data.
    shape = _measure_shape(path, dialect.delimiter, quote, escape, SAMPLE_RECORDS)
    if not shape.first:
        raise SourceError("source.blank_line", line=1)
    dialect, records = _settle_quote(session, path, dialect, bool(sniffed.quote))
    if dialect.quote != quote:
        shape = _measure_shape(path, dialect.delimiter, dialect.quote, dialect.escape, SAMPLE_RECORDS)
    # Python's csv module differs from DuckDB on an escape outside quotes. In such files only the header is
    # compared with the detected width; DuckDB checks the other lines.
    bad_line = shape.first_other(width) if dialect.escape == dialect.quote else None
    if bad_line is None and shape.first != width:
        bad_line = (1, shape.first)
    if bad_line is not None:
        raise _field_count_error(*bad_line, width)
    ordered = _render_texts(path, replace(dialect, has_header=False), ordered=True)
    names = [name or "" for name in session.fetch_row("first_record", source=ordered).values()]
    if header is None and not dialect.has_header and _has_unnamed_index(names, dialect.columns):
        dialect, records = replace(dialect, has_header=True), records - 1
    if dialect.has_header:
        if records == 0:
            raise NoRecordsError(names)
        types = [type_name for _, type_name in dialect.columns]
        dialect = replace(dialect, columns=tuple(zip(names, types, strict=True)))
    return _keep_lossy_as_text(session, path, dialect, SAMPLE_RECORDS)


def _has_unnamed_index(names: list[str], columns: tuple[tuple[str, str], ...]) -> bool:
    """Return whether a first record is blank at first and text in all other columns.

    DataFrames with an unnamed index are written so; DuckDB takes the blanks for missing numbers.
    """
    named = list(itertools.dropwhile(lambda pair: not pair[0].strip(), zip(names, columns, strict=True)))
    return 0 < len(named) < len(names) and all(name.strip() and t == "VARCHAR" for name, (_, t) in named)


def widen_types(session: Session, path: Path, dialect: Dialect) -> Dialect:
    """Detect the types again from all records of a file.

    It is for a file with a later value that does not fit the types of the first records. Takes two slow
    passes, within DuckDB's memory limit.

    Args:
        session: The session that reads the file.
        path: A UTF-8 file, or one in gzip.
        dialect: Its dialect; only types and formats change.

    Raises:
        SourceError: The file cannot be read with this dialect; the message names the line.
    """
    try:
        # The detection skips short and long lines silently; reading does not.
        _count_records(session, path, dialect, None)
        sniffed = _sniff(
            session,
            path,
            {
                "sample_size": -1,
                "delim": dialect.delimiter,
                "quote": dialect.quote,
                "escape": dialect.escape,
                "header": dialect.has_header,
                "skip": 0,
            },
        )
    except SourceError:
        raise _dialect_error(path, dialect) from None
    if len(sniffed.types) != len(dialect.columns) or sniffed.skipped > 0:
        raise _dialect_error(path, dialect)
    widened = replace(
        dialect,
        columns=tuple(zip(dialect.names, sniffed.types, strict=True)),
        date_format=sniffed.date_format,
        timestamp_format=sniffed.timestamp_format,
    )
    return _keep_lossy_as_text(session, path, widened, None)


def read_csv_options(dialect: Dialect, all_varchar: bool = False) -> CsvOptions:
    """Return all named arguments of DuckDB's ``read_csv``.

    Nothing is detected again. The columns are c0, c1, ... in the order of the file: no name of the file
    reaches the engine. An empty field is NULL, a quoted empty one the empty text.

    ``new_line`` is left to DuckDB: with a wrong one it returns no rows and no error, and without it, it
    refuses a file with several kinds of line ends.

    Args:
        dialect: The dialect of the file.
        all_varchar: Whether all columns are texts.
    """
    types = ["VARCHAR" if all_varchar else type_name for type_name in dialect.read_types]
    options: CsvOptions = {
        "delim": dialect.delimiter,
        "quote": dialect.quote,
        "escape": dialect.escape,
        "header": dialect.has_header,
        "skip": 0,
        "columns": {f"c{position}": type_name for position, type_name in enumerate(types)},
        "auto_detect": False,
        "strict_mode": True,
        "null_padding": False,
        "ignore_errors": False,
        "allow_quoted_nulls": False,
        "nullstr": "",
        "comment": "",
        "compression": dialect.compression,
        "encoding": "utf-8",
        "decimal_separator": ".",
        "hive_partitioning": False,
    }
    return options


# --- what DuckDB detects -------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sniffed:
    delimiter: str
    quote: str
    escape: str
    skipped: int
    has_header: bool
    types: tuple[str, ...]
    date_format: str | None
    timestamp_format: str | None


def _sniff(session: Session, path: Path, options: CsvOptions) -> _Sniffed:
    """Return what DuckDB detects; raise SourceError if it gives up."""
    # Missing values are read as in `read_csv_options`, or the types would not fit.
    options = options | {
        "allow_quoted_nulls": False,
        "nullstr": "",
        "null_padding": False,
        "strict_mode": True,
        "comment": "",
        "compression": "gzip" if is_gzip(path) else "none",
    }
    row = session.fetch_row("sniff_csv", path=escape_glob(path), arguments=options)
    return _Sniffed(
        delimiter=row["delimiter"],
        quote="" if row["quote"] == "(empty)" else row["quote"],
        escape="" if row["escape"] == "(empty)" else row["escape"],
        skipped=row["skipped"],
        has_header=row["header"],
        types=tuple(column["type"] for column in row["columns"]),
        date_format=row["date_format"] or None,
        timestamp_format=row["timestamp_format"] or None,
    )


def _render_texts(path: Path, dialect: Dialect, *, ordered: bool = False) -> Sql:
    """Return a file as a relation of texts; ``ordered`` keeps the order of records."""
    options = read_csv_options(dialect, all_varchar=True) | ({"parallel": False} if ordered else {})
    return render("read_csv", paths=[escape_glob(path)], arguments=options)


def _settle_quote(session: Session, path: Path, dialect: Dialect, quote_seen: bool) -> tuple[Dialect, int]:
    """Read the sample with and without quotes; return what works and the records.

    DuckDB reports "no quote" for a sample without quoted values and for one with quotes as characters
    (inches, feet). The first needs a quote, for a quoted value may come later; the second none. So the quote
    is tried first. It is given up only if it encloses no field of the sample: otherwise a quote is broken.
    """
    try:
        return dialect, _count_records(session, path, dialect, SAMPLE_RECORDS)
    except SourceError:
        if quote_seen or _has_quoted_field(path, dialect):
            raise _dialect_error(path, dialect) from None
    plain = replace(dialect, quote="", escape="")
    try:
        return plain, _count_records(session, path, plain, SAMPLE_RECORDS)
    except SourceError:
        raise _dialect_error(path, dialect) from None


def _count_records(session: Session, path: Path, dialect: Dialect, most: int | None) -> int:
    """Read the first ``most`` records (all when None) as text and count them."""
    counted: int = session.fetch_row("count_records", source=_render_texts(path, dialect), most=most)[
        "records"
    ]
    return counted


def _keep_lossy_as_text(session: Session, path: Path, dialect: Dialect, most: int | None) -> Dialect:
    """Make columns texts if different values would become one number or time.

    Long account numbers are the usual example; by a format the engine reads infinity as 1900-01-01. DuckDB 2
    detects wide integers where 1.5 takes DOUBLE; both become texts, so that versions agree.

    ``most`` is the number of records that are examined; None for all.
    """
    types = {f"c{position}": type_name for position, (_, type_name) in enumerate(dialect.columns)}
    lossy = {column for column, type_name in types.items() if type_name in _WIDE_INTEGERS}
    formatted = [column for column, t in types.items() if dialect.is_formatted(t)]
    suspects = [
        column for column, t in types.items() if t == "DOUBLE" or t.startswith("TIME") or column in formatted
    ]
    for start in range(0, len(suspects), _BATCH_COLUMNS):
        group = suspects[start : start + _BATCH_COLUMNS]
        try:
            row = session.fetch_row(
                "lossy_columns",
                source=_render_texts(path, dialect),
                numbers=[column for column in group if types[column] == "DOUBLE"],
                moments=[column for column in group if types[column] != "DOUBLE"],
                formatted=[column for column in group if column in formatted],
                most=most,
            )
        except SourceError:
            raise _dialect_error(path, dialect) from None
        lossy |= {column for column, hit in row.items() if hit}
    return replace(
        dialect,
        columns=tuple(
            (name, "VARCHAR" if f"c{position}" in lossy else type_name)
            for position, (name, type_name) in enumerate(dialect.columns)
        ),
    )


#: Columns of a statement; each parses the whole file (measured on 2,000 columns: batches of 100, 500 and
#: 2,000 take 4.2, 3.0 and 3.3 s of CPU).
_BATCH_COLUMNS = 500
_WIDE_INTEGERS = frozenset({"HUGEINT", "UHUGEINT", "BIGNUM", "VARINT"})


# --- lines and records ---------------------------------------------------------------------------


def _refuse_empty_or_nul(path: Path) -> None:
    """Read all bytes once, and refuse a NUL byte and a file of nothing but line ends."""
    counter = LineCounter()
    empty, at_start = True, True
    with open_bytes(path) as stream:
        for chunk in read_chunks(stream):
            position = chunk.find(b"\0")
            if position >= 0:
                counter.feed(chunk[:position])
                raise SourceError("source.nul_byte", line=counter.line)
            counter.feed(chunk)
            if empty:
                content = chunk.removeprefix(b"\xef\xbb\xbf") if at_start else chunk
                empty = not content.strip(b"\r\n")
            at_start = False
    if empty:
        raise SourceError("source.empty_csv")


@dataclass
class _Shape:
    """Fields of the first record, and the first lines with each number of fields and end."""

    first: int = 0
    widths: Counter[int] = field(default_factory=Counter)
    first_line: dict[int, int] = field(default_factory=dict)
    endings: dict[str, int] = field(default_factory=dict)

    def most_frequent(self) -> int:
        """Return the most frequent number of fields, in a draw the earlier one."""
        return max(self.widths, key=lambda width: (self.widths[width], -self.first_line[width]))

    def first_other(self, width: int) -> tuple[int, int] | None:
        """Return the first line without ``width`` fields, and how many it has."""
        others = [(line, fields) for fields, line in self.first_line.items() if fields != width]
        return min(others) if others else None


@contextmanager
def _open_lines(path: Path) -> Iterator[Iterator[str]]:
    """Yield the lines of a UTF-8 file with their ends, without byte order mark."""
    with open_bytes(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        try:
            yield _lines(text)
        finally:
            text.detach()  # the stream is closed by its own context


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    number = 0
    try:
        while line := text.readline(MAX_LINE_CHARACTERS):
            number += 1
            if len(line) >= MAX_LINE_CHARACTERS and line[-1] not in "\r\n":
                raise SourceError(
                    "source.line_too_long", number=number, max_line_characters=MAX_LINE_CHARACTERS
                )
            yield line
    except UnicodeDecodeError:
        raise SourceError("source.not_utf8_after_line", number=number) from None


def _measure_shape(path: Path, delimiter: str, quote: str, escape: str, most: int | None) -> _Shape:
    """Read the first ``most`` records (all if None) with Python's csv module.

    A blank first line is a record of one field; other blank lines are no records, as in DuckDB (which reads
    NULL from them if there is only one column). Stops at a field longer than the csv module allows (131,072
    characters), which is an error in the first record.

    Raises SourceError as well if the first record has a quoted line break unlike the one at its end, as Excel
    writes them. DuckDB takes the first line break of a file, quoted or not, for the end of records, and then
    finds no records, without an error; ``new_line`` does not help.
    """
    shape = _Shape()
    ends: list[str] = []

    def watched(lines: Iterator[str]) -> Iterator[str]:
        for line in lines:
            ends.append(line[len(line.rstrip("\r\n")) :])
            yield line

    with _open_lines(path) as lines:
        reader = csv.reader(
            watched(lines),
            delimiter=delimiter,
            quotechar=quote or None,
            quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
            doublequote=escape in ("", quote),
            escapechar=escape if escape not in ("", quote) else None,
            skipinitialspace=True,  # as DuckDB allows blanks between a delimiter and a quote
        )
        line_before, records = 0, 0
        try:
            for record in reader:
                line, line_before = line_before + 1, reader.line_num
                if ends[-1]:
                    shape.endings.setdefault(ends[-1], line)
                if records == 0:
                    shape.first = len(record)
                    if ends[-1] and set(ends) != {ends[-1]}:
                        raise SourceError("source.line_break_in_header")
                ends.clear()
                records += 1
                if record or records == 1:
                    shape.widths[len(record)] += 1
                    shape.first_line.setdefault(len(record), line)
                if records == most:
                    break
        except csv.Error:
            if records == 0:
                raise SourceError("source.field_too_long") from None
    return shape


def _has_quoted_field(path: Path, dialect: Dialect) -> bool:
    """Return whether a field of the sample begins and ends with the quote."""
    d, q = re.escape(dialect.delimiter), re.escape(dialect.quote)
    quoted = re.compile(f"(?:^|{d}) *{q}[^{q}]*{q} *(?:{d}|$)")
    with _open_lines(path) as lines:
        return any(quoted.search(line.rstrip("\r\n")) for line in itertools.islice(lines, SAMPLE_RECORDS))


def _refuse_hidden_columns(path: Path, quote: str, escape: str) -> None:
    """Refuse a file of one column to DuckDB whose lines have a delimiter.

    DuckDB reads lines with different numbers of fields so. One column is accepted if the first record has no
    delimiter outside quotes, and neither has another one: free text has some commas.
    """
    for delimiter in DELIMITERS:
        shape = _measure_shape(path, delimiter, quote, escape, SAMPLE_RECORDS)
        if not shape.first:
            return  # a blank first line has its own message
        if shape.first > 1 or 1 not in shape.widths:
            usual = shape.most_frequent()
            if other := shape.first_other(usual):
                raise _field_count_error(*other, usual)
            raise SourceError("source.unquoted_delimiter", delimiter=repr(delimiter))


def _guess_delimiter(path: Path) -> str:
    """Return the delimiter that splits most records, for the line in a message."""
    split = {}
    for candidate in DELIMITERS:
        shape = _measure_shape(path, candidate, '"', '"', SAMPLE_RECORDS)
        split[candidate] = sum(count for width, count in shape.widths.items() if width > 1)
    return max(split, key=lambda candidate: split[candidate])


def _dialect_error(path: Path, dialect: Dialect) -> SourceError:
    return _structure_error(path, dialect.delimiter, dialect.quote, dialect.escape, len(dialect.columns))


def _structure_error(path: Path, delimiter: str, quote: str, escape: str, width: int | None) -> SourceError:
    """Describe why a file cannot be read record by record.

    ``width`` is the expected number of fields; None for the most frequent one.
    """
    shape = _measure_shape(path, delimiter, quote, escape, None)
    if len(shape.endings) > 1:
        line = sorted(shape.endings.values())[1]
        return SourceError("source.mixed_line_ends", line=line)
    if not shape.first:
        return SourceError("source.blank_line", line=1)
    expected = shape.most_frequent() if width is None else width
    if other := shape.first_other(expected):
        return _field_count_error(*other, expected)
    return SourceError("source.malformed_csv")


def _field_count_error(line: int, count: int, expected: int) -> SourceError:
    fields = "1 field" if count == 1 else f"{count} fields"
    return SourceError(
        "source.field_count_differs",
        line=line,
        fields=fields,
        expected="1 is" if expected == 1 else f"{expected} are",
    )
