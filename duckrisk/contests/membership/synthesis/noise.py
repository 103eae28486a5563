"""Searches the most noise that a release bears: cells are drawn anew until a threshold is just reached.

The search goes bottom-up: it looks for the smallest probability that a cell stays (``keep`` of rr and rrp).
The other searches go top-down, from records that nobody gave. What this one releases are records of people,
and an attack on the release says how many of them it finds.
"""

from __future__ import annotations

import math
import secrets
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from duckrisk.base.folders import create_staging_folder, remove_folder
from duckrisk.base.sentences import Sentence
from duckrisk.contests.membership.options import AttackOptions, SearchOptions
from duckrisk.contests.membership.synthesis import indices, trees
from duckrisk.contests.membership.synthesis.methods import Synthesis, synthesize
from duckrisk.contests.membership.synthesis.results import (
    Annealed,
    NoiseAttack,
    NoiseSearch,
    NoiseTried,
    Round,
    RoundName,
    Utility,
)
from duckrisk.engine.session import Resources
from duckrisk.engine.steps import ProgressCallback
from duckrisk.release.anonymization import Target as Output
from duckrisk.source import Request

#: Releases of each probability (a choice: their means differ by less than the steps of the probability).
DRAWS = 3
#: Steps of the probability: hundredths (a choice: a step changes the correlation index by about .01).
STEPS = 100


@dataclass(frozen=True)
class NoiseTables:
    """The tables that a search and its attack read.

    Attributes:
        original: The table that releases are made of.
        test: Records that trees predict, if any.
        candidates: Records in which an attacker looks for those of the original, if any.
    """

    original: Request
    test: Request | None
    candidates: Request | None


def search(
    tables: NoiseTables,
    target: Output,
    options: SearchOptions,
    targets: Sequence[trees.Target],
    resources: Resources | None,
    progress: ProgressCallback | None,
) -> Annealed:
    """Write the release with the most noise that reaches all thresholds of a round.

    The indices are means over some draws, as one draw is luck. The search halves an interval, as an index
    grows with the probability that a cell stays.

    Args:
        tables: The original, and the tables of trees and of the attack.
        target: The file that is written, the first draw.
        options: How cells are drawn, the round, and the seed.
        targets: What trees predict.
        resources: The limits of the engine.
        progress: Receives the progress.

    Returns:
        The release, what was tried, and what an attack finds in it.
    """
    began, seed = time.monotonic(), secrets.randbits(62) if options.seed is None else options.seed
    run = _Trial(tables, target, replace(options, seed=seed), targets, resources or Resources(), progress)
    low, high = 0, STEPS - 1
    run.measure(high)
    while low < high and run.reaches(high):
        middle = (low + high) // 2
        run.measure(middle)
        low, high = (low, middle) if run.reaches(middle) else (middle + 1, high)
    attacked = run.attack(high)  # before the file is there: an error leaves none
    made = synthesize(tables.original, target, run.make_options(high, 0), resources)
    found, first = run.measured[high], run.measured[STEPS - 1]
    return Annealed(
        release=str(target.path),
        records=made.records,
        method="noise",
        round=run.round,
        start=_cost(run.average(first)),
        cost=_cost(run.average(found)),
        iterations=DRAWS * len(run.measured),
        kept=0,
        measured=DRAWS * len(run.measured) if run.measures_trees else 0,
        indices=found.releases[0].indices,
        interrupted=None,
        state=None,
        noise=NoiseSearch(
            drawn=run.drawn,
            keep=high / STEPS,
            draws=DRAWS,
            tried=tuple(run.describe(step) for step in sorted(run.measured)),
            attack=attacked,
        ),
        notes=made.notes,
        environment=made.environment,
        statements=found.statements,
        seconds=time.monotonic() - began,
    )


