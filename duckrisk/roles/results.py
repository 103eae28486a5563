"""What the cells of columns look like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from duckrisk.base.results import Count, Positive
from duckrisk.base.sentences import Sentence

#: Kinds of content that lead to somebody only together with others.
TOGETHER = ("full date", "postal code")
#: Fewer values than these, and than this share of the people who have one, are those of many.
_FEW_VALUES, _SHARED = 20, 0.1
#: Fewer values than this share of people who were counted are those of many.
_SHARED_BY_PEOPLE = 0.02


def is_shared(values: int, people: int, *, counted: bool = False) -> bool:
    """Return whether an address, a number or a page is that of many people, as the telephone of a shop is.

    Args:
        values: The different values.
        people: The people who have one, or the cells that hold one.
        counted: Whether these are people whom a column tells apart.

    Returns:
        Whether there are fewer values than 20 and than a tenth of the people, or than 2 % of counted people.
    """
    return values < max(min(_FEW_VALUES, _SHARED * people), _SHARED_BY_PEOPLE * people if counted else 0)


@dataclass(frozen=True)
class ColumnNotExamined:
    """A column that was not looked at, or not all of it."""

    column: str
    reason: Annotated[
        Literal["type", "values", "engine"],
        "type: cells of its type are not looked at; values: there are too many, and some were looked at; "
        "engine: a distributed engine holds them, and cells stay there.",
    ]


@dataclass(frozen=True)
class IdentifierFound:
    """A column and a kind of identifier that it has valid cells of."""

    metric: ClassVar[str] = "direct_identifiers"

    column: str
    kind: str
    present_cells: Count
    shaped_cells: Count
    valid_cells: Count
    shaped_values: Count
    valid_values: Count
    by_chance: Positive
    values_by_chance: Positive
    likely: Annotated[bool, "Whether there are more valid values than chance brings about."]
    shared: Annotated[bool, "Whether few values are those of many people, and lead to nobody."] = False

    @property
    def checked(self) -> bool:
        """Whether chance would have fewer valid cells."""
        return self.by_chance < self.shaped_cells


@dataclass(frozen=True)
class Counted:
    """A table of counts of people."""

    sql: ClassVar[tuple[str, ...]] = ("count_rows",)

    column: Annotated[str, "Text: the column that says how many people a row stands for."]
    cells: Annotated[Count, "Rows that stand for at least one person."]
    people: Annotated[Count, "The people that they stand for together."]
    empty_cells: Annotated[Count, "Rows that stand for nobody; they are left out."]
    hidden_cells: Annotated[Count, "Rows whose count is hidden or missing; they are left out."]
    total_rows: Annotated[Count, "Rows that are sums of others; they are left out."]

    @property
    def is_whole(self) -> bool:
        """Whether all people are in the rows that are left, each in one."""
        return not self.hidden_cells and not self.total_rows


@dataclass(frozen=True)
class Content:
    """Which identifiers the cells of a source spell: ``examined`` columns were looked at."""

    examined: int = 0
    not_examined: tuple[ColumnNotExamined, ...] = ()
    found: tuple[IdentifierFound, ...] = ()

    def kinds(self) -> dict[str, list[str]]:
        """For each column what identifiers its cells look like, those that lead to somebody alone."""
        return kinds_of(self.found)

    def of_people(self, people: int) -> Content:
        """Return the content with what few values among so many people are: shared by many."""
        found = (
            replace(entry, shared=is_shared(entry.valid_values, min(people, entry.valid_cells), counted=True))
            for entry in self.found
        )
        return replace(self, found=tuple(found))


def kinds_of(identifiers: Iterable[IdentifierFound]) -> dict[str, list[str]]:
    """For each column what identifiers its cells look like, those that lead to somebody alone."""
    kinds: dict[str, list[str]] = {}
    for entry in identifiers:
        if entry.likely and entry.kind not in TOGETHER and not entry.shared:
            kinds.setdefault(entry.column, []).append(entry.kind)
    return kinds


def kind_said(kind: str) -> Sentence:
    """A kind of identifier in words."""
    return Sentence(f"disclosure.kind.{kind}")
