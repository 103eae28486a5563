"""Roles: who is taken for the user, what is an attribute, why, and how a person overrules it."""

from __future__ import annotations

import itertools
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duckrisk
from duckrisk import roles
from duckrisk.base.errors import SourceError, UsageError
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import Session
from duckrisk.roles import dependencies, word_lists, words
from duckrisk.source import Request, open_source
from tests.tables import LIGHT, thinned


def inferred(select: str, **overrides: Any) -> tuple[roles.Roles, dict[str, roles.Decision]]:
    with duckdb.connect() as made, Session() as session:
        source = open_source(session, Request(made.sql(select)))
        found = roles.infer(session, source, roles.RoleOverrides(**overrides))
    return found, {decision.column.name: decision for decision in found.decisions}


@pytest.mark.parametrize(
    "name",
    thinned(
        [
            "customer_id",
            "CustomerID",
            "customerId",
            "CUSTOMER NO",
            "cust_id",
            "uid",
            "patient_id",
            "user",
            "member-number",
            "顧客ID",
            "会員番号",
            "id",
            "Kunden_ID",
        ]
    ),
)
def test_the_user_by_name(name: str) -> None:
    found, decided = inferred(f'SELECT i % 30 AS "{name}", i % 7 AS item, i % 4 AS city FROM range(300) t(i)')
    assert found.user is not None
    assert found.user.name == name
    assert decided[name].reason.values["reason"] == Sentence("roles.person")
    assert (found.users, found.records, found.most_records) == (30, 300, 10)


@pytest.mark.parametrize("name", ["product_id", "order_id", "item", "identity", "said", "Stock Code", "paid"])
def test_no_user_by_name(name: str) -> None:
    found, _ = inferred(f'SELECT i % 30 AS "{name}", i % 7 AS a FROM range(300) t(i)')
    assert found.user is None
    assert found.users == found.records == 300


def test_the_better_name_wins_and_users_may_be_missing() -> None:
    found, _ = inferred(
        "SELECT i % 9 AS id, CASE WHEN i % 5 > 0 THEN i % 30 END AS customer_id, "
        "i % 7 AS a FROM range(300) t(i)"
    )
    assert found.user is not None
    assert found.user.name == "customer_id"
    assert (found.users, found.without_user) == (24, 60)


def test_records_of_users_who_have_no_name() -> None:
    for cell, other, records in (
        ("'?'", "'a' || i % 30", 60),
        ("'x'", "'a' || i % 30", 0),
        ("-1", "i % 30", 0),
    ):
        found, _ = inferred(
            f"SELECT CASE WHEN i % 5 = 0 THEN {cell} ELSE {other} END AS customer_id, i % 7 AS a "
            "FROM range(300) t(i)"
        )
        assert (found.users, found.records_of_token_users) == (25, records)


def test_what_columns_are_taken_for() -> None:
    _, decided = inferred(
        "SELECT i % 30 AS customer_id, 'a' || i || '@example.org' AS contact, 'x' AS fixed, "
        "NULL::INTEGER AS nothing,"
        " TIMESTAMP '2024-01-01' + INTERVAL (i) HOUR AS at, "
        "'2024-01-01 10:' || i % 60 // 10 || i % 10 || ':00' AS seen,"
        " i % 30 % 4 AS per_user, md5(i::VARCHAR) AS token, i % 7 AS item, i % 7 % 3 AS family, i AS phone,"
        " 'a long text that people wrote by hand, number ' || i % 200 AS remark, "
        "DATE '2024-01-01' + (i % 9)::INTEGER AS day"
        " FROM range(300) t(i)"
    )
    expected = {
        "customer_id": "user",
        "contact": "direct_identifier",
        "fixed": "constant",
        "nothing": "constant",
        "at": "date_time",
        "seen": "date_time",
        "per_user": "attribute",
        "token": "direct_identifier",
        "item": "attribute",
        "family": "attribute",
        "phone": "direct_identifier",
        "remark": "free_text",
        "day": "attribute",
    }
    assert {name: decision.role for name, decision in decided.items()} == expected
    assert decided["per_user"].reason.values["first"] == Sentence("roles.per_user")
    assert decided["family"].reason == Sentence("roles.determined_by", name="item")
    assert all(decision.reason for name, decision in decided.items() if decision.role != "attribute")


