"""What is told of the information gain of cells."""

from __future__ import annotations

from duckrisk.disclosure.results import AttributeGains, Gains, InformationGain
from duckrisk.numbers import number
from duckrisk.options.disclosure import MISSING
from duckrisk.report.blocks import Block, Listing, Paragraph, column, head, numbers, paragraphs
from duckrisk.sentences import Data, Text, say


def blocks(found: InformationGain) -> list[Block]:
    """The section on information gain."""
    first = say(
        "disclosure.gain.first",
        mean=_bits(found.record.mean_gain),
        records=number(found.records),
        highest=_bits(found.record.highest_gain),
        high=_bits(found.record.high_gain),
    )
    rows = tuple(
        (
            Data(one.attribute),
            _bits(one.entropy),
            _bits(one.mean_gain),
            _bits(one.median_gain),
            _bits(one.high_gain),
            _bits(one.highest_gain),
        )
        for one in found.attributes
    )
    keys = ("by_itself", "mean", "median", "high", "most")
    columns = (column("disclosure.attribute"), *(numbers(f"disclosure.{key}") for key in keys))
    return [
        head("disclosure.information_gain"),
        Paragraph(first, "headline"),
        Listing(columns, rows, ranks=tuple(one.mean_gain for one in found.attributes)),
        Paragraph(say("disclosure.gain.reading"), "reading"),
        *_rules(found),
    ]


def _rules(found: InformationGain) -> list[Block]:
    """What changes with the rule for missing cells, where cells are missing."""
    if not found.missing_cells:
        return []
    cells = say(f"disclosure.gain.missing_{found.missing}", cells=number(found.missing_cells))
    if not found.other_rules:
        asked = say("disclosure.try_rules") if found.missing == "value" else None
        return [*paragraphs([cells, asked])]
    by_rule: dict[str, tuple[Gains, tuple[AttributeGains, ...]]] = {
        one.missing: (one.record, one.attributes) for one in found.other_rules
    }
    by_rule[found.missing] = found.record, found.attributes
    rules = [name for name in MISSING if name in by_rule]
    means = {
        name: {one.attribute: one.mean_gain for one in attributes}
        for name, (_, attributes) in by_rule.items()
    }
    rows: list[tuple[Text, ...]] = [
        (say("disclosure.gain.whole"), *(_bits(by_rule[name][0].mean_gain) for name in rules)),
        (say("disclosure.gain.whole_high"), *(_bits(by_rule[name][0].high_gain) for name in rules)),
    ]
    rows += [
        (Data(one.attribute), *(_bits(means[name][one.attribute]) for name in rules))
        for one in found.attributes
    ]
    columns = (column("disclosure.gain.mean"), *(numbers(f"disclosure.by_rule.{name}") for name in rules))
    return [Paragraph(cells), Listing(columns, tuple(rows))]


def _bits(value: float) -> str:
    return f"{value:.3f}"
