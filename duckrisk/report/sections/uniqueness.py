"""What is told of whom few facts single out."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.numbers import number, probability, share
from duckrisk.report.blocks import Block, Column, Figure, Heading, Listing, Paragraph, numbers, paragraphs
from duckrisk.report.charts import Bar, Drawing, histogram
from duckrisk.report.sections.disclosure import attribute_set
from duckrisk.report.words import Words
from duckrisk.sentences import Data, Sentence, Text, joined, say
from duckrisk.uniqueness.results import KnownFacts, SizeBand, Together, Uniqueness

#: So many columns are named.
_MOST_NAMES = 10


def blocks(found: Uniqueness) -> list[Block]:
    """The section on whom few facts single out."""
    told: list[Block] = [Heading(_say("title"), 2, "uniqueness"), Paragraph(headline(found), "headline")]
    if found.facts:
        told += [_facts(found), *paragraphs(_about_facts(found), "reading")]
    if found.together is not None:
        bands = found.together.sizes
        sizes = Figure("", lambda words: _draw_sizes(words, bands), _sizes(found.together))
        told += [Heading(_say("sizes"), 3), sizes, Paragraph(_say("read.sizes"), "reading")]
    return told + paragraphs([_left_out(found)])


def headline(found: Uniqueness) -> Sentence:
    """What all attributes together tell, and three of them."""
    together = found.together
    if together is None:
        return _say("nothing")
    key = "nobody" if not together.people else "every" if together.people == found.people else "some"
    whole = _say(
        f"{key}_{found.unit}",
        singled_out=number(together.people),
        people=number(found.people),
        share=share(together.share),
        records=number(together.records),
        share_of_records=share(together.share_of_records),
        k=number(together.smallest_class),
        attributes=number(len(found.attributes)),
    )
    told = next((one for one in reversed(found.facts) if one.facts <= 3), None)
    if told is None or not together.people:
        return whole
    key = "in_short" if told.complete else "in_short_least"
    few = _say(
        key,
        facts=number(told.facts),
        typical=share(told.typical),
        worst=share(told.worst.share),
        names=_names(told),
    )
    return say("two", first=whole, second=few)


def _say(key: str, **values: Text) -> Sentence:
    return say(f"uniqueness.{key}", **values)


def _head(key: str, *, priority: int = 0) -> Column:
    return numbers(f"uniqueness.{key}", priority=priority)


def _names(told: KnownFacts) -> Text:
    return joined(say("roles.quoted", name=Data(name)) for name in told.worst.attributes)


def _facts(found: Uniqueness) -> Listing:
    """A row for each number of facts: attributes of one record, and records by one attribute."""
    history = {one.records: one for one in found.known_records}
    rows = []
    for one in found.facts:
        by_records = history.get(one.facts)
        rows.append(
            (
                number(one.facts),
                share(one.typical),
                _interval(one),
                share(one.worst.share) if one.complete else _say("least", share=share(one.worst.share)),
                attribute_set(one.worst.attributes),
                share(one.typical_of_records) if found.unit == "user" else "-",
                share(by_records.typical) if by_records else "-",
                share(by_records.worst) if by_records else "-",
                f"{number(one.sets_examined)} / {number(one.sets_possible)}",
            )
        )
    columns = (
        _head("facts"),
        _head("typical"),
        _head("interval", priority=2),
        _head("worst"),
        Column(_say("worst_set"), room=26),
        _head("of_records", priority=3),
        _head("history", priority=1),
        _head("worst_history", priority=4),
        _head("sets", priority=5),
    )
    return Listing(columns, tuple(rows), whole=True).without_empty()


def _interval(one: KnownFacts) -> Text:
    """The ends of the interval of the typical share, where it has any."""
    lower, upper = share(one.typical_lower), share(one.typical_upper)
    return "-" if lower == upper else say("span", lower=lower, upper=upper)


def _about_facts(found: Uniqueness) -> list[Text | None]:
    """How to read the table, and what it was made from."""
    drawn = [one for one in found.facts if not one.complete]
    history = found.known_records[0].attributes if found.known_records else 0
    sample = None
    if found.people_examined < found.people and found.together is not None and found.together.people:
        sample = _say("sample", people=number(found.people_examined), every=number(found.together.people))
    missing = None
    if found.missing_cells:
        missing = _say(f"missing_{found.missing}", cells=number(found.missing_cells))
    return [
        _say(f"read.facts_{found.unit}"),
        _say("read.drawn", sets=number(min(one.sets_drawn for one in drawn))) if drawn else None,
        _say("read.history", attributes=number(history)) if history else None,
        sample,
        missing,
        _say("read.error", probability=probability(found.chance_of_error)),
    ]


def _sizes(found: Together) -> Listing:
    """How many people are like others, as bars on a terminal."""
    bar = Column("", bar=True, priority=1)
    rows = tuple(
        (_span(band), number(band.classes), number(band.people), share(band.share), band.share)
        for band in found.sizes
    )
    return Listing((_head("size"), _head("classes"), _head("people"), _head("share"), bar), rows, whole=True)


def _draw_sizes(words: Words, bands: Sequence[SizeBand]) -> Drawing:
    """What share of the people is in classes of which size."""
    bars = [
        Bar(
            _span(band),
            band.share,
            _say("tip", people=number(band.people), classes=number(band.classes), sizes=_span(band)),
        )
        for band in bands
    ]
    return histogram(words, bars, _say("axis"))


def _span(band: SizeBand) -> Text:
    if band.most is None:
        return _say("or_more", least=number(band.least))
    if band.least == band.most:
        return number(band.least)
    return say("span", lower=number(band.least), upper=number(band.most))


def _left_out(found: Uniqueness) -> Sentence | None:
    """The columns that no set holds, with what they were taken for."""
    if not found.not_assessed:
        return None
    names = [
        _say("left_out_column", name=Data(one.column), role=say(f"roles.name.{one.role}"))
        for one in found.not_assessed[:_MOST_NAMES]
    ]
    more = len(found.not_assessed) - _MOST_NAMES
    every = joined(names)
    return _say("left_out", names=say("list", names=every, more=number(more)) if more > 0 else every)
