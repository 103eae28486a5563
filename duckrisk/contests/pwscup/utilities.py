"""Measures the utility of a release of a history: the seven losses of the contest, and further ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, cast

from duckrisk.base.results import Truncation
from duckrisk.contests.pwscup.options import Options
from duckrisk.contests.pwscup.results import (
    CrossTableLoss,
    GroupMeansLoss,
    ListedRule,
    Losses,
    OmittedUsers,
    RulesLoss,
    RulesOfThreeLoss,
)
from duckrisk.engine.session import Session
from duckrisk.engine.templates import identifier, render
from duckrisk.release.recommendation import (
    BINARY,
    PAPER_RETAIL,
    PAPER_SUPPLY,
    RETAIL,
    SUPPLY,
    TOP_ITEMS,
    History,
    measure_similarity_loss,
    measure_top_items_loss,
)

#: Days of the longest period of each unit; a record does not move further within its period.
DAYS = {"day": 1, "week": 7, "month": 31, "quarter": 92}
#: Shares; a rule has at least this support and confidence (the further losses of the contest's paper).
MIN_SUPPORT, MIN_CONFIDENCE = 0.01, 0.3
#: Categories; an attribute with more makes no groups (a choice: means of tiny groups say
#: nothing; the report lists these attributes).
MAX_CATEGORIES = 100
#: Rules of each size; this many are listed (a choice: they fit on one screen).
MAX_RULES = 10


def measure_losses(
    session: Session, original: str, release: str, options: Options
) -> tuple[Losses, tuple[OmittedUsers, ...]]:
    """Measure the seven losses of a release.

    The profile "judge" is the program that ranked the contest. The profile "paper" counts records instead of
    quantities, puts no limit on dozens, and counts the similarity of an item with itself.

    Args:
        session: Runs the statements.
        original: The standard table of the original.
        release: The standard table of the release.
        options: The profile, the unit of periods, and the limits of items.

    Returns:
        The losses; and for each loss by similarity, the users and pseudonyms that it left out because they
        have more than `most_items` items (empty without that limit).
    """
    histories = (
        History(original, "user_id", "item", "quantity"),
        History(release, "pseudonym", "item", "quantity"),
    )
    judge = options.profile == "judge"
    top = measure_top_items_loss(session, *histories, top=options.top)
    similar = {
        name: measure_similarity_loss(
            session, *histories, weighting, diagonal=not judge, items=items, most_items=options.most_items
        )
        for name, weighting, items in (
            ("itemcf_supply", SUPPLY if judge else PAPER_SUPPLY, None),
            ("itemcf_retail", RETAIL if judge else PAPER_RETAIL, None),
            ("topk_similarity", BINARY, TOP_ITEMS),
        )
    }
    both = {"original": identifier(original), "release": identifier(release)}
    priced = options.layout is None or options.layout.price is not None
    losses = Losses(
        **{name: similarity.loss for name, similarity in similar.items()},
        topk_list=top.loss,
        date=session.fetch_row("date_loss", **both, days=DAYS[options.period])["loss"],
        price=session.fetch_row("price_loss", **both)["loss"] if priced else None,
        deleted_rows=session.fetch_row("deleted_rows", **both)["loss"],
    )
    if options.most_items is None:
        return losses, ()
    return losses, tuple(
        OmittedUsers(cast(Any, name), similarity.omitted_users, similarity.omitted_release_users)
        for name, similarity in similar.items()
    )


class Rules:
    """The association rules of an original, to compare with those of releases.

    A basket holds what a user bought at one day and time. Rules have two items or three.
    """

    _ORIGINAL, _RELEASE = "pws_rules", "pws_rules_of_release"
    _BASKETS, _RELEASED_BASKETS = "pws_baskets", "pws_baskets_of_release"

    def __init__(self, session: Session, original: str) -> None:
        self.session = session
        self._make_rules(self._ORIGINAL, self._BASKETS, original, "user_id")

    def _make_rules(self, table: str, baskets: str, source: str, person: str) -> None:
        """Make the baskets once, and the rules of two and of three items from them."""
        self.session.run(
            "numbered_baskets",
            name=baskets,
            source=identifier(source),
            person=person,
            item="item",
            basket=["day", "clock"],
        )
        parameters = {
            "source": identifier(baskets),
            "user": "basket",
            "item": "item",
            "basket": [],
            "least_support": MIN_SUPPORT,
            "least_confidence": MIN_CONFIDENCE,
        }
        pairs = render("association_rules", **parameters)
        threes = render("association_rules_of_three", **parameters)
        self.session.run("kept_rules", name=table, pairs=pairs, threes=threes)

    def measure_losses(self, release: str, *, listed: bool) -> tuple[RulesLoss, RulesOfThreeLoss]:
        """Compare the rules of a release with those of the original.

        Args:
            release: The standard table of the release.
            listed: Whether the strongest rules of the original are listed.

        Returns:
            The losses of the rules of two and of three items.
        """
        self._make_rules(self._RELEASE, self._RELEASED_BASKETS, release, "pseudonym")
        both = {"original": identifier(self._ORIGINAL), "release": identifier(self._RELEASE)}
        pairs_loss, threes_loss = (
            self.session.fetch_row(
                "rules_loss",
                **both,
                baskets=identifier(self._BASKETS),
                released_baskets=identifier(self._RELEASED_BASKETS),
                of_three=three,
            )
            for three in (False, True)
        )
        of_two, of_three = RulesLoss(**pairs_loss), RulesOfThreeLoss(**threes_loss)
        if not listed:
            return of_two, of_three
        rows = self.session.run("first_rules", **both, max_rules=MAX_RULES)
        pairs = Truncation.pop_from([row for row in rows if row["second"] is None])
        threes = Truncation.pop_from([row for row in rows if row["second"] is not None])
        strongest = tuple(ListedRule(**row) for row in rows)
        return of_two, replace(of_three, strongest=strongest, pairs_listed=pairs, threes_listed=threes)


class Groups:
    """The groups of people by attributes of the master table, to compare their purchases in releases."""

    def __init__(self, session: Session, original: str, master: str, options: Options) -> None:
        self.session, self.original, self.master = session, original, master
        names = [name for name, _ in session.describe(identifier(master)) if name != "user_id"]
        counts = {
            name: session.fetch_row("distinct_values", source=identifier(master), column=name)[
                "distinct_values"
            ]
            for name in names
        }
        self.attributes = [name for name in names if 1 < counts[name] <= MAX_CATEGORIES]
        self.left_out = [name for name in names if counts[name] > MAX_CATEGORIES]
        layout = options.layout
        self.numbers: list[Literal["price", "quantity"]] = []
        if layout is None or layout.price is not None:
            self.numbers.append("price")
        if layout is None or layout.quantity is not None:
            self.numbers.append("quantity")
        self._make_groups("pws_groups", original, "user_id")

    def _make_groups(self, table: str, source: str, person: str) -> None:
        self.session.run(
            "purchases_of_groups",
            source=identifier(source),
            person=person,
            original=identifier(self.original),
            master=identifier(self.master),
            attributes=self.attributes,
            table=table,
        )

    def measure_losses(self, release: str) -> tuple[tuple[CrossTableLoss, ...], tuple[GroupMeansLoss, ...]]:
        """Compare the purchases of groups in a release with those in the original.

        Returns:
            The losses of the cross tables of each attribute with items, by quantity; and of the means of
            prices and quantities in the groups of each attribute.
        """
        cross_tables, subsets = [], []
        if self.attributes:
            self._make_groups("pws_groups_of_release", release, "pseudonym")
        both = {"original": identifier("pws_groups"), "release": identifier("pws_groups_of_release")}
        for index, name in enumerate(self.attributes, 1):
            category = f"a{index}"
            row = self.session.fetch_row(
                "cross_table_loss", **both, category=category, column="item", weight="quantity"
            )
            cross_tables.append(CrossTableLoss(attribute=name, **row))
            for number in self.numbers:
                row = self.session.fetch_row("group_means_loss", **both, category=category, column=number)
                subsets.append(GroupMeansLoss(attribute=name, number=number, **row))
        return tuple(cross_tables), tuple(subsets)
