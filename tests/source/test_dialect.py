"""Dialects: every rule of duckrisk/source/dialect.py on a file made by hand."""

from __future__ import annotations

import csv
import gzip
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.errors import EngineError, SourceError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import render
from duckrisk.source import dialect as dialects
from duckrisk.source import encoding as encodings
from duckrisk.source.files import escape_glob
from tests.tables import EXAMPLES

Rows = list[tuple[object, ...]]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session() as opened:
        yield opened


@pytest.fixture
def make(tmp_path: Path):
    """Write bytes to a new file and return its path."""

    def write(content: bytes, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def read(session: Session, path: Path, dialect: dialects.Dialect) -> Rows:
    options = dialects.read_csv_options(dialect) | {"parallel": False}
    relation = render("read_csv", paths=[escape_glob(path)], arguments=options)
    return [tuple(row.values()) for row in session.run("select_all", source=relation)]


def types(dialect: dialects.Dialect) -> list[str]:
    return [kind for _, kind in dialect.columns]


# ------------------------------------------------------------------------------------ dialect


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_and_line_ends(make, session, delimiter, end):
    lines = ["id,name,day", "001,x,2024-01-02", "002,y,2024-02-03"]
    path = make(end.join(line.replace(",", delimiter).encode() for line in lines) + end)
    dialect = dialects.sniff_dialect(session, path)
    assert (dialect.delimiter, dialect.quote, dialect.escape) == (delimiter, '"', '"')
    assert dialect.has_header
    assert dialect.columns == (("id", "VARCHAR"), ("name", "VARCHAR"), ("day", "DATE"))
    assert [row[:2] for row in read(session, path, dialect)] == [("001", "x"), ("002", "y")]


def test_options_are_plain_values(make, session):
    path = make(b"a,b\n1,x\n")
    options = dialects.read_csv_options(dialects.sniff_dialect(session, path))
    assert options["columns"] == {"c0": "BIGINT", "c1": "VARCHAR"}
    assert options["auto_detect"] is False
    assert options["null_padding"] is False
    assert options["allow_quoted_nulls"] is False
    assert options["skip"] == 0
    assert "new_line" not in options
    options = dialects.read_csv_options(dialects.sniff_dialect(session, path), all_varchar=True)
    assert options["columns"] == {"c0": "VARCHAR", "c1": "VARCHAR"}


def test_quoted_empty_is_a_value(make, session):
    path = make(b'a,b\n1,""\n2,\n3,NULL\n')
    dialect = dialects.sniff_dialect(session, path)
    assert read(session, path, dialect) == [(1, ""), (2, None), (3, "NULL")]


def test_quoted_empty_in_a_column_of_numbers(make, session):
    path = make(b'a,b\n"1",""\n"2","3"\n')
    dialect = dialects.sniff_dialect(session, path)
    assert read(session, path, dialect) == [(1, ""), (2, "3")]


def test_quotes_after_the_sample(make, session, monkeypatch):
    """No quote in the sample does not mean that quotes have no meaning later."""
    monkeypatch.setattr(dialects, "SAMPLE_RECORDS", 100)
    path = make(b"a,b\n" + b"1,x\n" * 5000 + b'2,"y,""z"""\n')
    dialect = dialects.sniff_dialect(session, path)
    assert read(session, path, dialect)[-1] == (2, 'y,"z"')


def test_single_quotes_and_backslashes(make, session):
    path = make(b"a;b\n'x;y';2\n'z';3\n")
    dialect = dialects.sniff_dialect(session, path)
    assert (dialect.quote, dialect.escape) == ("'", "'")
    assert read(session, path, dialect) == [("x;y", 2), ("z", 3)]
    path = make(b'a,b\n"x\\"y",2\n"z",3\n')
    dialect = dialects.sniff_dialect(session, path)
    assert dialect.escape == "\\"
    assert read(session, path, dialect) == [('x"y', 2), ("z", 3)]


def test_quote_as_a_plain_character(make, session):
    path = make(b'a,b\n5" disk,1\n3,4\n')
    assert read(session, path, dialects.sniff_dialect(session, path)) == [
        ('5" disk', 1),
        ("3", 4),
    ]
    path = make(b'a,b\n"5" disk,1\n"big" one,4\n')
    dialect = dialects.sniff_dialect(session, path)
    assert dialect.quote == ""
    assert read(session, path, dialect) == [('"5" disk', 1), ('"big" one', 4)]


def test_broken_quote_is_not_taken_for_a_character(make, session):
    path = make(b'a,b\n"one",1\n"two,2\n"three",3\n')
    with pytest.raises(SourceError):
        dialects.sniff_dialect(session, path)


def test_blanks_before_a_quote(make, session):
    path = make(b'a, "b,c", d\nx, "1,2", 3\ny, "1", 4\n')
    dialect = dialects.sniff_dialect(session, path)
    assert dialect.names[1] == "b,c"
    assert [row[1] for row in read(session, path, dialect)] == ["1,2", "1"]
    path = make(b'a, "b", d\nx, "1", 3\n')
    assert dialects.sniff_dialect(session, path).names == ["a", "b", " d"]


def test_line_breaks_in_quotes(make, session):
    path = make(b'a,b\r\n"x\ny",2\r\n"x\r\nz",3\r\n"p\rq",4\r\n')
    dialect = dialects.sniff_dialect(session, path)
    assert read(session, path, dialect) == [("x\ny", 2), ("x\r\nz", 3), ("p\rq", 4)]


def test_gzip_whatever_the_name(make, session):
    content = b"a,b\n1,x\n2,y\n"
    two_members = gzip.compress(content) + gzip.compress(b"3,z\n")
    path = make(two_members, "table.csv")
    dialect = dialects.sniff_dialect(session, path)
    assert dialect.compression == "gzip"
    assert read(session, path, dialect) == [(1, "x"), (2, "y"), (3, "z")]
    path = make(content, "plain.csv.gz")
    dialect = dialects.sniff_dialect(session, path)
    assert dialect.compression == "none"
    assert read(session, path, dialect) == [(1, "x"), (2, "y")]
    with pytest.raises(SourceError, match="damaged"):
        dialects.sniff_dialect(session, make(two_members[:-3]))


@pytest.mark.parametrize("name", ["x*.csv", "x[1].csv", "x?.csv", "{a,b}.csv", "a'b\".csv"])
def test_file_names_are_not_patterns(make, session, name):
    for other in ("x1.csv", "xy.csv", "a.csv", "b.csv"):
        make(b"q\n9\n", other)
    path = make(b"a,b\n1,2\n", name)
    dialect = dialects.sniff_dialect(session, path)
    assert read(session, path, dialect) == [(1, 2)]


def test_byte_order_mark(make, session):
    path = make(b"\xef\xbb\xbfa,b\n1,x\n")
    dialect = dialects.sniff_dialect(session, path)
    assert dialect.names == ["a", "b"]
    assert read(session, path, dialect) == [(1, "x")]
    path = make(b"\xef\xbb\xbf1,2\n3,4\n")
    assert read(session, path, dialects.sniff_dialect(session, path)) == [(1, 2), (3, 4)]


def test_dates_in_other_orders(make, session):
    path = make(b"d,e,t\n01/02/2020,2020-01-01,01/02/2020 10:00\n13/02/2020,2020-01-02,\n")
    dialect = dialects.sniff_dialect(session, path)
    assert types(dialect)[0] == "DATE"
    assert dialect.date_format == "%d/%m/%Y"
    rows = sorted(read(session, path, dialect))
    assert [row[0] for row in rows] == ["01/02/2020", "13/02/2020"]  # days that need a format are texts first
    assert str(rows[0][1]).startswith("2020-01-01")


@pytest.mark.parametrize("before", [0, 30_000])
def test_days_that_never_come(make, session, before):
    """By a format the engine reads infinity, minus infinity and the epoch as 1900-01-01."""
    ends = ["infinity", "-infinity", "1900-01-01", "2020-02-29"]
    path = make(("d\n" + "2020-01-01\n" * max(1, before) + "\n".join(ends) + "\n").encode())
    dialect = dialects.sniff_dialect(session, path)
    assert types(dialect) == ["DATE"]
    # In Python the days that never come are the last and the first there are.
    found = {str(row[0]) for row in read(session, path, dialect)[-4:]}
    assert found == {"9999-12-31", "0001-01-01", "1900-01-01", "2020-02-29"}
    for first in ("13/02/2020", "13/02/2020 10:00:00"):
        path = make(("d,e\n" + "".join(f"{cell},1\n" for cell in (first, *ends[:2]))).encode())
        dialect = dialects.sniff_dialect(session, path)
        assert types(dialect)[0] == "VARCHAR"
        assert len({row[0] for row in read(session, path, dialect)}) == 3


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


def test_hostile_header(make, session):
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(HOSTILE)
    writer.writerow(range(len(HOSTILE)))
    writer.writerow(range(len(HOSTILE)))
    path = make(buffer.getvalue().encode())
    dialect = dialects.sniff_dialect(session, path, header=True)
    assert dialect.names == HOSTILE
    assert set(types(dialect)) == {"BIGINT"}
    assert read(session, path, dialect) == [tuple(range(len(HOSTILE)))] * 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("inside", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("header", [None, True, False])
def test_line_break_in_the_first_record(make, session, end, inside, header):
    """DuckDB returns no rows, without an error, when the two kinds differ."""
    path = make(f'"two{inside}lines",b{end}1,2{end}3,4{end}'.encode())
    if inside == end:
        dialect = dialects.sniff_dialect(session, path, header)
        assert len(read(session, path, dialect)) == (3 if header is False else 2)
        if dialect.has_header:
            assert dialect.names == [f"two{inside}lines", "b"]
        return
    with pytest.raises(SourceError, match="line break inside quotes"):
        dialects.sniff_dialect(session, path, header)


def test_apostrophe_in_the_header_opens_nothing(make, session):
    path = make(b"driver's name,b\r\n\"it's\nhis\",2\r\nx,3\r\n")
    dialect = dialects.sniff_dialect(session, path)
    assert read(session, path, dialect) == [("it's\nhis", 2), ("x", 3)]


def test_unquoted_header_is_verbatim(make, session):
    path = make(b" a ,a,A,,b  \n1,2,3,4,5\n")
    assert dialects.sniff_dialect(session, path).names == [" a ", "a", "A", "", "b  "]


def test_header_is_guessed_by_types(make, session):
    path = make(b"1,2,3\n4,5,6\n")
    dialect = dialects.sniff_dialect(session, path)
    assert not dialect.has_header
    assert dialect.names == ["c0", "c1", "c2"]
    assert read(session, path, dialect) == [(1, 2, 3), (4, 5, 6)]
    path = make(b"tokyo,3\nosaka,4\n")
    assert not dialects.sniff_dialect(session, path).has_header


def test_all_text_is_read_with_a_header_unless_told(make, session):
    path = make(b"tokyo,male\nosaka,female\nkyoto,male\n")
    assert dialects.sniff_dialect(session, path).names == ["tokyo", "male"]
    dialect = dialects.sniff_dialect(session, path, header=False)
    assert not dialect.has_header
    assert len(read(session, path, dialect)) == 3


def test_header_of_numbers_when_told(make, session):
    path = make(b"2019,2020\n1,2\n3,4\n")
    assert not dialects.sniff_dialect(session, path).has_header
    dialect = dialects.sniff_dialect(session, path, header=True)
    assert dialect.names == ["2019", "2020"]
    assert read(session, path, dialect) == [(1, 2), (3, 4)]


def test_single_line(make, session):
    path = make(b"1,2,3")
    assert read(session, path, dialects.sniff_dialect(session, path)) == [(1, 2, 3)]
    path = make(b"x,y,z\n")
    with pytest.raises(SourceError, match="has a header but no records"):
        dialects.sniff_dialect(session, path)
    dialect = dialects.sniff_dialect(session, path, header=False)
    assert read(session, path, dialect) == [("x", "y", "z")]


# ---------------------------------------------------------------------------------- one column


def test_one_column(make, session):
    path = make(b"name\nx\n\nz\n")
    dialect = dialects.sniff_dialect(session, path)
    assert dialect.columns == (("name", "VARCHAR"),)
    assert read(session, path, dialect) == [("x",), (None,), ("z",)]
    path = make(b"1\n2\n3\n")
    assert read(session, path, dialects.sniff_dialect(session, path)) == [(1,), (2,), (3,)]


def test_one_column_of_quoted_text(make, session):
    path = make(b'"a, b"\n"1,2"\n"3,4"\n"5,6"\n')
    dialect = dialects.sniff_dialect(session, path, header=True)
    assert dialect.names == ["a, b"]
    assert read(session, path, dialect) == [("1,2",), ("3,4",), ("5,6",)]


def test_one_column_with_commas_here_and_there(make, session):
    path = make(b"note\nhello\na, b, c\nfoo\n")
    dialect = dialects.sniff_dialect(session, path)
    assert read(session, path, dialect) == [("hello",), ("a, b, c",), ("foo",)]


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
def test_ragged_lines_are_named(make, session, content, line, header):
    with pytest.raises(SourceError) as caught:
        dialects.sniff_dialect(session, make(content), header)
    assert str(caught.value).startswith(f"Line {line} has "), str(caught.value)


@pytest.mark.parametrize("value", [b"x", b"1"])
def test_ragged_after_the_sample(make, session, monkeypatch, value):
    monkeypatch.setattr(dialects, "SAMPLE_RECORDS", 50)
    path = make(b"a,b\n" + (value + b",2\n") * 9000 + b"secret\n" + (value + b",2\n") * 10)
    dialect = dialects.sniff_dialect(session, path)
    with pytest.raises(SourceError):
        read(session, path, dialect)
    with pytest.raises(SourceError) as refused:
        dialects.widen_types(session, path, dialect)
    found = refused.value
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
        (b"a,b\n1,2\r\n3,4\n", "Line 2 ends differently from the lines before it"),
        (b"a,b\r\n1,2\r\n3,4\n5,6\r\n", "Line 3 ends differently from the lines before it"),
        (b"a,b\n1,2\n\xff,3\n", "The text is not UTF-8 after line"),
    ],
)
def test_other_refusals(make, session, content, message):
    with pytest.raises(SourceError) as caught:
        dialects.sniff_dialect(session, make(content))
    assert str(caught.value).startswith(message), str(caught.value)
    assert str(caught.value).count("\n") == 0
    with pytest.raises(SourceError):
        dialects.sniff_dialect(session, make(gzip.compress(content)))


