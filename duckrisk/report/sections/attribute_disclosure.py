"""What is told of the disclosure of sensitive attributes."""

from __future__ import annotations

from duckrisk.disclosure.results import AttributeDisclosure, DisclosureFigures, SensitiveAttribute
from duckrisk.numbers import number, share
from duckrisk.options.disclosure import MISSING
from duckrisk.report.blocks import Block, Column, Listing, Paragraph, column, head, numbers, paragraphs
from duckrisk.report.sections.disclosure import figure
from duckrisk.sentences import Data, Text, listed, say


def blocks(found: AttributeDisclosure) -> list[Block]:
    """The section on sensitive attributes."""
    entries = found.attributes
    classes = tuple(
        (Data(one.attribute), *_classes(one, _closeness(one, one.hierarchical_t))) for one in entries
    )
    gains = tuple(
        (
            Data(one.attribute),
            figure(one.basic_beta),
            figure(one.enhanced_beta),
            figure(one.delta),
            say("none") if one.recursive_c is None else f"({figure(one.recursive_c)}, {one.recursive_l})",
        )
        for one in entries
    )
    attribute = column("disclosure.attribute")
    of_gains = ("beta", "enhanced_beta", "delta", "recursive")
    return [
        head("disclosure.attribute_disclosure"),
        *(block for one in entries for block in _told(one)),
        Listing((attribute, *_columns()), classes),
        Paragraph(say(f"disclosure.told.reading_{entries[0].unit}"), "reading"),
        Listing((attribute, *(numbers(f"disclosure.{key}") for key in of_gains)), gains),
        Paragraph(say("disclosure.told.gains"), "reading"),
    ]


def _columns() -> tuple[Column, ...]:
    keys = ("classes", "k", "l", "entropy_l", "alpha", "t")
    return tuple(numbers(f"disclosure.{key}") for key in keys)


def _classes(row: DisclosureFigures, closeness: float | None) -> tuple[Text, ...]:
    return (
        number(row.classes),
        number(row.k),
        figure(row.distinct_l),
        figure(row.entropy_l),
        figure(row.alpha),
        figure(closeness),
    )


def _closeness(
    row: DisclosureFigures, by_hierarchy: float | None = None, ordered: bool = True
) -> float | None:
    """t by what is known of the values: a hierarchy, an order, or nothing."""
    if by_hierarchy is not None:
        return by_hierarchy
    return row.ordered_t if ordered and row.ordered_t is not None else row.equal_t


def _told(one: SensitiveAttribute) -> list[Block]:
    """What the classes tell of an attribute, and what changes with the rule for missing cells."""
    key = "some" if one.homogeneous_records else "nobody"
    told = say(
        f"disclosure.told.{key}_{one.unit}",
        attribute=Data(one.attribute),
        units=number(one.records),
        alike=number(one.homogeneous_records),
        share=share(one.share_homogeneous),
    )
    several = number(one.users_with_several)
    why = say("disclosure.told.why", known=listed(one.quasi_identifiers), reason=one.reason)
    made: list[Block] = [
        Paragraph(told, "headline"),
        *paragraphs([say("disclosure.told.several", users=several) if one.users_with_several else None, why]),
    ]
    if not one.missing_cells:
        return made
    cells = say(f"disclosure.told.missing_{one.missing}", cells=number(one.missing_cells))
    made.append(Paragraph(cells))
    if one.other_rules:
        return [*made, _by_rule(one)]
    return [*made, *paragraphs([say("disclosure.try_rules") if one.missing == "value" else None])]


def _by_rule(one: SensitiveAttribute) -> Listing:
    rows: dict[str, DisclosureFigures] = {other.missing: other for other in one.other_rules}
    rows[one.missing] = one
    # By the order only where that was found by every rule.
    ordered = all(row.ordered_t is not None for row in rows.values())
    cells = tuple(
        (
            name,
            *_classes(rows[name], _closeness(rows[name], None, ordered)),
            share(rows[name].share_homogeneous),
        )
        for name in MISSING
        if name in rows
    )
    return Listing((column("disclosure.missing"), *_columns(), numbers("disclosure.one_value")), cells)
