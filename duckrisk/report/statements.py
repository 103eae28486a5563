"""Show the statements behind a report, without values of records and names of files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from duckrisk.base.results import Result
from duckrisk.decision.assessment.literals import split_sql
from duckrisk.engine.sql_log import Statement
from duckrisk.engine.templates import SQL_FOLDER, Template, template_of, topic_of

#: Characters of a statement on a page (a choice: some screens; `duckrisk sql show` prints all of it).
MAX_CHARACTERS = 5_000
#: Statements below a table (a choice: the first ones of its list make its main figures).
MAX_NAMES = 3
#: Replaces texts and numbers that the run put into a statement.
LEFT_OUT = "'…'"
#: Topics of statements that open sources: they hold names of files and the condition on records.
_OPENING = ("source", "engine")
#: A tag of Jinja in a template.
_TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
#: The header of a metric, which `duckrisk explain` prints.
_HEADER = re.compile(r"(?:--[^\n]*\n)*\s*")


@dataclass(frozen=True)
class ShownStatement:
    """The text of the first statement that ran under a name.

    `attribute` is the attribute that it was about. `is_masked` says that texts or numbers in it are replaced.
    `duckrisk sql show` prints the statement of a metric (`is_metric`) by its name.
    """

    name: str
    sql: str
    attribute: str | None
    is_cut: bool
    is_masked: bool
    is_metric: bool


class ExecutedStatements:
    """The statements of a run by their names, for one page.

    Statements that failed, or that opened a source, are not among them.

    Args:
        statements: The statements in the order in which they ran.
        show_values: Whether texts and numbers stay in them.
    """

    def __init__(self, statements: Sequence[Statement] = (), show_values: bool = False) -> None:
        self._show_values = show_values
        self._first: dict[str, Statement] = {}
        for statement in statements:
            if not statement.failed and topic_of(statement.name) not in (None, *_OPENING):
                self._first.setdefault(statement.name, statement)
        self._shown: set[str] = set()

    @classmethod
    def from_result(cls, result: Result) -> ExecutedStatements:
        """Collect the statements behind a result."""
        settings = getattr(result, "settings", None)
        return cls(getattr(result, "statements", ()), getattr(settings, "show_values", False))

    def select_ran(self, names: Sequence[str]) -> list[tuple[str, ShownStatement | None]]:
        """Select the statements to show below a table.

        Args:
            names: The names of the statements behind the table, the most important first.

        Returns:
            The first `MAX_NAMES` of the names that ran, each with its text; None if the page already has it.
        """
        ran = [name for name in dict.fromkeys(names) if name in self._first][:MAX_NAMES]
        new = {name: self._mask(name) for name in ran if name not in self._shown}
        self._shown |= new.keys()
        return [(name, new.get(name)) for name in ran]

    def find(self, name: str) -> ShownStatement | None:
        """Return the first statement that ran under a name; None if none did."""
        return self._mask(name) if name in self._first else None

    def _mask(self, name: str) -> ShownStatement:
        template, statement = template_of(name), self._first[name]
        sql = _HEADER.sub("", statement.sql, count=1) if template.is_metric else statement.sql
        sql = sql.rstrip()
        text, is_masked, is_cut = f"-- {template.summary}\n", False, False
        for is_original, part in [(True, sql)] if self._show_values else _mask_parts(sql, template):
            is_masked |= not is_original
            text += part
            if is_cut := len(text) > MAX_CHARACTERS:
                text = text[:MAX_CHARACTERS].rpartition("\n")[0] or text[:MAX_CHARACTERS]
                break
        return ShownStatement(name, text, statement.attribute, is_cut, is_masked, template.is_metric)


def _mask_parts(sql: str, template: Template) -> Iterator[tuple[bool, str]]:
    """Yield the parts of a statement, and whether each is original rather than masked.

    Texts and comments that the template itself holds are original. Numbers are too, unless the template takes
    an expression: that can be the user's own condition on the records.
    """
    constants = _find_template_constants(template.name)
    takes_expression = any(p.type.startswith("expression") for p in template.parameters)
    for kind, part in split_sql(sql):
        if kind == "name" or part in constants or (kind == "number" and not takes_expression):
            yield True, part
        elif kind != "comment":
            yield False, LEFT_OUT


@cache
def _find_template_constants(name: str) -> frozenset[str]:
    """Find the texts, numbers and comments in a template.

    Those of the knowledge templates that it can include are among them.
    """
    text = _TAG.sub(" ", template_of(name).text)
    return frozenset(part for kind, part in split_sql(text) if kind != "name") | _find_knowledge_constants()


@cache
def _find_knowledge_constants() -> frozenset[str]:
    texts = (_TAG.sub(" ", file.read_text("utf-8")) for file in (SQL_FOLDER / "knowledge").glob("*.sql"))
    return frozenset(
        part for text in texts for kind, part in split_sql(text) if kind not in ("name", "number")
    )
