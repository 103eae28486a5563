"""Iterations a second of the search for a release that passes, between measurements of the trees.

    python tests/benchmarks/anneal.py ADULT_TRAIN.parquet [--test ADULT_TEST.parquet] [--iterations 4000]
        [--members 10000]
    python tests/benchmarks/anneal.py ADULT_TRAIN.parquet --natural --test ADULT_TEST.parquet

The members are 10,000 different records (--members) that `duckrisk membership synthesize` draws of Adult's
complete records in nine attributes. Printed are, plain, guided and genetic, iterations a second in the whole
and without the fresh draws, the cost at the start and the end, and with --test (scikit-learn) the trees too.
With --natural the members are 10,000 of the 25,014 different complete records themselves, and the search is
guided and matches marginals; printed are also the hits of 100 guesses among all of these by distance and
density, of the generator's release and of the one that was found.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from duckrisk.contests.membership.attacks.inference import AttackOptions, run
from duckrisk.contests.membership.synthesis.annealing import Annealing, anneal
from duckrisk.contests.membership.synthesis.methods import Synthesis, synthesize
from duckrisk.contests.membership.synthesis.search import Search
from duckrisk.engine.session import Resources
from duckrisk.release.anonymization import Target
from duckrisk.source import Request

NINE = (
    'age, workclass, education, "marital-status", occupation, relationship, sex, "hours-per-week", '
    "rtrim(income, '.') AS income"
)
COMPLETE = "workclass <> '?' AND occupation <> '?' AND \"native-country\" <> '?'"
WAYS: dict[str, dict[str, Any]] = {"plain": {}, "guided": {"guided": True}, "genetic": {"method": "genetic"}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("source")
    parser.add_argument("--test")
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--natural", action="store_true")
    parser.add_argument("--members", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    drawing = [0.0]
    draw = Search.draw_fresh

    def timed(self: Any, number: int) -> None:
        started = time.perf_counter()
        draw(self, number)
        drawing[0] += time.perf_counter() - started

    Search.draw_fresh = timed  # type: ignore[method-assign]
    query = f"SELECT {NINE} FROM source WHERE {COMPLETE}"
    test = Request(given.test, query=query) if given.test else None
    with tempfile.TemporaryDirectory() as name:
        members, release = Path(name) / "members.parquet", Path(name) / "release.parquet"
        options = Synthesis(records=4 * given.members, distinct=given.members, seed=given.seed)
        original, ways = Request(str(members)), WAYS
        if given.natural:
            different = f"SELECT DISTINCT * FROM ({query})"
            drawn = f"SELECT * FROM ({different}) AS r ORDER BY md5('{given.seed}' || CAST(r AS VARCHAR)), r"
            original = Request(given.source, query=f"{drawn} LIMIT {given.members}")
            population = Request(given.source, query=different)
            ways = {"natural": {"guided": True, "match_marginals": True}}
            synthesize(original, Target(release), Synthesis(seed=given.seed))
            print(f"generator: {hits(population, release, original)}", flush=True)
        else:
            synthesize(Request(given.source, query=query), Target(members), options)
        for way, more in ways.items():
            drawing[0] = 0.0
            made = anneal(
                original,
                Target(release, overwrite=True),
                Annealing(
                    iterations=given.iterations or (40_000 if given.natural else 4000),
                    seed=given.seed,
                    **more,
                ),
                test,
                resources=Resources(threads=2),
            )
            rate = made.iterations / max(made.seconds, 1e-9)
            between = made.iterations / max(made.seconds - drawing[0], 1e-9)
            print(
                f"{way:8} {made.iterations:7,} iterations, {rate:7.0f} a second, "
                f"{between:7.0f} without draws; cost {made.start:.4f} to {made.cost:.4f}",
                flush=True,
            )
        if given.natural:
            print(f"{way}: {hits(population, release, original)}")


def hits(population: Request, release: Path, members: Request) -> str:
    """How many of 100 guesses are members."""
    report = run(population, Request(str(release)), AttackOptions(names=("distance", "density")), members)
    return ", ".join(
        f"{found.attack} {found.hits} of 100, {found.expected:.1f} by chance" for found in report.attacks
    )


if __name__ == "__main__":
    main()
