"""Advice for people: what is published is counted as by brute force, and the last line keeps the policy."""

from __future__ import annotations

import json
import math
import shlex
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas
import pytest
from duckrisk.release.advice.reaching import PUBLISHED, Way
from duckrisk.release.advice.records import Records
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk import roles
from duckrisk.base.errors import UsageError
from duckrisk.decision import policy
from duckrisk.engine.session import Resources, Session
from duckrisk.source import Request, open_source
from tests.command import command
from tests.tables import LIGHTER, thinned

ROOT = Path(__file__).resolve().parents[2]
Rows = list[tuple[Any, ...]]


def classes_of(rows: Rows, users: bool) -> tuple[int, int, int]:
    """The people alone with all cells of a record, the smallest class, and the records of classes below 3."""
    people: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for number, (user, *cells) in enumerate(rows):
        if user is not None or not users:
            people[tuple(cells)].append(user if users else number)
    sizes = {cells: len(set(several)) for cells, several in people.items()}
    alone = {several[0] for cells, several in people.items() if sizes[cells] == 1}
    small = sum(len(several) for cells, several in people.items() if sizes[cells] < 3)
    return len(alone), min(sizes.values(), default=0), small


CELL = st.one_of(st.none(), st.sampled_from(["a", "A", "é", "?", "x y", "12"]))
NUMBER = st.one_of(st.none(), st.integers(-30, 30))


