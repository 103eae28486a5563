"""Which attribute sets single somebody out of the combinations of a source.

Everything is done in SQL; Python decides how many sets share a statement, and which form it has.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from duckrisk.measures.identifiability.combinations import SAMPLES, Combinations, mask_of, positions_of, spans

#: Bits of a key that a batch of sets is grouped by, without the sign.
KEY = 63
#: A batch groups about so many combinations of a record and a set: its hash table stays in the cache.
BATCH_PAIRS = 1_000_000
#: A batch looks at no more than so many, that a limit is noticed in time. They are no fewer than the others.
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
#: Sets that leave out some of so many attributes that tell most are looked at among the combinations without
#: these, for so many pairs of a set and a combination, where that leaves no larger share of them.
TELLING = 4
NARROWED_SHARE = 0.8
NARROWED_PAIRS = 300_000
#: Open combinations are compared with those that agree with them in so many attributes they require, where
#: that makes no more pairs than these, each as dear as so many combinations looked at for one set; pairs are
#: counted in about so many combinations, in one of so many at least.
ANCHOR = 3
AGREEMENT_PAIRS = 50_000_000
AGREEMENT_COST = 8
SAMPLED = 2_000
SPARSEST = 1_000
#: More agreements than so many times the combinations take longer than sets: it is tried at such a share
#: of the open ones.
MOST_AGREEMENTS = 2
DISCARDED_SHARE = 0.25
#: A closure for each pattern of missing values pays for no more patterns than these.
MOST_PATTERNS = 200


class Batch(NamedTuple):
    """The sets that a statement looks at: how many they are, the first and the last of their numbers, the
    attributes that they have together, the parts of the most telling ones that each has one of, if any has,
    and the table of combinations with its rows."""

    sets: int
    first: int
    last: int
    used: int
    parts: Sequence[int]
    table: str
    rows: int


class Examining(Combinations):
    """The combinations of a source, and how sets are looked at among them."""

    #: How many combinations were open when they were last compared.
    compared: int
    #: How many were open at first, if those were all that anything singles out.
    everybody: int | None

    def _patterns(self, ignore_missing: bool) -> bool:
        """Whether the patterns of missing values among the open persons are looked at one by one."""
        if not ignore_missing or not self.missing_cells:
            return False
        return bool(self.session.fetch_row("count_patterns")["patterns"] <= MOST_PATTERNS)

    def _closures(self, unions: int, patterns: bool) -> int:
        """How many sets are looked at to find whom so many large sets single out."""
        return unions * (int(self.session.fetch_row("count_patterns")["patterns"]) if patterns else 1)

    def _close(self, unions: Sequence[int], patterns: bool, left: int) -> int:
        """Find which of the ``left`` open persons these large sets single out, on each pattern of missing
        values; returns how often one was."""
        count = self._made(
            "closure_sets",
            unions=unions,
            words=self.layout.count,
            patterns=patterns,
        )
        if not count:
            self._empty("closed", ["id", "number"], ["mask"])
        # Patterns of few persons are looked at among those who share a combination with one of these.
        parts = self.session.fetch_row("count_closures", many=WITNESS_SHARE_OF_CLOSURES * self.combinations)
        self.closure_pairs += parts["unions"] * self.combinations
        ranges = ((0, parts["many"], left), (parts["many"], count - parts["many"], parts["most_of_few"]))
        batches = (
            (here, batch)
            for begin, sets, here in ranges
            for batch in self._batches("closures", begin, sets, here)
        )
        return sum(
            self._examine(
                patterns,
                here,
                batch,
                open_if="pattern" if patterns else "all",
                sets="closures",
                found="closed",
                begin=place == 0,
            )
            for place, (here, batch) in enumerate(batches)
        )

    @property
    def asked(self) -> bool:
        """Whether sets are looked at for questions, among combinations with a set that is known."""
        return self.base == "asked_combinations"

    def _by_witnesses(self, here: int, rows: int) -> bool:
        share = WITNESS_SHARE_OF_LARGE if self.large else WITNESS_SHARE
        return here < share * rows

    def _batches(self, sets: str, begin: int, count: int, here: int, timed: bool = False) -> Iterator[Batch]:
        """The batches of so many sets from number ``begin`` on that each statement looks at. Of sets for
        questions those that leave out the same telling attributes are together. On a large table each set
        has statements of its own, and these may share parts of the table: none do where time is limited."""
        if count == 0:
            return
        if self.large and not self.asked:
            for first, last in spans(count, 1 if timed else SETS_AT_ONCE):
                size = last + 1 - first
                yield Batch(size, begin + first, begin + last, 0, (), self.base, self.combinations)
            return
        narrowed: list[tuple[dict[str, int], str, int]] = []
        pooled: list[int] = []
        if self.questions and not self.large and count * self.combinations >= NARROWED_PAIRS:
            self._choose_telling()
            for row in self.session.run(
                "parts_of_sets", sets=sets, first=begin, last=begin + count - 1, telling=self.telling
            ):
                table, rows = self._narrow(row["part"], row["sets"])
                if row["sets"] * (self.combinations - rows) >= NARROWED_PAIRS:
                    narrowed.append((row, table, rows))
                else:
                    pooled.append(row["part"])
        for row, table, rows in narrowed:
            part = [row.pop("part")]
            if row["sets"] <= self._most(here, rows):
                yield Batch(**row, parts=part, table=table, rows=rows)
            else:
                yield from self._spans_of(sets, begin, count, here, part, table, rows)
        if pooled or not narrowed:
            parts = pooled if narrowed else []
            yield from self._spans_of(sets, begin, count, here, parts, self.base, self.combinations)

    def _most(self, here: int, rows: int) -> int:
        """How many sets share a statement among so many rows."""
        grouped = here if self._by_witnesses(here, rows) else rows
        return max(1, min(BATCH_PAIRS // max(1, grouped), PROBED_PAIRS // max(1, rows)))

    def _spans_of(
        self, sets: str, begin: int, count: int, here: int, parts: Sequence[int], table: str, rows: int
    ) -> Iterator[Batch]:
        """The batches of so many sets from number ``begin`` on that hold one of these parts, in order."""
        for row in self.session.run(
            "unions_of_sets",
            sets=sets,
            first=begin,
            last=begin + count - 1,
            telling=self.telling,
            parts=parts,
            most=self._most(here, rows),
        ):
            yield Batch(**row, parts=parts, table=table, rows=rows)

    def _choose_telling(self) -> None:
        """Choose the attributes without which fewest combinations are told apart."""
        if self.telling:
            return
        rows = self.session.run("field_entropy", words=self.layout.words, masks=self.layout.masks)
        entropy = {row["position"]: row["entropy"] for row in rows}
        forms = list(self.coarser.values())
        telling = sorted(self.searched, key=lambda position: -entropy.get(position, 0.0))[:TELLING]
        self.telling = mask_of([*telling, *forms])

    def _look_at(self, base: str) -> None:
        """Look at sets in this table of combinations, and leave those made of another."""
        for table in {table for table, _ in self.narrowed.values()} - {self.base}:
            self.session.run("drop_table", table=table)
        self.base, self.telling, self.narrowed = base, 0, {}

    def _narrow(self, part: int, sets: int) -> tuple[str, int]:
        """The table that so many sets with this part of the telling attributes are looked at in, and its
        rows: one without the others where that pays, else one that was made before, or all combinations."""
        if part in self.narrowed:
            return self.narrowed[part]
        whole = (self.base, self.combinations)
        wider = [made for kept, made in self.narrowed.items() if part & ~kept == 0]
        table, rows = min([whole, *wider], key=lambda made: made[1])
        if sets * rows < NARROWED_PAIRS:
            return table, rows
        kept = part | mask_of([*self.searched, *self.coarser.values()]) & ~self.telling
        fields = self.layout.fields(positions_of(kept))
        into = f"narrowed_{len(self.narrowed)}"
        made = self._made(
            "narrow",
            table=table,
            kept=kept,
            words=self.layout.count,
            fields=[fields.get(word, 0) for word in range(self.layout.count)],
            into=into,
        )
        if made > NARROWED_SHARE * rows:
            self.session.run("drop_table", table=into)
            self.narrowed[part] = table, rows
        else:
            self.narrowed[part] = into, made
        return self.narrowed[part]

    def _examine(
        self,
        ignore_missing: bool,
        here: int,
        batch: Batch,
        *,
        class_bit: int = 0,
        open_if: str = "all",
        sets: str = "useful",
        several_tiers: bool = False,
        found: str = "found",
        begin: bool = False,
    ) -> int:
        """Put the open persons whom these sets single out into the table ``found``, which is to ``begin`` or
        is added to; or their questions."""
        witnesses = self._by_witnesses(here, batch.rows) or (
            sets == "closures" and here < WITNESS_SHARE_OF_CLOSURES * batch.rows
        )
        common: dict[str, int | str] = {
            "by_user": self.user is not None,
            "ignore_missing": ignore_missing and self.missing_cells > 0,
            "found": found,
            "witnesses": witnesses,
            "class": class_bit,
        }
        first, last = batch.first, batch.last
        if self.large and not self.asked:
            common["with_values"] = self.with_values
            return self._examine_one_by_one(first, last, sets, here, begin, common)
        fields = self.layout.fields(positions_of(batch.used))
        words = sorted(fields, key=lambda word: -fields[word].bit_length())
        bits = fields[words[-1]].bit_length()
        return self._made(
            "examine_sets",
            table=batch.table,
            telling=self.telling,
            parts=batch.parts,
            replace=begin,
            words=words,
            bits=bits if bits + (last - first).bit_length() <= KEY else None,
            sets=sets,
            first=first,
            last=last,
            several_tiers=several_tiers,
            open_if="class" if class_bit else open_if,
            questions=self.questions,
            skip_known=self.asked,
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
                        # Booking a tier leaves out the closed records, but not the closed users. Once a tier
                        # is cheaper than once a set if most are open.
                        open_only=pattern is not None
                        or 2 * here < self.combinations
                        or (self.user is not None and here != self.everybody),
                        replace=begin,
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

    def _unbound(self) -> int:
        """How many open combinations require no attribute."""
        return int(self.session.fetch_row("count_unbound")["combinations"])

    def _compare_open(self, left: int, unbound: int, affordable: int, positions: Sequence[int]) -> int:
        """Compare the open combinations, on the attributes at these positions, with all that agree with them
        in what they require, where that costs less than the affordable pairs of a set and a combination;
        returns the number of agreements, 0 for none."""
        if AGREEMENT_COST * unbound * self.combinations > affordable:
            return 0
        words = self.layout.count
        values = [*self.values, *self.counts[len(self.values) :]]
        by_values = sorted(range(len(values)), key=lambda position: -values[position])
        ranks = [by_values.index(position) for position in range(len(values))]
        self.session.run("anchors", words=words, ranks=ranks, size=ANCHOR)
        share = max(1, min(self.combinations // SAMPLED, SPARSEST))
        row = self.session.fetch_row("count_anchors", table=self.base, words=words, share=share)
        pairs = row["pairs"] * share
        cost = row["anchors"] * self.combinations + AGREEMENT_COST * pairs
        if pairs > AGREEMENT_PAIRS or cost > affordable:
            return 0
        fields = self.layout.fields(positions)
        tops = dict.fromkeys(fields, 0)
        for position in positions:
            tops[self.layout.words[position]] |= 1 << self.layout.masks[position].bit_length() - 1
        agreements = self._made(
            "agreements",
            table=self.base,
            positions=positions,
            words=self.layout.words,
            masks=self.layout.masks,
            used=list(fields),
            tops=list(tops.values()),
            lows=[fields[word] & ~tops[word] for word in fields],
            questions=self.questions,
        )
        if agreements > MOST_AGREEMENTS * self.combinations:
            self.compared = int(DISCARDED_SHARE * left)
            return 0
        return max(1, agreements)
