"""The words that names of columns are made of: what they say of a person, an identifier or an event."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from duckrisk.roles import identifier_words, languages


def _words(text: str) -> list[str]:
    return text.split()


words_of = _words


PERSON_WORDS = _words(
    "customer client user member patient person subject employee student passenger "
    "subscriber visitor guest citizen resident player holder buyer shopper rider driver "
    "consumer respondent participant cust usr pat reviewer author contributor editor voter "
    "donor borrower applicant insured policyholder beneficiary bene claimant tenant athlete "
    "pupil learner individual worker contact candidate viewer listener reader rater "
    "annotator host owner traveler traveller caller sender actor cardholder pax emp staff mem kunde "
    "kunden kokyaku kaiin riyosha kanja shain gakusei 顧客 会員 利用者 ユーザ ユーザー 患者 "
    "社員 従業員 職員 学生 生徒 児童 個人 仮名 加入者 お客様 お客さま 学籍"
)
PERSON_WORDS_SET = frozenset(PERSON_WORDS)
#: They serve the persons that a table is about: they are one only where nobody else is.
_STAFF = frozenset(
    _words("employee emp staff worker driver contact editor host owner 社員 従業員 職員 shain")
)
#: Persons of whom a table is seldom about; their names are names.
_SERVING = _words(
    "doctor physician provider seller agent operator cashier instructor teacher manager "
    "officer clerk host owner profile recipient guardian spouse mother father parent "
    "emergency contact sales rep judge nominee guarantor cosigner coborrower coapplicant cotenant "
    "carer caregiver husband wife child son daughter sibling brother sister relative kin supervisor "
    "attorney lawyer nurse surgeon therapist counselor counsellor trustee executor witness victim "
    "debtor creditor plaintiff defendant inmate approver requester signatory 保証人 代理人 相続人 "
    "担任 講師 医師 担当者 責任者 保護者 世帯主 代表者 "
    "所有者"
)
#: Words for somebody who does or undergoes something, but those that are seldom the person of a table.
_DOER = re.compile(r"[\u3400-\u9fff]{1,4}者")
_NO_DOER = frozenset(
    _words("業者 担当者 対応者 責任者 管理者 配偶者 製造者 第三者 記者 医療従事者 保護者 所有者")
)
NUMBER_WORDS = _words(
    "id ids no nr nbr num number code key uid uuid guid identifier pseudonym ref 番号 コード"
)
#: What somebody is called by in a system.
_HANDLES = frozenset(_words("login handle alias token hash pseudonym"))
#: Written before what is counted: "num users", "number of guests".
_COUNTING = frozenset(_words("n no nr nbr num number count cnt total sum avg mean max min is has flag"))
#: They do not change whose number a number is.
_SILENT = frozenset(
    _words(
        "unique anon anonymous anonymized anonymised hashed hash encrypted pseudo full master "
        "global internal new current main primary original orig text str the of"
    )
)
_WHOLE = _words(
    "uid userid customerid custid patientid memberid clientid personid pid cid mid 顧客id "
    "会員id pseudonym 仮id 診察券番号"
)
_BARE = (["id"], ["identifier"], ["key"], ["seqn"], ["uuid"], ["guid"], ["pk"], ["番号"])
IDENTIFIER = {
    "email": _words("email e-mail mail emailaddress mailaddress メール メールアドレス"),
    "telephone": _words(
        "phone telephone tel mobile fax cellphone msisdn phonenumber mobilephone denwa 電話 "
        "電話番号 携帯 携帯電話 携帯番号 ファックス"
    ),
    "person": _words(
        "firstname lastname fullname surname forename givenname familyname middlename maiden maidenname "
        "shimei 氏名 名前 姓名 カナ フリガナ ふりがな 芳名 姓 氏"
    ),
    "address": _words("address street addr streetaddress jusho juusho 住所 番地 現住所"),
    "official": _words(
        "ssn passport licence license iban mynumber taxid nino socialsecuritynumber "
        "socialsecurity nationalid passportno driverslicense driverlicense aadhaar cpf nhsnumber "
        "マイナンバー 個人番号 旅券番号 免許証番号 運転免許証番号 被保険者番号 保険証番号 "
        "年金番号 基礎年金番号 住民票コード"
    ),
    "medical": _words("mrn medicalrecord medicalrecordnumber カルテ番号 診察券番号"),
    "account": _words(
        "bankaccount bankacct accountnumber accountno acctno creditcard cardnumber cardno ccnum "
        "ccnumber ccno iban 口座番号 カード番号 証券番号"
    ),
    "login": _words(
        "username login loginid loginname screenname handle nickname ログインid ユーザー名 "
        "ユーザ名 ハンドルネーム ニックネーム"
    ),
    "network": _words(
        "ip ipaddress ipaddr mac macaddress macaddr imei imsi deviceid udid idfa gaid advertisingid cookieid"
    ),
    "vehicle": _words("vin licenseplate licenceplate numberplate plateno plate 車両番号 登録番号標"),
}
#: These kinds of identifiers lead to somebody, also where the column says who is behind a record.
LEADING = frozenset(IDENTIFIER)
#: Identifiers that may stand for the person where nothing else does, the nearest to a person first.
STANDS_FOR = ("official", "medical", "account", "telephone", "email", "login", "network")
_ACCOUNT_WORDS = _words(
    "account acct card policy loan contract device cookie 口座 カード 契約 端末 carte carta tarjeta cartao "
    "karte kort kaart tessera konto compte cuenta conto conta vertrag contrat contrato contratto poliza "
    "polizza apolice medallion 카드 계좌 계약 卡 账户 账号 帳戶"
)
_NAME_WORDS = ("name", "nm", "namae", "名", "名前", "氏名")
_EVENT_WORDS = _words(
    "order invoice receipt transaction trans txn tran trip ride session visit encounter "
    "admission hadm stay booking reservation appointment ticket case claim review message "
    "msg call match purchase payment accession application request incident complaint event "
    "basket cart bill slip shipment parcel tracking donation sale sales checkout journey "
    "episode icustay submission response log batch voucher chumon denpyo uketsuke yoyaku "
    "torihiki 伝票 受付 注文 取引 予約 領収書 レシート 問合せ 問い合わせ 申込 申請 申請書 "
    "受注 請求 請求書 請求書 会計 整理 管理 処方箋 来院 診察"
)
_EVENT_ALONE = frozenset(_words("invoice receipt ticket transaction session order booking orderid"))
_HOUSEHOLD_WORDS = frozenset(_words("household hh hhold hid family dwelling cluster 世帯 家族"))
_HOUSEHOLD_WHOLE = frozenset(_words("hhid hid hhno hhnum householdid familyid famid idhh serial serialno"))
_WEIGHT = re.compile(
    r"(.*(survey|sampling|sample|design|final|person|household|post|grossing)_*(weight|wt|wgt)s?)"
    r"|[pf]n?l?w(ei)?ghts?|fnlwgt|[ph]?wgtp|(perwt|hhwt|finalwt|pwt|swgt|wtssall|wtss|llcpwt|wtint2yr|wtmec2yr)"
    r"|.*(ウェイト|ウエイト|乗率|拡大係数)",
)
_BARE_WEIGHTS = (["weight"], ["weights"], ["wt"], ["wgt"])
_SAMPLE_WORDS = frozenset(_words("stratum strata psu ssu cluster primaryunit"))
#: What programs call the numbers of rows that nobody named: pandas, R, and this one for an empty name.
_ROW = re.compile(
    r"__index_level_\d+__|level_\d+|index|unnamed: 0(\.\d+)*|column 1|\.\.\.1"
    r"|row[ _.]?(names?|numbers?|nr|no|id|idx|index)",
    re.IGNORECASE,
)
_BODY_WORDS = frozenset(_words("height bmi waist 身長"))
_TRAITS = frozenset(
    _words(
        "age sex gender dob birth birthdate birthday dateofbirth race ethnicity marital "
        "maritalstatus nationality religion occupation diagnosis salary hiredate seinengappi "
        "nenrei seibetsu 年齢 性別 生年月日 年代 国籍 続柄 入会日 入社日 入社年月日 住所 "
        "電話番号"
    )
)
_PROSE = frozenset(
    _words(
        "remark remarks comment comments note notes description desc text review message body "
        "narrative feedback memo bio reason summary content complaint abstract statement history "
        "bikou 備考 自由記述 自由回答 内容 コメント メモ 所見 感想 意見 理由 動機 pr 摘要 "
        "特記事項 相談 回答 主訴 経過"
    )
)
_MEASURES = frozenset(
    _words(
        "age amount amt price cost count cnt qty quantity total sum avg mean std rate ratio pct "
        "percent score weight height income salary expenditure spend spending balance fee fare "
        "tax duration distance length size area volume value revenue sales charge charges lat "
        "latitude lon lng longitude x y z year month day hour date time dt ts timestamp temp "
        "temperature bmi kingaku 年齢 金額 価格 単価 数量 身長 体重 年収 収入 支出 点数 得点 "
        "残高 年 月 日 日付 日時 時刻 緯度 経度 料 率 額"
    )
)


_TECHNICAL = frozenset(
    _words(
        "bytes packets latency jitter rssi snr voltage volt volts watt watts kwh ampere amperes current_a "
        "humidity sensor signal battery uptime checksum firmware throughput 電圧 電流 湿度 電力 信号強度"
    )
)


@cache
def name_tokens(name: str) -> list[str]:
    """The words of a name, in lower case: "UnitPrice", "unit_price" and "unit price" are two each."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    spaced = re.sub(r"(?<=[^\x00-\u024f])(?=[\x00-\u024f])|(?<=[\x00-\u024f])(?=[^\x00-\u024f])", " ", spaced)
    return [token.casefold() for token in re.split(r"[\W_]+", spaced) if token]


