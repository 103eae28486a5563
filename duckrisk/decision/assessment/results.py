"""What an assessment gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, get_args

from duckrisk.base.options import attribute, disclosure, identifiability
from duckrisk.base.results import Baseline, Count, Gates, Range, Result, Section, Version, aside, left_out
from duckrisk.base.sentences import Sentence
from duckrisk.decision.notices import Notice
from duckrisk.decision.policy.results import Verdict
from duckrisk.engine.session import Resources
from duckrisk.engine.sql_log import Statement
from duckrisk.measures.attribute.results import (
    AttributeRisk,
    Coarser,
    Interval,
    KnownRecords,
    ModelError,
    SingleValues,
)
from duckrisk.measures.disclosure.noisy_results import NoisyKnowledge
from duckrisk.measures.disclosure.results import (
    AttributeDisclosure,
    ClassSizes,
    DirectIdentifiers,
    InformationGain,
    SensitiveAttribute,
    SensitiveColumn,
    SizesByRule,
)
from duckrisk.measures.disclosure.set_results import AttributeSets, MinimalKeys, Suda
from duckrisk.measures.identifiability.results import Identifiability
from duckrisk.measures.plausible_attacks import PlausibleAttacks
from duckrisk.measures.sequence.results import ReleasesTogether
from duckrisk.measures.uniqueness.results import KnownFacts, Uniqueness
from duckrisk.roles import Confidence, Declared, Role
from duckrisk.roles.model import Holdings
from duckrisk.roles.results import Counted
from duckrisk.source.digest import Digest

PartName = Literal[
    "attribute_risk",
    "identifiability",
    "uniqueness",
    "class_sizes",
    "direct_identifiers",
    "attribute_disclosure",
    "suda",
    "attribute_sets",
    "minimal_keys",
    "information_gain",
    "noisy_knowledge",
]
Status = Literal["supports", "against", "not_shown"]
#: What a quick run leaves out: no limit of a policy is about it.
NotLookedAt = Literal["identifiability", "coarser_knowledge", "four_facts", "samples", "checklist"]
NOT_LOOKED_AT: tuple[NotLookedAt, ...] = get_args(NotLookedAt)


@dataclass(frozen=True)
class SourceColumn:
    """One column of the source."""

    sql: ClassVar[tuple[str, ...]] = ("profile",)

    name: Annotated[str, "Text: the name of the column."]
    type: Annotated[str, "Text: the engine's type of the column."]
    role: Annotated[
        Role,
        "Name of what the column was taken for; event_key is the number of a receipt, a session or a "
        "household, or a survey's weight: assessed, but nothing that an attacker plausibly knows.",
    ]
    confidence: Annotated[
        Confidence,
        "Name of how sure that is: sure where a person or the cells say it, likely where name and cells "
        "agree, guess where little speaks for it.",
    ]
    kind: Annotated[
        str | None,
        "Name of the kind of identifier or key that its name or its cells say, such as email; pseudonym "
        "where the recipe of a release says so, new or original where a person declared whose codes a user "
        "column holds, row for the number of a row, code where all cells differ; null for none.",
    ]
    reason: Annotated[Sentence | str, "Text: why; empty where nothing special was found."]
    missing: Annotated[Count, "Records without a value in this column."]
    declared: Annotated[
        Declared | None,
        "Name of the role that a person declared: quasi_identifier, sensitive or insensitive; null where "
        "nobody did.",
    ] = None
    keep: Annotated[bool, "Truth value: a treatment must not leave the column out."] = False
    given: bool = aside(False)
    against: Role | None = aside(None)
    listed: tuple[int, ...] = aside(())


@dataclass(frozen=True)
class AssessedSource:
    """What was assessed."""

    sql: ClassVar[tuple[str, ...]] = ("count_records", "users", "profile")

    name: Annotated[str, "Text: the name of the source, without its folder."]
    kind: Annotated[str, "Name of the kind of source, such as parquet, csv, json, a database or a frame."]
    records: Annotated[int, Range(1), "Records of the source that meet the condition, if there is one."]
    users: Annotated[
        Count, "Users behind the records; the records themselves where no column names the user."
    ]
    user: Annotated[
        str | None, "Text: the name of the user column; null where each record counts as its own person."
    ]
    user_confidence: Annotated[
        Confidence,
        "Name of how sure it is whose a record is: of the user column's role, or that no column names the "
        "user.",
    ]
    records_without_user: Annotated[Count, "Records whose user column is empty; they are left out."]
    records_of_token_users: Annotated[
        Count,
        "Records whose user is a text that means a missing cell elsewhere; each such text is one person.",
    ]
    most_records_of_a_user: Annotated[Count, "Records of the user who has the most."]
    columns: Annotated[tuple[SourceColumn, ...], "All columns of the source and what they were taken for."]
    encoding: Annotated[
        str | None, "Name of the encoding a text source was read with; null for other sources."
    ]
    digest: Annotated[
        Digest | None, "What identifies the bytes of the source; null where it has none of its own."
    ]
    where: Annotated[
        str | None,
        "Text: the condition on the records; with settings.show_values as given, otherwise with ? for each "
        "text and number and without comments.",
    ]
    query: Annotated[
        str | None,
        "Text: the query that is the source; with settings.show_values as given, otherwise with ? for each "
        "text and number and without comments.",
    ]
    notes: Annotated[tuple[Sentence, ...], "Sentences on what was done or left out."]
    lost_user: Annotated[
        str | None,
        "Text: the user column that the original has and this release has not; left out without one.",
    ] = left_out()
    people_known: Annotated[
        bool | None,
        "Truth value: the original says whose each record is, so users counts people; left out where it does "
        "not.",
    ] = left_out()
    undated: Annotated[
        tuple[str, ...] | None,
        "Names of columns of days whose years have two digits of no known century; left out without any.",
    ] = left_out()
    counted: Annotated[
        Counted | None,
        "The column of counts by which records stand for several people; left out without one.",
    ] = left_out()
    holdings: Holdings = aside(Holdings())
    person_candidates: tuple[tuple[str, ...], ...] = aside(())
    doubts: tuple[Sentence, ...] = aside(())
    exchanged: tuple[str, ...] = aside(())


@dataclass(frozen=True)
class ChecklistItem:
    """One item of a rule."""

    framework: Annotated[Sentence, "Text: the rule."]
    item: Annotated[str, "Text: the item of the rule."]
    requirement: Annotated[Sentence, "Text: what the item asks for, in short."]
    evidence: Annotated[Sentence, "Text: what this run shows, in counts and names of columns."]
    status: Annotated[
        Status,
        "Name of what that does: supports an assessment, speaks against it, or shows nothing on it.",
    ]


@dataclass(frozen=True)
class DisclosureSettings:
    """How disclosure is measured; of files the names."""

    options: ClassVar = (disclosure.Options,)

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    class_sizes: tuple[int, ...]
    missing: Literal["value", "wildcard", "none"]
    compare_missing: bool
    suda_scores: Literal["elliot", "ihsn"]
    fraction: float | None
    population: str | None
    population_count: str | None
    weight: str | None
    household: str | None
    max_size: int | None
    time_limit: float | None
    seed: int
    share: float
    noisy_days: int
    noisy_band: float
    hierarchies: str | None


@dataclass(frozen=True)
class UsedSettings:
    """What the run was asked to do."""

    options: ClassVar = (attribute.Options, identifiability.Options)

    method: Literal["exact", "approximate", "sample"]
    k: int
    samples: int
    confidence: float
    interval: Interval
    known_records: int
    draws: int
    detailed: int
    models_of: str | None
    user: Annotated[
        str | None, "Text: the user column that was asked for; empty for none, null for inferred."
    ]
    attributes: Annotated[tuple[str, ...], "The attributes that were asked for; empty for all."]
    ignore: Annotated[tuple[str, ...], "The columns that were to be ignored."]
    roles: Annotated[Mapping[str, str], "Roles given for columns, by their names."]
    table: Annotated[str | None, "Text: the table of a database that was chosen, or null."]
    attached: Annotated[str | None, "Kind of the attached database (postgres, sqlite, ...), or null."]
    encoding: Annotated[
        str | None, "Name of the encoding that was asked for, or null where it was found out."
    ]
    header: Annotated[
        bool | None,
        "Whether the first line was said to hold names, or null where it was found out.",
    ]
    timezone: Annotated[str, "Name of the time zone of the days of TIMESTAMP WITH TIME ZONE columns."]
    read: Annotated[tuple[str, ...], "What was said of how columns are written, as COLUMN=FORM."]
    only: Annotated[tuple[PartName, ...], "The parts of the assessment that were to be measured."]
    levels: Annotated[
        Mapping[str, str | tuple[int, ...]],
        "Sensitivity levels given for columns, by their names: a type of the chart, or the economic and the "
        "psychological level.",
    ]
    profile: str
    missing: Literal["none", "value", "wildcard"]
    missing_tokens: tuple[str, ...]
    compare_missing: bool
    max_sets: int | None
    max_size: int | None
    time_limit: float | None
    thorough: bool
    what_if: bool | None
    currency: str
    base: float
    social_responsibility: int
    post_response: int
    disclosure: Annotated[
        DisclosureSettings | None,
        "How disclosure is measured; null where none of its parts was to be measured.",
    ]
    config: Annotated[str | None, "Name of the settings file that was read, or null."]
    show_values: Annotated[bool, "Truth value: the report may hold values of people's records."]


@dataclass(frozen=True)
class Environment:
    """What made the report."""

    duckrisk: Annotated[str, "Text: the version of duckrisk."]
    duckdb: Annotated[str, "Text: the version of DuckDB."]
    seed: Annotated[Count, "Seed of all draws."]
    engine: Annotated[
        str | None,
        "What ran the statements on all records, with its version; left out where DuckDB did.",
    ] = left_out()


@dataclass(frozen=True)
class Invocation:
    """The words of a command that asked for an assessment, for suggested commands.

    Attributes:
        source: The words that name the source.
        advise: These, and those that ``advise`` also takes.
        assess: All words.
        repeatable: Whether the words name the same records; conditions, queries and addresses can hold values
            or passwords and are left out.
    """

    source: tuple[str, ...]
    advise: tuple[str, ...]
    assess: tuple[str, ...]
    repeatable: bool = True


def _find_class_sizes(data: Mapping[str, Any]) -> list[Any]:
    """Return the class sizes of records and of users by the rule of the run."""
    class_sizes = data["class_sizes"] or {"rules": (), "users": (), "missing": None}
    rules = (*class_sizes["rules"], *(class_sizes["users"] or ()))
    return [rule for rule in rules if rule["missing"] == class_sizes["missing"]]


def _find_disclosure(data: Mapping[str, Any]) -> list[Any]:
    return [*((data["attribute_disclosure"] or {}).get("attributes", ()))]


def _find_facts(data: Mapping[str, Any]) -> list[Any]:
    return [*((data["uniqueness"] or {}).get("facts", ()))]


@dataclass(frozen=True, repr=False, kw_only=True)
class Assessment(Result):
    """The result of an assessment. Probabilities are between 0 and 1; counts are whole numbers."""

    report: ClassVar[str] = "assess"
    judges_policy: ClassVar[bool] = True
    sections: ClassVar[Mapping[str, Section]] = {
        "facts": Section(KnownFacts, _find_facts),
        "class_sizes": Section(SizesByRule, _find_class_sizes),
        "attribute_disclosure": Section(SensitiveAttribute, _find_disclosure),
    }

    version: Version = 2
    source: AssessedSource
    attribute_risk: Annotated[tuple[AttributeRisk, ...], "The attributes, the most dangerous first."]
    known_records: Annotated[
        tuple[KnownRecords, ...], "Several known records, for the most dangerous attributes."
    ]
    coarser_knowledge: Annotated[tuple[Coarser, ...], "Coarser forms of the most dangerous attributes."]
    model_errors: Annotated[tuple[ModelError, ...], "Cost and error of each model of each attribute."]
    single_values: Annotated[
        SingleValues | None,
        "What single values of the most dangerous attribute, or of the one that was asked for, would say; "
        "null where it was not measured.",
    ]
    identifiability: Annotated[
        Identifiability | None, "Who can be singled out; null where it was not measured."
    ]
    uniqueness: Annotated[
        Uniqueness | None, "Who is singled out by how many facts; null where it was not measured."
    ]
    class_sizes: ClassSizes | None
    direct_identifiers: DirectIdentifiers | None
    attribute_disclosure: AttributeDisclosure | None
    suda: Suda | None
    attribute_sets: AttributeSets | None
    minimal_keys: MinimalKeys | None
    information_gain: InformationGain | None
    noisy_knowledge: NoisyKnowledge | None
    sensitive: Annotated[
        tuple[SensitiveColumn, ...],
        "The columns that are declared sensitive; where none is and all other limits are kept, those that "
        "look it.",
    ]
    earlier: Annotated[
        ReleasesTogether | None,
        "What this release and earlier ones single out together; left out where none is known.",
    ] = left_out()
    plausible_attacks: Annotated[
        PlausibleAttacks | None, "El Emam's four attacks; null where nothing is said of who gets the table."
    ]
    checklist: Annotated[tuple[ChecklistItem, ...], "What the run shows under rules on anonymised data."]
    settings: UsedSettings
    environment: Environment
    verdict: Annotated[Verdict, "Whether the table keeps the limits of a policy."]
    gates: Gates = ()
    baseline: Baseline | None = left_out()
    notices: tuple[Notice, ...] | None = left_out()
    not_looked_at: Annotated[
        tuple[NotLookedAt, ...] | None,
        "Names of what a quick run left out, as no limit is about it: identifiability (the value of a leak), "
        "coarser_knowledge, four_facts, samples (with model_errors and single_values) and checklist. Their "
        "empty figures say nothing. Left out of the report where all was looked at.",
    ] = left_out()
    statements: tuple[Statement, ...] = aside()
    resources: Resources | None = aside(None)
    invocation: Invocation | None = aside(None)

    @classmethod
    def comparable_part(cls, data: Mapping[str, Any]) -> Any:
        """Return the columns with their roles."""
        return [(column["name"], column["role"]) for column in data["source"]["columns"]]

    @classmethod
    def verdicts(cls, data: Mapping[str, Any]) -> Sequence[tuple[Mapping[str, Any], str | None]]:
        """Return the verdict of the assessment."""
        return [(data["verdict"], None)]

    @property
    def listing(self) -> str:
        """The list that a frame, CSV and Parquet hold by default."""
        return "attribute_risk" if self.has_part("attribute_risk") else "identifiability.attributes"

    def has_part(self, part: str) -> bool:
        """Return whether the run measures a part."""
        return part in self.settings.only
