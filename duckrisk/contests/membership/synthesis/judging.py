"""Measures trees while a release changes, and renders their leaves as SQL.

scikit-learn holds the records of the release and those to test on in memory, at four bytes a feature.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from duckrisk.contests.membership.records import Encoding
from duckrisk.contests.membership.synthesis.trees import Learner, Target
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render


class Judge:
    """The trees of an original, to compare with those of a release that changes.

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
        self.session = session
        self._learners = [Learner(session, encoding, target) for target in targets]
        self._tests = [learner.make_features(test)[0] for learner in self._learners]
        self._originals = [learner.fit(*learner.make_features(original)) for learner in self._learners]
        self._expected = [
            tree.predict(tested) == 1 for tree, tested in zip(self._originals, self._tests, strict=True)
        ]
        self._release: list[tuple[Any, Any]] = []
        self._moved: list[tuple[Any, Any]] = []
        self._positions: Any = None

    def load_release(self, table: str) -> None:
        """Keep the features of a release, whose records are numbered from 0."""
        self._release = [learner.make_features(table) for learner in self._learners]

    def load_moves(self, moved: str, moves: str) -> None:
        """Keep the features of proposed records, and which records they replace."""
        import numpy

        self._moved = [learner.make_features(moved) for learner in self._learners]
        columns = self.session.fetch_arrays("move_positions", moves=identifier(moves))
        self._positions = numpy.asarray(columns["position"], dtype=numpy.int64)

    def measure(self, swapped: slice | None = None) -> dict[str, float]:
        """Return the index of each tree, after the moves of a slice if given."""
        indices = {}
        for index, learner in enumerate(self._learners):
            with self._with_moves(index, swapped):
                tree = learner.fit(*self._release[index])
            answers = tree.predict(self._tests[index]) == 1
            both = int((answers & self._expected[index]).sum())
            positives = int(answers.sum()) + int(self._expected[index].sum())
            target = learner.target
            indices[f"tree {target.attribute} = {target.positive}"] = (
                2 * both / positives if positives else 1.0
            )
        return indices

    def apply_moves(self, swapped: slice) -> None:
        """Make the moves of a slice in the release."""
        where = self._positions[swapped]
        for release, moved in zip(self._release, self._moved, strict=True):
            release[0][where], release[1][where] = moved[0][swapped], moved[1][swapped]

    @contextmanager
    def _with_moves(self, index: int, swapped: slice | None) -> Iterator[None]:
        """Make the moves of a slice, and undo them afterwards."""
        if swapped is None:
            yield
            return
        where = self._positions[swapped]
        pairs = list(zip(self._release[index], self._moved[index], strict=True))
        before = [release[where] for release, _ in pairs]
        for release, moved in pairs:
            release[where] = moved[swapped]
        try:
            yield
        finally:
            for (release, _), was in zip(pairs, before, strict=True):
                release[where] = was

    def render_leaves(self, first: int) -> tuple[list[Sql], int]:
        """Render the cell of a record in each tree of the original.

        Args:
            first: The index of the first cell.

        Returns:
            SQL of the cell for each tree, and the number of cells.
        """
        cells, count = [], 0
        for learner, tree in zip(self._learners, self._originals, strict=True):
            counter = itertools.count()
            leaf = _render_leaf(learner, tree.tree_, 0, counter)
            cells.append(
                render(
                    "tree_cell",
                    leaf=leaf,
                    target=learner.attribute.column,
                    positive=learner.positive,
                    first_index=first + count,
                )
            )
            count += 2 * next(counter)
        return cells, count


def _render_leaf(learner: Learner, tree: Any, number: int, counter: Iterator[int]) -> Sql:
    """Render the leaf of a record from a node on."""
    below, above = tree.children_left[number], tree.children_right[number]
    if below == above:
        return Sql(str(next(counter)))
    feature = learner.used[tree.feature[number]]
    return render(
        "tree_split",
        column=feature.attribute.column,
        category_id=feature.place,
        threshold=repr(float(tree.threshold[number])),
        below=_render_leaf(learner, tree, below, counter),
        above=_render_leaf(learner, tree, above, counter),
    )
