"""A finished score of releases of a history and the forms it can take; each form is a module beside this."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from duckrisk.session import Statement


@dataclass(frozen=True)
class Score:
    """The result of a score, or of a look at utility alone.

    ``data`` is what the JSON report holds, documented in ``duckrisk/report/pwscup/score_schema.json``: the
    figures of one release stand at the top, those of several under ``submissions``, the best first.
    ``statements`` are the executed SQL statements with their times in seconds.
    """

    data: dict[str, Any]
    statements: tuple[Statement, ...] = ()

    def __repr__(self) -> str:
        from duckrisk.report.pwscup.score_sentences import headlines

        return f"<duckrisk Score: {headlines(self.data)[0].plain()}>"

    @property
    def submissions(self) -> list[dict[str, Any]]:
        """The figures of each release, the best first."""
        return submissions(self.data)

    def to_dict(self) -> dict[str, Any]:
        """A copy of the data, as in the JSON report."""
        made: dict[str, Any] = json.loads(self.to_json())
        return made

    def to_json(self) -> str:
        """The JSON report: the same bytes for the same input, seed and settings."""
        return json.dumps(self.data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """The score as Markdown text."""
        from duckrisk.report.pwscup.score_markdown import to_markdown

        return to_markdown(self)

    def to_html(self) -> str:
        """One self-contained HTML page."""
        from duckrisk.report.pwscup.score_html import to_html

        return to_html(self)

    def to_text(self, width: int = 80) -> str:
        """What the command prints."""
        import io

        from duckrisk.report.pwscup.score_terminal import print_score

        file = io.StringIO()
        print_score(self, file, width)
        return file.getvalue()


def submissions(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The figures of each release, the best first."""
    found: list[dict[str, Any]] = data.get("submissions", [data])
    return found
