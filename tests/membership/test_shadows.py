"""Likelihoods by shadow releases: the example, fits and integrals in Python, dealing, and a copy."""

from __future__ import annotations

import csv
import math
import random
import statistics
from pathlib import Path

import pytest

from duckrisk.base.errors import UsageError
from duckrisk.contests.membership.attacks.inference import AttackOptions, Outputs, run
from duckrisk.source import Request
from tests.tables import connect, make
from tests.tables import run as rows_of

pytestmark = pytest.mark.slow

FITS = {
    "record": "BIGINT",
    "inside_mean": "DOUBLE",
    "inside_deviation": "DOUBLE",
    "outside_mean": "DOUBLE",
    "outside_deviation": "DOUBLE",
}


def scored(online: bool, nearest: list[tuple[int, float]], fits: list[tuple[float, ...]]) -> dict[int, float]:
    """The scores of candidates by their squared distances, the largest first."""
    engine = connect()
    make(engine, {"record": "BIGINT", "squared_distance": "DOUBLE"}, nearest, "nearest")
    make(engine, FITS, fits, "fits")
    rows_of(engine, "likelihood_scores", name="s", candidates="nearest", fits="fits", online=online)
    return dict(engine.execute("SELECT record, score FROM s ORDER BY score DESC, record").fetchall())


def test_the_example() -> None:
    """The statistic of a classifier, logit(0.9), stands for one of a table: both are only numbers here."""
    statistic = math.log(0.9 / 0.1)
    shift = 5.0  # statistics of tables are not above 0
    squared = (math.exp(shift - statistic) - 1) ** 2
    fit = (0, 2 - shift, 1.0, 1 - shift, 1.0)
    online = scored(True, [(0, squared)], [fit])[0]
    assert online == pytest.approx(0.6972, abs=5e-5)
    assert math.exp(online) == pytest.approx(2.008, abs=5e-4)
    offline = scored(False, [(0, squared)], [fit])[0]
    assert offline == pytest.approx(statistic - 1)
    assert statistics.NormalDist().cdf(offline) == pytest.approx(0.884, abs=5e-4)


def test_offline_scores_differ_where_probabilities_round_to_the_same() -> None:
    """From -35 to 350 deviations: doubles hold 0 and 1 for most of these probabilities."""
    steps = [step / 4 for step in range(-140, 1401)]
    assert len({statistics.NormalDist().cdf(z) for z in steps}) < 200
    fits = [(place, 0.0, 1.0, -z, 1.0) for place, z in enumerate(steps)]
    found = scored(False, [(place, 0.0) for place in range(len(steps))], fits)
    assert [found[place] for place in range(len(steps))] == pytest.approx(steps)
    assert list(found) == list(range(len(steps)))[::-1]


@pytest.mark.parametrize(("shadows", "share"), [(6, 0.4), (3, 0.0), (90, 0.5)])
def test_fits_are_those_of_python(shadows: int, share: float) -> None:
    chance, engine = random.Random(5), connect()
    told: dict[int, tuple[list[float], list[float]]] = {record: ([], []) for record in range(4)}
    for shadow in range(shadows):
        rows = []
        for record, sides in told.items():
            inside = record != 3 and chance.random() < share
            statistic = -abs(chance.gauss(record, 1))
            sides[0 if inside else 1].append(statistic)
            rows.append((record, statistic, inside))
        columns = {"record": "BIGINT", "statistic": "DOUBLE", "inside": "BOOLEAN"}
        make(engine, columns, rows, "told")
        sums, before = f"sums{shadow % 2}", f"sums{1 - shadow % 2}" if shadow else None
        rows_of(engine, "shadow_sums", name=sums, statistics="told", before=before)
    rows_of(engine, "shadow_fits", name="fits", sums=sums)
    found = {row[0]: row[1:] for row in engine.execute("SELECT * FROM fits ORDER BY record").fetchall()}

    def squares(side: list[float]) -> float:
        return sum((value - statistics.fmean(side)) ** 2 for value in side) if side else 0.0

    every = [side for sides in told.values() for side in sides]
    variance = sum(map(squares, every)) / sum(max(len(side) - 1, 0) for side in every)
    both = [statistics.fmean(i) - statistics.fmean(o) for i, o in told.values() if i and o]
    moved = statistics.fmean(both) if both else 0.0
    for record, (inside, outside) in told.items():
        outside_mean = statistics.fmean(outside)
        inside_mean = (sum(inside) + outside_mean + moved) / (len(inside) + 1)
        if min(len(inside), len(outside)) >= 32:
            widths = [(squares(side) + variance) / len(side) for side in (inside, outside)]
        else:
            free = len(inside) + len(outside) + 1 - bool(inside) - bool(outside)
            widths = [(squares(inside) + squares(outside) + variance) / free] * 2
        expected = (inside_mean, math.sqrt(widths[0]), outside_mean, math.sqrt(widths[1]))
        if share == 0:
            assert found[record][:2] == (None, None)
        else:
            assert found[record][:2] == pytest.approx(expected[:2])
        assert found[record][2:] == pytest.approx(expected[2:])


