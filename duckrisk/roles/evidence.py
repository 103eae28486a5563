"""What a column is taken for, by its name and by what it holds, and how sure that is. Nothing here asks the
engine: evidence goes in, decisions come out."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.engine_types import is_small, is_timestamp, is_whole
from duckrisk.roles import words
from duckrisk.roles.model import FEW, LONG, Confidence, Decision, Evidence
from duckrisk.sentences import say

#: An estimated number of distinct values this near the records is counted exactly.
NEAR = 0.85
#: A person's name, an address or a number that fewer values have than these leads to nobody.
_ENOUGH = 20
#: What the scan of cells finds, by the kind that a name says as well.
BY_CONTENT = {
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


def judge(evidence: Sequence[Evidence]) -> list[Decision]:
    """What each column of a table is taken for before its person is known."""
    names = [one.column.name for one in evidence]
    return [_judged(one, names) for one in evidence]


def looked_at(one: Evidence) -> bool:
    """Whether the cells of a column have to be looked at: names and all different cells alone say little."""
    if not one.text or one.constant or one.mean_length >= LONG:
        return False
    return one.differs(NEAR) or words.identifier_by_name(one.column.name) is not None


def _judged(one: Evidence, names: Sequence[str]) -> Decision:
    made = Decision(
        one.column,
        "attribute",
        present=one.present,
        distinct=one.distinct,
        long=one.long,
    )
    if one.present == 0:
        made.decide("constant", say("roles.empty"), "sure")
    elif one.constant and one.records > 1:
        missing = one.records - one.present
        reason = say("roles.constant_missing", count=f"{missing:,}") if missing else say("roles.constant")
        made.decide("constant", reason, "sure")
    elif is_timestamp(one.column.type):
        made.decide("date_time", say("roles.moment"), "sure")
    elif one.text and one.moments == one.present:
        made.decide("date_time", say("roles.moment_text"), "sure")
    elif not (_by_content(made, one) or _by_key(made, one, names) or _by_name(made, one, names)):
        _others(made, one)
    return made


def _by_content(made: Decision, one: Evidence) -> bool:
    """Content decides: most cells are valid e-mail addresses, telephone numbers, cards …"""
    kinds = dict(one.kinds)
    if one.text and one.with_at >= 0.9 * one.present:
        kinds["e-mail address"] = 1.0
    for kind, share in kinds.items():
        if share >= 0.5 and kind in BY_CONTENT:
            reason = say("roles.holds", kind=say(f"disclosure.kind.{kind}"))
            if kind == "e-mail address":
                reason = say("roles.holds_email")
            made.decide("direct_identifier", reason, "sure", kind=BY_CONTENT[kind])
            return True
    return False


def _by_key(made: Decision, one: Evidence, names: Sequence[str]) -> bool:
    """Numbers that belong to an event, a household or a survey, which nobody knows of others."""
    kind = words.key_by_name(one.column.name)
    if kind == "weight":
        fits = one.highest is not None and one.distinct > 2 and not words.is_body(names)
        spread = words.name_tokens(one.column.name) != ["weight"] or (one.highest or 0) > 700
        if fits and spread:
            made.decide("event_key", say("roles.weight"), kind=kind)
            return True
        return False
    if kind is None or not one.countable or one.fractions:
        return False
    if kind == "household" and one.distinct < min(_ENOUGH, 0.1 * one.present):
        return False
    if kind == "event" and one.distinct < max(min(_ENOUGH, 0.2 * one.present), 0.01 * one.present):
        return False
    if one.wordy or one.mean_length >= LONG:
        return False
    sure: Confidence = "sure" if one.present >= FEW and one.differs(0.05) else "likely"
    made.decide("event_key", say(f"roles.key_of_{kind}"), sure, kind=kind)
    return True


def _by_name(made: Decision, one: Evidence, names: Sequence[str]) -> bool:
    """A name that says an identifier, where the cells can be ones."""
    kind = words.identifier_by_name(one.column.name)
    if kind is None and one.column.name.casefold() in ("first", "last"):
        kind = "person" if {"first", "last"} <= {name.casefold() for name in names} else None
    if kind == "name":
        kind = "person" if _names_persons(one, names) else None
    if kind is None or not one.countable or one.mean_length >= LONG:
        return False
    said = say(f"roles.name_says_{kind}")
    if not _can_be(one, kind):
        return False
    if one.distinct < enough(one, kind, one.present):
        made.reason, made.kind = say("roles.few_values", reason=said), kind
        return False
    checked = one.present >= FEW and one.differs(0.3)
    made.decide("direct_identifier", said, "sure" if checked else "likely", kind=kind)
    return True


def enough(one: Evidence, kind: str, persons: int) -> float:
    """How many values an identifier of a kind has at least among so many persons: few names of many are those
    of staff."""
    least = min(_ENOUGH, 0.5 * persons)
    if kind not in ("person", "address"):
        return least
    return max(least, (0.2 if words.is_of_staff(one.column.name) else 0.02) * persons)


def named_by_users(made: Decision, one: Evidence, users: int) -> None:
    """A name with few values for the records may have enough of them for the persons behind these."""
    if made.role != "attribute" or made.kind is None or made.given:
        return
    if enough(one, made.kind, users) <= one.distinct <= users:
        made.decide("direct_identifier", say(f"roles.name_says_{made.kind}"))


def _can_be(one: Evidence, kind: str) -> bool:
    """Whether what the cells look like fits a kind of identifier."""
    if kind in ("person", "address"):
        return one.text and one.numbers < 0.5
    if kind in ("telephone", "official", "account", "medical"):
        if one.text:
            return not one.looked or one.digits >= 0.5
        return one.highest is not None and one.highest >= 10_000
    return one.text or kind == "network"


def _names_persons(one: Evidence, names: Sequence[str]) -> bool:
    """Whether a bare "name" is a person's: other columns describe persons, and the cells are short texts
    without numbers."""
    others = [name for name in names if name != one.column.name]
    persons = words.tells_persons(others) or any(
        words.user_score(name) == 3 or words.identifier_by_name(name) in ("email", "telephone")
        for name in others
    )
    short = one.text and 2 <= one.mean_length <= 40 and one.digits < 0.2
    return persons and short and (not one.wordy or one.mean_length < 30) and one.differs(0.1)


def _others(made: Decision, one: Evidence) -> None:
    """Free text and attributes."""
    if is_free_text(one):
        sure = one.mean_length >= LONG or words.is_prose(one.column.name)
        made.decide("free_text", say("roles.free_text"), "sure" if sure else "likely")
        return
    few = one.present >= FEW and one.distinct <= 10
    measure = one.fractions > 0 or one.column.type in ("DATE", "BOOLEAN")
    if few or measure:
        made.confidence = "sure"
    if any(share >= 0.05 for kind, share in one.kinds if kind in BY_CONTENT):
        made.confidence = "guess"


def is_free_text(one: Evidence) -> bool:
    """Texts of words: long ones, whatever their number of values, and shorter ones that mostly differ."""
    if not one.wordy or one.numbers >= 0.5:
        return False
    few = min(_ENOUGH, 0.2 * one.present)
    if one.mean_length >= LONG:
        return one.distinct >= few
    if one.mean_length < 30 or one.distinct < few:
        return False
    return one.differs(0.2) or (words.is_prose(one.column.name) and one.differs(0.02))


# --- all different -------------------------------------------------------------------------------


def identifies_alone(one: Evidence) -> Confidence | None:
    """How sure a column whose cells all differ is an identifier, and None where it is an attribute: an age, a
    date, an amount, a measurement or a word of many is none for being all different."""
    name = one.column.name
    if one.fractions or one.days >= 0.5 or not one.countable or one.mean_length >= LONG:
        return None
    if words.is_nameless(name):
        return "guess" if one.present >= FEW and (not one.text or one.digits >= 0.5) else None
    numbering = words.is_numbering(name)
    if words.is_measure(name) and not numbering:
        return None
    if not one.text:
        if numbering or words.user_score(name):
            return "sure" if one.present >= FEW else "likely"
        if one.column.type in ("UUID", "BLOB"):
            return "likely"
        return "likely" if one.present >= FEW and _runs(one) else None
    if numbering:
        return "sure" if one.digits >= 0.5 else "likely"
    if words.user_score(name):
        return "likely"
    if one.numbers >= 0.5 or one.wordy:
        return None
    return "likely" if one.digits >= 0.5 and one.blanks < 0.1 and one.present >= FEW else None


def _runs(one: Evidence) -> bool:
    """Whether whole numbers run through the records without a gap, as the number of a row does."""
    whole = is_small(one.column.type) or is_whole(one.column.type)
    if not whole or one.lowest is None or one.highest is None:
        return False
    return one.highest - one.lowest + 1 == one.present and one.lowest in (0, 1)
