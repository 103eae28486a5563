"""The person by the values: keys, pairs, copies, keys in several writings, and words of many languages."""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import duckrisk
from duckrisk import roles
from duckrisk.engine.session import Session
from duckrisk.roles import table_words, words
from duckrisk.source import Request, open_source
from tests.cases import Cases
from tests.command import table
from tests.hostile import NAMES
from tests.tables import thinned


def found_in(frame: pd.DataFrame, **decided: Any) -> roles.Roles:
    with Session() as session:
        return roles.infer(session, open_source(session, Request(frame)), roles.RoleOverrides(**decided))


def panel(names: Sequence[str], *, people: int = 200, each: int = 9) -> pd.DataFrame:
    """People with a number, a sex, a year of birth and a site, alike in each of their records."""
    draw = random.Random(11)
    rows = []
    for person in range(people):
        traits = (draw.choice("MF"), draw.randint(1930, 2004), draw.choice("ABCDE"))
        rows += [(f"01-701-{1000 + person}", *traits)] * each
    return pd.DataFrame(rows, columns=list(names))


def test_names_of_the_person_s_number_in_many_languages() -> None:
    """Names of keys of public tables are numbers of a person; counts, subjects and things are not."""
    persons = (
        "USUBJID SUBJID Patientennummer Versichertennummer Kundennummer matricule "
        "expediente 病人编号 환자번호 pidp idauniq mergeid nomem_encr xwaveid lopnr idno DUPERSID "
        "DESYNPUF_ID ptid pt_id study_id eid upn child_id veteran_id prisoner_id "
        "card_hash anonymous_id encrypted_id distinct_id personnummer bsn nie 氏名コード "
        "id_cliente idPaciente cod_cliente numéro_de_client num_abonné patiënt_id 会员卡号 学号 "
        "가입자_일련번호"
    )
    others = (
        "tot_emp male_emp adult_pax pax used_mem web_visitor peak_user active_user rooms_guest turnout_voter "
        "last_contact previous_owner staff num_clients product_id 店舗コード school_id visit_id population"
    )
    with Cases() as case:
        for name in persons.split():
            with case(name):
                assert words.user_score(name) == 3
        for name in others.split():
            with case(name):
                assert words.user_score(name) == 0


def test_the_answer_hangs_on_no_name() -> None:
    """The key of the same cells is found whatever it is called; without a word that helps it is a guess."""
    for names, confidence in (
        (("USUBJID", "SEX", "BIRTHYR", "SITE"), "sure"),
        (("zz", "Geschlecht", "Geburtsjahr", "Ort"), "likely"),
        (("zz", "a", "b", "c"), "guess"),
    ):
        found = found_in(panel(names))
        assert found.user is not None, names
        assert (found.user.name, found.users, found.user_confidence) == (names[0], 200, confidence)


#: Names that say a count, a place, a thing, a time, a group, an event or a weight, and no person.
CALLED_OTHERWISE = """n_utente tot_emp number_of_guests population 人数 city 店舗コード seat product_id peak
week date_no hhid visit_id invoice_no fnlwgt sensor_id row status subject text"""


