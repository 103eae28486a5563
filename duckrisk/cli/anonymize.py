"""``duckrisk anonymize``: a treatment, and the release that it makes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.base.errors import NotReachedError, UsageError
from duckrisk.base.options import identifiability, options_of, select_options
from duckrisk.base.options.anonymization import OF_SETTINGS, Methods, Options
from duckrisk.base.options.output import FINDINGS, JUDGED_FORMATS, Judgement, Language, Output, SettingsFile
from duckrisk.base.options.roles import RoleOverrides, typed_option
from duckrisk.base.options.source import Distributed, Request, Resources
from duckrisk.cli.judging import JUDGED, finish, gates_of, write_junit
from duckrisk.cli.options import SourceArgument
from duckrisk.cli.output import check_outputs, form_of, in_form, print_status, watched
from duckrisk.cli.settings import judge_by_published, read_settings, settings_named
from duckrisk.cli.signature import CommandLine, command

if TYPE_CHECKING:
    from duckrisk.decision.assessment import Settings
    from duckrisk.decision.notices import FileSettings
    from duckrisk.release.anonymization import Step, Treatment


#: The options that methods and roles have in common.
_SHARED = ("user", "quasi_identifiers", "keep")
_FAIL_ON = (
    "Exit with 1 and write nothing if this holds of a number of the JSON summary, such as 'released < 1000', "
    "or with --to-policy 'policy.detail_left < 0.5'."
)


@command(
    *(Methods, Options, Request, RoleOverrides, SettingsFile, Resources, Distributed, Language),
    select_options(identifiability.Options, "missing_tokens"),
    select_options(Judgement, *JUDGED.names, fail_on={"help": _FAIL_ON}),
    select_options(
        Output,
        *("output", "format", "overwrite", "quiet"),
        output={"help": "The release: a .parquet or .csv file.", "default_text": ""},
        format={"help": "The format of the summary.", "default_text": "table", "choices": JUDGED_FORMATS},
        quiet={"help": "No progress and no summary."},
    ),
)
def anonymize(args: CommandLine, source: SourceArgument = None) -> None:
    """Anonymize a table and write the release.

    Methods can be repeated and run in the order of their numbers. What was done is kept beside the release
    as a recipe, OUT.recipe.toml, to be read, changed and run again with --recipe.
    """
    from duckrisk.release.advice.releasing import release_of
    from duckrisk.release.anonymization import Release, make_release_judge, run

    out, options, resources = args.options(Output), args.options(Options), args.options(Resources)
    form = form_of(out.format, None, "The summary is", JUDGED_FORMATS)
    asked = args.options(Methods)
    settings = read_settings(args)
    with settings_named(settings):
        if options.to_policy is None:
            if unused := {name for name, value in args.of(RoleOverrides).items() if value} - set(_SHARED):
                raise UsageError("cli.roles_without_to_policy", option=_flag(min(unused)))
            keys = options.keys if options.recipe is None else None
            treatment = _treatment(_steps(asked, keys), options, args.options(SettingsFile).config)
        else:
            treatment = _towards_policy(args, asked, options, settings.engine)
            settings = _with_named_policy(settings, options.to_policy)
        given = args.options(Request, source=source)
        request = given.with_defaults_from(treatment.source).with_defaults_from(
            _beside_recipe(settings.source, treatment)
        )
        resources = resources.with_readings_from(treatment, settings)
        file_settings = _settled(settings.file_settings, treatment, options, args.settings())
        target = _target(out.output, options.into, options.into_table, out.overwrite)
        check_outputs(args, [request], folder=settings.engine.is_given)
        gates = gates_of(args, Release, policy=options.to_policy is not None)
        judge = make_release_judge(gates, args.options(Judgement).baseline, options.to_policy)

        def work(progress: Any) -> Any:
            if options.to_policy is None:
                engine = settings.engine
                made = (request, treatment, target, resources, progress, judge)
                return run(*made, engine=engine, file_settings=file_settings, overrides=settings.overrides)
            return release_of(
                request,
                settings.overrides,
                settings.identifiability.missing_tokens,
                settings.policy,
                treatment,
                target,
                resources,
                progress,
                judge,
                file_settings,
                next(iter(asked.drop), None),
            )

        named = [source or str(target.path)]
        try:
            release = watched(work, out.quiet, settings.language.resolved, "anonymize")
        except NotReachedError as error:
            _withheld(error, args, form, named, settings.language.resolved)
            raise
    if out.output and _can_compare(request):
        judging = _judging_options(args, resources)
        release = dataclasses.replace(release, original=request.source, role_options=judging)
    shown = not out.quiet or out.format is not None
    if shown:
        print_status(in_form(release, form, settings.language.resolved, sources=named))
        out = dataclasses.replace(out, output=None)  # where the summary went
    finish(release, args, str(release.path), settings.language.resolved, out=out)


def _can_compare(request: Request) -> bool:
    """Return whether a comparison reads the same records by the name of the source alone."""
    said = (request.where, request.query, request.attach, request.table, request.encoding, request.header)
    plain = said == (None,) * 6 and request.skip_lines is None
    return plain and isinstance(request.source, str) and request.source != "-"


def _judging_options(args: CommandLine, resources: Resources) -> tuple[tuple[str, ...], ...]:
    """Return the options that a comparison judges by; methods name quasi-identifiers of their own."""
    overrides = args.options(RoleOverrides)
    if args.options(Options).to_policy is None:
        overrides = RoleOverrides(user=overrides.user, keep=overrides.keep)
    config = args.options(SettingsFile).config
    settings = [typed_option("--config", str(config))] if config is not None else []
    return (*overrides.options, *settings, *resources.reading_options)


def _flag(name: str) -> str:
    """Return the flag of an option of roles."""
    return options_of(RoleOverrides)[name].flags[-1]


def _withheld(
    error: NotReachedError, args: CommandLine, form: str, sources: Sequence[str], language: str
) -> None:
    """Say where a pipeline looks for it that no release keeps the policy."""
    from duckrisk.report.render import annotations

    write_junit(error, args, str(args.options(Output).output), language)
    if form in FINDINGS:
        print_status(getattr(annotations, f"to_{form}")(error, sources, language))


def _towards_policy(args: CommandLine, asked: Methods, options: Options, engine: Distributed) -> Treatment:
    """The treatment that is to keep a policy: its hierarchies and its seed."""
    others = [name for name, value in args.of(Methods).items() if value and name not in (*_SHARED, "drop")]
    if others or len(asked.drop) > 1 or options.recipe is not None or options.keys is not None:
        raise UsageError("cli.methods_with_to_policy")
    if options.into is not None:
        raise UsageError("cli.to_policy_without_file")
    if engine.is_given:
        raise UsageError("engines.feature_not_offered", what="--to-policy")
    return dataclasses.replace(_treatment([], options, args.options(SettingsFile).config), steps=())


def _with_named_policy(settings: Settings, name: str) -> Settings:
    """Return the settings with the policy that ``--to-policy`` names: published limits, unless it is that of
    the settings file."""
    if name != OF_SETTINGS:
        return judge_by_published(settings, name, f"--to-policy {name}")
    if not settings.file_settings.select_tables("policy").values:
        raise UsageError("cli.policy_settings_missing")
    return settings


def _beside_recipe(source: Request, treatment: Treatment) -> Request:
    """Return how a settings file opens a source, without its choice of records where a recipe has its own."""
    if treatment.source == Request():
        return source
    return dataclasses.replace(source, where=None, query=None, beside=())


def _settled(
    file_settings: FileSettings, treatment: Treatment, options: Options, given: set[str]
) -> FileSettings:
    """Return what a settings file or a recipe decides of a release."""
    if options.to_policy is not None:
        roles = ("user", "attributes", "ignore", "columns")
        return file_settings.select_tables(*roles, "source", "policy", "identifiability")
    chosen = dataclasses.replace(file_settings.select_tables("source"), overruled=None)
    if options.recipe is not None:
        chosen = chosen.add_recipe(options.recipe.name, treatment.source)
    if treatment.timezone is not None:
        chosen = chosen.drop(("source.timezone",))
    if treatment.read:
        chosen = chosen.drop(("source.read",))
    return chosen.drop(given)


def _target(output: Path | None, into: str | None, into_table: str | None, overwrite: bool) -> Any:
    from duckrisk.release.anonymization import Target
    from duckrisk.release.anonymization.output import parse_destination as table_of

    if (output is None) == (into is None):
        raise UsageError("cli.output_missing")
    if (into is None) != (into_table is None):
        raise UsageError("cli.into_without_table")
    if into is not None and into_table is not None:
        return table_of(into, into_table, overwrite=overwrite)
    assert output is not None
    return Target(output, None, overwrite)


def _treatment(steps: list[Step], options: Options, config: Path | None) -> Treatment:
    """What the options say, or the recipe, which options give another seed, hierarchies or place of keys."""
    from duckrisk.api import config as settings_file
    from duckrisk.release.anonymization import Step, make_treatment
    from duckrisk.source.hierarchies import read_specs

    recipe, seed, keys = options.recipe, options.seed, options.keys
    path = config or Path(settings_file.NAME)
    own = read_specs(path, required=False) if recipe is None else {}
    if options.hierarchies is None and own:
        prepared = make_treatment(steps, recipe, seed, own, path.parent)
    else:
        prepared = make_treatment(steps, recipe, seed, options.hierarchies)
    if recipe is None or keys is None:
        return prepared
    if sum(step.method == "pseudonymize" for step in prepared.steps) != 1:
        raise UsageError("cli.keys_of_several_steps")
    return dataclasses.replace(
        prepared,
        steps=[
            Step(step.method, {**step.options, "keys": str(keys)}) if step.method == "pseudonymize" else step
            for step in prepared.steps
        ],
    )


# --- methods as they are written on the command line ---------------------------------------------

#: Options of a method by their names.
Values = dict[str, str | int | float | bool | list[str]]


def _steps(asked: Methods, keys: Path | None) -> list[Step]:
    """The steps of the methods, in their order."""
    from duckrisk.release.anonymization import Step

    more = {"keys": None if keys is None else str(keys), "time": asked.time, "by": asked.perturb_by}
    said = {name: value for name, value in more.items() if value is not None}
    extra = {"pseudonymize": ("keys", "time"), "perturb": ("by",)}
    if asked.perturb_by is not None and not asked.perturb:
        raise UsageError("cli.perturb_by_alone")
    if keys is not None and not asked.pseudonymize:
        raise UsageError("cli.keys_alone")
    if asked.time is not None and not asked.pseudonymize:
        raise UsageError("cli.date_without_period")
    steps = []
    for method, texts in _texts(asked).items():
        for text in texts:
            step, options = _options(method, text)
            options |= {name: said[name] for name in extra.get(method, ()) if name in said}
            steps.append(Step(step, options))
    return steps


def _texts(asked: Methods) -> dict[str, Sequence[Any]]:
    """What was asked of each method."""
    return {
        "delete": asked.delete,
        "sample": [asked.sample] if asked.sample is not None else [],
        "pseudonymize": [asked.pseudonymize] if asked.pseudonymize is not None else [],
        "swap": asked.swap,
        "perturb": asked.perturb,
        "bottom": asked.bottom,
        "top": asked.top,
        "microaggregate": asked.microaggregate,
        "generalize": asked.generalize,
        "suppress-cells": asked.suppress_cells,
        "suppress": asked.suppress,
        "k-anonymize": _classes(asked),
        "delete-classes": _small_classes(asked),
        "drop": asked.drop,
        "shuffle": [""] if asked.shuffle else [],
    }


def _classes(asked: Methods) -> list[Values]:
    if asked.k is None:
        if asked.quasi_identifiers and asked.delete_classes_below is None:
            raise UsageError("cli.quasi_identifier_without_k")
        if asked.algorithm is not None:
            raise UsageError("cli.algorithm_without_k")
        return []
    options: Values = {"k": asked.k, "quasi_identifiers": list(asked.quasi_identifiers)}
    return [options if asked.algorithm is None else {**options, "algorithm": asked.algorithm}]


def _small_classes(asked: Methods) -> list[Values]:
    if asked.delete_classes_below is None:
        if asked.together is not None:
            raise UsageError("cli.together_alone")
        if asked.user is not None:
            raise UsageError("cli.user_alone")
        return []
    options: Values = {
        "below": asked.delete_classes_below,
        "quasi_identifiers": list(asked.quasi_identifiers),
    }
    more = {"together": asked.together, "user": asked.user}
    return [options | {name: value for name, value in more.items() if value is not None}]


def _options(method: str, text: Any) -> tuple[str, Values]:
    """The method and the options that the text after its flag means."""
    from duckrisk.release.anonymization.steps import parse_coarser

    if method in ("k-anonymize", "delete-classes"):
        return method, text
    if method in ("delete", "shuffle"):
        return method, {"where": text} if method == "delete" else {}
    if method in ("suppress", "drop"):
        return "suppress", {"column": text, **({"drop": True} if method == "drop" else {})}
    if method == "sample":
        number = _number(text, "--sample")
        return method, {"records" if isinstance(number, int) else "share": number}
    if method == "pseudonymize":
        name, sign, period = text.rpartition("=")
        return method, {"column": name, "period": period} if sign else {"column": text}
    if method == "suppress-cells":
        name, sign, condition = text.partition("=")
        if not sign or not name or not condition:
            raise UsageError("cli.not_column_condition", text=text)
        return method, {"column": name, "where": condition}
    name, sign, value = text.rpartition("=")
    if not sign or not name or not value:
        raise UsageError("cli.not_column_value", method=method, text=text)
    if method == "generalize":
        return method, {"column": name, **parse_coarser(value)}
    number = _number(value, f"--{method}")
    if method == "microaggregate":
        return method, {"columns": [name], "k": number}
    return method, {"column": name, "at" if method in ("top", "bottom") else "share": number}


def _number(text: str, flag: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise UsageError("cli.not_a_number", flag=flag, text=text) from None
