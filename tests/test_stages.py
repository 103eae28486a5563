"""A stage of .ci/run fails by a skip that is not allowed there, and counts its tests."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import environment
from tests.conftest import ALLOWED_SKIPS, STAGES, match_reason, read_allowed_skips
from tests.tables import thinned

ROOT = Path(__file__).resolve().parents[1]
TESTS = """
import pytest

def test_passes():
    pass

@pytest.mark.skipif(True, reason={reason!r})
def test_is_skipped():
    pass
"""
ALLOWED = "root may write everywhere"


def run_stage(folder: Path, reason: str, *options: str, tests: str = TESTS, stage: str = "newest") -> object:
    """Run tests of their own as a stage; return how that ended and what it counted."""
    (folder / "test_some.py").write_text(tests.format(reason=reason))
    counts = folder / "counts.jsonl"
    counts.unlink(missing_ok=True)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "tests.conftest",
            "-c",
            "/dev/null",
            *options,
            str(folder),
        ],
        env=environment(PYTHONPATH=str(ROOT), DUCKRISK_STAGE=stage, DUCKRISK_COUNTS=str(counts)),
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=120,
    )
    counted = [json.loads(line) for line in counts.read_text().splitlines()] if counts.exists() else []
    return done.returncode, counted, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("workers", thinned(["2", "0"]))
def test_a_skip_fails_unless_it_is_allowed(tmp_path: Path, workers: str) -> None:
    code, counted, _ = run_stage(tmp_path, ALLOWED, "-n", workers)
    assert (code, counted) == (0, [{"stage": "newest", "passed": 1, "skipped": {ALLOWED: 1}}])
    code, counted, said = run_stage(tmp_path, "no time", "-n", workers)
    assert (code, counted) == (1, [{"stage": "newest", "passed": 1, "skipped": {"no time": 1}}])
    assert "test_some.py::test_is_skipped: no time" in said


@pytest.mark.slow
def test_a_stage_draws_the_same_examples_in_every_run(tmp_path: Path) -> None:
    """What is red for a commit stays so until it is mended."""
    drawing = """
from hypothesis import given, settings, strategies as st

@settings(max_examples=5)
@given(number=st.integers())
def test_draws(number):
    print("drawn", number, file=open("drawn.txt", "a"))
