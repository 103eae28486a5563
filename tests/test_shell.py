"""The macros for a plain DuckDB shell: the same rows as the templates, whatever the names."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

import duckrisk
from duckrisk.base.options.identifiability import TOKENS
from duckrisk.engine import macros, templates
from duckrisk.engine.templates import Attribute, Part, Sql, identifier, literal, render
from duckrisk.measures.attribute import Options
from tests.hostile import NAMES
from tests.tables import EXAMPLES, thinned

Connection = duckdb.DuckDBPyConnection
Rows = list[tuple[Any, ...]]

#: A small history with what makes rows differ: missing values, zeros of both signs, texts with blanks.
HISTORY = """
CREATE TABLE history AS
SELECT
    CASE WHEN i % 17 = 5 THEN NULL ELSE i * i % 11 END AS person,
    TIMESTAMP '2024-01-30 22:10:00' + to_minutes(CAST(i * 7 % 31 * 997 AS BIGINT)) AS moment,
    CASE WHEN i % 13 = 7 THEN NULL ELSE 'item ' || i % 7 || ' of the shop' END AS item,
    CAST(CASE WHEN i % 10 = 0 THEN '-0.0' WHEN i % 5 = 0 THEN '0.0' ELSE i % 9 * 1.25 END AS DOUBLE) AS price,
    CAST(i % 4 AS INTEGER) AS number
FROM range(90) AS numbers (i);
CREATE TABLE sizes AS
SELECT size AS class_size, CAST(size * 4 + size % 2 AS DOUBLE) AS population_size, 30 // size AS classes,
    30 // size * size AS records
