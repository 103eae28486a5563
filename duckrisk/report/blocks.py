"""A report before it has a form: a document of blocks, made once, rendered to every form.

Only ``report/render`` knows forms. What a form cannot show it leaves out by the kind of block: a figure is
drawn on pages, its table stands in for it elsewhere; what is folded on a page is left out on a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from duckrisk.base.numbers import format_number
from duckrisk.base.results import Truncation
from duckrisk.base.sentences import Sentence, Text

if TYPE_CHECKING:
    from duckrisk.report.charts import Drawing
    from duckrisk.report.words import Words

_E = TypeVar("_E")
Role = Literal["verdict", "headline", "body", "reading", "warning"]


@dataclass(frozen=True)
class Heading:
    """The head of a section (level 2) or of a part of one; ``anchor`` is its place on a page."""

    text: Text
    level: int = 2
    anchor: str = ""


@dataclass(frozen=True)
class Paragraph:
    """A sentence or some, and what it is for: how to read something is "reading"."""

    text: Text
    role: Role = "body"


@dataclass(frozen=True)
class Items:
    """Sentences in a list."""

    texts: tuple[Text, ...]
    numbered: bool = False


@dataclass(frozen=True)
class Fact:
    """A figure to see first: a card on a page, a line elsewhere."""

    name: Text
    figure: Text
    remark: Text = ""
    severity: Literal["", "good", "bad", "open"] = ""

    @property
    def signed(self) -> Text:
        """Its name after the sign of its severity, which colour alone must not tell."""
        return (
            Sentence("signed", sign=Sentence(f"card.{self.severity}"), name=self.name)
            if self.severity
            else self.name
        )


@dataclass(frozen=True)
class Facts:
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Column:
    """A column of a listing.

    ``short`` is its head where there is little room. Where there is too little for all, the columns of the
    highest ``priority`` go first, so that one of text keeps ``room`` cells; 0 stays. A ``bar`` has shares of
    its length as cells and is drawn on terminals alone; a ``wide`` one is left to pages and Markdown.
    :meth:`Listing.of` takes columns with the ``cell`` of a row.
    """

    head: Text
    numeric: bool = False
    short: Text | None = None
    priority: int = 0
    bar: bool = False
    room: int = 10
    wide: bool = False
    cell: Any = ""


@dataclass(frozen=True)
class Listing:
    """A table. A form shows as many rows as it has room for, and never more than ``most``; on a terminal
    ``brief`` rows are enough. A ``whole`` one is never cut. What the rows are ordered by is in ``ranks``, for
    each of them; ``listed`` counts also those that are in no form. ``sql`` names the statements whose results
    the rows are made of, most telling first; of those that do the same in other ways, one ran."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    most: int | None = None
    brief: int | None = None
    whole: bool = False
    ranks: tuple[Any, ...] = ()
    listed: Truncation | None = None
    sql: tuple[str, ...] = ()
    #: The rows that this form leaves out.
    hidden: int = 0

    @classmethod
    def of(cls, entries: Iterable[_E], row: Callable[[_E], Iterable[Column]], **facts: Any) -> Listing:
        """Make a listing of entries.

        Args:
            entries: What the rows are about.
            row: The columns for an entry, each with its cell; their heads are the same for all entries.
            facts: The other fields of the listing.
        """
        made = [tuple(row(entry)) for entry in entries]
        heads = tuple(replace(column, cell="") for column in made[0]) if made else ()
        rows = (zip(heads, columns, strict=True) for columns in made)
        return cls(heads, tuple(tuple(column.cell for _, column in pairs) for pairs in rows), **facts)

    def cut(self, most: int) -> Listing:
        """The first rows, and how many more there were."""
        most = most if self.most is None else min(most, self.most)
        hidden = len(self.rows) - most
        if self.whole or hidden <= 0:
            return self
        listed = self.listed or Truncation(len(self.rows), 0)
        equals = 0
        if self.ranks:
            equals = Truncation.after(most, self.ranks).equal_to_last
            equals += listed.equal_to_last if self.ranks[most - 1] == self.ranks[-1] else 0
        counted = Truncation(listed.total, equals)
        return replace(self, rows=self.rows[:most], ranks=self.ranks[:most], listed=counted, hidden=hidden)

    @property
    def more(self) -> int:
        """How many rows are not shown."""
        return self.listed.total - len(self.rows) if self.listed is not None else 0

    def left(self, elsewhere: bool = False) -> Sentence | None:
        """How many rows are not shown, and how many of them are equal to the last one that is; ``elsewhere``
        says where those are that this form alone leaves out."""
        more = self.more
        if self.listed is None or not more:
            return None
        rest, count = Sentence("and_more", count=format_number(more)), format_number(more)
        if elsewhere and self.hidden == more:
            rest = Sentence("more_elsewhere", count=count)
        elif elsewhere and self.hidden:
            rest = Sentence("more_partly_elsewhere", count=count, some=format_number(self.hidden))
        equals = self.listed.equal_to_last
        return Sentence("more_equal", told=rest, count=format_number(equals)) if equals else rest

    def only(self, keep: Iterable[int]) -> Listing:
        """The listing with these columns alone."""
        places = tuple(keep)
        return replace(
            self,
            columns=tuple(self.columns[i] for i in places),
            rows=tuple(tuple(row[i] for i in places) for row in self.rows),
        )

    def without_empty(self) -> Listing:
        """The listing without the columns of numbers that hold none at all."""
        return self.only(
            i
            for i, column in enumerate(self.columns)
            if not column.numeric or any(row[i] != "-" for row in self.rows)
        )


