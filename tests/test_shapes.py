"""The walk over the fields of a shape: which keys its JSON form has, of which types, and where they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import pytest

from duckrisk.base.results import Count, Range, Share, as_data, aside, inlined, left_out
from duckrisk.base.sentences import Sentence
from duckrisk.base.shapes import fields_of, is_shape, keys_of, shapes_of, summary_of, without_none


@dataclass(frozen=True)
class Inner:
    """The share of something,
    in two lines.

    And more.
    """

    share: Annotated[Share | None, "The share."]
    later: int | None = left_out()


@dataclass(frozen=True)
class Item:
    name: Annotated[str, "The name."] | None
    of: tuple[tuple[Inner, ...], ...]


@dataclass(frozen=True)
class Outer:
    first: Inner = inlined()
    note: Sentence | None = None
    items: tuple[Item, ...] | None = None
    counts: Mapping[str, Count] | None = None
    mixed: Literal["a"] | tuple[int, ...] | float = 1.0
    hidden: Inner | None = aside(None)


@dataclass(frozen=True)
class Whole:
    outer: Outer | None = inlined()
    number: int = 0


def test_keys_of_inlined_fields_stand_in_their_place() -> None:
    assert list(keys_of(Whole)) == ["share", "later", "note", "items", "counts", "mixed", "number"]
    assert [name for name, key in keys_of(Outer).items() if not key.required] == ["later"]
    assert [name for name, key in keys_of(Whole).items() if key.required] == ["number"]
    share = keys_of(Whole)["share"]
    assert (share.path, share.shape) == (("outer", "first", "share"), Inner)
    assert [field.name for field in fields_of(Outer)][-1] == "hidden"


def test_keys_are_those_of_the_data() -> None:
    """A key of the walk is in the data, and its path leads to what is there."""
    made = Whole(Outer(Inner(0.5, 3), Sentence("two"), (Item("a", ()),), {"b": 2}))
    data = as_data(made, lambda text: "said")
    assert list(data) == list(keys_of(Whole))
    for name, key in keys_of(Whole).items():
        value = made
        for attribute in key.path:
            value = getattr(value, attribute)
        assert as_data(value, lambda text: "said") == data[name]
    assert as_data(Whole(), str) == {"number": 0}


def test_what_is_annotated_is_found_wherever_it_stands() -> None:
    share, name = keys_of(Inner)["share"], keys_of(Item)["name"]
    assert (share.text, share.type) == ("The share.", float)
    assert Range(0, 1) in share.annotations
    assert (name.text, name.type, name.is_optional) == ("The name.", str, True)
    assert keys_of(Whole)["number"].text == ""


@pytest.mark.parametrize(
    ("name", "types", "several", "mapping"),
    [
        ("note", (Sentence,), False, False),
        ("items", (Item,), True, False),
        ("counts", (int,), True, True),
        ("mixed", (Literal["a"], int, float), True, False),
    ],
)
def test_types_are_those_of_a_value_or_of_its_entries(
    name: str, types: tuple[object, ...], several: bool, mapping: bool
) -> None:
    field = keys_of(Outer)[name]
    assert (field.types, field.is_several, field.is_mapping) == (types, several, mapping)


def test_shapes_are_found_once_and_a_sentence_is_none() -> None:
    assert shapes_of((Whole,)) == (Whole, Inner, Outer, Item)
    assert not is_shape(Sentence)
    assert keys_of(Outer)["note"].shapes == ()
    assert summary_of(Inner) == "The share of something, in two lines."


def test_a_type_without_none_keeps_its_annotations() -> None:
    assert [without_none(hint) for hint in (int, int | None)] == [int, int]
    assert without_none(Annotated[int | None, "x"]) == Annotated[int, "x"]
