"""Agreement of records where a missing value equals every value; see the template `agreement`.

Records that agree with a third one need not agree with each other, so no classes are counted once. For each
set the records that lack the same attributes are compared with those that lack the same others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from duckrisk.engine.session import Session
from duckrisk.measures.sets import costs
from duckrisk.measures.sets.masks import split_list


class Wildcard:
    """The agreements of the combinations in `lattice_rows`.

    Args:
        session: The session.
        combinations: The number of combinations.
        fields: The column and the bits of each attribute's field, and the first of these.

    Attributes:
        combinations: The number of combinations.
        patterns: In how many patterns values are missing.
    """

    def __init__(self, session: Session, combinations: int, fields: Sequence[tuple[str, int, int]]) -> None:
        self.session, self.combinations = session, combinations
        self._fields: dict[str, list[str] | list[int]] = {
            "columns": sorted({column for column, _, _ in fields}),
            "words": [column for column, _, _ in fields],
            "fields": [field for _, field, _ in fields],
        }
        self.patterns: int = session.fetch_row("agreeing_patterns")["patterns"]
        self._pairs: int = combinations * self.patterns

    @property
    def is_too_large(self) -> bool:
        """Return whether not even one set is compared."""
        return self._pairs > costs.MOST_WILDCARD_PAIRS

    def estimate_seconds(self, sets: int) -> float:
        """Estimate the seconds that comparing takes, roughly.

        Args:
            sets: The number of sets.
        """
        nanoseconds: int = self._pairs * costs.WILDCARD_PAIR_COST + costs.WILDCARD_SET_COST
        return round(sets * nanoseconds / 1e9, 3)

    def compare(self, masks: Iterable[int], statement: str | None = None) -> None:
        """Count who agrees on sets, in portions that fill the table `agreeing_sizes`.

        Args:
            masks: The sets.
            statement: A statement that reads the table, for each portion.
        """
        for portion in split_list(masks, costs.WILDCARD_PAIRS // max(1, self._pairs)):
            self.session.run("agreeing_classes", sets=portion, **self._fields)
            self.session.run("agreeing_sizes", **self._fields)
            if statement is not None:
                self.session.run(statement)

    def list_differences(self, mask: int) -> set[int]:
        """List where combinations of different people differ that agree on a set.

        Args:
            mask: The set.
        """
        rows = self.session.run("agreeing_check", mask=mask, most=costs.DIFFERING_PAIRS, **self._fields)
        return {row["mask"] for row in rows}
