"""The small experiment of the report on PWS Cup 2020: does a classifier of one record know it in the release?

For members and for others a classifier each learns to tell one record, copied, from records that were not in
the release; how sure it is of any record of the release is the score. The copies never stand on both sides of
a fold: they are always learnt from, and the folds divide the other records alone.

SQL prepares what is learnt from and judges the scores; LightGBM (the extra ``duckrisk[ml]``) holds the
release in memory, at four bytes a feature, and what it predicts for it.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from duckrisk.base.errors import UsageError
from duckrisk.contests.membership.attacks.scoring import rank
from duckrisk.contests.membership.records import CATEGORIES, Encoding
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier

if TYPE_CHECKING:
    from duckrisk.engine.session import Array

#: Of a target there are so many copies, and so many other records beside it, as in the report.
COPIES, BESIDE, FOLDS = 100, 100, 5
#: Scores are the largest probability, or the mean of this share of the largest ones.
_SHARE = 0.01
_ROUNDS = 100
_SETTINGS = {
    "objective": "binary",
    "verbosity": -1,
    "seed": 0,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
}


@dataclass(frozen=True)
class Experiment:
    """The tables by their names, the members' places, and so many ``targets`` of each kind. Several releases
    are shown to the same classifiers."""

    population: str
    released: tuple[str, ...]
    members: str
    targets: int
    seed: int


def check_installed() -> None:
    """Raise UsageError where there is no LightGBM."""
    if importlib.util.find_spec("lightgbm") is None:
        raise UsageError("membership.lightgbm_not_installed")


@dataclass
class Predicted:
    """For each target the largest probability of the release, and the mean of the largest ones; and how many
    of the records beside, none of which a fold has learnt from, are taken for the target."""

    records: list[int] = field(default_factory=list)
    largest: list[float] = field(default_factory=list)
    means: list[float] = field(default_factory=list)
    held_out: int = 0
    false_alarms: int = 0


def scores(session: Session, encoding: Encoding, wanted: Experiment, tables: list[str]) -> list[Predicted]:
    """Make a table (record, score, place) of the targets for each release, by the largest probability, and
    the same by the mean of the largest ones under the name ending in ``_means``."""
    dummies = encoding.features(session)
    session.run(
        "classifier_targets",
        name="classifier_targets",
        population=identifier(wanted.population),
        members=Sql(wanted.members),
        targets=wanted.targets,
        beside=BESIDE,
        seed=wanted.seed,
    )
    features = {
        "columns": [each.attribute.column for each in dummies],
        "places": [each.place for each in dummies],
        "known": identifier(CATEGORIES),
    }
    releases = [
        session.fetch_arrays("target_features", targets=None, source=identifier(released), **features)
        for released in wanted.released
    ]
    learnt = session.fetch_arrays(
        "target_features",
        targets=Sql("classifier_targets"),
        source=identifier(wanted.population),
        **features,
    )
    matrices = [_matrix(release, len(dummies)) for release in releases]
    every = _predicted(matrices, _matrix(learnt, len(dummies)), learnt)
    for table, predicted in zip(tables, every, strict=True):
        for rule, name in (("largest", table), ("mean", f"{table}_means")):
            session.run(
                "classifier_scores",
                name=f"{name}_made",
                records=predicted.records,
                largest=[repr(value) for value in predicted.largest],
                means=[repr(value) for value in predicted.means],
                rule=rule,
            )
            rank(session, name, f"{name}_made")
    return every


def _matrix(columns: dict[str, Array], features: int) -> Array:
    import numpy

    matrix = numpy.empty((len(columns["record"]), features), dtype=numpy.float32)
    for number in range(features):
        matrix[:, number] = columns.pop(f"f{number}")
    return matrix


def _predicted(releases: list[Array], learnt: Array, rows: Mapping[str, Array]) -> list[Predicted]:
    import lightgbm  # type: ignore[import-not-found,import-untyped,unused-ignore]
    import numpy

    every = [Predicted() for _ in releases]
    starts = numpy.flatnonzero(rows["slot"] == -1)
    for start, end in zip(starts, [*starts[1:], len(learnt)], strict=True):
        target, beside = learnt[start : start + 1], learnt[start + 1 : end]
        probabilities = [numpy.zeros(len(release)) for release in releases]
        folds = numpy.arange(len(beside)) % FOLDS
        tested = false_alarms = 0
        for fold in range(FOLDS):
            others = beside[folds != fold]
            training = numpy.concatenate([numpy.repeat(target, COPIES, axis=0), others])
            labels = numpy.concatenate([numpy.ones(COPIES), numpy.zeros(len(others))])
            model = lightgbm.train(_SETTINGS, lightgbm.Dataset(training, labels), num_boost_round=_ROUNDS)
            for release, probability in zip(releases, probabilities, strict=True):
                probability += numpy.asarray(model.predict(release)) / FOLDS
            held_out = beside[folds == fold]
            tested += len(held_out)
            false_alarms += int((numpy.asarray(model.predict(held_out)) >= 0.5).sum())
        for predicted, probability in zip(every, probabilities, strict=True):
            most = -(-len(probability) // round(1 / _SHARE))
            predicted.records.append(int(rows["record"][start]))
            predicted.largest.append(float(probability.max()))
            predicted.means.append(float(numpy.sort(probability)[-most:].mean()))
            predicted.held_out += tested
            predicted.false_alarms += false_alarms
    return every