@pytest.mark.parametrize("chunk", [1, 2, 3])
def test_nul_line_at_chunk_borders(make, session, monkeypatch, chunk):
    monkeypatch.setattr(encodings, "CHUNK_BYTES", chunk)
    with pytest.raises(SourceError, match="Line 3 holds a NUL byte"):
        dialects.sniff_dialect(session, make(b"a,b\r\n1,2\r\n3,\x004\r\n"))


def test_very_long_first_line(make, session, monkeypatch):
    monkeypatch.setattr(dialects, "MAX_LINE_CHARACTERS", 1000)
    with pytest.raises(SourceError, match="Line 2 is longer than 1,000 characters"):
        dialects.sniff_dialect(session, make(b"a,b\n1," + b"x" * 3000 + b"\n2,y\n"))


def test_long_value(make, session):
    """A value too long for Python's csv module is none of its business after the header."""
    path = make(b"a,b\n1,x\n2," + b"y" * 200_000 + b"\n3,z\n")
    dialect = dialects.sniff_dialect(session, path)
    assert [len(str(row[1])) for row in read(session, path, dialect)] == [1, 200_000, 1]
    with pytest.raises(SourceError, match="first record"):
        dialects.sniff_dialect(session, make(b"a," + b"y" * 200_000 + b"\n3,z\n"))


