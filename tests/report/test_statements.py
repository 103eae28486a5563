"""Under each table and figure of a page stands the statement behind it, without values of records."""

from __future__ import annotations

import ast
import dataclasses
import html
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy
import pytest

import duckrisk
from duckrisk.report import forms
from duckrisk.report.blocks import Block, Column, Detail, Document, Figure, Listing
from duckrisk.report.render import html as render_html
from duckrisk.report.statements import MOST_CHARACTERS, Executed
from duckrisk.report.words import LANGUAGES, Words
from duckrisk.results import Result
from duckrisk.session import Session
from duckrisk.sql_log import Statement
from duckrisk.templates import template_of, topic_of
from tests.command import command
from tests.test_sql_log import COMMANDS, HISTORY, LAYOUT, numbers

#: Tables that no statement is behind, by the heads of their columns of numbers.
INPUT_ALONE = {
    "identifiability.economic": "levels are given by people, or by the types of columns",
    "assess.found": "gates repeat figures of the report",
    "assess.times": "what ran, itself",
}
#: What is in the cells of the tables.
VALUES = re.compile(r"item \d|shop \d|job \d|'c\d|2024-")
#: Numbers of rules, steps and settings alone.
NO_FIGURES = {
    "disclosure.item": "the number of an item of HIPAA",
    "anonymization.step": "the number of a step",
    "pwscup.violations": "all are 0 here, beside the numbers of constraints",
}
MEMBERS = "membership attack people.parquet made.parquet --members members.parquet -q"
LEAGUE = (
    f"pwscup score --original t.parquet --release followed.parquet --release again.parquet {LAYOUT} "
    "--price price --quantity quantity"
)
RUNS = {
    **{
        name: COMMANDS[name]
        for name in (
            *("assess all parts", "assess a sample", "compare", "advise", "advise value", "attack"),
            *("pwscup check", "pwscup attack", "pwscup score"),
        )
    },
    "membership attack": MEMBERS,
    "membership utility": "membership utility members.parquet made.parquet",
    "membership risks": "membership risks members.parquet made.parquet --attacks-per-risk 20",
    "pwscup scores": LEAGUE,
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history, and releases of it."""
    folder = tmp_path_factory.mktemp("tables")
    source = folder / "t.parquet"
    duckdb.sql(f"COPY ({HISTORY}) TO '{source}' (FORMAT parquet)")
    coarse = "SELECT * REPLACE (date_trunc('month', bought) AS bought, price // 5 * 5 AS price)"
    duckdb.sql(f"COPY ({coarse} FROM '{source}') TO '{folder / 'coarse.parquet'}' (FORMAT parquet)")
    people = "SELECT i AS number, i * 7 % 101 AS age, 'job ' || i % 5 AS job FROM range({}) AS n (i)"
    for name, most in (("people", 200), ("members", 100)):
        duckdb.sql(f"COPY ({people.format(most)}) TO '{folder / name}.parquet' (FORMAT parquet)")
    for line in (
        f"pwscup anonymize {source} -o {folder / 'followed.parquet'} {LAYOUT} --perturb-dates 0.1 --seed 1",
        f"pwscup anonymize {source} -o {folder / 'again.parquet'} {LAYOUT} --perturb-dates 0.3 --seed 2",
        f"membership synthesize {folder / 'members.parquet'} -o {folder / 'made.parquet'} --seed 1",
    ):
        done = command(*shlex.split(line))
        assert done.code == 0, done.err
    return folder


@dataclasses.dataclass
class Ran:
    """What a command measured, and the numbers that each of its statements gave."""

    result: Result
    given: dict[str, list[float]]


def ran(line: str, monkeypatch: pytest.MonkeyPatch) -> Ran:
    results: list[Result] = []
    given: dict[str, list[float]] = {}
    data, logged = forms.data, Session._logged

    def kept(result: Result) -> dict[str, Any]:
        results.append(result)
        return data(result)

    def noted(session: Session, name: str, *arguments: Any) -> Any:
        rows = logged(session, name, *arguments)
        if isinstance(rows, dict):
            rows = [numpy.ma.filled(column, 0).tolist() for column in rows.values()]
        given.setdefault(name, []).extend(numbers(rows))
        return rows

    with monkeypatch.context() as patched:
        patched.setattr(forms, "data", kept)
        patched.setattr(Session, "_logged", noted)
        done = command(*shlex.split(line), "--format", "json")
    assert done.code in (0, 1), done.err
    return Ran(results[-1], given)


def blocks_of(blocks: tuple[Block, ...]) -> Iterator[Listing | Figure]:
    """All tables and figures of a report."""
    for block in blocks:
        if isinstance(block, Detail):
            yield from blocks_of(block.blocks)
        elif isinstance(block, (Listing, Figure)):
            yield block


def with_numbers(listing: Listing | None) -> list[Column]:
    return [c for c in listing.columns if c.numeric and not c.bar] if listing and listing.rows else []


def shown_numbers(listing: Listing) -> Iterator[tuple[float, float]]:
    """The numbers in a table as it is read, each with how much it may be rounded; 0 and 1 are everywhere."""
    for row in listing.rows:
        for column, cell in zip(listing.columns, row, strict=True):
            text = Words().plain(cell) if not isinstance(cell, (int, float)) else str(cell)
            if not column.numeric or column.bar:
                continue
            for whole, rest, unit in re.findall(r"(\d[\d,]*)(\.\d+)?(%| million| billion)?", text):
                scale = {"%": 0.01, " million": 1e6, " billion": 1e9}.get(unit, 1.0)
                number = float(whole.replace(",", "") + rest) * scale
                if number not in (0, 1):
                    yield number, scale * 0.5 * 10.0 ** -max(0, len(rest) - 1) if rest or unit else 0.0


@pytest.mark.parametrize("name", RUNS)
def test_the_numbers_of_each_table_are_what_its_statements_gave(
    name: str, tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tables)
    run = ran(RUNS[name], monkeypatch)
    seen = 0
    for block in blocks_of(forms.document(run.result).blocks):
        listing = block if isinstance(block, Listing) else block.listing
        columns = with_numbers(listing)
        heads = {getattr(column.head, "key", "") for column in columns}
        if (not columns and isinstance(block, Listing)) or heads & INPUT_ALONE.keys():
            continue
        behind = [statement for statement, _ in Executed.of(run.result).behind(block.sql)]
        assert behind, (heads, block.sql)
        seen += 1
        if listing is None or heads & NO_FIGURES.keys():
            continue
        values = [value for statement in behind for value in run.given[statement]]
        told = list(shown_numbers(listing))
        near = [any(abs(number - v) <= off + 1e-9 * v for v in values) for number, off in told]
        assert any(near) or not told, (heads, behind, told)
    assert seen
    told = folds(run.result.to_html())
    assert told
    assert {name: text for name, text in told.items() if VALUES.search(text)} == {}


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
    return render_html.to_html(Document("title", blocks), executed=Executed(statements), **options)


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
    assert all(len(text) < MOST_CHARACTERS + 500 for text in told.values())
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
        told for _, told in Executed((Statement("attribute_risk", ran, 0.0),)).behind(["attribute_risk"])
    )
    assert shown is not None
    first, *rest = shown.sql.splitlines()
    assert first == f"-- {template_of('attribute_risk').summary}"
    assert "\n".join(rest) == "SELECT 'month', '…', '…', 5, \"it's\" \n FROM t WHERE x = '…' AND y = '…'"
    assert (shown.masked, shown.cut, shown.metric) == (True, False, True)
    asked = Executed((Statement("attribute_risk", ran, 0.0),), show_values=True)
    (shown,) = (told for _, told in asked.behind(["attribute_risk"]))
    assert shown is not None
    assert "'a ''ZQX'" in shown.sql
    assert not shown.masked
    cut_short = Executed((Statement("users", "SELECT 1, 'ZQX", 0.0),))
    (shown,) = (told for _, told in cut_short.behind(["users"]))
    assert shown is not None
    assert shown.sql.endswith("SELECT 1, '…'")


def test_numbers_of_a_condition_are_left_out() -> None:
    """Where a condition of the user's can be part of a statement, numbers may be values too."""
    assert any(p.type == "expression" for p in template_of("delete_records").parameters)
    executed = Executed((Statement("delete_records", "FROM t WHERE salary = 918273", 0.0),))
    (shown,) = (told for _, told in executed.behind(["delete_records"]))
    assert shown is not None
    assert "918273" not in shown.sql


def test_other_forms_show_no_statement() -> None:
    """They are the same whatever the tables say of statements."""
    report = duckrisk.assess(duckdb.sql(HISTORY).df(), user="customer", samples=0, known_records=0)
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


def test_no_value_under_a_table(canary: Path) -> None:
    source = str(canary / "ZQXfile.parquet")
    assessed = {
        **{"user": "person", "quasi_identifiers": ["city", "age"], "sensitive": ["job"], "where": WHERE},
        **{"missing_tokens": ["ZQXtoken"], "fraction": 0.1, "controls": "low"},
    }
    parts = [*duckrisk.assessment.PARTS]
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


def test_no_value_under_tables_of_releases(canary: Path) -> None:
    source, release = str(canary / "ZQXfile.parquet"), str(canary / "ZQXrelease.parquet")
    steps = [
        {"method": "delete", "where": "city = 'ZQX city 3' OR salary = 918280"},
        {"method": "suppress-cells", "column": "job", "where": "salary > 918500 OR city = 'ZQX city 2'"},
        {"method": "generalize", "column": "city", "level": 1},
        {"method": "pseudonymize", "column": "person"},
    ]
    made = duckrisk.anonymize(source, release, steps=steps, hierarchies="tree.toml", seed=1)
    compared = duckrisk.compare(source, release, hierarchies="tree.toml", key="salary", ignore=["salary"])
    advised = duckrisk.advise(source, user="person", steps=1, missing_tokens=["ZQXtoken"])
    for result in (made, compared, advised):
        told = folds(result.to_html())
        assert told, type(result)
        assert {name: leaks(text) for name, text in told.items() if leaks(text)} == {}
