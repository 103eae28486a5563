"""Lives of pseudonyms: renewed and passed on by hand and by brute force, and what they cost and hide."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.base.errors import UsageError
from duckrisk.contests import pwscup
from duckrisk.engine.templates import Sql, identifier
from tests import pwscup_oracle as oracle
from tests.command import command
from tests.shared_data import shared
from tests.tables import LIGHT, connect, put, row, run, tell, thinned

Cell = tuple[str, int]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(threads=1) as made:
        yield made


# --- the steps, by hand and by brute force -------------------------------------------------------


def lay(connection: duckdb.DuckDBPyConnection, owners: list[Cell], names: list[str | None]) -> None:
    """The original "o" of users and periods, and the release "r" of their pseudonyms."""
    put(
        connection, "o", "record user_id:VARCHAR period", *[(n + 1, *owner) for n, owner in enumerate(owners)]
    )
    put(connection, "r", "record c0:VARCHAR c1", *[(n, name, 7 * n) for n, name in enumerate(names)])


BOTH: dict[str, Any] = {"source": identifier("r"), "original": identifier("o"), "user": "c0"}


def test_passed_on_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    """Half of the three pseudonyms of the first period, 1.5, are two; the second period has one alone."""
    owners = [("a", 0), ("b", 0), ("a", 0), ("c", 0), ("d", 0), ("b", 1)]
    lay(connection, owners, ["x", "y", "x", "z", None, "y"])
    drawn = Sql("[3, 1, 0, 2, 0, 0][record]")  # of the first records: y before z before x
    run(connection, "passed_on_pseudonyms", name="m", **BOTH, share=0.5, drawn=drawn)
    moves = "SELECT period, pseudonym, new_pseudonym FROM m ORDER BY ALL"
    assert tell(connection, moves) == [(0, "y", "z"), (0, "z", "y"), (1, "y", "y")]
    assert row(connection, "count_moves", moves=identifier("m")) == {"moved": 2, "pseudonyms": 2}
    run(connection, "moved_pseudonyms", name="n", **BOTH, moves=identifier("m"), columns=["c0", "c1"])
    assert tell(connection, "FROM n") == [
        (0, "x", 0), (1, "z", 7), (2, "x", 14), (3, "y", 21), (4, None, 28), (5, "y", 35),
    ]  # fmt: skip


def test_renewed_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    """x has 2 records, then 1, then 2, then 1: with 3 it is renewed before the last but one, not again before
    the last. y has one record after a pause."""
    owners = [
        ("a", 0),
        ("a", 0),
        ("a", 1),
        ("a", 2),
        ("a", 2),
        ("a", 4),
        ("b", 0),
        ("b", 0),
        ("b", 0),
        ("b", 4),
    ]
    lay(connection, owners, ["x"] * 6 + ["y", "y", None, "y"])
    run(connection, "counted_renewals", name="w", **BOTH, most_records=3)
    found = tell(connection, "SELECT pseudonym, used_period, renewals FROM w ORDER BY ALL")
    assert found == [("x", 0, 0), ("x", 1, 0), ("x", 2, 1), ("x", 4, 1), ("y", 0, 0), ("y", 4, 0)]
    put(
        connection,
        "p",
        "person:VARCHAR period pseudonym:VARCHAR",
        ("x", 0, "N2"),
        ("x", 1, "N1"),
        ("y", 0, "N3"),
    )
    run(connection, "renewed_pseudonyms", name="m", renewals=identifier("w"), pseudonyms=identifier("p"))
    assert tell(connection, "SELECT period, pseudonym, new_pseudonym FROM m ORDER BY ALL") == [
        (0, "x", "N2"), (0, "y", "N3"), (1, "x", "N2"), (2, "x", "N1"), (4, "x", "N1"), (4, "y", "N3"),
    ]  # fmt: skip


def count_renewals(records: dict[int, int], most: int) -> dict[int, int]:
    """The renewals of a pseudonym before each of its periods, from its records by period."""
    renewals, held, found = 0, 0, {}
    for period in sorted(records):
        if held >= most:
            renewals, held = renewals + 1, 0
        held += records[period]
        found[period] = renewals
    return found


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[Cell], list[str | None]]:
    """Users and periods of records, and a pseudonym for each: for all time or for two periods."""
    owners = draw(st.lists(st.tuples(st.sampled_from("abcdeπ"), st.integers(0, 5)), max_size=30))
    life = draw(st.sampled_from([2, 9]))
    deleted = draw(st.sets(st.integers(0, 29)))
    names = [None if n in deleted else f"p{u}{p // life}" for n, (u, p) in enumerate(owners)]
    return owners, names


@LIGHT
@given(releases(), st.integers(1, 9))
def test_renewals_as_counted(
    connection: duckdb.DuckDBPyConnection, drawn: tuple[list[Cell], list[str | None]], most: int
) -> None:
    lay(connection, *drawn)
    run(connection, "counted_renewals", name="w", **BOTH, most_records=most)
    records: dict[str, Counter[int]] = defaultdict(Counter)
    for (_, period), name in zip(*drawn, strict=True):
        if name is not None:
            records[name][period] += 1
    expected = {
        (name, period): renewals
        for name, held in records.items()
        for period, renewals in count_renewals(held, most).items()
    }
    found = tell(connection, "SELECT pseudonym, used_period, renewals FROM w")
    assert {(name, period): renewals for name, period, renewals in found} == expected
    assert len(found) == len(expected)


@LIGHT
@given(releases(), st.sampled_from([0, 0.2, 0.5, 0.75, 1]))
def test_rings_as_defined(
    connection: duckdb.DuckDBPyConnection, drawn: tuple[list[Cell], list[str | None]], share: float
) -> None:
    """In each period the share, rounded half up, of the pseudonyms pass on in one ring; the rest stay."""
    lay(connection, *drawn)
    run(connection, "passed_on_pseudonyms", name="m", **BOTH, share=share, drawn=Sql("HASH(record)"))
    run(connection, "moved_pseudonyms", name="n", **BOTH, moves=identifier("m"), columns=["c0", "c1"])
    released = tell(connection, "SELECT record, c0, c1 FROM n")
    assert [(record, other) for record, _, other in released] == [(n, 7 * n) for n in range(len(drawn[0]))]
    maps: dict[int, dict[str, str]] = defaultdict(dict)
    for (_, period), old, (_, new, _) in zip(*drawn, released, strict=True):
        assert (old is None) == (new is None)
        if old is not None:
            assert maps[period].setdefault(old, new) == new
    for held in maps.values():
        moved = {old: new for old, new in held.items() if old != new}
        assert sorted(held.values()) == sorted(held)
        count = math.floor(Fraction(str(share)) * len(held) + Fraction(1, 2))
        assert len(moved) == (count if count > 1 else 0)
        ring = set()
        at = next(iter(moved), None)
        while at is not None and at not in ring:
            ring.add(at)
            at = moved[at]
        assert ring == set(moved)


# --- the front -----------------------------------------------------------------------------------

SHARES = st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.5, 1.0])


def test_front_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    """The second setting is as good as the first for less; the third hides most. Two known shares."""
    losses, rates = ["0.5", "0.25", "0.75"], ["0.5", "0.75", "0.5", "0.5", "0.125", "0.5"]
    rows = run(connection, "lifetime_front", losses=losses, rates=rates, shares=2, limit=0.5)
    assert [tuple(one.values()) for one in rows] == [
        (1, 0, True, True, True), (1, 1, True, True, True),
        (0, 0, False, True, False), (0, 1, False, False, False),
        (2, 0, True, True, False), (2, 1, False, True, False),
    ]  # fmt: skip
    rows = run(connection, "lifetime_front", losses=losses, rates=rates, shares=2, limit=None)
    assert {(one["within_limit"], one["cheapest"]) for one in rows} == {(None, False)}


@LIGHT
@given(st.lists(st.tuples(SHARES, SHARES, SHARES), min_size=1, max_size=7), SHARES)
def test_front_as_defined(
    connection: duckdb.DuckDBPyConnection, settings: list[tuple[float, float, float]], limit: float
) -> None:
    rows = run(
        connection,
        "lifetime_front",
        losses=[repr(one[0]) for one in settings],
        rates=[repr(rate) for one in settings for rate in one[1:]],
        shares=2,
        limit=limit,
    )
    assert len(rows) == 2 * len(settings)
    for share in (0, 1):
        points = [(one[0], one[1 + share]) for one in settings]
        mine = {one["setting"]: one for one in rows if one["share"] == share}
        for n, (loss, rate) in enumerate(points):
            beaten = any(
                lost <= loss and held <= rate and (lost, held) != (loss, rate) for lost, held in points
            )
            assert mine[n]["on_front"] == (not beaten)
            assert mine[n]["within_limit"] == (rate <= limit)
        within = [(loss, rate, n) for n, (loss, rate) in enumerate(points) if rate <= limit]
        assert [n for n in mine if mine[n]["cheapest"]] == ([min(within)[2]] if within else [])


# --- releases ------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(name: str) -> oracle.Release:
    return oracle.read(Path(name))


TREATMENTS: list[dict[str, Any]] = [
    {"exchange_pseudonyms": 0.5},
    {"exchange_pseudonyms": 1, "life": 2, "perturb_dates": 0.5},
    {"renew_after": 5, "perturb_items": 0.5, "delete_rare_items": 2},
    {"renew_after": 1, "exchange_pseudonyms": 0.4},
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("treatment", TREATMENTS)
def test_all_constraints_hold(seed: int, treatment: dict[str, Any]) -> None:
    original, _ = oracle.contest(seed, customers=7)
    oracle.write(Path("T.csv"), original)
    pwscup.anonymize("T.csv", "A.csv", seed=seed, **{"life": None, **treatment})
    release = read("A.csv")
    assert not any(oracle.violations(original, release).values())
    assert pwscup.check("T.csv", "A.csv").passed
    pairs = [(new.user, new.month, old.user) for old, new in zip(original, release, strict=True) if new]
    # Nobody shares a pseudonym in a month.
    assert len({pair[:2] for pair in pairs}) == len({pair[1:] for pair in pairs}) == len(set(pairs))


@pytest.mark.usefixtures("folder")
def test_renewed_as_counted_and_unlike_before() -> None:
    original, _ = oracle.contest(4, customers=9)
    oracle.write(Path("T.csv"), original)
    written = pwscup.anonymize("T.csv", "A.csv", seed=2, life=None, renew_after=6)
    release = read("A.csv")
    records: dict[str, Counter[Any]] = defaultdict(Counter)
    names: dict[tuple[str, Any], str] = {}
    for old, new in zip(original, release, strict=True):
        assert new is not None
        records[old.user][old.month] += 1
        names[old.user, old.month] = new.user
    lives = {
        (user, renewals): {names[user, month] for month, count in counted.items() if count == renewals}
        for user, counted in ((user, count_renewals(held, 6)) for user, held in records.items())
        for renewals in counted.values()
    }
    assert all(len(held) == 1 for held in lives.values())
    assert len(set.union(*lives.values())) == len(lives) > 9
    assert f"there are {len(lives)} pseudonyms" in " ".join(written.to_text(10_000).split())
    assert "renew-after" in Path("A.csv.recipe.toml").read_text(encoding="utf-8")


@pytest.mark.usefixtures("folder")
def test_no_share_changes_no_byte() -> None:
    original, _ = oracle.contest(5, customers=6)
    oracle.write(Path("T.csv"), original)
    for name, more in (("A", {}), ("B", {"exchange_pseudonyms": 0}), ("C", {"renew_after": 10_000})):
        pwscup.anonymize("T.csv", f"{name}.csv", seed=1, life=None, **more)
    assert Path("A.csv").read_bytes() == Path("B.csv").read_bytes()
    # Renewed never: the same people, under names drawn anew.
    one, other = (
        [[new and new.user for new in read(f"{name}.csv")] for name in pair] for pair in ("AC", "CA")
    )
    assert len(set(zip(*one, strict=True))) == len(set(one[0])) == len(set(other[0]))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "more", [{"exchange_pseudonyms": 1.5}, {"exchange_pseudonyms": -0.1}, {"renew_after": 0}]
)
def test_refused(more: dict[str, Any]) -> None:
    original, _ = oracle.contest(5, customers=3)
    oracle.write(Path("T.csv"), original)
    with pytest.raises(UsageError, match="must be"):
        pwscup.anonymize("T.csv", "A.csv", **more)
    with pytest.raises(UsageError, match="must be"):
        pwscup.lifetimes("T.csv", **{name: [value, -1] for name, value in more.items()})
    assert not Path("A.csv").exists()


# --- what they cost and hide ---------------------------------------------------------------------


def agrees(measured: Any, original: Any, seed: int, alphas: list[float], **columns: Any) -> None:
    """A setting has the figures of the release that ``anonymize`` writes, by ``score`` and ``attack``."""
    fields = (
        "life",
        "delete_rare_items",
        "perturb_dates",
        "perturb_items",
        "renew_after",
        "exchange_pseudonyms",
    )
    treatment = {name: getattr(measured, name) for name in fields}
    own = {name: column for name, column in columns.items() if name in ("user", "date", "item", "period")}
    suffix = ".parquet" if columns else ".csv"
    release = f"again{suffix}"
    pwscup.anonymize(original, release, seed=seed, overwrite=True, **treatment, **own)
    scored = pwscup.score(original, release, seed=seed, **columns).releases[0]
    assert (measured.utl, measured.sec, measured.surviving) == (
        scored.utl,
        scored.safety.sec,
        scored.surviving,
    )
    attacked = pwscup.attack(original, release, attacks=["combined"], alphas=alphas, seed=seed, **columns)
    for found, attack in zip(measured.found, attacked.attacks, strict=True):
        assert found.alpha == attack.alpha
        rates = {name: getattr(found.rates, name) for name in vars(attack.rates)}
        assert rates == vars(attack.rates)
        assert found.rates.strict == found.rates.right_users / found.rates.users
        assert found.lower <= found.rates.strict <= found.upper


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_agrees_with_the_other_commands() -> None:
    original, _ = oracle.contest(6, customers=10)
    oracle.write(Path("T.csv"), original)
    found = pwscup.lifetimes(
        "T.csv", life=[1, None], perturb_dates=[0, 0.5], exchange_pseudonyms=[0.5], alphas=[30, 10], seed=3
    )
    assert len(found.measured) == 4
    assert [known.alpha for known in found.known] == [10, 30]
    utls = [setting.utl for setting in found.measured]
    assert utls == sorted(utls)
    for setting in thinned(found.measured, 3):  # the first and the last change least and most
        agrees(setting, "T.csv", 3, [10, 30])


@pytest.mark.usefixtures("folder")
def test_agrees_on_named_columns() -> None:
    original, _ = oracle.contest(8, customers=8)
    frame = pd.DataFrame(
        {
            "who": [f"ä'{row.user}" for row in original],
            "when": [
                dt.datetime.combine(
                    row.day, dt.time(int(row.time.split(":")[0]), int(row.time.split(":")[1]))
                )
                for row in original
            ],
            'wh"at': [row.item for row in original],
            "paid": [float(row.price) for row in original],
            "pieces": [int(row.quantity) for row in original],
        }
    )
    frame.loc[3, "who"] = None
    frame.loc[5, "when"] = pd.NaT
    frame.to_parquet("T.parquet")
    columns = {"user": "who", "date": "when", "item": 'wh"at', "price": "paid", "quantity": "pieces"}
    found = pwscup.lifetimes(
        "T.parquet", life=[2], perturb_items=[0.5], renew_after=[4], alphas=[20], period="week", **columns
    )
    assert found.original.incomplete_records == 2
    agrees(found.measured[0], "T.parquet", 0, [20], period="week", **columns)


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_cheapest_and_what_is_said() -> None:
    """The limit of everybody is kept for nothing; that of nobody by no setting."""
    original, _ = oracle.contest(6, customers=10)
    oracle.write(Path("T.csv"), original)
    asked = {"life": [1, None], "alphas": [50], "seed": 1}
    easy, hard = (pwscup.lifetimes("T.csv", found=limit, **asked) for limit in (1, 0))
    assert easy.cheapest is not None
    assert (easy.cheapest[0].place, easy.cheapest[0].utl) == (0, 0)
    assert easy.measured[0].life is None
    assert "finds at most 100% of the users with one pseudonym for all time" in easy.to_text(10_000)
    assert hard.cheapest is not None
    assert (hard.cheapest[0].place, hard.cheapest[0].utl) == (None, None)
    assert "more than 0% of the users" in hard.to_text(10_000)
    assert "パレート最適" in hard.to_text(10_000, "ja")
    plain = pwscup.lifetimes("T.csv", **asked)
    assert plain.cheapest is None
    assert [one.found for one in plain.measured] != [one.found for one in hard.measured]
    line = "pwscup lifetimes T.csv --life 1 --life all --alpha 50 --seed 1 --format json -q"
    done = command(*line.split())
    assert done.code == 0, done.err
    assert done.json == plain.to_dict()
    with pytest.raises(UsageError, match='No value of "life"'):
        pwscup.lifetimes("T.csv", life=[])
    for life in (0, "1", 1.5):
        with pytest.raises(UsageError, match="number of periods or all"):
            pwscup.lifetimes("T.csv", life=[life])


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_one_customer_and_an_empty_month() -> None:
    rows = [oracle.Row("101", "0", day, "9:00", "A1", "1.00", "1") for day in ("2011/1/5", "2011/4/9")]
    oracle.write(Path("T.csv"), rows)
    found = pwscup.lifetimes("T.csv", exchange_pseudonyms=[0, 1], renew_after=[1], alphas=[100])
    assert {(one.utl, one.found[0].rates.users) for one in found.measured} == {(0, 1)}
    assert pwscup.lifetimes("T.csv", alphas=[0]).measured[0].found[0].rates.right_users == 0


#: Design figures of our own on the contest's preliminary table, with seed 1: UTL; users found with 1 % known.
OWN = {1: (0.8530, 0.0920, 0.2322), None: (0, 0.3840, 0.5482)}


@pytest.mark.slow
def test_own_figures_on_the_contest_table() -> None:
    table = shared("pwscup/2017_preliminary/T.csv")
    found = pwscup.lifetimes(table, life=[*OWN], exchange_pseudonyms=[0, 1], alphas=[1], seed=1)
    assert len({setting.sec for setting in found.measured}) == 1
    by_setting = {(one.life, one.exchange_pseudonyms): one for one in found.measured}
    for life, (utl, strict, active_cell) in OWN.items():
        one = by_setting[life, None]
        rates = one.found[0].rates
        assert (one.utl, rates.strict, rates.active_cell) == pytest.approx(
            (utl, strict, active_cell), abs=5e-5
        )
    # Names that are passed on by everybody in each period hide as new names do.
    assert by_setting[None, 1.0].found[0].rates == by_setting[1, None].found[0].rates
    assert 0.8 < by_setting[None, 1.0].utl < by_setting[1, None].utl


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_a_limit_alone_tries_several_settings() -> None:
    original, _ = oracle.contest(6, customers=6, months=2)
    oracle.write(Path("T.csv"), original)
    found = pwscup.lifetimes("T.csv", found=1, alphas=[50])
    assert len(found.measured) == 15
    assert all(setting.found[0].within_limit for setting in found.measured)
    assert found.cheapest is not None
    order = [(one.utl, one.found[0].rates.strict, place) for place, one in enumerate(found.measured)]
    assert found.cheapest[0].place == min(order)[2]
    assert len(pwscup.lifetimes("T.csv", found=1, life=[None], alphas=[50]).measured) == 1
