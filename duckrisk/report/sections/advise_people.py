"""Make the report on advice for people: the risk after each step, and the commands."""

from __future__ import annotations

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.options.anonymization import OF_SETTINGS
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.decision.policy import ARGUMENTS, name_policy
from duckrisk.measures.detail import summarize_detail
from duckrisk.release.advice.results import Advice, Line, PeopleLine
from duckrisk.report.blocks import (
    Block,
    Code,
    Column,
    Document,
    Items,
    Listing,
    Paragraph,
    heading,
    number_column,
)
from duckrisk.report.sections.advice_steps import describe_step, write_command, write_line_command

#: Reasons that keep the verdict on a step open until its release is assessed.
_SHOWN_BY_RELEASE = {"policy.unsettled.looks_sensitive", "policy.open.sensitive_disclosed"}


def make_document(result: Advice) -> Document:
    """Make the report: the outcome, the steps, and the commands of two of them."""
    blocks: list[Block] = [Paragraph(_describe_outcome(result), "verdict")]
    if result.unlinked:
        blocks.insert(0, Paragraph(_explain_unlinked(result), "warning"))
    if result.stop_reason != "no_columns":
        blocks += [
            *(
                [Items(because)]
                if (because := _get_people(result.lines[-1]).verdict.undecided_because)
                else []
            ),
            Paragraph(_write_headline(result), "headline"),
            heading("advice.steps"),
            _list_steps(result),
            Paragraph(Sentence("advice.read.people"), "reading"),
            *_list_commands(result),
        ]
    if result.notes:
        blocks += [heading("assess.notes"), Items(result.notes)]
    return Document(Sentence("advice.title", source=Data(result.source)), tuple(blocks))


def _get_people(line: Line) -> PeopleLine:
    assert line.people is not None
    return line.people


def _describe_outcome(result: Advice) -> Sentence:
    """Say whether the last step keeps the policy, and why the steps end."""
    key = f"advice.people.{result.stop_reason}"
    if result.stop_reason == "policy" and len(result.lines) == 1:
        key = "advice.people.nothing_to_do"
    if result.stop_reason == "policy" and _get_people(result.lines[-1]).verdict.outcome == "undecided":
        key += ".open"
    user = result.roles.user if result.roles is not None else None
    named = _name_policy(_get_people(result.lines[-1]))
    return Sentence(key, policy=named, user=Data(user.name if user is not None else ""))


def _explain_unlinked(result: Advice) -> Sentence:
    """Say why the steps remove the column that links the records of a person."""
    assert result.roles is not None
    assert result.roles.user is not None
    user = Data(result.roles.user.name)
    return Sentence("advice.people.unlinked", policy=_name_policy(_get_people(result.lines[-1])), user=user)


def _name_policy(people: PeopleLine) -> Sentence:
    """Name the policy, and the file or the options that changed its limits."""
    return name_policy(people.verdict.policy, people.verdict.limits_from)


def _write_headline(result: Advice) -> Sentence:
    """Compare the first line with the last in one sentence."""
    line = result.lines[-1]
    first, last = _get_people(result.lines[0]), _get_people(line)
    before = Sentence(
        "advice.people.singled_out",
        count=format_number(first.singled_out),
        people=format_number(first.people),
        share=format_share(first.singled_out_share),
    )
    if len(result.lines) == 1:
        return Sentence("advice.people.headline_none", before=before, k=format_number(first.smallest_class))
    return Sentence(
        "advice.people.headline",
        count=format_number(len(result.lines) - 1),
        before=before,
        after=format_number(last.singled_out),
        k=format_number(last.smallest_class),
        left=summarize_detail(line.detail, line.records, result.records),
    )


def _list_steps(result: Advice) -> Listing:
    return Listing.of(
        enumerate(result.lines),
        lambda step: _make_row(*step),
        whole=True,
        sql=("people_classes", "people_facts", "total_penalty"),
    )


def _make_row(step: int, line: Line) -> tuple[Column, ...]:
    people = _get_people(line)
    verdict = people.verdict
    exceeded: Text = Sentence("advice.kept" if verdict.is_kept else "advice.open")
    if verdict.exceeded:
        open_limits = any(finding.met is None for finding in verdict.findings)
        key = "advice.exceeded_at_least" if open_limits else "advice.exceeded"
        exceeded = Sentence(key, count=format_number(len(verdict.exceeded)))
    return (
        number_column("advice.step", format_number(step)),
        Column(Sentence("advice.what"), min_width=22, cell=describe_step(line)),
        _number_column("records", format_number(line.records), priority=2),
        _number_column("people_out", format_number(people.singled_out)),
        _number_column("people_share", format_share(people.singled_out_share), priority=4),
        number_column("advice.k", format_number(people.smallest_class)),
        number_column("advice.one_fact", format_share(people.one_fact)),
        Column(Sentence("advice.policy"), min_width=12, cell=exceeded),
        _number_column("detail", format_share(line.detail.detail_left)),
        _number_column("information", f"{line.information:.3f}"),
    )


def _number_column(key: str, cell: Text, priority: int = 0) -> Column:
    return number_column(f"advice.{key}", cell, short=f"advice.{key}.short", priority=priority)


def _is_decided_by_release(people: PeopleLine) -> bool:
    """Check whether the steps keep the policy, or only a release can tell.

    A release shows whether a column looks sensitive, and what its classes disclose.
    """
    verdict = people.verdict
    if verdict.is_kept or verdict.exceeded:
        return verdict.is_kept
    return {reason.key for reason in verdict.undecided_because} <= _SHOWN_BY_RELEASE


def _list_commands(result: Advice) -> list[Block]:
    """List the commands for the policy, the first step and the last."""
    if len(result.lines) == 1:
        return []
    blocks: list[Block] = [heading("advice.commands")]
    last = _get_people(result.lines[-1])
    if _is_decided_by_release(last) and last.verdict.limits_from != ARGUMENTS:
        policy = last.verdict.policy if last.verdict.limits_from is None else OF_SETTINGS
        drop = (
            [("--drop", result.roles.user.name)]
            if result.unlinked and result.roles and result.roles.user
            else []
        )
        settings = [("--config", result.settings_path)] if result.settings_path is not None else []
        blocks += [
            Paragraph(Sentence("advice.people.at_once", policy=_name_policy(last))),
            Code(write_command(result, ("--to-policy", policy), *drop, *result.role_options, *settings)),
        ]
    for step in sorted({1, len(result.lines) - 1}):
        line = result.lines[step]
        purpose = (
            Sentence("advice.people.first")
            if step == 1
            else Sentence("advice.people.all", count=format_number(step))
        )
        blocks += [Paragraph(purpose), Code(write_line_command(result, line))]
    return blocks
