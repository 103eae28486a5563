"""No value of a record in anything that duckrisk writes or says, unless it was asked for."""

from __future__ import annotations

import html
import json
import re
import unicodedata
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import duckrisk
from duckrisk.decision.assessment.literals import redact_literals
from duckrisk.engine import session as session_module
from duckrisk.release import advice, anonymization, comparison
from tests.command import FEW, command, measured_once, table
from tests.tables import EXAMPLES, thinned

pytestmark = pytest.mark.slow

FORMS = ("table", "json", "markdown", "html", "csv", "sarif", "github")
#: In every text of the table; the digits and years are in no other number of a report.
MARKS = ("ZQX", "918273645", "77345.9", "1903-", "1907-", "19030", "1903/")

#: Texts that slip through where something is careless.
TEXTS = [
    "ZQX plain",
    "ZQX 'single'",
    'ZQX "double"',
    "ZQX <b>bold</b>",
    "<script>ZQX</script>",
    "ZQX & co",
    "&#90;QX",
    "ZQX\nsecond line",
    "ZQX\ttab",
    "ZQX\r\nreturn",
    "ＺＱＸ wide",
    "ZQX {{ 7 * 7 }}",
    "ZQX %41 %s",
    "ZQX; DROP TABLE x; --",
    "ZQX NULL",
    "NULL ZQX",
    "ZQX \\N",
    "ZQX\\u005a",
    "[bold]ZQX[/bold]",
    "=ZQX()",
    "ZQX|pipe",
    "ZQX `tick`",
    "ZQX\x1b[31m",
    "ZQX$$",
    "zqx@example.org ZQX",
    "ZQX " + "x" * 3000,
    " ZQX ",
    "ZQX名前",
    "ZQX\u202e",
    "ZQX, comma",
    "zqx",
    "CSV Error on Line: 918273645\nZQX",
    "No space left on device ZQX",
    "Query interrupted ZQX",
    "parquet thrift ZQX",
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder, temp = tmp_path / "work", tmp_path / "temp"
    folder.mkdir()
    temp.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DUCKRISK_TEMP", str(temp))
    yield folder
    assert list(temp.iterdir()) == []


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one table of marked values in several kinds of files."""
    folder = tmp_path_factory.mktemp("marked")
    rows: list[tuple[Any, ...]] = []
    for i in range(240):
        text = TEXTS[i % len(TEXTS)] if i % 3 else "ZQX most frequent"
        rows.append(
            (
                f"ZQX-{i % 60} {TEXTS[i % 60 % len(TEXTS)]}"[:40],
                text,
                f"ZQX a long note that somebody wrote on day {i}, and more",
                f"zqx{i}@example.org",
                918273645000 + i * (10**6 if i == 239 else 1),
                77345.9 + i % 13,
            )
        )
    with duckdb.connect() as made:
        made.execute(
            "CREATE TABLE t (customer_id VARCHAR, item VARCHAR, note VARCHAR, email VARCHAR, "
            "amount BIGINT, price DOUBLE)"
        )
        made.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", rows)
        made.execute(
            "CREATE TABLE u AS SELECT *, DATE '1903-07-19' + (rowid % 50)::INTEGER AS born,"
            " TIMESTAMP '1907-03-04 05:06:07' + INTERVAL (rowid * 7) HOUR AS bought,"
            " ((1903000 + rowid % 30) || 'ZQX') AS code, ['ZQX ' || rowid % 4] AS several, "
            "{'ZQX': rowid % 5} AS pair,"
            " encode('ZQX' || rowid % 9) AS bytes,"
            " CASE WHEN rowid % 5 = 0 THEN 'ZQX on' ELSE 'ZQX, off)' END::ENUM ('ZQX on', 'ZQX, "
            "off)') AS state,"
            " [CASE WHEN rowid % 5 = 0 THEN 'ZQX' END::ENUM ('ZQX', 'ZQX[]')] AS states FROM t"
        )
        made.execute(f"COPY u TO '{folder}/marked.parquet' (FORMAT parquet)")
        made.execute(f"COPY (FROM u LIMIT 60) TO '{folder}/few.parquet' (FORMAT parquet)")
        made.execute(
            f"COPY (SELECT * EXCLUDE (several, pair, bytes, states) FROM u) TO '{folder}/marked.csv' (HEADER)"
        )
        made.execute(f"COPY (SELECT * EXCLUDE (bytes, pair) FROM u) TO '{folder}/marked.json'")
        made.execute(f"ATTACH '{folder}/marked.duckdb' AS f (STORAGE_VERSION 'v1.4.0')")
        made.execute("CREATE TABLE f.t AS FROM u")
    return folder


def decoded(text: str) -> list[str]:
    """A text and what readers make of it."""
    forms = [text, html.unescape(text), urllib.parse.unquote(text)]
    forms += [re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)]
    forms += [html.unescape(html.unescape(text)), re.sub(r"<[^>]*>|[\s\\\u200b\u2066-\u2069]+", "", text)]
    return [unicodedata.normalize("NFKC", form) for form in forms]


#: What holds a mark by chance, and no value: digests (short ones where a sentence says so), names of
#: temporary folders, and all but the first decimal of fractions and times. No value of the table has two.
CHANCE = [
    (r"\b[0-9a-f]{64}\b", ""),
    (r"(SHA-256\s+of[a-z,\s]+\s)[0-9a-f]{12}\b", r"\1"),
    (r"\bduckrisk-[a-z0-9_]{8}\b", ""),
    (r"\bpytest-\d+/", ""),
    (r"(?<![\w.])(\d+\.\d)\d+(e[+-]?\d+)?(?!\w|\.\d)", r"\1\2"),
]


def leaks(text: str) -> list[str]:
    """The marked values that a text gives away."""
    for pattern, kept in CHANCE:
        text = re.sub(pattern, kept, text)
    return [
        form[max(0, at - 40) : at + 40]
        for form in decoded(text)
        for mark in MARKS
        for at in [form.casefold().find(mark.casefold())]
        if at >= 0
    ]


def test_the_marks_are_found_in_each_disguise() -> None:
    for text in (
        "a ZQX b",
        "&#90;QX",
        "%5AQX",
        "\\u005aQX",
        "ＺＱＸ",
        "Z<b>Q</b>X",
        "918273645001",
        "born 1903-07-19",
        "77345.9",
        "77345.90000000001",
        "0.5,77345.9,0.5",
        "1903000ZQX",
        "1.1903000ZQX",
        "x1.19030",
        "1.19030.2",
        "19030",
        "19030.25",
        "918273645.0019030",
        "1903-07-19 00:00:00.123456",
        "0.25 1903/07",
        "SHA-256 of the content 79cae799ff76 918273645001",
        "duckrisk-ZQX",
        "/tmp/pytest-3/1903/ZQX",
    ):
        assert leaks(text), text
    for text in (
        "mean risk 0.19037, 1903 records",
        "seconds=0.0024019030006456887)",
        "seconds=12.0019030, 3.19030e-05.",
        '{"risk": 0.19030, "error": 2.4019030e-05}',
        "<td>0.0190307</td>",
        "-0.19030 (0.19030-0.19030)",
        "79cae79919030dd6edb5b0d79cae799ff76dd6edb5b0d79cae799ff76dd6edb5",
        "SHA-256 of the\ncontent 19030a1907ff",
        "SHA-256 of names, sizes and times of the parts 19030a1907ff",
        "'/tmp/pytest-of-someone/pytest-1903/marked0/duckrisk-a_zqx_19/records.parquet'",
    ):
        assert not leaks(text), text


OPTIONS: list[list[str]] = [
    ["--user", ""],
    ["--user", "email"],
    ["--approximate"],
    ["--sample-only"],
    ["--paper-interval", "--samples", "5"],
    ["--known-records", "2", "--draws", "50", "--confidence", "0.99", "--seed", "7", "--rare-below", "3"],
    ["--attribute", "item", "--attribute", "note", "--attribute", "email", "--attribute", "item+born"],
    ["--attribute", "amount.band(10)", "--attribute", "code.prefix(3)", "--attribute", "bought.week"],
    ["--ignore", "item", "--ignore", "born"],
    ["--where", "item <> 'ZQX plain' AND amount > 918273645001 -- ZQX\n AND born > DATE '1903-01-01'"],
    ["--where", "item <> $a$ZQX$a$ AND price < 1e9 /* ZQX /* ZQX */ ZQX */ AND item <> E'ZQX \\' x'"],
    ["--query", "SELECT * FROM source WHERE item <> 'ZQX ''plain''' AND amount > 918273645001"],
    ["--fail-on", "attribute_risk.mean_risk > 0.00001", "--fail-on", "attribute_risk[item].mean_risk > 1"],
]


@pytest.mark.slow
@pytest.mark.parametrize("options", thinned(OPTIONS, 3), ids=lambda options: " ".join(options)[:40])
def test_no_value_in_any_form(marked: Path, here: Path, options: list[str]) -> None:
    # The other forms show what JSON holds; those of all that is measured are written as files below.
    forms = FORMS if options in (OPTIONS[9], OPTIONS[12]) else ("json",)
    # What was typed and the gates are told whatever is measured; how risks are measured, of risks alone.
    risks = ["--only", "attribute_risk"] if options in (*OPTIONS[2:6], *OPTIONS[7:9]) else []
    risks += ["--known-records", "0"] if risks and "--known-records" not in options else []
    light = FEW if options in OPTIONS[9:] else risks
    with measured_once():
        for form in forms:
            asked = ("--format", form, "--junit", "junit.xml", *options, *light)
            result = command("assess", marked / "marked.parquet", *asked)
            assert result.code in (0, 1), result.err
            assert result.out
            assert not leaks(result.out), (form, leaks(result.out))
            assert not leaks(result.err), (form, leaks(result.err))
        assert not leaks(Path("junit.xml").read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "number"),
    [
        (("advise", "--steps", "2"), "records"),
        (("compare",), "tables.records"),
        (("anonymize", "-o", "out.csv", "--generalize", "item=prefix1", "--k", "3"), "steps.classes"),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else "",
)
def test_no_value_in_any_form_of_what_judges_releases(
    marked: Path, here: Path, words: tuple[str, ...], number: str
) -> None:
    # A search takes long.
    source = str(marked / ("few.parquet" if words[0] == "advise" and EXAMPLES < 20 else "marked.parquet"))
    tables = [source, str(marked / "marked.csv")] if words == ("compare",) else [source]
    more = ["--quasi-identifier", "item", "--quasi-identifier", "born"] if "--k" in words else []
    # Of risks a comparison shows what an assessment does.
    more += ["--only", "utility", "--only", "information"] if words == ("compare",) and EXAMPLES < 20 else []
    module = {"advise": advice, "compare": comparison, "anonymize": anonymization}[words[0]]
    with measured_once(module):
        for form in (form for form in FORMS if form != "csv"):
            gate = ("--fail-on", f"{number} > 0", "--junit", "junit.xml", "--format", form)
            result = command(words[0], *tables, *words[1:], *more, *gate)
            assert result.code == 1, result.err
            assert number in result.out
            assert not leaks(result.out), (form, leaks(result.out))
            assert not leaks(result.err), (form, leaks(result.err))
    assert not leaks(Path("junit.xml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["marked.csv", "marked.json", "marked.duckdb"])
def test_no_value_from_other_sources(marked: Path, here: Path, name: str) -> None:
    # What is measured does not depend on where a table was read.
    light = [] if EXAMPLES >= 20 else ["--only", "attribute_risk", "--known-records", "0"]
    with measured_once():
        for form in ("json", "html"):
            result = command("assess", marked / name, "--user", "customer_id", "--format", form, *light)
            assert result.code == 0, result.err
            assert not leaks(result.out), (form, leaks(result.out))
            assert not leaks(result.err)


@pytest.mark.slow
def test_no_value_in_files_settings_or_printed_sql(marked: Path, here: Path) -> None:
    """Nor on the screen, in the log of statements, or in a notebook: all that is measured, measured once."""
    source = marked / "marked.parquet"
    gate = ["--junit", "junit.xml", "--fail-on", "attribute_risk.mean_risk > 1"]
    with measured_once() as made:
        shown = command("assess", source, *gate)
        assert shown.code == 0, shown.err
        assert not leaks(shown.out + shown.err)
        for suffix in ("txt", "json", "md", "html", "csv", "parquet"):
            done = command("assess", source, "-o", f"report.{suffix}", *gate)
            assert done.code == 0, done.err
    (report,) = made.values()
    assert len(report.statements) > 10
    assert not leaks("\n".join(statement.sql for statement in report.statements))
    assert not leaks(report._repr_html_())
    assert not leaks(repr(report.to_dict()))
    assert not leaks(report.to_frame().to_string())
    assert not leaks(repr(report))
    assert command("init", source).code == 0
    written = sorted(here.iterdir())
    assert len(written) == 8
    for path in written:
        if path.suffix != ".parquet":  # bytes of numbers spell anything
            assert not leaks(path.read_bytes().decode("utf-8", "replace")), path.name
        assert path.stat().st_mode & 0o077  # as the umask says: a report is to be forwarded
    with duckdb.connect() as reader:
        for all_of in ("'{}'", "parquet_metadata('{}')", "parquet_kv_metadata('{}')", "parquet_schema('{}')"):
            rows = reader.execute(f"FROM {all_of.format('report.parquet')}").fetchall()
            assert not leaks(str(rows)), all_of
    for name in ("attribute_risk", "profile", "known_records"):
        shown = command("sql", "show", name, source)
        assert not leaks(shown.out + shown.err)


def test_no_value_of_a_frame_with_categories() -> None:
    import pandas

    frame = pandas.DataFrame(
        {"user_id": range(90), "state": pandas.Categorical(["ZQX on", "ZQX off", "ZQX"] * 30)}
    )
    report = duckrisk.assess(frame)
    assert report.data["source"]["columns"][1]["type"] == "ENUM"
    assert not leaks(report.to_json())
    assert not leaks(report.to_html())
    with pytest.raises(duckrisk.UsageError) as refused:
        duckrisk.assess(frame, attributes=["state.band(3)"])
    assert not leaks(str(refused.value))


ERRORS: list[list[str]] = [
    ["--where", "CAST(item AS INTEGER) > 0"],
    ["--where", "CAST(note AS DATE) > DATE '2020-01-01'"],
    ["--where", "CAST(item AS BOOLEAN)"],
    ["--where", "error(item) IS NULL"],
    ["--where", "error('CSV Error on Line: ' || amount) IS NULL"],
    ["--where", "regexp_matches('a', '(' || item)"],
    ["--where", "strptime(item, '%Y') IS NULL"],
    ["--where", "json_extract(item, '$.a') IS NULL"],
    ["--where", "CAST(amount AS TINYINT) = 3"],
    ["--where", "amount * amount * amount * amount * amount > 0"],
    ["--where", "chr(amount::INTEGER) = 'a'"],
    ["--where", "item[item] = 'a'"],
    ["--where", "CAST(item AS UUID) IS NULL"],
    ["--where", "CAST('[' || item AS INTEGER[]) IS NULL"],
    ["--where", "make_date(amount, 1, 1) IS NULL"],
    ["--query", "SELECT CAST(item AS INTEGER) AS a, customer_id FROM source"],
    ["--query", "SELECT CAST(item AS ENUM ('a', 'b')) AS a FROM source"],
    ["--query", "SELECT (SELECT item FROM source) AS a FROM source"],
    ["--query", "SELECT * FROM read_csv((SELECT max(item) FROM source))"],
    ["--query", "SELECT unnest(generate_series(1, amount)) AS a, item FROM source WHERE error(item) IS NULL"],
]


@pytest.mark.parametrize("options", thinned(ERRORS), ids=lambda options: options[1][:40])
def test_no_value_in_provoked_errors(marked: Path, here: Path, options: list[str]) -> None:
    result = command("assess", marked / "marked.parquet", "-o", "report.html", *options)
    assert result.code in (2, 3), "the error was not provoked"
    assert result.out == ""
    assert result.err.count("\n") == 1
    assert not leaks(result.err), result.err
    assert list(here.iterdir()) == []


BROKEN = {
    "short.csv": "customer_id,item,amount\n" + "ZQX,ZQX,918273645\n" * 30_000 + "ZQX short 918273645\n",
    "long.csv": "customer_id,item,amount\n" + "ZQX,ZQX,918273645\n" * 9 + "ZQX,ZQX,918273645,ZQX\n" * 2,
    "type.csv": "customer_id,item,amount\n" + "ZQX,ZQX,918273645\n" * 30_000 + "ZQX,ZQX,ZQX not a number\n",
    "quote.csv": "customer_id,item,amount\n" + 'ZQX,"ZQX,918273645\n' * 30_000,
    "date.csv": "customer_id,born\n" + "ZQX,1903-07-19\n" * 30_000 + "ZQX,1903-02-31\n",
    "broken.json": '{"customer_id": "ZQX", "amount": 918273645}\n' * 3000 + '{"customer_id": ZQX}\n',
    "type.json": '{"customer_id": "ZQX", "amount": 918273645}\n' * 30_000
    + '{"customer_id": "ZQX", "amount": "ZQX"}\n',
    "bytes.csv": "customer_id,item\n" + "ZQX,ZQX\n" * 90_000 + "ZQX\udcff\udc81,ZQX\n",
    "ZQX.parquet": "PAR1 ZQX 918273645 PAR1",
}


@pytest.mark.parametrize("name", thinned(BROKEN))
def test_no_value_from_broken_files(here: Path, name: str) -> None:
    path = here / name.replace("ZQX", "bad")
    path.write_bytes(BROKEN[name].encode("utf-8", "surrogateescape"))
    result = command("assess", path, "--format", "json")
    assert result.code in (0, 3), result.err
    assert not leaks(result.out), leaks(result.out)
    assert not leaks(result.err), result.err
    assert result.err.count("\n") == (0 if result.code == 0 else 1)


def test_while_it_runs_values_are_only_in_the_private_folder(
    marked: Path, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = session_module.Session.run
    looked = 0

    def run(self: Any, name: str, /, **arguments: Any) -> Any:
        nonlocal looked
        rows = real(self, name, **arguments)
        (folder,) = (tmp_path / "temp").iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        assert list(here.iterdir()) == []
        looked += 1
        return rows

    monkeypatch.setattr(session_module.Session, "run", run)
    quick = ("--known-records", "0", "--samples", "0")
    assert command("assess", marked / "marked.csv", "--format", "json", *quick).code == 0
    assert looked > 10


# --- asked for -----------------------------------------------------------------------------------


def test_values_that_were_asked_for(marked: Path, here: Path) -> None:
    source = marked / "marked.parquet"
    asked = ["--show-values", "--full", "--junit", "junit.xml", "--attribute", "item"]
    asked += ["--where", "item <> 'ZQX plain'", "--fail-on", "attribute_risk.mean_risk > 1"]
    with measured_once():
        for suffix in ("txt", "json", "md", "html", "csv", "parquet"):
            done = command("assess", source, "-o", f"report.{suffix}", *asked)
            assert done.code == 0, done.err
            assert not leaks(done.err)
    for path in here.iterdir():
        assert path.stat().st_mode & 0o777 == 0o600, path.name
    found = json.loads(Path("report.json").read_text())
    assert found["settings"]["show_values"] is True
    assert found["source"]["where"] == "item <> 'ZQX plain'"
    assert leaks(json.dumps(found["attribute_risk"][0]["values"], ensure_ascii=False))
    for name in ("report.html", "report.md", "report.txt"):
        text = Path(name).read_text()
        assert leaks(text), name
        read = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
        assert "values of people" in " ".join(read.lower().split())[:3000]


def test_an_open_report_becomes_private_when_it_is_replaced(marked: Path, here: Path) -> None:
    Path("report.json").write_text("{}")
    Path("report.json").chmod(0o644)
    assert command("assess", marked / "marked.parquet", "--show-values", "-o", "report.json", *FEW).code == 0
    assert Path("report.json").stat().st_mode & 0o777 == 0o600


# --- SQL that a person typed ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (None, None),
        ("Quantity > 0", "Quantity > ?"),
        ("a = 'x' AND b=1.5e-3", "a = ? AND b=?"),
        ("a = 'it''s' OR a = ''", "a = ? OR a = ?"),
        (r"a = E'x\' secret' AND b", "a = ? AND b"),
        ("a = $$secret$$ OR a = $t$ $$ secret $t$", "a = ? OR a = ?"),
        ("a -- secret\n = 3", "a \n = ?"),
        ("a /* secret /* more */ secret */ = 3", "a  = ?"),
        ("\"a 1 'b'\" = 1 AND c1 = 2", "\"a 1 'b'\" = ? AND c1 = ?"),
        ('"a ""b"" --" > .5', '"a ""b"" --" > ?'),
        ("x'ff' = b'1' AND 0xff = 1_000", "? = ? AND ? = ?"),
        ("年齢 > 30 AND 名前 = '山田'", "年齢 > ? AND 名前 = ?"),
        ("a = 'secret", "a = ?"),
        ("a = $x secret", "a = ?"),
        ("a /* secret", "a"),
        ("SELECT * FROM 'people/Yamada.csv' WHERE t.a IN (1, 2)", "SELECT * FROM ? WHERE t.a IN (?, ?)"),
        ("a>=DATE'2020-01-01'", "a>=DATE?"),
    ],
)
def test_literals_are_left_out(typed: str | None, kept: str | None) -> None:
    assert redact_literals(typed) == kept


@pytest.mark.parametrize(
    "content",
    [
        "ZQX Alice,ZQX flu,ZQX Rome\nZQX Bob,ZQX cold,ZQX Oslo\n",
        "NA,ZQX flu\n1,ZQX cold\n2,ZQX mumps\n",
    ],
)
def test_a_record_is_never_taken_for_column_names(here: Path, content: str) -> None:
    Path("people.csv").write_text(content, encoding="utf-8")
    for arguments in (("assess", "people.csv"), ("init", "people.csv")):
        refused = command(*arguments)
        assert refused.code == 3
        assert "--header or --no-header" in refused.err
        assert not leaks(refused.out + refused.err)
    named = command("assess", "people.csv", "--no-header", "--format", "json")
    assert named.code == 0
    assert not leaks(named.out)


def test_keys_of_one_object_are_not_taken_for_column_names(here: Path) -> None:
    Path("people.json").write_text('{"ZQX1": {"age": 1}, "ZQX2": {"age": 2}}', encoding="utf-8")
    refused = command("assess", "people.json")
    assert refused.code == 3
    assert "one object a record" in refused.err
    assert not leaks(refused.out + refused.err)


def test_values_in_folder_names_are_not_proposed(here: Path) -> None:
    for name in ("patient=ZQX1", "patient=ZQX2"):
        (here / "export" / name).mkdir(parents=True)
    refused = command("assess", "export/none.parquet")
    assert refused.code == 3
    assert not leaks(refused.err)


@pytest.mark.parametrize(
    ("source", "read", "files"),
    thinned(
        [
            ("export", "['export/city=*/part[[]0] 0.parquet', 'export/city=*/part[[]1]", 3),
            ("export", "['export/city=*/part[[]0] 0.csv', 'export/city=*/part[[]1]", 3),
            ("export", "['export/city=*/part[[]0] 0.json', 'export/city=*/part[[]1]", 3),
            ("export/**/*.parquet", "['export/**/*.parquet']", 3),
            ("export/*/*1.parquet", "['export/*/*1.parquet']", 1),
            ("export/*_1/*.csv", "['export/*_1/*.csv']", 2),  # less than all that such a folder can be called
        ]
    ),
)
def test_no_value_of_folder_names_in_printed_sql(here: Path, source: str, read: str, files: int) -> None:
    suffix = next(kind for kind in ("parquet", "csv", "json") if f".{kind}" in read)
    for number, name in enumerate(["ZQX%20 nara_0", "ZQX[1]_1", "ZQX_1"]):
        (here / "export" / f"city={name}").mkdir(parents=True)
        select = f"SELECT i % {7 + number} AS customer_id, i % 5 AS item FROM range(40) AS r(i)"
        table(here / "export" / f"city={name}" / f"part[{number}] {number}.{suffix}", select)
    shown = command("sql", "show", "attribute_risk", source, "--attribute", "item", "--user", "customer_id")
    assert shown.code == 0, shown.err
    assert not leaks(shown.out + shown.err), leaks(shown.out)
    assert read in shown.out
    with duckdb.connect() as shell:
        cursor = shell.execute(shown.out)
        row = dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))
    assert row["records"] == 40 * files
    told = command("assess", source, "--user", "customer_id", "--format", "html", *FEW)
    assert not leaks(told.out + told.err)


def test_printed_sql_that_finds_more_files_says_so(here: Path) -> None:
    for name in ("city=ZQX1", "city=ZQX2"):
        (here / "export" / name).mkdir(parents=True)
    (here / "export" / "city=ZQX1" / "part.csv").write_text("customer_id,item\n1,2\n3,4\n", encoding="utf-8")
    (here / "export" / "city=ZQX2" / "part.csv").write_text("", encoding="utf-8")
    shown = command("sql", "show", "profile", "export", "--user", "customer_id")
    assert "read_csv(['export/city=*/part.csv']" in shown.out
    assert "-- Printed SQL reads 1 more file," in shown.out
    assert not leaks(shown.out + shown.err)
    (here / "export" / "city=ZQX2" / "part.csv").write_text("customer_id;item\n1;2\n", encoding="utf-8")
    refused = command("assess", "export")
    assert refused.code == 3
    assert not leaks(refused.err)
