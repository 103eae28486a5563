"""Words that show what a row of a table stands for: counts, sums, persons or things."""

from __future__ import annotations

import re
from collections.abc import Iterable

from duckrisk.roles import languages, words
from duckrisk.roles.word_lists import word_set

#: Words for counts, and for people in the plural.
_COUNTED = word_set(
    "n count counts cnt freq frequency headcount population pop persons people individuals "
    "patients cases deaths births inhabitants residents citizens employees workers staff students "
    "pupils participants respondents members customers clients users visitors guests passengers "
    "admissions discharges voters households children women men anzahl häufigkeit fallzahl "
    "fallzahlen fälle personen patienten einwohner kunden beschäftigte schüler effectif effectifs "
    "nombre cas décès habitants personnes élèves naissances casos personas pacientes habitantes "
    "defunciones frecuencia recuento conteo nacimientos casi persone abitanti decessi pessoas "
    "óbitos antal aantal liczba počet lukumäärä inwoners "
    "人数 人口 件数 度数 総数 例数 人數 总数 病例数 患者数 인원 인구 명수"
)
#: Endings of Japanese and Chinese names of counts of people.
_COUNTED_ENDINGS = (
    "人数",
    "者数",
    "件数",
    "員数",
    "生数",
    "人口",
    "度数",
    "名数",
    "客数",
    "世帯数",
    "例数",
    "児数",
    "人數",
)
#: Words that may accompany a word for a count.
_AROUND = word_set(
    "num number nr of no total tot sum all the count cnt n size new anzahl zahl der von nombre de "
    "des du numero número el los antal aantal weighted unweighted"
)
#: Pattern of values that name a sum over their column, in lower case.
TOTALS = (
    "(grand |sub|sub-|sub |overall )?totals?( general| général)?|total[ :(-].*|sum|sums"
    "|all|overall|both|both sexes"
    "|all (ages|sexes|groups|persons|people|patients|regions|categories)"
    "|insgesamt|gesamt|gesamtsumme|summe|zusammen|ensemble|somme|totale|totaal|suma|razem|ogółem"
    "|totalt|i alt|yhteensä"
    "|toplam|всего|итого|合計|総計|小計|総数|全体|全数|男女計|計|年齢計|計 *[（(].*"
    "|总计|合计|小计|总数|總計|합계|총계|소계|전체"
)
#: Pattern of texts that replace a hidden count, in lower case.
MARKS = (
    "|[*x.…‥・-]+|[–—―].*|[<≤>≥＜≦].*|n/?a|nan|null|none|\\?|s|c|d|z|supp(ressed)?\\.?"
    "|hidden|confidential|geheim|secret|秘匿|非公表"
)
#: Words that describe persons, or what happens to them, besides those of word_lists.py.
_DESCRIBES = word_set(
    "age ages alter edad idade âge età leeftijd ageband agegroup agecat sex sexe sexo sesso "
    "geschlecht geslacht gender male female birth born geburtsdatum geburtsjahr naissance "
    "nacimiento nascita dob yob birthyear death died dead survived survival alive mortality "
    "suicide race ethnic ethnicity ethnie hispanic nationality native foreign citizenship "
    "religion language marital married marriage divorced single spouse family household child "
    "children kids parents mother father mom dad education educ edu school schooling college "
    "degree grade gpa exam score scores test grades job occupation occ profession beruf employed "
    "employment unemployed union hired hire hiring income salary wage wages earnings pay gehalt "
    "lohn einkommen salaire sueldo ingresos health healthy disease diseases illness diagnosis "
    "diag icd drug drugs dose treatment treat therapy symptom symptoms surgery hospital ward "
    "clinic blood bp bmi cholesterol glucose insulin diabetes cancer tumor tumour smoke smoker "
    "smoking alcohol drinking pregnant pregnancy pulse heart height waist disability disabled "
    "vaccine vaccinated infection covid hiv zip zipcode postal postcode plz 郵便番号 address home "
    "residence lives living crime arrest arrested prison sentence recid recidivism charge vote "
    "voted voter party opinion attitude trust satisfaction happiness answer question response "
    "survey interview subject respondent participant insured insurance claim loan credit debt "
    "tenure cohort immigrant refugee person personal people forename surname email phone login "
    "年齢 年代 性別 男女 生年 生年月日 誕生日 国籍 人種 宗教 学歴 職業 職種 年収 収入 給与 婚姻 "
    "配偶者 世帯 家族 子供 病名 疾患 診断 症状 入院 退院 手術 検査 身長 体重 血圧 喫煙 飲酒 妊娠 "
    "住所 居住 学年 成績 得点 点数 回答 満足度 죽음 나이 연령 성별 생년월일 직업 소득 年龄 性别 "
    "出生 职业 收入 学历 民族 诊断"
)
#: The same in more languages, without accents.
_DESCRIBES_ELSEWHERE = word_set(
    "codperso hogar vivienda menage foyer haushalt hushall huishouden famiglia familia famille "
    "familie lavoro trabajo travail arbeit arbeid diagnostico diagnosi diagnostic krankheit "
    "enfermedad malattia maladie muerto muertos morti morto mort deces fallecido ferito feriti "
    "herido heridos blesse blesses verletzte tote getotete gewonde doden dodade skadade estudios "
    "studi etudes escolaridad escolaridade istruzione utbildning opleiding bildung ausbildung "
    "gehalt salario sueldo stipendio lon inkomst inkomen reddito renda ingreso ingresos revenu "
    "profesion ocupacion ocupacao professione yrke beroep onset decedent victima vittima victime "
    "opfer slachtoffer stato_civile familienstand civilstand"
)
#: Words that begin with a person: "patientsex", "respondentage".
_JOINED = re.compile(
    r"(patient|respondent|customer|client|subject|person|employee|student|member|driver|victim)[a-z]{2,12}"
)
#: Names of the items of a questionnaire: letters, digits and an underscore.
_ITEM = re.compile(r"[a-z]{1,3}[0-9]+[a-z0-9]*(_[a-z0-9]+)?", re.IGNORECASE)
#: Amounts that are given of a group as well as of a person.
_OF_GROUPS = word_set("wage wages salary income pay earnings employment gehalt lohn 年収 収入 給与")
#: Words for persons who are counted in groups; the number of children describes a person instead.
_IN_GROUPS = word_set(
    "emp emps employee employees staff worker workers person persons people population pop "
    "student students pupils patients members residents inhabitants voters passengers pax "
    "customers users visitors guests"
)
#: Words for what happens to persons.
_EVENTS = word_set(
    "order invoice receipt transaction trans purchase sale basket cart checkout payment booking "
    "reservation appointment ticket visit encounter admission admit admitted discharge discharged "
    "stay episode prescription referral trip ride journey session login click message call caller "
    "callee donation subscription application complaint rating review rented borrowed 注文 購入 "
    "購買 取引 予約 来院 受診 入店 利用 乗車 会計 通話 申込 貸出 登録"
)


