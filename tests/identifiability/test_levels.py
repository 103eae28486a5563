"""Sensitivity levels: the chart type by type, what a person may say, what a name proposes, JO's figures."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path
from typing import Any

import pytest

from duckrisk.base.errors import UsageError
from duckrisk.base.results import in_english
from duckrisk.base.sentences import Sentence
from duckrisk.engine.session import Session
from duckrisk.measures.identifiability import levels
from duckrisk.measures.identifiability.levels import Level, parse_level, propose_level, read_chart
from duckrisk.roles import Decision, word_lists
from duckrisk.source import Column
from tests.identifiability_oracle import jo_identifiability, sensitivity

DATASETS = Path(__file__).resolve().parents[2] / "datasets"

#: (E, P): types with their evidence, "-" where it is recalled; written from the sources, not from the file.
CHART = {
    (1, 1): """
        name:gs address:gs date_of_birth:gs sex:gs financial_institution_name:g resident_register_code:g
        email_address:gs health_insurance_number:g pension_number:g drivers_licence_number:g employee_number:g
        phone_number:g membership_number:- login_id:- employer:- school:- post:- occupation:s height:-
        weight:- blood_type:- physical_features:- portrait_photo:- voice:h fitness_measurement:-
        family_structure:s
    """,
    (1, 2): """
        health_check_result:g psychological_test:g pregnancy_history:g operation_history:gl nursing_record:l
        test_record:g disability_certificate:g dna:- illness_history:g treatment:- medical_claim:-
        fingerprint:g biometrics:h voice_print:h body_measurements:g race:gs accent:- nationality:gsc hobby:c
        preferences:g ethnicity:- diary:- rewards_and_punishments:- work_history:- education:sc grades:g
        test_scores:gc mail_content:g location:-
    """,
    (1, 3): """
        party_membership:g political_opinion:gslc union_membership:- creed:g thought:g religion:gl
        registered_domicile:gs present_illness:gc medical_chart:g dementia:- physical_disability:g
        intellectual_disability:g mental_disorder:c infection:t care_level:c sexual_proclivity:g sex_life:g
    """,
    (2, 1): """
        passport_number:glc purchase_history:g provider_account:g account_number:c card_number:c
        financial_web_login:- seal_registration:-
    """,
    (2, 2): "income:gsc earned_income:gsc assets:gc real_estate:g balance:gc debt:gc salary:c tax_paid:-",
    (2, 3): "",
    (3, 1): "bank_account_and_pin:gltc card_number_and_expiry:gtc bank_login_and_password:-",
    (3, 2): "will:g",
    (3, 3): "criminal_record:gc offence_history:gc credit_blacklist:gc",
}
LATER = {"physical_disability": (1, 2, "c"), "intellectual_disability": (1, 2, "c")}


def decision(
    name: str, type: str = "VARCHAR", role: str = "attribute", reason: str | None = None, **more: Any
):
    return Decision(Column(0, name, type), role, Sentence(reason) if reason else None, **more)


def proposed(name: str, *table: str, profile: str = "jo2003") -> str | tuple[int, int] | None:
    """The type proposed for a column of that name, (E, P) where only the level is known."""
    found = propose_level(decision(name), profile, table or (name,))
    if found is None:
        return None
    return found.level.type or (found.level.economic, found.level.psychological)


# --- the chart -----------------------------------------------------------------------------------


def expected(profile: str) -> dict[str, tuple[int, int, str]]:
    found = {}
    for (economic, psychological), items in CHART.items():
        for item in items.split():
            name, _, evidence = item.partition(":")
            found[name] = (economic, psychological, evidence.replace("-", "recalled"))
    return found | (LATER if profile == "jo_late" else {})


@pytest.mark.parametrize("profile", levels.PROFILES)
def test_chart_type_by_type(profile: str) -> None:
    found = {e.type: (e.economic, e.psychological, e.evidence) for e in read_chart(profile).values()}
    assert found == expected(profile)
    assert all(name == entry.type and entry.label for name, entry in read_chart(profile).items())


def test_the_profiles_differ_in_two_types_alone() -> None:
    first, later = read_chart("jo2003"), read_chart("jo_late")
    assert list(first) == list(later)
    assert {name for name in first if first[name] != later[name]} == set(LATER)
    assert {name for name in first if first[name].words != later[name].words} == set()
    assert {name for name in first if first[name].label != later[name].label} == set()


def test_words_are_single_lower_case_and_say_one_type() -> None:
    with levels.CHART_FILE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["profile", "type", "economic", "psychological", "evidence", "label", "words"]
    for profile in levels.PROFILES:
        words = [word for row in rows if profile in row["profile"] for word in row["words"].split()]
        assert len(words) == len(set(words))
        assert all(word == word.casefold() and word.isalnum() for word in words)
    assert all(row["words"] for row in rows)


@pytest.mark.parametrize("profile", levels.PROFILES)
def test_every_word_proposes_its_type(profile: str) -> None:
    for entry in read_chart(profile).values():
        for word in entry.words:
            shop = ("invoice", "sku") if word in levels._SHOP_WORDS else ()
            assert proposed(word, word, *shop, profile=profile) == entry.type, word


def test_a_chart_cannot_be_changed_by_whoever_reads_it() -> None:
    with pytest.raises(TypeError):
        read_chart("jo2003")["name"] = None  # type: ignore[index]


def test_unknown_profile() -> None:
    with pytest.raises(UsageError) as caught:
        read_chart("jo2004")
    assert str(caught.value) == (
        'There is no profile "jo2004"; name one of "jo2003" and "jo_late", or your own CSV file.'
    )


def test_a_chart_of_ones_own(tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text(
        "\ufefftype,economic,psychological,words\nbadge,1,2,badge pass\nshoe_size, 1 ,1,\n", encoding="utf-8"
    )
    assert list(read_chart(str(own))) == ["badge", "shoe_size"]
    assert read_chart(str(own))["shoe_size"].label == "shoe size"
    assert parse_level("badge", "a", str(own)) == Level("badge", 1, 2)
    assert proposed("pass_no", profile=str(own)) == "badge"
    for unknown in ("name", "country", "customer_id", "date"):
        assert proposed(unknown, "invoice", "sku", unknown, profile=str(own)) is None
    assert levels.list_nearest_types("foo", str(own)) == []
    assert levels.list_nearest_types("my_badge", str(own)) == ["badge"]
    with pytest.raises(UsageError, match=r'not a type of the chart "own.csv"; did you mean "badge"\?'):
        parse_level("bagde", "a", str(own))
    own.write_text("type,economic,psychological\nlocker,2,1\n", encoding="utf-8")
    assert list(read_chart(str(own))) == ["locker"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", 'The chart of levels "own.csv" has no column "type".'),
        ("type,economic\na,1\n", 'The chart of levels "own.csv" has no column "psychological".'),
        ("type,economic,psychological\n", 'The chart of levels "own.csv" has no types.'),
        (
            "type,economic,psychological\na,1,1\nb,4,1\n",
            'Line 3 of the chart of levels "own.csv": economic must be 1, 2 or 3.',
        ),
        (
            "type,economic,psychological\na,1,high\n",
            'Line 2 of the chart of levels "own.csv": psychological must be 1, 2 or 3.',
        ),
        (
            "type,economic,psychological\nShoe Size,1,1\n",
            'Line 2 of the chart of levels "own.csv": a type must have small letters, digits and '
            "underscores only.",
        ),
        (
            "type,economic,psychological\na,1\n",
            'Line 2 of the chart of levels "own.csv" has another number of fields than the first line.',
        ),
        (
            "type,economic,psychological\na,1,1,1\n",
            'Line 2 of the chart of levels "own.csv" has another number of fields than the first line.',
        ),
        (
            "type,economic,psychological\na,1,1\na,2,1\n",
            'The chart of levels "own.csv" has the type "a" twice.',
        ),
        (
            "type,economic,psychological,words\na,1,1,x\nb,1,1,y x\n",
            'The chart of levels "own.csv" has the word "x" for "a" and for "b"; leave out one.',
        ),
        (
            'type,economic,psychological\na,1,"1\n',
            'The chart of levels "own.csv" cannot be read as CSV in UTF-8.',
        ),
    ],
)
def test_a_chart_with_errors(tmp_path: Path, text: str, sentence: str) -> None:
    own = tmp_path / "own.csv"
    own.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read_chart(str(own))
    assert str(caught.value) == sentence


def test_a_chart_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", Path("a\0.csv")):
        with pytest.raises(UsageError, match="There is no chart of levels"):
            read_chart(str(path))
    (tmp_path / "binary.csv").write_bytes(b"type,economic,psychological\n\xff\xfe\x00,1,1\n")
    (tmp_path / "folder.csv").mkdir()
    for name, why in (("binary.csv", " as CSV in UTF-8"), ("folder.csv", ": it is a folder")):
        with pytest.raises(UsageError, match=f'{name}" cannot be read{why}'):
            read_chart(str(tmp_path / name))


# --- what a person says --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "level"),
    [
        ("date_of_birth", Level("date_of_birth", 1, 1)),
        (" Date of birth ", Level("date_of_birth", 1, 1)),
        ("date-of-birth", Level("date_of_birth", 1, 1)),
        ("income", Level("income", 2, 2)),
        ("physical_disability", Level("physical_disability", 1, 3)),
        ("2,2", Level(None, 2, 2)),
        (" 3 , 1 ", Level(None, 3, 1)),
        ([1, 3], Level(None, 1, 3)),
        ((2, 3), Level(None, 2, 3)),
    ],
)
def test_levels_that_are_given(given: object, level: Level) -> None:
    assert parse_level(given, "a") == level


def test_a_given_type_depends_on_the_profile() -> None:
    assert parse_level("physical_disability", "a", "jo_late") == Level("physical_disability", 1, 2)


WANTED = (
    'The level of "a" must be a type, as in "date_of_birth", or the economic and the psychological '
    "level, as in [1, 2]."
)


@pytest.mark.parametrize(
    "given",
    [
        *(True, 2, 1.5, None, [], [1], [1, 2, 3], [True, 1], [1, False], [1.0, 2], ["1", "2"]),
        *("1,2,3", "1,", "E,P", "1.5,2", ",", "12345678901,1"),
    ],
)
def test_levels_of_the_wrong_kind(given: object) -> None:
    with pytest.raises(UsageError) as caught:
        parse_level(given, "a")
    assert str(caught.value) == WANTED


@pytest.mark.parametrize("given", [{}, {"E": 1}])
def test_levels_by_value_of_the_wrong_kind(given: object) -> None:
    with pytest.raises(UsageError, match="must have a default and either values or a file"):
        parse_level(given, "a")


@pytest.mark.parametrize("given", [[0, 1], [1, 4], [-1, 2], "0,1", "-3,1", (4, 4), "+9,1"])
def test_levels_out_of_range(given: object) -> None:
    numbers = given.split(",") if isinstance(given, str) else given
    with pytest.raises(UsageError) as caught:
        parse_level(given, "a")
    assert str(caught.value) == (
        f'The level of "a" is [{int(numbers[0])}, {int(numbers[1])}]; the economic and the '
        "psychological level must be 1, 2 or 3 each."
    )


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ("birthday", "date_of_birth"),
        ("occuption", "occupation"),
        ("diagnosis", "illness_history"),
        ("nationalty", "nationality"),
        ("性別", "sex"),
    ],
)
def test_a_type_that_does_not_exist(given: str, near: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_level(given, "a")
    assert str(caught.value).startswith(
        f'The level of "a" is "{given}", which is not a type of the profile "jo2003"; did you mean "{near}"'
    )
    assert str(caught.value).endswith("?")


def test_a_level_that_is_no_text_at_all() -> None:
    for given in ("", "!", "()"):
        with pytest.raises(UsageError, match='; there are "occupation", "preferences", "purchase_history"'):
            parse_level(given, "a")


# --- proposals -----------------------------------------------------------------------------------

AREA = (1, 1)
ADULT = {
    "age": "date_of_birth",
    "workclass": "occupation",
    "fnlwgt": None,
    "education": "education",
    "education-num": "education",
    "marital-status": "family_structure",
    "occupation": "occupation",
    "relationship": "family_structure",
    "race": "race",
    "sex": "sex",
    "capital-gain": "income",
    "capital-loss": "income",
    "hours-per-week": "occupation",
    "native-country": "nationality",
    "income": "income",
}
MEDICINES = """
    metformin repaglinide nateglinide chlorpropamide glimepiride acetohexamide glipizide glyburide tolbutamide
    pioglitazone rosiglitazone acarbose miglitol troglitazone tolazamide examide citoglipton insulin
    glyburide-metformin glipizide-metformin glimepiride-pioglitazone metformin-rosiglitazone
    metformin-pioglitazone
