"""Direct identifiers in the content of columns, by their shape and check digits."""

from __future__ import annotations

from duckrisk.base.options.disclosure import Options
from duckrisk.base.sentences import Data, Sentence, join_texts, list_names
from duckrisk.engine.session import Session
from duckrisk.measures.disclosure.results import DirectIdentifiers, HipaaItem
from duckrisk.roles import Roles
from duckrisk.roles.hipaa import BY_CONTENT
from duckrisk.roles.results import describe_kind
from duckrisk.source import Source

#: Items of HIPAA's list (45 CFR 164.514(b)(2)(i)).
_ITEMS = range(1, 19)


def measure(
    session: Session, source: Source, roles: Roles, options: Options, *, show_values: bool = False
) -> tuple[DirectIdentifiers, list[Sentence]]:
    """List the direct identifiers that the scan for roles found.

    Args:
        session: The session.
        source: The source.
        roles: The roles, with the result of the scan.
        options: Not used.
        show_values: Not used: no figure holds a value.

    Returns:
        Every kind that some column has valid values of, with HIPAA's list and the columns of each item, and
        notes.
    """
    section = DirectIdentifiers(
        columns_examined=roles.content.examined,
        not_examined=roles.content.not_examined,
        found=roles.content.found,
        hipaa=tuple(
            HipaaItem(
                item,
                Sentence(f"disclosure.hipaa.{item}"),
                tuple(kind for kind, of in BY_CONTENT.items() if of == item),
                tuple(d.column.name for d in roles.decisions if item in d.listed),
            )
            for item in _ITEMS
        ),
    )
    return section, _list_notes(roles, section)


def _list_notes(roles: Roles, section: DirectIdentifiers) -> list[Sentence]:
    """Note the columns that look like direct identifiers, and those not examined."""
    identified = ("user", "direct_identifier", "ignored")
    known = {decision.column.name for decision in roles.decisions if decision.role in identified}
    notes: list[Sentence] = [
        Sentence(
            "disclosure.note.by_content", column=Data(column), kinds=join_texts(map(describe_kind, kinds))
        )
        for column, kinds in section.kinds().items()
        if column not in known
    ]
    for reason in ("type", "values"):
        names = [entry.column for entry in section.not_examined if entry.reason == reason]
        if names:
            notes.append(Sentence(f"disclosure.note.not_examined_{reason}", names=list_names(names, most=5)))
    return notes
