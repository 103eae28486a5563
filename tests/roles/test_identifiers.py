"""What identifies: shared addresses, row numbers, amounts, names of people, HIPAA's items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from duckrisk import roles
from duckrisk.engine.session import Session
from duckrisk.roles.results import is_shared
from duckrisk.source import Request, open_source
from tests.cases import Cases

Column = Callable[[int], Any]


def decided(
    columns: dict[str, Sequence[Any]], **overrides: Any
) -> tuple[roles.Roles, dict[str, roles.Decision]]:
    """Return the roles of a table, and the decision on each column."""
    with Session() as session:
        source = open_source(
            session, Request(pa.table({name: list(cells) for name, cells in columns.items()}))
        )
        found = roles.infer(session, source, roles.RoleOverrides(**overrides))
    return found, {decision.column.name: decision for decision in found.decisions}


def cells(column: Column, rows: int) -> list[Any]:
    return [column(row) for row in range(rows)]


#: A few addresses and numbers of a firm among many people.
SHARED: dict[str, Column] = {
    "hotline": lambda i: f"0120-333-44{i % 2}",
    "support_mail": lambda i: f"help{i % 4}@firm.example",
    "app_version": lambda i: f"4.{i % 12}.3.{i % 12 * 7}",
    "server": lambda i: f"10.0.0.{i % 9 + 1}",
    "gateway": lambda i: f"00:1a:2b:3c:4d:{i % 12:02x}",
    "firm_bank": lambda i: ("DE89370400440532013000", "GB82WEST12345698765432")[i % 2],
    "item": lambda i: f"415-555-01{i % 7:02}",
    "shop_site": lambda i: f"https://shop{i % 5}.example",
}


def test_few_addresses_among_many_people_are_attributes() -> None:
    """With people who are counted 40 of 3,000 are few; of 10 people each has an address of its own."""
    columns = {name: cells(column, 3000) for name, column in SHARED.items()}
    columns["branch"] = [f"03-5555-{i % 40:04}" for i in range(3000)]
    columns["customer_id"] = [i * 7 + 1009 for i in range(3000)]
    found, by_name = decided(columns)
    assert {name: by_name[name].role for name in columns if name != "customer_id"} == dict.fromkeys(
        [*SHARED, "branch"], "attribute"
    )
    assert found.content.kinds() == {}
    _, few = decided(
        {"customer_id": [i % 10 for i in range(3000)], "mail": [f"a{i % 10}@b.org" for i in range(3000)]}
    )
    assert few["mail"].role == "direct_identifier"
    found, alone = decided({"contact": [f"a{i}@b.org" if i < 3 else "none" for i in range(3000)]})
    assert found.content.kinds() == {"contact": ["e-mail address"]}
    assert alone["contact"].role == "attribute"


def test_shares_of_people() -> None:
    assert [is_shared(n, 3000) for n in (2, 12, 19, 20)] == [True, True, True, False]
    assert [is_shared(n, 3000, counted=True) for n in (20, 59, 60)] == [True, True, False]
    assert [is_shared(n, 10) for n in (1, 2)] == [False, False]


ROWS = """id index row seq # no nr S.No record line obs case n 番号 通番 rownames case_id 整理番号 v7"""


def test_a_number_of_rows_is_one_whatever_it_is_called() -> None:
    for first in (0, 1):
        columns = {name: range(first, first + 60) for name in ROWS.split(" ")}
        _, by_name = decided({**columns, "a": [i % 3 for i in range(60)]})
        assert {name: (by_name[name].role, by_name[name].kind) for name in columns} == dict.fromkeys(
            columns, ("event_key", "row")
        )
    for name in ("person_id", "respondent_id"):
        _, by_name = decided({name: range(1, 61), "a": [i % 3 for i in range(60)]})
        assert (by_name[name].role, by_name[name].kind) == ("user", "row")
    _, others = decided({"id": [i * 2 for i in range(60)], "age": range(60), "ssn": range(60)})
    assert [others[name].kind == "row" for name in ("id", "age", "ssn")] == [False, False, False]


#: Amounts, shares, measurements, durations, places and codes that are no number of a person.
MEASURES: list[Column] = [
    lambda i: f"${i % 60 + 10},{i * 7 % 1000:03}",
    lambda i: f"¥{i + 100},{i * 7 % 1000:03}",
    lambda i: f"{i + 100},{i * 7 % 1000:03}円",
    lambda i: f"{i % 99}.{i}%",
    lambda i: f"{i + 10}'{i * 13 % 1000:03}.48",
    lambda i: f"{i + 10}\u00a0{i * 13 % 1000:03},16",
    lambda i: f"{100 + i}.0cm",
    lambda i: f"35.{i * 17:04},139.{i * 31:04}",
    lambda i: f"{i % 24}h{i % 60}m{i // 3}s",
    lambda i: f"{i + 60000},68 €",
    lambda i: f"{i + 10}.180,39",
    lambda i: f"{i}.95 kg",
    lambda i: f"POINT(139.{i} 35.{i * 2})",
    lambda i: f"J{i % 90 + 10}.{i}",
    lambda i: f"{i + 100}万円",
    lambda i: f"{i // 100}:{i % 60:02}:{i % 59:02}",
    lambda i: f"{150 + i}-{1000 + i}",
]
#: Codes that somebody was given.
CODES: list[Column] = [
    lambda i: f"S{i * 3:05}",
    lambda i: f"{i * 7919 % 99991:05}AB",
    lambda i: f"KX-{i * 31 % 997:03}-{i:03}",
    lambda i: f"{i * 2654435761 % 2**32:08x}",
]