"""
DIABETES = {
    "encounter_id": None,
    "patient_nbr": "membership_number",
    "race": "race",
    "gender": "sex",
    "age": "date_of_birth",
    "weight": "weight",
    "admission_type_id": "treatment",
    "discharge_disposition_id": "treatment",
    "admission_source_id": "treatment",
    "time_in_hospital": "treatment",
    "payer_code": "medical_claim",
    "medical_specialty": "treatment",
    "num_lab_procedures": "test_record",
    "num_procedures": "treatment",
    "num_medications": "treatment",
    "number_outpatient": "treatment",
    "number_emergency": "treatment",
    "number_inpatient": "treatment",
    "diag_1": "illness_history",
    "diag_2": "illness_history",
    "diag_3": "illness_history",
    "number_diagnoses": "illness_history",
    "max_glu_serum": "test_record",
    "A1Cresult": "test_record",
    **dict.fromkeys(MEDICINES.split(), "treatment"),
    "change": None,
    "diabetesMed": "treatment",
    "readmitted": "treatment",
}
ONLINE_RETAIL = {
    "InvoiceNo": "purchase_history",
    "StockCode": "purchase_history",
    "Description": "purchase_history",
    "Quantity": "purchase_history",
    "InvoiceDate": "purchase_history",
    "UnitPrice": "purchase_history",
    "CustomerID": "membership_number",
    "Country": AREA,
}
RETAIL = {
    name: ONLINE_RETAIL[name] for name in ("CustomerID", "InvoiceDate", "StockCode", "UnitPrice", "Quantity")
}
TABLES = {"adult": ADULT, "diabetes130": DIABETES, "online_retail": ONLINE_RETAIL, "retail": RETAIL}


@pytest.mark.parametrize("table", TABLES)
def test_proposals_for_the_public_tables(table: str) -> None:
    columns = TABLES[table]
    assert {name: proposed(name, *columns) for name in columns} == columns


JAPANESE = {
    "氏名": "name",
    "顧客氏名": "name",
    "住所": "address",
    "生年月日": "date_of_birth",
    "年齢": "date_of_birth",
    "年齢層": "date_of_birth",
    "性別": "sex",
    "職業": "occupation",
    "年収": "income",
    "年収(万円)": "income",
    "国籍": "nationality",
    "電話番号": "phone_number",
    "勤務先電話番号": "phone_number",
    "メールアドレス": "email_address",
    "会員ID": "membership_number",
    "社員番号": "employee_number",
    "最終学歴": "education",
    "本籍": "registered_domicile",
    "病歴": "illness_history",
    "身体障害": "physical_disability",
    "家族構成": "family_structure",
    "趣味": "hobby",
    "商品名": "purchase_history",
    "購入日時": "purchase_history",
    "都道府県": AREA,
    "備考": None,
    "店舗": None,
}


@pytest.mark.parametrize("name", JAPANESE)
def test_japanese_names(name: str) -> None:
    assert proposed(name) == JAPANESE[name]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("birthYear", "date_of_birth"),
        ("DATE_OF_BIRTH", "date_of_birth"),
        ("age_group", "date_of_birth"),
        ("customer name", "name"),
        ("user_name", "login_id"),
        ("company_name", "employer"),
        ("drug_names", "treatment"),
        ("home.phone", "phone_number"),
        ("allergies", "illness_history"),
        ("monthly_salary_usd", "salary"),
        ("credit_card_no", "card_number"),
        ("employee_id", "employee_number"),
        ("uid", "membership_number"),
        ("zip3", "address"),
        ("city_of_residence", AREA),
        ("country_of_birth", "nationality"),
    ],
)
def test_other_names(name: str, kind: object) -> None:
    assert proposed(name) == kind


NO_TYPE = """
    product_weight sample_weight ip_address file_name phone_model email_opt_in page income_or_race
    signature_image crime_victim disability Quantity price description date created_at id x v1 has_phone
    student
