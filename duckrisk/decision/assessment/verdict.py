"""Judge an assessment: collect its figures as evidence, and apply a policy.

What was not measured can only make a table look safer than it is. So an exceeded limit stays exceeded, and no
limit counts as kept while something that matters was guessed or not examined.
"""

from __future__ import annotations

from collections.abc import Iterable

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.options.policy import LimitName
from duckrisk.base.sentences import Data, Sentence, join_texts, list_names
from duckrisk.decision import policy
from duckrisk.decision.assessment.questions import (
    ask_about_codes,
    assume_no_persons,
    assume_outsiders,
    format_option,
    list_guesses,
    list_user_assumptions,
    quote_names,
    warn_of_ignored_columns,
)
from duckrisk.decision.assessment.results import AssessedSource, Assessment
from duckrisk.decision.policy.results import Verdict
from duckrisk.measures.sequence.results import ReleasesTogether
from duckrisk.measures.uniqueness.results import KnownFacts
from duckrisk.roles import Role
from duckrisk.roles.model import ASSESSED_ROLES, CODE, NEW, ORIGINAL, PSEUDONYM, ROW
from duckrisk.roles.word_lists import LEADING
from duckrisk.source.readings import ask_century

#: The limits on people with several records.
HISTORY_LIMITS: tuple[LimitName, ...] = ("unique_histories", "smallest_history", "three_records")
#: The limits on attackers who know a few facts.
FACT_LIMITS: tuple[LimitName, ...] = ("one_fact", "three_facts")
#: Facts that an attacker knows (derived: the limit `three_facts`).
KNOWN_FACTS = 3


def judge_assessment(result: Assessment, options: policy.Options) -> Verdict:
    """Judge a finished assessment by a policy.

    Args:
        result: The assessment.
        options: The policy.
    """
    return policy.judge(options, collect_evidence(result, options))


def collect_evidence(result: Assessment, options: policy.Options) -> policy.Evidence:
    """Collect what the verdict on an assessment is based on.

    Args:
        result: The assessment; its verdict names the policy.
        options: The policy with its limits.
    """
    figures: dict[LimitName, policy.Figure | None] = {
        "identifying_columns": _count_identifying_columns(result),
        "unique_people": _read_unique_people(result),
        "smallest_class": _read_smallest_class(result),
        "unique_histories": _read_unique_histories(result),
        "smallest_history": _read_smallest_history(result),
        "three_records": _read_three_records(result),
        "sensitive_disclosed": _read_sensitive_disclosed(result),
        "one_fact": _read_one_fact(result),
        "three_facts": _read_three_facts(result),
    }
    return policy.Evidence(
        {name: figure for name, figure in figures.items() if figure is not None},
        unsettled=(*_list_unsettled(result), *_list_exposed(result, options)),
        assumptions=tuple(_list_assumptions(result)),
        declared=_is_declared(result),
        inapplicable=frozenset(_list_inapplicable_limits(result)),
        reservations=tuple(_list_reservations(result)),
    )


# --- figures ---------------------------------------------------------------------------------------


def list_identifying_roles(policy_name: str) -> set[str]:
    """Return the roles that count as direct identifiers under a policy.

    Free text counts if people outside get the table (HIPAA, 45 CFR 164.514(b)).

    Args:
        policy_name: Name of the policy.
    """
    return {"direct_identifier"} if policy_name == "internal" else {"direct_identifier", "free_text"}


