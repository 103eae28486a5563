"""Write a release to a file or a DuckDB table, completely or not at all."""

from __future__ import annotations

import contextlib
import csv
import errno
import fnmatch
import io
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from duckrisk.base.errors import DuckriskError, EngineError, OutputError, UsageError, WriteError, quote_names
from duckrisk.base.files import WHY_NOT_WRITTEN, check_target, refuse_overwriting
from duckrisk.engine.session import Session
from duckrisk.engine.templates import Sql, identifier, render
from duckrisk.release.anonymization import parquet_names
from duckrisk.release.anonymization.chain import Chain
from duckrisk.source import Request, databases, formats, names, objects, refuse_overwriting_source
from duckrisk.source.databases import Address

#: Options of COPY by suffix. Parquet pages of version 2 hold distinct texts in two thirds of time and space.
FORMATS = {
    ".parquet": Sql("FORMAT parquet, PARQUET_VERSION v2"),
    ".csv": Sql("FORMAT csv, HEADER"),
}
#: Name of the attached database that is written to.
DATABASE = "release"
#: Suffixes of files that DuckDB makes next to a database file while it writes to it.
_COMPANIONS = (".wal", ".wal.checkpoint", ".wal.recovery", ".checkpoint.wal")


@dataclass(frozen=True)
class Target:
    """Where a release goes: a file, or a table of a database.

    Attributes:
        path: The file. For a database on a server it only names the files that belong to the release.
        table: Name of the table; None for a file.
        overwrite: Whether to replace what exists.
        address: Address of a database that an extension attaches; None for DuckDB.
        logged_as: Name of the file in the scripts of the run, if the file is removed afterwards.
        lists_records: Whether to write the numbers of the released records too, for a check.
        is_held: Whether it is a temporary database of a caller who named no output.
    """

    path: Path
    table: str | None = None
    overwrite: bool = False
    address: Address | None = None
    logged_as: Path | None = None
    lists_records: bool = False
    is_held: bool = False

    @property
    def named(self) -> Path:
        """The path that names files that belong to the release."""
        return self.path if self.table is None else self.path.with_name(f"{self.path.name}.{self.table}")


def parse_destination(destination: str | os.PathLike[str], table: str, *, overwrite: bool) -> Target:
    """Parse `--into`: a DuckDB file, or the kind of a database and its address.

    Args:
        destination: The text of the option.
        table: Name of the table.
        overwrite: Whether to replace an existing table.

    Raises:
        UsageError: Nothing can be written there.
    """
    address = databases.parse_address(os.fspath(destination))
    if isinstance(address, Path):
        return Target(address, table, overwrite)
    return Target(address.file or Path(address.kind), table, overwrite, address)


def check_output(target: Target, request: Request) -> None:
    """Check before the treatment that the release can be written.

    Args:
        target: Where the release goes.
        request: How the source is opened.

    Raises:
        UsageError: The target exists, is part of the source, or has no known format.
        OutputError: The target cannot be written to.
    """
    if target.address is None or target.address.file is not None:
        check_target(target.path)
        refuse_overwriting_source(target.path, request)
    else:
        check_target(target.named)
        _check_source_table(target, target.address, request)
    if target.table is None:
        get_format(target.path)
        refuse_overwriting_folder(target.path, request)
        refuse_overwriting(target.path, target.overwrite)
    elif not target.table or "\0" in target.table or "/" in target.table or os.sep in target.table:
        raise UsageError("anonymization.slash_in_table_name")


def refuse_overwriting_folder(path: Path, request: Request) -> None:
    """Check that a new file does not become part of the source.

    Args:
        path: The file.
        request: How the source is opened.

    Raises:
        UsageError: The source is a folder or a pattern that would include the file.
    """
    source = request.source
    if not isinstance(source, (str, os.PathLike)) or os.fspath(source) == "-" or path.exists():
        return
    written, read = path.absolute(), Path(source).absolute()
    if read.is_dir():
        inside = written.resolve().is_relative_to(read.resolve())
    else:
        inside = len(written.parts) == len(read.parts) and fnmatch.fnmatchcase(str(written), str(read))
    if inside:
        raise UsageError("anonymization.output_inside_source", path=path)


def _check_source_table(target: Target, address: Address, request: Request) -> None:
    """Check that the table to write is not the source.

    Raises:
        UsageError: The source is a table of the same server with this name, or may be.
    """
    if request.attach is None or not target.overwrite or databases.parse_address(request.attach) != address:
        return
    name = str(target.table).rpartition(".")[2].casefold()
    read = (request.table or "").rpartition(".")[2].strip('"').casefold()
    if request.table is None or read == name:
        raise UsageError("anonymization.output_table_may_be_source", table=target.table)


