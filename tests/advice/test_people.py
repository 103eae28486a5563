"""Advice for people: each release that is listed keeps the policy, and its command makes what it says."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas
import pytest

import duckrisk
from duckrisk.base.errors import UsageError
from duckrisk.decision import policy
from duckrisk.release import advice
from tests.advice.test_printed_commands import pairs, printed
from tests.command import ROOT, command, measured_once
from tests.tables import thinned

METHODS = ("local", "uniform", "columns")
#: People in a class of local recoding that is five times as large.
LARGER = {"public": 55, "shared": 25, "internal": 15}


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 300 people with an e-mail each, all different."""
    path = tmp_path_factory.mktemp("people") / "people.csv"
    lines = ["email,age,city,income"]
    for n in range(300):
        cells = (f"p{n}@example.org", 20 + n * 7 % 60, f"city {n * n % 9}", 1000 + n * 37 % 400 * 10)
        lines.append(",".join(map(str, cells)))
    path.write_text("\n".join(lines) + "\n")
    return path


def told(source: Path, *words: str) -> dict[str, Any]:
    done = command("advise", source, "-q", "--format", "json", *words)
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


@cache
def answered(source: Path, name: str) -> tuple[dict[str, Any], str]:
    """Advise for a policy once, as several tests read it: its JSON, and its screen."""
    with measured_once(advice):
        return told(source, "--policy", name), command("advise", source, "-q", "--policy", name).out


@cache
def released(source: Path, name: str) -> list[tuple[dict[str, Any], int, Path]]:
    """Type each command that an advice prints: its line, the people that stand over it, its release."""
    found, shown = answered(source, name)
    left, made_by = found["lines"][1:], []
    for place, (words, least) in enumerate(zip(printed(shown), promised_of(shown), strict=True)):
        (line,) = (one for one in left if pairs(one["options"]) == pairs(words))
        left.remove(line)
        release = words[words.index("-o") + 1] = str(source.with_name(f"{name} {place}.csv"))
        # Means of bands are no values of the original; intervals are the same forms.
        words += ["--numbers", "interval"] * (line["method"] == "uniform")
        done = command(*words[1:], "-q")
        assert done.code == 0, done.err
        made_by.append((line, least, Path(release)))
    assert left == []
    return made_by


@pytest.fixture(scope="module")
def advised(people: Path) -> dict[str, Any]:
    """The advice for the public."""
    return answered(people, "public")[0]


@pytest.fixture(scope="module")
def shown(people: Path) -> str:
    """The same advice as a screen."""
    return answered(people, "public")[1]


def made(source: Path, options: Sequence[str], *more: str) -> Path:
    """Make a release by the options of a line."""
    release = source.with_name("release.csv")
    done = command("anonymize", source, "-o", release, "-q", "--overwrite", *options, *more)
    assert done.code == 0, done.err
    return release


def smallest_class(release: Path, user: str | None = None) -> int:
    """Count the people of the smallest class, each record being one if there is no user."""
    frame = pandas.read_csv(release, dtype=str).fillna("")
    classes = frame.groupby([name for name in frame if name != user])
    return int((classes.size() if user is None else classes[user].nunique()).min())


def promised_of(shown: str) -> list[int]:
    """Read the smallest class that stands over each command."""
    return [int(n) for n in re.findall(r", (\d+) people or more", shown.partition("The commands")[2])]