class _Trial:
    """The releases that a search tries, each by the commands that a user types."""

    def __init__(
        self,
        tables: NoiseTables,
        target: Output,
        options: SearchOptions,
        targets: Sequence[trees.Target],
        resources: Resources,
        progress: ProgressCallback | None,
    ) -> None:
        self.tables, self.target, self.options, self.targets = tables, target, options, targets
        self.resources, self.line = replace(resources, sql_log=None), getattr(progress, "line", None)
        self.drawn: Literal["rr", "rrp"] = "rr" if options.noise == "rr" else "rrp"
        self.round: RoundName = "preliminary" if options.round == "preliminary" else "final"
        self.measured: dict[int, Utility] = {}

    def make_options(self, step: int, draw: int) -> Synthesis:
        """Return how a release of a probability is made."""
        seed = (self.options.seed or 0) + draw
        return Synthesis(method=self.drawn, keep=step / STEPS, seed=seed, attributes=self.options.attributes)

    def measure(self, step: int) -> None:
        """Draw the releases of a probability and measure them, unless that is done."""
        if step in self.measured:
            return
        if self.line is not None:
            whole = 1 + math.ceil(math.log2(STEPS))
            share = min(1.0, len(self.measured) / whole)
            self.line(Sentence("progress.noise", keep=f"{step / STEPS:.2f}"), share)
        with self._draw(step, DRAWS) as made:
            self.measured[step] = self._compare(made)

    @contextmanager
    def _draw(self, step: int, draws: int) -> Iterator[list[Path]]:
        """Write releases of a probability next to the output, and remove them at the end."""
        folder = create_staging_folder(self.target.path)
        try:
            made = [folder / f"{draw or ''}{self.target.path.name}" for draw in range(draws)]
            for draw, path in enumerate(made):
                options = self.make_options(step, draw)
                synthesize(self.tables.original, Output(path), options, self.resources)
            yield made
        finally:
            remove_folder(folder)

    def _compare(self, made: Sequence[Path]) -> Utility:
        options = indices.UtilityOptions(self.options.attributes, self.targets)
        requests = [Request(path) for path in made]
        return indices.utility(self.tables.original, requests, self.tables.test, options, self.resources)

    @property
    def measures_trees(self) -> bool:
        """Whether trees took part."""
        return any(release.indices.trees for one in self.measured.values() for release in one.releases)

    def average(self, found: Utility) -> Round:
        """Return the thresholds of the round against the means of the draws."""
        rounds = [getattr(release.indices.rounds, self.round) for release in found.releases]
        checks = []
        for same in zip(*(one.checks for one in rounds), strict=True):
            values = [check.value for check in same if check.value is not None]
            mean = statistics.fmean(values) if len(values) == len(same) else None
            # No value: an infinite index is reached, trees that were not measured stay open.
            passed = same[0].passed if mean is None else mean >= same[0].threshold
            checks.append(replace(same[0], value=mean, passed=passed))
        answers = [check.passed for check in checks]
        return Round(tuple(checks), False if False in answers else None if None in answers else True)

    def reaches(self, step: int) -> bool:
        """Return whether no measured threshold is missed on average."""
        return self.average(self.measured[step]).passed is not False

    def describe(self, step: int) -> NoiseTried:
        """Describe what a probability reaches."""
        reached = self.average(self.measured[step])
        return NoiseTried(keep=step / STEPS, checks=reached.checks, passed=reached.passed)

    def attack(self, step: int) -> NoiseAttack | None:
        """Attack the first draw by the nearest candidates, if there are any."""
        if self.tables.candidates is None:
            return None
        from duckrisk.contests.membership.attacks import inference

        options = AttackOptions(attributes=self.options.attributes)
        with self._draw(step, 1) as made:
            found = inference.run(
                *(self.tables.candidates, Request(made[0]), options, self.tables.original),
                resources=self.resources,
            )
        first = found.attacks[0]
        return NoiseAttack(
            attack=first.attack,
            candidates=found.population.records,
            guesses=len(first.guesses),
            hits=first.hits or 0,
            expected=first.expected,
            auc=first.scores.auc if first.scores is not None else None,
        )


def _cost(reached: Round) -> float:
    """Return by how much means are below their thresholds together."""
    return math.fsum(
        max(0.0, check.threshold - check.value) for check in reached.checks if check.value is not None
    )
