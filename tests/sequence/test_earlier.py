"""A release is judged with those before it: one function measures, and no ✗ becomes a ✓."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest

import duckrisk
from duckrisk.base.errors import UsageError
from tests.command import command

ROLES: dict[str, Any] = {"user": "u", "quasi_identifiers": ["a"], "insensitive": ["s"], "pseudonym": "u"}
JUDGED: dict[str, Any] = {"only": ["attribute_risk", "uniqueness", "direct_identifiers"], "policy": "shared"}


def release(period: int, people: int = 400) -> pandas.DataFrame:
    """Each of 20 towns holds 20 people; with the period the towns of a person change."""
    towns = [f"town {number % 20 if period == 0 else number // 20}" for number in range(people)]
    return pandas.DataFrame({"u": range(people), "a": towns, "s": [number % 3 for number in range(people)]})


def words(texts: Any) -> str:
    return " ".join(text.key for text in texts)


def test_who_is_alone_in_the_pair_leaves_the_verdict_open() -> None:
    """Each release is 20-anonymous; together town and town name each of the 400 people."""
    first, second = release(0), release(1)
    alone = duckrisk.assess(second, **{**ROLES, **JUDGED})
    assert alone.verdict.is_kept
    assert alone.earlier is None
    both = duckrisk.assess(second, **{**ROLES, **JUDGED}, earlier=[first], key_tables=["", ""])
    sequence = duckrisk.sequence(first, second, **ROLES, key_tables=["", ""])
    assert both.earlier == sequence.together
    assert both.earlier is not None
    assert (both.earlier.hidden, both.earlier.alone, both.earlier.exposed_share) == (400, 400, 1.0)
    assert both.verdict.outcome == "undecided"
    assert "policy.unsettled.earlier" in words(both.verdict.undecided_because)
    assert "policy.earlier" in words(both.verdict.reservations)
    for text in (both.to_text(100), both.to_text(100, "ja"), both.to_markdown(), both.to_html()):
        assert "400" in text
    assert "400 of 400 people hidden in each release (100%)" in " ".join(both.to_text(200).split())
    assert "400 of 400 people hidden in each release (100%)" in " ".join(sequence.to_text(200).split())
    loose = {**JUDGED, "policy": {"name": "shared", "unique_people": 1.0}}
    kept = duckrisk.assess(second, **{**ROLES, **loose}, earlier=[first], key_tables=["", ""])
    assert kept.verdict.is_kept


def test_an_exceeded_limit_stays_exceeded() -> None:
    """Everybody is alone in the last release already."""
    first, second = release(0), release(1).assign(a=[f"street {number}" for number in range(400)])
    without = duckrisk.assess(second, **{**ROLES, **JUDGED})
    together = duckrisk.assess(second, **{**ROLES, **JUDGED}, earlier=[first], key_tables=["", ""])
    assert (without.verdict.outcome, together.verdict.outcome) == ("fail", "fail")
    assert [entry.met for entry in together.verdict.findings] == [
        entry.met for entry in without.verdict.findings
    ]


def test_compare_says_the_same() -> None:
    first, second = release(0), release(1)
    original = second.assign(a=[f"street {number}" for number in range(400)])
    report = duckrisk.compare(
        original,
        second,
        **ROLES,
        policy="shared",
        only=["risk"],
        key="u",
        earlier=[first],
        key_tables=["", ""],
    )
    risk = report.releases[0].risk
    assert risk is not None
    assert risk.people.verdict.outcome == "undecided"
    assert "400 of 400 people hidden in each release" in " ".join(report.to_text(200).split())


def test_new_pseudonyms_need_key_tables() -> None:
    with pytest.raises(UsageError, match="are new, so they cannot be compared"):
        duckrisk.assess(release(1), **{**ROLES, **JUDGED}, earlier=[release(0)])
    with pytest.raises(UsageError, match="1 key table"):
        duckrisk.assess(release(1), **{**ROLES, **JUDGED}, earlier=[release(0)], key_tables=[""])


def test_the_settings_file_names_earlier_releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    release(0).to_parquet("first.parquet")
    release(1).to_parquet("second.parquet")
    settings = 'user = "u"\n[columns]\ns = "insensitive"\n[source]\nearlier = ["first.parquet"]\n'
    Path("duckrisk.toml").write_text(settings, encoding="utf-8")
    given = ["second.parquet", "--policy", "shared", "--only", "uniqueness", "--format", "json"]
    report = command("assess", *given, "-q").json
    assert report["earlier"]["alone"] == 400
    said = command("advise", "second.parquet", "--policy", "shared", "--format", "json")
    assert "are not compared here" in said.err
