"""The commands that a run prints keep the language that was asked for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command import command
from tests.tables import thinned

ROWS = [f"P{n:03d},{20 + n * n % 211},{'MF'[n % 2]},{'abcdefg'[n * 3 % 7]}" for n in range(400)]
RUNS = (
    ("assess", "p.csv"),
    ("assess", "mails.csv"),
    ("advise", "p.csv"),
    ("advise", "p.csv", "--objective", "value", "--level", "age=1,1"),
    ("anonymize", "p.csv", "-o", "r.csv", "--to-policy", "public"),
)


@pytest.mark.slow
@pytest.mark.parametrize("words", thinned(RUNS, 4), ids=" ".join)
def test_printed_commands_keep_the_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("person,age,sex,site\n" + "\n".join(ROWS) + "\n")
    mails = [f"{row},m{n}@example.org" for n, row in enumerate(ROWS)]
    Path("mails.csv").write_text("person,age,sex,site,email\n" + "\n".join(mails) + "\n")
    done = command(*words, "--lang", "ja")
    assert done.code == 0, done.err
    printed = re.findall(r"^ *duckrisk .*", done.out.replace("\\\n", ""), re.MULTILINE)
    assert printed
    assert all("--lang ja" in line for line in printed), printed