def test_each_record_is_in_one_group_of_a_round() -> None:
    engine = connect()
    make(engine, {"record": "BIGINT", "n1": "DOUBLE"}, [(i, i / 2) for i in range(23)], "pool")
    seen: dict[int, list[int]] = {}
    for dealt in (0, 1):
        taken = []
        for group in range(4):
            rows_of(engine, "shadow_sample", name="s", source="pool", columns=["n1"], groups=4, group=group,
                    round=dealt, seed=7)  # fmt: skip
            found = engine.execute("SELECT record, candidate, n1 FROM s ORDER BY record").fetchall()
            assert [record for record, *_ in found] == list(range(6 if group < 3 else 5))
            assert all(number == candidate / 2 for _, candidate, number in found)
            taken += [candidate for _, candidate, _ in found]
        assert sorted(taken) == list(range(23))
        seen[dealt] = taken
    assert seen[0] != seen[1]


class Watch:
    """Keeps the lines."""

    def __init__(self) -> None:
        self.told: list[tuple[str, float | None]] = []

    def __call__(self, name: str, share: float | None) -> None:
        pass

    def line(self, text: str, share: float | None) -> None:
        self.told.append((text, share))


def test_a_copy_is_unlikely_without_its_records(tmp_path: Path) -> None:
    """Numbers in many places: no shadow without a record comes as near as the copy does."""
    chance = random.Random(3)
    people = [(*(chance.randint(0, 9999) for _ in range(2)), "ab"[chance.random() < 0.3]) for _ in range(90)]
    requests = {}
    for name, table in (("b", people), ("c", people[:30]), ("r", people[60:])):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("x", "y", "kind"), *table])
        requests[name] = Request(str(tmp_path / f"{name}.csv"))
    options = AttackOptions(("lira", "lira-offline"), guesses=30, shadows=4)
    watch = Watch()
    report = run(requests["b"], requests["c"], options, requests["c"], progress=watch)
    assert watch.told[0] == ("shadow 1 of 4", 0)
    assert watch.told[3][0].startswith("shadow 4 of 4, about ")
    assert [entry["attack"] for entry in report.data["attacks"]] == ["lira", "lira-offline"]
    offline = report.data["attacks"][1]
    assert offline["hits"] >= 28
    assert offline["scores"]["auc"] > 0.99
    assert not offline["void"]
    assert "TPR" in report.to_text()
    outputs = Outputs(scores=tmp_path / "s.csv")
    only = AttackOptions(("lira-offline",), guesses=30, shadows=2)
    (hit,) = run(requests["b"], requests["c"], only, requests["c"], requests["r"], outputs).data["attacks"]
    assert hit["hits"] >= 28
    with pytest.raises(UsageError, match="shadows"):
        AttackOptions(shadows=1).check()
