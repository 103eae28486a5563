"""Make the section on minimal keys: the smallest attribute sets that identify every record."""

from __future__ import annotations

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.results import Truncation
from duckrisk.base.sentences import Sentence, Text
from duckrisk.measures.disclosure.set_results import KeysByRule, MinimalKeys, SetFound
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
from duckrisk.report.sections.disclosure import (
    compare_rules,
    describe_set_rule,
    format_at_least,
    join_attributes,
)

#: Attribute sets in a table (a choice: the JSON report has all of them).
_MAX_SETS = 20


def make_blocks(sets: MinimalKeys) -> list[Block]:
    """Make the section on minimal keys."""
    unit, counting = sets.unit, "agreeing" if sets.overlapping else "classes"
    method = Sentence(
        f"disclosure.keys.whose_{unit}",
        units=format_number(sets.persons),
        rule=describe_set_rule(sets.missing_mode),
    )
    limit = Sentence(f"disclosure.keys.{sets.keys_limit}") if sets.keys_limit else None
    keys = Listing.of(
        sets.keys,
        lambda names: (text_column("disclosure.key", join_attributes(names)),),
        max_rows=_MAX_SETS,
        ranks=tuple(map(len, sets.keys)),
        listed=sets.keys_listed,
        sql=("key_check", "key_differences", "agreeing_check"),
    )
    singling_out = Sentence(
        f"disclosure.keys.single_out_{counting}",
        count=format_number(sets.singling_out_found),
        share=format_share(sets.share),
        units=Sentence(f"disclosure.some.{unit}"),
    )
    examined = Sentence(
        "disclosure.keys.looked_at",
        sets=format_number(sets.sets_examined),
        count=format_number(sets.max_size),
    )
    search_limit = (
        Sentence("disclosure.keys.ended", why=Sentence(f"disclosure.limit.{sets.limit}"))
        if sets.limit
        else None
    )
    below_k = Sentence(
        f"disclosure.keys.below_{counting}", count=format_number(sets.below_k_found), k=format_number(sets.k)
    )
    return [
        heading("disclosure.minimal_keys"),
        Paragraph(_write_headline(sets), "headline"),
        *paragraphs([limit if not sets.duplicate_records else None, method]),
        keys,
        *_compare_rules(sets),
        *paragraphs([singling_out, examined, search_limit]),
        _list_sets(sets.singling_out, sets.singling_out_listed),
        Paragraph(below_k),
        _list_sets(sets.below_k, sets.below_k_listed),
    ]


def _write_headline(sets: MinimalKeys) -> Text:
    if sets.duplicate_records:
        same = "agree" if sets.overlapping else "equal"
        return Sentence(f"disclosure.keys.{same}_{sets.unit}", count=format_number(sets.duplicate_records))
    if sets.keys_found == 0:
        return Sentence("disclosure.keys.none_found")
    return Sentence(f"disclosure.keys.found_{sets.unit}", count=format_number(sets.keys_found))


def _compare_rules(sets: MinimalKeys) -> list[Block]:
    """Compare the rules for missing values."""
    sql = ("key_duplicates", "agreeing_duplicates", "key_reached")
    parts = compare_rules(sets, (sets.in_short(), *sets.other_rules), _make_rule_columns, sql)
    if not sets.other_rules:
        return parts
    others = [
        Sentence("disclosure.keys.smallest_by", rule=row.missing, key=join_attributes(row.smallest_key))
        for row in sets.other_rules
        if row.smallest_key is not None
    ]
    reading = Sentence("disclosure.keys.reading", share=format_share(sets.share))
    return [*parts, Paragraph(reading, "reading"), *paragraphs(others)]


def _make_rule_columns(entry: KeysByRule) -> tuple[Column, ...]:
    """Make the columns of a rule for missing values."""
    key, singling_out = entry.smallest_key, entry.smallest_singling_out
    set_size = len(singling_out.attributes) if singling_out is not None else None
    return (
        number_column("disclosure.alike", format_number(entry.duplicate_records)),
        number_column("disclosure.keys_found", format_at_least(entry.keys_found, not entry.keys_complete)),
        number_column("disclosure.key_size", format_number(len(key) if key is not None else None)),
        number_column(
            "disclosure.single_out", format_at_least(entry.singling_out_found, entry.limit == "time_limit")
        ),
        number_column("disclosure.set_size", format_number(set_size)),
    )


def _list_sets(entries: tuple[SetFound, ...], listed: Truncation) -> Listing:
    ranks = tuple((len(row.attributes), row.singled_out) for row in entries)
    sql = ("key_reached", "set_figures")
    return Listing.of(
        entries,
        lambda row: (
            text_column("disclosure.set", join_attributes(row.attributes)),
            number_column("disclosure.singled_out", format_number(row.singled_out)),
            number_column("disclosure.share", format_share(row.share_singled_out)),
            number_column("disclosure.smallest_class", format_number(row.smallest_class)),
        ),
        max_rows=_MAX_SETS,
        ranks=ranks,
        listed=listed,
        sql=sql,
    )