def is_count(name: str) -> bool:
    """Return whether a name means a count, of people or of anything."""
    tokens = words.name_tokens(name)
    if any(not token.isascii() and token.endswith(_COUNTED_ENDINGS) for token in tokens[-1:]):
        return True
    counted = [token for token in tokens if token in _COUNTED]
    return bool(counted) and all(token in _COUNTED or token in _AROUND for token in tokens)


def is_group_count(name: str) -> bool:
    """Return whether a name counts the persons of a group: "tot_emp"."""
    tokens = words.name_tokens(name)
    counted = any(token in _IN_GROUPS for token in tokens)
    return counted and (tokens[0] in _AROUND or tokens[-1] in _AROUND or is_count(name))


def find_personal(names: Iterable[str]) -> list[str]:
    """Select the names that describe persons.

    In a table with counts of groups, a salary may be that of a group and does not count.
    """
    listed = list(names)
    has_groups = any(map(is_group_count, listed))
    return [
        name
        for name in listed
        if is_personal(name)
        and not is_group_count(name)
        and not (has_groups and _OF_GROUPS & set(words.name_tokens(name)))
    ]


def is_personal(name: str) -> bool:
    """Return whether a name describes persons, or what happens to them."""
    tokens = words.name_tokens(name)
    forms = {*tokens, "".join(tokens), *(token.rstrip("0123456789s") for token in tokens)}
    if forms & (_DESCRIBES | _EVENTS) or words.user_score(name) > 1 or words.has_person_traits([name]):
        return True
    if words.is_trait(name) or words.is_age(name) or any(map(_is_personal_word, tokens)):
        return True
    if words.classify_key(name) == "household" or words.classify_identifier(name) not in (None, "name"):
        return True
    unspaced_words = (_DESCRIBES | _EVENTS) - {word for word in _DESCRIBES | _EVENTS if word.isascii()}
    return any(word in token for token in tokens if not token.isascii() for word in unspaced_words) or any(
        words.is_person(token) for token in tokens
    )


def _is_personal_word(token: str) -> bool:
    """Return whether a word begins with a person or describes one, in any language."""
    word = languages.normalize(token)
    return word in _DESCRIBES_ELSEWHERE or _JOINED.fullmatch(word) is not None


def is_uninformative(names: Iterable[str]) -> bool:
    """Return whether half of the names or more have no meaning."""
    listed = list(names)
    short = (name for name in listed if len("".join(re.findall(r"\w", name))) <= 2)
    blank = {*filter(words.is_nameless, listed), *filter(_ITEM.fullmatch, listed), *short}
    return 2 * len(blank) >= len(listed)
