"""Describe a comparison in sentences: each release against the original, and how to read the figures."""

from __future__ import annotations

from collections.abc import Iterator

from duckrisk.base.numbers import (
    format_currency,
    format_decimals,
    format_money,
    format_number,
    format_ratio,
)
from duckrisk.base.sentences import Data, Sentence, Text, list_names
from duckrisk.decision.policy import name_policy
from duckrisk.measures.detail import summarize_detail
from duckrisk.release.advice.results import PeopleLine
from duckrisk.release.comparison.results import ComparedTable, Comparison


def describe_people(original: ComparedTable, release: ComparedTable) -> Sentence | None:
    """Describe the people singled out, the smallest class and the policy.

    Returns:
        The sentence; None if one of the tables was not judged by a policy.
    """
    before, after = original.people, release.people
    if before is None or after is None:
        return None
    return Sentence(
        "compare.people",
        release=Data(release.name),
        policy=name_policy(after.verdict.policy, after.verdict.limits_from),
        before=format_number(before.singled_out),
        of=format_number(before.people),
        after=format_number(after.singled_out),
        people=format_number(after.people),
        singled_out=describe_change(before.singled_out_share, after.singled_out_share, lower=True),
        k_before=format_number(before.smallest_class),
        k=format_number(after.smallest_class),
        classes=describe_change(before.smallest_class, after.smallest_class, lower=False),
        outcome=describe_limits(after),
    )


def list_open_questions(release: ComparedTable) -> list[Sentence]:
    """List the questions that keep the verdict on a release open."""
    reasons = release.people.verdict.undecided_because if release.people is not None else ()
    return [Sentence("compare.undecided", release=Data(release.name), because=reason) for reason in reasons]


def list_earlier(release: ComparedTable) -> list[Sentence]:
    """List what a release singles out together with earlier ones, if these are known."""
    reservations = release.people.verdict.reservations if release.people is not None else ()
    return [
        Sentence("compare.earlier", release=Data(release.name), sentence=sentence)
        for sentence in reservations
        if sentence.key.startswith("policy.earlier") or sentence.key == "policy.unsettled.earlier"
    ]


def describe_limits(people: PeopleLine) -> Sentence:
    """Say how many limits of the policy a table exceeds, or that it keeps them."""
    verdict = people.verdict
    if verdict.exceeded:
        return Sentence("compare.limits", count=format_number(len(verdict.exceeded)))
    if verdict.is_kept:
        return Sentence("compare.limits_kept")
    return Sentence("compare.limits_open")


def describe_change(before: float, after: float, *, lower: bool) -> Sentence:
    """Say by a word and an arrow whether a figure got better.

    `lower` says that lower figures are better.
    """
    if before == after:
        return Sentence("compare.same")
    arrow = "↓" if after < before else "↑"
    return Sentence("compare.better" if (after < before) == lower else "compare.worse", arrow=arrow)


def has_headline(original: ComparedTable, release: ComparedTable) -> bool:
    """Check whether the figures for the headline of a release were measured."""
    return release.detail is not None or None not in (get_leak_value(original), get_leak_value(release))


def write_headline(original: ComparedTable, release: ComparedTable) -> Sentence:
    """Describe a release by the damages of a leak and the remaining detail."""
    remaining = Sentence("compare.left_unknown")
    if release.detail is not None:
        summary = summarize_detail(release.detail, release.records, original.records)
        remaining = Sentence("compare.left", left=summary)
    damages = _describe_damages(original, release)
    return Sentence("compare.headline", release=Data(release.name), damages=damages, left=remaining)


def _describe_damages(original: ComparedTable, release: ComparedTable) -> Sentence:
    before, after = get_leak_value(original), get_leak_value(release)
    if before is None or after is None:
        return Sentence("compare.damages_unknown")
    values = {
        "before": format_damages(original, before, original),
        "after": format_damages(original, after, release),
    }
    if after == before:
        return Sentence("compare.damages_stay", before=values["before"])
    part = format_ratio(abs(after - before) / before) if before else "-"
    return Sentence("compare.damages_fall" if after < before else "compare.damages_rise", part=part, **values)


