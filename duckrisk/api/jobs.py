"""The jobs of the package as functions; what a keyword means is told by ``duckrisk explain options``."""

from __future__ import annotations

from duckrisk.base.errors import UsageError, suggest_names

#: Not that of typing, which takes long to read.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Literal, ParamSpec, TypeVar

    from duckrisk.decision.assessment.results import Assessment
    from duckrisk.release.advice import Advice
    from duckrisk.release.anonymization import Release
    from duckrisk.release.comparison.results import Comparison

    _Parameters = ParamSpec("_Parameters")
    _Report = TypeVar("_Report")


def _by_keywords(function: Callable[_Parameters, _Report]) -> Callable[_Parameters, _Report]:
    """Let a function answer a keyword that it does not have with those that may be meant."""
    code = function.__code__
    known = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])

    def call(*args: _Parameters.args, **keywords: _Parameters.kwargs) -> _Report:
        for name in keywords:
            if name not in known:
                raise UsageError("package.no_option", name=name, suggestion=suggest_names(name, known))
        return function(*args, **keywords)

    for name in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
        setattr(call, name, getattr(function, name))
    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call


@_by_keywords
def assess(
    source: Any = None,
    *,
    table: str | None = None,
    attach: str | None = None,
    query: str | None = None,
    beside: Iterable[str] = (),
    where: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    skip_lines: int | None = None,
    original: Any = None,
    user: str | None = None,
    count: str | None = None,
    no_persons: bool = False,
    attributes: Iterable[str] = (),
    ignore: Iterable[str] = (),
    roles: Mapping[str, str] | None = None,
    levels: Mapping[str, Any] | None = None,
    only: Iterable[str] | None = None,
    fail_on: Iterable[str] = (),
    baseline: Any = None,
    policy: str | Mapping[str, Any] = "public",
    quasi_identifiers: Iterable[str] = (),
    sensitive: Iterable[str] = (),
    insensitive: Iterable[str] = (),
    pseudonym: str | None = None,
    identifiers: Iterable[str] = (),
    keep: Iterable[str] = (),
    fold_keys: bool | None = None,
    class_sizes: Iterable[int] = (3, 5, 11, 15, 20),
    missing: Literal["value", "wildcard", "none"] | None = None,
    missing_tokens: Iterable[str] = ("", "?", "*", "NULL", "N/A"),
    compare_missing: bool | None = None,
    suda_scores: Literal["elliot", "ihsn"] = "elliot",
    fraction: float | None = None,
    population: str | None = None,
    population_count: str | None = None,
    weight: str | None = None,
    household: str | None = None,
    max_size: int | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    share: float = 0.05,
    hierarchies: str | None = None,
    method: Literal["exact", "approximate", "sample"] = "exact",
    k: int = 5,
    samples: int = 50,
    confidence: float = 0.9,
    interval: Literal["confidence", "paper"] = "confidence",
    known_records: int = 4,
    draws: int = 1000,
    detailed: int = 10,
    models_of: str | None = None,
    profile: str = "jo2003",
    max_sets: int | None = None,
    thorough: bool = False,
    what_if: bool | None = None,
    currency: str = "yen",
    base: float = 500,
    social_responsibility: Literal[1, 2] = 1,
    post_response: Literal[1, 2] = 1,
    controls: Literal["low", "medium", "high"] | None = None,
    motives: Literal["low", "medium", "high"] | None = None,
    prevalence: float | None = None,
    breach: float | None = None,
    acquaintances: int = 150,
    records: Any = None,
    show_values: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
    engine: str | None = None,
    scratch: str | None = None,
) -> Assessment:
    """Assess a source: the same job, options and defaults as ``duckrisk assess``.

    ``source`` is a path, a folder or a glob pattern, a pandas DataFrame, an Arrow table, a DuckDB relation,
    or a DuckDB connection together with ``table`` or ``query``; or a DataFrame of Spark, whose session then
    runs what reads all records, as that at the address ``engine`` does. ``user`` names the column of the
    person behind a record ("" takes each record as a person), ``count`` in a table of counts the column that
    says how many people a record stands for, and ``no_persons`` says that it holds none. ``original`` is the
    table that a release was made of, and says whose each record is where the release has no user column.
    ``attributes`` are written
    ``"A"``, ``"A.week"`` or ``"A+B"``. ``only`` names the parts to measure, those of
    ``assessment.PARTS``; by default
    "attribute_risk", "identifiability", "uniqueness", "direct_identifiers" and what other arguments are given
    for. ``quasi_identifiers`` are the columns that outsiders may know of a person, ``sensitive`` those whose
    values must not be disclosed, ``insensitive`` those that are neither; a treatment leaves none of ``keep``
    out. ``pseudonym`` is the person's column if its codes were made for this table, ``identifiers`` are
    columns that identify directly or hold an organisation's numbers. ``levels`` gives columns their
    sensitivity: a type of the chart, or (economic, psychological).
    ``policy`` is that of the verdict: "public", "shared", "internal", or a dictionary such as {"name":
    "shared", "smallest_class": 10}. ``baseline`` is the file of an earlier JSON report. ``records`` is a
    Parquet file to write every record's ease and value to. ``duckrisk explain options`` tells of all others;
    None is their default.

    Returns a :class:`duckrisk.decision.assessment.results.Assessment`; its probabilities are between 0 and 1.
    Raises UsageError for what was asked wrongly, SourceError for a source that cannot be assessed,
    EngineError where memory or disk run out.
    The definitions are those of Ito's background-knowledge attacker, and of Yamaoka and Itoh's analysis of
    identifiability; see ``duckrisk explain``.
    """
    arguments = dict(locals())
    from duckrisk.api import keywords

    return keywords.assess(arguments)


