"""Make a table k-anonymous: each record is equal to k - 1 others in what is known.

Values of quasi-identifiers become coarser as little as possible, by the normalized certainty penalty (NCP) of
Xu et al. (2006): class by class (:mod:`local`), or in one form a column (:mod:`uniform`).
"""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.base.errors import EngineError, UsageError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute, Sql
from duckrisk.release.k_anonymity import local
from duckrisk.release.k_anonymity.model import Outcome, QuasiIdentifier
from duckrisk.release.k_anonymity.tuples import Tuples, name_values

__all__ = ["Outcome", "QuasiIdentifier", "k_anonymize"]

#: Quasi-identifiers (derived: their distances, as whole numbers, add up without overflow).
MAX_QUASI_IDENTIFIERS = 200

_TABLES = (
    *("quasi_records", "quasi_tuples", "quasi_classes", "quasi_boxes", "quasi_cells", "quasi_members"),
    *("quasi_people", "quasi_owned", "quasi_rare", "quasi_sensitive"),
    *("growing_left", "growing_members", "growing_moved", "growing_rejected", "growing_ways"),
    *("local_best", "local_candidates", "local_chosen", "local_disclosing", "local_open", "local_parts"),
    *("local_sided", "local_sides", "local_sizes", "local_work"),
)


def k_anonymize(
    session: Session,
    source: Sql,
    target: str,
    quasi_identifiers: Sequence[QuasiIdentifier],
    k: int,
    *,
    user: str | None = None,
    sensitive: Sequence[Attribute] = (),
    numbers: str = "interval",
    categories: str = "text",
) -> Outcome:
    """Make a table with coarser quasi-identifiers.

    A quasi-identifier that changed anywhere becomes text: the value itself, an interval ``[20, 35]`` of
    numbers or moments, a set ``{a, b}`` of categories, a label of its hierarchy, or ``*``.

    Args:
        session: The session.
        source: The records, with the column ``record``, which has the same number each time it is read.
        target: Name of the temporary table to make.
        quasi_identifiers: The columns to generalize.
        k: Minimum number of records, or of people, in each class.
        user: Binding of the user column; classes count people then.
        sensitive: Forms of the columns whose values no class may disclose.
        numbers: What numbers and moments become: "interval", the "mean" of the class, or two columns with
            the "bounds".
        categories: What several categories become: "text" or "list".

    Raises:
        UsageError: The arguments do not fit the table.
        EngineError: The resulting table is not k-anonymous.
    """
    _check_arguments(quasi_identifiers, k)
    tables = [*_TABLES, *map(name_values, range(len(quasi_identifiers)))]
    try:
        tuples = Tuples(session, source, quasi_identifiers, user, sensitive, has_lists=categories == "list")
        tuples.check_members(k)
        session.run("begin_classes")
        if k == 1:
            session.run("tuple_classes", separate=True)
        else:
            local.split(tuples, k, [quasi.weight for quasi in quasi_identifiers])
        _recode_classes(tuples, quasi_identifiers, numbers, categories)
        losses = session.fetch_row("class_losses", columns=tuples.columns)
        bounded = _write_target(tuples, source, target, losses["changed"], numbers)
    finally:
        for table in tables:
            session.run("drop_table", table=table)
    known = [*tuples.columns, *bounded.values()]
    sizes = session.fetch_row("made_class_sizes", target=target, columns=known, k=k)
    smallest, people = sizes["smallest"], tuples.members if tuples.has_people else None
    if user is not None:
        smallest = session.fetch_row("smallest_class_of_people", target=target, columns=known, user=user)[
            "smallest"
        ]
    if smallest < k or sizes["records"] != tuples.records:
        raise EngineError("k_anonymity.classes_below_k")
    sizes["smallest"] = smallest
    return Outcome(**sizes, ncp=losses["ncp"], gcp=losses["gcp"], people=people, uppers=bounded)


def _recode_classes(
    tuples: Tuples, quasi_identifiers: Sequence[QuasiIdentifier], numbers: str, categories: str
) -> None:
    intervals = [i for i, height in enumerate(tuples.heights) if not height]
    run, tables = tuples.session.run, tuples.tables
    means = intervals if numbers == "mean" else []
    run("class_boxes", columns=tuples.columns, sets=tuples.sets, means=means, tables=tables)
    run(
        "class_cells",
        heights=tuples.heights,
        leaves=tuples.leaves,
        tables=tables,
        sets=tuples.sets,
        numbers=numbers,
        kinds=[quasi.moment or "number" for quasi in quasi_identifiers],
        listed=categories == "list",
        prefixes=tuples.prefixes,
    )


def _write_target(
    tuples: Tuples, source: Sql, target: str, has_changed: Sequence[bool], numbers: str
) -> dict[str, str]:
    """Write the recoded records, and return the columns with upper bounds."""
    session = tuples.session
    session.run("quasi_members", columns=tuples.columns, more=tuples.more)
    names = [name for name, _ in session.describe(source)]
    changed = [column for column, has in zip(tuples.columns, has_changed, strict=True) if has]
    uppers = [
        i
        for i, column in enumerate(tuples.columns)
        if numbers == "bounds" and not tuples.heights[i] and column in changed
    ]
    session.run(
        "quasi_target",
        source=source,
        names=names,
        replacements=[tuples.columns.index(name) if name in changed else -1 for name in names],
        uppers=uppers,
        table=target,
    )
    return {tuples.columns[i]: f"upper{i}" for i in uppers}


def _check_arguments(quasi_identifiers: Sequence[QuasiIdentifier], k: int) -> None:
    if k < 1:
        raise UsageError("k_anonymity.k_below_one", k=k)
    if not quasi_identifiers:
        raise UsageError("k_anonymity.quasi_identifier_missing")
    if len(quasi_identifiers) > MAX_QUASI_IDENTIFIERS:
        raise UsageError(
            "k_anonymity.too_many_quasi_identifiers",
            count=len(quasi_identifiers),
            most_quasi_identifiers=MAX_QUASI_IDENTIFIERS,
        )
    bindings = [quasi.binding for quasi in quasi_identifiers]
    for quasi in quasi_identifiers:
        if bindings.count(quasi.binding) > 1:
            raise UsageError("k_anonymity.duplicate_quasi_identifier", quasi=quasi.name)
