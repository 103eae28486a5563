"""Words in English and Japanese of column names, by what they mean; languages.py has other languages."""

from __future__ import annotations

import re


def word_set(text: str) -> frozenset[str]:
    """Split a text at blanks into a set of words."""
    return frozenset(text.split())


#: Words for the person that a table is about.
PERSON_WORDS = word_set(
    "customer client user member patient person subject employee student passenger "
    "subscriber visitor guest citizen resident player holder buyer shopper rider driver "
    "consumer respondent participant cust usr pat reviewer author contributor editor voter "
    "donor borrower applicant insured policyholder beneficiary bene claimant tenant athlete "
    "pupil learner individual worker contact candidate viewer listener reader rater "
    "annotator host owner traveler traveller caller sender actor cardholder pax emp staff mem kunde "
    "kunden kokyaku kaiin riyosha kanja shain gakusei 顧客 会員 利用者 ユーザ ユーザー 患者 "
    "社員 従業員 職員 学生 生徒 児童 個人 仮名 加入者 お客様 お客さま 学籍"
)
#: Words for people who serve the persons of a table; they are its persons only if no other word names one.
STAFF = word_set("employee emp staff worker driver contact editor host owner 社員 従業員 職員 shain")
#: Words for people who are seldom the persons of a table; their names identify all the same.
SERVING = word_set(
    "doctor physician provider seller agent operator cashier instructor teacher manager "
    "officer clerk host owner profile recipient guardian spouse mother father parent "
    "emergency contact sales rep judge nominee guarantor cosigner coborrower coapplicant cotenant "
    "carer caregiver husband wife child son daughter sibling brother sister relative kin supervisor "
    "attorney lawyer nurse surgeon therapist counselor counsellor trustee executor witness victim "
    "debtor creditor plaintiff defendant inmate approver requester signatory 保証人 代理人 相続人 "
    "担任 講師 医師 担当者 責任者 保護者 世帯主 代表者 "
    "所有者"
)
#: Japanese words for a person who does or undergoes something, and those that are seldom a table's person.
AGENT = re.compile(r"[\u3400-\u9fff]{1,4}者")
NO_AGENT = word_set("業者 担当者 対応者 責任者 管理者 配偶者 製造者 第三者 記者 医療従事者 保護者 所有者")
#: Words for an assigned number or code.
NUMBER_WORDS = word_set(
    "id ids no nr nbr num number code key uid uuid guid identifier pseudonym ref 番号 コード"
)
#: Words for the name of an account in a system.
HANDLES = word_set("login handle alias token hash pseudonym")
#: Words before what is counted: "num users", "number of guests".
COUNTING = word_set("n no nr nbr num number count cnt total sum avg mean max min is has flag")
#: Words that do not change whose number a name means.
QUALIFIERS = word_set(
    "unique anon anonymous anonymized anonymised hashed hash encrypted pseudo full master "
    "global internal new current main primary original orig text str the of"
)
#: Whole names of a person's number.
PERSON_IDS = word_set(
    "uid userid customerid custid patientid memberid clientid personid pid cid mid 顧客id "
    "会員id pseudonym 仮id 診察券番号"
)
#: Whole names of a number that do not say what it numbers.
BARE_IDS = (["id"], ["identifier"], ["key"], ["seqn"], ["uuid"], ["guid"], ["pk"], ["番号"])
#: Endings of names of identifiers, by kind.
IDENTIFIER_WORDS = {
    "email": word_set("email e-mail mail emailaddress mailaddress メール メールアドレス"),
    "telephone": word_set(
        "phone telephone tel mobile fax cellphone msisdn phonenumber mobilephone denwa 電話 "
        "電話番号 携帯 携帯電話 携帯番号 ファックス"
    ),
    "person": word_set(
        "firstname lastname fullname surname forename givenname familyname middlename maiden maidenname "
        "shimei 氏名 名前 姓名 カナ フリガナ ふりがな 芳名 姓 氏"
    ),
    "address": word_set("address street addr streetaddress jusho juusho 住所 番地 現住所"),
    "official": word_set(
        "ssn passport licence license iban mynumber taxid nino socialsecuritynumber "
        "socialsecurity nationalid passportno driverslicense driverlicense aadhaar cpf nhsnumber "
        "マイナンバー 個人番号 旅券番号 免許証番号 運転免許証番号 被保険者番号 保険証番号 "
        "年金番号 基礎年金番号 住民票コード"
    ),
    "medical": word_set("mrn medicalrecord medicalrecordnumber カルテ番号 診察券番号"),
    "account": word_set(
        "bankaccount bankacct accountnumber accountno acctno creditcard cardnumber cardno ccnum "
        "ccnumber ccno iban 口座番号 カード番号 証券番号"
    ),
    "login": word_set(
        "username login loginid loginname screenname handle nickname ログインid ユーザー名 "
        "ユーザ名 ハンドルネーム ニックネーム"
    ),
    "network": word_set(
        "ip ipaddress ipaddr mac macaddress macaddr imei imsi deviceid udid idfa gaid advertisingid cookieid"
    ),
    "vehicle": word_set("vin licenseplate licenceplate numberplate plateno plate 車両番号 登録番号標"),
}
#: Kinds of identifiers that lead to a person outside the table, also if the column is the person's key.
LEADING = frozenset(IDENTIFIER_WORDS)
#: Kinds of identifiers that can replace a missing user column, the most personal first.
STANDS_FOR = ("official", "medical", "account", "telephone", "email", "login", "network")
ACCOUNT_WORDS = word_set(
    "account acct card policy loan contract device cookie 口座 カード 契約 端末 carte carta tarjeta cartao "
    "karte kort kaart tessera konto compte cuenta conto conta vertrag contrat contrato contratto poliza "
    "polizza apolice medallion 카드 계좌 계약 卡 账户 账号 帳戶"
)
#: Words for a name; the Japanese ones also end longer words.
NAME_WORDS = ("name", "nm", "namae", "名", "名前", "氏名")
EVENT_WORDS = word_set(
    "order invoice receipt transaction trans txn tran trip ride session visit encounter "
    "admission hadm stay booking reservation appointment ticket case claim review message "
    "msg call match purchase payment accession application request incident complaint event "
    "basket cart bill slip shipment parcel tracking donation sale sales checkout journey "
    "episode icustay submission response log batch voucher chumon denpyo uketsuke yoyaku "
    "torihiki 伝票 受付 注文 取引 予約 領収書 レシート 問合せ 問い合わせ 申込 申請 申請書 "
    "受注 請求 請求書 請求書 会計 整理 管理 処方箋 来院 診察"
)
#: Events whose bare word is their number.
EVENT_ALONE = word_set("invoice receipt ticket transaction session order booking orderid")
HOUSEHOLD_WORDS = word_set("household hh hhold hid family dwelling cluster 世帯 家族")
HOUSEHOLD_WHOLE = word_set("hhid hid hhno hhnum householdid familyid famid idhh serial serialno")
WEIGHT = re.compile(
    r"(.*(survey|sampling|sample|design|final|person|household|post|grossing)_*(weight|wt|wgt)s?)"
    r"|[pf]n?l?w(ei)?ghts?|fnlwgt|[ph]?wgtp|(perwt|hhwt|finalwt|pwt|swgt|wtssall|wtss|llcpwt|wtint2yr|wtmec2yr)"
    r"|.*(ウェイト|ウエイト|乗率|拡大係数)",
)
BARE_WEIGHTS = (["weight"], ["weights"], ["wt"], ["wgt"])
SAMPLE_WORDS = word_set("stratum strata psu ssu cluster primaryunit")
#: Names that programs give to unnamed row numbers: pandas, R, and this one for an empty name.
ROW_NUMBER = re.compile(
    r"__index_level_\d+__|level_\d+|index|unnamed: 0(\.\d+)*|column 1|\.\.\.1"
    r"|row[ _.]?(names?|numbers?|nr|no|id|idx|index)",
    re.IGNORECASE,
)
BODY_WORDS = word_set("height bmi waist 身長")
TRAITS = word_set(
    "age sex gender dob birth birthdate birthday dateofbirth race ethnicity marital "
    "maritalstatus nationality religion occupation diagnosis salary hiredate seinengappi "
    "nenrei seibetsu 年齢 性別 生年月日 年代 国籍 続柄 入会日 入社日 入社年月日 住所 "
    "電話番号"
)
PROSE = word_set(
    "remark remarks comment comments note notes description desc text review message body "
    "narrative feedback memo bio reason summary content complaint abstract statement history "
    "bikou 備考 自由記述 自由回答 内容 コメント メモ 所見 感想 意見 理由 動機 pr 摘要 "
    "特記事項 相談 回答 主訴 経過"
)
MEASURES = word_set(
    "age amount amt price cost count cnt qty quantity total sum avg mean std rate ratio pct "
    "percent score weight height income salary expenditure spend spending balance fee fare "
    "tax duration distance length size area volume value revenue sales charge charges lat "
    "latitude lon lng longitude x y z year month day hour date time dt ts timestamp temp "
    "temperature bmi kingaku 年齢 金額 価格 単価 数量 身長 体重 年収 収入 支出 点数 得点 "
    "残高 年 月 日 日付 日時 時刻 緯度 経度 料 率 額"
)
TECHNICAL = word_set(
    "bytes packets latency jitter rssi snr voltage volt volts watt watts kwh ampere amperes current_a "
    "humidity sensor signal battery uptime checksum firmware throughput 電圧 電流 湿度 電力 信号強度"
)
#: Words for a number that end a longer one.
NUMBER_SUFFIXES = ("nummern", "nummer", "numero", "nr", "no")
#: Abbreviations of a person and a number in one word, in surveys and old systems.
SHORT_PERSON = re.compile(
    r"(cnt|id)?(stu|stud|pat|pers|resp|subj|cust|memb)(id|no|nr|num|nbr)|id(stud|stu|pat|pers|subj|resp|cust)"
)
#: Words for people that alone mean a count, or who counted, more often than a person's key.
AMBIGUOUS = word_set("pax mem emp staff contact host owner person persons personen personas people")
#: Prepositions and articles within a name: "numéro de client".
LINKS = word_set("de del du des da do della van of le la el")
#: Names of numbers of the persons within a household or a class.
MEMBERS = word_set(
    "line lineno pno pernum pernr memberno hhmember memnum indid ordre rang 世帯員番号 出席番号 番号 枝番"
)
#: Names of ages in years, accents left out.
AGES = word_set(
    "age agea ageyrs alter edad idade eta leeftijd alder agep ridageyr 年齢 年龄 나이 만나이 연령 nenrei"
)
#: Short words that end in the letters of "id".
WORDS_IN_ID = word_set("said paid valid solid grid rapid covid void avoid fluid acid bid raid aid lipid")
#: Endings of words for a number that are joined to another word.
NUMBER_ENDINGS = ("nummer", "numero", "编号", "编码", "번호", "番号", "コード", "코드")
#: Names without meaning, such as those of a file without a header line.
NAMELESS = re.compile(r"(column|col|_?c|field|f|var|v|x|unnamed)?[\W_]*\d+", re.IGNORECASE)