def test_messages_hold_no_values(make, session):
    for content in (
        b"secret,b\nsecret,2\nsecret\n4,secret,6\n",
        b'secret,b\n"secret,2\n"secret",3\n',
        b"secret,secret\n",
        b"secret\nsecret, secret\nsecret, secret\n",
        b"secret,b\nsecret,2\r\nsecret,3\n",
    ):
        with pytest.raises(SourceError) as caught:
            dialects.sniff_dialect(session, make(content))
        assert "secret" not in str(caught.value)
        # A traceback must not show the engine's error, which quotes the line, either.
        assert caught.value.__context__ is None or caught.value.__suppress_context__


# ---------------------------------------------------------------------------------------- types


def test_type_that_breaks_after_the_sample(make, session, monkeypatch):
    monkeypatch.setattr(dialects, "SAMPLE_RECORDS", 50)
    path = make(b"id,v\n" + b"1,2\n" * 9000 + b"1,secret\n")
    dialect = dialects.sniff_dialect(session, path)
    assert types(dialect) == ["BIGINT", "BIGINT"]
    with pytest.raises(SourceError) as caught:
        read(session, path, dialect)
    assert "secret" not in str(caught.value)
    widened = dialects.widen_types(session, path, dialect)
    assert widened.columns == (("id", "BIGINT"), ("v", "VARCHAR"))
    assert read(session, path, widened)[-1] == (1, "secret")


