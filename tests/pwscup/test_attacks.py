"""Attacks on releases: each against a dictionary in Python, on the contest's tables, and against chance."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from duckrisk.base.errors import UsageError
from duckrisk.cli.attack import attack as attack_command
from duckrisk.contests import pwscup
from duckrisk.contests.pwscup import attacks, evidence, rating
from duckrisk.contests.pwscup.results import Rates
from duckrisk.engine.session import Resources, Session
from tests.command import command, refused
from tests.shared_data import shared
from tests.tables import EXAMPLES, LIGHTER, connect, make, thinned
from tests.tables import run as rows_of

RATES = [rate.name for rate in fields(Rates)]

HISTORY = {
    "record": "BIGINT", "user_id": "VARCHAR", "period": "INTEGER", "day": "DATE", "clock": "VARCHAR",
    "invoice": "VARCHAR", "item": "VARCHAR", "price": "VARCHAR", "quantity": "BIGINT",
}  # fmt: skip
RELEASED = {("pseudonym" if name == "user_id" else name): kind for name, kind in HISTORY.items()}
CELLS = {"user_id": "VARCHAR", "period": "INTEGER", "pseudonym": "VARCHAR"}
SIMPLE = [name for name in attacks.ATTACKS if name != "combined"]
Row = tuple[Any, ...]
Guess = dict[tuple[str, int], str]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(Resources(threads=2)) as made:
        yield made


_LOADED: dict[tuple[Session, str], tuple[Any, list[Row]]] = {}


def load(session: Session, name: str, columns: dict[str, str], rows: Sequence[Row]) -> str:
    if _LOADED.get((session, name)) != (columns, list(rows)):
        session.run_in_worker(lambda: make(session._connection, columns, rows, name), "test")
        _LOADED[session, name] = columns, list(rows)
    return name


def query(session: Session, sql: str) -> list[Any]:
    found: list[Any] = session.run_in_worker(lambda: session._connection.execute(sql).fetchall(), "test")
    return found


def guessed(session: Session, table: str = "guess") -> Guess:
    rows = query(session, f'SELECT user_id, period, pseudonym FROM "{table}"')
    assert len({row[:2] for row in rows}) == len(rows)
    return {(user, period): pseudonym for user, period, pseudonym in rows}


def run(
    session: Session, name: str, released: Sequence[Row], known: Sequence[Row], prefix: int | None
) -> Guess:
    load(session, "small_released", RELEASED, released)
    load(session, "small_known", HISTORY, known)
    attacks.link_users(session, name, "small_released", "small_known", prefix=prefix, table="guess")
    return guessed(session)


# --- by hand -------------------------------------------------------------------------------------


def record(number: int, who: str | None, day: str, item: str, price: str, quantity: int) -> Row:
    date = dt.date.fromisoformat(day)
    return number, who, date.month - 1, date, "9:09", "0", item, price, quantity


T = [
    record(1, "101", "2011-01-05", "A", "2.00", 12), record(2, "101", "2011-01-05", "B", "1.00", 24),
    record(3, "102", "2011-01-09", "A", "2.00", 36), record(4, "102", "2011-02-03", "B", "1.00", 6),
    record(5, "103", "2011-02-07", "C", "5.00", 3), record(6, "103", "2011-02-07", "A", "2.00", 4),
]  # fmt: skip
S = [
    record(1, "p1", "2011-01-05", "A", "1.50", 12), record(2, "p1", "2011-01-05", "B", "1.00", 24),
    record(3, "p2", "2011-01-14", "A", "2.00", 24), record(5, "p3", "2011-02-07", "C", "5.00", 3),
    record(6, "p3", "2011-02-07", "A", "2.00", 4),
]  # fmt: skip
F: Guess = {("101", 0): "p1", ("102", 0): "p2", ("103", 1): "p3"}


def test_worked_example_of_the_contest(session: Session) -> None:
    assert run(session, "S1-datenum", S, T, 2) == {("101", 0): "p1", ("103", 1): "p3"}
    rates = rated(session, F, guessed(session), ["101", "102", "103"], 12, S, T)
    assert rates["strict"] == pytest.approx(2 / 3)
    assert rates["cell"] == pytest.approx(2 / 36)
    assert rates["active_cell"] == pytest.approx(2 / 3)
    assert rates["row"] == pytest.approx(4 / 5)
    # In January 101 is guessed, in February 103; 102 is never right: two pseudonyms can be dealt, then one.
    assert rates["blind_strict"] == pytest.approx((1 / 2 + 0 + 1) / 3)
    assert rates["blind_row"] == pytest.approx((2 / 2 + 2) / 5)
    # 102 moved by five days and bought less: only item and price are left.
    assert run(session, "combined", S, T, 2) == {("101", 0): "p1", ("103", 1): "p3"}
    assert run(session, "combined", [], T, 2) == {}
    assert run(session, "combined", S, [], 2) == {}


def test_no_such_attack(session: Session) -> None:
    with pytest.raises(UsageError, match="S1-datenum"):
        attacks.link_users(session, "S6", "s", "t", prefix=2, table="guess")


# --- against dictionaries ------------------------------------------------------------------------

_START = dt.date(2011, 1, 30)
_TEXT = st.sampled_from(["a", "ab", "abc", "é", "'", None])


@st.composite
def rows(draw: st.DrawFn, people: Sequence[str]) -> list[Row]:
    made = []
    for number in range(draw(st.integers(0, 12))):
        day = _START + dt.timedelta(days=draw(st.integers(0, 3)))
        made.append((
            number + 1, draw(st.sampled_from(people)), day.month - 1, day, draw(_TEXT), None, draw(_TEXT),
            draw(st.sampled_from(["1.5", "1.50", None])), draw(st.sampled_from([1, 2, None])),
        ))  # fmt: skip
    draw(st.randoms()).shuffle(made)
    return made


def key_of(row: Row, columns: Sequence[str], prefix: int | None) -> Row | None:
    cells = dict(zip(HISTORY, row, strict=True))
    if prefix is not None and cells["item"] is not None:
        cells["item"] = cells["item"][:prefix]
    key = tuple(cells[column] for column in columns)
    return None if None in key else key


def expected(name: str, released: list[Row], known: list[Row], prefix: int | None) -> Guess:
    found: Guess = {}
    attack = attacks.REGISTRY[name]
    if isinstance(attack, attacks.LastMatch):
        pids = {}
        for row in sorted(released):
            pids[key_of(row, attack.keys, prefix)] = row[1]
        for row in sorted(known):
            key = key_of(row, attack.keys, prefix)
            if key is not None and key in pids:
                found[row[1], row[2]] = pids[key]
        return found
    votes: dict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    column = attack.keys or ("item",)
    own = defaultdict(Counter)  # type: ignore[var-annotated]
    for row in released:
        if (key := key_of(row, column, prefix)) is not None:
            own[row[2], row[1]][key] += 1
    asked = defaultdict(Counter)  # type: ignore[var-annotated]
    for row in known:
        if (key := key_of(row, column, prefix)) is not None:
            asked[row[1], row[2]][key] += 1
    sizes = [sum(sum(held.values()) for held in side.values()) for side in (asked, own)]
    share = min(0.98, min(sizes) / max(1, *sizes))
    for (user, period), keys in asked.items():
        here = {pid: held for (when, pid), held in own.items() if when == period}
        sold = sum(here.values(), Counter())
        for pid, held in here.items():
            if not held.keys() & keys.keys():
                continue
            if isinstance(attack, attacks.Vote):
                votes[user, period][pid] = sum(count for key, count in keys.items() if key in held)
            else:
                part, whole = (keys, held) if sizes[0] <= sizes[1] else (held, keys)
                score = -math.log(100) * (part - whole).total() + math.log(1 - share) * (whole - part).total()
                for key, count in (part & whole).items():
                    chance = sold[key] / sold.total()
                    score += math.log(math.comb(whole[key], count)) + count * math.log(share / chance)
                votes[user, period][pid] = round(score, 6)
    for cell, counted in votes.items():
        found[cell] = min(counted, key=lambda pid: (-counted[pid], pid))
    return found


@settings(LIGHTER, max_examples=min(EXAMPLES, 8))
@given(rows(["p", "q", "é'"]), rows(["u", "v"]), st.sampled_from([1, 2, None]))
def test_simple_attacks_as_defined(
    session: Session, released: list[Row], known: list[Row], prefix: int | None
) -> None:
    for name in SIMPLE:
        assert run(session, name, released, known, prefix) == expected(name, released, known, prefix), name


@settings(LIGHTER, max_examples=min(EXAMPLES, 8))
@given(rows(["p", "q", "r"]), rows(["u", "v", "w"]), st.sampled_from([1, None]))
def test_evidence_as_defined(
    session: Session, released: list[Row], known: list[Row], prefix: int | None
) -> None:
    """Scores before anything is learned, and assignments from the highest score down."""
    load(session, "r", RELEASED, released)
    load(session, "k", HISTORY, known)
    evidence.weigh_matches(session, evidence.match_records(session, "r", "k", prefix), learned=False)
    found = {row[:2]: float(row[2]) for row in query(session, _SCORES)}
    names = [
        name for name in ("clock", "day", "item", "price", "quantity")
        if len({compared(row, prefix)[name] for row in released} - {None}) > 1
        and any(compared(row, prefix)[name] is not None for row in known)
    ]  # fmt: skip
    scores: dict[tuple[str, str], float] = defaultdict(float)
    for row in known:
        mine = compared(row, prefix)
        here = [(other[1], compared(other, prefix)) for other in released if other[2] == row[2]]
        best: dict[str, float] = {}
        for key in evidence.list_keys(names):
            value = [mine[name] for name in key]
            holders = {pid for pid, cells in here if None not in value and [cells[n] for n in key] == value}
            for pid in holders:
                q = len(holders) / (len({pid for pid, _ in here}) + 1)
                best[pid] = max(best.get(pid, 0), math.log(1 + 0.9 * (1 - q) / q))
        for pid, weight in best.items():
            scores[row[1], f"{pid} {row[2]}"] += weight
    assert found == pytest.approx(scores, abs=1e-6)
    pairs = query(session, "SELECT user_number, period, pseudonym_number, score FROM evidence_pairs")
    taken: set[Any] = set()
    chosen = set()
    for user, period, pid, _ in sorted(pairs, key=lambda pair: (-pair[3], pair[0], pair[2])):
        if not {(user, period), pid} & taken:
            taken |= {(user, period), pid}
            chosen.add((user, period, pid))
    assert {row[:3] for row in query(session, "SELECT * FROM evidence_guess")} == chosen


_SCORES = """
    SELECT u.user_id, p.pseudonym || ' ' || p.period, score FROM evidence_pairs AS s
    JOIN evidence_of_users AS u ON u.number = user_number
    JOIN evidence_of_pseudonyms AS p ON p.number = pseudonym_number
