"""Find the persons that attribute sets single out, several sets in a statement.

A person is singled out by a set if its class in the set, the combinations with equal values, holds no other
person. Everything is counted in SQL; Python decides how many sets share a statement, and its form.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from duckrisk.measures.sets import costs
from duckrisk.measures.sets.combinations import Combinations
from duckrisk.measures.sets.masks import list_positions, make_mask, split_range


class Batch(NamedTuple):
    """The sets that a statement examines.

    Attributes:
        sets: How many they are.
        first: The number of the first.
        last: The number of the last.
        used: The attributes of all of them together.
        is_known: Whether what they single out was found before.
    """

    sets: int
    first: int
    last: int
    used: int
    is_known: bool = False


class Classes:
    """The classes of attribute sets among the combinations of a table.

    Args:
        combinations: The combinations.

    Attributes:
        table: The table of combinations in which sets are examined.
        rows: Its number of combinations.
        has_values: Whether the table of open persons holds their values.
        has_questions: Whether what is open are questions: a person and an attribute that sets may not hold.
        everybody: How many combinations were open at first, if that was every combination that a set can
            single out.
        pairs_of_closures: Pairs of a combination and a large set that were examined to find closed persons.
    """

    def __init__(self, combinations: Combinations) -> None:
        self.combinations, self.session = combinations, combinations.session
        self.table, self.rows = "combinations", combinations.count
        self.has_values, self.has_questions = True, False
        self.everybody: int | None = None
        self.pairs_of_closures = 0

    @property
    def is_asked(self) -> bool:
        """Return whether the combinations have a set that is known to single them out."""
        return self.table == "asked_combinations"

    # --- large sets ------------------------------------------------------------------------------

    def is_by_pattern(self, ignore_missing: bool) -> bool:
        """Return whether patterns of missing values are examined one by one.

        Args:
            ignore_missing: Whether a missing value reveals nothing.
        """
        if not ignore_missing or not self.combinations.missing_cells:
            return False
        return bool(self.session.fetch_row("count_patterns")["patterns"] <= costs.MOST_PATTERNS)

    def count_closures(self, unions: int, by_pattern: bool) -> int:
        """Count the sets that a call of :meth:`close` examines.

        Args:
            unions: The number of large sets.
            by_pattern: Whether patterns of missing values are examined one by one.
        """
        patterns = int(self.session.fetch_row("count_patterns")["patterns"]) if by_pattern else 1
        return unions * patterns

    def close(self, unions: Sequence[int], by_pattern: bool, open_count: int) -> int:
        """Find the open persons that large sets single out; fill the table `closed`.

        Args:
            unions: The large sets.
            by_pattern: Whether patterns of missing values are examined one by one.
            open_count: How many combinations are open.

        Returns:
            How often a person was singled out.
        """
        made, rows = self.combinations, self.combinations.count
        count = made.fill("closure_sets", unions=unions, words=made.layout.count, patterns=by_pattern)
        if not count:
            made.empty_table("closed", ["id", "number"], ["mask"])
        # Patterns of few persons are examined among those who share a combination with one of these.
        parts = self.session.fetch_row("count_closures", many=costs.WITNESS_SHARE_OF_CLOSURES * rows)
        self.pairs_of_closures += parts["unions"] * rows
        many = parts["many"]
        ranges = ((0, many, open_count), (many, count - many, parts["most_of_few"]))
        batches = (
            (wanted, batch)
            for begin, sets, wanted in ranges
            for batch in self.list_batches("closures", begin, sets, wanted)
        )
        return sum(
            self.examine(
                by_pattern,
                wanted,
                batch,
                by_pattern=by_pattern,
                sets="closures",
                found="closed",
                is_first=place == 0,
            )
            for place, (wanted, batch) in enumerate(batches)
        )

    # --- projections -----------------------------------------------------------------------------

    @contextmanager
    def projected(self, union: int, *, with_owners: bool) -> Iterator[None]:
        """Examine sets among the distinct combinations on all of their attributes.

        Args:
            union: These attributes.
            with_owners: Whether the combinations have users as well.
        """
        made = self.combinations
        fields = made.layout.join_fields(list_positions(union))
        self.rows = made.fill(
            "projected",
            words=list(fields),
            fields=list(fields.values()),
            union=union,
            by_user=made.user is not None,
            owners=with_owners,
        )
        self.table = "projected"
        try:
            yield
        finally:
            self.table, self.rows = "combinations", made.count
            self.session.run("drop_table", table="projected")

    # --- batches ---------------------------------------------------------------------------------

    def list_batches(
        self, sets: str, begin: int, count: int, open_count: int, is_timed: bool = False
    ) -> Iterator[Batch]:
        """List the batches of sets that each statement examines.

        On a large table each set has statements of its own, and these may share parts of the table.

        Args:
            sets: The table of sets.
            begin: The number of the first set.
            count: How many sets there are.
            open_count: For how many open combinations each is examined.
            is_timed: Whether the time is limited; then sets share no parts.
        """
        if count == 0:
            return
        if self.combinations.is_large and not self.is_asked:
            for first, last in split_range(count, 1 if is_timed else self.count_at_once(open_count)):
                yield Batch(last + 1 - first, begin + first, begin + last, 0)
            return
        most, last = self.count_at_once(open_count), begin + count - 1
        for row in self.session.run("unions_of_sets", sets=sets, first=begin, last=last, most=most):
            yield Batch(**row)

    def count_at_once(self, open_count: int) -> int:
        """Count the sets that are examined at once.

        Args:
            open_count: For how many open combinations each is examined.
        """
        if self.combinations.is_large and not self.is_asked:
            return costs.SETS_AT_ONCE
        rows = self.rows
        grouped = open_count if self.has_witnesses(open_count) else rows
        return max(1, min(costs.BATCH_PAIRS // max(1, grouped), costs.PROBED_PAIRS // max(1, rows)))

    def has_witnesses(self, open_count: int) -> bool:
        """Return whether only combinations that share one with an open person are grouped.

        Args:
            open_count: For how many open combinations each set is examined.
        """
        is_large = self.combinations.is_large
        share = costs.WITNESS_SHARE_OF_LARGE if is_large else costs.WITNESS_SHARE
        return open_count < share * self.rows

    # --- one batch -------------------------------------------------------------------------------

    def examine(
        self,
        ignore_missing: bool,
        open_count: int,
        batch: Batch,
        *,
        by_pattern: bool = False,
        sets: str = "useful",
        has_several_tiers: bool = False,
        found: str = "found",
        is_first: bool = False,
        with_owners: bool = False,
    ) -> int:
        """Find the open persons, or the questions, that the sets of a batch single out.

        Args:
            ignore_missing: Whether a missing value reveals nothing.
            open_count: For how many open combinations each set is examined.
            batch: The sets.
            by_pattern: Whether each set is for the open persons with its pattern of missing values.
            sets: The table of sets.
            has_several_tiers: Whether the sets belong to several tiers.
            found: The table that gets the persons.
            is_first: Whether the table is made anew.
            with_owners: Whether to find users as well as records, in the table `singled` instead.

        Returns:
            How often a person was singled out.
        """
        made, rows = self.combinations, self.rows
        has_witnesses = self.has_witnesses(open_count) or (
            sets == "closures" and open_count < costs.WITNESS_SHARE_OF_CLOSURES * rows
        )
        common: dict[str, int | str] = {
            "by_user": made.user is not None,
            "ignore_missing": ignore_missing and made.missing_cells > 0,
            "found": found,
            "witnesses": has_witnesses,
        }
        first, last = batch.first, batch.last
        if made.is_large and not self.is_asked:
            common["with_values"] = self.has_values
            return self._examine_one_by_one(first, last, sets, open_count, is_first, common)
        fields = made.layout.join_fields(list_positions(batch.used))
        words = sorted(fields, key=lambda word: -fields[word].bit_length())
        bits = fields[words[-1]].bit_length()
        has_room = bits + (last - first).bit_length() <= costs.KEY_BITS
        return made.fill(
            "examine_sets",
            table=self.table,
            replace=is_first,
            words=words,
            bits=bits if has_room else None,
            sets=sets,
            first=first,
            last=last,
            several_tiers=has_several_tiers,
            by_pattern=by_pattern,
            questions=self.has_questions,
            skip_known=self.is_asked,
            owners=with_owners,
            **common,
        )

    # --- large tables ----------------------------------------------------------------------------

    def _examine_one_by_one(
        self,
        first: int,
        last: int,
        sets: str,
        open_count: int,
        is_first: bool,
        common: Mapping[str, int | str],
    ) -> int:
        """Examine each of these sets by itself, in tables that it may share with others."""
        made, has_witnesses = self.combinations, bool(common["witnesses"])
        listed = self.session.run("listed_sets", sets=sets, first=first, last=last)
        shared = {
            row["number"]: self._find_telling_pair(row["mask"], open_count, has_witnesses) for row in listed
        }
        together: dict[int, list[dict[str, int]]] = {}
        for row in listed:
            together.setdefault(shared[row["number"]], []).append(row)
        singled_out = 0
        for mask, rows in together.items():
            # Sets without a common pair are examined among all combinations.
            near = self._list_near(mask, common) if mask and len(rows) > 1 else ["combinations"]
            for table in near:
                for row in rows:
                    fields = made.layout.join_fields(list_positions(row["mask"]))
                    pattern = row.get("pattern")
                    # Booking a tier leaves out the closed records, but not the closed users. Once a tier
                    # is cheaper than once a set if most are open.
                    is_open_only = (
                        pattern is not None
                        or 2 * open_count < made.count
                        or (made.user is not None and open_count != self.everybody)
                    )
                    singled_out += made.fill(
                        "examine_set",
                        table=table,
                        tier=row["tier"],
                        mask=row["mask"],
                        set_bits=made.set_bits,
                        words=list(fields),
                        fields=list(fields.values()),
                        pattern=pattern,
                        open_only=is_open_only,
                        replace=is_first,
                        **common,
                    )
                    is_first = False
        return singled_out

    def _find_telling_pair(self, mask: int, open_count: int, has_witnesses: bool) -> int:
        """Return the pair of attributes that best separates combinations; 0 if useless."""
        if open_count >= costs.NEAR_SHARE * self.combinations.count:
            return 0
        pairs = map(make_mask, itertools.combinations(list_positions(mask), 2))
        pair = max(pairs, key=self._count_classes, default=0)
        least = costs.NEAR_CLASSES * costs.SAMPLED_FOR_DEPENDENCIES
        return pair if has_witnesses or self._count_classes(pair) >= least else 0

    def _count_classes(self, pair: int) -> int:
        """Count the classes of a pair of attributes in a sample, or the most it can have."""
        return self.combinations.dependencies.pair_classes.get(pair, self._count_possible(pair))

    def _list_near(self, pair: int, common: Mapping[str, int | str]) -> Iterator[str]:
        """List the combinations near an open one: equal in a pair of attributes."""
        made = self.combinations
        fields = made.layout.join_fields(list_positions(pair))
        near = made.fill(
            "near",
            table="combinations",
            words=made.layout.count,
            used=list(fields),
            fields=list(fields.values()),
            with_values=common["with_values"],
            into="near_combinations",
        )
        yield "near_combinations" if near < costs.NEAR_SHARE * made.count else "combinations"
        self.session.run("drop_table", table="near_combinations")

    def _count_possible(self, mask: int) -> int:
        """Count the combinations that a set can have at most."""
        return math.prod(self.combinations.counts[position] + 1 for position in list_positions(mask))
