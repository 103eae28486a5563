"""Sources in files: what is read, what is refused and how it is said, and the SQL that people get."""

from __future__ import annotations

import gzip
import hashlib
import io
import itertools
import os
import re
import sys
from pathlib import Path

import duckdb
import pytest

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.results import in_english
from duckrisk.base.sentences import Sentence, join_texts
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.source import Request, digest, files, names, open_source, parquet_files
from duckrisk.source.files import find_files
from tests.hostile import NAMES
from tests.opening import in_plain_duckdb, opened, parquet, records_moved, write
from tests.tables import thinned

LATE = 30_000
TABLE = "id,v\n1,x\n2,y\n"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> Path:
    """Tests name files as people do, relative to where they are."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refusal(error: type[Exception], source: object = None, **request: object) -> str:
    """The one sentence (or two) of a refusal, which holds no engine text, no cell and no private path."""
    with pytest.raises(error) as caught:
        opened(source, plain=False, **request)
    text = str(caught.value)
    assert text.endswith(".") or text.endswith("?") or "duckdb.sql" in text
    assert "\n" not in text
    assert "Error:" not in text
    assert "secret" not in text
    assert "/duckrisk-" not in text
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return text


# --- CSV -----------------------------------------------------------------------------------------


def test_csv_is_shown_as_it_was_named(here):
    write(here / "data" / "a.csv", TABLE)
    read = opened("data/a.csv")
    assert (read.names, read.types) == (["id", "v"], ["BIGINT", "VARCHAR"])
    assert "read_csv(['data/a.csv']" in read.source.printed_relation
    assert str(here) not in read.source.printed_relation
    assert read.source.name == "a.csv"
    assert read.source.notes == []


def test_type_that_breaks_late(here):
    write(here / "a.csv", "id,v\n" + "1,2\n" * LATE + "1,x\n")
    read = opened("a.csv")
    assert read.types == ["BIGINT", "VARCHAR"]
    assert len(read.rows) == LATE + 1
    assert opened("a.csv", where="v = 'x'").rows == [(1, "x")]
    counted = opened("a.csv", query="SELECT v, count(*) AS n FROM source GROUP BY v;")
    assert counted.rows == [("2", LATE), ("x", 1)]


def test_type_that_breaks_late_in_one_of_many(here):
    for year in (2023, 2024):
        late = "1,x\n" if year == 2024 else ""
        write(here / f"parts/year={year}/a.csv", "id,v\n" + "1,2\n" * LATE + late)
    read = opened("parts")
    assert read.names == ["id", "v", "year"]
    assert read.types == ["BIGINT", "VARCHAR", "BIGINT"]
    assert (1, "x", 2024) in read.rows
    assert len(read.rows) == 2 * LATE + 1


def test_short_line_after_the_sample(here):
    write(here / "a.csv", "id,v\n" + "1,2\n" * LATE + "secret\n")
    assert refusal(SourceError, "a.csv").startswith(f"Line {LATE + 2} has 1 field where 2 are expected;")
    write(here / "b.csv", "id,v\n" + "1,2\n" * 10)
    assert refusal(SourceError, "*.csv").startswith(f'"a.csv": Line {LATE + 2} has')


def test_the_copy_is_private_and_goes(here):
    write(here / "a.csv", TABLE)
    with Session() as session:
        open_source(session, Request("a.csv"))
        assert session.folder.stat().st_mode & 0o777 == 0o700
        assert (session.folder / "records.parquet").is_file()
    assert not session.folder.exists()


@pytest.mark.parametrize("name", thinned(["a.csv", "a.json", "a.parquet"]))
def test_records_keep_their_numbers(here, name):
    """A large file is read by several threads at once."""
    path = parquet(here / "a.parquet", "SELECT i AS id, repeat('x', 150) AS v FROM range(400000) t(i)")
    if name != path.name:
        duckdb.execute(f"COPY (FROM '{path}') TO '{here / name}'")
    with Session() as session:
        open_source(session, Request(str(here / name)))
        assert records_moved(session) == 0


@pytest.mark.parametrize(
    ("encoding", "plain"),
    [
        ("utf-8", True),
        ("utf-8-sig", True),
        ("utf-16", True),
        ("utf-16-le", True),
        ("cp932", False),
        ("euc_jp", False),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_encodings(here, encoding, plain, packed):
    content = "氏名,年齢\n田中太郎,34\n鈴木花子,28\n".encode(encoding)
    write(here / "a.csv", gzip.compress(content, mtime=0) if packed else content)
    read = opened("a.csv", plain=plain and not (packed and "16" in encoding), where="年齢 > 30")
    assert (read.names, read.rows) == (["氏名", "年齢"], [("田中太郎", 34)])
    assert read.source.encoding == encoding
    told = (
        [Sentence("source.decoded", encodings=join_texts([encoding]))]
        if not encoding.startswith("utf-8")
        else []
    )
    assert read.source.notes[: len(told)] == told
    assert (Sentence("source.printed_utf8") in read.source.notes) == (not plain)


def test_encoding_as_told(here):
    write(here / "a.csv", "prénom,ville\nZoë,Orléans\n".encode("latin-1"))
    assert "--encoding" in refusal(SourceError, "a.csv")
    assert opened("a.csv", plain=False, encoding="latin-1", header=True).rows == [("Zoë", "Orléans")]
    assert "not a known text encoding" in refusal(UsageError, "a.csv", encoding="nonsense")


def test_gzip_and_other_compressions(here):
    write(here / "a.csv.gz", gzip.compress(TABLE.encode()))
    assert len(opened("a.csv.gz").rows) == 2
    write(here / "b.csv.gz", gzip.compress(TABLE.encode())[:-9])
    assert "damaged or cut off" in refusal(SourceError, "b.csv.gz")
    for magic, word in ((b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh9", "bzip2"), (b"PK\x03\x04", "Excel")):
        write(here / "c.csv", magic + b"rest")
        assert word in refusal(SourceError, "c.csv")


def test_header_as_told(here):
    write(here / "a.csv", "tokyo,male\nosaka,female\n")
    assert "--header or --no-header" in refusal(SourceError, "a.csv")
    assert opened("a.csv", header=True).names == ["tokyo", "male"]
    read = opened("a.csv", header=False)
    assert (read.names, len(read.rows)) == (["c0", "c1"], 2)
    assert read.source.notes == [Sentence("source.no_header")]


def test_standard_input(here, monkeypatch):
    class Stream:
        buffer = io.BytesIO(TABLE.encode())

    monkeypatch.setattr(sys, "stdin", Stream)
    read = opened("-", plain=False)
    assert (read.source.name, read.names, len(read.rows)) == ("standard input", ["id", "v"], 2)
    assert "'/dev/stdin'" in read.source.printed_relation
    assert read.source.digest.value == hashlib.sha256(TABLE.encode()).hexdigest()
    assert "empty" in refusal(SourceError, "-")


@pytest.mark.parametrize(
    ("other", "how"),
    [
        (b"id;v\n1;x\n", "delimiter"),
        (b"id,w\n1,x\n", "other columns"),
        (b"v,id\nx,1\n", "another order"),
        (b"id,v,w\n1,x,2\n", "other columns"),
        (b"7,8\n9,10\n", "header line"),
        (b"id,v\n'1,1',x\n'2','y'\n", "quotes"),
        (gzip.compress(TABLE.encode(), mtime=0), "compressed"),
        (b'id,v\n1,"x\\"y"\n2,"z"\n', "quotes"),
        (b"id,w\n", "single line"),
        (b"PAR1", "mixes"),
        (b"id,v\n1\n2,3\n", '"b.csv": Line 2 has 1 field'),
    ],
)
def test_csv_files_that_do_not_belong_together(here, other, how):
    write(here / "a.csv", TABLE)
    write(here / "b.csv", other)
    sentence = refusal(SourceError, "*.csv")
    assert how in sentence
    assert '"b.csv"' in sentence


def test_csv_parts_without_records(here):
    for name, content in (("a", TABLE), ("b", "id,v\n"), ("c", ""), ("d", "id,v\n3,z\n")):
        write(here / f"folder/{name}.csv", content)
    read = opened("folder")
    assert len(read.rows) == 3
    assert read.source.notes == [
        Sentence("source.empty_files", count="1"),
        Sentence("source.headers_alone", count="1"),
    ]
    write(here / "none/a.csv", "")
    assert refusal(SourceError, "none") == '"a.csv" is an empty file.'


def test_types_and_dates_that_differ_between_files_are_text(here):
    write(here / "a.csv", "n,d,e\n1,01/02/2020,2020-01-01\n2,13/02/2020,2020-01-02\n")
    write(here / "b.csv", "n,d,e\nx,02/13/2020,2020-01-03\n3,02/01/2020,2020-01-04\n")
    read = opened("*.csv")
    assert read.types[:2] == ["VARCHAR", "VARCHAR"]
    assert {row[1] for row in read.rows} == {"01/02/2020", "13/02/2020", "02/13/2020", "02/01/2020"}


@pytest.mark.parametrize(
    "name", ["x*.csv", "x[1].csv", "x?.csv", "{a,b}.csv", "a'b\".csv", " .csv", "名.csv", "_x.csv"]
)
def test_file_names_are_not_patterns(here, name):
    for other in ("x1.csv", "xy.csv", "a.csv", "b.csv"):
        write(here / other, "q\n9\n")
    write(here / name, TABLE)
    assert len(opened(name).rows) == 2
    parquet(here / f"{name}.parquet", "SELECT 7 AS k")
    assert opened(f"{name}.parquet").rows == [(7,)]
    write(here / f"{name}.json", '{"k": 8}\n')
    assert opened(f"{name}.json").rows == [(8,)]


# --- names ---------------------------------------------------------------------------------------


def test_names_that_collide(here):
    write(here / "a.csv", "Age,age,AGE,Age,,Age (2),a\n" + "1,2,3,4,5,6,7\n" * 2)
    read = opened("a.csv", where="age_1 = 2 AND column4 = 5")
    assert read.names == ["Age", "age", "AGE", "Age (3)", "column 5", "Age (2)", "a"]
    assert read.rows == [(1, 2, 3, 4, 5, 6, 7)] * 2
    assert read.source.column("age").position == 1
    assert read.source.column("AGE").position == 2
    with pytest.raises(UsageError, match="fits 3 columns"):
        read.source.column("aGE")
    with pytest.raises(UsageError, match='did you mean "Age'):
        read.source.column("Agee")
    assert "empty or repeated name" in in_english(read.source.notes[0])


def test_names_of_parquet_that_collide(here):
    # DuckDB itself cannot write such a file; pyarrow can.
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    true = ["Age", "age", "AGE", "Age", "", "a\0b"]
    table = pa.table([[i, i + 10] for i in range(len(true))], names=true)
    pq.write_table(table, here / "a.parquet")
    read = opened("a.parquet", plain=False)
    assert read.names == ["Age", "age", "AGE", "Age (2)", "column 5", "a\0b"]
    assert read.rows == [(0, 1, 2, 3, 4, 5), (10, 11, 12, 13, 14, 15)]
    assert in_plain_duckdb(read.source) == [(0, 1, 2, 3, 4, 5), (10, 11, 12, 13, 14, 15)]


def test_hostile_names(here):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table([[i] for i in range(len(NAMES))], names=NAMES), here / "a.parquet")
    read = opened("a.parquet")
    assert read.names == NAMES
    assert read.rows == [tuple(range(len(NAMES)))]


@pytest.mark.parametrize(
    ("given", "unique", "shown"),
    [
        (["a", "A", "a_1"], ["a", "A_2", "a_1"], ["a", "A", "a_1"]),
        (["a", "a", "a (2)"], ["a", "a_1", "a (2)"], ["a", "a (3)", "a (2)"]),
        (["", ""], ["column0", "column1"], ["column 1", "column 2"]),
        (["x\0", "x"], ["x", "x_1"], ["x\0", "x"]),
    ],
)
def test_names_are_told_apart(given, unique, shown):
    assert names.make_unique(given) == unique
    assert names.label_columns(given, []) == shown


# --- Parquet and folders -------------------------------------------------------------------------


@pytest.mark.parametrize("many", [2, 100])
def test_warehouse_export(here, monkeypatch, many):
    """A folder as a cluster leaves it, its files read once or at every statement."""
    monkeypatch.setattr(parquet_files, "MIN_COPIED_FILES", many)
    for year in (2023, 2024):
        for month in ("01", "12"):
            folder = here / f"export/year={year}/month={month}"
            parquet(folder / "part-0.snappy.parquet", f"SELECT {year} AS y, 'a' AS \"Customer ID\"")
            write(folder / ".part-0.snappy.parquet.crc", "x")
    for name in ("_SUCCESS", "_metadata", ".DS_Store", "_temporary/0/part-9.parquet", "manifest.json"):
        write(here / "export" / name, "{}")
    for source in ("export", "export/", "export/*/*/*.parquet", "export/**/*.parquet"):
        read = opened(source)
        assert read.names == ["y", "Customer ID", "month", "year"]
        assert len(read.rows) == 4
        assert all(row[0] == row[3] for row in read.rows)
    assert opened("export").source.notes == [Sentence("source.passed_over", count="1")]
    assert opened("export/year=2023/month=01/part-0.snappy.parquet").names == ["y", "Customer ID"]
    assert opened("export", where="year = 2024 AND month = '12'").rows[0][0] == 2024
    assert opened("export", query="SELECT count(*) AS n FROM source WHERE year = 2023").rows == [(2,)]


def test_many_small_files_are_read_once(here, monkeypatch):
    """As they are: the same types, the same records in the same order."""
    columns = (
        "n, 'あ' || n AS text, CASE WHEN n % 3 > 0 THEN n * 1.25 END AS amount, n::UTINYINT AS tiny, "
        "TIMESTAMP_NS '2020-01-01 00:00:00.123456789' AS ns, TIME '12:00:01' AS clock, uuid() AS code, "
        "DATE '1899-12-31' AS day, 'ab'::BLOB AS bytes, {'x': n, 'y': [n, NULL]} AS nested"
    )
    for n in range(30):
        parquet(here / f"parts/{n:02}.parquet", f"SELECT {columns} FROM range({2 * n}, {2 * n} + 2) t(n)")
    read = []
    for many in (31, 30):
        monkeypatch.setattr(parquet_files, "MIN_COPIED_FILES", many)
        with Session() as session:
            found = open_source(session, Request("parts"))
            rows = sorted(tuple(row.values()) for row in session.run("select_all", source=ASSESSED))
            assert records_moved(session) == 0
            read.append((rows, [(column.name, column.type) for column in found.columns], found.digest))
            assert (session.folder / "records.parquet").is_file() == (many == 30)
    assert read[0] == read[1]
    assert len(read[0][0]) == 60
    monkeypatch.setattr(parquet_files, "MAX_COPIED_BYTES", 100)
    with Session() as session:
        open_source(session, Request("parts"))
        assert not (session.folder / "records.parquet").exists()


def paths_for_people(source):
    """The paths in the SQL for people, of a source that a plain DuckDB reads alike by it."""
    listed, _, _ = opened(source).source.printed_relation.partition(", hive_partitioning")
    return re.findall(r"'([^']*)'", listed)


@pytest.mark.parametrize("folder", ["parts", "p[1]*/sub", "it is/データ"])
def test_sql_for_people_names_many_files_by_a_pattern(here, folder):
    """Where it finds these files and no others; few files are named one by one."""
    escaped = folder.replace("[", "[[]").replace("*", "[*]")
    for n in range(files.MAX_LISTED_FILES):
        parquet(here / f"{folder}/{n:02}.parquet", f"SELECT {n} AS n, 'x' AS text")
    assert len(paths_for_people(folder)) == files.MAX_LISTED_FILES
    parquet(here / f"{folder}/last.parquet", "SELECT 99 AS n, 'y' AS text")
    assert paths_for_people(folder) == paths_for_people(f"{folder}/") == [f"{escaped}/*.parquet"]
    assert paths_for_people(str(here / folder)) == [f"{here}/{escaped}/*.parquet"]
    assert paths_for_people(f"{escaped}/[0l]*") == [f"{escaped}/[0l]*"]
    parquet(here / f"{folder}/more/10.parquet", "SELECT 10 AS n, 'x' AS text")
    assert paths_for_people(folder) == [f"{escaped}/**/*.parquet"]
    parquet(here / f"{folder}/more/_temporary.parquet", "SELECT 11 AS n, 'x' AS text")
    assert (
        len(paths_for_people(folder)) == files.MAX_LISTED_FILES + 2
    )  # what the pattern finds too is not read


def test_sql_for_people_names_text_files_by_a_pattern(here):
    for n in range(files.MAX_LISTED_FILES + 1):
        write(here / f"parts/{n}.csv", f"id,v\n{n},x\n")
    assert "['parts/*.csv']" in opened("parts").source.printed_relation
    write(here / "parts/_old.csv", "id,v\n99,x\n")
    assert "'parts/10.csv'" in opened("parts").source.printed_relation


def test_small_parts_are_copied_in_their_order(here):
    """By two statements that read them all: one for their layouts, one for their records."""
    for n in range(parquet_files.MIN_COPIED_FILES):
        parquet(here / f"parts/{n:03}.parquet", f"SELECT 7 * i AS n FROM range({50 * n}, {50 * n} + 50) t(i)")
    with Session() as session:
        open_source(session, Request("parts"))
        ((copied,),) = duckdb.execute(
            f"SELECT list(c0 ORDER BY file_row_number) FROM '{session.folder}/records.parquet'"
        ).fetchall()
        assert copied == [7 * i for i in range(50 * parquet_files.MIN_COPIED_FILES)]
        reading = [one.name for one in session.log if "000.parquet" in one.sql and one.name != "set_option"]
        # The first file says what it is, and how its texts are written.
        assert reading == ["parquet_layouts", "describe", "first_values", "copy_records"]


@pytest.mark.parametrize(
    ("other", "how"),
    [
        ("1 AS a, 'x' AS c", 'no column "b"'),
        ("1 AS a", 'no column "b"'),
        ("1 AS a, 'x' AS b, 2 AS c", 'more columns, such as "c"'),
        ("'x' AS b, 1 AS a", "another order"),
        ("1::BIGINT AS a, 'x' AS b", "other types"),
        ("1 AS a, ['x'] AS b", "other types"),
    ],
)
def test_parquet_parts_that_differ(here, other, how):
    for name in ("1", "2"):
        parquet(here / f"folder/{name}.parquet", "SELECT 1 AS a, 'x' AS b")
    parquet(here / "folder/3.parquet", f"SELECT {other}")
    sentence = refusal(SourceError, "folder")
    assert how in sentence
    assert '"3.parquet"' in sentence


def test_decimals_and_times_that_differ(here):
    for kinds in (("DECIMAL(9,2)", "DECIMAL(9,3)"), ("TIMESTAMP", "TIMESTAMP_NS"), ("DATE", "INTEGER")):
        for number, kind in enumerate(kinds):
            parquet(here / f"f/{number}.parquet", f"SELECT NULL::{kind} AS a")
        assert "other types" in refusal(SourceError, "f")


def test_nested_types_and_many_columns(here):
    nested = "{'x': 1, 'y': [1, 2]} AS s, [{'z': 1}] AS l, MAP {'k': 1} AS m, 5 AS n"
    parquet(here / "a.parquet", f"SELECT {nested}")
    assert opened("a.parquet").names == ["s", "l", "m", "n"]
    wide = ", ".join(f"{i} AS c{i}" for i in range(3000))
    for name in ("1", "2"):
        parquet(here / f"wide/{name}.parquet", f"SELECT {wide}")
    assert opened("wide", plain=False).names == [f"c{i}" for i in range(3000)]


@pytest.mark.parametrize("keep", [0, 4, 200, -1])
def test_damaged_parquet(here, keep):
    path = parquet(here / "a.parquet", "SELECT range AS a FROM range(1000)")
    write(path, path.read_bytes()[:keep])
    assert refusal(SourceError, "a.parquet")


def test_folders_that_are_refused(here):
    (here / "empty").mkdir()
    assert "holds no files" in refusal(SourceError, "empty")
    write(here / "odd/a.bin", "x")
    assert "holds no Parquet, CSV or JSON" in refusal(SourceError, "odd")
    write(here / "both/a.csv", TABLE)
    parquet(here / "both/a.parquet", "SELECT 1 AS a")
    assert "mixes Parquet and CSV" in refusal(SourceError, "both")


def test_folder_of_parts_without_suffix_and_with_remarks(here):
    parquet(here / "f/part-00000", "SELECT 1 AS a")
    write(here / "f/README.txt", "a,b\n")
    assert opened("f").rows == [(1,)]


def test_links_are_read_once(here):
    parquet(here / "a.parquet", "SELECT 1 AS a")
    os.symlink("a.parquet", here / "b.parquet")
    assert opened("*.parquet").rows == [(1,)]
    assert opened("b.parquet").rows == [(1,)]


def test_only_sources_that_are_near_are_suggested(here):
    parquet(here / "retail.parquet", "SELECT 1 AS a")
    for name in (
        "retial.py",
        "retail.html",
        "retail.parquet.crc",
        "retail.parquet.recipe.toml",
        ".retail.csv",
    ):
        write(here / name, TABLE)
    write(here / "retail.csv", "")
    write(here / "retail.db", "no database")
    write(here / "release.parquet", TABLE)
    write(here / "reports" / "retail.html", TABLE)
    write(here / "retails" / "city=here" / "a.csv", TABLE)
    for name in ("retial.parquet", "retail.pqt"):
        assert refusal(SourceError, name).endswith('; did you mean "retail.parquet" or "retails"?')
    for name in ("xyz.parquet", "people.csv", "report", "no/such.html"):
        assert refusal(SourceError, name) == f'There is no file "{name}".'


def test_missing_files(here):
    write(here / "orders.csv", TABLE)
    assert 'did you mean "orders.csv"' in refusal(SourceError, "order.csv")
    assert 'did you mean "orders.csv"' in refusal(SourceError, "orders.cvs")
    for name in ("a\0b.csv", "x" * 5000, "no/such/file.csv", "*.nothing"):
        refusal(SourceError, name)
    assert "is empty" in refusal(UsageError, "")
    assert "this machine" in refusal(UsageError, "https://example.com/a.csv")
    assert "--table needs a database" in refusal(UsageError, "orders.csv", table="x")
    assert "No SOURCE is given" in refusal(UsageError)


@pytest.mark.parametrize(
    ("name", "word"), [("a.parquet", "Parquet file"), ("a.duckdb", "DuckDB database"), ("a.sqlite", "SQLite")]
)
def test_files_that_are_not_what_they_are_called(here, name, word):
    write(here / name, "secret")
    assert word in refusal(SourceError, name)


# --- JSON ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.ndjson", "a.json.gz"])
def test_json(here, name):
    content = b'{"a": 1, "b": [1], "c": {"d": "x"}}\n{"a": 2, "b": [], "c": null}\n'
    write(here / name, gzip.compress(content, mtime=0) if name.endswith("gz") else content)
    assert opened(name).names == ["a", "b", "c"]
    array = b"[" + content.replace(b"}\n{", b"},{") + b"]"
    assert len(opened(str(write(here / "array.json", array))).rows) == 2
    marked = write(here / "marked.json", b"\xef\xbb\xbf" + array)
    assert len(opened(str(marked), plain=False).rows) == 2


def test_json_that_breaks_late(here):
    write(here / "a.json", '{"a": 1}\n' * LATE + '{"a": "x", "b": 2}\n')
    read = opened("a.json")
    assert read.names == ["a", "b"]
    assert len(read.rows) == LATE + 1


def test_json_in_another_encoding_and_in_parts(here):
    write(here / "f/a.json", '{"名": "田中"}\n'.encode("cp932"))
    write(here / "f/b.json", '{"名": "鈴木", "n": 1}\n')
    assert opened("f", plain=False).rows == [("田中", None), ("鈴木", 1)]


@pytest.mark.parametrize("content", ['{"a": 1}\n{"a": secret}\n', '{"a": 1', '{"a": 1, "a": 2}\n', "secret"])
def test_damaged_json(here, content):
    write(here / "a.json", content)
    assert "JSON" in refusal(SourceError, "a.json")


# --- conditions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "condition",
    thinned(
        [
            "1=1) UNION SELECT * FROM (VALUES (1, 2))",
            "1=1) UNION SELECT * FROM (VALUES (1, 'x')) WHERE (1=1",
            "1=1; DROP TABLE x",
            ";",
            "",
            "id IN (SELECT 1)",
            "EXISTS (FROM read_text('/etc/passwd'))",
            "(SELECT content FROM read_text('secret.txt')) IS NOT NULL",
            "id = 1 /*",
            "id = 1) GROUP BY (id",
            "id = 1) LIMIT (1",
            "id = 1) ORDER BY (1",
            "TRUE) t(a, b), (SELECT 1",
            "id = '",
            "id = 'abc'",
            "nosuch = 1",
            "sum(id) > 1",
            "row_number() OVER () = 1",
            "random() < 0.5",
            "id",
        ]
    ),
)
def test_conditions_that_are_refused(here, condition):
    write(here / "secret.txt", "secret")
    parquet(here / "a.parquet", "SELECT 1 AS id, 'x' AS v")
    if condition == "id":
        assert opened("a.parquet", where=condition).rows == [(1, "x")]  # a number is a truth value in DuckDB
        return
    assert "where" in refusal(UsageError, "a.parquet", where=condition)


@pytest.mark.parametrize(
    "condition",
    ["id = 1", "id = 1 -- remark", "id=1 /* ; */", "(id = 1) AND (v = 'x;')", "id < 2 OR FALSE"],
)
def test_conditions(here, condition):
    parquet(here / "a.parquet", "SELECT * FROM (VALUES (1, 'x;'), (2, 'y')) AS t(id, v)")
    assert opened("a.parquet", where=condition).rows == [(1, "x;")]


# --- queries -------------------------------------------------------------------------------------


@pytest.fixture
def two(here) -> Path:
    write(here / "a.csv", TABLE)
    write(here / "a2.csv", "id,v\n3,z\n")
    return parquet(here / "p.parquet", "SELECT 1 AS id, 10 AS w")


def test_query_over_files(two):
    joined = opened(query="SELECT a.*, w FROM 'a.csv' AS a JOIN 'p.parquet' AS p USING (id)")
    assert (joined.names, joined.rows) == (["id", "v", "w"], [(1, "x", 10)])
    assert joined.source.digest.files == 2
    assert len(opened(query="SELECT * FROM 'a*.csv'").rows) == 3
    assert len(opened(query=f"SELECT * FROM read_csv(['a.csv', '{two.parent}/a2.csv'])").rows) == 3
    assert opened(query="WITH x AS (SELECT * FROM './p.parquet') SELECT w FROM x;").rows == [(10,)]
    assert opened(query="SELECT 1 AS n").rows == [(1,)]


def test_query_over_a_source(two):
    query = "WITH s AS (SELECT * FROM source) SELECT v, id + 1 AS n FROM s WHERE id > 1 -- remark"
    read = opened("a*.csv", query=query)
    assert read.rows == [("y", 3), ("z", 4)]
    assert opened("p.parquet", query="SELECT w FROM source", where="w > 10").rows == []
    assert opened("p.parquet", query="WITH source AS (SELECT 5 AS q) FROM source").rows == [(5,)]


def test_query_types_survive_the_copy(here):
    wide = "170141183460469231731687303715884105727"
    read = opened(
        query="SELECT sum(range) AS s, 9::UHUGEINT AS u, INTERVAL 1 MONTH AS i, NULL AS n, '1'::BIT AS b, "
        "{'h': 1::HUGEINT} AS t FROM range(4)",
        plain=False,
    )
    assert [str(value) for value in read.rows[0]] == ["6", "9", "1 month", "None", "1", '{"h":1}']
    assert opened(query=f"SELECT {wide}::HUGEINT AS h").rows == [(int(wide),)]
    read = opened(query="SELECT random() AS r FROM range(100)", plain=False)
    assert len(set(read.rows)) == 100


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv(concat('a', '.csv'))",
        "SELECT * FROM 'p.parquet' WHERE id = (SELECT 1 FROM read_text(concat('secret', '.txt')))",
        "SELECT * FROM query('FROM ''a' || '.csv''')",
        "SELECT * FROM nosuch",
        "SELECT nosuch FROM 'a.csv'",
        "SELECT nosuch(id) FROM 'a.csv'",
        "SELECT * FROM 'a.csv'; SELECT 1",
        "COPY (SELECT 1) TO 'x.csv'",
        "DROP TABLE x",
        "SELEC 1",
        "",
        "SET memory_limit = '1GB'",
        "PRAGMA database_list",
        "ATTACH 'x.duckdb'",
    ],
)
def test_queries_that_are_refused(two, query):
    write(two.parent / "secret.txt", "secret")
    refusal(UsageError, query=query)
    assert not (two.parent / "x.csv").exists()


def test_query_cannot_leave_its_source(two):
    assert "Only the assessed source" in refusal(UsageError, "p.parquet", query="SELECT * FROM 'a.csv'")
    assert "Only the assessed source" in refusal(
        UsageError, "p.parquet", query="SELECT * FROM source, read_text('a.csv')"
    )


def test_query_that_fails_at_a_value(here):
    write(here / "a.csv", "v\nsecret\n")
    refusal(SourceError, query="SELECT CAST(v AS INTEGER) AS n FROM 'a.csv'")
    refusal(SourceError, "a.csv", query="SELECT CAST(v AS INTEGER) AS n FROM source")


# --- digest --------------------------------------------------------------------------------------


def test_digest_of_one_file_is_that_of_any_tool(here):
    write(here / "a.csv", TABLE)
    value = hashlib.sha256(TABLE.encode()).hexdigest()
    assert opened("a.csv").source.digest == digest.Digest("sha256", value, files=1, bytes=len(TABLE))


@pytest.mark.parametrize("limit", [1 << 20, 1])
def test_digest_of_many_files(here, monkeypatch, limit):
    monkeypatch.setattr(digest, "MAX_HASHED_BYTES", limit)
    for key in (1, 2):
        write(here / f"f/k={key}/a.csv", f"v\n{key}\n")
    paths = [file.path for file in find_files("f")[0]]
    said = digest.digest_files(paths)
    assert said.kind == ("sha256" if limit > 1 else "parts")
    assert said == digest.digest_files(paths[::-1]) == opened("f").source.digest
    (here / "f/k=1").rename(here / "f/k=0")
    (here / "f/k=2").rename(here / "f/k=1")
    assert digest.digest_files([file.path for file in find_files("f")[0]]).value != said.value


def test_large_files_are_told_apart_by_size_and_time(here, monkeypatch):
    monkeypatch.setattr(digest, "MAX_HASHED_BYTES", 1)
    path = write(here / "a.csv", TABLE)
    first = digest.digest_files([path])
    os.utime(path, ns=(1, 1))
    assert digest.digest_files([path]).value != first.value


@pytest.mark.parametrize(
    ("kind", "more", "before"),
    thinned(
        itertools.product(["json", "csv"], [{}, {"where": "n > -1"}, {"query": "FROM source"}], [1, 30_000]),
        5,
    ),
)
def test_days_that_never_come(here, kind, more, before):
    """By a format the engine reads infinity, and the epoch, as 1900-01-01."""
    first, other = ("2020-01-01", "1900-01-01") if kind == "json" else ("31/12/2020", "01/01/1900")
    days = [first] * before + ["infinity", "-infinity", other]
    if kind == "json":
        lines = [f'{{"d": "{day}", "n": {n}}}' for n, day in enumerate(days)]
    else:
        lines = ["d,n", *(f"{day},{n}" for n, day in enumerate(days))]
    write(here / f"days.{kind}", "\n".join(lines) + "\n")
    read = opened(f"days.{kind}", plain=False, **more)
    assert len({row[0] for row in read.rows}) == 4
    assert len(read.rows) == len(days)
