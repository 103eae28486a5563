"""The report as Markdown, CSV, Parquet, JUnit XML, and the schema of the JSON report."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import duckdb
import jsonschema
import pytest

import duckrisk
from duckrisk.assessment import Settings, run
from duckrisk.attribute import Options
from duckrisk.errors import OutputError
from duckrisk.gates import parse_gate
from duckrisk.report import tables
from duckrisk.report.junit import to_junit
from duckrisk.report.markdown import escaped, to_markdown
from duckrisk.report.text import visible
from duckrisk.roles import RoleOverrides
from duckrisk.session import Resources
from duckrisk.source import Request
from tests.command import table
from tests.tables import DATASETS
from tests.test_report_text import HOSTILE, build, with_values

pytestmark = pytest.mark.slow

SCHEMA = json.loads((Path(duckrisk.__file__).parent / "report" / "schema.json").read_text(encoding="utf-8"))

# --- Markdown --------------------------------------------------------------------------------------


def cells(row: str) -> list[str]:
    """The cells of a row as GitHub splits it: at every bar without a backslash."""
    return re.split(r"(?<!\\)\|", row)[1:-1]


@pytest.mark.parametrize("name", HOSTILE)
def test_tables_keep_their_shape(name):
    lines = to_markdown(with_values(build([name, "other"]), name)).splitlines()
    width = None
    for line in lines:
        if not line.startswith("|"):
            width = None
            continue
        width = width or len(cells(line))
        assert len(cells(line)) == width
    assert not any("<" in line.replace("<sub>", "") for line in lines)


@pytest.mark.parametrize("name", HOSTILE)
def test_markdown_shows_exactly_the_name(name):
    markdown_it = pytest.importorskip("markdown_it")
    renderer = markdown_it.MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    page = renderer.render(f"| head |\n| --- |\n| x{escaped(name)}x |\n")
    body = re.fullmatch(r".*<td>(.*)</td>.*", page, re.DOTALL)
    assert body is not None
    assert "<" not in body[1]
    assert html.unescape(body[1]).replace("\u2060", "") == f"x{visible(name)}x"


def test_nobody_is_called_and_nothing_linked():
    shown = escaped("@someone #12 https://example.com www.example.com")
    assert not re.search(r"@\w|#\d|https://|www\.", shown.replace("&#8288;", " "))


def test_markdown_says_what_matters():
    shown = to_markdown(build(["When", "What"]))
    headline = 'Whoever learns "When" of one random record names its user with a chance of 50 in 100.'
    assert f"**{headline}**" in shown
    assert "| 1 | When | 200 | 0.500 | 0.400 to 0.600 | 50.0% |" in shown
    assert "CANARY" in to_markdown(with_values(build(["a"]), "CANARY"))
    assert "contains values of people's records" in to_markdown(with_values(build(["a"]), "CANARY"))


# --- CSV and Parquet -------------------------------------------------------------------------------


def test_csv_neutralises_formulas_and_leaves_numbers():
    report = build(HOSTILE)
    report.data["attribute_risk"][0]["sampled"]["lower"] = -0.25
    shown = tables.to_csv(report)
    rows = list(csv.DictReader(io.StringIO(shown, newline="")))
    assert shown.count("\r\n") >= len(HOSTILE) + 1
    assert [row["attribute"].removeprefix("'") for row in rows] == [n.removeprefix("'") for n in HOSTILE]
    assert not any(row["attribute"].startswith(("=", "+", "-", "@", "\t", "\r")) for row in rows)
    assert rows[0]["sampled_lower"] == "-0.25"
    assert rows[0]["most_dangerous"] == "true"


def test_parquet_holds_the_flat_rows(tmp_path):
    report = with_values(build(HOSTILE), "CANARY")
    report.data["attribute_risk"][1]["sampled"] = None
    path = tmp_path / 'it\'s; a "path".parquet'
    tables.write_parquet(report, path)
    with duckdb.connect() as connection:
        found = connection.execute("FROM read_parquet(?)", [str(path)])
        names = [column[0] for column in found.description]
        rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
        assert rows == tables.flat_rows(report.data)
        kinds = connection.execute("DESCRIBE FROM read_parquet(?)", [str(path)]).fetchall()
    assert {row[0]: row[1] for row in kinds} == tables.FLAT
    assert b"CANARY" not in path.read_bytes()


def test_parquet_without_rows_and_without_a_folder(tmp_path):
    empty = build(["a"], attribute_risk=[])
    tables.write_parquet(empty, tmp_path / "empty.parquet")
    with duckdb.connect() as connection:
        count = connection.execute("SELECT count(*) FROM read_parquet(?)", [str(tmp_path / "empty.parquet")])
        assert count.fetchone() == (0,)
    with pytest.raises(OutputError):
        tables.write_parquet(empty, tmp_path / "missing" / "empty.parquet")


# --- JUnit -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*HOSTILE, "\0\ufffe\ud800 \x0b"])
def test_junit_parses(name):
    root = ET.fromstring(to_junit(build([name])))
    assert root.attrib == {"name": "duckrisk", "tests": "2", "failures": "1", "errors": "0"}
    cases = root.findall("./testsuite/testcase")
    assert [len(case.findall("failure")) for case in cases] == [1, 0]
    kept = re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", name)
    assert cases[0].attrib["name"] == f"attribute_risk[{kept}].mean_risk > 0.2"


# --- schema ----------------------------------------------------------------------------------------


def check(report) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(report.to_json()))


@pytest.fixture(scope="module")
def some_of_retail(tmp_path_factory):
    """The history of a fifth of the users."""
    retail = DATASETS / "retail.parquet"
    path = tmp_path_factory.mktemp("retail") / "retail.parquet"
    return table(path, f"SELECT * FROM '{retail}' WHERE CustomerID % 5 = 0")


def assessed(source, gates: tuple[str, ...] = (), **settings):
    user, show = settings.pop("user", None), settings.pop("show_values", False)
    return run(
        Request(source=str(source)),
        Settings(
            overrides=RoleOverrides(user=user), measures=Options(**settings), show_values=show,
            gates=tuple(map(parse_gate, gates)),
        ),
        Resources(),
    )  # fmt: skip


def test_schema_is_valid_and_says_everything():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def visit(part: dict, path: str) -> None:
        assert part.get("description"), path
        if "properties" in part:
            assert part["additionalProperties"] is False, path
            assert set(part["required"]) <= set(part["properties"]), path
        for name, inner in part.get("properties", {}).items():
            visit(inner, f"{path}.{name}")
        if "items" in part:
            visit(part["items"], f"{path}[]")

    visit(SCHEMA, "report")


@pytest.mark.parametrize(
    "options",
    [
        {"user": ""},
        {"method": "sample", "samples": 10},
        {"method": "approximate", "known_records": 2},
        {"interval": "paper", "samples": 5},
        {"samples": 0, "known_records": 0, "detailed": 1},
        {"show_values": True},
        {"source": DATASETS / "ito_example.csv"},
    ],
    ids=str,
)
def test_real_reports_fit_the_schema_and_every_form(options, some_of_retail, tmp_path):
    fits_every_form(assessed(**{"source": some_of_retail, **options}), tmp_path)


def fits_every_form(report, tmp_path):
    check(report)
    assert report.to_html()
    assert to_markdown(report)
    assert len(tables.to_csv(report).splitlines()) == len(report.data["attribute_risk"]) + 1
    tables.write_parquet(report, tmp_path / "out.parquet")
    ET.fromstring(to_junit(report))


def test_built_reports_fit_the_schema():
    check(build(["a", "b"]))
    check(with_values(build(["a", "b"]), "x"))
    with pytest.raises(jsonschema.ValidationError):
        check(build(["a"], surprise=1))


def test_no_value_of_a_record_leaves_without_being_asked_for(some_of_retail, tmp_path):
    report = assessed(some_of_retail, ("attribute_risk.mean_risk > 0.2", "source.users < 10"))
    fits_every_form(report, tmp_path)
    with duckdb.connect() as connection:
        codes = connection.execute(
            "SELECT DISTINCT StockCode FROM read_parquet(?)", [str(some_of_retail)]
        ).fetchall()
    shown = report.to_html() + to_markdown(report) + tables.to_csv(report) + to_junit(report)
    # Only codes with letters: a number like "104" is found in any report.
    telling = [code for (code,) in codes if re.search(r"[A-Za-z]", code) and len(code) > 4]
    assert telling
    assert all(re.fullmatch(r"\w+", code) for code in telling)
    assert not set(re.findall(r"\w+", shown)) & set(telling)
