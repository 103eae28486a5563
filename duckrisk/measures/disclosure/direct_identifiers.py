"""Direct identifiers, found in the content of columns by their shape and their check digits."""

from __future__ import annotations

from duckrisk.base.options.disclosure import Options
from duckrisk.base.sentences import Data, Sentence, join_texts, list_names
from duckrisk.engine.session import Session
from duckrisk.measures.disclosure.results import DirectIdentifiers, HipaaItem
from duckrisk.roles import Roles
from duckrisk.roles.hipaa import BY_CONTENT
from duckrisk.roles.results import kind_said
from duckrisk.source import Source

#: HIPAA's identifiers.
_ITEMS = range(1, 19)


def measure(
    session: Session, source: Source, roles: Roles, options: Options, *, show_values: bool = False
) -> tuple[DirectIdentifiers, list[Sentence]]:
    """Direct identifiers, from the scan that the roles were decided by, and notes: every kind that some
    column has valid cells of, and HIPAA's list with the columns under each item."""
    entries = roles.content.found
    section = DirectIdentifiers(
        columns_examined=roles.content.examined,
        not_examined=roles.content.not_examined,
        found=entries,
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
    return section, _notes(roles, section)


def _notes(roles: Roles, section: DirectIdentifiers) -> list[Sentence]:
    """What a person has to know of the scan."""
    taken = {d.column.name for d in roles.decisions if d.role in ("user", "direct_identifier", "ignored")}
    notes: list[Sentence] = [
        Sentence("disclosure.note.by_content", column=Data(column), kinds=join_texts(map(kind_said, kinds)))
        for column, kinds in section.kinds().items()
        if column not in taken
    ]
    for reason in ("type", "values"):
        names = [entry.column for entry in section.not_examined if entry.reason == reason]
        if names:
            notes.append(Sentence(f"disclosure.note.not_examined_{reason}", names=list_names(names, most=5)))
    return notes
