"""The utility indices of the generator's releases in the contest's pipeline, seed by seed.

    python tests/benchmarks/generator.py ADULT_TRAIN.parquet ADULT_TEST.parquet [--seeds 12] [--first 0]
        [--draws 1000000] [--population 100000] [--members 10000] [--program]

By each seed a million records are drawn of Adult's complete records in nine attributes, 100,000 different
ones of them are the population, 10,000 of these the members C, and of these the release D is made. Printed
are the indices of D beside C, trees tested on the complete records of the test file, which need scikit-learn
(pip install 'duckrisk[ml]'); at the end the least, the median and the largest, the two releases of the report
on the contest, and the ranges that a few runs of the contest's program once gave: many runs of it leave them
as often as ours do. --program makes B and D by that program, written in numpy here: dummies in the order in
which their values come, normal kernels on numbers, signs as the decomposition has them.
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from duckrisk.contests.membership.synthesis.indices import utility
from duckrisk.contests.membership.synthesis.methods import Synthesis, synthesize
from duckrisk.engine.session import Resources
from duckrisk.release.anonymization import Target
from duckrisk.source import Request

NINE = (
    'age, workclass, education, "marital-status", occupation, relationship, sex, "hours-per-week", '
    "rtrim(income, '.') AS income"
)
COMPLETE = "workclass <> '?' AND occupation <> '?' AND \"native-country\" <> '?'"
NUMBERS = (0, 7)
INDICES = ("histogram", "covariance", "correlation", "tree income", "tree relationship", "tree income >50K")
#: The generator's releases in the report, as far as it tells their indices, and what was read elsewhere.
REPORT = (
    ("the report, as generated", (0.934, None, 0.800, 0.843, 0.964, None)),
    ("the report, before its search", (0.908, None, 0.779, 0.8623, 0.964, None)),
)
READ = (None, None, (0.77, 0.84), (0.86, 0.91), (0.94, 0.98), (0.24, 0.71))
RESOURCES = Resources(memory="3GB", threads=2)


def program(table: list[Any], records: int, draw: np.random.Generator) -> list[Any]:
    """The contest's program: so many records as columns."""
    codes: list[Any] = []
    columns: list[Any] = []
    known: list[Any] = []
    for place, cells in enumerate(table):
        if place in NUMBERS:
            columns.append(cells.astype(float)[:, None])
            known.append(None)
            continue
        values, first = np.unique(cells, return_index=True)
        known.append(values[np.argsort(first)])
        columns.append((cells[:, None] == known[-1][None, :]).astype(float))
    codes = np.cumsum([0] + [column.shape[1] for column in columns]).tolist()
    x = np.hstack(columns)
    members = len(x)
    y = np.empty((records, x.shape[1]))
    for place in range(x.shape[1]):
        if place in (codes[each] for each in NUMBERS):
            y[:, place] = x[draw.integers(0, members, records), place] + draw.standard_normal(records)
        elif records <= members:
            y[:, place] = draw.permutation(x[:, place])[:records]
        else:
            y[:, place] = draw.random(records) < x[:, place].mean()
    u, s, _ = np.linalg.svd(np.cov(x.T))
    drawn_u, drawn_s, _ = np.linalg.svd(np.cov(y.T))
    y -= y.mean(axis=0)
    z = y @ np.linalg.inv(drawn_u * np.sqrt(drawn_s)).T @ (u * np.sqrt(s)).T + x.mean(axis=0)
    made = []
    for place, cells in enumerate(table):
        own = z[:, codes[place] : codes[place + 1]]
        if place in NUMBERS:
            made.append(np.round(np.clip(own[:, 0], cells.min(), cells.max())).astype(int))
        else:
            made.append(known[place][own.argmax(axis=1)])
    return made


def generate(
    source: Request, made: Path, seed: int, records: int, distinct: int | None, by_program: bool
) -> None:
    """Draw records of a source into a file."""
    if not by_program:
        synthesize(source, Target(made), Synthesis(records=records, distinct=distinct, seed=seed), RESOURCES)
        return
    with duckdb.connect() as connection:
        query = source.query or "SELECT * FROM source"
        cells = connection.execute(query.replace("FROM source", f"FROM '{source.source}'")).fetchnumpy()
        names = list(cells)
        drawn = program(list(cells.values()), records, np.random.default_rng(seed))
        connection.register("drawn", dict(zip(names, drawn, strict=True)))
        chosen = "SELECT * FROM drawn"
        if distinct is not None:
            order = f"md5('{seed}:' || CAST(r AS VARCHAR))"
            chosen = f"SELECT * FROM (SELECT DISTINCT * FROM drawn) AS r ORDER BY {order} LIMIT {distinct}"
        connection.execute(f"COPY ({chosen}) TO '{made}'")


def measure(given: argparse.Namespace, seed: int) -> list[float]:
    """The indices of one seed's release; without scikit-learn those of the trees are missing."""
    query = f"SELECT {NINE} FROM source WHERE {COMPLETE}"
    with tempfile.TemporaryDirectory() as name:
        b, c, d = (Path(name) / f"{each}.parquet" for each in "bcd")
        generate(Request(given.train, query=query), b, seed, given.draws, given.population, given.program)
        with duckdb.connect() as connection:
            connection.execute(
                f"COPY (SELECT * EXCLUDE (r) FROM (SELECT row_number() OVER () AS r, * FROM '{b}') "
                f"ORDER BY md5('{seed}:' || r) LIMIT {given.members}) TO '{c}'"
            )
        generate(Request(str(c)), d, seed, given.members, None, given.program)
        tested = Request(given.test, query=query)
        (found,) = utility(Request(str(c)), [Request(str(d))], tested, None, RESOURCES).releases
        indices = found.indices
        values = [indices.histogram.value, indices.covariance.value or math.inf, indices.correlation.value]
        return values + [tree.value for tree in indices.trees or ()]


def line(title: Any, cells: list[str]) -> None:
    print(f"{title:>30}" + "".join(f"  {cell:>18}" for cell in cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--draws", type=int, default=1_000_000)
    parser.add_argument("--population", type=int, default=100_000)
    parser.add_argument("--members", type=int, default=10_000)
    parser.add_argument("--program", action="store_true")
    given = parser.parse_args()
    line("seed", list(INDICES))
    found = []
    for seed in range(given.first, given.first + given.seeds):
        found.append(measure(given, seed))
        line(seed, [f"{value:.3f}" for value in found[-1]])
    columns = list(zip(*found, strict=True))
    for title, of in (("least", min), ("median", statistics.median), ("largest", max)):
        line(title, [f"{of(column):.3f}" for column in columns])
    for title, values in REPORT:
        line(title, ["" if value is None else f"{value:.3f}" for value in values])
    line("as read", ["" if span is None else f"{span[0]:.2f} to {span[1]:.2f}" for span in READ])
    inside = [
        "" if span is None else f"{sum(span[0] <= value <= span[1] for value in column)} of {len(column)}"
        for column, span in zip(columns, READ[: len(columns)], strict=True)
    ]
    line("within that", inside)


if __name__ == "__main__":
    main()
