"""Attacks on one release from files: what they link, and how much of it is right where the truth is known."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import duckrisk
from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.results import Environment
from duckrisk.contests.pwscup import attacks, tables, violations, writing
from duckrisk.contests.pwscup.attacks import ATTACKS
from duckrisk.contests.pwscup.files import Files
from duckrisk.contests.pwscup.options import Options, check_alpha
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

#: So many links are shown where values may be.
MOST_LINKS = 10
_HISTORY, _RELEASE, _RELEASED, _TRUTH = "pws_parsed", "pws_release", "pws_released", "pws_truth"
_GUESS = "pws_found"


@dataclass(frozen=True)
class AttackInputs:
    """What an attack is tried on: the ``release``, and the ``original``, the ``partials`` or the records that
    are ``known``.

    An attacker holds ``partials``, by their percentage, or with an original shares that are drawn. The
    release is aligned with the original unless there is the ``truth``, a table of pseudonyms as
    ``duckrisk pwscup pseudonyms`` writes it. ``pseudonym`` names the column of pseudonyms where it is not
    that of users. ``names`` are the attacks, and ``guess`` the file that one guess is written to.
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
        """Raise UsageError with one sentence for what does not go together."""
        for name in self.names:
            attacks.check_attack(name)
        for alpha in self.partials:
            check_alpha(alpha)
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
        """All files that are read."""
        requests = (self.release, self.original, self.known, self.master, self.truth, *self.partials.values())
        return [request for request in requests if request is not None]


def run(
    inputs: AttackInputs,
    options: Options,
    resources: Resources | None = None,
    progress: ProgressCallback | None = None,
) -> Attacks:
    """Run the attacks. Raises the errors of :mod:`duckrisk.base.errors`."""
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
        return run.report()


