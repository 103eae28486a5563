"""The classes of quasi-identifiers: the records that agree with each, by each rule for missing values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from duckrisk.base.options.disclosure import MISSING, Rule
from duckrisk.base.options.identifiability import TOKENS
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Part
from duckrisk.measures.disclosure.choice import Chosen
from duckrisk.source import VIEW

#: Classes; more are counted without keeping them, unless a measure asks for the classes of records (a choice:
#: they take half a gigabyte).
KEPT = 2_000_000
#: Classes that a statement groups by; more are counted in parts of whole classes
#: (tests/benchmarks/class_sizes.py: it bounds memory).
GROUPED = 16_000_000
#: Bits of a word (derived: a BIGINT without its sign, and one spare).
_WORD = 62
#: Pairs of classes, and of users, that may agree; with more profiles are not compared by the other rules (a
#: choice: it bounds memory).
MOST_FITTING = 20_000_000
#: Pairs of a class and a pattern of missing values that share a statement (a choice: it bounds memory).
PAIRS = 4_000_000
#: Such pairs; with more the other rules for missing values are not tried (a choice: minutes).
MOST_PAIRS = 2_000_000_000


@dataclass(frozen=True)
class People:
    """The population.

    Attributes:
        relation: Its relation.
        columns: Its columns of the quasi-identifiers.
        count: The column with the number of people of a row; None for one each.
    """

    relation: str
    columns: tuple[str, ...]
    count: str | None = None


@dataclass
class Classes:
    """The classes of the records in one session.

    Attributes:
        session: The session.
        chosen: The quasi-identifiers.
        weight: The column of survey weights.
        people: The population.
        tokens: Texts and numbers that mean a missing value.
        grouped: Classes that a statement groups by at most.
        kept_most: Classes that are kept without need at most.
        counted: The column with the number of people of a record.
        attributes: The quasi-identifiers as an attacker knows them.
        kept: Whether the classes are kept as a table.
        numbered: Whether the values of the classes and the patterns of missing values are numbered.
        cells: What is missing in the records of the classes.
        rules: The counted rules for missing values; all if no value is missing.
        parts: The number of parts in which the classes are counted.
    """

    session: Session
    chosen: Sequence[Chosen]
    weight: str | None = None
    people: People | None = None
    tokens: Sequence[str] = TOKENS
    grouped: int = GROUPED
    kept_most: int = KEPT
    counted: str | None = None
    attributes: list[Attribute] = field(init=False)
    kept: bool = False
    numbered: bool = False
    cells: dict[str, Any] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=lambda: ["value"])
    parts: int = 1

    def __post_init__(self) -> None:
        self.attributes = [choice.make_attribute(self.tokens) for choice in self.chosen]

    def count(self, records: int, keep: bool) -> None:
        """Count the classes with a missing value as a value of its own.

        Args:
            records: The number of records.
            keep: Whether to keep the classes as a table whatever their number.
        """
        columns = [choice.column.binding for choice in self.chosen]
        classes = records
        if records > min(self.kept_most, self.grouped):
            classes = self.session.fetch_row("class_estimate", source=VIEW, columns=columns)["classes"]
        # An estimate is off by a few per cent. A distributed engine counts all in one statement.
        self.parts = 1 if self.session.engine else 1 + int(1.1 * classes) // self.grouped
        self.session.run("class_frequencies")
        are_too_many = not keep and classes > self.kept_most
        if are_too_many or self.session.engine is not None:
            self._count_unkept()
            if are_too_many or not self.cells["incomplete"]:
                return
            self.session.run("class_frequencies")  # the other rules need the classes themselves
        self.keep()
        self.session.run("class_counts", missing="value")

    def _count_unkept(self) -> None:
        """Count the classes with a missing value as a value, and keep only their sizes."""
        for part in range(self.parts):
            self.session.run(
                "class_pass",
                source=VIEW,
                attributes=self.attributes,
                passes=self.parts,
                part=part,
                **self._counts,
            )
        incomplete = self.session.fetch_row("class_incomplete")["records"]
        self.cells = {"incomplete": incomplete, "cells": 0 if not incomplete else None}
        if not incomplete:
            self.rules = list(MISSING)

    @property
    def _counts(self) -> dict[str, str]:
        """Return the column of counts as an argument, if there is one."""
        return {"counted": self.counted} if self.counted is not None else {}

    def keep(self) -> None:
        """Keep the classes as a table."""
        for part in range(self.parts):
            self.session.run(
                "known_classes",
                source=VIEW,
                columns=[choice.column.binding for choice in self.chosen],
                attributes=self.attributes,
                weight=self.weight,
                population=self.people.relation if self.people else None,
                theirs=self.people.columns if self.people else (),
                count=self.people.count if self.people else None,
                **self._counts,
                passes=self.parts,
                part=part,
            )
        self.cells = self.session.fetch_row("class_missing", attributes=len(self.attributes))
        self.session.run("class_matches")
        self.kept = True

    def match_missing(self) -> bool:
        """Count the classes by the other rules; return False if that takes too long."""
        if not self.cells["incomplete_classes"]:
            self.rules = list(MISSING)
            return True
        if not self.number_values():
            return False
        classes, patterns = self.cells["classes"], self.cells["patterns"]
        count = len(self.attributes)
        together = max(1, PAIRS // max(1, classes))
        for rule in ("wildcard", "none"):
            self.session.run("class_matches_complete", attributes=count, wildcard=rule == "wildcard")
            for first in range(0, patterns, together):
                last = first + together - 1
                self.session.run(f"class_matches_{rule}", attributes=count, first=first, last=last)
            self.session.run("class_counts", missing=rule)
        self.rules = list(MISSING)
        return True

    def number_values(self) -> bool:
        """Number the values of the kept classes, and the patterns of missing values.

        Returns:
            False if these are too many to compare classes by them.
        """
        count = len(self.attributes)
        if 2 * self.cells["classes"] * self.cells["patterns"] > MOST_PAIRS or count > _WORD:
            return False
        tables = [f"class_values_{position}" for position in range(count)]
        for position, table in enumerate(tables):
            attribute = Attribute(table, (Part(f"v{position}"),))
            self.session.run("value_codes", source="known_classes", attribute=attribute, table=table)
        self.session.run("class_codes", tables=tables)
        self.session.run("class_patterns", attributes=count)
        self.numbered = True
        return True

    def list_agreeing(self, rule: str, owned: bool) -> bool:
        """List the pairs of classes that agree, in the table `class_agreeing`.

        Args:
            rule: The rule for missing values.
            owned: Whether to list only pairs with a class of a user who lacks a value.

        Returns:
            False if these are too many.
        """
        self.session.run(
            "class_agreeing",
            attributes=len(self.attributes),
            wildcard=rule == "wildcard",
            most=MOST_FITTING,
            incomplete_only=owned,
        )
        return self._is_complete("class_agreeing")

    def _is_complete(self, table: str) -> bool:
        """Return whether a table was not cut off."""
        return bool(self.session.fetch_row("row_counts", tables=[table])["records"] < MOST_FITTING)

    def find_rule(self, missing: str) -> str:
        """Return the rule under which the figures of a rule are found.

        Args:
            missing: The rule.
        """
        return missing if self.cells.get("incomplete_classes") else "value"

    def match_users(self, user: str) -> Iterator[Rule]:
        """Find the users who agree by their whole profiles, by each rule if possible.

        Args:
            user: The column of users.

        Yields:
            A rule while its tables exist: `class_profiles`, and for rules other than value
            `class_histories` and `class_fitting`.
        """
        session = self.session
        shared = {"source": VIEW, "user": user, "attributes": self.attributes}
        if session.engine is None:
            session.run("class_users", **shared)
            session.run("users_in_shared_classes")
        session.run("class_profiles", **shared)
        yield "value"
        # Users in a distributed engine are compared by whole profiles alone.
        if not self.numbered or session.engine is not None:
            return
        session.run("class_owners", **shared)
        session.run("class_histories")
        for rule in MISSING[1:]:
            if not self.list_agreeing(rule, owned=True):
                continue
            session.run("class_candidates", max_rows=MOST_FITTING)
            if self._is_complete("class_candidates"):
                session.run("class_fitting", wildcard=rule == "wildcard")
                yield rule
