"""Pack values, cells and whole records into words of bits; see the template `packed_records`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from duckrisk.measures.detail import ComparedColumn
from duckrisk.measures.sets.encoding import Field

#: Share of the cells that overlap; they are looked up by the high bits of their values (a choice: most).
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
        """Return whether the cells are intervals."""
        return self.layer.startswith("interval ")


@dataclass
class Part:
    """How one attribute of a release is compared.

    Attributes:
        attribute: The attribute.
        leaf: The field of the numbers of its values.
        layers: The field of each layer.
        by_range: Whether its cells are compared by ranges instead.
        own: Whether the field of values is its own.
        missing: Whether values are missing.
        bucket: The field of the high bits of the numbers of values, if cells are looked up by them.
        plain: Whether each cell is one value.
        ways: Number of ways to generalise.
        covered: Values that a cell covers on average.
    """

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
        """Return the fields that are compared with those of cells."""
        return [*self.layers.values(), *([self.bucket] if self.bucket is not None else [])]

    @property
    def buckets(self) -> dict[str, int]:
        """Return the place of the high bits of values, for the template `cell_fields`."""
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
        """Return the field of the numbers of values, and those of layers."""
        return [self.leaf, *(packed for packed in self.layers.values() if packed is not self.leaf)]

    @property
    def words(self) -> list[int]:
        """Return the words that hold these fields."""
        return sorted({packed.word for packed in self.fields})


def join_bits(word: int, fields: Iterable[Field]) -> int:
    """Join the bits of a word that some fields hold.

    Args:
        word: The number of the word.
        fields: The fields.
    """
    bits = 0
    for packed in fields:
        bits |= packed.mask if packed.word == word else 0
    return bits


def make_attribute_mask(parts: Iterable[Part]) -> int:
    """Return a mask with a bit for each attribute.

    Args:
        parts: The attributes.
    """
    return sum(1 << part.attribute.number for part in parts)


def find_bucket(leaf: Field, layers: list[Layer]) -> Field | None:
    """Find the high bits of the numbers of values that most cells hold two of at most.

    Args:
        leaf: The field of the numbers of values.
        layers: The layers of cells.
    """
    narrow = sorted((row.largest, row.cells) for row in layers if row.layer not in ("all", "false"))
    seen, most, low = 0, sum(cells for _, cells in narrow), 0
    for largest, cells in narrow:
        seen += cells
        low = (largest - 1).bit_length()
        if seen >= _MOST_OF_CELLS * most:
            break
    return Field(leaf.word, leaf.shift + low, leaf.bits - low) if low < leaf.bits else None


def list_layer_fields(layers: dict[str, Field]) -> dict[str, list[Any]]:
    """List layers and their fields, for the templates `cell_fields` and `leaf_fields`.

    Args:
        layers: The field of each layer.
    """
    return {
        "layers": list(layers),
        "field_words": [packed.word for packed in layers.values()],
        "shifts": [packed.shift for packed in layers.values()],
    }


def list_ranges(parts: list[Part]) -> dict[str, list[int]]:
    """List attributes that are compared by ranges, with the places of their values.

    Args:
        parts: The attributes.
    """
    return {
        "ranges": [part.attribute.number for part in parts],
        "range_words": [part.leaf.word for part in parts],
        "range_shifts": [part.leaf.shift for part in parts],
        "range_masks": [(1 << part.leaf.bits) - 1 for part in parts],
    }
