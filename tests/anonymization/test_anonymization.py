"""``duckrisk anonymize``: what it writes, its recipe and keys, and everything that it refuses."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import duckdb
import pandas
import pytest

import duckrisk
from duckrisk.base.errors import OutputError, UsageError
from tests.command import HISTORY, ROOT, command, environment, everything, refused, table
from tests.judging import sarif
from tests.releases import read, types
from tests.source.test_databases import install

PEOPLE = """
    SELECT 'p' || i AS name, 20 + i * 7 % 50 AS age, ['Paris', 'Lyon', 'Kyiv'][i % 3 + 1] AS city
    FROM range(60) AS r(i)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "people.parquet", PEOPLE)
    table(tmp_path / "history.parquet", HISTORY)
    return tmp_path


def anonymize(*arguments: Any) -> str:
    result = command("anonymize", *arguments, "--quiet")
    assert result.code == 0, result.err
    assert result.out == ""
    return result.err


# --- what is written -----------------------------------------------------------------------------


def test_the_summary_has_the_forms_of_other_reports() -> None:
    asked = ["anonymize", "people.parquet", "-o", "out.parquet", "--overwrite", "--generalize", "age=10"]
    summary = command(*asked, "--format", "json").json
    assert summary["steps"] == [{"step": 1, "method": "generalize", "column": "age", "changed": 60}]
    assert (summary["path"], summary["records"], summary["released"]) == ("out.parquet", 60, 60)
    assert "| 1 | generalize | age | 60 cells changed |" in command(*asked, "--format", "markdown").out
    assert command(*asked, "--format", "html", "--quiet").out.startswith("<!DOCTYPE html>")
    assert "60セルを変更" in command(*asked, "--lang", "ja").out
    result = command(*asked, "--format", "csv")
    assert (result.code, "not as csv" in result.err) == (2, True)


def test_own_methods_name_their_columns_themselves(folder: Path) -> None:
    """Roles and the writing of keys go with a policy; a release of own methods does not fold keys unsaid."""
    for option in (("--fold-keys",), ("--ignore", "age"), ("--pseudonym", "age")):
        method = ("--generalize", "age=10", *option)
        result = command("anonymize", "people.parquet", "-o", "out.parquet", *method)
        assert (result.code, f"{option[0]} needs --to-policy" in result.err) == (2, True)
    assert not (folder / "out.parquet").exists()


def test_ages_in_decades_is_one_flag(folder: Path) -> None:
    before = (folder / "people.parquet").read_bytes()
    result = command("anonymize", "people.parquet", "-o", "out.parquet", "--generalize", "age=10")
    assert result.code == 0
    assert result.out == (
        "Wrote out.parquet: 60 of 60 records\n\n"
        "  Step  Method      Column  Result\n"
        "     1  generalize  age     60 cells changed\n\n"
        "The recipe is out.parquet.recipe.toml.\n"
        "What it bought and what it lost, with a gate on the policy:\n"
        "  duckrisk compare people.parquet out.parquet --fail-on policy\n"
    )
    assert [row[1] for row in read(folder / "out.parquet")] == [
        f"[{(20 + i * 7 % 50) // 10 * 10}, {(20 + i * 7 % 50) // 10 * 10 + 10}[" for i in range(60)
    ]
    assert (folder / "people.parquet").read_bytes() == before
    assert sorted(p.name for p in folder.iterdir()) == [
        "history.parquet", "out.parquet", "out.parquet.recipe.toml", "people.parquet",
    ]  # fmt: skip


def test_every_flag_runs_in_the_documented_order() -> None:
    anonymize(
        "history.parquet", "-o", "out.csv", "--seed", "1", "--shuffle", "--drop", "city", "--suppress",
        "item", "--suppress-cells", "quantity=quantity = '[0, 2['", "--generalize", "quantity=2",
        "--generalize", "bought=month", "--microaggregate", "quantity=3", "--top", "quantity=3",
        "--bottom", "quantity=1", "--perturb", "quantity=0.1", "--perturb-by", "empirical",
        "--swap", "quantity=0.1", "--pseudonymize", "customer_id=month", "--sample", "300",
        "--delete", "quantity = 4", "--keys", "keys.csv",
    )  # fmt: skip
    recipe = tomllib.loads(Path("out.csv.recipe.toml").read_text(encoding="utf-8"))
    assert [step["method"] for step in recipe["step"]] == [
        "delete", "sample", "pseudonymize", "swap", "perturb", "bottom", "top", "microaggregate",
        "generalize", "generalize", "suppress-cells", "suppress", "suppress", "shuffle",
    ]  # fmt: skip
    assert len(read(Path("out.csv"))) == 300
    assert Path("out.csv").read_text(encoding="utf-8").splitlines()[0] == "customer_id,item,quantity,bought"


