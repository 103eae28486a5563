"""What runs where: the routing of statements, Spark's dialect, what is refused, and what errors say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from duckrisk.base.errors import EngineError, SourceError, UsageError
from duckrisk.engine import templates
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.spark import open_engine
from duckrisk.engine.spark.dialects import SPARK, extract_names, parse_table_statement, qualify_tables
from duckrisk.engine.spark.protocol import StatementStoppedError
from duckrisk.engine.spark.spark import translate_client_error
from duckrisk.engine.templates import Attribute, Part, Sql
from duckrisk.source.spark import _bind_columns
from tests.command import command
from tests.engines.comparing import DuckDBAsEngine

CATALOGUE = templates.catalogue()


@pytest.fixture
def engine() -> DuckDBAsEngine:
    made = DuckDBAsEngine()
    made.open("SELECT i % 4 AS c0, i % 3 AS c1 FROM range(24) AS t(i)")
    return made


def test_wide_statements_run_there_and_others_on_what_they_gave(engine: DuckDBAsEngine) -> None:
    value = Attribute("a", (Part("c1"),))
    with Session() as session:
        session.use_engine(engine)
        session.lock([])
        assert session.fetch_row("count_records", source=ASSESSED)["records"] == 24
        session.run("value_codes", source=ASSESSED, attribute=value, table="codes")
        assert session.run("row_counts", tables=["codes"]) == [{"position": 0, "records": 3}]
        assert session.fetched_rows == 0
        assert session.fetch_row("table_size", source="codes") == {"found": 3}
        assert session.fetched_rows == 3
        assert session.fetch_row("table_size", source="codes") == {"found": 3}
        assert session.fetched_rows == 3  # once
        ran = [(statement.name, statement.engine) for statement in session.log[1:]]
    where = {name: place for name, place in ran if name != "set_option"}
    assert where == {
        "count_records": "another DuckDB",
        "value_codes": "another DuckDB",
        "row_counts": "another DuckDB",
        "kept_table": None,
        "table_size": None,
    }
    assert engine.closed


def test_a_statement_that_only_duckdb_runs_is_refused_the_records(engine: DuckDBAsEngine) -> None:
    with Session() as session:
        session.use_engine(engine)
        with pytest.raises(UsageError, match="not offered with --engine"):
            session.run("select_all", source=ASSESSED)
        assert session.fetched_rows == 0


def test_views_of_the_records_stay_there(engine: DuckDBAsEngine) -> None:
    with Session() as session:
        session.use_engine(engine)
        session.lock([])
        session.run("number_records", name="numbered", source=ASSESSED, columns=["c0"])
        assert session.describe(templates.identifier("numbered"))[-1] == ("c0", "BIGINT")
        with pytest.raises(UsageError, match="not offered with --engine"):
            session.run("table_size", source="numbered")
        assert session.fetched_rows == 0


def test_a_table_that_is_made_here_anew_is_read_here(engine: DuckDBAsEngine) -> None:
    with Session() as session:
        session.use_engine(engine)
        session.run("value_codes", source=ASSESSED, attribute=Attribute("a", (Part("c1"),)), table="codes")
        session.run("kept_table", name="codes", source=templates.render("numbered_range", records=2))
        assert session.run("row_counts", tables=["codes"]) == [{"position": 0, "records": 2}]


# --- dialects ------------------------------------------------------------------------------------


def test_variants_take_what_their_statement_takes() -> None:
    variants = [name for name in CATALOGUE if "__" in name]
    assert len(variants) > 5
    for variant in variants:
        statement = CATALOGUE[variant.partition("__")[2]]
        own = {parameter.name: parameter.type for parameter in CATALOGUE[variant].parameters}
        assert own.items() <= {p.name: p.type for p in statement.parameters}.items(), variant
        assert (statement.facts["runs"], CATALOGUE[variant].facts["runs"]) == ("wide", "wide"), variant


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("it's \\ `x`", "'it\\'s \\\\ `x`'"),
        (["a", 1, None], "ARRAY('a', 1, NULL)"),
        (0.5, "CAST(0.5 AS DOUBLE)"),
        (True, "TRUE"),
    ],
)
def test_literals_of_spark(value: Any, written: str) -> None:
    assert SPARK.literal(value) == written


def test_identifiers_of_spark() -> None:
    assert SPARK.identifier('a `b` "c"') == '`a ``b`` "c"`'
    with pytest.raises(UsageError):
        SPARK.identifier("a\0")


def test_what_was_rendered_for_duckdb_is_rendered_anew() -> None:
    first = templates.render("first_records", source=ASSESSED, most=5)
    assert first == "(SELECT * FROM temp.main.assessed LIMIT 5)"
    assert SPARK.relation(first) == "(SELECT * FROM `assessed` LIMIT 5)"
    composite = Attribute("a+b", (Part("c0", tokens=("", "?")), Part("c1")))
    assert "STRUCT(CASE TRIM(CAST(`c0` AS STRING)) WHEN '' THEN NULL" in SPARK.value(composite)


def test_texts_and_names_are_no_words_of_a_statement() -> None:
    cell = templates.render("prefix_cell", column=templates.identifier("a AS VARCHAR) hash("), argument=2)
    assert "CAST(`a AS VARCHAR) hash(` AS STRING)" in SPARK.expression(cell)
    where = templates.render("is_present", cell=templates.literal("it''s SEMI JOIN AS VARCHAR)"))
    assert "SEMI JOIN AS VARCHAR)'" in SPARK.expression(where)


def test_an_apostrophe_in_a_comment_begins_no_text() -> None:
    told = {"source": Sql("records"), "user": "a", "columns": [], "missing_tokens": ["it's AS VARCHAR)"]}
    sql = SPARK.render("users", told)
    assert "the column's index" in sql
    assert "IN ('it\\'s AS VARCHAR)')" in sql


def test_tables_get_the_names_of_their_run() -> None:
    sql = (
        "SELECT persons.x, 'FROM persons' FROM `persons` JOIN codes AS c ON 1"
        " -- FROM persons\nJOIN other ON 1"
    )
    assert qualify_tables(sql, {"persons", "codes"}, "run_") == (
        "SELECT persons.x, 'FROM persons' FROM `run_persons` AS persons JOIN `run_codes` AS c ON 1"
        " -- FROM persons\nJOIN other ON 1"
    )


def test_what_a_statement_makes() -> None:
    made = parse_table_statement("CREATE OR REPLACE TEMP TABLE `a` AS\nSELECT 1")
    assert made is not None
    assert (made.table, made.is_insert, made.query) == ("a", False, "SELECT 1")
    added = parse_table_statement("INSERT INTO a\nWITH b AS (SELECT 1) SELECT * FROM b")
    assert added is not None
    assert (added.table, added.is_insert) == ("a", True)
    assert parse_table_statement("SELECT 1 FROM a") is None
    assert extract_names('SELECT "a""b", \'c\' FROM d -- e') == {"SELECT", 'a""b', "FROM", "d"}


# --- errors --------------------------------------------------------------------------------------


class _Raised(Exception):
    """What a client raises: its text quotes a cell."""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("java.io.IOException: No space left on device; row [Meier, 1960]", "disk"),
        ("<_InactiveRpcError: StatusCode.UNAVAILABLE Meier>", "does not answer"),
        ("[INSUFFICIENT_PERMISSIONS] User Meier", "permission"),
        ("[TABLE_OR_VIEW_NOT_FOUND] The table `Meier`", "finds no table"),
        ("java.lang.OutOfMemoryError: Meier", "memory"),
        ("org.apache.spark.SparkException: Not enough memory to build and broadcast Meier", "memory"),
        ("Job aborted due to stage failure: Task 3 in stage 1.0 failed 4 times, Meier", "worker"),
        ("[CAST_INVALID_INPUT] The value 'Meier' of the type", "CAST_INVALID_INPUT"),
        ("Meier", "_Raised"),
    ],
)
def test_errors_of_the_client_are_told_without_their_text(text: str, words: str) -> None:
    error = translate_client_error(_Raised(text))
    assert isinstance(error, (EngineError, SourceError))
    assert (words in str(error), "Meier" in str(error), error.exit_code) == (True, False, 3)


def test_a_stopped_statement_is_no_error_of_its_own() -> None:
    assert isinstance(
        translate_client_error(_Raised("[OPERATION_CANCELED] Operation has been canceled")),
        StatementStoppedError,
    )


# --- what is refused -----------------------------------------------------------------------------

RETAIL = "datasets/retail.parquet"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((RETAIL, "--engine", "postgres:x"), "not the address of an engine"),
        ((RETAIL, "--scratch", "."), "--scratch needs --engine"),
        (("--table", "t", RETAIL, "--engine", "sc://h:1"), "not both"),
        (("--query", "SELECT 1", "--engine", "sc://h:1"), "--query is not offered"),
        (("--where", "TRUE", RETAIL, "--engine", "sc://h:1"), "--where is not offered"),
        ((RETAIL, "--engine", "sc://h:1", "--only", "suda"), '"suda" is not offered'),
        ((RETAIL, "--engine", "sc://h:1", "--show-values"), "--show-values is not offered"),
        ((RETAIL, "--engine", "sc://h:1", "--records-out", "r.parquet"), "--records-out is not offered"),
    ],
)
def test_what_an_engine_does_not_offer(words: tuple[str, ...], said: str) -> None:
    done = command("assess", *words)
    assert (done.code, said in done.err) == (2, True), done.err


@pytest.mark.parametrize("name", ["advise", "compare", "init"])
def test_commands_without_a_form_for_engines(name: str) -> None:
    done = command(name, RETAIL, "--engine", "sc://h:1")
    assert (done.code, "Only `duckrisk assess` and `duckrisk anonymize` work with" in done.err) == (
        2,
        True,
    ), done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--k", "3", "--quasi-identifier", "Quantity"), '"k-anonymize" is not offered with --engine'),
        (
            ("--delete-classes-below", "3", "--quasi-identifier", "Quantity"),
            '"delete-classes" is not offered',
        ),
        (("--swap", "Quantity=0.1"), '"swap" is not offered'),
        (("--perturb", "Quantity=0.1"), "a second run without --engine"),
        (("--suppress-cells", "Quantity=Quantity > 3"), '"suppress-cells" is not offered'),
        (("--shuffle",), '"shuffle" is not offered'),
        (("--to-policy", "public"), "--to-policy is not offered"),
    ],
)
def test_what_of_a_treatment_an_engine_does_not_offer(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    done = command("anonymize", RETAIL, "-o", tmp_path / "r.parquet", *words, "--engine", "sc://h:1")
    assert (done.code, said in done.err, list(tmp_path.iterdir())) == (2, True, []), done.err


def test_where_an_engine_writes_no_release(tmp_path: Path) -> None:
    words = ("anonymize", RETAIL, "--drop", "Quantity", "--engine", "sc://h:1", "-o")
    mine = tmp_path / "mine.parquet"
    mine.mkdir()
    (mine / "part-0.parquet").write_bytes(b"")
    for output, more, said in [
        ("r.csv", (), "name one that ends in .parquet"),
        ("mine.parquet", ("--overwrite",), "is not a release with its recipe next to it"),
        ("nowhere/r.parquet", (), "does not exist"),
    ]:
        done = command(*words, tmp_path / output, *more)
        assert (done.code in (2, 3), said in done.err) == (True, True), done.err
    source = tmp_path / "days"
    source.mkdir()
    (source / "a.parquet").write_bytes(b"")
    inside = ("anonymize", source, "--drop", "x", "--engine", "sc://h:1", "-o")
    for output in (source / "b.parquet",):
        done = command(*inside, output)
        assert (done.code, "part of the source" in done.err) == (2, True), done.err
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "a.parquet",
        "days",
        "mine.parquet",
        "part-0.parquet",
    ]


def test_the_settings_file_can_name_the_engine(tmp_path: Path) -> None:
    (tmp_path / "duckrisk.toml").write_text('[engine]\nengine = "sqlite:x"\n')
    settings = ("--config", str(tmp_path / "duckrisk.toml"))
    done = command("assess", RETAIL, *settings)
    assert (done.code, "not the address of an engine" in done.err) == (2, True), done.err
    done = command("advise", RETAIL, *settings)
    assert (done.code, "Only `duckrisk assess` and" in done.err) == (2, True), done.err


def test_scratch_has_to_be_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not the address"):
        open_engine("local", None, str(tmp_path))


def test_texts_on_spark_are_not_said_to_be_read() -> None:
    """A source with texts says that numbers and days in these are not looked for; one without does not."""

    class Frame:
        def toDF(self, *names: str) -> Frame:
            return self

        def selectExpr(self, *expressions: str) -> Frame:
            return self

    for kind, said in (("string", 1), ("int", 0)):
        source, _ = _bind_columns("t", "table", Frame(), [("a", "int"), ("b", kind)])
        assert [note.key for note in source.notes] == ["source.engine_reads_no_texts"] * said
