"""Make the section on special uniques."""

from __future__ import annotations

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.measures.disclosure.results import Unit
from duckrisk.measures.disclosure.set_results import Suda, SudaByRule, UniquesOfAttribute
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

#: Records in the table of the highest scores (a choice: the JSON report has all of them).
_MAX_RECORDS = 10


def make_blocks(suda: Suda) -> list[Block]:
    """Make the section on special uniques."""
    unit = suda.unit
    cut = suda.limit == "time_limit"
    headline = Sentence(
        f"disclosure.suda.first_{unit}",
        units=format_number(suda.persons),
        scored=format_at_least(suda.scored, cut),
        share=format_share(suda.scored_share),
        uniques=format_at_least(suda.minimal_uniques, cut),
    )
    sizes = Sentence(
        f"disclosure.suda.looked_{suda.limit}" if suda.limit else "disclosure.suda.looked",
        count=format_number(suda.max_size),
        rule=describe_set_rule(suda.missing_mode),
    )
    parts: list[Block] = [
        heading("disclosure.suda"),
        Paragraph(headline, "headline"),
        Paragraph(sizes),
        *compare_rules(
            suda,
            (suda.in_short(), *suda.other_rules),
            lambda entry: _make_rule_columns(entry, unit),
            ("suda_totals",),
        ),
    ]
    if not suda.scored:
        return parts
    parts += paragraphs([_describe_score(suda), _describe_dis(suda)])
    parts += [_list_sizes(suda), _list_contributions(suda)]
    parts.append(Paragraph(Sentence("disclosure.suda.contribution"), "reading"))
    parts += [_list_values(entry) for entry in suda.contributions if entry.values]
    return [*parts, _list_highest(suda)]


def _make_rule_columns(entry: SudaByRule, unit: Unit) -> tuple[Column, ...]:
    """Make the columns of a rule for missing values."""
    cut = entry.limit == "time_limit"
    return (
        number_column(f"disclosure.units.{unit}", format_at_least(entry.scored, cut)),
        number_column("disclosure.share", format_share(entry.scored_share)),
        number_column("disclosure.minimal_uniques", format_at_least(entry.minimal_uniques, cut)),
    )


def _describe_score(suda: Suda) -> Text:
    return Sentence(
        f"disclosure.suda.score_{suda.unit}",
        how=Sentence(f"disclosure.suda.{suda.scores}"),
        highest=_format_score(suda.score_max),
    )


def _describe_dis(suda: Suda) -> Text | None:
    if suda.dis_max is not None:
        return Sentence(
            f"disclosure.suda.dis_{'given' if suda.fraction_given else 'assumed'}",
            highest=f"{suda.dis_max:.4g}",
            mean=f"{suda.dis_mean:.4g}",
            fraction=format_share(suda.fraction),
        )
    return (
        Sentence(f"disclosure.suda.no_dis_{suda.no_dis_reason}") if suda.no_dis_reason is not None else None
    )


def _format_score(score: float | None) -> str:
    if score is None:
        return "-"
    return format_number(score) if isinstance(score, int) else f"{score:,.6g}"


def _list_sizes(suda: Suda) -> Listing:
    return Listing.of(
        suda.sizes,
        lambda row: (
            number_column("disclosure.attributes", format_number(row.size)),
            number_column("disclosure.minimal_uniques", format_number(row.minimal_uniques)),
            number_column(f"disclosure.units.{suda.unit}", format_number(row.persons)),
        ),
        sql=("suda_sizes", "suda_minimal"),
    )


def _list_contributions(suda: Suda) -> Listing:
    return Listing.of(
        suda.contributions,
        lambda row: (
            text_column("disclosure.attribute", Data(row.attribute)),
            number_column("disclosure.contribution", format_share(row.contribution)),
            number_column("disclosure.uniques", format_number(row.minimal_uniques)),
            number_column(f"disclosure.units.{suda.unit}", format_number(row.persons)),
            number_column("disclosure.values", format_number(row.values_in_uniques)),
        ),
        sql=("suda_attributes", "suda_scores"),
    )


def _list_values(entry: UniquesOfAttribute) -> Listing:
    ranks = tuple((value.contribution, value.minimal_uniques) for value in entry.values or ())
    return Listing.of(
        entry.values or (),
        lambda value: (
            text_column(
                Sentence("disclosure.values_of", attribute=Data(entry.attribute)),
                Sentence("disclosure.missing_value") if value.value is None else Data(value.value),
            ),
            number_column("disclosure.contribution", format_share(value.contribution)),
            number_column("disclosure.uniques", format_number(value.minimal_uniques)),
        ),
        ranks=ranks,
        listed=entry.values_listed,
        sql=("suda_values",),
    )


def _list_highest(suda: Suda) -> Listing:
    ranks = tuple(row.score for row in suda.highest)
    sql = ("suda_records", "suda_persons", "suda_scores")
    return Listing.of(
        suda.highest,
        lambda row: (
            number_column("disclosure.record", format_number(row.record)),
            number_column("disclosure.score", _format_score(row.score)),
            number_column("disclosure.dis", "-" if row.dis is None else f"{row.dis:.4g}"),
            number_column("disclosure.uniques", format_number(row.minimal_uniques)),
            text_column("disclosure.smallest_unique", join_attributes(row.sets[0])),
        ),
        max_rows=_MAX_RECORDS,
        ranks=ranks,
        listed=suda.highest_listed,
        sql=sql,
    ).drop_empty_columns()
