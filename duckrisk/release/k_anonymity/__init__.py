"""Make a table k-anonymous: each record is equal to k - 1 others in what is known.

Values of quasi-identifiers become coarser as little as the algorithm manages, by the normalized certainty
penalty (NCP) of Xu et al. (2006). Records keep their order, and all other columns their values. A template
that reads only the resulting table checks it.
"""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.base.errors import EngineError, UsageError, suggest_names
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql
from duckrisk.release.k_anonymity import full_domain, mondrian, topdown
from duckrisk.release.k_anonymity.model import Outcome, QuasiIdentifier
from duckrisk.release.k_anonymity.tuples import Tuples

__all__ = ["ALGORITHMS", "Outcome", "QuasiIdentifier", "k_anonymize"]

ALGORITHMS = ("topdown", "mondrian", "full-domain")
#: Quasi-identifiers (derived: their distances, as whole numbers, add up without overflow).
MAX_QUASI_IDENTIFIERS = 200

_TABLES = (
    "records", "tuples", "open", "placed", "sides", "counts", "moved", "parts", "seeds_0", "seeds_1",
    "cuts", "widths", "nodes", "batch", "examined", "penalties", "classes", "boxes", "cells", "members",
)  # fmt: skip


def k_anonymize(
    session: Session,
    source: Sql,
    target: str,
    quasi_identifiers: Sequence[QuasiIdentifier],
    k: int,
    algorithm: str = "topdown",
    seed: int = 0,
) -> Outcome:
    """Make a table with coarser quasi-identifiers.

    A quasi-identifier that changed anywhere becomes text: the value itself, an interval ``[20, 35]`` of
    numbers, a set ``{a, b}`` of categories, a label of its hierarchy, or ``*``.

    Args:
        session: The session.
        source: The records, with the column ``record``, which has the same number each time it is read.
        target: Name of the temporary table to make.
        quasi_identifiers: The columns to generalize.
        k: Minimum number of records in each class.
        algorithm: "topdown" (:mod:`topdown`), "mondrian" (:mod:`mondrian`) or "full-domain"
            (:mod:`full_domain`).
        seed: Seed of the search.

    Raises:
        UsageError: The arguments do not fit the table.
        EngineError: The resulting table is not k-anonymous.
    """
    _check_arguments(quasi_identifiers, k, algorithm)
    local = algorithm != "full-domain"
    tuples = Tuples(session, source, quasi_identifiers, intervals=local)
    if tuples.records < k:
        raise UsageError("k_anonymity.k_above_records", tuples_records=tuples.records, k=k)
    session.run("begin_classes")
    levels = nodes_examined = None
    if local:
        _split_classes(tuples, k, algorithm, seed)
        session.run("class_boxes", columns=tuples.columns, sets=tuples.sets)
        session.run(
            "class_cells",
            heights=tuples.heights,
            leaves=tuples.leaves,
            tables=tuples.tables,
            sets=tuples.sets,
        )
    else:
        levels, nodes_examined = full_domain.search(tuples, k)
        full_domain.recode(tuples, levels)
    losses = session.fetch_row("class_losses", columns=tuples.columns)
    session.run("quasi_members", columns=tuples.columns)
    names = [name for name, _ in session.describe(source)]
    changed = [column for column, has in zip(tuples.columns, losses["changed"], strict=True) if has]
    session.run(
        "quasi_target",
        source=source,
        names=names,
        replacements=[tuples.columns.index(name) if name in changed else -1 for name in names],
        table=target,
    )
    for table in (*(f"quasi_{table}" for table in _TABLES), *tuples.tables):
        session.run("drop_table", table=table)
    sizes = session.fetch_row("made_class_sizes", target=target, columns=tuples.columns, k=k)
    if sizes["smallest"] < k or sizes["records"] != tuples.records:
        raise EngineError("k_anonymity.classes_below_k")
    return Outcome(
        **sizes, ncp=losses["ncp"], gcp=losses["gcp"], levels=levels, nodes_examined=nodes_examined
    )


def _split_classes(tuples: Tuples, k: int, algorithm: str, seed: int) -> None:
    if k == 1:
        tuples.session.run("tuple_classes", separate=True)
    elif tuples.tuples == 1 or tuples.records < 2 * k:
        tuples.session.run("tuple_classes", separate=False)
    elif algorithm == "topdown":
        topdown.split(tuples, k, seed)
    else:
        mondrian.split(tuples, k)


def _check_arguments(quasi_identifiers: Sequence[QuasiIdentifier], k: int, algorithm: str) -> None:
    if algorithm not in ALGORITHMS:
        raise UsageError(
            "k_anonymity.unknown_algorithm",
            algorithm=algorithm,
            suggestion=suggest_names(algorithm, list(ALGORITHMS)),
        )
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
