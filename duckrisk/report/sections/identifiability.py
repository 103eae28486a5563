"""What is told of those who can be singled out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from duckrisk.base.numbers import (
    format_change,
    format_currency,
    format_ease,
    format_money,
    format_number,
    format_share,
)
from duckrisk.base.sentences import Amount, Data, JoinedTexts, Sentence, Text, list_names
from duckrisk.measures.identifiability.levels import type_name
from duckrisk.measures.identifiability.results import (
    Identifiability,
    NotExamined,
    Scenario,
    UsersSection,
)
from duckrisk.report.blocks import (
    Block,
    Column,
    Detail,
    Heading,
    Items,
    Listing,
    Paragraph,
    column,
    numbers,
    paragraphs,
)
from duckrisk.report.knowledge import knowledge, publication
from duckrisk.report.sections.identifiability_figures import NAMED, eases, parts, sets

_E = TypeVar("_E")
_MOST_UNLEVELLED = 5
#: Sentences on scenarios, the names of what is learnt in each, and records of which the same is said.
_MOST_SCENARIOS = 6
_MOST_LEARNT = 6
_MOST_ALIKE = 5


def headline(result: Identifiability) -> Sentence:
    """How many can be singled out and what a leak would cost, in one sentence."""
    if result.unknown:
        key = "open"
    elif result.singled_out == 0:
        key = "nobody"
    else:
        key = "every" if result.singled_out == result.records else "some"
    people = _say(
        key,
        singled_out=format_number(result.singled_out),
        records=format_number(result.records),
        share=format_share(result.singled_out_share),
    )
    form = "damages.exact" if key == "nobody" else "damages"
    sentence = Sentence("two", first=people, second=_damages(result, result, form, short=True))
    return _say("of_part", told=sentence, **_part(result)) if result.unleveled else sentence


def _damages(
    result: Identifiability, worth: Identifiability | UsersSection, form: str, short: bool = False
) -> Sentence:
    """Say what a leak of records or users is worth, if enough columns have a level: at least that much where
    some is unknown, else as ``form`` says."""
    if not result.has_leak:
        return _say("damages.none", **_part(result))
    return _say(
        "damages.least" if result.is_least or worth.unknown else form,
        value=format_money(worth.total_value, result.currency, short=short),
        jo=format_money(worth.jo_total_value, result.currency, short=short),
    )


def _part(result: Identifiability) -> dict[str, Text]:
    """How many of the columns the search saw: those that have a level."""
    seen, columns = result.columns_seen
    return {
        "seen": format_number(seen),
        "columns": format_number(columns),
        "part": format_share(seen / columns),
    }


def blocks(result: Identifiability, columns: Sequence[str]) -> list[Block]:
    """The section; ``columns`` are the names of the source's columns."""
    body: list[Block] = [Heading(_say("title"), 2, "identifiability"), *paragraphs(_by_jo(result))]
    if result.distribution:
        body += [eases(result, headline(result)), *paragraphs(_about_ease(result), "reading")]
    body += _scenarios(result)
    if result.sets and result.has_leak:
        body += [sets(result, headline(result)), Paragraph(_say("read.sets_short"), "reading")]
    if result.singled_out:
        body += [parts(result, headline(result)), *paragraphs(_about_parts(result), "reading")]
    body += _helps(result, columns)
    body += [_head("search"), *paragraphs(_sureness(result))]
    if result.users is not None:
        body += _units(result, result.users)
    body += [_head("levels"), Paragraph(_say("read.levels"), "reading"), *paragraphs(_levels(result))]
    return [*body, _table_of_levels(result)]


def _say(key: str, **values: Text) -> Sentence:
    return Sentence(f"identifiability.{key}", **values)


def _head(key: str) -> Heading:
    return Heading(_say(key), 3)


def _column(key: str, cell: Text) -> Column:
    return column(f"identifiability.{key}", cell)


