"""Generates records with the marginals, means and covariances of others, by the method of Okada and others.

SQL does whatever grows with the records; this module only handles matrices with a row a dummy. Constant
columns are left out and added to the result.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.contests.membership.records import CATEGORIES, DUMMIES, Attribute, Encoding
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.engine.types import is_integer
from duckrisk.release.anonymization.randomness import Chance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

#: Bits of the units in the range of a number, for the source and for draws (derived: the sums of products
#: over 100 million records are exact).
_RANGE_BITS, _DRAWN_BITS = 36, 32
#: Eigenvalue of a correlation matrix; smaller ones belong to linearly dependent components (derived: the
#: rounding of doubles with 1,000 components).
_NO_VARIANCE = 1e-10
#: Vectors from which the shifts of categories are computed (a choice: shares are right to about 0.3 %).
_SHIFT_SAMPLE = 20_000
#: Rounds of computing these shifts at most (a choice: they settle in a few).
_ROUNDS = 20
#: Records (derived: the exact sums hold no more).
MAX_RECORDS = 100_000_000


@dataclass(frozen=True)
class Component:
    """A dummy that is not constant.

    Attributes:
        attribute: Its attribute.
        value: Its category; None for a number.
        place: The index of the category in the list of the attribute, from 1; None for a number.
        records: The records with the category.
        least: The smallest number.
        most: The largest number.
    """

    attribute: Attribute
    value: str | None
    place: int | None
    records: int
    least: float
    most: float

    def unit(self, bandwidth: float | None = None) -> float:
        """Return the unit of the numbers, a power of two.

        Args:
            bandwidth: The bandwidth of draws; None for the numbers of the source.
        """
        width = self.most - self.least if self.place is None else 1.0
        bits = _RANGE_BITS
        if bandwidth is not None:
            width, bits = max(width, bandwidth), _DRAWN_BITS
        return math.ldexp(1.0, math.frexp(width)[1] - bits)


@dataclass(frozen=True)
class Model:
    """What is learned from an encoded table.

    Attributes:
        table: The table.
        records: The number of its records.
        attributes: Its attributes.
        components: The dummies that are not constant.
        limits: The smallest and the largest number of each attribute, or the places of its first and last
            category.
        means: The mean of each component, of numbers less the smallest.
        covariances: The covariances of the components.
    """

    table: str
    records: int
    attributes: tuple[Attribute, ...]
    components: tuple[Component, ...]
    limits: tuple[tuple[Any, Any], ...]
    means: Matrix
    covariances: Matrix

    @property
    def lookups(self) -> dict[str, Sql]:
        """The tables of categories and limits of numbers, as arguments of statements."""
        return {"category_lists": identifier(CATEGORIES), "limits": identifier(f"{self.table}_limits")}


@dataclass(frozen=True)
class Drawn:
    """The records that were drawn.

    Attributes:
        table: The encoded table.
        unrounded: The view of the vectors that became records: z0, z1, ... for the components.
        records: The number of records.
        exact: Whether the vectors have the means and covariances exactly.
    """

    table: str
    unrounded: str
    records: int
    exact: bool


def learn(session: Session, encoding: Encoding, table: str) -> Model:
    """Learn the means and covariances of an encoded table.

    Raises:
        SourceError: The table is empty.
    """
    source = encoding.tables[table]
    if not source.records:
        raise SourceError("membership.nothing_to_learn_from", known=source.name)
    rows = session.run(
        "dummy_counts",
        source=identifier(table),
        dummies=identifier(DUMMIES),
        columns=encoding.columns,
        numeric=encoding.numeric,
    )
    components, limits = [], []
    for attribute in encoding.attributes:
        own = [row for row in rows if row["attribute"] == attribute.number and row["records"]]
        places = [None if attribute.numeric else row["dummy"] - attribute.first + 1 for row in own]
        limits.append((own[0]["least"], own[0]["most"]) if attribute.numeric else (places[0], places[-1]))
        if limits[-1][0] != limits[-1][1]:
            components += [
                Component(
                    attribute, row["value"], place, row["records"], row["least"] or 0.0, row["most"] or 0.0
                )
                for row, place in zip(own, places, strict=True)
            ]
    facts = (table, source.records, encoding.attributes, tuple(components), tuple(limits))
    model = Model(*facts, *_no_moments())
    session.run(
        "number_limits",
        name=f"{table}_limits",
        source=identifier(table),
        numeric=encoding.numeric,
    )
    if not components:
        return model
    one_hot = f"{table}_one_hot"
    session.run(
        "one_hot_records",
        name=one_hot,
        source=identifier(table),
        columns=[component.attribute.column for component in components],
        category_ids=[component.place for component in components],
        units=[repr(component.unit()) for component in components],
        **model.lookups,
    )
    means, covariances = _measure_moments(session, one_hot, source.records, model.components, None)
    return Model(*facts, means, covariances)


def draw(
    session: Session,
    model: Model,
    table: str,
    records: int,
    seed: int | None = 0,
    bandwidth: float = 1.0,
    matched: bool = False,
) -> Drawn:
    """Draw records into an encoded table, the same for each number of threads.

    Args:
        session: Runs the statements.
        model: What was learned.
        table: The table that is made.
        records: The number of records.
        seed: The seed of the draws; None draws by the system's randomness.
        bandwidth: The bandwidth of the Gaussian kernel on numbers; 0 for none.
        matched: Whether values are as frequent as in the source: numbers by their ranks (a Gaussian copula),
            categories by shifts of their components. Otherwise numbers are rounded, and the largest component
            is the category, as in the contest.

    Returns:
        What was drawn.

    Raises:
        UsageError: The number of records or the bandwidth is out of range.
    """
    if not 1 <= records <= MAX_RECORDS:
        raise UsageError("membership.record_count_out_of_range", records=records, most=MAX_RECORDS)
    if not (math.isfinite(bandwidth) and 0 <= bandwidth <= 1e100):
        raise UsageError("membership.bandwidth_out_of_range")
    unrounded, exact = f"{table}_unrounded", True
    if model.components:
        vectors = f"{table}_drawn"
        _draw_vectors(session, model, vectors, records, Chance(seed), bandwidth)
        drawn = _measure_moments(session, vectors, records, model.components, bandwidth)
        matrix, shift, exact = transform_moments((model.means, model.covariances), drawn)
        units = [c.unit(bandwidth) if c.place is None else 1.0 for c in model.components]
        matrix = matrix * units
        _transform_vectors(session, model, unrounded, vectors, matrix, shift)
        source: Sql = identifier(unrounded)
        if matched:
            shifted = f"{table}_shifted"
            shifts = shift + _find_shifts(session, model, unrounded)
            _transform_vectors(session, model, shifted, vectors, matrix, shifts)
            source = identifier(shifted)
    else:
        source = render("numbered_range", records=records)
    places: dict[int, list[int]] = {attribute.number: [] for attribute in model.attributes}
    for index, component in enumerate(model.components):
        places[component.attribute.number].append(index)
    session.run(
        "discrete_records",
        name=table,
        source=source,
        columns=[attribute.column for attribute in model.attributes],
        components=list(places.values()),
        category_ids=[
            None
            if attribute.numeric
            else [model.components[p].place for p in places[attribute.number]] or [first]
            for attribute, (first, _) in zip(model.attributes, model.limits, strict=True)
        ],
        **model.lookups,
        integers=[a.column for a in model.attributes if a.numeric and is_integer(a.type)],
        matched=identifier(model.table) if matched else None,
        members=model.records,
        records=records,
    )
    return Drawn(table, unrounded, records, exact)


def _transform_vectors(
    session: Session, model: Model, name: str, vectors: str, matrix: Matrix, shift: Matrix
) -> None:
    """Make the view of transformed vectors."""
    session.run(
        "coloured_records",
        name=name,
        source=identifier(vectors),
        matrix=[f"[{', '.join(map(repr, row))}]" for row in matrix.tolist()],
        shift=[repr(number) for number in shift.tolist()],
        numbers=[c.attribute.column if c.place is None else None for c in model.components],
        limits=model.lookups["limits"],
    )


def _find_shifts(session: Session, model: Model, unrounded: str) -> Matrix:
    """Return the shifts by which each category is as frequent as in the records."""
    import numpy as np

    shifts = np.zeros(len(model.components))
    places: dict[int, list[int]] = {}
    for index, component in enumerate(model.components):
        if component.place is not None:
            places.setdefault(component.attribute.number, []).append(index)
    for categories in places.values():
        categories.sort(key=lambda index: -model.components[index].records)
        columns = session.fetch_arrays(
            "first_vectors", source=identifier(unrounded), components=categories, max_vectors=_SHIFT_SAMPLE
        )
        vectors = np.array([columns[f"z{index}"] for index in categories])
        counts = np.array([model.components[index].records for index in categories])
        shifts[categories] = match_shares(vectors, counts / model.records)
    return shifts


def match_shares(vectors: Matrix, shares: Matrix) -> Matrix:
    """Return the shifts by which each row is the largest in its share of the columns.

    The first row stays. The others are shifted in turn until none moves: a dual ascent of the transport of
    the columns to the rows.

    Args:
        vectors: A row a category, a column a vector.
        shares: The share of each row; it becomes the largest in at least one column.
    """
    import numpy as np

    z, size = vectors.copy(), vectors.shape[1]
    for _ in range(_ROUNDS if size > len(z) else 0):
        moved = False
        for line in range(1, len(z)):
            target = max(1, round(float(shares[line]) * size))
            above = z[line] - np.delete(z, line, axis=0).max(axis=0)
            if int((above > 0).sum()) != target:
                between = [size - target - 1, size - target]
                z[line] -= np.partition(above, between)[between].mean()
                moved = True
        if not moved:
            break
    return z[:, 0] - vectors[:, 0]


# --- drawing ---------------------------------------------------------------------------------------


def _draw_vectors(
    session: Session, model: Model, name: str, records: int, chance: Chance, bandwidth: float
) -> None:
    """Draw vectors with independent components."""
    permuted = records <= model.records
    draws = [chance.render_draw("dummy", index) for index in range(len(model.components))]
    truths = [index for index, component in enumerate(model.components) if component.place is not None]
    limits: list[str] = []
    if truths and records > 1:
        rows = session.run(
            "draw_limits",
            records=records,
            members=model.records,
            counts=[model.components[index].records for index in truths],
            draws=[draws[index] for index in truths],
            permuted=permuted,
        )
        limits = [row["most"] for row in rows]
    elif truths:
        limits = ["0"] * len(truths)
    limit_of = dict(zip(truths, limits, strict=True))
    numbers = [component.place is None for component in model.components]
    session.run(
        "drawn_records",
        name=name,
        source=identifier(model.table),
        records=records,
        members=model.records,
        columns=[component.attribute.column for component in model.components],
        dummies=[
            None if number else render("is_drawn", drawn=draws[index], limit=limit_of[index])
            for index, number in enumerate(numbers)
        ],
        sort_keys=draws,
        picks=[
            None if permuted or not number else chance.render_draw("pick", index)
            for index, number in enumerate(numbers)
        ],
        noise=[
            render(
                "gaussian", first=chance.render_draw("noise", index), second=chance.render_draw("turn", index)
            )
            if number
            else None
            for index, number in enumerate(numbers)
        ],
        bandwidth=float(bandwidth),
        limits=model.lookups["limits"],
        units=[repr(component.unit(bandwidth)) for component in model.components],
    )


def _measure_moments(
    session: Session,
    source: str,
    records: int,
    components: tuple[Component, ...],
    bandwidth: float | None,
) -> tuple[Matrix, Matrix]:
    """Return means and covariances of vectors, of numbers less their smallest."""
    import numpy as np

    rows = session.run(
        "one_hot_moments",
        source=identifier(source),
        records=records,
        truths=[index for index, component in enumerate(components) if component.place is not None],
        numbers=[index for index, component in enumerate(components) if component.place is None],
    )
    units = np.array([c.unit(bandwidth) if c.place is None else 1.0 for c in components])
    means = np.zeros(len(components))
    covariances = np.zeros((len(components), len(components)))
    for row in rows:
        first, second = row["first"], row["second"]
        if first == second:
            means[first] = row["mean"]
        covariances[first, second] = covariances[second, first] = row["covariance"]
    return means * units, covariances * units * units[:, None]


def _no_moments() -> tuple[Matrix, Matrix]:
    import numpy as np

    return np.zeros(0), np.zeros((0, 0))


# --- the linear form --------------------------------------------------------------------------------


def transform_moments(
    target: tuple[Matrix, Matrix], drawn: tuple[Matrix, Matrix]
) -> tuple[Matrix, Matrix, bool]:
    """Return A and b so that A y + b has the means and covariances of the target.

    Args:
        target: The means and covariances to reach.
        drawn: The means and covariances of y.

    Returns:
        A, b, and whether they are reached exactly, for which y must vary in every direction.
    """
    root, _, _ = find_roots(target[1])
    _, inverse, full = find_roots(drawn[1])
    matrix = root @ inverse
    return matrix, target[0] - matrix @ drawn[0], full


def find_roots(covariances: Matrix) -> tuple[Matrix, Matrix, bool]:
    """Return the root U L^(1/2) of covariances U L U', and its inverse.

    A decomposition of the covariances loses the precision of attributes with small variances. So the root of
    the correlations is computed, and rotated to the axes of U. The signs of the columns of U are free; here
    they are those of a singular value decomposition, as in the program of the contest.

    Args:
        covariances: A symmetric matrix.

    Returns:
        The root, with columns by decreasing L; its inverse, within the directions that vary; and whether all
        directions vary.
    """
    import numpy as np

    spread = np.sqrt(np.diag(covariances))
    scale = np.where(spread > 0, spread, 1.0)
    values, vectors = np.linalg.eigh(covariances / scale / scale[:, None])
    varies = values > _NO_VARIANCE
    halves = np.sqrt(np.where(varies, values, 0.0))
    inverses = np.where(varies, 1 / np.where(varies, halves, 1.0), 0.0)
    own_vectors, own_values, _ = np.linalg.svd(covariances)  # signs as in the program
    principal = own_vectors * np.sqrt(own_values) / scale[:, None]
    left, _, right = np.linalg.svd((vectors * halves).T @ principal)
    turn = left @ right
    root = (vectors * halves) @ turn * scale[:, None]
    inverse = turn.T @ (vectors * inverses).T / scale
    return root, inverse, bool(varies.all())
