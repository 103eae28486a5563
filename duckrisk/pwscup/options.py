"""How purchase histories are read and measured: the settings and what they may be."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from duckrisk.errors import UsageError, suggestion

#: What a pseudonym can be valid for.
PERIODS = ("day", "week", "month", "quarter")
#: How utility is measured: as the judge program does, or as the paper says.
PROFILES = ("judge", "paper")
#: The shares of the original, in percent, that the contest's attackers hold.
ALPHAS = (25, 50, 75, 100)
#: So many first characters of an item the contest's attackers know.
ITEM_PREFIX = 2


@dataclass(frozen=True)
class Layout:
    """The names of the columns of a history. Files of the contest have none and need no layout.

    ``date`` holds a day or a moment; ``time`` is the column of the time of day, where it is one of its own.
    """

    user: str
    date: str
    item: str
    time: str | None = None
    price: str | None = None
    quantity: str | None = None
    invoice: str | None = None

    def columns(self) -> dict[str, str]:
        """The names by what they are for, of those that are there."""
        return {role: name for role, name in vars(self).items() if name is not None}

    def check(self) -> None:
        """Raise UsageError where a column is named for two things."""
        taken: dict[str, str] = {}
        for role, name in self.columns().items():
            if not isinstance(name, str) or not name:
                raise UsageError(f"The column of the {role} has to be a name.")
            if name in taken:
                raise UsageError(
                    f'The column "{name}" is named for the {taken[name]} and for the {role}; leave one.'
                )
            taken[name] = role


def layout_of(names: Mapping[str, str | None]) -> Layout | None:
    """The layout of the columns that are named; none where none is. Raises UsageError where one misses."""
    given = {role: name for role, name in names.items() if name is not None}
    if not given:
        return None
    for needed in ("user", "date", "item"):
        if needed not in given:
            raise UsageError(
                f"The column of the {needed} is not named; give --{needed}, or leave out all names where the "
                "files are of the contest."
            )
    return Layout(**given)


@dataclass(frozen=True)
class Options:
    """How histories are assessed.

    ``layout`` names the columns of a general history (None: files of the contest); ``period`` is what a
    pseudonym is valid for. ``seed`` is of everything that is drawn; attackers hold ``alphas`` percent of the
    records, with the first ``item_prefix`` characters of items (None: all of them). ``profile`` says how
    utility is measured, over the ``top`` items that most users bought; of recommendations users with more
    than ``most_items`` different items are left out (None: nobody). ``show_values`` lets reports name values
    of records.
    """

    layout: Layout | None = None
    period: str = "month"
    seed: int = 0
    item_prefix: int | None = ITEM_PREFIX
    alphas: tuple[float, ...] = ALPHAS
    profile: str = "judge"
    top: int = 100
    most_items: int | None = None
    show_values: bool = False

    def check(self) -> None:
        """Raise UsageError with one sentence where a setting makes no sense."""
        if self.layout is not None:
            self.layout.check()
        if self.period not in PERIODS:
            hint = suggestion(str(self.period), list(PERIODS))
            raise UsageError(f'There is no period "{self.period}"{hint}')
        if self.layout is None and self.period != "month":
            raise UsageError(
                "Files of the contest have a pseudonym a month; other periods go with named columns, such as "
                "--user and --date."
            )
        check_seed(self.seed)
        check_prefix(self.item_prefix)
        if not self.alphas:
            raise UsageError("Name at least one share that attackers hold, such as --alpha 50.")
        for alpha in self.alphas:
            check_alpha(alpha)
        if self.profile not in PROFILES:
            raise UsageError(f'The profile is one of {", ".join(PROFILES)}, not "{self.profile}".')
        if type(self.top) is not int or self.top < 1:
            raise UsageError("top has to be a whole number of 1 or more.")
        if self.most_items is not None and (type(self.most_items) is not int or self.most_items < 1):
            raise UsageError("most_items has to be a whole number of 1 or more.")


def shares_of(alphas: Iterable[float] | None, partials: Collection[float]) -> tuple[float, ...]:
    """The shares of the original that attackers of a score hold: those that are asked for; else those of the
    contest, of which the files in ``partials`` are some, or those of the files alone where one is another."""
    if alphas is not None:
        return tuple(alphas)
    return ALPHAS if set(partials) <= set(ALPHAS) else tuple(partials)


def check_alpha(alpha: object) -> None:
    """Raise UsageError for what is no percentage."""
    if type(alpha) not in (int, float) or not 0 <= alpha <= 100:  # type: ignore[operator]
        raise UsageError("The share that an attacker holds (alpha) is a number of percent, 0 to 100.")


def check_seed(seed: object) -> None:
    """Raise UsageError for what is no seed."""
    if type(seed) is not int or not 0 <= seed < 2**63:
        raise UsageError("The seed has to be a whole number from 0 to below 2 to the power of 63.")


def check_prefix(prefix: object) -> None:
    """Raise UsageError for a number of characters that is none."""
    if prefix is not None and (type(prefix) is not int or prefix < 1):
        raise UsageError("item_prefix is a number of characters, 1 or more.")
