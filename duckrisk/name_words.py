"""The words that names of columns are made of: what they say of a person or an identifier."""

from __future__ import annotations

import re


def _words(text: str) -> list[str]:
    return text.split()


PERSON_WORDS = _words(
    "customer client user member patient person subject employee student passenger subscriber visitor guest "
    "citizen resident player holder buyer shopper rider driver consumer respondent participant cust usr "
    "kunde kunden 顧客 会員 利用者 ユーザ ユーザー 患者 社員 従業員 学生 個人 仮名 加入者 お客様"
)
NUMBER_WORDS = _words(
    "id ids no nr nbr num number code key uid uuid guid identifier pseudonym ref 番号 コード"
)
_WHOLE = _words("uid userid customerid custid patientid memberid clientid personid pid cid 顧客id 会員id")
IDENTIFIER = {
    "email": _words("email e-mail mail メール メールアドレス"),
    "telephone": _words("phone telephone tel mobile fax cellphone 電話 電話番号 携帯"),
    "person": _words("firstname lastname fullname surname forename givenname familyname 氏名 名前 姓名 カナ"),
    "address": _words("address street addr 住所 番地"),
    "official": _words("ssn passport licence license iban mynumber taxid nino マイナンバー 個人番号"),
    "network": _words("ip ipaddress mac macaddress imei deviceid"),
}


def name_tokens(name: str) -> list[str]:
    """The words of a name, in lower case: "UnitPrice", "unit_price" and "unit price" are two each."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    spaced = re.sub(r"(?<=[^\x00-\x7f])(?=[\x00-\x7f])|(?<=[\x00-\x7f])(?=[^\x00-\x7f])", " ", spaced)
    return [token.casefold() for token in re.split(r"[\W_]+", spaced) if token]


def identifier_by_name(name: str) -> str | None:
    """What kind of identifier a name ends in: "work e-mail" and "phone_number", not "email_opt_in"."""
    tokens = [token for token in name_tokens(name) if not token.isdigit()]
    while len(tokens) > 1 and tokens[-1] in NUMBER_WORDS:
        tokens.pop()
    endings = {"".join(tokens[start:]) for start in range(len(tokens))}
    for kind, words in IDENTIFIER.items():
        if endings & set(words):
            return kind
    return None


def user_score(name: str) -> int:
    """How much a name says a person: 3 a person's id, 2 a word for a person, 1 a bare id, 0 nothing."""
    tokens = name_tokens(name)
    joined = "".join(tokens)
    person = [t for t in tokens if t in PERSON_WORDS or t.rstrip("s") in PERSON_WORDS]
    number = [t for t in tokens if t in NUMBER_WORDS]
    if joined in _WHOLE or (person and number and len(person) + len(number) == len(tokens)):
        return 3
    if any(joined == p + n for p in PERSON_WORDS for n in NUMBER_WORDS):
        return 3
    if person and len(person) == len(tokens):
        return 2
    return 1 if tokens in (["id"], ["identifier"], ["key"]) else 0
