"""duckrisk: how easily someone in a table can be re-identified, measured inside DuckDB.

>>> import duckrisk
>>> report = duckrisk.assess("retail.parquet", user="CustomerID")  # doctest: +SKIP
>>> report.to_frame()  # doctest: +SKIP
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from duckrisk.errors import DuckriskError, EngineError, Interrupted, OutputError, SourceError, UsageError

if TYPE_CHECKING:
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
    "assess",
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
    ``"A.week"`` or ``"A+B"``. ``only`` names the parts to measure, "attribute_risk" or "identifiability".
    ``levels`` gives columns their sensitivity: a type of the chart, or (economic, psychological).
    ``records`` is a Parquet file to write every record's ease and value to. ``measures`` are the fields of
    :class:`duckrisk.attribute.Options` (``k``, ``samples``, ``confidence``, ``known_records``, ``seed``,
    ``method``, ...) and of :class:`duckrisk.identifiability.Options` (``missing``, ``profile``,
    ``max_size``, ``time_limit``, ...).

    Returns a :class:`duckrisk.report.Report`; probabilities in it are between 0 and 1.
    Raises UsageError for what was asked wrongly, SourceError for a source that cannot be assessed,
    EngineError where memory or disk run out.
    The definitions are those of Ito's background-knowledge attacker, and of Yamaoka and Itoh's analysis of
    identifiability; see ``duckrisk explain``.
    """
    from pathlib import Path

    from duckrisk import assessment, attribute, identifiability
    from duckrisk import roles as role_module
    from duckrisk.gates import parse_gate
    from duckrisk.report.write import check_target
    from duckrisk.session import Resources
    from duckrisk.source import Request

    listed = {"attributes": attributes, "ignore": ignore, "fail_on": fail_on, "only": only}
    for name, given in listed.items():
        if isinstance(given, str):
            raise UsageError(f"{name} takes a list of texts, not one text.")
    if levels is not None and not isinstance(levels, dict):
        raise UsageError('levels takes a dictionary of columns and levels, as in {"age": "date_of_birth"}.')
    if records is not None and not isinstance(records, (str, os.PathLike)):
        raise UsageError("records takes the path of a Parquet file to write.")
    if threads is not None and type(threads) is not int:
        raise UsageError("threads has to be a whole number.")
    known = attribute.Options.__dataclass_fields__
    identifying = [n for n in identifiability.Options.__dataclass_fields__ if not n.endswith("levels")]
    if unknown := [name for name in measures if name not in (*known, *identifying)]:
        from duckrisk.errors import nearest

        options = [*known, *identifying, *listed, "roles", "user", "levels", "records", "show_values"]
        raise UsageError(f'There is no option "{unknown[0]}"; did you mean {nearest(unknown[0], options)}?')
    chosen: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in measures.items()
        if name in identifying
    }
    settings = assessment.Settings(
        wishes=role_module.Wishes(user, tuple(attributes), tuple(ignore), tuple((roles or {}).items())),
        measures=attribute.Options(**{n: value for n, value in measures.items() if n in known}),
        identifiability=identifiability.Options(tuple((levels or {}).items()), **chosen),
        only=tuple(only) if only is not None else assessment.SECTIONS,
        gates=tuple(parse_gate(text) for text in fail_on),
        show_values=show_values,
    )
    request = Request(source, table, attach, query, where, encoding, header)
    target = Path(records) if records is not None else None
    if target is not None:
        check_target(target)
    return assessment.run(request, settings, Resources(memory, threads, temp), records=target)
