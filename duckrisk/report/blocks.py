"""Documents of blocks: a report before it is rendered to a terminal, Markdown or a page.

Each document is made once; only `report/render` knows the forms. A form handles each kind of block in its own
way: pages draw a figure, and the other forms show its table; pages fold a detail, and the others omit it.

Four functions at the end build blocks and columns from keys of sentences: `heading`, `paragraphs`,
`text_column` and `number_column`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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
    """The heading of a section (level 2) or of a part of it (level 3).

    `anchor` is the target of links to the section on a page, which shows a `folded` section closed at first.
    """

    text: Text
    level: int = 2
    anchor: str = ""
    folded: bool = False


@dataclass(frozen=True)
class Paragraph:
    """Running text with its role; "reading" explains how to read a table or a figure."""

    text: Text
    role: Role = "body"


@dataclass(frozen=True)
class Items:
    """A list of sentences."""

    texts: tuple[Text, ...]
    numbered: bool = False


@dataclass(frozen=True)
class Fact:
    """A key figure: a card on a page, a line elsewhere."""

    name: Text
    figure: Text
    remark: Text = ""
    severity: Literal["", "good", "bad", "open"] = ""

    @property
    def name_with_sign(self) -> Text:
        """The name after the sign of its severity, for readers who do not see the colour."""
        return (
            Sentence("signed", sign=Sentence(f"card.{self.severity}"), name=self.name)
            if self.severity
            else self.name
        )


@dataclass(frozen=True)
class Facts:
    """A row of key figures."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Column:
    """A column of a listing.

    A terminal that is too narrow uses the `short` heads, then drops columns, the highest `priority` first,
    until each column of text has `min_width` characters. A `bar` holds shares of its full length and is drawn
    on terminals only. Only pages and Markdown show a `wide` column. :meth:`Listing.of` takes columns with the
    `cell` of one row.
    """

    head: Text
    numeric: bool = False
    short: Text | None = None
    priority: int = 0
    bar: bool = False
    min_width: int = 10
    wide: bool = False
    cell: Any = ""


@dataclass(frozen=True)
class Listing:
    """A table.

    Each form truncates the rows to its own maximum and to `max_rows`; a terminal to `terminal_rows` if given.
    A `whole` listing is never truncated. `ranks` holds the sort key of each row, to count the rows equal to
    the last one shown. `listed` also counts the rows that the result itself omits. `sql` names the statements
    behind the rows, the most important first. It may name alternatives; a run executes only one of them.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    max_rows: int | None = None
    terminal_rows: int | None = None
    whole: bool = False
    ranks: tuple[Any, ...] = ()
    listed: Truncation | None = None
    sql: tuple[str, ...] = ()
    #: Rows that `truncate` removed.
    hidden: int = 0

    @classmethod
    def of(cls, entries: Iterable[_E], row: Callable[[_E], Iterable[Column]], **fields: Any) -> Listing:
        """Make a listing with one row for each entry.

        Args:
            entries: The entries.
            row: Returns the columns of an entry with its cells; the heads are the same for all entries.
            fields: The other fields of the listing.

        Returns:
            The listing; without entries it has no columns either.

        Raises:
            ValueError: Two entries have different numbers of columns.
        """
        cells = [tuple(row(entry)) for entry in entries]
        heads = tuple(replace(column, cell="") for column in cells[0]) if cells else ()
        rows = (zip(heads, columns, strict=True) for columns in cells)
        return cls(heads, tuple(tuple(column.cell for _, column in pairs) for pairs in rows), **fields)

    def truncate(self, max_rows: int) -> Listing:
        """Keep the first `max_rows` rows, and count the others in `listed`."""
        max_rows = max_rows if self.max_rows is None else min(max_rows, self.max_rows)
        hidden = len(self.rows) - max_rows
        if self.whole or hidden <= 0:
            return self
        listed = self.listed or Truncation(len(self.rows), 0)
        equals = 0
        if self.ranks:
            equals = Truncation.after(max_rows, self.ranks).equal_to_last
            equals += listed.equal_to_last if self.ranks[max_rows - 1] == self.ranks[-1] else 0
        counted = Truncation(listed.total, equals)
        return replace(
            self, rows=self.rows[:max_rows], ranks=self.ranks[:max_rows], listed=counted, hidden=hidden
        )

    @property
    def rows_not_shown(self) -> int:
        """The number of rows that are not shown."""
        return self.listed.total - len(self.rows) if self.listed is not None else 0

    def describe_rest(self, elsewhere: bool = False) -> Sentence | None:
        """Count the rows not shown, and those of them equal to the last row shown.

        Args:
            elsewhere: Whether to mention that another form shows the rows that this one truncated.

        Returns:
            The sentence; None if all rows are shown.
        """
        missing = self.rows_not_shown
        if self.listed is None or not missing:
            return None
        count = format_number(missing)
        rest = Sentence("and_more", count=count)
        if elsewhere and self.hidden == missing:
            rest = Sentence("more_elsewhere", count=count)
        elif elsewhere and self.hidden:
            rest = Sentence("more_partly_elsewhere", count=count, some=format_number(self.hidden))
        equals = self.listed.equal_to_last
        return Sentence("more_equal", told=rest, count=format_number(equals)) if equals else rest

    def select_columns(self, indices: Iterable[int]) -> Listing:
        """Keep the columns with these indices."""
        selected = tuple(indices)
        return replace(
            self,
            columns=tuple(self.columns[i] for i in selected),
            rows=tuple(tuple(row[i] for i in selected) for row in self.rows),
        )

    def drop_empty_columns(self) -> Listing:
        """Drop the columns of numbers whose cells are all "-"."""
        return self.select_columns(
            i
            for i, column in enumerate(self.columns)
            if not column.numeric or any(row[i] != "-" for row in self.rows)
        )


@dataclass(frozen=True)
class Figure:
    """A drawing or several, with sentences on how to read them.

    `listing` holds its numbers. Forms that draw nothing show the listing instead, unless `only_drawn` says
    that it is too long to read. `sql` names the statements behind it, by default those of the listing.
    """

    title: Text
    draw: Callable[[Words], Drawing | list[Drawing]]
    listing: Listing | None = None
    reading: tuple[Text, ...] = ()
    only_drawn: bool = False
    sql: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.sql and self.listing is not None:
            object.__setattr__(self, "sql", self.listing.sql)

    @property
    def stand_in(self) -> Listing | None:
        """The listing for forms that draw nothing; None if there is none to show."""
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
    """Commands to type, each as the list of its words and its purpose."""

    commands: tuple[tuple[tuple[str, ...], Text], ...]


@dataclass(frozen=True)
class Detail:
    """Blocks that few readers need: folded on a page, omitted elsewhere."""

    title: Text
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Pair:
    """Blocks that stand next to each other on a wide page, and below each other elsewhere."""

    left: tuple[Block, ...]
    right: tuple[Block, ...]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks in their order."""
        return (*self.left, *self.right)


