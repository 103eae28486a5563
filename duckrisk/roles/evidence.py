"""What a column is taken for, by its name and by what it holds, and how sure that is. Nothing here asks the
engine: evidence goes in, decisions come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from duckrisk.base.sentences import Sentence
from duckrisk.engine.types import is_timestamp
from duckrisk.roles import headings, word_lists, words
from duckrisk.roles.model import FEW, LONG, Confidence, Decision, Evidence
from duckrisk.roles.results import is_shared

#: Share of the cells; a column with fewer distinct values does not distinguish records.
NEAR = 0.85
#: A person's name, an address or a number that fewer values have than these leads to nobody.
_ENOUGH = 20
#: Characters of a full name on average.
_SHORTEST_NAME, _LONGEST_NAME = 3, 40
#: Share of the cells: full names under a heading that says so, and by their shape alone.
_NAMES, _NAMES_ALONE = 0.5, 0.8
#: Share of the cells that are written as amounts, measurements or the like.
_MEASURES = 0.5
#: No body weighs more, in any unit.
_HEAVIEST = 700
#: A name with this score is that of a person's number; what it numbers are people, one in each row.
_PERSON = 2
#: Of so many times the records these may be left of a table whose rows were numbered.
_ROWS_LEFT_OUT = 20
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
    names = [cells.column.name for cells in evidence]
    return [_judged(cells, names) for cells in evidence]


def looked_at(cells: Evidence) -> bool:
    """Return whether the cells of a column have to be looked at: its name and its counts say too little."""
    if not cells.text or cells.constant or cells.mean_length >= LONG:
        return False
    if cells.differs(NEAR) or words.classify_identifier(cells.column.name) is not None:
        return True
    return headings.classify_names(cells.column.name) in ("person", "name")


def can_hold_names(cells: Evidence) -> bool:
    """Return whether texts are as many and as short as names of people that no heading announces."""
    if not cells.text or cells.distinct < _ENOUGH or headings.classify_names(cells.column.name) == "thing":
        return False
    return _SHORTEST_NAME <= cells.mean_length <= _LONGEST_NAME


def _judged(cells: Evidence, names: Sequence[str]) -> Decision:
    decision = Decision(
        cells.column,
        "attribute",
        present=cells.present,
        distinct=cells.distinct,
        long=cells.long,
    )
    if cells.present == 0:
        decision.decide("constant", Sentence("roles.empty"), "sure")
    elif cells.constant and cells.records == cells.present > 1:  # a mark that some have tells of these
        decision.decide("constant", Sentence("roles.constant"), "sure")
    elif is_timestamp(cells.column.type):
        decision.decide("date_time", Sentence("roles.moment"), "sure")
    elif cells.text and cells.moments == cells.present:
        decision.decide("date_time", Sentence("roles.moment_text"), "sure")
    elif not (
        _by_content(decision, cells)
        or _by_key(decision, cells, names)
        or _by_full_names(decision, cells, names)
        or _by_name(decision, cells, names)
    ):
        _others(decision, cells)
    return decision


def _by_content(decision: Decision, cells: Evidence) -> bool:
    """Content decides: most cells are valid e-mail addresses, telephone numbers, cards …"""
    kinds = dict(cells.kinds)
    if cells.text and cells.with_at >= 0.9 * cells.present:
        kinds["e-mail address"] = 1.0
    for kind, share in kinds.items():
        if share >= 0.5 and kind in BY_CONTENT:
            reason = Sentence("roles.holds", kind=Sentence(f"disclosure.kind.{kind}"))
            if kind == "e-mail address":
                reason = Sentence("roles.holds_email")
            if is_shared(cells.distinct, cells.present):
                decision.reason, decision.kind = Sentence("roles.few_values", reason=reason), BY_CONTENT[kind]
                return False
            decision.decide("direct_identifier", reason, "sure", kind=BY_CONTENT[kind])
            return True
    return False


def _by_key(decision: Decision, cells: Evidence, names: Sequence[str]) -> bool:
    """Numbers that belong to an event, a household or a survey, which nobody knows of others."""
    kind = words.classify_key(cells.column.name)
    if kind is None and words.is_bare_weight(cells.column.name) and _weighs_records(cells, names):
        kind = "weight"
    if kind == "weight":
        if cells.highest is not None and cells.distinct > 2 and not words.has_body_measures(names):
            decision.decide("event_key", Sentence("roles.weight"), kind=kind)
            return True
        return False
    numbers_things = kind is not None or words.user_score(cells.column.name) < _PERSON
    if numbers_things and is_row_number(cells):
        decision.decide("event_key", Sentence("roles.key_of_row"), kind="row")
        return True
    if kind is None or not cells.countable or cells.fractions:
        return False
    if kind == "household" and cells.distinct < min(_ENOUGH, 0.1 * cells.present):
        return False
    if kind == "event" and cells.distinct < max(min(_ENOUGH, 0.2 * cells.present), 0.01 * cells.present):
        return False
    if cells.wordy or cells.mean_length >= LONG:
        return False
    sure: Confidence = "sure" if cells.present >= FEW and cells.differs(0.05) else "likely"
    decision.decide("event_key", Sentence(f"roles.key_of_{kind}"), sure, kind=kind)
    return True


def _weighs_records(cells: Evidence, names: Sequence[str]) -> bool:
    """Whether a bare "weight" is a survey's: others say a household or a stratum, and no body weighs so."""
    if cells.lowest is None or cells.highest is None:
        return False
    return words.has_survey_design(names) and (cells.lowest < 1 or cells.highest > _HEAVIEST)