FROM range(1, 6) AS given (size);
CREATE TABLE kinds AS
SELECT 'item ' || i || ' of the shop' AS item, 'kind ' || i % 2 AS kind FROM range(7) AS numbers (i)
"""
PERSON, MOMENT, ITEM, PRICE, NUMBER = "person", "moment", "item", "price", "number"

Call = tuple[str, str, dict[str, Any]]


def call(metric: str, *given: Any, **named: Any) -> str:
    """A call of a macro, every argument a literal."""
    arguments: list[str] = [literal(value) for value in given]
    arguments += [f"{name} := {literal(value)}" for name, value in named.items()]
    return f"FROM {metric}({', '.join(arguments)})"


def attribute(*parts: Part | str) -> Attribute:
    return Attribute("attribute", tuple(Part(part) if isinstance(part, str) else part for part in parts))


Settings = list[tuple[dict[str, Any], dict[str, Any]]]
_METRICS = [name for name, metric in templates.metrics().items() if metric.topic == "attribute"]
#: What an attribute's metric takes besides its first three parameters: as a macro, as a template.
SETTINGS: dict[str, Settings] = {name: [({}, {})] for name in _METRICS} | {
    "attribute_risk": [({}, {"k": 5}), ({"k": 3}, {"k": 3})],
    "attribute_risk_approximate": [({}, {"k": 5}), ({"k": 3}, {"k": 3})],
    "attribute_sample": [
        ({}, {"samples": 50, "confidence": 0.9, "seed": 0}),
        ({"samples": 3, "confidence": 0.95, "seed": -7}, {"samples": 3, "confidence": 0.95, "seed": -7}),
        ({"samples": 3, "users": 11}, {"samples": 3, "confidence": 0.9, "seed": 0, "users": 11}),
    ],
    "attribute_sample_paper": [
        ({}, {"samples": 50, "seed": 0}),
        ({"samples": 3, "seed": 8}, {"samples": 3, "seed": 8}),
    ],
    "attribute_values": [({}, {"most": None}), ({"most": 4}, {"most": 4})],
    "known_records": [
        ({}, {"known": 4, "draws": 1000, "confidence": 0.9, "seed": 0}),
        (
            {"known": 1, "draws": 50, "confidence": 0.8, "seed": 3},
            {"known": 1, "draws": 50, "confidence": 0.8, "seed": 3},
        ),
        ({"known": 6, "draws": 50}, {"known": 6, "draws": 50, "confidence": 0.9, "seed": 0}),
    ],
    "single_values": [({}, {"most": 100, "seed": 0}), ({"most": 3, "seed": 2}, {"most": 3, "seed": 2})],
}
#: Each way of knowing a column: the macro's column and arguments, the template's attribute.
KNOWN: list[tuple[str, dict[str, Any], Attribute]] = [
    (MOMENT, {"knowledge": "date"}, attribute(Part(MOMENT, "date"))),
    (MOMENT, {"knowledge": "time"}, attribute(Part(MOMENT, "time"))),
    (MOMENT, {"knowledge": "hour"}, attribute(Part(MOMENT, "hour"))),
    (MOMENT, {"knowledge": "week"}, attribute(Part(MOMENT, "week"))),
    (MOMENT, {"knowledge": "month"}, attribute(Part(MOMENT, "month"))),
    (MOMENT, {"knowledge": "year"}, attribute(Part(MOMENT, "year"))),
    (PRICE, {"knowledge": "number"}, attribute(Part(PRICE, "number"))),
    (PRICE, {"knowledge": "as_text"}, attribute(Part(PRICE, "as_text"))),
    (PRICE, {"knowledge": "band", "argument": 2.5}, attribute(Part(PRICE, "band", 2.5))),
    (NUMBER, {"knowledge": "band", "argument": 2}, attribute(Part(NUMBER, "band", 2))),
    (ITEM, {"knowledge": "prefix", "argument": 6}, attribute(Part(ITEM, "prefix", 6))),
    (ITEM, {"knowledge": "exact"}, attribute(ITEM)),
    (ITEM, {"also": [NUMBER]}, attribute(ITEM, NUMBER)),
    (
        MOMENT,
        {"knowledge": "date", "also": [ITEM, PRICE]},
        attribute(Part(MOMENT, "date"), ITEM, PRICE),
    ),
]


def attribute_calls() -> Iterator[Call]:
    for metric, choices in SETTINGS.items():
        for user in (PERSON, None):
            for named, full in choices:
                shared = {"source": "history", "user": user}
                takes = {parameter.name for parameter in templates.template_of(metric).parameters}
                of: dict[str, Any] = {"attribute": attribute(ITEM)}
                if "attributes" in takes:
                    of = {"attributes": [attribute(ITEM)]}
                yield metric, call(metric, "history", user, ITEM, **named), {**shared, **of, **full}
    for column, named, known in KNOWN:
        yield (
            "attribute_values",
            call("attribute_values", "history", PERSON, column, **named),
            {"source": "history", "user": PERSON, "attribute": known, "most": None},
        )


def column_calls() -> Iterator[Call]:
    columns = [MOMENT, ITEM, PRICE]
    levels = ["1,1", "2,1", "1,3"]
    tokens = ["", "?", "*", "NULL", "N/A"]
    given = {"source": "history", "columns": columns, "levels": levels}
    yield (
        "identifiability",
        call("identifiability", "history", columns, levels),
        {**given, "missing_tokens": tokens, "missing_is_value": False, "base": 500},
    )
    yield (
        "identifiability",
        call(
            "identifiability",
            "history",
            columns,
            levels,
            missing_tokens=["a '"],
            missing_is_value=True,
            base=1.5,
        ),
        {**given, "missing_tokens": ["a '"], "missing_is_value": True, "base": 1.5},
    )
    for some in (columns, [ITEM]):
        yield (
            "determined_by",
            call("determined_by", "history", NUMBER, some),
            {"source": "history", "column": NUMBER, "columns": some},
        )
        yield (
            "users",
            call("users", "history", PERSON, some),
            {"source": "history", "user": PERSON, "columns": some},
        )
        for texts in ([], [ITEM]):
            yield (
                "profile",
                call("profile", "history", some, **({"texts": texts} if texts else {})),
                {
                    "source": "history",
                    "columns": some,
                    "texts": texts,
                    "nested": [],
                    "bytes": [],
                    "numbers": [],
                    "integers": [],
                },
            )
    yield (
        "users",
        call("users", "history", ITEM, [], missing_tokens=["a '"]),
        {"source": "history", "user": ITEM, "columns": [], "missing_tokens": ["a '"]},
    )
    yield (
        "distinct_values",
        call("distinct_values", "history", ITEM),
        {"source": "history", "column": ITEM},
    )
    limits = {"least_support": 0.2, "least_confidence": 0.5}
    yield (
        "association_rules",
        call("association_rules", "history", PERSON, ITEM, [NUMBER], **limits),
        {"source": "history", "user": PERSON, "item": ITEM, "basket": [NUMBER], **limits},
    )
    both = {"original": "history", "release": "history"}
    yield (
        "association_rules_of_three",
        call("association_rules_of_three", "history", PERSON, ITEM, [], **limits),
        {"source": "history", "user": PERSON, "item": ITEM, "basket": [], **limits},
    )
    both = {"original": "history", "release": "history"}
    yield (
        "association_rules_loss",
        call("association_rules_loss", "history", "history", PERSON, NUMBER, ITEM, [MOMENT], **limits),
        {**both, "user": PERSON, "pseudonym": NUMBER, "item": ITEM, "basket": [MOMENT], **limits},
    )
    for weight in (None, NUMBER):
        yield (
            "cross_table_loss",
            call("cross_table_loss", "history", "history", PERSON, ITEM, weight),
            {**both, "category": PERSON, "column": ITEM, "weight": weight},
        )
    yield (
        "group_means_loss",
        call("group_means_loss", "history", "history", PERSON, PRICE),
        {**both, "category": PERSON, "column": PRICE},
    )


def item_calls() -> Iterator[Call]:
    given = {"source": "history", "user": PERSON, "item": ITEM}
    for named in ({}, {"most": 2}):
        statement = call("top_items", "history", PERSON, ITEM, **named)
        yield ("top_items", statement, {**given, "most": None, **named})
    for named in ({}, {"least": 3}, {"quantity": NUMBER, "most": 4}):
        yield (
            "item_similarity",
            call("item_similarity", "history", PERSON, ITEM, **named),
            {**given, "quantity": None, "least": 2, "most": None, **named},
        )


def rate_calls() -> Iterator[Call]:
    columns = {"person": PERSON, "period": NUMBER, "pseudonym": ITEM}
    given = {"truth": "history", "guess": "history", "everybody": "history", **columns, "periods": 5}
    for named in ({}, {"weight": NUMBER}, {"attempt": NUMBER, "attempts": 3}):
        yield (
            "reidentification_rates",
            call("reidentification_rates", "history", "history", "history", *columns.values(), 5, **named),
            {**given, "weight": None, "attempt": None, "attempts": None, **named},
        )
    pairs = {"person": PERSON, "pseudonym": ITEM}
    yield (
        "declared_unsafe",
        call("declared_unsafe", "history", "history", PERSON, ITEM),
        {"truth": "history", "guess": "history", **pairs},
    )
    cells = {"category": ITEM, "members": ITEM, "value": NUMBER, "lower": PERSON, "upper": NUMBER}
    yield (
        "generalization_loss",
        call("generalization_loss", "history", *cells.values()),
        {"source": "history", **cells},
    )


def comparison_calls() -> Iterator[Call]:
    both = {"original": "history", "release": "history"}
    columns = [PRICE, NUMBER]
    for metric in ("total_variation", "information_of_release"):
        yield metric, call(metric, "history", "history", columns), {**both, "columns": columns}
    yield (
        "correlation_change",
        call("correlation_change", "history", "history", PRICE, NUMBER),
        {**both, "first": PRICE, "second": NUMBER},
    )
    for named in ({}, {"most": 9, "permutations": 3, "seed": 2}):
        yield (
            "record_linkage",
            call("record_linkage", "history", "history", MOMENT, columns, **named),
            {**both, "key": MOMENT, "columns": columns, "most": 100, "permutations": 200, "seed": 0, **named},
        )
    for k in (5, 2):
        yield (
            "equivalence_classes",
            call("equivalence_classes", "history", columns, k=k),
            {"source": "history", "columns": columns, "k": k},
        )


#: What the macros on noisy knowledge take by default.
NOISY = {"days": 14, "band": 0.1, "targets": 400, "work": 20_000_000, "seed": 0}


def disclosure_calls() -> Iterator[Call]:
    known = [PRICE, NUMBER]
    given = {"source": "history", "columns": known}
    for metric in ("class_sizes", "information_gain"):
        yield metric, call(metric, "history", known), given
    yield (
        "class_sizes_users",
        call("class_sizes_users", "history", PERSON, known),
        {**given, "user": PERSON},
    )
    searched = {"source": "history", "columns": [MOMENT, ITEM, NUMBER]}
    for metric, settings, others in (
        ("suda", {"max_size": 3, "sampling_fraction": 0.01}, {"max_size": 2, "sampling_fraction": 0.5}),
        ("attribute_sets", {"max_size": 3}, {"max_size": 2}),
        ("minimal_keys", {"max_size": 3, "share": 0.05, "k": 5}, {"max_size": 2, "share": 0.5, "k": 2}),
    ):
        yield metric, call(metric, "history", searched["columns"]), {**searched, **settings}
        yield metric, call(metric, "history", searched["columns"], **others), {**searched, **others}
    for person in (PERSON, None):
        for named in ({}, {"max_size": 2, "missing_tokens": ["a"], "missing_is_value": True}):
            usual = {"max_size": 3, "missing_tokens": list(TOKENS), "missing_is_value": False}
            yield (
                "uniqueness",
                call("uniqueness", "history", person, searched["columns"], **named),
                {**searched, "user": person, **usual, **named},
            )
        linked = {"source": "history", "user": person, "columns": [MOMENT, ITEM]}
        yield "whole_histories", call("whole_histories", *linked.values()), linked
        for named in ({}, {"known": 2, "people": 50, "candidates": 90, "seed": 1}):
            usual = {"known": 4, "people": 10_000, "candidates": 10_000_000, "seed": 0}
            yield (
                "known_whole_records",
                call("known_whole_records", *linked.values(), **named),
                {**linked, **usual, **named},
            )
        noisy: dict[str, Any]
        for noisy in ({}, {"day": MOMENT, "amount": PRICE, "days": 3, "band": 0.2, "targets": 50, "seed": 1}):
            usual = {"day": None, "amount": None, **NOISY}
            yield (
                "noisy_histories",
                call("noisy_histories", "history", person, ITEM, **noisy),
                {"source": "history", "user": person, "item": ITEM, **usual, **noisy},
            )
        for limit in (None, 1_000):
            yield (
                "disclosed_people",
                call("disclosed_people", *linked.values(), NUMBER, pairs=limit),
                {**linked, "forms": [attribute(NUMBER)], "pairs": limit},
            )
    for named in ({}, {"named": ["0 My Number", "1 '"]}):
        yield (
            "direct_identifiers",
            call("direct_identifiers", "history", [MOMENT, ITEM], **named),
            {"source": "history", "columns": [MOMENT, ITEM], **named},
        )
    for noisy in ({}, {"dates": [MOMENT], "numbers": [PRICE], "work": 10**5}):
        yield (
            "noisy_records",
            call("noisy_records", "history", [ITEM, NUMBER], **noisy),
            {"source": "history", "columns": [ITEM, NUMBER], "dates": [], "numbers": [], **NOISY, **noisy},
        )
    for named in ({}, {"l": 2}):
        yield (
            "attribute_disclosure",
            call("attribute_disclosure", "history", ITEM, known, **named),
            {**given, "column": ITEM, "l": None, **named},
        )
    for column in (ITEM, PERSON):  # of several values a user, and of one
        yield (
            "attribute_disclosure_users",
            call("attribute_disclosure_users", "history", PERSON, column, known),
            {**given, "user": PERSON, "column": column},
        )
    yield (
        "hierarchical_closeness",
        call("hierarchical_closeness", "history", "kinds", ITEM, known, ["item", "kind"]),
        {**given, "column": ITEM, "hierarchy": "kinds", "labels": ["item", "kind"]},
    )
    yield (
        "weighted_sizes",
        call("weighted_sizes", "history", NUMBER, [ITEM]),
        {"source": "history", "columns": [ITEM], "weight": NUMBER},
    )
    for named in ({}, {"quantity": NUMBER}):
        yield (
            "population_sizes",
            call("population_sizes", "history", "history", [ITEM], **named),
            {"source": "history", "population": "history", "columns": [ITEM], "quantity": None, **named},
        )
    sizes = {"class_sizes": {}, "weighted_sizes": {"weight": NUMBER}}
    made = {
        name: Sql(f"({render(name, source='history', columns=[ITEM, NUMBER], **more)})")
        for name, more in sizes.items()
    }
    yield (
        "reidentification_risk",
        call("reidentification_risk", "history", [ITEM, NUMBER]),
        {"sizes": made["class_sizes"]},
    )
    yield (
        "individual_risk",
        call("individual_risk", "history", NUMBER, [ITEM, NUMBER]),
        {"sizes": made["weighted_sizes"]},
    )
    for named in ({}, {"quantity": NUMBER}):
        found = {"source": "history", "population": "history", "columns": [ITEM], "quantity": None, **named}
        yield (
            "journalist_risk",
            call("journalist_risk", "history", "history", [ITEM], **named),
            {"sizes": Sql(f"({render('population_sizes', **found)})")},
        )
    context = ["high", "low", 0.01, 150, 0.27]
    names = ("controls", "motives", "prevalence", "acquaintances", "breach")
    yield (
        "plausible_attacks",
        call("plausible_attacks", "history", [ITEM, NUMBER], **dict(zip(names, context, strict=True))),
        {
            "risks": Sql(f"({render('reidentification_risk', sizes=made['class_sizes'])})"),
            **dict(zip(names, context, strict=True)),
        },
    )
    yield (
        "household_risk",
        call("household_risk", "sizes", "class_size", "records"),
        {"source": "sizes", "household": "class_size", "risk": "records"},
    )
    yield (
        "population_uniqueness",
        call("population_uniqueness", "history", [ITEM, NUMBER], 0.1),
        {"sizes": made["class_sizes"], "fraction": 0.1},
    )


CALLS = [
    *attribute_calls(),
    *column_calls(),
    *item_calls(),
    *rate_calls(),
    *comparison_calls(),
    *disclosure_calls(),
]


def open_library() -> Connection:
    connection = duckdb.connect(config={"threads": 1})
    connection.execute(macros.FILE.read_text(encoding="utf-8"))
    return connection


@pytest.fixture
def library() -> Iterator[Connection]:
    """An engine with the macros and the history."""
    with open_library() as connection:
        connection.execute(HISTORY)
        yield connection


@pytest.fixture(scope="module")
def lasting() -> Iterator[Connection]:
    """Such an engine for all tests that only read."""
    with open_library() as connection:
        connection.execute(HISTORY)
        yield connection


@pytest.fixture
def undone(lasting: Connection) -> Iterator[Connection]:
    """Such an engine in which what a test makes is taken back."""
    lasting.execute("BEGIN")
    yield lasting
    lasting.execute("ROLLBACK")


def rows(
    connection: Connection, statement: str, arguments: list[Any] | None = None
) -> tuple[list[str], Rows]:
    """Names and rows of a result."""
    connection.execute(statement, arguments or [])
    names = [column[0] for column in connection.description or []]
    return names, connection.fetchall()


def find_shell() -> str | None:
    """The shell beside this Python, or the one on the path."""
    beside = shutil.which("duckdb", path=str(Path(sys.executable).parent))
    return beside or shutil.which("duckdb")


needs_shell = pytest.mark.skipif(
    find_shell() is None, reason="there is no DuckDB shell: install duckdb-cli or put duckdb on the path"
)


def run_shell(statements: list[str], folder: Path, check: bool = True) -> list[list[dict[str, Any]]]:
    """Run statements in the real shell; what each one that has a result gave. Stops at an error."""
    shell = find_shell()
    assert shell is not None
    script = "\n".join(f"{statement}\n;" for statement in statements)
    done = subprocess.run(
        [shell, "-no-init", "-json", *(["-bail"] if check else [])],
        input=f".read {macros.FILE.as_posix()}\nSET threads = 1;\n{script}\n",
        capture_output=True,
        cwd=folder,
        encoding="utf-8",
        timeout=300,
    )
    if check:
        assert done.returncode == 0, done.stderr
    results, place, decoder = [], 0, json.JSONDecoder(strict=False)
    output = done.stdout.strip()
    while place < len(output):
        result, place = decoder.raw_decode(output, place)
        results.append(result)
        while place < len(output) and output[place].isspace():
            place += 1
    return results


# ------------------------------------------------------------------------------------ the file


def test_the_file_is_what_the_generator_writes() -> None:
    text = macros.FILE.read_text(encoding="utf-8")
    assert text == macros.generate(), "run python -m duckrisk.engine.macros"
    assert text.isascii()


def test_every_metric_has_a_macro_and_is_tried_here(lasting: Connection) -> None:
    found = lasting.execute(
        "SELECT function_name FROM duckdb_functions() "
        "WHERE function_type = 'table_macro' AND database_name = 'temp' AND NOT internal"
    ).fetchall()
    assert {name for (name,) in found} == set(templates.metrics())
    assert {metric for metric, _, _ in CALLS} == set(templates.metrics())


@pytest.mark.slow
def test_risks_of_classes_are_those_of_a_report(tmp_path: Path) -> None:
    """Macros that make their sizes themselves, in an engine that knows nothing but them."""
    people = "SELECT i % 7 AS age, i * i % 5 AS job, 1.5 + i % 3 AS weight FROM range({}) AS numbers (i)"
    for name, many in (("people", 60), ("everybody", 300)):
        duckdb.sql(f"COPY ({people.format(many)}) TO '{tmp_path / name}.parquet' (FORMAT parquet)")
    source, population = (str(tmp_path / f"{name}.parquet") for name in ("people", "everybody"))
    known = ["age", "job"]
    parts = {"only": ["class_sizes"], "quasi_identifiers": known, "user": ""}
    report = duckrisk.assess(source, weight="weight", population=population, **parts).to_dict()
    told = report["class_sizes"]
    shared = duckrisk.assess(source, fraction=0.2, controls="low", **parts).to_dict()
    with open_library() as connection:

        def given(metric: str, *arguments: Any, **named: Any) -> list[dict[str, Any]]:
            names, found = rows(connection, call(metric, *arguments, **named))
            return [dict(zip(names, row, strict=True)) for row in found]

        (risk,) = given("reidentification_risk", source, known)
        (rule,) = (rule for rule in told["rules"] if rule["missing"] == "value")
        assert risk == {name: rule[name] for name in risk}
        (journalist,) = given("journalist_risk", source, population, known)
        assert journalist == {name: told["journalist"][name] for name in journalist}
        (unique,) = given("population_uniqueness", source, known, 0.2)
        uniqueness = shared["class_sizes"]["population_uniqueness"]
        assert unique == {name: uniqueness[name] for name in unique}
        individual = given("individual_risk", source, "weight", known)
        assert max(row["risk"] for row in individual) == told["individual"]["highest_risk"]
        attacks = given("plausible_attacks", source, known, controls="low", motives="high")
        plausible = {attack.pop("attack"): attack for attack in shared["plausible_attacks"]["attacks"]}
        assert {row.pop("attack"): row for row in attacks} == plausible


def test_defaults_are_those_of_the_package() -> None:
    options = Options()
    for name in ("k", "samples", "confidence", "draws", "seed"):
        assert float(macros.DEFAULTS[name]) == getattr(options, name)


@pytest.mark.slow
def test_the_examples_of_the_file_run(lasting: Connection) -> None:
    text = macros.FILE.read_text(encoding="utf-8")
    retail = Path(__file__).parent.parent / "datasets" / "retail.parquet"
    examples = [
        line[2:].strip() for line in text.splitlines() if line.startswith(("--     FROM", "--   FROM"))
    ]
    assert len(examples) > len(templates.metrics())
    for example in thinned(examples):
        assert lasting.execute(example.replace("'retail.parquet'", literal(str(retail)))).fetchall()


@pytest.mark.parametrize(
    "body",
    [
        "{% set a = 1 %}SELECT 1 FROM {{ source | relation }}",
        "SELECT {{ source | identifier }}",
        "SELECT {{ source }}",
        "{% for c in source %}{% endfor %}",
        "{% if source == 'x' %}{% endif %}",
    ],
)
def test_what_a_macro_cannot_do_is_refused(body: str) -> None:
    header = (
        "-- odd\n-- A sentence.\n--\n-- parameter source: relation, the records\n-- column a: BIGINT, n, a\n"
    )
    template = templates.parse("attribute", header + body)
    with pytest.raises(macros.UnsupportedTemplateError):
        macros.compile_metric(template)


# ------------------------------------------------------------------- the same rows as a template


SOME = thinned(CALLS)


@pytest.mark.parametrize(("metric", "statement", "arguments"), SOME, ids=[s[5:90] for _, s, _ in SOME])
def test_a_macro_gives_the_rows_of_its_template(
    lasting: Connection, metric: str, statement: str, arguments: dict[str, Any]
) -> None:
    wanted = rows(lasting, render(metric, **arguments))
    assert wanted[1]
    assert rows(lasting, statement) == wanted


@needs_shell
def test_the_shell_gives_the_rows_of_the_templates(library: Connection, tmp_path: Path) -> None:
    there = ("history", "kinds", "sizes")
    for name in there:
        library.execute(f"COPY {name} TO {literal(str(tmp_path / f'{name}.parquet'))}")
    statements = [f"CREATE TABLE {name} AS FROM '{name}.parquet'" for name in there]
    calls = CALLS if EXAMPLES >= 20 else CALLS[1::4]  # others than above
    for metric, statement, arguments in calls:
        statements += [statement, render(metric, **arguments)]
    results = run_shell(statements, tmp_path)
    assert len(results) == 2 * len(calls)
    for (_, statement, _), given, wanted in zip(calls, results[::2], results[1::2], strict=True):
        assert given == wanted, statement
        assert given


def test_the_order_of_a_result_is_the_template_s(library: Connection) -> None:
    library.execute(
        "CREATE TABLE long AS SELECT i AS person, 'v' || i // 3 AS item FROM range(9000) AS n (i)"
    )
    named = {"source": "long", "user": "person", "attribute": attribute("item"), "most": None}
    wanted = rows(library, render("attribute_values", **named))
    library.execute("SET threads = 4")
    assert rows(library, "FROM attribute_values('long', 'person', 'item')") == wanted


def test_parameters_can_be_bound(lasting: Connection) -> None:
    bound = rows(
        lasting,
        "FROM attribute_risk(?, ?, ?, k := ?, knowledge := ?, argument := ?, also := ?)",
        ["history", "person", "item", 3, "prefix", 6, ["number"]],
    )
    arguments = {"source": "history", "user": "person", "k": 3}
    known = attribute(Part("item", "prefix", 6), "number")
    assert bound == rows(lasting, render("attribute_risk", attributes=[known], **arguments))


# ----------------------------------------------------------------------------------- the sources

#: A source with the statements that make it; {folder} is where files may be written.
SOURCES: list[tuple[str, list[str], str]] = [
    ("table", [], "history"),
    ("table in double quotes", [], '"history"'),
    ("other case", [], "HISTORY"),
    ("view", ["CREATE VIEW seen AS FROM history"], "seen"),
    ("temporary view", ["CREATE TEMP VIEW seen AS FROM history"], "seen"),
    ("reserved word", ['CREATE TABLE "select" AS FROM history'], "select"),
    ("name with blanks", ['CREATE TABLE "my ""own"" table; --" AS FROM history'], 'my "own" table; --'),
    ("name of a CTE", ["CREATE TABLE knowledge AS FROM history"], "knowledge"),
    ("name of a metric", ["CREATE TABLE attribute_risk AS FROM history"], "attribute_risk"),
    ("schema", ["CREATE SCHEMA s", "CREATE TABLE s.t AS FROM history"], "s.t"),
    ("other script", ["CREATE SCHEMA 店", "CREATE TABLE 店.購買履歴 AS FROM history"], "店.購買履歴"),
    ("reserved words", ['CREATE SCHEMA "from"', 'CREATE TABLE "from"."table" AS FROM history'], "from.table"),
    (
        "hostile schema",
        ['CREATE SCHEMA "a.b; ""c"""', 'CREATE TABLE "a.b; ""c"""."d/*.csv" AS FROM history'],
        '"a.b; ""c"""."d/*.csv"',
    ),
    ("catalog", ["CREATE TABLE memory.main.t AS FROM history"], "memory.main.t"),
    ("name of a file", ['CREATE TABLE "t.csv" AS FROM history'], "t.csv"),
    ("parquet", ["COPY history TO '{folder}/h.parquet'"], "{folder}/h.parquet"),
    ("upper case", ["COPY history TO '{folder}/H.PARQUET' (FORMAT parquet)"], "{folder}/H.PARQUET"),
    ("csv", ["COPY history TO '{folder}/h.csv'"], "{folder}/h.csv"),
    ("packed csv", ["COPY history TO '{folder}/h.csv.gz'"], "{folder}/h.csv.gz"),
    ("tsv", ["COPY history TO '{folder}/h.tsv' (DELIMITER '\t')"], "{folder}/h.tsv"),
    ("json", ["COPY history TO '{folder}/h.json'"], "{folder}/h.json"),
    ("ndjson", ["COPY history TO '{folder}/h.ndjson' (FORMAT json)"], "{folder}/h.ndjson"),
    (
        "pattern",
        [
            "COPY (FROM history WHERE number < 2) TO '{folder}/p1.parquet'",
            "COPY (FROM history WHERE number >= 2) TO '{folder}/p2.parquet'",
        ],
        "{folder}/p*.parquet",
    ),
    (
        "hostile path",
        ["""COPY history TO '{folder}/it''s "my" {{file}}; -- 名.parquet'"""],
        """{folder}/it's "my" {{file}}; -- 名.parquet""",
    ),
    (
        "path with signs of a pattern",
        ["COPY history TO '{folder}/w[1]*?.parquet'", "COPY (SELECT 1 AS a) TO '{folder}/w1.parquet'"],
        "{folder}/w[[]1][*][?].parquet",
    ),
]
if os.name == "nt":
    SOURCES = [source for source in SOURCES if "path" not in source[0]]
