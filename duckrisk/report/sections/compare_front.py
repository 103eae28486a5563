"""Make the front of a comparison: the policy and the people as cards, and what changed for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from duckrisk.base.numbers import format_number, format_share
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.decision.policy import name_policy
from duckrisk.release.advice.results import PeopleLine
from duckrisk.release.comparison.results import ComparedTable
from duckrisk.report.blocks import Block, Fact, Facts, Figure, Listing, number_column, text_column
from duckrisk.report.charts import Drawing
from duckrisk.report.drawings import MIN_SHOWN, Arrow, Axis, draw_arrows
from duckrisk.report.sections.compare_sentences import (
    describe_limits,
    format_damages,
    get_leak_value,
)
from duckrisk.report.words import Words

_Severity = Literal["", "good", "bad", "open"]
_SEVERITIES: dict[bool | None, _Severity] = {True: "good", False: "bad", None: "open"}


def make_cards(original: ComparedTable, releases: Sequence[ComparedTable]) -> list[Block]:
    """Make the cards: those of a single release, or one for each of several."""
    if len(releases) > 1:
        cards = [_make_policy_card(release, Data(release.name)) for release in releases]
        return [Facts(tuple(card for card in cards if card is not None))] if any(cards) else []
    release = releases[0]
    policy = _make_policy_card(release, Sentence("compare.people_policy"))
    cards = [*([policy] if policy is not None else []), *_make_people_cards(original, release)]
    if release.detail is not None:
        cards.append(Fact(Sentence("compare.detail_left"), format_share(release.detail.detail_left)))
    before, after = get_leak_value(original), get_leak_value(release)
    if before is not None and after is not None:
        earlier = Sentence("compare.before", before=format_damages(original, before, original))
        figure = format_damages(original, after, release)
        cards.append(Fact(Sentence("compare.damages_fact"), figure, earlier))
    records = Fact(Sentence("compare.records"), format_number(release.records))
    return [Facts((*(card for card in cards if card is not None), records))]


def _make_policy_card(release: ComparedTable, name: Text) -> Fact | None:
    """Make the card that says whether a release keeps the policy."""
    people = release.people
    if people is None:
        return None
    verdict = people.verdict
    policy = name_policy(verdict.policy, verdict.limits_from)
    severity: _Severity = "bad" if verdict.exceeded else "good" if verdict.is_kept else "open"
    return Fact(name, describe_limits(people), policy, severity)


def _make_people_cards(original: ComparedTable, release: ComparedTable) -> list[Fact]:
    before, after = original.people, release.people
    if before is None or after is None:
        return []

    def make_card(key: str, limit: str, figure: Text, earlier: Text) -> Fact:
        judged = [finding.met for finding in after.verdict.findings if finding.name == limit]
        severity: _Severity = _SEVERITIES[judged[0]] if judged else ""
        return Fact(Sentence(f"compare.{key}"), figure, Sentence("compare.before", before=earlier), severity)

    cards = [
        make_card(
            "people_singled_out",
            "unique_people",
            format_number(after.singled_out),
            format_number(before.singled_out),
        ),
        make_card(
            "people_smallest_class",
            "smallest_class",
            format_number(after.smallest_class),
            format_number(before.smallest_class),
        ),
    ]
    if after.one_fact is not None:
        one_fact = format_share(after.one_fact), format_share(before.one_fact)
        cards.append(make_card("people_one_fact", "one_fact", *one_fact))
    return cards


# --- the picture -----------------------------------------------------------------------------------


def plot_people(original: ComparedTable, releases: Sequence[ComparedTable]) -> list[Block]:
    """Plot how the risks of people changed; no block if no arrow would be visible."""
    before = original.people
    if before is None:
        return []
    arrows = [
        arrow
        for release in releases
        if release.people is not None
        for arrow in _make_arrows(before, release.people, release.name if len(releases) > 1 else None)
    ]
    if max((max(arrow.before, arrow.after) for arrow in arrows), default=0.0) < MIN_SHOWN:
        return []

    def draw(words: Words) -> Drawing:
        legend = [
            ("dot", "blue", Sentence("compare.original")),
            ("diamond", "orange", Sentence("useful.after")),
        ]
        axis, title = Axis(Sentence("compare.people_axis")), Sentence("compare.people_plot")
        return draw_arrows(words, arrows, axis, legend=legend, description=title, small=len(releases) == 1)

    listing = Listing.of(
        arrows,
        lambda arrow: (
            text_column("compare.figure", arrow.name),
            number_column("compare.original", format_share(arrow.before)),
            number_column("useful.after", format_share(arrow.after)),
        ),
        sql=("facts_together", "attribute_risk"),
    )
    reading = (Sentence("compare.read.people"),)
    return [Figure(Sentence("compare.people_plot"), draw, listing, reading, only_drawn=True)]


def _make_arrows(before: PeopleLine, after: PeopleLine, release: str | None) -> list[Arrow]:
    """Make the arrows of a release; `release` is its name among several."""
    shares = [
        ("people_singled_out", before.singled_out_share, after.singled_out_share),
        ("people_sure", 1 / max(1, before.smallest_class), 1 / max(1, after.smallest_class)),
        ("people_one_fact", before.one_fact, after.one_fact),
    ]
    arrows = []
    for key, now, then in shares:
        if now is None or then is None:
            continue
        name = Sentence(f"compare.{key}")
        if release is not None:
            name = Sentence("compare.of_release", figure=name, release=Data(release))
        arrows.append(Arrow(name, now, then, f"{format_share(now)} → {format_share(then)}"))
    return arrows
