"""Find users on the walk over records, so that the walk over users need not group the same sets again.

A class with records of one user only singles this user out. The statement that counts the records of a
class sees that as well, so one grouping serves both walks as long as the first examines every set.
"""

from __future__ import annotations

from duckrisk.measures.sets.classes import Batch
from duckrisk.measures.sets.combinations import Combinations


class Owners:
    """The users that the sets of a walk over records single out, each by its easiest tier.

    Fills the tables `found_owners` and, at the end, `known_sets`.

    Args:
        combinations: The combinations, with the user of each in `owner`.

    Attributes:
        open: How many users a set can still single out.
        is_over: Whether the walk no longer examines every set for them.
    """

    def __init__(self, combinations: Combinations) -> None:
        self.combinations, self.session = combinations, combinations.session
        combinations.empty_table("found_owners", ["id"], ["tier", "mask"])
        self.open = combinations.fill("open_owners", table="combinations")
        self.is_over = False
        #: The first and the last of the sets of each batch that found the users as well.
        self._known: list[tuple[int, int]] = []
        #: How often a user was found since the last were closed.
        self._found = 0

    @classmethod
    def start(cls, combinations: Combinations) -> Owners | None:
        """Open the users, unless each set has a statement of its own.

        Args:
            combinations: The combinations of records.
        """
        return None if combinations.is_large else cls(combinations)

    def keep(self, batch: Batch, *, has_several_tiers: bool) -> int:
        """Keep who is singled out by a batch; return how often a record is.

        Args:
            batch: The sets; the table `singled` has what they single out.
            has_several_tiers: Whether the sets belong to several tiers.
        """
        made = self.combinations
        none = {"sets": None, "first": None, "last": None}
        self._found += made.fill(
            "keep_singled",
            singled="singled",
            person="owner",
            open="open_owners",
            found="found_owners",
            several_tiers=False,
            **none,
        )
        hits = made.fill(
            "keep_singled",
            singled="singled",
            person="id",
            open="open_persons",
            found="found",
            several_tiers=has_several_tiers,
            **none,
        )
        self._known.append((batch.first, batch.last))  # at the end, as time may be over before
        return hits

    def close(self) -> None:
        """Close the users that were found; easier sets than those to come single them out."""
        if self._found:
            self.open, self._found = self.combinations.fill("close_owners", found="found_owners"), 0

    def finish(self) -> None:
        """List the sets that found the users, for the walk that recalls them."""
        self.is_over = True
        if self._known:
            self.session.run(
                "known_sets",
                firsts=[first for first, _ in self._known],
                lasts=[last for _, last in self._known],
            )
        else:  # there may be no table of sets
            self.combinations.empty_table("known_sets", [], ["mask"])
        self.session.run("drop_table", table="open_owners")

    def count_known(self, sets: str, begin: int, count: int) -> int:
        """Count the sets among those to examine, from the first on, whose users are known.

        Args:
            sets: The table of sets.
            begin: The number of the first set.
            count: How many sets there are.
        """
        row = self.session.fetch_row("count_known", sets=sets, first=begin, last=begin + count - 1)
        return int(row["sets"])

    def recall(self, sets: str, batch: Batch, *, has_several_tiers: bool) -> int:
        """Take the open users that known sets single out; return how often they do.

        Args:
            sets: The table of sets.
            batch: The sets.
            has_several_tiers: Whether the sets belong to several tiers.
        """
        return self.combinations.fill(
            "keep_singled",
            singled="found_owners",
            person="id",
            open="open_persons",
            found="found",
            several_tiers=has_several_tiers,
            sets=sets,
            first=batch.first,
            last=batch.last,
        )
