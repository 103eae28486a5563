"""Make the section on the sizes of equivalence classes, and on the risks that follow from them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from duckrisk.base.numbers import format_number, format_probability, format_share
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.measures.disclosure.results import (
    Band,
    BelowSize,
    Calibration,
    ClassSizes,
    HouseholdRisk,
    IndividualRisk,
    JournalistRisk,
    PopulationUniqueness,
    SizesByRule,
)
from duckrisk.report.blocks import (
    Block,
    Figure,
    Heading,
    Listing,
    Paragraph,
    heading,
    number_column,
    paragraphs,
    text_column,
)
from duckrisk.report.charts import Drawing
from duckrisk.report.drawings import MIN_SHOWN, Axis, Curve, Rung, draw_ladder, draw_lines
from duckrisk.report.sections.disclosure import describe_rule
from duckrisk.report.words import Words

#: Demanded class sizes that are always listed, with those of the options.
_SHOWN_SIZES = (2, 3, 4, 5, 10, 20, 50, 100)
_MODELS = ("zayatz", "pitman", "snb")
#: The statements that count the classes of records, or of users.
_CLASSES_SQL = {"record": ("class_counts", "known_classes"), "user": ("class_user_counts", "class_profiles")}


def make_blocks(section: ClassSizes) -> list[Block]:
    """Make the section on class sizes."""
    chosen = section.chosen
    # Without missing values all rules give the same figures.
    rules = section.rules if section.missing_cells else (chosen,)
    headline = Sentence(
        "disclosure.sizes.first",
        k=format_number(chosen.smallest_class),
        alone=format_number(chosen.alone),
        records=format_number(chosen.records),
        share=format_share(chosen.share_alone),
        count=format_number(len(section.quasi_identifiers)),
        rule=describe_rule(chosen.missing),
    )
    return [
        heading("disclosure.class_sizes"),
        Paragraph(headline, "headline"),
        _list_quasi_identifiers(section),
        _compare_rules(rules, "record"),
        Paragraph(Sentence("disclosure.sizes.reading"), "reading"),
        *paragraphs([_describe_missing(section)]),
        *_plot_sizes(section, chosen),
        *_describe_users(section),
        *_describe_journalist_risk(section.journalist),
        *_describe_uniqueness(section.population_uniqueness),
        *_describe_individual_risk(section.individual, section.household),
    ]


def _describe_missing(section: ClassSizes) -> Text | None:
    if section.missing_cells is None:
        return None
    cells, records = format_number(section.missing_cells), format_number(section.incomplete_records)
    key = "missing" if section.missing_cells else "none_missing"
    return Sentence(f"disclosure.sizes.{key}", cells=cells, records=records)


def _list_quasi_identifiers(section: ClassSizes) -> Listing:
    return Listing.of(
        section.quasi_identifiers,
        lambda entry: (
            text_column("disclosure.quasi_identifier", Data(entry.column)),
            text_column("disclosure.reason", entry.reason),
        ),
    )


def _compare_rules(entries: Sequence[SizesByRule], unit: str) -> Listing:
    return Listing.of(
        entries,
        lambda entry: (
            text_column("disclosure.missing", entry.missing),
            number_column("disclosure.k", format_number(entry.smallest_class)),
            number_column("disclosure.classes", format_number(entry.classes)),
            number_column(f"disclosure.alone.{unit}", format_number(entry.alone)),
            number_column("disclosure.share", format_share(entry.share_alone)),
            number_column("disclosure.highest", format_probability(entry.highest_risk)),
            number_column("disclosure.mean_risk", format_probability(entry.average_risk)),
        ),
        sql=("reidentification_risk", *_CLASSES_SQL[unit]),
    )


def _list_lost_records(entry: SizesByRule) -> Listing:
    demanded = {row.class_size for row in entry.below} | set(_SHOWN_SIZES)
    by_size = {row.class_size: row for row in (*entry.lost, *entry.below)}
    sizes = sorted(demanded & by_size.keys())
    # The first size that loses all records is the last row.
    last = next((position for position, size in enumerate(sizes) if by_size[size].share == 1), len(sizes))
    return _list_below([by_size[size] for size in sizes[: last + 1]], "demanded", f"lost.{entry.unit}")


def _list_below(entries: Sequence[BelowSize], size: str, records: str) -> Listing:
    return Listing.of(
        entries,
        lambda row: (
            number_column(f"disclosure.{size}", format_number(row.class_size)),
            number_column(f"disclosure.{records}", format_number(row.records)),
            number_column("disclosure.share", format_share(row.share)),
        ),
        sql=("class_thresholds",),
    )


def _list_bands(entry: SizesByRule) -> Listing:
    return Listing.of(
        entry.distribution,
        lambda band: (
            number_column(f"disclosure.in_class.{entry.unit}", _format_band(band)),
            number_column("disclosure.classes", format_number(band.classes)),
            number_column(f"disclosure.units.{entry.unit}", format_number(band.records)),
            number_column("disclosure.share", format_share(band.share)),
        ),
        sql=("class_bands",),
    )


def _describe_users(section: ClassSizes) -> list[Block]:
    if not section.users:
        return []
    chosen = next((entry for entry in section.users if entry.missing == section.missing), section.users[0])
    several = bool(section.missing_cells) and len(section.users) > 1
    sentence = Sentence(
        "disclosure.sizes.users",
        alone=format_number(chosen.alone),
        users=format_number(chosen.records),
        share=format_share(chosen.share_alone),
        rule=describe_rule(chosen.missing),
    )
    return [
        Heading(Sentence("disclosure.sizes.users_head"), 3),
        Paragraph(sentence),
        *paragraphs([Sentence("disclosure.sizes.users_rules")] if several else []),
        _compare_rules(section.users if section.missing_cells else (chosen,), "user"),
        _list_lost_records(chosen),
        _list_bands(chosen),
    ]


def _describe_journalist_risk(risk: JournalistRisk | None) -> list[Block]:
    if risk is None:
        return []
    sentence = Sentence(
        f"disclosure.journalist.{risk.by}",
        people=_format_people(risk.people),
        records=format_number(risk.records),
        highest=format_probability(risk.highest_risk),
        mean=format_probability(risk.average_risk),
        marketer=format_probability(risk.marketer_risk),
        k_map=_format_people(risk.k_map),
    )
    parts: list[Block] = [Heading(Sentence("disclosure.journalist.head"), 3), Paragraph(sentence)]
    if risk.delta_max is not None:
        ends = {"least": format_share(risk.delta_min), "most": format_share(risk.delta_max)}
        parts.append(Paragraph(Sentence("disclosure.journalist.delta", **ends)))
    if risk.records_beyond:
        records = format_number(risk.records_beyond)
        parts.append(Paragraph(Sentence("disclosure.journalist.beyond", records=records), "warning"))
    return [*parts, _list_below(risk.below, "people_below", "units.record")]


def _format_people(value: float | None) -> str:
    return format_number(int(value) if value is not None and value == int(value) else value)


def _describe_uniqueness(uniqueness: PopulationUniqueness | None) -> list[Block]:
    if uniqueness is None:
        return []
    sample = Sentence(
        "disclosure.uniqueness.told",
        records=format_number(uniqueness.records),
        fraction=format_share(uniqueness.fraction),
        people=_format_people(uniqueness.people),
    )
    if uniqueness.dankar_model is None:
        dankar = Sentence("disclosure.uniqueness.nobody")
    else:
        model = Sentence(f"disclosure.uniqueness.{uniqueness.dankar_model}")
        dankar = Sentence("disclosure.uniqueness.dankar", model=model, share=format_share(uniqueness.dankar))
    ewens = Sentence("disclosure.uniqueness.ewens") if uniqueness.pitman_alpha == 0 else None
    shares_of = zip(_MODELS, (uniqueness.zayatz, uniqueness.pitman, uniqueness.snb), strict=True)
    models = Listing.of(
        shares_of,
        lambda row: (
            text_column("disclosure.model", Sentence(f"disclosure.uniqueness.{row[0]}")),
            number_column("disclosure.unique_people", _format_unique(row[1])),
        ),
        sql=("population_uniqueness",),
    )
    return [
        Heading(Sentence("disclosure.uniqueness.head"), 3),
        *paragraphs([sample, dankar, ewens]),
        models,
        *paragraphs([_describe_kappa(uniqueness)]),
        *_plot_calibration(uniqueness.calibration),
    ]


def _describe_kappa(uniqueness: PopulationUniqueness) -> Sentence | None:
    if uniqueness.kappa is None:
        return None
    ends = None
    if uniqueness.calibration and uniqueness.kappa_lower is not None:
        ends = Sentence(
            "disclosure.uniqueness.kappa_ends",
            lower=format_share(uniqueness.kappa_lower),
            upper=format_share(uniqueness.kappa_upper),
        )
    kappa = Sentence("disclosure.uniqueness.kappa", share=format_share(uniqueness.kappa))
    return kappa if ends is None else Sentence("two", first=kappa, second=ends)


def _plot_calibration(calibration: Sequence[Calibration]) -> list[Block]:
    """Plot what samples of the table estimate, and the truth."""
    if not calibration:
        return []
    listed = Listing.of(
        calibration,
        lambda entry: (
            number_column("disclosure.sample", format_share(entry.fraction)),
            number_column("disclosure.sample_records", format_number(entry.fewest_records)),
            number_column("disclosure.estimate", _format_unique(entry.kappa)),
            number_column("disclosure.lowest_estimate", _format_unique(entry.kappa_lowest)),
            number_column("disclosure.highest_estimate", _format_unique(entry.kappa_highest)),
            number_column("disclosure.truth", format_share(entry.truth)),
        ),
        sql=("calibration",),
    )
    reading = Sentence(
        "disclosure.calibration.reading",
        draws=format_number(max(entry.draws for entry in calibration)),
        truth=format_share(calibration[0].truth),
    )
    title = Sentence("disclosure.calibration.title")
    if sum(entry.kappa is not None for entry in calibration) < 2:
        return [listed, Paragraph(reading, "reading")]
    return [
        Figure(title, lambda words: _draw_calibration(words, calibration), listed),
        Paragraph(reading, "reading"),
    ]


def _format_unique(part: float | None) -> Text:
    return Sentence("disclosure.uniqueness.unsolved") if part is None else format_share(part)


def _describe_individual_risk(
    individual: IndividualRisk | None, household: HouseholdRisk | None
) -> list[Block]:
    if individual is None and household is None:
        return []
    texts: list[Text | None] = []
    if individual is not None:
        texts.append(
            Sentence(
                f"disclosure.individual.{individual.by}",
                mean=format_probability(individual.average_risk),
                highest=format_probability(individual.highest_risk),
                expected=_format_expected(individual.expected_found),
                records=format_number(individual.records),
                exact=format_probability(individual.average_exact_risk),
            )
        )
        if individual.unweighted_records:
            unweighted = format_number(individual.unweighted_records)
            texts.append(Sentence("disclosure.individual.unweighted", records=unweighted))
    if household is not None:
        texts.append(
            Sentence(
                "disclosure.individual.household",
                households=format_number(household.households),
                mean=format_probability(household.average_risk),
                highest=format_probability(household.highest_risk),
            )
        )
    return [Heading(Sentence("disclosure.individual.head"), 3), *paragraphs(texts)]


def _format_expected(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.1f}" if value >= 10 else f"{value:.2g}"


# --- figures -------------------------------------------------------------------------------------

_Curves = Sequence[tuple[Text, Sequence[BelowSize]]]


def _plot_sizes(section: ClassSizes, chosen: SizesByRule) -> list[Block]:
    """Plot the records lost at each demanded k, and the sizes of the classes."""
    if not chosen.records:
        return []
    curves = _list_curves(section, chosen)
    bands = _list_bands(chosen)
    if max(band.share or 0.0 for band in chosen.distribution) > 1 - MIN_SHOWN:
        return [_list_lost_records(chosen), bands]  # one bar would be the whole figure
    return [
        Figure(
            Sentence("disclosure.lost.title"),
            lambda words: _draw_lost_records(words, curves),
            _list_lost_records(chosen),
            (Sentence("disclosure.lost.reading"),),
        ),
        Figure(
            Sentence("disclosure.bands.title"),
            lambda words: _draw_bands(words, chosen.distribution),
            bands,
            (Sentence("disclosure.bands.reading"),),
        ),
    ]


def _list_curves(section: ClassSizes, chosen: SizesByRule) -> _Curves:
    """List the curves: one for each rule for missing values, one for users.

    Rules that give the same figures share a curve.
    """
    others = [entry for entry in section.rules if entry is not chosen] if section.missing_cells else []
    curves: list[tuple[Text, Sequence[BelowSize]]] = [
        (
            Sentence("disclosure.curve.missing", rule=row.missing)
            if others
            else Sentence("disclosure.curve.records"),
            row.lost,
        )
        for row in (chosen, *others)
    ]
    users = [entry for entry in section.users or () if entry.missing == section.missing]
    return curves + [(Sentence("disclosure.curve.users"), entry.lost) for entry in users]


def _draw_lost_records(words: Words, curves: _Curves) -> Drawing:
    """Draw the share of the table lost at each demanded k, a curve for each rule."""
    largest = max(row.class_size for _, rows in curves for row in rows)
    drawn = [
        Curve(name, ((0.0, 0.0), *((math.log10(row.class_size or 1), row.share or 0.0) for row in rows)))
        for name, rows in curves
    ]
    sizes = tuple(math.log10(size) for size in _choose_grid_sizes(largest))
    across = Axis(Sentence("disclosure.demanded"), 0.0, math.log10(largest), _format_power, sizes)
    up = Axis(Sentence("disclosure.share"))
    return draw_lines(words, drawn, across, up, description=Sentence("disclosure.lost.title"))


def _draw_calibration(words: Words, calibration: Sequence[Calibration]) -> Drawing:
    """Draw the estimates by the size of samples, and the truth."""
    drawn = [
        Curve(
            Sentence(f"disclosure.{name}"),
            tuple(
                (math.log10(entry.fraction), share)
                for entry in calibration
                if (share := getattr(entry, field)) is not None
            ),
        )
        for name, field in (
            ("truth", "truth"),
            ("estimate", "kappa"),
            ("lowest_estimate", "kappa_lowest"),
            ("highest_estimate", "kappa_highest"),
        )
    ]
    places = tuple(math.log10(entry.fraction) for entry in calibration)
    across = Axis(
        Sentence("disclosure.sample"), places[0], places[-1], lambda place: format_share(10**place), places
    )
    title = Sentence("disclosure.calibration.title")
    return draw_lines(words, drawn, across, Axis(Sentence("disclosure.kappa")), description=title)


def _format_power(power: float) -> str:
    return format_number(round(10**power))


def _choose_grid_sizes(most: int) -> list[int]:
    """Choose the sizes with a grid line: 1, 2, 5, 10 and so on, and the largest."""
    sizes = [lead * 10**power for power in range(len(str(most))) for lead in (1, 2, 5)]
    return [*(size for size in sizes if size <= most / 1.3), most]


def _draw_bands(words: Words, bands: Sequence[Band]) -> Drawing:
    """Draw the share of the records by the size of their class."""
    rungs = [
        Rung(
            _format_band(band),
            ((band.share or 0.0, "blue"),),
            format_share(band.share),
            tip=Sentence(
                "disclosure.bands.tip",
                records=format_number(band.records),
                classes=format_number(band.classes),
                sizes=_format_band(band),
            ),
        )
        for band in bands
    ]
    axis = Axis(Sentence("disclosure.bands.axis"))
    return draw_ladder(words, rungs, axis, description=Sentence("disclosure.bands.title"))


def _format_band(band: Band) -> Text:
    """Format the sizes of a band as one number or a range."""
    if band.least == band.most:
        return format_number(band.least)
    return Sentence("to", lower=format_number(band.least), upper=format_number(band.most))
