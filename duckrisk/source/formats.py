"""The formats of files that are read, each registered here with what recognizes it and who reads it."""

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
from duckrisk.source.model import Opened, Place, Request


@dataclass(frozen=True)
class File:
    """A file as the person wrote it, and where it truly is."""

    shown: str
    path: Path


@dataclass(frozen=True)
class Inputs:
    """The files of a source, all of one format.

    ``name`` is what the person typed, ``notes`` collect what the report says of opening them.
    """

    name: str
    files: list[File]
    format: Format
    notes: list[Sentence]


class Reader(Protocol):
    """Open files of a format as one relation. Raises SourceError where they cannot be read."""

    def __call__(self, session: Session, place: Place, inputs: Inputs, request: Request) -> Opened:
        """Describe what the files hold; the caller binds the columns and reads the records."""


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes:
        name: What the report calls it.
        called: What a sentence calls a file of it.
        suffixes: The endings of names, in lower case; they decide for a file without a signature.
        reader: The module below ``duckrisk.source`` and its Reader, as ``module:function``.
        signature: What the first 16 bytes of a file match; None for text.
        also: A signature that other files can have, so that it counts with an ending alone.
        program: The program that writes it, where Python reads it for the engine.
    """

    name: str
    called: str
    suffixes: tuple[str, ...]
    reader: str
    signature: re.Pattern[bytes] | None = None
    also: re.Pattern[bytes] | None = None
    program: str = ""

    @property
    def is_database(self) -> bool:
        """Whether a file holds several tables under names."""
        return self.reader.startswith("databases:")

    def recognizes(self, head: bytes, by_name: bool) -> bool:
        """Return whether a file that begins with these bytes has this format."""
        if self.signature is not None and self.signature.match(head):
            return True
        return by_name and self.also is not None and self.also.match(head) is not None

    def open_files(self, session: Session, place: Place, inputs: Inputs, request: Request) -> Opened:
        """Let the reader of the format open files. Raises SourceError for what it cannot read."""
        module, _, function = self.reader.partition(":")
        reader: Reader = getattr(import_module(f"duckrisk.source.{module}"), function)
        return reader(session, place, inputs, request)


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
        # Old files start with their version and the order of their bytes.
        also=re.compile(rb"[\x69\x6c\x6e\x6f\x71\x72\x73][\x01\x02]\x01"),
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
#: First bytes of files that are not read, and what to do with them.
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


def format_of(file: File) -> Format:
    """Return what a file is: by its first bytes where they say so, else by its name, else CSV.

    Raises:
        SourceError: The file has a format that is not read, or its name says one that it has not.
    """
    head = read_head(file.path)
    by_name = format_by_name(Path(file.shown))
    for file_format in FORMATS:
        if file_format.recognizes(head, file_format is by_name):
            return file_format
    for magic, sentence in _REFUSED.items():
        if head.startswith(magic):
            raise SourceError("source.error_in_file", shown=short(file.shown), sentence=sentence)
    if by_name is not None and by_name.signature is not None and head:
        raise SourceError("source.not_what_suffix_says", shown=short(file.shown), called=by_name.called)
    return by_name or _BY_NAME["csv"]


def common_format(name: str, files: Sequence[File]) -> Format:
    """Return the format of all files. Raises SourceError where they have several."""
    formats = [format_of(file) for file in files]
    for file, other in zip(files, formats, strict=True):
        if other is not formats[0]:
            kind = formats[0].name
            raise SourceError("source.mixed_kinds", name=name, kind=kind, short=short(file.shown))
    return formats[0]


def format_by_name(path: Path) -> Format | None:
    """Return the format that the ending of a name says, compressed or not; None where it says none."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return _BY_SUFFIX.get(suffixes[-1]) if suffixes else None


def read_head(path: Path) -> bytes:
    """Return the first 16 bytes of a file. Raises SourceError where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(16)
    except OSError as error:
        reason = error.strerror or "unknown reason"
        raise SourceError("source.path_not_readable", path=path.name, strerror=reason) from None


def short(name: str) -> str:
    """Return the name of a source for people: without the folders, which say nothing about the data."""
    last = Path(name).name or name
    key, value, _ = last.partition("=")  # a folder key=value would tell a value
    return f"{key}=…" if value else last
