"""Measure the distance between the distributions of a release and its original.

It is measured over all attributes and over sets of some. Over all attributes, each combination of the
original is looked up once for each way in which whole records are generalized. Local recoding has many ways:
there the classes that cover a combination are found by bits, if there are not too many classes. Otherwise
some attributes are written out as the values that they cover, which leaves fewer ways, if that is cheaper.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from duckrisk.base.errors import MemoryEndedError
from duckrisk.measures.sets.encoding import WORD_BITS
from duckrisk.measures.sets.masks import split_range
from duckrisk.release.comparison import class_masses, grid_masses
from duckrisk.release.comparison.coverage import Coverage
from duckrisk.release.comparison.packing import Part, join_bits, list_ranges, make_attribute_mask

#: Lookups of a combination in a way of generalizing; a comparison with more is refused (a choice: minutes).
MAX_PROBES = 1_000_000_000
#: Pairs of a combination and an overlapping interval; a comparison with more is refused (a choice: minutes).
MAX_PAIRS = 5_000_000_000
#: Words of classes of the combinations of the original, times attributes; with more, combinations are looked
#: up (measured: 18 million take 0.4 seconds, Adult with 14 attributes and 3,600 classes).
_MAX_CLASS_WORDS = 500_000_000
#: Rows of a packed release, where each cell has a row for each run of values; with more, U is bounded
#: (measured: a million rows of 14 attributes take 0.4 GB).
_MAX_PACKED_ROWS = 10_000_000
#: Cost of writing out a combination, in lookups (a choice: it only decides which way is taken;
#: tests/benchmarks/compare.py measures both).
_COST_OF_WRITING = 5
#: Attributes compared by running sums (derived: the statement `release_masses` sums over one or two ranges).
_MAX_SUMMED = 2
#: Cost of sorting a row for running sums, in pairs (a choice: as above).
_COST_OF_SORTING = 40
#: Cost of grouping a row, in pairs (a choice: as above).
_COST_OF_GROUPING = 15
#: Lookups and rows; below, ranges are written out instead of compared (a choice: seconds).
_CHEAP_PAIRS = 100_000_000
#: Pairs of a combination and a set of attributes of one statement (a choice: it bounds memory).
_PAIRS_PER_STATEMENT = 1_000_000
#: Combinations of one part (parts take half a gigabyte each, and four fifths of the time of a whole).
_COMBINATIONS_PER_PART = 3_000_000
#: Bits of the number of parts (a choice: each part reads both tables).
_MAX_PART_BITS = 5
#: Bits that the masses of all records may take (derived: the 127 of a HUGEINT, with some to spare).
_MASS_BITS = 124
#: Bits that the smallest mass must keep (a choice: nearly the 53 of a DOUBLE).
_MIN_PRECISION = 50
#: Bits after the binary point of a mass (derived: exponents of a DOUBLE end at 1,023).
_MAX_BITS = 1_000


@dataclass(frozen=True)
class Distance:
    """The distance of a release from the original (template ``release_distance``)."""

    combinations: int
    kl: float | None
    kl_of_nothing: float
    information: float | None
    total_variation: float
    largest_difference: float
    uncovered: int


@dataclass(frozen=True)
class Plan:
    """How all attributes are compared.

    Attributes:
        written: Attributes that are written out.
        releases: Table of the release with these written out.
        too_much: Whether the comparison would take too long.
        by_class: Whether the classes that cover a combination are found by bits.
    """

    written: Sequence[Part]
    releases: str
    too_much: bool
    by_class: bool = False


#: The plan that writes nothing out.
_UNCHANGED_PLAN = Plan([], "releases", False)


class Distances:
    """Measures the distances of one release."""

    def __init__(self, coverage: Coverage) -> None:
        self.coverage = coverage
        self.session, self.leaves, self.parts = coverage.session, coverage.leaves, coverage.parts
        self.layers, self.words, self.records = coverage.layers, coverage.words, coverage.records
        plain = all(part.plain for part in self.parts)
        self._is_original = plain and coverage.release == self.leaves.original

    @cached_property
    def plan(self) -> Plan:
        """The plan with the least cost for all attributes."""
        if self._is_original:
            return _UNCHANGED_PLAN
        if not _has_one_way(self.parts):
            row = self.session.fetch_row("compared_counts")
            words = class_masses.count_words(row["classes"]) * row["combinations"]
            if words * len(self.parts) <= _MAX_CLASS_WORDS:
                return Plan([], "", too_much=False, by_class=True)
            ranged = [part for part in self.parts if part.by_range]
            if ranged and self._count_packed_rows(ranged) > _MAX_PACKED_ROWS:
                return Plan([], "", too_much=True)
        self.coverage.pack_releases(self.parts)
        return self._plan_lookups()

    def _count_packed_rows(self, ranged: Sequence[Part]) -> float:
        """Count the rows of the packed release, by the attributes that have ranges."""
        self.coverage.write_cell_fields(ranged)
        numbers = [part.attribute.number for part in ranged]
        tables = [f"cell_fields_{number}" for number in numbers]
        row = self.session.fetch_row("packed_rows", ranges=numbers, tables=tables)
        return float(row["rows"] or 0)

    def _plan_lookups(self) -> Plan:
        """Return the plan with the least cost to look up combinations."""
        order = sorted(self.parts, key=lambda part: (part.covered, part.attribute.number))
        ranged = [part for part in order if part.by_range]
        others = [part for part in order if part.ways > 1 and not part.by_range]
        choices = [others[:count] for count in range(len(others) + 1)]
        if ranged:
            choices += [[*ranged, *written] for written in choices]
        rows = self.session.run(
            "release_work",
            words=self.words,
            choices=[[part.attribute.number for part in written] for written in choices],
            kept_bits=[self._get_kept_masks(written) for written in choices],
            again_masks=[self._get_again_mask(written) for written in choices],
        )
        costs = [row["probes"] + _COST_OF_WRITING * row["rows"] for row in rows]
        best = min(range(len(costs)), key=costs.__getitem__)
        if ranged:  # the cost of ranges is unknown before they are compared
            exact = min(range(len(costs) // 2, len(costs)), key=costs.__getitem__)
            best = exact if costs[exact] <= max(_CHEAP_PAIRS, costs[best]) else best
        written = choices[best]
        if rows[best]["probes"] + rows[best]["rows"] > MAX_PROBES:
            return Plan(written, "", too_much=True)
        if written:
            self._write_out(written)
        releases = "written" if written else "releases"
        summed, effort = self._choose_summed(self.parts, written)
        if effort and not summed:  # count the pairs instead of estimating them
            asked = {"releases": releases, "words": self.words}
            parts = self._split_parts(self.parts, written)
            effort = sum(self.session.fetch_row("release_pairs", **asked, **part)["pairs"] for part in parts)
        return Plan(written, releases, too_much=effort > MAX_PAIRS)

    def _list_ranged(self, chosen: Iterable[Part], written: Sequence[Part]) -> list[Part]:
        """List the attributes that are compared by ranges, those with most values first."""
        ranged = [part for part in chosen if part.by_range and part not in written]
        return sorted(ranged, key=lambda part: -self.leaves.counts[part.attribute.number])

    def _choose_summed(self, chosen: Sequence[Part], written: Sequence[Part]) -> tuple[list[Part], float]:
        """Choose attributes to compare by running sums, and estimate the work of ranges.

        Running sums take one or two attributes, masses that are whole numbers, and no more work than
        comparing pairs. Otherwise there are none. The work is in pairs.
        """
        ranged = self._list_ranged(chosen, written)
        if not ranged:
            return [], 0
        comparing = self._estimate_pairs(chosen, ranged)
        if len(ranged) > _MAX_SUMMED or self._choose_mass_bits(chosen) is None:
            return [], comparing
        sorting = self._estimate_sorting(chosen, ranged)
        return (ranged, sorting) if sorting <= comparing else ([], comparing)

    def _estimate_sorting(self, chosen: Sequence[Part], ranged: Sequence[Part]) -> float:
        """Estimate the work of running sums in pairs.

        Each combination and each end of a range is sorted. With a second range, this repeats for every second
        bit of the numbers of its values.
        """
        combinations, cells = self._bound_sizes(chosen)
        halvings = ranged[1].leaf.bits / 2 + 1 if len(ranged) > 1 else 1
        return _COST_OF_SORTING * halvings * (combinations + (cells << len(ranged)))

    def _estimate_pairs(self, chosen: Sequence[Part], ranged: Sequence[Part]) -> float:
        """Estimate the pairs of a combination and a value to compare.

        These have the same high bits in attributes compared by ranges, and the same value in the others.
        """
        combinations, cells = self._bound_sizes(chosen)
        pairs = float(combinations * cells)
        for part in chosen:
            layers = self.layers.get(part.attribute.number, ())
            if part in ranged:
                count = self.leaves.counts[part.attribute.number]
                near = 1 << (part.bucket.shift - part.leaf.shift) if part.bucket is not None else count
                pairs *= min(1.0, (part.covered + near) / count)
            elif layers:
                pairs *= sum(row.records / row.cells for row in layers) / sum(row.records for row in layers)
        return max(pairs, float(combinations))

    def _estimate_weight(self, chosen: Sequence[Part]) -> float:
        """Estimate how long a set of attributes takes, relative to others."""
        return 1 + _COST_OF_GROUPING * sum(self._bound_sizes(chosen)) + self._choose_summed(chosen, ())[1]

    def _bound_sizes(self, chosen: Sequence[Part]) -> tuple[int, int]:
        """Return upper bounds of the combinations of attributes in original and release."""
        counts = self.leaves.counts
        values = math.prod(counts[part.attribute.number] for part in chosen)
        cells = math.prod(self._count_cells(part) for part in chosen)
        return min(self._table_sizes[0], values), min(self._table_sizes[1], cells)

    def _get_again_mask(self, written: Sequence[Part]) -> int:
        """Return the bits of attributes whose runs need no high bits."""
        return make_attribute_mask(
            [*(p for p in written if p.by_range), *self._choose_summed(self.parts, written)[0]]
        )

    def _get_kept_masks(self, written: Sequence[Part]) -> list[int]:
        """Return the bits of each word that stay if some attributes are written out."""
        gone = [*written, *self._choose_summed(self.parts, written)[0]]
        fields = [packed for part in gone for packed in part.fields]
        return [((1 << WORD_BITS) - 1) & ~join_bits(word, fields) for word in self.words]

    def _write_out(self, written: Sequence[Part]) -> None:
        """Make the table of the release with some attributes written out."""
        for part in written:
            number = part.attribute.number
            self.session.run(
                "cell_spread",
                fields=f"cell_fields_{number}",
                reach=f"reach_{number}",
                leaves=self.leaves.counts[number],
                words=part.words,
                by_range=part.by_range,
                table=f"spread_{number}",
            )
        self.session.run(
            "written_out",
            words=self.words,
            kept_bits=self._get_kept_masks(written),
            attributes=[part.attribute.number for part in self.parts],
            ranges=[p.attribute.number for p in self.parts if p.by_range and p not in written],
            spreads=[f"spread_{part.attribute.number}" for part in written],
            numbers=[part.attribute.number for part in written],
            ranged=[part.attribute.number for part in written if part.by_range],
            parts=[part.words for part in written],
            masks=[[join_bits(word, part.fields) for word in part.words] for part in written],
            leaf_words=[part.leaf.word for part in written],
            leaf_shifts=[part.leaf.shift for part in written],
            leaf_masks=[part.leaf.mask for part in written],
            again_mask=self._get_again_mask(written),
            bits=self._choose_mass_bits(self.parts),
        )

    def _choose_mass_bits(self, parts: Sequence[Part]) -> int | None:
        """Return the bits after the binary point of masses; None if masses do not fit."""
        least, most = 0, sum(self.leaves.counts[part.attribute.number].bit_length() for part in parts)
        if len(parts) == len(self.parts):
            least, most = self._covered_bits
        bits = min(_MASS_BITS - self.records.bit_length() + least, _MAX_BITS)
        return bits if bits - most >= _MIN_PRECISION else None

    @cached_property
    def _covered_bits(self) -> tuple[int, int]:
        """Binary logarithms of the least and the most combinations that a record covers."""
        numbers = [part.attribute.number for part in self.parts]
        row = self.session.fetch_row("covered_bits", attributes=numbers)
        return row["least"], row["most"]

    def measure_distance(self) -> Distance | None:
        """Measure the distance over all attributes; None if time or memory is too short."""
        if self._is_original:
            self.session.run("own_masses")
            return self._fetch_distances([self.parts])[0]
        return None if self.plan.too_much else self._measure_batches([[self.parts]], self.plan)[0]

    @property
    def unchanged(self) -> set[int]:
        """Numbers of attributes whose combinations are as frequent as in the original."""
        kept = [part for part in self.parts if part.plain]
        numbers = [part.attribute.number for part in kept]
        if self.coverage.release != self.leaves.original and kept:
            if self.records != self.leaves.records:
                return set()
            self.coverage.number_combinations()
            self.session.run("single_value_masses", attributes=numbers)
            if self._fetch_distances([kept])[0].total_variation > 0:
                return set()
        return set(numbers)

    def measure_distances(self, sets: Sequence[Sequence[int]]) -> list[Distance | None]:
        """Measure the distance over each of some sets of attributes.

        Args:
            sets: Numbers of the attributes of each set.

        Returns:
            A distance for each set; None if it takes too much time or memory.
        """
        bits = self._choose_mass_bits([])
        grids = [
            numbers
            for numbers in sets
            if bits is not None
            and len(numbers) <= 2
            and grid_masses.count_points(self.coverage, numbers) <= grid_masses.MAX_POINTS
        ]
        batches = grid_masses.split_batches(self.coverage, grids)
        found: dict[tuple[int, ...], Distance | None] = {}
        for batch in self.session.steps.track(batches, to=0.1):
            assert bits is not None
            grid_masses.find_masses(self.coverage, batch, 0, bits)
            chosen = [[self.parts[number] for number in numbers] for numbers in batch]
            found |= zip(batch, self._fetch_distances(chosen), strict=True)
        rest = [numbers for numbers in sets if tuple(numbers) not in found]
        found |= self._look_up_distances(rest)
        return [found.get(tuple(numbers)) for numbers in sets]

    def _look_up_distances(self, sets: Sequence[Sequence[int]]) -> dict[tuple[int, ...], Distance | None]:
        """Measure the distances over sets by lookups, except those that take too long."""
        alike: dict[tuple[Hashable, ...], list[list[Part]]] = {}
        for numbers in sets:
            chosen = [part for part in self.parts if part.attribute.number in numbers]
            if len(chosen) > 1 and self._choose_summed(chosen, ())[1] > MAX_PAIRS:
                continue
            ranged = tuple(part.attribute.number for part in chosen if part.by_range)
            words = tuple(_list_words(chosen)) if _has_one_way(chosen) else ()
            alike.setdefault((_has_one_way(chosen), _is_compared_by_value(chosen), words, ranged), []).append(
                chosen
            )
        most = _PAIRS_PER_STATEMENT // max(1, sum(self._table_sizes))
        batches = [
            those[first : last + 1]
            for those in alike.values()
            for first, last in split_range(len(those), most)
        ]
        if not batches:
            return {}
        each = [tuple(part.attribute.number for part in chosen) for some in batches for chosen in some]
        return dict(zip(each, self._measure_batches(batches, _UNCHANGED_PLAN), strict=True))

    @cached_property
    def _table_sizes(self) -> list[int]:
        """Number of combinations of the original and of the release."""
        tables = ["originals", "classes"]
        return [row["records"] for row in self.session.run("row_counts", tables=tables)]

    def _measure_batches(
        self, batches: Sequence[Sequence[Sequence[Part]]], plan: Plan
    ) -> list[Distance | None]:
        """Measure batches of sets with equal ranges; the memory may end before the last."""
        first, has_memory = 0, True
        weights = [sum(map(self._estimate_weight, some)) for some in batches]
        for some in self.session.steps.track(batches, to=0.3, weights=weights):
            if not has_memory:
                continue
            try:
                if plan.by_class:
                    class_masses.find_masses(self.coverage, self._choose_mass_bits(self.parts))
                else:
                    self._find_masses(some, plan, first)
            except MemoryEndedError:
                has_memory = False
            else:
                first += len(some)
        sets = [chosen for some in batches for chosen in some]
        found = self._fetch_distances(sets[:first]) if first else []
        return [*found, *[None] * (len(sets) - first)]

    def _fetch_distances(self, sets: Sequence[Sequence[Part]]) -> list[Distance]:
        """Fetch the distances over sets whose masses were found."""
        rows = self.session.run(
            "release_distance",
            sets=[[part.attribute.number for part in chosen] for chosen in sets],
            leaves=self.leaves.counts,
            records=self.leaves.records,
            released=self.records,
        )
        return [Distance(**row) for row in rows]

    def _find_masses(self, sets: Sequence[Sequence[Part]], plan: Plan, first: int) -> None:
        """Find the masses of the release on combinations of sets, numbered from `first`."""
        words = _list_words(part for chosen in sets for part in chosen)
        if not plan.written:
            self.coverage.pack_releases(self._list_packed(sets))
        ranged, bits = (
            self._list_ranged(sets[0], plan.written),
            [self._choose_mass_bits(chosen) for chosen in sets],
        )
        summed = self._choose_summed(sets[0], plan.written)[0] if None not in bits else []
        fields = [[packed for part in chosen for packed in part.fields] for chosen in sets]
        compared = [
            [
                packed
                for part in chosen
                if part not in summed
                for packed in ([part.leaf] if part in plan.written else part.compared)
            ]
            for chosen in sets
        ]
        asked: dict[str, Any] = {
            "words": words,
            "sets": [[part.attribute.number for part in chosen] for chosen in sets],
            "sizes": [part.attribute.number for part in self.parts if not part.plain],
            "fields": [[join_bits(word, those) for those in fields] for word in words],
            "compared": [[join_bits(word, those) for those in compared] for word in words],
            "false_masks": [
                make_attribute_mask(part for part in chosen if not part.missing) for chosen in sets
            ],
            "once_masks": [
                make_attribute_mask(part for part in self.parts if part not in chosen) for chosen in sets
            ],
            "first_set": first,
        }
        if not plan.written and all(map(_has_one_way, sets)):
            plain = all(map(_is_compared_by_value, sets))
            self.session.run("one_way_masses", **asked, single_values=plain, replace=first == 0)
            return
        asked |= {
            "originals": "originals",
            "releases": plan.releases,
            "listed": plan.releases == "written",
            "bits": None if None in bits else bits[0],
            "again_mask": make_attribute_mask(summed),
            "halvings": (summed[1].leaf.bits if len(summed) == 2 else 0) if summed else None,
            **list_ranges(ranged),
        }
        parts = self._split_parts(sets[0], plan.written)
        for place, part in enumerate(self.session.steps.track(parts)):
            self.session.run("release_masses", **asked, **part, replace=first + place == 0)

    def _list_packed(self, sets: Sequence[Sequence[Part]]) -> list[Part]:
        """List the attributes to pack for sets with the same ranges."""
        if not any(part.by_range for part in sets[0]):
            return [part for part in self.parts if not part.by_range]
        return [part for part in self.parts if any(part in chosen for chosen in sets)]

    def _count_cells(self, part: Part) -> int:
        """Count the different values of an attribute of the release."""
        return sum(layer.cells for layer in self.layers.get(part.attribute.number, ())) or 1

    def _split_parts(self, chosen: Sequence[Part], written: Sequence[Part]) -> list[dict[str, int]]:
        """Split large tables into parts, by the values of one attribute."""
        counts = self.leaves.counts
        values = [part for part in chosen if part.plain or part in written]
        rows = max(self._bound_sizes(chosen))
        bits = ((rows - 1) // _COMBINATIONS_PER_PART).bit_length()
        if not values or not bits:
            return [{"part_word": 0, "part_bits": 0, "part": 0}]
        split_by = max(values, key=lambda part: counts[part.attribute.number])
        bits = min(bits, _MAX_PART_BITS, counts[split_by.attribute.number].bit_length() - 1)
        shift, mask = split_by.leaf.shift, (1 << bits) - 1
        return [
            {"part_word": split_by.leaf.word, "part_bits": mask << shift, "part": value << shift}
            for value in range(mask + 1)
        ]


def _has_one_way(parts: Iterable[Part]) -> bool:
    """Return whether each attribute compares the same bits for all values."""
    return all(not part.by_range and (part.ways == 1 or not part.own) for part in parts)


def _is_compared_by_value(parts: Iterable[Part]) -> bool:
    """Return whether each attribute compares values as they are."""
    return all(part.compared == [part.leaf] for part in parts)


def _list_words(parts: Iterable[Part]) -> list[int]:
    """List the words that hold the bits of some attributes."""
    return sorted({word for part in parts for word in part.words})
