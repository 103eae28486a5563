"""El Emam's four attacks: how likely an attempt is, and the risk that follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, cast

from duckrisk.base.options.context import BREACH, WORST_CONTROLS, WORST_MOTIVES
from duckrisk.base.options.context import Options as Options
from duckrisk.base.results import Count, Share
from duckrisk.engine.session import Session
from duckrisk.engine.templates import render

Grade = Literal["low", "medium", "high"]


@dataclass(frozen=True)
class PlausibleAttack:
    """One of the four attacks."""

    metric: ClassVar[str] = "plausible_attacks"

    attack: Literal["deliberate", "inadvertent", "breach", "public"]
    attempt: Share
    average_risk: Share | None
    highest_risk: Share | None


@dataclass(frozen=True)
class PlausibleAttacks:
    """The four attacks on the classes of a table, and the context that their chances follow from."""

    sql: ClassVar[tuple[str, ...]] = ("plausible_attacks",)

    unit: Annotated[Literal["record", "user"], "What the classes are of."]
    average_risk: Annotated[Share | None, "Probability: of the mean one, once somebody tries."]
    highest_risk: Annotated[Share | None, "Probability: of the one found most easily, once somebody tries."]
    controls: Annotated[Grade, "The recipients' controls."]
    motives: Annotated[Grade, "The recipients' motives and capacity."]
    prevalence: Annotated[Share | None, "Share of the population that the table could be about."]
    acquaintances: Annotated[Count, "People that a recipient knows."]
    breach: Annotated[Share, "Probability: of a breach in a year."]
    attacks: Annotated[tuple[PlausibleAttack, ...], "The attacks in their order."]

    @property
    def worst_of_recipients(self) -> PlausibleAttack:
        """The most likely attack by known recipients, by which their table is judged."""
        return max(self.attacks[:-1], key=lambda attack: attack.attempt)


def measure(
    session: Session,
    unit: Literal["record", "user"],
    average_risk: float | None,
    highest_risk: float | None,
    options: Options,
) -> PlausibleAttacks:
    """Measure the four attacks on a table.

    Args:
        session: The session.
        unit: Whether classes of records or of users are attacked.
        average_risk: Mean probability that a person is found once an attack is attempted; None if unknown.
        highest_risk: The highest such probability; None if unknown.
        options: The recipients and the population.
    """
    controls, motives = options.controls or WORST_CONTROLS, options.motives or WORST_MOTIVES
    breach = BREACH if options.breach is None else options.breach
    rows = session.run(
        "plausible_attacks",
        risks=render("record_risks", average_risk=average_risk, highest_risk=highest_risk),
        controls=controls,
        motives=motives,
        prevalence=1 if options.prevalence is None else options.prevalence,
        acquaintances=options.acquaintances,
        breach=breach,
    )
    return PlausibleAttacks(
        unit=unit,
        average_risk=average_risk,
        highest_risk=highest_risk,
        controls=cast(Grade, controls),
        motives=cast(Grade, motives),
        prevalence=options.prevalence,
        acquaintances=options.acquaintances,
        breach=breach,
        attacks=tuple(PlausibleAttack(**row) for row in rows),
    )
