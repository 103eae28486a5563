"""What checks, attacks and scores of releases of a purchase history give."""

from __future__ import annotations

from dataclasses import MISSING, asdict, dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from duckrisk.base.results import (
    Baseline,
    Count,
    Environment,
    Gates,
    Positive,
    Range,
    Result,
    Share,
    Truncation,
    Version,
    aside,
    inlined,
    left_out,
)
from duckrisk.engine.sql_log import Statement

Period = Annotated[Literal["day", "week", "month", "quarter"], "How long a pseudonym is valid."]
Percent = Annotated[float, Range(0, 100)]
_OneOrMore = Annotated[int, Range(1)]
_Known = Annotated[Percent, "The share of the original's records that the attacker holds, in percent."]
_Prefix = Annotated[_OneOrMore | None, "First characters of items that attackers know; null: all."]


@dataclass(frozen=True, repr=False)
class Written(Result):
    """A table of the contest that was written."""

    report: ClassVar[str] = "pwscup_written"
    sql: ClassVar[tuple[str, ...]] = ("count_users", "table_size")

    kind: Literal["pseudonyms", "release", "partial_knowledge"]
    path: Path
    records: Annotated[Count, "Its records, or the users of a table of pseudonyms."]
    filled: Annotated[Count, "Records that are not deleted, or cells that hold a pseudonym."]
    seed: Annotated[Count | None, "The seed that was given; null: nobody can repeat what was drawn."] = None


# --- checks --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _History:
    sql: ClassVar[tuple[str, ...]] = ("count_surviving", "count_users", "first_period", "table_size")

    name: Annotated[str, "The file of the original."]
    records: Annotated[Count, "Records that are compared."]
    incomplete_records: Annotated[Count, "Records without a user, a date or an item; not counted."]
    users: Annotated[Count, "Users, those of the master table where there is one."]
    periods: Annotated[Count, "Periods that a pseudonym can be valid for."]


@dataclass(frozen=True)
class CheckedOriginal(_History):
    """The history that releases are checked against."""

    records: Annotated[Count, "Records in the file."]
    first_day: Annotated[str, "The day on which the first period begins."]


@dataclass(frozen=True)
class CheckedConstraint:
    """A constraint, and how often it is violated."""

    sql: ClassVar[tuple[str, ...]] = ("count_violations",)

    constraint: str
    number: Annotated[int | None, "Its number in the contest; null: about the format of files."]
    skipped: Annotated[
        Literal["form", "no_column"] | None,
        "Why it does not apply: the format is not that of the contest, or the column is not there.",
    ]
    violations: Annotated[Count | None, "Null where it was skipped."]
    rows: Annotated[tuple[int, ...], "The first rows that violate it, counted from 1."]
    supports_items: Annotated[
        tuple[int, ...],
        "The items of article 34 (formerly 19) of the enforcement rules that keeping it is evidence for.",
    ]
    values: Annotated[tuple[str, ...], "The first cells that violate it, with show_values."] | None = (
        left_out()
    )


@dataclass(frozen=True)
class Evidence:
    """What of a release has to do with the rules on anonymously processed information."""

    sql: ClassVar[tuple[str, ...]] = ("release_evidence",)

    pseudonyms: Count
    mean_periods: Annotated[Positive | None, "Periods that a pseudonym is used in; null without any."]
    most_periods: Count
    shared_pseudonyms: Annotated[Count, "Pseudonyms of several users."]
    items_bought_once: Count
    prices_beyond: Annotated[Count, "Records with a price beyond the mean and 4 standard deviations."]
    misplaced_records: Annotated[
        Count, "Records that are, cell for cell, one of another user and not the one in their place."
    ]


@dataclass(frozen=True)
class CheckedTable:
    """A release or a guess."""

    sql: ClassVar[tuple[str, ...]] = ("count_surviving",)

    name: Annotated[str, "Its file."]
    kind: Literal["release", "guess"]
    records: Count
    surviving: Annotated[Count | None, "Records that were not deleted; null of a guess."]
    passed: bool
    violated: Annotated[tuple[str, ...], "The constraints that are violated."]
    constraints: tuple[CheckedConstraint, ...]
    evidence: Annotated[Evidence | None, "Null of a guess."]

    @property
    def checked(self) -> int:
        """How many constraints were not skipped."""
        return sum(constraint.skipped is None for constraint in self.constraints)


@dataclass(frozen=True)
class CheckSettings:
    """How it was checked."""

    contest: Annotated[bool, "Files of the contest, whose columns need no names."]
    period: Period
    show_values: bool