def plain_tokens(name: str) -> list[str]:
    """Return the words of a name without the numbers in them: "addressLine1" ends in "line"."""
    tokens = [token.rstrip("0123456789") or token for token in name_tokens(name)]
    return [token for token in tokens if not token.isdigit()]


def _endings(tokens: list[str]) -> list[str]:
    """What a name ends in, the longest first; Japanese does not part its words."""
    endings = ["".join(tokens[start:]) for start in range(len(tokens))]
    last = tokens[-1] if tokens and not tokens[-1].isascii() else ""
    return [*endings, *(last[start:] for start in range(1, len(last)))]


@cache
def identifier_by_name(name: str) -> str | None:
    """What kind of identifier a name ends in: "work e-mail" and "phone_number", not "email_opt_in". A bare
    "name" is ``name``: what it names, the table has to say."""
    tokens = plain_tokens(name)
    if not tokens or (len(tokens) > 1 and tokens[0] in _COUNTING and not _numbers_one(tokens)):
        return None
    if tokens[-1] in ("line", "hash", "hashed", "encrypted", "masked", "clean") and len(tokens) > 1:
        tokens = tokens[:-1]
    forms = [tokens]
    while len(forms[-1]) > 1 and forms[-1][-1] in NUMBER_WORDS:
        forms.append(forms[-1][:-1])
    for form in forms:
        for ending in _endings(form):
            for kind, words in IDENTIFIER.items():
                if ending in words and not (len(ending) == 1 and ending != "".join(tokens)):
                    return kind
    if (said := _identifier_of_person(tokens)) is not None:
        return said
    if tokens == ["名"]:
        return "person"
    if _names_somebody(tokens):
        return "person"
    return "name" if tokens in (["name"], ["names"], ["namae"]) else None


