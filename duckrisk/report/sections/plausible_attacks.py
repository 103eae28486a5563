"""What is told of El Emam's four attacks."""

from __future__ import annotations

from duckrisk.numbers import number, probability
from duckrisk.plausible_attacks import PlausibleAttacks
from duckrisk.report.blocks import Block, Listing, Paragraph, column, head, numbers
from duckrisk.sentences import Sentence, say


def blocks(found: PlausibleAttacks) -> list[Block]:
    """The section on the four attacks."""
    worst = found.worst_of_recipients
    first = say(
        "attacks.first",
        attack=say(f"attacks.{worst.attack}"),
        attempt=probability(worst.attempt),
        average=probability(worst.average_risk),
        highest=probability(found.highest_risk),
    )
    context = {
        "deliberate": say(
            "attacks.why.deliberate", controls=_grade(found.controls), motives=_grade(found.motives)
        ),
        "inadvertent": say(
            "attacks.why.inadvertent" if found.prevalence is not None else "attacks.why.somebody",
            prevalence=probability(found.prevalence),
            acquaintances=number(found.acquaintances),
        ),
        "breach": say("attacks.why.breach"),
        "public": say("attacks.why.public"),
    }
    rows = tuple(
        (
            say(f"attacks.{one.attack}"),
            probability(one.attempt),
            probability(one.average_risk),
            probability(one.highest_risk),
            context[one.attack],
        )
        for one in found.attacks
    )
    columns = (
        column("attacks.attack"),
        numbers("attacks.attempt"),
        numbers("attacks.average_risk"),
        numbers("attacks.highest_risk"),
        column("attacks.why"),
    )
    given = {"average": probability(found.average_risk), "highest": probability(found.highest_risk)}
    return [
        head("attacks.title"),
        Paragraph(first, "headline"),
        Listing(columns, rows),
        Paragraph(say(f"attacks.reading.{found.unit}", **given), "reading"),
    ]


def _grade(grade: str) -> Sentence:
    return say(f"attacks.grade.{grade}")