def test_a_person_overrules() -> None:
    select = "SELECT i % 30 AS customer_id, i AS phone, i % 7 AS item, i % 4 AS city FROM range(300) t(i)"
    found, decided = inferred(select, user="city", ignore=("item",), roles=(("phone", "attribute"),))
    assert found.user is not None
    assert found.user.name == "city"
    assert [decided[name].role for name in ("phone", "item", "customer_id")] == [
        "attribute",
        "ignored",
        "direct_identifier",
    ] or decided["customer_id"].role == "attribute"
    assert "phone" in {attribute.name for attribute in found.attributes}
    nobody, _ = inferred(select, user="")
    assert nobody.user is None
    assert nobody.users == 300
    by_role, _ = inferred(select, roles=(("item", "user"),))
    assert by_role.user is not None
    assert by_role.user.name == "item"


@pytest.mark.parametrize(
    ("overrides", "error", "words"),
    [
        ({"user": "nobody"}, UsageError, "nobody"),
        ({"ignore": ("nobody",)}, UsageError, "nobody"),
        ({"roles": (("nobody", "attribute"),)}, UsageError, "nobody"),
        ({"roles": (("item", "hero"),)}, UsageError, "hero"),
        ({"roles": (("item", "date_time"),)}, UsageError, "dates or times"),
        ({"user": "none"}, SourceError, "empty in every record"),
        ({"user": "item", "attributes": ("item",)}, UsageError, "user column"),
        ({"user": "item", "attributes": ("city+ITEM",)}, UsageError, "user column"),
        ({"attributes": ("item", "item")}, UsageError, "twice"),
        ({"attributes": ("item+city", "city+item")}, UsageError, "twice"),
        ({"attributes": ("item.band(0)",)}, UsageError, "above 0"),
        ({"attributes": ("item.week",)}, UsageError, "type"),
    ],
)
def test_overrides_that_make_no_sense(overrides: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        inferred(
            "SELECT i % 7 AS item, i % 4 AS city, NULL::INTEGER AS none FROM range(90) t(i)", **overrides
        )


@pytest.mark.parametrize(
    ("written", "distinct"),
    thinned(
        [
            ("n", 40),
            ("N", 40),
            (" n ", 40),
            ("n.band(10)", 4),
            ("n.band(2.5)", 16),
            ("n.prefix(1)", 10),
            ("n+t", 40),
            ("t.prefix(2)", 4),
            ("at.date", 5),
            ("at.hour", 24),
            ("at.week", 2),
            ("a+b", 3),
            ("a+b+n", 120),
            ("a.week", 5),
            ("a.week.prefix(1)", 1),
        ]
    ),
)
def test_attributes_as_people_write_them(written: str, distinct: int) -> None:
    select = (
        "SELECT i % 40 AS n, ['red', 'rose', 'blue', 'green'][1 + i % 4] AS t, i % 3 AS \"a+b\", "
        "'w' || i % 5 AS \"a.week\","
        " TIMESTAMP '2024-01-04' + INTERVAL (i) HOUR AS at FROM range(120) t(i)"
    )
    with duckdb.connect() as made:
        report = duckrisk.assess(made.sql(select), user="", attributes=[written])
    (entry,) = report.data["attribute_risk"] or [{"attribute": written, "distinct_values": 1}]
    assert (entry["attribute"], entry["distinct_values"]) == (written, distinct)


def test_an_attribute_never_shares_its_name() -> None:
    with duckdb.connect() as made:
        report = duckrisk.assess(
            made.sql(
                "SELECT TIMESTAMP '2024-01-01' + INTERVAL (i) HOUR AS at, "
                'i % 7 AS "at.date" FROM range(200) t(i)'
            ),
            user="",
        )
    names = [entry["attribute"] for entry in report.data["attribute_risk"]]
    assert len(names) == len(set(names)) == 3
    assert {entry["distinct_values"] for entry in report.data["attribute_risk"]} == {7, 9, 24}


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("ENUM('HIV', 'flu)')", "ENUM"),
        ("ENUM('a')[]", "ENUM[]"),
        ("STRUCT(a INTEGER)[3][]", "STRUCT[3][]"),
        ("MAP(VARCHAR, ENUM('a'))", "MAP"),
        ("UNION(a INTEGER)", "UNION"),
        ("DECIMAL(18,3)", "DECIMAL(18,3)"),
        ("VARCHAR", "VARCHAR"),
        ("TIMESTAMP WITH TIME ZONE", "TIMESTAMP WITH TIME ZONE"),
        ("INTEGER[]", "INTEGER[]"),
    ],
)
def test_a_type_tells_no_value(kind: str, shown: str) -> None:
    assert roles.shown_type(kind) == shown


