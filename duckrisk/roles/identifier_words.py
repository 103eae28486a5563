"""Words of many languages for identifiers and events in column names, without accents."""

from __future__ import annotations

from duckrisk.roles.word_lists import word_set

#: Numbers of a state or its insurers: identity cards, passports, licences, taxes, social security.
_OFFICIAL = word_set(
    "passport nationalinsurance nationalidentity nationalidentification nino ssn sin tin itin tfn "
    "taxpayer taxidentification taxfile socialinsurance drivinglicence drivinglicense driverlicence "
    "driverslicence identitycard idcard nric mykad ppsn aadhar aadhaar pan nik ktp npwp cmnd cccd "
    "personalausweis ausweis ausweisnummer reisepass passnummer passnr steuerid steueridnr "
    "steueridentifikation steueridentifikationsnummer sozialversicherung sozialversicherungsnummer "
    "svnummer rentenversicherungsnummer rvnr fuhrerschein fuehrerschein fuhrerscheinnummer "
    "krankenversichertennummer reisepassnummer personalausweisnummer ahv ahvnummer svnr kvnr nir nss "
    "numsecu securitesociale secu ine passeport permisconduire permis cni carteidentite "
    "carteidentitenationale numerofiscal dni nif nie seguridadsocial pasaporte curp rfc cuil cuit rut "
    "cedula cedulaciudadania claveelector licenciaconducir licenciaconduccion carnetconducir "
    "carneconducir nit tarjetasanitaria codicefiscale passaporto patenteguida cartaidentita "
    "tesserasanitaria cpf rg niss nis pis pasep pispasep cns cartaosus passaporte cnh cartaconducao "
    "segurancasocial cartaocidadao tituloeleitor ctps bsn burgerservicenummer burgerservice paspoort "
    "paspoortnummer rijbewijs rijbewijsnummer sofinummer identiteitskaart personnummer personnr "
    "samordningsnummer korkort korkortsnummer cpr cprnr cprnummer fodselsnummer fødselsnummer fnr "
    "førerkort hetu henkilotunnus ajokortti kennitala pesel nip dowodosobisty paszport prawojazdy "
    "rodnecislo tajszam adoazonosito utlevel cnp egn oib jmbg amka afm tckn tckimlik kimlik ehliyet "
    "pasaport инн снилс паспорт егн αμκα αφμ іпн рнокпп 주민등록 주민 여권 운전면허 외국인등록 "
    "건강보험증 주민등록번호 여권번호 운전면허번호 身份证 身份证件 身份證 身份證字號 居民身份证 护照 "
    "護照 驾驶证 驾照 社保 社保卡 社会保障 医保卡 医保 证件 旅券 免許証 運転免許証 パスポート "
    "在留カード 健康保険証 被保険者証 雇用保険 納税者"
)
_TELEPHONE = word_set(
    "phone mobile cellular handphone telephone telefon telefono telefone telefoon telefoonnummer "
    "telefonnummer telefonnr telnr rufnummer handy handynummer mobil mobilnummer mobiltelefon "
    "mobiltelefonnummer mobiltlf mobilnr festnetz gsm gsmnummer celular movil cellulare telemovel "
    "telemobile telf tlf tlfnr puhelin puhelinnumero telefonszam telefax faxnummer sodienthoai 전화 "
    "전화번호 휴대폰 휴대전화 핸드폰 연락처 手机 手機 手机号码 电话 電話 联系电话 телефон мобильный "
    "τηλεφωνο κινητο هاتف جوال טלפון โทรศัพท์ 携帯 連絡先電話"
)
_EMAIL = word_set(
    "email mail emailaddress emailadresse emailadress mailadresse mailadress correo correoelectronico "
    "correio correioelectronico correioeletronico courriel adressemail adressemel epost epostadress "
    "epostadresse eposta sahkoposti postaelettronica indirizzoemail enderecoemail eposti почта "
    "электроннаяпочта 이메일 메일주소 邮箱 电子邮箱 电子邮件 邮件地址 电邮 電子郵件 eメール メアド "
    "メールアドレス"
)
_LOGIN = word_set(
    "nickname nick benutzername spitzname anvandarnamn brukernavn brugernavn gebruikersnaam "
    "nomutilisateur nombreusuario nomeutente nomeusuario apodo kayttajatunnus 昵称 暱稱 用户名 用戶名 "
    "账号名 닉네임 사용자명 ニックネーム никнейм логин"
)
#: Accounts, cards and insurance policies.
_ACCOUNT = word_set(
    "policyno policynumber policynr insurancepolicy policennummer policenummer polizzennummer "
    "versicherungsschein versicherungsscheinnummer forsakringsnr forsakringsnummer forsikringsnummer "
    "polisnummer polisnr numeropoliza numeropolizza apolice polica rekeningnummer bankkonto "
    "bankkontonummer kontonummer kontonr cuentabancaria clabe cbu contocorrente cartecredit "
    "tarjetacredito kreditkarte kreditkartennummer 保険証券 증권번호 보험증권 계좌 계좌번호 银行卡 "
    "银行卡号 银行卡号码 保单 "
    "保單 銀行帳號 银行账号"
)
_VEHICLE = word_set(
    "autokennzeichen nummernschild immatriculation kenteken numberplate licenseplate fahrgestellnummer "
    "chassisnumber 차량번호 车牌 車牌 車台 госномер"
)
_ADDRESS = word_set(
    "adresse anschrift direccion indirizzo endereco adres adress osoite strasse calle domicilio "
    "wohnadresse postadresse 주소 地址 住址 家庭住址 адрес διευθυνση"
)
#: The words of each kind of identifiers.
KINDS = {
    "official": _OFFICIAL,
    "telephone": _TELEPHONE,
    "email": _EMAIL,
    "login": _LOGIN,
    "account": _ACCOUNT,
    "vehicle": _VEHICLE,
    "address": _ADDRESS,
}
#: The kind of each word.
KIND_OF = {word: kind for kind, words in KINDS.items() for word in words}
#: Words for receipts, orders and other events that have numbers.
EVENTS = word_set(
    "auftrag bestellung bestell auftrags rechnung rechnungs buchungs beleg buchung vorgang fall besuch "
    "aufenthalt zahlung fahrt reservierung commande facture ticket recu mutation transaction "
    "reservation incident accident sejour visite dossier pedido factura recibo compra venta reserva "
    "siniestro accidente transaccion visita episodio ordine fattura scontrino ricevuta prenotazione "
    "incidente transazione fatura nota venda atendimento acidente bestelling factuur boeking "
    "reservering rit ongeval bon bestallning faktura kvitto bokning olycka resa ordre kvittering "
    "questionnaire fragebogen cuestionario questionario vragenlijst enkat clm claim 주문 영수증 거래 "
    "예약 접수 문의 사고 설문 订单 訂單 发票 發票 交易 流水 预约 預約 挂号 运单 运单号 工单 问卷 微博 "
    "帖子 事件 案件 单据 凭证 事故 案号 単票"
)
