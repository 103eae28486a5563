"""A score on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from duckrisk.report.pwscup import score_sentences as sentences
from duckrisk.report.pwscup import score_tables as tables
from duckrisk.report.pwscup.score import submissions
from duckrisk.report.tables import Table
from duckrisk.report.terminal import Printer

if TYPE_CHECKING:
    from duckrisk.report.pwscup.score import Score

#: How wide the bar of a loss is.
_BAR = 24


def print_score(report: Score, file: TextIO, width: int | None = None) -> None:
    """Print a score to a stream, as wide as a report is."""
    _Printer(report, file, width).print()


class _Printer(Printer):
    def _everything(self) -> None:
        data = self.data
        entries = submissions(data)
        self.say(sentences.title(data), "bold")
        self.gap()
        for sentence in (*sentences.headlines(data), *sentences.facts(data)):
            self.say(sentence)
        if len(entries) == 1:
            self._one(entries[0])
        else:
            self._several()
        self.head("of_score_reading")
        for sentence in sentences.reading(data):
            self.say(sentence, indent=2)

    def _one(self, entry: dict[str, Any]) -> None:
        self.head("of_score_losses")
        table = tables.losses(self.data, [entry])
        values = [*entry["utility"].values(), entry["utl"]]
        rows = [
            [*row, self.bar(min(1.0, value or 0.0), _BAR)]
            for row, value in zip(table.rows, values, strict=True)
        ]
        self.table(["", "", ""], rows, {1}, header=False)
        self.head("of_score_further")
        table = tables.further(self.data, [entry])
        self.table(["", ""], [list(row) for row in table.rows], {1}, header=False)
        if not sentences.is_score(self.data):
            return
        self.head("of_score_safety")
        self._plain(tables.strict(entry))
        if entry["guesses"]:
            self.gap()
            self._plain(tables.guesses(entry))
        self.gap()
        self.say(sentences.totals(entry), "bold")

    def _several(self) -> None:
        self.head("of_score_league")
        self._plain(tables.league(self.data), flexible=(1,))
        parts: list[tuple[str, Any]] = [
            ("of_score_losses", tables.losses),
            ("of_score_further", tables.further),
        ]
        if sentences.is_score(self.data):
            parts.append(("of_score_safety", tables.safety))
        for key, made in parts:
            self.head(key)
            for place, side_by_side in enumerate(tables.groups(self.data)):
                if place:
                    self.gap()
                self._wide(made(self.data, side_by_side))

    def _plain(self, table: Table, flexible: tuple[int, ...] = (0,)) -> None:
        self.table(list(table.heads), [list(row) for row in table.rows], set(table.right), flexible)

    def _wide(self, table: Table) -> None:
        """A table whose heads are names: these give way."""
        room = max(10, (self.width - 34) // max(1, len(table.heads) - 1) - 2)
        heads: list[Any] = [table.heads[0], *(self.fit(str(head), room) for head in table.heads[1:])]
        self.table(heads, [list(row) for row in table.rows], set(table.right), more=table.more)
