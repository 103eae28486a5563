"""The worker of the page, with jobs that do nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from duckrisk.base.errors import UsageError
from duckrisk.page.desk import Desk, Failed, Job

JOBS: list[Job] = []


@pytest.fixture
def desk() -> Iterator[Desk]:
    JOBS.clear()
    made = Desk(lambda: JOBS)
    made.start()
    yield made
    made.close()


def endless(desk: Desk) -> str:
    while True:
        desk.report("statement", 0.5)
        time.sleep(0.005)


def test_jobs_are_done_in_their_order_and_once(desk: Desk) -> None:
    done: list[int] = []
    JOBS.extend(
        Job(number, "verdict", lambda number=number: done.append(number) or number) for number in (1, 2, 3)
    )
    desk.update()
    assert desk.wait(3, 5)
    desk.update()
    assert done == [1, 2, 3]
    assert not desk.is_busy


def test_what_the_state_needs_stays(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found is the oldest result, and every state needs it."""
    monkeypatch.setattr("duckrisk.page.desk._MAX_RESULTS", 3)
    for number in range(8):
        JOBS[:] = [Job("found", "found", lambda: "table"), Job(number, "verdict", lambda: "judged")]
        desk.update()
        assert desk.wait(number, 5)
        desk.find(1)  # whatever is looked at stays longer than what is not
    assert desk.find("found") == "table"
    assert [number for number in range(8) if desk.find(number)] == [1, 5, 6, 7]


def test_an_error_is_a_sentence_that_quotes_nothing(desk: Desk) -> None:
    def fail(error: Exception) -> None:
        raise error

    JOBS.append(Job(1, "verdict", lambda: fail(UsageError("page.unknown_choice"))))
    JOBS.append(Job(2, "verdict", lambda: fail(ValueError("Tanaka"))))
    desk.update()
    assert desk.wait(2, 5)
    assert desk.find(1) == Failed("The page has no such choice; reload it.")
    assert desk.find(2) == Failed("duckrisk failed (ValueError); please report what you did on the page.")


def test_a_newer_state_ends_what_nobody_needs(desk: Desk) -> None:
    JOBS.append(Job("old", "verdict", lambda: endless(desk)))
    desk.update()
    while desk.look() is None:
        time.sleep(0.005)
    JOBS[:] = [Job("new", "figures", lambda: "done")]
    desk.update()
    assert desk.wait("new", 5)
    assert desk.find("old") is None


def test_the_step_is_shown_while_it_runs(desk: Desk) -> None:
    JOBS.append(Job("slow", "advice", lambda: endless(desk)))
    desk.update()
    while (running := desk.look()) is None or running.share is None:
        time.sleep(0.005)
    assert (running.name, running.text, running.share) == ("advice", "statement", 0.5)
    assert running.seconds >= 0


def test_a_cancelled_job_stays_cancelled(desk: Desk) -> None:
    JOBS.append(Job("slow", "verdict", lambda: endless(desk)))
    desk.update()
    while desk.look() is None:
        time.sleep(0.005)
    desk.cancel()
    while desk.look() is not None:
        time.sleep(0.005)
    assert desk.find("slow") == Failed("")
    assert not desk.is_busy


def test_closing_ends_a_job() -> None:
    JOBS.clear()
    made = Desk(lambda: JOBS)
    JOBS.append(Job("slow", "verdict", lambda: endless(made)))
    made.start()
    while made.look() is None:
        time.sleep(0.005)
    made.close()
    assert not any(thread.name == "duckrisk-page" and thread.is_alive() for thread in threading.enumerate())
