"""List all kinds of reports, and find the module that makes the document of one.

A kind of report is a class of results. Its `report` names the module in `duckrisk.report.sections`; the
default of its `version` is the version of its JSON form.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from duckrisk.base.results import Result
from duckrisk.base.shapes import keys_of


def report_kinds() -> tuple[type[Result], ...]:
    """List all kinds of reports."""
    from duckrisk.contests.membership.attacks import results as attacks
    from duckrisk.contests.membership.release_risks.results import Exposure, Risks
    from duckrisk.contests.membership.synthesis import results as synthesis
    from duckrisk.contests.pwscup import results as pwscup
    from duckrisk.contests.pwscup.generalized import Score2018
    from duckrisk.contests.pwscup.lifetime_results import Lifetimes
    from duckrisk.contests.pwscup.treatment import Anonymized
    from duckrisk.decision.assessment.results import Assessment
    from duckrisk.decision.evidence import Verification
    from duckrisk.release.advice.results import Advice
    from duckrisk.release.anonymization.results import Release
    from duckrisk.release.comparison.results import Comparison
    from duckrisk.release.counts.results import Tables
    from duckrisk.release.sequence.results import ReleaseSequence

    return (
        *(Assessment, Comparison, ReleaseSequence, Advice, Release, Verification, Tables),
        *(pwscup.Attacks, pwscup.Check, pwscup.Score, Score2018, pwscup.Written, Anonymized, Lifetimes),
        *(attacks.Attacks, attacks.Score, synthesis.Utility, Risks, Exposure),
        *(synthesis.Synthesized, synthesis.Annealed),
    )


def judged_kinds() -> tuple[type[Result], ...]:
    """List the kinds of reports that gates can judge."""
    return tuple(kind for kind in report_kinds() if "gates" in keys_of(kind))


def section_of(kind: type[Result]) -> Any:
    """Return the module that makes the document of a kind of report."""
    return import_module(f"duckrisk.report.sections.{kind.report}")
