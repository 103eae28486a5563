"""Make the report on the similarity of releases to their original, by the indices of the contest."""

from __future__ import annotations

from typing import Any

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence, Text, join_texts
from duckrisk.contests.membership.synthesis.results import Check, Indices, Round, Rounds, Utility
from duckrisk.report.blocks import (
    Block,
    Document,
    Heading,
    Listing,
    number_column,
    paragraphs,
    text_column,
)

#: Ends of keys, by whether thresholds are reached.
PASSED = {True: "passed", False: "failed", None: "open"}


def make_document(result: Utility) -> Document:
    """Make the report: the indices of each release."""
    original = result.original
    title = Sentence(
        "membership.utility.title", original=Data(original.name), records=format_number(original.records)
    )
    blocks: list[Block] = []
    for release in result.releases:
        name = Sentence("membership.release", name=Data(release.name), records=format_number(release.records))
        blocks += [Heading(name), *describe_indices(release.indices)]
    blocks += paragraphs(
        [Sentence("membership.read.indices"), Sentence("membership.read.not_safety")], "reading"
    )
    return Document(title, tuple(blocks))


def describe_indices(measured: Indices) -> list[Block]:
    """Make the blocks on one release: verdicts, indices, largest differences."""
    verdicts = [
        _write_verdict("preliminary", measured.rounds.preliminary),
        _write_verdict("final", measured.rounds.final),
    ]
    reason = measured.trees_not_measured
    return [
        *paragraphs(verdicts, "verdict"),
        _list_indices(measured),
        *paragraphs(_describe_differences(measured)),
        *paragraphs([Sentence("membership.trees.not_measured", reason=reason) if reason else None]),
    ]


def _write_verdict(name: str, round: Round) -> Sentence:
    failed = [name_index(check) for check in round.checks if check.passed is False]
    key = f"membership.round.{PASSED[round.passed]}"
    return Sentence(key, round=Sentence(f"membership.round.{name}"), failed=join_texts(failed))


def name_index(check: Check) -> Sentence:
    """Name the index of a threshold; a tree by its attribute."""
    index, _, attribute = check.index.partition(" ")
    return (
        Sentence("membership.index.tree", attribute=Data(attribute))
        if attribute
        else Sentence(f"membership.index.{index}")
    )


def _list_indices(measured: Indices) -> Listing:
    rows: list[tuple[Any, ...]] = []
    values = {
        "histogram": format_index(measured.histogram.value),
        "covariance": Sentence("membership.infinite")
        if measured.covariance.infinite
        else format_index(measured.covariance.value),
        "correlation": format_index(measured.correlation.value),
    }
    for index, value in values.items():
        rows.append(
            (Sentence(f"membership.index.{index}"), value, *_format_thresholds(measured.rounds, index))
        )
    for tree in measured.trees or ():
        name = Sentence("membership.index.tree_of", attribute=Data(tree.attribute), value=Data(tree.positive))
        index = f"tree {tree.attribute}" if tree.judged else ""
        rows.append((name, format_index(tree.value), *_format_thresholds(measured.rounds, index)))
    if measured.trees is None:
        rows.append((Sentence("membership.index.trees"), "-", *_format_thresholds(measured.rounds, "trees")))
    columns = (
        text_column("membership.index"),
        number_column("membership.value"),
        text_column("membership.round.preliminary"),
        text_column("membership.round.final"),
    )
    sql = ("histogram_index", "covariance_index", "correlation_index")
    return Listing(columns, tuple(rows), sql=sql)


def _format_thresholds(rounds: Rounds, index: str) -> list[Text]:
    """Say for each round whether an index reaches its threshold."""
    cells: list[Text] = []
    for round in (rounds.preliminary, rounds.final):
        check = next((check for check in round.checks if check.index == index), None)
        if check is None:
            cells.append("-")
        else:
            key = f"membership.threshold.{PASSED[check.passed]}"
            cells.append(Sentence(key, threshold=f"{check.threshold:g}"))
    return cells


def format_index(value: float | None) -> str:
    """Format an index; it is never rounded up to 1."""
    if value is None:
        return "-"
    text = f"{value:.6f}"
    return "> 0.999999" if text == "1.000000" and value < 1 else text


def _describe_differences(measured: Indices) -> list[Sentence]:
    """Describe the largest differences between the release and the original."""
    texts = []
    farthest = max(measured.histogram.attributes, key=lambda attribute: attribute.distance)
    if farthest.distance:
        values = {"attribute": Data(farthest.attribute), "distance": format_number(farthest.distance)}
        texts.append(Sentence("membership.worst.histogram", **values))
    covariance = measured.covariance
    if covariance.largest_sum:
        dummy = _describe_dummy(covariance.attribute, covariance.category)
        texts.append(
            Sentence("membership.worst.covariance", dummy=dummy, sum=f"{covariance.largest_sum:.6g}")
        )
    correlation = measured.correlation
    if correlation.difference:
        texts.append(
            Sentence(
                "membership.worst.correlation",
                first=_describe_dummy(correlation.first_attribute or "", correlation.first_category),
                second=_describe_dummy(correlation.second_attribute or "", correlation.second_category),
                difference=f"{correlation.difference:.6f}",
                mean=format_index(correlation.mean_value),
            )
        )
    return texts


def _describe_dummy(attribute: str, category: str | None) -> Sentence:
    if category is None:
        return Sentence("membership.column", attribute=Data(attribute))
    return Sentence("membership.category", attribute=Data(attribute), value=Data(category))
