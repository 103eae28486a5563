"""Scores releases of a history: their loss of utility, what attacks still find, and both in one number."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import groupby
from os import PathLike
from pathlib import Path
from typing import Any, cast

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.contests.common import run_facts
from duckrisk.contests.pwscup import attacks as registry
from duckrisk.contests.pwscup import rating, tables, utilities
from duckrisk.contests.pwscup.files import Files, partial_role
from duckrisk.contests.pwscup.options import KnownShare, Options, percent
from duckrisk.contests.pwscup.results import (
    AttackRates,
    AttackSafety,
    FurtherLosses,
    GuessedRelease,
    Guesser,
    GuessRates,
    Losses,
    Original,
    Partial,
    Period,
    Rates,
    RatesBesideChance,
    Safety,
    SafetySettings,
    Score,
    ScoreSettings,
    Submission,
)
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.source import Request

#: The choices of attacks: those of the committee, or all of them.
ATTACKS = ("committee", "all")
_RELEASE, _RELEASED, _TRUTH = "pws_release", "pws_released", "pws_truth"


@dataclass(frozen=True)
class Guess:
    """A guess of a participant.

    Attributes:
        name: The name of the participant.
        request: The file.
        alpha: The share of the records that it was made from, in percent; None counts it for each share.
        release: The number of the release that it is about, from 0.
    """

    name: str
    request: Request
    alpha: float | None = None
    release: int = 0


def guess_named(name: str, request: Request, releases: Sequence[Request]) -> Guess:
    """Return a guess by its name: NAME, NAME@PERCENT or NAME@PERCENT:RELEASE.

    Args:
        name: PERCENT is the share that it was made from. RELEASE is the file of the release, with or without
            folder and suffix, or its number from 1.
        request: The file of the guess.
        releases: The releases of the run.

    Raises:
        UsageError: There are several releases, and the name names none.
    """
    team, colon, about = name.rpartition(":")
    index = _find_release(about, releases) if colon and team else None
    if index is None:
        if len(releases) > 1:
            raise UsageError("pwscup.guess_without_release", guess=name)
        team, index = name, 0
    participant, at, share = team.rpartition("@")
    alpha = percent(share) if at and participant else None
    return Guess(team if alpha is None else participant, request, alpha, index)


def _find_release(about: str, releases: Sequence[Request]) -> int | None:
    """Return the number of the one release of that name, from 0; None otherwise."""
    if about.isdecimal() and 1 <= int(about) <= len(releases):
        return int(about) - 1
    sources = [release.source for release in releases]
    paths = [Path(source) if isinstance(source, (str, PathLike)) else Path() for source in sources]
    matches = [index for index, path in enumerate(paths) if about in (str(path), path.name, path.stem)]
    return matches[0] if len(matches) == 1 else None


@dataclass(frozen=True)
class ScoreInputs:
    """The files of a score.

    Attributes:
        original: The history.
        releases: The releases, aligned with it.
        master: The master table, which lists all users and their attributes.
        partials: What attackers know, by its percentage of the original.
        guesses: Guesses of participants.
    """

    original: Request
    releases: Sequence[Request]
    master: Request | None = None
    partials: Mapping[float, Request] = field(default_factory=dict)
    guesses: Sequence[Guess] = ()

    def check(self) -> None:
        """Refuse files that do not go together.

        Raises:
            UsageError: The first fault.
        """
        if not self.releases:
            raise UsageError("pwscup.release_missing")
        seen = set()
        for guess in self.guesses:
            if (guess.name, guess.alpha, guess.release) in seen:
                raise UsageError("pwscup.duplicate_guess", guess=guess.name)
            seen.add((guess.name, guess.alpha, guess.release))
        for alpha in (*self.partials, *(g.alpha for g in self.guesses if g.alpha is not None)):
            KnownShare(alpha).check()


def score(
    inputs: ScoreInputs,
    options: Options,
    attacks: str = ATTACKS[0],
    resources: Resources | None = None,
    progress: ProgressCallback | None = None,
) -> Score:
    """Score releases by their utility and by attacks on them.

    Args:
        inputs: The files.
        options: The layout of the files and how utility and safety are measured.
        attacks: "committee" or "all".
        resources: The limits of the engine.
        progress: Receives the progress.

    Returns:
        The losses, the rates of attacks, and UTL, SEC and AVG of each release, the best first.

    Raises:
        UsageError: The inputs or the options do not go together.
        SourceError: A file breaks a constraint.
    """
    if attacks not in ATTACKS:
        raise UsageError("pwscup.unknown_attacks", choices=" or ".join(ATTACKS), choice=attacks)
    return _score(inputs, options, attacks, resources, progress)


def utility(
    inputs: ScoreInputs,
    options: Options,
    resources: Resources | None = None,
    progress: ProgressCallback | None = None,
) -> Score:
    """Measure the utility of releases, without attacks; see :func:`score`.

    Raises:
        UsageError: The inputs or the options do not go together.
        SourceError: A file breaks a constraint.
    """
    return _score(inputs, options, None, resources, progress)


def _score(
    inputs: ScoreInputs,
    options: Options,
    attacks: str | None,
    resources: Resources | None,
    progress: ProgressCallback | None,
) -> Score:
    inputs.check()
    options.check()
    with Session(resources, progress) as session:
        session.steps.plan("source", "pwscup")
        run = _Run(session, inputs, options, attacks)
        session.steps.begin("pwscup")
        numbers = session.steps.track(range(len(inputs.releases)))
        submissions = [run.measure(number) for number in numbers]
        ranked = tuple(sorted(submissions, key=lambda submission: submission.total))
        return Score(
            kind="utility" if attacks is None else "score",
            original=run.describe_original(),
            release=submissions[0] if len(submissions) == 1 else None,
            guessers=run.rank_guessers(submissions),
            submissions=ranked if ranked[1:] else None,
            settings=run.describe_settings(),
            **run_facts(session),
        )


@contextlib.contextmanager
def _with_hint() -> Iterator[None]:
    """Add to a refusal that ``duckrisk pwscup check`` shows all violations."""
    try:
        yield
    except SourceError as error:
        raise SourceError("pwscup.first_finding", rstrip=str(error).rstrip(".")) from None


class _Run:
    """The measures of one session over all releases."""

    def __init__(self, session: Session, inputs: ScoreInputs, options: Options, attacks: str | None) -> None:
        self.session, self.inputs, self.options, self.attacks = session, inputs, options, attacks
        guesses = inputs.guesses if attacks is not None else ()
        partials = inputs.partials if attacks is not None else {}
        self.files = Files(
            session,
            options,
            inputs.original,
            inputs.master,
            inputs.releases,
            partials,
            [guess.request for guess in guesses],
        )
        self.original = tables.load_history(session, self.files)
        self.rules = utilities.Rules(session, self.original.table)
        self.groups: utilities.Groups | None = None
        if inputs.master is not None:
            self.groups = utilities.Groups(session, self.original.table, tables.MASTER, options)
        #: The table of the records that an attacker knows, by their percentage.
        self.knowledge: dict[float, str] = {}
        if attacks is None:
            return
        alphas = sorted({*options.alphas, *partials})
        self.knowledge = tables.load_knowledge(session, self.files, self.original, alphas)
        for index in range(len(guesses)):
            with _with_hint():
                tables.load_guess(session, self.files, index, self.original, f"pws_guess_{index}")

    def describe_original(self) -> Original:
        """Return the facts of the original that the report shows."""
        original = self.original
        return Original(
            original.name,
            original.records - original.incomplete_records,
            original.incomplete_records,
            original.users,
            original.periods,
            cast(Period, self.options.period),
        )

    def describe_settings(self) -> ScoreSettings:
        """Return how releases are scored."""
        options = self.options
        attacked = None
        if self.attacks is not None:
            partials = tuple(
                Partial(alpha, self.files[role].name if (role := partial_role(alpha)) in self.files else None)
                for alpha in self.knowledge
            )
            attacked = SafetySettings(cast(Any, self.attacks), partials, options.item_prefix, options.seed)
        return ScoreSettings(
            cast(Any, options.profile),
            options.top,
            options.most_items,
            self.files["master"].name if self.inputs.master is not None else None,
            tuple(self.groups.left_out) if self.groups is not None else (),
            attacked,
        )

    def measure(self, number: int) -> Submission:
        """Measure one release."""
        session, table = self.session, self.original.table
        with _with_hint():
            surviving = tables.load_release(session, self.files, number, self.original, _RELEASE)
        losses, omitted_users = utilities.measure_losses(session, table, _RELEASE, self.options)
        rules, of_three = self.rules.measure_losses(_RELEASE, listed=self.options.show_values)
        cross_tables, subsets = self.groups.measure_losses(_RELEASE) if self.groups is not None else ((), ())
        rates, guesses = self._rate(number) if self.attacks is not None else ((), ())
        totals = self._score_contest(losses, rates, guesses)
        return Submission(
            name=self.files[f"release_{number}"].name,
            surviving=surviving,
            utility=losses,
            omitted_users=omitted_users,
            further=FurtherLosses(rules, of_three, cross_tables, subsets),
            utl=totals["utl"],
            safety=self._summarize_safety(rates, guesses, totals) if self.attacks is not None else None,
        )

    def _rate(self, number: int) -> tuple[tuple[AttackRates, ...], tuple[GuessRates, ...]]:
        """Run the attacks on the released records; rate them and the guesses."""
        session = self.session
        tables.make_truth(session, self.original, _RELEASE, _TRUTH)
        tables.make_released(session, _RELEASE, _RELEASED)
        names = registry.ATTACKS if self.attacks == "all" else registry.COMMITTEE
        attempts = rating.attack_history(
            session,
            _RELEASED,
            self.knowledge,
            _TRUTH,
            self.original.users_table,
            self.original.periods,
            prefix=self.options.item_prefix,
            original=self.original.table,
            names=names,
        )
        rates = tuple(
            AttackRates(attempt.attack, attempt.alpha, _without_chance(attempt.rates)) for attempt in attempts
        )
        guesses = {n: guess for n, guess in enumerate(self.inputs.guesses) if guess.release == number}
        measured = rating.rate_guesses(
            session,
            _TRUTH,
            [f"pws_guess_{index}" for index in guesses],
            self.original.users_table,
            self.original.periods,
            _RELEASED,
            self.original.table,
        )
        return rates, tuple(
            GuessRates(guess.name, guess.alpha, _without_chance(rated))
            for guess, rated in zip(guesses.values(), measured, strict=True)
        )

    def rank_guessers(self, submissions: Sequence[Submission]) -> tuple[Guesser, ...] | None:
        """Rank the participants who guessed, the best first; None for a single release."""
        guessed = [
            (index, guess)
            for index, submission in enumerate(submissions)
            for guess in (submission.safety.guesses if submission.safety is not None else ())
        ]
        if len(submissions) == 1 or not guessed:
            return None
        names = list(dict.fromkeys(guess.guess for _, guess in guessed))
        rows = self.session.run(
            "guess_league",
            guessers=[names.index(guess.guess) for _, guess in guessed],
            releases=[index for index, _ in guessed],
            rates=[repr(guess.rates.strict) for _, guess in guessed],
        )
        return tuple(
            Guesser(
                names[guesser],
                entries[0]["mean"],
                tuple(GuessedRelease(submissions[row["release"]].name, row["strict"]) for row in entries),
            )
            for guesser, grouped in groupby(rows, key=lambda row: int(row["guesser"]))
            if (entries := list(grouped))
        )

    def _score_contest(
        self, losses: Losses, rates: Sequence[AttackRates], guesses: Sequence[GuessRates]
    ) -> dict[str, Any]:
        """Return UTL, SEC and AVG by the definitions of the contest."""
        names = _list_attacks(rates)
        counted = [
            (alpha, guess.rates.strict)
            for guess in guesses
            for alpha in (self.knowledge if guess.alpha is None else [guess.alpha])
        ]
        return self.session.fetch_row(
            "contest_score",
            losses=[repr(loss) for loss in losses.measured().values()],
            attacks=[names.index(rate.attack) for rate in rates],
            rates=[repr(rate.rates.strict) for rate in rates],
            committee=len(registry.COMMITTEE),
            shares=[repr(alpha) for alpha, _ in counted],
            guesses=[repr(rate) for _, rate in counted],
        )

    def _summarize_safety(
        self, rates: tuple[AttackRates, ...], guesses: tuple[GuessRates, ...], totals: dict[str, Any]
    ) -> Safety:
        return Safety(
            attacks=rates,
            guesses=guesses,
            sec_by_attack=tuple(map(AttackSafety, _list_attacks(rates), totals["attacks"])),
            sec_of_guesses=totals["guesses"],
            sec=totals["sec"],
            sec_all=totals["sec_all"] if self.attacks == "all" else None,
            avg=totals["avg"],
        )


def _list_attacks(rates: Sequence[AttackRates]) -> list[str]:
    """Return the names of the attacks in their order."""
    return list(dict.fromkeys(rate.attack for rate in rates))


def _without_chance(rates: RatesBesideChance) -> Rates:
    return Rates(**{rate.name: getattr(rates, rate.name) for rate in fields(Rates)})
