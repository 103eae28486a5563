"""``duckrisk init`` proposes roles, asks a person at a terminal, and settles nothing by itself."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.command import command, environment, table
from tests.forked import forking
from tests.tables import thinned

#: Calls of 60 callers, whose column is a guess by its name, with an illness, a signal and a town each.
CALLS = """
    SELECT 'c' || i % 60 AS key, 't' || i % 3 AS town,
        (ARRAY['flu', 'none', 'hiv'])[1 + CAST(hash(i) % 3 AS INTEGER)] AS illness,
        CAST(hash(i + 7) % 4 AS INTEGER) AS signal
    FROM range(600) t(i)
"""
#: A table without a question.
PLAIN = "SELECT 'p' || i % 70 AS patient_id, 't' || i % 3 AS town, i % 5 AS grade FROM range(700) t(i)"
JUDGED = ("--only", "attribute_risk", "--only", "uniqueness", "--only", "direct_identifiers")


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "calls.parquet", CALLS)
    return tmp_path


def at_terminal(folder: Path, answers: list[str], *arguments: str) -> tuple[int, str]:
    """Run ``duckrisk init`` at a terminal; each answer is typed after the prompt of a question."""
    ours, theirs = pty.openpty()
    with forking():
        process = subprocess.Popen(
            [sys.executable, "-m", "duckrisk", "init", *arguments],
            cwd=folder,
            env=environment(LC_ALL="C.UTF-8"),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            close_fds=True,
        )
    os.close(theirs)
    shown, left, until = b"", list(answers), time.monotonic() + 240
    try:
        while time.monotonic() < until:
            if not select.select([ours], [], [], 1)[0]:
                if process.poll() is not None:
                    break
                continue
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end was closed
                break
            if not piece:
                break
            shown += piece
            if shown.endswith(b"\n> "):
                os.write(ours, (left.pop(0) if left else "").encode() + b"\n")
                shown += b"(typed)"
        return process.wait(timeout=60), shown.decode("utf-8", "replace")
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def verdict(*options: str) -> dict[str, Any]:
    told = command("assess", "calls.parquet", "--format", "json", "-q", *JUDGED, *options)
    assert told.code == 0, told.err
    return {name: told.json[name] for name in ("verdict", "sensitive", "uniqueness")}


def lines() -> list[str]:
    return Path("duckrisk.toml").read_text(encoding="utf-8").splitlines()


@pytest.mark.slow
def test_nothing_is_settled_where_nobody_is_asked(calls: Path) -> None:
    before = verdict("--user", "key")["verdict"], verdict()["verdict"]
    settings = []
    for options in ((), ("--yes", "--overwrite")):
        done = command("init", "calls.parquet", *options)
        assert (done.code, done.out) == (0, ""), done.err
        settings.append(lines())
    written, again = settings
    assert written == again
    assert any(line.startswith('# illness = "sensitive"  # open: its name says') for line in written)
    assert any(
        line.startswith('signal = "quasi_identifier"') and "or insensitive" in line for line in written
    )
    assert next(line for line in written if line.startswith(("user", "# user = "))).startswith("# user = ")
    assert "left open" in done.err
    after = verdict("--user", "key")["verdict"], verdict()["verdict"]
    assert [one["outcome"] for one in after] == [one["outcome"] for one in before]
    assert [one["undecided_because"] for one in after] == [one["undecided_because"] for one in before]
    assert [one["findings"] for one in after] == [one["findings"] for one in before]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answers", "options"),
    thinned(
        [
            (["nobody", "-", "quasi_identifier", "?"], ("--user=", "--quasi-identifier", "illness")),
            (
                ["key", "sensitive", "insensitive"],
                ("--user", "key", "--sensitive", "illness", "--insensitive", "signal"),
            ),
            (["nobody", "town", "secret", "insensitive", ""], ("--user", "town", "--insensitive", "illness")),
            (["", "", ""], ()),
        ]
    ),
)
def test_a_file_of_answers_gives_the_verdict_of_the_options(
    calls: Path, answers: list[str], options: tuple[str, ...]
) -> None:
    code, shown = at_terminal(calls, answers, "calls.parquet")
    assert code == 0, shown
    assert shown.count("(typed)") >= 3
    by_file = verdict()
    Path("duckrisk.toml").rename("answers.toml")
    by_option = verdict(*options)
    for part in ("sensitive", "uniqueness"):
        assert by_file[part] == by_option[part]
    for part in ("outcome", "findings", "assumptions", "undecided_because"):
        assert by_file["verdict"][part] == by_option["verdict"][part]
    # The file gives every column a role, the options some: a gate may accept what the file says.
    assert by_file["verdict"]["accepted"] >= by_option["verdict"]["accepted"]


#: Counts of people, things, and days without a century, with answers and the options that say the same.
UNLIKE_PERSONS = {
    "counts": ("region,band,sex,patients", ["patients"], ("--count", "patients")),
    "things": ("part,steel,weight", ["no person", "no persons"], ("--no-persons",)),
    "years": (
        "member_id,birth,sex",
        ["99", "2019", "pseudonym"],
        ("--read", "birth=2019", "--pseudonym", "member_id", "--quasi-identifier", "birth"),
    ),
}


@pytest.mark.slow
def test_rows_and_years_are_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody asked leaves the verdict as it is; the answers give that of the options."""
    monkeypatch.chdir(tmp_path)
    rows = {
        "counts": [f"{'ABCD'[i % 4]},{i // 4}0-{i // 4}9,F,{3 + 7 * i}" for i in range(16)],
        "things": [f"p{i % 12},{'ABC'[i % 3]},{i % 7}" for i in range(60)],
        "years": [
            f"{700 + 13 * i},{1 + i % 2:02}/{20 + i % 3}/{31 + i % 2},{'MF'[i % 2]}" for i in range(60)
        ],
    }
    for name, (header, answers, options) in thinned(UNLIKE_PERSONS.items()):
        Path("t.csv").write_text("\n".join([header, *rows[name]]) + "\n")
        asked = ("t.csv", *(JUDGED if name != "things" else ()))  # of things these parts are no parts
        assert "1 left open" in command("init", "t.csv", "--overwrite").err.replace("2 left", "1 left"), name
        assert _outcome(*asked) == _outcome(*asked, "--config", "duckrisk.toml"), name
        code, shown = at_terminal(tmp_path, answers, "t.csv", "--overwrite")
        assert (code, "left open" in shown) == (0, False), shown
        by_file = _outcome(*asked)
        Path("duckrisk.toml").unlink()
        assert by_file == _outcome(*asked, *options), name


