"""What .ci/run asks of a run of the tests by its environment.

DUCKRISK_STAGE  the stage; a skip that tests/allowed_skips.txt does not allow there fails the run, and each
                property draws the same examples in every run
DUCKRISK_COUNTS the file that the numbers of tests are appended to, a line of JSON for each run
DUCKRISK_RECORD the folder to record in which statements each test renders (tests/benchmarks/mutants.py)
"""

from __future__ import annotations

import json
import os
import re
import signal
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

ALLOWED_SKIPS = Path(__file__).with_name("allowed_skips.txt")
VARIABLES = ("DUCKRISK_STAGE", "DUCKRISK_COUNTS", "DUCKRISK_RECORD")
STAGES = ("newest", "oldest", "engine", "others")
#: By this a cluster tells the engine how many of the cores are its own.
CORES = "SLURM_CPUS_ON_NODE"


def read_allowed_skips(text: str, stage: str) -> list[str]:
    """Return the reasons to skip that are allowed in a stage.

    Raises:
        ValueError: a line has not the three parts, or names an unknown stage.
    """
    reasons = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        stages, reason, why = (part.strip() for part in line.split(" | "))
        unknown = set(stages.split()) - set(STAGES)
        if unknown or not (stages and reason and why):
            raise ValueError(f"unknown stage or empty part: {line}")
        if stage in stages.split():
            reasons.append(reason)
    return reasons


def match_reason(reason: str, allowed: list[str]) -> str | None:
    """Return the allowed reason that a skip has, or None."""
    for pattern in allowed:
        if re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), reason, re.DOTALL):
            return pattern
    return None


class Counts:
    """Count what became of the tests, and fail a run that skips what it may not."""

    def __init__(self, stage: str, counts: str | None) -> None:
        if stage not in STAGES:
            raise pytest.UsageError(f"DUCKRISK_STAGE is none of {', '.join(STAGES)}: {stage}")
        self.stage, self.counts = stage, counts
        self.allowed = read_allowed_skips(ALLOWED_SKIPS.read_text(encoding="utf-8"), stage)
        self.outcomes: Counter[str] = Counter()
        self.skips: Counter[str] = Counter()
        self.forbidden: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped:
            self.skip(report.nodeid, report.longrepr)
        elif report.failed or report.when == "call":
            self.outcomes[report.outcome] += 1

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.skip(report.nodeid, report.longrepr)
        elif report.failed:
            self.outcomes["failed"] += 1

    def skip(self, test: str, said: object) -> None:
        reason = str(said[2] if isinstance(said, (tuple, list)) else said).removeprefix("Skipped: ")
        allowed = match_reason(reason, self.allowed)
        self.skips[allowed or reason] += 1
        if allowed is None:
            self.forbidden.append(f"{test}: {reason}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.forbidden and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self.counts:
            entry = {"stage": self.stage, **self.outcomes, "skipped": self.skips}
            with open(self.counts, "a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.forbidden:
            terminalreporter.section("skips that tests/allowed_skips.txt does not allow")
            for line in self.forbidden:
                terminalreporter.write_line(line)


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # so starts what a script runs in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    asked = {name: os.environ.get(name) for name in VARIABLES}
    is_worker = hasattr(config, "workerinput")
    if is_worker or not config.getoption("numprocesses", None):
        for name in VARIABLES:  # of this run alone: tests start others
            os.environ.pop(name, None)
    if is_worker and int(os.environ.get("DUCKRISK_EXAMPLES", "3")) < 20:
        os.environ.setdefault(CORES, "1")  # workers share the cores; tests about threads say how many
    if asked["DUCKRISK_STAGE"]:  # the same commit gets the same answer
        settings.register_profile("stage", derandomize=True)
        settings.load_profile("stage")
    if asked["DUCKRISK_RECORD"]:
        from tests.benchmarks.mutants import Recorder

        recorder = Recorder(Path(asked["DUCKRISK_RECORD"]))
        recorder.watch()
        config.pluginmanager.register(recorder)
    if asked["DUCKRISK_STAGE"] and not is_worker:
        config.pluginmanager.register(Counts(asked["DUCKRISK_STAGE"], asked["DUCKRISK_COUNTS"]))
