"""What is told of class sizes, and of what an attacker finds by them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from duckrisk.disclosure.results import (
    Band,
    BelowSize,
    ClassSizes,
    HouseholdRisk,
    IndividualRisk,
    JournalistRisk,
    PopulationUniqueness,
    SizesByRule,
)
from duckrisk.numbers import number, probability, share
from duckrisk.report.blocks import (
    Block,
    Figure,
    Heading,
    Listing,
    Paragraph,
    column,
    head,
    numbers,
    paragraphs,
)
from duckrisk.report.charts import BARS, Bar, Drawing, histogram, round_up, shares
from duckrisk.report.sections.disclosure import rule
from duckrisk.report.words import Words
from duckrisk.sentences import Data, Text, say

_LEFT, _RIGHT, _TOP, _BOTTOM = BARS
#: Each curve differs from the others by its colour or its dashes.
_CURVES = tuple((colour, dash) for dash in ("solid", "dash") for colour in ("blue", "orange", "grey"))
#: The demanded sizes that are told of, apart from those asked for.
_TOLD = (2, 3, 4, 5, 10, 20, 50, 100)
_MODELS = ("zayatz", "pitman", "snb")


def blocks(found: ClassSizes) -> list[Block]:
    """The section on class sizes."""
    chosen = found.chosen
    # Without a missing cell all rules say the same.
    rules = found.rules if found.missing_cells else (chosen,)
    first = say(
        "disclosure.sizes.first",
        k=number(chosen.smallest_class),
        alone=number(chosen.alone),
        records=number(chosen.records),
        share=share(chosen.share_alone),
        count=number(len(found.quasi_identifiers)),
        rule=rule(chosen.missing),
    )
    return [
        head("disclosure.class_sizes"),
        Paragraph(first, "headline"),
        _why(found),
        _rules(rules, "record"),
        Paragraph(say("disclosure.sizes.reading"), "reading"),
        *paragraphs([_missing(found)]),
        *_curve(found, chosen),
        *_users(found),
        *_journalist(found.journalist),
        *_uniqueness(found.population_uniqueness),
        *_individual(found.individual, found.household),
    ]


def _missing(found: ClassSizes) -> Text | None:
    if found.missing_cells is None:
        return None
    cells, records = number(found.missing_cells), number(found.incomplete_records)
    key = "missing" if found.missing_cells else "none_missing"
    return say(f"disclosure.sizes.{key}", cells=cells, records=records)


def _why(found: ClassSizes) -> Listing:
    rows = tuple((Data(one.column), one.reason) for one in found.quasi_identifiers)
    return Listing((column("disclosure.quasi_identifier"), column("disclosure.reason")), rows)


def _rules(entries: Sequence[SizesByRule], unit: str) -> Listing:
    rows = tuple(
        (
            one.missing,
            number(one.smallest_class),
            number(one.classes),
            number(one.alone),
            share(one.share_alone),
            probability(one.highest_risk),
            probability(one.average_risk),
        )
        for one in entries
    )
    columns = (
        column("disclosure.missing"),
        numbers("disclosure.k"),
        numbers("disclosure.classes"),
        numbers(f"disclosure.alone.{unit}"),
        numbers("disclosure.share"),
        numbers("disclosure.highest"),
        numbers("disclosure.mean_risk"),
    )
    return Listing(columns, rows)


def _lost(entry: SizesByRule) -> Listing:
    told = {row.class_size for row in entry.below} | set(_TOLD)
    every = {row.class_size: row for row in (*entry.lost, *entry.below)}
    sizes = sorted(told & every.keys())
    # More than all cannot be lost.
    last = next((place for place, size in enumerate(sizes) if every[size].share == 1), len(sizes))
    return _below([every[size] for size in sizes[: last + 1]], "demanded", f"lost.{entry.unit}")


def _below(entries: Sequence[BelowSize], size: str, records: str) -> Listing:
    rows = tuple((number(one.class_size), number(one.records), share(one.share)) for one in entries)
    keys = (size, records, "share")
    return Listing(tuple(numbers(f"disclosure.{key}") for key in keys), rows)


def _distribution(entry: SizesByRule) -> Listing:
    rows = tuple(
        (_named(band), number(band.classes), number(band.records), share(band.share))
        for band in entry.distribution
    )
    keys = (f"in_class.{entry.unit}", "classes", f"units.{entry.unit}", "share")
    return Listing(tuple(numbers(f"disclosure.{key}") for key in keys), rows)


def _users(found: ClassSizes) -> list[Block]:
    if not found.users:
        return []
    first = next((one for one in found.users if one.missing == found.missing), found.users[0])
    several = bool(found.missing_cells) and len(found.users) > 1
    told = say(
        "disclosure.sizes.users",
        alone=number(first.alone),
        users=number(first.records),
        share=share(first.share_alone),
        rule=rule(first.missing),
    )
    return [
        Heading(say("disclosure.sizes.users_head"), 3),
        Paragraph(told),
        *paragraphs([say("disclosure.sizes.users_rules")] if several else []),
        _rules(found.users if found.missing_cells else (first,), "user"),
        _lost(first),
        _distribution(first),
    ]


def _journalist(found: JournalistRisk | None) -> list[Block]:
    if found is None:
        return []
    told = say(
        f"disclosure.journalist.{found.by}",
        people=_people(found.people),
        records=number(found.records),
        highest=probability(found.highest_risk),
        mean=probability(found.average_risk),
        marketer=probability(found.marketer_risk),
        k_map=_people(found.k_map),
    )
    made: list[Block] = [Heading(say("disclosure.journalist.head"), 3), Paragraph(told)]
    if found.delta_most is not None:
        ends = {"least": share(found.delta_least), "most": share(found.delta_most)}
        made.append(Paragraph(say("disclosure.journalist.delta", **ends)))
    if found.records_beyond:
        beyond = number(found.records_beyond)
        made.append(Paragraph(say("disclosure.journalist.beyond", records=beyond), "warning"))
    return [*made, _below(found.below, "people_below", "units.record")]


def _people(value: float | None) -> str:
    return number(int(value) if value is not None and value == int(value) else value)


def _uniqueness(found: PopulationUniqueness | None) -> list[Block]:
    if found is None:
        return []
    told = say(
        "disclosure.uniqueness.told",
        records=number(found.records),
        fraction=share(found.fraction),
        people=_people(found.people),
    )
    if found.dankar_model is None:
        dankar = say("disclosure.uniqueness.nobody")
    else:
        model = say(f"disclosure.uniqueness.{found.dankar_model}")
        dankar = say("disclosure.uniqueness.dankar", model=model, share=share(found.dankar))
    ewens = say("disclosure.uniqueness.ewens") if found.pitman_alpha == 0 else None
    rows = tuple(
        (
            say(f"disclosure.uniqueness.{model}"),
            say("disclosure.uniqueness.unsolved") if part is None else share(part),
        )
        for model, part in zip(_MODELS, (found.zayatz, found.pitman, found.snb), strict=True)
    )
    columns = (column("disclosure.model"), numbers("disclosure.unique_people"))
    return [
        Heading(say("disclosure.uniqueness.head"), 3),
        *paragraphs([told, dankar, ewens]),
        Listing(columns, rows),
    ]


def _individual(found: IndividualRisk | None, household: HouseholdRisk | None) -> list[Block]:
    if found is None and household is None:
        return []
    told: list[Text | None] = []
    if found is not None:
        told.append(
            say(
                f"disclosure.individual.{found.by}",
                mean=probability(found.average_risk),
                highest=probability(found.highest_risk),
                expected=_expected(found.expected_found),
                records=number(found.records),
                exact=probability(found.average_exact_risk),
            )
        )
        if found.unweighted_records:
            told.append(say("disclosure.individual.unweighted", records=number(found.unweighted_records)))
    if household is not None:
        told.append(
            say(
                "disclosure.individual.household",
                households=number(household.households),
                mean=probability(household.average_risk),
                highest=probability(household.highest_risk),
            )
        )
    return [Heading(say("disclosure.individual.head"), 3), *paragraphs(told)]


def _expected(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.1f}" if value >= 10 else f"{value:.2g}"


# --- figures -------------------------------------------------------------------------------------

_Curves = Sequence[tuple[Text, Sequence[BelowSize]]]


def _curve(found: ClassSizes, chosen: SizesByRule) -> list[Block]:
    """What a demanded k costs, and how large the classes are."""
    if not chosen.records:
        return []
    curves = _curves(found, chosen)
    return [
        Figure(
            say("disclosure.lost.title"),
            lambda words: _draw_lost(words, curves),
            _lost(chosen),
            (say("disclosure.lost.reading"),),
        ),
        Figure(
            say("disclosure.bands.title"),
            lambda words: _draw_bands(words, chosen.distribution),
            _distribution(chosen),
            (say("disclosure.bands.reading"),),
        ),
    ]


def _curves(found: ClassSizes, chosen: SizesByRule) -> _Curves:
    """What is lost by each rule for missing cells, where they differ, and of users."""
    others = [one for one in found.rules if one is not chosen] if found.missing_cells else []
    curves: list[tuple[Text, Sequence[BelowSize]]] = [
        (
            say("disclosure.curve.missing", rule=one.missing) if others else say("disclosure.curve.records"),
            one.lost,
        )
        for one in (chosen, *others)
    ]
    users = [one for one in found.users or () if one.missing == found.missing]
    return curves + [(say("disclosure.curve.users"), one.lost) for one in users]


def _draw_lost(words: Words, curves: _Curves) -> Drawing:
    """The share of the table that is lost if a k is demanded, a curve for each way of counting."""
    drawing = Drawing(words)
    most = max(row.class_size for _, rows in curves for row in rows)
    top = round_up(max([0.04, *(row.share or 0.0 for _, rows in curves for row in rows)]))

    def x_of(size: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * math.log(size) / math.log(most)

    def y_of(part: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * part / top

    shares(drawing, top)
    for size in _sizes(most):
        drawing.line("grid", x_of(size), _TOP, x_of(size), _BOTTOM)
        drawing.label(number(size), x_of(size), _BOTTOM + 17, "t m", "middle")
    drawing.label(say("disclosure.demanded"), _RIGHT, _BOTTOM + 36, "t m", "end")
    x = _LEFT
    for (name, rows), (colour, dash) in zip(curves, _CURVES, strict=False):
        points = [(1, 0.0), *((row.class_size, row.share or 0.0) for row in rows)]
        drawn = " ".join(f"{x_of(size):.1f},{y_of(part):.1f}" for size, part in points)
        drawing.add("polyline", f"{colour}-line {dash}", points=drawn)
        if len(curves) > 1:
            drawing.legend([(dash, f"{colour}-line {dash}", name)], x + 8, 18)
            x += 220
    drawing.height = _BOTTOM + 44
    return drawing


def _sizes(most: int) -> list[int]:
    """Sizes with a line of the grid: 1, 2, 5, 10 and so on, and the largest."""
    found = [lead * 10**power for power in range(len(str(most))) for lead in (1, 2, 5)]
    return [*(size for size in found if size <= most / 1.3), most]


def _draw_bands(words: Words, bands: Sequence[Band]) -> Drawing:
    """What share of the records is in classes of which size."""
    bars = [
        Bar(
            _short(band.least),
            band.share or 0.0,
            say(
                "disclosure.bands.tip",
                records=number(band.records),
                classes=number(band.classes),
                sizes=_named(band),
            ),
        )
        for band in bands
    ]
    return histogram(words, bars, say("disclosure.bands.axis"))


def _named(band: Band) -> Text:
    """The sizes of a band."""
    if band.least == band.most:
        return number(band.least)
    return say("to", lower=number(band.least), upper=number(band.most))


def _short(count: int) -> str:
    """A round number as it fits below a bar."""
    if count >= 1_000_000:
        return f"{count // 1_000_000}M"
    return f"{count // 1_000}k" if count >= 10_000 else number(count)