SHOWN = "FROM attribute_values({source}, 'person', 'item')"


def prepared(statements: list[str], source: str, folder: Path) -> tuple[list[str], str]:
    """The statements and the call of a metric, with the folder in its place."""
    place = folder.as_posix()
    filled = [statement.format(folder=place.replace("'", "''")) for statement in statements]
    return filled, SHOWN.format(source=literal(source.format(folder=place)))


def wanted_rows(connection: Connection) -> Rows:
    named = {"source": "history", "user": "person", "attribute": attribute("item"), "most": None}
    return connection.execute(render("attribute_values", **named)).fetchall()


@pytest.mark.parametrize(("statements", "source"), [s[1:] for s in SOURCES], ids=[s[0] for s in SOURCES])
def test_a_source(undone: Connection, tmp_path: Path, statements: list[str], source: str) -> None:
    setup, shown = prepared(statements, source, tmp_path)
    for statement in setup:
        undone.execute(statement)
    assert undone.execute(shown).fetchall() == wanted_rows(undone)


@needs_shell
def test_sources_in_the_shell(lasting: Connection, tmp_path: Path) -> None:
    script = [HISTORY]
    for number, (_, statements, source) in enumerate(SOURCES):
        folder = tmp_path / str(number)
        folder.mkdir()
        setup, shown = prepared(statements, source, folder)
        # Later sources must not meet the tables of earlier ones.
        script += ["BEGIN", *setup, shown, "ROLLBACK"]
    results = run_shell(script, tmp_path)
    wanted = [list(row) for row in wanted_rows(lasting)]
    assert len(results) == len(SOURCES)
    for (name, _, _), result in zip(SOURCES, results, strict=True):
        assert [list(row.values()) for row in result] == wanted, name


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    """A database file that the older shell reads too, with macros of its own under our names."""
    path = tmp_path / "ware house.duckdb"
    with duckdb.connect() as connection:
        connection.execute(HISTORY)
        connection.execute(f"ATTACH {literal(str(path))} AS w (STORAGE_VERSION 'v1.4.0')")
        connection.execute('CREATE SCHEMA w."my ""s"""')
        for table in ('w."my ""s"""."t; --"', "w.main.t"):
            connection.execute(f"CREATE TABLE {table} AS FROM history")
        connection.execute("CREATE MACRO w.duckrisk_identifier(a) AS 'theirs'")
        connection.execute("CREATE MACRO w.attribute_values(a, b, c) AS TABLE SELECT 'theirs' AS a")
        connection.execute("DETACH w")
    return path


