"""Scores attacks on membership: hits, lift, chance, safety, ROC, and the league table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.results import Table
from duckrisk.contests.common import keep_file_order, run_facts
from duckrisk.contests.membership.attacks.results import (
    CurvePoint,
    EpsilonBound,
    Intervals,
    LeagueEntry,
    Phase,
    Rate,
    Receiver,
    Score,
    ScoredGuess,
    ScoredRecords,
    ScoreSettings,
    Submission,
)
from duckrisk.contests.membership.records import match_columns
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import identifier
from duckrisk.source import Column, Request, open_sources

#: Version of the report; it rises when a key changes its meaning or goes (tests/report/shapes).
SCHEMA_VERSION = 1
#: The phases of the contest and their weights in the league; a phase alone counts fully
#: (rules of PWS Cup 2020).
PHASES: dict[Phase, str] = {"preliminary": "0.1", "final": "0.9"}
#: False positive rates at which the members found are counted (Carlini and others, 2022).
FALSE_POSITIVES = (0.1, 0.01, 0.001)
#: Probability; an attack is void if chance finds as much at least this often (a choice: the usual 5 %).
SIGNIFICANT = 0.05
#: Confidence of the intervals of rates (a choice: the usual 95 %).
CONFIDENCE = 0.95
#: Probability; the delta of the bound of epsilon (a choice: pure differential privacy, the stricter claim).
_DELTA = 0


@dataclass(frozen=True)
class Members:
    """The records that a release was made of; `name` is the team's, None for a single release."""

    request: Request
    name: str | None = None


@dataclass(frozen=True)
class Guess:
    """The guesses of an attacker.

    Attributes:
        attacker: The name of the attacker.
        request: Row numbers of the population from 0, or with `scores` row numbers and scores.
        submission: The team whose members they are about; None for the only one.
        phase: The phase of the contest.
        scores: Whether it has a score for each record.
    """

    attacker: str
    request: Request
    submission: str | None = None
    phase: Phase = "final"
    scores: bool = False


def score(
    population: Request,
    members: Sequence[Members],
    guesses: Sequence[Guess],
    confidence: float = CONFIDENCE,
    resources: Resources | None = None,
    progress: ProgressCallback | None = None,
) -> Score:
    """Score guesses of members.

    Args:
        population: All candidates, each once.
        members: The members of each submission.
        guesses: The guesses and scores of attackers.
        confidence: The confidence of intervals, from 0.5 to below 1.
        resources: The limits of the engine.
        progress: Receives the progress.

    Returns:
        Hits, chance, safety and ROC; with several submissions the league table.

    Raises:
        UsageError: The guesses and members do not go together.
        SourceError: A table cannot be used.
    """
    if not 0.5 <= confidence < 1:
        raise UsageError("membership.confidence_out_of_range", confidence=confidence)
    teams = _name_teams(members)
    _check_guesses(guesses, teams)
    if not guesses:
        raise UsageError("membership.guess_missing")
    with Session(resources, progress) as session:
        session.steps.plan("source", "attacks")
        run = _Run(session, population, members, guesses, teams, confidence)
        session.steps.begin("attacks")
        return run.score()


def _name_teams(members: Sequence[Members]) -> list[str]:
    """Return the names of the submissions; refuse missing and repeated ones."""
    if not members:
        raise UsageError("membership.members_missing")
    if len(members) > 1 and any(team.name is None for team in members):
        raise UsageError("membership.unnamed_members")
    names = [team.name or "release" for team in members]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError("membership.duplicate_members_name", twice=twice)
    return names


def _check_guesses(guesses: Sequence[Guess], teams: Sequence[str]) -> None:
    seen = set()
    for guess in guesses:
        if guess.submission is None and len(teams) > 1:
            raise UsageError("membership.guess_without_team", attacker=guess.attacker)
        if guess.submission is not None and guess.submission not in teams:
            raise UsageError(
                "membership.guess_of_unknown_team",
                attacker=guess.attacker,
                submission=guess.submission,
            )
        if guess.submission == guess.attacker:
            raise UsageError("membership.guess_of_own_members", attacker=guess.attacker)
        if guess.phase not in PHASES:
            raise UsageError("membership.unknown_phase", phase=guess.phase)
        key = (guess.attacker, guess.submission, guess.phase, guess.scores)
        if key in seen:
            raise UsageError("membership.duplicate_guess", attacker=guess.attacker)
        seen.add(key)


