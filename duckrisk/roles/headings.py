"""Column names that explain the values: names of people, areas, codes, numbers with check digits."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from duckrisk.roles import words
from duckrisk.roles.word_lists import word_set

#: What the names in a column are names of; ``name`` is a bare word for a name.
Named = Literal["person", "name", "thing"]


#: Words that confirm the kind of a number with check digits, by kind.
_CONFIRMING = {
    "payment card number": word_set(
        "card cards cc pan credit cardno cardnumber ccnum karte カード カード番号"
    ),
    "My Number": word_set("mynumber individual 個人番号 マイナンバー"),
    "bank account (IBAN)": word_set(
        "iban bank account acct konto kontonummer compte cuenta conto rekening 口座 口座番号"
    ),
    "vehicle identification number": word_set("vin vehicle car chassis fahrgestellnummer 車台番号 車両番号"),
    "device number (IMEI)": word_set("imei device handset phone 端末"),
}
#: Words for a name in many languages.
_NAME = word_set(
    "name names namae fullname nom noms prenom nombre nombres apellido apellidos nome cognome sobrenome "
    "naam achternaam voornaam navn fornavn etternavn efternavn namn fornamn vorname nachname familienname "
    "imie nazwisko jmeno prijmeni meno priezvisko nev nimi etunimi sukunimi isim soyad soyisim adsoyad "
    "имя фамилия фио отчество ім'я όνομα επώνυμο اسم الاسم שם "
    "名 名前 氏名 姓名 姓 氏 芳名 名字 이름 성명 성함 nama hoten ชื่อ नाम "
    "imię jméno příjmení név prénom förnamn"
)
#: Words for a name at the end of longer words, in languages that do not separate words by blanks.
_JOINED_NAMES = ("氏名", "名前", "姓名", "名称", "名", "이름", "姓")
#: Words for people whose names a table about others has, in more languages.
_PEOPLE = word_set(
    "counterparty payee payer beneficiary sender recipient receiver assignee reporter author signer handler "
    "attending clinician consultant midwife pharmacist radiologist pathologist interviewer caseworker "
    "salesperson salesman clerk cashier waiter lecturer professor tutor coach trainer applicant tenant "
    "landlord neighbour neighbor friend colleague boss director supervisor chef "
    "arzt ärztin pfleger pflegerin lehrer lehrerin mitarbeiter mitarbeiterin ansprechpartner sachbearbeiter "
    "betreuer berater verkäufer vertreter inhaber empfänger absender patientin kunde schüler "
    "médecin medecin infirmier infirmière infirmiere enseignant professeur vendeur conseiller responsable "
    "destinataire expéditeur élève "
    "médico medico enfermera enfermero profesor profesora maestro vendedor vendedora empleado encargado "
    "contacto cliente paciente alumno infermiere insegnante venditore paziente enfermeiro professora "
    "arts verpleegkundige leraar medewerker läkare sjuksköterska lärare lekarz pielęgniarka nauczyciel "
    "врач медсестра учитель сотрудник менеджер пациент клиент "
    "担当 看護師 医師 医者 主治医 執刀医 薬剤師 教員 教師 先生 講師 店員 販売員 営業担当 受付者 作成者 "
    "被告人 被告 原告 被疑者 被害者 弁護士 弁護人 裁判官 判事 検察官 検事 警察官 役員 社長 "
    "入力者 記入者 報告者 承認者 申請者 届出者 受取人 差出人 連絡先氏名 介護士 保育士 相談員 "
    "护士 醫生 医生 教师 联系人 负责人 经办人 担当医 담당자 의사 간호사 교사"
)
#: Words for people in longer names that alone mean no people.
_NO_PEOPLE = word_set("sale sales profile emergency")
#: Words for things that have names, or names of two words, and are no persons.
_THING = word_set(
    "product item article goods company firm employer business brand vendor supplier manufacturer model make "
    "city town village country state province region county district area place location site street "
    "neighborhood neighbourhood borough ward department dept division unit team group section branch office "
    "school university college hospital clinic pharmacy facility store shop outlet restaurant hotel station "
    "airport port bank insurer insurance drug medication medicine treatment procedure test disease illness "
    "condition diagnosis symptom specialty speciality discipline course subject class major degree program "
    "programme plan project campaign event activity title job occupation profession position role rank "
    "category type kind genre label tag topic theme status stage phase level grade color colour language "
    "currency nationality ethnicity race religion education marital relationship relation reason result "
    "method channel service industry sector market segment movie film song album book game app software "
    "file column table field variable dataset sheet species breed variety material crop food dish team club "
    "league stadium park river lake island sport payment shipping carrier mode frequency weekday month "
    "question answer response party ship vessel aircraft vehicle car route line stop zone host domain page "
    "stadt ort land firma produkt abteilung beruf strasse straße schule "
    "ville pays entreprise produit métier profession rue région "
    "ciudad país empresa producto puesto calle colonia città paese azienda prodotto cidade "
    "商品 品 製品 会社 企業 店 店舗 支店 病院 施設 部署 部門 課 科 診療科 病棟 地域 都道府県 市区町村 市町村 "
    "県 市 町 国 学校 大学 学部 学科 科目 職業 職種 役職 業種 病 疾患 傷病 薬 薬剤 銘柄 銀行 駅 路線 "
    "事業 件 書類 城市 公司 产品 部门 학교 회사 도시"
)
#: Words for areas and for codes of traits: that all values differ makes them no identifier.
_AREA = word_set(
    "zip zips zip3 zip5 zip9 zip4 zipcode zipcodes zcta postcode postcodes postalcode postal plz "
    "postleitzahl postnummer postnr codepostal codigopostal cep cap pincode eircode fips geohash tract "
    "郵便番号 邮编 邮政编码 우편번호"
)
_CODED = word_set(
    "icd icd9 icd10 icd11 diagnosis diagnoses diag dx atc ndc cpt drg hcpcs snomed loinc hs hscode sic naics "
    "isco nace procedure diagnose diagnostic diagnóstico diagnostico 病名 診断 診断名 傷病名 傷病 主病名 诊断"
)
#: Pairs of words that mean an area.
_AREAS_OF_TWO = ("zipcode", "postcode", "postalcode", "codepostal", "codigopostal", "códigopostal", "pincode")
_VERSION = word_set("version versions ver release build firmware revision rev バージョン 版 版数")


def list_confirmed_kinds(name: str) -> list[str]:
    """List the kinds of numbers with check digits that a name confirms."""
    tokens = words.name_tokens(name)
    written = {*tokens, "".join(tokens)}
    return [kind for kind, confirming in _CONFIRMING.items() if not confirming.isdisjoint(written)]


@lru_cache(maxsize=8192)
def classify_names(name: str) -> Named | None:
    """Return what the names in a column are names of.

    Returns:
        None if the heading announces no names.
    """
    tokens = [token for token in words.plain_tokens(name) if token]
    named = [token for token in tokens if token not in _NAME]
    has_name_word = len(named) < len(tokens)
    for word in _JOINED_NAMES:
        if named and not named[-1].isascii() and named[-1].endswith(word) and len(named[-1]) > len(word):
            named, has_name_word = [*named[:-1], named[-1][: -len(word)]], True
            break
    if not named:
        return "name" if has_name_word else None
    last = named[-1].rstrip("s") if named[-1].isascii() and named[-1] not in _THING else named[-1]
    if last in _THING:
        return "thing"
    if (words.is_person(last) and last not in _NO_PEOPLE) or last in _PEOPLE or named[-1] in _PEOPLE:
        return "person"
    if words.classify_identifier(name) == "person":
        return "person"
    if any(not last.isascii() and last.endswith(word) for word in _THING if not word.isascii()):
        return "thing"
    return "name" if has_name_word else None


def is_of_thing(name: str) -> bool:
    """Return whether a word of a name means a thing, a place or a group."""
    tokens = words.plain_tokens(name)
    return words.is_other(name) or any(token in _THING or token.rstrip("s") in _THING for token in tokens)


def is_area(name: str) -> bool:
    """Return whether a name means a postal code, or another code of an area."""
    tokens = words.name_tokens(name)
    joined = "".join(tokens)
    return not _AREA.isdisjoint(_tokens(name)) or any(joined.endswith(word) for word in _AREAS_OF_TWO)


def is_area_or_code(name: str) -> bool:
    """Return whether a name means a code of an area, diagnosis, treatment or trade."""
    return is_area(name) or not _CODED.isdisjoint(_tokens(name))


def _tokens(name: str) -> list[str]:
    """Split a name into words, with and without their trailing digits."""
    return [*words.name_tokens(name), *words.plain_tokens(name)]


def is_version(name: str) -> bool:
    """Return whether a name means a version, which can look like a network address."""
    return any(token in _VERSION for token in words.name_tokens(name))
