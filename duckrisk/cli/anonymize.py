"""``duckrisk anonymize``: treats a table and writes the release."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.base.errors import NotReachedError, UsageError
from duckrisk.base.options import identifiability, options_of, select_options
from duckrisk.base.options.anonymization import OF_SETTINGS, Methods, Options, Wishes
from duckrisk.base.options.output import FINDINGS, JUDGED_FORMATS, Judgement, Language, Output, SettingsFile
from duckrisk.base.options.roles import RoleOverrides, typed_option
from duckrisk.base.options.source import Distributed, Request, Resources
from duckrisk.cli.judging import JUDGED, collect_gates, finish_report, write_junit
from duckrisk.cli.options import SourceArgument
from duckrisk.cli.output import (
    check_outputs,
    print_status,
    render_form,
    resolve_offered_format,
    run_with_progress,
    summary_width,
)
from duckrisk.cli.settings import judge_by_published, name_settings_in_errors, read_settings
from duckrisk.cli.signature import CommandLine, command

if TYPE_CHECKING:
    from duckrisk.decision.assessment import Settings
    from duckrisk.decision.notices import FileSettings
    from duckrisk.release.anonymization import Step, Treatment


#: The options that methods and roles share.
_SHARED = ("user", "quasi_identifiers", "keep", "sensitive")
_FAIL_ON = "Exit with 1 and write nothing if this holds, such as 'released < 1000'."


@command(
    *(Methods, Wishes, Options, Request, RoleOverrides, SettingsFile, Resources, Distributed, Language),
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

    Methods can be repeated and run in the order of their numbers. The recipe OUT.recipe.toml next to the
    release records them, to read, change and run again with --recipe.
    """
    from duckrisk.release.advice.releasing import release_of
    from duckrisk.release.advice.study import Order
    from duckrisk.release.anonymization import Release, make_release_judge, run
    from duckrisk.release.before_and_after import prepare_page

    out, options, resources = args.options(Output), args.options(Options), args.options(Resources)
    form = resolve_offered_format(out.format, None, "The summary is", JUDGED_FORMATS)
    methods = args.options(Methods)
    settings = read_settings(args)
    with name_settings_in_errors(settings):
        if options.to_policy is None:
            _refuse_roles(args)
            keys = options.keys if options.recipe is None else None
            treatment = _make_treatment(args, options, _make_steps(args, methods, keys))
        else:
            treatment = _make_policy_treatment(args, methods, options, settings.engine)
            settings = _with_named_policy(settings, options.to_policy)
        given = args.options(Request, source=source)
        request = given.with_defaults_from(treatment.source).with_defaults_from(
            _without_record_choice(settings.source, treatment)
        )
        resources = resources.with_readings_from(treatment, settings)
        file_settings = _effective_settings(settings.file_settings, treatment, options, args.given_settings())
        target = _parse_target(out.output, options.into, options.into_table, out.overwrite)
        check_outputs(args, [request], folder=settings.engine.is_given)
        gates = collect_gates(args, Release, policy=options.to_policy is not None)
        judge = make_release_judge(gates, args.options(Judgement).baseline, options.to_policy)

        def work(progress: Any) -> Any:
            if options.to_policy is None:
                engine = settings.engine
                inputs = (request, treatment, target, resources, progress, judge)
                return run(*inputs, engine=engine, file_settings=file_settings, overrides=settings.overrides)
            order = Order(
                request=request,
                overrides=settings.overrides,
                against=settings.policy,
                treatment=treatment,
                resources=dataclasses.replace(
                    resources, missing_tokens=settings.identifiability.missing_tokens
                ),
                wishes=args.options(Wishes),
                k=methods.k,
                drop=next(iter(methods.drop), None),
                file_settings=file_settings,
            )
            return release_of(order, target, progress, judge)

        named = [source or str(target.path)]
        try:
            release = run_with_progress(work, out.quiet, settings.language.resolved, "anonymize")
        except NotReachedError as error:
            _report_failure(error, args, form, named, settings.language.resolved)
            raise
    release = prepare_page(release, request, settings, resources, _judging_options(args, resources))
    if not out.quiet or out.format is not None:
        language, width = settings.language.resolved, summary_width()
        print_status(render_form(release, form, language, sources=named, width=width))
        out = dataclasses.replace(out, output=None)  # the summary went to standard output
    finish_report(release, args, str(release.path), settings.language.resolved, out=out)


