"""The options of making, attacking and measuring releases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.base.options import OptionSet, option, options_of
from duckrisk.contests.membership.attacks.registry import ATTACKS, EXPERIMENT, REGISTRY

#: Squared distance of two categories (derived: their two dummies differ by one each).
ONE_HOT = 2.0
RISKS = ("singling-out", "linkability", "inference")
#: How a release is made: by the generator, by random responses from the domain or from the values of the
#: column, or by deleting small equivalence classes.
METHODS = ("okada", "rr", "rrp", "kanony")
SEARCHES = ("annealing", "genetic", "redraw", "noise")
ROUNDS = ("preliminary", "final")
#: Iterations; the default limit of a search (a choice: the README's search needed 15,001).
ITERATIONS = 500_000
#: Tables; the default limit of the method redraw (a choice: the README's comparison drew 20).
DRAWS = 100
_SEED = {"help": "Random seed: the same seed, the same draws.", "minimum": 0, "below": 2**63}
_DRAWS = {
    "help": "Random seed, for the same draws again.",
    "default_text": "none: nobody can repeat the draws",
}
_USED = {
    "help": "Use this column.",
    "flag": "--attribute",
    "metavar": "COLUMN",
    "default_text": "all of them",
}
_RELEASED = {**_USED, "help": "Release this column."}
_BANDWIDTH = {"help": "The bandwidth of the Gaussian kernel on numbers, 0 for none.", "default_text": "1"}
_MATCH = {
    "help": "Draw values as often as the source has them, not rounded normal numbers.",
    "flag": "--match-marginals",
}


def _expand_attacks(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of attacks, with "all" replaced by all attacks."""
    return (*ATTACKS, *(name for name in names if name != "all")) if "all" in names else tuple(names)


def _split_blocks(texts: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(name.strip() for name in text.split(",")) for text in texts)


@dataclass(frozen=True)
class AttackOptions(OptionSet):
    """How membership is guessed."""

    names: Sequence[str] = option(
        ("distance",),
        help=f"{', '.join(ATTACKS)}, or all; and the experiment {EXPERIMENT}.",
        flag="--attack",
        keyword="attacks",
        metavar="NAME",
        choices=(*REGISTRY, "all"),
        open=True,
        parse=_expand_attacks,
    )
    guesses: int = option(100, help="Number of candidates to guess.", minimum=1, maximum=1_000_000)
    weight: float = option(
        ONE_HOT,
        help="What a category that differs adds to the squared distance.",
        flag="--category-weight",
        minimum=0,
        maximum=10**9,
        default_text="2",
    )
    clusters: int = option(16, help="Clusters of kmeans.", minimum=1, maximum=256)
    starts: int = option(10, help="Starts of kmeans; the best one counts.", minimum=1, maximum=100)
    standardise: bool = option(
        True,
        help="kmeans standardises numbers.",
        value_flags={"--raw-numbers": (False, "kmeans takes numbers as they are, not standardised.")},
    )
    blocks: Sequence[Sequence[str]] | None = option(
        None,
        help="Attributes of a block of density.",
        flag="--block",
        metavar="A,B,C",
        default_text="three each",
        parse=_split_blocks,
    )
    keep: float | None = option(
        None,
        help="fellegi-sunter: the probability that a cell was kept.",
        above=0,
        below=1,
        default_text="estimated for each column",
    )
    attributes: Sequence[str] | None = option(None, **_USED)
    seed: int = option(0, **_SEED)
    shadows: int = option(16, help="Shadow releases for lira and lira-offline.", minimum=2, maximum=1000)
    exposed: int = option(
        0,
        help="With --members: judge also on this many most exposed candidates.",
        minimum=0,
        maximum=1000,
        default_text="none",
    )
    targets: int = option(
        100, help="classifier: members, and as many others, to learn.", minimum=1, maximum=10_000
    )

    def check(self) -> None:
        """Refuse options that are out of range or do not go together.

        Raises:
            UsageError: The first fault.
        """
        super().check()
        for name in self.names:
            if name not in REGISTRY:
                hint = suggest_names(name, [*REGISTRY])
                raise UsageError("membership.unknown_attack", name=name, suggestion=hint)
        if not self.names:
            raise UsageError("membership.attack_missing")


@dataclass(frozen=True)
class TreeOptions(OptionSet):
    """What decision trees predict, from the original and from a release of it."""

    predicted: tuple[str, ...] = option(
        (),
        help="A tree predicts whether this holds.",
        flag="--predict",
        keyword="targets",
        keyword_type=Iterable[str | tuple[str, int]],
        metavar="ATTRIBUTE=VALUE",
        default_text="those of the contest",
    )


