"""Which items most users have, and whether a release still says so."""

from __future__ import annotations

from dataclasses import dataclass

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, render
from duckrisk.release.recommendation.weighting import History

#: The table that the original's top items are left in.
TOP_ITEMS = "recommendation_top_items"


@dataclass(frozen=True)
class TopItemsLoss:
    """``loss`` is |U - U'| / top, ``missing`` is |U - U'|, ``items`` is |U|, smaller than ``top`` where the
    original has fewer items."""

    loss: float
    top: int
    items: int
    missing: int


def measure_top_items_loss(
    session: Session, original: History, release: History, top: int = 100
) -> TopItemsLoss:
    """The share of the original's ``top`` items that are not among those of the release. The original's stay
    in the table ``TOP_ITEMS``."""
    if type(top) is not int or top < 1:
        raise UsageError("recommendation.invalid_top")
    session.run("keep_top_items", top=_render_top_items(original, top), table=TOP_ITEMS)
    row = session.fetch_row(
        "top_items_loss", original=TOP_ITEMS, release=_render_top_items(release, top), k=top
    )
    return TopItemsLoss(row["loss"], top, row["items"], row["missing"])


def _render_top_items(history: History, top: int) -> Sql:
    return render("top_items", source=history.relation, user=history.user, item=history.item, most=top)
