"""Which column names the person behind a record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from duckrisk.engine_types import is_real
from duckrisk.roles import words
from duckrisk.roles.model import FEW, Confidence, Decision, Evidence

#: Persons of a table of many records are more than these; with fewer a person has to look.
_MANY, _SOME, _LEAST = 20, 10, 3
#: A value that more of the records have than this share stands for "nobody", or counts something.
_MOST = 0.5
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
        and decision.kind in words.STANDS_FOR
        and cells.differs(0.9, cells.records)
        for decision, cells in zip(decisions, evidence, strict=True)
    )
    households = max((decision.distinct for decision in decisions if decision.kind == "household"), default=0)
    for decision, cells in zip(decisions, evidence, strict=True):
        declared = decision.given and decision.role != "direct_identifier"
        if decision.role in _NEVER or declared or cells.distinct < _OF_HOUSEHOLDS * households:
            continue
        name = decision.column.name
        stands = decision.role == "direct_identifier" and decision.kind in words.STANDS_FOR
        score = 0 if stands else words.user_score(name)  # "個人番号" is the number of the state
        account = score == 0 and decision.role != "event_key" and words.is_account(name)
        if score == 0 and (account or stands) and not own:
            confidence = _stands_for(decision, cells)
            position = words.STANDS_FOR.index(decision.kind) if stands and decision.kind else 2
            rank: tuple[float, ...] = (2.0, float(position), decision.column.position)
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
    if score < 3 and is_real(cells.column.type):
        return None
    if score < 3 and words.counts_persons(name) and not (cells.text and repeated and cells.distinct >= FEW):
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
    return numbered and own and words.tells_persons(name for name in names if name != cells.column.name)


def _stands_for(decision: Decision, cells: Evidence) -> Confidence | None:
    """How sure an identifier, or the number of an account, stands for the person: several records have it."""
    several = not cells.differs(0.9) and cells.distinct >= _MANY and cells.present >= FEW
    if not cells.countable or cells.wordy or not several:
        return None
    return "guess" if decision.kind == "network" else "likely"


def is_held(candidate: Candidate, records: int, users: int, most: int) -> Confidence | None:
    """How sure a candidate is, once the records of each value were counted: no value has most of them."""
    if users > 1 and records >= FEW and most > _MOST * records:
        return "guess" if candidate.score == 3 and users >= FEW else None
    return candidate.confidence