def _identifier_of_person(tokens: list[str]) -> str | None:
    """Return the kind of identifier that a name says, with words for a person and a number."""
    kinds, plain = identifier_words.KIND_OF, [languages.plain(token) for token in tokens]
    if (whole := kinds.get("".join(plain))) is not None:
        return whole
    of_person = [t for t in plain if t not in _LINKS and t not in _SILENT and not _is_person(t)]
    rest = [t for t in of_person if t in kinds or not (_is_number(t) or t in _COUNTING)]
    said = {kinds.get("".join(rest)) or kinds.get(_core("".join(rest)))} if rest else set()
    if said == {None}:
        said = {kinds.get(_core(token)) for token in rest}
    return said.pop() if len(said) == 1 else None


#: Words for a number that end a longer one.
_GLUED = ("nummern", "nummer", "numero", "nr", "no")


def _core(token: str) -> str:
    """Return a word without words for a person before it and for a number after it."""
    if token in identifier_words.KIND_OF:
        return token
    if token.isascii():
        end = next((end for end in _GLUED if token.endswith(end) and len(token) > len(end) + 2), "")
        return token.removesuffix(end)
    ends = [end for end in languages.NUMBERS if token.endswith(end) and end != token]
    token = token.removesuffix(max(ends, key=len, default=""))
    start = next((i for i in range(len(token) - 1, 0, -1) if _is_person(token[:i])), 0)
    return token[start:]


