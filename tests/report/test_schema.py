"""The JSON Schemas are made from the results; what a reader of the JSON relies on stays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import jsonschema
import pytest

from duckrisk.advice.results import Advice
from duckrisk.anonymization import Release
from duckrisk.assessment.results import Assessment
from duckrisk.comparison.results import Comparison
from duckrisk.membership.attacks.results import Attacks, Score
from duckrisk.membership.release_risks.results import Risks
from duckrisk.membership.synthesis.results import Annealed, Synthesized, Utility
from duckrisk.pwscup import results as pwscup
from duckrisk.pwscup.treatment import Anonymized
from duckrisk.report.schema import schema
from duckrisk.results import Count, Result, as_data, inlined
from tests.shapes import lines

SHAPES = Path(__file__).parent / "shapes"
RESULTS = [
    Release,
    Advice,
    Comparison,
    Assessment,
    Attacks,
    Score,
    Utility,
    Risks,
    Synthesized,
    Annealed,
    pwscup.Attacks,
    pwscup.Check,
    pwscup.Score,
    pwscup.Written,
    Anonymized,
]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.report)
def test_keys_and_types_stay(result: type[Result]) -> None:
    """One line a key: a change here is a change for everybody who reads the JSON, and raises its version."""
    told = (SHAPES / f"{result.report}.txt").read_text(encoding="utf-8").splitlines()
    assert lines(schema(result)) == told


def test_what_repeats_is_told_once() -> None:
    told = schema(Attacks)
    assert told["$defs"]["Attack"]["properties"]["scores"]["anyOf"][0] == {"$ref": "#/$defs/Receiver"}
    assert told["$defs"]["Attack"]["properties"]["chance"]["maximum"] == 1


@dataclass(frozen=True)
class Found:
    hits: Count | None


@dataclass(frozen=True)
class Tried:
    name: str
    found: Found | None = inlined()
    seed: int = 0


def test_keys_of_an_inlined_field_stand_in_its_place() -> None:
    told = schema(Tried)  # type: ignore[arg-type]
    assert lines(told) == [
        ".: object", ".hits: integer or null (can be left out)", ".name: string", ".seed: integer"
    ]  # fmt: skip
    for tried, expected in (
        (Tried("a", Found(None)), {"name": "a", "hits": None, "seed": 0}),
        (Tried("b"), {"name": "b", "seed": 0}),
    ):
        assert as_data(tried, repr) == expected
        jsonschema.validate(expected, told)
