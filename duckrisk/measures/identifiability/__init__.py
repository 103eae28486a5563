"""Identifiability: who is singled out by what, what it reveals, what it is worth.

This is Yamaoka and Itoh's analysis. Attributes get their sensitivity levels (:mod:`levels`,
:mod:`attributes`), are searched (:mod:`duckrisk.measures.sets`) and make a section of the report
(:mod:`section`). Every number comes from a template.
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
    LevelledColumn,
    level_attributes,
    list_named_levels,
    note_composites,
    read_given_levels,
    select_most_distinct,
    split_searched,
)
from duckrisk.measures.identifiability.by_value import split_by_level
from duckrisk.measures.identifiability.levels import read_chart
from duckrisk.measures.identifiability.results import Identifiability, Unlevelled
from duckrisk.measures.identifiability.section import SearchRun
from duckrisk.measures.sets.easiest import MOST_ATTRIBUTES
from duckrisk.roles import Roles
from duckrisk.source import Source

#: Records; larger tables are searched on request only, as no limit of a policy depends on the search (with 5
#: million records of 500,000 people it takes half of the 85 CPU seconds of an assessment).
MAX_RECORDS_UNASKED = 4_000_000
#: Records; the tables of larger searches are dropped afterwards (those of 5 million records hold 300 MB).
MAX_RECORDS_HELD = 1_000_000

__all__ = [
    "ChosenAttributes",
    "Identifiability",
    "LevelledColumn",
    "Options",
    "SearchRun",
    "check_options",
    "choose_attributes",
    "level_attributes",
    "list_named_levels",
    "measure",
    "read_given_levels",
    "split_searched",
]


def check_options(options: Options) -> None:
    """Check the options of the search.

    Args:
        options: The options.

    Raises:
        UsageError: A setting makes no sense.
    """
    options.check()
    read_chart(options.profile)


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
    """Measure who can be singled out by which attributes.

    Of more attributes than can be searched, those with most distinct values are.

    Args:
        session: The session, with the source as the assessed view.
        source: The source.
        roles: The roles of its columns.
        options: The levels of attributes, and the limits of the search.
        show_values: Whether scenarios show the values of records.
        records: Private file for the table of all records; None for none.
        required: Whether the section was requested: a table that cannot be searched is then an error.
        with_users: Whether to measure users as well as records.

    Returns:
        The section, None if it was not measured, and notes.

    Raises:
        UsageError: Given levels do not exist, or a required section cannot be measured.
    """
    chosen = choose_attributes(source, roles, options)
    if not required and roles.records > MAX_RECORDS_UNASKED:
        return None, [Sentence("identifiability.note.unasked", records=f"{roles.records:,}")]
    if chosen.problem is not None:
        if required:
            raise UsageError(in_english(chosen.problem))
        return None, [*chosen.notes, Sentence("identifiability.note.not_measured", problem=chosen.problem)]
    searched, others = (split_by_level(session, known, options) for known in (chosen.searched, chosen.others))
    run = SearchRun(session, roles, options, searched, others)
    section = run.make_section(chosen.unlevelled, show_values, records, with_users)
    if roles.records > MAX_RECORDS_HELD and session.engine is None:
        run.drop_tables()
    return section, [*chosen.notes, *run.notes]


@dataclass
class ChosenAttributes:
    """The attributes of a search.

    Attributes:
        searched: Attributes that make up sets.
        others: Attributes that only count in the value of a leak.
        unlevelled: Columns without a level.
        notes: Notes on attributes that were left out.
        problem: Why nothing can be searched; None if something can.
    """

    searched: list[LevelledColumn]
    others: list[LevelledColumn]
    unlevelled: list[Unlevelled]
    notes: list[Sentence]
    problem: Sentence | None


def choose_attributes(source: Source, roles: Roles, options: Options) -> ChosenAttributes:
    """Choose the attributes of a search, with their levels.

    Args:
        source: The source.
        roles: The roles of its columns.
        options: The levels of attributes.

    Raises:
        UsageError: Given levels do not exist.
    """
    levelled, unlevelled = level_attributes(source, roles, options, read_given_levels(source, options))
    notes = note_composites(roles)
    what = Sentence("identifiability.note.identifiability")
    more = sum(len(known.level.own_levels) - 1 for known in levelled)
    selected, selection_notes = select_most_distinct(levelled, max(1, MOST_ATTRIBUTES - more), what)
    notes += selection_notes
    searched, others = split_searched(selected, roles)
    problem = None
    if not searched and not unlevelled:
        problem = Sentence("identifiability.note.no_attribute")
        if notes:
            problem = Sentence("two", first=notes.pop(), second=problem)
    elif not searched:
        problem = Sentence("identifiability.note.no_level", line=Data(unlevelled[0].line))
    return ChosenAttributes(searched, others, unlevelled, notes, problem)
