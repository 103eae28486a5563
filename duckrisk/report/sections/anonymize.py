"""What is told of a release that was written, and of what each step of its treatment did."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from duckrisk.anonymization.results import Release, StepDone
from duckrisk.numbers import number, share
from duckrisk.report.blocks import Block, Code, Document, Items, Listing, Paragraph, column, numbers
from duckrisk.report.safe import visible
from duckrisk.sentences import Data, Sentence, Text, say


def document(result: Release) -> Document:
    """What was written, what each step did, in counts, and where the recipe is."""
    place: Text = Data(result.path)
    if result.table is not None:
        place = say("anonymization.in_database", table=Data(result.table), path=place)
    title = say(
        "anonymization.title",
        place=place,
        released=number(result.released),
        records=number(result.records),
    )
    recipe = Paragraph(say("anonymization.recipe", path=Data(result.recipe_path)))
    return Document(
        title, (*_policy(result), steps(result.steps), recipe, *notes(result.notes), *_next(result))
    )


def _next(result: Release) -> list[Block]:
    """What to type next, where the command can be repeated: it fails where the policy is not kept."""
    if result.original is None:
        return []
    policy = ["--policy", result.policy.verdict.policy] if result.policy is not None else []
    words = ["duckrisk", "compare", result.original, str(result.path), *policy, "--fail-on", "policy"]
    if any(visible(word) != word or word.startswith("-") for word in (result.original, str(result.path))):
        return []
    return [Paragraph(say("anonymization.next")), Code(shlex.join(words))]


def _policy(result: Release) -> list[Block]:
    """The policy that the release keeps, what that cost, and what to type next."""
    kept = result.policy
    if kept is None:
        return []
    return [
        Paragraph(say("anonymization.policy_kept", policy=kept.verdict.policy), "verdict"),
        Paragraph(
            say(
                "anonymization.policy_cost",
                before=number(kept.singled_out_before),
                of=number(kept.people_before),
                after=number(kept.singled_out),
                people=number(kept.people),
                k=number(kept.smallest_class),
                deleted=number(result.records - result.released),
                share=share((result.records - result.released) / result.records),
                left=share(kept.information),
            ),
            "headline",
        ),
    ]


def steps(done: Iterable[StepDone]) -> Listing:
    """The steps, and what each did."""
    rows = tuple(
        (str(one.step), say(f"anonymization.by.{one.method}"), Data(one.column or ""), _did(one))
        for one in done
    )
    columns = (
        numbers("anonymization.step"),
        column("anonymization.method"),
        column("anonymization.column"),
        column("anonymization.did"),
    )
    return Listing(columns, rows)


def notes(told: Iterable[Sentence]) -> list[Block]:
    """Notes as a list."""
    texts = tuple(told)
    return [Items(texts)] if texts else []


def _did(one: StepDone) -> Text:
    """What a step did, in counts: never values."""
    if one.deleted is not None:
        return say("anonymization.deleted", count=number(one.deleted), kept=number(one.records))
    if one.pseudonyms is not None:
        return say("anonymization.pseudonyms", users=number(one.users), count=number(one.pseudonyms))
    if one.classes is not None:
        return say(
            "anonymization.classes",
            count=number(one.classes),
            smallest=number(one.smallest),
            ncp=number(one.ncp),
            gcp=share(one.gcp),
        )
    if one.groups is not None:
        return say("anonymization.groups", cells=number(one.changed), count=number(one.groups))
    if one.changed is not None:
        return say("anonymization.changed", count=number(one.changed))
    return say("anonymization.dropped" if one.dropped else "anonymization.order")
