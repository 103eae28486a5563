"""What advice gives: the steps, what each leaves of the risk and of the table, and how it was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

from duckrisk.base.options.advice import Objective
from duckrisk.base.options.policy import PolicyName
from duckrisk.base.results import (
    Baseline,
    Count,
    Gates,
    InformationKept,
    Positive,
    Result,
    Share,
    Version,
    aside,
    inlined,
    left_out,
)
from duckrisk.base.sentences import Sentence
from duckrisk.decision.assessment.results import Assessment
from duckrisk.decision.notices import Notice
from duckrisk.decision.policy.results import Verdict
from duckrisk.engine.sql_log import Statement
from duckrisk.measures.detail import Detail
from duckrisk.measures.identifiability.results import Totals
from duckrisk.roles import Roles

Method = Literal[
    "generalize", "drop", "pseudonymize", "delete-classes", "local", "uniform", "columns", "summary"
]
StopReason = Literal["target", "policy", "no_risk", "steps", "no_step", "no_columns", "time_limit"]


@dataclass(frozen=True)
class Step:
    """What changed from one line to the next; all null in the first."""

    method: Annotated[
        Method | None,
        "The method of duckrisk anonymize; local, uniform, columns and summary are of --method.",
    ] = None
    attribute: Annotated[str | None, "The column that takes another form."] = None
    form: Annotated[str | None, "The form, as --generalize or --pseudonymize takes it."] = None
    among: Annotated[
        tuple[str, ...], "The columns that a deletion looks at, or those that are left out at once."
    ] = ()
    together: Annotated[Count | None, "Number of these columns whose values must be shared together."] = None
    below: Annotated[Count | None, "People in the smallest class of a release; null for other steps."] = None


@dataclass(frozen=True)
class Risk:
    """The figures of an assessment of records or of users."""

    sql: ClassVar[tuple[str, ...]] = ("jo_model",)

    total_value: Annotated[Positive, "Sum in the currency: the value of a leak."]
    singled_out_share: Share
    singled_out: Count
    total_ease: Positive
    jo_total_value: Annotated[Positive, "The value of a leak by the JO model."]

    @classmethod
    def of(cls, totals: Totals) -> Risk:
        """Return the risk of the totals of a table."""
        return cls(
            totals.total_value,
            totals.singled_out_share,
            totals.singled_out,
            totals.total_ease,
            totals.jo_total_value,
        )


#: The figures that a target can be about: the lower the better.
RISKS = ("total_value", "singled_out_share", "singled_out", "total_ease")


@dataclass(frozen=True, kw_only=True)
class UsersLine:
    """The users of a line, each pseudonym being one."""

    sql: ClassVar[tuple[str, ...]] = ("users", "jo_model", "value_each", "links_left")

    users: Count
    risk: Risk = inlined()
    value_per_user: Annotated[Positive, "Sum in the currency: the value of a leak of one user."]


@dataclass(frozen=True, kw_only=True)
class PeopleLine:
    """What a line leaves of the risk for people, and what the policy says to it."""

    sql: ClassVar[tuple[str, ...]] = ("users", "facts_together", "attribute_risk", "disclosed_people")

    people: Annotated[Count, "People behind the records that are left."]
    singled_out: Annotated[Count, "People singled out by all attributes together."]
    singled_out_share: Annotated[Share, "Share of people: these of all."]
    smallest_class: Annotated[Count, "People: the fewest who share the values of a record, which is k."]
    one_fact: Annotated[
        Share | None,
        "Probability: the highest mean one that one known fact identifies; null where it was not measured.",
    ]
    verdict: Annotated[Verdict, "What an assessment of the table or of the release says."]

    @classmethod
    def of(cls, report: Assessment) -> PeopleLine:
        """Summarize an assessment: people that all attributes single out, and the verdict.

        Without attributes nobody is singled out, unless there is only one person.
        """
        people = report.source.users
        together = report.uniqueness.all_attributes if report.uniqueness is not None else None
        return cls(
            people=people,
            singled_out=together.people if together is not None else int(people == 1),
            singled_out_share=together.share if together is not None else float(people == 1),
            smallest_class=together.smallest_class if together is not None else people,
            one_fact=report.verdict.find_value("one_fact"),
            verdict=report.verdict,
        )


@dataclass(frozen=True, kw_only=True)
class Line:
    """A treatment of the table: the step that leads to it, and what it leaves."""

    sql: ClassVar[tuple[str, ...]] = (
        "profile",
        "users",
        "treated_information",
        "links_left",
    )

    step: Step = inlined()
    options: Annotated[tuple[str, ...], "The options of duckrisk anonymize that make it."]
    records: Annotated[Count, "Records that are left."]
    risk: Risk | None = inlined()
    people: Annotated[PeopleLine | None, "Null where the value of a leak is lowered."] = None
    detail: Detail = inlined()
    information: Annotated[
        InformationKept | None,
        "U, the information that is left: 1 for the table as it is, 0 for nothing; it may be below 0. Left "
        "out for releases of a policy.",
    ] = left_out()
    links: Annotated[
        Share | None, "The share of records that can still be linked to an earlier one of the user."
    ] = None
    users: UsersLine | None = None
    rows_before: Annotated[
        Count | None,
        "The rows before any was deleted: the records, or one for each person. Left out without a policy.",
    ] = left_out()


@dataclass(frozen=True, repr=False, kw_only=True)
class Advice(Result):
    """Steps that lower the risk most for the least loss of information, in their order."""

    report: ClassVar[str] = "advise"
    listing: ClassVar[str] = "lines"
    judges_policy: ClassVar[bool] = True
    sql: ClassVar[tuple[str, ...]] = ("profile",)

    version: Version = 3
    duckrisk: str
    source: str
    source_options: Annotated[
        tuple[tuple[str, ...], ...], "The options by which a command reads the same records."
    ]
    records: Count
    objective: Annotated[Objective, "What is lowered: the risk for people, or the value of a leak."]
    policy: Annotated[PolicyName | None, "The policy that the steps lead to; null for the value of a leak."]
    currency: str
    target: str | None
    reached: Annotated[bool | None, "Whether the target was reached; null without one."]
    stop_reason: Annotated[StopReason, "Why the steps ended."]
    measured: Annotated[Count, "Treatments one step away that were measured, or releases that were tried."]
    skipped: Annotated[Count, "Treatments one step away that were not measured: they could not be the best."]
    lines: Annotated[
        tuple[Line, ...],
        "The table as it is first. Then the steps in their order, or by detail the releases that keep the "
        "policy.",
    ]
    notes: tuple[Sentence, ...]
    roles: Roles | None = aside(None)
    #: The named settings file, for suggested commands.
    settings_path: str | None = aside(None)
    role_options: tuple[tuple[str, ...], ...] = aside(())
    #: The option of the language that was given, for suggested commands.
    language_option: tuple[str, ...] = aside(())
    statements: tuple[Statement, ...] = aside()
    gates: Gates = ()
    baseline: Baseline | None = left_out()
    notices: tuple[Notice, ...] | None = left_out()

    @classmethod
    def verdicts(cls, data: Mapping[str, Any]) -> Sequence[tuple[Mapping[str, Any], str | None]]:
        """Return the verdict on the release that keeps most detail."""
        people = data["lines"][-1]["people"]
        return [(people["verdict"], None)] if people is not None else []

    def name_hierarchies(self, path: str) -> Advice:
        """Return the advice with the file of hierarchies in the commands that need it."""
        return replace(self, lines=tuple(_with_hierarchies(line, path) for line in self.lines))


def _with_hierarchies(line: Line, path: str) -> Line:
    uses = "--to-policy" in line.options  # any column that has one may become coarser
    if not uses and not any(option.rpartition("=")[2].startswith("level") for option in line.options):
        return line
    return replace(line, options=(*line.options, "--hierarchies", path))
