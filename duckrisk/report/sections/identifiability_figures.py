"""Draw the figures on records singled out: by ease, by attribute sets and by attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from duckrisk.base.numbers import (
    format_change,
    format_currency,
    format_ease,
    format_money,
    format_number,
    format_share,
)
from duckrisk.base.sentences import Amount, Data, JoinedTexts, Sentence, Text
from duckrisk.measures.identifiability.results import Identifiability, LevelledAttribute
from duckrisk.report.blocks import Column, Figure, Listing, number_column, text_column
from duckrisk.report.charts import Drawing, round_up
from duckrisk.report.drawings import Axis, Rung, draw_ladder
from duckrisk.report.words import Words

#: Ease; a record with more holds the name of its person (derived: attributes give 2 i(I), where i(I) is at
#: most 1; sql/identifiability/identifiability.sql).
NAMED_EASE = 2
#: Attribute sets in the figure (a choice: its table lists all of them).
MAX_SETS = 16


def _sentence(key: str, **values: Text) -> Sentence:
    return Sentence(f"identifiability.{key}", **values)


def _make_value_column(result: Identifiability, cell: Text, key: str = "value_in") -> Column:
    head, short = (
        _sentence(name, currency=format_currency(result.currency)) for name in (key, f"{key}.short")
    )
    return Column(head, numeric=True, short=short, cell=cell)


def _format_value(result: Identifiability, value: float | None) -> Text:
    """Format damages; "-" if too few columns have a level."""
    return Amount(value) if value is not None and result.has_leak else "-"


# --- how easily ----------------------------------------------------------------------------------


def plot_eases(result: Identifiability, description: Text) -> Figure:
    """Plot the number of records by ease."""
    reading = [_sentence("read.ease")]
    if result.distribution[-1].ease == 0:
        reading.append(_sentence("read.ease_grey"))
    return Figure(
        _sentence("eases"),
        lambda words: _draw_eases(words, result, description),
        Listing.of(
            result.distribution,
            lambda entry: (
                number_column("identifiability.ease", format_ease(entry.ease)),
                number_column("identifiability.records", format_number(entry.records)),
                Column("", bar=True, cell=entry.records / result.records),
                _make_value_column(result, _format_value(result, entry.value)),
            ),
            terminal_rows=10,
            sql=("distribution", "outcomes", "tier_ease"),
        ).drop_empty_columns(),
        tuple(reading),
    )


def _draw_eases(words: Words, result: Identifiability, description: Text) -> Drawing:
    """Draw the share of the records of each ease."""
    rungs = []
    for entry in result.distribution:
        counts = {"ease": format_ease(entry.ease), "records": format_number(entry.records)}
        value = format_money(entry.value, result.currency)
        tip = (
            _sentence("tip.ease", **counts, value=value)
            if result.has_leak
            else _sentence("tip.ease_alone", **counts)
        )
        bars = ((entry.records / result.records, "blue" if entry.ease > 0 else "grey"),)
        rungs.append(Rung(format_ease(entry.ease), bars, format_number(entry.records), tip=tip))
    legend = [("square", "blue", _sentence("legend.singled_out"))]
    if result.distribution[-1].ease == 0:
        legend.append(("square", "grey", _sentence("legend.not_singled_out")))
    axis = Axis(_sentence("axis.records"))
    return draw_ladder(words, rungs, axis, legend=legend, description=description)


# --- by which sets -------------------------------------------------------------------------------


def plot_sets(result: Identifiability, description: Text) -> Figure:
    """Plot the damages of a leak for the records that each attribute set singles out."""
    ranks = tuple((entry.value, entry.ease) for entry in result.sets)
    return Figure(
        _sentence("sets"),
        lambda words: _draw_sets(words, result, description),
        Listing.of(
            result.sets,
            lambda entry: (
                text_column("identifiability.set", JoinedTexts(tuple(map(Data, entry.attributes)))),
                number_column("identifiability.records", format_number(entry.records)),
                number_column("identifiability.ease", format_ease(entry.ease)),
                _make_value_column(result, Amount(entry.value)),
            ),
            terminal_rows=8,
            ranks=ranks,
            listed=result.sets_listed,
            sql=("set_values", "outcomes", "examine_sets"),
        ),
        (_sentence("read.sets"),),
    )


def _draw_sets(words: Words, result: Identifiability, description: Text) -> Drawing:
    drawn = result.sets[:MAX_SETS]
    rungs = []
    for entry in drawn:
        names = JoinedTexts(tuple(map(Data, entry.attributes)))
        value, records = format_money(entry.value, result.currency), format_number(entry.records)
        tip = _sentence("tip.set", names=names, records=records, value=value)
        label = _sentence("set_label", value=Amount(entry.value), records=records)
        rungs.append(Rung(names, ((entry.value, "blue"),), label, tip=tip))
    currency = format_currency(result.currency)
    highest = round_up(max(entry.value for entry in drawn) or 1.0)
    axis = Axis(_sentence("axis.value", currency=currency), 0.0, highest, _format_amount)
    drawing = draw_ladder(words, rungs, axis, description=description)
    drawing.entries_left_out = max(0, len(result.sets) - MAX_SETS)
    return drawing


def _format_amount(value: float) -> Text:
    return Amount(value, short=True)


# --- by which attributes -------------------------------------------------------------------------


def plot_parts(result: Identifiability, description: Text) -> Figure:
    """Plot the share of records singled out with each attribute.

    If it was measured, the fall of the damages without the attribute is drawn too.
    """
    entries = sorted(result.attributes, key=lambda entry: -entry.records_singled_out_with)
    if not result.has_leak:
        entries = [replace(entry, total_value_without=None, change_without=None) for entry in entries]
    reading = [_sentence("read.parts")]
    if any(entry.change_without is not None for entry in entries):
        reading.append(_sentence("read.parts_fall"))
    return Figure(
        _sentence("parts"),
        lambda words: _draw_parts(words, entries, description),
        Listing.of(
            entries,
            lambda entry: (
                text_column("identifiability.attribute", Data(entry.attribute)),
                number_column("identifiability.part", format_share(entry.share_of_singled_out)),
                Column("", bar=True, cell=entry.share_of_singled_out or 0.0),
                number_column(
                    "identifiability.records_with",
                    format_number(entry.records_singled_out_with),
                    short="identifiability.records_with.short",
                    priority=1,
                ),
                _make_value_column(result, _format_value(result, entry.total_value_without), "value_without"),
                number_column("identifiability.change", format_change(entry.change_without)),
            ),
            ranks=tuple(row.records_singled_out_with for row in entries),
            sql=("attribute_parts", "totals_without"),
        ).drop_empty_columns(),
        tuple(reading),
    )


def _draw_parts(words: Words, entries: Sequence[LevelledAttribute], description: Text) -> Drawing:
    legend = [("square", "blue", _sentence("legend.part"))]
    if any(entry.change_without is not None for entry in entries):
        legend.append(("diamond", "orange", _sentence("legend.fall")))
    rungs = []
    for entry in entries:
        fall = entry.change_without
        part = format_share(entry.share_of_singled_out)
        rungs.append(
            Rung(
                Data(entry.attribute),
                ((entry.share_of_singled_out or 0.0, "blue"),),
                part if fall is None else _sentence("part_label", part=part, fall=format_change(fall)),
                ((-fall, "diamond", "orange"),) if fall is not None else (),
            )
        )
    return draw_ladder(words, rungs, Axis(_sentence("axis.part")), legend=legend, description=description)