def is_row_number(cells: Evidence) -> bool:
    """Return whether a column numbers the rows of its file, whatever it is called: 1 to n, or 0 to n - 1.

    What programs call such a column may have gaps, where rows were left out. A rank is no such number.
    """
    name = cells.column.name
    if cells.lowest is None or cells.highest is None or cells.present < cells.records:
        return False
    if not cells.countable or cells.fractions or cells.lowest < 0 or not cells.differs(NEAR):
        return False
    if words.is_row_number(name):
        return cells.highest <= _ROWS_LEFT_OUT * cells.records
    named = words.is_numbering(name) or words.user_score(name) > 0
    if not named and (words.is_measure(name) or cells.present < FEW):
        return False
    if words.classify_identifier(name) is not None:
        return False
    runs = cells.highest - cells.lowest + 1 == cells.present == cells.distinct
    return runs and cells.lowest in (0, 1) and cells.present > 1


def _by_full_names(decision: Decision, cells: Evidence, names: Sequence[str]) -> bool:
    """Take full names for an identifier under a heading that says names or people, however few they are."""
    named = headings.classify_names(cells.column.name)
    if not cells.looked or named not in ("person", "name"):
        return False
    if named == "name" and not (words.has_person_traits(names) or any(map(words.user_score, names))):
        return False
    share = cells.full_names + (cells.unparted_names if named == "person" else 0.0)
    if share < _NAMES or cells.distinct < 2:
        return False
    sure = cells.present >= FEW and share >= _NAMES_ALONE
    decision.decide(
        "direct_identifier", Sentence("roles.holds_names"), "sure" if sure else "likely", kind="person"
    )
    return True


def _by_name(decision: Decision, cells: Evidence, names: Sequence[str]) -> bool:
    """A name that says an identifier, where the cells can be ones."""
    kind = words.classify_identifier(cells.column.name)
    if kind is None and cells.column.name.casefold() in ("first", "last"):
        kind = "person" if {"first", "last"} <= {name.casefold() for name in names} else None
    if kind == "name":
        kind = "person" if _names_persons(cells, names) else None
    if kind is None or not cells.countable or cells.mean_length >= LONG:
        return False
    said = Sentence(f"roles.name_says_{kind}")
    if not _can_be(cells, kind):
        return False
    if cells.distinct < enough(cells, kind, cells.present):
        decision.reason, decision.kind = Sentence("roles.few_values", reason=said), kind
        return False
    checked = cells.present >= FEW and cells.differs(0.3)
    decision.decide("direct_identifier", said, "sure" if checked else "likely", kind=kind)
    return True


def enough(cells: Evidence, kind: str, persons: int) -> float:
    """How many values an identifier of a kind has at least among so many persons: few names of many are those
    of staff."""
    least = min(_ENOUGH, 0.5 * persons)
    if kind not in ("person", "address"):
        return least
    return max(least, (0.2 if words.is_name_of_staff(cells.column.name) else 0.02) * persons)


