"""How far the distribution of a release is from that of the original, over all attributes and over some.

Over all attributes a combination of the original is looked up once for each way in which whole records
are generalised. Local recoding has many ways; where it pays, the cells of some attributes are written out as
the values that they cover, which leaves fewer.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from duckrisk.measures.identifiability.combinations import spans
from duckrisk.release.comparison.coverage import Coverage
from duckrisk.release.comparison.packing import WORD_BITS, Part, attribute_bits, bits_of, ranges_of

#: Combinations are looked up in no more ways of generalising, counted over all combinations, than these.
MAX_PROBES = 1_000_000_000
#: Where intervals overlap, no more pairs of a combination and a cell are compared than these.
MAX_PAIRS = 5_000_000_000
#: To write a combination out costs so many times what looking one up does.
_COST_OF_WRITING = 5
#: Attributes that are compared by ranges go by running sums where they are no more; to sort a row for these
#: costs so many times what comparing a pair does, and to group one.
_MAX_SUMMED = 2
_COST_OF_SORTING = 40
_COST_OF_GROUPING = 15
#: Below so many of these, ranges are rather written out than compared.
_CHEAP_PAIRS = 100_000_000
#: A statement compares so many pairs of a combination and a set of attributes.
_PAIRS_PER_STATEMENT = 1_000_000
#: More combinations than these are compared in parts, which take half a gigabyte each and, where there is
#: more, four fifths of the time; but in two to the power of so many at most: each part reads both tables.
_COMBINATIONS_PER_PART = 3_000_000
_MAX_PART_BITS = 5
#: What the masses of all records may fill of a whole number of the engine, the bits that the smallest has to
#: keep, and those behind the point that a power of two may have.
_MASS_BITS = 124
_MIN_PRECISION = 50
_MAX_BITS = 1_000


@dataclass(frozen=True)
class Distance:
    """How far a release is from the original; see the template ``release_distance``."""

    combinations: int
    kl: float | None
    kl_of_nothing: float
    information: float | None
    total_variation: float
    largest_difference: float
    uncovered: int


@dataclass(frozen=True)
class Plan:
    """How all attributes are compared: the attributes that are ``written`` out, the release then, and
    whether it would take very long."""

    written: Sequence[Part]
    releases: str
    too_much: bool


#: The release as it is, nothing written out.
_UNCHANGED_PLAN = Plan([], "releases", False)


class Distances:
    """The distances of the release that ``coverage`` is of."""

    def __init__(self, coverage: Coverage) -> None:
        self.coverage = coverage
        self.session, self.leaves, self.parts = coverage.session, coverage.leaves, coverage.parts
        self.layers, self.words, self.records = coverage.layers, coverage.words, coverage.records

    @cached_property
    def work(self) -> Plan:
        """What it takes to compare all attributes, with those written out for which it takes least."""
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
            kept=[self._kept(written) for written in choices],
            again_masks=[self._again(written) for written in choices],
        )
        costs = [row["probes"] + _COST_OF_WRITING * row["rows"] for row in rows]
        best = min(range(len(costs)), key=costs.__getitem__)
        if ranged:  # what ranges cost is only known once they are compared
            exact = min(range(len(costs) // 2, len(costs)), key=costs.__getitem__)
            best = exact if costs[exact] <= max(_CHEAP_PAIRS, costs[best]) else best
        written = choices[best]
        if rows[best]["probes"] + rows[best]["rows"] > MAX_PROBES:
            return Plan(written, "", too_much=True)
        if written:
            self._write_out(written)
        releases = "written" if written else "releases"
        summed, effort = self._way(self.parts, written)
        if effort and not summed:  # pairs can be counted
            asked = {"releases": releases, "words": self.words}
            parts = self._in_parts(self.parts, written)
            effort = sum(self.session.fetch_row("release_pairs", **asked, **part)["pairs"] for part in parts)
        return Plan(written, releases, too_much=effort > MAX_PAIRS)

    def _ranged(self, chosen: Iterable[Part], written: Sequence[Part]) -> list[Part]:
        """Those of these attributes that are compared by ranges, with most values first."""
        ranged = [part for part in chosen if part.by_range and part not in written]
        return sorted(ranged, key=lambda part: -self.leaves.counts[part.attribute.number])

    def _way(self, chosen: Sequence[Part], written: Sequence[Part]) -> tuple[list[Part], float]:
        """The same where what covers a value is found by running sums, which takes one or two of them, masses
        that are whole numbers, and no more work than comparing; else none. And about how much work their
        ranges are, in pairs."""
        ranged = self._ranged(chosen, written)
        if not ranged:
            return [], 0
        comparing = self._comparing(chosen, ranged)
        if len(ranged) > _MAX_SUMMED or self._bits(chosen) is None:
            return [], comparing
        sorting = self._sorting(chosen, ranged)
        return (ranged, sorting) if sorting <= comparing else ([], comparing)

    def _sorting(self, chosen: Sequence[Part], ranged: Sequence[Part]) -> float:
        """About how much work running sums over these attributes are: each combination and each end of a
        range is sorted, with a second range once for every second bit of the numbers of its values."""
        combinations, cells = self._sizes(chosen)
        halvings = ranged[1].leaf.bits / 2 + 1 if len(ranged) > 1 else 1
        return _COST_OF_SORTING * halvings * (combinations + (cells << len(ranged)))

    def _comparing(self, chosen: Sequence[Part], ranged: Sequence[Part]) -> float:
        """About how many pairs of a combination and a cell have the same high bits in the attributes that are
        compared by ranges, and the same cell in the others."""
        combinations, cells = self._sizes(chosen)
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

    def _weight(self, chosen: Sequence[Part]) -> float:
        """How long comparing over these attributes takes beside others."""
        return 1 + _COST_OF_GROUPING * sum(self._sizes(chosen)) + self._way(chosen, ())[1]

    def _sizes(self, chosen: Sequence[Part]) -> tuple[int, int]:
        """How many combinations of some attributes the original has at most, and the release."""
        counts = self.leaves.counts
        values = math.prod(counts[part.attribute.number] for part in chosen)
        cells = math.prod(self._cells(part) for part in chosen)
        return min(self._rows[0], values), min(self._rows[1], cells)

    def _again(self, written: Sequence[Part]) -> int:
        """The bits of the attributes of whose runs the high bits do not matter, where these are written."""
        return attribute_bits([*(p for p in written if p.by_range), *self._way(self.parts, written)[0]])

    def _kept(self, written: Sequence[Part]) -> list[int]:
        """The bits of each word that stay where these attributes are written out."""
        gone = [*written, *self._way(self.parts, written)[0]]
        fields = [packed for part in gone for packed in part.fields]
        return [((1 << WORD_BITS) - 1) & ~bits_of(word, fields) for word in self.words]

    def _write_out(self, written: Sequence[Part]) -> None:
        """Make the table of the release with these attributes written out."""
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
            kept=self._kept(written),
            attributes=[part.attribute.number for part in self.parts],
            ranges=[p.attribute.number for p in self.parts if p.by_range and p not in written],
            spreads=[f"spread_{part.attribute.number}" for part in written],
            numbers=[part.attribute.number for part in written],
            ranged=[part.attribute.number for part in written if part.by_range],
            parts=[part.words for part in written],
            masks=[[bits_of(word, part.fields) for word in part.words] for part in written],
            leaf_words=[part.leaf.word for part in written],
            leaf_shifts=[part.leaf.shift for part in written],
            leaf_masks=[part.leaf.mask for part in written],
            again_mask=self._again(written),
            bits=self._bits(self.parts),
        )

    def _bits(self, parts: Sequence[Part]) -> int | None:
        """The bits behind the point of masses over some attributes, which then are whole numbers; None where
        these cannot hold them."""
        least, most = 0, sum(self.leaves.counts[part.attribute.number].bit_length() for part in parts)
        if len(parts) == len(self.parts):
            least, most = self._covered_bits
        bits = min(_MASS_BITS - self.records.bit_length() + least, _MAX_BITS)
        return bits if bits - most >= _MIN_PRECISION else None

    @cached_property
    def _covered_bits(self) -> tuple[int, int]:
        """Between which powers of two it is how many combinations a record of the release covers."""
        numbers = [part.attribute.number for part in self.parts]
        row = self.session.fetch_row("covered_bits", attributes=numbers)
        return row["least"], row["most"]

    def distance(self) -> Distance:
        """The distance over all attributes."""
        return self._distances([[self.parts]], self.work)[0]

    @property
    def unchanged(self) -> set[int]:
        """The numbers of the attributes that are ``plain``, where the release has all combinations of their
        values as often as the original, and so any of them as often; else none."""
        kept = [part for part in self.parts if part.plain]
        if self.coverage.release != self.leaves.original and kept:
            another = self.records != self.leaves.records
            if another or self._distances([[kept]], _UNCHANGED_PLAN)[0].total_variation > 0:
                return set()
        return {part.attribute.number for part in kept}

    def distances(self, sets: Sequence[Sequence[int]]) -> list[Distance | None]:
        """The distance over each of these sets of attributes, by their numbers; None where that of several
        would take very long."""
        alike: dict[tuple[Hashable, ...], list[list[Part]]] = {}
        for numbers in sets:
            chosen = [part for part in self.parts if part.attribute.number in numbers]
            if len(chosen) > 1 and self._way(chosen, ())[1] > MAX_PAIRS:
                continue
            ranged = tuple(part.attribute.number for part in chosen if part.by_range)
            words = tuple(_list_words(chosen)) if _has_one_way(chosen) else ()
            alike.setdefault((_has_one_way(chosen), _is_compared_by_value(chosen), words, ranged), []).append(
                chosen
            )
        most = _PAIRS_PER_STATEMENT // max(1, sum(self._rows))
        batches = [
            those[first : last + 1] for those in alike.values() for first, last in spans(len(those), most)
        ]
        each = [tuple(part.attribute.number for part in chosen) for some in batches for chosen in some]
        found = dict(zip(each, self._distances(batches, _UNCHANGED_PLAN), strict=True)) if batches else {}
        return [found.get(tuple(sorted(numbers))) for numbers in sets]

    @cached_property
    def _rows(self) -> list[int]:
        """How many combinations the original and the release have."""
        tables = ["originals", "releases"]
        return [row["records"] for row in self.session.run("row_counts", tables=tables)]

    def _distances(self, batches: Sequence[Sequence[Sequence[Part]]], work: Plan) -> list[Distance]:
        """The distances over sets of attributes; a statement looks at a batch of which the same are compared
        by ranges."""
        first = 0
        weights = [sum(map(self._weight, some)) for some in batches]
        for some in self.session.steps.track(batches, to=0.3, weights=weights):
            self._find_masses(some, work, first)
            first += len(some)
        rows = self.session.run(
            "release_distance",
            sets=[[part.attribute.number for part in chosen] for some in batches for chosen in some],
            leaves=self.leaves.counts,
            records=self.leaves.records,
            released=self.records,
        )
        return [Distance(**row) for row in rows]

    def _find_masses(self, sets: Sequence[Sequence[Part]], work: Plan, first: int) -> None:
        """Find the mass of the release on the combinations over these sets, numbered from ``first`` on."""
        words = _list_words(part for chosen in sets for part in chosen)
        ranged, bits = self._ranged(sets[0], work.written), [self._bits(chosen) for chosen in sets]
        summed = self._way(sets[0], work.written)[0] if None not in bits else []
        fields = [[packed for part in chosen for packed in part.fields] for chosen in sets]
        compared = [
            [
                packed
                for part in chosen
                if part not in summed
                for packed in ([part.leaf] if part in work.written else part.compared)
            ]
            for chosen in sets
        ]
        asked: dict[str, Any] = {
            "words": words,
            "sets": [[part.attribute.number for part in chosen] for chosen in sets],
            "sizes": [part.attribute.number for part in self.parts if not part.plain],
            "fields": [[bits_of(word, those) for those in fields] for word in words],
            "compared": [[bits_of(word, those) for those in compared] for word in words],
            "false_masks": [attribute_bits(part for part in chosen if not part.missing) for chosen in sets],
            "once_masks": [
                attribute_bits(part for part in self.parts if part not in chosen) for chosen in sets
            ],
            "first": first,
        }
        if not work.written and all(map(_has_one_way, sets)):
            plain = all(map(_is_compared_by_value, sets))
            self.session.run("one_way_masses", **asked, single_values=plain, replace=first == 0)
            return
        asked |= {
            "originals": "originals",
            "releases": work.releases,
            "listed": work.releases == "written",
            "bits": None if None in bits else bits[0],
            "again_mask": attribute_bits(summed),
            "halvings": (summed[1].leaf.bits if len(summed) == 2 else 0) if summed else None,
            **ranges_of(ranged),
        }
        parts = self._in_parts(sets[0], work.written)
        for place, part in enumerate(self.session.steps.track(parts)):
            self.session.run("release_masses", **asked, **part, replace=first + place == 0)

    def _cells(self, part: Part) -> int:
        """How many different cells an attribute of the release has."""
        return sum(layer.cells for layer in self.layers.get(part.attribute.number, ())) or 1

    def _in_parts(self, chosen: Sequence[Part], written: Sequence[Part]) -> list[dict[str, int]]:
        """The parts in which both tables are compared over these attributes: by the value of that attribute
        which has most, of those whose cells are all values. Of a large table a statement looks at one set."""
        counts = self.leaves.counts
        values = [part for part in chosen if part.plain or part in written]
        rows = max(self._sizes(chosen))
        bits = ((rows - 1) // _COMBINATIONS_PER_PART).bit_length()
        if not values or not bits:
            return [{"part_word": 0, "part_bits": 0, "part": 0}]
        told = max(values, key=lambda part: counts[part.attribute.number])
        bits = min(bits, _MAX_PART_BITS, counts[told.attribute.number].bit_length() - 1)
        shift, mask = told.leaf.shift, (1 << bits) - 1
        return [
            {"part_word": told.leaf.word, "part_bits": mask << shift, "part": value << shift}
            for value in range(mask + 1)
        ]


def _has_one_way(parts: Iterable[Part]) -> bool:
    """Whether what is compared of a value is the same for all cells, in each of these attributes."""
    return all(not part.by_range and (part.ways == 1 or not part.own) for part in parts)


def _is_compared_by_value(parts: Iterable[Part]) -> bool:
    """Whether a value is compared as it is, in each of these attributes."""
    return all(part.compared == [part.leaf] for part in parts)


def _list_words(parts: Iterable[Part]) -> list[int]:
    """The words that the bits of these attributes are in."""
    return sorted({word for part in parts for word in part.words})
