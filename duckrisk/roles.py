"""Who is who in a source: the user, the identifiers, the attributes, and why.

Roles are proposed from names and from one pass over the data; every decision carries its reason,
and a person can overrule each one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from duckrisk.engine_types import (
    is_clock,
    is_countable,
    is_moment,
    is_number,
    is_plain,
    is_real,
    is_timestamp,
)
from duckrisk.errors import SourceError, UsageError, suggestion
from duckrisk.name_words import identifier_by_name, user_score
from duckrisk.role_overrides import RoleOverrides as RoleOverrides
from duckrisk.role_overrides import named_part, pieces, together
from duckrisk.sentences import Data, Sentence, joined, say
from duckrisk.session import ASSESSED, BATCH, Session
from duckrisk.source import Column, Source
from duckrisk.source.long_cells import LARGE, holding, tells_more
from duckrisk.templates import Attribute, Part, Sql, catalogue, render

_T = TypeVar("_T")

#: Fewer records or users than this prove nothing by being all different.
FEW = 50
#: From this mean length on digests stand for the texts of a column.
_LONG = 100
#: An estimated number of distinct values this near the records is counted exactly.
NEAR = 0.85
#: Dependencies are looked for among the first so many columns.
DEPENDENCY_COLUMNS = 64
#: They are looked for in so many records first.
FIRST_RECORDS = (2_000, 20_000)

#: Of more columns than these, and no more cells, a source is held in memory.
WIDE = 64
HELD_CELLS = 2_000_000

ROLES = ("user", "direct_identifier", "date_time", "attribute", "free_text", "constant", "ignored")


_VALUES = re.compile(r"(ENUM|STRUCT|UNION|MAP)\(.*\)((\[\d*\])*)", re.DOTALL)


def shown_type(kind: str) -> str:
    """A type without what it lists: the members of an ENUM are values, the fields of a STRUCT may be."""
    return _VALUES.sub(r"\1\2", kind)


@dataclass
class Decision:
    """What a column was taken for, and why; counts are records, ``distinct`` is an estimate. ``kind`` is the
    kind of identifier that its name or its cells say, ``long`` says that it holds long texts."""

    column: Column
    role: str
    reason: Sentence | None = None
    kind: str | None = None
    present: int = 0
    distinct: int = 0
    given: bool = False
    long: bool = False

    @property
    def moment(self) -> bool:
        return self.role == "date_time"


@dataclass
class Roles:
    """All decisions, and what follows from them: the attributes to assess.

    ``records`` are all records of the source; ``users`` is the number of persons behind them, and
    ``without_user`` the records that name none. ``named`` says that a person chose the attributes, and
    ``overrides`` what a person decided in all, options and settings file taken together.
    """

    decisions: list[Decision]
    user: Column | None
    records: int
    users: int
    without_user: int
    most_records: int
    attributes: list[Attribute]
    notes: list[Sentence] = field(default_factory=list)
    named: bool = False
    overrides: RoleOverrides = field(default_factory=RoleOverrides)


def known_columns(roles: Roles) -> list[Decision]:
    """The columns that an attacker may know of, once each, in their order: what a table tells of persons, its
    information, is theirs. Users, identifiers, free text, constants and what is ignored are none of them."""
    parts = {part.column for attribute in roles.attributes for part in attribute.parts}
    return [decision for decision in roles.decisions if decision.column.binding in parts]


def infer(session: Session, source: Source, overrides: RoleOverrides) -> Roles:
    """Decide the role of every column; raises UsageError for names that are not there and
    SourceError for a source without records or without any user."""
    records, decisions = _profiled(session, source)
    if records == 0:
        raise SourceError(
            "roles.no_records",
            source=source.name,
            restricted=" that meet the condition" if source.restricted else "",
        )
    _hold(session, decisions, records)
    overrides = together(source, overrides)
    _apply(source, decisions, overrides)
    notes: list[Sentence] = []
    user = _choose_user(decisions, overrides, source, notes)
    users, without_user, most_records = records, 0, 1
    if user is not None:
        users, without_user, most_records = _by_user(session, decisions, user)
        if users == 0:
            raise SourceError("roles.user_column_empty_every_record", user=user.name)
        decision = decisions[user.position]
        if users < records:
            each = f"{(records - without_user) / users:,.1f}"
            decision.reason = say("roles.records_each", reason=decision.reason or "", records=each)
    _direct_identifiers(session, decisions, user, records, users)
    if not overrides.attributes:
        _dependencies(session, decisions, records, notes)
    attributes = _attributes(source, decisions, overrides)
    if any(map(tells_more, attributes)):
        source.carried(())
    if user is not None:
        _exclude_user(attributes, user)
    return Roles(
        decisions,
        user,
        records,
        users,
        without_user,
        most_records,
        attributes,
        notes,
        bool(overrides.attributes),
        overrides,
    )


# --- the profile ---------------------------------------------------------------------------------


def _profiled(session: Session, source: Source) -> tuple[int, list[Decision]]:
    decisions: list[Decision] = []
    large: list[int] = []
    records = 0
    for batch in _batches(source.columns):
        rows = session.run("profile", source=ASSESSED, columns=[c.binding for c in batch], **holding(batch))
        for column, row in zip(batch, rows, strict=True):
            records = row["records"]
            decisions.append(_first_decision(column, row))
            if (row["longest"] or 0) > LARGE and not decisions[-1].moment:
                large.append(column.position)
    source.carried(large)
    return records, decisions


def _hold(session: Session, decisions: list[Decision], records: int) -> None:
    """Keep a wide and small source in memory: to bind hundreds of columns of a file takes longer than most
    statements on one of them."""
    small = len(decisions) * records <= HELD_CELLS and not any(
        d.long or not is_plain(d.column.type) for d in decisions
    )
    if len(decisions) > WIDE and small:
        view = ASSESSED.rpartition(".")[2]
        session.run("hold_records", view=view, table="held")
        session.run("held_instead", view=view, table="held")


def _first_decision(column: Column, row: dict[str, Any]) -> Decision:
    present, distinct = row["present"], min(row["distinct_values"], row["present"])
    long = (row["mean_length"] or 0) >= _LONG or (column.type == "VARCHAR" and (row["longest"] or 0) > LARGE)
    made = Decision(column, "attribute", present=present, distinct=distinct, long=long)
    if present == 0:
        made.role, made.reason = "constant", say("roles.empty")
    elif row["constant"] and row["records"] > 1:
        missing = row["records"] - present
        reason = say("roles.constant_missing", count=f"{missing:,}") if missing else say("roles.constant")
        made.role, made.reason = "constant", reason
    elif is_timestamp(column.type):
        made.role, made.reason = "date_time", say("roles.moment")
    elif row["moments"] == present and column.type == "VARCHAR":
        made.role, made.reason = "date_time", say("roles.moment_text")
    elif row["with_at"] >= 0.9 * present and column.type == "VARCHAR":
        made.role, made.kind, made.reason = "direct_identifier", "email", say("roles.holds_email")
    elif (kind := identifier_by_name(column.name)) and _tells_apart(made):
        made.role, made.kind, made.reason = "direct_identifier", kind, say(f"roles.name_says_{kind}")
    elif _is_free_text(row, distinct, present):
        made.role, made.reason = "free_text", say("roles.free_text")
    return made


def _is_free_text(row: dict[str, Any], distinct: int, present: int) -> bool:
    long = (row["mean_length"] or 0) >= 40 or row["with_blanks"] >= 0.5 * present
    return bool(row["mean_length"]) and long and distinct >= 0.5 * present and present >= FEW


def _tells_apart(decision: Decision) -> bool:
    """Whether a column has values enough, of a type fit, to be an identifier."""
    enough = min(20, 0.5 * decision.present)
    return is_countable(decision.column.type) and decision.distinct >= enough


# --- the user ------------------------------------------------------------------------------------


def _choose_user(
    decisions: list[Decision], overrides: RoleOverrides, source: Source, notes: list[Sentence]
) -> Column | None:
    """The user's column, and a note where another one was given than the names say."""
    likely = _likely_user(decisions)
    given = [d for d in decisions if d.given and d.role == "user"]
    if overrides.user:
        given = [decisions[source.column(overrides.user).position], *given]
    if len({d.column.position for d in given}) > 1:
        raise UsageError("roles.column_given_user_leave")
    if given:
        chosen = given[0]
        if likely is not None and likely is not chosen:
            notes.append(
                say("roles.other_user", user=Data(chosen.column.name), likely=Data(likely.column.name))
            )
        _decide(chosen, "user", say("roles.person" if chosen is likely else "roles.given"), given=True)
        return chosen.column
    if overrides.user == "":
        return None
    if likely is None:
        repeated = [
            say("roles.quoted", name=Data(d.column.name))
            for d in decisions
            if d.role == "direct_identifier" and 1 < d.distinct < 0.9 * d.present
        ]
        key = "roles.no_user_but" if repeated else "roles.no_user"
        notes.append(say(key, names=joined(repeated[:3])))
        return None
    _decide(likely, "user", say("roles.person"))
    return likely.column


