"""Say in one line what a release is still good for: columns, records, detail, means by group, a model."""

from __future__ import annotations

from duckrisk.base.numbers import format_number, format_percent, format_share
from duckrisk.base.sentences import Data, Sentence
from duckrisk.measures.detail import Detail, summarize_detail
from duckrisk.release.comparison.utility_results import MeansByGroup, Prediction

#: Change of a mean above which a reader cannot use it (a choice: a fifth is a visible difference of groups).
USABLE_CHANGE = 0.2


def summarize_utility(
    detail: Detail | None,
    records: int,
    records_before: int,
    means: MeansByGroup | None = None,
    prediction: Prediction | None = None,
) -> Sentence | None:
    """Summarize what a release is still good for.

    Args:
        detail: The columns and the detail that are left.
        records: Number of records of the release.
        records_before: Number of records of the original.
        means: Its means by group.
        prediction: The models that learn from it.

    Returns:
        The sentence; None if nothing of it was measured.
    """
    parts = [
        summarize_detail(detail, records, records_before) if detail is not None else None,
        describe_means(means) if means is not None else None,
        describe_prediction(prediction) if prediction is not None else None,
    ]
    measured = [part for part in parts if part is not None]
    if not measured:
        return None
    line = measured[0]
    for part in measured[1:]:
        line = Sentence("useful.then", first=line, second=part)
    return line


def describe_means(means: MeansByGroup) -> Sentence:
    """Say how near the means by group are to those of the original.

    Columns with a change above :data:`USABLE_CHANGE` are counted, and not part of the figure.
    """
    usable = [entry.within for entry in means.numbers if entry.within <= USABLE_CHANGE]
    if not usable:
        return Sentence("useful.means_off", limit=format_percent(USABLE_CHANGE))
    within = format_share(max(usable))
    if len(usable) < len(means.numbers):
        counts = {"count": format_number(len(usable)), "numbers": format_number(len(means.numbers))}
        return Sentence("useful.means_of_some", within=within, **counts)
    return Sentence("useful.means", within=within) if max(usable) else Sentence("useful.means_same")


def describe_prediction(prediction: Prediction) -> Sentence | None:
    """Say how well the better model predicts, if the original was enough for one."""
    target = Data(prediction.target)
    if prediction.before is None:
        return None
    before = format_score(prediction.before)
    if prediction.after is None:
        return Sentence(f"useful.no_{prediction.measure}", target=target, before=before)
    return Sentence(
        f"useful.{prediction.measure}", target=target, before=before, after=format_score(prediction.after)
    )


def format_score(score: float | None) -> str:
    """Format an AUC or an R2 with two decimals; "-" for None."""
    return "-" if score is None else f"{score:.2f}"
