"""What is told of special uniques."""

from __future__ import annotations

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.measures.disclosure.results import Unit
from duckrisk.measures.disclosure.set_results import Suda, SudaByRule, UniquesOfAttribute
from duckrisk.report.blocks import Block, Column, Listing, Paragraph, column, head, numbers, paragraphs
from duckrisk.report.sections.disclosure import at_least, attribute_set, compared, rule_of_sets

#: Records that are listed.
_MOST = 10


def blocks(suda: Suda) -> list[Block]:
    """The section on special uniques."""
    unit = suda.unit
    cut = suda.limit == "time_limit"
    first = Sentence(
        f"disclosure.suda.first_{unit}",
        units=format_number(suda.persons),
        scored=at_least(suda.scored, cut),
        share=format_share(suda.scored_share),
        uniques=at_least(suda.minimal_uniques, cut),
    )
    sizes = Sentence(
        f"disclosure.suda.looked_{suda.limit}" if suda.limit else "disclosure.suda.looked",
        count=format_number(suda.max_size),
        rule=rule_of_sets(suda.missing_mode),
    )
    parts: list[Block] = [
        head("disclosure.suda"),
        Paragraph(first, "headline"),
        Paragraph(sizes),
        *compared(
            suda,
            (suda.in_short(), *suda.other_rules),
            lambda entry: _figures(entry, unit),
            ("suda_totals",),
        ),
    ]
    if not suda.scored:
        return parts
    parts += paragraphs([_score_told(suda), _dis(suda)])
    parts += [_sizes(suda), _contributions(suda)]
    parts.append(Paragraph(Sentence("disclosure.suda.contribution"), "reading"))
    parts += [_values(entry) for entry in suda.contributions if entry.values]
    return [*parts, _highest(suda)]


def _figures(entry: SudaByRule, unit: Unit) -> tuple[Column, ...]:
    """The figures of a rule for missing cells."""
    cut = entry.limit == "time_limit"
    return (
        numbers(f"disclosure.units.{unit}", at_least(entry.scored, cut)),
        numbers("disclosure.share", format_share(entry.scored_share)),
        numbers("disclosure.minimal_uniques", at_least(entry.minimal_uniques, cut)),
    )


def _score_told(suda: Suda) -> Text:
    return Sentence(
        f"disclosure.suda.score_{suda.unit}",
        how=Sentence(f"disclosure.suda.{suda.scores}"),
        highest=_score(suda.score_max),
    )


def _dis(suda: Suda) -> Text | None:
    if suda.dis_max is not None:
        return Sentence(
            f"disclosure.suda.dis_{'given' if suda.fraction_given else 'assumed'}",
            highest=f"{suda.dis_max:.4g}",
            mean=f"{suda.dis_mean:.4g}",
            fraction=format_share(suda.fraction),
        )
    return Sentence(f"disclosure.suda.no_dis_{suda.why_no_dis}") if suda.why_no_dis is not None else None


def _score(score: float | None) -> str:
    if score is None:
        return "-"
    return format_number(score) if isinstance(score, int) else f"{score:,.6g}"


def _sizes(suda: Suda) -> Listing:
    return Listing.of(
        suda.sizes,
        lambda row: (
            numbers("disclosure.attributes", format_number(row.size)),
            numbers("disclosure.minimal_uniques", format_number(row.minimal_uniques)),
            numbers(f"disclosure.units.{suda.unit}", format_number(row.persons)),
        ),
        sql=("suda_sizes", "suda_minimal"),
    )


def _contributions(suda: Suda) -> Listing:
    return Listing.of(
        suda.contributions,
        lambda row: (
            column("disclosure.attribute", Data(row.attribute)),
            numbers("disclosure.contribution", format_share(row.contribution)),
            numbers("disclosure.uniques", format_number(row.minimal_uniques)),
            numbers(f"disclosure.units.{suda.unit}", format_number(row.persons)),
            numbers("disclosure.values", format_number(row.values_in_uniques)),
        ),
        sql=("suda_attributes", "suda_scores"),
    )


def _values(entry: UniquesOfAttribute) -> Listing:
    ranks = tuple((value.contribution, value.minimal_uniques) for value in entry.values or ())
    return Listing.of(
        entry.values or (),
        lambda value: (
            column(
                Sentence("disclosure.values_of", attribute=Data(entry.attribute)),
                Sentence("disclosure.missing_value") if value.value is None else Data(value.value),
            ),
            numbers("disclosure.contribution", format_share(value.contribution)),
            numbers("disclosure.uniques", format_number(value.minimal_uniques)),
        ),
        ranks=ranks,
        listed=entry.values_listed,
        sql=("suda_values",),
    )


def _highest(suda: Suda) -> Listing:
    ranks = tuple(row.score for row in suda.highest)
    sql = ("suda_records", "suda_persons", "suda_scores")
    return Listing.of(
        suda.highest,
        lambda row: (
            numbers("disclosure.record", format_number(row.record)),
            numbers("disclosure.score", _score(row.score)),
            numbers("disclosure.dis", "-" if row.dis is None else f"{row.dis:.4g}"),
            numbers("disclosure.uniques", format_number(row.minimal_uniques)),
            column("disclosure.smallest_unique", attribute_set(row.sets[0])),
        ),
        most=_MOST,
        ranks=ranks,
        listed=suda.highest_listed,
        sql=sql,
    ).without_empty()
