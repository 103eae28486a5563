"""Long texts are written in row groups that fit into the memory, and who lacks memory is told what to do."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import duckdb
import pytest

import duckrisk
from duckrisk.base.errors import format_message
from duckrisk.engine.memory import divide_memory
from duckrisk.engine.templates import catalogue, template_of
from tests.cases import Cases
from tests.command import command, table
from tests.tables import thinned

#: 20,000 texts of 4 KB.
TEXTS = "SELECT i % 90 AS age, repeat(md5(CAST(i AS VARCHAR)), 128) || i AS note FROM range(20000) t(i)"
MEMORY = "200MB"


@pytest.mark.parametrize(("source", "threads"), thinned([("texts.parquet", 1), ("texts.csv", 2)]))
def test_long_texts_are_written_within_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, threads: int
) -> None:
    monkeypatch.chdir(tmp_path)
    if duckdb.__version__ < "2":
        pytest.skip("this DuckDB sizes row groups by records alone")
    path = table(tmp_path / "texts.parquet", TEXTS)
    if source.endswith("csv"):
        duckdb.execute(f"COPY (FROM '{path}') TO '{tmp_path / source}' (HEADER)")
    given = ("--generalize", "age=10", "--memory", MEMORY, "--threads", str(threads))
    made = command("anonymize", source, "-o", "out.parquet", *given)
    assert made.code == 0, made.err
    ((largest, records),) = duckdb.execute(
        "SELECT MAX(bytes), SUM(records) FROM (SELECT ANY_VALUE(row_group_num_rows) AS records, "
        "SUM(total_uncompressed_size) AS bytes FROM parquet_metadata('out.parquet') GROUP BY row_group_id)"
    ).fetchall()
    assert records == 20_000
    assert largest < 200e6 / 4


def test_memory_is_divided_by_hand() -> None:
    """512 MiB of two threads: an eighth of each one's half. A thread has 32 MB or more; one is as two."""
    assert divide_memory("512.0 MiB", 2) == (2, 32 * 2**20)
    assert divide_memory("61.0 MiB", 4) == (1, 61 * 2**20 // 16)
    assert divide_memory("unlimited", 4) == (4, None)


#: Writers of files without texts of the records: numbers of a record, and scores.
SHORT = {"write_records", "write_scores"}


@pytest.mark.slow
def test_every_writer_says_the_size_of_row_groups() -> None:
    """A call that leaves it to the engine writes 122,880 records as one group, however long their texts."""
    writers = {name for name, template in catalogue().items() if re.match(r"\s*COPY \(", template.body)}
    sized = {name for name in writers if any(p.name == "group_bytes" for p in template_of(name).parameters)}
    assert writers - sized == SHORT
    with Cases() as case:
        for path in sorted(Path(duckrisk.__file__).parent.rglob("*.py")):
            calls = [
                node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)
            ]
            for call in calls:
                if call.args and isinstance(call.args[0], ast.Constant) and call.args[0].value in sized:
                    with case(f"{path.name}:{call.lineno}"):
                        assert {keyword.arg for keyword in call.keywords} & {"group_bytes", None}


COMMANDS = ["assess", "init", "advise", "anonymize", "compare", "attack", "membership risks", "pwscup score"]


@pytest.mark.parametrize("name", COMMANDS)
def test_who_lacks_memory_is_told_of_options_that_the_command_has(name: str) -> None:
    named = set(re.findall(r"--[a-z-]+", format_message("session.out_of_memory", limit="")))
    assert named
    text = command(*name.split(), "--help").out
    assert named <= set(re.findall(r"--[a-z-]+", text))
