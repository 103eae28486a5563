"""The verdict on an assessment: what it measured as evidence, and what a policy says to it.

Whatever was left out can only make a table look safer than it is. So a limit that is exceeded stays exceeded,
and nothing is called kept while something that counts was guessed or not looked at.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from duckrisk.base.numbers import format_number
from duckrisk.base.options.roles import typed_option
from duckrisk.base.sentences import Data, JoinedTexts, Sentence, join_texts
from duckrisk.decision import policy
from duckrisk.decision.assessment.results import Assessment
from duckrisk.decision.policy.results import LimitName, Verdict
from duckrisk.measures.uniqueness.results import KnownFacts
from duckrisk.roles import Confidence, Role
from duckrisk.roles.holdings import SMALL
from duckrisk.roles.model import CODE, NEW, ORIGINAL, PSEUDONYM, ROW, Holdings
from duckrisk.roles.words import LEADING
from duckrisk.source.written import undated

#: The limits on people with several records.
HISTORIES: tuple[LimitName, ...] = ("unique_histories", "smallest_history", "three_records")
#: The limits on what few facts tell an attacker.
FACT_LIMITS: tuple[LimitName, ...] = ("one_fact", "three_facts")
#: Of fewer people nothing can be said of a group.
FEW_PEOPLE = 20
#: Facts that the limit on singling out is about.
FACTS = 3
#: So many names are listed.
_MOST_NAMES = 3


def verdict(result: Assessment, options: policy.Options) -> Verdict:
    """What the policy says to a finished assessment."""
    return policy.judge(options, evidence(result))


def evidence(result: Assessment) -> policy.Evidence:
    """Collect what the verdict on an assessment rests on."""
    figures: dict[LimitName, policy.Measured | None] = {
        "identifying_columns": _identifying(result),
        "unique_people": _unique(result),
        "smallest_class": _smallest(result),
        "unique_histories": _unique_histories(result),
        "smallest_history": _smallest_history(result),
        "three_records": _three_records(result),
        "sensitive_disclosed": _sensitive(result),
        "one_fact": _one_fact(result),
        "three_facts": _three_facts(result),
    }
    return policy.Evidence(
        {name: figure for name, figure in figures.items() if figure is not None},
        unsettled=tuple(_unsettled(result)),
        assumptions=tuple(_assumptions(result)),
        declared=_is_declared(result),
        inapplicable=frozenset(_inapplicable(result)),
        reservations=tuple(_reservations(result)),
    )


# --- figures ---------------------------------------------------------------------------------------


def identifying_roles(policy_name: str) -> set[str]:
    """Return the roles that count as identifiers: free text does where people outside get the table."""
    return {"direct_identifier"} if policy_name == "internal" else {"direct_identifier", "free_text"}


def identifying(result: Assessment) -> dict[str, bool]:
    """Return the columns that identify directly, by name or content, and whether that is more than a guess.

    Free text counts where people outside get the table (HIPAA, 45 CFR 164.514(b)), the person's own column
    where it is a number such as a patient's. Ignored columns do not count: they leave the verdict undecided.
    """
    direct = set() if result.source.holdings.no_persons else identifying_roles(result.verdict.policy)
    ignored = {column.name for column in result.source.columns if column.role == "ignored"}
    leading = leading_kinds(result.verdict.policy)
    by_role = {
        column.name: column.confidence != "guess"
        for column in result.source.columns
        if (
            column.role in direct or (column.role in ("user", "direct_identifier") and column.kind in leading)
        )
        and column.name not in (number_columns(result) if column.role == "direct_identifier" else ())
    }
    scan = result.direct_identifiers
    by_content = scan.kinds() if scan is not None else {}
    return {**by_role, **{name: True for name in by_content if name not in ignored}}


def leading_kinds(policy_name: str) -> frozenset[str]:
    """Return the kinds of a person's column that identify: an organisation's numbers do outside of it."""
    return LEADING if policy_name == "internal" else LEADING | {ORIGINAL}


def is_open_code(role: Role, kind: str | None, user: str | None, *, given: bool) -> bool:
    """Return whether a column numbers people, and nobody said whether its codes lead back to them.

    Codes that all differ number people where no other column does.
    """
    if role == "user":
        return kind not in (PSEUDONYM, NEW, ORIGINAL, ROW, *LEADING)
    return role == "direct_identifier" and kind == CODE and user is None and not given


def number_columns(result: Assessment) -> list[str]:
    """Return the columns that number people with codes of which it is open whether they lead back to them."""
    if not result.source.people_known and result.source.lost_user is not None:
        return []
    return [
        column.name
        for column in result.source.columns
        if is_open_code(column.role, column.kind, result.source.user, given=column.given)
    ]


def asked_codes(result: Assessment) -> list[str]:
    """Return the columns of which the verdict asks whose codes they hold; colleagues may have their
    organisation's."""
    return number_columns(result) if result.verdict.policy != "internal" else []


