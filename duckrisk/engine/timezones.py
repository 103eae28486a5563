"""The time zone of a session: days and hours of moments are those of this zone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from duckrisk.base.errors import UsageError, find_similar_names
from duckrisk.base.options.source import UTC

#: A name for those who wrote none that is like one.
_EXAMPLE = "Asia/Tokyo"


def name_timezone(wanted: str | None, list_rows: Callable[[], Sequence[tuple[str]]]) -> str:
    """Return the name of a time zone as the engine writes it, whatever that of the machine is.

    Args:
        wanted: The name of a zone, in any case; None for UTC.
        list_rows: Lists the zones that the engine knows.

    Raises:
        UsageError: The engine knows no such zone.
    """
    if wanted is None:
        return UTC
    names = [name for (name,) in list_rows()]
    found = next((name for name in names if name.casefold() == wanted.casefold()), None)
    if found is not None:
        return found
    cities = {name.rpartition("/")[2]: name for name in names}
    likely = find_similar_names(wanted.rpartition("/")[2], list(cities), most=1)
    example = cities[likely[0]] if likely else _EXAMPLE
    raise UsageError("session.unknown_timezone", name=wanted, example=example)