@dataclass(frozen=True, repr=False, kw_only=True)
class Check(Result):
    """Releases and guesses checked against the constraints of the contest."""

    report: ClassVar[str] = "pwscup_check"
    listing: ClassVar[str] = "tables"

    version: Version = 2
    kind: Literal["pwscup_check"] = "pwscup_check"
    original: CheckedOriginal
    tables: tuple[CheckedTable, ...]
    settings: CheckSettings
    environment: Environment
    statements: tuple[Statement, ...] = aside()
    gates: Gates = ()
    baseline: Baseline | None = left_out()

    @property
    def passed(self) -> bool:
        """Whether no constraint is violated and all gates were passed."""
        return all(table.passed for table in self.tables) and bool(super().passed)


# --- attacks -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rates:
    """How much a guess gets right."""

    metric: ClassVar[str] = "reidentification_rates"

    strict: Share
    cell: Share
    active_cell: Share | None
    row: Share | None


@dataclass(frozen=True)
class RatesBesideChance(Rates):
    """How much a guess gets right, and what it would were the pseudonyms of each period dealt out anew."""

    blind_strict: Share
    blind_cell: Share
    blind_active_cell: Share | None
    blind_row: Share | None


@dataclass(frozen=True)
class Link:
    """A guess of who has a pseudonym."""

    user: str
    period: Annotated[Count, "The place of the period, the first is 0."]
    pseudonym: str


@dataclass(frozen=True)
class Attack:
    """What one attack links."""

    sql: ClassVar[tuple[str, ...]] = ("attack_links",)

    attack: str
    alpha: Annotated[Percent | None, "What the attacker holds, in percent; null: the records that are known."]
    linked_users: Count
    guessed_cells: Annotated[Count, "Users and periods for which a pseudonym is guessed."]
    linked_pseudonyms: Annotated[Count, "Pseudonyms of a period that a guess names."]
    linked_records: Count
    rates: RatesBesideChance | None = inlined()
    links: (
        Annotated[tuple[Link, ...], "The first links by user and period, at most 10, with show_values."]
        | None
    ) = left_out()


@dataclass(frozen=True)
class AttackedRelease:
    """What was attacked."""

    sql: ClassVar[tuple[str, ...]] = ("count_linkable",)

    name: Annotated[str, "The file of the release."]
    records: Count
    pseudonyms: Annotated[Count, "One that comes back in another period counts again."]


@dataclass(frozen=True)
class Knowledge:
    """What an attacker holds."""

    sql: ClassVar[tuple[str, ...]] = ("table_size",)

    alpha: Annotated[Percent | None, "In percent of the original; null: the records that are known."]
    file: Annotated[str | None, "The file of it; null: drawn by the seed."]
    records: Count


@dataclass(frozen=True)
class AttackSettings:
    """How it was attacked."""

    truth: Annotated[str | None, "The file of the true pseudonyms."]
    item_prefix: _Prefix
    seed: Annotated[Count, "Of what was drawn."]
    show_values: bool


@dataclass(frozen=True, repr=False, kw_only=True)
class Attacks(Result):
    """Attacks that link users to the pseudonyms of a release."""

    report: ClassVar[str] = "pwscup_attack"
    listing: ClassVar[str] = "attacks"
    sql: ClassVar[tuple[str, ...]] = ("count_users", "first_period")

    version: Version = 1
    kind: Literal["attack"] = "attack"
    release: AttackedRelease
    original: Annotated[str | None, "The file of the original."]
    users: Count
    periods: Count
    period: Period
    known: tuple[Knowledge, ...]
    attacks: tuple[Attack, ...]
    settings: AttackSettings
    environment: Environment
    statements: tuple[Statement, ...] = aside()
    gates: Gates = ()
    baseline: Baseline | None = left_out()


# --- scores --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Original(_History):
    """The history that releases are compared with."""

    period: Period


@dataclass(frozen=True)
class Losses:
    """The losses of the contest: 0 serves as the original does, 1 is useless."""

    sql: ClassVar[tuple[str, ...]] = (
        "similarity_loss",
        "top_items_loss",
        "date_loss",
        "price_loss",
        "deleted_rows",
    )

    itemcf_supply: Annotated[
        Share, "E1: how far the similarity of items is off for those who buy by the dozen."
    ]
    itemcf_retail: Annotated[Share, "E2: the same for those who buy less than a dozen."]
    topk_list: Annotated[Share, "E3: share of the items of most users that are not among them any more."]
    topk_similarity: Annotated[Share, "E3: how far the similarity of these items is off, bought or not."]
    date: Annotated[Share, "E4: mean move of a record in parts of the longest period."]
    price: Annotated[Share | None, "E5: mean relative change of a price; null where the history has none."]
    deleted_rows: Annotated[Share, "E6: share of the records that were deleted, to four decimals."]

    def by_name(self) -> dict[str, float | None]:
        """Return the losses in the order of the contest."""
        return asdict(self)

    def measured(self) -> dict[str, float]:
        """Return the losses without those that are None."""
        return {name: loss for name, loss in self.by_name().items() if loss is not None}


