"""Statements about the cells of a source, on a few texts."""

from __future__ import annotations

from tests.tables import connect, put, row


def test_long_sets_are_both() -> None:
    """Of more characters than what is not long, and in braces: {a, b} has six."""
    texts = ["{a, b}", "{a, bc}", "{a, bcdef}", "{a, bcdef", "a, bcdef}", "abcdefghijk", "{}", None]
    with connect(threads=1) as connection:
        put(connection, "t", "a:VARCHAR", *((text,) for text in texts))
        for most, cells in ((1, 4), (6, 2), (7, 1), (10, 0)):
            assert row(connection, "long_sets", source="t", column="a", most=most) == {"cells": cells}
