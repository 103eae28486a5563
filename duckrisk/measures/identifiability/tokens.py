"""Take texts that mean a missing value out of an attribute."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from duckrisk.engine.templates import Attribute
from duckrisk.engine.types import decimal_digits, is_float, is_integer, is_number, is_text

#: Digits of a decimal number (DuckDB: DECIMAL(38)).
_DECIMAL_DIGITS = 38


def drop_tokens(attribute: Attribute, kind: str, missing_tokens: Sequence[str]) -> Attribute:
    """Return an attribute whose tokens are missing values.

    Args:
        attribute: An attribute of one column.
        kind: Type of the column; tokens of a number are compared as numbers of it.
        missing_tokens: Texts that mean a missing value.
    """
    tokens = list(missing_tokens)
    number = kind if is_number(kind) else None
    if number is not None:
        tokens = [read for token in tokens if (read := _read_number(token, kind)) is not None]
    elif not is_text(kind):
        tokens = [token for token in tokens if any(c.isdigit() for c in token)]
    (part,) = attribute.parts
    # Some engines cannot store a struct without names in a table.
    if "STRUCT" in kind and part.knowledge == "exact":
        part = replace(part, knowledge="as_text")
    return Attribute(attribute.name, (replace(part, tokens=tuple(tokens), number=number),))


def drop_tokens_of_parts(
    attribute: Attribute, types: Mapping[str, str], missing_tokens: Sequence[str]
) -> Attribute:
    """Return an attribute whose tokens are missing values in each of its parts.

    Args:
        attribute: An attribute of one or more columns.
        types: Types of the columns, by binding.
        missing_tokens: Texts that mean a missing value.
    """
    parts = [
        drop_tokens(Attribute(attribute.name, (part,)), types[part.column], missing_tokens).parts[0]
        for part in attribute.parts
    ]
    return Attribute(attribute.name, tuple(parts))


def _read_number(token: str, kind: str) -> str | None:
    """Read a token as a number of a column's type; None if it is none of its numbers."""
    try:
        exact = Decimal(token)
        if is_float(kind):
            return _read_real(exact, kind)
    except (ValueError, InvalidOperation):
        return None
    if not exact.is_finite() or abs(exact.adjusted()) > _DECIMAL_DIGITS:
        return None
    written = f"{exact:f}"
    whole, _, places = written.partition(".")
    if is_integer(kind):
        return whole if not places.strip("0") else None
    _, most = decimal_digits(kind) or (0, 0)
    return written if len(places.rstrip("0")) <= most else None


def _read_real(exact: Decimal, kind: str) -> str | None:
    """Return the nearest number of a floating-point type; None if it is out of range."""
    read = float(exact)
    if kind == "FLOAT" and exact.is_finite():
        try:
            (read,) = struct.unpack("f", struct.pack("f", read))
        except OverflowError:
            return None
    beyond = math.isinf(read) or (read == 0 and exact != 0)
    return repr(read) if not (beyond and exact.is_finite()) else None
