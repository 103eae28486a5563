"""A terminal never acts on what is in a name, whatever is printed; a file keeps every byte."""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.command import FEW, command, on_terminal
from tests.tables import engine, thinned

#: Colours, titles, the cursor, by both ways to write an escape; directions of writing; ends of a line.
NAMES = [
    "\x1b[31mred\x1b]0;title\x07",
    "\x9b2Jgone\x9d0;title\x9c",
    "right\u202eto\u2066left\u200f",
    "over\rand\x08back\x7f",
    "line\u2028and\x85line",
    "tag\U000e0041",
]
FILE = "a\x1b[31m\x9b2J\u202e.parquet"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with a table of such names in a file with such a name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    cells = ", ".join(f'i * {7 + n} % {3 + n} AS "{name}"' for n, name in enumerate(NAMES))
    engine().execute(
        f"COPY (SELECT 'u' || i % 20 AS customer_id, {cells} FROM range(80) AS r(i)) TO '{FILE}' "
        "(FORMAT parquet)"
    )
    return tmp_path


def steering(text: str) -> list[str]:
    """What a terminal would act on."""
    return [
        text[max(0, at - 20) : at + 20]
        for at, character in enumerate(text)
        if character not in "\n\t" and unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    ]


LINES: list[Sequence[str]] = [
    *(["assess", FILE, "--format", form, *FEW[-2:], "--only", "attribute_risk"] for form in ("table", "csv")),
    ["assess", FILE, "--format", "html", "--known-records", "0", "--show-values"],
    ["assess", FILE, "--format", "markdown", "--only", "class_sizes", "--only", "minimal_keys"],
    ["assess", FILE, "--format", "json", "--only", "attribute_risk"],
    ["sql", "show", "profile", FILE],
    ["sql", "show", "attribute_risk", FILE, "--attribute", NAMES[0]],
    ["anonymize", FILE, "-o", "\x1b[1m\u202e.csv", "--suppress", NAMES[0], "--suppress", NAMES[1]],
    # other reports: each form is written by one renderer, whatever the report
    ["compare", FILE, FILE, "--only", "information"],
    ["advise", FILE, "--steps", "1"],
    ["init", FILE, "-o", "\x9b2J.toml"],
    ["membership", "synthesize", FILE, "-o", "\x9b2J\u202e.csv"],
    ["attack", FILE],
    # refused
    ["assess", f"no{FILE}"],
    ["assess", FILE, "--user", "\x9b2J"],
    ["assess", FILE, "--attribute", "\u202ered"],
    ["assess", FILE, "--where", NAMES[0]],
    ["assess", FILE, "--format", "\x9b2J\x1b[1m"],
    ["assess", FILE, "--\x9b2J\x1b[1m"],
    ["assess", FILE, "-o", "\x9b2J/\x1b[1m.txt"],
    ["\x9b2J\x1b[1m"],
    ["explain", "\x9b2J\x1b[1m"],
    ["sql", "show", "\x9b2J\x1b[1m", FILE],
]


@pytest.mark.parametrize("line", thinned(LINES, 4), ids=lambda line: ascii(" ".join(line))[:60])
def test_a_terminal_does_not_act_on_names(line: Sequence[str]) -> None:
    said = on_terminal(*line)
    assert said
    assert not steering(said), steering(said)[:3]
    assert "please report" not in said


def test_json_on_a_terminal_is_json() -> None:
    line = ["assess", FILE, "--format", "json", *FEW[-2:], "--only", "attribute_risk"]
    shown, piped = on_terminal(*line), command(*line)
    data = json.loads(shown)
    assert data == piped.json
    assert {column["name"] for column in data["source"]["columns"]} == {"customer_id", *NAMES}
    assert steering(piped.out)  # as it is


def test_a_file_keeps_every_byte() -> None:
    line = ["assess", FILE, *FEW[-2:], "--only", "attribute_risk"]
    assert command(*line, "-o", "report.csv").code == 0
    with open("report.csv", newline="", encoding="utf-8") as file:
        found = {row["attribute"] for row in csv.DictReader(file)}
    assert len(found) > 3
    assert found <= set(NAMES)
    shown, piped = on_terminal(*line, "--format", "csv"), command(*line, "--format", "csv").out
    kept = Path("report.csv").read_bytes().decode()
    assert re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), piped) == kept
    assert shown.count("\n") == piped.count("\r\n")
    sql = ["sql", "show", "profile", FILE]
    assert re.search(r"\\u001b", on_terminal(*sql))
    piped, shown = command(*sql).out, on_terminal(*sql)
    assert piped.replace("\U000e0041", "") == shown.replace(r"\udb40\udc41", "")
