"""Merges the options, the settings file and the defaults, in this order of priority."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from duckrisk.base.errors import UsageError
from duckrisk.base.options import policy
from duckrisk.base.options.output import Judgement, Language, Output, SettingsFile
from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.options.sequence import EarlierOptions
from duckrisk.base.options.source import Distributed, Resources
from duckrisk.cli.signature import CommandLine

if TYPE_CHECKING:
    from duckrisk.decision.assessment import Settings


def find_settings_file(args: CommandLine) -> Path | None:
    """Return the named settings file, else that of the current folder, else None."""
    from duckrisk.api import config

    path: Path | None = args.options(SettingsFile).config
    is_here = args.reads_settings and os.path.lexists(config.NAME)
    return path or (Path(config.NAME) if is_here else None)


def read_settings(args: CommandLine) -> Settings:
    """Return the settings of the file, overridden by the given options.

    Options on columns come before those of the file. Gates are read separately, for each kind of report.
    """
    from duckrisk.api import config
    from duckrisk.decision.assessment import Settings

    path = find_settings_file(args)
    settings = _with_policy(args, config.load(path) if path is not None else Settings())
    if settings.engine.is_given and not args.has_options(Distributed):
        raise UsageError("engines.command_not_offered")
    earlier, file_settings = settings.earlier, settings.file_settings.drop(args.given_settings())
    if not args.has_options(EarlierOptions):
        file_settings = file_settings.drop(("source.earlier", "source.key_tables"))
        _note_earlier(args, settings)
        earlier = EarlierOptions()
    return dataclasses.replace(
        settings,
        overrides=dataclasses.replace(args.options(RoleOverrides), settled=settings.overrides),
        measures=args.override(settings.measures),
        identifiability=args.override(settings.identifiability),
        disclosure=args.override(settings.disclosure),
        context=args.override(settings.context),
        policy=args.override(settings.policy),
        engine=args.override(settings.engine),
        only=args.options(Judgement).only or settings.only,
        quick=args.options(Judgement).quick,
        language=args.override(settings.language),
        earlier=args.override(earlier),
        config=path.name if path is not None else None,
        file_settings=file_settings,
    )


def _note_earlier(args: CommandLine, settings: Settings) -> None:
    """Say that a command judges without the earlier releases of the settings file."""
    from duckrisk.cli.output import print_notice

    if not settings.earlier.earlier or not args.has_options(policy.Options) or args.options(Output).quiet:
        return
    from duckrisk.base.sentences import Data, Sentence
    from duckrisk.report.words import Words

    sentence = Sentence("notice.earlier", file=Data(settings.file_settings.file or ""))
    print_notice(Words(report_language(args)).format(sentence))


def _with_policy(args: CommandLine, settings: Settings) -> Settings:
    """Return the settings; a policy of the command line has its published limits."""
    from duckrisk.decision import policy

    name = args.values_of(policy.Options).get("name")
    return settings if name is None else judge_by_published(settings, name, f"--policy {name}")


def judge_by_published(settings: Settings, name: str, option: str) -> Settings:
    """Return the settings with the published limits of a policy that an option names."""
    from duckrisk.decision import policy

    before = dataclasses.replace(settings.policy, name=name)
    file_settings = settings.file_settings.drop(("policy.name",))
    if policy.list_changed_limits(before):
        file_settings = dataclasses.replace(file_settings, overruled=option)
    return dataclasses.replace(settings, policy=policy.Options(name=name), file_settings=file_settings)


def read_resources(args: CommandLine) -> Resources:
    """Return the resources of a run, completed with the readings of the settings file."""
    from duckrisk.api import config

    given, path = args.options(Resources), find_settings_file(args)
    return given if path is None else given.with_readings_from(config.load(path))


def report_language(args: CommandLine) -> str:
    """Return the language of a report, from the options or the settings file."""
    from duckrisk.api import config

    path = find_settings_file(args)
    return args.override(config.read_language(path) if path is not None else Language()).resolved


@contextlib.contextmanager
def name_settings_in_errors(settings: Settings) -> Iterator[None]:
    """Name the settings file in usage errors, because it may be their cause."""
    try:
        yield
    except UsageError as error:
        if settings.config is None:
            raise
        raise UsageError("cli.error_in_settings", error=error, config=settings.config) from None
