"""The tools of ``duckrisk mcp``: they only read, and compute nothing about risk.

An answer is the JSON of a report, without values.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from duckrisk.base.errors import DuckriskError, UsageError, format_message, suggest_names
from duckrisk.base.folders import keep_staging_folders
from duckrisk.base.options.disclosure import PARTS
from duckrisk.base.options.policy import PRESETS
from duckrisk.base.options.source import Resources

if TYPE_CHECKING:
    from duckrisk.report.words import Words

#: Characters of an answer (a choice: some 25,000 tokens, a large part of what an agent reads at once).
MAX_ANSWER = 100_000
#: Characters of an argument (a choice: longer than paths and names of columns are).
MAX_ARGUMENT = 1_000
#: Files of the folder that are looked at to propose names (a choice: listing them takes no time).
_LISTED_FILES = 1_000


class Desk(NamedTuple):
    """The folder of the agents, the language, and the resources of a run as keywords."""

    root: Path
    words: Words
    resources: dict[str, Any]

    def answer(self, name: str, given: dict[str, Any]) -> tuple[str, bool]:
        """Answer a call with a text, and with whether it is an error."""
        from duckrisk.report.safe import escape_for_pipe, escape_unprintable

        try:
            if name not in TOOLS:
                raise UsageError("agents.unknown_tool", name=name[:MAX_ARGUMENT], names=", ".join(TOOLS))
            _check_arguments(name, given)
            paths = {key: self._find_table(given[key]) for key in (*_PATH, *_PAIR) if key in given}
            with keep_staging_folders():
                text = TOOLS[name].run(self, **{**given, **paths})
            if not isinstance(text, str):
                text = json.dumps(text, ensure_ascii=False, separators=(",", ":"))
            if len(text) > MAX_ANSWER:
                raise UsageError("agents.answer_too_long", count=len(text), limit=MAX_ANSWER)
            return escape_for_pipe(self._hide_root(text)), False
        except DuckriskError as error:
            return escape_unprintable(self._hide_root(str(error))), True
        except Exception as error:  # its text may quote a value
            return format_message("agents.failed", kind=type(error).__name__), True

    def _find_table(self, name: str) -> str:
        """Return the real path of a table in the folder.

        Raises:
            UsageError: The folder holds no such table; the sentence says nothing about files elsewhere.
        """
        from duckrisk.source.formats import File, detect_format
        from duckrisk.source.recipes import SUFFIX

        try:
            path = (self.root / name).resolve(strict=True)
            recipe = path.with_name(path.name + SUFFIX).resolve()  # read with its release
            is_known = path.is_file() and ".." not in Path(name).parts
            is_known = is_known and all(one.is_relative_to(self.root) for one in (path, recipe))
        except (OSError, ValueError, RuntimeError):  # too long, with a NUL, links in a circle
            is_known = False
        if not is_known:
            raise UsageError("agents.no_table", name=name, hint=suggest_names(name, self._list_tables()))
        if detect_format(File(name, path)).is_database:  # what it links to is not in the folder
            raise UsageError("agents.is_database", name=name)
        return str(path)

    def _list_tables(self) -> list[str]:
        """List names of the files at the top of the folder that may be tables."""
        from duckrisk.source.formats import format_by_name

        first = itertools.islice(self.root.iterdir(), _LISTED_FILES)
        # A name key=value shows a value of the data, and a link shows whether there is a file elsewhere.
        names = [path.name for path in first if format_by_name(path) is not None and not path.is_symlink()]
        return sorted(name for name in names if not name.startswith(".") and "=" not in name)

    def _hide_root(self, text: str) -> str:
        """Write paths as the agent does, in the folder."""
        from duckrisk.source.files import escape_glob

        root = os.path.join(self.root, "")
        in_json, in_sql = json.dumps(root, ensure_ascii=False)[1:-1], escape_glob(root).replace("'", "''")
        # A path begins after a blank or a quote: the folder may be called as a part of another text.
        pattern = "|".join(map(re.escape, (root, in_json, in_sql)))
        return re.sub(rf"(?<![^\s\"'])(?:{pattern})", "", text) if root != os.sep else text


def _check_arguments(tool: str, given: dict[str, Any]) -> None:
    """Refuse arguments that the schema of a tool refuses, in a sentence."""
    arguments, required = TOOLS[tool].arguments, TOOLS[tool].required
    for name, value in given.items():
        if name not in arguments:
            hint = suggest_names(name[:MAX_ARGUMENT], list(arguments))
            raise UsageError("agents.unknown_argument", tool=tool, name=name[:MAX_ARGUMENT], hint=hint)
        schema, what = arguments[name], f"a text of at most {MAX_ARGUMENT} characters"
        is_right = isinstance(value, str) and len(value) <= MAX_ARGUMENT
        if schema["type"] == "boolean":
            is_right, what = isinstance(value, bool), "true or false"
        elif "enum" in schema:
            is_right, what = is_right and value in schema["enum"], f"one of {', '.join(schema['enum'])}"
        if not is_right:
            raise UsageError("agents.wrong_argument", tool=tool, name=name, what=what)
    for name in required:
        if name not in given:
            raise UsageError("agents.argument_missing", tool=tool, name=name)


# --- tools -----------------------------------------------------------------------------------------


def _assess(desk: Desk, path: str, part: str | None = None, **given: Any) -> dict[str, Any]:
    from duckrisk.api import jobs

    return jobs.assess(path, only=part and (part,), **given, **desk.resources).to_dict()


def _judge(desk: Desk, path: str, quick: bool = True, **given: Any) -> dict[str, Any]:
    report = _assess(desk, path, quick=quick, **given)
    source = {key: report["source"][key] for key in ("name", "records", "users")}
    return {"source": source, "verdict": report["verdict"]}


def _advise(desk: Desk, path: str, **given: Any) -> dict[str, Any]:
    from duckrisk.api import jobs

    return jobs.advise(path, **given, **desk.resources).to_dict()


def _compare(desk: Desk, original: str, release: str, **given: Any) -> dict[str, Any]:
    from duckrisk.api import jobs

    return jobs.compare(original, release, **given, **desk.resources).to_dict()


def _explain(desk: Desk, name: str | None = None) -> str:
    from duckrisk.cli.explain import explain_topic

    return explain_topic(name, desk.words.language)


def _show_sql(desk: Desk, name: str, path: str | None = None, user: str | None = None) -> str:
    from duckrisk.api import listing, statements
    from duckrisk.measures import attribute
    from duckrisk.roles import RoleOverrides
    from duckrisk.source import Request

    if path is None and statements.is_algorithm(name):
        return statements.format_written(name)
    asked = (name, Request(path), RoleOverrides(user=user), attribute.Options())
    return listing.render_metric(*asked, resources=Resources(**desk.resources))


class Tool(NamedTuple):
    """What an agent can ask for: its text, what answers, the schemas of its arguments."""

    text: str
    run: Callable[..., str | dict[str, Any]]
    arguments: dict[str, dict[str, Any]]
    required: tuple[str, ...] = ("path",)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        fixed = {"type": "object", "required": list(self.required), "additionalProperties": False}
        return {**fixed, "properties": self.arguments}


def _text(description: str, *choices: str) -> dict[str, Any]:
    limits = {"enum": list(choices)} if choices else {"maxLength": MAX_ARGUMENT}
    return {"type": "string", "description": description, **limits}


_PATH = {"path": _text("A Parquet, CSV or JSON file in the folder.")}
_PAIR = dict.fromkeys(("original", "release"), _PATH["path"])
_USER = {"user": _text("The column of the person behind a record; guessed without it.")}
_JUDGED = {"policy": _text("Who gets the table; public without it.", *PRESETS), **_USER}
_QUICK = {"type": "boolean", "description": "Measure only what the verdict needs."}
_PART = _text("Measure this part alone.", "attribute_risk", "identifiability", "uniqueness", *PARTS)
_KEY = _text("The column that says which record is which in both tables.")
_ALIGNED = {"type": "boolean", "description": "Whether both tables have their records in the same order."}
_TERM = _text("A metric, a term, a key of an answer, options or policy; none lists all.")
_STATEMENT = _text("A metric, such as attribute_risk; an algorithm or a step takes no path.")
TOOLS = {
    "verdict": Tool(
        "Judge a table by a policy: the outcome, each limit with its figure, the reasons. Start here.",
        *(_judge, {**_PATH, **_JUDGED, "quick": {**_QUICK, "default": True}}),
    ),
    "assess": Tool(
        "Measure a table: who can be singled out, by what, at what cost. Of a wide table take a part.",
        *(_assess, {**_PATH, **_JUDGED, "part": _PART, "quick": _QUICK}),
    ),
    "advise": Tool("Find what keeps the policy for the least loss; may last.", _advise, {**_PATH, **_JUDGED}),
    "compare": Tool(
        "Compare a release with its original: the risk that is left, and what was lost for it.",
        *(_compare, {**_PAIR, **_JUDGED, "key": _KEY, "aligned": _ALIGNED}, tuple(_PAIR)),
    ),
    "explain": Tool(
        "Explain a metric, a term, a policy or a key of an answer.", _explain, {"name": _TERM}, ()
    ),
    "sql": Tool(
        "Show the SQL statement behind a number, which is not run.",
        *(_show_sql, {"name": _STATEMENT, **_PATH, **_USER}, ("name",)),
    ),
}
