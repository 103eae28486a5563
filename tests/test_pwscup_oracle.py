"""The brute-force contest is right by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from math import sqrt
from pathlib import Path

import pytest

from tests import pwscup_oracle as oracle
from tests.pwscup_oracle import DEL, Row
from tests.shared_data import shared


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


def test_published_strict_rates() -> None:
    """The committee's programs on the preliminary table with a pseudonym for each customer and month."""
    folder = shared("pwscup/2017_preliminary/T.csv").parent
    original = oracle.read_history(folder / "T.csv")
    release, users = oracle.by_month(original), oracle.read_master(folder / "M.csv")
    true, known = oracle.truth(original, release, users), oracle.read(folder / "T100.csv")
    guess = oracle.committee_attack("S6-item2datenum", oracle.present(release), known, users)
    found = oracle.rates(true, guess, original, release)
    assert (found["strict"], round(found["cell"] or 0, 6), round(found["active_cell"] or 0, 6)) == (
        0.402, 0.137667, 0.61276
    )  # fmt: skip
