"""Attacks on one release from files: what they link, and how much is right if the truth is known."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.contests.common import count_rows, run_facts
from duckrisk.contests.pwscup import tables, violations, writing
from duckrisk.contests.pwscup.attacks import ATTACKS, find_attack, link_users
from duckrisk.contests.pwscup.files import Files, partial_role
from duckrisk.contests.pwscup.options import KnownShare, Options
from duckrisk.contests.pwscup.rating import rate_guesses
from duckrisk.contests.pwscup.results import (
    Attack,
    AttackedRelease,
    Attacks,
    AttackSettings,
    Knowledge,
    Link,
    Period,
)
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import identifier, render
from duckrisk.release.anonymization.output import Target
from duckrisk.source import Request

#: Links; this many are listed if values are shown (a choice: they fit on one screen).
MAX_LINKS = 10
_HISTORY, _RELEASE, _RELEASED, _TRUTH = "pws_parsed", "pws_release", "pws_released", "pws_truth"
_GUESS = "pws_found"


@dataclass(frozen=True)
class AttackInputs:
    """The files of an attack, and the attacks to run.

    Attributes:
        release: The release. It is aligned with the original unless there is the `truth`.
        original: The history; None for a team, which has none.
        known: Records of persons that the attacker knows.
        master: The master table, which lists all users.
        partials: What attackers know, by its percentage of the original.
        truth: The table of true pseudonyms, as ``duckrisk pwscup pseudonyms`` writes it.
        pseudonym: The column of pseudonyms, if its name is not that of users.
        names: The attacks to run.
        guess: The file that the guess of one attack is written to.
    """

    release: Request
    original: Request | None = None
    known: Request | None = None
    master: Request | None = None
    partials: Mapping[float, Request] = field(default_factory=dict)
    truth: Request | None = None
    pseudonym: str | None = None
    names: Sequence[str] = ATTACKS
    guess: Target | None = None

    def check(self, options: Options) -> None:
        """Refuse files and names that do not go together.

        Raises:
            UsageError: The first fault.
        """
        for name in self.names:
            find_attack(name)
        for alpha in self.partials:
            KnownShare(alpha).check()
        if self.pseudonym is not None and options.layout is None:
            raise UsageError("pwscup.pseudonyms_without_names")
        if self.original is None and self.known is None:
            if not self.partials:
                raise UsageError("pwscup.original_missing")
            if missing := [alpha for alpha in options.alphas if alpha not in self.partials]:
                raise UsageError("pwscup.share_without_original", alpha=f"{missing[0]:g}")
        shares = 1 if self.known is not None else len({*options.alphas, *self.partials})
        if self.guess is not None and len(self.names) * shares != 1:
            raise UsageError("pwscup.several_guesses_for_one_file")

    @property
    def requests(self) -> list[Request]:
        """The files that are read."""
        requests = (self.release, self.original, self.known, self.master, self.truth, *self.partials.values())
        return [request for request in requests if request is not None]


def run(
    inputs: AttackInputs,
    options: Options,
    resources: Resources | None = None,
    progress: ProgressCallback | None = None,
) -> Attacks:
    """Run attacks on a release.

    Args:
        inputs: The files and the attacks.
        options: The layout of the files, the shares that attackers know, and what the report shows.
        resources: The limits of the engine.
        progress: Receives the progress.

    Returns:
        What each attack links, and how much of it is right if the truth is known.

    Raises:
        UsageError: The inputs or the options do not go together.
        SourceError: A file cannot be used.
        OutputError: The guess cannot be written.
    """
    inputs.check(options)
    options.check()
    with contextlib.ExitStack() as stack:
        guess_file = None
        if inputs.guess is not None:
            guess_file = stack.enter_context(
                writing.open_target(inputs.guess, inputs.requests, options.layout, private=True)
            )
        session = stack.enter_context(Session(resources, progress))
        session.steps.plan("source", "attacks")
        run = _Run(session, inputs, options, guess_file)
        session.steps.begin("attacks")
        return run.attack_all()


class _Run:
    """The attacks of one session."""

    def __init__(
        self, session: Session, inputs: AttackInputs, options: Options, guess_file: Path | None
    ) -> None:
        self.session, self.inputs, self.options, self.guess_file = session, inputs, options, guess_file
        #: The layout of the release, which differs from that of the original in the column of the person.
        self.release_options = options
        if options.layout is not None and inputs.pseudonym is not None:
            layout = dataclasses.replace(options.layout, user=inputs.pseudonym)
            self.release_options = dataclasses.replace(options, layout=layout)
        self.files = Files(
            session,
            options,
            inputs.original,
            inputs.master,
            [inputs.release],
            inputs.partials if inputs.known is None else {100: inputs.known},
            [inputs.truth] if inputs.truth is not None else [],
            [guess_file] if guess_file is not None else [],
        )
        self.knowledge: dict[float | None, str] = {}
        if inputs.original is not None:
            self.original = self._read_with_original()
        else:
            self.original = self._read_without_original()

    # --- reading ---------------------------------------------------------------------------

    def _read_with_original(self) -> tables.Original:
        """Read the original, what attackers know of it, and the release."""
        session, inputs = self.session, self.inputs
        original = tables.load_history(session, self.files)
        if inputs.known is not None:
            self.knowledge = {None: tables.load_knowledge(session, self.files, original, [100])[100]}
        else:
            alphas = sorted({*self.options.alphas, *inputs.partials})
            self.knowledge.update(tables.load_knowledge(session, self.files, original, alphas).items())
        if inputs.truth is None:
            self._read_aligned(original)
        else:
            self._read_unaligned(original)
            tables.load_guess(session, self.files, 0, original, _TRUTH)
        return original

    def _read_aligned(self, original: tables.Original) -> None:
        """Read the release by the lines of the original, which also give the truth."""
        session = self.session
        self.files.options = self.release_options
        try:
            tables.load_release(session, self.files, 0, original, _RELEASE)
        except SourceError as error:
            why = str(error).rstrip(".")
            if self.inputs.known is not None:
                raise SourceError("pwscup.release_not_aligned_without_truth", rstrip=why) from None
            raise SourceError("pwscup.release_not_aligned", rstrip=why) from None
        self.files.options = self.options
        tables.make_truth(session, original, _RELEASE, _TRUTH)
        tables.make_released(session, _RELEASE, _RELEASED)

    def _read_unaligned(self, original: tables.Original) -> None:
        """Read the release in its own order as the table of released records."""
        self._read_cells("release_0", self.release_options)
        tables.make_standard_history(self.session, _HISTORY, original.unit, None)
        self.session.run(
            "surviving_records", name=_RELEASED, source=identifier(_HISTORY), pseudonym="user_id"
        )

    def _read_cells(self, role: str, options: Options) -> Any:
        """Read a file as it is written; return the first day of its first period."""
        session = self.session
        violations.clear(session)
        tables.read_cells(session, self.files, role, options, needed=False)
        tables.refuse_bad_cells(session, self.files[role])
        row = tables.find_first_period(session, options)
        if row["first_day"] is None:
            raise SourceError("pwscup.no_complete_record", name=self.files[role].name)
        return row["first_day"]

    def _read_without_original(self) -> tables.Original:
        """Read known records and a release; the earliest day begins the first period."""
        session, options = self.session, self.options
        alphas = [None] if self.inputs.known is not None else sorted(self.inputs.partials)
        roles = {alpha: _role_of(alpha) for alpha in alphas}
        first = self._read_cells("release_0", self.release_options)
        tables.keep_start(session, self.release_options)
        for role in roles.values():
            first = min(first, self._read_cells(role, options))
            tables.keep_start(session, options, adds=True)
        records = 0
        for index, (alpha, role) in enumerate(roles.items()):
            table = self.knowledge[alpha] = f"pws_known_{index}"
            self._read_cells(role, options)
            records += count_rows(session, tables.CELLS)
            tables.make_standard_history(session, table, options.period, options.item_prefix)
        session.run("every_known", name=tables.ORIGINAL, tables=list(self.knowledge.values()))
        if self.inputs.master is not None:
            tables.load_master(session, self.files)
        everybody = tables.MASTER if self.inputs.master is not None else tables.ORIGINAL
        session.run("make_users", name=tables.USERS, source=identifier(everybody))
        original = tables.Original(
            name=self.files[roles[alphas[0]]].name,
            records=records,
            incomplete_records=records - count_rows(session, tables.ORIGINAL),
            users=0,
            periods=0,
            first=first,
            order=render("user_order", numeric=False),
            unit=options.period,
        )
        self._read_unaligned(original)
        history = identifier(tables.ORIGINAL)
        counted = session.fetch_row("count_periods", known_records=history, released=identifier(_RELEASED))[
            "periods"
        ]
        if options.layout is None:
            counted = tables.count_contest_periods(self.files["release_0"], counted)
        original = self._with_users(dataclasses.replace(original, periods=counted))
        if self.inputs.truth is None:
            return original
        # The truth lists all users.
        tables.note_guess_violations(session, self.files, 0, original)
        session.run("make_users", name=tables.USERS, source=identifier(tables.CELLS))
        original = self._with_users(original)
        tables.load_guess(session, self.files, 0, original, _TRUTH)
        return original

    def _with_users(self, original: tables.Original) -> tables.Original:
        """Return the original with the number and the order of the users."""
        counted = self.session.fetch_row("count_users", users=identifier(tables.USERS))
        order = render("user_order", numeric=bool(counted["numeric"]))
        return dataclasses.replace(original, users=counted["users"], order=order)

    # --- attacking -------------------------------------------------------------------------

    def attack_all(self) -> Attacks:
        """Run every attack with every share, write the guess, and return the report."""
        session, inputs, options = self.session, self.inputs, self.options
        if self.guess_file is not None:
            writing.check_width(self.original)
        attempts = tuple(self._attack(name, alpha) for name in inputs.names for alpha in self.knowledge)
        if self.guess_file is not None:
            assert inputs.guess is not None
            path = inputs.guess.path
            writing.write_pseudonyms(session, self.original, _GUESS, path, self.guess_file, options.layout)
        released = session.fetch_row("count_linkable", released=identifier(_RELEASED))
        return Attacks(
            release=AttackedRelease(name=self.files["release_0"].name, **released),
            original=self.files["original"].name if inputs.original is not None else None,
            users=self.original.users,
            periods=self.original.periods,
            period=cast(Period, options.period),
            known=tuple(
                Knowledge(
                    alpha,
                    self.files[role].name if (role := _role_of(alpha)) in self.files else None,
                    count_rows(session, table),
                )
                for alpha, table in self.knowledge.items()
            ),
            attacks=attempts,
            settings=AttackSettings(
                truth=self.files["guess_0"].name if inputs.truth is not None else None,
                item_prefix=options.item_prefix,
                seed=options.seed,
                show_values=options.show_values,
            ),
            **run_facts(session),
        )

    def _attack(self, name: str, alpha: float | None) -> Attack:
        """Run one attack with one share."""
        session, inputs = self.session, self.inputs
        known, prefix = self.knowledge[alpha], self.options.item_prefix
        link_users(session, name, _RELEASED, known, prefix=prefix, table=_GUESS)
        guess, released = identifier(_GUESS), identifier(_RELEASED)
        counts = session.fetch_row("attack_links", guess=guess, released=released)
        rates = None
        if inputs.truth is not None or inputs.original is not None:
            (rates,) = rate_guesses(
                session,
                _TRUTH,
                [_GUESS],
                self.original.users_table,
                self.original.periods,
                _RELEASED,
                self.original.table if inputs.truth is None else None,
            )
        links = None
        if self.options.show_values:
            rows = session.run("first_links", guess=guess, max_links=MAX_LINKS)
            links = tuple(Link(**row) for row in rows)
        return Attack(attack=name, alpha=alpha, **counts, rates=rates, links=links)


def _role_of(alpha: float | None) -> str:
    """Return the role of what an attacker knows; None, for known records, is 100 %."""
    return partial_role(100 if alpha is None else alpha)
