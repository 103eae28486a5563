"""The small experiment of the report on PWS Cup 2020: does a classifier of one record know it in the release?

For members and for others a classifier each learns to tell one record, copied, from records that were not in
the release; how sure it is of any record of the release is the score. The copies never stand on both sides of
a fold: they are always learnt from, and the folds divide the other records alone.

SQL prepares what is learnt from and judges the scores; LightGBM (the extra ``duckrisk[ml]``) holds the
release in memory, at four bytes a feature, and what it predicts for it.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Any

from duckrisk.errors import UsageError
from duckrisk.membership.attacks.scoring import rank
from duckrisk.membership.records import DUMMIES, Encoding
from duckrisk.session import Session
from duckrisk.templates import Sql, identifier

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
    """The tables by their names, the members' places, and so many ``targets`` of each kind."""

    population: str
    released: str
    members: str
    targets: int
    seed: int


def check_installed() -> None:
    """Raise UsageError where there is no LightGBM."""
    if importlib.util.find_spec("lightgbm") is None:
        raise UsageError("membership.classifier_attack_needs_lightgbm_pip")


def scores(session: Session, encoding: Encoding, wanted: Experiment, table: str) -> dict[str, Any]:
    """Make the table (record, score, place) of the targets, by the largest probability, and the same by the
    mean of the largest ones under the name ending in ``_means``; return the rate of false alarms."""
    rows = session.run("list_dummies", dummies=identifier(DUMMIES))
    columns = [encoding.attributes[row["attribute"]].column for row in rows]
    values = [row["value"] for row in rows]
    session.run(
        "classifier_targets",
        name="classifier_targets",
        population=identifier(wanted.population),
        members=Sql(wanted.members),
        targets=wanted.targets,
        beside=BESIDE,
        seed=wanted.seed,
    )
    features = {"columns": columns, "values": values}
    release = session.arrays("target_features", targets=None, source=identifier(wanted.released), **features)
    learnt = session.arrays(
        "target_features",
        targets=Sql("classifier_targets"),
        source=identifier(wanted.population),
        **features,
    )
    told = _predicted(_matrix(release, len(rows)), _matrix(learnt, len(rows)), learnt)
    for rule, name in (("largest", table), ("mean", f"{table}_means")):
        session.run(
            "classifier_scores",
            name=f"{name}_made",
            records=told["records"],
            largest=[repr(value) for value in told["largest"]],
            means=[repr(value) for value in told["means"]],
            rule=rule,
        )
        rank(session, name, f"{name}_made")
    return {"held_out": told["held_out"], "false_alarms": told["false_alarms"]}


def _matrix(found: dict[str, Any], features: int) -> Any:
    import numpy

    made = numpy.empty((len(found["record"]), features), dtype=numpy.float32)
    for place in range(features):
        made[:, place] = found.pop(f"f{place}")
    return made


def _predicted(release: Any, learnt: Any, rows: dict[str, Any]) -> dict[str, Any]:
    """For each target the largest probability of the release, and the mean of the largest ones; and how many
    of the records beside, none of which a fold has learnt from, are taken for the target."""
    import lightgbm  # type: ignore[import-not-found,import-untyped,unused-ignore]
    import numpy

    most = -(-len(release) // round(1 / _SHARE))
    told: dict[str, Any] = {"records": [], "largest": [], "means": [], "held_out": 0, "false_alarms": 0}
    starts = numpy.flatnonzero(rows["slot"] == -1)
    for start, end in zip(starts, [*starts[1:], len(learnt)], strict=True):
        target, beside = learnt[start : start + 1], learnt[start + 1 : end]
        probabilities = numpy.zeros(len(release))
        folds = numpy.arange(len(beside)) % FOLDS
        for fold in range(FOLDS):
            others = beside[folds != fold]
            given = numpy.concatenate([numpy.repeat(target, COPIES, axis=0), others])
            labels = numpy.concatenate([numpy.ones(COPIES), numpy.zeros(len(others))])
            model = lightgbm.train(_SETTINGS, lightgbm.Dataset(given, labels), num_boost_round=_ROUNDS)
            probabilities += model.predict(release) / FOLDS
            held_out = beside[folds == fold]
            told["held_out"] += len(held_out)
            told["false_alarms"] += int((model.predict(held_out) >= 0.5).sum())
        told["records"].append(int(rows["record"][start]))
        told["largest"].append(float(probabilities.max()))
        told["means"].append(float(numpy.sort(probabilities)[-most:].mean()))
    return told
