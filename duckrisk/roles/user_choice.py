"""Choice of the user column: by what a person declared, else by names and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from duckrisk.base.errors import UsageError
from duckrisk.base.sentences import Data, Sentence, join_texts
from duckrisk.engine.session import Session
from duckrisk.engine.templates import render
from duckrisk.engine.types import is_scalar
from duckrisk.engine.views import BLOCK_COLUMNS
from duckrisk.roles import keys, persons, word_lists, words
from duckrisk.roles.dependencies import FIRST_RECORDS, drop_changing, select_compared, split_batches
from duckrisk.roles.model import ORIGINAL, ColumnProfile, Confidence, Decision, append_reason
from duckrisk.roles.overrides import RoleOverrides, assessed_positions
from duckrisk.source import Column, Source


class UserCounts(NamedTuple):
    """Users of a column.

    ``records`` are the records that have a user, ``without_user`` those that have none.
    ``records_of_token_users`` have a user that is a text for a missing value elsewhere. ``most_records`` are
    those of the user who has most. ``fixed`` are the columns that never change for a user; none if each user
    has one record.
    """

    users: int
    without_user: int
    records_of_token_users: int
    most_records: int
    records: int
    fixed: list[Decision]


class UserChoice(NamedTuple):
    """The user column, or None if each record is a person, and the confidence in that.

    ``counts`` are the users of the column. ``candidates`` are the columns that may be the user's, the
    likeliest first; none if a person declared one.
    """

    user: Column | None
    confidence: Confidence
    counts: UserCounts | None = None
    candidates: tuple[tuple[Decision, ...], ...] = ()


def choose_user(
    session: Session,
    decisions: list[Decision],
    profiles: list[ColumnProfile],
    overrides: RoleOverrides,
    source: Source,
    notes: list[Sentence],
    tokens: Sequence[str],
) -> UserChoice:
    """Choose the user column and decide its role.

    Args:
        session: The session that has the table.
        decisions: The columns; that of the user gets its role.
        profiles: Their profiles.
        overrides: What a person declared; an empty ``user`` makes each record a person.
        source: The source.
        notes: Gets a note if the names mean another user, or if no column does.
        tokens: Texts that mean a missing value.

    Raises:
        UsageError: If several columns are declared the user's.
    """
    ranked, records = persons.rank_candidates(decisions, profiles), profiles[0].records
    declared = [d for d in decisions if d.given and d.role == "user"]
    if overrides.user:
        declared = [decisions[source.column(overrides.user).position], *declared]
    if len({d.column.position for d in declared}) > 1:
        raise UsageError("roles.several_users")
    if declared:
        chosen = declared[0]
        first = next((candidate.decision for candidate in ranked if candidate.score), None)
        if first is not None and first is not chosen:
            notes.append(
                Sentence("roles.other_user", user=Data(chosen.column.name), likely=Data(first.column.name))
            )
        kind = _declared_kind(chosen)
        reason = Sentence("roles.person" if chosen is first else "roles.given")
        chosen.decide("user", reason, given=True, kind=kind)
        counts = _count_users(session, decisions, chosen.column, records, tokens)
        return UserChoice(chosen.column, "sure", counts)
    if overrides.user == "":
        return UserChoice(None, "sure")
    assessed = assessed_positions(overrides, source)
    refused: list[Decision] = []
    by_name, counts_by_name = None, None
    for candidate in ranked:
        if candidate.score < 2 and candidate.decision.column.position in assessed:
            continue
        column = candidate.decision.column
        counts_by_name = _count_users(session, decisions, column, records, tokens)
        confidence = persons.rate_by_records(
            candidate, counts_by_name.records, counts_by_name.users, counts_by_name.most_records
        )
        if confidence is not None:
            by_name = candidate._replace(confidence=confidence)
            break
        refused.append(candidate.decision)
    choice = _weigh(session, decisions, profiles, by_name, counts_by_name, assessed)
    for alternatives in choice.candidates:
        for decision in alternatives:
            decision.is_candidate = True
    likeliest = choice.candidates[0] if choice.candidates else ()
    if len(likeliest) != 1:
        confidence = _rate_records_as_persons(decisions, refused, notes)
        return UserChoice(None, "guess" if choice.candidates else confidence, None, choice.candidates)
    chosen = likeliest[0]
    if by_name is not None and chosen is by_name.decision and counts_by_name is not None:
        counts = counts_by_name
    else:
        counts = _count_users(session, decisions, chosen.column, records, tokens)
    is_named = words.user_score(chosen.column.name) > 0
    stands_for = append_reason(chosen.reason, Sentence("roles.stands_for"))
    kind, is_given = _declared_kind(chosen), chosen.given
    chosen.decide("user", Sentence("roles.person") if is_named else stands_for, choice.confidence, kind=kind)
    chosen.given = is_given
    return UserChoice(chosen.column, choice.confidence, counts, choice.candidates)


def _weigh(
    session: Session,
    decisions: list[Decision],
    profiles: list[ColumnProfile],
    by_name: persons.Candidate | None,
    counts: UserCounts | None,
    assessed: set[int],
) -> persons.Choice:
    """Weigh the column that names the person against the values.

    Names alone never decide.
    """
    has_repeats = counts is not None and counts.users < counts.records
    traits = [decision for decision in decisions if keys.is_stable_trait(decision)]
    if has_repeats and counts is not None and by_name is not None and by_name.score == 3:
        agrees = not traits or any(trait in counts.fixed for trait in traits)
        if not agrees:
            dependents = keys.select_dependents(decisions, profiles)
            (own_key,) = keys.examine_keys(session, [(by_name.decision,)], dependents, profiles)
            agrees = bool(own_key.traits)
        if agrees and by_name.confidence != "guess":
            return persons.Choice(((by_name.decision,),), by_name.confidence)
    found_keys = keys.find_keys(session, decisions, profiles, assessed)
    households = any(key.columns[0].kind == "household" for key in found_keys)
    if (traits or households) and not any(key.traits for key in found_keys):
        found_keys += keys.find_pairs(session, decisions, profiles, found_keys, assessed)
    return persons.choose_person(by_name, by_name is not None and not has_repeats, found_keys)


def _declared_kind(decision: Decision) -> str | None:
    """Return ``original`` if a person declared the numbers of an organisation."""
    declared = decision.given and decision.role == "direct_identifier"
    return ORIGINAL if declared and decision.kind not in word_lists.LEADING else None


def _rate_records_as_persons(
    decisions: list[Decision], refused: list[Decision], notes: list[Sentence]
) -> Confidence:
    """Rate that each record is a person, and note the columns that contradict."""
    repeated = [
        d
        for d in decisions
        if d in refused or (d.role == "direct_identifier" and 1 < d.distinct < 0.9 * d.present)
    ]
    names = [Sentence("roles.quoted", name=Data(d.column.name)) for d in repeated]
    for decision in repeated[:1]:
        decision.is_candidate = True
    settled = [d for d in decisions if d.role == "constant" or d.kind == "row"]
    nameless = any(words.is_nameless(d.column.name) for d in decisions if d not in settled)
    notes.append(Sentence("roles.no_user_but" if names else "roles.no_user", names=join_texts(names[:3])))
    return "guess" if repeated or nameless else "likely"


def _count_users(
    session: Session, decisions: list[Decision], user: Column, records: int, tokens: Sequence[str]
) -> UserCounts:
    """Count the users of a column, and find the columns that never change for one."""
    columns = [d for d in decisions if d.column is not user and d.role not in ("constant", "ignored")]
    missing_tokens = list(tokens) if is_scalar(user.type) else None
    person = decisions[user.position]
    if len(columns) > BLOCK_COLUMNS and session.engine is None:
        columns = drop_changing(session, person, columns)
    if records > (first := FIRST_RECORDS[-1]):
        # The first records rule out most columns, whose values need not be kept for each user then.
        _, columns = _find_fixed(session, person, columns, None, first)
    totals, fixed = _find_fixed(session, person, columns, missing_tokens)
    has_repeats = totals["users"] < totals["records"]
    return UserCounts(
        totals["users"],
        totals["without_user"],
        totals["records_of_token_users"],
        totals["most_records"],
        totals["records"],
        fixed if has_repeats else [],
    )


def _find_fixed(
    session: Session,
    user: Decision,
    columns: list[Decision],
    tokens: list[str] | None,
    first: int | None = None,
) -> tuple[dict[str, Any], list[Decision]]:
    """Count records by users, and find the columns that change for none of them."""
    totals: dict[str, Any] = {}
    fixed: list[Decision] = []
    for batch in split_batches(columns) or [[]]:
        relation = select_compared(session, [user, *batch])
        rows = session.run(
            "users",
            source=relation if first is None else render("first_records", source=relation, most=first),
            user=user.column.binding,
            columns=[d.column.binding for d in batch],
            missing_tokens=tokens,
        )
        totals = rows[0]
        fixed += [d for d, row in zip(batch, rows[1:], strict=True) if row["changing_users"] == 0]
    return totals, fixed
