"""Asks a person what a verdict depends on and no data can show.

An answer is a role in :class:`RoleOverrides`, so that the same options on a command line give the same roles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.types import is_number
from duckrisk.measures.disclosure.choice import special_categories
from duckrisk.roles import DECLARED, Decision, Roles
from duckrisk.roles.model import CODE, NUMBERS_OF_PERSON
from duckrisk.roles.words import is_technical
from duckrisk.source import Source

#: Subjects: the user column, whether rows are counts of people or no persons, whether the user's codes are
#: new, the guessed role of a column, whether its values are sensitive, whether it is a technical measurement
#: that outsiders do not know, and the century of its days.
Subject = Literal["user", "count", "things", "codes", "role", "sensitive", "technical", "century"]
#: The answer that the records are not about persons.
NO_PERSONS = "no persons"
#: By inferred role, its name in a settings file; all other roles have the same name.
_NAMES_IN_SETTINGS = {
    "direct_identifier": "identifier",
    "attribute": "quasi_identifier",
    "date_time": "quasi_identifier",
}
#: Subjects whose answer is the user column, or a hyphen for none.
ROWS = ("user", "count", "things")
#: Roles that are answers; ``user`` is another question.
ANSWERS = ("identifier", *DECLARED, "free_text", "event_key")
#: Answers on the user column: new codes, or an organisation's numbers.
ANSWERS_ON_CODES = ("pseudonym", "identifier")
#: Questions on technical measurements at most (a choice: a table of a device has hundreds of columns).
_MAX_TECHNICAL_QUESTIONS = 6


@dataclass(frozen=True)
class Question:
    """A question about a column.

    Attributes:
        subject: What is asked.
        decision: The column with its inferred role; None asks which column is the user.
        role: The proposed answer; None without one.
        reason: The reason for the question; None without one.
    """

    subject: Subject
    decision: Decision | None
    role: str | None
    reason: Sentence | None

    @property
    def column(self) -> str:
        """The name of the column; "" without one."""
        return self.decision.column.name if self.decision is not None else ""

    @property
    def text(self) -> Sentence:
        """The question in words."""
        key = "no_user" if self.subject == "user" and self.decision is None else self.subject
        return Sentence(
            f"init.ask.{key}", column=Data(self.column), role=self.role or "", reason=self.reason or ""
        )

    def accepts(self, answer: str, source: Source) -> bool:
        """Return whether a text answers the question."""
        if self.subject == "century":
            return len(answer) == 4 and answer.isascii() and answer.isdecimal()
        if self.subject == "things" and answer == NO_PERSONS:
            return True
        if self.subject in ROWS:
            names = {column.name for column in source.columns}
            return answer == "-" or answer in names or names.issuperset(answer.split("+"))
        if self.subject == "codes":
            return answer in ANSWERS_ON_CODES
        is_for_all = self.subject == "sensitive" and answer.endswith("*")
        return (answer[:-1] if is_for_all else answer) in ANSWERS

    def apply_answer(self, answer: str, overrides: RoleOverrides) -> RoleOverrides:
        """Return the overrides with an answer."""
        if self.subject == "things" and answer == NO_PERSONS:
            return replace(overrides, no_persons=True)
        if self.subject == "user" or (self.subject in ROWS and answer != self.column):
            return replace(overrides, user="" if answer == "-" else answer)
        if self.subject == "count":
            return replace(overrides, roles=(*overrides.roles, (self.column, "count")))
        return replace(overrides, roles=(*overrides.roles, (self.column, answer)))


def written_role(decision: Decision) -> str:
    """Return the role of a column as a settings file names it."""
    if decision.role == "user" and decision.kind in NUMBERS_OF_PERSON:
        return NUMBERS_OF_PERSON[decision.kind]
    return decision.declared or _NAMES_IN_SETTINGS.get(decision.role, decision.role)


def open_questions(source: Source, roles: Roles) -> Iterator[Question]:
    """Yield the undecided questions that a verdict depends on, the user column first."""
    if roles.holdings.is_doubtful:
        yield _row_question(roles)
    elif roles.user_confidence == "guess":
        person = roles.decisions[roles.user.position] if roles.user is not None else None
        likely = roles.person_candidates
        role = roles.user.name if roles.user is not None else "+".join(likely[0]) if likely else None
        yield Question("user", person, role, person.reason if person is not None else None)
    undecided = [d for d in roles.decisions if not d.given and d.role not in ("user", "constant", "ignored")]
    guessed = [decision for decision in undecided if decision.confidence == "guess"]
    for decision in guessed:
        yield Question("role", decision, written_role(decision), decision.reason)
    special = {
        decision.column.position: reason
        for decision, reason in special_categories(source, roles)
        if decision in undecided and decision not in guessed
    }
    for position, reason in special.items():
        yield Question("sensitive", roles.decisions[position], "sensitive", reason)
    technical = [
        d for d in undecided if d not in guessed and d.column.position not in special and _is_measurement(d)
    ]
    for decision in technical[:_MAX_TECHNICAL_QUESTIONS]:
        yield Question("technical", decision, "insensitive", decision.reason)
    if roles.user is not None and roles.user_confidence != "guess":
        person = roles.decisions[roles.user.position]
        if person.kind is None:
            yield Question("codes", person, None, person.reason)
    for decision in [] if roles.user is not None else roles.decisions:
        if decision.role == "direct_identifier" and decision.kind == CODE and not decision.given:
            yield Question("codes", decision, None, decision.reason)


def _row_question(roles: Roles) -> Question:
    """Return the question of what a row is, if it may not be one person."""
    like = roles.holdings.like_counts
    if like is None:
        return Question("things", None, None, None)
    column = next(decision for decision in roles.decisions if decision.column.name == like.column)
    return Question("count", column, "count", Sentence("init.counts_people"))


def ask_years(source: Source, roles: Roles, answer: Callable[[Question], str | None]) -> tuple[str, ...]:
    """Ask for the century of days whose years have two digits.

    Returns:
        The readings for ``--read``, such as "born=2026".
    """
    columns = [decision for decision in roles.decisions if decision.column.name in source.undated]
    questions = (Question("century", decision, None, None) for decision in columns)
    return tuple(f"{q.column}={year}" for q in questions if (year := answer(q)))


def ask(
    source: Source,
    infer: Callable[[RoleOverrides], Roles],
    overrides: RoleOverrides,
    answer: Callable[[Question], str | None],
) -> tuple[Roles, RoleOverrides]:
    """Ask one question after another; an answer can settle further questions.

    Args:
        source: The source that the questions are about.
        infer: Returns the roles that follow from overrides.
        overrides: The decisions so far.
        answer: Returns an answer that the question accepts, "" to leave it open, None to end the questions.

    Returns:
        The roles after all answers, and the overrides that lead to them.
    """
    roles, asked_before = infer(overrides), set[tuple[str, str]]()
    while question := next((q for q in open_questions(source, roles) if _key(q) not in asked_before), None):
        asked_before.add(_key(question))
        reply = answer(question)
        if reply is None:
            break
        if reply.endswith("*") and question.subject == "sensitive":
            for similar in open_questions(source, roles):
                if similar.subject == "sensitive" and (
                    _key(similar) == _key(question) or _key(similar) not in asked_before
                ):
                    overrides = similar.apply_answer(reply[:-1], overrides)
            roles = infer(overrides)
        elif reply:
            overrides = question.apply_answer(reply, overrides)
            roles = infer(overrides)
    return roles, overrides


def _key(question: Question) -> tuple[str, str]:
    return question.subject, question.column


def _is_measurement(decision: Decision) -> bool:
    """Return whether a column looks like a measurement of a device or a survey."""
    named = is_technical(decision.column.name) and is_number(decision.column.type)
    return decision.kind == "weight" or (decision.role == "attribute" and named)