def test_help_is_quick_and_fits_80_columns() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "duckrisk", "anonymize", "--help"],
        capture_output=True, text=True, env=environment(COLUMNS="80"), timeout=60,
    )  # fmt: skip
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "duckdb" not in done.stderr
    assert "jinja2" not in done.stderr


def test_recipe_gives_the_same_bytes_again() -> None:
    options = ["--pseudonymize", "customer_id=month", "--perturb", "item=0.3", "--shuffle", "--sample", "0.5"]
    anonymize("history.parquet", "-o", "a.parquet", "--seed", "7", *options)
    anonymize("history.parquet", "-o", "b.parquet", "--recipe", "a.parquet.recipe.toml", "--threads", "1")
    assert Path("a.parquet").read_bytes() == Path("b.parquet").read_bytes()
    anonymize("history.parquet", "-o", "c.parquet", "--recipe", "a.parquet.recipe.toml", "--seed", "8")
    assert Path("a.parquet").read_bytes() != Path("c.parquet").read_bytes()


def test_recipe_without_a_seed_keeps_none_and_draws_anew() -> None:
    anonymize("history.parquet", "-o", "a.parquet", "--pseudonymize", "customer_id")
    text = Path("a.parquet.recipe.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text) == {"step": [{"method": "pseudonymize", "column": "customer_id"}]}
    anonymize("history.parquet", "-o", "b.parquet", "--recipe", "a.parquet.recipe.toml")
    assert read(Path("a.parquet")) != read(Path("b.parquet"))


def test_k_anonymity_without_a_seed_is_the_same_each_time() -> None:
    for name in ("a.parquet", "b.parquet"):
        anonymize("people.parquet", "-o", name, "--k", 3, "--quasi-identifier", "age")
    assert Path("a.parquet").read_bytes() == Path("b.parquet").read_bytes()
    assert "draws anew" not in Path("a.parquet.recipe.toml").read_text(encoding="utf-8")


def test_seeds_are_warned_of() -> None:
    options = ["--pseudonymize", "customer_id", "--swap", "item=0.1", "--seed", "1"]
    said = " ".join(command("anonymize", "history.parquet", "-o", "a.parquet", *options).out.split())
    assert "whoever knows it and the users can compute them again" in said
    assert "What was drawn (swap) comes from a seed" in said
    said = command("anonymize", "history.parquet", "-o", "b.parquet", *options[:-2]).out
    assert "seed" not in said


def test_recipe_takes_its_hierarchies_along(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "city.csv").write_text(
        "Paris;France;*\nLyon;France;*\nKyiv;Ukraine;*\n", encoding="utf-8"
    )
    (folder / "sub" / "h.toml").write_text(
        '[hierarchies]\ncity = "city.csv"\nname = { prefixes = [1] }\n', encoding="utf-8"
    )
    anonymize(
        "people.parquet", "-o", "a.parquet", "--generalize", "city=level1", "--hierarchies", "sub/h.toml"
    )
    assert {row[2] for row in read(Path("a.parquet"))} == {"France", "Ukraine"}
    recipe = tomllib.loads(Path("a.parquet.recipe.toml").read_text(encoding="utf-8"))
    assert recipe["hierarchies"] == {"city": "sub/city.csv"}
    anonymize("people.parquet", "-o", "sub/b.parquet", "--recipe", "a.parquet.recipe.toml")
    assert Path("a.parquet").read_bytes() == Path("sub/b.parquet").read_bytes()
    assert tomllib.loads(Path("sub/b.parquet.recipe.toml").read_text())["hierarchies"] == {"city": "city.csv"}


def test_hierarchies_of_the_settings_file(folder: Path) -> None:
    (folder / "duckrisk.toml").write_text(
        '[hierarchies]\nage = { widths = [5, 10] }\n[hierarchies.city.tree]\nFrance = ["Paris", "Lyon"]\n',
        encoding="utf-8",
    )
    anonymize(
        "people.parquet", "-o", "a.parquet", "--generalize", "city=level1", "--generalize", "age=level2"
    )
    assert {row[2] for row in read(Path("a.parquet"))} == {"France", "Kyiv"}
    assert read(Path("a.parquet"))[0][1] == "[20, 30["
    known = ["--quasi-identifier", "age", "--quasi-identifier", "city"]
    said = command("anonymize", "people.parquet", "-o", "b.parquet", "--k", 3, *known).out
    assert "classes of 3 records or more" in said
    assert command("assess", "people.parquet", "--format", "json").code == 0


@pytest.mark.parametrize("name", ["keys.csv", "keys.parquet"])
def test_key_table_is_private_and_leads_back(folder: Path, name: str) -> None:
    anonymize("history.parquet", "-o", "a.parquet", "--pseudonymize", "customer_id=month", "--keys", name)
    assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    keys = {(pseudonym, period): user for user, period, pseudonym in read(folder / name)}
    for before, after in zip(read(Path("history.parquet")), read(Path("a.parquet")), strict=True):
        assert keys[after[0], f"{before[3]:%Y-%m}"] == before[0]
    assert name not in Path("a.parquet.recipe.toml").read_text(encoding="utf-8")
    refused(2, "exists already", "never replaced", arguments=[
        "anonymize", "history.parquet", "-o", "b.parquet", "--pseudonymize", "customer_id", "--keys", name,
        "--overwrite",
    ])  # fmt: skip


def test_types_and_names_stay(folder: Path) -> None:
    select = """SELECT 1::HUGEINT AS "a b", INTERVAL 1 DAY AS i, 1.50::DECIMAL(8,2) AS d,
                TIMESTAMPTZ '2020-01-01' AS t, [1] AS l, 5 AS n"""
    with duckdb.connect() as connection:
        steps = [{"method": "top", "column": "n", "at": 3}]
        duckrisk.anonymize(connection.sql(select), "a.parquet", steps=steps)
    assert types(folder / "a.parquet")[2:] == [
        "DECIMAL(8,2)",
        "TIMESTAMP WITH TIME ZONE",
        "INTEGER[]",
        "INTEGER",
    ]
    with duckdb.connect() as connection:
        assert connection.execute("SELECT \"a b\", n FROM 'a.parquet'").fetchone() == (1, 3)


@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMPTZ"])
def test_moments_that_never_come_are_in_groups(folder: Path, kind: str) -> None:
    """No cell stays alone beside others of its group that are not finite, and none of these stays alone."""
    days = ["-infinity", "2020-01-01", "2020-01-03", "2020-01-05", "infinity", "infinity", "infinity"]
    cells = ", ".join(f"('{day}'::{kind}), (NULL)" for day in days)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        steps = [{"method": "microaggregate", "columns": ["v"], "k": 2}]
        duckrisk.anonymize(connection.sql(f"FROM (VALUES {cells}) AS t (v)"), "a.parquet", steps=steps)
        found = connection.execute("SELECT v::DATE::VARCHAR, COUNT(*) FROM 'a.parquet' GROUP BY v").fetchall()
    assert dict(found) == {"2020-01-01": 2, "2020-01-04": 2, "infinity": 3, None: 7}


def test_the_largest_whole_numbers_stay(folder: Path) -> None:
    """Parquet holds 38 digits as a number; a column with more of them is written as texts."""
    wide = 2**127 - 1
    select = f"SELECT {wide}::HUGEINT AS large, {10**38 - 1}::HUGEINT AS small, range AS n FROM range(3)"
    with duckdb.connect() as connection:
        steps = [{"method": "top", "column": "n", "at": 1}]
        duckrisk.anonymize(connection.sql(select), "a.parquet", steps=steps)
        assert types(folder / "a.parquet") == ["VARCHAR", "DECIMAL(38,0)", "BIGINT"]
        cells = connection.execute("FROM 'a.parquet'").fetchall()
    assert cells == [(str(wide), 10**38 - 1, n) for n in (0, 1, 1)]


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.3, 1.0])
def test_values_picked_from_a_list_are_those_of_a_table(
    folder: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    """A small domain stands in one list and a large one is joined: the same values for the same seed."""
    table(
        folder / "many.parquet",
        "SELECT i, CASE WHEN i % 7 > 0 THEN 'town \u540d ' || i % 5 WHEN i = 1400 THEN 'one' END AS town, "
        "CASE WHEN i % 11 > 0 THEN i % 31 END AS age FROM range(3000) AS r(i)",
    )
    steps = [{"method": "perturb", "column": name, "share": share} for name in ("town", "age")]
    steps += [{"method": "perturb", "column": "town", "share": share}]
    found = []
    for few, listed in ((10**9, 5_000), (1_000, 5_000), (10**9, 3)):
        monkeypatch.setattr(sys.modules["duckrisk.release.anonymization.chain"], "_MANY_RECORDS", few)
        monkeypatch.setattr(sys.modules["duckrisk.release.anonymization.methods"], "MAX_LISTED", listed)
        done = duckrisk.anonymize("many.parquet", "r.parquet", steps=steps, seed=2, overwrite=True)
        found.append((read(Path("r.parquet")), types(Path("r.parquet")), done.steps))
    assert found[0] == found[1] == found[2]
    (rows, _, steps_done), before = found[0], read(Path("many.parquet"))
    assert [row[0] for row in rows] == list(range(3000))
    for place in (1, 2):
        assert {row[place] for row in rows} <= {row[place] for row in before}
        assert [row[place] is None for row in rows] == [row[place] is None for row in before]
    cells = sum(row[2] is not None for row in before)
    assert abs(steps_done[1].changed - share * cells) < 200
    changed = sum(a[2] != b[2] for a, b in zip(rows, before, strict=True))
    assert abs(changed - share * cells * 30 / 31) < 200


# --- databases -----------------------------------------------------------------------------------


def rows_of(path: Path, name: str) -> list[Any]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(f"FROM {name}").fetchall()


def test_into_a_new_and_an_old_database(folder: Path) -> None:
    options = ["people.parquet", "--into", "wh.duckdb", "--into-table", "people"]
    anonymize(*options, "--generalize", "age=10")
    assert rows_of(folder / "wh.duckdb", "people")[0] == ("p0", "[20, 30[", "Paris")
    assert Path("wh.duckdb.people.recipe.toml").exists()
    refused(2, "recipe", "exists already", arguments=["anonymize", *options, "--drop", "age"])
    Path("wh.duckdb.people.recipe.toml").unlink()
    refused(2, '"people"', "exists already", arguments=["anonymize", *options, "--drop", "age"])
    anonymize(*options, "--drop", "age", "--overwrite")
    assert rows_of(folder / "wh.duckdb", "people")[0] == ("p0", "Paris")
    anonymize("people.parquet", "--into", "wh.duckdb", "--into-table", "main.others", "--shuffle")
    assert len(rows_of(folder / "wh.duckdb", "others")) == 60
    assert not [p for p in folder.iterdir() if p.name.startswith(".") or ".wal" in p.name]


def test_database_that_cannot_be_used(folder: Path) -> None:
    (folder / "text.duckdb").write_text("no database")
    with duckdb.connect(str(folder / "wh.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a; CREATE VIEW v AS SELECT 2 AS a")
    into = ["anonymize", "people.parquet", "--drop", "age", "--into"]
    refused(3, "not one", arguments=[*into, "text.duckdb", "--into-table", "t"])
    refused(2, "view", arguments=[*into, "wh.duckdb", "--into-table", "v", "--overwrite"])
    refused(3, arguments=[*into, "wh.duckdb", "--into-table", "nowhere.t"])
    refused(2, "part of the source", arguments=[
        "anonymize", "wh.duckdb", "--table", "t", "--top", "a=1", "--into", "wh.duckdb", "--into-table", "u",
    ])  # fmt: skip
    refused(2, "go together", arguments=[*into, "wh.duckdb"])
    refused(2, "go together", arguments=["anonymize", "people.parquet", "-o", "a.csv", "--into-table", "t"])
    assert rows_of(folder / "wh.duckdb", "t") == [(1,)]


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], ["No method is given"]),
        (["--generalize", "age"], ["COLUMN=VALUE"]),
        (["--generalize", "age=hour"], ["day, week, month"]),
        (["--generalize", "age=0"], ["above 0"]),
        (["--generalize", "age=level7"], ["no level 7"]),
        (["--generalize", "agee=10"], ['"agee"', "did you mean", '"age"']),
        (["--generalize", "name=10"], ["no numbers"]),
        (["--generalize", "age=month"], ["no dates"]),
        (["--suppress", "nothing"], ['"nothing"']),
        (["--drop", "age", "--drop", "age"], ["dropped by an earlier step"]),
        (["--drop", "age", "--drop", "name", "--drop", "city"], ["last column"]),
        (["--delete", "age >"], ['condition of "delete"', "is not one"]),
        (["--delete", "nothing = 1"], ['condition of "delete"', "does not exist"]),
        (["--delete", "1 = 1) OR (1 = 1"], ['condition of "delete"']),
        (["--delete", "age IN (SELECT 1)"], ['condition of "delete"', "SELECT"]),
        (["--delete", "random() < 0.5"], ["same answer each time"]),
        (["--suppress-cells", "age"], ["COLUMN=CONDITION"]),
        (["--suppress-cells", "age=oh no"], ['condition of "suppress-cells"']),
        (["--top", "name=5"], ["no numbers"]),
        (["--top", "age=5.5"], ["5.5", "cannot hold"]),
        (["--top", "age=many"], ["must be a number"]),
        (["--microaggregate", "age=1"], ["2 or more"]),
        (["--microaggregate", "age=61"], ["smaller k"]),
        (["--microaggregate", "name=2"], ["no numbers or dates"]),
        (["--perturb", "age=1.5"], ["at most 1"]),
        (["--perturb", "age=nan"], ["must be a number"]),
        (["--perturb-by", "domain", "--shuffle"], ["needs --perturb"]),
        (["--perturb", "age=0.1", "--perturb-by", "luck"], ["domain, empirical"]),
        (["--swap", "age=0"], ["above 0"]),
        (["--sample", "61"], ["61", "60"]),
        (["--sample", "0"], ["1 or more"]),
        (["--sample", "-0.5"], ["above 0"]),
        (["--sample", "some"], ["must be a number"]),
        (["--k", "61", "--quasi-identifier", "age"], ["60", "smaller k"]),
        (["--k", "3"], ["at least one quasi-identifier"]),
        (["--k", "0", "--quasi-identifier", "age"], ["1 or more"]),
        (["--k", str(2**63), "--quasi-identifier", "age"], ["below 2 to the power of 63"]),
        (["--k", str(2**70), "--quasi-identifier", "age"], ["below 2 to the power of 63"]),
        (["--k", str(-(2**70)), "--quasi-identifier", "age"], ["1 or more"]),
        (["--delete-classes-below", str(2**70), "--quasi-identifier", "age"], ["below 2 to the power of 63"]),
        (["--generalize", f"name=prefix{2**70}"], ["below 2 to the power of 63"]),
        (["--sample", str(2**70)], ["below 2 to the power of 63"]),
        (["--microaggregate", f"age={2**70}"], ["below 2 to the power of 63"]),
        (["--shuffle", "--seed", str(2**70)], ["from 0 to below 2 to the power of 63"]),
        (["--k", "3", "--quasi-identifier", "age", "--quasi-identifier", "age"], ["twice"]),
        (["--k", "3", "--quasi-identifier", "age", "--quasi-identifier", "AGE"], ["twice"]),
        (["--k", "3", "--quasi-identifier", "age", "--method", "best"], ["local"]),
        (["--quasi-identifier", "age"], ["needs --k"]),
        (["--pseudonymize", "name=hour"], ["none, day, week"]),
        (["--pseudonymize", "name=month"], ["no column of dates", "--date"]),
        (["--pseudonymize", "name=month", "--date", "age"], ["no dates"]),
        (["--pseudonymize", "name", "--date", "age"], ["for a period"]),
        (["--date", "age", "--shuffle"], ["needs --pseudonymize"]),
        (["--pseudonymize", "name", "--keys", "keys.txt"], ["suffix"]),
        (["--pseudonymize", "name", "--keys", "people.parquet"], ["part of the source"]),
        (["--pseudonymize", "name", "--keys", "out.parquet"], ["name the same file"]),
        (["--pseudonymize", "name", "--keys", "no/keys.csv"], ["does not exist"]),
        (["--shuffle", "--seed", "-1"], ["seed"]),
        (["--shuffle", "--hierarchies", "no.toml"], ["no file of hierarchies"]),
        (["--recipe", "no.toml"], ["no recipe"]),
        (["--recipe", "people.parquet"], ["UTF-8"]),
    ],
)  # fmt: skip
def test_what_is_refused(options: list[str], words: list[str]) -> None:
    arguments = ["anonymize", "people.parquet", "-o", "out.parquet", *options]
    code = 3 if "no/keys.csv" in options else 2
    assert "p1" not in refused(code, *words, arguments=arguments)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("seed = 'x'\n[[step]]\nmethod = 'shuffle'", ["seed"]),
        ("step = 5", ["[[step]]"]),
        ("seed = 5", ["No method is given"]),
        ("sed = 5", ["unknown key", '"seed"']),
        ("[[step]]\ncolumn = 'age'", ["Step 1", "no method"]),
        ("[[step]]\nmethod = 'generalise'\ncolumn = 'age'", ["Step 1", '"generalize"']),
        ("[[step]]\nmethod = 'generalize'", ["needs", "column"]),
        ("[[step]]\nmethod = 'generalize'\ncolumn = 'age'", ["needs one of"]),
        ("[[step]]\nmethod = 'generalize'\ncolumn = 'age'\nwidth = 5\nlevel = 1", ["needs one of"]),
        ("[[step]]\nmethod = 'generalize'\ncolumn = 'age'\nwidht = 5", ['"width"']),
        ("[[step]]\nmethod = 'generalize'\ncolumn = 5\nwidth = 5", ["must be a text"]),
        ("[[step]]\nmethod = 'generalize'\ncolumn = 'age'\nlevel = 1.5", ["a whole number"]),
        ("[[step]]\nmethod = 'generalize'\ncolumn = 'age'\nwidth = inf", ["a number"]),
        ("[[step]]\nmethod = 'microaggregate'\ncolumns = []\nk = 3", ["at least one column"]),
        ("[[step]]\nmethod = 'k-anonymize'\nk = 3\nquasi_identifiers = []", ["one quasi-identifier"]),
        ("[[step]]\nmethod = 'shuffle'\n[[step]]\nmethod = 'shuffle'", ["one order"]),
        ("[[step]]\nmethod = 'shuffle'\n[hierarchies]\nage = 5", ['"age"', "one of"]),
        ("[[step", ["not valid TOML"]),
    ],
)  # fmt: skip
def test_recipes_that_are_none(folder: Path, text: str, words: list[str]) -> None:
    (folder / "r.toml").write_text(text, encoding="utf-8")
    refused(2, *words, arguments=["anonymize", "people.parquet", "-o", "out.parquet", "--recipe", "r.toml"])


