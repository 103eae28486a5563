"""What a run shows under rules on anonymised data: a checklist with the evidence of its numbers.

The rules are those of Japan (the five items of Enforcement Rules Art. 34), of the Working Party's opinion
05/2014 on the GDPR, and of HIPAA (45 CFR 164.514(b)). An item is supported only where this run has looked
at everything that it asks for; where it cannot tell, it says so. No text here holds a value of a record.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, NamedTuple

from duckrisk.base.numbers import format_ease, format_number, format_probability, format_share
from duckrisk.base.sentences import Data, JoinedTexts, Sentence, join_texts
from duckrisk.decision.assessment.results import Assessment, ChecklistItem, Status
from duckrisk.decision.assessment.verdict import few, leading_kinds, number_columns
from duckrisk.measures.attribute.results import AttributeRisk
from duckrisk.measures.identifiability.results import Identifiability
from duckrisk.roles.results import TOGETHER
from duckrisk.roles.words import is_nameless

#: Types of the chart that are codes given to one person or made of a body.
_CODES = (
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
#: Types of the chart that 45 CFR 164.514(b)(2)(i) lists.
_LISTED = (
    *_CODES,
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
#: Kinds of content that are codes given to one person.
_CODES_BY_CONTENT = ("My Number", "US social security number")
#: The item of HIPAA's eighteen identifiers, 45 CFR 164.514.
LISTED = "(b)(2)(i)"
#: So many names are listed.
_MOST_NAMES = 5
#: Roles of columns in which nothing is looked for.
_UNREAD = ("user", "free_text", "ignored")
#: Types whose presence makes JO's identifiability 3 or 6.
_NAMING = ("name", "address", "phone_number")


class _Item(NamedTuple):
    """An item of a rule, what was found on it, and whether that supports an assessment."""

    rule: str
    item: str
    status: Status
    evidence: list[Sentence]


def checklist(result: Assessment) -> tuple[ChecklistItem, ...]:
    """The items of the rules and what a finished assessment shows under each."""
    facts = _Facts.of(result)
    items = [
        _removed_descriptions(facts),
        _removed_codes(facts),
        _removed_links(facts),
        _rare_descriptions(facts),
        _further_measures(facts),
        _singling_out(facts),
        _linkability(facts),
        _inference(facts),
        _Item("hipaa", "(b)(1)", "not_shown", [*_numbers(facts), _said("expert")]),
        _listed_identifiers(facts),
        _Item("hipaa", "(b)(2)(ii)", "not_shown", [_said("no_run")]),
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
class _Facts:
    """What the items are judged by: columns by what they were taken for, and the results."""

    result: Assessment
    kinds: dict[str, list[str]]
    sets: Identifiability | None
    user: str | None
    identifiers: list[str]
    codes: list[str]
    unread: list[str]

    @classmethod
    def of(cls, result: Assessment) -> _Facts:
        def taken(*roles: str) -> list[str]:
            return [column.name for column in result.source.columns if column.role in roles]

        leading, asked = leading_kinds("public"), number_columns(result)
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
            taken(*_UNREAD),
        )

    def by_content(self, *kinds: str) -> list[str]:
        """The columns with cells that look like a direct identifier, or one of these kinds."""
        return [column for column, looks in self.kinds.items() if not kinds or set(looks) & set(kinds)]

    @property
    def spelled(self) -> list[str]:
        """The columns that hold moments, or whose cells spell days or postal codes, and were not left out."""
        scan, columns = self.result.direct_identifiers, self.result.source.columns
        found = {one.column for one in scan.found if one.likely and one.kind in TOGETHER} if scan else set()
        return [c.name for c in columns if c.role == "date_time" or (c.name in found and c.role != "ignored")]

    def unless(self, others: Iterable[str] = ()) -> Status:
        """Supported unless columns, or others, were left open."""
        left = self.open or self.guessed or list(others)
        return "not_shown" if not self.scanned or left else "supports"

    @property
    def scanned(self) -> bool:
        """Whether the content of columns was looked at."""
        return self.result.direct_identifiers is not None

    @property
    def open(self) -> list[str]:
        """Columns of which it is not known what they hold: by their roles, by type or number nothing was
        looked for in them, neither names nor roles say it, or nobody said whose codes they are."""
        section = self.result.direct_identifiers
        looked = [skipped.column for skipped in section.not_examined] if section is not None else []
        return _once([*self.unread, *looked, *self.nameless, *self.codes])

    @cached_property
    def nameless(self) -> list[str]:
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
    def guessed(self) -> list[str]:
        """Columns whose roles are guesses."""
        return [column.name for column in self.result.source.columns if column.confidence == "guess"]

    def named(self, *kinds: str) -> list[str]:
        """The identifiers whose names, or whose cells, say one of these kinds."""
        return [
            column.name
            for column in self.result.source.columns
            if column.name in self.identifiers and column.kind in kinds
        ]

    def not_known(self, *besides: str | None) -> list[Sentence]:
        """What was not looked at, as sentences; ``besides`` are columns that others tell of."""
        looked = [name for name in self.open if name not in (*besides, *self.nameless)]
        return [
            *([] if self.scanned else [_said("not_scanned")]),
            *_about("unread", looked),
            *_about("nameless", self.nameless),
            *_about("guessed", [name for name in self.guessed if name not in self.nameless]),
        ]

    @property
    def class_sizes(self) -> list[Any]:
        """The classes of records, and of users, by the rule for missing cells that was asked for."""
        sizes = self.result.class_sizes
        if sizes is None:
            return []
        return [rule for rule in (*sizes.rules, *(sizes.users or ())) if rule.missing == sizes.missing]

    @property
    def disclosed(self) -> list[Any]:
        """The sensitive attributes that a class of one value tells."""
        section = self.result.attribute_disclosure
        attributes = section.attributes if section is not None else ()
        return [attribute for attribute in attributes if attribute.homogeneous_records]

    def typed(self, types: tuple[str, ...]) -> list[str]:
        """The columns whose type is one of these."""
        if self.sets is None:
            return []
        return _once(attribute.column for attribute in self.sets.attributes if attribute.type in types)

    @property
    def untyped(self) -> list[str]:
        """Columns that nobody and nothing gave a type."""
        if self.sets is None:
            return []
        typed = {attribute.column for attribute in self.sets.attributes if attribute.type is not None}
        columns = self.result.source.columns
        return [c.name for c in columns if c.role not in _UNREAD and c.name not in typed]

    @property
    def proposed(self) -> list[Sentence]:
        """That the types are not confirmed."""
        every = self.sets.attributes if self.sets is not None else []
        return [_said("proposed")] if any(attribute.provisional for attribute in every) else []

    @property
    def links(self) -> bool:
        """Whether a column connects several records of a person."""
        return self.user is not None and self.result.source.most_records_of_a_user > 1

    def worst(self, field: str) -> AttributeRisk | None:
        """The attribute with the highest number of this name; None where none was counted."""
        plausible = [risk for risk in self.result.attribute_risk if risk.plausible]
        counted = [risk for risk in plausible if getattr(risk, field) is not None]
        return max(counted, key=lambda risk: getattr(risk, field)) if counted else None

    @property
    def somebody(self) -> bool:
        """Whether the search singled out a record or a user."""
        if self.sets is None:
            return False
        users = self.sets.users
        return bool(self.sets.singled_out or (users is not None and users.singled_out))

    @property
    def unique(self) -> int:
        """People singled out by all columns together: the opinion isolates records by any attributes."""
        known = self.result.uniqueness
        together = (known.all_columns or known.together) if known is not None else None
        return together.people if together is not None else 0

    @property
    def left_out(self) -> list[str]:
        """Columns that are in no attribute set, though somebody may know them."""
        inside = {attribute.column for attribute in self.sets.attributes} if self.sets is not None else set()
        columns = self.result.source.columns
        known = [c.name for c in columns if c.role not in ("user", "constant", "event_key")]
        return [name for name in known if name not in inside]

    @property
    def hollow(self) -> list[Sentence]:
        """Why nothing can speak for the table: nothing was assessed, or only a few people are in it."""
        result = self.result
        looked = result.attribute_risk or (result.uniqueness is not None and result.uniqueness.attributes)
        nothing = [] if looked or result.uniqueness is None else [Sentence("policy.unsettled.nothing")]
        return [*nothing, *few(result.source.users)]

    @property
    def nobody(self) -> bool:
        """Whether the search is sure that nobody can be singled out, by whatever the columns hold."""
        if self.sets is None or self.hollow or self.somebody or self.unique or self.left_out:
            return False
        users = self.sets.users
        return not self.sets.unknown and not (users is not None and users.unknown)


def _said(key: str, **values: Any) -> Sentence:
    return Sentence(f"checklist.found.{key}", **values)


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _about(key: str, names: Iterable[str], **values: Any) -> list[Sentence]:
    """A sentence on some columns; none where there are none."""
    every = list(names)
    return [_said(key, names=_named(every), count=format_number(len(every)), **values)] if every else []


def _named(names: Iterable[str]) -> Sentence | JoinedTexts:
    return _list(map(_quoted, names))


def _list(names: Iterable[Sentence]) -> Sentence | JoinedTexts:
    """Return the first of some names, and how many more there are."""
    every = list(names)
    shown = join_texts(every[:_MOST_NAMES])
    left = len(every) - _MOST_NAMES
    return Sentence("list", names=shown, more=format_number(left)) if left > 0 else shown


def _quoted(name: str) -> Sentence:
    return Sentence("roles.quoted", name=Data(name))


# --- Japan ---------------------------------------------------------------------------------------


def _removed_descriptions(facts: _Facts) -> _Item:
    evidence = _about("identifiers", facts.identifiers) or [_said("no_identifiers")]
    named = facts.sets is not None and facts.sets.jo.identifiability >= 3
    if facts.sets is not None and named:
        level = str(facts.sets.jo.identifiability)
        evidence += [*_about("named", facts.typed(_NAMING), level=level), *facts.proposed]
    coded = [*([] if facts.user is None else [facts.user]), *facts.codes]
    evidence += [_said("user_code", user=_quoted(name)) for name in coded]
    held = facts.by_content()
    evidence += [*_about("by_content", held), *facts.not_known(*coded)]
    against = bool(facts.identifiers or held) or named
    return _Item("japan", "1", "against" if against else facts.unless(), evidence)


def _removed_codes(facts: _Facts) -> _Item:
    held = _once([*facts.by_content(*_CODES_BY_CONTENT), *facts.named("official")])
    others = _once(name for name in (*facts.identifiers, *facts.by_content()) if name not in held)
    if facts.sets is None:
        evidence = [*(_about("code_held", held) or [_said("no_types")]), *_about("perhaps_codes", others)]
        return _Item("japan", "2", "against" if held else "not_shown", evidence)
    codes = facts.typed(_CODES)
    evidence = [*(_about("codes", codes) or [_said("no_codes")]), *facts.proposed]
    evidence += [*_about("code_held", held), *_about("perhaps_codes", others)]
    evidence += [*_about("untyped", facts.untyped), *facts.not_known()]
    against = bool(codes or held)
    status = "against" if against else facts.unless([*facts.untyped, *others])
    return _Item("japan", "2", status, evidence)


def _removed_links(facts: _Facts) -> _Item:
    evidence: list[Sentence] = []
    if facts.user is not None:
        most = format_number(facts.result.source.most_records_of_a_user)
        evidence.append(
            _said(
                "links" if facts.links else "gives_code",
                user=_quoted(facts.user),
                most=most,
            )
        )
    keys = [column.name for column in facts.result.source.columns if column.role == "event_key"]
    evidence += _about("numbers", _once([*facts.identifiers, *facts.by_content(), *facts.codes, *keys]))
    if evidence:
        return _Item("japan", "3", "not_shown", [*evidence, _said("same_codes")])
    return _Item("japan", "3", facts.unless(), [_said("no_numbers"), *facts.not_known()])


def _rare_descriptions(facts: _Facts) -> _Item:
    evidence: list[Sentence] = []
    rare = [risk for risk in facts.result.attribute_risk if risk.singled_out_values and risk.plausible]
    most = facts.worst("singled_out_records")
    if rare and most is not None:
        counts = {"records": format_number(most.singled_out_records), "attribute": _quoted(most.attribute)}
        evidence.append(_said("rare_values", count=format_number(len(rare)), **counts))
    elif most is not None:
        evidence.append(_said("no_rare_values"))
    alone: list[str] = []
    if facts.sets is not None:
        sets = [known.attributes for known in facts.sets.sets]
        sets += [scenario.attributes for scenario in facts.sets.scenarios]
        alone = _once(names[0] for names in sets if len(names) == 1)
        evidence += _about("one_attribute", alone)
        if facts.sets.singled_out:
            easiest = facts.sets.distribution[0]
            evidence.append(
                _said("easiest", records=format_number(easiest.records), ease=format_ease(easiest.ease))
            )
    if not alone and not rare:
        evidence += _sets_found(facts) or _classes(facts)
    looked = facts.sets is not None and not (facts.hollow or facts.left_out) and most is not None
    supported = (looked and not _alone(facts)) or facts.nobody
    status: Status = "against" if rare or alone else "supports" if supported else "not_shown"
    return _Item("japan", "4", status, evidence)


def _further_measures(facts: _Facts) -> _Item:
    below = facts.worst("share_below_k")
    evidence = _sets_found(facts)
    if below is not None:
        k = str(facts.result.settings.k)
        values = {"share": format_share(below.share_below_k), "attribute": _quoted(below.attribute)}
        rare = "below_k" if below.share_below_k else "none_below_k"
        evidence.append(_said(rare, k=k, **values))
    evidence += [*_highest(facts), *_classes(facts)]
    if _alone(facts) or (below is not None and below.share_below_k):
        return _Item("japan", "5", "against", evidence)
    return _Item("japan", "5", "supports" if facts.nobody else "not_shown", evidence)


# --- GDPR ----------------------------------------------------------------------------------------


def _singling_out(facts: _Facts) -> _Item:
    evidence = [*_sets_found(facts), *_classes(facts)]
    alone = facts.worst("singled_out_records")
    against = _alone(facts)
    if facts.sets is None and alone is not None and alone.singled_out_records:
        counts = {"records": format_number(alone.singled_out_records), "attribute": _quoted(alone.attribute)}
        evidence.insert(0, _said("rare_values", count="1", **counts))
        against = True
    status: Status = "against" if against else "supports" if facts.nobody else "not_shown"
    return _Item("gdpr", "singling out", status, evidence)


def _linkability(facts: _Facts) -> _Item:
    evidence: list[Sentence] = []
    if facts.links:
        most = format_number(facts.result.source.most_records_of_a_user)
        evidence.append(_said("links", user=_quoted(facts.user or ""), most=most))
    evidence += _about("identifiers_link", facts.identifiers)
    against = bool(evidence)
    return _Item(
        "gdpr",
        "linkability",
        "against" if against else "not_shown",
        [*evidence, _said("no_second")],
    )


def _learns(sets: Identifiability) -> bool:
    """Whether whoever singles a record out learns more of it: by the sets where no records are listed."""
    if sets.scenarios:
        return any(scenario.learns for scenario in sets.scenarios)
    return any(len(known.attributes) < len(sets.attributes) for known in sets.sets)


def _inference(facts: _Facts) -> _Item:
    learnt = facts.sets is not None and _learns(facts.sets)
    evidence = [
        _said(
            "told",
            records=format_number(attribute.homogeneous_records),
            attribute=_quoted(attribute.attribute),
        )
        for attribute in facts.disclosed
    ]
    if facts.result.attribute_disclosure is None:
        evidence.append(_said("learns_nobody"))
    elif not evidence:
        evidence.append(_said("told_nobody"))
    if facts.sets is not None and learnt:
        evidence.insert(0, _said("learns", singled_out=format_number(facts.sets.singled_out)))
    return _Item("gdpr", "inference", "against" if learnt or facts.disclosed else "not_shown", evidence)


# --- HIPAA: no number here is a limit, for the rule has none --------------------------------------


def _listed_identifiers(facts: _Facts) -> _Item:
    columns = facts.result.source.columns
    items = {column.name: list(column.listed) for column in columns if column.listed}
    typed = facts.typed((*_LISTED, "date_of_birth"))
    for name in (*facts.identifiers, *facts.by_content(), *facts.spelled, *typed):
        items.setdefault(name, [])
    shown = [
        Sentence(
            "checklist.found.of_items", name=_quoted(name), items=join_texts(Data(str(item)) for item in of)
        )
        if of
        else _quoted(name)
        for name, of in items.items()
    ]
    evidence: list[Sentence] = (
        [_said("listed", names=_list(shown), count=format_number(len(shown)))]
        if shown
        else [_said("not_listed")]
    )
    evidence += facts.proposed
    evidence += [*_about("untyped", facts.untyped), *facts.not_known()]
    supported = "not_shown" if facts.sets is None else facts.unless(facts.untyped)
    return _Item("hipaa", LISTED, "against" if items else supported, evidence)


# --- what several items tell ---------------------------------------------------------------------


def _numbers(facts: _Facts) -> list[Sentence]:
    return [*_sets_found(facts), *_classes(facts), *_highest(facts)]


def _highest(facts: _Facts) -> list[Sentence]:
    top = facts.worst("mean_risk")
    if top is None:
        return []
    risk, attribute = format_probability(top.mean_risk), _quoted(top.attribute)
    return [_said("highest_risk", risk=risk, attribute=attribute)]


def _alone(facts: _Facts) -> bool:
    """Whether somebody was singled out by any attribute set or is in no class with others."""
    return facts.somebody or bool(facts.unique) or any(rule.alone for rule in facts.class_sizes)


def _classes(facts: _Facts) -> list[Sentence]:
    """The smallest class, and who is alone in one."""
    return [
        _said(
            f"alone_{rule.unit}s",
            alone=format_number(rule.alone),
            smallest=format_number(rule.smallest_class),
        )
        for rule in facts.class_sizes
    ]


def _sets_found(facts: _Facts) -> list[Sentence]:
    """Who can be singled out by attributes known together."""
    sets, every, evidence = facts.sets, facts.result.uniqueness, []
    # The search knows the attributes that have a level: all together may single out more.
    if every is not None and every.together is not None and (sets is None or facts.unique):
        evidence.append(_said("unique", people=format_number(facts.unique), all=format_number(every.people)))
    if sets is None:
        return evidence or ([] if facts.class_sizes else [_said("no_sets")])
    counts = {"singled_out": format_number(sets.singled_out), "records": format_number(sets.records)}
    evidence.append(_said("singled_out", **counts))
    if (users := sets.users) is not None:
        evidence.append(
            _said(
                "singled_out_users",
                singled_out=format_number(users.singled_out),
                users=format_number(users.users),
            )
        )
    if sets.unknown:
        evidence.append(_said("open", unknown=format_number(sets.unknown)))
    return [*evidence, *_about("left_out", facts.left_out), *facts.hollow]