def test_amounts_and_the_like_are_attributes_however_many_differ() -> None:
    with Cases() as case:
        for role, columns in (("attribute", MEASURES), ("direct_identifier", CODES)):
            _, by_name = decided({f"v {column(5)}": cells(column, 150) for column in columns})
            for name, decision in by_name.items():
                with case(name):
                    assert decision.role == role
        numbers = [20000 + i * 37 for i in range(150)]
        names = ("zip", "zip_code", "postal_code", "PLZ", "郵便番号", "icd_code", "code_postal")
        _, by_name = decided(
            {
                f"{name}{number}": list(map(of, numbers))
                for name in names
                for number, of in enumerate((int, str), 1)
            }
        )
        for name, decision in by_name.items():
            with case(name):
                assert decision.role == "attribute"


def pairs(first: str, last: str) -> list[str]:
    """Return each first word with each last one."""
    return [f"{one} {other}" for one in first.split() for other in last.split()]


PEOPLE = pairs("Anna Jean-Luc Óscar Mary", "Smith O'Neil Vries")
JAPANESE = pairs("佐藤 鈴木 高橋", "太郎 花子 一")
TWO_WORDS = pairs("San Regional Santa New Los", "Francisco Manager Monica Haven Angeles")
HEADINGS = """nurse_name attending担当者 担当者 counterparty_name Name_des_Patienten nom_du_patient nombre
Ansprechpartner medewerker_naam ФИО 主治医 teacher sales_rep"""


def test_full_names_under_a_heading_that_says_so_identify_however_few_they_are() -> None:
    with Cases() as case:
        for names in (PEOPLE, JAPANESE):
            column = [names[i % len(names)] for i in range(1000)]
            columns = dict.fromkeys(HEADINGS.split(), column)
            _, by_name = decided({**columns, "age": [i % 50 for i in range(1000)]})
            for name in columns:
                with case(f"{name}: {names[0]}"):
                    assert by_name[name].role in ("direct_identifier", "user")
                    assert (by_name[name].kind, by_name[name].listed) == ("person", (1,))
        with case("unparted"):
            _, by_name = decided({"担当者": ["佐藤太郎", "鈴木花子", "高橋一郎"] * 40})
            assert by_name["担当者"].kind == "person"


def test_the_shape_of_names_alone_is_a_guess_and_a_heading_of_things_settles_it() -> None:
    guessed = {"v7": True, "entry": True, "city": False, "job_title": False}
    for name, is_guess in guessed.items():
        _, by_name = decided({name: TWO_WORDS * 8}, user="")
        assert (by_name[name].role, by_name[name].confidence == "guess") == ("attribute", is_guess), name


def test_whose_numbers_a_column_holds_is_declared() -> None:
    table = {"pid": [7 * i + 100_003 for i in range(60)], "a": [i % 3 for i in range(60)]}
    kinds = {}
    for name, asked in {
        "nobody says": {},
        "new": {"pseudonym": "pid"},
        "original": {"user": "pid", "identifiers": ("pid",)},
        "file says new": {"roles": (("pid", "pseudonym"),)},
    }.items():
        found, by_name = decided(table, **asked)
        kinds[name] = (found.user.name if found.user else None, by_name["pid"].kind, by_name["pid"].given)
    assert kinds == {
        "nobody says": ("pid", None, False),
        "new": ("pid", "new", True),
        "original": ("pid", "original", True),
        "file says new": ("pid", "new", True),
    }


