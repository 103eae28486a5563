"""Holds what all searches for a release share: the cost, fresh records, and the state of a search."""

from __future__ import annotations

import dataclasses
import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.contests.membership.records import Encoding
from duckrisk.contests.membership.synthesis import exchange, generator
from duckrisk.contests.membership.synthesis.indices import ROUNDS
from duckrisk.contests.membership.synthesis.judging import Judge
from duckrisk.contests.membership.synthesis.results import RoundName
from duckrisk.contests.membership.synthesis.trees import Target
from duckrisk.engine.session import Session
from duckrisk.engine.templates import identifier
from duckrisk.release.anonymization.randomness import Chance

if TYPE_CHECKING:
    from duckrisk.contests.membership.synthesis.exchange import Cells, Indices
    from duckrisk.engine.session import Array

#: The tables of a search.
ORIGINAL, TEST, BEST, CURRENT, FRESH, MOVES = "members", "test", "best", "current", "fresh", "moves"
_START, _ENCODED, _MOVED = "start", "fresh_encoded", "moved"
#: Number of the draw of the table that a search starts with (derived: fresh draws count from 0).
FIRST = -1
#: Index; a threshold is raised by this, so that rounding does not reach it (derived: sums of doubles).
_ROUNDING = 1e-9
#: Records of a fresh draw at most (a choice: it bounds the memory of the swaps).
_MAX_FRESH = 1_000_000
#: Indices; a guided search aims this far above the thresholds (a choice: later swaps lose some of it).
SLACK = {"histogram": 0.002, "correlation": 0.005}


@dataclass(frozen=True)
class SearchSettings:
    """The settings that decide the path of a search, with all defaults."""

    method: str
    round: RoundName
    guided: bool
    swap: int
    temperature: float
    cooling: float
    seed: int
    bandwidth: float
    population: int
    attributes: tuple[str, ...] | None
    targets: tuple[Target, ...]
    match_marginals: bool = False

    def facts(self) -> dict[str, Any]:
        """Return the settings as JSON data."""
        return dataclasses.asdict(self)

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> SearchSettings:
        """Return the settings of JSON data."""
        targets = tuple(Target(**target) for target in facts["targets"])
        attributes = tuple(facts["attributes"]) if facts["attributes"] is not None else None
        return cls(**{**facts, "targets": targets, "attributes": attributes})


@dataclass
class SearchState:
    """The state of a search.

    Attributes:
        iteration: Iterations so far.
        kept: Proposals that were kept.
        measured: How often the trees were measured.
        batch: Batches so far.
        draw: The number of the draw of fresh records.
        served: Batches that this draw has served.
        trees: The indices of the trees when they were measured last.
        opened: Whether the other indices were reached, so that trees are measured.
        heated: The iteration at which the temperature was reset.
        start: The cost of the first table.
        best: The cost of the best table.
        seconds: The time so far.
        costs: The cost of each table of a population.
    """

    iteration: int = 0
    kept: int = 0
    measured: int = 0
    batch: int = 0
    draw: int = 0
    served: int = 0
    trees: dict[str, float] = field(default_factory=dict)
    opened: bool = False
    heated: int = 0
    start: float = math.inf
    best: float = math.inf
    seconds: float = 0.0
    costs: list[float] = field(default_factory=list)


@dataclass
class Callbacks:
    """The functions that a search calls: whether to stop, to show a line, and to save."""

    stopped: Callable[[], bool] = lambda: False
    line: Callable[[Text, float | None], None] | None = None
    save: Callable[[], None] | None = None


