"""Tables with cells of megabytes: what measures them reads a copy with digests in the place of such cells.

Whatever joins, sorts or keeps values holds several of them at once, and the engine a vector of them a thread.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Part, identifier, render
from duckrisk.engine.types import is_compared_as_text, is_nested, is_number
from duckrisk.source.model import Column, Source
from duckrisk.source.objects import NOT_IN_PARQUET, RESTORED, as_parquet, from_parquet

#: A longer cell is carried as so many of its characters and its digest.
KEPT_CHARACTERS = 4_096
#: A column with a longer cell than this is carried so; what is shorter costs less than the copy.
LONG_TEXT = 10_000
#: Share of the memory; digests stand for texts that are only compared and take more: grouping keeps several
#: copies of each.
MAX_TEXT_SHARE = 1 / 16
#: Characters of the beginning that such a digest keeps: the fewest that distinguish all texts, so that these
#: keep their order.
PREFIX_LENGTHS = (64, 256, 1_024)
#: The copy's name in the folder of its source.
COPY = "digests.parquet"
#: A Parquet file gives these back as another type, unless they are restored.
_CHANGED = re.compile(rf"{NOT_IN_PARQUET.pattern}|ENUM\(|TIMESTAMP_")


def group_bindings(columns: Sequence[Column]) -> dict[str, list[str]]:
    """The columns whose cells can be long, and those of numbers, by what they hold."""
    return {
        "texts": [c.binding for c in columns if c.type == "VARCHAR"],
        "nested": [c.binding for c in columns if is_nested(c.type)],
        "bytes": [c.binding for c in columns if c.type == "BLOB"],
        "numbers": [c.binding for c in columns if is_number(c.type)],
    }


def show_in_full(attribute: Attribute) -> Attribute:
    """Return an attribute as a person reads it: texts in full, and times of day as 20:10, not in minutes."""
    clock = {"time": "clock_text"}
    parts = (
        replace(part, long=False, knowledge=clock.get(part.knowledge, part.knowledge))
        for part in attribute.parts
    )
    return replace(attribute, parts=tuple(parts))


def has_long_prefix(attribute: Attribute) -> bool:
    """Whether more of a text is known than is carried."""
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
    """Open a source as a view with digests for long cells of the columns at some positions; all
    cells as they are where there are none. False where that cannot be: the view then is as it was."""
    names = [column.binding for column in columns]
    # What is told apart as it is written is a text already.
    kinds = ["VARCHAR" if c.position in long or is_compared_as_text(c.type) else c.type for c in columns]
    if long and any(_CHANGED.search(kind) and not RESTORED.fullmatch(kind) for kind in kinds):
        return False
    session.views.define(view, source, names)
    if long:
        path = folder / COPY
        replaced = render(
            "replaced", source=view, attributes=[_digested(c, kept) for c in columns if c.position in long]
        )
        session.run(
            "copy_records",
            source=replaced,
            selected=as_parquet(kinds),
            path=str(path),
            parts=0,
            group_bytes=session.group_bytes,
        )
        session.views.define(view, from_parquet(path, kinds), names)
    return True


def _digested(column: Column, kept: int) -> Attribute:
    """A column with digests, which are texts whatever its type is."""
    written = identifier(column.binding)
    if column.type == "BLOB":
        part = Part(written, "digest_bytes", kept)
    else:
        part = Part(
            written if column.type == "VARCHAR" else render("as_text", column=written), "digest", kept
        )
    return Attribute(column.binding, (part,))


def share_digests(session: Session, original: Source, others: Sequence[tuple[str, Source]]) -> None:
    """Let other tables, by their views, have digests where the original has them, so that the same texts stay
    the same; nowhere if one cannot have them."""
    digested = {c.name.casefold(): c for c in original.columns if c.position in original.digest_positions}
    for view, other in others if digested else ():
        same = [(c, digested[c.name.casefold()]) for c in other.columns if c.name.casefold() in digested]
        long = [c for c, _ in same if c.type in ("VARCHAR", "BLOB") or is_nested(c.type)]
        mixed = any((c.type == "BLOB") != (there.type == "BLOB") for c, there in same)
        # What a set holds is compared with whole texts.
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
    """Let tables that are compared have short digests for texts that fill much of the memory.

    Texts stay equal or different, and in their order. Nothing changes if that cannot be: if different texts
    begin alike, or a long text reads as a set, a prefix or an interval.

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
        _characters(session, [(v, c) for v, c in found if c.name.casefold() == name]) for name in wanted
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


def _characters(session: Session, found: Sequence[tuple[str, Column]]) -> float:
    """Return the shortest of PREFIX_LENGTHS that distinguishes all texts; infinity if none does."""
    row = session.fetch_row(
        "text_beginnings",
        tables=[identifier(view) for view, _ in found],
        columns=[column.binding for _, column in found],
        lengths=list(PREFIX_LENGTHS),
    )
    counts = zip(PREFIX_LENGTHS, row["beginnings"], strict=True)
    return next((characters for characters, count in counts if count == row["texts"]), math.inf)