def test_outputs_that_are_there_or_the_source(folder: Path) -> None:
    (folder / "out.parquet").write_text("mine")
    base = ["anonymize", "people.parquet", "--shuffle", "-o"]
    refused(2, "exists already", "--overwrite", arguments=[*base, "out.parquet"])
    refused(2, "part of the source", arguments=[*base, "people.parquet", "--overwrite"])
    os.link("people.parquet", "same.parquet")
    refused(2, "part of the source", arguments=[*base, "same.parquet", "--overwrite"])
    os.symlink("people.parquet", "link.parquet")
    refused(3, "link", arguments=[*base, "link.parquet", "--overwrite"])
    query = ["--query", "SELECT * FROM 'people.parquet'"]
    refused(
        2, "part of the source", arguments=["anonymize", *query, *base[2:], "people.parquet", "--overwrite"]
    )
    (folder / "free.parquet.recipe.toml").write_text("mine")
    refused(2, "recipe", "exists already", arguments=[*base, "free.parquet"])
    refused(2, "suffix", arguments=[*base, "out.xlsx"])
    refused(3, "does not exist", arguments=[*base, "no/out.parquet"])
    refused(2, "No output is given", arguments=base[:-1])
    (folder / "parts").mkdir()
    os.link("people.parquet", "parts/people.parquet")
    for source in ("parts", "parts/*.parquet"):  # what is written there would be read the next time
        arguments = ["anonymize", source, "--shuffle", "-o", "parts/out.parquet"]
        refused(2, "would become part of the source", arguments=arguments)
    assert command(*base, "out.parquet", "--overwrite").code == 0
    assert len(read(folder / "out.parquet")) == 60


