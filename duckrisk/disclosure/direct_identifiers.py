"""Direct identifiers, found in the content of columns by their shape and their check digits."""

from __future__ import annotations

from collections.abc import Sequence

from duckrisk.disclosure.results import DirectIdentifiers, HipaaItem
from duckrisk.options.disclosure import Options
from duckrisk.roles import Decision, Roles
from duckrisk.roles.results import IdentifierFound, kind_said
from duckrisk.sentences import Data, Sentence, joined, listed, say
from duckrisk.session import Session
from duckrisk.source import Source

#: HIPAA's identifiers in its order: the kinds that are found by content, the kinds that names say.
_HIPAA: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    ((), ("person",)),  # names
    (("postal code",), ("address",)),  # areas smaller than a state
    (("full date",), ()),  # dates other than the year, ages above 89
    (("telephone number",), ("telephone",)),  # telephone numbers
    (("telephone number",), ("telephone",)),  # fax numbers
    (("e-mail address",), ("email",)),  # e-mail addresses
    (("US social security number", "My Number"), ("official",)),  # social security numbers
    ((), ("medical",)),  # medical record numbers
    ((), ()),  # health plan numbers
    (("payment card number", "bank account (IBAN)"), ("account",)),  # account numbers
    ((), ("official",)),  # certificate and license numbers
    (("vehicle identification number",), ("vehicle",)),  # vehicle identifiers
    (("device address (MAC)", "device number (IMEI)"), ("network",)),  # device identifiers
    (("web address",), ()),  # web addresses
    (("network address",), ("network",)),  # network addresses
    ((), ()),  # biometric identifiers
    ((), ()),  # full-face photographs
    ((), ()),  # other unique numbers or codes
)
#: The places of dates, and of whatever else is unique.
_DATES, _OTHERS = 3, 18


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
            HipaaItem(item, say(f"disclosure.hipaa.{item}"), kinds, _columns(roles.decisions, entries, item))
            for item, (kinds, _) in enumerate(_HIPAA, 1)
        ),
    )
    return section, _notes(roles, section)


def _notes(roles: Roles, section: DirectIdentifiers) -> list[Sentence]:
    """What a person has to know of the scan."""
    taken = {d.column.name for d in roles.decisions if d.role in ("user", "direct_identifier", "ignored")}
    notes: list[Sentence] = [
        say("disclosure.note.by_content", column=Data(column), kinds=joined(map(kind_said, kinds)))
        for column, kinds in section.kinds().items()
        if column not in taken
    ]
    for reason in ("type", "values"):
        names = [entry.column for entry in section.not_examined if entry.reason == reason]
        if names:
            notes.append(say(f"disclosure.note.not_examined_{reason}", names=listed(names, most=5)))
    return notes


def _columns(decisions: list[Decision], entries: Sequence[IdentifierFound], item: int) -> tuple[str, ...]:
    """The columns that hold an identifier of the list: by content, by name, or because they are unique."""
    kinds, named = _HIPAA[item - 1]
    by_content = {entry.column for entry in entries if entry.likely and entry.kind in kinds}
    by_role = {
        d.column.name
        for d in decisions
        if (d.role == "date_time" and item == _DATES)
        or (d.role == "direct_identifier" and (item == _OTHERS or d.kind in named))
    }
    return tuple(d.column.name for d in decisions if d.column.name in by_content | by_role)
