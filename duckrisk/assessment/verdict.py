"""The verdict on an assessment: what it measured as evidence, and what a policy says to it.

Whatever was left out can only make a table look safer than it is. So a limit that is exceeded stays exceeded,
and nothing is called kept while something that counts was guessed or not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from duckrisk import policy
from duckrisk.assessment.results import Assessment
from duckrisk.numbers import number
from duckrisk.policy.results import LimitName, Verdict
from duckrisk.roles import Confidence, Role
from duckrisk.roles.model import PSEUDONYM
from duckrisk.roles.words import LEADING
from duckrisk.sentences import Data, Joined, Sentence, joined, say
from duckrisk.uniqueness.results import KnownFacts

#: Of fewer people nothing can be said of a group.
FEW_PEOPLE = 20
#: Facts that the limit on singling out is about.
FACTS = 3
#: So many names are listed.
_MOST_NAMES = 3


def verdict(result: Assessment, options: policy.Options) -> Verdict:
    """What the policy says to a finished assessment."""
    found = policy.judge(options, evidence(result))
    if found.outcome == "pass" and (codes := _codes(result)):
        return replace(found, reservations=(*codes, *found.reservations))
    return found


def evidence(result: Assessment) -> policy.Evidence:
    """What was measured, what has to be settled, and what else a verdict hangs on."""
    figures: dict[LimitName, policy.Measured | None] = {
        "identifying_columns": _identifying(result),
        "unique_people": _unique(result),
        "smallest_class": _smallest(result),
        "one_fact": _one_fact(result),
        "three_facts": _three_facts(result),
    }
    return policy.Evidence(
        {name: figure for name, figure in figures.items() if figure is not None},
        tuple(_unsettled(result)),
        tuple(_reservations(result)),
    )


# --- figures ---------------------------------------------------------------------------------------


def identifying(result: Assessment) -> dict[str, bool]:
    """The columns that identify directly, by name or content, and whether that is more than a guess; not
    those that a person said to leave out. That of the person does where it is, say, a patient's number."""
    ignored = {column.name for column in result.source.columns if column.role == "ignored"}
    by_role = {
        column.name: column.confidence != "guess"
        for column in result.source.columns
        if column.role == "direct_identifier" or (column.role == "user" and column.kind in LEADING)
    }
    scan = result.direct_identifiers
    by_content = scan.kinds() if scan is not None else {}
    return {**by_role, **{name: True for name in by_content if name not in ignored}}


def _identifying(result: Assessment) -> policy.Measured | None:
    columns = identifying(result)
    if not columns and result.direct_identifiers is None:
        return None
    certain = sum(columns.values())
    return policy.Measured(len(columns), certain=certain > 0 or not columns)


def _sure(result: Assessment) -> bool:
    """Whether it is more than a guess whose a record is."""
    return result.source.user_confidence != "guess"


def _unique(result: Assessment) -> policy.Measured | None:
    together = result.uniqueness.together if result.uniqueness is not None else None
    return policy.Measured(together.share, certain=_sure(result)) if together is not None else None


def _smallest(result: Assessment) -> policy.Measured | None:
    together = result.uniqueness.together if result.uniqueness is not None else None
    return policy.Measured(together.smallest_class, certain=_sure(result)) if together is not None else None


def _one_fact(result: Assessment) -> policy.Measured | None:
    """The highest mean risk of an attribute that an attacker plausibly knows."""
    keys = {column.name for column in result.source.columns if column.role == "event_key"}
    known = [risk for risk in result.attribute_risk if risk.attribute not in keys and risk.risk is not None]
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


def _three_facts(result: Assessment) -> policy.Measured | None:
    """Who is singled out by three attributes of one record or, if that is more, by three records of a
    history; by all there are where there are fewer."""
    uniqueness, most = result.uniqueness, telling(result)
    if uniqueness is None or most is None:
        return None
    history = [known.typical or 0.0 for known in uniqueness.known_records if known.records == FACTS]
    by_records = max(history, default=0.0)
    value, least, upper = (
        max(end, by_records) for end in (most.typical, most.typical_lower, most.typical_upper)
    )
    return policy.Measured(value, least, upper, certain=_sure(result))


