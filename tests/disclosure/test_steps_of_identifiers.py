"""The shortest and the longest cell of each kind of identifier, beside those that lie beyond."""

from __future__ import annotations

import pytest

from tests.disclosure.test_direct_identifiers import measured
from tests.tables import thinned

#: By kind, what has its shape at the ends of what is looked at, and what lies beyond them.
ENDS = {
    "network address": (
        ["1.1.1.1", "255.255.255.255", "1::", "1:2:3:4:5:6:7:8", "1111:2222:3333:4444:5555:6666:7777:8888"],
        ["1.1.1.", "256.1.1.1", "1.1.1.1.1", "::g", "1:2:3:4:5:6:7:8:9"],
    ),
    "telephone number": (
        ["+123456789", "+123456789012345", "020 123 4567", "212-555-0100"],
        ["+12345678", "+1234567890123456", "020 12 345", "112-555-0100"],
    ),
    "postal code": (["N1 1AA", "12345-6789", "123-4567"], ["N1 1A", "12345-67890", "123-456"]),
    "web address": (["www.a.b", "ftp://a", "http://a"], ["www.ab", "ftp:/a", "gopher://a"]),
    "device address (MAC)": (
        ["00:11:22:33:44:5f"],
        ["00:11:22:33:44:5", "00:11:22:33:44:5f0", "00:11:22:33:44:5g"],
    ),
    "full date": (
        ["1/1/1800", "31/12/2099", "2020-1-1", "2020-12-31T23:59", "M1年1月1日"],
        ["1/1/180", "32/12/2099", "1799-1-1", "2020-1-32", "X1年1月1日"],
    ),
    "US social security number": (
        ["001-01-0001", "899-99-9999"],
        ["900-01-0001", "01-01-0001", "001-010001"],
    ),
    "payment card number": (
        ["4222222222222", "6000000000000000007"],
        ["422222222222", "40000000000000000006"],
    ),
}


@pytest.mark.parametrize("kind", thinned(ENDS))
def test_ends_of_what_has_the_shape(kind: str) -> None:
    there, beyond = ENDS[kind]
    found = measured(beyond)[kind]
    assert (found["present_cells"], found["shaped_cells"]) == (len(beyond), 0)
    found = measured(there)[kind]
    assert (found["shaped_cells"], found["shaped_values"]) == (len(there), len(there))


def test_one_value_in_several_spellings() -> None:
    """Spaces around a cell and wide digits are no other value."""
    for kind, cells in {
        "e-mail address": ["a@b.cd", "a@b.cd ", " a@b.cd", "e@f.gh", "\u3000é@b.cd", "é@b.cd"],
        "postal code": ["123-4567", "１２３-４５６７", "123-4568", "123-4567 "],
    }.items():
        found = measured(cells)[kind]
        values = len(cells) // 2
        assert (found["shaped_cells"], found["shaped_values"], found["valid_values"]) == (
            len(cells),
            values,
            values,
        )
