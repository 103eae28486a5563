"""Scores of attacks on membership: hand examples, exact arithmetic, and brute force."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duckrisk.base.errors import DuckriskError
from duckrisk.contests.membership.attacks.results import Score
from duckrisk.contests.membership.attacks.scoring import Guess, Members, score
from duckrisk.source import Request
from tests.command import command, refused
from tests.fitting import fit
from tests.tables import EXAMPLES, LIGHTER, connect, make, row, run


@pytest.fixture(scope="module")
def engine() -> duckdb.DuckDBPyConnection:
    return connect()


# --- chance --------------------------------------------------------------------------------------


def tail(engine: duckdb.DuckDBPyConnection, population: int, members: int, guesses: int, hits: int) -> float:
    numbers = {"population": population, "members": members, "guesses": guesses, "hits": hits}
    found = row(engine, "hypergeometric_tail", **numbers)
    assert found["expected"] == pytest.approx(guesses * members / population)
    return float(found["p_value"])


@pytest.mark.parametrize(("hits", "p"), [(14, 0.124), (15, 0.0725), (16, 0.0398), (20, 0.0020)])
def test_chance_of_the_contest(engine: duckdb.DuckDBPyConnection, hits: int, p: float) -> None:
    assert tail(engine, 100_000, 10_000, 100, hits) == pytest.approx(p, abs=0.0005 if hits == 14 else 5e-5)
    assert tail(engine, 100_000, 10_000, 100, 31) < 1e-8


@LIGHTER
@given(st.integers(1, 60), st.data())
def test_chance_is_exact(population: int, data: Any) -> None:
    engine = SHARED
    members, guesses = (data.draw(st.integers(0, population)) for _ in range(2))
    hits = data.draw(st.integers(0, guesses + 1))
    total = sum(
        math.comb(members, x) * math.comb(population - members, guesses - x) for x in range(hits, guesses + 1)
    )
    exact = Fraction(total, math.comb(population, guesses))
    assert tail(engine, population, members, guesses, hits) == pytest.approx(float(exact), rel=1e-12, abs=0)


def binomial(trials: int, p: Fraction, places: range) -> Fraction:
    return sum((math.comb(trials, x) * p**x * (1 - p) ** (trials - x) for x in places), Fraction())


@settings(LIGHTER, max_examples=min(EXAMPLES, 10))
@given(st.integers(0, 40), st.data(), st.sampled_from([0.9, 0.95, 0.99]))
def test_exact_intervals(trials: int, data: Any, confidence: float) -> None:
    successes = data.draw(st.integers(0, trials))
    found = row(SHARED, "clopper_pearson", successes=successes, trials=trials, confidence=confidence)
    alpha = (1 - confidence) / 2
    if successes == 0:
        assert found["lower"] == 0
    else:
        above = binomial(trials, Fraction(found["lower"]), range(successes, trials + 1))
        assert float(above) == pytest.approx(alpha, rel=1e-9)
    if successes == trials:
        assert found["upper"] == 1
    else:
        below = binomial(trials, Fraction(found["upper"]), range(successes + 1))
        assert float(below) == pytest.approx(alpha, rel=1e-9)


def test_known_intervals(engine: duckdb.DuckDBPyConnection) -> None:
    found = row(engine, "clopper_pearson", successes=3, trials=10, confidence=0.95)
    assert (found["lower"], found["upper"]) == pytest.approx((0.0667395, 0.6524529), abs=1e-7)
    found = row(engine, "clopper_pearson", successes=45_000, trials=90_000, confidence=0.95)
    assert found["upper"] - 0.5 == pytest.approx(0.5 - found["lower"], rel=1e-6)
    assert found["upper"] == pytest.approx(0.5 + 1.959964 * math.sqrt(0.25 / 90_000), abs=1e-5)
    for successes, rate in ((40, 0.4037), (30, 0.3074)):
        found = row(engine, "wilson_interval", successes=successes, trials=100, z=1.959964)
        assert found["rate"] == pytest.approx(rate, abs=5e-5)
        assert found["lower"] < successes / 100 < found["upper"]
    nothing = row(engine, "wilson_interval", successes=0, trials=0, z=1.96)
    assert (nothing["lower"], nothing["upper"]) == (0, 1)


# --- ROC -----------------------------------------------------------------------------------------


def curve(engine: duckdb.DuckDBPyConnection, members: list[Any], others: list[Any]) -> dict[str, Any]:
    rows = [(value, True) for value in members] + [(value, False) for value in others]
    make(engine, {"score": "DOUBLE", "member": "BOOLEAN"}, rows, "scores")
    run(engine, "roc_curve", name="curve", scores="scores", score="score", member="member")
    return row(engine, "roc_summary", curve="curve")


def test_roc_example(engine: duckdb.DuckDBPyConnection) -> None:
    found = curve(engine, [9, 7, 4], [8, 3, 2, 1])
    assert found["auc"] == pytest.approx(10 / 12)
    zero = row(engine, "tpr_at_fpr", curve="curve", fpr=0.0)
    assert (zero["threshold"], zero["tpr"], zero["usable"]) == (9, pytest.approx(1 / 3), False)
    quarter = row(engine, "tpr_at_fpr", curve="curve", fpr=0.25)
    assert (quarter["tpr"], quarter["false_positives"], quarter["usable"]) == (1, 1, True)


values = st.one_of(st.none(), st.sampled_from([0.0, 0.5, 1.0, -2.0, math.inf, -math.inf, math.nan]))


@LIGHTER
@given(st.lists(values, max_size=6), st.lists(values, max_size=6), st.sampled_from([0.0, 0.2, 0.5]))
def test_roc_by_brute_force(members: list[Any], others: list[Any], fpr: float) -> None:
    found = curve(SHARED, members, others)
    if not members and not others:
        return
    # Without a score a record comes after all others.
    places = [[(v is not None and v == v, v if v is not None and v == v else 0) for v in side]
              for side in (members, others)]  # fmt: skip
    if not members or not others:
        assert found["auc"] is None
        return
    pairs = [(a > b) + (a == b) / 2 for a, b in itertools.product(*places)]
    assert found["auc"] == pytest.approx(sum(pairs) / len(pairs))
    rates = [(0.0, 0.0)]
    for threshold in set(places[0] + places[1]):
        rates.append(tuple(sum(v >= threshold for v in side) / len(side) for side in places))
    assert found["balanced_accuracy"] == pytest.approx(max((t + 1 - f) / 2 for t, f in rates))
    best = row(SHARED, "tpr_at_fpr", curve="curve", fpr=fpr)
    assert best["tpr"] == pytest.approx(max(t for t, f in rates if f <= fpr))


# --- the league ----------------------------------------------------------------------------------


def league(rows: list[tuple[Any, ...]], weights: list[str]) -> dict[str, dict[str, Any]]:
    names = ("phases", "submissions", "attackers", "hits", "guesses")
    columns = [list(column) for column in zip(*rows, strict=True)]
    found = run(SHARED, "attack_league", **dict(zip(names, columns, strict=True)), weights=weights)
    return {entry["name"]: entry for entry in found}


def test_league_example() -> None:
    hits = {("A", "B"): 30, ("A", "C"): 12, ("B", "A"): 20, ("B", "C"): 10, ("C", "A"): 31, ("D", "A"): 15}
    rows = [(0, one, attacker, count, 100) for (one, attacker), count in hits.items()]
    found = league(rows, ["1"])
    # D 0.85, B 0.80, A 0.70, C 0.69
    assert [found[name]["safety_rank"] for name in "DBAC"] == [1, 2, 3, 4]
    assert found["C"]["safety"] == 0.69
    assert found["C"]["safety_points"] == 690
    assert found["A"]["attack"] == pytest.approx((15 + 20 + 31) / 300)  # D, B, C, and not A
    assert found["B"]["attack"] == pytest.approx(30 / 300)  # D and C were not attacked
    assert found["C"]["attack"] == pytest.approx((0 + 10 + 12) / 300)
    assert found["A"]["overall"] == 1 / (3 + 1)
    assert found["D"]["attack"] is found["D"]["overall"] is None


def test_league_of_two_phases_and_equal_ranks() -> None:
    rows = [(0, "A", "B", 50, 100), (0, "B", "A", 10, 100), (1, "A", "B", 10, 100), (1, "B", "A", 10, 100)]
    found = league(rows, ["0.1", "0.9"])
    assert found["A"]["safety"] == pytest.approx(0.1 * 0.5 + 0.9 * 0.9)
    assert found["B"]["attack"] == pytest.approx(0.1 * 0.5 + 0.9 * 0.1)
    assert found["B"]["attack_points"] == 140
    assert found["A"]["overall"] == 1 / (2 + 2)
    equal = league([(0, "A", "B", 1, 2), (0, "B", "A", 1, 2), (0, "C", None, 0, 0)], ["1"])
    assert [equal[name]["safety_rank"] for name in "ABC"] == [2, 2, 1]
    assert equal["A"]["overall"] == equal["B"]["overall"] == 1 / 3


# --- whole scores --------------------------------------------------------------------------------

POPULATION = pd.DataFrame({'na"me': [f"p{i}" for i in range(40)], "age": [i % 7 for i in range(40)]})
MEMBERS = POPULATION.iloc[[3, 5, 8, 13, 21, 34]].reset_index(drop=True)


def scored(guess: Any, members: pd.DataFrame = MEMBERS, population: pd.DataFrame = POPULATION) -> Score:
    cells = pd.DataFrame({"row": guess})
    return score(Request(population), [Members(Request(members))], [Guess("me", Request(cells))])


def test_hits_are_counted() -> None:
    report = scored([5, 3, 0, 39], MEMBERS[["age", 'na"me']])
    fit(report.to_dict(), Score)
    (entry,) = report.data["submissions"]
    (attack,) = entry["attacks"]
    assert (attack["hits"], attack["guesses"], attack["accuracy"]) == (2, 4, 0.5)
    assert attack["lift"] == pytest.approx(0.5 / (6 / 40))
    p = sum(math.comb(6, x) * math.comb(34, 4 - x) for x in range(2, 5)) / math.comb(40, 4)
    assert attack["p_value"] == pytest.approx(p)
    assert (entry["safety"], entry["void"], report.data["league"]) == (0.5, True, None)
    assert "does not show that the release is safe" in " ".join(report.to_text().split())
    assert not scored([3, 5, 8, 13]).data["submissions"][0]["void"]


def test_the_best_of_several_attacks_is_corrected() -> None:
    requests = [Request(pd.DataFrame({"row": rows})) for rows in ([3, 5, 8, 0], [0, 1, 2, 4])]
    guesses = [Guess(name, request) for name, request in zip("ab", requests, strict=True)]
    (entry,) = score(Request(POPULATION), [Members(Request(MEMBERS))], guesses).data["submissions"]
    assert entry["safety"] == 0.25
    assert entry["p_value"] == pytest.approx(2 * entry["attacks"][0]["p_value"])


def test_scores_of_all_records() -> None:
    given = pd.DataFrame({"row": [3, 5, 8, 13, 21, 0, 1], "score": [9, 8, 7, 6, 5, 8.5, 1]})
    given = given.rename(columns={"row": "record"}).assign(place=1)[["place", "score", "record"]]
    guess = Guess("me", Request(given), scores=True)
    (found,) = score(Request(POPULATION), [Members(Request(MEMBERS))], [guess]).data["scores"]
    assert (found["members"], found["others"]) == (6, 34)
    # Two others have scores; member 34 has none, as 32 others.
    better = 34 + 33 * 4 + 32 * 0.5
    assert found["auc"] == pytest.approx(better / (6 * 34))
    assert [rate["true_positives"] for rate in found["rates"]] == [5, 1, 1]
    assert [rate["usable"] for rate in found["rates"]] == [True, False, False]


@pytest.mark.parametrize(
    ("guess", "members", "population", "word"),
    [
        ([1, 1], MEMBERS, POPULATION, "write each once"),
        ([40], MEMBERS, POPULATION, "0 to 39"),
        ([-1], MEMBERS, POPULATION, "no rows of the population"),
        ([1.5], MEMBERS, POPULATION, "no integers"),
        (["p3"], MEMBERS, POPULATION, "no integers"),
        (list(range(7)), MEMBERS, POPULATION, "only 6 members"),
        ([1], pd.concat([MEMBERS, MEMBERS[:1]]), POPULATION, "duplicate members"),
        ([1], MEMBERS.assign(age=9), POPULATION, "not in the population"),
        ([1], MEMBERS, pd.concat([POPULATION, POPULATION[:1]]), "row numbers do not distinguish"),
        ([1], MEMBERS.assign(age="x"), POPULATION, "holds numbers in"),
        ([1], MEMBERS[["age"]], POPULATION, "has no column"),
        ([1], MEMBERS.assign(more=1), POPULATION, "has not"),
        ([1], MEMBERS[:0].astype({'na"me': "string"}), POPULATION, "no records"),
    ],
)
def test_bad_input(guess: Any, members: pd.DataFrame, population: pd.DataFrame, word: str) -> None:
    with pytest.raises(DuckriskError, match=word) as refusal:
        scored(guess, members.reset_index(drop=True), population.reset_index(drop=True))
    assert "p3" not in str(refusal.value)


def test_files_of_the_contest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [
        f"{17 + i % 70},Private,Masters,Divorced,Sales,Wife,Female,{1 + i % 90},<=50K" for i in range(300)
    ]
    Path("B.csv").write_text("".join(f"{line}\n" for line in lines))
    for team, start in (("ann", 0), ("bob", 100)):
        Path(f"C_{team}.csv").write_text("".join(f"{line}\n" for line in lines[start : start + 50]))
    Path("E1.csv").write_text("".join(f"{i}\n" for i in range(20)))
    Path("E2.csv").write_text(",".join(map(str, range(95, 115))))
    base = ["membership", "score", "--population", "B.csv", "-q"]
    teams = ["--members", "ann=C_ann.csv", "--members", "bob=C_bob.csv"]
    guesses = [
        "--guess",
        "bob@ann=E1.csv",
        "--guess",
        "ann@bob=E2.csv",
        "--preliminary-guess",
        "bob@ann=E2.csv",
    ]
    found = command(*base, *teams, *guesses, "--format", "json")
    assert found.code == 0, found.err
    fit(found.json, Score)
    accuracies = {(e["name"], e["phase"]): e["accuracy"] for e in found.json["submissions"]}
    assert accuracies == {
        ("ann", "preliminary"): 0.0,
        ("bob", "preliminary"): None,
        ("ann", "final"): 1.0,
        ("bob", "final"): 0.75,
    }
    assert [entry["name"] for entry in found.json["league"]] == ["bob", "ann"]
    assert command(*base, "--members", "C_ann.csv", "--guess", "x=E1.csv", "-o", "s.md").code == 0
    assert "20 of 20" in Path("s.md").read_text()
    refused(2, "ATTACKER@TEAM", arguments=[*base, *teams, "--guess", "bob=E1.csv"])
    refused(2, "its own members", arguments=[*base, *teams, "--guess", "bob@bob=E1.csv"])
    refused(2, "--guess", arguments=[*base, *teams])
    refused(2, "NAME@TEAM", arguments=[*base, *teams, "--guess", "@bob=E1.csv"])


SHARED = connect()
