"""The jobs of the package, asked for by keywords: the functions beside ``duckrisk.assess`` and the like."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from duckrisk.base.errors import UsageError
from duckrisk.base.files import check_target
from duckrisk.base.options import Field, OptionSet, options_of, texts
from duckrisk.base.options.source import Distributed
from duckrisk.decision import assessment, policy
from duckrisk.decision.assessment.gates import parse_gate
from duckrisk.decision.assessment.results import Assessment
from duckrisk.decision.baseline import judged
from duckrisk.decision.baseline import read as read_baseline
from duckrisk.engine.session import Resources
from duckrisk.measures import attribute, disclosure, identifiability, plausible_attacks
from duckrisk.release import advice, comparison
from duckrisk.release.anonymization.people_behind import OriginalTable
from duckrisk.release.comparison.results import Comparison
from duckrisk.roles import RoleOverrides
from duckrisk.source import Request
from duckrisk.source.hierarchies import load, parse_all
from duckrisk.source.requested import request_of

_Set = TypeVar("_Set", bound=OptionSet)


def options_from(kind: type[_Set], arguments: Mapping[str, Any]) -> _Set:
    """The options of a set that are among the ``arguments``; None stands for the default."""
    return kind(
        **{
            name: _column_names(field, arguments[name])
            if issubclass(kind, RoleOverrides)
            else _value(name, arguments[name], field.many)
            for name, field in options_of(kind).items()
            if arguments.get(name) is not None
        }
    )


def _column_names(field: Field, value: Any) -> Any:
    """Return the columns that a keyword of roles names: one text or a list, whichever is given.

    Raises UsageError for what is neither, and for several columns where there is one.
    """
    if field.kind is not str or field.name == "roles":
        return _checked(field, _value(field.name, value, field.many))
    if field.many:
        return _checked(field, (value,) if isinstance(value, str) else _listed(value))
    listed = _listed(value)
    return _checked(field, listed[0] if isinstance(listed, tuple) and len(listed) == 1 else value)


def _listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, (str, Mapping)) else value


def _checked(field: Field, value: Any) -> Any:
    field.check(field.name, value)
    return value


def _value(name: str, value: Any, many: bool) -> Any:
    if not many:
        return os.fspath(value) if isinstance(value, os.PathLike) and name != "source" else value
    if name in ("levels", "roles") and not isinstance(value, str):
        if not isinstance(value, Mapping):
            example = "date_of_birth" if name == "levels" else "attribute"
            raise UsageError("keywords.takes_dictionary_columns", name=name, example=example)
        return tuple(value.items())
    return texts(name, value) if isinstance(value, Iterable) else value


def assess(arguments: Mapping[str, Any]) -> Assessment:
    """The job of :func:`duckrisk.assess`."""
    baseline, original = arguments["baseline"], arguments["original"]
    records, gates = arguments["records"], _value("fail_on", arguments["fail_on"], True)
    if records is not None and not isinstance(records, (str, os.PathLike)):
        raise UsageError("keywords.records_takes_path_parquet_file")
    # A rule for missing cells that disclosure alone knows is for disclosure alone.
    identifying = {**arguments, "missing": None} if arguments["missing"] == "wildcard" else arguments
    settings = assessment.Settings(
        overrides=options_from(RoleOverrides, arguments),
        measures=options_from(attribute.Options, arguments),
        identifiability=options_from(identifiability.Options, identifying),
        disclosure=options_from(disclosure.Options, arguments),
        context=options_from(plausible_attacks.Options, arguments),
        policy=_policy(arguments["policy"]),
        only=_value("only", arguments["only"], True) if arguments["only"] is not None else None,
        gates=tuple(parse_gate(text) for text in gates),
        baseline=read_baseline(Path(baseline), Assessment) if baseline is not None else None,
        show_values=arguments["show_values"],
        engine=options_from(Distributed, arguments),
        original=OriginalTable(request_of(original)) if original is not None else None,
    )
    target = Path(records) if records is not None else None
    if target is not None:
        check_target(target)
        log = arguments["sql_log"]
        if log is not None and Path(log).resolve() == target.resolve():
            raise UsageError("cli.same_file_different_ones", other="records", option="sql_log")
    return assessment.run(
        options_from(Request, arguments), settings, options_from(Resources, arguments), records=target
    )


def _policy(policy_or_limits: Any) -> policy.Options:
    """A policy by its name, or a table of its name and of limits in place of its own."""
    if isinstance(policy_or_limits, str):
        return policy.Options(name=policy_or_limits)
    known = options_of(policy.Options)
    if not isinstance(policy_or_limits, Mapping) or not all(name in known for name in policy_or_limits):
        raise UsageError("keywords.policy_name_or_limits", names=", ".join(known))
    return options_from(policy.Options, policy_or_limits)


def advise(arguments: Mapping[str, Any]) -> advice.Advice:
    """The job of :func:`duckrisk.advise`."""
    hierarchies = arguments["hierarchies"]
    work = partial(
        advice.run,
        options_from(Request, arguments),
        options_from(RoleOverrides, arguments),
        options_from(identifiability.Options, {**arguments, "time_limit": None}),
        options_from(advice.Options, arguments),
        options_from(Resources, arguments),
        hierarchies=load(Path(hierarchies))
        if isinstance(hierarchies, (str, os.PathLike))
        else parse_all(hierarchies or {}, Path(), "hierarchies"),
        against=_policy(arguments["policy"]),
    )
    unmeasured = advice.unmeasured(options_from(advice.Options, arguments))
    return judged(work, arguments["fail_on"], advice.Advice, arguments["baseline"], unmeasured)


def compare(arguments: Mapping[str, Any]) -> Comparison:
    """The job of :func:`duckrisk.compare`."""
    options = options_from(comparison.Options, arguments)
    settings = assessment.Settings(
        overrides=options_from(RoleOverrides, arguments),
        measures=attribute.Options(k=options.k, seed=options.seed),
        identifiability=options_from(identifiability.Options, arguments),
        policy=_policy(arguments["policy"]),
    )
    first, *others = (
        request_of(table, arguments["attach"]) for table in (arguments["original"], *arguments["releases"])
    )
    resources = options_from(Resources, arguments)
    work = partial(comparison.run, first, others, settings, options, resources)
    return judged(work, arguments["fail_on"], Comparison, arguments["baseline"], options.unmeasured)
