"""Rules that choose the column of the person behind a record, by names and by values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from duckrisk.engine.types import is_float
from duckrisk.roles import headings, table_words, word_lists, words
from duckrisk.roles.keys import MAX_KEY_LENGTH, MAX_SHARE_OF_ONE, Key
from duckrisk.roles.model import FEW, ColumnProfile, Confidence, Decision

#: Distinct values of a person's column with 50 records or more: to be sure, to be likely, to be a candidate
#: (a choice: half and twice of each read all 113 tables of tests/labelled.py alike, and twice of the second 1
#: of 60 of the shapes of tests/benchmarks/people.py otherwise).
_MANY_PERSONS, _SOME_PERSONS, _MIN_PERSONS = 20, 10, 3
#: Ratio of persons to households; a number with fewer values counts the members of a household (a choice: far
#: below 1, for members are few).
_MEMBERS_SHARE = 0.1
_EXCLUDED_ROLES = ("constant", "ignored", "free_text", "date_time")


class Candidate(NamedTuple):
    """A column that may be the person's.

    ``score`` is that of its name (``words.user_score``), 0 for an identifier that replaces a missing user
    column.
    """

    decision: Decision
    score: int
    confidence: Confidence


def rank_candidates(decisions: Sequence[Decision], profiles: Sequence[ColumnProfile]) -> list[Candidate]:
    """Rank the columns that may be the person's by their names, the likeliest first."""
    ranked: list[tuple[tuple[float, ...], Candidate]] = []
    names = [profile.column.name for profile in profiles]
    repeats_names = any(
        decision.kind == "person" and decision.role == "direct_identifier" and not profile.is_distinct(0.9)
        for decision, profile in zip(decisions, profiles, strict=True)
    )
    # If each record has an identifier of its own, each is a person: no repeated one replaces the user.
    identifies_records = any(
        decision.role == "direct_identifier"
        and decision.kind in word_lists.STANDS_FOR
        and profile.is_distinct(0.9, profile.records)
        for decision, profile in zip(decisions, profiles, strict=True)
    )
    households = max((decision.distinct for decision in decisions if decision.kind == "household"), default=0)
    for decision, profile in zip(decisions, profiles, strict=True):
        declared = decision.given and decision.role != "direct_identifier"
        if decision.role in _EXCLUDED_ROLES or declared or profile.distinct < _MEMBERS_SHARE * households:
            continue
        name = decision.column.name
        identifies = decision.role == "direct_identifier" and decision.kind in word_lists.STANDS_FOR
        score = 0 if identifies else words.user_score(name)  # "個人番号" is an official number
        is_account = score == 0 and decision.role != "event_key" and words.is_account(name)
        if score == 0 and (is_account or identifies) and not identifies_records:
            confidence = _rate_identifier(decision, profile)
            position = word_lists.STANDS_FOR.index(decision.kind) if identifies and decision.kind else 2
            rank: tuple[float, ...] = (-1.5, float(position), decision.column.position)
        elif score and decision.role != "event_key":
            confidence = _rate_name(profile, score)
            repeated = not profile.is_distinct(0.9)
            staff = 0.5 if words.is_staff(name) else 0.0
            rank = (staff - score, float(not repeated), decision.column.position)
        elif (
            score == 0
            and decision.role == "attribute"
            and not repeats_names
            and _is_number_of_person(profile, names)
        ):
            confidence, rank = "likely", (3.0, 0.0, decision.column.position)
        elif (
            decision.role == "attribute"
            and profile.is_machine_code
            and not identifies_records
            and not headings.is_of_thing(name)
        ):
            repeats = not profile.is_distinct(0.9) and profile.distinct >= _SOME_PERSONS
            confidence, rank = "guess" if repeats else None, (2.0, 0.0, decision.column.position)
        else:
            continue
        if confidence is not None:
            ranked.append((rank, Candidate(decision, score, confidence)))
    return [candidate for _, candidate in sorted(ranked, key=lambda pair: pair[0])]


