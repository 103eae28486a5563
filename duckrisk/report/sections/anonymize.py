"""Make the report on an anonymized release and the effects of its steps."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.decision.policy import name_policy
from duckrisk.measures.detail import summarize_detail
from duckrisk.release.anonymization.results import Release, StepDone
from duckrisk.report.blocks import (
    Block,
    Code,
    Document,
    Items,
    Listing,
    Paragraph,
    number_column,
    text_column,
)
from duckrisk.report.safe import escape_unprintable

#: Statements that count the effects of steps.
_SQL = (
    *("count_pseudonyms", "class_losses", "made_class_sizes", "count_meeting", "count_where"),
    *("sum_changed", "count_relabelled", "count_drawn_out"),
)


def make_document(result: Release) -> Document:
    """Make the report: the release, the effect of each step, and the recipe."""
    target: Text = Data(result.path)
    if result.table is not None:
        target = Sentence("anonymization.in_database", table=Data(result.table), path=target)
    title = Sentence(
        "anonymization.title" if result.written else "anonymization.withheld",
        place=target,
        released=format_number(result.released),
        records=format_number(result.records),
    )
    recipe = Paragraph(Sentence("anonymization.recipe", path=Data(result.recipe_path)))
    blocks = [*_describe_policy(result), list_steps(result.steps), *([recipe] if result.written else [])]
    return Document(title, (*blocks, *list_notes(result.notes), *_suggest_command(result)))


def _suggest_command(result: Release) -> list[Block]:
    """Suggest the command that compares the release with the original.

    The command fails if the policy is not kept. There is none if a name in it could not be typed.
    """
    if result.original is None or not result.written:
        return []
    verdict = result.policy.verdict if result.policy is not None else None
    published = verdict is not None and verdict.limits_from is None
    policy = ["--policy", verdict.policy] if verdict is not None and published else []
    roles = [word for option in result.role_options for word in option if escape_unprintable(word) == word]
    words = ["duckrisk", "compare", result.original, str(result.path), *policy, *roles, "--fail-on", "policy"]
    if any(
        escape_unprintable(word) != word or word.startswith("-")
        for word in (result.original, str(result.path))
    ):
        return []
    return [Paragraph(Sentence("anonymization.next")), Code(shlex.join(words))]


def _describe_policy(result: Release) -> list[Block]:
    """Describe the policy that the release keeps, and what that cost."""
    outcome = result.policy
    if outcome is None:
        return []
    deleted = outcome.rows_before - result.released
    named = name_policy(outcome.verdict.policy, outcome.verdict.limits_from)
    return [
        Paragraph(Sentence("anonymization.policy_kept", policy=named), "verdict"),
        Paragraph(
            Sentence(
                "anonymization.policy_cost",
                before=format_number(outcome.singled_out_before),
                of=format_number(outcome.people_before),
                after=format_number(outcome.singled_out),
                people=format_number(outcome.people),
                k=format_number(outcome.smallest_class),
                deleted=format_number(deleted),
                share=format_share(deleted / outcome.rows_before),
                left=summarize_detail(outcome.detail, result.released, outcome.rows_before),
            ),
            "headline",
        ),
    ]


def list_steps(steps: Iterable[StepDone]) -> Listing:
    """List the steps of a treatment with their effects."""
    return Listing.of(
        steps,
        lambda step: (
            number_column("anonymization.step", str(step.step)),
            text_column("anonymization.method", Sentence(f"anonymization.by.{step.method}")),
            text_column("anonymization.column", Data(step.column or "")),
            text_column("anonymization.did", _describe_effect(step)),
        ),
        sql=_SQL,
    )


def list_notes(sentences: Iterable[Sentence]) -> list[Block]:
    """Make a list of notes; no block without notes."""
    texts = tuple(sentences)
    return [Items(texts)] if texts else []


def _describe_effect(step: StepDone) -> Text:
    """Describe the effect of a step in counts, never in values."""
    if step.method == "summarize":
        people = format_number(step.users)
        if step.deleted:
            return Sentence("anonymization.summarized_some", people=people, count=format_number(step.deleted))
        return Sentence("anonymization.summarized", people=people)
    if step.deleted is not None:
        return Sentence(
            "anonymization.deleted", count=format_number(step.deleted), kept=format_number(step.records)
        )
    if step.pseudonyms is not None:
        return Sentence(
            "anonymization.pseudonyms", users=format_number(step.users), count=format_number(step.pseudonyms)
        )
    if step.classes is not None:
        return Sentence(
            "anonymization.classes" if step.users is None else "anonymization.classes_of_people",
            count=format_number(step.classes),
            smallest=format_number(step.smallest),
            ncp=format_number(step.ncp),
            gcp=format_share(step.gcp),
        )
    if step.groups is not None:
        return Sentence(
            "anonymization.groups", cells=format_number(step.changed), count=format_number(step.groups)
        )
    if step.changed is not None:
        return Sentence("anonymization.changed", count=format_number(step.changed))
    return Sentence("anonymization.dropped" if step.dropped else "anonymization.order")
