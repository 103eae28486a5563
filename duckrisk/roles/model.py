"""What is decided of columns, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.sentences import Sentence
from duckrisk.engine.templates import Attribute
from duckrisk.engine.types import can_be_code, is_float
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
#: What a person declares of a column: outsiders may know it, its values must not be disclosed, or neither.
Declared = Literal["quasi_identifier", "sensitive", "insensitive"]
DECLARED: tuple[str, ...] = get_args(Declared)
#: The roles that a settings file may give a column; ``keep`` is a quasi-identifier that a treatment keeps.
SETTABLE = (*ROLES, "identifier", "pseudonym", *DECLARED, "keep")
#: What is assessed, each attribute by itself, and what of it somebody plausibly knows of others.
ASSESSED_ROLES = ("attribute", "date_time", "event_key")
KNOWN_ROLES = ("attribute", "date_time")
#: How sure a role is: a person or what cells hold says it; names and cells agree; one of them alone does.
Confidence = Literal["sure", "likely", "guess"]
#: The kind of a column of pseudonyms that a recipe tells of.
PSEUDONYM = "pseudonym"
#: The kind of a column that numbers the rows of its file.
ROW = "row"
#: Kinds of a user's column that a person declares: codes made for this table, numbers of an organisation.
NEW, ORIGINAL = "new", "original"
#: What a settings file says of the person's column, by the kind of its numbers.
NUMBERS_OF_PERSON = {NEW: "pseudonym", ORIGINAL: "identifier"}
#: The kind of a column whose cells all differ.
CODE = "code"
#: Fewer records or users than this prove nothing by being all different.
FEW = 50
#: From this mean length on digests stand for the texts of a column.
LONG = 100


@dataclass
class Decision:
    """What a column was taken for, and why.

    Counts are records; ``distinct`` is an estimate where it is far below them. ``kind`` is the kind of
    identifier or key that its name or its cells say, ``long`` says that it holds long texts. ``declared`` is
    the role that a person declared, ``keep`` that a treatment must not leave the column out, and ``against``
    what it looks like in spite of what was declared.
    """

    column: Column
    role: Role
    reason: Sentence | None = None
    confidence: Confidence = "likely"
    kind: str | None = None
    present: int = 0
    distinct: int = 0
    given: bool = False
    long: bool = False
    declared: Declared | None = None
    keep: bool = False
    against: Role | None = None
    #: The items of HIPAA's list that it falls under.
    listed: tuple[int, ...] = ()
    #: Whether it is the likeliest column of the person where none was taken for it.
    stands: bool = False

    @property
    def is_known(self) -> bool:
        """Whether outsiders may know the column: it is not declared to be anything else."""
        return self.declared in (None, "quasi_identifier")

    def declare(self, role: Declared) -> None:
        """Declare the role of a column. One that looks like an identifier, or like text, becomes an attribute
        and keeps what it looked like in ``against``."""
        self.declared, self.given, self.confidence = role, True, "sure"
        if self.role in ("direct_identifier", "free_text"):
            self.role, self.against = "attribute", self.role
        elif self.role == "ignored" or (self.role == "event_key" and role != "insensitive"):
            self.role = "attribute"

    @property
    def moment(self) -> bool:
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
        """Take the column for something; what a person gave is sure."""
        self.role, self.reason, self.given = role, reason, given
        self.confidence = "sure" if given else confidence
        self.kind = kind or self.kind


@dataclass(frozen=True)
class ColumnProfile:
    """What a column holds. ``words`` are cells of four words or of sentences; ``lowest``, ``highest`` and
    ``fractions`` are those of numbers. Of the first cells the share with a digit (``digits``), of numbers
    (``numbers``), days (``days``), amounts and the like (``measures``), full names (``full_names``, and
    ``unparted_names`` without a blank) and cells with blanks (``blanks``) are known where ``looked`` says it;
    ``kinds`` is the share of cells that are an identifier of a kind."""

    column: Column
    records: int
    present: int
    distinct: int
    constant: bool
    mean_length: float = 0.0
    longest: int = 0
    words: int = 0
    moments: int = 0
    with_at: int = 0
    lowest: float | None = None
    highest: float | None = None
    fractions: int = 0
    looked: bool = False
    digits: float = 0.0
    numbers: float = 0.0
    days: float = 0.0
    blanks: float = 0.0
    measures: float = 0.0
    full_names: float = 0.0
    unparted_names: float = 0.0
    kinds: tuple[tuple[str, float], ...] = ()

    @property
    def long(self) -> bool:
        """Whether digests stand for the texts where they are compared."""
        return self.mean_length >= LONG or (self.text and self.longest > LONG_TEXT)

    @property
    def text(self) -> bool:
        return self.column.type == "VARCHAR"

    @property
    def countable(self) -> bool:
        """Whether the cells can be numbers or names that somebody was given: whole numbers in a column of
        real ones, as missing cells make them, can."""
        real = is_float(self.column.type) and self.highest is not None
        return can_be_code(self.column.type) or (real and self.fractions <= 0.01 * self.present)

    @property
    def wordy(self) -> bool:
        return self.text and self.present > 0 and self.words >= 0.5 * self.present

    def differs(self, share: float, of: int | None = None) -> bool:
        """Whether there are as many values as this share of the cells, or of so many persons."""
        return self.distinct >= share * (self.present if of is None else of)


@dataclass(frozen=True)
class LikeCounts:
    """A column that looks as if it counted people: in so many ``cells``, of which some are ``small``."""

    column: str
    cells: int
    small: int


@dataclass(frozen=True)
class Totals:
    """Rows that look like sums of others: how many, and the number of the first, or its line in a file."""

    rows: int
    first: int
    is_line: bool = False


@dataclass(frozen=True)
class Holdings:
    """What the rows of a table stand for, where it is not one person each.

    ``counted`` and ``no_persons`` were declared, ``like_counts`` and ``may_lack_persons`` are guesses.
    ``persons`` are the columns that describe persons although there are declared to be none.
    """

    counted: Counted | None = None
    like_counts: LikeCounts | None = None
    totals: Totals | None = None
    no_persons: bool = False
    may_lack_persons: bool = False
    persons: tuple[str, ...] = ()

    @property
    def is_doubtful(self) -> bool:
        """Whether it is a guess that the rows stand for persons."""
        return self.like_counts is not None or self.may_lack_persons


@dataclass
class Roles:
    """All decisions, and what follows from them: the attributes to assess.

    ``records`` are all records of the source; ``users`` is the number of persons behind them, and
    ``without_user`` the records that name none; ``records_of_token_users`` are those whose user is a text
    that means a missing cell elsewhere. ``user_confidence`` says how sure it is whose a record is, also where
    no column says it. ``named`` says that a person chose the attributes, ``overrides`` what a
    person decided in all, options and settings file taken together, and ``content`` which identifiers the
    cells spell. ``fixed`` are the bindings of columns that are constant for each user.

    Where the table was made of one with a user column that it lacks, ``lost_user`` is the name of that
    column. If the original is at hand, ``user`` is a column of the assessed view that no file has, and
    ``is_linked`` is false: it says whose a record is, but the table does not show which belong together.
    ``undated`` are columns of days whose years have two digits of no known century.
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
    named: bool = False
    overrides: RoleOverrides = field(default_factory=RoleOverrides)
    user_confidence: Confidence = "likely"
    content: Content = field(default_factory=Content)
    fixed: tuple[str, ...] = ()
    lost_user: str | None = None
    is_linked: bool = True
    undated: tuple[str, ...] = ()
    holdings: Holdings = field(default_factory=Holdings)
    #: The column of counts by which records stand for several people, and its rows.
    count: Column | None = None
    rows: int = 0
    #: The columns that may name the person, the likeliest first; several where they do together.
    candidates: tuple[tuple[str, ...], ...] = ()
    #: What else may make several records those of one person, and leaves a verdict open.
    doubts: list[Sentence] = field(default_factory=list)

    @property
    def by_record(self) -> Roles:
        """The roles as who gets the table sees its records: each by itself where nothing links them."""
        if self.is_linked:
            return self
        return replace(self, user=None, users=self.records, without_user=0, most_records=1)

    @property
    def plausible(self) -> list[Attribute]:
        """The quasi-identifiers: all attributes that a person named, else all but the numbers of events,
        households and surveys; none that is declared sensitive or insensitive."""
        unlikely = {d.column.binding for d in self.decisions if not d.is_known}
        unlikely |= set() if self.named else self.unlikely_known
        return [a for a in self.attributes if unlikely.isdisjoint(part.column for part in a.parts)]

    @property
    def withheld(self) -> list[Attribute]:
        """The attributes of columns that are declared sensitive or insensitive: the file holds them, and
        outsiders do not know them."""
        columns = {d.column.binding for d in self.decisions if not d.is_known and d.role != "event_key"}
        return [a for a in self.attributes if not columns.isdisjoint(part.column for part in a.parts)]

    @property
    def knows_nothing(self) -> bool:
        """Whether outsiders know no column: a person declared that of some, and no other can be known."""
        return not self.plausible and any(not decision.is_known for decision in self.decisions)

    @property
    def person_candidates(self) -> tuple[tuple[str, ...], ...]:
        """The columns that may stand for the person, the likeliest first.

        Without ``candidates`` that is the user's column, or one that was too doubtful.
        """
        if any(self.candidates):
            return tuple(filter(None, self.candidates))
        if self.user is not None:
            return ((self.user.name,),)
        return tuple((decision.column.name,) for decision in self.decisions if decision.stands)[:1]

    @property
    def unlikely_known(self) -> set[str]:
        """The bindings of the columns that are assessed, but that nobody plausibly knows of others."""
        return {decision.column.binding for decision in self.decisions if decision.role == "event_key"}


def known_columns(roles: Roles) -> list[Decision]:
    """The columns that an attacker may know of, once each, in their order: what a table tells of persons, its
    information, is theirs. Users, identifiers, free text, constants and what is ignored are none of them."""
    parts = {part.column for attribute in roles.attributes for part in attribute.parts}
    return [decision for decision in roles.decisions if decision.column.binding in parts]


def append_reason(reason: Sentence | None, other: Sentence) -> Sentence:
    """Two reasons as one."""
    return other if reason is None else Sentence("roles.also", first=reason, second=other)


def named(decisions: Sequence[Decision]) -> list[str]:
    return [decision.column.name for decision in decisions]


Evidence = ColumnProfile
also = append_reason