ATTACHED = ["t", "main.t", "w.t", "w.main.t", '"my ""s"""."t; --"', 'w."my ""s"""."t; --"']


def test_an_attached_database(library: Connection, warehouse: Path) -> None:
    before = warehouse.read_bytes()
    library.execute(f"ATTACH {literal(str(warehouse))} AS w (READ_ONLY)")
    wanted = wanted_rows(library)
    library.execute("USE w")
    library.execute(macros.FILE.read_text(encoding="utf-8"))
    for source in ATTACHED:
        assert library.execute(SHOWN.format(source=literal(source))).fetchall() == wanted, source
    library.execute("USE memory")
    library.execute("DETACH w")
    assert warehouse.read_bytes() == before


def test_nothing_is_written_into_an_open_database(warehouse: Path) -> None:
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute(macros.FILE.read_text(encoding="utf-8"))
        assert connection.execute("FROM distinct_values('t', 'item')").fetchall() == [(83, 7)]
    with duckdb.connect(str(warehouse)) as connection:
        ours = "SELECT COUNT(*) FROM duckdb_functions() WHERE NOT internal"
        assert connection.execute(ours).fetchone() == (2,)


@needs_shell
def test_an_attached_database_in_the_shell(lasting: Connection, warehouse: Path, tmp_path: Path) -> None:
    script = [f"ATTACH {literal(str(warehouse))} AS w (READ_ONLY)", "USE w"]
    results = run_shell([*script, *(SHOWN.format(source=literal(s)) for s in ATTACHED)], tmp_path)
    wanted = [list(row) for row in wanted_rows(lasting)]
    assert [[list(row.values()) for row in result] for result in results] == [wanted] * len(ATTACHED)


