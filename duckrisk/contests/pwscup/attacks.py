"""Attacks that link users to the pseudonyms of a release, by records of the original that they know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.contests.pwscup.results import RatesBesideChance
from duckrisk.engine.session import Session

#: The sample programs of the contest and the patterns of its paper: the columns that have to agree.
KEYS: dict[str, tuple[str, ...]] = {
    "S1-datenum": ("day", "quantity"),
    "S2-itemprice": ("item", "price"),
    "S3-itemnum": ("item", "quantity"),
    "S4-itemdate": ("item", "day"),
    "S5-item2pricenum": ("item", "price", "quantity"),
    "S6-item2datenum": ("item", "day", "quantity"),
    "paper-date": ("day",),
    "paper-item": ("item",),
    "paper-monthitem": ("period", "item"),
}
COMMITTEE = tuple(name for name in KEYS if name.startswith("S"))
#: Votes for a pseudonym of the same period, by the same keys.
VOTES: dict[str, tuple[str, ...]] = {
    "vote-" + name.partition("-")[2]: key for name, key in KEYS.items() if "period" not in key
}
_OWNERS, _GUESSES = "attack_owners", "attack_guesses"
ATTACKS = (*KEYS, *VOTES, "overlap-item2", "combined")
#: The strongest of each kind.
STRONG = ("vote-item2datenum", "overlap-item2", "combined")


@dataclass(frozen=True)
class Attempt:
    """An attack with a share in percent, and what came of it."""

    attack: str
    alpha: float
    rates: RatesBesideChance


def check_attack(name: str) -> None:
    """Raise UsageError for what is no attack."""
    if name not in ATTACKS:
        raise UsageError("pwscup.unknown_attack", name=name, suggestion=suggest_names(name, list(ATTACKS)))


def attack(
    session: Session, name: str, released: str, partial: str, *, prefix: int | None, table: str
) -> None:
    """Make the table of what an attack guesses: ``user_id``, ``period`` and ``pseudonym``, one row for each
    cell that it fills. ``released`` and ``partial`` are standard tables; of items the first ``prefix``
    characters count."""
    check_attack(name)
    if name in KEYS:
        _map(session, name, released, prefix)
        _last(session, name, partial, prefix, table)
    elif name in VOTES:
        session.run(
            "vote_matches", table=table, released=released, known=partial, keys=VOTES[name], prefix=prefix
        )
    elif name == "overlap-item2":
        session.run("overlap_matches", table=table, released=released, known=partial, prefix=prefix)
    else:
        from duckrisk.contests.pwscup.evidence import combined

        combined(session, released, partial, prefix=prefix, table=table)


def rates(
    session: Session,
    truth: str,
    guesses: Sequence[str],
    users: str,
    periods: int,
    released: str,
    original: str | None = None,
) -> list[RatesBesideChance]:
    """How much of the truth each of the guesses gets right, told of all at once: a statement takes longer to
    plan than to run.

    ``original``, whose records have the numbers of the released ones, tells who a record is of where users
    share a pseudonym.
    """
    if not guesses:
        return []
    session.run("record_owners", table=_OWNERS, truth=truth, released=released, original=original)
    session.run("all_guesses", name=_GUESSES, guesses=guesses)
    rows = session.run(
        "reidentification_rates",
        truth=_OWNERS,
        guess=_GUESSES,
        everybody=users,
        person="user_id",
        period="period",
        pseudonym="pseudonym",
        weight="records",
        periods=periods,
        attempt="attempt",
        attempts=len(guesses),
    )
    names = [rate.name for rate in fields(RatesBesideChance)]
    return [RatesBesideChance(**{name: row[name] for name in names}) for row in rows]


def attack_history(
    session: Session,
    released: str,
    knowledge: Mapping[float, str],
    truth: str,
    users: str,
    periods: int,
    *,
    prefix: int | None,
    original: str | None = None,
    names: Sequence[str] = COMMITTEE,
) -> list[Attempt]:
    """Run attacks with each partial knowledge, a table for each share in percent, in their order."""
    for name in names:
        check_attack(name)
    attempts: dict[tuple[str, float], str] = {}
    for name in names:
        if name in KEYS:
            _map(session, name, released, prefix)
        for alpha, partial in knowledge.items():
            table = attempts[name, alpha] = f"attack_guess_{len(attempts)}"
            if name in KEYS:
                _last(session, name, partial, prefix, table)
            else:
                attack(session, name, released, partial, prefix=prefix, table=table)
    found = rates(session, truth, list(attempts.values()), users, periods, released, original)
    return [Attempt(*attempt, one) for attempt, one in zip(attempts, found, strict=True)]


def _map(session: Session, name: str, released: str, prefix: int | None) -> None:
    session.run("key_pseudonyms", table="attack_map", released=released, keys=KEYS[name], prefix=prefix)


def _last(session: Session, name: str, partial: str, prefix: int | None, table: str) -> None:
    session.run("last_matches", table=table, known=partial, map="attack_map", keys=KEYS[name], prefix=prefix)
