"""Options of the check of tables of counts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from duckrisk.base.errors import UsageError
from duckrisk.base.options import OptionSet, option, select_options
from duckrisk.base.options.source import Request

#: The help of ``--attach`` where several tables are checked.
ATTACH = "A database that has each TABLE, named schema.name."
#: What of a source can be said of all tables at once.
OF_SOURCES = select_options(
    Request, "attach", "where", "encoding", "header", "skip_lines", attach={"help": ATTACH}
)
#: Dimensions of a table that is made of records (a choice: 16 margins; more ways are seldom published).
MAX_DIMENSIONS = 4


@dataclass(frozen=True)
class Options(OptionSet):
    """What the cells of a table are, and which of them are unsafe."""

    count: str | None = option(
        None,
        help="The column of counts, where each row of TABLE is a cell.",
        group="Who is who",
        metavar="COLUMN",
        default_text="a column named n, count, patients, …, else a crosstab",
    )
    by: tuple[str, ...] = option(
        (),
        help="A dimension; without --count the records of TABLE are counted by it.",
        group="Who is who",
        metavar="COLUMN",
        default_text="all columns but the counts",
    )
    value: str | None = option(
        None,
        help="Sum this column of the records, such as turnover, instead of counting.",
        group="Who is who",
        metavar="COLUMN",
    )
    user: str | None = option(
        None,
        help="The contributor behind a record, such as a company.",
        group="Who is who",
        metavar="COLUMN",
        default_text="each record is one",
    )
    threshold: int | None = option(
        None,
        help="A cell of fewer is unsafe.",
        minimum=2,
        maximum=10**6,
        default_text="that of the policy: 11, 5 or 3",
    )
    largest: int = option(
        2, help="Of the (n, k) rule: the number of largest contributions.", minimum=1, maximum=100
    )
    dominance: float = option(
        75.0,
        help="Of the (n, k) rule: the largest may be at most this percentage of a sum.",
        above=0,
        maximum=100,
        metavar="PERCENT",
        default_text="75",
    )
    p_percent: float = option(
        10.0,
        help="The rest must reach this percentage of the largest contribution.",
        above=0,
        maximum=100,
        metavar="PERCENT",
        default_text="10",
    )
    export: Path | None = option(
        None,
        help="Write each table with the cells to hide, and input for pytauargus, here.",
        group="Output",
        metavar="FOLDER",
    )

    def check(self) -> None:
        """Refuse options that are out of range or do not go together.

        Raises:
            UsageError: The first fault.
        """
        super().check()
        if self.count is not None and (self.value is not None or self.user is not None):
            raise UsageError("counts.count_and_records")
        if self.value is not None and not self.by:
            raise UsageError("counts.dimensions_missing", option="--value")
        if self.user is not None and not self.by:
            raise UsageError("counts.dimensions_missing", option="--user")
        if self.count is None and len(self.by) > MAX_DIMENSIONS:
            raise UsageError("counts.too_many_dimensions", most=MAX_DIMENSIONS)
        if len(set(self.by)) < len(self.by):
            raise UsageError("counts.dimension_twice")