def _outcome(*arguments: str) -> tuple[str, list[Any]]:
    judged = command("assess", *arguments, "--format", "json", "-q").json["verdict"]
    return judged["outcome"], [(one["name"], one["value"]) for one in judged["findings"]]


def test_nothing_is_asked_that_no_verdict_hangs_on(calls: Path) -> None:
    table(calls / "plain.parquet", PLAIN)
    code, shown = at_terminal(calls, ["pseudonym"], "plain.parquet")
    assert (code, shown.count("> "), "open in it" in shown) == (0, 1, False), shown
    assert any(line.startswith('patient_id = "pseudonym"') for line in lines())
    code, shown = at_terminal(calls, [], "calls.parquet", "--yes", "--overwrite")
    assert (code, shown.count("\n> ")) == (0, 0), shown
    assert any(line.startswith('# illness = "sensitive"') for line in lines())


def test_one_answer_for_all_that_look_sensitive(calls: Path) -> None:
    table(calls / "more.parquet", f"SELECT *, signal % 2 AS hiv, signal % 3 AS religion FROM ({CALLS})")
    code, shown = at_terminal(calls, ["key", "", "sensitive*", ""], "more.parquet")
    assert code == 0, shown
    given = {line.partition(" = ")[0]: line for line in lines() if "sensitive" in line}
    assert '# illness = "sensitive"' in "\n".join(lines())
    assert given["hiv"].startswith('hiv = "sensitive"')
    assert given["religion"].startswith('religion = "sensitive"')


def test_answers_can_be_options(calls: Path) -> None:
    done = command("init", "calls.parquet", "--user", "key", "--sensitive", "illness")
    assert done.code == 0, done.err
    assert 'illness = "sensitive"' in "\n".join(lines())
    assert "left open" in done.err  # the signal
    (calls / "duckrisk.toml").unlink()
    done = command("init", "calls.parquet", "--user", "key", "--insensitive", "Signal", "--lang", "ja")
    assert 'signal = "insensitive"' in "\n".join(lines())
