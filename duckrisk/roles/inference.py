"""Inference of the roles of all columns of a source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.options.identifiability import TOKENS
from duckrisk.base.sentences import Data, Sentence
from duckrisk.engine.session import Session
from duckrisk.engine.templates import identifier, render
from duckrisk.engine.types import has_date
from duckrisk.roles import classification, content, hipaa, holdings, keys, words
from duckrisk.roles.attributes import build_attributes, refuse_user_column, shown_type
from duckrisk.roles.dependencies import count_distinct, find_dependencies, select_compared
from duckrisk.roles.model import (
    CODE,
    DECLARED,
    FEW,
    NEW,
    ORIGINAL,
    PSEUDONYM,
    ROW,
    ColumnProfile,
    Decision,
    Declared,
    Role,
    Roles,
)
from duckrisk.roles.overrides import RoleOverrides, form_joined_key, merge_overrides
from duckrisk.roles.profiling import hold_if_wide, profile_columns, with_kinds, with_shapes
from duckrisk.roles.row_numbers import with_written_numbers
from duckrisk.roles.user_choice import choose_user
from duckrisk.source import Column, Source
from duckrisk.source.long_values import has_long_prefix

#: Ratio of persons to codes; fewer persons have several codes each (a choice: a tenth of the codes may repeat
#: a person).
_ONE_CODE_EACH = 0.9
#: Share of the records with a value; more distinct values than that are counted, not estimated (derived from
#: NEARLY_UNIQUE, less three standard errors of 1.04 / sqrt(64) = 13 %: DuckDB 1.5 uses 64 registers).
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

    Args:
        session: The session that has the source.
        source: The source.
        overrides: What a person declared, in options and in the settings file.
        tokens: Texts that mean a missing value.
        counts: Whether the table may be declared one of counts, or of no persons.

    Raises:
        UsageError: If a name is no column, if a column has two roles, or if the table is declared one of
            counts, or of no persons, without ``counts``.
        SourceError: If the source has no records, or its user column is empty.
    """
    settled_user = overrides.settled.user if overrides.settled is not None else None
    for name in (overrides.user, settled_user):
        form_joined_key(source, name)
    merged = merge_overrides(source, overrides)
    count = holdings.find_count_column(source, merged)
    if not counts and (count is not None or merged.no_persons):
        holdings.refuse_counts(session, source, count)
    counted = holdings.keep_people_rows(session, source, count) if count is not None else None
    without_user = counted is not None or merged.no_persons
    decided = replace(merged, user="") if without_user else merged
    roles, profiles = _infer_merged(
        session, source, decided, tokens, settled_user, by_count=counted is not None
    )
    if count is not None and counted is not None:
        return holdings.with_counts(session, roles, counted, count)
    return holdings.recognize_holdings(session, source, roles, profiles, merged)


def _infer_merged(
    session: Session,
    source: Source,
    overrides: RoleOverrides,
    tokens: Sequence[str],
    settled_user: str | None,
    *,
    by_count: bool,
) -> tuple[Roles, list[ColumnProfile]]:
    """Decide the roles by merged overrides.

    ``by_count`` means that a record stands for several people.
    """
    profiles = profile_columns(session, source)
    records = profiles[0].records
    if records == 0:
        restricted = " that meet the condition" if source.is_filtered else ""
        raise SourceError("roles.no_records", source=source.name, restricted=restricted)
    if not (source.is_in_memory or overrides.fold_keys):
        source.is_in_memory = hold_if_wide(session, profiles, records)
    profiles = count_distinct(session, profiles, _COUNTED)
    scanned = content.scan(session, profiles, tokens)
    profiles = with_written_numbers(session, with_kinds(with_shapes(session, profiles), scanned))
    decisions = classification.classify_columns(profiles)
    _apply_overrides(source, decisions, overrides)
    notes: list[Sentence] = []
    choice = choose_user(session, decisions, profiles, overrides, source, notes, tokens)
    user, counts = choice.user, choice.counts
    users, without_user, of_token_users, most_records = (counts or (records, 0, 0, 1))[:4]
    if user is not None and overrides.fold_keys and user.type == "VARCHAR" and not source.has_folded_key:
        source.form_person_key([user.name], fold=True)
        folded = replace(overrides, user=user.name)
        return _infer_merged(session, source, folded, tokens, settled_user, by_count=by_count)
    fixed = counts.fixed if counts is not None else []
    for decision in fixed:
        decision.reason = decision.reason or Sentence("roles.per_user")
    if user is not None:
        scanned = scanned.with_shared_values(users)
        _settle_user(source, decisions, profiles, user, records - without_user, users)
    if not by_count:  # all people of a row of counts share its values
        _decide_unique_columns(session, decisions, profiles, users, fixed)
    hipaa.list_items(decisions, profiles, scanned.found)
    if not overrides.attributes:
        find_dependencies(session, decisions, records, notes)
    doubts = list(_find_doubts(session, decisions, profiles, user, overrides))
    attributes = build_attributes(source, decisions, overrides)
    if any(map(has_long_prefix, attributes)):
        source.use_digests(())
    if user is not None:
        refuse_user_column(attributes, user)
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
        choice.confidence,
        scanned,
        tuple(decision.column.binding for decision in fixed),
        _find_lost_user(source, settled_user) if user is None else None,
        undated=source.undated,
        candidates=tuple(
            tuple(decision.column.name for decision in columns) for columns in choice.candidates
        ),
        doubts=doubts,
    )
    return roles, profiles


