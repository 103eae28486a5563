"""The most noise that a release bears: what is found is what the other commands say of each probability."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from duckrisk import membership
from tests.command import command
from tests.membership.test_annealing import people
from tests.tables import thinned


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "people.parquet"
    people().to_parquet(path)
    return path


def mean_indices(source: Path, folder: Path, keep: float, drawn: str, seed: int) -> dict[str, float]:
    """The means of three releases that `synthesize` writes and `utility` measures."""
    made = []
    for draw in range(3):
        made.append(folder / f"{keep}_{draw}.parquet")
        membership.synthesize(source, made[-1], method=drawn, keep=keep, seed=seed + draw, overwrite=True)
    releases = membership.utility(source, *made).data["releases"]
    return {
        name: math.fsum(release[name]["value"] for release in releases) / 3
        for name in ("histogram", "correlation")
    }


@pytest.mark.slow
@pytest.mark.parametrize("drawn", thinned(["rrp", "rr"]))
def test_the_smallest_probability_and_its_release(tmp_path: Path, source: Path, drawn: str) -> None:
    out = tmp_path / "out.parquet"
    found = membership.anneal(source, out, method="noise", noise=drawn, seed=5)
    noise = found.data["noise"]
    step = round(100 * noise["keep"])
    assert 0 < step < 99
    for keep, passes in ((step, True), (step - 1, False)):
        means = mean_indices(source, tmp_path, keep / 100, drawn, 5)
        assert (means["histogram"] >= 0.97 and means["correlation"] >= 0.9) is passes
        tried = next(one for one in noise["tried"] if one["keep"] == keep / 100)
        assert (tried["passed"] is not False) is passes
        values = {check["index"]: check["value"] for check in tried["checks"]}
        assert values["trees"] is None  # not measured, so that the round stays open
        assert values["histogram"] == pytest.approx(means["histogram"], abs=1e-12)
        assert values["correlation"] == pytest.approx(means["correlation"], abs=1e-12)
    again = tmp_path / "again.parquet"
    membership.synthesize(source, again, method=drawn, keep=step / 100, seed=5)
    assert out.read_bytes() == again.read_bytes()
    assert (found.data["cost"], noise["drawn"], noise["draws"]) == (0, drawn, 3)
    assert [one["keep"] for one in noise["tried"]] == sorted({one["keep"] for one in noise["tried"]})
    assert found.data["iterations"] == 3 * len(noise["tried"])


@pytest.mark.slow
def test_the_attack_is_that_of_the_command(tmp_path: Path, source: Path) -> None:
    population = pd.concat([people(), people(seed=2)]).drop_duplicates()
    members = people().drop_duplicates()
    population.to_parquet(tmp_path / "population.parquet", index=False)
    members.to_parquet(source, index=False)
    out = tmp_path / "out.parquet"
    candidates = tmp_path / "population.parquet"
    found = membership.anneal(source, out, method="noise", candidates=candidates, seed=1)
    attacked = membership.attack(candidates, out, members=source).data["attacks"][0]
    noise = found.data["noise"]["attack"]
    assert (noise["attack"], noise["candidates"]) == ("distance", len(population))
    assert (noise["hits"], noise["guesses"]) == (attacked["hits"], len(attacked["guesses"]))
    assert (noise["expected"], noise["auc"]) == (attacked["expected"], attacked["scores"]["auc"])
    said = found.to_text()
    assert f"finds {noise['hits']} members in {noise['guesses']} guesses" in " ".join(said.split())


@pytest.mark.slow
def test_noise_that_never_suffices(tmp_path: Path) -> None:
    """Twelve records: one that changes moves an index by more than a threshold leaves."""
    people(12).to_parquet(tmp_path / "few.parquet")
    found = membership.anneal(tmp_path / "few.parquet", tmp_path / "out.parquet", method="noise", seed=2)
    noise = found.data["noise"]
    missed = noise["tried"][-1]["passed"] is False
    assert noise["keep"] == 0.99 if missed else noise["keep"] < 0.99
    assert (found.data["cost"] > 0) is missed
    preliminary = membership.anneal(
        tmp_path / "few.parquet", tmp_path / "out.parquet", method="noise", seed=2, round="preliminary",
        overwrite=True,
    )  # fmt: skip
    assert [check["index"] for check in preliminary.data["noise"]["tried"][0]["checks"]] == [
        "histogram", "covariance", "trees",
    ]  # fmt: skip


MISTAKES: list[tuple[tuple[Any, ...], str]] = [
    (("--method", "noise", "--cooling", "0.5"), "--cooling is about searches by swaps or whole tables"),
    (("--method", "noise", "--iterations", "5"), "--iterations is about searches by swaps"),
    (("--method", "noise", "--state", "s.json"), "--state is about searches by swaps"),
    (("--noise", "rr"), "--noise needs --method noise"),
    (("--candidates", "people.parquet"), "--candidates needs --method noise"),
]


@pytest.mark.parametrize(("words", "sentence"), MISTAKES)
def test_options_that_do_not_go_together(
    source: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[Any, ...], sentence: str
) -> None:
    monkeypatch.chdir(source.parent)
    assert re.search(
        re.escape(sentence), command("membership", "anneal", source, "-o", "out.csv", *words).err
    )
    assert sorted(path.name for path in source.parent.iterdir()) == ["people.parquet"]


@pytest.mark.slow
def test_an_attack_that_fails_leaves_no_release(tmp_path: Path, source: Path) -> None:
    """Candidates that have other copies of the members cannot be judged."""
    pd.concat([people(), people()]).to_parquet(tmp_path / "twice.parquet", index=False)
    done = command(
        *("membership", "anneal", source, "-o", tmp_path / "out.csv", "--method", "noise"),
        *("--candidates", tmp_path / "twice.parquet"),
    )
    assert done.code == 3, done.err
    assert "leave out duplicates" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet", "twice.parquet"]


@pytest.mark.slow
def test_json_and_japanese(tmp_path: Path, source: Path) -> None:
    words = ("membership", "anneal", source, "-o", tmp_path / "out.csv", "--overwrite", "--method", "noise")
    data = json.loads(command(*words, "--seed", "3", "--format", "json").out)
    assert data["noise"]["drawn"] == "rrp"
    assert "attack" not in data["noise"]
    said = command(*words, "--seed", "3", "--lang", "ja").out
    assert "残るセル" in said
