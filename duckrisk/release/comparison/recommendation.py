"""Whether recommendations by what users have in common are still those of the original."""

from __future__ import annotations

from duckrisk.base.errors import UsageError
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql
from duckrisk.release.comparison.results import Recommendation
from duckrisk.release.recommendation import BINARY, History, measure_similarity_loss, measure_top_items_loss
from duckrisk.roles import Roles
from duckrisk.source import Source

#: So many items are the top ones, or all where the original has fewer.
TOP_COUNT = 100


def find_item_columns(original: Source, roles: Roles, item: str) -> tuple[str, str]:
    """The names of the user and of the item; raises UsageError where these do not make a history."""
    if roles.user is None:
        raise UsageError("comparison.recommendations_without_user")
    name = original.column(item).name
    if name == roles.user.name:
        raise UsageError("comparison.item_is_user", name=name)
    return roles.user.name, name


def measure(
    session: Session, names: tuple[str, str], tables: list[tuple[Sql, dict[str, str]]]
) -> Recommendation | None:
    """The losses of a release: ``tables`` are the original and the release, each with its columns by the
    names of the original. None where the release lacks the user or the item."""
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
