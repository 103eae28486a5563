"""The collapsed records of a source: their values are numbered and packed; some attributes add nothing."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Attribute, Part
from duckrisk.measures.identifiability.levels import Level

#: Bits of a word; the sign is left alone.
WORD = 60
#: Of more combinations than these each set has a statement of its own: two together are slower.
ALONE = 300_000
#: A table is split into two to the power of so many parts at a time.
SPLIT = 3
#: Those of more records than these are listed first, and collapsed where no more than this share of them are
#: different.
COLLAPSED_AT_ONCE = 1_000_000
COLLAPSED_SHARE = 0.9
#: Dependencies are looked for in so many combinations first.
SAMPLES = (20_000, 200_000)


@dataclass(frozen=True)
class Limits:
    """Where a search ends early: sets examined, pairs of a set and a combination looked at, attributes in a
    set, and the moment of ``time.monotonic()`` at which statements stop. None: not at all."""

    max_sets: int | None = None
    max_pairs: int | None = None
    max_size: int | None = None
    until: float | None = None

    @property
    def on_sets(self) -> str:
        """Which limit it is that lets no more sets be examined."""
        return "built_in" if self.max_sets is None else "max_sets"

    def late(self) -> bool:
        return self.until is not None and time.monotonic() > self.until


@dataclass
class Layout:
    """Where each attribute's field lies in the words of a combination."""

    words: list[int] = field(default_factory=list)
    shifts: list[int] = field(default_factory=list)
    masks: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, counts: Sequence[int]) -> Layout:
        layout = cls()
        word = used = 0
        for count in counts:
            bits = max(1, count.bit_length())
            if used + bits > WORD:
                word, used = word + 1, 0
            layout.words.append(word)
            layout.shifts.append(used)
            layout.masks.append(((1 << bits) - 1) << used)
            used += bits
        return layout

    def fields(self, positions: Iterable[int]) -> dict[int, int]:
        """The bits of some attributes' fields, by the word that holds them."""
        fields: dict[int, int] = {}
        for position in sorted(positions, key=self.words.__getitem__):
            word = self.words[position]
            fields[word] = fields.get(word, 0) | self.masks[position]
        return fields

    @property
    def count(self) -> int:
        return max(self.words) + 1


