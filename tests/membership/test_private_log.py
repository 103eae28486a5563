"""The SQL log of every command of membership: no value of a record in it, and the same figures again."""

from __future__ import annotations

import csv
import importlib.util
import random
import re
import shlex
import sys
import types
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from tests.command import command
from tests.tables import thinned

pytestmark = pytest.mark.slow

HEADS = ("amount", "item", "sex", "pay", "club")
#: Numbers are long, so that no draw, digest or mean has them by chance.
PAY = 7351.0625
COMMANDS = {
    "synthesize": "synthesize c.csv -o out.parquet --seed 1",
    "marginals": "synthesize c.csv -o out.parquet --match-marginals --distinct 20 --seed 1",
    "one column": "synthesize c.csv -o out.parquet --attribute amount --bandwidth 0 --seed 1",
    "rr": "synthesize c.csv -o out.parquet --method rr --keep 0.5 --seed 1",
    "rrp": "synthesize c.csv -o out.parquet --method rrp --keep 0.5 --seed 1",
    "kanony": "synthesize c.csv -o out.parquet --method kanony --k 2 --quasi-identifier sex --seed 1",
    "anneal": "anneal c.csv -o out.parquet --iterations 15 --seed 1 --state state",
    "guided": "anneal c.csv -o out.parquet --iterations 40 --guided --match-marginals --seed 1 "
    "--test k.csv --predict sex=ZQXm",
    "genetic": "anneal c.csv -o out.parquet --iterations 4 --method genetic --seed 1",
    "redraw": "anneal c.csv -o out.parquet --iterations 3 --method redraw --seed 1",
    "attack": "attack b.csv d.csv --members c.csv --attack all --guesses 10 --shadows 2 --clusters 2 "
    "--starts 1",
    "reference": "attack b.csv d.csv --members c.csv --reference k.csv --attack lira-offline "
    "--attack calibrated --attack density --guesses 10 --shadows 2",
    "classifier": "attack b.csv d.csv --members c.csv --attack classifier --targets 5 --also c.csv",
    "utility": "utility c.csv d.csv --test k.csv --predict sex=ZQXm",
    "risks": "risks c.csv d.csv --control k.csv --attacks-per-risk 20",
    "score": "score --population b.csv --members c.csv --guess a=guess.csv --scores a=scores.csv",
}


def put(path: Path, rows: list[tuple[Any, ...]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([HEADS, *rows])


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Candidates, members, a release and a control set; every value of theirs is easy to find again."""
    folder, draw = tmp_path_factory.mktemp("marked"), random.Random(1)
    people: dict[tuple[Any, ...], None] = {}
    while len(people) < 120:
        item = f"ZQX {draw.choice(['alpha', 'beta', chr(233)])}'s"
        amount = 918_273_645 + draw.randrange(1, 99) * 1_000_003
        people[(amount, item, f"ZQX{draw.choice('mf')}", PAY + draw.randrange(40) / 16, "ZQXonly")] = None
    rows = list(people)
    moved = [(n + 1_000_003 * draw.randrange(2), *rest) for n, *rest in rows[:40]]
    for name, some in (("b", rows), ("c", rows[:40]), ("k", rows[40:80]), ("d", moved)):
        put(folder / f"{name}.csv", some)
    (folder / "guess.csv").write_text("0\n1\n50\n")
    (folder / "scores.csv").write_text("record,score\n0,1\n50,0.5\n")
    return folder


def values(folder: Path) -> set[str]:
    """How the values of all records can be written."""
    found = set()
    for name in "bckd":
        with (folder / f"{name}.csv").open() as file:
            for row in csv.DictReader(file):
                pay, amount = float(row["pay"]), int(row["amount"])
                found |= {row["item"], row["sex"], row["club"], repr(pay), str(amount), repr(float(amount))}
    return found


class Same:
    """A classifier that knows the record it saw most often."""

    def __init__(self, rows: Any) -> None:
        kinds, counts = np.unique(rows, axis=0, return_counts=True)
        self.known = kinds[counts.argmax()]

    def predict(self, rows: Any) -> Any:
        return np.where((rows == self.known).all(axis=1), 1.0, 0.25)


def repeated(script: str) -> dict[str, list[tuple[Any, ...]]]:
    """What the results of a script hold, in an engine that knows nothing of duckrisk."""
    with duckdb.connect() as engine:
        engine.execute(script)
        names = [name for (name,) in engine.execute("SELECT table_name FROM results").fetchall()]
        return {name: engine.execute(f'SELECT * FROM "{name}" ORDER BY ALL').fetchall() for name in names}


def read(path: str) -> list[tuple[Any, ...]]:
    return duckdb.sql(f"SELECT * FROM read_parquet('{path}') ORDER BY ALL").fetchall()


@pytest.mark.slow
@pytest.mark.parametrize("name", thinned(COMMANDS, 3))
def test_no_value_of_a_record_stands_in_the_log(
    tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What is typed (--predict) is in the state of a search alone; the log repeats to the same release."""
    if name == "guided" and importlib.util.find_spec("sklearn") is None:
        pytest.skip("scikit-learn is not installed")
    fake: Any = types.ModuleType("lightgbm")
    fake.Dataset = lambda rows, labels: rows
    fake.train = lambda settings, rows, num_boost_round: Same(rows)
    if name == "classifier":
        monkeypatch.setitem(sys.modules, "lightgbm", fake)
        real = importlib.util.find_spec
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda asked: fake if asked == "lightgbm" else real(asked)
        )
    monkeypatch.chdir(tmp_path)
    for file in tables.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    asked = ["membership", *shlex.split(COMMANDS[name]), "-q", "--format", "json", "--sql-log", "log.sql"]
    done = command(*asked)
    assert done.code == 0, done.err
    script = Path("log.sql").read_text("utf-8")
    assert "ZQX" not in script
    inside = {value for value in values(tables) if value in script}  # also as a part of a longer number
    leaked = {value for value in inside if re.search(rf"(?<![\d.]){re.escape(value)}(?!\d)", script)}
    assert leaked == set()
    release = read("out.parquet") if Path("out.parquet").exists() else None
    Path("out.parquet").unlink(missing_ok=True)
    assert repeated(script)
    if release is not None:
        # The last file that is written: a state comes before the release.
        assert read(str(max(tmp_path.glob("log-*made*")))) == release
