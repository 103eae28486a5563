"""How tables are compared: the settings and what they may be."""

from __future__ import annotations

from dataclasses import dataclass

from duckrisk.errors import UsageError, suggestion

#: The parts of a comparison.
PARTS = ("information", "utility", "risk", "linkage", "recommendation")


@dataclass(frozen=True)
class Options:
    """How releases are compared with their original.

    ``quasi_identifiers`` are the columns that classes are made of (none: all attributes); ``k`` is the size
    below which a class is rare. ``aligned`` says that record for record the tables are about the same
    persons, in the same order; ``key`` names a column that tells which record is which. ``item`` is the
    column of what users have, which recommendations are made of. ``only`` names the parts to measure.
    ``hierarchies`` is a TOML file with the hierarchies that releases were made with. ``settled_hierarchies``
    is the settings file that may have some, for releases that have no recipe beside them. ``seed`` is of
    everything that is drawn.
    """

    quasi_identifiers: tuple[str, ...] = ()
    k: int = 5
    aligned: bool = False
    key: str | None = None
    only: tuple[str, ...] = PARTS
    hierarchies: str | None = None
    settled_hierarchies: str | None = None
    seed: int = 0
    item: str | None = None

    @property
    def corresponding(self) -> bool:
        """Whether it is known which record of a release stands for which of the original."""
        return self.aligned or self.key is not None

    def check(self) -> None:
        """Raise UsageError with one sentence where a setting makes no sense."""
        if type(self.k) is not int or self.k < 1:
            raise UsageError("k has to be a whole number of 1 or more.")
        if self.aligned and self.key is not None:
            raise UsageError("Give either --aligned or --key, not both.")
        for name in self.only:
            if name not in PARTS:
                hint = suggestion(name, list(PARTS))
                raise UsageError(f'A comparison has no part "{name}"{hint}')
        if not self.only:
            raise UsageError(f"Nothing is to be measured; the parts of a comparison are {', '.join(PARTS)}.")
        if "linkage" in self.only and self.only != PARTS and not self.corresponding:
            raise UsageError(
                "Record linkage needs to know which record is which: give --aligned, or --key with a column."
            )
        if "recommendation" in self.only and self.only != PARTS and self.item is None:
            raise UsageError("Recommendations need to know what users have: name the column with --item.")
