"""The errors that a person can cause or must know of: one clear sentence each, with an exit code.

The sentences stand in ``errors.toml``, each with a key: what raises an error names the key and the values of
its placeholders.
"""

from __future__ import annotations

import functools


class DuckriskError(Exception):
    """Base of all errors that duckrisk reports; its text is one sentence without any value of the data.

    It is made of a key of ``errors.toml`` with the values of its placeholders, or of a sentence that was put
    together already. ``exit_code`` is what the command line exits with.
    """

    exit_code = 3

    def __init__(self, key: str = "", /, **values: object) -> None:
        super().__init__(format_message(key, **values) if key in load_messages() else key)
        self.key, self.values = key, values


@functools.cache
def load_messages() -> dict[str, str]:
    """The sentences of ``errors.toml`` by their keys."""
    import tomllib
    from pathlib import Path

    tables = tomllib.loads(Path(__file__).with_name("errors.toml").read_text(encoding="utf-8"))
    return {f"{table}.{key}": text for table, entries in tables.items() for key, text in entries.items()}


def format_message(key: str, /, **values: object) -> str:
    """The sentence of a key, with its placeholders filled."""
    return load_messages()[key].format(**values)


class UsageError(DuckriskError):
    """An option, a setting or a file of settings that cannot be used (exit code 2)."""

    exit_code = 2


class NotReachedError(DuckriskError):
    """What was to be reached cannot be; nothing was written (exit code 1, as where a gate fails). ``policy``
    is the one that was to be kept."""

    exit_code = 1

    def __init__(self, key: str, /, *, policy: str, **values: object) -> None:
        super().__init__(key, policy=policy, **values)
        self.policy = policy


class SourceError(DuckriskError):
    """A source that cannot be read or assessed (exit code 3)."""


class EngineError(DuckriskError):
    """The engine could not finish: memory, disk, or a fault of its own (exit code 3)."""


class WriteError(EngineError):
    """A file that could not grow: its ``path``, if that is known, and ``why`` in words."""

    path = ""

    def __init__(self, key: str, /, *, why: str) -> None:
        super().__init__(key, why=why)
        self.why = why


class GoneError(EngineError):
    """A distributed engine that does not answer any more, so that it need not be asked again."""


class TimeLimitError(EngineError):
    """A statement that was stopped, or not begun, since its time is over; see :meth:`Session.until`."""

    def __init__(self) -> None:
        super().__init__("errors.time_limit_over")


class OutputError(DuckriskError):
    """A report that could not be written (exit code 3)."""


class Interrupted(DuckriskError):
    """The run was stopped by a signal (exit code 130, or 143 for a termination)."""

    exit_code = 130


def suggest_names(name: str, names: list[str]) -> str:
    """The end of a sentence on a name that is not known: the names it may stand for, else some of those that
    there are."""
    if likely := find_similar_names(name, names):
        return f"; did you mean {' or '.join(map(_quoted, likely))}?"
    return f"; there {'is' if len(names) == 1 else 'are'} {quote_names(names)}." if names else "."


def find_similar_names(name: str, names: list[str], most: int = 3) -> list[str]:
    """The names spelled much like ``name``, in any case, the likest first, a table's also without its schema;
    then those that hold it."""
    import difflib

    wanted = name.casefold()
    folded = {candidate.rpartition(".")[2].casefold(): candidate for candidate in reversed(names)}
    folded |= {candidate.casefold(): candidate for candidate in reversed(names)}
    close = difflib.get_close_matches(wanted, list(folded), n=most, cutoff=_ALIKE)
    holding = [key for key in reversed(folded) if wanted in key and len(wanted) >= _TELLING]
    return list(dict.fromkeys(folded[key] for key in [*close, *holding]))[:most]


#: The share of equal characters from which names are taken for misspelled ones.
_ALIKE = 0.6
#: So long a text within a name is hardly there by chance.
_TELLING = 3


def quote_names(names: list[str], most: int = 8) -> str:
    """The first names of a list, quoted, for a sentence."""
    shown = ", ".join(map(_quoted, names[:most]))
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def _quoted(name: str) -> str:
    return f'"{name}"'
