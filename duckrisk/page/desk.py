"""The worker of the page: it does what the present state needs, one job after the other.

A job is known by its key. What a state needs is a list of jobs, the most urgent first. Results stay, so that
undo shows them at once. A newer decision ends a job that nobody needs any more.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from duckrisk.base.errors import DuckriskError, format_message
from duckrisk.base.sentences import Text
from duckrisk.page.bench import CancelledError

#: Results that stay besides what the present state needs (a choice: some hundred kB each, and more than a
#: person goes back).
_MAX_RESULTS = 100
#: Seconds that close() waits for a job to end (a choice: an interrupt reaches the engine in a tenth).
_CLOSE_SECONDS = 15


@dataclass(frozen=True)
class Job:
    """A job: its key, its name in the words ``page.job``, and what does it."""

    key: Hashable
    name: str
    work: Callable[[], Any]


@dataclass(frozen=True)
class Failed:
    """A job that could not be done, and the sentence why; one that a person ended has none."""

    sentence: str


@dataclass(frozen=True)
class Running:
    """The job that runs: its step, the share that is done, and the seconds since it began."""

    name: str
    text: Text
    share: float | None
    seconds: float


class Desk:
    """Runs jobs in one thread, and keeps their results.

    Args:
        list_jobs: Lists the jobs of the present state, the most urgent first.
    """

    def __init__(self, list_jobs: Callable[[], Sequence[Job]]) -> None:
        self._list_jobs = list_jobs
        self._lock = threading.Condition()
        self._results: OrderedDict[Hashable, Any] = OrderedDict()
        self._job: Job | None = None
        self._step: tuple[Text, float | None] = "", None
        self._started = 0.0
        self._is_cancelled = self._is_closed = False
        self._thread = threading.Thread(target=self._work, name="duckrisk-page", daemon=True)

    def start(self) -> None:
        """Start the worker."""
        self._thread.start()

    def close(self) -> bool:
        """End the running job and the worker; return whether they ended in time."""
        with self._lock:
            self._is_closed = self._is_cancelled = True
            self._lock.notify_all()
        if self._thread.is_alive():
            self._thread.join(_CLOSE_SECONDS)
        return not self._thread.is_alive()

    # --- asked by the page -----------------------------------------------------------------------

    def find(self, key: Hashable) -> Any:
        """Return the result of a job, a :class:`Failed`, or None if it is not done."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
            return self._results.get(key)

    def forget(self, key: Hashable) -> None:
        """Forget a result, so that the job is done again."""
        with self._lock:
            self._results.pop(key, None)
            self._lock.notify_all()

    def look(self) -> Running | None:
        """Return what runs; None if nothing does."""
        with self._lock:
            if self._job is None:
                return None
            return Running(self._job.name, *self._step, time.monotonic() - self._started)

    @property
    def is_busy(self) -> bool:
        """Whether a job of the present state is not done."""
        with self._lock:
            return self._next_job() is not None

    def update(self) -> None:
        """Look at the state again: it changed."""
        with self._lock:
            job = self._next_job()
            if self._job is not None and (job is None or job.key != self._job.key):
                self._is_cancelled = True
            self._lock.notify_all()

    def cancel(self) -> None:
        """End the running job; it is not done again until it is forgotten."""
        with self._lock:
            if self._job is not None:
                self._keep(self._job.key, Failed(""))
                self._is_cancelled = True

    def wait(self, key: Hashable, seconds: float) -> bool:
        """Wait until a job is done.

        Args:
            key: Its key.
            seconds: Seconds to wait at most.
        """
        with self._lock:
            return self._lock.wait_for(lambda: key in self._results or self._is_closed, seconds)

    # --- the worker ------------------------------------------------------------------------------

    def report(self, text: Text, share: float | None) -> None:
        """Take the step of the running job, as a progress callback.

        Raises:
            CancelledError: The job is to end.
        """
        if self._is_cancelled:
            raise CancelledError
        self._step = text, share

    def _next_job(self) -> Job | None:
        return next((job for job in self._list_jobs() if job.key not in self._results), None)

    def _keep(self, key: Hashable, result: Any) -> None:
        self._results[key] = result
        self._results.move_to_end(key)
        needed = {job.key for job in self._list_jobs()}
        old = [known for known in self._results if known not in needed]
        for known in old[: max(0, len(old) - _MAX_RESULTS)]:
            del self._results[known]

    def _work(self) -> None:
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._is_closed or self._next_job() is not None)
                if self._is_closed:
                    return
                job = self._next_job()
                if job is None:  # the state changed in between
                    continue
                self._job, self._step = job, ("", None)
                self._started, self._is_cancelled = time.monotonic(), False
            result: Any = None
            with contextlib.suppress(CancelledError):
                result = _do(job)
            with self._lock:
                self._job = None
                if result is not None:
                    self._keep(job.key, result)
                self._lock.notify_all()


def _do(job: Job) -> Any:
    """Do a job; an error becomes a sentence, without what it may quote."""
    try:
        return job.work()
    except DuckriskError as error:
        return Failed(str(error))
    except Exception as error:
        return Failed(format_message("page.failed", kind=type(error).__name__))