@dataclass(frozen=True)
class Figure:
    """A drawing with how to read it where it is drawn. ``listing`` has its numbers and stands in for it
    elsewhere, unless it is too long to be read (``only_drawn``). ``sql`` names statements as in a listing,
    whose own it is where there is one."""

    title: Text
    draw: Callable[[Words], Drawing]
    listing: Listing | None = None
    reading: tuple[Text, ...] = ()
    only_drawn: bool = False
    sql: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.sql and self.listing is not None:
            object.__setattr__(self, "sql", self.listing.sql)

    @property
    def stand_in(self) -> Listing | None:
        """What is shown where nothing is drawn."""
        return (
            self.listing if self.listing is not None and self.listing.rows and not self.only_drawn else None
        )


@dataclass(frozen=True)
class Code:
    """Text to copy: a command, a statement."""

    text: str
    language: str = "sh"


@dataclass(frozen=True)
class Commands:
    """Commands to type, each as its words, and what it is for."""

    commands: tuple[tuple[tuple[str, ...], Text], ...]


@dataclass(frozen=True)
class Detail:
    """What few want to see: folded on a page, left out elsewhere."""

    title: Text
    blocks: tuple[Block, ...]


Block = Heading | Paragraph | Items | Facts | Listing | Figure | Code | Commands | Detail


@dataclass(frozen=True)
class Document:
    """A whole report. ``origin`` says what made it from what, on every printed page; a report that somebody
    decides by has a place to sign on paper."""

    title: Text
    blocks: tuple[Block, ...]
    origin: Text = ""
    signed: bool = False


def head(key: str, level: int = 2) -> Heading:
    """Return the head of a section by its key, which is also its place on a page."""
    return Heading(Sentence(key), level, key.replace(".", "-"))


def paragraphs(texts: Iterable[Text | None], role: Role = "body") -> list[Paragraph]:
    """Return a paragraph for each text that is one."""
    return [Paragraph(text, role) for text in texts if text is not None]


def column(
    key: str | Sentence, cell: Any = "", *, short: str | None = None, priority: int = 0, numeric: bool = False
) -> Column:
    """Return a column of texts by the key of its head."""
    return Column(_said(key), numeric, Sentence(short) if short is not None else None, priority, cell=cell)


def numbers(key: str | Sentence, cell: Any = "", *, short: str | None = None, priority: int = 0) -> Column:
    """Return a column of numbers by the key of its head."""
    return column(key, cell, short=short, priority=priority, numeric=True)


def _said(key: str | Sentence) -> Sentence:
    return Sentence(key) if isinstance(key, str) else key
