"""What is said of a verdict: the same on a page, in a text and on the first screen of a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Literal

from duckrisk.assessment.results import Assessment
from duckrisk.assessment.verdict import assessable, identifying, left_out, names_of, telling
from duckrisk.numbers import money, number, share
from duckrisk.policy import limit_shown, name_policy
from duckrisk.policy.results import Finding, Verdict
from duckrisk.report.blocks import Block, Fact, Facts, Items, Paragraph, paragraphs
from duckrisk.report.knowledge import knowledge
from duckrisk.report.sections import notices
from duckrisk.report.sections.attribute_risk import shares
from duckrisk.sentences import Data, Sentence, Text, joined, say

_SEVERITIES: dict[bool | None, Literal["good", "bad", "open"]] = {True: "good", False: "bad", None: "open"}
_OUTCOMES: dict[str, Literal["good", "bad", "open"]] = {"pass": "good", "fail": "bad", "undecided": "open"}


@dataclass(frozen=True)
class Line:
    """A limit in words: what was found, what else is to be known of it, and whether it is kept. ``short`` is
    the figure where it stands alone, and ``counted`` what then stands beside it."""

    name: Text
    figure: Text
    remark: Text | None
    limit: Text
    met: bool | None
    short: Text = ""
    counted: Text = ""

    @property
    def sign(self) -> Text:
        return say("verdict.sign." + {True: "kept", False: "exceeded", None: "open"}[self.met])


def blocks(result: Assessment) -> list[Block]:
    """The verdict as it opens a report, in cards on a page."""
    verdict = result.verdict
    first = Fact(
        say("verdict.verdict"),
        say(f"verdict.word.{verdict.outcome}"),
        say("verdict.for", policy=name_of_policy(verdict)),
        _OUTCOMES[verdict.outcome],
    )
    cards = [_card(line) for line in lines(result)]
    parts: list[Block] = [Paragraph(headline(result), "verdict")]
    if because := (*verdict.undecided_because, *notices.details(result), *verdict.reservations):
        parts.append(Items(because))
    done = say("verdict.nothing_to_do") if verdict.outcome == "pass" else None
    return [
        *parts,
        *paragraphs([done]),
        Facts((first, *cards)),
        Paragraph(say("verdict.no_promise"), "reading"),
    ]


def _card(line: Line) -> Fact:
    limit = [say("verdict.limit_is", limit=line.limit)] if line.limit else []
    texts = [
        *([line.counted] if line.counted else []),
        *([line.remark] if line.remark is not None else []),
        *limit,
    ]
    remark = reduce(_with, texts) if texts else ""
    return Fact(line.name, line.short or line.figure, remark, _SEVERITIES[line.met] if line.limit else "")


def counted(result: Assessment) -> Sentence:
    """What was read, in counts."""
    source = result.source
    named = {"source": Data(source.name), "records": number(source.records)}
    if source.user is None:
        return say("screen.title", **named)
    each = number((source.records - source.records_without_user) / (source.users or 1))
    return say("screen.title.users", **named, users=number(source.users), user=Data(source.user), each=each)


def name_of_policy(verdict: Verdict) -> Sentence:
    """Name the policy of a verdict, with what changed its limits."""
    return name_policy(verdict.policy, verdict.limits_from)


def headline(result: Assessment) -> Text:
    """The verdict in a sentence, with what it hangs on."""
    verdict = result.verdict
    sentence = _headline(result, verdict)
    if verdict.outcome == "pass" and result.source.user is None and result.settings.user is None:
        sentence = say("verdict.one_each", verdict=sentence)
    every, looked = assessable(result), assessed(result)
    if verdict.outcome != "fail" and len(looked) < len(every):
        counts = {"assessed": number(len(looked)), "columns": number(len(every))}
        sentence = say("verdict.in_part", verdict=sentence, **counts)
    return notices.head_with_notices(sentence, result)


def _headline(result: Assessment, verdict: Verdict) -> Sentence:
    exceeded = number(len(verdict.exceeded))
    named = name_of_policy(verdict)
    counts: dict[str, Text] = {"exceeded": exceeded, "limits": number(len(verdict.findings))}
    if verdict.outcome == "pass":
        return say("verdict.pass", policy=named, limits=counts["limits"])
    if verdict.outcome == "undecided":
        sentence = say("verdict.open", policy=named)
        return say("verdict.open.exceeded", open=sentence, **counts) if verdict.exceeded else sentence
    if any(finding.name == "identifying_columns" and finding.certain for finding in verdict.exceeded):
        sure = [name for name, certain in identifying(result).items() if certain]
        names = {"names": names_of(sure), "count": number(len(sure))}
        sentence = say("verdict.fail.identifiers", policy=named, **names)
        return say("verdict.fail.also", fail=sentence, **counts) if len(verdict.exceeded) > 1 else sentence
    return say("verdict.fail", policy=named, **counts)


def assessed(result: Assessment) -> list[str]:
    """The columns that the verdict is about, of those that tell something of people."""
    if result.uniqueness is None and not result.attribute_risk:
        return []
    unread = ("ignored", "direct_identifier")
    outside = {*left_out(result), *(column.name for column in result.source.columns if column.role in unread)}
    return [name for name in assessable(result) if name not in outside]


# --- the limits ------------------------------------------------------------------------------------


def lines(result: Assessment) -> list[Line]:
    """The limits in their order, direct identifiers only where there are some or nobody looked, and what a
    leak would cost."""
    limits = [_line(result, row) for row in result.verdict.findings if row.name != "identifying_columns"]
    first = result.verdict.findings[0]
    if first.met is not True:
        names = names_of(identifying(result)) if first.value else say("verdict.not_measured")
        limits.insert(0, _made(first, names))
    return [*limits, *_leak(result)]


def _made(finding: Finding, figure: Text, remark: Text | None = None) -> Line:
    return Line(
        say(f"verdict.{finding.name}"), figure, remark, limit_shown(finding.name, finding.limit), finding.met
    )


def _line(result: Assessment, finding: Finding) -> Line:
    if finding.value is None:
        return _made(finding, say("verdict.not_measured"))
    if finding.name == "unique_people":
        return _unique(result, finding)
    figures = {"smallest_class": _smallest, "one_fact": _one_fact}
    return _made(finding, *figures.get(finding.name, _three_facts)(result, finding))


def _unique(result: Assessment, finding: Finding) -> Line:
    uniqueness = result.uniqueness
    assert uniqueness is not None
    assert uniqueness.together is not None
    together = uniqueness.together
    people = {"people": number(together.people), "all": number(uniqueness.people)}
    remark = None
    if uniqueness.unit == "user" and together.records:
        of_records = share(together.share_of_records)
        remark = say("verdict.records", records=number(together.records), share=of_records)
    line = _made(finding, say("verdict.people", share=share(together.share), **people), remark)
    return replace(line, short=share(finding.value), counted=say("verdict.people.counted", **people))


def _smallest(_result: Assessment, finding: Finding) -> tuple[Text, Text | None]:
    return say("verdict.class", people=number(int(finding.value or 0))), None


def _one_fact(result: Assessment, finding: Finding) -> tuple[Text, Text | None]:
    top = next(entry for entry in result.attribute_risk if entry.risk == finding.value)
    what = knowledge(top.attribute, [column.name for column in result.source.columns])
    figure: Text = share(finding.value)
    if top.mean_risk is None and top.sampled is not None:
        figure = say("verdict.estimated", figure=figure, interval=shares(top.sampled))
    return figure, say("verdict.by", what=what)


def _three_facts(result: Assessment, finding: Finding) -> tuple[Text, Text | None]:
    facts = telling(result)
    assert facts is not None
    figure = say("verdict.three", share=share(finding.value))
    texts: list[Text] = []
    if finding.value is not None and facts.typical < finding.value:
        texts.append(say("verdict.history"))
    if facts.worst.people:
        names = joined(_quoted(facts.worst.attributes))
        texts.append(say("verdict.worst", share=share(facts.worst.share), names=names))
    return figure, reduce(_with, texts) if texts else None


def _with(figure: Text, remark: Text) -> Text:
    return say("verdict.with", figure=figure, remark=remark)


def _quoted(names: Iterable[str]) -> list[Sentence]:
    return [say("roles.quoted", name=Data(name)) for name in names]


def _leak(result: Assessment) -> list[Line]:
    """What a leak would cost, where that was to be measured."""
    section = result.identifiability
    if not result.was_asked("identifiability"):
        return []
    if section is None:
        return [Line(say("verdict.leak"), say("verdict.no_levels"), None, "", None)]
    amount = money(section.total_value, section.currency, short=True)
    open_levels = dict.fromkeys(entry.column for entry in section.attributes if entry.provisional)
    remark = say("verdict.unconfirmed", count=number(len(open_levels))) if open_levels else None
    return [Line(say("verdict.leak"), say("verdict.damages", amount=amount), remark, "", None)]
