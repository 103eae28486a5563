"""What the metrics must say, in plain Python and exact fractions, written from the definitions alone.

A table is a list of ``(user, value)`` pairs; None is a missing user or value. :func:`key` says which
cells are equal: all NaN are one value and -0.0 is 0.0, texts are compared by code points.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from statistics import NormalDist
from typing import Any

Pair = tuple[Any, Any]


def key(cell: Any) -> Any:
    """A hashable form of a cell; two cells are one value where their keys are equal."""
    if isinstance(cell, float):
        return "nan" if math.isnan(cell) else cell + 0.0
    if isinstance(cell, tuple | list):
        return None if any(item is None for item in cell) else tuple(key(item) for item in cell)
    return cell


def complete(pairs: Iterable[Pair]) -> list[Pair]:
    """The records that have a user and a value, as keys."""
    keyed = ((key(user), key(value)) for user, value in pairs)
    return [(user, value) for user, value in keyed if user is not None and value is not None]


@dataclass(frozen=True)
class Value:
    """One value x: its records ``|R_x|`` and users ``|U_x|`` among m records."""

    records: int
    users: int
    of: int

    @property
    def records_per_user(self) -> Fraction:
        return Fraction(self.records, self.users)

    @property
    def probability(self) -> Fraction:
        return Fraction(self.records, self.of)

    @property
    def identification_given_value(self) -> Fraction:
        return Fraction(1, self.users)

    @property
    def identification(self) -> Fraction:
        return self.probability * self.identification_given_value


def attribute_values(pairs: Iterable[Pair]) -> dict[Any, Value]:
    """Each value by its key (definitions 2.1 to 2.4)."""
    kept = complete(pairs)
    records: Counter[Any] = Counter(value for _, value in kept)
    users: dict[Any, set[Any]] = defaultdict(set)
    for user, value in kept:
        users[value].add(user)
    return {value: Value(count, len(users[value]), len(kept)) for value, count in records.items()}


def risk(pairs: Iterable[Pair]) -> Fraction:
    """R(X) = sum of Pr(x) Pr(idf|x) (definition 2.5), of a table with at least one record."""
    values = attribute_values(pairs).values()
    return sum((value.identification for value in values), Fraction(0))


def minimum_cost(pairs: Iterable[Pair]) -> Fraction:
    """R_cost(X) = omega / m (definition 3.2)."""
    kept = complete(pairs)
    return Fraction(len({value for _, value in kept}), len(kept))


def attribute_risk(pairs: Iterable[Pair], k: int) -> dict[str, Fraction | int | None]:
    """Every column of attribute_risk; ratios of a table without records are None."""
    values = list(attribute_values(pairs).values())
    records = sum(value.records for value in values)
    alone = [value for value in values if value.users == 1]
    below = sum(value.records for value in values if value.users < k)
    found: dict[str, Fraction | int | None] = {
        "records": records,
        "distinct_values": len(values),
        "singled_out_records": sum(value.records for value in alone),
        "records_below_k": below,
        "singled_out_values": len(alone),
    }
    ratios = (
        "mean_risk",
        "mean_model_risk",
        "mean_records_per_user",
        "minimum_cost_risk",
        "max_value_risk",
        "share_below_k",
        "share_singled_out",
    )
    if not values:
        return found | dict.fromkeys(ratios)
    mean = sum((value.records_per_user for value in values), Fraction(0)) / len(values)
    return found | {
        "mean_risk": sum((value.identification for value in values), Fraction(0)),
        "mean_model_risk": mean * len(values) / records,
        "mean_records_per_user": mean,
        "minimum_cost_risk": Fraction(len(values), records),
        "max_value_risk": max(value.identification_given_value for value in values),
        "share_singled_out": Fraction(sum(value.records for value in alone), records),
        "share_below_k": Fraction(below, records),
    }


def approximate_bounds(pairs: Iterable[Pair], k: int) -> dict[str, tuple[Fraction, Fraction]]:
    """Where the columns must lie when all that is sure of ``|U_x|`` is 1 <= ``|U_x|`` <= ``|R_x|``.

    For a table with at least one record.
    """
    values = list(attribute_values(pairs).values())
    m, omega = sum(value.records for value in values), len(values)
    single = [value for value in values if value.records == 1]
    surely_below = sum(value.records for value in values if value.records < k)
    below = m if k > 1 else 0
    found = {
        "records": (m, m),
        "distinct_values": (omega, omega),
        "mean_risk": (Fraction(omega, m), 1),
        "mean_model_risk": (Fraction(omega, m), 1),
        "mean_records_per_user": (1, Fraction(m, omega)),
        "minimum_cost_risk": (Fraction(omega, m), Fraction(omega, m)),
        "max_value_risk": (Fraction(1, min(value.records for value in values)), 1),
        "singled_out_records": (len(single), m),
        "share_singled_out": (Fraction(len(single), m), 1),
        "records_below_k": (surely_below, below),
        "share_below_k": (Fraction(surely_below, m), Fraction(below, m)),
        "singled_out_values": (len(single), omega),
    }
    return {column: (Fraction(low), Fraction(high)) for column, (low, high) in found.items()}


# --- samples of values ---------------------------------------------------------------------------


@dataclass(frozen=True)
class PaperSample:
    """What the sampling model of the paper says from one draw of values."""

    records_read: int
    estimate: Fraction
    variance: Fraction


def paper_sample(drawn: Sequence[Value], omega: int) -> PaperSample:
    """R_sample(X) (definition 3.3) and the population variance of alpha_x, both scaled by omega / m."""
    scale = Fraction(omega, drawn[0].of)
    alphas = [value.records_per_user for value in drawn]
    mean = sum(alphas, Fraction(0)) / len(alphas)
    variance = sum(((alpha - mean) ** 2 for alpha in alphas), Fraction(0)) / len(alphas)
    return PaperSample(sum(value.records for value in drawn), mean * scale, variance * scale**2)


def paper_samples(pairs: Iterable[Pair], samples: int) -> Iterator[PaperSample]:
    """Every outcome of drawing so many values with replacement."""
    values = list(attribute_values(pairs).values())
    for drawn in combinations_with_replacement(values, samples):
        yield paper_sample(drawn, len(values))


@dataclass(frozen=True)
class Sure:
    """What is sure of R(X) when the users of some values are known, of the others the records alone."""

    records_read: int
    lower: Fraction
    upper: Fraction


def sure_bounds(pairs: Iterable[Pair], samples: int) -> Iterator[Sure]:
    """What is sure after each choice of so many different values; alpha_x lies in [1, ``|R_x|``]."""
    values = list(attribute_values(pairs).values())
    for chosen in combinations(range(len(values)), samples):
        counted = [values[i] for i in chosen]
        others = [value for i, value in enumerate(values) if i not in chosen]
        known = sum((value.identification for value in counted), Fraction(0))
        yield Sure(
            sum(value.records for value in counted),
            known + sum((Fraction(1, value.of) for value in others), Fraction(0)),
            known + sum((value.probability for value in others), Fraction(0)),
        )


# --- several known records -----------------------------------------------------------------------


@dataclass(frozen=True)
class Known:
    """E[1/|U|] and Pr(|U| = 1) for an attacker who knows p records of one user."""

    risk: Fraction
    unicity: Fraction


def known_records(pairs: Iterable[Pair], known: int) -> Known:
    """Exact by enumeration of all draws: a record, then up to known - 1 others of its user."""
    kept = complete(pairs)
    held: dict[Any, list[Any]] = defaultdict(list)
    for user, value in kept:
        held[user].append(value)
    owned = {user: frozenset(values) for user, values in held.items()}
    found_risk = unicity = Fraction(0)
    for values in held.values():
        for first in range(len(values)):
            rest = values[:first] + values[first + 1 :]
            draws = list(combinations(rest, min(known - 1, len(rest))))
            for others in draws:
                drawn = {values[first], *others}
                candidates = sum(drawn <= owns for owns in owned.values())
                weight = Fraction(1, len(kept) * len(draws))
                found_risk += weight / candidates
                unicity += weight * (candidates == 1)
    return Known(found_risk, unicity)


def normal_quantile(confidence: float) -> float:
    """z with a standard normal variable inside plus and minus z at that probability."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def wilson(share: float, draws: int, confidence: float) -> tuple[float, float]:
    """Wilson's interval of a share of so many draws."""
    z2 = normal_quantile(confidence) ** 2
    centre = (share + z2 / (2 * draws)) / (1 + z2 / draws)
    half = math.sqrt(z2 * (share * (1 - share) / draws + z2 / (4 * draws**2))) / (1 + z2 / draws)
    return centre - half, centre + half


# --- roles ---------------------------------------------------------------------------------------


def changing(groups: Iterable[Any], cells: Iterable[Any]) -> int:
    """Groups (None left out) within which the cells differ; missing differs from any value."""
    seen: dict[Any, set[Any]] = defaultdict(set)
    for group, cell in zip(groups, cells, strict=True):
        if group is not None:
            seen[key(group)].add(key(cell))
    return sum(len(cells) > 1 for cells in seen.values())
