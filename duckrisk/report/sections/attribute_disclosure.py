"""Make the section on the disclosure of sensitive attributes."""

from __future__ import annotations

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.options.disclosure import MISSING
from duckrisk.base.sentences import Data, Sentence, Text, list_names
from duckrisk.measures.disclosure.results import AttributeDisclosure, DisclosureFigures, SensitiveAttribute
from duckrisk.report.blocks import (
    Block,
    Column,
    Listing,
    Paragraph,
    heading,
    number_column,
    paragraphs,
    text_column,
)
from duckrisk.report.sections.disclosure import format_figure

#: The statements that measure the equivalence classes.
_SQL = ("attribute_disclosure", "group_disclosure", "hierarchical_closeness")


def make_blocks(section: AttributeDisclosure) -> list[Block]:
    """Make the section on sensitive attributes; none without any.

    A note of the report says why there are none.
    """
    entries = section.attributes
    if not entries:
        return []
    classes = Listing.of(
        entries,
        lambda row: (
            text_column("disclosure.attribute", Data(row.attribute)),
            *_make_class_columns(row, _get_closeness(row, row.hierarchical_t)),
        ),
        sql=_SQL,
    )
    gains = Listing.of(
        entries,
        lambda row: (
            text_column("disclosure.attribute", Data(row.attribute)),
            number_column("disclosure.beta", format_figure(row.basic_beta)),
            number_column("disclosure.enhanced_beta", format_figure(row.enhanced_beta)),
            number_column("disclosure.delta", format_figure(row.delta)),
            number_column("disclosure.recursive", _format_recursive(row)),
        ),
        sql=_SQL,
    )
    return [
        heading("disclosure.attribute_disclosure"),
        *(block for entry in entries for block in _describe_attribute(entry)),
        classes,
        Paragraph(Sentence(f"disclosure.told.reading_{entries[0].unit}"), "reading"),
        gains,
        Paragraph(Sentence("disclosure.told.gains"), "reading"),
    ]


def _format_recursive(row: DisclosureFigures) -> Text:
    return (
        Sentence("none")
        if row.recursive_c is None
        else f"({format_figure(row.recursive_c)}, {row.recursive_l})"
    )


def _make_class_columns(row: DisclosureFigures, closeness: float | None) -> tuple[Column, ...]:
    return (
        number_column("disclosure.classes", format_number(row.classes)),
        number_column("disclosure.k", format_number(row.k)),
        number_column("disclosure.l", format_figure(row.distinct_l)),
        number_column("disclosure.entropy_l", format_figure(row.entropy_l)),
        number_column("disclosure.alpha", format_figure(row.alpha)),
        number_column("disclosure.t", format_figure(closeness)),
    )


def _get_closeness(
    row: DisclosureFigures, by_hierarchy: float | None = None, ordered: bool = True
) -> float | None:
    """Return t by a hierarchy of the values, by their order, or by neither.

    Without both, all values are equally distant.
    """
    if by_hierarchy is not None:
        return by_hierarchy
    return row.ordered_t if ordered and row.ordered_t is not None else row.equal_t


def _describe_attribute(entry: SensitiveAttribute) -> list[Block]:
    """Describe what the classes disclose of an attribute, by all rules."""
    key = "some" if entry.homogeneous_records else "nobody"
    headline = Sentence(
        f"disclosure.told.{key}_{entry.unit}",
        attribute=Data(entry.attribute),
        units=format_number(entry.records),
        alike=format_number(entry.homogeneous_records),
        share=format_share(entry.share_homogeneous),
    )
    several = Sentence("disclosure.told.several", users=format_number(entry.users_with_several))
    why = Sentence("disclosure.told.why", known=list_names(entry.quasi_identifiers), reason=entry.reason)
    parts: list[Block] = [
        Paragraph(headline, "headline"),
        *paragraphs([several if entry.users_with_several else None, why]),
    ]
    if not entry.missing_cells:
        return parts
    cells = Sentence(f"disclosure.told.missing_{entry.missing}", cells=format_number(entry.missing_cells))
    parts.append(Paragraph(cells))
    if entry.other_rules:
        return [*parts, _compare_rules(entry)]
    return [*parts, *paragraphs([Sentence("disclosure.try_rules") if entry.missing == "value" else None])]


def _compare_rules(entry: SensitiveAttribute) -> Listing:
    rows: dict[str, DisclosureFigures] = {other.missing: other for other in entry.other_rules}
    rows[entry.missing] = entry
    # t by the order of the values only if every rule has it, so that the rules can be compared.
    ordered = all(row.ordered_t is not None for row in rows.values())
    return Listing.of(
        [(name, rows[name]) for name in MISSING if name in rows],
        lambda rule: (
            text_column("disclosure.missing", rule[0]),
            *_make_class_columns(rule[1], _get_closeness(rule[1], None, ordered)),
            number_column("disclosure.one_value", format_share(rule[1].share_homogeneous)),
        ),
        sql=_SQL,
    )
