"""Put the verdict into words, for pages, texts and the first screen of a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Literal

from duckrisk.base.numbers import format_money, format_number, format_share
from duckrisk.base.sentences import Data, JoinedTexts, Sentence, Text, join_texts
from duckrisk.decision.assessment.preview import Preview
from duckrisk.decision.assessment.questions import quote_names
from duckrisk.decision.assessment.results import AssessedSource, Assessment
from duckrisk.decision.assessment.verdict import (
    KNOWN_FACTS,
    describe_together,
    find_identifying_columns,
    get_share_by_three_records,
    list_assessable_columns,
    list_open_columns,
    select_strongest_facts,
)
from duckrisk.decision.policy import LIMITS, format_finding, format_limit, name_policy
from duckrisk.decision.policy.results import Finding, Verdict
from duckrisk.report.blocks import Block, Fact, Items, Paragraph, paragraphs
from duckrisk.report.knowledge import describe_knowledge
from duckrisk.report.sections import notices
from duckrisk.report.sections.attribute_risk import format_sampled_shares

_SEVERITIES: dict[bool | None, Literal["good", "bad", "open"]] = {True: "good", False: "bad", None: "open"}


@dataclass(frozen=True)
class Line:
    """A limit in words: its figure, a remark on it, the limit itself, and whether it is met.

    A card shows `short` in large letters and `detail` below it. `brief` is the figure for small screens.
    """

    name: Text
    figure: Text
    remark: Text | None
    limit: Text
    met: bool | None
    short: Text = ""
    detail: Text = ""
    brief: Text = ""

    @property
    def sign(self) -> Text:
        """The sign of a limit that is kept, exceeded or open."""
        return Sentence("verdict.sign." + {True: "kept", False: "exceeded", None: "open"}[self.met])


def make_decision_blocks(result: Assessment) -> list[Block]:
    """Make the decision that begins a report, with its reasons and reservations."""
    verdict = result.verdict
    reasons = (*verdict.undecided_because, *notices.list_details(result), *verdict.reservations)
    return [
        Paragraph(write_headline(result), "verdict"),
        *([Items(reasons)] if reasons else []),
        *paragraphs([describe_kept_limits(verdict) if verdict.is_kept else None]),
    ]


def make_cards(result: Assessment) -> list[Fact]:
    """Make a card of each limit, and of the damages of a leak."""
    return [_make_card(line) for line in list_lines(result)]


def describe_kept_limits(verdict: Verdict) -> Sentence:
    """Say that all limits are kept, or kept if assumptions hold."""
    return Sentence("verdict.confirm" if verdict.outcome == "pass_if" else "verdict.nothing_to_do")


def _make_card(line: Line) -> Fact:
    limit = [Sentence("verdict.limit_is", limit=line.limit)] if line.limit else []
    texts = [
        *([line.detail] if line.detail else []),
        *([line.remark] if line.remark is not None else []),
        *limit,
    ]
    remark = reduce(_add_remark, texts) if texts else ""
    return Fact(line.name, line.short or line.figure, remark, _SEVERITIES[line.met] if line.limit else "")


def describe_not_looked_at(result: Assessment) -> Sentence | None:
    """Say what a quick run left out; None if it left out nothing."""
    if result.not_looked_at is None:
        return None
    parts = [Sentence(f"verdict.not_looked_at.{name}") for name in result.not_looked_at]
    return Sentence("verdict.not_looked_at", parts=join_with_and(parts))


def describe_source(source: AssessedSource) -> Sentence:
    """Describe the source by the numbers of its records and users."""
    counts = {"source": Data(source.name), "records": format_number(source.records)}
    if source.counted is not None:
        cells = {"cells": format_number(source.counted.cells), "people": format_number(source.users)}
        return Sentence("screen.title.counts", source=Data(source.name), **cells)
    if source.people_known:
        return Sentence("screen.title.unlinked", **counts, users=format_number(source.users))
    if source.user is None:
        return Sentence("screen.title", **counts)
    mean = format_number((source.records - source.records_without_user) / (source.users or 1))
    return Sentence(
        "screen.title.users", **counts, users=format_number(source.users), user=Data(source.user), each=mean
    )


def name_verdict_policy(verdict: Verdict) -> Sentence:
    """Name the policy of a verdict, and what changed its limits."""
    return name_policy(verdict.policy, verdict.limits_from)


def write_headline(result: Assessment) -> Text:
    """Write the decision in one sentence, with the assumptions behind it."""
    return notices.add_to_headline(_write_decision(result, result.verdict), result)


def write_preview(preview: Preview) -> Sentence:
    """Write the decision on a large table that a sample made."""
    verdict = preview.verdict
    return Sentence(
        "verdict.preview",
        decision=Sentence(f"verdict.decision.{verdict.policy}"),
        policy=name_verdict_policy(verdict),
        people=format_number(preview.people),
    )


def _write_decision(result: Assessment, verdict: Verdict) -> Sentence:
    exceeded = format_number(len(verdict.exceeded))
    named = name_verdict_policy(verdict)
    counts: dict[str, Text] = {"exceeded": exceeded, "limits": format_number(len(verdict.findings))}
    if verdict.outcome == "pass":
        return Sentence("verdict.pass", policy=named, limits=counts["limits"])
    if verdict.outcome == "pass_if":
        return Sentence("verdict.pass_if", policy=named, assumptions=join_with_and(verdict.assumptions))
    decision = Sentence(f"verdict.decision.{verdict.policy}")
    if verdict.outcome == "undecided":
        sentence = Sentence("verdict.open", policy=named, decision=decision)
        return Sentence("verdict.open.exceeded", open=sentence, **counts) if verdict.exceeded else sentence
    if any(finding.name == "identifying_columns" and finding.certain for finding in verdict.exceeded):
        sure = [name for name, certain in find_identifying_columns(result).items() if certain]
        names = {"names": quote_names(sure), "count": format_number(len(sure))}
        text = {column.name for column in result.source.columns if column.role == "free_text"}
        key = "verdict.fail.free_text" if text.issuperset(sure) else "verdict.fail.identifiers"
        sentence = Sentence(key, policy=named, decision=decision, **names)
        return (
            Sentence("verdict.fail.also", fail=sentence, **counts) if len(verdict.exceeded) > 1 else sentence
        )
    return Sentence("verdict.fail", policy=named, decision=decision, **counts)


def describe_attacker(result: Assessment) -> Sentence | None:
    """Say how many of 100 people an attacker singles out by three facts.

    In a table with fewer attributes the attacker knows all of them.

    Returns:
        The sentence; None if uniqueness was not measured.
    """
    rows = [row for row in (result.uniqueness.facts if result.uniqueness else ()) if row.facts <= KNOWN_FACTS]
    if not rows:
        return None
    largest = rows[-1]
    by_records = get_share_by_three_records(result)
    typical, worst = (max(share, by_records) for share in (largest.typical, largest.worst.share))
    counts = {"typical": _count_of_hundred(typical), "worst": _count_of_hundred(worst)}
    return Sentence("verdict.attacker", facts=format_number(largest.facts), **counts)


def describe_earlier(result: Assessment) -> Sentence | None:
    """Say how many people earlier releases single out as well; None if none is known."""
    return describe_together(result.earlier) if result.earlier is not None else None


def _count_of_hundred(share: float) -> Sentence:
    """Format a share as people out of 100; "0" and "100" mean exactly none and all."""
    if 0 < share < 0.01:
        return Sentence("verdict.fewer_than", count="1")
    if 0.99 < share < 1:
        return Sentence("verdict.more_than", count="99")
    return Sentence("verdict.of_hundred", count=format_number(round(share * 100)))


def join_with_and(clauses: Sequence[Sentence]) -> Sentence | JoinedTexts:
    """Join clauses into one: commas, and an "and" before the last."""
    if len(clauses) == 1:
        return join_texts(clauses)
    return Sentence("and", first=join_texts(clauses[:-1]), last=clauses[-1])


# --- the limits ------------------------------------------------------------------------------------


def list_lines(result: Assessment, confirmed: bool = False) -> list[Line]:
    """List the limits, what was not checked, and the damages of a leak.

    Args:
        result: The assessment.
        confirmed: Whether to omit damages that depend on unconfirmed levels.
    """
    return [*list_limits(result), *describe_leak(result, confirmed)]


def list_limits(result: Assessment) -> list[Line]:
    """List the limits, and what was not checked.

    Args:
        result: The assessment.
    """
    limits = [_describe_finding(result, row) for row in result.verdict.findings]
    return [*limits, *_list_unchecked(result)]


def _list_unchecked(result: Assessment) -> list[Line]:
    """Make the line for sensitive columns if none is declared."""
    is_judged = any(row.name == "sensitive_disclosed" for row in result.verdict.findings)
    if is_judged or result.source.holdings.no_persons:
        return []
    proposed = [column for column in result.sensitive if column.proposed and column.disclosed_people != 0]
    if proposed:
        names = quote_names(column.column for column in proposed)
        question = Sentence("verdict.ask_sensitive", names=names)
        return [replace(_make_unmeasured_line("sensitive_disclosed", "not_checked", question), brief="")]
    return [_make_unmeasured_line("sensitive_disclosed", "not_checked", Sentence("verdict.none_sensitive"))]


def _make_unmeasured_line(name: str, state: str, reason: Text) -> Line:
    """Make a line without a limit for what was not measured.

    `name` and `state` are keys of sentences.
    """
    short = Sentence(f"verdict.{state}")
    return Line(Sentence(f"verdict.{name}"), _add_reason(short, reason), None, "", None, short, reason, short)


def _add_reason(state: Text, reason: Text) -> Text:
    return Sentence("verdict.because", state=state, reason=reason)


def _make_line(finding: Finding, figure: Text, remark: Text | None = None) -> Line:
    limit: Text = format_limit(finding.name, finding.limit)
    if LIMITS[finding.name].is_minimum:
        limit = Sentence("verdict.or_more", limit=limit)
    return Line(Sentence(f"verdict.{finding.name}"), figure, remark, limit, finding.met)


def _describe_finding(result: Assessment, finding: Finding) -> Line:
    if finding.value is None:
        return _make_line(finding, Sentence("verdict.not_measured"))
    lines: dict[str, Callable[[Assessment, Finding], Line]] = {
        "identifying_columns": _describe_identifiers,
        "unique_people": _describe_unique_people,
        "unique_histories": _describe_unique_histories,
        "three_facts": _describe_three_facts,
    }
    if finding.name in lines:
        return lines[finding.name](result, finding)
    figures: dict[str, Callable[[Assessment, Finding], tuple[Text, Text | None]]] = {
        "smallest_class": _describe_smallest_class,
        "smallest_history": _describe_smallest_class,
        "three_records": _describe_three_records,
        "sensitive_disclosed": _describe_disclosure,
        "one_fact": _describe_one_fact,
    }
    if finding.name in figures:
        return _make_line(finding, *figures[finding.name](result, finding))
    return _make_line(finding, format_finding(finding))


def _describe_identifiers(result: Assessment, finding: Finding) -> Line:
    if finding.value:
        columns = find_identifying_columns(result)
        names = quote_names(columns)
        return replace(
            _make_line(finding, names),
            short=Sentence("verdict.columns", count=format_number(len(columns))),
            detail=names,
        )
    for what, asked in list_open_columns(result).items():
        if asked:
            state = Sentence("verdict.open_columns")
            question = Sentence(
                f"verdict.ask_{what}", names=quote_names(asked), count=format_number(len(asked))
            )
            line = _make_line(finding, _add_reason(state, question))
            return replace(line, short=state, detail=question)
    return _make_line(finding, Sentence("verdict.none_found"))


def _describe_unique_histories(result: Assessment, finding: Finding) -> Line:
    uniqueness = result.uniqueness
    assert uniqueness is not None
    assert uniqueness.histories is not None
    whole = uniqueness.histories
    people = {"people": format_number(whole.unique_people), "all": format_number(uniqueness.people)}
    return _make_people_line(finding, whole.share, people, by="verdict.unlike_all_others")


def _make_people_line(
    finding: Finding, share: float, people: dict[str, str], remark: Text | None = None, by: str = ""
) -> Line:
    """Make a line for a share of people.

    `by` is the key of a sentence on what singles them out.
    """
    figure = Sentence("verdict.people", share=format_share(share), **people)
    line = _make_line(finding, Sentence(by, figure=figure) if by else figure, remark)
    detail = Sentence("verdict.people.counted", **people)
    return replace(line, short=format_share(finding.value), detail=detail, brief=figure)


def _describe_three_records(result: Assessment, _finding: Finding) -> tuple[Text, Text | None]:
    assert result.uniqueness is not None
    assert result.uniqueness.whole_records is not None
    known = result.uniqueness.whole_records
    figure: Text = Sentence("verdict.three", share=format_share(known.share))
    if known.share_lower == known.share_upper:
        return figure, None
    ends = Sentence("to", lower=format_share(known.share_lower), upper=format_share(known.share_upper))
    return Sentence("verdict.estimated", figure=figure, interval=ends), None


def _describe_disclosure(result: Assessment, finding: Finding) -> tuple[Text, Text | None]:
    columns = [column for column in result.sensitive if not column.proposed]
    worst = max(columns, key=lambda column: column.share or 0.0)
    names = quote_names(column.column for column in columns if column.disclosed_people != 0)
    groups = {"disclosed": format_number(worst.disclosed_classes), "classes": format_number(worst.classes)}
    if not finding.value:
        return Sentence("verdict.three", share=format_share(finding.value)), None
    return Sentence("verdict.three", share=format_share(finding.value)), Sentence(
        "verdict.groups", names=names, **groups
    )


def _describe_unique_people(result: Assessment, finding: Finding) -> Line:
    uniqueness = result.uniqueness
    assert uniqueness is not None
    assert uniqueness.all_attributes is not None
    known = uniqueness.all_attributes
    people = {"people": format_number(known.people), "all": format_number(uniqueness.people)}
    remark, by = None, ""
    if (by_all_columns := uniqueness.all_columns) is not None:
        columns = format_number(len(list_assessable_columns(result)))
        by_all = {
            "people": format_number(by_all_columns.people),
            "share": format_share(by_all_columns.share),
            "columns": columns,
        }
        remark, by = Sentence("verdict.by_all", **by_all), "verdict.by_these"
    elif result.source.most_records_of_a_user > 1 and known.records:
        of_records = format_share(known.share_of_records)
        remark = Sentence("verdict.records", records=format_number(known.records), share=of_records)
    return _make_people_line(finding, known.share, people, remark, by)


def _describe_smallest_class(_result: Assessment, finding: Finding) -> tuple[Text, Text | None]:
    return Sentence("verdict.class", people=format_number(int(finding.value or 0))), None


def _describe_one_fact(result: Assessment, finding: Finding) -> tuple[Text, Text | None]:
    top = next(entry for entry in result.attribute_risk if entry.risk == finding.value)
    knowledge = describe_knowledge(top.attribute, [column.name for column in result.source.columns])
    figure: Text = format_share(finding.value)
    if top.mean_risk is None and top.sampled is not None:
        figure = Sentence("verdict.estimated", figure=figure, interval=format_sampled_shares(top.sampled))
    return figure, Sentence("verdict.by", what=knowledge)


def _describe_three_facts(result: Assessment, finding: Finding) -> Line:
    facts = select_strongest_facts(result)
    assert facts is not None
    by_records = finding.value is not None and facts.typical < finding.value
    of_people = format_share(finding.value)
    detail = Sentence("verdict.history" if by_records else "verdict.typical")
    figure = Sentence("verdict.share_of", share=of_people, detail=detail)
    remark = None
    if facts.worst.people and not (by_records and facts.worst.share <= (finding.value or 0.0)):
        names = join_texts(_quote_all(facts.worst.attributes))
        remark = Sentence("verdict.worst", share=format_share(facts.worst.share), names=names)
    brief = Sentence("verdict.three", share=of_people)
    return replace(_make_line(finding, figure, remark), short=of_people, detail=detail, brief=brief)


def _add_remark(figure: Text, remark: Text) -> Text:
    return Sentence("verdict.with", figure=figure, remark=remark)


def _quote_all(names: Iterable[str]) -> list[Sentence]:
    return [Sentence("roles.quoted", name=Data(name)) for name in names]


def describe_leak(result: Assessment, confirmed: bool) -> list[Line]:
    """Describe the damages of a leak, or why they were not estimated.

    Args:
        result: The assessment.
        confirmed: Whether to omit damages that depend on unconfirmed levels.

    Returns:
        A line, or none.
    """
    section = result.identifiability
    if not result.has_part("identifiability"):
        return []
    if any(note.key == "identifiability.note.unasked" for note in result.source.notes):
        return [_make_unmeasured_line("leak", "not_measured", Sentence("verdict.leak_unasked"))]
    levelled = {entry.column for entry in section.attributes} if section is not None else set()
    columns = levelled.union(list_assessable_columns(result))
    if section is None or 2 * len(levelled) < len(columns) or not section.has_leak:
        counts = {"levels": format_number(len(levelled)), "columns": format_number(len(columns))}
        return [_make_unmeasured_line("leak", "not_estimated", Sentence("verdict.no_levels", **counts))]
    amount = format_money(section.total_value, section.currency, short=True)
    open_levels = dict.fromkeys(entry.column for entry in section.attributes if entry.provisional)
    if open_levels and confirmed:
        return []
    remark = Sentence("verdict.unconfirmed", count=format_number(len(open_levels))) if open_levels else None
    damages = "verdict.damages.least" if section.is_least else "verdict.damages"
    return [Line(Sentence("verdict.leak"), Sentence(damages, amount=amount), remark, "", None)]
