"""Disclosure: the measures of statistical offices, a module each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from duckrisk.base.options.disclosure import MISSING, PARTS, Options
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import Session
from duckrisk.measures.disclosure import (
    attribute_disclosure,
    attribute_sets,
    class_sizes,
    direct_identifiers,
    information_gain,
    minimal_keys,
    noisy_knowledge,
    suda,
)
from duckrisk.measures.disclosure.choice import check_named
from duckrisk.measures.disclosure.class_sizes import POPULATION
from duckrisk.measures.disclosure.noisy_results import NoisyKnowledge
from duckrisk.measures.disclosure.results import (
    AttributeDisclosure,
    ClassSizes,
    DirectIdentifiers,
    InformationGain,
)
from duckrisk.measures.disclosure.set_results import AttributeSets, MinimalKeys, Suda
from duckrisk.roles import Roles
from duckrisk.source import Source

__all__ = [
    "MISSING",
    "PARTS",
    "POPULATION",
    "VERDICT_PARTS",
    "Disclosure",
    "Options",
    "check_named",
    "join",
    "measure",
]

#: The parts that a verdict needs.
VERDICT_PARTS = ("direct_identifiers",)

_MEASURES: dict[str, Callable[..., tuple[Any, list[Sentence]]]] = {
    "class_sizes": class_sizes.measure,
    "direct_identifiers": direct_identifiers.measure,
    "attribute_disclosure": attribute_disclosure.measure,
    "suda": suda.measure,
    "attribute_sets": attribute_sets.measure,
    "minimal_keys": minimal_keys.measure,
    "information_gain": information_gain.measure,
    "noisy_knowledge": noisy_knowledge.measure,
}


@dataclass(frozen=True)
class Disclosure:
    """The results of these measures, each None unless it was requested, and notes."""

    class_sizes: ClassSizes | None = None
    direct_identifiers: DirectIdentifiers | None = None
    attribute_disclosure: AttributeDisclosure | None = None
    suda: Suda | None = None
    attribute_sets: AttributeSets | None = None
    minimal_keys: MinimalKeys | None = None
    information_gain: InformationGain | None = None
    noisy_knowledge: NoisyKnowledge | None = None
    notes_by_part: Mapping[str, Sequence[Sentence]] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[Sentence, ...]:
        """The notes, in the order of the parts."""
        return tuple(note for name in _MEASURES for note in self.notes_by_part.get(name, ()))


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
    """Measure the requested parts.

    Args:
        session: The session, with the source as the assessed view.
        source: The source.
        roles: The roles of its columns.
        options: The options of all parts.
        only: Names of parts; those of other modules are ignored.
        population: The table of the population, opened as :data:`POPULATION`.
        show_values: Whether the results may show values of records.

    Raises:
        UsageError: The source lacks what a part needs.
    """
    sections: dict[str, Any] = {}
    notes: dict[str, Sequence[Sentence]] = {}
    for name in session.steps.track([name for name in _MEASURES if name in only]):
        part = _MEASURES[name]
        if name == "class_sizes":
            part = partial(class_sizes.measure, population=population)
        sections[name], notes[name] = part(session, source, roles, options, show_values=show_values)
    return Disclosure(**sections, notes_by_part=notes)


def join(first: Disclosure, second: Disclosure) -> Disclosure:
    """Join the results of different parts.

    Args:
        first: The results of some parts.
        second: The results of others.
    """
    sections = {name: getattr(second, name) or getattr(first, name) for name in _MEASURES}
    return Disclosure(**sections, notes_by_part={**first.notes_by_part, **second.notes_by_part})
