"""Parses how columns are written: ``--read COLUMN=FORM``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from duckrisk.base.errors import UsageError

#: Orders of day, month and year.
DMY, MDY, YMD = "day/month/year", "month/day/year", "year/month/day"
#: Days without separators, day numbers of a spreadsheet, and cells that are read as plain texts.
COMPACT, COUNTED, TEXT = "yearmonthday", "spreadsheet", "text"
FORMS = (DMY, MDY, YMD, COMPACT, COUNTED, TEXT)


def typed_option(flag: str, value: str) -> tuple[str, ...]:
    """Return an option and its value as words of a command line.

    A value that begins with a hyphen stays behind its flag, so that it is not read as an option.
    """
    return (f"{flag}={value}",) if not value or value.startswith("-") else (flag, value)


@dataclass(frozen=True)
class ColumnReadings:
    """How columns are written, by their names in lower case.

    Attributes:
        forms: The form of a column, one of ``FORMS``.
        pivots: The last year that two digits mean in a column, such as 2026.
    """

    forms: dict[str, str] = field(default_factory=dict)
    pivots: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Sequence[str]) -> ColumnReadings:
        """Read texts such as "born=month/day/year" and "born=2026".

        Raises:
            UsageError: A text is written otherwise, or a column has two forms or pivots.
        """
        forms: dict[str, str] = {}
        pivots: dict[str, int] = {}
        for text in texts:
            name, sign, form = text.rpartition("=")
            key, is_year = name.casefold(), len(form) == 4 and form.isascii() and form.isdigit()
            if not sign or not name or not (is_year or form in FORMS):
                raise UsageError("options.invalid_reading", text=text, forms=", ".join(FORMS))
            if key in (pivots if is_year else forms):
                raise UsageError("options.duplicate_reading", name=name)
            if is_year:
                pivots[key] = int(form)
            else:
                forms[key] = form
        return cls(forms, pivots)

    def form(self, name: str) -> str | None:
        """Return the form of a column; None by default."""
        return self.forms.get(name.casefold())

    def pivot(self, name: str) -> int | None:
        """Return the last year that two digits mean in a column; None by default."""
        return self.pivots.get(name.casefold())

    @property
    def names(self) -> set[str]:
        """The names of the columns, in lower case."""
        return {*self.forms, *self.pivots}


def merge_readings(first: Sequence[str], *others: Sequence[str]) -> tuple[str, ...]:
    """Merge lists of readings; the first list wins, form by form and pivot by pivot."""
    merged = {_key(text): text for texts in reversed((first, *others)) for text in texts}
    return tuple(sorted(merged.values(), key=[*first, *(t for o in others for t in o)].index))


def _key(text: str) -> tuple[str, bool]:
    name, _, form = text.rpartition("=")
    return name.casefold(), form.isdecimal()
