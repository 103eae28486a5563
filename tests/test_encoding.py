"""Encodings and CSV dialects: every rule of duckrisk/source/text.py on a file made by hand."""

# The full-width signs are meant.
# ruff: noqa: RUF001

from __future__ import annotations

import csv
import gzip
import io
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from duckrisk.errors import SourceError, UsageError
from duckrisk.source import text

Rows = list[tuple[object, ...]]


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


@pytest.fixture
def make(tmp_path: Path):
    """Write bytes to a new file and return its path."""

    def write(content: bytes, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def read(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    dialect: text.Dialect,
    all_varchar: bool = False,
) -> Rows:
    options = text.read_csv_options(dialect, all_varchar)
    arguments = "".join(f", {name} = ?" for name in options)
    return connection.execute(
        f"SELECT * FROM read_csv(?{arguments})", [text.engine_path(path), *options.values()]
    ).fetchall()


def names(dialect: text.Dialect) -> list[str]:
    return [name for name, _ in dialect.columns]


def types(dialect: text.Dialect) -> list[str]:
    return [kind for _, kind in dialect.columns]


# ---------------------------------------------------------------------------------- encodings

JAPANESE = "氏名,住所,年齢\n田中太郎,東京都港区,34\nすずき　はなこ,大阪市北区,28\n"
WINDOWS = "会社,番号,姓\n㈱アオキ,①,髙橋\n（有）ミドリ～,②,﨑山\n"
HALF_WIDTH = "ｶﾅ\nﾀﾅｶ ﾀﾛｳ\nｽｽﾞｷ ﾊﾅｺ\nﾜﾀﾅﾍﾞ ｼﾞﾛｳ\n"


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 1 << 20])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("content", "encoding", "expected"),
    [
        ("a,b\n1,2\n", "ascii", "utf-8"),
        (JAPANESE, "utf-8", "utf-8"),
        ("héllo,wörld\n😀,1\n", "utf-8", "utf-8"),
        (JAPANESE, "utf-8-sig", "utf-8-sig"),
        (JAPANESE, "utf-16", "utf-16"),
        (JAPANESE, "utf-16-le", "utf-16-le"),
        (JAPANESE, "utf-16-be", "utf-16-be"),
        ("a,b\n1,2\n", "utf-16-le", "utf-16-le"),
        ("a,b\n1,2\n", "utf-16-be", "utf-16-be"),
        (JAPANESE, "cp932", "cp932"),
        (WINDOWS, "cp932", "cp932"),
        (HALF_WIDTH, "cp932", "cp932"),
        (JAPANESE, "euc_jp", "euc_jp"),
        (HALF_WIDTH, "euc_jp", "euc_jp"),
    ],
)
def test_encoding_is_found(make, monkeypatch, content, encoding, expected, packed, chunk):
    if encoding.startswith("utf-16-") and chunk < 20:
        pytest.skip("UTF-16 without mark is told by the first chunk, which needs some length")
    monkeypatch.setattr(text, "CHUNK_BYTES", chunk)
    data = content.encode(encoding)
    # The name says nothing: gzip is told by its first bytes.
    assert text.sniff_encoding(make(gzip.compress(data) if packed else data)) == expected


def test_big_endian_mark(make):
    data = b"\xfe\xff" + JAPANESE.encode("utf-16-be")
    assert text.sniff_encoding(make(data)) == "utf-16"


def test_utf16_with_many_nul_twins(make):
    """U+4E00 and U+3000 have a NUL on the other side; table marks must outweigh them."""
    content = "一　一　一,一　一　上\n" * 20
    assert text.sniff_encoding(make(content.encode("utf-16-le"))) == "utf-16-le"
    assert text.sniff_encoding(make(content.encode("utf-16-be"))) == "utf-16-be"


def test_utf16_of_a_single_word(make):
    assert text.sniff_encoding(make("name".encode("utf-16-le"))) == "utf-16-le"
    assert text.sniff_encoding(make("name".encode("utf-16-be"))) == "utf-16-be"


def test_stray_nul_is_not_utf16(make):
    assert text.sniff_encoding(make(b"a,b\n1,\x002\n3,4\n")) == "utf-8"
    assert text.sniff_encoding(make(b"ab\n1\x002\n")) == "utf-8"


