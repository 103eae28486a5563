"""Measure the parts of an assessment: first what the verdict depends on, then the rest."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from duckrisk.base.options.identifiability import TOKENS
from duckrisk.base.sentences import Sentence
from duckrisk.decision import policy
from duckrisk.decision.assessment.descriptions import describe_environment, describe_settings, describe_source
from duckrisk.decision.assessment.results import Assessment
from duckrisk.decision.assessment.verdict import KNOWN_FACTS, judge_assessment
from duckrisk.decision.notices import list_notices
from duckrisk.engine.session import Session
from duckrisk.measures import (
    attribute,
    disclosure,
    identifiability,
    plausible_attacks,
    sequence,
    uniqueness,
)
from duckrisk.measures.attribute.results import AttributeRisks
from duckrisk.measures.disclosure import sensitive
from duckrisk.measures.identifiability.tokens import drop_tokens_of_parts
from duckrisk.measures.sequence.results import ReleasesTogether
from duckrisk.roles import Roles
from duckrisk.source import Request, Source

if TYPE_CHECKING:
    from duckrisk.decision.assessment import Settings

#: The parts of an assessment: the first two, those that are measured by default, and below all of them.
MAIN_PARTS = ("attribute_risk", "identifiability")
DEFAULT_PARTS = (*MAIN_PARTS, "uniqueness", "direct_identifiers")
#: The parts that a verdict needs.
VERDICT_PARTS = ("attribute_risk", "uniqueness", "direct_identifiers")
PARTS = (*MAIN_PARTS, "uniqueness", *disclosure.PARTS)


class Measurement:
    """The measurement of a source that is open as the assessed view.

    Args:
        session: The session.
        source: The source.
        roles: Its roles.
        settings: The settings.
        request: How the source was opened.
        others: The table of the population, if there is one, and the tables of earlier releases.
    """

    def __init__(
        self,
        session: Session,
        source: Source,
        roles: Roles,
        settings: Settings,
        request: Request,
        others: Sequence[Source],
    ) -> None:
        self.session, self.source, self.roles = session, source, roles
        self.settings, self.request, self.others = settings, request, others
        self._tokens = settings.identifiability.missing_tokens
        # Without a link nobody knows several records of a person.
        self._measures = (
            settings.measures if roles.is_linked else dataclasses.replace(settings.measures, known_records=0)
        )
        self._attributes = (
            _drop_missing_tokens(roles, self._tokens)
            if "attribute_risk" in settings.parts
            else dataclasses.replace(roles, attributes=[])
        )
        self._risks = AttributeRisks()
        self._uniqueness: uniqueness.Measured | None = None
        #: Notes of attribute risk, identifiability and disclosure, in the order of the report.
        self._risk_notes: Sequence[Sentence] = ()
        self._set_notes: Sequence[Sentence] = ()
        self._disclosed = disclosure.Disclosure()

    # --- what the verdict depends on -------------------------------------------------------------

    def measure_verdict(self, *, verdict_only: bool = False) -> Assessment:
        """Measure what the limits of a policy are about, and judge it.

        Args:
            verdict_only: Whether to measure only the typical shares of those facts that a limit is about.
        """
        session, roles, settings = self.session, self.roles, self.settings
        session.steps.begin("identifiers")
        self._disclosed = self._measure_disclosure(disclosure.VERDICT_PARTS)
        session.steps.begin("attribute")
        self._risks, self._risk_notes = attribute.measure(session, self._attributes, self._measures)
        session.steps.begin("uniqueness")
        self._uniqueness = self._measure_uniqueness(verdict_only)
        is_judged = "uniqueness" in settings.parts
        result = self._make_result(with_samples=False)
        if is_judged:
            result = dataclasses.replace(result, earlier=self._measure_earlier())
            result = dataclasses.replace(
                result, sensitive=sensitive.measure_declared(session, roles, self._tokens)
            )
            if not result.sensitive and judge_assessment(result, settings.policy).is_kept:
                proposed = sensitive.measure_proposed(session, self.source, roles, self._tokens)
                result = dataclasses.replace(result, sensitive=proposed)
        return dataclasses.replace(
            result,
            verdict=judge_assessment(result, settings.policy),
            statements=tuple(session.log),
        )

    def _measure_disclosure(self, parts: Sequence[str]) -> disclosure.Disclosure:
        return disclosure.measure(
            self.session,
            self.source,
            self.roles.by_record,
            dataclasses.replace(self.settings.disclosure, missing_tokens=self._tokens),
            [part for part in parts if part in self.settings.parts],
            population=next((o for o in self.others if o.view == disclosure.POPULATION), None),
            show_values=self.settings.show_values,
        )

    def _measure_earlier(self) -> ReleasesTogether | None:
        """Measure what this release and earlier ones single out together."""
        earlier = sequence.Earlier.of(self.settings.earlier)
        if not earlier.releases:
            return None
        opened = earlier.select_opened(self.others)
        return sequence.measure_together(self.session, self.source, opened, self.roles, self._tokens)

    def _measure_uniqueness(self, verdict_only: bool) -> uniqueness.Measured | None:
        """Measure who is singled out by a few facts; known records are measured already."""
        if "uniqueness" not in self.settings.parts:
            return None
        known = None
        if "attribute_risk" in self.settings.parts:
            names = {attribute.name for attribute in self.roles.plausible}
            known = [case for case in self._risks.known_records if case.attribute in names]
        return uniqueness.measure(
            self.session,
            self.roles,
            self.settings.identifiability,
            self.settings.measures,
            known,
            KNOWN_FACTS,
            with_worst=not verdict_only,
            limit=self.settings.policy.limit_of("three_facts"),
        )

    # --- the rest --------------------------------------------------------------------------------

    def measure_rest(self, result: Assessment, records: bool, *, verdict_only: bool = False) -> Assessment:
        """Measure what no limit of a policy is about.

        Args:
            result: What :meth:`measure_verdict` returned.
            records: Whether to make the table of all records in the session.
            verdict_only: Whether to measure only the parts that were asked for, without their details.
        """
        session, settings = self.session, self.settings
        found = self._uniqueness.result if self._uniqueness is not None else None
        if not verdict_only:
            session.steps.begin("details")
            if self._uniqueness is not None:
                found = self._uniqueness.add_larger_sets()
            self._risks = attribute.add_details(
                session, self._attributes, self._measures, self._risks, show_values=settings.show_values
            )
        session.steps.begin("identifiability")
        section = self._measure_identifiability(records, with_users=not verdict_only)
        session.steps.begin("disclosure")
        rest = [part for part in disclosure.PARTS if part not in disclosure.VERDICT_PARTS]
        self._disclosed = disclosure.join(self._disclosed, self._measure_disclosure(rest))
        attacks = self._measure_attacks()
        whole = self._make_result(with_samples=not verdict_only)
        return dataclasses.replace(
            whole,
            identifiability=section,
            uniqueness=found,
            sensitive=result.sensitive,
            earlier=result.earlier,
            plausible_attacks=attacks,
            statements=tuple(session.log),
        )

    def _measure_identifiability(
        self, records: bool, with_users: bool
    ) -> identifiability.Identifiability | None:
        """Measure who can be singled out by which sets, and what a leak is worth.

        Args:
            records: Whether to make the table of all records in the session.
            with_users: Whether to measure users as well.
        """
        settings = self.settings
        if "identifiability" not in settings.parts:
            return None
        usual = set(settings.only or DEFAULT_PARTS) in (set(MAIN_PARTS), set(DEFAULT_PARTS))
        section, self._set_notes = identifiability.measure(
            self.session,
            self.source,
            self.roles.by_record,
            settings.identifiability,
            show_values=settings.show_values,
            records=self.session.table if records else None,
            required=not usual or records,
            with_users=with_users,
        )
        return section

    def _measure_attacks(self) -> plausible_attacks.PlausibleAttacks | None:
        """Measure the four plausible attacks, if the settings say who gets the table."""
        class_sizes, context = self._disclosed.class_sizes, self.settings.context
        if class_sizes is None or not context.is_given:
            return None
        of_users = (rule for rule in class_sizes.users or () if rule.missing == class_sizes.missing)
        people = next(of_users, class_sizes.chosen)
        risks = people.average_risk, people.highest_risk
        return plausible_attacks.measure(self.session, people.unit, *risks, context)

    # --- the result ------------------------------------------------------------------------------

    def _make_result(self, *, with_samples: bool) -> Assessment:
        """Make the assessment of what was measured up to now, not yet judged."""
        source, roles, settings, request = self.source, self.roles, self.settings, self.request
        return Assessment(
            source=describe_source(
                source, roles, request, settings, list(self._list_notes(with_samples)), roles.content.kinds()
            ),
            **vars(self._risks),
            identifiability=None,
            uniqueness=self._uniqueness.result if self._uniqueness is not None else None,
            **{name: getattr(self._disclosed, name) for name in disclosure.PARTS},
            sensitive=(),
            plausible_attacks=None,
            checklist=(),
            verdict=policy.judge(settings.policy, policy.Evidence({})),
            settings=describe_settings(
                settings, request, source, tuple(name for name in PARTS if name in settings.parts)
            ),
            environment=describe_environment(self.session, settings),
            gates=(),
            notices=list_notices(
                settings.file_settings, request, source.unfiltered_records, roles.records, settings.policy
            ),
            resources=self.session.resources,
        )

    def _list_notes(self, with_samples: bool) -> Iterator[Sentence]:
        """Yield the notes of all parts, in the order of the report."""
        yield from self._risk_notes
        yield from attribute.describe_extent(self._risks, self._measures, with_samples=with_samples)
        yield from self._set_notes
        yield from self._disclosed.notes


def _drop_missing_tokens(roles: Roles, tokens: Sequence[str]) -> Roles:
    """Return the roles with attributes that lack the values given as missing.

    Ito's tables count "?" as a value that an attacker learns. A text that a person declared missing is no
    value.
    """
    if tuple(tokens) == TOKENS:
        return roles
    types = {decision.column.binding: decision.column.type for decision in roles.decisions}
    attributes = [drop_tokens_of_parts(a, types, tokens) for a in roles.attributes]
    return dataclasses.replace(roles, attributes=attributes)
