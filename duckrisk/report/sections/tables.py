"""Make the report on tables of counts: what totals reveal, and what else to hide."""

from __future__ import annotations

from collections.abc import Iterator

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.release.counts.results import CellFound, CountsTable, SharedCells, Tables
from duckrisk.report.blocks import (
    Block,
    Document,
    Heading,
    Items,
    Listing,
    Paragraph,
    heading,
    number_column,
    paragraphs,
    text_column,
)


def make_document(result: Tables) -> Document:
    """Make the report: headlines, the cells of each table, what tables share."""
    first = result.tables[0]
    several = len(result.tables) > 1
    title = Sentence(
        "tables.titles" if several else "tables.title",
        name=Data(first.name),
        count=format_number(len(result.tables)),
        cells=format_number(first.cells),
    )
    blocks: list[Block] = [
        *paragraphs(
            [*(_write_headline(table, result) for table in result.tables), *_shared_headlines(result)],
            "headline",
        ),
        *paragraphs(result.notes, "warning"),
    ]
    for table in result.tables:
        if several:
            blocks.append(Heading(Data(table.name)))
        blocks += [Items(tuple(_list_facts(table, result))), *_list_cells(table)]
    if result.shared:
        blocks += [heading("tables.shared"), Items(tuple(map(_describe_shared, result.shared)))]
    reading = [
        Sentence("tables.read.sums" if _is_masked(result) else "tables.read.bounds", **_figures(result))
    ]
    if any(table.found for table in result.tables) and not result.settings.show_values:
        reading.append(Sentence("tables.read.numbers"))
    reading.append(Sentence("tables.read.more"))
    return Document(title, (*blocks, *paragraphs(reading, "reading")))


def _figures(result: Tables) -> dict[str, Text]:
    return {"below": format_number(result.settings.threshold - 1)}


def _is_masked(result: Tables) -> bool:
    return any(table.form == "records" and table.column is not None for table in result.tables)


def _write_headline(table: CountsTable, result: Tables) -> Sentence:
    """Say in one sentence what an attacker gets of a table, and what ends it."""
    exposure, mended, unsafe = table.exposure, table.mended, table.unsafe
    values = {
        "name": Data(table.name),
        "exact": format_number(exposure.exact + table.read_elsewhere),
        "narrow": format_number(exposure.narrow),
        "hidden": format_number(exposure.hidden + table.read_elsewhere),
        "unsafe": format_number(unsafe.cells),
        "cells": format_number(table.cells + table.totals),
        "threshold": format_number(result.settings.threshold),
        "more": format_number(mended.unsafe + mended.added),
    }
    if exposure.contradictory:
        return Sentence("tables.contradictory", count=format_number(exposure.contradictory), **values)
    if not exposure.hidden and not table.read_elsewhere:
        return Sentence("tables.nothing", **values)
    is_planned = table.form == "records" or exposure.hidden == unsafe.cells == mended.unsafe
    open_cells = exposure.exact + exposure.narrow + table.read_elsewhere
    if is_planned and not table.read_elsewhere:
        key = "planned.open" if open_cells else "planned.safe"
    else:
        key = "hidden.open" if open_cells else "hidden.shown" if mended.unsafe else "hidden.safe"
    doubt = None if open_cells else _describe_doubt(table)
    return _add_doubt(f"tables.{key}", doubt, remedy=_describe_remedy(table), **values)


def _add_doubt(key: str, doubt: Sentence | None, **values: Text) -> Sentence:
    """Make a sentence, or the one that gives the doubt with it."""
    return Sentence(key, **values) if doubt is None else Sentence(f"{key}.doubt", doubt=doubt, **values)


def _describe_doubt(table: CountsTable) -> Sentence | None:
    """Say why a cell that is not found to follow may follow all the same."""
    if table.outer:
        return Sentence("tables.doubt.outer")
    if table.wrong_lines:
        lines, wrong = format_number(table.lines), format_number(table.wrong_lines)
        return Sentence("tables.doubt.lines", lines=lines, wrong=wrong)
    return None


def _describe_remedy(table: CountsTable) -> Sentence:
    """Say what to hide as well, and whether that is enough."""
    mended, doubt = table.mended, _describe_doubt(table)
    more = mended.added if table.exposure.hidden == mended.unsafe else mended.added + mended.unsafe
    key = "left" if mended.still_open else "hide" if more else "elsewhere" if table.read_elsewhere else "none"
    values = {"more": format_number(more), "left": format_number(mended.still_open)}
    return _add_doubt(f"tables.remedy.{key}", doubt if key in ("hide", "none") else None, **values)