def _names_somebody(tokens: list[str]) -> bool:
    """Whether a name is that of a person's name: "customer name" and "生徒名", not "product name"."""
    last = tokens[-1]
    if last in _NAME_WORDS and len(tokens) > 1:
        return any(_is_person(token) or token in _SERVING for token in tokens[:-1])
    for word in _NAME_WORDS[2:]:
        if not last.isascii() and last.endswith(word) and len(last) > len(word):
            return _is_person(last[: -len(word)]) or last[: -len(word)] in _SERVING
    return False


def is_of_staff(name: str) -> bool:
    """Whether a name is that of the name of somebody who serves the persons of a table."""
    tokens = plain_tokens(name)
    return any(token in _SERVING or token in _STAFF for token in tokens)


def is_of_people(token: str) -> bool:
    """Return whether a word is one for a person, or for somebody who serves others."""
    return _is_person(token) or token in _SERVING or token in _STAFF


def _is_person(token: str) -> bool:
    """Whether a word is one for a person."""
    plain = languages.plain(token)
    if PERSON_WORDS_SET & {token, plain, plain.rstrip("s")} or languages.is_person(plain):
        return True
    return _DOER.fullmatch(token) is not None and token not in _NO_DOER


def is_person(token: str) -> bool:
    """Return whether a word is one for a person, or for somebody who serves persons."""
    return _is_person(token) or token in _SERVING


def _parted(token: str) -> list[str]:
    """A word without the number that it ends in, and that: "会員番号" and "Kundennummer" are two."""
    if len(parts := languages.parted(languages.plain(token))) > 1:
        return parts
    for ending in ("識別コード", "識別番号", "識別子", "番号", "コード", "名"):
        if not token.isascii() and token.endswith(ending) and len(token) > len(ending):
            return [token[: -len(ending)], ending]
    return [token]


#: A word for a person or an event and one for a number, written as one word.
_PERSON_NUMBERS = frozenset(person + number for person in PERSON_WORDS for number in NUMBER_WORDS)
_EVENT_NUMBERS = frozenset(event + number for event in _EVENT_WORDS for number in NUMBER_WORDS)


@cache
def user_score(name: str) -> int:
    """How much a name says a person: 3 a person's id, 2 a word for a person, 1 a bare id, 0 nothing."""
    tokens = [part for token in name_tokens(name) for part in _parted(token)]
    joined = "".join(tokens)
    if tokens in (*_BARE, ["subject"]):
        return 1  # a subject of a trial, a school or a letter
    if joined in _WHOLE or languages.plain(joined) in languages.WHOLE or _SHORT_PERSON.fullmatch(joined):
        return 3
    tokens = _without_links(tokens)
    if (
        len(tokens) == 2
        and len(tokens[0]) == 1
        and tokens[0].isascii()
        and tokens[1] in ("pid", "pidp", "idno")
    ):
        return 3
    if tokens and tokens[-1] in ("text", "str"):
        tokens = tokens[:-1]
    person = [t for t in tokens if _is_person(t)]
    number = [t for t in tokens if _is_number(t) or t in _HANDLES]
    silent = [t for t in tokens if t in _SILENT and t not in number]
    if person and len(tokens) > 1 and tokens[0] in _COUNTING:
        if not _numbers_one(tokens):
            return 0  # "num users" counts them
        number = number if tokens[0] in number else [tokens[0], *number]
    if person and number and len(person) + len(number) + len(silent) == len(tokens):
        return 3
    if joined in _PERSON_NUMBERS:
        return 3
    if number and person and tokens[0] in _EVENT_WORDS:
        tokens = tokens[1:]  # whose person it is: "order customer id"
    if not number and tokens[-1:] and tokens[-1] in _COUNTED:
        return 0
    return 2 if person and len(person) + len(number) == len(tokens) else 0


