"""Words of many languages in column names: persons, numbers, traits, and what is no person."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from duckrisk.roles.word_lists import word_set

#: Words for a person, without accents: de, fr, es, it, pt, nl, sv, ko, zh.
PERSONS = word_set(
    "patienten versicherte versicherter versicherten versicherung kunden mitglied mitglieder teilnehmer "
    "teilnehmerin proband probanden schueler schuler student studenten studierende studierender "
    "mitarbeiter beschaeftigte beschaftigte person personen einwohner bewohner befragte befragter "
    "fahrgast nutzer benutzer spieler klient klienten mandant arbeitnehmer rentner halter zaehlkunde "
    "vertragspartner assure assuree adherent abonne beneficiaire individu individus personne salarie "
    "salariee eleve etudiant usager allocataire societaire repondant enquete participante joueur "
    "licencie voyageur locataire paciente pacientes cliente clientes asegurado socio afiliado persona "
    "individuo alumno estudiante empleado trabajador usuario encuestado abonado jugador contribuyente "
    "viajero paziente pazienti assicurato studente alunno dipendente lavoratore utente partecipante "
    "intervistato abbonato giocatore assistito correntista contribuente segurado pessoa aluno empregado "
    "trabalhador funcionario entrevistado beneficiario assinante jogador passageiro klant klanten "
    "verzekerde persoon deelnemer leerling medewerker werknemer gebruiker bewoner speler reiziger kund "
    "kunder forsakrad medlem deltagare elev anstalld anvandare individ spelare resenar konsument "
    "respondenten panelist panellist child childid veteran prisoner inmate householder enrollee "
    "examinee trainee resident swimmer runner golfer cyclist boxer racer jockey batter pitcher bowler "
    "batsman infant baby mother twin teacher prof instructor judge senator legislator deputy claimant "
    "physician doctor offender defendant arrestee juror taxpayer pensioner debtor borrower lender "
    "bidder streamer follower prescriber prscrbr favorecido favorecida tweeter poster commenter blogger "
    "developer committer freelancer tasker courier 환자 고객 회원 이용자 사용자 가입자 학생 직원 사원 "
    "개인 피험자 대상자 참가자 응답자 수험자 승객 선수 근로자 피보험자 病人 患者 客户 客戶 顾客 顧客 "
    "会员 會員 用户 用戶 学生 學生 学员 员工 員工 职工 参保人 居民 受访者 受訪者 个人 個人 人员 乘客 "
    "球员 参与者 参保人员 受试者 被试 样本人 病患 旅客 司机 司機 骑手 買家 买家 卖家 プレイヤー "
    "プレーヤー メンバー カスタマー ゲスト ドライバー ドライバ モニター パネル リスナー 作業員 乗務員 "
    "選手 組合員 世帯員 乗客 契約者 加入員 生徒 受験生 入居者 被保険者 会員様 患者様 利用客"
)
#: Words for an assigned number, without accents.
NUMBERS = word_set(
    "nummer nummern kennung kennzeichen schluessel ident identifikator numero num n° nº no code kode "
    "cle clave identifiant identificador identificativo codigo codice matricola matricule matricula "
    "folio lopnummer sif npi encr encrypted pseudonym hash token 번호 아이디 식별자 코드 일련번호 "
    "카드번호 卡号 卡號 識別コード 識別番号 識別子 整理番号 编号 編號 号 號 号码 代码 序号 標識 番号 "
    "コード ＩＤ"
)
_ENDS = (*(number for number in NUMBERS if number.isascii()), "id", "nr", "no", "nos", "key", "nbr")
#: Whole names of a person's number in surveys, registers, trials, leagues and logs.
PERSON_IDS = word_set(
    "usubjid subjid subjectid pidp pidno xwaveid idauniq mergeid nomemencr nomem lopnr lopnummer lnr idno "
    "idind persnr persid personnr personid persnum pnum dupersid desynpufid ptid ptno studyid eid upn "
    "hhidpn primkey caseid respid respno respondentid idcode childid motherid veteranid prisonerid profid "
    "bbrefid playerid seqn randid ncdsid rinpersoon rin personnummer bsn nie nif dni curp cpf nhs nhsno "
    "nhsnumber matricule matricola matricula expediente nhc prontuario nir numsecu nss ahv ahvnr svnr kvnr "
    "versnr personalnummer personalnr steuernr anonymousid encryptedid distinctid cardhash deviceid "
    "visitorid fullvisitorid clientid cookieid maskid npi nis pis nit msno userid uid puid guestid subid "
    "sid studentid stuid learnerid employeeid empid empno staffid emplid medicaidid medicareid beneid "
    "enrolid pseudoid pseudonymid anonid codpac codcliente codicefiscale nummat numcli numpac numadherent "
    "idclient idpatient idindiv idpers idpersona idpersonne idpaciente idcliente idusuario idalumno noind "
    "pupilid candno kundnr kundennr patnr patientnr mitgliedsnr matrnr 学号 學號 工号 工號 会员号 就诊卡号 "
    "病历号 病歷號 身份编号 社員番号 学籍番号 職員番号 被験者番号 氏名コード 個人コード 학번 사번 수험번호"
)
#: Words for a thing, a place, a group or a count, without accents.
OTHERS = word_set(
    "product products item items sku article artikel produkt produit producto prodotto produto stock upc "
    "ean isbn book books movie film song track album artist title page pages url path category categorie "
    "categoria kategorie brand marke marque marca merk genre type typ tipo kind model modele modelo "
    "modello store stores shop branch outlet filiale magasin tienda negozio loja winkel butik mall aisle "
    "city town village county state states province region district country nation municipality commune "
    "gemeinde kreis land bundesland stadt ville departement pays pais ciudad municipio provincia comune "
    "regione cidade estado gemeente provincie kommun lan ort plz zip zipcode postal postcode postnummer "
    "cap cep cp zone area tract block nuts iso iso3 fips geo borough suburb neighborhood neighbourhood "
    "street continent location place station stop route line airport origin dest destination platform port "
    "terminal carrier airline dock school schools university college hospital clinic center centre site "
    "ward dept department company firm employer organization organisation org agency team club league "
    "franchise stadium venue party constituency param paramcd paramn test testcd lbtest vstest visit "
    "visitnum lab icd icd9 icd10 atc drug medicine medication diagnosis procedure cpt drg pzn ndc term "
    "symptom disease date datum fecha data day days month months year years yr time hour hours week weeks "
    "wave round period quarter semester season annee jahr ano anno jaar ar mois monat mes mese maand manad "
    "tag jour dia giorno dag course courses subject_name module class grade room seat seats peak flight "
    "ticketclass version currency lang language species plot field plant tree animal dog cat cow litter "
    "specimen batch lot well channel lat lon latitude longitude price amount total n count counts score "
    "weight height temp temperature gain loss square grid cell cellid tile antenna tower iucr nibrs cmte "
    "committee candidate_party occ job occupation industry sector profession occup beruf metier profesion "
    "soc naics sic major tournament tourney game match race competition fixture population poblacion "
    "bevolking inwoners keyword query hashtag label topic question questionid problem skill assessment "
    "exercise text word status result outcome reason size color colour pos position rank stage level "
    "vehicle car make engine meter sensor turbine machine pump asset building property parcel apartment "
    "judge_name court statute offense offence charge verdict agegroup agegrp ageband age alter 商品 品目 "
    "品番 商品コード 店舗 店舗コード 支店 部署 部門 部署コード 学校 学校コード 病院 施設 施設コード "
    "都道府県 市区町村 地域 地区 郵便番号 駅 路線 停留所 便名 年 月 日 年度 学年 年月 日付 曜日 科目 "
    "科目コード 診療科 病名 傷病名 薬剤 薬剤コード 検査 検査項目 業種 職種 職業 分類 種別 区分 カテゴリ "
    "カテゴリー ブランド 銘柄 型番 機種 年齢 年代 市町村 市町村コード 人数 世帯数 件数 町丁目 상품 "
    "상품코드 품목 매장 점포 지점 시도 시군구 지역 우편번호 역 노선 정류장 학교 병원 과목 부서 연도 월 "
    "일자 날짜 진단 약품 商品编号 商品名称 产品 品类 门店 店铺 省份 城市 区县 邮编 站点 线路 学校名称 医院 "
    "科室 课程 部门 年份 月份 日期 诊断 药品 药品名称 品牌 行业"
)
#: Names of lasting traits of a person: sex, birth, origin; without accents.
TRAITS = word_set(
    "sex sexe sexo sesso gender genre_sexe geschlecht geslacht kon genero genere gndr sexf riagendr male "
    "female sexh gender_cd benesexidentcd ismale isfemale patsex sexcode sexocod csexo femme man woman "
    "race raceth ethnicity ethnic ethnie ethnicgroup racethx ridreth1 ridreth3 black hisp hispanic white "
    "birth birthdate birthyear birthday dob yob byear birthyr yrbrn yearofbirth dateofbirth birthmonth "
    "brthyr yearborn born doby dobyy dobm rabyear ydob benebirthdt geburtsjahr geburtsdatum geburtstag "
    "gebjahr gebdatum naissance datenaissance anneenaissance anais ddn nacimiento fechanacimiento "
    "anonacimiento fechanac nascita datanascita annonascita nascimento datanascimento anonascimento "
    "geboortejaar geboortedatum gebjaar fodelsear fodelsedatum fodd brthdtc brthdt cob bplace birthplace "
    "countryofbirth raceeth 性別 生年月日 生年 誕生日 出生年 出生年月 性别 出生日期 出生年份 出生 民族 "
    "籍贯 성별 생년월일 출생연도 출생년도 生年月"
)
#: Traits after the letters of a survey: PESEX, hgsex, RA_GENDER, prbirth.
_CODED = re.compile(
    r"(?!(es|sus|wes|middle)sex)[a-z]{0,4}[0-9]{0,2}(sex|gender|sexe|sexo|geschlecht|birth|birthyr|yob|dob)"
)
#: Last words that do not change the meaning of a name: a wave, a code, a label.
ENDINGS = word_set("cd code txt label lbl desc n c num text val key")


@cache
def normalize(word: str) -> str:
    """Write a word in lower case, without Latin accents and in normal width."""
    letters = []
    for letter in unicodedata.normalize("NFKC", word).casefold():
        parts = unicodedata.normalize("NFKD", letter)
        letters.append(parts[0] if parts[0].isascii() else letter)
    return "".join(letters)


@cache
def split_number(word: str) -> list[str]:
    """Split a person's number into both words: "patientennummer" has two.

    Any other word stays whole.
    """
    if word.isascii() and not word.endswith(_ENDS):
        return [word]
    for length in range(1, len(word)):
        start, ending = word[:length], word[length:]
        if ending in NUMBERS | {"id", "nr", "no", "nos", "key", "nbr"} and is_person(start):
            return [start, ending]
    return [word]


def is_person(word: str) -> bool:
    """Return whether a normalized word means a person, also with the s or n of German."""
    return word in PERSONS or (len(word) > 4 and word.rstrip("sn") in PERSONS)


def is_trait(tokens: list[str]) -> bool:
    """Return whether the words of a name mean a lasting trait of a person."""
    return _is_listed(tokens, TRAITS) or _CODED.fullmatch(normalize("".join(tokens))) is not None


def is_other(tokens: list[str]) -> bool:
    """Return whether the words of a name mean a thing, place, group, time or count."""
    words = [normalize(token) for token in tokens]
    number = NUMBERS | {"id", "nr", "no", "key", "name", "nm", "cd", "名", "名称", "명", "이름"}
    kept = [word.rstrip("0123456789") or word for word in words if word not in number] or words
    return "".join(words) in OTHERS or any(_is_listed_stem(word, OTHERS) for word in (*kept[:1], *kept[-1:]))


def _is_listed(tokens: list[str], known: frozenset[str]) -> bool:
    words = [normalize(token) for token in tokens]
    short = [word for word in words if word not in ENDINGS and not word.isdigit()]
    return "".join(words) in known or "".join(short) in known or any(word in known for word in words)


def _is_listed_stem(word: str, known: frozenset[str]) -> bool:
    if word in known or (word.endswith("s") and word[:-1] in known):
        return True
    ends = ("番号", "コード", "名", "编号", "编码", "名称", "코드", "번호", "명")
    return not word.isascii() and any(word.endswith(end) and word[: -len(end)] in known for end in ends)
