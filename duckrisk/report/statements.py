"""The statements behind a report as a page may show them: without values of records and names of files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from duckrisk.base.results import Result
from duckrisk.decision.assessment.literals import split_sql
from duckrisk.engine.sql_log import Statement
from duckrisk.engine.templates import SQL_FOLDER, Template, template_of, topic_of

#: A statement is cut after so many characters.
MOST_CHARACTERS = 5_000
#: Under so many statements a table stands at most.
MOST_NAMES = 3
#: What stands for a text that is given to a statement.
LEFT_OUT = "'…'"
#: These open sources: they name files, and hold the condition that records have to meet.
_OPENING = ("source", "engine")
#: What Jinja puts into a template.
_PUT_IN = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
#: What a metric says of itself before its statement: ``duckrisk explain`` has that.
_HEADER = re.compile(r"(?:--[^\n]*\n)*\s*")


@dataclass(frozen=True)
class Shown:
    """What a page shows of the first statement of a name that ran: its text, the attribute it was about, if
    any, whether the text is ``cut``, whether texts are left out in it, and whether ``duckrisk sql show``
    prints it by its name."""

    name: str
    sql: str
    attribute: str | None
    cut: bool
    masked: bool
    metric: bool


class Executed:
    """The statements of a run by their names, for one page."""

    def __init__(self, statements: Sequence[Statement] = (), show_values: bool = False) -> None:
        self._show_values = show_values
        self._first: dict[str, Statement] = {}
        for statement in statements:
            if not statement.failed and topic_of(statement.name) not in (None, *_OPENING):
                self._first.setdefault(statement.name, statement)
        self._told: set[str] = set()

    @classmethod
    def of(cls, result: Result) -> Executed:
        """Those behind a result."""
        settings = getattr(result, "settings", None)
        return cls(getattr(result, "statements", ()), getattr(settings, "show_values", False))

    def behind(self, names: Sequence[str]) -> list[tuple[str, Shown | None]]:
        """Those of the names that ran, each with its text where the page does not have that yet."""
        ran = [name for name in dict.fromkeys(names) if name in self._first][:MOST_NAMES]
        new = {name: self._shown(name) for name in ran if name not in self._told}
        self._told |= new.keys()
        return [(name, new.get(name)) for name in ran]

    def of_name(self, name: str) -> Shown | None:
        """The first of a name that ran, if one did, however often it was told."""
        return self._shown(name) if name in self._first else None

    def _shown(self, name: str) -> Shown:
        template, statement = template_of(name), self._first[name]
        sql = _HEADER.sub("", statement.sql, count=1) if template.is_metric else statement.sql
        sql = sql.rstrip()
        text, masked, cut = f"-- {template.summary}\n", False, False
        for kept, part in [(True, sql)] if self._show_values else _kept(sql, template):
            masked |= not kept
            text += part
            if cut := len(text) > MOST_CHARACTERS:
                text = text[:MOST_CHARACTERS].rpartition("\n")[0] or text[:MOST_CHARACTERS]
                break
        return Shown(name, text, statement.attribute, cut, masked, template.is_metric)


def _kept(sql: str, template: Template) -> Iterator[tuple[bool, str]]:
    """The parts of a statement, and whether each is as it ran. Texts and comments are kept that stand in the
    template; so are numbers, unless somebody's own condition can be among its arguments."""
    own = _constants(template.name)
    open_to_conditions = any(p.type.startswith("expression") for p in template.parameters)
    for kind, part in split_sql(sql):
        if kind == "name" or part in own or (kind == "number" and not open_to_conditions):
            yield True, part
        elif kind != "comment":
            yield False, LEFT_OUT


@cache
def _constants(name: str) -> frozenset[str]:
    """The texts, numbers and comments of a template as it is written, and those of what an attacker knows."""
    own = _PUT_IN.sub(" ", template_of(name).text)
    return frozenset(part for kind, part in split_sql(own) if kind != "name") | _constants_of_knowledge()


@cache
def _constants_of_knowledge() -> frozenset[str]:
    texts = (_PUT_IN.sub(" ", file.read_text("utf-8")) for file in (SQL_FOLDER / "knowledge").glob("*.sql"))
    return frozenset(
        part for text in texts for kind, part in split_sql(text) if kind not in ("name", "number")
    )
