"""duckrisk: how easily someone in a table can be re-identified, measured inside DuckDB.

>>> import duckrisk
>>> report = duckrisk.assess("retail.parquet", user="CustomerID")  # doctest: +SKIP
>>> report.to_frame()  # doctest: +SKIP
"""

from __future__ import annotations

import os

from duckrisk.errors import DuckriskError, EngineError, Interrupted, OutputError, SourceError, UsageError

#: Not that of typing, which takes long to read: the command reads this before it can hear an interrupt.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from duckrisk.advice import Advice
    from duckrisk.anonymization import Release
    from duckrisk.comparison.results import Comparison
    from duckrisk.report import Report

__version__ = "0.1.0"
__all__ = [
    "DuckriskError",
    "EngineError",
    "Interrupted",
    "OutputError",
    "SourceError",
    "UsageError",
    "__version__",
    "advise",
    "anonymize",
    "assess",
    "compare",
]


def assess(
    source: Any = None,
    *,
    user: str | None = None,
    attributes: Iterable[str] = (),
    ignore: Iterable[str] = (),
    roles: dict[str, str] | None = None,
    table: str | None = None,
    attach: str | None = None,
    query: str | None = None,
    where: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    fail_on: Iterable[str] = (),
    only: Iterable[str] | None = None,
    levels: dict[str, Any] | None = None,
    records: Any = None,
    show_values: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    **measures: Any,
) -> Report:
    """Assess a source: the same job, options and defaults as ``duckrisk assess``.

    ``source`` is a path, a folder or a glob pattern, a pandas DataFrame, an Arrow table, a DuckDB
    relation, or a DuckDB connection together with ``table`` or ``query``. ``user`` names the column of the
    person behind a record ("" takes each record as a person). ``attributes`` are written ``"A"``,
    ``"A.week"`` or ``"A+B"``. ``only`` names the parts to measure, those of ``assessment.PARTS``; by default
    "attribute_risk", "identifiability" and what other arguments are given for. ``levels`` gives columns their
    sensitivity: a type of the chart, or (economic, psychological).
    ``records`` is a Parquet file to write every record's ease and value to. ``measures`` are the fields of
    :class:`duckrisk.attribute.Options` (``k``, ``samples``, ``confidence``, ``known_records``, ``seed``,
    ``method``, ...) and of :class:`duckrisk.identifiability.Options` (``missing``, ``profile``,
    ``max_size``, ``time_limit``, ...) and of :class:`duckrisk.disclosure.Options` (``quasi_identifiers``,
    ``sensitive``, ``fraction``, ``population``, ...).

    Returns a :class:`duckrisk.report.Report`; probabilities in it are between 0 and 1.
    Raises UsageError for what was asked wrongly, SourceError for a source that cannot be assessed,
    EngineError where memory or disk run out.
    The definitions are those of Ito's background-knowledge attacker, and of Yamaoka and Itoh's analysis of
    identifiability; see ``duckrisk explain``.
    """
    from pathlib import Path

    from duckrisk import assessment, attribute, disclosure, identifiability
    from duckrisk import roles as role_module
    from duckrisk.files import check_target
    from duckrisk.gates import parse_gate
    from duckrisk.session import Resources
    from duckrisk.source import Request

    listed = {"attributes": attributes, "ignore": ignore, "fail_on": fail_on, "only": only}
    _check(listed, levels, threads)
    if records is not None and not isinstance(records, (str, os.PathLike)):
        raise UsageError("records takes the path of a Parquet file to write.")
    named = [*listed, "roles", "user", "levels", "records", "show_values"]
    kinds = (attribute.Options, identifiability.Options, disclosure.Options)
    measuring, identifying, disclosing = _options(measures, kinds, named)
    settings = assessment.Settings(
        overrides=role_module.RoleOverrides(
            user, tuple(attributes), tuple(ignore), tuple((roles or {}).items())
        ),
        measures=attribute.Options(**measuring),
        identifiability=identifiability.Options(tuple((levels or {}).items()), **identifying),
        disclosure=disclosure.Options(**disclosing),
        only=tuple(only) if only is not None else None,
        gates=tuple(parse_gate(text) for text in fail_on),
        show_values=show_values,
    )
    request = Request(source, table, attach, query, where, encoding, header)
    target = Path(records) if records is not None else None
    if target is not None:
        check_target(target)
    return assessment.run(request, settings, Resources(memory, threads, temp), records=target)


