"""Full-domain recoding: one level of its hierarchy for all values of a quasi-identifier.

The lattice of all levels is searched as Incognito does (LeFevre et al., SIGMOD 2005): what is coarser than a
k-anonymous choice is so too, and one that fails with some of the quasi-identifiers fails with more of them.
Of the k-anonymous choices the one of the least penalty is taken, so what loses more than the best known need
not be looked at.
"""

from __future__ import annotations

import math

from duckrisk.base.errors import UsageError
from duckrisk.measures.identifiability.combinations import Layout
from duckrisk.release.k_anonymity.tuples import Tuples

#: A lattice of more nodes than this takes too long.
MOST_NODES = 200_000
#: A statement looks at so many pairs of a node and a tuple, and at no more nodes than so many.
BATCH_PAIRS = 4_000_000
BATCH_NODES = 256


def search(tuples: Tuples, k: int) -> tuple[tuple[int, ...], int]:
    """The best levels, and how many nodes of the lattice were examined to find them."""
    session, heights = tuples.session, tuples.heights
    nodes = math.prod(height + 1 for height in heights)
    if nodes > MOST_NODES:
        raise UsageError("k_anonymity.too_many_nodes", nodes=nodes, most_nodes=MOST_NODES)
    layout = Layout.of(tuples.leaves)
    session.run("domain_tuples", heights=heights, tables=tuples.tables, shifts=layout.shifts)
    session.run("domain_penalties", heights=heights, leaves=tuples.leaves, tables=tuples.tables)
    session.run("domain_nodes", heights=heights)
    most = max(1, min(BATCH_NODES, BATCH_PAIRS // tuples.tuples))
    examined = 0
    while True:
        session.run("domain_batch", most=most)
        batch = session.fetch_row("domain_count_batch")["nodes"]
        if not batch:
            break
        examined += batch
        session.run("domain_examine", heights=heights, words=layout.words, k=k)
        session.run("domain_settle", heights=heights)
    return tuple(session.fetch_row("domain_best", heights=heights)["levels"]), examined


def recode(tuples: Tuples, levels: tuple[int, ...]) -> None:
    """Put every tuple in the class of its labels on these levels."""
    parameters = {"heights": tuples.heights, "levels": list(levels), "tables": tuples.tables}
    tuples.session.run("domain_classes", **parameters)
    tuples.session.run("domain_cells", leaves=tuples.leaves, **parameters)
