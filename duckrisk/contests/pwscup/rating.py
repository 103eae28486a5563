"""How much of the true pseudonyms a guess gets right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from duckrisk.contests.pwscup.attacks import COMMITTEE, find_attack
from duckrisk.contests.pwscup.results import RatesBesideChance
from duckrisk.engine.session import Session

_OWNERS, _GUESSES = "attack_owners", "attack_guesses"


@dataclass(frozen=True)
class Attempt:
    """An attack by an attacker who knows a share of the records, and its rates.

    Attributes:
        attack: The name of the attack.
        alpha: The known share of the records, in percent.
        rates: How much of the guess is right.
    """

    attack: str
    alpha: float
    rates: RatesBesideChance


def rate_guesses(
    session: Session,
    truth: str,
    guesses: Sequence[str],
    users: str,
    periods: int,
    released: str,
    original: str | None = None,
    kind: type[RatesBesideChance] = RatesBesideChance,
) -> list[RatesBesideChance]:
    """Rate guesses in one statement, which takes longer to plan than to run.

    Args:
        session: Runs the statements.
        truth: The table of true pseudonyms.
        guesses: The tables of the guesses: ``user_id``, ``period``, ``pseudonym``.
        users: The table of all users.
        periods: The number of periods.
        released: The standard table of released records.
        original: The standard table of the original, whose records have the numbers of the released ones. It
            says who a record is of if users share a pseudonym.
        kind: The rates, and the counts that they are made of.

    Returns:
        The rates of each guess, in their order.
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
    names = [rate.name for rate in fields(kind)]
    return [kind(**{name: row[name] for name in names}) for row in rows]


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
    kind: type[RatesBesideChance] = RatesBesideChance,
) -> list[Attempt]:
    """Run and rate attacks; see :func:`rate_guesses` for the rates.

    Args:
        session: Runs the statements.
        released: The standard table of released records.
        knowledge: The table of known records for each share, in percent.
        truth: The table of true pseudonyms.
        users: The table of all users.
        periods: The number of periods.
        prefix: How many first characters of an item count; None for all.
        original: The standard table of the original, if the release is aligned with it.
        names: The attacks to run.
        kind: The rates, as :func:`rate_guesses` takes it.

    Returns:
        Each attack with each share, in the order of the names, then of the shares.

    Raises:
        UsageError: There is no such attack.
    """
    attempts: dict[tuple[str, float], str] = {}
    for attack in [find_attack(name) for name in names]:
        attack.prepare(session, released, prefix)
        for alpha, known in knowledge.items():
            table = attempts[attack.name, alpha] = f"attack_guess_{len(attempts)}"
            attack.link(session, released, known, prefix, table)
    guesses = list(attempts.values())
    rates = rate_guesses(session, truth, guesses, users, periods, released, original, kind)
    return [Attempt(*attempt, rate) for attempt, rate in zip(attempts, rates, strict=True)]
