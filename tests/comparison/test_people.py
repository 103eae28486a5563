"""Who is singled out in each table of a comparison, beside brute force, and what the policy says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas
import pytest

import duckrisk
from duckrisk.decision.assessment.release_roles import infer_release_roles
from duckrisk.engine.session import Session
from duckrisk.roles import RoleOverrides, infer
from duckrisk.source import Request, open_source
from tests.command import command
from tests.command import table as make


def people(release: pandas.DataFrame) -> tuple[int, int]:
    """Those whom all columns together single out, and the smallest class."""
    sizes = release.groupby(list(release.columns)).size()
    return int((sizes == 1).sum()), int(sizes.min())


def test_the_comparison_leads_with_people(tmp_path: Path) -> None:
    original = pandas.DataFrame(
        {"age": [20 + n * 7 % 31 for n in range(240)], "city": [n * n % 9 for n in range(240)]}
    )
    safe, worse = original.assign(age=[f"[{n // 40 * 40}, ..[" for n in original.age]), original.iloc[:100]
    found = duckrisk.compare(original, safe, worse, user="", only=["risk"], policy="internal")
    for table, frame in zip(found.tables, (original, safe, worse), strict=True):
        assert table.people is not None
        assert (table.people.singled_out, table.people.smallest_class) == people(frame.astype(str))
        exceeded = {one.name for one in table.people.verdict.exceeded}
        assert ("smallest_class" in exceeded) == (people(frame.astype(str))[1] < 3)
    assert [table.people.people for table in found.tables if table.people] == [240, 240, 100]


@pytest.mark.slow
def test_better_and_worse_are_words_with_arrows(tmp_path: Path) -> None:
    rows = [f"{20 + n * 7 % 31},{n * n % 9}" for n in range(240)]
    (tmp_path / "a.csv").write_text("age,city\n" + "\n".join(rows) + "\n")
    (tmp_path / "b.csv").write_text(
        "age,city\n" + "\n".join(f"{20 + n % 2},{n % 9}" for n in range(250)) + "\n"
    )
    done = command("compare", tmp_path / "a.csv", tmp_path / "b.csv", "-q", "--user", "")
    assert done.code == 0, done.err
    first = " ".join(done.out.split("\n\n")[1].split())
    assert first.startswith("b.csv: 0 of 250 people are singled out (before")
    assert "↓ better" in first
    assert "↑ better" in first
    assert "10 records more than the original" in " ".join(done.out.split())
    back = command("compare", tmp_path / "b.csv", tmp_path / "a.csv", "-q", "--user", "").out
    assert "↑ worse" in back
    assert "↓ worse" in back


def test_there_is_one_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an assessment says to a release with the same roles a comparison says too, and the settings give
    both the policy."""
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "o.parquet", "SELECT 20 + i % 9 AS age, 'c' || i % 4 AS city FROM range(360) t(i)")
    make(tmp_path / "r.parquet", "SELECT 20 + i % 3 AS age, 'c' || i % 4 AS city FROM range(360) t(i)")
    roles = 'user = ""\n[columns]\nage = "attribute"\ncity = "attribute"\n'
    asked = ("-q", "--fail-on", "policy", "--format", "json")
    for limit, code, outcome in ((30, 0, "pass_if"), (31, 1, "fail")):
        Path("duckrisk.toml").write_text(f"{roles}[policy]\nsmallest_class = {limit}\none_fact = 0.02\n")
        compared = command("compare", "o.parquet", "r.parquet", "--only", "risk", *asked)
        told = compared.json["tables"][1]["risk"]["people"]
        assert (compared.code, told["verdict"]["outcome"], told["smallest_class"]) == (code, outcome, 30)
        assert told["verdict"] == command("assess", "r.parquet", *asked).json["verdict"]


def test_what_is_undecided_does_not_pass() -> None:
    """Twelve people are too few to speak of, however alike they are."""
    few = pandas.DataFrame({"sex": [*"fm"] * 6, "region": [*"nnss"] * 3})
    given = {"user": "", "only": ["risk"], "policy": {"name": "internal", "smallest_class": 3}}
    found = duckrisk.compare(few, few, fail_on=["policy"], **given)
    people = found.releases[0].people
    assert people is not None
    assert (people.verdict.outcome, people.verdict.exceeded) == ("undecided", ())
    assert [one.key for one in people.verdict.undecided_because] == ["policy.unsettled.few"]
    assert (found.passed, found.gates[0].value) == (False, 1)
    assert "it is undecided" in " ".join(found.to_text().split())


def test_a_guess_in_the_original_is_one_in_the_release() -> None:
    frame = pandas.DataFrame({"sex": [*"fm"] * 12, "region": [*"nnss"] * 6})
    with Session() as session:
        opened = open_source(session, Request(frame))
        found = infer(session, opened, RoleOverrides())
        for decision, confidence in zip(found.decisions, ("guess", "likely"), strict=True):
            decision.confidence = confidence  # type: ignore[assignment]
        read, _ = infer_release_roles(session, replace(found, user_confidence="guess"), opened, ())
    assert [one.confidence for one in read.decisions] == ["guess", "sure"]
    assert read.user_confidence == "guess"


@pytest.mark.slow
def test_a_sorted_release_of_histories_is_matched_with_its_original(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The printed comparison runs on a release in another order, without its user column."""
    monkeypatch.chdir(tmp_path)
    rows = [f"C{n % 300:04},{n * 37 % 90},{'abcd'[n * 7 % 4]}" for n in range(600)]
    Path("buys.csv").write_text("customer_id,price,item\n" + "\n".join(rows) + "\n")
    made = command("anonymize", "buys.csv", "-o", "r.parquet", "--to-policy", "public", "--method", "local")
    assert made.code == 0, made.err
    assert "customer_id" not in pandas.read_parquet("r.parquet")
    table = duckrisk.compare("buys.csv", "r.parquet", only=["risk"]).tables[1]
    assert table.people is not None
    assert (table.people.people, table.people.singled_out) == (300, 0)
    assert table.people.smallest_class >= 11
