"""Numbers of rows are the same whether they are held as whole numbers or as texts."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import duckrisk
from tests.cases import Cases
from tests.tables import thinned

#: What the cells of 480 rows are, and whether these number the rows.
CELLS: dict[str, tuple[Callable[[int], int], bool]] = {
    "from 1": (lambda row: row + 1, True),
    "from 0": (lambda row: row, True),
    "mixed": (lambda row: random.Random(1).sample(range(480), 480)[row], True),
    "one left out": (lambda row: row + 1 + (row > 200), False),
    "a clinic's": (lambda row: 100_000 + 7 * row, False),
}


def _seen(name: str, cells: list[Any]) -> tuple[Any, ...]:
    others = {"sex": ["MF"[row % 2] for row in range(480)], "ward": ["ABC"[row % 3] for row in range(480)]}
    asked: dict[str, Any] = {"only": ["uniqueness", "direct_identifiers"]}
    result = duckrisk.assess(pd.DataFrame({name: cells, **others}), **asked)
    first = result.source.columns[0]
    return result.verdict.outcome, first.role, first.kind, first.confidence, result.source.user


@pytest.mark.slow
def test_texts_number_rows_as_numbers_do() -> None:
    with Cases() as case:
        for told, (cell, numbers) in thinned(CELLS.items()):
            for name in ("seq", "member_id") if told == "from 1" else ("member_id",):
                cells = [cell(row) for row in range(480)]
                with case(f"{name} {told}"):
                    by_text = _seen(name, list(map(str, cells)))
                    assert by_text == _seen(name, cells)
                    assert (by_text[2] == "row") == numbers


def test_what_is_no_run_of_whole_numbers_numbers_no_rows() -> None:
    for cells in (
        [f"{row + 1}.5" for row in range(480)],
        [f"{row + 1}a" if row == 300 else f"{row + 1}" for row in range(480)],
        [f"{row - 3}" for row in range(480)],
    ):
        assert _seen("seq", cells)[2] != "row"
