"""What the searches for a release that passes have in common: the cost, fresh records, where a search is."""

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
#: The draw of the table that a search starts with.
FIRST = -1
#: So much above a threshold of what is no whole number counts as reached.
_ROUNDING = 1e-9
#: A fresh draw has so many records for each of the table, within limits.
_MOST_FRESH = 1_000_000
#: A guided search proposes what leads so far beyond the thresholds.
SLACK = {"histogram": 0.002, "correlation": 0.005}


@dataclass(frozen=True)
class SearchSettings:
    """How a search goes, with all defaults: what makes its path, besides the tables."""

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
        """As JSON has it."""
        return dataclasses.asdict(self)

    @classmethod
    def of(cls, facts: dict[str, Any]) -> SearchSettings:
        """From JSON."""
        targets = tuple(Target(**each) for each in facts["targets"])
        attributes = tuple(facts["attributes"]) if facts["attributes"] is not None else None
        return cls(**{**facts, "targets": targets, "attributes": attributes})


@dataclass
class SearchState:
    """Where a search is: iterations, swaps that were kept, how often trees were measured, batches, the draw
    of fresh records and how many batches it has served; the trees' indices as they were measured last, and
    whether they have been since the others allowed it, and when that heated anew; the costs, also of
    each table of a population."""

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
    """What a search is told from outside: whether to stop, where to show a line, and when to save."""

    stopped: Callable[[], bool] = lambda: False
    line: Callable[[Text, float | None], None] | None = None
    save: Callable[[], None] | None = None


