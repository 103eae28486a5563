"""All sets of a source's attributes: who takes part in them, and in which portions they are looked at.

The records are collapsed to their different combinations. A few attributes that tell least, the low ones,
are looked at together: all sets of them are the bits of one number. Sets of the others, the high ones, are
gone through one by one, so that each shares the work of the sets of low attributes that are added to it.
"""

from __future__ import annotations

import copy
import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations as subsets
from math import comb
from typing import Literal, TypeVar

from duckrisk.base.errors import UsageError
from duckrisk.base.options.disclosure import MISSING, Options, Rule
from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.session import Session
from duckrisk.measures.disclosure.agreement import Agreement
from duckrisk.measures.disclosure.choice import quasi_identifiers
from duckrisk.measures.disclosure.set_results import KeysByRule, Limit, Searched, SetsByRule, SudaByRule
from duckrisk.measures.identifiability.attributes import select_most_distinct
from duckrisk.measures.sets.combinations import Combinations, EncodedSource
from duckrisk.measures.sets.easiest import MOST_ATTRIBUTES
from duckrisk.measures.sets.encoding import Layout
from duckrisk.measures.sets.limits import Limits
from duckrisk.measures.sets.masks import make_mask, split_list
from duckrisk.roles import Roles
from duckrisk.source import Source

#: So many low attributes have a bit for each of their sets in a whole number of the engine.
LOW = 6
#: Bits of the engine's whole numbers that a key may take.
KEY_BITS = 62
#: A statement looks at about so many pairs of a set and a combination.
PORTION = 700_000
#: And at no more sets of high attributes.
MOST_SETS = 1_000
#: The rules for missing cells by what a search takes.
_QUICK_FIRST: tuple[Rule, ...] = ("value", "none", "wildcard")

ByRule = TypeVar("ByRule", SudaByRule, SetsByRule, KeysByRule)


@dataclass(frozen=True)
class Low:
    """The low attributes, by position, with their fields in a word of their own."""

    positions: list[int]
    places: list[int]
    fields: list[int]
    bits: int

    @property
    def sets(self) -> int:
        return 1 << len(self.positions)

    def holding(self, number: int) -> int:
        """The sets that hold one of the attributes of a set, as bits."""
        return sum(1 << mask for mask in range(self.sets) if mask & number)

    def lacking(self) -> list[int]:
        """The sets that lack each attribute, as bits."""
        masks = range(self.sets)
        return [sum(1 << mask for mask in masks if not mask >> j & 1) for j in range(len(self.positions))]

    def larger(self, size: int) -> int:
        """The sets with more attributes than these, as bits."""
        return sum(1 << mask for mask in range(self.sets) if mask.bit_count() > size)

    def opened(self, closed: int) -> list[int]:
        """The sets that are not among these bits."""
        return [mask for mask in range(self.sets) if not closed >> mask & 1]


