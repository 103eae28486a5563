"""Measure how similar items are by their users, in the original and in a release.

The matrix of all pairs is never stored. Items are taken in blocks, and each block of both matrices is
compared and summed before the next one is computed.
"""

from __future__ import annotations

from dataclasses import dataclass

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from duckrisk.release.recommendation.weighting import History, Weighting

#: Products of a block at least (a choice: with fewer, planning a statement takes longer than running it).
BLOCK_PRODUCTS = 2_000_000
#: Blocks of a table with more products (a choice: it bounds the number of statements).
BLOCKS = 30
#: Pairs of a block, apart from those of its last item (tests/benchmarks/item_similarity.py: about 400 MB).
BLOCK_PAIRS = 8_000_000

_ITEMS, _USERS = "recommendation_items", "recommendation_users"
_VECTORS, _NORMS = "recommendation_vectors", "recommendation_norms"
_DIFFERENCES = "recommendation_differences"


@dataclass(frozen=True)
class SimilarityLoss:
    """How much less similar items are in a release.

    Attributes:
        loss: The loss; 0.0 if the original has no pair.
        pairs: Number of compared pairs of different items.
        items: Number of items that some user of the original has.
        vanished: Number of these that no user of the release has.
        omitted_users: Number of users of the original with too many items.
        omitted_release_users: Number of users of the release with too many items.
    """

    loss: float
    pairs: int
    items: int
    vanished: int
    omitted_users: int
    omitted_release_users: int


def measure_similarity_loss(
    session: Session,
    original: History,
    release: History,
    weighting: Weighting,
    *,
    diagonal: bool = False,
    items: str | None = None,
    most_items: int | None = None,
) -> SimilarityLoss:
    """Measure the distance between the cosines of items in a release and the original.

    Only pairs of items that some user of the original has count. Records without a user or an item are
    skipped, and items that the original lacks.

    Args:
        session: The session.
        original: The history of the original.
        release: The history of the release.
        weighting: How much of an item a user has.
        diagonal: Whether each item is also compared with itself.
        items: Table with the column "item": the only items to compare; None for all.
        most_items: Maximum number of compared items of a user; users with more are left out, as a user with n
            items costs n² / 2 products. None for all users.

    Raises:
        UsageError: The weighting or the number of items makes no sense.
    """
    weighting.check()
    if most_items is not None and (type(most_items) is not int or most_items < 1):
        raise UsageError("recommendation.invalid_most_items")
    session.run(
        "numbered_items",
        source=original.relation,
        user=original.user,
        item=original.item,
        items=items,
        table=_ITEMS,
    )
    session.run("begin_vectors", table=_VECTORS)
    for released, history in enumerate((original, release)):
        session.run(
            "numbered_users",
            source=history.relation,
            user=history.user,
            released=bool(released),
            table=_USERS,
        )
        session.run(
            "item_vectors",
            **weighting.arguments(history),
            items=_ITEMS,
            users=_USERS,
            released=bool(released),
            table=_VECTORS,
        )
    sizes = session.fetch_row("vector_sizes", vectors=_VECTORS, most_items=most_items)
    exact = bool(sizes.pop("exact"))
    if most_items is not None:
        session.run("leave_out_users", vectors=_VECTORS, most_items=most_items)
    session.run("vector_norms", items=_ITEMS, vectors=_VECTORS, exact_sums=exact, table=_NORMS)
    session.run("begin_differences", table=_DIFFERENCES)
    blocks = session.run(
        "item_blocks", norms=_NORMS, products=BLOCK_PRODUCTS, blocks=BLOCKS, pairs=BLOCK_PAIRS
    )
    for block in blocks:
        session.run(
            "add_differences", vectors=_VECTORS, norms=_NORMS, exact_sums=exact, table=_DIFFERENCES, **block
        )
    loss = session.fetch_row("similarity_loss", differences=_DIFFERENCES, norms=_NORMS, diagonal=diagonal)
    return SimilarityLoss(**loss, **sizes)
