"""The attack with combined evidence: what all columns of all known records say together, period by period."""

from __future__ import annotations

from itertools import combinations

from duckrisk.session import Session

#: Values that more pseudonyms of a period share tell nothing.
MOST_HOLDERS = 16
_COLUMNS = ("clock", "day", "item", "price", "quantity")
#: Columns that are also compared by a grid.
_NEAR = ("day", "price", "quantity")


def combined(session: Session, released: str, known: str, *, prefix: int | None, table: str) -> None:
    """Make the table of guesses ``user_id``, ``period``, ``pseudonym``."""
    pseudonyms, users = "evidence_of_pseudonyms", "evidence_of_users"
    session.run("evidence_pseudonyms", table=pseudonyms, released=released)
    session.run("evidence_users", table=users, known=known)
    for name, source, person, numbers in (
        ("evidence_released", released, "pseudonym", pseudonyms),
        ("evidence_known", known, "user_id", users),
    ):
        session.run(
            "evidence_records",
            table=name,
            source=source,
            person=person,
            numbers=numbers,
            periodic=int(numbers == pseudonyms),
            prefix=prefix,
        )
    usable = session.row("evidence_columns", known="evidence_known", released="evidence_released")
    keys = _keys([column for column in _COLUMNS if usable[column]])
    session.run(
        "evidence_matches",
        table="evidence_matched",
        known="evidence_known",
        released="evidence_released",
        pseudonyms=pseudonyms,
        keys=keys,
        most=MOST_HOLDERS,
    )
    guess: str | None = None
    for _ in range(2):
        session.run(
            "evidence_shares",
            table="evidence_survival",
            matches="evidence_matched",
            guess=guess,
            known="evidence_known",
            keys=len(keys),
        )
        session.run(
            "evidence_scores",
            table="evidence_pairs",
            matches="evidence_matched",
            shares="evidence_survival",
            pseudonyms=pseudonyms,
        )
        guess = "evidence_guess"
        session.run("mutual_best", table=guess, scores="evidence_pairs")
    session.run("guessed_names", table=table, guess=guess, users=users, pseudonyms=pseudonyms)


def _keys(usable: list[str]) -> list[list[str]]:
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
