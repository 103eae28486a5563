"""What the package gives in Python: the functions do what the commands do."""

from __future__ import annotations

import contextlib
import inspect
import re
import shutil
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from duckrisk.base.errors import UsageError
from duckrisk.base.options.source import Resources
from duckrisk.base.results import Result
from duckrisk.cli.pwscup import app
from duckrisk.contests import pwscup
from duckrisk.contests.pwscup import attacking, constraints, scoring
from tests import pwscup_oracle as oracle
from tests.command import command, measured_once
from tests.shared_data import shared
from tests.tables import thinned

pytestmark = pytest.mark.slow

NAMED = {"user": "who", "date": "when", "item": "what", "price": "paid", "quantity": "pieces"}
QUICK = "--attack paper-date --alpha 50"
FLAGS = " ".join(f"--{role} {name}" for role, name in NAMED.items())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history of the contest with two releases, a guess and a part of it, and one with names of columns."""
    folder = tmp_path_factory.mktemp("made")
    original, master = oracle.contest(3, customers=8)
    with contextlib.chdir(folder):
        oracle.write(Path("T.csv"), original)
        oracle.write(Path("M.csv"), [(user, *cells) for user, cells in master.items()])
        oracle.write(Path("A.csv"), oracle.submission(original, 1))
        oracle.write(Path("B.csv"), oracle.submission(original, 2, dates=0.3, deleted=0.2))
        pwscup.pseudonyms("T.csv", "A.csv", "F.csv", master="M.csv")
        pwscup.partial_knowledge("T.csv", "P.csv", alpha=50)
        names = ["who", "invoice", "when", "at", "what", "paid", "pieces"]
        for name in ("T", "A"):
            pd.read_csv(f"{name}.csv", names=names, dtype=str).to_parquet(f"{name}.parquet")
    return folder


@pytest.fixture(autouse=True)
def files(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shutil.copytree(made, tmp_path / "files"))


@pytest.fixture
def once() -> Iterator[None]:
    """Measure once what is asked for again by the same inputs and options."""
    with (
        measured_once(attacking),
        measured_once(constraints),
        measured_once(scoring, "score"),
        measured_once(scoring, "utility"),
    ):
        yield


def told(line: str) -> Any:
    done = command(*line.split(), "--format", "json", "-q")
    assert done.code == 0, done.err
    return done.json


@pytest.mark.slow
@pytest.mark.usefixtures("once")
def test_what_is_measured_is_what_the_commands_tell() -> None:
    both = "pwscup {} --original T.csv --master M.csv --release A.csv"
    found: Result = pwscup.score(
        "T.csv",
        "A.csv",
        master="M.csv",
        guesses={"x": "F.csv", "y@25": "F.csv"},
        alphas=[25, 50],
        seed=4,
    )
    asked = "--guess x=F.csv --guess y@25=F.csv --alpha 25 --alpha 50 --seed 4"
    assert found.to_dict() == told(f"{both.format('score')} {asked}")
    found = pwscup.utility("T.csv", "A.csv", "B.csv", master="M.csv", top=3, profile="paper")
    asked = "--release B.csv --top-items 3 --recommendations paper"
    assert found.to_dict() == told(f"{both.format('utility')} {asked}")
    found = pwscup.attack(
        "T.csv", "A.csv", master="M.csv", attacks=["paper-date"], item_prefix=0, alphas=[50]
    )
    asked = "--attack paper-date --item-prefix 0 --alpha 50"
    assert found.to_dict() == told(f"{both.format('attack')} {asked}")
    found = pwscup.check("T.csv", Path("A.csv"), "B.csv", master="M.csv", guesses=["F.csv"], show_values=True)
    asked = "pwscup check --original T.csv --master M.csv A.csv B.csv --guess F.csv --show-values"
    assert found.to_dict() == told(asked)
    # Known records, of a history with names of columns.
    found = pwscup.attack(None, "A.parquet", known="T.parquet", period="quarter", **NAMED)
    assert found.to_dict() == told(f"attack T.parquet A.parquet --period quarter {FLAGS}")


@pytest.mark.parametrize(
    ("named", "in_order"),
    thinned(
        [
            ("check A.csv B.csv --original T.csv", ["check T.csv A.csv B.csv"]),
            ("check --original T.csv --guess F.csv", ["check T.csv --guess F.csv"]),
            (
                "utility --original T.csv --release A.csv --release B.csv",
                ["utility T.csv A.csv B.csv", "utility T.csv A.csv --release B.csv"],
            ),
            (
                "score --original T.csv --release A.csv --alpha 50",
                ["score T.csv A.csv --alpha 50", "score A.csv --original T.csv --alpha 50"],
            ),
            (
                f"attack --original T.csv --release A.csv {QUICK}",
                [
                    f"attack {tables} {QUICK}"
                    for tables in ("T.csv A.csv", "T.csv --release A.csv", "A.csv --original T.csv")
                ],
            ),
            (
                f"attack --release A.csv --partial 50=P.csv {QUICK}",
                [f"attack A.csv --partial 50=P.csv {QUICK}"],
            ),
        ]
    ),
)
@pytest.mark.usefixtures("once")
def test_tables_go_by_their_order_or_by_options(named: str, in_order: list[str]) -> None:
    expected = told(f"pwscup {named} --master M.csv")
    for words in in_order:
        assert told(f"pwscup {words} --master M.csv") == expected


@pytest.mark.parametrize(
    "line",
    ["check", "check A.csv", "score A.csv", "utility", "attack", "attack A.csv", "attack T.csv A.csv B.csv"],
)
def test_tables_that_miss_are_asked_for(line: str) -> None:
    done = command("pwscup", *line.split())
    assert (done.code, done.out) == (2, "")
    assert re.match(r"duckrisk: (No(thing)? .* given.*; name|Name) ", done.err)
    assert done.err.count("\n") == 1


def test_what_is_written_is_what_the_commands_write() -> None:
    written: Result = pwscup.partial_knowledge("T.csv", "t25.csv", alpha=25, seed=4)
    assert written.to_dict()["filled"] == round(0.25 * written.to_dict()["records"])
    lines = [
        "partial-knowledge T.csv --alpha 25 --seed 4 -o t25",
        "pseudonyms T.csv A.csv --master M.csv -o f",
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


def read(name: str) -> list[oracle.Row | None]:
    lines = [line.split(",") for line in Path(name).read_text(encoding="utf-8").splitlines()]
    return [None if cells[0] == "DEL" else oracle.Row(*cells) for cells in lines]


def misplaced(original: oracle.Table, release: oracle.Table) -> int:
    """Records that another user has in the period, cell for cell, and that are not the one in their place."""
    held = {(row[2:], row.user) for row in original if row is not None}
    return sum(
        own is not None
        and row is not None
        and row[2:] != own[2:]
        and any(cells == row[2:] and user != own.user for cells, user in held)
        for own, row in zip(original, release, strict=True)
    )


#: Yamaoka's anonymisation by hand: two users with two records in January, and 103 with a number of its own.
PLACES = [
    ("101", "2011/1/5", "A"), ("102", "2011/1/9", "B"), ("101", "2011/1/6", "C"),
    ("102", "2011/1/9", "D"), ("103", "2011/1/7", "A"), ("102", "2011/2/1", "E"),
]  # fmt: skip


def test_false_order_by_hand() -> None:
    """101 and 102 change places in January, in the order of their records; nobody else can."""
    rows = [oracle.Row(user, "0", day, "9:00", item, "1.00", "1") for user, day, item in PLACES]
    oracle.write(Path("O.csv"), rows)
    written = pwscup.anonymize("O.csv", "Y.csv", false_order=True, seed=3)
    assert any("places of another" in line for line in written.to_text(10_000).splitlines())
    release = read("Y.csv")
    assert [row.item for row in release if row is not None] == ["B", "A", "D", "C", "A", "E"]
    names = [row.user for row in release if row is not None]
    assert names[0] == names[2]
    assert names[1] == names[3]
    assert len(set(names)) == 4
    found = pwscup.check("O.csv", "Y.csv")
    assert found.passed
    assert found.tables[0].evidence.misplaced_records == 4 == misplaced(rows, release)
    assert "Yamaoka" in found.to_text(10_000)
    assert "山岡匿名化" in found.to_text(10_000, "ja")
    pwscup.anonymize("O.csv", "H.csv", seed=3)
    honest = pwscup.check("O.csv", "H.csv")
    assert honest.tables[0].evidence.misplaced_records == 0
    assert "Yamaoka" not in honest.to_text(10_000)
    # Who links by what records hold is right, and scored as wrong.
    rates = [pwscup.attack("O.csv", one, attacks=["combined"], alphas=[100]) for one in ("H.csv", "Y.csv")]
    assert [one.attacks[0].rates.row for one in rates] == [1, pytest.approx(2 / 6)]


@pytest.mark.parametrize("seed", range(2))
def test_misplaced_records_as_defined(seed: int) -> None:
    original, _ = oracle.contest(seed, customers=15, most=3)
    oracle.write(Path("O.csv"), original)
    pwscup.anonymize("O.csv", "Y.csv", false_order=True, delete_rare_items=2, seed=seed)
    oracle.write(Path("P.csv"), oracle.submission(original, seed, dates=0.3, items=0.3, deleted=0.2))
    for name in ("Y.csv", "P.csv"):
        table = pwscup.check("O.csv", name).tables[0]
        assert table.evidence.misplaced_records == misplaced(original, read(name)), name
    # All records are there, under as many pseudonyms.
    pwscup.anonymize("O.csv", "H.csv", delete_rare_items=2, seed=seed)
    honest, false = ([row and row[2:] for row in read(name)] for name in ("H.csv", "Y.csv"))
    assert sorted(map(str, honest)) == sorted(map(str, false))
    assert {row.user for row in read("Y.csv") if row} == {row.user for row in read("H.csv") if row}


def test_table_of_2016() -> None:
    """It begins in a December and ends in the next: 13 months, and one pseudonym for all of them."""
    lines = shared("pwscup/2016/Trans400.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    assert len(lines) == 38_087
    Path("O.csv").write_text("".join(lines[::13]), encoding="utf-8")
    pwscup.anonymize("O.csv", "Y.csv", life=None, perturb_dates=0.3, seed=1)
    found = pwscup.check("O.csv", "Y.csv")
    assert found.passed
    assert (found.original.records, found.original.periods) == (2930, 13)
    assert found.tables[0].evidence.most_periods == 13
    pwscup.pseudonyms("O.csv", "Y.csv", "G.csv")
    assert {len(line.split(",")) for line in Path("G.csv").read_text(encoding="utf-8").split()} == {14}


def test_lists_are_lists() -> None:
    with pytest.raises(UsageError, match="attacks must be a list"):
        pwscup.attack("T.csv", "A.csv", attacks="combined")
    with pytest.raises(UsageError, match="guesses must be a list"):
        pwscup.check("T.csv", guesses="F.csv")


def test_every_command_has_a_documented_function_of_plain_keywords() -> None:
    commands = [one.callback for one in app.registered_commands if one.callback is not None]
    assert pwscup.__all__ == sorted(one.__name__ for one in commands)
    for name in pwscup.__all__:
        function = getattr(pwscup, name)
        kinds = {one.kind for one in inspect.signature(function).parameters.values()}
        assert inspect.getdoc(function)
        assert inspect.Parameter.VAR_KEYWORD not in kinds
        assert {one.name for one in fields(Resources)} <= inspect.signature(function).parameters.keys()
