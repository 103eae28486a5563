"""Every example of the help runs as it stands there, on tables that are made for it."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from duckrisk import cli
from tests import pwscup_oracle as oracle
from tests import readme
from tests.cli.test_every_option import GIVEN, commands, here, without_engine
from tests.command import command, table
from tests.tables import COMMANDS_FROM, thinned

__all__ = ["here"]

#: 120 visits of 60 people, of whom many are alike.
VISITS = """
    SELECT i % 60 AS patient_id, 'name ' || i % 60 AS name,
           DATE '1950-03-05' + INTERVAL (i % 6 * 400) DAY AS birth,
           'city ' || i % 3 AS city, 20 + i % 5 * 10 AS age
    FROM range(120) t(i)
"""
PEOPLE = "SELECT 20 + i % 7 AS age, 'city ' || i % 5 AS city, i % 4 AS children FROM range(80) t(i)"
HISTORY = """
    SELECT 'u' || i * 7 % 20 AS customer, DATE '2024-01-01' + INTERVAL (i * 37 % 90) DAY AS bought,
           'p' || i * 13 % 11 AS product, i % 4 AS pieces
    FROM range(200) t(i)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All files that examples name and that no example makes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tables").mkdir()
    table(tmp_path / "customers.parquet", PEOPLE)
    table(tmp_path / "people.parquet", PEOPLE)
    table(tmp_path / "visits.csv", VISITS)
    for name in ("release.parquet", "by_month.csv"):
        table(tmp_path / name, f"SELECT * REPLACE (date_trunc('month', birth) AS birth) FROM ({VISITS})")
    table(tmp_path / "by_year.csv", f"SELECT * REPLACE (date_trunc('year', birth) AS birth) FROM ({VISITS})")
    return tmp_path


#: So many iterations take ten seconds.
SHORTER = {"--iterations 1000": "--iterations 20"}


def run(line: str, folder: Path) -> None:
    """Run an example; it may write what one before it wrote."""
    for long, short in SHORTER.items():
        line = line.replace(long, short)
    for one in readme.commands(line):
        words = one.arguments
        target = words[words.index("-o") + 1] if "-o" in words else ""
        for written in (target, f"{target}.recipe.toml") if target else ():
            if written not in words[: words.index("-o")]:
                (folder / written).unlink(missing_ok=True)
        result = command(*words)
        allowed = (0, 1) if "--fail-on" in words else (0,)
        assert result.code in allowed, (line, result.code, result.err)
        if "--fail-on" in words:
            assert "cannot be judged" not in result.err


def contest(folder: Path) -> None:
    """A history of the contest, its customers, and what participants made of it."""
    lines = [
        (str(i * 7 % 20), str(i), f"2011/{1 + i % 12}/{1 + i * 3 % 28}", f"{8 + i % 9}:30", f"p{i * 13 % 11}",
         f"{1 + i % 5}.50", str(1 + i % 4))
        for i in range(240)
    ]  # fmt: skip
    oracle.write(folder / "T.csv", lines)
    oracle.write(folder / "M.csv", [(str(user), "f", "1970/1/1", "Japan") for user in range(20)])
    for seed, name in (("1", "A"), ("2", "B")):
        made = command("pwscup", "anonymize", "T.csv", "-o", f"{name}.csv", "--seed", seed)
        assert made.code == 0, made.err
    assert command("pwscup", "pseudonyms", "T.csv", "A.csv", "-o", "F.csv").code == 0
    assert command("pwscup", "release", "A.csv", "-o", "S.csv", "--seed", "1").code == 0
    assert command("pwscup", "partial-knowledge", "T.csv", "--alpha", "25", "-o", "T25.csv").code == 0


def contest_2018(folder: Path) -> None:
    days = [(str(i % 9), f"2010/12/{1 + i % 28}", f"p{i % 5}", "1.00", str(1 + i % 3)) for i in range(90)]
    oracle.write(folder / "T.csv", days)
    oracle.write(folder / "A.csv", [(str(100 + int(day[0])), *day[1:]) for day in days])
    oracle.write(folder / "F.csv", [(str(100 + user), str(user)) for user in range(9)])


def history(folder: Path) -> None:
    """A history with a release, and what an attacker knows."""
    own = "SELECT customer AS id, bought AS day, product AS what FROM ({})"
    table(folder / "t.csv", own.format(HISTORY))
    table(folder / "k.csv", f"{own.format(HISTORY)} LIMIT 60")
    renamed = f"SELECT * REPLACE ('r' || substr(customer, 2) AS customer) FROM ({HISTORY})"
    table(folder / "history.csv", HISTORY)
    table(folder / "known.csv", f"SELECT * FROM ({HISTORY}) LIMIT 60")
    table(folder / "s.csv", renamed)
    table(folder / "r.csv", own.format(renamed))


