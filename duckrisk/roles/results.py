"""What the cells of columns look like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from duckrisk.results import Count, Positive
from duckrisk.sentences import Sentence, say

#: Kinds of content that lead to somebody only together with others.
TOGETHER = ("full date", "postal code")
#: Fewer web addresses than these, and than this share of the cells with one, are pages of many.
_PAGES, _SHARED = 20, 0.1


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

    @property
    def checked(self) -> bool:
        """Whether chance would have fewer valid cells."""
        return self.by_chance < self.shaped_cells

    @property
    def shared(self) -> bool:
        """Whether it is a page that many records tell, as that which somebody came from, and nobody's own."""
        few = self.valid_values < min(_PAGES, _SHARED * self.valid_cells)
        return self.kind == "web address" and few


@dataclass(frozen=True)
class Content:
    """Which identifiers the cells of a source spell: ``examined`` columns were looked at."""

    examined: int = 0
    not_examined: tuple[ColumnNotExamined, ...] = ()
    found: tuple[IdentifierFound, ...] = ()

    def kinds(self) -> dict[str, list[str]]:
        """For each column what identifiers its cells look like, those that lead to somebody alone."""
        return kinds_of(self.found)


def kinds_of(identifiers: Iterable[IdentifierFound]) -> dict[str, list[str]]:
    """For each column what identifiers its cells look like, those that lead to somebody alone."""
    kinds: dict[str, list[str]] = {}
    for entry in identifiers:
        if entry.likely and entry.kind not in TOGETHER and not entry.shared:
            kinds.setdefault(entry.column, []).append(entry.kind)
    return kinds


def kind_said(kind: str) -> Sentence:
    """A kind of identifier in words."""
    return say(f"disclosure.kind.{kind}")