def _rate_name(profile: ColumnProfile, score: int) -> Confidence | None:
    """Rate a name that means a person by the values; None if they cannot be persons."""
    name = profile.column.name
    few = profile.present < FEW
    repeated = not profile.is_distinct(0.9)
    if not profile.can_hold_codes or profile.is_wordy or profile.longest > MAX_KEY_LENGTH:
        return None
    if score < 3 and is_float(profile.column.type):
        return None
    if score < 3 and words.is_plural(name) and not (profile.is_text and repeated and profile.distinct >= FEW):
        return None
    least = _MIN_PERSONS if score == 3 else _SOME_PERSONS
    if profile.distinct < 2 or (not few and profile.distinct < least):
        return None
    if score == 1:
        return "guess" if repeated else None
    if score == 2 and not repeated and not profile.is_text:
        return None
    if not few and profile.distinct < _SOME_PERSONS:
        return "guess"
    if score == 2:
        return "guess" if not few and profile.distinct < _MANY_PERSONS and not profile.is_text else "likely"
    return "likely" if few or profile.distinct < _MANY_PERSONS else "sure"


def _is_number_of_person(profile: ColumnProfile, names: Sequence[str]) -> bool:
    """Return whether a distinct number of each record is that of a described person."""
    numbered = words.is_numbering(profile.column.name) and "id" in words.name_tokens(profile.column.name)
    is_code = profile.can_hold_codes and not profile.fractions
    is_unique = profile.distinct == profile.present >= FEW
    others = (name for name in names if name != profile.column.name)
    return numbered and is_code and is_unique and words.has_person_traits(others)


def _rate_identifier(decision: Decision, profile: ColumnProfile) -> Confidence | None:
    """Rate an identifier or account that several records have as the person's column."""
    repeats = not profile.is_distinct(0.9) and profile.distinct >= _MANY_PERSONS and profile.present >= FEW
    if not profile.can_hold_codes or profile.is_wordy or not repeats:
        return None
    return "guess" if decision.kind == "network" else "likely"


def rate_by_records(candidate: Candidate, records: int, users: int, most: int) -> Confidence | None:
    """Rate a candidate by the records of its values; None if one has most of them."""
    if users > 1 and records >= FEW and most > MAX_SHARE_OF_ONE * records:
        return "guess" if candidate.score == 3 and users >= FEW else None
    return candidate.confidence


# --- by values -----------------------------------------------------------------------------------


class Choice(NamedTuple):
    """The person by names and values.

    The candidates are columns that may be the person's, the likeliest first, with the confidence in that one.
    Without a candidate, or if the first has no column, each record is a person.
    """

    candidates: tuple[tuple[Decision, ...], ...] = ()
    confidence: Confidence = "likely"


