"""Options of El Emam's four attacks: who receives the table."""

from __future__ import annotations

from dataclasses import dataclass

from duckrisk.base.options import OptionSet, option

GRADES = ("low", "medium", "high")
#: The defaults: the worst recipient, and the share of yearly breaches in the HIMSS survey.
WORST_CONTROLS, WORST_MOTIVES, BREACH = "low", "high", 0.27


@dataclass(frozen=True)
class Options(OptionSet, table="context"):
    """Who receives the table.

    Any of these options adds the chances of El Emam's four attacks to the report. The others take their worst
    value.
    """

    controls: str | None = option(
        None,
        help="How well recipients guard the table; adds the four attacks of El Emam.",
        choices=GRADES,
        default_text="low",
        example="high",
        rare=True,
    )
    motives: str | None = option(
        None,
        help="The motives and the capacity of recipients to re-identify people.",
        choices=GRADES,
        default_text="high",
        example="low",
        rare=True,
    )
    prevalence: float | None = option(
        None,
        help="Share of the population the table could be about, as with a disease.",
        minimum=0,
        maximum=1,
        default_text="somebody is known",
        example=0.01,
        rare=True,
    )
    breach: float | None = option(
        None,
        help="The chance that recipients lose the table within a year.",
        flags=(),
        minimum=0,
        maximum=1,
        default_text="0.27",
        example=0.27,
    )
    acquaintances: int = option(
        150, help="How many people a recipient knows; 150 is Dunbar's number.", flags=(), minimum=0
    )

    @property
    def is_given(self) -> bool:
        """Whether the recipients are described at all."""
        return (self.controls, self.motives, self.prevalence, self.breach) != (None, None, None, None)