class Lattice:
    """The attribute sets of a source.

    ``names`` are the attributes, of which a set is a number with a bit for each. A set singles out records,
    or in a history with ``several`` records of a user, users.
    """

    def __init__(self, session: Session, source: Source, roles: Roles, options: Options, what: str) -> None:
        chosen = quasi_identifiers(source, roles, options)
        if not chosen:
            raise UsageError("disclosure.attributes_missing", what=what)
        #: What was left out, for the report.
        self.notes: list[Sentence] = []
        chosen, left_out = select_most_distinct(chosen, MOST_ATTRIBUTES, Data(what), "--quasi-identifier")
        self.notes += left_out
        self.session, self.options, self.what = session, options, what
        self.names = [choice.column.name for choice in chosen]
        #: Attributes of a set at most, and why not all.
        self.size = min(options.max_size or len(chosen), len(chosen))
        self.limit: Limit | None = "max_size" if self.size < len(chosen) else None
        self.several = roles.user is not None and roles.users < roles.records
        attributes = [choice.known(options.missing_tokens) for choice in chosen]
        user = roles.user.binding if roles.user is not None and self.several else None
        started = time.monotonic()
        encoding = EncodedSource(session, attributes, len(chosen), user)
        self.rows = Combinations(session, encoding, len(chosen), len(chosen), user)
        self.attributes_known = attributes
        until = None if options.time_limit is None else started + options.time_limit
        self.limits = Limits(until=until)
        self._follow(options.missing)

    def _follow(self, rule: Rule) -> None:
        """Take missing cells by a rule."""
        self.ignored = rule == "none" and self.rows.missing_cells > 0
        #: Who agrees with whom where a missing cell agrees with every value.
        self.agreement: Agreement | None = None
        if rule == "wildcard" and self.rows.missing_cells > 0:
            self.split()
            self.agreement = Agreement(self, self.what)

    def searched(self, roles: Roles) -> Searched:
        """Whose attribute sets these are."""
        return Searched(
            unit="user" if self.several else "record",
            records=self.rows.records,
            users=roles.users if self.several else None,
            attributes=tuple(self.names),
            missing_mode=self.options.missing,
            missing_cells=self.rows.missing_cells,
        )

    def compared(
        self, size: int, limit: Limit | None, search: Callable[[Lattice], ByRule], result: type[ByRule]
    ) -> tuple[ByRule, ...]:
        """What a search finds by each other rule for missing cells, where that was asked for and there are
        any: in the sets of ``size`` attributes at most, to which ``limit`` kept the search by the first rule,
        and in the time that this one left. What was not begun has no figures.
        """
        if not self.options.compare_missing or not self.rows.missing_cells:
            return ()
        by_rule: dict[Rule, ByRule] = {}
        for rule in _QUICK_FIRST:
            if rule == self.options.missing:
                continue
            why: Limit | Literal["patterns"] | None = "time_limit" if self.limits.is_time_over() else None
            if why is None:
                other = copy.copy(self)
                other.options = dataclasses.replace(self.options, missing=rule)
                other.size, other.limit = size, limit if size < self.count else None
                try:
                    other._follow(rule)
                except UsageError:
                    why = "patterns"
            if why is None:
                by_rule[rule] = search(other)
            else:
                by_rule[rule] = result(missing=rule, limit=why)
        return tuple(by_rule[rule] for rule in MISSING if rule in by_rule)

    @property
    def count(self) -> int:
        return len(self.names)

    def split(self) -> None:
        """Choose the low attributes and list the combinations by them."""
        rows, layout = self.rows, self.rows.layout
        entropies = {
            row["position"]: row["entropy"]
            for row in self.session.run("field_entropy", words=layout.words, masks=layout.masks)
        }
        order = sorted(range(self.count), key=lambda position: (entropies.get(position, 0.0), position))
        self.class_bits = max(PORTION, rows.count).bit_length()
        numbers = max(1, PORTION // max(1, rows.count)).bit_length()
        room = KEY_BITS - LOW - self.class_bits - min(numbers, MOST_SETS.bit_length())
        low: list[int] = []
        places: list[int] = []
        used = 0
        for position in order[:LOW]:
            bits = self._bits(position)
            if used + bits > room:
                break
            low.append(position)
            places.append(used)
            used += bits
        fields = [
            (layout.masks[position] >> layout.shifts[position]) << start
            for position, start in zip(low, places, strict=True)
        ]
        self.low = Low(low, places, fields, used)
        self.high = [position for position in order if position not in low]
        self.high_layout = Layout.for_counts([rows.counts[position] for position in self.high] or [1])
        self.session.run(
            "lattice_rows",
            words=layout.words,
            shifts=layout.shifts,
            masks=layout.masks,
            low=low,
            places=places,
            high=self.high,
            high_words=self.high_layout.words[: len(self.high)],
            high_places=self.high_layout.shifts[: len(self.high)],
            ignore_missing=self.options.missing != "value",
        )
        self.session.run("lattice_low", fields=fields, low_bits=used)

    def _bits(self, position: int) -> int:
        return (self.rows.layout.masks[position] >> self.rows.layout.shifts[position]).bit_length()

    def place(self, position: int) -> tuple[str, int, int]:
        """Where the field of an attribute is: the word, its bits there, and the first of these."""
        if position in self.low.positions:
            j = self.low.positions.index(position)
            return "low", self.low.fields[j], self.low.places[j]
        j, layout = self.high.index(position), self.high_layout
        return f"h{layout.words[j]}", layout.masks[j], layout.shifts[j]

    @property
    def redundant(self) -> list[int]:
        """Pairs of attributes of which one determines the other, and those that stand one to one for another,
        as bits: what a set that holds one of these tells another set does."""
        return [*self.rows.dependencies.redundant, *(1 << twin for twin in self.rows.dependencies.twins)]

    def highs(self, size: int, redundant: Sequence[int] = ()) -> Iterator[int]:
        """The sets of so many high attributes that hold nothing redundant."""
        masks = (make_mask(some) for some in subsets(self.high, size))
        return (high for high in masks if not any(pair & high == pair for pair in redundant))

    def portions(self, highs: Iterable[int]) -> Iterator[list[int]]:
        """The sets that share a statement."""
        return split_list(highs, min(MOST_SETS, PORTION // max(1, self.rows.count)))

    def begin_portion(self, highs: list[int], closed: list[int]) -> None:
        """List these sets of high attributes with the sets of low ones that are closed to each."""
        layout, count = self.high_layout, len(self.high)
        self.session.run(
            "lattice_part",
            sets=highs,
            closed=closed,
            high=self.high,
            words=layout.words[:count],
            masks=layout.masks[:count],
        )

    def closed(self, high: int, most: int, redundant: Sequence[int] = ()) -> int:
        """The sets of low attributes that a set of high ones is not looked at with, as bits: too large, or
        holding what is redundant together with it."""
        bits = self.low.larger(most) | (0 if high else 1)
        for pair in redundant:
            inside = self.in_low(pair)
            if not pair & ~(high | make_mask(self.low.positions)):
                bits |= sum(1 << mask for mask in range(self.low.sets) if mask & inside == inside)
        return bits

    def in_low(self, mask: int) -> int:
        """A set's low attributes as a number of a set of these."""
        return sum(1 << j for j, position in enumerate(self.low.positions) if mask >> position & 1)

    def masks(self, size: int) -> Iterator[int]:
        """The sets of so many attributes."""
        return (make_mask(some) for some in subsets(range(self.count), size))

    def sets_up_to(self, size: int | None) -> int:
        """How many sets there are of no more attributes than these."""
        most = self.count if size is None else min(size, self.count)
        return sum(comb(self.count, size) for size in range(1, most + 1))

    def attributes(self, mask: int) -> tuple[str, ...]:
        """The names of a set's attributes."""
        return tuple(name for position, name in enumerate(self.names) if mask >> position & 1)
