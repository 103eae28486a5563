"""Lloyd's k-means in SQL, and records told by their distances to centroids.

The population and the release are clustered each by itself; what shifts a whole release, as noise with a mean
does, shifts its centroids too and is gone from the distances to them. What changes cells at random changes
the centroids at random too: then distances of both tables to the same centroids tell more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from duckrisk.base.errors import UsageError
from duckrisk.contests.membership.neighbours import Shape, coded_tables
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier

#: A start ends when an iteration takes less than this share from the inertia, or after so many.
_GAIN = 1e-4
_MOST_ITERATIONS = 100
#: What the sums of squared distances can hold.
_LARGEST_SUM = 1e23
#: So many combinations of categories are told at once, where a category alone has not more.
_BLOCK = 1024
#: Combinations of categories that each have so many points in the mean are told once an iteration.
_SHARED = 4
#: So many records of a release tell its principal axes.
_TURNED = 5_000
#: Starts of so many points are iterated together.
_TOGETHER = 2_000_000
_POPULATION, _RELEASED = "population", "released"


@dataclass(frozen=True)
class _Space:
    """The columns of the tables of points, and how many codes each category has. Categories that follow one
    another are a block while they have few combinations: what these add to distances is told once, and what
    all of them add for each of the ``combinations`` of a table where it has few."""

    numeric: list[str]
    categories: list[str]
    codes: list[int]
    combinations: dict[str, Sql | None] = field(default_factory=dict)

    @property
    def dimensions(self) -> int:
        """How many a vector has."""
        return len(self.numeric) + sum(self.codes)

    @property
    def blocks(self) -> dict[str, list[int]]:
        """For each category its block and its stride there, and how many combinations each block has."""
        blocks: list[int] = []
        strides: list[int] = []
        sizes: list[int] = []
        for codes in self.codes:
            if not sizes or sizes[-1] * codes > _BLOCK:
                sizes.append(1)
            blocks.append(len(sizes) - 1)
            strides.append(sizes[-1])
            sizes[-1] *= codes
        return {"blocks": blocks, "strides": strides, "sizes": sizes}


def cluster(
    session: Session,
    population: str,
    released: str,
    shape: Shape,
    clusters: int,
    starts: int,
    seed: int,
    standardise: bool,
) -> int:
    """Make the tables of the records as points, and of the centroids of each table; return how many these
    are, which may be fewer where few records differ. The release is clustered from the population's
    centroids on, moved as the mean has moved, so that the two do not differ by where they started."""
    codes = coded_tables(session, {_POPULATION: population, _RELEASED: released}, shape)
    space = _Space(list(shape.numeric), list(shape.categories), codes.counts)
    shifts = None
    if standardise and shape.numeric:
        shifts = Sql("kmeans_shifts")
        session.run("kmeans_shifts", name=shifts, source=identifier(population), numeric=space.numeric)
    points = [_points(session, table, space, shifts, seed, standardise) for table in (_POPULATION, _RELEASED)]
    clusters = min(clusters, *points)
    lloyd = _Lloyd(session, _POPULATION, space, clusters)
    together = max(1, _TOGETHER // points[0])
    for first in range(0, starts, together):
        group = list(range(first, min(first + together, starts)))
        lloyd.start(seed, group)
        lloyd.run(group)
    lloyd = _Lloyd(session, _RELEASED, space, clusters)
    session.run(
        "kmeans_moved",
        name=lloyd.now,
        centroids=Sql(f"{_POPULATION}_centroids"),
        population=Sql(f"{_POPULATION}_mean"),
        released=Sql(f"{_RELEASED}_mean"),
        dimensions=space.dimensions,
    )
    lloyd.run([0])
    return clusters


def _points(
    session: Session, table: str, space: _Space, shifts: Sql | None, seed: int, standardise: bool
) -> int:
    """Make the points of a table and their mean; how many differ."""
    points = Sql(f"{table}_points")
    columns = {"numeric": space.numeric, "categories": space.categories}
    session.run(
        "kmeans_points",
        name=points,
        source=Sql(f"{table}_coded"),
        shifts=shifts,
        codes=space.codes,
        dimensions=space.dimensions,
        **columns,
    )
    session.run("kmeans_cells", name=f"{table}_cells", points=points, **columns, **space.blocks)
    counts = session.fetch_row("count_points", cells=Sql(f"{table}_cells"), numeric=space.numeric)
    space.combinations[table] = _combinations(session, table, space, counts["points"])
    far = 2 * counts["largest"]
    if counts["records"] * len(space.numeric) * far * far > _LARGEST_SUM:
        how = "leave their columns out" if standardise else "leave out --raw-numbers"
        raise UsageError("membership.squares_overflow", how=how)
    lloyd = _Lloyd(session, table, space, 1)
    lloyd.start(seed, [0])
    lloyd.step([0])
    lloyd.keep(f"{table}_mean", 0)
    count: int = counts["points"]
    return count


def _combinations(session: Session, table: str, space: _Space, points: int) -> Sql | None:
    """The table of the combinations of categories, none where they are too many to be told once."""
    if not space.categories:
        return None
    name = Sql(f"{table}_combinations")
    session.run(
        "kmeans_combinations",
        name=name,
        cells=Sql(f"{table}_cells"),
        blocks=len(space.blocks["sizes"]),
    )
    few = session.fetch_row("table_size", source=name)["found"] * _SHARED <= points
    return name if few else None


def features(session: Session, clusters: int, *, common: bool) -> Shape:
    """Make the tables ``kmeans_population`` and ``kmeans_released`` of what was clustered: the records as
    their distances to centroids. ``common``: to those of the population all of them; else to those of their
    own table, in the order for the release that fits the population's best. The columns are not the distances
    themselves but these along the principal axes of the release, which are as far from each other and where
    the nearest are found sooner."""
    order = list(range(clusters))
    orders = {_POPULATION: order, _RELEASED: order}
    if not common:
        pairs = session.run(
            "centroid_distances", population=Sql("population_centroids"), released=Sql("released_centroids")
        )
        distances = [row["distance"] for row in pairs]
        orders[_RELEASED] = cheapest_matching(
            [distances[centroid * clusters : (centroid + 1) * clusters] for centroid in order]
        )

    def make(table: str, matrix: list[str] | None) -> None:
        session.run(
            "kmeans_features",
            name=f"kmeans_{table}",
            points=Sql(f"{table}_points"),
            centroids=Sql(f"{_POPULATION if common else table}_centroids"),
            order=[centroid + 1 for centroid in orders[table]],
            matrix=matrix,
        )

    make(_RELEASED, None)
    matrix = _axes(session, clusters) if clusters > 1 else None
    for table in (_POPULATION, _RELEASED) if matrix is not None else (_POPULATION,):
        make(table, matrix)
    return Shape(tuple(f"n{centroid + 1}" for centroid in range(clusters)), ())


def _axes(session: Session, clusters: int) -> list[str] | None:
    """The principal axes of the released records as distances to centroids, as lists in text: distances vary
    together, and along the axes records are nowhere further apart but told from each other sooner."""
    import numpy as np

    columns = session.fetch_arrays(
        "first_features", source=Sql("kmeans_released"), columns=clusters, most=_TURNED
    )
    distances = np.array([columns[f"n{centroid + 1}"] for centroid in range(clusters)])
    if distances.shape[1] < 2:
        return None
    _, vectors = np.linalg.eigh(np.cov(distances))
    return [f"[{', '.join(map(repr, row))}]" for row in vectors.T[::-1].tolist()]


class _Lloyd:
    """The iterations of a table; the best of several starts is kept as its ``..._centroids``."""

    def __init__(self, session: Session, table: str, space: _Space, clusters: int) -> None:
        self.session, self.table, self.space, self.clusters = session, table, space, clusters
        self.now, self._after = Sql("centroids_now"), Sql("centroids_after")
        self._best: float | None = None

    def start(self, seed: int, starts: list[int]) -> None:
        """Draw the first centroids of each start."""
        self.session.run(
            "kmeans_start",
            name=self.now,
            points=Sql(f"{self.table}_points"),
            cells=Sql(f"{self.table}_cells"),
            clusters=self.clusters,
            seed=seed,
            starts=starts,
        )

    def step(self, starts: list[int]) -> None:
        """One iteration of each start."""
        space = self.space
        self.session.run(
            "kmeans_step",
            name=self._after,
            cells=Sql(f"{self.table}_cells"),
            combinations=space.combinations[self.table],
            centroids=self.now,
            starts=starts,
            clusters=self.clusters,
            numeric=space.numeric,
            codes=space.codes,
            dimensions=space.dimensions,
            **space.blocks,
        )
        self.now, self._after = self._after, self.now

    def run(self, starts: list[int]) -> None:
        """Iterate until each start has ended."""
        before: dict[int, float] = {}
        for iteration in range(_MOST_ITERATIONS):
            self.step(starts)
            rows = self.session.run("kmeans_inertia", centroids=self.now)
            going = []
            for start, inertia in ((row["start"], row["inertia"]) for row in rows):
                if iteration + 1 < _MOST_ITERATIONS and inertia < before.get(start, math.inf) * (1 - _GAIN):
                    going.append(start)
                elif self._best is None or inertia < self._best:
                    self._best = inertia
                    self.keep(f"{self.table}_centroids", start)
                before[start] = inertia
            if not (starts := going):
                return

    def keep(self, name: str, start: int) -> None:
        """Keep the centroids of a start."""
        self.session.run("keep_centroids", name=name, centroids=self.now, start=start)


def cheapest_matching(costs: Sequence[Sequence[float]]) -> list[int]:
    """For each row of a square of costs its column, so that the sum is least (the Hungarian method)."""
    size = len(costs)
    of_rows, of_columns = [0.0] * (size + 1), [0.0] * (size + 1)
    owner, way = [0] * (size + 1), [0] * (size + 1)
    for row in range(1, size + 1):
        owner[0], column = row, 0
        slack, used = [float("inf")] * (size + 1), [False] * (size + 1)
        while owner[column]:
            used[column], here = True, owner[column]
            least, following = float("inf"), 0
            for other in range(1, size + 1):
                if used[other]:
                    continue
                reduced = costs[here - 1][other - 1] - of_rows[here] - of_columns[other]
                if reduced < slack[other]:
                    slack[other], way[other] = reduced, column
                if slack[other] < least:
                    least, following = slack[other], other
            for other in range(size + 1):
                if used[other]:
                    of_rows[owner[other]] += least
                    of_columns[other] -= least
                else:
                    slack[other] -= least
            column = following
        while column:
            owner[column], column = owner[way[column]], way[column]
    assigned = [0] * size
    for column in range(1, size + 1):
        assigned[owner[column] - 1] = column - 1
    return assigned
