"""Renders the statements behind a number: of a metric for a shell, of an algorithm as they run."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from duckrisk.api import listing
from duckrisk.decision import assessment
from duckrisk.engine import templates
from duckrisk.engine.session import Resources
from duckrisk.engine.sql_log import Statement
from duckrisk.engine.templates import Algorithm
from duckrisk.measures import disclosure
from duckrisk.report.statements import ExecutedStatements
from duckrisk.source import Request

#: By topic, the part of an assessment that runs its algorithms; disclosure has a part for each.
_PARTS = {"attribute": "attribute_risk", "identifiability": "identifiability", "uniqueness": "uniqueness"}
#: The topics of every assessment.
_ALWAYS_RUN = ("source", "roles", "engine")


def is_algorithm(name: str) -> bool:
    """Return whether a name is that of an algorithm or one of its steps.

    Args:
        name: The name.
    """
    is_known = name in templates.algorithms() or name in templates.catalogue()
    return is_known and name not in templates.metrics()


def format_statements(
    name: str,
    request: Request,
    settings: assessment.Settings,
    release: Request | None = None,
    resources: Resources | None = None,
) -> str:
    """Return the statements of a name for a source, without values of records.

    Those of an algorithm that ran for the source are as they ran, the others as they are written.

    Args:
        name: A metric, an algorithm or a step.
        request: How to open the source.
        settings: Roles and settings of the measures.
        release: The second table of a metric that compares.
        resources: How texts and moments are read.

    Raises:
        UsageError: There is no such metric, or it does not apply to the source.
        SourceError: The source cannot be opened.
    """
    if not is_algorithm(name):
        measures, levels = settings.measures, settings.identifiability
        known = (name, request, settings.overrides, measures, levels, release)
        return listing.render_metric(*known, resources=resources) + "\n"
    if not (parts := _parts_of(_algorithm_of(name))):
        return format_written(name)
    chosen = dataclasses.replace(settings, only=tuple(parts), gates=(), baseline=None)
    return format_written(name, assessment.run(request, chosen, resources or Resources()).statements)


def format_written(name: str, ran: Sequence[Statement] = ()) -> str:
    """Return the statements of an algorithm, those that ran as they ran.

    Args:
        name: An algorithm or a step.
        ran: What ran.
    """
    algorithm, executed = _algorithm_of(name), ExecutedStatements(ran)
    pieces = [f"-- {algorithm.name}: {algorithm.header.summary}\n"]
    for step in algorithm.names if algorithm.name == name else (name,):
        found = executed.find(step)
        if found is None:
            template = templates.template_of(step)
            pieces.append(f"-- {step}, as it is written\n-- {template.summary}\n{template.body}\n;\n")
        else:
            masked = "; texts that it was given are left out" if found.is_masked else ""
            pieces.append(f"-- {step}, as it ran{masked}\n{found.sql}\n;\n")
    return "\n".join(pieces)


def _algorithm_of(name: str) -> Algorithm:
    algorithm = templates.algorithms().get(name) or templates.algorithm_of(name)
    assert algorithm is not None
    return algorithm


def _parts_of(algorithm: Algorithm) -> list[str]:
    """Return the parts of an assessment that may run an algorithm; [] if none does."""
    if algorithm.topic == "disclosure":
        return [part for part in disclosure.PARTS if algorithm.name.startswith(part)] or [*disclosure.PARTS]
    if algorithm.topic in _ALWAYS_RUN:
        return ["direct_identifiers"]
    return [_PARTS[algorithm.topic]] if algorithm.topic in _PARTS else []
