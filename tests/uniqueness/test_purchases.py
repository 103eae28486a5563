"""Histories of as many records as a shop has: by brute force over multisets, and what they cost."""

from __future__ import annotations

import math
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import duckrisk
from duckrisk.decision.assessment.results import Assessment
from duckrisk.measures import uniqueness
from duckrisk.measures.uniqueness import histories as history_measures
from tests.disclosure_oracle import written
from tests.histories_oracle import Histories, Record, class_of, has_records, histories_of
from tests.shared_data import shared
from tests.tables import EXAMPLES

#: As many as cdnow has, or fewer where examples are few.
CUSTOMERS = 23_570 if EXAMPLES >= 20 else 6_000
OPENED = date(1997, 1, 1)
COLUMNS = {"customer_id": "VARCHAR", "date": "DATE", "units": "INTEGER", "amount": "DOUBLE"}
PRICES = (9.99, 11.49, 11.77, 12.0, 13.97, 14.37, 14.96, 15.36)
#: Draws of three records that are tried of a person who has more.
DRAWS = 40
#: CPU seconds that the figures of histories may add to a default run.
MOST_OF_PURCHASES, MOST_OF_RETAIL = 2.0, 4.0

Assessed = tuple[Assessment, float]
Assess = Callable[[Path], Assessed]


def purchases() -> list[tuple[Any, ...]]:
    """Draw purchases as those of cdnow are spread: half of the customers buy once, a few up to 120 times."""
    choose = random.Random(1997)
    rows: list[tuple[Any, ...]] = []
    for number in range(CUSTOMERS):
        first = choose.randrange(84)
        more = min(120, int(choose.paretovariate(1.17))) if choose.random() < 0.5 else 0
        for day in (first, *(first + choose.randrange(545 - first) for _ in range(more))):
            units = min(99, int(choose.paretovariate(1.6)))
            amount = round(units * choose.choice(PRICES), 2)
            rows.append((f"{number + 1:05d}", OPENED + timedelta(days=day), units, amount))
    choose.shuffle(rows)
    return rows


@pytest.fixture
def assess(monkeypatch: pytest.MonkeyPatch) -> Assess:
    """Assess a table, and time what the figures of histories take of it, in CPU seconds."""
    spent: list[float] = []
    search: Any = uniqueness._FactSearch
    measure = search.measure_histories

    def timed(*arguments: Any) -> Any:
        started = time.process_time()
        found = measure(*arguments)
        spent.append(time.process_time() - started)
        return found

    monkeypatch.setattr(search, "measure_histories", timed)

    def run(table: Path) -> Assessed:
        report = duckrisk.assess(table, only=["uniqueness"], known_records=0)
        (seconds,) = spent
        return report, seconds

    return run


def holders_of(histories: Histories) -> dict[Record, list[Hashable]]:
    """Return who has each record."""
    people: defaultdict[Record, list[Hashable]] = defaultdict(list)
    for person, history in histories.items():
        for record in history:
            people[record].append(person)
    return people


def chance(
    histories: Histories,
    holders: dict[Record, list[Hashable]],
    person: Hashable,
    choose: random.Random,
) -> Fraction:
    """Return the share of draws of three records that only this person has; all draws, where there is one."""
    own = list(histories[person].elements())
    draws = [own] if len(own) <= 3 else [choose.sample(own, 3) for _ in range(DRAWS)]
    alone = 0
    for draw in map(Counter, draws):
        rarest = min((holders[record] for record in draw), key=len)
        alone += not any(other != person and has_records(histories[other], draw) for other in rarest)
    return Fraction(alone, len(draws))


@pytest.mark.slow
def test_purchases(tmp_path: Path, assess: Assess, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole histories are those of brute force, three whole records are within 4 standard errors of the
    mean over draws, of all people and of the sample; both within 2 s of CPU."""
    if EXAMPLES < 20:
        monkeypatch.setattr(history_measures, "EXAMINED_PEOPLE", CUSTOMERS // 2)
    rows = purchases()
    assert 2.8 < len(rows) / CUSTOMERS < 3.2
    report, seconds = assess(written(tmp_path, COLUMNS, rows))
    assert seconds < MOST_OF_PURCHASES
    assert (report.source.user, report.source.users) == ("customer_id", CUSTOMERS)
    histories = histories_of(rows)
    classes = class_of(histories)
    whole, known = report.uniqueness.histories, report.uniqueness.whole_records
    assert whole.unique_people == sum(people == 1 for people in classes.values())
    assert whole.smallest_class == min(classes.values())
    assert whole.share == pytest.approx(whole.unique_people / CUSTOMERS)
    holders, choose = holders_of(histories), random.Random(0)
    expected = sum(float(chance(histories, holders, person, choose)) for person in histories) / CUSTOMERS
    assert known.examined == history_measures.EXAMINED_PEOPLE
    assert abs(known.share - expected) < 4 * math.sqrt(expected * (1 - expected) / known.examined)
    assert known.share_lower < expected < known.share_upper
    figures = {finding.name: finding.value for finding in report.verdict.findings}
    assert (figures["unique_histories"], figures["smallest_history"]) == (whole.share, whole.smallest_class)


@pytest.mark.slow
def test_invoices(assess: Assess) -> None:
    """Every customer of Online Retail has a history of their own; to find that takes less than 4 s of CPU."""
    report, seconds = assess(shared("online_retail.parquet"))
    assert seconds < MOST_OF_RETAIL
    whole, known = report.uniqueness.histories, report.uniqueness.whole_records
    assert (whole.unique_people, whole.share) == (report.source.users, 1.0)
    assert (known.examined, known.share) == (report.source.users, 1.0)
