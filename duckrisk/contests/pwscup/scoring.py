"""Scores of releases of a history: what they lost, what attacks still find, and both in one number."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import groupby
from os import PathLike
from pathlib import Path
from typing import Any, cast

import duckrisk
from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.results import Environment
from duckrisk.contests.pwscup import attacks as attacking
from duckrisk.contests.pwscup import tables, utilities
from duckrisk.contests.pwscup.files import Files
from duckrisk.contests.pwscup.options import Options, check_alpha, percent
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

#: Which attacks are run: those of the committee, or the stronger ones too.
ATTACKS = ("committee", "all")
_RELEASE, _RELEASED, _TRUTH = "pws_release", "pws_released", "pws_truth"


@dataclass(frozen=True)
class Guess:
    """Somebody's guess: whose it is, the file, the share in percent of the records that it was made from
    (None: it counts for each share), and the place of the release that it is about."""

    name: str
    request: Request
    alpha: float | None = None
    release: int = 0


def guess_named(name: str, request: Request, releases: Sequence[Request]) -> Guess:
    """A guess of NAME, or of NAME@PERCENT where it was made from that share alone; NAME:RELEASE says which
    release it is about, by the name of its file, with or without the ending, or by its number."""
    team, colon, about = name.rpartition(":")
    index = _index(about, releases) if colon and team else None
    if index is None:
        if len(releases) > 1:
            raise UsageError("pwscup.guess_without_release", guess=name)
        team, index = name, 0
    own, at, share = team.rpartition("@")
    alpha = percent(share) if at and own else None
    return Guess(team if alpha is None else own, request, alpha, index)


def _index(about: str, releases: Sequence[Request]) -> int | None:
    """Which of the releases is meant; None for none, and for several of the same name."""
    if about.isdecimal() and 1 <= int(about) <= len(releases):
        return int(about) - 1
    sources = [release.source for release in releases]
    paths = [Path(source) if isinstance(source, (str, PathLike)) else Path() for source in sources]
    meant = [index for index, path in enumerate(paths) if about in (str(path), path.name, path.stem)]
    return meant[0] if len(meant) == 1 else None


@dataclass(frozen=True)
class ScoreInputs:
    """The files of a run: the original, the ``releases``, and what else there is."""

    original: Request
    releases: Sequence[Request]
    master: Request | None = None
    partials: Mapping[float, Request] = field(default_factory=dict)
    guesses: Sequence[Guess] = ()

    def check(self) -> None:
        """Raise UsageError with one sentence for files that do not go together."""
        if not self.releases:
            raise UsageError("pwscup.release_missing")
        taken = set()
        for guess in self.guesses:
            if (guess.name, guess.alpha, guess.release) in taken:
                raise UsageError("pwscup.duplicate_guess", guess=guess.name)
            taken.add((guess.name, guess.alpha, guess.release))
        for alpha in (*self.partials, *(g.alpha for g in self.guesses if g.alpha is not None)):
            check_alpha(alpha)


def score(
    inputs: ScoreInputs,
    options: Options,
    attacks: str = ATTACKS[0],
    resources: Resources | None = None,
    progress: ProgressCallback | None = None,
) -> Score:
    """Score releases. Raises the errors of :mod:`duckrisk.base.errors`."""
    if attacks not in ATTACKS:
        raise UsageError("pwscup.unknown_attacks", attacks=" or ".join(ATTACKS), attacks_2=attacks)
    return _run(inputs, options, attacks, resources, progress)


def utility(
    inputs: ScoreInputs,
    options: Options,
    resources: Resources | None = None,
    progress: ProgressCallback | None = None,
) -> Score:
    """What releases still serve for. Raises the errors of :mod:`duckrisk.base.errors`."""
    return _run(inputs, options, None, resources, progress)


def _run(
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
        submissions = [run.submission(number) for number in numbers]
        ranked = tuple(sorted(submissions, key=lambda submission: submission.total))
        return Score(
            kind="utility" if attacks is None else "score",
            original=run.described(),
            release=submissions[0] if len(submissions) == 1 else None,
            guessers=run.guessers(submissions),
            submissions=ranked if ranked[1:] else None,
            settings=run.settings(),
            environment=Environment(duckrisk.__version__, session.engine_version),
            statements=tuple(session.log),
        )


@contextlib.contextmanager
def _checked() -> Iterator[None]:
    """Let what is refused say where all that is wrong is shown."""
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
        #: Whether there is a file of the records that an attacker holds, by their percentage.
        self.shares = {alpha: alpha in partials for alpha in sorted({*options.alphas, *partials})}
        if attacks is None:
            return
        for index, (alpha, there) in enumerate(self.shares.items()):
            table = f"pws_known_{index}"
            if there:
                tables.load_partial(session, self.files, alpha, self.original, table)
            else:
                tables.draw_partial(session, self.original, alpha, options.seed, options.item_prefix, table)
        for index in range(len(guesses)):
            with _checked():
                tables.load_guess(session, self.files, index, self.original, f"pws_guess_{index}")

    def described(self) -> Original:
        """The original as a report tells of it."""
        original = self.original
        return Original(
            original.name,
            original.records - original.left_out,
            original.left_out,
            original.users,
            original.periods,
            cast(Period, self.options.period),
        )

    def settings(self) -> ScoreSettings:
        """How it is scored."""
        options = self.options
        attacked = None
        if self.attacks is not None:
            partials = tuple(
                Partial(alpha, self.files[f"partial_{alpha}"].name if there else None)
                for alpha, there in self.shares.items()
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

    def submission(self, number: int) -> Submission:
        """What is measured of one release."""
        session, table = self.session, self.original.table
        with _checked():
            release = tables.load_release(session, self.files, number, self.original, _RELEASE)
        losses, users_left_out = utilities.losses(session, table, _RELEASE, self.options)
        rules, of_three = self.rules.losses(_RELEASE, listed=self.options.show_values)
        cross_tables, subsets = self.groups.losses(_RELEASE) if self.groups is not None else ((), ())
        rates, guesses = self._rates(number) if self.attacks is not None else ((), ())
        totals = self._totals(losses, rates, guesses)
        return Submission(
            name=release.name,
            surviving=release.surviving,
            utility=losses,
            users_left_out=users_left_out,
            further=FurtherLosses(rules, of_three, cross_tables, subsets),
            utl=totals["utl"],
            safety=self._safety(rates, guesses, totals) if self.attacks is not None else None,
        )

    def _rates(self, number: int) -> tuple[tuple[AttackRates, ...], tuple[GuessRates, ...]]:
        """The rates of all attacks and guesses; what is released is attacked in the order of the original."""
        session = self.session
        tables.truth(session, self.original, _RELEASE, _TRUTH)
        tables.release_of(session, _RELEASE, _RELEASED)
        names = attacking.ATTACKS if self.attacks == "all" else attacking.COMMITTEE
        attempts = attacking.attack_history(
            session,
            _RELEASED,
            {alpha: f"pws_known_{index}" for index, alpha in enumerate(self.shares)},
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
        measured = attacking.rates(
            session,
            _TRUTH,
            [f"pws_guess_{index}" for index in guesses],
            self.original.users_table,
            self.original.periods,
            _RELEASED,
            self.original.table,
        )
        return rates, tuple(
            GuessRates(guess.name, guess.alpha, _without_chance(found))
            for guess, found in zip(guesses.values(), measured, strict=True)
        )

    def guessers(self, submissions: Sequence[Submission]) -> tuple[Guesser, ...] | None:
        """The league of those who guessed, the best first; None where there is a single release."""
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
                of_one[0]["mean"],
                tuple(GuessedRelease(submissions[row["release"]].name, row["strict"]) for row in of_one),
            )
            for guesser, grouped in groupby(rows, key=lambda row: int(row["guesser"]))
            if (of_one := list(grouped))
        )

    def _totals(
        self, losses: Losses, rates: Sequence[AttackRates], guesses: Sequence[GuessRates]
    ) -> dict[str, Any]:
        """UTL, SEC and AVG, as the contest has them."""
        names = _names(rates)
        counted = [
            (alpha, guess.rates.strict)
            for guess in guesses
            for alpha in (self.shares if guess.alpha is None else [guess.alpha])
        ]
        return self.session.fetch_row(
            "contest_score",
            losses=[repr(loss) for loss in losses.measured().values()],
            attacks=[names.index(rate.attack) for rate in rates],
            rates=[repr(rate.rates.strict) for rate in rates],
            committee=len(attacking.COMMITTEE),
            shares=[repr(alpha) for alpha, _ in counted],
            guesses=[repr(rate) for _, rate in counted],
        )

    def _safety(
        self, rates: tuple[AttackRates, ...], guesses: tuple[GuessRates, ...], totals: dict[str, Any]
    ) -> Safety:
        return Safety(
            attacks=rates,
            guesses=guesses,
            sec_by_attack=tuple(map(AttackSafety, _names(rates), totals["attacks"])),
            sec_of_guesses=totals["guesses"],
            sec=totals["sec"],
            sec_all=totals["sec_all"] if self.attacks == "all" else None,
            avg=totals["avg"],
        )


def _names(rates: Sequence[AttackRates]) -> list[str]:
    """The names of the attacks, each once, in their order."""
    return list(dict.fromkeys(rate.attack for rate in rates))


def _without_chance(rates: RatesBesideChance) -> Rates:
    return Rates(**{rate.name: getattr(rates, rate.name) for rate in fields(Rates)})
