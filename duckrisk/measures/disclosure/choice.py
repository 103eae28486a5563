"""The quasi-identifiers and the sensitive attributes: named in the options, or proposed with reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from duckrisk.base.errors import UsageError
from duckrisk.base.options.disclosure import Options
from duckrisk.base.sentences import Sentence
from duckrisk.engine.templates import Attribute
from duckrisk.measures.identifiability.levels import Proposal, propose_level
from duckrisk.measures.identifiability.tokens import drop_tokens
from duckrisk.roles import KNOWN_ROLES, Decision, Roles, published_attribute
from duckrisk.source import Column, Source

#: Economic or psychological level from which on an attribute is proposed as sensitive (a choice: the upper
#: two of three).
SENSITIVE = 2
#: Types of the chart that leave a verdict open until the columns are declared: the special categories of GDPR
#: art. 9 and 10 and of the Japanese act (art. 2 (3)), and income, property and debt. A purchase, a hobby, a
#: grade or a position is none.
SPECIAL_CATEGORIES = frozenset(
    (
        *("health_check_result", "psychological_test", "pregnancy_history", "operation_history"),
        *("nursing_record", "test_record", "disability_certificate", "illness_history", "treatment"),
        *("medical_claim", "present_illness", "medical_chart", "dementia", "physical_disability"),
        *("intellectual_disability", "mental_disorder", "infection", "care_level"),
        *("dna", "fingerprint", "biometrics", "voice_print", "race", "ethnicity", "registered_domicile"),
        *("party_membership", "political_opinion", "union_membership", "creed", "thought", "religion"),
        *("sexual_proclivity", "sex_life", "criminal_record", "offence_history", "credit_blacklist"),
        *("rewards_and_punishments", "income", "earned_income", "assets", "balance", "debt", "salary"),
        *("tax_paid", "will"),
    )
)


@dataclass(frozen=True)
class Chosen:
    """A chosen column.

    Attributes:
        column: The column.
        decision: The decision on its role.
        reason: Why it was chosen.
    """

    column: Column
    decision: Decision
    reason: Sentence

    def make_attribute(self, tokens: Sequence[str]) -> Attribute:
        """Return the column as an attacker knows it.

        Args:
            tokens: Texts and numbers that mean a missing value.
        """
        return drop_tokens(published_attribute(self.decision), self.column.type, tokens)


def list_quasi_identifiers(source: Source, roles: Roles, options: Options) -> list[Chosen]:
    """List the quasi-identifiers in the order of the columns.

    Without named ones these are all attributes that are neither named as sensitive nor declared unknown: what
    an attacker does not know is never certain.

    Args:
        source: The source.
        roles: The roles of its columns.
        options: The options of all parts.

    Raises:
        UsageError: A named column is missing, is named twice, or is the user.
    """
    named = _find_named(source, roles, options.sensitive, "sensitive")
    sensitive = {choice.column.position for choice in named}
    if options.quasi_identifiers:
        chosen = _find_named(source, roles, options.quasi_identifiers, "quasi_identifiers")
        for choice in chosen:
            if choice.column.position in sensitive:
                raise UsageError("disclosure.two_roles", column=choice.column.name)
        return chosen
    assessed = {part.column for attribute in roles.attributes for part in attribute.parts}
    return [
        Chosen(decision.column, decision, decision.reason or Sentence("disclosure.taken"))
        for decision in roles.decisions
        if decision.role in ("attribute", "date_time")
        and decision.is_known
        and decision.column.binding in assessed
        and decision.column.position not in sensitive
    ]


def check_named(source: Source, roles: Roles, options: Options) -> None:
    """Check the columns that options name, before anything is measured.

    Args:
        source: The source.
        roles: The roles of its columns.
        options: The options of all parts.

    Raises:
        UsageError: A named column is missing, is named twice, or is the user.
    """
    if options.quasi_identifiers or options.sensitive:
        list_quasi_identifiers(source, roles, options)
    for name in (options.weight, options.household):
        if name is not None:
            source.column(name)


def list_sensitive_attributes(source: Source, roles: Roles, options: Options) -> list[Chosen]:
    """List the sensitive attributes: named ones, or those with a high proposed level.

    Args:
        source: The source.
        roles: The roles of its columns.
        options: The options of all parts.
    """
    if options.sensitive:
        return _find_named(source, roles, options.sensitive, "sensitive")
    chosen = []
    for decision, level in _proposed_levels(source, roles):
        if max(level.level.economic, level.level.psychological) >= SENSITIVE:
            reason = Sentence(
                "disclosure.sensitive",
                economic=str(level.level.economic),
                psychological=str(level.level.psychological),
                reason=level.reason,
            )
            chosen.append(Chosen(decision.column, decision, reason))
    return chosen


def special_categories(source: Source, roles: Roles) -> list[tuple[Decision, Sentence]]:
    """List the columns with names of a special category, each with the reason.

    Args:
        source: The source.
        roles: The roles of its columns.
    """
    every = _proposed_levels(source, roles)
    return [(decision, level.reason) for decision, level in every if level.level.type in SPECIAL_CATEGORIES]


def _proposed_levels(source: Source, roles: Roles) -> Iterator[tuple[Decision, Proposal]]:
    """Yield the attributes that have a proposed level."""
    names = [column.name for column in source.columns]
    for decision in roles.decisions:
        level = propose_level(decision, table=names) if decision.role in KNOWN_ROLES else None
        if level is not None:
            yield decision, level


def _find_named(source: Source, roles: Roles, names: tuple[str, ...], setting: str) -> list[Chosen]:
    """Find the columns that a setting names, in the order of the columns."""
    by_position = {decision.column.position: decision for decision in roles.decisions}
    chosen: dict[int, Chosen] = {}
    for name in names:
        column = source.column(name)
        if column.position in chosen:
            raise UsageError("disclosure.duplicate_column", setting=setting, column=column.name)
        if roles.user is not None and column.position == roles.user.position:
            raise UsageError("disclosure.user_as_attribute", setting=setting, column=column.name)
        chosen[column.position] = Chosen(column, by_position[column.position], Sentence("disclosure.given"))
    return [chosen[position] for position in sorted(chosen)]