# --- what is open ----------------------------------------------------------------------------------


def guesses(
    user: str | None, confidence: Confidence, columns: Iterable[tuple[str, Role, Confidence]], people: int
) -> Iterable[Sentence]:
    """What a verdict cannot be sure of, whatever was measured: whose a record is, the roles of columns, and
    of how few people it speaks."""
    if confidence == "guess":
        yield say(f"policy.unsettled.{'user' if user is not None else 'no_user'}", user=Data(user or ""))
    settled = ("user", "constant", "ignored")
    guessed = [name for name, role, sure in columns if sure == "guess" and role not in settled]
    if guessed:
        yield say("policy.unsettled.roles", names=names_of(guessed), count=number(len(guessed)))
    yield from few(people)


def few(people: int) -> list[Sentence]:
    """That these are too few people to hide among, if they are."""
    return [say("policy.unsettled.few", people=number(people))] if people < FEW_PEOPLE else []


def _unsettled(result: Assessment) -> Iterable[Sentence]:
    source = result.source
    columns = [(column.name, column.role, column.confidence) for column in source.columns]
    yield from guesses(source.user, source.user_confidence, columns, source.users)
    if not result.attribute_risk and (result.uniqueness is None or not result.uniqueness.attributes):
        if result.was_asked("attribute_risk") or result.was_asked("uniqueness"):
            yield say("policy.unsettled.nothing")
    elif left := left_out(result):
        values = {"names": names_of(left), "count": number(len(left))}
        yield say("policy.unsettled.left_out", columns=number(len(assessable(result))), **values)
    scan = result.direct_identifiers
    skipped = scan.not_examined if scan is not None else ()
    looked = [column.column for column in skipped if column.reason != "type"]
    if looked:
        yield say("policy.unsettled.not_scanned", names=names_of(looked), count=number(len(looked)))


def _reservations(result: Assessment) -> Iterable[Sentence]:
    source = result.source
    if source.user is None and source.user_confidence != "guess":
        yield say("policy.if.declined" if result.settings.user == "" else "policy.if.no_user")
    if ignored := [column.name for column in source.columns if column.role == "ignored"]:
        yield say("policy.if.ignored", names=names_of(ignored), count=number(len(ignored)))
    if source.records_without_user:
        yield say("policy.if.without_user", records=number(source.records_without_user))
    if source.records_of_token_users:
        yield say("policy.if.of_token_users", records=number(source.records_of_token_users))


def _codes(result: Assessment) -> list[Sentence]:
    """That nothing shows whether the numbers of people lead back to them, where they are no pseudonyms of
    a recipe."""
    user = result.source.user
    kinds = {column.name: column.kind for column in result.source.columns}
    if user is None or kinds[user] == PSEUDONYM:
        return []
    return [say("policy.if.user_code", user=Data(user))]


def assessable(result: Assessment) -> list[str]:
    """The columns that tell something of people: all but the user's and constants."""
    return [column.name for column in result.source.columns if column.role not in ("user", "constant")]


def left_out(result: Assessment) -> list[str]:
    """Those of them that nothing was measured of, and that nobody said to leave out; direct identifiers are
    judged by themselves."""
    if result.uniqueness is None:
        return []
    left = {skipped.column for skipped in result.uniqueness.not_assessed}
    settled = ("user", "constant", "ignored", "direct_identifier")
    columns = result.source.columns
    return [column.name for column in columns if column.name in left and column.role not in settled]


def names_of(names: Iterable[str]) -> Sentence | Joined:
    """Some names of columns, in quotes."""
    every = list(names)
    shown = joined(say("roles.quoted", name=Data(name)) for name in every[:_MOST_NAMES])
    left = len(every) - _MOST_NAMES
    return say("list", names=shown, more=number(left)) if left > 0 else shown
