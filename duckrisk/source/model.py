"""What a person asks to assess, what a reader finds, and what an opened source is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.base.options.source import UTC
from duckrisk.base.options.source import Request as Request
from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.engine.templates import Sql
from duckrisk.engine.types import is_timestamp_with_zone
from duckrisk.source.digest import Digest

if TYPE_CHECKING:
    from duckrisk.source.written import Found, Reading

#: Names that a note lists.
_NAMED = 3


@dataclass(frozen=True)
class Place:
    """What one opening has to itself in a session that opens ``several``: a ``folder`` for private copies,
    and the names that a database is attached and a table in Python registered under. ``readings`` are how
    the sources that were opened before have columns, by their names in lower case; ``as_written`` says that
    columns nobody spoke of stay as the engine reads them."""

    folder: Path
    database: str = "attached"
    registered: str = "registered"
    several: bool = False
    readings: dict[str, Reading] = field(default_factory=dict)
    as_written: bool = False


@dataclass(frozen=True)
class Column:
    """A column of the source: its ``position`` from 0, the ``name`` for people (unique), the
    engine's ``type``, and the ``binding`` that templates use."""

    position: int
    name: str
    type: str

    @property
    def binding(self) -> str:
        return f"c{self.position}"


class Named(Protocol):
    """Whatever has a name for people."""

    @property
    def name(self) -> str: ...


_Some = TypeVar("_Some", bound=Named)


def named(columns: Sequence[_Some], name: str) -> _Some | None:
    """The column of that name, exactly or else in any case, or None; raises UsageError where the name fits
    several."""
    matches = [column for column in columns if column.name == name] or [
        column for column in columns if column.name.casefold() == name.casefold()
    ]
    if len(matches) > 1:
        every = ", ".join(f'"{column.name}"' for column in matches)
        raise UsageError("source.ambiguous_column", name=name, count=len(matches), columns=every)
    return matches[0] if matches else None


@dataclass
class Source:
    """An opened source.

    ``readable`` is a relation with real column names where they are unambiguous, for SQL that is printed
    for people, and ``setup`` the statements that a plain DuckDB needs before (to attach a database);
    ``notes`` are sentences on what was done to open it, ``restricted`` says
    that a condition chose the records. ``spelled`` reads the columns at some positions anew, as texts as
    they are written, with those before; only a CSV file has it, and not where a query or a condition works
    on its types. ``formats`` read a ``value`` of a release that is written as the column at a position is.
    ``carry`` opens the source as a view with digests for the long cells of some columns; ``view`` has them
    for those at ``digested``. ``recipe`` is what it was made by, where it is a release that has its recipe
    beside it, ``renamed`` are columns that it gave pseudonyms to, ``dropped`` those that it left out,
    ``users`` those by which it counted people, and ``lacked`` those that settings speak of and that it left
    out. ``narrow`` are the bindings of columns of 32-bit numbers that are read as numbers
    of 64 bits, as another source has them. ``held`` says that its records are in memory, in a table in place
    of the assessed view. ``total`` counts the records of the source before a condition or a query chose some;
    None without either, and where a query alone says what the source is. ``timezone`` is that of days and
    times of columns with moments. ``queried`` says that a query made the columns, ``read`` is what a person
    said of how they are written, ``readings`` are those whose texts are read as numbers or days, and
    ``undated`` those of days whose years have two digits of no known century, which are texts; ``said`` is
    what the notes say of all that. ``header_lines`` are the lines of a text file before
    its first record; 0 where a record has no line of its own. ``key`` are the positions of the
    columns that the key of the person was formed of, and ``folds`` says that it has one writing.
    """

    name: str
    kind: str
    columns: list[Column]
    readable: Sql
    readable_names: list[str]
    setup: tuple[Sql, ...] = ()
    digest: Digest | None = None
    encoding: str | None = None
    notes: list[Sentence] = field(default_factory=list)
    restricted: bool = False
    spelled: Callable[[Sequence[int]], None] | None = None
    formats: Mapping[int, Sql] = field(default_factory=dict)
    carry: Callable[..., bool] | None = None
    view: str = ""
    digested: tuple[int, ...] = ()
    recipe: Path | None = None
    renamed: frozenset[str] = frozenset()
    dropped: tuple[str, ...] = ()
    users: frozenset[str] = frozenset()
    lacked: dict[str, None] = field(default_factory=dict)
    held: bool = False
    narrow: frozenset[str] = frozenset()
    total: int | None = None
    timezone: str = UTC
    queried: bool = False
    read: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = ()
    undated: tuple[str, ...] = ()
    said: tuple[Sentence, ...] = ()
    header_lines: int = 0
    form_key: Callable[[Source], None] | None = None
    key: tuple[int, ...] = ()
    folds: bool = False

    @property
    def zoned(self) -> list[Sentence]:
        """A note on the time zone of the days of moments, where a column holds these."""
        zoned = [column.name for column in self.columns if is_timestamp_with_zone(column.type)]
        first, more = zoned[:_NAMED], len(zoned) - _NAMED
        names: Text = join_texts(Sentence("roles.quoted", name=Data(name)) for name in first)
        names = Sentence("list", names=names, more=str(more)) if more > 0 else names
        return [Sentence("source.timezone", names=names, timezone=Data(self.timezone))] if zoned else []

    def lacks(self, name: str) -> bool:
        """Whether a release lacks a column that settings speak of: no fault, for its recipe says why."""
        if self.recipe is None or named(self.columns, name) is not None:
            return False
        self.lacked[name] = None
        return True

    @property
    def lacking(self) -> list[Sentence]:
        """A note on what settings say of columns that the release lacks."""
        if not self.lacked or self.recipe is None:
            return []
        names = join_texts(Sentence("roles.quoted", name=Data(name)) for name in self.lacked)
        values = {"names": names, "count": str(len(self.lacked)), "recipe": Data(self.recipe.name)}
        return [Sentence("source.lacked", **values)]

    def carried(self, long: Sequence[int], **kept: int) -> bool:
        """Whether long cells of the columns at these positions are carried as digests from now on, with their
        first characters as ``kept`` says."""
        if self.carry is None or (not long and not self.digested):
            return not long
        carried = self.carry(self.view, long, **kept)
        self.digested = tuple(long) if carried else self.digested
        return carried

    def key_of(self, names: Sequence[str], called: str | None = None, *, folds: bool = False) -> Column:
        """Form the key of the person of columns: of several one, and in one writing where it ``folds``.

        Args:
            names: The columns; the key takes the place of the first.
            called: The name of the key, that of the first column without one.
            folds: Whether keys that differ in case, blanks or width alone are one.
        """
        columns = [self.column(name) for name in names]
        self.key = self.key if called is None and self.key else tuple(c.position for c in columns)
        self.folds = self.folds or folds
        first = replace(columns[0], name=called or columns[0].name, type="VARCHAR")
        self.columns[first.position] = first
        if self.form_key is not None:
            self.form_key(self)
        return first

    def shown_as(self, view: str) -> None:
        """From now on the source is this view, with all cells as they are."""
        assert self.carry is not None
        self.view, self.digested = view, ()
        self.carry(view, ())

    def column(self, name: str) -> Column:
        """The column of that name, exactly or else in any case; raises UsageError otherwise."""
        if (column := named(self.columns, name)) is not None:
            return column
        names = [column.name for column in self.columns]
        raise UsageError(
            "source.column_not_found", name=self.name, name_2=name, suggestion=suggest_names(name, names)
        )