def anonymize(
    source: Any = None,
    output: Any = None,
    *,
    steps: Iterable[Any] = (),
    recipe: Any = None,
    seed: int | None = None,
    hierarchies: Any = None,
    into: Any = None,
    into_table: str | None = None,
    overwrite: bool = False,
    table: str | None = None,
    attach: str | None = None,
    query: str | None = None,
    where: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
) -> Release:
    """Treat a table and write the release: the same job as ``duckrisk anonymize``.

    ``source`` is what :func:`assess` takes. ``output`` is a .parquet or .csv file, or ``into`` a DuckDB
    database with ``into_table`` the table to make in it. ``steps`` are dictionaries as the tables of a
    recipe, in the order in which they run, such as ``{"method": "generalize", "column": "age",
    "width": 10}``; ``recipe`` is a file of them instead. ``hierarchies`` is a TOML file with
    ``[hierarchies]``, or that table.
    Without a ``seed`` every run draws anew, and nobody can repeat it.

    Returns a :class:`duckrisk.anonymization.Release`: what each step did in counts, and the recipe.
    Raises UsageError for what was asked wrongly, SourceError for a source that cannot be read, OutputError
    and EngineError where disk or memory run out; nothing is left behind then.
    """
    from pathlib import Path

    from duckrisk.anonymization import Target, run, treatment
    from duckrisk.session import Resources
    from duckrisk.source import Request

    if (output is None) == (into is None) or (into is None) != (into_table is None):
        raise UsageError("Say where the release goes: output, or into and into_table.")
    if threads is not None and type(threads) is not int:
        raise UsageError("threads has to be a whole number.")
    target = Target(Path(output if output is not None else into), into_table, overwrite)
    request = Request(source, table, attach, query, where, encoding, header)
    return run(request, treatment(steps, recipe, seed, hierarchies), target, Resources(memory, threads, temp))


def advise(
    source: Any = None,
    *,
    target: str | None = None,
    steps: int = 20,
    time_limit: float | None = None,
    user: str | None = None,
    attributes: Iterable[str] = (),
    ignore: Iterable[str] = (),
    roles: dict[str, str] | None = None,
    table: str | None = None,
    attach: str | None = None,
    query: str | None = None,
    where: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    levels: dict[str, Any] | None = None,
    hierarchies: Any = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    **measures: Any,
) -> Advice:
    """What to change first: the same job, options and defaults as ``duckrisk advise``.

    Step by step what lowers the risk most for what it costs (a column coarser or left out, records deleted
    that are alone with their cells, shorter lives of pseudonyms), until ``target`` holds (such as
    ``"identifiability.singled_out_share < 0.01"``), ``steps`` are taken, ``time_limit`` seconds are over or
    nothing helps any more. ``hierarchies`` is a TOML file with ``[hierarchies]``, or that table. The other
    arguments are those of :func:`assess`; ``measures`` are fields of
    :class:`duckrisk.identifiability.Options`.

    Returns a :class:`duckrisk.advice.Advice`: for each step the value of a leak, in the currency of the
    settings, the share that is singled out, and the information that is left, between 0 and 1.
    Raises the errors of :func:`assess`.
    """
    from pathlib import Path

    from duckrisk import advice, identifiability
    from duckrisk import roles as role_module
    from duckrisk.hierarchies import load, parse_all
    from duckrisk.session import Resources
    from duckrisk.source import Request

    listed = {"attributes": attributes, "ignore": ignore}
    _check(listed, levels, threads)
    named = [*listed, "roles", "user", "levels", "target", "steps"]
    (identifying,) = _options(measures, (identifiability.Options,), named)
    return advice.run(
        Request(source, table, attach, query, where, encoding, header),
        role_module.RoleOverrides(user, tuple(attributes), tuple(ignore), tuple((roles or {}).items())),
        identifiability.Options(tuple((levels or {}).items()), **identifying),
        advice.Options(target, steps, time_limit),
        Resources(memory, threads, temp),
        hierarchies=load(Path(hierarchies))
        if isinstance(hierarchies, (str, os.PathLike))
        else parse_all(hierarchies or {}, Path(), "hierarchies"),
    )


