"""Make the section on people singled out by few facts."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.base.numbers import format_number, format_probability, format_share
from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.measures.uniqueness.results import KnownFacts, KnownHistory, SizeBand, Together, Uniqueness
from duckrisk.report.blocks import (
    Block,
    Column,
    Figure,
    Heading,
    Listing,
    Paragraph,
    number_column,
    paragraphs,
)
from duckrisk.report.charts import Drawing
from duckrisk.report.drawings import MIN_SHOWN, Axis, Rung, draw_ladder, has_visible_bar
from duckrisk.report.sections.disclosure import join_attributes
from duckrisk.report.words import Words

#: Columns that a sentence names (a choice: it then takes about three lines).
_MAX_NAMES = 10


def make_blocks(result: Uniqueness) -> list[Block]:
    """Make the section on people singled out by few facts."""
    parts: list[Block] = [
        Heading(_sentence("title"), 2, "uniqueness"),
        Paragraph(write_headline(result), "headline"),
    ]
    if result.facts:
        parts += [_list_facts(result), *paragraphs(_explain_facts(result), "reading")]
    if result.all_attributes is not None:
        bands = result.all_attributes.sizes
        listed = _list_sizes(result.all_attributes)
        is_telling = max(band.share or 0.0 for band in bands) <= 1 - MIN_SHOWN if bands else False
        sizes = Figure("", lambda words: _draw_sizes(words, bands), listed) if is_telling else listed
        parts += [Heading(_sentence("sizes"), 3), sizes, Paragraph(_sentence("read.sizes"), "reading")]
    return parts + paragraphs([_describe_left_out(result)])


def plot_facts(result: Uniqueness | None) -> list[Figure]:
    """Plot the share of people that one to four facts and all attributes single out.

    Args:
        result: The measurement; None if there is none.

    Returns:
        A figure, or none if no bar would be visible.
    """
    rungs = _make_fact_rungs(result) if result is not None else []
    if result is None or not has_visible_bar(rungs):
        return []

    def draw(words: Words) -> Drawing:
        legend = [("square", "blue", _sentence("typical")), ("diamond", "orange", _sentence("worst"))]
        axis, title = Axis(_sentence("singled_out")), _sentence("picture")
        return draw_ladder(words, rungs, axis, legend=legend, description=title, small=True)

    reading = (_sentence("read.picture"),)
    return [Figure(_sentence("picture"), draw, _list_facts(result), reading, only_drawn=True)]


def _make_fact_rungs(result: Uniqueness) -> list[Rung]:
    rungs = [
        Rung(
            _sentence("known", facts=format_number(row.facts)),
            ((row.typical, "blue"),),
            _sentence("shares", typical=format_share(row.typical), worst=_format_worst(row)),
            ((row.worst.share, "diamond", "orange"),),
        )
        for row in result.facts
    ]
    whole, count = result.all_attributes, len(result.attributes)
    if whole is not None and count > len(rungs):
        name = _sentence("known_all", attributes=format_number(count))
        rungs.append(Rung(name, ((whole.share, "blue"),), format_share(whole.share)))
    return rungs


def write_headline(result: Uniqueness) -> Sentence:
    """Say how many people all attributes single out, and how many three do."""
    by_all = result.all_attributes
    if by_all is None:
        return _sentence("nothing")
    if not result.attributes:
        return _sentence("unknown", people=format_number(result.people))
    key = "nobody" if not by_all.people else "every" if by_all.people == result.people else "some"
    whole = _sentence(
        f"{key}_{result.unit}",
        singled_out=format_number(by_all.people),
        people=format_number(result.people),
        share=format_share(by_all.share),
        records=format_number(by_all.records),
        share_of_records=format_share(by_all.share_of_records),
        k=format_number(by_all.smallest_class),
        attributes=format_number(len(result.attributes)),
    )
    row = next((row for row in reversed(result.facts) if row.facts <= 3), None)
    if row is None or not by_all.people:
        return whole
    key = "in_short" if row.complete else "in_short_least"
    few = _sentence(
        key,
        facts=format_number(row.facts),
        typical=format_share(row.typical),
        worst=format_share(row.worst.share),
        names=_quote_names(row),
    )
    return Sentence("two", first=whole, second=few)


def _sentence(key: str, **values: Text) -> Sentence:
    return Sentence(f"uniqueness.{key}", **values)


def _number_column(key: str, cell: Text, *, priority: int = 0) -> Column:
    return number_column(f"uniqueness.{key}", cell, priority=priority)


def _quote_names(row: KnownFacts) -> Text:
    return join_texts(Sentence("roles.quoted", name=Data(name)) for name in row.worst.attributes)


def _list_facts(result: Uniqueness) -> Listing:
    """List what each number of known facts reveals.

    Facts are attributes of one record, or records by one attribute.
    """
    history = {entry.records: entry for entry in result.known_records}
    return Listing.of(
        result.facts,
        lambda row: (
            _number_column("facts", format_number(row.facts)),
            _number_column("typical", format_share(row.typical)),
            _number_column("interval", _format_interval(row), priority=2),
            _number_column("worst", _format_worst(row)),
            Column(_sentence("worst_set"), min_width=26, cell=join_attributes(row.worst.attributes)),
            _number_column(
                "of_records",
                format_share(row.typical_of_records) if result.unit == "user" else "-",
                priority=3,
            ),
            *_make_history_columns(history.get(row.facts)),
            _number_column(
                "sets", f"{format_number(row.sets_examined)} / {format_number(row.sets_possible)}", priority=5
            ),
        ),
        whole=True,
        sql=("facts_known", "typical_share", "sure_share", "facts_of_histories"),
    ).drop_empty_columns()


def _format_worst(row: KnownFacts) -> Text:
    worst = format_share(row.worst.share)
    return worst if row.complete else _sentence("least", share=worst)


def _make_history_columns(entry: KnownHistory | None) -> tuple[Column, ...]:
    return (
        _number_column("history", format_share(entry.typical) if entry else "-", priority=1),
        _number_column("worst_history", format_share(entry.worst) if entry else "-", priority=4),
    )


def _format_interval(row: KnownFacts) -> Text:
    """Format the interval of the typical share; "-" if the share is exact."""
    lower, upper = format_share(row.typical_lower), format_share(row.typical_upper)
    return "-" if lower == upper else Sentence("span", lower=lower, upper=upper)


def _explain_facts(result: Uniqueness) -> list[Text | None]:
    """Explain how to read the table, and what it was computed from."""
    drawn = [row for row in result.facts if not row.complete]
    history = result.known_records[0].attributes if result.known_records else 0
    sample = None
    if (
        result.people_examined < result.people
        and result.all_attributes is not None
        and result.all_attributes.people
    ):
        sample = _sentence(
            "sample",
            people=format_number(result.people_examined),
            every=format_number(result.all_attributes.people),
        )
    missing = None
    if result.missing_cells:
        missing = _sentence(f"missing_{result.missing}", cells=format_number(result.missing_cells))
    return [
        _sentence(f"read.facts_{result.unit}"),
        _sentence("read.drawn", sets=format_number(min(row.sets_drawn for row in drawn))) if drawn else None,
        _sentence("read.history", attributes=format_number(history)) if history else None,
        sample,
        missing,
        _sentence("read.error", probability=format_probability(result.chance_of_error)),
    ]


def _list_sizes(together: Together) -> Listing:
    """List the sizes of the classes of people with equal values."""
    return Listing.of(
        together.sizes,
        lambda band: (
            _number_column("size", _format_band(band)),
            _number_column("classes", format_number(band.classes)),
            _number_column("people", format_number(band.people)),
            _number_column("share", format_share(band.share)),
            Column("", bar=True, priority=1, cell=band.share),
        ),
        whole=True,
        sql=("facts_together",),
    )


def _draw_sizes(words: Words, bands: Sequence[SizeBand]) -> Drawing:
    """Draw the share of the people by the size of their class."""
    rungs = [
        Rung(
            _format_band(band),
            ((band.share or 0.0, "blue"),),
            format_share(band.share),
            tip=_sentence(
                "tip",
                people=format_number(band.people),
                classes=format_number(band.classes),
                sizes=_format_band(band),
            ),
        )
        for band in bands
    ]
    return draw_ladder(words, rungs, Axis(_sentence("axis")), description=_sentence("sizes"))


def _format_band(band: SizeBand) -> Text:
    if band.most is None:
        return _sentence("or_more", least=format_number(band.least))
    if band.least == band.most:
        return format_number(band.least)
    return Sentence("span", lower=format_number(band.least), upper=format_number(band.most))


def _describe_left_out(result: Uniqueness) -> Sentence | None:
    """Name the columns that are in no set, with their roles."""
    if not result.not_assessed:
        return None
    names = [
        _sentence("left_out_column", name=Data(entry.column), role=Sentence(f"roles.name.{entry.role}"))
        for entry in result.not_assessed[:_MAX_NAMES]
    ]
    more = len(result.not_assessed) - _MAX_NAMES
    joined = join_texts(names)
    shortened = Sentence("list", names=joined, more=format_number(more)) if more > 0 else joined
    return _sentence("left_out", names=shortened)
