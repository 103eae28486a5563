"""Finds the public tables that are not in the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def find_shared(name: str) -> Path | None:
    """A file under ``shared/data`` beside the checkout, or under DUCKRISK_SHARED_DATA; None without it."""
    told = os.environ.get("DUCKRISK_SHARED_DATA")
    folder = Path(told) if told else Path(__file__).resolve().parents[2] / "shared" / "data"
    path = folder / name
    return path if path.is_file() else None


def shared(name: str) -> Path:
    """As :func:`find_shared`; skips without the file."""
    path = find_shared(name)
    if path is None:
        pytest.skip(f"the public table {name} is not here; DUCKRISK_SHARED_DATA names the folder it is in")
    return path
