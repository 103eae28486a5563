"""Make the section on El Emam's four plausible attacks."""

from __future__ import annotations

from duckrisk.base.numbers import format_number, format_probability
from duckrisk.base.sentences import Sentence
from duckrisk.measures.plausible_attacks import PlausibleAttacks
from duckrisk.report.blocks import Block, Listing, Paragraph, heading, number_column, text_column


def make_blocks(attacks: PlausibleAttacks) -> list[Block]:
    """Make the section on the four attacks."""
    worst = attacks.worst_of_recipients
    headline = Sentence(
        "attacks.first",
        attack=Sentence(f"attacks.{worst.attack}"),
        attempt=format_probability(worst.attempt),
        average=format_probability(worst.average_risk),
        highest=format_probability(attacks.highest_risk),
    )
    context = {
        "deliberate": Sentence(
            "attacks.why.deliberate",
            controls=_name_grade(attacks.controls),
            motives=_name_grade(attacks.motives),
        ),
        "inadvertent": Sentence(
            "attacks.why.inadvertent" if attacks.prevalence is not None else "attacks.why.somebody",
            prevalence=format_probability(attacks.prevalence),
            acquaintances=format_number(attacks.acquaintances),
        ),
        "breach": Sentence("attacks.why.breach"),
        "public": Sentence("attacks.why.public"),
    }
    risks = {
        "average": format_probability(attacks.average_risk),
        "highest": format_probability(attacks.highest_risk),
    }
    return [
        heading("attacks.title"),
        Paragraph(headline, "headline"),
        Listing.of(
            attacks.attacks,
            lambda row: (
                text_column("attacks.attack", Sentence(f"attacks.{row.attack}")),
                number_column("attacks.attempt", format_probability(row.attempt)),
                number_column("attacks.average_risk", format_probability(row.average_risk)),
                number_column("attacks.highest_risk", format_probability(row.highest_risk)),
                text_column("attacks.why", context[row.attack]),
            ),
            sql=("plausible_attacks",),
        ),
        Paragraph(Sentence(f"attacks.reading.{attacks.unit}", **risks), "reading"),
    ]


def _name_grade(grade: str) -> Sentence:
    return Sentence(f"attacks.grade.{grade}")
