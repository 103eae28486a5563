"""Rename the columns of a Parquet file.

DuckDB numbers names that differ only in case; the format does not need that. Only the footer is written anew.
It is Thrift in the compact protocol, read as a tree; everything but the names is written back as it was.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duckrisk.base.errors import EngineError

_MAGIC = b"PAR1"
#: Types of values in the compact protocol; whole numbers are kept as bytes.
_BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 3, 7, 8, 9, 10, 11, 12
_TRUTH, _WHOLE = (1, 2), (4, 5, 6)
#: Numbers of fields (parquet.thrift).
_SCHEMA, _ROW_GROUPS, _COLUMNS, _METADATA, _PATH, _NAME, _CHILDREN = 2, 4, 1, 3, 3, 4, 5


def rename_columns(path: Path, names: Sequence[str]) -> None:
    """Rename the columns of a file.

    Args:
        path: The Parquet file.
        names: A name for each column, in order.

    Raises:
        EngineError: The footer is not as expected.
    """
    with path.open("r+b") as file:
        file.seek(-8, os.SEEK_END)
        size, magic = int.from_bytes(file.read(4), "little"), file.read(4)
        start = file.seek(-8 - size, os.SEEK_END)
        reader = _Reader(file.read(size))
        footer = reader.read_struct()
        if magic != _MAGIC or reader.at != size:
            raise EngineError("anonymization.parquet_footer_unreadable")
        _rename_in_footer(footer, [name.encode("utf-8") for name in names])
        encoded = _encode_struct(footer)
        file.seek(start)
        file.write(encoded + len(encoded).to_bytes(4, "little") + _MAGIC)
        file.truncate()


@dataclass
class _Field:
    number: int
    code: int
    value: Any


def _rename_in_footer(footer: list[_Field], names: list[bytes]) -> None:
    """Rename columns in the schema, and in the paths of their chunks."""
    root, *elements = _get_field(footer, _SCHEMA)[1]
    called: dict[bytes, bytes] = {}
    at = 0

    def skip() -> None:
        nonlocal at
        children = _read_count(_get_field(elements[at], _CHILDREN))
        at += 1
        for _ in range(children):
            skip()

    for name in names:
        field = next(field for field in elements[at] if field.number == _NAME)
        called[field.value] = name
        field.value = name
        skip()
    if at != len(elements) or _read_count(_get_field(root, _CHILDREN)) != len(names):
        raise EngineError("anonymization.parquet_columns_differ")
    for group in (_get_field(footer, _ROW_GROUPS) or (0, []))[1]:
        for chunk in _get_field(group, _COLUMNS)[1]:
            path = _get_field(_get_field(chunk, _METADATA), _PATH)[1]
            path[0] = called[path[0]]


def _get_field(fields: list[_Field], number: int) -> Any:
    return next((field.value for field in fields if field.number == number), None)


def _read_count(zigzag: bytes | None) -> int:
    return 0 if zigzag is None else _Reader(zigzag).read_number() >> 1


# --- the compact protocol ------------------------------------------------------------------------


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def read_bytes(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]

    def read_varint(self) -> bytes:
        start = self.at
        while self.data[self.at] & 0x80:
            self.at += 1
        self.at += 1
        return self.data[start : self.at]

    def read_number(self) -> int:
        return sum((byte & 0x7F) << (7 * index) for index, byte in enumerate(self.read_varint()))

    def read_struct(self) -> list[_Field]:
        fields: list[_Field] = []
        number = 0
        while head := self.read_bytes(1)[0]:
            step, code = head >> 4, head & 0x0F
            zigzag = 0 if step else self.read_number()
            number = number + step if step else (zigzag >> 1) ^ -(zigzag & 1)
            fields.append(_Field(number, code, None if code in _TRUTH else self.read_value(code)))
        return fields

    def read_value(self, code: int) -> Any:
        if code in _WHOLE:
            return self.read_varint()
        if code in (_BYTE, *_TRUTH):
            return self.read_bytes(1)
        if code == _DOUBLE:
            return self.read_bytes(8)
        if code == _BINARY:
            return self.read_bytes(self.read_number())
        if code in (_LIST, _SET):
            head = self.read_bytes(1)[0]
            size = head >> 4 if head >> 4 < 15 else self.read_number()
            return head & 0x0F, [self.read_value(head & 0x0F) for _ in range(size)]
        if code == _MAP:
            size = self.read_number()
            kinds = self.read_bytes(1)[0] if size else 0
            pairs = [(self.read_value(kinds >> 4), self.read_value(kinds & 0x0F)) for _ in range(size)]
            return kinds, pairs
        if code == _STRUCT:
            return self.read_struct()
        raise EngineError("anonymization.parquet_footer_unreadable")


def _encode_varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def _encode_struct(fields: list[_Field]) -> bytes:
    parts: list[bytes] = []
    before = 0
    for field in fields:
        step = field.number - before
        if 0 < step < 16:
            parts.append(bytes([step << 4 | field.code]))
        else:
            parts.append(bytes([field.code]) + _encode_varint((field.number << 1) ^ (field.number >> 15)))
        parts.append(b"" if field.code in _TRUTH else _encode_value(field.code, field.value))
        before = field.number
    return b"".join(parts) + b"\0"


def _encode_value(code: int, value: Any) -> bytes:
    if code == _BINARY:
        return _encode_varint(len(value)) + bytes(value)
    if code in (_LIST, _SET):
        inner, values = value
        head = (
            bytes([len(values) << 4 | inner])
            if len(values) < 15
            else bytes([0xF0 | inner]) + _encode_varint(len(values))
        )
        return head + b"".join(_encode_value(inner, each) for each in values)
    if code == _MAP:
        kinds, pairs = value
        entries = [_encode_value(kinds >> 4, key) + _encode_value(kinds & 0x0F, each) for key, each in pairs]
        return _encode_varint(len(pairs)) + (bytes([kinds]) if pairs else b"") + b"".join(entries)
    return _encode_struct(value) if code == _STRUCT else bytes(value)
