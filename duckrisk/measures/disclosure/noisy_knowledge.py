"""Attackers who know a few facts, some of them wrong, and look for the candidate that fits best.

Narayanan and Shmatikov's score and eccentricity: a rare item counts for more, a date or a number the less the
further it is off, and an answer is given only if the best candidate stands out from all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.options.disclosure import Options
from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, render
from duckrisk.measures.disclosure.choice import Chosen, list_quasi_identifiers
from duckrisk.measures.disclosure.noisy_results import NoisyCase, NoisyKnowledge
from duckrisk.measures.identifiability.attributes import select_most_distinct
from duckrisk.roles import Roles, value_order
from duckrisk.source import Source

#: People or records drawn for each number of facts (a choice: a 95 % interval of at most 5 points each way).
TARGETS = 400
#: Comparisons of facts of histories, and of cells of records (a choice: Online Retail
#: takes 2 CPU seconds, Adult 5).
MAX_FACTS, MAX_CELLS = 20_000_000, 600_000_000
#: Attributes of records (a choice: nobody knows more than eight, and each makes the statement longer).
MAX_ATTRIBUTES = 40


def measure(
    session: Session, source: Source, roles: Roles, options: Options, *, show_values: bool = False
) -> tuple[NoisyKnowledge, list[Sentence]]:
    """Measure what attackers with noisy knowledge answer.

    Args:
        session: The session, with the source as the assessed view.
        source: The source.
        roles: The roles of its columns.
        options: The quasi-identifiers, the errors of dates and numbers, and the seed.
        show_values: Not used: no figure holds a value.

    Returns:
        Right, wrong and withheld answers, and notes.

    Raises:
        UsageError: There is no quasi-identifier.
    """
    chosen = list_quasi_identifiers(source, roles, options)
    if not chosen:
        raise UsageError("disclosure.no_quasi_identifier")
    if roles.user is not None and roles.most_records > 1:
        return _attack_histories(
            session, roles.user.binding, _choose_facts(chosen, roles, options), options
        ), []
    what = Data("noisy_knowledge")
    chosen, notes = select_most_distinct(chosen, MAX_ATTRIBUTES, what, "--quasi-identifier")
    return _attack_records(session, chosen, options), notes


def _attack_histories(
    session: Session, user: str, facts: Sequence[Chosen | None], options: Options
) -> NoisyKnowledge:
    """Look for people by some of their items, with day and amount where there are any."""
    item, day, amount = ([one] if one is not None else [] for one in facts)
    rows = session.run(
        "noisy_histories",
        source=_render_cells(session, [*item, *day, *amount], options, user),
        user=user,
        item=item[0].column.binding,
        day=day[0].column.binding if day else None,
        amount=amount[0].column.binding if amount else None,
        **_list_errors(options),
        targets=TARGETS,
        work=MAX_FACTS,
    )
    return NoisyKnowledge(
        *("user", item[0].column.name, _name(day), _name(amount), ()),
        **_list_errors(options),
        cases=tuple(NoisyCase(**row) for row in rows),
    )


def _attack_records(session: Session, chosen: Sequence[Chosen], options: Options) -> NoisyKnowledge:
    """Look for records by some of their values."""
    values, days, numbers = (
        [one for one in chosen if value_order(one.decision) == order]
        for order in ("text", "moment", "number")
    )
    rows = session.run(
        "noisy_records",
        source=_render_cells(session, chosen, options),
        columns=[one.column.binding for one in values],
        dates=[one.column.binding for one in days],
        numbers=[one.column.binding for one in numbers],
        **_list_errors(options),
        targets=TARGETS,
        work=MAX_CELLS // len(chosen),
    )
    return NoisyKnowledge(
        *("record", None, _name(days), _name(numbers), _name(values)),
        **_list_errors(options),
        cases=tuple(NoisyCase(**row) for row in rows),
    )


def _list_errors(options: Options) -> dict[str, Any]:
    """List how far facts are off, and the seed."""
    return {"days": options.noisy_days, "band": options.noisy_band, "seed": options.seed}


def _name(chosen: Sequence[Chosen]) -> tuple[str, ...]:
    return tuple(one.column.name for one in chosen)


def _choose_facts(chosen: Sequence[Chosen], roles: Roles, options: Options) -> tuple[Chosen | None, ...]:
    """Choose the item of a history, its date, and the amount, if one is named.

    The item is the first named column that is no date. If none is named, it is the first of texts with at
    least half as many values as the text with most, else of numbers; columns that are constant for each
    person are left out. Without any such column the date is the item.
    """
    if options.quasi_identifiers:
        order = list(options.quasi_identifiers)
        chosen = sorted(
            chosen, key=lambda one: order.index(one.column.name) if one.column.name in order else 0
        )
    days = [one for one in chosen if value_order(one.decision) == "moment"]
    others = [one for one in chosen if one not in days]
    numbers = [one for one in others if value_order(one.decision) == "number"]
    if options.quasi_identifiers:
        item = next(iter(others), None)
    else:
        varying = [one for one in others if one.column.binding not in roles.fixed] or others
        texts = [one for one in varying if one not in numbers] or varying
        most = max((one.decision.distinct for one in texts), default=0)
        item = next((one for one in texts if 2 * one.decision.distinct >= most), None)
    if item is None:
        return days[0], None, None
    amounts = [one for one in numbers if one is not item] if options.quasi_identifiers else []
    return item, next(iter(days), None), next(iter(amounts), None)


def _render_cells(
    session: Session, chosen: Sequence[Chosen], options: Options, user: str | None = None
) -> Sql:
    """Render the relation of the known columns, with missing tokens as missing values."""
    attributes = [one.make_attribute(options.missing_tokens) for one in chosen]
    return render(
        "known_cells",
        source=session.views.select_columns(user, *attributes),
        attributes=attributes,
        names=[one.column.binding for one in chosen],
        user=user,
    )
