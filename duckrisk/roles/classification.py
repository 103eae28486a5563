"""Rules that classify a column by its name and its values, before the person is known.

Nothing here queries the engine: profiles come in, decisions go out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from duckrisk.base.sentences import Sentence
from duckrisk.engine.types import is_timestamp
from duckrisk.roles import headings, word_lists, words
from duckrisk.roles.model import FEW, LONG, ColumnProfile, Confidence, Decision
from duckrisk.roles.results import is_shared

#: Share of the records with a value; a column with fewer distinct values does not distinguish records
#: (a choice: 1 less the standard error of 13 % of the estimate).
NEARLY_UNIQUE = 0.85
#: Distinct values; a person's name, an address or a number with fewer leads to nobody (a choice: half and
#: twice of it read all 113 tables of tests/labelled.py alike).
_MIN_VALUES = 20
#: Characters of a full name on average (a choice: from short Chinese names to two long names with a title).
_SHORTEST_NAME, _LONGEST_NAME = 3, 40
#: Share of the first values that are full names, under a heading for names and without one (a choice: places
#: and products can have the shape too, so more of the values must).
_NAMES, _NAMES_ALONE = 0.5, 0.8
#: Share of the first values that are written as amounts, measurements or the like (a choice: most of them).
_MEASURES = 0.5
#: Weight of a body in kilograms or pounds, at most (a choice: no body weighs 700 kg, and few weigh 700 lb).
_HEAVIEST = 700
#: Score of a name that numbers people, not rows (derived from words.user_score: a word for a person).
_PERSON = 2
#: Ratio of the last row number to the records: rows may be left out (a choice: half of it reads 1 of the 113
#: tables of tests/labelled.py otherwise, twice of it none).
_MAX_ROW_RATIO = 20
#: The kind of a column for each kind of identifier that its values can be.
KIND_OF_CONTENT = {
    "e-mail address": "email",
    "telephone number": "telephone",
    "payment card number": "account",
    "My Number": "official",
    "bank account (IBAN)": "account",
    "vehicle identification number": "vehicle",
    "US social security number": "official",
    "network address": "network",
    "device address (MAC)": "network",
    "device number (IMEI)": "network",
}


def classify_columns(profiles: Sequence[ColumnProfile]) -> list[Decision]:
    """Decide the role of each column of a table before its person is known."""
    names = [profile.column.name for profile in profiles]
    return [_classify(profile, names) for profile in profiles]


def must_sample(profile: ColumnProfile) -> bool:
    """Return whether the role of a column depends on the shapes of its first values."""
    if profile.has_length_of_codes:
        return not profile.is_constant
    if not (profile.is_text or profile.is_list) or profile.is_constant or profile.mean_length >= LONG:
        return False
    if profile.is_distinct(NEARLY_UNIQUE) or words.classify_identifier(profile.column.name) is not None:
        return True
    return headings.classify_names(profile.column.name) in ("person", "name")


def can_hold_names(profile: ColumnProfile) -> bool:
    """Return whether texts or lists can hold names by their number and length.

    A column whose heading names a thing holds none.
    """
    if not (profile.is_text or profile.is_list) or profile.distinct < _MIN_VALUES:
        return False
    if headings.classify_names(profile.column.name) == "thing":
        return False
    return profile.is_list or _SHORTEST_NAME <= profile.mean_length <= _LONGEST_NAME


def _classify(profile: ColumnProfile, names: Sequence[str]) -> Decision:
    decision = Decision(
        profile.column,
        "attribute",
        present=profile.present,
        distinct=profile.distinct,
        is_long=profile.is_long,
    )
    if profile.present == 0:
        decision.decide("constant", Sentence("roles.empty"), "sure")
    elif profile.is_constant and profile.records == profile.present > 1:  # a mark of some records is a value
        decision.decide("constant", Sentence("roles.constant"), "sure")
    elif is_timestamp(profile.column.type):
        decision.decide("date_time", Sentence("roles.moment"), "sure")
    elif profile.is_text and profile.moments == profile.present:
        decision.decide("date_time", Sentence("roles.moment_text"), "sure")
    elif not (
        _decide_by_content(decision, profile)
        or _decide_by_key(decision, profile, names)
        or _decide_by_full_names(decision, profile, names)
        or _decide_by_name(decision, profile, names)
    ):
        _decide_remaining(decision, profile)
    return decision


def _decide_by_content(decision: Decision, profile: ColumnProfile) -> bool:
    """Decide for an identifier if half of the values are valid ones of a kind."""
    kinds = dict(profile.kinds)
    if (profile.is_text or profile.is_list) and profile.with_at >= 0.9 * profile.present:
        kinds["e-mail address"] = 1.0
    for kind, share in kinds.items():
        if share >= 0.5 and kind in KIND_OF_CONTENT:
            reason = Sentence("roles.holds", kind=Sentence(f"disclosure.kind.{kind}"))
            if kind == "e-mail address":
                reason = Sentence("roles.holds_email")
            if is_shared(profile.distinct, profile.present):
                decision.reason = Sentence("roles.few_values", reason=reason)
                decision.kind = KIND_OF_CONTENT[kind]
                return False
            decision.decide("direct_identifier", reason, "sure", kind=KIND_OF_CONTENT[kind])
            return True
    return False


def _decide_by_key(decision: Decision, profile: ColumnProfile, names: Sequence[str]) -> bool:
    """Decide for a key of an event, household, row or survey, unknown to outsiders."""
    kind = words.classify_key(profile.column.name)
    if kind is None and words.is_bare_weight(profile.column.name) and _is_survey_weight(profile, names):
        kind = "weight"
    if kind == "weight":
        if profile.highest is not None and profile.distinct > 2 and not words.has_body_measures(names):
            decision.decide("event_key", Sentence("roles.weight"), kind=kind)
            return True
        return False
    numbers_things = kind is not None or words.user_score(profile.column.name) < _PERSON
    if numbers_things and is_row_number(profile):
        decision.decide("event_key", Sentence("roles.key_of_row"), kind="row")
        return True
    if kind is None or not profile.can_hold_codes or profile.fractions:
        return False
    if kind == "household" and profile.distinct < min(_MIN_VALUES, 0.1 * profile.present):
        return False
    least_events = max(min(_MIN_VALUES, 0.2 * profile.present), 0.01 * profile.present)
    if kind == "event" and profile.distinct < least_events:
        return False
    if profile.is_wordy or profile.mean_length >= LONG:
        return False
    sure: Confidence = "sure" if profile.present >= FEW and profile.is_distinct(0.05) else "likely"
    decision.decide("event_key", Sentence(f"roles.key_of_{kind}"), sure, kind=kind)
    return True


def _is_survey_weight(profile: ColumnProfile, names: Sequence[str]) -> bool:
    """Return whether a bare "weight" is a survey's: no body weighs so little or much."""
    if profile.lowest is None or profile.highest is None:
        return False
    return words.has_survey_design(names) and (profile.lowest < 1 or profile.highest > _HEAVIEST)


