"""How numbers are written, the same in every language."""

from __future__ import annotations

from decimal import Decimal


def number(value: int | float | None) -> str:
    """A count with separators; a mean with one decimal."""
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def probability(value: float | None) -> str:
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


def share(value: float | None) -> str:
    """A share in percent: one decimal from 10% on, two significant digits below. What can be more than the
    whole, as a change, is whole from 1,000% on."""
    if value is None:
        return "-"
    if value < 0:
        return f"-{share(-value)}"
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


def change(value: float | None) -> str:
    """A change as a signed share."""
    if value is None:
        return "-"
    return share(0.0) if value == 0 else f"{'-' if value < 0 else '+'}{share(abs(value))}"


def decimals(value: float | None) -> str:
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


def ease(value: float | None) -> str:
    """An ease with up to three decimals, never rounded down to nobody."""
    if value is None:
        return "-"
    if 0 < value < 0.001:
        return "< 0.001"
    shown = f"{value:.3f}".rstrip("0")
    return "0" if value == 0 else shown + "0" * shown.endswith(".")