def test_widen_keeps_names_and_values(make, session, monkeypatch):
    monkeypatch.setattr(dialects, "SAMPLE_RECORDS", 50)
    path = make(b"d,d\n" + b"01/02/2020,007\n" * 9000 + b"12/25/2020,1\n")
    dialect = dialects.sniff_dialect(session, path)
    widened = dialects.widen_types(session, path, dialect)
    # DuckDB does not try the other order of day and month again: text, nothing lost.
    assert widened.columns == (("d", "VARCHAR"), ("d", "VARCHAR"))
    assert read(session, path, widened)[-1] == ("12/25/2020", "1")


def test_widen_without_header_or_quote(make, session):
    path = make(b'"5" disk|1\n"big" one|x\n')
    dialect = dialects.sniff_dialect(session, path, header=False)
    assert dialect.quote == ""
    assert dialects.widen_types(session, path, dialect) == dialect


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
def test_types_never_merge_values(make, session, values, kind):
    path = make("\n".join(["v", *values, ""]).encode())
    dialect = dialects.sniff_dialect(session, path)
    assert types(dialect) == [kind]
    assert len(set(read(session, path, dialect))) == len(set(values))


def test_many_columns(make, session):
    width = 100
    path = make(
        "\n".join([",".join(f"n{i}" for i in range(width))] + [",".join(["1.5"] * width)] * 3).encode()
    )
    dialect = dialects.sniff_dialect(session, path)
    assert types(dialect) == ["DOUBLE"] * width


