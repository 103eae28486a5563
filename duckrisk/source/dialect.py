"""The dialect of a text file with separated values: found by DuckDB, corrected where it would lose data.

DuckDB's own detection is held against a reading of the sample with Python's csv module: what would be
skipped, padded, or read as one column is refused, with the line. Nothing is detected again later:
:func:`read_csv_options` spells every choice out. No message holds a value of the data, and none names
the file: what is read may be a private copy, and the caller knows what the user called it.
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

from duckrisk.base.errors import SourceError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, render
from duckrisk.engine.types import is_timestamp
from duckrisk.source.encoding import LineCounter, chunks, is_gzip, open_bytes
from duckrisk.source.files import engine_path

#: How many records are looked at before the dialect is settled (DuckDB's own default).
SAMPLE_RECORDS = 20_480
#: Longest line accepted while looking for the header; DuckDB's own limit is 2,000,000 bytes.
MAX_LINE_CHARACTERS = 2_000_000

#: How dates are written that the engine reads without a format.
_ISO = "%Y-%m-%d"
DELIMITERS = (",", ";", "\t", "|")
#: Named arguments of DuckDB's reader: texts, numbers, truth values, and the types of columns by their names.
CsvOptions = dict[str, str | int | dict[str, str]]


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is read.

    ``columns`` holds the true name from the header (verbatim: blanks, duplicates and empty names are
    kept) and the DuckDB type, in the order of the file. Without header the names are c0, c1 and so on.
    ``quote`` is "" when quotes have no meaning in the file; ``escape`` equals ``quote`` when a quote is
    doubled. The formats are strptime patterns, None for DuckDB's own reading.
    """

    delimiter: str
    quote: str
    escape: str
    header: bool
    columns: tuple[tuple[str, str], ...]
    date_format: str | None = None
    timestamp_format: str | None = None
    compression: str = "none"

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.columns]

    @property
    def reads_by_format(self) -> bool:
        """Whether some days or moments are read by a format, not as the engine reads those of ISO 8601."""
        return any(self.is_formatted(kind) for _, kind in self.columns)

    @property
    def read_types(self) -> list[str]:
        """Return the types that columns are opened with: days that need a format are texts at first, for the
        engine has one format for all columns, and its clock for the century of two digits."""
        return ["VARCHAR" if self.is_formatted(kind) else kind for _, kind in self.columns]

    def is_formatted(self, kind: str) -> bool:
        """Whether columns of this type are read by a format."""
        days = kind == "DATE" and self.date_format not in (None, _ISO)
        return days or (is_timestamp(kind) and self.timestamp_format is not None)