def test_each_item_of_the_list_has_its_columns() -> None:
    """Names and cells of each item; a name without its cells, or an age below 90, is none."""
    columns: dict[str, tuple[int | None, Column]] = {
        "nurse_name": (1, lambda i: PEOPLE[i % len(PEOPLE)]),
        "zip": (2, lambda i: ("03601", "10001", "87901")[i % 3]),
        "home_county": (2, lambda i: "AB"[i % 2]),
        "age": (3, lambda i: 80 + i % 22),
        "birth_date": (3, lambda i: f"19{i % 90 + 10}-0{i % 9 + 1}-11"),
        "phone": (4, lambda i: f"090-1234-{i:04}"),
        "fax_no": (5, lambda i: f"03-1234-{i:04}"),
        "email": (6, lambda i: f"a{i}@b.org"),
        "ssn": (7, lambda i: f"123-45-{i + 1:04}"),
        "mrn": (8, lambda i: f"M{i:05}"),
        "insurance_no": (9, lambda i: f"K{i * 3:06}"),
        "account_no": (10, lambda i: f"77{i:06}"),
        "license_no": (11, lambda i: f"L{i:05}"),
        "vin": (12, lambda i: f"1HGCM{i:06}"),
        "device_mac": (13, lambda i: f"00:1a:2b:3c:{i // 256:02x}:{i % 256:02x}"),
        "website": (14, lambda i: f"http://a.example/{i}"),
        "ip": (15, lambda i: f"10.1.{i // 200}.{i % 200}"),
        "fingerprint": (16, lambda i: f"{i * 2654435761 % 2**64:016x}"),
        "photo": (17, lambda i: f"p{i}.jpg"),
        "token": (18, lambda i: f"{i * 40503 % 2**32:08x}"),
        "zip3": (None, lambda i: 100 + i % 9),
        "age_of_child": (None, lambda i: i % 18),
        "hotline": (None, lambda i: f"0120-333-44{i % 2}"),
        "admit_year": (None, lambda i: 2020 + i % 2),
    }
    _, by_name = decided({name: cells(column, 400) for name, (_, column) in columns.items()})
    assert {name: decision.listed for name, decision in by_name.items()} == {
        name: () if item is None else (item,) for name, (item, _) in columns.items()
    }


def test_new_codes_are_no_listed_item() -> None:
    table = {"patient_id": [7 * i + 100_003 for i in range(60)], "a": [i % 3 for i in range(60)]}
    listed = [decided(table, **asked)[1]["patient_id"].listed for asked in ({}, {"pseudonym": "patient_id"})]
    assert listed == [(8,), ()]


#: Headings of identifiers by their kind, and headings that only contain such a word.
SAYS = {
    "official": "INE NIF nis_favorecido pis personnummer fødselsnummer numero_passaporte "
    "Führerscheinnummer num_passeport 身份证号码 주민등록번호 DNI_del_paciente driver_license "
    "tessera_sanitaria nº_seguridad_social",
    "account": "polisnummer försäkringsnr policy_no 증권번호 numero_poliza 银行卡号 "
    "Versicherungsscheinnummer",
    "telephone": "telefono_movil 手机号 연락처 Handynummer patient_phone telefone_do_cliente puhelinnumero",
    "email": "correo_electronico 电子邮箱 e_mail_adresse courriel sähköposti 이메일",
    "login": "用户昵称 nombre_usuario Benutzername",
    "address": "Wohnadresse 家庭住址 direccion",
    None: "sin_theta level_pan pan_size email_opt_in num_phones number_of_phones mobile_app policy_type "
    "cell_id mail_type permis_type has_phone 罪名 曲名 카드번호",
}


def test_headings_of_identifiers_in_many_languages() -> None:
    with Cases() as case:
        for kind, names in SAYS.items():
            for name in names.split():
                with case(name):
                    assert roles.words.classify_identifier(name) == kind


EVENTS = (
    "订单ID 영수증번호 问卷编号 id_mutation id_incidente CLM_ID Rechnungsnummer numero_factura "
    "Bestellnr 訂單編號"
)


def test_numbers_of_events_in_many_languages() -> None:
    assert {name: roles.words.classify_key(name) for name in EVENTS.split()} == dict.fromkeys(
        EVENTS.split(), "event"
    )
    for name in ("fall", "nota", "ticket_price", "num_orders", "claim_amount", "besuch"):
        assert roles.words.classify_key(name) is None, name


def test_a_code_of_each_record_of_people_with_several_is_a_question() -> None:
    """A code that all differ is no person's where people have 6 records each; with one each it may be."""
    for each, is_guess in ((6, True), (1, False)):
        table = {
            "patient_id": [7 * (i // each) + 100_003 for i in range(600)],
            "zz": [f"{i * 2654435761 % 2**32:08x}" for i in range(600)],
            "sex": ["MF"[i // each % 2] for i in range(600)],
        }
        _, by_name = decided(table)
        assert (by_name["zz"].role, by_name["zz"].confidence == "guess") == ("direct_identifier", is_guess)


def test_names_of_things_without_a_word_for_people_are_no_names_of_people() -> None:
    """Offences and songs are written like names that are not parted: what no word settles is asked."""
    names = ["窃盗", "詐欺", "傷害", "横領", "強盗"] * 60
    columns = {
        "罪名": names,
        "曲名": names,
        "被告人名": names,
        "商品名": names,
        "年齢": [20 + i % 50 for i in range(300)],
    }
    _, by_name = decided(columns, user="")
    found = {name: (by_name[name].role, by_name[name].confidence == "guess") for name in columns}
    assert found == {
        "罪名": ("attribute", True),
        "曲名": ("attribute", True),
        "被告人名": ("direct_identifier", False),
        "商品名": ("attribute", False),
        "年齢": ("attribute", False),
    }