# --- what was wrong once -------------------------------------------------------------------------

_TRIPS = (
    "SELECT CASE WHEN i % 4 > 0 THEN 1 ELSE i % 7 END AS passengers, i % 7 AS passenger, "
    "TIMESTAMP '2019-03-01' + INTERVAL (i * 401) SECOND AS pickup, (i * 37 % 900) / 7.0 AS distance, "
    "CASE WHEN i % 3 = 0 THEN 'cash' ELSE 'card' END AS payment FROM range(2000) t(i)"
)
_SENTENCE = (
    "'a person wrote here in some twenty words what came to mind of the day, of work and of number ' || {}"
)
_PEOPLE = (
    f"SELECT i + 18 AS age, {_SENTENCE.format('i')} AS told, "
    "['Abe', 'Ito', 'Kato', 'Ono'][1 + i % 4] AS surname, "
    "DATE '1960-01-01' + (i * 31)::INTEGER AS born, 1000 + i * i * 17 AS amount FROM range({many}) t(i)"
)
_SURVEY = (
    "SELECT 1000 + i // 3 AS hhid, 80.5 + i * 1.37 AS pweight, 120.25 + i * 91.13 AS expenditure, "
    "i % 9 AS hhsize, i * 37 % 90 AS age, i AS total_income FROM range(1500) t(i)"
)


def roles_of(select: str) -> dict[str, str]:
    found, decided = inferred(select)
    return {name: str(decision.role) for name, decision in decided.items()} | {
        "*": str(found.user.name if found.user else found.user_confidence)
    }


def test_a_count_of_persons_is_no_person() -> None:
    got = roles_of(_TRIPS)
    assert (got["passengers"], got["passenger"], got["*"]) == ("attribute", "attribute", "likely")


def test_sets_of_a_release_are_neither_prose_nor_identifiers() -> None:
    """Sets of items, some of which differ in all records, are no prose; prose in braces and in JSON is."""
    members = ", ".join(f"'item x of {part}' || (i * {part} % 997)" for part in range(2, 14))
    got = roles_of(
        f"SELECT '{{' || ARRAY_TO_STRING([{members}], ', ') || '}}' AS items, "
        "'{a, b' || (i % 7) || '}' AS letters, "
        "'{He was ill when we saw him at home on day ' || i || ' of his stay, and he told us so at length "
        "and again and again whenever we asked}' AS note, "
        "'{\"told\": \"he was ill on day ' || i || ', and then he was well again\"}' AS document "
        "FROM range(300) t(i)"
    )
    assert got == {
        "items": "attribute",
        "letters": "attribute",
        "note": "free_text",
        "document": "free_text",
        "*": "guess",
    }


@pytest.mark.parametrize("many", [60, 400])
def test_all_different_is_no_identifier_by_itself(many: int) -> None:
    """Sentences are free text, whatever their number; ages, days, amounts and surnames stay attributes."""
    assert roles_of(_PEOPLE.replace("{many}", str(many))) == {
        "age": "attribute",
        "told": "free_text",
        "surname": "attribute",
        "born": "attribute",
        "amount": "attribute",
        "*": "likely",
    }


def test_numbers_of_a_survey_are_apart() -> None:
    assert roles_of(_SURVEY) == {
        "hhid": "event_key",
        "pweight": "event_key",
        "expenditure": "attribute",
        "hhsize": "attribute",
        "age": "attribute",
        "total_income": "attribute",
        "*": "likely",
    }