"""


def compared(row: Row, prefix: int | None) -> dict[str, Any]:
    """The cells of a record as the attack with combined evidence compares them."""
    cells = dict(zip(HISTORY, row, strict=True))
    if prefix is not None and cells["item"] is not None:
        cells["item"] = cells["item"][:prefix]
    cells["price"] = None if cells["price"] is None else float(cells["price"])
    for shift in (0, 1):
        cells[f"day{shift}"] = math.floor((cells["day"] - dt.date(2000, 1, 3)).days / 7 + shift / 2)
        for name, step in (("price", 0.25), ("quantity", 0.5)):
            cell = cells[name]
            cells[f"{name}{shift}"] = None if cell is None else math.floor(math.log(cell) / step + shift / 2)
    return cells


# --- rates ---------------------------------------------------------------------------------------


def rated(
    session: Session,
    truth: Guess,
    guess: Guess,
    users: Sequence[str],
    periods: int,
    released: Sequence[Row],
    original: Sequence[Row] | None = None,
) -> dict[str, Any]:
    load(session, "f", CELLS, [(*cell, pid) for cell, pid in truth.items()])
    load(session, "h", CELLS, [(*cell, pid) for cell, pid in guess.items()])
    load(session, "m", {"user_id": "VARCHAR"}, [(user,) for user in users])
    load(session, "s", RELEASED, released)
    if original is not None:
        load(session, "t", HISTORY, original)
    (found,) = rating.rate_guesses(
        session, "f", ["h"], "m", periods, "s", "t" if original is not None else None
    )
    return vars(found)


def rates_of(
    truth: Guess, guess: Guess, users: Sequence[str], periods: int, rows: list[Any]
) -> list[Fraction]:
    """Strict, cell, active cell and row; ``rows`` are true user, period and pseudonym of released records."""
    right = sum(
        all(truth.get((user, place)) == guess.get((user, place)) for place in range(periods))
        for user in users
    )
    hits = sum(guess.get(cell) == pid for cell, pid in truth.items())
    namers: dict[tuple[int, str], str] = {}
    for (user, period), pid in guess.items():
        namers[period, pid] = min(user, namers.get((period, pid), user))
    own = sum(namers.get((period, pid)) == user for user, period, pid in rows)
    counts = ((right, len(users)), (hits, len(users) * periods), (hits, len(truth)), (own, len(rows)))
    return [Fraction(part, whole) for part, whole in counts]


@LIGHTER
@given(st.data())
def test_rates_as_defined_and_by_chance(session: Session, data: st.DataObject) -> None:
    """By chance is the mean over all ways to deal out the pseudonyms of each period anew."""
    users, pids = ["u", "v", "w", "x"], ["p", "q", "r"]
    cells = list(itertools.product(users, range(2)))
    table = st.dictionaries(st.sampled_from(cells), st.sampled_from([*pids, "u"]), min_size=1)
    truth, guess = data.draw(table), data.draw(table)
    owners = [cell for cell in truth for _ in range(data.draw(st.integers(1, 3)))]
    original = [(n, *cell, None, None, None, None, None, None) for n, cell in enumerate(owners)]
    released = [(*row[:1], truth[row[1:3]], *row[2:]) for row in original]
    found = rated(session, truth, guess, users, 2, released, original)
    by_owner = [(*cell, truth[cell]) for cell in owners]
    exact = rates_of(truth, guess, users, 2, by_owner)
    assert [found[name] for name in RATES] == pytest.approx([float(rate) for rate in exact])
    places = [sorted({pid for (_, place), pid in truth.items() if place == p}) for p in range(2)]
    sums, ways = [Fraction(0)] * 4, 0
    for dealt in itertools.product(*(itertools.permutations(names) for names in places)):
        new = [dict(zip(names, order, strict=True)) for names, order in zip(places, dealt, strict=True)]
        other = {cell: new[cell[1]][pid] for cell, pid in truth.items()}
        rates = rates_of(other, guess, users, 2, [(*cell, other[cell]) for cell in owners])
        sums, ways = [total + rate for total, rate in zip(sums, rates, strict=True)], ways + 1
    assert [found[f"blind_{name}"] for name in RATES] == pytest.approx([float(s / ways) for s in sums])


def test_rates_of_nothing(session: Session) -> None:
    found = rated(session, {}, {}, [], 12, [])
    assert all(found[f"{kind}{name}"] is None for kind in ("", "blind_") for name in RATES)
    found = rated(session, {}, {}, ["u"], 3, [])
    assert (found["strict"], found["cell"], found["active_cell"]) == (1, 0, None)


# --- a made history ------------------------------------------------------------------------------


def made_history(users: int = 60, seed: int = 7) -> list[Row]:
    draw = random.Random(seed)
    history = []
    for user in range(users):
        for period in range(3):
            for _ in range(draw.randint(0, 9)):
                day = dt.date(2011, 1 + period, draw.randint(1, 28))
                clock = f"{draw.randint(8, 19)}:{draw.randint(0, 59):02}"
                price = f"{draw.randint(1, 40) * 0.25:.2f}"
                item = f"{draw.randint(10, 40)}{draw.randint(1, 99)}"
                history.append((f"u{user:02}", period, day, clock, "0", item, price, draw.randint(1, 12)))
    draw.shuffle(history)
    return [(number + 1, *row) for number, row in enumerate(history)]


def released_as(history: list[Row], pid: Any) -> list[Row]:
    return [(row[0], pid(row[1], row[2]), *row[2:]) for row in history]


def scored(guess: Guess, truth: Guess) -> float:
    return sum(guess.get(cell) == pid for cell, pid in truth.items()) / len(truth)


@pytest.mark.slow
def test_combined_evidence_follows_pseudonyms(session: Session) -> None:
    history = made_history()
    monthly = {cell: f"{cell[0]}_{cell[1]}" for cell in {(row[1], row[2]) for row in history}}
    released = released_as(history, lambda user, period: f"{user}_{period}")
    assert run(session, "combined", released, history, None) == monthly
    # Another order of the records, other names of pseudonyms: the same users behind them.
    hidden = {pid: f"n{place * 7919 % 10007}" for place, pid in enumerate(sorted(monthly.values()))}
    shuffled = [(number, hidden[row[1]], *row[2:]) for number, row in enumerate(reversed(released))]
    assert run(session, "combined", shuffled, history, None) == {c: hidden[p] for c, p in monthly.items()}
    # A tenth of the knowledge: a pseudonym for life tells the other periods too.
    known = [row for row in history if row[0] % 10 == 0]
    lasting = {cell: cell[0][::-1] for cell in monthly}
    some = scored(run(session, "combined", released, known, 2), monthly)
    more = scored(run(session, "combined", released_as(history, lambda u, _: u[::-1]), known, 2), lasting)
    assert more > some + 0.1
    # The same names dealt out anew each month: what comes back is not taken for the same user.
    order = {
        p: sorted({c[0] for c in monthly if c[1] == p}, key=lambda u: (int(u[1:]) * (7, 11, 13)[p] % 61, u))
        for p in range(3)
    }
    turned = {cell: f"x{order[cell[1]].index(cell[0])}" for cell in monthly}
    assert (
        scored(run(session, "combined", released_as(history, lambda u, p: turned[u, p]), known, 2), turned)
        == some
    )
    # Two users under one pseudonym: both are found.
    pairs = {cell: f"{int(cell[0][1:]) // 2}_{cell[1]}" for cell in monthly}
    both = run(session, "combined", released_as(history, lambda u, p: pairs[u, p]), history, None)
    assert scored(both, pairs) > 0.8


def test_changed_records_are_found(session: Session) -> None:
    """Days, prices and quantities a little off, a third of the records gone, no times."""
    draw, history = random.Random(3), made_history()
    changed = []
    for number, user, period, day, _, invoice, item, price, quantity in history:
        if draw.random() < 0.3:
            continue
        near = day.replace(day=min(28, max(1, day.day + draw.randint(-2, 2))))
        cost = f"{float(price) * draw.uniform(0.95, 1.05):.2f}"
        pieces = max(1, quantity + draw.randint(-1, 1))
        changed.append((number, f"{user}_{period}", period, near, "0:00", invoice, item, cost, pieces))
    truth = {(row[1][:3], row[2]): row[1] for row in changed}
    assert scored(run(session, "S6-item2datenum", changed, history, 2), truth) < 0.4
    assert scored(run(session, "combined", changed, history, 2), truth) > 0.8


def test_shuffled_labels_are_found_as_chance_does(session: Session) -> None:
    history = made_history()
    truth = {cell: f"{cell[0]}_{cell[1]}" for cell in {(row[1], row[2]) for row in history}}
    released = released_as(history, lambda user, period: f"{user}_{period}")
    guess = run(session, "combined", released, history, 2)
    users = sorted({cell[0] for cell in truth})
    blind = rated(session, truth, guess, users, 3, released, history)
    assert blind["active_cell"] > 0.99
    draw, hits = random.Random(5), []
    for _ in range(400):
        dealt: Guess = {}
        for period in range(3):
            cells = sorted(cell for cell in truth if cell[1] == period)
            names = [truth[cell] for cell in cells]
            draw.shuffle(names)
            dealt |= dict(zip(cells, names, strict=True))
        hits.append(scored(guess, dealt))
    spread = math.sqrt(3) / len(truth) / math.sqrt(len(hits))  # a random order has one right place on average
    assert abs(sum(hits) / len(hits) - blind["blind_active_cell"]) < 4 * spread
    # Pseudonyms dealt out over the records: nothing is left of who they belong to.
    loose = list(released)
    for period in range(3):
        places = [place for place, row in enumerate(loose) if row[2] == period]
        names = [loose[place][1] for place in places]
        draw.shuffle(names)
        for place, name in zip(places, names, strict=True):
            loose[place] = (loose[place][0], name, *loose[place][2:])
    assert scored(run(session, "combined", loose, history, 2), truth) < 0.1


# --- the contest ---------------------------------------------------------------------------------

PRELIMINARY, FINAL = "pwscup/2017_preliminary/", "pwscup/2017_final/"
_DAY = "CAST(STRPTIME(column2, '%Y/%-m/%-d') AS DATE)"


def contest(path: Path, person: str) -> str:
    """A file of the contest as a query, deleted records empty."""
    cells = {
        person: "column0", "period": f"CAST(DATE_DIFF('month', DATE '2010-12-01', {_DAY}) AS INTEGER)",
        "day": _DAY, "clock": "column3", "invoice": "column1", "item": "column4", "price": "column5",
        "quantity": "CAST(column6 AS BIGINT)",
    }  # fmt: skip
    named = ", ".join(f"CASE WHEN column0 <> 'DEL' THEN {cell} END AS {name}" for name, cell in cells.items())
    return f"""SELECT record, {named} FROM (SELECT ROW_NUMBER() OVER () AS record, * FROM
        read_csv('{path}', header=false, all_varchar=true, delim=',', quote='', parallel=false))"""


@pytest.fixture(scope="module")
def tables() -> Iterator[Session]:
    """The files of the contest: t, t25 to t100 and m, and those of the final under names with f_."""
    with Session(Resources(threads=2)) as made:
        query(made, "SET preserve_insertion_order = true")
        for start, folder, end in (("", PRELIMINARY, ""), ("f_", FINAL, "_Final")):
            original, master = shared(f"{folder}T{end}.csv"), shared(f"{folder}M{end}.csv")
            query(made, f"CREATE TABLE {start}t AS {contest(original, 'user_id')}")
            query(
                made,
                f"CREATE TABLE {start}m AS SELECT column0 AS user_id "
                f"FROM read_csv('{master}', header=false, all_varchar=true)",
            )
        for alpha in (25, 50, 75, 100):
            given = contest(shared(f"{PRELIMINARY}T{alpha}.csv"), "user_id")
            query(made, f"CREATE TABLE t{alpha} AS SELECT * FROM ({given}) WHERE user_id IS NOT NULL")
            query(
                made,
                f"""CREATE TABLE f_t{alpha} AS SELECT * REPLACE (LEFT(item, 2) AS item) FROM f_t
                QUALIFY ROW_NUMBER() OVER (ORDER BY MD5('{alpha} ' || record), record)
                    <= ROUND({alpha} * COUNT(*) OVER () / 100.0)""",
            )
        yield made


def history_of(
    session: Session, release: str, names: Sequence[str], alphas: Sequence[int], start: str = ""
) -> Any:
    """What attacks find in a release, by attack and share."""
    query(session, f"CREATE OR REPLACE TABLE s AS SELECT * FROM ({release}) WHERE pseudonym IS NOT NULL")
    query(
        session,
        f"""CREATE OR REPLACE TABLE f AS SELECT DISTINCT o.user_id, o.period, s.pseudonym
        FROM {start}t AS o JOIN s USING (record)""",
    )
    known = {alpha: f"{start}t{alpha}" for alpha in alphas}
    found = rating.attack_history(
        session, "s", known, "f", f"{start}m", 12, prefix=2, original=f"{start}t", names=names
    )
    return {(one.attack, one.alpha): one.rates for one in found}


MONTH = "SELECT * EXCLUDE (user_id), user_id || '_' || period AS pseudonym FROM {}t"


@pytest.mark.parametrize(
    ("start", "release", "least"),
    thinned(
        [
            pytest.param("", MONTH, {25: 0.87, 100: 1}, id="month"),
            pytest.param("f_", MONTH, {25: 0.75}, id="final"),
            pytest.param("", "shared", {25: 0.84, 100: 0.98}, id="two share a pseudonym"),
            pytest.param("", "changed", {25: 0.8}, id="changed"),
            pytest.param("", "sample", {25: 0.87}, id="sample", marks=pytest.mark.slow),
            pytest.param("", "drill", {25: 1}, id="drill", marks=pytest.mark.slow),
        ]
    ),
)
def test_combined_evidence_beats_the_committee(
    tables: Session, start: str, release: str, least: dict[int, float]
) -> None:
    if release in ("sample", "drill"):
        release = contest(shared(f"{PRELIMINARY}AT_{release}.csv"), "pseudonym")
    elif release in ("changed", "shared"):
        release = CHANGED if release == "changed" else SHARED
    names = ("S6-item2datenum", "vote-item2datenum", "combined")
    shares = thinned(least)
    found = history_of(tables, release.format(start), names, shares, start)
    for alpha in shares:
        rate = least[alpha]
        s6, vote, combined = (found[name, alpha].strict for name in names)
        assert vote > s6 + 0.02
        assert combined > s6 + 0.4
        assert combined >= rate
        assert found["combined", alpha].blind_strict < 0.02


#: Two users have one pseudonym.
SHARED = """
    SELECT * EXCLUDE (user_id), DENSE_RANK() OVER (ORDER BY user_id) // 2 || '_' || period AS pseudonym FROM t