"""


@pytest.mark.parametrize("name", NO_TYPE.split())
def test_no_credible_type_is_no_proposal(name: str) -> None:
    assert proposed(name) is None


def test_names_without_a_word_are_no_proposal() -> None:
    for name in ("", "  ", "!", "\0", "a" * 5000, "年" * 300):
        assert proposed(name) is None


def test_general_words_need_the_company_of_a_purchase() -> None:
    assert proposed("price", "item", "price", "quantity") == "purchase_history"
    assert proposed("price", "price", "quantity") is None
    assert proposed("date", "user", "date", "time", "goods", "price", "number") == "purchase_history"
    assert proposed("amount", "sku", "amount", "qty") == "purchase_history"
    assert proposed("signup_date", "sku", "qty", "signup_date") is None
    assert proposed("birth_date", "sku", "qty", "birth_date") == "date_of_birth"
    assert proposed("name", "name", "age") == "name"
    assert proposed("name", "sku", "qty", "name") is None
    assert proposed("weight", "sku", "qty", "weight") is None
    assert proposed("customer_name", "sku", "qty", "customer_name") == "name"
    assert proposed("氏名", "sku", "qty", "氏名") == "name"


def test_content_goes_before_the_name() -> None:
    found = propose_level(decision("login", role="direct_identifier", reason="roles.holds_email"), "jo2003")
    assert found == levels.Proposal(Level("email_address", 1, 1), Sentence("roles.holds_email"))


def test_a_yes_or_no_is_no_telephone_number() -> None:
    assert propose_level(decision("telephone", "BOOLEAN", present=9, distinct=2)) is None
    assert propose_level(decision("telephone", present=1000, distinct=2)) is None
    assert propose_level(decision("telephone", present=1000, distinct=900)) is not None
    assert propose_level(decision("telephone", present=1000, distinct=1, role="constant")) is not None
    assert propose_level(decision("sex", present=1000, distinct=2)) is not None


@pytest.mark.parametrize(
    ("kind", "type_name"),
    [
        ("email", "email_address"),
        ("telephone", "phone_number"),
        ("person", "name"),
        ("address", "address"),
    ],
)
def test_identifiers_that_the_roles_know_by_name(kind: str, type_name: str) -> None:
    for word in word_lists.IDENTIFIER_WORDS[kind]:
        assert proposed(word) == type_name, word
    if kind != "address":  # "ip address" is none
        named = decision(
            "spare " + word, role="direct_identifier", kind=kind, reason=f"roles.name_says_{kind}"
        )
        assert propose_level(named) == levels.Proposal(read_chart()[type_name].level, named.reason)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("sex", 'its name says "sex"'),
        ("marital-status", 'its name says "marital status", taken as family structure'),
        ("diag_1", 'its name says "diag 1", taken as illness history: present_illness if it is of today'),
        (
            "StockCode",
            'its name says "stock code", taken as purchase history: a part of what the person bought',
        ),
        ("patient_nbr", "its name says a number given to a person, taken as membership number"),
        ("Country", 'its name says "country", a part of an address that finds nobody by itself'),
    ],
)
def test_every_proposal_has_a_reason(name: str, reason: str) -> None:
    found = propose_level(decision(name))
    assert found is not None
    assert in_english(found.reason) == reason


def test_a_part_of_an_address_finds_nobody() -> None:
    found = [propose_level(decision(name)) for name in ("name", "country")]
    assert jo_identifiability({p.level.type for p in found if p is not None}) == 3


@pytest.mark.parametrize("profile", levels.PROFILES)
def test_nearest_types_are_those_of_whole_words(profile: str) -> None:
    """A name that is spelled like a type's, as "pickup" like "checkup", says none."""
    assert levels.list_nearest_types("signature_weight", profile) == ["weight"]
    assert levels.list_nearest_types("bodyHeight and weight", profile) == ["weight", "height"]
    assert levels.list_nearest_types("phoneNumbers", profile)[0] == "phone_number"
    for name in ("bithdate", "pickup", "juv_fel_count", "foo", "", "\0", "x" * 5000, "備考", "a b c d e f"):
        assert levels.list_nearest_types(name, profile) == [], name


