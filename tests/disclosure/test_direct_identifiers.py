"""Direct identifiers by content: published examples of each kind, check digits, and what only looks alike."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duckrisk.engine.templates import render
from duckrisk.roles import content
from tests.command import command, table
from tests.tables import LIGHTER, engine, make, run, thinned

#: Published or documentary examples, by what they are.
EXAMPLES = {
    "e-mail address": ["a.b+c@example.co.jp", "O'Neil@example.org"],
    "telephone number": [
        "090-1234-5678", "09012345678", "+81 90 1234 5678", "(03) 1234-5678", "０３-１２３４-５６７８",
    ],
    "payment card number": ["4111 1111 1111 1111", "5500005555555559", "3566-0020-2036-0505"],
    "My Number": ["123456789018", "1234 5678 9018"],
    "bank account (IBAN)": ["GB82 WEST 1234 5698 7654 32", "DE89370400440532013000"],
    "vehicle identification number": ["1HGCM82633A004352", "1M8GDM9AXKP042788", "5YJSA1DG9DFP14705"],
    "US social security number": ["078-05-1120", "219-09-9999"],
    "postal code": ["150-0001", "〒150-0001", "12345-6789", "SW1A 1AA", "K1A 0B1"],
    "web address": ["https://example.org/a?b", "www.example.com"],
    "network address": ["192.168.0.1", "2001:db8::1", "2001:0db8:0000:0000:0000:ff00:0042:8329"],
    "device address (MAC)": ["00:1A:2b:3c:4D:5e", "00-1a-2b-3c-4d-5e"],
    "device number (IMEI)": ["490154203237518", "356938035643809"],
    "full date": ["2020-01-31", "31/12/1999", "昭和55年1月3日", "2020/1/3 10:00"],
}  # fmt: skip
#: What says more than its shape, by digits, or by numbers that are given to nobody: how often chance does.
CHECKED = {
    "payment card number": 1 / 10, "My Number": 1 / 11, "bank account (IBAN)": 1 / 97,
    "vehicle identification number": 1 / 11, "US social security number": 1, "device number (IMEI)": 1 / 10,
}  # fmt: skip
#: What has the shape of one, or nearly, and is none.
OTHERS = [
    "4111111111111112", "123456789012", "GB82WEST12345698765433", "1HGCM82634A004352", "666-05-1120",
    "a@b", "@example.org", "999.1.1.1", "00:1A:2b:3c:4D", "2020-13-31", "12345", "plain text", "", " ", "'",
]  # fmt: skip


def measured(cells: list[Any], tokens: list[str] | None = None) -> dict[str, dict[str, Any]]:
    make(engine(), {"a b": "VARCHAR"}, [(cell,) for cell in cells], "cells")
    lines = run(engine(), "direct_identifiers", source="cells", columns=["a b"], missing_tokens=tokens)
    many = ["a b"] * 33  # which are read in another way
    again = run(engine(), "direct_identifiers", source="cells", columns=many, missing_tokens=tokens)
    assert again == [line | {"position": place} for place in range(33) for line in lines]
    return {line["kind"]: line for line in lines}


@pytest.mark.parametrize("kind", thinned(EXAMPLES))
def test_examples(kind: str) -> None:
    cells = EXAMPLES[kind]
    found = measured([*cells, *cells, None, *OTHERS])
    others = [cell for cell in OTHERS if cell.strip()]
    assert (found[kind]["valid_cells"], found[kind]["valid_values"]) == (2 * len(cells), len(cells))
    assert found[kind]["present_cells"] == 2 * len(cells) + len(others)
    # Of the others one has the shape of each that is checked, but of a device's number.
    shaped = 2 * len(cells) + (kind in CHECKED and kind != "device number (IMEI)")
    assert found[kind]["shaped_cells"] == shaped
    assert found[kind]["by_chance"] == pytest.approx(shaped * CHECKED.get(kind, 1))
    assert found[kind]["values_by_chance"] == pytest.approx((shaped - len(cells)) * CHECKED.get(kind, 1))
    taken = {name for name, line in found.items() if line["valid_cells"]} - {kind}
    # Fifteen digits with Luhn's check digit can be a card's as a device's.
    assert taken <= {"payment card number"}


def test_nothing() -> None:
    assert {line["present_cells"] for line in measured([None, "", " "]).values()} == {0}
    assert {line["valid_cells"] for line in measured(OTHERS).values()} == {0}


def test_a_token_is_no_cell() -> None:
    cells = ["2020-01-31", "1900-01-01", " 1900-01-01", "1900-01-01 ", "-'-"]
    assert measured(cells)["full date"]["valid_cells"] == 4
    found = measured(cells, ["1900-01-01", "-'-"])["full date"]
    assert (found["present_cells"], found["valid_cells"]) == (1, 1)


def test_lengths_of_an_address() -> None:
    longest = ["é" * 64 + "@x.org", "a@b." + "ü" * 63, "a@" + "b." * 124 + "org"]
    longer = ["é" * 65 + "@x.org", "a@b." + "ü" * 64, "a@" + "b." * 125 + "org", "a@b.c", "a@b.c1", "@b.org"]
    assert [measured([cell])["e-mail address"]["valid_cells"] for cell in longest] == [1, 1, 1]
    assert measured(longer)["e-mail address"]["valid_cells"] == 0


def luhn(digits: str) -> bool:
    doubled = [int(d) * (1 + place % 2) for place, d in enumerate(reversed(digits))]
    return sum(d - 9 * (d > 9) for d in doubled) % 10 == 0


def my_number(digits: str) -> bool:
    weights = [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]  # of the first eleven digits, as the order prints them
    rest = sum(int(d) * w for d, w in zip(digits, weights, strict=False)) % 11
    return int(digits[11]) == (0 if rest <= 1 else 11 - rest)


def iban(text: str) -> bool:
    return int("".join(str(int(sign, 36)) for sign in text[4:] + text[:4])) % 97 == 1


def test_a_device_is_no_card() -> None:
    """No card begins with 9, whatever its check digit."""
    found = measured(["990000862471853"])
    valid = [found[kind]["valid_cells"] for kind in ("payment card number", "device number (IMEI)")]
    assert valid == [0, 1]


#: The register of ISO 13616: the countries by the length of their accounts.
LENGTHS = {
    15: "NO",
    16: "BE",
    18: "DK FI FK FO GL NL SD",
    19: "MK SI",
    20: "AT BA EE KZ LT LU MN XK",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ OM SO TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "DJ FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU YE",
    31: "MT SC",
    32: "LC",
    33: "RU",
}
#: Where letters stand after the check digits; all other signs can be digits.
LETTERS = {
    "AZ BG BH GB GI HN IE IQ JO KW LC LV MT NI NL PK PS QA RO SV VG YE MU SC": "ABCD",
    "FK GE": "AB",
    "IT SM": "A",
}


def account(country: str, length: int) -> str:
    """Return an account of a country that has the right check digits."""
    body = next((letters for countries, letters in LETTERS.items() if country in countries), "")
    body += "1" * (length - 4 - len(body))
    if country in ("MU", "SC"):
        body = body[:-3] + "XYZ"
    if country == "BR":
        body = body[:-2] + "C1"
    rest = int("".join(str(int(sign, 36)) for sign in f"{body}{country}00")) % 97
    return f"{country}{98 - rest:02}{body}"


def test_an_account_has_the_length_and_the_signs_of_its_country() -> None:
    countries = [(name, length) for length, names in LENGTHS.items() for name in names.split()]
    accounts = [account(name, length) for name, length in countries]
    assert all(map(iban, accounts))
    found = measured(accounts)["bank account (IBAN)"]
    assert (found["shaped_cells"], found["valid_cells"]) == (len(countries), len(countries))
    wrong = [account(name, length + more) for name, length in countries for more in (-1, 1)]
    wrong += [account(f"Z{name[1]}", length) for name, length in countries]
    wrong += [f"{text[:4]}{'1' if text[4].isalpha() else '?'}{text[5:]}" for text in accounts]
    assert measured(wrong)["bank account (IBAN)"]["shaped_cells"] == 0


@LIGHTER
@given(
    cards=st.lists(st.from_regex(r"[2-6][0-9]{12,18}", fullmatch=True), max_size=8),
    numbers=st.lists(st.from_regex(r"[0-9]{12}", fullmatch=True), max_size=8),
    accounts=st.lists(
        st.from_regex(r"GT[0-9]{2}[A-Z0-9]{24}|LU[0-9]{5}[A-Z0-9]{13}", fullmatch=True), max_size=8
    ),
    noise=st.lists(st.text(max_size=20) | st.none(), max_size=8),
)
def test_check_digits(
    cards: list[str], numbers: list[str], accounts: list[str], noise: list[str | None]
) -> None:
    for told, kind, right, chance in (
        (cards, "payment card number", luhn, 1 / 10),
        (accounts, "bank account (IBAN)", iban, 1 / 97),
    ):
        line = measured(told)[kind]
        assert line["valid_cells"] == sum(map(right, told))
        assert line["shaped_cells"] == len(told)
        assert line["by_chance"] == pytest.approx(len(told) * chance)
    line, zeros = measured(numbers)["My Number"], sum(number.endswith("0") for number in numbers)
    assert line["valid_cells"] == sum(map(my_number, numbers))
    assert line["by_chance"] == pytest.approx((len(numbers) + zeros) / 11)
    measured([cell.replace("\0", "") if cell else cell for cell in noise])  # no text stops it


def test_a_network_address_is_no_number() -> None:
    """Its dots part four numbers: twelve digits, and the last one checks."""
    numbers = [f"100200{n:05d}" for n in range(10_010, 20_025)]
    every = [stem + digit for stem in numbers for digit in "0123456789"]
    right = [n for n in every if my_number(n) and "100" <= n[9:] <= "255" and "100" <= n[6:9] <= "255"]
    addresses = [".".join(n[place : place + 3] for place in (0, 3, 6, 9)) for n in right]
    assert len(addresses) > 5
    found = measured(addresses)
    assert found["network address"]["valid_cells"] == len(addresses)
    assert found["My Number"]["shaped_cells"] == found["telephone number"]["shaped_cells"] == 0
    parted = measured(["-".join(n[place : place + 4] for place in (0, 4, 8)) for n in right])
    assert parted["My Number"]["valid_cells"] == len(right)


def test_a_value_of_many_cells_is_one_draw(tmp_path: Path) -> None:
    """Of 22 numbers of visits some two have the check digit of a My Number, and most cells are these."""
    numbers = [f"{900_000_000_000 + 7919 * n}" for n in range(22)]
    right = [n for n in numbers if my_number(n)]
    assert 0 < len(right) <= 3
    rows = [(n,) for n in numbers for _ in range(500 if n in right else 1)]
    with duckdb.connect() as connection:
        make(connection, {"code": "VARCHAR"}, rows)
        connection.sql("FROM t").write_parquet(str(tmp_path / "t.parquet"))
    (found,) = checked(tmp_path / "t.parquet")["direct_identifiers"]["found"]
    assert found["valid_cells"] > 10 * found["by_chance"]
    assert (found["shaped_values"], found["valid_values"], found["likely"]) == (22, len(right), False)


@pytest.mark.parametrize(("pages", "named"), [(3, False), (19, False), (20, True), (200, True)])
def test_a_page_that_many_came_from_is_nobody_s(tmp_path: Path, pages: int, named: bool) -> None:
    """It is still told that there are web addresses, and the column is an attribute like others."""
    rows = [(f"https://example.org/{n % pages}", n % 7) for n in range(400)]
    with duckdb.connect() as connection:
        make(connection, {"referrer": "VARCHAR", "a": "INTEGER"}, rows)
        connection.sql("FROM t").write_parquet(str(tmp_path / "t.parquet"))
    report = checked(tmp_path / "t.parquet", "--only", "direct_identifiers", "--only", "attribute_risk")
    assert [entry["kind"] for entry in report["direct_identifiers"]["found"]] == ["web address"]
    (limit,) = (limit for limit in report["verdict"]["findings"] if limit["name"] == "identifying_columns")
    assert limit["value"] == named
    assert [entry["attribute"] for entry in report["attribute_risk"]].count("referrer") == 1


def test_each_number_has_one_check_digit() -> None:
    """Of the ten that end otherwise one is right, whatever is left of the sum."""
    stems = [f"{1234567 * n:011d}" for n in range(1, 60)]
    every = [f"{stem}{digit}" for stem in stems for digit in range(10)]
    assert {int(one[11]) for one in every if my_number(one)} == {*range(10)}
    found = measured(every)["My Number"]
    assert (found["shaped_cells"], found["valid_cells"]) == (len(every), len(stems))
    assert measured([one for one in every if my_number(one)])["My Number"]["valid_cells"] == len(stems)


def test_a_report_names_columns_and_tells_chance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    dice = random.Random(1)
    numbers = ["".join(dice.choices("0123456789", k=12)) for _ in range(500)]
    real = [n for n in ("".join(dice.choices("0123456789", k=12)) for _ in range(6000)) if my_number(n)][:500]
    with duckdb.connect() as connection:
        kinds = {"member": "VARCHAR", "order": "VARCHAR", "note": "VARCHAR", "n": "INTEGER"}
        rows = [(real[i], numbers[i], "x@example.org" if i == 7 else "", i) for i in range(500)]
        make(connection, kinds, rows)
        connection.execute("COPY t TO 't.parquet'")
    done = command("assess", "t.parquet", "--only", "direct_identifiers", "--format", "json", "--user", "")
    assert done.code == 0, done.err
    section = done.json["direct_identifiers"]
    likely = {(entry["column"], entry["kind"]) for entry in section["found"] if entry["likely"]}
    assert likely == {("member", "My Number"), ("note", "e-mail address")}
    by_chance = next(
        entry for entry in section["found"] if (entry["column"], entry["likely"]) == ("order", False)
    )
    zeros = sum(number.endswith("0") for number in numbers)
    assert by_chance["by_chance"] == pytest.approx((500 + zeros) / 11)
    items = {entry["identifier"]: entry["columns"] for entry in section["hipaa"]}
    assert len(items) == 18
    assert items["e-mail addresses"] == ["note"]
    assert "x@example.org" not in done.out
    shown = command("assess", "t.parquet", "--only", "direct_identifiers", "--user", "")
    assert "as by chance" in shown.out
    assert real[0] not in shown.out


def checked(path: Path, *options: str) -> dict[str, Any]:
    done = command("assess", path, "--user", "", "--format", "json", "--known-records", "0", *options)
    assert done.code == 0, done.err
    found: dict[str, Any] = done.json
    found["rules"] = {(one["framework"][:5], one["item"]): one for one in found["checklist"]}
    return found


def test_every_assessment_looks_at_the_content(tmp_path: Path) -> None:
    """What nobody named stands out in roles, notes and the checklist."""
    phone = "'090-' || (1000 + i) || '-' || (2000 + i % 7)"
    some = f"CASE WHEN i % 3 = 0 THEN {phone} ELSE 'none' END"
    query = f"SELECT {some} AS extra, {phone} AS line, i % 4 AS part FROM range(40) t(i)"
    path = table(tmp_path / "a.parquet", f"SELECT * FROM ({query}) UNION ALL SELECT * FROM ({query})")
    found = checked(path)
    columns = {column["name"]: column for column in found["source"]["columns"]}
    assert [columns["line"][key] for key in ("role", "confidence", "kind", "reason")] == [
        *("direct_identifier", "sure", "telephone"),
        "holds: telephone number",
    ]
    assert (columns["extra"]["role"], columns["extra"]["confidence"]) == ("attribute", "guess")
    assert columns["extra"]["reason"].endswith("cells look like: telephone number")
    (note,) = [one for one in found["source"]["notes"] if "Cells of" in one]
    assert '"extra" look like direct identifiers (telephone number)' in note
    for key in (("Japan", "1"), ("HIPAA", "(b)(2)(i)")):
        assert found["rules"][key]["status"] == "against"
    left_out = checked(path, "--only", "attribute_risk")
    assert left_out["direct_identifiers"] is None
    said = left_out["rules"]["Japan", "1"]
    assert (said["status"], '"line"' in said["evidence"]) == ("against", True)
    assert "was not looked at" in said["evidence"]
    for key in (("Japan", "2"), ("HIPAA", "(b)(2)(i)")):  # nothing that was not looked at is fine
        assert left_out["rules"][key]["status"] != "supports"


@pytest.mark.parametrize(
    ("columns", "status", "said"),
    [
        ("i % 4 AS part, i % 3 AS size", "supports", "No column was taken"),
        ("i % 4 AS column0, i % 3 AS size", "not_shown", 'names do not say: "column0"'),
        ("i % 4 AS part, [i % 3] AS sizes", "supports", "No column was taken"),
        ("i % 4 AS part, MAP {i % 3: 1} AS sizes", "not_shown", 'was not looked at: "sizes"'),
        ("i % 4 AS part, {'a': i % 3} AS size", "not_shown", 'was not looked at: "size"'),
    ],
)
def test_what_was_not_looked_at_is_not_shown(tmp_path: Path, columns: str, status: str, said: str) -> None:
    path = table(tmp_path / "a.parquet", f"SELECT {columns} FROM range(60) t(i)")
    found = checked(path, "--only", "direct_identifiers")
    one = found["rules"]["Japan", "1"]
    assert (one["status"], said in one["evidence"]) == (status, True)


#: Values that hold a text, by how they do; alone they are no tick for the column, whatever the text is.
HOLDERS = {
    "structure": "{{'a': {{'b': {text}}}, 'n': i % 2}}",
    "map": "MAP {{'k': {text}}}",
    "keys of a map": "MAP {{{text}: i % 2}}",
    "structures in a list": "[{{'a': {text}}}, {{'a': NULL}}]",
    "lists in a list": "[[], ['x', {text}]]",
    "union": "union_value(a := {text})",
    "JSON": "json_object('a', {text})",
    "JSON as text": "json_object('a', {text})::VARCHAR",
    "a list of JSON as text": "'[' || json_object('a', {text})::VARCHAR || ']'",
    "fields as Python writes them": "'{{''a'': ''' || {text} || '''}}'",
    "bytes": "({text})::BLOB",
}


def judged(path: Path, *options: str) -> tuple[str, bool | None, str]:
    """The verdict, whether there is no direct identifier, and how the first screen says so."""
    asked = ("--user", "", "--known-records", "0", *options)
    verdict = command("assess", path, "--format", "json", *asked).json["verdict"]
    found = next(one for one in verdict["findings"] if one["name"] == "identifying_columns")
    lines = command("assess", path, *asked).out.splitlines()
    line = next(line for line in lines if "direct identifiers  " in line)
    return verdict["outcome"], found["met"], line.strip()


@pytest.mark.parametrize("holder", thinned(HOLDERS))
def test_what_is_held_inside_of_values_is_no_tick(tmp_path: Path, holder: str) -> None:
    """An e-mail address is found; of other texts nobody knows what they are before a person says so."""
    query = "SELECT {} AS held, i % 2 AS part FROM range(600) t(i)"
    mail = HOLDERS[holder].format(text="('p' || (i % 20) || '@example.org')")
    word = HOLDERS[holder].format(text="('ada' || (i % 20))")
    if holder != "bytes":
        outcome, met, line = judged(table(tmp_path / "a.parquet", query.format(mail)))
        assert (outcome, met, line[0]) == ("fail", False, "✗")
    path = table(tmp_path / "b.parquet", query.format(word))
    outcome, met, line = judged(path)
    assert (outcome, met) == ("undecided", None)
    assert line.startswith('?  direct identifiers  open: does "held" identify people?')
    settings = tmp_path / "said.toml"
    settings.write_text('[columns]\nheld = "quasi_identifier"\n')
    outcome, met, line = judged(path, "--config", str(settings))
    assert (outcome, met, line[0]) == ("pass_if", True, "✓")


@pytest.mark.parametrize(
    ("cell", "sign"),
    [
        ("['Ada Po' || chr(97 + (i % 26)::INTEGER), 'Bo Ng']", "?"),
        ("['p' || (i % 20) || '@example.org']", "✗"),
        ("['x', '090-1234-56' || (10 + i % 20)]", "✗"),
        ("['red', 'blue' || (i % 20)]", "✓"),
        ("[DATE '2020-01-01' + (i % 20)::INTEGER]", "✓"),
        ("[i % 20, NULL]", "✓"),
        ("[(i % 20) / 7]::FLOAT[]", "✓"),
        ("[i % 20 = 3]", "✓"),
    ],
)
def test_what_lists_hold_is_looked_at(tmp_path: Path, cell: str, sign: str) -> None:
    path = table(tmp_path / "a.parquet", f"SELECT {cell} AS held, i % 2 AS part FROM range(600) t(i)")
    outcome, met, line = judged(path)
    expected = {"✓": ("pass_if", True), "✗": ("fail", False), "?": ("undecided", None)}
    assert (outcome, met, line[0]) == (*expected[sign], sign)


texts = st.text(st.characters(exclude_characters='"\\', exclude_categories=("C",)), max_size=6)
held_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


def list_held(value: Any) -> list[str]:
    """Every text, number and name of a field in a value of JSON."""
    if isinstance(value, dict):
        return [*value, *(text for inner in value.values() for text in list_held(inner))]
    if isinstance(value, list):
        return [text for inner in value for text in list_held(inner)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


@LIGHTER
@given(
    st.lists(st.lists(held_values, max_size=3) | st.dictionaries(texts, held_values, max_size=3), max_size=3)
)
def test_every_text_and_number_is_taken_apart(values: list[Any]) -> None:
    cells = [(json.dumps(value, ensure_ascii=False),) for value in values]
    make(engine(), {"a b": "JSON"}, [*cells, (None,)], "cells")
    taken = engine().execute(f"FROM {render('held_texts', source='cells', column='a b')}").fetchall()
    assert Counter(text for (text,) in taken) == Counter([None, *list_held(values)])


def test_a_customer_without_a_header_does_not_look_fine(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("".join(f"{12000 + i * 7 % 50},{i % 5},{i % 3}\n" for i in range(300)))
    found = checked(path, "--no-header")
    for key in (("Japan", "1"), ("Japan", "2"), ("Japan", "3"), ("HIPAA", "(b)(2)(i)")):
        assert found["rules"][key]["status"] == "not_shown", key


@cache
def columns_of_kinds(count: int) -> tuple[list[str], list[tuple[str, ...]], set[tuple[str, str, int, int]]]:
    """Return names and rows of columns, some of a kind, and what is found in each column alone."""
    dice = random.Random(3)
    kinds = [cells for cells in EXAMPLES.values() if dice.random() < 0.6]
    names = [f"n{place}" for place in range(count)]
    cells: dict[str, list[str]] = dict.fromkeys(names, OTHERS)
    for one, name in zip(kinds, dice.sample(names, len(kinds)), strict=True):
        cells[name] = [*one, *OTHERS]
    rows = [tuple(dice.choice(cells[name]) for name in names) for _ in range(60)]
    expected = set()
    for place, name in enumerate(names):
        if cells[name] is not OTHERS:
            for kind, line in measured([row[place] for row in rows], ["", "?", "*", "NULL", "N/A"]).items():
                if line["valid_cells"]:
                    expected.add((name, kind, line["valid_cells"], line["present_cells"]))
    return names, rows, expected


@pytest.mark.parametrize(
    ("values", "few"),
    thinned(
        [(5, content.FEW_CELLS), (5, 900), (200, 0), (content.MOST_VALUES, 0), (content.MOST_VALUES, 900)]
    ),
)
def test_many_columns_are_looked_at_together_and_none_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: int, few: int
) -> None:
    """The same entries as of each column alone, however they are grouped."""
    monkeypatch.setattr(content, "_sampling_interval", lambda _: 1)
    monkeypatch.setattr(content, "MOST_VALUES", values)
    monkeypatch.setattr(content, "GROUP", 12)
    monkeypatch.setattr(content, "FEW_CELLS", few)
    names, rows, expected = columns_of_kinds(content.GROUP + 8)
    make(engine(), dict.fromkeys(names, "VARCHAR"), rows, "cells")
    engine().execute(f"COPY cells TO '{tmp_path / 'a.parquet'}'")
    asked = ("--only", "direct_identifiers", "--user", "")
    section = checked(tmp_path / "a.parquet", *asked)["direct_identifiers"]
    got = {(one["column"], one["kind"], one["valid_cells"], one["present_cells"]) for one in section["found"]}
    assert got == expected
    assert (section["columns_examined"], section["not_examined"]) == (len(names), [])


def test_what_is_too_much_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of the values of each; of moments, which have few days, and of numbers of few digits all."""
    mails = ", ".join(f"'x' || i || '@example.org' AS mail{n}" for n in "abc")
    moments = "TIMESTAMP '2024-01-01 10:00:00' + to_minutes(7 * i) AS moment"
    query = f"SELECT {mails}, i % 3 AS part, i AS number, {moments} FROM range(400) t(i)"
    path = table(tmp_path / "a.parquet", query)
    monkeypatch.setattr(content, "MOST_VALUES", 100)
    found = checked(path, "--only", "direct_identifiers")
    section = found["direct_identifiers"]
    told = {(one["column"], one["reason"]) for one in section["not_examined"]}
    assert told == {(f"mail{n}", "values") for n in "abc"}
    assert section["columns_examined"] == 6
    valid = {one["column"]: one["valid_cells"] for one in section["found"]}
    assert valid.pop("moment") == 400
    assert 0 < min(valid.values()) <= max(valid.values()) < 200
    assert sum("for direct identifiers" in note for note in found["source"]["notes"]) == 1


