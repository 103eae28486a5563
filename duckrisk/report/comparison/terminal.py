"""A comparison on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from duckrisk.report.comparison import sentences, tables
from duckrisk.report.tables import Table, cut
from duckrisk.report.terminal import Printer
from duckrisk.report.text import Data

if TYPE_CHECKING:
    from duckrisk.report.comparison import Comparison

MOST_ATTRIBUTES = 25
MOST_PAIRS = 5
#: Attributes and cross tables are shown of so many releases.
MOST_RELEASES = 5


def print_comparison(report: Comparison, file: TextIO, width: int | None = None) -> None:
    """Print a comparison to a stream, as wide as a report is."""
    _Printer(report, file, width).print()


class _Printer(Printer):
    def _everything(self) -> None:
        data = self.data
        self.say(sentences.title(data), "bold")
        self.gap()
        for headline in sentences.headlines(data):
            self.say(headline)
        for problem in sentences.problems(data):
            self.say(problem, "bold")
        self.head("of_compare_figures")
        for number, side_by_side in enumerate(tables.groups(data)):
            if number:
                self.gap()
            self._wide(tables.figures(data, side_by_side))
        if data["tables"][0]["risk"] is not None:
            self.head("of_compare_attributes")
            for side_by_side in tables.groups(data):
                self._wide(cut(tables.risks(data, side_by_side), MOST_ATTRIBUTES))
        releases = data["tables"][1 : MOST_RELEASES + 1]
        self._each("of_compare_losses", [(e, cut(tables.losses(e), MOST_ATTRIBUTES)) for e in releases])
        self._each("of_compare_tables", [(e, cut(tables.cross_tables(e), MOST_PAIRS)) for e in releases])
        self.head("of_compare_reading")
        for sentence in sentences.reading(data):
            self.say(sentence, indent=2)

    def _wide(self, table: Table) -> None:
        """A table whose heads are names: these give way."""
        room = max(10, (self.width - 36) // max(1, len(table.heads) - 1) - 2)
        heads: list[Any] = [table.heads[0], *(self.fit(str(head), room) for head in table.heads[1:])]
        self.table(heads, [list(row) for row in table.rows], set(table.right), more=table.more)

    def _each(self, key: str, found: list[tuple[dict[str, Any], Table]]) -> None:
        shown = [(entry, table) for entry, table in found if table.rows]
        if not shown:
            return
        self.head(key)
        for entry, table in shown:
            if len(self.data["tables"]) > 2:
                self.say(Data(entry["name"]), "bold", indent=2)
            self.table(
                list(table.heads), [list(row) for row in table.rows], set(table.right), more=table.more
            )