def anonymize(
    source: Any = None,
    output: Any = None,
    *,
    steps: Iterable[Any] = (),
    recipe: Any = None,
    to_policy: str | None = None,
    user: str | None = None,
    count: str | None = None,
    no_persons: bool = False,
    attributes: Iterable[str] = (),
    ignore: Iterable[str] = (),
    roles: Mapping[str, str] | None = None,
    quasi_identifiers: Iterable[str] = (),
    sensitive: Iterable[str] = (),
    insensitive: Iterable[str] = (),
    pseudonym: str | None = None,
    identifiers: Iterable[str] = (),
    keep: Iterable[str] = (),
    fold_keys: bool | None = None,
    fail_on: Iterable[str] = (),
    baseline: Any = None,
    seed: int | None = None,
    hierarchies: Any = None,
    into: Any = None,
    into_table: str | None = None,
    overwrite: bool = False,
    table: str | None = None,
    attach: str | None = None,
    query: str | None = None,
    beside: Iterable[str] = (),
    where: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    skip_lines: int | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
    missing_tokens: Iterable[str] = ("", "?", "*", "NULL", "N/A"),
    engine: str | None = None,
    scratch: str | None = None,
) -> Release:
    """Treat a table and write the release: the same job as ``duckrisk anonymize``.

    ``source`` is what :func:`assess` takes; ``engine`` and ``scratch`` are too, and what Spark holds is
    written by it. ``output`` is a .parquet or .csv file (of Spark a folder of Parquet files), or ``into`` a
    DuckDB database with ``into_table`` the table to make in it. ``steps`` are dictionaries as the tables of a
    recipe, in the order in which they run, such as ``{"method": "generalize", "column": "age",
    "width": 10}``; ``recipe`` is a file of them instead. ``hierarchies`` is a TOML file with
    ``[hierarchies]``, or that table.
    ``to_policy`` names a policy instead: what :func:`advise` finds is done, and what was written is assessed.
    The roles of columns (``user``, ``attributes``, ``ignore``, ``roles``, ``quasi_identifiers``,
    ``sensitive``, ``insensitive``, ``pseudonym``, ``identifiers``, ``keep``) are those of :func:`assess`
    then; no step may remove a column of ``keep``.
    ``fail_on`` are gates on the numbers of the result, and ``baseline`` is the file of an earlier one; where
    a gate fails nothing is written.
    Without a ``seed`` every run draws anew, and nobody can repeat it.

    Returns a :class:`duckrisk.release.anonymization.Release`: what each step did in counts, the recipe, and
    in ``passed`` what became of the gates.
    Raises UsageError for what was asked wrongly, SourceError for a source that cannot be read, OutputError
    and EngineError where disk or memory run out; nothing is left behind then.
    """
    arguments = dict(locals())
    from pathlib import Path

    from duckrisk.api.keywords import options_from
    from duckrisk.base.options.source import Distributed
    from duckrisk.engine.session import Resources
    from duckrisk.release.anonymization import Target, judge_of, run, treatment
    from duckrisk.roles import RoleOverrides
    from duckrisk.source import Request

    if (output is None) == (into is None) or (into is None) != (into_table is None):
        raise UsageError("package.say_release_goes_output_into")
    if threads is not None and type(threads) is not int:
        raise UsageError("package.threads_whole_number")
    target = Target(Path(output if output is not None else into), into_table, overwrite)
    request = Request(source, table, attach, query, where, encoding, header, tuple(beside))
    resources, judge = (
        options_from(Resources, arguments),
        judge_of(fail_on, baseline, to_policy),
    )
    overrides = options_from(RoleOverrides, arguments)
    if to_policy is not None:
        if engine is not None or scratch is not None:
            raise UsageError("engines.not_there", what="to_policy")
        given = treatment(steps).steps
        drop = given[0].get("column") if given and given[0].get("drop") else None
        if len(given) > (drop is not None) or recipe is not None or output is None:
            raise UsageError("package.to_policy_alone")
        plan = treatment((), None, seed, hierarchies)
        return _to_policy(request, to_policy, overrides, plan, target, resources, judge, drop)
    if overrides != RoleOverrides(keep=overrides.keep):
        raise UsageError("package.roles_go_with_to_policy")
    plan, there = treatment(steps, recipe, seed, hierarchies), Distributed(engine, scratch)
    return run(request, plan, target, resources, judge=judge, engine=there, overrides=overrides)


