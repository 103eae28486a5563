"""Measures how long pseudonyms may live: what releases lose, and what attackers find in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from statistics import NormalDist
from typing import Any, cast

from duckrisk.contests.common import count_rows, run_facts
from duckrisk.contests.pwscup import rating, tables, utilities
from duckrisk.contests.pwscup.attacks import COMMITTEE
from duckrisk.contests.pwscup.files import Files
from duckrisk.contests.pwscup.lifetime_results import (
    Cheapest,
    CountedRates,
    FoundUsers,
    Lifetimes,
    LifetimeSetting,
    LifetimesSettings,
)
from duckrisk.contests.pwscup.options import ALPHAS, LifetimeOptions, Options
from duckrisk.contests.pwscup.results import Knowledge, Original, Period
from duckrisk.contests.pwscup.treatment import ReleaseSettings, treat_history
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.source import Request

#: The attack that uses all that is known, over all periods (the README's table of users found).
STRONGEST = "combined"
#: Settings that are tried where a limit alone is given: the life of a pseudonym, and one more treatment
#: (a choice: each alone, so that a report shows what it hides and costs; of sizes that lose some utility).
ADVISED: tuple[ReleaseSettings, ...] = (
    *(ReleaseSettings(life) for life in (1, 3, None)),
    *(ReleaseSettings(life, rare_items=3) for life in (1, 3, None)),
    *(ReleaseSettings(life, perturb_dates=0.2) for life in (1, 3, None)),
    *(ReleaseSettings(life, perturb_items=0.2) for life in (1, 3, None)),
    *(ReleaseSettings(None, exchange_pseudonyms=share) for share in (0.2, 0.5, 1.0)),
)
#: Confidence of the intervals (a choice: as in other reports).
CONFIDENCE = 0.95
_RELEASE, _RELEASED, _TRUTH = "pws_release", "pws_released", "pws_truth"


@dataclass(frozen=True)
class _Measured:
    """A setting with the figures of its release."""

    settings: ReleaseSettings
    surviving: int
    losses: dict[str, float]
    utl: float
    sec: float
    found: Sequence[CountedRates]


def run(
    original: Request,
    asked: LifetimeOptions,
    options: Options,
    resources: Resources | None = None,
    progress: ProgressCallback | None = None,
) -> Lifetimes:
    """Make a release for each setting, and measure what it loses and hides.

    All releases and all attackers draw by the seed of the options, as ``anonymize`` and ``attack`` do.

    Args:
        original: The history.
        asked: The settings, and the limit of what may be found.
        options: The layout of the file, the shares that attackers know, and the seed.
        resources: The limits of the engine.
        progress: Receives the progress.

    Returns:
        UTL, SEC and the users found for each setting, the Pareto front, and the cheapest within the limit.

    Raises:
        UsageError: The options do not go together, or do not fit the history.
        SourceError: The history cannot be used.
    """
    asked.check()
    options.check()
    with Session(resources, progress) as session:
        session.steps.plan("source", "pwscup")
        files = Files(session, options, original)
        history = tables.load_history(session, files)
        columns = tables.bind_treated(files)
        alphas = tuple(dict.fromkeys(sorted(options.alphas)))
        knowledge = tables.load_knowledge(session, files, history, sorted({*ALPHAS, *alphas}))
        session.steps.begin("pwscup")
        measured = [
            _measure(session, files, history, columns, settings, {a: knowledge[a] for a in alphas}, knowledge)
            for settings in session.steps.track(list_settings(asked))
        ]
        entries, cheapest = _compare(session, measured, alphas, asked.found)
        return Lifetimes(
            original=Original(
                history.name,
                history.records - history.incomplete_records,
                history.incomplete_records,
                history.users,
                history.periods,
                cast(Period, options.period),
            ),
            known=tuple(Knowledge(alpha, None, count_rows(session, knowledge[alpha])) for alpha in alphas),
            measured=entries,
            cheapest=cheapest,
            settings=LifetimesSettings(asked.found, options.seed, options.item_prefix, options.most_items),
            **run_facts(session),
        )


def list_settings(asked: LifetimeOptions) -> list[ReleaseSettings]:
    """Return each combination of the treatments once; 0 is no treatment.

    With a limit and no treatment named they are those of :data:`ADVISED`.
    """
    if asked == LifetimeOptions(found=asked.found) and asked.found is not None:
        return list(ADVISED)
    combined = product(
        asked.lives,
        asked.rare_items,
        asked.perturb_dates,
        asked.perturb_items,
        asked.renew_after,
        asked.exchange_pseudonyms,
    )
    settings = [
        ReleaseSettings(
            life=life,
            rare_items=rare or None,
            perturb_dates=dates or None,
            perturb_items=items or None,
            renew_after=renewed or None,
            exchange_pseudonyms=exchanged or None,
        )
        for life, rare, dates, items, renewed, exchanged in combined
    ]
    return list(dict.fromkeys(settings))


def _measure(
    session: Session,
    files: Files,
    history: tables.Original,
    columns: dict[str, Any],
    settings: ReleaseSettings,
    attackers: dict[float, str],
    knowledge: dict[float, str],
) -> _Measured:
    """Make one release and measure it."""
    options = files.options
    treated = treat_history(session, files, history, settings, options.seed)
    session.run("history_cells", name=tables.CELLS, source=treated.chain.relation, **columns)
    surviving = tables.make_standard_release(session, history, _RELEASE)
    tables.make_truth(session, history, _RELEASE, _TRUTH)
    tables.make_released(session, _RELEASE, _RELEASED)
    losses, _ = utilities.measure_losses(session, history.table, _RELEASE, options)
    facts: dict[str, Any] = {
        "truth": _TRUTH,
        "users": history.users_table,
        "periods": history.periods,
        "prefix": options.item_prefix,
        "original": history.table,
    }
    contest: dict[float, str] = {alpha: knowledge[alpha] for alpha in ALPHAS}
    attempts = rating.attack_history(session, _RELEASED, contest, **facts)
    found = rating.attack_history(
        session, _RELEASED, attackers, **facts, names=[STRONGEST], kind=CountedRates
    )
    score = session.fetch_row(
        "contest_score",
        losses=[repr(loss) for loss in losses.measured().values()],
        attacks=[COMMITTEE.index(attempt.attack) for attempt in attempts],
        rates=[repr(attempt.rates.strict) for attempt in attempts],
        committee=len(COMMITTEE),
        shares=[],
        guesses=[],
    )
    counted = [cast(CountedRates, attempt.rates) for attempt in found]
    return _Measured(settings, surviving, losses.measured(), score["utl"], score["sec"], counted)


def _compare(
    session: Session, measured: Sequence[_Measured], alphas: Sequence[float], limit: float | None
) -> tuple[tuple[LifetimeSetting, ...], tuple[Cheapest, ...] | None]:
    """Return the settings by their loss, and the cheapest within the limit."""
    rows = session.run(
        "lifetime_front",
        losses=[repr(one.utl) for one in measured],
        rates=[repr(rates.strict) for one in measured for rates in one.found],
        shares=len(alphas),
        limit=limit,
    )
    order = list(dict.fromkeys(row["setting"] for row in rows))
    judged = {(row["setting"], row["share"]): row for row in rows}
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    entries = []
    for number in order:
        one, found = measured[number], []
        for share, (alpha, rates) in enumerate(zip(alphas, one.found, strict=True)):
            ends = session.fetch_row("wilson_interval", successes=rates.right_users, trials=rates.users, z=z)
            row = judged[number, share]
            found.append(
                FoundUsers(alpha, ends["lower"], ends["upper"], row["on_front"], row["within_limit"], rates)
            )
        entries.append(_describe(one, tuple(found)))
    if limit is None:
        return tuple(entries), None
    places = {row["share"]: order.index(row["setting"]) for row in rows if row["cheapest"]}
    return tuple(entries), tuple(
        Cheapest(alpha, places.get(share), entries[places[share]].utl if share in places else None)
        for share, alpha in enumerate(alphas)
    )


def _describe(one: _Measured, found: tuple[FoundUsers, ...]) -> LifetimeSetting:
    settings = one.settings
    worst = max(one.losses, key=lambda name: one.losses[name])
    return LifetimeSetting(
        life=settings.life,
        delete_rare_items=settings.rare_items,
        perturb_dates=settings.perturb_dates,
        perturb_items=settings.perturb_items,
        renew_after=settings.renew_after,
        exchange_pseudonyms=settings.exchange_pseudonyms,
        surviving=one.surviving,
        utl=one.utl,
        worst_loss=cast(Any, worst) if one.losses[worst] else None,
        sec=one.sec,
        found=found,
    )
