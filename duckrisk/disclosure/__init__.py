"""Disclosure: the measures that statistical offices and privacy officers ask for, a module each."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

from duckrisk.disclosure import (
    attribute_disclosure,
    attribute_sets,
    class_sizes,
    direct_identifiers,
    information_gain,
    minimal_keys,
    suda,
)
from duckrisk.disclosure.class_sizes import POPULATION
from duckrisk.disclosure.direct_identifiers import kinds_of
from duckrisk.disclosure.options import MISSING, Options
from duckrisk.roles import Roles
from duckrisk.session import Session
from duckrisk.source import Source

__all__ = ["MISSING", "PARTS", "POPULATION", "Options", "kinds_of", "measure"]

_MEASURES = {
    "class_sizes": class_sizes.measure,
    "direct_identifiers": direct_identifiers.measure,
    "attribute_disclosure": attribute_disclosure.measure,
    "suda": suda.measure,
    "attribute_sets": attribute_sets.measure,
    "minimal_keys": minimal_keys.measure,
    "information_gain": information_gain.measure,
}
#: The parts of an assessment that are measured here, in the order of a report.
PARTS = tuple(_MEASURES)


def measure(
    session: Session,
    source: Source,
    found: Roles,
    options: Options,
    only: Collection[str],
    *,
    population: Source | None = None,
    show_values: bool = False,
) -> tuple[dict[str, Any], list[str]]:
    """The sections of a report that are in ``only``, None for the others, and notes on the source.
    ``population`` is the table of people that an attacker looks among, opened as :data:`POPULATION`.

    Raises UsageError for what cannot be asked of this source.
    """
    sections: dict[str, Any] = {}
    notes: list[str] = []
    for name, part in _MEASURES.items():
        sections[name] = None
        if name == "class_sizes":
            part = partial(class_sizes.measure, population=population)
        if name in only:
            sections[name], said = part(session, source, found, options, show_values=show_values)
            notes += said
    return sections, notes