def _to_policy(
    request: Any,
    name: str,
    overrides: Any,
    treatment: Any,
    target: Any,
    resources: Any,
    judge: Any,
    drop: str | None,
) -> Release:
    """A release that keeps a policy."""
    from duckrisk.decision import policy
    from duckrisk.release.advice.releasing import release_of

    tokens, against = resources.missing_tokens, policy.Options(name=name)
    asked = (request, overrides, tokens, against, treatment, target, resources, None, judge)
    return release_of(*asked, drop=drop)


@_by_keywords
def advise(
    source: Any = None,
    *,
    objective: Literal["people", "value"] | None = None,
    policy: str | Mapping[str, Any] = "public",
    fail_on: Iterable[str] = (),
    baseline: Any = None,
    target: str | None = None,
    steps: int = 20,
    time_limit: float | None = None,
    table: str | None = None,
    attach: str | None = None,
    query: str | None = None,
    beside: Iterable[str] = (),
    where: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    skip_lines: int | None = None,
    user: str | None = None,
    count: str | None = None,
    no_persons: bool = False,
    attributes: Iterable[str] = (),
    ignore: Iterable[str] = (),
    roles: Mapping[str, str] | None = None,
    quasi_identifiers: Iterable[str] = (),
    sensitive: Iterable[str] = (),
    insensitive: Iterable[str] = (),
    pseudonym: str | None = None,
    identifiers: Iterable[str] = (),
    keep: Iterable[str] = (),
    fold_keys: bool | None = None,
    levels: Mapping[str, Any] | None = None,
    hierarchies: Any = None,
    profile: str = "jo2003",
    missing: Literal["none", "value"] = "none",
    missing_tokens: Iterable[str] = ("", "?", "*", "NULL", "N/A"),
    compare_missing: bool = True,
    max_sets: int | None = None,
    max_size: int | None = None,
    thorough: bool = False,
    what_if: bool | None = None,
    currency: str = "yen",
    base: float = 500,
    social_responsibility: Literal[1, 2] = 1,
    post_response: Literal[1, 2] = 1,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
) -> Advice:
    """What to change first: the same job, options and defaults as ``duckrisk advise``.

    Step by step what hides people best for what it costs (a column coarser or left out, records deleted of
    which there are few), until the ``policy`` is kept; with ``objective="value"`` or a ``target`` (such as
    ``"identifiability.singled_out_share < 0.01"``) what lowers the value of a leak. It ends where ``steps``
    are taken, ``time_limit`` seconds are over or
    nothing helps any more. The gate "policy" of ``fail_on`` asks that the policy is kept then.
    ``hierarchies`` is a TOML file with ``[hierarchies]``, or that table. The other
    arguments are those of :func:`assess`.

    Returns a :class:`duckrisk.release.advice.Advice`: for each step who is singled out, what the policy says
    or the value of a leak in the currency of the settings, and the information that is left, between 0 and 1.
    Raises the errors of :func:`assess`.
    """
    arguments = dict(locals())
    from duckrisk.api import keywords

    return keywords.advise(arguments)


