"""The options of reading, treating and measuring purchase histories."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duckrisk.base.errors import UsageError
from duckrisk.base.options import OptionSet, option, options_of
from duckrisk.contests.pwscup.attacks import ATTACKS

#: The units of the time that a pseudonym is valid for.
PERIODS = ("day", "week", "month", "quarter")
#: The definitions of recommendations: that of the judge's program, or that of the paper.
PROFILES = ("judge", "paper")
#: Percent of the original that the attackers of the contest know (rules of PWS Cup 2017).
ALPHAS = (25, 50, 75, 100)
#: Percent of the original that attackers know where settings are compared (a choice: little, and as in T25).
KNOWN_TO_LIFETIMES = (5, 25)
#: Characters; the contest's attackers know this many first ones of an item (rules of PWS Cup 2017).
ITEM_PREFIX = 2


@dataclass(frozen=True)
class Layout(OptionSet, table="history", group="Who is who"):
    """The names of the columns of a history; files of the contest need no layout."""

    user: str = option(
        help="The column of users; files of the contest need no names.",
        metavar="COLUMN",
        keyword_type=str | None,
    )
    date: str = option(help="The column of dates or moments.", metavar="COLUMN", keyword_type=str | None)
    item: str = option(help="The column of items.", metavar="COLUMN", keyword_type=str | None)
    time: str | None = option(None, help="The column of times of day, if any.", metavar="COLUMN")
    price: str | None = option(
        None,
        help="The column of prices, if any; numbers compare as numbers, texts as written.",
        metavar="COLUMN",
    )
    quantity: str | None = option(
        None, help="The column of quantities.", metavar="COLUMN", default_text="each record is one piece"
    )
    invoice: str | None = option(None, help="The column of purchases, if any.", metavar="COLUMN")

    def columns(self) -> dict[str, str]:
        """Return the names of the columns that are named, by role."""
        return {role: name for role, name in vars(self).items() if name is not None}

    def check(self) -> None:
        """Refuse names that do not go together.

        Raises:
            UsageError: A name is empty, or a column has two roles.
        """
        roles: dict[str, str] = {}
        for role, name in self.columns().items():
            if not isinstance(name, str) or not name:
                raise UsageError("pwscup.column_name_empty", role=role)
            if name in roles:
                raise UsageError("pwscup.column_with_two_roles", name=name, taken=roles[name], role=role)
            roles[name] = role


def layout_of(names: Mapping[str, str | None]) -> Layout | None:
    """Return the layout of the columns that are named; None if none is.

    Args:
        names: The names of columns by role, None for a role without a column.

    Raises:
        UsageError: The column of users, dates or items is missing.
    """
    named = {role: name for role, name in names.items() if name is not None}
    if not named:
        return None
    for needed in ("user", "date", "item"):
        if needed not in named:
            raise UsageError("pwscup.column_not_named", needed=needed)
    return Layout(**named)


def whole(share: float) -> float:
    """Return a percentage, as an integer if it is whole."""
    return int(share) if share == share and abs(share) < 1e9 and share == int(share) else share


def percent(text: str) -> float | None:
    """Return the percentage that a text holds; None for any other text."""
    try:
        return whole(float(text))
    except ValueError:
        return None


def _shares(alphas: Iterable[float]) -> tuple[float, ...]:
    return tuple(map(whole, alphas))


def _life(text: str) -> int | None:
    """Return the number of periods that a pseudonym lives for; None for all of them."""
    if text == "all":
        return None
    try:
        return int(text)
    except ValueError:
        raise UsageError("pwscup.invalid_life", text=text) from None


@dataclass(frozen=True)
class ReleaseOptions(OptionSet, group="Treatment"):
    """How a release is made of a history.

    Attributes:
        life: A pseudonym lives for this many periods; None: for all of them.
        rare_items: Records of items that fewer users bought are deleted.
        outliers: Records with a price this many standard deviations above the mean are deleted.
        perturb_dates: Share of the records that exchange dates within a period.
        perturb_items: Share of the records that exchange items within a period.
        renew_after: A new pseudonym in the first period after this many records under the old one.
        exchange_pseudonyms: In each period this share of the customers pass their pseudonyms on in a ring.
        false_order: The records of each person take the lines of another person's.
    """

    life: int | None = option(1, help="Periods that a pseudonym lives for, or all.", metavar="N", parse=_life)
    rare_items: int | None = option(
        None,
        help="Delete records of items bought once, or by fewer users than this.",
        flag="--delete-rare-items",
        keyword="delete_rare_items",
    )
    outliers: float | None = option(
        None,
        help="Delete records with prices this many standard deviations above the mean.",
        flag="--delete-outliers",
        keyword="delete_outliers",
    )
    perturb_dates: float | None = option(
        None, help="A share of the records exchange dates within their period."
    )
    perturb_items: float | None = option(
        None, help="A share of the records exchange items within their period."
    )
    renew_after: int | None = option(
        None, help="A new pseudonym in the first period after this many records.", minimum=1
    )
    exchange_pseudonyms: float | None = option(
        None,
        help="In each period this share of the users pass their pseudonyms on in a ring.",
        minimum=0,
        maximum=1,
    )
    false_order: bool = option(
        False,
        help="Exchange the lines of persons (Yamaoka): right links are scored as wrong.",
        flag="--false-order",
    )


def _lives(texts: Iterable[str]) -> tuple[int | None, ...]:
    return tuple(map(_life, texts))


@dataclass(frozen=True)
class LifetimeOptions(OptionSet, group="Treatment"):
    """The treatments that are tried in all combinations, and what may be found.

    Attributes:
        lives: Periods that a pseudonym lives for; None: for all of them.
        found: The largest share of the users that attackers may find.
    """

    lives: tuple[int | None, ...] = option(
        (1, 3, None),
        help="Periods that a pseudonym lives for, or all; one after another.",
        flag="--life",
        keyword="life",
        metavar="N",
        parse=_lives,
        default_text="1, 3, all",
    )
    rare_items: tuple[int, ...] = option(
        (0,),
        help="Also delete records of items bought by fewer users than this.",
        flag="--delete-rare-items",
        keyword="delete_rare_items",
        minimum=0,
    )
    perturb_dates: tuple[float, ...] = option(
        (0,), help="Also let this share of the records exchange dates.", minimum=0, maximum=1
    )
    perturb_items: tuple[float, ...] = option(
        (0,), help="Also let this share of the records exchange items.", minimum=0, maximum=1
    )
    renew_after: tuple[int, ...] = option(
        (0,), help="Also renew a pseudonym after this many records.", minimum=0
    )
    exchange_pseudonyms: tuple[float, ...] = option(
        (0,),
        help="Also let this share of the users pass pseudonyms on in each period.",
        minimum=0,
        maximum=1,
    )
    found: float | None = option(
        None,
        help="Users found at most: name the cheapest setting; alone, it tries 15 settings.",
        group="What is measured",
        minimum=0,
        maximum=1,
    )

    def check(self) -> None:
        """Refuse values that are out of range.

        Raises:
            UsageError: The first fault.
        """
        super().check()
        for life in self.lives:
            if life is not None and (type(life) is not int or life < 1):
                raise UsageError("pwscup.invalid_life", text=life)
        for name in (
            "lives",
            "rare_items",
            "perturb_dates",
            "perturb_items",
            "renew_after",
            "exchange_pseudonyms",
        ):
            if not getattr(self, name):
                raise UsageError("pwscup.setting_missing", name=options_of(type(self))[name].keyword)


@dataclass(frozen=True)
class Options(OptionSet, table="history"):
    """How histories are read and measured.

    Attributes:
        layout: The names of the columns; None for files of the contest.
    """

    layout: Layout | None = None
    period: str = option("month", help="What a pseudonym is valid for.", group="Who is who", choices=PERIODS)
    seed: int = option(
        0, help="Random seed: the same seed, the same draws.", setting=False, minimum=0, below=2**63
    )
    item_prefix: int | None = option(
        ITEM_PREFIX,
        rare=True,
        help="First characters of items that attackers know; 0: all.",
        setting=False,
        minimum=0,
        default_text="2 in the contest, else all",
    )
    alphas: tuple[float, ...] = option(
        ALPHAS,
        help="Percent of the records that attackers know.",
        flag="--alpha",
        parse=_shares,
        setting=False,
        minimum=0,
        maximum=100,
    )
    profile: str = option(
        "judge",
        help="Recommendations as the judge's program or the paper has them.",
        flag="--recommendations",
        setting=False,
        choices=PROFILES,
    )
    top: int = option(
        100,
        help="Number of the most bought items that E3 compares.",
        flag="--top-items",
        setting=False,
        minimum=1,
    )
    most_items: int | None = option(
        None,
        rare=True,
        help="Leave users with more different items out of recommendations, and count them.",
        setting=False,
        minimum=1,
        default_text="nobody is left out",
    )
    show_values: bool = option(
        False,
        help="Show values of people's records in the report.",
        group="Output",
        setting=False,
    )

    def check(self) -> None:
        """Refuse options that are out of range or do not go together.

        Raises:
            UsageError: The first fault.
        """
        super().check()
        if self.layout is not None:
            self.layout.check()
        if self.layout is None and self.period != "month":
            raise UsageError("pwscup.period_of_contest_file")
        if not self.alphas:
            raise UsageError("pwscup.alpha_missing")


@dataclass(frozen=True)
class Tables(OptionSet, group="Source"):
    """Tables of a history and its releases, and the file of a guess."""

    original: Any = option(
        None,
        help="The history as it was (T).",
        flag="--original",
        metavar="FILE",
        default_text="the first table",
    )
    release: Any = option(
        None,
        help="What was made of it: A(T), or S with --truth or without the original.",
        metavar="FILE",
        default_text="the last table",
    )
    releases: tuple[Any, ...] = option(
        (),
        help="What was made of it (A(T)).",
        flag="--release",
        metavar="FILE",
        default_text="the tables after the original",
    )
    known: Any = option(None, help="Records of persons that the attacker knows.", flags=())
    master: Any = option(
        None, help="The table of all customers (M).", metavar="FILE", default_text="those of the original"
    )
    partials: Mapping[Any, Any] | None = option(
        None,
        help="What an attacker knows.",
        flag="--partial",
        metavar="PERCENT=FILE",
        default_text="drawn by the seed",
    )
    truth: Any = option(
        None, help="The true pseudonyms (F), for a release in an order of its own.", metavar="FILE"
    )
    guesses: tuple[Any, ...] = option(
        (), help="A guess of who used which pseudonym.", flag="--guess", metavar="FILE"
    )
    guess: Path | None = option(
        None,
        help="Write the guess of one attack: a .csv file.",
        group="Output",
        flag="--guess-out",
        metavar="FILE",
    )


@dataclass(frozen=True)
class NamedGuesses(OptionSet, group="Source"):
    """Guesses of several teams."""

    guesses: Mapping[str, Any] | None = option(
        None,
        help="A guess; also NAME@PERCENT=FILE, NAME:RELEASE=FILE or NAME@PERCENT:RELEASE=FILE.",
        flag="--guess",
        metavar="NAME=FILE",
    )


@dataclass(frozen=True)
class AttackOptions(OptionSet):
    """Which attacks run."""

    attacks: tuple[str, ...] | None = option(
        None,
        help=f"Run this attack: {', '.join(ATTACKS)}.",
        flag="--attack",
        metavar="NAME",
        default_text="all of them",
    )
    pseudonym: str | None = option(
        None,
        help="The release's column of pseudonyms.",
        group="Who is who",
        metavar="COLUMN",
        default_text="as that of users",
    )


@dataclass(frozen=True)
class ScoreOptions(OptionSet):
    """Which attacks a score is made of."""

    attacks: str = option(
        "committee",
        help="Those of the committee, or all: the stronger ones too.",
        choices=("committee", "all"),
        open=True,
    )


@dataclass(frozen=True)
class KnownShare(OptionSet):
    """The share of a history that an attacker holds."""

    alpha: float = option(
        help="The percentage of records that is known.", required=True, minimum=0, maximum=100
    )


def shares_of(alphas: Iterable[float] | None, partials: Collection[float]) -> tuple[float, ...]:
    """Return the percentages of the original that the attackers of a score know.

    Args:
        alphas: The shares that the user gave; None for the default.
        partials: The shares that there are partial tables of.

    Returns:
        The given shares; by default those of the contest, or those of the partial tables if one of these is
        none of the contest's.
    """
    if alphas is not None:
        return tuple(alphas)
    return ALPHAS if set(partials) <= set(ALPHAS) else tuple(partials)