def get_format(path: Path) -> Sql:
    """Return the COPY options of a file, by its suffix.

    Args:
        path: The file.

    Raises:
        UsageError: The suffix names no format.
    """
    if path.suffix.lower() not in FORMATS:
        raise UsageError("anonymization.unknown_suffix", path=path.name)
    return FORMATS[path.suffix.lower()]


# --- files ---------------------------------------------------------------------------------------


def write_file(session: Session, chain: Chain, path: Path, file: Path) -> None:
    """Write the release to a file.

    Args:
        session: The session of the treatment.
        chain: The chain after all steps.
        path: The name that the file gets in the end.
        file: The file to write.
    """
    chain.number += 1
    chain.remove_enums()
    source = chain.relation
    if path.suffix.lower() == ".parquet":
        typed = chain.name_table("typed")
        source, labels = chain.label_texts()
        kinds = [column.type for column in chain.columns]
        large = [place for place, kind in enumerate(kinds) if kind == "HUGEINT"]
        cells = [chain.bindings[place] for place in large]
        beyond = (
            session.fetch_row("beyond_decimals", source=chain.relation, columns=cells)["cells"]
            if large
            else []
        )
        wholes = [place for place, many in zip(large, beyond, strict=True) if not many]
        session.run(
            "typed_records",
            name=typed,
            source=source,
            columns=chain.bindings,
            labelled=list(labels),
            labels=list(labels.values()),
            selected=objects.render_parquet_columns([*kinds, "BIGINT"], wholes=wholes, released=True),
        )
        source = identifier(typed)
    copy_records(
        session,
        _render_in_order(chain, source),
        chain.bindings,
        [column.name for column in chain.columns],
        chain.get_order(),
        path,
        file,
    )


def get_numbers_path(file: Path) -> Path:
    """Return the file of the numbers of the records that a release has, in its order.

    Args:
        file: The file of the release before it gets its name.
    """
    return file.with_name("numbers.parquet")


def name_numbers(target: Target) -> Path:
    """Return the name of that file in the scripts of the run.

    Args:
        target: Where the release goes.
    """
    return (target.logged_as or target.path).with_suffix(".numbers.parquet")


def write_numbers(session: Session, chain: Chain, file: Path) -> None:
    """Write the numbers of the records that a release has, in its order.

    Args:
        session: The session.
        chain: The chain of the treatment.
        file: The file of the release.
    """
    path = get_numbers_path(file)
    order = chain.get_order() or identifier("record")
    copy_records(session, chain.relation, ["record"], ["record"], order, path, path)


def _render_in_order(chain: Chain, source: Sql) -> Sql:
    """Render the records to write, in their order."""
    mixed = chain.get_order() is None and chain.has_joins
    return render("in_order", source=source) if mixed else source


def write_rows(session: Session, relation: Sql, columns: dict[str, str], file: Path, path: Path) -> None:
    """Write a table of ours to a file, sorted by its columns.

    Args:
        session: The session.
        relation: The table.
        columns: Titles of the columns, by column.
        file: The file to write.
        path: The name that the file gets in the end.
    """
    order = render("key_order", columns=list(columns))
    copy_records(session, relation, list(columns), list(columns.values()), order, path, file)


def copy_records(
    session: Session,
    source: Sql,
    columns: Sequence[str],
    titles: Sequence[str],
    order: Sql | None,
    path: Path,
    file: Path,
) -> None:
    """Write records to a file, with exactly these titles.

    DuckDB would number titles that differ only in case.

    Args:
        session: The session.
        source: The records.
        columns: Bindings of the columns.
        titles: Titles of the columns.
        order: SQL to sort by; None for no order.
        path: The name that the file gets in the end.
        file: The file to write.
    """
    plain = [title.replace("\0", "") or column for title, column in zip(titles, columns, strict=True)]
    titles = names.label_columns(plain, [])
    options, alike = get_format(path), bool(names.list_case_variants(titles))
    header = ""
    if alike and path.suffix.lower() == ".csv":
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(titles)
        header = line.getvalue()
        options = render("csv_under_header", header=header, end="\n")
    with name_output_in_errors(session, path):
        session.run(
            "copy_release",
            source=source,
            columns=list(columns),
            names=names.make_unique(titles) if alike else titles,
            order=order,
            path=str(file),
            options=options,
            group_bytes=get_group_bytes(session, path),
        )
    size = len(header.encode("utf-8"))
    if header and file.stat().st_size == size + 1:  # without records the file ends with an empty line
        os.truncate(file, size)
    if alike and not header:
        parquet_names.rename_columns(file, titles)


def get_group_bytes(session: Session, path: Path) -> int | None:
    """Return the bytes of a row group of a file; None if its format has none.

    Args:
        session: The session.
        path: The file.
    """
    return session.group_bytes if path.suffix.lower() == ".parquet" else None


