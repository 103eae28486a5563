"""What is told of the smallest attribute sets that identify."""

from __future__ import annotations

from duckrisk.disclosure.set_results import KeysByRule, MinimalKeys, SetFound
from duckrisk.numbers import number, share
from duckrisk.report.blocks import Block, Listing, Paragraph, column, head, numbers, paragraphs
from duckrisk.report.sections.disclosure import at_least, attribute_set, compared, rule
from duckrisk.results import Listed
from duckrisk.sentences import Text, say

#: Sets that are listed.
_MOST = 20


def blocks(found: MinimalKeys) -> list[Block]:
    """The section on the smallest sets that identify."""
    unit, alone = found.unit, "agreeing" if found.overlapping else "classes"
    whose = say(f"disclosure.keys.whose_{unit}", units=number(found.persons), rule=rule(found.missing_mode))
    limit = say(f"disclosure.keys.{found.keys_limit}") if found.keys_limit else None
    keys = Listing(
        (column("disclosure.key"),),
        tuple((attribute_set(names),) for names in found.keys),
        _MOST,
        ranks=tuple(map(len, found.keys)),
        listed=found.keys_listed,
    )
    singling_out = say(
        f"disclosure.keys.single_out_{alone}",
        count=number(found.singling_out_found),
        share=share(found.share),
        units=say(f"disclosure.some.{unit}"),
    )
    looked = say(
        "disclosure.keys.looked_at",
        sets=number(found.sets_examined),
        count=number(found.max_size),
    )
    ended = say("disclosure.keys.ended", why=say(f"disclosure.limit.{found.limit}")) if found.limit else None
    below_k = say(f"disclosure.keys.below_{alone}", count=number(found.below_k_found), k=number(found.k))
    return [
        head("disclosure.minimal_keys"),
        Paragraph(_first(found), "headline"),
        *paragraphs([limit if not found.duplicate_records else None, whose]),
        keys,
        *_rules(found),
        *paragraphs([singling_out, looked, ended]),
        _sets(found.singling_out, found.singling_out_listed),
        Paragraph(below_k),
        _sets(found.below_k, found.below_k_listed),
    ]


def _first(found: MinimalKeys) -> Text:
    if found.duplicate_records:
        same = "agree" if found.overlapping else "equal"
        return say(f"disclosure.keys.{same}_{found.unit}", count=number(found.duplicate_records))
    if found.keys_found == 0:
        return say("disclosure.keys.none_found")
    return say(f"disclosure.keys.found_{found.unit}", count=number(found.keys_found))


def _rules(found: MinimalKeys) -> list[Block]:
    """What the rules for missing cells change."""
    keys = ("alike", "keys_found", "key_size", "single_out", "set_size")
    columns = tuple(numbers(f"disclosure.{key}") for key in keys)
    told = compared(found, (found.in_short(), *found.other_rules), columns, _cells)
    if not found.other_rules:
        return told
    others = [
        say("disclosure.keys.smallest_by", rule=one.missing, key=attribute_set(one.smallest_key))
        for one in found.other_rules
        if one.smallest_key is not None
    ]
    reading = say("disclosure.keys.reading", share=share(found.share))
    return [*told, Paragraph(reading, "reading"), *paragraphs(others)]


def _cells(entry: KeysByRule) -> tuple[Text, ...]:
    """The figures of a rule for missing cells."""
    if entry.keys_found is None:
        return ("-",) * 5
    key, singling_out = entry.smallest_key, entry.smallest_singling_out
    return (
        number(entry.duplicate_records),
        at_least(entry.keys_found, not entry.keys_complete),
        number(len(key) if key is not None else None),
        at_least(entry.singling_out_found, entry.limit == "time_limit"),
        number(len(singling_out.attributes) if singling_out is not None else None),
    )


def _sets(entries: tuple[SetFound, ...], listed: Listed) -> Listing:
    rows = tuple(
        (
            attribute_set(one.attributes),
            number(one.singled_out),
            share(one.share_singled_out),
            number(one.smallest_class),
        )
        for one in entries
    )
    columns = (
        column("disclosure.set"),
        numbers("disclosure.singled_out"),
        numbers("disclosure.share"),
        numbers("disclosure.smallest_class"),
    )
    ranks = tuple((len(one.attributes), one.singled_out) for one in entries)
    return Listing(columns, rows, _MOST, ranks=ranks, listed=listed)