def _number(key: str, cell: Text) -> Column:
    return numbers(f"identifiability.{key}", cell)


def _by_jo(result: Identifiability) -> list[Sentence]:
    """JO's own figures, if enough columns have a level."""
    if not result.has_leak:
        return []
    jo = result.jo
    lines = [
        _say(
            "jo",
            each=format_money(jo.value_per_record, result.currency),
            sensitivity=format_number(result.sensitivity),
            identifiability=format_number(jo.identifiability),
            total=format_money(result.jo_total_value, result.currency),
        )
    ]
    if jo.social_responsibility * jo.post_response != 1:
        lines.append(
            _say(
                "compensation",
                social=format_number(jo.social_responsibility),
                response=format_number(jo.post_response),
                compensation=format_money(jo.total_compensation, result.currency),
            )
        )
    return lines


def _about_ease(result: Identifiability) -> list[Sentence]:
    named = any(entry.ease > NAMED for entry in result.distribution)
    return [_say("ease.what"), *([_say("ease.named")] if named else [])]


# --- scenarios -----------------------------------------------------------------------------------


def _scenarios(result: Identifiability) -> list[Block]:
    """The scenarios of the highest damages. Records of which the same is said share a sentence."""
    if not result.scenarios:
        return []
    alike: dict[str, list[Scenario]] = {}
    for entry in result.scenarios:
        scenario = str((entry.attributes, entry.learns, entry.ease, entry.value, entry.also))
        alike.setdefault(scenario if entry.cells is None else str(entry.record), []).append(entry)
    groups = list(alike.values())[:_MOST_SCENARIOS]
    count = sum(map(len, groups))
    notes = []
    if result.scenarios_listed.total > count:
        notes.append(
            _say(
                "scenario.first",
                shown=format_number(count),
                count=format_number(result.scenarios_listed.total),
            )
        )
        last = groups[-1][0].value
        equals = sum(entry.value == last for entry in result.scenarios)
        equals -= sum(entry.value == last for group in groups for entry in group)
        equals += result.scenarios_listed.equal_to_last if result.scenarios[-1].value == last else 0
        if equals:
            notes.append(_say("scenario.equal", count=format_number(equals)))
    if not result.ties_complete:
        notes.append(_say("scenario.ties"))
    if result.scenarios[0].cells is None:
        notes.append(_say("scenario.masked_note"))
    told_of = Items(tuple(_of_group(result, group) for group in groups), numbered=True)
    return [_head("scenarios"), told_of, *paragraphs(notes, "reading")]


def _of_group(result: Identifiability, group: Sequence[Scenario]) -> Sentence:
    scenario, others = _scenario(result, group[0]), group[1:]
    if not others:
        return scenario
    records = list_names((format_number(entry.record) for entry in others), most=_MOST_ALIKE)
    return _say("scenario.like", scenario=scenario, records=records, count=format_number(len(others)))


def _scenario(result: Identifiability, entry: Scenario) -> Sentence:
    """Which record is singled out by what, what is learnt, and what that is worth."""
    cells = [_cell(entry, name) for name in entry.attributes]
    scenario = _say(
        "scenario.named" if entry.ease > NAMED else "scenario",
        record=format_number(entry.record),
        cells=cells[0]
        if len(cells) == 1
        else Sentence("and", first=JoinedTexts(tuple(cells[:-1])), last=cells[-1]),
        learns=_say("scenario.learns", names=list_names(entry.learns, most=_MOST_LEARNT))
        if entry.learns
        else _say("scenario.learns_nothing"),
    )
    if result.has_leak:
        scenario = _say(
            "scenario.damages", scenario=scenario, value=format_money(entry.value, result.currency)
        )
    return (
        _say("scenario.also", scenario=scenario, count=format_number(len(entry.also)))
        if entry.also
        else scenario
    )


