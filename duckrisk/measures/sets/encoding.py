"""Values as numbers, and the numbers of a record packed into words of bits; see the template `combinations`.

A field is the bits of a word that hold the number of one value. Place and value are never exchanged: a field
has its own bits, so equal numbers in two columns remain different.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

#: Bits of a word (derived: a BIGINT has 63 without its sign, and whole tens are easier to read).
WORD_BITS = 60


@dataclass(frozen=True)
class Field:
    """Bits of a word.

    Attributes:
        word: The number of the word.
        shift: The place of the first bit.
        bits: How many bits there are.
    """

    word: int
    shift: int
    bits: int

    @property
    def mask(self) -> int:
        """Return these bits of the word."""
        return ((1 << self.bits) - 1) << self.shift


class Packer:
    """Hands out fields, each inside the first word that has room."""

    def __init__(self) -> None:
        self._used: list[int] = []

    def take(self, bits: int) -> Field:
        """Return a new field of some bits."""
        for word, used in enumerate(self._used):
            if used + bits <= WORD_BITS:
                self._used[word] += bits
                return Field(word, used, bits)
        self._used.append(bits)
        return Field(len(self._used) - 1, 0, bits)

    @property
    def words(self) -> int:
        """Return the number of words."""
        return len(self._used)


@dataclass
class Layout:
    """The fields of the attributes in the words of a combination.

    Attributes:
        words: The word of each attribute's field.
        shifts: The place of its first bit.
        masks: Its bits.
        count: Number of words.
    """

    words: list[int] = field(default_factory=list)
    shifts: list[int] = field(default_factory=list)
    masks: list[int] = field(default_factory=list)
    count: int = 1

    @classmethod
    def for_counts(cls, counts: Iterable[int]) -> Layout:
        """Lay out fields for attributes with some numbers of values; 0 is a missing value.

        Args:
            counts: The number of values of each attribute.
        """
        packer = Packer()
        fields = [packer.take(max(1, count.bit_length())) for count in counts]
        return cls(
            [one.word for one in fields],
            [one.shift for one in fields],
            [one.mask for one in fields],
            max(1, packer.words),
        )

    def join_fields(self, positions: Iterable[int]) -> dict[int, int]:
        """Join the fields of the attributes at some positions.

        Args:
            positions: The positions.

        Returns:
            The bits of these fields, by the word that holds them, in the order of words.
        """
        fields: dict[int, int] = {}
        for position in sorted(positions, key=self.words.__getitem__):
            word = self.words[position]
            fields[word] = fields.get(word, 0) | self.masks[position]
        return fields

    def list_fields(self, positions: Sequence[int]) -> list[int]:
        """List the bits of the fields of the attributes at some positions, for each word.

        Args:
            positions: The positions.
        """
        fields = self.join_fields(positions)
        return [fields.get(word, 0) for word in range(self.count)]