def test_a_failing_engine_is_not_an_error_of_the_file(make):
    closed = Session()
    closed._connection.close()
    with pytest.raises(EngineError):
        dialects.sniff_dialect(closed, make(b"a,b\n1,2\n"))
    closed.close()


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
        lambda width: st.lists(st.lists(cell, min_size=width, max_size=width), min_size=2, max_size=5)
    )


ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp932", "euc_jp")
TABLES = {encoding: tables(encoding) for encoding in ENCODINGS}


@pytest.mark.parametrize("encoding", TABLES)
@settings(max_examples=min(60, 3 * EXAMPLES), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_round_trip(session, encoding, data):
    """A table of text comes back as it was written, header and records."""
    rows = data.draw(TABLES[encoding])
    packed = data.draw(st.booleans())
    in_header = "\n" in "".join(rows[0])  # then records must end the same way
    end = "\n" if in_header else data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    buffer = io.StringIO(newline="")
    csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator=end).writerows(rows)
    content = buffer.getvalue().encode(encoding)
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "source"), Path(folder, "target.csv")
        source.write_bytes(gzip.compress(content) if packed else content)
        encodings.transcode(source, encoding, target)
        dialect = dialects.Dialect(",", '"', '"', True, tuple((name, "VARCHAR") for name in rows[0]))
        assert read(session, target, dialect) == [tuple(row) for row in rows[1:]]
        shape = dialects._measure_shape(target, ",", '"', '"', 1)
        assert shape.first == len(rows[0])
        if encoding.startswith("utf-8"):
            assert encodings.sniff_encoding(source) == encoding


@settings(max_examples=min(60, 3 * EXAMPLES), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    header=st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0\r\ufeff"), max_size=12),
        min_size=2,
        max_size=6,
    ),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_any_header_is_kept(session, header, end):
    if "\n" in "".join(header):
        end = "\n"
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator=end)
    writer.writerow(header)
    numbers = csv.writer(buffer, lineterminator=end)
    for record in range(4):
        numbers.writerow([record] * len(header))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")
        path.write_bytes(buffer.getvalue().encode())
        dialect = dialects.sniff_dialect(session, path, header=True)
        assert dialect.names == header
        assert len(read(session, path, dialect)) == 4


def test_lines_are_those_of_the_file_after_some_were_skipped(tmp_path: Path) -> None:
    """The same fault in the line 5 of a file is there, however many lines above the names are skipped."""
    faults = {
        b"2,3,4": "Line 5 has 3 fields",
        b"2\x003": "Line 5 holds a NUL byte",
        b"2,3\r": "Line 5 ends differently",
    }
    for fault, told in faults.items():
        for skipped in (0, 1, 2):
            above, below = b"".join(b"title,%d\n" % n for n in range(skipped)), b"1,2\n" * (3 - skipped)
            path = tmp_path / "t.csv"
            path.write_bytes(above + b"a,b\n" + below + fault + b"\n" + b"5,6\n" * 9)
            with pytest.raises(SourceError, match=told):
                duckrisk.assess(path, skip_lines=skipped)
    path.write_bytes(b"title\n\na,b\n1,2\n")
    with pytest.raises(SourceError, match="Line 2 is blank"):
        duckrisk.assess(path, skip_lines=1, header=True)
