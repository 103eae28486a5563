"""The distance of a release from the original by the definition, value by value, in fractions."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

_INTERVAL = re.compile(r"([][(])(.+)[,;] ?(.+)([])[])")
_NUMBER = r"(-?\d+(?:\.\d+)?)"
#: Intervals without brackets, as those that they stand for.
_FORMS = {
    rf"{_NUMBER} ?(?:-|–|\.\.) ?{_NUMBER}": r"[\1, \2]",
    rf"(?:>=|≥) ?{_NUMBER}|{_NUMBER} ?\+": r"[\1\2, inf]",
    rf"> ?{_NUMBER}": r"(\1, inf]",
    rf"(?:<=|≤) ?{_NUMBER}": r"[-inf, \1]",
    rf"< ?{_NUMBER}": r"[-inf, \1)",
}


def covers(cell: Any, domain: Sequence[Any]) -> list[Any]:
    """The values that a cell covers, of a domain of numbers or of texts."""
    if any(str(leaf) == str(cell) for leaf in domain):
        return [leaf for leaf in domain if str(leaf) == str(cell)]
    if cell in ("*", None):
        return list(domain)
    numbers = [x for x in domain if x is not None and not isinstance(x, str)]
    if str(cell)[:1] in "[](" and (found := _INTERVAL.fullmatch(str(cell))):
        return [x for x in numbers if _inside(x, found)]
    if str(cell).endswith("*"):
        start = str(cell)[:-1]
        return [x for x in domain if x is not None and str(x).startswith(start) and len(str(x)) > len(start)]
    if str(cell).startswith("{"):
        return [x for x in domain if str(x) in re.split("; ?|, ", str(cell)[1:-1])]
    for form, brackets in _FORMS.items():
        if found := re.fullmatch(form, str(cell)):
            written = _INTERVAL.fullmatch(found.expand(brackets))
            return [x for x in numbers if written and _inside(x, written)]
    return []


def _inside(x: float, interval: re.Match[str]) -> bool:
    try:
        low, high = float(interval[2]), float(interval[3])
    except ValueError:
        return False
    return (low <= x if interval[1] == "[" else low < x) and (x <= high if interval[4] == "]" else x < high)


def distance(
    original: Sequence[tuple[Any, ...]], release: Sequence[tuple[Any, ...]]
) -> dict[str, float | int | None]:
    """KL, KL0, U, the total variation and the records that are not covered. A release that has fewer records
    has the others suppressed; the total variation is that of the records that there are."""
    n, m = len(original), len(release)
    domains = [sorted({row[i] for row in original}, key=repr) for i in range(len(original[0]))]
    volume = math.prod(len(domain) for domain in domains)
    covered = Counter(
        {
            key: Fraction(count, math.prod(len(part) for part in parts))
            for key, count, parts in (
                (row, count, [covers(cell, domain) for cell, domain in zip(row, domains, strict=True)])
                for row, count in Counter(release).items()
            )
            if all(parts)
        }
    )
    sets = {
        row: [{repr(leaf) for leaf in covers(cell, d)} for cell, d in zip(row, domains, strict=True)]
        for row in covered
    }
    kl = nothing = 0.0
    variation, uncovered = Fraction(0), 0
    for x, count in Counter(original).items():
        mass = sum(
            (w for row, w in covered.items() if all(repr(v) in s for v, s in zip(x, sets[row], strict=True))),
            Fraction(0),
        )
        p = Fraction(count, n)
        q = (mass + Fraction(max(0, n - m), volume)) / max(n, m)
        nothing += float(p) * math.log2(p * volume)
        variation += max(Fraction(0), p - mass / m)
        if q == 0:
            uncovered += count
        else:
            kl += float(p) * math.log2(p / q)
    return {
        "kl": kl if uncovered == 0 else None,
        "kl_of_nothing": nothing,
        "information": _left(kl, nothing) if uncovered == 0 else None,
        "total_variation": float(variation),
        "uncovered": uncovered,
    }


def own_distance(original: Sequence[tuple[Any, ...]], release: Sequence[tuple[Any, ...]]) -> float | None:
    """KL by the mass alone that a record's own cells, the release's record of the same place, spread."""
    n, m = len(original), len(release)
    domains = [sorted({row[i] for row in original}, key=repr) for i in range(len(original[0]))]
    volume = math.prod(len(domain) for domain in domains)
    times, own = Counter(release), defaultdict(set)
    for x, cells in zip(original, release, strict=False):
        own[x].add(cells)
    kl = 0.0
    for x, count in Counter(original).items():
        mass = Fraction(max(0, n - m), volume)
        for cells in own[x]:
            parts = [covers(cell, domain) for cell, domain in zip(cells, domains, strict=True)]
            if all(repr(value) in map(repr, part) for value, part in zip(x, parts, strict=True)):
                mass += Fraction(times[cells], math.prod(map(len, parts)))
        if not mass:
            return None
        kl += count / n * math.log2(Fraction(count, n) / (mass / max(n, m)))
    return kl


def _left(kl: float, nothing: float) -> float | None:
    if nothing > 1e-12:
        return 1 - kl / nothing
    return 1.0 if kl < 1e-12 else None
