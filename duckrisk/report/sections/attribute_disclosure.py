"""What is told of the disclosure of sensitive attributes."""

from __future__ import annotations

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.options.disclosure import MISSING
from duckrisk.base.sentences import Data, Sentence, Text, list_names
from duckrisk.measures.disclosure.results import AttributeDisclosure, DisclosureFigures, SensitiveAttribute
from duckrisk.report.blocks import Block, Column, Listing, Paragraph, column, head, numbers, paragraphs
from duckrisk.report.sections.disclosure import figure

#: What is measured of the classes.
_SQL = ("attribute_disclosure", "group_disclosure", "hierarchical_closeness")


def blocks(section: AttributeDisclosure) -> list[Block]:
    """The section on sensitive attributes."""
    entries = section.attributes
    if not entries:  # a note says why
        return []
    classes = Listing.of(
        entries,
        lambda row: (
            column("disclosure.attribute", Data(row.attribute)),
            *_classes(row, _closeness(row, row.hierarchical_t)),
        ),
        sql=_SQL,
    )
    gains = Listing.of(
        entries,
        lambda row: (
            column("disclosure.attribute", Data(row.attribute)),
            numbers("disclosure.beta", figure(row.basic_beta)),
            numbers("disclosure.enhanced_beta", figure(row.enhanced_beta)),
            numbers("disclosure.delta", figure(row.delta)),
            numbers("disclosure.recursive", _recursive(row)),
        ),
        sql=_SQL,
    )
    return [
        head("disclosure.attribute_disclosure"),
        *(block for entry in entries for block in _told(entry)),
        classes,
        Paragraph(Sentence(f"disclosure.told.reading_{entries[0].unit}"), "reading"),
        gains,
        Paragraph(Sentence("disclosure.told.gains"), "reading"),
    ]


def _recursive(row: DisclosureFigures) -> Text:
    return Sentence("none") if row.recursive_c is None else f"({figure(row.recursive_c)}, {row.recursive_l})"


def _classes(row: DisclosureFigures, closeness: float | None) -> tuple[Column, ...]:
    return (
        numbers("disclosure.classes", format_number(row.classes)),
        numbers("disclosure.k", format_number(row.k)),
        numbers("disclosure.l", figure(row.distinct_l)),
        numbers("disclosure.entropy_l", figure(row.entropy_l)),
        numbers("disclosure.alpha", figure(row.alpha)),
        numbers("disclosure.t", figure(closeness)),
    )


def _closeness(
    row: DisclosureFigures, by_hierarchy: float | None = None, ordered: bool = True
) -> float | None:
    """t by what is known of the values: a hierarchy, an order, or nothing."""
    if by_hierarchy is not None:
        return by_hierarchy
    return row.ordered_t if ordered and row.ordered_t is not None else row.equal_t


def _told(entry: SensitiveAttribute) -> list[Block]:
    """What the classes tell of an attribute, and what changes with the rule for missing cells."""
    key = "some" if entry.homogeneous_records else "nobody"
    first = Sentence(
        f"disclosure.told.{key}_{entry.unit}",
        attribute=Data(entry.attribute),
        units=format_number(entry.records),
        alike=format_number(entry.homogeneous_records),
        share=format_share(entry.share_homogeneous),
    )
    several = Sentence("disclosure.told.several", users=format_number(entry.users_with_several))
    why = Sentence("disclosure.told.why", known=list_names(entry.quasi_identifiers), reason=entry.reason)
    parts: list[Block] = [
        Paragraph(first, "headline"),
        *paragraphs([several if entry.users_with_several else None, why]),
    ]
    if not entry.missing_cells:
        return parts
    cells = Sentence(f"disclosure.told.missing_{entry.missing}", cells=format_number(entry.missing_cells))
    parts.append(Paragraph(cells))
    if entry.other_rules:
        return [*parts, _by_rule(entry)]
    return [*parts, *paragraphs([Sentence("disclosure.try_rules") if entry.missing == "value" else None])]


def _by_rule(entry: SensitiveAttribute) -> Listing:
    rows: dict[str, DisclosureFigures] = {other.missing: other for other in entry.other_rules}
    rows[entry.missing] = entry
    # By the order only where that was found by every rule.
    ordered = all(row.ordered_t is not None for row in rows.values())
    return Listing.of(
        [(name, rows[name]) for name in MISSING if name in rows],
        lambda rule: (
            column("disclosure.missing", rule[0]),
            *_classes(rule[1], _closeness(rule[1], None, ordered)),
            numbers("disclosure.one_value", format_share(rule[1].share_homogeneous)),
        ),
        sql=_SQL,
    )