@dataclass
class Opened:
    """What a reader found.

    ``relation`` is what the engine reads (None: only a query says), ``readable`` the same with paths as
    the person wrote them, its columns called ``readable_names`` (None: as the engine calls those of the
    relation). ``names`` are the true names, where they are known; columns that the folders
    name come after them. ``paths`` are what the lock lets through, ``files`` what the digest is made of.
    ``default`` is the attached database that a query finds its tables in, ``extension`` the one that
    attached it.
    ``beside`` are other sources that a query reads by their names, each as a relation for the engine and one
    for people.
    ``copied`` says that the records are read once, into a private Parquet file: text and many small files are
    slow to read, and databases change; ``parts`` that they are in such files; ``queried`` that the query is
    in the relation already. ``again`` describes the relation anew after it could not be read to its end, and
    ``unreadable`` is the sentence for when that was in vain. ``spelled`` describes it with the columns at
    some positions as the texts of a CSV file. ``written`` is the
    relation for the engine, and that for people, with the days that are read by a format as they are written.
    ``widened`` are columns of floating-point numbers that have 32 bits in one source and not in all.
    ``unrestricted`` is the relation before a condition or a query chose records of it, where one does, and
    ``total`` counts its records. ``found`` are the columns whose texts are numbers or days, and ``texts`` the
    positions of those that stay what they are. ``header_lines`` are the lines of the only text file
    before its first record.
    """

    name: str
    kind: str
    relation: Sql | None
    readable: Sql | None = None
    readable_names: list[str] | None = None
    names: list[str] | None = None
    true_names: Callable[[list[str]], list[str]] | None = None
    paths: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    setup: tuple[Sql, ...] = ()
    encoding: str | None = None
    notes: list[Sentence] = field(default_factory=list)
    default: str | None = None
    extension: str | None = None
    copied: bool = False
    parts: bool = False
    queried: bool = False
    again: Callable[[Opened], None] | None = None
    unreadable: str | None = None
    spelled: Callable[[Opened, Sequence[int]], None] | None = None
    written: tuple[Sql, Sql] | None = None
    beside: dict[str, tuple[Sql, Sql]] = field(default_factory=dict)
    widened: frozenset[str] = frozenset()
    unrestricted: Sql | None = None
    total: int | None = None
    found: Found | None = None
    texts: set[int] = field(default_factory=set)
    header_lines: int = 0
