"""Every template keeps the rules of a template: header against body, both ways."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import duckdb
import pytest

from duckrisk.base.errors import UsageError
from duckrisk.engine import bytecode, templates
from duckrisk.engine.templates import Attribute, Part, Sql
from tests.cases import Cases

CATALOGUE = templates.catalogue()
METRICS = sorted(templates.metrics())
WITH_RESULT = sorted(name for name, template in CATALOGUE.items() if template.columns)
KNOWLEDGE = sorted(name for name, template in CATALOGUE.items() if template.topic == "knowledge")

#: One value for each parameter that a template with a result can have.
EXAMPLES = {
    "source": "people",
    "user": "person_number",
    "attribute": Attribute("colour", (Part("favourite_colour"),)),
    "attributes": [Attribute(name, (Part(name),)) for name in ("favourite_colour", "shoe_size")],
    "k": 5,
    "samples": 3,
    "confidence": 0.9,
    "seed": 0,
    "known": 2,
    "among": None,
    "ordered": None,
    "draws": 20,
    "most": 10,
    "candidates": 1000,
    "users": None,
    "columns": ["favourite_colour", "shoe_size"],
    "texts": ["favourite_colour"],
    "nested": [],
    "integers": [],
    "bytes": [],
    "numbers": [],
    "column": "shoe_size",
    "levels": ["1,1", "1,2"],
    "missing_tokens": ["?"],
    "named": ["0 My Number"],
    "missing_is_value": False,
    "base": 500,
    "records": 10,
    "exact": 0.5,
    "minimum_cost": 0.25,
    "sampled": 0.4,
    "records_read": 5,
    "target": "people",
    "original": "people",
    "release": "people",
    "pseudonym": "person_number",
    "basket": ["shoe_size"],
    "item": "favourite_colour",
    "category": "favourite_colour",
    "members": "shoe_size",
    "value": "shoe_size",
    "lower": "person_number",
    "upper": "shoe_size",
    "weight": "shoe_size",
    "least_support": 0.01,
    "least_confidence": 0.3,
    "quantity": "shoe_size",
    "least": 1,
    "truth": "people",
    "guess": "people",
    "everybody": "people",
    "person": "person_number",
    "period": "shoe_size",
    "periods": 2,
    "attempt": "shoe_size",
    "attempts": 2,
    "first": "shoe_size",
    "second": "person_number",
    "key": "shoe_size",
    "permutations": 5,
    "sizes": "people",
    "risks": "people",
    "controls": "high",
    "motives": "low",
    "prevalence": 0.01,
    "acquaintances": 150,
    "breach": 0.27,
    "population": "people",
    "fraction": 0.5,
    "l": 2,
    "hierarchy": "people",
    "labels": ["shoe_size"],
    "max_size": 2,
    "sampling_fraction": 0.01,
    "share": 0.05,
    "household": "person_number",
    "risk": "population_size",
    "people": 1000,
    "pairs": None,
    "day": None,
    "amount": None,
    "dates": [],
    "days": 14,
    "band": 0.1,
    "targets": 50,
    "work": 10**6,
    "counted": None,
    "forms": [Attribute("colour", (Part("favourite_colour"),))],
}

#: What DuckDB has and other engines lack.
LACKED = (
    "QUALIFY",
    "UNPIVOT",
    "PIVOT",
    "GROUP BY ALL",
    "FILTER (",
    "SEMI JOIN",
    "ANTI JOIN",
    "ASOF",
    "USING SAMPLE",
    "EXCLUDE",
    "COLUMNS(",
    "::",
    "VARCHAR",
    " HASH(",
    "ARG_MIN",
    "ARG_MAX",
)


@pytest.fixture
def people() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE people AS SELECT i % 3 AS person_number, 'colour ' || i % 4 AS favourite_colour, "
        "i AS shoe_size, i + 1 AS class_size, 0.1 AS average_risk, 0.2 AS highest_risk, "
        "CAST(i + 2.5 AS DOUBLE) AS population_size, "
        "i % 2 + 1 AS classes, (i + 1) * (i % 2 + 1) AS records FROM range(12) AS t(i)"
    )
    return connection


def rendered(name: str) -> str:
    return templates.render(name, **{p.name: EXAMPLES[p.name] for p in CATALOGUE[name].parameters})


@pytest.mark.slow
def test_parameters_are_those_of_the_body() -> None:
    with Cases() as case:
        for name, template in CATALOGUE.items():
            with case(name):
                assert {p.name for p in template.parameters} == templates.find_variables(template)


#: How the text of a number begins that is no number but a truth value.
TRUTH_VALUE = re.compile(r"[01] (where|to|for|before|keeps|if|or|in)\b|[01]:|whether\b|.*\belse 0\b")


def test_truth_values_are_flags() -> None:
    integers = [
        (template.topic, name, parameter.name)
        for name, template in CATALOGUE.items()
        for parameter in template.parameters
        if parameter.type == "integer" and TRUTH_VALUE.match(parameter.text)
    ]
    assert integers == []


def test_a_flag_takes_true_or_false_alone() -> None:
    given = {"places": [0], "counted": [], "known": Sql("known")}
    assert templates.render("missing_facts", **given) == templates.render(
        "missing_facts", **given, weighted=False
    )
    assert "people" in templates.render("missing_facts", **given, weighted=True)
    for wrong in (1, 0, "true"):
        with pytest.raises(TypeError, match="weighted is a flag"):
            templates.render("missing_facts", **given, weighted=wrong)
    with pytest.raises(TypeError, match="by_user is a flag"):
        templates.render("key_duplicates", by_user=None)


def test_header_says_what_a_reader_needs() -> None:
    with Cases() as case:
        for name, template in CATALOGUE.items():
            with case(name):
                assert template.summary.endswith(".")
                assert template.facts["runs"] in ("wide", "finish")
                if template.columns or template.topic == "knowledge":
                    assert template.facts["definition"]
                    assert template.facts["source"]
                if template.columns and template.topic != "source":
                    assert template.facts["missing"]
                    assert template.facts["read"]


def test_columns_are_those_of_the_result(people: duckdb.DuckDBPyConnection) -> None:
    with Cases() as case:
        for name in WITH_RESULT:
            if CATALOGUE[name].topic != "source":
                with case(name):
                    described = people.execute(f"DESCRIBE {rendered(name)}").fetchall()
                    assert [row[:2] for row in described] == [
                        (c.name, c.type) for c in CATALOGUE[name].columns
                    ]


def test_names_of_the_source_stay_in_the_first_step() -> None:
    with Cases() as case:
        for name in METRICS:
            with case(name):
                body = re.sub(r"--[^\n]*", "", rendered(name))
                first, rest = body.split("\n)", 1)
                assert '"people"' in first
                for own in ('"people"', '"person_number"', '"favourite_colour"', '"shoe_size"'):
                    assert own not in rest


def test_result_names_its_columns_and_is_ordered(people: duckdb.DuckDBPyConnection) -> None:
    with Cases() as case:
        for name in METRICS:
            with case(name):
                body = re.sub(r"--[^\n]*", "", rendered(name))
                last = body[body.rindex("\n)\n") :]
                assert not re.search(r"SELECT\s+\*", last)
                if len(people.execute(body).fetchall()) > 1:
                    assert "ORDER BY" in last


def test_wide_templates_avoid_what_other_engines_lack() -> None:
    with Cases() as case:
        for name in METRICS:
            if CATALOGUE[name].facts["runs"] == "wide":
                with case(name):
                    body = re.sub(r"--[^\n]*|'[^']*'", "", CATALOGUE[name].text).upper()
                    assert [word for word in LACKED if word in body] == []


def test_same_bytes_each_time() -> None:
    with Cases() as case:
        for name in METRICS:
            with case(name):
                assert rendered(name) == rendered(name)


def test_knowledge_is_one_expression() -> None:
    expected = {
        "date": "2010-12-04",
        "time": "506",
        "hour": "8",
        "zoned_time": "08:26+05:30",
        "week": "2010-11-29",
        "month": "2010-12-01",
        "year": "2010",
        "prefix": "20",
        "band": "0.0",
        "number": "0.0",
        "as_double": "0.1",
        "as_narrow": "0.1",
        "as_text": "2010-12-04 08:26:59",
        "as_json": '"2010-12-04 08:26:59"',
    }
    with Cases() as case:
        for name in KNOWLEDGE:
            with case(name):
                arguments = {"column": Sql("moment")}
                if len(CATALOGUE[name].parameters) == 2:
                    arguments["argument"] = 2
                source = "TIMESTAMP '2010-12-04 08:26:59' AS moment"
                if name in ("band", "number"):
                    source = "-0.0::DOUBLE AS moment"
                if name in ("as_double", "as_narrow"):
                    source = "0.1::FLOAT AS moment" if name == "as_double" else "0.1::FLOAT::DOUBLE AS moment"
                if name == "zoned_time":
                    source = "TIMETZ '08:26:59.5+05:30' AS moment"
                expression = templates.render(name, **arguments)
                ((value,),) = duckdb.execute(f"SELECT {expression} FROM (SELECT {source})").fetchall()
                assert str(value) == expected[name]


@pytest.mark.parametrize(
    ("argument", "number", "band"), [(5, 12.5, 10), (5, -0.5, -5), (0.5, 0.75, 0.5), (5, 5, 5), (5, 4.999, 0)]
)
def test_band_is_the_multiple_below(argument: float, number: float, band: float) -> None:
    expression = templates.render("band", column=templates.literal(number), argument=argument)
    assert duckdb.execute(f"SELECT {expression}").fetchall() == [(band,)]


def test_unfiltered_and_unknown_names_raise() -> None:
    made = templates.environment()
    with pytest.raises(TypeError):
        made.from_string("SELECT {{ name }}").render(name="x")
    with pytest.raises(TypeError):
        made.from_string("SELECT {{ name }}").render(name=1.5)
    with pytest.raises(TypeError):
        made.from_string("SELECT {{ name | identifier }}").render()
    with pytest.raises(TypeError, match="needs"):
        templates.render("attribute_risk", source="t")
    with pytest.raises(TypeError, match="no parameter"):
        templates.render("distinct_values", source="t", column="c", other=1)
    with pytest.raises(TypeError):
        templates.expression("1 = 1")


def test_lists_are_written_by_patterns() -> None:
    made = templates.environment()

    def rendered(text: str) -> str:
        return made.from_string(text).render(
            words=[3, 4], fields=[7, 8, 9], names=['a"b', "c"], loop_names=["%s"]
        )

    assert (
        rendered('{{ words | each("p{x} & {y} AS k{i}_{n}_{bit}", fields) }}')
        == "p3 & 7 AS k0_1_1, p4 & 8 AS k1_2_2"
    )
    assert rendered('{{ names | each("{x.identifier} = {x.literal}", between=" AND ") }}') == (
        """"a""b" = 'a"b' AND "c" = 'c'"""
    )
    assert rendered("{{ names | identifiers }} {{ names | literals }}") == """"a""b", "c" 'a"b', 'c'"""
    assert rendered("""{{ loop_names | each("'100 %' || {x.literal}") }}""") == "'100 %' || '%s'"
    assert rendered("{% for word in words %}p{{ word }}{{ loop | between }}{% endfor %}") == "p3,p4"
    with pytest.raises(TypeError, match="without a filter"):
        rendered('{{ names | each("{x}") }}')
    with pytest.raises(IndexError):
        rendered('{{ fields | each("{y}", words) }}')


def test_compiled_templates_are_kept_and_damaged_ones_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(bytecode, "FOLDER", tmp_path)

    def rendered() -> str:
        templates.environment.cache_clear()
        return templates.render("row_counts", tables=["people"])

    try:
        first = rendered()
        (kept,) = tmp_path.iterdir()
        whole = kept.read_bytes()
        assert rendered() == first
        for damaged in (b"", whole[:40], b"x" * len(whole), whole[:-9]):
            kept.write_bytes(damaged)
            assert rendered() == first
            assert kept.read_bytes() == whole
        monkeypatch.setattr(bytecode, "FOLDER", tmp_path / "nowhere")
        assert rendered() == first
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        monkeypatch.setattr(bytecode, "FOLDER", tmp_path)
        kept.unlink()
        assert rendered() == first
        assert not list(tmp_path.iterdir())
    finally:
        templates.environment.cache_clear()


def test_missing_tokens_are_texts_or_numbers_of_the_columns_type() -> None:
    def written(number: str | None) -> str:
        return templates.value(Attribute("a", (Part("a", tokens=("'", "1"), number=number),)))

    text = """CASE TRIM(CAST("a" AS VARCHAR)) WHEN '''' THEN NULL WHEN '1' THEN NULL ELSE "a" END"""
    assert written(None) == text
    assert "WHEN TRY_CAST('1' AS DECIMAL(4,2)) THEN NULL" in written("DECIMAL(4,2)")
    for bad in ("", "float", "FLOAT[]", "DECIMAL(4,2) OR 1", "ENUM('a')"):
        with pytest.raises(TypeError):
            written(bad)


def test_unknown_metric_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="attribute_risk"):
        templates.find_metric("atribute_risk")
    with pytest.raises(UsageError):
        templates.find_metric("open_view")


@pytest.mark.parametrize(
    "text", ["it's", 'say "x"', "a\nb", "{{ x }}", "-- no", "é漢字", "'; DROP TABLE t; --"]
)
def test_literals_and_identifiers_round_trip(text: str) -> None:
    query = f"SELECT {templates.literal(text)} AS {templates.identifier(text)}"
    cursor = duckdb.execute(query)
    assert cursor.description[0][0] == text
    assert cursor.fetchall() == [(text,)]


@pytest.mark.parametrize("bad", ["", "a\0b"])
def test_names_that_cannot_be_quoted(bad: str) -> None:
    with pytest.raises(UsageError):
        templates.identifier(bad)


def test_numbers_have_to_be_finite() -> None:
    for bad in (float("nan"), float("inf")):
        with pytest.raises(UsageError):
            templates.literal(bad)
    assert templates.literal([1, "a", None, True, 0.5]) == "[1, 'a', NULL, TRUE, 0.5]"


@pytest.mark.parametrize(
    "header",
    [
        "",
        "-- only_a_name\nSELECT 1",
        "-- a\n-- b.\n--\n-- odd line\nSELECT 1",
        "-- a\n-- b.\n-- parameter x: colour, y\n",
    ],
)
def test_headers_that_break_the_rules(header: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        templates.parse("topic", header)