def _settle_user(
    source: Source,
    decisions: list[Decision],
    profiles: list[ColumnProfile],
    user: Column,
    records: int,
    users: int,
) -> None:
    """Set kind and reason of the user column, and revise identifiers by its users."""
    if users == 0:
        raise SourceError("roles.user_column_empty", user=user.name)
    decision = decisions[user.position]
    if decision.column.name in source.pseudonymized_columns:
        decision.kind = PSEUDONYM
    elif decision.kind not in (NEW, ORIGINAL) and classification.is_row_number(profiles[user.position]):
        decision.kind = ROW
    if users < profiles[0].records:
        mean_records = f"{records / users:,.1f}"
        decision.reason = Sentence("roles.records_each", reason=decision.reason or "", records=mean_records)
    for decision, profile in zip(decisions, profiles, strict=True):
        classification.revise_by_users(decision, profile, users)


def _find_doubts(
    session: Session,
    decisions: list[Decision],
    profiles: list[ColumnProfile],
    user: Column | None,
    overrides: RoleOverrides,
) -> Iterator[Sentence]:
    """Yield reasons why several records, or several keys, may be of one person."""
    if (
        user is None
        and overrides.user is None
        and (many := keys.count_copies(session, decisions, profiles)) > 1
    ):
        yield Sentence("policy.unsettled.copies", count=f"{many:,}")
    if user is None or user.type != "VARCHAR" or overrides.fold_keys is not None:
        return
    relation = select_compared(session, [decisions[user.position]])
    folded = render("folded_key", written=identifier(user.binding))
    row = session.fetch_row("key_writings", source=relation, column=user.binding, folded=folded)
    if row["folded"] < row["written"]:
        written, name = f"{row['written']:,}", Sentence("roles.quoted", name=Data(user.name))
        yield Sentence("policy.unsettled.writings", keys=written, option=name, folded=f"{row['folded']:,}")


def _find_lost_user(source: Source, settled: str | None) -> str | None:
    """Return the user column that a recipe left out: by settings, a step or its name."""
    user_names = {*source.user_columns, settled}
    likely = (name for name in source.dropped_columns if name in user_names or words.user_score(name) > 1)
    return next(likely, None)


def _decide_unique_columns(
    session: Session,
    decisions: list[Decision],
    profiles: list[ColumnProfile],
    users: int,
    fixed: Sequence[Decision],
) -> None:
    """Decide for identifiers among the columns that differ for every record or user."""
    positions = {decision.column.position for decision in fixed}
    for decision, profile in zip(decisions, profiles, strict=True):
        if decision.given or decision.role != "attribute":
            continue
        per_user = decision.column.position in positions
        count = users if per_user else decision.present
        least = 2 if words.user_score(decision.column.name) else FEW
        if count < least or not profile.is_distinct(_COUNTED, count):
            continue
        confidence = classification.rate_unique_column(profile)
        if confidence is None:
            continue
        distinct = profile.distinct
        if per_user and not profile.is_distinct(_COUNTED):
            relation = select_compared(session, [decision])
            row = session.fetch_row("distinct_values", source=relation, column=decision.column.binding)
            distinct = row["distinct_values"]
        if distinct == profile.present:
            # If people have several records, a code of each record is not a person's.
            of_records = not per_user and users < _ONE_CODE_EACH * distinct
            confidence = "guess" if of_records else confidence
            decision.decide("direct_identifier", Sentence("roles.per_record"), confidence, kind=CODE)
        elif per_user and distinct >= users:
            decision.decide("direct_identifier", Sentence("roles.every_user"), confidence, kind=CODE)


def _apply_overrides(source: Source, decisions: list[Decision], overrides: RoleOverrides) -> None:
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
        if role == "date_time" and not (decision.is_moment or has_date(decision.column.type)):
            if source.recipe is not None:  # a treatment made it coarser
                continue
            raise UsageError("roles.not_a_date_time", name=name, shown_type=shown_type(decision.column.type))
        reason = decision.reason if decision.role == role else Sentence("roles.given")
        decision.decide(cast(Role, role), reason, given=True)
    for name in overrides.ignore:
        decisions[source.column(name).position].decide("ignored", Sentence("roles.given"), given=True)