def open_codes(names: Iterable[str], policy_name: str) -> Iterable[Sentence]:
    """Yield the question whether codes lead back to people; colleagues may have their organisation's."""
    if policy_name != "internal":
        for name in names:
            new, original = typed("--pseudonym", name), typed("--identifier", name)
            yield Sentence("policy.unsettled.codes", user=Data(name), new=new, original=original)


def _identifying(result: Assessment) -> policy.Measured | None:
    columns = identifying(result)
    if not columns and result.direct_identifiers is None:
        return None
    certain = 0 if result.source.holdings.is_doubtful else sum(columns.values())
    return policy.Measured(len(columns), certain=certain > 0 or not columns)


def _sure(result: Assessment) -> bool:
    """Whether it is more than a guess whose a record is."""
    source = result.source
    hidden = source.counted is not None and source.counted.hidden_cells > 0
    # People of a class may be among hidden ones, and a row of totals is nobody.
    return source.user_confidence != "guess" and not hidden and source.holdings.totals is None


def _unique(result: Assessment) -> policy.Measured | None:
    together = result.uniqueness.together if result.uniqueness is not None else None
    return policy.Measured(together.share, certain=_sure(result)) if together is not None else None


def _smallest(result: Assessment) -> policy.Measured | None:
    together = result.uniqueness.together if result.uniqueness is not None else None
    return policy.Measured(together.smallest_class, certain=_sure(result)) if together is not None else None


def _unique_histories(result: Assessment) -> policy.Measured | None:
    whole = result.uniqueness.histories if result.uniqueness is not None else None
    return policy.Measured(whole.share, certain=_sure(result)) if whole is not None else None


def _smallest_history(result: Assessment) -> policy.Measured | None:
    whole = result.uniqueness.histories if result.uniqueness is not None else None
    return policy.Measured(whole.smallest_class, certain=_sure(result)) if whole is not None else None


def _three_records(result: Assessment) -> policy.Measured | None:
    known = result.uniqueness.whole_records if result.uniqueness is not None else None
    if known is None:
        return None
    return policy.Measured(known.share, known.share_lower, known.share_upper, certain=_sure(result))


def _sensitive(result: Assessment) -> policy.Measured | None:
    """Return the largest share of people with a disclosed value of a declared sensitive column."""
    shares = [column.share for column in result.sensitive if not column.proposed]
    known = [share for share in shares if share is not None]
    if not known:
        return None
    return policy.Measured(max(known), most=1.0 if len(known) < len(shares) else None, certain=_sure(result))


def _inapplicable(result: Assessment) -> Iterable[LimitName]:
    """Yield the limits that say nothing of this table."""
    source, uniqueness = result.source, result.uniqueness
    if source.holdings.no_persons:
        yield from (name for name in policy.LIMITS if name != "identifying_columns")
        return
    relinked = uniqueness.relinked if uniqueness is not None else None
    is_linked = source.user is not None or (relinked is not None and relinked.people > 0)
    if not is_linked or source.most_records_of_a_user <= 1:
        yield from HISTORIES
    if not any(column.declared == "sensitive" for column in result.source.columns):
        yield "sensitive_disclosed"
    if _knows_nothing(result):
        yield from FACT_LIMITS


def _reservations(result: Assessment) -> Iterable[Sentence]:
    """Yield who can be linked again in a table without a user column."""
    relinked = result.uniqueness.relinked if result.uniqueness is not None else None
    if relinked is not None and relinked.people:
        yield Sentence(
            "policy.relinked",
            people=format_number(relinked.people),
            all=format_number(result.source.users),
            names=names_of(relinked.columns),
        )