def test_a_bare_weight_is_a_survey_s_where_it_was_drawn_by_households() -> None:
    """It weighs records and no bodies: more than any body, or less than one."""
    for weight, sample, role in (
        ("120 + i * 1.37", "i // 3 AS hhid", "event_key"),
        ("0.2 + (i % 700) * 0.005", "i % 30 AS stratum", "event_key"),
        ("40 + i % 90", "i // 3 AS hhid", "attribute"),
        ("120 + i * 1.37", "i % 30 AS parcels", "attribute"),
        ("120 + i * 1.37", "i // 3 AS hhid, 150 + i % 40 AS height", "attribute"),
    ):
        got = roles_of(f"SELECT {sample}, {weight} AS weight, i % 9 AS a FROM range(1500) t(i)")
        assert got["weight"] == role, (weight, sample)


def test_a_number_in_a_household_is_no_person() -> None:
    """Each household has persons of its own, so four numbers are not those of five hundred."""
    household = "SELECT 1000 + i // 3 AS household_id, 1 + i % 3 {} AS person_no, i * 37 % 90 AS age"
    got = roles_of(f"{household.format('')} FROM range(1500) t(i)")
    assert (got["person_no"], got["*"]) == ("attribute", "likely")
    got = roles_of(f"{household.format('+ 3 * (i // 3 % 400)')} FROM range(1500) t(i)")
    assert got["*"] == "person_no"


@pytest.mark.parametrize(
    "name",
    thinned(
        ["__index_level_0__", "Unnamed: 0", "Unnamed: 0.1", "...1", "index", "level_0", "row_names", "row id"]
    ),
)
def test_the_number_that_a_program_gave_a_row_is_apart(name: str) -> None:
    """Also where some rows were left out; not where the numbers are larger, or do not differ."""
    others = "20 + i % 50 AS age FROM range(900) t(i)"
    got = roles_of(f'SELECT i AS "{name}", {others}')
    assert got == {name: "event_key", "age": "attribute", "*": "likely"}
    assert roles_of(f'SELECT i * 7 + i % 3 AS "{name}", {others}')[name] == "event_key"
    larger = roles_of(f'SELECT 80000000 + i * 7919 AS "{name}", {others}')[name]
    assert larger == ("user" if name == "row id" else "direct_identifier")
    assert roles_of(f'SELECT i % 30 AS "{name}", {others}')[name] == "attribute"
    texts = roles_of(f"SELECT 'u' || i * 7919 AS \"{name}\", {others}")[name]
    assert texts == ("user" if name == "row id" else "direct_identifier")


#: Tables with what the column is that is all different, for the records or for the users.
_ALL_DIFFERENT = {
    "row id": ("SELECT 'u' || i * 7919 AS \"row id\", 20 + i % 50 AS age", "user"),
    "member no": ("SELECT 'u' || i * 7919 AS \"member no\", 20 + i % 50 AS age", "user"),
    "ticket number": ("SELECT 'u' || i * 7919 AS \"ticket number\", i % 9 AS area", "event_key"),
    "index": ("SELECT i * 7 + i % 3 AS index, 20 + i % 50 AS age", "event_key"),
    "code": ("SELECT 'u' || i * 7919 AS code, 20 + i % 50 AS age", "direct_identifier"),
    "peer_msisdn": (
        "SELECT '44010' || (1000000000 + i % 30) AS imsi, "
        "CASE WHEN i % 3 = 0 THEN '+8190' || (10000000 + i * 7919) END AS peer_msisdn",
        "direct_identifier",
    ),
    "badge no": (
        "SELECT 'u' || i % 60 AS customer_id, 5000 + i % 60 * 7 AS \"badge no\", i % 7 AS area",
        "direct_identifier",
    ),
}


