"""How values, cells and whole records are packed into words of bits; see the template ``packed_records``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from duckrisk.measures.detail import ComparedColumn
from duckrisk.measures.sets.encoding import Field

#: So large a part of the cells that overlap are looked up by the high bits of the values that they cover.
_MOST_OF_CELLS = 0.9


@dataclass(frozen=True)
class Layer:
    """The cells of one way of generalising; see the template ``cell_layers``."""

    layer: str
    cells: int
    records: int
    largest: int
    covered: float
    overlapping: bool
    overlapping_others: bool

    @property
    def interval(self) -> bool:
        return self.layer.startswith("interval ")


@dataclass
class Part:
    """How one attribute of a release is compared: the field of the numbers of its values, the field of each
    layer, and whether its cells are compared by ranges instead; ``plain`` where each is one value."""

    attribute: ComparedColumn
    leaf: Field
    layers: dict[str, Field] = field(default_factory=dict)
    by_range: bool = False
    own: bool = True
    missing: bool = False
    bucket: Field | None = None
    plain: bool = False
    ways: int = 1
    covered: float = 0.0

    @property
    def compared(self) -> list[Field]:
        """The fields that are compared with those of cells."""
        return [*self.layers.values(), *([self.bucket] if self.bucket is not None else [])]

    @property
    def buckets(self) -> dict[str, int]:
        """Where the high bits of the numbers of values are, for the template ``cell_fields``."""
        if self.bucket is None:
            return {}
        return {
            "bucket_bits": self.bucket.shift - self.leaf.shift,
            "bucket_word": self.leaf.word,
            "bucket_shift": self.leaf.shift,
            "bucket_mask": self.bucket.mask,
        }

    @property
    def fields(self) -> list[Field]:
        return [self.leaf, *(packed for packed in self.layers.values() if packed is not self.leaf)]

    @property
    def words(self) -> list[int]:
        return sorted({packed.word for packed in self.fields})


def bits_of(word: int, fields: Iterable[Field]) -> int:
    """The bits of a word that are in these fields."""
    bits = 0
    for packed in fields:
        bits |= packed.mask if packed.word == word else 0
    return bits


def attribute_bits(parts: Iterable[Part]) -> int:
    """A bit for each attribute."""
    return sum(1 << part.attribute.number for part in parts)


def bucket_of(leaf: Field, layers: list[Layer]) -> Field | None:
    """The high bits of the numbers of values that most cells have two of at most."""
    narrow = sorted((row.largest, row.cells) for row in layers if row.layer not in ("all", "false"))
    seen, most, low = 0, sum(cells for _, cells in narrow), 0
    for largest, cells in narrow:
        seen += cells
        low = (largest - 1).bit_length()
        if seen >= _MOST_OF_CELLS * most:
            break
    return Field(leaf.word, leaf.shift + low, leaf.bits - low) if low < leaf.bits else None


def placed(layers: dict[str, Field]) -> dict[str, list[Any]]:
    """Layers and their fields, for the templates ``cell_fields`` and ``leaf_fields``."""
    return {
        "layers": list(layers),
        "field_words": [packed.word for packed in layers.values()],
        "shifts": [packed.shift for packed in layers.values()],
    }


def ranges_of(parts: list[Part]) -> dict[str, list[int]]:
    """Attributes that are compared by ranges, and where the numbers of their values are, for templates."""
    return {
        "ranges": [part.attribute.number for part in parts],
        "range_words": [part.leaf.word for part in parts],
        "range_shifts": [part.leaf.shift for part in parts],
        "range_masks": [(1 << part.leaf.bits) - 1 for part in parts],
    }
