"""Membership inference: synthetic releases, and who was in the table that they were made from.

The functions do what the commands of ``duckrisk membership`` do. Tables are paths, folders or glob
patterns, pandas DataFrames, Arrow tables or DuckDB relations. ``memory``, ``threads`` and ``temp`` bound
what the engine takes; ``read`` and ``missing_tokens`` are those of :func:`duckrisk.assess`; ``fail_on`` are
gates, and ``baseline`` is the file of an earlier report: ``gates`` and ``baseline`` of the result say what
was found.
All raise UsageError for what was asked wrongly, SourceError for a source that cannot
be used, and EngineError or OutputError where memory or disk run out.

>>> from duckrisk.contests import membership
>>> membership.synthesize("members.parquet", "made.parquet", seed=1)  # doctest: +SKIP
>>> membership.attack("people.parquet", "made.parquet", members="members.parquet")  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.base.options import texts
from duckrisk.base.options.identifiability import TOKENS

if TYPE_CHECKING:
    from duckrisk.contests.membership.attacks.results import Attacks, Phase, Score
    from duckrisk.contests.membership.attacks.scoring import Guess
    from duckrisk.contests.membership.release_risks.results import Risks
    from duckrisk.contests.membership.synthesis.results import Annealed, Synthesized, Utility
    from duckrisk.contests.membership.synthesis.trees import Target

__all__ = ["anneal", "attack", "risks", "score", "synthesize", "utility"]


def synthesize(
    source: Any,
    output: Any,
    *,
    method: str = "okada",
    records: int | None = None,
    distinct: int | None = None,
    bandwidth: float | None = None,
    match_marginals: bool = False,
    keep: float | None = None,
    k: int | None = None,
    quasi_identifiers: Iterable[str] = (),
    attributes: Iterable[str] | None = None,
    seed: int | None = None,
    overwrite: bool = False,
    table: str | None = None,
    attach: str | None = None,
    query: str | None = None,
    beside: Iterable[str] = (),
    where: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
    missing_tokens: Iterable[str] = TOKENS,
) -> Synthesized:
    """Write a synthetic or perturbed release of a table to ``output``, a .parquet or .csv file.

    ``method`` "okada" draws ``records`` (as many as there are) with the marginals, means and covariances of
    the source, numbers smoothed by ``bandwidth`` (1), and keeps ``distinct`` different ones of them;
    ``match_marginals`` draws values as often as the source has them. "rr" and "rrp" leave each cell as it is
    with the probability ``keep`` and else draw it from the column's different values, or from its cells;
    "kanony" leaves out classes of fewer than ``k`` records by ``quasi_identifiers``. ``attributes`` are the
    columns that are released (all). Without a ``seed`` nobody can repeat the draws.
    """
    from duckrisk.contests.membership.synthesis.methods import Synthesis
    from duckrisk.contests.membership.synthesis.methods import synthesize as run
    from duckrisk.engine.session import Resources
    from duckrisk.release.anonymization import Target as Output
    from duckrisk.source import Request

    options = Synthesis(
        method=method,
        records=records,
        distinct=distinct,
        bandwidth=bandwidth,
        match_marginals=match_marginals or None,
        keep=keep,
        k=k,
        quasi_identifiers=texts("quasi_identifiers", quasi_identifiers) or (),
        attributes=texts("attributes", attributes),
        seed=seed,
    )
    request = Request(source, table, attach, query, where, encoding, header, tuple(beside))
    return run(
        request,
        Output(Path(output), None, overwrite),
        options,
        Resources.of(memory, threads, temp, sql_log, timezone, read, missing_tokens),
    )


def anneal(
    source: Any,
    output: Any,
    *,
    test: Any = None,
    method: str | None = None,
    guided: bool = False,
    round: str | None = None,
    iterations: int | None = None,
    swap: int | None = None,
    temperature: float | None = None,
    cooling: float | None = None,
    population: int | None = None,
    targets: Iterable[str | tuple[str, int]] = (),
    bandwidth: float | None = None,
    match_marginals: bool = False,
    attributes: Iterable[str] | None = None,
    seed: int | None = None,
    state: Any = None,
    resume: Any = None,
    overwrite: bool = False,
    table: str | None = None,
    attach: str | None = None,
    query: str | None = None,
    beside: Iterable[str] = (),
    where: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
    missing_tokens: Iterable[str] = TOKENS,
) -> Annealed:
    """Search for a synthetic release that reaches all thresholds of a ``round`` of PWS Cup 2020 ("final").

    ``method`` is "annealing" (the default), "genetic", which has a ``population`` of tables (8), or
    "redraw", which draws whole tables again (100) and keeps the best. Records are swapped for fresh ones,
    ``swap`` at a time; ``guided`` proposes such as help. The ``temperature`` is multiplied by ``cooling``
    each time; there are at most ``iterations`` (500,000). Decision trees take part with records to
    ``test`` them on and scikit-learn; ``targets`` are written "ATTRIBUTE=VALUE", or with a depth as
    ("ATTRIBUTE=VALUE", 5). The search is kept in the file ``state``, from which ``resume`` goes on. The
    other arguments are those of :func:`synthesize`.
    """
    from duckrisk.contests.membership.synthesis.annealing import Annealing
    from duckrisk.contests.membership.synthesis.annealing import anneal as run
    from duckrisk.engine.session import Resources
    from duckrisk.release.anonymization import Target as Output
    from duckrisk.source import Request

    options = Annealing(method, swap, temperature, cooling, iterations, guided or None, round, population)
    columns, trees = texts("attributes", attributes), _targets(targets)
    drawn: dict[str, Any] = {"bandwidth": bandwidth, "match_marginals": match_marginals or None, "seed": seed}
    return run(
        Request(source, table, attach, query, where, encoding, header, tuple(beside)),
        Output(Path(output), None, overwrite),
        replace(options, attributes=columns, targets=trees, **drawn),
        _request(test),
        None if state is None else Path(state),
        None if resume is None else Path(resume),
        Resources.of(memory, threads, temp, sql_log, timezone, read, missing_tokens),
    )


def attack(
    population: Any,
    release: Any,
    *,
    attacks: Iterable[str] = ("distance",),
    members: Any = None,
    reference: Any = None,
    also: Iterable[Any] = (),
    guesses: int = 100,
    weight: float = 2.0,
    clusters: int = 16,
    starts: int = 10,
    standardise: bool = True,
    shadows: int = 16,
    targets: int = 100,
    blocks: Iterable[Iterable[str]] | None = None,
    attributes: Iterable[str] | None = None,
    seed: int = 0,
    output: Any = None,
    scores_output: Any = None,
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
    """Guess which records of a ``population`` of candidates a ``release`` was made from.

    ``attacks``: "distance", "nearest", "calibrated", "density", "kmeans", "kmeans-common", "lira", "lira-
    offline", and the experiment "classifier"; each names so many ``guesses``. With the ``members`` it is
    told how many of these are right. ``reference``: records like the members' that are not in the release;
    ``also``: other releases of the same members, which are shown to the classifiers too.
    A category that differs adds ``weight`` to a squared distance; k-means has ``clusters`` and ``starts``,
    of numbers that are ``standardise``d; the likelihoods have ``shadows``, densities ``blocks`` of
    attributes, and the classifiers learn ``targets`` of each kind. The guesses of one attack are written to
    the .csv file ``output``, the scores of all candidates to ``scores_output``.
    """
    from duckrisk.contests.membership.attacks.inference import Outputs, run
    from duckrisk.contests.membership.attacks.results import Attacks
    from duckrisk.contests.membership.options import AttackOptions
    from duckrisk.decision.baseline import judged
    from duckrisk.engine.session import Resources

    options = AttackOptions(
        names=texts("attacks", attacks) or (),
        guesses=guesses,
        weight=weight,
        clusters=clusters,
        starts=starts,
        standardise=standardise,
        blocks=None if blocks is None else [texts("blocks", block) or () for block in blocks],
        attributes=texts("attributes", attributes),
        seed=seed,
        shadows=shadows,
        targets=targets,
    )
    files = [None if path is None else Path(path) for path in (output, scores_output)]
    return judged(
        lambda: run(
            _request(population),
            _request(release),
            options,
            _request(members),
            _request(reference),
            Outputs(files[0], files[1], overwrite),
            Resources.of(memory, threads, temp, sql_log, timezone, read, missing_tokens),
            also=[_request(table) for table in also],
        ),
        fail_on,
        Attacks,
        baseline,
    )


def score(
    population: Any,
    members: Any,
    guesses: Mapping[str, Any] | None = None,
    *,
    preliminary_guesses: Mapping[str, Any] | None = None,
    scores: Mapping[str, Any] | None = None,
    confidence: float = 0.95,
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
    """Score attacks on membership: hits beside chance, safety, ROC, and the league table of the contest.

    ``population`` holds all candidates, each once; ``members`` are the records that a release was made of,
    or of several teams those of each by its name. ``guesses`` have for each attacker a table of row numbers
    of the population, from 0; with several teams their keys are "ATTACKER@TEAM". ``preliminary_guesses``
    are those of the preliminary round; ``scores`` have a row number and a score in each record.
    """
    from duckrisk.contests.membership.attacks.results import Score
    from duckrisk.contests.membership.attacks.scoring import Members
    from duckrisk.contests.membership.attacks.scoring import score as run
    from duckrisk.decision.baseline import judged
    from duckrisk.engine.session import Resources
    from duckrisk.source import Request

    teams = members if isinstance(members, Mapping) else {None: members}
    submissions = [
        *_guesses(guesses, "final"),
        *_guesses(preliminary_guesses, "preliminary"),
        *_guesses(scores, "final", scores=True),
    ]
    return judged(
        lambda: run(
            Request(population),
            [Members(Request(table), name) for name, table in teams.items()],
            submissions,
            confidence,
            Resources.of(memory, threads, temp, sql_log, timezone, read, missing_tokens),
        ),
        fail_on,
        Score,
        baseline,
    )


def utility(
    original: Any,
    *releases: Any,
    test: Any = None,
    targets: Iterable[str | tuple[str, int]] = (),
    attributes: Iterable[str] | None = None,
    show_values: bool = False,
    where: str | None = None,
    fail_on: Iterable[str] = (),
    baseline: Any = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
    missing_tokens: Iterable[str] = TOKENS,
) -> Utility:
    """Measure how similar releases are to the original: the histogram, covariance, correlation and tree
    indices of PWS Cup 2020, with the thresholds of both rounds.

    Decision trees need records to ``test`` them on and scikit-learn; ``targets`` are those of :func:`anneal`.
    ``show_values`` names the categories that differ most.
    """
    from duckrisk.contests.membership.synthesis.indices import UtilityOptions
    from duckrisk.contests.membership.synthesis.indices import utility as run
    from duckrisk.contests.membership.synthesis.results import Utility
    from duckrisk.decision.baseline import judged
    from duckrisk.engine.session import Resources
    from duckrisk.source import Request

    options = UtilityOptions(texts("attributes", attributes), _targets(targets), show_values)
    return judged(
        lambda: run(
            Request(original, where=where),
            [Request(release, where=where) for release in releases],
            _request(test, where),
            options,
            Resources.of(memory, threads, temp, sql_log, timezone, read, missing_tokens),
        ),
        fail_on,
        Utility,
        baseline,
    )


def risks(
    original: Any,
    release: Any,
    *,
    control: Any = None,
    risks: Iterable[str] = ("singling-out", "linkability", "inference"),
    attacks: int = 500,
    columns: int | None = None,
    link_left: Iterable[str] | None = None,
    link_right: Iterable[str] | None = None,
    neighbours: int = 1,
    secrets: Iterable[str] | None = None,
    known: Iterable[str] | None = None,
    tolerance: float = 0.05,
    attributes: Iterable[str] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    where: str | None = None,
    fail_on: Iterable[str] = (),
    baseline: Any = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
    missing_tokens: Iterable[str] = TOKENS,
) -> Risks:
    """Measure three ``risks`` of a release beside a naive attacker and a ``control`` set: records like the
    original's that the release was not made of.

    So many ``attacks`` are made of each. Singling out combines so many ``columns`` in a predicate (3).
    Linkability knows the columns ``link_left`` from one side and ``link_right`` from the other (the first
    half and the others), and looks at so many ``neighbours``. Inference guesses each of the ``secrets``
    (every column) by what is ``known`` (all others); a guessed number may be away by the share
    ``tolerance`` of it.
    """
    from duckrisk.contests.membership.options import RiskOptions
    from duckrisk.contests.membership.release_risks.measuring import risks as run
    from duckrisk.contests.membership.release_risks.results import Risks
    from duckrisk.decision.baseline import judged
    from duckrisk.engine.session import Resources
    from duckrisk.source import Request

    options = RiskOptions(
        risks=texts("risks", risks) or (),
        attacks=attacks,
        columns=columns,
        link_left=texts("link_left", link_left),
        link_right=texts("link_right", link_right),
        neighbours=neighbours,
        known=texts("known", known),
        secrets=texts("secrets", secrets),
        tolerance=tolerance,
        attributes=texts("attributes", attributes),
        confidence=confidence,
        seed=seed,
    )
    return judged(
        lambda: run(
            Request(original, where=where),
            Request(release, where=where),
            _request(control, where),
            options,
            Resources.of(memory, threads, temp, sql_log, timezone, read, missing_tokens),
        ),
        fail_on,
        Risks,
        baseline,
    )


# --- what callers write ----------------------------------------------------------------------------


def _request(table: Any, where: str | None = None) -> Any:
    from duckrisk.source import Request

    return None if table is None else Request(table, where=where)


def _targets(targets: Iterable[str | tuple[str, int]]) -> tuple[Target, ...]:
    """What trees predict, written as "ATTRIBUTE=VALUE", or with a depth."""
    from duckrisk.contests.membership.synthesis.trees import DEPTH, Target, target_of

    pairs = [(pair, DEPTH) if isinstance(pair, str) else pair for pair in texts("targets", targets) or ()]
    return tuple(Target(*target_of(text), depth=depth) for text, depth in pairs)


def _guesses(tables: Mapping[str, Any] | None, phase: Phase, *, scores: bool = False) -> Sequence[Guess]:
    """Guesses by their attackers, or as "ATTACKER@TEAM"."""
    from duckrisk.contests.membership.attacks.scoring import Guess
    from duckrisk.source import Request

    guesses = []
    for name, table in (tables or {}).items():
        attacker, at, team = name.partition("@")
        guesses.append(Guess(attacker, Request(table), team if at else None, phase, scores))
    return guesses
