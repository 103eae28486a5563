"""Encodings: every rule of duckrisk/source/encoding.py on a file made by hand."""

from __future__ import annotations

import gzip
import io
import os
import stat
from itertools import product
from pathlib import Path

import pytest

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.source import encoding as encodings
from tests.cases import Cases


@pytest.fixture
def make(tmp_path: Path):
    """Write bytes to a new file and return its path."""

    def write(content: bytes, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


# ---------------------------------------------------------------------------------- encodings

JAPANESE = "氏名,住所,年齢\n田中太郎,東京都港区,34\nすずき　はなこ,大阪市北区,28\n"
WINDOWS = "会社,番号,姓\n㈱アオキ,①,髙橋\n（有）ミドリ～,②,﨑山\n"
HALF_WIDTH = "ｶﾅ\nﾀﾅｶ ﾀﾛｳ\nｽｽﾞｷ ﾊﾅｺ\nﾜﾀﾅﾍﾞ ｼﾞﾛｳ\n"


ENCODED = [
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
]


def test_encoding_is_found(make, monkeypatch):
    with Cases() as case:
        for chunk, packed, (content, encoding, expected) in product(
            (1, 2, 3, 7, 1 << 20), (False, True), ENCODED
        ):
            if chunk < 20 and encoding.startswith("utf-16-"):
                continue  # without a mark UTF-16 is found by the first chunk, which needs some length
            with case(f"{expected} of {content[:9]!a} by {chunk}, packed: {packed}"):
                monkeypatch.setattr(encodings, "CHUNK_BYTES", chunk)
                data = content.encode(encoding)
                # The name says nothing: gzip is told by its first bytes.
                assert encodings.sniff_encoding(make(gzip.compress(data) if packed else data)) == expected


def test_big_endian_mark(make):
    data = b"\xfe\xff" + JAPANESE.encode("utf-16-be")
    assert encodings.sniff_encoding(make(data)) == "utf-16"


def test_utf16_with_many_nul_twins(make):
    """U+4E00 and U+3000 have a NUL on the other side; table marks must outweigh them."""
    content = "一　一　一,一　一　上\n" * 20
    assert encodings.sniff_encoding(make(content.encode("utf-16-le"))) == "utf-16-le"
    assert encodings.sniff_encoding(make(content.encode("utf-16-be"))) == "utf-16-be"


def test_utf16_of_a_single_word(make):
    assert encodings.sniff_encoding(make("name".encode("utf-16-le"))) == "utf-16-le"
    assert encodings.sniff_encoding(make("name".encode("utf-16-be"))) == "utf-16-be"


def test_stray_nul_is_not_utf16(make):
    assert encodings.sniff_encoding(make(b"a,b\n1,\x002\n3,4\n")) == "utf-8"
    assert encodings.sniff_encoding(make(b"ab\n1\x002\n")) == "utf-8"


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
    assert encodings.sniff_encoding(make(f"{word}\n".encode(encoding))) == encoding


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
    assert encodings._score_character(previous, character) == points


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
        encodings.sniff_encoding(make(content))
    message = str(caught.value)
    assert "UTF-8" in message
    assert "EUC-JP" in message
    assert "--encoding" in message
    assert "line " in message


def test_western_text_that_decodes_as_cp932_by_chance(make):
    content = "Gärtner\n".encode("latin-1")
    assert content.decode("cp932")
    with pytest.raises(SourceError):
        encodings.sniff_encoding(make(content))


@pytest.mark.parametrize("encoding", ["utf-32", "iso2022_jp"])
def test_encodings_that_are_named_but_not_guessed(make, encoding):
    with pytest.raises(SourceError, match=f"--encoding {encoding}"):
        encodings.sniff_encoding(make(JAPANESE.encode(encoding)))


@pytest.mark.parametrize("chunk", [1, 2, 1 << 20])
def test_iso_2022_jp_escape_across_chunks(make, monkeypatch, chunk):
    monkeypatch.setattr(encodings, "CHUNK_BYTES", chunk)
    with pytest.raises(SourceError, match="ISO-2022-JP"):
        encodings.sniff_encoding(make(JAPANESE.encode("iso2022_jp")))


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbfa\n\xff\n", b"\xff\xfea\x00\x00\xd8\n\x00"])
def test_mark_with_other_content(make, mark):
    with pytest.raises(SourceError, match="byte order mark"):
        encodings.sniff_encoding(make(mark))


def test_damaged_gzip(make):
    packed = gzip.compress(os.urandom(5000))
    for damaged in (packed[:-2000], packed[:-6] + bytes([packed[-6] ^ 1]) + packed[-5:], packed + b"tail"):
        with pytest.raises(SourceError, match="gzip file is damaged"):
            encodings.sniff_encoding(make(damaged))


def test_missing_file(tmp_path):
    with pytest.raises(SourceError, match="cannot be read"):
        encodings.sniff_encoding(tmp_path / "absent.csv")
    with pytest.raises(SourceError, match="cannot be read"):
        encodings.sniff_encoding(tmp_path)


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
    monkeypatch.setattr(encodings, "CHUNK_BYTES", chunk)
    for packed in (False, True):
        data = content.encode(encoding)
        target = tmp_path / f"copy-{packed}"
        encodings.transcode(make(gzip.compress(data) if packed else data), encoding, target)
        assert target.read_bytes().decode("utf-8") == content


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"])
def test_transcode_drops_the_mark(make, tmp_path, encoding):
    data = "\ufeffa\n\ufeffb\n".encode(encoding.removesuffix("-sig"))
    encodings.transcode(make(data), encoding, tmp_path / "copy")
    assert (tmp_path / "copy").read_text(encoding="utf-8") == "a\n\ufeffb\n"  # only the first


def test_transcode_is_private_and_never_overwrites(make, tmp_path):
    source, target = make(JAPANESE.encode("cp932")), tmp_path / "copy"
    old = os.umask(0)
    try:
        encodings.transcode(source, "cp932", target)
    finally:
        os.umask(old)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with pytest.raises(SourceError, match="cannot be written"):
        encodings.transcode(source, "cp932", target)
    assert target.read_text(encoding="utf-8") == JAPANESE
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SourceError, match="cannot be written"):
        encodings.transcode(source, "cp932", link)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("chunk", [1, 2, 3, 4, 5, 1 << 20])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_transcode_names_the_line(make, tmp_path, monkeypatch, chunk, end):
    monkeypatch.setattr(encodings, "CHUNK_BYTES", chunk)
    secret = "秘密".encode("cp932")
    data = end.join([b"a,b", secret + b",1", secret + b"\xff\x80,2", b"x,3"])
    target = tmp_path / "copy"
    with pytest.raises(SourceError) as caught:
        encodings.transcode(make(data.replace(b"\xff", b"\x85\x20")), "cp932", target)
    message = str(caught.value)
    assert message.startswith("Line 3 is not valid cp932;")
    assert "秘密" not in message
    assert "\\x" not in message
    assert not target.exists()