"""
#: Days off by up to three, prices by a tenth, quantities by a fifth; three in ten records are gone.
CHANGED = """
    SELECT record, user_id || '_' || period AS pseudonym, period,
        CAST(GREATEST(DATE_TRUNC('month', day),
            LEAST(LAST_DAY(day), day + CAST(ROUND(6 * a - 3) AS INTEGER))) AS DATE) AS day,
        clock, invoice, item, CAST(ROUND(CAST(price AS DOUBLE) * (0.9 + 0.2 * b), 2) AS VARCHAR) AS price,
        GREATEST(1, CAST(ROUND(quantity * (0.8 + 0.4 * c)) AS BIGINT)) AS quantity
    FROM (
        SELECT *, CAST('0x' || MD5('a' || record)[:8] AS BIGINT) / 2**32 AS a,
            CAST('0x' || MD5('b' || record)[:8] AS BIGINT) / 2**32 AS b,
            CAST('0x' || MD5('c' || record)[:8] AS BIGINT) / 2**32 AS c,
            CAST('0x' || MD5('d' || record)[:8] AS BIGINT) / 2**32 AS d
        FROM t) WHERE d >= 0.3
"""


# --- commands ------------------------------------------------------------------------------------


def line(row: Row) -> str:
    _, who, _, day, clock, invoice, item, price, quantity = row
    return f"{who},{invoice},{day.year}/{day.month}/{day.day},{clock},{item},{price},{quantity}\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Row]:
    """A history, its release and what is known of it: of the contest, and with names of columns."""
    monkeypatch.chdir(tmp_path)
    history = made_history(20)
    released = released_as(history, lambda user, period: f"{user[::-1]}_{period}")
    known = [(*row[:6], row[6][:2], *row[7:]) for row in history]
    for name, rows in (("T", history), ("A", released), ("K", known)):
        text = "".join(map(line, rows))
        Path(f"{name}.csv").write_text(text, encoding="utf-8")
        head = "who,invoice,when,at,what,cost,pieces\n"
        Path(f"{name}_named.csv").write_text(head + text, encoding="utf-8")
    shuffled = random.Random(1).sample(released, len(released))
    head = "alias,invoice,when,at,what,cost,pieces\n"
    Path("S.csv").write_text("".join(map(line, shuffled)), encoding="utf-8")
    Path("S_named.csv").write_text(head + "".join(map(line, shuffled)), encoding="utf-8")
    return history


NAMED = {"user": "who", "date": "when", "time": "at", "item": "what", "price": "cost", "quantity": "pieces"}


@pytest.mark.slow
def test_attack_of_the_contest(files: list[Row]) -> None:
    found = command(
        "pwscup", "attack", "--original", "T.csv", "--release", "A.csv", "--partial", "100=K.csv",
        "--attack", "S6-item2datenum", "--attack", "combined", "--format", "json", "-q",
    )  # fmt: skip
    assert found.code == 0, found.err
    first, second = found.json["attacks"]
    assert (first["attack"], first["alpha"]) == ("S6-item2datenum", 100)
    assert second["strict"] == second["row"] == 1 > first["strict"]
    assert second["blind_strict"] < 0.01
    assert "links" not in second
    assert second["linked_records"] == found.json["release"]["records"] == len(files)
    # The guess is a table of pseudonyms, and so is the truth: the one can be given for the other.
    one = ("--attack", "combined", "--partial", "100=K.csv", "-q")
    done = command(
        "pwscup", "attack", "--original", "T.csv", "--release", "A.csv", *one, "--guess-out", "F.csv"
    )
    assert done.code == 0, done.err
    assert "Strict" in done.out
    assert re.search(r"combined +100% +1 +0\.\d+ +1 +1 +0\.00", done.out)
    done = command("pwscup", "attack", "--original", "T.csv", "--release", "S.csv", "--truth", "F.csv", *one)
    assert re.search(r"combined +100% +1 +0\.\d+ +1 +1 +0\.00", done.out), done.err
    refused(3, "--truth", arguments=["pwscup", "attack", "--original", "T.csv", "--release", "F.csv"])
    refused(
        2, "one guess",
        arguments=["pwscup", "attack", "--original", "T.csv", "--release", "A.csv", "--guess-out", "G.csv"],
    )  # fmt: skip
    refused(
        2, "did you mean",
        arguments=["pwscup", "attack", "--original", "T.csv", "--release", "A.csv", "--attack", "combind"],
    )  # fmt: skip


def test_a_release_in_an_order_of_its_own(files: list[Row]) -> None:
    """What to give instead is said in the options of the command; a pseudonym counts once a period."""
    known = Path("K_named.csv")
    words = ["attack", known, "S_named.csv", "--user", "who", "--pseudonym", "alias", "--date", "when"]
    words += ["--item", "what", "--attack", "combined", "-q"]
    own = refused(
        3, "Give --truth F.csv; without --original", arguments=[*words, "--original", "T_named.csv"]
    )
    assert "--partial" not in own
    done = command(*words)
    assert "if one counts in each period anew" in " ".join(done.out.split()), done.err


@pytest.mark.slow
def test_attack_without_the_original(files: list[Row]) -> None:
    """A team has S, what it knows and the customers; the guess is that of somebody who has T as well."""
    Path("half.csv").write_text("".join(map(line, files[::2])), encoding="utf-8")
    users = sorted({one[1] for one in files})
    Path("M.csv").write_text(
        "".join(f"{user},f,1970/1/1,France\n" for user in [*users, "zz"]), encoding="utf-8"
    )
    team = ("pwscup", "attack", "--release", "S.csv", "--partial", "50=half.csv", "--partial", "100=K.csv")
    found = command(*team, "--format", "json", "-q").json
    assert found["original"] is None
    assert found["periods"] == 12
    assert {one["alpha"] for one in found["attacks"]} == {50, 100}
    assert {one["attack"] for one in found["attacks"]} == set(attacks.ATTACKS)
    assert all("strict" not in one for one in found["attacks"])
    one = ("--attack", "combined", "-q")
    master = ("--master", "M.csv", "--guess-out", "G.csv")
    refused(2, "one guess", arguments=[*team, *one, *master])
    assert command(*team[:-2], *one, *master).code == 0
    assert Path("G.csv").read_text(encoding="utf-8").splitlines()[-1].startswith("zz,DEL,DEL")
    full = command(*team, *one, "--format", "json").json["attacks"]
    told = command(*team, *one, "--truth", "G.csv", "--format", "json").json["attacks"]
    assert [one["guessed_cells"] for one in told] == [one["guessed_cells"] for one in full]
    assert told[0]["strict"] == 1  # its own guess for the truth
    refused(2, "--partial 25=T25.csv", arguments=["pwscup", "attack", "--release", "S.csv"])
    refused(2, "--partial 25=FILE", arguments=[*team, "--alpha", "25"])
    shuffled = ["pwscup", "attack", "--release", "S.csv", "--original", "T.csv"]
    refused(3, "attack without --original: --partial", arguments=shuffled)


@pytest.mark.slow
def test_attack_on_an_ordinary_release(files: list[Row], capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    columns = [part for role, name in NAMED.items() for part in (f"--{role}", name)]

    def attacked(*arguments: str) -> str:
        app = typer.Typer()
        app.command()(attack_command)
        app([*arguments, *columns, "-q"], standalone_mode=False)
        return capsysbinary.readouterr().out.decode()

    told = attacked("K_named.csv", "S_named.csv", "--pseudonym", "alias")
    assert "combined" in told
    assert "Pseudonyms" in told
    assert "--truth" in told
    assert not any(name in told for name in ("u01", "10u"))
    shown = attacked(
        "K_named.csv", "S_named.csv", "--pseudonym", "alias", "--show-values", "--attack", "combined"
    )
    assert "10u_0" in shown
    told = attacked("K_named.csv", "A_named.csv", "--original", "T_named.csv", "--format", "markdown")
    assert "| combined |" in told
    assert re.search(r"\| combined \| *\| 1 \| 0\.\d+ \| 1 \| 1 \|", told)
    columns = []
    with pytest.raises(UsageError, match="--user"):
        attacked("K.csv", "S.csv")


def test_other_periods_and_the_truth_alone(files: list[Row]) -> None:
    """Pseudonyms for life, whatever the period; the table of pseudonyms says how much is right."""
    period, released = "week", released_as(files, lambda user, _: user[::-1])
    head = "who,invoice,when,at,what,cost,pieces\n"
    Path("life.csv").write_text(head + "".join(map(line, released)), encoding="utf-8")
    pwscup.pseudonyms("T_named.csv", "life.csv", "F.csv", period=period, **NAMED)
    found = pwscup.attack(
        None, "life.csv", known="K_named.csv", truth="F.csv", attacks=["combined"], period=period,
        item_prefix=0, **NAMED,
    )  # fmt: skip
    (entry,) = found.data["attacks"]
    assert entry["strict"] == 1
    assert found.data["period"] == period
    assert "combined" in found.to_markdown()


Pair = tuple[int, int]


def sharers(
    known: Counter[Pair], scores: dict[tuple[int, int, int], float], guess: dict[Pair, int], least: float
) -> dict[Pair, int]:
    """The guess of users and periods once pseudonyms are shared, by the definition."""
    best: dict[Pair, tuple[int, float]] = {}
    for (user, period, pseudonym), score in sorted(scores.items()):
        if (user, period) in known and score > best.get((user, period), (0, -math.inf))[1]:
            best[user, period] = (pseudonym, score)
    got = {key for key, (pseudonym, _) in best.items() if guess.get(key) == pseudonym}
    if not got:
        return guess
    usual = sum(best[key][1] for key in got) / sum(known[key] for key in got)
    strong: dict[Pair, bool] = {}
    for key in best.keys() - got:
        enough = least * usual * known[key]
        own = scores.get((*key, guess.get(key, -1)), 0)
        strong[key] = best[key][1] >= enough > own
    asked = [one for key, one in strong.items() if known[key] >= 3]
    share = {
        key: best[key][0]
        for key, one in strong.items()
        if one and (known[key] >= 3 or (asked and 2 * sum(asked) >= len(asked)))
    }
    kept = {
        key: pseudonym for key, pseudonym in guess.items() if key in known or pseudonym not in share.values()
    }
    return kept | share


def test_pseudonyms_that_are_shared() -> None:
    """Of users and two periods, with two pseudonyms each; half of what is usual is enough."""
    chance, keys = random.Random(1), [(user, period) for user in range(4) for period in range(2)]
    kinds = dict.fromkeys(("user_number", "period", "pseudonym_number"), "INTEGER") | {"score": "DOUBLE"}
    with connect() as engine:
        for _ in thinned(range(60), 3):
            known = +Counter({key: chance.randrange(6) for key in keys})
            pairs = [(*key, 2 * key[1] + place) for key in keys for place in range(2)]
            scores = {pair: float(chance.randrange(-4, 16)) for pair in pairs if chance.random() < 0.8}
            guess: dict[Pair, int] = {}
            for period in range(2):
                for place, user in enumerate(chance.sample(range(4), 2)):
                    guess[user, period] = 2 * period + place
            make(engine, dict.fromkeys(("person", "period"), "INTEGER"), known.elements(), "known")
            make(engine, kinds, [(*pair, score) for pair, score in scores.items()], "scores")
            make(engine, kinds, [(*key, one, 0) for key, one in guess.items()], "first")
            engine.execute("CREATE OR REPLACE TEMP TABLE guess AS FROM first")
            rows_of(
                engine,
                "evidence_sharers",
                guess="guess",
                scores="scores",
                known_records="known",
                min_share=0.5,
            )
            found = engine.execute("SELECT user_number, period, pseudonym_number FROM guess").fetchall()
            expected = sharers(known, scores, guess, 0.5)
            assert sorted(found) == sorted((*key, one) for key, one in expected.items())


def test_how_often_a_pseudonym_stays_by_hand() -> None:
    """x is guessed to be 1, 1 and 2; y, without a guess in the second period, 5 and 5: two of three stay."""
    with connect() as engine:
        kinds = {"number": "INTEGER", "pseudonym": "VARCHAR", "period": "INTEGER"}
        make(
            engine, kinds, [(1, "x", 1), (2, "x", 2), (3, "x", 3), (4, "y", 1), (5, "y", 2), (6, "y", 3)], "p"
        )
        guess = {"user_number": "INTEGER", "pseudonym_number": "INTEGER"}
        make(engine, guess, [(1, 1), (1, 2), (2, 3), (5, 4), (5, 6)], "g")
        assert rows_of(engine, "pseudonym_stability", guess="g", pseudonyms="p") == [{"stability": 2 / 3}]
        make(engine, guess, [(1, 1)], "g")
        assert rows_of(engine, "pseudonym_stability", guess="g", pseudonyms="p") == [{"stability": 0}]
