"""Finds exact nearest neighbours of records in SQL, without a table of all pairs.

The squared distance of two records is the sum of the squared differences of their numbers and a weight for
each category that differs. Equal records are searched once, and a record without distance is found by
equality. The candidates lie in blocks of similar records. A block is compared only if its bounding box is not
further away than the nearest candidate so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from duckrisk.contests.membership.options import ONE_HOT as ONE_HOT
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render

#: Bits of a word of packed codes (derived: a BIGINT less its sign and a carry bit).
_WORD = 62
#: Numbers that are compared first (a choice: blocks are cut along the columns that vary most, so a few
#: columns show that most boxes are too far).
_FIRST_NUMBERS = 4


@dataclass(frozen=True)
class Shape:
    """The columns of encoded tables: those of numbers, and those of categories."""

    numeric: tuple[str, ...]
    categories: tuple[str, ...]


@dataclass(frozen=True)
class Fields:
    """How the codes of categories are packed into words.

    Attributes:
        counts: The number of codes of each category.
        words: The index of the word of each category.
        places: The factor of each category in its word, a power of two.
        filled: For each word the bits that hold codes.
        marks: For each word the highest bit of each field, which marks a difference.
    """

    counts: list[int]
    words: list[int]
    places: list[int]
    filled: list[int]
    marks: list[int]

    @property
    def names(self) -> list[str]:
        """The columns of the words."""
        return [f"p{word + 1}" for word in range(len(self.filled))]


def nearest_records(
    session: Session,
    asked: str,
    candidates: str,
    shape: Shape,
    table: str,
    weight: float = ONE_HOT,
    levels: int = 2,
    size: int | None = None,
) -> None:
    """Make the table ``record``, ``neighbour``, ``squared_distance`` of neighbours.

    Args:
        session: Runs the statements.
        asked: The encoded table of the records whose neighbours are found.
        candidates: The encoded table of the neighbours. Without records the result is empty.
        shape: The columns of both.
        table: The table that is made; of equally near candidates it holds the first.
        weight: The squared distance of two categories that differ.
        levels: The number of columns along which blocks are cut.
        size: Records of a block; None for the square root of the candidates.
    """
    fields = make_coded_tables(session, {"asked": asked, "candidate": candidates}, shape)
    numeric, categories, keys = list(shape.numeric), list(shape.categories), [*shape.numeric, *fields.names]
    for name in ("asked", "candidate"):
        session.run(
            "different_records",
            name=f"{name}_different",
            source=identifier(f"{name}_coded"),
            numeric=numeric,
            categories=categories,
            words=fields.names,
        )
    _make_blocks(session, numeric, categories, float(weight), levels, size)
    to_record = render(
        "record_distance",
        left="asked",
        right="candidate",
        numeric=numeric,
        words=fields.names,
        filled=fields.filled,
        marks=fields.marks,
        weight=float(weight),
    )
    first = numeric[:_FIRST_NUMBERS] if len(numeric) > _FIRST_NUMBERS else None
    boxed = {
        "candidates": Sql("candidate_blocks"),
        "boxes": Sql("candidate_boxes"),
        "to_record": to_record,
        "to_box": _render_box_distance(numeric, categories, float(weight)),
        "to_box_first": _render_box_distance(first, [], float(weight)) if first is not None else None,
    }
    session.run("neighbour_bounds", name="asked_bounds", records=Sql("asked_different"), keys=keys, **boxed)
    session.run("near_records", name="asked_nearest", records=Sql("asked_bounds"), **boxed)
    session.run(
        "nearest_of_all",
        name=table,
        source=Sql("asked_coded"),
        different=Sql("asked_different"),
        nearest=Sql("asked_nearest"),
        keys=keys,
    )


def _render_box_distance(numeric: list[str], categories: list[str], weight: float) -> Sql:
    return render(
        "box_distance", record="asked", box="box", numeric=numeric, categories=categories, weight=weight
    )


def _make_blocks(
    session: Session,
    numeric: list[str],
    categories: list[str],
    weight: float,
    levels: int,
    size: int | None,
) -> None:
    """Cut the distinct candidates into blocks, and make the box of each."""
    spread = session.run(
        "attribute_spread",
        source=Sql("candidate_different"),
        numeric=numeric,
        categories=categories,
        weight=weight,
    )
    ordered = [(numeric + categories)[row["place"]] for row in spread]
    records = spread[0]["records"] or 0
    size = size or max(32, round(records**0.5))
    levels = min(levels, len(ordered)) - 1
    blocks = max(1, records // size)
    session.run(
        "neighbour_blocks",
        name="candidate_blocks",
        source=Sql("candidate_different"),
        columns=ordered,
        levels=levels,
        slices=max(1, round(blocks ** (1 / (levels + 1)))),
        size=size,
    )
    session.run(
        "neighbour_boxes",
        name="candidate_boxes",
        source=Sql("candidate_blocks"),
        columns=numeric + categories,
    )


def make_coded_tables(session: Session, tables: Mapping[str, str], shape: Shape) -> Fields:
    """Make for each encoded table the table NAME_coded, with codes instead of texts.

    Args:
        session: Runs the statements.
        tables: The encoded tables by NAME.
        shape: Their columns.

    Returns:
        How the codes are packed.
    """
    fields = _pack_categories(session, list(tables.values()), list(shape.categories))
    for name, source in tables.items():
        session.run(
            "neighbour_records",
            name=f"{name}_coded",
            source=identifier(source),
            codes=Sql("neighbour_codes"),
            numeric=list(shape.numeric),
            categories=list(shape.categories),
            words=fields.words,
            code_factors=fields.places,
        )
    return fields


def _pack_categories(session: Session, tables: Sequence[str], categories: list[str]) -> Fields:
    """Number the values of each category, and give each category a field of a word."""
    if not categories:
        return pack_fields([])
    session.run(
        "neighbour_codes",
        name="neighbour_codes",
        tables=[Sql(identifier(table)) for table in tables],
        columns=categories,
    )
    counts = {row["place"]: row["codes"] for row in session.run("count_codes", codes=Sql("neighbour_codes"))}
    return pack_fields([counts.get(index, 1) for index in range(len(categories))])


def pack_fields(counts: Sequence[int]) -> Fields:
    """Give each category a field of a word, by the number of its codes from 0."""
    fields = Fields(list(counts), [], [], [], [])
    used = _WORD
    for codes in counts:
        bits = max(1, (codes - 1).bit_length())
        if used + bits + 1 > _WORD:
            fields.filled.append(0)
            fields.marks.append(0)
            used = 0
        fields.words.append(len(fields.filled) - 1)
        fields.places.append(1 << used)
        fields.filled[-1] += ((1 << bits) - 1) << used
        fields.marks[-1] += 1 << (used + bits)
        used += bits + 1
    return fields
