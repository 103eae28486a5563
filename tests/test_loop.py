"""init, advise, anonymize, compare and a gate in one folder, with the very commands that are printed."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pandas
import pytest

from tests.command import ROOT, Result, command, table
from tests.tables import thinned

#: A table like Adult: one record a person, some columns of many values.
PEOPLE = """
    SELECT 17 + CAST(hash(i) % 70 AS INTEGER) AS age, CAST(10000 + hash(i + 7) % 900 AS INTEGER) AS weight,
        'work ' || hash(i + 1000000) % 8 AS workclass, 'school ' || hash(i + 2000000) % 16 AS education,
        (ARRAY['f', 'm'])[1 + CAST(hash(i + 3000000) % 2 AS INTEGER)] AS sex,
        CASE WHEN hash(i + 4000000) % 10 = 0 THEN 'else' ELSE 'here' END AS country
    FROM range(300) t(i)
"""
WIDE = "SELECT {} FROM range(500) t(i)"


def people(path: Path) -> None:
    table(path, PEOPLE)


def wide(path: Path) -> None:
    cells = (f"'v' || hash(i + {n * 100_000}) % {2 + n % 5} AS c{n}" for n in range(12))
    table(path, WIDE.format(", ".join(cells)))


def very_wide(path: Path) -> None:
    """More columns than what was lost can be measured of: what was bought is told all the same."""
    cells = (f"'v' || hash(i + {n * 100_000}) % {2 + n % 5} AS c{n}" for n in range(70))
    table(path, WIDE.format(", ".join(cells)))


def retail(path: Path) -> None:
    table(path, f"SELECT * FROM '{ROOT / 'datasets' / 'retail.parquet'}' WHERE CustomerID % 20 = 0")


def printed(shown: str, *words: str) -> list[str]:
    """The first command among what was printed that begins and goes on so, as a shell splits it."""
    lines = [line.strip() for line in shown.replace("\\\n", " ").splitlines()]
    every = [shlex.split(line) for line in lines if line.startswith("duckrisk ")]
    return next(one for one in every if one[1] == words[0] and set(words) <= set(one))


def done(*words: str, code: int = 0) -> Result:
    found = command(*words)
    assert found.code == code, (words, found.out[-500:], found.err)
    return found


@pytest.mark.slow
def test_a_history_that_no_form_hides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of 23 people has a history of their own: only rows without a link pass, as the release says."""
    monkeypatch.chdir(tmp_path)
    retail(tmp_path / "data.parquet")
    done("init", "data.parquet")
    advised = done("advise", "data.parquet").out
    assert "As it is 23 of 23 people (100%) are singled out" in " ".join(advised.split())
    released = done(*printed(advised, "anonymize", "--to-policy")[1:])
    assert '"CustomerID" is left out: no histories' in " ".join(released.out.split())
    assert "CustomerID" not in pandas.read_parquet("release.parquet")
    compared = done(*printed(released.out, "compare", "--fail-on")[1:])
    assert compared.out.rstrip().splitlines()[-1].startswith("The gate passed")
    told = done("assess", "release.parquet", "--original", "data.parquet").out
    assert "23 people, not linked" in told
    assert '✓ Meets the policy "public"' in told


@pytest.mark.slow
@pytest.mark.parametrize("made", thinned([people, wide, very_wide], 3), ids=lambda made: str(made.__name__))
def test_the_loop(made: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path / "data.parquet")
    done("init", "data.parquet", "--user", "")  # columns without a name leave the person open
    advised = done("advise", "data.parquet").out
    first = printed(advised, "anonymize", "-o")
    released = done(*first[1:])
    compare = printed(released.out, "compare", "--fail-on")
    assert compare[2:4] == ["data.parquet", "release.parquet"]
    kept = done(*compare[1:])
    assert "0 of" in kept.out
    assert kept.out.rstrip().splitlines()[-1].startswith("The gate passed")
    done(
        "assess", "release.parquet", "--only", "attribute_risk", "-q"
    )  # settings speak of columns that are gone
