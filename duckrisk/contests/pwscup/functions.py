"""The functions of :mod:`duckrisk.pwscup`; None stands for the default of a keyword."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from duckrisk.base.options import options_of, select_options
from duckrisk.base.options.calls import options_from, with_options
from duckrisk.base.options.output import GATES, Draws, Output
from duckrisk.base.options.source import Request, Resources, request_or_none
from duckrisk.contests.calling import judge_report, target_of
from duckrisk.contests.pwscup.options import (
    ALPHAS,
    ITEM_PREFIX,
    KNOWN_TO_LIFETIMES,
    AttackOptions,
    KnownShare,
    Layout,
    LifetimeOptions,
    NamedGuesses,
    Options,
    ReleaseOptions,
    ScoreOptions,
    Tables,
    layout_of,
    shares_of,
)

if TYPE_CHECKING:
    from typing import Unpack

    from duckrisk.contests.pwscup.generalized import Score2018
    from duckrisk.contests.pwscup.lifetime_results import Lifetimes
    from duckrisk.contests.pwscup.results import Attacks, Check, Score, Written
    from duckrisk.contests.pwscup.treatment import Anonymized
    from duckrisk.contests.pwscup.typed_keywords import (
        AnonymizeKeywords,
        AttackKeywords,
        CheckKeywords,
        LifetimesKeywords,
        PartialKnowledgeKeywords,
        PseudonymsKeywords,
        ReleaseKeywords,
        Score2018Keywords,
        ScoreKeywords,
        UtilityKeywords,
    )

_SHORT = select_options(Layout, "user", "date", "item")
_OVERWRITE = select_options(Output, "overwrite")


@with_options(
    *(select_options(Tables, "guesses", "master"), Layout, select_options(Options, "period", "show_values")),
    *(GATES, Resources),
)
def check(original: Any, *releases: Any, **options: Unpack[CheckKeywords]) -> Check:
    """Check releases and guesses, as ``duckrisk pwscup check``.

    Args:
        original: The history as it was.
        *releases: What was made of it.
        **options: The options below.

    Returns:
        The :class:`duckrisk.contests.pwscup.results.Check`: whether all ``passed``, and every constraint with
        the count of its violations and the first rows.

    Raises:
        UsageError: The call makes no sense.
        SourceError: The original itself cannot be used.
    """
    from duckrisk.contests.pwscup.constraints import run
    from duckrisk.contests.pwscup.results import Check

    asked, settings = options_from(Tables, options), _history(options)
    first, others, guesses = Request(original), _requests(releases), _requests(asked.guesses)
    resources = options_from(Resources, options)
    return judge_report(
        lambda: run(first, others, guesses, request_or_none(asked.master), settings, resources),
        Check,
        options,
    )


@with_options(
    *(ReleaseOptions, Draws, select_options(Layout, "user", "date", "item", "price")),
    *(select_options(Options, "period"), _OVERWRITE, Resources),
)
def anonymize(original: Any, output: Any, **options: Unpack[AnonymizeKeywords]) -> Anonymized:
    """Write a release under pseudonyms, as ``duckrisk pwscup anonymize``.

    Args:
        original: The history as it was.
        output: The file of the release.
        **options: The options below. A pseudonym lives for ``life`` periods, and for all of them with None.
            ``false_order`` puts the records of each person in the places of another's (Yamaoka's
            anonymisation). Without a ``seed`` nobody can repeat it.

    Returns:
        The :class:`duckrisk.contests.pwscup.treatment.Anonymized`: what was written, and what was done in
        counts.
    """
    from duckrisk.contests.pwscup import treatment

    settings = options_from(treatment.ReleaseSettings, options)
    if options.get("life", 1) is None:
        settings = replace(settings, life=None)
    return treatment.run(
        Request(original),
        target_of(output, options),
        settings,
        options_from(Draws, options).seed,
        _history(options),
        options_from(Resources, options),
    )


@with_options(
    *(select_options(Tables, "master"), Layout, select_options(Options, "period"), _OVERWRITE, Resources)
)
def pseudonyms(original: Any, release: Any, output: Any, **options: Unpack[PseudonymsKeywords]) -> Written:
    """Write the true pseudonyms by period, as ``duckrisk pwscup pseudonyms``.

    Args:
        original: The history as it was.
        release: What was made of it, record by record.
        output: The file of the pseudonyms.
        **options: The options below.

    Returns:
        The :class:`duckrisk.contests.pwscup.results.Written`.
    """
    from duckrisk.contests.pwscup import writing

    return writing.pseudonyms(
        Request(original),
        Request(release),
        request_or_none(options.get("master")),
        target_of(output, options),
        _history(options),
        options_from(Resources, options),
    )


@with_options(Draws, _SHORT, _OVERWRITE, Resources)
def release(source: Any, output: Any, **options: Unpack[ReleaseKeywords]) -> Written:
    """Write a shuffled release for attackers, as ``duckrisk pwscup release``.

    Args:
        source: The release.
        output: The file of what attackers get.
        **options: The options below. Without a ``seed`` nobody can find the order that was.

    Returns:
        The :class:`duckrisk.contests.pwscup.results.Written`.
    """
    from duckrisk.contests.pwscup import writing

    target, seed = target_of(output, options), options_from(Draws, options).seed
    return writing.release(Request(source), target, seed, _history(options), options_from(Resources, options))


@with_options(KnownShare, select_options(Options, "seed", "item_prefix"), _SHORT, _OVERWRITE, Resources)
def partial_knowledge(original: Any, output: Any, **options: Unpack[PartialKnowledgeKeywords]) -> Written:
    """Write what an attacker knows: as ``duckrisk pwscup partial-knowledge``.

    Args:
        original: The history as it was.
        output: The file of the records that are known, in their places; the others are empty.
        **options: The options below; ``alpha`` percent of the records are known.

    Returns:
        The :class:`duckrisk.contests.pwscup.results.Written`.
    """
    from duckrisk.contests.pwscup import writing

    alpha, settings = options_from(KnownShare, options).alpha, _history(options)
    target, resources = target_of(output, options), options_from(Resources, options)
    return writing.partial_knowledge(Request(original), target, alpha, settings, resources)


@with_options(
    select_options(Tables, "known", "partials", "truth", "master", "guess"),
    *(AttackOptions, select_options(Options, "alphas", "seed", "item_prefix", "period", "show_values")),
    *(Layout, _OVERWRITE, GATES, Resources),
)
def attack(original: Any, release: Any, **options: Unpack[AttackKeywords]) -> Attacks:
    """Attack a release, as ``duckrisk pwscup attack``.

    With ``known`` records, the job is that of ``duckrisk attack``.

    With an original attackers hold ``alphas`` percent of it, drawn by the seed, or the files that
    ``partials`` gives by their percentage. Without one, as a team of the contest, they hold these alone, and
    the ``master`` table says who there is. A release in an order of its own needs the ``truth``, a table of
    pseudonyms.

    Args:
        original: The history as it was, or None.
        release: What was made of it.
        **options: The options below. By default all ``attacks`` run, of ``known`` records the strongest of
            each kind. ``guess`` is a file for the guess of one attack.

    Returns:
        The :class:`duckrisk.contests.pwscup.results.Attacks`: for each attack what it links, and where the
        truth is known how much of it is right.
    """
    from duckrisk.contests.pwscup import attacking
    from duckrisk.contests.pwscup.attacks import ATTACKS, STRONG
    from duckrisk.contests.pwscup.results import Attacks

    asked, names = options_from(Tables, options), options_from(AttackOptions, options)
    inputs = attacking.AttackInputs(
        release=Request(release),
        original=request_or_none(original),
        known=request_or_none(asked.known),
        master=request_or_none(asked.master),
        partials=_partials(asked),
        truth=request_or_none(asked.truth),
        pseudonym=names.pseudonym,
        names=names.attacks or (ATTACKS if asked.known is None else STRONG),
        guess=target_of(asked.guess, options) if asked.guess is not None else None,
    )
    alphas = options_from(Options, options).alphas if options.get("alphas") else asked.partials
    settings = replace(_history(options), alphas=tuple(alphas or ALPHAS))
    resources = options_from(Resources, options)
    return judge_report(lambda: attacking.run(inputs, settings, resources), Attacks, options)


_UTILITY = select_options(Options, "profile", "top", "most_items", "period", "show_values")


@with_options(select_options(Tables, "master"), _UTILITY, Layout, GATES, Resources)
def utility(original: Any, *releases: Any, **options: Unpack[UtilityKeywords]) -> Score:
    """Measure what releases still serve for: as ``duckrisk pwscup utility``.

    Losses go from 0 (as the original) to 1 (useless): the seven of the contest and, with a ``master`` table,
    those of cross tables and group means.

    Args:
        original: The history as it was.
        *releases: What was made of it.
        **options: The options below. ``show_values`` lists the strongest rules of what is bought together.

    Returns:
        The :class:`duckrisk.contests.pwscup.results.Score`.

    Raises:
        UsageError: The call makes no sense.
        SourceError: A release breaks a constraint.
    """
    from duckrisk.contests.pwscup import scoring
    from duckrisk.contests.pwscup.results import Score

    inputs = scoring.ScoreInputs(
        Request(original), _requests(releases), request_or_none(options.get("master"))
    )
    settings, resources = _history(options), options_from(Resources, options)
    return judge_report(lambda: scoring.utility(inputs, settings, resources), Score, options)


@with_options(
    *(select_options(Tables, "master", "partials"), NamedGuesses, ScoreOptions, _UTILITY),
    *(select_options(Options, "alphas", "seed", "item_prefix"), Layout, GATES, Resources),
)
def score(original: Any, *releases: Any, **options: Unpack[ScoreKeywords]) -> Score:
    """Score releases as the contest did: as ``duckrisk pwscup score``.

    Attackers hold ``alphas`` percent of the records (those of the contest, or of ``partials`` where one is
    none of these), drawn by the seed, or the files that ``partials`` gives by their percentage.

    Args:
        original: The history as it was.
        *releases: What was made of it.
        **options: The options below. ``guesses`` are files by whose they are, each counted for every
            percentage, or as "NAME@PERCENT" for that alone, and of several releases as "NAME:RELEASE" or
            "NAME@PERCENT:RELEASE", by the name or the number of the release.

    Returns:
        The :class:`duckrisk.contests.pwscup.results.Score`: losses and rates between 0 and 1, and UTL, SEC
        and AVG of each of its ``releases``, the best first.

    Raises:
        UsageError: The call makes no sense.
        SourceError: A release breaks a constraint.
    """
    from duckrisk.contests.pwscup import scoring
    from duckrisk.contests.pwscup.results import Score

    partials, requests = _partials(options_from(Tables, {**options, "guesses": None})), _requests(releases)
    guesses = options_from(NamedGuesses, options).guesses or {}
    inputs = scoring.ScoreInputs(
        Request(original),
        requests,
        request_or_none(options.get("master")),
        partials,
        [scoring.guess_named(name, Request(file), requests) for name, file in guesses.items()],
    )
    alphas = options_from(Options, options).alphas if options.get("alphas") is not None else None
    settings = replace(_history(options), alphas=shares_of(alphas, partials))
    attacks, resources = options_from(ScoreOptions, options).attacks, options_from(Resources, options)
    return judge_report(lambda: scoring.score(inputs, settings, attacks, resources), Score, options)


@with_options(
    *(LifetimeOptions, select_options(Options, "alphas", "seed", "item_prefix", "most_items", "period")),
    *(Layout, GATES, Resources),
)
def lifetimes(original: Any, **options: Unpack[LifetimesKeywords]) -> Lifetimes:
    """Measure how long pseudonyms may live, as ``duckrisk pwscup lifetimes``.

    A release is made for each combination of the treatments, and attacked by the strongest attack. The seed
    is that of all draws, so that :func:`anonymize` with this seed writes the same release.

    Args:
        original: The history as it was.
        **options: The options below. Of ``life``, None stands for all periods. Attackers hold ``alphas``
            percent of the records, 5 and 25 by default.

    Returns:
        The :class:`duckrisk.contests.pwscup.lifetime_results.Lifetimes`: the settings ``measured`` by their
        loss, and the ``cheapest`` with at most the share ``found``.

    Raises:
        UsageError: The call makes no sense.
        SourceError: The original cannot be used.
    """
    from duckrisk.contests.pwscup import lives
    from duckrisk.contests.pwscup.lifetime_results import Lifetimes

    asked = options_from(LifetimeOptions, options)
    alphas = options_from(Options, options).alphas if options.get("alphas") else KNOWN_TO_LIFETIMES
    settings = replace(_history(options), alphas=tuple(alphas))
    resources = options_from(Resources, options)
    return judge_report(lambda: lives.run(Request(original), asked, settings, resources), Lifetimes, options)


@with_options(select_options(Tables, "guesses"), GATES, Resources)
def score_2018(original: Any, release: Any, **options: Unpack[Score2018Keywords]) -> Score2018:
    """Score a release as the contest of 2018 did: as ``duckrisk pwscup score-2018``.

    All are files of that contest: customer, date, item, price and quantity in each line, and in a guess a
    pseudonym and a customer.

    Args:
        original: The history as it was.
        release: What was made of it.
        **options: The options below.

    Returns:
        The :class:`duckrisk.contests.pwscup.generalized.Score2018`: the losses of the ``columns``, their mean
        ``loss``, and whether one of the ``guesses`` declares the release ``unsafe`` (None without any).

    Raises:
        UsageError: The call makes no sense.
        SourceError: A release or a guess breaks a rule.
    """
    from duckrisk.contests.pwscup import generalized

    requests = _requests(options_from(Tables, options).guesses)
    resources = options_from(Resources, options)
    return judge_report(
        lambda: generalized.run(Request(original), Request(release), requests, resources),
        generalized.Score2018,
        options,
    )


# --- arguments as the room's own files take them --------------------------------------------------


def _requests(sources: Any) -> list[Request]:
    return [Request(source) for source in sources]


def _partials(asked: Tables) -> dict[float, Request]:
    return {alpha: Request(file) for alpha, file in (asked.partials or {}).items()}


def _history(options: Mapping[str, Any]) -> Options:
    """Return how histories are assessed; files of the contest have no layout."""
    layout, prefix = (
        layout_of({name: options.get(name) for name in options_of(Layout)}),
        options.get("item_prefix"),
    )
    settings = replace(options_from(Options, {**options, "alphas": None}), layout=layout)
    return replace(settings, item_prefix=ITEM_PREFIX if prefix is None and layout is None else prefix or None)
