"""Exact nearest neighbours of records in SQL, without a table of all pairs.

The squared distance of two records is the sum of the squared differences of their numbers and a weight for
each category that differs. Equal records are one, and their nearest is found by equality; the candidates lie
in blocks of near ones, and a block is looked at only where its box is not further than a candidate that is
known already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from duckrisk.contests.membership.options import ONE_HOT as ONE_HOT
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render

#: The bits of a word of codes; one less than a BIGINT has, so that a sum stays positive.
_WORD = 62
#: Most boxes are told to be too far by so many numbers.
_FIRST = 4


@dataclass(frozen=True)
class Shape:
    """The columns of the encoded tables: those of numbers, and the categories."""

    numeric: tuple[str, ...]
    categories: tuple[str, ...]


@dataclass(frozen=True)
class Fields:
    """How many codes each category has, and how they are packed."""

    counts: list[int]
    words: list[int]
    places: list[int]
    filled: list[int]
    marks: list[int]

    @property
    def names(self) -> list[str]:
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
    """Make the temporary table (record, neighbour, squared_distance): for each record of ``asked`` the
    nearest of ``candidates``, the first of those that are equally near. Both are encoded tables; without
    candidates the table is empty."""
    fields = coded_tables(session, {"asked": asked, "candidate": candidates}, shape)
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
    boxed = {
        "candidates": Sql("candidate_blocks"),
        "boxes": Sql("candidate_boxes"),
        "to_record": to_record,
        "to_box": _to_box(numeric, categories, float(weight)),
        "to_box_first": _to_box(numeric[:_FIRST], [], float(weight)) if len(numeric) > _FIRST else None,
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


def _to_box(numeric: list[str], categories: list[str], weight: float) -> Sql:
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
    """Put the different candidates into blocks of near ones, cut along the columns that vary most, and make
    the box of each."""
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


def coded_tables(session: Session, tables: Mapping[str, str], shape: Shape) -> Fields:
    """Make for each encoded table the one with codes in place of texts, its name ending in ``_coded``."""
    fields = _packed(session, list(tables.values()), list(shape.categories))
    for name, source in tables.items():
        session.run(
            "neighbour_records",
            name=f"{name}_coded",
            source=identifier(source),
            codes=Sql("neighbour_codes"),
            numeric=list(shape.numeric),
            categories=list(shape.categories),
            words=fields.words,
            places=fields.places,
        )
    return fields


def _packed(session: Session, tables: Sequence[str], categories: list[str]) -> Fields:
    """Number the values of each category, and give each a field of a word."""
    if not categories:
        return packed([])
    session.run(
        "neighbour_codes",
        name="neighbour_codes",
        tables=[Sql(identifier(table)) for table in tables],
        columns=categories,
    )
    counts = {row["place"]: row["codes"] for row in session.run("count_codes", codes=Sql("neighbour_codes"))}
    return packed([counts.get(index, 1) for index in range(len(categories))])


def packed(counts: Sequence[int]) -> Fields:
    """Give each category a field of a word, where it has so many codes, from 0 on."""
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
