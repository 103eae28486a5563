"""Formats of files: each is registered once, and said where people look."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from pathlib import Path

from duckrisk.source.formats import FORMATS, File, Reader, detect_format, format_by_name
from tests.command import ROOT

#: Beginnings of files, which their programs write.
_HEADS = {
    "parquet": b"PAR1",
    "duckdb": b"\x01" * 8 + b"DUCK",
    "sqlite": b"SQLite format 3\0",
    "sas": b"\0" * 12 + b"\xc2\xea\x81\x60",
    "stata": b"\x72\x02\x01\x00",
    "spss": b"$FL2@(#)",
    "arrow": b"ARROW1\0\0",
}


def test_each_format_is_known_by_its_files_and_in_the_documents(tmp_path: Path) -> None:
    documents = (ROOT / "duckrisk/source/README.md").read_text(encoding="utf-8")
    for file_format in FORMATS:
        module, _, function = file_format.reader.partition(":")
        reader = getattr(import_module(f"duckrisk.source.{module}"), function)
        assert [*signature(reader).parameters] == [*signature(Reader.__call__).parameters][1:]
        said = file_format.program or file_format.description.partition(" ")[0]
        assert said in documents.partition("\n\n`--with")[0], said
        for suffix in file_format.suffixes:
            assert format_by_name(Path(f"a{suffix.upper()}")) is file_format
            assert format_by_name(Path(f"a{suffix}.gz")) is file_format
        assert (file_format.signature is not None) == (file_format.name in _HEADS)
        if head := _HEADS.get(file_format.name):
            path = tmp_path / f"a{file_format.suffixes[0]}"
            path.write_bytes(head + b"\0" * 100)
            assert detect_format(File(str(path), path)) is file_format