# --------------------------------------------------------------------------------- hostile names


def hostile_calls(user: str, one: str, *others: str) -> list[str]:
    """Every metric with the names of these columns."""
    little = {"known_records": {"known": 1, "draws": 20}, "attribute_sample": {"samples": 3}}
    also = list(others)
    return [
        *(call(metric, "hostile", user, one, also=also, **little.get(metric, {})) for metric in SETTINGS),
        call("attribute_values", "hostile", None, one),
        call("distinct_values", "hostile", one),
        call("determined_by", "hostile", one, [user, *also]),
        profile_of(user, one, *also),
        *written_calls(user, one, *also),
    ]


def written_calls(user: str, one: str, *others: str) -> list[str]:
    """A name in every place of a statement: a literal, in a list, in a list that is named."""
    return [
        call("attribute_values", "hostile", user, one, knowledge="prefix", argument=6, also=list(others)),
        call("users", "hostile", user, [one, *others]),
    ]


def profile_of(*names: str) -> str:
    return call("profile", "hostile", list(names), texts=list(names[1:2]))


def hostile_table(user: str, one: str, *others: str) -> str:
    numbers = "".join(f", number + {i} AS {identifier(name)}" for i, name in enumerate(others))
    return (
        f"CREATE OR REPLACE TABLE hostile AS "
        f"SELECT person AS {identifier(user)}, item AS {identifier(one)}{numbers} FROM history"
    )


