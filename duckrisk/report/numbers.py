"""Numbers in words; by themselves they are written alike in every language (:mod:`duckrisk.numbers`)."""

from __future__ import annotations

from decimal import Decimal

from duckrisk.numbers import change as change
from duckrisk.numbers import decimals as decimals
from duckrisk.numbers import ease as ease
from duckrisk.numbers import number as number
from duckrisk.numbers import probability as probability
from duckrisk.numbers import share as share
from duckrisk.sentences import Amount, Data, Sentence, Text, say


def duration(seconds: float) -> Sentence:
    """A time in two significant digits, from 100 seconds on in whole seconds."""
    if seconds < 0.01:
        return say("duration.short")
    shown = f"{Decimal(f'{seconds:.1e}'):f}" if seconds < 99.5 else number(round(seconds))
    return say("duration", seconds=shown)


def between(lower: float | None, upper: float | None, short: bool = False) -> Sentence | str:
    """An interval of probabilities; one number where both ends read the same."""
    if lower is None or upper is None:
        return "-"
    ends = probability(lower), probability(upper)
    if ends[0] == ends[1]:
        return ends[0]
    return say("span" if short else "to", lower=ends[0], upper=ends[1])


def money(value: float | None, currency: str, short: bool = False) -> Sentence:
    """A sum of money with its currency; the default one has a name in every language."""
    amount = Amount(value, short)
    return (
        say("money.yen", amount=amount)
        if currency == YEN
        else say("money", amount=amount, currency=Data(currency))
    )


def currency_name(currency: str) -> Text:
    """The name of a currency: the default one has one in every language."""
    return say("yen") if currency == YEN else Data(currency)


YEN = "yen"
#: The sizes that a language has words for, the largest first.
_SIZES = {
    "en": ((10**12, " trillion"), (10**9, " billion"), (10**6, " million")),
    "ja": ((10**12, "兆"), (10**8, "億"), (10**4, "万")),
}


def amount(value: float | None, language: str | None = None) -> str:
    """A sum of money without its currency: whole from 100 on, below with up to two decimals; with a language
    in three significant digits where this has a word for the size: "147 million"."""
    if value is None:
        return "-"
    for size, name in _SIZES.get(language or "", ()):
        if abs(value) >= 0.9995 * size:
            digits = max(0, 3 - len(str(abs(round(value / size)))))
            return f"{value / size:,.{digits}f}{name}"
    if abs(value) >= 99.5 or value == int(value):
        return f"{round(value):,}"
    return f"{value:.2f}"
