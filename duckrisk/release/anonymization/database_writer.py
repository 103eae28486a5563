"""Write releases as tables of SQLite, PostgreSQL, MySQL or DuckLake databases.

They are written in a session of their own, which has seen neither the source nor a condition of a person. The
records reach it through a private file, and the table is made of that in one transaction.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from duckrisk.base.errors import DuckriskError, EngineError, OutputError, SourceError, UsageError, WriteError
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import Resources, Session
from duckrisk.engine.templates import Sql, render
from duckrisk.release.anonymization import output
from duckrisk.release.anonymization.chain import Chain
from duckrisk.release.anonymization.output import DATABASE, Target
from duckrisk.source import databases
from duckrisk.source.databases import Address
from duckrisk.source.files import escape_glob

#: Format of the private file with the records.
_PARQUET_FILE = Path("release.parquet")


@contextlib.contextmanager
def open_database(target: Target, file: Path | None, resources: Resources) -> Iterator[Writer]:
    """Attach the database of a target for writing.

    Args:
        target: The target, with the address of the database.
        file: The file of a new database, which is renamed when all is done; None for a server.
        resources: Memory, threads and files of the session.

    Yields:
        The writer of the table.

    Raises:
        UsageError: The table exists.
        OutputError: The database cannot be written to.
        SourceError: The database cannot be attached.
    """
    assert target.address is not None
    lake = file if target.address.kind == "ducklake" else None
    files = Path(f"{target.path}.files")
    if lake is not None and files.exists():
        raise UsageError("anonymization.ducklake_folder_exists", files=files)
    # The SQL script of a run must not write into a database.
    with Session(replace(resources, sql_log=None)) as session:
        session.run("set_option", option="preserve_insertion_order", setting=True)
        writer = Writer(session, target, target.address)
        # The files of a new lake are as private as its catalogue until all is done.
        writer.attach(file, lake and lake.with_name("files"), files)
        yield writer
    if lake is not None and lake.with_name("files").exists():
        lake.with_name("files").rename(files)


class Writer:
    """Writes one table of one attached database."""

    def __init__(self, session: Session, target: Target, address: Address) -> None:
        self.session = session
        self.target = target
        self.address = address

    def attach(self, file: Path | None, data: Path | None, files: Path) -> None:
        """Attach the database, and check whether the table may be made.

        Args:
            file: The file of a new database; None for a server.
            data: The folder of the data of a new lake; None for other databases.
            files: The name that this folder gets in the end.
        """
        self.files = None if data is None else files
        databases.load_extensions(self.session, self.address.extensions)
        if data is not None and file is not None:
            file.unlink()  # the engine takes an empty file for a damaged database
        try:
            self.session.run(
                "attach_to_write",
                address=self.address.location if file is None else str(file),
                name=DATABASE,
                kind=self.address.kind,
                data=None if data is None else f"{data}/",
            )
        except DuckriskError:
            raise self._make_error(
                "cannot be opened for writing; check that it is one, that it runs, that the address is right"
            ) from None
        finally:
            self.session.log.clear()  # an address may hold a password
        self.schema, self.name = self._find_table()
        self.is_free = output.is_table_free(self.session, self.target, self.schema, self.name)

    def _find_table(self) -> tuple[str, str]:
        """Return schema and name of the table; the database decides a missing schema."""
        schema, dot, name = str(self.target.table).partition(".")
        if dot and schema and name:
            return schema, name
        try:
            self.session.run("use_database", name=DATABASE)
            return self.session.fetch_row("current_schema")["name"], str(self.target.table)
        except DuckriskError:
            raise UsageError("anonymization.address_without_database", kind=self.address.kind) from None
        finally:
            self.session.run("use_database", name="memory")

    def write(self, session: Session, chain: Chain) -> None:
        """Make the table from the treated records of another session.

        Args:
            session: The session of the treatment.
            chain: The chain of the treatment.
        """
        called = output.list_column_names(chain)
        output.write_file(session, chain, _PARQUET_FILE, session.table)
        bindings = chain.bindings
        source = render("read_parquet", paths=[escape_glob(session.table)], hive="false")
        self.session.views.define("treated", source, bindings)
        make = self._create_and_rename if self.address.kind == "mysql" else self._create_in_transaction
        try:
            make(bindings, called)
        except WriteError as error:
            raise OutputError("files.file_not_written", path=self.target.path, why=error.why) from None
        except (SourceError, UsageError, EngineError) as error:
            if "disk" in str(error):
                raise
            raise self._make_error(
                f'refused the table "{self.target.table}"; check that its schema is there, that its columns '
                "may be called and hold what they do there"
            ) from None
        if self.files is not None:
            metadata = render("qualified", names=[f"__ducklake_metadata_{DATABASE}", "ducklake_metadata"])
            self.session.run("lake_folder", metadata=metadata, folder=f"{self.files}/")
        self.session.run("detach_release", name=DATABASE)

    def _create_in_transaction(self, bindings: list[str], columns: list[str]) -> None:
        """Make the table in one transaction."""
        self.session.run("begin_writing")
        try:
            if not self.is_free:
                self.session.run("drop_release", name=self._render_name(self.name))
            self._create(self.name, bindings, columns)
            self.session.run("commit_writing")
        except DuckriskError:
            with contextlib.suppress(DuckriskError):
                self.session.run("undo_writing")
            raise

    def _create_and_rename(self, bindings: list[str], columns: list[str]) -> None:
        """Make the table under a temporary name, and rename it.

        MySQL ends a transaction with every CREATE and DROP.
        """
        temporary = f"{self.name[:50]}_{secrets.token_hex(4)}"
        location = {"database": DATABASE, "schema": self.schema}
        try:
            self._create(temporary, bindings, columns)
            if not self.is_free:
                self.session.run("mysql_drop", table=self.name, **location)
            self.session.run("mysql_rename", table=temporary, new=self.name, **location)
        except BaseException:
            with contextlib.suppress(DuckriskError):
                self.session.run("mysql_drop", table=temporary, **location)
            raise

    def _create(self, name: str, bindings: list[str], columns: list[str]) -> None:
        self.session.run(
            "create_release",
            name=self._render_name(name),
            replace=False,
            source="treated",
            columns=bindings,
            names=columns,
            order=None,
        )

    @property
    def notes(self) -> list[Sentence]:
        """Notes on what the database keeps of a replaced table."""
        if self.address.kind != "ducklake" or self.is_free:
            return []
        return [Sentence("anonymization.history")]

    def _render_name(self, name: str) -> Sql:
        return render("qualified", names=[DATABASE, self.schema, name])

    def _make_error(self, why: str) -> OutputError:
        return OutputError("anonymization.database_not_writable", label=self.address.label, why=why)
