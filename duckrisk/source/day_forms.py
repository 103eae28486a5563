"""The forms of days in texts, as patterns for Python and for the engine."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from duckrisk.base.options.reading import COMPACT, DMY, MDY, YMD

#: Months, twelve after twelve, and their abbreviations, without accents: in English, German, French, Spanish,
#: Italian, Portuguese, Dutch and Swedish. Each name is the same month in all of them.
MONTHS = tuple(
    """
    january february march april may june july august september october november december
    jan feb mar apr may jun jul aug sep oct nov dec
    januar februar marz april mai juni juli august sept oktober november dezember
    janner feber mrz apr mai jun jul aug sep okt nov dez
    janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre
    janv fevr mars avr mai juin juil aout sept oct nov dec
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    ene feb mar abr may jun jul ago set oct nov dic
    gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
    gen feb mar apr mag giu lug ago set ott nov dic
    janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro
    jan fev mar abr mai jun jul ago set out nov dez
    januari februari maart april mei juni juli augustus september oktober november december
    jan feb mrt apr maj jun jul aug sep okt nov dec
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
_MONTH = "([A-Za-z\u00c0-\u024f]{3,})[.]?"
_ERA = (
    "(\u660e\u6cbb|\u5927\u6b63|\u662d\u548c|\u5e73\u6210|\u4ee4\u548c|[MTSHRmtshr])[. ]?([0-9]{1,2}|\u5143)"
)
#: A time of day, with the groups h, i, s and p at the end of a pattern.
_CLOCK = r"[ T,]+([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}(?:[.][0-9]{1,6})?))? ?([AaPp][.]?[Mm][.]?|)"
#: Possible years of a day without separators.
_YEARS = range(1850, 2101)

Year = Literal["four", "two", "era"]


@dataclass(frozen=True)
class DayForm:
    """A form of days.

    Attributes:
        order: Its name in notes and options, such as ``day/month/year``.
        pattern: Pattern of a text, with a group for each part.
        names: Names of the groups in order: y, m, d, h, i, s, p (morning or afternoon), z (zone), e (era).
        year: Whether years have four digits, two, or belong to an era.
        is_partial: Whether the day or the month can be missing.
    """

    order: str
    pattern: str
    names: tuple[str, ...]
    year: Year = "four"
    is_partial: bool = False

    @property
    def has_clock(self) -> bool:
        """Whether days have a time."""
        return "h" in self.names

    @property
    def kind(self) -> str:
        """Type of the values."""
        zoned = "z" in self.names
        return "TIMESTAMP WITH TIME ZONE" if zoned else "TIMESTAMP" if self.has_clock else "DATE"

    @property
    def has_month_names(self) -> bool:
        """Whether months are names."""
        return _MONTH in self.pattern

    @property
    def is_short(self) -> bool:
        """Whether values that are no days often look the same, as three small numbers."""
        return self.year != "four" and not self.has_month_names and not self.is_partial

    @property
    def engine_pattern(self) -> str:
        """Pattern of a whole text, for the engine."""
        return f"^{self.pattern}$"

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern)

    def matches(self, text: str) -> bool:
        """Return whether a text can be a day of this form."""
        match = self._compiled.fullmatch(text)
        if match is None:
            return False
        parts = dict(zip(self.names, match.groups(), strict=True))
        month, day = parts.get("m") or "1", parts.get("d") or "1"
        if self.has_month_names:
            return strip_accents(month) in MONTHS and int(day) <= 31
        if self.order == COMPACT and int(parts["y"] or 0) not in _YEARS:
            return False
        return 1 <= int(month) <= 12 and 1 <= int(day) <= 31


def strip_accents(text: str) -> str:
    """Return a text in lower case without accents."""
    decomposed = unicodedata.normalize("NFD", text.lower())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


#: Order of ISO 8601, which the engine reads itself.
ISO = "year-month-day"
_SIGN = "[-/.]"
_TWO, _FOUR = "([0-9]{1,2})", "([0-9]{4})"


def _numeric(order: str, year: Year) -> DayForm:
    names = tuple(word[0] for word in order.split("/"))
    digits = _FOUR if year == "four" else "([0-9]{2})"
    pattern = _SIGN.join(digits if name == "y" else _TWO for name in names)
    return DayForm(order, pattern, names, year)


