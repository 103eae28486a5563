"""The chain of relations that a treatment makes of the records, one per step.

A relation has the remaining columns under their bindings ``c0, c1, ...``, and ``record``, the number of the
record in the source. Most are views on the previous one, so records stream through all of them when the
release is written. Only a step that must see all records first makes a table.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
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
from duckrisk.release.anonymization.steps import Step
from duckrisk.source import Source, names
from duckrisk.source.hierarchies import Definition
from duckrisk.source.model import find_column

#: Records per row of a looked-up table; from here on the join streams the records (a choice: with less, the
#: engine may take the records for the smaller side).
_JOIN_RATIO = 20
#: Share of records that the engine expects to meet an unknown condition (DuckDB's default selectivity).
_GUESSED_SELECTIVITY = 0.2
#: Rows of a looked-up table; a larger one may spill, and its join then changes the order (a choice).
_MAX_LOOKUP_ROWS = 5_000_000
#: Records; up to here sorting costs next to nothing, and nothing is done to avoid it (a choice).
_MANY_RECORDS = 500_000
#: Records that are examined to see whether values repeat (a choice: a small share of many records).
_PROBED_RECORDS = 100_000
#: Words that turn a condition into a join: the engine looks up long lists in a table.
_JOINING_WORDS = re.compile(r"\b(in|select|any|all|from)\b", re.IGNORECASE)
_ENUM_TYPE = re.compile(r"ENUM\('(?:[^']|'')*'(?:, '(?:[^']|'')*')*\)")
#: Labels of a column; more make the file larger (derived: each row group of 122,880 records holds them all).
MAX_LABELS = 5_000
#: The table of the places of the records in a sorted release.
_PLACES = "sorted_places"
#: Values of a list; from more of them a table is faster (tests/benchmarks/anonymize.py: a perturbed column).
MAX_LISTED = 5_000


def _unify_equal_reals(source: Source) -> Sql:
    """Return the records with one form for equal real numbers.

    The engine puts 0.0 and -0.0 into one class, and NaN of any sign, but a file would distinguish them.
    """
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
    """A column that was computed anew.

    Attributes:
        binding: Binding of the column.
        parameters: Parameters of its view.
        needs: Bindings of the columns that it is computed from.
        looked_up: Table and column with all new values; None if they are in no table.
        picked: Makes the value from another one of its own, if it may be picked from a list; else None.
    """

    binding: str
    parameters: dict[str, Any]
    needs: tuple[str, ...]
    looked_up: tuple[Sql, str] | None
    picked: Callable[[Sql], Sql] | None


@dataclass(frozen=True)
class Column:
    """A remaining column: its binding, its name for people, and its current type."""

    binding: str
    name: str
    type: str


class Chain:
    """The relations made so far.

    Attributes:
        relation: The last relation.
        columns: The columns that it has.
        number: Number of the current step.
        source: The source.
        records: Number of records of the source.
        used: Columns whose hierarchies were used.
        notes: Notes for the report.
        applied: Steps that were applied; a uniform recoding is several plain ones.
    """

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
        self.source = source
        self.applied: list[Step] = []
        self.uniform_gcp: float | None = None
        self._names = [c.name for c in source.columns]
        self._views: set[str] = set()
        self._order: Sql | None = None
        self._disordered = self._is_sorted = False
        self._conditions = 0
        self._looked_up = 0
        self._joined = source.is_filtered
        #: Relation and column with all current values of a column, by its binding.
        self._value_lists: dict[str, tuple[Sql, str]] = {}
        #: Relation that computes a column alone, by its binding.
        self._alone: dict[str, Sql] = {}
        #: How columns were computed since the last relation of `_base`.
        self._replaced: list[_Replacement] = []
        self.relation = _unify_equal_reals(source) if session.engine is None else ASSESSED
        self._create_view("number_records")
        self._settle()
        self.records, _ = self.count_records()

    # --- columns ---------------------------------------------------------------------------

    @property
    def bindings(self) -> list[str]:
        """Bindings of the remaining columns."""
        return [column.binding for column in self.columns]

    def find_column(self, name: str) -> Column:
        """Find a column by name, exactly or else in any case.

        Args:
            name: Name of the column.

        Raises:
            UsageError: There is no such column, or an earlier step dropped it.
        """
        if (column := find_column(self.columns, name)) is not None:
            return column
        if any(earlier.casefold() == name.casefold() for earlier in self._names):
            raise UsageError("anonymization.column_already_dropped", name=name)
        remaining = [column.name for column in self.columns]
        raise UsageError(
            "anonymization.column_not_found", name=name, suggestion=suggest_names(name, remaining)
        )

    def find_moment_column(self, name: str) -> Column:
        """Find a column that holds days or moments.

        Args:
            name: Name of the column.

        Raises:
            UsageError: There is no such column, or the century of its days is unknown.
        """
        column = self.find_column(name)
        if column.name in self.source.undated:
            option = shlex.join(typed_option("--read", f"{column.name}=YEAR"))
            raise UsageError("anonymization.century_unknown", column=column.name, option=option)
        return column

    def find_remaining(self, name: str) -> Column | None:
        """Find a column by name.

        Args:
            name: Name of the column.

        Returns:
            The column; None if it was dropped.
        """
        if name in self._names:  # another one may differ in case alone
            return next((column for column in self.columns if column.name == name), None)
        return find_column(self.columns, name)

    def list_condition_names(self) -> list[str]:
        """List the names of columns in a condition, and a free name for `record`."""
        return names.make_unique([*(column.name for column in self.columns), "record"])

    def find_hierarchy(self, column: Column) -> Definition | None:
        """Find the given hierarchy of a column.

        Args:
            column: The column.

        Returns:
            The hierarchy; None without one.
        """
        alike = (name for name in self.hierarchies if name.casefold() == column.name.casefold())
        key = column.name if column.name in self.hierarchies else next(alike, None)
        if key is None:
            return None
        self.used[key] = None
        return self.hierarchies[key]

    # --- making relations ------------------------------------------------------------------

    def name_table(self, what: str) -> str:
        """Return a free name for a table of this step.

        Args:
            what: Last part of the name.
        """
        return f"step{self.number}_{what}"

    def _create_view(self, template: str, **arguments: Any) -> None:
        name = self.name_table("records")
        while name in self._views:  # a step that deletes records and changes a column has several
            name += "_changed"
        self._views.add(name)
        self.session.run(template, name=name, source=self.relation, columns=self.bindings, **arguments)
        self.continue_with(name)

    def continue_with(self, name: str) -> None:
        """Make a relation the last one, and read its types.

        Args:
            name: Name of the relation.
        """
        self.relation = identifier(name)
        kinds = dict(self.session.describe(self.relation))
        self.columns = [Column(c.binding, c.name, kinds[c.binding]) for c in self.columns]

    def relation_with(self, *columns: Column) -> Sql:
        """Return a relation of all records that has some columns as they are now.

        It does not compute the other columns, if there is such a relation.

        Args:
            columns: The columns.
        """
        relations = {self._alone.get(column.binding, self._base) for column in columns}
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
        """Compute a column anew.

        Args:
            column: The column.
            cell: SQL of its new value.
            table: Table to look up; None for none.
            condition: Condition of the rows to look up.
            rows: Number of rows of the table.
            every: Relation and column with all new values and no others. If it is `table`, the value is
                looked up there.
            needs: Columns that the value depends on.
            listed: Table with a list of values to pick from.
            picked: Makes the value from another one of its own, if it may be picked from the list; the
                relation of `every` then has the numbers of the values.
        """
        cells = {"cell": cell, "table": table, "match_condition": condition, "listed": listed}
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
        self._alone[column.binding] = identifier(alone)
        self._value_lists[column.binding] = every or (identifier(alone), column.binding)

    def keep_records(self, kept: Sql, *, joined: bool = False) -> None:
        """Leave out the records that do not meet a condition of ours.

        Args:
            kept: The condition.
            joined: Whether it looks into a table.
        """
        self._create_view("keep_records", condition=kept)
        self._conditions += 1
        self._joined |= joined
        self._settle()

    def leave_out_records(self, listed: str, rows: int) -> None:
        """Leave out the records that a table lists.

        Args:
            listed: Name of the table.
            rows: Number of its rows.
        """
        self._create_view("leave_out_listed", listed=listed)
        self._looked_up = max(self._looked_up, rows, 1)
        self._conditions += 1
        self._settle()

    def apply_condition(self, template: str, where: Sql, **arguments: Any) -> None:
        """Apply a step with a condition that a person wrote.

        Args:
            template: Name of the template.
            where: The checked condition.
            arguments: Further parameters of the template.
        """
        self._create_view(template, names=self.list_condition_names(), where=where, **arguments)
        self._conditions += template == "delete_records"
        self._joined |= _JOINING_WORDS.search(where) is not None
        self._settle()

    def add_column(self, column: Column, name: str, cell: Sql) -> None:
        """Add a column after another one.

        Args:
            column: The column before it.
            name: Name of the new column.
            cell: SQL of its values.

        Raises:
            UsageError: There is a column of this name.
        """
        self._check_free(name)
        binding = f"{column.binding}_added"
        self._create_view("add_cells", added=binding, cell=cell)
        place = self.bindings.index(column.binding) + 1
        self.columns.insert(place, Column(binding, name, dict(self.session.describe(self.relation))[binding]))
        self._settle()

    def rename_column(self, column: Column, name: str) -> None:
        """Give a column another name.

        Args:
            column: The column.
            name: The new name.

        Raises:
            UsageError: There is a column of this name.
        """
        self._check_free(name)
        self.columns = [
            Column(each.binding, name, each.type) if each.binding == column.binding else each
            for each in self.columns
        ]

    def add_upper_bounds(self, uppers: Mapping[str, str]) -> None:
        """Name columns of the next relation that hold the upper bounds of others.

        Args:
            uppers: Bindings of the columns with upper bounds, by those with the lower ones.

        Raises:
            UsageError: There is a column of this name.
        """
        for lower, upper in uppers.items():
            column = next(each for each in self.columns if each.binding == lower)
            place = self.bindings.index(lower)
            for name in (lower_name := f"{column.name}_from", upper_name := f"{column.name}_to"):
                self._check_free(name)
            self.columns[place : place + 1] = [
                Column(lower, lower_name, column.type),
                Column(upper, upper_name, column.type),
            ]

    def _check_free(self, name: str) -> None:
        if any(column.name.casefold() == name.casefold() for column in self.columns):
            raise UsageError("anonymization.column_exists", name=name)

    def drop_column(self, column: Column) -> None:
        """Leave out a column from now on.

        Args:
            column: The column.

        Raises:
            UsageError: It is the last one.
        """
        if len(self.columns) == 1:
            raise UsageError("anonymization.last_column_dropped")
        self.columns = [each for each in self.columns if each.binding != column.binding]

    def continue_with_table(self, name: str) -> None:
        """Make a table of records, in any order, the last relation.

        Args:
            name: Name of the table.
        """
        self._disordered = True
        self._conditions = 0
        self.continue_with(name)
        self._settle()

    def _settle(self) -> None:
        """Forget how columns were computed: values are those of this relation from now on."""
        self._base = self.relation
        self._value_lists, self._alone, self._replaced = {}, {}, []

    def set_order(self, order: Sql) -> None:
        """Put the release into another order.

        Args:
            order: SQL to sort by.
        """
        self._order = order

    def sort_by_values(self) -> None:
        """Put the release into the order of the values that it has in the end."""
        self._is_sorted = True

    def settle_order(self) -> None:
        """Place the records of a sorted release, before types change for a file."""
        if self._is_sorted:
            order = render("key_order", columns=[*self.bindings, "record"])
            self.session.run("sorted_places", name=_PLACES, source=self.relation, order=order)

    def get_order(self) -> Sql | None:
        """Return what the release has to be sorted by.

        Returns:
            None if all steps stream; ``record`` if a join may have changed the order.
        """
        if self._is_sorted:
            return render("place_in_order", table=identifier(_PLACES))
        if self._order is not None:
            return self._order
        if self._disordered or (self._looked_up and not self.can_stream(self._looked_up)):
            return identifier("record")
        return None

    @property
    def has_joins(self) -> bool:
        """Whether records may be joined with anything on their way to the release.

        The threads of an engine then return parts of them in any order.
        """
        return bool(self._looked_up or self._joined)

    def can_stream(self, rows: int) -> bool:
        """Return whether records keep their order when they look up a table.

        Args:
            rows: Number of rows of the table.
        """
        sure = self.records * _GUESSED_SELECTIVITY**self._conditions
        larger = rows * _JOIN_RATIO <= sure and rows <= _MAX_LOOKUP_ROWS and self.records > _MANY_RECORDS
        return larger and self._joins_keep_order

    @cached_property
    def _joins_keep_order(self) -> bool:
        return bool(self.session.fetch_row("joins_mix")["found"] == 0)

    def has_repeats(self, value: Sql, source: Sql) -> bool:
        """Return whether to compute the new form of each value once, not for each record.

        That pays with many records, and few different values among the first of them.

        Args:
            value: SQL of the value.
            source: The records.
        """
        if self.records <= _MANY_RECORDS or self.session.engine is not None:
            return False
        different = self.session.fetch_row(
            "few_values", source=source, value=value, max_records=_PROBED_RECORDS
        )["found"]
        return bool(different * _JOIN_RATIO <= _PROBED_RECORDS)

    def remove_enums(self) -> None:
        """Replace types that list values: they would list those of deleted records too."""
        listing = {
            c.binding: Sql(_ENUM_TYPE.sub("VARCHAR", c.type)) for c in self.columns if "ENUM(" in c.type
        }
        if listing:
            self._create_view("plain_records", listing=list(listing), kinds=list(listing.values()))
            self._replaced = []

    def label_texts(self) -> tuple[Sql, dict[str, str]]:
        """Give columns with a few repeated texts the type of labels.

        An engine writes a label in a fifth of the time of a text. A file holds all labels of a column: here
        those of the remaining values, and no others. Without other lookups, and in one thread, it does not
        pay.

        Returns:
            The relation to write, with labels for texts that it looks up, and the tables of the labels to
            look up for other columns, by binding.
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
            relation, name = self._value_lists.get(column.binding, (self._base, column.binding))
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
        """List the last replacements that are lookups, and that nothing depends on since."""
        last: dict[str, _Replacement] = {}
        for replacement in self._replaced:
            for binding in (*replacement.needs, replacement.binding):
                last.pop(binding, None)
            if replacement.looked_up is not None:
                last[replacement.binding] = replacement
        return last

    def _add_labels(self, tables: dict[str, Sql], last: dict[str, _Replacement]) -> Sql:
        """Return the relation with labels instead of looked-up texts."""
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
        """Return the parameters that give a column labels instead of texts."""
        label = render("looked_up_label", level="label")
        if replacement.picked is None:
            return {"table": labels, "cell": label}
        name = self.name_table(f"listed_{replacement.binding}")
        self.session.run("listed_values", name=name, source=labels, value="label")
        condition = render("found_number", key="value", number=identifier(replacement.binding))
        cell, listed = replacement.picked(label), identifier(name)
        return {"table": labels, "match_condition": condition, "cell": cell, "listed": listed}

    # --- counting --------------------------------------------------------------------------

    def count_records(self, met: Sql | None = None, *columns: Column) -> tuple[int, int]:
        """Count the records now, and those that meet a condition.

        Args:
            met: The condition; None for all records.
            columns: The columns of the condition; none for any columns.

        Returns:
            Number of records, and of those that meet the condition.
        """
        source = self.relation_with(*columns) if columns else self.relation
        counted = self.session.fetch_row("count_where", source=source, met=met or literal(True))
        return counted["records"], counted["met"]

    def count_present(self, column: Column) -> int:
        """Count the values of a column that are not missing.

        Args:
            column: The column.
        """
        return self.count_records(render("is_present", cell=identifier(column.binding)), column)[1]
