"""Advice as GitHub Markdown."""

from __future__ import annotations

from typing import Any

from duckrisk.report.advice import sentences, tables
from duckrisk.report.advice.terminal import command_lines
from duckrisk.report.markdown import inline, section, table_lines
from duckrisk.report.text import Data, visible


def to_markdown(data: dict[str, Any]) -> str:
    """The advice as Markdown text; every piece of data is escaped."""
    lines = [f"# {inline(sentences.title(data))}", "", f"**{inline(sentences.headline(data))}**", ""]
    lines += [inline(sentence) for sentence in sentences.ended(data)]
    lines += ["", *section("of_advice_steps", table_lines(tables.steps(data), len(data["lines"])))]
    blocks: list[str] = []
    for place, words in enumerate(sentences.commands(data), start=1):
        shown = [visible(one) for one in words]
        fence = "`" * max(3, 1 + _longest_fence(" ".join(shown)))
        blocks += [f"{place}. {inline(sentences.what(data['lines'][place]))}", "", f"   {fence}sh"]
        blocks += [f"   {line}" for line in command_lines(shown)]
        blocks += [f"   {fence}", ""]
    lines += section("of_advice_commands", blocks)
    read = [sentences.about(data), *sentences.reading(data), *map(Data, data["notes"])]
    lines += section("of_advice_reading", [f"- {inline(one)}" for one in read])
    return "\n".join(lines).rstrip() + "\n"


def _longest_fence(text: str) -> int:
    """The longest row of backticks in a text."""
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return longest
