"""Attackers with noisy knowledge in plain Python, from the definition: every candidate is scored, one by one.

Narayanan and Shmatikov, Robust de-anonymization of large sparse datasets, IEEE S&P 2008, sections 4 and 5.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

KNOWN, PERCENT = (1, 2, 4, 8), (0, 10, 25)
Answers = dict[tuple[int, int], dict[str, int]]


def _digest(*words: Any) -> str:
    return hashlib.md5(" ".join(map(str, words)).encode(), usedforsecurity=False).hexdigest()


def _whole(text: str) -> int:
    return int(text[:13], 16)


def _quartile(values: Sequence[float], share: float) -> float:
    """The smallest value that this share of all values does not exceed."""
    return sorted(values)[max(0, math.ceil(len(values) * share) - 1)]


def error_of(values: Sequence[float], band: float) -> float:
    return band * (_quartile(values, 0.75) - _quartile(values, 0.25)) if values else 0.0


def _closeness(known: float, own: float, error: float) -> float:
    if error <= 0:
        return float(known == own)
    return math.exp(-abs(known - own) / (2 * error))


def _weight(holders: int) -> float:
    return 1 / math.log(max(holders, 2))


def judge(scores: Sequence[float], own: int) -> tuple[bool, bool]:
    """Whether the only best candidate is the own one, and whether the best one stands out."""
    ranked = sorted(scores, reverse=True)
    second = ranked[1] if len(ranked) > 1 else 0
    mean = math.fsum(scores) / len(scores)
    deviation = math.sqrt(math.fsum((score - mean) ** 2 for score in scores) / len(scores))
    return scores[own] == ranked[0] > second, len(ranked) > 1 and ranked[0] - second > 1.5 * deviation + 1e-9


@dataclass(frozen=True)
class Draw:
    """What is drawn, and how far facts are off."""

    days: int = 14
    band: float = 0.1
    targets: int = 400
    seed: int = 0

    def pick_targets(self, facts: Sequence[int], known: int) -> tuple[list[int], int]:
        """The drawn ones of those with enough facts, by number from 1, and how many these are."""
        enough = [number for number, count in enumerate(facts, 1) if count >= known]
        enough.sort(key=lambda number: (_digest(self.seed, "target", number), number))
        return enough[: self.targets], len(enough)

    def count_wrong(self, target: int, known: int, percent: int) -> int:
        return math.floor(known * percent / 100 + _whole(_digest(self.seed, "share", target)) / 2**52)


def _points(score: float) -> int:
    """Whole millionths: equal sums of equal summands are equal."""
    return math.floor(1_000_000 * score + 0.5)


# --- histories -----------------------------------------------------------------------------------


def attack_histories(rows: Sequence[tuple[Any, Any, int, float]], draw: Draw) -> Answers:
    """What attackers answer on (person, item, day, amount)."""
    facts = sorted(set(rows))
    people = sorted({person for person, *_ in facts})
    holders = {item: len({who for who, what, *_ in facts if what == item}) for _, item, _, _ in facts}
    error = error_of([amount for *_, amount in facts], draw.band)
    counts = [sum(who == person for who, *_ in facts) for person in people]
    answers: Answers = {}
    for known in KNOWN:
        targets, eligible = draw.pick_targets(counts, known)
        for percent in PERCENT if targets else ():
            found = {
                "attacked": len(targets),
                "eligible": eligible,
                "best_right": 0,
                "answered": 0,
                "right_answers": 0,
            }
            for target in targets:
                told = _remember(facts, people[target - 1], target, known, percent, error, draw)
                scores = [
                    sum(
                        _points(
                            _weight(holders[item])
                            * max(
                                (
                                    math.exp(-abs(day - when) / 30) * _closeness(amount, price, error)
                                    for who, what, when, price in facts
                                    if who == person and what == item
                                ),
                                default=0,
                            )
                        )
                        for item, day, amount in told
                    )
                    for person in people
                ]
                _add(found, *judge(scores, target - 1))
            answers[known, percent] = found
    return answers


def _add(found: dict[str, int], right: bool, answered: bool) -> None:
    found["best_right"] += right
    found["answered"] += answered
    found["right_answers"] += right and answered


def _remember(
    facts: Sequence[Any], person: Any, target: int, known: int, percent: int, error: float, draw: Draw
) -> list[tuple[Any, float, float]]:
    """The facts that an attacker takes for those of a person."""
    own = [number for number, fact in enumerate(facts, 1) if fact[0] == person]
    own.sort(key=lambda number: (_digest(draw.seed, "fact", number), number))
    held = {what for who, what, *_ in facts if who == person}
    told = []
    for turn, number in enumerate(own[:known], 1):
        fact = dated = number
        if turn <= draw.count_wrong(target, known, percent):
            tries = []
            for attempt in range(4):
                digest = _digest(draw.seed, "wrong", number, attempt)
                tries.append((1 + _whole(digest) % len(facts), 1 + _whole(digest[13:]) % len(facts)))
            fact, dated = next((pair for pair in tries if facts[pair[0] - 1][1] not in held), tries[0])
        digest = _digest(draw.seed, "error", target, turn, fact)
        day = facts[dated - 1][2] + _whole(digest) % (2 * draw.days + 1) - draw.days
        amount = facts[fact - 1][3] + error * (_whole(digest[13:]) / 2**51 - 1)
        told.append((facts[fact - 1][1], day, amount))
    return told


# --- records -------------------------------------------------------------------------------------


def attack_records(
    rows: Sequence[tuple[Any, ...]], kinds: Sequence[str], draw: Draw, order: Any = lambda value: value
) -> Answers:
    """What attackers answer on records of values ("v"), days ("d") and numbers ("n"), in this order."""
    places = range(len(kinds))
    codes = [
        {
            value: code
            for code, value in enumerate(sorted({r[p] for r in rows if r[p] is not None}, key=order), 1)
        }
        for p in places
    ]
    cells = [
        tuple(None if r[p] is None else codes[p][r[p]] if kinds[p] == "v" else r[p] for p in places)
        for r in rows
    ]
    # A missing value comes last.
    cells.sort(key=lambda row: [(cell is None, cell or 0) for cell in row])
    errors = [
        0.0
        if kind == "v"
        else draw.days
        if kind == "d"
        else error_of([r[p] for r in rows if r[p] is not None], draw.band)
        for p, kind in enumerate(kinds)
    ]
    answers: Answers = {}
    for known in KNOWN:
        counts = [sum(cell is not None for cell in row) for row in cells]
        targets, eligible = draw.pick_targets(counts, known)
        for percent in PERCENT if targets else ():
            found = {
                "attacked": len(targets),
                "eligible": eligible,
                "best_right": 0,
                "answered": 0,
                "right_answers": 0,
            }
            for target in targets:
                told = _remember_cells(cells, target, known, percent, errors, draw)
                scores = [_points(_score(row, told, cells, kinds, errors)) for row in cells]
                _add(found, *judge(scores, target - 1))
            answers[known, percent] = found
    return answers


def _score(
    row: Sequence[Any],
    told: dict[int, float],
    cells: Sequence[Any],
    kinds: Sequence[str],
    errors: Sequence[float],
) -> float:
    score = 0.0
    for place in sorted(told):
        known, own = told[place], row[place]
        near = [r[place] for r in cells if r[place] is not None and abs(r[place] - known) <= errors[place]]
        if own is None:
            continue
        if kinds[place] == "d":
            alike = math.exp(-abs(known - own) / 30)
        else:
            alike = _closeness(known, own, errors[place])
        score += _weight(len(near)) * alike
    return score


def _remember_cells(
    cells: Sequence[Any], target: int, known: int, percent: int, errors: Sequence[float], draw: Draw
) -> dict[int, float]:
    """The values that an attacker takes for those of a record, by place."""
    row = cells[target - 1]
    places = [place for place, cell in enumerate(row, 1) if cell is not None]
    places.sort(key=lambda place: (_digest(draw.seed, "fact", target, place), place))
    told = {}
    for turn, place in enumerate(places[:known], 1):
        own = cell = row[place - 1]
        wrong = turn <= draw.count_wrong(target, known, percent)
        if wrong:
            tries = [
                cells[_whole(_digest(draw.seed, "wrong", target, place, attempt)) % len(cells)][place - 1]
                for attempt in range(4)
            ]
            cell = next((one for one in tries if one is not None and one != own), own)
        digest = _digest(draw.seed, "error", target, turn, str(wrong).lower())
        told[place - 1] = cell + errors[place - 1] * (_whole(digest) / 2**51 - 1)
    return told
