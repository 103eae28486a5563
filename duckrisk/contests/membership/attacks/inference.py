"""Attacks that guess whose records a release was made from: each ranks all candidates of a population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckrisk
from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.files import atomic_write, check_target, refuse_overwriting
from duckrisk.contests.membership.attacks import classifier, kmeans, shadows
from duckrisk.contests.membership.attacks.results import (
    Attack,
    Attacks,
    Experiment,
    ExperimentRelease,
    ReleaseScore,
)
from duckrisk.contests.membership.attacks.scoring import SIGNIFICANT, chance, rank, receiver
from duckrisk.contests.membership.neighbours import Shape, nearest_records
from duckrisk.contests.membership.options import EXPERIMENT, AttackOptions
from duckrisk.contests.membership.records import Encoding, load
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.steps import ProgressCallback
from duckrisk.engine.templates import Sql, identifier
from duckrisk.source import Request, refuse_overwriting_source

Progress = ProgressCallback | None

#: Of the intervals of rates.
CONFIDENCE = 0.95
#: Where no blocks are asked for, so many attributes are one.
_BLOCK = 3
_CSV = {"guess": Sql("FORMAT csv, HEADER false"), "scores": Sql("FORMAT csv, HEADER")}
_POPULATION, _RELEASED, _MEMBERS, _REFERENCE = "population", "released", "members", "reference"
_ALSO = "also_released_"


@dataclass(frozen=True)
class Outputs:
    """Files that are written of one attack: the places of its guesses in the population, one a line; and the
    score and the place in the ranking of every candidate. ``overwrite`` allows to replace what is there."""

    guess: Path | None = None
    scores: Path | None = None
    overwrite: bool = False

    @property
    def asked(self) -> dict[str, Path]:
        """Those that are asked for."""
        named = {"guess": self.guess, "scores": self.scores}
        return {name: path for name, path in named.items() if path is not None}

    def check(self, requests: Sequence[Request], attacks: int) -> None:
        """Raise UsageError or OutputError for what could not be written later."""
        if self.asked and attacks != 1:
            raise UsageError("membership.attack_to_write_missing")
        if self.guess is not None and self.guess == self.scores:
            raise UsageError("membership.guess_and_scores_in_one_file")
        for path in self.asked.values():
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
    """Attack a release with a population of candidates; with the ``members`` it is told how many of the
    guesses are right. Releases that are shown ``also`` are judged by the classifiers of the experiment.
    Raises the errors of :mod:`duckrisk.base.errors`."""
    options, outputs = options or AttackOptions(), outputs or Outputs()
    options.check()
    requests = {_POPULATION: population, _RELEASED: release}
    requests |= {_MEMBERS: members} if members is not None else {}
    requests |= {_REFERENCE: reference} if reference is not None else {}
    requests |= {f"{_ALSO}{number}": request for number, request in enumerate(also)}
    names = list(dict.fromkeys(options.names))
    if EXPERIMENT in names:
        if members is None:
            raise UsageError("membership.classifier_without_members")
        classifier.check_installed()
    elif also:
        raise UsageError("membership.also_without_classifier")
    outputs.check(list(requests.values()), len(names))
    with ExitStack() as stack:
        files = {k: stack.enter_context(atomic_write(p, private=True)) for k, p in outputs.asked.items()}
        session = stack.enter_context(Session(resources, progress))
        session.steps.plan("source", "attacks")
        encoding = load(session, requests, list(files.values()), options.attributes)
        session.steps.begin("attacks")
        _check_sizes(encoding, options)
        if members is not None:
            _find_members(session, encoding, options)
        attackers = Attackers(session, encoding, options, getattr(progress, "line", None))
        known = members is not None
        attacks = tuple(
            _attack(attackers, name, files, with_members=known) for name in session.steps.track(names)
        )
        engine, statements = session.engine_version, tuple(session.log)
    return Attacks(
        population=encoding.tables[_POPULATION].told,
        released=encoding.tables[_RELEASED].told,
        members=encoding.tables[_MEMBERS].told if members is not None else None,
        reference=encoding.tables[_REFERENCE].told if reference is not None else None,
        attributes=tuple(attribute.name for attribute in encoding.attributes),
        guesses=options.guesses,
        weight=float(options.weight),
        clusters=options.clusters,
        starts=options.starts,
        standardised=options.standardise,
        shadows=options.shadows,
        seed=options.seed,
        attacks=attacks,
        engine=engine,
        duckrisk=duckrisk.__version__,
        statements=statements,
    )


def _attack(attackers: Attackers, name: str, files: Mapping[str, Path], *, with_members: bool) -> Attack:
    """Make one attack, and write what is asked for of it."""
    session, options = attackers.session, attackers.options
    table = attackers.scores(name)
    guesses = options.targets if name == EXPERIMENT else options.guesses
    guessed = session.run("guessed_records", scores=identifier(table), guesses=guesses)
    attack = Attack(
        name,
        tuple(row["record"] for row in guessed),
        **_outcome(session, table, guesses, with_members=with_members),
        experiment=attackers.experiment if name == EXPERIMENT else None,
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
    return attack


def _outcome(session: Session, table: str, guesses: int, *, with_members: bool) -> dict[str, Any]:
    """What came of the guesses and of the scores; None where the members are not known."""
    if not with_members:
        return dict.fromkeys(("hits", "expected", "accuracy", "lift", "chance", "void", "scores"))
    judged = _judge_guesses(session, table, guesses)
    session.run("attacked_records", name="attacked", scores=identifier(table), members=Sql("true_members"))
    return {**judged, "scores": receiver(session, "attacked", CONFIDENCE)}


def _judge_guesses(session: Session, table: str, guesses: int) -> dict[str, Any]:
    """Return the hits of the first guesses of a table of scores, and whether chance finds as many."""
    row = session.fetch_row(
        "guess_hits", scores=identifier(table), members=Sql("true_members"), guesses=guesses
    )
    sizes = [row[name] for name in ("candidates", "members", "guesses", "hits")]
    tail = chance(session, *sizes)
    return {
        "hits": row["hits"],
        "expected": tail["expected"],
        "accuracy": row["accuracy"],
        "lift": row["lift"],
        "chance": tail["p_value"],
        "void": tail["p_value"] >= SIGNIFICANT,
    }


def _check_sizes(encoding: Encoding, options: AttackOptions) -> None:
    """Refuse tables without records, and more guesses than there are candidates or members."""
    for table in encoding.tables.values():
        if not table.records:
            raise SourceError("membership.empty_table", table=table.name)
    if set(options.names) == {EXPERIMENT}:  # it guesses among its targets
        return
    for name, words in ((_POPULATION, "candidates"), (_MEMBERS, "members")):
        if name in encoding.tables and (records := encoding.tables[name].records) < options.guesses:
            raise UsageError(
                "membership.guesses_above_records",
                name=encoding.tables[name].name,
                records=records,
                words=words,
                guesses=options.guesses,
            )


def _find_members(session: Session, encoding: Encoding, options: AttackOptions) -> None:
    """Make the table of the members' places in the population; raises SourceError where these are unclear."""
    population, members = encoding.tables[_POPULATION], encoding.tables[_MEMBERS]
    session.run(
        "true_members",
        name="true_members",
        population=identifier(_POPULATION),
        members=identifier(_MEMBERS),
        columns=encoding.columns,
    )
    row = session.fetch_row("count_members", members=Sql("true_members"))
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


