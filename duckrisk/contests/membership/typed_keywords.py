"""The types of the keywords of ``duckrisk.membership``, for type checkers.

``tests/test_keywords.py`` compares them with the option fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, Literal

from duckrisk.base.options.typed_keywords import GateKeywords, RequestKeywords, ResourceKeywords


class _Drawn(RequestKeywords, ResourceKeywords, total=False):
    """How records are drawn for a release, and where they go."""

    bandwidth: float | None
    match_marginals: bool | None
    attributes: Iterable[str] | None
    seed: int | None
    overwrite: bool


class SynthesizeKeywords(_Drawn, total=False):
    """The keywords of ``duckrisk.membership.synthesize``."""

    method: Literal["okada", "rr", "rrp", "kanony"]
    records: int | None
    distinct: int | None
    keep: float | None
    k: int | None
    quasi_identifiers: Iterable[str]


class AnnealKeywords(_Drawn, total=False):
    """The keywords of ``duckrisk.membership.anneal``."""

    test: Any
    candidates: Any
    method: Literal["annealing", "genetic", "redraw", "noise"] | None
    noise: Literal["rr", "rrp"] | None
    guided: bool | None
    round: Literal["preliminary", "final"] | None
    iterations: int | None
    swap: int | None
    temperature: float | None
    cooling: float | None
    population: int | None
    targets: Iterable[str | tuple[str, int]]
    state: str | PathLike[str] | None
    resume: str | PathLike[str] | None


class AttackKeywords(GateKeywords, ResourceKeywords, total=False):
    """The keywords of ``duckrisk.membership.attack``."""

    attacks: Iterable[str]
    members: Any
    reference: Any
    also: Iterable[Any]
    guesses: int
    weight: float
    clusters: int
    starts: int
    standardise: bool
    shadows: int
    exposed: int
    targets: int
    blocks: Iterable[Iterable[str]] | None
    keep: float | None
    attributes: Iterable[str] | None
    seed: int
    output: str | PathLike[str] | None
    scores_output: str | PathLike[str] | None
    overwrite: bool


class ExposedKeywords(GateKeywords, ResourceKeywords, total=False):
    """The keywords of ``duckrisk.membership.exposed``."""

    most: int
    attributes: Iterable[str] | None
    confidence: float
    seed: int
    show_values: bool
    where: str | None


class ScoreKeywords(GateKeywords, ResourceKeywords, total=False):
    """The keywords of ``duckrisk.membership.score``."""

    preliminary_guesses: Mapping[str, Any] | None
    scores: Mapping[str, Any] | None
    confidence: float


class UtilityKeywords(GateKeywords, ResourceKeywords, total=False):
    """The keywords of ``duckrisk.membership.utility``."""

    test: Any
    targets: Iterable[str | tuple[str, int]]
    attributes: Iterable[str] | None
    show_values: bool
    where: str | None


class RisksKeywords(GateKeywords, ResourceKeywords, total=False):
    """The keywords of ``duckrisk.membership.risks``."""

    control: Any
    risks: Iterable[Literal["singling-out", "linkability", "inference"]]
    attacks: int
    columns: int | None
    link_left: Iterable[str] | None
    link_right: Iterable[str] | None
    neighbours: int
    secrets: Iterable[str] | None
    known: Iterable[str] | None
    tolerance: float
    attributes: Iterable[str] | None
    confidence: float
    seed: int
    where: str | None
