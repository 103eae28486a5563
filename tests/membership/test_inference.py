"""Attacks on membership: hand cases, scores in Python, the command, and what it refuses."""

from __future__ import annotations

import csv
import hashlib
import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duckrisk.base.errors import UsageError
from duckrisk.contests.membership.attacks.inference import AttackOptions, Outputs, run
from duckrisk.contests.membership.attacks.kmeans import cheapest_matching
from duckrisk.contests.membership.attacks.registry import ATTACKS
from duckrisk.contests.membership.attacks.scoring import FALSE_POSITIVES, Guess, Members, score
from duckrisk.contests.membership.records import CONTEST
from duckrisk.contests.membership.release_risks.measuring import RiskOptions, risks
from duckrisk.contests.membership.synthesis.methods import Synthesis, synthesize
from duckrisk.engine.session import Resources
from duckrisk.engine.templates import render
from duckrisk.release.anonymization import Target
from duckrisk.source import Request
from tests.command import command, refused
from tests.shared_data import shared
from tests.tables import EXAMPLES, LIGHTER, connect, make, thinned

Row = tuple[object, ...]


def put(path: Path, rows: Sequence[Row], heads: Sequence[str] = ("age", "sex", "income")) -> Request:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([heads, *rows])
    return Request(str(path))


def scores(path: Path) -> list[tuple[int, float, int]]:
    """The record, score and place of every candidate."""
    with path.open() as file:
        return [(int(r["record"]), float(r["score"]), int(r["place"])) for r in csv.DictReader(file)]


def distance(a: Row, b: Row, weight: float = 2) -> float:
    return math.sqrt(
        sum(
            (x - y) ** 2 if isinstance(x, (int, float)) and isinstance(y, (int, float)) else weight * (x != y)
            for x, y in zip(a, b, strict=True)
        )
    )


@pytest.mark.parametrize(("weight", "expected"), [(2.0, 7.28), (1.0, 7.14)])
def test_distance_of_the_rules(tmp_path: Path, weight: float, expected: float) -> None:
    population = put(tmp_path / "b.csv", [(44, "Female", ">50K"), (90, "Male", "<=50K")])
    release = put(tmp_path / "d.csv", [(37, "Male", "<=50K")])
    out = Outputs(scores=tmp_path / "s.csv")
    run(population, release, AttackOptions(guesses=1, weight=weight), outputs=out)
    assert -scores(tmp_path / "s.csv")[0][1] == pytest.approx(expected, abs=0.005)


def test_guesses_by_distance_are_named_once_in_order(tmp_path: Path) -> None:
    """Records of the release in turn: nearest 2 (0), 0 (1), 0 (2); then 3 by its own distance, then 1."""
    people = [(10, "Female", "x"), (90, "Female", "x"), (30, "Male", "y"), (16, "Female", "x")]
    population = put(tmp_path / "b.csv", people)
    release = put(tmp_path / "d.csv", [(12, "Female", "x"), (11, "Female", "x"), (30, "Male", "y")])
    report = run(population, release, AttackOptions(guesses=4), outputs=Outputs(guess=tmp_path / "e.csv"))
    assert report.data["attacks"][0]["guesses"] == [2, 0, 3, 1]
    assert (tmp_path / "e.csv").read_text().split() == ["2", "0", "3", "1"]
    assert report.data["attacks"][0]["hits"] is None
    assert "2, 0, 3, 1" in report.to_text()


def test_kmeans_takes_a_shift_out(tmp_path: Path) -> None:
    """Centroids 10 and 11: the distances to them are 10, 0, 10 and 10, 10."""
    population = put(tmp_path / "b.csv", [(0,), (10,), (20,)], ["age"])
    release = put(tmp_path / "d.csv", [(1,), (21,)], ["age"])
    options = AttackOptions(("kmeans",), guesses=2, clusters=1, standardise=False)
    report = run(population, release, options, outputs=Outputs(scores=tmp_path / "s.csv"))
    assert scores(tmp_path / "s.csv") == [(0, 0, 1), (1, -10, 3), (2, 0, 2)]
    assert report.data["attacks"][0]["guesses"] == [0, 2]
    options = AttackOptions(("nearest",), guesses=2)
    run(population, release, options, outputs=Outputs(scores=tmp_path / "plain.csv"))
    assert [-score for _, score, _ in scores(tmp_path / "plain.csv")] == [1, 9, 1]


