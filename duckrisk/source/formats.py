"""Registers the formats of files, each with the signs that identify it and its reader."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

from duckrisk.base.errors import SourceError
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import Session
from duckrisk.source.model import OpenedInput, Request, Workspace


@dataclass(frozen=True)
class File:
    """A file of a source.

    Attributes:
        shown: Path as a person typed it or the file system lists it.
        path: Real path, without links.
    """

    shown: str
    path: Path


@dataclass(frozen=True)
class Inputs:
    """The files of a source, all of one format.

    Attributes:
        name: The source as a person typed it.
        files: The files in order.
        format: Their format.
        notes: Receives sentences on how the files were opened.
    """

    name: str
    files: list[File]
    format: Format
    notes: list[Sentence]


class Reader(Protocol):
    """A function that opens files of a format as one relation."""

    def __call__(
        self, session: Session, workspace: Workspace, inputs: Inputs, request: Request
    ) -> OpenedInput:
        """Describe the files; the caller binds the columns and reads the records.

        Raises:
            SourceError: The files cannot be read.
        """


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes:
        name: Name in reports.
        description: A file of this format, in a sentence.
        suffixes: Suffixes of names in lower case; they identify files without a signature.
        reader: The module below ``duckrisk.source`` and its Reader, as ``module:function``.
        signature: Pattern of the first 16 bytes of a file; None for text.
        weak_signature: Pattern that other files can match, too; it counts only together with a suffix.
        program: The program that writes the files, if Python reads them for the engine.
    """

    name: str
    description: str
    suffixes: tuple[str, ...]
    reader: str
    signature: re.Pattern[bytes] | None = None
    weak_signature: re.Pattern[bytes] | None = None
    program: str = ""

    @property
    def is_database(self) -> bool:
        """Whether a file holds tables by name."""
        return self.reader.startswith("databases:")

    def recognizes(self, head: bytes, by_name: bool) -> bool:
        """Return whether a file has this format.

        Args:
            head: Its first 16 bytes.
            by_name: Whether its suffix is one of this format.
        """
        if self.signature is not None and self.signature.match(head):
            return True
        return by_name and self.weak_signature is not None and self.weak_signature.match(head) is not None

    def open_files(
        self, session: Session, workspace: Workspace, inputs: Inputs, request: Request
    ) -> OpenedInput:
        """Open files with the reader of this format, as :class:`Reader` describes."""
        module, _, function = self.reader.partition(":")
        reader: Reader = getattr(import_module(f"duckrisk.source.{module}"), function)
        return reader(session, workspace, inputs, request)


PARQUET = Format(
    "parquet",
    "Parquet file",
    (".parquet", ".parq", ".pq"),
    "parquet_files:open_parquet",
    re.compile(rb"PAR1"),
)
FORMATS = (
    PARQUET,
    Format("csv", "CSV file", (".csv", ".tsv", ".txt"), "text_files:open_csv"),
    Format("json", "JSON file", (".json", ".jsonl", ".ndjson"), "text_files:open_json"),
    Format(
        "duckdb",
        "DuckDB database",
        (".duckdb", ".ddb", ".db"),
        "databases:open_file",
        re.compile(rb".{8}DUCK", re.DOTALL),
    ),
    Format(
        "sqlite",
        "SQLite database",
        (".sqlite", ".sqlite3"),
        "databases:open_file",
        re.compile(rb"SQLite format 3"),
    ),
    Format(
        "sas",
        "file of SAS",
        (".sas7bdat", ".xpt"),
        "programs:open_program",
        re.compile(rb"\0{12}\xc2\xea\x81\x60|HEADER RECORD\*{3}"),
        program="SAS",
    ),
    Format(
        "stata",
        "file of Stata",
        (".dta",),
        "programs:open_program",
        re.compile(rb"<stata_dta>"),
        # Old files start with their version and their byte order.
        weak_signature=re.compile(rb"[\x69\x6c\x6e\x6f\x71\x72\x73][\x01\x02]\x01"),
        program="Stata",
    ),
    Format(
        "spss",
        "file of SPSS",
        (".sav", ".zsav"),
        "programs:open_program",
        re.compile(rb"\$FL[23]"),
        program="SPSS",
    ),
    Format(
        "arrow",
        "file of Arrow",
        (".feather", ".arrow"),
        "programs:open_program",
        re.compile(rb"ARROW1"),
        program="Arrow",
    ),
)
_BY_NAME = {file_format.name: file_format for file_format in FORMATS}
_BY_SUFFIX = {suffix: file_format for file_format in FORMATS for suffix in file_format.suffixes}
COMPRESSED = (".gz", ".gzip")
SUFFIXES = (*_BY_SUFFIX, *COMPRESSED)
#: First bytes of files that cannot be read, with the advice for a person.
_REFUSED = {
    b"PK\x03\x04": "is a ZIP archive or an Excel workbook; unpack it, or save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "is an old Excel workbook; save the sheet as CSV",
    b"\x28\xb5\x2f\xfd": "is compressed with zstd; unpack it, or use gzip",
    b"BZh": "is compressed with bzip2; unpack it, or use gzip",
    b"\xfd7zXZ": "is compressed with xz; unpack it, or use gzip",
    b"ORC": "is an ORC file; save it as Parquet",
    b"Obj\x01": "is an Avro file; save it as Parquet",
    b"FEA1": "is a Feather file of version 1; save it as Parquet",
    b"%PDF": "is a PDF document; save the table as CSV",
    b"PARE": "is an encrypted Parquet file; decrypt it first",
}


def detect_format(file: File) -> Format:
    """Detect the format of a file by its first bytes, else by its name, else CSV.

    Raises:
        SourceError: The file has an unsupported format, or not the one that its name says.
    """
    head = read_head(file.path)
    by_name = format_by_name(Path(file.shown))
    for file_format in FORMATS:
        if file_format.recognizes(head, file_format is by_name):
            return file_format
    for magic, sentence in _REFUSED.items():
        if head.startswith(magic):
            raise SourceError("source.error_in_file", shown=short_name(file.shown), sentence=sentence)
    if by_name is not None and by_name.signature is not None and head:
        raise SourceError(
            "source.not_what_suffix_says", shown=short_name(file.shown), called=by_name.description
        )
    return by_name or _BY_NAME["csv"]


def common_format(name: str, files: Sequence[File]) -> Format:
    """Return the format that all files share; raise SourceError if they differ."""
    formats = [detect_format(file) for file in files]
    for file, other in zip(files, formats, strict=True):
        if other is not formats[0]:
            kind = formats[0].name
            raise SourceError("source.mixed_kinds", name=name, kind=kind, short=short_name(file.shown))
    return formats[0]


def format_by_name(path: Path) -> Format | None:
    """Return the format of a suffix, compressed or not; None for an unknown one."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return _BY_SUFFIX.get(suffixes[-1]) if suffixes else None


def read_head(path: Path) -> bytes:
    """Return the first 16 bytes of a file; raise SourceError if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(16)
    except OSError as error:
        reason = error.strerror or "unknown reason"
        raise SourceError("source.path_not_readable", path=path.name, strerror=reason) from None


def short_name(name: str) -> str:
    """Return the name of a source for people, without its folders."""
    last = Path(name).name or name
    key, value, _ = last.partition("=")  # a folder key=value would reveal a value
    return f"{key}=…" if value else last
