"""The score of attacks on membership: hits, lift, chance, safety, ROC, and the league table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import duckrisk
from duckrisk.engine_types import is_number
from duckrisk.errors import SourceError, UsageError
from duckrisk.membership.attacks.results import (
    CurvePoint,
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
from duckrisk.results import Environment, Table
from duckrisk.session import Resources, Session
from duckrisk.source import Column, Request, Source, open_sources, spell_alike
from duckrisk.templates import identifier

#: Raised whenever a key of the report changes its meaning or goes away.
SCHEMA_VERSION = 1
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
    progress: Callable[[str, float | None], None] | None = None,
) -> Score:
    """Score guesses of which records of a population are members. Raises the errors of
    :mod:`duckrisk.errors`."""
    if not 0.5 <= confidence < 1:
        raise UsageError(f"{confidence:g} is no confidence; write one from 0.5 up to below 1, such as 0.95.")
    teams = _teams(members)
    _check_guesses(guesses, teams)
    if not guesses:
        raise UsageError("Name at least one guess, as --guess NAME=FILE.")
    with Session(resources, progress) as session:
        return _Run(session, population, members, guesses, teams, confidence).score()


def _teams(members: Sequence[Members]) -> list[str]:
    """What the submissions are called; raises UsageError where that does not tell them apart."""
    if not members:
        raise UsageError("Name the members: the records that the release was made of.")
    if len(members) > 1 and any(one.name is None for one in members):
        raise UsageError("Of several tables of members each has a name, as in --members TEAM=FILE.")
    names = [one.name or "release" for one in members]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f'There are two tables of members named "{twice}"; name each once.')
    return names


def _check_guesses(guesses: Sequence[Guess], teams: Sequence[str]) -> None:
    seen = set()
    for guess in guesses:
        if guess.submission is None and len(teams) > 1:
            raise UsageError(
                f'The guess of "{guess.attacker}" does not say whose members it is about; write it as '
                "ATTACKER@TEAM=FILE."
            )
        if guess.submission is not None and guess.submission not in teams:
            raise UsageError(
                f'The guess of "{guess.attacker}" is about "{guess.submission}", whose members are not given.'
            )
        if guess.submission == guess.attacker:
            raise UsageError(f'"{guess.attacker}" knows its own members; leave this guess out.')
        if guess.phase not in PHASES:
            raise UsageError(f'There is no phase "{guess.phase}"; write preliminary or final.')
        key = (guess.attacker, guess.submission, guess.phase, guess.scores)
        if key in seen:
            raise UsageError(f'"{guess.attacker}" guesses the same members twice; leave one.')
        seen.add(key)


# --- primitives ----------------------------------------------------------------------------------


def chance(session: Session, population: int, members: int, guesses: int, hits: int) -> dict[str, float]:
    """How many hits chance would find (``expected``), and how probable at least so many are (``p_value``)."""
    found: dict[str, float] = session.row(
        "hypergeometric_tail", population=population, members=members, guesses=guesses, hits=hits
    )
    return found


def intervals(session: Session, successes: int, trials: int, confidence: float) -> dict[str, Any]:
    """The exact interval of a share (Clopper-Pearson: ``lower``, ``upper``) and that of Wilson
    (``wilson_rate``, ``wilson_lower``, ``wilson_upper``)."""
    exact = session.row("clopper_pearson", successes=successes, trials=trials, confidence=confidence)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    wilson = session.row("wilson_interval", successes=successes, trials=trials, z=z)
    return {**exact, **{f"wilson_{name}": value for name, value in wilson.items()}}


def receiver(session: Session, scores: str, confidence: float, table: str = "roc") -> Receiver:
    """AUC, balanced accuracy, TPR at low FPR and points of the curve of a table (score, member); makes the
    whole curve ``table``."""
    session.run("roc_curve", name=table, scores=identifier(scores), score="score", member="member")
    curve = identifier(table)
    made = session.row("roc_summary", curve=curve)
    rates = []
    for fpr in FALSE_POSITIVES:
        rate = session.row("tpr_at_fpr", curve=curve, fpr=fpr)
        rates.append(Rate(**rate, **intervals(session, rate["true_positives"], rate["members"], confidence)))
    points = session.run("roc_points", curve=curve)
    return Receiver(**made, rates=tuple(rates), curve=tuple(CurvePoint(**point) for point in points))


def rank(
    session: Session,
    table: str,
    scores: str,
    alike: str = "score",
    ranked: str = "score",
    last: str | None = None,
) -> None:
    """Make the table (record, score, place) of the scores of an attack. Scores are equal where ``alike`` is,
    and the largest ``ranked`` come first, before those that are ``last``."""
    given = {"scores": identifier(scores), "alike": alike, "ranked": ranked, "last": last}
    session.run("ranked_scores", name=table, **given)


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
        self.guesses = [
            Guess(one.attacker, one.request, one.submission or teams[0], one.phase, one.scores)
            for one in guesses
        ]
        # Records have places: they are read in the order of the file.
        session.run("set_option", option="preserve_insertion_order", setting=True)
        views = [("population_source", population)]
        views += [(f"members_{place}", one.request) for place, one in enumerate(members)]
        views += [(f"guess_{place}_source", one.request) for place, one in enumerate(guesses)]
        self.population, *others = open_sources(session, views)
        self.members, self.given = others[: len(members)], others[len(members) :]
        columns = [_columns(self.population, source) for source in self.members]
        spell_alike([self.population, *self.members], [self.population.columns, *columns])
        columns = [_columns(self.population, source) for source in self.members]
        for source, own in zip(self.members, columns, strict=True):
            _refuse_differing(self.population, source, own)
        bindings = [column.binding for column in self.population.columns]
        session.run(
            "number_records", name="population", source=identifier("population_source"), columns=bindings
        )
        self.sizes = [self._matched(place, own) for place, own in enumerate(columns)]

    def _matched(self, place: int, columns: Sequence[Column]) -> dict[str, int]:
        """Find members in the population by equal records; how many there are of both."""
        source = self.members[place]
        bindings = [column.binding for column in self.population.columns]
        renamed = f"members_{place}_columns"
        self.session.run(
            "members_columns",
            name=renamed,
            source=identifier(f"members_{place}"),
            columns=[column.binding for column in columns],
            names=bindings,
        )
        name = f"groups_{place}"
        self.session.run(
            "population_groups",
            name=name,
            population=identifier("population"),
            members=identifier(renamed),
            columns=bindings,
        )
        found = self.session.row("population_faults", groups=identifier(name))
        if found["population"] == 0 or found["members"] + found["strangers"] == 0:
            empty = self.population if found["population"] == 0 else source
            raise SourceError(f'"{empty.name}" has no records.')
        if found["repeated"]:
            raise SourceError(
                f'The population "{self.population.name}" has {found["repeated"]:,} records that others are '
                "equal to, so that row numbers do not tell them apart; leave one of each."
            )
        if found["strangers"]:
            raise SourceError(
                f'{found["strangers"]:,} members of "{source.name}" are not in the population '
                f'"{self.population.name}"; members are records of it, equal in every column.'
            )
        if found["repeated_members"]:
            raise SourceError(
                f'"{source.name}" has {found["repeated_members"]:,} members that others are equal to; '
                "members are drawn once each."
            )
        return found

    def score(self) -> Score:
        attacks: dict[tuple[str, Phase], list[ScoredGuess]] = {}
        scores: list[ScoredRecords] = []
        for place, guess in enumerate(self.guesses):
            about = self.teams.index(guess.submission or "")
            if guess.scores:
                scores.append(self._scores(place, guess, about))
            else:
                attack = self._attack(place, guess, about)
                attacks.setdefault((guess.submission or "", guess.phase), []).append(attack)
        phases = [phase for phase in PHASES if any(key[1] == phase for key in attacks)] or ["final"]
        return Score(
            version=SCHEMA_VERSION,
            kind="membership_score",
            population=Table(self.population.name, self.sizes[0]["population"]),
            submissions=tuple(
                self._submission(place, phase, attacks.get((name, phase), []))
                for phase in phases
                for place, name in enumerate(self.teams)
            ),
            scores=tuple(scores),
            league=self._league(phases, attacks) if len(self.teams) > 1 and attacks else None,
            settings=ScoreSettings(self.confidence, SIGNIFICANT),
            environment=Environment(duckrisk.__version__, self.session.engine_version),
            statements=tuple(self.session.log),
        )

    def _attack(self, place: int, guess: Guess, about: int) -> ScoredGuess:
        source, sizes = self.given[place], self.sizes[about]
        self.session.run(
            "rows_of_guess",
            name=f"guess_{place}",
            source=identifier(f"guess_{place}_source"),
            columns=[column.binding for column in source.columns],
        )
        found = self._checked(place, about)
        if found["guesses"] > sizes["members"]:
            raise UsageError(
                f'"{source.name}" guesses {found["guesses"]:,} records, and there are only '
                f"{sizes['members']:,} members; guess at most as many."
            )
        tail = chance(self.session, sizes["population"], sizes["members"], found["guesses"], found["hits"])
        return ScoredGuess(
            guess.attacker,
            source.name,
            **{name: found[name] for name in ("guesses", "hits", "accuracy", "lift")},
            expected=tail["expected"],
            p_value=tail["p_value"],
            void=tail["p_value"] >= SIGNIFICANT,
            **intervals(self.session, found["hits"], found["guesses"], self.confidence),
        )

    def _checked(self, place: int, about: int) -> dict[str, Any]:
        """The hits of a guess; raises SourceError for numbers that are none of the population's rows."""
        source, sizes = self.given[place], self.sizes[about]
        found = self.session.row(
            "score_of_guess",
            guess=identifier(f"guess_{place}"),
            groups=identifier(f"groups_{about}"),
            population=sizes["population"],
            members=sizes["members"],
        )
        what = f'The guess "{source.name}"'
        if found["guesses"] == 0:
            raise SourceError(f"{what} is empty.")
        if found["no_number"]:
            raise SourceError(
                f"{what} has {found['no_number']:,} cells that are no whole number; it holds row numbers of "
                "the population, from 0."
            )
        if found["outside"]:
            raise SourceError(
                f"{what} has {found['outside']:,} numbers that are no rows of the population, which are 0 to "
                f"{sizes['population'] - 1:,}."
            )
        if found["repeated"]:
            raise SourceError(f"{what} names {found['repeated']:,} rows again; guess each once.")
        return found

    def _scores(self, place: int, guess: Guess, about: int) -> ScoredRecords:
        source = self.given[place]
        named = {column.name: column for column in source.columns}
        if "record" in named and "score" in named:
            record, points = named["record"], named["score"]
        elif len(source.columns) == 2:
            record, points = source.columns
        else:
            raise SourceError(
                f'"{source.name}" has {len(source.columns)} columns; scores are two, a row number of the '
                'population and a number, or are called "record" and "score".'
            )
        self.session.run(
            "scored_records",
            name=f"guess_{place}",
            source=identifier(f"guess_{place}_source"),
            record=record.binding,
            score=points.binding,
        )
        self._checked(place, about)
        self.session.run(
            "member_scores",
            name=f"scores_{place}",
            groups=identifier(f"groups_{about}"),
            scores=identifier(f"guess_{place}"),
        )
        found = receiver(self.session, f"scores_{place}", self.confidence, f"roc_{place}")
        return ScoredRecords(guess.submission or "", guess.attacker, source.name, found)

    def _submission(self, place: int, phase: Phase, attacks: list[ScoredGuess]) -> Submission:
        best = self.session.row(
            "best_attack",
            hits=[attack.hits for attack in attacks],
            guesses=[attack.guesses for attack in attacks],
            p_values=[repr(attack.p_value) for attack in attacks],
        )
        return Submission(
            name=self.teams[place],
            phase=phase,
            members=Table(self.members[place].name, self.sizes[place]["members"]),
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
        for number, phase in enumerate(phases):
            for name in self.teams:
                made = attacks.get((name, phase), [])
                rows += [(number, name, one.attacker, one.hits, one.guesses) for one in made]
                rows += [] if made else [(number, name, None, 0, 0)]
        columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)]
        found = self.session.run(
            "attack_league",
            **dict(zip(("phases", "submissions", "attackers", "hits", "guesses"), columns, strict=True)),
            weights=[PHASES[phase] for phase in phases] if len(phases) > 1 else ["1"],
        )
        return tuple(LeagueEntry(**row) for row in found)


def _columns(population: Source, members: Source) -> list[Column]:
    """The members' columns in the order of the population's; raises UsageError for others."""
    known = {column.name for column in population.columns}
    for column in members.columns:
        if column.name not in known:
            raise UsageError(
                f'"{members.name}" has the column "{column.name}", which the population "{population.name}" '
                "has not; both have the same columns."
            )
    found = {column.name: column for column in members.columns}
    made = []
    for column in population.columns:
        if column.name not in found:
            raise UsageError(
                f'"{members.name}" has no column "{column.name}", which the population "{population.name}" '
                "has; both have the same columns."
            )
        made.append(found[column.name])
    return made


def _refuse_differing(population: Source, members: Source, columns: Sequence[Column]) -> None:
    """Raise UsageError for a column of numbers in one of the two alone; a CSV file could be read as text."""
    for column, other in zip(population.columns, columns, strict=True):
        if is_number(column.type) != is_number(other.type):
            raise UsageError(
                f'The column "{column.name}" holds numbers in one of "{population.name}" and '
                f'"{members.name}" and something else in the other; make it the same in both.'
            )
