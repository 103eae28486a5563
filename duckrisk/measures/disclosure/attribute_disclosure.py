"""Attribute disclosure: what equivalence classes reveal of sensitive attributes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.options.disclosure import MISSING, Options, Rule
from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, relation, render
from duckrisk.engine.types import is_number
from duckrisk.measures.disclosure.choice import Chosen, list_quasi_identifiers, list_sensitive_attributes
from duckrisk.measures.disclosure.classes import Classes
from duckrisk.measures.disclosure.results import AttributeDisclosure, DisclosureByRule, SensitiveAttribute
from duckrisk.roles import Roles
from duckrisk.source import VIEW, Column, Source
from duckrisk.source.hierarchies import Definition, load_hierarchies

#: Pairs of a group and a value; overlapping groups with more have no ordered_t (a choice: it bounds memory).
MAX_GROUP_VALUES = 20_000_000

_Row = dict[str, Any]


def measure(
    session: Session, source: Source, roles: Roles, options: Options, *, show_values: bool = False
) -> tuple[AttributeDisclosure, list[Sentence]]:
    """Measure attribute disclosure: k, l, t, alpha, beta and delta.

    Each sensitive attribute has the row of the template ``attribute_disclosure`` over all other
    quasi-identifiers, and the same by the other rules for missing values. If people have several records,
    users are counted. An attribute without another quasi-identifier has no entry: all people are one class,
    which discloses nothing about one of them.

    Args:
        session: The session, with the source as the assessed view.
        source: The source.
        roles: The roles of its columns.
        options: The quasi-identifiers, the sensitive attributes, and the rule for missing values.
        show_values: Not used: no figure holds a value.

    Returns:
        The figures, and notes.

    Raises:
        UsageError: No column is declared or proposed as sensitive.
    """
    knowing = list_quasi_identifiers(source, roles, options)
    telling = list_sensitive_attributes(source, roles, options)
    if not telling:
        raise UsageError("disclosure.no_sensitive_attribute")
    user = roles.user if roles.user is not None and roles.records > roles.users else None
    hierarchies = _load_hierarchies(options, telling)
    entries: list[SensitiveAttribute] = []
    notes: list[Sentence] = []
    for sensitive in telling:
        others = [other for other in knowing if other.column.position != sensitive.column.position]
        if not others:
            notes.append(Sentence("disclosure.note.one_class", attribute=Data(sensitive.column.name)))
            continue
        disclosure = _AttributeMeasure(session, roles, options, others, sensitive, user)
        entry, said = disclosure.measure(hierarchies.get(sensitive.column.position))
        entries.append(entry)
        notes += said
    return AttributeDisclosure(tuple(entries)), notes


class _AttributeMeasure:
    """Measures the disclosure of one sensitive attribute."""

    def __init__(
        self,
        session: Session,
        roles: Roles,
        options: Options,
        others: list[Chosen],
        sensitive: Chosen,
        user: Column | None,
    ) -> None:
        self.session, self.roles, self.options = session, roles, options
        self.others, self.sensitive = others, sensitive
        self.user = user.binding if user is not None else None
        self.columns = [other.column.binding for other in others]
        self.column = sensitive.column.binding
        self.ordered = is_number(sensitive.column.type) or sensitive.decision.is_moment
        #: Users with more than one value; None where records are counted.
        self.users_with_several: int | None = None
        missing = session.fetch_row(
            "missing_sensitive_values", source=self._render_values(), columns=self.columns, column=self.column
        )
        self.missing_cells: int = missing["cells"]

    def _render_values(self) -> Sql:
        """Render the relation of the values, with missing tokens as missing values."""
        attributes = [*self.others, self.sensitive]
        return render(
            "known_cells",
            source=VIEW,
            attributes=[attribute.make_attribute(self.options.missing_tokens) for attribute in attributes],
            names=[*self.columns, self.column],
            user=self.user,
        )

    def measure(self, levels: Definition | None) -> tuple[SensitiveAttribute, list[Sentence]]:
        """Measure the attribute by all rules, and return notes.

        Args:
            levels: The hierarchy of its values; None without one.
        """
        notes: list[Sentence] = []
        rows = dict(self.measure_by_rule())
        asked: Rule = self.options.missing
        missing: Rule = asked if asked in rows or not self.missing_cells else "value"
        if missing != asked:
            why = "told_value" if self.session.engine is None else "told_value_there"
            notes.append(Sentence(f"disclosure.note.{why}", attribute=Data(self.sensitive.column.name)))
        row = rows[missing] if missing in rows else rows["value"]
        if levels is not None and (self.user is not None or row is not rows["value"]):
            levels = None
            notes.append(
                Sentence("disclosure.note.told_no_hierarchy", attribute=Data(self.sensitive.column.name))
            )
        entry = SensitiveAttribute(
            attribute=self.sensitive.column.name,
            reason=self.sensitive.reason,
            quasi_identifiers=tuple(other.column.name for other in self.others),
            unit="record" if self.user is None else "user",
            users_with_several=self.users_with_several,
            ordered=self.ordered,
            missing=missing,
            missing_cells=self.missing_cells,
            **row,
            hierarchical_t=self.measure_hierarchical_t(levels) if levels is not None else None,
            other_rules=tuple(
                DisclosureByRule(missing=rule, **rows[rule])
                for rule in MISSING
                if rule in rows and rule != missing
            ),
        )
        return entry, notes

    def measure_by_rule(self) -> Iterator[tuple[Rule, _Row]]:
        """Yield the figures by each rule for missing values that applies."""
        others = self.missing_cells > 0 and self.options.can_compare_rules(self.roles.records)
        others = others and self.session.engine is None
        classes = Classes(self.session, self.others, tokens=self.options.missing_tokens)
        if others:
            classes.keep()
            others = classes.number_values()
        if self.user is not None:
            yield from self._measure_users(classes, self.user)
            return
        if self.session.engine is not None:
            yield "value", self._measure_on_engine()
            return
        row = self.session.fetch_row(
            "attribute_disclosure",
            source=self._render_values(),
            columns=self.columns,
            column=self.column,
            l=None,
        )
        row["ordered_t"] = row["ordered_t"] if self.ordered else None
        yield "value", row
        if others:
            self.session.run("sensitive_classes")
            self.session.run(
                "class_sensitive_values",
                source=self._render_values(),
                columns=self.columns,
                column=self.column,
            )
        for rule in MISSING[1:] if others else ():
            if classes.list_agreeing(rule, owned=False):
                yield rule, self._measure_groups("class_agreeing", several=False)

    def _measure_on_engine(self) -> _Row:
        """Measure the classes that a distributed engine counted."""
        self.session.run(
            "sensitive_counts", source=self._render_values(), columns=self.columns, column=self.column
        )
        self.session.run("counted_sensitive_members")
        self.session.run("counted_sensitive_values")
        self.session.run("group_pairs", fitted=False, wildcard=False)
        return self._measure_groups("group_pairs", several=False)

    def _measure_users(self, classes: Classes, user: str) -> Iterator[tuple[Rule, _Row]]:
        for rule in classes.match_users(user):
            fitted = rule != "value"
            self.session.run("sensitive_users", fitted=fitted)
            self.session.run("group_pairs", fitted=fitted, wildcard=rule == "wildcard")
            self.session.run(
                "user_sensitive_values",
                source=self._render_values(),
                user=user,
                column=self.column,
                ignore_missing=fitted,
            )
            several: int = self.session.fetch_row("users_with_several_values")["users"]
            self.users_with_several = several if self.users_with_several is None else self.users_with_several
            yield rule, self._measure_groups("group_pairs", several=several > 0)

    def _measure_groups(self, pairs: str, several: bool) -> _Row:
        places = (
            self.session.fetch_row("group_value_pairs")["places"] if self.ordered and not several else None
        )
        return self.session.fetch_row(
            "group_disclosure",
            pairs=pairs,
            several_values=several,
            ordered=places is not None and places <= MAX_GROUP_VALUES,
        )

    def measure_hierarchical_t(self, levels: Definition) -> float | None:
        """Measure t by the hierarchy of the values.

        Args:
            levels: The hierarchy.
        """
        table, column = "sensitive_levels", self.sensitive.column
        built = levels.build(self.session, relation(VIEW), column.binding, table, column.type, column.name)
        row = self.session.fetch_row(
            "hierarchical_closeness",
            source=self._render_values(),
            columns=self.columns,
            column=self.column,
            hierarchy=table,
            labels=[f"level{level}" for level in range(built.height)],
        )
        t: float | None = row["hierarchical_t"]
        return t


def _load_hierarchies(options: Options, telling: list[Chosen]) -> dict[int, Definition]:
    """Load the hierarchies of sensitive attributes, by position of the column."""
    if options.hierarchies is None:
        return {}
    by_name = {
        name.casefold(): levels for name, levels in load_hierarchies(Path(options.hierarchies)).items()
    }
    return {
        sensitive.column.position: by_name[sensitive.column.name.casefold()]
        for sensitive in telling
        if sensitive.column.name.casefold() in by_name
    }
