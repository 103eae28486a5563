"""Advice for people: the way from a source as it is to what keeps a policy, line by line."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from duckrisk.base.numbers import format_number
from duckrisk.base.options.policy import LimitName
from duckrisk.base.sentences import Data, Sentence
from duckrisk.decision import policy
from duckrisk.decision.assessment import assess_for_policy
from duckrisk.decision.assessment.questions import (
    ask_about_codes,
    assume_outsiders,
    list_guesses,
    list_user_assumptions,
    quote_names,
    warn_of_ignored_columns,
)
from duckrisk.decision.assessment.verdict import (
    FACT_LIMITS,
    HISTORY_LIMITS,
    is_open_code,
    list_identifying_kinds,
    list_identifying_roles,
)
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Attribute as Cell
from duckrisk.measures import disclosure, identifiability
from duckrisk.measures.detail import Detail
from duckrisk.measures.disclosure import direct_identifiers
from duckrisk.measures.disclosure.choice import special_categories
from duckrisk.release.advice.reaching import PUBLISHED, Change, Figures, Reached, Way
from duckrisk.release.advice.records import Records
from duckrisk.release.advice.remaining import Remaining
from duckrisk.release.advice.results import Line, PeopleLine, Step, StopReason
from duckrisk.roles import KNOWN_ROLES, Roles, known_columns
from duckrisk.roles.model import ASSESSED_ROLES, PSEUDONYM, ROW, Decision
from duckrisk.source import Source
from duckrisk.source.hierarchies import Hierarchy
from duckrisk.source.readings import ask_century

#: Roles of columns that nobody is singled out by, as far as an assessment tells.
_NOT_ASSESSED = ("event_key", "free_text")


@dataclass(frozen=True)
class Told:
    """The lines, why they end, and how many changes were measured."""

    lines: list[Line]
    stop_reason: StopReason
    measured: int
    unfinished: bool


def lines(
    session: Session,
    source: Source,
    roles: Roles,
    hierarchies: Mapping[int, Hierarchy],
    levels: identifiability.Options,
    against: policy.Options,
    steps: int,
    until: float | None,
    without: Collection[str] = (),
    *,
    is_linked: bool = True,
) -> Told:
    """Find the way to the policy within a number of steps, without some columns; where records are
    not to be linked, the column of the user as well."""
    remaining = Remaining(session, roles, hierarchies, source.formats)
    asked = (levels.missing_tokens, against, until, without, is_linked)
    way = _way(session, source, roles, hierarchies, *asked)
    empty = not roles.is_nothing_known and all(map(way.records.is_key, range(len(way.records.columns))))
    goal = None if empty else way.reach()
    points = way.steps(goal, steps)
    described: list[Line] = []
    for count, point in enumerate(points, 1):
        described.append(_line(way, roles, point, points[:count], against, remaining))
        waiting = way.renamed and count > 1 and not any(_renames(reached) for reached in points[:count])
        waiting = waiting or _shows_links(way, points[:count]) is not way.is_linked
        if _passes(described[-1]) and not waiting:
            break  # what is coarser yet only loses
    open_columns = [d.column.name for d, _ in special_categories(source, roles) if d.declared is None]
    described = [_leave_open(line, open_columns) for line in described]
    people = described[-1].people
    assert people is not None
    unchanged = len(points) == 1 and not people.verdict.exceeded
    if unchanged and not empty:  # only an assessment may say that the table keeps the policy
        assessed = assess_for_policy(session, source, roles, levels, against)
        people = replace(people, verdict=assessed.verdict)
        described = [replace(described[0], people=people)]
    ended: StopReason = "steps"
    if empty:
        ended = "no_columns"
    elif not people.verdict.exceeded:
        ended = "policy"
    elif {finding.name for finding in people.verdict.exceeded} <= set(HISTORY_LIMITS):
        ended = "histories"
    elif goal is None or unchanged or way.stay:
        ended = "no_step"
    elif way.unfinished:
        ended = "time_limit"
    return Told(described, ended, way.measured, way.unfinished)


def _leave_open(line: Line, columns: Sequence[str]) -> Line:
    """Return a line that exceeds no limit as undecided where it holds columns that look sensitive.

    What groups of alike people share of them is measured of a release, not of each line.
    """
    assert line.people is not None
    dropped = {
        value for flag, value in zip(line.options[::2], line.options[1::2], strict=True) if flag == "--drop"
    }
    left, verdict = [name for name in columns if name not in dropped], line.people.verdict
    if not left or not verdict.is_kept:
        return line
    because = Sentence(
        "policy.unsettled.looks_sensitive", names=quote_names(left), count=format_number(len(left))
    )
    verdict = replace(
        verdict, outcome="undecided", accepted=False, assumptions=(), undecided_because=(because,)
    )
    return replace(line, people=replace(line.people, verdict=verdict))


def _way(
    session: Session,
    source: Source,
    roles: Roles,
    hierarchies: Mapping[int, Hierarchy],
    tokens: tuple[str, ...],
    against: policy.Options,
    until: float | None,
    without: Collection[str],
    is_linked: bool,
) -> Way:
    limits = {limit.name: limit.value for limit in policy.list_limits(against)}
    least = max(2, int(limits["smallest_class"]))
    scan, _ = direct_identifiers.measure(session, source, roles, disclosure.Options(missing_tokens=tokens))
    user = roles.user.name if roles.user is not None else None
    numbers = {d.column.name for d in roles.decisions if d.role != "user" and _is_open_code(roles, d)}
    identifying = {
        *(d.column.name for d in roles.decisions if d.role in list_identifying_roles(against.name)),
        *(name for name in scan.kinds() if _published(roles, name)),
        *(decision.column.name for decision in roles.decisions if _leads(decision, against)),
    } - numbers
    free = [decision.column.name for decision in roles.decisions if decision.role == "free_text"]
    names = [decision.column.name for decision in roles.decisions]
    kept = {decision.column.name for decision in roles.decisions if decision.keep} - {user}
    others = tuple(
        name for name in names if name in {*identifying, *numbers, *free, *without} - {user} - kept
    )
    if not is_linked and user is not None:
        others = tuple(name for name in names if name in {*others, user})
    records = Records(session, roles, hierarchies, tokens, least, others)
    # New names for people cost nothing, and nobody can tell that the old ones lead to none of them.
    codes = is_linked and any(d.role == "user" and d.kind != PSEUDONYM for d in roles.decisions)
    named = is_linked and user in identifying
    stay = len(identifying & kept)
    return Way(records, against, roles.users, others, codes, named, len(identifying), stay, until, is_linked)


def _leads(decision: Decision, against: policy.Options) -> bool:
    """Return whether the column of the person is a number that leads to somebody."""
    return decision.role == "user" and decision.kind in list_identifying_kinds(against.name)


def _is_open_code(roles: Roles, decision: Decision) -> bool:
    """Return whether it is open if the codes of a column lead back to people."""
    user = roles.user.name if roles.user is not None else None
    return is_open_code(decision.role, decision.kind, user, given=decision.given)


def _renames(reached: Reached) -> bool:
    return reached.change is not None and reached.change.renamed


def _shows_links(way: Way, points: Sequence[Reached]) -> bool:
    """Whether the last of these points still has the column that links the records of a person."""
    dropped = {reached.change.dropped for reached in points if reached.change is not None}
    return way.is_linked or way.others not in dropped


def _passes(line: Line) -> bool:
    return line.people is not None and line.people.verdict.is_kept


def _published(roles: Roles, name: str) -> bool:
    """Whether nobody said to ignore a column."""
    return any(decision.column.name == name and decision.role != "ignored" for decision in roles.decisions)


def _line(
    way: Way,
    roles: Roles,
    point: Reached,
    points: Sequence[Reached],
    against: policy.Options,
    remaining: Remaining,
) -> Line:
    records, changes = way.records, [reached.change for reached in points if reached.change is not None]
    dropped = {name for change in changes for name in change.dropped}
    kept = {decision.column.name for decision in roles.decisions if decision.keep}
    published = {*_kept(records, point.forms), *way.others, *kept} - dropped
    renamed = any(change.renamed for change in changes)
    people = _people(point.figures, roles, published, renamed, against, _shows_links(way, points))
    return Line(
        step=_step(records, roles, point) if point.change is not None else Step(),
        options=tuple(_options(records, roles, point, changes, records.least)),
        records=point.records,
        people=people,
        detail=_measure_detail(way, point, changes, remaining),
        information=point.information,
    )


def _measure_detail(way: Way, point: Reached, changes: Sequence[Change], remaining: Remaining) -> Detail:
    """Measure the detail that a point leaves; the records of the last one are those that stand."""
    records = way.records
    forms: dict[str, Cell | None] = {name: None for change in changes for name in change.dropped}
    for index, form in enumerate(point.forms):
        generalization = records.columns[index].generalizations[form]
        if form:
            forms[records.columns[index].name] = generalization.cell
    if not any(change.delete for change in changes):
        return remaining.measure(forms)
    places = {column.name: index for index, column in enumerate(records.columns)}

    def keep(name: str, table: str) -> None:
        records.keep_values(places[name], PUBLISHED, table)

    return remaining.measure(forms, point.records, keep)


def _people(
    figures: Figures,
    roles: Roles,
    published: set[str],
    renamed: bool,
    against: policy.Options,
    is_linked: bool,
) -> PeopleLine:
    """Judge the table with these columns published, as an assessment of it would.

    ``renamed`` says that the people have new pseudonyms in it, ``is_linked`` that it has their column.
    """
    alone = figures.classes.alone
    columns = [(decided.column.name, decided.role, decided.confidence) for decided in roles.decisions]
    user = roles.user.name if roles.user is not None else None
    released = [column for column in columns if column[0] in published]
    counted = list_identifying_roles(against.name)
    left = [name for name, role, _ in released if role in _NOT_ASSESSED and role not in counted]
    left += _narrowed_away(roles)
    candidates, held = roles.person_candidates, roles.holdings
    unsettled = [*list_guesses(user, candidates, roles.user_confidence, released, figures.people, held)]
    shows_user = is_linked and not renamed
    unsettled += ask_about_codes(_open_codes(roles, published, shows_user=shows_user), against.name)
    assessed = any(role in ASSESSED_ROLES and role not in _NOT_ASSESSED for _, role, _ in released)
    unsettled += roles.doubts
    if not assessed and not roles.is_nothing_known:
        unsettled.append(Sentence("policy.unsettled.nothing"))
    elif left:
        counts = {"count": format_number(len(left)), "columns": format_number(len(released))}
        unsettled.append(Sentence("policy.unsettled.left_out", names=quote_names(left), **counts))
    unsettled += map(ask_century, (name for name in roles.undated if name in published))
    unsettled += warn_of_ignored_columns(name for name, role, _ in columns if role == "ignored")
    person = next((decided for decided in roles.decisions if decided.role == "user"), None)
    kind = PSEUDONYM if renamed else person.kind if person is not None else None
    known = [d.column.name for d in roles.decisions if d.role in KNOWN_ROLES and d.is_known]
    # Without their column this table still says whose each record is.
    assumed = [*list_user_assumptions(user, kind, roles.user_confidence)] if is_linked else []
    assumed += [
        Sentence("policy.assume.row_number", column=Data(decided.column.name))
        for decided in roles.decisions
        if decided.kind == ROW and decided.role == "event_key" and decided.column.name in published
    ]
    if not all(decided.is_known for decided in roles.decisions):
        assumed.insert(0, assume_outsiders([name for name in known if name in published]))
    measured = dict(figures.measured)
    if roles.is_nothing_known:  # one class of all people discloses nothing of one of them
        measured["sensitive_disclosed"] = policy.Figure(0.0)
    declared = all(
        decided.given or (kind == PSEUDONYM and decided.role == "user")
        for decided in roles.decisions
        if decided.role == "ignored"
        or (decided.role == "user" and is_linked)
        or decided.column.name in published
    )
    return PeopleLine(
        people=figures.people,
        singled_out=alone,
        singled_out_share=alone / figures.people if figures.people else 0.0,
        smallest_class=figures.classes.smallest,
        one_fact=min(1.0, figures.one_fact),
        verdict=policy.judge(
            against,
            policy.Evidence(measured, unsettled, assumed, declared, _inapplicable(roles, figures, is_linked)),
        ),
    )


def _open_codes(roles: Roles, published: set[str], *, shows_user: bool) -> list[str]:
    """Return the columns with codes of people of which nobody said whose they are."""
    return [
        decided.column.name
        for decided in roles.decisions
        if _is_open_code(roles, decided)
        and (shows_user if decided.role == "user" else decided.column.name in published)
    ]


def _narrowed_away(roles: Roles) -> list[str]:
    """The columns that the file holds and that a choice of attributes leaves out of the check."""
    known = {decision.column.name for decision in known_columns(roles)}
    return [
        decision.column.name
        for decision in roles.decisions
        if decision.role in KNOWN_ROLES and decision.is_known and decision.column.name not in known
    ]


def _inapplicable(roles: Roles, figures: Figures, is_linked: bool) -> frozenset[LimitName]:
    """The limits that say nothing of this table."""
    away: list[LimitName] = []
    by_record = roles.user is None or roles.users == roles.records
    if by_record or (not is_linked and HISTORY_LIMITS[0] not in figures.measured):
        away += HISTORY_LIMITS
    if not any(decision.declared == "sensitive" for decision in roles.decisions):
        away.append("sensitive_disclosed")
    if roles.is_nothing_known:
        away += FACT_LIMITS
    return frozenset(away)


def _kept(records: Records, forms: Sequence[int]) -> tuple[str, ...]:
    """The columns that are published, in whatever form."""
    return tuple(
        records.columns[index].name for index, form in enumerate(forms) if form != records.last(index)
    )


def _step(records: Records, roles: Roles, point: Reached) -> Step:
    change = point.change
    assert change is not None
    if change.renamed:
        return Step("pseudonymize", roles.user.name if roles.user is not None else None)
    if change.delete:
        among = _kept(records, point.forms)
        return Step("delete-classes", among=among, together=len(among), below=records.least)
    if change.index is not None:
        column = records.columns[change.index]
        return Step("generalize", column.name, column.generalizations[point.forms[change.index]].written)
    if len(change.dropped) == 1:
        return Step("drop", change.dropped[0])
    return Step("drop", among=change.dropped)


def _options(
    records: Records, roles: Roles, point: Reached, changes: Sequence[Change], least: int
) -> list[str]:
    """The options of ``duckrisk anonymize`` that make a point."""
    options: list[str] = []
    user = roles.user.name if roles.user is not None else ""
    if any(change.renamed for change in changes):
        options += ["--pseudonymize", user]
    for index, form in enumerate(point.forms):
        column = records.columns[index]
        if form != records.last(index) and (written := column.generalizations[form].written) is not None:
            options += ["--generalize", f"{column.name}={written}"]
    if any(change.delete for change in changes):
        options += ["--delete-classes-below", f"{least}"]
        for name in _kept(records, point.forms):
            options += ["--quasi-identifier", name]
        options += ["--user", user] if records.several else []
    dropped = [name for change in changes for name in change.dropped]
    return [*options, *(word for name in dropped for word in ("--drop", name))]
