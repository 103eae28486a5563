"""Who gets a table, as El Emam's four attacks have it."""

from __future__ import annotations

from dataclasses import dataclass

from duckrisk.base.options import OptionSet, option

GRADES = ("low", "medium", "high")
#: What is taken where nothing is said: the worst recipient, and the yearly breaches of the HIMSS survey.
WORST_CONTROLS, WORST_MOTIVES, BREACH = "low", "high", 0.27


@dataclass(frozen=True)
class Options(OptionSet, table="context"):
    """Who gets the table. With any of it the chance of El Emam's four attacks is told; what is not said is
    the worst there is."""

    controls: str | None = option(
        None,
        help="How well recipients guard the table: the four attacks of El Emam are told beside class sizes.",
        choices=GRADES,
        shown="low",
        example="high",
        rare=True,
    )
    motives: str | None = option(
        None,
        help="The motives and the capacity of recipients to re-identify somebody.",
        choices=GRADES,
        shown="high",
        example="low",
        rare=True,
    )
    prevalence: float | None = option(
        None,
        help="The share of the population that the table could be about, such as everybody with a disease: "
        "whether a recipient knows one of them.",
        least=0,
        most=1,
        shown="somebody is known",
        example=0.01,
        rare=True,
    )
    breach: float | None = option(
        None,
        help="The chance that recipients lose the table within a year.",
        flags=(),
        least=0,
        most=1,
        shown="0.27",
        example=0.27,
    )
    acquaintances: int = option(
        150, help="How many people a recipient knows; 150 is Dunbar's number.", flags=(), least=0
    )

    @property
    def given(self) -> bool:
        """Whether anything was said of who gets the table."""
        return any(one is not None for one in (self.controls, self.motives, self.prevalence, self.breach))