def find_identifying_columns(result: Assessment) -> dict[str, bool]:
    """Find the columns that identify directly, by role or content.

    Free text counts where people outside get the table (HIPAA, 45 CFR 164.514(b)). The user column counts
    where it is a number such as a patient's. Ignored columns do not count: they leave the verdict undecided.

    Args:
        result: The assessment.

    Returns:
        The names of the columns, and whether each is more than a guess.
    """
    direct = set() if result.source.holdings.no_persons else list_identifying_roles(result.verdict.policy)
    ignored = {column.name for column in result.source.columns if column.role == "ignored"}
    leading = list_identifying_kinds(result.verdict.policy)
    by_role = {
        column.name: column.confidence != "guess"
        for column in result.source.columns
        if (
            column.role in direct or (column.role in ("user", "direct_identifier") and column.kind in leading)
        )
        and column.name not in (list_open_code_columns(result) if column.role == "direct_identifier" else ())
    }
    scan = result.direct_identifiers
    by_content = scan.kinds() if scan is not None else {}
    return {**by_role, **{name: True for name in by_content if name not in ignored}}


def list_identifying_kinds(policy_name: str) -> frozenset[str]:
    """Return the kinds of a user column that identify directly.

    Numbers of an organisation identify people outside of it.

    Args:
        policy_name: Name of the policy.
    """
    return LEADING if policy_name == "internal" else LEADING | {ORIGINAL}


def is_open_code(role: Role, kind: str | None, user: str | None, *, given: bool) -> bool:
    """Return whether a column numbers people with codes of unknown origin.

    Nobody said whether such codes lead back to people. Codes that all differ number people where no other
    column does.

    Args:
        role: Role of the column.
        kind: Kind of identifier that its name or its values suggest; None for none.
        user: Name of the user column; None without one.
        given: Whether a person gave the role.
    """
    if role == "user":
        return kind not in (PSEUDONYM, NEW, ORIGINAL, ROW, *LEADING)
    return role == "direct_identifier" and kind == CODE and user is None and not given


def list_open_code_columns(result: Assessment) -> list[str]:
    """List the columns that number people with codes of unknown origin.

    Args:
        result: The assessment.
    """
    if not result.source.people_known and result.source.lost_user is not None:
        return []
    return [
        column.name
        for column in result.source.columns
        if is_open_code(column.role, column.kind, result.source.user, given=column.given)
    ]


def list_open_columns(result: Assessment) -> dict[str, list[str]]:
    """List the columns that may identify people directly, by what is open.

    Args:
        result: The assessment.

    Returns:
        Columns whose ``codes`` may lead back, whose roles are ``guesses``, and what is ``unread`` of them.
    """
    # Under `internal` nothing is asked of codes: colleagues may have those of their organisation.
    codes = list_open_code_columns(result) if result.verdict.policy != "internal" else []
    return {"codes": codes, "guesses": _list_guessed_columns(result), "unread": _list_unread_columns(result)}


def _list_guessed_columns(result: Assessment) -> list[str]:
    if result.source.holdings.no_persons:
        return []
    return [
        column.name
        for column in result.source.columns
        if column.confidence == "guess" and column.role in ASSESSED_ROLES
    ]


def _list_unread_columns(result: Assessment) -> list[str]:
    # What can hold anything (reason "type") has a guessed role, or a given one.
    scan = result.direct_identifiers
    return [entry.column for entry in scan.not_examined if entry.reason != "type"] if scan is not None else []


def _count_identifying_columns(result: Assessment) -> policy.Figure | None:
    columns = find_identifying_columns(result)
    if not columns and result.direct_identifiers is None:
        return None
    certain = 0 if result.source.holdings.is_doubtful else sum(columns.values())
    upper = len(columns.keys() | set().union(*list_open_columns(result).values()))
    return policy.Figure(len(columns), upper=upper, certain=certain > 0 or not columns)


def is_certain(source: AssessedSource) -> bool:
    """Return whether it is more than a guess who is behind each record.

    Args:
        source: The source, with the roles of its columns.
    """
    hidden = source.counted is not None and source.counted.hidden_cells > 0
    # Hidden counts may add people to a class, and a row of totals is no person.
    return source.user_confidence != "guess" and not hidden and source.holdings.totals is None


def _read_unique_people(result: Assessment) -> policy.Figure | None:
    together = result.uniqueness.all_attributes if result.uniqueness is not None else None
    return policy.Figure(together.share, certain=is_certain(result.source)) if together is not None else None


