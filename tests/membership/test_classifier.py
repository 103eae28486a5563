"""The experiment with classifiers: what it learns from, its scores, its folds, and what it refuses."""

from __future__ import annotations

import csv
import importlib.util
import sys
import types
from math import comb
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from duckrisk.base.errors import UsageError
from duckrisk.contests.membership.attacks.inference import AttackOptions, Outputs, run
from duckrisk.source import Request
from tests.tables import connect, make
from tests.tables import run as rows_of

pytestmark = pytest.mark.slow


def put(path: Path, rows: list[tuple[Any, ...]]) -> Request:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("age", "sex", "job"), *rows])
    return Request(str(path))


def test_targets_and_what_stands_beside_them() -> None:
    engine = connect()
    make(engine, {"record": "BIGINT"}, [(i,) for i in range(30)], "population")
    make(engine, {"record": "BIGINT"}, [(i,) for i in range(0, 30, 3)], "members")
    rows_of(engine, "classifier_targets", name="t", population="population", members="members", targets=4,
            others_per_target=7, seed=1)  # fmt: skip
    found = engine.execute("SELECT target, record, member, slot FROM t ORDER BY target, slot").fetchall()
    targets = [(record, member) for _, record, member, slot in found if slot == -1]
    assert [member for _, member in targets] == [True] * 4 + [False] * 4
    assert all((record % 3 == 0) == member for record, member in targets)
    for target in range(8):
        beside = [record for number, record, _, slot in found if number == target and slot >= 0]
        assert len(set(beside)) == 7
        assert not {record for record in beside if record % 3 == 0}
        assert not set(beside) & {record for record, _ in targets}


def test_means_by_hand() -> None:
    engine = connect()
    kinds = {"score": "DOUBLE", "member": "BOOLEAN"}
    make(engine, kinds, [(0.5, True), (1, True), (0.75, True), (0.25, False), (0.5, False)], "scores")
    (found,) = rows_of(engine, "classifier_means", scores="scores")
    wanted = {"members_mean": 0.75, "members_deviation": (0.125 / 3) ** 0.5}
    assert found == pytest.approx(wanted | {"others_mean": 0.375, "others_deviation": 0.125})
    make(engine, kinds, [(0.3, True)] * 3, "scores")  # no spread, however the squares are rounded
    (found,) = rows_of(engine, "classifier_means", scores="scores")
    assert (found["members_deviation"], found["others_mean"]) == (pytest.approx(0, abs=1e-8), None)


class Same:
    """A classifier that knows the record it saw most often, and what is like it by half."""

    seen: ClassVar[list[int]] = []

    def __init__(self, rows: Any) -> None:
        kinds, counts = np.unique(rows, axis=0, return_counts=True)
        self.seen.append(int(counts.max()))
        self.known = kinds[counts.argmax()]

    def predict(self, rows: Any) -> Any:
        return np.where((rows == self.known).all(axis=1), 1.0, 0.25)


