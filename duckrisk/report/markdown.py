"""The report as GitHub Markdown: for a pull request, an issue or a wiki."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from duckrisk.report import sentences, tables
from duckrisk.report.text import Data, Joined, Sentence, number, say, visible, word

if TYPE_CHECKING:
    from duckrisk.report import Report

MOST_ROWS = 50
MOST_VALUES = 10

#: Punctuation gets a backslash; what would end a cell or open HTML becomes a reference, which
#: survives the splitting of a table's row.
_SHOWN = {c: f"\\{c}" for c in "*_[]~#$"} | {c: f"&#{ord(c)};" for c in "&<>|`\\"}
#: An invisible character that keeps GitHub from calling a person or linking an issue.
_JOINER = "&#8288;"


def to_markdown(report: Report) -> str:
    """The report as Markdown text; every piece of data is escaped."""
    data = report.data
    lines = [f"# {_inline(say('title', source=Data(data['source']['name'])))}", ""]
    if tables.has_values(data):
        lines += [f"> **{_inline(say('with_values'))}**", ""]
    lines += [f"**{_inline(sentences.headline(data))}**", ""]
    lines += _list([sentences.best_help(data), *sentences.source_lines(data)])
    lines += _section("of_notes", _list([Data(note) for note in data["source"]["notes"]]))
    if data["gates"]:
        lines += _section(
            "of_gates", [_inline(sentences.gate_verdict(data)), "", *_table(tables.gates(data))]
        )
    if data["attribute_risk"]:
        reading = " ".join(map(_inline, sentences.risk_sentences(data)))
        lines += _section("of_risk", [reading, "", *_table(tables.ranking(data))])
    lines += _numbers("of_known", [say("read.known_short")], tables.known_records(data))
    lines += _numbers("of_coarser", [], tables.coarser(data))
    if tables.models_agree(data):
        lines += _section("of_models", [_inline(say("read.models_agree")), ""])
    else:
        lines += _numbers("of_models", [say("read.models_short")], tables.models(data))
    if not tables.models_agree(data):
        said = [sentences.sampling_verdict(data), sentences.sampling_cost(report)]
        lines += _section("of_sampling", _list(said))
    lines += _values(data)
    lines += _numbers("of_roles", [say("read.roles")], tables.roles(data))
    method = [
        sentences.method_sentence(data),
        say("method.null"),
        *sentences.not_assessed(data),
        sentences.versions(data),
        sentences.digest(data),
    ]
    lines += _section("of_method", _list(method))
    return "\n".join(lines).rstrip() + "\n"


def escaped(text: str) -> str:
    """Data as Markdown that shows exactly these characters: no markup, link, mention or line break."""
    shown = "".join(_SHOWN.get(c, c) for c in visible(text))
    shown = re.sub(r"(?i)(https?|ftp|mailto|xmpp):", r"\1\\:", shown)
    shown = re.sub(r"(?i)www\.", lambda found: found[0][:-1] + "\\.", shown)
    return re.sub(r"@(?=\w)|(?<=\\)#(?=\d)", lambda found: found[0] + _JOINER, shown)


def _inline(part: Any) -> str:
    if isinstance(part, Data):
        return escaped(part)
    return part.plain(escaped) if isinstance(part, (Sentence, Joined)) else str(part).replace("<", "&lt;")


def _list(parts: list[Any]) -> list[str]:
    shown = [f"- {_inline(part)}" for part in parts if part is not None]
    return [*shown, ""] if shown else []


def _section(key: str, lines: list[str]) -> list[str]:
    return [f"## {word(key)}", "", *lines] if lines else []


def _numbers(key: str, said: list[Sentence], table: tables.Table) -> list[str]:
    if not table.rows:
        return []
    reading = [" ".join(map(_inline, said)), ""] if said else []
    return _section(key, [*reading, *_table(table)])


def _table(table: tables.Table, most: int = MOST_ROWS) -> list[str]:
    if not table.rows:
        return []
    table = tables.cut(table, most)
    rules = ["---:" if place in table.right else "---" for place in range(len(table.heads))]
    lines = [table.heads, rules, *table.rows]
    made = [
        "| " + " | ".join(cell if line is rules else _inline(cell) for cell in line) + " |" for line in lines
    ]
    if table.more:
        made += ["", _inline(say("and_more", count=number(table.more)))]
    return [*made, ""]


def _values(data: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for entry in data["attribute_risk"]:
        if tables.shown_values(data, entry):
            lines += [
                f"### {escaped(entry['attribute'])}",
                "",
                *_table(tables.values(data, entry), MOST_VALUES),
            ]
    if not lines:
        return []
    return _section(
        "of_values", [f"> **{_inline(say('with_values'))}**", "", word("read.values"), "", *lines]
    )
