"""Results of measurements: frozen dataclasses, and methods for the forms in which people read them.

``duckrisk._presenter()`` makes the forms, so that no module that measures imports the report.
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
    """The smallest and the largest number that a field can hold; None without a limit."""

    minimum: float | None = None
    maximum: float | None = None


#: A number of things.
Count = Annotated[int, Range(0)]
#: A part of a whole, or a probability, between 0 and 1.
Share = Annotated[float, Range(0, 1)]
#: The information U that a release keeps: 1 is all of it, 0 that of a wholly suppressed table.
InformationKept = Annotated[float, Range(None, 1)]
#: A number that is at least 0.
Positive = Annotated[float, Range(0)]
#: The version of the JSON form of a report; the default of the field is the current version.
Version = Annotated[int, "Version of this form; raised whenever a key changes its meaning or goes away."]


def aside(default: Any = ()) -> Any:
    """Declare a field that the JSON form lacks, such as the statements that ran."""
    return field(default=default, repr=False, compare=False, metadata={"aside": True})


def left_out() -> Any:
    """Declare a field that the JSON form lacks where it is None."""
    return field(default=None, metadata={"left_out": True})


def inlined(default: Any = None) -> Any:
    """Declare a field that the JSON form replaces by the keys of its value."""
    return field(default=default, metadata={"inlined": True})


def as_data(value: Any, translate: Callable[[Text], str]) -> Any:
    """Convert a result to values of JSON: dataclasses become objects.

    Args:
        value: The result, or anything inside it.
        translate: Puts a sentence into words.
    """
    if isinstance(value, (Sentence, JoinedTexts, Amount)):
        return translate(value)
    if is_shape(type(value)):
        data: dict[str, Any] = {}
        for field in fields_of(type(value)):
            inside = getattr(value, field.name)
            if field.is_inlined:
                data |= as_data(inside, translate) if inside is not None else {}
            elif not field.is_aside and not (field.is_left_out and inside is None):
                data[field.name] = as_data(inside, translate)
        return data
    if isinstance(value, Mapping):
        return {str(key): as_data(entry, translate) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_data(entry, translate) for entry in value]
    return str(value) if isinstance(value, (str, PurePath)) else value


@dataclass(frozen=True)
class GateResult:
    """A gate and whether the report passed it."""

    expression: Annotated[str, "Text: the condition that must not hold."]
    passed: Annotated[bool, "Truth value: the condition does not hold."]
    value: Annotated[
        float, "The number furthest beyond the limit, in the unit of the field that the gate judges."
    ]
    where: Annotated[
        str | None,
        "Text: the attribute, table, attack or number of facts it was found in; null for the whole report.",
    ]


#: The last field of a report that gates can judge.
Gates = Annotated[tuple[GateResult, ...], "The gates and whether they were passed."]


@dataclass(frozen=True)
class Change:
    """A figure of this report and of an earlier one."""

    figure: Annotated[str, "Text: the name of a limit of the policy, or the path of a gate."]
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
    """A list of the report that gates call by a name of its own.

    Attributes:
        kind: The shape of an entry.
        entries: Finds the entries in the data of the JSON form.
    """

    kind: type
    entries: Callable[[Mapping[str, Any]], Sequence[Any]]


class Result:
    """Base class of finished measurements.

    Subclasses are frozen dataclasses whose fields are the keys of the JSON form.

    Attributes:
        report: The module of ``duckrisk.report.sections`` that presents it.
        sections: By the name in a gate, the lists that gates find under a name of their own.
        judges_policy: Whether the gate ``policy`` applies to it.
        gates: The gates that were judged.
        baseline: What changed since an earlier report; None without one.
        notices: What changed the verdict (``duckrisk.decision.notices``); None if nothing did.
    """

    report: ClassVar[str]
    sections: ClassVar[Mapping[str, Section]] = {}
    judges_policy: ClassVar[bool] = False
    gates: Gates = ()
    baseline: Baseline | None = None
    notices: Sequence[Any] | None = None

    @classmethod
    def comparable_part(cls, data: Mapping[str, Any]) -> Any:
        """Return what a report and its baseline must have in common: the columns."""
        return data.get("attributes")

    @classmethod
    def verdicts(cls, data: Mapping[str, Any]) -> Sequence[tuple[Mapping[str, Any], str | None]]:
        """Return the verdicts that the gate ``policy`` judges.

        Returns:
            Pairs of a verdict and its table; None for the table of the whole report.
        """
        return ()

    @property
    def passed(self) -> bool | None:
        """Whether all gates passed; None for a report that was not asked to judge."""
        return all(gate.passed for gate in self.gates)

    def __repr__(self) -> str:
        return f"<duckrisk {type(self).__name__}: {_presenter().get_title(self)}>"

    @cached_property
    def data(self) -> dict[str, Any]:
        """The JSON form as a dictionary; ``duckrisk.report.schema`` documents it."""
        data: dict[str, Any] = _presenter().to_data(self)
        return data

    def to_dict(self) -> dict[str, Any]:
        """Return a copy of the JSON form as a dictionary."""
        copy: dict[str, Any] = json.loads(self.to_json())
        return copy

    def to_json(self) -> str:
        """Return the JSON form; the same input, seed and settings give the same bytes."""
        return json.dumps(self.data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_text(self, width: int = 80, language: str = "en", full: bool = False) -> str:
        """Return the report for a terminal.

        Args:
            width: Characters of a line.
            language: "en" or "ja".
            full: Whether to include what follows the first screen of an assessment.
        """
        text: str = _presenter().to_text(self, width, language, full)
        return text

    def to_markdown(self, language: str = "en") -> str:
        """Return the report as Markdown, with all data escaped."""
        text: str = _presenter().to_markdown(self, language)
        return text

    def for_page(self) -> Result:
        """Return the result with what only a page shows."""
        return self

    def to_html(self, language: str = "en") -> str:
        """Return the report as one HTML page without scripts, with all data escaped."""
        text: str = _presenter().to_html(self, language)
        return text

    def to_frame(self, section: str | None = None) -> pandas.DataFrame:
        """Return a list of the JSON form as a pandas DataFrame, one row per entry.

        Inner keys become columns with dots in their names, and lists of texts one text. Lists of objects are
        left out: ``data`` has them.

        Args:
            section: The key of the list, with dots before inner keys; None for the main list.

        Raises:
            UsageError: There is no such list.
        """
        frame: pandas.DataFrame = _presenter().to_frame(self, section)
        return frame

    def _repr_html_(self) -> str:
        text: str = _presenter().to_notebook(self)
        return text


@dataclass(frozen=True)
class Truncation:
    """How many entries a list had before it was cut."""

    total: Annotated[Count, "How many there are in all, of those that were found."]
    equal_to_last: Annotated[
        Count,
        "How many of those that are left out are equal to the last entry in all that the list is ordered by; "
        "0 where it is not cut among equals.",
    ]

    @classmethod
    def pop_from(cls, rows: Sequence[dict[str, Any]]) -> Truncation:
        """Remove the counts of the whole list from the rows of a statement.

        Args:
            rows: The entries in order. ``total`` counts all entries before the cut, ``reached`` those that
                rank no lower than the row.

        Returns:
            The truncation after the last row.
        """
        counts = [(row.pop("total"), row.pop("reached")) for row in rows]
        return cls(counts[-1][0], counts[-1][1] - len(rows)) if rows else cls(0, 0)

    @classmethod
    def after(cls, limit: int, ranks: Sequence[Any]) -> Truncation:
        """Return the truncation after ``limit`` entries, given the ranks of all."""
        return cls(len(ranks), sum(rank == ranks[limit - 1] for rank in ranks[limit:]))


@dataclass(frozen=True)
class Table:
    """A table of the run."""

    sql: ClassVar[tuple[str, ...]] = ("count_missing", "table_size", "score_of_guess", "population_faults")

    name: Annotated[str, "The name of the table, without its folder."]
    records: Annotated[Count, "Its records."]


def in_english(text: Text) -> str:
    """Return a text in English, as in the JSON form."""
    english: str = _presenter().to_english(text)
    return english


@dataclass(frozen=True)
class Environment:
    """The versions that measured."""

    duckrisk: Annotated[str, "The version of duckrisk."]
    duckdb: Annotated[str, "The version of the engine."]


def _presenter() -> Any:
    import duckrisk

    return duckrisk._presenter()
