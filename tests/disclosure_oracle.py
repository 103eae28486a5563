"""Who agrees with whom by each rule for missing cells, spelt out record by record; tables to measure."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

from duckrisk.base.options.identifiability import TOKENS
from tests.tables import engine, make


def written(folder: Path, columns: dict[str, str], rows: list[Any], name: str = "t") -> Path:
    path = folder / f"{name}.parquet"
    make(engine(), columns, rows, "written")
    engine().execute(f"COPY written TO '{path}' (FORMAT parquet)")
    return path


def cell(value: Any) -> Any:
    """A value as it is compared: tokens are missing, zeros and NaN are one each."""
    if isinstance(value, str):
        return None if value.strip(" ") in TOKENS else value
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value + 0.0
    return value


def agree(mine: tuple[Any, ...], theirs: tuple[Any, ...], missing: str) -> bool:
    if missing == "value":
        return mine == theirs
    return all(
        a is None or a == b or (missing == "wildcard" and b is None)
        for a, b in zip(mine, theirs, strict=True)
    )


def fits(mine: Counter[Any], theirs: Counter[Any], missing: str) -> bool:
    """Whether no single record of one user rules the other one out."""
    if missing == "value" or sum(mine.values()) != sum(theirs.values()):
        return mine == theirs

    def held(profile: Counter[Any], part: Any) -> int:
        return sum(n for one, n in profile.items() if agree(part, one, missing))

    if missing == "none":
        return all(held(theirs, part) >= held(mine, part) for part in mine)
    there = all(held(theirs, part) >= n for part, n in mine.items())
    return there and all(held(mine, part) >= n for part, n in theirs.items())
