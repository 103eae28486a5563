"""What is found in tables of counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from duckrisk.base.results import (
    Baseline,
    Count,
    Environment,
    Gates,
    Positive,
    Result,
    Share,
    Truncation,
    Version,
    aside,
    left_out,
)
from duckrisk.base.sentences import Sentence
from duckrisk.engine.sql_log import Statement

Form = Literal["rows", "crosstab", "records"]


@dataclass(frozen=True)
class UnsafeCells:
    """Cells with a count that a rule calls unsafe; a cell can break several rules."""

    sql: ClassVar[tuple[str, ...]] = ("cells_of_table",)

    cells: Annotated[Count, "Cells that break any rule."]
    small: Annotated[Count, "Cells of fewer people than the threshold."]
    dominated: Annotated[Count, "Cells that the n largest contributions dominate."]
    close: Annotated[Count, "Cells whose largest contributor can estimate the second within p percent."]


@dataclass(frozen=True)
class Exposure:
    """What totals reveal of hidden cells."""

    hidden: Annotated[Count, "Hidden cells."]
    exact: Annotated[Count, "Of these, cells whose count follows exactly."]
    by_subtraction: Annotated[
        Count, "Of the exact ones, those that totals give without any further knowledge."
    ]
    narrow: Annotated[Count, "Hidden cells whose bounds are closer than the rule asks for, but not exact."]
    contradictory: Annotated[Count, "Hidden cells for which no counts of 0 or more fit the totals."]


@dataclass(frozen=True)
class Mended:
    """The table after more cells were hidden; the bounds were computed again."""

    unsafe: Annotated[Count, "Unsafe cells that were shown, and are hidden now."]
    added: Annotated[Count, "Safe cells that are hidden too, so that no bounds are too close."]
    added_share: Annotated[
        Share | None, "The sum of the added cells without totals, as a share of the table."
    ]
    hidden: Annotated[Count, "Hidden cells in all."]
    still_open: Annotated[Count, "Cells whose bounds stay too close, for no further cell widens them."]


@dataclass(frozen=True)
class CellFound:
    """A cell that follows from others, or that has to be hidden."""

    place: Annotated[
        tuple[int, ...], "Its number in each dimension, by the order of labels; 0 for the total."
    ]
    why: Annotated[
        Literal["hidden", "unsafe", "added"],
        "hidden: the table hides it; unsafe: a rule says that it has to be hidden; added: to protect others.",
    ]
    outcome: Annotated[Literal["subtracted", "exact", "narrow", "added"], "What follows from the totals."]
    lower: Annotated[Positive | None, "The least count; null for a sum, unless values are shown."]
    upper: Annotated[Positive | None, "The largest count; null without a limit too."]
    labels: Annotated[
        tuple[str, ...] | None, "Its labels; present only where settings.show_values is true."
    ] = left_out()


@dataclass(frozen=True)
class CountsTable:
    """A table of counts, or of sums."""

    sql: ClassVar[tuple[str, ...]] = ("cells_of_table", "check_totals")

    name: Annotated[str, "The name of the table, without its folder."]
    form: Annotated[Form, "rows: a row is a cell; crosstab; records: the table was made of them."]
    dimensions: Annotated[tuple[str, ...], "The columns that the table is divided by."]
    column: Annotated[str | None, "The column that was counted or summed; null for records or a crosstab."]
    cells: Annotated[Count, "Cells without totals."]
    totals: Annotated[Count, "Cells that are totals."]
    lines: Annotated[Count, "Rows and columns of cells that have a total."]
    wrong_lines: Annotated[Count, "Those of them without hidden cells whose cells add up to something else."]
    unsafe: UnsafeCells
    exposure: Annotated[Exposure, "Of the cells that the table hides; of its unsafe cells if it hides none."]
    read_elsewhere: Annotated[Count, "Hidden cells that another table shows."]
    outer: Annotated[bool, "Whether bounds of three ways are too far, because no solver is installed."]
    mended: Mended
    found: Annotated[
        tuple[CellFound, ...], "The cells of note, those that follow exactly first; 100 at most."
    ]
    listed: Truncation


@dataclass(frozen=True)
class SharedCells:
    """What two tables say of the same people."""

    sql: ClassVar[tuple[str, ...]] = ("shared_cells",)

    first: str
    second: str
    dimensions: Annotated[tuple[str, ...], "The dimensions that both have."]
    compared: Annotated[Count, "Counts that both tables have, or hide."]
    differences: Annotated[
        Count, "Counts that differ by less than the threshold: that number is in one alone."
    ]
    smallest: Annotated[Count | None, "The smallest difference above 0; null without a small one."]
    revealed: Annotated[Count, "Counts that one table hides and the other shows."]


@dataclass(frozen=True)
class CountsSettings:
    """What was asked for, with all defaults."""

    policy: str
    threshold: Count
    largest: Count
    dominance: Positive
    p_percent: Positive
    user: str | None
    show_values: bool


@dataclass(frozen=True, repr=False, kw_only=True)
class Tables(Result):
    """What tables of counts reveal of the cells that they hide."""

    report: ClassVar[str] = "tables"
    listing: ClassVar[str] = "tables"

    version: Version = 1
    kind: Literal["tables"] = "tables"
    tables: tuple[CountsTable, ...]
    shared: Annotated[tuple[SharedCells, ...], "Each pair of tables."]
    notes: Annotated[tuple[Sentence, ...], "How the tables were read."]
    settings: CountsSettings
    environment: Environment
    statements: tuple[Statement, ...] = aside()
    gates: Gates = ()
    baseline: Baseline | None = left_out()

    @classmethod
    def comparable_part(cls, data: Any) -> Any:
        """Return what a report and its baseline have in common: the dimensions."""
        return [table["dimensions"] for table in data.get("tables", [])]
