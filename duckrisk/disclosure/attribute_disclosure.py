"""Attribute disclosure: what the classes of a quasi-identifier tell of the sensitive attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from duckrisk.disclosure.choice import Chosen, quasi_identifiers, sensitive_attributes
from duckrisk.disclosure.options import Options
from duckrisk.errors import UsageError
from duckrisk.hierarchies import Definition, load
from duckrisk.hierarchies.cells import is_number
from duckrisk.roles import Roles
from duckrisk.session import Session
from duckrisk.source import VIEW, Source


def measure(
    session: Session, source: Source, found: Roles, options: Options, *, show_values: bool = False
) -> tuple[dict[str, Any], list[str]]:
    """The section ``attribute_disclosure`` of a report, and notes: an entry for each sensitive attribute with
    the row of the template ``attribute_disclosure``, over the quasi-identifiers other than itself.

    Raises UsageError where there is no quasi-identifier or nothing sensitive is named or proposed.
    """
    knowing = quasi_identifiers(source, found, options)
    telling = sensitive_attributes(source, found, options)
    if not telling:
        raise UsageError(
            "No attribute was proposed as sensitive; name those whose disclosure matters with --sensitive."
        )
    notes = []
    if options.missing != "value":
        notes.append(
            "attribute_disclosure takes a missing cell as a value of its own: classes must not overlap."
        )
    if found.user is not None and found.records > found.users:
        notes.append(
            "attribute_disclosure counts records; somebody with several records in a class counts as often."
        )
    hierarchies = _hierarchies(options, telling)
    entries = []
    for one in telling:
        columns = [other.column for other in knowing if other.column.position != one.column.position]
        if not columns:
            raise UsageError(
                f'No quasi-identifier is left beside the sensitive attribute "{one.column.name}"; name one '
                "with --quasi-identifier."
            )
        row = session.row(
            "attribute_disclosure",
            source=VIEW,
            columns=[column.binding for column in columns],
            column=one.column.binding,
            l=None,
        )
        levels = hierarchies.get(one.column.position)
        ordered = is_number(one.column.type) or one.decision.moment
        entries.append(
            {
                "attribute": one.column.name,
                "reason": one.reason,
                "quasi_identifiers": [column.name for column in columns],
                "ordered": ordered,
                **row,
                "ordered_t": row["ordered_t"] if ordered else None,
                "hierarchical_t": None
                if levels is None
                else _hierarchical(session, [column.binding for column in columns], one, levels),
            }
        )
    return {"attributes": entries}, notes


def _hierarchies(options: Options, telling: list[Chosen]) -> dict[int, Definition]:
    """The hierarchies of sensitive attributes, by the position of the column."""
    if options.hierarchies is None:
        return {}
    known = {name.casefold(): levels for name, levels in load(Path(options.hierarchies)).items()}
    return {
        one.column.position: known[one.column.name.casefold()]
        for one in telling
        if one.column.name.casefold() in known
    }


def _hierarchical(session: Session, known: list[str], one: Chosen, levels: Definition) -> float | None:
    table = "sensitive_levels"
    made = levels.build(session, VIEW, one.column.binding, table, one.column.type, one.column.name)
    row = session.row(
        "hierarchical_closeness",
        source=VIEW,
        columns=known,
        column=one.column.binding,
        hierarchy=table,
        labels=[f"level{level}" for level in range(made.height)],
    )
    found: float | None = row["hierarchical_t"]
    return found
