"""The functions of :mod:`duckrisk.membership`; None stands for the default of a keyword."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from duckrisk.base.options import select_options
from duckrisk.base.options.calls import list_of, options_from, with_options
from duckrisk.base.options.output import GATES, Output
from duckrisk.base.options.source import Request, Resources, request_or_none
from duckrisk.contests.calling import judge_report, target_of
from duckrisk.contests.membership.options import (
    AttackOptions,
    ExposureOptions,
    RiskOptions,
    Scored,
    SearchOptions,
    SynthesisOptions,
    Tables,
    TreeOptions,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from duckrisk.contests.membership.attacks.results import Attacks, Phase, Score
    from duckrisk.contests.membership.attacks.scoring import Guess
    from duckrisk.contests.membership.release_risks.results import Exposure, Risks
    from duckrisk.contests.membership.synthesis.results import Annealed, Synthesized, Utility
    from duckrisk.contests.membership.synthesis.trees import Target as Tree
    from duckrisk.contests.membership.typed_keywords import (
        AnnealKeywords,
        AttackKeywords,
        ExposedKeywords,
        RisksKeywords,
        ScoreKeywords,
        SynthesizeKeywords,
        UtilityKeywords,
    )

_WHERE = select_options(Request, "where")
_OVERWRITE = select_options(Output, "overwrite")


@with_options(SynthesisOptions, Request, _OVERWRITE, Resources)
def synthesize(source: Any, output: Any, **options: Unpack[SynthesizeKeywords]) -> Synthesized:
    """Write a synthetic or perturbed release of a table.

    The method "okada" draws records with the marginals, means and covariances of the source; "rr" and "rrp"
    leave each cell as it is with a probability and else draw it from the column's different values, or from
    its cells; "kanony" leaves out small classes.

    Args:
        source: The table.
        output: The release, a .parquet or .csv file.
        **options: The options below. Without a ``seed`` nobody can repeat the draws.

    Returns:
        The :class:`duckrisk.contests.membership.synthesis.results.Synthesized`.
    """
    from duckrisk.contests.membership.synthesis.methods import Synthesis
    from duckrisk.contests.membership.synthesis.methods import synthesize as run

    return run(
        _source(source, options),
        target_of(output, options),
        options_from(Synthesis, _without_false(options, "match_marginals")),
        options_from(Resources, options),
    )


@with_options(
    *(select_options(Tables, "test", "candidates", "state", "resume"), SearchOptions, TreeOptions),
    *(Request, _OVERWRITE, Resources),
)
def anneal(source: Any, output: Any, **options: Unpack[AnnealKeywords]) -> Annealed:
    """Search for a synthetic release that reaches the thresholds of a ``round``.

    Records are swapped for fresh ones, at a ``temperature`` that is multiplied by ``cooling`` each time.
    Decision trees take part with records to ``test`` them on and scikit-learn.

    Args:
        source: The table.
        output: The release, a .parquet or .csv file.
        **options: The options below. ``targets`` are written "ATTRIBUTE=VALUE", or with a depth as
            ("ATTRIBUTE=VALUE", 5).

    Returns:
        The :class:`duckrisk.contests.membership.synthesis.results.Annealed`.
    """
    from duckrisk.contests.membership.synthesis.annealing import Annealing
    from duckrisk.contests.membership.synthesis.annealing import anneal as run

    files, given = options_from(Tables, options), _without_false(options, "match_marginals", "guided")
    search = replace(options_from(Annealing, {**given, "targets": None}), targets=_trees(options))
    request, target, test = _source(source, options), target_of(output, options), request_or_none(files.test)
    candidates, resources = request_or_none(files.candidates), options_from(Resources, options)
    return run(request, target, search, test, files.state, files.resume, resources, candidates=candidates)


@with_options(
    *(select_options(Tables, "members", "reference", "also", "scores_output"), AttackOptions),
    *(
        select_options(
            Output,
            "output",
            "overwrite",
            output={"help": "Write the guesses of one attack: a .csv file.", "default_text": ""},
        ),
        GATES,
        Resources,
    ),
)
def attack(population: Any, release: Any, **options: Unpack[AttackKeywords]) -> Attacks:
    """Guess which records of a population a release was made from.

    A category that differs adds ``weight`` to a squared distance; k-means has ``clusters`` and ``starts``, of
    numbers that are standardised; the likelihoods have ``shadows``, densities ``blocks`` of attributes, and
    the classifiers learn ``targets`` of each kind.

    Args:
        population: The candidates.
        release: What was made of some of them.
        **options: The options below. With the ``members`` the report counts the right guesses.

    Returns:
        The :class:`duckrisk.contests.membership.attacks.results.Attacks`.
    """
    from duckrisk.contests.membership.attacks.inference import Outputs, run
    from duckrisk.contests.membership.attacks.results import Attacks

    tables, out = options_from(Tables, options), options_from(Output, options)
    settings, resources = options_from(AttackOptions, options), options_from(Resources, options)
    outputs = Outputs(out.output, tables.scores_output, out.overwrite)
    requests = Request(population), Request(release)
    members, reference = request_or_none(tables.members), request_or_none(tables.reference)
    also = [Request(table) for table in tables.also]
    return judge_report(
        lambda: run(*requests, settings, members, reference, outputs, resources, also=also), Attacks, options
    )


@with_options(
    select_options(Scored, "preliminary_guesses", "scores"),
    *(select_options(RiskOptions, "confidence"), GATES, Resources),
)
def score(
    population: Any,
    members: Any,
    guesses: Mapping[str, Any] | None = None,
    **options: Unpack[ScoreKeywords],
) -> Score:
    """Score attacks on membership.

    The report has hits compared with chance, safety, ROC, and the league table of the contest.

    Args:
        population: All candidates, each once.
        members: The records that a release was made of, or of several teams those of each by its name.
        guesses: For each attacker a table of row numbers of the population, from 0; with several teams the
            keys are "ATTACKER@TEAM".
        **options: The options below.

    Returns:
        The :class:`duckrisk.contests.membership.attacks.results.Score`.
    """
    from duckrisk.contests.membership.attacks.results import Score
    from duckrisk.contests.membership.attacks.scoring import Members
    from duckrisk.contests.membership.attacks.scoring import score as run

    given = {"population": population, "members": (members,), "guesses": guesses, **options}
    asked, confidence = options_from(Scored, given), options_from(RiskOptions, options).confidence
    teams = members if isinstance(members, Mapping) else {None: members}
    submissions = [
        *_guesses(asked.guesses, "final"),
        *_guesses(asked.preliminary_guesses, "preliminary"),
        *_guesses(asked.scores, "final", scores=True),
    ]
    whose = [Members(Request(table), name) for name, table in teams.items()]
    resources = options_from(Resources, options)
    return judge_report(
        lambda: run(Request(population), whose, submissions, confidence, resources), Score, options
    )


@with_options(
    *(select_options(Tables, "test"), TreeOptions),
    select_options(AttackOptions, "attributes", attributes={"help": "Compare this column."}),
    select_options(Output, "show_values", show_values={"help": "Name the categories that differ most."}),
    *(_WHERE, GATES, Resources),
)
def utility(original: Any, *releases: Any, **options: Unpack[UtilityKeywords]) -> Utility:
    """Measure the similarity of releases to the original, as PWS Cup 2020 did.

    These are the histogram, covariance, correlation and tree indices, with the thresholds of both rounds.
    Decision trees need records to ``test`` them on and scikit-learn.

    Args:
        original: The table.
        *releases: What was made of it.
        **options: The options below. ``targets`` are those of :func:`anneal`.

    Returns:
        The :class:`duckrisk.contests.membership.synthesis.results.Utility`.
    """
    from duckrisk.contests.membership.synthesis.indices import UtilityOptions
    from duckrisk.contests.membership.synthesis.indices import utility as run
    from duckrisk.contests.membership.synthesis.results import Utility

    where, shown = options.get("where"), options_from(Output, options).show_values
    chosen = options_from(AttackOptions, {"attributes": options.get("attributes")}).attributes
    settings = UtilityOptions(chosen, _trees(options), shown)
    first, test = Request(original, where=where), request_or_none(options.get("test"), where)
    others = [Request(release, where=where) for release in releases]
    resources = options_from(Resources, options)
    return judge_report(lambda: run(first, others, test, settings, resources), Utility, options)


@with_options(select_options(Tables, "control"), RiskOptions, _WHERE, GATES, Resources)
def risks(original: Any, release: Any, **options: Unpack[RisksKeywords]) -> Risks:
    """Measure singling out, linkability and inference of a release.

    A naive attacker and a ``control`` set give the baselines.

    Args:
        original: The table.
        release: What was made of it.
        **options: The options below.

    Returns:
        The :class:`duckrisk.contests.membership.release_risks.results.Risks`.
    """
    from duckrisk.contests.membership.release_risks.measuring import risks as run
    from duckrisk.contests.membership.release_risks.results import Risks

    where, settings = options.get("where"), options_from(RiskOptions, options)
    first, second = Request(original, where=where), Request(release, where=where)
    control, resources = request_or_none(options.get("control"), where), options_from(Resources, options)
    return judge_report(lambda: run(first, second, control, settings, resources), Risks, options)


@with_options(
    ExposureOptions,
    select_options(Output, "show_values", show_values={"help": "Show which records are exposed."}),
    *(_WHERE, GATES, Resources),
)
def exposed(original: Any, **options: Unpack[ExposedKeywords]) -> Exposure:
    """Find the records that are least like any others, which an attacker tries first.

    Args:
        original: The table to release.
        **options: The options below.

    Returns:
        The :class:`duckrisk.contests.membership.release_risks.results.Exposure`.
    """
    from duckrisk.contests.membership.exposure import find_exposed
    from duckrisk.contests.membership.release_risks.results import Exposure

    settings, resources = options_from(ExposureOptions, options), options_from(Resources, options)
    request, shown = Request(original, where=options.get("where")), options_from(Output, options).show_values
    return judge_report(
        lambda: find_exposed(request, settings, resources, show_values=shown), Exposure, options
    )


# --- what callers write ----------------------------------------------------------------------------


def _source(source: Any, options: Mapping[str, Any]) -> Request:
    return options_from(Request, {**options, "source": source})


def _without_false(options: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return keywords with None instead of False, which means the default."""
    return {name: None if name in names and value is False else value for name, value in options.items()}


def _trees(options: Mapping[str, Any]) -> tuple[Tree, ...]:
    """Return what trees predict, written as "ATTRIBUTE=VALUE", or with a depth."""
    from duckrisk.contests.membership.synthesis.trees import DEPTH, Target, target_of

    targets = list_of("targets", options.get("targets") or ())
    pairs = [(target, DEPTH) if isinstance(target, str) else target for target in targets]
    return tuple(Target(*target_of(text), depth=depth) for text, depth in pairs)


def _guesses(tables: Mapping[str, Any] | None, phase: Phase, *, scores: bool = False) -> Sequence[Guess]:
    """Return guesses by their attackers, or as "ATTACKER@TEAM"."""
    from duckrisk.contests.membership.attacks.scoring import Guess

    guesses = []
    for name, table in (tables or {}).items():
        attacker, at, team = name.partition("@")
        guesses.append(Guess(attacker, Request(table), team if at else None, phase, scores))
    return guesses
