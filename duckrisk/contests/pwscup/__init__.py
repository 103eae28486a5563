"""The contests of 2017 and 2018 on purchase histories: releases under pseudonyms, attacks, and scores.

The functions do the jobs of the commands ``duckrisk pwscup ...``. Histories, releases and tables are paths of
files; where columns are named also pandas DataFrames, Arrow tables or DuckDB relations. Files of the contest
need no names of columns; for any other history name its columns: ``user``, ``date`` and ``item``, and where
there are such ``time``, ``price``, ``quantity`` and ``invoice``. ``period`` is how long a pseudonym is valid:
"day", "week", "month" or "quarter". Of items attackers know the first ``item_prefix`` characters: 0 is all of
them, and the default 2 for files of the contest and else all. ``memory``, ``threads``, ``temp``, ``read`` and
``missing_tokens`` are those of :func:`duckrisk.assess`. ``fail_on`` are gates, and
``baseline`` is the file of an earlier report: ``gates`` and ``baseline`` of the result say what was found.

All raise UsageError for what was asked wrongly, SourceError for files that cannot be used, OutputError and
EngineError where disk or memory run out; nothing is left behind then.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckrisk.contests.pwscup.functions import (
        anonymize,
        attack,
        check,
        lifetimes,
        partial_knowledge,
        pseudonyms,
        release,
        score,
        score_2018,
        utility,
    )

__all__ = [
    "anonymize",
    "attack",
    "check",
    "lifetimes",
    "partial_knowledge",
    "pseudonyms",
    "release",
    "score",
    "score_2018",
    "utility",
]

if not TYPE_CHECKING:
    # Commands import the modules of this package, and none of its functions.

    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from duckrisk.contests.pwscup import functions

        return getattr(functions, name)

    def __dir__():
        return [*globals(), *__all__]
