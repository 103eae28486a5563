"""Advice for people: the releases that keep a policy, each made and judged as it would be written."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import cast

import duckrisk
from duckrisk.base.errors import NotReachedError, UsageError
from duckrisk.base.numbers import format_number
from duckrisk.base.options.policy import PolicyName
from duckrisk.base.sentences import Sentence, join_texts
from duckrisk.engine.steps import ProgressCallback, Steps
from duckrisk.measures.detail import Detail
from duckrisk.release.advice.publication import Publication
from duckrisk.release.advice.releasing import Maker
from duckrisk.release.advice.results import Advice, Line, Method, PeopleLine, Step, StopReason
from duckrisk.release.advice.study import Order, Study, study_original
from duckrisk.release.anonymization import Release, Target

#: The methods that are tried, and for each how many times the class size of the policy (a choice: five times
#: as large classes show what more safety costs).
WAYS = (("local", 1), ("local", 5), ("uniform", 1), ("columns", 1), ("summary", 1))

#: Errors of a method that a note explains.
_REASONS = ("nothing_left", "too_few_people", "kept_column_forbids", "kept_column_identifies")

#: Notes of a release on what it lacks.
_NOTES = ("advice.left_out_user", "advice.left_out_sensitive", "advice.left_out_hopeless")


def list_alternatives(order: Order, progress: ProgressCallback | None) -> Advice:
    """List the releases of an original that keep a policy.

    Args:
        order: The release that is asked for; its method and its floor of detail do not count.
        progress: Called with the steps of the job.

    Raises:
        DuckriskError: The source cannot be read, or an option does not fit it.
    """
    parts = Steps(progress)
    parts.plan("judged", "advice")
    study = study_original(order, parts)
    first = _describe_original(study)
    wishes = dataclasses.replace(order.wishes, least_detail=0.0)
    maker = Maker(dataclasses.replace(order, wishes=wishes), study, parts)
    plan = maker.plan(set())
    verdict = study.assessed.verdict
    lines: list[Line] = []
    notes: tuple[Sentence, ...] = ()
    ways: list[tuple[str, int]] = []
    reason: StopReason = "policy"
    if not (study.known and plan.published) and not verdict.is_kept:
        reason = "no_columns"
    elif verdict.exceeded or (plan.dropped and not verdict.is_kept):
        parts.begin("advice")
        ways = _list_ways(plan, study)
        lines, notes = _try_ways(maker, plan, parts.track(ways))
        reason = "policy" if lines else "no_step"
    # The detail of one row a person is that of other rows, so it is no more useful than records.
    lines.sort(key=lambda line: (line.step.method != "summary", line.detail.detail_left))
    return Advice(
        duckrisk=duckrisk.__version__,
        source=study.path,
        source_options=(),
        records=study.roles.records,
        objective="people",
        policy=cast(PolicyName, order.against.name),
        currency=order.currency,
        target=None,
        reached=bool(lines) or verdict.is_kept,
        stop_reason=reason,
        measured=len(ways),
        skipped=0,
        lines=(first, *lines),
        notes=(*study.notes, *notes),
        roles=study.roles,
        role_options=order.overrides.options,
        notices=study.notices,
        statements=study.statements,
    )


def _is_same_release(one: Line, other: Line) -> bool:
    """Return whether two ways led to the same classes."""
    return (one.step, one.records, one.detail) == (other.step, other.records, other.detail)


def _describe_original(study: Study) -> Line:
    """Describe the original as the first line."""
    known = len(study.known)
    return Line(
        step=Step(),
        options=(),
        records=study.roles.records,
        rows_before=study.roles.records,
        people=PeopleLine.of(study.assessed),
        detail=Detail(known, known, 1.0),
    )


def _list_ways(plan: Publication, study: Study) -> list[tuple[str, int]]:
    """List the methods to try, each with its class size."""
    if not plan.quasi_identifiers:
        return [("columns", plan.k)]
    return [
        (method, times * plan.k)
        for method, times in WAYS
        if (times == 1 or times * plan.k <= study.roles.users)
        and (method != "summary" or study.has_histories)
    ]


def _try_ways(
    maker: Maker, plan: Publication, ways: Iterable[tuple[str, int]]
) -> tuple[list[Line], tuple[Sentence, ...]]:
    """Make the releases, and say once for each reason why there are no others."""
    lines: list[Line] = []
    said: list[Sentence] = []
    reasons: list[tuple[Sentence, list[Sentence]]] = []
    for number, (method, k) in enumerate(ways, 1):
        part = maker.order.resources.for_part(number)
        own = dataclasses.replace(maker, order=dataclasses.replace(maker.order, resources=part))
        made = _try_way(own, plan, method, k)
        if isinstance(made, tuple):
            line, own_notes = made
            lines += [line] if not any(map(partial(_is_same_release, line), lines)) else []
            said += [note for note in own_notes if note not in said]
            continue
        name = Sentence(f"advice.method.{method}")
        larger = Sentence("advice.made_by", method=name, k=format_number(k))
        names = next((names for reason, names in reasons if reason == made), None)
        if names is None:
            reasons.append((made, names := []))
        if name not in names:  # what holds of the smallest classes says it all
            names.append(larger if k > plan.k else name)
    notes = [Sentence("advice.no_release", method=join_texts(names), why=why) for why, names in reasons]
    return lines, (*said, *notes)


def _try_way(maker: Maker, plan: Publication, method: str, k: int) -> tuple[Line, list[Sentence]] | Sentence:
    """Make a temporary release, and return its line and notes, or why there is none."""
    order = maker.order
    with tempfile.TemporaryDirectory(prefix="duckrisk_", dir=order.resources.temp) as folder:
        logged_as = order.resources.name_logged_file("release.parquet")
        target = Target(Path(folder) / "release.parquet", logged_as=logged_as)
        try:
            release = maker.try_method(method, k, target, lambda made: made)
        except (NotReachedError, UsageError) as error:
            if isinstance(error, NotReachedError) and error.because is not None:
                because: Sentence = error.because
                return because
            key = error.key.rpartition(".")[2]
            return Sentence(f"advice.why.{key}" if key in _REASONS else "advice.why.other")
    notes = [note for note in release.notes if note.key in _NOTES]
    return _describe_release(order, method, k, k > plan.k, release), notes


def _describe_release(order: Order, method: str, k: int, is_larger: bool, release: Release) -> Line:
    kept = release.policy
    assert kept is not None
    options = ["--to-policy", order.named_policy, "--method", method]
    if is_larger:
        options += ["--k", str(k)]
    for text in order.wishes.importance:
        options += ["--importance", text]
    return Line(
        step=Step(cast(Method, method), below=kept.smallest_class),
        options=(*options, *(("--least-detail", "0%") if kept.detail.detail_left < 0.5 else ())),
        records=release.released,
        rows_before=kept.rows_before,
        people=PeopleLine(
            people=kept.people,
            singled_out=kept.singled_out,
            singled_out_share=kept.singled_out / kept.people if kept.people else 0.0,
            smallest_class=kept.smallest_class,
            one_fact=kept.verdict.find_value("one_fact"),
            verdict=kept.verdict,
        ),
        detail=kept.detail,
    )