def is_row_number(profile: ColumnProfile) -> bool:
    """Return whether a column of any name numbers the rows from 0 or 1 without a gap.

    If its name is one that programs give to row numbers, gaps of rows left out are allowed. A measure, such
    as a rank, and a name of an identifier are no row numbers.
    """
    name = profile.column.name
    if profile.lowest is None or profile.highest is None or profile.present < profile.records:
        return False
    if (
        not profile.can_hold_codes
        or profile.fractions
        or profile.lowest < 0
        or not profile.is_distinct(NEARLY_UNIQUE)
    ):
        return False
    if words.is_row_number(name):
        return profile.highest <= _MAX_ROW_RATIO * profile.records
    named = words.is_numbering(name) or words.user_score(name) > 0
    if not named and (words.is_measure(name) or profile.present < FEW):
        return False
    if words.classify_identifier(name) is not None:
        return False
    runs = profile.highest - profile.lowest + 1 == profile.present == profile.distinct
    return runs and profile.lowest in (0, 1) and profile.present > 1


def _decide_by_full_names(decision: Decision, profile: ColumnProfile, names: Sequence[str]) -> bool:
    """Decide for full names under a heading for names or people, however few they are."""
    named = headings.classify_names(profile.column.name)
    if not profile.is_sampled or named not in ("person", "name"):
        return False
    if named == "name" and not (words.has_person_traits(names) or any(map(words.user_score, names))):
        return False
    share = profile.full_names + (profile.unparted_names if named == "person" else 0.0)
    if share < _NAMES or profile.distinct < 2:
        return False
    sure = profile.present >= FEW and share >= _NAMES_ALONE
    decision.decide(
        "direct_identifier", Sentence("roles.holds_names"), "sure" if sure else "likely", kind="person"
    )
    return True