class NoRecordsError(SourceError):
    """The file has a header, in ``names``, and nothing else."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(
            "The file has a header but no records; if its first line is a record, give --no-header."
        )
        self.names = names


def sniff_dialect(session: Session, path: Path, header: bool | None = None) -> Dialect:
    """Find the dialect of a UTF-8 CSV file (or one in gzip) and its columns.

    ``header`` says whether the first record holds the names. When it is None, DuckDB decides: the first
    record is the header when one of its values does not fit the type that the column has below it (a
    number, a date), and also when all columns are text. A headerless table of nothing but text therefore
    loses its first record to the header: only the caller can know, and says so with ``header=False``.

    Raises SourceError, naming the line (counted from 1) where there is one, when the file is empty, holds
    NUL bytes or only a header, when lines differ in their number of fields or in how they end, or when
    the file seems to have a title or a comment before the header. Lines are never skipped or padded.
    Differences after the first SAMPLE_RECORDS records show when the file is read: see :func:`widen`.
    """
    _refuse_empty_or_nul(path)
    options: CsvOptions = {"sample_size": SAMPLE_RECORDS}
    if header is not None:
        options["header"] = header
    try:
        sniffed = _sniff(session, path, options)
    except SourceError:
        raise _structure_error(path, _likely_delimiter(path), '"', '"', None) from None
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
        header=sniffed.header,
        columns=tuple((f"c{position}", type_name) for position, type_name in enumerate(sniffed.types)),
        date_format=sniffed.date_format,
        timestamp_format=sniffed.timestamp_format,
        compression="gzip" if is_gzip(path) else "none",
    )
    # The first record decides how the file starts, before DuckDB is asked to read it: with blank lines
    # on top it would take a blank one for the header and the header for data.
    shape = _shape(path, dialect.delimiter, quote, escape, SAMPLE_RECORDS)
    if not shape.first:
        raise SourceError("source.blank_line", line=1)
    dialect, records = _settle_quote(session, path, dialect, bool(sniffed.quote))
    if dialect.quote != quote:
        shape = _shape(path, dialect.delimiter, dialect.quote, dialect.escape, SAMPLE_RECORDS)
    # Python's csv differs from DuckDB on an escape outside quotes, so for such files only the header is
    # held against the detected width; DuckDB checks the other lines itself.
    bad_line = shape.first_other(width) if dialect.escape == dialect.quote else None
    if bad_line is None and shape.first != width:
        bad_line = (1, shape.first)
    if bad_line is not None:
        raise _ragged(*bad_line, width)
    ordered = _relation(path, replace(dialect, header=False), ordered=True)
    names = [name or "" for name in session.fetch_row("first_record", source=ordered).values()]
    if header is None and not dialect.header and _may_name_all_but_an_index(names, dialect.columns):
        dialect, records = replace(dialect, header=True), records - 1
    if dialect.header:
        if records == 0:
            raise NoRecordsError(names)
        types = [type_name for _, type_name in dialect.columns]
        dialect = replace(dialect, columns=tuple(zip(names, types, strict=True)))
    return _without_loss(session, path, dialect, SAMPLE_RECORDS)


def _may_name_all_but_an_index(names: list[str], columns: tuple[tuple[str, str], ...]) -> bool:
    """Return whether a first record is blank in its first columns and text among texts in all others.

    A frame is written so with an index that has no name; DuckDB takes blank cells for missing numbers.
    """
    named = list(itertools.dropwhile(lambda pair: not pair[0].strip(), zip(names, columns, strict=True)))
    return 0 < len(named) < len(names) and all(name.strip() and t == "VARCHAR" for name, (_, t) in named)


def widen(session: Session, path: Path, dialect: Dialect) -> Dialect:
    """Detect the types again, over all records of the file, everything else as in ``dialect``.

    For a file that could not be read to its end: a later value does not fit the type that the first
    records suggest. Takes two slow passes; DuckDB's memory limit holds. Raises SourceError, with the
    line, when the file cannot be read with this dialect at all.
    """
    try:
        # The sniffer passes over short and long lines without a word; reading does not.
        _count(session, path, dialect, None)
        sniffed = _sniff(
            session,
            path,
            {
                "sample_size": -1,
                "delim": dialect.delimiter,
                "quote": dialect.quote,
                "escape": dialect.escape,
                "header": dialect.header,
                "skip": 0,
            },
        )
    except SourceError:
        raise _error_in(path, dialect) from None
    if len(sniffed.types) != len(dialect.columns) or sniffed.skipped > 0:
        raise _error_in(path, dialect)
    widened = replace(
        dialect,
        columns=tuple(zip(dialect.names, sniffed.types, strict=True)),
        date_format=sniffed.date_format,
        timestamp_format=sniffed.timestamp_format,
    )
    return _without_loss(session, path, widened, None)


def read_csv_options(dialect: Dialect, all_varchar: bool = False) -> CsvOptions:
    """The named arguments for DuckDB's ``read_csv``, complete, so that nothing is detected again.

    The columns come out as c0, c1, ... in the order of the file, whatever the header says: no name of
    the file reaches the engine. With ``all_varchar`` all of them are text. An empty field is NULL; a
    quoted empty one is the empty string.

    The line ending is left to DuckDB on purpose: a wrong ``new_line`` makes it return no rows without an
    error, whereas without it a file that mixes line ends is refused.
    """
    types = ["VARCHAR" if all_varchar else type_name for type_name in dialect.read_types]
    options: CsvOptions = {
        "delim": dialect.delimiter,
        "quote": dialect.quote,
        "escape": dialect.escape,
        "header": dialect.header,
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
    header: bool
    types: tuple[str, ...]
    date_format: str | None
    timestamp_format: str | None


def _sniff(session: Session, path: Path, options: CsvOptions) -> _Sniffed:
    """What DuckDB detects. Raises SourceError when it gives up."""
    # The same reading of missing values as in `read_csv_options`, or the types would not fit.
    options = options | {
        "allow_quoted_nulls": False,
        "nullstr": "",
        "null_padding": False,
        "strict_mode": True,
        "comment": "",
        "compression": "gzip" if is_gzip(path) else "none",
    }
    row = session.fetch_row("sniff_csv", path=engine_path(path), arguments=options)
    return _Sniffed(
        delimiter=row["delimiter"],
        quote="" if row["quote"] == "(empty)" else row["quote"],
        escape="" if row["escape"] == "(empty)" else row["escape"],
        skipped=row["skipped"],
        header=row["header"],
        types=tuple(column["type"] for column in row["columns"]),
        date_format=row["date_format"] or None,
        timestamp_format=row["timestamp_format"] or None,
    )


def _relation(path: Path, dialect: Dialect, *, ordered: bool = False) -> Sql:
    """The file as a relation of text; with ``ordered`` its records come in their order."""
    options = read_csv_options(dialect, all_varchar=True) | ({"parallel": False} if ordered else {})
    return render("read_csv", paths=[engine_path(path)], arguments=options)


def _settle_quote(session: Session, path: Path, dialect: Dialect, quote_seen: bool) -> tuple[Dialect, int]:
    """Try to read the sample; returns the dialect that works and the records read.

    DuckDB reports "no quote" both when the sample holds no quoted value and when quotes in it are plain
    characters (inches, feet). The first needs the usual quote, for a quoted value may come later; the
    second none. So the usual quote is tried first. It is given up only when no field of the sample is
    quoted as a whole: otherwise the file has a broken quote.
    """
    try:
        return dialect, _count(session, path, dialect, SAMPLE_RECORDS)
    except SourceError:
        if quote_seen or _has_quoted_field(path, dialect):
            raise _error_in(path, dialect) from None
    plain = replace(dialect, quote="", escape="")
    try:
        return plain, _count(session, path, plain, SAMPLE_RECORDS)
    except SourceError:
        raise _error_in(path, dialect) from None


def _count(session: Session, path: Path, dialect: Dialect, most: int | None) -> int:
    """Read the first ``most`` records (all when None) as text and count them."""
    counted: int = session.fetch_row("count_records", source=_relation(path, dialect), most=most)["records"]
    return counted


def _without_loss(session: Session, path: Path, dialect: Dialect, most: int | None) -> Dialect:
    """Read as text what a number or a time would blur: different values must stay different.

    Long account numbers are the usual victims; by a format the engine reads infinity as 1900-01-01. DuckDB 2
    detects wider integers where 1.5 takes DOUBLE; both become text, so that versions agree. Looks at the
    first ``most`` records, at all when None.
    """
    types = {f"c{position}": type_name for position, (_, type_name) in enumerate(dialect.columns)}
    lossy = {column for column, type_name in types.items() if type_name in _WIDE_INTEGERS}
    formatted = [column for column, t in types.items() if dialect.is_formatted(t)]
    suspects = [
        column for column, t in types.items() if t == "DOUBLE" or t.startswith("TIME") or column in formatted
    ]
    for start in range(0, len(suspects), _TOGETHER):
        group = suspects[start : start + _TOGETHER]
        try:
            row = session.fetch_row(
                "blurred_columns",
                source=_relation(path, dialect),
                numbers=[column for column in group if types[column] == "DOUBLE"],
                moments=[column for column in group if types[column] != "DOUBLE"],
                formatted=[column for column in group if column in formatted],
                most=most,
            )
        except SourceError:
            raise _error_in(path, dialect) from None
        lossy |= {column for column, hit in row.items() if hit}
    return replace(
        dialect,
        columns=tuple(
            (name, "VARCHAR" if f"c{position}" in lossy else type_name)
            for position, (name, type_name) in enumerate(dialect.columns)
        ),
    )


#: Columns of a statement; each statement parses all of the file.
_TOGETHER = 500
_WIDE_INTEGERS = frozenset({"HUGEINT", "UHUGEINT", "BIGNUM", "VARINT"})


# --- lines and records ---------------------------------------------------------------------------


def _refuse_empty_or_nul(path: Path) -> None:
    """Go through all bytes once: nothing but line ends, or a NUL byte, is an error."""
    counter = LineCounter()
    empty, at_start = True, True
    with open_bytes(path) as stream:
        for chunk in chunks(stream):
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
    """Fields of the first record, and where numbers of fields and line ends occur first."""

    first: int = 0
    widths: Counter[int] = field(default_factory=Counter)
    first_line: dict[int, int] = field(default_factory=dict)
    endings: dict[str, int] = field(default_factory=dict)

    def usual(self) -> int:
        """The most frequent number of fields; of two equally frequent ones the earlier."""
        return max(self.widths, key=lambda width: (self.widths[width], -self.first_line[width]))

    def first_other(self, width: int) -> tuple[int, int] | None:
        """First line whose record does not have ``width`` fields, and how many it has."""
        others = [(line, fields) for fields, line in self.first_line.items() if fields != width]
        return min(others) if others else None


@contextmanager
def _open_lines(path: Path) -> Iterator[Iterator[str]]:
    """The lines of a UTF-8 file with their ends, the byte order mark taken off."""
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


def _shape(path: Path, delimiter: str, quote: str, escape: str, most: int | None) -> _Shape:
    """Go through the first ``most`` records (all when None) with Python's csv module.

    A blank line counts as a record of one field only where it stands first; elsewhere it is no record,
    as in DuckDB (which reads NULL from it when there is only one column). Stops early, with what was
    seen, at a field longer than the csv module takes (131,072 characters).

    Raises SourceError when that is the first record, and when the first record holds a line break in
    quotes unlike the one at its end. Excel writes such headers. DuckDB takes the first line break of a
    file, quoted or not, for the one that ends records; reading then gives no records at all, without an
    error, and its ``new_line`` option does not help.
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
            skipinitialspace=True,  # DuckDB lets blanks stand between a delimiter and a quote; so must this
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
    """Whether some field of the sample starts and ends with the quote, taken as a character."""
    d, q = re.escape(dialect.delimiter), re.escape(dialect.quote)
    quoted = re.compile(f"(?:^|{d}) *{q}[^{q}]*{q} *(?:{d}|$)")
    with _open_lines(path) as lines:
        return any(quoted.search(line.rstrip("\r\n")) for line in itertools.islice(lines, SAMPLE_RECORDS))


