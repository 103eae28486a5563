"""Finds the time zone of a session, in which moments are split into days and hours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from duckrisk.base.errors import UsageError, find_similar_names
from duckrisk.base.options.source import UTC

#: The zone that an error suggests where no similar one exists.
_EXAMPLE = "Asia/Tokyo"


def name_timezone(wanted: str | None, list_rows: Callable[[], Sequence[tuple[str]]]) -> str:
    """Return the engine's spelling of a time zone, whatever the machine's own is.

    Args:
        wanted: The name of a zone, in any case; None for UTC.
        list_rows: Lists the zones that the engine knows.

    Returns:
        The name that the setting TimeZone takes.

    Raises:
        UsageError: The engine knows no such zone.
    """
    if wanted is None:
        return UTC
    names = [name for (name,) in list_rows()]
    match = next((name for name in names if name.casefold() == wanted.casefold()), None)
    if match is not None:
        return match
    cities = {name.rpartition("/")[2]: name for name in names}
    similar = find_similar_names(wanted.rpartition("/")[2], list(cities), most=1)
    example = cities[similar[0]] if similar else _EXAMPLE
    raise UsageError("session.unknown_timezone", name=wanted, example=example)
