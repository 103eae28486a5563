"""The attack with combined evidence: all columns of all known records, weighed period by period."""

from __future__ import annotations

from itertools import combinations

from duckrisk.engine.session import Session

#: Pseudonyms; a value that more pseudonyms of a period share is no evidence
#: (a choice: the weight of evidence falls with the logarithm of the holders).
MOST_HOLDERS = 16
#: Share of periods; a pseudonym that comes back at least this often is taken to stay with its user
#: (a choice: more often than not).
STABLE = 0.5
#: Share of the usual evidence; a user with this much evidence for a taken pseudonym shares it
#: (tests/pwscup/test_attacks.py, test_pseudonyms_that_are_shared).
SHARING = 0.8
_COLUMNS = ("clock", "day", "item", "price", "quantity")
#: Columns that are also compared by a grid.
_GRID_COLUMNS = ("day", "price", "quantity")

_PSEUDONYMS, _USERS = "evidence_of_pseudonyms", "evidence_of_users"
_KNOWN, _RELEASED = "evidence_known", "evidence_released"
_MATCHES, _SHARES, _PAIRS = "evidence_matched", "evidence_survival", "evidence_pairs"
_GUESS = "evidence_guess"


def guess_by_evidence(session: Session, released: str, known: str, *, prefix: int | None, table: str) -> None:
    """Make the table of the guess: ``user_id``, ``period``, ``pseudonym``.

    The first guess trusts every column. It shows how often records survive with columns unchanged, which
    weighs the columns of the second guess. If pseudonyms come back for the same users, the evidence of one
    period counts in all of them. The arguments are those of
    :meth:`duckrisk.contests.pwscup.attacks.Attack.link`.
    """
    key_count = match_records(session, released, known, prefix)
    weigh_matches(session, key_count, learned=False)
    weigh_matches(session, key_count, learned=True)
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
    session.run("evidence_sharers", guess=_GUESS, scores=_PAIRS, known_records=_KNOWN, min_share=SHARING)
    session.run("guessed_names", table=table, guess=_GUESS, users=_USERS, pseudonyms=_PSEUDONYMS)


def match_records(session: Session, released: str, known: str, prefix: int | None) -> int:
    """Make the table of all matches of known records with pseudonyms.

    Args:
        session: Runs the statements.
        released: The standard table of released records.
        known: The standard table of known records.
        prefix: How many first characters of an item count; None for all.

    Returns:
        The number of column sets on which records are compared.
    """
    session.run("evidence_pseudonyms", table=_PSEUDONYMS, released=released)
    session.run("evidence_users", table=_USERS, known_records=known)
    sides = ((_RELEASED, released, "pseudonym", _PSEUDONYMS), (_KNOWN, known, "user_id", _USERS))
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
    usable = session.fetch_row("evidence_columns", known_records=_KNOWN, released=_RELEASED)
    keys = list_keys([column for column in _COLUMNS if usable[column]])
    session.run(
        "evidence_matches",
        table=_MATCHES,
        known_records=_KNOWN,
        released=_RELEASED,
        pseudonyms=_PSEUDONYMS,
        keys=keys,
        max_pseudonyms=MOST_HOLDERS,
    )
    return len(keys)


def weigh_matches(session: Session, keys: int, *, learned: bool) -> None:
    """Make the tables of the scores and of the guess.

    Args:
        session: Runs the statements.
        keys: The number of column sets.
        learned: Weigh by the survival of records under the guess before; otherwise trust every column.
    """
    guess = _GUESS if learned else None
    session.run(
        "evidence_shares", table=_SHARES, matches=_MATCHES, guess=guess, known_records=_KNOWN, keys=keys
    )
    session.run("evidence_scores", table=_PAIRS, matches=_MATCHES, shares=_SHARES, pseudonyms=_PSEUDONYMS)
    session.run("mutual_best", table=_GUESS, scores=_PAIRS)


def list_keys(usable: list[str]) -> list[list[str]]:
    """Return the sets of columns on which records are compared, larger sets first.

    These are the sets of three columns or more, the clock with another column, and the item with two or more
    columns by a grid. With fewer columns, the set of all of them.
    """
    exact = [
        list(columns)
        for count in range(len(usable), 0, -1)
        for columns in combinations(usable, count)
        if count >= min(3, len(usable)) or (count == 2 and "clock" in columns)
    ]
    near = [column for column in _GRID_COLUMNS if column in usable]
    first = ["item"] if "item" in usable else []
    grids = [
        [*first, *(f"{column}{grid}" for column in columns)]
        for count in range(len(near), 0, -1)
        for columns in combinations(near, count)
        if count >= min(2, len(near))
        for grid in (0, 1)
    ]
    return exact + grids