@pytest.mark.parametrize(
    ("factor", "name"), thinned(itertools.product([0.7, 0.88, 1.0, 1.3], _ALL_DIFFERENT), 3)
)
def test_estimates_change_no_role(name: str, factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine estimates numbers of distinct values, in DuckDB 1.5 with a standard error of 13 %."""
    run = Session.run

    def estimate(session: Session, statement: str, **arguments: Any) -> list[dict[str, Any]]:
        rows = run(session, statement, **arguments)
        if statement == "profile":
            for row in rows:
                exact = run(
                    session,
                    "distinct_values",
                    source=arguments["source"],
                    column=arguments["columns"][row["position"]],
                )
                row["distinct_values"] = round(factor * exact[0]["distinct_values"])
        return rows

    monkeypatch.setattr(Session, "run", estimate)
    select, role = _ALL_DIFFERENT[name]
    assert roles_of(f"{select} FROM range(600) t(i)")[name] == role


def test_a_number_of_its_own_for_every_record_is_the_persons_in_tables_of_all_sizes() -> None:
    got = {
        records: roles_of(f"SELECT 'u' || i * 7919 AS \"row id\", i % 50 AS age FROM range({records}) t(i)")
        for records in thinned(range(60, 2_000, 97), 4)
    }
    assert {records for records, one in got.items() if one["*"] != "row id"} == set()


def test_what_others_are_called_by_stands_in_some_records_only() -> None:
    """The numbers that were called all differ, and hide nobody who called from the same one."""
    called = "CASE WHEN i % 5 = 0 THEN '+8190' || (10000000 + i * 7919) END AS peer_msisdn"
    imsi = "'44010' || (1000000000 + i % 90) AS imsi"
    got = roles_of(f"SELECT {imsi}, {called}, i % 9 AS cell FROM range(1800) t(i)")
    assert (got["imsi"], got["peer_msisdn"], got["*"]) == ("user", "direct_identifier", "imsi")


def test_what_few_records_have_determines_nothing() -> None:
    """A cell that is missing tells nothing, and one that is nobody else's tells everything."""
    _, decided = inferred(
        "SELECT CASE WHEN i % 5 < 2 THEN 1000 + i * 7 END AS bonus, i % 2 AS half, i % 40 AS town, "
        "i % 40 % 8 AS area, CASE WHEN i % 40 > 2 THEN i % 40 END AS most, "
        "CASE WHEN i % 50 < 2 THEN i % 50 END AS flag, 7 AS x FROM range(2000) t(i)",
        user="",
    )
    determined = {
        name: one.reason.values.get("name")
        for name, one in decided.items()
        if one.reason is not None and one.reason.key == "roles.determined_by"
    }
    assert {name: str(by) for name, by in determined.items()} == {
        "half": "area",
        "area": "town",
        "most": "town",
    }


def test_rare_values_refute_at_once_that_columns_determine_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Twelve columns are "no" but for a few late records; one is another's coarser form."""
    examined: list[int] = []
    confirm = dependencies._confirm_dependents
    monkeypatch.setattr(
        dependencies,
        "_confirm_dependents",
        lambda session, relation, one, others: (
            examined.append(len(others)) or confirm(session, relation, one, others)
        ),
    )
    rare = ", ".join(
        f"CASE WHEN i % 997 = {n} THEN 'up' WHEN i % 991 = {n} THEN 'down' ELSE 'no' END AS drug{n}"
        for n in range(900, 912)
    )
    query = f"SELECT i % 40 AS town, i % 40 % 8 AS area, {rare} FROM range(30000) t(i)"
    _, decided = inferred(query, user="")
    determined = {
        name: str(one.reason.values.get("name"))
        for name, one in decided.items()
        if one.reason is not None and one.reason.key == "roles.determined_by"
    }
    assert determined == {"area": "town"}
    assert sum(examined) <= 6  # that the town determines the area, on 2,000, 20,000 and all records


def test_content_decides_whatever_the_name() -> None:
    _, decided = inferred(
        "SELECT 'p' || i || '@example.org' AS x1, '03-1234-' || 1000 + i AS \"drop\", "
        "'10.0.' || i % 250 || '.' || i % 7 AS 項目, i % 5 AS email, i % 3 = 0 AS phone_verified, "
        "'K-' || i % 40 AS mail FROM range(500) t(i)"
    )
    got = {name: (str(one.role), one.confidence, one.kind) for name, one in decided.items()}
    assert got["x1"] == ("direct_identifier", "sure", "email")
    assert got["drop"] == ("direct_identifier", "sure", "telephone")
    assert got["項目"] == ("direct_identifier", "sure", "network")
    assert got["email"][0] == got["phone_verified"][0] == "attribute"


def test_a_mark_that_few_have_is_assessed() -> None:
    """One value and nothing else tells whose record has it: it was set aside as a constant."""
    with duckdb.connect() as made:
        report = duckrisk.assess(
            made.sql(
                "SELECT 20 + i % 5 * 10 AS age, CASE WHEN i IN (17, 900, 1501) THEN 'yes' END AS hiv, "
                "'x' AS fixed, NULL AS nothing FROM range(3000) t(i)"
            )
        )
    roles = {column["name"]: column["role"] for column in report.data["source"]["columns"]}
    assert roles == {"age": "attribute", "hiv": "attribute", "fixed": "constant", "nothing": "constant"}
    assert report.verdict.outcome == "fail"
    assert report.data["uniqueness"]["all_attributes"]["smallest_class"] == 1
    (hiv,) = [one for one in report.data["attribute_risk"] if one["attribute"] == "hiv"]
    assert (hiv["records"], hiv["distinct_values"], hiv["mean_risk"]) == (3, 1, pytest.approx(1 / 3))


@pytest.mark.parametrize(
    "name", ["guarantor_name", "coborrower_name", "next_of_kin_name", "attorneyName", "保証人名", "担任名"]
)
def test_names_of_others_who_are_in_a_table(name: str) -> None:
    """Also where few records have one."""
    somebody = "['Anna', 'Ben', 'Clara', 'David', 'Elena'][1 + i % 5] || ' Weber' || repeat('e', i % 29)"
    select = f'SELECT i % 900 AS customer_no, CASE WHEN i % 17 = 0 THEN {somebody} END AS "{name}"'
    assert roles_of(f"{select} FROM range(3000) t(i)")[name] == "direct_identifier"


def test_identifiers_stand_for_the_person_only_where_nothing_else_does() -> None:
    phone = "'090-' || (1000 + i % 90) || '-' || (2000 + i % 90)"
    got = roles_of(f"SELECT {phone} AS msisdn, i % 11 AS cell FROM range(900) t(i)")
    assert (got["msisdn"], got["*"]) == ("user", "msisdn")
    got = roles_of(f"SELECT {phone} AS msisdn, i % 60 AS subscriber_id FROM range(900) t(i)")
    assert (got["msisdn"], got["*"]) == ("direct_identifier", "subscriber_id")
    got = roles_of(f"SELECT {phone} AS msisdn, i AS customer_id FROM range(900) t(i)")
    assert (got["msisdn"], got["*"]) == ("direct_identifier", "customer_id")


def test_a_value_that_most_records_have_is_nobody() -> None:
    """With a customer 0 for everybody without a card, the role is a guess; a mere word is none."""
    found, _ = inferred("SELECT CASE WHEN i % 3 = 0 THEN i ELSE 0 END AS customer_id FROM range(900) t(i)")
    assert (found.user is not None, found.user_confidence) == (True, "guess")
    found, _ = inferred(
        "SELECT CASE WHEN i % 3 = 0 THEN 'n' || i % 90 ELSE '-' END AS member, i % 5 AS a "
        "FROM range(900) t(i)"
    )
    assert (found.user, found.user_confidence) == (None, "guess")


def test_keys_of_events_come_last_and_are_in_no_set() -> None:
    with duckdb.connect() as made:
        report = duckrisk.assess(
            made.sql(
                "SELECT i % 30 AS customer_id, i // 2 AS invoice_no, i % 7 AS product, i % 4 AS city "
                "FROM range(300) t(i)"
            )
        )
    risks = report.data["attribute_risk"]
    assert [(one["attribute"], one["plausible"]) for one in risks][-1] == ("invoice_no", False)
    assert risks[-1]["mean_risk"] == max(one["mean_risk"] for one in risks)
    assert not risks[-1]["most_dangerous"]
    inside = report.data["identifiability"] or {"attributes": []}
    assert "invoice_no" not in {one["column"] for one in inside["attributes"]}
    assert "Numbers of events, households and surveys" in report.to_text(full=True)


@LIGHT
@given(name=st.text(max_size=40))
def test_any_name_can_be_read(name: str) -> None:
    """Names of any characters have an answer."""
    told = (
        words.user_score(name), words.classify_identifier(name), words.classify_key(name),
        words.is_prose(name),
        words.is_measure(name), words.is_numbering(name), words.is_account(name), words.is_nameless(name),
    )  # fmt: skip
    assert told[0] in (0, 1, 2, 3)
    assert told[1] in (None, "name", *word_lists.IDENTIFIER_WORDS)
    assert told[2] in (None, "event", "household", "weight")
