"""Items of HIPAA's eighteen identifiers, 45 CFR 164.514(b)(2)(i), that a column falls under."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from duckrisk.engine.types import has_date
from duckrisk.roles import headings, words
from duckrisk.roles.model import NEW, PSEUDONYM, ROW, ColumnProfile, Decision
from duckrisk.roles.results import TOGETHER, IdentifierFound

AREAS, DATES, OTHERS = 2, 3, 18
_TELEPHONE, _FAX = 4, 5
#: The item of each kind of identifier found in values.
BY_CONTENT = {
    "postal code": AREAS,
    "full date": DATES,
    "telephone number": _TELEPHONE,
    "e-mail address": 6,
    "US social security number": 7,
    "My Number": 7,
    "payment card number": 10,
    "bank account (IBAN)": 10,
    "vehicle identification number": 12,
    "device address (MAC)": 13,
    "device number (IMEI)": 13,
    "web address": 14,
    "network address": 15,
}
#: The item of each kind of a column, unless a word below means another item.
_BY_KIND = {
    "person": 1, "address": AREAS, "telephone": _TELEPHONE, "email": 6, "official": 7, "medical": 8,
    "account": 10, "vehicle": 12, "network": 13,
}  # fmt: skip
#: Words of names by item, for columns of identifiers and of numbers of people.
_OF_IDENTIFIERS = {
    _FAX: "fax telefax facsimile ファックス",
    8: "mrn patient medical medicalrecord chart カルテ 診察券 患者 patientid",
    9: "insurance insured insuree beneficiary bene plan payer medicare medicaid hicn mbi subscriber "
    "nhs nhsnumber versicherten 被保険者 保険証 医療保険",
    10: "iban account bank card 口座 カード",
    11: "license licence passport certificate driver driverslicense driverlicense passportno permit "
    "免許証 旅券 免許",
    13: "imei imsi device udid idfa gaid advertisingid mac serial 端末",
    15: "ip ipaddress ipaddr",
}  # fmt: skip
#: Words of names by item, for columns of any role: the rule lists such values.
_OF_ALL = {
    AREAS: "city town county precinct municipality village parish borough commune district lat latitude lon "
    "lng longitude stadt gemeinde ville ciudad municipio 市区町村 市町村 町村 緯度 経度",
    16: "fingerprint fingerprints biometric biometrics iris retina voiceprint faceprint dna genome "
    "指紋 虹彩 声紋 生体",
    17: "photo photos photograph portrait selfie headshot mugshot 顔写真 写真",
}  # fmt: skip
#: Years; ages above are listed (45 CFR 164.514(b)(2)(i)(C)).
_AGE = 89
_AGES = frozenset(["age", "ages", "alter", "edad", "âge", "età", "idade", "leeftijd", "年齢", "年令"])
#: Digits of a ZIP code that may stay, if enough people live there (45 CFR 164.514(b)(2)(i)(B)).
_ZIP_DIGITS = 3


def listed_items(
    decision: Decision, profile: ColumnProfile, identifiers: Iterable[IdentifierFound]
) -> tuple[int, ...]:
    """Return the items of HIPAA's list that a column falls under.

    Args:
        decision: The role of the column.
        profile: Its values.
        identifiers: The kinds of identifiers in its values.

    Returns:
        Numbers from 1 to 18, ascending; none for a constant or for new codes of people.
    """
    name, items = decision.column.name, set[int]()
    ignored = decision.role == "ignored"
    for entry in identifiers:
        if entry.likely and not entry.shared and not (ignored and entry.kind in TOGETHER):
            items.add(BY_CONTENT[entry.kind])
    if decision.role in ("constant", "ignored"):
        return tuple(sorted(items))
    tokens = {*words.plain_tokens(name), *words.name_tokens(name), "".join(words.name_tokens(name))}
    items |= {item for item, listed in _OF_ALL.items() if _has_word(tokens, listed)}
    if headings.is_area(name) and _is_longer(profile, _ZIP_DIGITS):
        items.add(AREAS)
    if decision.role == "date_time" or has_date(decision.column.type) or profile.days >= 0.5:
        items.add(DATES)
    if tokens & _AGES and profile.highest is not None and profile.highest > _AGE:
        items.add(DATES)
    if _numbers_people(decision) and not items:
        by_name = [item for item, listed in _OF_IDENTIFIERS.items() if _has_word(tokens, listed)]
        of_kind = _BY_KIND.get(decision.kind or "", OTHERS)
        items.add(of_kind if decision.kind in ("person", "address") or not by_name else by_name[0])
    if _TELEPHONE in items and _has_word(tokens, _OF_IDENTIFIERS[_FAX]):
        items = items - {_TELEPHONE} | {_FAX}
    return tuple(sorted(items))


def list_items(
    decisions: Sequence[Decision], profiles: Sequence[ColumnProfile], identifiers: Iterable[IdentifierFound]
) -> None:
    """Set the items of HIPAA's list that each column falls under."""
    by_column: dict[str, list[IdentifierFound]] = {}
    for entry in identifiers:
        by_column.setdefault(entry.column, []).append(entry)
    for decision, profile in zip(decisions, profiles, strict=True):
        decision.listed = listed_items(decision, profile, by_column.get(decision.column.name, ()))


def _numbers_people(decision: Decision) -> bool:
    """Return whether a column holds identifiers, or numbers of people or their events."""
    if decision.role == "user":
        return decision.kind not in (NEW, PSEUDONYM, ROW)
    return decision.role == "direct_identifier" or (decision.role == "event_key" and decision.kind == "event")


def _has_word(tokens: set[str], listed: str) -> bool:
    """Return whether a name has a listed word, in Japanese also within a longer one."""
    return any(
        word in tokens or (not word.isascii() and any(word in token for token in tokens))
        for word in listed.split()
    )


def _is_longer(profile: ColumnProfile, digits: int) -> bool:
    """Return whether a code of a column has more than the given number of digits."""
    if profile.is_text:
        return profile.longest > digits
    return profile.highest is None or profile.highest >= 10**digits
