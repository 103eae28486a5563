"""Reports in Japanese hold no English sentence, whatever had to be done to open the source."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from duckrisk.measures.identifiability.levels import read_chart
from tests import pwscup_oracle
from tests.command import command
from tests.tables import thinned

#: Words of English in a row; names of the source in these tests have none.
ENGLISH = re.compile(r"[A-Za-z][a-z]+ [a-z]+ [a-z]+")
ODD = "odd.csv --no-header --encoding cp932"
QUERY = "SELECT\tuser_id,age\tFROM\tsource\tWHERE\tage>30"
SIX = "parts --only attribute_risk --only class_sizes --only suda --only attribute_sets --only minimal_keys"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of sources that need notes."""
    made = tmp_path_factory.mktemp("sources")
    draw = random.Random(4)
    cells = [(user, 20 + draw.randrange(40), draw.choice(["東京", "大阪", "福岡"])) for user in range(60)]
    lines = "".join("{},{},{}\n".format(*row) for row in cells)
    head = "user_id,age,age\n"
    written = {
        "odd.csv": lines.encode("cp932"),
        "parts/a.csv": (head + lines).encode(),
        "parts/b.csv": b"",
        "parts/c.csv": head.encode(),
        "parts/d.json": b"{}",
        "parts/e.log": b"done",
        "release/a.csv": (head + lines.replace("東京", "大阪")).encode("cp932"),
        "release/b.csv": b"",
    }
    for name, content in written.items():
        (made / name).parent.mkdir(exist_ok=True)
        (made / name).write_bytes(content)
    history, master = pwscup_oracle.contest(3, customers=6)
    pwscup_oracle.write(made / "T.csv", history)
    pwscup_oracle.write(made / "M.csv", [(user, *row) for user, row in master.items()])
    (made / "T18.csv").write_text("7,2010/12/1,A,1.00,4\n8,2010/12/2,B,2.00,8\n", encoding="utf-8")
    (made / "G18.csv").write_text("7,7\n8,8\n", encoding="utf-8")
    pwscup_oracle.write(made / "A.csv", pwscup_oracle.submission(history, 1))
    return made


@pytest.mark.parametrize(
    "line",
    thinned(
        [
            f"assess {ODD} --where c1>25",
            f"assess {SIX} --user user_id --quasi-identifier age",
            f"assess parts --query {QUERY} --user user_id",
            "advise parts --user user_id --steps 2",
            f"anonymize {ODD} -o released.csv --pseudonymize c0 --overwrite",
            "compare parts release --user user_id",
            "pwscup attack --original T.csv --release A.csv --master M.csv --attack combined --alpha 50",
            "pwscup check A.csv --original T.csv --master M.csv",
            "pwscup score-2018 T18.csv T18.csv --guess G18.csv",
            "membership risks parts release --attacks-per-risk 5",
            "membership utility parts release",
            "membership attack parts release --guesses 5",
            f"membership synthesize {ODD} -o synthesized.csv --overwrite",
            f"membership anneal {ODD} -o annealed.csv --iterations 20 --overwrite",
        ]
    ),
)
def test_no_report_in_japanese_holds_an_english_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(folder)
    found = command(*line.split(" "), "--lang", "ja", "--format", "markdown")
    assert found.code == 0, found.err
    assert "。" in found.out
    prose = re.sub(r"```.*?```|`[^`]*`", "", found.out, flags=re.DOTALL)
    types = "|".join(name.replace("_", " ") for name in read_chart())  # are what settings call them
    assert [told for told in re.sub(types, "", prose).splitlines() if ENGLISH.search(told)] == []


@pytest.mark.parametrize(
    ("source", "notes"),
    [
        ("odd.csv", ["見出し行がない", "文字コードcp932", "UTF-8で保存し直す"]),
        ("parts", ["2件は表の一部ではない", "空のファイル1件", "見出し行だけ", "列名が空または重複"]),
    ],
)
def test_notes_on_a_source_are_in_japanese(
    folder: Path, monkeypatch: pytest.MonkeyPatch, source: str, notes: list[str]
) -> None:
    monkeypatch.chdir(folder)
    header = ["--no-header"] if source == "odd.csv" else []
    told = command(
        "assess", source, *header, "--only", "attribute_risk", "--lang", "ja", "--format", "markdown"
    )
    assert [note for note in notes if note not in told.out] == []
    shown = command("sql", "show", "profile", source, *header).out  # statements are in English
    assert shown.startswith("-- ")
    assert shown.isascii()