def synthetic(folder: Path) -> None:
    """A population, the members of it, a release of these, and a guess."""
    few = "SELECT DISTINCT 20 + i % 31 AS age, 'city ' || i % 7 AS city FROM range({}) t(i)"
    table(folder / "people.csv", PEOPLE)
    table(folder / "others.csv", f"SELECT age + 1 AS age, city, children FROM ({PEOPLE}) LIMIT 40")
    for name, count in (("everybody", 217), ("B", 217), ("members", 110), ("A", 110)):
        table(folder / f"{name}.csv", few.format(count))
    (folder / "g.csv").write_text("\n".join(map(str, range(10))) + "\n", encoding="utf-8")


def evidence(folder: Path) -> None:
    """The evidence of an assessment, and what was assessed."""
    table(folder / "visits.csv", PEOPLE)
    assert command("assess", "visits.csv", "--user", "", "--evidence", "evidence").code == 0


def counts(folder: Path) -> None:
    """Tables of counts as rows and as a crosstab, and visits with ages."""
    of = "SELECT age // 20 * 20 AS age, city, count(*) AS patients FROM ({}) GROUP BY ALL"
    table(folder / "counts.csv", of.format(VISITS))
    table(folder / "other.csv", of.format(f"SELECT * FROM ({VISITS}) WHERE patient_id > 2"))
    (folder / "published.csv").write_text("city,a,b,Total\nx,5,*,9\ny,7,20,27\nTotal,12,24,36\n", "utf-8")


def months(folder: Path) -> None:
    """Two releases with the same people."""
    for name, shift in (("may", 0), ("june", 1)):
        table(
            folder / f"{name}.csv",
            f"SELECT i AS patient_id, 20 + (i + {shift}) % 7 AS age, 'city ' || i % 5 AS city, "
            f"'illness ' || (i + {shift}) % 4 AS illness FROM range(60) t(i)",
        )


#: What is there before the examples of a command, or of a group of them.
PREPARED = {
    "sequence": (months,),
    "attack": (history,),
    "pwscup": (contest,),
    "pwscup score-2018": (contest_2018,),
    "membership": (synthetic,),
    "verify": (evidence,),
    "tables": (counts,),
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Any], Path]:
    """A folder with what a function of PREPARED writes, made once."""

    @cache
    def make(prepare: Callable[[Path], None]) -> Path:
        made = tmp_path_factory.mktemp("prepared")
        with contextlib.chdir(made):
            prepare(made)
        return made

    return make


@pytest.mark.slow
@pytest.mark.parametrize("name", thinned(readme.examples(), 4, all_from=COMMANDS_FROM))
def test_examples_of_the_help(name: str, folder: Path, prepared: Callable[[Any], Path]) -> None:
    for prepare in PREPARED.get(name, PREPARED.get(name.split()[0], ())):
        shutil.copytree(prepared(prepare), folder, dirs_exist_ok=True)
    if name == "membership attack":
        table(folder / "made.csv", "SELECT 20 + i % 31 AS age, 'city ' || i % 7 AS city FROM range(110) t(i)")
    elif name.startswith("membership"):
        for made in ("made.csv", "made.parquet"):
            table(folder / made, PEOPLE)
    lines = readme.examples()[name]
    for line in thinned(lines, all_from=COMMANDS_FROM):  # the first stands by itself, and so does the third
        run(line, folder)


def test_the_help_shows_these_examples() -> None:
    for name, lines in readme.examples().items():
        shown = command(*name.split(), "--help").out
        assert all(f"  {line}\n" in shown for line in lines), name


#: A condition as help texts write it.
_CONDITION = re.compile(r"'([^' ]+ [<>]=? [^' ]+)'")


def test_conditions_in_the_help_of_an_option_can_be_judged(here: Path) -> None:
    """They get so far as where the engine is opened."""
    seen = set()
    for name, _ in commands(cli.app_of(None)):
        shown = " ".join(command(*name.split(), "--help-all").out.partition("\nExamples:")[0].split())
        for condition in _CONDITION.findall(shown):
            if condition.startswith("NUMBER "):  # stands for any
                continue
            seen.add(condition)
            flag = (
                "--target"
                if "--target" in shown.partition(condition)[0].rpartition("--fail-on")[2]
                else "--fail-on"
            )
            more = ("--to-policy", "public") if condition.startswith("policy.") else ()
            given = (
                GIVEN[name]
                if name != "anonymize"
                else ("p.parquet", "-o", "o.csv", *(more or ("--drop", "age")))
            )
            with without_engine(name.split()[0]):
                result = command(*name.split(), *given, flag, condition)
            assert "So far all was well" in result.err, (name, condition, result.err)
    assert len(seen) >= 3, seen
