"""Synthetic records with the marginals, means and covariances of others: the generator of Okada and others.

Everything that grows with the records is SQL; here are only matrices of a row for each dummy. Columns with
one value are taken out and put back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from duckrisk.anonymization.randomness import Chance
from duckrisk.errors import SourceError, UsageError
from duckrisk.membership.records import DUMMIES, Attribute, Encoding
from duckrisk.session import Session
from duckrisk.templates import Sql, identifier, render

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

#: Numbers of an attribute are counted in units, of which so many powers of two make its range: the sums of
#: their products over 100 million records are exact.
_RANGE_BITS, _DRAWN_BITS = 36, 32
#: Correlation matrices have eigenvalues below this only where components depend on each other.
_NO_VARIANCE = 1e-10
#: More records than these do not fit the exact sums.
MOST_RECORDS = 100_000_000


@dataclass(frozen=True)
class Component:
    """One dummy that varies: its attribute, its value (none for numbers), how many records have it, and the
    range of numbers."""

    attribute: Attribute
    value: str | None
    records: int
    least: float
    most: float

    def unit(self, bandwidth: float | None = None) -> float:
        """The unit that numbers are counted in, a power of two: of the records, or of what is drawn with a
        bandwidth."""
        width = self.most - self.least if self.value is None else 1.0
        bits = _RANGE_BITS
        if bandwidth is not None:
            width, bits = max(width, bandwidth), _DRAWN_BITS
        return math.ldexp(1.0, math.frexp(width)[1] - bits)


@dataclass(frozen=True)
class Model:
    """What is learnt of an encoded ``table``: its components, their means and covariances, and the first and
    the last value of every attribute."""

    table: str
    records: int
    attributes: tuple[Attribute, ...]
    components: tuple[Component, ...]
    limits: tuple[tuple[Any, Any], ...]
    means: Matrix
    covariances: Matrix


@dataclass(frozen=True)
class Drawn:
    """What was drawn: the encoded ``table``, the view ``unrounded`` of its vectors before they became records
    (z0, z1, ... for the components), and whether these have the means and covariances exactly."""

    table: str
    unrounded: str
    records: int
    exact: bool


def learn(session: Session, encoding: Encoding, table: str) -> Model:
    """Learn the means and covariances of an encoded table. Raises SourceError for one without records."""
    known = encoding.tables[table]
    if not known.records:
        raise SourceError(f'"{known.name}" has no records; there is nothing to learn from.')
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
        limits.append(
            (own[0]["least"], own[0]["most"]) if attribute.numeric else (own[0]["value"], own[-1]["value"])
        )
        if limits[-1][0] != limits[-1][1]:
            components += [
                Component(attribute, row["value"], row["records"], row["least"] or 0.0, row["most"] or 0.0)
                for row in own
            ]
    model = Model(table, known.records, encoding.attributes, tuple(components), tuple(limits), *_nothing())
    if not components:
        return model
    hot = f"{table}_hot"
    session.run(
        "hot_records",
        name=hot,
        source=identifier(table),
        columns=[each.attribute.column for each in components],
        values=[each.value for each in components],
        least=[repr(each.least) for each in components],
        units=[repr(each.unit()) for each in components],
    )
    means, covariances = _moments(session, hot, known.records, model.components, None)
    return Model(table, known.records, model.attributes, model.components, model.limits, means, covariances)


def draw(
    session: Session, model: Model, table: str, records: int, seed: int | None = 0, bandwidth: float = 1.0
) -> Drawn:
    """Draw so many records into the encoded ``table``. The same seed draws the same, whatever the threads;
    ``bandwidth`` is that of the Gaussian kernel on numbers, 0 for none."""
    if not 1 <= records <= MOST_RECORDS:
        raise UsageError(f"{records:,} records cannot be drawn; write a number from 1 to {MOST_RECORDS:,}.")
    if not (math.isfinite(bandwidth) and 0 <= bandwidth <= 1e100):
        raise UsageError("The bandwidth is not negative, and not larger than 1e100.")
    unrounded, exact = f"{table}_unrounded", True
    if model.components:
        vectors = f"{table}_drawn"
        _draw_vectors(session, model, vectors, records, Chance(seed), bandwidth)
        drawn = _moments(session, vectors, records, model.components, bandwidth)
        matrix, shift, exact = transformation((model.means, model.covariances), drawn)
        units = [each.unit(bandwidth) if each.value is None else 1.0 for each in model.components]
        session.run(
            "coloured_records",
            name=unrounded,
            source=identifier(vectors),
            matrix=[f"[{', '.join(map(repr, row))}]" for row in (matrix * units).tolist()],
            shift=[repr(each) for each in (shift + matrix @ _least(model.components)).tolist()],
        )
        source: Sql = identifier(unrounded)
    else:
        source = render("numbered_range", records=records)
    places: dict[int, list[int]] = {attribute.number: [] for attribute in model.attributes}
    for place, component in enumerate(model.components):
        places[component.attribute.number].append(place)
    session.run(
        "discrete_records",
        name=table,
        source=source,
        columns=[attribute.column for attribute in model.attributes],
        components=list(places.values()),
        values=[
            None if attribute.numeric else [model.components[p].value for p in places[attribute.number]]
            for attribute in model.attributes
        ],
        limits=[
            [repr(low), repr(high)] if attribute.numeric else [low, high]
            for attribute, (low, high) in zip(model.attributes, model.limits, strict=True)
        ],
        whole=[a.column for a in model.attributes if a.numeric and is_whole(a.kind)],
    )
    return Drawn(table, unrounded, records, exact)


def is_whole(kind: str) -> bool:
    """Whether a type is one of whole numbers."""
    return "INT" in kind


# --- drawing ---------------------------------------------------------------------------------------


def _draw_vectors(
    session: Session, model: Model, name: str, records: int, chance: Chance, bandwidth: float
) -> None:
    """Vectors whose components are independent of each other."""
    permuted = records <= model.records
    draws = [chance.drawn("dummy", place) for place in range(len(model.components))]
    truths = [place for place, each in enumerate(model.components) if each.value is not None]
    limits: list[str] = []
    if truths and records > 1:
        rows = session.run(
            "draw_limits",
            records=records,
            members=model.records,
            counts=[model.components[place].records for place in truths],
            draws=[draws[place] for place in truths],
            exact=int(permuted),
        )
        limits = [row["most"] for row in rows]
    elif truths:
        limits = ["0"] * len(truths)
    limit_of = dict(zip(truths, limits, strict=True))
    numbers = [each.value is None for each in model.components]
    session.run(
        "drawn_records",
        name=name,
        source=identifier(model.table),
        records=records,
        members=model.records,
        columns=[each.attribute.column for each in model.components],
        dummies=[
            None if number else render("is_drawn", drawn=draws[place], limit=limit_of[place])
            for place, number in enumerate(numbers)
        ],
        places=draws,
        picks=[
            None if permuted or not number else chance.drawn("pick", place)
            for place, number in enumerate(numbers)
        ],
        noise=[
            render("gaussian", first=chance.drawn("noise", place), second=chance.drawn("turn", place))
            if number
            else None
            for place, number in enumerate(numbers)
        ],
        bandwidth=float(bandwidth),
        least=[repr(each.least) for each in model.components],
        units=[repr(each.unit(bandwidth)) for each in model.components],
    )


def _moments(
    session: Session,
    source: str,
    records: int,
    components: tuple[Component, ...],
    bandwidth: float | None,
) -> tuple[Matrix, Matrix]:
    """Means and covariances of vectors, in the units of the attributes."""
    import numpy as np

    rows = session.run(
        "hot_moments",
        source=identifier(source),
        records=records,
        truths=[place for place, each in enumerate(components) if each.value is not None],
        numbers=[place for place, each in enumerate(components) if each.value is None],
    )
    units = np.array([each.unit(bandwidth) if each.value is None else 1.0 for each in components])
    means = np.zeros(len(components))
    covariances = np.zeros((len(components), len(components)))
    for row in rows:
        first, second = row["first"], row["second"]
        if first == second:
            means[first] = row["mean"]
        covariances[first, second] = covariances[second, first] = row["covariance"]
    return means * units + _least(components), covariances * units * units[:, None]


def _least(components: tuple[Component, ...]) -> Matrix:
    import numpy as np

    return np.array([each.least if each.value is None else 0.0 for each in components])


def _nothing() -> tuple[Matrix, Matrix]:
    import numpy as np

    return np.zeros(0), np.zeros((0, 0))


# --- the linear form --------------------------------------------------------------------------------


def transformation(
    wanted: tuple[Matrix, Matrix], drawn: tuple[Matrix, Matrix]
) -> tuple[Matrix, Matrix, bool]:
    """The matrix A and the vector b for which A y + b has the means and covariances that are wanted, where y
    has those that were drawn; and whether that holds exactly, for which y must vary in every direction."""
    root, _, _ = roots(wanted[1])
    _, inverse, full = roots(drawn[1])
    matrix = root @ inverse
    return matrix, wanted[0] - matrix @ drawn[0], full


def roots(covariances: Matrix) -> tuple[Matrix, Matrix, bool]:
    """The root U L^(1/2) of a matrix of covariances U L U', columns by falling L; its inverse; and whether it
    has one (else it is that within the directions that vary).

    Decomposing the covariances themselves loses what small attributes have beside large ones. So the root of
    the correlations is taken, and turned to where the former points. The signs of the columns of U are free;
    they are those of a singular value decomposition, as in the program of the contest.
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
