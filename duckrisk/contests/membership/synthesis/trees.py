"""Measures the decision-tree indices: does a tree learned from a release predict as the original's tree?

SQL prepares the training data. scikit-learn (the extra ``duckrisk[ml]``) holds the records of one table
in memory, at four bytes a feature.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.sentences import Sentence
from duckrisk.contests.membership.records import (
    CATEGORIES,
    Attribute,
    Encoding,
    Feature,
    feature_arguments,
    feature_matrix,
)
from duckrisk.contests.membership.synthesis.results import TreeIndex
from duckrisk.engine.session import Session
from duckrisk.engine.templates import identifier

#: Levels; the default depth of a tree (rules of PWS Cup 2020, the tree for income).
DEPTH = 5


@dataclass(frozen=True)
class Target:
    """What a tree predicts.

    Attributes:
        attribute: The attribute.
        positive: The value that the tree separates from all others.
        depth: The depth of the tree.
        judged: Whether the thresholds of the contest apply.
    """

    attribute: str
    positive: str
    depth: int = DEPTH
    judged: bool = True


#: The targets of the contest, and the other value of income.
CONTEST_TARGETS = (
    Target("income", "<=50K", 5),
    Target("relationship", "Husband", 3),
    Target("income", ">50K", 5, judged=False),
)


def target_of(text: str) -> tuple[str, str]:
    """Return the attribute and the value of a target written as ATTRIBUTE=VALUE.

    Raises:
        UsageError: The text has another form.
    """
    name, sign, positive = text.partition("=")
    if not sign or not name or not positive:
        raise UsageError("membership.invalid_target", text=text)
    return name, positive


def check_targets(
    session: Session, encoding: Encoding, targets: Sequence[Target], original: str
) -> tuple[Target, ...]:
    """Return the targets with the names that the tables have.

    Args:
        session: Runs the statements.
        encoding: The encoded tables.
        targets: The targets; empty for those of the contest whose attributes the tables have.
        original: The table of the original.

    Raises:
        UsageError: No tree can predict a target.
    """
    features = encoding.list_features(session)
    if not targets:
        categories = {a.name: a for a in encoding.attributes if not a.numeric}
        return tuple(
            target
            for target in CONTEST_TARGETS
            if target.attribute in categories
            and len(encoding.attributes) > 1
            and _count_records(session, features, original, categories[target.attribute], target.positive)
        )
    checked = []
    for target in targets:
        attribute = encoding.attribute(target.attribute)
        if attribute.numeric:
            raise UsageError("membership.tree_target_numeric", attribute=attribute.name)
        if not 1 <= target.depth <= 100:
            raise UsageError("membership.depth_out_of_range", depth=target.depth)
        if len(encoding.attributes) < 2:
            raise UsageError("membership.tree_without_attributes", attribute=attribute.name)
        if not _count_records(session, features, original, attribute, target.positive):
            raise UsageError(
                "membership.tree_target_value_missing", positive=target.positive, attribute=attribute.name
            )
        checked.append(Target(attribute.name, target.positive, target.depth, target.judged))
    return tuple(checked)


def _find_place(features: Sequence[Feature], attribute: Attribute, value: str) -> int:
    """Return the index of a category in its attribute, from 1; 0 if it is not there."""
    places = (f.place for f in features if f.attribute == attribute and f.value == value)
    return next(places, None) or 0


def _count_records(
    session: Session, features: Sequence[Feature], table: str, attribute: Attribute, value: str
) -> int:
    """Count the records of a table that have a category."""
    met = session.fetch_row(
        "count_equal",
        source=identifier(table),
        column=attribute.column,
        category_id=_find_place(features, attribute, value),
        category_lists=identifier(CATEGORIES),
    )
    return int(met["records"])


def explain_absence(tested: bool, targets: Sequence[Target]) -> Sentence | None:
    """Return why no tree can be measured; None if trees can be.

    Args:
        tested: Whether there are records to test on.
        targets: The targets of the trees.
    """
    if not targets:
        return Sentence("membership.trees.no_target")
    if not tested:
        return Sentence("membership.trees.no_test")
    if importlib.util.find_spec("sklearn") is None:
        return Sentence("membership.trees.not_installed")
    return None


class Learner:
    """Learns to predict one target from the other attributes.

    Args:
        session: Runs the statements.
        encoding: The encoded tables.
        target: The target.
    """

    def __init__(self, session: Session, encoding: Encoding, target: Target) -> None:
        self.session, self.target = session, target
        self.attribute = encoding.attribute(target.attribute)
        features = encoding.list_features(session)
        self.used = [feature for feature in features if feature.attribute != self.attribute]
        self.positive = _find_place(features, self.attribute, target.positive)

    def make_features(self, table: str) -> tuple[Any, Any]:
        """Return the matrix of features of a table, and which records are positive."""
        import numpy

        columns = self.session.fetch_arrays(
            "tree_features",
            source=identifier(table),
            target=self.attribute.column,
            positive=self.positive,
            **feature_arguments(self.used),
        )
        return feature_matrix(columns, len(self.used)), numpy.array(columns["positive"])

    def fit(self, features: Any, positive: Any) -> Any:
        """Learn a tree."""
        from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-not-found,import-untyped,unused-ignore]

        return DecisionTreeClassifier(random_state=0, max_depth=self.target.depth).fit(features, positive)


class Trees:
    """The trees of the original, to compare with those of releases.

    Args:
        session: Runs the statements.
        encoding: The encoded tables.
        targets: The targets of the trees.
        original: The table of the original.
        test: The table of the records that trees predict.
    """

    def __init__(
        self, session: Session, encoding: Encoding, targets: Sequence[Target], original: str, test: str
    ) -> None:
        self.session, self.test = session, test
        self._learners = [Learner(session, encoding, target) for target in targets]
        self._expected = [self._predict(learner, original) for learner in self._learners]

    def measure(self, release: str) -> tuple[TreeIndex, ...]:
        """Return the index of each target for a release."""
        indices = []
        for learner, expected in zip(self._learners, self._expected, strict=True):
            predicted, target = self._predict(learner, release), learner.target
            both = int((predicted & expected).sum())
            only_release = int((predicted & ~expected).sum())
            only_original = int((expected & ~predicted).sum())
            value = self.session.fetch_row(
                "tree_agreement", both_positive=both, only_release=only_release, only_original=only_original
            )["value"]
            named = (target.attribute, target.positive, target.depth, target.judged)
            indices.append(TreeIndex(*named, value, both, only_release, only_original))
        return tuple(indices)

    def _predict(self, learner: Learner, table: str) -> Any:
        tree = learner.fit(*learner.make_features(table))
        return tree.predict(learner.make_features(self.test)[0]) == 1
