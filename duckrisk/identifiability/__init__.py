"""Who can be singled out by what, what it reveals and what it is worth: Yamaoka and Itoh's analysis.

Attributes get their sensitivity levels (:mod:`levels`, :mod:`attributes`), are searched (:mod:`search`)
and make a section of the report (:mod:`section`); every number comes out of a template.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from duckrisk.errors import UsageError
from duckrisk.identifiability.attributes import given_levels, left_out, level_attributes
from duckrisk.identifiability.options import Options
from duckrisk.identifiability.search import MOST_ATTRIBUTES
from duckrisk.identifiability.section import Run
from duckrisk.roles import Roles
from duckrisk.session import Session
from duckrisk.source import Source

__all__ = ["Options", "level_attributes", "measure"]


def measure(
    session: Session,
    source: Source,
    roles: Roles,
    options: Options,
    *,
    show_values: bool = False,
    records: Path | None = None,
    required: bool = False,
) -> tuple[dict[str, Any] | None, list[str]]:
    """The section ``identifiability`` of the report, as documented in its schema, and notes.

    ``records`` is a private file that gets the table of all records; ``required`` says that the section
    was asked for. Raises UsageError for levels that are not there and, where it was asked for, for more
    attributes than can be searched; the section is None where it could not be computed.
    """
    given = given_levels(source, options)
    found, unlevelled = level_attributes(source, roles, options, given)
    notes = left_out(roles)
    # Who alone has a value stands out by it, though it is the only one in its column.
    constant = [
        one
        for one in found
        if one.decision.role == "constant" and one.decision.present == roles.records and not roles.named
    ]
    searched = [one for one in found if one not in constant] or constant
    constant = [one for one in constant if one not in searched]
    problem = None
    if not searched:
        problem = (
            "Identifiability needs the sensitivity level of at least one attribute; give it with --level or "
            "under [levels] in duckrisk.toml" + (f": {unlevelled[0]['line']}." if unlevelled else ".")
        )
    elif len(searched) + len(constant) > MOST_ATTRIBUTES:
        problem = (
            f"Identifiability searches the sets of at most {MOST_ATTRIBUTES} attributes, and here are "
            f"{len(searched) + len(constant)}; choose some with --attribute, or leave some out with --ignore."
        )
    if problem is not None:
        if required:
            raise UsageError(problem)
        return None, [*notes, f"Identifiability was not measured. {problem}"]
    run = Run(session, roles, options, searched, constant, given)
    return run.section(unlevelled, show_values, records), notes
