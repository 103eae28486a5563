"""Make the report on an assessment: the order of its sections, and the summary at its top."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.decision.assessment import DEFAULT_PARTS, VERDICT_PARTS
from duckrisk.decision.assessment.results import Assessment
from duckrisk.decision.assessment.table_kinds import PARTS_OF_COUNTS, PARTS_WITHOUT_PERSONS
from duckrisk.report.blocks import (
    Block,
    Document,
    Facts,
    Items,
    Paragraph,
    fold_sections,
    heading,
    paragraphs,
)
from duckrisk.report.knowledge import describe_knowledge
from duckrisk.report.sections import (
    attribute_disclosure,
    attribute_risk,
    attribute_sets,
    baseline,
    checklist,
    class_sizes,
    direct_identifiers,
    first_page,
    gates,
    identifiability,
    information_gain,
    method,
    minimal_keys,
    noisy_knowledge,
    plausible_attacks,
    roles,
    suda,
    uniqueness,
    verdict,
)
from duckrisk.report.sections.first_screen import SIZES as SIZES
from duckrisk.report.sections.first_screen import make_head as make_head
from duckrisk.report.sections.first_screen import make_rest, make_screen

#: The parts on disclosure in their order, with the functions that make their blocks.
_DISCLOSURE: dict[str, Callable[[Any], list[Block]]] = {
    "class_sizes": class_sizes.make_blocks,
    "direct_identifiers": direct_identifiers.make_blocks,
    "attribute_disclosure": attribute_disclosure.make_blocks,
    "suda": suda.make_blocks,
    "attribute_sets": attribute_sets.make_blocks,
    "minimal_keys": minimal_keys.make_blocks,
    "information_gain": information_gain.make_blocks,
    "noisy_knowledge": noisy_knowledge.make_blocks,
}


def make_document(result: Assessment) -> Document:
    """Make the whole report."""
    if result.settings.only == ("noisy_knowledge",) and result.noisy_knowledge is not None:
        # Nothing was asked that a verdict needs: ten limits that are not measured would hide the answer.
        first = [*paragraphs(_describe_source(result)), *noisy_knowledge.make_blocks(result.noisy_knowledge)]
        evidence = _list_evidence(replace(result, noisy_knowledge=None))
        return Document(
            _write_title(result), (*first, *fold_sections(evidence)), method.describe_origin(result)
        )
    return Document(
        _write_title(result),
        (
            *first_page.make_blocks(result, _describe_source(result)),
            *fold_sections(_list_evidence(result)),
        ),
        method.describe_origin(result),
        has_signature=True,
        follows=first_page.list_duties(),
    )


def _list_evidence(result: Assessment) -> list[Block]:
    """List the sections behind the answer."""
    identified = result.identifiability
    evidence: list[Block] = [
        *roles.make_blocks(result),
        *_list_notes(result),
        *(uniqueness.make_blocks(result.uniqueness) if result.uniqueness is not None else ()),
        *_describe_attributes(result),
    ]
    if identified is not None:
        evidence += identifiability.make_blocks(identified, attribute_risk.list_column_names(result))
    for name, blocks in _DISCLOSURE.items():
        if (section := getattr(result, name)) is not None:
            evidence += blocks(section)
    if result.plausible_attacks is not None:
        evidence += plausible_attacks.make_blocks(result.plausible_attacks)
    return [
        *evidence,
        *attribute_risk.list_values(result),
        *checklist.make_blocks(result.checklist),
        *gates.make_blocks(result),
        *method.make_blocks(result),
    ]


def _describe_attributes(result: Assessment) -> list[Block]:
    """Make the sections on attribute risk; the first begins with the highest risk."""
    blocks = attribute_risk.make_blocks(result)
    if not blocks and not (result.has_part("attribute_risk") and result.identifiability is None):
        return []
    first = blocks[:1] or [heading("attribute.risk")]
    summary = [
        Paragraph(_describe_highest_risk(result), "headline"),
        *paragraphs([attribute_risk.describe_best_form(result)]),
    ]
    return [*first, *summary, *blocks[1:]]


def has_screen(result: Assessment) -> bool:
    """Return whether the report has a first screen.

    It has none if the option `only` left out a usual part, since a short report needs no screen.
    """
    holdings = result.source.holdings
    usual = (
        PARTS_OF_COUNTS
        if holdings.counted is not None
        else PARTS_WITHOUT_PERSONS
        if holdings.no_persons
        else DEFAULT_PARTS
        if result.not_looked_at is None
        else VERDICT_PARTS
    )
    return set(DEFAULT_PARTS).intersection(usual) <= set(result.settings.only)


def choose_screen(result: Assessment) -> Callable[[int], Document] | None:
    """Return the function that makes the first screen of a size; None without one."""
    if not has_screen(result):
        return None
    requested = _list_requested_headlines(result)

    def make_document_of_size(size: int) -> Document:
        report = make_screen(result, size, requested)
        return replace(
            report,
            blocks=(*baseline.describe_outcome(result), *report.blocks, *gates.make_outcome_blocks(result)),
        )

    return make_document_of_size


def choose_rest(result: Assessment) -> Callable[[int], Document]:
    """Return the function that makes what follows the head of a screen."""
    requested = _list_requested_headlines(result)

    def make_document_of_size(size: int) -> Document:
        report = make_rest(result, size, requested)
        return replace(report, blocks=(*report.blocks, *gates.make_outcome_blocks(result)))

    return make_document_of_size


def _list_requested_headlines(result: Assessment) -> list[Text]:
    """List the headlines of parts that are not measured by default.

    A last sentence says that the report shows values, if it does.
    """
    parts: list[Block] = []
    for name, blocks in _DISCLOSURE.items():
        section = getattr(result, name)
        if section is not None and name not in DEFAULT_PARTS:
            parts += blocks(section)
    if result.plausible_attacks is not None:
        parts += plausible_attacks.make_blocks(result.plausible_attacks)
    headlines = [part.text for part in parts if isinstance(part, Paragraph) and part.role == "headline"]
    return [*headlines, *([Sentence("screen.values")] if result.settings.show_values else [])]


def make_summary(result: Assessment) -> Document:
    """Make the report for a notebook: the summary and the attributes."""
    table = attribute_risk.rank_attributes(result) if result.attribute_risk else roles.list_roles(result)
    return Document(_write_title(result), (*_summarize(result), table))


def _write_title(result: Assessment) -> Sentence:
    return Sentence("assess.title", source=Data(result.source.name))


def _summarize(result: Assessment) -> list[Block]:
    warned = [Sentence("assess.with_values")] if result.settings.show_values else []
    return [
        *paragraphs(warned, "warning"),
        *verdict.make_decision_blocks(result),
        Facts(tuple(verdict.make_cards(result))),
        *paragraphs([verdict.describe_attacker(result), *_describe_source(result)]),
    ]


def _describe_highest_risk(result: Assessment) -> Sentence:
    """Describe the highest risk in plain words."""
    top = next((entry for entry in result.attribute_risk if entry.risk is not None), None)
    if top is None:
        return Sentence("assess.no_attributes")
    knowledge, risk = (
        describe_knowledge(top.attribute, attribute_risk.list_column_names(result)),
        top.risk or 0.0,
    )
    if top.mean_risk is None and top.sampled is not None:
        ends = {"lower": format_share(top.sampled.lower), "upper": format_share(top.sampled.upper)}
        return Sentence("assess.highest_sampled", what=knowledge, risk=format_share(risk), **ends)
    if risk >= 1:
        return Sentence("assess.highest_certain", what=knowledge)
    alone = result.source.user is None and not result.source.people_known
    return Sentence(
        "assess.highest_alone" if alone else "assess.highest", what=knowledge, risk=format_share(risk)
    )


def _describe_source(result: Assessment) -> list[Sentence]:
    """Describe the user and the records of the source."""
    source = result.source
    lines = [verdict.describe_source(source), _describe_user(result)]
    if source.user is not None and source.most_records_of_a_user > 1:
        lines.append(Sentence("assess.most_records", count=format_number(source.most_records_of_a_user)))
    if source.records_without_user:
        lines.append(Sentence("assess.without_user", count=format_number(source.records_without_user)))
    if source.where is not None:
        lines.append(Sentence("assess.where", where=Data(source.where)))
    if source.query is not None:
        lines.append(Sentence("assess.query", query=Data(source.query)))
    return lines


def _describe_user(result: Assessment) -> Sentence:
    user = result.source.user
    if result.source.people_known:
        return Sentence("assess.user_by_original", user=Data(result.source.lost_user or ""))
    if user is None:
        return Sentence("assess.user_declined" if result.settings.user == "" else "assess.user_none")
    reasons = [entry.reason for entry in result.source.columns if entry.name == user and entry.role == "user"]
    if not reasons or reasons[0] in ("", Sentence("roles.given")):
        return Sentence("assess.user_given", user=Data(user))
    return Sentence("assess.user_is", user=Data(user), reason=reasons[0])


def _list_notes(result: Assessment) -> list[Block]:
    return [heading("assess.notes"), Items(result.source.notes)] if result.source.notes else []
