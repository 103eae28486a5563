"""The forms of numbers in texts, as patterns for Python and for the engine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_PLAIN = "(?:0|[1-9][0-9]*)"
_POINT, _COMMA = "(?:[.][0-9]+)?", "(?:,[0-9]+)?"
_SIGN = "[-+\u25b2\u25b3]?"


@dataclass(frozen=True)
class Style:
    """The separators between digits.

    Attributes:
        key: Its name in notes.
        core: Pattern of a number without sign.
        decimal: The decimal sign.
    """

    key: str
    core: str
    decimal: str


def _grouped(sign: str) -> str:
    return f"(?:[1-9][0-9]{{0,2}}(?:{sign}[0-9]{{3}})+|{_PLAIN})"


PLAIN = Style("plain", _PLAIN + _POINT, ".")
THOUSANDS = Style("thousands", f"(?:[1-9][0-9]{{0,2}}(?:,[0-9]{{2,3}})*,[0-9]{{3}}|{_PLAIN}){_POINT}", ".")
DECIMAL_COMMA = Style("decimal_comma", _grouped("[.]") + _COMMA, ",")
BLANKS = Style("blanks", _grouped(" ") + _POINT, ".")
STYLES = (
    PLAIN,
    THOUSANDS,
    DECIMAL_COMMA,
    Style("apostrophes", _grouped("'") + _POINT, "."),
    BLANKS,
    Style("blanks_comma", _grouped(" ") + _COMMA, ","),
)
#: Pattern of numbers that the engine reads itself.
_READ = r"[-+]?(?:(?:0|[1-9][0-9]*)(?:[.][0-9]+)?|[.][0-9]+)(?:[eE][-+]?[0-9]+)?"

_CURRENCIES = frozenset(
    """
    $ € £ ¥ ₹ ₩ ₽ us$ r$ a$ c$ hk$ nt$ chf eur usd gbp jpy cny rmb fr. rs rs. sek nok dkk kr kr. pln zł kč huf
    sfr sfr. tl руб руб. 円 千円 百万円 万円 億円 元 원 ドル
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
_UNITS = frozenset(
    """
    % ‰ ° °c °f ℃ kg g mg µg t lb lbs oz cm mm m km in ft mi yd ml dl cl l cal kcal kj kw kwh hz bpm mmhg db
    kb mb gb tb px pt pts pcs stk st yr yrs year years month months mo mos week weeks wk wks day days d h hr
    hrs hour hours min mins minute minutes s sec secs second seconds ms mph km/h kmh m/s m² cm² km² ㎡ m³ ha
    acres sqft sqm jahre jahr monate tage std ans an mois jours años año meses días anni mesi giorni
    万 億 銭 歳 才 年 ヶ月 か月 カ月 ケ月 箇月 月 週 週間 日 日間 時間 時 分 秒 人 名 件 回 個 本 枚 台
    冊 点 位 度 階 坪 畳 キロ センチ メートル グラム ミリ パーセント 세 명 岁
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
_AFFIXES = re.compile(
    rf"\(?{_SIGN}([^0-9\s()+-]*) ?{_SIGN}[0-9][0-9.,' ]*?(?:[eE][-+]?[0-9]+)? ?([^0-9\s().,'][^0-9()]*|)\)?"
)


@dataclass(frozen=True)
class NumberForm:
    """A form of numbers.

    Attributes:
        style: The separators between digits.
        prefix: Text before all numbers, such as a currency.
        suffix: Text after all numbers, such as a unit.
    """

    style: Style
    prefix: str = ""
    suffix: str = ""

    @property
    def unit(self) -> str:
        """The prefix and the suffix."""
        return f"{self.prefix} {self.suffix}".strip()

    @property
    def is_money(self) -> bool:
        """Whether numbers have a currency."""
        return self.prefix != "" or self.suffix.casefold() in _CURRENCIES

    @property
    def is_bare(self) -> bool:
        """Whether the engine reads the texts itself."""
        return self.style is PLAIN and not self.unit

    @property
    def pattern(self) -> str:
        """Pattern of a whole text."""
        if self.is_bare:
            return f"^{_READ}$"
        before = re.escape(self.prefix) + " ?" if self.prefix else ""
        behind = " ?" + re.escape(self.suffix) if self.suffix else ""
        # A plus before grouped digits begins a telephone number.
        sign = _SIGN if self.unit or self.style is PLAIN else _SIGN.replace("+", "")
        one = f"{sign}{before}{sign}{self.style.core}{behind}"
        return rf"^(?:{one}|\({one}\))$"

    @property
    def removed_pattern(self) -> str:
        """Pattern of the characters to remove before a number is read."""
        named = [re.escape(affix) for affix in (self.prefix, self.suffix) if "." in affix]
        return "|".join([*named, f"[^0-9{self.style.decimal}]"])


def list_forms(texts: Sequence[str]) -> list[NumberForm]:
    """Return the forms that match all texts."""
    affixes = {(match[1], match[2]) if (match := _AFFIXES.fullmatch(text)) else None for text in texts}
    if len(affixes) != 1 or (affix := affixes.pop()) is None:
        return []
    prefix, suffix = affix
    if prefix.casefold() not in _CURRENCIES | {""} or not _is_unit(suffix):
        return []
    forms = (NumberForm(style, prefix, suffix) for style in STYLES)
    return [form for form in forms if _all_match(form.pattern, texts)]


def _is_unit(suffix: str) -> bool:
    return not suffix or suffix.casefold() in _CURRENCIES | _UNITS


def _all_match(pattern: str, texts: Iterable[str]) -> bool:
    compiled = re.compile(pattern)
    return all(compiled.fullmatch(text) for text in texts)
