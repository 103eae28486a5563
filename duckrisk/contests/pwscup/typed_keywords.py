"""The types of the keywords of ``duckrisk.pwscup``, for type checkers.

``tests/test_keywords.py`` compares them with the option fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, Literal, Required, TypedDict

from duckrisk.base.options.typed_keywords import GateKeywords, ResourceKeywords


class _Columns(TypedDict, total=False):
    """The columns that every history has."""

    user: str | None
    date: str | None
    item: str | None


class _History(_Columns, total=False):
    """The columns of a history, and how long a pseudonym is valid."""

    time: str | None
    price: str | None
    quantity: str | None
    invoice: str | None
    period: Literal["day", "week", "month", "quarter"]
    master: Any


class _Recommendations(TypedDict, total=False):
    profile: Literal["judge", "paper"]
    top: int
    most_items: int | None


class _Draws(TypedDict, total=False):
    """What attackers hold of the original."""

    partials: Mapping[Any, Any] | None
    alphas: Iterable[float]
    seed: int
    item_prefix: int | None


class CheckKeywords(_History, GateKeywords, ResourceKeywords, total=False):
    """The keywords of ``duckrisk.pwscup.check``."""

    guesses: Iterable[Any]
    show_values: bool


class AnonymizeKeywords(_Columns, ResourceKeywords, total=False):
    """The keywords of ``duckrisk.pwscup.anonymize``."""

    life: int | None
    delete_rare_items: int | None
    delete_outliers: float | None
    perturb_dates: float | None
    perturb_items: float | None
    renew_after: int | None
    exchange_pseudonyms: float | None
    false_order: bool
    seed: int | None
    price: str | None
    period: Literal["day", "week", "month", "quarter"]
    overwrite: bool


class PseudonymsKeywords(_History, ResourceKeywords, total=False):
    """The keywords of ``duckrisk.pwscup.pseudonyms``."""

    overwrite: bool


class ReleaseKeywords(_Columns, ResourceKeywords, total=False):
    """The keywords of ``duckrisk.pwscup.release``."""

    seed: int | None
    overwrite: bool


class PartialKnowledgeKeywords(_Columns, ResourceKeywords, total=False):
    """The keywords of ``duckrisk.pwscup.partial_knowledge``."""

    alpha: Required[float]
    seed: int
    item_prefix: int | None
    overwrite: bool


class AttackKeywords(_History, _Draws, GateKeywords, ResourceKeywords, total=False):
    """The keywords of ``duckrisk.pwscup.attack``."""

    attacks: Iterable[str] | None
    known: Any
    truth: Any
    guess: str | PathLike[str] | None
    pseudonym: str | None
    show_values: bool
    overwrite: bool


class UtilityKeywords(_History, _Recommendations, GateKeywords, ResourceKeywords, total=False):
    """The keywords of ``duckrisk.pwscup.utility``."""

    show_values: bool


class ScoreKeywords(UtilityKeywords, _Draws, total=False):
    """The keywords of ``duckrisk.pwscup.score``."""

    guesses: Mapping[str, Any] | None
    attacks: str


class LifetimesKeywords(_Columns, GateKeywords, ResourceKeywords, total=False):
    """The keywords of ``duckrisk.pwscup.lifetimes``."""

    life: Iterable[int | None]
    delete_rare_items: Iterable[int]
    perturb_dates: Iterable[float]
    perturb_items: Iterable[float]
    renew_after: Iterable[int]
    exchange_pseudonyms: Iterable[float]
    found: float | None
    time: str | None
    price: str | None
    quantity: str | None
    invoice: str | None
    period: Literal["day", "week", "month", "quarter"]
    alphas: Iterable[float]
    seed: int
    item_prefix: int | None
    most_items: int | None


class Score2018Keywords(GateKeywords, ResourceKeywords, total=False):
    """The keywords of ``duckrisk.pwscup.score_2018``."""

    guesses: Iterable[Any]
