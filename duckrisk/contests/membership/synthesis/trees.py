"""The decision-tree indices: whether a tree learnt from a release predicts what one of the original does.

SQL prepares what trees learn from; scikit-learn (the extra ``duckrisk[ml]``) holds the records of one table
in memory, at four bytes a feature.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.sentences import Sentence
from duckrisk.contests.membership.records import CATEGORIES, Attribute, Encoding, Feature
from duckrisk.contests.membership.synthesis.results import TreeIndex
from duckrisk.engine.session import Session
from duckrisk.engine.templates import identifier

#: How deep a tree is where nothing says otherwise.
DEPTH = 5


@dataclass(frozen=True)
class Target:
    """What a tree predicts: whether an attribute has a value; ``judged``: the thresholds are about it."""

    attribute: str
    positive: str
    depth: int = DEPTH
    judged: bool = True


#: Those of the contest; the other value of income is measured beside.
CONTEST_TARGETS = (
    Target("income", "<=50K", 5),
    Target("relationship", "Husband", 3),
    Target("income", ">50K", 5, judged=False),
)


def target_of(text: str) -> tuple[str, str]:
    """A target written as ATTRIBUTE=VALUE."""
    name, sign, positive = text.partition("=")
    if not sign or not name or not positive:
        raise UsageError("membership.invalid_target", text=text)
    return name, positive


def targets_of(
    session: Session, encoding: Encoding, targets: Sequence[Target], original: str
) -> tuple[Target, ...]:
    """The targets with the names of attributes as the tables have them, by default those of the contest where
    the tables have its attributes; raises UsageError for what cannot be one."""
    features = encoding.features(session)
    if not targets:
        categories = {each.name: each for each in encoding.attributes if not each.numeric}
        return tuple(
            target
            for target in CONTEST_TARGETS
            if target.attribute in categories
            and len(encoding.attributes) > 1
            and _records(session, features, original, categories[target.attribute], target.positive)
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
        if not _records(session, features, original, attribute, target.positive):
            raise UsageError(
                "membership.tree_target_value_missing", positive=target.positive, attribute=attribute.name
            )
        checked.append(Target(attribute.name, target.positive, target.depth, target.judged))
    return tuple(checked)


def _place(features: Sequence[Feature], attribute: Attribute, value: str) -> int:
    """Return the place of a category in the list of its attribute, from 1; 0 if it is not in there."""
    places = (each.place for each in features if each.attribute == attribute and each.value == value)
    return next(places, None) or 0


def _records(
    session: Session, features: Sequence[Feature], table: str, attribute: Attribute, value: str
) -> int:
    """Count the records of a table that have a category."""
    met = session.fetch_row(
        "count_equal",
        source=identifier(table),
        column=attribute.column,
        place=_place(features, attribute, value),
        known=identifier(CATEGORIES),
    )
    return int(met["records"])


def why_not(tested: bool, targets: Sequence[Target]) -> Sentence | None:
    """Why no tree can be measured, or None."""
    if not targets:
        return Sentence("membership.trees.no_target")
    if not tested:
        return Sentence("membership.trees.no_test")
    if importlib.util.find_spec("sklearn") is None:
        return Sentence("membership.trees.not_installed")
    return None


class Learner:
    """What learns to predict one target from the other attributes."""

    def __init__(self, session: Session, encoding: Encoding, target: Target) -> None:
        self.session, self.target = session, target
        self.attribute = encoding.attribute(target.attribute)
        features = encoding.features(session)
        self.used = [each for each in features if each.attribute != self.attribute]
        self.positive = _place(features, self.attribute, target.positive)

    def features(self, table: str) -> tuple[Any, Any]:
        """The features of the records of a table, and which of them are positive."""
        import numpy

        columns = self.session.fetch_arrays(
            "tree_features",
            source=identifier(table),
            columns=[each.attribute.column for each in self.used],
            places=[each.place for each in self.used],
            target=self.attribute.column,
            positive=self.positive,
            known=identifier(CATEGORIES),
        )
        features = numpy.empty((len(columns["positive"]), len(self.used)), dtype=numpy.float32)
        for index in range(len(self.used)):
            features[:, index] = columns.pop(f"f{index}")
        return features, numpy.array(columns["positive"])

    def fit(self, features: Any, positive: Any) -> Any:
        """A tree of these."""
        from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-not-found,import-untyped,unused-ignore]

        return DecisionTreeClassifier(random_state=0, max_depth=self.target.depth).fit(features, positive)


class Trees:
    """The trees of the original, and what they predict for the records to test on."""

    def __init__(
        self, session: Session, encoding: Encoding, targets: Sequence[Target], original: str, test: str
    ) -> None:
        self.session, self.test = session, test
        self._learners = [Learner(session, encoding, target) for target in targets]
        self._expected = [self._predicted(learner, original) for learner in self._learners]

    def of(self, release: str) -> tuple[TreeIndex, ...]:
        """The index of each target for a release."""
        indices = []
        for learner, expected in zip(self._learners, self._expected, strict=True):
            predicted, target = self._predicted(learner, release), learner.target
            both = int((predicted & expected).sum())
            only_release = int((predicted & ~expected).sum())
            only_original = int((expected & ~predicted).sum())
            value = self.session.fetch_row(
                "tree_agreement", both=both, only_release=only_release, only_original=only_original
            )["value"]
            named = (target.attribute, target.positive, target.depth, target.judged)
            indices.append(TreeIndex(*named, value, both, only_release, only_original))
        return tuple(indices)

    def _predicted(self, learner: Learner, table: str) -> Any:
        tree = learner.fit(*learner.features(table))
        return tree.predict(learner.features(self.test)[0]) == 1
