"""List the evidence of a run for each item of three rules on anonymized data.

The rules are those of Japan (the five items of Enforcement Rules Art. 34), of the Working Party's opinion
05/2014 on the GDPR, and of HIPAA (45 CFR 164.514(b)). An item is supported only if this run examined
everything that it asks for; otherwise the list says what is open. No text here holds a value of a record.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import NamedTuple

from duckrisk.base.numbers import format_ease, format_number, format_probability, format_share
from duckrisk.base.sentences import Data, JoinedTexts, Sentence, join_texts
from duckrisk.decision.assessment.findings import MAX_NAMES, Findings, remove_repeats, say_about, say_found
from duckrisk.decision.assessment.results import Assessment, ChecklistItem, Status
from duckrisk.measures.identifiability.results import Identifiability

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
    findings = Findings.of(result)
    items = [
        _check_removed_descriptions(findings),
        _check_removed_codes(findings),
        _check_removed_links(findings),
        _check_rare_descriptions(findings),
        _check_further_measures(findings),
        _check_singling_out(findings),
        _check_linkability(findings),
        _check_inference(findings),
        _Item("hipaa", "(b)(1)", "not_shown", [*_list_figures(findings), say_found("expert")]),
        _check_listed_identifiers(findings),
        _Item("hipaa", "(b)(2)(ii)", "not_shown", [say_found("no_run")]),
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


def _join_names(names: Iterable[Sentence]) -> Sentence | JoinedTexts:
    """Join the first names, and count the others."""
    every = list(names)
    shown = join_texts(every[:MAX_NAMES])
    left = len(every) - MAX_NAMES
    return Sentence("list", names=shown, more=format_number(left)) if left > 0 else shown


def _quote(name: str) -> Sentence:
    return Sentence("roles.quoted", name=Data(name))


# --- Japan ---------------------------------------------------------------------------------------


def _check_removed_descriptions(findings: Findings) -> _Item:
    evidence = say_about("identifiers", findings.identifiers) or [say_found("no_identifiers")]
    named = findings.sets is not None and findings.sets.jo.identifiability >= 3
    if findings.sets is not None and named:
        level = str(findings.sets.jo.identifiability)
        evidence += [
            *say_about("named", findings.list_typed_columns(_NAMING_TYPES), level=level),
            *findings.unconfirmed_types,
        ]
    coded = [*([] if findings.user is None else [findings.user]), *findings.code_columns]
    evidence += [say_found("user_code", user=_quote(name)) for name in coded]
    held = findings.list_by_content()
    evidence += [*say_about("by_content", held), *findings.say_unexamined(*coded)]
    against = bool(findings.identifiers or held) or named
    return _Item("japan", "1", "against" if against else findings.judge_openness(), evidence)


def _check_removed_codes(findings: Findings) -> _Item:
    held = remove_repeats([*findings.list_by_content(*_CODE_CONTENT), *findings.list_identifiers("official")])
    others = remove_repeats(
        name for name in (*findings.identifiers, *findings.list_by_content()) if name not in held
    )
    if findings.sets is None:
        evidence = [
            *(say_about("code_held", held) or [say_found("no_types")]),
            *say_about("perhaps_codes", others),
        ]
        return _Item("japan", "2", "against" if held else "not_shown", evidence)
    codes = findings.list_typed_columns(_CODE_TYPES)
    evidence = [*(say_about("codes", codes) or [say_found("no_codes")]), *findings.unconfirmed_types]
    evidence += [*say_about("code_held", held), *say_about("perhaps_codes", others)]
    evidence += [*say_about("untyped", findings.untyped_columns), *findings.say_unexamined()]
    against = bool(codes or held)
    status = "against" if against else findings.judge_openness([*findings.untyped_columns, *others])
    return _Item("japan", "2", status, evidence)


def _check_removed_links(findings: Findings) -> _Item:
    evidence: list[Sentence] = []
    if findings.user is not None:
        most = format_number(findings.result.source.most_records_of_a_user)
        evidence.append(
            say_found(
                "links" if findings.has_links else "gives_code",
                user=_quote(findings.user),
                most=most,
            )
        )
    keys = [column.name for column in findings.result.source.columns if column.role == "event_key"]
    evidence += say_about(
        "numbers",
        remove_repeats([*findings.identifiers, *findings.list_by_content(), *findings.code_columns, *keys]),
    )
    if evidence:
        return _Item("japan", "3", "not_shown", [*evidence, say_found("same_codes")])
    return _Item(
        "japan", "3", findings.judge_openness(), [say_found("no_numbers"), *findings.say_unexamined()]
    )


def _check_rare_descriptions(findings: Findings) -> _Item:
    evidence: list[Sentence] = []
    rare = [risk for risk in findings.result.attribute_risk if risk.singled_out_values and risk.plausible]
    most = findings.find_worst_attribute("singled_out_records")
    if rare and most is not None:
        counts = {"records": format_number(most.singled_out_records), "attribute": _quote(most.attribute)}
        evidence.append(say_found("rare_values", count=format_number(len(rare)), **counts))
    elif most is not None:
        evidence.append(say_found("no_rare_values"))
    alone: list[str] = []
    if findings.sets is not None:
        sets = [known.attributes for known in findings.sets.sets]
        sets += [scenario.attributes for scenario in findings.sets.scenarios]
        alone = remove_repeats(names[0] for names in sets if len(names) == 1)
        evidence += say_about("one_attribute", alone)
        if findings.sets.singled_out:
            easiest = findings.sets.distribution[0]
            evidence.append(
                say_found("easiest", records=format_number(easiest.records), ease=format_ease(easiest.ease))
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


def _check_further_measures(findings: Findings) -> _Item:
    below = findings.find_worst_attribute("share_below_k")
    evidence = _say_singled_out(findings)
    if below is not None:
        k = str(findings.result.settings.k)
        values = {"share": format_share(below.share_below_k), "attribute": _quote(below.attribute)}
        rare = "below_k" if below.share_below_k else "none_below_k"
        evidence.append(say_found(rare, k=k, **values))
    evidence += [*_say_highest_risk(findings), *_say_classes(findings)]
    if _is_anyone_alone(findings) or (below is not None and below.share_below_k):
        return _Item("japan", "5", "against", evidence)
    return _Item("japan", "5", "supports" if findings.is_nobody_singled_out else "not_shown", evidence)


# --- GDPR ----------------------------------------------------------------------------------------


def _check_singling_out(findings: Findings) -> _Item:
    evidence = [*_say_singled_out(findings), *_say_classes(findings)]
    alone = findings.find_worst_attribute("singled_out_records")
    against = _is_anyone_alone(findings)
    if findings.sets is None and alone is not None and alone.singled_out_records:
        counts = {"records": format_number(alone.singled_out_records), "attribute": _quote(alone.attribute)}
        evidence.insert(0, say_found("rare_values", count="1", **counts))
        against = True
    status: Status = "against" if against else "supports" if findings.is_nobody_singled_out else "not_shown"
    return _Item("gdpr", "singling out", status, evidence)


def _check_linkability(findings: Findings) -> _Item:
    evidence: list[Sentence] = []
    if findings.has_links:
        most = format_number(findings.result.source.most_records_of_a_user)
        evidence.append(say_found("links", user=_quote(findings.user or ""), most=most))
    evidence += say_about("identifiers_link", findings.identifiers)
    against = bool(evidence)
    return _Item(
        "gdpr",
        "linkability",
        "against" if against else "not_shown",
        [*evidence, say_found("no_second")],
    )


def _has_learning_attacker(sets: Identifiability) -> bool:
    """Return whether an attacker who singles out a record learns more of it.

    The attribute sets decide where no records are listed.
    """
    if sets.scenarios:
        return any(scenario.learns for scenario in sets.scenarios)
    return any(len(known.attributes) < len(sets.attributes) for known in sets.sets)


def _check_inference(findings: Findings) -> _Item:
    learnt = findings.sets is not None and _has_learning_attacker(findings.sets)
    evidence = [
        say_found(
            "told",
            records=format_number(attribute.homogeneous_records),
            attribute=_quote(attribute.attribute),
        )
        for attribute in findings.disclosed_attributes
    ]
    if findings.result.attribute_disclosure is None:
        evidence.append(say_found("learns_nobody"))
    elif not evidence:
        evidence.append(say_found("told_nobody"))
    if findings.sets is not None and learnt:
        evidence.insert(0, say_found("learns", singled_out=format_number(findings.sets.singled_out)))
    return _Item(
        "gdpr", "inference", "against" if learnt or findings.disclosed_attributes else "not_shown", evidence
    )


# --- HIPAA: no number here is a limit, for the rule has none --------------------------------------


def _check_listed_identifiers(findings: Findings) -> _Item:
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
        [say_found("listed", names=_join_names(shown), count=format_number(len(shown)))]
        if shown
        else [say_found("not_listed")]
    )
    evidence += findings.unconfirmed_types
    evidence += [*say_about("untyped", findings.untyped_columns), *findings.say_unexamined()]
    supported = "not_shown" if findings.sets is None else findings.judge_openness(findings.untyped_columns)
    return _Item("hipaa", HIPAA_IDENTIFIERS, "against" if items else supported, evidence)


# --- evidence of several items -------------------------------------------------------------------


def _list_figures(findings: Findings) -> list[Sentence]:
    return [*_say_singled_out(findings), *_say_classes(findings), *_say_highest_risk(findings)]


def _say_highest_risk(findings: Findings) -> list[Sentence]:
    top = findings.find_worst_attribute("mean_risk")
    if top is None:
        return []
    risk, attribute = format_probability(top.mean_risk), _quote(top.attribute)
    return [say_found("highest_risk", risk=risk, attribute=attribute)]


def _is_anyone_alone(findings: Findings) -> bool:
    return (
        findings.is_anyone_singled_out
        or bool(findings.unique_people)
        or any(rule.alone for rule in findings.class_sizes)
    )


def _say_classes(findings: Findings) -> list[Sentence]:
    return [
        say_found(
            f"alone_{rule.unit}s",
            alone=format_number(rule.alone),
            smallest=format_number(rule.smallest_class),
        )
        for rule in findings.class_sizes
    ]


def _say_singled_out(findings: Findings) -> list[Sentence]:
    sets, every, evidence = findings.sets, findings.result.uniqueness, []
    # The search covers the attributes that have a level: all attributes together may single out more people.
    if every is not None and every.all_attributes is not None and (sets is None or findings.unique_people):
        evidence.append(
            say_found("unique", people=format_number(findings.unique_people), all=format_number(every.people))
        )
    if sets is None:
        return evidence or ([] if findings.class_sizes else [say_found("no_sets")])
    counts = {"singled_out": format_number(sets.singled_out), "records": format_number(sets.records)}
    evidence.append(say_found("singled_out", **counts))
    if (users := sets.users) is not None:
        evidence.append(
            say_found(
                "singled_out_users",
                singled_out=format_number(users.singled_out),
                users=format_number(users.users),
            )
        )
    if sets.unknown:
        evidence.append(say_found("open", unknown=format_number(sets.unknown)))
    return [*evidence, *say_about("left_out", findings.unsearched_columns), *findings.reasons_for_doubt]
