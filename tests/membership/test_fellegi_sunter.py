"""The attack that weighs the agreement of attributes: by hand, against all pairs, and on known releases."""

from __future__ import annotations

import csv
import itertools
import math
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.contests.membership.attacks import fellegi_sunter
from duckrisk.contests.membership.attacks.inference import AttackOptions, Outputs, run
from duckrisk.contests.membership.synthesis.methods import Synthesis, synthesize
from duckrisk.engine.session import Resources
from duckrisk.release.anonymization import Target
from duckrisk.source import Request
from tests.shared_data import shared
from tests.tables import LIGHTER, engine, thinned

Row = tuple[object, ...]


def put(path: Path, rows: Sequence[Row]) -> Request:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[f"a'{i}" for i in range(len(rows[0]))], *rows])
    return Request(str(path), header=True)


def scores(
    folder: Path, population: Sequence[Row], release: Sequence[Row], keep: float | None
) -> list[float]:
    """The score of each candidate."""
    options = AttackOptions(("fellegi-sunter",), guesses=1, keep=keep)
    out = Outputs(scores=folder / "s.csv", overwrite=True)
    run(put(folder / "b.csv", population), put(folder / "d.csv", release), options, outputs=out)
    with (folder / "s.csv").open() as file:
        return [float(line["score"]) for line in csv.DictReader(file)]


def brute_force(population: Sequence[Row], release: Sequence[Row], keep: float) -> list[float]:
    """The posteriors of all pairs by the definition; q by the likelier of both."""
    width = len(release[0])
    counts = [Counter(row[a] for row in release) for a in range(width)]
    shares = [Counter(row[a] for row in population) for a in range(width)]
    values = [len(counts[a].keys() | shares[a].keys()) for a in range(width)]
    found = []
    for by_domain in (True, False):

        def q(a: int, value: object, by_domain: bool = by_domain) -> float:
            if by_domain:
                return 1 / len(counts[a])
            return (shares[a][value] + 1) / (len(population) + values[a])

        total, made = 0.0, [0.0] * len(population)
        for record in release:
            likelihoods = [
                math.prod(
                    (keep if record[a] == candidate[a] else 0) + (1 - keep) * q(a, record[a])
                    for a in range(width)
                )
                for candidate in population
            ]
            total += math.log(math.fsum(likelihoods))
            made = [m + x / math.fsum(likelihoods) for m, x in zip(made, likelihoods, strict=True)]
        found.append((total, made))
    return max(found)[1] if abs(found[0][0] - found[1][0]) > 1e-9 else found[0][1]


def test_by_hand(tmp_path: Path) -> None:
    """One attribute of two values, p = 1/2: t = (1/2) / (1/2 * 1/2) = 2, so an agreeing candidate weighs 3.

    Of x, y, x, y the record x has likelihoods 3, 1, 3, 1, the record y 1, 3, 1, 3."""
    found = scores(tmp_path, [("x",), ("y",), ("x",), ("y",)], [("x",), ("y",), ("x",)], 0.5)
    assert found == pytest.approx([7 / 8, 5 / 8, 7 / 8, 5 / 8])


CELLS = st.sampled_from(["", "a", "b", "ä'", '"', "NULL"]).filter(bool)


