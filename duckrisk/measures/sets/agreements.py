"""Compare the open combinations with all that may agree with them, where few are open and many sets are left.

A set singles a combination out unless another person's combination agrees with it in all of the set. So the
largest sets of attributes in which it agrees with another decide about all sets at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.measures.sets import costs
from duckrisk.measures.sets.classes import Classes


class Agreements:
    """The agreements of open combinations with others.

    Args:
        classes: The classes of the combinations.

    Attributes:
        count: How many agreements are listed; 0 for no list.
    """

    def __init__(self, classes: Classes) -> None:
        self.classes, self.combinations, self.session = classes, classes.combinations, classes.session
        self.forget(self.combinations.count)

    def forget(self, open_count: int) -> None:
        """Forget the listed agreements.

        Args:
            open_count: How many combinations are open.
        """
        self.count = 0
        self._compared = open_count

    def is_due(self, open_count: int) -> bool:
        """Return whether so few combinations are open that to compare them may pay.

        Args:
            open_count: How many combinations are open.
        """
        return not self.count and open_count <= costs.COMPARED_AGAIN * self._compared

    def count_unbound(self) -> int:
        """Count the open combinations that require no attribute."""
        return int(self.session.fetch_row("count_unbound")["combinations"])

    def compare(self, open_count: int, unbound: int, affordable: int, positions: Sequence[int]) -> None:
        """List the agreements of the open combinations, unless that costs too much.

        Each is compared with all combinations that agree with it in what it requires.

        Args:
            open_count: How many combinations are open.
            unbound: How many of them require no attribute.
            affordable: Pairs of a set and a combination that it may cost at most.
            positions: The positions of the attributes that count.
        """
        made, layout = self.combinations, self.combinations.layout
        if costs.AGREEMENT_COST * unbound * made.count > affordable:
            return
        values = [*made.values, *made.counts[len(made.values) :]]
        by_values = sorted(range(len(values)), key=lambda position: -values[position])
        ranks = [by_values.index(position) for position in range(len(values))]
        self.session.run("anchors", words=layout.count, ranks=ranks, size=costs.ANCHOR)
        one_in = max(1, min(made.count // costs.SAMPLED_FOR_ANCHORS, costs.SPARSEST_SAMPLE))
        table = self.classes.table
        row = self.session.fetch_row("count_anchors", table=table, words=layout.count, share=one_in)
        pairs = row["pairs"] * one_in
        cost = row["anchors"] * made.count + costs.AGREEMENT_COST * pairs
        if pairs > costs.AGREEMENT_PAIRS or cost > affordable:
            return
        fields = layout.join_fields(positions)
        tops = dict.fromkeys(fields, 0)
        for position in positions:
            tops[layout.words[position]] |= 1 << layout.masks[position].bit_length() - 1
        agreements = made.fill(
            "agreements",
            table=table,
            positions=positions,
            words=layout.words,
            masks=layout.masks,
            used=list(fields),
            tops=list(tops.values()),
            lows=[fields[word] & ~tops[word] for word in fields],
            questions=self.classes.has_questions,
        )
        if agreements > costs.MOST_AGREEMENTS * made.count:
            self._compared = int(costs.DISCARDED_SHARE * open_count)
        else:
            self.count = max(1, agreements)

    def count_at_once(self) -> int:
        """Count the sets that are examined at once; 0 without agreements."""
        return costs.PROBED_PAIRS // self.count if self.count else 0

    def compare_again_below(self, open_count: int) -> None:
        """Compare again only when fewer combinations are open.

        Args:
            open_count: How many are open now.
        """
        self._compared = open_count

    def examine(
        self,
        sets: str,
        first: int,
        last: int,
        ignore_missing: bool,
        *,
        has_several_tiers: bool = False,
        found: str = "found",
        is_first: bool = False,
    ) -> int:
        """Find the open persons, or the questions, that sets single out.

        Args:
            sets: The table of sets.
            first: The number of the first set.
            last: The number of the last.
            ignore_missing: Whether a missing value reveals nothing.
            has_several_tiers: Whether the sets belong to several tiers.
            found: The table that gets the persons.
            is_first: Whether the table is made anew.

        Returns:
            How often a person was singled out.
        """
        return self.combinations.fill(
            "examine_agreements",
            sets=sets,
            first=first,
            last=last,
            several_tiers=has_several_tiers,
            ignore_missing=ignore_missing and self.combinations.missing_cells > 0,
            questions=self.classes.has_questions,
            found=found,
            replace=is_first,
        )