def test_hierarchy_that_misses_a_value_leaves_nothing(folder: Path) -> None:
    (folder / "city.csv").write_text("Paris;France;*\nLyon;France;*\n", encoding="utf-8")
    (folder / "h.toml").write_text("[hierarchies]\ncity = 'city.csv'\n", encoding="utf-8")
    said = refused(2, "1 of the 3 values", "VALUE;LABEL;*", arguments=[
        "anonymize", "people.parquet", "-o", "out.parquet", "--generalize", "city=level1",
        "--hierarchies", "h.toml",
    ])  # fmt: skip
    assert "Kyiv" not in said


def test_broken_source_leaves_nothing(folder: Path) -> None:
    data = (folder / "people.parquet").read_bytes()
    (folder / "broken.parquet").write_bytes(data[:300] + b"\0" * 200 + data[500:])
    arguments = ["anonymize", "broken.parquet", "-o", "out.parquet", "--generalize", "age=10"]
    before = everything(folder)
    result = command(*arguments)
    if result.code != 0:
        assert everything(folder) == before
    refused(3, arguments=["anonymize", "gone.parquet", "-o", "out.parquet", "--shuffle"])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs to mount a small disk")
@pytest.mark.parametrize(("into", "size"), [(False, "1m"), (True, "1m"), (True, "150k")])
def test_full_disk_is_one_sentence_and_no_file(folder: Path, into: bool, size: str) -> None:
    table(folder / "large.parquet", "SELECT hash(i) AS a, hash(i + 1) AS b FROM range(400000) r(i)")
    disk = folder / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)], capture_output=True
    ).returncode:
        pytest.skip("cannot mount a small disk")
    try:
        where = ["--into", "disk/out.duckdb", "--into-table", "t"] if into else ["-o", "disk/out.parquet"]
        result = command("anonymize", "large.parquet", *where, "--top", "a=5")
        assert result.code == 3, result.err
        assert "disk is full" in result.err
        assert result.err.count("\n") == 1
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