# --- JO's figures --------------------------------------------------------------------------------


def test_sensitivity_takes_the_two_levels_apart() -> None:
    assert sensitivity([]) == 0
    assert sensitivity([Level(None, 1, 1)]) == 2
    assert sensitivity([Level(None, 3, 1), Level(None, 1, 3)]) == 125
    assert sensitivity([Level(None, 2, 2)] * 2) == 15
    assert sensitivity([Level(None, 2, 2), Level(None, 1, 3)]) == 105


def test_the_worked_example() -> None:
    held = [parse_level(name, "a") for name in ("name", "address", "phone_number", "income")]
    assert sensitivity(held) == 15
    assert jo_identifiability({level.type for level in held}) == 6
    assert 500 * sensitivity(held) * 6 == 45_000


@pytest.mark.parametrize(
    ("types", "step"),
    [
        ([], 1),
        ([None, "email_address"], 1),
        (["address"], 1),
        (["phone_number"], 1),
        (["address", "phone_number"], 3),
        (["name"], 3),
        (["name", "phone_number"], 3),
        (["name", "address"], 6),
    ],
)
def test_jo_identifiability(types: list[str | None], step: int) -> None:
    assert jo_identifiability(set(types)) == step


#: The ease of so many attributes of these levels, (E, P).
EASES = [
    (1, (1, 1), 2.0),
    (2, (1, 1), 1.8),
    (3, (1, 1), 1.62),
    (4, (1, 1), 1.458),
    (5, (1, 1), 1.3122),
    (1, (2, 1), 1.1274),
    (8, (1, 1), 0.9566),
    (1, (1, 2), 0.9491),
    (1, (2, 2), 0.8814),
    (1, (1, 3), 0.6221),
    (1, (3, 3), 0.6028),
    (2, (1, 3), 0.5599),
    (3, (1, 3), 0.5039),
]