"""
    drawn = []
    for workers in ("0", "2"):
        code, counted, said = run_stage(tmp_path, "", "-n", workers, tests=drawing)
        assert (code, counted) == (0, [{"stage": "newest", "passed": 1, "skipped": {}}]), said
        drawn.append((tmp_path / "drawn.txt").read_text())
        (tmp_path / "drawn.txt").unlink()
    assert drawn[0] == drawn[1]
    assert drawn[0].count("drawn") == 5


@pytest.mark.parametrize("workers", thinned(["0", "2"]))
def test_a_file_that_is_skipped_counts_as_well(tmp_path: Path, workers: str) -> None:
    whole = "import pytest\npytest.skip({reason!r}, allow_module_level=True)\n"
    code, counted, said = run_stage(tmp_path, "no time", "-n", workers, tests=whole)
    assert code != 0
    assert [entry["skipped"] for entry in counted] == [{"no time": 1}]
    assert "does not allow" in said


def test_failures_and_errors_are_counted(tmp_path: Path) -> None:
    tests = (
        "import pytest\n@pytest.fixture\ndef broken(): 1 / 0\ndef test_a(broken): pass\ndef test_b(): 1 / 0"
    )
    code, counted, _ = run_stage(tmp_path, "", "-n", "0", tests=tests)
    assert (code, counted) == (1, [{"stage": "newest", "failed": 2, "skipped": {}}])


def test_an_unknown_stage_is_refused(tmp_path: Path) -> None:
    code, counted, said = run_stage(tmp_path, ALLOWED, "-n", "0", stage="latest")
    assert (code, counted) == (pytest.ExitCode.USAGE_ERROR, [])
    assert "DUCKRISK_STAGE" in said


def test_the_list_of_allowed_skips_can_be_read() -> None:
    text = ALLOWED_SKIPS.read_text(encoding="utf-8")
    for stage in STAGES:
        assert ALLOWED in read_allowed_skips(text, stage)
    for wrong in ("newest | a reason", "latest | a reason | why", "newest |  | why"):
        with pytest.raises(ValueError):  # noqa: PT011
            read_allowed_skips(wrong, "newest")


def test_an_allowed_reason_is_the_whole_of_it() -> None:
    assert match_reason("no x (y) here", ["none", "no * (y) here"]) == "no * (y) here"
    assert match_reason("no x (y) here now", ["no * (y) here"]) is None
    assert match_reason("nowhere", ["no.*"]) is None


# --- the script ------------------------------------------------------------------------------------

SCRIPT = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
STAGES_OF_SCRIPT = re.search(r"\nSTAGES=\((.*)\)", SCRIPT)[1].split()
OTHER_STAGES = """
services() { echo "all is there"; }
newest() {
    echo '{"stage": "newest", "passed": 5, "skipped": {"no x": 2}}' >> "$DUCKRISK_COUNTS"
    echo "a test failed"
    return 3
}
static() { sleep 60; }
docs() { sleep 60; }
oldest() {
    echo '{"stage": "oldest", "passed": 4, "failed": 1, "skipped": {"no x": 1, "no y": 1}}' \\
        >> "$DUCKRISK_COUNTS"
}
"""


def run_script(folder: Path, *stages: str) -> tuple[int, list[str]]:
    """Run the script with stages of its own; return how it ended and what it printed."""
    (folder / ".ci").mkdir(exist_ok=True)
    head, mark, rest = re.sub(r"\nLIMIT=\d+", "\nLIMIT=3", SCRIPT).partition("\n# --- running them")
    (folder / ".ci" / "run").write_text(head + OTHER_STAGES + mark + rest)
    done = subprocess.run(
        ["bash", ".ci/run", *stages], cwd=folder, capture_output=True, text=True, timeout=50, check=False
    )
    return done.returncode, re.sub(r": \d+ s,", ": 1 s,", done.stdout).splitlines()


def test_stages_that_fail_or_are_late_fail_the_script(tmp_path: Path) -> None:
    assert run_script(tmp_path, "services", "newest", "oldest", "static", "docs") == (
        1,
        [
            "stage services: 1 s, passed",
            "a test failed",
            "stage newest: 1 s, FAILED with exit code 3; 5 passed, 0 failed, 2 skipped",
            "stage oldest: 1 s, passed; 4 passed, 1 failed, 2 skipped",
            "stage static: 1 s, FAILED: the 3 seconds of all stages are over",
            "stage docs: 1 s, FAILED: the 3 seconds of all stages are over",
            "FAILED stages: newest static docs",
            "9 passed, 1 failed, 4 skipped: 3 no x; 1 no y",
        ],
    )
    assert run_script(tmp_path, "services") == (
        0,
        ["stage services: 1 s, passed", "0 passed, 0 failed, 0 skipped"],
    )
    assert run_script(tmp_path, "none")[0] == 2


def test_no_stage_is_left_out() -> None:
    """None by the clock, and together they end within the 90 minutes that there are."""
    assert int(re.search(r"\nLIMIT=(\d+)", SCRIPT)[1]) == 85 * 60
    assert set(STAGES_OF_SCRIPT) <= set(re.findall(r"^([a-z]+)\(\) \{$", SCRIPT, re.MULTILINE))
    assert 'for stage in "${@:-${STAGES[@]}}"; do' in SCRIPT
    for word in ("exit 0", "|| true", "|| echo"):
        assert word not in SCRIPT


def test_slow_tests_are_left_out_with_the_oldest_versions_alone() -> None:
    """And of the rooms that are left out there, another stage runs all."""
    runs = re.findall(r"^ .*/bin/pytest( .*)?$", SCRIPT, re.MULTILINE)
    (left_out,) = (run for run in runs if "slow" in run or "--ignore" in run)
    (others,) = (run for run in runs if "tests/k_anonymity tests/membership" in run and run is not left_out)
    assert "slow" not in others
    assert re.findall(r"--ignore (\S+)", left_out) == ["tests/k_anonymity", "tests/membership"]


def test_the_document_says_what_the_script_does() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("| stage |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| (\w+) \|", table, re.MULTILINE) == STAGES_OF_SCRIPT
    assert "85 minutes" in text
