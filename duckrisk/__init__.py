"""duckrisk: how easily someone in a table can be re-identified, measured inside DuckDB.

>>> import duckrisk
>>> report = duckrisk.assess("retail.parquet", user="CustomerID")  # doctest: +SKIP
>>> report.to_frame()  # doctest: +SKIP
"""

# The command reads this before it can hear an interrupt: so nothing else is read here, until it is asked for.
# This is false for Python and unknown to completion, which lists nothing below a plain False.
TYPE_CHECKING = not __name__
if TYPE_CHECKING:
    from duckrisk.api.jobs import (
        advise,
        anonymize,
        assess,
        attack,
        compare,
        explain,
        sequence,
        sql,
        tables,
    )
    from duckrisk.base.errors import (
        DuckriskError,
        EngineError,
        Interrupted,
        OutputError,
        SourceError,
        UsageError,
    )
    from duckrisk.contests import membership, pwscup

__version__ = "0.1.0"
__all__ = [
    "DuckriskError",
    "EngineError",
    "Interrupted",
    "OutputError",
    "SourceError",
    "UsageError",
    "__version__",
    "advise",
    "anonymize",
    "assess",
    "attack",
    "compare",
    "explain",
    "membership",
    "pwscup",
    "sequence",
    "sql",
    "tables",
]

if not TYPE_CHECKING:

    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        if name in ("membership", "pwscup"):
            globals()[name] = import_module(f"duckrisk.contests.{name}")
        else:
            home = "duckrisk.api.jobs" if name.islower() else "duckrisk.base.errors"
            globals()[name] = getattr(import_module(home), name)
        return globals()[name]

    def __dir__():
        return [*__all__]


del TYPE_CHECKING  # completion lists what is here


def _presenter() -> object:
    """The module that makes forms of results: what measures knows no report and asks here for one."""
    from duckrisk.report import forms

    return forms
