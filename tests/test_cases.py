"""A loop over cases reports every case that fails, and fails without a case."""

from __future__ import annotations

import pytest

from tests.cases import Cases


def run_cases(numbers: list[int]) -> None:
    with Cases() as case:
        for number in numbers:
            with case(f"number {number}"):
                assert 10 // number == 5


def test_every_failure_is_reported() -> None:
    run_cases([2])
    with pytest.raises(pytest.fail.Exception) as caught:
        run_cases([1, 2, 0, 3])
    first, *failures = str(caught.value).split("\n")
    assert first == "3 of 4 cases failed:"
    assert [line.split(": ")[:2] for line in failures if line.startswith("number")] == [
        ["number 1", "AssertionError"],
        ["number 0", "ZeroDivisionError"],
        ["number 3", "AssertionError"],
    ]


def test_a_loop_needs_a_case() -> None:
    with pytest.raises(AssertionError, match="there is no case"):
        run_cases([])


def test_an_error_of_the_loop_itself_is_raised() -> None:
    cases = Cases()
    with cases("one"):
        raise AssertionError
    error = KeyError("loop")
    cases.__exit__(KeyError, error, None)  # not replaced by the failure of a case
    with pytest.raises(pytest.fail.Exception):
        cases.__exit__(None, None, None)
