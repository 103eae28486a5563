"""Adds to the page of a release what its columns held before and after, measured when a page is asked for."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from duckrisk.base.errors import DuckriskError
from duckrisk.base.options.comparison import Options
from duckrisk.base.options.source import Request, Resources

if TYPE_CHECKING:
    from duckrisk.decision.assessment import Settings
    from duckrisk.release.anonymization import Release


def prepare_page(
    release: Release,
    original: Request,
    settings: Settings,
    resources: Resources,
    options: tuple[tuple[str, ...], ...],
) -> Release:
    """Return a release whose page shows the distributions before and after.

    Args:
        release: The release.
        original: How to open the table that it was made from.
        settings: The settings by which the tables are compared.
        resources: Memory, threads and files of the comparison.
        options: The options by which ``duckrisk compare`` judges the release.
    """
    if not release.written or release.path is None or release.path.is_dir():
        return release  # it was given back, or an engine wrote it, which alone reads its original
    if release.table is None and _is_read_by_name(original):
        release = replace(release, original=os.fspath(original.source), role_options=options)
    return replace(release, complete_page=partial(_add_distributions, original, settings, resources))


def _is_read_by_name(request: Request) -> bool:
    """Return whether the name of a source is enough to read the same records."""
    reading = (request.where, request.query, request.attach, request.table, request.encoding, request.header)
    is_plain = reading == (None,) * 6 and request.skip_lines is None
    return is_plain and isinstance(request.source, (str, os.PathLike)) and request.source != "-"


def _add_distributions(
    original: Request, settings: Settings, resources: Resources, release: Release
) -> Release:
    """Add the distributions before and after, if the tables can still be compared."""
    from duckrisk.release import comparison
    from duckrisk.source.requests import parse_request

    named = str(release.path) if release.table is None else f"{release.path}:{release.table}"
    try:
        written = parse_request(named)
        result = comparison.run(
            original, [written], settings, Options(only=("utility",)), resources.for_part(2)
        )
    except DuckriskError:
        return release
    utility = result.releases[0].utility
    if utility is None:
        return release
    statements = (*release.statements, *result.statements)
    return replace(release, distributions=utility.distributions, statements=statements)