@dataclass(frozen=True)
class DepthOptions(OptionSet):
    """How deep decision trees are, on the command line."""

    depth: tuple[int, ...] = option(
        (), help="How deep the tree of a --predict is, in their order.", metavar="N", default_text="5"
    )


@dataclass(frozen=True)
class Tables(OptionSet, group="Source"):
    """Further tables of an attack, and files of a search."""

    test: Any = option(
        None, help="Records that the trees predict.", metavar="FILE", default_text="without it no trees"
    )
    members: Any = option(
        None, help="The records that the release was made from: how many are hit.", metavar="FILE"
    )
    reference: Any = option(
        None,
        help="Unreleased records like the members', for calibrated, density, lira-offline.",
        metavar="FILE",
        default_text="of the population",
    )
    also: tuple[Any, ...] = option(
        (),
        help="For classifier: another release of the same members, for the same classifiers.",
        metavar="FILE",
    )
    scores_output: Path | None = option(
        None,
        help="Write the scores of all candidates: a .csv file.",
        group="Output",
        flag="--scores-out",
        metavar="FILE",
    )
    control: Any = option(
        None,
        help="Records like the original's that the release was not made of: a holdout.",
        metavar="FILE",
    )
    candidates: Any = option(
        None,
        help="For noise: records in which an attacker looks for those of SOURCE.",
        metavar="FILE",
        default_text="no attack",
    )
    state: Path | None = option(
        None, help="Keep the search in this file, to go on with --resume.", group="Output", metavar="FILE"
    )
    resume: Path | None = option(None, help="Go on from this state, and keep it there.", metavar="FILE")


@dataclass(frozen=True)
class Scored(OptionSet, group="Source"):
    """What a score is about."""

    population: Any = option(help="All candidates (B), each once.", metavar="FILE", required=True)
    members: tuple[Any, ...] = option(
        help="The records that the release was made of (C): FILE, or TEAM=FILE.",
        metavar="FILE",
        required=True,
    )
    guesses: Mapping[str, Any] | None = option(
        None,
        help="A guess: rows of the population from 0; with several teams NAME@TEAM=FILE.",
        flag="--guess",
        metavar="NAME=FILE",
    )
    preliminary_guesses: Mapping[str, Any] | None = option(
        None,
        help="A guess of the preliminary round, a tenth of the score; teams NAME@TEAM=FILE.",
        flag="--preliminary-guess",
        metavar="NAME=FILE",
    )
    scores: Mapping[str, Any] | None = option(
        None,
        help="A population row and a score in each record; with several teams NAME@TEAM=FILE.",
        metavar="NAME=FILE",
    )


@dataclass(frozen=True)
class RiskOptions(OptionSet):
    """Which risks of a release are measured, and how."""

    risks: Sequence[str] = option(
        RISKS, help="Measure this risk.", flag="--risk", choices=RISKS, default_text="all of them"
    )
    attacks: int = option(
        500,
        help="Attacks per risk.",
        flag="--attacks-per-risk",
        minimum=1,
        maximum=100_000,
    )
    columns: int | None = option(
        None, help="Singling out: columns that a predicate combines.", minimum=2, default_text="3"
    )
    link_left: Sequence[str] | None = option(
        None,
        help="Linkability: a column known from one side.",
        metavar="COLUMN",
        default_text="the first half, or all others",
    )
    link_right: Sequence[str] | None = option(
        None,
        help="Linkability: a column known from the other side.",
        metavar="COLUMN",
        default_text="all others",
    )
    neighbours: int = option(1, help="Linkability: nearest records to look at.", minimum=1, maximum=1000)
    known: Sequence[str] | None = option(
        None, help="Inference: this column is known.", metavar="COLUMN", default_text="all but the secret"
    )
    secrets: Sequence[str] | None = option(
        None, help="Inference: guess this column.", flag="--secret", metavar="COLUMN", default_text="each"
    )
    tolerance: float = option(
        0.05, help="Inference: a guessed number may be away by this share of it.", minimum=0, below=1
    )
    attributes: Sequence[str] | None = option(None, **_USED)
    confidence: float = option(0.95, help="Confidence of the intervals.", minimum=0.5, below=1)
    seed: int = option(0, **_SEED)

    def check(self) -> None:
        """Refuse options that are out of range or do not go together.

        Raises:
            UsageError: The first fault.
        """
        super().check()
        if not self.risks:
            raise UsageError("membership.risk_missing")