def _one_fact(result: Assessment) -> policy.Measured | None:
    """The highest mean risk of an attribute that an attacker plausibly knows."""
    names = set(known_attributes(result))
    known = [risk for risk in result.attribute_risk if risk.attribute in names and risk.risk is not None]
    if not known:
        return None
    values = [risk.risk or 0.0 for risk in known]
    sampled = [risk.sampled for risk in known if risk.mean_risk is None and risk.sampled is not None]
    if not sampled:
        return policy.Measured(max(values), certain=_sure(result))
    lower = [1.0 if estimate.lower is None else estimate.lower for estimate in sampled]
    upper = [0.0 if estimate.upper is None else estimate.upper for estimate in sampled]
    return policy.Measured(max(values), max(lower), max(upper), certain=_sure(result))


def telling(result: Assessment) -> KnownFacts | None:
    """What three facts tell, or fewer where these tell more: a missing cell tells nothing, so that few people
    have three that are there, and whoever knows three knows any two of them."""
    uniqueness = result.uniqueness
    sets = [known for known in uniqueness.facts if known.facts <= FACTS] if uniqueness is not None else []
    return max(sets, key=lambda known: (known.typical, known.facts), default=None)


def singled_out_by_three_records(result: Assessment) -> float:
    """Return the typical share of people singled out by a value of each of three of their records."""
    records = result.uniqueness.known_records if result.uniqueness is not None else ()
    return max((known.typical or 0.0 for known in records if known.records == FACTS), default=0.0)


def _three_facts(result: Assessment) -> policy.Measured | None:
    """Who is singled out by three attributes of one record or, if that is more, by three records of a
    history; by all there are where there are fewer."""
    uniqueness, most = result.uniqueness, telling(result)
    if uniqueness is None or most is None:
        return None
    by_records = singled_out_by_three_records(result)
    value, least, upper = (
        max(end, by_records) for end in (most.typical, most.typical_lower, most.typical_upper)
    )
    return policy.Measured(value, least, upper, certain=_sure(result))


# --- what is open ----------------------------------------------------------------------------------


def guesses(
    user: str | None,
    candidates: Sequence[tuple[str, ...]],
    confidence: Confidence,
    columns: Iterable[tuple[str, Role, Confidence]],
    people: int,
    holdings: Holdings | None = None,
) -> Iterable[Sentence]:
    """What a verdict cannot be sure of, whatever was measured: whose a record is, the roles of columns, and
    of how few people it speaks. ``candidates`` are the columns that may stand for the person, the likeliest
    first; of several that do so together, all."""
    holdings = holdings or Holdings()
    if holdings.no_persons:
        return
    yield from rows_unlike_persons(holdings)
    named = [columns for columns in candidates if columns]
    if holdings.is_doubtful:
        pass
    elif confidence == "guess" and named == [(user,)]:
        yield Sentence("policy.unsettled.user", user=Data(named[0][0]), option=typed_person(named[0]))
    elif confidence == "guess" and named:
        options = [typed_person(columns) for columns in named[:_MOST_NAMES]]
        yield Sentence("policy.unsettled.no_user", option=join_texts(options))
    elif confidence == "guess":
        yield Sentence("policy.unsettled.nobody")
    settled = ("user", "count", "constant", "ignored")
    guessed = [name for name, role, sure in columns if sure == "guess" and role not in settled]
    if guessed:
        yield Sentence("policy.unsettled.roles", names=names_of(guessed), count=format_number(len(guessed)))
    if not holdings.is_doubtful:
        yield from few(people)


def rows_unlike_persons(holdings: Holdings) -> Iterable[Sentence]:
    """Yield what speaks against a row being one person: counts, things, sums and hidden counts."""
    like, totals, counted = holdings.like_counts, holdings.totals, holdings.counted
    if like is not None:
        counts = {
            "cells": format_number(like.cells),
            "small": format_number(like.small),
            "below": format_number(SMALL),
        }
        option = typed("--count", like.column)
        yield Sentence("policy.unsettled.counts", column=Data(like.column), option=option, **counts)
    elif holdings.may_lack_persons:
        yield Sentence("policy.unsettled.no_persons")
    if totals is not None:
        key = "several" if totals.rows > 1 else "line" if totals.is_line else "record"
        yield Sentence(
            f"policy.unsettled.totals_{key}",
            number=format_number(totals.first),
            rows=format_number(totals.rows),
        )
    if counted is not None and counted.hidden_cells:
        yield Sentence("policy.unsettled.hidden_counts", cells=format_number(counted.hidden_cells))
    if counted is not None and counted.total_rows:
        yield Sentence("policy.unsettled.total_rows", rows=format_number(counted.total_rows))


