"""A machine may be too slow for all tests in the time there is: the rest are skipped then, and say so."""

from __future__ import annotations

import os
import time

import pytest


def pytest_runtest_setup() -> None:
    if time.time() > float(os.environ.get("DUCKRISK_TESTS_UNTIL", "inf")):
        pytest.skip("not tried: the time is up")