@dataclass(frozen=True)
class OmittedUsers:
    """Who has too many different items for a loss by similarity."""

    sql: ClassVar[tuple[str, ...]] = ("vector_sizes",)

    loss: Annotated[
        Literal["itemcf_supply", "itemcf_retail", "topk_similarity"], "The loss by similarity of items."
    ]
    users: Annotated[Count, "Users of the original who are left out of it."]
    pseudonyms: Annotated[Count, "Pseudonyms of the release that are left out of it."]


@dataclass(frozen=True)
class RulesLoss:
    """What a release does to the rules "who buys this buys that"."""

    metric: ClassVar[str] = "association_rules_loss"
    sql: ClassVar[tuple[str, ...]] = ("rules_loss",)

    baskets: Count
    released_baskets: Count
    rules: Count
    released_rules: Count
    common_rules: Count
    loss_rules: Share
    loss_confidence: Share


@dataclass(frozen=True)
class ListedRule:
    """A rule of the original, and its confidence in the release."""

    sql: ClassVar[tuple[str, ...]] = ("first_rules",)

    first: Annotated[str, "An item that is bought."]
    second: Annotated[str | None, "Another one that is bought with it; null in a rule of two items."]
    then_item: Annotated[str, "The item that is bought then."]
    support: Annotated[Share, "Share of the original's baskets with all of them."]
    confidence: Annotated[Share, "Share of those with the first items that have the last."]
    released_confidence: Annotated[Share | None, "The same in the release; null where it is no rule there."]


@dataclass(frozen=True)
class RulesOfThreeLoss:
    """What a release does to the rules "who buys this and this buys that"."""

    sql: ClassVar[tuple[str, ...]] = ("rules_loss",)

    rules: Annotated[Count, "Rules of the original that reach the support and the confidence."]
    released_rules: Annotated[Count, "The same of the release."]
    common_rules: Annotated[Count, "Rules of both."]
    loss_rules: Annotated[Share, "Share of the rules of either that are not of both."]
    loss_confidence: Annotated[Share, "Mean change of the confidence of the original's rules."]
    strongest: (
        Annotated[
            tuple[ListedRule, ...],
            "The strongest rules of the original, those of the highest confidence, of equals those of the "
            "highest support: 10 at most of two items and 10 of three, with show_values.",
        ]
        | None
    ) = left_out()
    pairs_listed: Annotated[Truncation | None, "Of the rules of two items."] = left_out()
    threes_listed: Annotated[Truncation | None, "Of the rules of three items."] = left_out()


@dataclass(frozen=True)
class CrossTableLoss:
    """What a release does to a table of people's attribute by item, by quantity."""

    metric: ClassVar[str] = "cross_table_loss"

    attribute: Annotated[
        str, "An attribute of the master table; its categories are cross-tabulated with items, by quantity."
    ]
    cells: Count
    total_variation: Share
    largest_share_difference: Share
    mean_share_difference: Share
    largest_difference: Positive
    mean_difference: Positive


@dataclass(frozen=True)
class GroupMeansLoss:
    """What a release does to the means of groups of people."""

    metric: ClassVar[str] = "group_means_loss"

    attribute: Annotated[str, "An attribute of the master table, whose categories are the groups."]
    number: Annotated[Literal["price", "quantity"], "What the means are of."]
    categories: Count
    missing_categories: Count
    loss: Annotated[float, Range(0, 2)]


@dataclass(frozen=True)
class FurtherLosses:
    """Further losses, which do not count for UTL."""

    association_rules: RulesLoss
    rules_of_three: RulesOfThreeLoss
    cross_tables: Annotated[
        tuple[CrossTableLoss, ...], "One for each attribute of the master table; none without a master table."
    ]
    subsets: Annotated[
        tuple[GroupMeansLoss, ...], "One for each attribute and number; none without a master table."
    ]


@dataclass(frozen=True)
class AttackRates:
    """The rates of an attack with a share of the original."""

    attack: Annotated[str, "The attack; those of the committee open with their code."]
    alpha: _Known
    rates: Rates = inlined(MISSING)


@dataclass(frozen=True)
class GuessRates:
    """The rates of somebody's guess."""

    guess: Annotated[str, "Whose guess it is."]
    alpha: Annotated[Percent | None, "What it was made from, in percent; null counts for every share."]
    rates: Rates = inlined(MISSING)


