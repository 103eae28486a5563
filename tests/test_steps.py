"""The steps of a job and the share of it that is done, told without a clock; and that every job goes through
the steps that it planned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.base.sentences import Text
from duckrisk.engine.steps import Steps
from duckrisk.report.words import Words, has_sentence
from tests.command import command
from tests.judging import judged_commands
from tests.tables import thinned

PLAN = ("source", "roles", "attribute")


class Watcher:
    """Whoever watches: the number of each step, how many there are, what they do, and the share."""

    def __init__(self) -> None:
        self.told: list[tuple[Text, float | None]] = []

    def __call__(self, text: Text, share: float | None) -> None:
        self.told.append((text, share))

    @property
    def last(self) -> tuple[str, float | None]:
        text, share = self.told[-1]
        return Words().format(text), share


def test_without_a_plan_what_is_told_goes_on() -> None:
    watcher = Watcher()
    Steps(watcher)("attribute_risk", 0.5)
    assert watcher.told == [("attribute_risk", 0.5)]
    Steps()("attribute_risk", 0.5)  # and nobody has to watch


def test_by_hand() -> None:
    """Parts that take 1, 2 and 4. What a part does counts where it takes items one after the other; a
    statement is nine tenths of an item at most, as another may follow."""
    watcher = Watcher()
    steps = Steps(watcher)
    steps.plan(*PLAN)
    steps("copy_records", 0.5)
    assert watcher.last == ("Step 1 of 3: reading the source", 0.0)
    steps.begin("roles")
    steps("profile", None)
    assert watcher.last == ("Step 2 of 3: finding out the roles of columns", pytest.approx(1 / 7))
    steps.begin("risk")
    steps("profile", 0.9)
    assert watcher.last == ("Step 2 of 3: finding out the roles of columns", pytest.approx(1 / 7))
    steps.begin("attribute")
    shares = []
    for _ in steps.track("abcd", to=0.5):
        for _ in steps.track("xy"):
            steps("attribute_risk", 1.0)
            shares.append(watcher.last[1])
            steps("attribute_risk", 0.0)
            assert watcher.last[1] == shares[-1], "it never goes back"
    expected = [(3 + 4 * (outer + (inner + 0.9) / 2) / 8) / 7 for outer in range(4) for inner in range(2)]
    assert shares == pytest.approx(expected)
    steps("known_records", 0.9)
    assert watcher.last[1] == pytest.approx(5 / 7)
    assert Words("ja").format(watcher.told[-1][0]) == "手順3/3：値ごとの人数を集計中"


def test_a_job_that_is_a_part_of_another_is_one_step_of_it() -> None:
    """Advice takes 8 and writing 2; in the job that advises, reading takes 1 and roles take 2."""
    watcher = Watcher()
    around = Steps(watcher)
    around.plan("advice", "writing")
    inside = Steps(around)
    inside.plan("source", "roles")
    inside.begin("roles")
    for _ in inside.track("ab"):
        inside("profile", 1.0)
    assert watcher.last == (
        "Step 1 of 2: looking for the best changes",
        pytest.approx(0.8 * (1 + 2 * 0.95) / 3),
    )
    around.begin("writing")
    again = Steps(around)
    again.plan("source", "writing")
    again("copy_records", None)
    assert watcher.last == ("Step 2 of 2: writing the result", pytest.approx(0.8))


@given(
    st.lists(
        st.one_of(
            st.sampled_from(PLAN),
            st.integers(0, 5),
            st.none(),
            st.floats(0, 1, allow_nan=False),
        )
    )
)
def test_the_share_never_goes_back_and_stays_within_the_whole(events: list[Any]) -> None:
    watcher = Watcher()
    steps = Steps(watcher)
    steps.plan(*PLAN)
    loops: list[Iterator[int]] = []
    for event in events:
        if isinstance(event, str):
            steps.begin(event)
        elif isinstance(event, int):
            loops.append(steps.track(range(event), to=0.5))
            next(loops[-1], None)
        else:
            steps("statement", event)
    shares = [share for _, share in watcher.told if share is not None]
    assert shares == sorted(shares)
    assert len(shares) == len(watcher.told)
    assert all(0 <= share <= 1 for share in shares)


# --- jobs ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    folder = tmp_path_factory.mktemp("jobs")
    words = judged_commands(folder)
    people, history = str(folder / "people.parquet"), str(folder / "T.csv")
    out = ["-o", str(folder / "made.csv"), "--overwrite"]
    return {
        **words,
        "init": ["init", people, "-o", str(folder / "a.toml")],
        "to policy": ["anonymize", people, *out, "--to-policy", "internal", "--user", ""],
        "pwscup anonymize": ["pwscup", "anonymize", history, *out],
        "pwscup pseudonyms": [
            *("pwscup", "pseudonyms", "--original", history, str(folder / "A.csv"), *out),
        ],
        "pwscup release": ["pwscup", "release", str(folder / "A.csv"), *out],
        "pwscup partial-knowledge": ["pwscup", "partial-knowledge", history, "--alpha", "25", *out],
        "membership synthesize": ["membership", "synthesize", people, *out],
        "membership synthesize rr": [
            "membership",
            "synthesize",
            people,
            *out,
            "--method",
            "rr",
            "--keep",
            "0.9",
        ],
        "membership anneal": ["membership", "anneal", people, *out, "--iterations", "10"],
    }


@pytest.mark.slow
def test_every_job_goes_through_the_steps_that_it_planned(
    jobs: dict[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In their order, each once, and each has words."""
    monkeypatch.chdir(tmp_path)
    planned: dict[Steps, list[str]] = {}
    begun: dict[Steps, list[str]] = {}
    plan, begin = Steps.plan, Steps.begin

    def note_plan(self: Steps, *names: str) -> None:
        planned[self], begun[self] = list(names), [names[0]]
        plan(self, *names)

    def note_begin(self: Steps, name: str) -> None:
        if name in planned[self]:
            begun[self].append(name)
        begin(self, name)

    monkeypatch.setattr(Steps, "plan", note_plan)
    monkeypatch.setattr(Steps, "begin", note_begin)
    for job, words in thinned(jobs.items()):
        planned.clear()
        begun.clear()
        done = command(*words)
        assert done.code == 0, (job, done.err)
        assert planned, job
        assert begun == planned, job
        for names in planned.values():
            assert len(names) > 1, job
            assert all(has_sentence(f"progress.{name}") for name in names), job