Vector = list[float]


def away(a: Sequence[float], b: Sequence[float]) -> float:
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


def lloyd(points: list[Vector], centroids: list[Vector]) -> tuple[float, list[Vector]]:
    """The last inertia and the last centroids."""
    before, iterations = math.inf, 0
    while True:
        told = [min((away(p, c), place) for place, c in enumerate(centroids)) for p in points]
        groups = [
            [p for p, (_, place) in zip(points, told, strict=True) if place == number]
            for number in range(len(centroids))
        ]
        centroids = [
            [sum(column) / len(group) for column in zip(*group, strict=True)] if group else centroid
            for group, centroid in zip(groups, centroids, strict=True)
        ]
        inertia, iterations = sum(distance for distance, _ in told), iterations + 1
        if iterations == 100 or inertia >= before * (1 - 1e-4):
            return inertia, centroids
        before = inertia


@pytest.mark.parametrize(("common", "shared"), [(False, 4), (True, 0)])
def test_kmeans_is_that_of_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, common: bool, shared: int
) -> None:
    """Forty records, many of them equal, in three clusters of three starts; the release is clustered from the
    population's centroids on, combinations of categories told once (0) or where few records have them (4)."""
    monkeypatch.setattr("duckrisk.contests.membership.attacks.kmeans._MIN_POINTS", shared)
    people = [(17.5 + i * i % 7, ("Female", "Male", "é")[i * i % 3], "xyz"[i % 2]) for i in range(40)]
    released = [(age + 1, sex, "xyz"[i % 3]) for i, (age, sex, _) in enumerate(people[::3])]

    def vectors(rows: Sequence[tuple[float, str, str]]) -> list[Vector]:
        return [
            [age, *(float(sex == v) for v in ("Female", "Male", "é")), *(float(last == v) for v in "xyz")]
            for age, sex, last in rows
        ]

    points, known = vectors(people), vectors(released)
    first = {tuple(point): place for place, point in reversed(list(enumerate(points)))}
    found = []
    for start in range(3):
        drawn = sorted(first.values(), key=lambda r: hashlib.md5(f"4:{start}:{r}".encode()).hexdigest())
        found.append(lloyd(points, [points[place] for place in drawn[:3]]))
    centroids = min(found)[1]
    shift = [
        sum(b) / len(known) - sum(a) / len(points)
        for a, b in zip(zip(*points, strict=True), zip(*known, strict=True), strict=True)
    ]
    own = lloyd(known, [[x + y for x, y in zip(c, shift, strict=True)] for c in centroids])[1]
    own = min(
        (list(order) for order in itertools.permutations(own)),
        key=lambda order: sum(math.sqrt(away(a, b)) for a, b in zip(centroids, order, strict=True)),
    )
    their = [[math.sqrt(away(p, c)) for c in (centroids if common else own)] for p in known]
    expected = [
        -min(math.sqrt(away([math.sqrt(away(p, c)) for c in centroids], other)) for other in their)
        for p in points
    ]
    tables = put(tmp_path / "b.csv", people), put(tmp_path / "d.csv", released)
    options = AttackOptions(
        ("kmeans-common" if common else "kmeans",), 1, clusters=3, starts=3, seed=4, standardise=False
    )
    run(*tables, options, outputs=Outputs(scores=tmp_path / "s.csv"))
    assert [score for _, score, _ in scores(tmp_path / "s.csv")] == pytest.approx(expected, abs=1e-7)


@pytest.mark.slow
def test_kmeans_of_many_blocks_of_categories_ends(tmp_path: Path) -> None:
    """Two categories of thirty values a block: what blocks add is looked up for each record, and never put
    together block by block, which took hours and all memory."""
    dice = random.Random(2)
    rows = [(place, *(f"k{dice.randrange(30)}" for _ in range(24))) for place in range(120)]
    heads = [f"c{place}" for place in range(25)]
    population, release = put(tmp_path / "p.csv", rows, heads), put(tmp_path / "r.csv", rows[:40], heads)
    options = AttackOptions(("kmeans",), guesses=40, clusters=2, starts=2)
    report = run(population, release, options, resources=Resources(memory="512MB"))
    assert len(report.data["attacks"][0]["guesses"]) == 40