def _likely_user(decisions: list[Decision]) -> Decision | None:
    """The column whose name and repetition speak most for a person."""
    candidates = []
    for decision in decisions:
        score = user_score(decision.column.name)
        repeated = decision.distinct < 0.9 * decision.present
        kind = decision.column.type
        plain = is_countable(kind) or (score == 3 and kind == "DOUBLE")
        settled = decision.given and decision.role != "user"
        if settled or decision.role in ("constant", "ignored", "free_text", "date_time") or not plain:
            continue
        if score == 3 or (score and repeated):
            candidates.append((-score, not repeated, decision.column.position, decision))
    return min(candidates, key=lambda candidate: candidate[:3])[3] if candidates else None


def _compared(decisions: Sequence[Decision]) -> Sql:
    """The records for what only compares values."""
    long = [
        Attribute(binding, (Part(binding, long=True),))
        for binding in (decision.column.binding for decision in decisions if decision.long)
    ]
    return render("replaced", source=ASSESSED, attributes=long) if long else ASSESSED


_PER_USER = say("roles.per_user")


def _by_user(session: Session, decisions: list[Decision], user: Column) -> tuple[int, int, int]:
    others = [d for d in decisions if d.column is not user and d.role not in ("constant", "ignored")]
    totals: dict[str, Any] = {}
    for batch in _batches(others) or [[]]:
        rows = session.run(
            "users", source=_compared(decisions), user=user.binding, columns=[d.column.binding for d in batch]
        )
        totals = rows[0]
        for decision, row in zip(batch, rows[1:], strict=True):
            if row["changing_users"] == 0 and totals["users"] < totals["records"]:
                decision.reason = decision.reason or _PER_USER
    return totals["users"], totals["without_user"], totals["most_records"]


