"""A time limit ends whatever runs: what was found before stands, and it is as it would have been."""

from __future__ import annotations

import contextlib
import itertools
import json
import random
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pandas
import pytest

import duckrisk
from duckrisk.base.errors import SourceError, UsageError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql
from duckrisk.measures.disclosure import attribute_sets, minimal_keys, suda
from duckrisk.measures.sets import costs
from tests.advice.test_advice import advice as advised
from tests.advice.test_advice import people
from tests.lattice_oracle import measured
from tests.tables import thinned

ENDLESS = "SELECT a.range AS n FROM range(100000000) a, range(100000000) b"


# --- the session ---------------------------------------------------------------------------------


def execute(session: Session, sql: str) -> Any:
    return session.run_in_worker(lambda: session._connection.execute(sql).fetchall(), "")


@pytest.mark.parametrize(
    "statement",
    [
        f"CREATE OR REPLACE TEMP TABLE t AS {ENDLESS}",
        f"INSERT INTO t {ENDLESS}",
        f"DELETE FROM t WHERE n < (SELECT sum(n) FROM ({ENDLESS}))",
        f"SELECT sum(n) FROM ({ENDLESS})",
    ],
)
def test_a_statement_is_stopped_and_undone(statement: str) -> None:
    with Session() as session:
        execute(session, "CREATE TEMP TABLE t AS SELECT 7 AS n")
        with session.limit_time(time.monotonic() + 0.2) as block:
            execute(session, statement)
        assert block.is_over
        assert execute(session, "FROM t") == [(7,)]


def test_the_first_moment_ends_nested_blocks() -> None:
    with Session() as session:
        with session.limit_time(time.monotonic() + 3600) as outer:
            with session.limit_time(time.monotonic()) as inner:
                execute(session, "SELECT 1")
            assert inner.is_over
            assert execute(session, "SELECT 1") == [(1,)]
        assert not outer.is_over
        with session.limit_time(time.monotonic() + 0.2) as outer:
            with session.limit_time(time.monotonic() + 3600) as inner:
                execute(session, ENDLESS)
            raise AssertionError("the outer one ended")
        assert (outer.is_over, inner.is_over) == (True, False)
        with session.limit_time(None) as block:
            assert execute(session, "SELECT 1") == [(1,)]
        assert not block.is_over


def test_other_faults_are_no_end_of_time() -> None:
    with Session() as session, pytest.raises(SourceError), session.limit_time(time.monotonic() + 3600):
        session.run("describe", source=Sql("nosuch"))


# --- searches ------------------------------------------------------------------------------------


@contextlib.contextmanager
def time_up_before(name: str, number: int) -> Iterator[None]:
    """Let time be up when a statement is to be run for the so-manieth time."""
    now, begun, real = mock.Mock(return_value=0.0), itertools.count(1), Session.run_in_worker

    def call(session: Session, function: Any, called: str) -> Any:
        if called == name and next(begun) == number:
            now.return_value = 1e9
        return real(session, function, called)

    with mock.patch("time.monotonic", now), mock.patch.object(Session, "run_in_worker", call):
        yield
        assert now() == 1e9, f"{name} was not run so often"


def stopped(measure: Any, *places: tuple[str, int]) -> list[Any]:
    """What is measured where time is up before each of these statements."""
    found = []
    for place in places:
        with time_up_before(*place):
            found.append(measure())
    return found


