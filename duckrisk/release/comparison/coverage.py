"""Find what the values of a release cover of the original.

The values of each attribute of the original are numbered. A value of the release (a value, ``*``, an
interval, a prefix, a moment, a name of a hierarchy) covers some of them. The values of one *layer* (prefixes
of 3 characters, months, a level of a hierarchy) do not overlap. So a value of the original is in at most one
of each layer, and containment is equality of packed numbers. If intervals or sets overlap, the column is
compared by ranges: each of its values is runs of neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql
from duckrisk.measures.detail import ComparedColumn, find_covered_values, measure_losses, number_leaves
from duckrisk.measures.sets.encoding import Packer
from duckrisk.release.comparison.packing import (
    Layer,
    Part,
    find_bucket,
    list_layer_fields,
)
from duckrisk.release.comparison.results import Bound, Cells

#: Attributes of a comparison (derived: each has a bit of a BIGINT).
MAX_ATTRIBUTES = 60
#: Tables with a row for each record, class or combination, and names of those with one for each value.
_LARGE_TABLES = (
    *("originals", "original_rows", "releases", "release_rows", "classes", "numbered_combinations"),
    *("cells_of_classes", "cell_ends", "covered_combinations", "covered_masses", "covering_words"),
    *("value_words", "class_bits"),
)
_TABLES_OF_ATTRIBUTES = ("leaves", "leaf_fields", "names", "cells", "cell_fields", "reach", "runs", "means")
#: Widths of overlapping intervals; with more the column is compared by ranges (a choice: each takes a field).
_MAX_WIDTHS = 6


class Leaves:
    """The numbered values of the original's attributes, made once for all releases."""

    def __init__(
        self, session: Session, original: Sql, attributes: Sequence[ComparedColumn], records: int
    ) -> None:
        self.session, self.original, self.records = session, original, records
        self.attributes = list(attributes)
        self.counts: list[int] = []
        for attribute in attributes:
            number_leaves(session, attribute, original)
            self.counts.append(session.fetch_row("original_values", table=attribute.leaves)["leaves"])

    def drop_tables(self) -> None:
        """Drop the large tables of all coverage; nothing can be measured then."""
        numbers = [attribute.number for attribute in self.attributes]
        of_attributes = [f"{name}_{number}" for name in _TABLES_OF_ATTRIBUTES for number in numbers]
        for table in (*_LARGE_TABLES, *of_attributes):
            self.session.run("drop_table", table=table)


