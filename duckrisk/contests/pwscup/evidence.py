"""The attack with combined evidence: what all columns of all known records say together, period by period."""

from __future__ import annotations

from itertools import combinations

from duckrisk.engine.session import Session

#: Values that more pseudonyms of a period share tell nothing.
MOST_HOLDERS = 16
#: From so often on a pseudonym that comes back is taken to be of the same user.
STABLE = 0.5
#: A user shares a pseudonym with another where the evidence for it is this part of what is usual.
SHARING = 0.8
_COLUMNS = ("clock", "day", "item", "price", "quantity")
#: Columns that are also compared by a grid.
_NEAR = ("day", "price", "quantity")


_PSEUDONYMS, _USERS = "evidence_of_pseudonyms", "evidence_of_users"
_KNOWN, _RELEASED = "evidence_known", "evidence_released"
_MATCHES, _SHARES, _PAIRS, _GUESS = (
    "evidence_matched",
    "evidence_survival",
    "evidence_pairs",
    "evidence_guess",
)


def combined(session: Session, released: str, partial: str, *, prefix: int | None, table: str) -> None:
    """Make the table of guesses ``user_id``, ``period``, ``pseudonym``.

    The first guess takes every column as dependable; it tells how often records survive with columns
    unchanged, and the second goes by that. Where pseudonyms come back for the same users, what is said for
    one in a period counts in all of them.
    """
    keys = gather(session, released, partial, prefix)
    weigh(session, keys, learned=False)
    weigh(session, keys, learned=True)
    stability = session.fetch_row("pseudonym_stability", guess=_GUESS, pseudonyms=_PSEUDONYMS)["stability"]
    if stability >= STABLE:
        session.run(
            "evidence_pooled",
            table="evidence_of_life",
            scores=_PAIRS,
            guess=_GUESS,
            pseudonyms=_PSEUDONYMS,
            stability=stability,
        )
        session.run("mutual_best", table=_GUESS, scores="evidence_of_life")
    session.run("evidence_sharers", guess=_GUESS, scores=_PAIRS, known=_KNOWN, least=SHARING)
    session.run("guessed_names", table=table, guess=_GUESS, users=_USERS, pseudonyms=_PSEUDONYMS)


def gather(session: Session, released: str, partial: str, prefix: int | None) -> int:
    """Make the table of all matches of known records with pseudonyms; returns by how many sets of columns."""
    session.run("evidence_pseudonyms", table=_PSEUDONYMS, released=released)
    session.run("evidence_users", table=_USERS, known=partial)
    sides = ((_RELEASED, released, "pseudonym", _PSEUDONYMS), (_KNOWN, partial, "user_id", _USERS))
    for table, source, person, numbers in sides:
        session.run(
            "evidence_records",
            table=table,
            source=source,
            person=person,
            numbers=numbers,
            by_pseudonym=numbers == _PSEUDONYMS,
            prefix=prefix,
        )
    usable = session.fetch_row("evidence_columns", known=_KNOWN, released=_RELEASED)
    keys = keys_of([column for column in _COLUMNS if usable[column]])
    session.run(
        "evidence_matches",
        table=_MATCHES,
        known=_KNOWN,
        released=_RELEASED,
        pseudonyms=_PSEUDONYMS,
        keys=keys,
        most=MOST_HOLDERS,
    )
    return len(keys)


def weigh(session: Session, keys: int, *, learned: bool) -> None:
    """Make the tables of scores and of the guess; where ``learned``, by what the guess before told."""
    guess = _GUESS if learned else None
    session.run("evidence_shares", table=_SHARES, matches=_MATCHES, guess=guess, known=_KNOWN, keys=keys)
    session.run("evidence_scores", table=_PAIRS, matches=_MATCHES, shares=_SHARES, pseudonyms=_PSEUDONYMS)
    session.run("mutual_best", table=_GUESS, scores=_PAIRS)


def keys_of(usable: list[str]) -> list[list[str]]:
    """The sets of columns on which records are compared, those of more columns first.

    Three columns or more, or the clock and another; and the item with two or more others by a grid. Where
    there are not so many columns, all that there are.
    """
    exact = [
        list(columns)
        for count in range(len(usable), 0, -1)
        for columns in combinations(usable, count)
        if count >= min(3, len(usable)) or (count == 2 and "clock" in columns)
    ]
    near = [column for column in _NEAR if column in usable]
    first = ["item"] if "item" in usable else []
    grids = [
        [*first, *(f"{column}{grid}" for column in columns)]
        for count in range(len(near), 0, -1)
        for columns in combinations(near, count)
        if count >= min(2, len(near))
        for grid in (0, 1)
    ]
    return exact + grids