@pytest.mark.parametrize(
    ("word", "encoding"),
    [
        ("木村", "euc_jp"),  # reads as ﾌﾚﾂｼ in CP932
        ("すし", "euc_jp"),
        ("カメラ", "euc_jp"),
        ("ﾀﾅｶﾀﾛｳ", "cp932"),  # reads as three odd kanji in EUC-JP
        ("ｽｽﾞｷｼﾞﾛｳ", "cp932"),
        ("ﾜﾀﾅﾍﾞ", "cp932"),
        ("ﾔﾏﾀﾞﾊﾅｺ", "cp932"),
        ("髙橋", "cp932"),
        ("㈱", "cp932"),
        ("①", "cp932"),
        ("～", "cp932"),
    ],
)
def test_tiny_japanese_files(make, word, encoding):
    assert text.sniff_encoding(make(f"{word}\n".encode(encoding))) == encoding


def test_undecided_files_decode_both_ways():
    """The cases above that need the score are truly undecided by strict decoding."""
    assert "木村".encode("euc_jp").decode("cp932") == "ﾌﾚﾂｼ"
    assert len("ﾀﾅｶﾀﾛｳ".encode("cp932").decode("euc_jp")) == 3


@pytest.mark.parametrize(
    ("previous", "character", "points"),
    [
        ("", "あ", 4),
        ("", "カ", 4),
        ("", "ー", 4),
        ("", "東", 4),
        ("", "。", 2),
        ("", "Ａ", 2),
        ("", "㈱", 2),
        ("", "①", 2),
        ("", "～", 2),
        ("", "ｱ", 2),
        ("ｶ", "ﾞ", 2),
        ("ﾊ", "ﾟ", 2),
        ("ｱ", "ｰ", 2),
        ("", "徒", 1),
        ("", "髙", 0),
        ("", "､", 0),
        ("", "丐", -1),
        ("ｱ", "ﾞ", -4),
        ("ｶ", "ﾟ", -4),
        ("", "ｰ", -4),
        ("", "\x80", -4),
        ("", "\ue000", -4),
    ],
)
def test_points_for_japanese(previous, character, points):
    assert text._points(previous, character) == points


@pytest.mark.parametrize(
    "content",
    [
        "prénom,ville\nZoë,Orléans\nJosé,Cádiz\n".encode("latin-1"),
        "name,price\nMüller,10€\n".encode("cp1252"),
        b"a,b\n\xff\xff\xff,1\n",
        b"a,b\n1,2\n\xe3\x81",
    ],
)
def test_no_encoding_fits(make, content):
    with pytest.raises(SourceError) as caught:
        text.sniff_encoding(make(content))
    message = str(caught.value)
    assert "UTF-8" in message
    assert "EUC-JP" in message
    assert "--encoding" in message
    assert "line " in message


def test_western_text_that_decodes_as_cp932_by_chance(make):
    content = "Gärtner\n".encode("latin-1")
    assert content.decode("cp932")
    with pytest.raises(SourceError):
        text.sniff_encoding(make(content))


@pytest.mark.parametrize("encoding", ["utf-32", "iso2022_jp"])
def test_encodings_that_are_named_but_not_guessed(make, encoding):
    with pytest.raises(SourceError, match=f"--encoding {encoding}"):
        text.sniff_encoding(make(JAPANESE.encode(encoding)))


@pytest.mark.parametrize("chunk", [1, 2, 1 << 20])
def test_iso_2022_jp_escape_across_chunks(make, monkeypatch, chunk):
    monkeypatch.setattr(text, "CHUNK_BYTES", chunk)
    with pytest.raises(SourceError, match="ISO-2022-JP"):
        text.sniff_encoding(make(JAPANESE.encode("iso2022_jp")))


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbfa\n\xff\n", b"\xff\xfea\x00\x00\xd8\n\x00"])
def test_mark_with_other_content(make, mark):
    with pytest.raises(SourceError, match="byte order mark"):
        text.sniff_encoding(make(mark))


def test_damaged_gzip(make):
    packed = gzip.compress(os.urandom(5000))
    for damaged in (packed[:-2000], packed[:-6] + b"\0" + packed[-5:], packed + b"tail"):
        with pytest.raises(SourceError, match="gzip file is damaged"):
            text.sniff_encoding(make(damaged))


def test_missing_file(tmp_path):
    with pytest.raises(SourceError, match="cannot be read"):
        text.sniff_encoding(tmp_path / "absent.csv")
    with pytest.raises(SourceError, match="cannot be read"):
        text.sniff_encoding(tmp_path)