class Coverage:
    """What the values of one release cover.

    Attributes:
        leaves: The numbered values of the original.
        release: Relation of the release.
        bindings: Columns of the release, by number of the attribute; others count as suppressed.
        records: Number of records of the release.
        lists: Attributes whose values in the release are lists: the sets of their members.
        layers: The layers of each attribute.
        reach: Tables with what covers each value, by number of the attribute.
        parts: How each attribute is packed.
    """

    def __init__(
        self,
        leaves: Leaves,
        release: Sql,
        bindings: dict[int, str],
        records: int,
        lists: Set[int] = frozenset(),
    ) -> None:
        self.leaves, self.session = leaves, leaves.session
        self.release, self.bindings, self.records, self.lists = release, bindings, records, lists
        self.layers: dict[int, list[Layer]] = {}
        #: Tables with what covers each value, by number of the attribute.
        self.reach: dict[int, str] = {}
        self._losses: dict[int, Cells] = {}
        self._with_fields: set[int] = set()
        self._words = Packer()
        attributes = self.session.steps.track(leaves.attributes, to=0.2)
        self.parts = [self._make_part(attribute) for attribute in attributes]
        self._packed: list[int] | None = None
        self._numbered = self._has_grids = self._has_ends = False
        self._pack_originals("originals")
        self.session.run("release_classes", **self._cell_tables, leaves=self.leaves.counts)

    # --- one attribute -----------------------------------------------------------------------

    def _make_part(self, attribute: ComparedColumn) -> Part:
        number = attribute.number
        bits = self.leaves.counts[number].bit_length()
        part = Part(attribute, self._words.take(bits), missing=number not in self.bindings)
        if part.missing:
            self._write_leaf_fields(part, None)
            return part
        if not self._find_plain_values(part):
            self._find_covered(attribute)
            self._choose_fields(part)
        layers = self.layers[number]
        part.ways = len(layers)
        part.covered = _compute_mean_covered(layers)
        self._write_leaf_fields(part, self.reach[number])
        return part

    def write_cell_fields(self, parts: Sequence[Part]) -> None:
        """Write the bits of the cells of attributes, once for each."""
        for part in parts:
            number = part.attribute.number
            cells = f"cells_{number}"
            if part.missing or number in self._with_fields:
                continue
            self._with_fields.add(number)
            if part.by_range:
                self.session.run("cell_runs", cells=cells, reach=f"reach_{number}", table=f"runs_{number}")
            self.session.run(
                "cell_fields",
                cells=cells,
                words=part.words,
                **list_layer_fields(part.layers),
                masks=[packed.mask for packed in part.layers.values()],
                original_number=part.own,
                runs=f"runs_{number}" if part.by_range else None,
                **part.buckets,
                table=f"cell_fields_{number}",
            )

    def _find_plain_values(self, part: Part) -> bool:
        """Return whether all values of an attribute are values of the original."""
        attribute, number = part.attribute, part.attribute.number
        table = f"cells_{number}"
        self.session.run(
            "plain_cells",
            source=self.release,
            column=self.bindings[number],
            leaves=attribute.leaves,
            listed=number in self.lists,
            table=table,
        )
        row = self.session.fetch_row("plain_column", table=table, records=self.records)
        if not row.pop("plain"):
            return False
        self.reach[number] = table
        self.layers[number] = [Layer("value", row.pop("cells"), self.records, 1, 1.0, False, False)]
        self._losses[number] = Cells(**row)
        part.layers["value"], part.plain = part.leaf, True
        return True

    def _find_covered(self, attribute: ComparedColumn) -> None:
        """Find what the values of an attribute cover."""
        session, number = self.session, attribute.number
        column, listed = self.bindings[number], number in self.lists
        cells = find_covered_values(session, attribute, self.release, column, listed=listed)
        layers = session.run("cell_layers", table=cells)
        self.layers[number] = [Layer(**row) for row in layers]
        self.reach[number] = f"reach_{number}"

    def _choose_fields(self, part: Part) -> None:
        """Give each layer of an attribute a field, or all of them one if disjoint."""
        number, rows = part.attribute.number, self.layers[part.attribute.number]
        intervals = [row for row in rows if row.interval]
        named = [row.layer for row in rows if not row.interval and row.layer not in ("all", "false", "set")]
        together = not any(row.overlapping_others for row in intervals)
        apart = len(intervals) <= _MAX_WIDTHS and not any(row.overlapping for row in intervals)
        part.by_range = any(row.layer == "set" for row in rows) or not (together or apart)
        if part.by_range:
            part.bucket = find_bucket(part.leaf, rows)
        inside = [] if part.by_range else [row.layer for row in intervals]
        self.session.run(
            "leaf_cells",
            leaves=part.attribute.leaves,
            names=f"names_{number}",
            cells=f"cells_{number}",
            intervals=inside,
            layers=named,
            table=f"reach_{number}",
        )
        if part.by_range:
            return
        cells = sum(row.cells for row in rows).bit_length()
        reach = self.session.fetch_row("leaf_reach", table=f"reach_{number}", cells=f"cells_{number}")
        layers = [*named, *inside]
        if layers == ["value"]:
            part.layers["value"] = part.leaf
        elif reach["disjoint"]:
            part.own = False
            part.layers = dict.fromkeys(layers, self._words.take(cells)) if layers else {}
        else:
            shared = self._words.take(cells) if together and inside else None
            for layer in layers:
                if layer == "value":
                    part.layers[layer] = part.leaf
                else:
                    part.layers[layer] = shared if shared and layer in inside else self._words.take(cells)

    def _write_leaf_fields(self, part: Part, reach: str | None) -> None:
        number = part.attribute.number
        own = {layer: at for layer, at in part.layers.items() if at is not part.leaf}
        self.session.run(
            "leaf_fields",
            leaves=part.attribute.leaves,
            reach=reach,
            words=part.words,
            leaf_word=part.leaf.word,
            leaf_shift=part.leaf.shift,
            **list_layer_fields(own),
            table=f"leaf_fields_{number}",
        )

    # --- all attributes ----------------------------------------------------------------------

    @property
    def words(self) -> list[int]:
        """Indices of the words that records are packed into."""
        return list(range(self._words.words))

    @property
    def present(self) -> list[Part]:
        """The parts of the attributes that the release has."""
        return [part for part in self.parts if not part.missing]

    def has_single_values(self, numbers: Sequence[int]) -> bool:
        """Return whether each cell of these attributes is a value of the original."""
        return all(self.parts[number].plain for number in numbers)

    @staticmethod
    def _locate_values(parts: Sequence[Part]) -> dict[str, list[int]]:
        """Return where the numbers of the values of attributes are, for templates."""
        fields = [part.leaf for part in parts]
        return {
            "leaf_words": [field.word for field in fields],
            "leaf_shifts": [field.shift for field in fields],
            "leaf_masks": [(1 << field.bits) - 1 for field in fields],
        }

    def _pack_originals(self, table: str, keys: tuple[str | None, str | None] | None = None) -> None:
        """Pack the records of the original into words.

        Without keys, equal records are collapsed. With keys, each record is kept with its key or its number.
        """
        attributes = self.leaves.attributes
        self.session.run(
            "original_tuples",
            source=self.leaves.original,
            columns=[attribute.binding for attribute in attributes],
            tables=[f"leaf_fields_{attribute.number}" for attribute in attributes],
            words=self.words,
            uses=[[word, part.attribute.number] for part in self.parts for word in part.words],
            keep_records=keys is not None,
            key=keys[0] if keys else None,
            table=table,
        )

    @property
    def _cell_tables(self) -> dict[str, Any]:
        """The columns of the release and the tables of their cells, for templates."""
        numbers = [part.attribute.number for part in self.present]
        return {
            "source": self.release,
            "columns": [self.bindings[number] for number in numbers],
            "tables": [f"cells_{number}" for number in numbers],
            "numbers": numbers,
        }

    def pack_releases(self, parts: Sequence[Part]) -> None:
        """Pack the classes of the release into words of the table ``releases``.

        Args:
            parts: The attributes to pack; an attribute that is compared by ranges multiplies the rows.
        """
        packed = [part for part in parts if not part.missing]
        numbers = [part.attribute.number for part in packed]
        if numbers == self._packed:
            return
        self.write_cell_fields(packed)
        self.session.run(
            "release_tuples",
            tables=[f"cell_fields_{number}" for number in numbers],
            numbers=numbers,
            sizes=list(range(len(self.leaves.counts))),
            words=self.words,
            uses=[[word, i] for i, part in enumerate(packed) for word in part.words],
            ranges=[i for i, part in enumerate(packed) if part.by_range],
            table="releases",
        )
        self._packed = numbers

    def number_combinations(self) -> None:
        """Number the values of the combinations of the original, once."""
        if not self._numbered:
            numbers = [part.attribute.number for part in self.parts]
            self.session.run("numbered_combinations", numbers=numbers, **self._locate_values(self.parts))
        self._numbered = True

    def prepare_grids(self) -> None:
        """Make the tables of cells that grids of attributes are made of, once."""
        if not self._has_grids:
            self.number_combinations()
            self.session.run("cells_of_classes", **self._list_numbers())
            self.find_cell_ends()
        self._has_grids = True

    def find_cell_ends(self) -> None:
        """Find where the cells of each attribute begin and end, once."""
        if not self._has_ends:
            numbers = [part.attribute.number for part in self.present]
            cells, reach = [f"cells_{n}" for n in numbers], [self.reach[n] for n in numbers]
            self.session.run("cell_ends", **self._list_numbers(), cells=cells, reach=reach)
        self._has_ends = True

    def _list_numbers(self) -> dict[str, list[int]]:
        """List the attributes that the release has and those that it lacks, for templates."""
        return {
            "attributes": [part.attribute.number for part in self.present],
            "missing": [part.attribute.number for part in self.parts if part.missing],
        }

    def measure_bound(self, keys: tuple[str | None, str | None]) -> Bound:
        """Measure the information that is left by each record's own values.

        Args:
            keys: Columns that match the records of original and release; None for their order.
        """
        self._pack_originals("original_rows", keys)
        cells = self._cell_tables
        self.session.run("release_rows", **cells, key=keys[1], table="release_rows")
        row = self.session.fetch_row(
            "own_cells",
            words=self.words,
            attributes=[part.attribute.number for part in self.parts],
            leaves=self.leaves.counts,
            there=cells["numbers"],
            cells=cells["tables"],
            reach=[self.reach[number] for number in cells["numbers"]],
            **self._locate_values(self.present),
            records=self.leaves.records,
            released=self.records,
        )
        return Bound(**row)

    def measure_losses(self, number: int) -> Cells:
        """Measure the values of an attribute and their certainty penalty.

        Args:
            number: Number of the attribute; it counts as suppressed if the release lacks it.
        """
        if number not in self.bindings:
            return Cells(float(self.records), 0, self.records, 0, 0, 0)
        attribute = self.leaves.attributes[number]
        if number not in self._losses:
            self._losses[number] = Cells(**measure_losses(self.session, attribute, f"cells_{number}"))
        return self._losses[number]


def _compute_mean_covered(layers: list[Layer]) -> float:
    """Return the mean number of values that a record's value covers."""
    return sum(row.covered * row.records for row in layers) / sum(row.records for row in layers)
