"""Columns of the same name in two CSV files are read alike, whatever each looks like alone: held against
texts that are compared in plain Python."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from duckrisk.contests.membership.attacks.scoring import Guess, Members, score
from duckrisk.source import Request
from tests.command import command
from tests.tables import thinned

#: Values as files write them, which alone look like truth values, numbers, dates, moments; and what is none.
_WRITTEN = {
    "truth": (["t", "f"], "unknown"),
    "zeros": (["01", "02", "003", "10"], "2A"),
    "points": (["1.0", "2.0", "3.50"], "none"),
    "days": (["31.12.2020", "05.01.2021", "17.02.2021"], "never"),
    "months first": (["12/31/2020", "1/5/2021", "2/17/2021"], "never"),
    "moments": (["31.12.2020 10:05:00", "05.01.2021 23:59:59"], "never"),
}
_KINDS = pytest.mark.parametrize("kind", thinned(_WRITTEN))


def put(path: Path, values: list[str]) -> str:
    """A file with these values, and numbers and texts beside them so that its first line is a header."""
    lines = [f"{value},{place % 2},x{place % 2}" for place, value in enumerate(values)]
    path.write_text("\n".join(["a,n,x", *lines]) + "\n", encoding="utf-8")
    return str(path)


def cycle(values: list[str], count: int) -> list[str]:
    return [values[place % len(values)] for place in range(count)]


def compared(original: str, release: str) -> dict[str, Any]:
    options = ("--only", "information", "--user", "", "--attribute", "a", "--format", "json", "-q")
    result = command("compare", original, release, *options)
    assert result.code == 0, result.err
    return result.json["tables"][1]["information"]


@_KINDS
def test_a_release_with_cells_suppressed(kind: str, tmp_path: Path) -> None:
    """One column, some of its cells "*", each of which is as likely every value."""
    values, _ = _WRITTEN[kind]
    original = cycle(values, 24)
    release = ["*" if place % 5 == 0 else value for place, value in enumerate(original)]
    found = compared(put(tmp_path / "o.csv", original), put(tmp_path / "r.csv", release))
    whole, kept = Counter(original), Counter(release)
    left = {value: (kept[value] + kept["*"] / len(values)) / 24 for value in values}
    assert found["false_cells"] == {}
    assert found["kl"] == pytest.approx(
        sum(whole[value] / 24 * math.log2(whole[value] / 24 / left[value]) for value in values), abs=1e-9
    )


@_KINDS
def test_an_original_with_a_word_among_them(kind: str, tmp_path: Path) -> None:
    """What is no such value is in the original alone: its records are missing from the release."""
    values, word = _WRITTEN[kind]
    original = [*cycle(values, 24), word, word]
    release = cycle(values, 24)
    found = compared(put(tmp_path / "o.csv", original), put(tmp_path / "r.csv", release))
    assert found["false_cells"] == {}
    same = compared(str(tmp_path / "o.csv"), put(tmp_path / "s.csv", original))
    assert (same["kl"], same["valid"]) == (0.0, True)


def test_a_release_of_our_own_writes_true_for_t(tmp_path: Path) -> None:
    original = put(tmp_path / "o.csv", cycle(["t", "f"], 24))
    out = tmp_path / "r.csv"
    made = command("anonymize", original, "-o", out, "--suppress-cells", "a=n = 1", "-q")
    assert made.code == 0, made.err
    assert "true" in out.read_text(encoding="utf-8")
    assert compared(original, str(out))["false_cells"] == {}


@pytest.mark.parametrize(("kind", "in_sample"), thinned(itertools.product(_WRITTEN, [False, True]), 3))
def test_a_population(kind: str, in_sample: bool, tmp_path: Path) -> None:
    """The classes of the sample among the people, counted as texts."""
    values, word = _WRITTEN[kind]
    sample = [*values, *([word] if in_sample else [])]
    people = [*cycle(values, 12), *([] if in_sample else [word])]
    result = command(
        *("assess", put(tmp_path / "s.csv", sample), "--population", put(tmp_path / "p.csv", people)),
        *("--only", "class_sizes", "--quasi-identifier", "a", "--user", "", "--format", "json", "-q"),
    )
    assert result.code == 0, result.err
    found, sizes = result.json["class_sizes"]["journalist"], Counter(people)
    assert found["records_beyond"] == sum(not sizes[value] for value in sample)
    if not in_sample:
        assert found["k_map"] == min(sizes[value] for value in sample)
        assert found["average_risk"] == pytest.approx(sum(1 / sizes[v] for v in sample) / len(sample))


@_KINDS
def test_members_are_found_in_the_population(kind: str, tmp_path: Path) -> None:
    values, word = _WRITTEN[kind]
    population = put(tmp_path / "p.csv", [*values, word])
    members = tmp_path / "m.csv"
    lines = (tmp_path / "p.csv").read_text(encoding="utf-8").splitlines()
    members.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    (tmp_path / "g.csv").write_text("0\n1\n", encoding="utf-8")
    guess = Guess("a", Request(str(tmp_path / "g.csv"), header=False))
    (found,) = score(Request(population), [Members(Request(str(members)))], [guess]).data["submissions"]
    assert found["attacks"][0]["hits"] == 2