@pytest.mark.slow
def test_kmeans_refuses_what_it_cannot_sum(tmp_path: Path) -> None:
    """Squares of 1e12 are right or refused, standardised or not; never an overflow."""
    large = [(1e12 + i * i, "Female", "x") for i in range(9)]
    population, release = put(tmp_path / "b.csv", large), put(tmp_path / "d.csv", large[:4])
    raw = AttackOptions(("kmeans",), guesses=1, clusters=2, starts=1, standardise=False)
    with pytest.raises(UsageError, match="leave out --raw-numbers"):
        run(population, release, raw)
    assert run(population, release, replace(raw, standardise=True)).data["attacks"][0]["guesses"]
    huge = put(tmp_path / "h.csv", [(1e30 * i, "Female", "x") for i in range(9)])
    with pytest.raises(UsageError, match="leave out --raw-numbers"):
        run(huge, huge, raw)
    near = put(tmp_path / "n.csv", [(1e10 + i, "Female", "x") for i in range(9)])
    assert run(near, near, raw).data["attacks"][0]["guesses"] == [0]
    away = put(tmp_path / "a.csv", [(i / 1e12, "Female", "x") for i in range(9)])
    with pytest.raises(UsageError, match="too far apart"):
        run(away, release, replace(raw, standardise=True))


def test_hits_chance_and_void(tmp_path: Path) -> None:
    """Two guesses, 2 of 8 candidates are members: both are hit by chance with 1/28."""
    people = [(20 + 5 * i, "Female", "x") for i in range(8)]
    population, members = put(tmp_path / "b.csv", people), put(tmp_path / "c.csv", people[4:2:-1])
    options = AttackOptions(guesses=2)
    (hit,) = run(population, members, options, members).data["attacks"]
    assert (hit["hits"], hit["accuracy"], hit["lift"], hit["void"]) == (2, 1, 4, False)
    assert hit["expected"] == pytest.approx(1 / 2)
    assert hit["chance"] == pytest.approx(1 / 28)
    other = put(tmp_path / "d.csv", [people[0], people[1]])
    report = run(population, other, options, members)
    assert (report.data["attacks"][0]["hits"], report.data["attacks"][0]["void"]) == (0, True)
    assert report.data["attacks"][0]["chance"] == pytest.approx(1)
    assert "inconclusive" in report.to_text()
    assert "inconclusive" in report.to_markdown()
    assert "判断できない" in report.to_html("ja")


sexes, incomes = st.sampled_from(["Female", "Male"]), st.sampled_from(["<=50K", ">50K", "é"])
rows = st.lists(st.tuples(st.integers(17, 20), sexes, incomes), min_size=1, max_size=9)


@settings(LIGHTER, max_examples=2 if EXAMPLES < 20 else 4)
@given(rows, rows, rows)
def test_scores_are_those_of_python(
    tmp_path_factory: pytest.TempPathFactory, population: list[Row], release: list[Row], reference: list[Row]
) -> None:
    folder = tmp_path_factory.mktemp("attack")
    tables = [
        put(folder / f"{name}.csv", cells)
        for name, cells in (("b", population), ("d", release), ("r", reference))
    ]

    def total(cells: Row, table: list[Row]) -> float:
        kinds = {row[:2] for row in [*population, *release, *reference]}
        last = {row[2] for row in [*population, *release, *reference]}
        first_count, last_count = Counter(row[:2] for row in table), Counter(row[2] for row in table)
        return math.log((first_count[cells[:2]] + 1) / (len(table) + len(kinds))) + math.log(
            (last_count[cells[2]] + 1) / (len(table) + len(last))
        )

    def near(cells: Row, table: list[Row]) -> float:
        return min(distance(cells, other) for other in table)

    expected = {
        "nearest": [-near(cells, release) for cells in population],
        "calibrated": [near(cells, reference) - near(cells, release) for cells in population],
        "density": [total(cells, release) - total(cells, reference) for cells in population],
    }
    for name, wanted in expected.items():
        options = AttackOptions((name,), guesses=1, blocks=[["age", "sex"], ["income"]])
        path = folder / f"{name}.csv"
        run(tables[0], tables[1], options, reference=tables[2], outputs=Outputs(scores=path))
        found = scores(path)
        assert [score for _, score, _ in found] == pytest.approx(wanted, abs=1e-12), name
        by_place = sorted(found, key=lambda row: (-row[1], row[0]))
        assert [place for *_, place in by_place] == list(range(1, len(population) + 1))


