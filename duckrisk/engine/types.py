"""Classifies DuckDB's types by their names: numbers, dates, texts. A list of numbers is no number.

BIGNUM counts as no number: the engine compares its values and does not calculate with them.
"""

from __future__ import annotations

import re

_SMALL_INTEGER = re.compile(r"U?(TINYINT|SMALLINT|INTEGER)")
_INTEGER = re.compile(rf"{_SMALL_INTEGER.pattern}|U?(BIGINT|HUGEINT)")
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_TIMESTAMP = re.compile(r"TIMESTAMP[A-Z_]*( WITH TIME ZONE)?")
_TIME = re.compile(r"TIME(?!STAMP)[A-Z_]*( WITH TIME ZONE)?")
#: INTEGER[3] is an ARRAY; INTEGER[] is a LIST.
_COMPARED_AS_TEXT = re.compile(r"\b(INTERVAL|VARIANT|UNION)\b|\[\d+\]")
#: As in sql/expressions/cell_number.sql.
_ONE_TO_ONE = re.compile(
    r"BOOLEAN|U?(TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|DATE|TIME|TIMESTAMP[ _A-Z]*"
    r"|DECIMAL\(([0-9]|1[0-8]),[0-9]+\)"
)
#: Types of values that can hold several.
NESTED = re.compile(r"JSON|.*\]|(STRUCT|MAP|UNION)\(.*", re.DOTALL)
_ENUM = re.compile(r"ENUM\(.*\)", re.DOTALL)


def is_small_integer(kind: str) -> bool:
    """Return whether a type holds integers of at most 32 bits."""
    return _SMALL_INTEGER.fullmatch(kind) is not None


def is_integer(kind: str) -> bool:
    """Return whether a type holds integers, of up to 128 bits."""
    return _INTEGER.fullmatch(kind) is not None


def is_float(kind: str) -> bool:
    """Return whether a type holds floating-point numbers."""
    return kind in ("DOUBLE", "FLOAT")


def is_float32(kind: str) -> bool:
    """Return whether a type holds floating-point numbers of 32 bits."""
    return kind == "FLOAT"


def decimal_digits(kind: str) -> tuple[int, int] | None:
    """Return the width and scale of a DECIMAL type; None for any other type."""
    match = _DECIMAL.fullmatch(kind)
    return None if match is None else (int(match.group(1)), int(match.group(2)))


def is_number(kind: str) -> bool:
    """Return whether a type holds numbers: integers, DECIMAL or floating point."""
    return is_integer(kind) or is_float(kind) or decimal_digits(kind) is not None


def is_timestamp(kind: str) -> bool:
    """Return whether a type holds dates with a time, with a zone or without."""
    return _TIMESTAMP.fullmatch(kind) is not None


def is_timestamp_with_zone(kind: str) -> bool:
    """Return whether a type holds moments, whose dates depend on the time zone."""
    return kind == "TIMESTAMP WITH TIME ZONE"


def has_date(kind: str) -> bool:
    """Return whether a type holds dates, with a time or without."""
    return kind == "DATE" or is_timestamp(kind)


def is_nanosecond_timestamp(kind: str) -> bool:
    """Return whether a type holds timestamps in nanoseconds."""
    return kind == "TIMESTAMP_NS"


def is_time(kind: str) -> bool:
    """Return whether a type holds times of day without a date."""
    return _TIME.fullmatch(kind) is not None


def is_time_with_zone(kind: str) -> bool:
    """Return whether a type holds times of day with a zone."""
    return is_time(kind) and kind.endswith("WITH TIME ZONE")


def is_text(kind: str) -> bool:
    """Return whether a type holds texts: VARCHAR or ENUM."""
    return kind == "VARCHAR" or _ENUM.fullmatch(kind) is not None


def is_hashed_one_to_one(kind: str) -> bool:
    """Return whether different values of a type have different hashes."""
    return _ONE_TO_ONE.fullmatch(kind) is not None


def is_scalar(kind: str) -> bool:
    """Return whether a type holds numbers, dates, times, texts, BOOLEAN or UUID."""
    return is_number(kind) or has_date(kind) or is_time(kind) or is_text(kind) or kind in ("BOOLEAN", "UUID")


def is_nested(kind: str) -> bool:
    """Return whether values of a type can hold several values, as LIST or JSON."""
    return NESTED.fullmatch(kind) is not None


def is_compared_as_text(kind: str) -> bool:
    """Return whether values of a type are compared by their text.

    The engine takes a month for 30 days, gives equal values of a VARIANT different hashes, writes the parts
    of a UNION alike, and cannot collect an ARRAY inside a STRUCT (DuckDB 2.0.0: internal error).
    """
    return kind in ("INTERVAL", "VARIANT") or (is_nested(kind) and _COMPARED_AS_TEXT.search(kind) is not None)


def can_be_code(kind: str) -> bool:
    """Return whether a type can hold codes of people, such as customer numbers."""
    digits = decimal_digits(kind)
    whole = is_integer(kind) or (digits is not None and digits[1] == 0)
    return whole or is_text(kind) or kind in ("UUID", "BLOB", "BIGNUM")
