"""The contest of 2017 on long purchase histories: releases under pseudonyms, attacks on them, and scores.

The functions do the jobs of the commands ``duckrisk pwscup ...``. Files of the contest need no names of
columns; for any other history name its columns (``user``, ``date``, ``item``, and where there are such
``time``, ``price``, ``quantity``, ``invoice``).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.pwscup.options import ITEM_PREFIX, Options, layout_of

if TYPE_CHECKING:
    from duckrisk.pwscup.writing import Written
    from duckrisk.report.pwscup.check import Check


def check(
    original: Any,
    *releases: Any,
    guesses: Iterable[Any] = (),
    master: Any = None,
    period: str = "month",
    show_values: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    **columns: str | None,
) -> Check:
    """Check releases and guesses against the constraints: the same job as ``duckrisk pwscup check``.

    Returns a :class:`duckrisk.report.pwscup.check.Check`: every constraint with the count of its violations
    and the first rows. Raises SourceError where the original itself cannot be used.
    """
    from duckrisk.pwscup.constraints import run
    from duckrisk.session import Resources
    from duckrisk.source import Request

    return run(
        Request(original),
        [Request(release) for release in releases],
        [Request(guess) for guess in guesses],
        Request(master) if master is not None else None,
        Options(layout=_layout(columns), period=period, show_values=show_values),
        Resources(memory, threads, temp),
    )


def pseudonyms(
    original: Any,
    release: Any,
    output: Any,
    *,
    master: Any = None,
    period: str = "month",
    overwrite: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    **columns: str | None,
) -> Written:
    """Write the true pseudonyms of all users, one a period: as ``duckrisk pwscup pseudonyms``."""
    from duckrisk.anonymization import Target
    from duckrisk.pwscup import writing
    from duckrisk.session import Resources
    from duckrisk.source import Request

    return writing.pseudonyms(
        Request(original),
        Request(release),
        Request(master) if master is not None else None,
        Target(Path(output), None, overwrite),
        Options(layout=_layout(columns), period=period),
        Resources(memory, threads, temp),
    )


def release(
    source: Any,
    output: Any,
    *,
    seed: int = 0,
    overwrite: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    **columns: str | None,
) -> Written:
    """Write a release without its deleted records, shuffled: as ``duckrisk pwscup release``."""
    from duckrisk.anonymization import Target
    from duckrisk.pwscup import writing
    from duckrisk.session import Resources
    from duckrisk.source import Request

    target, options = Target(Path(output), None, overwrite), Options(layout=_layout(columns))
    return writing.release(Request(source), target, seed, options, Resources(memory, threads, temp))


def partial_knowledge(
    original: Any,
    output: Any,
    *,
    alpha: float,
    seed: int = 0,
    item_prefix: int | None = ITEM_PREFIX,
    overwrite: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    **columns: str | None,
) -> Written:
    """Write what an attacker knows: ``alpha`` percent of the records in their places, the others empty, with
    the first ``item_prefix`` characters of items (None: all): as ``duckrisk pwscup partial-knowledge``."""
    from duckrisk.anonymization import Target
    from duckrisk.pwscup import writing
    from duckrisk.session import Resources
    from duckrisk.source import Request

    target, options = Target(Path(output), None, overwrite), Options(layout=_layout(columns))
    resources = Resources(memory, threads, temp)
    return writing.partial_knowledge(Request(original), target, alpha, seed, item_prefix, options, resources)


def _layout(columns: dict[str, str | None]) -> Any:
    from duckrisk.errors import UsageError, nearest
    from duckrisk.pwscup.options import Layout

    for name in columns:
        if name not in Layout.__dataclass_fields__:
            hint = nearest(name, list(Layout.__dataclass_fields__))
            raise UsageError(f'There is no option "{name}"; did you mean {hint}?')
    return layout_of(columns)