def area(scored: Sequence[tuple[Fraction, bool]]) -> Fraction:
    """The share of pairs of a member and another that scores put right, equal ones counting half."""
    inside = [score for score, member in scored if member]
    outside = [score for score, member in scored if not member]
    right = sum(2 * (a > b) + (a == b) for a in inside for b in outside)
    return Fraction(right, 2 * len(inside) * len(outside))


def test_guesses_by_distance_and_the_curve_have_one_order(tmp_path: Path) -> None:
    """Releases 10 and 30 pick 10 (0 away) and 40 (10 away): 11, only 1 away from 10, comes after both."""
    population = put(tmp_path / "b.csv", [(10,), (11,), (40,)], ["age"])
    members = put(tmp_path / "c.csv", [(10,), (40,)], ["age"])
    release = put(tmp_path / "d.csv", [(10,), (30,)], ["age"])
    out = Outputs(scores=tmp_path / "s.csv")
    (found,) = run(population, release, AttackOptions(guesses=2), members, outputs=out).data["attacks"]
    assert (found["guesses"], found["hits"]) == ([0, 2], 2)
    assert found["scores"]["auc"] == found["scores"]["balanced_accuracy"] == 1
    assert [rate["tpr"] for rate in found["scores"]["rates"]] == [1, 1, 1]
    assert scores(tmp_path / "s.csv") == [(0, 0, 1), (1, -21, 3), (2, -10, 2)]


def curve_of(scored: Sequence[tuple[float, bool]], fprs: Sequence[float]) -> dict[str, object]:
    """AUC, balanced accuracy and TPR at each FPR by brute force; records with equal scores come together."""
    members = sum(member for _, member in scored)
    others = len(scored) - members
    steps = [(0, 0)]
    for threshold in sorted({number for number, _ in scored}, reverse=True):
        taken = [member for number, member in scored if number >= threshold]
        steps.append((sum(taken), len(taken) - sum(taken)))
    exact = [(Fraction(number), member) for number, member in scored]
    best = max(Fraction(tp, members) + 1 - Fraction(fp, others) for tp, fp in steps) / 2
    found = [max(tp for tp, fp in steps if fp <= fpr * others) for fpr in fprs]
    return {"auc": area(exact), "balanced_accuracy": best, "true_positives": found}


def told_of(receiver: dict[str, Any]) -> dict[str, object]:
    told = {name: receiver[name] for name in ("auc", "balanced_accuracy")}
    return {**told, "true_positives": [rate["true_positives"] for rate in receiver["rates"]]}


distinct_people = st.lists(
    st.tuples(st.integers(17, 40), st.sampled_from(["Female", "Male"]), st.sampled_from("xyz")),
    min_size=8,
    max_size=24,
    unique=True,
)
moves = st.lists(st.tuples(st.integers(-9, 9), st.sampled_from("xyz")), min_size=24, max_size=24)


