"""Make the section on the information gain of values."""

from __future__ import annotations

from duckrisk.base.numbers import format_number
from duckrisk.base.options.disclosure import MISSING
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.measures.disclosure.results import AttributeGains, Gains, InformationGain
from duckrisk.report.blocks import Block, Listing, Paragraph, heading, number_column, paragraphs, text_column


def make_blocks(gain: InformationGain) -> list[Block]:
    """Make the section on information gain."""
    headline = Sentence(
        "disclosure.gain.first",
        mean=_format_bits(gain.record.mean_gain),
        records=format_number(gain.records),
        highest=_format_bits(gain.record.highest_gain),
        high=_format_bits(gain.record.high_gain),
    )
    return [
        heading("disclosure.information_gain"),
        Paragraph(headline, "headline"),
        Listing.of(
            gain.attributes,
            lambda row: (
                text_column("disclosure.attribute", Data(row.attribute)),
                number_column("disclosure.by_itself", _format_bits(row.entropy)),
                number_column("disclosure.mean", _format_bits(row.mean_gain)),
                number_column("disclosure.median", _format_bits(row.median_gain)),
                number_column("disclosure.high", _format_bits(row.high_gain)),
                number_column("disclosure.most", _format_bits(row.highest_gain)),
            ),
            ranks=tuple(row.mean_gain for row in gain.attributes),
            sql=("information_gain",),
        ),
        Paragraph(Sentence("disclosure.gain.reading"), "reading"),
        *_compare_rules(gain),
    ]


def _compare_rules(gain: InformationGain) -> list[Block]:
    """Compare the rules for missing values, if values are missing."""
    if not gain.missing_cells:
        return []
    cells = Sentence(f"disclosure.gain.missing_{gain.missing}", cells=format_number(gain.missing_cells))
    if not gain.other_rules:
        advice = Sentence("disclosure.try_rules") if gain.missing == "value" else None
        return [*paragraphs([cells, advice])]
    by_rule: dict[str, tuple[Gains, tuple[AttributeGains, ...]]] = {
        row.missing: (row.record, row.attributes) for row in gain.other_rules
    }
    by_rule[gain.missing] = gain.record, gain.attributes
    rules = [name for name in MISSING if name in by_rule]
    means = {
        name: {row.attribute: row.mean_gain for row in attributes}
        for name, (_, attributes) in by_rule.items()
    }
    rows: list[tuple[Text, ...]] = [
        (Sentence("disclosure.gain.whole"), *(_format_bits(by_rule[name][0].mean_gain) for name in rules)),
        (
            Sentence("disclosure.gain.whole_high"),
            *(_format_bits(by_rule[name][0].high_gain) for name in rules),
        ),
    ]
    rows += [
        (Data(row.attribute), *(_format_bits(means[name][row.attribute]) for name in rules))
        for row in gain.attributes
    ]
    columns = (
        text_column("disclosure.gain.mean"),
        *(number_column(f"disclosure.by_rule.{name}") for name in rules),
    )
    return [Paragraph(cells), Listing(columns, tuple(rows), sql=("gain_figures", "information_gain"))]


def _format_bits(value: float) -> str:
    return f"{value:.3f}"