def _read_smallest_class(result: Assessment) -> policy.Figure | None:
    together = result.uniqueness.all_attributes if result.uniqueness is not None else None
    return (
        policy.Figure(together.smallest_class, certain=is_certain(result.source))
        if together is not None
        else None
    )


def _read_unique_histories(result: Assessment) -> policy.Figure | None:
    whole = result.uniqueness.histories if result.uniqueness is not None else None
    return policy.Figure(whole.share, certain=is_certain(result.source)) if whole is not None else None


def _read_smallest_history(result: Assessment) -> policy.Figure | None:
    whole = result.uniqueness.histories if result.uniqueness is not None else None
    if whole is None:
        return None
    return policy.Figure(whole.smallest_class, certain=is_certain(result.source))


def _read_three_records(result: Assessment) -> policy.Figure | None:
    known = result.uniqueness.whole_records if result.uniqueness is not None else None
    if known is None:
        return None
    return policy.Figure(known.share, known.share_lower, known.share_upper, certain=is_certain(result.source))


def _read_sensitive_disclosed(result: Assessment) -> policy.Figure | None:
    """Return the largest share of people whose sensitive value is disclosed."""
    shares = [column.share for column in result.sensitive if not column.proposed]
    known = [share for share in shares if share is not None]
    if not known:
        return None
    return policy.Figure(
        max(known), upper=1.0 if len(known) < len(shares) else None, certain=is_certain(result.source)
    )


def _list_inapplicable_limits(result: Assessment) -> Iterable[LimitName]:
    """Yield the limits that do not apply to this table."""
    source, uniqueness = result.source, result.uniqueness
    if source.holdings.no_persons:
        yield from (name for name in policy.LIMITS if name != "identifying_columns")
        return
    relinked = uniqueness.relinked if uniqueness is not None else None
    is_linked = source.user is not None or (relinked is not None and relinked.people > 0)
    if not is_linked or source.most_records_of_a_user <= 1:
        yield from HISTORY_LIMITS
    if not any(column.declared == "sensitive" for column in result.source.columns):
        yield "sensitive_disclosed"
    if _is_nothing_known(result):
        yield from FACT_LIMITS


def _list_reservations(result: Assessment) -> Iterable[Sentence]:
    """Yield people found by other means than the limits measure, and false cells."""
    if result.earlier is not None:
        yield describe_together(result.earlier)
    relinked = result.uniqueness.relinked if result.uniqueness is not None else None
    if relinked is not None and relinked.people:
        yield Sentence(
            "policy.relinked",
            people=format_number(relinked.people),
            all=format_number(result.source.users),
            names=quote_names(relinked.columns),
        )
    sizes = result.class_sizes
    found = sizes.population_uniqueness if sizes is not None else None
    if found is not None and found.kappa is not None and not result.source.holdings.no_persons:
        yield Sentence(
            "policy.kappa" if found.kappa_lower is None else "policy.kappa_between",
            share=format_share(found.kappa),
            people=format_number(int(found.people or 0)),
            lower=format_share(found.kappa_lower),
            upper=format_share(found.kappa_upper),
        )
    if result.source.exchanged and not result.source.holdings.no_persons:
        yield Sentence("policy.exchanged", names=quote_names(result.source.exchanged))


def describe_together(together: ReleasesTogether) -> Sentence:
    """Say how many hidden people are alone in all releases together.

    Args:
        together: The people in all releases.
    """
    names = list_names(together.names)
    if not together.people:
        return Sentence("policy.earlier.nobody", names=names)
    return Sentence(
        "policy.earlier.keyed" if together.keyed else "policy.earlier",
        names=names,
        alone=format_number(together.alone),
        hidden=format_number(together.hidden),
        share=format_share(together.share),
    )