def _judging_options(args: CommandLine, resources: Resources) -> tuple[tuple[str, ...], ...]:
    """Return the options of roles, readings and the language for a comparison.

    Without a policy, quasi-identifiers belong to the methods and are left out.
    """
    overrides = args.options(RoleOverrides)
    if args.options(Options).to_policy is None:
        overrides = RoleOverrides(user=overrides.user, keep=overrides.keep, sensitive=overrides.sensitive)
    config = args.options(SettingsFile).config
    settings = [typed_option("--config", str(config))] if config is not None else []
    spoken = [words] if (words := args.to_words(Language)) else []
    return (*overrides.options, *settings, *resources.reading_options, *spoken)


def _refuse_roles(args: CommandLine) -> None:
    """Refuse options of roles, which methods without a policy do not use."""
    roles = {name for name, value in args.values_of(RoleOverrides).items() if value}
    if unused := roles - set(_SHARED):
        flag = options_of(RoleOverrides)[min(unused)].flags[-1]
        raise UsageError("cli.roles_without_to_policy", option=flag)


def _report_failure(
    error: NotReachedError, args: CommandLine, form: str, sources: Sequence[str], language: str
) -> None:
    """Write the findings and the JUnit file of a policy that no release keeps."""
    from duckrisk.report.render import annotations

    write_junit(error, args, str(args.options(Output).output), language)
    if form in FINDINGS:
        print_status(getattr(annotations, f"to_{form}")(error, sources, language))


def _make_policy_treatment(
    args: CommandLine, methods: Methods, options: Options, engine: Distributed
) -> Treatment:
    """Return the hierarchies and the seed of a treatment that a policy determines."""
    given = {name for name, value in args.values_of(Methods).items() if value}
    has_methods = given - {*_SHARED, "drop", "k"} or len(methods.drop) > 1
    if has_methods or options.recipe is not None or options.keys is not None:
        raise UsageError("cli.methods_with_to_policy")
    if options.into is not None:
        raise UsageError("cli.to_policy_without_file")
    if engine.is_given:
        raise UsageError("engines.feature_not_offered", what="--to-policy")
    return dataclasses.replace(_make_treatment(args, options, []), steps=())


def _with_named_policy(settings: Settings, name: str) -> Settings:
    """Return the settings with the policy of ``--to-policy``.

    A named policy has its published limits; "settings" is that of the settings file.
    """
    if name != OF_SETTINGS:
        return judge_by_published(settings, name, f"--to-policy {name}")
    if not settings.file_settings.select_tables("policy").values:
        raise UsageError("cli.policy_settings_missing")
    return settings


def _without_record_choice(source: Request, treatment: Treatment) -> Request:
    """Return the source of the settings; a recipe may choose the records."""
    if treatment.source == Request():
        return source
    return dataclasses.replace(source, where=None, query=None, beside=())


def _effective_settings(
    file_settings: FileSettings, treatment: Treatment, options: Options, given: set[str]
) -> FileSettings:
    """Return the settings of the file or the recipe that affect the release."""
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


def _parse_target(output: Path | None, into: str | None, into_table: str | None, overwrite: bool) -> Any:
    from duckrisk.release.anonymization import Target
    from duckrisk.release.anonymization.output import parse_destination as parse_table

    if (output is None) == (into is None):
        raise UsageError("cli.output_missing")
    if (into is None) != (into_table is None):
        raise UsageError("cli.into_without_table")
    if into is not None and into_table is not None:
        return parse_table(into, into_table, overwrite=overwrite)
    assert output is not None
    return Target(output, None, overwrite)


def _make_treatment(args: CommandLine, options: Options, steps: list[Step]) -> Treatment:
    """Return the treatment of the options or of the recipe.

    Options replace the seed, the hierarchies and the file of keys of a recipe.
    """
    from duckrisk.api import config as settings_file
    from duckrisk.release.anonymization import Step, make_treatment
    from duckrisk.source.hierarchies import read_specs

    recipe, seed, keys = options.recipe, options.seed, options.keys
    path = args.options(SettingsFile).config or Path(settings_file.NAME)
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


# --- methods of the command line -----------------------------------------------------------------

#: The options of a method by name.
Values = dict[str, str | int | float | bool | list[str] | dict[str, float]]