class Search:
    """The state that all searches share; made once for a session."""

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
        self.layout = exchange.layout_of(session, model, encoding, self.judge if settings.guided else None)
        exchange.encode(session, self.layout, ORIGINAL, f"{ORIGINAL}_codes", FIRST)
        self.original = exchange.totals(session, self.layout, f"{ORIGINAL}_codes")
        thresholds = ROUNDS[settings.round]
        self.tree_threshold = thresholds["trees"]
        self.thresholds = {
            name: least + (_ROUNDING if name != "histogram" else 0.0)
            for name, least in thresholds.items()
            if name != "trees"
        }
        self.measure = exchange.Measure(
            self.layout, self.original, self.records, self.records, tuple(self.thresholds)
        )
        self.chance = Chance(settings.seed)
        self.columns = encoding.columns
        self.moved = [*("draw", "origin"), *self.columns, *self.layout.codes]
        self.draw: int | None = None
        #: Where it ended within a batch, which a state forgets: who goes on does the batch anew.
        self.ended: SearchState | None = None
        self._shown_at = 0.0

    # --- the way -------------------------------------------------------------------------------

    def begin(self, restored: bool) -> None:
        """Draw what it starts with, or take up what was restored."""
        raise NotImplementedError

    def turn(self) -> None:
        """Go some iterations further."""
        raise NotImplementedError

    def done(self) -> bool:
        """Whether the cost is 0 or the iterations are used up."""
        return self.state.best <= 0 or self.state.iteration >= self.most

    def run(self) -> None:
        """Go on until it is done, or told to stop."""
        mark = len(self.session.log)
        while self.ended is None and not self.done() and not self.callbacks.stopped():
            started = time.perf_counter()
            self.turn()
            seconds = time.perf_counter() - started
            for state in (self.state, *([self.ended] if self.ended else [])):
                state.seconds += seconds
            if self.session.resources.sql_log is None:
                del self.session.log[mark + 40 :]  # the same statements over and over
            if self.callbacks.save is not None:
                self.callbacks.save()

    # --- the cost ------------------------------------------------------------------------------

    def driving(self, indices: Indices) -> float:
        """What swaps are judged by without the trees: by how much indices are short. In a guided search the
        excess of all pairs of dummies, not of the worst alone, stands for the correlation index, and how far
        the leaves of the original's trees are from having as many records for the trees."""
        if not self.settings.guided:
            return indices.short(self.thresholds)
        import numpy as np

        excess = np.abs(indices.differences) - (1 - self.thresholds["correlation"])
        histogram = {"histogram": self.thresholds["histogram"]}
        return indices.short(histogram) + float(np.maximum(excess, 0.0).sum()) + indices.leaves

    def trees_of(self, name: str) -> dict[str, float]:
        """Measure the trees of a table."""
        assert self.judge is not None
        self.judge.hold(name)
        self.state.measured += 1
        return self.judge.values()

    def short_trees(self, values: dict[str, float]) -> float:
        """By how much trees are short."""
        return sum(max(0.0, self.tree_threshold - value) for value in values.values())

    # --- tables --------------------------------------------------------------------------------

    def start(self, name: str, number: int = 0) -> None:
        """Draw a table to start with."""
        self._drawn(_START, self.records, "start", number)
        exchange.encode(self.session, self.layout, _START, name, FIRST - number)

    def restore(self, name: str, source: str) -> None:
        """Make a table of a state one that can be swapped."""
        exchange.encode(self.session, self.layout, source, name, None)

    def fresh(self, draw: int) -> None:
        """Have the fresh records of a draw."""
        if draw == self.draw:
            return
        times = 20 if self.settings.guided else 10
        count = max(self.records, min(times * self.records, _MOST_FRESH))
        self._drawn(_ENCODED, count, "fresh", draw)
        exchange.encode(self.session, self.layout, _ENCODED, FRESH, draw)
        self.draw = draw

    def _drawn(self, name: str, records: int, *purpose: object) -> None:
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

    def keep(self, name: str, source: str) -> None:
        """Make a copy of a table."""
        self.session.run("kept_table", name=name, source=identifier(source))

    # --- proposals -----------------------------------------------------------------------------

    def deltas(self, current: str, fresh: str, moves: str, proposals: int) -> list[tuple[Array, Array]]:
        """What each proposal changes: cells, and by how much."""
        rows = self.session.fetch_arrays(
            "swap_deltas",
            moves=identifier(moves),
            current=identifier(current),
            fresh=identifier(fresh),
            codes=self.layout.codes,
            cells=self.layout.cells(),
            values=self.layout.added(),
        )
        return self.split(rows, proposals)

    def split(self, rows: Mapping[str, Array], proposals: int) -> list[tuple[Array, Array]]:
        """What each proposal changes, of all of them together."""
        import numpy as np

        places = np.searchsorted(np.asarray(rows["proposal"]), np.arange(proposals + 1))
        cells, deltas = np.asarray(rows["cell"], dtype=np.int64), np.asarray(rows["delta"])
        return [(cells[start:end], deltas[start:end]) for start, end in itertools.pairwise(places.tolist())]

    def hold_moves(self) -> None:
        """Let the trees know the proposals."""
        assert self.judge is not None
        self.session.run(
            "moved_records",
            name=_MOVED,
            moves=identifier(MOVES),
            fresh=identifier(FRESH),
            columns=self.columns,
        )
        self.judge.hold_moves(_MOVED, MOVES)

    def changed(self, cells: Cells, delta: tuple[Array, Array]) -> Cells:
        """The cells after a proposal."""
        changed = cells.copy()
        changed[delta[0]] += delta[1]
        return changed

    # --- telling -------------------------------------------------------------------------------

    def tell(self, cost: float, indices: Indices, kept: float) -> None:
        """Show where the search is, four times a second."""
        now = time.monotonic()
        if self.callbacks.line is None or now - self._shown_at < 0.25:
            return
        self._shown_at = now
        figures = [
            Sentence("progress.index", name=_index(name), value=f"{value:.4f}")
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


def _index(name: str) -> Text:
    """What an index is called: a tree by what it predicts."""
    return Sentence(f"membership.index.{name}") if name in SLACK or name == "covariance" else Data(name)
