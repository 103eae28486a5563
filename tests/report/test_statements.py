"""Under each table and figure of a page stands the statement behind it, without values of records."""

from __future__ import annotations

import ast
import html
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

import duckrisk
from duckrisk.engine.sql_log import Statement
from duckrisk.engine.templates import template_of, topic_of
from duckrisk.report.blocks import Block, Column, Document, Figure, Listing
from duckrisk.report.render import html as render_html
from duckrisk.report.statements import MAX_CHARACTERS, ExecutedStatements
from duckrisk.report.words import LANGUAGES, Words
from tests.command import HISTORY


def test_names_are_those_of_statements() -> None:
    """A name that no statement has would never be noticed: nothing would be shown."""
    folder = Path(duckrisk.__file__).parent / "report" / "sections"
    names = set()
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.keyword):
                named = node.arg
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                named = node.targets[0].id
            else:
                continue
            if named is not None and named.lower().endswith("sql"):
                values = [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
                names |= {value for value in values if isinstance(value, str)}
    names -= {"record", "user", "singling_out", "linkability", "inference"}  # by which some are chosen
    assert len(names) > 60
    assert {name for name in names if topic_of(name) in (None, "source", "engine")} == set()


# --- on the page -----------------------------------------------------------------------------------


def page_of(*blocks: Block, statements: tuple[Statement, ...], **options: Any) -> str:
    return render_html.to_html(Document("title", blocks), executed=ExecutedStatements(statements), **options)


def folds(page: str) -> dict[str, str]:
    """The text in each fold of a statement, by its name."""
    found = re.findall(r'<details id="sql-(\w+)">(.*?)</details>', page, re.DOTALL)
    return {name: html.unescape(re.sub(r"<[^>]+>", "", text)) for name, text in found}


def test_a_text_stands_on_the_page_once() -> None:
    listing = Listing((Column("n", True),), ((1,),), sql=("attribute_risk", "profile"))
    drawn = Figure("f", lambda words: render_drawing(words), listing)
    statements = tuple(
        Statement(name, f"SELECT {number}", 0.0)
        for number, name in enumerate(("users", "attribute_risk", "attribute_risk"))
    )
    page = page_of(listing, drawn, statements=statements)
    assert folds(page).keys() == {"attribute_risk"}  # profile did not run
    assert page.count("SELECT 1") == 1
    assert page.count('<a href="#sql-attribute_risk">') == 1
    assert "SQL: attribute_risk" in page
    without = page_of(listing, drawn, statements=())
    assert "<details id=" not in without


def render_drawing(words: Words) -> Any:
    from duckrisk.report.charts import Drawing

    return Drawing(words)


def test_only_so_many_statements_stand_under_a_table() -> None:
    names = ("attribute_risk", "users", "profile", "distribution", "outcomes")
    listing = Listing((Column("n", True),), ((1,),), sql=names)
    page = page_of(listing, statements=tuple(Statement(name, "SELECT 1", 0.0) for name in names))
    assert list(folds(page)) == list(names[:3])


def test_what_opens_a_source_and_what_failed_is_not_shown() -> None:
    listing = Listing((Column("n", True),), ((1,),), sql=("open_view", "profile", "users"))
    statements = (
        Statement("open_view", "SELECT 1", 0.0),
        Statement("profile", "SELECT 1", 0.0, failed=True),
        Statement("users", "SELECT 1", 0.0, "an <attribute>"),
    )
    page = page_of(listing, statements=statements)
    assert list(folds(page)) == ["users"]
    assert "As it ran for <bdi>an &lt;attribute&gt;</bdi>." in page


def test_a_long_statement_is_cut_and_says_where_all_of_it_is() -> None:
    listing = Listing((Column("n", True),), ((1,),), sql=("attribute_risk", "outcomes"))
    long = "SELECT 1\n" + "FROM a\n" * 2000
    page = page_of(listing, statements=tuple(Statement(name, long, 0.0) for name in listing.sql))
    told = folds(page)
    assert all(len(text) < MAX_CHARACTERS + 500 for text in told.values())
    assert "`duckrisk sql show attribute_risk`" in told["attribute_risk"]
    assert "sql show" not in told["outcomes"]  # a step of an algorithm
    assert "`--sql-log FILE.sql`" in told["outcomes"]


def test_texts_that_a_statement_was_given_are_left_out() -> None:
    ran = (
        "-- attribute_risk\n-- A header.\n--\n-- source: it's long\n"
        "SELECT 'month', 'ZQX', $$ZQX$$, 5, \"it's\" -- ZQX\n"
        "/* ZQX */ FROM t WHERE x = 'a ''ZQX' AND y = e'\\'ZQX'"
    )
    (shown,) = (
        told
        for _, told in ExecutedStatements((Statement("attribute_risk", ran, 0.0),)).select_ran(
            ["attribute_risk"]
        )
    )
    assert shown is not None
    first, *rest = shown.sql.splitlines()
    assert first == f"-- {template_of('attribute_risk').summary}"
    assert "\n".join(rest) == "SELECT 'month', '…', '…', 5, \"it's\" \n FROM t WHERE x = '…' AND y = '…'"
    assert (shown.is_masked, shown.is_cut, shown.is_metric) == (True, False, True)
    asked = ExecutedStatements((Statement("attribute_risk", ran, 0.0),), show_values=True)
    (shown,) = (told for _, told in asked.select_ran(["attribute_risk"]))
    assert shown is not None
    assert "'a ''ZQX'" in shown.sql
    assert not shown.is_masked
    cut_short = ExecutedStatements((Statement("users", "SELECT 1, 'ZQX", 0.0),))
    (shown,) = (told for _, told in cut_short.select_ran(["users"]))
    assert shown is not None
    assert shown.sql.endswith("SELECT 1, '…'")


def test_numbers_of_a_condition_are_left_out() -> None:
    """Where a condition of the user's can be part of a statement, numbers may be values too."""
    assert any(p.type == "expression" for p in template_of("delete_records").parameters)
    executed = ExecutedStatements((Statement("delete_records", "FROM t WHERE salary = 918273", 0.0),))
    (shown,) = (told for _, told in executed.select_ran(["delete_records"]))
    assert shown is not None
    assert "918273" not in shown.sql


def test_other_forms_show_no_statement() -> None:
    """They are the same whatever the tables say of statements."""
    report = duckrisk.assess(duckdb.sql(HISTORY).df(), user="customer_id", samples=0, known_records=0)
    page = report.to_html()
    assert len(folds(page)) >= 5
    others = {
        form: getattr(report, form)() for form in ("to_text", "to_markdown", "to_json", "_repr_html_")
    } | {"full": report.to_text(full=True)}
    assert all("SQL:" not in text and "sql-" not in text for text in others.values())
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)
    for language in LANGUAGES:
        assert folds(report.to_html(language)).keys() == folds(page).keys()


