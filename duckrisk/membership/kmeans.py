"""Lloyd's k-means in SQL, and records told by their distances to centroids.

The population and the release are clustered each by itself; what shifts a whole release, as noise with a mean
does, shifts its centroids too and is gone from the distances to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from duckrisk.errors import UsageError
from duckrisk.membership.neighbours import Shape, coded_tables
from duckrisk.session import Session
from duckrisk.templates import Sql, identifier

#: A start ends when an iteration takes less than this share from the inertia, or after so many.
_GAIN = 1e-4
_MOST_ITERATIONS = 100
#: What the sums of squared distances can hold.
_LARGEST_SUM = 1e23
#: The columns of the tables of features.
MOST_CLUSTERS = 256


@dataclass(frozen=True)
class _Space:
    """The columns of the tables of points, and how many codes each category has."""

    numeric: list[str]
    categories: list[str]
    codes: list[int]

    @property
    def arguments(self) -> dict[str, object]:
        """What the templates are told of it."""
        dimensions = len(self.numeric) + sum(self.codes)
        return {
            "numeric": self.numeric,
            "categories": self.categories,
            "codes": self.codes,
            "dimensions": dimensions,
        }


def features(
    session: Session,
    population: str,
    released: str,
    shape: Shape,
    clusters: int,
    starts: int,
    seed: int,
    standardise: bool,
) -> Shape:
    """Make the tables ``kmeans_population`` and ``kmeans_released``: the records as their distances to the
    centroids of their own table, those of the release in the order that fits the population's best."""
    codes = coded_tables(session, {"population": population, "released": released}, shape)
    space = _Space(list(shape.numeric), list(shape.categories), codes.counts)
    shifts = None
    if standardise and shape.numeric:
        shifts = Sql("kmeans_shifts")
        session.run("kmeans_shifts", name=shifts, source=identifier(population), numeric=space.numeric)
    for table in ("population", "released"):
        session.run(
            "kmeans_points",
            name=f"{table}_points",
            source=Sql(f"{table}_coded"),
            shifts=shifts,
            **space.arguments,
        )
        found = session.row("count_points", points=Sql(f"{table}_points"), numeric=space.numeric)
        clusters = min(clusters, found["points"])
        far = 2 * found["largest"]
        if found["records"] * len(space.numeric) * far * far > _LARGEST_SUM:
            raise UsageError(
                "The numbers of the population and the release are too large, or too far from each other, "
                "for the sums of their squares; "
                + ("leave their columns out." if standardise else "leave out --raw-numbers.")
            )
    for table in ("population", "released"):
        _cluster(session, table, space, clusters, starts, seed)
    pairs = session.run(
        "centroid_distances", population=Sql("population_centroids"), released=Sql("released_centroids")
    )
    distances = [row["distance"] for row in pairs]
    costs = [distances[place * clusters : (place + 1) * clusters] for place in range(clusters)]
    orders = {"population": list(range(clusters)), "released": cheapest_matching(costs)}
    for table, order in orders.items():
        session.run(
            "kmeans_features",
            name=f"kmeans_{table}",
            points=Sql(f"{table}_points"),
            centroids=Sql(f"{table}_centroids"),
            order=[place + 1 for place in order],
        )
    return Shape(tuple(f"n{place + 1}" for place in range(clusters)), ())


def _cluster(session: Session, table: str, space: _Space, clusters: int, starts: int, seed: int) -> None:
    """Make the table of the centroids of the best of several starts."""
    points = Sql(f"{table}_points")
    best: float | None = None
    for start in range(starts):
        now, after = Sql("centroids_now"), Sql("centroids_after")
        session.run("kmeans_start", name=now, points=points, clusters=clusters, seed=seed, start=start)
        inertia: float | None = None
        for _ in range(_MOST_ITERATIONS):
            session.run(
                "kmeans_step", name=after, points=points, centroids=now, clusters=clusters, **space.arguments
            )
            now, after = after, now
            before, inertia = inertia, session.row("kmeans_inertia", centroids=now)["inertia"]
            if before is not None and inertia >= before * (1 - _GAIN):
                break
        if inertia is not None and (best is None or inertia < best):
            best = inertia
            session.run("keep_centroids", name=f"{table}_centroids", centroids=now)


def check_clusters(clusters: int, starts: int) -> None:
    """Raise UsageError for numbers that cannot be."""
    if not 1 <= clusters <= MOST_CLUSTERS:
        raise UsageError(f"--clusters {clusters} cannot be made; write 1 to {MOST_CLUSTERS}.")
    if not 1 <= starts <= 100:
        raise UsageError(f"--starts {starts} is not a number of starts; write 1 to 100.")


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
                left = costs[here - 1][other - 1] - of_rows[here] - of_columns[other]
                if left < slack[other]:
                    slack[other], way[other] = left, column
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
    found = [0] * size
    for column in range(1, size + 1):
        found[owner[column] - 1] = column - 1
    return found
