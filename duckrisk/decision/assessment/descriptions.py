"""Describe source, settings and environment of an assessment for its report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckrisk
from duckrisk.base.sentences import Data, Sentence, join_texts
from duckrisk.decision.assessment.literals import redact_literals
from duckrisk.decision.assessment.results import (
    AssessedSource,
    DisclosureSettings,
    Environment,
    SourceColumn,
    UsedSettings,
)
from duckrisk.engine.session import Session
from duckrisk.measures import disclosure, identifiability
from duckrisk.roles import Decision, Roles, append_reason, shown_type
from duckrisk.roles.results import describe_kind
from duckrisk.source import Request, Source

if TYPE_CHECKING:
    from duckrisk.decision.assessment import Settings


def describe_environment(session: Session, settings: Settings) -> Environment:
    """Describe the versions that an assessment ran with, and its seed.

    Args:
        session: The session.
        settings: The settings.
    """
    engine = session.engine
    where = f"{engine.name} {engine.version}" if engine is not None else None
    return Environment(duckrisk.__version__, session.engine_version, settings.measures.seed, where)


def describe_source(
    source: Source,
    roles: Roles,
    request: Request,
    settings: Settings,
    notes: Sequence[Sentence],
    by_content: dict[str, list[str]],
) -> AssessedSource:
    """Describe the source and the roles of its columns.

    Args:
        source: The source.
        roles: The roles of its columns.
        request: How the source was opened.
        settings: The settings; they decide whether conditions keep their values.
        notes: Notes of the parts.
        by_content: Kinds of direct identifiers that the values of a column look like, by its name.
    """
    where, query = request.where, request.query
    if not settings.show_values:
        where, query = redact_literals(where), redact_literals(query)
    exchanged = {name.casefold() for name in source.exchanged_columns}
    of_file = [Sentence("assess.settings_file", name=Data(settings.config))] if settings.config else []
    return AssessedSource(
        name=source.name,
        kind=source.kind,
        records=roles.records,
        users=roles.users,
        user=roles.user.name if roles.user is not None and roles.is_linked else None,
        lost_user=roles.lost_user,
        people_known=True if not roles.is_linked else None,
        user_confidence=roles.user_confidence,
        records_without_user=roles.without_user,
        records_of_token_users=roles.records_of_token_users,
        most_records_of_a_user=roles.most_records,
        columns=tuple(
            SourceColumn(
                name=decision.column.name,
                type=shown_type(decision.column.type),
                role=decision.role,
                confidence=decision.confidence,
                kind=decision.kind,
                reason=_explain_role(decision, by_content.get(decision.column.name, [])),
                missing=roles.records - decision.present,
                declared=decision.declared,
                keep=decision.keep,
                given=decision.given,
                against=decision.against,
                listed=decision.listed,
            )
            for decision in roles.decisions
        ),
        encoding=source.encoding,
        digest=source.digest,
        where=where,
        query=query,
        notes=(
            *of_file,
            *source.notes,
            *source.timezone_notes,
            *source.missing_column_notes,
            *roles.notes,
            *notes,
        ),
        undated=roles.undated or None,
        counted=roles.holdings.counted,
        holdings=roles.holdings,
        person_candidates=roles.person_candidates,
        doubts=tuple(roles.doubts),
        exchanged=tuple(column.name for column in source.columns if column.name.casefold() in exchanged),
    )


def _explain_role(decision: Decision, kinds: list[str]) -> Sentence | str:
    if not kinds or (decision.role == "direct_identifier" and decision.confidence == "sure"):
        return decision.reason or ""
    return append_reason(
        decision.reason, Sentence("roles.looks_like", kinds=join_texts(map(describe_kind, kinds)))
    )


def describe_settings(
    settings: Settings, request: Request, source: Source, parts: tuple[str, ...]
) -> UsedSettings:
    """Describe the settings of an assessment, without paths of files.

    Args:
        settings: The settings.
        request: How the source was opened.
        source: The source.
        parts: The measured parts, in their order.
    """
    overrides, disclosing = settings.overrides, settings.disclosure
    chosen = vars(settings.measures) | vars(settings.identifiability)
    measuring = {name: chosen[name] for name in chosen if name not in ("seed", "levels", "settled_levels")}
    levels = identifiability.list_named_levels(source, settings.identifiability)
    disclosed = None
    if set(settings.parts) & set(disclosure.PARTS):
        shown = {name: value for name, value in vars(disclosing).items() if name != "missing_tokens"}
        for name in ("population", "hierarchies"):  # a report shows no path
            shown[name] = Path(shown[name]).name if shown[name] is not None else None
        disclosed = DisclosureSettings(**shown)
    return UsedSettings(
        **measuring,
        user=overrides.user,
        attributes=overrides.attributes,
        ignore=overrides.ignore,
        roles=dict(overrides.roles),
        table=request.table,
        attached=request.attach.partition(":")[0] if request.attach and ":" in request.attach else None,
        encoding=request.encoding,
        header=request.header,
        timezone=source.timezone,
        read=source.requested_forms,
        only=parts,  # type: ignore[arg-type]
        levels={name: _describe_level(level) for name, level in levels.items()},
        disclosure=disclosed,
        config=settings.config,
        show_values=settings.show_values,
    )


def _describe_level(level: Any) -> str | tuple[int, ...]:
    """Describe a given level; values with levels of their own may be those of records."""
    if isinstance(level, dict):
        return "by value"
    return tuple(level) if isinstance(level, list) else level