def _direct_identifiers(
    session: Session, decisions: list[Decision], user: Column | None, records: int, users: int
) -> None:
    for decision in decisions:
        if decision.given or decision.role not in ("attribute", "free_text"):
            continue
        if not is_countable(decision.column.type):
            continue
        named = user_score(decision.column.name) > 0
        per_user = decision.reason == _PER_USER
        persons = users if per_user else decision.present
        if decision.distinct < NEAR * persons or persons < (2 if named else FEW):
            continue
        row = session.row("distinct_values", source=_compared(decisions), column=decision.column.binding)
        if row["distinct_values"] == row["present"]:
            _decide(decision, "direct_identifier", say("roles.per_record"))
        elif per_user and row["distinct_values"] >= users:
            _decide(decision, "direct_identifier", say("roles.every_user"))


# --- dependencies --------------------------------------------------------------------------------


def _dependencies(session: Session, decisions: list[Decision], records: int, notes: list[Sentence]) -> None:
    usable = [d for d in decisions if d.role in ("attribute", "date_time") and d.distinct > 1]
    if len(usable) > DEPENDENCY_COLUMNS:
        notes.append(say("roles.dependencies", some=str(DEPENDENCY_COLUMNS), count=f"{len(usable):,}"))
        usable = usable[:DEPENDENCY_COLUMNS]
    # The first records rule out most pairs of columns.
    compared = _compared(decisions)
    parts = [render("first_records", source=compared, most=most) for most in FIRST_RECORDS if most < records]
    relations = [*parts, compared]
    found: dict[int, Decision] = {}
    for determinant in sorted(usable, key=lambda d: (d.distinct, d.column.position)):
        if determinant.distinct > 0.5 * records:
            continue  # nearly a key: it determines everything, and that says nothing
        dependents = [
            d
            for d in usable
            if d is not determinant
            and d.column.position not in found
            and d.distinct <= 1.1 * determinant.distinct
        ]
        for relation in relations:
            dependents = _without_exceptions(session, relation, determinant, dependents)
        for dependent in dependents:
            found[dependent.column.position] = determinant
            determined = say("roles.determined_by", name=Data(determinant.column.name))
            dependent.reason = also(dependent.reason, determined)