class Attackers:
    """The attacks on one release; what several of them need is made once. ``line`` shows how far one is."""

    def __init__(self, session: Session, encoding: Encoding, options: AttackOptions, line: Progress) -> None:
        self.session = session
        self.line = line
        self.encoding = encoding
        self.options = options
        numeric = encoding.numeric
        self.shape = Shape(tuple(numeric), tuple(c for c in encoding.columns if c not in numeric))
        self._made: set[str] = set()
        self._centroids: int | None = None
        self.experiment: Experiment | None = None

    def scores(self, name: str) -> str:
        """Make the table (record, score, place) of an attack and return its name: every candidate has a
        score, larger where it is more likely a member, and a place in the ranking, from 1."""
        table = f"{name.replace('-', '_')}_scores"
        if name == EXPERIMENT:
            self._experiment(table)
            return table
        unranked = f"{table}_made"
        if name == "distance":
            self.session.run(
                "distance_scores", name=unranked, candidates=self._candidates(), released=self._released()
            )
        elif name == "nearest":
            self.session.run("nearness_scores", name=unranked, candidates=self._candidates())
        elif name == "calibrated":
            references = self._references()
            self.session.run(
                "calibrated_scores", name=unranked, candidates=self._candidates(), references=references
            )
        elif name == "density":
            reference = _REFERENCE if _REFERENCE in self.encoding.tables else _POPULATION
            self.session.run(
                "density_scores",
                name=unranked,
                population=identifier(_POPULATION),
                released=identifier(_RELEASED),
                reference=identifier(reference),
                blocks=self._blocks(),
            )
        elif name in ("lira", "lira-offline"):
            online = name == "lira"
            self.session.run(
                "likelihood_scores",
                name=unranked,
                candidates=self._candidates(),
                fits=self._fits(online),
                online=online,
            )
        else:
            shape = kmeans.features(self.session, self._clusters(), common=name == "kmeans-common")
            asked, candidates = "kmeans_population", "kmeans_released"
            # Distances to centroids vary together, so that blocks are cut along more of them.
            nearest_records(self.session, asked, candidates, shape, "nearest_features", levels=4)
            self.session.run("nearness_scores", name=unranked, candidates=Sql("nearest_features"))
        rank(self.session, table, unranked)
        return table

    def _near(self, asked: str, candidates: str, table: str) -> Sql:
        if table not in self._made:
            nearest_records(self.session, asked, candidates, self.shape, table, float(self.options.weight))
            self._made.add(table)
        return Sql(table)

    def _candidates(self) -> Sql:
        """Each candidate with its nearest record of the release."""
        return self._near(_POPULATION, _RELEASED, "nearest_of_population")

    def _released(self) -> Sql:
        """Each record of the release with its nearest candidate."""
        return self._near(_RELEASED, _POPULATION, "nearest_of_released")

    def _references(self) -> list[Sql]:
        """The candidates with their nearest reference records: of the reference, or of the other half of the
        population, as many as the release has."""
        if _REFERENCE in self.encoding.tables:
            return [self._near(_POPULATION, _REFERENCE, "nearest_of_reference")]
        if self.encoding.tables[_POPULATION].records < 2:
            raise UsageError("membership.calibrated_without_reference")
        tables = []
        most = self.encoding.tables[_RELEASED].records
        for half in (0, 1):
            for name, part, limit in (("half_asked", half, None), ("half_known", 1 - half, most)):
                self.session.run(
                    "population_half",
                    name=name,
                    source=identifier(_POPULATION),
                    half=part,
                    most=limit,
                    seed=self.options.seed,
                    columns=self.encoding.columns,
                )
            tables.append(self._near("half_asked", "half_known", f"nearest_of_half_{half}"))
        return tables

    def _clusters(self) -> int:
        """How many centroids the population and the release have, which are made."""
        if self._centroids is None:
            options = self.options
            self._centroids = kmeans.cluster(
                self.session,
                _POPULATION,
                _RELEASED,
                self.shape,
                options.clusters,
                options.starts,
                options.seed,
                options.standardise,
            )
        return self._centroids

    def _fits(self, online: bool) -> Sql:
        """The candidates with the distributions of their statistic in shadows: of the population, or of
        reference records where these are given and no candidate needs to be in any."""
        offline = not online and _REFERENCE in self.encoding.tables
        table = "reference_fits" if offline else "population_fits"
        if table not in self._made:
            wanted = shadows.Shadows(
                _POPULATION,
                _REFERENCE if offline else _POPULATION,
                _RELEASED,
                self.options.shadows,
                float(self.options.weight),
                self.options.seed,
            )
            shadows.fit(self.session, self.encoding, self.shape, wanted, table, self.line)
            self._made.add(table)
        return Sql(table)

    def _experiment(self, table: str) -> None:
        """The scores of the experiment's targets, and what is told of it beside."""
        targets = self.options.targets
        population = self.encoding.tables[_POPULATION].records
        members = self.session.fetch_row("table_size", source=Sql("true_members"))["found"]
        if members < targets or population - members < targets + classifier.FOLDS:
            raise UsageError(
                "membership.too_few_records_for_classifier", targets=targets, folds=classifier.FOLDS
            )
        also = [name for name in self.encoding.tables if name.startswith(_ALSO)]
        names = [table, *(f"{table}_{name}" for name in also)]
        released = (_RELEASED, *also)
        wanted = classifier.Experiment(_POPULATION, released, "true_members", targets, self.options.seed)
        predicted = classifier.scores(self.session, self.encoding, wanted, names)[0]
        first, *others = [self._sureness(name) for name in names]
        releases = tuple(
            self._release(name, scored, sureness)
            for name, scored, sureness in zip(also, names[1:], others, strict=True)
        )
        self.experiment = Experiment(
            targets=targets,
            copies=classifier.COPIES,
            beside=classifier.BESIDE,
            folds=classifier.FOLDS,
            held_out=predicted.held_out,
            false_alarms=predicted.false_alarms,
            **first,
            also=releases or None,
        )

    def _release(self, name: str, table: str, sureness: dict[str, ReleaseScore]) -> ExperimentRelease:
        """Return the verdict on another release, judged by the rule of the first."""
        judged = _judge_guesses(self.session, table, self.options.targets)
        return ExperimentRelease(
            release=self.encoding.tables[name].name,
            hits=judged["hits"],
            chance=judged["chance"],
            void=judged["void"],
            **sureness,
        )

    def _sureness(self, table: str) -> dict[str, ReleaseScore]:
        """How sure the classifiers are of a release, by both rules."""
        scores: dict[str, ReleaseScore] = {}
        for name, scored in (("largest", table), ("mean", f"{table}_means")):
            asked = {"scores": identifier(scored), "members": Sql("true_members")}
            self.session.run("attacked_records", name="attacked", **asked)
            row = self.session.fetch_row("classifier_means", scores=Sql("attacked"))
            scores[name] = ReleaseScore(**row, auc=receiver(self.session, "attacked", CONFIDENCE).auc)
        return scores

    def _blocks(self) -> list[list[str]]:
        """The columns of the blocks of attributes, those asked for or each three that follow one another."""
        if self.options.blocks is None:
            columns = self.encoding.columns
            return [columns[start : start + _BLOCK] for start in range(0, len(columns), _BLOCK)]
        return [[self.encoding.attribute(name).column for name in block] for block in self.options.blocks]
