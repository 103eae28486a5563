"""The JSON Schemas are made from the results; what a reader of the JSON relies on stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from duckrisk.membership.results import Attacks
from duckrisk.report.schema import schema
from duckrisk.results import Result
from tests.shapes import lines

SHAPES = Path(__file__).parent / "shapes"
RESULTS = [Attacks]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.__name__)
def test_keys_and_types_stay(result: type[Result]) -> None:
    """One line a key: a change here is a change for everybody who reads the JSON, and raises its version."""
    told = (SHAPES / f"{result.report}.txt").read_text(encoding="utf-8").splitlines()
    assert lines(schema(result)) == told


def test_what_repeats_is_told_once() -> None:
    told = schema(Attacks)
    assert told["$defs"]["Attack"]["properties"]["scores"]["anyOf"][0] == {"$ref": "#/$defs/Receiver"}
    assert told["$defs"]["Attack"]["properties"]["chance"]["maximum"] == 1
