"""What a sequence of releases gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from duckrisk.base.results import (
    Baseline,
    Environment,
    Gates,
    Result,
    Version,
    aside,
    left_out,
)
from duckrisk.base.sentences import Sentence
from duckrisk.engine.sql_log import Statement
from duckrisk.measures.sequence.results import (
    ChangedPeople,
    LeftValues,
    LinkedPeople,
    PeopleOfRelease,
    ReleasesTogether,
)


@dataclass(frozen=True, repr=False, kw_only=True)
class ReleaseSequence(Result):
    """Releases one after another: who is alone in all together, though hidden in each."""

    report: ClassVar[str] = "sequence"
    listing: ClassVar[str] = "releases"

    version: Version = 1
    kind: Literal["sequence"] = "sequence"
    user: Annotated[str, "Text: the column that says whose each record is."]
    attributes: Annotated[tuple[str, ...], "The quasi-identifiers, by the roles of the last release."]
    releases: Annotated[tuple[PeopleOfRelease, ...], "The releases in their order."]
    together: ReleasesTogether
    changes: Annotated[tuple[ChangedPeople, ...], "Who joined and who left, by pairs of neighbours."]
    stable: Annotated[tuple[str, ...], "The columns that link records of different releases."]
    links: Annotated[
        tuple[LinkedPeople, ...], "Who is linked by these columns; none without a stable column."
    ]
    values: Annotated[tuple[LeftValues, ...], "What is left of each column that is declared sensitive."]
    notes: Annotated[tuple[Sentence, ...], "What was done to open the releases."]
    config: Annotated[str | None, "Name of the settings file that was read, or null."]
    environment: Environment
    statements: tuple[Statement, ...] = aside()
    gates: Gates = ()
    baseline: Baseline | None = left_out()