# --- in Python -----------------------------------------------------------------------------------


def test_python_does_the_same_job(folder: Path) -> None:
    release = duckrisk.anonymize(
        "people.parquet", "a.parquet", steps=[{"method": "generalize", "column": "age", "width": 10}]
    )
    anonymize("people.parquet", "-o", "b.parquet", "--generalize", "age=10")
    assert Path("a.parquet").read_bytes() == Path("b.parquet").read_bytes()
    assert (release.records, release.released) == (60, 60)
    assert release.recipe == Path("a.parquet.recipe.toml").read_text(encoding="utf-8")
    assert release.to_dict()["steps"] == [{"step": 1, "method": "generalize", "column": "age", "changed": 60}]
    with duckdb.connect() as connection:
        frame = connection.execute(PEOPLE).df()
    duckrisk.anonymize(frame, "c.csv", recipe="a.parquet.recipe.toml", seed=3)
    assert len(read(Path("c.csv"))) == 60


def test_python_refuses_what_the_command_does() -> None:
    with pytest.raises(UsageError, match="No output is given"):
        duckrisk.anonymize("people.parquet", into="a.duckdb", steps=[{"method": "shuffle"}])
    with pytest.raises(UsageError, match="dictionary"):
        duckrisk.anonymize("people.parquet", "a.csv", steps=["shuffle"])
    with pytest.raises(UsageError, match="either a recipe"):
        duckrisk.anonymize("people.parquet", "a.csv", steps=[{"method": "shuffle"}], recipe="r.toml")
    with pytest.raises(OutputError):
        duckrisk.anonymize("people.parquet", ".", steps=[{"method": "shuffle"}])
    assert callable(duckrisk.anonymize)


