"""What a treatment gives: what each step did, in counts and never in values, and what was written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from duckrisk.base.errors import UsageError
from duckrisk.base.results import (
    Baseline,
    Count,
    Gates,
    Positive,
    Result,
    Share,
    aside,
    inlined,
    left_out,
)
from duckrisk.base.sentences import Sentence
from duckrisk.decision.notices import Notice
from duckrisk.decision.policy.results import Verdict
from duckrisk.engine.sql_log import Statement
from duckrisk.measures.detail import Detail

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class Done:
    """What a method did; it has only some of these figures."""

    sql: ClassVar[tuple[str, ...]] = (
        "count_where",
        "count_meeting",
        "count_relabelled",
        "sum_changed",
        "table_size",
        "count_pseudonyms",
        "made_class_sizes",
        "class_losses",
    )

    column: Annotated[str | None, "The columns that it is about."] = left_out()
    cells: Annotated[Count | None, "Cells of the column that are not missing."] = left_out()
    changed: Annotated[Count | None, "Cells that it changed."] = left_out()
    groups: Annotated[Count | None, "Groups that got a mean each."] = left_out()
    dropped: Annotated[bool | None, "The column was left out."] = left_out()
    deleted: Annotated[Count | None, "Records that it left out."] = left_out()
    records: Annotated[Count | None, "Records that it kept."] = left_out()
    users: Count | None = left_out()
    pseudonyms: Count | None = left_out()
    classes: Count | None = left_out()
    smallest: Annotated[Count | None, "Records of the smallest class; its users if classes count them."] = (
        left_out()
    )
    ncp: Annotated[Positive | None, "Normalized certainty penalty of all records."] = left_out()
    gcp: Annotated[Share | None, "Of what could be lost; global certainty penalty."] = left_out()
    discernibility: Positive | None = left_out()
    average_class: Positive | None = left_out()
    #: The table of the pseudonyms, and whether they last for a period.
    table: str = aside("")
    by_period: bool = aside(False)


@dataclass(frozen=True)
class _Numbered:
    step: Annotated[Count, "Its place, from 1."]
    method: str


@dataclass(frozen=True)
class StepDone(Done, _Numbered):
    """What a step did."""


@dataclass(frozen=True, kw_only=True)
class PolicyKept:
    """What an assessment of a release found that was made to keep a policy, and what that cost."""

    sql: ClassVar[tuple[str, ...]] = ("profile", "users", "facts_together")

    rows_before: Annotated[Count, "The rows before any was deleted: the records, or one for each person."]
    people_before: Annotated[Count, "People behind the records before."]
    singled_out_before: Annotated[Count, "People singled out by all attributes together before."]
    people: Annotated[Count, "People behind the records of the release."]
    singled_out: Annotated[Count, "People singled out by all attributes together in the release."]
    smallest_class: Annotated[Count, "People: the fewest who share the values of a record, which is k."]
    detail: Detail = inlined()
    verdict: Verdict


@dataclass(frozen=True, repr=False)
class Release(Result):
    """A release with its recipe, its steps and notes. It was written unless a gate failed."""

    report: ClassVar[str] = "anonymize"
    judges_policy: ClassVar[bool] = True
    sql: ClassVar[tuple[str, ...]] = ("count_where",)

    path: Annotated[Path | None, "The file, or the database; null where no output was named."]
    table: Annotated[str | None, "The table of the database; null for a file."]
    written: Annotated[bool, "Truth value: it was written; false where a gate failed."]
    recipe: Annotated[str, "The recipe, in TOML."]
    recipe_path: Annotated[Path | None, "The file of the recipe; null where no output was named."]
    records: Annotated[Count, "The records before."]
    released: Annotated[Count, "The records of the release."]
    steps: tuple[StepDone, ...]
    notes: tuple[Sentence, ...]
    policy: Annotated[PolicyKept | None, "The policy that the release keeps, where one was asked for."] = (
        left_out()
    )
    gates: Gates = ()
    baseline: Baseline | None = left_out()
    notices: tuple[Notice, ...] | None = left_out()
    #: What holds the records where no output was named (:mod:`duckrisk.release.anonymization.held`).
    held: Any = aside(None)
    original: str | None = aside(None)
    role_options: tuple[tuple[str, ...], ...] = aside(())
    #: The distributions of a comparison (:class:`duckrisk.release.comparison.utility_results.Distribution`),
    #: which only a page has, and what adds them to a release.
    distributions: tuple[Any, ...] = aside(())
    complete_page: Callable[[Release], Release] | None = aside(None)
    statements: tuple[Statement, ...] = aside()

    def for_page(self) -> Release:
        """Return the release with its distributions; the tables are read again."""
        return self.complete_page(self) if self.complete_page is not None else self

    def to_relation(self) -> duckdb.DuckDBPyRelation:
        """Return the records of a release for which no output was named.

        They stay in a temporary database until nothing refers to it. ``df()``, ``arrow()`` or ``pl()`` of the
        relation read them into a frame of pandas, Arrow or polars.

        Raises:
            UsageError: An output was named, or a gate failed.
        """
        if self.held is None:
            if self.written:
                raise UsageError("package.release_in_file", path=self.path)
            raise UsageError("package.release_withheld")
        opened: duckdb.DuckDBPyRelation = self.held.make_relation()
        return opened

    @classmethod
    def verdicts(cls, data: Mapping[str, Any]) -> Sequence[tuple[Mapping[str, Any], str | None]]:
        """Return the verdict on the release, if a policy was given."""
        return [(data["policy"]["verdict"], None)] if "policy" in data else []
