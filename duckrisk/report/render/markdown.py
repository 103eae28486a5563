"""Render a document as GitHub Markdown: for a pull request, an issue or a wiki."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import Any

from duckrisk.base.sentences import Text
from duckrisk.report.blocks import (
    Block,
    Code,
    Commands,
    Detail,
    Document,
    Facts,
    Figure,
    Heading,
    Items,
    Listing,
    PageOnly,
    Pair,
    Paragraph,
)
from duckrisk.report.render import MAX_ROWS
from duckrisk.report.safe import escape_unprintable
from duckrisk.report.words import Words

#: Escapes: a backslash before punctuation; a reference for what would end a cell or begin HTML, since GitHub
#: splits the rows of a table first.
_ESCAPES = {c: f"\\{c}" for c in "*_[]~#$"} | {c: f"&#{ord(c)};" for c in "&<>|`\\"}
#: An invisible character that keeps GitHub from notifying a person or linking an issue.
_JOINER = "&#8288;"


def to_markdown(document: Document, language: str = "en") -> str:
    """Render a document as Markdown with escaped data."""
    markdown = _Markdown(Words(language))
    lines = [f"# {markdown.format(document.title)}", "", *markdown.render_blocks(document.blocks)]
    return "\n".join(lines).rstrip() + "\n"


def to_line(text: Text, language: str = "en") -> str:
    """Render a sentence as one line of Markdown with escaped data."""
    return _Markdown(Words(language)).format(text)


def escape_data(text: str) -> str:
    """Escape data for Markdown: no markup, link, mention or line break comes from it."""
    marked = "".join(_ESCAPES.get(c, c) for c in escape_unprintable(text))
    marked = re.sub(r"(?i)(https?|ftp|mailto|xmpp):", r"\1\\:", marked)
    marked = re.sub(r"(?i)www\.", lambda match: match[0][:-1] + "\\.", marked)
    return re.sub(r"@(?=\w)|(?<=\\)#(?=\d)", lambda match: match[0] + _JOINER, marked)


class _Markdown:
    def __init__(self, words: Words) -> None:
        self.words = words

    def format(self, text: Any) -> str:
        return self.words.format_parts(text, escape_data, lambda words: words.replace("<", "&lt;"))

    def render_blocks(self, blocks: Iterable[Block]) -> list[str]:
        return [line for block in blocks for line in self.render_block(block)]

    def render_block(self, block: Block) -> list[str]:
        match block:
            case Heading():
                return [f"{'#' * block.level} {self.format(block.text)}", ""]
            case Paragraph():
                strong = block.role in ("verdict", "headline", "warning")
                text = f"**{self.format(block.text)}**" if strong else self.format(block.text)
                return [f"> {text}" if block.role == "warning" else text, ""]
            case Items():
                texts = enumerate(block.texts, 1)
                lines = [f"{f'{i}.' if block.numbered else '-'} {self.format(text)}" for i, text in texts]
                return [*lines, ""] if lines else []
            case Facts():
                facts = [
                    map(self.format, (fact.name_with_sign, fact.figure, fact.remark)) for fact in block.facts
                ]
                return [*(f"- {name}: **{figure}** {remark}".rstrip() for name, figure, remark in facts), ""]
            case Listing():
                return self.render_table(block)
            case Figure():
                if block.stand_in is None:
                    return []
                named = [f"**{self.format(block.title)}**", ""] if block.title else []
                return [*named, *self.render_table(block.stand_in)]
            case Code():
                return [*fence_code(block.text, block.language), ""]
            case Commands():
                return [*fence_code("\n".join(shlex.join(words) for words, _ in block.commands), "sh"), ""]
            case Pair():
                return self.render_blocks(block.blocks)
            case Detail() | PageOnly():
                return []

    def render_table(self, listing: Listing) -> list[str]:
        if not listing.rows:
            return []
        listing = listing.select_columns(
            position for position, column in enumerate(listing.columns) if not column.bar
        )
        cut = listing.truncate(MAX_ROWS["markdown"])
        heads = [self.format(column.head) for column in cut.columns]
        rules = ["---:" if column.numeric else "---" for column in cut.columns]
        rows = [[self.format(cell) for cell in row] for row in cut.rows]
        lines = ["| " + " | ".join(cells) + " |" for cells in (heads, rules, *rows)]
        rest = cut.describe_rest()
        if rest is not None:
            lines += ["", self.format(rest)]
        return [*lines, ""]


def fence_code(text: str, language: str) -> list[str]:
    """Put text between fences that it cannot close."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = "\n".join(escape_unprintable(line) for line in text.split("\n"))
    return [f"{fence}{language}", lines, fence]
