"""Iterations a second of the search for a release that passes, between measurements of the trees.

    python tests/benchmarks/anneal.py ADULT_TRAIN.parquet [--test ADULT_TEST.parquet] [--iterations 4000]

The members are 10,000 different records that `duckrisk membership synthesize` draws of Adult's complete
records in nine attributes. Printed are, plain, guided and genetic, iterations a second in the whole and
without the fresh draws, the cost at the start and the end, and with --test (scikit-learn) the trees too.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from duckrisk.anonymization import Target
from duckrisk.membership import Annealing, Synthesis, anneal, synthesize
from duckrisk.membership.search import Search
from duckrisk.session import Resources
from duckrisk.source import Request

NINE = (
    'age, workclass, education, "marital-status", occupation, relationship, sex, "hours-per-week", '
    "rtrim(income, '.') AS income"
)
COMPLETE = "workclass <> '?' AND occupation <> '?' AND \"native-country\" <> '?'"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("source")
    parser.add_argument("--test")
    parser.add_argument("--iterations", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    drawing = [0.0]
    draw = Search.fresh

    def timed(self: Any, number: int) -> None:
        started = time.perf_counter()
        draw(self, number)
        drawing[0] += time.perf_counter() - started

    Search.fresh = timed  # type: ignore[method-assign]
    query = f"SELECT {NINE} FROM source WHERE {COMPLETE}"
    test = Request(given.test, query=query) if given.test else None
    with tempfile.TemporaryDirectory() as name:
        members = Path(name) / "members.parquet"
        options = Synthesis(records=40_000, distinct=10_000, seed=given.seed)
        synthesize(Request(given.source, query=query), Target(members), options)
        for ways in ({}, {"guided": True}, {"method": "genetic"}):
            drawing[0] = 0.0
            made = anneal(
                Request(str(members)),
                Target(Path(name) / "release.parquet", overwrite=True),
                Annealing(iterations=given.iterations, seed=given.seed, **ways),
                test,
                resources=Resources(threads=2),
            )
            between = made.iterations / max(made.seconds - drawing[0], 1e-9)
            print(
                f"{next(iter(ways), 'plain'):8} {made.iterations:7,} iterations, {made.rate:7.0f} a second, "
                f"{between:7.0f} without draws; cost {made.start:.4f} to {made.cost:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
