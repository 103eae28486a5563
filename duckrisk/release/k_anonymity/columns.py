"""Leave out columns, and keep the others as they are, until few records are in small classes."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql


def choose_columns(
    session: Session,
    source: Sql,
    columns: Sequence[str],
    k: int,
    *,
    user: str | None = None,
    keep: Sequence[str] = (),
    delete_at_most: float = 0.05,
) -> tuple[list[str], int]:
    """Choose the columns that stay as they are.

    Columns of few values are tried first. One more column makes classes smaller, never larger.

    Args:
        session: The session.
        source: The records.
        columns: Bindings of the quasi-identifiers.
        k: Minimum number of records, or of people, in a class.
        user: Binding of the user column; None to count records.
        keep: Bindings of the columns that stay in any case.
        delete_at_most: Maximum share of the records in smaller classes, from 0 to 1.

    Returns:
        Bindings of the columns that stay, in their order, and the records in smaller classes.
    """
    records = session.fetch_row("table_size", source=source)["found"]
    counts = session.fetch_row("distinct_of_columns", source=source, columns=list(columns))["counts"]
    chosen, deleted = [name for name in columns if name in keep], 0
    for _, name in sorted((n, name) for n, name in zip(counts, columns, strict=True) if name not in keep):
        small = session.fetch_row(
            "small_class_records", source=source, columns=[*chosen, name], user=user, k=k
        )["records"]
        if small <= delete_at_most * records:
            chosen.append(name)
            deleted = small
    return [name for name in columns if name in chosen], deleted
