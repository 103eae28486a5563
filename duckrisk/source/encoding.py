"""Detects the encoding of text files, and copies them to UTF-8 for the engine.

DuckDB's own decoders corrupt CP932, so every encoding but UTF-8 is decoded here, into a private copy.
Files are streamed: memory does not grow with their size. No message holds a value of the data, and none
names the file: it may be a private copy, and the caller knows its name for people.
"""

from __future__ import annotations

import codecs
import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from duckrisk.base.errors import SourceError, UsageError

#: Bytes in memory at a time (measured: 64 KB is as fast, 16 MB a quarter slower).
CHUNK_BYTES = 1 << 20
#: Characters beyond ASCII that decide between CP932 and EUC-JP (a choice: enough for a stable mean).
SCORE_CHARACTERS = 100_000

_NULL_BYTE = b"\x00"
_GZIP_MAGIC = b"\x1f\x8b"
_ISO_2022_JP = (b"\x1b$B", b"\x1b$@")


# --- reading bytes -------------------------------------------------------------------------------


def is_gzip(path: Path | str) -> bool:
    """Return whether a file is gzip, by its first two bytes and not by its name.

    Raises:
        SourceError: The file cannot be opened.
    """
    try:
        with open(path, "rb") as file:
            return file.read(2) == _GZIP_MAGIC
    except OSError as error:
        raise _read_error(error) from None


@contextmanager
def open_bytes(path: Path | str) -> Iterator[BinaryIO]:
    """Open a file for reading, unpacked; errors in the block become SourceError."""
    opener = gzip.open if is_gzip(path) else open
    try:
        with opener(path, "rb") as stream:
            yield stream  # type: ignore[misc]
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise SourceError("source.gzip_damaged") from None
    except OSError as error:
        raise _read_error(error) from None


def _read_error(error: OSError) -> SourceError:
    return SourceError("source.file_not_readable", strerror=error.strerror or "unknown reason")