@LIGHTER
@given(st.lists(st.tuples(st.integers(1, 5), CELL, NUMBER, CELL), min_size=1, max_size=30), st.booleans())
def test_classes_are_those_of_brute_force(rows: Rows, users: bool) -> None:
    """As the table is, with a column left out, with it back, and in intervals: by a change of one column. The
    mark of a missing cell is told from no cell by whoever reads them."""
    frame = pandas.DataFrame(rows, columns=["u", "one", "two", "three"])
    frame["two"] = frame["two"].astype("Int64")
    frame.loc[len(frame)] = [6, "b", 40, "c"]  # no column is constant
    given_roles = tuple((name, "attribute") for name in ("one", "two", "three"))
    overrides = roles.RoleOverrides(
        user="u" if users else "", roles=given_roles, ignore=() if users else ("u",)
    )
    plain: Rows = [(int(u), *cells) for u, *cells in rows] + [(6, "b", 40, "c")]
    with Session(Resources()) as session:
        opened = open_source(session, Request(frame))
        found = roles.infer(session, opened, overrides)
        records = Records(session, found, {}, ("?",), 3)
        assert [column.name for column in records.columns] == ["one", "two", "three"]
        records.start(PUBLISHED, whole=True)
        people = bool(records.several)

        def counted(source: Any) -> tuple[int, int, int]:
            classes = records.classes(source)
            return classes.alone, classes.smallest, classes.small

        assert counted(PUBLISHED) == classes_of(plain, people)
        without = records.changed(PUBLISHED, 0, 0, records.last(0))
        assert counted(without) == classes_of([(u, *cells[1:]) for u, *cells in plain], people)
        for place, (form, written) in enumerate(
            (n, one.written) for n, one in enumerate(records.columns[1].generalizations)
        ):
            if written is not None:
                width = int(written)
                banded = [(u, a, None if b is None else b // width, c) for u, a, b, c in plain]
                assert counted(records.changed(PUBLISHED, 1, 0, form)) == classes_of(banded, people), place
        records.start("nothing", whole=False)
        back = records.changed("nothing", 2, records.last(2), 0)
        assert counted(back) == classes_of([(u, c) for u, _, _, c in plain], people)


def test_cells_that_change_places_are_no_class() -> None:
    """The number of a cell depends on its column, and equal cells of two columns do not cancel out."""
    frame = pandas.DataFrame({"one": ["a", "b", "a", "b"], "two": ["b", "a", "a", "b"]})
    with Session(Resources()) as session:
        opened = open_source(session, Request(frame))
        found = roles.infer(session, opened, roles.RoleOverrides(user=""))
        records = Records(session, found, {}, (), 2)
        records.start(PUBLISHED, whole=True)
        assert records.classes(PUBLISHED).alone == 4


def test_one_fact_is_the_risk_of_the_attribute() -> None:
    source = ROOT / "datasets" / "ito_example.csv"
    report = duckrisk.assess(source, only=["attribute_risk"], samples=0, known_records=0, detailed=0)
    expected = max(entry.mean_risk or 0.0 for entry in report.attribute_risk)
    advice = duckrisk.advise(source, steps=1)
    assert advice.lines[0].people is not None
    assert math.isclose(advice.lines[0].people.one_fact, expected, rel_tol=1e-9)


# --- the way to the policy -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 600 people with an e-mail each, of whom most are alone."""
    path = tmp_path_factory.mktemp("people") / "people.csv"
    lines = ["email,age,city,sex,income"]
    for n in range(600):
        cells = (
            f"p{n}@example.org",
            20 + n * 7 % 60,
            f"city {n * n % 9}",
            "fm"[n % 2],
            1000 + n * 37 % 400 * 10,
        )
        lines.append(",".join(map(str, cells)))
    path.write_text("\n".join(lines) + "\n")
    return path


def steps(source: Path, *words: str) -> dict[str, Any]:
    done = command("advise", source, "-q", "--format", "json", *words)
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


@pytest.mark.parametrize("name", thinned(policy.PRESETS))
def test_the_last_line_keeps_the_policy(people: Path, tmp_path: Path, name: str) -> None:
    """Made by its options, the release has classes as large as the limit, by brute force."""
    found = steps(people, "--policy", name)
    first, last = found["lines"][0]["people"], found["lines"][-1]["people"]
    assert (found["stop_reason"], found["reached"], found["policy"]) == ("policy", True, name)
    assert first["verdict"]["outcome"] == "fail"
    assert first["singled_out"] > 500
    assert found["lines"][1]["among"] + [found["lines"][1]["attribute"]] == ["email"]
    release = tmp_path / "release.csv"
    assert command("anonymize", people, "-o", release, "-q", *found["lines"][-1]["options"]).code == 0
    made = pandas.read_csv(release, dtype=str)
    assert "email" not in made
    sizes = made.fillna("").groupby(list(made.columns)).size()
    assert sizes.min() == last["smallest_class"] >= {"public": 11, "shared": 5, "internal": 3}[name]
    assert len(made) == found["lines"][-1]["records"] >= 570
    left = [line["information"] for line in found["lines"]]
    assert left == sorted(left, reverse=True)


def test_users_are_counted_and_not_their_records(tmp_path: Path) -> None:
    """Of a class of many records of few users nothing is published."""
    source, release = tmp_path / "visits.csv", tmp_path / "release.csv"
    rows = [f"{n % 40},{n % 3},{'rare' if n % 40 < 2 else 'often'}" for n in range(1200)]
    source.write_text("patient_id,day,kind\n" + "\n".join(rows) + "\n")
    found = steps(source, "--user", "patient_id")
    assert found["stop_reason"] == "policy"
    options = found["lines"][-1]["options"]
    assert command("anonymize", source, "-o", release, "-q", *options).code == 0
    made = pandas.read_csv(release)
    cells = [name for name in made if name != "patient_id"]
    assert made.groupby(cells)["patient_id"].nunique().min() >= 11


def test_too_few_people_cannot_be_hidden(tmp_path: Path) -> None:
    source = tmp_path / "few.csv"
    source.write_text("age,city\n" + "\n".join(f"{n},{n % 3}" for n in range(8)) + "\n")
    found = steps(source)
    assert (found["stop_reason"], found["reached"], len(found["lines"])) == ("no_step", False, 1)
    assert "keeps the policy" in command("advise", source, "-q").out


def test_an_interval_that_holds_everything_hides_no_narrower_one(tmp_path: Path) -> None:
    """The widest intervals of 0 to 99.75 are of 128, which tells nothing of anybody; those of 50 do."""
    source = tmp_path / "readings.csv"
    source.write_text("reading\n" + "\n".join(f"{n * 37 % 400 / 4}" for n in range(400)) + "\n")
    found = steps(source, "--user", "")
    assert (found["stop_reason"], found["reached"]) == ("policy", True)
    (step,) = found["lines"][-1]["options"][1::2]
    assert step.startswith("reading=")
    assert found["lines"][-1]["information"] > 0


def test_steps_are_no_more_than_asked_for(people: Path) -> None:
    found = steps(people, "--steps", "2")
    assert (found["stop_reason"], found["reached"], len(found["lines"])) == ("steps", False, 3)


def test_a_target_is_one_of_the_value_of_a_leak(people: Path) -> None:
    target = ("--target", "identifiability.singled_out_share < 0.9", "--steps", "1")
    assert steps(people, *target)["objective"] == "value"
    with pytest.raises(UsageError, match="value"):
        duckrisk.advise(people, objective="people", target=target[1])


def test_the_commands_that_are_printed_make_the_table(people: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    shown = command("advise", people, "-q").out.replace("\\\n", " ")
    lines = [line for line in shown.splitlines() if line.startswith("  duckrisk anonymize")]
    words = shlex.split(
        next(line for line in lines if "--delete-classes-below" in line or "--generalize" in line)
    )
    assert command(*words[1:], "-q").code == 0
    assert (tmp_path / "release.parquet").exists()


def test_time_that_is_over_leaves_what_was_found(people: Path) -> None:
    with Session(Resources()) as session:
        opened = open_source(session, Request(people))
        found = roles.infer(session, opened, roles.RoleOverrides())
        records = Records(session, found, {}, ("",), 11, ("email",))
        way = Way(records, policy.Options(), found.users, ("email",), False, False, 1, until=0.0)
        assert way.reach() is None
        assert way.unfinished


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
    told = command("advise", "t.csv", "--format", "json", "--fail-on", "policy")
    assert (told.code, told.json["stop_reason"]) == (1, "no_columns")
    assert told.json["lines"][-1]["people"]["verdict"]["outcome"] == outcome
    assessed = command("assess", "t.csv", "--format", "json")
    assert assessed.json["verdict"]["outcome"] == outcome
    shown = command("advise", "t.csv").out
    assert "there is nothing to advise" in shown
    assert "smallest class" not in shown


def test_what_hangs_on_a_guess_is_not_said_to_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the command that would be refused is not printed; a limit that was not looked at is not counted as
    kept."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("".join(f"{18 + n * n % 61},{'fm'[n % 2]},{'kno'[n % 3]}\n" for n in range(600)))
    guessed, known = command("advise", "t.csv").out, command("advise", "t.csv", "--user", "").out
    assert "undecided until this is settled" in " ".join(guessed.split())
    assert "--to-policy" not in guessed
    assert "keeps the policy" in " ".join(known.split())
    assert "--to-policy public" in known
    for shown, form in ((guessed, "assess t.csv"), (known, "assess t.csv --user=")):
        exceeded = command(*form.split(), "--format", "json").json["verdict"]["findings"]
        count = sum(finding["met"] is False for finding in exceeded)
        least = int(shown.partition("the table as it is")[2].partition(" exceeded")[0].split()[-1])
        assert least <= count
        assert least == count or "≥" in shown


def test_numbers_of_events_single_out_nobody_as_in_an_assessment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are left out first, whatever else is; what is counted before is what assess and compare count."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{90000 + n * 7},{18 + n * n % 61},{'fm'[n % 2]},{'kno'[n % 3]}" for n in range(600)]
    Path("t.csv").write_text("InvoiceNo,age,sex,city\n" + "\n".join(rows) + "\n")
    found = command("advise", "t.csv", "--user", "", "--format", "json").json
    assessed = command("assess", "t.csv", "--user", "", "--format", "json").json
    first, second, *_, last = found["lines"]
    together = assessed["uniqueness"]["all_attributes"]
    assert 0 < together["people"] < 600
    for line in (first, second):
        assert line["people"]["singled_out"] == together["people"]
        assert line["people"]["smallest_class"] == together["smallest_class"]
    assert (first["information"], second["attribute"]) == (1.0, "InvoiceNo")
    assert second["information"] < 1
    assert last["people"]["verdict"]["outcome"] == "pass_if"
    only = command("advise", "t.csv", "--user", "", "--ignore", "age", "--format", "json").json
    assert [line["people"]["verdict"]["outcome"] for line in only["lines"]] == ["undecided", "undecided"]
    assert only["lines"][-1]["options"] == ["--drop", "InvoiceNo"]