@pytest.mark.slow
@pytest.mark.parametrize("name", thinned(policy.PRESETS, 3))
def test_every_release_is_what_its_command_makes(people: Path, name: str) -> None:
    """Made as printed: people, classes by brute force, records, the verdict, and the detail."""
    found, _ = answered(people, name)
    first, *releases = found["lines"]
    assert (found["stop_reason"], found["reached"], found["policy"]) == ("policy", True, name)
    assert (first["people"]["verdict"]["outcome"], first["options"]) == ("fail", [])
    assert first["people"]["singled_out"] == 300
    assert sorted(line["method"] for line in releases) == sorted([*METHODS, "local"])
    left = [line["detail_left"] for line in releases]
    assert left == sorted(left)
    assert left[-1] < 1 == first["detail_left"]
    for line, _, release in released(people, name):
        least = LARGER[name] if "--k" in line["options"] else LARGER[name] // 5
        frame = pandas.read_csv(release)
        assert "email" not in frame
        assert len(frame) == line["records"] == line["people"]["people"] >= 285
        assert smallest_class(release) == line["people"]["smallest_class"] == line["below"] >= least
        assert (line["people"]["singled_out"], line["people"]["singled_out_share"]) == (0, 0)
        again = command(
            "assess", release, "--policy", name, "--user=", "--format", "json", "-q", "--quick"
        ).json
        assert again["verdict"]["outcome"] == line["people"]["verdict"]["outcome"] == "pass_if"
        compared = duckrisk.compare(people, release, user="", only=["information"]).releases[0].information
        assert compared is not None
        assert compared.detail.detail_left == pytest.approx(line["detail_left"], abs=1e-9), line["options"]
        assert compared.detail.columns == line["columns"]


@pytest.mark.slow
def test_larger_classes_are_asked_for_by_their_size(advised: dict[str, Any]) -> None:
    """The only line with a number of people, which is five times that of the policy."""
    lines = advised["lines"][1:]
    (larger,) = (line for line in lines if "--k" in line["options"])
    assert larger["options"][larger["options"].index("--k") + 1] == "55"
    (plain,) = (line for line in lines if line["method"] == "local" and line is not larger)
    assert larger["people"]["smallest_class"] >= 55
    assert larger["detail_left"] < plain["detail_left"]


def test_one_fact_is_the_risk_of_the_attribute() -> None:
    source = ROOT / "datasets" / "ito_example.csv"
    report = duckrisk.assess(source, only=["attribute_risk"], samples=0, known_records=0, detailed=0)
    expected = max(entry.mean_risk or 0.0 for entry in report.attribute_risk)
    found = duckrisk.advise(source)
    assert found.lines[0].people is not None
    assert math.isclose(found.lines[0].people.one_fact or 0, expected, rel_tol=1e-9)


@pytest.mark.slow
def test_users_are_counted_and_not_their_records(tmp_path: Path) -> None:
    """Of a class of many records of few users nothing is published."""
    source = tmp_path / "visits.csv"
    rows = [f"{n % 40},{n % 3},{'rare' if n % 40 < 2 else 'often'}" for n in range(1200)]
    source.write_text("patient_id,day,kind\n" + "\n".join(rows) + "\n")
    found = told(source, "--user", "patient_id")
    first, *releases = found["lines"]
    assert (found["stop_reason"], first["people"]["people"], len(releases)) == ("policy", 40, 3)
    assert first["people"]["smallest_class"] == 2
    for line in releases:
        release = made(source, line["options"], "--user", "patient_id")
        least = smallest_class(release, "patient_id")
        assert least == line["people"]["smallest_class"] >= 11, line["options"]
        assert pandas.read_csv(release)["patient_id"].nunique() == line["people"]["people"]


def test_too_few_people_cannot_be_hidden(tmp_path: Path) -> None:
    """One sentence says so, whatever the number of methods."""
    source = tmp_path / "few.csv"
    source.write_text("age,city\n" + "\n".join(f"{n},{n % 3}" for n in range(8)) + "\n")
    found = told(source, "--user", "")
    assert (found["stop_reason"], found["reached"], len(found["lines"])) == ("no_step", False, 1)
    (note,) = found["notes"]
    assert "there are too few people" in note
    shown = command("advise", source, "-q", "--user", "").out
    assert "the notes say why" in shown
    assert printed(shown) == []


@pytest.mark.slow
def test_classes_that_are_larger_than_the_table_are_not_tried(tmp_path: Path) -> None:
    source = tmp_path / "some.csv"
    source.write_text("age,sex\n" + "".join(f"{20 + n % 9},{'fm'[n % 2]}\n" for n in range(54)))
    found = told(source, "--user", "")
    assert [line["options"].count("--k") for line in found["lines"]] == [0] * len(found["lines"])
    assert (found["measured"], found["notes"]) == (3, [])


