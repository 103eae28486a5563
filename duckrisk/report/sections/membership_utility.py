"""What is told of how like releases are to their original, by the indices of the contest."""

from __future__ import annotations

from typing import Any

from duckrisk.membership.synthesis.results import Check, Indices, Round, Rounds, Utility
from duckrisk.numbers import number
from duckrisk.report.blocks import (
    Block,
    Document,
    Heading,
    Listing,
    column,
    numbers,
    paragraphs,
)
from duckrisk.sentences import Data, Sentence, Text, joined, say

_PASSED = {True: "passed", False: "failed", None: "open"}


def document(result: Utility) -> Document:
    """The indices of each release."""
    original = result.original
    title = say("membership.utility.title", original=Data(original.name), records=number(original.records))
    blocks: list[Block] = []
    for release in result.releases:
        name = say("membership.release", name=Data(release.name), records=number(release.records))
        blocks += [Heading(name), *indices(release.indices)]
    blocks += paragraphs([say("membership.read.indices"), say("membership.read.not_safety")], "reading")
    return Document(title, tuple(blocks))


def indices(found: Indices) -> list[Block]:
    """The verdicts of both rounds, the indices beside their thresholds, and what differs most."""
    verdicts = [
        _verdict("preliminary", found.rounds.preliminary),
        _verdict("final", found.rounds.final),
    ]
    reason = found.trees_not_measured
    return [
        *paragraphs(verdicts, "verdict"),
        _listing(found),
        *paragraphs(_worst(found)),
        *paragraphs([say("membership.trees.not_measured", reason=reason) if reason else None]),
    ]


def _verdict(name: str, round: Round) -> Sentence:
    failed = [_check(check) for check in round.checks if check.passed is False]
    key = f"membership.round.{_PASSED[round.passed]}"
    return say(key, round=say(f"membership.round.{name}"), failed=joined(failed))


def _check(check: Check) -> Text:
    kind, _, attribute = check.index.partition(" ")
    return (
        say("membership.index.tree", attribute=Data(attribute))
        if attribute
        else say(f"membership.index.{kind}")
    )


def _listing(found: Indices) -> Listing:
    rows: list[tuple[Any, ...]] = []
    values = {
        "histogram": figure(found.histogram.value),
        "covariance": say("membership.infinite")
        if found.covariance.infinite
        else figure(found.covariance.value),
        "correlation": figure(found.correlation.value),
    }
    for index, value in values.items():
        rows.append((say(f"membership.index.{index}"), value, *_thresholds(found.rounds, index)))
    for tree in found.trees or ():
        name = say("membership.index.tree_of", attribute=Data(tree.attribute), value=Data(tree.positive))
        index = f"tree {tree.attribute}" if tree.judged else ""
        rows.append((name, figure(tree.value), *_thresholds(found.rounds, index)))
    if found.trees is None:
        rows.append((say("membership.index.trees"), "-", *_thresholds(found.rounds, "trees")))
    columns = (
        column("membership.index"),
        numbers("membership.value"),
        column("membership.round.preliminary"),
        column("membership.round.final"),
    )
    return Listing(columns, tuple(rows))


def _thresholds(rounds: Rounds, index: str) -> list[Text]:
    """For each round whether its threshold of an index is reached."""
    made: list[Text] = []
    for round in (rounds.preliminary, rounds.final):
        check = next((check for check in round.checks if check.index == index), None)
        if check is None:
            made.append("-")
        else:
            key = f"membership.threshold.{_PASSED[check.passed]}"
            made.append(say(key, threshold=f"{check.threshold:g}"))
    return made


def figure(value: float | None) -> str:
    """An index, never rounded up to 1."""
    if value is None:
        return "-"
    text = f"{value:.6f}"
    return "> 0.999999" if text == "1.000000" and value < 1 else text


def _worst(found: Indices) -> list[Sentence]:
    """Where the release differs most from the original."""
    made = []
    far = max(found.histogram.attributes, key=lambda each: each.distance)
    if far.distance:
        values = {"attribute": Data(far.attribute), "distance": number(far.distance)}
        made.append(say("membership.worst.histogram", **values))
    covariance = found.covariance
    if covariance.largest_sum:
        dummy = _dummy(covariance.attribute, covariance.category)
        made.append(say("membership.worst.covariance", dummy=dummy, sum=f"{covariance.largest_sum:.6g}"))
    correlation = found.correlation
    if correlation.difference:
        made.append(
            say(
                "membership.worst.correlation",
                first=_dummy(correlation.first_attribute or "", correlation.first_category),
                second=_dummy(correlation.second_attribute or "", correlation.second_category),
                difference=f"{correlation.difference:.6f}",
                mean=figure(correlation.mean_value),
            )
        )
    return made


def _dummy(attribute: str, category: str | None) -> Sentence:
    if category is None:
        return say("membership.column", attribute=Data(attribute))
    return say("membership.category", attribute=Data(attribute), value=Data(category))
