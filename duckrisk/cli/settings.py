"""Options win over the settings file, and that over the defaults."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from duckrisk.base.errors import UsageError
from duckrisk.base.options.output import Judgement, Language, SettingsFile
from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.options.source import Distributed, Resources
from duckrisk.cli.signature import CommandLine

if TYPE_CHECKING:
    from duckrisk.decision.assessment import Settings


def settings_path(args: CommandLine) -> Path | None:
    """The settings file that was named, else the one in the current folder, if any."""
    from duckrisk.api import config

    path: Path | None = args.options(SettingsFile).config
    return path or (Path(config.NAME) if os.path.lexists(config.NAME) else None)


def read_settings(args: CommandLine) -> Settings:
    """The settings of the file, with the options that were given in their place; what they say of columns
    stands before what it says of them. Gates are read for the report that they judge."""
    from duckrisk.api import config
    from duckrisk.decision.assessment import Settings

    path = settings_path(args)
    settings = _with_policy(args, config.load(path) if path is not None else Settings())
    if settings.engine.is_given and not args.takes(Distributed):
        raise UsageError("engines.command_not_offered")
    return dataclasses.replace(
        settings,
        overrides=dataclasses.replace(args.options(RoleOverrides), settled=settings.overrides),
        measures=args.over(settings.measures),
        identifiability=args.over(settings.identifiability),
        disclosure=args.over(settings.disclosure),
        context=args.over(settings.context),
        policy=args.over(settings.policy),
        engine=args.over(settings.engine),
        only=args.options(Judgement).only or settings.only,
        language=args.over(settings.language),
        config=path.name if path is not None else None,
        file_settings=settings.file_settings.drop(args.settings()),
    )


def _with_policy(args: CommandLine, settings: Settings) -> Settings:
    """Return the settings with the published limits where the command line names the policy."""
    from duckrisk.decision import policy

    name = args.of(policy.Options).get("name")
    return settings if name is None else judge_by_published(settings, name, f"--policy {name}")


def judge_by_published(settings: Settings, name: str, option: str) -> Settings:
    """Return the settings with the published limits of a policy that an option names."""
    from duckrisk.decision import policy

    before = dataclasses.replace(settings.policy, name=name)
    file_settings = settings.file_settings.drop(("policy.name",))
    if policy.list_changed_limits(before):
        file_settings = dataclasses.replace(file_settings, overruled=option)
    return dataclasses.replace(settings, policy=policy.Options(name=name), file_settings=file_settings)


def resources_of(args: CommandLine) -> Resources:
    """Return what a run may use, with the time zone of the settings file where no option names one."""
    from duckrisk.api import config

    given, path = args.options(Resources), settings_path(args)
    return given if path is None else given.with_readings_from(config.load(path))


def language(args: CommandLine) -> str:
    """The language of a report of a command that reads nothing else of a settings file."""
    from duckrisk.api import config

    path = settings_path(args)
    return args.over(config.read_language(path) if path is not None else Language()).resolved


@contextlib.contextmanager
def settings_named(settings: Settings) -> Iterator[None]:
    """Let what is refused say that a settings file took part."""
    try:
        yield
    except UsageError as error:
        if settings.config is None:
            raise
        raise UsageError("cli.error_in_settings", error=error, config=settings.config) from None
