"""The contests of 2017 and 2018 on purchase histories: releases under pseudonyms, attacks, and scores.

The functions do the jobs of the commands ``duckrisk pwscup ...``. Histories, releases and tables are paths of
files; where columns are named also pandas DataFrames, Arrow tables or DuckDB relations. Files of the contest
need no names of columns; for any other history name its columns: ``user``, ``date`` and ``item``, and where
there are such ``time``, ``price``, ``quantity`` and ``invoice``. ``period`` is how long a pseudonym is valid:
"day", "week", "month" or "quarter". Of items attackers know the first ``item_prefix`` characters: 0 is all of
them, and the default 2 for files of the contest and else all. ``memory``, ``threads``, ``temp``, ``read`` and
``missing_tokens`` are those of :func:`duckrisk.assess`. ``fail_on`` are gates, and
``baseline`` is the file of an earlier report: ``gates`` and ``baseline`` of the result say what was found.

All raise UsageError for what was asked wrongly, SourceError for files that cannot be used, OutputError and
EngineError where disk or memory run out; nothing is left behind then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.base.options import texts
from duckrisk.base.options.identifiability import TOKENS
from duckrisk.contests.pwscup.options import ALPHAS, ITEM_PREFIX, Layout, Options, layout_of, shares_of

if TYPE_CHECKING:
    from duckrisk.contests.pwscup.generalized import Score2018
    from duckrisk.contests.pwscup.results import Attacks, Check, Score, Written
    from duckrisk.contests.pwscup.treatment import Anonymized
    from duckrisk.source import Request

__all__ = [
    "anonymize",
    "attack",
    "check",
    "partial_knowledge",
    "pseudonyms",
    "release",
    "score",
    "score_2018",
    "utility",
]


def check(
    original: Any,
    *releases: Any,
    guesses: Iterable[Any] = (),
    master: Any = None,
    user: str | None = None,
    date: str | None = None,
    item: str | None = None,
    time: str | None = None,
    price: str | None = None,
    quantity: str | None = None,
    invoice: str | None = None,
    period: str = "month",
    show_values: bool = False,
    fail_on: Iterable[str] = (),
    baseline: Any = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
    missing_tokens: Iterable[str] = TOKENS,
) -> Check:
    """Check releases and guesses against the constraints: the same job as ``duckrisk pwscup check``.

    Returns a :class:`duckrisk.contests.pwscup.results.Check`: whether all ``passed``, and every constraint
    with the count of its violations and the first rows. Raises SourceError where the original itself cannot
    be used.
    """
    from duckrisk.contests.pwscup.constraints import run
    from duckrisk.contests.pwscup.results import Check
    from duckrisk.decision.baseline import judged
    from duckrisk.engine.session import Resources

    layout = _layout(user, date, item, time, price, quantity, invoice)
    return judged(
        lambda: run(
            _request(original),
            list(map(_request, releases)),
            [_request(guess) for guess in texts("guesses", guesses) or ()],
            _asked(master),
            Options(layout=layout, period=period, show_values=show_values),
            Resources.of(memory, threads, temp, sql_log, timezone, read, missing_tokens),
        ),
        fail_on,
        Check,
        baseline,
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
    false_order: bool = False,
    seed: int | None = None,
    user: str | None = None,
    date: str | None = None,
    item: str | None = None,
    price: str | None = None,
    period: str = "month",
    overwrite: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
    missing_tokens: Iterable[str] = TOKENS,
) -> Anonymized:
    """Write a release under new pseudonyms, aligned with the original: as ``duckrisk pwscup anonymize``.

    A pseudonym lives for ``life`` periods (None: for all). ``delete_rare_items`` deletes records of items
    that fewer users bought, ``delete_outliers`` those with prices beyond so many standard deviations;
    ``perturb_dates`` and ``perturb_items`` are the shares of records that exchange them within a period;
    ``false_order`` puts the records of each person in the places of another's (Yamaoka's anonymisation).
    Without a ``seed`` nobody can repeat it.

    Returns a :class:`duckrisk.contests.pwscup.treatment.Anonymized`: what was written, and what was done in
    counts.
    """
    from duckrisk.contests.pwscup import treatment
    from duckrisk.engine.session import Resources

    settings = treatment.ReleaseSettings(
        life, delete_rare_items, delete_outliers, perturb_dates, perturb_items, false_order
    )
    return treatment.run(
        _request(original),
        _target(output, overwrite),
        settings,
        seed,
        Options(layout=_layout(user, date, item, price=price), period=period),
        Resources.of(memory, threads, temp, sql_log, timezone, read, missing_tokens),
    )


def pseudonyms(
    original: Any,
    release: Any,
    output: Any,
    *,
    master: Any = None,
    user: str | None = None,
    date: str | None = None,
    item: str | None = None,
    time: str | None = None,
    price: str | None = None,
    quantity: str | None = None,
    invoice: str | None = None,
    period: str = "month",
    overwrite: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
    missing_tokens: Iterable[str] = TOKENS,
) -> Written:
    """Write the true pseudonyms of all users, one a period: as ``duckrisk pwscup pseudonyms``.

    Returns a :class:`duckrisk.contests.pwscup.results.Written`.
    """
    from duckrisk.contests.pwscup import writing
    from duckrisk.engine.session import Resources

    return writing.pseudonyms(
        _request(original),
        _request(release),
        _asked(master),
        _target(output, overwrite),
        Options(layout=_layout(user, date, item, time, price, quantity, invoice), period=period),
        Resources.of(memory, threads, temp, sql_log, timezone, read, missing_tokens),
    )


def release(
    source: Any,
    output: Any,
    *,
    seed: int | None = None,
    user: str | None = None,
    date: str | None = None,
    item: str | None = None,
    overwrite: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
    missing_tokens: Iterable[str] = TOKENS,
) -> Written:
    """Write a release without its deleted records, shuffled: as ``duckrisk pwscup release``. Without a
    ``seed`` nobody can find the order that was.

    Returns a :class:`duckrisk.contests.pwscup.results.Written`.
    """
    from duckrisk.contests.pwscup import writing
    from duckrisk.engine.session import Resources

    options, resources = (
        Options(layout=_layout(user, date, item)),
        Resources.of(memory, threads, temp, sql_log, timezone, read, missing_tokens),
    )
    return writing.release(_request(source), _target(output, overwrite), seed, options, resources)


def partial_knowledge(
    original: Any,
    output: Any,
    *,
    alpha: float,
    seed: int = 0,
    item_prefix: int | None = None,
    user: str | None = None,
    date: str | None = None,
    item: str | None = None,
    overwrite: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
    missing_tokens: Iterable[str] = TOKENS,
) -> Written:
    """Write what an attacker knows: ``alpha`` percent of the records in their places, the others empty, with
    the first ``item_prefix`` characters of items: as ``duckrisk pwscup partial-knowledge``.

    Returns a :class:`duckrisk.contests.pwscup.results.Written`.
    """
    from duckrisk.contests.pwscup import writing
    from duckrisk.engine.session import Resources

    layout, target = _layout(user, date, item), _target(output, overwrite)
    options, resources = (
        Options(layout=layout),
        Resources.of(memory, threads, temp, sql_log, timezone, read, missing_tokens),
    )
    prefix = _prefix(item_prefix, layout)
    return writing.partial_knowledge(_request(original), target, alpha, seed, prefix, options, resources)


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
    item_prefix: int | None = None,
    user: str | None = None,
    date: str | None = None,
    item: str | None = None,
    time: str | None = None,
    price: str | None = None,
    quantity: str | None = None,
    invoice: str | None = None,
    pseudonym: str | None = None,
    period: str = "month",
    show_values: bool = False,
    overwrite: bool = False,
    fail_on: Iterable[str] = (),
    baseline: Any = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
    missing_tokens: Iterable[str] = TOKENS,
) -> Attacks:
    """Attack a release: as ``duckrisk pwscup attack``, and with ``known`` records as ``duckrisk attack``.

    With an ``original`` attackers hold ``alphas`` percent of it, drawn by the seed, or the files that
    ``partials`` gives by their percentage; without one (None), as a team of the contest, these alone, and the
    ``master`` table says who there is. ``attacks`` are names: by default all, of ``known`` records the
    strongest of each kind. A release in an order of its own needs the ``truth``, a table of
    pseudonyms; without the original (None) nothing says what is right but the truth. ``pseudonym`` names the
    release's column, where it is not called as that of users. ``guess`` is a file for one attack's guess.

    Returns a :class:`duckrisk.contests.pwscup.results.Attacks`: for each attack what it links, and where the
    truth is known how much of it is right.
    """
    from duckrisk.contests.pwscup import attacking
    from duckrisk.contests.pwscup.attacks import ATTACKS, STRONG
    from duckrisk.contests.pwscup.results import Attacks
    from duckrisk.decision.baseline import judged
    from duckrisk.engine.session import Resources

    inputs = attacking.AttackInputs(
        release=_request(release),
        original=_asked(original),
        known=_asked(known),
        master=_asked(master),
        partials={alpha: _request(file) for alpha, file in (partials or {}).items()},
        truth=_asked(truth),
        pseudonym=pseudonym,
        names=texts("attacks", attacks) or (ATTACKS if known is None else STRONG),
        guess=_target(guess, overwrite) if guess is not None else None,
    )
    layout = _layout(user, date, item, time, price, quantity, invoice)
    options = Options(
        layout=layout,
        period=period,
        seed=seed,
        item_prefix=_prefix(item_prefix, layout),
        alphas=tuple(alphas or partials or ALPHAS),
        show_values=show_values,
    )
    resources = Resources.of(memory, threads, temp, sql_log, timezone, read, missing_tokens)
    return judged(
        lambda: attacking.run(inputs, options, resources),
        fail_on,
        Attacks,
        baseline,
    )


def utility(
    original: Any,
    *releases: Any,
    master: Any = None,
    profile: str = "judge",
    top: int = 100,
    most_items: int | None = None,
    user: str | None = None,
    date: str | None = None,
    item: str | None = None,
    time: str | None = None,
    price: str | None = None,
    quantity: str | None = None,
    invoice: str | None = None,
    period: str = "month",
    show_values: bool = False,
    fail_on: Iterable[str] = (),
    baseline: Any = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
    missing_tokens: Iterable[str] = TOKENS,
) -> Score:
    """What releases still serve for: as ``duckrisk pwscup utility``.

    Losses go from 0 (as the original) to 1 (useless): the seven of the contest and, with a ``master`` table,
    those of cross tables and group means. ``profile`` "judge" is the program that ranked the contest, "paper"
    what its paper says. Users with more than ``most_items`` different items are left out of recommendations
    and counted; by default nobody is. ``show_values`` lists the strongest rules of what is bought together.

    Returns a :class:`duckrisk.contests.pwscup.results.Score`. Raises SourceError for a release that breaks a
    constraint.
    """
    from duckrisk.contests.pwscup import scoring
    from duckrisk.contests.pwscup.results import Score
    from duckrisk.decision.baseline import judged
    from duckrisk.engine.session import Resources

    layout = _layout(user, date, item, time, price, quantity, invoice)
    options = Options(
        layout=layout, period=period, profile=profile, top=top, most_items=most_items, show_values=show_values
    )
    inputs = scoring.ScoreInputs(_request(original), list(map(_request, releases)), _asked(master))
    resources = Resources.of(memory, threads, temp, sql_log, timezone, read, missing_tokens)
    return judged(
        lambda: scoring.utility(inputs, options, resources),
        fail_on,
        Score,
        baseline,
    )


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
    item_prefix: int | None = None,
    user: str | None = None,
    date: str | None = None,
    item: str | None = None,
    time: str | None = None,
    price: str | None = None,
    quantity: str | None = None,
    invoice: str | None = None,
    period: str = "month",
    show_values: bool = False,
    fail_on: Iterable[str] = (),
    baseline: Any = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
    missing_tokens: Iterable[str] = TOKENS,
) -> Score:
    """Score releases as the contest did: as ``duckrisk pwscup score``.

    Attackers hold ``alphas`` percent of the records (those of the contest, or of ``partials`` where one is
    none of these), drawn by the seed, or the files that ``partials`` gives by their percentage, with the
    first ``item_prefix`` characters of items. ``guesses`` are files by whose they are, each counted for every
    percentage, or as "NAME@PERCENT" for that alone, and of several releases as "NAME:RELEASE" or
    "NAME@PERCENT:RELEASE", by the name or the number of the release. ``attacks`` are those of the
    "committee", or "all". The others are as in :func:`utility`.

    Returns a :class:`duckrisk.contests.pwscup.results.Score`: losses and rates between 0 and 1, and UTL, SEC
    and AVG of each of its ``releases``, the best first. Raises SourceError for a release that breaks a
    constraint.
    """
    from duckrisk.contests.pwscup import scoring
    from duckrisk.contests.pwscup.results import Score
    from duckrisk.decision.baseline import judged
    from duckrisk.engine.session import Resources

    layout = _layout(user, date, item, time, price, quantity, invoice)
    options = Options(
        layout=layout,
        period=period,
        seed=seed,
        item_prefix=_prefix(item_prefix, layout),
        alphas=shares_of(alphas, partials or {}),
        profile=profile,
        top=top,
        most_items=most_items,
        show_values=show_values,
    )
    requests = list(map(_request, releases))
    inputs = scoring.ScoreInputs(
        _request(original),
        requests,
        _asked(master),
        {alpha: _request(file) for alpha, file in (partials or {}).items()},
        [scoring.guess_named(name, _request(file), requests) for name, file in (guesses or {}).items()],
    )
    resources = Resources.of(memory, threads, temp, sql_log, timezone, read, missing_tokens)
    return judged(
        lambda: scoring.score(inputs, options, attacks, resources),
        fail_on,
        Score,
        baseline,
    )


def score_2018(
    original: Any,
    release: Any,
    *,
    guesses: Iterable[Any] = (),
    fail_on: Iterable[str] = (),
    baseline: Any = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
    missing_tokens: Iterable[str] = TOKENS,
) -> Score2018:
    """Score a release as the contest of 2018 did: as ``duckrisk pwscup score-2018``.

    All are files of that contest: customer, date, item, price and quantity in each line, and in a guess a
    pseudonym and a customer.

    Returns a :class:`duckrisk.contests.pwscup.generalized.Score2018`: the losses of the ``columns``, their
    mean ``loss``, and whether one of the ``guesses`` declares the release ``unsafe`` (None without any).
    Raises SourceError for a release or a guess that breaks a rule.
    """
    from duckrisk.contests.pwscup import generalized
    from duckrisk.decision.baseline import judged
    from duckrisk.engine.session import Resources

    requests = [_request(guess) for guess in texts("guesses", guesses) or ()]
    resources = Resources.of(memory, threads, temp, sql_log, timezone, read, missing_tokens)
    return judged(
        lambda: generalized.run(_request(original), _request(release), requests, resources),
        fail_on,
        generalized.Score2018,
        baseline,
    )


# --- arguments as the room's own files take them --------------------------------------------------


def _request(source: Any) -> Request:
    from duckrisk.source import Request

    return Request(source)


def _asked(source: Any) -> Request | None:
    return _request(source) if source is not None else None


def _target(output: Any, overwrite: bool) -> Any:
    from duckrisk.release.anonymization import Target

    return Target(Path(output), None, overwrite)


def _prefix(prefix: int | None, layout: Layout | None) -> int | None:
    """So many characters of items; None for all of them."""
    return ITEM_PREFIX if prefix is None and layout is None else prefix or None


def _layout(
    user: str | None,
    date: str | None,
    item: str | None,
    time: str | None = None,
    price: str | None = None,
    quantity: str | None = None,
    invoice: str | None = None,
) -> Layout | None:
    columns = {"user": user, "date": date, "item": item}
    return layout_of(columns | {"time": time, "price": price, "quantity": quantity, "invoice": invoice})