def people(records: int) -> list[tuple[Any, ...]]:
    return [(20 + i // 4, ("Female", "Male")[i % 2], f"job {i // 2 % 2}") for i in range(records)]


@pytest.mark.slow
def test_classifiers_that_know_their_record_find_the_members(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake: Any = types.ModuleType("lightgbm")
    fake.Dataset = lambda rows, labels: rows
    fake.train = lambda settings, rows, num_boost_round: Same(rows)
    monkeypatch.setitem(sys.modules, "lightgbm", fake)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: fake)
    monkeypatch.setattr(Same, "seen", [])
    population = put(tmp_path / "b.csv", people(80))
    members = put(tmp_path / "c.csv", people(80)[::4])
    options = AttackOptions(("classifier",), targets=10)
    out = Outputs(tmp_path / "e.csv", tmp_path / "s.csv")
    report = run(population, members, options, members, outputs=out)
    (entry,) = report.data["attacks"]
    with out.scores.open() as file:
        written = [(-float(row["score"]), int(row["record"])) for row in csv.DictReader(file)]
    assert len(written) == 20
    assert entry["guesses"] == [record for _, record in sorted(written)[:10]]
    assert entry["guesses"] == [int(line) for line in out.guess.read_text().split()]
    inside = [score for score, record in written if record % 4 == 0]
    outside = [score for score, record in written if record % 4]
    area = sum((a < b) + (a == b) / 2 for a in inside for b in outside)
    assert entry["scores"]["auc"] == area / len(inside) / len(outside)
    assert (entry["hits"], entry["expected"], entry["scores"]["auc"], entry["void"]) == (10, 5, 1, False)
    assert all(place % 4 == 0 for place in entry["guesses"])
    told = entry["experiment"]
    assert (told["largest"]["members_mean"], told["largest"]["others_mean"]) == (1, 0.25)
    # The hundredth of 20 records is one.
    assert told["mean"]["members_mean"] == 1
    # Of each of 20 targets 100 copies are in all five folds, and no copy is ever held out.
    assert set(Same.seen) == {100}
    assert len(Same.seen) == 100
    assert (told["held_out"], told["false_alarms"]) == (2000, 0)
    assert "surer of the release than" in report.to_markdown()
    assert "other_releases" not in told
    # The same classifiers are shown other releases: of half the members, and of nobody they know.
    half, nobody = put(tmp_path / "half.csv", people(80)[::8]), put(tmp_path / "nobody.csv", people(80)[1::4])
    Same.seen.clear()
    shown = run(population, members, options, members, also=[half, nobody])
    assert len(Same.seen) == 100
    (again,) = shown.data["attacks"]
    assert {k: v for k, v in again["experiment"].items() if k != "other_releases"} == told
    first, second = again["experiment"]["other_releases"]
    assert (first["release"], second["release"]) == ("half.csv", "nobody.csv")
    in_half = sum(place % 8 == 0 for place in again["guesses"])
    assert first["largest"]["members_mean"] == pytest.approx((in_half + 0.25 * (10 - in_half)) / 10)
    assert second["largest"]["members_mean"] == 0.25 < second["largest"]["others_mean"]
    # The verdict is of each release, by the first ten of the 20 targets of which ten are members.
    targets = [record for _, record in written]
    for entry, known in ((first, range(0, 80, 8)), (second, range(1, 80, 4))):
        guesses = sorted(targets, key=lambda record: (record not in known, record))[:10]
        hits = sum(record % 4 == 0 for record in guesses)
        chance = sum(comb(10, n) ** 2 for n in range(hits, 11)) / comb(20, 10)
        assert (entry["hits"], entry["chance"]) == (hits, pytest.approx(chance))
        assert entry["void"] == (chance >= 0.05)
    text = " ".join(shown.to_text().split())
    surer, unsure = text.split("Classifiers of members are surer")[1].split("Inconclusive, which", 1)
    unsure = unsure.split("Each of 20 classifiers", 1)[0]
    assert "c.csv" in surer
    assert ("half.csv" in surer, "half.csv" in unsure) == (not first["void"], first["void"])
    assert ("nobody.csv" in surer, "nobody.csv" in unsure) == (False, True)
    with pytest.raises(UsageError, match="--attack classifier"):
        run(population, members, AttackOptions(guesses=2), members, also=[half])
    with pytest.raises(UsageError, match="lower --targets"):
        run(population, members, AttackOptions(("classifier",), targets=50), members)


def test_what_the_experiment_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    population = put(tmp_path / "b.csv", people(40))
    with pytest.raises(UsageError, match="name them with --members"):
        run(population, population, AttackOptions(("classifier",)))
    with pytest.raises(UsageError, match="targets must be"):
        AttackOptions(targets=0).check()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"duckrisk\[ml\]"):
        run(population, population, AttackOptions(("classifier",)), population)


def test_lightgbm_learns(tmp_path: Path) -> None:
    pytest.importorskip("lightgbm", reason="LightGBM is not installed: pip install 'duckrisk[ml]'")
    rows = people(200)
    population, members = put(tmp_path / "b.csv", rows), put(tmp_path / "c.csv", rows[::4])
    options = AttackOptions(("classifier",), targets=1)
    first, second = (run(population, members, options, members) for _ in range(2))
    assert first.to_json() == second.to_json()
    told = first.data["attacks"][0]["experiment"]
    assert 0.5 < told["largest"]["members_mean"] <= 1
