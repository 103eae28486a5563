"""Measure whether the items that most users have are the same in a release."""

from __future__ import annotations

from dataclasses import dataclass

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, render
from duckrisk.release.recommendation.weighting import History

#: Table of the original's top items, which remains.
TOP_ITEMS = "recommendation_top_items"


@dataclass(frozen=True)
class TopItemsLoss:
    """How many top items of the original are none in the release.

    Attributes:
        loss: Missing items divided by `top`, from 0 to 1.
        top: Number of top items that was asked for.
        items: Number of top items of the original; less than `top` if it has fewer items.
        missing: Number of these that are not among the top items of the release.
    """

    loss: float
    top: int
    items: int
    missing: int


def measure_top_items_loss(
    session: Session, original: History, release: History, top: int = 100
) -> TopItemsLoss:
    """Measure the share of the original's top items that the release lacks.

    The original's top items remain in the table ``TOP_ITEMS``.

    Args:
        session: The session.
        original: The history of the original.
        release: The history of the release.
        top: Number of top items.

    Raises:
        UsageError: `top` is no whole number above 0.
    """
    if type(top) is not int or top < 1:
        raise UsageError("recommendation.invalid_top")
    session.run("keep_top_items", top=_render_top_items(original, top), table=TOP_ITEMS)
    row = session.fetch_row(
        "top_items_loss", original=TOP_ITEMS, release=_render_top_items(release, top), k=top
    )
    return TopItemsLoss(row["loss"], top, row["items"], row["missing"])


def _render_top_items(history: History, top: int) -> Sql:
    return render("top_items", source=history.relation, user=history.user, item=history.item, most=top)