def test_transcode_truncated_end(make, tmp_path):
    with pytest.raises(SourceError, match="Line 3 is not valid utf-8;"):
        encodings.transcode(make(b"a\nb\n\xe3\x81"), "utf-8", tmp_path / "copy")
    with pytest.raises(SourceError, match="Line 2 is not valid utf-16-le;"):
        encodings.transcode(make("a\nb".encode("utf-16-le") + b"c"), "utf-16-le", tmp_path / "copy")


def test_transcode_utf16_needs_its_mark(make, tmp_path):
    with pytest.raises(SourceError, match="Line 1 is not valid utf-16;"):
        encodings.transcode(make("a,b\n".encode("utf-16-le")), "utf-16", tmp_path / "copy")


@pytest.mark.parametrize("encoding", ["nonsense", "base64", "rot13", "undefined", "a\0b", ""])
def test_unknown_encoding(make, tmp_path, encoding):
    with pytest.raises(UsageError, match="not a known text encoding"):
        encodings.transcode(make(b"a\n"), encoding, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_spool(tmp_path, monkeypatch):
    monkeypatch.setattr(encodings, "CHUNK_BYTES", 3)
    encodings.spool(io.BytesIO(b"a,b\n1,2\n"), tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"a,b\n1,2\n"
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o600
    with pytest.raises(SourceError, match="empty"):
        encodings.spool(io.BytesIO(b""), tmp_path / "other")
    assert not (tmp_path / "other").exists()