def read_chunks(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes of a stream in chunks of at most CHUNK_BYTES."""
    while chunk := stream.read(CHUNK_BYTES):
        yield chunk


class LineCounter:
    """Number of the current line, counted from 1, over chunks of UTF-8 bytes.

    A line ends with LF, CR LF or a lone CR.
    """

    def __init__(self) -> None:
        self.line = 1
        self._after_cr = False

    def feed(self, chunk: bytes) -> None:
        """Move on by a chunk."""
        if not chunk:
            return
        self.line += chunk.count(b"\n") + chunk.count(b"\r") - chunk.count(b"\r\n")
        if self._after_cr and chunk.startswith(b"\n"):
            self.line -= 1  # a CR LF that two chunks share was counted twice
        self._after_cr = chunk.endswith(b"\r")


@contextmanager
def _private_file(target: Path | str) -> Iterator[Callable[[bytes], None]]:
    """Create a new file that only its owner may read (mode 0600).

    Yields the function that writes to it. The file is removed if the block fails: half a copy must never be
    assessed.
    """
    # O_EXCL also refuses a symbolic link that another user has created there.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        # Without a buffer every error of writing occurs in the block.
        file = os.fdopen(os.open(target, flags, 0o600), "wb", buffering=0)
    except OSError as error:
        raise _write_error(error) from None

    def put(data: bytes) -> None:
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]
        except OSError as error:
            raise _write_error(error) from None

    try:
        with file:
            yield put
    except BaseException:
        Path(target).unlink(missing_ok=True)
        raise


def _write_error(error: OSError) -> SourceError:
    return SourceError("source.copy_not_written", strerror=error.strerror or "unknown reason")


# --- encodings -----------------------------------------------------------------------------------


def sniff_encoding(path: Path | str) -> str:
    """Detect the encoding of a text file, unpacking gzip.

    The order: byte order mark; UTF-16 by its NUL bytes; UTF-8; then CP932 and EUC-JP, see
    :func:`_detect_japanese`. The whole file is decoded before an encoding is returned.

    Returns:
        'utf-8', 'utf-8-sig' and 'utf-16' (both with byte order mark), 'utf-16-le', 'utf-16-be', 'cp932' or
        'euc_jp'.

    Raises:
        SourceError: No encoding fits, or the file cannot be read.
    """
    with open_bytes(path) as stream:
        start = stream.read(CHUNK_BYTES)
        # A short first read could hide the evidence for UTF-16.
        while len(start) < 4 and (more := stream.read(CHUNK_BYTES)):
            start += more
    if start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise SourceError("source.utf32")
    if start.startswith(codecs.BOM_UTF8):
        if _find_failing_line(path, "utf-8-sig") is None:
            return "utf-8-sig"
        raise SourceError("source.broken_utf8_with_mark")
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        if _find_failing_line(path, "utf-16") is None:
            return "utf-16"
        raise SourceError("source.broken_utf16_with_mark")
    wide = _guess_utf16(start)
    if wide is not None and _find_failing_line(path, wide) is None:
        return wide
    first_bad_line = _find_failing_line(path, "utf-8")
    if first_bad_line is None:
        return "utf-8"
    if (japanese := _detect_japanese(path)) is not None:
        return japanese
    raise SourceError("source.unknown_encoding", first_bad_line=first_bad_line)


def _guess_utf16(start: bytes) -> str | None:
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


def _find_failing_line(path: Path | str, encoding: str) -> int | None:
    """Decode a whole file strictly; return the line of the first failure, or None.

    ISO-2022-JP consists of ASCII bytes: its escape sequences identify it, and raise SourceError.
    """
    tail = b""
    try:
        with open_bytes(path) as stream:
            for data in _decode_stream(stream, encoding):
                window = tail + data
                if any(escape in window for escape in _ISO_2022_JP):
                    raise SourceError("source.iso2022_jp")
                tail = window[-2:]
    except _UndecodableError as failure:
        return failure.line
    return None


class _UndecodableError(Exception):
    """Bytes that do not fit the encoding, on a line counted from 1."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line


def _decode_stream(stream: BinaryIO, encoding: str) -> Iterator[bytes]:
    """Decode a stream strictly and yield it as UTF-8, without byte order mark.

    Raises _UndecodableError with the line on which decoding fails first.
    """
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    counter = LineCounter()
    at_start = True

    def step(data: bytes, final: bool) -> bytes:
        nonlocal at_start
        text = decoder.decode(data, final)
        if at_start and text:
            text = text.removeprefix("\ufeff")
            at_start = False
        return text.encode("utf-8")

    for chunk in read_chunks(stream):
        before, start_before = decoder.getstate(), at_start
        try:
            data = step(chunk, False)
        except UnicodeError:
            # Decoding the chunk again byte by byte finds the line in every encoding; the byte position in the
            # exception does not.
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


def transcode(path: Path | str, encoding: str, target: Path | str) -> None:
    """Copy a text file as UTF-8 without byte order mark, unpacked.

    Line ends stay as they are.

    Args:
        path: The file.
        encoding: Any text encoding that Python knows.
        target: The copy, with mode 0600; must not exist, and is removed after an error.

    Raises:
        UsageError: The encoding is unknown.
        SourceError: Bytes do not fit the encoding, or a file cannot be read or written.
    """
    _check_encoding(encoding)
    with open_bytes(path) as stream, _private_file(target) as put:
        try:
            for data in _decode_stream(stream, encoding):
                put(data)
        except _UndecodableError as failure:
            raise SourceError("source.line_not_in_encoding", line=failure.line, encoding=encoding) from None


def _check_encoding(encoding: str) -> None:
    """Raise UsageError unless Python can decode text in this encoding chunk by chunk."""
    try:
        decodes = isinstance(codecs.getincrementaldecoder(encoding)("strict").decode(b""), str)
    except (LookupError, ValueError, TypeError, AttributeError, AssertionError):
        decodes = False
    if not decodes:
        raise UsageError("source.invalid_encoding_name", encoding=encoding)


def spool(stream: BinaryIO, target: Path | str) -> None:
    """Copy standard input to a private file.

    Args:
        stream: The bytes.
        target: The copy, with mode 0600; must not exist, and is removed after an error.

    Raises:
        SourceError: The stream is empty, or cannot be read or written.
    """
    with _private_file(target) as put:
        empty = True
        while True:
            try:
                chunk = stream.read(CHUNK_BYTES)
            except OSError as error:
                raise _read_error(error) from None
            if not chunk:
                break
            empty = False
            put(chunk)
        if empty:
            raise SourceError("source.standard_input_empty")


# --- CP932 against EUC-JP ------------------------------------------------------------------------

#: The kanji that newspapers, addresses, personal names and table headers use most.
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


def _detect_japanese(path: Path | str) -> str | None:
    """Decide between CP932 and EUC-JP; None if neither gives readable Japanese.

    An encoding that does not decode the whole file strictly is out. That settles nearly every file: kanji and
    kana of CP932 use bytes that EUC-JP lacks, and a pair of EUC-JP bytes usually ends in one that begins a
    pair of CP932. Both decode only a tiny file, or one whose only Japanese is half-width katakana: single
    bytes in CP932 that look like halves of EUC-JP kanji.

    Then the encoding with the higher mean of :func:`_score_character` wins, in a draw CP932, the encoding of
    Japanese Excel. A mean below zero is no Japanese: bytes of Western 8-bit files can decode by chance.
    """
    scores = {
        encoding: score
        for encoding in ("cp932", "euc_jp")
        if (score := _score_encoding(path, encoding)) is not None
    }
    if not scores:
        return None
    best = max(scores, key=lambda encoding: scores[encoding])  # the first wins a draw
    return best if scores[best] >= 0 else None


def _score_encoding(path: Path | str, encoding: str) -> float | None:
    """Return the mean score of the first SCORE_CHARACTERS characters beyond ASCII.

    From -4 (noise) to 4 (plain Japanese); None if the file does not decode strictly.
    """
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    points, characters, previous = 0, 0, ""
    try:
        with open_bytes(path) as stream:
            for chunk in read_chunks(stream):
                text = decoder.decode(chunk)
                if characters >= SCORE_CHARACTERS:
                    continue
                for character in text:
                    if character > "\x7f":
                        points += _score_character(previous, character)
                        characters += 1
                    previous = character
        decoder.decode(b"", True)
    except UnicodeError:
        return None
    return points / characters if characters else 0.0


def _score_character(previous: str, character: str) -> int:
    """Score a character beyond ASCII, given the one before it.

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


def drop_lines(path: Path, lines: int) -> Path:
    """Replace a private copy by one without its first lines.

    Args:
        path: The copy; it is removed.
        lines: Number of lines to drop.

    Returns:
        The new copy.

    Raises:
        SourceError: The file has no more lines than these.
    """
    target = path.with_name(f"{path.name}-rest")
    with open_bytes(path) as stream, _private_file(target) as put:
        for _ in range(lines):
            if not stream.readline():
                raise SourceError("source.skip_lines_above_length", lines=lines)
        for chunk in read_chunks(stream):
            put(chunk)
    path.unlink()
    return target