ROWS = [
    (str(i % 7), str(i * i % 5), None if i % 6 == 0 else str(i // 9), str(i % 11 // 3), str(i % 2))
    for i in range(40)
]
COLUMNS = ("a", "b", "c", "d", "e")


@pytest.fixture
def portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches over sets have several parts, each with several statements."""
    monkeypatch.setattr(costs, "LATTICE_PAIRS", 80)
    monkeypatch.setattr(costs, "LOW_ATTRIBUTES", 2)
    monkeypatch.setattr(costs, "ALL_COMPARED", 0)
    monkeypatch.setattr(costs, "COMPARED_GROUPS", 0)


@pytest.mark.parametrize(
    ("missing", "places"),
    [("none", [("suda_next", 2), ("suda_large", 1)]), ("wildcard", [("agreeing_uniques", 3)])],
)
def test_suda_keeps_what_it_found(
    tmp_path: Path, portions: None, missing: str, places: list[tuple[str, int]]
) -> None:
    def measure() -> dict[str, Any]:
        return measured(suda.measure, tmp_path, COLUMNS, ROWS, missing=missing, time_limit=1e6)

    whole = measure()
    known = {tuple(one["attributes"]): one["minimal_uniques"] for one in whole["sets"]}
    for section in stopped(measure, *places):
        assert (section["complete"], section["limit"]) == (False, "time_limit")
        assert section["minimal_uniques"] < whole["minimal_uniques"]
        assert all(one["minimal_uniques"] <= known[tuple(one["attributes"])] for one in section["sets"])


@pytest.mark.parametrize(
    ("missing", "places"),
    thinned(
        [("value", [("set_large", 3)]), ("none", [("set_large", 3)]), ("wildcard", [("agreeing_counted", 3)])]
    ),
)
def test_attribute_sets_are_counted_whole_or_not(
    tmp_path: Path, portions: None, missing: str, places: list[tuple[str, int]]
) -> None:
    def measure() -> dict[str, Any]:
        return measured(attribute_sets.measure, tmp_path, COLUMNS, ROWS, missing=missing, time_limit=1e6)

    whole = measure()
    known = {tuple(one["attributes"]): one for one in whole["sets"]}
    for section in stopped(measure, *places):
        assert (section["complete"], section["limit"]) == (False, "time_limit")
        assert 0 < section["sets_examined"] < len(known)
        assert all(one == known[tuple(one["attributes"])] for one in section["sets"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("missing", "check"), thinned([("value", "key_check"), ("wildcard", "agreeing_check")])
)
def test_keys_that_were_found_are_keys(tmp_path: Path, portions: None, missing: str, check: str) -> None:
    rows = [(*row, str(number // 3)) for number, row in enumerate(ROWS)]

    def measure() -> dict[str, Any]:
        return measured(
            minimal_keys.measure, tmp_path, (*COLUMNS, "f"), rows, missing=missing, share=0.3, time_limit=1e6
        )

    whole = measure()
    assert (whole["complete"], whole["keys_complete"]) == (True, True)
    early, later = stopped(measure, (check, 10), ("set_figures", 2))
    assert (early["keys_limit"], early["limit"]) == ("time_limit", "time_limit")
    assert (later["keys_limit"], later["limit"], later["keys"]) == (None, "time_limit", whole["keys"])
    assert (early["max_size"], later["max_size"]) == (0, 1)
    for section in (early, later):
        for listed in ("keys", "singling_out", "below_k"):
            assert all(one in whole[listed] for one in section[listed])


def frame(count: int = 300) -> pandas.DataFrame:
    draw = random.Random(1)
    rows = [
        (
            str(draw.randrange(9)),
            str(draw.randrange(20)),
            draw.choice([None, *"abcdef"]),
            draw.randrange(60),
            str(draw.randrange(2)),
            str(number % 90),
        )
        for number in range(count)
    ]
    return pandas.DataFrame(rows, columns=[*COLUMNS, "f"])


@pytest.mark.parametrize(
    ("user", "place"),
    thinned(
        [
            ("", ("pair_classes", 1)),
            ("", ("closure_sets", 1)),
            ("", ("examine_sets", 4)),
            ("", ("require", 1)),
            ("f", ("examine_sets", 4)),
        ]
    ),
)
def test_who_is_singled_out_is_so_in_time(tmp_path: Path, user: str, place: tuple[str, int]) -> None:
    whole, right = _whole(user)
    assert whole["complete"]
    ((found, lines),) = stopped(lambda: _assessed(tmp_path, user), place)
    assert (found["complete"], found["limit"]) == (False, "time_limit")
    assert 0 < found["unknown"] <= len(lines)
    for (singled_out, *how), expected in zip(lines, right, strict=True):
        if singled_out is None:
            assert expected[1] <= found["unknown_ease_at_most"] * (1 + 1e-9)
        else:
            exactly = 3 if found["ties_complete"] else 2
            assert (singled_out, *how)[:exactly] == expected[:exactly]


@pytest.mark.slow
def test_the_search_for_users_ends_alone(tmp_path: Path) -> None:
    whole, _ = _assessed(tmp_path, "f", what_if=False)
    ((found, _),) = stopped(lambda: _assessed(tmp_path, "f", what_if=False), ("users_missing", 1))
    assert (found["complete"], found["users"]["complete"]) == (True, True)
    assert found == whole  # what tells the outcome is no search
    ((found, _),) = stopped(lambda: _assessed(tmp_path, "f", what_if=False), ("rename_column", 2))
    assert (found["complete"], found["users"]["complete"]) == (True, False)
    assert found["users"]["limit"] == "time_limit"


@pytest.mark.parametrize("place", thinned([("questions", 1), ("totals_without", 1), ("combinations", 2)]))
def test_what_would_help_is_said_to_be_unknown(tmp_path: Path, place: tuple[str, int]) -> None:
    whole, _ = _whole("")
    ((found, _),) = stopped(lambda: _assessed(tmp_path, ""), place)
    assert (found["complete"], found["coarser"]) == (True, [])
    assert whole["coarser"]
    touched = ("attributes", "coarser", "other_missing_mode")
    assert all(found[key] == whole[key] for key in whole if key not in touched)
    assert any("Time ended before it was known what would reduce" in note for note in _notes)


_numbers = itertools.count()
#: Of the last assessment.
_notes: list[str] = []


@cache
def _whole(user: str) -> tuple[dict[str, Any], list[Any]]:
    """The same where no time ends."""
    with tempfile.TemporaryDirectory() as folder:
        return _assessed(Path(folder), user)


def _assessed(folder: Path, user: str, what_if: bool = True) -> tuple[dict[str, Any], list[Any]]:
    """The section, and how each record is singled out."""
    with mock.patch.multiple(costs, BATCH_PAIRS=700, REQUIRED_SHARE=2, REQUIRED_SETS=0):
        return _measured(folder, user, what_if)


def _measured(folder: Path, user: str, what_if: bool) -> tuple[dict[str, Any], list[Any]]:
    path = folder / f"outcomes{next(_numbers)}.parquet"
    report = duckrisk.assess(
        frame(),
        user=user,
        roles=dict.fromkeys(COLUMNS, "attribute"),
        levels={name: (1, 1 + place % 3) for place, name in enumerate(COLUMNS)},
        only=("identifiability",),
        what_if=what_if,
        records=path,
        time_limit=1e6,
    )
    columns = "singled_out, ease, list_sort(attributes)"
    lines = duckdb.execute(f"SELECT {columns} FROM read_parquet(?) ORDER BY record", [str(path)])
    _notes[:] = report.data["source"]["notes"]
    return json.loads(report.to_json())["identifiability"], lines.fetchall()


@pytest.mark.slow
def test_advice_ends_at_the_best_so_far() -> None:
    whole = advised(people(40), steps=2)
    (early, later) = stopped(lambda: _tried(time_limit=1e6), ("examine_sets", 1), ("examine_sets", 12))
    assert "before the risk of the unchanged table was known" in early
    assert later.stop_reason == "time_limit"
    assert later.lines[:-1] == whole.lines[: len(later.lines) - 1]


def _tried(**options: Any) -> Any:
    try:
        return advised(people(40), steps=2, **options)
    except UsageError as error:
        return str(error)
