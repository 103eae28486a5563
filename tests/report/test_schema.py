"""The JSON Schemas are made from the results; what a reader of the JSON relies on stays."""

from __future__ import annotations

import re
from dataclasses import dataclass, make_dataclass
from difflib import SequenceMatcher

import jsonschema
import pytest

from duckrisk.base.options import attribute, options_of
from duckrisk.base.results import Count, as_data, inlined
from duckrisk.base.shapes import fields_of, shapes_of
from duckrisk.contests.membership.attacks.results import Attacks
from duckrisk.decision.assessment.results import Assessment, DisclosureSettings, UsedSettings
from duckrisk.engine.meanings import header_texts
from duckrisk.engine.templates import catalogue
from duckrisk.report.registry import report_kinds
from duckrisk.report.schema import schema
from tests.cases import Cases
from tests.shapes import lines


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


def test_a_shape_of_a_metric_names_it() -> None:
    """One with most columns of a metric has its meanings from the header."""
    with Cases() as case:
        for shape in shapes_of(report_kinds()):
            own = {field.name for field in fields_of(shape)}
            for name, metric in catalogue().items():
                columns = {column.name for column in metric.columns}
                if columns <= own and 2 * len(columns) >= len(own) > 3:
                    with case(f"{shape.__name__} of {name}"):
                        assert getattr(shape, "metric", None)


def restates(text: str, header: str) -> bool:
    """Whether a text is nearly a header's: most words agree in order, or none of four letters is new."""
    own, told = (re.findall(r"\w+", one.casefold()) for one in (text, header))
    alike = SequenceMatcher(None, own, told, autojunk=False).ratio() >= 0.7
    return alike or not any(len(word) > 3 for word in {*own} - {*told})


def test_a_text_that_restates_its_header_is_refused() -> None:
    for text, header in (
        ("Name of the model.", "Name: the model."),
        (
            "Records of the sampled values: the cost of the model.",
            "Records: of values: the cost of the model.",
        ),
        ("Share of people, unique by Pitman; null without one.", "Share of people: unique by Pitman."),
    ):
        assert restates(text, header)
    assert not restates("singled_out / records, or users.", "Share of records: singled_out / records.")
    with Cases() as case:
        for shape in shapes_of(report_kinds()):
            texts = header_texts(shape)
            for field in fields_of(shape):
                if field.text and field.name in texts:
                    with case(f"{shape.__name__}.{field.name}: {field.text}"):
                        assert not restates(field.text, texts[field.name])


def test_settings_are_the_options() -> None:
    """Each option of a set is a setting of the report, but what is told elsewhere or is a set of texts."""
    for kind, left in ((UsedSettings, {"seed", "levels"}), (DisclosureSettings, {"missing_tokens"})):
        own = {field.name for field in fields_of(kind)}
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
