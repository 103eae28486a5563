"""The order in which the sets of a tier are tried, and the attributes that many of them share work on.

Sets that separate the combinations best come first: a search that a limit ends has then settled most persons.
Attributes that separate least are *low*: all of them together make few combinations, and so do sets that have
the same attributes but for low ones. Such sets stand together, as they share these combinations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from duckrisk.measures.sets import costs
from duckrisk.measures.sets.masks import make_mask

if TYPE_CHECKING:
    from duckrisk.measures.sets.combinations import Combinations


@dataclass(frozen=True)
class SetOrder:
    """The order of sets.

    Attributes:
        separations: How well each attribute separates the combinations, in millionths of a nat of entropy; 0
            for low ones.
        low: The low attributes, as a set.
    """

    separations: list[int]
    low: int = 0


def choose_order(combinations: Combinations) -> SetOrder:
    """Choose the order of the sets of a search.

    Args:
        combinations: The combinations, of records if they are many.
    """
    layout = combinations.layout
    one_in = max(1, combinations.count // costs.SAMPLED_FOR_ORDER) if combinations.user is None else 1
    rows = combinations.session.run("field_entropy", words=layout.words, masks=layout.masks, one_in=one_in)
    entropies = {row["position"]: row["entropy"] for row in rows}
    by_entropy = sorted(combinations.searched, key=lambda place: (entropies.get(place, 0.0), place))
    low = [] if combinations.is_large else by_entropy[: _count_low(combinations, by_entropy)]
    separations = [
        0 if place in low else round(1e6 * entropies.get(place, 0.0))
        for place in range(len(combinations.counts))
    ]
    return SetOrder(separations, make_mask(low))


def _count_low(combinations: Combinations, by_entropy: list[int]) -> int:
    """Count the first attributes that together make few combinations."""
    least, most = 0, len(by_entropy)
    while least < most:
        middle = (least + most + 1) // 2
        fields = combinations.layout.join_fields(by_entropy[:middle])
        asked = {"words": list(fields), "fields": list(fields.values())}
        classes = combinations.session.fetch_row("count_projected", **asked)["classes"]
        if classes <= costs.LOW_SHARE * combinations.count:
            least = middle
        else:
            most = middle - 1
    return least