# ---------------------------------------------------------------------------------- transcode


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 1 << 20])
@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (JAPANESE, "cp932"),
        (WINDOWS, "cp932"),
        (HALF_WIDTH, "cp932"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "utf-16"),
        (JAPANESE, "utf-16-le"),
        (JAPANESE, "utf-16-be"),
        (JAPANESE, "utf-8-sig"),
        ("a,b\r\n😀,2\r3,4\n", "utf-16-be"),
        (JAPANESE, "iso2022_jp"),
    ],
)
def test_transcode_gives_the_same_text(make, tmp_path, monkeypatch, content, encoding, chunk):
    monkeypatch.setattr(text, "CHUNK_BYTES", chunk)
    for packed in (False, True):
        data = content.encode(encoding)
        target = tmp_path / f"copy-{packed}"
        text.transcode(make(gzip.compress(data) if packed else data), encoding, target)
        assert target.read_bytes().decode("utf-8") == content


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"])
def test_transcode_drops_the_mark(make, tmp_path, encoding):
    data = "\ufeffa\n\ufeffb\n".encode(encoding.removesuffix("-sig"))
    text.transcode(make(data), encoding, tmp_path / "copy")
    assert (tmp_path / "copy").read_text(encoding="utf-8") == "a\n\ufeffb\n"  # only the first


def test_transcode_is_private_and_never_overwrites(make, tmp_path):
    source, target = make(JAPANESE.encode("cp932")), tmp_path / "copy"
    old = os.umask(0)
    try:
        text.transcode(source, "cp932", target)
    finally:
        os.umask(old)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with pytest.raises(SourceError, match="cannot be written"):
        text.transcode(source, "cp932", target)
    assert target.read_text(encoding="utf-8") == JAPANESE
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SourceError, match="cannot be written"):
        text.transcode(source, "cp932", link)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("chunk", [1, 2, 3, 4, 5, 1 << 20])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_transcode_names_the_line(make, tmp_path, monkeypatch, chunk, end):
    monkeypatch.setattr(text, "CHUNK_BYTES", chunk)
    secret = "秘密".encode("cp932")
    data = end.join([b"a,b", secret + b",1", secret + b"\xff\x80,2", b"x,3"])
    target = tmp_path / "copy"
    with pytest.raises(SourceError) as caught:
        text.transcode(make(data.replace(b"\xff", b"\x85\x20")), "cp932", target)
    message = str(caught.value)
    assert message.startswith("Line 3 is not valid cp932;")
    assert "秘密" not in message
    assert "\\x" not in message
    assert not target.exists()


def test_transcode_truncated_end(make, tmp_path):
    with pytest.raises(SourceError, match="Line 3 is not valid utf-8;"):
        text.transcode(make(b"a\nb\n\xe3\x81"), "utf-8", tmp_path / "copy")
    with pytest.raises(SourceError, match="Line 2 is not valid utf-16-le;"):
        text.transcode(make("a\nb".encode("utf-16-le") + b"c"), "utf-16-le", tmp_path / "copy")


def test_transcode_utf16_needs_its_mark(make, tmp_path):
    with pytest.raises(SourceError, match="Line 1 is not valid utf-16;"):
        text.transcode(make("a,b\n".encode("utf-16-le")), "utf-16", tmp_path / "copy")


