"""How numbers are written."""

from __future__ import annotations

import pytest

from duckrisk.base.numbers import format_change, format_probability, format_share
from duckrisk.report.knowledge import describe_knowledge, describe_publication
from duckrisk.report.words import Words


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (0.324240811, "0.324"),
        (0.5, "0.500"),
        (0.05, "0.0500"),
        (0.00015, "0.000150"),
        (6.14e-5, "0.0000614"),
        (2e-9, "< 0.000001"),
        (0.99999, "> 0.999"),
    ],
)
def test_probabilities(value, shown):
    assert format_probability(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0%"), (1, "100%"), (0.594, "59.4%"), (0.0999999, "10.0%"), (0.0512, "5.1%"), (0.00031, "0.031%"),
     (1e-9, "< 0.001%"), (0.99999, "> 99.9%"), (None, "-"), (1.0004, "100%"), (2.5, "100%"),
     (45e4, "100%"), (-0.25, "-25.0%"), (-1, "-100%")],
)  # fmt: skip
def test_shares(value, shown):
    """What was estimated can be more than the whole; no share is."""
    assert format_share(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1.0004, "+100.0%"), (2.5, "+250.0%"), (9.99, "+999.0%"), (12.345, "+1,234%"), (45e4, "+45,000,000%"),
     (-0.25, "-25.0%"), (-3, "-300.0%"), (0, "0%"), (None, "-")],
)  # fmt: skip
def test_changes(value, shown):
    assert format_change(value) == shown


def test_knowledge_is_said_in_words_unless_a_column_has_that_very_name():
    plain = Words().format
    assert plain(describe_knowledge("When.time", ["When"])) == 'the time of day in "When"'
    assert plain(describe_knowledge("When.time", ["When", "When.time"])) == '"When.time"'
    assert plain(describe_knowledge("A.prefix(3)", ["A"])) == 'the first 3 characters of "A"'
    assert plain(describe_knowledge("A.prefix", ["A"])) == '"A.prefix"'
    assert plain(describe_publication("A.band(5)", ["A"])) == "in bands of 5"
