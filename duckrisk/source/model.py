"""The stages of a source: what was requested, what a reader found, and the opened source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from duckrisk.base.errors import SourceError, UsageError, suggest_names
from duckrisk.base.options.source import UTC
from duckrisk.base.options.source import Request as Request
from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.engine.templates import Sql
from duckrisk.engine.types import is_timestamp_with_zone
from duckrisk.source.digest import Digest

if TYPE_CHECKING:
    from duckrisk.source.readings import Reading, TextReadings

#: Column names; a note on time zones lists at most this many (a choice: they fit one line).
_LISTED_NAMES = 3


@dataclass(frozen=True)
class Workspace:
    """The folder and the names that one source has to itself in a session.

    Attributes:
        folder: Private folder for copies of records.
        database_name: Name that a database is attached under.
        table_name: Name that a table in Python is registered under.
        is_one_of_several: Whether the session opens further sources.
        known_readings: How the sources opened before read their columns, by column name in lower case.
        keep_texts: Whether texts stay texts unless ``--read`` names their column.
    """

    folder: Path
    database_name: str = "attached"
    table_name: str = "registered"
    is_one_of_several: bool = False
    known_readings: dict[str, Reading] = field(default_factory=dict)
    keep_texts: bool = False


@dataclass(frozen=True)
class Column:
    """A column of the source.

    Attributes:
        position: Index in the source, from 0.
        name: Name for people; unique in the source.
        type: Type in the engine.
    """

    position: int
    name: str
    type: str

    @property
    def binding(self) -> str:
        """The name of the column in templates."""
        return f"c{self.position}"


class Named(Protocol):
    """An object with a name for people."""

    @property
    def name(self) -> str:
        """The name for people."""


_NamedT = TypeVar("_NamedT", bound=Named)


def find_column(columns: Sequence[_NamedT], name: str) -> _NamedT | None:
    """Return the column of a name; None if there is none.

    An exact match comes first, then one that ignores case.

    Raises:
        UsageError: Several columns match.
    """
    matches = [column for column in columns if column.name == name] or [
        column for column in columns if column.name.casefold() == name.casefold()
    ]
    if len(matches) > 1:
        listed = ", ".join(f'"{column.name}"' for column in matches)
        raise UsageError("source.ambiguous_column", name=name, count=len(matches), columns=listed)
    return matches[0] if matches else None


@dataclass
class Source:
    """An opened source.

    Attributes:
        name: What reports call the source.
        kind: Its kind, such as ``csv`` or ``database``.
        columns: Its columns, in order.
        printed_relation: The relation for SQL that is printed for people, with the paths that they typed.
        printed_names: The column names of ``printed_relation``; unique by the rules of SQL.
        setup: Statements that a plain DuckDB needs first, for instance to attach a database.
        digest: Identity of the files; None for other sources.
        encoding: Encoding of text files.
        notes: Sentences on how the source was opened.
        is_filtered: Whether a condition selects the records.
        reread_as_text: Reads the columns at the given positions, and at those of earlier calls, as texts.
            Only CSV files have it, and columns whose texts are read as numbers or days; no query or
            condition may depend on their types.
        formats: SQL that reads a ``value`` of a release, by position of a column whose texts are numbers
            or days.
        define_view: Defines a view of the source with digests for long values at some positions; returns
            False if a type does not allow that.
        view: Name of the view of the source.
        digest_positions: Positions of the columns with digests in ``view``.
        recipe: Recipe of a release; None if there is none.
        pseudonymized_columns: Columns that the recipe gives pseudonyms to.
        dropped_columns: Columns that the recipe drops.
        user_columns: Columns by which the recipe counts people.
        exchanged_columns: Columns whose cells the recipe exchanged or perturbed.
        missing_columns: Columns that settings name and the release lacks, in the order of the settings.
        is_in_memory: Whether the records are in a table in memory.
        float32_bindings: Bindings of 32-bit columns that are read as 64-bit numbers, as another source has
            them.
        unfiltered_records: Number of records before a condition or a query selects some; None without
            either, and where only the query names the tables.
        timezone: Time zone for days and times of columns with moments.
        is_query: Whether a query computes the columns.
        requested_forms: Forms that ``--read`` gives for columns.
        readings: How columns of texts are read as numbers or days.
        undated: Names of columns of days whose century is unknown; they stay texts.
        reading_notes: The sentences of ``notes`` on ``readings`` and ``undated``.
        header_lines: Lines of a text file before its first record; 0 where records are not on lines.
        apply_key: Puts the key of the person into ``view`` and ``printed_relation``.
        key_positions: Positions of the columns that form the key of the person.
        has_folded_key: Whether keys that differ only in case, blanks or width are one person.
    """

    name: str
    kind: str
    columns: list[Column]
    printed_relation: Sql
    printed_names: list[str]
    setup: tuple[Sql, ...] = ()
    digest: Digest | None = None
    encoding: str | None = None
    notes: list[Sentence] = field(default_factory=list)
    is_filtered: bool = False
    reread_as_text: Callable[[Sequence[int]], None] | None = None
    formats: Mapping[int, Sql] = field(default_factory=dict)
    define_view: Callable[..., bool] | None = None
    view: str = ""
    digest_positions: tuple[int, ...] = ()
    recipe: Path | None = None
    pseudonymized_columns: frozenset[str] = frozenset()
    dropped_columns: tuple[str, ...] = ()
    user_columns: frozenset[str] = frozenset()
    exchanged_columns: frozenset[str] = frozenset()
    missing_columns: dict[str, None] = field(default_factory=dict)
    is_in_memory: bool = False
    float32_bindings: frozenset[str] = frozenset()
    unfiltered_records: int | None = None
    timezone: str = UTC
    is_query: bool = False
    requested_forms: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = ()
    undated: tuple[str, ...] = ()
    reading_notes: tuple[Sentence, ...] = ()
    header_lines: int = 0
    apply_key: Callable[[Source], None] | None = None
    key_positions: tuple[int, ...] = ()
    has_folded_key: bool = False

    @property
    def timezone_notes(self) -> list[Sentence]:
        """A note on the time zone, if a column depends on it."""
        zoned = [column.name for column in self.columns if is_timestamp_with_zone(column.type)]
        first, more = zoned[:_LISTED_NAMES], len(zoned) - _LISTED_NAMES
        names: Text = join_texts(Sentence("roles.quoted", name=Data(name)) for name in first)
        names = Sentence("list", names=names, more=str(more)) if more > 0 else names
        return [Sentence("source.timezone", names=names, timezone=Data(self.timezone))] if zoned else []

    def is_missing_from_release(self, name: str) -> bool:
        """Return whether a release lacks a column that settings name, and record the name.

        That is no error: the recipe explains it.
        """
        if self.recipe is None or find_column(self.columns, name) is not None:
            return False
        self.missing_columns[name] = None
        return True

    @property
    def missing_column_notes(self) -> list[Sentence]:
        """A note on the settings for columns that the release lacks."""
        if not self.missing_columns or self.recipe is None:
            return []
        names = join_texts(Sentence("roles.quoted", name=Data(name)) for name in self.missing_columns)
        values = {"names": names, "count": str(len(self.missing_columns)), "recipe": Data(self.recipe.name)}
        return [Sentence("source.lacked", **values)]

    def use_digests(self, long: Sequence[int], **kept: int) -> bool:
        """Replace long values in the view by digests.

        Args:
            long: Positions of the columns with digests; all other columns have their values.
            kept: Optionally ``kept``, the number of first characters that stand before a digest.

        Returns:
            Whether the view has digests at these positions.
        """
        if self.define_view is None or (not long and not self.digest_positions):
            return not long
        is_defined = self.define_view(self.view, long, **kept)
        self.digest_positions = tuple(long) if is_defined else self.digest_positions
        return is_defined

    def form_person_key(
        self, names: Sequence[str], called: str | None = None, *, fold: bool = False
    ) -> Column:
        """Form the key of the person from columns.

        Args:
            names: The columns; the key replaces the first one.
            called: Name of the key; None for the name of the first column.
            fold: Whether keys that differ only in case, blanks or width are one person.

        Returns:
            The column of the key.
        """
        columns = [self.column(name) for name in names]
        if called is not None or not self.key_positions:
            self.key_positions = tuple(column.position for column in columns)
        self.has_folded_key = self.has_folded_key or fold
        first = replace(columns[0], name=called or columns[0].name, type="VARCHAR")
        self.columns[first.position] = first
        if self.apply_key is not None:
            self.apply_key(self)
        return first

    def use_view(self, view: str) -> None:
        """Move the source to a view, without digests."""
        assert self.define_view is not None
        self.view, self.digest_positions = view, ()
        self.define_view(view, ())

    def column(self, name: str) -> Column:
        """Return the column of a name, as :func:`find_column` does.

        Raises:
            UsageError: No column or several match.
        """
        if (column := find_column(self.columns, name)) is not None:
            return column
        names = [column.name for column in self.columns]
        raise UsageError(
            "source.column_not_found", name=self.name, name_2=name, suggestion=suggest_names(name, names)
        )


@dataclass
class OpenedInput:
    """What a reader finds in an input, before its columns are bound.

    Attributes:
        name: What reports call the source.
        kind: Its kind, such as ``csv`` or ``database``.
        relation: The records for the engine; None if only a query names the tables.
        printed_relation: The records for SQL that is printed for people; None for the same relation.
        printed_names: Column names of ``printed_relation``; None for those of the engine.
        true_names: True names of the first columns, where the reader knows them; partition columns follow.
        restore_names: Restores the true names from those of the engine.
        paths: Paths that the lock of the session allows.
        files: Files that the digest covers.
        setup: Statements that a plain DuckDB needs first.
        encoding: Encoding of text files.
        notes: Sentences on how the input was opened.
        default_database: Attached database whose tables a query can name.
        extension: Extension that attached the database.
        is_copied: Whether the records are read once into a private Parquet file: text and many small files
            are slow to read, and databases change.
        has_small_parts: Whether the records are in many small files.
        includes_query: Whether ``relation`` includes the query.
        describe_fully: Describes ``relation`` from all records, after the first ones gave wrong types.
        reading_error: The error if ``describe_fully`` does not help either.
        describe_as_text: Describes ``relation`` with the columns at some positions as texts.
        text_relations: ``relation`` and ``printed_relation`` without formats of days: each as it is written.
        query_sources: Other sources of a query by name: the relation, and the printed one.
        widened_columns: Names of 32-bit columns that have 64 bits in another source.
        unfiltered_relation: The relation before a condition or a query selects records.
        unfiltered_records: Number of records in ``unfiltered_relation``.
        text_readings: The columns whose texts are numbers or days.
        text_positions: Positions of columns that stay texts.
        header_lines: Lines before the first record of a single text file.
    """

    name: str
    kind: str
    relation: Sql | None
    printed_relation: Sql | None = None
    printed_names: list[str] | None = None
    true_names: list[str] | None = None
    restore_names: Callable[[list[str]], list[str]] | None = None
    paths: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    setup: tuple[Sql, ...] = ()
    encoding: str | None = None
    notes: list[Sentence] = field(default_factory=list)
    default_database: str | None = None
    extension: str | None = None
    is_copied: bool = False
    has_small_parts: bool = False
    includes_query: bool = False
    describe_fully: Callable[[OpenedInput], None] | None = None
    reading_error: SourceError | None = None
    describe_as_text: Callable[[OpenedInput, Sequence[int]], None] | None = None
    text_relations: tuple[Sql, Sql] | None = None
    query_sources: dict[str, tuple[Sql, Sql]] = field(default_factory=dict)
    widened_columns: frozenset[str] = frozenset()
    unfiltered_relation: Sql | None = None
    unfiltered_records: int | None = None
    text_readings: TextReadings | None = None
    text_positions: set[int] = field(default_factory=set)
    header_lines: int = 0
