"""A release that keeps a policy: done as advised, judged as written, and nothing left where it cannot be."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pandas
import pytest

import duckrisk
from duckrisk.base.errors import NotReachedError, UsageError
from duckrisk.base.results import in_english
from duckrisk.decision import assessment
from duckrisk.decision.assessment.verdict import HISTORY_LIMITS
from duckrisk.decision.policy import LIMITS
from duckrisk.release.advice.publication import Publication
from duckrisk.roles import user_choice
from tests.command import command, everything, refused
from tests.judging import annotations, sarif
from tests.tables import connect, thinned

#: The parts that a verdict hangs on.
JUDGED = [word for part in assessment.VERDICT_PARTS for word in ("--only", part)]
TO_PUBLIC = ("anonymize", "--to-policy", "public")


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [f"p{n}@example.org,{20 + n * 7 % 60},c{n * n % 9},{'fm'[n % 2]}" for n in range(400)]
    (tmp_path / "people.csv").write_text("email,age,city,sex\n" + "\n".join(rows) + "\n")
    return tmp_path


@pytest.mark.slow
def test_keys_in_several_writings_are_one_in_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """150 people with two writings each get 150 pseudonyms, by the recipe again; a comparison counts 150."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{'Ss'[i // 150 % 2]}{i % 150:04},{'MF'[i % 2]},{'ABC'[i % 3]}" for i in range(600)]
    Path("t.csv").write_text("staff_id,sex,department\n" + "\n".join(rows) + "\n")
    told = command(*TO_PUBLIC, "t.csv", "-o", "r.csv", "--identifier", "staff_id", "--fold-keys")
    assert "of 150 people" in told.out, told.err
    assert command("anonymize", "t.csv", "-o", "again.csv", "--recipe", "r.csv.recipe.toml").code == 0
    for name in ("r.csv", "again.csv"):
        assert pandas.read_csv(name)["staff_id"].nunique() == 150
    Path("copy.csv").write_text(Path("t.csv").read_text())
    compared = duckrisk.compare("t.csv", "copy.csv", fold_keys=True, only=["risk"]).tables
    assert [table.people.people for table in compared] == [150, 150]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "least"), thinned([("public", 11), ("internal", 3)]))
def test_the_release_keeps_the_policy(people: Path, name: str, least: int) -> None:
    done = command("anonymize", "people.csv", "-o", "out.csv", "--to-policy", name)
    assert done.code == 0, done.err
    assert f'keeps the policy "{name}"' in done.out
    made = pandas.read_csv("out.csv", dtype=str).fillna("")
    assert "email" not in made
    assert made.groupby(list(made.columns)).size().min() >= least
    assert (
        command("anonymize", "people.csv", "-o", "again.csv", "--recipe", "out.csv.recipe.toml", "-q").code
        == 0
    )
    assert Path("again.csv").read_bytes() == Path("out.csv").read_bytes()


@pytest.mark.slow
def test_a_release_of_texts_alone_has_column_names(people: Path) -> None:
    """Names that look like none, over columns that are all texts: a release is known to begin with them."""
    rows = "".join(f"{18 + n * n % 61},{'fm'[n % 2]},{'kno'[n % 3]}\n" for n in range(600))
    (people / "people.csv").write_text(rows)
    made = command(*TO_PUBLIC, "people.csv", "-o", "out.csv", "--user", "", "--method", "local")
    assert made.code == 0, made.err
    header, *records = (people / "out.csv").read_text().splitlines()
    assert header.split(",") == ["c0", "c1", "c2"]
    told = command("assess", "out.csv", "--user", "", "--format", "json", "--only", "uniqueness")
    assert (told.code, told.json["source"]["records"]) == (0, len(records)), told.err
    (people / "out.csv.recipe.toml").rename(people / "elsewhere.toml")
    refused(3, "give --header", arguments=("assess", "out.csv"))


@pytest.mark.parametrize("kind", ["TIME", "TIMESTAMP"])
def test_seconds_are_seen_by_advice_and_assessment(people: Path, kind: str) -> None:
    """Every second stands in the table a few times, every minute some hundred times."""
    at = f"CAST(TIMESTAMP '2020-01-01 12:00:00' + TO_SECONDS(i % 59) AS {kind})"
    with connect() as connection:
        connection.execute(f"COPY (SELECT {at} AS at, i % 2 AS g FROM RANGE(300) AS r(i)) TO 'times.parquet'")
    found = duckrisk.anonymize("times.parquet", "out.csv", to_policy="public", user="")
    assert found.policy is not None
    made = pandas.read_csv("out.csv", dtype=str)
    assert made.groupby(list(made.columns)).size().min() == found.policy.smallest_class >= 11


