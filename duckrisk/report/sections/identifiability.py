"""Make the section on the records that attribute sets single out, and on the damages of a leak."""

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
from duckrisk.measures.identifiability.levels import name_type
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
    number_column,
    paragraphs,
    text_column,
)
from duckrisk.report.knowledge import describe_knowledge, describe_publication
from duckrisk.report.sections.identifiability_figures import NAMED_EASE, plot_eases, plot_parts, plot_sets

_E = TypeVar("_E")
#: Columns without a level that have a sentence of their own (a choice: one more sentence names the others).
_MAX_UNLEVELLED = 5
#: Sentences on scenarios (a choice: the JSON report has all of them).
_MAX_SCENARIOS = 6
#: Names of the attributes that a scenario discloses (a choice: a sentence then takes two lines).
_MAX_LEARNT = 6
#: Numbers of the other records with the same scenario (a choice: as above).
_MAX_ALIKE = 5


def write_headline(result: Identifiability) -> Sentence:
    """Say how many records are singled out, and what a leak would cost."""
    if result.unknown:
        key = "open"
    elif result.singled_out == 0:
        key = "nobody"
    else:
        key = "every" if result.singled_out == result.records else "some"
    people = _sentence(
        key,
        singled_out=format_number(result.singled_out),
        records=format_number(result.records),
        share=format_share(result.singled_out_share),
    )
    form = "damages.exact" if key == "nobody" else "damages"
    sentence = Sentence("two", first=people, second=_describe_damages(result, result, form, short=True))
    return (
        _sentence("of_part", told=sentence, **_count_levelled_columns(result))
        if result.unleveled
        else sentence
    )


def _describe_damages(
    result: Identifiability, section: Identifiability | UsersSection, form: str, short: bool = False
) -> Sentence:
    """Describe the damages of a leak of records or users.

    Too few columns with a level give no damages. `form` is the key of the sentence for exact damages; if some
    are unknown, the sentence says "at least".
    """
    if not result.has_leak:
        return _sentence("damages.none", **_count_levelled_columns(result))
    return _sentence(
        "damages.least" if result.is_least or section.unknown else form,
        value=format_money(section.total_value, result.currency, short=short),
        jo=format_money(section.jo_total_value, result.currency, short=short),
    )


def _count_levelled_columns(result: Identifiability) -> dict[str, Text]:
    """Count the columns with a level, which the search examined."""
    levelled, columns = result.columns_seen
    return {
        "seen": format_number(levelled),
        "columns": format_number(columns),
        "part": format_share(levelled / columns),
    }


def make_blocks(result: Identifiability, columns: Sequence[str]) -> list[Block]:
    """Make the section.

    Args:
        result: The part of the assessment.
        columns: The names of the source's columns.
    """
    body: list[Block] = [
        Heading(_sentence("title"), 2, "identifiability"),
        Paragraph(write_headline(result), "headline"),
        *paragraphs(_describe_jo(result)),
    ]
    if result.distribution:
        body += [plot_eases(result, write_headline(result)), *paragraphs(_explain_ease(result), "reading")]
    body += _list_scenarios(result)
    if result.sets and result.has_leak:
        body += [
            plot_sets(result, write_headline(result)),
            Paragraph(_sentence("read.sets_short"), "reading"),
        ]
    if result.singled_out:
        body += [plot_parts(result, write_headline(result)), *paragraphs(_explain_parts(result), "reading")]
    body += _suggest_changes(result, columns)
    body += [_heading("search"), *paragraphs(_describe_certainty(result))]
    if result.users is not None:
        body += _describe_users(result, result.users)
    body += [
        _heading("levels"),
        Paragraph(_sentence("read.levels"), "reading"),
        *paragraphs(_describe_levels(result)),
    ]
    return [*body, _list_levels(result)]


def _sentence(key: str, **values: Text) -> Sentence:
    return Sentence(f"identifiability.{key}", **values)


def _heading(key: str) -> Heading:
    return Heading(_sentence(key), 3)


def _text_column(key: str, cell: Text) -> Column:
    return text_column(f"identifiability.{key}", cell)


def _number_column(key: str, cell: Text) -> Column:
    return number_column(f"identifiability.{key}", cell)


