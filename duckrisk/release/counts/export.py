"""Writes tables with the cells to hide, and what pytauargus reads to look for an optimal pattern."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from duckrisk.base.files import atomic_folder
from duckrisk.base.options.counts import Options
from duckrisk.release.counts.reading import UNIT, CountedTable

#: What stands for a total, a missing label and a hidden cell in the files.
_TOTAL, _MISSING, _HIDDEN = "Total", "(missing)", "x"


def write_tables(folder: Path, tables: Sequence[CountedTable], options: Options) -> None:
    """Write a folder with the mended tables and the input of pytauargus.

    Args:
        folder: The folder, which must be new or empty.
        tables: The tables, whose hidden cells are those to hide.
        options: What their cells are.

    Raises:
        OutputError: The folder cannot be written.
    """
    with atomic_folder(folder) as unfinished:
        unfinished.mkdir()
        for table in tables:
            name = re.sub(r"[^\w.-]+", "-", Path(table.name).stem) or "table"
            name = f"{name}-{table.number + 1}" if len(tables) > 1 else name
            _write_mended(unfinished / f"{name}.csv", table, options)
            if all(row["amount"] is not None for row in table.rows.values()):
                _write_input(unfinished, name, table, options)


def _names(table: CountedTable) -> list[str]:
    return [name or "column" for name in table.dimensions]


def _labels(row: dict[str, Sequence[str]]) -> list[str]:
    return [{"t": _TOTAL, "n": _MISSING}.get(key, key[1:]) for key in row["keys"]]


def _write_number(amount: int, options: Options) -> str:
    return str(amount) if options.value is None else f"{amount / UNIT:.6f}".rstrip("0").rstrip(".")


def _write_mended(path: Path, table: CountedTable, options: Options) -> None:
    """Write the table as it can be published: a row for each cell."""
    hidden = table.cells.hidden
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*_names(table), table.column or "count"])
    for place, row in table.rows.items():
        is_hidden = place in hidden or row["amount"] is None
        count = _HIDDEN if is_hidden else _write_number(int(row["amount"]), options)
        writer.writerow([*_labels(row), count])
    path.write_text(file.getvalue(), encoding="utf-8")


def _write_input(folder: Path, name: str, table: CountedTable, options: Options) -> None:
    """Write cells, metadata and a batch as pytauargus reads them."""
    columns = [f"d{number}" for number in range(1, len(table.dimensions) + 1)]
    unsafe = table.unsafe
    lines = [
        ";".join(
            [
                *(f'"{label.replace(chr(34), chr(39)).replace(";", ",")}"' for label in _labels(row)),
                _write_number(int(row["amount"]), options),
                str(row["contributors"] or row["amount"]),
                "U" if place in unsafe else "S",
            ]
        )
        for place, row in table.rows.items()
    ]
    (folder / f"{name}.tab").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / f"{name}.rda").write_text("\n".join(_metadata(columns, options)) + "\n", encoding="utf-8")
    batch = [
        f'<OPENTABLEDATA> "{name}.tab"',
        f'<OPENMETADATA> "{name}.rda"',
        f'<SPECIFYTABLE> {"".join(chr(34) + column + chr(34) for column in columns)}|"amount"||',
        "<SAFETYRULE>",
        "<READTABLE>",
        "<SUPPRESS> OPT(1,5)",
        f'<WRITETABLE> (1,1,,"{name}-protected.csv")',
    ]
    (folder / f"{name}.arb").write_text("\n".join(batch) + "\n", encoding="utf-8")


def _metadata(columns: Sequence[str], options: Options) -> Iterator[str]:
    yield from ('<SEPARATOR> ";"', '<SAFE> "S"', '<UNSAFE> "U"', '<PROTECT> "P"')
    for column in columns:
        yield from (column, "  <RECODEABLE>", f'  <TOTCODE> "{_TOTAL}"')
    yield from (
        "amount",
        "  <NUMERIC>",
        f"  <DECIMALS> {0 if options.value is None else 6}",
        "contributors",
        "  <FREQUENCY>",
        "status",
        "  <STATUS>",
    )
