"""Formats numbers for reports, alike in every language. Words next to a number come from the catalogue."""

from __future__ import annotations

from decimal import Decimal

from duckrisk.base.sentences import Amount, Data, Sentence, Text


def format_number(value: int | float | None) -> str:
    """Format an integer with separators, a float with one decimal too; "-" for None."""
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def format_probability(value: float | None) -> str:
    """Format a probability with three digits, never rounded to 0 or 1; "-" for None."""
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
    """Format a share in percent, estimates above 1 as 100%; "-" for None."""
    return "-" if value is None else format_ratio(min(1.0, value))


def format_ratio(value: float) -> str:
    """Format a ratio in percent; it may be negative or above 1.

    Args:
        value: The ratio; 1 is 100%.

    Returns:
        Two significant digits below 10%, one decimal from there, none from 1,000%. Nothing but 0 and 1 is
        rounded to 0% or 100%.
    """
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
    """Format a share that the user set, in the digits it was set with: 9%."""
    return f"{100 * value:.12g}%"


def format_change(value: float | None) -> str:
    """Format a change as a signed share, in percent; "-" for None."""
    if value is None:
        return "-"
    return format_share(0.0) if value == 0 else f"{'-' if value < 0 else '+'}{format_ratio(abs(value))}"


def format_decimals(value: float | None) -> str:
    """Format a figure with four decimals, never rounded to 0 or 1; "-" for None."""
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
    """Format an ease of identification with up to three decimals, never rounded to 0."""
    if value is None:
        return "-"
    if 0 < value < 0.001:
        return "< 0.001"
    digits = f"{value:.3f}".rstrip("0")
    return "0" if value == 0 else digits + "0" * digits.endswith(".")


# --- with words ----------------------------------------------------------------------------------


#: The default currency, which every language has a word for.
YEN = "yen"
#: Powers of ten that a language has words for, the largest first.
_SIZES = {
    "en": ((10**12, " trillion"), (10**9, " billion"), (10**6, " million")),
    "ja": ((10**12, "兆"), (10**8, "億"), (10**4, "万")),
}


def format_duration(seconds: float) -> Sentence:
    """Format seconds with two significant digits, from 100 on as whole seconds."""
    if seconds < 0.01:
        return Sentence("duration.short")
    digits = f"{Decimal(f'{seconds:.1e}'):f}" if seconds < 99.5 else format_number(round(seconds))
    return Sentence("duration", seconds=digits)


def format_interval(lower: float | None, upper: float | None, short: bool = False) -> Sentence | str:
    """Format an interval of probabilities.

    Args:
        lower: Its lower end.
        upper: Its upper end.
        short: Use the short form, as in tables.

    Returns:
        Both ends; one number if they read the same; "-" if an end is None.
    """
    if lower is None or upper is None:
        return "-"
    ends = format_probability(lower), format_probability(upper)
    if ends[0] == ends[1]:
        return ends[0]
    return Sentence("span" if short else "to", lower=ends[0], upper=ends[1])


def format_money(value: float | None, currency: str, short: bool = False) -> Sentence:
    """Format a sum of money with its currency.

    Args:
        value: The sum; None is shown as "-".
        currency: :data:`YEN`, or a name that the user gave.
        short: Use three significant digits and words for sizes, as in "1.23 million".
    """
    amount = Amount(value, short)
    return (
        Sentence("money.yen", amount=amount)
        if currency == YEN
        else Sentence("money", amount=amount, currency=Data(currency))
    )


def format_currency(currency: str) -> Text:
    """Return the name of a currency in the report's language, or as the user gave it."""
    return Sentence("yen") if currency == YEN else Data(currency)


def format_amount(value: float | None, language: str | None = None) -> str:
    """Format a sum of money without its currency.

    Args:
        value: The sum.
        language: "en" or "ja" to shorten large sums by the language's words, as in "147 million".

    Returns:
        Three significant digits and a word; else a whole number from 100, two decimals below; "-" for None.
    """
    if value is None:
        return "-"
    for size, name in _SIZES.get(language or "", ()):
        if abs(value) >= 0.9995 * size:
            digits = max(0, 3 - len(str(abs(round(value / size)))))
            return f"{value / size:,.{digits}f}{name}"
    if abs(value) >= 99.5 or value == int(value):
        return f"{round(value):,}"
    return f"{value:.2f}"
