"""All sets of some attributes, and the portions in which they are examined; see the template `lattice`.

A few attributes that distinguish least, the low ones, are examined together: all sets of them are the bits
of one number. Sets of the others, the high ones, are examined one by one, and each shares its work among the
sets of low attributes added to it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations as subsets
from math import comb
from typing import Literal

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute
from duckrisk.measures.sets import costs
from duckrisk.measures.sets.combinations import Combinations, EncodedSource
from duckrisk.measures.sets.encoding import Field, Layout
from duckrisk.measures.sets.limits import Limits
from duckrisk.measures.sets.masks import make_mask, split_list
from duckrisk.measures.sets.wildcard import Wildcard

Limit = Literal["max_size", "built_in", "time_limit"]
MissingRule = Literal["value", "wildcard", "none"]


@dataclass(frozen=True)
class LowAttributes:
    """The low attributes; a set of them is a number, and several sets are the bits of one number.

    Attributes:
        positions: Their positions.
        fields: Their fields in a word of their own.
        bits: Bits of that word.
    """

    positions: list[int]
    fields: list[Field]
    bits: int

    @property
    def sets(self) -> int:
        """Return the number of sets."""
        return 1 << len(self.positions)

    @property
    def holding(self) -> list[int]:
        """Return the sets that hold each attribute."""
        return [self.list_meeting(1 << place) for place in range(len(self.positions))]

    @property
    def lacking(self) -> list[int]:
        """Return the sets that lack each attribute."""
        return [~sets & (1 << self.sets) - 1 for sets in self.holding]

    def list_meeting(self, number: int) -> int:
        """Return the sets that share an attribute with a set.

        Args:
            number: The set.
        """
        return sum(1 << mask for mask in range(self.sets) if mask & number)

    def list_larger(self, size: int) -> int:
        """Return the sets with more attributes.

        Args:
            size: The number of attributes.
        """
        return sum(1 << mask for mask in range(self.sets) if mask.bit_count() > size)

    def list_open(self, closed: int) -> list[int]:
        """List the numbers of the sets that are not closed.

        Args:
            closed: The closed sets.
        """
        return [mask for mask in range(self.sets) if not closed >> mask & 1]

    def find_number(self, mask: int) -> int:
        """Return the number of the low attributes of a set.

        Args:
            mask: The set of attributes.
        """
        return sum(1 << place for place, position in enumerate(self.positions) if mask >> position & 1)


class Lattice:
    """The attribute sets of the assessed records, each a number with a bit for each attribute.

    Args:
        session: The session.
        attributes: The attributes.
        user: The column of users, if these are the persons; None for records.
        limits: Where searches end early.
        missing: Whether a missing value is a value, equals every value, or reveals nothing.

    Attributes:
        combinations: The distinct combinations of values.
        count: The number of attributes.
        size: Attributes of a set at most.
        limit: What limits the size; None if nothing does.
        is_missing_ignored: Whether a missing value reveals nothing.
        wildcard: The agreements of combinations, if a missing value equals every value; None if none does.
        low: The low attributes, after :meth:`split`.
        high: The positions of the high attributes, after :meth:`split`.
    """

    def __init__(
        self,
        session: Session,
        attributes: Sequence[Attribute],
        user: str | None,
        limits: Limits,
        missing: MissingRule,
    ) -> None:
        self.session, self.limits, self.count = session, limits, len(attributes)
        self.size = min(limits.max_size or self.count, self.count)
        self.limit: Limit | None = "max_size" if self.size < self.count else None
        encoding = EncodedSource(session, attributes, self.count, user)
        self.combinations = Combinations(session, encoding, self.count, self.count, user)
        self._follow(missing)

    def change_rule(self, missing: MissingRule, size: int, limit: Limit | None) -> Lattice:
        """Return the same sets by another rule for missing values; the tables are shared.

        Args:
            missing: The rule.
            size: Attributes of a set at most.
            limit: What limits the size.
        """
        other = copy.copy(self)
        other.size, other.limit = size, limit if size < self.count else None
        other._follow(missing)
        return other

    def _follow(self, missing: MissingRule) -> None:
        """Follow a rule for missing values."""
        self._missing: MissingRule = missing
        has_missing = self.combinations.missing_cells > 0
        self.is_missing_ignored = missing == "none" and has_missing
        self.wildcard: Wildcard | None = None
        if missing == "wildcard" and has_missing:
            self.split()
            self.wildcard = Wildcard(self.session, self.combinations.count, self.locate_fields())

    @property
    def has_users(self) -> bool:
        """Return whether a person is a user, who can have several combinations."""
        return self.combinations.user is not None

    @property
    def is_unbounded(self) -> bool:
        """Return whether neither a size nor a time limits the search."""
        return self.limits.max_size is None and self.limits.until is None

    @property
    def redundant(self) -> list[int]:
        """Return what adds nothing: determined attributes with their cause, and twins."""
        dependencies = self.combinations.dependencies
        return [*dependencies.redundant, *(1 << twin for twin in dependencies.twins)]

    def split(self) -> None:
        """Choose the low attributes and list the combinations by them."""
        made, layout = self.combinations, self.combinations.layout
        rows = self.session.run("field_entropy", words=layout.words, masks=layout.masks, one_in=1)
        entropies = {row["position"]: row["entropy"] for row in rows}
        order = sorted(range(self.count), key=lambda position: (entropies.get(position, 0.0), position))
        self.low = self._choose_low(order)
        self.high = [position for position in order if position not in self.low.positions]
        self.high_layout = Layout.for_counts([made.counts[position] for position in self.high] or [1])
        self.session.run(
            "lattice_rows",
            words=layout.words,
            shifts=layout.shifts,
            masks=layout.masks,
            low=self.low.positions,
            places=[field.shift for field in self.low.fields],
            high=self.high,
            high_words=self.high_layout.words[: len(self.high)],
            high_places=self.high_layout.shifts[: len(self.high)],
            ignore_missing=self._missing != "value",
        )
        self.session.run(
            "lattice_low",
            positions=self.low.positions,
            fields=[field.mask for field in self.low.fields],
            low_bits=self.low.bits,
        )

    def _choose_low(self, order: Sequence[int]) -> LowAttributes:
        """Choose the first attributes for which a key has room."""
        layout, rows = self.combinations.layout, self.combinations.count
        self.class_bits = max(costs.LATTICE_PAIRS, rows).bit_length()
        numbers = max(1, costs.LATTICE_PAIRS // max(1, rows)).bit_length()
        room = costs.KEY_BITS - costs.LOW_ATTRIBUTES - self.class_bits - numbers
        fields: list[Field] = []
        used = 0
        for position in order[: costs.LOW_ATTRIBUTES]:
            bits = (layout.masks[position] >> layout.shifts[position]).bit_length()
            if used + bits > room:
                break
            fields.append(Field(0, used, bits))
            used += bits
        return LowAttributes(list(order[: len(fields)]), fields, used)

    def locate_field(self, position: int) -> tuple[str, int, int]:
        """Return the column of an attribute's field, its bits, and the first of these.

        The table is `lattice_rows`.

        Args:
            position: The position of the attribute.
        """
        if position in self.low.positions:
            field = self.low.fields[self.low.positions.index(position)]
            return "low", field.mask, field.shift
        place, layout = self.high.index(position), self.high_layout
        return f"h{layout.words[place]}", layout.masks[place], layout.shifts[place]

    def locate_fields(self) -> list[tuple[str, int, int]]:
        """Return what :meth:`locate_field` returns for each attribute."""
        return [self.locate_field(position) for position in range(self.count)]

    def list_highs(self, size: int, redundant: Sequence[int] = ()) -> Iterator[int]:
        """List the sets of high attributes that hold nothing redundant.

        Args:
            size: The number of attributes.
            redundant: Sets that add nothing, and what holds one of them neither.
        """
        masks = (make_mask(positions) for positions in subsets(self.high, size))
        return (high for high in masks if not any(mask & high == mask for mask in redundant))

    def split_portions(self, highs: Iterable[int]) -> Iterator[list[int]]:
        """Split sets of high attributes into those that share a statement.

        Args:
            highs: The sets.
        """
        most = costs.LATTICE_PAIRS // max(1, self.combinations.count)
        return split_list(highs, min(costs.LATTICE_SETS, most))

    def begin_portion(self, highs: Sequence[int], closed: Sequence[int]) -> None:
        """List sets of high attributes that share a statement.

        Args:
            highs: The sets.
            closed: For each the sets of low attributes that need not be added, as bits.
        """
        layout, count = self.high_layout, len(self.high)
        self.session.run(
            "lattice_part",
            sets=list(highs),
            closed=list(closed),
            high=self.high,
            words=layout.words[:count],
            masks=layout.masks[:count],
        )

    def list_groups(
        self, numbers: Sequence[int], *, small: int, uniques: str | None = None, low_only: bool = False
    ) -> None:
        """List the distinct combinations on the sets of a portion, with their classes.

        Args:
            numbers: The numbers of the sets of low attributes to add.
            small: Groups; no larger classes are compared group by group.
            uniques: The table of uniques on smaller sets, which need not be examined; None counts records.
            low_only: Whether the portion has no high attributes.
        """
        low = self.low
        shared = {"words": self.high_layout.count, "low_bits": low.bits, "uniques": uniques}
        self.session.run(
            "lattice_groups",
            **shared,
            with_low=list(numbers) != [0],
            by_user=self.has_users,
            ignore_missing=self.is_missing_ignored,
            without=[low.list_meeting(pattern) for pattern in range(low.sets)],
        )
        self.session.run("lattice_classes", **shared)
        self.session.run("lattice_places", **shared, low_only=low_only, small=small)

    def close_low(self, high: int, most: int, redundant: Sequence[int] = ()) -> int:
        """Return the sets of low attributes not to add to a set of high ones, as bits.

        Args:
            high: The set of high attributes.
            most: Low attributes to add at most.
            redundant: Sets that add nothing, and what holds one of them neither.
        """
        closed = self.low.list_larger(most) | (0 if high else 1)
        for mask in redundant:
            inside = self.low.find_number(mask)
            if not mask & ~(high | make_mask(self.low.positions)):
                closed |= sum(1 << number for number in range(self.low.sets) if number & inside == inside)
        return closed

    def list_sets(self, size: int) -> Iterator[int]:
        """List the sets of some number of attributes.

        Args:
            size: The number of attributes.
        """
        return (make_mask(positions) for positions in subsets(range(self.count), size))

    def count_sets(self, size: int | None = None) -> int:
        """Count the sets of up to some number of attributes.

        Args:
            size: The number of attributes; None for all.
        """
        most = self.count if size is None else min(size, self.count)
        return sum(comb(self.count, number) for number in range(1, most + 1))