def _cell(entry: Scenario, name: str) -> Sentence:
    cell: Text = _say("scenario.masked")
    if entry.cells is not None:
        value = entry.cells.get(name)
        cell = Data(value) if value is not None else _say("scenario.missing")
    return _say("scenario.cell", name=Data(name), cell=cell)


# --- what would help -----------------------------------------------------------------------------


def _about_parts(result: Identifiability) -> list[Sentence]:
    without = result.has_leak and any(e.total_value_without is not None for e in result.attributes)
    return [_say("read.parts_short"), *([_say("read.without_short")] if without else [])]


def _helps(result: Identifiability, columns: Sequence[str]) -> list[Block]:
    """How far the damages fall by the coarser form and by the attribute left out that help most."""
    if not result.has_leak:
        return []
    lines = []
    before = format_money(result.total_value, result.currency)
    coarser = _best(result.coarser, lambda entry: entry.change)
    if coarser is not None:
        lines.append(
            _say(
                "helps.coarser",
                coarser=publication(coarser.coarser, columns),
                what=knowledge(coarser.attribute, columns),
                after=format_money(coarser.total_value, result.currency),
                before=before,
                change=format_change(coarser.change),
                singled_out=format_number(coarser.singled_out),
            )
        )
    without = _best(result.attributes, lambda entry: entry.change_without)
    if without is not None:
        lines.append(
            _say(
                "helps.without",
                what=knowledge(without.attribute, columns),
                after=format_money(without.total_value_without, result.currency),
                before=before,
                change=format_change(without.change_without),
            )
        )
    computed = result.coarser or any(entry.total_value_without is not None for entry in result.attributes)
    if result.singled_out and not computed:
        lines.append(_say("helps.not_asked" if result.complete else "helps.incomplete"))
    table = [_table_of_helps(result, columns)] if result.coarser else []
    return [_head("helps"), *paragraphs(lines), *table] if lines or table else []


def _best(entries: Iterable[_E], change_of: Callable[[_E], float | None]) -> _E | None:
    """The entry whose change is the greatest fall, if any falls."""
    falls = [entry for entry in entries if (change_of(entry) or 0) < 0]
    return min(falls, key=lambda entry: change_of(entry) or 0) if falls else None


def _table_of_helps(result: Identifiability, columns: Sequence[str]) -> Listing:
    return Listing.of(
        result.coarser,
        lambda entry: (
            _column("attribute", Data(entry.attribute)),
            _column("published", publication(entry.coarser, columns)),
            numbers(
                "identifiability.singled_out_then",
                format_number(entry.singled_out),
                short="identifiability.singled_out_then.short",
            ),
            numbers(
                _say("value_then", currency=format_currency(result.currency)),
                Amount(entry.total_value),
                short="identifiability.value_then.short",
            ),
            _number("change", format_change(entry.change)),
        ),
        sql=("jo_model", "outcomes", "combinations"),
    )


# --- how sure it is ------------------------------------------------------------------------------


def _sureness(result: Identifiability) -> list[Sentence]:
    """How the search went, what is not known, and what missing cells do to it."""
    lines = [Sentence("two", first=_search(result), second=_limit(result, "records"))]
    gaps = _missing(result)
    return [*lines, *([Sentence("two", first=gaps[0], second=gaps[1])] if len(gaps) == 2 else gaps)]


def _search(result: Identifiability) -> Sentence:
    """How many sets were examined, of how many, and why the others were not."""
    examined, others = result.sets_examined, result.sets_not_examined
    if not others.total:
        if result.sets_possible == 1:
            return _say("search.one")
        return _say("search.all", possible=format_number(examined))
    return _say(
        "search.limited" if others.limit else "search.some",
        examined=format_number(examined),
        possible=format_number(examined + others.total),
        left=format_number(others.total),
        why=_why(others),
    )


def _why(others: NotExamined) -> JoinedTexts:
    return JoinedTexts(
        tuple(
            _say(f"search.{key}", count=format_number(count)) for key, count in vars(others).items() if count
        )
    )