def test_tiers_come_in_the_order_of_their_ease() -> None:
    listed = sorted(EASES, key=lambda entry: (entry[0] % 3, entry[1]))
    with Session() as session:
        session.run(
            "tier_ease",
            sizes=[size for size, _, _ in listed],
            economic=[economic for _, (economic, _), _ in listed],
            psychological=[psychological for _, (_, psychological), _ in listed],
        )
        tiers = session.run("tiers")
        eases = session.run("select_all", source="tier_ease")
    told = [(row["size"], (row["economic"], row["psychological"])) for row in tiers]
    assert told == [(size, level) for size, level, _ in sorted(EASES, key=lambda entry: -entry[2])]
    assert [row["number"] for row in tiers] == list(range(len(EASES)))
    expected = {(size, *level): ease for size, level, ease in EASES}
    for row in eases:
        known = expected[row["size"], row["economic"], row["psychological"]]
        assert row["ease"] == (known if round(known, 3) == known else pytest.approx(known, abs=1e-4))


def test_tiers_of_one_ease_stay_in_the_order_that_they_were_listed_in() -> None:
    with Session() as session:
        session.run("tier_ease", sizes=[2, 1, 2], economic=[1, 1, 1], psychological=[2, 3, 2])
        assert [(row["number"], row["size"]) for row in session.run("tiers")] == [(0, 2), (1, 2), (2, 1)]


