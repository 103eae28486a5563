"""Many columns: every statement stays small enough for the engine, and the run ends in time."""

from __future__ import annotations

import re
import time
from pathlib import Path
from unittest import mock

import duckdb
import pytest

import duckrisk
from duckrisk import roles
from duckrisk.decision.assessment.results import Assessment
from duckrisk.engine.session import Session
from duckrisk.roles import RoleOverrides
from duckrisk.source import Request, open_source
from tests.command import table
from tests.opening import records_moved
from tests.tables import EXAMPLES

WIDE = 300 if EXAMPLES >= 20 else 160
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Assessment, float]:
    columns = ", ".join(
        f"'v' || hash(i * {n + 1}) % {n % 50 + 2} AS text_{n}"
        if n % 2
        else f"hash(i + {n}) % {n % 90 + 2} AS number_{n}"
        for n in range(WIDE - 1)
    )
    path = table(
        tmp_path_factory.mktemp("wide") / "wide.parquet",
        f"SELECT 'u' || i % 300 AS customer_id, {columns} FROM range(1000) t(i)",
    )
    started = time.process_time()
    return duckrisk.assess(path, known_records=2), time.process_time() - started


@pytest.mark.slow
def test_it_ends_in_time_and_knows_every_column(report: tuple[Assessment, float]) -> None:
    made, seconds = report
    assert len(made.data["source"]["columns"]) == WIDE
    assert len(made.data["attribute_risk"]) == WIDE - 1
    assert made.data["source"]["users"] == 300
    assert seconds < 120  # of the processor; about 15


def test_no_statement_counts_distinct_values_of_many_columns(
    report: tuple[Assessment, float],
) -> None:
    made, _ = report
    count = re.compile(r"APPROX_COUNT_DISTINCT|COUNT\s*\(\s*DISTINCT", re.IGNORECASE)
    most = max(len(count.findall(statement.sql)) for statement in made.statements)
    assert 1 < most <= 32


def test_a_wide_report_can_be_read(report: tuple[Assessment, float]) -> None:
    made, _ = report
    assert len(made.to_html()) < 3_000_000
    assert len(made.to_markdown()) < 1_000_000
    assert len(made.to_frame()) == WIDE - 1


def test_samples_are_drawn_of_the_most_dangerous(report: tuple[Assessment, float]) -> None:
    made, _ = report
    sampled = [entry["rank"] for entry in made.data["attribute_risk"] if entry["sampled"] is not None]
    assert sampled == list(range(1, 11))
    assert any("Samples were drawn of the 10 most dangerous" in note for note in made.data["source"]["notes"])


def test_a_wide_small_source_in_memory_has_the_same_figures(tmp_path: Path) -> None:
    columns = ", ".join(
        f'CASE WHEN hash(i + {n}) % 4 > 0 THEN \'é\' || hash(i * {n + 3}) % 5 END AS "c {n}""\'"'
        for n in range(40)
    )
    path = table(
        tmp_path / "held.parquet", f"SELECT 'u' || i % 9 AS customer_id, {columns} FROM range(40) t(i)"
    )
    few = {"samples": 0, "known_records": 0, "user": "", "only": ["attribute_risk", "direct_identifiers"]}
    made = []
    for wide in (40, 41):  # of 41 columns that there are
        with (
            mock.patch("duckrisk.roles.profiling.BLOCK_COLUMNS", wide),
            mock.patch("duckrisk.engine.views.BLOCK_COLUMNS", wide),
        ):
            made.append(duckrisk.assess(path, **few))
    held, read = made
    assert held.to_dict() == read.to_dict()
    names = [{statement.name for statement in made.statements} for made in (held, read)]
    assert ["stand_instead" in of_one for of_one in names] == [True, False]


def test_records_keep_their_numbers_in_memory(tmp_path: Path) -> None:
    """A file in parts is read by several threads at once."""
    columns = ", ".join(f"i % {n + 2} AS k{n}" for n in range(70))
    path = tmp_path / "parts.parquet"
    duckdb.execute(
        f"COPY (SELECT i AS id, {columns} FROM range(24000) t(i)) TO '{path}' (ROW_GROUP_SIZE 2048)"
    )
    with Session() as session:
        source = open_source(session, Request(str(path)))
        roles.infer(session, source, RoleOverrides(user=""))
        assert source.is_in_memory
        assert records_moved(session) == 0


@pytest.mark.slow
def test_text_with_many_columns(tmp_path: Path) -> None:
    lines = [",".join(["customer_id", *(f"c{n}" for n in range(300))])]
    lines += [f"{i // 3}," + ",".join(str((i + n) % (n % 7 + 2)) for n in range(300)) for i in range(60)]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n")
    made = duckrisk.assess(tmp_path / "wide.csv", known_records=0, samples=0, only=["attribute_risk"])
    assert len(made.data["attribute_risk"]) == 300


def count_bound_columns(report: Assessment) -> int:
    """Return the number of columns that all statements name, themselves or by a view."""
    views: dict[str, int] = {}
    bound = 0
    for statement in report.statements:
        own = len(re.findall(r"\b[vh]\d+\b", statement.sql))
        bound += own + sum(views.get(word, 0) for word in re.findall(r"\w+", statement.sql))
        if made := re.search(r"CREATE (?:OR REPLACE )?(?:TEMP )?VIEW (?:\w+\.)*(\w+)", statement.sql):
            views[made[1]] = own
    return bound


@pytest.mark.slow
def test_statements_on_sets_bind_the_columns_of_few_sets(tmp_path: Path) -> None:
    """Where the numbers of all columns are not kept, each statement binds those that it reads.

    A view of all columns would be bound in each of them, so that the work grew with their square.
    """
    bound = {}
    for width in (390, 430, 860):
        columns = ", ".join(f"hash(i * {n + 1}) % {n % 50 + 2} AS k{n}" for n in range(width))
        path = table(tmp_path / f"{width}.parquet", f"SELECT {columns} FROM range(200) t(i)")
        with (
            mock.patch("duckrisk.measures.sets.costs.HELD_VALUES", 200 * 410),
            mock.patch("duckrisk.measures.sets.costs.HELD_COLUMNS", 410),
            mock.patch("duckrisk.measures.sets.costs.LISTED_VALUES", 0),
        ):
            bound[width] = count_bound_columns(duckrisk.assess(path, user="", samples=0))
    assert bound[390] < bound[430] < 2.5 * bound[390]
    assert bound[860] < 2**1.1 * bound[430]
