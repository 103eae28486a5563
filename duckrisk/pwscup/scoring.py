"""Scores of releases of a history: what they lost, what attacks still find, and both in one number."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckrisk
from duckrisk.errors import SourceError, UsageError
from duckrisk.pwscup import attacks as attacking
from duckrisk.pwscup import tables, utilities
from duckrisk.pwscup.options import Options, check_alpha
from duckrisk.report.pwscup.score import Score
from duckrisk.session import Resources, Session
from duckrisk.source import Request

#: Raised whenever a key of the report changes its meaning or goes away.
SCHEMA_VERSION = 1
#: Which attacks are run: those of the committee, or the stronger ones too.
ATTACKS = ("committee", "all")
_RELEASE, _RELEASED, _TRUTH = "pws_release", "pws_released", "pws_truth"


@dataclass(frozen=True)
class Guess:
    """Somebody's guess: whose it is, the file, and the share in percent of the records that it was made from
    (None: it counts for each share)."""

    name: str
    request: Request
    alpha: float | None = None


@dataclass(frozen=True)
class Given:
    """The files of a run: the original, the ``releases``, and what else there is."""

    original: Request
    releases: Sequence[Request]
    master: Request | None = None
    partials: Mapping[float, Request] = field(default_factory=dict)
    guesses: Sequence[Guess] = ()

    def check(self) -> None:
        """Raise UsageError with one sentence for files that do not go together."""
        if not self.releases:
            raise UsageError("Name the original and at least one release of it.")
        if self.guesses and len(self.releases) > 1:
            raise UsageError(
                "A guess is about the pseudonyms of one release; name one release, or leave the guesses out."
            )
        taken = set()
        for guess in self.guesses:
            if (guess.name, guess.alpha) in taken:
                raise UsageError(f'The guess "{guess.name}" is given twice; give each a name of its own.')
            taken.add((guess.name, guess.alpha))
        for alpha in (*self.partials, *(g.alpha for g in self.guesses if g.alpha is not None)):
            check_alpha(alpha)


def score(
    given: Given,
    options: Options,
    attacks: str = ATTACKS[0],
    resources: Resources | None = None,
    watch: Callable[[str, float | None], None] | None = None,
) -> Score:
    """Score releases. Raises the errors of :mod:`duckrisk.errors`."""
    if attacks not in ATTACKS:
        raise UsageError(f'The attacks are {" or ".join(ATTACKS)}, not "{attacks}".')
    return _run(given, options, attacks, resources, watch)


def utility(
    given: Given,
    options: Options,
    resources: Resources | None = None,
    watch: Callable[[str, float | None], None] | None = None,
) -> Score:
    """What releases still serve for. Raises the errors of :mod:`duckrisk.errors`."""
    return _run(given, options, None, resources, watch)


def _run(
    given: Given,
    options: Options,
    attacks: str | None,
    resources: Resources | None,
    watch: Callable[[str, float | None], None] | None,
) -> Score:
    given.check()
    options.check()
    with Session(resources, watch) as session:
        run = _Run(session, given, options, attacks)
        entries = [run.entry(number) for number in range(len(given.releases))]
        statements = tuple(session.log)
        engine = session.engine_version
    original = run.original
    data: dict[str, Any] = {
        "version": SCHEMA_VERSION,
        "kind": "utility" if attacks is None else "score",
        "original": {
            "name": original.name,
            "records": original.records - original.left_out,
            "left_out": original.left_out,
            "users": original.users,
            "periods": original.periods,
            "period": options.period,
        },
    }
    if len(entries) == 1:
        data |= entries[0]
    else:
        data["submissions"] = sorted(entries, key=lambda entry: entry["utl" if attacks is None else "avg"])
    data["settings"] = {
        "profile": options.profile,
        "top": options.top,
        "most_items": options.most_items,
        "master": run.opened["master"].name if given.master is not None else None,
        "attributes_left_out": run.groups.left_out if run.groups is not None else [],
    }
    if attacks is not None:
        data["settings"] |= {
            "attacks": attacks,
            "partials": [
                {"alpha": alpha, "file": run.opened[f"partial_{alpha}"].name if drawn else None}
                for alpha, drawn in run.shares.items()
            ],
            "item_prefix": options.item_prefix,
            "seed": options.seed,
        }
    data["environment"] = {"duckrisk": duckrisk.__version__, "duckdb": engine}
    return Score(data, statements)


@contextlib.contextmanager
def _checked() -> Iterator[None]:
    """Let what is refused say where all that is wrong is shown."""
    try:
        yield
    except SourceError as error:
        raise SourceError(f"{str(error).rstrip('.')}; `duckrisk pwscup check` shows all.") from None


class _Run:
    """The measures of one session over all releases."""

    def __init__(self, session: Session, given: Given, options: Options, attacks: str | None) -> None:
        self.session, self.given, self.options, self.attacks = session, given, options, attacks
        guesses = given.guesses if attacks is not None else ()
        partials = given.partials if attacks is not None else {}
        self.opened = tables.Files(
            session,
            options,
            given.original,
            given.master,
            given.releases,
            partials,
            [guess.request for guess in guesses],
        )
        self.original = tables.load_history(session, self.opened)
        self.groups: utilities.Groups | None = None
        if given.master is not None:
            self.groups = utilities.Groups(session, self.original.table, tables.MASTER, options)
        #: Whether there is a file of the records that an attacker holds, by their percentage.
        self.shares = {alpha: alpha in partials for alpha in sorted({*options.alphas, *partials})}
        if attacks is None:
            return
        for place, (alpha, there) in enumerate(self.shares.items()):
            table = f"pws_known_{place}"
            if there:
                tables.load_partial(session, self.opened, alpha, self.original, table)
            else:
                tables.draw_partial(session, self.original, alpha, options.seed, options.item_prefix, table)
        for place in range(len(guesses)):
            with _checked():
                tables.load_guess(session, self.opened, place, self.original, f"pws_guess_{place}")

    def entry(self, number: int) -> dict[str, Any]:
        """What is measured of one release."""
        session, table = self.session, self.original.table
        with _checked():
            release = tables.load_release(session, self.opened, number, self.original, _RELEASE)
        found, left_out = utilities.losses(session, table, _RELEASE, self.options)
        made: dict[str, Any] = {
            "name": release.name,
            "surviving": release.surviving,
            "utility": found,
            "users_left_out": left_out,
            "further": {
                "association_rules": utilities.rules_loss(session, table, _RELEASE),
                **(self.groups.losses(_RELEASE) if self.groups is not None else utilities.NO_GROUPS),
            },
        }
        if self.attacks is not None:
            made |= self._safety()
        return made | self._totals(made)

    def _safety(self) -> dict[str, Any]:
        """The rates of all attacks and guesses; what is released is attacked in the order of the original."""
        session = self.session
        tables.truth(session, self.original, _RELEASE, _TRUTH)
        tables.release_of(session, _RELEASE, _RELEASED)
        names = attacking.ATTACKS if self.attacks == "all" else attacking.COMMITTEE
        rates = attacking.attack_history(
            session,
            _RELEASED,
            {alpha: f"pws_known_{place}" for place, alpha in enumerate(self.shares)},
            _TRUTH,
            self.original.users_table,
            self.original.periods,
            prefix=self.options.item_prefix,
            original=self.original.table,
            names=names,
        )
        guesses = [
            {"guess": guess.name, "alpha": guess.alpha, **self._rates(f"pws_guess_{place}")}
            for place, guess in enumerate(self.given.guesses)
        ]
        return {
            "attacks": [{name: one[name] for name in ("attack", "alpha", *attacking.RATES)} for one in rates],
            "guesses": guesses,
        }

    def _rates(self, guess: str) -> dict[str, Any]:
        found = attacking.rates(
            self.session,
            _TRUTH,
            guess,
            self.original.users_table,
            self.original.periods,
            _RELEASED,
            self.original.table,
        )
        return {name: found[name] for name in attacking.RATES}

    def _totals(self, made: dict[str, Any]) -> dict[str, Any]:
        """UTL, and with attacks SEC and AVG."""
        rates, guesses = made.get("attacks", []), made.get("guesses", [])
        names = list(dict.fromkeys(one["attack"] for one in rates))
        counted = [
            (alpha, one["strict"])
            for one in guesses
            for alpha in (self.shares if one["alpha"] is None else [one["alpha"]])
        ]
        row = self.session.row(
            "contest_score",
            losses=[repr(loss) for loss in made["utility"].values() if loss is not None],
            attacks=[names.index(one["attack"]) for one in rates],
            rates=[repr(one["strict"]) for one in rates],
            committee=len(attacking.COMMITTEE),
            shares=[repr(alpha) for alpha, _ in counted],
            guesses=[repr(rate) for _, rate in counted],
        )
        if self.attacks is None:
            return {"utl": row["utl"]}
        return {
            "sec_by_attack": [
                {"attack": name, "sec": rate} for name, rate in zip(names, row["attacks"], strict=True)
            ],
            "sec_of_guesses": row["guesses"],
            "utl": row["utl"],
            "sec": row["sec"],
            "sec_all": row["sec_all"] if self.attacks == "all" else None,
            "avg": row["avg"],
        }
