"""Measure releases one after another: who is alone in all, though hidden in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import duckrisk
from duckrisk import roles
from duckrisk.base.errors import UsageError
from duckrisk.base.options.sequence import Options
from duckrisk.base.results import Environment
from duckrisk.decision.assessment import Settings
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.measures import sequence
from duckrisk.release.sequence.results import ReleaseSequence
from duckrisk.roles import RoleOverrides
from duckrisk.source import VIEW, Request, Source, open_sources
from duckrisk.source.long_values import share_digests
from duckrisk.source.matching import distinguish_names
from duckrisk.source.model import find_column

__all__ = ["Options", "run"]


def run(
    releases: Sequence[Request],
    key_tables: Sequence[Request | None],
    settings: Settings,
    options: Options,
    resources: Resources,
    progress: ProgressCallback | None = None,
) -> ReleaseSequence:
    """Measure what several releases single out together.

    The last release is read as an assessment reads it, and its roles are those of all.

    Args:
        releases: How to open each release, in their order.
        key_tables: The key table of each release, or none; None stands for a release without one.
        settings: The settings of an assessment of the last release.
        options: The columns that link records.
        resources: Memory, threads and files of the session.
        progress: Called with the steps of the job.

    Raises:
        DuckriskError: A table cannot be read, or the releases do not fit (:mod:`duckrisk.base.errors`).
    """
    options.check()
    if len(releases) < 2:
        raise UsageError("sequence.one_release")
    earlier = sequence.Earlier(tuple(releases[:-1]), tuple(key_tables))
    tokens = settings.missing_tokens
    with Session(resources, progress) as session:
        session.steps.plan("source", "roles", "sequence")
        views = [(VIEW, releases[-1]), *earlier.list_views()]
        last, *others = open_sources(session, views, with_digest=False)
        opened = earlier.select_opened(others)
        distinguish_names([*opened.releases, last], releases)
        sequence.align_releases(last, opened, settings.overrides)
        session.steps.begin("roles")
        overrides, more = _split_quasi_identifiers(settings.overrides, last, opened.releases)
        inferred = roles.infer(session, last, overrides, tokens=tokens)
        share_digests(session, last, [(source.view, source) for source in opened.releases])
        session.steps.begin("sequence")
        figures = sequence.measure(session, last, opened, inferred, tokens, options.stable, more)
        engine = session.engine_version
    assert inferred.user is not None
    sources = (*opened.releases, last)
    return ReleaseSequence(
        user=inferred.user.name,
        attributes=(*(attribute.name for attribute in inferred.plausible), *more),
        **vars(figures),
        notes=tuple(note for source in sources for note in source.notes),
        config=settings.config,
        environment=Environment(duckrisk.__version__, engine),
        statements=tuple(session.log),
    )


def _split_quasi_identifiers(
    overrides: RoleOverrides, last: Source, earlier: Sequence[Source]
) -> tuple[RoleOverrides, tuple[str, ...]]:
    """Take the declared quasi-identifiers out that only earlier releases have."""
    more = tuple(
        name
        for name in overrides.quasi_identifiers
        if find_column(last.columns, name) is None
        and any(find_column(source.columns, name) is not None for source in earlier)
    )
    names = tuple(name for name in overrides.quasi_identifiers if name not in more)
    return replace(overrides, quasi_identifiers=names), more
