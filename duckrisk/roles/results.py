"""Results about the values of columns: identifiers in them, and counts of people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from duckrisk.base.results import Count, Positive
from duckrisk.base.sentences import Sentence

#: Kinds of content that identify only in combination with others.
TOGETHER = ("full date", "postal code")
#: Distinct values, and share of the people with a value; fewer than both are shared by many (a choice: five
#: people to a value).
FEW_VALUES, SHARED = 20, 0.1
#: Share of counted people; fewer distinct values are shared by many (a choice: 50 people to a value; half and
#: twice of it read all 113 tables of tests/labelled.py alike).
_SHARED_BY_PEOPLE = 0.02


def is_shared(values: int, people: int, *, counted: bool = False) -> bool:
    """Return whether many people share an identifier, such as a shop's telephone.

    Args:
        values: The number of distinct values.
        people: The people with a value, or the records.
        counted: Whether ``people`` counts persons that a column distinguishes.

    Returns:
        Whether the values are fewer than 20 and than 10 % of the people, or than 2 % of counted people.
    """
    return values < max(min(FEW_VALUES, SHARED * people), _SHARED_BY_PEOPLE * people if counted else 0)


@dataclass(frozen=True)
class ColumnNotExamined:
    """A column that was not searched, or not all of it."""

    column: str
    reason: Annotated[
        Literal["type", "values", "engine"],
        "type: cells of its type are not looked at; values: there are too many, and some were looked at; "
        "engine: a distributed engine holds them, and cells stay there.",
    ]


@dataclass(frozen=True)
class IdentifierFound:
    """A kind of identifier that a column has valid values of."""

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
    likely: bool
    shared: Annotated[bool, "Whether few values are those of many people, and lead to nobody."] = False

    @property
    def checked(self) -> bool:
        """Whether the kind has check digits, which most arbitrary values fail."""
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
        """Whether no row was left out: each person is in one of the others."""
        return not self.hidden_cells and not self.total_rows


@dataclass(frozen=True)
class Content:
    """Identifiers in the values of a source; ``examined`` columns were searched."""

    examined: int = 0
    not_examined: tuple[ColumnNotExamined, ...] = ()
    found: tuple[IdentifierFound, ...] = ()

    def kinds(self) -> dict[str, list[str]]:
        """Group the kinds that identify alone by column."""
        return group_kinds(self.found)

    def with_shared_values(self, people: int) -> Content:
        """Mark the identifiers that many of the counted people share."""
        marked = (
            replace(entry, shared=is_shared(entry.valid_values, min(people, entry.valid_cells), counted=True))
            for entry in self.found
        )
        return replace(self, found=tuple(marked))


def group_kinds(identifiers: Iterable[IdentifierFound]) -> dict[str, list[str]]:
    """Group the kinds of identifiers that identify alone by column."""
    kinds: dict[str, list[str]] = {}
    for entry in identifiers:
        if entry.likely and entry.kind not in TOGETHER and not entry.shared:
            kinds.setdefault(entry.column, []).append(entry.kind)
    return kinds


def describe_kind(kind: str) -> Sentence:
    """Describe a kind of identifier in words."""
    return Sentence(f"disclosure.kind.{kind}")