@contextlib.contextmanager
def name_output_in_errors(session: Session, path: Path) -> Iterator[None]:
    """Name the output, not the source, in errors that come from writing it.

    Args:
        session: The session.
        path: The output.

    Raises:
        OutputError: The output cannot be written, or its disk is full.
    """
    try:
        yield
    except WriteError as error:
        if Path(os.path.abspath(session.folder)) in Path(os.path.abspath(error.path)).parents:
            raise
        raise OutputError("files.file_not_written", path=path, why=error.why) from None
    except DuckriskError as error:
        stopped = isinstance(error, EngineError) or "disk" in str(error)
        if stopped and not _has_room(path.parent):
            raise OutputError(
                "files.file_not_written", path=path, why=WHY_NOT_WRITTEN[errno.ENOSPC]
            ) from None
        raise


def _has_room(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        return shutil.disk_usage(folder).free > 2**20
    return False


# --- databases -----------------------------------------------------------------------------------


def list_companions(path: Path) -> list[Path]:
    """List the files that DuckDB writes for a database, itself first.

    Args:
        path: The database file.
    """
    return [path, *(path.with_name(path.name + suffix) for suffix in _COMPANIONS)]


def attach_database(session: Session, path: Path, file: Path) -> None:
    """Attach the database to write to: the existing one, or a new file.

    Args:
        session: The session.
        path: The database file.
        file: The new file, which is renamed in the end.

    Raises:
        UsageError: The existing file is no DuckDB database.
        OutputError: It cannot be written to.
    """
    fresh = not path.exists()
    if fresh:
        file.unlink()  # the engine takes an empty file for a damaged database
    elif formats.detect_format(formats.File(str(path), path)).name != "duckdb":
        raise UsageError("anonymization.output_not_duckdb", path=path)
    try:
        with name_output_in_errors(session, path):
            session.run("attach_release", path=str(file if fresh else path), name=DATABASE, new_file=fresh)
    except OutputError:
        raise
    except DuckriskError as error:
        raise OutputError(
            "anonymization.output_database_locked", path=path, name=type(error).__name__
        ) from None


def is_table_free(session: Session, target: Target, schema: str, name: str) -> bool:
    """Return whether the table does not exist yet.

    Args:
        session: The session, with the database attached.
        target: Where the release goes.
        schema: Schema of the table.
        name: Name of the table.

    Raises:
        UsageError: It exists and may not be replaced.
    """
    rows = session.run("release_tables", database=DATABASE, schema=schema, table=name)
    if not rows:
        return True
    if rows[0]["kind"] != "BASE TABLE":
        raise UsageError("anonymization.output_table_is_view", name=name, path=target.path)
    if not target.overwrite:
        raise UsageError("anonymization.output_table_exists", name=name, path=target.path)
    return False


def write_table(session: Session, chain: Chain, target: Target, *, free: bool) -> None:
    """Make the table of the release in one transaction.

    Args:
        session: The session of the treatment, with the database attached.
        chain: The chain after all steps.
        target: Where the release goes.
        free: Whether the table does not exist yet.
    """
    assert target.table is not None
    schema, name = split_table_name(target)
    called = list_column_names(chain)
    table = render("qualified", names=[DATABASE, schema, name])
    chain.number += 1
    chain.remove_enums()
    with name_output_in_errors(session, target.path):
        session.run(
            "create_release",
            source=_render_in_order(chain, chain.relation),
            order=chain.get_order(),
            name=table,
            replace=not free,
            columns=chain.bindings,
            names=called,
        )
        try:
            session.run("checkpoint_release", name=DATABASE)
        except WriteError:
            if free:  # otherwise the old table is gone, and the new one is complete in the log
                _drop_created_table(session, target.path, table)
                raise
        session.run("detach_release", name=DATABASE)


def _drop_created_table(session: Session, path: Path, table: Sql) -> None:
    """Drop a table that a database has in its log and cannot move to its file.

    It closes the session, in which the engine refuses all further statements.
    """
    session.close()
    if path.exists():
        with contextlib.suppress(DuckriskError), Session(replace(session.resources, sql_log=None)) as other:
            other.run("attach_release", path=str(path), name=DATABASE, new_file=False)
            other.run("drop_release", name=table)
            other.run("detach_release", name=DATABASE)


def list_column_names(chain: Chain) -> list[str]:
    """List the names of the columns of a table.

    Args:
        chain: The chain after all steps.

    Raises:
        UsageError: Names differ only in case.
    """
    called = [column.name.replace("\0", "") or column.binding for column in chain.columns]
    if alike := names.list_case_variants(called):
        raise UsageError("anonymization.columns_differ_only_in_case", some=quote_names(alike))
    return called


def split_table_name(target: Target) -> tuple[str, str]:
    """Split the name of a table into schema and table.

    Args:
        target: Where the release goes.
    """
    schema, dot, name = str(target.table).partition(".")
    return (schema, name) if dot and schema and name else ("main", str(target.table))