def _list_exposed(result: Assessment, options: policy.Options) -> Iterable[Sentence]:
    """Yield that earlier releases single out more people than the policy allows."""
    together, limit = result.earlier, options.limit_of("unique_people")
    share = together.exposed_share if together is not None else None
    if together is None or limit is None or share is None or share <= limit:
        return
    yield Sentence(
        "policy.unsettled.earlier",
        names=list_names(together.names),
        people=format_number(together.exposed),
        all=format_number(together.last_people),
        share=format_share(share),
        limit=policy.format_limit("unique_people", limit),
    )


def _read_one_fact(result: Assessment) -> policy.Figure | None:
    """Return the highest mean risk of an attribute that an attacker plausibly knows."""
    names = set(list_known_attributes(result))
    known = [risk for risk in result.attribute_risk if risk.attribute in names and risk.risk is not None]
    if not known:
        return None
    values = [risk.risk or 0.0 for risk in known]
    sampled = [risk.sampled for risk in known if risk.mean_risk is None and risk.sampled is not None]
    if not sampled:
        return policy.Figure(max(values), certain=is_certain(result.source))
    lower = [1.0 if estimate.lower is None else estimate.lower for estimate in sampled]
    upper = [0.0 if estimate.upper is None else estimate.upper for estimate in sampled]
    return policy.Figure(max(values), max(lower), max(upper), certain=is_certain(result.source))


def select_strongest_facts(result: Assessment) -> KnownFacts | None:
    """Select the number of known facts, at most three, that singles out most people.

    A missing value reveals nothing, so few people may have three facts. Whoever knows three facts also knows
    any two of them.

    Args:
        result: The assessment.

    Returns:
        The risk with the largest typical share; None if uniqueness was not measured.
    """
    uniqueness = result.uniqueness
    sets = (
        [known for known in uniqueness.facts if known.facts <= KNOWN_FACTS] if uniqueness is not None else []
    )
    return max(sets, key=lambda known: (known.typical, known.facts), default=None)


def get_share_by_three_records(result: Assessment) -> float:
    """Return the typical share of people singled out by a value of each of 3 records.

    Args:
        result: The assessment.

    Returns:
        A share from 0 to 1; 0 if it was not measured.
    """
    records = result.uniqueness.known_records if result.uniqueness is not None else ()
    return max((known.typical or 0.0 for known in records if known.records == KNOWN_FACTS), default=0.0)


def _read_three_facts(result: Assessment) -> policy.Figure | None:
    """Return the share singled out by three facts of one record or of three records.

    The larger of both shares counts. Tables with fewer attributes count all of them.
    """
    uniqueness, most = result.uniqueness, select_strongest_facts(result)
    if uniqueness is None or most is None:
        return None
    by_records = get_share_by_three_records(result)
    value, least, upper = (
        max(end, by_records) for end in (most.typical, most.typical_lower, most.typical_upper)
    )
    return policy.Figure(value, least, upper, certain=is_certain(result.source))


# --- what is open ----------------------------------------------------------------------------------


def _list_unsettled(result: Assessment) -> Iterable[Sentence]:
    source = result.source
    columns = [(column.name, column.role, column.confidence) for column in source.columns]
    candidates, held = source.person_candidates, source.holdings
    yield from list_guesses(source.user, candidates, source.user_confidence, columns, source.users, held)
    yield from source.doubts
    yield from map(ask_century, source.undated or ())
    yield from ask_about_codes(list_open_code_columns(result), result.verdict.policy)
    if _is_nothing_assessed(result):
        if result.has_part("attribute_risk") or result.has_part("uniqueness"):
            yield Sentence("policy.unsettled.nothing")
    elif left := list_unmeasured_columns(result):
        values = {"names": quote_names(left), "count": format_number(len(left))}
        yield Sentence(
            "policy.unsettled.left_out", columns=format_number(len(list_assessable_columns(result))), **values
        )
    yield from warn_of_ignored_columns(column.name for column in source.columns if column.role == "ignored")
    for column in result.sensitive:
        if column.proposed and column.disclosed_people != 0:
            yield Sentence(
                "policy.unsettled.sensitive",
                column=Data(column.column),
                sensitive=format_option("--sensitive", column.column),
                insensitive=format_option("--insensitive", column.column),
                disclosed=format_number(column.disclosed_classes),
                classes=format_number(column.classes),
            )
    if unread := _list_unread_columns(result):
        yield Sentence(
            "policy.unsettled.not_scanned", names=quote_names(unread), count=format_number(len(unread))
        )


