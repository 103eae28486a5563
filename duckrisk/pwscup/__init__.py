"""The contest of 2017 on long purchase histories: releases under pseudonyms, attacks on them, and scores.

The functions do the jobs of the commands ``duckrisk pwscup ...``. Files of the contest need no names of
columns; for any other history name its columns (``user``, ``date``, ``item``, and where there are such
``time``, ``price``, ``quantity``, ``invoice``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.pwscup.options import ALPHAS, ITEM_PREFIX, Options, layout_of, shares_of

if TYPE_CHECKING:
    from duckrisk.pwscup.scoring import Given
    from duckrisk.pwscup.treatment import Anonymized
    from duckrisk.pwscup.writing import Written
    from duckrisk.report.pwscup.attack import Attack
    from duckrisk.report.pwscup.check import Check
    from duckrisk.report.pwscup.score import Score


def check(
    original: Any,
    *releases: Any,
    guesses: Iterable[Any] = (),
    master: Any = None,
    period: str = "month",
    show_values: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    **columns: str | None,
) -> Check:
    """Check releases and guesses against the constraints: the same job as ``duckrisk pwscup check``.

    Returns a :class:`duckrisk.report.pwscup.check.Check`: every constraint with the count of its violations
    and the first rows. Raises SourceError where the original itself cannot be used.
    """
    from duckrisk.pwscup.constraints import run
    from duckrisk.session import Resources
    from duckrisk.source import Request

    return run(
        Request(original),
        [Request(release) for release in releases],
        [Request(guess) for guess in guesses],
        Request(master) if master is not None else None,
        Options(layout=_layout(columns), period=period, show_values=show_values),
        Resources(memory, threads, temp),
    )


def anonymize(
    original: Any,
    output: Any,
    *,
    life: int | None = 1,
    delete_rare_items: int | None = None,
    delete_outliers: float | None = None,
    perturb_dates: float | None = None,
    perturb_items: float | None = None,
    seed: int | None = None,
    period: str = "month",
    overwrite: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    **columns: str | None,
) -> Anonymized:
    """Write a release under new pseudonyms, aligned with the original: as ``duckrisk pwscup anonymize``.

    A pseudonym lives for ``life`` periods (None: for all). Without a ``seed`` nobody can repeat it.
    """
    from duckrisk.anonymization import Target
    from duckrisk.pwscup import treatment
    from duckrisk.session import Resources
    from duckrisk.source import Request

    wishes = treatment.Wishes(life, delete_rare_items, delete_outliers, perturb_dates, perturb_items)
    return treatment.run(
        Request(original),
        Target(Path(output), None, overwrite),
        wishes,
        seed,
        Options(layout=_layout(columns), period=period),
        Resources(memory, threads, temp),
    )


def pseudonyms(
    original: Any,
    release: Any,
    output: Any,
    *,
    master: Any = None,
    period: str = "month",
    overwrite: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    **columns: str | None,
) -> Written:
    """Write the true pseudonyms of all users, one a period: as ``duckrisk pwscup pseudonyms``."""
    from duckrisk.anonymization import Target
    from duckrisk.pwscup import writing
    from duckrisk.session import Resources
    from duckrisk.source import Request

    return writing.pseudonyms(
        Request(original),
        Request(release),
        Request(master) if master is not None else None,
        Target(Path(output), None, overwrite),
        Options(layout=_layout(columns), period=period),
        Resources(memory, threads, temp),
    )


def release(
    source: Any,
    output: Any,
    *,
    seed: int | None = None,
    overwrite: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    **columns: str | None,
) -> Written:
    """Write a release without its deleted records, shuffled: as ``duckrisk pwscup release``. Without a
    ``seed`` nobody can find the order that was."""
    from duckrisk.anonymization import Target
    from duckrisk.pwscup import writing
    from duckrisk.session import Resources
    from duckrisk.source import Request

    target, options = Target(Path(output), None, overwrite), Options(layout=_layout(columns))
    return writing.release(Request(source), target, seed, options, Resources(memory, threads, temp))


def partial_knowledge(
    original: Any,
    output: Any,
    *,
    alpha: float,
    seed: int = 0,
    item_prefix: int | None = ITEM_PREFIX,
    overwrite: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    **columns: str | None,
) -> Written:
    """Write what an attacker knows: ``alpha`` percent of the records in their places, the others empty, with
    the first ``item_prefix`` characters of items (None: all): as ``duckrisk pwscup partial-knowledge``."""
    from duckrisk.anonymization import Target
    from duckrisk.pwscup import writing
    from duckrisk.session import Resources
    from duckrisk.source import Request

    target, options = Target(Path(output), None, overwrite), Options(layout=_layout(columns))
    resources = Resources(memory, threads, temp)
    return writing.partial_knowledge(Request(original), target, alpha, seed, item_prefix, options, resources)


def attack(
    original: Any,
    release: Any,
    *,
    attacks: Iterable[str] | None = None,
    known: Any = None,
    partials: Mapping[float, Any] | None = None,
    alphas: Iterable[float] | None = None,
    truth: Any = None,
    master: Any = None,
    guess: Any = None,
    seed: int = 0,
    item_prefix: int | None = ITEM_PREFIX,
    pseudonym: str | None = None,
    period: str = "month",
    show_values: bool = False,
    overwrite: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    **columns: str | None,
) -> Attack:
    """Attack a release: as ``duckrisk pwscup attack``, and with ``known`` records as ``duckrisk attack``.

    With an ``original`` attackers hold ``alphas`` percent of it, drawn by the seed, or the files that
    ``partials`` gives by their percentage. A release in an order of its own needs the ``truth``, a table of
    pseudonyms; without the original (None) nothing says what is right but the truth. ``pseudonym`` names the
    release's column, where it is not called as that of users. ``guess`` is a file for one attack's guess.

    Returns a :class:`duckrisk.report.pwscup.attack.Attack`.
    """
    from duckrisk.anonymization import Target
    from duckrisk.pwscup import attacking
    from duckrisk.pwscup.attacks import ATTACKS
    from duckrisk.session import Resources
    from duckrisk.source import Request

    def request(source: Any) -> Request | None:
        return Request(source) if source is not None else None

    given = attacking.Given(
        release=Request(release),
        original=request(original),
        known=request(known),
        master=request(master),
        partials={alpha: Request(file) for alpha, file in (partials or {}).items()},
        truth=request(truth),
        pseudonym=pseudonym,
        names=tuple(attacks) if attacks is not None else ATTACKS,
        guess=Target(Path(guess), None, overwrite) if guess is not None else None,
    )
    options = Options(
        layout=_layout(columns),
        period=period,
        seed=seed,
        item_prefix=item_prefix,
        alphas=tuple(alphas or partials or ALPHAS),
        show_values=show_values,
    )
    return attacking.run(given, options, Resources(memory, threads, temp))


def utility(
    original: Any,
    *releases: Any,
    master: Any = None,
    profile: str = "judge",
    top: int = 100,
    most_items: int | None = None,
    period: str = "month",
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    **columns: str | None,
) -> Score:
    """What releases still serve for: as ``duckrisk pwscup utility``.

    Returns a :class:`duckrisk.report.pwscup.score.Score` whose losses go from 0 (as the original) to 1
    (useless): the seven of the contest and, with a ``master`` table, those of cross tables and group means.
    Users with more than ``most_items`` different items are left out of recommendations and counted; by
    default nobody is. Raises SourceError for a release that breaks a constraint.
    """
    from duckrisk.pwscup import scoring
    from duckrisk.session import Resources

    options = Options(layout=_layout(columns), period=period, profile=profile, top=top, most_items=most_items)
    return scoring.utility(_given(original, releases, master), options, Resources(memory, threads, temp))


def score(
    original: Any,
    *releases: Any,
    master: Any = None,
    partials: Mapping[float, Any] | None = None,
    alphas: Iterable[float] | None = None,
    guesses: Mapping[str, Any] | None = None,
    attacks: str = "committee",
    seed: int = 0,
    profile: str = "judge",
    top: int = 100,
    most_items: int | None = None,
    item_prefix: int | None = ITEM_PREFIX,
    period: str = "month",
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    **columns: str | None,
) -> Score:
    """Score releases as the contest did: as ``duckrisk pwscup score``.

    Attackers hold ``alphas`` percent of the records (those of the contest, or of ``partials`` where one is
    none of these), drawn by the seed, or the files that ``partials`` gives by their percentage, with the
    first ``item_prefix`` characters of items (None: all). ``guesses`` are files by their names, each counted
    for every percentage. ``attacks`` are those of the "committee", or "all". ``most_items`` is as in
    :func:`utility`.

    Returns a :class:`duckrisk.report.pwscup.score.Score`: losses and rates between 0 and 1, and UTL, SEC and
    AVG of each release. Raises SourceError for a release that breaks a constraint.
    """
    from duckrisk.pwscup import scoring
    from duckrisk.session import Resources
    from duckrisk.source import Request

    options = Options(
        layout=_layout(columns),
        period=period,
        seed=seed,
        item_prefix=item_prefix,
        alphas=shares_of(alphas, partials or {}),
        profile=profile,
        top=top,
        most_items=most_items,
    )
    given = _given(
        original,
        releases,
        master,
        {alpha: Request(file) for alpha, file in (partials or {}).items()},
        [scoring.Guess(name, Request(file)) for name, file in (guesses or {}).items()],
    )
    return scoring.score(given, options, attacks, Resources(memory, threads, temp))


def _given(original: Any, releases: Iterable[Any], master: Any, *others: Any) -> Given:
    from duckrisk.pwscup.scoring import Given
    from duckrisk.source import Request

    listed = Request(master) if master is not None else None
    return Given(Request(original), [Request(release) for release in releases], listed, *others)


def _layout(columns: dict[str, str | None]) -> Any:
    from duckrisk.errors import UsageError, suggestion
    from duckrisk.pwscup.options import Layout

    for name in columns:
        if name not in Layout.__dataclass_fields__:
            hint = suggestion(name, list(Layout.__dataclass_fields__))
            raise UsageError(f'There is no option "{name}"{hint}')
    return layout_of(columns)