def _refuse_hidden_columns(path: Path, quote: str, escape: str) -> None:
    """Refuse a file that DuckDB reads as one column although its lines hold a delimiter.

    That is how DuckDB evades ragged lines. One column is believed when the first record has no delimiter
    outside quotes, and neither has some other one: free text has commas here and there.
    """
    for delimiter in DELIMITERS:
        shape = _shape(path, delimiter, quote, escape, SAMPLE_RECORDS)
        if not shape.first:
            return  # a blank first line has its own message
        if shape.first > 1 or 1 not in shape.widths:
            usual = shape.usual()
            if other := shape.first_other(usual):
                raise _ragged(*other, usual)
            raise SourceError("source.unquoted_delimiter", delimiter=repr(delimiter))


def _likely_delimiter(path: Path) -> str:
    """The delimiter that splits most records, for pointing at a line when DuckDB gives up."""
    split = {}
    for candidate in DELIMITERS:
        shape = _shape(path, candidate, '"', '"', SAMPLE_RECORDS)
        split[candidate] = sum(count for width, count in shape.widths.items() if width > 1)
    return max(split, key=lambda candidate: split[candidate])


def _error_in(path: Path, dialect: Dialect) -> SourceError:
    return _structure_error(path, dialect.delimiter, dialect.quote, dialect.escape, len(dialect.columns))


def _structure_error(path: Path, delimiter: str, quote: str, escape: str, width: int | None) -> SourceError:
    """Say what is wrong with a file that cannot be read record by record.

    ``width`` is the expected number of fields; the usual one when None.
    """
    shape = _shape(path, delimiter, quote, escape, None)
    if len(shape.endings) > 1:
        line = sorted(shape.endings.values())[1]
        return SourceError("source.mixed_line_ends", line=line)
    if not shape.first:
        return SourceError("source.blank_line", line=1)
    expected = shape.usual() if width is None else width
    if other := shape.first_other(expected):
        return _ragged(*other, expected)
    return SourceError("source.malformed_csv")


def _ragged(line: int, count: int, expected: int) -> SourceError:
    fields = "1 field" if count == 1 else f"{count} fields"
    return SourceError(
        "source.field_count_differs",
        line=line,
        fields=fields,
        expected=expected,
        expected_2="is" if expected == 1 else "are",
    )