@pytest.mark.parametrize("encoding", ["nonsense", "base64", "rot13", "undefined", "a\0b", ""])
def test_unknown_encoding(make, tmp_path, encoding):
    with pytest.raises(UsageError, match="not a known text encoding"):
        text.transcode(make(b"a\n"), encoding, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_spool(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "CHUNK_BYTES", 3)
    text.spool(io.BytesIO(b"a,b\n1,2\n"), tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"a,b\n1,2\n"
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o600
    with pytest.raises(SourceError, match="empty"):
        text.spool(io.BytesIO(b""), tmp_path / "other")
    assert not (tmp_path / "other").exists()


# ------------------------------------------------------------------------------------ dialect


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_and_line_ends(make, connection, delimiter, end):
    lines = ["id,name,day", "001,x,2024-01-02", "002,y,2024-02-03"]
    path = make(end.join(line.replace(",", delimiter).encode() for line in lines) + end)
    dialect = text.sniff_dialect(connection, path)
    assert (dialect.delimiter, dialect.quote, dialect.escape) == (delimiter, '"', '"')
    assert dialect.header
    assert dialect.columns == (("id", "VARCHAR"), ("name", "VARCHAR"), ("day", "DATE"))
    assert [row[:2] for row in read(connection, path, dialect)] == [("001", "x"), ("002", "y")]


def test_options_are_plain_values(make, connection):
    path = make(b"a,b\n1,x\n")
    options = text.read_csv_options(text.sniff_dialect(connection, path))
    assert options["columns"] == {"c0": "BIGINT", "c1": "VARCHAR"}
    assert options["auto_detect"] is False
    assert options["null_padding"] is False
    assert options["allow_quoted_nulls"] is False
    assert options["skip"] == 0
    assert "new_line" not in options
    options = text.read_csv_options(text.sniff_dialect(connection, path), all_varchar=True)
    assert options["columns"] == {"c0": "VARCHAR", "c1": "VARCHAR"}


def test_quoted_empty_is_a_value(make, connection):
    path = make(b'a,b\n1,""\n2,\n3,NULL\n')
    dialect = text.sniff_dialect(connection, path)
    assert read(connection, path, dialect) == [(1, ""), (2, None), (3, "NULL")]


def test_quoted_empty_in_a_column_of_numbers(make, connection):
    path = make(b'a,b\n"1",""\n"2","3"\n')
    dialect = text.sniff_dialect(connection, path)
    assert read(connection, path, dialect) == [(1, ""), (2, "3")]


def test_quotes_after_the_sample(make, connection, monkeypatch):
    """No quote in the sample does not mean that quotes have no meaning later."""
    monkeypatch.setattr(text, "SAMPLE_RECORDS", 100)
    path = make(b"a,b\n" + b"1,x\n" * 5000 + b'2,"y,""z"""\n')
    dialect = text.sniff_dialect(connection, path)
    assert read(connection, path, dialect)[-1] == (2, 'y,"z"')


def test_single_quotes_and_backslashes(make, connection):
    path = make(b"a;b\n'x;y';2\n'z';3\n")
    dialect = text.sniff_dialect(connection, path)
    assert (dialect.quote, dialect.escape) == ("'", "'")
    assert read(connection, path, dialect) == [("x;y", 2), ("z", 3)]
    path = make(b'a,b\n"x\\"y",2\n"z",3\n')
    dialect = text.sniff_dialect(connection, path)
    assert dialect.escape == "\\"
    assert read(connection, path, dialect) == [('x"y', 2), ("z", 3)]


def test_quote_as_a_plain_character(make, connection):
    path = make(b'a,b\n5" disk,1\n3,4\n')
    assert read(connection, path, text.sniff_dialect(connection, path)) == [
        ('5" disk', 1),
        ("3", 4),
    ]
    path = make(b'a,b\n"5" disk,1\n"big" one,4\n')
    dialect = text.sniff_dialect(connection, path)
    assert dialect.quote == ""
    assert read(connection, path, dialect) == [('"5" disk', 1), ('"big" one', 4)]


def test_broken_quote_is_not_taken_for_a_character(make, connection):
    path = make(b'a,b\n"one",1\n"two,2\n"three",3\n')
    with pytest.raises(SourceError):
        text.sniff_dialect(connection, path)


def test_blanks_before_a_quote(make, connection):
    path = make(b'a, "b,c", d\nx, "1,2", 3\ny, "1", 4\n')
    dialect = text.sniff_dialect(connection, path)
    assert names(dialect)[1] == "b,c"
    assert [row[1] for row in read(connection, path, dialect)] == ["1,2", "1"]
    path = make(b'a, "b", d\nx, "1", 3\n')
    assert names(text.sniff_dialect(connection, path)) == ["a", "b", " d"]


def test_line_breaks_in_quotes(make, connection):
    path = make(b'a,b\r\n"x\ny",2\r\n"x\r\nz",3\r\n"p\rq",4\r\n')
    dialect = text.sniff_dialect(connection, path)
    assert read(connection, path, dialect) == [("x\ny", 2), ("x\r\nz", 3), ("p\rq", 4)]


def test_gzip_whatever_the_name(make, connection):
    content = b"a,b\n1,x\n2,y\n"
    two_members = gzip.compress(content) + gzip.compress(b"3,z\n")
    path = make(two_members, "table.csv")
    dialect = text.sniff_dialect(connection, path)
    assert dialect.compression == "gzip"
    assert read(connection, path, dialect) == [(1, "x"), (2, "y"), (3, "z")]
    path = make(content, "plain.csv.gz")
    dialect = text.sniff_dialect(connection, path)
    assert dialect.compression == "none"
    assert read(connection, path, dialect) == [(1, "x"), (2, "y")]
    with pytest.raises(SourceError, match="damaged"):
        text.sniff_dialect(connection, make(two_members[:-3]))


@pytest.mark.parametrize("name", ["x*.csv", "x[1].csv", "x?.csv", "{a,b}.csv", "a'b\".csv"])
def test_file_names_are_not_patterns(make, connection, name):
    for other in ("x1.csv", "xy.csv", "a.csv", "b.csv"):
        make(b"q\n9\n", other)
    path = make(b"a,b\n1,2\n", name)
    dialect = text.sniff_dialect(connection, path)
    assert read(connection, path, dialect) == [(1, 2)]


def test_byte_order_mark(make, connection):
    path = make(b"\xef\xbb\xbfa,b\n1,x\n")
    dialect = text.sniff_dialect(connection, path)
    assert names(dialect) == ["a", "b"]
    assert read(connection, path, dialect) == [(1, "x")]
    path = make(b"\xef\xbb\xbf1,2\n3,4\n")
    assert read(connection, path, text.sniff_dialect(connection, path)) == [(1, 2), (3, 4)]


def test_dates_in_other_orders(make, connection):
    connection.execute("SET preserve_insertion_order = false")
    path = make(b"d,e,t\n01/02/2020,2020-01-01,01/02/2020 10:00\n13/02/2020,2020-01-02,\n")
    dialect = text.sniff_dialect(connection, path)
    assert types(dialect)[0] == "DATE"
    assert dialect.date_format == "%d/%m/%Y"
    rows = sorted(read(connection, path, dialect))
    assert [str(row[0]) for row in rows] == ["2020-02-01", "2020-02-13"]
    assert str(rows[0][1]).startswith("2020-01-01")


# ------------------------------------------------------------------------------------- header

HOSTILE = [
    'say "hi"',
    "x; DROP TABLE t; --",
    "two\nlines",
    "three\n\nlines",
    "{{ secret }}",
    "{% raw %}",
    "a",
    "a",
    "A",
    "",
    "",
    "  padded  ",
    "\ttab",
    "comma, inside",
    "c1",
    "select",
    "名前",
    "\u202eright to left",
    "x" * 5000,
    "'",
    "\\",
    "$1",
    "?",
    "# remark",
]


def test_hostile_header(make, connection):
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(HOSTILE)
    writer.writerow(range(len(HOSTILE)))
    writer.writerow(range(len(HOSTILE)))
    path = make(buffer.getvalue().encode())
    dialect = text.sniff_dialect(connection, path, header=True)
    assert names(dialect) == HOSTILE
    assert set(types(dialect)) == {"BIGINT"}
    assert read(connection, path, dialect) == [tuple(range(len(HOSTILE)))] * 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("inside", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("header", [None, True, False])
def test_line_break_in_the_first_record(make, connection, end, inside, header):
    """DuckDB returns no rows, without an error, when the two kinds differ."""
    path = make(f'"two{inside}lines",b{end}1,2{end}3,4{end}'.encode())
    if inside == end:
        dialect = text.sniff_dialect(connection, path, header)
        assert len(read(connection, path, dialect)) == (3 if header is False else 2)
        if dialect.header:
            assert names(dialect) == [f"two{inside}lines", "b"]
        return
    with pytest.raises(SourceError, match="line break inside quotes"):
        text.sniff_dialect(connection, path, header)


def test_apostrophe_in_the_header_opens_nothing(make, connection):
    path = make(b"driver's name,b\r\n\"it's\nhis\",2\r\nx,3\r\n")
    dialect = text.sniff_dialect(connection, path)
    assert read(connection, path, dialect) == [("it's\nhis", 2), ("x", 3)]


def test_unquoted_header_is_verbatim(make, connection):
    path = make(b" a ,a,A,,b  \n1,2,3,4,5\n")
    assert names(text.sniff_dialect(connection, path)) == [" a ", "a", "A", "", "b  "]


def test_header_is_guessed_by_types(make, connection):
    path = make(b"1,2,3\n4,5,6\n")
    dialect = text.sniff_dialect(connection, path)
    assert not dialect.header
    assert names(dialect) == ["c0", "c1", "c2"]
    assert read(connection, path, dialect) == [(1, 2, 3), (4, 5, 6)]
    path = make(b"tokyo,3\nosaka,4\n")
    assert not text.sniff_dialect(connection, path).header


def test_all_text_is_read_with_a_header_unless_told(make, connection):
    path = make(b"tokyo,male\nosaka,female\nkyoto,male\n")
    assert names(text.sniff_dialect(connection, path)) == ["tokyo", "male"]
    dialect = text.sniff_dialect(connection, path, header=False)
    assert not dialect.header
    assert len(read(connection, path, dialect)) == 3


def test_header_of_numbers_when_told(make, connection):
    path = make(b"2019,2020\n1,2\n3,4\n")
    assert not text.sniff_dialect(connection, path).header
    dialect = text.sniff_dialect(connection, path, header=True)
    assert names(dialect) == ["2019", "2020"]
    assert read(connection, path, dialect) == [(1, 2), (3, 4)]


def test_single_line(make, connection):
    path = make(b"1,2,3")
    assert read(connection, path, text.sniff_dialect(connection, path)) == [(1, 2, 3)]
    path = make(b"x,y,z\n")
    with pytest.raises(SourceError, match="has a header but no records"):
        text.sniff_dialect(connection, path)
    dialect = text.sniff_dialect(connection, path, header=False)
    assert read(connection, path, dialect) == [("x", "y", "z")]


# ---------------------------------------------------------------------------------- one column


def test_one_column(make, connection):
    path = make(b"name\nx\n\nz\n")
    dialect = text.sniff_dialect(connection, path)
    assert dialect.columns == (("name", "VARCHAR"),)
    assert read(connection, path, dialect) == [("x",), (None,), ("z",)]
    path = make(b"1\n2\n3\n")
    assert read(connection, path, text.sniff_dialect(connection, path)) == [(1,), (2,), (3,)]


def test_one_column_of_quoted_text(make, connection):
    path = make(b'"a, b"\n"1,2"\n"3,4"\n"5,6"\n')
    dialect = text.sniff_dialect(connection, path, header=True)
    assert names(dialect) == ["a, b"]
    assert read(connection, path, dialect) == [("1,2",), ("3,4",), ("5,6",)]


def test_one_column_with_commas_here_and_there(make, connection):
    path = make(b"note\nhello\na, b, c\nfoo\n")
    dialect = text.sniff_dialect(connection, path)
    assert read(connection, path, dialect) == [("hello",), ("a, b, c",), ("foo",)]


def test_delimiter_override(make, connection):
    path = make(b"x,1;y,2\nz,3;w,4\n")
    for delimiter, first in ((",", ("x", "1;y", 2)), (";", ("x,1", "y,2"))):
        dialect = text.sniff_dialect(connection, path, header=False, delimiter=delimiter)
        assert dialect.delimiter == delimiter
        assert read(connection, path, dialect)[0] == first


# ------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"a,b\n1,2\n3\n4,5,6\n", 3),
        (b"a,b\n1,2\n3,4,5\n4,5\n", 3),
        (b"a,b,c\n1,2,3\n3,4\n4,5,6\n", 3),
        (b"a,b\n1\n1,2,3\n", 2),
        (b"a,b\n1,2\n3\n4,5,6\n7,8\n9\n", 3),
        (b"a,b\n1,2\n3,4\n5", 4),
        (b"a,b\n1,2\n3,4,\n5,6\n", 3),
        (b"a,b\n1,2,3\n4,5,6\n7,8,9\n", 1),
        (b"a,b,c\n1,2\n3,4\n5,6\n", 1),
        (b"a,b\n1,2,\n3,4,\n5,6,\n", 2),
        (b"Report 2024\n\na,b\n1,2\n3,4\n", 1),
        (b"# exported\na,b\n1,2\n3,4\n", 1),
        (b"a,b\n1,2\n3,4\nTotal: 2\n", 4),
        (b"name\nSmith, John\nDoe, Jane\n", 1),
        (b'a,b\n"x\ny\nz",2\n\n3\n4,5\n6,7\n', 6),
        (b"a,b\r1,2\r3\r4,5\r", 3),
        (b"a,b\r\n1,2\r\n3\r\n4,5\r\n", 3),
        (b"a;b\n1;2\n3;4;5\n6;7\n8;9\n", 3),
        (b"a,b\n1,2\n  \n3,4\n", 3),
        (b'a,b\n1,2\n3,4,""\n5,6\n7,8\n', 3),
    ],
)
@pytest.mark.parametrize("header", [None, True])
def test_ragged_lines_are_named(make, connection, content, line, header):
    with pytest.raises(SourceError) as caught:
        text.sniff_dialect(connection, make(content), header)
    assert str(caught.value).startswith(f"Line {line} has "), str(caught.value)


@pytest.mark.parametrize("value", [b"x", b"1"])
def test_ragged_after_the_sample(make, connection, monkeypatch, value):
    monkeypatch.setattr(text, "SAMPLE_RECORDS", 50)
    path = make(b"a,b\n" + (value + b",2\n") * 9000 + b"secret\n" + (value + b",2\n") * 10)
    dialect = text.sniff_dialect(connection, path)
    with pytest.raises(duckdb.Error) as caught:
        read(connection, path, dialect)
    if text.is_type_error(caught.value):  # the short line may also not fit the first column
        with pytest.raises(SourceError) as refused:
            text.widen(connection, path, dialect)
        found = refused.value
    else:
        found = text.read_error(path, dialect, caught.value)
    assert str(found).startswith("Line 9002 has 1 field where 2 are expected;")
    assert "secret" not in str(found)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "The file is empty."),
        (b"\n\r\n\n", "The file is empty."),
        (b"\xef\xbb\xbf", "The file is empty."),
        (b"\xef\xbb\xbf\n", "The file is empty."),
        (b"a,b\n", "The file has a header but no records;"),
        (b"a,b", "The file has a header but no records;"),
        (b"a,b\n\n\n", "The file has a header but no records;"),
        (b"name\n", "The file has a header but no records;"),
        (b"a,b\n1,2\n3,\x004\n", "Line 3 holds a NUL byte;"),
        (b"\x00a,b\n1,2\n", "Line 1 holds a NUL byte;"),
        (b"\n\na,b\n1,2\n", "Line 1 is blank;"),
        (b"\nname\nx\n", "Line 1 is blank;"),
        (b"a,b\n1,2\r\n3,4\n", "Line 2 ends differently from line 1"),
        (b"a,b\r\n1,2\r\n3,4\n5,6\r\n", "Line 3 ends differently from line 1"),
        (b"a,b\n1,2\n\xff,3\n", "The text is not UTF-8 after line"),
    ],
)
def test_other_refusals(make, connection, content, message):
    with pytest.raises(SourceError) as caught:
        text.sniff_dialect(connection, make(content))
    assert str(caught.value).startswith(message), str(caught.value)
    assert str(caught.value).count("\n") == 0
    with pytest.raises(SourceError):
        text.sniff_dialect(connection, make(gzip.compress(content)))