#: Short words for a person and a number in one, as surveys and old systems have them.
_SHORT_PERSON = re.compile(
    r"(cnt|id)?(stu|stud|pat|pers|resp|subj|cust|memb)(id|no|nr|num|nbr)|id(stud|stu|pat|pers|subj|resp|cust)"
)
#: Bare words that mean how many there are, or of whom, more often than a person.
_COUNTED = frozenset(_words("pax mem emp staff contact host owner person persons personen personas people"))
#: They join the words of a name: "numéro de client".
_LINKS = frozenset(_words("de del du des da do della van of le la el"))


def _numbers_one(tokens: list[str]) -> bool:
    """Whether a first word that can count says a number of one: "num cliente", and not "num users"."""
    return tokens[0] in ("no", "nr") or (tokens[0] in ("num", "n", "nbr") and not tokens[-1].endswith("s"))


def _without_links(tokens: list[str]) -> list[str]:
    """The words of a name without those that join others."""
    return [token for token in tokens if token not in _LINKS] or tokens


def _is_number(token: str) -> bool:
    """Whether a word says a number that somebody was given."""
    return token in NUMBER_WORDS or languages.plain(token) in languages.NUMBERS


@cache
def is_other(name: str) -> bool:
    """Whether a name says a thing, a place, a group, a time or a count, and no person."""
    return user_score(name) < 2 and languages.is_other(name_tokens(name))


#: What numbers the persons of a household or a class is called.
_MEMBERS = frozenset(
    _words(
        "line lineno pno pernum pernr memberno hhmember memnum indid ordre rang 世帯員番号 出席番号 番号 枝番"
    )
)


def is_member(name: str) -> bool:
    """Whether a name says a number within a household or a class."""
    tokens = name_tokens(name)
    return any(token in _MEMBERS for token in tokens) or "".join(tokens).endswith(
        ("lineno", "pno", "memberno")
    )


@cache
def is_trait(name: str) -> bool:
    """Whether a name says what never changes for a person, as sex and birth."""
    return languages.is_trait(name_tokens(name))


#: Names of ages in years, accents left out.
_AGES = frozenset(
    _words(
        "age agea ageyrs alter edad idade eta leeftijd alder agep ridageyr 年齢 年龄 나이 만나이 연령 nenrei"
    )
)


def is_age(name: str) -> bool:
    """Whether a name says an age."""
    tokens = [languages.plain(token) for token in name_tokens(name)]
    return bool(_AGES & {*tokens, "".join(tokens)})


def counts_persons(name: str) -> bool:
    """Whether a name is a word for several persons: a number of them, where it is a number."""
    tokens = name_tokens(name)
    return bool(tokens) and tokens[-1].endswith("s") and tokens[-1] not in PERSON_WORDS


def is_staff(name: str) -> bool:
    """Whether somebody is named who serves others, if there are any in the table."""
    return any(part in _STAFF for token in name_tokens(name) for part in _parted(token))


#: Short words that end in the letters of "id".
_NO_NUMBERS = frozenset(
    _words("said paid valid solid grid rapid covid void avoid fluid acid bid raid aid lipid")
)
#: How words for numbers end that are written as one.
_NUMBERING = ("nummer", "numero", "编号", "编码", "번호", "番号", "コード", "코드")


