"""Large cells: how much memory a run takes at most, each in a process of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests import oracle
from tests.command import command, environment, table
from tests.measured import measured
from tests.tables import thinned

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
    command_line = [sys.executable, "-m", "duckrisk", *map(str, arguments)]
    run = measured(command_line, folder, environment(DUCKRISK_TEMP=str(folder)))
    assert run.code == 0, run.err
    return int(run.peak * MEGABYTE)


@pytest.mark.slow
def test_large_cells_are_not_multiplied(large: Path, tmp_path: Path) -> None:
    parts = [f"--only={part}" for part in ("attribute_risk", "identifiability", "direct_identifiers")]
    given = ["--level", "note=2,1", "--level", "item=1,1", "--memory", "500MB", "-o", "r.json", "--quiet"]
    taken = peak_memory("assess", large, *parts, *given, folder=tmp_path)
    assert taken < 20_000_000 + ROOM, taken / MEGABYTE
    measured = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert measured["known_records"]
    assert measured["identifiability"]


@pytest.mark.slow
def test_many_attributes_are_counted_one_by_one_where_memory_is_short(tmp_path: Path) -> None:
    """Sixteen in one statement take more than the limit, one takes less."""
    cells = ", ".join(
        f"CASE WHEN hash(i * {n}) % {n + 3} > 0 THEN 'v' || hash(i * {n} + 1) % {n % 7 + 2} END AS c{n}"
        for n in range(1, 66)
    )
    source = table(tmp_path / "wide.parquet", f"SELECT i % 300 AS user, {cells} FROM range(800) AS r(i)")
    given = [
        "assess",
        source,
        "--user",
        "user",
        "--only",
        "attribute_risk",
        "--format",
        "json",
        "--threads",
        "2",
        "--known-records",
        "0",
        "--samples",
        "0",
    ]
    short, roomy = command(*given, "--memory", "64MB"), command(*given)
    assert short.json["attribute_risk"] == roomy.json["attribute_risk"]
    assert len(short.json["attribute_risk"]) == 65


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


#: 20 records with a list, bytes and JSON of a megabyte each.
NESTED = """
    SELECT i % 7 AS customer_id, i % 3 AS item,
        ['a' || i % 11, repeat('x', 1000000)] AS words,
        CAST('b' || i % 5 || repeat('y', 1000000) AS BLOB) AS bytes,
        CAST('{"c": "' || i % 4 || repeat('z', 1000000) || '"}' AS JSON) AS tree
    FROM range(20) AS r(i)
"""
#: Short texts, and three that are longer than all others together.
FEW_LARGE = """
    SELECT i % 700 AS customer_id,
        CASE WHEN i % 4000 = 7 THEN i || repeat('x', 4000000) ELSE 'w' || i % 50 END AS note
    FROM range(12000) AS r(i)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "group"), [(NESTED, 61), (FEW_LARGE, 13)])
def test_large_cells_of_any_kind_are_not_multiplied(rows: str, group: int, tmp_path: Path) -> None:
    source = table(tmp_path / "rows.parquet", rows)
    given = ["--only=attribute_risk", "--show-values", "-o", "r.json", "--quiet", "--threads=1"]
    taken = peak_memory("assess", source, "--user=customer_id", *given, folder=tmp_path)
    assert taken < group * 1_000_000 + 200 * MEGABYTE, taken / MEGABYTE
    entries = {
        one["attribute"]: one for one in json.loads((tmp_path / "r.json").read_text())["attribute_risk"]
    }
    if rows is NESTED:
        different = {"words": 11, "bytes": 5, "tree": 4, "item": 3}
        assert {name: one["distinct_values"] for name, one in entries.items()} == different
        assert entries["tree"]["values"][0]["value"].startswith('{"c": "')
    else:
        assert entries["note"]["distinct_values"] == 53
        shown = entries["note"]["values"][0]["value"]
        assert shown.startswith(("7xx", "4007xx", "8007xx"))
        assert len(shown) < 5_000


@pytest.mark.slow
def test_threads_that_read_in_turn_do_not_each_keep_what_they_read(tmp_path: Path) -> None:
    rows = "SELECT i % 7 AS customer_id, i % 9 || repeat('x', 5000000) AS note FROM range(20) AS r(i)"
    source = table(tmp_path / "rows.parquet", rows)
    given = ["--user=customer_id", "--only=attribute_risk", "-o", "r.json", "--quiet", "--threads=2"]
    taken = peak_memory("assess", source, *given, folder=tmp_path)
    beside = 180 if duckdb.__version__ >= "2" else 240  # DuckDB 1.5 keeps more of a Parquet file
    assert taken < 100_000_000 + beside * MEGABYTE, taken / MEGABYTE


@pytest.mark.slow
@pytest.mark.parametrize("asked", thinned(["compare", "advise"]))
def test_two_tables_of_large_cells(asked: str, large: Path, tmp_path: Path) -> None:
    given = [large] if asked == "compare" else ["--level=note=2,1", "--level=item=1,1", "--steps=1"]
    taken = peak_memory(asked, large, *given, "-o", "r.json", folder=tmp_path)
    assert taken < 20_000_000 + 200 * MEGABYTE, taken / MEGABYTE


def _written(path: Path, rows: list[tuple[object, ...]]) -> Path:
    text = "".join(json.dumps({"user": user, "note": note}) + "\n" for user, note in rows)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_release_with_sets_of_large_texts_is_compared_by_whole_texts(tmp_path: Path) -> None:
    first, second = "a" * 11_000, "b" * 11_000
    original = _written(tmp_path / "o.json", [(i % 4, (first, second, "c")[i % 3]) for i in range(12)])
    held = _written(
        tmp_path / "h.json",
        [(i % 4, ("{" + first + ", " + second + "}", "c")[i % 3 == 2]) for i in range(12)],
    )
    same = [{**one["information"]} for one in compared(original, original)]
    assert same[1]["information"] == 1
    sets = compared(original, held)[1]["information"]
    assert sets["valid"]
    assert not sets["false_cells"]


def compared(original: Path, release: Path) -> list[dict[str, Any]]:
    given = ["--user", "user", "--attribute", "note", "--only", "information", "--format", "json"]
    tables: list[dict[str, Any]] = command("compare", original, release, *given).json["tables"]
    return tables


def test_more_of_a_text_can_be_known_than_is_carried(tmp_path: Path) -> None:
    cells = ["x" * 5_000 + letter + "y" * 6_000 for letter in "abc"]
    source = _written(tmp_path / "rows.json", [(i % 4, cells[i % 3]) for i in range(12)])
    attributes = ["--attribute", "note.prefix(5001)", "--attribute", "note.prefix(5000)"]
    result = command("assess", source, "--user", "user", *attributes, "--format", "json")
    counts = {one["attribute"]: one["distinct_values"] for one in result.json["attribute_risk"]}
    assert counts == {"note.prefix(5001)": 3}  # the other is constant, and set aside
