"""The errors that a person can cause or must know of: one clear sentence each, with an exit code."""

from __future__ import annotations


class DuckriskError(Exception):
    """Base of all errors that duckrisk reports; its text is one sentence without any value of the data.

    ``exit_code`` is what the command line exits with.
    """

    exit_code = 3


class UsageError(DuckriskError):
    """An option, a setting or a file of settings that cannot be used (exit code 2)."""

    exit_code = 2


class SourceError(DuckriskError):
    """A source that cannot be read or assessed (exit code 3)."""


class EngineError(DuckriskError):
    """The engine could not finish: memory, disk, or a fault of its own (exit code 3)."""


class OutputError(DuckriskError):
    """A report that could not be written (exit code 3)."""


class Interrupted(DuckriskError):
    """The run was stopped by a signal (exit code 130, or 143 for a termination)."""

    exit_code = 130


def nearest(name: str, names: list[str], count: int = 3) -> str:
    """The ``count`` names most like ``name``, ready for a sentence ("a", "b" or "c")."""
    import difflib

    folded = {candidate.casefold(): candidate for candidate in reversed(names)}
    close = difflib.get_close_matches(name.casefold(), list(folded), n=count, cutoff=0.3)
    found = [folded[key] for key in close] or names[:count]
    return " or ".join(f'"{candidate}"' for candidate in found)