@LIGHTER
@given(st.data(), st.integers(1, 5), st.sampled_from([0.1, 0.5, 0.9]), st.booleans())
def test_all_pairs(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, width: int, keep: float, by_pairs: bool
) -> None:
    rows = st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=12)
    population, release = data.draw(rows), data.draw(rows)
    folder = tmp_path_factory.mktemp("pairs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fellegi_sunter, "_MAX_SETS", 0 if by_pairs else 10**6)
        found = scores(folder, population, release, keep)
    assert found == pytest.approx(brute_force(population, release, keep), rel=1e-9)
    assert sum(found) == pytest.approx(len(release))


def test_many_columns(tmp_path: Path) -> None:
    """Thirty columns fit no word of codes, so that pairs are looked at."""
    chance = random.Random(1)
    people = [tuple(chance.choice("abcdefgh") for _ in range(30)) for _ in range(40)]
    release = [
        tuple(x if chance.random() < 0.5 else chance.choice("abcdefgh") for x in row) for row in people[:9]
    ]
    found = scores(tmp_path, people, release, None)
    assert sorted(sorted(range(40), key=lambda i: -found[i])[:9]) == list(range(9))


def test_the_estimate(tmp_path: Path) -> None:
    """Cells are kept with 0.3, 0.8, 0.6 and 0.9; other cells are drawn alike from values of unlike shares.

    Two columns of many values link the records; without them nothing tells kept cells from drawn ones."""
    chance = random.Random(2)
    names = [str(n) for n in range(200)]
    values = [["a"] * 60 + list("bcdefgh") * 6, names, names, ["x", "y"]]
    people = [tuple(chance.choice(column) for column in values) for _ in range(3000)]
    kept = (0.3, 0.8, 0.6, 0.9)
    release = [
        tuple(
            cell if chance.random() < p else chance.choice(sorted(set(column)))
            for cell, p, column in zip(row, kept, values, strict=True)
        )
        for row in people[:1000]
    ]
    seen = []
    original = fellegi_sunter.Agreement.estimate
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            fellegi_sunter.Agreement,
            "estimate",
            lambda self, keep=None: seen.append(original(self, keep)) or seen[-1],
        )
        scores(tmp_path, people, release, None)
    assert seen[0].by_domain
    assert seen[0].shares == pytest.approx(kept, abs=0.1)


CONTEST = ("age", "workclass", "education", "marital-status", "occupation", "relationship", "sex")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keep", "hits", "auc", "tenth", "hundredth"),
    thinned([(0.5, 85, 0.633, 0.256, 0.085), (0.9, 97, 0.976, 0.939, 0.800)]),
)
def test_releases_of_the_contest(
    tmp_path: Path, keep: float, hits: int, auc: float, tenth: float, hundredth: float
) -> None:
    """Own figures of another population: 100,000 candidates, 10,000 of them members, cells kept with keep."""
    columns = ", ".join(f'"{name}"' for name in (*CONTEST, "hours-per-week", "income"))
    known = " AND ".join(f"\"{name}\" <> '?'" for name in ("workclass", "occupation", "native-country"))
    adult, everybody, members = (tmp_path / f"{name}.parquet" for name in ("adult", "b", "c"))
    copy = f"COPY (SELECT {columns} FROM '{shared('adult_train.parquet')}' WHERE {known}) TO '{adult}'"
    engine().execute(copy)
    limits = Resources(threads=1)
    made = Synthesis(records=160_000, distinct=100_000, seed=1)
    synthesize(Request(str(adult)), Target(everybody), made, limits)
    # Members have to lie anywhere: of equally near candidates the distance names the first.
    numbered = f"SELECT *, ROW_NUMBER() OVER () AS record FROM '{everybody}'"
    drawn = f"SELECT * EXCLUDE record FROM ({numbered}) ORDER BY MD5(record || 'x') LIMIT 10000"
    engine().execute(f"COPY ({drawn}) TO '{members}'")
    release = tmp_path / "d.parquet"
    synthesize(Request(str(members)), Target(release), Synthesis(method="rr", keep=keep, seed=1), limits)
    names = ("fellegi-sunter", "distance")
    requests = [Request(str(path)) for path in (everybody, release, members)]
    weighed, distance = run(
        requests[0], requests[1], AttackOptions(names), requests[2], resources=limits
    ).attacks
    assert weighed.scores is not None
    assert distance.scores is not None
    assert weighed.hits == pytest.approx(hits, abs=8)
    assert weighed.scores.auc == pytest.approx(auc, abs=0.012)
    assert [rate.tpr for rate in weighed.scores.rates[:2]] == pytest.approx([tenth, hundredth], abs=0.05)
    assert distance.scores.auc is not None
    assert weighed.scores.auc > distance.scores.auc + 0.04


def test_sets_are_as_many_as_there_are_subsets() -> None:
    """The sum over sets of the product of t is the product of 1 + t."""
    t = [2.0, 0.5, 7.0]
    sets = itertools.chain.from_iterable(itertools.combinations(t, n) for n in range(4))
    assert sum(map(math.prod, sets)) == math.prod(1 + x for x in t)