def _make_steps(args: CommandLine, methods: Methods, keys: Path | None) -> list[Step]:
    """Return the steps of the given methods, in the order of their numbers."""
    from duckrisk.release.anonymization import Step

    more = {"keys": None if keys is None else str(keys), "time": methods.time, "by": methods.perturb_by}
    extras = {name: value for name, value in more.items() if value is not None}
    extra = {"pseudonymize": ("keys", "time"), "perturb": ("by",)}
    if methods.perturb_by is not None and not methods.perturb:
        raise UsageError("cli.perturb_by_alone")
    if keys is not None and not methods.pseudonymize:
        raise UsageError("cli.keys_alone")
    if methods.time is not None and not methods.pseudonymize:
        raise UsageError("cli.date_without_period")
    steps = []
    for method, texts in _method_texts(args, methods).items():
        for text in texts:
            step, options = _parse_method(method, text)
            options |= {name: extras[name] for name in extra.get(method, ()) if name in extras}
            steps.append(Step(step, options))
    return steps


def _method_texts(args: CommandLine, methods: Methods) -> dict[str, Sequence[Any]]:
    """Return by method the texts after its flag."""
    return {
        "delete": methods.delete,
        "sample": _list_given(methods.sample),
        "truncate": _list_given(methods.truncate),
        "pseudonymize": _list_given(methods.pseudonymize),
        "summarize": _list_given(methods.summarize),
        "swap": methods.swap,
        "perturb": methods.perturb,
        "bottom": methods.bottom,
        "top": methods.top,
        "microaggregate": methods.microaggregate,
        "generalize": methods.generalize,
        "suppress-cells": methods.suppress_cells,
        "suppress": methods.suppress,
        "k-anonymize": _class_options(args, methods),
        "delete-classes": _small_class_options(methods),
        "drop": methods.drop,
        "shuffle": [""] if methods.shuffle else [],
        "sort": [""] if methods.sort else [],
    }


def _list_given(text: str | None) -> list[str]:
    """Return the text of an option that can be given once."""
    return [] if text is None else [text]


def _class_options(args: CommandLine, methods: Methods) -> list[Values]:
    wishes, sensitive = args.options(Wishes), args.options(RoleOverrides).sensitive
    if methods.k is None:
        if methods.quasi_identifiers and methods.delete_classes_below is None:
            raise UsageError("cli.quasi_identifier_without_k")
        if wishes.method is not None or wishes.importance or wishes.cells:
            raise UsageError("cli.method_without_k")
        if sensitive:
            raise UsageError("cli.roles_without_to_policy", option="--sensitive")
        return []
    if wishes.method in ("auto", "summary"):
        raise UsageError("cli.method_of_policy", method=wishes.method)
    options: Values = {"k": methods.k, "quasi_identifiers": list(methods.quasi_identifiers)}
    if wishes.method is not None:
        options["algorithm"] = wishes.method
    if weights := wishes.weights:
        options["importance"] = weights
    if methods.user is not None:
        options["user"] = methods.user
    if sensitive:
        options["sensitive"] = list(sensitive)
    options |= wishes.cells
    if wishes.method in ("uniform", "columns"):
        options["delete_at_most"] = wishes.delete_at_most
    return [options]


def _small_class_options(methods: Methods) -> list[Values]:
    if methods.delete_classes_below is None:
        if methods.together is not None:
            raise UsageError("cli.together_alone")
        if methods.user is not None and methods.k is None:
            raise UsageError("cli.user_alone")
        return []
    options: Values = {
        "below": methods.delete_classes_below,
        "quasi_identifiers": list(methods.quasi_identifiers),
    }
    more = {"together": methods.together, "user": methods.user}
    return [options | {name: value for name, value in more.items() if value is not None}]


def _parse_method(method: str, text: Any) -> tuple[str, Values]:
    """Return the method and its options for the text after a flag."""
    from duckrisk.release.anonymization.steps import parse_coarser

    if method in ("k-anonymize", "delete-classes"):
        return method, text
    if method in ("delete", "shuffle", "sort"):
        return method, {"where": text} if method == "delete" else {}
    if method in ("suppress", "drop"):
        return "suppress", {"column": text, **({"drop": True} if method == "drop" else {})}
    if method == "summarize":
        return method, {"user": text}
    if method == "sample":
        number = _parse_number(text, "--sample")
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
    number = _parse_number(value, f"--{method}")
    if method == "truncate":
        return method, {"user": name, "records": number}
    if method == "microaggregate":
        return method, {"columns": [name], "k": number}
    return method, {"column": name, "at" if method in ("top", "bottom") else "share": number}


def _parse_number(text: str, flag: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise UsageError("cli.not_a_number", flag=flag, text=text) from None