# --- no value of a record ----------------------------------------------------------------------------


@pytest.fixture
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table whose texts are all ZQX, in a folder of that name, and a hierarchy of them."""
    folder = tmp_path / "ZQXfolder"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    duckdb.sql(
        f"COPY (SELECT 'ZQX person ' || i % 40 AS person, 'ZQX city ' || i % 7 AS city, i % 50 AS age, "
        "CASE WHEN i % 9 = 0 THEN 'ZQXtoken' ELSE 'ZQX job ' || i % 5 END AS job, "
        "TIMESTAMP '1903-07-01' + to_days(i % 300) AS day, 918273 + i AS salary FROM range(400) AS n (i)) "
        f"TO '{folder}/ZQXfile.parquet' (FORMAT parquet)"
    )
    (tmp_path / "tree.toml").write_text(
        "[hierarchies]\n"
        + "city = { tree = { ZQXnorth = ["
        + ", ".join(f'"ZQX city {i}"' for i in range(4))
        + "], ZQXsouth = ["
        + ", ".join(f'"ZQX city {i}"' for i in range(4, 7))
        + "] } }\n"
    )
    return folder


def leaks(text: str) -> list[str]:
    return [text[max(0, m.start() - 60) : m.end() + 20] for m in re.finditer(r"ZQX|1903|9182\d\d", text)]


WHERE = "city <> 'ZQXwhere' AND salary < 918999"


@pytest.mark.slow
def test_no_value_under_a_table(canary: Path) -> None:
    source = str(canary / "ZQXfile.parquet")
    assessed = {
        **{"user": "person", "quasi_identifiers": ["city", "age"], "sensitive": ["job"], "where": WHERE},
        **{"missing_tokens": ["ZQXtoken"], "fraction": 0.1, "controls": "low"},
    }
    parts = [*duckrisk.decision.assessment.PARTS]
    report = duckrisk.assess(source, **assessed, only=parts)
    page = report.to_html()
    told = folds(page)
    assert len(told) > 30
    assert {name: leaks(text) for name, text in told.items() if leaks(text)} == {}
    assert "ZQXfolder" not in page
    assert "'…'" in told["known_records"]
    # Without the care they would be there: the log has them, and so has the page where that is asked for.
    log = "\n".join(statement.sql for statement in report.statements if statement.name in told)
    assert leaks(log)
    shown = duckrisk.assess(source, **assessed, only=["direct_identifiers", "class_sizes"], show_values=True)
    assert any(leaks(text) for text in folds(shown.to_html()).values())


@pytest.mark.slow
def test_no_value_under_tables_of_releases(canary: Path) -> None:
    source, release = str(canary / "ZQXfile.parquet"), str(canary / "ZQXrelease.parquet")
    steps = [
        {"method": "delete", "where": "city = 'ZQX city 3' OR salary = 918280"},
        {"method": "suppress-cells", "column": "job", "where": "salary > 918500 OR city = 'ZQX city 2'"},
        {"method": "generalize", "column": "city", "level": 1},
        {"method": "pseudonymize", "column": "person"},
    ]
    made = duckrisk.anonymize(source, release, steps=steps, hierarchies="tree.toml", seed=1)
    # The risk has the tables of an assessment.
    parts = ["information", "utility", "linkage"]
    asked = {"hierarchies": "tree.toml", "key": "salary", "ignore": ["salary"], "only": parts}
    compared = duckrisk.compare(source, release, **asked)
    few = str(canary / "ZQXfew.parquet")
    duckdb.sql(f"COPY (FROM '{source}' LIMIT 80) TO '{few}' (FORMAT parquet)")  # a search takes long
    advised = duckrisk.advise(few, user="person", missing_tokens=["ZQXtoken"])
    for result in (made, compared, advised):
        told = folds(result.to_html())
        assert told, type(result)
        assert {name: leaks(text) for name, text in told.items() if leaks(text)} == {}
