"""Metrics whose own statement no command runs: what algorithms give in its place is the same."""

from __future__ import annotations

import ast
import itertools
import math
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import duckrisk
from duckrisk.engine import templates
from duckrisk.engine.templates import Sql, render, render_from_records
from duckrisk.measures.sets import costs, encoding
from tests import tables
from tests.disclosure import test_attribute_sets, test_minimal_keys, test_suda
from tests.lattice_oracle import TOKEN, Drawn, drawn_tables, of_statement, tables_of_words
from tests.tables import EXAMPLES, LIGHTER
from tests.test_sql_files import PACKAGE

LEVELS = ((1, 1), (2, 1), (1, 3), (3, 1), (2, 2))
#: More than any table here has.
ALL = 9
#: What is held below, with what.
HELD = {
    "records": ("class_sizes", "weighted_sizes", "population_sizes"),
    "sets": ("attribute_sets", "minimal_keys", "suda", "identifiability", "uniqueness"),
    "users": ("class_sizes_users", "attribute_disclosure_users", "uniqueness"),
    "releases": ("total_variation", "information_of_release", "correlation_change"),
}
#: What is held against the same oracle as the algorithm, in the tests of its room.
BY_ORACLE = ("record_linkage", "item_similarity", "association_rules_loss")
#: An example is a whole assessment.
FEW = settings(LIGHTER, max_examples=4 if EXAMPLES >= 20 else 2, phases=[Phase.generate])
#: The functions that statements are run by.
CALLS = ("run", "fetch_row", "arrays", "render", "_render_subquery")
#: Called by a name that is put together, or as the relation of another statement.
RUN = (
    *(
        "attribute_risk",
        "attribute_risk_approximate",
        "individual_risk",
        "hierarchical_closeness",
        "top_items",
    ),
    *("association_rules", "association_rules_of_three", "cross_table_loss", "group_means_loss"),
)


def rows_of(name: str, **arguments: Any) -> list[dict[str, Any]]:
    """What the one statement says, in an engine of its own."""
    with tables.connect(threads=1) as connection:
        connection.execute(render_from_records(name, arguments))
        names = [column[0] for column in connection.description or []]
        return [dict(zip(names, row, strict=True)) for row in connection.fetchall()]


def same(found: dict[str, Any], told: dict[str, Any]) -> None:
    """Raise where a figure of the statement is not that of the report."""
    for name, value in found.items():
        if isinstance(value, float) and told[name] is not None:
            assert math.isclose(value, told[name], rel_tol=1e-9, abs_tol=1e-12), (name, value, told[name])
        else:
            assert value == told[name], (name, value, told[name])


class Case:
    """A table as a file, and its assessment with a missing cell as a value."""

    def __init__(self, drawn: Drawn, folder: Path, **options: Any) -> None:
        self.path = str(folder / "records.parquet")
        self.columns = [f"a{place}" for place in range(drawn.count)]
        numbers = range(len(drawn.rows))
        rows = [(drawn.users[n], *row, 1.5 + n % 3) for n, row in zip(numbers, drawn.whole, strict=True)]
        with duckdb.connect() as connection:
            kinds = {"who": "VARCHAR", **dict.fromkeys(self.columns, "VARCHAR"), "weight": "DOUBLE"}
            tables.make(connection, kinds, rows)
            connection.execute(f"COPY t TO '{self.path}' (FORMAT parquet)")
        self.user = "who" if drawn.several else None
        roles = dict.fromkeys(self.columns, "attribute")
        unused = ["weight"] if self.user else ["weight", "who"]
        word = mock.patch.object(encoding, "WORD_BITS", drawn.word)
        low = mock.patch.object(costs, "LOW_ATTRIBUTES", drawn.low)
        with word, low:
            self.data = duckrisk.assess(
                self.path, user=self.user or "", roles=roles, ignore=unused, missing="value",
                missing_tokens=[TOKEN], samples=0, known_records=0,
                **{"quasi_identifiers": self.columns, **options},
            ).to_dict()  # fmt: skip

    def rule(self, unit: str) -> dict[str, Any]:
        """The class sizes of records or users, a missing cell being a value."""
        rules: list[dict[str, Any]] = self.data["class_sizes"][unit]
        return next(rule for rule in rules if rule["missing"] == "value")


