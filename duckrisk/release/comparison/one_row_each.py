"""Compare releases of one row a person with one row a person of the original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from duckrisk.release.anonymization import apply_steps
from duckrisk.release.anonymization.chain import Chain
from duckrisk.release.anonymization.people_behind import Matching
from duckrisk.release.anonymization.randomness import Chance
from duckrisk.release.anonymization.steps import DRAWING_METHODS, Treatment
from duckrisk.release.anonymization.summary import replace_records
from duckrisk.source import Request, Source
from duckrisk.source.hierarchies import parse_hierarchies


def find_summary(releases: Sequence[Request]) -> Treatment | None:
    """Find the steps that make one row a person of the records; None without them.

    New names for people change no row.

    Args:
        releases: How to open the releases.

    Raises:
        UsageError: The releases have other rows, or nobody can make these again.
    """
    found: list[Treatment | None] = []
    for request in releases:
        treatment = Matching.by_recipe(request).treatment
        methods = [step.method for step in treatment.steps] if treatment is not None else []
        if treatment is None or "summarize" not in methods:
            found.append(None)
            continue
        steps = treatment.steps[: methods.index("summarize") + 1]
        steps = [step for step in steps if step.method != "pseudonymize" or "period" in step.options]
        if treatment.seed is None and any(
            step.method in (*DRAWING_METHODS, "pseudonymize") for step in steps
        ):
            raise UsageError("comparison.summary_of_drawn_records")
        found.append(replace(treatment, steps=steps))
    first = found[0]
    if any((one and one.steps) != (first and first.steps) for one in found):
        raise UsageError("comparison.other_summaries")
    return first


def summarize_original(session: Session, original: Source, summary: Treatment) -> None:
    """Let one row a person stand in place of the records of the original.

    Args:
        session: The session, with the original as the assessed view.
        original: The original, whose columns change.
        summary: The steps up to the summary.
    """
    definitions = parse_hierarchies(summary.hierarchies, summary.folder, "the treatment")
    chain = Chain(session, original, Chance(summary.seed), definitions)
    for _ in apply_steps(chain, summary.steps):
        pass
    replace_records(chain, original)
