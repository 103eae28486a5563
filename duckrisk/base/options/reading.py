"""What a person says of how columns are written: ``--read COLUMN=FORM``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from duckrisk.base.errors import UsageError

#: Orders of day, month and year.
DMY, MDY, YMD = "day/month/year", "month/day/year", "year/month/day"
#: Days without separators, days that a spreadsheet counts, and cells that are what they are.
COMPACT, COUNTED, TEXT = "yearmonthday", "spreadsheet", "text"
FORMS = (DMY, MDY, YMD, COMPACT, COUNTED, TEXT)


def typed_option(flag: str, value: str) -> tuple[str, ...]:
    """Return an option with its value as the words of a command line; no value is taken for an option."""
    return (f"{flag}={value}",) if not value or value.startswith("-") else (flag, value)


@dataclass(frozen=True)
class Asked:
    """Forms and pivots of columns, by their names in lower case; a pivot is the last year of two digits."""

    forms: dict[str, str] = field(default_factory=dict)
    pivots: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Sequence[str]) -> Asked:
        """Read texts such as "born=month/day/year" and "born=2026".

        Raises:
            UsageError: A text is written otherwise, or a column has two forms or pivots.
        """
        forms: dict[str, str] = {}
        pivots: dict[str, int] = {}
        for text in texts:
            name, sign, said = text.rpartition("=")
            key, is_year = name.casefold(), len(said) == 4 and said.isascii() and said.isdigit()
            if not sign or not name or not (is_year or said in FORMS):
                raise UsageError("options.invalid_reading", text=text, forms=", ".join(FORMS))
            if key in (pivots if is_year else forms):
                raise UsageError("options.duplicate_reading", name=name)
            if is_year:
                pivots[key] = int(said)
            else:
                forms[key] = said
        return cls(forms, pivots)

    def form(self, name: str) -> str | None:
        """Return the form of a column; None where nobody said it."""
        return self.forms.get(name.casefold())

    def pivot(self, name: str) -> int | None:
        """Return the last year that two digits mean in a column; None where nobody said it."""
        return self.pivots.get(name.casefold())

    @property
    def names(self) -> set[str]:
        """Return the names of the columns, in lower case."""
        return {*self.forms, *self.pivots}


def merge_readings(first: Sequence[str], *others: Sequence[str]) -> tuple[str, ...]:
    """Return what is said of columns, that of the first winning, for forms and for pivots."""
    merged = {_key(text): text for texts in reversed((first, *others)) for text in texts}
    return tuple(sorted(merged.values(), key=[*first, *(t for o in others for t in o)].index))


def _key(text: str) -> tuple[str, bool]:
    name, _, said = text.rpartition("=")
    return name.casefold(), said.isdecimal()