def words() -> st.SearchStrategy[Drawn]:
    """Tables of one record, of duplicates, of texts that look alike, and of two words; some of users."""
    return drawn_tables() | tables_of_words()


def of_records(drawn: Drawn) -> Drawn:
    return Drawn(drawn.rows, [str(n) for n in range(len(drawn.rows))], False, drawn.word, drawn.low)


@FEW
@given(words())
def test_sizes_of_classes(drawn: Drawn) -> None:
    with tempfile.TemporaryDirectory() as folder:
        weights = {"weight": "weight", "population": f"{folder}/records.parquet"}
        case = Case(of_records(drawn), Path(folder), only=["class_sizes"], **weights)
        shared = {"source": case.path, "columns": case.columns}
        (risk,) = rows_of("reidentification_risk", **shared)
        same(risk, case.rule("rules"))
        sizes = of_statement("class_sizes", Path(case.path), case.columns)
        assert {row["class_size"]: row["share_below"] for row in sizes} == {
            row["class_size"]: pytest.approx(
                sum(r["records"] for r in sizes if r["class_size"] < row["class_size"]) / risk["records"]
            )
            for row in sizes
        }
        for below in case.rule("rules")["below"]:
            under = [row["records"] for row in sizes if row["class_size"] < below["class_size"]]
            assert below["records"] == sum(under)
        individual = rows_of("individual_risk", **shared, weight="weight")
        assert (
            max(row["risk"] for row in individual) == case.data["class_sizes"]["individual"]["highest_risk"]
        )
        population = {"population": case.path, "quantity": None}
        (journalist,) = rows_of("journalist_risk", **shared, **population)
        same(journalist, case.data["class_sizes"]["journalist"])


@pytest.mark.slow
@FEW
@given(words())
def test_sets_of_attributes(drawn: Drawn) -> None:
    with tempfile.TemporaryDirectory() as folder:
        levels = dict(zip((f"a{n}" for n in range(drawn.count)), LEVELS, strict=False))
        parts = ["attribute_sets", "minimal_keys", "suda", "identifiability", "uniqueness"]
        case = Case(
            of_records(drawn), Path(folder), only=parts, levels=levels, max_size=ALL, share=0.3,
            class_sizes=[2], what_if=False,
        )  # fmt: skip
        path, data = Path(case.path), case.data
        if data["attribute_sets"] is not None:
            known = data["attribute_sets"]["attributes"]
            test_attribute_sets.same_as_the_statement(data["attribute_sets"], path, known, ALL)
            test_suda.same_as_the_statement(data["suda"], path, known, ALL)
            test_minimal_keys.same_as_the_statement(data["minimal_keys"], path, known, ALL)
        same_risks(case)
        same_facts(case, None)


def same_risks(case: Case) -> None:
    section = case.data["identifiability"]
    chosen = section["attributes"]
    rows = rows_of(
        "identifiability", source=case.path, columns=[entry["attribute"] for entry in chosen],
        levels=[f"{entry['economic']},{entry['psychological']}" for entry in chosen],
        missing_tokens=[TOKEN], missing_is_value=True, base=section["base"],
    )  # fmt: skip
    assert len(rows) == section["singled_out"]
    assert math.isclose(math.fsum(row["ease"] for row in rows), section["total_ease"], abs_tol=1e-9)
    eases = Counter(round(row["ease"], 9) for row in rows)
    told = {round(entry["ease"], 9): entry["records"] for entry in section["distribution"] if entry["ease"]}
    assert eases == told


def same_facts(case: Case, user: str | None) -> None:
    section = case.data["uniqueness"]
    if not section["attributes"]:
        return
    rows = rows_of(
        "uniqueness", source=case.path, user=user, columns=section["attributes"], max_size=4,
        missing_tokens=[TOKEN], missing_is_value=True,
    )  # fmt: skip
    for facts in section["facts"]:
        every = [row for row in rows if len(row["attributes"]) == facts["facts"]]
        assert facts["worst"]["people"] == max(row["people"] for row in every)
        mean = math.fsum(row["share"] for row in every) / len(every)
        assert math.isclose(facts["typical"], mean, rel_tol=1e-9, abs_tol=1e-12)


