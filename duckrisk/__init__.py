"""duckrisk: how easily someone in a table can be re-identified, measured inside DuckDB.

>>> import duckrisk
>>> report = duckrisk.assess("retail.parquet", user="CustomerID")  # doctest: +SKIP
>>> report.to_frame()  # doctest: +SKIP
"""

# The command reads this before it can hear an interrupt: so nothing else is read here, until it is asked for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from duckrisk.errors import DuckriskError, EngineError, Interrupted, OutputError, SourceError, UsageError
    from duckrisk.jobs import advise, anonymize, assess, compare

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
    "compare",
]

if not TYPE_CHECKING:

    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import duckrisk.errors
        import duckrisk.jobs

        globals()[name] = getattr(duckrisk.jobs if name.islower() else duckrisk.errors, name)
        return globals()[name]

    def __dir__():
        return [*globals(), *__all__]


def presenter() -> "Any":
    """The module that makes forms of results: what measures knows no report and asks here for one."""
    from duckrisk.report import forms

    return forms
