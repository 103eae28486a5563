"""Runs one check on many cases in one test, and reports every case that fails."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import TracebackType

import pytest


class Cases:
    """Collect the failures of a loop over cases.

    A parametrized test costs more than a check of a text does. A loop costs little, but ends at its first
    failure; this one does not:

    ```py
    with Cases() as case:
        for name, template in templates.items():
            with case(name):
                assert template.summary.endswith(".")
    ```
    """

    def __init__(self) -> None:
        self.count = 0
        self.failures: list[str] = []

    def __enter__(self) -> Cases:
        return self

    @contextlib.contextmanager
    def __call__(self, name: object) -> Iterator[None]:
        """Run the block as the case of that name."""
        self.count += 1
        try:
            yield
        except Exception as error:
            self.failures.append(f"{name}: {type(error).__name__}: {error}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            return
        if self.failures:
            pytest.fail(
                "\n".join([f"{len(self.failures)} of {self.count} cases failed:", *self.failures]), False
            )
        assert self.count > 0, "there is no case"