def settle_by_users(decision: Decision, cells: Evidence, users: int) -> None:
    """Judge an identifier by the people behind the records: few values among many people lead to nobody."""
    if decision.kind is None or decision.given or decision.reason is None:
        return
    people = min(users, cells.present)
    if decision.role == "direct_identifier" and decision.kind in word_lists.LEADING - {"person", "address"}:
        if is_shared(cells.distinct, people, counted=True):
            decision.decide("attribute", Sentence("roles.few_values", reason=decision.reason))
    elif decision.role == "attribute" and decision.reason.key == "roles.few_values":
        spelled = any(BY_CONTENT.get(kind) == decision.kind for kind, _ in cells.kinds)
        few = is_shared(cells.distinct, people, counted=True) if spelled else cells.distinct > users
        if not few and (spelled or enough(cells, decision.kind, users) <= cells.distinct):
            decision.decide("direct_identifier", cast(Sentence, decision.reason.values["reason"]))


def _can_be(cells: Evidence, kind: str) -> bool:
    """Whether what the cells look like fits a kind of identifier."""
    if kind in ("person", "address"):
        return cells.text and cells.numbers < 0.5
    if kind in ("telephone", "official", "account", "medical"):
        if cells.text:
            return not cells.looked or cells.digits >= 0.5
        return cells.highest is not None and cells.highest >= 10_000
    return cells.text or kind == "network"


def _names_persons(cells: Evidence, names: Sequence[str]) -> bool:
    """Whether a bare "name" is a person's: other columns describe persons, and the cells are short texts
    without numbers."""
    others = [name for name in names if name != cells.column.name]
    persons = words.has_person_traits(others) or any(
        words.user_score(name) == 3 or words.classify_identifier(name) in ("email", "telephone")
        for name in others
    )
    short = cells.text and 2 <= cells.mean_length <= 40 and cells.digits < 0.2
    return persons and short and (not cells.wordy or cells.mean_length < 30) and cells.differs(0.1)


def _others(decision: Decision, cells: Evidence) -> None:
    """Free text and attributes."""
    if is_free_text(cells):
        sure = cells.mean_length >= LONG or words.is_prose(cells.column.name)
        decision.decide("free_text", Sentence("roles.free_text"), "sure" if sure else "likely")
        return
    few = cells.present >= FEW and cells.distinct <= 10
    measure = cells.fractions > 0 or cells.column.type in ("DATE", "BOOLEAN")
    if few or measure:
        decision.confidence = "sure"
    if any(share >= 0.05 for kind, share in cells.kinds if kind in BY_CONTENT) and decision.kind is None:
        decision.confidence = "guess"
    named = headings.classify_names(cells.column.name)
    unparted = cells.unparted_names if named == "name" else 0.0
    shaped = (cells.full_names >= _NAMES_ALONE and can_hold_names(cells)) or unparted >= _NAMES_ALONE
    if shaped and named != "thing":
        decision.reason, decision.confidence = Sentence("roles.looks_like_names"), "guess"


def is_free_text(cells: Evidence) -> bool:
    """Texts of words: long ones, whatever their number of values, and shorter ones that mostly differ."""
    if not cells.wordy or cells.numbers >= 0.5:
        return False
    few = min(_ENOUGH, 0.2 * cells.present)
    if cells.mean_length >= LONG:
        return cells.distinct >= few
    if cells.mean_length < 30 or cells.distinct < few:
        return False
    return cells.differs(0.2) or (words.is_prose(cells.column.name) and cells.differs(0.02))


# --- all different -------------------------------------------------------------------------------


def identifies_alone(cells: Evidence) -> Confidence | None:
    """How sure a column whose cells all differ is an identifier, and None where it is an attribute: an age, a
    date, an amount, a measurement or a word of many is none for being all different."""
    name = cells.column.name
    if cells.fractions or cells.days >= 0.5 or not cells.countable or cells.mean_length >= LONG:
        return None
    if headings.is_area_or_code(name):
        return None
    if words.is_nameless(name):
        return "guess" if cells.present >= FEW and (not cells.text or cells.digits >= 0.5) else None
    numbering = words.is_numbering(name)
    if words.is_measure(name) and not numbering:
        return None
    if not cells.text:
        if numbering or words.user_score(name):
            return "sure" if cells.present >= FEW else "likely"
        named = words.classify_identifier(name) is not None
        return "likely" if named or cells.column.type in ("UUID", "BLOB") else None
    if numbering:
        return "sure" if cells.digits >= 0.5 else "likely"
    if words.user_score(name):
        return "likely"
    postal = dict(cells.kinds).get("postal code", 0.0)
    if max(cells.numbers, cells.measures, postal) >= _MEASURES or cells.wordy:
        return None
    return "likely" if cells.digits >= 0.5 and cells.blanks < 0.1 and cells.present >= FEW else None
