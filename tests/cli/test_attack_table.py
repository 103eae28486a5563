"""``duckrisk attack TABLE``: the figures of ``assess --only noisy_knowledge``, and what fits no table."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import duckrisk
from tests.command import command


@pytest.fixture
def visits(tmp_path: Path) -> str:
    choose, path = random.Random(5), tmp_path / "visits.csv"
    rows = [
        f"p{n % 40},ward {choose.randrange(9)},2024-0{choose.randrange(1, 7)}-1{choose.randrange(9)},"
        f"{choose.randrange(5, 90)}.5"
        for n in range(400)
    ]
    path.write_text("\n".join(["patient,ward,day,cost", *rows]) + "\n", encoding="utf-8")
    return str(path)


def read(*words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(command(*words, "-q", "--format", "json").out)["noisy_knowledge"]
    return found


def test_two_commands_and_a_function_agree(visits: str) -> None:
    asked = ["--user", "patient", "--noisy-days", "3", "--seed", "2"]
    attacked = read("attack", visits, *asked)
    assert attacked == read("assess", visits, *asked, "--only", "noisy_knowledge")
    called = duckrisk.attack(visits, user="patient", noisy_days=3, seed=2)
    assert called.data["noisy_knowledge"] == attacked
    assert (attacked["unit"], attacked["item"], attacked["dates"], attacked["amounts"]) == (
        *("user", "ward"),
        *(["day"], []),
    )


def test_named_facts_of_a_history(visits: str) -> None:
    found = read("attack", visits, "--user", "patient", "--date", "day", "--item", "ward", "--price", "cost")
    assert (found["item"], found["dates"], found["amounts"], found["band"]) == (
        "ward",
        ["day"],
        ["cost"],
        0.1,
    )
    found = read("attack", visits, "--user", "patient", "--item", "cost")
    assert (found["item"], found["dates"], found["amounts"]) == ("cost", [], [])


def test_each_record_is_a_person(visits: str) -> None:
    found = read("attack", visits, "--user", "")
    assert (found["unit"], found["item"], found["dates"], found["amounts"]) == (
        *("record", None),
        *(["day"], ["cost"]),
    )
    assert {case["known_facts"] for case in found["cases"]} == {1, 2, 4}
    assert {case["candidates"] for case in found["cases"]} == {400}


def test_the_sentence_of_the_verdict(visits: str) -> None:
    """The headline stands in every form, and holds who was asked about, the interval, and the withheld."""
    for form in ("table", "markdown"):
        told = " ".join(command("attack", visits, "--user", "patient", "-q", "--format", form).out.split())
        for piece in ("With 8 facts of a person, 25% of them wrong,", "withheld", "interval", "once in 40"):
            assert piece in told
    japanese = command("attack", visits, "--user", "patient", "-q", "--lang", "ja").out
    assert "1人につき8個の事実を知り" in "".join(japanese.split())
    page = duckrisk.attack(visits, user="patient").to_html()
    assert "What an attacker finds with few and partly wrong facts" in page


def test_no_value_of_a_record(visits: str) -> None:
    for form in ("table", "json", "markdown"):
        assert "ward 1" not in command("attack", visits, "--user", "patient", "-q", "--format", form).out


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--truth", "x.csv"], "--truth is about a release"),
        (["--attack", "combined"], "--attack is about a release"),
        (["--period", "week"], "--period is about a release"),
        (["--invoice", "x"], "--invoice is about a release"),
        (["--show-values"], "--show-values is about a release"),
        (["s.csv", "--user", "a", "--noisy-days", "3"], "--noisy-days is about one table"),
        (["--noisy-days", "-1"], "noisy"),
        (["--noisy-band", "nan"], "noisy"),
        (["--user", "nobody"], "nobody"),
        (["--item", "nothing"], "nothing"),
        (["--fail-on", "suda.records > 1"], "suda"),
    ],
)
def test_what_does_not_fit_is_one_sentence(visits: str, words: list[str], named: str) -> None:
    done = command("attack", visits, *words)
    assert done.code == 2
    assert named in done.err
    assert "Traceback" not in done.err


def test_a_gate_judges(visits: str) -> None:
    asked = ["attack", visits, "--user", "patient", "-q", "--fail-on"]
    assert command(*asked, "noisy_knowledge.cases.best_right_share > 0.01").code == 1
    assert command(*asked, "noisy_knowledge.cases.best_right_share > 1").code == 0
