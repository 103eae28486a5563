"""What a report says about direct identifiers found in the content."""

from __future__ import annotations

from typing import Any

from duckrisk.report.parts import Part
from duckrisk.report.tables import Table
from duckrisk.report.text import Data, number

_READING = (
    "A cell is valid where it has the shape of the identifier and its check digits are right; by chance "
    "is how many arbitrary digits of that shape would be. Names, photographs and numbers of an "
    "institution's own have no shape: look at such columns yourself."
)
#: Columns that a sentence names.
_MOST = 5


def parts(section: dict[str, Any]) -> list[Part]:
    """What is told of the section ``direct_identifiers``."""
    likely = [entry for entry in section["found"] if entry["likely"]]
    examined = number(section["columns_examined"])
    columns = number(len({entry["column"] for entry in likely}))
    told = f"Columns with cells that look like direct identifiers: {columns} of {examined} looked at."
    rows = [
        (
            Data(entry["column"]),
            entry["kind"],
            number(entry["valid_cells"]),
            number(entry["present_cells"]),
            f"{entry['by_chance']:,.1f}" if entry["by_chance"] < entry["shaped_cells"] else "",
            "" if entry["likely"] else "as by chance",
        )
        for entry in section["found"]
    ]
    heads = ("Column", "Identifier", "Valid", "Of cells", "By chance", "")
    left = [e["column"] for e in section["not_examined"]]
    if left:
        names = ", ".join(left[:_MOST]) + (
            f" and {number(len(left) - _MOST)} more" if len(left) > _MOST else ""
        )
        told += f" Not looked at, or in part: {names}."
    items = [
        (
            entry["item"],
            entry["identifier"],
            "shape" if entry["by_content"] else "name only",
            Data(", ".join(entry["columns"])),
        )
        for entry in section["hipaa"]
        if entry["columns"]
    ]
    listed = f"Columns were found for {number(len(items))} of {number(len(section['hipaa']))}."
    return [
        Part(told),
        *([Part(table=Table(heads, tuple(rows), (2, 3, 4)))] if rows else []),
        Part(_READING),
        Part("HIPAA's identifiers", 3),
        Part(listed),
        *(
            [Part(table=Table(("Item", "Identifier", "Found by", "Columns"), tuple(items), (0,)))]
            if items
            else []
        ),
    ]