@FEW
@given(words().filter(lambda drawn: drawn.count > 1))
def test_users(drawn: Drawn) -> None:
    named = Drawn(drawn.rows, [f"u{n // 2}" for n in range(len(drawn.rows))], True, drawn.word, drawn.low)
    with tempfile.TemporaryDirectory() as folder:
        *known, sensitive = (f"a{place}" for place in range(named.count))
        parts = ["class_sizes", "attribute_disclosure", "uniqueness"]
        case = Case(named, Path(folder), only=parts, quasi_identifiers=known, sensitive=[sensitive])
        of_users = {"source": case.path, "user": "who", "columns": known}
        sizes = Sql(f"({render('class_sizes_users', **of_users)})")
        (risk,) = rows_of("reidentification_risk", sizes=sizes)
        same(risk, case.rule("rules" if case.data["class_sizes"]["users"] is None else "users"))
        for entry in case.data["attribute_disclosure"]["attributes"]:
            (disclosed,) = rows_of("attribute_disclosure_users", **of_users, column=sensitive)
            if not entry["ordered"]:  # the statement takes texts in their order, the report does not
                disclosed.pop("ordered_t")
            same(disclosed, entry)
        same_facts(case, "who")


CELLS = st.sampled_from(["a", "b", "é", "e\u0301", None])
NUMBERS = st.none() | st.integers(-3, 3)


@pytest.mark.slow
@FEW
@given(
    st.lists(st.tuples(CELLS, CELLS, NUMBERS, NUMBERS), min_size=1, max_size=9), st.sets(st.integers(0, 17))
)
def test_releases(rows: list[tuple[Any, ...]], stars: set[int]) -> None:
    """Some texts are * in the release, and every other number is that of the record before: of one that is
    nowhere in the original a comparison says that it covers nothing, and the statement takes it as it is."""
    released = [
        (
            *("*" if 2 * n + place in stars else row[place] for place in (0, 1)),
            *(row[2], rows[n - n % 2][3]),
        )
        for n, row in enumerate(rows)
    ]  # fmt: skip
    kinds = {"a": "VARCHAR", "b": "VARCHAR", "x": "INTEGER", "y": "INTEGER"}
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/{name}.parquet" for name in ("original", "release")]
        with duckdb.connect() as connection:
            for file, records in zip(files, (rows, released), strict=True):
                tables.make(connection, kinds, records)
                connection.execute(f"COPY t TO '{file}' (FORMAT parquet)")
        report = duckrisk.compare(
            files[0], files[1], user="", aligned=True, only=["information", "utility"],
            roles=dict.fromkeys(kinds, "attribute"),
        )  # fmt: skip
        (_, release) = report.to_dict()["tables"]
        both = {"original": files[0], "release": files[1]}
        utility, information = release["utility"], release["information"]
        for pair in utility["correlations"]:
            first, second = pair["attributes"]
            (found,) = rows_of("correlation_change", **both, first=first, second=second)
            found["original"] = found.pop("original_correlation")
            same(found, pair)
        if not information["valid"] or any(None in row[:2] for row in rows):
            return  # the statement takes a release at its word, and cells for values or *
        for table in utility["cross_tables"]:
            if {*table["attributes"]} == {"a", "b"} and not stars:
                (found,) = rows_of("total_variation", **both, columns=["a", "b"])
                same({name: found[name] for name in ("total_variation", "largest_difference")}, table)
        (told,) = rows_of("information_of_release", **both, columns=["a", "b", "x", "y"])
        same({"information": told["information"]}, information)


@pytest.mark.slow
def test_every_such_metric_is_held_here() -> None:
    """Its header names the statements that commands run instead; a metric that they run is quoted there."""
    called = {
        node.args[0].value
        for path in PACKAGE.rglob("*.py")
        if "report" not in path.parts
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in CALLS
    }  # fmt: skip
    never = templates.metrics().keys() - called - set(RUN)
    assert never == {*itertools.chain(*HELD.values()), *BY_ORACLE}
    instead = {name: template.facts.get("instead", "") for name, template in templates.catalogue().items()}
    assert {name for name, named in instead.items() if named} == never
    assert {name for named in instead.values() for name in named.split(", ") if name} <= instead.keys()
