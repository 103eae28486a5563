"""What the items of the checklist are judged by: columns by role or content, and the results of a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Sentence
from duckrisk.decision.assessment.questions import quote_names, warn_of_few_people
from duckrisk.decision.assessment.results import Assessment, Status
from duckrisk.decision.assessment.verdict import list_identifying_kinds, list_open_code_columns
from duckrisk.measures.attribute.results import AttributeRisk
from duckrisk.measures.identifiability.results import Identifiability
from duckrisk.roles.results import TOGETHER
from duckrisk.roles.words import is_nameless

#: Names of columns that a sentence lists (a choice: a line).
MAX_NAMES = 5
#: Roles of columns whose content is not examined.
_UNREAD_ROLES = ("user", "free_text", "ignored")


@dataclass(frozen=True)
class Findings:
    """What the items are judged by: columns by role or content, and the results."""

    result: Assessment
    kinds: dict[str, list[str]]
    sets: Identifiability | None
    user: str | None
    identifiers: list[str]
    code_columns: list[str]
    unread_columns: list[str]

    @classmethod
    def of(cls, result: Assessment) -> Findings:
        """Collect what a finished assessment found."""

        def list_columns(*roles: str) -> list[str]:
            return [column.name for column in result.source.columns if column.role in roles]

        leading, asked = list_identifying_kinds("public"), list_open_code_columns(result)
        return cls(
            result,
            scan.kinds() if (scan := result.direct_identifiers) is not None else {},
            result.identifiability,
            result.source.user,
            [
                column.name
                for column in result.source.columns
                if (column.role == "direct_identifier" and column.name not in asked)
                or (column.role == "user" and column.kind in leading)
            ],
            [name for name in asked if name != result.source.user],
            list_columns(*_UNREAD_ROLES),
        )

    def list_by_content(self, *kinds: str) -> list[str]:
        """List the columns whose values look like a direct identifier (of some kinds)."""
        return [column for column, looks in self.kinds.items() if not kinds or set(looks) & set(kinds)]

    @property
    def date_and_postal_columns(self) -> list[str]:
        """The columns with moments, or with values that spell days or postal codes.

        Ignored columns are not among them.
        """
        scan, columns = self.result.direct_identifiers, self.result.source.columns
        found = {one.column for one in scan.found if one.likely and one.kind in TOGETHER} if scan else set()
        return [c.name for c in columns if c.role == "date_time" or (c.name in found and c.role != "ignored")]

    def judge_openness(self, others: Iterable[str] = ()) -> Status:
        """Return `supports` unless columns, or others, were left open."""
        left = self.open_columns or self.guessed_columns or list(others)
        return "not_shown" if not self.is_scanned or left else "supports"

    @property
    def is_scanned(self) -> bool:
        """Whether the columns were searched for direct identifiers."""
        return self.result.direct_identifiers is not None

    @property
    def open_columns(self) -> list[str]:
        """The columns with unknown content.

        They were not examined because of role, type or number, their names say nothing, or the origin of
        their codes is unknown.
        """
        section = self.result.direct_identifiers
        looked = [skipped.column for skipped in section.not_examined] if section is not None else []
        return remove_repeats([*self.unread_columns, *looked, *self.nameless_columns, *self.code_columns])

    @cached_property
    def nameless_columns(self) -> list[str]:
        """Columns whose names say nothing, and whose roles nobody gave."""
        columns = self.result.source.columns
        settled = ("user", "direct_identifier", "ignored", "constant")
        return [
            column.name
            for column in columns
            if is_nameless(column.name)
            and column.role not in settled
            and column.kind != "row"
            and not column.given
        ]

    @property
    def guessed_columns(self) -> list[str]:
        """Columns whose roles are guesses."""
        return [column.name for column in self.result.source.columns if column.confidence == "guess"]

    def list_identifiers(self, *kinds: str) -> list[str]:
        """List the direct identifiers of some kinds, by name or content."""
        return [
            column.name
            for column in self.result.source.columns
            if column.name in self.identifiers and column.kind in kinds
        ]

    def say_unexamined(self, *besides: str | None) -> list[Sentence]:
        """Say what was not examined, without some columns that other sentences are about."""
        looked = [name for name in self.open_columns if name not in (*besides, *self.nameless_columns)]
        return [
            *([] if self.is_scanned else [say_found("not_scanned")]),
            *say_about("unread", looked),
            *say_about("nameless", self.nameless_columns),
            *say_about(
                "guessed", [name for name in self.guessed_columns if name not in self.nameless_columns]
            ),
        ]

    @property
    def class_sizes(self) -> list[Any]:
        """Class sizes of records and of users, by the requested rule for missing values."""
        sizes = self.result.class_sizes
        if sizes is None:
            return []
        return [rule for rule in (*sizes.rules, *(sizes.users or ())) if rule.missing == sizes.missing]

    @property
    def disclosed_attributes(self) -> list[Any]:
        """The sensitive attributes that a class of one value discloses."""
        section = self.result.attribute_disclosure
        attributes = section.attributes if section is not None else ()
        return [attribute for attribute in attributes if attribute.homogeneous_records]

    def list_typed_columns(self, types: tuple[str, ...]) -> list[str]:
        """List the columns with one of these sensitivity types."""
        if self.sets is None:
            return []
        return remove_repeats(
            attribute.column for attribute in self.sets.attributes if attribute.type in types
        )

    @property
    def untyped_columns(self) -> list[str]:
        """Columns without a sensitivity type, confirmed or proposed."""
        if self.sets is None:
            return []
        typed = {attribute.column for attribute in self.sets.attributes if attribute.type is not None}
        columns = self.result.source.columns
        return [c.name for c in columns if c.role not in _UNREAD_ROLES and c.name not in typed]

    @property
    def unconfirmed_types(self) -> list[Sentence]:
        """The remark that sensitivity types are not confirmed, if some are not."""
        every = self.sets.attributes if self.sets is not None else []
        return [say_found("proposed")] if any(attribute.provisional for attribute in every) else []

    @property
    def has_links(self) -> bool:
        """Whether records of a person can be linked by the user column."""
        return self.user is not None and self.result.source.most_records_of_a_user > 1

    def find_worst_attribute(self, field: str) -> AttributeRisk | None:
        """Return the attribute with the highest value of a field; None if not measured."""
        plausible = [risk for risk in self.result.attribute_risk if risk.plausible]
        counted = [risk for risk in plausible if getattr(risk, field) is not None]
        return max(counted, key=lambda risk: getattr(risk, field)) if counted else None

    @property
    def is_anyone_singled_out(self) -> bool:
        """Whether some person or record is singled out."""
        if self.sets is None:
            return False
        users = self.sets.users
        return bool(self.sets.singled_out or (users is not None and users.singled_out))

    @property
    def unique_people(self) -> int:
        """Number of people singled out by all columns together.

        The opinion isolates records by any attributes, not only by quasi-identifiers.
        """
        known = self.result.uniqueness
        together = (known.all_columns or known.all_attributes) if known is not None else None
        return together.people if together is not None else 0

    @property
    def unsearched_columns(self) -> list[str]:
        """Columns that are in no attribute set, though an attacker may know them."""
        inside = {attribute.column for attribute in self.sets.attributes} if self.sets is not None else set()
        columns = self.result.source.columns
        known = [c.name for c in columns if c.role not in ("user", "constant", "event_key")]
        return [name for name in known if name not in inside]

    @property
    def reasons_for_doubt(self) -> list[Sentence]:
        """Why nothing can speak for the table: nothing was assessed, or it has few people."""
        result = self.result
        looked = result.attribute_risk or (result.uniqueness is not None and result.uniqueness.attributes)
        nothing = [] if looked or result.uniqueness is None else [Sentence("policy.unsettled.nothing")]
        return [*nothing, *warn_of_few_people(result.source.users)]

    @property
    def is_nobody_singled_out(self) -> bool:
        """Whether the search proved that nobody can be singled out by any column."""
        if (
            self.sets is None
            or self.reasons_for_doubt
            or self.is_anyone_singled_out
            or self.unique_people
            or self.unsearched_columns
        ):
            return False
        users = self.sets.users
        return not self.sets.unknown and not (users is not None and users.unknown)


def say_found(key: str, **values: Any) -> Sentence:
    """Return a sentence of evidence."""
    return Sentence(f"checklist.found.{key}", **values)


def say_about(key: str, names: Iterable[str], **values: Any) -> list[Sentence]:
    """Return a sentence about some columns, if there are any."""
    every = list(names)
    shown = quote_names(every, MAX_NAMES)
    return [say_found(key, names=shown, count=format_number(len(every)), **values)] if every else []


def remove_repeats(names: Iterable[str]) -> list[str]:
    """Return names in their order, each once."""
    return list(dict.fromkeys(names))
