"""What a release of a history still serves for: the seven losses of the contest, and further ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, cast

from duckrisk.base.results import Listed
from duckrisk.contests.pwscup.options import Options
from duckrisk.contests.pwscup.results import (
    CrossTableLoss,
    GroupMeansLoss,
    ListedRule,
    Losses,
    RulesLoss,
    RulesOfThreeLoss,
    UsersLeftOut,
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

#: The days of the longest period: nothing moves further inside one.
DAYS = {"day": 1, "week": 7, "month": 31, "quarter": 92}
#: Rules are those of this support and confidence.
LEAST_SUPPORT, LEAST_CONFIDENCE = 0.01, 0.3
#: People are grouped by attributes of no more categories than these.
MOST_CATEGORIES = 100
#: So many rules of each size are listed.
MOST_RULES = 10


def losses(
    session: Session, original: str, release: str, options: Options
) -> tuple[Losses, tuple[UsersLeftOut, ...]]:
    """The seven losses of a release. The profile "judge" is the program that ranked the contest; "paper"
    counts records in place of quantities, leaves dozens without a limit, and takes the similarity of an item
    with itself for one of the pairs.

    Then how many users and pseudonyms each of the losses by similarity left out, because they have more items
    than ``options.most_items``; empty where nobody is to be left out."""
    tables = (
        History(original, "user_id", "item", "quantity"),
        History(release, "pseudonym", "item", "quantity"),
    )
    judge = options.profile == "judge"
    top = measure_top_items_loss(session, *tables, top=options.top)
    similar = {
        name: measure_similarity_loss(
            session, *tables, weighting, diagonal=not judge, items=items, most_items=options.most_items
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
        UsersLeftOut(cast(Any, name), similarity.users_left_out, similarity.release_users_left_out)
        for name, similarity in similar.items()
    )


class Rules:
    """The rules "who buys this buys that" of an original, those of two items and those of three, beside those
    of one release after the other; a basket is a user's on a day and time."""

    _ORIGINAL, _RELEASE = "pws_rules", "pws_rules_of_release"
    _BASKETS, _RELEASED_BASKETS = "pws_baskets", "pws_baskets_of_release"

    def __init__(self, session: Session, original: str) -> None:
        self.session = session
        self._make(self._ORIGINAL, self._BASKETS, original, "user_id")

    def _make(self, table: str, baskets: str, source: str, person: str) -> None:
        """The rules of both kinds are of the same baskets, which are made once."""
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
            "least_support": LEAST_SUPPORT,
            "least_confidence": LEAST_CONFIDENCE,
        }
        pairs = render("association_rules", **parameters)
        threes = render("association_rules_of_three", **parameters)
        self.session.run("kept_rules", name=table, pairs=pairs, threes=threes)

    def losses(self, release: str, *, listed: bool) -> tuple[RulesLoss, RulesOfThreeLoss]:
        """What a release does to the rules of two items, and to those with two items before; where they are
        to be ``listed``, the strongest rules of the original as well."""
        self._make(self._RELEASE, self._RELEASED_BASKETS, release, "pseudonym")
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
        rows = self.session.run("first_rules", **both, most=MOST_RULES)
        pairs = Listed.taken([row for row in rows if row["second"] is None])
        threes = Listed.taken([row for row in rows if row["second"] is not None])
        strongest = tuple(ListedRule(**row) for row in rows)
        return of_two, replace(of_three, strongest=strongest, pairs_listed=pairs, threes_listed=threes)


class Groups:
    """The people of an original by the attributes of the master table, for one release after the other."""

    def __init__(self, session: Session, original: str, master: str, options: Options) -> None:
        self.session, self.original, self.master = session, original, master
        named = [name for name, _ in session.describe(identifier(master)) if name != "user_id"]
        counts = {
            name: session.fetch_row("distinct_values", source=identifier(master), column=name)[
                "distinct_values"
            ]
            for name in named
        }
        self.attributes = [name for name in named if 1 < counts[name] <= MOST_CATEGORIES]
        self.left_out = [name for name in named if counts[name] > MOST_CATEGORIES]
        layout = options.layout
        self.numbers: list[Literal["price", "quantity"]] = []
        if layout is None or layout.price is not None:
            self.numbers.append("price")
        if layout is None or layout.quantity is not None:
            self.numbers.append("quantity")
        self._make("pws_groups", original, "user_id")

    def _make(self, table: str, source: str, person: str) -> None:
        self.session.run(
            "purchases_of_groups",
            source=identifier(source),
            person=person,
            original=identifier(self.original),
            master=identifier(self.master),
            attributes=self.attributes,
            table=table,
        )

    def losses(self, release: str) -> tuple[tuple[CrossTableLoss, ...], tuple[GroupMeansLoss, ...]]:
        """The losses of cross tables of people's attributes with items, by quantity, and of the means of
        prices and quantities in the groups of people that each attribute makes."""
        cross_tables, subsets = [], []
        if self.attributes:
            self._make("pws_groups_of_release", release, "pseudonym")
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