# --- the settings files of the data sets ---------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_settings_of_the_data_sets(table: str) -> None:
    settings = tomllib.loads((DATASETS / f"{table}.toml").read_text(encoding="utf-8"))
    profile = settings["identifiability"]["profile"]
    columns = TABLES[table]
    held = {name: parse_level(given, name, profile) for name, given in settings["levels"].items()}
    assert set(settings.get("attributes", ())) <= set(held) <= set(columns)
    assert {settings["user"], *settings.get("ignore", ())} <= {"", *columns}
    left_out = {settings["user"], *settings.get("ignore", ())}
    if table != "adult":
        assert set(columns) - set(held) - left_out == set()
    for name, level in held.items():
        if columns[name] is not None:
            assert columns[name] in (level.type, (level.economic, level.psychological))


def test_adult_as_in_the_paper() -> None:
    settings = tomllib.loads((DATASETS / "adult.toml").read_text(encoding="utf-8"))
    assert settings["attributes"] == list(settings["levels"])
    given = [parse_level(given, name) for name, given in settings["levels"].items()]
    assert [(level.economic, level.psychological) for level in given] == [
        *((1, 1), (1, 1), (1, 2), (1, 1), (1, 1), (1, 2), (1, 1), (1, 2), (2, 2))
    ]
    assert sensitivity(given) == 15