@_by_keywords
def compare(
    original: Any,
    *releases: Any,
    attach: str | None = None,
    user: str | None = None,
    count: str | None = None,
    no_persons: bool = False,
    attributes: Iterable[str] = (),
    ignore: Iterable[str] = (),
    roles: Mapping[str, str] | None = None,
    levels: Mapping[str, Any] | None = None,
    quasi_identifiers: Iterable[str] = (),
    sensitive: Iterable[str] = (),
    insensitive: Iterable[str] = (),
    pseudonym: str | None = None,
    identifiers: Iterable[str] = (),
    keep: Iterable[str] = (),
    fold_keys: bool | None = None,
    k: int = 5,
    aligned: bool = False,
    key: str | None = None,
    policy: str | Mapping[str, Any] = "public",
    fail_on: Iterable[str] = (),
    baseline: Any = None,
    only: Iterable[str] | None = None,
    hierarchies: Any = None,
    seed: int = 0,
    item: str | None = None,
    profile: str = "jo2003",
    missing: Literal["none", "value"] = "none",
    missing_tokens: Iterable[str] = ("", "?", "*", "NULL", "N/A"),
    compare_missing: bool = True,
    max_sets: int | None = None,
    max_size: int | None = None,
    time_limit: float | None = None,
    thorough: bool = False,
    what_if: bool | None = None,
    currency: str = "yen",
    base: float = 500,
    social_responsibility: Literal[1, 2] = 1,
    post_response: Literal[1, 2] = 1,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    sql_log: str | None = None,
    timezone: str | None = None,
    read: Iterable[str] = (),
) -> Comparison:
    """Compare releases with their original: the same job, options and defaults as ``duckrisk compare``.

    ``original`` and each of the ``releases`` is a path, a DataFrame, an Arrow table or a DuckDB relation;
    ``"wh.duckdb:schema.table"`` is a table of the database in a file. With ``attach``, the address of a
    database, each is the name of one of its tables.
    ``aligned`` says that their records correspond, in their order, and ``key`` names a column that tells
    which is which; without either nothing is measured that needs it. ``item`` names the column of what users
    of a history have, so that what is lost for recommendations is measured too. ``hierarchies`` is a TOML
    file. ``policy`` is what each table is judged against, and the gate "policy" of ``fail_on`` asks that
    every release keeps it. ``only`` names the parts to measure: "information", "utility", "risk",
    "linkage", "recommendation".
    The other arguments are those of :func:`assess`.

    Returns a :class:`duckrisk.release.comparison.results.Comparison`: shares and losses in it are between 0
    and 1, information in bits. Raises the errors of :func:`assess`.
    """
    arguments = dict(locals())
    from duckrisk.api import keywords

    return keywords.compare(arguments)
