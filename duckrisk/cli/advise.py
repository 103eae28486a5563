"""``duckrisk advise``: what to change first."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.base.options import advice as advising
from duckrisk.base.options import disclosure, identifiability, policy
from duckrisk.base.options.output import JUDGED_FORMATS, Language, Output, SettingsFile
from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli.judging import JUDGED, finish, judged
from duckrisk.cli.options import SourceArgument
from duckrisk.cli.output import check_outputs, form_of, give, in_form, remark_written, watched
from duckrisk.cli.settings import read_settings, resources_of, settings_named
from duckrisk.cli.signature import CommandLine, command, some
from duckrisk.decision.notices import VERDICT_SETTINGS

if TYPE_CHECKING:
    from duckrisk.source.hierarchies import Definition


#: Settings of a file that no advice looks at.
_UNUSED = tuple(
    name for name in VERDICT_SETTINGS if name == "only" or name.startswith(("measures.", "engine."))
)


@command(
    *(Request, Resources, RoleOverrides, SettingsFile, advising.Options),
    some(policy.Options, "name"),
    some(identifiability.Options, "levels", "missing", "missing_tokens"),
    some(disclosure.Options, "hierarchies"),
    JUDGED,
    some(Output, "output", "format", "quiet", format={"choices": JUDGED_FORMATS}),
    Language,
)
def advise(args: CommandLine, source: SourceArgument = None) -> None:
    """Advise what to change first: the steps that lead to a policy, or lower the value of a leak, for the
    least loss."""
    from duckrisk.release import advice
    from duckrisk.release.advice.results import Advice

    out = args.options(Output)
    form = form_of(out.format, out.output, "Advice is", JUDGED_FORMATS)
    settings = read_settings(args)
    request = args.options(Request, source=source).or_else(settings.source)
    check_outputs(args, [request])
    levels = dataclasses.replace(settings.identifiability, time_limit=None)
    options, resources = args.options(advising.Options), resources_of(args)
    hierarchies = args.of(disclosure.Options).get("hierarchies")
    config = args.options(SettingsFile).config
    usable, against = _hierarchies(hierarchies, config), settings.policy
    file_settings = settings.file_settings.drop(_UNUSED)

    def work(progress: Any) -> Advice:
        overrides = settings.overrides
        settled = usable, against, file_settings
        return advice.run(request, overrides, levels, options, resources, progress, *settled)

    with settings_named(settings):
        judged_work = judged(work, args, Advice, advice.list_unmeasured(options))
        advised = watched(judged_work, out.quiet, settings.language.spoken, "advise")
    if usable and (hierarchies or config):
        advised = advised.with_hierarchies_of(str(hierarchies or config))
    advised = dataclasses.replace(advised, settings_path=str(config) if config is not None else None)
    if form == "table" and out.output is None and sys.stdout.isatty():
        from duckrisk.report.forms import print_report

        print_report(advised, sys.stdout, language=settings.language.spoken)
    else:
        give(in_form(advised, form, settings.language.spoken, sources=[advised.source]), out.output)
        remark_written(out)
    finish(advised, args, advised.source, settings.language.spoken)


def _hierarchies(path: str | None, config: Path | None) -> Mapping[str, Definition]:
    """The hierarchies of their own file, else of the settings."""
    from duckrisk.api import config as settings_file
    from duckrisk.source.hierarchies import load

    if path is not None:
        return load(Path(path))
    return load(config or Path(settings_file.NAME), required=False)