class _Run:
    """The attacks of one session."""

    def __init__(
        self, session: Session, inputs: AttackInputs, options: Options, guess_file: Path | None
    ) -> None:
        self.session, self.inputs, self.options, self.guess_file = session, inputs, options, guess_file
        #: Both sides are read as the same columns, but the person.
        self.pseudonymous = options
        if options.layout is not None and inputs.pseudonym is not None:
            layout = dataclasses.replace(options.layout, user=inputs.pseudonym)
            self.pseudonymous = dataclasses.replace(options, layout=layout)
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
            self.original = self._with_original()
        else:
            self.original = self._without_original()

    # --- reading ---------------------------------------------------------------------------

    def _with_original(self) -> tables.Original:
        """The original, what the attacker holds of it, and the release, aligned or with its truth."""
        session, inputs = self.session, self.inputs
        original = tables.load_history(session, self.files)
        partials = {100: inputs.known} if inputs.known is not None else inputs.partials
        shares = {*partials} if inputs.known is not None else {*self.options.alphas, *partials}
        for index, alpha in enumerate(sorted(shares)):
            table = f"pws_known_{index}"
            self.knowledge[alpha if inputs.known is None else None] = table
            if alpha in partials:
                tables.load_partial(session, self.files, alpha, original, table)
            else:
                options = self.options
                tables.draw_partial(session, original, alpha, options.seed, options.item_prefix, table)
        if inputs.truth is None:
            self.files.options = self.pseudonymous
            try:
                tables.load_release(session, self.files, 0, original, _RELEASE)
            except SourceError as error:
                why = str(error).rstrip(".")
                if inputs.known is not None:
                    raise SourceError("pwscup.release_not_aligned_without_truth", rstrip=why) from None
                raise SourceError("pwscup.release_not_aligned", rstrip=why) from None
            self.files.options = self.options
            tables.truth(session, original, _RELEASE, _TRUTH)
            tables.release_of(session, _RELEASE, _RELEASED)
        else:
            self._unaligned(original)
            tables.load_guess(session, self.files, 0, original, _TRUTH)
        return original

    def _unaligned(self, original: tables.Original) -> None:
        """The release as the table of released records, in an order of its own."""
        self._read("release_0", self.pseudonymous)
        tables.standard(self.session, _HISTORY, original.unit, None)
        self.session.run(
            "surviving_records", name=_RELEASED, source=identifier(_HISTORY), pseudonym="user_id"
        )

    def _read(self, role: str, options: Options) -> Any:
        """Read a file as it is written; returns where its periods begin."""
        session = self.session
        violations.begin(session)
        tables.read_cells(session, self.files, role, options, needed=False)
        tables.refuse_cells(session, self.files[role])
        row = tables.first_period(session, options)
        if row["first_day"] is None:
            raise SourceError("pwscup.no_complete_record", name=self.files[role].name)
        return row["first_day"]

    def _without_original(self) -> tables.Original:
        """Known records and a release, whose periods are counted from the first of either."""
        session, options = self.session, self.options
        alphas = [None] if self.inputs.known is not None else sorted(self.inputs.partials)
        roles = {alpha: self._role(alpha) for alpha in alphas}
        first = self._read("release_0", self.pseudonymous)
        tables.keep_start(session, self.pseudonymous)
        for role in roles.values():
            first = min(first, self._read(role, options))
            tables.keep_start(session, options, adds=True)
        records = 0
        for index, (alpha, role) in enumerate(roles.items()):
            table = self.knowledge[alpha] = f"pws_known_{index}"
            self._read(role, options)
            records += tables.size(session, tables.CELLS)
            tables.standard(session, table, options.period, options.item_prefix)
        session.run("every_known", name=tables.ORIGINAL, tables=list(self.knowledge.values()))
        if self.inputs.master is not None:
            tables.load_master(session, self.files)
        everybody = tables.MASTER if self.inputs.master is not None else tables.ORIGINAL
        session.run("make_users", name=tables.USERS, source=identifier(everybody))
        original = tables.Original(
            name=self.files[roles[alphas[0]]].name,
            records=records,
            left_out=records - tables.size(session, tables.ORIGINAL),
            users=0,
            periods=0,
            first=first,
            order=render("user_order", numeric=0),
            unit=options.period,
        )
        self._unaligned(original)
        history = identifier(tables.ORIGINAL)
        counted = session.fetch_row("count_periods", known=history, released=identifier(_RELEASED))["periods"]
        if options.layout is None:
            counted = tables.periods_of_a_year(self.files["release_0"], counted)
        original = self._counted(dataclasses.replace(original, periods=counted))
        if self.inputs.truth is None:
            return original
        # The truth says who all users are.
        tables.examine_guess(session, self.files, 0, original)
        session.run("make_users", name=tables.USERS, source=identifier(tables.CELLS))
        original = self._counted(original)
        tables.load_guess(session, self.files, 0, original, _TRUTH)
        return original

    def _counted(self, original: tables.Original) -> tables.Original:
        counted = self.session.fetch_row("count_users", users=identifier(tables.USERS))
        order = render("user_order", numeric=counted["numeric"])
        return dataclasses.replace(original, users=counted["users"], order=order)

    # --- attacking -------------------------------------------------------------------------

    def report(self) -> Attacks:
        """What all attacks found."""
        session, inputs, options = self.session, self.inputs, self.options
        if self.guess_file is not None:
            writing.check_cells(self.original)
        attempts = tuple(self._attack(name, alpha) for name in inputs.names for alpha in self.knowledge)
        if self.guess_file is not None:
            assert inputs.guess is not None
            path = inputs.guess.path
            writing.write_cells(session, self.original, _GUESS, path, self.guess_file, options.layout)
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
                    self.files[role].name if (role := self._role(alpha)) in self.files else None,
                    tables.size(session, table),
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
            environment=Environment(duckrisk.__version__, session.engine_version),
            statements=tuple(session.log),
        )

    def _role(self, alpha: float | None) -> str:
        return f"partial_{100 if alpha is None else alpha}"

    def _attack(self, name: str, alpha: float | None) -> Attack:
        """What one attack with one share finds."""
        session, inputs = self.session, self.inputs
        attacks.attack(
            session, name, _RELEASED, self.knowledge[alpha], prefix=self.options.item_prefix, table=_GUESS
        )
        guess, released = identifier(_GUESS), identifier(_RELEASED)
        counts = session.fetch_row("attack_links", guess=guess, released=released)
        rates = None
        if inputs.truth is not None or inputs.original is not None:
            (rates,) = attacks.rates(
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
            rows = session.run("first_links", guess=guess, most=MOST_LINKS)
            links = tuple(Link(**row) for row in rows)
        return Attack(attack=name, alpha=alpha, **counts, rates=rates, links=links)
