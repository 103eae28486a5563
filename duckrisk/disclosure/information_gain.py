"""Information gain: how many bits each cell tells to whoever knows the rest of its record."""

from __future__ import annotations

from typing import Any

from duckrisk.disclosure.choice import quasi_identifiers
from duckrisk.disclosure.options import Options
from duckrisk.errors import UsageError
from duckrisk.roles import Roles
from duckrisk.session import Session
from duckrisk.source import VIEW, Source
from duckrisk.templates import render

#: A statement has two windows an attribute.
MOST_ATTRIBUTES = 60


def measure(
    session: Session, source: Source, found: Roles, options: Options, *, show_values: bool = False
) -> tuple[dict[str, Any], list[str]]:
    """The section ``information_gain`` of a report, and notes: the rows of the template of that name, the one
    on whole records under ``record``.

    Raises UsageError for fewer than two attributes, or more than a statement can hold.
    """
    chosen = quasi_identifiers(source, found, options)
    columns = [one.column for one in chosen]
    if not 2 <= len(columns) <= MOST_ATTRIBUTES:
        raise UsageError(
            f"information_gain is of 2 to {MOST_ATTRIBUTES} attributes, and here are {len(columns)}; choose "
            "some with --quasi-identifier."
        )
    notes = []
    if options.missing != "value":
        notes.append(
            "information_gain takes a missing cell as a value of its own: it compares classes that do not "
            "overlap, and who may be anybody is in many."
        )
    bindings = [column.binding for column in columns]
    cells = render(
        "known_cells",
        source=VIEW,
        attributes=[one.known(options.missing_tokens) for one in chosen],
        names=bindings,
    )
    whole, *lines = session.run("information_gain", source=cells, columns=bindings)
    records, measures = whole["records"], ("mean_gain", "median_gain", "high_gain", "highest_gain")
    entries = [
        {"attribute": columns[line["place"] - 1].name, "entropy": line["entropy"]}
        | {name: line[name] for name in measures}
        for line in lines
    ]
    return {
        "records": records,
        "record": {name: whole[name] for name in measures},
        "attributes": sorted(entries, key=lambda entry: -entry["mean_gain"]),
    }, notes