def format_bound(value: float | None, currency: str, *, is_least: bool, short: bool = False) -> Sentence:
    """Format an amount of money, or say that it is at least this.

    Args:
        value: The amount; None for none.
        currency: The currency.
        is_least: Whether the amount is a lower bound, since columns lack a level or records were left open.
        short: Whether to round the amount.
    """
    amount = format_money(value, currency, short=short)
    return Sentence("identifiability.at_least", value=amount) if is_least else amount


def _describe_jo(result: Identifiability) -> list[Sentence]:
    """Describe the figures of the JO model, if enough columns have a level."""
    if not result.has_leak:
        return []
    jo = result.jo
    lines = [
        _sentence(
            "jo",
            each=format_money(jo.value_per_record, result.currency),
            sensitivity=format_number(result.sensitivity),
            identifiability=format_number(jo.identifiability),
            total=format_bound(result.jo_total_value, result.currency, is_least=bool(result.unleveled)),
        )
    ]
    if jo.social_responsibility * jo.post_response != 1:
        lines.append(
            _sentence(
                "compensation",
                social=format_number(jo.social_responsibility),
                response=format_number(jo.post_response),
                compensation=format_bound(
                    jo.total_compensation, result.currency, is_least=bool(result.unleveled)
                ),
            )
        )
    return lines


def _explain_ease(result: Identifiability) -> list[Sentence]:
    named = any(entry.ease > NAMED_EASE for entry in result.distribution)
    return [_sentence("ease.what"), *([_sentence("ease.named")] if named else [])]


# --- scenarios -----------------------------------------------------------------------------------


