"""Measure how a release changes recommendations by what users have in common."""

from __future__ import annotations

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql
from duckrisk.release.comparison.results import Recommendation
from duckrisk.release.recommendation import BINARY, History, measure_similarity_loss, measure_top_items_loss
from duckrisk.roles import Roles
from duckrisk.source import Source

#: Top items to compare, or all if there are fewer (a choice: more than a recommendation shows).
TOP_COUNT = 100


def find_item_columns(original: Source, roles: Roles, item: str) -> tuple[str, str]:
    """Find the columns of user and item in the original.

    Args:
        original: The original.
        roles: The roles of its columns.
        item: Name of the column of items.

    Raises:
        UsageError: There is no user column, or the item is the user.
    """
    if roles.user is None:
        raise UsageError("comparison.recommendations_without_user")
    name = original.column(item).name
    if name == roles.user.name:
        raise UsageError("comparison.item_is_user", name=name)
    return roles.user.name, name


def measure(
    session: Session, names: tuple[str, str], tables: list[tuple[Sql, dict[str, str]]]
) -> Recommendation | None:
    """Measure the losses of a release.

    Args:
        session: The session.
        names: Names of the columns of user and item in the original.
        tables: Relation of the original and of the release, each with its columns by the names of the
            original.

    Returns:
        The losses; None if the release lacks user or item.
    """
    histories = []
    for relation, columns in tables:
        if not columns.keys() >= set(names):
            return None
        histories.append(History(relation, columns[names[0]], columns[names[1]]))
    original, release = histories
    top = measure_top_items_loss(session, original, release, TOP_COUNT)
    if 0 < top.items < TOP_COUNT:
        top = measure_top_items_loss(session, original, release, top.items)
    similarity = measure_similarity_loss(session, original, release, BINARY)
    return Recommendation(
        item=names[1],
        similarity_loss=similarity.loss,
        pairs=similarity.pairs,
        items=similarity.items,
        vanished_items=similarity.vanished,
        top_loss=top.loss,
        top=top.top,
        missing_top_items=top.missing,
    )
