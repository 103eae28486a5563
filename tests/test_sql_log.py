"""The script of a run: repeated without duckrisk it ends with the numbers of the report."""

from __future__ import annotations

import bisect
import contextlib
import re
import shlex
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import duckrisk
from duckrisk.errors import UsageError
from duckrisk.folders import UNFINISHED
from tests.command import command
from tests.hostile import NAMES
from tests.test_shell import find_shell, needs_shell

HISTORY = """
    SELECT
        'c' || i * i % 23 AS customer,
        TIMESTAMP '2024-01-03 09:05:00' + to_minutes(CAST(i * 7 % 61 * 997 AS BIGINT)) AS bought,
        'item ' || i * 3 % 29 AS item,
        CAST(i % 17 * 1.25 AS DECIMAL(8, 2)) AS price,
        CASE WHEN i % 31 = 5 THEN NULL ELSE 'shop ' || i % 5 END AS shop,
        CAST(i * 11 % 7 + 1 AS INTEGER) AS quantity
    FROM range(420) AS numbers (i)
"""
LAYOUT = "--user customer --date bought --item item"
CHOSEN = "--attribute price --attribute quantity"
#: All parts of an assessment: every statement of a plain one, every place where its report holds a number.
PARTS = (
    "assess t.parquet -q --user customer --quasi-identifier item --quasi-identifier quantity "
    "--sensitive price --fraction 0.1 --controls low --missing value --fail-on policy "
    "--only " + " --only ".join(duckrisk.assessment.PARTS)
)
COMMANDS = {
    "assess all parts": PARTS,
    "assess a sample": "assess t.parquet -q --sample-only --samples 5",
    "assess records": "assess t.parquet -q --user '' --attribute item+quantity --attribute price",
    "compare": "compare t.parquet coarse.parquet -q --aligned --attribute price --attribute quantity",
    "advise": "advise t.parquet -q --steps 2",
    "advise value": "advise t.parquet -q --steps 1 --objective value --ignore shop",
    "anonymize": "anonymize t.parquet -o out.csv --pseudonymize customer=month --date bought "
    "--generalize price=5 --delete-classes-below 2 --quasi-identifier quantity --seed 3",
    "anonymize k": "anonymize t.parquet -o out.parquet --k 3 --quasi-identifier quantity "
    "--quasi-identifier price --seed 3",
    "attack": f"attack t.parquet followed.parquet {LAYOUT}",
    "pwscup anonymize": f"pwscup anonymize t.parquet -o out.parquet {LAYOUT} --life 3 "
    "--perturb-dates 0.2 --seed 3",
    "pwscup check": f"pwscup check --original t.parquet followed.parquet {LAYOUT}",
    "pwscup attack": f"pwscup attack t.parquet followed.parquet {LAYOUT} --attack paper-date",
    "pwscup utility": f"pwscup utility --original t.parquet --release followed.parquet {LAYOUT}",
    "pwscup score": f"pwscup score --original t.parquet --release followed.parquet {LAYOUT} "
    "--price price --quantity quantity",
    "membership synthesize": f"membership synthesize t.parquet -o out.parquet {CHOSEN} --seed 3",
    "membership anneal": f"membership anneal t.parquet -o out.parquet {CHOSEN} --seed 3 --iterations 60",
    "membership utility": f"membership utility t.parquet made.parquet {CHOSEN}",
    "membership attack": f"membership attack t.parquet made.parquet -q {CHOSEN}",
    "membership risks": f"membership risks t.parquet made.parquet {CHOSEN} --attacks-per-risk 20",
}
#: What a report holds of numbers that nobody measured in the tables.
SAID = {
    # what was asked, and limits
    *("version", "settings", "environment", "limit", "threshold", "confidence", "base", "alpha", "seed"),
    *("guesses", "attacks_per_risk", "gates", "iterations", "clusters", "shadows", "supports_items"),
    *("acquaintances", "permutations"),
    # how much of a list there is, what was tried, and numbers that are names
    *("equal_to_last", "total", "measured", "number", "step"),
    # how a search went: what it strives for, and how many of its moves it kept
    *("start", "cost", "kept"),
    # the files and the time
    *("digest", "seconds", "estimated_seconds", "estimated_seconds_exact"),
}
#: Shares of two numbers that stand beside them.
SHARES = {"singled_out_share": ("singled_out", "people")}
#: What is so in one place alone: what was asked, and numbers of rules.
ASKED = {("minimal_keys", "share"), ("hipaa", "item")}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LANG", raising=False)
    return tmp_path


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history, and releases of it."""
    folder = tmp_path_factory.mktemp("tables")
    source = folder / "t.parquet"
    duckdb.sql(f"COPY ({HISTORY}) TO '{source}' (FORMAT parquet)")
    coarse = "SELECT * REPLACE (date_trunc('month', bought) AS bought, price // 5 * 5 AS price)"
    duckdb.sql(f"COPY ({coarse} FROM '{source}') TO '{folder / 'coarse.parquet'}' (FORMAT parquet)")
    release = folder / "followed.parquet"
    for line in (
        f"pwscup anonymize {source} -o {release} {LAYOUT} --life 3 --perturb-dates 0.1 --seed 1",
        f"membership synthesize {source} -o {folder / 'made.parquet'} {CHOSEN} --seed 1",
    ):
        done = command(*shlex.split(line))
        assert done.code == 0, done.err
    return folder


@pytest.fixture(scope="module")
def ran(
    tables: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], tuple[dict[str, Any], Path]]:
    """The report of a command, which runs once, and the folder where it wrote its script."""

    @cache
    def run(name: str) -> tuple[dict[str, Any], Path]:
        folder = tmp_path_factory.mktemp("ran")
        with contextlib.chdir(folder):
            return logged(tables, folder, COMMANDS[name]), folder

    return run


def logged(folder: Path, here: Path, line: str) -> dict[str, Any]:
    """The report of a command that wrote its script as log.sql."""
    for file in folder.glob("*.parquet"):
        (here / file.name).write_bytes(file.read_bytes())
    done = command(*shlex.split(line), "--format", "json", "--sql-log", "log.sql")
    assert done.code in (0, 1), done.err
    return done.json


def repeated(script: str) -> dict[str, list[dict[str, Any]]]:
    """What the script's tables hold, by their names, in an engine that knows nothing of duckrisk."""
    with duckdb.connect() as connection:
        connection.execute(script)
        names = [name for (name,) in connection.execute("SELECT table_name FROM results").fetchall()]
        return {name: rows(connection.execute(f'FROM "{name}"')) for name in names}


