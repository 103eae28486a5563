"""What the package gives in Python: the functions do what the commands do."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import duckrisk
from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.options.source import Resources
from duckrisk.base.results import Result
from duckrisk.cli.membership import commands
from duckrisk.contests import membership
from duckrisk.contests.membership.attacks import inference, scoring
from duckrisk.contests.membership.release_risks import measuring
from duckrisk.contests.membership.synthesis import indices
from tests.command import command, measured_once

pytestmark = pytest.mark.slow


def people(records: int, seed: int) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    age = draw.integers(18, 80, records)
    job = np.where(draw.random(records) < age / 90, "boss", "clerk")
    return pd.DataFrame({"age": age, "job": job, "number": np.arange(records) + 1000 * seed})


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A population, its first records as members, others as a control set, a guess and scores."""
    monkeypatch.chdir(tmp_path)
    everybody = people(60, 1)
    everybody.to_parquet("b.parquet")
    everybody[:20].to_parquet("c.parquet")
    everybody[30:50].to_parquet("d.parquet")
    people(20, 2).to_parquet("k.parquet")
    Path("e.csv").write_text("".join(f"{row}\n" for row in range(15, 25)))
    Path("s.csv").write_text("record,score\n" + "".join(f"{row},{-row}\n" for row in range(60)))


@pytest.fixture
def once() -> Iterator[None]:
    """Measure once what is asked for again by the same inputs and options."""
    with (
        measured_once(inference),
        measured_once(scoring, "score"),
        measured_once(measuring, "risks"),
        measured_once(indices, "utility"),
    ):
        yield


def told(line: str) -> Any:
    done = command("membership", *line.split(), "--format", "json", "-q")
    assert done.code == 0, done.err
    return done.json


@pytest.mark.slow
@pytest.mark.usefixtures("once")
def test_what_is_measured_is_what_the_commands_tell() -> None:
    made: Result = membership.attack("b.parquet", Path("c.parquet"), members="c.parquet", guesses=5, seed=3)
    assert made.to_dict() == told("attack b.parquet c.parquet --members c.parquet --guesses 5 --seed 3")
    made = membership.risks("c.parquet", "d.parquet", control="k.parquet", attacks=9, known=("age",), seed=3)
    asked = "--control k.parquet --attacks-per-risk 9 --known age --seed 3"
    assert made.to_dict() == told(f"risks c.parquet d.parquet {asked}")
    made = membership.utility("c.parquet", "d.parquet", where="age>20", attributes=["age", "job"])
    asked = "--where age>20 --attribute age --attribute job"
    assert made.to_dict() == told(f"utility c.parquet d.parquet {asked}")
    teams = {"x": "c.parquet", "y": "d.parquet"}
    made = membership.score("b.parquet", teams, {"y@x": "e.csv"}, scores={"y@x": "s.csv"}, confidence=0.9)
    asked = (
        "--members x=c.parquet --members y=d.parquet --guess y@x=e.csv --scores y@x=s.csv --confidence 0.9"
    )
    assert made.to_dict() == told(f"score --population b.parquet {asked}")
    assert repr(made).startswith("<duckrisk Score: ")
    assert list(made.to_frame("league")["name"]) == ["y", "x"]


def test_what_is_written_is_what_the_commands_write() -> None:
    made = membership.synthesize("c.parquet", "one.csv", records=30, seed=4)
    same = told("synthesize c.parquet -o two.csv --records 30 --seed 4")
    assert made.to_dict() == {**same, "release": "one.csv"}
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()
    members = pd.read_parquet("c.parquet")
    found = membership.anneal(members, "three.csv", state="state", iterations=20, swap=2, seed=4)
    same = told("anneal c.parquet -o four.csv --iterations 20 --swap-records 2 --seed 4")
    assert found.to_dict() == {**same, "release": "three.csv", "state": "state"}
    assert Path("three.csv").read_bytes() == Path("four.csv").read_bytes()
    assert membership.anneal("c.parquet", "five.csv", resume="state", iterations=30).iterations == 30
    table = membership.synthesize("c.parquet", "six.csv", method="kanony", k=2, quasi_identifiers=["job"])
    assert table.exact is None
    assert "kanony" in table.to_text()


def test_texts_are_values_unless_somebody_says_otherwise() -> None:
    """Neither "NA" nor a day is read; a declared text for missing cells is, and so is a day that is named."""
    rows = [
        f'{20 + row % 9 if row % 7 else "NA"},"{row % 3},5",0{row % 5 + 1}/13/2021\n' for row in range(40)
    ]
    Path("o.csv").write_text("age,pay,day\n" + "".join(rows))
    measured = membership.utility("o.csv", "o.csv").to_dict()["attributes"]
    assert [(one["numeric"], one["dummies"]) for one in measured] == [(False, 10), (False, 3), (False, 5)]
    missing = command("membership", "utility", "o.csv", "o.csv", "--missing-token", "NA")
    assert missing.code == 3
    with pytest.raises(SourceError, match="6 missing values"):
        membership.utility("o.csv", "o.csv", missing_tokens=["NA"])
    with pytest.raises(UsageError, match="read must be a list"):
        membership.utility("o.csv", "o.csv", read="day=text")
    assert 'The column "age" of "o.csv" has 6 missing values' in missing.err
    for read, form in (("", "0./13/2021"), ("--read=day=month/day/year", "2021-0.-13")):
        done = command(
            "membership", "synthesize", "o.csv", "--output", "w.csv", "--overwrite", *filter(None, [read])
        )
        assert done.code == 0, done.err
        for line in Path("w.csv").read_text().splitlines()[1:]:
            assert re.fullmatch(rf'(NA|\d+),"[012],5",{form}', line), (line, read)


def test_frames_take_part_as_files_do() -> None:
    everybody = people(60, 1)
    rows = pd.DataFrame({"row": range(15, 25)})
    made = membership.score(everybody, everybody[:20].reset_index(drop=True), {"me": rows})
    assert made.submissions[0].attacks[0].hits == 5


def test_lists_are_lists() -> None:
    with pytest.raises(UsageError, match="attributes must be a list"):
        membership.utility("c.parquet", "d.parquet", attributes="age")
    with pytest.raises(UsageError, match="targets must be a list"):
        membership.utility("c.parquet", "d.parquet", targets="job=boss")


def test_every_command_has_a_documented_function_of_plain_keywords() -> None:
    assert duckrisk.contests.membership is membership
    assert membership.__all__ == sorted(one.__name__ for one in commands)
    for name in membership.__all__:
        function = getattr(membership, name)
        kinds = {one.kind for one in inspect.signature(function).parameters.values()}
        assert inspect.getdoc(function)
        assert inspect.Parameter.VAR_KEYWORD not in kinds
        assert {one.name for one in fields(Resources)} <= inspect.signature(function).parameters.keys()
