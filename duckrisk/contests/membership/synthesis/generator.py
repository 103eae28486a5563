"""Synthetic records with the marginals, means and covariances of others: the generator of Okada and others.

Everything that grows with the records is SQL; here are only matrices of a row for each dummy. Columns with
one value are taken out and put back.
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

#: Numbers of an attribute are counted in units, of which so many powers of two make its range: the sums of
#: their products over 100 million records are exact.
_RANGE_BITS, _DRAWN_BITS = 36, 32
#: Correlation matrices have eigenvalues below this only where components depend on each other.
_NO_VARIANCE = 1e-10
#: So many vectors tell by what the components of categories are shifted to match their marginals, ...
_SHIFTED = 20_000
#: ... in so many rounds at most.
_ROUNDS = 20
#: More records than these do not fit the exact sums.
MOST_RECORDS = 100_000_000


@dataclass(frozen=True)
class Component:
    """One dummy that varies: its attribute, its category and the place of that in the list of the attribute
    (both none for numbers), how many records have it, and the range of numbers."""

    attribute: Attribute
    value: str | None
    place: int | None
    records: int
    least: float
    most: float

    def unit(self, bandwidth: float | None = None) -> float:
        """The unit that numbers are counted in, a power of two: of the records, or of what is drawn with a
        bandwidth."""
        width = self.most - self.least if self.place is None else 1.0
        bits = _RANGE_BITS
        if bandwidth is not None:
            width, bits = max(width, bandwidth), _DRAWN_BITS
        return math.ldexp(1.0, math.frexp(width)[1] - bits)


@dataclass(frozen=True)
class Model:
    """What is learnt of an encoded ``table``: its components, their means (of numbers less the smallest) and
    covariances, and the smallest
    and the largest number of every attribute, or the places of its first and last category."""

    table: str
    records: int
    attributes: tuple[Attribute, ...]
    components: tuple[Component, ...]
    limits: tuple[tuple[Any, Any], ...]
    means: Matrix
    covariances: Matrix

    @property
    def known(self) -> dict[str, Sql]:
        """The tables by which statements name categories and the limits of numbers."""
        return {"known": identifier(CATEGORIES), "limits": identifier(f"{self.table}_limits")}


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
    model = Model(table, source.records, encoding.attributes, tuple(components), tuple(limits), *_nothing())
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
        columns=[each.attribute.column for each in components],
        places=[each.place for each in components],
        units=[repr(each.unit()) for each in components],
        **model.known,
    )
    means, covariances = _moments(session, one_hot, source.records, model.components, None)
    return Model(table, source.records, model.attributes, model.components, model.limits, means, covariances)


def draw(
    session: Session,
    model: Model,
    table: str,
    records: int,
    seed: int | None = 0,
    bandwidth: float = 1.0,
    matched: bool = False,
) -> Drawn:
    """Draw so many records into the encoded ``table``. The same seed draws the same, whatever the threads;
    ``bandwidth`` is that of the Gaussian kernel on numbers, 0 for none. ``matched`` makes values as frequent
    as they are in the model's table: numbers by their ranks (a Gaussian copula), categories by shifts of
    their components; else they are rounded and the largest, as in the contest."""
    if not 1 <= records <= MOST_RECORDS:
        raise UsageError("membership.record_count_out_of_range", records=records, most_records=MOST_RECORDS)
    if not (math.isfinite(bandwidth) and 0 <= bandwidth <= 1e100):
        raise UsageError("membership.bandwidth_out_of_range")
    unrounded, exact = f"{table}_unrounded", True
    if model.components:
        vectors = f"{table}_drawn"
        _draw_vectors(session, model, vectors, records, Chance(seed), bandwidth)
        drawn = _moments(session, vectors, records, model.components, bandwidth)
        matrix, shift, exact = transformation((model.means, model.covariances), drawn)
        units = [each.unit(bandwidth) if each.place is None else 1.0 for each in model.components]
        coloured = (vectors, matrix * units, shift)
        _colour(session, model, unrounded, *coloured)
        source: Sql = identifier(unrounded)
        if matched:
            shifted = f"{table}_shifted"
            shifts = shift + _shifts(session, model, unrounded)
            _colour(session, model, shifted, vectors, coloured[1], shifts)
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
        places=[
            None
            if attribute.numeric
            else [model.components[p].place for p in places[attribute.number]] or [first]
            for attribute, (first, _) in zip(model.attributes, model.limits, strict=True)
        ],
        **model.known,
        whole=[a.column for a in model.attributes if a.numeric and is_integer(a.type)],
        matched=identifier(model.table) if matched else None,
        members=model.records,
        records=records,
    )
    return Drawn(table, unrounded, records, exact)


def _colour(session: Session, model: Model, name: str, vectors: str, matrix: Matrix, shift: Matrix) -> None:
    session.run(
        "coloured_records",
        name=name,
        source=identifier(vectors),
        matrix=[f"[{', '.join(map(repr, row))}]" for row in matrix.tolist()],
        shift=[repr(each) for each in shift.tolist()],
        numbers=[each.attribute.column if each.place is None else None for each in model.components],
        limits=model.known["limits"],
    )


def _shifts(session: Session, model: Model, unrounded: str) -> Matrix:
    """What is added to the components of categories so that each is the largest as often as in the records,
    told from the first vectors."""
    import numpy as np

    shifts = np.zeros(len(model.components))
    places: dict[int, list[int]] = {}
    for index, each in enumerate(model.components):
        if each.place is not None:
            places.setdefault(each.attribute.number, []).append(index)
    for own in places.values():
        own.sort(key=lambda index: -model.components[index].records)
        columns = session.fetch_arrays(
            "first_vectors", source=identifier(unrounded), components=own, most=_SHIFTED
        )
        vectors = np.array([columns[f"z{index}"] for index in own])
        shifts[own] = matching(
            vectors, np.array([model.components[index].records for index in own]) / model.records
        )
    return shifts


def matching(vectors: Matrix, shares: Matrix) -> Matrix:
    """What is added to each line so that it is the largest in its share of the columns, in at least one. The
    first line stays; one after the other of the rest is put where it is right as the others are, until none
    moves: the dual ascent of the transport of the columns to the lines."""
    import numpy as np

    z, size = vectors.copy(), vectors.shape[1]
    for _ in range(_ROUNDS if size > len(z) else 0):
        moved = False
        for line in range(1, len(z)):
            wanted = max(1, round(float(shares[line]) * size))
            above = z[line] - np.delete(z, line, axis=0).max(axis=0)
            if int((above > 0).sum()) != wanted:
                between = [size - wanted - 1, size - wanted]
                z[line] -= np.partition(above, between)[between].mean()
                moved = True
        if not moved:
            break
    return z[:, 0] - vectors[:, 0]


# --- drawing ---------------------------------------------------------------------------------------


def _draw_vectors(
    session: Session, model: Model, name: str, records: int, chance: Chance, bandwidth: float
) -> None:
    """Vectors whose components are independent of each other."""
    permuted = records <= model.records
    draws = [chance.render_draw("dummy", index) for index in range(len(model.components))]
    truths = [index for index, each in enumerate(model.components) if each.place is not None]
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
    numbers = [each.place is None for each in model.components]
    session.run(
        "drawn_records",
        name=name,
        source=identifier(model.table),
        records=records,
        members=model.records,
        columns=[each.attribute.column for each in model.components],
        dummies=[
            None if number else render("is_drawn", drawn=draws[index], limit=limit_of[index])
            for index, number in enumerate(numbers)
        ],
        places=draws,
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
        limits=model.known["limits"],
        units=[repr(each.unit(bandwidth)) for each in model.components],
    )


def _moments(
    session: Session,
    source: str,
    records: int,
    components: tuple[Component, ...],
    bandwidth: float | None,
) -> tuple[Matrix, Matrix]:
    """Return means and covariances of vectors, numbers less the smallest one of their attribute."""
    import numpy as np

    rows = session.run(
        "one_hot_moments",
        source=identifier(source),
        records=records,
        truths=[index for index, each in enumerate(components) if each.place is not None],
        numbers=[index for index, each in enumerate(components) if each.place is None],
    )
    units = np.array([each.unit(bandwidth) if each.place is None else 1.0 for each in components])
    means = np.zeros(len(components))
    covariances = np.zeros((len(components), len(components)))
    for row in rows:
        first, second = row["first"], row["second"]
        if first == second:
            means[first] = row["mean"]
        covariances[first, second] = covariances[second, first] = row["covariance"]
    return means * units, covariances * units * units[:, None]


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