def _list_scenarios(result: Identifiability) -> list[Block]:
    """List the scenarios with the highest damages.

    Records with the same scenario share a sentence.
    """
    if not result.scenarios:
        return []
    by_scenario: dict[str, list[Scenario]] = {}
    for entry in result.scenarios:
        scenario = str((entry.attributes, entry.learns, entry.ease, entry.value, entry.other_sets))
        by_scenario.setdefault(scenario if entry.cells is None else str(entry.record), []).append(entry)
    groups = list(by_scenario.values())[:_MAX_SCENARIOS]
    count = sum(map(len, groups))
    notes = []
    if result.scenarios_listed.total > count:
        notes.append(
            _sentence(
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
            notes.append(_sentence("scenario.equal", count=format_number(equals)))
    if not result.ties_complete:
        notes.append(_sentence("scenario.ties"))
    if result.scenarios[0].cells is None:
        notes.append(_sentence("scenario.masked_note"))
    scenarios = Items(tuple(_describe_group(result, group) for group in groups), numbered=True)
    return [_heading("scenarios"), scenarios, *paragraphs(notes, "reading")]


def _describe_group(result: Identifiability, group: Sequence[Scenario]) -> Sentence:
    scenario, others = _describe_scenario(result, group[0]), group[1:]
    if not others:
        return scenario
    records = list_names((format_number(entry.record) for entry in others), most=_MAX_ALIKE)
    return _sentence("scenario.like", scenario=scenario, records=records, count=format_number(len(others)))


def _describe_scenario(result: Identifiability, entry: Scenario) -> Sentence:
    """Describe a scenario: the values known, the values learned, the damages."""
    cells = [_describe_cell(entry, name) for name in entry.attributes]
    scenario = _sentence(
        "scenario.named" if entry.ease > NAMED_EASE else "scenario",
        record=format_number(entry.record),
        cells=cells[0]
        if len(cells) == 1
        else Sentence("and", first=JoinedTexts(tuple(cells[:-1])), last=cells[-1]),
        learns=_sentence("scenario.learns", names=list_names(entry.learns, most=_MAX_LEARNT))
        if entry.learns
        else _sentence("scenario.learns_nothing"),
    )
    if result.has_leak:
        scenario = _sentence(
            "scenario.damages", scenario=scenario, value=format_money(entry.value, result.currency)
        )
    return (
        _sentence("scenario.also", scenario=scenario, count=format_number(len(entry.other_sets)))
        if entry.other_sets
        else scenario
    )


def _describe_cell(entry: Scenario, name: str) -> Sentence:
    cell: Text = _sentence("scenario.masked")
    if entry.cells is not None:
        value = entry.cells.get(name)
        cell = Data(value) if value is not None else _sentence("scenario.missing")
    return _sentence("scenario.cell", name=Data(name), cell=cell)


# --- what would help -----------------------------------------------------------------------------


def _explain_parts(result: Identifiability) -> list[Sentence]:
    without = result.has_leak and any(e.total_value_without is not None for e in result.attributes)
    return [_sentence("read.parts_short"), *([_sentence("read.without_short")] if without else [])]


def _suggest_changes(result: Identifiability, columns: Sequence[str]) -> list[Block]:
    """Say how far the best coarser form or removal lowers the damages."""
    if not result.has_leak:
        return []
    lines = []
    least = result.is_least
    before = format_bound(result.total_value, result.currency, is_least=least)
    coarser = _find_best(result.coarser, lambda entry: entry.change)
    if coarser is not None:
        lines.append(
            _sentence(
                "helps.coarser",
                coarser=describe_publication(coarser.coarser, columns),
                what=describe_knowledge(coarser.attribute, columns),
                after=format_bound(coarser.total_value, result.currency, is_least=least),
                before=before,
                change=format_change(coarser.change),
                singled_out=format_number(coarser.singled_out),
            )
        )
    without = _find_best(result.attributes, lambda entry: entry.change_without)
    if without is not None:
        lines.append(
            _sentence(
                "helps.without",
                what=describe_knowledge(without.attribute, columns),
                after=format_bound(without.total_value_without, result.currency, is_least=least),
                before=before,
                change=format_change(without.change_without),
            )
        )
    computed = result.coarser or any(entry.total_value_without is not None for entry in result.attributes)
    if result.singled_out and not computed:
        has_all = result.complete and result.ties_complete
        lines.append(_sentence("helps.not_asked" if has_all else "helps.incomplete"))
    table = [_list_coarser_forms(result, columns)] if result.coarser else []
    return [_heading("helps"), *paragraphs(lines), *table] if lines or table else []


def _find_best(entries: Iterable[_E], change_of: Callable[[_E], float | None]) -> _E | None:
    """Return the entry with the largest fall; None if no entry lowers the damages."""
    falls = [entry for entry in entries if (change_of(entry) or 0) < 0]
    return min(falls, key=lambda entry: change_of(entry) or 0) if falls else None


def _list_coarser_forms(result: Identifiability, columns: Sequence[str]) -> Listing:
    return Listing.of(
        result.coarser,
        lambda entry: (
            _text_column("attribute", Data(entry.attribute)),
            _text_column("published", describe_publication(entry.coarser, columns)),
            number_column(
                "identifiability.singled_out_then",
                format_number(entry.singled_out),
                short="identifiability.singled_out_then.short",
            ),
            number_column(
                _sentence("value_then", currency=format_currency(result.currency)),
                Amount(entry.total_value),
                short="identifiability.value_then.short",
            ),
            _number_column("change", format_change(entry.change)),
        ),
        sql=("jo_model", "outcomes", "combinations"),
    )


# --- how sure it is ------------------------------------------------------------------------------


def _describe_certainty(result: Identifiability) -> list[Sentence]:
    """Describe the search, what it left unknown, and missing values."""
    lines = [Sentence("two", first=_describe_search(result), second=_describe_limit(result, "records"))]
    gaps = _describe_missing(result)
    return [*lines, *([Sentence("two", first=gaps[0], second=gaps[1])] if len(gaps) == 2 else gaps)]


def _describe_search(result: Identifiability) -> Sentence:
    """Count the attribute sets that were examined, and say why others were not."""
    examined, others = result.sets_examined, result.sets_not_examined
    if not others.total:
        if result.sets_possible == 1:
            return _sentence("search.one")
        return _sentence("search.all", possible=format_number(examined))
    return _sentence(
        "search.limited" if others.limit else "search.some",
        examined=format_number(examined),
        possible=format_number(examined + others.total),
        left=format_number(others.total),
        why=_explain_unexamined(others),
    )


def _explain_unexamined(others: NotExamined) -> JoinedTexts:
    return JoinedTexts(
        tuple(
            _sentence(f"search.{key}", count=format_number(count))
            for key, count in vars(others).items()
            if count
        )
    )


def _describe_limit(result: Identifiability | UsersSection, unit: str) -> Sentence:
    """Say what a limit of the search left unknown, or that the result is exact."""
    if result.limit is None:
        if isinstance(result, Identifiability) and result.unleveled:
            return _sentence("search.exact_part", **_count_levelled_columns(result))
        return _sentence("search.exact")
    end = _sentence(f"limit.{result.limit}")
    if not result.unknown:
        return _sentence("limit.settled", limit=end)
    unknown = format_number(result.unknown)
    if result.unknown_ease_at_most is None:
        return _sentence(f"limit.open_any_{unit}", limit=end, unknown=unknown)
    max_ease = format_ease(result.unknown_ease_at_most)
    return _sentence(f"limit.open_{unit}", limit=end, unknown=unknown, ease=max_ease)


def _describe_missing(result: Identifiability) -> list[Sentence]:
    """Say how missing values were treated, and what the other treatment gives."""
    if not result.missing_cells:
        return []
    lines = [_sentence(f"missing.{result.missing_mode}", count=format_number(result.missing_cells))]
    other = result.other_missing_mode
    if other is not None and not result.has_leak:
        return lines
    if other is not None:
        value = format_bound(other.total_value, result.currency, is_least=result.is_least)
        singled_out = format_number(other.singled_out)
        lines.append(_sentence(f"missing.other_{other.missing_mode}", singled_out=singled_out, value=value))
    elif result.complete:
        lines.append(_sentence("missing.other_not_searched"))
    return lines


def _describe_users(result: Identifiability, users: UsersSection) -> list[Block]:
    """Make the subsection on users instead of records."""
    if users.singled_out == 0 and not users.unknown:
        return [_heading("units"), Paragraph(_sentence("units.nobody"))]
    singled_out = _sentence(
        "units.open" if users.unknown else "units.some",
        singled_out=format_number(users.singled_out),
        users=format_number(users.users),
    )
    worth = Sentence("two", first=singled_out, second=_describe_damages(result, users, "damages.exact"))
    limit = _describe_limit(users, "users") if users.limit is not None else None
    table = Listing.of(
        users.distribution,
        lambda entry: (
            _number_column("ease", format_ease(entry.ease)),
            _number_column("users", format_number(entry.users)),
            number_column(
                _sentence("value_in", currency=format_currency(result.currency)), Amount(entry.value)
            ),
        ),
        sql=("distribution", "outcomes"),
    )
    return [_heading("units"), *paragraphs([worth, limit]), Detail(_sentence("eases"), (table,))]


# --- levels --------------------------------------------------------------------------------------


def _describe_levels(result: Identifiability) -> list[Sentence]:
    """Name the columns whose level is unconfirmed, and the columns without one."""
    provisional = dict.fromkeys(entry.column for entry in result.attributes if entry.provisional)
    lines = [_sentence("levels.provisional", names=list_names(provisional))] if provisional else []
    first, others = result.unleveled[:_MAX_UNLEVELLED], result.unleveled[_MAX_UNLEVELLED:]
    for entry in first:
        name, line = Data(entry.column), Data(entry.line)
        if entry.nearest:
            lines.append(_sentence("levels.unleveled", name=name, types=list_names(entry.nearest), line=line))
        else:
            lines.append(_sentence("levels.unleveled_alone", name=name, line=line))
    if others:
        names = list_names(entry.column for entry in others)
        lines.append(_sentence("levels.unleveled_more", count=format_number(len(others)), names=names))
    return lines


def _list_levels(result: Identifiability) -> Listing:
    """List the sensitivity of each attribute, and where its level comes from."""
    reasons = ["" if entry.level_source == "given" else entry.reason for entry in result.attributes]
    return Listing.of(
        zip(result.attributes, reasons, strict=True),
        lambda row: (
            _text_column("attribute", Data(row[0].attribute)),
            _text_column("type", _sentence("no_type") if row[0].type is None else name_type(row[0].type)),
            _number_column("economic", format_number(row[0].economic)),
            _number_column("psychological", format_number(row[0].psychological)),
            _text_column("level_source", _sentence(row[0].level_source)),
            *([text_column("identifiability.reason", row[1], priority=1)] if any(reasons) else []),
        ),
        terminal_rows=12,
    )