@pytest.mark.parametrize("chunk", [1, 2, 3])
def test_nul_line_at_chunk_borders(make, connection, monkeypatch, chunk):
    monkeypatch.setattr(text, "CHUNK_BYTES", chunk)
    with pytest.raises(SourceError, match="Line 3 holds a NUL byte"):
        text.sniff_dialect(connection, make(b"a,b\r\n1,2\r\n3,\x004\r\n"))


def test_very_long_first_line(make, connection, monkeypatch):
    monkeypatch.setattr(text, "MAX_LINE_CHARACTERS", 1000)
    with pytest.raises(SourceError, match="Line 2 is longer than 1,000 characters"):
        text.sniff_dialect(connection, make(b"a,b\n1," + b"x" * 3000 + b"\n2,y\n"))


def test_long_value(make, connection):
    """A value too long for Python's csv module is none of its business after the header."""
    path = make(b"a,b\n1,x\n2," + b"y" * 200_000 + b"\n3,z\n")
    dialect = text.sniff_dialect(connection, path)
    assert [len(str(row[1])) for row in read(connection, path, dialect)] == [1, 200_000, 1]
    with pytest.raises(SourceError, match="first record"):
        text.sniff_dialect(connection, make(b"a," + b"y" * 200_000 + b"\n3,z\n"))


