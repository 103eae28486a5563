"""The score of attacks on membership: hits, lift, chance, safety, ROC, and the league table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import duckrisk
from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.results import Environment, Table
from duckrisk.contests.membership.attacks.results import (
    CurvePoint,
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
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import identifier
from duckrisk.engine.types import is_number
from duckrisk.source import Column, Request, Source, open_sources, spell_alike

#: The phases of the contest and what each counts for; alone, one counts for all.
PHASES: dict[Phase, str] = {"preliminary": "0.1", "final": "0.9"}
#: The shares of others that an attack may take for members.
FALSE_POSITIVES = (0.1, 0.01, 0.001)
#: An attack is void where chance finds as much with this probability.
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Members:
    """The records that one release was made of: ``name`` is the team's, None where there is but one."""

    request: Request
    name: str | None = None


@dataclass(frozen=True)
class Guess:
    """What an ``attacker`` says of the members of a ``submission`` (None: the only one): row numbers of the
    population, or with ``scores`` a row number and a score in each record."""

    attacker: str
    request: Request
    submission: str | None = None
    phase: Phase = "final"
    scores: bool = False


def score(
    population: Request,
    members: Sequence[Members],
    guesses: Sequence[Guess],
    confidence: float = 0.95,
    resources: Resources | None = None,
    progress: ProgressCallback | None = None,
) -> Score:
    """Score guesses of which records of a population are members. Raises the errors of
    :mod:`duckrisk.base.errors`."""
    if not 0.5 <= confidence < 1:
        raise UsageError("membership.confidence_out_of_range", confidence=confidence)
    teams = _teams(members)
    _check_guesses(guesses, teams)
    if not guesses:
        raise UsageError("membership.guess_missing")
    with Session(resources, progress) as session:
        session.steps.plan("source", "attacks")
        run = _Run(session, population, members, guesses, teams, confidence)
        session.steps.begin("attacks")
        return run.score()


def _teams(members: Sequence[Members]) -> list[str]:
    """What the submissions are called; raises UsageError where that does not tell them apart."""
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


def chance(session: Session, population: int, members: int, guesses: int, hits: int) -> dict[str, float]:
    """How many hits chance would find (``expected``), and how probable at least so many are (``p_value``)."""
    return session.fetch_row(
        "hypergeometric_tail", population=population, members=members, guesses=guesses, hits=hits
    )


def intervals(session: Session, successes: int, trials: int, confidence: float) -> Intervals:
    """The exact interval of a share (Clopper-Pearson) and that of Wilson."""
    exact = session.fetch_row("clopper_pearson", successes=successes, trials=trials, confidence=confidence)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    wilson = session.fetch_row("wilson_interval", successes=successes, trials=trials, z=z)
    return Intervals(**exact, **{f"wilson_{name}": value for name, value in wilson.items()})


def receiver(session: Session, scores: str, confidence: float, table: str = "roc") -> Receiver:
    """AUC, balanced accuracy, TPR at low FPR and points of the curve of a table (score, member); makes the
    whole curve ``table``."""
    session.run("roc_curve", name=table, scores=identifier(scores), score="score", member="member")
    curve = identifier(table)
    summary = session.fetch_row("roc_summary", curve=curve)
    rates = []
    for fpr in FALSE_POSITIVES:
        rate = session.fetch_row("tpr_at_fpr", curve=curve, fpr=fpr)
        bounds = intervals(session, rate["true_positives"], rate["members"], confidence)
        rates.append(Rate(**rate, intervals=bounds))
    points = session.run("roc_points", curve=curve)
    return Receiver(**summary, rates=tuple(rates), curve=tuple(CurvePoint(**point) for point in points))


def rank(session: Session, table: str, scores: str) -> None:
    """Make the table (record, score, place) of the scores of an attack, the one order of all it reports."""
    session.run("ranked_scores", name=table, scores=identifier(scores))


# --- a run ---------------------------------------------------------------------------------------


