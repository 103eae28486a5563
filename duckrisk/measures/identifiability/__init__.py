"""Who can be singled out by what, what it reveals and what it is worth: Yamaoka and Itoh's analysis.

Attributes get their sensitivity levels (:mod:`levels`, :mod:`attributes`), are searched (:mod:`search`)
and make a section of the report (:mod:`section`); every number comes out of a template.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from duckrisk.base.errors import UsageError
from duckrisk.base.options.identifiability import Options
from duckrisk.base.results import in_english
from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.session import Session
from duckrisk.measures.identifiability.attributes import (
    Levelled,
    given_levels,
    left_out,
    level_attributes,
    most_telling,
    named_levels,
    split,
)
from duckrisk.measures.identifiability.levels import chart
from duckrisk.measures.identifiability.results import Identifiability, Unlevelled
from duckrisk.measures.identifiability.search import MOST_ATTRIBUTES
from duckrisk.measures.identifiability.section import Run
from duckrisk.roles import Roles
from duckrisk.source import Source

#: Records; with more the search runs only where it is asked for. No limit rests on it, and with 5 million
#: records of 500,000 people it takes half of the 85 CPU seconds of an assessment.
MOST_UNASKED = 4_000_000
#: Records; the tables of a search of more are dropped after it: those of 5 million records hold 300 MB.
HELD_RECORDS = 1_000_000

__all__ = [
    "Chosen",
    "Identifiability",
    "Levelled",
    "Options",
    "Run",
    "check",
    "choose",
    "given_levels",
    "level_attributes",
    "measure",
    "named_levels",
    "split",
]


def check(options: Options) -> None:
    """Raise UsageError where a setting makes no sense."""
    options.check()
    chart(options.profile)


def measure(
    session: Session,
    source: Source,
    roles: Roles,
    options: Options,
    *,
    show_values: bool = False,
    records: Path | None = None,
    required: bool = False,
    with_users: bool = True,
) -> tuple[Identifiability | None, list[Sentence]]:
    """Who can be singled out, and notes.

    ``records`` is a private file that gets the table of all records; ``required`` says that the section
    was asked for; without ``with_users`` nothing is told of users. Of more attributes than can be searched
    the most telling ones are. Raises UsageError for levels that are not there; the section is None where it
    could not be computed.
    """
    chosen = choose(source, roles, options)
    if not required and roles.records > MOST_UNASKED:
        return None, [Sentence("identifiability.note.unasked", records=f"{roles.records:,}")]
    if chosen.problem is not None:
        if required:
            raise UsageError(in_english(chosen.problem))
        return None, [*chosen.notes, Sentence("identifiability.note.not_measured", problem=chosen.problem)]
    run = Run(session, roles, options, chosen.searched, chosen.others)
    section = run.section(chosen.unlevelled, show_values, records, with_users)
    if roles.records > HELD_RECORDS and session.engine is None:
        run.drop_tables()
    return section, [*chosen.notes, *run.notes]


@dataclass
class Chosen:
    """The attributes that sets are made of and those that only count in the value of a leak, the columns
    without a level, and why nothing can be searched, if so."""

    searched: list[Levelled]
    others: list[Levelled]
    unlevelled: list[Unlevelled]
    notes: list[Sentence]
    problem: Sentence | None


def choose(source: Source, roles: Roles, options: Options) -> Chosen:
    """The attributes with their levels. Raises UsageError for levels that are not there."""
    levelled, unlevelled = level_attributes(source, roles, options, given_levels(source, options))
    notes = left_out(roles)
    what = Sentence("identifiability.note.identifiability")
    kept, said = most_telling(levelled, MOST_ATTRIBUTES, what)
    notes += said
    searched, others = split(kept, roles)
    problem = None
    if not searched and not unlevelled:
        problem = Sentence("identifiability.note.no_attribute")
        if notes:
            problem = Sentence("two", first=notes.pop(), second=problem)
    elif not searched:
        problem = Sentence("identifiability.note.no_level", line=Data(unlevelled[0].line))
    return Chosen(searched, others, unlevelled, notes, problem)
