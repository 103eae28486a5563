"""How alike items are by their users, in the original and in a release.

The matrix of all pairs is never kept: items are taken in blocks, and each block of both matrices is
compared and added up before the next one is computed.
"""

from __future__ import annotations

from dataclasses import dataclass

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from duckrisk.release.recommendation.weighting import History, Weighting

#: So many products are worth a statement of their own; of larger tables a block is this share of them all.
BLOCK_PRODUCTS = 2_000_000
BLOCKS = 30
#: A block holds no more pairs than these and one item's, whatever the size of the tables: about 400 MB.
BLOCK_PAIRS = 8_000_000

_ITEMS, _USERS = "recommendation_items", "recommendation_users"
_VECTORS, _NORMS = "recommendation_vectors", "recommendation_norms"
_DIFFERENCES = "recommendation_differences"


@dataclass(frozen=True)
class SimilarityLoss:
    """``loss`` is 0.0 where the original has no pair to lose. ``pairs`` are the pairs of different items that
    were compared, each once; ``items`` those that some user of the original has, and of them ``vanished``
    those that no user of the release has; ``users_left_out`` and ``release_users_left_out`` count those who
    had too many items."""

    loss: float
    pairs: int
    items: int
    vanished: int
    users_left_out: int
    release_users_left_out: int


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
    """How far the cosines of items in the release are from those in the original.

    Only pairs of items that some user of the original has count, with ``diagonal`` each item with itself
    too. ``items`` names a table with a column "item": the only items to compare. Records without a user or
    an item are skipped, and items that the original does not have.

    ``most_items`` leaves users out who have more items (of those that are compared): a user with n items
    costs n² / 2 products. By default nobody is left out.
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