def _limit(result: Identifiability | UsersSection, unit: str) -> Sentence:
    """What a limit left unknown, or that nothing is."""
    if result.limit is None:
        if isinstance(result, Identifiability) and result.unleveled:
            return _say("search.exact_part", **_part(result))
        return _say("search.exact")
    ended = _say(f"limit.{result.limit}")
    if not result.unknown:
        return _say("limit.settled", limit=ended)
    unknown = format_number(result.unknown)
    if result.unknown_ease_at_most is None:
        return _say(f"limit.open_any_{unit}", limit=ended, unknown=unknown)
    most = format_ease(result.unknown_ease_at_most)
    return _say(f"limit.open_{unit}", limit=ended, unknown=unknown, ease=most)


def _missing(result: Identifiability) -> list[Sentence]:
    """How missing cells were taken, and what the other way would give."""
    if not result.missing_cells:
        return []
    lines = [_say(f"missing.{result.missing_mode}", count=format_number(result.missing_cells))]
    other = result.other_missing_mode
    if other is not None and not result.has_leak:
        return lines
    if other is not None:
        value = format_money(other.total_value, result.currency)
        singled_out = format_number(other.singled_out)
        lines.append(_say(f"missing.other_{other.missing_mode}", singled_out=singled_out, value=value))
    elif result.complete:
        lines.append(_say("missing.other_not_searched"))
    return lines


def _units(result: Identifiability, users: UsersSection) -> list[Block]:
    """The same with the user as the unit."""
    if users.singled_out == 0 and not users.unknown:
        return [_head("units"), Paragraph(_say("units.nobody"))]
    said = _say(
        "units.open" if users.unknown else "units.some",
        singled_out=format_number(users.singled_out),
        users=format_number(users.users),
    )
    worth = Sentence("two", first=said, second=_damages(result, users, "damages.exact"))
    limit = _limit(users, "users") if users.limit is not None else None
    table = Listing.of(
        users.distribution,
        lambda entry: (
            _number("ease", format_ease(entry.ease)),
            _number("users", format_number(entry.users)),
            numbers(_say("value_in", currency=format_currency(result.currency)), Amount(entry.value)),
        ),
        sql=("distribution", "outcomes"),
    )
    return [_head("units"), *paragraphs([worth, limit]), Detail(_say("eases"), (table,))]


# --- levels --------------------------------------------------------------------------------------


def _levels(result: Identifiability) -> list[Sentence]:
    """Levels that nobody has confirmed, and columns that have none."""
    provisional = dict.fromkeys(entry.column for entry in result.attributes if entry.provisional)
    lines = [_say("levels.provisional", names=list_names(provisional))] if provisional else []
    first, others = result.unleveled[:_MOST_UNLEVELLED], result.unleveled[_MOST_UNLEVELLED:]
    for entry in first:
        name, line = Data(entry.column), Data(entry.line)
        if entry.nearest:
            lines.append(_say("levels.unleveled", name=name, types=list_names(entry.nearest), line=line))
        else:
            lines.append(_say("levels.unleveled_alone", name=name, line=line))
    if others:
        names = list_names(entry.column for entry in others)
        lines.append(_say("levels.unleveled_more", count=format_number(len(others)), names=names))
    return lines


def _table_of_levels(result: Identifiability) -> Listing:
    """How sensitive each attribute is, and on whose word."""
    reasons = ["" if entry.level_source == "given" else entry.reason for entry in result.attributes]
    return Listing.of(
        zip(result.attributes, reasons, strict=True),
        lambda told: (
            _column("attribute", Data(told[0].attribute)),
            _column("type", _say("no_type") if told[0].type is None else type_name(told[0].type)),
            _number("economic", format_number(told[0].economic)),
            _number("psychological", format_number(told[0].psychological)),
            _column("level_source", _say(told[0].level_source)),
            *([column("identifiability.reason", told[1], priority=1)] if any(reasons) else []),
        ),
        brief=12,
    )