def _is_nothing_known(result: Assessment) -> bool:
    """Return whether outsiders know no column, so that all people are one class."""
    found = result.uniqueness
    return found is not None and not found.attributes and found.all_attributes is not None


def _is_nothing_assessed(result: Assessment) -> bool:
    """Return whether no attribute was assessed although outsiders may know some."""
    attributes = result.uniqueness is not None and result.uniqueness.attributes
    return not result.attribute_risk and not attributes and not _is_nothing_known(result)


def _list_assumptions(result: Assessment) -> Iterable[Sentence]:
    """Yield the clauses of a `pass_if`: what no figure of this run can show."""
    source = result.source
    if source.holdings.no_persons:
        yield assume_no_persons(source.holdings.persons)
        return
    if source.counted is not None:
        yield Sentence("policy.assume.counts", column=Data(source.counted.column))
    others = [column for column in source.columns if column.declared in ("sensitive", "insensitive")]
    if others:
        yield assume_outsiders(list_quasi_identifiers(result))
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
        yield from list_user_assumptions(source.user, kind, source.user_confidence, source.lost_user)
    for column in source.columns:
        if column.role == "user" and column.kind == NEW and column.against is not None:
            yield Sentence("policy.assume.named_identifier", column=Data(column.name))
        elif column.kind == ROW and column.role == "event_key" and not column.given:
            yield Sentence("policy.assume.row_number", column=Data(column.name))
    if source.records_without_user:
        yield Sentence("policy.assume.without_user", records=format_number(source.records_without_user))
    if source.records_of_token_users:
        yield Sentence("policy.assume.token_users", records=format_number(source.records_of_token_users))


def _is_declared(result: Assessment) -> bool:
    """Return whether a person gave every column its role.

    Constants need none, nor do pseudonyms that a recipe made.
    """
    return result.source.holdings.no_persons or all(
        column.given or column.role == "constant" or column.kind == PSEUDONYM
        for column in result.source.columns
    )


def list_quasi_identifiers(result: Assessment) -> list[str]:
    """List the columns that outsiders may know of a person.

    Args:
        result: The assessment.

    Returns:
        Names of the attributes that are declared quasi-identifiers, or nothing else.
    """
    known = ("attribute", "date_time")
    return [
        column.name
        for column in result.source.columns
        if column.role in known and column.declared in (None, "quasi_identifier")
    ]


def list_known_attributes(result: Assessment) -> list[str]:
    """List the measured attributes of the quasi-identifiers.

    Args:
        result: The assessment.

    Returns:
        Names of attributes, such as `age` or `visit.date`.
    """
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


def list_assessable_columns(result: Assessment) -> list[str]:
    """List the columns that describe people: all but user, count and constants.

    Args:
        result: The assessment.
    """
    return [
        column.name for column in result.source.columns if column.role not in ("user", "constant", "count")
    ]


def list_unmeasured_columns(result: Assessment) -> list[str]:
    """List the assessable columns that were not measured for no stated reason.

    Columns that a person ignored and direct identifiers, which are judged by themselves, are not among them.

    Args:
        result: The assessment.
    """
    if result.uniqueness is None:
        return []
    left = {skipped.column for skipped in result.uniqueness.not_assessed}
    roles = list_identifying_roles(result.verdict.policy)
    settled = {"user", "count", "constant", "ignored", "direct_identifier", *roles}
    return [
        column.name
        for column in result.source.columns
        if column.name in left
        and column.role not in settled
        and column.kind != ROW
        and column.declared in (None, "quasi_identifier")
    ]
