"""The language of the product: what makes it hard to read only falls."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import language


@pytest.mark.slow
def test_nothing_hard_to_read_comes_back() -> None:
    raised = []
    for wing in language.wings():
        limits = language.ceilings().get(wing, {})
        counted: dict[str, list[str]] = {}
        for kind, path, line, text in language.findings(wing):
            counted.setdefault(kind, []).append(f"{path.relative_to(language.ROOT)}:{line}: {text}")
        for kind, listed in counted.items():
            if len(listed) > limits.get(kind, 0):
                raised += [f"{wing}, {kind}: {len(listed)}, at most {limits.get(kind, 0)}:", *listed[:400]]
    assert not raised, "\n".join(raised)


def test_every_ceiling_is_of_something_that_is_counted() -> None:
    for wing, limits in language.ceilings().items():
        assert wing in language.wings(), wing
        assert set(limits) <= set(language.KINDS), wing


def test_what_is_counted() -> None:
    text = '''
LIMIT = 3
#: Rows of a batch (tests/benchmarks/sets.py).
ROWS = 2 * 10
#: Rows.
MOST = 4
NAMES = ("a",)


def some():
    """The rows, so many of them."""


def read_rows():
    """Read the rows."""
'''
    path = Path("x.py")
    found = [*language._of_text(path, text), *language._of_python(path, text)]
    assert sorted((f.kind, f.line) for f in found) == [
        ("constants", 2),
        ("constants", 6),
        ("names", 10),
        ("phrases", 11),
        ("summaries", 10),
    ]
