"""Policies: limits for each kind of recipient, and the verdict on a table.

The three presets are the release contexts of ISO/IEC 27559 and of the ICO: anybody, recipients who are known
and bound by a contract, and colleagues. A verdict is about one policy and the attributes that were assessed;
it promises no anonymity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from duckrisk.base.numbers import format_number, format_percent, format_share
from duckrisk.base.options.policy import ARGUMENTS as ARGUMENTS
from duckrisk.base.options.policy import LIMITS as LIMITS
from duckrisk.base.options.policy import PRESETS as PRESETS
from duckrisk.base.options.policy import LimitName as LimitName
from duckrisk.base.options.policy import Options as Options
from duckrisk.base.options.policy import PolicyName
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.decision.policy.results import Finding, Outcome, Verdict


def format_limit(name: LimitName, value: float | None) -> str:
    """Format a limit: a count, a share in percent, or a dash for no limit.

    Args:
        name: Name of the limit.
        value: A count, or a share from 0 to 1; None if the policy has no such limit.
    """
    if value is None:
        return "-"
    return format_number(int(value)) if LIMITS[name].is_count else format_percent(value)


def format_figure(name: LimitName, value: float) -> str:
    """Format a figure that was measured for a limit.

    Args:
        name: Name of the limit.
        value: A count, or a share from 0 to 1.
    """
    return format_number(int(value)) if LIMITS[name].is_count else format_share(value)


def format_finding(finding: Finding) -> Text:
    """Format the figure of a finding, or its known lower bound."""
    value = finding.lower if finding.value is None else finding.value
    if value is None:
        return "-"
    shown = format_figure(finding.name, value)
    return Sentence("policy.at_least", figure=shown) if finding.value is None else shown


@dataclass(frozen=True)
class Limit:
    """A limit of a policy, and its source.

    Attributes:
        name: Name of the limit.
        value: A count, or a share from 0 to 1.
        source: Text: the publication or the settings file that it comes from.
    """

    name: LimitName
    value: float
    source: Sentence

    @property
    def text(self) -> str:
        """The limit as text: a count, or a share in percent."""
        return format_limit(self.name, self.value)

    def is_kept_by(self, value: float) -> bool:
        """Return whether a value keeps the limit.

        Args:
            value: A count, or a share from 0 to 1, as the limit.
        """
        return LIMITS[self.name].is_kept_by(value, self.value)


@dataclass(frozen=True)
class Figure:
    """A figure that a limit is about.

    Attributes:
        value: The figure or its estimate; None if only bounds are known.
        lower: Lower bound; None if it is the value.
        upper: Upper bound; None if it is the value.
        certain: Whether another reading of guessed roles could only make the figure worse.
    """

    value: float | None
    lower: float | None = None
    upper: float | None = None
    certain: bool = True

    @property
    def bounds(self) -> tuple[float, float]:
        """The lower and the upper bound of the figure."""
        lower = self.value if self.lower is None else self.lower
        upper = self.value if self.upper is None else self.upper
        assert lower is not None
        assert upper is not None
        return lower, upper


@dataclass(frozen=True)
class Evidence:
    """What a verdict is based on.

    Attributes:
        figures: The measured figures, by limit.
        unsettled: Questions to settle before any limit counts as kept.
        assumptions: Clauses under which kept limits are a `pass_if`.
        declared: Whether a person gave every column its role; a gate then accepts a `pass_if`.
        inapplicable: Limits that do not apply to the table, such as those on histories of single records.
        reservations: Remarks that change no outcome.
    """

    figures: Mapping[LimitName, Figure]
    unsettled: Sequence[Sentence] = field(default=())
    assumptions: Sequence[Sentence] = field(default=())
    declared: bool = False
    inapplicable: frozenset[LimitName] = frozenset()
    reservations: Sequence[Sentence] = field(default=())


def list_limits(options: Options) -> tuple[Limit, ...]:
    """List the limits of a policy: those that were set, else those of its preset.

    Args:
        options: The policy.
    """
    limits = [(name, options.limit_of(name)) for name in LIMITS]
    return tuple(
        Limit(name, value, _find_source(name, options)) for name, value in limits if value is not None
    )


def _find_source(name: LimitName, options: Options) -> Sentence:
    """Return the source of a limit: a publication, or what set it."""
    if getattr(options, name) is not None:
        return _override_source(options)
    return Sentence(f"policy.source.{options.name if LIMITS[name].is_cited_by_preset else name}")


def _override_source(options: Options) -> Sentence:
    """Return the source of a limit that was set: the call or a settings file."""
    if options.limits_from == ARGUMENTS:
        return Sentence("policy.source.arguments")
    return Sentence("policy.source.given", file=Data(options.limits_from))


def list_changed_limits(options: Options) -> tuple[tuple[Limit, float | None], ...]:
    """List the limits that differ from the published ones.

    Args:
        options: The policy.

    Returns:
        Pairs of a limit and its published value, which is None if the preset has no such limit.
    """
    pairs = [(limit, options.published_limit(limit.name)) for limit in list_limits(options)]
    return tuple((limit, preset) for limit, preset in pairs if limit.value != preset)


def find_limits_source(options: Options) -> str | None:
    """Return what changed the limits of a policy.

    Args:
        options: The policy.

    Returns:
        Name of a settings file, or ARGUMENTS; None if the published limits count.
    """
    return options.limits_from if list_changed_limits(options) else None


def name_policy(name: str, changed_by: str | None = None) -> Sentence:
    """Name a policy in quotes, with what changed its limits.

    Args:
        name: Name of the policy.
        changed_by: What changed its limits, as :func:`find_limits_source` returns it.
    """
    if changed_by is None:
        return Sentence("policy.named", policy=name)
    if changed_by == ARGUMENTS:
        return Sentence("policy.named.arguments", policy=name)
    return Sentence("policy.named.file", policy=name, file=Data(changed_by))


def judge(options: Options, evidence: Evidence) -> Verdict:
    """Judge a table by a policy.

    A limit that is certainly exceeded decides, whatever else is open.

    Args:
        options: The policy.
        evidence: What was measured, and what is open.
    """
    applicable = [limit for limit in list_limits(options) if limit.name not in evidence.inapplicable]
    findings = tuple(_make_finding(limit, evidence.figures.get(limit.name)) for limit in applicable)
    because = list(evidence.unsettled)
    for finding in findings:
        if finding.met is None and (why := _explain_open(finding, evidence.figures.get(finding.name))):
            because.append(why)
    if any(finding.met is False and finding.certain for finding in findings):
        outcome: Outcome = "fail"
    elif because or not all(finding.met for finding in findings):
        outcome = "undecided"
    else:
        outcome = "pass_if" if evidence.assumptions else "pass"
    settled = outcome != "undecided"
    return Verdict(
        policy=cast(PolicyName, options.name),
        outcome=outcome,
        accepted=outcome == "pass" or (outcome == "pass_if" and evidence.declared),
        findings=findings,
        assumptions=tuple(evidence.assumptions) if outcome == "pass_if" else (),
        undecided_because=() if settled else tuple(because),
        reservations=(*(because if settled else ()), *evidence.reservations),
        limits_from=find_limits_source(options),
    )


def _make_finding(limit: Limit, measured: Figure | None) -> Finding:
    if measured is None:
        return Finding(limit.name, None, limit.value, limit.source, None)
    answers = {limit.is_kept_by(bound) for bound in measured.bounds}
    met = answers.pop() if len(answers) == 1 else None
    lower, upper = (None if bound == measured.value else bound for bound in measured.bounds)
    return Finding(
        limit.name, measured.value, limit.value, limit.source, met, measured.certain, lower=lower, upper=upper
    )


def _explain_open(finding: Finding, measured: Figure | None) -> Sentence | None:
    """Explain why it is unknown whether a limit is kept; None if other reasons do."""
    if measured is None:
        return Sentence(f"policy.open.{finding.name}")
    if finding.name == "identifying_columns":
        return None  # what is unsettled names the columns
    return Sentence(
        "policy.near",
        what=Sentence(f"policy.limit.{finding.name}"),
        lower=format_share(measured.lower),
        upper=format_share(measured.upper),
        limit=format_percent(finding.limit),
    )
