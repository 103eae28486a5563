"""Who is who in a source: the user, the identifiers, the attributes, and why.

Roles are proposed from names and from one pass over the data; every decision carries its reason,
and a person can overrule each one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.options.identifiability import TOKENS
from duckrisk.base.sentences import Data, Sentence, join_texts
from duckrisk.engine.session import Session
from duckrisk.engine.templates import identifier, render
from duckrisk.engine.types import has_date, is_scalar
from duckrisk.engine.views import BLOCK_COLUMNS
from duckrisk.roles import content, evidence, hipaa, holdings, keys, persons, word_lists, words
from duckrisk.roles.attributes import attributes_of, exclude_user
from duckrisk.roles.attributes import default_attributes as default_attributes
from duckrisk.roles.attributes import order_of as order_of
from duckrisk.roles.attributes import parse_attribute as parse_attribute
from duckrisk.roles.attributes import published_attribute as published_attribute
from duckrisk.roles.attributes import shown_type as shown_type
from duckrisk.roles.attributes import told_whole as told_whole
from duckrisk.roles.attributes import whole_attribute as whole_attribute
from duckrisk.roles.dependencies import (
    FIRST_RECORDS,
    batches,
    compared,
    count_distinct,
    dependencies,
    leave_out_changing,
)
from duckrisk.roles.evidence import can_hold_names, looked_at
from duckrisk.roles.model import CODE, NEW, ORIGINAL, PSEUDONYM, ROW, Evidence
from duckrisk.roles.model import DECLARED as DECLARED
from duckrisk.roles.model import FEW as FEW
from duckrisk.roles.model import KNOWN_ROLES as KNOWN_ROLES
from duckrisk.roles.model import ROLES as ROLES
from duckrisk.roles.model import Confidence as Confidence
from duckrisk.roles.model import Decision as Decision
from duckrisk.roles.model import Declared as Declared
from duckrisk.roles.model import Role as Role
from duckrisk.roles.model import Roles as Roles
from duckrisk.roles.model import also as also
from duckrisk.roles.model import known_columns as known_columns
from duckrisk.roles.overrides import RoleOverrides as RoleOverrides
from duckrisk.roles.overrides import assessed_positions, form_pair, together
from duckrisk.roles.results import Content
from duckrisk.roles.row_numbers import with_written_numbers
from duckrisk.source import Column, Source
from duckrisk.source.long_values import LONG_TEXT, group_bindings, has_long_prefix

#: A wide source of no more cells is held in memory.
HELD_CELLS = 2_000_000
#: The first so many cells of a column tell what its texts look like.
_CELLS = 1_000
#: Cells of a column whose heading says no names, and columns in which names are looked for by shape alone.
_CELLS_OF_NAMES, _MOST_PERHAPS_NAMES = 200, 32
_SHAPES = ("digits", "numbers", "days", "measures", "full_names", "unparted_names", "blanks")
#: Share of the codes; people who are fewer have several each.
_ONE_EACH = 0.9
#: Share of the cells; distinct values are counted where the estimate is larger. DuckDB 1.5 estimates with 64
#: registers, a standard error of 1.04 / sqrt(64) = 13 %: this is below NEAR by three of them.
_COUNTED = 0.5


def infer(
    session: Session,
    source: Source,
    overrides: RoleOverrides,
    *,
    tokens: Sequence[str] = TOKENS,
    counts: bool = False,
) -> Roles:
    """Decide the role of every column.

    ``tokens`` are texts that mean a missing cell; ``counts`` says that the table may be declared one of
    counts, or of no persons. Raises UsageError for names that are not there, and SourceError for a source
    without records or without any user.
    """
    settled_user = overrides.settled.user if overrides.settled is not None else None
    for name in (overrides.user, settled_user):
        form_pair(source, name)
    asked = together(source, overrides)
    count = holdings.declared_count(source, asked)
    if not counts and (count is not None or asked.no_persons):
        holdings.refuse_elsewhere(session, source, count)
    counted = holdings.keep_counted(session, source, count) if count is not None else None
    without_user = counted is not None or asked.no_persons
    decided = replace(asked, user="") if without_user else asked
    roles, profiles = _decided(session, source, decided, tokens, settled_user, by_count=counted is not None)
    if count is not None and counted is not None:
        return holdings.with_counts(session, roles, counted, count)
    return holdings.recognize(session, source, roles, profiles, asked)


def _decided(
    session: Session,
    source: Source,
    overrides: RoleOverrides,
    tokens: Sequence[str],
    settled_user: str | None,
    *,
    by_count: bool,
) -> tuple[Roles, list[Evidence]]:
    """Return the roles by merged overrides, and what each column holds.

    ``by_count`` says that records stand for several people each.
    """
    profiles = _profiled(session, source)
    records = profiles[0].records
    if records == 0:
        restricted = " that meet the condition" if source.is_filtered else ""
        raise SourceError("roles.no_records", source=source.name, restricted=restricted)
    if not (source.is_in_memory or overrides.fold_keys):
        source.is_in_memory = _hold(session, profiles, records)
    profiles = count_distinct(session, profiles, _COUNTED)
    searched = content.scan(session, profiles, tokens)
    profiles = with_written_numbers(session, _with_kinds(_looked(session, profiles), searched))
    decisions = evidence.judge(profiles)
    _apply(source, decisions, overrides)
    notes: list[Sentence] = []
    user, confidence, counted, likely = _choose_user(
        session, decisions, profiles, overrides, source, notes, tokens
    )
    users, without_user, of_token_users, most_records = (counted or (records, 0, 0, 1))[:4]
    if user is not None and overrides.fold_keys and user.type == "VARCHAR" and not source.has_folded_key:
        source.form_person_key([user.name], fold=True)
        folded = replace(overrides, user=user.name)
        return _decided(session, source, folded, tokens, settled_user, by_count=by_count)
    fixed = counted.fixed if counted is not None else []
    for decision in fixed:
        decision.reason = decision.reason or Sentence("roles.per_user")
    if user is not None:
        searched = searched.of_people(users)
        _settle_user(source, decisions, profiles, user, records - without_user, users)
    if not by_count:  # a value of a table of counts is shared by all whom its row stands for
        _direct_identifiers(session, decisions, profiles, users, fixed)
    hipaa.list_items(decisions, profiles, searched.found)
    if not overrides.attributes:
        dependencies(session, decisions, records, notes)
    doubts = list(_doubts(session, decisions, profiles, user, overrides))
    attributes = attributes_of(source, decisions, overrides)
    if any(map(has_long_prefix, attributes)):
        source.use_digests(())
    if user is not None:
        exclude_user(attributes, user)
    roles = Roles(
        decisions,
        user,
        records,
        users,
        without_user,
        of_token_users,
        most_records,
        attributes,
        notes,
        bool(overrides.attributes),
        overrides,
        confidence,
        searched,
        tuple(decision.column.binding for decision in fixed),
        _lost_user(source, settled_user) if user is None else None,
        undated=source.undated,
        candidates=tuple(tuple(one.column.name for one in columns) for columns in likely),
        doubts=doubts,
    )
    return roles, profiles


def _tell_numbers(decision: Decision, cells: Evidence, source: Source) -> None:
    """Set the kind of the numbers of people: those of a recipe, or the numbers of rows."""
    if decision.column.name in source.pseudonymized_columns:
        decision.kind = PSEUDONYM
    elif decision.kind not in (NEW, ORIGINAL) and evidence.is_row_number(cells):
        decision.kind = ROW


def _settle_user(
    source: Source,
    decisions: list[Decision],
    profiles: list[Evidence],
    user: Column,
    records: int,
    users: int,
) -> None:
    """Say how many records the users have, and judge names by the number of these."""
    if users == 0:
        raise SourceError("roles.user_column_empty", user=user.name)
    decision = decisions[user.position]
    _tell_numbers(decision, profiles[user.position], source)
    if users < profiles[0].records:
        each = f"{records / users:,.1f}"
        decision.reason = Sentence("roles.records_each", reason=decision.reason or "", records=each)
    for decision, cells in zip(decisions, profiles, strict=True):
        evidence.settle_by_users(decision, cells, users)


def _doubts(
    session: Session,
    decisions: list[Decision],
    profiles: list[Evidence],
    user: Column | None,
    overrides: RoleOverrides,
) -> Iterator[Sentence]:
    """Yield what else may make several records, or several keys, those of one person."""
    if user is None and overrides.user is None and (many := keys.copies(session, decisions, profiles)) > 1:
        yield Sentence("policy.unsettled.copies", count=f"{many:,}")
    if user is None or user.type != "VARCHAR" or overrides.fold_keys is not None:
        return
    relation = compared(session, [decisions[user.position]])
    folded = render("folded_key", written=identifier(user.binding))
    row = session.fetch_row("key_writings", source=relation, column=user.binding, folded=folded)
    if row["folded"] < row["written"]:
        written, name = f"{row['written']:,}", Sentence("roles.quoted", name=Data(user.name))
        yield Sentence("policy.unsettled.writings", keys=written, option=name, folded=f"{row['folded']:,}")


def _lost_user(source: Source, settled: str | None) -> str | None:
    """Return the user column that a recipe left out: by the settings, a step or its name."""
    known = {*source.user_columns, settled}
    likely = (name for name in source.dropped_columns if name in known or words.user_score(name) > 1)
    return next(likely, None)


# --- the profile ------------------------------


def _profiled(session: Session, source: Source) -> list[Evidence]:
    profiles: list[Evidence] = []
    large: list[int] = []
    for batch in batches(source.columns):
        columns = [column.binding for column in batch]
        relation = session.views.select_columns(*columns)
        rows = session.run("profile", source=relation, columns=columns, **group_bindings(batch))
        for column, row in zip(batch, rows, strict=True):
            profiles.append(_evidence(column, row))
            text_moments = column.type == "VARCHAR" and 0 < profiles[-1].present == profiles[-1].moments
            if profiles[-1].longest > LONG_TEXT and not text_moments:
                large.append(column.position)
    source.use_digests(large)
    return profiles


def _evidence(column: Column, row: dict[str, Any]) -> Evidence:
    return Evidence(
        column,
        row["records"],
        row["present"],
        min(row["distinct_values"], row["present"]),
        row["constant"],
        row["mean_length"] or 0.0,
        row["longest"] or 0,
        row["with_blanks"],
        row["moments"],
        row["with_at"],
        row["lowest"],
        row["highest"],
        row["fractions"],
    )


def _looked(session: Session, profiles: list[Evidence]) -> list[Evidence]:
    """Add the shapes of the first values of some columns."""
    seen: dict[int, dict[str, Any]] = {}
    looked_for = [cells for cells in profiles if looked_at(cells)]
    perhaps = [cells for cells in profiles if can_hold_names(cells) and not looked_at(cells)]
    groups: list[tuple[list[Evidence], int, int | None]] = [
        *((batch, _CELLS, 2 * _CELLS) for batch in batches(looked_for)),
        *((batch, _CELLS_OF_NAMES, 2 * _CELLS_OF_NAMES) for batch in batches(perhaps[:_MOST_PERHAPS_NAMES])),
    ]
    for batch, most, records in groups:
        columns = [cells.column.binding for cells in batch]
        relation = session.views.select_columns(*columns)
        rows = session.run(
            "cell_shapes", source=relation, columns=columns, sample_size=most, first_records=records
        )
        both = list(zip(batch, rows, strict=True))
        seen |= {cells.column.position: row for cells, row in both if row["cells"]}
        # Where many cells are missing the first records show too few others.
        few = [cells for cells, row in both if row["cells"] < min(most, cells.present)]
        if few and records is not None:
            groups.append((few, most, None))
    looked = []
    for cells in profiles:
        row = seen.get(cells.column.position)
        if row is not None:
            shares = {name: row[name] / row["cells"] for name in _SHAPES}
            cells = replace(cells, looked=True, **shares)
        looked.append(cells)
    return looked


def _with_kinds(profiles: list[Evidence], searched: Content) -> list[Evidence]:
    """Add the share of each kind of identifier in the values of a column."""
    kinds: dict[str, list[tuple[str, float]]] = {}
    for entry in searched.found:
        if entry.likely and entry.present_cells:
            share = entry.valid_cells / entry.present_cells
            kinds.setdefault(entry.column, []).append((entry.kind, share))
    return [replace(cells, kinds=tuple(kinds.get(cells.column.name, ()))) for cells in profiles]


def _hold(session: Session, profiles: list[Evidence], records: int) -> bool:
    """Keep a wide and small source in memory, and say whether that was done: to bind hundreds of columns of a
    file takes longer than most statements on one of them."""
    small = len(profiles) * records <= HELD_CELLS and not any(
        cells.long or not is_scalar(cells.column.type) for cells in profiles
    )
    wide = len(profiles) > BLOCK_COLUMNS and small
    if wide:
        session.views.materialize("held")
    return wide


# --- the user ------------------------------


def _choose_user(
    session: Session,
    decisions: list[Decision],
    profiles: list[Evidence],
    overrides: RoleOverrides,
    source: Source,
    notes: list[Sentence],
    tokens: Sequence[str],
) -> tuple[Column | None, Confidence, _Counted | None, tuple[tuple[Decision, ...], ...]]:
    """Return the user's column, how sure that is, who the users are, and what may name the person.

    A note is added where another column was given than the names say.
    """
    likely, records = persons.candidates(decisions, profiles), profiles[0].records
    named = [d for d in decisions if d.given and d.role == "user"]
    if overrides.user:
        named = [decisions[source.column(overrides.user).position], *named]
    if len({d.column.position for d in named}) > 1:
        raise UsageError("roles.several_users")
    if named:
        chosen = named[0]
        first = next((candidate.decision for candidate in likely if candidate.score), None)
        if first is not None and first is not chosen:
            notes.append(
                Sentence("roles.other_user", user=Data(chosen.column.name), likely=Data(first.column.name))
            )
        kind = _numbers_of(chosen)
        reason = Sentence("roles.person" if chosen is first else "roles.given")
        chosen.decide("user", reason, given=True, kind=kind)
        return chosen.column, "sure", _by_user(session, decisions, chosen.column, records, tokens), ()
    if overrides.user == "":
        return None, "sure", None, ()
    assessed = assessed_positions(overrides, source)
    refused: list[Decision] = []
    named_by, counted = None, None
    for candidate in likely:
        if candidate.score < 2 and candidate.decision.column.position in assessed:
            continue
        column = candidate.decision.column
        counted = _by_user(session, decisions, column, records, tokens)
        sure = persons.is_held(candidate, counted.records, counted.users, counted.most_records)
        if sure is not None:
            named_by = candidate._replace(confidence=sure)
            break
        refused.append(candidate.decision)
    choice = _choice(session, decisions, profiles, named_by, counted, assessed)
    for alternatives in choice.candidates:
        for decision in alternatives:
            decision.stands = True
    likeliest = choice.candidates[0] if choice.candidates else ()
    if len(likeliest) != 1:
        sure = _without_user(decisions, refused, notes)
        return None, "guess" if choice.candidates else sure, None, choice.candidates
    chosen = likeliest[0]
    if named_by is None or chosen is not named_by.decision or counted is None:
        counted = _by_user(session, decisions, chosen.column, records, tokens)
    is_named = words.user_score(chosen.column.name) > 0
    reason = Sentence("roles.person") if is_named else also(chosen.reason, Sentence("roles.stands_for"))
    kind, given = _numbers_of(chosen), chosen.given
    chosen.decide("user", reason, choice.confidence, kind=kind)
    chosen.given = given
    return chosen.column, choice.confidence, counted, choice.candidates


def _choice(
    session: Session,
    decisions: list[Decision],
    profiles: list[Evidence],
    named_by: persons.Candidate | None,
    counted: _Counted | None,
    assessed: set[int],
) -> persons.Choice:
    """Weigh the column whose name says the person against the values; names alone never decide."""
    several = counted is not None and counted.users < counted.records
    traits = [decision for decision in decisions if keys.is_stable_trait(decision)]
    if several and counted is not None and named_by is not None and named_by.score == 3:
        agree = not traits or any(trait in counted.fixed for trait in traits)
        if not agree:
            dependents = keys.dependents_among(decisions, profiles)
            (own,) = keys.evidence_of(session, [(named_by.decision,)], dependents, profiles)
            agree = bool(own.traits)
        if agree and named_by.confidence != "guess":
            return persons.Choice(((named_by.decision,),), named_by.confidence)
    found = keys.search(session, decisions, profiles, assessed)
    households = any(key.columns[0].kind == "household" for key in found)
    if (traits or households) and not any(key.traits for key in found):
        found += keys.pairs(session, decisions, profiles, found, assessed)
    return persons.choose(named_by, named_by is not None and not several, found)


def _numbers_of(decision: Decision) -> str | None:
    """Return that a person declared a column to hold the numbers of an organisation, if so."""
    declared = decision.given and decision.role == "direct_identifier"
    return ORIGINAL if declared and decision.kind not in word_lists.LEADING else None


def _without_user(decisions: list[Decision], refused: list[Decision], notes: list[Sentence]) -> Confidence:
    """Rate that each record is a person, and add a note on columns that may object."""
    repeated = [
        d
        for d in decisions
        if d in refused or (d.role == "direct_identifier" and 1 < d.distinct < 0.9 * d.present)
    ]
    named = [Sentence("roles.quoted", name=Data(d.column.name)) for d in repeated]
    for decision in repeated[:1]:
        decision.stands = True
    settled = [d for d in decisions if d.role == "constant" or d.kind == "row"]
    nameless = any(words.is_nameless(d.column.name) for d in decisions if d not in settled)
    notes.append(Sentence("roles.no_user_but" if named else "roles.no_user", names=join_texts(named[:3])))
    return "guess" if repeated or nameless else "likely"


class _Counted(NamedTuple):
    """The users of a column, the records without one, those whose user is a text for a missing cell, the
    records of the user who has most and of all; and the columns that never change for a user."""

    users: int
    without_user: int
    records_of_token_users: int
    most_records: int
    records: int
    fixed: list[Decision]


def _by_user(
    session: Session, decisions: list[Decision], user: Column, records: int, tokens: Sequence[str]
) -> _Counted:
    kept = [d for d in decisions if d.column is not user and d.role not in ("constant", "ignored")]
    marks = list(tokens) if is_scalar(user.type) else None
    person = decisions[user.position]
    if len(kept) > BLOCK_COLUMNS and session.engine is None:
        kept = leave_out_changing(session, person, kept)
    if records > (most := FIRST_RECORDS[-1]):
        # The first records show most columns that change, and what their cells are is not kept for each user.
        _, kept = _fixed(session, person, kept, None, most)
    totals, fixed = _fixed(session, person, kept, marks)
    several = totals["users"] < totals["records"]
    return _Counted(
        totals["users"],
        totals["without_user"],
        totals["records_of_token_users"],
        totals["most_records"],
        totals["records"],
        fixed if several else [],
    )


def _fixed(
    session: Session,
    user: Decision,
    columns: list[Decision],
    tokens: list[str] | None,
    most: int | None = None,
) -> tuple[dict[str, Any], list[Decision]]:
    """Count the first ``most`` records by users, and list the columns that change for none of them."""
    totals: dict[str, Any] = {}
    fixed: list[Decision] = []
    for batch in batches(columns) or [[]]:
        relation = compared(session, [user, *batch])
        rows = session.run(
            "users",
            source=relation if most is None else render("first_records", source=relation, most=most),
            user=user.column.binding,
            columns=[d.column.binding for d in batch],
            missing_tokens=tokens,
        )
        totals = rows[0]
        fixed += [d for d, row in zip(batch, rows[1:], strict=True) if row["changing_users"] == 0]
    return totals, fixed


def _direct_identifiers(
    session: Session,
    decisions: list[Decision],
    profiles: list[Evidence],
    users: int,
    fixed: Sequence[Decision],
) -> None:
    """The columns that tell every record, or every user, apart, and hold what somebody was given."""
    positions = {decision.column.position for decision in fixed}
    for decision, cells in zip(decisions, profiles, strict=True):
        if decision.given or decision.role != "attribute":
            continue
        per_user = decision.column.position in positions
        count = users if per_user else decision.present
        least = 2 if words.user_score(decision.column.name) else FEW
        sure = evidence.identifies_alone(cells) if count >= least and cells.differs(_COUNTED, count) else None
        if sure is None:
            continue
        distinct = cells.distinct
        if per_user and not cells.differs(_COUNTED):
            relation = compared(session, [decision])
            row = session.fetch_row("distinct_values", source=relation, column=decision.column.binding)
            distinct = row["distinct_values"]
        if distinct == cells.present:
            # Where people have several records, a code of each record is not a person's.
            of_records = not per_user and users < _ONE_EACH * distinct
            sure = "guess" if of_records else sure
            decision.decide("direct_identifier", Sentence("roles.per_record"), sure, kind=CODE)
        elif per_user and distinct >= users:
            decision.decide("direct_identifier", Sentence("roles.every_user"), sure, kind=CODE)


def _apply(source: Source, decisions: list[Decision], overrides: RoleOverrides) -> None:
    for name in overrides.keep:
        decisions[source.column(name).position].keep = True
    for name, role in overrides.roles:
        decision = decisions[source.column(name).position]
        if role == "keep":
            decision.keep = True
        if role in (*DECLARED, "keep"):
            decision.declare(cast(Declared, "quasi_identifier" if role == "keep" else role))
            continue
        if role == "pseudonym":
            decision.against = "direct_identifier" if decision.role == "direct_identifier" else None
            decision.decide("user", Sentence("roles.given"), given=True, kind=NEW)
            continue
        role = "direct_identifier" if role == "identifier" else role
        if role == "date_time" and not (decision.moment or has_date(decision.column.type)):
            if source.recipe is not None:  # it was made coarser
                continue
            raise UsageError("roles.not_a_date_time", name=name, shown_type=shown_type(decision.column.type))
        reason = decision.reason if decision.role == role else Sentence("roles.given")
        decision.decide(cast(Role, role), reason, given=True)
    for name in overrides.ignore:
        decisions[source.column(name).position].decide("ignored", Sentence("roles.given"), given=True)
