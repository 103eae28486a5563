"""Decisions on columns, profiles of columns, and the roles that follow."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.sentences import Sentence
from duckrisk.engine.templates import Attribute
from duckrisk.engine.types import can_be_code, has_date, is_float, is_text, is_time
from duckrisk.roles.results import Content, Counted
from duckrisk.source.long_values import LONG_TEXT
from duckrisk.source.model import Column

Role = Literal[
    "user",
    "direct_identifier",
    "date_time",
    "attribute",
    "event_key",
    "free_text",
    "constant",
    "ignored",
    "count",
]
ROLES: tuple[str, ...] = get_args(Role)
#: Roles that a person declares: outsiders may know it, its values must not be disclosed, or neither.
Declared = Literal["quasi_identifier", "sensitive", "insensitive"]
DECLARED: tuple[str, ...] = get_args(Declared)
#: Roles of a settings file; ``keep`` is a quasi-identifier that a treatment must not leave out.
SETTABLE = (*ROLES, "identifier", "pseudonym", *DECLARED, "keep")
#: Roles that are assessed, and those of them that outsiders may plausibly know.
ASSESSED_ROLES = ("attribute", "date_time", "event_key")
KNOWN_ROLES = ("attribute", "date_time")
#: Confidence in a role: declared, or proved by values; suggested by name or values; weak evidence.
Confidence = Literal["sure", "likely", "guess"]
#: Kind of a column of pseudonyms, by the recipe of a release.
PSEUDONYM = "pseudonym"
#: Kind of a column that numbers the rows of its file.
ROW = "row"
#: Kinds of a user column that a person declares: codes made for this table, numbers of an organisation.
NEW, ORIGINAL = "new", "original"
#: Role of the user column in a settings file, by the kind of its numbers.
NUMBERS_OF_PERSON = {NEW: "pseudonym", ORIGINAL: "identifier"}
#: Kind of a column whose values all differ.
CODE = "code"
#: Types besides texts and dates whose values can be identifiers, and types with too few digits or letters.
SEARCHED = re.compile(r"U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|BIGNUM|DOUBLE|DECIMAL\(\d+,0\)|UUID|INET")
_TOO_SHORT = re.compile(r"FLOAT|DECIMAL\(\d+,\d+\)|BOOLEAN|INTERVAL|BIT")
#: Characters of all values, where they are UUIDs, digests or keys of databases (derived: 128 to 512 bits in
#: hexadecimal or Base64, and 96 bits).
_LENGTHS_OF_CODES = (22, 24, 32, 36, 40, 44, 56, 64, 88, 96, 128)
#: Share of these with a digit (derived: 3 % of the shortest in Base64 have none, and of others fewer).
_DIGITS_OF_CODES = 0.9
_LISTS = re.compile(r"(\[\d*\])+$")
#: Records or users; fewer that all differ prove nothing (a choice: half and twice of it read all 113 tables
#: of tests/labelled.py alike).
FEW = 50
#: Characters on average; longer texts are compared by digests (a choice: a digest has 128, so shorter texts
#: gain nothing).
LONG = 100


@dataclass
class Decision:
    """The role of a column, and why.

    ``present`` are its records with a value; ``distinct`` are its distinct values, an estimate if far below
    that. ``kind`` is the kind of identifier or key by name or values. ``given`` is true if a person set the
    role, and ``declared`` is the role of an attacker's knowledge that a person declared. ``against`` is the
    role that the column looks like against that, and ``keep`` forbids a treatment to leave it out.
    """

    column: Column
    role: Role
    reason: Sentence | None = None
    confidence: Confidence = "likely"
    kind: str | None = None
    present: int = 0
    distinct: int = 0
    given: bool = False
    is_long: bool = False
    declared: Declared | None = None
    keep: bool = False
    against: Role | None = None
    #: Items of HIPAA's list that it falls under.
    listed: tuple[int, ...] = ()
    #: Whether it is a candidate for the person's column.
    is_candidate: bool = False

    @property
    def is_known(self) -> bool:
        """Whether outsiders may know the column, unless a person declared otherwise."""
        return self.declared in (None, "quasi_identifier")

    def declare(self, role: Declared) -> None:
        """Declare what an attacker knows of the column.

        A column that looks like an identifier, or like text, becomes an attribute, with that in ``against``.
        """
        self.declared, self.given, self.confidence = role, True, "sure"
        if self.role in ("direct_identifier", "free_text"):
            self.role, self.against = "attribute", self.role
        elif self.role == "ignored" or (self.role == "event_key" and role != "insensitive"):
            self.role = "attribute"

    @property
    def is_moment(self) -> bool:
        """Whether the values are dates with times."""
        return self.role == "date_time"

    def decide(
        self,
        role: Role,
        reason: Sentence | None,
        confidence: Confidence = "likely",
        *,
        kind: str | None = None,
        given: bool = False,
    ) -> None:
        """Set the role with its reason; one that a person set is sure."""
        self.role, self.reason, self.given = role, reason, given
        self.confidence = "sure" if given else confidence
        self.kind = kind or self.kind


@dataclass(frozen=True)
class ColumnProfile:
    """Counts over the values of a column.

    ``present`` are the records with a value, and ``distinct`` its distinct values, which may be estimated.
    ``wordy_values`` are values of four words or of sentences, ``moments`` texts of a date with a time,
    ``with_at`` texts like an e-mail address, and ``with_fields`` texts like JSON. ``lowest``, ``highest`` and
    ``fractions`` are of numbers.

    If ``is_sampled`` is true, the first values were examined: the share with a digit (``digits``) or a blank,
    and the share of numbers, days, measures, full names and names without a blank (``unparted_names``), and
    of ``coarse`` values as releases have them: sets {a, b} and intervals [a, b].
    ``kinds`` has the share of each kind of identifier.
    """

    column: Column
    records: int
    present: int
    distinct: int
    is_constant: bool
    mean_length: float = 0.0
    longest: int = 0
    wordy_values: int = 0
    moments: int = 0
    with_at: int = 0
    with_fields: int = 0
    lowest: float | None = None
    highest: float | None = None
    fractions: int = 0
    is_sampled: bool = False
    digits: float = 0.0
    numbers: float = 0.0
    days: float = 0.0
    blanks: float = 0.0
    measures: float = 0.0
    full_names: float = 0.0
    unparted_names: float = 0.0
    coarse: float = 0.0
    kinds: tuple[tuple[str, float], ...] = ()

    @property
    def is_long(self) -> bool:
        """Whether texts are compared by their digests."""
        return self.mean_length >= LONG or (self.is_text and self.longest > LONG_TEXT)

    @property
    def is_searched(self) -> bool:
        """Whether values, or those in lists, are searched for direct identifiers."""
        kind = _LISTS.sub("", self.column.type)
        return is_text(kind) or has_date(kind) or SEARCHED.fullmatch(kind) is not None

    @property
    def is_opaque(self) -> bool:
        """Whether a value can hold anything, such as fields with names of their own."""
        kind = _LISTS.sub("", self.column.type)
        if is_text(kind):
            nested = kind != self.column.type and not self.is_list
            return nested or self.with_fields > 0.5 * self.present
        return not (self.is_searched or is_time(kind) or _TOO_SHORT.fullmatch(kind))

    @property
    def is_text(self) -> bool:
        """Whether the column holds texts."""
        return self.column.type == "VARCHAR"

    @property
    def has_length_of_codes(self) -> bool:
        """Whether all texts are as long as codes that programs make."""
        is_even = self.longest == self.mean_length in _LENGTHS_OF_CODES
        return self.is_text and is_even and not (self.wordy_values or self.moments or self.with_fields)

    @property
    def is_machine_code(self) -> bool:
        """Whether the values are codes that programs make, such as UUIDs and digests."""
        has_shape = self.is_sampled and not (self.blanks or self.coarse) and self.digits >= _DIGITS_OF_CODES
        return self.column.type == "UUID" or (self.has_length_of_codes and has_shape)

    @property
    def is_list(self) -> bool:
        """Whether the column holds lists of texts, which a release can have as sets."""
        return self.column.type == "VARCHAR[]"

    @property
    def can_hold_codes(self) -> bool:
        """Whether the values can be assigned numbers or names.

        Whole numbers in a column of real numbers can: missing values make them so.
        """
        real = is_float(self.column.type) and self.highest is not None
        return can_be_code(self.column.type) or (real and self.fractions <= 0.01 * self.present)

    @property
    def is_wordy(self) -> bool:
        """Whether half of the texts or more have four words."""
        return self.is_text and self.present > 0 and self.wordy_values >= 0.5 * self.present

    def is_distinct(self, share: float, of: int | None = None) -> bool:
        """Return whether the distinct values are at least a share of the records.

        Args:
            share: The share.
            of: A number of persons or records; None for those with a value.
        """
        return self.distinct >= share * (self.present if of is None else of)


@dataclass(frozen=True)
class LikeCounts:
    """A column that looks like counts of people, with its counts and the ``small`` ones."""

    column: str
    cells: int
    small: int


@dataclass(frozen=True)
class Totals:
    """Rows that look like sums of others, and the number or the line of the first."""

    rows: int
    first: int
    is_line: bool = False


@dataclass(frozen=True)
class Holdings:
    """What a row of a table is, if it is not one person.

    ``counted`` and ``no_persons`` were declared, ``like_counts`` and ``may_lack_persons`` are guesses.
    ``persons`` are the columns that describe persons although none were declared to be there.
    """

    counted: Counted | None = None
    like_counts: LikeCounts | None = None
    totals: Totals | None = None
    no_persons: bool = False
    may_lack_persons: bool = False
    persons: tuple[str, ...] = ()

    @property
    def is_doubtful(self) -> bool:
        """Whether it is a guess that each row is a person."""
        return self.like_counts is not None or self.may_lack_persons


@dataclass
class Roles:
    """All decisions of a source, and the attributes to assess.

    ``records`` are all records, and ``users`` the persons behind them. ``without_user`` are records that name
    none, and ``records_of_token_users`` those whose user is a text for a missing value elsewhere.
    ``most_records`` is the number of records of the user with the most. ``user_confidence`` is the confidence
    in the person of a record, also without a user column.

    ``has_named_attributes`` is true if a person chose them. ``overrides`` are the merged options and
    settings, and ``content`` the identifiers in the values. ``fixed`` are bindings of columns that are
    constant for each user. ``undated`` are columns of days whose years have two digits of an unknown
    century.

    ``lost_user`` is the name of the user column that a release lacks. If the original is at hand, ``user`` is
    a column of the assessed view that no file has. ``is_linked`` is false then: the released table does not
    show which records are of one person.
    """

    decisions: list[Decision]
    user: Column | None
    records: int
    users: int
    without_user: int
    records_of_token_users: int
    most_records: int
    attributes: list[Attribute]
    notes: list[Sentence] = field(default_factory=list)
    has_named_attributes: bool = False
    overrides: RoleOverrides = field(default_factory=RoleOverrides)
    user_confidence: Confidence = "likely"
    content: Content = field(default_factory=Content)
    fixed: tuple[str, ...] = ()
    lost_user: str | None = None
    is_linked: bool = True
    undated: tuple[str, ...] = ()
    holdings: Holdings = field(default_factory=Holdings)
    #: The column of counts if a record is several people, and the rows of the table.
    count: Column | None = None
    rows: int = 0
    #: The candidates for the user column, the likeliest first, each of one or more columns.
    candidates: tuple[tuple[str, ...], ...] = ()
    #: Reasons why several records may be of one person, which leave a verdict open.
    doubts: list[Sentence] = field(default_factory=list)

    @property
    def by_record(self) -> Roles:
        """The roles as a recipient sees them: without links, each record is a person."""
        if self.is_linked:
            return self
        return replace(self, user=None, users=self.records, without_user=0, most_records=1)

    @property
    def plausible(self) -> list[Attribute]:
        """The quasi-identifiers.

        They are the attributes that a person named, else all but keys of events, households and surveys. None
        is declared sensitive or insensitive.
        """
        unlikely = {d.column.binding for d in self.decisions if not d.is_known}
        unlikely |= set() if self.has_named_attributes else self.unlikely_known
        return [a for a in self.attributes if unlikely.isdisjoint(part.column for part in a.parts)]

    @property
    def withheld(self) -> list[Attribute]:
        """The attributes of columns that are declared sensitive or insensitive."""
        columns = {d.column.binding for d in self.decisions if not d.is_known and d.role != "event_key"}
        return [a for a in self.attributes if not columns.isdisjoint(part.column for part in a.parts)]

    @property
    def is_nothing_known(self) -> bool:
        """Whether outsiders know no column, because a person declared so."""
        return not self.plausible and any(not decision.is_known for decision in self.decisions)

    @property
    def person_candidates(self) -> tuple[tuple[str, ...], ...]:
        """The candidates for the user column, the likeliest first.

        Without ``candidates`` that is the user column, or one that was too doubtful.
        """
        if any(self.candidates):
            return tuple(filter(None, self.candidates))
        if self.user is not None:
            return ((self.user.name,),)
        return tuple((decision.column.name,) for decision in self.decisions if decision.is_candidate)[:1]

    @property
    def unlikely_known(self) -> set[str]:
        """Bindings of the assessed columns that nobody plausibly knows of others."""
        return {decision.column.binding for decision in self.decisions if decision.role == "event_key"}


def known_columns(roles: Roles) -> list[Decision]:
    """Return the columns of all attributes, in their order.

    Users, identifiers, free text, constants and ignored columns are none of them.
    """
    parts = {part.column for attribute in roles.attributes for part in attribute.parts}
    return [decision for decision in roles.decisions if decision.column.binding in parts]


def append_reason(reason: Sentence | None, other: Sentence) -> Sentence:
    """Append a reason to another one, if there is one."""
    return other if reason is None else Sentence("roles.also", first=reason, second=other)
