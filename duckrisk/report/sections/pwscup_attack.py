"""Make the report on attacks that link users to the pseudonyms of a release."""

from __future__ import annotations

from duckrisk.base.numbers import format_decimals, format_number
from duckrisk.base.results import Truncation
from duckrisk.base.sentences import Data, JoinedTexts, Sentence, Text, join_texts
from duckrisk.contests.pwscup.attacks import list_legends
from duckrisk.contests.pwscup.results import Attack, Attacks, Knowledge
from duckrisk.report.blocks import (
    Block,
    Document,
    Heading,
    Items,
    Listing,
    heading,
    number_column,
    paragraphs,
    text_column,
)


def make_document(result: Attacks) -> Document:
    """Make the report: the attacks, their links, and how many of these are right."""
    rated = all(attack.rates is not None for attack in result.attacks)
    blocks: list[Block] = [
        *paragraphs(_describe_attacks(result)),
        _list_rates(result) if rated else _list_counts(result),
    ]
    for attack in result.attacks:
        if attack.links:
            blocks += [Heading(_name_attack(attack)), _list_links(attack)]
    keys = ("rates", "chance") if rated else ("no_truth",)
    legends = list_legends([attack.attack for attack in result.attacks])
    blocks += [
        heading("pwscup.reading"),
        Items((*legends, *(Sentence(f"pwscup.read.{key}") for key in keys))),
    ]
    return Document(Sentence("pwscup.attack.title", release=Data(result.release.name)), tuple(blocks))


def format_percent(alpha: float | None) -> str:
    """Format the percentage of records that an attacker holds.

    It is "" if the records themselves are given.
    """
    return "" if alpha is None else f"{alpha:g}%"


def _describe_attacks(result: Attacks) -> list[Text]:
    release = result.release
    return [
        Sentence(
            "pwscup.attack.release",
            records=format_number(release.records),
            pseudonyms=format_number(release.pseudonyms),
            periods=Sentence(f"pwscup.periods.{result.period}", count=format_number(result.periods)),
            users=format_number(result.users),
        ),
        Sentence("pwscup.attack.known", held=join_texts(map(_describe_known_records, result.known))),
    ]


def _describe_known_records(knowledge: Knowledge) -> Sentence:
    records = format_number(knowledge.records)
    if knowledge.alpha is None:
        return Sentence("pwscup.attack.records", count=records)
    return Sentence("pwscup.attack.share", count=records, alpha=format_percent(knowledge.alpha))


def _name_attack(attack: Attack) -> Data | JoinedTexts:
    if attack.alpha is None:
        return Data(attack.attack)
    return join_texts([Data(attack.attack), format_percent(attack.alpha)])


def _list_rates(result: Attacks) -> Listing:
    rated = [(attack, rates) for attack in result.attacks if (rates := attack.rates) is not None]
    return Listing.of(
        rated,
        lambda pair: (
            text_column("pwscup.attack", Data(pair[0].attack)),
            number_column("pwscup.known", format_percent(pair[0].alpha)),
            number_column("pwscup.strict", format_decimals(pair[1].strict)),
            number_column("pwscup.cell", format_decimals(pair[1].cell)),
            number_column("pwscup.active_cell", format_decimals(pair[1].active_cell), priority=1),
            number_column("pwscup.row", format_decimals(pair[1].row)),
            number_column("pwscup.chance", format_decimals(pair[1].blind_strict)),
        ),
        sql=("reidentification_rates",),
    )


def _list_counts(result: Attacks) -> Listing:
    return Listing.of(
        result.attacks,
        lambda attack: (
            text_column("pwscup.attack", Data(attack.attack)),
            number_column("pwscup.known", format_percent(attack.alpha)),
            number_column("pwscup.linked_users", format_number(attack.linked_users)),
            number_column("pwscup.linked_pseudonyms", format_number(attack.linked_pseudonyms)),
            number_column("pwscup.linked_records", format_number(attack.linked_records)),
        ),
        sql=("attack_links",),
    )


def _list_links(attack: Attack) -> Listing:
    return Listing.of(
        attack.links or (),
        lambda link: (
            text_column("pwscup.user", Data(link.user)),
            number_column("pwscup.period", format_number(link.period + 1)),
            text_column("pwscup.pseudonym", Data(link.pseudonym)),
        ),
        listed=Truncation(attack.guessed_cells, 0),
        sql=("first_links",),
    )