def choose_person(named: Candidate | None, is_unique: bool, keys: Sequence[Key]) -> Choice:
    """Weigh the column that names the person against the keys that the values show.

    Args:
        named: The likeliest column by its name, or None.
        is_unique: Whether no two records have the same value of that column.
        keys: The keys by their values.

    Returns:
        The candidates; none, or a first one without columns, if each record is a person.
    """
    own_key = next((key for key in keys if named is not None and key.columns == (named.decision,)), None)
    if any(len(key.columns) > 1 and not key.repeated for key in keys):
        return Choice()  # each pair of a group and a number within it has one record
    personal = sorted((key for key in keys if key.traits and not key.varying), key=_coarsest_first)
    if named is not None and named.score >= 2 and not is_unique:
        return _choose_by_name(named, own_key, personal)
    if named is not None and is_unique and named.score == 3:
        first = (named.decision,)
        repeated = [key for key in personal if not _is_of_events(key)]
        sure: Confidence = "guess" if repeated else named.confidence
        likelier = [key for key in repeated if not key.is_doubted]
        doubted = [key for key in repeated if key.is_doubted]
        return Choice((*_columns(likelier), first, *_columns(doubted)), sure)
    if personal:
        is_open = personal[0].is_doubted or _is_of_events(personal[0])
        return Choice(_columns(personal), "guess" if is_open else "likely")
    if named is not None and is_unique and named.score >= 2:
        return Choice(((named.decision,),), named.confidence)
    likely = sorted(filter(_can_be_persons, keys), key=_likeliest_first)
    likely = [key for key in likely if key.dependents or key.names[0] not in likely[0].dependents]
    if named is not None and not is_unique and (own_key is None or not own_key.varying):
        first = (named.decision,)
        others = [key for key in likely if key.columns != first]
        rivals = [key for key in others if named.score or _contradicts_identifier(key)]
        confidence = "guess" if named.score or rivals else named.confidence
        if own_key is not None and not rivals and sum(map(table_words.is_personal, own_key.dependents)) > 1:
            confidence = "likely"
        return Choice((first, *(c for c in _columns(likely) if c != first)), confidence)
    if likely:
        return Choice(_columns(likely), "guess")
    if named is not None:
        first = (named.decision,)
        return Choice((first,), named.confidence) if is_unique else Choice(((), first), "guess")
    return Choice()


def _choose_by_name(named: Candidate, own_key: Key | None, personal: Sequence[Key]) -> Choice:
    """Weigh a column that names the person and that repeats."""
    first = (named.decision,)
    others = [key.columns for key in personal if key.columns != first]
    if own_key is not None and own_key.varying and not own_key.traits:
        # Traits that never change for a person change within its values.
        alone = len(others) == 1 and len(others[0]) == 1 and named.score == 2
        return Choice((*(others or [()]), first), "likely" if alone else "guess")
    if named.score == 2 and named.decision.column.type != "VARCHAR":
        supported = own_key is not None and (own_key.dependents or own_key.is_grouped)
        return Choice((first, *others), named.confidence if supported else "guess")
    return Choice((first,), named.confidence)


def _columns(keys: Sequence[Key]) -> tuple[tuple[Decision, ...], ...]:
    return tuple(key.columns for key in keys)


def _is_of_events(key: Key) -> bool:
    return all(decision.role == "event_key" for decision in key.columns)


def _coarsest_first(key: Key) -> tuple[float, ...]:
    """Rank the coarsest key first: a visit has the traits of its patient as well."""
    event = any(decision.role == "event_key" for decision in key.columns)
    score = max(words.user_score(name) for name in key.names)
    return (
        float(key.is_doubted),
        float(event),
        float(len(key.columns)),
        -float(score >= 2),
        float(key.values),
    )


def _can_be_persons(key: Key) -> bool:
    """Return whether a key may be a person's although no trait agrees within it."""
    if key.varying or len(key.columns) > 1:
        return False
    (name,) = key.names
    if key.columns[0].role == "event_key":
        return bool(key.dependents) or key.is_grouped
    numbered = words.is_numbering(name) or words.is_nameless(name) or words.user_score(name) > 0
    several = len(key.dependents) >= 2
    return several or key.is_grouped or bool(key.dependents) or numbered


def _contradicts_identifier(key: Key) -> bool:
    """Return whether a key contradicts an identifier that replaces the user column.

    A bare subject does not.
    """
    (name,) = key.names
    numbered = words.is_numbering(name) or words.is_nameless(name)
    return numbered or bool(key.dependents) or key.is_grouped


def _likeliest_first(key: Key) -> tuple[float, ...]:
    (name,), (decision,) = key.names, key.columns
    score = words.user_score(name) + float(words.is_account(name))
    several = len(key.dependents) >= 2
    numbered = words.is_numbering(name)
    return (
        float(key.is_doubted),
        float(decision.role == "event_key"),
        -score,
        -float(several),
        -float(numbered),
        float(key.values),
    )
