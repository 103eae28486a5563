"""What the engine's types hold: numbers, moments, texts. A list of numbers is no number.

BIGNUM counts as no number: the engine compares its values and does not calculate with them.
"""

from __future__ import annotations

import re

_SMALL = re.compile(r"U?(TINYINT|SMALLINT|INTEGER)")
_WHOLE = re.compile(rf"{_SMALL.pattern}|U?(BIGINT|HUGEINT)")
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_TIMESTAMP = re.compile(r"TIMESTAMP[A-Z_]*( WITH TIME ZONE)?")
_CLOCK = re.compile(r"TIME(?!STAMP)[A-Z_]*( WITH TIME ZONE)?")
#: INTEGER[3] is an ARRAY; INTEGER[] is a LIST.
_WRITTEN = re.compile(r"\b(INTERVAL|VARIANT|UNION)\b|\[\d+\]")
#: As in sql/expressions/cell_number.sql.
_ONE_TO_ONE = re.compile(
    r"BOOLEAN|U?(TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|DATE|TIME|TIMESTAMP[ _A-Z]*"
    r"|DECIMAL\(([0-9]|1[0-8]),[0-9]+\)"
)
_ENUM = re.compile(r"ENUM\(.*\)", re.DOTALL)


def is_small(kind: str) -> bool:
    """Whether a type is one of whole numbers of at most 32 bits."""
    return _SMALL.fullmatch(kind) is not None


def is_whole(kind: str) -> bool:
    """Whether a type is one of whole numbers."""
    return _WHOLE.fullmatch(kind) is not None


def is_real(kind: str) -> bool:
    """Whether a type is one of floating-point numbers."""
    return kind in ("DOUBLE", "FLOAT")


def is_narrow(kind: str) -> bool:
    """Whether a type is one of floating-point numbers of 32 bits."""
    return kind == "FLOAT"


def decimal(kind: str) -> tuple[int, int] | None:
    """How many digits a decimal type has, and how many of them after the point; None for another type."""
    match = _DECIMAL.fullmatch(kind)
    return None if match is None else (int(match.group(1)), int(match.group(2)))


def is_number(kind: str) -> bool:
    """Whether a type is one of numbers."""
    return is_whole(kind) or is_real(kind) or decimal(kind) is not None


def is_timestamp(kind: str) -> bool:
    """Whether a type is one of a day with its time."""
    return _TIMESTAMP.fullmatch(kind) is not None


def is_zoned(kind: str) -> bool:
    """Return whether a type holds moments, whose days depend on a time zone."""
    return kind == "TIMESTAMP WITH TIME ZONE"


def is_moment(kind: str) -> bool:
    """Whether a type tells a day, with its time or without."""
    return kind == "DATE" or is_timestamp(kind)


def is_fine(kind: str) -> bool:
    """Whether a type is one of moments in nanoseconds."""
    return kind == "TIMESTAMP_NS"


def is_clock(kind: str) -> bool:
    """Whether a type is one of a time of day alone."""
    return _CLOCK.fullmatch(kind) is not None


def has_zone(kind: str) -> bool:
    """Whether a type is one of a time of day with its zone."""
    return is_clock(kind) and kind.endswith("WITH TIME ZONE")


def is_text(kind: str) -> bool:
    """Whether a type is one of texts, be they listed or not."""
    return kind == "VARCHAR" or _ENUM.fullmatch(kind) is not None


def is_hashed_one_to_one(kind: str) -> bool:
    """Return whether the engine's hash gives different values of a type different numbers."""
    return _ONE_TO_ONE.fullmatch(kind) is not None


def is_plain(kind: str) -> bool:
    """Whether a type is one of numbers, moments, truth values or texts."""
    return (
        is_number(kind) or is_moment(kind) or is_clock(kind) or is_text(kind) or kind in ("BOOLEAN", "UUID")
    )


def is_nested(kind: str) -> bool:
    """Whether a type holds several values, or any."""
    return kind == "JSON" or kind.endswith("]") or kind.startswith(("STRUCT(", "MAP(", "UNION("))


def is_written(kind: str) -> bool:
    """Return whether values of a type are compared as they are written.

    The engine takes a month for 30 days, gives equal values of a VARIANT different hashes, writes the parts
    of a UNION alike, and cannot collect an ARRAY inside a STRUCT (DuckDB 2.0.0: internal error).
    """
    return kind in ("INTERVAL", "VARIANT") or (is_nested(kind) and _WRITTEN.search(kind) is not None)


def is_countable(kind: str) -> bool:
    """Whether values of a type can be numbers or names that somebody was given."""
    parts = decimal(kind)
    whole = is_whole(kind) or (parts is not None and parts[1] == 0)
    return whole or is_text(kind) or kind in ("UUID", "BLOB", "BIGNUM")
