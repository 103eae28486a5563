"""The figures of each attribute set: distinction, separation, and who is singled out."""

from __future__ import annotations

from dataclasses import replace

from duckrisk.base.options.disclosure import Options, Rule
from duckrisk.base.results import Truncation
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import Session
from duckrisk.measures.disclosure.known_sets import KnownSets
from duckrisk.measures.disclosure.set_results import AttributeSets, BestSet, SetFigures, SetsByRule
from duckrisk.measures.sets.lattice import Lattice
from duckrisk.measures.sets.surveys import Survey
from duckrisk.roles import Roles
from duckrisk.source import Source

#: Sets that a report lists (a choice: those of up to 10 attributes).
MOST_LISTED = 1_000


def measure(
    session: Session, source: Source, roles: Roles, options: Options, *, show_values: bool = False
) -> tuple[AttributeSets, list[Sentence]]:
    """Measure the figures of attribute sets, which hold no values.

    Args:
        session: The session, with the source as the assessed view.
        source: The source.
        roles: The roles of its columns.
        options: The options of all parts.
        show_values: Without effect.

    Returns:
        The figures, and notes.

    Raises:
        UsageError: There is nothing to search, or it takes too long.
    """
    known = KnownSets(session, source, roles, options, "attribute_sets")
    lattice, searched = known.lattice, known.describe()
    survey = Survey(lattice, options.time_limit)
    survey.run(searched.persons)
    best = _list_best(known, lattice)
    sets = session.run("set_listed", most=MOST_LISTED, best_only=False)
    section = AttributeSets(
        **vars(searched),
        combinations=lattice.combinations.count,
        method=survey.method,
        one_in=survey.one_in,
        estimated_seconds=survey.seconds,
        estimated_seconds_exact=survey.estimate_seconds(None, is_sampled=False),
        max_size=survey.size,
        complete=survey.limit is None,
        limit=survey.limit,
        sets_possible=lattice.count_sets(),
        sets_examined=survey.count_examined(),
        best=best,
        sets_listed=Truncation.pop_from(sets),
        sets=tuple(SetFigures(known.list_names(row.pop("mask")), **row) for row in sets),
        other_rules=(),
    )

    def search(other: Lattice, rule: Rule) -> SetsByRule:
        survey = Survey(other, options.time_limit)
        survey.run(searched.persons)
        return SetsByRule(
            missing=rule,
            method=survey.method,
            max_size=survey.size,
            sets_examined=survey.count_examined(),
            complete=survey.limit is None,
            limit=survey.limit,
            best=_list_best(known, other),
        )

    others = known.compare_rules(survey.size, survey.limit, search, SetsByRule)
    return replace(section, other_rules=others), known.notes


def _list_best(known: KnownSets, lattice: Lattice) -> tuple[BestSet, ...]:
    """List the best set of each size."""
    rows = lattice.session.run("set_listed", most=lattice.count, best_only=True)
    equals = [Truncation.pop_from([row]).equal_to_last for row in rows]
    return tuple(
        BestSet(known.list_names(row.pop("mask")), **row, equals=others)
        for row, others in zip(rows, equals, strict=True)
    )
