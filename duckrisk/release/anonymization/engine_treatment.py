"""Treat records that a distributed engine holds, which never come to this machine.

Here are the supported steps, conditions in the engine's dialect, and the release that it writes.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Sequence
from pathlib import Path

from duckrisk.base.errors import EngineError, UsageError
from duckrisk.base.files import check_target, refuse_overwriting
from duckrisk.engine.spark.dialects import SPARK, Translated
from duckrisk.engine.templates import Sql, render
from duckrisk.engine.types import decimal_digits, is_float, is_timestamp
from duckrisk.release.anonymization.chain import Chain, Column
from duckrisk.release.anonymization.output import Target, name_output_in_errors
from duckrisk.release.anonymization.steps import Step
from duckrisk.source import Request, names
from duckrisk.source.hierarchies import Definition
from duckrisk.source.recipes import SUFFIX

#: Methods with a form for the engine: each looks at single records, or only at users.
SUPPORTED_METHODS = ("generalize", "suppress", "delete", "sample", "pseudonymize")
#: Names of files that Spark writes into a folder in addition to Parquet files.
_SIDE_FILES = re.compile(r"[._]")


def check_steps(steps: Sequence[Step]) -> None:
    """Check that the engine supports the steps.

    Args:
        steps: The steps.

    Raises:
        UsageError: A step is not supported.
    """
    for step in steps:
        if step.method not in SUPPORTED_METHODS:
            raise UsageError(
                "engines.method_not_offered", method=step.method, offered=", ".join(SUPPORTED_METHODS)
            )
        for option in ("bands", "groups", "first_day"):
            if option in step.options:
                raise UsageError("engines.feature_not_offered", what=option)
        if step.get("life", 1) != 1:
            raise UsageError("engines.feature_not_offered", what="life")


def check_engine_target(target: Target, request: Request) -> None:
    """Check before the treatment that the engine can write the release.

    It writes a folder of Parquet files, which may replace another release.

    Args:
        target: Where the release goes.
        request: How the source is opened.

    Raises:
        UsageError: The target cannot be written, or is part of the source.
        OutputError: The folder cannot be written to.
    """
    path = target.path
    if target.table is not None:
        raise UsageError("engines.feature_not_offered", what="--into")
    if path.suffix.lower() != ".parquet":
        raise UsageError("engines.output_not_parquet", name=path.name)
    if path.is_dir() and not path.is_symlink():
        recipe = path.with_name(path.name + SUFFIX)
        if not recipe.is_file() or any(entry.suffix != ".parquet" for entry in path.iterdir()):
            raise UsageError("engines.folder_not_a_release", path=path)
        check_target(recipe)
    else:
        check_target(path)
    refuse_overwriting(path, target.overwrite)
    if isinstance(request.source, (str, os.PathLike)):
        written, read = path.resolve(), Path(os.fspath(request.source).removeprefix("file://")).resolve()
        inside = written == read or written in read.parents or read in written.parents
        if inside or fnmatch.fnmatchcase(str(written), str(read)):
            raise UsageError("source.output_is_source", target=path)


# --- what the engine does not support --------------------------------------------------------------


def check_coarser(column: Column, step: Step, hierarchy: Definition | None) -> None:
    """Check that the engine writes coarser values exactly as DuckDB does.

    Args:
        column: The column.
        step: The step that generalizes it.
        hierarchy: The hierarchy of the column; None without one.

    Raises:
        UsageError: It would write them differently.
    """
    kind = hierarchy.kind if hierarchy is not None and "level" in step.options else ""
    if kind == "labels":
        raise UsageError("engines.labels_not_offered", column=column.name)
    texts = "prefix" in step.options or kind == "prefixes"
    if texts and (is_float(column.type) or is_timestamp(column.type) or column.type == "BLOB"):
        raise UsageError("engines.prefix_of_non_text", column=column.name)
    parts = decimal_digits(column.type)
    if parts is not None and parts[1] > 6 and parts[0] > 14 and ("width" in step.options or kind == "widths"):
        raise UsageError("engines.too_many_digits", column=column.name)


#: A piece of a condition that DuckDB wrote in full; other conditions are not translated.
_PIECES = re.compile(
    r"""\s+
    | CAST\((?P<moment>'[0-9][0-9: .+-]*')\ AS\ (?P<kind>DATE|TIMESTAMP)\)
    | (?P<text>'(?:[^']|'')*')
    | "(?P<quoted>(?:[^"]|"")+)"(?!\.)
    | (?P<like>!?~~(?![~*]))
    | (?P<word>[^\W\d]\w*)(?![\w'"(.])
    | !=|<>|<=|>=|=|<|>|[(),]
    | -?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])
    """,
    re.VERBOSE,
)
_WORDS = {"AND", "OR", "NOT", "IN", "IS", "NULL", "BETWEEN", "TRUE", "FALSE", "DISTINCT", "FROM"}


def translate_condition(chain: Chain, where: Sql) -> Sql:
    """Translate a checked condition into the dialect of the engine.

    Args:
        chain: The chain.
        where: The condition in DuckDB's dialect.

    Raises:
        UsageError: The condition has unknown names or types, or is more than comparisons of columns and
            constants.
    """
    session, columns = chain.session, chain.columns
    called = chain.list_condition_names()
    nothing = render("no_records", kinds=[Sql(column.type) for column in columns])
    session.run("try_condition", source=nothing, names=called[:-1], where=where)
    full = session.fetch_row("condition_in_full", query=render("bare_condition", where=where))["text"]
    text = full.removeprefix("SELECT ").removesuffix(" AS met")
    there, at = [], 0
    while at < len(text):
        piece = _PIECES.match(text, at)
        if piece is None:
            raise UsageError("engines.condition_not_offered")
        there.append(_translate_piece(piece, dict(zip(called, columns, strict=False))))
        at = piece.end()
    condition = Translated(where)
    condition.translation = Sql("".join(there))
    return condition


def _translate_piece(piece: re.Match[str], columns: dict[str, Column]) -> str:
    """Translate one piece of a condition.

    Raises:
        UsageError: The engine would compare the column differently.
    """
    if piece["text"] is not None:
        return SPARK.literal(piece["text"][1:-1].replace("''", "'"))
    if piece["moment"] is not None:
        return f"CAST({piece['moment']} AS {piece['kind']})"
    if piece["like"] is not None:
        return "LIKE" if piece["like"] == "~~" else "NOT LIKE"
    if piece["word"] is not None and piece["word"].upper() in _WORDS:
        return piece["word"].upper()
    if piece["word"] is None and piece["quoted"] is None:
        return piece[0]
    name = piece["word"] or piece["quoted"].replace('""', '"')
    own = name if name in columns else next(n for n in columns if names.fold_case(n) == names.fold_case(name))
    if columns[own].type in ("FLOAT", "BLOB"):
        raise UsageError("engines.condition_not_offered")
    return SPARK.identifier(own)


# --- writing -----------------------------------------------------------------------------------------


def write_release(chain: Chain, folder: Path, path: Path, released: int) -> None:
    """Let the engine write the release, and count its records.

    Args:
        chain: The chain after all steps.
        folder: The folder to write to.
        path: The name that the folder gets in the end.
        released: Number of records to expect.

    Raises:
        EngineError: The number of records changed meanwhile.
    """
    called = names.label_columns(
        [column.name.replace("\0", "") or column.binding for column in chain.columns], []
    )
    with name_output_in_errors(chain.session, path):
        written = chain.session.write_on_engine(
            "spark_release", folder, source=chain.relation, columns=chain.bindings, names=called
        )
    if written != released:
        raise EngineError("engines.records_changed", written=written, released=released)
    for entry in list(folder.iterdir()):
        if _SIDE_FILES.match(entry.name):
            entry.unlink()


def name_records(chain: Chain) -> None:
    """Give each record a text of its own, which draws depend on.

    Args:
        chain: The chain.
    """
    name = chain.name_table("named")
    chain.session.run("spark_named_records", name=name, source=chain.relation, columns=chain.bindings)
    chain.continue_with(name)
