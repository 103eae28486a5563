"""Information gain: the bits that a value adds to all other values of its record.

The gain of a value is the divergence of two distributions of its attribute: among the records that agree with
the record on all other attributes, and among all records.

If a missing value counts as a value, it does so here too. By the other rules it gains 0, and records that
lack the attribute are in neither distribution. Agreement is as for class sizes. By "none" a record agrees if
it has all known values of the other record: a missing value of the latter is no condition, and one of the
former meets none. By "wildcard" two records agree if they are equal wherever both have a value. The record
always agrees with itself, so every value has a gain.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.options.disclosure import MISSING, Options, Rule
from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.session import Session
from duckrisk.engine.templates import render
from duckrisk.measures.disclosure.choice import Chosen, list_quasi_identifiers
from duckrisk.measures.disclosure.classes import PAIRS, Classes
from duckrisk.measures.disclosure.results import AttributeGains, Gains, GainsByRule, InformationGain
from duckrisk.measures.identifiability.attributes import select_most_distinct
from duckrisk.measures.sets.masks import split_range
from duckrisk.roles import Roles
from duckrisk.source import VIEW, Source

#: Attributes (a choice: the statement has four tables for each, and planning takes long with more).
MAX_ATTRIBUTES = 60
#: Values of distinct records times patterns of missing values, by default and on request.
MAX_PAIRS_UNASKED, MAX_PAIRS = 10_000_000, 1_000_000_000
#: Rows of a table of agreeing records (a choice: it bounds memory).
MAX_AGREEING_VALUES = 20_000_000

_MEASURES = ("mean_gain", "median_gain", "high_gain", "highest_gain")
_Rows = list[dict[str, Any]]


def measure(
    session: Session, source: Source, roles: Roles, options: Options, *, show_values: bool = False
) -> tuple[InformationGain, list[Sentence]]:
    """Measure information gain, by each rule for missing values.

    Args:
        session: The session, with the source as the assessed view.
        source: The source.
        roles: The roles of its columns.
        options: The quasi-identifiers, and the rule for missing values.
        show_values: Not used: no figure holds a value.

    Returns:
        The gains, and notes. Of more than MAX_ATTRIBUTES attributes those with most distinct values are
        measured.

    Raises:
        UsageError: There are fewer than two quasi-identifiers.
    """
    notes: list[Sentence] = []
    chosen = list_quasi_identifiers(source, roles, options)
    if len(chosen) < 2:
        raise UsageError("disclosure.too_few_attributes_for_gain", count=len(chosen))
    what = Data("information_gain")
    chosen, left_out = select_most_distinct(chosen, MAX_ATTRIBUTES, what, "--quasi-identifier")
    notes += left_out
    names = [choice.column.binding for choice in chosen]
    cells = render(
        "known_cells",
        source=VIEW,
        attributes=[choice.make_attribute(options.missing_tokens) for choice in chosen],
        names=names,
    )
    missing_cells = session.fetch_row(
        "missing_sensitive_values", source=cells, columns=names[1:], column=names[0]
    )["cells"]
    rows: dict[Rule, _Rows] = {"value": session.run("information_gain", source=cells, columns=names)}
    if missing_cells and options.can_compare_rules(roles.records):
        classes = Classes(session, chosen, tokens=options.missing_tokens)
        most = MAX_PAIRS if options.has_all_rules else MAX_PAIRS_UNASKED
        rows |= dict(_measure_by_rule(session, classes, most))
    rule = options.missing
    if missing_cells and rule not in rows:
        rule = "value"
        notes.append(Sentence("disclosure.note.gain_value"))
    figures = {name: _make_gains(chosen, name, lines) for name, lines in rows.items()}
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


def _make_gains(chosen: list[Chosen], rule: Rule, lines: _Rows) -> GainsByRule:
    """Make the gains by one rule: of records, and of attributes by decreasing gain."""
    whole, *others = lines
    entries = [
        AttributeGains(
            attribute=chosen[line["place"] - 1].column.name, entropy=line["entropy"], **_select_gains(line)
        )
        for line in others
    ]
    ranked = tuple(sorted(entries, key=lambda entry: -entry.mean_gain))
    return GainsByRule(rule, Gains(**_select_gains(whole)), ranked)


def _select_gains(line: dict[str, Any]) -> dict[str, float]:
    return {name: line[name] for name in _MEASURES}


def _measure_by_rule(session: Session, classes: Classes, most: int) -> Iterator[tuple[Rule, _Rows]]:
    """Yield the rows by the rules other than "value", unless there are too many pairs."""
    classes.keep()
    count = len(classes.attributes)
    patterns: int = classes.cells["patterns"]
    pairs = classes.cells["classes"] * patterns
    if count * pairs > most or not classes.number_values():
        return
    for rule in MISSING[1:]:
        session.run("gain_begin")
        if all(_add_gains(session, count, own, patterns, pairs, rule == "wildcard") for own in range(count)):
            yield rule, session.run("gain_figures", attributes=count)


def _add_gains(session: Session, count: int, own: int, patterns: int, pairs: int, wildcard: bool) -> bool:
    """Add the gains of the values of one attribute; False if too many records agree."""
    others = [position for position in range(count) if position != own]
    session.run("gain_asked", other_ids=others, attribute_index=own)
    for first, last in split_range(patterns, PAIRS * patterns // pairs):
        session.run(
            "gain_cells",
            other_ids=others,
            attribute_index=own,
            wildcard=wildcard,
            first_pattern=first,
            last_pattern=last,
            max_rows=MAX_AGREEING_VALUES,
        )
        if session.fetch_row("row_counts", tables=["gain_cells"])["records"] >= MAX_AGREEING_VALUES:
            return False
        session.run("gain_classes", attribute_index=own)
    return True
