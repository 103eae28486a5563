"""The experiment of the report on PWS Cup 2020: a classifier that recognizes one record in the release.

For each of some members and others, a classifier learns to tell copies of that record from records that were
not in the release. The score is how sure it is of any record of the release. The copies never stand on both
sides of a fold: they are always learned from, and the folds divide the other records alone.

SQL prepares the training data and judges the scores. LightGBM (the extra ``duckrisk[ml]``) holds the release
in memory, at four bytes a feature, and its predictions.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from duckrisk.base.errors import UsageError
from duckrisk.contests.membership.attacks.results import Experiment, ExperimentRelease, ReleaseScore
from duckrisk.contests.membership.attacks.scoring import CONFIDENCE, judge_guesses, measure_roc, rank_records
from duckrisk.contests.membership.records import Encoding, feature_arguments, feature_matrix
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier

if TYPE_CHECKING:
    from duckrisk.engine.session import Array

#: Copies of a target, other records to tell it from, and folds (the report on PWS Cup 2020).
COPIES, BACKGROUND, FOLDS = 100, 100, 5
#: Share of the largest probabilities whose mean is the second score (the report on PWS Cup 2020).
_TOP_SHARE = 0.01
_SETTINGS = {
    "objective": "binary",
    "verbosity": -1,
    "seed": 0,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
}


@dataclass(frozen=True)
class Settings:
    """The tables and the size of an experiment.

    Attributes:
        population: The table of candidates.
        released: The tables of releases, which are all shown to the same classifiers.
        members: The table of the members' places in the population.
        targets: Members to learn, and as many others.
        seed: The seed of the draw of targets.
    """

    population: str
    released: tuple[str, ...]
    members: str
    targets: int
    seed: int


def check_installed() -> None:
    """Refuse the experiment without LightGBM.

    Raises:
        UsageError: LightGBM is not installed.
    """
    if importlib.util.find_spec("lightgbm") is None:
        raise UsageError("membership.lightgbm_not_installed")


def run_experiment(session: Session, encoding: Encoding, settings: Settings, table: str) -> Experiment:
    """Learn the classifiers and judge the releases.

    Args:
        session: Runs the statements.
        encoding: The encoded tables.
        settings: The tables and the size of the experiment.
        table: The ranking of the targets that is made: ``record``, ``score``, ``place``.

    Returns:
        The facts of the experiment, for the first release and for the others.
    """
    others = settings.released[1:]
    names = [table, *(f"{table}_{name}" for name in others)]
    predicted = _rank_targets(session, encoding, settings, names)[0]
    releases = tuple(
        _judge_release(session, encoding, settings, name, scores)
        for name, scores in zip(others, names[1:], strict=True)
    )
    return Experiment(
        targets=settings.targets,
        copies=COPIES,
        others_per_target=BACKGROUND,
        folds=FOLDS,
        held_out=predicted.held_out,
        false_alarms=predicted.false_alarms,
        **_measure_sureness(session, settings, table),
        other_releases=releases or None,
    )


def _judge_release(
    session: Session, encoding: Encoding, settings: Settings, name: str, table: str
) -> ExperimentRelease:
    """Judge another release by the rule of the first."""
    judged = judge_guesses(session, table, settings.members, settings.targets)
    return ExperimentRelease(
        release=encoding.tables[name].name,
        hits=judged["hits"],
        chance=judged["chance"],
        void=judged["void"],
        **_measure_sureness(session, settings, table),
    )


def _measure_sureness(session: Session, settings: Settings, table: str) -> dict[str, ReleaseScore]:
    """Return how sure the classifiers are of a release, by both rules."""
    scores: dict[str, ReleaseScore] = {}
    for rule, ranking in (("largest", table), ("mean", f"{table}_means")):
        tables = {"scores": identifier(ranking), "members": Sql(settings.members)}
        session.run("attacked_records", name="attacked", **tables)
        row = session.fetch_row("classifier_means", scores=Sql("attacked"))
        scores[rule] = ReleaseScore(**row, auc=measure_roc(session, "attacked", CONFIDENCE).auc)
    return scores


@dataclass
class _Predicted:
    """The predictions for one release.

    Attributes:
        records: The record of each target.
        largest: For each target the largest probability in the release.
        means: For each target the mean of the largest probabilities.
        held_out: Background records that were tested in a fold that did not learn from them.
        false_alarms: Those of them that were taken for the target.
    """

    records: list[int] = field(default_factory=list)
    largest: list[float] = field(default_factory=list)
    means: list[float] = field(default_factory=list)
    held_out: int = 0
    false_alarms: int = 0


def _rank_targets(
    session: Session, encoding: Encoding, settings: Settings, tables: list[str]
) -> list[_Predicted]:
    """Make the rankings of the targets for each release, by both rules."""
    dummies = encoding.list_features(session)
    session.run(
        "classifier_targets",
        name="classifier_targets",
        population=identifier(settings.population),
        members=Sql(settings.members),
        targets=settings.targets,
        others_per_target=BACKGROUND,
        seed=settings.seed,
    )
    features = feature_arguments(dummies)
    releases = [
        session.fetch_arrays("target_features", targets=None, source=identifier(released), **features)
        for released in settings.released
    ]
    training = session.fetch_arrays(
        "target_features",
        targets=Sql("classifier_targets"),
        source=identifier(settings.population),
        **features,
    )
    matrices = [feature_matrix(release, len(dummies)) for release in releases]
    predictions = _predict(matrices, feature_matrix(training, len(dummies)), training)
    for table, predicted in zip(tables, predictions, strict=True):
        for rule, name in (("largest", table), ("mean", f"{table}_means")):
            session.run(
                "classifier_scores",
                name=f"{name}_made",
                records=predicted.records,
                largest=[repr(value) for value in predicted.largest],
                means=[repr(value) for value in predicted.means],
                rule=rule,
            )
            rank_records(session, name, f"{name}_made")
    return predictions


def _predict(releases: list[Array], training: Array, rows: Mapping[str, Array]) -> list[_Predicted]:
    """Learn a classifier a target and fold, and predict the records of each release."""
    import lightgbm  # type: ignore[import-not-found,import-untyped,unused-ignore]
    import numpy

    predictions = [_Predicted() for _ in releases]
    starts = numpy.flatnonzero(rows["slot"] == -1)
    for start, end in zip(starts, [*starts[1:], len(training)], strict=True):
        target, background = training[start : start + 1], training[start + 1 : end]
        probabilities = [numpy.zeros(len(release)) for release in releases]
        folds = numpy.arange(len(background)) % FOLDS
        tested = false_alarms = 0
        for fold in range(FOLDS):
            others = background[folds != fold]
            examples = numpy.concatenate([numpy.repeat(target, COPIES, axis=0), others])
            labels = numpy.concatenate([numpy.ones(COPIES), numpy.zeros(len(others))])
            model = lightgbm.train(_SETTINGS, lightgbm.Dataset(examples, labels), num_boost_round=100)
            for release, probability in zip(releases, probabilities, strict=True):
                probability += numpy.asarray(model.predict(release)) / FOLDS
            held_out = background[folds == fold]
            tested += len(held_out)
            false_alarms += int((numpy.asarray(model.predict(held_out)) >= 0.5).sum())
        for predicted, probability in zip(predictions, probabilities, strict=True):
            most = -(-len(probability) // round(1 / _TOP_SHARE))
            predicted.records.append(int(rows["record"][start]))
            predicted.largest.append(float(probability.max()))
            predicted.means.append(float(numpy.sort(probability)[-most:].mean()))
            predicted.held_out += tested
            predicted.false_alarms += false_alarms
    return predictions
