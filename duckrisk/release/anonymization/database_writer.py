"""Releases as tables of databases that the engine's extensions attach: SQLite, PostgreSQL, MySQL, DuckLake.

They are written in a session of their own, which has never seen the source or a condition of a person: the
records reach it through a private file, and the table is made of it in one transaction.
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
from duckrisk.source.files import engine_path

#: What is called after the release is a file of this kind first.
_PARQUET_FILE = Path("release.parquet")


@contextlib.contextmanager
def open_database(target: Target, file: Path | None, resources: Resources) -> Iterator[Writer]:
    """The database of a target, attached for writing; ``file`` is that of a new one, which is renamed
    when all is done. Raises UsageError for a table that is there, and OutputError or SourceError for a
    database that cannot be written to."""
    assert target.address is not None
    lake = file if target.address.kind == "ducklake" else None
    files = Path(f"{target.path}.files")
    if lake is not None and files.exists():
        raise UsageError("anonymization.ducklake_folder_exists", files=files)
    # A script writes into no database.
    with Session(replace(resources, sql_log=None)) as session:
        session.run("set_option", option="preserve_insertion_order", setting=True)
        writer = Writer(session, target, target.address)
        # The files of a new lake are as private as its catalogue until all is done.
        writer.attach(file, lake and lake.with_name("files"), files)
        yield writer
    if lake is not None and lake.with_name("files").exists():
        lake.with_name("files").rename(files)


class Writer:
    """One table of one attached database."""

    def __init__(self, session: Session, target: Target, address: Address) -> None:
        self.session = session
        self.target = target
        self.address = address

    def attach(self, file: Path | None, data: Path | None, files: Path) -> None:
        """Attach the database, or make it with ``data`` as the folder of a lake, which is ``files`` later,
        and see whether the table may be made."""
        self.files = None if data is None else files
        databases.load_extensions(self.session, self.address.extensions)
        if data is not None and file is not None:
            file.unlink()  # the engine takes an empty file for a damaged database
        try:
            self.session.run(
                "attach_to_write",
                address=self.address.place if file is None else str(file),
                name=DATABASE,
                kind=self.address.kind,
                data=None if data is None else f"{data}/",
            )
        except DuckriskError:
            raise self._refused(
                "cannot be opened for writing; check that it is one, that it runs, that the address is right"
            ) from None
        finally:
            self.session.log.clear()  # an address can hold a password
        self.schema, self.name = self._qualified()
        self.free = output.is_table_free(self.session, self.target, self.schema, self.name)

    def _qualified(self) -> tuple[str, str]:
        """The schema, which the database knows where the person named none, and the name of the table."""
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
        """Make the table of the treated records of another session."""
        called = output.list_column_names(chain)
        output.write_file(session, chain, _PARQUET_FILE, session.table)
        bindings = chain.bindings
        source = render("read_parquet", paths=[engine_path(session.table)], hive="false")
        self.session.views.define("treated", source, bindings)
        make = self._aside if self.address.kind == "mysql" else self._at_once
        try:
            make(bindings, called)
        except WriteError as error:
            raise OutputError("files.file_not_written", path=self.target.path, why=error.why) from None
        except (SourceError, UsageError, EngineError) as error:
            if "disk" in str(error):
                raise
            raise self._refused(
                f'refused the table "{self.target.table}"; check that its schema is there, that its columns '
                "may be called and hold what they do there"
            ) from None
        if self.files is not None:
            metadata = render("qualified", names=[f"__ducklake_metadata_{DATABASE}", "ducklake_metadata"])
            self.session.run("lake_folder", metadata=metadata, folder=f"{self.files}/")
        self.session.run("detach_release", name=DATABASE)

    def _at_once(self, bindings: list[str], columns: list[str]) -> None:
        """Make the table in one transaction."""
        self.session.run("begin_writing")
        try:
            if not self.free:
                self.session.run("drop_release", name=self._table(self.name))
            self._create(self.name, bindings, columns)
            self.session.run("commit_writing")
        except DuckriskError:
            with contextlib.suppress(DuckriskError):
                self.session.run("undo_writing")
            raise

    def _aside(self, bindings: list[str], columns: list[str]) -> None:
        """Make the table under another name first: MySQL ends a transaction with every CREATE and DROP."""
        aside = f"{self.name[:50]}_{secrets.token_hex(4)}"
        location = {"database": DATABASE, "schema": self.schema}
        try:
            self._create(aside, bindings, columns)
            if not self.free:
                self.session.run("mysql_drop", table=self.name, **location)
            self.session.run("mysql_rename", table=aside, new=self.name, **location)
        except BaseException:
            with contextlib.suppress(DuckriskError):
                self.session.run("mysql_drop", table=aside, **location)
            raise

    def _create(self, name: str, bindings: list[str], columns: list[str]) -> None:
        self.session.run(
            "create_release",
            name=self._table(name),
            replace=False,
            source="treated",
            columns=bindings,
            names=columns,
            order=None,
        )

    @property
    def notes(self) -> list[Sentence]:
        """What a person has to know of the place."""
        if self.address.kind != "ducklake" or self.free:
            return []
        return [Sentence("anonymization.history")]

    def _table(self, name: str) -> Sql:
        return render("qualified", names=[DATABASE, self.schema, name])

    def _refused(self, why: str) -> OutputError:
        return OutputError("anonymization.database_not_writable", label=self.address.label, why=why)
