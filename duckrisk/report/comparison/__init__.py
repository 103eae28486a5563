"""A finished comparison and the forms it can take; each form is one module of this package."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison. ``data`` is what the JSON report holds, documented in
    ``duckrisk/report/comparison/schema.json``: the original first, then each release."""

    data: dict[str, Any]

    def __repr__(self) -> str:
        from duckrisk.report.comparison.sentences import headline

        return f"<duckrisk Comparison: {headline(self.data).plain()}>"

    def to_dict(self) -> dict[str, Any]:
        """A copy of the data, as in the JSON report."""
        made: dict[str, Any] = json.loads(self.to_json())
        return made

    def to_json(self) -> str:
        """The JSON report: the same bytes for the same input, seed and settings."""
        return json.dumps(self.data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """The comparison as Markdown text."""
        from duckrisk.report.comparison.markdown import to_markdown

        return to_markdown(self)

    def to_html(self) -> str:
        """One self-contained HTML page."""
        from duckrisk.report.comparison.html import to_html

        return to_html(self)

    def to_text(self, width: int = 80) -> str:
        """What the command prints."""
        import io

        from duckrisk.report.comparison.terminal import print_comparison

        file = io.StringIO()
        print_comparison(self, file, width)
        return file.getvalue()
