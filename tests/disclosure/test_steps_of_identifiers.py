"""The shortest and the longest cell of each kind of identifier, beside those that lie beyond."""

from __future__ import annotations

import operator
import random
import string

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


def check_vehicle(signs: str) -> str:
    """Return the check digit of 49 CFR 565: letters count as on a keypad, each place has a weight."""
    keys = "0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ"
    weights = [*range(8, 1, -1), 10, 0, *range(9, 1, -1)]
    values = [int(sign) if sign.isdigit() else keys.index(sign) % 10 for sign in signs]
    return "0123456789X"[sum(map(operator.mul, weights, values)) % 11]


def check_person(digits: str) -> str:
    """Return the check digit of a My Number: weights 2 to 7 and 2 to 6 from the last digit on."""
    weights = [2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6]
    rest = sum(map(operator.mul, weights, map(int, reversed(digits)))) % 11
    return "0" if rest <= 1 else str(11 - rest)


def check_luhn(digits: str) -> str:
    doubled = [int(digit) * (2 - place % 2) for place, digit in enumerate(reversed(digits))]
    return str(-sum(sum(divmod(one, 10)) for one in doubled) % 10)


def check_account(signs: str) -> str:
    """Return the two check digits of an account, by its country and what follows them."""
    number = int("".join(str(int(sign, 36)) for sign in f"{signs[2:]}{signs[:2]}00"))
    return f"{98 - number % 97:02}"


def draw(chance: random.Random, signs: str, count: int) -> str:
    return "".join(chance.choice(signs) for _ in range(count))


def draw_checked(chance: random.Random, kind: str) -> tuple[str, str]:
    """Draw an identifier with the right check digit, and one with another."""
    if kind == "vehicle identification number":
        signs = draw(chance, "0123456789ABCDEFGHJKLMNPRSTUVWXYZ", 17)
        right, digits, place = check_vehicle(signs), "0123456789X", 8
    elif kind == "bank account (IBAN)":
        signs = "GB00" + draw(chance, string.ascii_uppercase, 4) + draw(chance, string.digits, 14)
        right = check_account(signs[:2] + signs[4:])
        wrong = f"{(int(right) - 1) % 96 + 2:02}"
        return signs[:2] + right + signs[4:], signs[:2] + wrong + signs[4:]
    else:
        my_number = kind == "My Number"
        signs = draw(chance, "123456789", 1) + draw(chance, string.digits, 11) if my_number else ""
        signs = signs or "4" + draw(chance, string.digits, 14 if "IMEI" in kind else 15)
        right = (check_person if my_number else check_luhn)(signs[:-1])
        digits, place = string.digits, len(signs) - 1
    wrong = digits[(digits.index(right) + chance.randint(1, 9)) % len(digits)]
    return tuple(signs[:place] + digit + signs[place + 1 :] for digit in (right, wrong))  # type: ignore[return-value]


@pytest.mark.parametrize(
    "kind",
    ["vehicle identification number", "My Number", "payment card number", "bank account (IBAN)",
     "device number (IMEI)"],
)  # fmt: skip
def test_check_digits_of_drawn_identifiers(kind: str) -> None:
    """Of each pair one is valid; another one with the shape is none."""
    chance = random.Random(kind)
    pairs = [draw_checked(chance, kind) for _ in range(40)]
    found = measured([cell for pair in pairs for cell in pair])[kind]
    assert (found["shaped_cells"], found["valid_cells"], found["valid_values"]) == (80, 40, 40)
    found = measured([right for right, _ in pairs])[kind]
    assert found["valid_cells"] == 40
    chances = {"vehicle identification number": 11, "bank account (IBAN)": 97, "My Number": 11}
    zeros = sum(right.endswith("0") for right, _ in pairs) if kind == "My Number" else 0
    assert found["by_chance"] == pytest.approx((40 + zeros) / chances.get(kind, 10))
