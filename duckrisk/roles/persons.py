"""Which column names the person behind a record: by what the columns are called, and by their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from duckrisk.engine.types import is_float
from duckrisk.roles import table_words, word_lists, words
from duckrisk.roles.keys import MOST, Key
from duckrisk.roles.model import FEW, Confidence, Decision, Evidence

#: Persons of a table of many records are more than these; with fewer a person has to look.
_MANY, _SOME, _LEAST = 20, 10, 3
#: Each household has a person of its own: a number with fewer values than this share counts those of one.
_OF_HOUSEHOLDS = 0.1
#: No name or number of a person is longer.
_LONGEST = 130
_NEVER = ("constant", "ignored", "free_text", "date_time")


class Candidate(NamedTuple):
    """A column that may name the person. ``score`` is what its name says, 0 for an identifier that stands for
    the person where nothing else does."""

    decision: Decision
    score: int
    confidence: Confidence


def candidates(decisions: Sequence[Decision], evidence: Sequence[Evidence]) -> list[Candidate]:
    """The columns that may name the person, the likeliest first."""
    ranked: list[tuple[tuple[float, ...], Candidate]] = []
    names = [cells.column.name for cells in evidence]
    several = any(  # records of one name
        decision.kind == "person" and decision.role == "direct_identifier" and not cells.differs(0.9)
        for decision, cells in zip(decisions, evidence, strict=True)
    )
    # Who has an identifier in each record stands in one record; in some, it is that of others.
    own = any(
        decision.role == "direct_identifier"
        and decision.kind in word_lists.STANDS_FOR
        and cells.differs(0.9, cells.records)
        for decision, cells in zip(decisions, evidence, strict=True)
    )
    households = max((decision.distinct for decision in decisions if decision.kind == "household"), default=0)
    for decision, cells in zip(decisions, evidence, strict=True):
        declared = decision.given and decision.role != "direct_identifier"
        if decision.role in _NEVER or declared or cells.distinct < _OF_HOUSEHOLDS * households:
            continue
        name = decision.column.name
        stands = decision.role == "direct_identifier" and decision.kind in word_lists.STANDS_FOR
        score = 0 if stands else words.user_score(name)  # "個人番号" is the number of the state
        account = score == 0 and decision.role != "event_key" and words.is_account(name)
        if score == 0 and (account or stands) and not own:
            confidence = _stands_for(decision, cells)
            position = word_lists.STANDS_FOR.index(decision.kind) if stands and decision.kind else 2
            rank: tuple[float, ...] = (-1.5, float(position), decision.column.position)
        elif score and decision.role != "event_key":
            confidence = _named(cells, score)
            repeated = not cells.differs(0.9)
            staff = words.is_staff(name)
            rank = (-float(score) + (0.5 if staff else 0.0), float(not repeated), decision.column.position)
        elif score == 0 and decision.role == "attribute" and not several and _one_each(cells, names):
            confidence, rank = "likely", (3.0, 0.0, decision.column.position)
        else:
            continue
        if confidence is not None:
            ranked.append((rank, Candidate(decision, score, confidence)))
    return [candidate for _, candidate in sorted(ranked, key=lambda pair: pair[0])]


def _named(cells: Evidence, score: int) -> Confidence | None:
    """How sure a name that says a person is right by what the column holds; None where it cannot be."""
    name = cells.column.name
    few = cells.present < FEW
    repeated = not cells.differs(0.9)
    if not cells.countable or cells.wordy or cells.longest > _LONGEST:
        return None
    if score < 3 and is_float(cells.column.type):
        return None
    if score < 3 and words.is_plural(name) and not (cells.text and repeated and cells.distinct >= FEW):
        return None
    if cells.distinct < 2 or (not few and cells.distinct < (_LEAST if score == 3 else _SOME)):
        return None
    if score == 1:
        return "guess" if repeated else None
    if score == 2 and not repeated and not cells.text:
        return None
    if not few and cells.distinct < _SOME:
        return "guess"
    if score == 2:
        return "guess" if not few and cells.distinct < _MANY and not cells.text else "likely"
    return "likely" if few or cells.distinct < _MANY else "sure"


def _one_each(cells: Evidence, names: Sequence[str]) -> bool:
    """Whether a number that every record has of its own is a person's, whom the other columns describe."""
    numbered = words.is_numbering(cells.column.name) and "id" in words.name_tokens(cells.column.name)
    own = cells.countable and not cells.fractions and cells.distinct == cells.present >= FEW
    return numbered and own and words.has_person_traits(name for name in names if name != cells.column.name)


def _stands_for(decision: Decision, cells: Evidence) -> Confidence | None:
    """How sure an identifier, or the number of an account, stands for the person: several records have it."""
    several = not cells.differs(0.9) and cells.distinct >= _MANY and cells.present >= FEW
    if not cells.countable or cells.wordy or not several:
        return None
    return "guess" if decision.kind == "network" else "likely"


def is_held(candidate: Candidate, records: int, users: int, most: int) -> Confidence | None:
    """How sure a candidate is, once the records of each value were counted: no value has most of them."""
    if users > 1 and records >= FEW and most > MOST * records:
        return "guess" if candidate.score == 3 and users >= FEW else None
    return candidate.confidence


