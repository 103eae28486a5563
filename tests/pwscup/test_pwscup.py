"""What the package gives in Python: the functions do what the commands do."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from duckrisk import pwscup
from duckrisk.cli.pwscup import app
from duckrisk.errors import UsageError
from duckrisk.results import Result
from tests import pwscup_oracle as oracle
from tests.command import command

pytestmark = pytest.mark.slow

NAMED = {"user": "who", "date": "when", "item": "what", "price": "paid", "quantity": "pieces"}
FLAGS = " ".join(f"--{role} {name}" for role, name in NAMED.items())


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A history of the contest with two releases and a guess, and one with names of columns."""
    monkeypatch.chdir(tmp_path)
    original, master = oracle.contest(3, customers=8)
    oracle.write(Path("T.csv"), original)
    oracle.write(Path("M.csv"), [(user, *cells) for user, cells in master.items()])
    oracle.write(Path("A.csv"), oracle.submission(original, 1))
    oracle.write(Path("B.csv"), oracle.submission(original, 2, dates=0.3, deleted=0.2))
    pwscup.pseudonyms("T.csv", "A.csv", "F.csv", master="M.csv")
    names = ["who", "invoice", "when", "at", "what", "paid", "pieces"]
    for name in ("T", "A"):
        pd.read_csv(f"{name}.csv", names=names, dtype=str).to_parquet(f"{name}.parquet")


def told(line: str) -> Any:
    done = command(*line.split(), "--format", "json", "-q")
    assert done.code == 0, done.err
    return done.json


def test_what_is_measured_is_what_the_commands_tell() -> None:
    both = "pwscup {} --original T.csv --master M.csv --release A.csv"
    found: Result = pwscup.score(
        "T.csv",
        Path("A.csv"),
        master="M.csv",
        guesses={"x": "F.csv", "y@25": "F.csv"},
        alphas=[25, 50],
        seed=4,
    )
    asked = "--guess x=F.csv --guess y@25=F.csv --alpha 25 --alpha 50 --seed 4"
    assert found.to_dict() == told(f"{both.format('score')} {asked}")
    found = pwscup.utility("T.csv", "A.csv", "B.csv", master="M.csv", top=3, profile="paper")
    asked = "--release B.csv --top 3 --profile paper"
    assert found.to_dict() == told(f"{both.format('utility')} {asked}")
    found = pwscup.attack(
        "T.csv", "A.csv", master="M.csv", attacks=["paper-date"], item_prefix=0, alphas=[50]
    )
    asked = "--attack paper-date --item-prefix 0 --alpha 50"
    assert found.to_dict() == told(f"{both.format('attack')} {asked}")
    found = pwscup.check("T.csv", "A.csv", "B.csv", master="M.csv", guesses=["F.csv"], show_values=True)
    asked = "pwscup check --original T.csv --master M.csv A.csv B.csv --guess F.csv --show-values"
    assert found.to_dict() == told(asked)
    # Known records, of a history with names of columns.
    found = pwscup.attack(None, "A.parquet", known="T.parquet", period="quarter", **NAMED)
    assert found.to_dict() == told(f"attack T.parquet A.parquet --period quarter {FLAGS}")


def test_what_is_written_is_what_the_commands_write() -> None:
    written: Result = pwscup.partial_knowledge("T.csv", "t25.csv", alpha=25, seed=4)
    assert written.to_dict()["filled"] == round(0.25 * written.to_dict()["records"])
    lines = [
        "partial-knowledge T.csv --alpha 25 --seed 4 -o t25",
        "pseudonyms --original T.csv --master M.csv A.csv -o f",
        "release A.csv --seed 4 -o s",
        f"anonymize T.parquet --seed 4 --life 2 --perturb-dates 0.2 --period week -o a {FLAGS}",
    ]
    pwscup.pseudonyms("T.csv", "A.csv", "f.csv", master="M.csv")
    pwscup.release("A.csv", "s.csv", seed=4)
    columns = {role: NAMED[role] for role in ("user", "date", "item", "price")}
    pwscup.anonymize("T.parquet", "a.csv", seed=4, life=2, perturb_dates=0.2, period="week", **columns)
    for line in lines:
        name = line.partition(" -o ")[2].split()[0]
        asked = line.replace(f"-o {name}", f"-o {name}_too.csv").replace(" --quantity pieces", "")
        done = command("pwscup", *asked.split())
        assert done.code == 0, done.err
        assert Path(f"{name}.csv").read_bytes() == Path(f"{name}_too.csv").read_bytes()


def test_frames_take_part_as_files_do() -> None:
    original, release = pd.read_parquet("T.parquet"), pd.read_parquet("A.parquet")
    frames = pwscup.score(original, release, alphas=[50], **NAMED).to_dict()
    paths = pwscup.score("T.parquet", "A.parquet", alphas=[50], **NAMED).to_dict()
    for found in (frames, paths):
        del found["name"], found["original"]["name"]
    assert frames == paths
    assert frames["settings"]["item_prefix"] is None


def test_lists_are_lists() -> None:
    with pytest.raises(UsageError, match="attacks takes a list"):
        pwscup.attack("T.csv", "A.csv", attacks="combined")
    with pytest.raises(UsageError, match="guesses takes a list"):
        pwscup.check("T.csv", guesses="F.csv")


def test_every_command_has_a_documented_function_of_plain_keywords() -> None:
    commands = [one.callback for one in app.registered_commands if one.callback is not None]
    assert pwscup.__all__ == sorted(one.__name__ for one in commands)
    for name in pwscup.__all__:
        function = getattr(pwscup, name)
        kinds = {one.kind for one in inspect.signature(function).parameters.values()}
        assert inspect.getdoc(function)
        assert inspect.Parameter.VAR_KEYWORD not in kinds
