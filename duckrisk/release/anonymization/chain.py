"""The chain of relations that a treatment makes of the records, one a step.

A relation has the columns that are left, under their bindings ``c0, c1, ...``, and ``record``, the number of
the record in the source. Most are views on the one before, so that the records stream through all of them
when the release is written; only what must see all records first becomes a table.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from duckrisk.base.errors import UsageError, suggest_names
from duckrisk.base.options.reading import typed_option
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import ASSESSED, Session
from duckrisk.engine.templates import Attribute, Part, Sql, identifier, literal, render
from duckrisk.engine.types import is_float
from duckrisk.release.anonymization.randomness import Chance
from duckrisk.source import Source, names
from duckrisk.source.hierarchies import Definition
from duckrisk.source.model import named

#: A join may only be left to stream where this is sure to be the larger side.
_JOIN_RATIO = 20
#: The engine takes a condition that it knows nothing of to be met by so many of the records.
_GUESSED_SELECTIVITY = 0.2
#: A table of more rows may spill, and then its join gives the records back in another order.
_MAX_LOOKUP_ROWS = 5_000_000
#: So few records are put into order in no time.
_MANY_RECORDS = 500_000
#: So many records are looked at to see whether values repeat.
_PROBED_RECORDS = 100_000
#: What makes a join of a condition: an engine looks long lists up in a table.
_JOINING_WORDS = re.compile(r"\b(in|select|any|all|from)\b", re.IGNORECASE)
_ENUM_TYPE = re.compile(r"ENUM\('(?:[^']|'')*'(?:, '(?:[^']|'')*')*\)")
#: More labels than these would make a file larger: each of its parts, of 122,880 records, holds all of them.
MAX_LABELS = 5_000
#: Of a list of so many values one is read in less time than it is found in a table.
MAX_LISTED = 5_000


def _unify_equal_reals(source: Source) -> Sql:
    """The records with one form for real numbers that are equal: the engine has 0.0 and -0.0 in one class,
    and NaN of any sign, and a file would tell them apart."""
    reals = {column.binding: Sql(column.type) for column in source.columns if is_float(column.type)}
    if not reals:
        return ASSESSED
    cells = {name: render("one_of_equals", column=name, kind=kind) for name, kind in reals.items()}
    return render(
        "replaced",
        source=ASSESSED,
        attributes=[Attribute(name, (Part(cell),)) for name, cell in cells.items()],
    )


@dataclass(frozen=True, eq=False)
class _Replacement:
    """A column that was computed anew: what its view was made of, the columns that this needs, the table and
    its column that all the new cells are those of, if there is one, and what makes a cell of its own one
    where it may be picked from a list instead."""

    binding: str
    parameters: dict[str, Any]
    needs: tuple[str, ...]
    looked_up: tuple[Sql, str] | None
    picked: Callable[[Sql], Sql] | None


@dataclass(frozen=True)
class Column:
    """A column that is left: its binding, its name for people and its type now."""

    binding: str
    name: str
    type: str


class Chain:
    """The relations made so far: ``relation`` is the last, ``columns`` are those that it has."""

    def __init__(
        self, session: Session, source: Source, chance: Chance, hierarchies: dict[str, Definition]
    ) -> None:
        self.session = session
        self.chance = chance
        self.hierarchies = hierarchies
        self.columns = [Column(c.binding, c.name, c.type) for c in source.columns]
        self.number = 0
        self.used: dict[str, None] = {}
        self.notes: list[Sentence] = []
        self._names = [c.name for c in source.columns]
        self._undated = source.undated
        self._order: Sql | None = None
        self._disordered = False
        self._conditions = 0
        self._looked_up = 0
        self._joined = source.restricted
        self._homes: dict[str, tuple[Sql, str]] = {}
        self._seen: dict[str, Sql] = {}
        self._replaced: list[_Replacement] = []
        self.relation = _unify_equal_reals(source) if session.engine is None else ASSESSED
        self._create_view("number_records")
        self._settle()
        self.records, _ = self.count_records()

    # --- columns ---------------------------------------------------------------------------

    @property
    def bindings(self) -> list[str]:
        return [column.binding for column in self.columns]

    def find_column(self, name: str) -> Column:
        """The column of that name, exactly or else in any case; raises UsageError otherwise."""
        if (column := named(self.columns, name)) is not None:
            return column
        if any(earlier.casefold() == name.casefold() for earlier in self._names):
            raise UsageError("anonymization.column_already_dropped", name=name)
        remaining = [column.name for column in self.columns]
        raise UsageError(
            "anonymization.column_not_found", name=name, suggestion=suggest_names(name, remaining)
        )

    def find_moment_column(self, name: str) -> Column:
        """Return the column of that name, which holds days or moments.

        Raises:
            UsageError: It has no such column, or the century of its days is not known.
        """
        column = self.find_column(name)
        if column.name in self._undated:
            option = shlex.join(typed_option("--read", f"{column.name}=YEAR"))
            raise UsageError("anonymization.century_unknown", column=column.name, option=option)
        return column

    def find_remaining(self, name: str) -> Column | None:
        """The column of that name, or None where it was dropped."""
        if name in self._names:  # another one may differ in case alone
            return next((column for column in self.columns if column.name == name), None)
        return named(self.columns, name)

    def list_condition_names(self) -> list[str]:
        """What a person's condition calls the columns, and at the end a free name for the record's number."""
        return names.unique([*(column.name for column in self.columns), "record"])

    def find_hierarchy(self, column: Column) -> Definition | None:
        """The hierarchy of a column, if one was given."""
        alike = (name for name in self.hierarchies if name.casefold() == column.name.casefold())
        key = column.name if column.name in self.hierarchies else next(alike, None)
        if key is None:
            return None
        self.used[key] = None
        return self.hierarchies[key]

    # --- making relations ------------------------------------------------------------------

    def name_table(self, what: str) -> str:
        """A free name for a table of this step."""
        return f"step{self.number}_{what}"

    def _create_view(self, template: str, **arguments: Any) -> None:
        name = self.name_table("records")
        self.session.run(template, name=name, source=self.relation, columns=self.bindings, **arguments)
        self.continue_with(name)

    def continue_with(self, name: str) -> None:
        """Go on with the relation of that name, and see what types it has."""
        self.relation = identifier(name)
        kinds = dict(self.session.describe(self.relation))
        self.columns = [Column(c.binding, c.name, kinds[c.binding]) for c in self.columns]

    def relation_with(self, *columns: Column) -> Sql:
        """A relation of all records that has these columns as they are now, with ``record``: one that does
        not look up what became of the others, where there is such a one."""
        relations = {self._seen.get(column.binding, self._base) for column in columns}
        return relations.pop() if len(relations) == 1 else self.relation

    def replace_column(
        self,
        column: Column,
        cell: Sql,
        table: Sql | None = None,
        condition: Sql | None = None,
        rows: int = 0,
        every: tuple[Sql, str] | None = None,
        needs: Sequence[Column] = (),
        listed: Sql | None = None,
        picked: Callable[[Sql], Sql] | None = None,
    ) -> None:
        """Compute a column anew, of its own cell and those of the columns that it ``needs``; ``table`` of so
        many ``rows`` is looked up where ``condition`` holds; ``listed`` is the table with the list of a
        domain. ``every`` new cell and nothing else is in this relation and column; where that is the table,
        the cell is what is looked up there. ``picked`` makes the cell of its own one where it may be picked
        from the list instead; the relation of ``every`` new cell has their numbers then."""
        cells = {"cell": cell, "table": table, "found": condition, "listed": listed}
        parameters = {"column": column.binding, **cells}
        looked_up = every if every is not None and (every[0] == table or picked is not None) else None
        needed = tuple(each.binding for each in needs)
        again = {**parameters, "columns": self.bindings}
        self._replaced.append(_Replacement(column.binding, again, needed, looked_up, picked))
        alone, source = self.name_table("alone"), self.relation_with(column, *needs)
        self.session.run("replace_cells", name=alone, source=source, columns=[column.binding], **parameters)
        self._create_view("replace_cells", **parameters)
        if table is not None or listed is not None:
            self._looked_up = max(self._looked_up, rows, 1)
        self._seen[column.binding] = identifier(alone)
        self._homes[column.binding] = every or (identifier(alone), column.binding)

    def keep_records(self, kept: Sql, *, joined: bool = False) -> None:
        """Leave out the records that do not meet a condition of ours; it may look into a table."""
        self._create_view("keep_records", kept=kept)
        self._conditions += 1
        self._joined |= joined
        self._settle()

    def leave_out_records(self, listed: str, rows: int) -> None:
        """Leave out the records that a table of so many ``rows`` lists."""
        self._create_view("leave_out_listed", listed=listed)
        self._looked_up = max(self._looked_up, rows, 1)
        self._conditions += 1
        self._settle()

    def apply_condition(self, template: str, where: Sql, **arguments: Any) -> None:
        """A step whose condition a person wrote."""
        self._create_view(template, names=self.list_condition_names(), where=where, **arguments)
        self._conditions += template == "delete_records"
        self._joined |= _JOINING_WORDS.search(where) is not None
        self._settle()

    def drop_column(self, column: Column) -> None:
        """Leave a column out from now on."""
        if len(self.columns) == 1:
            raise UsageError("anonymization.last_column_dropped")
        self.columns = [each for each in self.columns if each.binding != column.binding]

    def continue_with_table(self, name: str) -> None:
        """Go on with a table of records that was made, in any order."""
        self._disordered = True
        self._conditions = 0
        self.continue_with(name)
        self._settle()

    def _settle(self) -> None:
        """From here on cells are as this relation has them: what it does not hold any more is gone."""
        self._base = self.relation
        self._homes, self._seen, self._replaced = {}, {}, []

    def set_order(self, order: Sql) -> None:
        """Let the release be in another order."""
        self._order = order

    def get_order(self) -> Sql | None:
        """What the release has to be put in order by: nothing where all steps stream, ``record`` where a join
        could have mixed the records up."""
        if self._order is not None:
            return self._order
        if self._disordered or (self._looked_up and not self.can_stream(self._looked_up)):
            return identifier("record")
        return None

    @property
    def has_joins(self) -> bool:
        """Whether records may be joined with anything on their way to the release: then an engine with
        several threads gives parts of them in any order."""
        return bool(self._looked_up or self._joined)

    def can_stream(self, rows: int) -> bool:
        """Whether the records keep their order when they look something up in a table of so many rows."""
        sure = self.records * _GUESSED_SELECTIVITY**self._conditions
        larger = rows * _JOIN_RATIO <= sure and rows <= _MAX_LOOKUP_ROWS and self.records > _MANY_RECORDS
        return larger and self._joins_keep_order

    @cached_property
    def _joins_keep_order(self) -> bool:
        return bool(self.session.fetch_row("joins_mix")["found"] == 0)

    def has_repeats(self, value: Sql, source: Sql) -> bool:
        """Whether it pays to compute what becomes of a value once, and not for each record: there are many
        records, and few values among the first of them."""
        if self.records <= _MANY_RECORDS or self.session.engine is not None:
            return False
        different = self.session.fetch_row("few_values", source=source, value=value, first=_PROBED_RECORDS)[
            "found"
        ]
        return bool(different * _JOIN_RATIO <= _PROBED_RECORDS)

    def remove_enums(self) -> None:
        """Leave no column with a type that lists values: those of records that were left out among them."""
        listing = {
            c.binding: Sql(_ENUM_TYPE.sub("VARCHAR", c.type)) for c in self.columns if "ENUM(" in c.type
        }
        if listing:
            self._create_view("plain_records", listing=list(listing), kinds=list(listing.values()))
            self._replaced = []

    def label_texts(self) -> tuple[Sql, dict[str, str]]:
        """Columns of a few texts that repeat, as labels: an engine writes a label in a fifth of the time of
        a text. A file holds all labels of a column: here those of the cells that are left, and no others.

        The relation to write has them already where the texts were looked up; the tables of the labels of
        other columns are to be looked up there, by their texts. Where nothing else is looked up, in one
        thread, it does not pay.
        """
        tables: dict[str, str] = {}
        looked_up: dict[str, Sql] = {}
        is_sorted = self.get_order() is not None
        if not self.has_joins and not is_sorted:
            return self.relation, tables
        last = self._list_last_replacements()
        for column in self.columns:
            if column.type != "VARCHAR":
                continue
            relation, name = self._homes.get(column.binding, (self._base, column.binding))
            if not self.has_repeats(identifier(name), relation):
                continue
            table = self.name_table(f"labels_{column.binding}")
            self.session.run("label_texts", name=table, source=relation, column=name)
            count = self.session.fetch_row("table_size", source=identifier(table))["found"]
            if 0 < count <= MAX_LABELS and (is_sorted or self.can_stream(count)):
                enum = f"{table}_type"
                self.session.run("label_type", name=enum, source=identifier(table))
                replacement = last.get(column.binding)
                if replacement is not None and replacement.looked_up is not None:
                    source, text = replacement.looked_up
                    looked_up[column.binding] = identifier(f"{table}_made")
                else:
                    source, text = identifier(table), "value"
                    tables[column.binding] = f"{table}_made"
                self.session.run("label_table", name=f"{table}_made", source=source, text=text, kind=enum)
        return self._add_labels(looked_up, last), tables

    def _list_last_replacements(self) -> dict[str, _Replacement]:
        """How columns were replaced last, where that was looked up and nothing needs it since."""
        last: dict[str, _Replacement] = {}
        for replacement in self._replaced:
            for binding in (*replacement.needs, replacement.binding):
                last.pop(binding, None)
            if replacement.looked_up is not None:
                last[replacement.binding] = replacement
        return last

    def _add_labels(self, tables: dict[str, Sql], last: dict[str, _Replacement]) -> Sql:
        """The relation with labels of these columns, each from the table that its texts are looked up in."""
        if not tables:
            return self.relation
        relation = self._base
        for number, replacement in enumerate(self._replaced):
            parameters = replacement.parameters
            if replacement.binding in tables and replacement is last[replacement.binding]:
                parameters = {
                    **parameters,
                    **self._make_label_parameters(replacement, tables[replacement.binding]),
                }
            name = self.name_table(f"labelled{number}")
            self.session.run("replace_cells", name=name, source=relation, **parameters)
            relation = identifier(name)
        return relation

    def _make_label_parameters(self, replacement: _Replacement, labels: Sql) -> dict[str, Any]:
        """What gives the labels of a column in place of its texts."""
        label = render("looked_up_label", level="label")
        if replacement.picked is None:
            return {"table": labels, "cell": label}
        name = self.name_table(f"listed_{replacement.binding}")
        self.session.run("listed_values", name=name, source=labels, value="label")
        condition = render("found_number", key="value", number=identifier(replacement.binding))
        cell, listed = replacement.picked(label), identifier(name)
        return {"table": labels, "found": condition, "cell": cell, "listed": listed}

    # --- counting --------------------------------------------------------------------------

    def count_records(self, met: Sql | None = None, *columns: Column) -> tuple[int, int]:
        """How many records there are now, and how many of them meet a condition on some columns; without
        these on any."""
        source = self.relation_with(*columns) if columns else self.relation
        counted = self.session.fetch_row("count_where", source=source, met=met or literal(True))
        return counted["records"], counted["met"]

    def count_present(self, column: Column) -> int:
        """How many cells of a column are not missing."""
        return self.count_records(render("is_present", cell=identifier(column.binding)), column)[1]
