"""The forms that advice can take, given as its dictionary; each is one module of this package."""

from __future__ import annotations

from typing import Any


def to_text(data: dict[str, Any], encoding: str = "utf-8") -> str:
    """The text of an advice, of at most 80 columns."""
    from duckrisk.report.advice.terminal import to_text

    return to_text(data, encoding)


def to_markdown(data: dict[str, Any]) -> str:
    """The advice as Markdown text."""
    from duckrisk.report.advice.markdown import to_markdown

    return to_markdown(data)


def to_html(data: dict[str, Any]) -> str:
    """One self-contained HTML page."""
    from duckrisk.report.advice.html import to_html

    return to_html(data)
