"""Clusters records by Lloyd's k-means in SQL, and compares them by their distances to centroids.

The population and the release are clustered separately. Noise with a mean shifts the centroids of a release
as it shifts the records, so distances to them stay. Values that change at random change the centroids at
random, too: then distances of both tables to the same centroids are better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from duckrisk.base.errors import UsageError
from duckrisk.contests.common import count_rows
from duckrisk.contests.membership.neighbours import Shape, make_coded_tables
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier

#: Share of the inertia; a start ends if an iteration gains less (a choice: of the size of scikit-learn's
#: tolerance).
_MIN_GAIN = 1e-4
#: Iterations; a start ends after this many (a choice: a third of scikit-learn's 300, as starts end by gain).
_MAX_ITERATIONS = 100
#: The largest sum of squared distances (derived: decimals of 38 digits with 14 places).
_LARGEST_SUM = 1e23
#: Combinations of categories whose distances are computed together (a choice: far fewer than
#: the points of a table that is worth it).
_MAX_COMBINATIONS = 1024
#: Points; distances of a combination with this many on average are computed once an iteration (a choice: a
#: table of combinations costs a join).
_MIN_POINTS = 4
#: Records of a release that its principal axes are computed from (a choice: the axes only save time).
_AXES_SAMPLE = 5_000
#: Points of all starts that are iterated in one statement (a choice: it bounds the memory of an iteration).
_POINTS_AT_ONCE = 2_000_000
_POPULATION, _RELEASED = "population", "released"


@dataclass(frozen=True)
class _Space:
    """The columns of the tables of points.

    Categories in a row form a block as long as they have few combinations. The distances of a combination are
    computed once, and those of all categories together if a table has few combinations of them.

    Attributes:
        numeric: The columns of numbers.
        categories: The columns of categories.
        codes: The number of codes of each category.
        combinations: By table, the table of its combinations; None if it has too many.
    """

    numeric: list[str]
    categories: list[str]
    codes: list[int]
    combinations: dict[str, Sql | None] = field(default_factory=dict)

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return len(self.numeric) + sum(self.codes)

    @property
    def blocks(self) -> dict[str, list[int]]:
        """The block and the stride of each category, and the combinations of each block."""
        blocks: list[int] = []
        strides: list[int] = []
        sizes: list[int] = []
        for codes in self.codes:
            if not sizes or sizes[-1] * codes > _MAX_COMBINATIONS:
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
    """Make the points and the centroids of both tables.

    The release is clustered from the centroids of the population, moved as its mean has moved, so that the
    two do not differ by their start.

    Args:
        session: Runs the statements.
        population: The encoded table of candidates.
        released: The encoded table of the release.
        shape: The columns of both.
        clusters: The number of clusters.
        starts: The number of starts; the best one counts.
        seed: The seed of the starts.
        standardise: Whether numbers are standardised.

    Returns:
        The number of centroids, which is lower if fewer records are distinct.

    Raises:
        UsageError: The numbers are too large for the sums of their squares.
    """
    codes = make_coded_tables(session, {_POPULATION: population, _RELEASED: released}, shape)
    space = _Space(list(shape.numeric), list(shape.categories), codes.counts)
    shifts = None
    if standardise and shape.numeric:
        shifts = Sql("kmeans_shifts")
        session.run("kmeans_shifts", name=shifts, source=identifier(population), numeric=space.numeric)
    points = [
        _make_points(session, table, space, shifts, seed, standardise) for table in (_POPULATION, _RELEASED)
    ]
    clusters = min(clusters, *points)
    lloyd = _Lloyd(session, _POPULATION, space, clusters)
    starts_at_once = max(1, _POINTS_AT_ONCE // points[0])
    for first in range(0, starts, starts_at_once):
        group = list(range(first, min(first + starts_at_once, starts)))
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


def _make_points(
    session: Session, table: str, space: _Space, shifts: Sql | None, seed: int, standardise: bool
) -> int:
    """Make the points of a table and their mean; return how many are distinct."""
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
    space.combinations[table] = _make_combinations(session, table, space, counts["points"])
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


def _make_combinations(session: Session, table: str, space: _Space, points: int) -> Sql | None:
    """Make the table of the combinations of categories; None if there are too many."""
    if not space.categories:
        return None
    name = Sql(f"{table}_combinations")
    session.run(
        "kmeans_combinations",
        name=name,
        cells=Sql(f"{table}_cells"),
        blocks=len(space.blocks["sizes"]),
    )
    few = count_rows(session, f"{table}_combinations") * _MIN_POINTS <= points
    return name if few else None


def make_features(session: Session, clusters: int, *, common: bool) -> Shape:
    """Make ``kmeans_population`` and ``kmeans_released``, distances to centroids.

    The columns are the distances along the principal axes of the release: records are as far from each other,
    and their nearest neighbours are found sooner.

    Args:
        session: Runs the statements.
        clusters: The number of centroids that :func:`cluster` returned.
        common: Whether both tables are compared with the centroids of the population. Otherwise each has its
            own, those of the release in the order that fits the population's best.

    Returns:
        The columns of the tables.
    """
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
    matrix = _find_axes(session, clusters) if clusters > 1 else None
    for table in (_POPULATION, _RELEASED) if matrix is not None else (_POPULATION,):
        make(table, matrix)
    return Shape(tuple(f"n{centroid + 1}" for centroid in range(clusters)), ())


def _find_axes(session: Session, clusters: int) -> list[str] | None:
    """Return the principal axes of the distances of the release, as lists in text."""
    import numpy as np

    columns = session.fetch_arrays(
        "first_features", source=Sql("kmeans_released"), columns=clusters, max_records=_AXES_SAMPLE
    )
    distances = np.array([columns[f"n{centroid + 1}"] for centroid in range(clusters)])
    if distances.shape[1] < 2:
        return None
    _, vectors = np.linalg.eigh(np.cov(distances))
    return [f"[{', '.join(map(repr, row))}]" for row in vectors.T[::-1].tolist()]


class _Lloyd:
    """The iterations of a table; the best of several starts becomes TABLE_centroids."""

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
        """Run one iteration of each start."""
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
        for iteration in range(_MAX_ITERATIONS):
            self.step(starts)
            rows = self.session.run("kmeans_inertia", centroids=self.now)
            continued = []
            for start, inertia in ((row["start"], row["inertia"]) for row in rows):
                if iteration + 1 < _MAX_ITERATIONS and inertia < before.get(start, math.inf) * (
                    1 - _MIN_GAIN
                ):
                    continued.append(start)
                elif self._best is None or inertia < self._best:
                    self._best = inertia
                    self.keep(f"{self.table}_centroids", start)
                before[start] = inertia
            if not (starts := continued):
                return

    def keep(self, name: str, start: int) -> None:
        """Keep the centroids of a start."""
        self.session.run("keep_centroids", name=name, centroids=self.now, start=start)


def cheapest_matching(costs: Sequence[Sequence[float]]) -> list[int]:
    """Assign a column to each row of a square of costs so that their sum is least.

    Returns:
        The column of each row, by the Hungarian method (Kuhn, 1955; potentials as in Jonker and Volgenant).
    """
    size = len(costs)
    of_rows, of_columns = [0.0] * (size + 1), [0.0] * (size + 1)
    owner, way = [0] * (size + 1), [0] * (size + 1)
    for row in range(1, size + 1):
        owner[0], column = row, 0
        slack, used = [float("inf")] * (size + 1), [False] * (size + 1)
        while owner[column]:
            used[column], current = True, owner[column]
            least, following = float("inf"), 0
            for other in range(1, size + 1):
                if used[other]:
                    continue
                reduced = costs[current - 1][other - 1] - of_rows[current] - of_columns[other]
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
