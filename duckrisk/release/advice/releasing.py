"""A release that keeps a policy: what advice found is done, and what was written is judged."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from duckrisk import roles
from duckrisk.base.errors import NotReachedError, UsageError
from duckrisk.base.numbers import format_number
from duckrisk.base.options.advice import Options
from duckrisk.base.results import in_english
from duckrisk.base.sentences import Sentence
from duckrisk.decision import assessment, policy
from duckrisk.decision.assessment.questions import quote_names
from duckrisk.decision.assessment.release_roles import infer_release_roles
from duckrisk.decision.notices import RECORD_SETTINGS, FileSettings
from duckrisk.decision.policy.results import Verdict
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback, Steps
from duckrisk.engine.templates import Sql
from duckrisk.measures import identifiability
from duckrisk.release.advice import run as advise
from duckrisk.release.advice.results import Advice, Line
from duckrisk.release.anonymization import Judge, Release, Target, Treatment, output, recipe
from duckrisk.release.anonymization import run as anonymize
from duckrisk.release.anonymization.people_behind import Matching, create_people_table
from duckrisk.release.anonymization.results import PolicyKept
from duckrisk.release.anonymization.steps import Step, parse_coarser
from duckrisk.source import VIEW, Request, hierarchies, open_source, open_sources
from duckrisk.source.matching import align_text_columns

#: More steps than any way has.
_ALL = 1_000_000
#: The view of the file that was written, where the original is the assessed view.
_WRITTEN = "release"


def release_of(
    request: Request,
    overrides: roles.RoleOverrides,
    tokens: tuple[str, ...],
    against: policy.Options,
    treatment: Treatment,
    target: Target,
    resources: Resources,
    progress: ProgressCallback | None,
    judge: Judge,
    file_settings: FileSettings | None = None,
    drop: str | None = None,
) -> Release:
    """Make a release that keeps a policy, by the hierarchies of a ``treatment``, and ``judge`` it.

    ``drop`` is the column of the user where nothing is to link the records of a person. A column that looks
    sensitive, and of which groups of alike people share a value, is left out: nobody said whether that
    matters. Raises NotReachedError where no release keeps the policy, and the errors of
    :mod:`duckrisk.base.errors`; nothing is left behind then.
    """
    without: tuple[str, ...] = ()
    while True:
        try:
            return _release_without(
                *(without, request, overrides, tokens, against, treatment, target, resources),
                *(progress, judge, file_settings, drop),
            )
        except _LooksSensitive as found:
            if set(found.names) <= set(without):
                raise found.error from None
            without = (*without, *found.names)


class _LooksSensitive(Exception):
    """A release is undecided for nothing but columns that look sensitive."""

    def __init__(self, names: tuple[str, ...], error: NotReachedError) -> None:
        self.names, self.error = names, error


def _release_without(
    without: tuple[str, ...],
    request: Request,
    overrides: roles.RoleOverrides,
    tokens: tuple[str, ...],
    against: policy.Options,
    treatment: Treatment,
    target: Target,
    resources: Resources,
    progress: ProgressCallback | None,
    judge: Judge,
    file_settings: FileSettings | None,
    drop: str | None,
) -> Release:
    """Make the release without some columns. Raises _LooksSensitive where more have to be left out."""
    definitions = hierarchies.parse_hierarchies(treatment.hierarchies, treatment.folder, "the treatment")
    levels = identifiability.Options(missing_tokens=tokens)
    options = Options(objective="people", steps=_ALL)
    output.check_output(target, request)  # before all that is measured to find the treatment
    recipe.check_recipe_path(target.named, request, overwrite=target.overwrite)
    parts = Steps(progress)
    parts.plan("advice", "anonymization", "judged")
    first = 3 * len(without)  # a script for each run
    advising = resources.for_part(first + 1) if without else resources
    asked = (definitions, against, file_settings, drop, without)
    advice = advise(request, overrides, levels, options, advising, parts, *asked)
    source = Path(advice.source).name
    if advice.stop_reason == "histories" or (advice.unlinked and drop is None):
        assert advice.roles is not None
        assert advice.roles.user is not None
        found = {"source": source, "policy": _name(against), "user": advice.roles.user.name}
        _refuse_histories(found, can_drop=advice.stop_reason == "policy")
    chosen = [in_english(one.text) for one in advice.notices or () if one.setting in RECORD_SETTINGS]
    records = f" ({'; '.join(chosen)})" if chosen else ""
    if advice.stop_reason != "policy":
        raise NotReachedError(
            "advice.policy_not_reached", source=source, policy=_name(against), records=records
        )
    line = advice.lines[-1]
    if len(advice.lines) == 1:
        assert line.people is not None
        _check_decided(line.people.verdict)
        raise UsageError("advice.policy_kept_already", source=source, policy=_name(against), records=records)

    def check(file: Path, release: Release) -> Release:
        parts.begin("judged")
        written = request, treatment, file, target
        kept = _judged(*written, advice, line, tokens, against, resources.for_part(first + 3), parts)
        if without:
            left = Sentence(
                "advice.left_out_sensitive", names=quote_names(without), count=format_number(len(without))
            )
            release = dataclasses.replace(release, notes=(*release.notes, left))
        return judge(dataclasses.replace(release, policy=kept))

    assert advice.roles is not None
    user, folds = advice.roles.user, advice.roles.overrides.fold_keys
    folded = user.name if folds and user is not None and user.type == "VARCHAR" else None
    treatment = dataclasses.replace(treatment, steps=tuple(_steps(line)), fold_keys=folded)
    parts.begin("anonymization")
    part = resources.for_part(first + 2)
    return anonymize(
        request, treatment, target, part, parts, check=check, file_settings=file_settings, against=against
    )


def _refuse_histories(found: dict[str, str], *, can_drop: bool) -> NoReturn:
    """Raise NotReachedError: linked records do not keep the policy, and say whether unlinked ones do."""
    if can_drop:
        raise NotReachedError(
            "advice.histories_not_kept", source=found["source"], policy=found["policy"], user=found["user"]
        )
    raise NotReachedError(
        "advice.histories_never_kept", source=found["source"], policy=found["policy"], user=found["user"]
    )


def _name(against: policy.Options) -> str:
    """Name a policy in quotes for the sentence of an error."""
    return in_english(policy.name_policy(against.name, policy.find_limits_source(against)))


def _check_decided(verdict: Verdict) -> None:
    """Raise NotReachedError where a verdict that exceeds no limit is undecided, or _LooksSensitive."""
    if not verdict.is_kept:
        reasons = verdict.undecided_because
        named = in_english(policy.name_policy(verdict.policy, verdict.limits_from))
        error = NotReachedError("advice.policy_undecided", policy=named, reason=in_english(reasons[0]))
        if all(reason.key == "policy.unsettled.sensitive" for reason in reasons):
            raise _LooksSensitive(tuple(str(reason.values["column"]) for reason in reasons), error)
        raise error


def _steps(line: Line) -> Iterator[Step]:
    """The steps of a line, whose options are those of ``duckrisk anonymize``."""
    below, among, user = None, [], None
    dropped = []
    for flag, value in zip(line.options[::2], line.options[1::2], strict=True):
        if flag == "--pseudonymize":
            yield Step("pseudonymize", {"column": value})
        elif flag == "--generalize":
            name, _, how = value.rpartition("=")
            yield Step("generalize", {"column": name, **parse_coarser(how)})
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
    request: Request,
    treatment: Treatment,
    file: Path,
    target: Target,
    advice: Advice,
    line: Line,
    tokens: tuple[str, ...],
    against: policy.Options,
    resources: Resources,
    progress: ProgressCallback,
) -> PolicyKept:
    """What the policy says to the file that was written, read anew with the roles of the original; where it
    has no user column, the original in ``request`` says whose its records are."""
    assert advice.roles is not None
    form = target.path.suffix.lower()
    path = file.with_name(f"written{form}")
    try:
        os.link(file, path)
    except OSError:  # not every disk gives a file a second name
        shutil.copyfile(file, path)
    written = Request(path, header=True if form == ".csv" else None)
    with Session(resources, progress) as session:
        session.steps.plan("source", "disclosure", "attribute", "uniqueness")
        session.renamed_files[path] = target.path
        people = None
        if advice.unlinked and advice.roles.most_records > 1:  # else each record is one person, as it was
            assert advice.roles.user is not None
            requests = [(VIEW, request), (_WRITTEN, written)]
            original, opened = open_sources(session, requests, with_digest=False)
            align_text_columns([original, opened], [])
            people, relation = "people_of_release", Sql(f"temp.main.{_WRITTEN}")
            matching = Matching(treatment, is_aligned=True)
            folds = bool(advice.roles.overrides.fold_keys)
            create_people_table(
                session, original, advice.roles.user, opened, relation, matching, people, folds=folds
            )
            opened.use_view(VIEW)
        else:
            opened = open_source(session, written)
        opened.pseudonymized_columns = frozenset(
            step.options["column"] for step in treatment.steps if step.method == "pseudonymize"
        )
        read, _ = infer_release_roles(session, advice.roles, opened, tokens, people)
        levels = identifiability.Options(missing_tokens=tokens)
        assessed = assessment.assess_for_policy(session, opened, read, levels, against)
    verdict = assessed.verdict
    if verdict.exceeded:
        limits = ", ".join(limit.name for limit in verdict.exceeded)
        raise NotReachedError("advice.policy_not_kept", policy=_name(against), limits=limits)
    _check_decided(verdict)
    together = assessed.uniqueness.all_attributes if assessed.uniqueness is not None else None
    assert together is not None  # else nothing would be decided
    before = advice.lines[0].people
    assert before is not None
    return PolicyKept(
        people_before=before.people,
        singled_out_before=before.singled_out,
        people=assessed.source.users,
        singled_out=together.people,
        smallest_class=together.smallest_class,
        detail=line.detail,
        information=line.information,
        verdict=verdict,
    )
