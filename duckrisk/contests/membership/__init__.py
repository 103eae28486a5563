"""Membership inference: synthetic releases, and who was in the table that they were made from.

The functions do what the commands of ``duckrisk membership`` do. Tables are paths, folders or glob
patterns, pandas DataFrames, Arrow tables or DuckDB relations. ``memory``, ``threads`` and ``temp`` bound
what the engine takes; ``read`` and ``missing_tokens`` are those of :func:`duckrisk.assess`; ``fail_on`` are
gates, and ``baseline`` is the file of an earlier report: ``gates`` and ``baseline`` of the result say what
was found.
All raise UsageError for what was asked wrongly, SourceError for a source that cannot
be used, and EngineError or OutputError where memory or disk run out.

>>> from duckrisk.contests import membership
>>> membership.synthesize("members.parquet", "made.parquet", seed=1)  # doctest: +SKIP
>>> membership.attack("people.parquet", "made.parquet", members="members.parquet")  # doctest: +SKIP
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckrisk.contests.membership.functions import (
        anneal,
        attack,
        exposed,
        risks,
        score,
        synthesize,
        utility,
    )

__all__ = ["anneal", "attack", "exposed", "risks", "score", "synthesize", "utility"]

if not TYPE_CHECKING:
    # Commands import the modules of this package, and none of its functions.

    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from duckrisk.contests.membership import functions

        return getattr(functions, name)

    def __dir__():
        return [*globals(), *__all__]
