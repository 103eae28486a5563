"""What an assessment gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from duckrisk.attribute.results import (
    AttributeRisk,
    Coarser,
    Interval,
    KnownRecords,
    ModelError,
    SingleValues,
)
from duckrisk.disclosure.results import AttributeDisclosure, ClassSizes, DirectIdentifiers, InformationGain
from duckrisk.disclosure.set_results import AttributeSets, MinimalKeys, Suda
from duckrisk.gates import GateResult
from duckrisk.identifiability.results import Identifiability
from duckrisk.results import Count, Positive, Range, Result, Share, aside
from duckrisk.sentences import Sentence
from duckrisk.session import Resources, Statement

PartName = Literal[
    "attribute_risk",
    "identifiability",
    "class_sizes",
    "direct_identifiers",
    "attribute_disclosure",
    "suda",
    "attribute_sets",
    "minimal_keys",
    "information_gain",
]
Role = Literal["user", "direct_identifier", "date_time", "attribute", "free_text", "constant", "ignored"]
Status = Literal["supports", "against", "not_shown"]
#: 1 or 2, of the JO model.
Factor = Annotated[int, Range(1, 2)]


@dataclass(frozen=True)
class SourceColumn:
    """One column of the source."""

    name: Annotated[str, "Text: the name of the column."]
    type: Annotated[str, "Text: the engine's type of the column."]
    role: Annotated[Role, "Name of what the column was taken for."]
    reason: Annotated[Sentence | str, "Text: why; empty where nothing special was found."]
    missing: Annotated[Count, "Records without a value in this column."]
    given: bool = aside(False)


@dataclass(frozen=True)
class Digest:
    """What identifies the bytes of the source."""

    kind: Annotated[
        Literal["sha256", "parts"],
        "Name: sha256 is the SHA-256 of the content, parts that of each part's name, size and time.",
    ]
    value: Annotated[str, "Text: the digest in hexadecimal digits."]
    files: Annotated[Count, "Files of the source."]
    bytes: Annotated[Count, "Bytes of all files."]


@dataclass(frozen=True)
class AssessedSource:
    """What was assessed."""

    name: Annotated[str, "Text: the name of the source, without its folder."]
    kind: Annotated[str, "Name of the kind of source, such as parquet, csv, json, a database or a frame."]
    records: Annotated[int, Range(1), "Records of the source that meet the condition, if there is one."]
    users: Annotated[
        Count, "Users behind the records; the records themselves where no column names the user."
    ]
    user: Annotated[
        str | None, "Text: the name of the user column; null where each record counts as its own person."
    ]
    records_without_user: Annotated[Count, "Records whose user column is empty; they are left out."]
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
    """How disclosure is measured."""

    quasi_identifiers: Annotated[tuple[str, ...], "The columns that an attacker knows, as they were named."]
    sensitive: Annotated[tuple[str, ...], "The sensitive columns, as they were named."]
    class_sizes: Annotated[tuple[int, ...], "Sizes of classes that records are counted below."]
    missing: Annotated[
        Literal["value", "wildcard", "none"],
        "What a missing cell is: a value, one that agrees with all (wildcard), or nothing that is known.",
    ]
    compare_missing: Annotated[
        bool,
        "Truth value: the other rules for missing cells were measured as well where that takes long.",
    ]
    suda_scores: Annotated[Literal["elliot", "ihsn"], "How minimal uniques are scored."]
    fraction: Annotated[float | None, "The share of the population that the records are."]
    population: Annotated[str | None, "The table of people that an attacker looks among."]
    population_count: Annotated[str | None, "Its column of class sizes."]
    weight: Annotated[str | None, "The column of survey weights."]
    household: Annotated[str | None, "The column of households."]
    max_size: Annotated[int | None, "Attributes of a set at most."]
    time_limit: Annotated[float | None, "Seconds that a search over sets may take."]
    seed: Annotated[int, "Of what is drawn."]
    share: Annotated[float, "The share of people singled out from which a set is listed."]
    hierarchies: Annotated[str | None, "The file of value hierarchies."]


@dataclass(frozen=True)
class UsedSettings:
    """What the run was asked to do."""

    method: Annotated[Literal["exact", "approximate", "sample"], "Name of the method."]
    k: Annotated[int, Range(2), "Users: a value shared by fewer counts as rare."]
    samples: Annotated[Count, "Values drawn by the sampling model; 0 for none."]
    confidence: Annotated[Share, "Probability: confidence of the intervals."]
    interval: Annotated[Interval, "Name of the kind of sampled interval."]
    known_records: Annotated[Count, "Records: the largest number an attacker knows; 0 for not measured."]
    draws: Annotated[Count, "Attackers drawn for several known records."]
    detailed: Annotated[
        Count, "Attributes for which several known records and coarser knowledge are measured."
    ]
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
    only: Annotated[tuple[PartName, ...], "The parts of the assessment that were to be measured."]
    levels: Annotated[
        Mapping[str, str | tuple[int, ...]],
        "Sensitivity levels given for columns, by their names: a type of the chart, or the economic and the "
        "psychological level.",
    ]
    profile: Annotated[str, "Name of the chart of levels, or of a file that holds one."]
    missing: Annotated[
        Literal["none", "value", "wildcard"],
        "Name of how a missing cell counts: none tells nothing, value is a value like any other, wildcard "
        "agrees with every value.",
    ]
    missing_tokens: Annotated[tuple[str, ...], "Texts that are missing cells, besides NULL."]
    compare_missing: Annotated[
        bool,
        "Truth value: identifiability is measured by the other rule for missing cells as well.",
    ]
    max_sets: Annotated[int | None, Range(1), "Sets: the search ends after so many; null for no such limit."]
    max_size: Annotated[
        int | None, Range(1), "Attributes of a set: the search ends there; null for no limit."
    ]
    time_limit: Annotated[Positive | None, "Seconds: the search ends after so many; null for no limit."]
    thorough: Annotated[bool, "Truth value: the search goes on to its end, however long it takes."]
    what_if: Annotated[bool | None, "Truth value: what would help is computed; null for where that is cheap."]
    currency: Annotated[str, "Text: the currency of values."]
    base: Annotated[Positive, "Sum in the currency: the value of the least sensitive record."]
    social_responsibility: Annotated[Factor, "Factor of the JO model, 1 or 2."]
    post_response: Annotated[Factor, "Factor of the JO model, 1 or 2."]
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


@dataclass(frozen=True, repr=False)
class Assessment(Result):
    """The result of an assessment. Probabilities are between 0 and 1; counts are whole numbers."""

    report: ClassVar[str] = "assess"

    version: Annotated[int, "Version of this form; raised whenever a key changes its meaning or goes away."]
    source: AssessedSource
    attribute_risk: Annotated[tuple[AttributeRisk, ...], "The attributes, the most dangerous first."]
    known_records: Annotated[
        tuple[KnownRecords, ...], "Several known records, for the most dangerous attributes."
    ]
    coarser_knowledge: Annotated[tuple[Coarser, ...], "Coarser forms of the most dangerous attributes."]
    model_errors: Annotated[tuple[ModelError, ...], "Cost and error of each model of each attribute."]
    single_values: Annotated[
        SingleValues | None,
        "What single values of the most dangerous attribute would say; null where it was not measured.",
    ]
    identifiability: Annotated[
        Identifiability | None, "Who can be singled out; null where it was not measured."
    ]
    class_sizes: ClassSizes | None
    direct_identifiers: DirectIdentifiers | None
    attribute_disclosure: AttributeDisclosure | None
    suda: Suda | None
    attribute_sets: AttributeSets | None
    minimal_keys: MinimalKeys | None
    information_gain: InformationGain | None
    checklist: Annotated[tuple[ChecklistItem, ...], "What the run shows under rules on anonymised data."]
    settings: UsedSettings
    environment: Environment
    gates: Annotated[tuple[GateResult, ...], "The gates and whether they were passed."]
    statements: tuple[Statement, ...] = aside()
    resources: Resources | None = aside(None)

    @property
    def passed(self) -> bool:
        """Whether all gates were passed."""
        return all(gate.passed for gate in self.gates)

    @property
    def listing(self) -> str:
        """The list that a frame, CSV and Parquet hold by default."""
        return "attribute_risk" if self.was_asked("attribute_risk") else "identifiability.attributes"

    def was_asked(self, part: str) -> bool:
        """Whether this part was to be measured."""
        return part in self.settings.only
