"""What releases with other lives of pseudonyms lose, and what attackers find in them."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from typing import Annotated, ClassVar, Literal

from duckrisk.base.results import (
    Baseline,
    Count,
    Environment,
    Gates,
    Range,
    Result,
    Share,
    Version,
    aside,
    inlined,
    left_out,
)
from duckrisk.contests.pwscup.results import Knowledge, Original, Percent, RatesBesideChance
from duckrisk.engine.sql_log import Statement

_Known = Annotated[Percent, "The share of the original's records that the attacker holds, in percent."]
_OneOrMore = Annotated[int, Range(1)]


@dataclass(frozen=True)
class CountedRates(RatesBesideChance):
    """The rates of a guess, and the counts behind them."""

    users: Count
    right_users: Count
    active_cells: Count
    guessed_cells: Count
    right_cells: Count


@dataclass(frozen=True)
class FoundUsers:
    """What the attack `combined` finds in a release."""

    sql: ClassVar[tuple[str, ...]] = ("lifetime_front", "wilson_interval")

    alpha: _Known
    lower: Annotated[Share, "Lower end of the 95 % interval of strict (Wilson)."]
    upper: Annotated[Share, "Its upper end."]
    on_front: Annotated[bool, "No other setting loses as little and has as few users found."]
    within_limit: Annotated[bool | None, "At most the limit is found; null without a limit."]
    rates: CountedRates = inlined(MISSING)


@dataclass(frozen=True)
class LifetimeSetting:
    """How a release was made, what it loses, and what is found in it."""

    sql: ClassVar[tuple[str, ...]] = ("contest_score", "count_surviving")

    life: Annotated[_OneOrMore | None, "Periods that a pseudonym lives for; null: all."]
    delete_rare_items: Annotated[_OneOrMore | None, "Items of fewer users are deleted; null: none."]
    perturb_dates: Annotated[Share | None, "Share of the records that exchange dates; null: none."]
    perturb_items: Annotated[Share | None, "Share of the records that exchange items; null: none."]
    renew_after: Annotated[_OneOrMore | None, "Records after which a pseudonym is renewed; null: never."]
    exchange_pseudonyms: Annotated[
        Share | None, "Share of the users of a period that pass pseudonyms on; null: none."
    ]
    surviving: Annotated[Count, "Records that were not deleted."]
    utl: Annotated[Share, "UTL, the largest loss."]
    worst_loss: Annotated[
        Literal[
            "itemcf_supply",
            "itemcf_retail",
            "topk_list",
            "topk_similarity",
            "date",
            "price",
            "deleted_rows",
        ]
        | None,
        "The loss that UTL is; null if nothing is lost.",
    ]
    sec: Annotated[Share, "SEC of the committee's attacks, which do not see how long pseudonyms live."]
    found: Annotated[tuple[FoundUsers, ...], "What `combined` finds, by what the attacker holds."]


@dataclass(frozen=True)
class Cheapest:
    """The setting that loses least of those within the limit."""

    sql: ClassVar[tuple[str, ...]] = ("lifetime_front", "contest_score")

    alpha: _Known
    place: Annotated[Count | None, "Its place among the measured settings from 0; null: none is within."]
    utl: Annotated[Share | None, "What it loses."]


@dataclass(frozen=True)
class LifetimesSettings:
    """How it was measured."""

    found: Annotated[Share | None, "The limit: the largest share of users found that is accepted."]
    seed: Annotated[Count, "Of all draws: of the releases, and of what attackers know."]
    item_prefix: Annotated[_OneOrMore | None, "First characters of items that attackers know; null: all."]
    most_items: Annotated[
        _OneOrMore | None, "Users with more different items are left out of recommendations; null: nobody."
    ]


@dataclass(frozen=True, repr=False, kw_only=True)
class Lifetimes(Result):
    """Releases of a history with other lives of pseudonyms and treatments, the cheapest first."""

    report: ClassVar[str] = "pwscup_lifetimes"
    listing: ClassVar[str] = "measured"

    version: Version = 1
    kind: Literal["lifetimes"] = "lifetimes"
    original: Original
    known: tuple[Knowledge, ...]
    measured: Annotated[tuple[LifetimeSetting, ...], "The settings, those that lose least first."]
    cheapest: Annotated[tuple[Cheapest, ...], "The cheapest within the limit, with a limit."] | None = (
        left_out()
    )
    settings: LifetimesSettings
    environment: Environment
    statements: tuple[Statement, ...] = aside()
    gates: Gates = ()
    baseline: Baseline | None = left_out()