def typed_person(columns: tuple[str, ...]) -> Data:
    """Return the option that says that columns stand for the person, as a shell takes it."""
    return typed("--user", "+".join(columns))


def typed(flag: str, column: str) -> Data:
    """Return an option with a column's name as a shell takes it."""
    return Data(shlex.join(typed_option(flag, column)))


def few(people: int) -> list[Sentence]:
    """That these are too few people to hide among, if they are."""
    return [Sentence("policy.unsettled.few", people=format_number(people))] if people < FEW_PEOPLE else []


def ignored_columns(names: Iterable[str]) -> Iterable[Sentence]:
    """Yield that columns were left out of the check although the file holds them, if there are any."""
    if ignored := list(names):
        yield Sentence("policy.unsettled.ignored", names=names_of(ignored), count=format_number(len(ignored)))


def _unsettled(result: Assessment) -> Iterable[Sentence]:
    source = result.source
    columns = [(column.name, column.role, column.confidence) for column in source.columns]
    candidates, held = source.person_candidates, source.holdings
    yield from guesses(source.user, candidates, source.user_confidence, columns, source.users, held)
    yield from source.doubts
    yield from map(undated, source.undated or ())
    yield from open_codes(number_columns(result), result.verdict.policy)
    if _assesses_nothing(result):
        if result.was_asked("attribute_risk") or result.was_asked("uniqueness"):
            yield Sentence("policy.unsettled.nothing")
    elif left := left_out(result):
        values = {"names": names_of(left), "count": format_number(len(left))}
        yield Sentence("policy.unsettled.left_out", columns=format_number(len(assessable(result))), **values)
    yield from ignored_columns(column.name for column in source.columns if column.role == "ignored")
    for column in result.sensitive:
        if column.proposed and column.disclosed_people != 0:
            yield Sentence(
                "policy.unsettled.sensitive",
                column=Data(column.column),
                sensitive=typed("--sensitive", column.column),
                insensitive=typed("--insensitive", column.column),
                disclosed=format_number(column.disclosed_classes),
                classes=format_number(column.classes),
            )
    scan = result.direct_identifiers
    skipped = scan.not_examined if scan is not None else ()
    looked = [column.column for column in skipped if column.reason != "type"]
    if looked:
        yield Sentence(
            "policy.unsettled.not_scanned", names=names_of(looked), count=format_number(len(looked))
        )


def _knows_nothing(result: Assessment) -> bool:
    """Whether outsiders know no column, so that all people are one class."""
    found = result.uniqueness
    return found is not None and not found.attributes and found.together is not None


def _assesses_nothing(result: Assessment) -> bool:
    """Whether no attribute was assessed, and nobody declared that outsiders know none."""
    attributes = result.uniqueness is not None and result.uniqueness.attributes
    return not result.attribute_risk and not attributes and not _knows_nothing(result)


def _assumptions(result: Assessment) -> Iterable[Sentence]:
    """Yield the clauses under which kept limits are a pass: what no figure of this run can show."""
    source = result.source
    if source.holdings.no_persons:
        yield assume_no_persons(source.holdings.persons)
        return
    if source.counted is not None:
        yield Sentence("policy.assume.counts", column=Data(source.counted.column))
    others = [column for column in source.columns if column.declared in ("sensitive", "insensitive")]
    if others:
        yield assume_outsiders(quasi_identifiers(result))
    for column in others:
        if column.against is not None:
            yield Sentence(
                "policy.assume.against",
                column=join_texts([Sentence("roles.quoted", name=Data(column.name))]),
                role=Sentence(f"roles.declared.{column.declared}"),
                evidence=Sentence(f"policy.evidence.{column.against}"),
            )
    kinds = {column.name: column.kind for column in source.columns}
    if not source.people_known and source.counted is None:
        kind = kinds.get(source.user or "")
        yield from assumptions(source.user, kind, source.user_confidence, source.lost_user)
    for column in source.columns:
        if column.role == "user" and column.kind == NEW and column.against is not None:
            yield Sentence("policy.assume.named_identifier", column=Data(column.name))
        elif column.kind == ROW and column.role == "event_key" and not column.given:
            yield Sentence("policy.assume.row_number", column=Data(column.name))
    if source.records_without_user:
        yield Sentence("policy.assume.without_user", records=format_number(source.records_without_user))
    if source.records_of_token_users:
        yield Sentence("policy.assume.token_users", records=format_number(source.records_of_token_users))