#: Each name in every place, and each together with others for what takes long.
TRIPLES = [(name, NAMES[i - 1], NAMES[i - 2]) for i, name in enumerate(NAMES)]
EIGHTS = [[*NAMES, *NAMES[:7]][i : i + 8] for i in range(0, len(NAMES), 8)]


def test_hostile_names_fit_into_one_table(library: Connection) -> None:
    columns = ", ".join(f"{i} AS {identifier(name)}" for i, name in enumerate(NAMES))
    names, found = rows(library, f"SELECT {columns}")
    library.execute(f"CREATE TABLE all_names AS SELECT {columns}")
    assert len({name.lower() for name in NAMES}) == len(NAMES)
    assert names == NAMES
    assert found == [tuple(range(len(NAMES)))]


PLAIN = ("person", "item", "number", *(f"plain{i}" for i in range(len(NAMES))))


def assert_same_rows(
    library: Connection, names: Sequence[Sequence[str]], calls: Callable[..., list[str]]
) -> None:
    """The rows of calls do not depend on the names."""
    plain = PLAIN[: len(names[0])]
    library.execute(hostile_table(*plain))
    wanted = [rows(library, statement) for statement in calls(*plain)]
    for some in names:
        library.execute(hostile_table(*some))
        for statement, expected in zip(calls(*some), wanted, strict=True):
            assert rows(library, statement) == expected, statement