def test_nothing_of_the_project_is_written(folder: Path) -> None:
    anonymize("people.parquet", "-o", "a.parquet", "--suppress-cells", "age=city = 'Paris'")
    text = (folder / "a.parquet.recipe.toml").read_text(encoding="utf-8")
    assert str(folder) not in text
    assert str(ROOT) not in text
    assert "p1" not in text


def test_classes_of_few_users_are_deleted_however_many_records_they_have(tmp_path: Path) -> None:
    """Five records of one user are no class of five; a user with records in two classes keeps one of them."""
    rows = [
        ("a", 1),
        ("a", 1),
        ("a", 1),
        ("a", 1),
        ("a", 1),
        ("a", 2),
        ("b", 2),
        ("b", 3),
        (None, 2),
        (None, 3),
    ]
    frame = pandas.DataFrame(rows, columns=["who", "kind"])
    step = {"method": "delete-classes", "below": 2, "quasi_identifiers": ["kind"], "user": "who"}
    release = duckrisk.anonymize(frame, tmp_path / "out.csv", steps=[step])
    assert release.released == 3
    assert pandas.read_csv(tmp_path / "out.csv")["kind"].tolist() == [2, 2, 2]
    assert duckrisk.anonymize(frame, tmp_path / "again.csv", recipe=release.recipe_path).released == 3
    more = {**step, "quasi_identifiers": ["kind", "who"], "together": 1}
    with pytest.raises(UsageError, match="all quasi-identifiers"):
        duckrisk.anonymize(frame, tmp_path / "no.csv", steps=[more])


