"""Replaces long values by digests in the view of a source, so that values of megabytes fit into memory.

A join, a sort or a group holds several values at once, and the engine a vector of them for each thread.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Part, identifier, render
from duckrisk.engine.types import is_compared_as_text, is_integer, is_nested, is_number
from duckrisk.source.model import Column, Source
from duckrisk.source.objects import (
    NOT_IN_PARQUET,
    RESTORED_TYPES,
    render_parquet_columns,
    render_parquet_relation,
)

#: Characters that stand before the digest of a longer value (a choice: more than prefixes that people know).
KEPT_CHARACTERS = 4_096
#: Characters; a column with a longer value gets digests (a choice: shorter values cost less than the copy).
LONG_TEXT = 10_000
#: Share of the memory limit that texts of a comparison may take without digests (a choice: grouping holds
#: several copies of each; tests/comparison/test_long_texts.py).
MAX_TEXT_SHARE = 1 / 16
#: Characters before such a digest: the first length whose prefixes distinguish all texts, in their order.
PREFIX_LENGTHS = (64, 256, 1_024)
#: Name of the copy in the folder of the source.
COPY_NAME = "digests.parquet"
#: Types that Parquet returns as another type.
_CHANGED_TYPES = re.compile(rf"{NOT_IN_PARQUET.pattern}|ENUM\(|TIMESTAMP_")


def group_bindings(columns: Sequence[Column]) -> dict[str, list[str]]:
    """Return the bindings of texts, nested values, bytes, numbers and integers."""
    return {
        "texts": [c.binding for c in columns if c.type == "VARCHAR"],
        "nested": [c.binding for c in columns if is_nested(c.type)],
        "bytes": [c.binding for c in columns if c.type == "BLOB"],
        "numbers": [c.binding for c in columns if is_number(c.type)],
        "integers": [c.binding for c in columns if is_integer(c.type)],
    }


def show_in_full(attribute: Attribute) -> Attribute:
    """Return an attribute for people: full texts, and times of day as 20:10."""
    clock = {"time": "clock_text"}
    parts = (
        replace(part, long=False, knowledge=clock.get(part.knowledge, part.knowledge))
        for part in attribute.parts
    )
    return replace(attribute, parts=tuple(parts))


def has_long_prefix(attribute: Attribute) -> bool:
    """Return whether an attacker knows a longer prefix than a digest keeps."""
    return any(
        part.knowledge == "prefix" and (part.argument or 0) > KEPT_CHARACTERS for part in attribute.parts
    )


def define_view(
    session: Session,
    folder: Path,
    source: str,
    columns: Sequence[Column],
    view: str,
    long: Sequence[int],
    kept: int = KEPT_CHARACTERS,
) -> bool:
    """Define the view of a source, with digests for long values at some positions.

    Args:
        session: The session that has the source.
        folder: Folder for the copy with digests.
        source: The relation of the source.
        columns: Its columns, in order.
        view: Name of the view.
        long: Positions of columns with digests; none for a view without a copy.
        kept: Characters that stand before a digest.

    Returns:
        Whether the view was defined; False if a type does not allow the copy.
    """
    names = [column.binding for column in columns]
    # Values that are compared by their text are texts already.
    kinds = ["VARCHAR" if c.position in long or is_compared_as_text(c.type) else c.type for c in columns]
    if long and any(_CHANGED_TYPES.search(kind) and not RESTORED_TYPES.fullmatch(kind) for kind in kinds):
        return False
    session.views.define(view, source, names)
    if long:
        path = folder / COPY_NAME
        replaced = render(
            "replaced",
            source=view,
            attributes=[_digest_attribute(c, kept) for c in columns if c.position in long],
        )
        session.run(
            "copy_records",
            source=replaced,
            selected=render_parquet_columns(kinds),
            path=str(path),
            many_files=False,
            group_bytes=session.group_bytes,
        )
        session.views.define(view, render_parquet_relation(path, kinds), names)
    return True


def _digest_attribute(column: Column, kept: int) -> Attribute:
    """Return a column with digests, which are texts."""
    written = identifier(column.binding)
    if column.type == "BLOB":
        part = Part(written, "digest_bytes", kept)
    else:
        part = Part(
            written if column.type == "VARCHAR" else render("as_text", column=written), "digest", kept
        )
    return Attribute(column.binding, (part,))


def share_digests(session: Session, original: Source, others: Sequence[tuple[str, Source]]) -> None:
    """Give other tables digests for the same columns as the original.

    Equal texts stay equal. If a table cannot have them, no table has digests.

    Args:
        session: The session that has the tables.
        original: The source whose digests the others follow.
        others: The view and the source of each other table.
    """
    digested = {c.name.casefold(): c for c in original.columns if c.position in original.digest_positions}
    for view, other in others if digested else ():
        same = [(c, digested[c.name.casefold()]) for c in other.columns if c.name.casefold() in digested]
        long = [c for c, _ in same if c.type in ("VARCHAR", "BLOB") or is_nested(c.type)]
        mixed = any((c.type == "BLOB") != (there.type == "BLOB") for c, there in same)
        # The elements of a set are compared with full texts.
        sets = any(
            session.fetch_row("long_sets", source=view, column=c.binding, most=KEPT_CHARACTERS)["cells"]
            for c in long
            if c.type == "VARCHAR"
        )
        if mixed or sets or not other.use_digests([c.position for c in long]):
            for source in (original, *(other for _, other in others)):
                source.use_digests(())
            return


def digest_heavy_texts(session: Session, tables: Sequence[tuple[str, Source]], names: Sequence[str]) -> None:
    """Give tables that are compared short digests for texts that fill the memory.

    Texts stay equal or different, and keep their order. Nothing changes if different texts have the same
    beginning, or if a long text is a set, a prefix or an interval.

    Args:
        session: The session that has the tables.
        tables: The view and the source of each, the original first.
        names: The columns of the original whose values are only compared.
    """
    original = tables[0][1]
    digested = [original.columns[position].name for position in original.digest_positions]
    wanted = {name.casefold() for name in (*names, *digested)}
    found = [(view, c) for view, source in tables for c in source.columns if c.name.casefold() in wanted]
    if session.memory is None or any(column.type != "VARCHAR" for _, column in found):
        return
    sizes = [
        session.fetch_row("text_sizes", source=view, column=column.binding, most=PREFIX_LENGTHS[0])
        for view, column in found
    ]
    heavy = sum(row["bytes"] for row in sizes) > MAX_TEXT_SHARE * session.memory
    if not heavy or any(row["generalised"] for row in sizes):
        return
    kept = max(
        _shortest_prefix(session, [(v, c) for v, c in found if c.name.casefold() == name]) for name in wanted
    )
    if kept == math.inf:
        return
    before = [source.digest_positions for _, source in tables]
    for _, source in tables:
        long = [column.position for column in source.columns if column.name.casefold() in wanted]
        if not source.use_digests(long, kept=int(kept)):
            for (_, changed), positions in zip(tables, before, strict=True):
                changed.use_digests(positions)
            return


def _shortest_prefix(session: Session, found: Sequence[tuple[str, Column]]) -> float:
    """Return the first of PREFIX_LENGTHS that distinguishes all texts, or infinity."""
    row = session.fetch_row(
        "count_prefixes",
        tables=[identifier(view) for view, _ in found],
        columns=[column.binding for _, column in found],
        lengths=list(PREFIX_LENGTHS),
    )
    counts = zip(PREFIX_LENGTHS, row["beginnings"], strict=True)
    return next((characters for characters, count in counts if count == row["texts"]), math.inf)
