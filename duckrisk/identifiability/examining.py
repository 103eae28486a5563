"""Which attribute sets single somebody out of the combinations of a source.

Everything is done in SQL; Python decides how many sets share a statement, and which form it has.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

from duckrisk.identifiability.combinations import SAMPLES, Combinations, mask_of, positions_of, spans

#: Bits of a key that a batch of sets is grouped by, without the sign.
KEY = 63
#: A batch groups about so many combinations of a record and a set: its hash table stays in the cache.
BATCH_PAIRS = 1_000_000
#: A batch looks at no more than so many, that a limit is noticed in time.
PROBED_PAIRS = 60_000_000
#: On a large table a set with many groups is looked at in parts of about so many combinations, whose groups
#: stay in the cache; no more sets than so many share parts.
PART = 4_000_000
SETS_AT_ONCE = 64
#: Groups are many where a sample of about so many combinations has more than this share of them.
SAMPLED_FOR_GROUPS = 2_000_000
MANY_GROUPS = 0.5
#: Below this share of open combinations only those that share a combination with them are grouped: where sets
#: share a statement and its hash table stays in the cache, and on large tables.
WITNESS_SHARE = 0.03
WITNESS_SHARE_OF_LARGE = 0.15
#: The largest sets tell nearly all combinations apart, and grouping these costs most.
WITNESS_SHARE_OF_CLOSURES = 0.5
#: On large tables sets that share a pair of attributes look only at what agrees in it with an open person,
#: where that is a smaller share than this: below ``WITNESS_SHARE_OF_LARGE`` it is tried for all pairs, else
#: for those that have so many classes for each combination of a sample.
NEAR_SHARE = 0.5
NEAR_CLASSES = 0.5
#: A closure for each pattern of missing values pays for no more patterns than these.
MOST_PATTERNS = 200


class Examining(Combinations):
    """The combinations of a source, and how sets are looked at among them."""

    def _patterns(self, ignore_missing: bool) -> bool:
        """Whether the patterns of missing values among the open persons are looked at one by one."""
        if not ignore_missing or not self.missing_cells:
            return False
        return bool(self.session.row("count_patterns")["patterns"] <= MOST_PATTERNS)

    def _closures(self, positions: Sequence[int], patterns: bool) -> int:
        """How many large sets are looked at to find which of these attributes the open persons require."""
        return len(positions) * (self.session.row("count_patterns")["patterns"] if patterns else 1)

    def _close(self, unions: list[int], patterns: bool, left: int) -> int:
        """Find which of the ``left`` open persons these large sets single out, on each pattern of missing
        values; returns how often one was."""
        count = self._made(
            "closure_sets",
            unions=unions,
            words=self.layout.count,
            patterns=int(patterns),
        )
        if not count:
            self._empty("closed", ["id"], ["mask"])
        self.closure_pairs += count * self.combinations
        open_if = "pattern" if patterns else "all"
        return sum(
            self._examine(
                patterns,
                left,
                first=first,
                last=last,
                used=used,
                open_if=open_if,
                sets="closures",
                found="closed",
            )
            for first, last, used in self._batches("closures", 0, count, left, open_if)
        )

    def _by_witnesses(self, here: int) -> bool:
        share = WITNESS_SHARE_OF_LARGE if self.large else WITNESS_SHARE
        return here < share * self.combinations

    def _batches(
        self, sets: str, begin: int, count: int, here: int, open_if: str = "all", timed: bool = False
    ) -> Iterator[tuple[int, int, int]]:
        """The first and last of so many sets that each statement looks at, counted from ``begin`` on, and the
        attributes that they have together. On a large table each set has statements of its own, and these may
        share parts of the table: none do where time is limited."""
        if count == 0:
            return
        if self.large and open_if != "needed":
            for first, last in spans(count, 1 if timed else SETS_AT_ONCE):
                yield first, last, 0
            return
        grouped = here if self._by_witnesses(here) else self.combinations
        most = min(BATCH_PAIRS // max(1, grouped), PROBED_PAIRS // max(1, self.combinations))
        most = max(1, min(most, count))
        rows = self.session.run("unions_of_sets", sets=sets, first=begin, last=begin + count - 1, most=most)
        for (first, last), row in zip(spans(count, most), rows, strict=True):
            yield first, last, row["mask"]

    def _examine(
        self,
        ignore_missing: bool,
        here: int,
        *,
        first: int,
        last: int,
        used: int,
        class_bit: int = 0,
        open_if: str = "all",
        sets: str = "useful",
        several_tiers: int = 0,
        found: str = "found",
    ) -> int:
        """Put the open persons whom these sets, of the attributes ``used``, single out into the table
        ``found``, which what other tiers found stays in only if it is that of the walk."""
        witnesses = self._by_witnesses(here) or (
            sets == "closures" and here < WITNESS_SHARE_OF_CLOSURES * self.combinations
        )
        common: dict[str, int | str] = {
            "several": int(self.user is not None),
            "ignored": int(ignore_missing and self.missing_cells > 0),
            "found": found,
            "witnesses": int(witnesses),
            "class": class_bit,
        }
        begin = first == 0 and found != "found"
        if self.large and open_if != "needed":
            common["with_values"] = int(self.with_values)
            return self._examine_one_by_one(first, last, sets, here, begin, common)
        fields = self.layout.fields(positions_of(used))
        words = sorted(fields, key=lambda word: -fields[word].bit_length())
        bits = fields[words[-1]].bit_length()
        return self._made(
            "examine_sets",
            table="combinations",
            begin=int(begin),
            words=words,
            bits=bits if bits + (last - first).bit_length() <= KEY else None,
            sets=sets,
            first=first,
            last=last,
            several_tiers=several_tiers,
            open_if="class" if class_bit else open_if,
            **common,
        )

    def _examine_one_by_one(
        self, first: int, last: int, sets: str, here: int, begin: bool, common: Mapping[str, int | str]
    ) -> int:
        """Look at each of these sets on its own, in tables that it may share with others."""
        listed = self.session.run("listed_sets", sets=sets, first=first, last=last)
        by = {
            row["number"]: self._telling_pair(row["mask"], here, bool(common["witnesses"])) for row in listed
        }
        if not common["witnesses"]:
            whole = [row for row in listed if not by[row["number"]]]
            for row in self._with_many_groups(sets, whole):
                by[row["number"]] = 1 << self._widest(positions_of(row["mask"]))
        together: dict[int, list[dict[str, int]]] = {}
        for row in listed:
            together.setdefault(by[row["number"]], []).append(row)
        singled = 0
        for shared, rows in together.items():
            for table in self._tables_for(shared, len(rows), common):
                for row in rows:
                    fields = self.layout.fields(positions_of(row["mask"]))
                    pattern = row.get("pattern")
                    singled += self._made(
                        "examine_set",
                        table=table,
                        tier=row["tier"],
                        mask=row["mask"],
                        set_bits=self.set_bits,
                        words=list(fields),
                        fields=list(fields.values()),
                        pattern=pattern,
                        # Once a tier is cheaper than once a set where most are open.
                        filtered=int(
                            common["several"] or pattern is not None or 2 * here < self.combinations
                        ),
                        begin=int(begin),
                        **common,
                    )
                    begin = False
        return singled

    def _telling_pair(self, mask: int, here: int, witnesses: bool) -> int:
        """The pair of a set's attributes that best tells the combinations apart, where few enough of them may
        agree in it with one of the open persons; 0 where not."""
        if here >= NEAR_SHARE * self.combinations:
            return 0
        pairs = map(mask_of, itertools.combinations(positions_of(mask), 2))
        pair = max(pairs, key=self._telling, default=0)
        return pair if witnesses or self._telling(pair) >= NEAR_CLASSES * SAMPLES[0] else 0

    def _telling(self, pair: int) -> int:
        """How well a pair of attributes tells combinations apart: a larger number where it does it better."""
        return self.pair_classes.get(pair, self._values_of(pair))

    def _tables_for(self, by: int, sets: int, common: Mapping[str, int | str]) -> Iterator[str]:
        """The tables, one at a time, in which so many sets are looked at that contain the attributes ``by``:
        for one attribute parts of the combinations, whose groups stay in the cache; for two what agrees in
        them with an open person; all combinations where that does not pay."""
        if by.bit_count() == 2 and sets > 1:
            yield from self._near(by, common)
        elif by.bit_count() == 1:
            yield from self._parts(by.bit_length() - 1, (self.combinations // PART).bit_length())
        else:
            yield "combinations"

    def _near(self, pair: int, common: Mapping[str, int | str]) -> Iterator[str]:
        """The combinations that agree with an open person's in a pair of attributes, or all if most do."""
        fields = self.layout.fields(positions_of(pair))
        near = self._made(
            "near",
            table="combinations",
            words=self.layout.count,
            used=list(fields),
            fields=list(fields.values()),
            with_values=common["with_values"],
            into="near_combinations",
            **{"class": common["class"]},
        )
        yield "near_combinations" if near < NEAR_SHARE * self.combinations else "combinations"
        self.session.run("drop_table", table="near_combinations")

    def _with_many_groups(self, sets: str, listed: Sequence[dict[str, int]]) -> list[dict[str, int]]:
        """Those of these sets that have too many groups for the cache."""
        share = max(1, self.combinations // SAMPLED_FOR_GROUPS)
        most = MANY_GROUPS * (self.combinations // share)
        able = [row for row in listed if self._values_of(row["mask"]) > most]
        if self.combinations <= PART or not able:
            return []
        rows = self.session.run(
            "estimate_groups",
            table="combinations",
            words=self.layout.count,
            sets=sets,
            numbers=[row["number"] for row in able],
            share=share,
        )
        many = {row["number"] for row in rows if row["groups"] > most}
        return [row for row in able if row["number"] in many]

    def _values_of(self, mask: int) -> int:
        """How many different combinations a set can have at most."""
        return math.prod(self.counts[position] + 1 for position in positions_of(mask))
