"""El Emam's four attacks: published figures, the definition, and the report that tells of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk.base.errors import UsageError
from duckrisk.base.options.context import GRADES
from tests.command import command, table
from tests.tables import LIGHT, connect, run

#: Chances of a deliberate attempt by controls and motives, of the guideline of Ontario's commissioner.
CHANCES = {
    "high": (0.05, 0.1, 0.2),
    "medium": (0.2, 0.3, 0.4),
    "low": (0.4, 0.5, 0.6),
}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as made:
        made.execute("CREATE TABLE risks AS SELECT 0.2 AS average_risk, 0.5 AS highest_risk")
        yield made


def attacks(connection: duckdb.DuckDBPyConnection, **context: Any) -> dict[str, dict[str, Any]]:
    settled = {
        "controls": "low", "motives": "high", "prevalence": 1, "acquaintances": 150, "breach": 0.27,
    } | context  # fmt: skip
    return {one.pop("attack"): one for one in run(connection, "plausible_attacks", risks="risks", **settled)}


def test_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    """Ito's reference: 1 - 0.99^150 = 0.7785. With a mean risk of 0.2 and a highest of 0.5."""
    found = attacks(connection, controls="medium", motives="medium", prevalence=0.01)
    assert list(found) == ["deliberate", "inadvertent", "breach", "public"]
    assert found["deliberate"] == {"attempt": 0.3, "average_risk": 0.06, "highest_risk": 0.15}
    assert found["inadvertent"]["attempt"] == pytest.approx(0.7785, abs=5e-5)
    assert found["inadvertent"]["average_risk"] == pytest.approx(0.1557, abs=5e-5)
    assert found["breach"]["average_risk"] == pytest.approx(0.054)
    assert found["public"] == {"attempt": 1.0, "average_risk": 0.2, "highest_risk": 0.5}


@pytest.mark.parametrize(
    ("cases", "population", "published"),
    [(400e3, 212e6, 0.25), (400e3, 317e6, 0.17), (2.3e6, 4.7e9, 0.07), (2.3e6, 7.2e9, 0.05)],
)
def test_acquaintances_as_published(connection, cases, population, published) -> None:
    """People with multiple sclerosis in the United States and in the world, in the guide of PHUSE."""
    found = attacks(connection, prevalence=cases / population)
    assert round(found["inadvertent"]["attempt"], 2) == published


@pytest.mark.parametrize("controls", GRADES)
@pytest.mark.parametrize("motives", GRADES)
def test_deliberate(connection: duckdb.DuckDBPyConnection, controls: str, motives: str) -> None:
    found = attacks(connection, controls=controls, motives=motives)
    assert found["deliberate"]["attempt"] == CHANCES[controls][GRADES.index(motives)]
    assert found["inadvertent"]["attempt"] == 1  # nobody said how rare such people are


@LIGHT
@given(prevalence=st.floats(0, 1), known=st.integers(0, 500), breach=st.floats(0, 1))
def test_oracle(connection, prevalence, known, breach) -> None:
    found = attacks(connection, prevalence=prevalence, acquaintances=known, breach=breach)
    nobody = (1 - Fraction(prevalence)) ** known
    assert math.isclose(found["inadvertent"]["attempt"], 1 - nobody, rel_tol=1e-9, abs_tol=1e-12)
    for one in found.values():
        assert 0 <= one["attempt"] <= 1
        assert one["average_risk"] == pytest.approx(0.2 * one["attempt"])
        assert one["highest_risk"] == pytest.approx(0.5 * one["attempt"])
    # DuckDB 1.5 reads the last digit of some numbers differently.
    assert math.isclose(found["breach"]["attempt"], breach, rel_tol=1e-15)


PEOPLE = "SELECT i // 2 AS age, 'x' AS town FROM range(10) t(i)"


def test_report(tmp_path: Path) -> None:
    """Five classes of two: the mean and the highest risk are 0.5."""
    people = table(tmp_path / "p.parquet", PEOPLE)
    known = {"user": "", "controls": "high", "motives": "low", "prevalence": 0.001}
    report = duckrisk.assess(people, **known)
    found = report.plausible_attacks
    assert (found.unit, found.average_risk, found.highest_risk) == ("record", 0.5, 0.5)
    overall = {one.attack: one.average_risk for one in found.attacks}
    assert overall["deliberate"] == 0.025
    assert found.worst_of_recipients.attack == "breach"
    for language, told in (("en", "data breach"), ("ja", "漏えい（0.270）")):
        assert told in report.to_text(language=language, full=True)
    assert duckrisk.assess(people, user="").plausible_attacks is None
    with pytest.raises(UsageError, match="class_sizes"):
        duckrisk.assess(people, only=["attribute_risk"], **known)
    with pytest.raises(UsageError):
        duckrisk.assess(people, prevalence=1.5)


def test_users_by_their_histories(tmp_path: Path) -> None:
    """Two users alike and one alone: (1/2 + 1/2 + 1) / 3."""
    rows = (
        "SELECT u AS user_id, i AS item FROM range(2) t(i), (VALUES (1), (2), (3)) v(u) WHERE u < 3 OR i > 0"
    )
    report = duckrisk.assess(table(tmp_path / "h.parquet", rows), user="user_id", controls="low")
    assert report.plausible_attacks.unit == "user"
    assert report.plausible_attacks.average_risk == pytest.approx(2 / 3)


def test_settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "p.parquet", PEOPLE)
    (tmp_path / "duckrisk.toml").write_text('user = ""\n[context]\nprevalence = 0.01\nacquaintances = 190\n')
    found = command("assess", "p.parquet", "--format", "json").json["plausible_attacks"]
    assert (found["controls"], found["motives"], found["acquaintances"]) == ("low", "high", 190)
    assert found["attacks"][1]["attempt"] == pytest.approx(1 - 0.99**190)
