"""Keys by their values: several records have each value, and other columns agree within it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from duckrisk.engine.session import COLUMNS_PER_STATEMENT, Session
from duckrisk.engine.templates import render
from duckrisk.engine.types import is_scalar
from duckrisk.roles import word_lists, words
from duckrisk.roles.dependencies import DEPENDENCY_COLUMNS, select_compared, split_batches
from duckrisk.roles.model import FEW, ColumnProfile, Decision

#: Records that are examined for dependents, in stages: few refute most of them, and only unclear keys go on
#: (a choice: the statements of a stage cost as much as its records).
_SCREENED_RECORDS, _FIRST_RECORDS, _MORE_RECORDS = 2_000, 10_000, 200_000
#: First records in which the values of a key form runs (a choice: some hundreds of values with several
#: records).
_RUN_RECORDS = 3_000
#: Values with several records; a key with fewer proves nothing (a choice: half and twice of it read 60 shapes
#: of tests/benchmarks/people.py alike).
_MIN_REPEATED = 10
#: Likeliest keys that are examined, and columns that may depend on one (a choice: half and twice of the first
#: read 60 of the shapes of tests/benchmarks/people.py alike; a statement takes no more columns).
_MAX_KEYS, _MAX_DEPENDENTS = 5, COLUMNS_PER_STATEMENT
#: Distinct values of a key of persons (a choice: half and twice of it read 60 of the shapes of
#: tests/benchmarks/people.py alike).
MIN_KEY_VALUES = 20
#: Characters of a key (a choice: no name or number of a person is longer).
MAX_KEY_LENGTH = 130
#: Doubted keys that are examined (a choice: half and twice of it read 60 of the shapes of
#: tests/benchmarks/people.py alike).
_MAX_DOUBTED = 8
#: Columns about people that a doubted key determines without a trait (a choice: one can agree by chance).
_MIN_DESCRIBING = 2
#: Share of the records; a key with more values repeats too seldom (a choice: half and twice of it read 60
#: shapes of tests/benchmarks/people.py alike).
_NEARLY_UNIQUE = 0.9
#: Changes of a dependent within the values of a key, as a share of those between neighbouring values (a
#: choice: allows errors in the data; half and twice of it read 60 of the shapes of tests/benchmarks/people.py
#: alike).
_MAX_CHANGING = 0.1
#: Neighbouring values between which a dependent changes at least (a choice: fewer are chance; half and twice
#: of it read 60 of the shapes of tests/benchmarks/people.py alike).
_MIN_DIFFERING = 6
#: Share of the records; a value that more of them have is no person's (a choice: most of them).
MAX_SHARE_OF_ONE = 0.5
#: Years between the ages of one person in a table (a choice: longer studies are rare).
_MAX_YEARS = 25
#: Numbers within a group, and groups, that are paired (a choice: half and twice of each read 60 of the
#: shapes of tests/benchmarks/people.py alike).
_MAX_MEMBERS, _MAX_GROUPS = 3, 3
#: Groups of equal records with a common divisor; fewer have one by chance (derived: 20 sizes that are even by
#: chance have a probability of 1e-6).
MIN_COPIED_GROUPS = 20


@dataclass(frozen=True)
class Key:
    """A key of one column or of two, and the evidence for it.

    ``dependents`` are columns that agree within a value. ``traits`` are those of them that never change for a
    person, and ``varying`` traits that change within values all the same. ``values`` counts the examined
    values, and ``repeated`` those with several records. ``is_grouped`` means that the records of a value are
    neighbours in the file, and ``is_mostly_one_value`` that most records have one value. ``is_doubted`` means
    that its name or its few values contradict a key.
    """

    columns: tuple[Decision, ...]
    dependents: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()
    varying: tuple[str, ...] = ()
    values: int = 0
    repeated: int = 0
    is_grouped: bool = False
    is_mostly_one_value: bool = False
    is_doubted: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(decision.column.name for decision in self.columns)


def can_be_key(decision: Decision, profile: ColumnProfile) -> bool:
    """Return whether the values of a column can be keys of several records.

    Columns that describe people cannot: sex, birth, an age, an income or another measurement. Neither can
    sets and intervals: each stands for several values.
    """
    name = profile.column.name
    is_measured = words.is_measure(name) and not words.is_numbering(name)
    is_code = profile.can_hold_codes and not profile.fractions
    is_short = profile.longest <= MAX_KEY_LENGTH and not (profile.is_wordy or decision.is_long)
    has_values = profile.present >= FEW and profile.distinct >= _MIN_REPEATED
    has_repeats = not profile.is_distinct(_NEARLY_UNIQUE)
    if decision.given or profile.coarse or not (is_code and is_short and has_values and has_repeats):
        return False
    if decision.role == "direct_identifier":
        return decision.kind in (*word_lists.STANDS_FOR, "person") and profile.distinct >= MIN_KEY_VALUES
    describes = words.is_trait(name) or words.is_age(name) or is_measured
    return decision.role in ("attribute", "event_key") and (not describes or decision.kind == "weight")


def is_doubted(decision: Decision, profile: ColumnProfile) -> bool:
    """Return whether the name or the few values of a column contradict a person's key.

    A name never decides: such a column is a key if it determines columns that describe persons.
    """
    name = profile.column.name
    if decision.role == "direct_identifier":
        return False
    timed = words.is_measure(name) and decision.role == "event_key"
    return words.is_other(name) or timed or decision.kind == "weight" or profile.distinct < MIN_KEY_VALUES


def find_keys(
    session: Session,
    decisions: Sequence[Decision],
    profiles: Sequence[ColumnProfile],
    assessed: Collection[int] = (),
) -> list[Key]:
    """Examine the likeliest keys, and return them in the order of their columns.

    Columns at the ``assessed`` positions are no keys.
    """
    both = zip(decisions, profiles, strict=True)
    pairs = [pair for pair in both if can_be_key(*pair) and pair[0].column.position not in assessed]
    ranked = sorted(pairs, key=lambda pair: _likeliest_first(*pair))
    chosen = [decision for decision, profile in ranked if not is_doubted(decision, profile)][:_MAX_KEYS]
    grouped = _find_grouped(session, chosen)
    dependents = select_dependents(decisions, profiles)
    judged = examine_keys(session, [(decision,) for decision in chosen], dependents, profiles)
    judged = [key for key in judged if not key.is_mostly_one_value]
    keys = [replace(key, is_grouped=key.columns[0] in grouped) for key in judged]
    if not any(key.traits and not key.varying for key in keys):
        doubted = [decision for decision, profile in ranked if is_doubted(decision, profile)][:_MAX_DOUBTED]
        keys += _find_doubted_keys(session, doubted, dependents, profiles)
    return sorted(keys, key=lambda key: key.columns[0].column.position)


def _find_doubted_keys(
    session: Session,
    doubted: Sequence[Decision],
    dependents: Sequence[Decision],
    profiles: Sequence[ColumnProfile],
) -> list[Key]:
    """Find doubted columns that determine a trait, or several columns about people."""
    describing = [d for d in dependents if is_stable_trait(d) or not _is_thing(d.column.name)]
    confirmed = []
    judged = examine_keys(session, [(decision,) for decision in doubted], describing, profiles)
    for key in judged:
        several = len(key.dependents) >= _MIN_DESCRIBING
        if not key.is_mostly_one_value and not key.varying and (key.traits or several):
            confirmed.append(replace(key, is_doubted=True))
    return confirmed


def _is_thing(name: str) -> bool:
    """Return whether a name means a place, a thing, a time or an amount."""
    return words.is_other(name) or words.is_measure(name)


def _likeliest_first(decision: Decision, profile: ColumnProfile) -> tuple[float, ...]:
    """Rank names of persons first, then numbers, then columns of many values."""
    name = decision.column.name
    numbered = words.is_numbering(name) or words.is_nameless(name) or profile.column.type == "UUID"
    event = decision.role == "event_key"
    return (-words.user_score(name), event, not numbered, -decision.distinct)


def select_dependents(decisions: Sequence[Decision], profiles: Sequence[ColumnProfile]) -> list[Decision]:
    """Select the columns that may depend on a key, traits first."""
    plain = [
        decision
        for decision, profile in zip(decisions, profiles, strict=True)
        if decision.role in ("attribute", "direct_identifier")
        and (decision.column.position < DEPENDENCY_COLUMNS or words.is_trait(decision.column.name))
        and decision.distinct > 1
        and not profile.fractions
        and not decision.is_long
        and is_scalar(decision.column.type)
    ]
    ranked = sorted(plain, key=_traits_first)
    return ranked[:_MAX_DEPENDENTS]


def _traits_first(decision: Decision) -> tuple[float, ...]:
    name = decision.column.name
    return (
        float(not (words.is_trait(name) or words.is_age(name))),
        decision.distinct,
        decision.column.position,
    )


def examine_keys(
    session: Session,
    keys: Sequence[tuple[Decision, ...]],
    dependents: Sequence[Decision],
    profiles: Sequence[ColumnProfile],
) -> list[Key]:
    """Find the coarse columns that agree within the values of each key.

    Args:
        session: The session that has the table.
        keys: Keys of one column each, or one key of two.
        dependents: The columns that may depend on a key.
        profiles: The profiles of the columns, by position.

    Returns:
        The keys in the given order. The first records decide on most of them, and more records on the others.
    """
    coarse = [_select_coarse(key, dependents) for key in keys]
    examined = [Key(key) for key in keys]
    pending = [index for index in range(len(keys)) if coarse[index]]
    for limit in (_SCREENED_RECORDS, _FIRST_RECORDS, _MORE_RECORDS):
        if not pending:
            break
        # The values of several keys of many records may not fit into memory together.
        size = len(keys) if limit <= _FIRST_RECORDS else 1
        unclear = []
        for batch in split_batches(pending, size):
            columns = [d for d in dependents if any(d in coarse[index] for index in batch)]
            counts = _count_changes(session, [keys[index] for index in batch], columns, profiles, limit)
            for index, rows in zip(batch, counts, strict=True):
                of_key = [rows[columns.index(d)] for d in coarse[index]]
                examined[index], is_clear = _judge_key(keys[index], coarse[index], of_key, profiles, limit)
                if not is_clear:
                    unclear.append(index)
        if profiles[0].records <= limit:
            break
        pending = unclear
    return examined


def _select_coarse(key: tuple[Decision, ...], dependents: Sequence[Decision]) -> list[Decision]:
    """Select the dependents that have few enough values to be evidence for a key."""
    limit = max(3.0, 0.5 * max(decision.distinct for decision in key))
    return [d for d in dependents if d not in key and (d.distinct <= limit or words.is_age(d.column.name))]


def _count_changes(
    session: Session,
    keys: Sequence[tuple[Decision, ...]],
    columns: Sequence[Decision],
    profiles: Sequence[ColumnProfile],
    limit: int,
) -> list[list[dict[str, Any]]]:
    """Count changes of columns within the values of keys.

    Only the first ``limit`` records are examined.

    Returns:
        For each key the rows of the statement, one a column.
    """
    source = select_compared(session, [*(d for key in keys for d in key if d not in columns), *columns])
    rows = session.run(
        "key_dependents",
        source=source if profiles[0].records <= limit else render("first_records", source=source, most=limit),
        keys=[key[-1].column.binding for key in keys],
        groups=[key[0].column.binding for key in keys] if len(keys[0]) > 1 else None,
        columns=[d.column.binding for d in columns],
        ages=[d.column.binding for d in columns if _is_age(d, profiles[d.column.position])],
        years=_MAX_YEARS,
    )
    return split_batches(rows, len(columns))


def _judge_key(
    key: tuple[Decision, ...],
    coarse: Sequence[Decision],
    rows: Sequence[dict[str, Any]],
    profiles: Sequence[ColumnProfile],
    limit: int,
) -> tuple[Key, bool]:
    """Judge a key by the changes of coarse columns.

    Returns:
        The key, and whether more records would hardly change it.
    """
    ages = [d for d in coarse if _is_age(d, profiles[d.column.position])]
    agreeing, changing = _split_by_change(coarse, rows, ages)
    values, repeated = rows[0]["key_values"], rows[0]["repeated"]
    finest = max(decision.distinct for decision in key)
    has_enough = repeated >= min(5 * _MIN_REPEATED, 0.8 * finest)
    is_clear = has_enough and (limit > _SCREENED_RECORDS or not agreeing)
    if repeated and rows[0]["most"] > MAX_SHARE_OF_ONE * rows[0]["records"]:
        return Key(key, values=values, repeated=repeated, is_mostly_one_value=True), is_clear
    if repeated < _MIN_REPEATED:
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


def _split_by_change(
    coarse: Sequence[Decision], rows: Sequence[dict[str, Any]], ages: Sequence[Decision]
) -> tuple[list[Decision], list[Decision]]:
    """Split columns into those that agree within the values of a key and that change."""
    agreeing, changing = [], []
    for decision, row in zip(coarse, rows, strict=True):
        if row["changing"] > _MAX_CHANGING * max(row["differing"], 2 * _MIN_REPEATED):
            changing.append(decision)
        elif (
            decision not in ages
            and row["differing"] >= _MIN_DIFFERING
            and row["changing"] <= _MAX_CHANGING * row["differing"]
        ):
            agreeing.append(decision)
    return agreeing, changing


def _is_age(decision: Decision, profile: ColumnProfile) -> bool:
    """Return whether a column holds ages in years."""
    low, high = profile.lowest, profile.highest
    return (
        words.is_age(decision.column.name) and low is not None and high is not None and 0 <= low < high <= 130
    )


def is_stable_trait(decision: Decision) -> bool:
    """Return whether a column is a trait that never changes, such as sex or birth."""
    return decision.distinct > 1 and words.is_trait(decision.column.name)


def find_pairs(
    session: Session,
    decisions: Sequence[Decision],
    profiles: Sequence[ColumnProfile],
    alone: Sequence[Key],
    assessed: Collection[int] = (),
) -> list[Key]:
    """Find keys of persons that are a group and a number within it.

    Args:
        session: The session that has the table.
        decisions: The columns.
        profiles: Their profiles.
        alone: The keys of one column; none determines a trait.
        assessed: The positions of columns that are no part of a key.

    Returns:
        The pairs that determine a trait, or that distinguish all records.
    """
    both = [pair for pair in zip(decisions, profiles, strict=True) if pair[0].column.position not in assessed]
    members = [d for d, profile in both if _can_be_member(d, profile)]
    if len(both) > DEPENDENCY_COLUMNS:
        members = [d for d in members if _is_number_of_people(d)]
    members.sort(key=lambda d: (-words.user_score(d.column.name), not words.is_member(d.column.name)))
    key_columns = [key.columns[0] for key in alone]
    others = [d for d, profile in both if d not in key_columns and _can_be_group(d, profile)]
    dependents = select_dependents(decisions, profiles)
    # The traits decide on a pair; other columns only cost time.
    dependents = [d for d in dependents if _traits_first(d)[0] == 0] or dependents
    pairs = []
    for member in members[:_MAX_MEMBERS]:
        groups = [
            d
            for d in (key_columns + others if _is_number_of_people(member) else key_columns)
            if d is not member
        ]
        groups.sort(key=lambda d: (d.kind != "household", -d.distinct))
        for group in groups[:_MAX_GROUPS]:
            (key,) = examine_keys(session, [(group, member)], dependents, profiles)
            one_each = key.values > 0 == key.repeated and words.user_score(member.column.name) > 1
            if one_each or (key.traits and not key.varying):
                pairs.append(key)
                break
    return pairs


def _can_be_member(decision: Decision, profile: ColumnProfile) -> bool:
    """Return whether a column can number persons within groups, by name or values."""
    usable = decision.role in ("attribute", "event_key") and not decision.given and not profile.fractions
    if (
        not usable
        or not profile.can_hold_codes
        or profile.distinct < 2
        or profile.is_distinct(_NEARLY_UNIQUE)
    ):
        return False
    name = profile.column.name
    within = profile.lowest is not None and profile.lowest in (0, 1) and (profile.highest or 0) <= 60
    other = words.is_other(name) or words.is_measure(name) or words.is_trait(name)
    return words.user_score(name) > 0 or (within and (words.is_member(name) or not other))


def _is_number_of_people(decision: Decision) -> bool:
    """Return whether a name means a number of people within a group."""
    return words.is_member(decision.column.name) or words.user_score(decision.column.name) > 0


def _can_be_group(decision: Decision, profile: ColumnProfile) -> bool:
    """Return whether a column can be the group within which persons are numbered."""
    usable = decision.role in ("attribute", "event_key") and decision.kind != "weight" and not decision.given
    return (
        usable
        and profile.can_hold_codes
        and not profile.fractions
        and profile.distinct >= 3
        and not profile.is_distinct(0.5)
    )


def _find_grouped(session: Session, keys: Sequence[Decision]) -> list[Decision]:
    """Return the keys whose records are neighbours; none for a distributed engine."""
    if not keys or session.engine is not None:
        return []
    relation = render("first_records", source=select_compared(session, keys), most=_RUN_RECORDS)
    rows = session.run("key_runs", source=relation, columns=[d.column.binding for d in keys])
    runs = zip(keys, rows, strict=True)
    return [d for d, row in runs if row["key_values"] >= 5 and row["runs"] <= 1.2 * row["key_values"]]


def count_copies(session: Session, decisions: Sequence[Decision], profiles: Sequence[ColumnProfile]) -> int:
    """Return how many copies of every record a table has.

    Returns:
        The greatest common divisor of the sizes of all groups of equal records; 1 for too few groups.
    """
    comparable = [d for d in decisions if d.distinct > 1 and is_scalar(d.column.type) and not d.is_long]
    if not comparable or any(profile.is_distinct(0.6) for profile in profiles if profile.present):
        return 1
    finest = max(comparable, key=lambda d: d.distinct)
    for columns in ([finest], comparable):
        relation = select_compared(session, columns)
        rows = session.run("group_sizes", source=relation, columns=[d.column.binding for d in columns])
        divisor = math.gcd(*(row["records"] for row in rows))
        if divisor < 2:
            return 1
    return divisor if sum(row["groups"] for row in rows) >= MIN_COPIED_GROUPS else 1