class _Run:
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
        # Records have places: they are read in the order of the file.
        session.run("set_option", option="preserve_insertion_order", setting=True)
        views = [("population_source", population)]
        views += [(f"members_{number}", team.request) for number, team in enumerate(members)]
        views += [(f"guess_{number}_source", guess.request) for number, guess in enumerate(guesses)]
        self.population, *others = open_sources(session, views, as_written=True)
        self.members, self.submitted = others[: len(members)], others[len(members) :]
        columns = [_columns(self.population, source) for source in self.members]
        spell_alike([self.population, *self.members], [self.population.columns, *columns])
        columns = [_columns(self.population, source) for source in self.members]
        for source, own in zip(self.members, columns, strict=True):
            _refuse_differing(self.population, source, own)
        bindings = [column.binding for column in self.population.columns]
        session.run(
            "number_records", name="population", source=identifier("population_source"), columns=bindings
        )
        self.sizes = [self._matched(number, own) for number, own in enumerate(columns)]

    def _matched(self, number: int, columns: Sequence[Column]) -> dict[str, int]:
        """Find members in the population by equal records; how many there are of both."""
        source = self.members[number]
        bindings = [column.binding for column in self.population.columns]
        renamed = f"members_{number}_columns"
        self.session.run(
            "members_columns",
            name=renamed,
            source=identifier(f"members_{number}"),
            columns=[column.binding for column in columns],
            names=bindings,
        )
        name = f"groups_{number}"
        self.session.run(
            "population_groups",
            name=name,
            population=identifier("population"),
            members=identifier(renamed),
            columns=bindings,
        )
        matched = self.session.fetch_row("population_faults", groups=identifier(name))
        if matched["population"] == 0 or matched["members"] + matched["strangers"] == 0:
            empty = self.population if matched["population"] == 0 else source
            raise SourceError("membership.empty_input", empty=empty.name)
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
        attacks: dict[tuple[str, Phase], list[ScoredGuess]] = {}
        scores: list[ScoredRecords] = []
        for number, guess in enumerate(self.guesses):
            about = self.teams.index(guess.submission or "")
            if guess.scores:
                scores.append(self._scores(number, guess, about))
            else:
                attack = self._attack(number, guess, about)
                attacks.setdefault((guess.submission or "", guess.phase), []).append(attack)
        phases = [phase for phase in PHASES if any(key[1] == phase for key in attacks)] or ["final"]
        return Score(
            population=Table(self.population.name, self.sizes[0]["population"]),
            submissions=tuple(
                self._submission(number, phase, attacks.get((name, phase), []))
                for phase in phases
                for number, name in enumerate(self.teams)
            ),
            scores=tuple(scores),
            league=self._league(phases, attacks) if len(self.teams) > 1 and attacks else None,
            settings=ScoreSettings(self.confidence, SIGNIFICANT),
            environment=Environment(duckrisk.__version__, self.session.engine_version),
            statements=tuple(self.session.log),
        )

    def _attack(self, number: int, guess: Guess, about: int) -> ScoredGuess:
        source, sizes = self.submitted[number], self.sizes[about]
        self.session.run(
            "rows_of_guess",
            name=f"guess_{number}",
            source=identifier(f"guess_{number}_source"),
            columns=[column.binding for column in source.columns],
        )
        checked = self._checked(number, about)
        if checked["guesses"] > sizes["members"]:
            raise UsageError(
                "membership.more_guesses_than_members",
                source=source.name,
                guesses=checked["guesses"],
                members=sizes["members"],
            )
        tail = chance(
            self.session, sizes["population"], sizes["members"], checked["guesses"], checked["hits"]
        )
        return ScoredGuess(
            guess.attacker,
            source.name,
            **{name: checked[name] for name in ("guesses", "hits", "accuracy", "lift")},
            expected=tail["expected"],
            p_value=tail["p_value"],
            void=tail["p_value"] >= SIGNIFICANT,
            intervals=intervals(self.session, checked["hits"], checked["guesses"], self.confidence),
        )

    def _checked(self, number: int, about: int) -> dict[str, Any]:
        """The hits of a guess; raises SourceError for numbers that are none of the population's rows."""
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

    def _scores(self, number: int, guess: Guess, about: int) -> ScoredRecords:
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
        self._checked(number, about)
        self.session.run(
            "member_scores",
            name=f"scores_{number}",
            groups=identifier(f"groups_{about}"),
            scores=identifier(f"guess_{number}"),
        )
        receiving = receiver(self.session, f"scores_{number}", self.confidence, f"roc_{number}")
        return ScoredRecords(guess.submission or "", guess.attacker, source.name, receiving)

    def _submission(self, number: int, phase: Phase, attacks: list[ScoredGuess]) -> Submission:
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

    def _league(
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


def _columns(population: Source, members: Source) -> list[Column]:
    """The members' columns in the order of the population's; raises UsageError for others."""
    names = {column.name for column in population.columns}
    for column in members.columns:
        if column.name not in names:
            raise UsageError(
                "membership.members_column_extra",
                members=members.name,
                column=column.name,
                population=population.name,
            )
    theirs = {column.name: column for column in members.columns}
    ordered = []
    for column in population.columns:
        if column.name not in theirs:
            raise UsageError(
                "membership.members_column_missing",
                members=members.name,
                column=column.name,
                population=population.name,
            )
        ordered.append(theirs[column.name])
    return ordered


def _refuse_differing(population: Source, members: Source, columns: Sequence[Column]) -> None:
    """Raise UsageError for a column of numbers in one of the two alone; a CSV file could be read as text."""
    for column, other in zip(population.columns, columns, strict=True):
        if is_number(column.type) != is_number(other.type):
            raise UsageError(
                "membership.column_types_differ",
                column=column.name,
                population=population.name,
                members=members.name,
            )