def compare(
    original: Any,
    *releases: Any,
    attach: str | None = None,
    user: str | None = None,
    attributes: Iterable[str] = (),
    ignore: Iterable[str] = (),
    roles: dict[str, str] | None = None,
    levels: dict[str, Any] | None = None,
    quasi_identifiers: Iterable[str] = (),
    k: int = 5,
    aligned: bool = False,
    key: str | None = None,
    item: str | None = None,
    hierarchies: Any = None,
    only: Iterable[str] | None = None,
    seed: int = 0,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    **measures: Any,
) -> Comparison:
    """Compare releases with their original: the same job, options and defaults as ``duckrisk compare``.

    ``original`` and each of the ``releases`` is a path, a DataFrame, an Arrow table or a DuckDB relation;
    ``"wh.duckdb:schema.table"`` is a table of the database in a file. With ``attach``, the address of a
    database, each is the name of one of its tables.
    ``aligned`` says that their records correspond, in their order, and ``key`` names a column that tells
    which is which; without either nothing is measured that needs it. ``item`` names the column of what users
    of a history have, so that what is lost for recommendations is measured too. ``hierarchies`` is a TOML
    file. ``only`` names the parts to measure: "information", "utility", "risk", "linkage", "recommendation".
    The other arguments are those of :func:`assess`; ``measures`` are fields of
    :class:`duckrisk.identifiability.Options`.

    Returns a :class:`duckrisk.comparison.results.Comparison`: shares and losses in it are between 0 and 1,
    information in bits. Raises the errors of :func:`assess`.
    """
    from duckrisk import assessment, attribute, identifiability
    from duckrisk import roles as role_module
    from duckrisk.comparison import PARTS, Options, request_of, run
    from duckrisk.session import Resources

    listed = {"attributes": attributes, "ignore": ignore, "only": only}
    listed["quasi_identifiers"] = quasi_identifiers
    _check(listed, levels, threads)
    named = [*listed, "roles", "user", "levels", "aligned", "key", "k", "seed", "item"]
    (identifying,) = _options(measures, (identifiability.Options,), named)
    settings = assessment.Settings(
        overrides=role_module.RoleOverrides(
            user, tuple(attributes), tuple(ignore), tuple((roles or {}).items())
        ),
        measures=attribute.Options(k=k, seed=seed),
        identifiability=identifiability.Options(tuple((levels or {}).items()), **identifying),
    )
    options = Options(
        tuple(quasi_identifiers),
        k,
        aligned,
        key,
        tuple(only) if only is not None else PARTS,
        os.fspath(hierarchies) if hierarchies is not None else None,
        seed=seed,
        item=item,
    )
    first, *others = (request_of(given, attach) for given in (original, *releases))
    return run(first, others, settings, options, Resources(memory, threads, temp))


def _check(listed: dict[str, Any], levels: Any, threads: Any) -> None:
    """Raise UsageError for arguments of a wrong kind."""
    for name, given in listed.items():
        if isinstance(given, str):
            raise UsageError(f"{name} takes a list of texts, not one text.")
    if levels is not None and not isinstance(levels, dict):
        raise UsageError('levels takes a dictionary of columns and levels, as in {"age": "date_of_birth"}.')
    if threads is not None and type(threads) is not int:
        raise UsageError("threads has to be a whole number.")


def _options(
    measures: dict[str, Any], kinds: Sequence[type[Any]], named: Sequence[str]
) -> list[dict[str, Any]]:
    """The measures that are settings of each of these kinds of options; one can be a setting of several.
    Raises UsageError for what is a setting of none, with the nearest of them and of arguments ``named``."""
    from dataclasses import fields

    from duckrisk.errors import suggestion

    # Levels have an argument of their own.
    settings = [[one.name for one in fields(kind) if not one.name.endswith("levels")] for kind in kinds]
    known = [name for names in settings for name in names]
    if unknown := [name for name in measures if name not in known]:
        hint = suggestion(unknown[0], [*named, *known])
        raise UsageError(f'There is no option "{unknown[0]}"{hint}')
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in measures.items()}
    return [{name: given[name] for name in names if name in given} for names in settings]


def __getattr__(name: str) -> Any:
    """The packages of the two contests, read when they are asked for."""
    if name in ("membership", "pwscup"):
        from importlib import import_module

        return import_module(f"duckrisk.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def presenter() -> Any:
    """The module that makes forms of results: what measures knows no report and asks here for one."""
    from duckrisk.report import forms

    return forms
