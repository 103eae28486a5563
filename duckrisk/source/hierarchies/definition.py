"""What a hierarchy is made of, and the table it becomes for the values of one column."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier
from duckrisk.source.hierarchies.computed import render_interval, render_period, render_prefix, render_root

#: So many lines of a hierarchy go into one statement.
_BATCH = 2000


@dataclass(frozen=True)
class Hierarchy:
    """A temp table with the text columns ``level0`` to ``level<height>``, one row for each of ``leaves``
    distinct values that are not missing; the last level is ``*`` for all. ``computed`` are
    intervals, prefixes and moments, which speak for themselves."""

    table: str
    height: int
    leaves: int
    computed: bool = False


@dataclass(frozen=True)
class Definition:
    """How values become coarser.

    ``kind`` is widths, prefixes, moments (``entries`` says which, from fine to coarse), labels (``entries``
    are lines of a value and its labels up to the root) or none (the value and ``*``). ``complete`` says that
    a value without a line is an error, not its own label; ``file`` where the lines were read.
    """

    kind: str = "none"
    entries: tuple[Any, ...] = field(default=(), repr=False)
    title: str = "The hierarchy"
    complete: bool = False
    file: str | None = None
    labels_height: int = 0

    @property
    def height(self) -> int:
        """The number of the root's level."""
        return self.labels_height if self.kind == "labels" else len(self.entries) + 1

    @property
    def computed(self) -> bool:
        """Whether :meth:`expression` gives the cells without a table."""
        return self.kind != "labels"

    def check_level(self, level: int) -> None:
        """Raise UsageError for a level that is not there."""
        if not 0 <= level <= self.height:
            raise UsageError("hierarchies.level_not_found", place=self.title, height=self.height, level=level)

    def expression(self, level: int, column: Sql, type_name: str, name: str) -> Sql:
        """A SQL expression for the cell of a value at a level; ``type_name`` is the column's, ``name`` what
        people call it. Only for hierarchies that are computed."""
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
        """Make the table of a hierarchy for the values of one column of a relation.

        ``column`` is its binding, ``type_name`` its type and ``name`` what people call it. Labels also leave
        the table ``<table>_leaves``: the ``value`` of each leaf and how many ``cells`` it has. Raises
        UsageError where the file of the hierarchy misses a value.
        """
        name = name or column
        if self.computed:
            heights = range(1, self.height + 1)
            levels = [self.expression(level, identifier("value"), type_name, name) for level in heights]
            session.run("make_levels", name=table, source=relation, column=column, levels=levels)
        else:
            self._build_labels(session, relation, column, table, name)
        leaves = session.fetch_row("count_leaves", name=table)["leaves"]
        return Hierarchy(table, self.height, leaves, self.computed)

    def _build_labels(self, session: Session, relation: Sql, column: str, table: str, name: str) -> None:
        labels, leaves = f"{table}_labels", f"{table}_leaves"
        session.run("make_leaves", name=leaves, source=relation, column=column)
        session.run("make_labels", name=labels, height=self.height)
        for start in range(0, len(self.entries), _BATCH):
            lines = [list(line) for line in self.entries[start : start + _BATCH]]
            session.run("add_labels", name=labels, lines=lines, height=self.height)
        if self.complete:
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
