"""Names of columns: data for display only, for columns are bound by position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable


def unique(names: list[str]) -> list[str]:
    """Names that differ in more than case, close to the true ones: what SQL for people uses."""
    bases = [name.replace("\0", "") or f"column{i}" for i, name in enumerate(names)]
    return _distinct(bases, str.casefold, lambda base, number: f"{base}_{number}")


def displayed(names: list[str], notes: list[str]) -> list[str]:
    """Names for people: the true ones; equal ones are numbered, empty ones named by position."""
    bases = [name or f"column {i + 1}" for i, name in enumerate(names)]
    made = _distinct(bases, str, lambda base, number: f"{base} ({number + 1})")
    if changed := [new for new, old in zip(made, names, strict=True) if new != old]:
        notes.append(f"Columns with an empty or repeated name are called {some(changed)}.")
    return made


def _distinct(
    bases: list[str], key: Callable[[str], str], numbered: Callable[[str, int], str]
) -> list[str]:
    """The names with a number wherever one was there before; no number makes a name that is there."""
    given = Counter(key(base) for base in bases)
    taken: set[str] = set()
    made: list[str] = []
    for base in bases:
        candidate, number = base, 0
        while key(candidate) in taken or (number and key(candidate) in given):
            number += 1
            candidate = numbered(base, number)
        taken.add(key(candidate))
        made.append(candidate)
    return made


def some(names: list[str], most: int = 8) -> str:
    """The first names of a list, quoted, for a sentence."""
    shown = ", ".join(f'"{name}"' for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