def test_hostile_columns(library: Connection) -> None:
    """Where examples are few each name has one of the three places; in the shell each has all."""
    assert_same_rows(library, thinned(TRIPLES, 3), written_calls)


@pytest.mark.slow
def test_hostile_columns_in_every_metric(library: Connection) -> None:
    assert {name for some in EIGHTS for name in some} == set(NAMES)
    assert_same_rows(library, thinned(EIGHTS, 4), hostile_calls)


@needs_shell
def test_hostile_columns_in_the_shell(tmp_path: Path) -> None:
    """What the shell adds to the engine is how it reads a statement, whatever the metric."""
    script = [HISTORY]
    for names in (PLAIN[:3], *TRIPLES):
        script += [hostile_table(*names), written_calls(*names)[0]]
    for names in (PLAIN[: len(NAMES)], NAMES):
        script += [hostile_table(*names), profile_of(*names)]
    *results, plain, profile = run_shell(script, tmp_path)
    assert results == [results[0]] * (1 + len(TRIPLES))
    assert profile == plain


def test_hostile_tables(library: Connection) -> None:
    shown = "FROM distinct_values({source}, 'item')"
    wanted = library.execute(shown.format(source="'history'")).fetchall()
    for number, name in enumerate(NAMES):
        schema, table = identifier(name + " s"), identifier(name + " t")
        library.execute(f"CREATE SCHEMA {schema}")
        # Where examples are few each name is written in one of the three ways.
        ways = [table, f"{schema}.{table}", f"memory.{schema}.{table}"]
        for source in ways if EXAMPLES >= 20 else [ways[number % 3]]:
            library.execute(f"CREATE OR REPLACE TABLE {source} AS FROM history")
            assert library.execute(shown.format(source=literal(source))).fetchall() == wanted, source


@pytest.mark.parametrize(
    "missing", thinned(["user_id", "value", "history", "hostile", "duckrisk_source", "a1", "x"], 3)
)
def test_a_missing_column_is_an_error_under_any_name(lasting: Connection, missing: str) -> None:
    for statement in hostile_calls("person", missing, "number"):
        with pytest.raises(duckdb.BinderException):
            lasting.execute(statement.replace("'hostile'", "'history'"))
    for metric in ("determined_by", "users"):
        with pytest.raises(duckdb.BinderException):
            lasting.execute(call(metric, "history", "person", ["item", missing]))


# ------------------------------------------------------------------------------------- injection

PAYLOADS = [
    "x; DROP TABLE keep; --",
    'x"; DROP TABLE keep; --',
    "x'; DROP TABLE keep; --",
    "x'); DROP TABLE keep; --",
    "x\" FROM history; COPY keep TO 'leak.csv'; --",
    '"x"; DROP TABLE keep; --',
    '"x".y; DROP TABLE keep',
    'history" AS h; CREATE TABLE made AS SELECT 1; --',
    "history; CREATE TABLE made AS SELECT 1",
    "(SELECT secret AS person, secret AS item FROM keep)",
    "read_text('keep.txt')",
    'history" UNION ALL SELECT secret, secret FROM keep --',
    "history\n; DROP TABLE keep\n--",
    "' || (SELECT secret FROM keep) || '",
    "1); DROP TABLE keep; --",
    "1 OR TRUE",
    "1 --",
    "\\'; DROP TABLE keep; --",
]


#: Enough for a macro that takes names through the same filters as one that meets all of them; a number that
#: were written as it comes would make a statement that runs.
FEW, FEW_NUMBERS = PAYLOADS[1:3], ["1 OR TRUE"]