def rows(result: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    names = [column[0] for column in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        yield float(value)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from numbers(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from numbers(inner)


def measured(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, float]]:
    """The measured numbers of a report, with where they stand; 0 and 1 are everywhere."""
    if isinstance(value, dict):
        for key, inner in value.items():
            shared = SHARES.get(key)
            if shared and value.keys() >= {*shared} and inner == value[shared[0]] / (value[shared[1]] or 1):
                continue
            if key not in SAID and (*path[-1:], key) not in ASKED:
                yield from measured(inner, (*path, key))
    elif isinstance(value, list):
        for inner in value:
            yield from measured(inner, path)
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and value not in (0, 1):
        yield ".".join(path), float(value)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_measured_number_is_in_a_table_of_the_script(
    name: str, ran: Callable[[str], tuple[dict[str, Any], Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    report, folder = ran(name)
    monkeypatch.chdir(folder)
    held = sorted(numbers(list(repeated((folder / "log.sql").read_text("utf-8")).values())))

    def is_held(number: float) -> bool:
        near = bisect.bisect_left(held, number - abs(number) * 1e-9)
        return near < len(held) and held[near] <= number + abs(number) * 1e-9

    looked_up = list(measured(report))
    assert [(path, number) for path, number in looked_up if not is_held(number)] == []
    assert looked_up


def test_who_changes_a_number_is_found_out(tables: Path, here: Path) -> None:
    """The comparison can fail: no table holds a risk that is a little larger."""
    report = logged(tables, here, "assess t.parquet -q --only attribute_risk --samples 0 --known-records 0")
    held = sorted(numbers(list(repeated((here / "log.sql").read_text("utf-8")).values())))
    risk = report["attribute_risk"][0]["mean_risk"]
    assert min(abs(number - risk) for number in held) <= 1e-12
    assert min(abs(number - risk * 1.0001) for number in held) > 1e-9


@needs_shell
@pytest.mark.parametrize("name", ["assess a sample", "pwscup score", "membership attack", "anonymize k"])
def test_a_shell_repeats_it(name: str, ran: Callable[[str], tuple[dict[str, Any], Path]]) -> None:
    _, folder = ran(name)
    for file in folder.glob("log-*"):
        file.unlink()
    before = {file.name for file in folder.iterdir()}
    script = (folder / "log.sql").read_text("utf-8") + "\nSELECT COUNT(*) AS tables FROM results;\n"
    done = subprocess.run(
        [find_shell() or "", "-no-init", "-bail", "-csv"],
        input=script, capture_output=True, encoding="utf-8", cwd=folder, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    kept = re.findall(r'^-- (\d+) (\w+).*\nCREATE OR REPLACE TEMP TABLE "\2_\1" AS$', script, re.MULTILINE)
    assert int(done.stdout.split()[-1]) == len(kept) > 5
    # What it writes stands beside it, under its name: neither the release nor the source is touched.
    assert {
        name for name in {file.name for file in folder.iterdir()} - before if not name.startswith("log-")
    } == set()


def test_the_script_is_for_its_owner_alone_and_holds_no_secret(
    tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "it's a folder"
    here.mkdir()
    monkeypatch.chdir(here)
    report = logged(tables, here, COMMANDS["anonymize"])
    script = here / "log.sql"
    assert stat.S_IMODE(script.stat().st_mode) == 0o600
    assert report["steps"]
    pairs = {
        (row["customer"], row["bought"])
        for row in pandas.read_csv(here / "out.csv", dtype=str).to_dict("records")
    }
    repeated(script.read_text("utf-8"))
    (again,) = here.glob("log-*-made")
    assert pairs != {
        (row["customer"], row["bought"]) for row in pandas.read_csv(again, dtype=str).to_dict("records")
    }


def test_hostile_names_stay_names(here: Path) -> None:
    columns = ", ".join('i % 3 AS "' + name.replace('"', '""') + '"' for name in NAMES[:20])
    folder = here / "it's a folder; --"
    folder.mkdir()
    source = str(folder / "t.parquet").replace("'", "''")
    duckdb.sql(f"COPY (SELECT 'p' || i AS person, {columns} FROM range(9) AS numbers (i)) TO '{source}'")
    line = ["assess", folder / "t.parquet", "-q", "--format", "json", "--user", "person", "--samples", "0"]
    done = command(*line, "--only", "attribute_risk", "--sql-log", folder / "log.sql")
    assert done.code == 0, done.err
    held = repeated((folder / "log.sql").read_text("utf-8"))
    risks = [rows[0]["mean_risk"] for name, rows in held.items() if name.startswith("attribute_risk_")]
    assert risks == [
        entry["mean_risk"] for entry in sorted(done.json["attribute_risk"], key=lambda e: e["rank"])
    ]
    assert len(risks) == 20


@pytest.mark.parametrize("kind", ["csv", "json", "folder", "database", "query"])
def test_any_source_is_read_again(kind: str, tables: Path, here: Path) -> None:
    source = (tables / "t.parquet").as_posix()
    more: list[str] = []
    name = {"csv": "t.csv", "json": "t.json", "folder": "parts", "database": "t.duckdb", "query": "t.csv"}[
        kind
    ]
    if kind in ("csv", "query"):
        duckdb.sql(f"COPY (FROM '{source}') TO '{here / name}' (FORMAT csv)")
        more = ["--query", "SELECT customer, item, quantity FROM source"] if kind == "query" else []
    elif kind == "json":
        duckdb.sql(f"COPY (FROM '{source}') TO '{here / name}' (FORMAT json)")
    elif kind == "folder":
        duckdb.sql(
            f"COPY (SELECT *, quantity AS part FROM '{source}') TO '{here / name}' "
            "(FORMAT parquet, PARTITION_BY part)"
        )
    else:
        with duckdb.connect(str(here / name)) as connection:
            connection.execute(f"CREATE TABLE records AS FROM '{source}'")
    done = command(
        *("assess", name, *more, "-q", "--user", "customer", "--only", "attribute_risk", "--samples", "0"),
        *("--known-records", "0", "--format", "json", "--sql-log", "log.sql"),
    )
    assert done.code == 0, done.err
    held = set(numbers(list(repeated((here / "log.sql").read_text("utf-8")).values())))
    assert {entry["mean_risk"] for entry in done.json["attribute_risk"]} <= held


def test_a_long_statement_is_soon_looked_through() -> None:
    """A search that begins anew at each character takes minutes for this."""
    started = time.process_time()
    assert UNFINISHED.sub("", "x" * 300_000) == "x" * 300_000
    assert UNFINISHED.sub("m", "'/it''s/.duckrisk-1/made', '/.duckrisk/made'") == "'m', '/.duckrisk/made'"
    assert time.process_time() - started < 2


def test_what_a_script_cannot_read_again_is_refused(tables: Path, here: Path) -> None:
    frame = pandas.DataFrame({"person": [1, 2, 3], "age": [30, 40, 40]})
    with pytest.raises(UsageError, match="A script could not read this source again"):
        duckrisk.assess(frame, sql_log="log.sql")
    text = frame.to_csv(index=False).encode()
    (here / "old.csv").write_bytes("名前,年齢\n佐藤,30\n鈴木,40\n".encode("cp932"))
    (here / "t.csv").write_bytes(text)
    for arguments, stdin in ((["-"], text), (["old.csv"], b"")):
        done = command("assess", *arguments, "-q", "--sql-log", "log.sql", stdin=stdin)
        assert (done.code, done.out) == (2, "")
        assert "A script could not read this source again" in done.err
    over = command("assess", "t.csv", "-q", "--sql-log", "t.csv")
    assert over.code == 2
    assert "part of the source" in over.err
    nowhere = command("assess", "t.csv", "-q", "--sql-log", "nowhere/log.sql")
    assert (nowhere.code, "folder" in nowhere.err) == (3, True)
    assert (here / "t.csv").read_bytes() == text
    assert not (here / "log.sql").exists()


def test_a_run_that_fails_leaves_no_script(here: Path) -> None:
    (here / "t.csv").write_text("person,age\n1,30\n", encoding="utf-8")
    done = command("assess", "t.csv", "-q", "--user", "nobody", "--sql-log", "log.sql")
    assert done.code == 2
    assert [file.name for file in here.iterdir()] == ["t.csv"]


def test_python_writes_the_same_script(tables: Path, here: Path) -> None:
    logged(tables, here, "assess t.parquet -q --only direct_identifiers")
    script = (here / "log.sql").read_text("utf-8")
    duckrisk.assess("t.parquet", only=["direct_identifiers"], sql_log="other.sql")
    again = (here / "other.sql").read_text("utf-8")
    assert again.replace("other.sql", "log.sql") == script
