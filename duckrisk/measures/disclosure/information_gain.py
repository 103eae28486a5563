"""Information gain: how many bits each cell tells to whoever knows the rest of its record.

By each rule for missing cells the gain of a cell is the divergence of the shares of its attribute's values
among the records that agree with the record on all other attributes from those among all records. Where a
missing cell is a value of its own it is one here too. By the other rules a missing cell tells nobody
anything: it gains 0, and who lacks the attribute is neither among those who agree nor among all. Who agrees
is as for class sizes: by "none" whoever holds all that is known of the record, so that a missing cell of the
record is no condition and one of another record does not fulfil any; by "wildcard" whoever is equal in all
that neither misses. The record itself always agrees, so that each cell that is there has a gain.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.options.disclosure import MISSING, Options, Rule
from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.session import Session
from duckrisk.engine.templates import render
from duckrisk.measures.disclosure.choice import Chosen, quasi_identifiers
from duckrisk.measures.disclosure.classes import PAIRS, Classes
from duckrisk.measures.disclosure.results import AttributeGains, Gains, GainsByRule, InformationGain
from duckrisk.measures.identifiability.attributes import most_telling
from duckrisk.measures.identifiability.combinations import spans
from duckrisk.roles import Roles
from duckrisk.source import VIEW, Source

#: A statement has four tables an attribute.
MOST_ATTRIBUTES = 60
#: Cells of different records, times the ways in which cells are missing: no more unasked, and if asked.
MOST_UNASKED, MOST_PAIRS = 10_000_000, 1_000_000_000
#: A statement lists no more values of those who agree.
MOST_CELLS = 20_000_000

_MEASURES = ("mean_gain", "median_gain", "high_gain", "highest_gain")
_Rows = list[dict[str, Any]]


def measure(
    session: Session, source: Source, roles: Roles, options: Options, *, show_values: bool = False
) -> tuple[InformationGain, list[Sentence]]:
    """Information gain, and notes: the rows of the template of that name, the one
    on whole records under ``record``, and the same by the other rules for missing cells.

    Raises UsageError for fewer than two attributes; of more than a statement can hold the most telling ones
    are taken.
    """
    notes: list[Sentence] = []
    chosen = quasi_identifiers(source, roles, options)
    if len(chosen) < 2:
        raise UsageError("disclosure.too_few_attributes_for_gain", count=len(chosen))
    what = Data("information_gain")
    chosen, left_out = most_telling(chosen, MOST_ATTRIBUTES, what, "--quasi-identifier")
    notes += left_out
    names = [choice.column.binding for choice in chosen]
    cells = render(
        "known_cells",
        source=VIEW,
        attributes=[choice.known(options.missing_tokens) for choice in chosen],
        names=names,
    )
    missing_cells = session.fetch_row("told_missing", source=cells, columns=names[1:], column=names[0])[
        "cells"
    ]
    rows: dict[Rule, _Rows] = {"value": session.run("information_gain", source=cells, columns=names)}
    if missing_cells and options.compares_rules(roles.records):
        classes = Classes(session, chosen, tokens=options.missing_tokens)
        most = MOST_PAIRS if options.asks_for_rules else MOST_UNASKED
        rows |= dict(_by_rule(session, classes, most))
    rule = options.missing
    if missing_cells and rule not in rows:
        rule = "value"
        notes.append(Sentence("disclosure.note.gain_value"))
    figures = {name: _figures(chosen, name, lines) for name, lines in rows.items()}
    others = [name for name in MISSING if name in figures and name != rule] if missing_cells else []
    first = figures[rule if rule in figures else "value"]
    section = InformationGain(
        records=rows["value"][0]["records"],
        missing=rule,
        missing_cells=missing_cells,
        record=first.record,
        attributes=first.attributes,
        other_rules=tuple(figures[name] for name in others),
    )
    return section, notes


def _figures(chosen: list[Chosen], rule: Rule, lines: _Rows) -> GainsByRule:
    """The figures by one rule: of whole records, and of the attributes, the most telling first."""
    whole, *others = lines
    entries = [
        AttributeGains(
            attribute=chosen[line["place"] - 1].column.name, entropy=line["entropy"], **_gains(line)
        )
        for line in others
    ]
    ranked = tuple(sorted(entries, key=lambda entry: -entry.mean_gain))
    return GainsByRule(rule, Gains(**_gains(whole)), ranked)


def _gains(line: dict[str, Any]) -> dict[str, float]:
    return {name: line[name] for name in _MEASURES}


def _by_rule(session: Session, classes: Classes, most: int) -> Iterator[tuple[Rule, _Rows]]:
    """The figures by the rules other than the first, where no more pairs than these are looked at."""
    classes.keep()
    count = len(classes.attributes)
    patterns: int = classes.cells["patterns"]
    pairs = classes.cells["classes"] * patterns
    if count * pairs > most or not classes.number():
        return
    for rule in MISSING[1:]:
        session.run("gain_begin")
        if all(_add_gains(session, count, own, patterns, pairs, rule == "wildcard") for own in range(count)):
            yield rule, session.run("gain_figures", attributes=count)


def _add_gains(session: Session, count: int, own: int, patterns: int, pairs: int, wildcard: bool) -> bool:
    """Find the gains of the cells of one attribute; False where too many records agree."""
    others = [position for position in range(count) if position != own]
    session.run("gain_asked", others=others, own=own)
    for first, last in spans(patterns, PAIRS * patterns // pairs):
        session.run(
            "gain_cells", others=others, own=own, wildcard=wildcard, first=first, last=last, most=MOST_CELLS
        )
        if session.fetch_row("row_counts", tables=["gain_cells"])["records"] >= MOST_CELLS:
            return False
        session.run("gain_classes", own=own)
    return True
