"""The original of a release: what is asked for, and what is known before anything is released."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from duckrisk import roles
from duckrisk.base.errors import UsageError
from duckrisk.base.options.anonymization import OF_SETTINGS, Wishes
from duckrisk.base.results import in_english
from duckrisk.base.sentences import Sentence
from duckrisk.decision import assessment, policy
from duckrisk.decision.assessment.release_roles import infer_release_roles
from duckrisk.decision.assessment.results import Assessment
from duckrisk.decision.notices import RECORD_SETTINGS, FileSettings, Notice, list_notices
from duckrisk.engine.session import ASSESSED, Resources, Session
from duckrisk.engine.sql_log import Statement
from duckrisk.engine.steps import ProgressCallback
from duckrisk.measures import identifiability
from duckrisk.measures.disclosure.choice import special_categories
from duckrisk.release.anonymization import Treatment
from duckrisk.release.anonymization.steps import Step, check_kept_columns
from duckrisk.release.anonymization.summary import find_varying, list_origins, summarize_source
from duckrisk.roles import Roles
from duckrisk.source import Request, Source, open_source

#: Share of people with a history of their own; above it no classes make varying histories alike (a choice:
#: of 71,518 patients 1 % kept one in classes of 11 people).
UNIQUE_SHARE = 0.5


@dataclass(frozen=True)
class Study:
    """What is known of an original before anything of it is released.

    Attributes:
        source: Name of the source, for messages.
        path: Path of the source, or its name.
        chosen: How its records were chosen, for messages; "" for all.
        roles: Its roles.
        assessed: Its assessment by the policy.
        sensitive: Columns whose values no class may disclose: declared, or proposed by their names.
        known: Columns that an attacker may know.
        notices: Settings that affect the records.
        notes: Notes on how it was read.
        statements: The statements that measured it.
        summary: The step that makes one row a person, where that is what was studied; else None.
        varying: Columns in which somebody has several values, where the policy limits whole histories and
            most of them are unique.
    """

    source: str
    path: str
    chosen: str
    roles: Roles
    assessed: Assessment
    sensitive: tuple[str, ...]
    known: tuple[str, ...]
    notices: tuple[Notice, ...] | None
    notes: tuple[Sentence, ...]
    statements: tuple[Statement, ...]
    summary: Step | None = None
    varying: frozenset[str] = frozenset()

    @property
    def has_histories(self) -> bool:
        """Whether people have several records."""
        return self.roles.user is not None and self.roles.most_records > 1


@dataclass(frozen=True)
class Order:
    """A release that is asked for.

    Attributes:
        request: How to open the original.
        overrides: Roles that a person gave.
        against: The policy.
        treatment: The hierarchies and the seed.
        resources: Memory, threads and files of the sessions.
        wishes: What a person wants of the release.
        k: Minimum number of people in a class, where it is above that of the policy.
        drop: The user column, to leave it out; None to decide by the policy.
        file_settings: Settings of the file that count, for notices.
        currency: The currency of the settings.
    """

    request: Request
    overrides: roles.RoleOverrides
    against: policy.Options
    treatment: Treatment
    resources: Resources
    wishes: Wishes = field(default_factory=Wishes)
    k: int | None = None
    drop: str | None = None
    file_settings: FileSettings | None = None
    currency: str = "JPY"

    @property
    def tokens(self) -> tuple[str, ...]:
        """Texts that mean a missing value."""
        return self.resources.missing_tokens

    @property
    def named_policy(self) -> str:
        """The policy as ``--to-policy`` takes it."""
        return self.against.name if policy.find_limits_source(self.against) is None else OF_SETTINGS

    @property
    def policy(self) -> str:
        """The name of the policy, in quotes, for messages."""
        return in_english(policy.name_policy(self.against.name, policy.find_limits_source(self.against)))


def study_original(order: Order, progress: ProgressCallback | None, *, summarized: bool = False) -> Study:
    """Study the original of a release.

    Args:
        order: The release that is asked for.
        progress: Called with the steps of the job.
        summarized: Whether to study one row a person instead of the records.

    Raises:
        DuckriskError: The source cannot be read, or an option does not fit it.
    """
    request = order.request
    with Session(order.resources, progress) as session:
        session.steps.plan("source", "roles", "identifiers", "attribute", "uniqueness")
        opened = open_source(session, request)
        session.steps.begin("roles")
        if order.wishes.method != "summary":  # whose rows have columns of their own
            for name in order.wishes.weights:
                opened.column(name)
        inferred = roles.infer(session, opened, order.overrides, tokens=order.tokens)
        if order.drop is not None:
            dropping = Step("suppress", {"column": order.drop, "drop": True})
            check_kept_columns(opened, [dropping], order.overrides)
            if inferred.user != opened.column(order.drop):
                raise UsageError("advice.dropped_column_is_not_user", column=order.drop)
        summary = None
        if summarized:
            assert inferred.user is not None
            step = Step("summarize", {"user": inferred.user.name})
            summary = summarize_source(session, opened, step, _list_guarded_columns(opened, inferred))
            kept = {decision.column.name for decision in inferred.decisions if decision.keep}
            inferred, _ = infer_release_roles(session, inferred, opened, order.tokens)
            origins = list_origins(summary)
            for decision in inferred.decisions:
                decision.keep = decision.keep or origins.get(decision.column.name) in kept
        levels = identifiability.Options(missing_tokens=order.tokens)
        assessed = assessment.assess_for_policy(session, opened, inferred, levels, order.against)
        unique = assessed.verdict.find_value("unique_histories") or 0.0
        varying = _find_varying_columns(session, inferred) if unique > UNIQUE_SHARE else frozenset()
        declared = [d.column.name for d in inferred.decisions if d.declared == "sensitive"]
        proposed = [d.column.name for d, _ in special_categories(opened, inferred) if d.declared is None]
        notices = list_notices(
            order.file_settings or FileSettings(), request, opened.unfiltered_records, inferred.records,
            order.against,
        )  # fmt: skip
        chosen = [in_english(one.text) for one in notices or () if one.setting in RECORD_SETTINGS]
        name = os.fspath(request.source) if isinstance(request.source, (str, os.PathLike)) else opened.name
    return Study(
        source=Path(name).name,
        path=name,
        chosen=f" ({'; '.join(chosen)})" if chosen else "",
        roles=inferred,
        assessed=assessed,
        sensitive=(*declared, *proposed),
        known=tuple(decision.column.name for decision in roles.known_columns(inferred)),
        notices=notices,
        notes=(*opened.reading_notes, *opened.timezone_notes, *opened.missing_column_notes, *inferred.notes),
        statements=tuple(session.log),
        summary=summary,
        varying=varying,
    )


def _find_varying_columns(session: Session, inferred: Roles) -> frozenset[str]:
    """Find the columns in which somebody has several values."""
    user, columns = inferred.user, [decision.column for decision in roles.known_columns(inferred)]
    if user is None:
        return frozenset()
    varying = find_varying(session, ASSESSED, user.binding, [column.binding for column in columns])
    return frozenset(column.name for column in columns if column.binding in varying)


def _list_guarded_columns(source: Source, original: Roles) -> list[str]:
    """List the columns whose values a summary counts where people have several."""
    sensitive = {decision.column.name for decision, _ in special_categories(source, original)}
    return [
        d.column.name
        for d in original.decisions
        if d.role not in ("attribute", "date_time") or d.declared == "sensitive" or d.column.name in sensitive
    ]
