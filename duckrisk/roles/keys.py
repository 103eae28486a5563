"""Which columns are keys by their values: several records have each value, and others agree within it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from duckrisk.engine.session import COLUMNS_PER_STATEMENT, Session
from duckrisk.engine.templates import render
from duckrisk.engine.types import is_scalar
from duckrisk.roles import words
from duckrisk.roles.dependencies import DEPENDENCY_COLUMNS, batches, compared
from duckrisk.roles.model import FEW, Decision, Evidence

#: Records; the first show most columns that change within a key. What agrees there is looked for in more, and
#: in still more where too few values repeat.
_SCREENED, _FIRST, _MORE, _RUNS = 2_000, 10_000, 200_000, 3_000
#: Values; a key with fewer repeated ones proves nothing.
_REPEATED = 10
#: Columns; the likeliest keys are looked at, and those that depend on one.
_KEYS, _DEPENDENTS = 5, COLUMNS_PER_STATEMENT
#: Values; a key of persons has more, in a table of many records.
FEWEST = 20
#: Columns that are called something else than a person, or have few values: they need stronger evidence.
_DOUBTED = 8
#: Columns that describe no place, thing or amount and that a key with the name of something else determines.
_DESCRIBING = 2
#: Share of the records; a key with more values has too few with several records.
_UNIQUE = 0.9
#: A dependent changes within this share of the values at most, against neighbouring values.
_CHANGING = 0.1
#: Neighbouring values between which a dependent changes at least: fewer are chance.
_DIFFERING = 6
#: Share of the records; a value that more of them have stands for nobody.
MOST = 0.5
#: Years; the ages of one person in a table are seldom further apart.
_YEARS = 25
#: Pairs of a group and a number within it that are looked at.
_MEMBERS, _GROUPS = 3, 3
#: Groups of equal records that have a divisor in common; among fewer that is chance.
COPIED_GROUPS = 20


@dataclass(frozen=True)
class Key:
    """What the values of one column, or of two together, say of being a key.

    ``dependents`` are columns that agree within a value, ``traits`` those of them whose names say what never
    changes for a person, ``varying`` such columns that change within values all the same. ``values`` is the
    number of values that was seen, ``repeated`` of those with several records, ``grouped`` says that the
    records of a value lie together in the file, and ``most_have_one`` that most records have one value.
    ``doubted`` says that its name or its number of values speaks against it.
    """

    columns: tuple[Decision, ...]
    dependents: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()
    varying: tuple[str, ...] = ()
    values: int = 0
    repeated: int = 0
    grouped: bool = False
    most_have_one: bool = False
    doubted: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(decision.column.name for decision in self.columns)


def can_be_key(decision: Decision, cells: Evidence) -> bool:
    """Return whether a column can be the key of several records, by what it holds.

    What describes people is none: sex, birth, an age, an income or another measurement.
    """
    name = cells.column.name
    measured = words.is_measure(name) and not words.is_numbering(name)
    held = cells.countable and not cells.fractions and not cells.wordy and cells.longest <= 130
    many = cells.present >= FEW and cells.distinct >= _REPEATED and not cells.differs(_UNIQUE)
    if not held or not many or decision.given or decision.long:
        return False
    if decision.role == "direct_identifier":
        return decision.kind in (*words.STANDS_FOR, "person") and cells.distinct >= FEWEST
    describes = words.is_trait(name) or words.is_age(name) or measured
    return decision.role in ("attribute", "event_key") and (not describes or decision.kind == "weight")


def is_doubted(decision: Decision, cells: Evidence) -> bool:
    """Return whether the name of a column, or how few values it has, speaks against a key of persons.

    A name never decides: such a column is a key if it determines what describes persons.
    """
    name = cells.column.name
    if decision.role == "direct_identifier":
        return False
    timed = words.is_measure(name) and decision.role == "event_key"
    return words.is_other(name) or timed or decision.kind == "weight" or cells.distinct < FEWEST


def search(
    session: Session,
    decisions: Sequence[Decision],
    profiles: Sequence[Evidence],
    assessed: Collection[int] = (),
) -> list[Key]:
    """Return what speaks for the likeliest keys in their order, but for those at ``assessed`` positions."""
    both = zip(decisions, profiles, strict=True)
    pairs = [pair for pair in both if can_be_key(*pair) and pair[0].column.position not in assessed]
    ranked = sorted(pairs, key=lambda pair: _rank(*pair))
    chosen = [decision for decision, cells in ranked if not is_doubted(decision, cells)][:_KEYS]
    grouped = _grouped(session, chosen)
    dependents = dependents_among(decisions, profiles)
    judged = evidence_of(session, [(decision,) for decision in chosen], dependents, profiles)
    judged = [key for key in judged if not key.most_have_one]
    found = [replace(key, grouped=key.columns[0] in grouped) for key in judged]
    if not any(key.traits and not key.varying for key in found):
        doubted = [decision for decision, cells in ranked if is_doubted(decision, cells)][:_DOUBTED]
        found += _against_names(session, doubted, dependents, profiles)
    return sorted(found, key=lambda key: key.columns[0].column.position)


def _against_names(
    session: Session,
    doubted: Sequence[Decision],
    dependents: Sequence[Decision],
    profiles: Sequence[Evidence],
) -> list[Key]:
    """Return the keys among doubted columns: they determine a trait, or several columns of no thing."""
    describing = [d for d in dependents if is_stable_trait(d) or not _is_of_things(d.column.name)]
    found = []
    judged = evidence_of(session, [(decision,) for decision in doubted], describing, profiles)
    for key in judged:
        several = len(key.dependents) >= _DESCRIBING
        if not key.most_have_one and not key.varying and (key.traits or several):
            found.append(replace(key, doubted=True))
    return found


def _is_of_things(name: str) -> bool:
    """Return whether a name says a place, a thing, a time or an amount."""
    return words.is_other(name) or words.is_measure(name)


def _rank(decision: Decision, cells: Evidence) -> tuple[float, ...]:
    """Put names that say a person first, then numbers and identifiers, then columns of many values."""
    name = decision.column.name
    numbered = words.is_numbering(name) or words.is_nameless(name) or cells.column.type == "UUID"
    event = decision.role == "event_key"
    return (-words.user_score(name), event, not numbered, -decision.distinct)


def dependents_among(decisions: Sequence[Decision], profiles: Sequence[Evidence]) -> list[Decision]:
    """Return the coarse columns that may depend on a key: those with a name of a trait first."""
    plain = [
        decision
        for decision, cells in zip(decisions, profiles, strict=True)
        if decision.role in ("attribute", "direct_identifier")
        and (decision.column.position < DEPENDENCY_COLUMNS or words.is_trait(decision.column.name))
        and decision.distinct > 1
        and not cells.fractions
        and not decision.long
        and is_scalar(decision.column.type)
    ]
    ranked = sorted(plain, key=_by_trait)
    return ranked[:_DEPENDENTS]


def _by_trait(decision: Decision) -> tuple[float, ...]:
    name = decision.column.name
    return (
        float(not (words.is_trait(name) or words.is_age(name))),
        decision.distinct,
        decision.column.position,
    )


def evidence_of(
    session: Session,
    keys: Sequence[tuple[Decision, ...]],
    dependents: Sequence[Decision],
    profiles: Sequence[Evidence],
) -> list[Key]:
    """Find which coarse columns agree within the values of each key, in the first records.

    Args:
        session: The session that has the table.
        keys: Keys of one column each, or one key of two.
        dependents: The columns that may depend on a key.
        profiles: What the columns hold, by position.
    """
    coarse = [_select_coarse(key, dependents) for key in keys]
    found = [Key(key) for key in keys]
    pending = [index for index in range(len(keys)) if coarse[index]]
    for most in (_SCREENED, _FIRST, _MORE):
        if not pending:
            break
        # The values of several keys of many records may not fit into memory together.
        size = len(keys) if most <= _FIRST else 1
        unclear = []
        for batch in batches(pending, size):
            columns = [d for d in dependents if any(d in coarse[index] for index in batch)]
            counts = _count_changes(session, [keys[index] for index in batch], columns, profiles, most)
            for index, rows in zip(batch, counts, strict=True):
                of_key = [rows[columns.index(d)] for d in coarse[index]]
                found[index], is_clear = _judge(keys[index], coarse[index], of_key, profiles, most)
                if not is_clear:
                    unclear.append(index)
        if profiles[0].records <= most:
            break
        pending = unclear
    return found


def _select_coarse(key: tuple[Decision, ...], dependents: Sequence[Decision]) -> list[Decision]:
    """Select the dependents that have few enough values to be evidence for a key."""
    most = max(3.0, 0.5 * max(decision.distinct for decision in key))
    return [d for d in dependents if d not in key and (d.distinct <= most or words.is_age(d.column.name))]


def _count_changes(
    session: Session,
    keys: Sequence[tuple[Decision, ...]],
    columns: Sequence[Decision],
    profiles: Sequence[Evidence],
    most: int,
) -> list[list[dict[str, Any]]]:
    """Count changes of columns within the values of keys.

    Returns:
        For each key the rows of the statement, one a column.
    """
    source = compared(session, [*(d for key in keys for d in key if d not in columns), *columns])
    rows = session.run(
        "key_dependents",
        source=source if profiles[0].records <= most else render("first_records", source=source, most=most),
        keys=[key[-1].column.binding for key in keys],
        groups=[key[0].column.binding for key in keys] if len(keys[0]) > 1 else None,
        columns=[d.column.binding for d in columns],
        ages=[d.column.binding for d in columns if _is_age(d, profiles[d.column.position])],
        years=_YEARS,
    )
    return batches(rows, len(columns))


def _judge(
    key: tuple[Decision, ...],
    coarse: Sequence[Decision],
    rows: Sequence[dict[str, Any]],
    profiles: Sequence[Evidence],
    most: int,
) -> tuple[Key, bool]:
    """Judge a key by the changes of coarse columns.

    Returns:
        The key, and whether more records would hardly change it.
    """
    ages = [d for d in coarse if _is_age(d, profiles[d.column.position])]
    agreeing, changing = _sorted_by_change(coarse, rows, ages)
    values, repeated = rows[0]["key_values"], rows[0]["repeated"]
    finest = max(decision.distinct for decision in key)
    is_clear = repeated >= min(5 * _REPEATED, 0.8 * finest) and (most > _SCREENED or not agreeing)
    if repeated and rows[0]["most"] > MOST * rows[0]["records"]:
        return Key(key, values=values, repeated=repeated, most_have_one=True), is_clear
    if repeated < _REPEATED:
        return Key(key, values=values, repeated=repeated), is_clear
    judged = Key(
        key,
        tuple(d.column.name for d in agreeing),
        tuple(d.column.name for d in agreeing if is_stable_trait(d)),
        tuple(d.column.name for d in changing if d in ages or is_stable_trait(d)),
        values,
        repeated,
    )
    return judged, is_clear


def _sorted_by_change(
    coarse: Sequence[Decision], rows: Sequence[dict[str, Any]], ages: Sequence[Decision]
) -> tuple[list[Decision], list[Decision]]:
    """Return the columns that agree within the values of a key, and those that change."""
    agreeing, changing = [], []
    for decision, row in zip(coarse, rows, strict=True):
        if row["changing"] > _CHANGING * max(row["differing"], 2 * _REPEATED):
            changing.append(decision)
        elif (
            decision not in ages
            and row["differing"] >= _DIFFERING
            and row["changing"] <= _CHANGING * row["differing"]
        ):
            agreeing.append(decision)
    return agreeing, changing


def _is_age(decision: Decision, cells: Evidence) -> bool:
    """Return whether a column holds ages in years."""
    low, high = cells.lowest, cells.highest
    return (
        words.is_age(decision.column.name) and low is not None and high is not None and 0 <= low < high <= 130
    )


def is_stable_trait(decision: Decision) -> bool:
    """Return whether a column says what never changes for a person, as sex and birth."""
    return decision.distinct > 1 and words.is_trait(decision.column.name)


def pairs(
    session: Session,
    decisions: Sequence[Decision],
    profiles: Sequence[Evidence],
    alone: Sequence[Key],
    assessed: Collection[int] = (),
) -> list[Key]:
    """Return pairs of a group and a number within it that are keys of persons: several records have each.

    Args:
        session: The session that has the table.
        decisions: The columns.
        profiles: What they hold.
        alone: The keys of one column that are known, none of which says what never changes for a person.
        assessed: The positions of columns that are no part of a key.
    """
    both = [pair for pair in zip(decisions, profiles, strict=True) if pair[0].column.position not in assessed]
    members = [d for d, cells in both if _can_be_member(d, cells)]
    if len(both) > DEPENDENCY_COLUMNS:
        members = [d for d in members if _numbers_people(d)]
    members.sort(key=lambda d: (-words.user_score(d.column.name), not words.is_member(d.column.name)))
    known = [key.columns[0] for key in alone]
    others = [d for d, cells in both if d not in known and _can_be_group(d, cells)]
    dependents = dependents_among(decisions, profiles)
    # Of a pair the traits decide: more columns only take time.
    dependents = [d for d in dependents if _by_trait(d)[0] == 0] or dependents
    found = []
    for member in members[:_MEMBERS]:
        groups = [d for d in (known + others if _numbers_people(member) else known) if d is not member]
        groups.sort(key=lambda d: (d.kind != "household", -d.distinct))
        for group in groups[:_GROUPS]:
            (key,) = evidence_of(session, [(group, member)], dependents, profiles)
            one_each = key.values > 0 == key.repeated and words.user_score(member.column.name) > 1
            if one_each or (key.traits and not key.varying):
                found.append(key)
                break
    return found


def _can_be_member(decision: Decision, cells: Evidence) -> bool:
    """Return whether a column can number persons within groups: small whole numbers, or called a person's."""
    usable = decision.role in ("attribute", "event_key") and not decision.given and not cells.fractions
    if not usable or not cells.countable or cells.distinct < 2 or cells.differs(_UNIQUE):
        return False
    name = cells.column.name
    within = cells.lowest is not None and cells.lowest in (0, 1) and (cells.highest or 0) <= 60
    other = words.is_other(name) or words.is_measure(name) or words.is_trait(name)
    return words.user_score(name) > 0 or (within and (words.is_member(name) or not other))


