"""Who agrees with whom where a missing cell agrees with every value, attribute set by attribute set.

Records that agree with a third one need not agree with each other, so there are no classes that could be
counted once. For each set the records that lack the same attributes are compared with those that lack the
same others, by the attributes that neither lacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from duckrisk.base.errors import UsageError
from duckrisk.measures.sets.masks import split_list

if TYPE_CHECKING:
    from duckrisk.measures.disclosure.lattice import Lattice

#: Nanoseconds that a set takes for one combination and way in which cells are missing, and for itself.
EACH, EACH_SET = 150, 1_000_000
#: A statement looks at about so many combinations, each once for every way in which cells are missing.
PORTION = 2_000_000
#: More of them than these are not looked at even for one set.
MOST = 100_000_000


class Agreement:
    """The records of a lattice, by what they lack.

    Raises UsageError where cells are missing in too many ways.
    """

    def __init__(self, lattice: Lattice, what: str) -> None:
        self.session = lattice.session
        places = [lattice.place(position) for position in range(lattice.count)]
        self.fields: dict[str, list[str] | list[int]] = {
            "columns": sorted({column for column, _, _ in places}),
            "words": [column for column, _, _ in places],
            "fields": [field for _, field, _ in places],
        }
        patterns = self.session.fetch_row("agreeing_patterns")["patterns"]
        self.pairs = lattice.rows.count * patterns
        if self.pairs > MOST:
            raise UsageError(
                "disclosure.too_many_missing_patterns",
                what=what,
                combinations=lattice.rows.count,
                patterns=patterns,
            )

    def seconds(self, sets: int) -> float:
        """Seconds that so many sets take, by a rough estimate."""
        each: int = self.pairs * EACH + EACH_SET
        return round(sets * each / 1e9, 3)

    def portions(self, masks: Iterable[int]) -> Iterator[list[int]]:
        """The sets that share a statement."""
        return split_list(masks, PORTION // max(1, self.pairs))

    def look_at(self, masks: Sequence[int]) -> None:
        """Count who agrees on these sets; fills the table ``agreeing_sizes``."""
        self.session.run("agreeing_classes", sets=list(masks), **self.fields)
        self.session.run("agreeing_sizes", **self.fields)

    def differences(self, mask: int, most: int) -> set[int]:
        """In which attributes records of different people differ that agree on the set."""
        return {
            row["mask"] for row in self.session.run("agreeing_check", mask=mask, most=most, **self.fields)
        }
