"""Errors that duckrisk reports: one sentence each, with an exit code.

The sentences are in ``errors.toml``. An error is raised with a key of that file and the values of the
sentence's placeholders.
"""

from __future__ import annotations

import functools
from typing import Any


class DuckriskError(Exception):
    """Base of all errors that duckrisk reports. The text is one sentence and holds no value of the data.

    Args:
        key: A key of ``errors.toml``, or a finished sentence.
        values: The values of the sentence's placeholders.

    Attributes:
        exit_code: What the command line exits with.
    """

    exit_code = 3

    def __init__(self, key: str = "", /, **values: object) -> None:
        super().__init__(format_message(key, **values) if key in load_messages() else key)
        self.key, self.values = key, values


@functools.cache
def load_messages() -> dict[str, str]:
    """Load the sentences of ``errors.toml``, by keys such as "source.no_columns"."""
    import tomllib
    from pathlib import Path

    tables = tomllib.loads(Path(__file__).with_name("errors.toml").read_text(encoding="utf-8"))
    return {f"{table}.{key}": text for table, entries in tables.items() for key, text in entries.items()}


def format_message(key: str, /, **values: object) -> str:
    """Fill the placeholders of a sentence.

    Args:
        key: A key of ``errors.toml``.
        values: The values of its placeholders, by their names.

    Returns:
        The sentence.
    """
    return load_messages()[key].format(**values)


class UsageError(DuckriskError):
    """An option, a setting or a settings file is invalid (exit code 2)."""

    exit_code = 2


class NotReachedError(DuckriskError):
    """No release keeps the wanted policy, and nothing was written (exit code 1, as for a failed gate).

    Args:
        key: A key of ``errors.toml``.
        policy: The name of the policy.
        values: The values of the other placeholders.
    """

    exit_code = 1

    #: The reason as a sentence of a report; None without one.
    because: Any = None

    def __init__(self, key: str, /, *, policy: str, **values: object) -> None:
        super().__init__(key, policy=policy, **values)
        self.policy = policy


class SourceError(DuckriskError):
    """The source cannot be read or assessed (exit code 3)."""


class EngineError(DuckriskError):
    """The engine failed: memory, disk, or a fault of its own (exit code 3)."""


class MemoryEndedError(EngineError):
    """The engine ran out of its memory limit, which a smaller question may not (exit code 3)."""


class WriteError(EngineError):
    """A file could not be written to its end.

    Args:
        key: A key of ``errors.toml``.
        why: The reason, in words.

    Attributes:
        path: The file; empty if unknown.
    """

    path = ""

    def __init__(self, key: str, /, *, why: str) -> None:
        super().__init__(key, why=why)
        self.why = why


class GoneError(EngineError):
    """A distributed engine no longer answers; further calls would only wait."""


class TimeLimitError(EngineError):
    """A statement was stopped, or did not start, because its time is over (:meth:`Session.limit_time`)."""

    def __init__(self) -> None:
        super().__init__("errors.time_limit_over")


class OutputError(DuckriskError):
    """A report could not be written (exit code 3)."""


class Interrupted(DuckriskError):  # noqa: N818 - users import it by this name
    """A signal stopped the run (exit code 130; 143 for a termination)."""

    exit_code = 130


#: Similarity from which a name counts as misspelled (the default of difflib.get_close_matches).
_SIMILARITY = 0.6
#: Difference of two such ratios; a name further below the best one is no suggestion (tests/test_errors.py).
_SIMILARITY_MARGIN = 0.2
#: Characters from which a name inside another is no coincidence (tests/test_errors.py: "no" in "InvoiceNo").
_MIN_SUBSTRING = 3


def suggest_names(name: str, names: list[str]) -> str:
    """Return the end of a sentence on an unknown name.

    Args:
        name: The unknown name.
        names: The known names.

    Returns:
        Similar names, as in ``; did you mean "age"?``; else the first known ones; "." if there are none.
    """
    if similar := find_similar_names(name, names):
        return f"; did you mean {' or '.join(map(_quote, similar))}?"
    return f"; there {'is' if len(names) == 1 else 'are'} {quote_names(names)}." if names else "."


def find_similar_names(name: str, names: list[str], most: int = 3) -> list[str]:
    """Find names that ``name`` may be a misspelling or a part of, in any case.

    Args:
        name: The unknown name.
        names: The known names; a table also matches without its schema.
        most: Largest number of results.

    Returns:
        Names with similar spelling, the most similar first, then names that contain ``name``.
    """
    import difflib

    wanted = name.casefold()
    folded = {candidate.rpartition(".")[2].casefold(): candidate for candidate in reversed(names)}
    folded |= {candidate.casefold(): candidate for candidate in reversed(names)}
    close = difflib.get_close_matches(wanted, list(folded), n=most, cutoff=_SIMILARITY)
    ratios = [difflib.SequenceMatcher(None, key, wanted).ratio() for key in close]
    # Where one name is nearly right, others that are far from it only distract.
    close = [key for key, ratio in zip(close, ratios, strict=True) if ratio >= ratios[0] - _SIMILARITY_MARGIN]
    containing = [key for key in reversed(folded) if wanted in key and len(wanted) >= _MIN_SUBSTRING]
    return list(dict.fromkeys(folded[key] for key in [*close, *containing]))[:most]


def quote_names(names: list[str], most: int = 8) -> str:
    """Quote the first names of a list for a sentence, and count the rest.

    Args:
        names: The names.
        most: Number of names that are quoted.

    Returns:
        Text such as ``"a", "b" and 3 more``.
    """
    quoted = ", ".join(map(_quote, names[:most]))
    return quoted + (f" and {len(names) - most} more" if len(names) > most else "")


def _quote(name: str) -> str:
    return f'"{name}"'
