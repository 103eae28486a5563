"""Text that acts on nothing: no workflow, no screen."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.report.safe import Commands, escape_commands, escape_for_pipe
from tests.command import command, measured_once
from tests.tables import thinned

#: What begins a command for GitHub (after blanks; the older form anywhere in a line) and for Azure.
COMMAND = re.compile(r"^\s*::|##\[|##vso\[", re.MULTILINE)
NAMES = [
    "::error file=x::boo",
    "  ::warning::x",
    "\u00a0::add-mask::x",
    "##[error]boo",
    "a ##vso[task.complete]x",
    "::set-output name=a::b",
    "line\n::error::z",
    "over\r::error::z",
    "red\x1b[31m",
    "bell\x07",
    "c1\x9b31m",
    "right\u202eto\u2066left",
    "line\u2028::error::",
    "word " * 8 + "::error::wrapped",
    "x" * 90 + "::error::cut",
    "100%0A::error::",
]
ACTING = {"Cc", "Zl", "Zp", "Cs"}
DIRECTIONS = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def acting(text: str) -> set[str]:
    """What steers a screen, but for tabs and the ends of lines."""
    kept = text.replace("\r\n", "\n")
    return {c for c in kept if c not in "\n\t" and (unicodedata.category(c) in ACTING or c in DIRECTIONS)}


@given(st.text(st.sampled_from(":#[ vso\n\r\t\x1b\x9b\u202e\u2028\u200daé")))
def test_nothing_acts(text: str) -> None:
    shown = escape_for_pipe(text)
    assert not acting(shown)
    assert not COMMAND.search(shown.replace("\u200d", ""))
    written = json.dumps([text, "::x"], indent=0, ensure_ascii=False)
    assert json.loads(escape_for_pipe(written)) == [text, "::x"]


def test_what_is_meant_stays() -> None:
    assert (
        escape_commands(Commands("::error::x\n"))
        == escape_for_pipe(Commands("::error::x\n"))
        == "::error::x\n"
    )
    assert escape_for_pipe("a\u200db\u200cc\té\r\n") == "a\u200db\u200cc\té\r\n"
    assert escape_for_pipe("a::b [x] ## [y]") == "a::b [x] ## [y]"
    assert (escape_for_pipe("::x"), escape_for_pipe("##[x")) == ("\\u003a:x", "##\\u005bx")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table whose names and values would act."""
    path = tmp_path_factory.mktemp("hostile") / "::error::t.parquet"
    names = ", ".join(f'(i * {k + 3}) % {k + 5} AS "{name}"' for k, name in enumerate(NAMES))
    values = "'" + "', '".join(NAMES) + "'"
    select = (
        f"SELECT {names}, [{values}][i % {len(NAMES)} + 1] AS item, i % 20 AS person FROM range(120) AS t (i)"
    )
    with duckdb.connect() as made:
        made.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
    return path


@pytest.fixture
def quick() -> Iterator[None]:
    with measured_once():
        yield


@pytest.mark.parametrize(
    "form", thinned(["table", "full", "html", "json", "csv", "markdown", "sarif", "github"])
)
def test_nothing_acts_in_any_form(hostile: Path, quick: None, form: str) -> None:
    told = ["--full"] if form == "full" else ["--format", form]
    done = command(
        *("assess", hostile, "--user", "person", "--show-values", *told),
        *("--only", "attribute_risk", "--known-records", "0", "--samples", "0"),
    )
    assert done.code == 0, done.err
    assert "error" in done.out
    assert not acting(done.out)
    lines = done.out.splitlines()
    commands = [line for line in lines if COMMAND.search(line)]
    ours = [line for line in lines if re.match(r"::(error|warning|notice) file=", line)]
    assert commands == (ours if form == "github" else [])
    if form == "github":
        assert ours == lines
    if form == "json":
        assert {column["name"] for column in done.json["source"]["columns"]} >= {"##[error]boo", NAMES[0]}


@pytest.mark.parametrize("words", [["--user", "##[error]no\x1b[31m"], ["--where", '"\x9b::no\u202e" = 1']])
def test_nothing_acts_in_messages(hostile: Path, words: list[str]) -> None:
    done = command("assess", hostile, "-q", *words)
    assert (done.code, done.out) == (2, "")
    assert not acting(done.err)
    assert not COMMAND.search(done.err)
