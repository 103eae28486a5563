"""What a release of a history still serves for: the seven losses of the contest, and further ones."""

from __future__ import annotations

from typing import Any

from duckrisk.pwscup.options import Options
from duckrisk.recommendation import (
    BINARY,
    PAPER_RETAIL,
    PAPER_SUPPLY,
    RETAIL,
    SUPPLY,
    TOP_ITEMS,
    History,
    similarity_loss,
    top_items_loss,
)
from duckrisk.session import Session
from duckrisk.templates import identifier

#: The losses whose largest is the loss of a release, in the order of the contest: E1 to E6.
LOSSES = (
    "itemcf_supply", "itemcf_retail", "topk_list", "topk_similarity", "date", "price", "deleted_rows",
)  # fmt: skip
#: The days of the longest period: nothing moves further inside one.
DAYS = {"day": 1, "week": 7, "month": 31, "quarter": 92}
#: Rules are those of this support and confidence.
LEAST_SUPPORT, LEAST_CONFIDENCE = 0.01, 0.3
#: People are grouped by attributes of no more categories than these.
MOST_CATEGORIES = 100
#: The losses of groups where there is no master table.
NO_GROUPS: dict[str, Any] = {"cross_tables": [], "subsets": []}


def losses(
    session: Session, original: str, release: str, options: Options
) -> tuple[dict[str, float | None], list[dict[str, Any]]]:
    """The seven losses of a release, each from 0 (as the original) to 1, by their names in :data:`LOSSES`;
    None for prices where the history has none. The profile "judge" is the program that ranked the contest;
    "paper" counts records in place of quantities, leaves dozens without a limit, and takes the similarity of
    an item with itself for one of the pairs.

    Then how many users and pseudonyms each of the losses by similarity left out, because they have more items
    than ``options.most_items``; empty where nobody is to be left out."""
    tables = (
        History(original, "user_id", "item", "quantity"),
        History(release, "pseudonym", "item", "quantity"),
    )
    judge = options.profile == "judge"
    top = top_items_loss(session, *tables, top=options.top)
    similar = {
        name: similarity_loss(
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
    found = {
        **{name: row["loss"] for name, row in similar.items()},
        "topk_list": top["loss"],
        "date": session.row("date_loss", **both, days=DAYS[options.period])["loss"],
        "price": session.row("price_loss", **both)["loss"] if priced else None,
        "deleted_rows": session.row("deleted_rows", **both)["loss"],
    }
    left_out = [
        {"loss": name, "users": row["users_left_out"], "pseudonyms": row["release_users_left_out"]}
        for name, row in similar.items()
    ]
    return {name: found[name] for name in LOSSES}, left_out if options.most_items is not None else []


def rules_loss(session: Session, original: str, release: str) -> dict[str, Any]:
    """What a release does to the rules "who buys this buys that"; a basket is a user's on a day and time."""
    return session.row(
        "association_rules_loss",
        original=identifier(original),
        release=identifier(release),
        user="user_id",
        pseudonym="pseudonym",
        item="item",
        basket=["day", "clock"],
        least_support=LEAST_SUPPORT,
        least_confidence=LEAST_CONFIDENCE,
    )


class Groups:
    """The people of an original by the attributes of the master table, for one release after the other."""

    def __init__(self, session: Session, original: str, master: str, options: Options) -> None:
        self.session, self.original, self.master = session, original, master
        named = [name for name, _ in session.describe(identifier(master)) if name != "user_id"]
        counts = {
            name: session.row("distinct_values", source=identifier(master), column=name)["distinct_values"]
            for name in named
        }
        self.attributes = [name for name in named if 1 < counts[name] <= MOST_CATEGORIES]
        self.left_out = [name for name in named if counts[name] > MOST_CATEGORIES]
        layout = options.layout
        self.numbers = [
            name
            for name, there in (
                ("price", layout is None or layout.price is not None),
                ("quantity", layout is None or layout.quantity is not None),
            )
            if there
        ]
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

    def losses(self, release: str) -> dict[str, Any]:
        """The losses of cross tables of people's attributes with items, by quantity, and of the means of
        prices and quantities in the groups of people that each attribute makes."""
        cross_tables: list[dict[str, Any]] = []
        subsets: list[dict[str, Any]] = []
        if self.attributes:
            self._make("pws_groups_of_release", release, "pseudonym")
        both = {"original": identifier("pws_groups"), "release": identifier("pws_groups_of_release")}
        for place, name in enumerate(self.attributes, 1):
            category = f"a{place}"
            table = self.session.row(
                "cross_table_loss", **both, category=category, column="item", weight="quantity"
            )
            cross_tables.append({"attribute": name, **table})
            for number in self.numbers:
                means = self.session.row("group_means_loss", **both, category=category, column=number)
                subsets.append({"attribute": name, "number": number, **means})
        return {"cross_tables": cross_tables, "subsets": subsets}
