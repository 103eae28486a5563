"""Histories of users and items, and how much of an item a user has."""

from __future__ import annotations

from dataclasses import dataclass

from duckrisk.base.errors import UsageError

WEIGHTINGS = ("records", "quantity", "binary")


@dataclass(frozen=True)
class History:
    """Records of users and items.

    Attributes:
        relation: The relation.
        user: Binding of the user column; a pseudonym in a release.
        item: Binding of the column of items.
        quantity: Binding of the column of quantities; None if each record is one item.
    """

    relation: str
    user: str
    item: str
    quantity: str | None = None


@dataclass(frozen=True)
class Weighting:
    """How much of an item a user has.

    Quantities above `at_most` are dropped. Then every `bucket` counts one, at most `cap`, and what is not
    above zero is dropped.

    Attributes:
        name: "records" counts records, "quantity" sums quantities, "binary" is 1.
        bucket: Quantity that counts one; None for 1.
        cap: Maximum; None for none.
        at_most: Largest quantity that counts; None for any.
    """

    name: str
    bucket: int | None = None
    cap: int | None = None
    at_most: int | None = None

    def check(self) -> None:
        """Check the weighting.

        Raises:
            UsageError: The name is unknown, or a number is not above 0.
        """
        if self.name not in WEIGHTINGS:
            raise UsageError("recommendation.unknown_weighting", known=", ".join(WEIGHTINGS), name=self.name)
        for name in ("bucket", "cap", "at_most"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < 1):
                raise UsageError("recommendation.invalid_weighting_number", name=name)

    def arguments(self, history: History) -> dict[str, str | int | None]:
        """Return the arguments of the template of weights.

        Args:
            history: The history.
        """
        return {
            "source": history.relation,
            "user": history.user,
            "item": history.item,
            "quantity": history.quantity if self.name == "quantity" else None,
            "weighting": self.name,
            "bucket": self.bucket,
            "cap": self.cap,
            "at_most": self.at_most,
        }


BINARY = Weighting("binary")
RECORDS = Weighting("records")
#: The contest of 2017: those who buy by the dozen, and those who buy less than a dozen.
SUPPLY = Weighting("quantity", bucket=12, cap=6)
RETAIL = Weighting("quantity", at_most=11)
#: The same as its paper has them.
PAPER_SUPPLY = Weighting("records", bucket=12)
PAPER_RETAIL = Weighting("records", at_most=11)
