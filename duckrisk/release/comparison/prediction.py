"""Measure how well models that learn from a release predict a column of the original.

SQL divides and draws the records and makes their features. scikit-learn and LightGBM (the extra
``duckrisk[ml]``) hold the records that were drawn in memory, at four bytes a feature.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.measures.detail import ComparedColumn
from duckrisk.release.comparison.coverage import Coverage
from duckrisk.release.comparison.means_by_group import number_cells
from duckrisk.release.comparison.utility_results import Model, ModelScore, Prediction, Reason

#: Records that a model learns from, and records that it is tested on (a choice: 120 MB of features at most).
MAX_RECORDS = 100_000
#: Features of all categorical columns together (a choice: it bounds the memory).
MAX_FEATURES = 300
#: Features of one categorical column (a choice: rarer values are one feature).
MAX_VALUES = 50
#: Classes that models distinguish (a choice: with more, each has few records).
MAX_CLASSES = 20
#: Records of a class, or numbers, that a model needs (a choice: fewer say nothing of a model).
MIN_RECORDS = 10
#: Of LightGBM; the rest are its defaults (a choice: they learn Adult in 2 seconds; equal in each run).
_TREES: dict[str, Any] = {
    "n_estimators": 150,
    "num_leaves": 31,
    "random_state": 0,
    "n_jobs": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbosity": -1,
}
_MODELS: tuple[Model, ...] = ("lightgbm", "linear")


def check_installed() -> None:
    """Refuse to predict without the extra.

    Raises:
        UsageError: LightGBM or scikit-learn is not installed.
    """
    if any(importlib.util.find_spec(name) is None for name in ("lightgbm", "sklearn")):
        raise UsageError("comparison.models_not_installed")


@dataclass
class _Drawn:
    """Records that were drawn.

    Attributes:
        features: A row for each record.
        labels: The value of the target of each.
    """

    features: Any
    labels: Any


class Predictor:
    """Models of one column: they learn from the original first, then from each release.

    Args:
        target: The column to predict.
        coverage: What the values of the original cover.
        key: Column of the original that identifies records; None for their places.

    Raises:
        UsageError: No model can predict the column.
    """

    def __init__(self, target: ComparedColumn, coverage: Coverage, key: str | None) -> None:
        self.target = target
        values = coverage.session.fetch_row("target_values", leaves=target.leaves)["values"]
        self.classes = values if target.order != "number" or values <= 2 else None
        if target.order == "moment" or not 2 <= (self.classes or 2) <= MAX_CLASSES:
            raise UsageError("comparison.target_not_predictable", name=target.name, most=MAX_CLASSES)
        others = [a for a in coverage.leaves.attributes if a.number != target.number and a.binding != key]
        if not others:
            raise UsageError("comparison.target_alone", name=target.name)
        self.categories = [a for a in others if a.order == "text"]
        self.numbers = [a for a in others if a.order != "text"]
        most = min(MAX_VALUES, max(2, MAX_FEATURES // max(1, len(self.categories))))
        self.widths = [min(most, coverage.leaves.counts[a.number]) for a in self.categories]
        self._learned = self._draw(coverage, key, tested=False)
        self._tested = self._draw(coverage, key, tested=True)
        self._before = self._fit(self._learned)

    def measure(
        self, coverage: Coverage, key: str | None, *, is_original: bool, corresponding: bool
    ) -> Prediction:
        """Measure the models of a table.

        Args:
            coverage: What the values of the table cover.
            key: Column of the table that identifies records; None for their places.
            is_original: Whether the table is the original.
            corresponding: Whether each record corresponds to one of the original, by key or place.
        """
        after = self._before
        learned: _Drawn | None = self._learned
        reason: Reason | None = None
        if not is_original and self.target.number not in coverage.bindings:
            after, learned, reason = None, None, "no_target"
        elif not is_original:
            learned = self._draw(coverage, key, tested=False)
            after = self._fit(learned)
            reason = "too_few" if after is None else None
        scores = [
            ModelScore(name, (self._before or {}).get(name), (after or {}).get(name)) for name in _MODELS
        ]
        return Prediction(
            target=self.target.name,
            measure="r2" if self.classes is None else "auc",
            classes=self.classes,
            before=max(self._before.values()) if self._before else None,
            after=max(after.values()) if after else None,
            models=tuple(scores) if self._before else (),
            learned_before=len(self._learned.labels),
            learned=len(learned.labels) if learned else 0,
            tested=len(self._tested.labels),
            corresponding=corresponding,
            reason=reason if self._before else "too_few",
        )

    def _draw(self, coverage: Coverage, key: str | None, *, tested: bool) -> _Drawn:
        """Draw records of a table, with their features."""
        import numpy

        session, target = coverage.session, self.target.number
        categories = [a for a in self.categories if a.number in coverage.bindings]
        numbers = [a for a in self.numbers if a.number in coverage.bindings]
        numeric = [self.target] if self.classes is None else []
        for attribute in [*numbers, *numeric]:
            number_cells(coverage, attribute.number, f"numbers_{attribute.number}")
        session.run(
            "target_labels",
            cells=f"cells_{target}",
            numbers=f"numbers_{target}" if numeric else None,
            table="target_labels",
        )
        session.run(
            "model_records",
            source=coverage.release,
            key=key,
            target=coverage.bindings[target],
            labels="target_labels",
            tested=tested,
            most=MAX_RECORDS,
            columns=[coverage.bindings[a.number] for a in [*categories, *numbers]],
            cells=[f"cells_{a.number}" for a in categories],
            numbers=[f"numbers_{a.number}" for a in numbers],
        )
        fetched = session.fetch_arrays("model_labels", numbers=list(range(len(numbers))))
        labels = numpy.ma.filled(fetched["label"], 0.0)
        features = numpy.full((len(labels), len(self.numbers) + sum(self.widths)), numpy.nan, "float32")
        for place, attribute in enumerate(numbers):
            filled: Any = numpy.ma.filled(numpy.ma.asarray(fetched[f"part{place}"], "float64"), numpy.nan)
            features[:, self.numbers.index(attribute)] = filled
        self._fill_shares(coverage, categories, features)
        return _Drawn(features, labels)

    def _fill_shares(self, coverage: Coverage, categories: list[ComparedColumn], features: Any) -> None:
        """Fill in the shares of categories.

        A column that the table lacks covers all values alike.
        """
        start = len(self.numbers)
        for attribute, width in zip(self.categories, self.widths, strict=True):
            block = features[:, start : start + width]
            start += width
            if attribute not in categories:
                count = coverage.leaves.counts[attribute.number]
                block[:] = 1 / count
                block[:, -1] = (count - width + 1) / count
                continue
            found = coverage.session.fetch_arrays(
                "model_shares",
                cells=f"cells_{attribute.number}",
                reach=coverage.reach[attribute.number],
                leaves=attribute.leaves,
                column=categories.index(attribute),
                most=width,
            )
            block[:] = 0
            block[found["record"], found["feature"]] = found["share"]

    # --- models ------------------------------------------------------------------------------

    def _fit(self, learned: _Drawn) -> dict[Model, float] | None:
        """Return the score of each model, if there are enough records."""
        if self.classes is None:
            few = min(len(learned.labels), len(self._tested.labels)) < MIN_RECORDS
            return None if few else {name: self._measure_r2(name, learned) for name in _MODELS}
        import numpy

        varied = all(len(numpy.unique(one.labels)) > 1 for one in (learned, self._tested))
        if not varied or len(learned.labels) < MIN_RECORDS:
            return None
        return {name: self._measure_auc(name, learned) for name in _MODELS}

    def _measure_auc(self, name: Model, learned: _Drawn) -> float:
        """Return the mean AUC of the classes, each against all others."""
        import numpy
        from sklearn.metrics import roc_auc_score  # type: ignore[import-not-found,import-untyped,unused-ignore]

        model = _make_model(name, classifies=True).fit(learned.features, learned.labels)
        scores, known = model.predict_proba(self._tested.features), list(model.classes_)
        areas = []
        for label in numpy.unique(self._tested.labels):
            # A class that was not learned has no scores: it is found by chance.
            areas.append(
                float(roc_auc_score(self._tested.labels == label, scores[:, known.index(label)]))
                if label in known
                else 0.5
            )
        return float(numpy.mean(areas))

    def _measure_r2(self, name: Model, learned: _Drawn) -> float:
        from sklearn.metrics import r2_score

        model = _make_model(name, classifies=False).fit(learned.features, learned.labels)
        return float(r2_score(self._tested.labels, model.predict(self._tested.features)))


def _make_model(name: Model, *, classifies: bool) -> Any:
    """Make a model: gradient boosted trees, or a linear one on standardized features."""
    if name == "lightgbm":
        import lightgbm  # type: ignore[import-not-found,import-untyped,unused-ignore]

        return (lightgbm.LGBMClassifier if classifies else lightgbm.LGBMRegressor)(**_TREES)
    from sklearn.impute import SimpleImputer  # type: ignore[import-not-found,import-untyped,unused-ignore]
    from sklearn.linear_model import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
        LogisticRegression,
        Ridge,
    )
    from sklearn.pipeline import make_pipeline  # type: ignore[import-not-found,import-untyped,unused-ignore]
    from sklearn.preprocessing import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
        StandardScaler,
    )

    last = LogisticRegression(C=0.1, max_iter=300) if classifies else Ridge(alpha=1.0)
    return make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler(), last)