@dataclass(frozen=True)
class PageOnly:
    """Blocks that repeat, on the front of a page, what other forms show in their sections."""

    blocks: tuple[Block, ...]


Block = Heading | Paragraph | Items | Facts | Listing | Figure | Code | Commands | Detail | Pair | PageOnly


def flatten_pairs(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks, with those of a pair one after the other.

    Args:
        blocks: The blocks.
    """
    for block in blocks:
        yield from block.blocks if isinstance(block, Pair) else (block,)


def drop_empty_headings(blocks: Iterable[Block]) -> list[Block]:
    """Return blocks without the headings of empty sections."""
    kept: list[Block] = []
    for block in reversed(list(blocks)):
        follows = kept[-1] if kept else None
        if isinstance(block, Heading) and (
            follows is None or (isinstance(follows, Heading) and follows.level <= block.level)
        ):
            continue
        kept.append(block)
    return kept[::-1]


@dataclass(frozen=True)
class Document:
    """A whole report.

    `origin` names the source and the versions, at the foot of every printed page. With `has_signature` a page
    has a form to sign before its folded sections; `follows` says there what a release asks of its sender.
    """

    title: Text
    blocks: tuple[Block, ...]
    origin: Text = ""
    has_signature: bool = False
    follows: tuple[Text, ...] = ()


def heading(key: str, level: int = 2, folded: bool = False) -> Heading:
    """Make a heading from the key of its sentence, which also becomes its anchor."""
    return Heading(Sentence(key), level, key.replace(".", "-"), folded)


def fold_sections(blocks: Iterable[Block]) -> list[Block]:
    """Fold the sections of blocks."""
    return [
        replace(block, folded=True) if isinstance(block, Heading) and block.level == 2 else block
        for block in blocks
    ]


def paragraphs(texts: Iterable[Text | None], role: Role = "body") -> list[Paragraph]:
    """Make a paragraph of each text that is not None."""
    return [Paragraph(text, role) for text in texts if text is not None]


def text_column(
    key: str | Sentence, cell: Any = "", *, short: str | None = None, priority: int = 0, numeric: bool = False
) -> Column:
    """Make a column of texts from the key of its head.

    Args:
        key: The key of its head, or the sentence itself.
        cell: The cell of one row, for :meth:`Listing.of`.
        short: The key of its head on a narrow terminal.
        priority: A narrow terminal drops the columns of the highest priority first.
        numeric: Whether it holds numbers, which are aligned to the right and never shortened.
    """
    return Column(
        _as_sentence(key), numeric, Sentence(short) if short is not None else None, priority, cell=cell
    )


def number_column(
    key: str | Sentence, cell: Any = "", *, short: str | None = None, priority: int = 0
) -> Column:
    """Make a column of numbers from the key of its head; see :func:`text_column`."""
    return text_column(key, cell, short=short, priority=priority, numeric=True)


def _as_sentence(key: str | Sentence) -> Sentence:
    return Sentence(key) if isinstance(key, str) else key
