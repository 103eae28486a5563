"""What a person decided on the page, and the moves that change it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from duckrisk.base.options.policy import LIMITS as LIMITS
from duckrisk.base.sentences import Data, Sentence, Text

#: Roles that the page offers, as a settings file names them; "" leaves the column as it was found.
OFFERED_ROLES = (
    *("", "user", "pseudonym", "identifier", "quasi_identifier"),
    *("sensitive", "insensitive", "keep"),
)
#: Roles that only one column can have.
_SINGLE = ("user", "pseudonym")
#: The form of a column that is left out, of one that stays as it is, and of one with random codes instead.
OUT, WHOLE, PSEUDONYM = "out", "", "pseudonym"
#: Moves that can be undone (a choice: more than a person goes back one by one).
_MAX_MOVES = 200
Policy = Literal["public", "shared", "internal"]


@dataclass(frozen=True)
class Way:
    """A release that advice found: the method and the class size of ``anonymize --to-policy``."""

    method: str
    k: int


@dataclass(frozen=True)
class State:
    """All decisions: roles, policy and treatment.

    Attributes:
        roles: Declared roles, by column.
        policy: The policy; None for that of the settings.
        forms: Forms of columns that are not published as they are, by column, such as "month" or "out".
        below: People; smaller classes are deleted. 0 deletes none.
        k: People; classes of at least k are made. 0 makes none.
        way: The release of an advice that is taken instead of forms; None for none.
    """

    roles: tuple[tuple[str, str], ...] = ()
    policy: Policy | None = None
    forms: tuple[tuple[str, str], ...] = ()
    below: int = 0
    k: int = 0
    way: Way | None = None

    @property
    def is_treated(self) -> bool:
        """Whether a release differs from the table."""
        return bool(self.forms or self.below or self.k or self.way)

    def find_role(self, column: str) -> str:
        """Return the declared role of a column; "" without one."""
        return dict(self.roles).get(column, "")

    def find_form(self, column: str) -> str:
        """Return the form of a column; "" if it is published as it is."""
        return dict(self.forms).get(column, WHOLE)

    def find_user(self, found: str | None) -> str | None:
        """Return the user column: the declared one, else the found one.

        One that was found counts unless it is declared to be something else.

        Args:
            found: Name of the user column that was found; None for none.
        """
        declared = next((name for name, role in self.roles if role in _SINGLE), None)
        is_found = found is not None and self.find_role(found) in ("", "identifier")
        return found if declared is None and is_found else declared

    def declare(self, column: str, role: str) -> State:
        """Return the state with the role of a column.

        Args:
            column: Name of the column.
            role: One of :data:`OFFERED_ROLES`.
        """
        roles = {name: other for name, other in self.roles if name != column}
        if role in _SINGLE:
            roles = {name: other for name, other in roles.items() if other not in _SINGLE}
        return replace(self, roles=_sort(roles | ({column: role} if role else {})), way=None)

    @property
    def has_pseudonyms(self) -> bool:
        """Whether a column gets random codes."""
        return any(form == PSEUDONYM for _, form in self.forms)

    def restrict_forms(self, offered: Mapping[str, Sequence[str]]) -> State:
        """Return the state without forms that its columns do not have.

        Args:
            offered: The forms of each column.
        """
        return replace(self, forms=tuple(entry for entry in self.forms if entry[1] in offered[entry[0]]))

    def publish(self, column: str, form: str) -> State:
        """Return the state with the form of a column; a release of an advice ends.

        Args:
            column: Name of the column.
            form: One of its levels.
        """
        forms = {name: other for name, other in self.forms if name != column}
        return replace(self, forms=_sort(forms | ({column: form} if form else {})), way=None)

    def take(self, way: Way) -> State:
        """Return the state with a release of an advice instead of forms."""
        return replace(self, forms=(), below=0, k=0, way=way)


def _sort(entries: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(entries.items()))


@dataclass(frozen=True)
class History:
    """The states of a session, the present one last, each with the move that led to it."""

    moves: tuple[tuple[State, Text], ...]

    @classmethod
    def begin(cls, state: State) -> History:
        """Begin with a first state."""
        return cls(((state, Sentence("page.move.begin")),))

    @property
    def state(self) -> State:
        """The present state."""
        return self.moves[-1][0]

    @property
    def can_undo(self) -> bool:
        """Whether there is a state before."""
        return len(self.moves) > 1

    def move(self, state: State, text: Text) -> History:
        """Return the history after a move; one that changes nothing is none.

        Args:
            state: The state after the move.
            text: What the move was.
        """
        return self if state == self.state else History((*self.moves, (state, text))[-_MAX_MOVES:])

    def undo(self) -> History:
        """Return the history without the last move."""
        return History(self.moves[:-1]) if self.can_undo else self


def describe_form(column: str, form: str) -> Sentence:
    """Describe in what form a column is published.

    Args:
        column: Name of the column.
        form: The form, as in :class:`State`.
    """
    return Sentence("page.published", column=Data(column), form=name_form(form))


def describe_k(k: int) -> Sentence:
    """Describe classes that are made.

    Args:
        k: People; 0 makes none.
    """
    return Sentence("page.move.k", k=f"{k}") if k else Sentence("page.move.k.none")


def name_form(form: str) -> Sentence:
    """Name a form, such as "month" or "first 3 characters"."""
    for key in ("prefix", "level"):
        if form.startswith(key) and form != key:
            return Sentence(f"page.form.{key}", count=form.removeprefix(key))
    if form[:1].isdigit() and form not in ("5years", "10years"):
        return Sentence("page.form.width", count=form)
    return Sentence(f"page.form.{form or 'whole'}")