@dataclass(frozen=True)
class ExposureOptions(OptionSet):
    """Which records of a table are most exposed."""

    most: int = option(10, help="Number of exposed records to find.", minimum=1, maximum=1000)
    attributes: Sequence[str] | None = option(None, **_USED)
    confidence: float = option(0.95, help="Confidence of the intervals.", minimum=0.5, below=1)
    seed: int = option(0, **_SEED)


@dataclass(frozen=True)
class SynthesisOptions(OptionSet, group="Treatment"):
    """How a release of a table is made."""

    method: str = option(
        "okada",
        help="okada: new records; rr, rrp: values drawn anew; kanony: small classes deleted.",
        choices=METHODS,
    )
    records: int | None = option(None, help="Number of records to draw.", default_text="as many as there are")
    distinct: int | None = option(None, help="Number of different records to keep of these.", minimum=1)
    bandwidth: float | None = option(None, **_BANDWIDTH)
    match_marginals: bool | None = option(None, **_MATCH)
    keep: float | None = option(None, help="For rr and rrp: the probability that a cell stays, such as 0.9.")
    k: int | None = option(None, help="For kanony: classes of fewer records are left out.")
    quasi_identifiers: tuple[str, ...] = option(
        (), help="For kanony: a column of the classes.", flag="--quasi-identifier", metavar="COLUMN"
    )
    attributes: tuple[str, ...] | None = option(None, **_RELEASED)
    seed: int | None = option(None, **_DRAWS)


@dataclass(frozen=True)
class SearchOptions(OptionSet, group="Treatment"):
    """How a release is searched for; None stands for the default of the method."""

    method: str | None = option(
        None,
        help="How: redraw keeps the best of whole tables; noise finds the most noise.",
        choices=SEARCHES,
        default_text="annealing",
    )
    noise: str | None = option(
        None,
        help="For noise: draw cells anew from all values, or as often as they occur.",
        choices=("rr", "rrp"),
        default_text="rrp",
    )
    swap: int | None = option(
        None,
        help="Records swapped at a time.",
        flag="--swap-records",
        minimum=1,
        default_text="50, guided 10",
    )
    temperature: float | None = option(
        None,
        help="Initial temperature.",
        minimum=0,
        maximum=10**6,
        default_text="0.01, guided 0.0005",
        rare=True,
    )
    cooling: float | None = option(
        None,
        help="Factor of the temperature at each iteration.",
        minimum=0,
        maximum=1,
        default_text="0.9995",
        rare=True,
    )
    iterations: int | None = option(
        None,
        help="Maximum number of iterations.",
        group="Limits of the search",
        minimum=0,
        default_text=f"{ITERATIONS:,}; of redraw {DRAWS}",
    )
    guided: bool | None = option(
        None, help="Propose records that help, not any; fewer at a time.", flag="--guided"
    )
    round: str | None = option(
        None, help="The round whose thresholds the release must reach.", choices=ROUNDS, default_text="final"
    )
    population: int | None = option(
        None,
        help="Number of tables of the genetic method.",
        flag="--genetic-tables",
        minimum=2,
        maximum=100,
        default_text="8",
        rare=True,
    )
    bandwidth: float | None = option(None, **_BANDWIDTH)
    match_marginals: bool | None = option(None, **_MATCH)
    attributes: tuple[str, ...] | None = option(None, **_RELEASED)
    seed: int | None = option(None, **_DRAWS, minimum=0, below=2**63)

    def check(self) -> None:
        """Refuse options that are out of range or do not go together.

        Raises:
            UsageError: The first fault.
        """
        super().check()
        if self.population is not None and self.method != "genetic":
            raise UsageError("membership.genetic_tables_without_genetic")
        if self.noise is not None and self.method != "noise":
            raise UsageError("membership.noise_without_noise", flag="--noise")
        if self.method == "noise":
            others = (
                "swap",
                "temperature",
                "cooling",
                "iterations",
                "guided",
                "bandwidth",
                "match_marginals",
            )
            for name in others:
                if getattr(self, name) is not None:
                    flag = options_of(SearchOptions)[name].flags[0]
                    raise UsageError("membership.searches_with_noise", flag=flag)
        if self.method == "redraw":
            for name in ("swap", "temperature", "cooling", "guided"):
                if getattr(self, name) is not None:
                    flag = options_of(SearchOptions)[name].flags[0]
                    raise UsageError("membership.swaps_with_redraw", flag=flag)
        if self.guided and self.round == "preliminary":
            raise UsageError("membership.guided_outside_final")
