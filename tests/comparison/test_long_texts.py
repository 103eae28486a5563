"""Texts that fill the memory are compared by digests, with the same figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pytest

import duckrisk
from tests.command import command, table
from tests.tables import EXAMPLES, thinned

#: 20,000 different texts of 4 KB: 80 MB, or fewer where examples are few.
RECORDS = 20_000 if EXAMPLES >= 20 else 8_000
TEXTS = f"SELECT i % 9 AS age, repeat(md5(i || '{{salt}}'), 128) AS note FROM range({RECORDS}) t(i)"
#: Long texts, and none.
MIXED = """
    SELECT i, i % 4 AS age, ['a', 'b'][1 + i % 2] AS sex,
        CASE
            WHEN i % 7 > 0 THEN {beginning} || repeat('word ', i % 5) || i % 11 || repeat(' and so on', 12)
        END AS note
    FROM range(60) t(i)
"""
#: How the texts begin.
BEGINNINGS = {
    "one beginning": "repeat('same beginning ', 80)",
    "longer beginning": "repeat('same beginning ', 6)",
    "set": "'same '",
}
#: What becomes of a text in the release.
RELEASED = {
    "as it is": "note",
    "other texts": "i % 3 || note",
    "short prefix": "CASE WHEN i % 2 = 0 THEN LEFT(note, 2) || '*' ELSE note END",
    "long prefix": "CASE WHEN i % 2 = 0 THEN LEFT(note, 92) || '*' ELSE note END",
    "set": "CASE WHEN i % 3 = 0 AND i % 7 > 0 THEN '{' || note || ', x}' ELSE note END",
    "one beginning": "note || i % 3",
    "longer beginning": "note || i % 3",
    "suppressed": "CASE WHEN i % 2 = 0 THEN '*' ELSE note END",
}


@pytest.mark.slow
def test_texts_that_fill_the_memory_are_compared(tmp_path: Path) -> None:
    for name, salt in (("original", 1), ("release", 2)):
        path = tmp_path / f"{name}.parquet"
        duckdb.sql(f"COPY ({TEXTS.format(salt=salt)}) TO '{path}' (ROW_GROUP_SIZE 2048)")
    given = [tmp_path / "original.parquet", tmp_path / "release.parquet", "--attribute", "note"]
    # DuckDB 1.5 keeps more of a Parquet file.
    memory = f"{RECORDS // 100}MB" if duckdb.__version__ >= "2" else "300MB"
    made = command("compare", *given, "--attribute", "age", "--memory", memory, "--format", "json")
    assert made.code == 0, made.err
    original, release = made.json["tables"]
    assert original["classes"]["unique_records"] == RECORDS
    assert release["information"]["false_cells"] == {"note": RECORDS}


@pytest.mark.parametrize("kind", thinned(RELEASED, 3))
def test_digests_give_the_same_figures(tmp_path: Path, kind: str) -> None:
    rows = MIXED.format(beginning=BEGINNINGS.get(kind, "i * 7 || ' '"))
    original = table(tmp_path / "original.parquet", f"SELECT * EXCLUDE (i) FROM ({rows})")
    release = table(tmp_path / "release.parquet", f"SELECT age, sex, {RELEASED[kind]} AS note FROM ({rows})")
    made: list[dict[str, Any]] = []
    digests = []
    # The risk, which takes most of it, follows from the values that the release still has.
    parts: dict[str, Any] = {} if kind in ("set", "short prefix") else {"only": ["utility", "information"]}
    for share in (1.0, 0.0):
        with mock.patch("duckrisk.source.long_values.MAX_TEXT_SHARE", share):
            report = duckrisk.compare(
                original, release, user="", attributes=["age", "sex", "note"], aligned=True, **parts
            )
        made.append(report.to_dict())
        digests.append(
            any("SHA256" in statement.sql and "COPY" in statement.sql for statement in report.statements)
        )
    assert made[0] == made[1]
    assert digests == [False, kind not in ("long prefix", "set", "one beginning")]