def _shared_headlines(result: Tables) -> Iterator[Sentence]:
    for pair in result.shared:
        if pair.differences or pair.revealed:
            yield Sentence("tables.together", **_pair_values(pair))


def _pair_values(pair: SharedCells) -> dict[str, Text]:
    return {
        "first": Data(pair.first),
        "second": Data(pair.second),
        "compared": format_number(pair.compared),
        "differences": format_number(pair.differences),
        "smallest": format_number(pair.smallest),
        "revealed": format_number(pair.revealed),
    }


def _describe_shared(pair: SharedCells) -> Sentence:
    names: Text = join_texts([Data(name) for name in pair.dimensions] or [Sentence("tables.no_dimension")])
    return Sentence("tables.pair", names=names, **_pair_values(pair))


def _list_facts(table: CountsTable, result: Tables) -> Iterator[Sentence]:
    """List what was read, the unsafe cells, and what the mended table hides."""
    unsafe, exposure, mended = table.unsafe, table.exposure, table.mended
    names = join_texts([Data(name) if name else Sentence("tables.columns") for name in table.dimensions])
    yield Sentence(
        f"tables.read_as.{table.form}",
        names=names,
        cells=format_number(table.cells),
        totals=format_number(table.totals),
        column=Data(table.column or ""),
    )
    key = "none" if not table.lines else "wrong" if table.wrong_lines else "right"
    yield Sentence(
        f"tables.lines.{key}", lines=format_number(table.lines), wrong=format_number(table.wrong_lines)
    )
    settings = result.settings
    yield Sentence(
        "tables.unsafe.sums"
        if table.form == "records" and table.column is not None
        else "tables.unsafe.counts",
        unsafe=format_number(unsafe.cells),
        small=format_number(unsafe.small),
        dominated=format_number(unsafe.dominated),
        close=format_number(unsafe.close),
        threshold=format_number(settings.threshold),
        n=format_number(settings.largest),
        k=f"{settings.dominance:g}",
        p=f"{settings.p_percent:g}",
    )
    if exposure.hidden:
        yield Sentence(
            "tables.follows",
            hidden=format_number(exposure.hidden),
            exact=format_number(exposure.exact),
            subtracted=format_number(exposure.by_subtraction),
            narrow=format_number(exposure.narrow),
        )
    if mended.hidden:
        share = mended.added_share
        yield Sentence(
            "tables.mended.totals" if share is None else "tables.mended.cells",
            hidden=format_number(mended.hidden),
            unsafe=format_number(mended.unsafe),
            added=format_number(mended.added),
            share=format_share(share),
            left=format_number(mended.still_open),
        )
    if table.outer:
        yield Sentence("tables.outer")


def _list_cells(table: CountsTable) -> list[Block]:
    """List the cells that follow from others, and those to hide as well."""
    if not table.found:
        return []
    listing = Listing.of(
        table.found,
        lambda cell: (
            text_column("tables.cell", _name_cell(cell, table)),
            text_column("tables.why", Sentence(f"tables.why.{cell.why}"), priority=1),
            text_column("tables.outcome", Sentence(f"tables.outcome.{cell.outcome}")),
            number_column("tables.lower", _format_end(cell.lower)),
            number_column("tables.upper", _format_end(cell.upper)),
        ),
        listed=table.listed,
        sql=("cells_of_table",),
    )
    return [Paragraph(Sentence("tables.cells_of_note")), listing.drop_empty_columns()]


def _format_end(end: float | None) -> str:
    return format_number(int(end) if end is not None and end == int(end) else end)


def _name_cell(cell: CellFound, table: CountsTable) -> Text:
    """Name a cell by its labels, or by its number in each dimension."""
    parts: list[Text] = []
    for dimension, (name, number) in enumerate(zip(table.dimensions, cell.place, strict=True)):
        of: Text = Data(name) if name else Sentence("tables.column")
        if number == 0:
            parts.append(Sentence("tables.total", name=of))
        elif cell.labels is not None:
            parts.append(Sentence("tables.labelled", name=of, label=Data(cell.labels[dimension])))
        else:
            parts.append(Sentence("tables.numbered", name=of, number=format_number(number)))
    return join_texts(parts)
