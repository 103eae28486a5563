"""The levels of a column, from as it is to left out, in the language of recipes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.engine.types import has_date, is_number
from duckrisk.page.state import OUT, PSEUDONYM, WHOLE
from duckrisk.release.anonymization.steps import Step, parse_coarser
from duckrisk.roles import Decision
from duckrisk.source.hierarchies import Hierarchy, render_interval, render_period, render_prefix

#: Periods that a slider goes through; a moment also has its day.
_PERIODS = ("week", "month", "quarter", "year", "10years")
#: Widths of bands of numbers (a choice: round ones, each about twice the one before).
_WIDTHS = tuple(factor * 10**power for power in range(9) for factor in (2, 5, 10))
#: Widths that a slider has (a choice: as many as periods).
_MAX_WIDTHS = 6
#: Characters of the prefixes of a text, and its distinct values above which it has any (as `advise` does).
_PREFIXES, _MIN_DISTINCT = (4, 3, 2, 1), 20


@dataclass(frozen=True)
class ColumnLevels:
    """The levels of a column, the finest first."""

    column: str
    position: int
    forms: tuple[str, ...]

    def find_index(self, form: str) -> int:
        """Return the index of a form; that of the finest one if it is none of them."""
        return self.forms.index(form) if form in self.forms else 0

    def reduce_to_user(self) -> ColumnLevels:
        """Return the levels of the user column: whole, pseudonyms, left out."""
        return replace(self, forms=(WHOLE, PSEUDONYM, OUT))

    def add_pseudonyms(self) -> ColumnLevels:
        """Return the levels of an identifier, which may get pseudonyms."""
        return replace(self, forms=(WHOLE, PSEUDONYM, *self.forms[1:]))


def list_levels(decision: Decision, hierarchy: Hierarchy | None) -> ColumnLevels:
    """List the levels of a column.

    Args:
        decision: The column, with its role and its number of distinct values.
        hierarchy: Its hierarchy; None lets its type decide.
    """
    column = decision.column
    return ColumnLevels(column.name, column.position, (WHOLE, *_list_coarser(decision, hierarchy), OUT))


def _list_coarser(decision: Decision, hierarchy: Hierarchy | None) -> Iterator[str]:
    type_name = decision.column.type
    if hierarchy is not None:
        yield from (f"level{level}" for level in range(1, hierarchy.height))
    elif has_date(type_name) or decision.is_moment:
        yield from (("day",) if type_name != "DATE" else ())
        yield from _PERIODS
    elif is_number(type_name):
        widths = [width for width in _WIDTHS if width * 2 <= decision.distinct]
        every = max(1, -(-len(widths) // _MAX_WIDTHS))
        yield from (str(width) for width in widths[::every])
    elif type_name == "VARCHAR" and decision.distinct > _MIN_DISTINCT:
        yield from (f"prefix{length}" for length in _PREFIXES)


def render_form(form: str, decision: Decision, column: str, hierarchy: Hierarchy | None) -> Sql | None:
    """Render the published value of a column.

    Args:
        form: Its form.
        decision: The column.
        column: Name of the column in the relation.
        hierarchy: Its hierarchy; None without one.

    Returns:
        The SQL; None for a column that is left out.
    """
    if form == OUT:
        return None
    if form == PSEUDONYM:  # each value has one, so that nothing that is counted changes
        return identifier(column)
    ((option, value),) = parse_coarser(form).items()
    own, name, cell = decision.column.type, decision.column.name, identifier(column)
    if option == "level":
        assert hierarchy is not None
        return render("label_cell", column=cell, argument=value, table=hierarchy.table)
    if option == "prefix":
        return render_prefix(cell, int(value))
    if option == "moment":
        return render_period(cell, own, str(value), name)
    return render_interval(cell, own, float(value), name)


def make_steps(
    forms: Mapping[str, str], k: int, below: int, known: tuple[str, ...], user: str | None
) -> list[Step]:
    """Make the steps of a recipe, in the order of the options of ``anonymize``.

    Args:
        forms: The forms of columns that are not published as they are.
        k: People; classes of at least k are made. 0 makes none.
        below: People; smaller classes are deleted. 0 deletes none.
        known: Columns that an attacker may know.
        user: The user column; None without one.
    """
    named = [name for name, form in forms.items() if form == PSEUDONYM]
    coarser = [(name, form) for name, form in forms.items() if form not in (OUT, PSEUDONYM)]
    steps = [
        *(Step("pseudonymize", {"column": name}) for name in named),
        *(Step("generalize", {"column": name, **parse_coarser(form)}) for name, form in coarser),
    ]
    left = [name for name in known if forms.get(name) != OUT]
    people: dict[str, Any] = {"user": user} if user is not None else {}
    if k and left:
        steps.append(Step("k-anonymize", {"k": k, "quasi_identifiers": left, **people}))
    if below and left:
        steps.append(Step("delete-classes", {"below": below, "quasi_identifiers": left, **people}))
    dropped = [name for name, form in forms.items() if form == OUT]
    return [*steps, *(Step("suppress", {"column": name, "drop": True}) for name in dropped)]
