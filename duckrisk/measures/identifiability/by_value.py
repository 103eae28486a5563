"""Attributes whose values have levels of their own: one attribute for the values of each level.

A value of another level is missing in it. Each record has exactly one of them, so that a set with it singles
out those that a set with the whole attribute does, at the level of their own value. The search needs no more.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

from duckrisk.base.errors import UsageError
from duckrisk.base.options.identifiability import Options
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Attribute
from duckrisk.measures.identifiability.attributes import LevelledColumn
from duckrisk.measures.identifiability.results import Identifiability, LevelledAttribute


def split_by_level(
    session: Session, levelled: Sequence[LevelledColumn], options: Options
) -> list[LevelledColumn]:
    """Split attributes with levels by value into one for each level.

    Args:
        session: The session, with the source as the assessed view.
        levelled: The attributes with their levels.
        options: The rule for missing values.

    Raises:
        UsageError: A missing value would be a value, a distributed engine counts, or an attribute is part of
            its column.
    """
    split: list[LevelledColumn] = []
    for number, known in enumerate(levelled):
        levels = known.level.own_levels
        if not known.level.listed:
            split.append(known)
            continue
        (part,) = known.attribute.parts
        name = known.decision.column.name
        if options.missing == "value" or session.engine is not None:
            raise UsageError("identifiability.levels_by_value_unsupported", column=name)
        if part.knowledge not in ("exact", "number") or part.moment:
            raise UsageError("identifiability.levels_by_value_of_part", column=name)
        table = f"value_levels_{number}"
        session.run(
            "value_levels",
            source=ASSESSED,
            attribute=known.attribute,
            listed=[text for text, _ in known.level.listed],
            numbers=[levels.index(level) for _, level in known.level.listed],
            by_prefix=known.level.by_prefix,
            table=table,
        )
        for index, level in enumerate(levels):
            own = replace(part, knowledge="at_level", argument=index, table=table)
            attribute = replace(known.attribute, parts=(own,))
            split.append(replace(known, attribute=attribute, level=level, whole=known.attribute))
    return split


class Splits:
    """The attributes of a search that are split by level.

    Args:
        levelled: All attributes of the search, in their order.

    Attributes:
        parts: The positions of the parts of each split attribute.
    """

    def __init__(self, levelled: Sequence[LevelledColumn]) -> None:
        by_attribute: dict[Attribute, list[int]] = {}
        for position, known in enumerate(levelled):
            if known.whole is not None:
                by_attribute.setdefault(known.whole, []).append(position)
        self.parts = list(by_attribute.values())

    def list_exclusive(self) -> list[int]:
        """List the pairs of parts of an attribute as sets: no record has both."""
        pairs = itertools.chain.from_iterable(itertools.combinations(parts, 2) for parts in self.parts)
        return [1 << a | 1 << b for a, b in pairs]

    def count_empty(self, records: int) -> int:
        """Count the cells that are missing in one part because another has the value.

        Args:
            records: The number of records. A missing value is missing in all parts, and counts once.
        """
        return sum(len(parts) - 1 for parts in self.parts) * records

    def join(self, result: Identifiability) -> Identifiability:
        """Join the parts of each attribute in a result; no record has two of them.

        Args:
            result: The result, with an entry for each attribute of the search.
        """
        joined = {parts[0]: _join(result, parts) for parts in self.parts}
        left = {position for parts in self.parts for position in parts[1:]}
        entries = enumerate(result.attributes)
        attributes = tuple(joined.get(place, entry) for place, entry in entries if place not in left)
        return replace(result, attributes=attributes)


def _join(result: Identifiability, parts: Sequence[int]) -> LevelledAttribute:
    """Join the parts of one attribute, which has the highest levels of its values."""
    entries = [result.attributes[position] for position in parts]
    shares = [entry.share_of_singled_out for entry in entries if entry.share_of_singled_out is not None]
    totals = [entry.total_value_without for entry in entries if entry.total_value_without is not None]
    change = None
    if len(totals) == len(parts):
        change = math.fsum(total - result.total_value for total in totals)
    return replace(
        entries[0],
        type=None,
        economic=max(entry.economic for entry in entries),
        psychological=max(entry.psychological for entry in entries),
        records_singled_out_with=sum(entry.records_singled_out_with for entry in entries),
        share_of_singled_out=min(1.0, math.fsum(shares)) if shares else None,
        total_value_without=None if change is None else max(0.0, result.total_value + change),
        change_without=None if change is None or not result.total_value else change / result.total_value,
    )
