"""A release that keeps a policy: what advice found is done, and what was written is judged."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from duckrisk import hierarchies, identifiability, policy, roles
from duckrisk.advice import run as advise
from duckrisk.advice.people import figures_of
from duckrisk.advice.results import Advice, Line
from duckrisk.anonymization import Release, Target, Treatment
from duckrisk.anonymization import run as anonymize
from duckrisk.anonymization.results import PolicyKept
from duckrisk.anonymization.steps import Step, coarser
from duckrisk.assessment.released import overrides_of_release
from duckrisk.errors import NotReachedError, UsageError
from duckrisk.options.advice import Options
from duckrisk.results import in_english
from duckrisk.sentences import Data, Sentence, joined, say
from duckrisk.session import Resources, Session
from duckrisk.source import Request, Source, open_source

#: More steps than any way has.
_ALL = 1_000_000


def release_of(
    request: Request,
    overrides: roles.RoleOverrides,
    tokens: tuple[str, ...],
    against: policy.Options,
    treatment: Treatment,
    target: Target,
    resources: Resources,
    progress: Callable[[str, float | None], None] | None = None,
) -> Release:
    """Make a release that keeps a policy, by the hierarchies of a ``treatment``. Raises NotReachedError
    where that cannot be, and the errors of :mod:`duckrisk.errors`; nothing is left behind then."""
    definitions = hierarchies.parse_all(treatment.hierarchies, treatment.folder, "the treatment")
    levels = identifiability.Options(missing_tokens=tokens)
    options = Options(objective="people", steps=_ALL)
    advice = advise(request, overrides, levels, options, resources, progress, definitions, against)
    source = Path(advice.source).name
    if advice.ended != "policy":
        raise NotReachedError("advice.policy_not_reached", source=source, policy=against.name)
    if len(advice.lines) == 1:
        raise UsageError("advice.policy_kept_already", source=source, policy=against.name)
    line = advice.lines[-1]
    kept: list[PolicyKept] = []

    def check(file: Path) -> None:
        kept.append(_judged(file, target, advice, line, tokens, against, resources))

    steps = tuple(_steps(line))
    release = anonymize(
        request, dataclasses.replace(treatment, steps=steps), target, resources, progress, check
    )
    return dataclasses.replace(release, policy=kept[0])


def _steps(line: Line) -> Iterator[Step]:
    """The steps of a line, whose options are those of ``duckrisk anonymize``."""
    below, among, user = None, [], None
    dropped = []
    for flag, value in zip(line.options[::2], line.options[1::2], strict=True):
        if flag == "--pseudonymize":
            yield Step("pseudonymize", {"column": value})
        elif flag == "--generalize":
            name, _, how = value.rpartition("=")
            yield Step("generalize", {"column": name, **coarser(how)})
        elif flag == "--delete-classes-below":
            below = int(value)
        elif flag == "--quasi-identifier":
            among.append(value)
        elif flag == "--user":
            user = value
        else:
            assert flag == "--drop"
            dropped.append(value)
    if below is not None:
        named = {"user": user} if user is not None else {}
        yield Step("delete-classes", {"below": below, "quasi_identifiers": among, **named})
    for name in dropped:
        yield Step("suppress", {"column": name, "drop": True})


def _judged(
    file: Path,
    target: Target,
    advice: Advice,
    line: Line,
    tokens: tuple[str, ...],
    against: policy.Options,
    resources: Resources,
) -> PolicyKept:
    """What the policy says to the file that was written, read anew with the roles of the original."""
    assert advice.roles is not None
    path = file.with_name(f"written{target.path.suffix.lower()}")
    os.link(file, path)
    with Session(resources) as session:
        opened = open_source(session, Request(path))
        read = roles.infer(session, opened, overrides_of_release(advice.roles, opened), tokens=tokens)
        figures = figures_of(session, opened, read, tokens, against)
    verdict = figures.verdict
    if verdict.exceeded:
        limits = ", ".join(limit.name for limit in verdict.exceeded)
        raise NotReachedError("advice.policy_not_kept", policy=against.name, limits=limits)
    reasons = [*_guesses(advice.roles, opened), *verdict.undecided_because]
    if reasons:
        reason = in_english(reasons[0])
        raise NotReachedError("advice.policy_undecided", policy=against.name, reason=reason)
    before = advice.lines[0].people
    assert before is not None
    return PolicyKept(
        people_before=before.people,
        singled_out_before=before.singled_out,
        people=figures.people,
        singled_out=figures.classes.alone,
        smallest_class=figures.classes.smallest,
        information=line.information,
        verdict=verdict,
    )


def _guesses(original: roles.Roles, release: Source) -> Iterator[Sentence]:
    """What is guessed of who is who, and can make a release look safer than it is."""
    if original.user_confidence == "guess":
        yield say("advice.guessed_user")
    published = {column.name for column in release.columns}
    guessed = [
        say("roles.quoted", name=Data(decision.column.name))
        for decision in original.decisions
        if decision.confidence == "guess" and decision.role not in ("user", "constant", "ignored")
        if decision.column.name in published
    ]
    if guessed:
        yield say("advice.guessed_roles", names=joined(guessed))
