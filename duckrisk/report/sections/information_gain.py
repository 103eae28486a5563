"""What is told of the information gain of cells."""

from __future__ import annotations

from duckrisk.base.numbers import format_number
from duckrisk.base.options.disclosure import MISSING
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.measures.disclosure.results import AttributeGains, Gains, InformationGain
from duckrisk.report.blocks import Block, Listing, Paragraph, column, head, numbers, paragraphs


def blocks(gain: InformationGain) -> list[Block]:
    """The section on information gain."""
    first = Sentence(
        "disclosure.gain.first",
        mean=_bits(gain.record.mean_gain),
        records=format_number(gain.records),
        highest=_bits(gain.record.highest_gain),
        high=_bits(gain.record.high_gain),
    )
    return [
        head("disclosure.information_gain"),
        Paragraph(first, "headline"),
        Listing.of(
            gain.attributes,
            lambda row: (
                column("disclosure.attribute", Data(row.attribute)),
                numbers("disclosure.by_itself", _bits(row.entropy)),
                numbers("disclosure.mean", _bits(row.mean_gain)),
                numbers("disclosure.median", _bits(row.median_gain)),
                numbers("disclosure.high", _bits(row.high_gain)),
                numbers("disclosure.most", _bits(row.highest_gain)),
            ),
            ranks=tuple(row.mean_gain for row in gain.attributes),
            sql=("information_gain",),
        ),
        Paragraph(Sentence("disclosure.gain.reading"), "reading"),
        *_rules(gain),
    ]


def _rules(gain: InformationGain) -> list[Block]:
    """What changes with the rule for missing cells, where cells are missing."""
    if not gain.missing_cells:
        return []
    cells = Sentence(f"disclosure.gain.missing_{gain.missing}", cells=format_number(gain.missing_cells))
    if not gain.other_rules:
        asked = Sentence("disclosure.try_rules") if gain.missing == "value" else None
        return [*paragraphs([cells, asked])]
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
        (Sentence("disclosure.gain.whole"), *(_bits(by_rule[name][0].mean_gain) for name in rules)),
        (Sentence("disclosure.gain.whole_high"), *(_bits(by_rule[name][0].high_gain) for name in rules)),
    ]
    rows += [
        (Data(row.attribute), *(_bits(means[name][row.attribute]) for name in rules))
        for row in gain.attributes
    ]
    columns = (column("disclosure.gain.mean"), *(numbers(f"disclosure.by_rule.{name}") for name in rules))
    return [Paragraph(cells), Listing(columns, tuple(rows), sql=("gain_figures", "information_gain"))]


def _bits(value: float) -> str:
    return f"{value:.3f}"