@pytest.mark.slow
def test_a_method_without_a_release_is_in_the_notes(tmp_path: Path) -> None:
    """A number that differs in every record has intervals from class to class, and no other form."""
    source = tmp_path / "readings.csv"
    source.write_text("reading\n" + "\n".join(f"{n * 37 % 400 / 4}" for n in range(400)) + "\n")
    found = told(source, "--user", "")
    assert (found["stop_reason"], found["reached"], found["measured"]) == ("policy", True, 4)
    assert [line["method"] for line in found["lines"]] == [None, "local", "local"]
    assert found["lines"][-1]["detail_left"] > 0.9
    (note,) = found["notes"]
    assert note.startswith("No release by uniform, columns left out: ")
    assert smallest_class(made(source, found["lines"][-1]["options"], "--user", "")) >= 11


@pytest.mark.slow
@pytest.mark.parametrize(("wanted", "sign"), [("detail_left", "useful"), ("smallest_class", "safe")])
def test_the_most_useful_and_the_safest_release_are_marked(
    advised: dict[str, Any], shown: str, wanted: str, sign: str
) -> None:
    lines = advised["lines"][1:]
    key = [line[wanted] if wanted in line else line["people"][wanted] for line in lines]
    mark = {"useful": "(most useful)", "safe": "(safest)"}[sign]
    _, listed, commands = re.split("^The releases$|^The commands$", shown, flags=re.MULTILINE)
    assert " ".join(listed.split()).count("(most") == 1
    assert " ".join(listed.split()).count("(safest)") == 1
    (marked,) = (line for line in commands.splitlines() if mark in line)
    number = re.search(r", (\d+) people or more", marked)
    assert number is not None
    best = next(line for line, value in zip(lines[::-1], key[::-1], strict=True) if value == max(key))
    assert int(number[1]) == best["people"]["smallest_class"]


def test_a_single_release_has_no_mark(tmp_path: Path) -> None:
    source = tmp_path / "scores.csv"
    source.write_text("mail,score\n" + "".join(f"p{n}@a.org,{n % 5}\n" for n in range(50)))
    asked = ("--user", "", "--insensitive", "score")
    found, shown = told(source, *asked), command("advise", source, "-q", *asked).out
    assert [line["method"] for line in found["lines"]] == [None, "columns"]
    assert "(most" not in shown
    (words,) = printed(shown)
    words[words.index("-o") + 1] = str(tmp_path / "out.csv")
    assert command(*words[1:]).code == 0
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == "score"


@pytest.mark.slow
def test_no_two_lines_and_no_two_notes_are_equal(advised: dict[str, Any]) -> None:
    for several in (advised["lines"], advised["notes"]):
        written = [json.dumps(one) for one in several]
        assert len(set(written)) == len(written)
    options = [tuple(line["options"]) for line in advised["lines"]]
    assert len(set(options)) == len(options)


def test_a_target_is_one_of_the_value_of_a_leak(people: Path) -> None:
    target = ("--target", "identifiability.singled_out_share < 0.9", "--steps", "1")
    assert told(people, *target)["objective"] == "value"
    with pytest.raises(UsageError, match="value"):
        duckrisk.advise(people, objective="people", target=target[1])


@pytest.mark.slow
def test_the_commands_that_are_printed_make_the_releases(people: Path, shown: str) -> None:
    """Each stands under its way, with the people of its smallest class; the most useful is the first."""
    commands = printed(shown)
    assert len(commands) == 4
    assert commands[0][commands[0].index("--method") + 1] == "local"
    for _, least, release in released(people, "public"):
        assert smallest_class(release) == least


