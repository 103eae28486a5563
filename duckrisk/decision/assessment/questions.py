"""Word the open questions and the assumptions of a verdict."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from duckrisk.base.numbers import format_number
from duckrisk.base.options.roles import typed_option
from duckrisk.base.sentences import Data, JoinedTexts, Sentence, join_texts
from duckrisk.roles import Confidence, Role
from duckrisk.roles.holdings import SMALL
from duckrisk.roles.model import NEW, ORIGINAL, PSEUDONYM, ROW, Holdings

#: People; smaller tables stay undecided (a choice: too few for two classes of 11, the limit for the public).
MIN_PEOPLE = 20
#: Names of columns in a sentence (a choice: more do not fit a line of a terminal).
_MAX_NAMES = 3


def ask_about_codes(names: Iterable[str], policy_name: str) -> Iterable[Sentence]:
    """Ask of each column whether its codes lead back to people.

    Args:
        names: Names of columns with codes of unknown origin.
        policy_name: Name of the policy; `internal` asks nothing, as colleagues may have the codes of their
            organisation.

    Yields:
        A sentence for each column.
    """
    if policy_name != "internal":
        for name in names:
            new, original = format_option("--pseudonym", name), format_option("--identifier", name)
            yield Sentence("policy.unsettled.codes", user=Data(name), new=new, original=original)


def list_guesses(
    user: str | None,
    candidates: Sequence[tuple[str, ...]],
    confidence: Confidence,
    columns: Iterable[tuple[str, Role, Confidence]],
    people: int,
    holdings: Holdings | None = None,
) -> Iterable[Sentence]:
    """List what is uncertain whatever was measured.

    These are the person behind each record, the roles of columns, and a small number of people.

    Args:
        user: Name of the user column; None without one.
        candidates: Columns that may be the user column, most likely first; several columns of one entry are
            the user column together.
        confidence: Confidence in the user column, or in its absence.
        columns: Name, role and confidence of each column.
        people: Number of people in the table.
        holdings: What the rows hold; None for persons.

    Yields:
        A sentence for each question.
    """
    holdings = holdings or Holdings()
    if holdings.no_persons:
        return
    yield from list_row_doubts(holdings)
    named = [columns for columns in candidates if columns]
    if holdings.is_doubtful:
        pass
    elif confidence == "guess" and named == [(user,)]:
        yield Sentence("policy.unsettled.user", user=Data(named[0][0]), option=format_user_option(named[0]))
    elif confidence == "guess" and named:
        options = [format_user_option(columns) for columns in named[:_MAX_NAMES]]
        yield Sentence("policy.unsettled.no_user", option=join_texts(options))
    elif confidence == "guess":
        yield Sentence("policy.unsettled.nobody")
    settled = ("user", "count", "constant", "ignored")
    guessed = [name for name, role, sure in columns if sure == "guess" and role not in settled]
    if guessed:
        yield Sentence(
            "policy.unsettled.roles", names=quote_names(guessed), count=format_number(len(guessed))
        )
    if not holdings.is_doubtful:
        yield from warn_of_few_people(people)


def list_row_doubts(holdings: Holdings) -> Iterable[Sentence]:
    """List the evidence against one person per row: counts, things, sums.

    Args:
        holdings: What the rows hold.

    Yields:
        A sentence for each doubt.
    """
    like, totals, counted = holdings.like_counts, holdings.totals, holdings.counted
    if like is not None:
        counts = {
            "cells": format_number(like.cells),
            "small": format_number(like.small),
            "below": format_number(SMALL),
        }
        option = format_option("--count", like.column)
        yield Sentence("policy.unsettled.counts", column=Data(like.column), option=option, **counts)
    elif holdings.may_lack_persons:
        yield Sentence("policy.unsettled.no_persons")
    if totals is not None:
        key = "several" if totals.rows > 1 else "line" if totals.is_line else "record"
        yield Sentence(
            f"policy.unsettled.totals_{key}",
            number=format_number(totals.first),
            rows=format_number(totals.rows),
        )
    if counted is not None and counted.hidden_cells:
        yield Sentence("policy.unsettled.hidden_counts", cells=format_number(counted.hidden_cells))
    if counted is not None and counted.total_rows:
        yield Sentence("policy.unsettled.total_rows", rows=format_number(counted.total_rows))


def format_user_option(columns: tuple[str, ...]) -> Data:
    """Format the option that makes columns the user column.

    Args:
        columns: Names of columns.

    Returns:
        The option in shell quoting.
    """
    return format_option("--user", "+".join(columns))


def format_option(flag: str, column: str) -> Data:
    """Format an option with the name of a column.

    Args:
        flag: The option, such as `--sensitive`.
        column: Name of the column.

    Returns:
        The option in shell quoting.
    """
    return Data(shlex.join(typed_option(flag, column)))


def warn_of_few_people(people: int) -> list[Sentence]:
    """Warn if a table has too few people to hide among.

    Args:
        people: Number of people in the table.

    Returns:
        One sentence if there are less than MIN_PEOPLE, else none.
    """
    return [Sentence("policy.unsettled.few", people=format_number(people))] if people < MIN_PEOPLE else []


def warn_of_ignored_columns(names: Iterable[str]) -> Iterable[Sentence]:
    """Warn of ignored columns, which the table still holds.

    Args:
        names: Names of ignored columns.

    Yields:
        One sentence if there are any.
    """
    if ignored := list(names):
        yield Sentence(
            "policy.unsettled.ignored", names=quote_names(ignored), count=format_number(len(ignored))
        )


def assume_no_persons(persons: Iterable[str]) -> Sentence:
    """Return the clause that a table holds no persons.

    Args:
        persons: Names of columns that nevertheless describe persons.
    """
    if described := list(persons):
        return Sentence("policy.assume.no_persons_but", names=quote_names(described))
    return Sentence("policy.assume.no_persons")


def assume_outsiders(known: list[str]) -> Sentence:
    """Return the clause that outsiders know only some columns.

    Args:
        known: Names of these columns; empty for none.
    """
    return (
        Sentence("policy.assume.outsiders", names=quote_names(known))
        if known
        else Sentence("policy.assume.no_outsiders")
    )


def list_user_assumptions(
    user: str | None, kind: str | None, confidence: Confidence, lost_user: str | None = None
) -> Iterable[Sentence]:
    """List what a pass assumes about the user column.

    Args:
        user: Name of the user column; None without one.
        kind: Kind of its codes; None if unknown.
        confidence: Confidence in the user column, or in its absence.
        lost_user: Name of the user column of the original that a release lacks; None for none.

    Yields:
        A clause, if one is needed.
    """
    if user is None:
        if lost_user is not None:
            yield Sentence("policy.assume.unlinked")
        elif confidence != "guess":
            yield Sentence("policy.assume.no_user")
    elif kind in (NEW, ROW):
        yield Sentence(
            "policy.assume.pseudonym" if kind == NEW else "policy.assume.row_number", column=Data(user)
        )
    elif kind not in (PSEUDONYM, ORIGINAL):
        yield Sentence("policy.assume.user_code", user=Data(user))


def quote_names(names: Iterable[str], most: int = _MAX_NAMES) -> Sentence | JoinedTexts:
    """Quote the first names of columns, and count the others.

    Args:
        names: Names of columns.
        most: Maximum number of names.
    """
    every = list(names)
    shown = join_texts(Sentence("roles.quoted", name=Data(name)) for name in every[:most])
    left = len(every) - most
    return Sentence("list", names=shown, more=format_number(left)) if left > 0 else shown