class Search:
    """A search for a release whose indices reach the thresholds of a round.

    Args:
        session: Runs the statements.
        encoding: The encoded tables.
        model: The generator of the original.
        settings: The settings of the search.
        most: The largest number of iterations.
        callbacks: The functions that the search calls.
        judged: The targets of trees.
    """

    def __init__(
        self,
        session: Session,
        encoding: Encoding,
        model: generator.Model,
        settings: SearchSettings,
        most: int,
        callbacks: Callbacks,
        judged: Sequence[Target],
    ) -> None:
        self.session, self.encoding, self.model, self.settings = session, encoding, model, settings
        self.most, self.callbacks, self.state = most, callbacks, SearchState()
        self.records = model.records
        self.swap = min(settings.swap, self.records)
        self.judge = Judge(session, encoding, judged, ORIGINAL, TEST) if judged else None
        self.layout = exchange.lay_out(session, model, encoding, self.judge if settings.guided else None)
        exchange.encode(session, self.layout, ORIGINAL, f"{ORIGINAL}_codes", FIRST)
        self.original = exchange.sum_cells(session, self.layout, f"{ORIGINAL}_codes")
        thresholds = ROUNDS[settings.round]
        self.tree_threshold = thresholds["trees"]
        self.thresholds = {
            name: least + (_ROUNDING if name != "histogram" else 0.0)
            for name, least in thresholds.items()
            if name != "trees"
        }
        self.calculator = exchange.IndexCalculator(
            self.layout, self.original, self.records, self.records, tuple(self.thresholds)
        )
        self.chance = Chance(settings.seed)
        self.columns = encoding.columns
        self.moved = [*("draw", "origin"), *self.columns, *self.layout.codes]
        self.draw: int | None = None
        #: The state at an end within a batch; the saved state repeats the batch.
        self.ended: SearchState | None = None
        self._shown_at = 0.0

    # --- running -----------------------------------------------------------------------------

    def begin(self, restored: bool) -> None:
        """Draw the tables to start with, or continue with those that were restored."""
        raise NotImplementedError

    def advance(self) -> None:
        """Run some iterations."""
        raise NotImplementedError

    def is_done(self) -> bool:
        """Return whether the cost is 0 or the iterations are used up."""
        return self.state.best <= 0 or self.state.iteration >= self.most

    def run(self) -> None:
        """Run until the search is done or stopped."""
        mark = len(self.session.log)
        while self.ended is None and not self.is_done() and not self.callbacks.stopped():
            started = time.perf_counter()
            self.advance()
            seconds = time.perf_counter() - started
            for state in (self.state, *([self.ended] if self.ended else [])):
                state.seconds += seconds
            if self.session.resources.sql_log is None:
                del self.session.log[mark + 40 :]  # the same statements over and over
            if self.callbacks.save is not None:
                self.callbacks.save()

    # --- the cost ------------------------------------------------------------------------------

    def measure_swap_cost(self, indices: Indices) -> float:
        """Return the cost that swaps are judged by, without the trees.

        This is the sum of what indices lack. A guided search replaces the correlation index by the excess of
        all pairs of dummies, and the trees by the error of the counts in leaves of the original's trees.
        """
        if not self.settings.guided:
            return indices.shortfall(self.thresholds)
        import numpy as np

        excess = np.abs(indices.differences) - (1 - self.thresholds["correlation"])
        histogram = {"histogram": self.thresholds["histogram"]}
        return indices.shortfall(histogram) + float(np.maximum(excess, 0.0).sum()) + indices.leaves

    def measure_trees(self, name: str) -> dict[str, float]:
        """Measure the trees of a table."""
        assert self.judge is not None
        self.judge.load_release(name)
        self.state.measured += 1
        return self.judge.measure()

    def tree_shortfall(self, values: dict[str, float]) -> float:
        """Return the sum of what trees lack."""
        return sum(max(0.0, self.tree_threshold - value) for value in values.values())

    # --- tables --------------------------------------------------------------------------------

    def draw_start(self, name: str, number: int = 0) -> None:
        """Draw a table to start with."""
        self._draw_table(_START, self.records, "start", number)
        exchange.encode(self.session, self.layout, _START, name, FIRST - number)

    def restore(self, name: str, source: str) -> None:
        """Encode a table of a saved state."""
        exchange.encode(self.session, self.layout, source, name, None)

    def draw_fresh(self, draw: int) -> None:
        """Make the fresh records of a draw, unless they are there."""
        if draw == self.draw:
            return
        times = 20 if self.settings.guided else 10
        count = max(self.records, min(times * self.records, _MAX_FRESH))
        self._draw_table(_ENCODED, count, "fresh", draw)
        exchange.encode(self.session, self.layout, _ENCODED, FRESH, draw)
        self.draw = draw

    def _draw_table(self, name: str, records: int, *purpose: object) -> None:
        seed = int(self.chance.derive_secret(*purpose)[:15], 16)
        generator.draw(
            self.session,
            self.model,
            name,
            records,
            seed,
            self.settings.bandwidth,
            self.settings.match_marginals,
        )

    def copy_table(self, name: str, source: str) -> None:
        """Copy a table."""
        self.session.run("kept_table", name=name, source=identifier(source))

    # --- proposals -----------------------------------------------------------------------------

    def list_deltas(self, current: str, fresh: str, moves: str, proposals: int) -> list[tuple[Array, Array]]:
        """Return the cells that each proposal changes, and their changes.

        Args:
            current: The table that changes.
            fresh: The table of fresh records.
            moves: The table of proposals.
            proposals: The number of proposals.
        """
        rows = self.session.fetch_arrays(
            "swap_deltas",
            moves=identifier(moves),
            current=identifier(current),
            fresh=identifier(fresh),
            codes=self.layout.codes,
            cells=self.layout.render_cells(),
            values=self.layout.render_values(),
        )
        return self.split_deltas(rows, proposals)

    def split_deltas(self, rows: Mapping[str, Array], proposals: int) -> list[tuple[Array, Array]]:
        """Split the changes of all proposals by proposal."""
        import numpy as np

        places = np.searchsorted(np.asarray(rows["proposal"]), np.arange(proposals + 1))
        cells, deltas = np.asarray(rows["cell"], dtype=np.int64), np.asarray(rows["delta"])
        return [(cells[start:end], deltas[start:end]) for start, end in itertools.pairwise(places.tolist())]

    def load_moves(self) -> None:
        """Give the proposed records to the trees."""
        assert self.judge is not None
        self.session.run(
            "moved_records",
            name=_MOVED,
            moves=identifier(MOVES),
            fresh=identifier(FRESH),
            columns=self.columns,
        )
        self.judge.load_moves(_MOVED, MOVES)

    def apply_delta(self, cells: Cells, delta: tuple[Array, Array]) -> Cells:
        """Return the cells after a proposal."""
        changed = cells.copy()
        changed[delta[0]] += delta[1]
        return changed

    # --- progress ------------------------------------------------------------------------------

    def show(self, cost: float, indices: Indices, kept: float) -> None:
        """Show the progress, at most four times a second."""
        now = time.monotonic()
        if self.callbacks.line is None or now - self._shown_at < 0.25:
            return
        self._shown_at = now
        figures = [
            Sentence("progress.index", name=_name_index(name), value=f"{value:.4f}")
            for name, value in (indices.values | self.state.trees).items()
        ]
        sentence = Sentence(
            "progress.searching",
            iteration=f"{self.state.iteration:,}",
            cost=f"{cost:.4f}",
            indices=join_texts(figures),
            kept=f"{kept:.0%}",
        )
        self.callbacks.line(sentence, self.state.iteration / self.most)


def _name_index(name: str) -> Text:
    """Return the name of an index; that of a tree is what it predicts."""
    return Sentence(f"membership.index.{name}") if name in SLACK or name == "covariance" else Data(name)
