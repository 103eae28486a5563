"""A finished assessment and the forms it can take; each form is one module of this package."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from duckrisk.session import Resources, Statement

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Report:
    """The result of an assessment.

    ``data`` is what the JSON report holds, documented in ``duckrisk/report/schema.json``; probabilities
    are between 0 and 1. ``statements`` are the executed SQL statements with their times in seconds.
    """

    data: dict[str, Any]
    statements: tuple[Statement, ...] = ()
    resources: Resources | None = None

    def __repr__(self) -> str:
        from duckrisk.report.sentences import in_short

        return f"<duckrisk Report: {in_short(self.data)}>"

    @property
    def passed(self) -> bool:
        """Whether all gates were passed."""
        return all(gate["passed"] for gate in self.data["gates"])

    def to_dict(self) -> dict[str, Any]:
        """A copy of the data, as in the JSON report."""
        made: dict[str, Any] = json.loads(self.to_json())
        return made

    def to_json(self) -> str:
        """The JSON report: the same bytes for the same input, seed and settings."""
        return json.dumps(self.data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_frame(self) -> pandas.DataFrame:
        """The attributes as a pandas DataFrame, one row each. The columns are those of ``attribute_risk`` in
        the JSON report, the most dangerous attribute first, ``sampled_`` ones flattened; where only
        identifiability was to be measured, those of ``identifiability.attributes``, in their order there."""
        import pandas

        from duckrisk.report.tables import flat_rows

        return pandas.DataFrame(flat_rows(self.data))

    def to_html(self) -> str:
        """One self-contained HTML page."""
        from duckrisk.report.html import to_html

        return to_html(self)

    def to_markdown(self) -> str:
        """The report as Markdown text."""
        from duckrisk.report.markdown import to_markdown

        return to_markdown(self)

    def _repr_html_(self) -> str:
        from duckrisk.report.html import notebook_fragment

        return notebook_fragment(self)
