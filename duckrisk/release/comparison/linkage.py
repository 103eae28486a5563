"""Record linkage by the attacker with the most knowledge there can be, against what a blind link reaches."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.measures.detail import ComparedColumn
from duckrisk.release.comparison.coverage import Coverage
from duckrisk.release.comparison.results import Linkage

#: Records that linkage is tried on (a choice: a second).
MOST_RECORDS = 400
#: How often the columns of the release are shuffled, to see a blind link (a choice: within 1 point).
PERMUTATIONS = 200


def measure(coverage: Coverage, keys: tuple[str | None, str | None], seed: int) -> Linkage | None:
    """Measure how often records are linked by the attributes with several values left.

    Args:
        coverage: The original and the release.
        keys: The columns that number the records of both; None for their order.
        seed: Seed of the sample and of the shuffles.

    Returns:
        The rates; None without such attributes, or without records that both tables have.
    """
    session, leaves = coverage.session, coverage.leaves
    linking = [
        attribute
        for attribute in leaves.attributes
        if attribute.number in coverage.bindings
        and sum(layer.cells for layer in coverage.layers[attribute.number]) > 1
    ]
    if not linking:
        return None
    session.run(
        "linkage_sample",
        original=leaves.original,
        release=coverage.release,
        original_key=keys[0],
        release_key=keys[1],
        seed=seed,
        max_records=MOST_RECORDS,
        table="linkage_records",
    )
    sides = (
        (leaves.original, keys[0], [a.binding for a in linking], [a.leaves for a in linking], 0),
        (coverage.release, keys[1], [coverage.bindings[a.number] for a in linking], _cells(linking), 1),
    )
    for source, key, columns, tables, cells in sides:
        session.run(
            "record_ranks",
            source=source,
            key=key,
            columns=columns,
            tables=tables,
            are_cells=cells == 1,
            scale=1 if leaves.records == coverage.records else [coverage.records, leaves.records][cells],
            sample="linkage_records",
            table=f"ranks_{cells}",
        )
    row = session.fetch_row(
        "linkage",
        original="ranks_0",
        release="ranks_1",
        attributes=len(linking),
        permutations=PERMUTATIONS,
        seed=seed,
    )
    names = tuple(attribute.name for attribute in linking)
    return Linkage(**row, permutations=PERMUTATIONS, attributes=names)


def _cells(attributes: Sequence[ComparedColumn]) -> list[str]:
    return [f"cells_{attribute.number}" for attribute in attributes]