def test_messages_hold_no_values(make, connection):
    for content in (
        b"secret,b\nsecret,2\nsecret\n4,secret,6\n",
        b'secret,b\n"secret,2\n"secret",3\n',
        b"secret,secret\n",
        b"secret\nsecret, secret\nsecret, secret\n",
        b"secret,b\nsecret,2\r\nsecret,3\n",
    ):
        with pytest.raises(SourceError) as caught:
            text.sniff_dialect(connection, make(content))
        assert "secret" not in str(caught.value)
        # A traceback must not show the engine's error, which quotes the line, either.
        assert caught.value.__context__ is None or caught.value.__suppress_context__


# ---------------------------------------------------------------------------------------- types


def test_type_that_breaks_after_the_sample(make, connection, monkeypatch):
    monkeypatch.setattr(text, "SAMPLE_RECORDS", 50)
    path = make(b"id,v\n" + b"1,2\n" * 9000 + b"1,secret\n")
    dialect = text.sniff_dialect(connection, path)
    assert types(dialect) == ["BIGINT", "BIGINT"]
    with pytest.raises(duckdb.Error) as caught:
        read(connection, path, dialect)
    assert text.is_type_error(caught.value)
    assert "secret" not in str(text.read_error(path, dialect, caught.value))
    widened = text.widen(connection, path, dialect)
    assert widened.columns == (("id", "BIGINT"), ("v", "VARCHAR"))
    assert read(connection, path, widened)[-1] == (1, "secret")


