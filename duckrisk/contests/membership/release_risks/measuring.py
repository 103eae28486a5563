"""Measures three risks of a release: singling out, linkability and inference.

Each is compared with a naive attacker and with a control set, records that the release was not made of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import NormalDist

from duckrisk.base.errors import UsageError
from duckrisk.base.results import Table
from duckrisk.base.sentences import Data, Sentence
from duckrisk.contests.common import run_facts
from duckrisk.contests.membership.options import RiskOptions
from duckrisk.contests.membership.release_risks.guessing import Guessing
from duckrisk.contests.membership.release_risks.results import (
    AttackName,
    AttackRate,
    Closeness,
    ControlRate,
    ResidualRisk,
    RiskAttribute,
    RiskOfAttack,
    Risks,
    RiskSettings,
)
from duckrisk.contests.membership.release_risks.singling_out import SinglingOut
from duckrisk.contests.membership.release_risks.tables import (
    CONTROL,
    ORIGINAL,
    RELEASED,
    Tables,
    Tried,
    load_tables,
)
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.source import Request

#: Version of the report; it rises when a key changes its meaning or goes (tests/report/shapes).
SCHEMA_VERSION = 1
#: Columns of a predicate by default, or all if there are fewer (the default of Anonymeter).
_COMBINED = 3
_ONE_COLUMN = Sentence("membership.skip_reason.one_column")
_GUESSED: tuple[AttackName, ...] = ("linkability", "inference")


def risks(
    original: Request,
    release: Request,
    control: Request | None = None,
    options: RiskOptions | None = None,
    resources: Resources | None = None,
    progress: ProgressCallback | None = None,
) -> Risks:
    """Measure what a release reveals about the records that it was made of.

    Args:
        original: The records that the release was made of.
        release: The release.
        control: Records like the original's that the release was not made of. What attacks find in them is no
            leak.
        options: The risks and how they are measured.
        resources: The limits of the engine.
        progress: Receives the progress.

    Returns:
        The rate of each attack, of its naive attacker and in the control set, and the residual risk.

    Raises:
        UsageError: The tables or the options do not go together.
        SourceError: A table cannot be read, or is empty.
    """
    options = options or RiskOptions()
    options.check()
    requests = {ORIGINAL: original, RELEASED: release}
    requests |= {CONTROL: control} if control is not None else {}
    with Session(resources, progress) as session:
        session.steps.plan("source", "attacks")
        read = load_tables(session, requests, options.attributes)
        session.steps.begin("attacks")
        return _Run(session, read, options).measure()


class _Run:
    """The risks of one release."""

    def __init__(self, session: Session, tables: Tables, options: RiskOptions) -> None:
        self.session, self.tables, self.options = session, tables, options
        self.z = NormalDist().inv_cdf((1 + options.confidence) / 2)
        self.names = [attribute.name for attribute in tables.attributes]
        self.combined = self._count_combined()
        self.left, self.right = self._choose_sides()
        self.secrets, self.known = self._choose_secrets()
        self.neighbours = min(options.neighbours, tables.records[RELEASED])

    # --- what is asked ---------------------------------------------------------------------------

    def _count_combined(self) -> int:
        """Return the number of columns that a predicate combines."""
        asked = self.options.columns
        if asked is not None and asked > len(self.names):
            raise UsageError("membership.more_columns_than_tables_have", asked=asked, count=len(self.names))
        return asked or min(_COMBINED, len(self.names))

    def _choose_sides(self) -> tuple[list[int], list[int]]:
        """Return the attributes of either side of linkability."""
        every = list(range(len(self.names)))
        left = self.tables.find_attributes(self.options.link_left or [])
        right = self.tables.find_attributes(self.options.link_right or [])
        if both := [number for number in left if number in right]:
            raise UsageError("membership.column_on_both_sides", names=self.names[both[0]])
        if not left and not right:
            half = (len(every) + 1) // 2
            return every[:half], every[half:]
        left = left or [number for number in every if number not in right]
        right = right or [number for number in every if number not in left]
        if (not left or not right) and len(every) > 1:
            raise UsageError("membership.link_side_empty")
        return left, right

    def _choose_secrets(self) -> tuple[list[int], list[int]]:
        """Return the secrets of inference and the attributes that are known."""
        every = list(range(len(self.names)))
        known = self.tables.find_attributes(self.options.known) if self.options.known else every
        if self.options.secrets:
            secrets = self.tables.find_attributes(self.options.secrets)
        else:
            secrets = [number for number in every if number not in known] if self.options.known else every
        if len(every) > 1:
            if not secrets:
                raise UsageError("membership.no_secret")
            if known == secrets and len(known) == 1:
                raise UsageError("membership.known_and_secret", names=self.names[known[0]])
        return secrets, known

    # --- the attacks -----------------------------------------------------------------------------

    def measure(self) -> Risks:
        """Make the attacks and return the report."""
        tables = self.tables
        described = {name: Table(tables.names[name], tables.records[name]) for name in tables.names}
        return Risks(
            original=described[ORIGINAL],
            released=described[RELEASED],
            control=described.get(CONTROL),
            attributes=tuple(RiskAttribute(a.name, a.numeric) for a in tables.attributes),
            notes=tuple(self._list_notes()),
            risks=tuple(self._attack_all()),
            diagnostics=self._measure_closeness(),
            settings=self._describe_settings(),
            **run_facts(self.session),
        )

    def _measure_closeness(self) -> tuple[Closeness, ...]:
        """Measure DCR and NNDR, which do not measure privacy."""
        rows = Guessing(self.tables, self.options.attacks, self.options.seed).measure_closeness()
        return tuple(Closeness(**row) for row in rows)

    def _attack_all(self) -> Iterator[RiskOfAttack]:
        options = self.options
        if "singling-out" in options.risks:
            yield from self._single_out()
        guessed: list[AttackName] = [name for name in _GUESSED if name in options.risks]
        if guessed and len(self.names) == 1:
            yield from (self._judge(name, None, None, _ONE_COLUMN) for name in guessed)
        elif guessed:
            guessing = Guessing(self.tables, options.attacks, options.seed)
            if "linkability" in guessed:
                tried = guessing.try_linking(self.left, self.right, self.neighbours)
                yield self._judge("linkability", None, tried)
            if "inference" in guessed:
                attempts = guessing.try_inference(self.secrets, self.known, options.tolerance)
                for number, tried in zip(self.secrets, attempts, strict=True):
                    yield self._judge("inference", self.names[number], tried)

    def _list_notes(self) -> Iterator[Sentence]:
        """List what makes the figures misleading."""
        tables = self.tables
        original = Data(tables.names[ORIGINAL])
        categories = [number for number in range(len(self.names)) if number not in tables.numeric]
        for name in (RELEASED, CONTROL):
            if name not in tables.names or not categories:
                continue
            rows = self.session.run(
                "shared_values",
                original=tables.code_table(ORIGINAL),
                other_records=tables.code_table(name),
                columns=[f"c{number}" for number in categories],
            )
            for row in rows:
                if not row["shared"] and 2 * row["known"] <= tables.records[ORIGINAL]:
                    attribute = Data(self.names[categories[row["number"]]])
                    table = Data(tables.names[name])
                    yield Sentence(
                        "membership.note.values", attribute=attribute, table=table, original=original
                    )
        if CONTROL in tables.names:
            shared = self.session.fetch_row(
                "shared_records",
                original=tables.code_table(ORIGINAL),
                other_records=tables.code_table(CONTROL),
                columns=tables.columns,
            )["shared"]
            if 2 * shared >= tables.records[CONTROL]:
                yield Sentence(
                    "membership.note.records",
                    shared=f"{shared:,}",
                    records=f"{tables.records[CONTROL]:,}",
                    control=Data(tables.names[CONTROL]),
                    original=original,
                )

    def _single_out(self) -> Iterator[RiskOfAttack]:
        attacks = SinglingOut(self.tables, self.options.attacks, self.options.seed)
        none = Sentence("membership.skip_reason.univariate")
        yield self._judge("singling_out_univariate", None, attacks.try_single_conditions(), none)
        if self.combined < 2:
            yield self._judge("singling_out_multivariate", None, None, _ONE_COLUMN)
            return
        none = Sentence("membership.skip_reason.multivariate", columns=str(self.combined))
        yield self._judge(
            "singling_out_multivariate", None, attacks.try_combined_conditions(self.combined), none
        )

    def _judge(
        self, attack: AttackName, secret: str | None, tried: Tried | None, none: Sentence | None = None
    ) -> RiskOfAttack:
        """Return the rates of an attack, the naive one and the control set, and the risk."""
        tried = tried or Tried(0, 0, 0)
        main, naive = (
            self._measure_rate(tried.attacks, tried.successes),
            self._measure_rate(tried.attacks, tried.naive),
        )
        judged = self.session.fetch_row(
            "beats_baseline",
            rate=main.rate,
            error=main.error,
            naive_rate=naive.rate,
            naive_error=naive.error,
        )
        control = risk = None
        if tried.control_attacks is not None and tried.control is not None:
            rate = self._measure_rate(tried.control_attacks, tried.control)
            control = ControlRate(**vars(rate), measured=tried.measured)
            if not judged["void"]:
                residual = self.session.fetch_row(
                    "residual_risk",
                    rate=main.rate,
                    error=main.error,
                    control_rate=control.rate,
                    control_error=control.error,
                )
                risk = ResidualRisk(**residual)
        return RiskOfAttack(
            attack,
            secret,
            self.options.attacks,
            main,
            naive,
            control,
            risk,
            **judged,
            skip_reason=none if not tried.attacks else None,
        )

    def _measure_rate(self, attacks: int, successes: float) -> AttackRate:
        wilson = self.session.fetch_row("attack_rate", successes=float(successes), attacks=attacks, z=self.z)
        return AttackRate(attacks, successes, **wilson)

    def _describe_settings(self) -> RiskSettings:
        def named(places: Sequence[int]) -> tuple[str, ...]:
            return tuple(self.names[number] for number in places)

        options = self.options
        return RiskSettings(
            attacks=options.attacks,
            columns=self.combined,
            link_left=named(self.left),
            link_right=named(self.right),
            neighbours=self.neighbours,
            known=named(self.known),
            secrets=named(self.secrets),
            tolerance=float(options.tolerance),
            confidence=float(options.confidence),
            seed=options.seed,
        )
