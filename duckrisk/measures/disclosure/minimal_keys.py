"""The smallest attribute sets that identify: keys, sets that single out a share, sets with a small class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from duckrisk.base.options.disclosure import Options, Rule
from duckrisk.base.results import Truncation
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import Session
from duckrisk.measures.disclosure.known_sets import KnownSets
from duckrisk.measures.disclosure.set_results import KeysByRule, MinimalKeys, SetFound
from duckrisk.measures.sets.lattice import Lattice
from duckrisk.measures.sets.minimal_keys import Keys, Levels
from duckrisk.roles import Roles
from duckrisk.source import Source

#: Sets of each kind that a report lists (a choice: more than anybody reads).
MOST_LISTED = 200


def measure(
    session: Session, source: Source, roles: Roles, options: Options, *, show_values: bool = False
) -> tuple[MinimalKeys, list[Sentence]]:
    """Find the smallest sets that identify, which hold no values.

    Args:
        session: The session, with the source as the assessed view.
        source: The source.
        roles: The roles of its columns.
        options: The options of all parts.
        show_values: Without effect.

    Returns:
        The sets, and notes.

    Raises:
        UsageError: There is nothing to search, or it takes too long.
    """
    known = KnownSets(session, source, roles, options, "minimal_keys")
    lattice = known.lattice
    section = _search(known, lattice, options.missing)
    others = known.compare_rules(
        section.max_size if section.limit in ("max_size", "built_in") else lattice.size,
        section.limit or lattice.limit,
        lambda other, rule: _search(known, other, rule).in_short(),
        KeysByRule,
    )
    return replace(section, other_rules=others), known.notes


def _search(known: KnownSets, lattice: Lattice, rule: Rule) -> MinimalKeys:
    """Find the smallest sets by a rule for missing values."""
    searched = replace(known.describe(), missing_mode=rule)
    session, options = lattice.session, known.options
    keys = Keys(lattice)
    duplicates: dict[str, Any] = {"records": None, "combinations": None}
    with session.limit_time(lattice.limits.until) as time:
        if lattice.wildcard is not None:
            lattice.wildcard.compare([(1 << lattice.count) - 1])
            duplicates = session.fetch_row("agreeing_duplicates")
        else:
            duplicates = session.fetch_row("key_duplicates", by_user=lattice.has_users)
    if time.is_over or not duplicates["records"]:
        keys.run()
    k = min(options.class_sizes)
    levels = Levels(lattice, searched.persons, options.share, k)
    levels.run()
    return MinimalKeys(
        **vars(searched),
        duplicate_records=duplicates["records"],
        duplicate_combinations=duplicates["combinations"],
        keys_found=len(keys.found),
        keys=tuple(known.list_names(mask) for mask in keys.found[:MOST_LISTED]),
        keys_listed=Truncation.after(MOST_LISTED, [mask.bit_count() for mask in keys.found]),
        keys_complete=keys.limit is None,
        keys_limit=keys.limit,
        keys_checked=keys.checked,
        share=options.share,
        k=k,
        max_size=levels.size,
        sets_examined=levels.examined,
        complete=levels.limit is None,
        limit=levels.limit,
        singling_out_found=len(levels.singling_out),
        singling_out=_list_found(known, levels.singling_out),
        singling_out_listed=_truncate(levels.singling_out),
        below_k_found=len(levels.below_k),
        below_k=_list_found(known, levels.below_k),
        below_k_listed=_truncate(levels.below_k),
    )


def _list_found(known: KnownSets, rows: Sequence[dict[str, Any]]) -> tuple[SetFound, ...]:
    """List found sets with their figures."""
    return tuple(
        SetFound(
            attributes=known.list_names(row["mask"]),
            singled_out=row["singled_out"],
            share_singled_out=row["share_singled_out"],
            smallest_class=row["smallest_class"],
        )
        for row in rows[:MOST_LISTED]
    )


def _truncate(rows: Sequence[dict[str, Any]]) -> Truncation:
    """Count found sets, and those that rank as the last listed one."""
    return Truncation.after(MOST_LISTED, [(row["mask"].bit_count(), row["singled_out"]) for row in rows])