def get_leak_value(table: ComparedTable) -> float | None:
    """Return the damages of a leak; None if too few columns have a level."""
    section = table.identifiability
    return section.total_value if section is not None and section.has_leak else None


def get_jo_value(table: ComparedTable) -> float | None:
    """Return the damages by the JO model; None if too few columns have a level."""
    section = table.identifiability
    return section.jo_total_value if section is not None and section.has_leak else None


def format_damages(original: ComparedTable, value: float, table: ComparedTable) -> Sentence:
    """Format the damages of a leak of a table, in the currency of the original."""
    assert original.identifiability is not None
    amount = format_money(value, original.identifiability.currency, short=True)
    is_least = table.identifiability is not None and table.identifiability.is_least
    return Sentence("compare.damages_least", value=amount) if is_least else amount


def get_currency(original: ComparedTable) -> Text:
    """Return the currency of the damages, or "" if none were measured."""
    return format_currency(original.identifiability.currency) if original.identifiability is not None else ""


def list_problems(original: ComparedTable, release: ComparedTable) -> list[Sentence]:
    """List what makes figures of a release invalid, or kept them from being computed."""
    name, information, texts = Data(release.name), release.information, []
    if release.records > original.records:
        texts.append(
            Sentence("compare.more", release=name, records=format_number(release.records - original.records))
        )
    if release.records < original.records:
        texts.append(
            Sentence("compare.fewer", release=name, records=format_number(original.records - release.records))
        )
    tables = release.utility.cross_tables if release.utility is not None else ()
    if left_out := sum(table.total_variation is None for table in tables):
        texts.append(Sentence("compare.tables_too_much", release=name, count=format_number(left_out)))
    if information is None:
        for entry in release.utility.attributes if release.utility is not None else ():
            if entry.cells.false_cells:
                values = {"attribute": Data(entry.attribute), "count": format_number(entry.cells.false_cells)}
                texts.append(Sentence("compare.false_left", release=name, **values))
        return texts
    for attribute, cells in information.false_cells.items():
        values = {"attribute": Data(attribute), "count": format_number(cells)}
        layout = Data(information.false_forms[attribute])
        texts.append(Sentence("compare.false_cells", release=name, layout=layout, **values))
    if information.valid is False:
        texts.append(
            Sentence("compare.uncovered", release=name, count=format_number(information.uncovered_records))
        )
    if not information.exact:
        least = information.bound.information if information.bound is not None else None
        key = f"compare.{information.reason}" if least is None else "compare.bounded"
        texts.append(Sentence(key, release=name, value=format_decimals(least)))
    return texts


def explain_figures(result: Comparison) -> Iterator[Sentence]:
    """Explain how to read the figures, and what some of them assume."""
    settings, tables = result.settings, result.tables
    if "information" in settings.only:
        yield Sentence("compare.read.information")
        yield Sentence("compare.read.gcp")
    if "risk" in settings.only:
        yield Sentence("compare.read.risk")
    yield Sentence("compare.read.classes", names=list_names(result.quasi_identifiers))
    if "utility" in settings.only:
        yield Sentence("compare.read.losses")
    if any(table.missing_attributes for table in tables):
        yield Sentence("compare.read.left_out")
    if linked := [table.linkage for table in tables if table.linkage is not None]:
        yield Sentence(
            "compare.read.linkage", records=format_number(max(linkage.records for linkage in linked))
        )
    if recommended := [table.recommendation for table in tables if table.recommendation is not None]:
        item, top = Data(recommended[0].item), format_number(recommended[0].top)
        yield Sentence("compare.read.recommendation", item=item, top=top)
    if settings.aligned:
        yield Sentence("compare.read.by_order")
    elif settings.key is not None:
        yield Sentence("compare.read.by_key", key=Data(settings.key))
    else:
        yield Sentence("compare.read.not_corresponding")