@pytest.mark.slow
def test_a_disk_that_gives_no_file_a_second_name(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A memory stick has no links: the release is written, and judged, all the same."""

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    found = duckrisk.anonymize("people.csv", "out.csv", to_policy="shared")
    assert found.policy is not None
    assert sorted(path.name for path in people.iterdir()) == ["out.csv", "out.csv.recipe.toml", "people.csv"]


@pytest.mark.slow
def test_the_result_says_what_it_cost(people: Path) -> None:
    found = duckrisk.anonymize("people.csv", "out.parquet", to_policy="shared")
    assert found.policy is not None
    assert (found.policy.verdict.outcome, found.policy.singled_out, found.policy.people_before) == (
        "pass_if",
        0,
        400,
    )
    assert found.policy.smallest_class >= 5
    assert 0.5 < found.policy.detail.detail_left < 1
    with pytest.raises(UsageError, match="to_policy chooses"):
        duckrisk.anonymize("people.csv", "b.csv", to_policy="shared", steps=[{"method": "shuffle"}])


def test_what_cannot_be_reached_leaves_nothing(people: Path) -> None:
    (people / "few.csv").write_text("age,city\n1,a\n2,b\n3,c\n")
    refused(1, "keeps the policy", "nothing was written", arguments=(*TO_PUBLIC, "few.csv", "-o", "x.csv"))
    refused(
        2, "leave out the other methods", arguments=(*TO_PUBLIC, "people.csv", "-o", "x.csv", "--drop", "age")
    )
    into = ("--into", "x.duckdb", "--into-table", "t")
    refused(2, "writes a file", arguments=(*TO_PUBLIC, "people.csv", *into))


@pytest.mark.parametrize(
    ("content", "step", "told", "forms"),
    [
        (
            "age,city\n1,a\n2,b\n3,c\n",
            None,
            "a class needs 11 people, and it has 3",
            ["sarif", "github", "json"],
        ),
        (None, "suppress", "would not keep the policy", thinned(["sarif", "github", "json"], 3)),
    ],
)
def test_a_pipeline_is_told_that_no_release_keeps_the_policy(
    people: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: str | None,
    step: str | None,
    told: str,
    forms: list[str],
) -> None:
    """Whether that is seen before anything is written or in what was written: no release is left, and the
    files that a pipeline reads hold one failure each."""
    if content is not None:
        (people / "people.csv").write_text(content)
    if step is not None:
        planned = Publication.list_steps
        monkeypatch.setattr(
            Publication, "list_steps", lambda *of: [s for s in planned(*of) if s.method == step][:1]
        )
    asked = (*TO_PUBLIC, "people.csv", "-o", "out.csv", "--junit", "junit.xml")
    before = set(everything(people))
    for form in forms:
        ended = command(*asked, "--format", form)
        assert ended.code == 1
        assert told in ended.err
        assert {path.name for path in people.iterdir()} == {"people.csv", "junit.xml"}
        suite = ET.parse(people / "junit.xml").getroot().find("testsuite")
        assert suite is not None
        assert (suite.attrib["tests"], suite.attrib["failures"]) == ("1", "1")
        (failure,) = suite.findall("testcase/failure")
        assert told in failure.attrib["message"]
        if form == "sarif":
            (result,) = sarif(ended.out)
            assert (result["level"], result["ruleId"]) == ("error", "not_reached")
            assert told in result["message"]["text"]
        elif form == "github":
            ((level, file, _, message),) = annotations(ended.out)
            assert (level, file) == ("error", "people.csv")
            assert told in message
        else:
            assert ended.out == ""
    assert set(everything(people)) - before == {"junit.xml"}


@pytest.mark.slow
def test_a_release_that_keeps_the_policy_is_a_case_that_was_passed(people: Path) -> None:
    done = command(*TO_PUBLIC, "people.csv", "-o", "out.csv", "--junit", "junit.xml", "-q")
    assert done.code == 0, done.err
    (case,) = ET.parse(people / "junit.xml").getroot().findall("testsuite/testcase")
    assert (case.attrib["name"], len(case)) == ('policy "public"', 0)


@pytest.mark.slow
def test_gates_look_at_what_the_release_was_assessed_to_be(people: Path) -> None:
    """And nothing is left where one fails, though the policy is kept."""
    asked = [*TO_PUBLIC, "people.csv", "-o", "out.csv", "--format", "json", "--method", "local"]
    undeclared = command(*asked, "--fail-on", "policy")
    assert (undeclared.code, [gate["passed"] for gate in undeclared.json["gates"]]) == (1, [False])
    asked += [word for name in ("age", "city", "sex") for word in ("--quasi-identifier", name)]
    before = everything(people)
    failed = command(*asked, "--fail-on", "policy.smallest_class >= 11", "--fail-on", "policy")
    assert failed.code == 1, failed.err
    assert (failed.json["written"], failed.json["policy"]["verdict"]["outcome"]) == (False, "pass_if")
    assert [gate["passed"] for gate in failed.json["gates"]] == [False, True]
    assert everything(people) == before
    passed = command(*asked, "--fail-on", "policy.singled_out > 0")
    assert (passed.code, passed.json["written"]) == (0, True), passed.err
    (people / "old.json").write_text(passed.out)
    again = command(*asked, "--overwrite", "--baseline", "old.json")
    assert {one["figure"] for one in again.json["baseline"]["figures"]} == {
        name for name in LIMITS if name not in (*HISTORY_LIMITS, "sensitive_disclosed")
    }


def test_a_release_that_is_found_unsafe_when_read_is_not_kept(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was planned: what counts is what was written."""
    steps = Publication.list_steps
    dropped = "suppress"
    monkeypatch.setattr(
        Publication, "list_steps", lambda *of: [s for s in steps(*of) if s.method == dropped][:1]
    )
    (people / "old.csv").write_text("what was there before")
    with pytest.raises(NotReachedError, match="would not keep"):
        duckrisk.anonymize("people.csv", "old.csv", to_policy="public", overwrite=True)
    assert (people / "old.csv").read_text() == "what was there before"
    assert sorted(path.name for path in people.iterdir()) == ["old.csv", "people.csv"]


@pytest.mark.slow
def test_a_release_stays_undecided_where_it_hangs_on_a_guess(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_choice, "_rate_records_as_persons", lambda *_: "guess")
    refused(1, "is a guess", arguments=(*TO_PUBLIC, "people.csv", "-o", "x.csv"))


@pytest.mark.slow
@pytest.mark.parametrize("name", thinned(["employee_no", "MRN"]))
def test_a_release_has_new_names_for_people(people: Path, name: str) -> None:
    """Nothing shows that the numbers of a table lead to nobody; a patient's number is known to."""
    rows = [f"{70_000 + n * 13},{'fm'[n % 2]},{n % 5},{(n * 7919) % 3001}.5" for n in range(1200)]
    (people / "staff.csv").write_text(f"{name},sex,site,pay\n" + "\n".join(rows * 2) + "\n")
    before = command("assess", "staff.csv", *JUDGED, "--format", "json").json
    assert before["source"]["user"] == name
    assert before["verdict"]["findings"][0]["value"] == (name == "MRN")
    assert command(*TO_PUBLIC, "staff.csv", "-o", "out.csv", "-q", "--method", "local").code == 0
    made = pandas.read_csv("out.csv", dtype=str)
    original = pandas.read_csv("staff.csv", dtype=str)
    assert not any(set(made[column]) & set(original[column]) for column in (name, "pay"))
    after = command("assess", "out.csv", *JUDGED, "--format", "json").json
    assert (after["verdict"]["outcome"], after["verdict"]["assumptions"]) == ("pass", [])
    assert after["source"]["columns"][0]["kind"] == "pseudonym"
    (people / "out.csv.recipe.toml").write_text("no recipe [")
    again = command("assess", "out.csv", *JUDGED, "--format", "json").json["verdict"]
    assert again["outcome"] == ("fail" if name == "MRN" else "undecided")
    said = [text for text in again["undecided_because"] if f"--pseudonym {name}" in text]
    assert len(said) == (name != "MRN")


@pytest.mark.slow
def test_what_keeps_the_policy_is_not_made_coarser(people: Path) -> None:
    rows = [f"p{n * n % 500}@example.org,2024-01-{n * 31 % 28 + 1:02d},c{n % 4}" for n in range(4000)]
    (people / "visits.csv").write_text("email,visit_day,clinic\n" + "\n".join(rows) + "\n")
    # What the visits of a person are together nobody else has: only rows without the link keep the policy.
    found = duckrisk.anonymize("visits.csv", "out.csv", to_policy="public", user="email", method="local")
    assert '"email"' in " ".join(map(in_english, found.notes))
    assert "email" not in pandas.read_csv("out.csv")
    limits = {"name": "public", "unique_histories": 1, "smallest_history": 1}
    advice = duckrisk.advise("visits.csv", user="email", policy=limits)
    passes = [line.people is not None and line.people.verdict.is_kept for line in advice.lines]
    assert passes == [False] + [True] * (len(passes) - 1)


@pytest.mark.slow
def test_what_keeps_the_policy_as_it_is_says_the_assessment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Say that there is nothing to do only where ``assess`` passes the table, whatever advice counts.

    In each region (sex, smoker) is (1, 2) or (2, 1) 100 times each, and (1, 1) or (2, 2) 6 times each.
    """
    monkeypatch.chdir(tmp_path)
    pairs = ["1,2"] * 100 + ["2,1"] * 100 + ["1,1"] * 6 + ["2,2"] * 6
    rows = "".join(f"{region},{pair}\n" for region in "NS" for pair in pairs)
    Path("coded.csv").write_text("region,sex,smoker\n" + rows)
    asked = ("coded.csv", "--user", "", "--format", "json")
    exceeded = [("smallest_class", 6.0)]
    for command_name in ("assess", "advise"):
        told = command(command_name, *asked).json
        verdict = told["verdict"] if command_name == "assess" else told["lines"][0]["people"]["verdict"]
        assert [(f["name"], f["value"]) for f in verdict["findings"] if not f["met"]] == exceeded
    assert command(*TO_PUBLIC, "coded.csv", "-o", "out.csv", "--user=", "--method", "local", "-q").code == 0
    made = pandas.read_csv("out.csv")
    assert made.groupby(list(made.columns)).size().min() >= 11


@pytest.mark.slow
def test_what_is_undecided_as_it_is_is_not_said_to_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{'NS'[n % 2]},{n % 3}\n" for n in range(600))
    Path("guessed.csv").write_text("region,sex\n" + rows)
    monkeypatch.setattr(user_choice, "_rate_records_as_persons", lambda *_: "guess")
    told = command("advise", "guessed.csv", "--format", "json").json
    assessed = command("assess", "guessed.csv", "--format", "json").json
    assert len(told["lines"]) == 1
    assert told["lines"][0]["people"]["verdict"] == assessed["verdict"]
    assert assessed["verdict"]["outcome"] == "undecided"
    refused(1, "is a guess", arguments=(*TO_PUBLIC, "guessed.csv", "-o", "no.csv"))
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    refused(2, "keeps the limits", arguments=(*TO_PUBLIC, "guessed.csv", "-o", "no.csv", "--user", ""))


@pytest.mark.parametrize("name", ["cities", '"', "ＡＧＥ"])
def test_the_importance_of_no_column_is_refused(people: Path, name: str) -> None:
    """It would weigh nothing, without a word."""
    refused = command(*TO_PUBLIC, "people.csv", "-o", "out.csv", "--importance", f"{name}=2")
    assert refused.code == 2
    assert f'has no column "{name}"' in refused.err
    assert not (people / "out.csv").exists()


@pytest.mark.slow
def test_a_sensitive_number_is_left_out_where_numbers_become_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Intervals leave "bonus" out; so do bounds, whose release calls it "bonus_from" and "bonus_to"."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + n * 7 % 60},{'fm'[n % 2]},{7 if n % 3 else n % 25}" for n in range(600)]
    Path("t.csv").write_text("age,sex,bonus\n" + "\n".join(rows) + "\n")
    for numbers in ("interval", "bounds"):
        name = f"{numbers}.csv"
        options = ("--least-detail", "0%", "--method", "local", "--numbers", numbers)
        done = command(*TO_PUBLIC, "t.csv", "-o", name, "--user", "", *options)
        assert done.code == 0, done.err
        assert '"bonus" is left out' in " ".join(done.out.split())
        assert not [column for column in pandas.read_csv(name) if column.startswith("bonus")]