class Combinations:
    """The different combinations of values in a source's records.

    ``levels`` are those of ``attributes``, of which the first ``searched`` make the sets; the others only
    count in the sensitivity. ``user`` is the column of the users where they are the units. ``codes`` are the
    tables that number the values of attributes, which several of these have in common; new ones come to them.
    """

    def __init__(
        self,
        session: Session,
        attributes: Sequence[Attribute],
        levels: Sequence[Level],
        searched: int,
        user: str | None = None,
        codes: dict[Attribute, str] | None = None,
    ) -> None:
        self.session = session
        self.codes = {} if codes is None else codes
        self.attributes = list(attributes)
        self.all_levels = list(levels)
        self.levels = self.all_levels[:searched]
        self.user = user
        self.set_bits = len(self.attributes)
        #: Whether there is a combination for each record, and those who share theirs are listed apart.
        self.sharing = False
        #: The positions of attributes' coarser forms, whose fields come after all others, by those of the
        #: attributes.
        self.coarser: dict[int, int] = {}
        self._encode(searched)
        totals = session.fetch_row("combination_totals")
        self.combinations: int = totals["combinations"]
        self.records: int = totals["records"]
        self.missing_cells: int = totals["missing_cells"]
        #: Whether a set has a statement of its own.
        self.large = self.combinations > ALONE
        #: The same with a missing value as one more.
        self.values = [
            count + (totals["ever_missing"] >> position & 1) for position, count in enumerate(self.counts)
        ]
        constant = [position for position, values in enumerate(self.values) if values < 2]
        persons = self.records if user is None else self._rows("persons")
        #: A constant singles out nobody but somebody who is alone.
        self.varying = [p for p in range(searched) if p not in constant or persons == 1]
        #: Pairs of attributes, by position, of which the first determines the second; the same without order,
        #: as bits; and attributes whose values stand one to one for those of another, which is searched in
        #: their stead.
        self.determined: list[tuple[int, int]] = []
        self.redundant: list[int] = []
        self.twins: dict[int, int] = {}
        #: How many classes each pair of attributes has among some combinations, where that was counted.
        self.pair_classes: dict[int, int] = {}
        #: Whether the open persons are listed with their values, and whether what is open are questions: a
        #: person and an attribute to do without.
        self.with_values, self.questions = True, False
        #: The table of combinations that sets are looked at in; the attributes that tell most, as bits; and
        #: the tables without some of these, with their rows, by those that are kept.
        self.base = "combinations"
        self.telling = 0
        self.narrowed: dict[int, tuple[str, int]] = {}
        #: Pairs of a combination and a large set that closed persons were found by, in one walk.
        self.closure_pairs = 0

    def _encode(self, searched: int) -> None:
        """Number the values of the first ``searched`` attributes and the users, and pack the combinations."""
        self.tables, self.counts = self._number_values(self.attributes[:searched])
        if self.user is not None:
            person = Attribute("user", (Part(self.user),))
            self.session.run("value_codes", source=ASSESSED, attribute=person, table="persons")
        others = len(self.attributes) - searched
        self.tables += [""] * others
        self.counts += [1] * others
        records = self.session.fetch_row("count_records", source=ASSESSED)["records"]
        self.id_bits: int = records.bit_length()
        self._pack(self.attributes, records)

    def _number_values(self, attributes: Sequence[Attribute]) -> tuple[list[str], list[int]]:
        """The tables that number the values of each of these attributes, and how many these are."""
        for attribute in attributes:
            if attribute not in self.codes:
                table = f"values_{len(self.codes)}"
                self.session.run("value_codes", source=ASSESSED, attribute=attribute, table=table)
                self.codes[attribute] = table
        tables = [self.codes[attribute] for attribute in attributes]
        return tables, [row["records"] for row in self.session.run("row_counts", tables=tables)]

    def widen(self, coarser: Mapping[int, Attribute]) -> None:
        """Give the combinations fields for coarser forms of attributes, by the positions of these."""
        tables, counts = self._number_values(list(coarser.values()))
        self.tables += tables
        self.counts += counts
        first = len(self.attributes)
        self.coarser = {position: first + place for place, position in enumerate(coarser)}
        self.set_bits = first + len(coarser)
        self._pack([*self.attributes, *coarser.values()], self.records)

    def _pack(self, attributes: Sequence[Attribute], records: int) -> None:
        """Pack the combinations of these attributes; only those of the table count as missing."""
        # A distributed engine gives the different combinations, never one a record.
        at_once = bool(self.user or self.session.engine) or records <= COLLAPSED_AT_ONCE
        self.layout = Layout.of(self.counts)
        self.session.run(
            "combinations",
            source=ASSESSED,
            attributes=attributes,
            tables=self.tables,
            own_count=len(self.attributes),
            words=self.layout.words,
            shifts=self.layout.shifts,
            masks=self.layout.masks,
            user=self.user,
            persons="persons",
            id_bits=self.id_bits,
            set_bits=self.set_bits,
            distinct=at_once,
            table="combinations",
        )
        self.sharing = not at_once and not self._collapse(records)

    def _collapse(self, records: int) -> bool:
        """Collapse equal combinations where enough are equal; else list the records that share theirs."""
        words = self.layout.count
        columns = [f"p{word}" for word in range(words)]
        different = self.session.fetch_row("class_estimate", source="combinations", columns=columns)[
            "classes"
        ]
        if different <= COLLAPSED_SHARE * records:
            self.session.run("collapse", table="combinations", words=words, id_bits=self.id_bits)
            return True
        self._empty("sharing", ["id"], [])
        for table in self._parts(self._widest(range(len(self.counts))), SPLIT):
            self.session.run("sharing", table=table, words=words)
        return False

    @property
    def searched(self) -> list[int]:
        """The positions of the attributes that sets are made of."""
        return [position for position in self.varying if position not in self.twins]

    def list_missing(self) -> None:
        """List the users with the attributes that none of their records has."""
        assert self.user is not None
        self.session.run("users_missing", source=ASSESSED, user=self.user, attributes=self.attributes)

    # --- what adds nothing ---------------------------------------------------------------------------

    def find_dependencies(self, ignore_missing: bool, limits: Limits) -> None:
        """Look for attributes that another one determines; those not found in time only cost more sets.

        Some combinations refute most pairs, the others are looked at on all. An attribute of nearly as many
        values as there are combinations is passed over: it settles nearly everybody by itself.
        """
        self.determined, self.twins = [], {}
        self._list_attributes(self.varying)
        with self.session.limit_time(limits.until):
            self._look_for_dependencies(ignore_missing)
        self.redundant = sorted({1 << a | 1 << b for a, b in self.determined})

    def _look_for_dependencies(self, ignore_missing: bool) -> None:
        likely: list[tuple[int, int]] = []
        masks: list[int] = []
        for most in SAMPLES:
            classes = self._pair_classes(most, masks)
            self.pair_classes = self.pair_classes or classes
            likely = [
                (rest.bit_length() - 1, (mask ^ rest).bit_length() - 1)
                for mask in classes
                if mask.bit_count() == 2
                for rest in ones(mask)
                if classes[mask] == classes[rest]
                and 2 * self.counts[rest.bit_length() - 1] < self.combinations
            ]
            masks = sorted({m for a, b in likely for m in (1 << a, 1 << b, 1 << a | 1 << b)})
            if not likely or self.combinations <= most:
                break
        partly_missing: dict[tuple[int, int], bool] = {}
        for a in sorted({a for a, _ in likely}):
            others = [b for first, b in likely if first == a]
            for b, (determined, partly) in zip(others, self._determined(a, others), strict=True):
                if determined:
                    self.determined.append((a, b))
                    partly_missing[a, b] = partly
        # Numbers of values tell nothing here: they are those of all records, with a user or without.
        for a, b in self.determined:
            level, other = self.levels[a], self.levels[b]
            alike = (level.economic, level.psychological) == (other.economic, other.psychological)
            one_to_one = a < b and (b, a) in partly_missing
            passes = alike and not (partly_missing[a, b] and ignore_missing)
            if one_to_one and passes and not {a, b} & self.twins.keys():
                self.twins[b] = a

    def _determined(self, position: int, others: Sequence[int]) -> list[tuple[bool, bool]]:
        """Which other attributes one determines, and whether one of the two is ever missing alone."""
        words, masks = self.layout.words, self.layout.masks
        row = self.session.fetch_row(
            "determined",
            table="combinations",
            word=words[position],
            field=masks[position],
            bit=1 << position,
            words=[words[other] for other in others],
            fields=[masks[other] for other in others],
            bits=[1 << other for other in others],
        )
        return [(row[f"determined{index}"], row[f"partly{index}"]) for index in range(len(others))]

    def _pair_classes(self, most: int, masks: list[int]) -> dict[int, int]:
        rows = self.session.run(
            "pair_classes", table="combinations", words=self.layout.count, max_combinations=most, masks=masks
        )
        return {row["mask"]: row["classes"] for row in rows}

    def _list_attributes(self, searched: Sequence[int]) -> None:
        """List the attributes of the table and, if sets are made of these too, their coarser forms."""
        forms = [self.all_levels[position] for position, form in self.coarser.items() if form in searched]
        levels = [*self.all_levels, *forms]
        self.session.run(
            "searched_attributes",
            economic=[level.economic for level in levels],
            psychological=[level.psychological for level in levels],
            words=self.layout.words,
            masks=self.layout.masks,
            set_bits=self.set_bits,
            searched=list(searched),
        )

    # --- tables -------------------------------------------------------------------------------------

    def _empty(self, table: str, numbers: list[str], sets: list[str]) -> None:
        self.session.run(
            "empty_table",
            table=table,
            numbers=numbers,
            number_bits=self.id_bits,
            sets=sets,
            set_bits=self.set_bits,
        )

    def _made(self, name: str, **arguments: Any) -> int:
        """Run a statement that fills a table; returns the number of rows it put there."""
        return int(self.session.fetch_row(name, **arguments)["Count"])

    def _rows(self, table: str) -> int:
        return int(self.session.fetch_row("row_counts", tables=[table])["records"])

    def _widest(self, positions: Iterable[int]) -> int:
        """The one of these attributes that has most values."""
        return max(positions, key=lambda position: self.counts[position])

    def _parts(self, position: int, bits: int) -> Iterator[str]:
        """The tables, one at a time, with the combinations in parts by so many bits of an attribute."""
        bits = min(bits, self.counts[position].bit_length() - 1)
        word, shift = self.layout.words[position], self.layout.shifts[position]
        yield from self._split("combinations", word, shift, bits)

    def _split(self, table: str, word: int, shift: int, bits: int, depth: int = 1) -> Iterator[str]:
        """The parts of a table by so many bits of a word from ``shift`` on. Each part is found by looking at
        all of the table, so that many parts are made of fewer, larger ones."""
        if bits <= 0:
            yield table
            return
        here, part = min(bits, SPLIT), f"part_{depth}"
        for value in range(1 << here):
            self.session.run(
                "part",
                table=table,
                words=self.layout.count,
                word=word,
                bits=((1 << here) - 1) << shift,
                part=value << shift,
                into=part,
            )
            yield from self._split(part, word, shift + here, bits - here, depth + 1)
        self.session.run("drop_table", table=part)


def spans(sets: int, most: int) -> Iterator[tuple[int, int]]:
    """The first and last of every ``most`` sets, one at a time at least."""
    step = max(1, most)
    for first in range(0, sets, step):
        yield first, min(first + step, sets) - 1


def chunks(sets: Iterable[int], most: int) -> Iterator[list[int]]:
    """Every ``most`` sets, one at a time at least; they are made when they are asked for."""
    left = iter(sets)
    while some := list(itertools.islice(left, max(1, most))):
        yield some


def mask_of(positions: Sequence[int]) -> int:
    return sum(1 << position for position in positions)


def positions_of(mask: int) -> list[int]:
    return [position for position in range(mask.bit_length()) if mask >> position & 1]


def ones(mask: int) -> list[int]:
    """The single bits of a mask."""
    return [1 << position for position in positions_of(mask)]
