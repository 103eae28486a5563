"""The attribute sets that an attacker may know, as a search examines them, and a search by each rule."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, TypeVar

from duckrisk.base.errors import UsageError
from duckrisk.base.options.disclosure import MISSING, Options, Rule
from duckrisk.base.sentences import Data
from duckrisk.engine.session import Session
from duckrisk.measures.disclosure.choice import list_quasi_identifiers
from duckrisk.measures.disclosure.set_results import KeysByRule, Searched, SetsByRule, SudaByRule
from duckrisk.measures.identifiability.attributes import select_most_distinct
from duckrisk.measures.sets.easiest import MOST_ATTRIBUTES
from duckrisk.measures.sets.lattice import Lattice, Limit
from duckrisk.measures.sets.limits import Limits
from duckrisk.roles import Roles
from duckrisk.source import Source

#: The rules for missing values in the order in which searches begin: a wildcard takes longest.
_QUICK_FIRST: tuple[Rule, ...] = ("value", "none", "wildcard")

ByRule = TypeVar("ByRule", SudaByRule, SetsByRule, KeysByRule)


class KnownSets:
    """The sets of the quasi-identifiers of a source.

    Args:
        session: The session, with the source as the assessed view.
        source: The source.
        roles: The roles of its columns.
        options: The options of all parts.
        what: The name of the part that searches them.

    Attributes:
        lattice: The sets by the requested rule for missing values.
        attributes: The attributes.
        names: Their names.
        notes: The attributes that were left out, for the report.

    Raises:
        UsageError: There is no quasi-identifier, or values are missing in too many patterns.
    """

    def __init__(self, session: Session, source: Source, roles: Roles, options: Options, what: str) -> None:
        chosen = list_quasi_identifiers(source, roles, options)
        if not chosen:
            raise UsageError("disclosure.attributes_missing", what=what)
        chosen, self.notes = select_most_distinct(chosen, MOST_ATTRIBUTES, Data(what), "--quasi-identifier")
        self.roles, self.options = roles, options
        self.names = [choice.column.name for choice in chosen]
        self.attributes = [choice.make_attribute(options.missing_tokens) for choice in chosen]
        has_several = roles.user is not None and roles.users < roles.records
        user = roles.user.binding if roles.user is not None and has_several else None
        until = None if options.time_limit is None else time.monotonic() + options.time_limit
        limits = Limits(max_size=options.max_size, until=until)
        self.lattice = Lattice(session, self.attributes, user, limits, options.missing)
        if self.lattice.wildcard is not None and self.lattice.wildcard.is_too_large:
            raise UsageError(
                "disclosure.too_many_missing_patterns",
                what=what,
                combinations=self.lattice.wildcard.combinations,
                patterns=self.lattice.wildcard.patterns,
            )

    def describe(self) -> Searched:
        """Describe whose attribute sets these are."""
        has_users, made = self.lattice.has_users, self.lattice.combinations
        return Searched(
            unit="user" if has_users else "record",
            records=made.records,
            users=self.roles.users if has_users else None,
            attributes=tuple(self.names),
            missing_mode=self.options.missing,
            missing_cells=made.missing_cells,
        )

    def list_names(self, mask: int) -> tuple[str, ...]:
        """List the names of a set's attributes.

        Args:
            mask: The set.
        """
        return tuple(name for position, name in enumerate(self.names) if mask >> position & 1)

    def compare_rules(
        self,
        size: int,
        limit: Limit | None,
        search: Callable[[Lattice, Rule], ByRule],
        result: type[ByRule],
    ) -> tuple[ByRule, ...]:
        """Search by each other rule for missing values, if requested and one is missing.

        Args:
            size: Attributes of a set at most, as in the search by the first rule.
            limit: What limited that search.
            search: Searches sets by a rule, in the time that is left.
            result: The result of a search that did not begin.
        """
        if not self.options.compare_missing or not self.lattice.combinations.missing_cells:
            return ()
        by_rule: dict[Rule, ByRule] = {}
        for rule in _QUICK_FIRST:
            if rule == self.options.missing:
                continue
            why: Literal["time_limit", "patterns"] = "time_limit"
            if not self.lattice.limits.is_time_over():
                other = self.lattice.change_rule(rule, size, limit)
                if other.wildcard is None or not other.wildcard.is_too_large:
                    by_rule[rule] = search(other, rule)
                    continue
                why = "patterns"
            by_rule[rule] = result(missing=rule, limit=why)
        return tuple(by_rule[rule] for rule in MISSING if rule in by_rule)