def test_widen_keeps_names_and_values(make, connection, monkeypatch):
    monkeypatch.setattr(text, "SAMPLE_RECORDS", 50)
    path = make(b"d,d\n" + b"01/02/2020,007\n" * 9000 + b"12/25/2020,1\n")
    dialect = text.sniff_dialect(connection, path)
    widened = text.widen(connection, path, dialect)
    # DuckDB does not try the other order of day and month again: text, nothing lost.
    assert widened.columns == (("d", "VARCHAR"), ("d", "VARCHAR"))
    assert read(connection, path, widened)[-1] == ("12/25/2020", "1")


def test_widen_without_header_or_quote(make, connection):
    path = make(b'"5" disk|1\n"big" one|x\n')
    dialect = text.sniff_dialect(connection, path, header=False)
    assert dialect.quote == ""
    assert text.widen(connection, path, dialect) == dialect


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["12345678901234567890", "12345678901234567891"], "VARCHAR"),
        (["1234567890" * 4, "1234567890" * 4], "VARCHAR"),
        (["1.5", "12345678901234567"], "VARCHAR"),
        (["0.1000000000000000055", "1.10"], "VARCHAR"),
        (["0.30000000000000004", "1.5"], "DOUBLE"),
        (["1.5", "2.25"], "DOUBLE"),
        (["9223372036854775807", "1"], "BIGINT"),
        (["0012", "0013"], "VARCHAR"),
        (["2020-01-01 00:00:00.1234567", "2020-01-01 00:00:00.1234568"], "VARCHAR"),
        (["2020-01-01 00:00:00.1234560", "2020-01-01 00:00:00"], "TIMESTAMP"),
    ],
)
def test_types_never_merge_values(make, connection, values, kind):
    path = make("\n".join(["v", *values, ""]).encode())
    dialect = text.sniff_dialect(connection, path)
    assert types(dialect) == [kind]
    assert len(set(read(connection, path, dialect))) == len(set(values))