# --- primitives ----------------------------------------------------------------------------------


def measure_chance(
    session: Session, population: int, members: int, guesses: int, hits: int
) -> dict[str, float]:
    """Return ``expected``, the hits of chance, and ``p_value``, of as many or more."""
    return session.fetch_row(
        "hypergeometric_tail", population=population, members=members, guesses=guesses, hits=hits
    )


def measure_intervals(session: Session, successes: int, trials: int, confidence: float) -> Intervals:
    """Return the exact interval of a share (Clopper-Pearson) and that of Wilson."""
    exact = session.fetch_row("clopper_pearson", successes=successes, trials=trials, confidence=confidence)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    wilson = session.fetch_row("wilson_interval", successes=successes, trials=trials, z=z)
    return Intervals(**exact, **{f"wilson_{name}": value for name, value in wilson.items()})


def measure_roc(session: Session, scores: str, confidence: float, table: str = "roc") -> Receiver:
    """Measure how well scores separate members from others.

    Args:
        session: Runs the statements.
        scores: A table of ``score`` and ``member``.
        confidence: The confidence of intervals.
        table: The table of the ROC curve that is made.

    Returns:
        AUC, balanced accuracy, TPR at low FPR, and points of the curve.
    """
    session.run("roc_curve", name=table, scores=identifier(scores), score="score", member="member")
    curve = identifier(table)
    summary = session.fetch_row("roc_summary", curve=curve)
    rates = []
    for fpr in FALSE_POSITIVES:
        rate = session.fetch_row("tpr_at_fpr", curve=curve, fpr=fpr)
        bounds = measure_intervals(session, rate["true_positives"], rate["members"], confidence)
        rates.append(Rate(**rate, intervals=bounds))
    points = session.run("roc_points", curve=curve)
    return Receiver(
        **summary,
        rates=tuple(rates),
        curve=tuple(CurvePoint(**point) for point in points),
        epsilon=bound_epsilon(session, scores, confidence),
    )