def _decide_by_name(decision: Decision, profile: ColumnProfile, names: Sequence[str]) -> bool:
    """Decide for the identifier that the name means, if the values can be ones."""
    kind = words.classify_identifier(profile.column.name)
    if kind is None and profile.column.name.casefold() in ("first", "last"):
        kind = "person" if {"first", "last"} <= {name.casefold() for name in names} else None
    if kind == "name":
        kind = "person" if _names_persons(profile, names) else None
    if kind is None or profile.mean_length >= LONG or not (profile.can_hold_codes or profile.is_list):
        return False
    reason = Sentence(f"roles.name_says_{kind}")
    if not _can_be_kind(profile, kind):
        return False
    if profile.distinct < min_distinct_values(profile, kind, profile.present):
        decision.reason, decision.kind = Sentence("roles.few_values", reason=reason), kind
        return False
    checked = profile.present >= FEW and profile.is_distinct(0.3)
    decision.decide("direct_identifier", reason, "sure" if checked else "likely", kind=kind)
    return True


def min_distinct_values(profile: ColumnProfile, kind: str, persons: int) -> float:
    """Return how many distinct values a column of identifiers has at least.

    Args:
        profile: The column.
        kind: The kind of identifier.
        persons: The persons who have one. Few names among many persons are those of staff.

    Returns:
        20 values or half of the persons; of names and addresses at least 2 % of the persons, of staff 20 %.
    """
    least = min(_MIN_VALUES, 0.5 * persons)
    if kind not in ("person", "address"):
        return least
    return max(least, (0.2 if words.is_name_of_staff(profile.column.name) else 0.02) * persons)


def revise_by_users(decision: Decision, profile: ColumnProfile, users: int) -> None:
    """Revise an identifier by the number of persons: few values lead to nobody."""
    if decision.kind is None or decision.given or decision.reason is None:
        return
    people = min(users, profile.present)
    if decision.role == "direct_identifier" and decision.kind in word_lists.LEADING - {"person", "address"}:
        if is_shared(profile.distinct, people, counted=True):
            decision.decide("attribute", Sentence("roles.few_values", reason=decision.reason))
    elif decision.role == "attribute" and decision.reason.key == "roles.few_values":
        by_content = any(KIND_OF_CONTENT.get(kind) == decision.kind for kind, _ in profile.kinds)
        few = is_shared(profile.distinct, people, counted=True) if by_content else profile.distinct > users
        if not few and (by_content or min_distinct_values(profile, decision.kind, users) <= profile.distinct):
            decision.decide("direct_identifier", cast(Sentence, decision.reason.values["reason"]))


def _can_be_kind(profile: ColumnProfile, kind: str) -> bool:
    """Return whether the shapes of the values fit a kind of identifier."""
    holds_texts = profile.is_text or profile.is_list or profile.column.type == "UUID"
    if kind in ("person", "address"):
        return holds_texts and profile.numbers < 0.5
    if kind in ("telephone", "official", "account", "medical"):
        if holds_texts:
            return not profile.is_sampled or profile.digits >= 0.5
        return profile.highest is not None and profile.highest >= 10_000
    return holds_texts or kind == "network"


