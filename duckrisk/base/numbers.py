"""How numbers are written: alike in every language, but for the words beside them, which are sentences."""

from __future__ import annotations

from decimal import Decimal

from duckrisk.base.sentences import Amount, Data, Sentence, Text


def format_number(value: int | float | None) -> str:
    """A count with separators; a mean with one decimal."""
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def format_probability(value: float | None) -> str:
    """Three significant digits, never rounded up to certainty or down to nothing."""
    if value is None:
        return "-"
    if value in (0, 1):
        return str(int(value))
    if abs(value) < 1e-6:
        return "< 0.000001"
    if 0.9995 <= value < 1:
        return "> 0.999"
    return format(Decimal(f"{value:.2e}"), "f")


def format_share(value: float | None) -> str:
    """Write a share in percent, at most 100%: an estimate can be more than the whole, a share cannot."""
    return "-" if value is None else format_ratio(min(1.0, value))


def format_ratio(value: float) -> str:
    """Write a part of a whole in percent, or more than the whole, as a change can be: one decimal from 10%
    on, whole from 1,000% on, two significant digits below."""
    if value < 0:
        return f"-{format_ratio(-value)}"
    if value in (0, 1):
        return f"{100 * value:.0f}%"
    percent = 100 * value
    if percent < 0.001:
        return "< 0.001%"
    if 99.9 < percent < 100:
        return "> 99.9%"
    if percent >= 999.5:
        return f"{percent:,.0f}%"
    return f"{percent:.1f}%" if percent >= 9.95 else f"{Decimal(f'{percent:.1e}'):f}%"


def format_percent(value: float) -> str:
    """A share that somebody set, as it was set: 9%."""
    return f"{100 * value:.12g}%"


def format_change(value: float | None) -> str:
    """A change as a signed share."""
    if value is None:
        return "-"
    return format_share(0.0) if value == 0 else f"{'-' if value < 0 else '+'}{format_ratio(abs(value))}"


def format_decimals(value: float | None) -> str:
    """A figure with four decimals; nothing that is lost reads as nothing."""
    if value is None:
        return "-"
    if value == int(value):
        return str(int(value))
    if 0.99995 <= value < 1:
        return "> 0.9999"
    if abs(value) < 0.00005:
        return "< 0.0001" if value > 0 else "> -0.0001"
    return f"{value:.4f}"


def format_ease(value: float | None) -> str:
    """An ease with up to three decimals, never rounded down to nobody."""
    if value is None:
        return "-"
    if 0 < value < 0.001:
        return "< 0.001"
    shown = f"{value:.3f}".rstrip("0")
    return "0" if value == 0 else shown + "0" * shown.endswith(".")


# --- with words ----------------------------------------------------------------------------------


YEN = "yen"
#: The sizes that a language has words for, the largest first.
_SIZES = {
    "en": ((10**12, " trillion"), (10**9, " billion"), (10**6, " million")),
    "ja": ((10**12, "兆"), (10**8, "億"), (10**4, "万")),
}


def format_duration(seconds: float) -> Sentence:
    """A time in two significant digits, from 100 seconds on in whole seconds."""
    if seconds < 0.01:
        return Sentence("duration.short")
    shown = f"{Decimal(f'{seconds:.1e}'):f}" if seconds < 99.5 else format_number(round(seconds))
    return Sentence("duration", seconds=shown)


def format_interval(lower: float | None, upper: float | None, short: bool = False) -> Sentence | str:
    """An interval of probabilities; one number where both ends read the same."""
    if lower is None or upper is None:
        return "-"
    ends = format_probability(lower), format_probability(upper)
    if ends[0] == ends[1]:
        return ends[0]
    return Sentence("span" if short else "to", lower=ends[0], upper=ends[1])


def format_money(value: float | None, currency: str, short: bool = False) -> Sentence:
    """A sum of money with its currency; the default one has a name in every language."""
    amount = Amount(value, short)
    return (
        Sentence("money.yen", amount=amount)
        if currency == YEN
        else Sentence("money", amount=amount, currency=Data(currency))
    )


def format_currency(currency: str) -> Text:
    """The name of a currency: the default one has one in every language."""
    return Sentence("yen") if currency == YEN else Data(currency)


def format_amount(value: float | None, language: str | None = None) -> str:
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