_WITHOUT_CLOCK = (
    _numeric(YMD, "four"),
    _numeric(DMY, "four"),
    _numeric(MDY, "four"),
    DayForm(
        "day month year",
        rf"{_TWO}(?:st|nd|rd|th|er)?[-./ ]*(?:de |of )?{_MONTH}(?: de| del)?[-.,/ ]*{_FOUR}",
        ("d", "m", "y"),
    ),
    DayForm("month day year", rf"{_MONTH}[- ]{_TWO}(?:st|nd|rd|th)?,?[- ]+{_FOUR}", ("m", "d", "y")),
    DayForm("year month day", rf"{_FOUR}[-. /]{_MONTH}[-. /]{_TWO}", ("y", "m", "d")),
    _numeric(DMY, "two"),
    _numeric(MDY, "two"),
    _numeric(YMD, "two"),
    DayForm("day month year", rf"{_TWO}[-./ ]*{_MONTH}[-.,/ ]*([0-9]{{2}})", ("d", "m", "y"), "two"),
    DayForm(
        "era year month day",
        f"{_ERA}(?:\u5e74|[-/.]) ?([0-9]{{1,2}})(?:\u6708|[-/.]) ?([0-9]{{1,2}})\u65e5?",
        ("e", "y", "m", "d"),
        "era",
    ),
    DayForm(
        "era year month day",
        f"{_ERA}\u5e74(?: ?([0-9]{{1,2}})\u6708(?: ?([0-9]{{1,2}})\u65e5)?)?",
        ("e", "y", "m", "d"),
        "era",
        is_partial=True,
    ),
    DayForm(
        YMD,
        "([0-9]{4})[\u5e74\ub144] ?([0-9]{1,2})[\u6708\uc6d4] ?([0-9]{1,2})[\u65e5\uc77c]",
        ("y", "m", "d"),
    ),
    DayForm(
        YMD,
        "([0-9]{4})[\u5e74\ub144] ?([0-9]{1,2})[\u6708\uc6d4](?: ?([0-9]{1,2})[\u65e5\uc77c])?",
        ("y", "m", "d"),
        is_partial=True,
    ),
)
_PARTIAL = DayForm(ISO, "([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?", ("y", "m", "d"), is_partial=True)
_COMPACT = DayForm(COMPACT, "([0-9]{4})([0-9]{2})([0-9]{2})", ("y", "m", "d"))
_LOG = DayForm(
    "day/month/year",
    rf"\[?{_TWO}/{_MONTH}/{_FOUR}:([0-9]{{2}}):([0-9]{{2}}):([0-9]{{2}})() ?([-+][0-9]{{4}})\]?",
    ("d", "m", "y", "h", "i", "s", "p", "z"),
)


def _with_clock(form: DayForm) -> DayForm:
    return replace(form, pattern=form.pattern + _CLOCK, names=(*form.names, "h", "i", "s", "p"))


#: All forms, the more certain ones first.
FORMS = (
    *_WITHOUT_CLOCK,
    *(_with_clock(form) for form in _WITHOUT_CLOCK if form.year != "era" and not form.is_partial),
    _LOG,
    _COMPACT,
    _PARTIAL,
)
_BIRTH = re.compile(
    r"birth|born|(^|[^a-z])(dob|bday|b_day|bdate|brth\w*|ddn|geb|geb_?dat\w*)([^a-z]|$)|naiss|nacim|nascit"
    r"|nascim|geburt|geboor|f(ö|o)dsel|f(ø|o)d(t|sels)|syntym|do(ğ|g)um|urodz|рожд|seinengappi"
    "|\u751f\u5e74\u6708\u65e5|\u8a95\u751f|\u51fa\u751f|\uc0dd\ub144\uc6d4\uc77c|\ucd9c\uc0dd",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"(?<!up)(?<!candi)(?<!man)(?<!vali)date(s|time)?([^a-z]|$)|datum([^a-z]|$)|fecha"
    r"|(^|[^a-z])(day|dat|dt|dob|data|jour|giorno|ymd|yyyymmdd)([^a-z]|$)|[a-z]dtc$"
    "|wareki|\u548c\u66a6|\u65e5\u4ed8|\u5e74\u6708\u65e5|\u65e5$|\u65e5\u671f|\ub0a0\uc9dc",
    re.IGNORECASE,
)


def is_birth_name(name: str) -> bool:
    """Return whether a column has the name of days of birth."""
    return _BIRTH.search(name) is not None


def is_day_name(name: str) -> bool:
    """Return whether a column has the name of days."""
    return is_birth_name(name) or _DAY.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)) is not None
