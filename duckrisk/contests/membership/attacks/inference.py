"""Runs the attacks that guess whose records a release was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckrisk
from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.files import atomic_write, check_target, refuse_overwriting
from duckrisk.contests.common import format_without_header
from duckrisk.contests.membership.attacks import classifier
from duckrisk.contests.membership.attacks.candidates import (
    MEMBERS,
    OTHER_RELEASE,
    POPULATION,
    REFERENCE,
    RELEASED,
    TRUE_MEMBERS,
    Candidates,
)
from duckrisk.contests.membership.attacks.registry import EXPERIMENT, REGISTRY
from duckrisk.contests.membership.attacks.registry import Attack as RegisteredAttack
from duckrisk.contests.membership.attacks.results import Attack, Attacks, Receiver
from duckrisk.contests.membership.attacks.scoring import CONFIDENCE, judge_guesses, measure_roc
from duckrisk.contests.membership.exposure import EXPOSED, Exposures
from duckrisk.contests.membership.options import AttackOptions
from duckrisk.contests.membership.records import Encoding, load
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import Sql, identifier
from duckrisk.source import Request, refuse_overwriting_source

Progress = ProgressCallback | None

#: Version of the report; it rises when a key changes its meaning or goes (tests/report/shapes).
SCHEMA_VERSION = 1
_CSV = {"guess": format_without_header(), "scores": Sql("FORMAT csv, HEADER")}


@dataclass(frozen=True)
class Outputs:
    """The files that are written of one attack.

    Attributes:
        guess: The places of its guesses in the population from 0, one a line.
        scores: The score and the place in the ranking of every candidate.
        overwrite: Whether existing files are replaced.
    """

    guess: Path | None = None
    scores: Path | None = None
    overwrite: bool = False

    @property
    def paths(self) -> dict[str, Path]:
        """The paths of the files that are written, by content."""
        named = {"guess": self.guess, "scores": self.scores}
        return {name: path for name, path in named.items() if path is not None}

    def check(self, requests: Sequence[Request], attacks: int) -> None:
        """Refuse files before anything runs.

        Args:
            requests: The sources of the run, which must not be overwritten.
            attacks: The number of attacks.

        Raises:
            UsageError: The files do not go together or overwrite a source.
            OutputError: A file cannot be written.
        """
        if self.paths and attacks != 1:
            raise UsageError("membership.attack_to_write_missing")
        if self.guess is not None and self.guess == self.scores:
            raise UsageError("membership.guess_and_scores_in_one_file")
        for path in self.paths.values():
            check_target(path)
            for request in requests:
                refuse_overwriting_source(path, request)
            refuse_overwriting(path, self.overwrite)
            if path.suffix.lower() != ".csv":
                raise UsageError("membership.guess_not_csv", path=path.name)


def run(
    population: Request,
    release: Request,
    options: AttackOptions | None = None,
    members: Request | None = None,
    reference: Request | None = None,
    outputs: Outputs | None = None,
    resources: Resources | None = None,
    progress: Progress = None,
    also: Sequence[Request] = (),
) -> Attacks:
    """Attack a release with a population of candidates.

    Args:
        population: The candidates, members among them.
        release: What was made of the members' records.
        options: The attacks and how they are made.
        members: The records that the release was made of; they tell how many guesses are right.
        reference: Records like the members' that are not in the release.
        outputs: The files that are written.
        resources: The limits of the engine.
        progress: Receives the progress.
        also: Other releases of the same members, for the classifiers of the experiment.

    Returns:
        The guesses of each attack and, with the members, how many are right.

    Raises:
        UsageError: The tables or the options do not go together.
        SourceError: A table cannot be read, or is empty.
        OutputError: A file cannot be written.
    """
    options, outputs = options or AttackOptions(), outputs or Outputs()
    options.check()
    optional = {MEMBERS: members, REFERENCE: reference}
    requests = {POPULATION: population, RELEASED: release}
    requests |= {name: request for name, request in optional.items() if request is not None}
    requests |= {f"{OTHER_RELEASE}{number}": request for number, request in enumerate(also)}
    names = list(dict.fromkeys(options.names))
    if EXPERIMENT in names:
        if members is None:
            raise UsageError("membership.classifier_without_members")
        classifier.check_installed()
    elif also:
        raise UsageError("membership.also_without_classifier")
    outputs.check(list(requests.values()), len(names))
    with ExitStack() as stack:
        files = {k: stack.enter_context(atomic_write(p, private=True)) for k, p in outputs.paths.items()}
        session = stack.enter_context(Session(resources, progress))
        session.steps.plan("source", "attacks")
        encoding = load(session, requests, list(files.values()), options.attributes)
        session.steps.begin("attacks")
        _check_sizes(encoding, options)
        candidates = Candidates(session, encoding, options, getattr(progress, "line", None))
        shape, found = candidates.shape, None
        if members is not None:
            _find_members(session, encoding)
            if options.exposed:
                found = Exposures(session, POPULATION, shape.categories, shape.numeric).find(options.exposed)
        attacks = tuple(
            _make_attack(candidates, REGISTRY[name], files, with_members=members is not None)
            for name in session.steps.track(names)
        )
        engine, statements = session.engine_version, tuple(session.log)
    tables = {name: table.described for name, table in encoding.tables.items()}
    return Attacks(
        version=SCHEMA_VERSION,
        kind="attack",
        population=tables[POPULATION],
        released=tables[RELEASED],
        members=tables.get(MEMBERS),
        reference=tables.get(REFERENCE),
        attributes=tuple(attribute.name for attribute in encoding.attributes),
        guesses=options.guesses,
        weight=float(options.weight),
        clusters=options.clusters,
        starts=options.starts,
        standardised=options.standardise,
        shadows=options.shadows,
        seed=options.seed,
        attacks=attacks,
        exposed_undecided=found.undecided if found is not None and found.undecided else None,
        engine=engine,
        duckrisk=duckrisk.__version__,
        statements=statements,
    )


def _make_attack(
    candidates: Candidates, attack: RegisteredAttack, files: Mapping[str, Path], *, with_members: bool
) -> Attack:
    """Make one attack and write its files."""
    session, options = candidates.session, candidates.options
    attack.rank(candidates)
    table = attack.table
    guesses = options.targets if attack.is_experiment else options.guesses
    guessed = session.run("guessed_records", scores=identifier(table), guesses=guesses)
    result = Attack(
        attack.name,
        tuple(row["record"] for row in guessed),
        **_measure_outcome(session, table, guesses, with_members=with_members),
        exposed=_measure_exposed(session) if with_members and options.exposed else None,
        experiment=candidates.experiment if attack.is_experiment else None,
    )
    for content, path in files.items():
        session.run(
            "write_scores",
            scores=identifier(table),
            columns=["record"] if content == "guess" else ["record", "score", "place"],
            guesses=guesses if content == "guess" else None,
            path=str(path),
            options=_CSV[content],
        )
    return result


def _measure_outcome(session: Session, table: str, guesses: int, *, with_members: bool) -> dict[str, Any]:
    """Return the hits of the guesses and the ROC of the scores; None without members."""
    if not with_members:
        return dict.fromkeys(("hits", "expected", "accuracy", "lift", "chance", "void", "scores"))
    judged = judge_guesses(session, table, TRUE_MEMBERS, guesses)
    session.run("attacked_records", name="attacked", scores=identifier(table), members=Sql(TRUE_MEMBERS))
    return {**judged, "scores": measure_roc(session, "attacked", CONFIDENCE)}


def _measure_exposed(session: Session) -> Receiver:
    """Measure the scores of the most exposed candidates alone."""
    session.run("exposed_scores", name="attacked_exposed", scores=Sql("attacked"), exposed=Sql(EXPOSED))
    return measure_roc(session, "attacked_exposed", CONFIDENCE, "roc_of_exposed")


def _check_sizes(encoding: Encoding, options: AttackOptions) -> None:
    """Refuse empty tables, and more guesses than candidates or members."""
    for table in encoding.tables.values():
        if not table.records:
            raise SourceError("membership.no_records", table=table.name)
    if set(options.names) == {EXPERIMENT}:  # it guesses among its targets
        return
    for name, words in ((POPULATION, "candidates"), (MEMBERS, "members")):
        if name in encoding.tables and (records := encoding.tables[name].records) < options.guesses:
            raise UsageError(
                "membership.guesses_above_records",
                name=encoding.tables[name].name,
                records=records,
                words=words,
                guesses=options.guesses,
            )


def _find_members(session: Session, encoding: Encoding) -> None:
    """Make the table of the members' places in the population; refuse unclear ones."""
    population, members = encoding.tables[POPULATION], encoding.tables[MEMBERS]
    session.run(
        "true_members",
        name=TRUE_MEMBERS,
        population=identifier(POPULATION),
        members=identifier(MEMBERS),
        columns=encoding.columns,
    )
    row = session.fetch_row("count_members", members=Sql(TRUE_MEMBERS))
    if row["unclear"]:
        raise SourceError(
            "membership.ambiguous_members",
            unclear=row["unclear"],
            population=population.name,
            members=members.name,
        )
    if row["found"] < members.records:
        raise SourceError(
            "membership.members_outside_population",
            members_records=members.records - row["found"],
            members=members.name,
            population=population.name,
        )