def test_no_name_hides_a_key_that_determines_what_describes_persons() -> None:
    """150 people of 9 records and 14 of 90, sex and birth alike in all: the key is found or asked about."""
    draw = random.Random(7)
    with Cases() as case:
        for number, name in thinned(enumerate(CALLED_OTHERWISE.split()), 5):
            people, each = ((150, 9), (14, 90))[number % 2]
            sex, site = (("sex", "district"), ("a", "b"))[number // 2 % 2]
            frame = panel((name, sex, "year", site), people=people, each=each).drop(columns="year")
            frame = frame.sample(frac=1, random_state=7)
            if number % 3:
                frame[name] = frame[name].str[-4:].astype(int) * 37
            frame["dose"] = [draw.randint(1, 900) for _ in range(len(frame))]
            found = found_in(frame)
            with case(f"{name}: {people} people"):
                assert (name,) in found.candidates
                assert found.user_confidence == "guess" or (found.user and found.user.name == name)


@pytest.mark.slow
def test_keys_of_any_name() -> None:
    """A name without a word in it, or with all of them, is one like others; where it says a thing, it is open
    why all records are there several times."""
    names = ["|", "___", "-", " ", "\u200b", "№", "12", "''", "select", "名", "é", *NAMES]
    for name in thinned(names, 6):
        found = found_in(panel((name, "sex", "year", "site"), people=40, each=9))
        assert found.users == 40 or found.doubts, name


def test_what_describes_people_numbers_nobody() -> None:
    """Ages and amounts of a made table may determine the sex: nobody is numbered by them."""
    for name in ("age", "年齢", "income", "金額", "birth_year", "score"):
        frame = panel((name, "sex", "year", "site"), people=60, each=20)
        frame[name] = 20 + frame[name].str[-4:].astype(int) % 60
        found = found_in(frame)
        assert (name,) not in found.candidates, name
        assert found.user is None or found.user.name != name


def test_a_number_of_one_person_begins_with_n() -> None:
    """ "n_utente" is the number of a patient, "n_utentes" says how many."""
    scores = {
        "n_utente": 3,
        "n cliente": 3,
        "num_paciente": 3,
        "n_utentes": 0,
        "n_clients": 0,
        "num_users": 0,
    }
    assert {name: words.user_score(name) for name in scores} == scores


def test_a_repeated_key_next_to_a_number_that_all_differ_is_asked_about() -> None:
    """Each order has a customer_id of its own; the people behind them are in another column."""
    frame = panel(("zz", "sex", "birth_year", "site"))
    frame["customer_id"] = [f"c{i * 7919 % 99991}" for i in range(len(frame))]
    found = found_in(frame)
    assert (found.candidates, found.user_confidence) == ((("zz",), ("customer_id",)), "guess")


@pytest.mark.parametrize(
    "code",
    thinned(
        [
            "md5('s' || i % 40)::UUID",
            "md5('s' || i % 40)",
            "sha256('s' || i % 40)",
            "to_base64(unhex(md5('s' || i % 40)))",
            "left(md5('s' || i % 40), 24)",
            "sha256('s' || i % 40) || sha256('t' || i % 40)",
            "md5('s' || i % 40)::UUID::VARCHAR",
        ]
    ),
)
def test_codes_of_programs_that_repeat_may_be_those_of_people(tmp_path: Path, code: str) -> None:
    """Whatever their name is, but that of a thing."""
    for name, expected in (("token", "undecided"), ("x", "undecided"), ("product_uuid", "pass_if")):
        query = f"SELECT {code} AS {name}, hash(i) % 2 AS ward FROM range(4000) t(i)"
        path = table(tmp_path / f"{name}.parquet", query)
        report = duckrisk.assess(path, quick=True)
        assert report.verdict.outcome == expected
        assert report.source.user == (name if expected == "undecided" else None)


@pytest.mark.parametrize(
    "text",
    [
        "'word' || 10 + i % 40",
        "'[' || DATE '1950-01-01' + (i % 40)::INTEGER || ', 1960-01-01]'",
        "'{of my group ' || 10 + i % 40 || ', others}'",
        "'of the length of a key ' || chr(97 + (i % 20)::INTEGER)",
        "'alengthofakeyandnodigi' || chr(97 + (i % 20)::INTEGER) || 'x'",
        "strftime(TIMESTAMP '2020-01-01' + to_days((i % 40)::INTEGER), '%Y-%m-%dT%H:%M:%S.%gZ')",
    ],
)
def test_other_texts_of_one_length_number_nobody(tmp_path: Path, text: str) -> None:
    query = f"SELECT {text} AS x, hash(i) % 2 AS ward FROM range(4000) t(i)"
    report = duckrisk.assess(table(tmp_path / "a.parquet", query), quick=True)
    assert (report.source.user, report.source.user_confidence) == (None, "likely")


@pytest.mark.parametrize("name", ["login", "email", "account_no", "customer_id", "手机号", "note"])
def test_a_uuid_is_read_as_its_text_is(name: str) -> None:
    codes = [uuid.UUID(int=n % 40 * 7919**9) for n in range(400)]
    ward = [n * n % 7 % 2 for n in range(400)]
    frames = (pd.DataFrame({name: read, "ward": ward}) for read in (codes, [str(code) for code in codes]))
    first, second = (found_in(frame).decisions[0] for frame in frames)
    assert (first.role, first.kind, first.confidence) == (second.role, second.kind, second.confidence)


def test_a_missed_person_passes_nothing() -> None:
    """200 people are 9 records each: by the records the smallest class would be 9 and no one alone."""
    report = duckrisk.assess(panel(("zz", "a", "b", "c")), policy="internal")
    assert report.verdict.outcome == "undecided"


def test_what_varies_for_a_person_is_no_key() -> None:
    """Judges repeat, but people of both sexes have each; ages distinguish members of a household."""
    draw = random.Random(3)
    rows = [(f"j{i % 40}", 1000 + i // 3, draw.choice("MF"), draw.randint(1, 95)) for i in range(1500)]
    frame = pd.DataFrame(rows, columns=["judge", "hhid", "sex", "age"])
    assert found_in(frame[["hhid", "sex"]]).user is None
    assert found_in(frame[["hhid", "age"]]).user is None
    found = found_in(frame[["judge", "sex"]])
    assert (found.user, found.user_confidence) == (None, "guess")


def pairs() -> pd.DataFrame:
    """Members of households in four months each: 150 households, a known number of members."""
    draw = random.Random(5)
    rows = []
    for household in range(150):
        for member in range(draw.randint(1, 4)):
            traits = (draw.choice("MF"), draw.randint(1940, 2010))
            rows += [(1000 + 7 * household, member + 1, month, *traits) for month in range(4)]
    return pd.DataFrame(rows, columns=["household", "member", "month", "sex", "birth_year"])


def test_a_number_within_a_group_is_half_a_key() -> None:
    """The pair is proposed; its option counts each pair as a person, as plain Python counts them."""
    frame = pairs()
    found = found_in(frame)
    assert found.candidates[0] == ("household", "member")
    assert found.user_confidence == "guess"
    people = len({*zip(frame.household, frame.member, strict=True)})
    declared = found_in(frame, user="household+member")
    assert declared.user is not None
    assert (declared.users, declared.records) == (people, len(frame))
    assert declared.user.name == "household+member"


@pytest.mark.parametrize("values", [["1/2", "1"], ["1\\", "\\1"]])
def test_a_pair_is_a_pair_whatever_its_values_hold(values: list[str]) -> None:
    """("1/2", "3") is not ("1", "2/3"), and where a half is missing nobody is named."""
    rows = [(a, b) for a in (*values, None) for b in ("3", "2/3", "/2/3")] * 20
    found = found_in(pd.DataFrame(rows, columns=["a", "b"]), user="a+b")
    assert (found.users, found.without_user) == (6, 60)


def test_a_release_of_a_pair(tmp_path: Path) -> None:
    """Treatments count the pairs as people, and the release holds their pseudonyms in one column."""
    frame, out = pairs(), tmp_path / "r.parquet"
    steps = [{"method": "pseudonymize", "column": "household+member"}]
    duckrisk.anonymize(frame, out, steps=steps)
    release = pd.read_parquet(out)
    pseudonyms = release.groupby("household+member").size()
    assert len(pseudonyms) == len({*zip(frame.household, frame.member, strict=True)})


def test_copies_of_all_records_are_said() -> None:
    """Each record 12 times is open until a person says that each is one; one copy less is no multiple."""
    draw = random.Random(1)
    rows = [(draw.choice("MF"), draw.randint(1940, 2003)) for _ in range(300)] * 12
    frame = pd.DataFrame(rows, columns=["sex", "birth_year"])
    said = [sentence.values["count"] for sentence in found_in(frame).doubts]
    assert said == ["12"]
    assert not found_in(frame.iloc[1:]).doubts
    assert not found_in(frame, user="").doubts


def test_keys_in_several_writings() -> None:
    """300 people in four writings are 1,200 keys until a person merges them."""
    writings = [f(f"M{i:04}") for i in range(300) for f in (str, str.lower, " {}".format)]
    writings += [f"Ｍ{i:04}" for i in range(300)]
    frame = pd.DataFrame({"member_id": writings, "item": [i % 7 for i in range(1200)]})
    asked = found_in(frame)
    assert (asked.users, [sentence.key for sentence in asked.doubts]) == (1200, ["policy.unsettled.writings"])
    for folds, users in ((True, 300), (False, 1200)):
        settled = found_in(frame, user="member_id", fold_keys=folds)
        assert (settled.users, settled.doubts) == (users, [])


def test_the_levels_of_an_index_are_columns(tmp_path: Path) -> None:
    """A frame is read as the Parquet file that pandas writes of it."""
    plain = pd.DataFrame({"x": [i % 3 for i in range(60)]})
    index = [[i // 2 for i in range(60)], list(range(60))]
    indexed = plain.set_index(pd.MultiIndex.from_arrays(index, names=["patient_id", None]))
    indexed.to_parquet(tmp_path / "indexed.parquet")
    for source in (indexed, tmp_path / "indexed.parquet"):
        with Session() as session:
            columns = [column.name for column in open_source(session, Request(source)).columns]
        assert columns == ["x", "patient_id", "__index_level_1__"]
    cases: tuple[tuple[Any, list[str]], ...] = (
        ([f"P{number // 2}" for number in range(60)], ["__index_level_0__"]),
        (pd.date_range("2023-01-01", periods=60), ["__index_level_0__"]),
        (pd.Categorical(["a", "b"] * 30), ["__index_level_0__"]),
        (range(5, 65), []),
        (list(range(30)) * 2, []),  # two frames, one below the other
    )
    for levels, more in cases:
        with Session() as session:
            unnamed = plain.set_axis(pd.Index(levels), axis=0)
            columns = [column.name for column in open_source(session, Request(unnamed)).columns]
        assert columns == ["x", *more]
    twice = plain.set_index(pd.Index(range(60), name="x"))
    with Session() as session:
        assert len(open_source(session, Request(twice)).columns) == 2
        assert len(plain.columns) == 1


def test_what_describes_persons_in_other_words() -> None:
    """Surveys with names of items and words of other languages hold persons; flowers and firms do not."""
    persons = (
        ["RIAGENDR", "INDFMPIR"],
        ["patientonsetage", "serious"],
        ["kommun", "kön"],
        ["IDSTUD", "BSBG03"],
        ["comune", "feriti"],
        ["CODPERSO", "CONGLOME"],
    )
    with Cases() as case:
        for names in persons:
            with case(" ".join(names)):
                assert table_words.find_personal(names)
        for names in (["Sepal.Length", "Species"], ["firm", "year", "invest"], ["pm25", "station", "no2"]):
            with case(" ".join(names)):
                assert not table_words.find_personal(names)
        with case("items"):
            assert table_words.is_uninformative(["d10", "d11", "qa1a_1", "uniqid"])
            assert not table_words.is_uninformative(["pm25", "no2", "station_id", "lat", "lon"])


def test_a_bare_id_that_determines_what_describes_persons_is_no_question() -> None:
    """With columns of the same cells that describe no person it is a guess."""
    for names, confidence in (
        (("ID", "education", "son"), "likely"),
        (("ID", "tile", "lamp"), "guess"),
    ):
        frame = panel((names[0], names[1], "y", names[2])).drop(columns="y")
        frame["hours"] = [i * 7 % 41 for i in range(len(frame))]
        found = found_in(frame)
        assert (found.user and found.user.name, found.user_confidence) == ("ID", confidence), names


def test_words_for_a_person_joined_with_a_number() -> None:
    scored = ["被験者識別コード", "CNTSTUID", "IDSTUD", "patno", "respnr", "custid", "PRSCRBR_NPI"]
    assert {name: words.user_score(name) for name in scored} == dict.fromkeys(scored, 3)
    assert [words.user_score(name) for name in ("status_no", "pattern_id", "response_id")] == [0, 0, 0]
