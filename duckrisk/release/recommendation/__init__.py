"""Item-based collaborative filtering: how similar items are in a release."""

from duckrisk.release.recommendation.similarity import SimilarityLoss, measure_similarity_loss
from duckrisk.release.recommendation.top import TOP_ITEMS, TopItemsLoss, measure_top_items_loss
from duckrisk.release.recommendation.weighting import (
    BINARY,
    PAPER_RETAIL,
    PAPER_SUPPLY,
    RECORDS,
    RETAIL,
    SUPPLY,
    History,
    Weighting,
)

__all__ = [
    "BINARY",
    "PAPER_RETAIL",
    "PAPER_SUPPLY",
    "RECORDS",
    "RETAIL",
    "SUPPLY",
    "TOP_ITEMS",
    "History",
    "SimilarityLoss",
    "TopItemsLoss",
    "Weighting",
    "measure_similarity_loss",
    "measure_top_items_loss",
]
