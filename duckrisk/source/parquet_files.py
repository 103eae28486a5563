"""Parquet files: their layout, and many small ones as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duckrisk.base.errors import SourceError, format_message, quote_names
from duckrisk.engine.session import Session
from duckrisk.engine.templates import render
from duckrisk.source.files import engine_path, is_hive, readable_paths
from duckrisk.source.formats import File, Inputs, short
from duckrisk.source.model import Opened, Place, Request

#: This many Parquet files, of fewer bytes each on average, are read once and then as one.
MANY_FILES = 100
SMALL_FILE = 100_000


def open_parquet(session: Session, place: Place, inputs: Inputs, request: Request) -> Opened:
    """Open Parquet files of one layout. Raises SourceError where their layouts differ."""
    name, files, notes = inputs.name, inputs.files, inputs.notes
    hive = is_hive(files, name)
    layouts = session.run("parquet_layouts", paths=[engine_path(file.path) for file in files])
    names = _top_level(layouts[0]["layout"])
    if len(layouts) > 1:
        raise SourceError(_difference(name, layouts, names))
    parts = _in_small_parts(files)
    return Opened(
        short(name),
        "parquet",
        relation=render("read_parquet", paths=[engine_path(file.path) for file in files], hive=hive),
        printed_relation=render("read_parquet", paths=readable_paths(session, name, files, notes), hive=hive),
        names=names,
        paths=[str(file.path) for file in files],
        files=[file.path for file in files],
        notes=notes,
        copied=parts,
        parts=parts,
    )


def _in_small_parts(files: Sequence[File]) -> bool:
    """Whether opening the files, at every statement, would take longer than reading what is in them."""
    if len(files) < MANY_FILES:
        return False
    try:
        return sum(file.path.stat().st_size for file in files) < SMALL_FILE * len(files)
    except OSError:
        raise SourceError("session.file_changed") from None


def _difference(name: str, layouts: list[dict[str, Any]], names: list[str]) -> str:
    odd, others = layouts[-1], _top_level(layouts[-1]["layout"])
    if sorted(others) == sorted(names):
        how = "the same columns in another order" if others != names else "columns of other types"
    else:
        missing = [n for n in names if n not in others]
        extra = [n for n in others if n not in names]
        how = (
            f"no column {quote_names(missing, 3)}"
            if missing
            else f"more columns, such as {quote_names(extra, 3)}"
        )
    count = sum(layout["files"] for layout in layouts[:-1])
    return format_message(
        "source.parquet_files_differ",
        name=name,
        file=short(odd["first_file"]),
        how=how,
        count=count,
    )


def _top_level(elements: list[dict[str, Any]]) -> list[str]:
    """The names of the columns from a flattened schema, whose first element is the root."""
    names: list[str] = []
    position = 1

    def skip(at: int) -> int:
        children = elements[at]["num_children"] or 0
        at += 1
        for _ in range(children):
            at = skip(at)
        return at

    while position < len(elements):
        names.append(elements[position]["name"])
        position = skip(position)
    return names
