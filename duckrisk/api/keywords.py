"""Runs the jobs behind ``duckrisk.assess`` and the like, from their keywords."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from duckrisk.api import statements
from duckrisk.base.errors import UsageError
from duckrisk.base.files import check_target
from duckrisk.base.options import options_of
from duckrisk.base.options.anonymization import Wishes
from duckrisk.base.options.calls import list_of, options_from, path_of
from duckrisk.base.options.output import Judgement, Language, Output
from duckrisk.base.options.sequence import EarlierOptions
from duckrisk.base.options.sequence import Options as SequenceOptions
from duckrisk.base.options.source import Distributed
from duckrisk.decision import assessment, policy
from duckrisk.decision.assessment.gates import parse_gate
from duckrisk.decision.assessment.results import Assessment
from duckrisk.decision.baseline import read_earlier_report, run_and_judge
from duckrisk.engine.session import Resources
from duckrisk.measures import attribute, disclosure, identifiability, plausible_attacks
from duckrisk.measures.sequence import Earlier
from duckrisk.release import advice, anonymization, comparison, counts
from duckrisk.release import sequence as sequences
from duckrisk.release.advice.releasing import release_of
from duckrisk.release.advice.study import Order
from duckrisk.release.anonymization.held import HeldRelease
from duckrisk.release.anonymization.people_behind import OriginalTable
from duckrisk.release.before_and_after import prepare_page
from duckrisk.release.comparison.results import Comparison
from duckrisk.release.counts.results import Tables
from duckrisk.release.sequence.results import ReleaseSequence
from duckrisk.report import explaining
from duckrisk.report.words import Words
from duckrisk.roles import RoleOverrides
from duckrisk.source import Request
from duckrisk.source.requests import parse_request

_Given = Mapping[str, Any]


def assess(source: Any, given: _Given) -> Assessment:
    """Run :func:`duckrisk.assess`."""
    judgement, original = options_from(Judgement, given), given.get("original")
    resources = options_from(Resources, given)
    # Only disclosure knows the rule "wildcard"; identifiability keeps its default.
    levels = {**given, "missing": None} if given.get("missing") == "wildcard" else given
    baseline, records = judgement.baseline, judgement.records
    settings = assessment.Settings(
        overrides=options_from(RoleOverrides, given),
        measures=options_from(attribute.Options, given),
        identifiability=options_from(identifiability.Options, levels),
        disclosure=options_from(disclosure.Options, given),
        context=options_from(plausible_attacks.Options, given),
        policy=_policy(given),
        only=judgement.only,
        quick=judgement.quick,
        gates=tuple(parse_gate(text) for text in judgement.fail_on),
        baseline=read_earlier_report(baseline, Assessment) if baseline is not None else None,
        show_values=options_from(Output, given).show_values,
        engine=options_from(Distributed, given),
        original=OriginalTable(parse_request(original)) if original is not None else None,
        earlier=_earlier(given),
    )
    if records is not None:
        check_target(records)
        if resources.sql_log is not None and Path(resources.sql_log).resolve() == records.resolve():
            raise UsageError("cli.same_file_twice", other="records", option="sql_log")
    return assessment.run(_request(source, given), settings, resources, records=records)


def attack(source: Any, given: _Given) -> Assessment:
    """Run :func:`duckrisk.attack`."""
    return assess(source, {**given, "only": ("noisy_knowledge",)})


def _request(source: Any, given: _Given) -> Request:
    return options_from(Request, {**given, "source": source})


def _earlier(given: _Given) -> EarlierOptions:
    """Return the earlier releases and the key tables, which can be tables in Python."""
    return EarlierOptions(*(list_of(name, given.get(name) or ()) for name in ("earlier", "key_tables")))


def _policy(given: _Given) -> policy.Options:
    """Return the policy that a name or a dictionary with limits describes."""
    value, options = given.get("policy"), options_of(policy.Options)
    if isinstance(value, str) or value is None:
        return policy.Options() if value is None else policy.Options(name=value)
    if not isinstance(value, Mapping) or not all(name in options for name in value):
        raise UsageError("keywords.invalid_policy", names=", ".join(options))
    return policy.Options(**{name: limit for name, limit in value.items() if limit is not None})


def anonymize(source: Any, output: Any, given: _Given) -> anonymization.Release:
    """Run :func:`duckrisk.anonymize`."""
    into, into_table, to_policy = (given.get(name) for name in ("into", "into_table", "to_policy"))
    is_held = output is None and into is None and into_table is None
    if not is_held and ((output is None) == (into is None) or (into is None) != (into_table is None)):
        raise UsageError("package.output_missing")
    request, resources = _request(source, given), options_from(Resources, given)
    judgement, overrides = options_from(Judgement, given), options_from(RoleOverrides, given)
    judge = anonymization.make_release_judge(judgement.fail_on, judgement.baseline, to_policy)
    engine, steps = options_from(Distributed, given), given.get("steps") or ()
    if is_held and (to_policy is not None or engine.is_given):
        raise UsageError("package.output_missing")
    recipe, seed, hierarchies = (given.get(name) for name in ("recipe", "seed", "hierarchies"))
    held = HeldRelease(resources.temp) if is_held else None
    if held is not None:
        target = held.target
    else:
        path = path_of("output", output) if output is not None else path_of("into", into)
        target = anonymization.Target(path, into_table, options_from(Output, given).overwrite)
    if to_policy is None:
        if overrides != RoleOverrides(keep=overrides.keep):
            raise UsageError("package.roles_without_to_policy")
        plan = anonymization.make_treatment(steps, recipe, seed, hierarchies)
        release = anonymization.run(
            request, plan, target, resources, judge=judge, engine=engine, overrides=overrides
        )
        if held is not None:  # no file is there to compare with
            return dataclasses.replace(release, held=held if release.written else None)
        settings = assessment.Settings(overrides=overrides)
        return prepare_page(release, request, settings, resources, _compare_options(overrides, resources))
    if engine.is_given:
        raise UsageError("engines.feature_not_offered", what="to_policy")
    given_steps = anonymization.make_treatment(steps).steps
    drop = given_steps[0].get("column") if given_steps and given_steps[0].get("drop") else None
    if len(given_steps) > (drop is not None) or recipe is not None or output is None:
        raise UsageError("package.steps_with_to_policy")
    plan, against = anonymization.make_treatment((), None, seed, hierarchies), policy.Options(name=to_policy)
    wishes = options_from(Wishes, given)
    wishes.check()
    order = Order(request, overrides, against, plan, resources, wishes, drop=drop)
    settings = assessment.Settings(overrides=overrides, policy=against)
    release = release_of(order, target, None, judge)
    return prepare_page(release, request, settings, resources, _compare_options(overrides, resources))


def _compare_options(overrides: RoleOverrides, resources: Resources) -> tuple[tuple[str, ...], ...]:
    """Return the options by which a command compares a release with its original."""
    return (*overrides.options, *resources.reading_options)


def advise(source: Any, given: _Given) -> advice.Advice:
    """Run :func:`duckrisk.advise`."""
    hierarchies, options = given.get("hierarchies"), options_from(advice.Options, given)
    judgement = options_from(Judgement, given)
    work = partial(
        advice.run,
        _request(source, given),
        options_from(RoleOverrides, given),
        options_from(identifiability.Options, {**given, "time_limit": None}),
        options,
        options_from(Resources, given),
        treatment=anonymization.make_treatment((), None, None, hierarchies),
        against=_policy(given),
    )
    return run_and_judge(
        work, judgement.fail_on, advice.Advice, judgement.baseline, advice.list_unmeasured(options)
    )


def compare(original: Any, releases: Sequence[Any], given: _Given) -> Comparison:
    """Run :func:`duckrisk.compare`."""
    options, judgement = options_from(comparison.Options, given), options_from(Judgement, given)
    settings = assessment.Settings(
        overrides=options_from(RoleOverrides, given),
        measures=attribute.Options(k=options.k, seed=options.seed),
        identifiability=options_from(identifiability.Options, given),
        policy=_policy(given),
        show_values=options_from(Output, given).show_values,
        earlier=_earlier(given),
    )
    first, *others = (parse_request(table, given.get("attach")) for table in (original, *releases))
    work = partial(comparison.run, first, others, settings, options, options_from(Resources, given))
    return run_and_judge(work, judgement.fail_on, Comparison, judgement.baseline, options.skipped_parts)


def tables(published: Sequence[Any], given: _Given) -> Tables:
    """Run :func:`duckrisk.tables`."""
    judgement = options_from(Judgement, given)
    shared = options_from(Request, given)
    requests = [parse_request(table, shared.attach).with_defaults_from(shared) for table in published]
    work = partial(
        counts.run,
        requests,
        options_from(counts.Options, given),
        _policy(given),
        options_from(Resources, given),
        show_values=options_from(Output, given).show_values,
    )
    return run_and_judge(work, judgement.fail_on, Tables, judgement.baseline)


def sequence(releases: Sequence[Any], given: _Given) -> ReleaseSequence:
    """Run :func:`duckrisk.sequence`."""
    judgement, attach = options_from(Judgement, given), given.get("attach")
    settings = assessment.Settings(
        overrides=options_from(RoleOverrides, given),
        identifiability=options_from(identifiability.Options, given),
    )
    earlier = Earlier.of(_earlier({**given, "earlier": releases[:-1]}), attach)
    requests = [*earlier.releases, *(parse_request(release, attach) for release in releases[-1:])]
    options, resources = options_from(SequenceOptions, given), options_from(Resources, given)
    work = partial(sequences.run, requests, earlier.key_tables, settings, options, resources)
    return run_and_judge(work, judgement.fail_on, ReleaseSequence, judgement.baseline)


def explain(name: str | None, given: _Given) -> str:
    """Run :func:`duckrisk.explain`."""
    language = options_from(Language, given).resolved
    if name is None:
        return explaining.format_contents(language)
    return explaining.format_explanation(name, Words(language))


def sql(name: str, source: Any, given: _Given) -> str:
    """Run :func:`duckrisk.sql`."""
    if source is None and statements.is_algorithm(name):
        return statements.format_written(name)
    settings = assessment.Settings(overrides=options_from(RoleOverrides, given))
    release = given.get("release")
    second = parse_request(release) if release is not None else None
    return statements.format_statements(name, _request(source, given), settings, second)
