"""What is told of how like releases are to their original, by the indices of the contest."""

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
    column,
    numbers,
    paragraphs,
)

_PASSED = {True: "passed", False: "failed", None: "open"}


def document(result: Utility) -> Document:
    """The indices of each release."""
    original = result.original
    title = Sentence(
        "membership.utility.title", original=Data(original.name), records=format_number(original.records)
    )
    blocks: list[Block] = []
    for release in result.releases:
        name = Sentence("membership.release", name=Data(release.name), records=format_number(release.records))
        blocks += [Heading(name), *indices(release.indices)]
    blocks += paragraphs(
        [Sentence("membership.read.indices"), Sentence("membership.read.not_safety")], "reading"
    )
    return Document(title, tuple(blocks))


def indices(measured: Indices) -> list[Block]:
    """The verdicts of both rounds, the indices beside their thresholds, and what differs most."""
    verdicts = [
        _verdict("preliminary", measured.rounds.preliminary),
        _verdict("final", measured.rounds.final),
    ]
    reason = measured.trees_not_measured
    return [
        *paragraphs(verdicts, "verdict"),
        _listing(measured),
        *paragraphs(_worst(measured)),
        *paragraphs([Sentence("membership.trees.not_measured", reason=reason) if reason else None]),
    ]


def _verdict(name: str, round: Round) -> Sentence:
    failed = [_check(check) for check in round.checks if check.passed is False]
    key = f"membership.round.{_PASSED[round.passed]}"
    return Sentence(key, round=Sentence(f"membership.round.{name}"), failed=join_texts(failed))


def _check(check: Check) -> Text:
    index, _, attribute = check.index.partition(" ")
    return (
        Sentence("membership.index.tree", attribute=Data(attribute))
        if attribute
        else Sentence(f"membership.index.{index}")
    )


def _listing(measured: Indices) -> Listing:
    rows: list[tuple[Any, ...]] = []
    values = {
        "histogram": figure(measured.histogram.value),
        "covariance": Sentence("membership.infinite")
        if measured.covariance.infinite
        else figure(measured.covariance.value),
        "correlation": figure(measured.correlation.value),
    }
    for index, value in values.items():
        rows.append((Sentence(f"membership.index.{index}"), value, *_thresholds(measured.rounds, index)))
    for tree in measured.trees or ():
        name = Sentence("membership.index.tree_of", attribute=Data(tree.attribute), value=Data(tree.positive))
        index = f"tree {tree.attribute}" if tree.judged else ""
        rows.append((name, figure(tree.value), *_thresholds(measured.rounds, index)))
    if measured.trees is None:
        rows.append((Sentence("membership.index.trees"), "-", *_thresholds(measured.rounds, "trees")))
    columns = (
        column("membership.index"),
        numbers("membership.value"),
        column("membership.round.preliminary"),
        column("membership.round.final"),
    )
    sql = ("histogram_index", "covariance_index", "correlation_index")
    return Listing(columns, tuple(rows), sql=sql)


def _thresholds(rounds: Rounds, index: str) -> list[Text]:
    """For each round whether its threshold of an index is reached."""
    cells: list[Text] = []
    for round in (rounds.preliminary, rounds.final):
        check = next((check for check in round.checks if check.index == index), None)
        if check is None:
            cells.append("-")
        else:
            key = f"membership.threshold.{_PASSED[check.passed]}"
            cells.append(Sentence(key, threshold=f"{check.threshold:g}"))
    return cells


def figure(value: float | None) -> str:
    """An index, never rounded up to 1."""
    if value is None:
        return "-"
    text = f"{value:.6f}"
    return "> 0.999999" if text == "1.000000" and value < 1 else text


def _worst(measured: Indices) -> list[Sentence]:
    """Where the release differs most from the original."""
    texts = []
    far = max(measured.histogram.attributes, key=lambda each: each.distance)
    if far.distance:
        values = {"attribute": Data(far.attribute), "distance": format_number(far.distance)}
        texts.append(Sentence("membership.worst.histogram", **values))
    covariance = measured.covariance
    if covariance.largest_sum:
        dummy = _dummy(covariance.attribute, covariance.category)
        texts.append(
            Sentence("membership.worst.covariance", dummy=dummy, sum=f"{covariance.largest_sum:.6g}")
        )
    correlation = measured.correlation
    if correlation.difference:
        texts.append(
            Sentence(
                "membership.worst.correlation",
                first=_dummy(correlation.first_attribute or "", correlation.first_category),
                second=_dummy(correlation.second_attribute or "", correlation.second_category),
                difference=f"{correlation.difference:.6f}",
                mean=figure(correlation.mean_value),
            )
        )
    return texts


def _dummy(attribute: str, category: str | None) -> Sentence:
    if category is None:
        return Sentence("membership.column", attribute=Data(attribute))
    return Sentence("membership.category", attribute=Data(attribute), value=Data(category))
