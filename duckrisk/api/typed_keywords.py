"""The types of the keywords of ``duckrisk.assess`` and the like, for type checkers.

``tests/test_keywords.py`` compares them with the option fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, Literal, TypedDict

from duckrisk.base.options.typed_keywords import (
    EngineKeywords,
    GateKeywords,
    RequestKeywords,
    ResourceKeywords,
    RoleKeywords,
)


class LevelKeywords(TypedDict, total=False):
    """How identifiability is measured."""

    levels: Mapping[str, Any] | None
    profile: str
    max_sets: int | None
    max_size: int | None
    time_limit: float | None
    thorough: bool
    what_if: bool | None
    currency: str
    base: float
    social_responsibility: Literal[1, 2]
    post_response: Literal[1, 2]
    policy: str | Mapping[str, Any]


class AssessKeywords(
    RequestKeywords, ResourceKeywords, EngineKeywords, RoleKeywords, GateKeywords, LevelKeywords, total=False
):
    """The keywords of ``duckrisk.assess``."""

    original: Any
    earlier: Iterable[Any]
    key_tables: Iterable[Any]
    only: Iterable[str] | None
    quick: bool
    records: str | PathLike[str] | None
    show_values: bool
    method: Literal["exact", "approximate", "sample"]
    k: int
    samples: int
    confidence: float
    interval: Literal["confidence", "paper"]
    known_records: int
    draws: int
    detailed: int
    models_of: str | None
    seed: int
    class_sizes: Iterable[int]
    missing: Literal["value", "wildcard", "none"] | None
    compare_missing: bool | None
    suda_scores: Literal["elliot", "ihsn"]
    fraction: float | None
    population: str | None
    population_count: str | None
    weight: str | None
    household: str | None
    share: float
    noisy_days: int
    noisy_band: float
    hierarchies: str | PathLike[str] | None
    controls: Literal["low", "medium", "high"] | None
    motives: Literal["low", "medium", "high"] | None
    prevalence: float | None
    breach: float | None
    acquaintances: int


class AttackKeywords(RequestKeywords, ResourceKeywords, RoleKeywords, GateKeywords, total=False):
    """The keywords of ``duckrisk.attack``."""

    noisy_days: int
    noisy_band: float
    seed: int


class AdviseKeywords(
    RequestKeywords, ResourceKeywords, RoleKeywords, GateKeywords, LevelKeywords, total=False
):
    """The keywords of ``duckrisk.advise``."""

    objective: Literal["people", "value"] | None
    target: str | None
    steps: int
    missing: Literal["none", "value"]
    compare_missing: bool
    hierarchies: str | PathLike[str] | Mapping[str, Any] | None


class CompareKeywords(ResourceKeywords, RoleKeywords, GateKeywords, LevelKeywords, total=False):
    """The keywords of ``duckrisk.compare``."""

    attach: str | None
    earlier: Iterable[Any]
    key_tables: Iterable[Any]
    k: int
    aligned: bool
    key: str | None
    only: Iterable[str]
    seed: int
    item: str | None
    predict: str | None
    show_values: bool
    missing: Literal["none", "value"]
    compare_missing: bool
    hierarchies: str | PathLike[str] | None


class TablesKeywords(ResourceKeywords, GateKeywords, total=False):
    """The keywords of ``duckrisk.tables``."""

    attach: str | None
    where: str | None
    encoding: str | None
    header: bool | None
    skip_lines: int | None
    count: str | None
    by: Iterable[str]
    value: str | None
    user: str | None
    threshold: int | None
    largest: int
    dominance: float
    p_percent: float
    export: str | PathLike[str] | None
    policy: str | Mapping[str, Any]
    show_values: bool


class SequenceKeywords(ResourceKeywords, RoleKeywords, GateKeywords, total=False):
    """The keywords of ``duckrisk.sequence``."""

    attach: str | None
    key_tables: Iterable[Any]
    stable: Iterable[str]


class AnonymizeKeywords(
    RequestKeywords, ResourceKeywords, EngineKeywords, RoleKeywords, GateKeywords, total=False
):
    """The keywords of ``duckrisk.anonymize``."""

    method: Literal["auto", "local", "uniform", "columns", "summary"] | None
    importance: Iterable[str]
    delete_at_most: float
    least_detail: float
    numbers: Literal["interval", "mean", "bounds"] | None
    categories: Literal["text", "list"] | None
    steps: Iterable[Any]
    recipe: str | PathLike[str] | None
    to_policy: Literal["public", "shared", "internal"] | None
    hierarchies: str | PathLike[str] | Mapping[str, Any] | None
    seed: int | None
    into: str | PathLike[str] | None
    into_table: str | None
    overwrite: bool


class ExplainKeywords(TypedDict, total=False):
    """The keywords of ``duckrisk.explain``."""

    language: Literal["en", "ja"] | None


class SqlKeywords(RequestKeywords, total=False):
    """The keywords of ``duckrisk.sql``."""

    release: Any
    user: str | None
    attributes: Iterable[str]
