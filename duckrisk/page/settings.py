"""Turn a state into the settings file and the commands of the command line."""

from __future__ import annotations

import glob
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from duckrisk.api import config
from duckrisk.base import toml
from duckrisk.base.files import write_file
from duckrisk.base.options.output import Language
from duckrisk.base.options.roles import RoleOverrides
from duckrisk.decision import policy
from duckrisk.decision.assessment import Settings
from duckrisk.page.state import State

#: Names of the files of an export.
SETTINGS, RECIPE, RELEASE, LOG, COMMANDS = (
    *("duckrisk.toml", "recipe.toml", "release.parquet", "release.sql", "commands.sh"),
)
#: The report to read, and the one that has the same bytes in every run: it holds no seconds.
REPORT, FIGURES = "report.html", "report.json"

#: Settings that the page shows in controls of its own.
_SHOWN = ("user", "columns", "policy.name")


@dataclass(frozen=True)
class Given:
    """What the page was opened with.

    Attributes:
        source: The source, as it was typed.
        content: The tables of a settings file; {} without one.
        folder: Its folder, which files of hierarchies are relative to.
        language: The language that was asked for; None without one.
        show_values: Whether values of records may appear.
        table: The table of a database; None for its only one, or a file.
        has_log: Whether an SQL log could read the source again.
    """

    source: str
    content: Mapping[str, Any] = field(default_factory=dict)
    folder: Path = Path(".")
    language: str | None = None
    show_values: bool = False
    table: str | None = None
    has_log: bool = True

    @property
    def log(self) -> tuple[str, ...]:
        """The words that ask for the SQL log."""
        return ("--sql-log", LOG) if self.has_log else ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words of a command that name the source."""
        table = ("--table", self.table) if self.table is not None else ()
        return (*table, self.address)

    @property
    def original(self) -> str:
        """The source as ``--original`` takes it."""
        return self.address if self.table is None else f"{self.address}:{self.table}"

    @property
    def policy(self) -> str:
        """The policy of the settings file, else that of a command without any."""
        table = self.content.get("policy", {})
        return str(table.get("name", policy.Options().name))

    @property
    def report_language(self) -> str:
        """The language of the page and its reports: as asked, else of the settings file."""
        return Language(self.language or self.content.get("report", {}).get("language")).resolved

    @property
    def options(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Options of exported commands: the settings file, the language, and values."""
        spoken = ("--lang", self.language) if self.language is not None else ()
        return ("--config", SETTINGS), spoken, ("--show-values",) if self.show_values else ()

    def loses_limits(self, state: State) -> bool:
        """Return whether limits of the settings file do not count under a policy."""
        return state.policy not in (None, self.policy) and len(self.content.get("policy", {})) > 1

    @property
    def address(self) -> str:
        """The source by its whole path or pattern, for commands in any folder."""
        here = os.getcwd() if os.path.exists(self.source) else glob.escape(os.getcwd())
        return os.path.normpath(os.path.join(here, self.source))


def write_settings(given: Given, state: State) -> str:
    """Write the settings file of a state.

    Args:
        given: What the page was opened with.
        state: The decisions; they come before those of the settings file.
    """
    content = {key: dict(value) if isinstance(value, dict) else value for key, value in given.content.items()}
    roles = dict(state.roles)
    columns = {name: role for name, role in content.pop("columns", {}).items() if name not in roles}
    user = next((name for name, role in state.roles if role in ("user", "pseudonym")), None)
    if user is not None or roles.get(str(content.get("user", "")), "identifier") != "identifier":
        content.pop("user", None)
        columns = {name: role for name, role in columns.items() if role not in ("user", "pseudonym")}
    if user is not None:
        content = {"user": user, **content}
    # The user column has its name above, and a role only if that says whose its numbers are.
    columns |= {name: role for name, role in roles.items() if role != "user"}
    if state.policy is not None:
        # Limits of the file are of the policy that it names.
        kept = content.get("policy", {}) if state.policy == given.policy else {}
        content["policy"] = {**kept, "name": state.policy}
    specs = content.pop("hierarchies", {})
    content["columns"] = columns
    content["hierarchies"] = {name: _locate(given, spec) for name, spec in specs.items()}
    return toml.format_document(content)


def _locate(given: Given, spec: Any) -> Any:
    return os.path.abspath(given.folder / spec) if isinstance(spec, str) else spec


def write_text(path: Path, text: str) -> None:
    """Write a file that only this user can read, with the line ends of the text."""
    write_file(path, lambda unfinished: _write_bytes(unfinished, text), private=True)


def _write_bytes(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", errors="backslashreplace"))


def read_settings(path: Path) -> Settings:
    """Read a settings file as a command with ``--config`` does.

    Args:
        path: The file.
    """
    settings = config.load(path)
    return replace(settings, overrides=RoleOverrides(settled=settings.overrides), config=path.name)


def without_repetition(settings: Settings) -> Settings:
    """Return settings without notices on roles and the policy, which the page shows."""
    return replace(settings, file_settings=settings.file_settings.drop(_SHOWN), config=None)


def list_commands(given: Given, state: State) -> tuple[tuple[str, ...], ...]:
    """List the commands that make all files of an export in its folder.

    Args:
        given: What the page was opened with.
        state: The decisions.
    """
    asked, spoken, values = given.options
    if not state.is_treated:
        assess = ("duckrisk", "assess", *asked, *spoken, *values)
        return (
            (*assess, "-o", FIGURES, *given.log, *given.words),
            (*assess, "-o", REPORT, *given.words),
        )
    made = ("--recipe", RECIPE, "-o", RELEASE, *given.log)
    treat = ("duckrisk", "anonymize", *asked, *made, *given.words)
    assess = ("duckrisk", "assess", "--original", given.original, *asked, *spoken, *values)
    return treat, *((*assess, "-o", name, RELEASE) for name in (FIGURES, REPORT))


def write_commands(given: Given, state: State) -> str:
    """Write the commands as a script."""
    return "".join(f"{shlex.join(words)}\n" for words in list_commands(given, state))