def bound_epsilon(session: Session, scores: str, confidence: float) -> EpsilonBound | None:
    """Measure what scores say at least of the epsilon of differential privacy.

    Args:
        session: Runs the statements.
        scores: A table of ``record``, ``score`` and ``member``.
        confidence: The confidence of the bound.

    Returns:
        The bound; None where half of the records has no member or no other.
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rows = session.run("epsilon_rates", scores=identifier(scores), z=z)
    if not rows:
        return None
    found = rows[0]
    tpr = measure_intervals(session, found["true_positives"], found["members"], confidence)
    fpr = measure_intervals(session, found["false_positives"], found["others"], confidence)
    bound = session.fetch_row(
        "epsilon_bound",
        tpr_lower=tpr.lower,
        fpr_upper=fpr.upper,
        delta=_DELTA,
        by_members=found["by_members"],
    )
    return EpsilonBound(**bound, **found)


def rank_records(session: Session, table: str, scores: str) -> None:
    """Make the ranking ``record``, ``score``, ``place`` of the scores of an attack."""
    session.run("ranked_scores", name=table, scores=identifier(scores))


def judge_guesses(session: Session, ranking: str, members: str, guesses: int) -> dict[str, Any]:
    """Return the hits of the first guesses, and whether chance finds as many.

    Args:
        session: Runs the statements.
        ranking: The table that :func:`rank_records` makes.
        members: The table of the members' places in the population.
        guesses: The number of guesses.
    """
    row = session.fetch_row(
        "guess_hits", scores=identifier(ranking), members=identifier(members), guesses=guesses
    )
    chance = measure_chance(session, *(row[name] for name in ("candidates", "members", "guesses", "hits")))
    return {
        "hits": row["hits"],
        "expected": chance["expected"],
        "accuracy": row["accuracy"],
        "lift": row["lift"],
        "chance": chance["p_value"],
        "void": chance["p_value"] >= SIGNIFICANT,
    }


# --- a run ---------------------------------------------------------------------------------------


class _Run:
    """The score of one session."""

    def __init__(
        self,
        session: Session,
        population: Request,
        members: Sequence[Members],
        guesses: Sequence[Guess],
        teams: Sequence[str],
        confidence: float,
    ) -> None:
        self.session, self.teams, self.confidence = session, teams, confidence
        self.guesses = [replace(guess, submission=guess.submission or teams[0]) for guess in guesses]
        keep_file_order(session)
        views = [("population_source", population)]
        views += [(f"members_{number}", team.request) for number, team in enumerate(members)]
        views += [(f"guess_{number}_source", guess.request) for number, guess in enumerate(guesses)]
        self.population, *others = open_sources(session, views, keep_texts=True)
        self.members, self.submitted = others[: len(members)], others[len(members) :]
        matched, names = match_columns(
            [self.population, *self.members], numbers=True, advice="both have the same columns"
        )
        first, *columns = [[own[name] for name in names] for own in matched]
        self.bindings = [column.binding for column in first]
        session.run(
            "number_records", name="population", source=identifier("population_source"), columns=self.bindings
        )
        self.sizes = [self._find_members(number, own) for number, own in enumerate(columns)]

    def _find_members(self, number: int, columns: Sequence[Column]) -> dict[str, int]:
        """Find members in the population by equal records; return the sizes of both."""
        source = self.members[number]
        renamed = f"members_{number}_columns"
        self.session.run(
            "members_columns",
            name=renamed,
            source=identifier(f"members_{number}"),
            columns=[column.binding for column in columns],
            names=self.bindings,
        )
        name = f"groups_{number}"
        self.session.run(
            "population_groups",
            name=name,
            population=identifier("population"),
            members=identifier(renamed),
            columns=self.bindings,
        )
        matched = self.session.fetch_row("population_faults", groups=identifier(name))
        if matched["population"] == 0 or matched["members"] + matched["strangers"] == 0:
            empty = self.population if matched["population"] == 0 else source
            raise SourceError("membership.no_records", table=empty.name)
        if matched["repeated"]:
            raise SourceError(
                "membership.duplicates_in_population",
                population=self.population.name,
                repeated=matched["repeated"],
            )
        if matched["strangers"]:
            raise SourceError(
                "membership.members_not_in_population",
                strangers=matched["strangers"],
                source=source.name,
                population=self.population.name,
            )
        if matched["repeated_members"]:
            raise SourceError(
                "membership.duplicate_members",
                source=source.name,
                repeated_members=matched["repeated_members"],
            )
        return matched

    def score(self) -> Score:
        """Score all guesses and return the report."""
        attacks: dict[tuple[str, Phase], list[ScoredGuess]] = {}
        scores: list[ScoredRecords] = []
        for number, guess in enumerate(self.guesses):
            about = self.teams.index(guess.submission or "")
            if guess.scores:
                scores.append(self._score_records(number, guess, about))
            else:
                attack = self._score_guess(number, guess, about)
                attacks.setdefault((guess.submission or "", guess.phase), []).append(attack)
        phases = [phase for phase in PHASES if any(key[1] == phase for key in attacks)] or ["final"]
        return Score(
            population=Table(self.population.name, self.sizes[0]["population"]),
            submissions=tuple(
                self._summarize_submission(number, phase, attacks.get((name, phase), []))
                for phase in phases
                for number, name in enumerate(self.teams)
            ),
            scores=tuple(scores),
            league=self._rank_teams(phases, attacks) if len(self.teams) > 1 and attacks else None,
            settings=ScoreSettings(self.confidence, SIGNIFICANT),
            **run_facts(self.session),
        )

    def _score_guess(self, number: int, guess: Guess, about: int) -> ScoredGuess:
        source, sizes = self.submitted[number], self.sizes[about]
        self.session.run(
            "rows_of_guess",
            name=f"guess_{number}",
            source=identifier(f"guess_{number}_source"),
            columns=[column.binding for column in source.columns],
        )
        checked = self._check_guess(number, about)
        if checked["guesses"] > sizes["members"]:
            raise UsageError(
                "membership.more_guesses_than_members",
                source=source.name,
                guesses=checked["guesses"],
                members=sizes["members"],
            )
        chance = measure_chance(
            self.session, sizes["population"], sizes["members"], checked["guesses"], checked["hits"]
        )
        return ScoredGuess(
            guess.attacker,
            source.name,
            **{name: checked[name] for name in ("guesses", "hits", "accuracy", "lift")},
            expected=chance["expected"],
            p_value=chance["p_value"],
            void=chance["p_value"] >= SIGNIFICANT,
            intervals=measure_intervals(self.session, checked["hits"], checked["guesses"], self.confidence),
        )

    def _check_guess(self, number: int, about: int) -> dict[str, Any]:
        """Return the hits of a guess; refuse numbers that are no rows of the population."""
        source, sizes = self.submitted[number], self.sizes[about]
        checked = self.session.fetch_row(
            "score_of_guess",
            guess=identifier(f"guess_{number}"),
            groups=identifier(f"groups_{about}"),
            population=sizes["population"],
            members=sizes["members"],
        )
        what = f'The guess "{source.name}"'
        if checked["guesses"] == 0:
            raise SourceError("membership.empty_file", what=what)
        if checked["no_number"]:
            raise SourceError(
                "membership.row_numbers_not_integers", what=what, no_number=checked["no_number"]
            )
        if checked["outside"]:
            raise SourceError(
                "membership.row_numbers_out_of_range",
                what=what,
                outside=checked["outside"],
                population=sizes["population"] - 1,
            )
        if checked["repeated"]:
            raise SourceError("membership.duplicate_row_numbers", what=what, repeated=checked["repeated"])
        return checked

    def _score_records(self, number: int, guess: Guess, about: int) -> ScoredRecords:
        source = self.submitted[number]
        named = {column.name: column for column in source.columns}
        if "record" in named and "score" in named:
            record, points = named["record"], named["score"]
        elif len(source.columns) == 2:
            record, points = source.columns
        else:
            raise SourceError(
                "membership.invalid_score_columns", source=source.name, count=len(source.columns)
            )
        self.session.run(
            "scored_records",
            name=f"guess_{number}",
            source=identifier(f"guess_{number}_source"),
            record=record.binding,
            score=points.binding,
        )
        self._check_guess(number, about)
        self.session.run(
            "member_scores",
            name=f"scores_{number}",
            groups=identifier(f"groups_{about}"),
            scores=identifier(f"guess_{number}"),
        )
        roc = measure_roc(self.session, f"scores_{number}", self.confidence, f"roc_{number}")
        return ScoredRecords(guess.submission or "", guess.attacker, source.name, roc)

    def _summarize_submission(self, number: int, phase: Phase, attacks: list[ScoredGuess]) -> Submission:
        best = self.session.fetch_row(
            "best_attack",
            hits=[attack.hits for attack in attacks],
            guesses=[attack.guesses for attack in attacks],
            p_values=[repr(attack.p_value) for attack in attacks],
        )
        return Submission(
            name=self.teams[number],
            phase=phase,
            members=Table(self.members[number].name, self.sizes[number]["members"]),
            safety=best["safety"],
            accuracy=best["accuracy"],
            p_value=best["p_value"],
            void=best["p_value"] is None or best["p_value"] >= SIGNIFICANT,
            attacks=tuple(sorted(attacks, key=lambda attack: (-attack.accuracy, attack.attacker))),
        )

    def _rank_teams(
        self, phases: Sequence[Phase], attacks: dict[tuple[str, Phase], list[ScoredGuess]]
    ) -> tuple[LeagueEntry, ...]:
        rows: list[tuple[int, str, str | None, int, int]] = []
        for round_number, phase in enumerate(phases):
            for name in self.teams:
                guessed = attacks.get((name, phase), [])
                rows += [(round_number, name, guess.attacker, guess.hits, guess.guesses) for guess in guessed]
                rows += [] if guessed else [(round_number, name, None, 0, 0)]
        columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)]
        ranked = self.session.run(
            "attack_league",
            **dict(zip(("phases", "submissions", "attackers", "hits", "guesses"), columns, strict=True)),
            weights=[PHASES[phase] for phase in phases] if len(phases) > 1 else ["1"],
        )
        return tuple(LeagueEntry(**row) for row in ranked)
