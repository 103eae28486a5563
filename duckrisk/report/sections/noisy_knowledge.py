"""Make the section on attackers with noisy knowledge."""

from __future__ import annotations

from duckrisk.base.numbers import format_number, format_percent, format_share
from duckrisk.base.sentences import Data, Sentence, join_texts
from duckrisk.measures.disclosure.noisy_results import NoisyCase, NoisyKnowledge
from duckrisk.report.blocks import Block, Column, Listing, Paragraph, heading, number_column


def make_blocks(result: NoisyKnowledge) -> list[Block]:
    """Make the section on right, wrong and withheld answers."""
    case = result.typical
    if case is None:
        return [heading("noisy.heading"), Paragraph(Sentence("noisy.nobody"), "headline")]
    return [
        heading("noisy.heading"),
        Paragraph(_write_headline(result, case), "headline"),
        Paragraph(_describe_knowledge(result)),
        Listing.of(
            result.cases,
            _make_columns,
            ranks=tuple((entry.known_facts, entry.wrong_percent) for entry in result.cases),
            whole=True,
            sql=("noisy_histories", "noisy_records"),
        ),
        Paragraph(Sentence("noisy.reading"), "reading"),
    ]


def _write_headline(result: NoisyKnowledge, case: NoisyCase) -> Sentence:
    """Write what the attacker gets who knows most, with most of it wrong."""
    return Sentence(
        f"noisy.headline.{result.unit}" if case.answered else f"noisy.silent.{result.unit}",
        known=format_number(case.known_facts),
        percent=f"{case.wrong_percent}%",
        targets=format_number(case.attacked),
        answered=format_number(case.answered),
        right=format_number(case.right_answers),
        share=format_share(case.right_share),
        interval=_format_ends(case.right_lower, case.right_upper, short=False),
        withheld=format_number(case.withheld),
        withheld_share=format_share(case.withheld_share),
        best=format_number(case.best_right),
        best_interval=_format_ends(case.best_right_lower, case.best_right_upper, short=False),
        candidates=format_number(case.candidates),
    )


def _describe_knowledge(result: NoisyKnowledge) -> Sentence:
    """Name the known columns and the errors of dates and numbers."""
    names = ([result.item] if result.item is not None else []) + [
        *result.values,
        *result.dates,
        *result.amounts,
    ]
    sentence = Sentence(
        "noisy.known", names=join_texts(Sentence("roles.quoted", name=Data(name)) for name in names)
    )
    if result.dates:
        sentence = Sentence(
            "two", first=sentence, second=Sentence("noisy.days", days=format_number(result.days))
        )
    if result.amounts:
        band = Sentence("noisy.band", band=format_percent(result.band))
        sentence = Sentence("two", first=sentence, second=band)
    return sentence


def _make_columns(case: NoisyCase) -> tuple[Column, ...]:
    return (
        number_column("noisy.facts", format_number(case.known_facts)),
        number_column("noisy.false", f"{case.wrong_percent}%"),
        number_column("noisy.eligible", format_number(case.eligible), priority=2),
        number_column("noisy.drawn", format_number(case.attacked)),
        number_column("noisy.best", format_number(case.best_right)),
        number_column(
            "noisy.interval", _format_ends(case.best_right_lower, case.best_right_upper), priority=3
        ),
        number_column("noisy.right", format_number(case.right_answers)),
        number_column("noisy.wrong", format_number(case.wrong_answers)),
        number_column("noisy.of_answers", format_share(case.right_share)),
        number_column("noisy.interval", _format_ends(case.right_lower, case.right_upper), priority=1),
        number_column("noisy.withheld", format_number(case.withheld)),
        number_column("noisy.interval", _format_ends(case.withheld_lower, case.withheld_upper), priority=2),
        number_column("noisy.chance", format_share(case.blind_chance), priority=4),
    )


def _format_ends(lower: float, upper: float, short: bool = True) -> Sentence:
    return Sentence("span" if short else "to", lower=format_share(lower), upper=format_share(upper))
