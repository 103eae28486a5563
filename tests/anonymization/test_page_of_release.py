"""The page of a release: that of Python is that of the command, and shows no values of records."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pandas
import pytest

import duckrisk
from tests.command import command

STEPS = [{"method": "pseudonymize", "column": "who"}, {"method": "generalize", "column": "age", "width": 10}]
#: What the page draws: one picture of the steps, one of the distributions.
DRAWN = "Distributions before and after"


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pandas.DataFrame:
    monkeypatch.chdir(tmp_path)
    sites = ["Xanadu", "Ys", "Atlantis"]
    rows = [(f"P{n:03}", 20 + n * n % 53, sites[n * n % 3]) for n in range(200)]
    frame = pandas.DataFrame(rows, columns=["who", "age", "site"])
    frame.to_parquet("p.parquet")
    return frame


def test_python_shows_the_page_of_the_command(table: pandas.DataFrame) -> None:
    methods = ("--pseudonymize", "who", "--generalize", "age=10", "--seed", "1")
    shown = command("anonymize", "p.parquet", *methods, "-o", "r.parquet", "--format", "html")
    assert (shown.code, DRAWN in shown.out) == (0, True)
    release = duckrisk.anonymize("p.parquet", "r.parquet", steps=STEPS, seed=1, overwrite=True)
    assert release.to_html() == shown.out
    assert "duckrisk compare p.parquet r.parquet --fail-on policy" in release.to_text()
    # A part of the records, which no name reads again, has its distributions, too.
    part = command(
        "anonymize", "p.parquet", "--where", "age < 40", *methods, "-o", "w.parquet", "--format", "html"
    )
    assert (DRAWN in part.out, "duckrisk compare" in part.out) == (True, False)


@pytest.mark.slow
def test_every_source_has_its_distributions_and_no_values(table: pandas.DataFrame) -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people AS FROM 'p.parquet'")
    shown = (
        duckrisk.anonymize(table, "a.parquet", steps=STEPS, seed=1),
        duckrisk.anonymize(connection, "b.parquet", table="people", steps=STEPS, seed=1),
        duckrisk.anonymize("p.parquet", into="c.duckdb", into_table="released", steps=STEPS, seed=1),
        duckrisk.anonymize(
            "p.parquet", "d.parquet", to_policy="internal", user="who", method="local", seed=1
        ),
    )
    for release in shown:
        page = release.to_html()
        assert DRAWN in page
        assert not any(value in page for value in ("Xanadu", "Atlantis", "P001"))
        assert release.distributions == ()  # only the page has them


def test_a_page_without_the_tables_has_the_steps_alone(table: pandas.DataFrame) -> None:
    release = duckrisk.anonymize("p.parquet", "r.parquet", steps=STEPS, seed=1)
    Path("p.parquet").unlink()
    page = release.to_html()
    assert DRAWN not in page
    assert "200 users, 200 pseudonyms" in page
    withheld = duckrisk.anonymize(table, "w.parquet", steps=STEPS, fail_on=["released > 1"])
    assert not withheld.written
    assert DRAWN not in withheld.to_html()
