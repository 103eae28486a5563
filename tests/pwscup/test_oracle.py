"""The brute-force contest is right by hand, and small contests have its figures and its checks."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from math import sqrt
from pathlib import Path

import pytest

from duckrisk.contests import pwscup
from tests import pwscup_oracle as oracle
from tests.pwscup_oracle import DEL, Row


def rows(text: str) -> oracle.Release:
    """A line a record: user, date, item, price, quantity."""
    found: oracle.Release = []
    for line in text.strip().splitlines():
        cells = line.split()
        if cells == [DEL]:
            found.append(None)
        else:
            user, date, item, price, quantity = cells
            found.append(Row(user, "0", date, "9:00", item, price, quantity))
    return found


ORIGINAL = oracle.present(
    rows("""
    101 2011/1/5 A 2.00 12
    101 2011/1/5 B 1.00 24
    102 2011/1/9 A 2.00 36
    102 2011/2/3 B 1.00 6
    103 2011/2/7 C 5.00 3
    103 2011/2/7 A 2.00 4
    """)
)
RELEASE = rows("""
    p1 2011/1/5  A 1.50 12
    p1 2011/1/5  B 1.00 24
    p2 2011/1/14 A 2.00 24
    DEL
    p3 2011/2/7  C 5.00 3
    p3 2011/2/7  A 2.00 4
    """)
USERS = ["101", "102", "103"]
MASTER = {"101": ("f",), "102": ("m",), "103": ("f",)}


def test_the_worked_example() -> None:
    assert oracle.utility(ORIGINAL, RELEASE, top=2) == pytest.approx(
        {
            "itemcf_supply": sqrt(2) - 1,
            "itemcf_retail": 0,
            "topk_list": 0.5,
            "topk_similarity": 1 - sqrt(1 / 2),
            "date": 5 / 186,
            "price": 0.25 / 6,
            "deleted_rows": 0.1667,
        },
        abs=1e-12,
    )
    true = oracle.truth(ORIGINAL, RELEASE)
    assert {user: [pid for pid in cells if pid != DEL] for user, cells in true.items()} == {
        "101": ["p1"],
        "102": ["p2"],
        "103": ["p3"],
    }
    assert (true["101"][1], true["102"][1], true["103"][2]) == ("p1", "p2", "p3")
    guess = oracle.committee_attack("S1-datenum", oracle.present(RELEASE), ORIGINAL, USERS)
    assert guess == {**true, "102": [DEL] * 12}
    found = oracle.rates(true, guess, ORIGINAL, RELEASE)
    assert found == pytest.approx({"strict": 2 / 3, "cell": 2 / 36, "active_cell": 2 / 3, "row": 4 / 5})
    assert oracle.score(ORIGINAL, RELEASE, {100: ORIGINAL}, USERS, top=2)["avg"] == pytest.approx(
        (0.5 + 2 / 3) / 2
    )


def test_the_paper_counts_records_and_the_diagonal() -> None:
    found = oracle.utility(ORIGINAL, RELEASE, top=2, profile="paper")
    assert found["itemcf_supply"] == 0, "nobody bought an item twelve times"
    # A 101 102 103, B 101 102, C 103: 2 (2/sqrt 6 + 1/sqrt 3) beside the diagonal of 3; B loses 102.
    ab, ac = 2 / sqrt(6), 1 / sqrt(3)
    assert found["itemcf_retail"] == pytest.approx(2 * (ab - 1 / sqrt(3)) / (2 * (ab + ac) + 3))
    assert found["topk_similarity"] == pytest.approx(2 * (ab - 1 / sqrt(3)) / (2 * ab + 2))
    gone = [None if row and row.item == "C" else row for row in RELEASE]
    assert oracle.utility(ORIGINAL, gone, top=2, profile="paper")["itemcf_retail"] == pytest.approx(
        (2 * (ab - 1 / sqrt(3) + ac) + 1) / (2 * (ab + ac) + 3)
    )


def test_supply_is_capped_and_retail_drops_at_twelve() -> None:
    before = oracle.present(
        rows("1 2011/1/1 A 1 40\n1 2011/1/1 A 1 60\n1 2011/1/1 B 1 12\n2 2011/1/1 A 1 12")
    )
    cells = oracle.matrix(before, {"A", "B"})
    assert cells == {"1": {"A": 100, "B": 12}, "2": {"A": 12}}
    supply = oracle.mapped(cells, lambda x: min(6, x // 12))
    assert oracle.cosines(supply)[0] == {("A", "B"): pytest.approx(6 / sqrt(37))}
    assert oracle.cosines(oracle.mapped(cells, lambda x: x // 12))[0] == {
        ("A", "B"): pytest.approx(8 / sqrt(65))
    }
    assert oracle.mapped(cells, lambda x: x if x <= 11 else 0) == {"1": {}, "2": {}}
    assert oracle.distance({}, supply) == 0
    assert oracle.distance(supply, {}) == 1
    assert oracle.most_bought(cells, 1) == {"A"}


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        ({"user": "p 1"}, {2: 1, 11: 1}),
        ({"invoice": ""}, {3: 1}),
        ({"date": "2011-1-5"}, {4: 1}),
        ({"date": "2011/1/32"}, {4: 1}),
        ({"date": "2011/2/5"}, {5: 1}),
        ({"time": "24:00"}, {6: 1}),
        ({"item": "D"}, {7: 1}),
        ({"price": "1.505"}, {8: 1}),
        ({"price": "-1"}, {8: 1}),
        ({"quantity": "1000000"}, {9: 1}),
        ({"user": "102"}, {10: 1, 11: 1}),
        ({"user": "p2"}, {11: 1}),
    ],
)
def test_a_broken_constraint_is_counted(change: dict[str, str], broken: dict[int, int]) -> None:
    first = RELEASE[0]
    assert first is not None
    counted = oracle.violations(ORIGINAL, [first._replace(**change), *RELEASE[1:]])
    assert {number: count for number, count in counted.items() if count} == broken


def test_too_few_rows_are_counted() -> None:
    assert not any(oracle.violations(ORIGINAL, [*RELEASE[:3], None, None, None]).values())
    assert oracle.violations(ORIGINAL, [*RELEASE[:2], None, None, None, None])[1] == 1
    assert oracle.violations(ORIGINAL, RELEASE[:5])[12] == 1


def test_later_rows_overwrite_and_votes_count() -> None:
    released = oracle.present(
        rows("p 2011/1/5 22A 1 1\np 2011/1/5 22B 1 1\nq 2011/1/6 22C 1 1\nr 2011/2/6 23 1 1")
    )
    known = rows("1 2011/1/5 22 1 1\n1 2011/1/6 22 1 1\nDEL\n2 2011/1/5 23 1 1")
    users, months = ["1", "2", "3"], oracle.months_of(released)
    assert months == [(2011, 1), (2011, 2)]
    last = oracle.last_wins(("item",), released, known, users, months)
    assert last == {"1": ["q", DEL], "2": ["r", DEL], "3": [DEL, DEL]}, "also a pseudonym of another month"
    assert oracle.last_wins(("date",), released, known, users, months)["1"] == ["q", DEL]
    assert oracle.vote(("item",), released, known, users, months) == {
        "1": ["p", DEL],
        "2": [DEL, DEL],
        "3": [DEL, DEL],
    }
    assert oracle.vote(("date",), released, known, users, months)["2"] == ["p", DEL]
    assert oracle.overlap(released, known, users, months)["1"] == ["p", DEL], "the smaller of two equals"


def test_association_rules() -> None:
    rule = oracle.all_rules(["AB", "AB", "AC", "B"])["A", "B"]
    assert rule == (
        Fraction(1, 2), Fraction(2, 3), Fraction(8, 9), Fraction(-1, 16), Fraction(3, 4)
    )  # fmt: skip
    before, after = (
        oracle.present(
            rows("\n".join(f"{user} 2011/1/1 {item} 1 1" for user, items in table for item in items))
        )
        for table in (
            (("1", "AB"), ("2", "AB"), ("3", "AC"), ("4", "B")),
            (("1", "AB"), ("2", "A"), ("3", "AC")),
        )
    )
    found = oracle.rule_losses(before, after, Fraction(1, 2), Fraction(3, 10))
    # A-B and B-A of the original have support 1/2; no pair of the release has more than 1/3.
    assert found == {
        "rules": 1, "confidence": Fraction(2, 3), "measured": Fraction(1, 3),
        "original": 2, "release": 0, "common": 0,
    }  # fmt: skip


def test_cross_tables_and_subsets() -> None:
    p, q = (
        Counter[Hashable](dict(zip("abcd", cells, strict=True))) for cells in ((4, 1, 3, 2), (3, 2, 3, 2))
    )
    assert oracle.cross_loss(p, q) == {
        "loss": Fraction(1, 10), "count_max": 1, "count_mean": Fraction(1, 2),
        "share_max": Fraction(1, 10), "share_mean": Fraction(1, 20),
    }  # fmt: skip
    table = oracle.cross_table(ORIGINAL, RELEASE, MASTER, [0], ["item"])
    assert table == {("f", "A"): 2, ("f", "B"): 1, ("m", "A"): 1, ("f", "C"): 1}
    # f: 43/4 on both sides; m: 42/2 before, 24 after.
    assert oracle.subset_loss(ORIGINAL, RELEASE, MASTER, 0) == (1 - Fraction(21, 24)) / 2
    gone = [None if row and row.user == "p2" else row for row in RELEASE]
    assert oracle.subset_loss(ORIGINAL, gone, MASTER, 0) == Fraction(1, 2)


def test_a_small_contest_is_a_contest(tmp_path: Path) -> None:
    original, master = oracle.contest(1)
    for kind in ("month", "constant", "swapped", "shared"):
        release = oracle.submission(
            original, 2, kind, dates=0.5, items=0.3, prices=0.3, quantities=0.3, deleted=0.3
        )
        assert not any(oracle.violations(original, release).values())
        assert oracle.read(oracle.write(tmp_path / "AT.csv", release)) == release
        found = oracle.score(original, release, {50: oracle.partial(original, 50, 3)}, master)
        assert min(found["utl"], found["sec"]) > 0
    assert set(oracle.utility(original, oracle.constant(original)).values()) == {0}
    assert len(oracle.present(oracle.partial(original, 25, 1))) == (len(original) * 25 + 50) // 100


# --- the product beside it -----------------------------------------------------------------------

KEYS = {
    **oracle.COMMITTEE,
    "paper-date": oracle.PATTERNS["same day"],
    "paper-item": oracle.PATTERNS["same item"],
    "paper-monthitem": oracle.PATTERNS["same month and item"],
}
VOTES = {
    "vote-date": ("date",),
    "vote-item": ("item",),
    **{f"vote-{name.partition('-')[2]}": key for name, key in oracle.COMMITTEE.items()},
}


@pytest.mark.parametrize(("seed", "pseudonyms"), [(1, "shared"), (2, "swapped")])
def test_every_attack_finds_what_loops_find(tmp_path: Path, seed: int, pseudonyms: str) -> None:
    """Customers share pseudonyms of a month or take over those of others; two customers bought nothing."""
    original, master = oracle.contest(seed, customers=25, months=4)
    master |= {"1": ("f", "1930/1/1", "France"), "99999": ("m", "1980/1/1", "Others")}
    release = oracle.submission(
        original, seed, pseudonyms, dates=0.2, items=0.2, prices=0.2, quantities=0.2, deleted=0.2
    )
    known = oracle.partial(original, 60, seed)
    for name, table in (("T", original), ("A", release), ("K", known)):
        oracle.write(tmp_path / f"{name}.csv", table, "\r\n")
    oracle.write(tmp_path / "M.csv", [(user, *cells) for user, cells in master.items()])
    found = pwscup.score(
        tmp_path / "T.csv",
        tmp_path / "A.csv",
        master=tmp_path / "M.csv",
        partials={60: tmp_path / "K.csv"},
        alphas=[60],
        attacks="all",
        top=5,
        threads=1,
    ).to_dict()
    true, released = oracle.truth(original, release, master), oracle.present(release)
    guesses = {name: oracle.last_wins(key, released, known, master) for name, key in KEYS.items()}
    guesses |= {name: oracle.vote(key, released, known, master) for name, key in VOTES.items()}
    guesses["overlap-item2"] = oracle.overlap(released, known, master)
    rates = {one.pop("attack"): one for one in found["attacks"]}
    for name, guess in guesses.items():
        expected = {"alpha": 60, **oracle.rates(true, guess, original, release)}
        assert rates[name] == pytest.approx(expected, abs=1e-12), name
    assert found["utility"] == pytest.approx(oracle.utility(original, release, top=5), abs=1e-12)
    rules = oracle.rule_losses(original, release)
    assert found["further"]["association_rules"]["loss_rules"] == pytest.approx(float(rules["rules"]))
    before = oracle.by_month(original)
    for place, one in enumerate(found["further"]["cross_tables"]):
        tables = [
            oracle.cross_table(original, rows, master, [place], ["item"], "quantity")
            for rows in (before, release)
        ]
        assert one["total_variation"] == pytest.approx(float(oracle.cross_loss(*tables)["loss"]))


def test_a_history_with_names_has_its_own_periods(tmp_path: Path) -> None:
    """Items are known whole, months are those of the history, and numbers count, not how they are written."""
    original, _ = oracle.contest(3, customers=25, months=3)
    release = oracle.submission(original, 3, "shared", dates=0.3, items=0.2, quantities=0.2, deleted=0.3)
    known = oracle.partial(original, 60, 3, None)
    for name, table in (("T", original), ("A", release), ("K", known)):
        lines = [("who", "slip", "on", "at", "what", "cost", "number"), *(row or ("",) * 7 for row in table)]
        (tmp_path / f"{name}.csv").write_text("".join(",".join(line) + "\n" for line in lines))
    found = pwscup.score(
        tmp_path / "T.csv",
        tmp_path / "A.csv",
        partials={60: tmp_path / "K.csv"},
        alphas=[60],
        item_prefix=0,
        top=5,
        threads=1,
        user="who",
        date="on",
        time="at",
        item="what",
        price="cost",
        quantity="number",
    ).to_dict()
    months, users = oracle.months_of(original), {row.user for row in original}
    true = oracle.truth(original, release, users, months)
    assert len(months) == found["original"]["periods"] == 3
    tables = [
        [row and row._replace(price=str(float(row.price))) for row in rows] for rows in (release, known)
    ]
    for one in found["attacks"]:
        key = oracle.COMMITTEE[one.pop("attack")]
        guess = oracle.last_wins(key, oracle.present(tables[0]), tables[1], users, months, None)
        expected = {"alpha": 60, **oracle.rates(true, guess, original, release, months)}
        assert one == pytest.approx(expected, abs=1e-12)
    assert found["utility"] == pytest.approx(oracle.utility(original, release, top=5), abs=1e-12)


#: Cells, right and wrong.
CELLS = {
    "user": ("p 1", "", "é", "a.b", "x" * 60, "DELx", "12345"),
    "invoice": ("", " ", "a-b_C9", "1.0"),
    "date": (
        "2011/1/5",
        "2011-1-5",
        "0000/1/1",
        "2011/13/1",
        "2011/2/29",
        "2011/02/03",
        "",
        "11/1/5",
        "2011/1/1/1",
    ),
    "time": ("24:00", "9:60", "9:5", "9", "09:05", "", "23:59", "-1:00", "9:05:00"),
    "item": ("zzz", "", "21"),
    "price": ("100000", "1.505", "-1", "1e3", "", "99999.99", ".5", "5.", "1;5", "NaN", "00001"),
    "quantity": ("0", "-1", "1.5", "1000000", "999999", "", "+1", "007"),
}


@pytest.mark.parametrize("seed", [1, 2])
def test_violations_are_those_of_loops(tmp_path: Path, seed: int) -> None:
    r = random.Random(seed)
    original, master = oracle.contest(seed, customers=15)
    users, releases = sorted(master), []
    for number, (rate, deleted, longer) in enumerate(
        [(0.0, 0.5, 0), (0.02, 0.0, 2), (0.1, 0.3, 0), (0.2, 0.3, -2), (0.1, 0.9, 0)]
    ):
        release = oracle.submission(original, seed + number, deleted=deleted)
        for i, row in enumerate(release):
            if row is None:
                continue
            for column, cells in CELLS.items():
                if r.random() < rate:
                    row = row._replace(**{column: r.choice(cells)})
            if r.random() < rate:
                row = row._replace(user=r.choice([*users, *(new.user for new in oracle.present(release))]))
            release[i] = row
        if rate and deleted > 0.5:
            release[: len(original) // 3] = [None] * (len(original) // 3)
        releases.append(release[:longer] if longer < 0 else release + release[-longer:] * (longer > 0))
        oracle.write(tmp_path / f"{number}.csv", releases[-1])
    oracle.write(tmp_path / "T.csv", original)
    files = [tmp_path / f"{number}.csv" for number in range(len(releases))]
    tables = pwscup.check(tmp_path / "T.csv", *files, threads=1).to_dict()["tables"]
    broken: set[int] = set()
    for table, release in zip(tables, releases, strict=True):
        expected = oracle.violations(original, release)
        assert {one["number"]: one["violations"] for one in table["constraints"] if one["number"]} == expected
        broken |= {number for number, count in expected.items() if count}
    assert broken == set(expected)