def assume_no_persons(persons: Iterable[str]) -> Sentence:
    """Return the clause that a table holds no persons, against the columns that describe persons."""
    if described := list(persons):
        return Sentence("policy.assume.no_persons_but", names=names_of(described))
    return Sentence("policy.assume.no_persons")


def assume_outsiders(known: list[str]) -> Sentence:
    """Return the clause that outsiders know no more than these columns, or none."""
    return (
        Sentence("policy.assume.outsiders", names=names_of(known))
        if known
        else Sentence("policy.assume.no_outsiders")
    )


def assumptions(
    user: str | None, kind: str | None, confidence: Confidence, lost_user: str | None = None
) -> Iterable[Sentence]:
    """Yield what a pass assumes about people; ``kind`` says what the codes in their column are.

    ``lost_user`` is the user column of the original, where the table was made without it.
    """
    if user is None:
        if lost_user is not None:
            yield Sentence("policy.assume.unlinked")
        elif confidence != "guess":
            yield Sentence("policy.assume.no_user")
    elif kind in (NEW, ROW):
        yield Sentence(
            "policy.assume.pseudonym" if kind == NEW else "policy.assume.row_number", column=Data(user)
        )
    elif kind not in (PSEUDONYM, ORIGINAL):
        yield Sentence("policy.assume.user_code", user=Data(user))


def _is_declared(result: Assessment) -> bool:
    """Whether a person gave every column its role; constants need none, nor pseudonyms of a recipe."""
    return result.source.holdings.no_persons or all(
        column.given or column.role == "constant" or column.kind == PSEUDONYM
        for column in result.source.columns
    )


def quasi_identifiers(result: Assessment) -> list[str]:
    """The columns that outsiders may know of a person: attributes that nobody declared anything else."""
    known = ("attribute", "date_time")
    return [
        column.name
        for column in result.source.columns
        if column.role in known and column.declared in (None, "quasi_identifier")
    ]


def known_attributes(result: Assessment) -> list[str]:
    """The attributes of the quasi-identifiers that were measured, by their names."""
    if result.uniqueness is not None:
        return list(result.uniqueness.attributes)
    columns = result.source.columns
    unknown = {
        column.name
        for column in columns
        if column.role == "event_key" or column.declared in ("sensitive", "insensitive")
    }
    parts = {f"{name}.{part}" for name in unknown for part in ("date", "time")}
    return [risk.attribute for risk in result.attribute_risk if risk.attribute not in unknown | parts]


def assessable(result: Assessment) -> list[str]:
    """The columns that tell something of people: all but the user's and constants."""
    return [
        column.name for column in result.source.columns if column.role not in ("user", "constant", "count")
    ]


def left_out(result: Assessment) -> list[str]:
    """Those of them that nothing was measured of, and that nobody said to leave out; direct identifiers are
    judged by themselves."""
    if result.uniqueness is None:
        return []
    left = {skipped.column for skipped in result.uniqueness.not_assessed}
    roles = identifying_roles(result.verdict.policy)
    settled = {"user", "count", "constant", "ignored", "direct_identifier", *roles}
    return [
        column.name
        for column in result.source.columns
        if column.name in left
        and column.role not in settled
        and column.kind != ROW
        and column.declared in (None, "quasi_identifier")
    ]


def names_of(names: Iterable[str], most: int = _MOST_NAMES) -> Sentence | JoinedTexts:
    """Return at most ``most`` names of columns, in quotes, and how many more there are."""
    every = list(names)
    shown = join_texts(Sentence("roles.quoted", name=Data(name)) for name in every[:most])
    left = len(every) - most
    return Sentence("list", names=shown, more=format_number(left)) if left > 0 else shown
