"""List the evidence of a run for each item of three rules on anonymized data.

The rules are those of Japan (the five items of Enforcement Rules Art. 34), of the Working Party's opinion
05/2014 on the GDPR, and of HIPAA (45 CFR 164.514(b)). An item is supported only if this run examined
everything that it asks for; otherwise the list says what is open. No text here holds a value of a record.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, NamedTuple

from duckrisk.base.numbers import format_ease, format_number, format_probability, format_share
from duckrisk.base.sentences import Data, JoinedTexts, Sentence, join_texts
from duckrisk.decision.assessment.questions import quote_names, warn_of_few_people
from duckrisk.decision.assessment.results import Assessment, ChecklistItem, Status
from duckrisk.decision.assessment.verdict import list_identifying_kinds, list_open_code_columns
from duckrisk.measures.attribute.results import AttributeRisk
from duckrisk.measures.identifiability.results import Identifiability
from duckrisk.roles.results import TOGETHER
from duckrisk.roles.words import is_nameless

#: Sensitivity types that are codes of one person or of a body (Enforcement Rules Art. 34, item 2).
_CODE_TYPES = (
    "resident_register_code",
    "health_insurance_number",
    "pension_number",
    "drivers_licence_number",
    "passport_number",
    "dna",
    "fingerprint",
    "biometrics",
    "voice_print",
)
#: Sensitivity types that 45 CFR 164.514(b)(2)(i) lists.
_HIPAA_TYPES = (
    *_CODE_TYPES,
    "name",
    "address",
    "phone_number",
    "email_address",
    "membership_number",
    "employee_number",
    "login_id",
    "portrait_photo",
    "account_number",
    "bank_account_and_pin",
    "card_number",
    "card_number_and_expiry",
    "bank_login_and_password",
    "provider_account",
    "financial_web_login",
)
#: Kinds of content that are codes of one person.
_CODE_CONTENT = ("My Number", "US social security number")
#: The item of HIPAA's eighteen identifiers, 45 CFR 164.514.
HIPAA_IDENTIFIERS = "(b)(2)(i)"
#: Names of columns in a sentence (a choice: the list is read on a page, not on the first screen).
_MAX_NAMES = 5
#: Roles of columns whose content is not examined.
_UNREAD_ROLES = ("user", "free_text", "ignored")
#: Sensitivity types whose presence makes JO's identifiability 3 or 6.
_NAMING_TYPES = ("name", "address", "phone_number")


class _Item(NamedTuple):
    """An item of a rule, its evidence, and whether that supports the table."""

    rule: str
    item: str
    status: Status
    evidence: list[Sentence]


def make_checklist(result: Assessment) -> tuple[ChecklistItem, ...]:
    """Make the checklist of a finished assessment.

    Args:
        result: The assessment; its own checklist may be empty.

    Returns:
        The items of all three rules, in their order.
    """
    findings = _Findings.of(result)
    items = [
        _check_removed_descriptions(findings),
        _check_removed_codes(findings),
        _check_removed_links(findings),
        _check_rare_descriptions(findings),
        _check_further_measures(findings),
        _check_singling_out(findings),
        _check_linkability(findings),
        _check_inference(findings),
        _Item("hipaa", "(b)(1)", "not_shown", [*_list_figures(findings), _say_found("expert")]),
        _check_listed_identifiers(findings),
        _Item("hipaa", "(b)(2)(ii)", "not_shown", [_say_found("no_run")]),
    ]
    return tuple(
        ChecklistItem(
            framework=Sentence(f"checklist.{item.rule}"),
            item=item.item,
            requirement=Sentence(f"checklist.{item.rule}.{item.item}"),
            evidence=reduce(lambda text, more: Sentence("two", first=text, second=more), item.evidence),
            status=item.status,
        )
        for item in items
    )


@dataclass(frozen=True)
class _Findings:
    """What the items are judged by: columns by role or content, and the results."""

    result: Assessment
    kinds: dict[str, list[str]]
    sets: Identifiability | None
    user: str | None
    identifiers: list[str]
    code_columns: list[str]
    unread_columns: list[str]

    @classmethod
    def of(cls, result: Assessment) -> _Findings:

        def list_columns(*roles: str) -> list[str]:
            return [column.name for column in result.source.columns if column.role in roles]

        leading, asked = list_identifying_kinds("public"), list_open_code_columns(result)
        return cls(
            result,
            scan.kinds() if (scan := result.direct_identifiers) is not None else {},
            result.identifiability,
            result.source.user,
            [
                column.name
                for column in result.source.columns
                if (column.role == "direct_identifier" and column.name not in asked)
                or (column.role == "user" and column.kind in leading)
            ],
            [name for name in asked if name != result.source.user],
            list_columns(*_UNREAD_ROLES),
        )

    def list_by_content(self, *kinds: str) -> list[str]:
        """List the columns whose values look like a direct identifier (of some kinds)."""
        return [column for column, looks in self.kinds.items() if not kinds or set(looks) & set(kinds)]

    @property
    def date_and_postal_columns(self) -> list[str]:
        """The columns with moments, or with values that spell days or postal codes.

        Ignored columns are not among them.
        """
        scan, columns = self.result.direct_identifiers, self.result.source.columns
        found = {one.column for one in scan.found if one.likely and one.kind in TOGETHER} if scan else set()
        return [c.name for c in columns if c.role == "date_time" or (c.name in found and c.role != "ignored")]

    def judge_openness(self, others: Iterable[str] = ()) -> Status:
        """Return `supports` unless columns, or others, were left open."""
        left = self.open_columns or self.guessed_columns or list(others)
        return "not_shown" if not self.is_scanned or left else "supports"

    @property
    def is_scanned(self) -> bool:
        return self.result.direct_identifiers is not None

    @property
    def open_columns(self) -> list[str]:
        """The columns with unknown content.

        They were not examined because of role, type or number, their names say nothing, or the origin of
        their codes is unknown.
        """
        section = self.result.direct_identifiers
        looked = [skipped.column for skipped in section.not_examined] if section is not None else []
        return _once([*self.unread_columns, *looked, *self.nameless_columns, *self.code_columns])

    @cached_property
    def nameless_columns(self) -> list[str]:
        """Columns whose names say nothing, and whose roles nobody gave."""
        columns = self.result.source.columns
        settled = ("user", "direct_identifier", "ignored", "constant")
        return [
            column.name
            for column in columns
            if is_nameless(column.name)
            and column.role not in settled
            and column.kind != "row"
            and not column.given
        ]

    @property
    def guessed_columns(self) -> list[str]:
        return [column.name for column in self.result.source.columns if column.confidence == "guess"]

    def list_identifiers(self, *kinds: str) -> list[str]:
        """List the direct identifiers of some kinds, by name or content."""
        return [
            column.name
            for column in self.result.source.columns
            if column.name in self.identifiers and column.kind in kinds
        ]

    def say_unexamined(self, *besides: str | None) -> list[Sentence]:
        """Say what was not examined, without some columns that other sentences are about."""
        looked = [name for name in self.open_columns if name not in (*besides, *self.nameless_columns)]
        return [
            *([] if self.is_scanned else [_say_found("not_scanned")]),
            *_say_about("unread", looked),
            *_say_about("nameless", self.nameless_columns),
            *_say_about(
                "guessed", [name for name in self.guessed_columns if name not in self.nameless_columns]
            ),
        ]

    @property
    def class_sizes(self) -> list[Any]:
        """Class sizes of records and of users, by the requested rule for missing values."""
        sizes = self.result.class_sizes
        if sizes is None:
            return []
        return [rule for rule in (*sizes.rules, *(sizes.users or ())) if rule.missing == sizes.missing]

    @property
    def disclosed_attributes(self) -> list[Any]:
        """The sensitive attributes that a class of one value discloses."""
        section = self.result.attribute_disclosure
        attributes = section.attributes if section is not None else ()
        return [attribute for attribute in attributes if attribute.homogeneous_records]

    def list_typed_columns(self, types: tuple[str, ...]) -> list[str]:
        if self.sets is None:
            return []
        return _once(attribute.column for attribute in self.sets.attributes if attribute.type in types)

    @property
    def untyped_columns(self) -> list[str]:
        """Columns without a sensitivity type, confirmed or proposed."""
        if self.sets is None:
            return []
        typed = {attribute.column for attribute in self.sets.attributes if attribute.type is not None}
        columns = self.result.source.columns
        return [c.name for c in columns if c.role not in _UNREAD_ROLES and c.name not in typed]

    @property
    def unconfirmed_types(self) -> list[Sentence]:
        """The remark that sensitivity types are not confirmed, if some are not."""
        every = self.sets.attributes if self.sets is not None else []
        return [_say_found("proposed")] if any(attribute.provisional for attribute in every) else []

    @property
    def has_links(self) -> bool:
        return self.user is not None and self.result.source.most_records_of_a_user > 1

    def find_worst_attribute(self, field: str) -> AttributeRisk | None:
        """Return the attribute with the highest value of a field; None if not measured."""
        plausible = [risk for risk in self.result.attribute_risk if risk.plausible]
        counted = [risk for risk in plausible if getattr(risk, field) is not None]
        return max(counted, key=lambda risk: getattr(risk, field)) if counted else None

    @property
    def is_anyone_singled_out(self) -> bool:
        if self.sets is None:
            return False
        users = self.sets.users
        return bool(self.sets.singled_out or (users is not None and users.singled_out))

    @property
    def unique_people(self) -> int:
        """Number of people singled out by all columns together.

        The opinion isolates records by any attributes, not only by quasi-identifiers.
        """
        known = self.result.uniqueness
        together = (known.all_columns or known.together) if known is not None else None
        return together.people if together is not None else 0

    @property
    def unsearched_columns(self) -> list[str]:
        """Columns that are in no attribute set, though an attacker may know them."""
        inside = {attribute.column for attribute in self.sets.attributes} if self.sets is not None else set()
        columns = self.result.source.columns
        known = [c.name for c in columns if c.role not in ("user", "constant", "event_key")]
        return [name for name in known if name not in inside]

    @property
    def reasons_for_doubt(self) -> list[Sentence]:
        """Why nothing can speak for the table: nothing was assessed, or it has few people."""
        result = self.result
        looked = result.attribute_risk or (result.uniqueness is not None and result.uniqueness.attributes)
        nothing = [] if looked or result.uniqueness is None else [Sentence("policy.unsettled.nothing")]
        return [*nothing, *warn_of_few_people(result.source.users)]

    @property
    def is_nobody_singled_out(self) -> bool:
        """Whether the search proved that nobody can be singled out by any column."""
        if (
            self.sets is None
            or self.reasons_for_doubt
            or self.is_anyone_singled_out
            or self.unique_people
            or self.unsearched_columns
        ):
            return False
        users = self.sets.users
        return not self.sets.unknown and not (users is not None and users.unknown)


def _say_found(key: str, **values: Any) -> Sentence:
    return Sentence(f"checklist.found.{key}", **values)


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _say_about(key: str, names: Iterable[str], **values: Any) -> list[Sentence]:
    """Return a sentence about some columns, if there are any."""
    every = list(names)
    shown = quote_names(every, _MAX_NAMES)
    return [_say_found(key, names=shown, count=format_number(len(every)), **values)] if every else []


def _join_names(names: Iterable[Sentence]) -> Sentence | JoinedTexts:
    """Join the first names, and count the others."""
    every = list(names)
    shown = join_texts(every[:_MAX_NAMES])
    left = len(every) - _MAX_NAMES
    return Sentence("list", names=shown, more=format_number(left)) if left > 0 else shown


def _quote(name: str) -> Sentence:
    return Sentence("roles.quoted", name=Data(name))


# --- Japan ---------------------------------------------------------------------------------------


def _check_removed_descriptions(findings: _Findings) -> _Item:
    evidence = _say_about("identifiers", findings.identifiers) or [_say_found("no_identifiers")]
    named = findings.sets is not None and findings.sets.jo.identifiability >= 3
    if findings.sets is not None and named:
        level = str(findings.sets.jo.identifiability)
        evidence += [
            *_say_about("named", findings.list_typed_columns(_NAMING_TYPES), level=level),
            *findings.unconfirmed_types,
        ]
    coded = [*([] if findings.user is None else [findings.user]), *findings.code_columns]
    evidence += [_say_found("user_code", user=_quote(name)) for name in coded]
    held = findings.list_by_content()
    evidence += [*_say_about("by_content", held), *findings.say_unexamined(*coded)]
    against = bool(findings.identifiers or held) or named
    return _Item("japan", "1", "against" if against else findings.judge_openness(), evidence)


def _check_removed_codes(findings: _Findings) -> _Item:
    held = _once([*findings.list_by_content(*_CODE_CONTENT), *findings.list_identifiers("official")])
    others = _once(name for name in (*findings.identifiers, *findings.list_by_content()) if name not in held)
    if findings.sets is None:
        evidence = [
            *(_say_about("code_held", held) or [_say_found("no_types")]),
            *_say_about("perhaps_codes", others),
        ]
        return _Item("japan", "2", "against" if held else "not_shown", evidence)
    codes = findings.list_typed_columns(_CODE_TYPES)
    evidence = [*(_say_about("codes", codes) or [_say_found("no_codes")]), *findings.unconfirmed_types]
    evidence += [*_say_about("code_held", held), *_say_about("perhaps_codes", others)]
    evidence += [*_say_about("untyped", findings.untyped_columns), *findings.say_unexamined()]
    against = bool(codes or held)
    status = "against" if against else findings.judge_openness([*findings.untyped_columns, *others])
    return _Item("japan", "2", status, evidence)


def _check_removed_links(findings: _Findings) -> _Item:
    evidence: list[Sentence] = []
    if findings.user is not None:
        most = format_number(findings.result.source.most_records_of_a_user)
        evidence.append(
            _say_found(
                "links" if findings.has_links else "gives_code",
                user=_quote(findings.user),
                most=most,
            )
        )
    keys = [column.name for column in findings.result.source.columns if column.role == "event_key"]
    evidence += _say_about(
        "numbers", _once([*findings.identifiers, *findings.list_by_content(), *findings.code_columns, *keys])
    )
    if evidence:
        return _Item("japan", "3", "not_shown", [*evidence, _say_found("same_codes")])
    return _Item(
        "japan", "3", findings.judge_openness(), [_say_found("no_numbers"), *findings.say_unexamined()]
    )


def _check_rare_descriptions(findings: _Findings) -> _Item:
    evidence: list[Sentence] = []
    rare = [risk for risk in findings.result.attribute_risk if risk.singled_out_values and risk.plausible]
    most = findings.find_worst_attribute("singled_out_records")
    if rare and most is not None:
        counts = {"records": format_number(most.singled_out_records), "attribute": _quote(most.attribute)}
        evidence.append(_say_found("rare_values", count=format_number(len(rare)), **counts))
    elif most is not None:
        evidence.append(_say_found("no_rare_values"))
    alone: list[str] = []
    if findings.sets is not None:
        sets = [known.attributes for known in findings.sets.sets]
        sets += [scenario.attributes for scenario in findings.sets.scenarios]
        alone = _once(names[0] for names in sets if len(names) == 1)
        evidence += _say_about("one_attribute", alone)
        if findings.sets.singled_out:
            easiest = findings.sets.distribution[0]
            evidence.append(
                _say_found("easiest", records=format_number(easiest.records), ease=format_ease(easiest.ease))
            )
    if not alone and not rare:
        evidence += _say_singled_out(findings) or _say_classes(findings)
    looked = (
        findings.sets is not None
        and not (findings.reasons_for_doubt or findings.unsearched_columns)
        and most is not None
    )
    supported = (looked and not _is_anyone_alone(findings)) or findings.is_nobody_singled_out
    status: Status = "against" if rare or alone else "supports" if supported else "not_shown"
    return _Item("japan", "4", status, evidence)


def _check_further_measures(findings: _Findings) -> _Item:
    below = findings.find_worst_attribute("share_below_k")
    evidence = _say_singled_out(findings)
    if below is not None:
        k = str(findings.result.settings.k)
        values = {"format_share": format_share(below.share_below_k), "attribute": _quote(below.attribute)}
        rare = "below_k" if below.share_below_k else "none_below_k"
        evidence.append(_say_found(rare, k=k, **values))
    evidence += [*_say_highest_risk(findings), *_say_classes(findings)]
    if _is_anyone_alone(findings) or (below is not None and below.share_below_k):
        return _Item("japan", "5", "against", evidence)
    return _Item("japan", "5", "supports" if findings.is_nobody_singled_out else "not_shown", evidence)


# --- GDPR ----------------------------------------------------------------------------------------


def _check_singling_out(findings: _Findings) -> _Item:
    evidence = [*_say_singled_out(findings), *_say_classes(findings)]
    alone = findings.find_worst_attribute("singled_out_records")
    against = _is_anyone_alone(findings)
    if findings.sets is None and alone is not None and alone.singled_out_records:
        counts = {"records": format_number(alone.singled_out_records), "attribute": _quote(alone.attribute)}
        evidence.insert(0, _say_found("rare_values", count="1", **counts))
        against = True
    status: Status = "against" if against else "supports" if findings.is_nobody_singled_out else "not_shown"
    return _Item("gdpr", "singling out", status, evidence)


def _check_linkability(findings: _Findings) -> _Item:
    evidence: list[Sentence] = []
    if findings.has_links:
        most = format_number(findings.result.source.most_records_of_a_user)
        evidence.append(_say_found("links", user=_quote(findings.user or ""), most=most))
    evidence += _say_about("identifiers_link", findings.identifiers)
    against = bool(evidence)
    return _Item(
        "gdpr",
        "linkability",
        "against" if against else "not_shown",
        [*evidence, _say_found("no_second")],
    )


def _has_learning_attacker(sets: Identifiability) -> bool:
    """Return whether an attacker who singles out a record learns more of it.

    The attribute sets decide where no records are listed.
    """
    if sets.scenarios:
        return any(scenario.learns for scenario in sets.scenarios)
    return any(len(known.attributes) < len(sets.attributes) for known in sets.sets)


def _check_inference(findings: _Findings) -> _Item:
    learnt = findings.sets is not None and _has_learning_attacker(findings.sets)
    evidence = [
        _say_found(
            "told",
            records=format_number(attribute.homogeneous_records),
            attribute=_quote(attribute.attribute),
        )
        for attribute in findings.disclosed_attributes
    ]
    if findings.result.attribute_disclosure is None:
        evidence.append(_say_found("learns_nobody"))
    elif not evidence:
        evidence.append(_say_found("told_nobody"))
    if findings.sets is not None and learnt:
        evidence.insert(0, _say_found("learns", singled_out=format_number(findings.sets.singled_out)))
    return _Item(
        "gdpr", "inference", "against" if learnt or findings.disclosed_attributes else "not_shown", evidence
    )


# --- HIPAA: no number here is a limit, for the rule has none --------------------------------------


def _check_listed_identifiers(findings: _Findings) -> _Item:
    columns = findings.result.source.columns
    items = {column.name: list(column.listed) for column in columns if column.listed}
    typed = findings.list_typed_columns((*_HIPAA_TYPES, "date_of_birth"))
    for name in (
        *findings.identifiers,
        *findings.list_by_content(),
        *findings.date_and_postal_columns,
        *typed,
    ):
        items.setdefault(name, [])
    shown = [
        Sentence(
            "checklist.found.of_items", name=_quote(name), items=join_texts(Data(str(item)) for item in of)
        )
        if of
        else _quote(name)
        for name, of in items.items()
    ]
    evidence: list[Sentence] = (
        [_say_found("listed", names=_join_names(shown), count=format_number(len(shown)))]
        if shown
        else [_say_found("not_listed")]
    )
    evidence += findings.unconfirmed_types
    evidence += [*_say_about("untyped", findings.untyped_columns), *findings.say_unexamined()]
    supported = "not_shown" if findings.sets is None else findings.judge_openness(findings.untyped_columns)
    return _Item("hipaa", HIPAA_IDENTIFIERS, "against" if items else supported, evidence)


# --- evidence of several items -------------------------------------------------------------------


def _list_figures(findings: _Findings) -> list[Sentence]:
    return [*_say_singled_out(findings), *_say_classes(findings), *_say_highest_risk(findings)]


def _say_highest_risk(findings: _Findings) -> list[Sentence]:
    top = findings.find_worst_attribute("mean_risk")
    if top is None:
        return []
    risk, attribute = format_probability(top.mean_risk), _quote(top.attribute)
    return [_say_found("highest_risk", risk=risk, attribute=attribute)]


def _is_anyone_alone(findings: _Findings) -> bool:
    return (
        findings.is_anyone_singled_out
        or bool(findings.unique_people)
        or any(rule.alone for rule in findings.class_sizes)
    )


def _say_classes(findings: _Findings) -> list[Sentence]:
    return [
        _say_found(
            f"alone_{rule.unit}s",
            alone=format_number(rule.alone),
            smallest=format_number(rule.smallest_class),
        )
        for rule in findings.class_sizes
    ]


def _say_singled_out(findings: _Findings) -> list[Sentence]:
    sets, every, evidence = findings.sets, findings.result.uniqueness, []
    # The search covers the attributes that have a level: all attributes together may single out more people.
    if every is not None and every.together is not None and (sets is None or findings.unique_people):
        evidence.append(
            _say_found(
                "unique", people=format_number(findings.unique_people), all=format_number(every.people)
            )
        )
    if sets is None:
        return evidence or ([] if findings.class_sizes else [_say_found("no_sets")])
    counts = {"singled_out": format_number(sets.singled_out), "records": format_number(sets.records)}
    evidence.append(_say_found("singled_out", **counts))
    if (users := sets.users) is not None:
        evidence.append(
            _say_found(
                "singled_out_users",
                singled_out=format_number(users.singled_out),
                users=format_number(users.users),
            )
        )
    if sets.unknown:
        evidence.append(_say_found("open", unknown=format_number(sets.unknown)))
    return [*evidence, *_say_about("left_out", findings.unsearched_columns), *findings.reasons_for_doubt]