@pytest.mark.parametrize("name", thinned(ATTACKS, 3))
@settings(LIGHTER, max_examples=max(1, EXAMPLES // 6))
@given(distinct_people, moves)
def test_an_attack_has_one_order(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    people: list[tuple[int, str, str]],
    moved: list[tuple[int, str]],
) -> None:
    """Guesses, ROC, written scores, and what `score` makes of the files: all are of the same order."""
    folder, size = tmp_path_factory.mktemp("order"), len(people) // 2
    released = [(age + by, sex, last) for (age, sex, _), (by, last) in zip(people[::2], moved, strict=False)]
    population, members = put(folder / "b.csv", people), put(folder / "c.csv", people[:size])
    release = put(folder / "d.csv", released)
    options = AttackOptions((name,), size, clusters=2, starts=2, shadows=3)
    out = Outputs(folder / "e.csv", folder / "s.csv")
    (found,) = run(population, release, options, members, outputs=out).data["attacks"]
    written = scores(folder / "s.csv")
    ordered = sorted(written, key=lambda row: (-row[1], row[0]))
    assert [record for record, *_ in ordered] == [row[0] for row in sorted(written, key=lambda row: row[2])]
    assert found["guesses"] == [record for record, *_ in ordered[:size]]
    assert [int(line) for line in (folder / "e.csv").read_text().split()] == found["guesses"]
    assert found["hits"] == sum(record < size for record in found["guesses"])
    expected = curve_of([(number, record < size) for record, number, _ in written], FALSE_POSITIVES)
    for key, value in told_of(found["scores"]).items():
        assert value == (pytest.approx(float(expected[key])) if key != "true_positives" else expected[key])
    guess = Guess("a", Request(str(folder / "e.csv"), header=False))
    table = Guess("a", Request(str(folder / "s.csv")), scores=True)
    judged = score(population, [Members(members)], [guess, table]).data
    assert judged["submissions"][0]["attacks"][0]["hits"] == found["hits"]
    (again,) = judged["scores"]
    assert {key: again[key] for key in found["scores"]} == found["scores"]


def test_scores_that_are_equal_by_definition_are_equal(tmp_path: Path) -> None:
    """Densities as exact products: sums of their logarithms in doubles tell more of them apart."""
    draw = random.Random(6)
    cells = sorted({tuple(draw.choice("abcdefg"[:few]) for few in (3, 4, 5, 6, 7)) for _ in range(400)})
    people = draw.sample(cells, len(cells))
    members = [row for row in people if draw.random() < 0.3]
    reference = [row for row in people if row not in members and draw.random() < 0.5]
    blocks = ((0, 1), (2,), (3, 4))

    def counts(rows: Sequence[Row]) -> list[Counter[Row]]:
        return [Counter(tuple(row[place] for place in block) for row in rows) for block in blocks]

    kinds, inside, outside = counts(people), counts(members), counts(reference)
    exact, doubles = [], []
    for row in people:
        density, total = Fraction(1), 0.0
        for place, block in enumerate(blocks):
            key = tuple(row[number] for number in block)
            part = Fraction(inside[place][key] + 1, len(members) + len(kinds[place]))
            part /= Fraction(outside[place][key] + 1, len(reference) + len(kinds[place]))
            density *= part
            total += math.log(part)
        exact.append(density)
        doubles.append(total)
    assert len(set(doubles)) > len(set(exact))

    heads = ["age", "sex", "income", "city", "work"]
    b, d, r = (
        put(tmp_path / f"{n}.csv", rows, heads)
        for n, rows in (("b", people), ("d", members), ("r", reference))
    )
    options = AttackOptions(("density",), 50, blocks=[[heads[place] for place in block] for block in blocks])
    report = run(b, d, options, d, r, Outputs(scores=tmp_path / "s.csv"))
    found = scores(tmp_path / "s.csv")
    assert [score for _, score, _ in found] == pytest.approx(doubles, abs=1e-12)
    assert len({score for _, score, _ in found}) == len(set(exact))
    by_place = sorted(range(len(people)), key=lambda place: (-exact[place], place))
    assert [place for _, _, place in found] == [by_place.index(place) + 1 for place in range(len(people))]
    assert report.data["attacks"][0]["guesses"] == by_place[:50]
    known = set(members)
    auc = area([(density, row in known) for density, row in zip(exact, people, strict=True)])
    assert report.data["attacks"][0]["scores"]["auc"] == pytest.approx(float(auc), abs=1e-15)


def test_distances_that_are_equal_by_definition_are_equal(tmp_path: Path) -> None:
    """Each is a tenth away from the release, which doubles do not hold; the first come first."""
    people, released = [0.3, 10.3, 20.3, 500.3], [0.2, 10.2, 20.2, 500.2]
    assert len({abs(a - b) for a, b in zip(people, released, strict=True)}) > 1
    population = put(tmp_path / "b.csv", [(number,) for number in people], ["age"])
    release = put(tmp_path / "d.csv", [(number,) for number in released], ["age"])
    for name in ("nearest", "distance"):
        path = tmp_path / f"{name}.csv"
        run(population, release, AttackOptions((name,), guesses=1), outputs=Outputs(scores=path))
        assert [place for *_, place in scores(path)] == [1, 2, 3, 4]
        assert len({score for _, score, _ in scores(path)}) == 1


@LIGHTER
@given(st.integers(1, 5).flatmap(lambda n: st.lists(
    st.lists(st.integers(0, 9).map(float), min_size=n, max_size=n), min_size=n, max_size=n
)))  # fmt: skip
def test_cheapest_matching(costs: list[list[float]]) -> None:
    found = cheapest_matching(costs)
    assert sorted(found) == list(range(len(costs)))
    best = min(
        sum(costs[row][column] for row, column in enumerate(order))
        for order in itertools.permutations(range(len(costs)))
    )
    assert sum(costs[row][column] for row, column in enumerate(found)) == best


@pytest.mark.slow
def test_the_command_is_the_same_twice_and_says_what_it_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    people = [(20 + i % 50, ("Female", "Male")[i % 2], f"v{i // 7}") for i in range(120)]
    put(Path("b.csv"), people)
    put(Path("c.csv"), people[::4])
    given = ["membership", "attack", "b.csv", "c.csv", "--members", "c.csv", "--guesses", "20", "-q"]
    chosen = ATTACKS if EXAMPLES >= 20 else thinned(ATTACKS)
    names = ["all"] if EXAMPLES >= 20 else chosen
    asked = [
        *given,
        *(word for name in names for word in ("--attack", name)),
        "--clusters",
        "2",
        "--starts",
        "2",
        "--shadows",
        "2",
    ]
    asked += ["--format", "json"]
    first, second = command(*asked), command(*asked, "--threads", "1")
    assert (first.code, first.err) == (0, "")
    assert first.out == second.out
    found = json.loads(first.out)
    assert [entry["attack"] for entry in found["attacks"]] == list(chosen)
    assert found["attacks"][0]["hits"] == 20
    written = command(*given, "-o", "e.csv")
    assert written.code == 0
    assert len(Path("e.csv").read_text().splitlines()) == 20
    refused(2, "e.csv", "--overwrite", arguments=[*given, "-o", "e.csv"])
    refused(2, "one attack", arguments=[*given, "--attack", "all", "-o", "f.csv"])
    refused(2, "distance", arguments=[*given, "--attack", "distnace"])
    refused(2, "30 members", "--guesses", arguments=[*given, "--guesses", "50"])


def test_members_that_are_unclear_or_elsewhere_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(Path("b.csv"), [(20, "Female", "x"), (20, "Female", "x"), (30, "Male", "y")])
    put(Path("d.csv"), [(20, "Female", "x")])
    put(Path("c.csv"), [(30, "Male", "y"), (31, "Male", "y")])
    put(Path("missing.csv"), [(None, "Female", "x"), (20, "Male", "y")])
    put(Path("other.csv"), [(20, "Female")], ["age", "sex"])
    put(Path("none.csv"), [])
    asked = ["membership", "attack", "b.csv", "d.csv", "--guesses", "1", "-q"]
    refused(3, "2 records", "unclear", arguments=[*asked, "--members", "d.csv"])
    refused(3, "1 members", "not in the population", arguments=[*asked, "--members", "c.csv"])
    asked[3] = "missing.csv"
    refused(3, "missing values", arguments=asked)
    asked[3] = "other.csv"
    refused(2, "income", arguments=asked)
    asked[3] = "none.csv"
    refused(3, "no records", arguments=[*asked, "--attribute", "sex"])


def test_what_looks_like_truth_or_dates_in_one_file_is_text_as_in_the_others(tmp_path: Path) -> None:
    """t and f alone look like truth values, 5/1/2020 like dates; beside x and "never" they are texts."""
    people = [("t", "5/1/2020", 1), ("f", "6/1/2020", 2), ("x", "never", 3), ("x", "5/1/2020", 4)]
    heads = ["flag", "seen", "age"]
    population = put(tmp_path / "b.csv", people, heads)
    members = put(tmp_path / "c.csv", people[:2], heads)
    options, out = AttackOptions(("nearest",), guesses=2), Outputs(scores=tmp_path / "s.csv")
    (found,) = run(population, members, options, members, outputs=out).data["attacks"]
    assert (found["guesses"], found["hits"]) == ([0, 1], 2)
    assert scores(tmp_path / "s.csv")[1] == (1, 0, 2)
    (tmp_path / "e.csv").write_text("0\n1\n")
    guess = Guess("a", Request(str(tmp_path / "e.csv"), header=False))
    (submission,) = score(population, [Members(members)], [guess]).data["submissions"]
    assert submission["attacks"][0]["hits"] == 2
    report = risks(population, members, population, RiskOptions(attacks=3, known=["age"]))
    assert not any("written differently" in note for note in report.data["notes"])


def test_real_records_are_found_again(tmp_path: Path) -> None:
    """5,000 candidates of Adult, 500 members: a copy gives all away, and half of its cells still many."""
    source = shared("adult_train.parquet")
    chosen = 'age, workclass, education, occupation, sex, "hours-per-week"'
    where = "workclass <> '?' AND occupation <> '?'"
    people = f"SELECT DISTINCT ON ({chosen}) {chosen} FROM source WHERE {where} ORDER BY {chosen}"
    population = Request(str(source), query=f"{people} LIMIT 5000")
    members = Request(
        str(source),
        query=f"SELECT * EXCLUDE (r) FROM (SELECT *, row_number() OVER (ORDER BY {chosen}) AS r "
        f"FROM ({people} LIMIT 5000)) WHERE r % 10 = 3 ORDER BY r",
    )
    hidden = Request(
        str(source),
        query=f"SELECT age + r % 3 AS age, workclass, education, occupation, "
        f"CASE WHEN r % 20 < 10 THEN sex ELSE 'Male' END AS sex, \"hours-per-week\" "
        f"FROM (SELECT *, row_number() OVER (ORDER BY {chosen}) AS r FROM ({people} LIMIT 5000)) "
        "WHERE r % 10 = 3 ORDER BY r",
    )
    (copy,) = run(population, members, AttackOptions(), members).data["attacks"]
    assert copy["hits"] == 100
    (less,) = run(population, hidden, AttackOptions(), members).data["attacks"]
    assert 10 < less["hits"] < 100


@pytest.mark.slow
def test_what_is_hit_of_each_release(tmp_path: Path) -> None:
    """5,000 candidates that the generator made of Adult, 500 members of them, 50 guesses: of releases whose
    cells stay with 0.9 most are members, with 0.5 many, of new records as many as by chance, which are 5."""
    nine = [name for name in CONTEST if name != "income"]
    source = Request(str(shared("adult_train.parquet")), where="workclass <> '?' AND occupation <> '?'")
    people = Synthesis(attributes=tuple(nine), records=12_000, distinct=5000, seed=1)
    synthesize(source, Target(tmp_path / "b.parquet"), people)
    members = Request(str(tmp_path / "b.parquet"), query="SELECT * FROM source LIMIT 500")
    ways = {
        "rr9": (Synthesis("rr", keep=0.9, seed=2), 40, 50),
        "rr5": (Synthesis("rr", keep=0.5, seed=2), 15, 45),
        "okada": (Synthesis(seed=2), 0, 12),
    }
    for name, (way, least, most) in thinned(ways.items()):
        synthesize(members, Target(tmp_path / f"{name}.parquet"), way)
        release = Request(str(tmp_path / f"{name}.parquet"))
        population = Request(str(tmp_path / "b.parquet"))
        (found,) = run(population, release, AttackOptions(guesses=50), members).data["attacks"]
        assert least <= found["hits"] <= most, name
        assert found["expected"] == 5
        assert found["void"] == (name == "okada")


def test_halves_of_a_population_by_hand() -> None:
    """Every other record in the order of the digests of seed and record; of it the first three, or all."""
    order = sorted(range(11), key=lambda record: hashlib.md5(f"7:{record}".encode()).hexdigest())
    with connect() as engine:
        make(engine, {"record": "BIGINT", "n": "INTEGER"}, [(record, -record) for record in range(11)])
        for half in (0, 1):
            for most in (None, 3):
                given = {"name": "h", "source": "t", "half": half, "limit": most, "seed": 7, "columns": ["n"]}
                engine.execute(render("population_half", **given))
                found = engine.execute("SELECT record, n FROM h ORDER BY record").fetchall()
                assert found == [(record, -record) for record in sorted(order[half::2][:most])]
