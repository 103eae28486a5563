"""Opens tables whose roles a test declares, without the search of their values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from duckrisk.roles import content, inference
from duckrisk.roles.results import Content
from duckrisk.source import text_columns
from duckrisk.source.readings import TextReadings
from tests.tables import EXAMPLES


@contextmanager
def values_unsearched(declared: bool = True) -> Iterator[None]:
    """Skip the search of values for identifiers, names and written numbers, below 20 examples.

    The search is up to half of the cost of a small table. It proposes roles and types: where a test declares
    the user and the attributes, no number of a section depends on it. Where not all is ``declared`` it runs.
    """
    if EXAMPLES >= 20 or not declared:
        yield
        return
    with (
        mock.patch.object(content, "scan", return_value=Content()),
        mock.patch.object(text_columns, "find_readings", return_value=TextReadings()),
        mock.patch.object(inference, "with_shapes", side_effect=lambda _, profiles: profiles),
    ):
        yield
