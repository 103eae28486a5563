"""The view of the assessed records, and of a wide source one with few of its columns.

A statement binds all columns of a view: of 2,000 that takes 28 ms, of 64 of them 7.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from duckrisk.engine.templates import Attribute, Sql, identifier

#: The view that every metric reads: the assessed records with columns c0, c1, ... by position.
ASSESSED = Sql("temp.main.assessed")
_VIEW = ASSESSED.rpartition(".")[2]
#: Columns; a source of more is wide: it is read in blocks of so many, or held in memory if it is small.
WIDE = 64
_NARROWED = "assessed_columns"


class Views:
    """The views of a session, whose statements ``run`` executes."""

    def __init__(self, run: Callable[..., Any]) -> None:
        self._run = run
        #: The relation and the columns of a wide source that is no table.
        self._wide: tuple[Sql | str, tuple[str, ...]] | None = None
        #: The columns of the narrowed view.
        self._narrowed: frozenset[str] = frozenset()

    def define(self, view: str, relation: Sql | str, columns: Sequence[str]) -> None:
        """Define a view of a relation with these columns, by position."""
        self._run("open_view", name=view, source=relation, names=columns)
        if view == _VIEW:
            self._wide = (relation, tuple(columns)) if len(columns) > WIDE else None
            self._narrowed = frozenset()

    def hold(self, table: str) -> None:
        """Let a table stand in place of the assessed view: to bind its columns takes little time."""
        self._run("hold_records", name=table, source=identifier(_VIEW))
        self.replace(table)

    def replace(self, table: str) -> None:
        """Let a table stand in place of the assessed view, which goes."""
        self._run("stand_instead", table=table, name=_VIEW, is_view=True)
        self._wide = None

    def reading(self, *read: str | Attribute | None) -> Sql:
        """Return a relation of the assessed records for a statement that reads these columns or attributes.

        Of a wide source it has few more columns than these, until the next call.
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
        if not self._narrowed.issuperset(columns):
            blocks = {names.index(column) // WIDE for column in columns}
            if len(blocks) * WIDE >= len(names):
                return ASSESSED
            kept = [name for position, name in enumerate(names) if position // WIDE in blocks]
            self._run("open_view", name=_NARROWED, source=relation, names=names, columns=kept)
            self._narrowed = frozenset(kept)
        return Sql(f"temp.main.{_NARROWED}")