@pytest.mark.slow
def test_hierarchies_make_the_releases_and_are_in_their_commands(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tree = {f"part {n}": [f"city {place}" for place in range(9) if place % 2 == n] for n in range(2)}
    written = "".join(f'"{name}" = {json.dumps(cities)}\n' for name, cities in tree.items())
    Path("coarse.toml").write_text(f"[hierarchies.city.tree]\n{written}")
    pandas.read_csv(people).drop(columns=["email", "income"]).to_csv("t.csv", index=False)
    shown = command(
        "advise", "t.csv", "-q", "--user=", "--policy", "shared", "--hierarchies", "coarse.toml"
    ).out
    commands = printed(shown)
    assert len(commands) > 1
    for words, least in zip(commands, promised_of(shown), strict=True):
        assert words[words.index("--hierarchies") + 1] == "coarse.toml"
        words[words.index("-o") + 1] = "release.csv"
        assert command(*words[1:], "-q", "--overwrite").code == 0
        assert smallest_class(Path("release.csv")) == least


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        ("age,sex\n" + "30,f\n" * 50, "undecided"),
        ("mail\n" + "".join(f"p{n}@a.org\n" for n in range(50)), "fail"),
    ],
)
def test_where_nothing_can_be_assessed_nothing_is_said_to_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, outcome: str
) -> None:
    """As an assessment says it: columns that are the same for everybody, or identify, are no evidence."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(content)
    found = command("advise", "t.csv", "--format", "json", "--fail-on", "policy")
    assert (found.code, found.json["stop_reason"], found.json["reached"]) == (1, "no_columns", False)
    assert found.json["lines"][-1]["people"]["verdict"]["outcome"] == outcome
    assessed = command("assess", "t.csv", "--format", "json")
    assert assessed.json["verdict"]["outcome"] == outcome
    shown = command("advise", "t.csv").out
    assert "there is nothing to advise" in shown
    assert "smallest class has" not in shown
    assert printed(shown) == []


@pytest.mark.slow
def test_what_hangs_on_a_guess_is_not_said_to_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the command that would be refused is not printed."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("".join(f"{18 + n * n % 61},{'kno'[n % 3]}\n" for n in range(200)))
    with measured_once(advice):
        guessed, found = command("advise", "t.csv").out, told(Path("t.csv"))
    known = command("advise", "t.csv", "--user", "").out
    assert "is a guess" in " ".join(guessed.split())
    assert "keeps the policy" not in " ".join(guessed.partition("No release")[0].split())
    assert "No release by local, uniform, columns left out: " in " ".join(guessed.split())
    assert printed(guessed) == []
    assert found["reached"] is False
    assert "keeps the policy" in " ".join(known.split())
    assert all("--to-policy" in words for words in printed(known))
    assert len(printed(known)) == 4


@pytest.mark.slow
def test_numbers_of_events_single_out_nobody_as_in_an_assessment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are in no release; what is counted before is what assess and compare count."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{90000 + n * 7},{18 + n * n % 61},{'kno'[n % 3]}" for n in range(200)]
    Path("t.csv").write_text("InvoiceNo,age,city\n" + "\n".join(rows) + "\n")
    found = told(Path("t.csv"), "--user", "")
    assessed = command("assess", "t.csv", "--user", "", "--format", "json", "--only", "uniqueness").json
    first, *_, last = found["lines"]
    together = assessed["uniqueness"]["all_attributes"]
    assert 0 < together["people"] < 200
    assert first["people"]["singled_out"] == together["people"]
    assert first["people"]["smallest_class"] == together["smallest_class"]
    assert (last["columns"], last["columns_before"]) == (2, 3)
    assert last["people"]["verdict"]["outcome"] == "pass_if"
    for line in found["lines"][1:]:
        assert "InvoiceNo" not in pandas.read_csv(made(Path("t.csv"), line["options"], "--user", ""))
    only = told(Path("t.csv"), "--user", "", "--ignore", "age")
    assert [line["people"]["verdict"]["outcome"] for line in only["lines"]] == ["undecided"]
    assert (only["reached"], only["lines"][-1]["options"]) == (False, [])
