"""Writes the folder of ``assess --evidence``."""

from __future__ import annotations

import dataclasses
import datetime
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from duckrisk.base import toml
from duckrisk.base.errors import UsageError
from duckrisk.base.files import atomic_folder, check_target
from duckrisk.base.options import attribute, context, disclosure, identifiability, policy, select_options
from duckrisk.base.options.output import Judgement, Language, Output
from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.options.source import Distributed, Original, Request, Resources
from duckrisk.cli.output import input_files, write_text
from duckrisk.cli.settings import find_settings_file
from duckrisk.cli.signature import CommandLine

if TYPE_CHECKING:
    from duckrisk.decision.assessment.results import Assessment

#: Options whose words can hold values of records, or passwords; `verify` takes them again.
HIDDEN = ("where", "query", "attach")
#: Files of the folder besides the manifest, the report as JSON and the copy of the settings file.
PAGE, STATEMENT, LOG, RECIPE = "report.html", "statement.html", "log.sql", "recipe.toml"


@dataclasses.dataclass(frozen=True)
class EvidenceFolder:
    """The folder that a command writes, and what its manifest says of the command.

    Attributes:
        path: The folder.
        source: The source as it was given; None if it is hidden.
        arguments: The words that make a difference.
        hidden: Options that the words lack.
        hidden_settings: Keys of [source] that the copy of the settings file lacks.
        inputs: Files that the command reads besides its source.
        settings: The settings file; None without one.
        recipe: The recipe of the release that is assessed.
        private: Whether the report shows values of records.
    """

    path: Path
    source: str | None
    arguments: tuple[str, ...]
    hidden: tuple[str, ...]
    hidden_settings: tuple[str, ...]
    inputs: tuple[Path, ...]
    settings: Path | None
    recipe: Path | None
    private: bool

    @classmethod
    def of(cls, args: CommandLine, source: str | None, request: Request) -> EvidenceFolder:
        """Return the folder of a command line.

        Raises:
            UsageError: The folder exists, or the command writes its SQL log elsewhere.
            OutputError: The folder cannot be written.
        """
        from duckrisk.source.recipes import find_recipe

        path = args.options(Judgement).evidence
        assert path is not None
        if args.options(Resources).sql_log is not None:
            raise UsageError("evidence.holds_log", file=LOG)
        check_new_folder(path)
        private = args.options(Output).show_values
        given = args.values_of(Request)
        used = () if private else tuple(name for name in HIDDEN if getattr(request, name) is not None)
        hidden = tuple(name for name in used if name in given)
        return cls(
            path,
            source if request.attach is None or private else None,
            _list_words(args, hidden),
            hidden,
            tuple(name for name in used if name not in given),
            tuple(file for file in dict.fromkeys(input_files(args)) if str(file) != source),
            find_settings_file(args),
            find_recipe(request),
            private,
        )

    def write(
        self, run: Callable[[Resources], Assessment], resources: Resources, language: str
    ) -> Assessment:
        """Run an assessment and write its folder.

        Args:
            run: Assesses with resources, whose SQL log belongs to the folder.
            resources: The resources of the run.
            language: The language of the pages.

        Returns:
            The assessment.
        """
        with atomic_folder(self.path) as folder:
            folder.mkdir(mode=0o700)
            report = self._assess(run, resources, folder / LOG)
            self._write_files(folder, report, language)
            if not self.private:
                folder.chmod(0o755)
                for file in folder.iterdir():
                    file.chmod(0o644)
        return report

    def _assess(self, run: Callable[[Resources], Assessment], resources: Resources, log: Path) -> Assessment:
        """Assess with a log, unless it would hold what is hidden or could not be repeated."""
        if self.hidden or self.hidden_settings:
            return run(resources)
        try:
            return run(dataclasses.replace(resources, sql_log=str(log)))
        except UsageError as error:
            if error.key != "session.sql_log_of_unreadable_source":
                raise
            return run(resources)

    def _write_files(self, folder: Path, report: Assessment, language: str) -> None:
        from duckrisk.decision.evidence import DAYS_VALID, MANIFEST, REPORT, Manifest
        from duckrisk.report.render.html import to_html
        from duckrisk.report.sections.statement import make_document
        from duckrisk.source.digest import hash_file

        write_text(folder / REPORT, report.to_json())
        write_text(folder / PAGE, report.to_html(language))
        if self.settings is not None:
            self._write_settings(folder / self.settings.name)
        if self.recipe is not None:
            shutil.copyfile(self.recipe, folder / RECIPE)
        today = datetime.date.today()
        until = (today + datetime.timedelta(days=DAYS_VALID)).isoformat()
        files = {path.name: hash_file(path) for path in sorted(folder.iterdir())}
        statement = make_document(report, until, files, LOG in files)
        write_text(folder / STATEMENT, to_html(statement, language))
        files[STATEMENT] = hash_file(folder / STATEMENT)
        manifest = Manifest(
            self.source,
            self.arguments,
            self.hidden,
            self.hidden_settings,
            str(self.settings) if self.settings is not None else None,
            {str(path): hash_file(path) for path in self.inputs},
            files,
            today.isoformat(),
            until,
        )
        write_text(folder / MANIFEST, manifest.to_json())

    def _write_settings(self, target: Path) -> None:
        """Copy the settings file, without what may hold values if these are hidden."""
        assert self.settings is not None
        tables = toml.read_toml(self.settings, "settings file")
        source = tables.get("source", {})
        if self.private or not {*HIDDEN}.intersection(source):
            shutil.copyfile(self.settings, target)
            return
        tables["source"] = {name: value for name, value in source.items() if name not in HIDDEN}
        write_text(target, toml.format_document(tables))


def check_new_folder(path: Path) -> None:
    """Check that a folder can be made at a path.

    Raises:
        UsageError: Something is there already.
        OutputError: Its parent does not exist or cannot be written to.
    """
    if path.exists():
        raise UsageError("evidence.folder_exists", folder=path)
    check_target(path)


def _list_words(args: CommandLine, hidden: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a command line that make a difference to its report."""
    read = ("table", "encoding", "header", "skip_lines", *HIDDEN)
    return args.to_words(
        select_options(Request, *(name for name in read if name not in hidden)),
        select_options(Resources, "timezone", "read", "missing_tokens"),
        *(Original, Distributed, RoleOverrides, attribute.Options),
        select_options(Judgement, "only", "quick", "fail_on", "baseline"),
        *(disclosure.Options, identifiability.Options, context.Options, policy.Options),
        *(select_options(Output, "show_values"), Language),
    )
