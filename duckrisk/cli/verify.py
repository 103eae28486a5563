"""``duckrisk verify``: repeats an assessment from its evidence."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duckrisk.base.errors import UsageError
from duckrisk.base.options import select_options
from duckrisk.base.options.output import FORMATS, Language, Output
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli import app_of
from duckrisk.cli.evidence import HIDDEN
from duckrisk.cli.options import SourceArgument
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.signature import CommandLine, command, parse_words

if TYPE_CHECKING:
    from duckrisk.decision.evidence import Manifest


@command(
    select_options(Request, *HIDDEN),
    select_options(Resources, "memory", "threads", "temp"),
    select_options(Output, "output", "format", "quiet"),
    Language,
)
def verify(
    args: CommandLine,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder that --evidence wrote.")],
    source: SourceArgument = None,
) -> None:
    """Check the files of evidence, repeat its assessment, and say what differs.

    Without SOURCE the one that the evidence names is read. Exits with 1 if anything differs.
    """
    from duckrisk.cli.assess import read_job
    from duckrisk.decision import assessment, evidence

    manifest = evidence.read_manifest(folder)
    repeated = _parse_words(folder, manifest, _list_words(args, folder, manifest))
    request, settings, resources = read_job(repeated, source or manifest.source)
    given = args.options(Resources)
    # The folder may come from somebody else: it names no file to write.
    resources = dataclasses.replace(
        resources, memory=given.memory, threads=given.threads, temp=given.temp, sql_log=None
    )

    def work(progress: Any) -> Any:
        return evidence.verify(
            folder, manifest, lambda: assessment.run(request, settings, resources, progress)
        )

    run_report_command(
        args,
        work,
        None,
        [request],
        lambda report: [report.source],
        lambda report: report.source,
        forms=FORMATS,
        private=settings.show_values,
    )


def _list_words(args: CommandLine, folder: Path, manifest: Manifest) -> list[str]:
    """Return the words of the assessment, with what this command line adds to them.

    Raises:
        UsageError: A hidden option is not given again.
    """
    from duckrisk.source.digest import hash_file

    words, hidden = [*manifest.arguments, *args.to_words(Request)], manifest.hidden
    if manifest.settings is not None:
        settings = Path(manifest.settings)
        # Only the original finds the hierarchies next to it, and has what its copy lacks.
        is_there = settings.is_file() and manifest.inputs.get(manifest.settings) == hash_file(settings)
        words += ["--config", str(settings if is_there else folder / settings.name)]
        hidden += () if is_there else manifest.hidden_settings
    for name in hidden:
        if name not in args.values_of(Request):
            raise UsageError("evidence.hidden_option", folder=folder, option=f"--{name}")
    return words


def _parse_words(folder: Path, manifest: Manifest, words: list[str]) -> CommandLine:
    """Parse words of ``assess``.

    Raises:
        UsageError: The folder holds words that are none of its options.
    """
    from duckrisk.decision.evidence import MANIFEST

    root: Any = typer.main.get_command(app_of("assess"))
    parent = root.make_context("duckrisk", [], resilient_parsing=True)
    assess: Any = root.get_command(parent, "assess")
    try:
        return parse_words(assess, words, parent, reads_settings=manifest.settings is not None)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        raise UsageError("evidence.no_manifest", folder=folder, file=MANIFEST) from None
