"""Policies: the limits that a table is judged against, by who gets it, and the verdict.

The three presets are the release contexts of ISO/IEC 27559 and of the ICO: anybody, recipients who are known
and bound by a contract, and colleagues. A verdict is about one policy and the attributes that were assessed;
it promises no anonymity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast, get_args

from duckrisk.base.numbers import format_number, format_percent, format_share
from duckrisk.base.options.policy import ARGUMENTS as ARGUMENTS
from duckrisk.base.options.policy import MINIMA as MINIMA
from duckrisk.base.options.policy import PRESETS as PRESETS
from duckrisk.base.options.policy import Options as Options
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.decision.policy.results import Finding, LimitName, Outcome, PolicyName, Verdict

LIMITS: tuple[LimitName, ...] = get_args(LimitName)
#: Limits in counts; all others are shares.
COUNTS = ("identifying_columns", "smallest_class", "smallest_history")
#: The limits of each preset, in the order of LIMITS; None where the preset has no such limit.
_PRESETS: dict[str, tuple[float | None, ...]] = {
    "public": (0, 0.0, 11, 0.0, 11, None, 0.09, 0.05, 0.0),
    "shared": (0, 0.05, 5, None, None, 0.2, 0.2, 0.2, 0.05),
    "internal": (0, 0.2, 3, None, None, 0.33, 0.33, 0.33, 0.2),
}


def limit_shown(name: str, value: float | None) -> str:
    """Write a limit: a count, or a share in percent; a dash where the policy has none."""
    if value is None:
        return "-"
    return format_number(int(value)) if name in COUNTS else format_percent(value)


def figure_shown(name: str, value: float) -> str:
    """Write a figure that was measured for a limit."""
    return format_number(int(value)) if name in COUNTS else format_share(value)


def show_figure(finding: Finding) -> Text:
    """Write what was found for a limit: the figure, or the bound that is known of it."""
    value = finding.least if finding.value is None else finding.value
    if value is None:
        return "-"
    shown = figure_shown(finding.name, value)
    return Sentence("policy.at_least", figure=shown) if finding.value is None else shown


@dataclass(frozen=True)
class Limit:
    """A limit of a policy, and where it comes from."""

    name: LimitName
    value: float
    source: Sentence

    @property
    def shown(self) -> str:
        """The limit as it is written: a count, or a share in percent."""
        return limit_shown(self.name, self.value)

    def kept(self, value: float) -> bool:
        """Whether a value keeps the limit."""
        return value >= self.value if self.name in MINIMA else value <= self.value


@dataclass(frozen=True)
class Measured:
    """A figure that a limit is about.

    It lies between ``least`` and ``most`` where it was estimated, and where ``value`` is None and only these
    bounds are known. ``certain`` is whether it could only be worse if a guessed role were wrong.
    """

    value: float | None
    least: float | None = None
    most: float | None = None
    certain: bool = True

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest number that the figure can be."""
        least = self.value if self.least is None else self.least
        most = self.value if self.most is None else self.most
        assert least is not None
        assert most is not None
        return least, most


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on.

    ``figures`` are what was measured. ``unsettled`` has to be settled before any limit counts as kept.
    ``assumptions`` are clauses under which kept limits are a pass_if; ``declared`` says whether a person gave
    every column its role, so that a gate accepts these. ``inapplicable`` are limits that say nothing of the
    table, such as those on histories where nobody has several records. ``reservations`` change no outcome.
    """

    figures: Mapping[LimitName, Measured]
    unsettled: Sequence[Sentence] = field(default=())
    assumptions: Sequence[Sentence] = field(default=())
    declared: bool = False
    inapplicable: frozenset[LimitName] = frozenset()
    reservations: Sequence[Sentence] = field(default=())


def limits(options: Options) -> tuple[Limit, ...]:
    """Return the limits of a policy: those of its preset, replaced by those that were set."""
    chosen = []
    for name, preset in zip(LIMITS, _PRESETS[options.name], strict=True):
        own: float | None = getattr(options, name)
        source = Sentence(_source(name, options.name)) if own is None else _given(options)
        value = preset if own is None else own
        if value is not None:
            chosen.append(Limit(name, value, source))
    return tuple(chosen)


def _source(name: str, preset: str) -> str:
    """The key of where a limit of a preset comes from."""
    own = name in ("smallest_class", "smallest_history", "one_fact")
    return f"policy.source.{preset}" if own else f"policy.source.{name}"


def _given(options: Options) -> Sentence:
    """Where a limit comes from that was set."""
    if options.limits_from == ARGUMENTS:
        return Sentence("policy.source.arguments")
    return Sentence("policy.source.given", file=Data(options.limits_from))


def changed_limits(options: Options) -> tuple[tuple[Limit, float | None], ...]:
    """Return the limits that differ from the published ones, each with the published one, if there is one."""
    published = dict(zip(LIMITS, _PRESETS[options.name], strict=True))
    pairs = [(limit, published[limit.name]) for limit in limits(options)]
    return tuple((limit, preset) for limit, preset in pairs if limit.value != preset)


def limits_from(options: Options) -> str | None:
    """Return what changed the limits of a policy; None where the published ones count."""
    return options.limits_from if changed_limits(options) else None


def name_policy(name: str, changed_by: str | None = None) -> Sentence:
    """Name a policy in quotes, with what changed its limits (``limits_from`` of a verdict)."""
    if changed_by is None:
        return Sentence("policy.named", policy=name)
    if changed_by == ARGUMENTS:
        return Sentence("policy.named.arguments", policy=name)
    return Sentence("policy.named.file", policy=name, file=Data(changed_by))


def judge(options: Options, evidence: Evidence) -> Verdict:
    """Judge what was measured. A limit that is certainly exceeded decides, whatever else is open."""
    applicable = [limit for limit in limits(options) if limit.name not in evidence.inapplicable]
    findings = tuple(_finding(limit, evidence.figures.get(limit.name)) for limit in applicable)
    because = [
        *evidence.unsettled,
        *(_open(finding, evidence.figures.get(finding.name)) for finding in findings if finding.met is None),
    ]
    if any(finding.met is False and finding.certain for finding in findings):
        outcome: Outcome = "fail"
    elif because or any(finding.met is False for finding in findings):
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
        limits_from=limits_from(options),
    )


def _finding(limit: Limit, measured: Measured | None) -> Finding:
    if measured is None:
        return Finding(limit.name, None, limit.value, limit.source, None)
    kept = {limit.kept(end) for end in measured.ends}
    met = kept.pop() if len(kept) == 1 else None
    least, most = (None if end == measured.value else end for end in measured.ends)
    return Finding(
        limit.name, measured.value, limit.value, limit.source, met, measured.certain, least=least, most=most
    )


def _open(finding: Finding, measured: Measured | None) -> Sentence:
    """Why it is not known whether a limit is kept."""
    if measured is None:
        return Sentence(f"policy.open.{finding.name}")
    return Sentence(
        "policy.near",
        what=Sentence(f"policy.limit.{finding.name}"),
        lower=format_share(measured.least),
        upper=format_share(measured.most),
        limit=format_percent(finding.limit),
    )
