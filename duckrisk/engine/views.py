"""Defines the view of the assessed records, and a narrow view of a source with many columns.

Every statement binds all columns of the view it reads: 28 ms for 2,000 columns, 7 ms for 64 of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from duckrisk.engine.templates import Attribute, Sql, identifier

#: The view that every metric reads: the assessed records with columns c0, c1, ... by position.
ASSESSED = Sql("temp.main.assessed")
_VIEW = ASSESSED.rpartition(".")[2]
#: Columns that a narrow view takes together (7 ms to bind, 28 ms for 2,000). A source with more columns is
#: wide: it is read through narrow views, or held in memory if it is small.
BLOCK_COLUMNS = 64
_NARROW_VIEW = "assessed_columns"


class Views:
    """The views of a session.

    Args:
        run: Executes a template by its name, as :meth:`Session.run`.
    """

    def __init__(self, run: Callable[..., Any]) -> None:
        self._run = run
        #: Relation and columns behind the assessed view where the source is wide; None for a table.
        self._wide: tuple[Sql | str, tuple[str, ...]] | None = None
        #: The columns of the narrow view.
        self._narrow: frozenset[str] = frozenset()

    def define(self, view: str, relation: Sql | str, columns: Sequence[str]) -> None:
        """Create or replace a view.

        Args:
            view: Its name.
            relation: What it reads.
            columns: The names of its columns, by position.
        """
        self._run("open_view", name=view, source=relation, names=columns)
        if view == _VIEW:
            self._wide = (relation, tuple(columns)) if len(columns) > BLOCK_COLUMNS else None
            self._narrow = frozenset()

    def materialize(self, table: str) -> None:
        """Replace the assessed view by a table of its rows, whose columns bind fast."""
        self._run("hold_records", name=table, source=identifier(_VIEW))
        self.replace_with(table)

    def replace_with(self, table: str) -> None:
        """Let a table stand in place of the assessed view, which goes."""
        self._run("stand_instead", table=table, name=_VIEW, is_view=True)
        self._wide = None

    def select_columns(self, *read: str | Attribute | None) -> Sql:
        """Return a relation of the assessed records that has at least these columns.

        For a wide source this is a narrow view, valid until the next call.

        Args:
            read: Names of columns, or attributes; None is skipped.
        """
        if self._wide is None:
            return ASSESSED
        relation, names = self._wide
        columns: set[str] = set()
        for item in read:
            if isinstance(item, Attribute):
                columns.update(part.column for part in item.parts)
            elif item is not None:
                columns.add(item)
        if not columns.issubset(names):  # SQL of values, which are computed from any columns
            return ASSESSED
        if not self._narrow.issuperset(columns):
            blocks = {names.index(column) // BLOCK_COLUMNS for column in columns}
            if len(blocks) * BLOCK_COLUMNS >= len(names):
                return ASSESSED
            selected = [name for position, name in enumerate(names) if position // BLOCK_COLUMNS in blocks]
            self._run("open_view", name=_NARROW_VIEW, source=relation, names=names, columns=selected)
            self._narrow = frozenset(selected)
        return Sql(f"temp.main.{_NARROW_VIEW}")