# --- gates ---------------------------------------------------------------------------------------

GATED = ("anonymize", "people.parquet", "--drop", "name", "--delete", "age > 60")


def test_a_release_whose_gate_fails_is_not_written(folder: Path) -> None:
    """60 records of ages 20 to 69 in steps of 7: 11 are above 60. What was there before stays."""
    (folder / "out.csv").write_text("what was there before")
    before = everything(folder)
    asked = (*GATED, "-o", "out.csv", "--overwrite", "--keys", "keys.csv", "--pseudonymize", "city")
    failed = command(*asked, "--fail-on", "released < 50")
    assert failed.code == 1, failed.err
    assert everything(folder) == before
    lines = failed.out.splitlines()
    assert lines[0] == "A gate failed, so out.csv was not written: 49 of 60 records"
    assert lines[-1] == "The gate FAILED. released < 50"
    assert "recipe" not in failed.out
    assert "duckrisk compare" not in failed.out
    passed = command(*asked, "--fail-on", "released < 49", "--format", "json")
    assert (passed.code, passed.json["written"], passed.json["gates"][0]["value"]) == (0, True, 49)
    assert len((folder / "out.csv").read_text().splitlines()) == 50
    assert (folder / "keys.csv").exists()


@pytest.mark.parametrize("place", ["new", "there", "sqlite"])
def test_a_database_stays_as_it_is_where_a_gate_fails(
    folder: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = "sqlite:out.db" if place == "sqlite" else "out.duckdb"
    if place == "sqlite":
        monkeypatch.setenv("HOME", str(folder.parent))
        install("sqlite_scanner")
        with contextlib.closing(sqlite3.connect("out.db")) as lite:
            lite.execute("CREATE TABLE other AS SELECT 7 AS a")
    if place == "there":
        with duckdb.connect("out.duckdb") as database:
            database.execute("CREATE TABLE other AS SELECT 7 AS a")
    before = set(everything(folder))
    asked = (*GATED, "--into", address, "--into-table", "t", "--fail-on", "steps[delete].deleted > 10")
    failed = command(*asked)
    assert failed.code == 1, failed.err
    assert set(everything(folder)) == before
    if place == "there":
        with duckdb.connect("out.duckdb") as database:
            assert database.execute("SHOW TABLES").fetchall() == [("other",)]
    if place == "sqlite":
        with contextlib.closing(sqlite3.connect("out.db")) as lite:
            assert lite.execute("SELECT name FROM sqlite_master").fetchall() == [("other",)]


def test_gates_of_a_release_look_at_steps_by_their_method(folder: Path) -> None:
    asked = (*GATED, "-o", "out.csv", "--generalize", "age=10", "--format", "json", "-q")
    done = command(*asked, "--fail-on", "steps[delete].deleted > 11", "--fail-on", "steps.changed > 49")
    assert (done.code, [gate["where"] for gate in done.json["gates"]]) == (0, ["delete", "generalize"])
    refused(2, '"delete"', arguments=(*GATED, "-o", "b.csv", "--fail-on", "steps[delte].deleted > 1"))
    refused(2, "add --to-policy", arguments=(*GATED, "-o", "b.csv", "--fail-on", "policy"))
    refused(2, "add --to-policy", arguments=(*GATED, "-o", "b.csv", "--fail-on", "policy.people < 9"))
    refused(2, "did not measure", arguments=(*GATED, "-o", "b.csv", "--fail-on", "steps.gcp > 0.5"))
    refused(2, "different ones", arguments=(*GATED, "-o", "b.csv", "--junit", "./b.csv"))


def test_quiet_says_the_outcome_where_nothing_else_does(folder: Path) -> None:
    failed = command(*GATED, "-o", "out.csv", "-q", "--fail-on", "released < 50", "--junit", "gates.xml")
    assert (failed.code, failed.out, failed.err) == (1, "", "The gate FAILED. released < 50\n")
    assert ET.parse("gates.xml").getroot().get("failures") == "1"


def test_a_release_beside_an_earlier_one(folder: Path) -> None:
    earlier = command(*GATED, "-o", "out.csv", "--format", "json")
    (folder / "old.json").write_text(earlier.out)
    asked = ("--overwrite", "--baseline", "old.json", "--fail-on", "steps.deleted > baseline")
    same = command(*GATED, "-o", "out.csv", *asked, "--format", "json")
    assert (same.code, same.json["baseline"]["worse"]) == (0, 0)
    more = command(*GATED[:-1], "age > 50", "-o", "out.csv", *asked, "--format", "sarif")
    assert {one["ruleId"] for one in sarif(more.out)} == {"gate", "baseline"}
    assert more.code == 1
    refused(2, "Nothing can be compared", arguments=(*GATED, "-o", "b.csv", "--baseline", "old.json"))


def test_python_judges_a_release_as_the_command_does(folder: Path) -> None:
    steps = [{"method": "delete", "where": "age > 60"}]
    found = duckrisk.anonymize("people.parquet", "out.csv", steps=steps, fail_on=["released < 50"])
    assert (found.passed, found.written, found.gates[0].value) == (False, False, 49)
    assert not (folder / "out.csv").exists()
    assert duckrisk.anonymize("people.parquet", "out.csv", steps=steps, fail_on=["released < 9"]).written
    with pytest.raises(UsageError, match="to_policy"):
        duckrisk.anonymize("people.parquet", "b.csv", steps=steps, fail_on=["policy"])
