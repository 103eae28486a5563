"""What is told of the risks of a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from duckrisk.base.results import (
    Baseline,
    Count,
    Environment,
    Gates,
    Positive,
    Result,
    Share,
    Table,
    Version,
    aside,
    left_out,
)
from duckrisk.base.sentences import Sentence
from duckrisk.engine.sql_log import Statement

AttackName = Literal["singling_out_univariate", "singling_out_multivariate", "linkability", "inference"]


@dataclass(frozen=True)
class AttackRate:
    """How often attacks succeed; without attacks it is null."""

    sql: ClassVar[tuple[str, ...]] = (
        "table_size",
        "isolated_records",
        "linked_targets",
        "guessed_secrets",
        "attack_rate",
    )

    attacks: Annotated[Count, "Attacks that were made, which rates are shares of."]
    successes: Annotated[
        Positive,
        "Of these; in the control set of singling out what is expected at the size of the original.",
    ]
    share: Annotated[Share | None, "successes / attacks"]
    rate: Annotated[Share | None, "The same, by Wilson."]
    error: Annotated[Share | None, "Of the rate, at the confidence."]
    lower: Share | None
    upper: Share | None


@dataclass(frozen=True)
class ControlRate(AttackRate):
    """How often attacks on the control set succeed."""

    sql: ClassVar[tuple[str, ...]] = (*AttackRate.sql, "isolated_at_size")

    measured: Annotated[Count | None, "Successes in the control set as it is."]


@dataclass(frozen=True)
class ResidualRisk:
    """How much oftener the original's records are found than those of the control set."""

    sql: ClassVar[tuple[str, ...]] = ("residual_risk",)

    risk: Annotated[Share, "(rate - control) / (1 - control), within 0 and 1"]
    error: Positive
    lower: Share
    upper: Share


@dataclass(frozen=True)
class RiskOfAttack:
    """What one attack found."""

    sql: ClassVar[tuple[str, ...]] = ("beats_baseline",)

    attack: AttackName
    secret: Annotated[str | None, "The column that inference guesses."]
    requested: Annotated[Count, "Attacks that were asked for."]
    main: Annotated[AttackRate, "The attack on the original."]
    naive: Annotated[AttackRate, "The naive attack on it."]
    control: Annotated[ControlRate | None, "The attack on the control set; null without one."]
    risk: Annotated[ResidualRisk | None, "Null without control set, and where the attack is void."]
    excess: Annotated[float | None, "rate - naive rate, from -1 to 1"]
    excess_error: Annotated[Positive | None, "sqrt(error^2 + naive error^2)"]
    void: Annotated[bool, "No better than the naive attack: nothing is known."]
    clear: Annotated[bool, "The excess is above its error."]
    skip_reason: Annotated[Sentence | None, "Why no attack was made."]


@dataclass(frozen=True)
class Closeness:
    """How near records are to those of the original: diagnostics, which do not measure privacy."""

    sql: ClassVar[tuple[str, ...]] = ("closest_records",)

    origin: Annotated[Literal["released", "control"], "Whose records they are."]
    records: Annotated[Count, "Records that were drawn."]
    copies: Annotated[Count, "Of these, equal to a record of the original."]
    dcr_low: Annotated[Share, "The fifth percentile of the distance to the closest record."]
    dcr_median: Share
    nndr_low: Annotated[Share | None, "The same of that distance by the distance to the second closest."]
    nndr_median: Share | None


@dataclass(frozen=True)
class RiskAttribute:
    """A column that took part."""

    name: str
    numeric: bool


@dataclass(frozen=True)
class RiskSettings:
    """What was asked for, with all defaults."""

    attacks: Count
    columns: Annotated[Count, "That are combined to single out."]
    link_left: tuple[str, ...]
    link_right: tuple[str, ...]
    neighbours: Count
    known: tuple[str, ...]
    secrets: tuple[str, ...]
    tolerance: Share
    confidence: Share
    seed: Count


@dataclass(frozen=True, repr=False, kw_only=True)
class Risks(Result):
    """What a release tells of the records that it was made of, and not only of people like them."""

    report: ClassVar[str] = "membership_risks"
    listing: ClassVar[str] = "risks"

    version: Version = 2
    kind: Literal["membership_risks"] = "membership_risks"
    original: Table
    released: Table
    control: Table | None
    attributes: tuple[RiskAttribute, ...]
    notes: Annotated[tuple[Sentence, ...], "What makes numbers mean something else than they seem to."]
    risks: tuple[RiskOfAttack, ...]
    diagnostics: Annotated[tuple[Closeness, ...], "DCR and NNDR, which do not measure privacy."] = ()
    settings: RiskSettings
    environment: Environment
    statements: tuple[Statement, ...] = aside()
    gates: Gates = ()
    baseline: Baseline | None = left_out()


# --- the most exposed records ---------------------------------------------------------------------


@dataclass(frozen=True)
class ExposedRecord:
    """A record that is far from the records nearest to it."""

    sql: ClassVar[tuple[str, ...]] = ("list_exposed",)

    place: Annotated[Count, "From 1, the most exposed first."]
    record: Annotated[Count | None, "Its place in the table, from 0; null unless values are shown."]
    exposure: Annotated[Share, "The mean distance of the nearest other records."]
    distance: Annotated[Share, "That of the nearest one."]


@dataclass(frozen=True)
class TypicalExposure:
    """The exposure of drawn records."""

    sql: ClassVar[tuple[str, ...]] = ("typical_exposure",)

    draws: Count
    median: Share | None
    lower: Annotated[Share | None, "Of the interval of the median."]
    upper: Share | None


@dataclass(frozen=True)
class ExposureSettings:
    """What was asked for, with all defaults."""

    most: Annotated[Count, "Exposed records that are listed."]
    nearest: Annotated[Count, "Nearest records whose mean distance is the exposure."]
    confidence: Share
    seed: Count


@dataclass(frozen=True, repr=False, kw_only=True)
class Exposure(Result):
    """The most exposed records of a table, which an attacker tries first."""

    sql: ClassVar[tuple[str, ...]] = ("count_undecided",)
    report: ClassVar[str] = "membership_exposed"
    listing: ClassVar[str] = "exposed"

    version: Version = 1
    kind: Literal["membership_exposed"] = "membership_exposed"
    original: Table
    attributes: tuple[RiskAttribute, ...]
    exposed: Annotated[tuple[ExposedRecord, ...], "The most exposed first."]
    typical: TypicalExposure
    compared: Annotated[Count, "Records that were compared with all others."]
    undecided: Annotated[Count, "Others that might be among the exposed."]
    settings: ExposureSettings
    environment: Environment
    statements: tuple[Statement, ...] = aside()
    gates: Gates = ()
    baseline: Baseline | None = left_out()
