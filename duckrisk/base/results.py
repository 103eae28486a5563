"""What a measurement gives: frozen dataclasses, and the forms in which each can be read.

How a result looks is the report's business, at the other end of the house; the package's own module says who
makes the forms, so that nothing that measures has to know a report.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from duckrisk.base.sentences import Amount, JoinedTexts, Sentence, Text
from duckrisk.base.shapes import fields_of, is_shape

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Range:
    """The least and the greatest number that a field can hold; None where there is none."""

    least: float | None = None
    greatest: float | None = None


#: How many there are of something.
Count = Annotated[int, Range(0)]
#: A part of a whole, or a probability, between 0 and 1.
Share = Annotated[float, Range(0, 1)]
#: The information U that is left: 1 is everything, 0 what a table tells that is suppressed throughout.
Left = Annotated[float, Range(None, 1)]
#: A number that is at least 0.
Positive = Annotated[float, Range(0)]
#: The version of the JSON form of a report; the default of the field is the version today.
Version = Annotated[int, "Version of this form; raised whenever a key changes its meaning or goes away."]


def aside(default: Any = ()) -> Any:
    """A field that is no part of the JSON form, such as the statements that ran."""
    return field(default=default, repr=False, compare=False, metadata={"aside": True})


def left_out() -> Any:
    """A field that the JSON form has only where it is not None."""
    return field(default=None, metadata={"left_out": True})


def inlined(default: Any = None) -> Any:
    """A field whose own keys stand in its place in the JSON form; none of them where it is None."""
    return field(default=default, metadata={"inlined": True})


def as_data(value: Any, shown: Callable[[Text], str]) -> Any:
    """A result as what JSON holds: dataclasses as objects in the order of their fields, sentences put into
    words by ``shown``."""
    if isinstance(value, (Sentence, JoinedTexts, Amount)):
        return shown(value)
    if is_shape(type(value)):
        data: dict[str, Any] = {}
        for field in fields_of(type(value)):
            inside = getattr(value, field.name)
            if field.is_inlined:
                data |= as_data(inside, shown) if inside is not None else {}
            elif not field.is_aside and not (field.is_left_out and inside is None):
                data[field.name] = as_data(inside, shown)
        return data
    if isinstance(value, Mapping):
        return {str(key): as_data(entry, shown) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_data(entry, shown) for entry in value]
    return str(value) if isinstance(value, (str, PurePath)) else value


@dataclass(frozen=True)
class GateResult:
    """One gate."""

    expression: Annotated[str, "Text: the condition that must not hold."]
    passed: Annotated[bool, "Truth value: the condition does not hold."]
    value: Annotated[
        float, "The number furthest beyond the limit, in the unit of the field the gate looks at."
    ]
    where: Annotated[
        str | None,
        "Text: the attribute, table, attack or number of facts it was found in; null for the whole report.",
    ]


#: The last field of a report that gates can judge.
Gates = Annotated[tuple[GateResult, ...], "The gates and whether they were passed."]


@dataclass(frozen=True)
class Change:
    """A figure beside that of an earlier report."""

    figure: Annotated[str, "Text: the name of a limit of the policy, or the path that a gate looks at."]
    where: Annotated[str | None, "Text: the table, attribute or attack that it is of; null for all."]
    before: Annotated[float, "The figure in the earlier report."]
    now: Annotated[float, "The figure in this report, in the same unit."]
    worse: Annotated[bool, "Truth value: it is worse now, by its limit or by the sign of the gate."]


@dataclass(frozen=True)
class Baseline:
    """What changed since an earlier report."""

    name: Annotated[str, "The file of the earlier report, without its folder."]
    worse: Annotated[Count, "Figures that are worse now."]
    figures: Annotated[tuple[Change, ...], "What is compared, what got worse first."]
    settings: Annotated[
        tuple[str, ...] | None,
        "Names of settings that changed a verdict in one of the reports and not alike in the other; left out "
        "where there are none.",
    ] = left_out()


@dataclass(frozen=True)
class Section:
    """What gates call by a name of its own: the shape of an entry, and where they are in the data."""

    kind: type
    entries: Callable[[Mapping[str, Any]], Sequence[Any]]


class Result:
    """A finished measurement. Subclasses are frozen dataclasses whose fields are the keys of the JSON form;
    ``report`` names the module of ``duckrisk.report.sections`` that tells of it."""

    report: ClassVar[str]
    #: What gates call by a name of their own, by that name.
    sections: ClassVar[Mapping[str, Section]] = {}
    #: Where in the JSON form a policy was judged, with what: one that has it takes the gate on it.
    judges_policy: ClassVar[bool] = False
    gates: Gates = ()
    baseline: Baseline | None = None
    #: What changed the verdict (``duckrisk.decision.notices``); None where nothing did.
    notices: Sequence[Any] | None = None

    @classmethod
    def shape(cls, data: Mapping[str, Any]) -> Any:
        """What has to be alike in two reports that are compared: the columns that they are about."""
        return data.get("attributes")

    @classmethod
    def verdicts(cls, data: Mapping[str, Any]) -> Sequence[tuple[Mapping[str, Any], str | None]]:
        """The verdicts in the data that the gate on the policy is about, each with what it was given on."""
        return ()

    @property
    def passed(self) -> bool | None:
        """Whether all gates were passed; None of a report that says it of something that was not asked."""
        return all(gate.passed for gate in self.gates)

    def __repr__(self) -> str:
        return f"<duckrisk {type(self).__name__}: {_forms().title(self)}>"

    @cached_property
    def data(self) -> dict[str, Any]:
        """What the JSON form holds; documented by ``duckrisk.report.schema``."""
        data: dict[str, Any] = _forms().data(self)
        return data

    def to_dict(self) -> dict[str, Any]:
        """A copy of the data, as in the JSON form."""
        copy: dict[str, Any] = json.loads(self.to_json())
        return copy

    def to_json(self) -> str:
        """The JSON form: the same bytes for the same input, seed and settings."""
        return json.dumps(self.data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_text(self, width: int = 80, language: str = "en", full: bool = False) -> str:
        """What the command prints; ``full`` is all of it where that is its first screen."""
        text: str = _forms().to_text(self, width, language, full)
        return text

    def to_markdown(self, language: str = "en") -> str:
        """Markdown; every piece of data is escaped."""
        text: str = _forms().to_markdown(self, language)
        return text

    def to_html(self, language: str = "en") -> str:
        """One HTML page without a script, which loads nothing; all data are escaped."""
        text: str = _forms().to_html(self, language)
        return text

    def to_frame(self, section: str | None = None) -> pandas.DataFrame:
        """A list of the data as a pandas DataFrame, one row an entry: ``section`` is its key, with dots for
        keys inside others; by default the list that the report is about. Raises UsageError for another."""
        frame: pandas.DataFrame = _forms().to_frame(self, section)
        return frame

    def _repr_html_(self) -> str:
        text: str = _forms().notebook(self)
        return text


@dataclass(frozen=True)
class Listed:
    """How much of a list is there: it is cut where ``total`` is more than its entries."""

    total: Annotated[Count, "How many there are in all, of those that were found."]
    equal_to_last: Annotated[
        Count,
        "How many of those that are left out are equal to the last entry in all that the list is ordered by; "
        "0 where it is not cut among equals.",
    ]

    @classmethod
    def taken(cls, rows: Sequence[dict[str, Any]]) -> Listed:
        """What a statement counted, taken out of its rows: in ``total`` all, in ``reached`` those that are no
        lower than the row."""
        counts = [(row.pop("total"), row.pop("reached")) for row in rows]
        return cls(counts[-1][0], counts[-1][1] - len(rows)) if rows else cls(0, 0)

    @classmethod
    def of(cls, ranks: Sequence[Any], shown: int) -> Listed:
        """Of a list by what its entries are ordered by, of which the first are there."""
        return cls(len(ranks), sum(rank == ranks[shown - 1] for rank in ranks[shown:]))


@dataclass(frozen=True)
class Table:
    """A table that took part."""

    sql: ClassVar[tuple[str, ...]] = ("count_missing", "table_size", "score_of_guess", "population_faults")

    name: Annotated[str, "The name of the table, without its folder."]
    records: Annotated[Count, "Its records."]


def in_english(text: Text) -> str:
    """A text as the JSON form has it."""
    told: str = _forms().in_english(text)
    return told


@dataclass(frozen=True)
class Environment:
    """What measured."""

    duckrisk: Annotated[str, "Its version."]
    duckdb: Annotated[str, "The version of the engine."]


def _forms() -> Any:
    import duckrisk

    return duckrisk.presenter()