def _without_exceptions(
    session: Session, relation: Sql, determinant: Decision, dependents: list[Decision]
) -> list[Decision]:
    kept: list[Decision] = []
    for batch in _batches(dependents):
        rows = session.run(
            "determined_by",
            source=relation,
            column=determinant.column.binding,
            columns=[d.column.binding for d in batch],
        )
        kept += [d for d, row in zip(batch, rows, strict=True) if row["exceptions"] == 0]
    return kept


# --- overrides and attributes -------------------------------------------------------------------


def also(reason: Sentence | None, other: Sentence) -> Sentence:
    """Two reasons as one."""
    return other if reason is None else say("roles.also", first=reason, second=other)


def _decide(decision: Decision, role: str, reason: Sentence | None, given: bool = False) -> None:
    decision.role, decision.reason, decision.given = role, reason, given


def _apply(source: Source, decisions: list[Decision], overrides: RoleOverrides) -> None:
    for name, role in overrides.roles:
        if role not in ROLES:
            raise UsageError("roles.not_role_roles", role=role, roles=", ".join(ROLES))
        decision = decisions[source.column(name).position]
        kind = decision.column.type
        if role == "date_time" and not (decision.moment or is_moment(kind)):
            raise UsageError("roles.column_cannot_role_date_time", name=name, shown_type=shown_type(kind))
        _decide(decision, role, decision.reason if decision.role == role else say("roles.given"), given=True)
    for name in overrides.ignore:
        _decide(decisions[source.column(name).position], "ignored", say("roles.given"), given=True)


def _attributes(source: Source, decisions: list[Decision], overrides: RoleOverrides) -> list[Attribute]:
    if overrides.attributes:
        made = [parse_attribute(text, source, decisions) for text in overrides.attributes]
        for number, attribute in enumerate(made):
            if any(set(attribute.parts) == set(earlier.parts) for earlier in made[:number]):
                raise UsageError("roles.attribute_given_twice", attribute=attribute.name)
        return made
    made = []
    columns = {decision.column.name for decision in decisions}
    for decision in decisions:
        for attribute in default_attributes(decision):
            if attribute.name in columns and attribute.name != decision.column.name:
                attribute = Attribute(f"{attribute.name} (2)", attribute.parts)  # a column has that name
            made.append(attribute)
    return made