def is_numbering(name: str) -> bool:
    """Whether a name ends in a word for a number that somebody was given."""
    tokens = name_tokens(name)
    if not tokens:
        return False
    last = tokens[-1].rstrip("s") if tokens[-1].isascii() else _parted(tokens[-1])[-1]
    if "id" in tokens or languages.plain(last).endswith(_NUMBERING):
        return True
    short = last.endswith("id") and len(last) <= 5 and last not in _NO_NUMBERS
    return last in NUMBER_WORDS or short or is_row(name)


def is_account(name: str) -> bool:
    """Whether a name says the number of an account, a card, a contract or a device."""
    tokens = [part for token in plain_tokens(name) for part in _parted(token)]
    tokens = [languages.plain(token) for token in _without_links(tokens)]
    if "".join(tokens) in ("medallion", "卡号", "卡號", "账号", "카드번호", "계좌번호"):
        return True
    named = [t for t in tokens if t in _ACCOUNT_WORDS]
    return bool(named) and len(named) < len(tokens) and all(t in named or _is_number(t) for t in tokens)


def key_by_name(name: str) -> str | None:
    """What a number belongs to that its name says: an event, a household, or a survey's weights."""
    tokens = [part for token in name_tokens(name) for part in _parted(token)]
    joined = "".join(tokens)
    if _WEIGHT.fullmatch("_".join(tokens)) or _WEIGHT.fullmatch(joined):
        return "weight"
    number = [t for t in tokens if t in NUMBER_WORDS]
    if joined in _HOUSEHOLD_WHOLE or (number and tokens[0] in _HOUSEHOLD_WORDS):
        return "household"
    event = [t for t in tokens if t in _EVENT_WORDS or _core(languages.plain(t)) in identifier_words.EVENTS]
    if event and (_is_number(tokens[-1]) or _is_number(tokens[0])) and len(event) < len(tokens):
        return "event"
    if len(tokens) == 1 and event and event[0] not in _EVENT_WORDS and _core(event[0]) != event[0]:
        return "event"
    if joined in _EVENT_NUMBERS or joined in _EVENT_ALONE:
        return "event"
    return None


def is_bare_weight(name: str) -> bool:
    """Whether a name says a weight and not of what."""
    return name_tokens(name) in _BARE_WEIGHTS


def is_sample(names: Iterable[str]) -> bool:
    """Whether columns of these names say how a survey was drawn: households, strata, clusters."""
    return any(key_by_name(name) == "household" or _SAMPLE_WORDS & set(name_tokens(name)) for name in names)


def is_row(name: str) -> bool:
    """Whether a name is what programs call the number of a row."""
    return _ROW.fullmatch(name) is not None


#: Names that say nothing of what a column holds, as a file without a header line has them.
_NAMELESS = re.compile(r"(column|col|_?c|field|f|var|v|x|unnamed)?[\W_]*\d+", re.IGNORECASE)


def is_nameless(name: str) -> bool:
    """Whether a name says nothing of what a column holds."""
    return _NAMELESS.fullmatch(name) is not None


def is_body(names: Iterable[str]) -> bool:
    """Whether columns of these names measure bodies: a weight among them is no survey's."""
    return any(_BODY_WORDS & set(name_tokens(name)) for name in names)


def tells_persons(names: Iterable[str]) -> bool:
    """Whether columns of these names describe persons."""
    return any(_TRAITS & {*name_tokens(name), "".join(name_tokens(name))} for name in names)


def is_prose(name: str) -> bool:
    """Whether a name says that somebody wrote texts there."""
    tokens = name_tokens(name)
    return any(token in _PROSE for token in tokens) or any(
        not token.isascii() and token.endswith(word)
        for token in tokens
        for word in _PROSE
        if not word.isascii()
    )


def is_technical(name: str) -> bool:
    """Whether a name says what a device or a survey measures, and nothing of a person."""
    tokens = name_tokens(name)
    return any(token in _TECHNICAL for token in tokens)


def is_measure(name: str) -> bool:
    """Whether a name says an amount, a measurement or a time."""
    tokens = name_tokens(name)
    ending = tokens[-1] if tokens else ""
    japanese = not ending.isascii() and any(ending.endswith(w) for w in _MEASURES if not w.isascii())
    return japanese or any(token in _MEASURES for token in tokens)