def _numbers_people(decision: Decision) -> bool:
    """Return whether the name of a column says a number of people within a group."""
    return words.is_member(decision.column.name) or words.user_score(decision.column.name) > 0


def _can_be_group(decision: Decision, cells: Evidence) -> bool:
    """Return whether a column can say the group that numbers of persons begin anew in."""
    usable = decision.role in ("attribute", "event_key") and decision.kind != "weight" and not decision.given
    return (
        usable and cells.countable and not cells.fractions and cells.distinct >= 3 and not cells.differs(0.5)
    )


def _grouped(session: Session, keys: Sequence[Decision]) -> list[Decision]:
    """Return the keys whose records lie together in the file; no one knows for a distributed engine."""
    if not keys or session.engine is not None:
        return []
    relation = render("first_records", source=compared(session, keys), most=_RUNS)
    rows = session.run("key_runs", source=relation, columns=[d.column.binding for d in keys])
    runs = zip(keys, rows, strict=True)
    return [d for d, row in runs if row["key_values"] >= 5 and row["runs"] <= 1.2 * row["key_values"]]


def copies(session: Session, decisions: Sequence[Decision], profiles: Sequence[Evidence]) -> int:
    """Return how often every record stands in a table at least: the divisor of the sizes of all groups.

    Returns:
        2 or more where all groups of equal records, at least ``COPIED_GROUPS``, have a divisor in common.
    """
    every = [d for d in decisions if d.distinct > 1 and is_scalar(d.column.type) and not d.long]
    if not every or any(cells.differs(0.6) for cells in profiles if cells.present):
        return 1
    finest = max(every, key=lambda d: d.distinct)
    for columns in ([finest], every):
        relation = compared(session, columns)
        rows = session.run("group_sizes", source=relation, columns=[d.column.binding for d in columns])
        divisor = math.gcd(*(row["records"] for row in rows))
        if divisor < 2:
            return 1
    return divisor if sum(row["groups"] for row in rows) >= COPIED_GROUPS else 1