def attacks(
    payloads: list[str] | None = None,
    thorough: tuple[str, ...] = ("attribute_risk", "users"),
    metrics: Sequence[str] = tuple(templates.metrics()),
) -> Iterator[str]:
    """Every parameter of these macros with payloads, all of them in some metrics, the others plain."""
    plain: dict[str, Any] = {
        "relation": "history",
        "user": "person",
        "column": "item",
        "columns": ["item"],
        "attribute": "item",
        "attributes": "item",
        "texts": ["item"],
    }
    for metric in map(templates.metrics().__getitem__, metrics):
        parameters = [parameter for parameter, _ in macros.order_parameters(metric)]
        types = {macros.NAMES.get(p.name, p.name): p.type for p in parameters}
        if "attribute" in types:
            types |= {"knowledge": "text", "argument": "number", "also": "columns"}
        numbers = ("periods", "fraction")
        needed = {name: kind for name, kind in types.items() if kind in plain or name in numbers}
        given = {
            name: plain.get(kind, 5)
            for name, kind in needed.items()
            if name not in ("also", "among", "counted", "ordered")
        }
        given |= {name: [] for name in ("nested", "bytes", "numbers", "integers", "dates") if name in given}
        if "levels" in given:
            given["levels"] = ["1,1"]
        if "weight" in given:
            given["weight"] = "records"
        if "risk" in given:
            given["risk"] = "records"
        given |= {p.name: None for p in parameters if p.optional and p.name in ("quantity", "weight")}
        for name, kind in types.items():
            if name in ("missing_tokens", "named", "controls", "motives"):
                continue  # every text may be one; what is no grade makes no row
            if name in ("days", "band") and "dates" in types:
                continue  # not read without dates or numbers; noisy_histories reads both
            few = FEW_NUMBERS if kind in ("integer", "number") else FEW
            for payload in payloads or (PAYLOADS if metric.name in thorough else few):
                choices = given | {name: [payload] if kind in ("columns", "texts") else payload}
                if name in ("nested", "bytes", "numbers", "integers") and "texts" in types:
                    choices |= {"columns": [payload], "texts": []}
                if name == "argument":
                    choices |= {"knowledge": "prefix"}
                if name == "counted" and payloads:
                    choices |= {"counted": "records"}  # a number
                if name == "texts":
                    # A text counts only where it is among the columns.
                    choices |= {"columns": [payload]}
                first, rest = [choices.pop(n) for n in given], choices
                yield call(metric.name, *first, **rest)


@pytest.mark.slow
def test_the_attacks_are_calls_that_work_without_their_payload(library: Connection) -> None:
    """Each fails by its payload alone: with a plain word for it, all but wrong numbers run."""
    sizes = "1 AS class_size, 1.0 AS population_size, 1 AS classes, 1 AS records"
    sizes += ", 0.5 AS average_risk, 1 AS highest_risk"
    sizes += ", person AS user_id, 1 AS number, 0 AS records_before"  # as of ordered_people
    library.execute(f"CREATE TABLE plain AS SELECT person, item, '1' AS plain, {sizes} FROM history")
    ran = 0
    for statement in thinned(attacks(["plain"]), 3):
        try:
            library.execute(statement.replace("'history'", "'plain'")).fetchall()
            ran += 1
        except (duckdb.ConversionException, duckdb.InvalidInputException) as error:
            assert "plain" in str(error) or "knowledge" in str(error)  # noqa: PT017
    assert ran >= (3 if EXAMPLES >= 20 else 1) * len(templates.metrics())


@pytest.mark.slow
def test_an_injection_is_an_error(
    library: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "keep.txt").write_text("secret")
    library.execute("CREATE TABLE keep AS SELECT 42 AS secret")
    tables = library.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()
    count = 0
    for statement in thinned(attacks(), 5):
        count += 1
        with pytest.raises(duckdb.Error):
            library.execute(statement).fetchall()
    assert count > (300 if EXAMPLES >= 20 else 100)
    assert library.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall() == tables
    assert library.execute("FROM keep").fetchall() == [(42,)]
    assert [path.name for path in tmp_path.iterdir()] == ["keep.txt"]


@needs_shell
def test_an_injection_does_nothing_in_the_shell(tmp_path: Path) -> None:
    some = attacks(thorough=("users",), metrics=("users", "attribute_risk", "profile"))
    script = [HISTORY, "CREATE TABLE keep AS SELECT 42 AS secret", *some]
    tables = "SELECT table_name, (SELECT secret FROM keep) AS secret FROM duckdb_tables() ORDER BY 1"
    results = run_shell([*script, tables], tmp_path, check=False)
    there = ("history", "keep", "kinds", "sizes")
    assert results == [[{"table_name": name, "secret": 42} for name in there]]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("FROM attribute_risk(NULL, 'person', 'item')", "source is missing"),
        ("FROM attribute_risk('history', 'person', NULL)", "name is missing"),
        ("FROM attribute_risk('history', 'person', 'item', k := NULL)", "number is missing"),
        ("FROM attribute_risk('history', 'person', 'item', also := [NULL])", "name is missing"),
        ("FROM attribute_risk('history', 'person', 'item', knowledge := 'guess')", "one of exact"),
        ("FROM attribute_risk('history', 'person', 'item', knowledge := NULL)", "one of exact"),
        ("FROM attribute_risk('history', 'person', 'item', knowledge := 'prefix')", "number is missing"),
        ("FROM attribute_risk('history', 'person', 'price', knowledge := 'band')", "not finite"),
        (
            "FROM attribute_risk('history', 'person', 'price', knowledge := 'band', argument := 'inf')",
            "not finite",
        ),
        ("FROM users('history', NULL, ['item'])", "name is missing"),
        ("FROM users('history', 'person', [NULL])", "name is missing"),
        ("FROM distinct_values('history', '')", "zero-length"),
        ("FROM distinct_values('nothing', 'item')", "does not exist"),
        ("FROM distinct_values('history;', 'item')", "does not exist"),
        ("FROM distinct_values('a.b.c.history', 'item')", "does not exist"),
        ("FROM distinct_values('history', 'item' || chr(0))", "unterminated|item"),
    ],
)
def test_a_mistake_is_told(lasting: Connection, statement: str, words: str) -> None:
    with pytest.raises(duckdb.Error, match=words):
        lasting.execute(statement).fetchall()