def _names_persons(profile: ColumnProfile, names: Sequence[str]) -> bool:
    """Return whether a bare "name" holds short texts in a table about persons."""
    others = [name for name in names if name != profile.column.name]
    persons = words.has_person_traits(others) or any(
        words.user_score(name) == 3 or words.classify_identifier(name) in ("email", "telephone")
        for name in others
    )
    short = profile.is_list or (profile.is_text and 2 <= profile.mean_length <= 40)
    short = short and profile.digits < 0.2
    return (
        persons and short and (not profile.is_wordy or profile.mean_length < 30) and profile.is_distinct(0.1)
    )


def _decide_remaining(decision: Decision, profile: ColumnProfile) -> None:
    """Decide for free text or an attribute, with the confidence in it."""
    if is_free_text(profile):
        sure = profile.mean_length >= LONG or words.is_prose(profile.column.name)
        decision.decide("free_text", Sentence("roles.free_text"), "sure" if sure else "likely")
        return
    few = profile.present >= FEW and profile.distinct <= 10
    measure = profile.fractions > 0 or profile.column.type in ("DATE", "BOOLEAN")
    if few or measure:
        decision.confidence = "sure"
    if (
        any(share >= 0.05 for kind, share in profile.kinds if kind in KIND_OF_CONTENT)
        and decision.kind is None
    ):
        decision.confidence = "guess"
    named = headings.classify_names(profile.column.name)
    unparted = profile.unparted_names if named == "name" else 0.0
    shaped = (profile.full_names >= _NAMES_ALONE and can_hold_names(profile)) or unparted >= _NAMES_ALONE
    if shaped and named != "thing":
        decision.reason, decision.confidence = Sentence("roles.looks_like_names"), "guess"
    if profile.is_opaque:
        decision.reason, decision.confidence = Sentence("roles.opaque"), "guess"


def is_free_text(profile: ColumnProfile) -> bool:
    """Return whether texts are prose: long ones, or shorter ones that mostly differ."""
    if not profile.is_wordy or profile.numbers >= 0.5:
        return False
    few = min(_MIN_VALUES, 0.2 * profile.present)
    if profile.mean_length >= LONG:
        return profile.distinct >= few
    if profile.mean_length < 30 or profile.distinct < few:
        return False
    return profile.is_distinct(0.2) or (words.is_prose(profile.column.name) and profile.is_distinct(0.02))


# --- all different -------------------------------------------------------------------------------


def rate_unique_column(profile: ColumnProfile) -> Confidence | None:
    """Rate that a column whose values all differ is an identifier.

    Returns:
        None for an attribute: an age, a date, an amount, a measurement, a code of an area and a common word
        are no identifiers although all their values differ.
    """
    name = profile.column.name
    if profile.fractions or profile.days >= 0.5 or not profile.can_hold_codes or profile.mean_length >= LONG:
        return None
    if headings.is_area_or_code(name):
        return None
    if words.is_nameless(name):
        has_digits = not profile.is_text or profile.digits >= 0.5
        return "guess" if profile.present >= FEW and has_digits else None
    numbering = words.is_numbering(name)
    if words.is_measure(name) and not numbering:
        return None
    if not profile.is_text:
        if numbering or words.user_score(name):
            return "sure" if profile.present >= FEW else "likely"
        named = words.classify_identifier(name) is not None
        return "likely" if named or profile.column.type in ("UUID", "BLOB") else None
    if numbering:
        return "sure" if profile.digits >= 0.5 else "likely"
    if words.user_score(name):
        return "likely"
    postal = dict(profile.kinds).get("postal code", 0.0)
    if max(profile.numbers, profile.measures, postal) >= _MEASURES or profile.is_wordy:
        return None
    return "likely" if profile.digits >= 0.5 and profile.blanks < 0.1 and profile.present >= FEW else None
