"""What is told of special uniques."""

from __future__ import annotations

from duckrisk.disclosure.set_results import Suda, SudaByRule, UniquesOfAttribute
from duckrisk.numbers import number, share
from duckrisk.report.blocks import Block, Listing, Paragraph, column, head, numbers, paragraphs
from duckrisk.report.sections.disclosure import at_least, attribute_set, compared, rule
from duckrisk.sentences import Data, Text, say

#: Records that are listed.
_MOST = 10


def blocks(found: Suda) -> list[Block]:
    """The section on special uniques."""
    unit = found.unit
    cut = found.limit == "time_limit"
    first = say(
        f"disclosure.suda.first_{unit}",
        units=number(found.persons),
        scored=at_least(found.scored, cut),
        share=share(found.scored_share),
        uniques=at_least(found.minimal_uniques, cut),
    )
    sizes = say(
        f"disclosure.suda.looked_{found.limit}" if found.limit else "disclosure.suda.looked",
        count=number(found.max_size),
        rule=rule(found.missing_mode),
    )
    columns = (
        numbers(f"disclosure.units.{unit}"),
        numbers("disclosure.share"),
        numbers("disclosure.minimal_uniques"),
    )
    made: list[Block] = [
        head("disclosure.suda"),
        Paragraph(first, "headline"),
        Paragraph(sizes),
        *compared(found, (found.in_short(), *found.other_rules), columns, _cells),
    ]
    if not found.scored:
        return made
    made += paragraphs([_score_told(found), _dis(found)])
    made += [_sizes(found), _contributions(found)]
    made.append(Paragraph(say("disclosure.suda.contribution"), "reading"))
    made += [_values(one) for one in found.contributions if one.values]
    return [*made, _highest(found)]


def _cells(entry: SudaByRule) -> tuple[Text, ...]:
    """The figures of a rule for missing cells."""
    cut = entry.limit == "time_limit"
    return at_least(entry.scored, cut), share(entry.scored_share), at_least(entry.minimal_uniques, cut)


def _score_told(found: Suda) -> Text:
    return say(
        f"disclosure.suda.score_{found.unit}",
        how=say(f"disclosure.suda.{found.scores}"),
        highest=_score(found.score_max),
    )


def _dis(found: Suda) -> Text | None:
    if found.dis_max is not None:
        return say(
            f"disclosure.suda.dis_{'given' if found.fraction_given else 'assumed'}",
            highest=f"{found.dis_max:.4g}",
            mean=f"{found.dis_mean:.4g}",
            fraction=share(found.fraction),
        )
    return say(f"disclosure.suda.no_dis_{found.why_no_dis}") if found.why_no_dis is not None else None


def _score(score: float | None) -> str:
    if score is None:
        return "-"
    return number(score) if isinstance(score, int) else f"{score:,.6g}"


def _sizes(found: Suda) -> Listing:
    rows = tuple((number(one.size), number(one.minimal_uniques), number(one.persons)) for one in found.sizes)
    keys = ("attributes", "minimal_uniques", f"units.{found.unit}")
    return Listing(tuple(numbers(f"disclosure.{key}") for key in keys), rows)


def _contributions(found: Suda) -> Listing:
    rows = tuple(
        (
            Data(one.attribute),
            share(one.contribution),
            number(one.minimal_uniques),
            number(one.persons),
            number(one.values_in_uniques),
        )
        for one in found.contributions
    )
    keys = ("contribution", "uniques", f"units.{found.unit}", "values")
    return Listing((column("disclosure.attribute"), *(numbers(f"disclosure.{key}") for key in keys)), rows)


def _values(one: UniquesOfAttribute) -> Listing:
    rows = tuple(
        (
            say("disclosure.missing_value") if value.value is None else Data(value.value),
            share(value.contribution),
            number(value.minimal_uniques),
        )
        for value in one.values or ()
    )
    columns = (
        column(say("disclosure.values_of", attribute=Data(one.attribute))),
        numbers("disclosure.contribution"),
        numbers("disclosure.uniques"),
    )
    ranks = tuple((value.contribution, value.minimal_uniques) for value in one.values or ())
    return Listing(columns, rows, ranks=ranks, listed=one.values_listed)


def _highest(found: Suda) -> Listing:
    rows = tuple(
        (
            number(one.record),
            _score(one.score),
            "-" if one.dis is None else f"{one.dis:.4g}",
            number(one.minimal_uniques),
            attribute_set(one.sets[0]),
        )
        for one in found.highest
    )
    keys = ("record", "score", "dis", "uniques")
    columns = (*(numbers(f"disclosure.{key}") for key in keys), column("disclosure.smallest_unique"))
    ranks = tuple(one.score for one in found.highest)
    return Listing(columns, rows, _MOST, ranks=ranks, listed=found.highest_listed).without_empty()
