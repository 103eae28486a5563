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
    classes = tuple(
        (Data(row.attribute), *_classes(row, _closeness(row, row.hierarchical_t))) for row in entries
    )
    gains = tuple(
        (
            Data(row.attribute),
            figure(row.basic_beta),
            figure(row.enhanced_beta),
            figure(row.delta),
            Sentence("none")
            if row.recursive_c is None
            else f"({figure(row.recursive_c)}, {row.recursive_l})",
        )
        for row in entries
    )
    attribute = column("disclosure.attribute")
    of_gains = ("beta", "enhanced_beta", "delta", "recursive")
    return [
        head("disclosure.attribute_disclosure"),
        *(block for entry in entries for block in _told(entry)),
        Listing((attribute, *_columns()), classes, sql=_SQL),
        Paragraph(Sentence(f"disclosure.told.reading_{entries[0].unit}"), "reading"),
        Listing((attribute, *(numbers(f"disclosure.{key}") for key in of_gains)), gains, sql=_SQL),
        Paragraph(Sentence("disclosure.told.gains"), "reading"),
    ]


def _columns() -> tuple[Column, ...]:
    keys = ("classes", "k", "l", "entropy_l", "alpha", "t")
    return tuple(numbers(f"disclosure.{key}") for key in keys)


def _classes(row: DisclosureFigures, closeness: float | None) -> tuple[Text, ...]:
    return (
        format_number(row.classes),
        format_number(row.k),
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
    cells = tuple(
        (
            name,
            *_classes(rows[name], _closeness(rows[name], None, ordered)),
            format_share(rows[name].share_homogeneous),
        )
        for name in MISSING
        if name in rows
    )
    columns = (column("disclosure.missing"), *_columns(), numbers("disclosure.one_value"))
    return Listing(columns, cells, sql=_SQL)
