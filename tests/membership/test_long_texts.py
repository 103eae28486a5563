"""Texts of 4 KB in every record, with little memory: measured, or refused by one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import command, table
from tests.tables import thinned

#: 20,000 texts of 4 KB: 80 MB.
TEXTS = "SELECT i % 9 AS age, repeat(md5(CAST(i % {many} AS VARCHAR)), 128) AS note FROM range(20000) t(i)"


@pytest.mark.parametrize(
    "given",
    thinned(
        [
            "synthesize {0} -o s.parquet --memory 150MB",
            "anneal {0} -o a.parquet --memory 150MB",
            "utility {0} {0} --memory 300MB",
        ]
    ),
)
def test_more_categories_than_matrices_hold_are_refused_before_they_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "t.parquet", TEXTS.format(many=20_000))
    made = command("membership", *given.format("t.parquet").split())
    assert made.code == 2, made.err
    assert '20,001 different values, 20,000 of them in "note"' in made.err