# --- by values -----------------------------------------------------------------------------------


class Choice(NamedTuple):
    """Who the person is by names and values.

    The candidates are columns that may name the person, the likeliest first, and ``confidence`` is how sure
    that one is. Without a candidate, and where the first has no column, each record is a person.
    """

    candidates: tuple[tuple[Decision, ...], ...] = ()
    confidence: Confidence = "likely"


def choose(named: Candidate | None, is_unique: bool, keys: Sequence[Key]) -> Choice:
    """Weigh the column whose name says the person against what the values say.

    Args:
        named: The likeliest column by its name, if there is one.
        is_unique: Whether no two records have one value of that column.
        keys: The keys by their values.

    Returns:
        The candidates; none of its columns where each record is a person.
    """
    own = next((key for key in keys if named is not None and key.columns == (named.decision,)), None)
    if any(len(key.columns) > 1 and not key.repeated for key in keys):
        return Choice()  # a group and a number within it are those of one record
    personal = sorted((key for key in keys if key.traits and not key.varying), key=_preferred)
    if named is not None and named.score >= 2 and not is_unique:
        return _choose_named(named, own, personal)
    if named is not None and is_unique and named.score == 3:
        first = (named.decision,)
        repeated = [key for key in personal if not _is_of_events(key)]
        sure: Confidence = "guess" if repeated else named.confidence
        likelier = [key for key in repeated if not key.doubted]
        doubted = [key for key in repeated if key.doubted]
        return Choice((*_columns(likelier), first, *_columns(doubted)), sure)
    if personal:
        is_open = personal[0].doubted or _is_of_events(personal[0])
        return Choice(_columns(personal), "guess" if is_open else "likely")
    if named is not None and is_unique and named.score >= 2:
        return Choice(((named.decision,),), named.confidence)
    likely = sorted(filter(_is_open, keys), key=_open_rank)
    likely = [key for key in likely if key.dependents or key.names[0] not in likely[0].dependents]
    if named is not None and not is_unique and (own is None or not own.varying):
        first = (named.decision,)
        rivals = [key for key in likely if key.columns != first and (named.score or _may_rival(key))]
        confidence = "guess" if named.score or rivals else named.confidence
        if own is not None and not rivals and sum(map(table_words.is_personal, own.dependents)) > 1:
            confidence = "likely"
        return Choice((first, *(c for c in _columns(likely) if c != first)), confidence)
    if likely:
        return Choice(_columns(likely), "guess")
    if named is not None:
        first = (named.decision,)
        return Choice((first,), named.confidence) if is_unique else Choice(((), first), "guess")
    return Choice()


def _choose_named(named: Candidate, own: Key | None, personal: Sequence[Key]) -> Choice:
    """Weigh a column with the name of a person that several records have."""
    first = (named.decision,)
    others = [key.columns for key in personal if key.columns != first]
    if own is not None and own.varying and not own.traits:
        # What never changes for a person changes within its values.
        alone = len(others) == 1 and len(others[0]) == 1 and named.score == 2
        return Choice((*(others or [()]), first), "likely" if alone else "guess")
    if named.score == 2 and named.decision.column.type != "VARCHAR":
        supported = own is not None and (own.dependents or own.grouped)
        return Choice((first, *others), named.confidence if supported else "guess")
    return Choice((first,), named.confidence)


def _columns(keys: Sequence[Key]) -> tuple[tuple[Decision, ...], ...]:
    return tuple(key.columns for key in keys)


def _is_of_events(key: Key) -> bool:
    return all(decision.role == "event_key" for decision in key.columns)


def _preferred(key: Key) -> tuple[float, ...]:
    """Put the coarsest key first: a visit has the traits of its patient as well."""
    event = any(decision.role == "event_key" for decision in key.columns)
    score = max(words.user_score(name) for name in key.names)
    return (float(key.doubted), float(event), float(len(key.columns)), -float(score >= 2), float(key.values))


def _is_open(key: Key) -> bool:
    """Whether a key may be a person's by its values, with nothing that says so."""
    if key.varying or len(key.columns) > 1:
        return False
    (name,) = key.names
    if key.columns[0].role == "event_key":
        return bool(key.dependents) or key.grouped
    numbered = words.is_numbering(name) or words.is_nameless(name) or words.user_score(name) > 0
    several = len(key.dependents) >= 2
    return several or key.grouped or bool(key.dependents) or numbered


def _may_rival(key: Key) -> bool:
    """Whether a key speaks against an identifier that stands for the person: a bare subject does not."""
    (name,) = key.names
    numbered = words.is_numbering(name) or words.is_nameless(name)
    return numbered or bool(key.dependents) or key.grouped


def _open_rank(key: Key) -> tuple[float, ...]:
    (name,), (decision,) = key.names, key.columns
    score = words.user_score(name) + float(words.is_account(name))
    several = len(key.dependents) >= 2
    numbered = words.is_numbering(name)
    return (
        float(key.doubted),
        float(decision.role == "event_key"),
        -score,
        -float(several),
        -float(numbered),
        float(key.values),
    )