def default_attributes(decision: Decision) -> list[Attribute]:
    """The attributes that a column is assessed as."""
    name = decision.column.name
    if decision.role == "date_time":
        return [Attribute(f"{name}.{known}", (_part(decision, known),)) for known in ("date", "time")]
    return [whole_attribute(decision)] if decision.role == "attribute" else []


def whole_attribute(decision: Decision) -> Attribute:
    """A column as it is."""
    return Attribute(decision.column.name, (_part(decision),))


def _part(decision: Decision, knowledge: str | None = None, argument: float | None = None) -> Part:
    kind = decision.column.type
    if knowledge is None:
        knowledge = "exact"
        if is_real(kind):
            knowledge = "number"
        elif is_clock(kind):
            knowledge = "time"
        elif kind in ("INTERVAL", "VARIANT", "JSON"):
            knowledge = "as_text"
    text_moment = kind == "VARCHAR" and (decision.moment or knowledge in _MOMENTS)
    long = decision.long and knowledge == "exact" and not text_moment
    return Part(decision.column.binding, knowledge, argument, text_moment, long=long)


#: The engine cuts no longer texts.
_LONGEST = 2**32
_MOMENTS = ("date", "time", "hour", "week", "month", "year")


def parse_attribute(text: str, source: Source, decisions: Sequence[Decision]) -> Attribute:
    """An attribute as a person writes it: ``Column``, ``Column.week``, ``Column.prefix(2)`` or
    several of these joined by ``+``. Raises UsageError with the nearest names."""
    parts = tuple(_parse_part(piece, source, decisions) for piece in pieces(text, source))
    if len(set(parts)) < len(parts):
        raise UsageError("roles.composite_attribute_holds_attribute_twice", text=text)
    return Attribute(text, parts)


def _parse_part(text: str, source: Source, decisions: Sequence[Decision]) -> Part:
    name, known = named_part(text, source)
    if known is None:
        return _part(decisions[source.column(name).position])
    text, knowledge, written = known.group(0, 2, 3)
    kinds = [t.name for t in catalogue().values() if t.topic == "knowledge"]
    if knowledge not in kinds:
        raise UsageError(
            "roles.neither_column_nor_coarser_knowledge", text=text, suggestion=suggestion(knowledge, kinds)
        )
    wants = any(p.name == "argument" for p in catalogue()[knowledge].parameters)
    if wants != (written is not None):
        example = f"{knowledge}(2)" if wants else knowledge
        raise UsageError("roles.written_like", text=text, name=name, example=example)
    argument = None
    if written is not None:
        argument = float(written) if "." in written else int(written)
        if argument <= 0:
            raise UsageError("roles.number_above", text=text)
        if knowledge == "prefix" and not isinstance(argument, int):
            raise UsageError("roles.number_whole_number", text=text)
        if knowledge == "prefix" and argument >= _LONGEST:
            raise UsageError("roles.number_below_power", text=text)
    decision = decisions[source.column(name).position]
    _check_type(text, knowledge, decision)
    return _part(decision, knowledge, argument)


def _check_type(text: str, knowledge: str, decision: Decision) -> None:
    kind = decision.column.type
    moment = is_moment(kind) or decision.moment
    clock = is_timestamp(kind) or is_clock(kind) or decision.moment
    number = is_number(kind)
    fits = {
        "date": moment,
        "week": moment,
        "month": moment,
        "year": moment,
        "time": clock,
        "hour": clock,
        "band": number,
        "number": number,
    }
    if not fits.get(knowledge, True):
        raise UsageError("roles.does_not_fit_column_s", text=text, shown_type=shown_type(kind))


def _exclude_user(attributes: list[Attribute], user: Column) -> None:
    for attribute in attributes:
        if any(part.column == user.binding for part in attribute.parts):
            raise UsageError("roles.attribute_uses_user_column", attribute=attribute.name)


def _batches(items: Sequence[_T]) -> list[list[_T]]:
    return [list(items[i : i + BATCH]) for i in range(0, len(items), BATCH)]
