"""The report as GitHub Markdown: for a pull request, an issue or a wiki."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from duckrisk.report import disclosure, sentences, tables
from duckrisk.report.identifiability import sentences as singled_out
from duckrisk.report.identifiability import tables as singled_out_tables
from duckrisk.report.text import Data, Joined, Sentence, number, say, visible, word

if TYPE_CHECKING:
    from duckrisk.report import Report
    from duckrisk.report.parts import Part

MOST_ROWS = 50
MOST_VALUES = 10
MOST_SCENARIOS = 10
MOST_LEARNT = 8
MOST_SETS = 15

#: Punctuation gets a backslash; what would end a cell or open HTML becomes a reference, which
#: survives the splitting of a table's row.
_SHOWN = {c: f"\\{c}" for c in "*_[]~#$"} | {c: f"&#{ord(c)};" for c in "&<>|`\\"}
#: An invisible character that keeps GitHub from calling a person or linking an issue.
_JOINER = "&#8288;"


def to_markdown(report: Report) -> str:
    """The report as Markdown text; every piece of data is escaped."""
    data = report.data
    lines = [f"# {inline(say('title', source=Data(data['source']['name'])))}", ""]
    if tables.has_values(data):
        lines += [f"> **{inline(say('with_values'))}**", ""]
    for headline in sentences.headlines(data):
        lines += [f"**{inline(headline)}**", ""]
    lines += _list([sentences.best_help(data), *sentences.source_lines(data)])
    lines += section("of_notes", _list([Data(note) for note in data["source"]["notes"]]))
    if data["gates"]:
        lines += section(
            "of_gates", [inline(sentences.gate_verdict(data)), "", *table_lines(tables.gates(data))]
        )
    if data["attribute_risk"]:
        reading = " ".join(map(inline, sentences.risk_sentences(data)))
        lines += section("of_risk", [reading, "", *table_lines(tables.ranking(data))])
    lines += _numbers("of_known", [say("read.known_short")], tables.known_records(data))
    lines += _numbers("of_coarser", [], tables.coarser(data))
    if tables.models_agree(data):
        lines += section("of_models", [inline(say("read.models_agree")), ""])
    else:
        lines += _numbers("of_models", [say("read.models_short")], tables.models(data))
    if not tables.models_agree(data):
        said = [sentences.sampling_verdict(data), sentences.sampling_cost(report)]
        lines += section("of_sampling", _list(said))
    lines += _singled_out(data)
    for key, parts in disclosure.told(data).items():
        lines += section(f"of_{key}", part_lines(parts))
    lines += _values(data)
    lines += _checklist(data)
    lines += _numbers("of_roles", [say("read.roles")], tables.roles(data))
    method = [
        *sentences.method_sentences(data),
        *sentences.not_assessed(data),
        sentences.versions(data),
        sentences.digest(data),
    ]
    lines += section("of_method", _list(method))
    return "\n".join(lines).rstrip() + "\n"


def escaped(text: str) -> str:
    """Data as Markdown that shows exactly these characters: no markup, link, mention or line break."""
    shown = "".join(_SHOWN.get(c, c) for c in visible(text))
    shown = re.sub(r"(?i)(https?|ftp|mailto|xmpp):", r"\1\\:", shown)
    shown = re.sub(r"(?i)www\.", lambda found: found[0][:-1] + "\\.", shown)
    return re.sub(r"@(?=\w)|(?<=\\)#(?=\d)", lambda found: found[0] + _JOINER, shown)


def inline(part: Any) -> str:
    if isinstance(part, Data):
        return escaped(part)
    return part.plain(escaped) if isinstance(part, (Sentence, Joined)) else str(part).replace("<", "&lt;")


def _list(parts: list[Any]) -> list[str]:
    shown = [f"- {inline(part)}" for part in parts if part is not None]
    return [*shown, ""] if shown else []


def section(key: str, lines: list[str]) -> list[str]:
    return [f"## {word(key)}", "", *lines] if lines else []


def _numbers(key: str, said: list[Sentence], table: tables.Table) -> list[str]:
    if not table.rows:
        return []
    reading = [" ".join(map(inline, said)), ""] if said else []
    return section(key, [*reading, *table_lines(table)])


def table_lines(table: tables.Table, most: int = MOST_ROWS) -> list[str]:
    if not table.rows:
        return []
    table = tables.cut(table, most)
    rules = ["---:" if place in table.right else "---" for place in range(len(table.heads))]
    lines = [table.heads, rules, *table.rows]
    made = [
        "| " + " | ".join(cell if line is rules else inline(cell) for cell in line) + " |" for line in lines
    ]
    if table.more:
        made += ["", inline(say("and_more", count=number(table.more)))]
    return [*made, ""]


def part_lines(parts: Iterable[Part], most: int = MOST_ROWS) -> list[str]:
    """Sentences, heads and tables, in their order; figures are drawn on HTML pages alone."""
    lines: list[str] = []
    for part in parts:
        if part.table is not None:
            lines += table_lines(part.table, most)
        elif part.figure is None:
            lines += [f"{'#' * part.level} {inline(Data(part.text))}".strip(), ""]
    return lines


def _singled_out(data: dict[str, Any]) -> list[str]:
    found = tables.section(data)
    if found is None:
        return []
    told, about = singled_out.scenarios(data, MOST_SCENARIOS, MOST_LEARNT)
    notes = singled_out.scenario_notes(data, about)
    missing = singled_out.helps_missing(found)
    parts: list[tuple[str, list[Any], tables.Table | None]] = [
        ("of_ease", singled_out.about_ease(found), singled_out_tables.distribution(data)),
        ("of_scenarios", [*notes, *told], None),
        ("of_sets", [say("read.sets_short")], singled_out_tables.sets(data)),
        ("of_parts", singled_out.about_parts(found), singled_out_tables.parts(data)),
        ("of_helps", [*singled_out.helps(data), missing], singled_out_tables.helps(data)),
        ("of_search", singled_out.sureness(found), None),
        ("of_units", singled_out.units(found), singled_out_tables.users(data)),
        ("of_levels", [say("read.levels"), *singled_out.levels(found)], singled_out_tables.levels(data)),
    ]
    lines = _list([*singled_out.by_jo(found)])
    for key, said, table in parts:
        if any(part is not None for part in said):
            most = MOST_SETS if key == "of_sets" else MOST_ROWS
            shown = table_lines(table, most) if table is not None else []
            lines += [f"### {word(key)}", "", *_list(said), *shown]
    return section("of_identifiability", lines)


def _checklist(data: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for rule, table in singled_out_tables.checklists(data).items():
        lines += [f"### {rule}", "", *table_lines(table)]
    return section("of_checklist", [word("read.checklist"), "", *lines]) if lines else []


def _values(data: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for entry in data["attribute_risk"]:
        if tables.shown_values(data, entry):
            lines += [
                f"### {escaped(entry['attribute'])}",
                "",
                *table_lines(tables.values(data, entry), MOST_VALUES),
            ]
    if not lines:
        return []
    return section("of_values", [f"> **{inline(say('with_values'))}**", "", word("read.values"), "", *lines])
