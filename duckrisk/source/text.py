"""Text files: find out the encoding and the CSV dialect, and refuse what would need guessing.

DuckDB reads UTF-8. Every other encoding is decoded here, into a private UTF-8 copy. DuckDB's own
CSV detection is used, and then corrected where it would change the data without a word.

Files are streamed: memory does not grow with their size. No message holds a value of the data or
the text of an engine error (which may quote a line of the file). Messages do not name the file
either, because what is read may be a private copy; the caller knows what the user called it.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import itertools
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import duckdb

from duckrisk.errors import SourceError, UsageError

if TYPE_CHECKING:
    from _csv import Reader as _CsvReader

CHUNK_BYTES = 1 << 20
"""How many bytes are held at a time."""

SAMPLE_RECORDS = 20_480
"""How many records are looked at before the dialect is settled (DuckDB's own default)."""

MAX_LINE_CHARACTERS = 2_000_000
"""Longest line accepted while looking for the header; DuckDB's own limit is 2,000,000 bytes."""

SCORE_CHARACTERS = 100_000
"""How many non-ASCII characters decide between CP932 and EUC-JP."""

DELIMITERS = (",", ";", "\t", "|")

# What DuckDB raises for a file it cannot read as told. Anything else (memory, interruption, a
# missing permission) says nothing about the file and is left to the caller.
_READ_ERRORS = (duckdb.InvalidInputException, duckdb.ConversionException)

_NULL_BYTE = b"\x00"
_UTF8_MARK = codecs.BOM_UTF8
_GZIP_MAGIC = b"\x1f\x8b"
_ISO_2022_JP = (b"\x1b$B", b"\x1b$@")


# ------------------------------------------------------------------------------ reading bytes


def is_gzip(path: str | os.PathLike[str]) -> bool:
    """Tell by the first two bytes, not by the name, whether a file is gzip.

    Raises SourceError when the file cannot be opened.
    """
    try:
        with open(path, "rb") as file:
            return file.read(2) == _GZIP_MAGIC
    except OSError as error:
        raise _unreadable(error) from None


@contextmanager
def _open_bytes(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for reading, unpacked. Failures inside the block become SourceError."""
    opener = gzip.open if is_gzip(path) else open
    try:
        with opener(path, "rb") as stream:
            yield stream  # type: ignore[misc]
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise SourceError("The gzip file is damaged or cut off.") from None
    except OSError as error:
        raise _unreadable(error) from None


def _unreadable(error: OSError) -> SourceError:
    return SourceError(f"The file cannot be read: {error.strerror or 'unknown reason'}.")


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK_BYTES):
        yield chunk


class _LineCounter:
    """Number of the current line, counted from 1, over chunks of UTF-8 bytes.

    A line ends with LF, CR LF or a lone CR.
    """

    def __init__(self) -> None:
        self.line = 1
        self._after_cr = False

    def feed(self, chunk: bytes) -> None:
        if not chunk:
            return
        self.line += chunk.count(b"\n") + chunk.count(b"\r") - chunk.count(b"\r\n")
        if self._after_cr and chunk.startswith(b"\n"):
            self.line -= 1  # a CR LF that two chunks share was counted twice
        self._after_cr = chunk.endswith(b"\r")


@contextmanager
def _private_file(target: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Create a file that only its owner may read (mode 0600) and that did not exist before.

    The file is removed again when the block fails: half a copy must never be assessed.
    """
    # O_EXCL also refuses a symbolic link that somebody else put at the place.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(target, flags, 0o600)
    except OSError as error:
        raise _unwritable(error) from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
    except BaseException:
        Path(target).unlink(missing_ok=True)
        raise


def _unwritable(error: OSError) -> SourceError:
    return SourceError(f"The private copy cannot be written: {error.strerror or 'unknown reason'}.")


def _write(file: BinaryIO, data: bytes) -> None:
    try:
        file.write(data)
    except OSError as error:
        raise _unwritable(error) from None


def _flush(file: BinaryIO) -> None:
    try:
        file.flush()
    except OSError as error:
        raise _unwritable(error) from None


# ---------------------------------------------------------------------------------- encodings


def sniff_encoding(path: str | os.PathLike[str]) -> str:
    """Find the encoding of a text file, unpacking gzip (told by its first bytes) on the way.

    Returns one of 'utf-8', 'utf-8-sig' (with byte order mark), 'utf-16' (with byte order mark),
    'utf-16-le', 'utf-16-be', 'cp932', 'euc_jp'. The whole file has been decoded with the
    answer before it is given.

    The order: byte order mark; UTF-16 by its NUL bytes; UTF-8; then CP932 and EUC-JP, see
    `_japanese`. Raises SourceError when none fits or when the file cannot be read.
    """
    with _open_bytes(path) as stream:
        start = stream.read(CHUNK_BYTES)
        # A small first read must not hide the evidence for UTF-16.
        while len(start) < 4 and (more := stream.read(CHUNK_BYTES)):
            start += more
    if start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise SourceError("The file is UTF-32; save it as UTF-8 or give `--encoding utf-32`.")
    if start.startswith(_UTF8_MARK):
        if _failing_line(path, "utf-8-sig") is None:
            return "utf-8-sig"
        raise SourceError(
            "The file starts with a UTF-8 byte order mark but is not UTF-8 throughout; save it "
            "again or name its encoding with `--encoding`."
        )
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        if _failing_line(path, "utf-16") is None:
            return "utf-16"
        raise SourceError(
            "The file starts with a UTF-16 byte order mark but is not UTF-16 throughout; save it "
            "again or name its encoding with `--encoding`."
        )
    wide = _unmarked_utf16(start)
    if wide is not None and _failing_line(path, wide) is None:
        return wide
    first_bad_line = _failing_line(path, "utf-8")
    if first_bad_line is None:
        if _has_escapes(path):
            raise SourceError(
                "The file is written in ISO-2022-JP; save it as UTF-8 or give "
                "`--encoding iso2022_jp`."
            )
        return "utf-8"
    japanese = _japanese(path)
    if japanese is not None:
        return japanese
    raise SourceError(
        f"The text is none of UTF-8 (fails on line {first_bad_line}), UTF-16, CP932 and EUC-JP; "
        "name its encoding with `--encoding`."
    )


def _unmarked_utf16(start: bytes) -> str | None:
    """Guess UTF-16 without a byte order mark from the first bytes of a file.

    In UTF-16 the characters that make a table (line ends, delimiters, quotes) are a byte below
    128 next to a NUL. Their byte-swapped twins (U+0A00, U+2C00, ...) hardly occur in text,
    unlike those of letters and digits (U+4E00 is a common kanji and the twin of 'N'), so only
    these marks are counted. Half of the bytes that could be marks must have their NUL: a few
    stray NUL bytes in an 8-bit file are not UTF-16.
    """
    if _NULL_BYTE not in start:
        return None
    even, odd = start[0::2], start[1::2]
    marks = b'\t\n\r",;|'
    little = sum(1 for low, high in zip(even, odd, strict=False) if high == 0 and low in marks)
    big = sum(1 for high, low in zip(even, odd, strict=False) if high == 0 and low in marks)
    candidates = sum(start.count(mark) for mark in (bytes([byte]) for byte in marks))
    if candidates == 0:
        # One value and nothing else: all NULs on one side, in a good part of the text.
        on_even, on_odd = even.count(_NULL_BYTE), odd.count(_NULL_BYTE)
        if min(on_even, on_odd) > 0 or 4 * (on_even + on_odd) < len(start):
            return None
        return "utf-16-le" if on_odd else "utf-16-be"
    if little == big or 2 * max(little, big) < candidates:
        return None
    return "utf-16-le" if little > big else "utf-16-be"


def _failing_line(path: str | os.PathLike[str], encoding: str) -> int | None:
    """Decode a whole file strictly; the line number of the first failure, None if there is none."""
    try:
        with _open_bytes(path) as stream:
            for _ in _decoded(stream, encoding):
                pass
    except _UndecodableError as failure:
        return failure.line
    return None


def _has_escapes(path: str | os.PathLike[str]) -> bool:
    """Tell ISO-2022-JP, which is plain ASCII byte by byte, by its escape sequences."""
    tail = b""
    with _open_bytes(path) as stream:
        for chunk in _chunks(stream):
            window = tail + chunk
            if any(escape in window for escape in _ISO_2022_JP):
                return True
            tail = window[-2:]
    return False


class _UndecodableError(Exception):
    """Bytes that do not fit the encoding, on a line counted from 1."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line


def _decoded(stream: BinaryIO, encoding: str) -> Iterator[bytes]:
    """Decode a stream strictly and yield it as UTF-8, without byte order mark.

    Raises _UndecodableError with the line on which decoding fails first.
    """
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    counter = _LineCounter()
    at_start = True

    def step(data: bytes, final: bool) -> bytes:
        nonlocal at_start
        text = decoder.decode(data, final)
        if at_start and text:
            text = text.removeprefix("\ufeff")
            at_start = False
        return text.encode("utf-8")

    for chunk in _chunks(stream):
        before, start_before = decoder.getstate(), at_start
        try:
            data = step(chunk, False)
        except UnicodeError:
            # Decode the chunk again byte by byte: it tells the line for every encoding, which
            # the byte position in the exception would not.
            decoder.setstate(before)
            at_start = start_before
            try:
                for position in range(len(chunk)):
                    counter.feed(step(chunk[position : position + 1], False))
            except UnicodeError:
                pass
            raise _UndecodableError(counter.line) from None
        counter.feed(data)
        yield data
    try:
        data = step(b"", True)
    except UnicodeError:
        raise _UndecodableError(counter.line) from None
    yield data


def transcode(path: str | os.PathLike[str], encoding: str, target: str | os.PathLike[str]) -> None:
    """Copy a text file to `target` as UTF-8, unpacking gzip, without byte order mark.

    `target` must not exist; it is created with mode 0600 and removed again on failure. Line ends
    are kept. `encoding` is any text encoding that Python knows.

    Raises UsageError for an unknown encoding, SourceError for bytes that do not fit it (naming
    the line, counted from 1) and when a file cannot be read or written.
    """
    _check_encoding(encoding)
    with _open_bytes(path) as stream, _private_file(target) as copy:
        try:
            for data in _decoded(stream, encoding):
                _write(copy, data)
        except _UndecodableError as failure:
            raise SourceError(
                f"Line {failure.line} is not valid {encoding}; name the file's true encoding with "
                "`--encoding` or repair the line."
            ) from None
        _flush(copy)


def _check_encoding(encoding: str) -> None:
    """Raise UsageError unless Python can decode text in this encoding chunk by chunk."""
    try:
        known = isinstance(codecs.getincrementaldecoder(encoding)("strict").decode(b""), str)
    except (LookupError, ValueError, TypeError, AttributeError, AssertionError):
        known = False
    if not known:
        raise UsageError(f"{encoding!r} is not a known text encoding.")


def spool(stream: BinaryIO, target: str | os.PathLike[str]) -> None:
    """Copy a binary stream (standard input) to a private file (mode 0600, must not exist).

    Raises SourceError when the stream is empty, and when it cannot be read or written; the file
    is then removed again.
    """
    with _private_file(target) as copy:
        empty = True
        while True:
            try:
                chunk = stream.read(CHUNK_BYTES)
            except OSError as error:
                raise _unreadable(error) from None
            if not chunk:
                break
            empty = False
            _write(copy, chunk)
        _flush(copy)
        if empty:
            raise SourceError("The input is empty: nothing arrived on standard input.")


# --------------------------------------------------------------------- CP932 against EUC-JP

# The kanji that newspapers, addresses, personal names and table headers use most.
_FREQUENT_KANJI = frozenset(
    "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業"
    "内相方四定今回新場金員九入選立開手米力学問高代明実円関決子動京全目表戦経通外最言氏現理"
    "調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野協取都和統以機平総加"
    "山思家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先"
    "共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組知案道信策集在件団別物側"
    "任引使求所次水半品昨論計死官増係感特情投示変打男基私各始島直両朝革価式確村提運終挙果西"
    "勢減台広容必応演電歳住争談能無再位置企真流格有疑口過局少放税検藤常校料沢裁状工建語球営"
    "空職証土与急止送援供可役構木割聞身費付施切由説転食比難防補車優夫研収断井何南石足違消境"
    "神番規術護展態導鮮備宅害配副算視条幹独警宮究育席輸訪楽起万着乗店述残想線率病農州武声質"
    "念待試族象銀域助労例衛然早張映限親額監環験追審商葉義伝働形景落欧担好退準賀訴辺造英被株"
    "頭技低毎医復仕去姿味負閣韓渡失移差衆個門写評課末守若脳極種美岡影命含福蔵量望松非撃佐核"
    "観察整段横融型白深字答夜製票況音申様財港識注呼渉達伊斎橋谷坂森林池原岩崎浜浦堀丸竹梅桜"
    "鈴渡辺阿郎恵幸雄男介之丁町号室郡性齢歴姓番購履歴顧客店舗商品"
)

_VOICED_AFTER = frozenset("ｳｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾊﾋﾌﾍﾎ")
_HALF_VOICED_AFTER = frozenset("ﾊﾋﾌﾍﾎ")
_NEVER_FIRST = frozenset("ｧｨｩｪｫｬｭｮｯｰ")


def _japanese(path: str | os.PathLike[str]) -> str | None:
    """Decide between CP932 and EUC-JP; None when neither gives readable Japanese.

    Whatever does not decode strictly from start to end is out. That settles nearly every file:
    kanji and kana of CP932 use bytes that EUC-JP does not know, and a pair of EUC-JP bytes
    usually ends in one that opens a new pair in CP932. Both decode only when a file is tiny or
    when its only Japanese is half-width katakana, which are single bytes in CP932 and look like
    halves of EUC-JP kanji. Then the reading with the higher mean of `_points` wins, and CP932,
    the encoding of Japanese Excel, in a draw. A reading with a mean below zero is not
    Japanese: this keeps Western 8-bit files, whose bytes may decode by chance, from passing.
    """
    scores = {
        encoding: score
        for encoding in ("cp932", "euc_jp")
        if (score := _reading_score(path, encoding)) is not None
    }
    if not scores:
        return None
    best = max(scores, key=lambda encoding: scores[encoding])  # the first wins a draw
    return best if scores[best] >= 0 else None


def _reading_score(path: str | os.PathLike[str], encoding: str) -> float | None:
    """Mean points of the first SCORE_CHARACTERS (or a chunk more) non-ASCII characters.

    From -4 (noise) to 4 (plain Japanese); None when the file does not decode strictly.
    """
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    points, characters, previous = 0, 0, ""
    try:
        with _open_bytes(path) as stream:
            for chunk in _chunks(stream):
                text = decoder.decode(chunk)
                if characters >= SCORE_CHARACTERS:
                    continue
                for character in text:
                    if character > "\x7f":
                        points += _points(previous, character)
                        characters += 1
                    previous = character
        decoder.decode(b"", True)
    except UnicodeError:
        return None
    return points / characters if characters else 0.0


def _points(previous: str, character: str) -> int:
    """Points for one non-ASCII character, given the one before it.

    4   hiragana, full-width katakana, a frequent kanji
    2   full-width punctuation, letters, digits and symbols (also circled digits and ㈱);
        a half-width katakana where it may stand
    1   another kanji of JIS level 1 (the 2,965 common ones)
    0   half-width punctuation; kanji outside JIS X 0208, which occur in names (髙, 﨑)
    -1  a kanji of JIS level 2 (rare)
    -4  a half-width sound mark after a letter that cannot carry it, a half-width long mark or
        small letter with nothing before it, control characters, user-defined characters
    """
    if "ぁ" <= character <= "ゖ" or "ァ" <= character <= "ヺ" or character == "ー":
        return 4
    if character in _FREQUENT_KANJI:
        return 4
    if "｡" <= character <= "･":
        return 0
    if "ｦ" <= character <= "ﾟ":
        if character == "ﾞ":
            fits = previous in _VOICED_AFTER
        elif character == "ﾟ":
            fits = previous in _HALF_VOICED_AFTER
        else:
            fits = character not in _NEVER_FIRST or "ｦ" <= previous <= "ﾟ"
        return 2 if fits else -4
    if "\u4e00" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff":
        code = character.encode("euc_jp", "ignore")
        if len(code) != 2:
            return 0
        return 1 if code[0] < 0xD0 else -1
    if character < "\u00a1" or "\ue000" <= character <= "\uf8ff":
        return -4
    return 2


# ------------------------------------------------------------------------------------ dialect


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is read.

    `columns` holds the true name from the header (verbatim: blanks, duplicates and empty names
    are kept) and the DuckDB type, in the order of the file. Without header the names are c0, c1
    and so on. `quote` is '' when quotes have no meaning in the file; `escape` equals `quote`
    when a quote is doubled. The formats are strptime patterns, None for DuckDB's own reading.
    """

    delimiter: str
    quote: str
    escape: str
    header: bool
    columns: tuple[tuple[str, str], ...]
    date_format: str | None = None
    timestamp_format: str | None = None
    compression: str = "none"


def sniff_dialect(
    connection: duckdb.DuckDBPyConnection,
    path: str | os.PathLike[str],
    header: bool | None = None,
    *,
    delimiter: str | None = None,
) -> Dialect:
    """Find the dialect of a UTF-8 CSV file (or one in gzip) and its columns.

    `header` says whether the first record holds the names. When it is None, DuckDB decides: the
    first record is the header when one of its values does not fit the type that the column has
    below it (a number, a date), and also when all columns are text. A headerless table of
    nothing but text therefore loses its first record to the header: only the caller can know,
    and says so with `header=False`. `delimiter` overrules the detection.

    Raises SourceError, naming the line (counted from 1) where there is one, when the file is
    empty, holds NUL bytes or only a header, when lines differ in their number of fields or in
    how they end, or when the file seems to have a title or a comment before the header. Lines
    are never skipped or padded. Differences after the first SAMPLE_RECORDS records show when
    the file is read: see `read_error`.
    """
    _refuse_empty_or_nul(path)
    _refuse_other_break_in_first_record(path)
    sniffed = _sniff(connection, path, header, delimiter)
    if sniffed is None:
        raise _structure_error(path, _likely_delimiter(path, delimiter), '"', '"', None)
    quote = sniffed.quote or '"'
    escape = sniffed.escape or quote
    if sniffed.skipped > 0:
        raise _structure_error(path, sniffed.delimiter, quote, escape, None)
    width = len(sniffed.types)
    if width == 1 and delimiter is None:
        _refuse_hidden_columns(path, quote, escape)
    dialect = Dialect(
        delimiter=sniffed.delimiter,
        quote=quote,
        escape=escape,
        header=sniffed.header,
        columns=tuple((f"c{position}", kind) for position, kind in enumerate(sniffed.types)),
        date_format=sniffed.date_format,
        timestamp_format=sniffed.timestamp_format,
        compression="gzip" if is_gzip(path) else "none",
    )
    # The first record decides how the file starts, before DuckDB is asked to read it: with
    # blank lines on top it would take a blank one for the header and the header for data.
    shape = _shape(path, dialect.delimiter, quote, escape, SAMPLE_RECORDS)
    if not shape.first:
        raise SourceError("Line 1 is blank; remove the blank lines before the first record.")
    dialect, records = _settle_quote(connection, path, dialect, bool(sniffed.quote))
    if dialect.quote != quote:
        shape = _shape(path, dialect.delimiter, dialect.quote, dialect.escape, SAMPLE_RECORDS)
    # Python's csv differs from DuckDB on an escape outside quotes, so for such files only
    # the header is held against the detected width; DuckDB checks the other lines itself.
    bad_line = shape.first_other(width) if dialect.escape == dialect.quote else None
    if bad_line is None and len(shape.first) != width:
        bad_line = (1, len(shape.first))
    if bad_line is not None:
        raise _ragged(*bad_line, width)
    if dialect.header:
        kinds = [kind for _, kind in dialect.columns]
        dialect = replace(dialect, columns=tuple(zip(shape.first, kinds, strict=True)))
    if records == 0:
        raise SourceError(
            "The file has a header but no records; if its first line is a record, say that "
            "there is no header."
        )
    return _without_loss(connection, path, dialect, SAMPLE_RECORDS)


def widen(
    connection: duckdb.DuckDBPyConnection, path: str | os.PathLike[str], dialect: Dialect
) -> Dialect:
    """Detect the types again, over all records of the file, everything else as in `dialect`.

    For a file whose first records suggest a type that a later value does not fit (see
    `is_type_error`). Takes one slow pass (about 75 MB/s); DuckDB's memory limit holds.
    Raises SourceError when the file cannot be read with this dialect.
    """
    try:
        sniffed = _run_sniffer(
            connection,
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
        # The sniffer passes over short and long lines without a word; reading does not.
        _count(connection, path, dialect, None)
    except _READ_ERRORS as error:
        raise read_error(path, dialect, error) from None
    if len(sniffed.types) != len(dialect.columns) or sniffed.skipped > 0:
        raise _structure_error(
            path, dialect.delimiter, dialect.quote, dialect.escape, len(dialect.columns)
        )
    names = [name for name, _ in dialect.columns]
    widened = replace(
        dialect,
        columns=tuple(zip(names, sniffed.types, strict=True)),
        date_format=sniffed.date_format,
        timestamp_format=sniffed.timestamp_format,
    )
    return _without_loss(connection, path, widened, None)


def read_csv_options(dialect: Dialect, all_varchar: bool = False) -> dict[str, object]:
    """The named arguments for DuckDB's `read_csv`, complete, so that nothing is detected again.

    The columns come out as c0, c1, ... in the order of the file, whatever the header says: no
    name of the file reaches the engine. With `all_varchar` all of them are text. An empty field
    is NULL; a quoted empty one is the empty string.

    The line ending is left to DuckDB on purpose: a wrong `new_line` makes it return no rows
    without an error, whereas without it a file that mixes line ends is refused.
    """
    kinds = ["VARCHAR" if all_varchar else kind for _, kind in dialect.columns]
    options: dict[str, object] = {
        "delim": dialect.delimiter,
        "quote": dialect.quote,
        "escape": dialect.escape,
        "header": dialect.header,
        "skip": 0,
        "columns": {f"c{position}": kind for position, kind in enumerate(kinds)},
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
    if dialect.date_format is not None and "DATE" in kinds:
        options["dateformat"] = dialect.date_format
    if dialect.timestamp_format is not None and any(k.startswith("TIMESTAMP") for k in kinds):
        options["timestampformat"] = dialect.timestamp_format
    return options


def engine_path(path: str | os.PathLike[str]) -> str:
    """The path as DuckDB must be given it: `*`, `?` and `[` are escaped, so it names one file."""
    return re.sub(r"[*?\[]", r"[\g<0>]", os.fspath(path))


def is_type_error(error: duckdb.Error) -> bool:
    """Whether reading failed because a value does not fit its column's type: call `widen`."""
    return isinstance(error, duckdb.ConversionException)


def read_error(path: str | os.PathLike[str], dialect: Dialect, error: duckdb.Error) -> SourceError:
    """Turn an engine error met while reading with `read_csv_options` into one safe sentence.

    Goes through the file once to name the first bad line (counted from 1). Returns the error for
    the caller to raise; raises SourceError itself when the file cannot be read at all.
    """
    if is_type_error(error):
        return SourceError(
            "A value does not fit the type that the first records of its column suggest."
        )
    return _structure_error(
        path, dialect.delimiter, dialect.quote, dialect.escape, len(dialect.columns)
    )


# ---------------------------------------------------------------------- what DuckDB detects


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


def _sniff(
    connection: duckdb.DuckDBPyConnection,
    path: str | os.PathLike[str],
    header: bool | None,
    delimiter: str | None,
) -> _Sniffed | None:
    """What DuckDB detects; None when it gives up."""
    options: dict[str, object] = {"sample_size": SAMPLE_RECORDS}
    if header is not None:
        options["header"] = header
    if delimiter is not None:
        options["delim"] = delimiter
    try:
        return _run_sniffer(connection, path, options)
    except _READ_ERRORS:
        return None


def _run_sniffer(
    connection: duckdb.DuckDBPyConnection,
    path: str | os.PathLike[str],
    options: dict[str, object],
) -> _Sniffed:
    # The same reading of missing values as in `read_csv_options`, or the types would not fit.
    options = options | {
        "allow_quoted_nulls": False,
        "nullstr": "",
        "null_padding": False,
        "strict_mode": True,
        "comment": "",
        "compression": "gzip" if is_gzip(path) else "none",
    }
    row = connection.execute(
        "SELECT Delimiter, Quote, Escape, SkipRows, HasHeader, Columns, DateFormat, "
        f"TimestampFormat FROM sniff_csv(?{_arguments(options)})",
        [engine_path(path), *options.values()],
    ).fetchone()
    if row is None:
        raise SourceError("DuckDB detects nothing in the file.")
    delimiter, quote, escape, skipped, header, columns, date_format, timestamp_format = row
    return _Sniffed(
        delimiter=delimiter,
        quote="" if quote == "(empty)" else quote,
        escape="" if escape == "(empty)" else escape,
        skipped=skipped,
        header=header,
        types=tuple(column["type"] for column in columns),
        date_format=date_format or None,
        timestamp_format=timestamp_format or None,
    )


def _arguments(options: dict[str, object]) -> str:
    """Named arguments with bound values; the names are the fixed ones written in this module."""
    return "".join(f", {name} = ?" for name in options)


def _settle_quote(
    connection: duckdb.DuckDBPyConnection,
    path: str | os.PathLike[str],
    dialect: Dialect,
    quote_seen: bool,
) -> tuple[Dialect, int]:
    """Try to read the sample; returns the dialect that works and the records read.

    DuckDB reports "no quote" both when the sample holds no quoted value and when quotes in it
    are plain characters (inches, feet). The first needs the usual quote, for a quoted value may
    come later; the second none. So the usual quote is tried first. It is given up only when no
    field of the sample is quoted as a whole: otherwise the file has a broken quote.
    """
    try:
        return dialect, _count(connection, path, dialect, SAMPLE_RECORDS)
    except _READ_ERRORS as error:
        if quote_seen or _has_quoted_field(path, dialect):
            raise read_error(path, dialect, error) from None
    plain = replace(dialect, quote="", escape="")
    try:
        return plain, _count(connection, path, plain, SAMPLE_RECORDS)
    except _READ_ERRORS as error:
        raise read_error(path, dialect, error) from None


def _count(
    connection: duckdb.DuckDBPyConnection,
    path: str | os.PathLike[str],
    dialect: Dialect,
    records: int | None,
) -> int:
    """Read the first `records` records (all when None) as text and count them."""
    options = read_csv_options(dialect, all_varchar=True)
    limit = [] if records is None else [records]
    source = f"SELECT c0 FROM read_csv(?{_arguments(options)})"
    row = connection.execute(
        f"SELECT count(*) FROM ({source}{' LIMIT ?' if limit else ''})",
        [engine_path(path), *options.values(), *limit],
    ).fetchone()
    return row[0] if row else 0


def _without_loss(
    connection: duckdb.DuckDBPyConnection,
    path: str | os.PathLike[str],
    dialect: Dialect,
    records: int | None,
) -> Dialect:
    """Read as text what a number or a time would blur: different values must stay different.

    DOUBLE keeps 15 digits of an integer and 17 of a fraction, TIMESTAMP microseconds. Long
    account numbers are the usual victims. DuckDB 2 detects wider integers where 1.5 takes
    DOUBLE; both become text, so that versions agree. Looks at the first `records` records, at
    all when None.
    """
    kinds = [kind for _, kind in dialect.columns]
    lossy = {position for position, kind in enumerate(kinds) if kind in _WIDE_INTEGERS}
    suspects = [position for position, kind in enumerate(kinds) if kind in _LOSS]
    options = read_csv_options(dialect, all_varchar=True)
    limit = [] if records is None else [records]
    # At most 32 aggregates a statement: more of them are slow in DuckDB.
    for start in range(0, len(suspects), 32):
        group = suspects[start : start + 32]
        tests = ", ".join(f"bool_or({_LOSS[kinds[p]].format(column=f'c{p}')})" for p in group)
        source = f"SELECT * FROM read_csv(?{_arguments(options)})"
        try:
            row = connection.execute(
                f"SELECT {tests} FROM ({source}{' LIMIT ?' if limit else ''})",
                [engine_path(path), *options.values(), *limit],
            ).fetchone()
        except _READ_ERRORS as error:
            raise read_error(path, dialect, error) from None
        lossy |= {position for position, hit in zip(group, row or (), strict=True) if hit}
    return replace(
        dialect,
        columns=tuple(
            (name, "VARCHAR" if position in lossy else kind)
            for position, (name, kind) in enumerate(dialect.columns)
        ),
    )


_WIDE_INTEGERS = frozenset({"HUGEINT", "UHUGEINT", "BIGNUM", "VARINT"})

_SUBMICROSECOND = r"regexp_matches({column}, '[.][0-9]{{6}}0*[1-9]')"

_LOSS = {
    "DOUBLE": (
        r"regexp_matches({column}, '^\s*[-+]?0*[1-9][0-9]{{15,}}\s*$') OR "
        r"length(ltrim(regexp_replace(split_part(lower({column}), 'e', 1), '[^0-9]', '', 'g'), "
        r"'0')) > 17"
    ),
    "TIME": _SUBMICROSECOND,
    "TIMESTAMP": _SUBMICROSECOND,
    "TIMESTAMP WITH TIME ZONE": _SUBMICROSECOND,
}


# ------------------------------------------------------------------------ lines and records


def _refuse_empty_or_nul(path: str | os.PathLike[str]) -> None:
    """Go through all bytes once: nothing but line ends, or a NUL byte, is an error."""
    counter = _LineCounter()
    empty, at_start = True, True
    with _open_bytes(path) as stream:
        for chunk in _chunks(stream):
            position = chunk.find(_NULL_BYTE)
            if position >= 0:
                counter.feed(chunk[:position])
                raise SourceError(
                    f"Line {counter.line} holds a NUL byte; the file is damaged, is not text, or "
                    "needs `--encoding`."
                )
            counter.feed(chunk)
            if empty:
                content = chunk.removeprefix(_UTF8_MARK) if at_start else chunk
                empty = not content.strip(b"\r\n")
            at_start = False
    if empty:
        raise SourceError("The file is empty.")


@dataclass
class _Shape:
    """The first record of a file, and where numbers of fields and line ends occur first."""

    first: list[str] = field(default_factory=list)
    widths: Counter[int] = field(default_factory=Counter)
    first_line: dict[int, int] = field(default_factory=dict)
    endings: dict[str, int] = field(default_factory=dict)

    def usual(self) -> int:
        """The most frequent number of fields; of two equally frequent ones the earlier."""
        return max(self.widths, key=lambda width: (self.widths[width], -self.first_line[width]))

    def first_other(self, width: int) -> tuple[int, int] | None:
        """First line whose record does not have `width` fields, and how many it has."""
        others = [(line, found) for found, line in self.first_line.items() if found != width]
        return min(others) if others else None


@contextmanager
def _open_lines(path: str | os.PathLike[str]) -> Iterator[Iterator[str]]:
    """The lines of a UTF-8 file with their ends, the byte order mark taken off."""
    with _open_bytes(path) as stream:
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
                    f"Line {number} is longer than {MAX_LINE_CHARACTERS:,} characters."
                )
            yield line
    except UnicodeDecodeError:
        raise SourceError(
            f"The text is not UTF-8 after line {number}; name its encoding with `--encoding`."
        ) from None


def _reader(
    lines: Iterable[str], delimiter: str, quote: str, escape: str, *, strip: bool
) -> _CsvReader:
    """Python's csv reader for a dialect; `strip` drops the blanks after a delimiter."""
    return csv.reader(
        lines,
        delimiter=delimiter,
        quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        doublequote=escape in ("", quote),
        escapechar=escape if escape not in ("", quote) else None,
        skipinitialspace=strip,
    )


def _shape(
    path: str | os.PathLike[str], delimiter: str, quote: str, escape: str, limit: int | None
) -> _Shape:
    """Go through the first `limit` records (all when None) with Python's csv module.

    A blank line counts as a record of one field only where it stands first; elsewhere it is no
    record, as in DuckDB (which reads NULL from it when there is only one column).
    Stops early, with what was seen, at a field longer than the csv module takes (131,072
    characters). Raises SourceError when that is the first record.
    """
    shape = _Shape()
    ending = ""

    def watched(lines: Iterator[str]) -> Iterator[str]:
        nonlocal ending
        for line in lines:
            ending = line[len(line.rstrip("\r\n")) :]
            yield line

    with _open_lines(path) as lines:
        # DuckDB lets blanks stand between a delimiter and a quote; so must this.
        reader = _reader(watched(lines), delimiter, quote, escape, strip=True)
        line_before, records = 0, 0
        try:
            for record in reader:
                line, line_before = line_before + 1, reader.line_num
                if ending:
                    shape.endings.setdefault(ending, line)
                if records == 0:
                    shape.first = record
                records += 1
                if record or records == 1:
                    shape.widths[len(record)] += 1
                    shape.first_line.setdefault(len(record), line)
                if records == limit:
                    break
        except csv.Error:
            if records == 0:
                raise SourceError(
                    "The first record holds a field of more than 131,072 characters."
                ) from None
    if shape.first:
        shape.first = _verbatim(path, delimiter, quote, escape, shape.first)
    return shape


def _verbatim(
    path: str | os.PathLike[str], delimiter: str, quote: str, escape: str, stripped: list[str]
) -> list[str]:
    """The first record with the blanks that stand before a name, where there are any.

    `stripped` is the record as read without them.
    """
    with _open_lines(path) as lines:
        try:
            record: list[str] = next(_reader(lines, delimiter, quote, escape, strip=False), [])
        except csv.Error:
            record = []
    if len(record) != len(stripped):
        return stripped  # a quoted name with a delimiter in it follows a blank
    return [
        short if quote and full.lstrip(" ").startswith(quote) and full != short else full
        for full, short in zip(record, stripped, strict=True)
    ]


def _refuse_other_break_in_first_record(path: str | os.PathLike[str]) -> None:
    """Refuse a line break within quotes, in the first record, unlike the end of that record.

    Excel writes such headers (LF within a cell, CR LF at the end of a line). DuckDB takes the
    first line break of a file, quoted or not, for the one that ends records; reading then gives
    no records at all, without an error, and its `new_line` option does not help.
    """
    for quote in ('"', "'"):
        with _open_lines(path) as lines:
            quoted, first = False, ""
            # A quote opens a value only where a field starts: not the apostrophe in a name.
            opening = re.compile(rf"(?:^|[,;\t|]) *{quote}")
            for line in itertools.islice(lines, 1000):
                body = line.rstrip("\r\n")
                ending = line[len(body) :]
                # A doubled quote toggles twice; a header does not use another escape.
                quoted ^= body.count(quote) % 2 == 1
                if not first:
                    first = ending
                    quoted = quoted and opening.search(body) is not None
                if not quoted:
                    break
        if not quoted and ending and first != ending:
            raise SourceError(
                "The first record holds a line break inside quotes of another kind than the one at "
                "its end, which DuckDB cannot read; remove the line break from the column's name."
            )


def _has_quoted_field(path: str | os.PathLike[str], dialect: Dialect) -> bool:
    """Whether some field of the sample starts and ends with the quote, taken as a character."""
    quoted = re.compile(
        "(?:^|{d}) *{q}[^{q}]*{q} *(?:{d}|$)".format(
            d=re.escape(dialect.delimiter), q=re.escape(dialect.quote)
        )
    )
    with _open_lines(path) as lines:
        return any(
            quoted.search(line.rstrip("\r\n")) for line in itertools.islice(lines, SAMPLE_RECORDS)
        )


def _refuse_hidden_columns(path: str | os.PathLike[str], quote: str, escape: str) -> None:
    """Refuse a file that DuckDB reads as one column although its lines hold a delimiter.

    That is how DuckDB evades ragged lines. One column is believed when the first record has no
    delimiter outside quotes, and neither has some other one: free text has commas here and there.
    """
    for delimiter in DELIMITERS:
        shape = _shape(path, delimiter, quote, escape, SAMPLE_RECORDS)
        if not shape.first:
            return  # a blank first line has its own message
        if len(shape.first) > 1 or 1 not in shape.widths:
            usual = shape.usual()
            other = shape.first_other(usual)
            if other is not None:
                raise _ragged(*other, usual)
            raise SourceError(
                f"Line 1 holds the delimiter {delimiter!r}, but the file reads as one column; "
                "name the delimiter, or put quotes around the values."
            )


def _likely_delimiter(path: str | os.PathLike[str], delimiter: str | None) -> str:
    """The delimiter that splits most records, for pointing at a line when DuckDB gives up."""
    if delimiter is not None:
        return delimiter
    split = {}
    for candidate in DELIMITERS:
        shape = _shape(path, candidate, '"', '"', SAMPLE_RECORDS)
        split[candidate] = sum(count for width, count in shape.widths.items() if width > 1)
    return max(split, key=lambda candidate: split[candidate])


def _structure_error(
    path: str | os.PathLike[str], delimiter: str, quote: str, escape: str, width: int | None
) -> SourceError:
    """Say what is wrong with a file that cannot be read record by record.

    `width` is the expected number of fields; the usual one when None.
    """
    shape = _shape(path, delimiter, quote, escape, None)
    if len(shape.endings) > 1:
        line = sorted(shape.endings.values())[1]
        return SourceError(
            f"Line {line} ends differently from line 1 (CR LF, LF and CR are mixed); save the "
            "file with one kind of line end."
        )
    if not shape.first:
        return SourceError("Line 1 is blank; remove the blank lines before the first record.")
    expected = shape.usual() if width is None else width
    other = shape.first_other(expected)
    if other is not None:
        return _ragged(*other, expected)
    return SourceError(
        "The file is not well-formed CSV: a quote is not closed, or text stands beside a quoted "
        "value."
    )


def _ragged(line: int, found: int, expected: int) -> SourceError:
    fields = "1 field" if found == 1 else f"{found} fields"
    return SourceError(
        f"Line {line} has {fields} where {expected} {'is' if expected == 1 else 'are'} expected; "
        "lines are never skipped or padded, so repair the file or remove the line."
    )
