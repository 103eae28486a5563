"""What is told of the smallest attribute sets that identify."""

from __future__ import annotations

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.results import Truncation
from duckrisk.base.sentences import Sentence, Text
from duckrisk.measures.disclosure.set_results import KeysByRule, MinimalKeys, SetFound
from duckrisk.report.blocks import Block, Column, Listing, Paragraph, column, head, numbers, paragraphs
from duckrisk.report.sections.disclosure import at_least, attribute_set, compared, rule_of_sets

#: Sets that are listed.
_MOST = 20


def blocks(sets: MinimalKeys) -> list[Block]:
    """The section on the smallest sets that identify."""
    unit, alone = sets.unit, "agreeing" if sets.overlapping else "classes"
    whose = Sentence(
        f"disclosure.keys.whose_{unit}",
        units=format_number(sets.persons),
        rule=rule_of_sets(sets.missing_mode),
    )
    limit = Sentence(f"disclosure.keys.{sets.keys_limit}") if sets.keys_limit else None
    keys = Listing.of(
        sets.keys,
        lambda names: (column("disclosure.key", attribute_set(names)),),
        most=_MOST,
        ranks=tuple(map(len, sets.keys)),
        listed=sets.keys_listed,
        sql=("key_check", "key_differences", "agreeing_check"),
    )
    singling_out = Sentence(
        f"disclosure.keys.single_out_{alone}",
        count=format_number(sets.singling_out_found),
        share=format_share(sets.share),
        units=Sentence(f"disclosure.some.{unit}"),
    )
    looked = Sentence(
        "disclosure.keys.looked_at",
        sets=format_number(sets.sets_examined),
        count=format_number(sets.max_size),
    )
    ended = (
        Sentence("disclosure.keys.ended", why=Sentence(f"disclosure.limit.{sets.limit}"))
        if sets.limit
        else None
    )
    below_k = Sentence(
        f"disclosure.keys.below_{alone}", count=format_number(sets.below_k_found), k=format_number(sets.k)
    )
    return [
        head("disclosure.minimal_keys"),
        Paragraph(_first(sets), "headline"),
        *paragraphs([limit if not sets.duplicate_records else None, whose]),
        keys,
        *_rules(sets),
        *paragraphs([singling_out, looked, ended]),
        _sets(sets.singling_out, sets.singling_out_listed),
        Paragraph(below_k),
        _sets(sets.below_k, sets.below_k_listed),
    ]


def _first(sets: MinimalKeys) -> Text:
    if sets.duplicate_records:
        same = "agree" if sets.overlapping else "equal"
        return Sentence(f"disclosure.keys.{same}_{sets.unit}", count=format_number(sets.duplicate_records))
    if sets.keys_found == 0:
        return Sentence("disclosure.keys.none_found")
    return Sentence(f"disclosure.keys.found_{sets.unit}", count=format_number(sets.keys_found))


def _rules(sets: MinimalKeys) -> list[Block]:
    """What the rules for missing cells change."""
    sql = ("key_duplicates", "agreeing_duplicates", "key_reached")
    parts = compared(sets, (sets.in_short(), *sets.other_rules), _figures, sql)
    if not sets.other_rules:
        return parts
    others = [
        Sentence("disclosure.keys.smallest_by", rule=row.missing, key=attribute_set(row.smallest_key))
        for row in sets.other_rules
        if row.smallest_key is not None
    ]
    reading = Sentence("disclosure.keys.reading", share=format_share(sets.share))
    return [*parts, Paragraph(reading, "reading"), *paragraphs(others)]


def _figures(entry: KeysByRule) -> tuple[Column, ...]:
    """The figures of a rule for missing cells."""
    key, singling_out = entry.smallest_key, entry.smallest_singling_out
    set_size = len(singling_out.attributes) if singling_out is not None else None
    return (
        numbers("disclosure.alike", format_number(entry.duplicate_records)),
        numbers("disclosure.keys_found", at_least(entry.keys_found, not entry.keys_complete)),
        numbers("disclosure.key_size", format_number(len(key) if key is not None else None)),
        numbers("disclosure.single_out", at_least(entry.singling_out_found, entry.limit == "time_limit")),
        numbers("disclosure.set_size", format_number(set_size)),
    )


def _sets(entries: tuple[SetFound, ...], listed: Truncation) -> Listing:
    ranks = tuple((len(row.attributes), row.singled_out) for row in entries)
    sql = ("key_reached", "set_figures")
    return Listing.of(
        entries,
        lambda row: (
            column("disclosure.set", attribute_set(row.attributes)),
            numbers("disclosure.singled_out", format_number(row.singled_out)),
            numbers("disclosure.share", format_share(row.share_singled_out)),
            numbers("disclosure.smallest_class", format_number(row.smallest_class)),
        ),
        most=_MOST,
        ranks=ranks,
        listed=listed,
        sql=sql,
    )
