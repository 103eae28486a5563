"""Large cells: how much memory a run takes at most, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import oracle
from tests.command import command, environment, table

MEGABYTE = 1024 * 1024
#: What a run may take beside the largest row group of its source.
ROOM = 300 * MEGABYTE
#: 20 records of 7 persons; a row group of 20 MB.
CELLS = """
    SELECT i % 7 AS customer_id, i % 3 AS item, md5(CAST(i % 11 AS VARCHAR)) || repeat('x', 1000000) AS note
    FROM range(20) AS r(i)
"""


@pytest.fixture
def large(tmp_path: Path) -> Path:
    return table(tmp_path / "large.parquet", CELLS)


def peak_memory(*arguments: object, folder: Path) -> int:
    """The bytes that the real command had in memory at most; it has to succeed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "duckrisk", *map(str, arguments)],
        cwd=folder,
        env=environment(DUCKRISK_TEMP=str(folder)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said
    return used.ru_maxrss * 1024


@pytest.mark.slow
def test_large_cells_are_not_multiplied(large: Path, tmp_path: Path) -> None:
    parts = [f"--only={part}" for part in ("attribute_risk", "identifiability", "direct_identifiers")]
    given = ["--level", "note=2,1", "--level", "item=1,1", "--memory", "500MB", "-o", "r.json", "--quiet"]
    taken = peak_memory("assess", large, *parts, *given, folder=tmp_path)
    assert taken < 20_000_000 + ROOM, taken / MEGABYTE
    measured = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert measured["known_records"]
    assert measured["identifiability"]


def test_identifiers_are_found_among_long_texts(tmp_path: Path) -> None:
    cells = "CASE WHEN i % 3 = 0 THEN 'person' || i || '@example.org' ELSE repeat('words ', 1000) || i END"
    source = table(
        tmp_path / "mails.parquet", f"SELECT i % 9 AS user, {cells} AS note FROM range(90) AS r(i)"
    )
    result = command("assess", source, "--user", "user", "--only", "direct_identifiers", "--format", "json")
    (found,) = result.json["direct_identifiers"]["found"]
    assert (found["column"], found["kind"]) == ("note", "e-mail address")
    assert found["valid_cells"] == 30


def test_long_texts_are_told_apart_by_all_of_them(tmp_path: Path) -> None:
    """Texts that differ in their last character only, a short one that looks like a digest, and none."""
    long = "".join(chr(0x4E00 + place) for place in range(400))
    digest = "SHA-256 0123456789abcdef0123456789abcdef0123456789abcdef"
    cells = [long, long + "a", long + "b", digest, "short", None]
    rows = [(number % 4, cells[number * number % 6]) for number in range(60)]
    (tmp_path / "rows.json").write_text(
        "".join(json.dumps({"user": user, "note": cell}) + "\n" for user, cell in rows), encoding="utf-8"
    )
    result = command(
        "assess", tmp_path / "rows.json", "--user", "user", "--attribute", "note", "--format", "json"
    )
    (entry,) = result.json["attribute_risk"]
    assert entry["distinct_values"] == len({cell for _, cell in rows} - {None})
    assert entry["mean_risk"] == pytest.approx(float(oracle.risk(oracle.complete(rows))), abs=1e-12)
    known = {line["known_records"]: line for line in result.json["known_records"]}
    assert known[2]["risk"] == pytest.approx(float(oracle.known_records(rows, 2).risk), abs=0.05)
    shown = command(
        "sql", "show", "attribute_risk", tmp_path / "rows.json", "--user", "user", "--attribute", "note"
    )
    assert "SHA256" in shown.out  # else nothing of this was tried
