"""The definition of a hierarchy, and the table of its levels for the values of one column."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier
from duckrisk.source.hierarchies.computed import render_interval, render_period, render_prefix, render_root

#: Lines of a hierarchy in one statement (a choice: a statement of some 100 kB).
_BATCH_LINES = 2000


@dataclass(frozen=True)
class Hierarchy:
    """A table of the levels of a column's values.

    Attributes:
        table: Temp table with text columns ``level0`` to ``level<height>``, and a row for each distinct
            value that is not missing; the last level is ``*``.
        height: Number of the root's level.
        leaves: Number of rows.
        is_computed: Whether the labels are intervals, prefixes or periods, which need no explanation.
    """

    table: str
    height: int
    leaves: int
    is_computed: bool = False


@dataclass(frozen=True)
class Definition:
    """How the values of a column become coarser.

    Attributes:
        kind: ``widths``, ``prefixes``, ``moments``, ``labels``, or ``none`` for the value and ``*``.
        entries: Widths, lengths or units from fine to coarse; of labels, lines of a value and its labels.
        title: Name of the hierarchy in messages.
        is_complete: Whether a value without a line is an error; otherwise it is its own label.
        file: Name of the file with the lines.
        labels_height: Number of the root's level of labels.
    """

    kind: str = "none"
    entries: tuple[Any, ...] = field(default=(), repr=False)
    title: str = "The hierarchy"
    is_complete: bool = False
    file: str | None = None
    labels_height: int = 0

    @property
    def height(self) -> int:
        """The number of the root's level."""
        return self.labels_height if self.kind == "labels" else len(self.entries) + 1

    @property
    def is_computed(self) -> bool:
        """Whether :meth:`expression` works, without a table."""
        return self.kind != "labels"

    def check_level(self, level: int) -> None:
        """Raise UsageError for a level that does not exist."""
        if not 0 <= level <= self.height:
            raise UsageError("hierarchies.level_not_found", place=self.title, height=self.height, level=level)

    def expression(self, level: int, column: Sql, type_name: str, name: str) -> Sql:
        """Render the label of a value at a level; only for computed hierarchies.

        Args:
            level: The level, from 0.
            column: The value.
            type_name: Its type.
            name: Name of the column, for messages.

        Raises:
            UsageError: The level does not exist, or does not fit the type.
        """
        self.check_level(level)
        if level == 0:
            return column
        if level == self.height:
            return render_root(column)
        entry = self.entries[level - 1]
        if self.kind == "widths":
            return render_interval(column, type_name, entry, name)
        if self.kind == "prefixes":
            return render_prefix(column, entry)
        if self.kind == "moments":
            return render_period(column, type_name, entry, name)
        raise TypeError("labels need a table")

    def build(
        self, session: Session, relation: Sql, column: str, table: str, type_name: str, name: str = ""
    ) -> Hierarchy:
        """Create the table of a hierarchy for the values of a column.

        Labels also leave a table ``<table>_leaves``, with the ``value`` of each leaf and its number of
        ``cells``.

        Args:
            session: The session that has the relation.
            relation: The records.
            column: Binding of the column.
            table: Name of the table.
            type_name: Type of the column.
            name: Name of the column, for messages.

        Raises:
            UsageError: The file of the hierarchy lacks a value.
        """
        name = name or column
        if self.is_computed:
            heights = range(1, self.height + 1)
            levels = [self.expression(level, identifier("value"), type_name, name) for level in heights]
            session.run("make_levels", name=table, source=relation, column=column, levels=levels)
        else:
            self._build_labels(session, relation, column, table, name)
        leaves = session.fetch_row("count_leaves", name=table)["leaves"]
        return Hierarchy(table, self.height, leaves, self.is_computed)

    def _build_labels(self, session: Session, relation: Sql, column: str, table: str, name: str) -> None:
        labels, leaves = f"{table}_labels", f"{table}_leaves"
        session.run("make_leaves", name=leaves, source=relation, column=column)
        session.run("make_labels", name=labels, height=self.height)
        for start in range(0, len(self.entries), _BATCH_LINES):
            lines = [list(line) for line in self.entries[start : start + _BATCH_LINES]]
            session.run("add_labels", name=labels, lines=lines, height=self.height)
        if self.is_complete:
            counted = session.fetch_row("count_unlisted", labels=labels, leaves=leaves)
            if counted["unlisted"]:
                line = ";".join(["VALUE", *["LABEL"] * (self.height - 1), "*"])
                raise UsageError(
                    "hierarchies.values_without_line",
                    place=self.title,
                    file=self.file,
                    unlisted=counted["unlisted"],
                    leaves=counted["leaves"],
                    name=name,
                    line=line,
                )
        session.run("join_labels", name=table, labels=labels, leaves=leaves, height=self.height)
        session.run("drop_table", table=labels)
