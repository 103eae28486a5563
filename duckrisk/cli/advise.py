"""``duckrisk advise``: advises what to change first."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.base.options import advice as advising
from duckrisk.base.options import disclosure, identifiability, policy, select_options
from duckrisk.base.options.output import JUDGED_FORMATS, Language, Output, SettingsFile
from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli.judging import JUDGED
from duckrisk.cli.options import SourceArgument
from duckrisk.cli.pipeline import run_report_command
from duckrisk.cli.settings import read_resources, read_settings
from duckrisk.cli.signature import CommandLine, command
from duckrisk.decision.notices import VERDICT_SETTINGS

if TYPE_CHECKING:
    from duckrisk.release.anonymization import Treatment


#: Settings that no advice depends on.
_UNUSED = tuple(
    name for name in VERDICT_SETTINGS if name == "only" or name.startswith(("measures.", "engine."))
)


@command(
    *(Request, Resources, RoleOverrides, SettingsFile, advising.Options),
    select_options(policy.Options, "name"),
    select_options(identifiability.Options, "levels", "missing", "missing_tokens"),
    select_options(disclosure.Options, "hierarchies"),
    JUDGED,
    select_options(Output, "output", "format", "quiet", format={"choices": JUDGED_FORMATS}),
    Language,
)
def advise(args: CommandLine, source: SourceArgument = None) -> None:
    """Advise what to change first, for the least loss of information.

    Lists releases that keep a policy, or steps that lower the value of a leak.
    """
    from duckrisk.release import advice
    from duckrisk.release.advice.results import Advice

    settings = read_settings(args)
    request = args.options(Request, source=source).with_defaults_from(settings.source)
    levels = dataclasses.replace(settings.identifiability, time_limit=None)
    options, resources = args.options(advising.Options), read_resources(args)
    hierarchies = args.values_of(disclosure.Options).get("hierarchies")
    config = args.options(SettingsFile).config
    treatment, against = _read_hierarchies(hierarchies, config), settings.policy
    file_settings = settings.file_settings.drop(_UNUSED)

    def work(progress: Any) -> Advice:
        overrides = settings.overrides
        advised = advice.run(
            request, overrides, levels, options, resources, progress, treatment, against, file_settings
        )
        if treatment.hierarchies and (hierarchies or config):
            advised = advised.name_hierarchies(str(hierarchies or config))
        return dataclasses.replace(
            advised,
            settings_path=str(config) if config is not None else None,
            language_option=args.to_words(Language),
        )

    run_report_command(
        args,
        work,
        Advice,
        [request],
        lambda advised: [advised.source],
        lambda advised: advised.source,
        subject="Advice is",
        unmeasured=advice.list_unmeasured(options),
        settings=settings,
        command="advise",
    )


def _read_hierarchies(path: str | None, config: Path | None) -> Treatment:
    """Return a treatment with the hierarchies of a file, or of the settings file."""
    from duckrisk.api import config as settings_file
    from duckrisk.release.anonymization import make_treatment
    from duckrisk.source.hierarchies import read_specs

    if path is not None:
        return make_treatment((), None, None, path)
    file = config or Path(settings_file.NAME)
    return make_treatment((), None, None, read_specs(file, required=False), file.parent)
