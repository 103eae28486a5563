"""Make the report on an anonymized release and the effects of its steps."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.decision.policy import name_policy
from duckrisk.measures.detail import summarize_detail
from duckrisk.release.anonymization.results import PolicyKept, Release, StepDone
from duckrisk.report.blocks import (
    Block,
    Code,
    Document,
    Fact,
    Facts,
    Figure,
    Items,
    Listing,
    PageOnly,
    Paragraph,
    heading,
    number_column,
    text_column,
)
from duckrisk.report.charts import Drawing
from duckrisk.report.drawings import Axis, Rung, draw_ladder, has_visible_bar
from duckrisk.report.safe import escape_unprintable
from duckrisk.report.sections.compare_utility import plot_distributions
from duckrisk.report.words import Words

#: Statements that count the effects of steps.
_SQL = (
    *("count_pseudonyms", "class_losses", "made_class_sizes", "count_meeting", "count_where"),
    *("sum_changed", "count_relabelled", "count_drawn_out"),
)


def make_document(result: Release) -> Document:
    """Make the report: the release, the effect of each step, and the recipe."""
    target: Text = Data(result.path) if result.path is not None else Sentence("anonymization.held")
    if result.table is not None:
        target = Sentence("anonymization.in_database", table=Data(result.table), path=target)
    title = Sentence(
        "anonymization.title" if result.written else "anonymization.withheld",
        place=target,
        released=format_number(result.released),
        records=format_number(result.records),
    )
    has_recipe = result.written and result.recipe_path is not None
    recipe = Paragraph(Sentence("anonymization.recipe", path=Data(result.recipe_path)))
    drawn: list[Block] = []
    if result.distributions:
        drawn = [heading("useful.distributions"), plot_distributions(result.distributions, "")]
    return Document(
        title,
        (
            *_describe_policy(result),
            *_plot_steps(result),
            list_steps(result.steps),
            *([recipe] if has_recipe else []),
            *list_notes(result.notes),
            *_suggest_command(result),
            *drawn,
        ),
    )


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
        PageOnly((Facts(tuple(_make_cards(outcome, result.released))),)),
    ]


def _make_cards(outcome: PolicyKept, released: int) -> list[Fact]:
    """Make the cards of the policy, of the people and of what is left."""
    verdict = outcome.verdict
    before = Sentence("compare.before", before=format_number(outcome.singled_out_before))
    rows = Sentence("compare.before", before=format_number(outcome.rows_before))
    detail = format_share(outcome.detail.detail_left)
    return [
        Fact(
            Sentence("compare.people_policy"),
            Sentence("compare.limits_kept"),
            name_policy(verdict.policy, verdict.limits_from),
            "good",
        ),
        Fact(Sentence("compare.people_singled_out"), format_number(outcome.singled_out), before),
        Fact(Sentence("compare.people_smallest_class"), format_number(outcome.smallest_class)),
        Fact(Sentence("compare.detail_left"), detail),
        Fact(Sentence("compare.records"), format_number(released), rows),
    ]


def _plot_steps(result: Release) -> list[Block]:
    """Plot the share of cells or records that each step changed, or of what it cost."""
    shares = [(step, _measure_change(step, result.records)) for step in result.steps]
    rungs = [
        Rung(_name_step(step), ((share, "blue"),), format_share(share))
        for step, share in shares
        if share is not None
    ]
    if not has_visible_bar(rungs):
        return []
    title, axis = Sentence("anonymization.plot"), Axis(Sentence("anonymization.axis"))

    def draw(words: Words) -> Drawing:
        return draw_ladder(words, rungs, axis, description=title, small=True)

    return [Figure(title, draw, None, (Sentence("anonymization.read.plot"),), sql=_SQL)]


def _measure_change(step: StepDone, records: int) -> float | None:
    """Return the share of cells, records or detail that a step changed or removed.

    Cells that are not counted are those of all records.
    """
    if step.dropped:
        return 1.0
    if step.deleted is not None and step.records is not None:
        return step.deleted / max(1, step.deleted + step.records)
    if step.changed is not None and (cells := step.cells or records):
        return min(1.0, step.changed / cells)
    return step.gcp


def _name_step(step: StepDone) -> Sentence:
    method = Sentence(f"anonymization.by.{step.method}")
    return Sentence(
        "anonymization.step_named", step=str(step.step), method=method, column=Data(step.column or "")
    )


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
