"""What a history is, and how much of an item a user has by it."""

from __future__ import annotations

from dataclasses import dataclass

from duckrisk.base.errors import UsageError

WEIGHTINGS = ("records", "quantity", "binary")


@dataclass(frozen=True)
class History:
    """Records of users and items: a relation and the names of its columns. ``user`` is a pseudonym in a
    release; without ``quantity`` each record is one."""

    relation: str
    user: str
    item: str
    quantity: str | None = None


@dataclass(frozen=True)
class Weighting:
    """How much of an item a user has: ``name`` counts records, sums the quantity or is 1 (binary).

    What is above ``at_most`` is dropped; then every ``bucket`` makes one, at most ``cap``; and what is not
    above zero is dropped.
    """

    name: str
    bucket: int | None = None
    cap: int | None = None
    at_most: int | None = None

    def check(self) -> None:
        """Raise UsageError with one sentence where this is no weighting."""
        if self.name not in WEIGHTINGS:
            raise UsageError("recommendation.unknown_weighting", known=", ".join(WEIGHTINGS), name=self.name)
        for name in ("bucket", "cap", "at_most"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < 1):
                raise UsageError("recommendation.invalid_weighting_number", name=name)

    def arguments(self, history: History) -> dict[str, str | int | None]:
        """What the template of the weights takes."""
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
