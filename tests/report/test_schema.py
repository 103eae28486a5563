"""The JSON Schemas are made from the results; what a reader of the JSON relies on stays."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import jsonschema
import pytest

from duckrisk.base.options import attribute, options_of
from duckrisk.base.results import Count, Result, as_data, inlined
from duckrisk.contests.membership.attacks.results import Attacks, Score
from duckrisk.contests.membership.release_risks.results import Risks
from duckrisk.contests.membership.synthesis.results import Annealed, Synthesized, Utility
from duckrisk.contests.pwscup import results as pwscup
from duckrisk.contests.pwscup.generalized import Score2018
from duckrisk.contests.pwscup.treatment import Anonymized
from duckrisk.decision.assessment.results import Assessment, DisclosureSettings, UsedSettings
from duckrisk.engine.meanings import from_header, notes
from duckrisk.engine.templates import catalogue
from duckrisk.release.advice.results import Advice
from duckrisk.release.anonymization import Release
from duckrisk.release.comparison.results import Comparison
from duckrisk.report.schema import every_result, schema
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
    Score2018,
    Anonymized,
]


def test_every_report_is_known() -> None:
    assert {*every_result()} == {*RESULTS}


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


def test_two_shapes_of_one_name_are_refused() -> None:
    other = make_dataclass("Found", [("misses", Count)], frozen=True)
    both = make_dataclass("Both", [("one", Found), ("other", other)], frozen=True)
    with pytest.raises(TypeError, match="two shapes are called Found"):
        schema(both)


def shapes_of(kind: Any, found: set[Any]) -> set[Any]:
    """All dataclasses that a result is made of."""
    if dataclasses.is_dataclass(kind) and kind not in found:
        found.add(kind)
        for hint in get_type_hints(kind).values():
            shapes_of(hint, found)
    for inside in get_args(kind):
        shapes_of(inside, found)
    return found


def test_what_a_header_says_is_said_there_alone() -> None:
    """A shape with most columns of a metric names it, and has its meanings from the header."""
    shapes: set[Any] = set()
    for result in RESULTS:
        shapes_of(result, shapes)
    for kind in shapes:
        own = {field.name for field in dataclasses.fields(kind)}
        for name, metric in catalogue().items():
            columns = {column.name for column in metric.columns}
            if columns <= own and 2 * len(columns) >= len(own) > 3:
                assert getattr(kind, "metric", None), f"{kind.__name__} is of {name}"
        for name, meaning in from_header(kind).items():
            _, noted = notes(get_type_hints(kind, include_extras=True).get(name))
            said = [note.casefold().strip(".") for note in noted if isinstance(note, str)]
            assert meaning.partition(": ")[2].casefold().strip(".") not in said, f"{kind.__name__}.{name}"


def test_settings_are_the_options() -> None:
    """Each option of a set is a setting of the report, but what is told elsewhere or is a set of texts."""
    for kind, left in ((UsedSettings, {"seed", "levels"}), (DisclosureSettings, {"missing_tokens"})):
        own = {field.name for field in dataclasses.fields(kind)}
        for options in kind.options:
            assert options_of(options).keys() - own <= left
    told = schema(Assessment)["$defs"]["UsedSettings"]["properties"]
    assert told["k"] == {
        "description": options_of(attribute.Options)["k"].option.help,
        "type": "integer",
        "minimum": 2,
    }
    assert told["base"]["exclusiveMinimum"] == 0
    assert told["post_response"]["enum"] == [1, 2]