@pytest.mark.parametrize(
    ("share", "cells", "likely"), [(0.0, 4000, False), (0.2, 4000, True), (1.0, 9, True)]
)
def test_real_cards_among_other_numbers_are_no_chance(
    tmp_path: Path, share: float, cells: int, likely: bool
) -> None:
    """A fifth of real ones makes 28 % valid: too few for three times chance, and too many for it."""
    dice = random.Random(5)

    def drawn(real: bool) -> str:
        stem = "4" + "".join(dice.choices("0123456789", k=14))
        right = next(digit for digit in "0123456789" if luhn(stem + digit))
        return stem + (right if real else dice.choice("0123456789"))

    numbers = [drawn(place < share * cells) for place in range(cells)]
    path = table(tmp_path / "a.parquet", f"SELECT unnest({numbers}::BIGINT[]) AS n, 'x' AS a")
    section = checked(path, "--only", "direct_identifiers")["direct_identifiers"]
    (found,) = section["found"]
    assert (found["kind"], found["shaped_cells"]) == ("payment card number", cells)
    assert found["valid_cells"] == sum(map(luhn, numbers))
    assert found["likely"] == likely


def test_whole_numbers_of_few_digits_spell_nothing(tmp_path: Path) -> None:
    """Which is why they are not asked; from twelve digits on they are."""
    dice = random.Random(7)
    limit = 10**11 - 1
    few = [sign * dice.randrange(10 ** dice.randrange(1, 12)) for sign in (1, -1) for _ in range(4000)]
    few += [0, limit, -limit, 9012345678, 5551234567, 150, 12345678]
    assert {line["valid_cells"] for line in measured(few).values()} == {0}
    rows = f"SELECT unnest({few}::BIGINT[]) AS few, unnest({[*few[:-1], 123456789018]}::BIGINT[]) AS more"
    section = checked(table(tmp_path / "a.parquet", rows), "--only", "direct_identifiers")[
        "direct_identifiers"
    ]
    (found,) = section["found"]
    assert (found["column"], found["kind"], found["valid_cells"]) == ("more", "My Number", 1)
    assert (section["columns_examined"], section["not_examined"]) == (2, [])


def test_numbers_that_were_read_as_floating_point(tmp_path: Path) -> None:
    cells = [float(n) for n in ("123456789018", "4111111111111111", "5500005555555559")]
    path = table(tmp_path / "a.parquet", f"SELECT unnest({cells * 20}::DOUBLE[]) AS n, 'x' AS a")
    section = checked(path, "--only", "direct_identifiers")["direct_identifiers"]
    assert {one["kind"]: one["valid_cells"] for one in section["found"]} == {
        "payment card number": 40,
        "My Number": 20,
    }