def test_many_columns(make, connection):
    width = 100
    path = make(
        "\n".join(
            [",".join(f"n{i}" for i in range(width))] + [",".join(["1.5"] * width)] * 3
        ).encode()
    )
    dialect = text.sniff_dialect(connection, path)
    assert types(dialect) == ["DOUBLE"] * width


def test_interruption_is_not_an_error_of_the_file(make):
    closed = duckdb.connect()
    closed.close()
    with pytest.raises(duckdb.ConnectionException):
        text.sniff_dialect(closed, make(b"a,b\n1,2\n"))


# --------------------------------------------------------------------------------- round trips


def encodable(encoding: str) -> st.SearchStrategy[str]:
    """Characters that survive the encoding; without NUL, CR and the byte order mark."""
    if encoding.startswith("utf"):
        characters = st.characters(codec="utf-8", exclude_characters="\0\r\ufeff")
    else:
        kept = [
            character
            for character in map(chr, (*range(0x20, 0x7F), *range(0x3000, 0xFFF0)))
            if not "\ud800" <= character <= "\uf8ff"
            and character.encode(encoding, "ignore").decode(encoding, "ignore") == character
        ]
        characters = st.sampled_from([*kept, "\n", "㈱", "①"] if encoding == "cp932" else kept)
    return st.text(characters, max_size=8)


def tables(encoding: str) -> st.SearchStrategy[list[list[str]]]:
    cell = encodable(encoding)
    return st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(cell, min_size=width, max_size=width), min_size=2, max_size=5
        )
    )


ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp932", "euc_jp")
TABLES = {encoding: tables(encoding) for encoding in ENCODINGS}


@pytest.mark.parametrize("encoding", TABLES)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_round_trip(encoding, data):
    """A table of text comes back as it was written, header and records."""
    rows = data.draw(TABLES[encoding])
    packed = data.draw(st.booleans())
    in_header = "\n" in "".join(rows[0])  # then records must end the same way
    end = "\n" if in_header else data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    buffer = io.StringIO(newline="")
    csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator=end).writerows(rows)
    content = buffer.getvalue().encode(encoding)
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        source, target = Path(folder, "source"), Path(folder, "target.csv")
        source.write_bytes(gzip.compress(content) if packed else content)
        text.transcode(source, encoding, target)
        dialect = text.Dialect(",", '"', '"', True, tuple((name, "VARCHAR") for name in rows[0]))
        assert read(connection, target, dialect) == [tuple(row) for row in rows[1:]]
        shape = text._shape(target, ",", '"', '"', 1)
        assert shape.first == rows[0]
        if encoding.startswith("utf-8"):
            assert text.sniff_encoding(source) == encoding


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    header=st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0\r\ufeff"), max_size=12),
        min_size=2,
        max_size=6,
    ),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_any_header_is_kept(header, end):
    if "\n" in "".join(header):
        end = "\n"
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator=end)
    writer.writerow(header)
    numbers = csv.writer(buffer, lineterminator=end)
    for record in range(4):
        numbers.writerow([record] * len(header))
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder, "table.csv")
        path.write_bytes(buffer.getvalue().encode())
        dialect = text.sniff_dialect(connection, path, header=True)
        assert names(dialect) == header
        assert len(read(connection, path, dialect)) == 4