@dataclass(frozen=True)
class AttackSafety:
    """The safety by one attack."""

    sql: ClassVar[tuple[str, ...]] = ("contest_score",)

    attack: str
    sec: Annotated[Share, "The mean of its strict rates."]


@dataclass(frozen=True)
class Safety:
    """What attacks find."""

    sql: ClassVar[tuple[str, ...]] = ("contest_score",)

    attacks: Annotated[tuple[AttackRates, ...], "The rates of each attack by what the attacker holds."]
    guesses: Annotated[tuple[GuessRates, ...], "The rates of guesses that were given."]
    sec_by_attack: tuple[AttackSafety, ...]
    sec_of_guesses: Annotated[
        Share | None, "The mean over the shares of the best guess; null without guesses."
    ]
    sec: Annotated[Share, "SEC, the largest safety score of the committee's attacks and the guesses."]
    sec_all: Annotated[Share | None, "The same with the stronger attacks; null where they were not run."]
    avg: Annotated[Share, "AVG, the mean of UTL and SEC: low is good."]


@dataclass(frozen=True)
class Submission:
    """The figures of a release."""

    sql: ClassVar[tuple[str, ...]] = ("contest_score", "count_surviving")

    name: Annotated[str, "The file of the release."]
    surviving: Annotated[Count, "Records that were not deleted."]
    utility: Losses
    omitted_users: Annotated[
        tuple[OmittedUsers, ...],
        "How many have more than most_items different items; empty where nobody is left out.",
    ]
    further: FurtherLosses
    utl: Annotated[Share, "UTL, the largest loss."]
    safety: Safety | None = inlined()

    @property
    def total(self) -> float:
        """What submissions are ranked by: AVG, or UTL where there were no attacks."""
        return self.utl if self.safety is None else self.safety.avg


@dataclass(frozen=True)
class GuessedRelease:
    """What somebody's guesses find in a release."""

    sql: ClassVar[tuple[str, ...]] = ("guess_league",)

    release: Annotated[str, "The file of the release."]
    strict: Annotated[Share, "The mean of the strict rates of the guesses at it."]


@dataclass(frozen=True)
class Guesser:
    """A participant that guessed at releases."""

    sql: ClassVar[tuple[str, ...]] = ("guess_league",)

    name: Annotated[str, "Whose guesses they are."]
    mean: Annotated[Share, "The mean over the releases that were guessed at."]
    releases: tuple[GuessedRelease, ...]


@dataclass(frozen=True)
class Partial:
    """A partial table that attackers hold."""

    alpha: _Known
    file: Annotated[str | None, "The file of what the attacker holds; null: drawn by the seed."]


@dataclass(frozen=True)
class SafetySettings:
    """How releases were attacked."""

    attacks: Annotated[Literal["committee", "all"], "Which attacks were run."]
    partials: Annotated[tuple[Partial, ...], "What attackers hold."]
    item_prefix: _Prefix
    seed: Annotated[Count, "Of what was drawn."]


@dataclass(frozen=True)
class ScoreSettings:
    """How it was scored."""

    profile: Annotated[Literal["judge", "paper"], "How recommendations are compared."]
    top: Annotated[_OneOrMore, "Number of items of E3."]
    most_items: Annotated[
        _OneOrMore | None, "Users with more different items are left out of recommendations; null: nobody."
    ]
    master: Annotated[str | None, "The file of the master table."]
    omitted_attributes: Annotated[tuple[str, ...], "Attributes of the master table with too many categories."]
    attacked: SafetySettings | None = inlined()


@dataclass(frozen=True, repr=False, kw_only=True)
class Score(Result):
    """Scores of releases of a purchase history, or a look at their utility alone.

    In the JSON form the figures of one release stand at the top, those of several under ``submissions``.
    """

    report: ClassVar[str] = "pwscup_score"

    version: Version = 2
    kind: Annotated[Literal["score", "utility"], "Whether releases were attacked too."]
    original: Original
    release: Submission | None = inlined()
    submissions: Annotated[tuple[Submission, ...], "Of several releases, the best first."] | None = left_out()
    guessers: Annotated[tuple[Guesser, ...], "Who guessed at several releases, the best first."] | None = (
        left_out()
    )
    settings: ScoreSettings
    environment: Environment
    statements: tuple[Statement, ...] = aside()
    gates: Gates = ()
    baseline: Baseline | None = left_out()

    @property
    def releases(self) -> tuple[Submission, ...]:
        """The figures of each release, the best first."""
        return (self.release,) if self.release is not None else self.submissions or ()

    @property
    def listing(self) -> str | None:
        """The list that it is about."""
        if self.submissions is not None:
            return "submissions"
        return "attacks" if self.releases[0].safety is not None else None
