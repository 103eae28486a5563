"""Keeps the sums up to date that the indices of a release are made of, from swapped records alone.

The histogram, covariance and correlation indices depend on a table through sums: the records with a dummy or
with two of them, the sums of numbers and of their products, and the records with each number. These sums are
integers, a *cell* each. There are as many as pairs of dummies, whatever the number of records. SQL computes
them, and their changes by a swap; this module adds them up and computes the indices.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from duckrisk.base.errors import UsageError
from duckrisk.contests.common import count_rows
from duckrisk.contests.membership.records import DUMMIES, Encoding
from duckrisk.contests.membership.synthesis.generator import Model
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from duckrisk.contests.membership.synthesis.judging import Judge

    Cells = NDArray[np.int64]
    Weights = NDArray[np.float64]

#: Bits of the units in the range of a number (derived: products of two numbers fit 64 bits).
_BITS = 31
#: Distinct values of numbers, a cell each (a choice: vectors of cells stay below a megabyte).
MAX_VALUES = 100_000
BINS = "number_bins"


@dataclass(frozen=True)
class Layout:
    """The order of the cells.

    First `dummies` squared for pairs, then the sums of numbers, two for each product of numbers, one for each
    value of a number, and those of the leaves of trees.

    Attributes:
        encoding: The encoded tables.
        dummies: The number of dummies.
        numbers: The indices of the attributes of numbers.
        known: The tables of categories and limits, as arguments of statements.
        units: The unit of each number, a power of two.
        values: The number of distinct values of numbers.
        trees: SQL of the cell of a record in each tree.
        leaves: The number of cells of leaves.
    """

    encoding: Encoding
    dummies: int
    numbers: tuple[int, ...]
    known: dict[str, Sql]
    units: tuple[float, ...]
    values: int
    trees: tuple[Sql, ...] = ()
    leaves: int = 0

    @property
    def first_product(self) -> int:
        """The index of the first cell of products."""
        return self.dummies**2 + len(self.numbers)

    @property
    def first_value(self) -> int:
        """The index of the first cell of values."""
        return self.first_product + len(self.numbers) * (len(self.numbers) + 1)

    @property
    def size(self) -> int:
        """The number of cells."""
        return self.first_leaf + self.leaves

    @property
    def first_leaf(self) -> int:
        """The index of the first cell of leaves."""
        return self.first_value + self.values + len(self.numbers)

    def dummy_of(self, number: int) -> int:
        """Return the dummy of an attribute by its index among those of numbers."""
        return self.encoding.attributes[self.numbers[number]].first

    def products(self) -> Iterator[tuple[int, int, int]]:
        """Yield each two numbers by index, and the cell of the high half of their product."""
        cell = self.first_product
        for first in range(len(self.numbers)):
            for second in range(first, len(self.numbers)):
                yield first, second, cell
                cell += 2

    def _arguments(self) -> dict[str, int | list[int] | list[str]]:
        attributes = self.encoding.attributes
        totals, highs = [-1] * len(attributes), [-1] * len(attributes) ** 2
        for index, number in enumerate(self.numbers):
            totals[number] = self.dummies**2 + index
        for first, second, cell in self.products():
            highs[self.numbers[first] * len(attributes) + self.numbers[second]] = cell
        return {
            "attributes": self.encoding.columns,
            "dummies": self.dummies,
            "starts": [attribute.first for attribute in attributes],
            "totals": totals,
            "highs": highs,
            "trees": list(range(len(self.trees))),
        }

    def render_cells(self) -> Sql:
        """Render the cells of a record."""
        return render("swap_cells", **self._arguments())

    def render_gain(self) -> Sql:
        """Render the gain of a record by weights of the cells."""
        return render("swap_gain", **self._arguments(), bits=_BITS)

    def render_values(self) -> Sql:
        """Render what a record adds to its cells."""
        return render(
            "swap_values",
            attributes=self.encoding.columns,
            bits=_BITS,
            trees=list(range(len(self.trees))),
        )

    @property
    def codes(self) -> list[str]:
        """The columns of a table that can be swapped."""
        columns = [f"a{index}" for index in range(len(self.encoding.attributes))]
        columns += [f"b{number}" for number in self.numbers]
        return columns + [f"t{index}" for index in range(len(self.trees))]


def lay_out(session: Session, model: Model, encoding: Encoding, judge: Judge | None = None) -> Layout:
    """Lay out the cells for an original.

    Args:
        session: Runs the statements.
        model: The generator of the original.
        encoding: The encoded tables.
        judge: The trees whose leaves get cells; None for none.

    Raises:
        UsageError: Its numbers have too many distinct values.
    """
    numeric = [attribute for attribute in encoding.attributes if attribute.numeric]
    units = []
    for attribute in numeric:
        low, high = model.limits[attribute.number]
        units.append(math.ldexp(1.0, math.frexp(high - low)[1] - _BITS) if high > low else 1.0)
    layout = Layout(
        encoding,
        encoding.dummies,
        tuple(attribute.number for attribute in numeric),
        model.lookups,
        tuple(units),
        0,
    )
    session.run(
        "number_bins",
        name=BINS,
        source=identifier(model.table),
        columns=[attribute.column for attribute in numeric],
        attributes=list(layout.numbers),
        first_index=layout.first_value,
    )
    values = count_rows(session, BINS)
    if values > MAX_VALUES:
        raise UsageError("membership.too_many_numeric_values", values=values, most=MAX_VALUES)
    layout = replace(layout, values=values)
    if judge is None:
        return layout
    trees, leaves = judge.render_leaves(layout.first_leaf)
    return replace(layout, trees=tuple(trees), leaves=leaves)


def encode(session: Session, layout: Layout, source: str, name: str, draw: int | None) -> None:
    """Make the table `name` of encoded records that can be swapped.

    Args:
        session: Runs the statements.
        layout: The order of the cells.
        source: The encoded records.
        name: The table that is made.
        draw: The number of their draw; None for records of a saved state, which hold it.
    """
    count = len(layout.encoding.attributes)
    units, outside = ["1"] * count, [-1] * count
    for index, number in enumerate(layout.numbers):
        units[number] = repr(layout.units[index])
        outside[number] = layout.first_value + layout.values + index
    session.run(
        "swap_codes",
        name=name,
        source=identifier(source),
        draw=draw,
        attributes=layout.encoding.columns,
        dummies=identifier(DUMMIES),
        bins=identifier(BINS),
        units=units,
        **layout.known,
        outside=outside,
        trees=list(layout.trees),
    )


def sum_cells(session: Session, layout: Layout, table: str) -> Cells:
    """Return the cells of a whole table."""
    import numpy as np

    rows = session.fetch_arrays(
        "swap_totals", source=identifier(table), cells=layout.render_cells(), values=layout.render_values()
    )
    cells = np.zeros(layout.size, dtype=np.int64)
    cells[np.asarray(rows["cell"], dtype=np.int64)] = rows["total"]
    return cells


@dataclass(frozen=True)
class Indices:
    """The indices of a release.

    Attributes:
        values: The indices by name.
        differences: The differences of correlations, an entry each two dummies.
        leaves: Share of the records that are in other leaves of the original's trees.
    """

    values: dict[str, float]
    differences: Any
    leaves: float = 0.0

    def shortfall(self, thresholds: Mapping[str, float]) -> float:
        """Return the sum of what the indices lack of their thresholds."""
        return sum(max(0.0, least - self.values[name]) for name, least in thresholds.items())


class IndexCalculator:
    """Computes the indices of releases of an original from their cells.

    Args:
        layout: The order of the cells.
        original: The cells of the original.
        records: The records of the original.
        release: The records of a release.
        names: The indices to compute.
    """

    def __init__(self, layout: Layout, original: Cells, records: int, release: int, names: tuple[str, ...]):
        import numpy as np

        self.layout, self.records, self.release, self.names = layout, records, release, names
        d = layout.dummies
        self._first, self._second = np.triu_indices(d, 1)
        self._pairs = self._first * d + self._second
        self._diagonal = np.arange(d) * (d + 1)
        self._numbers = [layout.dummy_of(number) for number in range(len(layout.numbers))]
        #: The cell of the sum of each dummy.
        self._sums = self._diagonal.copy()
        self._sums[self._numbers] = d * d + np.arange(len(self._numbers))
        counted = np.setdiff1d(np.arange(d), self._numbers)
        self._counts = np.concatenate(
            [self._diagonal[counted], np.arange(layout.first_value, layout.first_leaf)]
        )
        self._position = {
            (a, b): p
            for p, (a, b) in enumerate(zip(self._first.tolist(), self._second.tolist(), strict=True))
        }
        self._off = [
            (self._position[self._numbers[a], self._numbers[b]], cell)
            for a, b, cell in layout.products()
            if a != b
        ]
        self._own = [cell for a, b, cell in layout.products() if a == b]
        self._wanted_counts, self._original = original[self._counts], original
        self._scale = np.ones(d)
        self._scale[self._numbers] = layout.units
        covariances, variances, _ = self._sum_moments(original, records)
        self._covariances = self._scale_moments(covariances, variances, records)
        self._correlations, _ = _correlate(covariances, variances, self._first, self._second)

    def compute(self, cells: Cells) -> Indices:
        """Return the indices of a release."""
        import numpy as np

        values, differences = {}, None
        if "histogram" in self.names:
            distance = int(np.abs(cells[self._counts] - self._wanted_counts).sum())
            values["histogram"] = 1 - distance / (2 * self.records * len(self.layout.encoding.attributes))
        covariances, variances, _ = self._sum_moments(cells, self.release)
        if "correlation" in self.names:
            correlations, _ = _correlate(covariances, variances, self._first, self._second)
            differences = correlations - self._correlations
            values["correlation"] = 1 - float(np.abs(differences).max(initial=0.0))
        if "covariance" in self.names:
            off, diagonal = self._scale_moments(covariances, variances, self.release)
            off, diagonal = np.abs(off - self._covariances[0]), np.abs(diagonal - self._covariances[1])
            sums = diagonal + np.bincount(self._first, off, self.layout.dummies)
            largest = float((sums + np.bincount(self._second, off, self.layout.dummies)).max(initial=0.0))
            values["covariance"] = 1 / largest if largest else math.inf
        leaves = 0.0
        if self.layout.leaves:
            first = self.layout.first_leaf
            distance = int(np.abs(cells[first:] - self._original[first:]).sum())
            leaves = distance / (2 * self.records * len(self.layout.trees))
        return Indices(values, differences, leaves)

    def _sum_moments(self, cells: Cells, records: int) -> tuple[Weights, Weights, Weights]:
        """Return n (n - 1) times covariances and variances of dummies, and their sums."""
        import numpy as np

        sums = cells[self._sums].astype(np.float64)
        products = cells[self._pairs].astype(np.float64)
        for index, cell in self._off:
            products[index] = float((int(cells[cell]) << _BITS) + int(cells[cell + 1]))
        variances = records * sums - sums * sums
        for dummy, cell in zip(self._numbers, self._own, strict=True):
            total = int(cells[self._sums[dummy]])
            squares = (int(cells[cell]) << _BITS) + int(cells[cell + 1])
            variances[dummy] = float(records * squares - total * total)
        covariances = records * products - sums[self._first] * sums[self._second]
        return covariances, variances, sums

    def _scale_moments(
        self, covariances: Weights, variances: Weights, records: int
    ) -> tuple[Weights, Weights]:
        divisor = max(records * (records - 1), 1)
        scale = self._scale
        off = covariances / divisor * scale[self._first] * scale[self._second]
        constant = variances <= 0
        off[constant[self._first] | constant[self._second]] = 0.0
        return off, variances / divisor * scale**2

    def weigh(self, cells: Cells, thresholds: Mapping[str, float], slack: Mapping[str, float]) -> Weights:
        """Return what a record that is added gains, by cell.

        This is the derivative of what the histogram and all correlations lack.

        Args:
            cells: The cells of the release.
            thresholds: The thresholds of the indices.
            slack: By index, how far above its threshold it aims.
        """
        import numpy as np

        weights = np.zeros(self.layout.size)
        indices = self.compute(cells)
        if indices.values["histogram"] < thresholds["histogram"] + slack["histogram"]:
            sides = np.sign(cells[self._counts] - self._wanted_counts)
            weights[self._counts] -= sides / (2.0 * self.records * len(self.layout.encoding.attributes))
        if self.layout.leaves:
            first = self.layout.first_leaf
            weights[first:] -= np.sign(cells[first:] - self._original[first:]) / (
                2.0 * self.records * len(self.layout.trees)
            )
        n = float(self.release)
        covariances, variances, sums = self._sum_moments(cells, self.release)
        correlations, inverse = _correlate(covariances, variances, self._first, self._second)
        most = 1 - thresholds["correlation"] - slack["correlation"]
        worst: list[int] = np.flatnonzero(np.abs(indices.differences) > most).tolist()
        numbers = dict(zip(self._numbers, self._own, strict=True))
        products = dict(self._off)
        for index in worst:
            i, j = int(self._first[index]), int(self._second[index])
            sign = -float(np.sign(indices.differences[index]))
            if not (inverse[i] and inverse[j]):
                self._weigh_new_dummy(weights, sums, sign, index)
                continue
            slope, rho = sign * inverse[i] * inverse[j], sign * float(correlations[index])
            if index in products:
                weights[products[index]] += n * slope * 2.0**_BITS
                weights[products[index] + 1] += n * slope
            else:
                weights[self._pairs[index]] += n * slope
            for dummy, other in ((i, j), (j, i)):
                weights[self._sums[dummy]] += rho * sums[dummy] * inverse[dummy] ** 2 - sums[other] * slope
                square = -rho * n / 2 * inverse[dummy] ** 2
                if dummy in numbers:
                    weights[numbers[dummy]] += square * 2.0**_BITS
                    weights[numbers[dummy] + 1] += square
                else:
                    weights[self._diagonal[dummy]] += square
        return weights

    def _weigh_new_dummy(self, weights: Weights, sums: Weights, sign: float, index: int) -> None:
        """Add the gain of the first record with a dummy, for which there is no derivative."""
        n, pair = float(self.release), (int(self._first[index]), int(self._second[index]))
        if any(dummy in self._numbers or sums[dummy] == n for dummy in pair) or n < 2:
            return
        lacking = min(pair, key=lambda dummy: sums[dummy])
        other = float(sums[pair[1] if lacking == pair[0] else pair[0]])
        if not other:
            weights[self._pairs[index]] += sign
            return
        alone = -math.sqrt(other / ((n - 1) * (n - other)))
        weights[self._pairs[index]] += sign * (math.sqrt((n - other) / ((n - 1) * other)) - alone)
        weights[self._diagonal[lacking]] += sign * alone


def _correlate(covariances: Weights, variances: Weights, first: Any, second: Any) -> tuple[Weights, Weights]:
    """Return correlations, 0 with a constant, and the inverse roots of variances."""
    import numpy as np

    varies = variances > 0
    inverse = np.where(varies, 1 / np.sqrt(np.where(varies, variances, 1.0)), 0.0)
    return covariances * inverse[first] * inverse[second], inverse
