"""Trees while a release changes: measured for proposals, and their leaves told to SQL.

scikit-learn needs the records of the release and those to test on in memory, at four bytes a feature.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from duckrisk.membership.records import DUMMIES, Encoding
from duckrisk.membership.trees import Target
from duckrisk.session import Session
from duckrisk.templates import Sql, identifier, render


class Judge:
    """The trees of an original for some targets, and those of a release beside them."""

    def __init__(
        self, session: Session, encoding: Encoding, targets: Sequence[Target], original: str, test: str
    ) -> None:
        self.session, self.encoding, self.targets = session, encoding, tuple(targets)
        rows = session.run("list_dummies", dummies=identifier(DUMMIES))
        dummies = [(encoding.attributes[row["attribute"]], row["value"]) for row in rows]
        self._used = [
            [
                (each.column, value)
                for each, value in dummies
                if each.number != encoding.attribute(t.attribute).number
            ]
            for t in self.targets
        ]
        self._tests = [self._features(place, test)[0] for place in range(len(self.targets))]
        self._originals = [self._fit(place, *self._features(place, original)) for place in self._places()]
        self._expected = [self._originals[place].predict(self._tests[place]) == 1 for place in self._places()]
        self._held: list[tuple[Any, Any]] = []
        self._moved: list[tuple[Any, Any]] = []
        self._positions: Any = None

    def _places(self) -> range:
        return range(len(self.targets))

    def hold(self, table: str) -> None:
        """Hold the records of a release, whose numbers are 0 and up."""
        self._held = [self._features(place, table) for place in self._places()]

    def hold_moves(self, moved: str, moves: str) -> None:
        """Hold the records of proposals too, and where they would go."""
        import numpy

        self._moved = [self._features(place, moved) for place in self._places()]
        found = self.session.arrays("move_positions", moves=identifier(moves))
        self._positions = numpy.asarray(found["position"], dtype=numpy.int64)

    def values(self, swapped: slice | None = None) -> tuple[dict[str, float], list[Any]]:
        """The index of each tree for the release that is held, or with the moves of that slice made; and the
        trees."""
        found, trees = {}, []
        for place, target in enumerate(self.targets):
            with self._swapped(place, swapped) as (features, positive):
                tree = self._fit(place, features, positive)
            answers = tree.predict(self._tests[place]) == 1
            both = int((answers & self._expected[place]).sum())
            all_of_them = int(answers.sum()) + int(self._expected[place].sum())
            found[f"tree {target.attribute} = {target.positive}"] = (
                2 * both / all_of_them if all_of_them else 1.0
            )
            trees.append(tree)
        return found, trees

    def keep(self, swapped: slice) -> None:
        """Make moves in the release that is held."""
        where = self._positions[swapped]
        for held, moved in zip(self._held, self._moved, strict=True):
            held[0][where], held[1][where] = moved[0][swapped], moved[1][swapped]

    def _swapped(self, place: int, swapped: slice | None) -> _Swapped:
        held = self._held[place]
        if swapped is None:
            return _Swapped(held, None, None)
        moved = self._moved[place]
        return _Swapped(held, self._positions[swapped], (moved[0][swapped], moved[1][swapped]))

    def leaves(self, first: int) -> tuple[list[Sql], int]:
        """SQL of the cell of a record in each tree of the original, from ``first`` on; how many there are."""
        made, count = [], 0
        for place, target in enumerate(self.targets):
            known, found = self._originals[place].tree_, itertools.count()
            leaf = self._leaf(place, known, 0, found)
            made.append(
                render(
                    "tree_cell",
                    leaf=leaf,
                    target=self.encoding.attribute(target.attribute).column,
                    positive=target.positive,
                    first=first + count,
                )
            )
            count += 2 * next(found)
        return made, count

    def _leaf(self, place: int, known: Any, number: int, found: Iterator[int]) -> Sql:
        """SQL of the leaf of a record from a node on."""
        below, above = known.children_left[number], known.children_right[number]
        if below == above:
            return Sql(str(next(found)))
        column, value = self._used[place][known.feature[number]]
        return render(
            "tree_split",
            column=column,
            value=value,
            threshold=repr(float(known.threshold[number])),
            below=self._leaf(place, known, below, found),
            above=self._leaf(place, known, above, found),
        )

    def _fit(self, place: int, features: Any, positive: Any) -> Any:
        from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-not-found,import-untyped,unused-ignore]

        return DecisionTreeClassifier(random_state=0, max_depth=self.targets[place].depth).fit(
            features, positive
        )

    def _features(self, place: int, table: str) -> tuple[Any, Any]:
        import numpy

        target, used = self.targets[place], self._used[place]
        found = self.session.arrays(
            "tree_features",
            source=identifier(table),
            columns=[column for column, _ in used],
            values=[value for _, value in used],
            target=self.encoding.attribute(target.attribute).column,
            positive=target.positive,
        )
        features = numpy.empty((len(found["positive"]), len(used)), dtype=numpy.float32)
        for feature in range(len(used)):
            features[:, feature] = found.pop(f"f{feature}")
        return features, numpy.array(found["positive"])


class _Swapped:
    """Records with some of them replaced, for a while."""

    def __init__(self, held: tuple[Any, Any], where: Any, moved: tuple[Any, Any] | None) -> None:
        self._held, self._where, self._moved = held, where, moved
        self._before: tuple[Any, Any] | None = None

    def __enter__(self) -> tuple[Any, Any]:
        if self._moved is not None:
            features, positive = self._held
            self._before = features[self._where].copy(), positive[self._where].copy()
            features[self._where], positive[self._where] = self._moved
        return self._held

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            self._held[0][self._where], self._held[1][self._where] = self._before
