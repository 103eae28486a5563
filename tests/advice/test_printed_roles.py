"""Printed commands carry the roles that the verdict rests on, and do what they promise."""

from __future__ import annotations

import random
from pathlib import Path

import pandas
import pytest

from tests.command import command
from tests.tables import thinned
from tests.test_loop import printed


@pytest.fixture
def staff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    draw = random.Random(3)
    lines = ["name,gender,department,age,salary"]
    for number in range(600):
        pay = 30_000 + draw.randint(0, 3_000) * 7
        row = (
            f"p{number}@example.org",
            draw.choice("fm"),
            draw.choice("abcd"),
            draw.choice([20, 30, 40]),
            pay,
        )
        lines.append(",".join(map(str, row)))
    (tmp_path / "staff.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    "roles",
    thinned(
        [
            ["--user=", "--insensitive", "salary", "--quasi-identifier", "age"],
            ["--user=", "--insensitive", "salary", "--keep", "department"],
            ["--user=", "--insensitive", "salary"],
        ],
        3,
    ),
)
def test_the_command_of_an_advice_makes_what_it_promises(staff: Path, roles: list[str]) -> None:
    advised = command("advise", "staff.csv", "--policy", "shared", *roles)
    assert advised.code == 0, advised.err
    words = printed(advised.out, "anonymize", "--to-policy")
    assert [word for word in roles if word not in words] == []
    made = command(*words[1:])
    assert made.code == 0, made.err
    release = pandas.read_parquet("release.parquet")
    assert "salary" in release
    assert "name" not in release
    again = command("assess", "release.parquet", "--policy", "shared", *roles, "--format", "json").json
    assert again["verdict"]["outcome"] == "pass_if"
    compared = printed(made.out + made.err, "compare", "--fail-on")
    assert [word for word in roles if word not in compared] == []


@pytest.mark.slow
def test_a_narrowed_advice_promises_nothing(staff: Path) -> None:
    """The columns that --attribute leaves out stay in the file."""
    asked = ("staff.csv", "--user=", "--attribute", "gender", "--attribute", "department")
    told = command("advise", *asked, "--format", "json").json
    assert (len(told["lines"]), told["reached"]) == (1, False)
    assert all('"age", "salary"' in note for note in told["notes"] if note.startswith("No release"))
    refused = command("anonymize", *asked, "-o", "r.csv", "--to-policy", "public", "--method", "local")
    assert refused.code == 1
    assert "nothing was written" in refused.err


@pytest.mark.slow
def test_an_ignored_column_is_in_no_release_that_keeps_a_policy(staff: Path) -> None:
    (staff / "duckrisk.toml").write_text('[columns]\nsalary = "ignored"\n')
    refused = command("anonymize", "staff.csv", "-o", "r.csv", "--to-policy", "internal", "--user=")
    assert (refused.code, (staff / "r.csv").exists()) == (1, False)
    assert '"salary" was left out of the check but is still in the file' in refused.err
    (staff / "duckrisk.toml").unlink()
    by_hand = command("anonymize", "staff.csv", "-o", "r.csv", "--drop", "name", "-q")
    assert by_hand.code == 0
    (staff / "duckrisk.toml").write_text('[columns]\nsalary = "ignored"\n')
    for asked in (["assess", "r.csv"], ["compare", "staff.csv", "r.csv"]):
        judged = command(*asked, "--user=", "--policy", "internal", "--fail-on", "policy", "-q")
        assert judged.code == 1, asked
