"""Treats small tables in tests: rows in, rows out."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from duckrisk.engine.session import Resources
from duckrisk.engine.templates import literal
from duckrisk.release.anonymization import Release, Target, make_treatment, run
from duckrisk.source import Request
from tests.tables import engine, make


def made(path: Path, columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> Path:
    """A Parquet file of these rows; the columns have a type each."""
    make(engine(), columns, rows, "made")
    engine().execute(f"COPY made TO {literal(str(path))} (FORMAT parquet)")
    return path


def read(path: Path) -> list[tuple[Any, ...]]:
    """All rows of a file, in its order."""
    return engine().execute(f"FROM {literal(str(path))}").fetchall()


def types(path: Path) -> list[str]:
    """The types of a file's columns."""
    described = engine().execute(f"DESCRIBE FROM {literal(str(path))}").fetchall()
    return [row[1] for row in described]


def treat(
    columns: Mapping[str, str],
    rows: Sequence[Sequence[Any]],
    *steps: Mapping[str, Any],
    seed: int | None = 0,
    hierarchies: Mapping[str, Any] | None = None,
    threads: int | None = None,
    folder: Path | None = None,
) -> tuple[list[tuple[Any, ...]], Release]:
    """The rows of the release of a small table, and what was said of it."""
    with tempfile.TemporaryDirectory() as temporary:
        place = folder or Path(temporary)
        source, target = place / "source.parquet", place / "release.parquet"
        made(source, columns, rows)
        before = source.read_bytes()
        release = run(
            Request(str(source)),
            make_treatment(steps, None, seed, hierarchies),
            Target(target, overwrite=True),
            Resources(threads=threads),
        )
        assert source.read_bytes() == before
        assert release.released == len(read(target))
        return read(target), release


def numbers(count: int, seed: int = 0, *, missing: float = 0.1) -> list[int | None]:
    """Small numbers with repetitions and gaps."""
    drawn = random.Random(seed)
    return [None if drawn.random() < missing else drawn.randrange(-50, 50) for _ in range(count)]
