"""What the first screen promises of the step that it prints first."""

from __future__ import annotations

import random
import re
import shlex
from pathlib import Path

import pytest

from tests.command import command
from tests.tables import EXAMPLES

#: The command, the file that it writes, and the limits that still fail.
STEP = re.compile(
    r"^  duckrisk (anonymize .*-o (draft|release)\.parquet.*)\n"
    r" +[^;]*(?:; then (\d+) limits? still fails?)?$",
    re.M,
)


def _people(path: Path, seed: int) -> None:
    """Write records of people with numbers, addresses and attributes, several of each person or one."""
    draw = random.Random(seed)
    people, each = draw.randint(30, 90), draw.choice([1, 1, 4])
    attributes = draw.randint(1, 3)
    lines = ["patient_id,e-mail," + ",".join(f"a{place}" for place in range(attributes))]
    for person in range(people):
        code = f"P{person:05d}" if draw.random() < 0.95 else f"p {person}"
        for _ in range(draw.randint(1, each)):
            values = (str(draw.randint(1, 4 ** (place + 1))) for place in range(attributes))
            lines.append(f"{code},u{person}@example.org," + ",".join(values))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("seed", range(8 if EXAMPLES >= 20 else 2))
def test_so_many_limits_still_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.chdir(tmp_path)
    _people(tmp_path / "people.csv", seed)
    screen = command("assess", "people.csv").out
    promised = STEP.search(screen.replace(" \\\n     ", ""))
    assert promised is not None, screen
    typed = command(*shlex.split(promised[1]))
    assert typed.code == 0, typed.err
    verdict = command("assess", f"{promised[2]}.parquet", "--format", "json").json["verdict"]
    exceeded = [finding["name"] for finding in verdict["findings"] if finding["met"] is False]
    assert len(exceeded) == int(promised[3] or 0)
    assert (promised[2] == "release") == (not exceeded)
    assert "identifying_columns" not in exceeded
