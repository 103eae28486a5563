"""Disclosure: the measures that statistical offices and privacy officers ask for, a module each."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

from duckrisk.base.options.disclosure import MISSING, PARTS, Options
from duckrisk.base.results import aside
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import Session
from duckrisk.measures.disclosure import (
    attribute_disclosure,
    attribute_sets,
    class_sizes,
    direct_identifiers,
    information_gain,
    minimal_keys,
    suda,
)
from duckrisk.measures.disclosure.choice import check_named
from duckrisk.measures.disclosure.class_sizes import POPULATION
from duckrisk.measures.disclosure.results import (
    AttributeDisclosure,
    ClassSizes,
    DirectIdentifiers,
    InformationGain,
)
from duckrisk.measures.disclosure.set_results import AttributeSets, MinimalKeys, Suda
from duckrisk.roles import Roles
from duckrisk.source import Source

__all__ = ["MISSING", "PARTS", "POPULATION", "Disclosure", "Options", "check_named", "measure"]

_MEASURES: dict[str, Callable[..., tuple[Any, list[Sentence]]]] = {
    "class_sizes": class_sizes.measure,
    "direct_identifiers": direct_identifiers.measure,
    "attribute_disclosure": attribute_disclosure.measure,
    "suda": suda.measure,
    "attribute_sets": attribute_sets.measure,
    "minimal_keys": minimal_keys.measure,
    "information_gain": information_gain.measure,
}


@dataclass(frozen=True)
class Disclosure:
    """The measures of disclosure, each None where it was not asked for, and notes on the source."""

    class_sizes: ClassSizes | None = None
    direct_identifiers: DirectIdentifiers | None = None
    attribute_disclosure: AttributeDisclosure | None = None
    suda: Suda | None = None
    attribute_sets: AttributeSets | None = None
    minimal_keys: MinimalKeys | None = None
    information_gain: InformationGain | None = None
    notes: tuple[Sentence, ...] = aside()


def measure(
    session: Session,
    source: Source,
    roles: Roles,
    options: Options,
    only: Collection[str],
    *,
    population: Source | None = None,
    show_values: bool = False,
) -> Disclosure:
    """The parts of an assessment that are in ``only``. ``population`` is the table of people that an attacker
    looks among, opened as :data:`POPULATION`.

    Raises UsageError for what cannot be asked of this source.
    """
    sections: dict[str, Any] = {}
    notes: list[Sentence] = []
    for name in session.steps.track([name for name in _MEASURES if name in only]):
        part = _MEASURES[name]
        if name == "class_sizes":
            part = partial(class_sizes.measure, population=population)
        sections[name], said = part(session, source, roles, options, show_values=show_values)
        notes += said
    return Disclosure(**sections, notes=tuple(notes))
